//! A slot for data that another room derives from a reading.

use std::any::Any;
use std::sync::OnceLock;

/// Holds one value of a type that only its owner knows, such as a cache.
#[derive(Default)]
pub struct Extension(OnceLock<Box<dyn Any + Send + Sync>>);

impl Extension {
    /// The value, created on the first call; `None` if the slot holds another type.
    pub fn get_or_default<T: Any + Send + Sync + Default>(&self) -> Option<&T> {
        self.0.get_or_init(|| Box::new(T::default())).downcast_ref()
    }
}

//! What another room makes of a reading, and keeps with it for the next page.

use std::any::Any;
use std::sync::OnceLock;

/// One value, of a type that only the room that keeps it knows.
#[derive(Default)]
pub(crate) struct Keepsake(OnceLock<Box<dyn Any + Send + Sync>>);

impl Keepsake {
    /// The value, made at the first call; `None` where one of another type is kept.
    pub(crate) fn of<T: Any + Send + Sync + Default>(&self) -> Option<&T> {
        self.0.get_or_init(|| Box::new(T::default())).downcast_ref()
    }
}

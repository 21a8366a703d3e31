//! Checks of values that another process sent.

use std::fmt;

use bytes::Bytes;
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

/// For `#[serde(with = "…")]`: bytes as one string of bytes, not as a list of numbers.
pub mod byte_string {
    use super::{ByteString, Bytes, Deserializer, Serializer};

    /// Writes the bytes as they are.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<S: Serializer>(bytes: &Bytes, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    /// Copies the bytes.
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        deserializer.deserialize_bytes(ByteString)
    }
}

struct ByteString;

impl Visitor<'_> for ByteString {
    type Value = Bytes;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("bytes")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes::copy_from_slice(bytes))
    }
}

/// Implements serde for types with invariants: those derive it with `#[serde(remote = "Self")]` and have `is_valid`. A
/// value that is not valid is refused when it arrives.
#[macro_export]
macro_rules! checked_on_arrival {
    ($($type:ty),*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$type>::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = <$type>::deserialize(deserializer)?;
                let refused = || serde::de::Error::custom(concat!("an invalid ", stringify!($type)));
                if value.is_valid() { Ok(value) } else { Err(refused()) }
            }
        }
    )*};
}

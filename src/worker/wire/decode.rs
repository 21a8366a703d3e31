//! Decodes what came from another process, and believes none of it.
//!
//! The decoder stands between the format and every type, so no type can forget its rules: numbers are finite, nothing
//! follows a value, and what it takes in memory is bounded by what arrived.

use std::cell::Cell;
use std::io;
use std::time::Instant;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, SeqAccess, Unexpected, VariantAccess, Visitor,
};

/// The most memory of the elements of lists: this, and so many bytes for each byte that arrived.
///
/// An element takes at most 4 bytes for a byte of its own, but for short lists of large elements.
const FREE_BYTES: usize = 8 << 20;
const BYTES_FOR_EACH: usize = 4;

/// The most of it, however much arrived.
const MAX_ELEMENT_BYTES: usize = 256 << 20;

/// The largest coordinate. Pages end at a millionth of it, and products of three are still numbers.
const MAX_COORDINATE: f32 = 1e12;

/// The clock is read once for so many elements.
const ELEMENTS_PER_CLOCK_READ: u32 = 4_096;

/// Decodes a value that fills `bytes`, until `until`.
pub(crate) fn decode<'de, T: Deserialize<'de>>(bytes: &'de [u8], until: Option<Instant>) -> io::Result<T> {
    let left = bytes.len().saturating_mul(BYTES_FOR_EACH).saturating_add(FREE_BYTES).min(MAX_ELEMENT_BYTES);
    let budget = Budget { left: Cell::new(left), elements: Cell::new(0), until };
    let mut format = postcard::Deserializer::from_bytes(bytes);
    let value = T::deserialize(Checked { inner: &mut format, budget: &budget });
    let rest = format.finalize().map_err(|_| invalid())?;
    let value = value.map_err(|_| if budget.is_late() { io::ErrorKind::TimedOut.into() } else { invalid() })?;
    if rest.is_empty() { Ok(value) } else { Err(invalid()) }
}

fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// What a value may still take.
struct Budget {
    left: Cell<usize>,
    elements: Cell<u32>,
    until: Option<Instant>,
}

impl Budget {
    /// Takes the bytes of one element of a list.
    fn take<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        let elements = self.elements.get().wrapping_add(1);
        self.elements.set(elements);
        if elements.is_multiple_of(ELEMENTS_PER_CLOCK_READ) && self.is_late() {
            return Err(E::custom("the time is over"));
        }
        let left = self.left.get().checked_sub(bytes).ok_or_else(|| E::custom("more than arrived"))?;
        self.left.set(left);
        Ok(())
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// A part of the format with its rules: a deserializer, a visitor, the elements of a list, or a variant.
struct Checked<'b, T> {
    inner: T,
    budget: &'b Budget,
}

impl<'b, T> Checked<'b, T> {
    fn with<U>(&self, inner: U) -> Checked<'b, U> {
        Checked { inner, budget: self.budget }
    }
}

/// Elements of a list, which take memory of their own, unlike those of a tuple.
struct Elements<'b, T>(Checked<'b, T>);

macro_rules! forward {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method(visitor)
        }
    )*};
}

macro_rules! check {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.with(visitor);
            self.inner.$method($($name,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Checked<'_, D> {
    type Error = D::Error;

    forward! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_char deserialize_str deserialize_string
        deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    check! {
        deserialize_option()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let number = f32::deserialize(self.inner)?;
        if number.abs() <= MAX_COORDINATE { visitor.visit_f32(number) } else { Err(no_number(number.into())) }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let number = f64::deserialize(self.inner)?;
        if number.is_finite() { visitor.visit_f64(number) } else { Err(no_number(number)) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let visitor = Elements(self.with(visitor));
        self.inner.deserialize_seq(visitor)
    }

    /// A map takes more memory than its elements, so none is on the wire.
    fn deserialize_map<V: Visitor<'de>>(self, _: V) -> Result<V::Value, D::Error> {
        Err(D::Error::custom("a map"))
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

fn no_number<E: serde::de::Error>(number: f64) -> E {
    E::invalid_value(Unexpected::Float(number), &"a coordinate")
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Checked<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.expecting(formatter)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_some(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.visit_newtype_struct(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        let fields = self.with(fields);
        self.inner.visit_seq(fields)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<V::Value, A::Error> {
        let data = self.with(data);
        self.inner.visit_enum(data)
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Elements<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.inner.expecting(formatter)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<V::Value, A::Error> {
        let elements = Elements(self.0.with(elements));
        self.0.inner.visit_seq(elements)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Checked<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let deserializer = self.with(deserializer);
        self.inner.deserialize(deserializer)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Checked<'_, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        let seed = self.with(seed);
        self.inner.next_element_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Elements<'_, A> {
    type Error = A::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, A::Error> {
        let element = self.0.next_element_seed(seed)?;
        if element.is_some() {
            self.0.budget.take(size_of::<T::Value>())?;
        }
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, 'b, A: EnumAccess<'de>> EnumAccess<'de> for Checked<'b, A> {
    type Error = A::Error;
    type Variant = Checked<'b, A::Variant>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self::Variant), A::Error> {
        let budget = self.budget;
        let (value, inner) = self.inner.variant_seed(seed)?;
        Ok((value, Checked { inner, budget }))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Checked<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, A::Error> {
        let seed = self.with(seed);
        self.inner.newtype_variant_seed(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.tuple_variant(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let visitor = self.with(visitor);
        self.inner.struct_variant(fields, visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn encoded(value: &impl serde::Serialize) -> Vec<u8> {
        postcard::to_extend(value, Vec::new()).unwrap_or_default()
    }

    fn kind_of<T: Deserialize<'static>>(bytes: Vec<u8>) -> Option<io::ErrorKind> {
        decode::<T>(bytes.leak(), None).err().map(|error| error.kind())
    }

    #[test]
    fn a_value_comes_back_and_nothing_may_follow_it() {
        let value = (7_u8, vec![Some("text".to_owned()), None], [1.5_f32, -2.0], Ok::<u64, String>(9));
        let bytes = encoded(&value);
        assert_eq!(decode(&bytes, None).ok(), Some(value));
        assert_eq!(kind_of::<u8>(vec![7, 0]), Some(io::ErrorKind::InvalidData));
    }

    #[test]
    fn every_number_is_finite_wherever_it_stands() {
        for number in [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e13] {
            assert!(kind_of::<f32>(encoded(&number)).is_some(), "{number}");
            assert!(kind_of::<Vec<Option<[f32; 2]>>>(encoded(&vec![Some([0.0, number])])).is_some(), "{number}");
            assert!(kind_of::<Result<f32, ()>>(encoded(&Ok::<_, ()>(number))).is_some(), "{number}");
        }
        assert!(kind_of::<f64>(encoded(&f64::NAN)).is_some());
        assert_eq!(kind_of::<f32>(encoded(&1e12_f32)), None);
    }

    #[test]
    fn a_list_takes_no_more_than_what_arrived_allows() {
        let elements = |count: usize| vec![String::new(); count];
        let most = FREE_BYTES / (size_of::<String>() - BYTES_FOR_EACH);
        assert_eq!(kind_of::<Vec<String>>(encoded(&elements(most))), None);
        assert!(kind_of::<Vec<String>>(encoded(&elements(most + 10))).is_some());
        // A length that nothing follows.
        assert!(kind_of::<Vec<String>>(vec![0xff, 0xff, 0xff, 0xff, 0x0f]).is_some());
    }

    #[test]
    fn decoding_ends_at_the_deadline() {
        let bytes = encoded(&vec![0_u64; 100_000]);
        let late = Instant::now().checked_sub(Duration::from_secs(1));
        assert_eq!(decode::<Vec<u64>>(&bytes, late).err().map(|error| error.kind()), Some(io::ErrorKind::TimedOut));
    }
}

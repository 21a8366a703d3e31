//! PDF objects (ISO 32000-2, 7.3).
//!
//! Reals keep their token, so that writing changes no digit. Dictionaries are sorted by key, for binary search and
//! canonical output. Stream data stays encoded but is decrypted.
//!
//! Keys are written as byte strings where they are used: they are the standard's own words, and a table of constants would
//! only repeat them.

use bytes::Bytes;
use smallvec::SmallVec;
use std::borrow::Borrow;

/// The number and generation of an indirect object (7.3.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId {
    /// The object number; 0 names no object.
    pub number: u32,
    /// The generation number.
    pub generation: u16,
}

/// A name (7.3.5), without its slash and with `#xx` resolved.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(SmallVec<[u8; 16]>);

impl Borrow<[u8]> for Name {
    fn borrow(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl Name {
    /// The name spelled by `bytes`.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self(SmallVec::from_slice(bytes))
    }

    /// The bytes of the name.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "/{}", String::from_utf8_lossy(&self.0))
    }
}

/// The bytes of a string. Short strings need no allocation.
pub(crate) type StringBytes = SmallVec<[u8; 16]>;

/// The token of a real number (7.3.3), digit for digit.
#[derive(Clone, PartialEq, Eq)]
pub struct RealToken(SmallVec<[u8; 16]>);

impl RealToken {
    /// The token `bytes`, which must match `[+-]?digits*.digits*`.
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(SmallVec::from_slice(bytes))
    }

    /// The shortest token that reads back as `value`.
    pub(crate) fn from_value(value: f64) -> Self {
        Self::new(value.to_string().as_bytes())
    }

    /// The token.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The token's value.
    #[must_use]
    pub(crate) fn value(&self) -> f64 {
        std::str::from_utf8(&self.0).ok().and_then(|token| token.parse().ok()).unwrap_or(0.0)
    }
}

impl std::fmt::Debug for RealToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// A PDF object (7.3).
#[derive(Debug, Clone, PartialEq)]
pub enum Object {
    /// The null object. As a dictionary value it means that there is no entry.
    Null,
    Boolean(bool),
    Integer(i64),
    /// A real number.
    Real(RealToken),
    /// A string, unescaped and decrypted.
    String(StringBytes),
    Name(Name),
    Array(Vec<Object>),
    Dictionary(Dictionary),
    /// A stream, which is always an indirect object. Boxed to keep other objects small.
    Stream(Box<Stream>),
    /// A reference to an indirect object.
    Reference(ObjectId),
}

impl Object {
    /// The name `bytes`.
    #[must_use]
    pub fn name(bytes: &[u8]) -> Self {
        Self::Name(Name::new(bytes))
    }

    /// Whether this is the null object.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The dictionary, or that of a stream.
    #[must_use]
    pub fn as_dictionary(&self) -> Option<&Dictionary> {
        match self {
            Self::Dictionary(dictionary) => Some(dictionary),
            Self::Stream(stream) => Some(&stream.dictionary),
            _ => None,
        }
    }

    /// The array's elements.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Object]> {
        if let Self::Array(elements) = self { Some(elements) } else { None }
    }

    #[must_use]
    pub fn as_stream(&self) -> Option<&Stream> {
        if let Self::Stream(stream) = self { Some(stream) } else { None }
    }

    /// The name's bytes.
    #[must_use]
    pub fn as_name(&self) -> Option<&[u8]> {
        if let Self::Name(name) = self { Some(name.as_bytes()) } else { None }
    }

    /// The string's bytes.
    #[must_use]
    pub fn as_string(&self) -> Option<&[u8]> {
        if let Self::String(bytes) = self { Some(bytes) } else { None }
    }

    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }

    /// The number, integer or real.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "PDF numbers of 2^53 and more mean no length on a page")]
            Self::Integer(value) => Some(*value as f64),
            Self::Real(token) => Some(token.value()),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_reference(&self) -> Option<ObjectId> {
        if let Self::Reference(id) = self { Some(*id) } else { None }
    }

    /// Whether this is the name `bytes`.
    #[must_use]
    pub fn is_name(&self, bytes: &[u8]) -> bool {
        self.as_name() == Some(bytes)
    }
}

/// A dictionary (7.3.7): entries sorted by key, each key once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dictionary(Vec<(Name, Object)>);

impl Dictionary {
    /// An empty dictionary.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A dictionary of entries in any order. If a key occurs twice, the last entry counts.
    #[must_use]
    pub(crate) fn from_entries(mut entries: Vec<(Name, Object)>) -> Self {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.reverse();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries.dedup_by(|later, kept| later.0 == kept.0);
        }
        Self(entries)
    }

    /// The value of `key`.
    #[must_use]
    pub fn get(&self, key: &[u8]) -> Option<&Object> {
        let at = self.0.binary_search_by(|entry| entry.0.as_bytes().cmp(key)).ok()?;
        self.0.get(at).map(|entry| &entry.1)
    }

    /// Sets `key` to `value`.
    pub fn set(&mut self, key: &[u8], value: Object) {
        match self.0.binary_search_by(|entry| entry.0.as_bytes().cmp(key)) {
            Ok(at) => {
                if let Some(entry) = self.0.get_mut(at) {
                    entry.1 = value;
                }
            }
            Err(at) => self.0.insert(at, (Name::new(key), value)),
        }
    }

    /// Removes `key` and returns its value.
    pub fn remove(&mut self, key: &[u8]) -> Option<Object> {
        let at = self.0.binary_search_by(|entry| entry.0.as_bytes().cmp(key)).ok()?;
        Some(self.0.remove(at).1)
    }

    /// The entries in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Object)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Number of entries.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether `/Type` is the name `bytes`.
    #[must_use]
    pub fn is_type(&self, bytes: &[u8]) -> bool {
        self.get(b"Type").is_some_and(|value| value.is_name(bytes))
    }
}

/// A stream (7.3.8).
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// The stream's dictionary. Its `/Length` may be wrong.
    pub dictionary: Dictionary,
    /// The data, encoded by `/Filter` but decrypted.
    pub data: Bytes,
}

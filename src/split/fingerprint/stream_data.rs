//! Decodes the data of a stream, so that its encoding does not affect a fingerprint.

use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_document::object::{Dictionary, Object, Stream};
use pagewise_document::objects::Objects;
use pagewise_document::{DocumentError, filter};
use std::borrow::Cow;
use std::cell::Cell;

/// The data of a stream (ISO 32000-2, 7.3.8), decoded as far as possible without losing a byte.
pub(super) enum StreamData<'a> {
    /// All filters were decoded, and each used its data to the last byte.
    Decoded(Cow<'a, [u8]>),
    /// The filters were decoded up to an image codec or an unknown filter. `filters` are the remaining ones.
    Encoded { bytes: Cow<'a, [u8]>, filters: Vec<(Object, Object)> },
    /// The stored bytes, because the data exceeds a limit, is damaged, has unused bytes or has unknown parameters.
    Stored(&'a [u8]),
}

/// Decodes streams and counts the decoded bytes.
pub(super) struct StreamReader<'a> {
    objects: &'a dyn Objects,
    limits: &'a Limits,
    spent: Cell<u64>,
}

impl<'a> StreamReader<'a> {
    pub(super) fn new(objects: &'a dyn Objects, limits: &'a Limits) -> Self {
        Self { objects, limits, spent: Cell::new(0) }
    }

    /// The data of `stream`.
    ///
    /// # Errors
    /// The limit `max_decoded_bytes`, and errors that stop the whole operation.
    pub(super) fn read<'s>(&self, stream: &'s Stream) -> Result<StreamData<'s>, DocumentError> {
        let stored = StreamData::Stored(&stream.data);
        if !self.has_regular_filters(&stream.dictionary)? {
            return Ok(stored);
        }
        let resolve = &mut |value: &Object| Ok((*self.objects.resolve(value)?).clone());
        let mut filters = filter::filters_of(&stream.dictionary, resolve)?;
        let decoded = match filter::decode(&stream.data, &filters, self.limits) {
            Err(DocumentError::Limit(limit)) if limit.which == Limit::DecodedBytes => return Err(limit.into()),
            Err(DocumentError::Limit(_) | DocumentError::Damaged { .. }) => return Ok(stored),
            other => other?,
        };
        self.spend(decoded.bytes.len())?;
        Ok(match decoded.stopped_at {
            _ if !decoded.is_exact => stored,
            None => StreamData::Decoded(decoded.bytes),
            Some(at) => StreamData::Encoded { bytes: decoded.bytes, filters: filters.split_off(at) },
        })
    }

    fn spend(&self, bytes: usize) -> Result<(), DocumentError> {
        self.spent.set(self.spent.get().saturating_add(bytes as u64));
        Ok(LimitExceeded::check(Limit::DecodedBytes, self.spent.get(), self.limits.max_decoded_bytes)?)
    }

    /// Whether filters and parameters follow the specification (table 5), so that every reader decodes the same data.
    fn has_regular_filters(&self, dictionary: &Dictionary) -> Result<bool, DocumentError> {
        if [&b"F"[..], b"DP"].iter().any(|abbreviation| dictionary.get(abbreviation).is_some()) {
            return Ok(false);
        }
        let filter = self.objects.get(dictionary, b"Filter")?;
        let parameters = self.objects.get(dictionary, b"DecodeParms")?;
        Ok(match (&*filter, &*parameters) {
            (Object::Null, parameters) => parameters.is_null(),
            (Object::Name(_) | Object::Array(_), Object::Null) | (Object::Name(_), Object::Dictionary(_)) => true,
            (Object::Array(filters), Object::Array(each)) => filters.len() == each.len(),
            (Object::Array(filters), Object::Dictionary(_)) => filters.len() == 1,
            _ => false,
        })
    }
}

//! Decoded content streams (ISO 32000-2, 7.8.2).

use crate::document::objects::Objects;
use crate::document::object::{Object, Stream};
use crate::document::{DocumentError, filter};
use crate::limits::{LimitExceeded, Limits};
use std::cell::Cell;

/// Decodes streams and counts what all of them come to.
pub(super) struct Decoder<'a> {
    objects: &'a dyn Objects,
    limits: &'a Limits,
    spent: Cell<u64>,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(objects: &'a dyn Objects, limits: &'a Limits) -> Self {
        Self { objects, limits, spent: Cell::new(0) }
    }

    /// The stream's bytes and whether every filter came to its end, image codecs apart.
    ///
    /// A stream that decodes to more than a limit is given as not intact: what needs its content then does without.
    pub(super) fn decode(&self, stream: &Stream) -> Result<filter::Decoded, DocumentError> {
        let filters = filter::filters_of(&stream.dictionary, &mut |value| Ok((*self.objects.resolve(value)?).clone()))?;
        let decoded = match filter::decode(&stream.data, &filters, self.limits) {
            Err(DocumentError::Limit(_) | DocumentError::Damaged { .. }) => {
                filter::Decoded { bytes: Vec::new(), intact: false, stopped_at: None }
            }
            other => other?,
        };
        let spent = self.spent.get().saturating_add(decoded.bytes.len() as u64);
        LimitExceeded::check("max_decoded_bytes", spent, self.limits.max_decoded_bytes)?;
        self.spent.set(spent);
        Ok(decoded)
    }

    /// The content of `/Contents`, a stream or an array of streams; `None` where some of it does not decode.
    pub(super) fn contents(&self, contents: &Object) -> Result<Option<Vec<Vec<u8>>>, DocumentError> {
        let resolved = self.objects.resolve(contents)?;
        let one = std::slice::from_ref(contents);
        let parts = resolved.as_array().unwrap_or(one);
        let mut out = Vec::with_capacity(parts.len());
        for part in parts {
            let part = self.objects.resolve(part)?;
            let Some(stream) = part.as_stream() else { continue };
            let Some(content) = self.content(stream)? else { return Ok(None) };
            out.push(content);
        }
        Ok(Some(out))
    }

    /// The content of one stream; `None` where it does not decode to its end.
    pub(super) fn content(&self, stream: &Stream) -> Result<Option<Vec<u8>>, DocumentError> {
        let decoded = self.decode(stream)?;
        Ok((decoded.intact && decoded.stopped_at.is_none()).then_some(decoded.bytes))
    }
}

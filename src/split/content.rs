//! Decoded content streams (ISO 32000-2, 7.8.2).

use crate::document::object::{Object, Stream};
use crate::document::objects::Objects;
use crate::document::{DocumentError, filter};
use crate::limits::{Limit, LimitExceeded, Limits};
use std::borrow::Cow;
use std::cell::Cell;

/// Bytes of one page's content that are held at once. 64 MB; what comes after counts as of an unknown filter, so that
/// twenty parts below `max_stream_bytes` do not fill the memory.
const MAX_HELD_BYTES: usize = 64 << 20;

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

    /// Decodes a stream. One that decodes to more than a limit counts as one whose filter is unknown: what needs its
    /// content does without.
    pub(super) fn decode<'s>(&self, stream: &'s Stream) -> Result<filter::Decoded<'s>, DocumentError> {
        let filters = filter::filters_of(&stream.dictionary, &mut |value| Ok((*self.objects.resolve(value)?).clone()))?;
        let decoded = match filter::decode(&stream.data, &filters, self.limits) {
            Err(DocumentError::Limit(limit)) if limit.which == Limit::DecodedBytes => return Err(limit.into()),
            Err(DocumentError::Limit(_) | DocumentError::Damaged { .. }) => {
                filter::Decoded { bytes: Cow::default(), intact: true, exact: false, stopped_at: Some(0) }
            }
            other => other?,
        };
        self.spend(decoded.bytes.len() as u64)?;
        Ok(decoded)
    }

    /// Counts bytes that were decoded, also for an earlier page.
    pub(super) fn spend(&self, bytes: u64) -> Result<(), DocumentError> {
        let spent = self.spent.get().saturating_add(bytes);
        LimitExceeded::check(Limit::DecodedBytes, spent, self.limits.max_decoded_bytes)?;
        self.spent.set(spent);
        Ok(())
    }

    /// The streams of `/Contents`, a stream or an array of streams, decoded.
    pub(super) fn contents(&self, contents: &Object) -> Result<Vec<Content>, DocumentError> {
        let resolved = self.objects.resolve(contents)?;
        let one = std::slice::from_ref(contents);
        let parts = resolved.as_array().unwrap_or(one);
        let mut out = Vec::with_capacity(parts.len());
        let mut held = 0_usize;
        for part in parts {
            let part = self.objects.resolve(part)?;
            let Some(stream) = part.as_stream() else { continue };
            let content = if held > MAX_HELD_BYTES { Content::Unknown } else { self.content(stream)? };
            held = held.saturating_add(content.bytes().len());
            out.push(content);
        }
        Ok(out)
    }

    /// The content of one stream.
    pub(super) fn content(&self, stream: &Stream) -> Result<Content, DocumentError> {
        let decoded = self.decode(stream)?;
        Ok(match decoded {
            filter::Decoded { stopped_at: Some(_), .. } => Content::Unknown,
            // Deflated data whose filter was lost: no content begins with these bytes.
            filter::Decoded { bytes, .. } if is_deflated(&bytes) => Content::Damaged(bytes.into_owned()),
            filter::Decoded { intact: false, bytes, .. } => Content::Damaged(bytes.into_owned()),
            filter::Decoded { bytes, .. } => Content::Whole(bytes.into_owned()),
        })
    }
}

/// Whether data begins as what zlib writes by default (RFC 1950), at one of its levels.
fn is_deflated(data: &[u8]) -> bool {
    matches!(data, [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..])
}

/// What a content stream decodes to.
pub(super) enum Content {
    /// All of it.
    Whole(Vec<u8>),
    /// The part before the damage.
    Damaged(Vec<u8>),
    /// A filter is unknown.
    Unknown,
}

impl Content {
    /// The bytes that could be decoded.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) | Self::Damaged(bytes) => bytes,
            Self::Unknown => &[],
        }
    }
}

//! Decodes content streams (ISO 32000-2, 7.8.2), and mends them for engines.

mod damage;

use super::error::DocumentError;
use super::filter;
use super::object::{Object, Stream};
use super::objects::Objects;
pub(crate) use damage::without_damage;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::borrow::Cow;
use std::cell::Cell;

/// Content of one page that is held in memory at once. Parts beyond it are treated as undecodable.
const MAX_HELD_BYTES: usize = 64 << 20;

/// Decodes streams and counts the decoded bytes.
pub struct ContentDecoder<'a> {
    objects: &'a dyn Objects,
    limits: &'a Limits,
    decoded_bytes: Cell<u64>,
}

impl<'a> ContentDecoder<'a> {
    pub fn new(objects: &'a dyn Objects, limits: &'a Limits) -> Self {
        Self { objects, limits, decoded_bytes: Cell::new(0) }
    }

    /// Decodes a stream. If it exceeds a limit of one stream or is damaged, it counts as having an unknown filter.
    pub fn decode<'s>(&self, stream: &'s Stream) -> Result<filter::DecodedData<'s>, DocumentError> {
        let filters = filter::filters_of(&stream.dictionary, &mut |value| Ok((*self.objects.resolve(value)?).clone()))?;
        let decoded = match filter::decode(&stream.data, &filters, self.limits) {
            Err(DocumentError::Limit(limit)) if limit.which == Limit::DecodedBytes => return Err(limit.into()),
            Err(DocumentError::Limit(_) | DocumentError::Damaged { .. }) => {
                filter::DecodedData { bytes: Cow::default(), is_intact: true, is_exact: false, stopped_at: Some(0) }
            }
            other => other?,
        };
        self.count_decoded(decoded.bytes.len() as u64)?;
        Ok(decoded)
    }

    /// Counts decoded bytes, including those that were decoded for an earlier page.
    pub fn count_decoded(&self, bytes: u64) -> Result<(), DocumentError> {
        let decoded_bytes = self.decoded_bytes.get().saturating_add(bytes);
        LimitExceeded::check(Limit::DecodedBytes, decoded_bytes, self.limits.max_decoded_bytes)?;
        self.decoded_bytes.set(decoded_bytes);
        Ok(())
    }

    /// Decodes the streams of `/Contents`, which is a stream or an array of streams.
    pub fn contents(&self, contents: &Object) -> Result<Vec<DecodedContent>, DocumentError> {
        let resolved = self.objects.resolve(contents)?;
        let one = std::slice::from_ref(contents);
        let parts = resolved.as_array().unwrap_or(one);
        let mut out = Vec::with_capacity(parts.len());
        let mut held_bytes = 0_usize;
        for part in parts {
            let part = self.objects.resolve(part)?;
            let Some(stream) = part.as_stream() else { continue };
            let content = if held_bytes > MAX_HELD_BYTES { DecodedContent::Unknown } else { self.content(stream)? };
            held_bytes = held_bytes.saturating_add(content.bytes().len());
            out.push(content);
        }
        Ok(out)
    }

    pub fn content(&self, stream: &Stream) -> Result<DecodedContent, DocumentError> {
        let decoded = self.decode(stream)?;
        Ok(match decoded {
            filter::DecodedData { stopped_at: Some(_), .. } => DecodedContent::Unknown,
            // Deflated data without its filter: no content stream begins with these bytes.
            filter::DecodedData { bytes, .. } if is_deflated(&bytes) => DecodedContent::Damaged(bytes.into_owned()),
            filter::DecodedData { is_intact: false, bytes, .. } => DecodedContent::Damaged(bytes.into_owned()),
            filter::DecodedData { bytes, .. } => DecodedContent::Whole(bytes.into_owned()),
        })
    }
}

/// Whether data begins with a usual zlib header (RFC 1950).
fn is_deflated(data: &[u8]) -> bool {
    matches!(data, [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..])
}

/// The decoded data of a content stream.
pub enum DecodedContent {
    /// The data decodes to its end.
    Whole(Vec<u8>),
    /// The data is damaged; these bytes precede the damage.
    Damaged(Vec<u8>),
    /// The data cannot be decoded.
    Unknown,
}

impl DecodedContent {
    /// The decoded bytes.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Whole(bytes) | Self::Damaged(bytes) => bytes,
            Self::Unknown => &[],
        }
    }
}

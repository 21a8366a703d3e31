//! Request bodies whose binary data becomes base64 only while it is sent.
//!
//! The JSON is serialized with a mark for each piece of data, then split at the marks. So a request holds its raw data
//! once, without base64 copies.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

/// The mark. Unicode assigns no such character; [`without_marks`] removes it from all texts.
const MARK: char = '\u{10FFFF}';

/// Bytes of data encoded at a time; a multiple of three, so that only the last piece is padded.
const STRIDE: usize = 48 * 1024;

/// Standard base64 with padding.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Appends the standard base64 of `bytes` to `out`.
pub fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    base64_simd::STANDARD.encode_append(bytes, out);
}

/// A JSON string that stands for `prefix` and data.
pub(super) fn data_after(prefix: &str) -> Value {
    Value::String(format!("{prefix}{MARK}"))
}

/// Replaces characters that would be taken for a mark.
pub(super) fn without_marks(text: &str) -> String {
    text.replace(MARK, "\u{FFFD}")
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RequestBody {
    segments: Vec<BodySegment>,
}

#[derive(Debug, Clone)]
enum BodySegment {
    Json(Bytes),
    Data(Bytes),
}

impl RequestBody {
    /// Serializes `value`, and fills its marks with `data` in order.
    pub(super) fn of(value: &Value, data: &[Bytes]) -> Self {
        let json = value.to_string();
        let mut body = Self::default();
        let mut data = data.iter();
        for (at, text) in json.split(MARK).enumerate() {
            if at > 0 {
                body.segments.extend(data.next().cloned().map(BodySegment::Data));
            }
            body.segments.push(BodySegment::Json(Bytes::copy_from_slice(text.as_bytes())));
        }
        body
    }

    /// Bytes of the whole.
    pub(super) fn len(&self) -> u64 {
        self.segments.iter().map(BodySegment::len).fold(0, u64::saturating_add)
    }

    /// The body in pieces of moderate size.
    pub(super) fn pieces(&self) -> RequestBodyPieces {
        RequestBodyPieces { segments: self.segments.clone().into_iter(), data: Bytes::new() }
    }
}

impl BodySegment {
    fn len(&self) -> u64 {
        match self {
            Self::Json(json) => json.len() as u64,
            Self::Data(data) => base64_length(data.len() as u64),
        }
    }
}

/// Length of the base64 of this many bytes.
#[must_use]
pub fn base64_length(bytes: u64) -> u64 {
    bytes.div_ceil(3).saturating_mul(4)
}

/// See [`RequestBody::pieces`].
#[derive(Debug)]
pub(super) struct RequestBodyPieces {
    segments: std::vec::IntoIter<BodySegment>,
    data: Bytes,
}

impl Iterator for RequestBodyPieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        loop {
            if !self.data.is_empty() {
                let piece = self.data.split_to(self.data.len().min(STRIDE));
                return Some(Bytes::from(base64(&piece)));
            }
            match self.segments.next()? {
                BodySegment::Json(json) if json.is_empty() => {}
                BodySegment::Json(json) => return Some(json),
                BodySegment::Data(data) => self.data = data,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(body: &RequestBody) -> Vec<u8> {
        let bytes = body.pieces().flatten().collect::<Vec<_>>();
        assert_eq!(bytes.len() as u64, body.len());
        bytes
    }

    #[test]
    fn data_stands_where_it_was_marked() {
        let value =
            json!({ "a": data_after("data:x;base64,"), "b": [data_after(""), without_marks("\u{10FFFF}\"\\u0000")] });
        let body = RequestBody::of(&value, &[Bytes::from_static(b"one"), Bytes::from_static(b"three")]);
        let back: Value = serde_json::from_slice(&written(&body)).unwrap_or_default();
        assert_eq!(back, json!({ "a": "data:x;base64,b25l", "b": ["dGhyZWU=", "\u{FFFD}\"\\u0000"] }));
    }

    #[test]
    fn pieces_are_one_base64() {
        for length in [0, 1, STRIDE - 1, STRIDE, STRIDE + 1, 3 * STRIDE + 2] {
            let data = Bytes::from((0..=250).cycle().take(length).collect::<Vec<u8>>());
            let body = RequestBody::of(&data_after(""), std::slice::from_ref(&data));
            assert_eq!(written(&body), format!("\"{}\"", base64(&data)).into_bytes());
        }
    }
}

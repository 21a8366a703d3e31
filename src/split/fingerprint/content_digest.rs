//! Hashes a page's content streams as one (ISO 32000-2, 7.8.2), however the content is divided.
//!
//! Some readers end a token at the end of a stream, others continue it in the next. So a boundary is ignored only where
//! white space separates two tokens. Elsewhere its position counts.

use super::object_digests::{ObjectDigests, hash_tagged};
use super::stream_data::StreamData;
use blake3::{Hash, Hasher};
use pagewise_document::DocumentError;
use pagewise_document::lexer::{is_regular, is_white_space};
use pagewise_document::object::Object;

/// The hash of the value of `/Contents`.
pub(super) fn content_digest(digests: &mut ObjectDigests<'_>, contents: &Object) -> Result<Hash, DocumentError> {
    let objects = digests.objects;
    let resolved = objects.resolve(contents)?;
    let streams = resolved.as_array().unwrap_or(std::slice::from_ref(contents));
    let mut content = ContentHasher::new(streams.len() > 1);
    for element in streams {
        let object = objects.resolve(element)?;
        let Some(stream) = object.as_stream() else { continue };
        if let StreamData::Decoded(bytes) = digests.streams.read(stream)? {
            content.add(&bytes);
            continue;
        }
        let undecoded = digests.digest_tree(&object)?;
        content.add_undecoded(undecoded);
    }
    Ok(content.finish())
}

/// The content streams of `/Contents` as one; `None` if one does not decode, or a boundary between two counts.
pub(super) fn join_contents(digests: &ObjectDigests<'_>, contents: &Object) -> Result<Option<Vec<u8>>, DocumentError> {
    let objects = digests.objects;
    let resolved = objects.resolve(contents)?;
    let streams = resolved.as_array().unwrap_or(std::slice::from_ref(contents));
    let (mut content, mut joined) = (ContentHasher::new(streams.len() > 1), Vec::new());
    for element in streams {
        let object = objects.resolve(element)?;
        let Some(stream) = object.as_stream() else { continue };
        let StreamData::Decoded(bytes) = digests.streams.read(stream)? else { return Ok(None) };
        content.add(&bytes);
        joined.extend(joined.last().filter(|last| !bytes.is_empty() && !is_white_space(**last)).map(|_| b'\n'));
        joined.extend_from_slice(&bytes);
    }
    Ok((!content.has_marks).then_some(joined))
}

/// The hash of concatenated content streams.
struct ContentHasher {
    decoded: Hasher,
    /// The positions of boundaries that count, and of streams that cannot be decoded.
    marks: Hasher,
    has_marks: bool,
    length: u64,
    /// The last byte of the previous stream.
    last: Option<u8>,
    /// The token at the end of the content so far; `None` if there is only one stream.
    token: Option<TokenState>,
}

impl ContentHasher {
    fn new(has_several_streams: bool) -> Self {
        let token = has_several_streams.then_some(TokenState::Between);
        Self { decoded: Hasher::new(), marks: Hasher::new(), has_marks: false, length: 0, last: None, token }
    }

    fn add(&mut self, stream: &[u8]) {
        let (Some(first), Some(last)) = (stream.first(), stream.last()) else { return };
        if let Some(before) = self.last.replace(*last) {
            let is_separated = is_white_space(before) || is_white_space(*first);
            if !is_separated || !self.token.is_some_and(TokenState::is_outside) {
                hash_tagged(&mut self.marks, b'|', &self.length.to_le_bytes());
                self.has_marks = true;
            }
            if !is_white_space(before) {
                self.put(b"\n");
            }
        }
        self.put(stream);
    }

    fn add_undecoded(&mut self, digest: Hash) {
        hash_tagged(&mut self.marks, b'|', &self.length.to_le_bytes());
        hash_tagged(&mut self.marks, b'u', digest.as_bytes());
        self.token = Some(TokenState::Unknown);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.decoded.update(bytes);
        self.length = self.length.saturating_add(bytes.len() as u64);
        self.token = self.token.map(|token| bytes.iter().fold(token, |token, byte| token.after(*byte)));
    }

    fn finish(mut self) -> Hash {
        self.decoded.update(self.marks.finalize().as_bytes());
        self.decoded.finalize()
    }
}

/// The token that contains a byte of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenState {
    /// No token.
    Between,
    /// A token of regular characters.
    Regular(IdMatch),
    String {
        depth: u32,
        is_escaped: bool,
    },
    /// After one `<`.
    Less,
    Hexadecimal,
    Comment,
    /// Unknown, after the start of an inline image, whose end only its filter knows, or after data that cannot be decoded.
    Unknown,
}

/// How much of a token matches the operator `ID`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdMatch {
    I,
    Id,
    Other,
}

impl TokenState {
    /// Whether white space here separates tokens.
    fn is_outside(self) -> bool {
        matches!(self, Self::Between | Self::Regular(_))
    }

    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Unknown, _) => Self::Unknown,
            (Self::Regular(IdMatch::Id), _) if !is_regular(byte) => Self::Unknown,
            (Self::Between | Self::Regular(_), _) => self.after_outside(byte),
            (Self::String { depth, is_escaped }, _) => Self::within_string(depth, is_escaped, byte),
            (Self::Less, b'<' | b'>') | (Self::Hexadecimal, b'>') | (Self::Comment, b'\r' | b'\n') => Self::Between,
            (Self::Less | Self::Hexadecimal, _) => Self::Hexadecimal,
            (Self::Comment, _) => Self::Comment,
        }
    }

    fn after_outside(self, byte: u8) -> Self {
        match (self, byte) {
            (_, b'(') => Self::String { depth: 1, is_escaped: false },
            (_, b'<') => Self::Less,
            (_, b'%') => Self::Comment,
            (Self::Between, b'I') => Self::Regular(IdMatch::I),
            (Self::Regular(IdMatch::I), b'D') => Self::Regular(IdMatch::Id),
            _ if is_regular(byte) => Self::Regular(IdMatch::Other),
            _ => Self::Between,
        }
    }

    fn within_string(depth: u32, is_escaped: bool, byte: u8) -> Self {
        let depth = match byte {
            _ if is_escaped => depth,
            b'(' => depth.saturating_add(1),
            b')' => depth.saturating_sub(1),
            _ => depth,
        };
        let is_escaped = byte == b'\\' && !is_escaped;
        if depth == 0 { Self::Between } else { Self::String { depth, is_escaped } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(streams: &[&str]) -> Hash {
        let mut content = ContentHasher::new(streams.len() > 1);
        streams.iter().for_each(|stream| content.add(stream.as_bytes()));
        content.finish()
    }

    #[test]
    fn content_is_one_where_white_space_parts_it() {
        let whole = digest(&["q 1 0 0 1 0 0 cm\nBT (a) Tj ET\nQ"]);
        assert_eq!(digest(&["q 1 0 0 1 0 0 cm\n", "BT (a) Tj ET\nQ"]), whole);
        assert_eq!(digest(&["q 1 0 0 1 0 0 cm\n", "", "BT (a) Tj ET\n", "Q"]), whole);
        assert_ne!(digest(&["q 1 0 0 1 0 0 cm\nBT (b) Tj ET\nQ"]), whole);
    }

    #[test]
    fn a_boundary_within_a_token_counts() {
        for (streams, whole) in [
            (["1", "0 g"], "1\n0 g"),
            (["(a", "b) Tj"], "(a\nb) Tj"),
            (["(a\n", "b) Tj"], "(a\nb) Tj"),
            (["(a\\)\n", ") Tj"], "(a\\)\n) Tj"),
            (["<41\n", "42> Tj"], "<41\n42> Tj"),
            (["% a ", "b\n"], "% a b\n"),
            (["BI /W 1 ID x ", "y EI"], "BI /W 1 ID x y EI"),
        ] {
            assert_ne!(digest(&streams), digest(&[whole]), "{streams:?}");
        }
        assert_eq!(digest(&["[<</A(b)>>] (\\() Tj ", "q"]), digest(&["[<</A(b)>>] (\\() Tj q"]));
    }
}

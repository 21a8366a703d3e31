//! Hashes a page's content streams as one (ISO 32000-2, 7.8.2), however the content is divided.
//!
//! Some readers end a token at the end of a stream, others continue it in the next. So a boundary is ignored only where
//! white space separates two tokens. Elsewhere its position counts.

use super::digest::{Digests, tagged};
use super::stream_data::StreamData;
use crate::document::DocumentError;
use crate::document::lexer::{is_regular, is_white_space};
use crate::document::object::Object;
use blake3::{Hash, Hasher};

/// The hash of the value of `/Contents`.
pub(super) fn content_digest(digests: &mut Digests<'_>, contents: &Object) -> Result<Hash, DocumentError> {
    let objects = digests.objects;
    let resolved = objects.resolve(contents)?;
    let parts = resolved.as_array().unwrap_or(std::slice::from_ref(contents));
    let mut content = Content::new(parts.len() > 1);
    for part in parts {
        let part = objects.resolve(part)?;
        let Some(stream) = part.as_stream() else { continue };
        if let StreamData::Decoded(bytes) = digests.streams.read(stream)? {
            content.add(&bytes);
            continue;
        }
        let undecoded = digests.root(&part)?;
        content.add_undecoded(undecoded);
    }
    Ok(content.finish())
}

/// The hash of concatenated content streams.
struct Content {
    decoded: Hasher,
    /// The positions of boundaries that count, and of streams that cannot be decoded.
    marks: Hasher,
    length: u64,
    /// The last byte of the previous stream.
    last: Option<u8>,
    /// The token at the end of the content so far; `None` if there is only one stream.
    scan: Option<Scan>,
}

impl Content {
    fn new(has_several_parts: bool) -> Self {
        let scan = has_several_parts.then_some(Scan::Between);
        Self { decoded: Hasher::new(), marks: Hasher::new(), length: 0, last: None, scan }
    }

    fn add(&mut self, part: &[u8]) {
        let (Some(first), Some(last)) = (part.first(), part.last()) else { return };
        if let Some(before) = self.last.replace(*last) {
            let is_parted = is_white_space(before) || is_white_space(*first);
            if !is_parted || !self.scan.is_some_and(Scan::is_outside) {
                tagged(&mut self.marks, b'|', &self.length.to_le_bytes());
            }
            if !is_white_space(before) {
                self.put(b"\n");
            }
        }
        self.put(part);
    }

    fn add_undecoded(&mut self, digest: Hash) {
        tagged(&mut self.marks, b'|', &self.length.to_le_bytes());
        tagged(&mut self.marks, b'u', digest.as_bytes());
        self.scan = Some(Scan::Unknown);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.decoded.update(bytes);
        self.length = self.length.saturating_add(bytes.len() as u64);
        self.scan = self.scan.map(|scan| bytes.iter().fold(scan, |scan, byte| scan.after(*byte)));
    }

    fn finish(mut self) -> Hash {
        self.decoded.update(self.marks.finalize().as_bytes());
        self.decoded.finalize()
    }
}

/// The token that contains a byte of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scan {
    /// No token.
    Between,
    /// A token of regular characters.
    Regular(Word),
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
enum Word {
    I,
    Id,
    Other,
}

impl Scan {
    /// Whether white space here separates tokens.
    fn is_outside(self) -> bool {
        matches!(self, Self::Between | Self::Regular(_))
    }

    fn after(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Unknown, _) => Self::Unknown,
            (Self::Regular(Word::Id), _) if !is_regular(byte) => Self::Unknown,
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
            (Self::Between, b'I') => Self::Regular(Word::I),
            (Self::Regular(Word::I), b'D') => Self::Regular(Word::Id),
            _ if is_regular(byte) => Self::Regular(Word::Other),
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

    fn digest(parts: &[&str]) -> Hash {
        let mut content = Content::new(parts.len() > 1);
        parts.iter().for_each(|part| content.add(part.as_bytes()));
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
        for (parts, whole) in [
            (["1", "0 g"], "1\n0 g"),
            (["(a", "b) Tj"], "(a\nb) Tj"),
            (["(a\n", "b) Tj"], "(a\nb) Tj"),
            (["(a\\)\n", ") Tj"], "(a\\)\n) Tj"),
            (["<41\n", "42> Tj"], "<41\n42> Tj"),
            (["% a ", "b\n"], "% a b\n"),
            (["BI /W 1 ID x ", "y EI"], "BI /W 1 ID x y EI"),
        ] {
            assert_ne!(digest(&parts), digest(&[whole]), "{parts:?}");
        }
        assert_eq!(digest(&["[<</A(b)>>] (\\() Tj ", "q"]), digest(&["[<</A(b)>>] (\\() Tj q"]));
    }
}

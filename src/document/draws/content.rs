//! What content names and shows, by a look at its bytes: no less than an interpreter finds.

use super::images::{Extent, inline_images};
use super::shown::{ByFont, Shown};
use memchr::memchr_iter;
use std::collections::HashMap;

/// How exactly it is counted what is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// In whatever font: by a look at the strings, as most pages can be let through.
    InAnyFont,
    /// In each font by itself: by a look at every token.
    ByFont,
}

/// What one piece of content, or several in a row, have in them.
#[derive(Default)]
pub(super) struct Named {
    /// How often each name stands there: no less often than it is drawn.
    counts: HashMap<Vec<u8>, u64>,
    /// How often each byte stands in a string: no less often than it is shown, in whatever font.
    shown: Shown,
    /// The same for each font, where that was asked for and can be told.
    by_font: Option<ByFont>,
    /// All inline images.
    pub(super) inline: Extent,
}

impl Named {
    /// Of nothing so far.
    pub(super) fn new(counting: Counting) -> Self {
        Self { by_font: (counting == Counting::ByFont).then(ByFont::default), ..Self::default() }
    }

    /// Of one piece.
    pub(super) fn of(content: &[u8], counting: Counting) -> Self {
        let mut named = Self::new(counting);
        named.add(content);
        named
    }

    /// Adds another piece. No token goes on from one piece to the next.
    pub(super) fn add(&mut self, content: &[u8]) {
        for at in memchr_iter(b'/', content) {
            let rest = content.get(at + 1..).unwrap_or_default();
            let end = rest.iter().position(|byte| is_delimiter(*byte)).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default();
            *self.counts.entry(unescaped(name)).or_insert(0) += 1;
        }
        self.shown.add(content);
        self.by_font = self.by_font.take().and_then(|by_font| by_font.with(content));
        self.inline = self.inline.and(inline_images(content));
    }

    /// How often `name` stands there.
    pub(super) fn times(&self, name: &[u8]) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// How often the character `code` is shown in the simple font that content calls so; in any font, where it has no name.
    pub(super) fn shown(&self, font: Option<&[u8]>, code: u8) -> u64 {
        let by_font = self.by_font.as_ref().zip(font);
        by_font.map_or_else(|| self.shown.times(code), |(by_font, font)| by_font.times(font, code))
    }

    /// Whether nothing is named.
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

pub(super) fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, 0 | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// A name with its `#xx` as bytes (7.3.5).
pub(super) fn unescaped(name: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut at = 0;
    while let Some(byte) = name.get(at) {
        match (byte, digit(name.get(at + 1)), digit(name.get(at + 2))) {
            (b'#', Some(high), Some(low)) => {
                bytes.push(high * 16 + low);
                at += 3;
            }
            _ => {
                bytes.push(*byte);
                at += 1;
            }
        }
    }
    bytes
}

pub(super) fn digit(byte: Option<&u8>) -> Option<u8> {
    byte.and_then(|byte| char::from(*byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::{Counting, Named};

    #[test]
    fn names_are_counted_with_their_escapes() {
        let named = Named::of(b"/Fm1 Do /Fm1 Do/F#6d2 Do", Counting::InAnyFont);
        assert_eq!([named.times(b"Fm1"), named.times(b"Fm2"), named.times(b"Fm3")], [2, 1, 0]);
    }
}

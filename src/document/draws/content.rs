//! What content names and shows, by a look at its bytes: no less than an interpreter finds.

use super::images::{Extent, inline_images};
use memchr::{memchr, memchr_iter};
use std::collections::HashMap;

/// What one piece of content, or several in a row, have in them.
#[derive(Default)]
pub(super) struct Named {
    /// How often each name stands there: no less often than it is drawn.
    counts: HashMap<Vec<u8>, u64>,
    /// How often each byte stands in a string: no less often than it is shown, in whatever font.
    shown: Shown,
    /// All inline images.
    pub(super) inline: Extent,
}

impl Named {
    /// Of one piece.
    pub(super) fn of(content: &[u8]) -> Self {
        let mut named = Self::default();
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
        self.inline = self.inline.and(inline_images(content));
    }

    /// How often `name` stands there.
    pub(super) fn times(&self, name: &[u8]) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// How often the character `code` of a simple font is shown.
    pub(super) fn shown(&self, code: u8) -> u64 {
        self.shown.0.get(usize::from(code)).copied().unwrap_or(0)
    }

    /// Whether nothing is named.
    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}

/// Bytes of strings, each by itself.
struct Shown([u64; 256]);

impl Default for Shown {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Shown {
    /// Strings of both kinds are looked for as if there were no others: what looks like the beginning of one, in the data of
    /// an inline image, must hide none of the other kind.
    fn add(&mut self, content: &[u8]) {
        let mut rest = content;
        while let Some(start) = memchr(b'(', rest) {
            rest = self.literal(rest.get(start + 1..).unwrap_or_default());
        }
        for start in memchr_iter(b'<', content) {
            self.hexadecimal(content.get(start + 1..).unwrap_or_default());
        }
    }

    fn count(&mut self, byte: u8) {
        self.0.get_mut(usize::from(byte)).into_iter().for_each(|count| *count += 1);
    }

    /// A string in parentheses (7.3.4.2) from its first byte on; what is left after it.
    fn literal<'a>(&mut self, string: &'a [u8]) -> &'a [u8] {
        let (mut at, mut depth) = (0, 1_u64);
        while let Some(&byte) = string.get(at) {
            at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\\' => {
                    let digits = string.get(at..).unwrap_or_default();
                    let digits = digits.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
                    let (length, code) = digits
                        .fold((0, 0_u32), |(length, code), digit| (length + 1, code * 8 + u32::from(digit - b'0')));
                    if length > 0 {
                        // The high bit of \777 is of no account.
                        self.count(u8::try_from(code & 255).unwrap_or(0));
                    } else {
                        string.get(at).into_iter().for_each(|byte| self.count(*byte));
                    }
                    at += length.max(1);
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.count(byte);
        }
        string.get(at..).unwrap_or_default()
    }

    /// A string of digits (7.3.4.3), up to its end or to where another begins.
    fn hexadecimal(&mut self, string: &[u8]) {
        let mut high = None;
        for byte in string.iter().take_while(|byte| !matches!(byte, b'<' | b'>')) {
            let Some(digit) = digit(Some(byte)) else { continue };
            match high.take() {
                None => high = Some(digit),
                Some(high) => self.count(high << 4 | digit),
            }
        }
        high.into_iter().for_each(|high| self.count(high << 4));
    }
}

pub(super) fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, 0 | b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// A name with its `#xx` as bytes (7.3.5).
fn unescaped(name: &[u8]) -> Vec<u8> {
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

fn digit(byte: Option<&u8>) -> Option<u8> {
    byte.and_then(|byte| char::from(*byte).to_digit(16)).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::Named;

    #[test]
    fn names_are_counted_with_their_escapes() {
        let named = Named::of(b"/Fm1 Do /Fm1 Do/F#6d2 Do");
        assert_eq!([named.times(b"Fm1"), named.times(b"Fm2"), named.times(b"Fm3")], [2, 1, 0]);
    }

    #[test]
    fn what_is_shown_is_counted_however_it_is_written() {
        let named = Named::of(b"(a(a)\\141\\)) Tj <6161 6> Tj [(a) 9 (b)] TJ");
        assert_eq!([named.shown(b'a'), named.shown(b'b'), named.shown(b')'), named.shown(0x60)], [6, 1, 2, 1]);
    }

    #[test]
    fn what_looks_like_a_string_hides_none() {
        let named = Named::of(b"BI ID ( EI <6161> Tj (<6) Tj <61> Tj");
        assert!(named.shown(b'a') >= 3);
        assert!(Named::of(b"( EI (aaa) Tj").shown(b'a') >= 3);
    }
}

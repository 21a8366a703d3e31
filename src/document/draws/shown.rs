//! How often characters are shown: in whatever font by a look at strings, or in each font by a look at all tokens.

use super::content::{digit, is_delimiter, unescaped};
use memchr::{memchr, memchr_iter};
use std::collections::HashMap;

/// Bytes of strings, each by itself.
pub(super) struct Shown([u64; 256]);

impl Default for Shown {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Shown {
    /// Strings of both kinds are looked for as if there were no others: what looks like the beginning of one, in the data of
    /// an inline image, must hide none of the other kind.
    pub(super) fn add(&mut self, content: &[u8]) {
        let mut rest = content;
        while let Some(start) = memchr(b'(', rest) {
            rest = self.literal(rest.get(start + 1..).unwrap_or_default()).unwrap_or_default();
        }
        for start in memchr_iter(b'<', content) {
            self.hexadecimal(content.get(start + 1..).unwrap_or_default());
        }
    }

    /// How often `code` is shown.
    pub(super) fn times(&self, code: u8) -> u64 {
        self.0.get(usize::from(code)).copied().unwrap_or(0)
    }

    fn count(&mut self, byte: u8) {
        self.0.get_mut(usize::from(byte)).into_iter().for_each(|count| *count += 1);
    }

    /// A string in parentheses (7.3.4.2) from its first byte on; what is left after it, where it has an end.
    fn literal<'a>(&mut self, string: &'a [u8]) -> Option<&'a [u8]> {
        let (mut at, mut depth) = (0, 1_u64);
        while let Some(&byte) = string.get(at) {
            at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\\' => {
                    at += self.escape(string.get(at..).unwrap_or_default());
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                return string.get(at..);
            }
            self.count(byte);
        }
        None
    }

    /// What a reverse solidus is followed by; its length.
    fn escape(&mut self, rest: &[u8]) -> usize {
        let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
        let (length, code) =
            digits.fold((0, 0_u32), |(length, code), digit| (length + 1, code * 8 + u32::from(digit - b'0')));
        if length > 0 {
            // The high bit of \777 is of no account.
            self.count(u8::try_from(code & 255).unwrap_or(0));
        } else {
            rest.first().into_iter().for_each(|byte| self.count(*byte));
        }
        length.max(1)
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

/// Fonts that are told apart.
const MAX_FONTS: usize = 500;

/// Saved states that are kept; engines end sooner.
const MAX_SAVED: usize = 100_000;

/// The font that content shows its strings in, as the place in [`ByFont::fonts`]; `None` is one that it did not choose itself.
type Font = Option<usize>;

/// What is shown in each font that content chooses. Whatever readers may take otherwise, an inline image among it, makes it
/// impossible to tell: what is told apart wrongly would be counted too low.
#[derive(Default)]
pub(super) struct ByFont {
    names: HashMap<Vec<u8>, usize>,
    fonts: Vec<Shown>,
    /// What is shown in a font that was chosen elsewhere: it may be any.
    other: Shown,
    current: Font,
    saved: Vec<Font>,
    operands: Operands,
}

/// A token of content, as far as it matters here.
enum Operand {
    Name(Vec<u8>),
    Number,
    Other,
}

/// What stands before an operator, be it in an earlier piece.
#[derive(Default)]
struct Operands {
    first: Option<Operand>,
    second: Option<Operand>,
    count: usize,
    /// Arrays and dictionaries that are open.
    depth: usize,
}

impl Operands {
    fn push(&mut self, operand: Operand) {
        if self.depth > 0 {
            return;
        }
        match self.count {
            0 => self.first = Some(operand),
            1 => self.second = Some(operand),
            _ => {}
        }
        self.count = self.count.saturating_add(1);
    }

    fn open(&mut self) {
        self.push(Operand::Other);
        self.depth += 1;
    }
}

impl ByFont {
    /// How often `code` is shown in the font that is called so.
    pub(super) fn times(&self, font: &[u8], code: u8) -> u64 {
        let own = self.names.get(font).and_then(|at| self.fonts.get(*at)).map_or(0, |shown| shown.times(code));
        own.saturating_add(self.other.times(code))
    }

    /// The same with another piece of content; `None` where it cannot be told.
    pub(super) fn with(mut self, content: &[u8]) -> Option<Self> {
        let mut rest = content;
        while let Some((&byte, after)) = rest.split_first() {
            rest = match (byte, after.first()) {
                (0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ', _) => after,
                (b'(', _) => {
                    self.operands.push(Operand::Other);
                    self.shown().literal(after)?
                }
                (b'<', Some(b'<')) | (b'[', _) => {
                    self.operands.open();
                    after.get(usize::from(byte == b'<')..)?
                }
                (b'>', Some(b'>')) | (b']', _) => {
                    self.operands.depth = self.operands.depth.checked_sub(1)?;
                    after.get(usize::from(byte == b'>')..)?
                }
                (b'<', _) => {
                    self.operands.push(Operand::Other);
                    let (digits, after) = after.split_at_checked(memchr(b'>', after)?)?;
                    digits.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace()).then_some(())?;
                    self.shown().hexadecimal(digits);
                    after.get(1..)?
                }
                (b'/', _) => {
                    let (name, after) = token(after)?;
                    self.operands.push(Operand::Name(unescaped(name)));
                    after
                }
                (b'%' | b'>' | b')' | b'{' | b'}', _) => return None,
                (b'0'..=b'9' | b'+' | b'-' | b'.', _) => {
                    let (number, after) = token(rest)?;
                    is_number(number).then_some(())?;
                    self.operands.push(Operand::Number);
                    after
                }
                _ => {
                    let (operator, after) = token(rest)?;
                    self.operator(operator)?;
                    after
                }
            };
        }
        Some(self)
    }

    fn operator(&mut self, operator: &[u8]) -> Option<()> {
        if let b"true" | b"false" | b"null" = operator {
            self.operands.push(Operand::Other);
            return Some(());
        }
        let Operands { first, second, count, depth } = std::mem::take(&mut self.operands);
        if depth > 0 {
            return None;
        }
        match (operator, first, second, count) {
            (b"Tf", Some(Operand::Name(name)), Some(Operand::Number), 2) => self.choose(name)?,
            (b"Tf" | b"BI" | b"ID" | b"EI", ..) => return None,
            (b"q", ..) if self.saved.len() < MAX_SAVED => self.saved.push(self.current),
            (b"q", ..) => return None,
            (b"Q", ..) => self.current = self.saved.pop().flatten(),
            _ => {}
        }
        Some(())
    }

    fn choose(&mut self, name: Vec<u8>) -> Option<()> {
        let next = self.fonts.len();
        let at = *self.names.entry(name).or_insert(next);
        if at == next {
            if next == MAX_FONTS {
                return None;
            }
            self.fonts.push(Shown::default());
        }
        self.current = Some(at);
        Some(())
    }

    fn shown(&mut self) -> &mut Shown {
        self.current.and_then(|at| self.fonts.get_mut(at)).unwrap_or(&mut self.other)
    }
}

/// The regular characters at the beginning, and what follows.
fn token(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = content.iter().position(|byte| is_delimiter(*byte)).unwrap_or(content.len());
    content.split_at_checked(end)
}

/// Whether no reader can take a token of digits for anything but one number.
fn is_number(token: &[u8]) -> bool {
    let digits = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token);
    let points = digits.iter().filter(|byte| **byte == b'.').count();
    points <= 1 && digits.len() > points && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::super::content::{Counting, Named};

    fn shown(content: &[u8], font: Option<&[u8]>, code: u8) -> u64 {
        Named::of(content, Counting::ByFont).shown(font, code)
    }

    #[test]
    fn what_is_shown_is_counted_however_it_is_written() {
        let content = b"(a(a)\\141\\)) Tj <6161 6> Tj [(a) 9 (b)] TJ";
        let times = [b'a', b'b', b')', 0x60].map(|code| shown(content, None, code));
        assert_eq!(times, [6, 1, 2, 1]);
    }

    #[test]
    fn what_looks_like_a_string_hides_none() {
        assert!(shown(b"BI ID ( EI <6161> Tj (<6) Tj <61> Tj", None, b'a') >= 3);
        assert!(shown(b"( EI (aaa) Tj", None, b'a') >= 3);
    }

    #[test]
    fn each_font_shows_its_own_strings() {
        let content = b"(a) Tj BT /F 9 Tf (aa) Tj q /G#31 -.5 Tf [(aaa) 9 <6161>] TJ Q (aa) Tj Q (aaaaaaa) Tj ET";
        let times = [b"F".as_slice(), b"G1", b"H"].map(|font| shown(content, Some(font), b'a'));
        // What is shown in none of them may be shown in any.
        assert_eq!(times, [8 + 4, 8 + 5, 8]);
        assert_eq!(shown(content, None, b'a'), 17);
    }

    #[test]
    fn what_readers_may_take_otherwise_is_shown_in_every_font() {
        let odd: [&[u8]; 12] = [
            b"BI /W 1 ID /G 9 Tf EI",
            b"[/G 9 Tf] TJ",
            b"<< /G 9 Tf >>",
            b"/F 9 /G Tf",
            b"/F /G 9 Tf",
            b"1 /G 9 Tf",
            b"/G 9Tf",
            b"/G 1-2 Tf",
            b"% /G 9 Tf\n",
            b") /G 9 Tf",
            b"<6z> Tj /G 9 Tf",
            b"/G 9 Tf (",
        ];
        for odd in odd {
            let content = [b"/F 9 Tf ".as_slice(), odd, b" (a) Tj"].concat();
            assert_eq!(shown(&content, Some(b"F"), b'a'), 1, "{}", odd.escape_ascii());
        }
        let mut parts = Named::new(Counting::ByFont);
        for part in [b"/F 9 Tf <</A".as_slice(), b"/B>> BDC (a) Tj [(a)", b"] TJ /G", b" 9 Tf (aaa) Tj"] {
            parts.add(part);
        }
        assert_eq!([b"F", b"G"].map(|font| parts.shown(Some(font), b'a')), [2, 3]);
        let many = (0..600).map(|at| format!("/F{at} 9 Tf (a) Tj ")).collect::<String>();
        assert_eq!(shown(many.as_bytes(), Some(b"F1"), b'a'), 600);
    }
}

//! Content streams that the engine reads to their end (ISO 32000-2, 7.8.2).
//!
//! The engine stops at a byte that begins no token, at an array that does not parse, at too many operands, and at a path
//! operator without its numbers, so that one wrong byte takes the rest of the page. Other readers skip what they cannot
//! read; here spaces replace it.

use crate::lexer::{Lexer, is_regular, is_white_space};
use hayro_syntax::content::{Instruction, UntypedIter};
use hayro_syntax::object::Object;
use std::borrow::Cow;
use std::ops::Range;

/// The most operands before an operator that the engine reads.
const MAX_OPERANDS: usize = 33;

/// How deep dictionaries among operands may nest.
const MAX_NESTING: u32 = 8;

/// The content with spaces for the damage that would end its reading; borrowed if there is none.
pub(crate) fn without_damage(content: &[u8]) -> Cow<'_, [u8]> {
    let mut mended = Cow::Borrowed(content);
    let (mut start, mut looked_at) = (0, None);
    while let Some(damage) = find_damage(&mended, start) {
        start = match damage {
            Damage::Numbers(ref instruction) => instruction.end,
            Damage::Operands(at) => at,
        };
        let unreadable = match damage {
            Damage::Numbers(instruction) => vec![instruction],
            // These operands were mended already and stop the engine again: what follows stays unread.
            Damage::Operands(at) if looked_at == Some(at) => break,
            Damage::Operands(at) => unreadable_operands(&mended, at),
        };
        looked_at = Some(start);
        if unreadable.is_empty() {
            break;
        }
        for range in unreadable {
            if let Some(bytes) = mended.to_mut().get_mut(range) {
                bytes.fill(b' ');
            }
        }
    }
    mended
}

/// What stops the engine.
enum Damage {
    /// A path instruction without its numbers.
    Numbers(Range<usize>),
    /// The operands that begin here.
    Operands(usize),
}

/// The first damage after `start`, where an instruction begins.
fn find_damage(content: &[u8], start: usize) -> Option<Damage> {
    let data = content.get(start..)?;
    let mut instructions = UntypedIter::new(data);
    let mut end = 0;
    while let Some(instruction) = instructions.next() {
        let before = end;
        end = end_of(&instruction, data).unwrap_or(before);
        if lacks_numbers(&instruction) {
            return Some(Damage::Numbers(start + before..start + end));
        }
    }
    let is_at_end = data.get(end..).is_none_or(|rest| rest.iter().all(|byte| is_white_space(*byte)));
    (!is_at_end).then(|| Damage::Operands(start + end))
}

/// The end of an instruction in the content that it was read from.
fn end_of(instruction: &Instruction<'_, '_>, content: &[u8]) -> Option<usize> {
    let end_in_content = |part: &[u8]| {
        let start = part.as_ptr().addr().checked_sub(content.as_ptr().addr())?;
        start.checked_add(part.len()).filter(|end| *end <= content.len())
    };
    match instruction.operands().last() {
        // An inline image ends with `EI`, after its data.
        Some(Object::Stream(image)) if &**instruction.operator == b"BI" => match image.raw_data() {
            Cow::Borrowed(data) => Some(end_in_content(data)? + b"EI".len()),
            Cow::Owned(_) => None,
        },
        _ => end_in_content(instruction.operator),
    }
}

/// Whether a path operator (table 58) does not follow its numbers.
fn lacks_numbers(instruction: &Instruction<'_, '_>) -> bool {
    let needed = match &**instruction.operator {
        b"m" | b"l" => 2,
        b"v" | b"y" | b"re" => 4,
        b"c" => 6,
        _ => return false,
    };
    let operands = instruction.operands();
    let mut numbers = 0;
    for operand in operands {
        numbers = if matches!(operand, Object::Number(_)) { numbers + 1 } else { 0 };
    }
    numbers < needed
}

/// The parts of the operands from `start` on that the engine cannot read.
fn unreadable_operands(content: &[u8], start: usize) -> Vec<Range<usize>> {
    let mut operands = Operands { content, at: start, found: Vec::new(), array: None, unreadable: Vec::new() };
    while operands.read_token() {}
    operands.finish(start)
}

struct Operands<'c> {
    content: &'c [u8],
    at: usize,
    /// Where each operand begins.
    found: Vec<usize>,
    /// Where an open array begins, and its index in `found`.
    array: Option<(usize, usize)>,
    unreadable: Vec<Range<usize>>,
}

impl Operands<'_> {
    /// Reads a token; false at an operator or the end.
    fn read_token(&mut self) -> bool {
        let mut lexer = Lexer::new(self.content, MAX_NESTING).at(self.at);
        lexer.skip_space();
        self.at = lexer.position();
        let start = self.at;
        let rest = self.content.get(start..).unwrap_or_default();
        let regular = rest.iter().take_while(|byte| is_regular(**byte)).count();
        let (length, is_readable) = match rest {
            [] => return false,
            [b'(', ..] => match lexer.object() {
                Ok(_) => (lexer.position() - start, true),
                Err(_) => return false,
            },
            [b'<', b'<', ..] => match lexer.object() {
                Ok(_) => (lexer.position() - start, true),
                Err(_) => (2, false),
            },
            [b'<', hexadecimal @ ..] => {
                let is_digit = |byte: &&u8| byte.is_ascii_hexdigit() || is_white_space(**byte);
                let digits = hexadecimal.iter().take_while(is_digit).count();
                if hexadecimal.get(digits) == Some(&b'>') { (digits + 2, true) } else { (1, false) }
            }
            [b'/', name @ ..] => (1 + name.iter().take_while(|byte| is_regular(**byte)).count(), true),
            [b'[', ..] if self.array.is_none() => {
                self.array = Some((start, self.found.len()));
                (1, true)
            }
            [b']', ..] if self.array.is_some() => {
                // The array is one operand.
                if let Some((_, index)) = self.array.take() {
                    self.found.truncate(index + 1);
                }
                self.at += 1;
                return true;
            }
            [b'.' | b'+' | b'-' | b'0'..=b'9', ..] => {
                let number = rest.get(1..regular).unwrap_or_default();
                (regular, number.iter().all(|byte| matches!(byte, b'.' | b'-' | b'0'..=b'9')))
            }
            _ if regular == 0 => (1, false),
            _ if self.array.is_none() || ends_array(rest.get(..regular).unwrap_or_default()) => return false,
            _ => (regular, false),
        };
        self.at += length;
        if is_readable {
            self.found.push(start);
        } else {
            self.unreadable.push(start..self.at);
        }
        true
    }

    fn finish(mut self, start: usize) -> Vec<Range<usize>> {
        if let Some((array, _)) = self.array {
            self.unreadable.push(array..array + 1);
        }
        if let Some(first) = self.found.len().checked_sub(MAX_OPERANDS).and_then(|at| self.found.get(at)) {
            self.unreadable.push(start..*first);
        }
        self.unreadable
    }
}

/// Whether an operator ends an array that was not closed: it stands after an array of strings, or begins the next line.
fn ends_array(token: &[u8]) -> bool {
    matches!(token, b"TJ" | b"Tj" | b"Td" | b"TD" | b"Tm" | b"T*" | b"Tf" | b"ET" | b"BT" | b"EMC" | b"Q" | b"q")
}

#[cfg(test)]
mod tests {
    use super::without_damage;
    use std::borrow::Cow;

    /// The content as it is mended, with its runs of spaces as single ones.
    fn mended(content: &[u8]) -> String {
        let mended = without_damage(content);
        assert_eq!(mended.len(), content.len());
        String::from_utf8_lossy(&mended).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sound_content_is_borrowed() {
        let sound: [&[u8]; 6] = [
            b"",
            b"BT /F1 12 Tf [(a) -20 (b\\)) <41>] TJ ET % ) is a comment\n",
            b"/Span << /ActualText (x) >> BDC EMC [[1 2] 3] 0 d",
            b"q BI /W 1 /H 1 /BPC 8 /CS /G ID ) ] EI Q 0 0 m 1 1 l S",
            b"1 2 (unfinished",
            b"1 0 0 1 0 0 cm 10 20 30 40 re f\n\n",
        ];
        for content in sound {
            assert!(matches!(without_damage(content), Cow::Borrowed(_)), "{}", String::from_utf8_lossy(content));
        }
    }

    #[test]
    fn bytes_that_begin_no_token_are_blanked() {
        assert_eq!(mended(b"(a) Tj ) } (b) Tj"), "(a) Tj (b) Tj");
        assert_eq!(mended(b"(a) > Tj ] (b) ) ) Tj"), "(a) Tj (b) Tj");
        assert_eq!(mended(b"<4x> Tj <</A>> (b) Tj"), "Tj /A (b) Tj");
    }

    #[test]
    fn arrays_lose_what_is_no_operand() {
        assert_eq!(mended(b"[(a)3.25391\x16)-7(b)]TJ (c) Tj"), "[(a) -7(b)]TJ (c) Tj");
        assert_eq!(mended(b"[(a) x [ (b)] TJ (c) Tj"), "[(a) (b)] TJ (c) Tj");
    }

    #[test]
    fn an_array_without_its_end_gives_way_to_the_operator() {
        assert_eq!(mended(b"[(a) 1 TJ (b) Tj"), "(a) 1 TJ (b) Tj");
    }

    #[test]
    fn a_path_operator_without_its_numbers_goes_with_its_operands() {
        assert_eq!(mended(b"0 0 m 5 l 1 1 l S (a) 4 re (b) Tj h"), "0 0 m 1 1 l S (b) Tj h");
        assert_eq!(mended(b"1 2 3 4 5 c 1 2 3 4 (x) re 1 2 /x 3 4 m"), "1 2 /x 3 4 m");
    }

    #[test]
    fn of_too_many_operands_the_last_are_kept() {
        let many = format!("{}m (a) Tj", "1 ".repeat(100));
        assert_eq!(mended(many.as_bytes()), format!("{}m (a) Tj", "1 ".repeat(33)));
    }

    #[test]
    fn what_follows_an_inline_image_is_mended_alone() {
        let content = b"BI /W 1 /H 1 /BPC 8 /CS /G ID ) EI ) (a) Tj ) (b) Tj";
        assert_eq!(mended(content), "BI /W 1 /H 1 /BPC 8 /CS /G ID ) EI (a) Tj (b) Tj");
    }
}

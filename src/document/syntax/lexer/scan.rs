//! Scans objects without building them.

use super::classes::is_structural;
use super::{Lexer, Syntax, is_regular};
use crate::object::{Name, Object, ObjectId};

/// The entries of a dictionary that tell whether it is a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Glance {
    /// `/Type`.
    pub(crate) kind: Option<Name>,
    /// Whether it has `/Contents` or `/MediaBox`.
    pub(crate) has_page_entries: bool,
}

impl<'a> Lexer<'a> {
    /// Reads only the entries of a dictionary that tell whether it is a page.
    ///
    /// `None` if it has `/Kids`, is no dictionary, or must be read whole.
    pub(crate) fn glance(&mut self) -> Result<Option<Glance>, Syntax> {
        self.skip_space();
        if !self.rest().starts_with(b"<<") {
            return Ok(None);
        }
        self.position += 2;
        let mut glance = Glance::default();
        loop {
            self.skip_space();
            match self.peek().ok_or(Syntax::Incomplete)? {
                b'/' => {
                    let key = self.name()?;
                    match key.as_bytes() {
                        b"Type" if glance.kind.is_none() => match self.object_within(1)? {
                            Object::Name(kind) => glance.kind = Some(kind),
                            _ => return Ok(None),
                        },
                        b"Type" | b"Kids" => return Ok(None),
                        b"Contents" | b"MediaBox" => {
                            glance.has_page_entries = true;
                            self.skip_object()?;
                        }
                        _ => self.skip_object()?,
                    }
                }
                b'>' if self.rest().starts_with(b">>") => {
                    self.position += 2;
                    return Ok(Some(glance));
                }
                _ => return self.malformed(),
            }
        }
    }

    /// Skips one object. Only tokens and the balance of brackets are checked.
    fn skip_object(&mut self) -> Result<(), Syntax> {
        self.skip_space();
        match self.rest() {
            [b'[', ..] | [b'<', b'<', ..] => self.skip_brackets(),
            _ => self.scan_references(&mut |_| ()).map(|_| ()),
        }
    }

    /// Skips an array or a dictionary, from bracket to bracket.
    fn skip_brackets(&mut self) -> Result<(), Syntax> {
        let mut state = ScanState::default();
        loop {
            let next = self.rest().iter().position(|byte| is_structural(*byte));
            self.position += next.ok_or(Syntax::Incomplete)?;
            match (self.peek().ok_or(Syntax::Incomplete)?, self.bytes.get(self.position + 1)) {
                (b'[', _) => self.consume_bracket(1, 1, &mut state)?,
                (b'<', Some(b'<')) => self.consume_bracket(2, 1, &mut state)?,
                (b']', _) => self.consume_bracket(1, -1, &mut state)?,
                (b'>', Some(b'>')) => self.consume_bracket(2, -1, &mut state)?,
                (b'>', None) => return Err(Syntax::Incomplete),
                (b'%', _) => self.skip_space(),
                _ => drop(self.object_within(self.max_nesting)?),
            }
            if state.open == 0 {
                return Ok(());
            }
        }
    }

    /// Scans one object without building it, and calls `found` for each reference in it.
    ///
    /// Only tokens and the balance of brackets are checked. If the object is itself a reference, it must be spelled as our
    /// writer does.
    pub(crate) fn scan_references(&mut self, found: &mut impl FnMut(ObjectId)) -> Result<ReferenceScan, Syntax> {
        self.skip_space();
        if let Some(id) = self.plain_reference() {
            found(id);
            return Ok(ReferenceScan::default());
        }
        let mut state = ScanState { is_dictionary: self.rest().starts_with(b"<<"), ..ScanState::default() };
        loop {
            self.skip_space();
            match (self.peek().ok_or(Syntax::Incomplete)?, self.bytes.get(self.position + 1)) {
                (byte, _) if is_regular(byte) => {
                    let token = self.token()?;
                    state.token(token, found);
                    self.position += token.len();
                }
                (b'/', _) => {
                    self.position += 1;
                    let name = self.token()?;
                    state.name(name);
                    self.position += name.len();
                }
                (b'[', _) => self.consume_bracket(1, 1, &mut state)?,
                (b'<', Some(b'<')) => self.consume_bracket(2, 1, &mut state)?,
                (b']', _) => self.consume_bracket(1, -1, &mut state)?,
                (b'>', Some(b'>')) => self.consume_bracket(2, -1, &mut state)?,
                (b'>', None) => return Err(Syntax::Incomplete),
                _ => {
                    self.object_within(self.max_nesting)?;
                    state.value();
                }
            }
            if state.open == 0 {
                return Ok(state.found);
            }
        }
    }

    /// The regular characters up to the next other one.
    fn token(&self) -> Result<&'a [u8], Syntax> {
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_regular(*byte)).ok_or(Syntax::Incomplete)?;
        Ok(rest.get(..length).unwrap_or_default())
    }

    /// Consumes a bracket of `length` bytes; `step` is 1 for an opening and -1 for a closing one.
    fn consume_bracket(&mut self, length: usize, step: i32, state: &mut ScanState) -> Result<(), Syntax> {
        state.open = state.open.checked_add_signed(step).ok_or(Syntax::Malformed(self.position))?;
        if state.open > self.max_nesting {
            return Err(Syntax::TooDeep);
        }
        state.value();
        self.position += length;
        Ok(())
    }
}

/// Facts about a scanned object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReferenceScan {
    /// Whether it is a dictionary with the `/Type` `Page`.
    pub(crate) is_page: bool,
    /// A dictionary's `/Length`, if it is a direct integer.
    pub(crate) length: Option<u64>,
}

/// The keys of the outermost dictionary that a scan reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScannedKey {
    Type,
    Length,
    Other,
}

#[derive(Default)]
struct ScanState {
    /// Number of open brackets.
    open: u32,
    is_dictionary: bool,
    /// The last key of the outermost dictionary, and whether its value has begun.
    key: Option<ScannedKey>,
    has_value: bool,
    /// The last two tokens, if they are integers.
    integers: (Option<u64>, Option<u64>),
    found: ReferenceScan,
}

impl ScanState {
    /// Handles a value that is neither a name nor a token of regular characters.
    fn value(&mut self) {
        self.integers = (None, None);
        self.has_value |= self.open == 1;
    }

    fn name(&mut self, name: &[u8]) {
        self.integers = (None, None);
        if self.open != 1 || !self.is_dictionary {
            return;
        }
        if let Some(key) = self.key.filter(|_| !self.has_value) {
            self.found.is_page |= key == ScannedKey::Type && name == b"Page";
            self.has_value = true;
            return;
        }
        self.has_value = false;
        self.key = Some(match name {
            b"Type" => ScannedKey::Type,
            b"Length" => ScannedKey::Length,
            _ => ScannedKey::Other,
        });
    }

    fn token(&mut self, token: &[u8], found: &mut impl FnMut(ObjectId)) {
        if let ((Some(number), Some(generation)), b"R") = (self.integers, token)
            && let (Ok(number), Ok(generation)) = (u32::try_from(number), u16::try_from(generation))
        {
            found(ObjectId { number, generation });
        }
        let integer = parse_unsigned(token);
        self.integers = (self.integers.1, integer);
        if self.open == 1 {
            if self.key == Some(ScannedKey::Length) {
                // A second token makes it a reference.
                self.found.length = integer.filter(|_| !self.has_value);
            }
            self.has_value = true;
        }
    }
}

/// The value of a token of at most ten digits.
fn parse_unsigned(token: &[u8]) -> Option<u64> {
    let is_unsigned = token.len() <= 10 && token.iter().all(u8::is_ascii_digit);
    is_unsigned.then(|| token.iter().fold(0, |value, byte| value * 10 + u64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::super::Lexer;
    use super::{ReferenceScan, Syntax};

    fn scan(bytes: &[u8]) -> (Result<ReferenceScan, Syntax>, Vec<u32>) {
        let mut found = Vec::new();
        let scan = Lexer::new(bytes, 3).scan_references(&mut |id| found.push(id.number));
        (scan, found)
    }

    #[test]
    fn references_types_and_lengths_are_told() {
        let plain = ReferenceScan::default();
        let page = ReferenceScan { is_page: true, ..plain };
        for (bytes, expected, references) in [
            (
                &b"<</A 5 0 R/B[6 0 R 1 7 0 R]/Length 12/Type/Page>> "[..],
                ReferenceScan { length: Some(12), ..page },
                &[5, 6, 7][..],
            ),
            (b"<</Length 5 0 R/Type/Pages>> ", plain, &[5]),
            (b"<</Length(5)/A/Length/B 5>> ", plain, &[]),
            (b"<</A/Type/Page 1>> ", plain, &[]),
            (b"<</A<</Length 1/Type/Page>>/B[/Type/Page]>> ", plain, &[]),
            (b"[/Type/Page 4 0 R] ", plain, &[4]),
            (b"<</A(4 0 R)/B<30>/C 1/R 0>> ", plain, &[]),
            (b"8 0 R ", plain, &[8]),
            (b"8 0 ", plain, &[]),
        ] {
            let name = String::from_utf8_lossy(bytes);
            assert_eq!(scan(bytes), (Ok(expected), references.to_vec()), "{name}");
        }
    }

    #[test]
    fn what_is_passed_over_at_a_glance_is_what_a_survey_takes() {
        for object in [
            &b"[1 0 R(]>>)<5d>/A#20/B%]\n<</C[2 .5 true]>>] "[..],
            b"<</A(\\))/B<>>> ",
            b"[>>",
            b"[[]",
            b"[>",
            b"[<",
            b"[<5x>]",
            b"[)]",
            b"[{}]",
            b"[/A",
            b"[%]",
            b"<</A[[[[]]]]>>",
            b"<<]",
        ] {
            let (mut passing, mut surveying) = (Lexer::new(object, 3), Lexer::new(object, 3));
            let name = String::from_utf8_lossy(object);
            let passed = passing.skip_object();
            assert_eq!(passed, surveying.scan_references(&mut |_| ()).map(|_| ()), "{name}");
            assert!(passed.is_err() || passing.position() == surveying.position(), "{name}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert_eq!(scan(b"<</A 1>").0, Err(Syntax::Incomplete));
        assert_eq!(scan(b"[[[[1]]]] ").0, Err(Syntax::TooDeep));
        assert!(matches!(scan(b"] ").0, Err(Syntax::Malformed(_))));
        assert!(matches!(scan(b"<</A )>> ").0, Err(Syntax::Malformed(_))));
    }
}

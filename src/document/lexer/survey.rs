//! Objects that are passed over: what is asked of them is told, and nothing is built.

use super::classes::is_structural;
use super::{Lexer, Syntax, is_regular};
use crate::document::object::{Name, Object, ObjectId};

/// What a dictionary says of being a page, at a glance.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    /// `/Type`.
    pub(crate) kind: Option<Name>,
    /// Whether it has `/Contents` or a `/MediaBox`.
    pub(crate) has_page_entries: bool,
}

impl<'a> Lexer<'a> {
    /// Reads a dictionary for what tells pages from other nodes, and passes over all else.
    ///
    /// `None` where it has kids, is no dictionary, or needs a closer look.
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
                            self.pass_over()?;
                        }
                        _ => self.pass_over()?,
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

    /// Passes over one object without building it; of what it holds only the tokens and the balance of brackets count.
    fn pass_over(&mut self) -> Result<(), Syntax> {
        self.skip_space();
        match self.rest() {
            [b'[', ..] | [b'<', b'<', ..] => self.pass_over_brackets(),
            _ => self.survey(&mut |_| ()).map(|_| ()),
        }
    }

    /// The same for an array or a dictionary, from one bracket to the next: any token may stand between them.
    fn pass_over_brackets(&mut self) -> Result<(), Syntax> {
        let mut survey = Survey::default();
        loop {
            let next = self.rest().iter().position(|byte| is_structural(*byte));
            self.position += next.ok_or(Syntax::Incomplete)?;
            match (self.peek().ok_or(Syntax::Incomplete)?, self.bytes.get(self.position + 1)) {
                (b'[', _) => self.step(1, 1, &mut survey)?,
                (b'<', Some(b'<')) => self.step(2, 1, &mut survey)?,
                (b']', _) => self.step(1, -1, &mut survey)?,
                (b'>', Some(b'>')) => self.step(2, -1, &mut survey)?,
                (b'>', None) => return Err(Syntax::Incomplete),
                (b'%', _) => self.skip_space(),
                _ => drop(self.object_within(self.max_nesting)?),
            }
            if survey.open == 0 {
                return Ok(());
            }
        }
    }

    /// Passes over one object without building it, and tells `found` of every reference in it.
    ///
    /// Of what it holds only the tokens and the balance of brackets count; where it is itself a reference, that has the usual
    /// spelling, which is the writer's.
    pub(crate) fn survey(&mut self, found: &mut impl FnMut(ObjectId)) -> Result<Surveyed, Syntax> {
        self.skip_space();
        if let Some(id) = self.plain_reference() {
            found(id);
            return Ok(Surveyed::default());
        }
        let mut survey = Survey { is_dictionary: self.rest().starts_with(b"<<"), ..Survey::default() };
        loop {
            self.skip_space();
            match (self.peek().ok_or(Syntax::Incomplete)?, self.bytes.get(self.position + 1)) {
                (byte, _) if is_regular(byte) => {
                    let token = self.token()?;
                    survey.token(token, found);
                    self.position += token.len();
                }
                (b'/', _) => {
                    self.position += 1;
                    let name = self.token()?;
                    survey.name(name);
                    self.position += name.len();
                }
                (b'[', _) => self.step(1, 1, &mut survey)?,
                (b'<', Some(b'<')) => self.step(2, 1, &mut survey)?,
                (b']', _) => self.step(1, -1, &mut survey)?,
                (b'>', Some(b'>')) => self.step(2, -1, &mut survey)?,
                (b'>', None) => return Err(Syntax::Incomplete),
                _ => {
                    self.object_within(self.max_nesting)?;
                    survey.value();
                }
            }
            if survey.open == 0 {
                return Ok(survey.found);
            }
        }
    }

    /// The regular characters up to the next that is none.
    fn token(&self) -> Result<&'a [u8], Syntax> {
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_regular(*byte)).ok_or(Syntax::Incomplete)?;
        Ok(rest.get(..length).unwrap_or_default())
    }

    /// Goes over a bracket of `length` bytes, which opens or closes something.
    fn step(&mut self, length: usize, step: i32, survey: &mut Survey) -> Result<(), Syntax> {
        survey.open = survey.open.checked_add_signed(step).ok_or(Syntax::Malformed(self.position))?;
        if survey.open > self.max_nesting {
            return Err(Syntax::TooDeep);
        }
        survey.value();
        self.position += length;
        Ok(())
    }
}

/// What was passed over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Surveyed {
    /// Whether it is a dictionary whose `/Type` is `Page`.
    pub(crate) is_page: bool,
    /// A dictionary's `/Length`, where that is an integer.
    pub(crate) length: Option<u64>,
}

/// Keys of the outermost dictionary that matter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Type,
    Length,
    Other,
}

/// Where a survey is.
#[derive(Default)]
struct Survey {
    /// Brackets that are open.
    open: u32,
    is_dictionary: bool,
    /// The last key of the outermost dictionary, and whether its value has begun.
    key: Option<Key>,
    has_value: bool,
    /// The last two tokens, where they are integers.
    integers: (Option<u64>, Option<u64>),
    found: Surveyed,
}

impl Survey {
    /// Goes over what is no name and no token of regular characters.
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
            self.found.is_page |= key == Key::Type && name == b"Page";
            self.has_value = true;
            return;
        }
        self.has_value = false;
        self.key = Some(match name {
            b"Type" => Key::Type,
            b"Length" => Key::Length,
            _ => Key::Other,
        });
    }

    fn token(&mut self, token: &[u8], found: &mut impl FnMut(ObjectId)) {
        if let ((Some(number), Some(generation)), b"R") = (self.integers, token)
            && let (Ok(number), Ok(generation)) = (u32::try_from(number), u16::try_from(generation))
        {
            found(ObjectId { number, generation });
        }
        let integer = unsigned(token);
        self.integers = (self.integers.1, integer);
        if self.open == 1 {
            if self.key == Some(Key::Length) {
                // A second token after it makes it a reference.
                self.found.length = integer.filter(|_| !self.has_value);
            }
            self.has_value = true;
        }
    }
}

/// The value of a token of at most ten digits.
fn unsigned(token: &[u8]) -> Option<u64> {
    let is_unsigned = token.len() <= 10 && token.iter().all(u8::is_ascii_digit);
    is_unsigned.then(|| token.iter().fold(0, |value, byte| value * 10 + u64::from(byte - b'0')))
}

#[cfg(test)]
mod tests {
    use super::super::Lexer;
    use super::{Surveyed, Syntax};

    fn surveyed(bytes: &[u8]) -> (Result<Surveyed, Syntax>, Vec<u32>) {
        let mut found = Vec::new();
        let survey = Lexer::new(bytes, 3).survey(&mut |id| found.push(id.number));
        (survey, found)
    }

    #[test]
    fn references_types_and_lengths_are_told() {
        let plain = Surveyed::default();
        let page = Surveyed { is_page: true, ..plain };
        for (bytes, expected, references) in [
            (
                &b"<</A 5 0 R/B[6 0 R 1 7 0 R]/Length 12/Type/Page>> "[..],
                Surveyed { length: Some(12), ..page },
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
            assert_eq!(surveyed(bytes), (Ok(expected), references.to_vec()), "{name}");
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
            let passed = passing.pass_over();
            assert_eq!(passed, surveying.survey(&mut |_| ()).map(|_| ()), "{name}");
            assert!(passed.is_err() || passing.position() == surveying.position(), "{name}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        assert_eq!(surveyed(b"<</A 1>").0, Err(Syntax::Incomplete));
        assert_eq!(surveyed(b"[[[[1]]]] ").0, Err(Syntax::TooDeep));
        assert!(matches!(surveyed(b"] ").0, Err(Syntax::Malformed(_))));
        assert!(matches!(surveyed(b"<</A )>> ").0, Err(Syntax::Malformed(_))));
    }
}

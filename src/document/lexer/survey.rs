//! Objects that are passed over: what is asked of them is told, and nothing is built.

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

impl Lexer<'_> {
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
        self.survey(&mut |_| ()).map(|_| ())
    }

    /// Passes over one object without building it, and tells `found` of every reference in it that has the usual spelling,
    /// which is the writer's.
    ///
    /// Gives whether it is a dictionary whose `/Type` is `Page`.
    pub(crate) fn survey(&mut self, found: &mut impl FnMut(ObjectId)) -> Result<bool, Syntax> {
        let mut open = 0_u32;
        let mut is_page = false;
        // Of the outermost dictionary: whether a key comes next, and whether the last one was `/Type`.
        let (mut key_comes, mut was_type) = (true, false);
        let is_dictionary = {
            self.skip_space();
            self.rest().starts_with(b"<<")
        };
        loop {
            self.skip_space();
            let before = open;
            let (length, step) = match (self.peek().ok_or(Syntax::Incomplete)?, self.bytes.get(self.position + 1)) {
                (b'[', _) => (1, 1),
                (b'<', Some(b'<')) => (2, 1),
                (b']', _) => (1, -1),
                (b'>', Some(b'>')) => (2, -1),
                (b'>', None) => return Err(Syntax::Incomplete),
                (b'/', _) => {
                    let rest = self.rest().get(1..).unwrap_or_default();
                    let end = rest.iter().position(|byte| !is_regular(*byte)).ok_or(Syntax::Incomplete)?;
                    if open == 1 && is_dictionary {
                        let name = rest.get(..end);
                        is_page |= !key_comes && was_type && name == Some(b"Page");
                        was_type = key_comes && name == Some(b"Type");
                    }
                    (1 + end, 0)
                }
                (byte, _) if is_regular(byte) => match self.plain_reference() {
                    Some(id) => {
                        found(id);
                        (0, 0)
                    }
                    None => (self.rest().iter().position(|byte| !is_regular(*byte)).ok_or(Syntax::Incomplete)?, 0),
                },
                _ => {
                    self.object_within(self.max_nesting)?;
                    (0, 0)
                }
            };
            open = open.checked_add_signed(step).ok_or(Syntax::Malformed(self.position))?;
            if open > self.max_nesting {
                return Err(Syntax::TooDeep);
            }
            if open == 1 && before > 0 {
                key_comes = !key_comes;
            }
            self.position += length;
            if open == 0 {
                return Ok(is_page);
            }
        }
    }
}

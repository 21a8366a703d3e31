//! Reads tokens and objects (ISO 32000-2, 7.2 and 7.3), strictly.
//!
//! The lexer refuses instead of guessing: malformed input is [`Syntax::Malformed`], and the caller tries a reader that
//! repairs. If the bytes are a window of the file that ends too early, the result is [`Syntax::Incomplete`].

mod classes;
mod reference;
mod scan;

pub use classes::{is_delimiter, is_regular, is_white_space};
pub(crate) use scan::Glance;

use crate::object::{Dictionary, Name, Object, ObjectId, RealToken, StringBytes};
use pagewise_base::limits::{Limit, LimitExceeded, Limits};

/// Why no object could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// The bytes end inside the object; a larger window may complete it.
    Incomplete,
    /// Malformed at this position in the bytes.
    Malformed(usize),
    /// Arrays and dictionaries exceed `max_nesting`.
    TooDeep,
    /// Values exceed `max_object_values`.
    TooMany,
}

impl Syntax {
    /// The exceeded limit; `None` for other errors.
    pub(crate) fn limit(self, limits: &Limits) -> Option<LimitExceeded> {
        let (which, limit) = match self {
            Self::TooDeep => (Limit::Nesting, limits.max_nesting),
            Self::TooMany => (Limit::ObjectValues, limits.max_object_values),
            Self::Incomplete | Self::Malformed(_) => return None,
        };
        let limit = u64::from(limit);
        Some(LimitExceeded { which, limit, found: limit + 1 })
    }
}

/// Reads objects from `bytes`, beginning at `position`.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    position: usize,
    max_nesting: u32,
    /// How many more values arrays and dictionaries may have. A value of two bytes in the file takes 32 in memory.
    values_left: u32,
}

impl<'a> Lexer<'a> {
    /// A lexer at the start of `bytes`.
    pub(crate) fn new(bytes: &'a [u8], max_nesting: u32) -> Self {
        Self { bytes, position: 0, max_nesting, values_left: u32::MAX }
    }

    /// A lexer at the start of `bytes` that keeps `limits`.
    pub(crate) fn within(bytes: &'a [u8], limits: &Limits) -> Self {
        Self { values_left: limits.max_object_values, ..Self::new(bytes, limits.max_nesting) }
    }

    /// Moves the lexer to `position`.
    pub(crate) fn at(mut self, position: usize) -> Self {
        self.position = position;
        self
    }

    /// The current position.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    fn count_value(&mut self) -> Result<(), Syntax> {
        self.values_left = self.values_left.checked_sub(1).ok_or(Syntax::TooMany)?;
        Ok(())
    }

    fn malformed<T>(&self) -> Result<T, Syntax> {
        Err(Syntax::Malformed(self.position))
    }

    /// Skips white space and comments.
    pub(crate) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let line = self.rest().iter().position(|byte| matches!(byte, b'\r' | b'\n'));
                self.position += line.unwrap_or(self.rest().len());
            } else if is_white_space(byte) {
                self.position += 1;
            } else {
                return;
            }
        }
    }

    /// Skips white space and reads `keyword`, which must end there.
    pub(crate) fn keyword(&mut self, keyword: &[u8]) -> Result<(), Syntax> {
        self.skip_space();
        let rest = self.rest();
        if rest.len() <= keyword.len() && keyword.starts_with(rest) {
            // The keyword may continue beyond the window.
            return Err(Syntax::Incomplete);
        }
        match rest.strip_prefix(keyword) {
            Some(after) if !after.first().copied().is_some_and(is_regular) => {
                self.position += keyword.len();
                Ok(())
            }
            _ => self.malformed(),
        }
    }

    /// Reads the end of line after `stream` (7.3.8.1): CR LF, LF, or CR alone, which other readers accept too.
    pub(crate) fn end_of_line(&mut self) -> Result<(), Syntax> {
        self.position += match self.rest() {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] | [b'\r', _, ..] => 1,
            [] | [b'\r'] => return Err(Syntax::Incomplete),
            _ => return self.malformed(),
        };
        Ok(())
    }

    /// Skips white space and reads an unsigned integer.
    pub(crate) fn read_unsigned(&mut self) -> Result<u64, Syntax> {
        self.skip_space();
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let token = self.rest().get(..digits).unwrap_or_default();
        if digits == self.rest().len() {
            return Err(Syntax::Incomplete);
        }
        if digits == 0 || digits > 19 {
            return self.malformed();
        }
        self.position += digits;
        Ok(token.iter().fold(0_u64, |value, byte| value.saturating_mul(10).saturating_add(u64::from(byte - b'0'))))
    }

    /// Reads `number generation obj`, the head of an indirect object (7.3.10).
    pub(crate) fn indirect_head(&mut self) -> Result<ObjectId, Syntax> {
        let number = u32::try_from(self.read_unsigned()?).or_else(|_| self.malformed())?;
        let generation = u16::try_from(self.read_unsigned()?).or_else(|_| self.malformed())?;
        self.keyword(b"obj")?;
        Ok(ObjectId { number, generation })
    }

    /// Reads the next object; of a stream, only its dictionary.
    pub(crate) fn object(&mut self) -> Result<Object, Syntax> {
        self.object_within(0)
    }

    fn object_within(&mut self, depth: u32) -> Result<Object, Syntax> {
        if depth > self.max_nesting {
            return Err(Syntax::TooDeep);
        }
        self.skip_space();
        match self.peek().ok_or(Syntax::Incomplete)? {
            b'/' => self.name().map(Object::Name),
            b'0'..=b'9' | b'+' | b'-' | b'.' => self.number_or_reference(),
            b'(' => self.literal_string(),
            b'[' => self.array(depth),
            b'<' => match self.bytes.get(self.position + 1) {
                Some(b'<') => self.dictionary(depth).map(Object::Dictionary),
                Some(_) => self.hexadecimal_string(),
                None => Err(Syntax::Incomplete),
            },
            b't' => self.keyword(b"true").map(|()| Object::Boolean(true)),
            b'f' => self.keyword(b"false").map(|()| Object::Boolean(false)),
            b'n' => self.keyword(b"null").map(|()| Object::Null),
            _ => self.malformed(),
        }
    }

    fn array(&mut self, depth: u32) -> Result<Object, Syntax> {
        self.position += 1;
        let mut elements = Vec::new();
        loop {
            self.skip_space();
            // A fast path: large arrays are mostly references.
            if let Some(id) = self.plain_reference() {
                self.count_value()?;
                elements.push(Object::Reference(id));
                continue;
            }
            if self.peek().ok_or(Syntax::Incomplete)? == b']' {
                self.position += 1;
                return Ok(Object::Array(elements));
            }
            self.count_value()?;
            elements.push(self.object_within(depth + 1)?);
        }
    }

    fn dictionary(&mut self, depth: u32) -> Result<Dictionary, Syntax> {
        self.position += 2;
        let mut entries = Vec::with_capacity(8);
        loop {
            self.skip_space();
            match self.peek().ok_or(Syntax::Incomplete)? {
                b'/' => {
                    self.count_value()?;
                    let key = self.name()?;
                    entries.push((key, self.object_within(depth + 1)?));
                }
                b'>' => {
                    return match self.bytes.get(self.position + 1) {
                        Some(b'>') => {
                            self.position += 2;
                            Ok(Dictionary::from_entries(entries))
                        }
                        Some(_) => self.malformed(),
                        None => Err(Syntax::Incomplete),
                    };
                }
                _ => return self.malformed(),
            }
        }
    }

    fn name(&mut self) -> Result<Name, Syntax> {
        self.position += 1;
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_regular(*byte)).ok_or(Syntax::Incomplete)?;
        let token = rest.get(..length).unwrap_or_default();
        let name = if token.contains(&b'#') { unescape_name(token) } else { Some(Name::new(token)) };
        let name = name.ok_or(Syntax::Malformed(self.position))?;
        self.position += length;
        Ok(name)
    }

    fn number_or_reference(&mut self) -> Result<Object, Syntax> {
        if let Some(id) = self.plain_reference() {
            return Ok(Object::Reference(id));
        }
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_regular(*byte)).ok_or(Syntax::Incomplete)?;
        let token = rest.get(..length).unwrap_or_default();
        let Some(number) = number(token) else { return self.malformed() };
        self.position += length;
        if let Object::Integer(value) = number
            && token.first().is_some_and(u8::is_ascii_digit)
            && let Some(id) = self.reference_tail(value)?
        {
            return Ok(Object::Reference(id));
        }
        Ok(number)
    }

    fn literal_string(&mut self) -> Result<Object, Syntax> {
        self.position += 1;
        let mut out = StringBytes::new();
        let mut open = 1_u32;
        loop {
            let rest = self.rest();
            let plain = rest.iter().position(|byte| matches!(byte, b'(' | b')' | b'\\' | b'\r'));
            let (plain, after) = plain.and_then(|at| rest.split_at_checked(at)).ok_or(Syntax::Incomplete)?;
            out.extend_from_slice(plain);
            let byte = after.first().copied().ok_or(Syntax::Incomplete)?;
            self.position += plain.len() + 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        out.shrink_to_fit();
                        return Ok(Object::String(out));
                    }
                }
                b'\\' => {
                    self.escape(&mut out)?;
                    continue;
                }
                b'\r' => {
                    // Any end of line in a string means a line feed (7.3.4.2).
                    if self.peek() == Some(b'\n') {
                        self.position += 1;
                    }
                    out.push(b'\n');
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
    }

    fn escape(&mut self, out: &mut StringBytes) -> Result<(), Syntax> {
        let byte = self.peek().ok_or(Syntax::Incomplete)?;
        self.position += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'\n' => {}
            b'\r' => {
                if self.peek().ok_or(Syntax::Incomplete)? == b'\n' {
                    self.position += 1;
                }
            }
            b'0'..=b'7' => {
                let mut value = u16::from(byte - b'0');
                for _ in 0..2 {
                    match self.peek().ok_or(Syntax::Incomplete)? {
                        digit @ b'0'..=b'7' => {
                            value = value * 8 + u16::from(digit - b'0');
                            self.position += 1;
                        }
                        _ => break,
                    }
                }
                // High-order overflow is ignored (7.3.4.2).
                out.push(value.to_le_bytes()[0]);
            }
            other => out.push(other),
        }
        Ok(())
    }

    fn hexadecimal_string(&mut self) -> Result<Object, Syntax> {
        self.position += 1;
        let end = self.rest().iter().position(|byte| *byte == b'>').ok_or(Syntax::Incomplete)?;
        let body = self.rest().get(..end).unwrap_or_default();
        let mut out = StringBytes::with_capacity(end / 2 + 1);
        let mut high = None;
        for &byte in body.iter().filter(|byte| !is_white_space(**byte)) {
            let Some(digit) = hexadecimal_digit(byte) else { return self.malformed() };
            match high.take() {
                None => high = Some(digit),
                Some(high) => out.push(high << 4 | digit),
            }
        }
        out.extend(high.map(|digit| digit << 4));
        self.position += end + 1;
        Ok(Object::String(out))
    }
}

/// The value of a hexadecimal digit.
pub(crate) fn hexadecimal_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// Resolves `#xx`; `None` if two hexadecimal digits do not follow, or stand for a null byte.
fn unescape_name(token: &[u8]) -> Option<Name> {
    let mut out = Vec::with_capacity(token.len());
    let mut bytes = token.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'#' {
            let high = hexadecimal_digit(*bytes.next()?)?;
            let low = hexadecimal_digit(*bytes.next()?)?;
            if high == 0 && low == 0 {
                return None;
            }
            out.push(high << 4 | low);
        } else {
            out.push(byte);
        }
    }
    Some(Name::new(&out))
}

/// Parses a number (7.3.3); `None` for tokens that readers disagree about, such as `--5` or `1.2.3`.
fn number(token: &[u8]) -> Option<Object> {
    let digits = token.strip_prefix(b"-").or_else(|| token.strip_prefix(b"+")).unwrap_or(token);
    let points = digits.iter().filter(|byte| **byte == b'.').count();
    let all = digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    if !all || points > 1 || digits.len() == points {
        return None;
    }
    if points == 1 {
        return Some(Object::Real(RealToken::new(token)));
    }
    if digits.len() > 18 {
        return None;
    }
    let value = digits.iter().fold(0_i64, |value, byte| value * 10 + i64::from(byte - b'0'));
    Some(Object::Integer(if token.first() == Some(&b'-') { -value } else { value }))
}

//! The tokens of a content stream or CMap (ISO 32000-2, 7.8.2 and 9.7.5), as far as texts and their fonts need them.

use pagewise_document::lexer::{is_regular, is_white_space};
use std::ops::Range;

/// A token with its place in the content.
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) place: Range<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, without its slash.
    Name(Vec<u8>),
    /// A string, unescaped.
    String(Vec<u8>),
    ArrayStart,
    ArrayEnd,
    /// A number, a keyword or an operator.
    Word(Vec<u8>),
    /// `<<` or `>>`.
    Dictionary,
}

/// Reads tokens. Content that readers may divide in different ways is no content here: [`Tokens::next`] then fails.
pub(super) struct Tokens<'c> {
    content: &'c [u8],
    at: usize,
}

/// The content cannot be divided into tokens with certainty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclear;

impl<'c> Tokens<'c> {
    pub(super) fn of(content: &'c [u8]) -> Self {
        Self { content, at: 0 }
    }

    /// The next token; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Unclear> {
        self.skip_space();
        let start = self.at;
        let Some(first) = self.peek() else { return Ok(None) };
        let kind = match first {
            b'/' => {
                self.at += 1;
                let name = self.regular();
                // Readers disagree about `#` in names of content.
                if name.contains(&b'#') {
                    return Err(Unclear);
                }
                TokenKind::Name(name)
            }
            b'(' => TokenKind::String(self.literal_string()?),
            b'<' if self.content.get(self.at + 1) == Some(&b'<') => self.delimiter(2, TokenKind::Dictionary),
            b'>' if self.content.get(self.at + 1) == Some(&b'>') => self.delimiter(2, TokenKind::Dictionary),
            b'<' => TokenKind::String(self.hexadecimal_string()?),
            b'[' => self.delimiter(1, TokenKind::ArrayStart),
            b']' => self.delimiter(1, TokenKind::ArrayEnd),
            _ if is_regular(first) => TokenKind::Word(self.regular()),
            _ => return Err(Unclear),
        };
        Ok(Some(Token { kind, place: start..self.at }))
    }

    fn peek(&self) -> Option<u8> {
        self.content.get(self.at).copied()
    }

    fn bump(&mut self) -> Result<u8, Unclear> {
        let byte = self.peek().ok_or(Unclear)?;
        self.at += 1;
        Ok(byte)
    }

    fn delimiter(&mut self, bytes: usize, kind: TokenKind) -> TokenKind {
        self.at += bytes;
        kind
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let rest = self.content.get(self.at..).unwrap_or_default();
                self.at += rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
            } else if is_white_space(byte) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn regular(&mut self) -> Vec<u8> {
        let rest = self.content.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !is_regular(*byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default().to_vec()
    }

    fn hexadecimal_string(&mut self) -> Result<Vec<u8>, Unclear> {
        self.at += 1;
        let mut digits = Vec::new();
        loop {
            let byte = self.bump()?;
            match char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()) {
                Some(digit) => digits.push(digit),
                None if byte == b'>' => break,
                None if is_white_space(byte) => {}
                None => return Err(Unclear),
            }
        }
        Ok(digits
            .chunks(2)
            .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit) << (4 * (pair.len() % 2)))
            .collect())
    }

    fn literal_string(&mut self) -> Result<Vec<u8>, Unclear> {
        self.at += 1;
        let (mut string, mut depth) = (Vec::new(), 1_u32);
        loop {
            match self.bump()? {
                b'\\' => string.extend(self.escape()?),
                b'\r' => {
                    self.at += usize::from(self.peek() == Some(b'\n'));
                    string.push(b'\n');
                }
                byte => {
                    depth = depth.saturating_add(u32::from(byte == b'(')).saturating_sub(u32::from(byte == b')'));
                    if depth == 0 {
                        return Ok(string);
                    }
                    string.push(byte);
                }
            }
        }
    }

    /// The byte of an escape sequence (7.3.4.2); none for the end of a line.
    fn escape(&mut self) -> Result<Option<u8>, Unclear> {
        Ok(match self.bump()? {
            b'n' => Some(b'\n'),
            b'r' => Some(b'\r'),
            b't' => Some(b'\t'),
            b'b' => Some(8),
            b'f' => Some(12),
            b'\n' => None,
            b'\r' => {
                self.at += usize::from(self.peek() == Some(b'\n'));
                None
            }
            first @ b'0'..=b'7' => {
                let mut code = u32::from(first - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code << 3 | u32::from(digit - b'0');
                    self.at += 1;
                }
                // High-order overflow is ignored.
                Some(code.to_le_bytes()[0])
            }
            other => Some(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(content: &str) -> Result<Vec<String>, Unclear> {
        let (mut tokens, mut found) = (Tokens::of(content.as_bytes()), Vec::new());
        while let Some(token) = tokens.next()? {
            if let TokenKind::String(bytes) = token.kind {
                found.push(bytes.iter().map(|byte| char::from(*byte)).collect());
            }
        }
        Ok(found)
    }

    #[test]
    fn strings_are_unescaped() {
        let found = strings("[(a\\(b(c)\\051)-2<4 1 4>]TJ (\\101\\n\\\nx\\7) Tj %(no)\n(\r\n)' <</A(b)>>BDC");
        assert_eq!(found.unwrap_or_default(), ["a(b(c))", "A@", "A\nx\u{7}", "\n", "b"]);
    }

    #[test]
    fn content_that_may_be_divided_otherwise_is_unclear() {
        for content in ["(a", "<4", "<4x>", "/F#31 Tf", "a ) b", "{"] {
            assert_eq!(strings(content), Err(Unclear), "{content}");
        }
    }
}

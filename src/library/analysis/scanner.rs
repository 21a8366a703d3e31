//! Finds where tokens stand in a text.

use super::characters::{CharacterClass, class, is_hyphen};

/// The most parts of a compound that are tokens of their own.
const MAX_PARTS: usize = 12;

/// How a token stands in its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A word between spaces or punctuation.
    Word,
    /// Several words or numbers that are joined by punctuation, such as `39.83` or `V1.2-b`.
    Compound,
    /// A part of a compound.
    Part,
    /// A part of a word, such as `Name` in `getUserName`.
    Piece,
    /// Two characters of a script without spaces.
    Pair,
}

/// Where a token stands. Its key and its word are not known yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenPlace {
    /// Its place among the words of the text.
    pub(crate) position: u32,
    /// Where it begins in the text, in bytes.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// How it stands in the text.
    pub(crate) kind: TokenKind,
}

impl TokenPlace {
    /// The part of the text that is the token.
    pub(crate) fn text_in<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// Calls `found` with the place of each token of a text, in order.
pub(crate) fn token_places(text: &str, found: impl FnMut(TokenPlace)) {
    Scanner { text, found, position: 0 }.run();
}

struct Scanner<'a, F> {
    text: &'a str,
    found: F,
    position: u32,
}

impl<F: FnMut(TokenPlace)> Scanner<'_, F> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(first) = self.text.get(at..).and_then(|rest| rest.chars().next()) {
            at = match class(first) {
                CharacterClass::Letter => self.compound(at),
                CharacterClass::Unspaced => self.unspaced_run(at),
                _ => at + first.len_utf8(),
            };
        }
    }

    /// Reads a word with what is joined to it. Returns where it ends.
    fn compound(&mut self, start: usize) -> usize {
        let first = self.word_end(start);
        let Some(mut next) = self.joined(first) else {
            self.word(start, first, TokenKind::Word);
            return first;
        };
        let mut parts = vec![(start, first)];
        let end = loop {
            let end = self.word_end(next);
            parts.push((next, end));
            match self.joined(end) {
                Some(following) => next = following,
                None => break end,
            }
        };
        self.push(start, end, TokenKind::Compound);
        for (from, to) in parts.into_iter().take(MAX_PARTS) {
            self.word(from, to, TokenKind::Part);
        }
        end
    }

    fn word_end(&self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let is_within = |character| matches!(class(character), CharacterClass::Letter | CharacterClass::Hidden);
        start + rest.find(|character| !is_within(character)).unwrap_or(rest.len())
    }

    /// Where the next part begins, if one joiner, or a hyphen at the end of a line, stands between.
    fn joined(&self, end: usize) -> Option<usize> {
        let rest = self.text.get(end..)?;
        let mut characters = rest.char_indices();
        let (_, joiner) = characters.next()?;
        if class(joiner) != CharacterClass::Joiner {
            return None;
        }
        let (next, first) = characters.next()?;
        if class(first) == CharacterClass::Letter {
            return Some(end + next);
        }
        let (after, second) = characters.next()?;
        let divides = is_hyphen(joiner) && first == '\n' && second.is_lowercase();
        divides.then_some(end + after)
    }

    fn word(&mut self, start: usize, end: usize, kind: TokenKind) {
        self.push(start, end, kind);
        self.pieces(start, end);
        self.position = self.position.saturating_add(1);
    }

    /// Pieces of an identifier: `getUserName`, `test262`.
    fn pieces(&mut self, start: usize, end: usize) {
        let text = self.text.get(start..end).unwrap_or_default();
        // Most words are small letters after any letter.
        if text.bytes().skip(1).all(|byte| byte.is_ascii_lowercase()) {
            return;
        }
        let cuts = piece_starts(text);
        if cuts.len() < 2 || cuts.len() > MAX_PARTS {
            return;
        }
        let ends = cuts.iter().skip(1).copied().chain([text.len()]);
        for (from, to) in cuts.iter().copied().zip(ends) {
            let piece = text.get(from..to).unwrap_or_default();
            if piece.chars().count() > 1 {
                self.push(start + from, start + to, TokenKind::Piece);
            }
        }
    }

    fn unspaced_run(&mut self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let mut before: Option<usize> = None;
        let mut end = start;
        for (at, character) in rest.char_indices() {
            // A line that ends within a run does not end a word.
            if character == '\n' && next_is_unspaced(rest, at) {
                continue;
            }
            match class(character) {
                CharacterClass::Unspaced => {}
                CharacterClass::Hidden => continue,
                _ => break,
            }
            end = start + at + character.len_utf8();
            if let Some(from) = before {
                self.pair(start + from, end);
            }
            before = Some(at);
        }
        if let Some(from) = before {
            self.pair(start + from, end);
        }
        end
    }

    fn pair(&mut self, start: usize, end: usize) {
        self.push(start, end, TokenKind::Pair);
        self.position = self.position.saturating_add(1);
    }

    fn push(&mut self, start: usize, end: usize, kind: TokenKind) {
        (self.found)(TokenPlace { position: self.position, start, end, kind });
    }
}

fn next_is_unspaced(text: &str, at: usize) -> bool {
    let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
    next.is_some_and(|next| class(next) == CharacterClass::Unspaced)
}

/// Where pieces of an identifier begin: at a capital after a small letter, and between letters and digits.
fn piece_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    let mut characters = text.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, character)) = characters.next() {
        let next_is_small = characters.peek().is_some_and(|(_, next)| next.is_lowercase());
        let is_start = before.is_some_and(|before| {
            before.is_lowercase() && character.is_uppercase()
                || before.is_uppercase() && character.is_uppercase() && next_is_small
                || before.is_numeric() != character.is_numeric()
        });
        if is_start {
            starts.push(at);
        }
        before = Some(character);
    }
    starts
}

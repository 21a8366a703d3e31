//! Converts right-to-left text from visual to logical order.
//!
//! Producers draw it in either order, so only the positions of glyphs are reliable. UAX 9 is reversed: glyphs are sorted
//! by position and right-to-left runs reversed, while numbers with their signs and words of other scripts keep their
//! order. Nested embeddings cannot be recovered from positions.
//!
//! Fonts name brackets by shape or by meaning. A page uses the one with which brackets open before they close.

mod brackets;
mod class;

pub(super) use brackets::Brackets;

use super::lines::{Piece, is_space};
use class::{Class, class};
use std::collections::HashSet;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// The most signs before a number.
const MAX_SIGNS: usize = 4;

/// The letter of a combining mark is searched for among this many neighbours on each side.
const MAX_NEIGHBOURS: usize = 8;

/// Whether a character is of a right-to-left script.
pub(super) fn is_right_to_left(character: Option<char>) -> bool {
    character.is_some_and(|character| matches!(class(character), Class::Right | Class::Arabic))
}

/// The glyphs of a line in logical order.
pub(super) fn logical(pieces: &[Piece], brackets: Brackets) -> Vec<Piece> {
    let mut logical = reordered(pieces);
    logical.iter_mut().filter(|read| read.is_turned).for_each(|read| brackets.apply(&mut read.piece.mark.said));
    logical.into_iter().map(|read| read.piece).collect()
}

/// A glyph in logical order.
struct Read {
    piece: Piece,
    /// Whether it is part of a reversed run.
    is_turned: bool,
}

fn reordered(pieces: &[Piece]) -> Vec<Read> {
    let row = Row::of(pieces);
    let count = |of: fn(Class) -> bool| row.classes.iter().filter(|class| of(**class)).count();
    let mut reading = Reading { row: &row, read: Vec::with_capacity(pieces.len()) };
    if count(Class::is_right) >= count(|class| class == Class::Left) {
        reading.read_left(0..row.pieces.len(), false);
    } else {
        reading.read_right();
    }
    reading.read
}

/// The glyphs of a line from left to right.
struct Row {
    pieces: Vec<Piece>,
    classes: Vec<Class>,
    /// Whether a space is to the left of each glyph.
    gaps: Vec<bool>,
    /// For each glyph, the last left-to-right letter before the next right-to-left one.
    last_left: Vec<Option<usize>>,
    /// Whether numbers count as Arabic, with which fewer signs belong to them (UAX 9, W2).
    is_arabic: bool,
}

impl Row {
    fn of(drawn: &[Piece]) -> Self {
        let pieces = placed(drawn);
        let classes = pieces.iter().map(|piece| piece.mark.said.first().map_or(Class::Neutral, class));
        let classes = classes.collect::<Vec<_>>();
        let is_arabic = classes.contains(&Class::Arabic);
        Self { gaps: gaps(&pieces, drawn), last_left: last_left(&classes), pieces, classes, is_arabic }
    }

    fn class(&self, at: usize) -> Class {
        self.classes.get(at).copied().unwrap_or(Class::Neutral)
    }

    fn gap(&self, at: usize) -> bool {
        self.gaps.get(at).copied().unwrap_or(false)
    }

    /// The end of the right-to-left run at `at`, in a left-to-right line.
    fn end_of_turned(&self, at: usize) -> usize {
        let rest = self.classes.iter().enumerate().skip(at).take_while(|(_, class)| **class != Class::Left);
        rest.filter(|(_, class)| class.is_right()).last().map_or(at + 1, |(last, _)| last + 1)
    }

    /// The end of the left-to-right run at `at`, in a right-to-left line; `at` + 1 for a single glyph.
    fn end_of_kept(&self, at: usize, end: usize) -> usize {
        let number = self.end_of_number(at, end);
        let word = match self.class(at) {
            Class::Left | Class::Number => self.last_left.get(at).copied().flatten().filter(|last| *last < end),
            _ => None,
        };
        let Some(last) = word else { return number };
        // A number after a word belongs to it (UAX 9, W7).
        let next = (last + 1..end).find(|next| !self.class(*next).is_neutral());
        next.filter(|next| self.class(*next) == Class::Number).map_or(last + 1, |next| self.end_of_number(next, end))
    }

    /// The end of a number with its signs (UAX 9, W4 and W5).
    fn end_of_number(&self, start: usize, end: usize) -> usize {
        let touches = |at: usize| at < end && !self.gap(at);
        let mut at = start;
        while self.is_sign(at) && touches(at + 1) && at < start + MAX_SIGNS {
            at += 1;
        }
        if self.class(at) != Class::Number {
            return start + 1;
        }
        at += 1;
        loop {
            let is_next_number = touches(at) && touches(at + 1) && self.class(at + 1) == Class::Number;
            at += match self.class(at) {
                Class::Number if touches(at) => 1,
                Class::Point if is_next_number => 2,
                Class::Dash if is_next_number && !self.is_arabic => 2,
                Class::Sign if touches(at) && !self.is_arabic => 1,
                _ => return at,
            };
        }
    }

    fn is_sign(&self, at: usize) -> bool {
        self.class(at) == Class::Sign && !self.is_arabic
    }
}

/// Builds the logical order of a row.
struct Reading<'r> {
    row: &'r Row,
    read: Vec<Read>,
}

impl Reading<'_> {
    fn read_right(&mut self) {
        let mut at = 0;
        while at < self.row.pieces.len() {
            if self.row.class(at).is_right() {
                let end = self.row.end_of_turned(at);
                self.read_left(at..end, self.row.gap(at));
                at = end;
            } else {
                self.push(at, self.row.gap(at), false);
                at += 1;
            }
        }
    }

    /// Reads `range` from right to left. `is_spaced` says whether a space precedes it.
    fn read_left(&mut self, range: Range<usize>, is_spaced: bool) {
        let mut runs = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let end = self.row.end_of_kept(at, range.end);
            runs.push(at..end);
            at = end;
        }
        let mut is_spaced = is_spaced;
        for run in runs.into_iter().rev() {
            let is_turned =
                matches!(self.row.class(run.start), class if class != Class::Left && class != Class::Number);
            let start = run.start;
            for at in run {
                let before = if at == start { is_spaced } else { self.row.gap(at) };
                self.push(at, before, is_turned);
            }
            is_spaced = self.row.gap(start);
        }
    }

    fn push(&mut self, at: usize, is_spaced: bool, is_turned: bool) {
        if let Some(piece) = self.row.pieces.get(at) {
            self.read.push(Read { piece: Piece { is_spaced, ..piece.clone() }, is_turned });
        }
    }
}

fn last_left(classes: &[Class]) -> Vec<Option<usize>> {
    let mut last = None;
    let mut found = Vec::with_capacity(classes.len());
    for (at, class) in classes.iter().enumerate().rev() {
        last = match class {
            right if right.is_right() => None,
            Class::Left => last.or(Some(at)),
            _ => last,
        };
        found.push(last);
    }
    found.reverse();
    found
}

/// The glyphs from left to right. Combining marks are placed before their letter, so that they follow it once reversed.
fn placed(pieces: &[Piece]) -> Vec<Piece> {
    let mut placed = pieces.to_vec();
    placed.sort_by(|a, b| a.mark.start.total_cmp(&b.mark.start));
    if !placed.iter().any(is_mark) {
        return placed;
    }
    let keys = placed.iter().enumerate().map(|(at, piece)| {
        let letter = if is_mark(piece) { letter_under(&placed, at) } else { None };
        (letter.unwrap_or(piece.mark.start), letter.is_none())
    });
    let mut keyed = keys.zip(placed.iter().cloned()).collect::<Vec<_>>();
    keyed.sort_by(|((one, is_one), _), ((other, is_other), _)| one.total_cmp(other).then(is_one.cmp(is_other)));
    keyed.into_iter().map(|(_, piece)| piece).collect()
}

fn is_mark(piece: &Piece) -> bool {
    piece.mark.said.first().is_some_and(is_combining_mark)
}

/// The start of the letter below the combining mark at `at`.
fn letter_under(placed: &[Piece], at: usize) -> Option<f64> {
    let mark = &placed.get(at)?.mark;
    let middle = f64::midpoint(mark.start, mark.end);
    let near = placed.iter().skip(at.saturating_sub(MAX_NEIGHBOURS)).take(2 * MAX_NEIGHBOURS);
    let under = near.filter(|piece| !is_mark(piece) && (piece.mark.start..piece.mark.end).contains(&middle));
    under.map(|piece| piece.mark.start).reduce(f64::max)
}

/// Whether a space is to the left of each glyph: by distance, or because a space was drawn there.
fn gaps(placed: &[Piece], drawn: &[Piece]) -> Vec<bool> {
    let parted = drawn.windows(2).filter_map(|pair| match pair {
        [before, after] if after.is_spaced => Some(places(before, after)),
        _ => None,
    });
    let parted = parted.collect::<HashSet<_>>();
    let between = placed.windows(2).map(|pair| match pair {
        [left, right] => {
            parted.contains(&places(left, right)) || is_space(right.mark.start - left.mark.end, right.mark.size)
        }
        _ => false,
    });
    std::iter::once(false).chain(between).collect()
}

/// A key for a pair of neighbours, whatever their order.
fn places(one: &Piece, other: &Piece) -> (u64, u64) {
    let (one, other) = (one.mark.start.to_bits(), other.mark.start.to_bits());
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::mark::{Frame, Mark, Said};
    use super::*;

    /// The text read from `shown`, drawn from left to right with one em for each character.
    fn read(shown: &str, brackets: Brackets) -> String {
        let mut marks = Vec::new();
        let mut start = 0.0;
        for character in shown.chars() {
            let end = if is_combining_mark(character) { start } else { start + 10.0 };
            let begins = if end > start { start } else { start - 6.0 };
            let (said, frame) = (Said::One(character), Frame::default());
            marks.push(Mark { said, frame, start: begins, end: end.max(begins + 0.1), across: 0.0, size: 10.0 });
            start = end;
        }
        lines(marks).iter().map(|line| line.text(brackets)).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn letters_are_turned_and_numbers_stand() {
        let cases = [
            ("םולש", "שלום"),
            ("םלוע ,םולש", "שלום, עולם"),
            ("00:ףגא", "אגף:00"),
            ("22.11.2026 םוי", "יום 22.11.2026"),
            ("054-1234567 :ןופלט", "טלפון: 054-1234567"),
            ("50% החנה", "הנחה 50%"),
            ("₪35 ריחמ", "מחיר ₪35"),
            ("200 100 םירפסמ", "מספרים 100 200"),
            ("Windows 95 השדחה הסרגה", "הגרסה החדשה Windows 95"),
            ("٪٥٠ ةبسن", "نسبة ٥٠٪"),
            ("%50 ةبسن", "نسبة 50%"),
        ];
        for (shown, expected) in cases {
            assert_eq!(read(shown, Brackets::Meant), expected);
        }
    }

    #[test]
    fn words_within_a_line_of_another_script_are_turned_with_their_numbers() {
        let shown = "In Hebrew it is םולש 12 םולש here";
        assert_eq!(read(shown, Brackets::Meant), "In Hebrew it is שלום 12 שלום here");
        assert_eq!(read("over here: םולש", Brackets::Meant), "over here: שלום");
    }

    #[test]
    fn marks_follow_their_letters() {
        assert_eq!(read("םוָלש", Brackets::Meant).chars().nth(3), Some('\u{5B8}'));
    }

    #[test]
    fn brackets_open_before_they_close() {
        let of = |shown: &str| {
            let mark = |(at, said)| Mark {
                said: Said::One(said),
                frame: Frame::default(),
                start: at,
                end: at + 10.0,
                across: 0.0,
                size: 10.0,
            };
            let places = std::iter::successors(Some(0.0), |at| Some(at + 10.0));
            Brackets::of(lines(places.zip(shown.chars()).map(mark).collect()).iter())
        };
        assert_eq!(of("(אב) גד"), Brackets::Shaped);
        assert_eq!(of(")אב( גד"), Brackets::Meant);
        assert_eq!(of("גד) אב"), Brackets::Shaped);
        assert_eq!(read("(בא) דג", Brackets::Shaped), "גד (אב)");
        assert_eq!(read(")בא( דג", Brackets::Meant), "גד (אב)");
    }
}

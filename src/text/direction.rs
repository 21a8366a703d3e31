//! Right-to-left text: from the order in which it stands to the order in which it is read.
//!
//! Producers draw it in either order, so that only the places of the glyphs tell. What UAX 9 does is undone: letters are
//! put in the order of their places and each run is turned, numbers and words of other scripts kept as they stand, with
//! the signs that belong to a number. Nested embeddings cannot be told from places.
//!
//! Fonts name brackets by their shape or by what they mean; of the two, a page has the one that opens brackets before
//! it closes them.

mod brackets;
mod class;

pub(super) use brackets::Brackets;

use super::lines::{Piece, is_space};
use class::{Class, class};
use std::collections::HashSet;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// Signs before a number.
const MAX_SIGNS: usize = 4;

/// Neighbours among which the letter of a mark is.
const MAX_NEIGHBOURS: usize = 8;

/// Whether a letter is of a script that is read from right to left.
pub(super) fn is_right_to_left(character: Option<char>) -> bool {
    character.is_some_and(|character| matches!(class(character), Class::Right | Class::Arabic))
}

/// The pieces of a line in the order in which they are read.
pub(super) fn logical(pieces: &[Piece], brackets: Brackets) -> Vec<Piece> {
    let mut logical = reordered(pieces);
    logical.iter_mut().filter(|read| read.is_turned).for_each(|read| brackets.apply(&mut read.piece.mark.said));
    logical.into_iter().map(|read| read.piece).collect()
}

/// A piece where it is read.
struct Read {
    piece: Piece,
    /// Whether it reads to the left.
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

/// Pieces from left to right.
struct Row {
    pieces: Vec<Piece>,
    classes: Vec<Class>,
    /// Whether a space is left of each.
    gaps: Vec<bool>,
    /// The last letter that reads to the right, before any that reads to the left, from each on.
    last_left: Vec<Option<usize>>,
    /// Whether numbers are taken as Arabic ones, to which fewer signs belong (UAX 9, W2).
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

    /// The end of what begins at `at` and is read from right to left, in a line that is read to the right.
    fn end_of_turned(&self, at: usize) -> usize {
        let rest = self.classes.iter().enumerate().skip(at).take_while(|(_, class)| **class != Class::Left);
        rest.filter(|(_, class)| class.is_right()).last().map_or(at + 1, |(last, _)| last + 1)
    }

    /// The end of what begins at `at` and is read to the right, in text that is read to the left: `at` + 1 for what is
    /// alone.
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

/// What was read so far.
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

    /// Reads `range` to the left; `is_spaced` says whether a space goes before it.
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

/// The pieces from left to right; marks over a letter stand left of it, so that they follow it when it is turned.
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

/// Where the letter begins that the mark at `at` is over.
fn letter_under(placed: &[Piece], at: usize) -> Option<f64> {
    let mark = &placed.get(at)?.mark;
    let middle = f64::midpoint(mark.start, mark.end);
    let near = placed.iter().skip(at.saturating_sub(MAX_NEIGHBOURS)).take(2 * MAX_NEIGHBOURS);
    let under = near.filter(|piece| !is_mark(piece) && (piece.mark.start..piece.mark.end).contains(&middle));
    under.map(|piece| piece.mark.start).reduce(f64::max)
}

/// Whether a space is left of each of `placed`: the distance says so, or a space was drawn there.
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

/// What tells two neighbours from all others, whichever comes first.
fn places(one: &Piece, other: &Piece) -> (u64, u64) {
    let (one, other) = (one.mark.start.to_bits(), other.mark.start.to_bits());
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use super::super::lines::lines;
    use super::super::mark::{Frame, Mark, Said};
    use super::*;

    /// What is read where `shown` stands on the page, one em a character, drawn from left to right.
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

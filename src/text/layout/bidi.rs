//! Converts right-to-left text from visual to logical order.
//!
//! Producers draw it in either order, so only the positions of glyphs are reliable. UAX 9 is reversed: glyphs are sorted
//! by position and right-to-left runs reversed, while numbers with their signs and words of other scripts keep their
//! order. Nested embeddings cannot be recovered from positions.
//!
//! Fonts name brackets by shape or by meaning. A page uses the one with which brackets open before they close.

mod bidi_class;
mod brackets;

pub(crate) use brackets::BracketNaming;

use super::lines::{LineGlyph, TextLine};
use bidi_class::{BidiClass, class_of};
use std::collections::HashSet;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// The most signs before a number.
const MAX_SIGNS: usize = 4;

/// A number that stands further from the word to its left, in ems, does not belong to it.
const APART_EM: f64 = 1.2;

/// The letter of a combining mark is searched for among this many neighbours on each side.
const MAX_NEIGHBOURS: usize = 8;

/// Whether a character is of a right-to-left script.
pub(crate) fn is_right_to_left(character: Option<char>) -> bool {
    character.is_some_and(|character| matches!(class_of(character), BidiClass::Right | BidiClass::Arabic))
}

pub(crate) fn logical_order(line: &TextLine, brackets: BracketNaming) -> Vec<LineGlyph> {
    let mut order = reorder(line);
    order.iter_mut().filter(|read| read.is_reversed).for_each(|read| brackets.apply(&mut read.line_glyph.glyph.text));
    order.into_iter().map(|read| read.line_glyph).collect()
}

/// A glyph in logical order.
struct OrderedGlyph {
    line_glyph: LineGlyph,
    /// Whether it is part of a reversed run.
    is_reversed: bool,
}

fn reorder(line: &TextLine) -> Vec<OrderedGlyph> {
    let row = VisualRow::of(line);
    let count = |of: fn(BidiClass) -> bool| row.classes.iter().filter(|class| of(**class)).count();
    let mut order = LogicalOrder { row: &row, read: Vec::with_capacity(line.glyphs.len()) };
    if line.is_among_left || count(BidiClass::is_right) >= count(|class| class == BidiClass::Left) {
        order.read_right_to_left(0..row.glyphs.len(), false);
    } else {
        order.read_left_to_right();
    }
    order.read
}

/// The glyphs of a line from left to right.
struct VisualRow {
    glyphs: Vec<LineGlyph>,
    classes: Vec<BidiClass>,
    /// Whether a space is to the left of each glyph.
    spaces_before: Vec<bool>,
    /// For each glyph, the last left-to-right letter before the next right-to-left one.
    last_left: Vec<Option<usize>>,
    /// Whether numbers count as Arabic, with which fewer signs belong to them (UAX 9, W2).
    is_arabic: bool,
}

impl VisualRow {
    fn of(line: &TextLine) -> Self {
        let glyphs = sort_by_position(&line.glyphs);
        let classes =
            glyphs.iter().map(|line_glyph| line_glyph.glyph.text.first().map_or(BidiClass::Neutral, class_of));
        let classes = classes.collect::<Vec<_>>();
        let is_arabic = classes.contains(&BidiClass::Arabic);
        Self { spaces_before: spaces_before(&glyphs, line), last_left: last_left(&classes), glyphs, classes, is_arabic }
    }

    fn class(&self, at: usize) -> BidiClass {
        self.classes.get(at).copied().unwrap_or(BidiClass::Neutral)
    }

    fn has_space_before(&self, at: usize) -> bool {
        self.spaces_before.get(at).copied().unwrap_or(false)
    }

    /// The end of the right-to-left run at `at`, in a left-to-right line.
    fn end_of_right_to_left_run(&self, at: usize) -> usize {
        let rest = self.classes.iter().enumerate().skip(at).take_while(|(_, class)| **class != BidiClass::Left);
        rest.filter(|(_, class)| class.is_right()).last().map_or(at + 1, |(last, _)| last + 1)
    }

    /// The end of the left-to-right run at `at`, in a right-to-left line; `at` + 1 for a single glyph.
    fn end_of_left_to_right_run(&self, at: usize, end: usize) -> usize {
        let number = self.end_of_number(at, end);
        let is_word = match self.class(at) {
            BidiClass::Left => true,
            BidiClass::Number => self.is_before_word(number),
            _ => false,
        };
        let word = self.last_left.get(at).copied().flatten().filter(|last| is_word && *last < end);
        let Some(last) = word else { return number };
        // A number right after a word belongs to it (UAX 9, W7). One further away may be that of a section.
        let next = (last + 1..end).find(|next| !self.class(*next).is_neutral());
        let is_near = |next: usize| {
            let pair = self.glyphs.get(last).zip(self.glyphs.get(next));
            pair.is_some_and(|(word, number)| number.gap_after(word) < APART_EM)
        };
        next.filter(|next| self.class(*next) == BidiClass::Number && is_near(*next))
            .map_or(last + 1, |next| self.end_of_number(next, end))
    }

    /// Whether a word to the right of a number that ends at `end` belongs to it: none that stands apart, or behind a leader.
    fn is_before_word(&self, end: usize) -> bool {
        let next = (end..self.glyphs.len()).take(MAX_SIGNS).find(|next| self.class(*next) == BidiClass::Left);
        let near = next.and_then(|next| self.glyphs.get(end.checked_sub(1)?..=next)).unwrap_or_default();
        let is_near = |pair: &[LineGlyph]| matches!(pair, [one, other] if other.gap_after(one) < APART_EM);
        !near.is_empty() && near.windows(2).all(is_near)
    }

    /// The end of a number with its signs (UAX 9, W4 and W5).
    fn end_of_number(&self, start: usize, end: usize) -> usize {
        let touches = |at: usize| at < end && !self.has_space_before(at);
        let is_minus = self.is_minus(start) && touches(start + 1);
        let mut at = if is_minus { start + 1 } else { start };
        while self.is_sign(at) && touches(at + 1) && at < start + MAX_SIGNS {
            at += 1;
        }
        if self.class(at) != BidiClass::Number {
            return start + 1;
        }
        at += 1;
        loop {
            let is_next_number = touches(at) && touches(at + 1) && self.class(at + 1) == BidiClass::Number;
            at += match self.class(at) {
                BidiClass::Number if touches(at) => 1,
                BidiClass::Point if is_next_number => 2,
                BidiClass::Dash if is_next_number && !self.is_arabic => 2,
                BidiClass::Sign if touches(at) && !self.is_arabic => 1,
                _ => return at,
            };
        }
    }

    /// Whether a dash may be the minus of the number to its right: to its left is another number, or nothing. A dash between a
    /// number and a word belongs to both, or ends the number of an item.
    fn is_minus(&self, at: usize) -> bool {
        let is_apart = at == 0 || self.has_space_before(at) && self.class(at - 1) == BidiClass::Number;
        self.class(at) == BidiClass::Dash && is_apart
    }

    fn is_sign(&self, at: usize) -> bool {
        self.class(at) == BidiClass::Sign && !self.is_arabic
    }
}

/// Builds the logical order of a row.
struct LogicalOrder<'r> {
    row: &'r VisualRow,
    read: Vec<OrderedGlyph>,
}

impl LogicalOrder<'_> {
    fn read_left_to_right(&mut self) {
        let mut at = 0;
        while at < self.row.glyphs.len() {
            if self.row.class(at).is_right() {
                let end = self.row.end_of_right_to_left_run(at);
                self.read_right_to_left(at..end, self.row.has_space_before(at));
                at = end;
            } else {
                self.push(at, self.row.has_space_before(at), false);
                at += 1;
            }
        }
    }

    /// Reads `range` from right to left. `is_spaced` says whether a space precedes it.
    fn read_right_to_left(&mut self, range: Range<usize>, is_spaced: bool) {
        let mut runs = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let end = self.row.end_of_left_to_right_run(at, range.end);
            runs.push(at..end);
            at = end;
        }
        let mut is_spaced = is_spaced;
        for run in runs.into_iter().rev() {
            let is_reversed =
                matches!(self.row.class(run.start), class if class != BidiClass::Left && class != BidiClass::Number);
            let start = run.start;
            for at in run {
                let before = if at == start { is_spaced } else { self.row.has_space_before(at) };
                self.push(at, before, is_reversed);
            }
            is_spaced = self.row.has_space_before(start);
        }
    }

    fn push(&mut self, at: usize, is_spaced: bool, is_reversed: bool) {
        if let Some(line_glyph) = self.row.glyphs.get(at) {
            self.read.push(OrderedGlyph { line_glyph: LineGlyph { is_spaced, ..line_glyph.clone() }, is_reversed });
        }
    }
}

fn last_left(classes: &[BidiClass]) -> Vec<Option<usize>> {
    let mut last = None;
    let mut found = Vec::with_capacity(classes.len());
    for (at, class) in classes.iter().enumerate().rev() {
        last = match class {
            right if right.is_right() => None,
            BidiClass::Left => last.or(Some(at)),
            _ => last,
        };
        found.push(last);
    }
    found.reverse();
    found
}

/// The glyphs from left to right. Combining marks are placed before their letter, so that they follow it once reversed.
fn sort_by_position(glyphs: &[LineGlyph]) -> Vec<LineGlyph> {
    let mut sorted = glyphs.to_vec();
    sorted.sort_by(|a, b| a.glyph.start.total_cmp(&b.glyph.start));
    if !sorted.iter().any(is_mark) {
        return sorted;
    }
    let keys = sorted.iter().enumerate().map(|(at, line_glyph)| {
        let letter = if is_mark(line_glyph) { letter_under(&sorted, at) } else { None };
        (letter.unwrap_or(line_glyph.glyph.start), letter.is_none())
    });
    let mut keyed = keys.zip(sorted.iter().cloned()).collect::<Vec<_>>();
    keyed.sort_by(|((one, is_one), _), ((other, is_other), _)| one.total_cmp(other).then(is_one.cmp(is_other)));
    keyed.into_iter().map(|(_, line_glyph)| line_glyph).collect()
}

pub(super) fn is_mark(line_glyph: &LineGlyph) -> bool {
    line_glyph.glyph.text.first().is_some_and(is_combining_mark)
}

/// The start of the letter below the combining mark at `at`.
fn letter_under(sorted: &[LineGlyph], at: usize) -> Option<f64> {
    let glyph = &sorted.get(at)?.glyph;
    let middle = f64::midpoint(glyph.start, glyph.end);
    let near = sorted.iter().skip(at.saturating_sub(MAX_NEIGHBOURS)).take(2 * MAX_NEIGHBOURS);
    let under = near
        .filter(|line_glyph| !is_mark(line_glyph) && (line_glyph.glyph.start..line_glyph.glyph.end).contains(&middle));
    under.map(|line_glyph| line_glyph.glyph.start).reduce(f64::max)
}

/// Whether a space is to the left of each glyph: by distance, or because a space was drawn there. What stands to the left of a
/// letter stands to the left of its marks, which precede it here.
fn spaces_before(sorted: &[LineGlyph], line: &TextLine) -> Vec<bool> {
    let drawn_spaces = drawn_spaces(&line.glyphs);
    let mut spaces = vec![false; sorted.len()];
    let letters: Vec<usize> = (0..sorted.len()).filter(|at| !sorted.get(*at).is_some_and(is_mark)).collect();
    for pair in letters.windows(2) {
        if let [left, right] = *pair
            && let (Some(one), Some(next)) = (sorted.get(left), sorted.get(right))
        {
            let is_space = drawn_spaces.contains(&pair_key(one, next)) || next.gap_after(one) > line.least_space;
            spaces.iter_mut().skip(left + 1).take(1).for_each(|space| *space = is_space);
        }
    }
    spaces
}

/// The letters between which a space is drawn, maybe beside a mark.
fn drawn_spaces(glyphs: &[LineGlyph]) -> HashSet<(u64, u64)> {
    let (mut last, mut after_space) = (None, false);
    let mut spaces = HashSet::new();
    for own in glyphs {
        after_space |= own.follows_space;
        if is_mark(own) {
            continue;
        }
        spaces.extend(last.filter(|_| after_space).map(|last| pair_key(last, own)));
        (last, after_space) = (Some(own), false);
    }
    spaces
}

/// A key for a pair of neighbours, whatever their order.
fn pair_key(one: &LineGlyph, other: &LineGlyph) -> (u64, u64) {
    let (one, other) = (one.glyph.start.to_bits(), other.glyph.start.to_bits());
    (one.min(other), one.max(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glyphs::PlacedGlyph;
    use crate::layout::lines::group_into_lines;

    /// The text read from `shown`, drawn from left to right with one em for each character.
    fn read(shown: &str, brackets: BracketNaming) -> String {
        let mut glyphs = Vec::new();
        let mut start = 0.0;
        for character in shown.chars() {
            let end = if is_combining_mark(character) { start } else { start + 10.0 };
            let begins = if end > start { start } else { start - 6.0 };
            glyphs.push(PlacedGlyph::character(character, begins, end.max(begins + 0.1), 0.0, 10.0));
            start = end;
        }
        group_into_lines(glyphs).iter().map(|line| line.text(brackets)).collect::<Vec<_>>().join("|")
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
            ("-1.7 3.0 -20.6 אובי", "יבוא -20.6 3.0 -1.7"),
            ("ףיעס -5", "5- סעיף"),
            ("Windows 95 השדחה הסרגה", "הגרסה החדשה Windows 95"),
            ("٪٥٠ ةبسن", "نسبة ٥٠٪"),
            ("%50 ةبسن", "نسبة 50%"),
        ];
        for (shown, expected) in cases {
            assert_eq!(read(shown, BracketNaming::ByMeaning), expected);
        }
    }

    #[test]
    fn words_within_a_line_of_another_script_are_turned_with_their_numbers() {
        let shown = "In Hebrew it is םולש 12 םולש here";
        assert_eq!(read(shown, BracketNaming::ByMeaning), "In Hebrew it is שלום 12 שלום here");
        assert_eq!(read("over here: םולש", BracketNaming::ByMeaning), "over here: שלום");
    }

    #[test]
    fn lines_among_right_to_left_text_are_too_and_numbers_apart_stand_alone() {
        // The page has more Hebrew than its second line, which has more Latin.
        let page = |lines: &[&[(&str, f64)]]| {
            let place = |(row, line): (f64, &&[(&str, f64)])| {
                let parts = line.iter().map(move |(text, start)| PlacedGlyph::line(text, *start, row, 10.0));
                parts.flatten().collect::<Vec<_>>()
            };
            let glyphs = [0.0, 20.0, 40.0].into_iter().zip(lines).flat_map(place).collect();
            let lines = group_into_lines(glyphs);
            lines.iter().map(|line| line.text(BracketNaming::ByMeaning)).collect::<Vec<_>>()
        };
        let hebrew: &[(&str, f64)] = &[("םלוע ,םולש םלוע ,םולש", 0.0)];
        let mixed: &[(&str, f64)] = &[("3", 0.0), ("open-source", 20.0), ("םולש", 80.0), ("12", 115.0)];
        assert_eq!(page(&[hebrew, mixed]), ["שלום, עולם שלום, עולם", "12 שלום open-source 3"]);
        assert_eq!(page(&[&[("open source", 0.0)], mixed]).last().map(String::as_str), Some("3 open-source שלום 12"));
    }

    #[test]
    fn a_space_without_room_is_a_zero_width_non_joiner() {
        // The letters and the space of `روش‌ها`, as they stand on the page.
        let read = |room: f64| {
            let letters =
                [('ا', 0.0), ('ه', 10.0), (' ', 20.0), ('ش', 20.0 + room), ('و', 30.0 + room), ('ر', 40.0 + room)];
            let glyph = |(letter, start): (char, f64)| {
                let width = if letter == ' ' { 3.0 } else { 10.0 };
                PlacedGlyph::character(letter, start, start + width, 0.0, 10.0)
            };
            let lines = |letters: Vec<PlacedGlyph>| {
                group_into_lines(letters).iter().map(|line| line.text(BracketNaming::ByMeaning)).collect::<String>()
            };
            let glyphs = letters.map(glyph);
            [lines(glyphs.to_vec()), lines(glyphs.into_iter().rev().collect())]
        };
        assert_eq!(read(0.0), ["روش\u{200C}ها"; 2]);
        assert_eq!(read(3.0), ["روش ها"; 2]);
    }

    #[test]
    fn marks_follow_their_letters() {
        assert_eq!(read("םוָלש", BracketNaming::ByMeaning).chars().nth(3), Some('\u{5B8}'));
    }

    #[test]
    fn a_space_follows_a_word_that_ends_in_marks() {
        assert_eq!(read("גד אּב", BracketNaming::ByMeaning), "באּ דג");
    }

    #[test]
    fn brackets_open_before_they_close() {
        let of = |shown: &str| BracketNaming::of(group_into_lines(PlacedGlyph::line(shown, 0.0, 0.0, 20.0)).iter());
        assert_eq!(of("(אב) גד"), BracketNaming::ByShape);
        assert_eq!(of(")אב( גד"), BracketNaming::ByMeaning);
        assert_eq!(of("גד) אב"), BracketNaming::ByShape);
        assert_eq!(read("(בא) דג", BracketNaming::ByShape), "גד (אב)");
        assert_eq!(read(")בא( דג", BracketNaming::ByMeaning), "גד (אב)");
    }
}

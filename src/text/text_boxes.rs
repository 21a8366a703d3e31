//! Finds the boxes of a part of a page's text.
//!
//! A page's text and its words come from the same lines, in the same order. They differ in spaces, and in the hyphens
//! that were removed at the ends of lines. So both are walked side by side.

use std::ops::Range;

use super::layout::is_script_of;
use super::page_layout::Bounds;
use super::page_words::{PageWords, PlacedWord};

/// The most boxes of a part: it has one for each of its lines.
const MAX_BOXES: usize = 64;

/// How far ahead in the text a character of a word is searched for, in characters.
const MAX_SKIPPED: usize = 64;

/// The places of a page's words in its text.
#[derive(Debug)]
pub struct TextBoxes<'w> {
    words: &'w [PlacedWord],
    /// The bytes of each word's characters in the text, as far as they are there.
    ranges: Vec<Range<usize>>,
}

impl<'w> TextBoxes<'w> {
    /// Finds the words of a page in its text.
    #[must_use]
    pub fn new(text: &str, page: &'w PageWords) -> Self {
        let (mut at, mut ranges) = (0, Vec::with_capacity(page.words.len()));
        for word in &page.words {
            let mut range: Option<Range<usize>> = None;
            for character in word.text.chars() {
                let rest = text.get(at..).unwrap_or_default();
                if let Some(found) = place_of(character, rest) {
                    let start = at + found.start;
                    at += found.end;
                    range = Some(range.map_or(start, |range| range.start)..at);
                }
            }
            ranges.push(range.unwrap_or(at..at));
        }
        Self { words: &page.words, ranges }
    }

    /// The boxes of a part of the text, one for each of its lines.
    #[must_use]
    pub fn of(&self, part: &Range<usize>) -> Vec<Bounds> {
        let first = self.ranges.partition_point(|range| range.end <= part.start);
        let mut boxes: Vec<(u32, Bounds)> = Vec::new();
        for (word, range) in self.words.iter().zip(&self.ranges).skip(first) {
            if range.start >= part.end || boxes.len() > MAX_BOXES {
                break;
            }
            let bounds = part_of(word, range, part);
            match boxes.last_mut() {
                Some((line, whole)) if *line == word.line => *whole = whole.union(bounds),
                _ => boxes.push((word.line, bounds)),
            }
        }
        boxes.into_iter().map(|(_, bounds)| bounds).take(MAX_BOXES).collect()
    }
}

/// The bytes of `character` in the rest of the text: at its beginning, or after spaces and a few other characters.
fn place_of(character: char, rest: &str) -> Option<Range<usize>> {
    let mut ahead = rest.char_indices().filter(|(_, next)| !next.is_whitespace());
    let is_it = |(_, next): &(usize, char)| *next == character || is_script_of(*next, character);
    let found = match ahead.next() {
        Some(next) if is_it(&next) => Some(next),
        // A hyphen at the end of a line is not in the text.
        _ if matches!(character, '-' | '\u{2010}') => None,
        _ => ahead.take(MAX_SKIPPED).find(is_it),
    };
    found.map(|(at, found)| at..at + found.len_utf8())
}

/// The box of a part of a word. Its characters share its length equally.
fn part_of(word: &PlacedWord, range: &Range<usize>, part: &Range<usize>) -> Bounds {
    let share = |at: usize| to_share(at.clamp(range.start, range.end) - range.start, range.len());
    let (start, end) = (share(part.start), share(part.end));
    let Bounds { x0, y0, x1, y1 } = word.bounds;
    let (width, height) = (x1 - x0, y1 - y0);
    match word.turn {
        90 => Bounds { y0: y0 + height * start, y1: y0 + height * end, ..word.bounds },
        180 => Bounds { x0: x1 - width * end, x1: x1 - width * start, ..word.bounds },
        270 => Bounds { y0: y1 - height * end, y1: y1 - height * start, ..word.bounds },
        _ => Bounds { x0: x0 + width * start, x1: x0 + width * end, ..word.bounds },
    }
}

fn to_share(part: usize, whole: usize) -> f32 {
    let number = |count: usize| f32::from(u16::try_from(count).unwrap_or(u16::MAX));
    if whole == 0 { 0.0 } else { number(part) / number(whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of ten points a character, one line below the other.
    fn page(lines: &[&str]) -> PageWords {
        let mut words = Vec::new();
        for (line, text) in (0_u8..).zip(lines) {
            let mut x0 = 0.0;
            for word in text.split(' ') {
                let width = f32::from(u8::try_from(word.chars().count()).unwrap_or(u8::MAX)) * 10.0;
                let y0 = f32::from(line) * 20.0;
                let bounds = Bounds::from([x0, y0, x0 + width, y0 + 10.0]);
                words.push(PlacedWord { text: word.to_owned(), bounds, line: line.into(), ..PlacedWord::default() });
                x0 += width + 10.0;
            }
        }
        PageWords { width: 600.0, height: 800.0, words }
    }

    fn boxes(text: &str, lines: &[&str], part: &str) -> Vec<[f32; 4]> {
        let start = text.find(part).unwrap_or_default();
        let page = page(lines);
        TextBoxes::new(text, &page).of(&(start..start + part.len())).into_iter().map(Bounds::edges).collect()
    }

    #[test]
    fn a_part_has_one_box_on_each_of_its_lines() {
        let found = boxes("one two\nthree four", &["one two", "three four"], "two\nthree");
        assert_eq!(found, [[40.0, 0.0, 70.0, 10.0], [0.0, 20.0, 50.0, 30.0]]);
    }

    #[test]
    fn a_part_of_a_word_has_its_share_of_the_box() {
        assert_eq!(boxes("abcd", &["abcd"], "bc"), [[10.0, 0.0, 30.0, 10.0]]);
    }

    #[test]
    fn a_removed_hyphen_shifts_nothing() {
        let found = boxes("an international law", &["an inter-", "national law"], "law");
        assert_eq!(found, [[90.0, 20.0, 120.0, 30.0]]);
        let found = boxes("an international law", &["an inter-", "national law"], "international");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_superscript_shifts_nothing() {
        assert_eq!(boxes("MSs¹ one", &["MSs 1 one"], "one"), [[60.0, 0.0, 90.0, 10.0]]);
    }

    #[test]
    fn a_word_that_the_text_lacks_is_skipped() {
        let found = boxes("one three", &["one @@@@ three"], "three");
        assert_eq!(found, [[90.0, 0.0, 140.0, 10.0]]);
    }
}

//! Fonts of a fixed pitch whose widths do not say so: all their words have the same width for each character.

use super::super::bounds::{Frame, quarters};
use super::super::page_structure::has_letter;
use pagewise_base::script::is_ideograph;
use pagewise_text::{Bounds, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Fewer words of a font show no pitch.
const MIN_WORDS: usize = 3;
/// A font has the pitch of another font of the page if at least so many of its words differ from it by less than so many ems. Two
/// words of prose may come nearer than a larger tolerance by chance.
const MIN_ALIKE: usize = 2;
const ALIKE_EM: f32 = 0.002;
/// A word shows the pitch of its font by so many different letters. Most fonts have digits of one width.
const MIN_LETTERS: usize = 4;
/// Pitches that differ by less, in ems, are one.
const TOLERANCE_EM: f32 = 0.008;
/// The most characters from the beginning of a word of a listing to that of the next, and how far, in characters, their
/// number may be off a whole one.
const MAX_TYPED: f32 = 100.0;
const PITCH_TOLERANCE: f32 = 0.1;
/// Half an em, in ems. The letters of most fonts of code are wider.
const HALF_EM: Range<f32> = 0.47..0.53;

/// The fonts of a page that have a fixed pitch.
#[derive(Debug, Default)]
pub(super) struct FixedPitchFonts(BTreeSet<u16>);

impl FixedPitchFonts {
    /// Finds them by words that differ.
    pub(super) fn of(words: &[Word], frame: Frame) -> Self {
        let mut pitches: BTreeMap<u16, Pitches> = BTreeMap::new();
        for word in words.iter().filter(|word| !word.is_proportional && shows_pitch(&word.text)) {
            pitches.entry(word.font).or_default().add(&word.text, pitch_of(word, frame));
        }
        let is_fixed = |own: &Pitches| own.most - own.least < TOLERANCE_EM && own.least > 0.0;
        let shown: Vec<&Pitches> = pitches.values().filter(|own| own.texts.len() >= MIN_WORDS).collect();
        let fixed: Vec<f32> = shown.iter().filter(|own| is_fixed(own)).map(|own| own.least).collect();
        // On a page that is written in one pitch throughout, this says nothing of a font.
        if fixed.len() == shown.len() && !words.iter().any(|word| word.is_proportional) {
            return Self::default();
        }
        let is_near = |own: &Pitches, pitch: f32| (pitch - own.least).abs().max((pitch - own.most).abs()) < ALIKE_EM;
        let is_alike = |own: &Pitches| fixed.iter().any(|pitch| is_near(own, *pitch));
        let has_pitch = |own: &Pitches| match own.texts.len() {
            MIN_WORDS.. => is_fixed(own),
            count => count >= MIN_ALIKE && is_alike(own),
        };
        Self(pitches.iter().filter(|(_, own)| has_pitch(own)).map(|(font, _)| *font).collect())
    }

    pub(super) fn contains(&self, font: u16) -> bool {
        self.0.contains(&font)
    }
}

/// The fonts of ideographs, whose letters have half the width of these. Beside ideographs of their size they are no code,
/// and signs such as arrows are none in any font.
#[derive(Debug, Default)]
pub(super) struct HalfWidthText {
    fonts: BTreeSet<u16>,
    /// The lines of ideographs, with their sizes.
    lines: BTreeSet<(u32, i32)>,
}

impl HalfWidthText {
    pub(super) fn of(words: &[Word], frame: Frame) -> Self {
        let mut text = Self::default();
        let (wide, others): (Vec<&Word>, Vec<&Word>) =
            words.iter().partition(|word| word.text.chars().any(is_ideograph));
        text.lines.extend(wide.iter().map(|word| line_and_size(word)));
        let mut pitches: BTreeMap<u16, f32> = BTreeMap::new();
        for word in others.iter().filter(|word| word.is_monospace && shows_pitch(&word.text)) {
            let least = pitches.entry(word.font).or_insert(f32::INFINITY);
            *least = least.min(pitch_of(word, frame));
        }
        let half = pitches.iter().filter(|(_, pitch)| HALF_EM.contains(*pitch));
        text.fonts.extend(wide.iter().map(|word| word.font).chain(half.map(|(font, _)| *font)));
        // Code is the smaller part of the letters and numbers beside ideographs.
        let is_beside = |word: &&&Word| has_letter(&word.text) && text.lines.contains(&line_and_size(word));
        let beside = || others.iter().filter(is_beside);
        if 2 * beside().filter(|word| text.fonts.contains(&word.font)).count() < beside().count() {
            text.fonts.clear();
        }
        text
    }

    pub(super) fn contains(&self, word: &Word) -> bool {
        let is_sign = !word.text.is_ascii() && !has_letter(&word.text);
        (is_sign || self.fonts.contains(&word.font)) && self.lines.contains(&line_and_size(word))
    }
}

/// The width of each character of a word, in ems.
fn pitch_of(word: &Word, frame: Frame) -> f32 {
    let count = u16::try_from(word.text.chars().count()).unwrap_or(u16::MAX);
    frame.of_page(word.bounds).width() / f32::from(count) / word.size
}

fn line_and_size(word: &Word) -> (u32, i32) {
    (word.line, quarters(word.size))
}

/// The pitches of the words of a font.
struct Pitches<'w> {
    /// The first few words that differ.
    texts: BTreeSet<&'w str>,
    least: f32,
    most: f32,
}

impl Default for Pitches<'_> {
    fn default() -> Self {
        Self { texts: BTreeSet::new(), least: f32::INFINITY, most: 0.0 }
    }
}

impl<'w> Pitches<'w> {
    fn add(&mut self, text: &'w str, pitch: f32) {
        if self.texts.len() < MIN_WORDS {
            self.texts.insert(text);
        }
        (self.least, self.most) = (self.least.min(pitch), self.most.max(pitch));
    }
}

/// The distance between characters of a fixed pitch, in the unit of the words' widths; `None` without words in ASCII. Take
/// the longest and the shortest word: it is the difference of their widths, divided by that of their numbers of characters. One
/// word alone would give too little, since the ink of its last character may be narrower than the pitch.
pub(crate) fn pitch<'w>(words: impl Iterator<Item = (&'w str, f32)>) -> Option<f32> {
    let words = words.filter(|(text, _)| text.is_ascii());
    let lengths: Vec<(u16, f32)> =
        words.filter_map(|(text, width)| Some((u16::try_from(text.len()).ok()?, width))).collect();
    let (most, long) = lengths.iter().max_by_key(|(count, _)| *count)?;
    let (least, short) = lengths.iter().min_by_key(|(count, _)| *count)?;
    let pitch = match most - least {
        0 => long / f32::from((*most).max(1)),
        more => (long - short) / f32::from(more),
    };
    Some(pitch.max(0.1))
}

/// Whether text of a pitch goes on from one word to another: whole characters after it begins.
pub(crate) fn is_whole_shift(before: Bounds, own: Bounds, pitch: f32) -> bool {
    let shift = (own.x0 - before.x0) / pitch;
    (1.0..MAX_TYPED).contains(&shift.round()) && (shift - shift.round()).abs() < PITCH_TOLERANCE
}

fn shows_pitch(text: &str) -> bool {
    let letters: BTreeSet<char> = text.chars().filter(char::is_ascii_alphabetic).take(100).collect();
    letters.len() >= MIN_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_whole_also_where_it_is_a_little_less_than_a_character() {
        let at = |x0: f32| Bounds { x0, y0: 0.0, x1: x0 + 4.0, y1: 10.0 };
        for (shift, is_whole) in [(4.497, true), (4.53, true), (9.0, true), (2.2, false), (0.1, false), (6.7, false)] {
            assert_eq!(is_whole_shift(at(50.0), at(50.0 + shift), 4.5), is_whole, "{shift}");
        }
    }
}

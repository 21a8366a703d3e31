//! Folds typographic variants, so that texts that read alike compare alike.
//!
//! Quotes, dashes, ligatures, full-width forms and composed accents become one form. What changes the sense stays:
//! superscripts, fractions, case.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::layout::hyphens::{NON_JOINER, SOFT_HYPHEN};

/// A folded text that remembers where its parts come from.
#[derive(Debug)]
pub(super) struct FoldedText<'a> {
    source: &'a str,
    pub(super) text: String,
    /// Positions in `text` and in `source`, wherever their difference changes.
    positions: Vec<(usize, usize)>,
}

impl<'a> FoldedText<'a> {
    /// Folds `source`, and inserts `mark` at each of `marked`, which ascend.
    pub(super) fn of(source: &'a str, marked: &[u64], mark: char) -> Self {
        let mut folded = Self { source, text: String::with_capacity(source.len()), positions: Vec::new() };
        let mut from = 0;
        for position in marked {
            let to = usize::try_from(*position).unwrap_or(usize::MAX);
            if source.get(from..to).is_some() {
                folded.push(from..to);
                folded.note(to);
                folded.text.push(mark);
                from = to;
            }
        }
        folded.push(from..source.len());
        folded.note(source.len());
        folded
    }

    /// `source` as it is.
    pub(super) fn unchanged(source: &'a str) -> Self {
        Self { source, text: source.to_owned(), positions: Vec::new() }
    }

    fn push(&mut self, range: Range<usize>) {
        let source = self.source;
        let part = source.get(range.clone()).unwrap_or_default();
        let mut characters = part.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            self.note(range.start + at);
            let mut end = at + character.len_utf8();
            while let Some((mark_at, mark)) = characters.next_if(|(_, next)| is_mark(*next)) {
                end = mark_at + mark.len_utf8();
            }
            match end - at > character.len_utf8() {
                true => self.text.extend(part.get(at..end).unwrap_or_default().nfkc()),
                false => push_folded(character, &mut self.text),
            }
        }
    }

    /// Notes that what follows comes from `at` in the source.
    fn note(&mut self, at: usize) {
        let folded = self.text.len();
        let is_known = self.positions.last().map_or(at == folded, |(before, source)| at - source == folded - before);
        if !is_known {
            self.positions.push((folded, at));
        }
    }

    /// Where a part of the folded text comes from, in whole characters.
    pub(super) fn source_range(&self, part: Range<usize>) -> Range<usize> {
        let (mut start, mut end) = (self.source_position(part.start), self.source_position(part.end));
        while start > 0 && !self.source.is_char_boundary(start) {
            start -= 1;
        }
        while end < self.source.len() && !self.source.is_char_boundary(end) {
            end += 1;
        }
        start..end.max(start)
    }

    fn source_position(&self, at: usize) -> usize {
        let next = self.positions.partition_point(|(folded, _)| *folded <= at);
        let (folded, source) = next.checked_sub(1).and_then(|last| self.positions.get(last)).copied().unwrap_or((0, 0));
        let bound = self.positions.get(next).map_or(self.source.len(), |(_, source)| *source);
        (source + (at - folded)).min(bound)
    }
}

/// Folds text whose parts need no positions.
pub(super) fn fold(text: &str) -> String {
    FoldedText::of(text, &[], SOFT_HYPHEN).text
}

/// Whether a character belongs to the one before it. Half-width voice marks do so only once they are folded.
fn is_mark(character: char) -> bool {
    is_combining_mark(character) || matches!(character, '\u{FF9E}' | '\u{FF9F}')
}

fn push_folded(character: char, text: &mut String) {
    match character {
        _ if character.is_ascii() => text.push(character),
        // A zero-width non-joiner may be written or not.
        SOFT_HYPHEN | NON_JOINER => {}
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{2039}' | '\u{203A}' | '\u{B4}' => text.push('\''),
        '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{AB}' | '\u{BB}' => text.push('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => text.push('-'),
        // Ligatures of letters, full-width and half-width forms, compatibility ideographs.
        '\u{FB00}'..='\u{FB06}' | '\u{FF00}'..='\u{FFEF}' | '\u{F900}'..='\u{FAFF}' | '\u{3000}' => {
            text.extend(std::iter::once(character).nfkc());
        }
        _ => text.push(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_that_read_alike_are_folded() {
        let pairs = [
            ("“don’t” «stop»", "\"don't\" \"stop\""),
            ("1914–1918 — −5", "1914-1918 - -5"),
            ("eﬃcient ﬁnd", "efficient find"),
            ("ＡＢＣ１２３　ｶﾞ", "ABC123 ガ"),
            ("cafe\u{301} a\u{30A}", "café å"),
            ("co\u{AD}operate", "cooperate"),
            ("روش\u{200C}ها", "روشها"),
            ("x² ½ ™ …", "x² ½ ™ …"),
        ];
        for (text, folded) in pairs {
            assert_eq!(fold(text), folded);
        }
    }

    #[test]
    fn a_part_of_the_folded_text_leads_to_whole_characters_of_the_source() {
        let source = "an “eﬃcient” cafe\u{301}, ＡＢ";
        let folded = FoldedText::of(source, &[3], SOFT_HYPHEN);
        let of = |part: &str| {
            let start = folded.text.find(part).unwrap_or_default();
            source.get(folded.source_range(start..start + part.len())).unwrap_or_default()
        };
        assert_eq!(
            ["efficient", "ff", "fi", "café", "B", "\"ef"].map(of),
            ["eﬃcient", "ﬃ", "ﬃ", "cafe\u{301}", "Ｂ", "“eﬃ"]
        );
        assert_eq!(of("\u{AD}"), "");
    }
}

//! The terms of a page, with how often and where they stand.

use std::collections::BTreeMap;

use super::language::Stemmer;
use super::marked_text::{LineKind, marked_lines};
use super::tokens::{Token, tokens};

/// Parts of a page in which words count as near each other.
pub(crate) const PASSAGES: usize = 8;

/// Words of the shortest passage.
const MIN_PASSAGE_WORDS: u32 = 40;

/// The highest counts that postings hold.
pub(crate) const MAX_COUNT: u8 = 15;
/// The same for headings.
pub(crate) const MAX_HEADINGS: u8 = 3;

/// A word of an outline title counts as so many words of a heading.
const OUTLINE_COUNT: u8 = 2;

/// How often a term stands on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Occurrence {
    /// In the text, at most [`MAX_COUNT`].
    pub(crate) count: u8,
    /// In headings, at most [`MAX_HEADINGS`].
    pub(crate) headings: u8,
    /// One bit for each passage.
    pub(crate) passages: u8,
}

/// A page that is ready for the index.
#[derive(Debug, Default)]
pub(crate) struct PageTerms {
    /// By key.
    pub(crate) terms: BTreeMap<String, Occurrence>,
    /// Words on the page.
    pub(crate) words: u32,
    /// Whether it lists titles with page numbers.
    pub(crate) is_contents: bool,
}

impl PageTerms {
    /// The terms of a marked text.
    pub(crate) fn of(marked: &str, is_contents: bool, stemmer: &Stemmer) -> Self {
        let found = tokens(marked, stemmer);
        let words = found.last().map_or(0, |last| last.position.saturating_add(1));
        let mut page = Self { words, is_contents, ..Self::default() };
        let width = (words / u32::try_from(PASSAGES).unwrap_or(1)).max(MIN_PASSAGE_WORDS);
        let mut lines = marked_lines(marked).peekable();
        for token in &found {
            while lines.next_if(|(_, _, end)| *end <= token.start).is_some() {}
            let passage = passage_bit(token.position / width);
            match lines.peek().map_or(LineKind::Text, |(kind, _, _)| *kind) {
                LineKind::Running => {}
                LineKind::Outline => page.add_heading(token),
                LineKind::Heading => page.add(token, !page.is_contents, passage),
                LineKind::Text => page.add(token, false, passage),
            }
        }
        page
    }

    fn add(&mut self, token: &Token, is_heading: bool, passage: u8) {
        let occurrence = self.terms.entry(token.key.clone()).or_default();
        occurrence.count = (occurrence.count + 1).min(MAX_COUNT);
        occurrence.passages |= passage;
        if is_heading {
            occurrence.headings = (occurrence.headings + 1).min(MAX_HEADINGS);
        }
    }

    fn add_heading(&mut self, token: &Token) {
        let occurrence = self.terms.entry(token.key.clone()).or_default();
        occurrence.headings = (occurrence.headings + OUTLINE_COUNT).min(MAX_HEADINGS);
    }
}

/// The bit of a passage. Words past the last passage are in it.
fn passage_bit(passage: u32) -> u8 {
    1_u8.checked_shl(passage).unwrap_or(1 << (PASSAGES - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_headings_and_titles_count_apart_and_running_lines_do_not_count() {
        let marked = "\u{1}Annual report\n\u{2}Net income\n\nThe income rose, and the income fell.\n\u{3}Income\n";
        let page = PageTerms::of(marked, false, &Stemmer::of(""));
        assert!(!page.terms.contains_key("annual"));
        assert_eq!(page.terms.get("net"), Some(&Occurrence { count: 1, headings: 1, passages: 1 }));
        assert_eq!(page.terms.get("income"), Some(&Occurrence { count: 3, headings: 3, passages: 1 }));
        assert_eq!(page.terms.get("rose"), Some(&Occurrence { count: 1, headings: 0, passages: 1 }));
    }

    #[test]
    fn far_words_are_in_other_passages() {
        let marked = (0..800).map(|number| format!("w{number} ")).collect::<String>();
        let page = PageTerms::of(&marked, false, &Stemmer::of(""));
        assert_eq!(page.terms.get("w0").map(|term| term.passages), Some(1));
        assert_eq!(page.terms.get("w799").map(|term| term.passages), Some(128));
    }
}

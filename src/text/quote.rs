//! Checks whether a passage is in a document: word for word, with alterations, or not at all.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::page_text::PageText;
use super::quote_words::{Word, words};
use super::search::excerpt_line;
use pagewise_base::page::{PageIndex, PageSet};

/// The most words of a quote.
const MAX_QUOTE_WORDS: usize = 1_000;

/// The share of a quote's words, in percent, that an altered passage has in the same order.
const ALTERED_PERCENT: usize = 70;

/// Words beside a quote's own number that a passage across two pages may have for running lines.
const RUNNING_WORDS: usize = 40;

/// Lines at the end and at the beginning of a page that may be running lines.
const RUNNING_LINES: usize = 2;

/// Looks for a quote in the pages of a document, which are added in order.
#[derive(Debug)]
pub struct QuoteSearch {
    quote: Vec<Word>,
    source: String,
    key: String,
    /// The end of the page before.
    tail: Option<(PageIndex, String)>,
    verbatim: PageSet,
    excerpt: String,
    /// Where the first passage is in the text of its page, if it ends on it.
    place: Option<Range<usize>>,
    nearest: Option<Passage>,
}

/// Why a quote cannot be looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuoteError {
    /// It has no words.
    #[error("it has no words")]
    NoWords,
    /// It has too many words.
    #[error("it has {found} words, and at most {MAX_QUOTE_WORDS} can be compared")]
    TooLong {
        /// Its words.
        found: usize,
    },
}

/// What became of a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuoteVerdict {
    /// It is there word for word.
    Verbatim {
        /// The first page where it begins.
        page: PageIndex,
        /// The pages where it begins.
        pages: PageSet,
        /// The first passage.
        excerpt: String,
        /// Where it is in the page's text, if it ends on the page.
        place: Option<Range<usize>>,
    },
    /// A passage like it is there.
    Altered {
        /// The page where the passage begins.
        page: PageIndex,
        /// The passage.
        excerpt: String,
        /// Where it is in the page's text, if it ends on the page.
        place: Option<Range<usize>>,
        /// Where its words differ from the quote.
        differences: Vec<WordDifference>,
    },
    /// No passage is like it.
    Absent,
}

impl QuoteVerdict {
    /// The page where the passage begins.
    #[must_use]
    pub fn page(&self) -> Option<PageIndex> {
        match self {
            Self::Verbatim { page, .. } | Self::Altered { page, .. } => Some(*page),
            Self::Absent => None,
        }
    }
}

/// Words of a quote and what the document has in their place. One of them may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordDifference {
    pub quote: String,
    pub document: String,
}

/// A part of the document that may be the quote, altered.
#[derive(Debug)]
struct Passage {
    page: PageIndex,
    /// Whether it goes on to the next page.
    is_across: bool,
    text: String,
    words: Vec<Word>,
    /// Words that it has in common with the quote, in any order.
    common: usize,
}

impl QuoteSearch {
    /// Prepares to look for `quote`.
    ///
    /// # Errors
    /// The quote has no words, or too many.
    pub fn new(quote: &str) -> Result<Self, QuoteError> {
        let found = words(quote, &[]);
        match found.len() {
            0 => return Err(QuoteError::NoWords),
            found if found > MAX_QUOTE_WORDS => return Err(QuoteError::TooLong { found }),
            _ => {}
        }
        Ok(Self {
            key: found.iter().map(|word| word.key.as_str()).collect(),
            quote: found,
            source: quote.to_owned(),
            tail: None,
            verbatim: PageSet::new(),
            excerpt: String::new(),
            place: None,
            nearest: None,
        })
    }

    /// Looks for it on a page, and across the end of the page before.
    pub fn add_page(&mut self, page: PageIndex, text: &PageText) {
        let found = words(&text.text, &text.joints);
        let is_new = !self.is_in(page, &text.text, &found, false);
        if let Some((before, tail)) = self.tail.take().filter(|(before, _)| before.0 + 1 == page.0 && is_new) {
            self.look_across(before, &tail, &text.text);
        }
        self.tail = Some((page, end_of(&text.text, self.longest_part()).to_owned()));
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> QuoteVerdict {
        let first = self.verbatim.iter().next();
        if let Some(page) = first {
            let Self { verbatim: pages, excerpt, place, .. } = self;
            return QuoteVerdict::Verbatim { page, pages, excerpt, place };
        }
        let altered = self.nearest.as_ref().and_then(|nearest| self.compare(nearest));
        altered.unwrap_or(QuoteVerdict::Absent)
    }

    /// Bytes of a page's end or beginning that a quote across two pages can reach into.
    fn longest_part(&self) -> usize {
        const BYTES_A_WORD: usize = 16;
        2 * self.source.len() + RUNNING_WORDS * BYTES_A_WORD
    }

    /// Looks for the quote where it begins on one page and ends on the next. Headers and footers may stand between.
    fn look_across(&mut self, before: PageIndex, tail: &str, page: &str) {
        let head = beginning_of(page, self.longest_part());
        for tail in without_last_lines(tail) {
            for head in without_first_lines(head) {
                // The seam is no hyphen's end: a word divided over two pages is not joined.
                let text = format!("{tail}\n{head}");
                let found = words(&text, &[]);
                if self.is_in(before, &text, &found, true) {
                    return;
                }
            }
        }
    }

    /// Notes the page if the quote is in `text` word for word, and else remembers the passage that is most like it.
    fn is_in(&mut self, page: PageIndex, text: &str, found: &[Word], is_across: bool) -> bool {
        if let Some(range) = self.verbatim_in(found) {
            if self.verbatim.is_empty() {
                let words = found.get(range).unwrap_or_default();
                self.excerpt = excerpt_of(text, words);
                self.place = place_of(words).filter(|_| !is_across);
            }
            self.verbatim.insert(page);
            return true;
        }
        if self.verbatim.is_empty() {
            self.remember_nearest(page, text, found, is_across);
        }
        false
    }

    /// The words that are the quote, in whatever way they are divided.
    fn verbatim_in(&self, found: &[Word]) -> Option<Range<usize>> {
        let mut starts = BTreeMap::new();
        let mut text = String::new();
        for (at, word) in found.iter().enumerate() {
            starts.insert(text.len(), at);
            text.push_str(&word.key);
        }
        starts.insert(text.len(), found.len());
        let mut places = text.match_indices(&self.key);
        places.find_map(|(start, key)| Some(*starts.get(&start)?..*starts.get(&(start + key.len()))?))
    }

    /// Slides a window over the words, and keeps the one that has most words in common with the quote.
    fn remember_nearest(&mut self, page: PageIndex, text: &str, found: &[Word], is_across: bool) {
        let wanted = self.quote.len();
        let mut needed: BTreeMap<String, isize> = BTreeMap::new();
        for word in &self.quote {
            *needed.entry(word.key.to_lowercase()).or_default() += 1;
        }
        let (mut window, mut common, mut best) = (VecDeque::new(), 0_usize, (0, 0));
        for (at, word) in found.iter().enumerate() {
            let key = word.key.to_lowercase();
            if let Some(left) = needed.get_mut(&key) {
                common += usize::from(*left > 0);
                *left -= 1;
            }
            window.push_back(key);
            if window.len() > window_length(wanted) {
                let left = window.pop_front().and_then(|key| needed.get_mut(&key));
                if let Some(left) = left {
                    *left += 1;
                    common -= usize::from(*left > 0);
                }
            }
            if common > best.0 {
                best = (common, at);
            }
        }
        let (common, last) = best;
        let is_nearer = common > self.nearest.as_ref().map_or(0, |nearest| nearest.common);
        if is_nearer && is_alike(common, wanted) {
            // The window may have begun too early, and its end may be cut off.
            let first = last.saturating_sub(window_length(wanted));
            let words = found.iter().skip(first).take(last + wanted / 4 + 1 - first).cloned().collect::<Vec<_>>();
            self.nearest = Some(Passage { page, is_across, text: text.to_owned(), words, common });
        }
    }

    fn compare(&self, passage: &Passage) -> Option<QuoteVerdict> {
        let pairs = common_words(&self.quote, &passage.words);
        if !is_alike(pairs.len(), self.quote.len()) {
            return None;
        }
        let document = |from: usize, to: usize| passage.words.get(from..to).unwrap_or_default();
        let (first, last) = (pairs.first()?.1, pairs.last()?.1);
        // Words of the quote before the first and after the last common word have a counterpart at most as long.
        let (missing_before, missing_after) = (pairs.first()?.0, self.quote.len() - 1 - pairs.last()?.0);
        let (start, end) = (first.saturating_sub(missing_before), (last + 1 + missing_after).min(passage.words.len()));
        let mut differences = Vec::new();
        let (mut quoted, mut shown) = (0, start);
        for (in_quote, in_passage) in pairs.iter().copied().chain([(self.quote.len(), end)]) {
            let one = self.quote.get(quoted..in_quote).unwrap_or_default();
            differences.extend(self.difference(one, &passage.text, document(shown, in_passage)));
            let (one, other) = (self.quote.get(in_quote..=in_quote), passage.words.get(in_passage..=in_passage));
            if let (Some(one), Some(other)) = (one, other) {
                differences.extend(self.difference(one, &passage.text, other));
            }
            (quoted, shown) = (in_quote + 1, in_passage + 1);
        }
        let words = document(start, end);
        let (excerpt, place) = (excerpt_of(&passage.text, words), place_of(words).filter(|_| !passage.is_across));
        Some(QuoteVerdict::Altered { page: passage.page, excerpt, place, differences })
    }

    /// The difference of some words, if it is not only in how they are divided.
    fn difference(&self, quoted: &[Word], text: &str, found: &[Word]) -> Option<WordDifference> {
        let key = |words: &[Word]| words.iter().map(|word| word.key.as_str()).collect::<String>();
        (key(quoted) != key(found))
            .then(|| WordDifference { quote: span_of(&self.source, quoted), document: span_of(text, found) })
    }
}

/// The most words of a passage that may be an altered quote of this many.
fn window_length(quote: usize) -> usize {
    quote + quote / 4 + 2
}

/// Whether a passage with this many of the quote's words is like it.
fn is_alike(common: usize, quote: usize) -> bool {
    common >= 2 && common * 100 >= quote * ALTERED_PERCENT
}

/// The longest sequence of words that both have, whatever their case, as pairs of positions; of several, the one with most
/// words that follow each other in both.
fn common_words(quote: &[Word], passage: &[Word]) -> Vec<(usize, usize)> {
    /// A common word counts more than all that may follow each other.
    const WORD: u32 = 1 << 11;
    let lower = |words: &[Word]| words.iter().map(|word| word.key.to_lowercase()).collect::<Vec<_>>();
    let (one, other) = (lower(quote), lower(passage));
    let width = other.len() + 1;
    let at = |row: usize, column: usize| row * width + column;
    // What follows each pair of positions counts so much at most, and so much if the words there are a pair, row by row.
    let mut most = vec![0_u32; width * (one.len() + 1)];
    let mut paired = most.clone();
    let value = |counts: &[u32], row, column| counts.get(at(row, column)).copied().unwrap_or(0);
    let following = |paired: &[u32], row, column| match value(paired, row + 1, column + 1) {
        0 => 0,
        count => count + 1,
    };
    for (row, word) in one.iter().enumerate().rev() {
        for (column, other) in other.iter().enumerate().rev() {
            let pair = if word == other {
                WORD + value(&most, row + 1, column + 1).max(following(&paired, row, column))
            } else {
                0
            };
            let without = value(&most, row + 1, column).max(value(&most, row, column + 1));
            if let (Some(own), Some(best)) = (paired.get_mut(at(row, column)), most.get_mut(at(row, column))) {
                (*own, *best) = (pair, pair.max(without));
            }
        }
    }
    let (mut pairs, mut row, mut column) = (Vec::new(), 0, 0);
    let mut follows = false;
    while row < one.len() && column < other.len() {
        let pair = value(&paired, row, column);
        if follows || pair > 0 && pair == value(&most, row, column) {
            pairs.push((row, column));
            follows = following(&paired, row, column) > value(&most, row + 1, column + 1);
            (row, column) = (row + 1, column + 1);
        } else if value(&most, row + 1, column) >= value(&most, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// The text from the first to the last of some words of it.
fn span_of(text: &str, words: &[Word]) -> String {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => excerpt_line(text.get(first.source.start..last.source.end).unwrap_or_default()),
        _ => String::new(),
    }
}

/// Where some words are in their text.
fn place_of(words: &[Word]) -> Option<Range<usize>> {
    Some(words.first()?.source.start..words.last()?.source.end)
}

/// The most characters of a passage that are shown.
const MAX_EXCERPT_CHARACTERS: usize = 300;

fn excerpt_of(text: &str, words: &[Word]) -> String {
    let span = span_of(text, words);
    match span.char_indices().nth(MAX_EXCERPT_CHARACTERS) {
        Some((at, _)) => format!("{}\u{2026}", span.get(..at).unwrap_or_default()),
        None => span,
    }
}

fn end_of(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or_default()
}

fn beginning_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

fn without_last_lines(text: &str) -> impl Iterator<Item = &str> {
    fn shorter<'a>(text: &&'a str) -> Option<&'a str> {
        text.trim_end().rsplit_once('\n').map(|(rest, _)| rest)
    }
    std::iter::successors(Some(text), shorter).take(RUNNING_LINES + 1)
}

fn without_first_lines(text: &str) -> impl Iterator<Item = &str> {
    fn shorter<'a>(text: &&'a str) -> Option<&'a str> {
        text.trim_start().split_once('\n').map(|(_, rest)| rest)
    }
    std::iter::successors(Some(text), shorter).take(RUNNING_LINES + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(quote: &str, pages: &[&str]) -> QuoteVerdict {
        let Ok(mut search) = QuoteSearch::new(quote) else { return QuoteVerdict::Absent };
        for (page, text) in (0..).zip(pages) {
            search.add_page(PageIndex(page), &PageText { text: (*text).to_owned(), ..PageText::default() });
        }
        search.finish()
    }

    #[track_caller]
    fn check_altered(quote: &str, page: &str, expected: &[(&str, &str)]) {
        let QuoteVerdict::Altered { differences, .. } = verdict(quote, &[page]) else {
            assert_eq!(verdict(quote, &[page]), QuoteVerdict::Absent, "{quote} is expected to be altered");
            return assert!(expected.is_empty(), "{quote} is absent");
        };
        let found = differences.iter().map(|one| (one.quote.as_str(), one.document.as_str())).collect::<Vec<_>>();
        assert_eq!(found, expected, "{quote}");
    }

    const LAW: &str = "Chapter 2\nThe law does not protect a self-evi-\ndent truth for 10 years after “publication”,or 5% of it.\nThe end";

    #[test]
    fn spaces_hyphens_and_punctuation_are_no_alteration() {
        for quote in [
            "does not protect a self-evident truth for 10 years",
            "doesnot protect a self evident truth",
            "after \"publication\", or 5 % of it",
            "law",
        ] {
            assert!(matches!(verdict(quote, &[LAW]), QuoteVerdict::Verbatim { .. }), "{quote}");
        }
    }

    #[test]
    fn numbers_negations_and_case_are_alterations() {
        check_altered("The law does protect a self-evident truth", LAW, &[("", "not")]);
        check_altered("does not protect a self-evident truth for 12 years", LAW, &[("12", "10")]);
        check_altered("the law does not protect", LAW, &[("the", "The")]);
        check_altered("truth for 10 years before publication, or 5 of it", LAW, &[("before", "after"), ("", "%")]);
        check_altered("The law does not ever protect a self-evident truth", LAW, &[("ever", "")]);
    }

    #[test]
    fn of_equal_words_those_that_follow_each_other_are_the_passage() {
        let page = "Between them lies a fold, and a fold is a small act of arithmetic.";
        check_altered("fold is a small act of arithmetics", page, &[("arithmetics", "arithmetic")]);
        check_altered("fold is a tiny act of arithmetic", page, &[("tiny", "small")]);
        check_altered("a fold, and fold is a small act", page, &[("", "a")]);
    }

    #[test]
    fn a_part_of_a_word_or_number_is_no_word() {
        assert_eq!(verdict("0 years", &["10 years"]), QuoteVerdict::Absent);
        assert_eq!(verdict("lawful", &["It is unlawful, or un-\nlawful, or non-lawful"]), QuoteVerdict::Absent);
        assert_eq!(verdict("profit of 5", &["a profit of -5"]), verdict("profit of 5", &["a profit of −5"]));
        check_altered("a profit of 5", "a profit of -5", &[("5", "-5")]);
    }

    #[test]
    fn what_is_not_there_is_absent() {
        assert_eq!(verdict("An entirely different statement about nothing", &[LAW]), QuoteVerdict::Absent);
        assert_eq!(verdict("law", &[]), QuoteVerdict::Absent);
        assert_eq!(QuoteSearch::new(" … ").err(), Some(QuoteError::NoWords));
        assert!(QuoteSearch::new(&"word ".repeat(1_000)).is_ok());
        let long = QuoteSearch::new(&"word ".repeat(1_001)).err();
        assert_eq!(long, Some(QuoteError::TooLong { found: 1_001 }));
    }

    #[test]
    fn a_passage_goes_on_over_running_lines_to_the_next_page() {
        let pages = [
            "Head\nIt began on this page, and\n17",
            "Head\nended on that one. More.",
            "It began on this page, and ended",
        ];
        let pages_of = |quote: &str, count: usize| match verdict(quote, pages.get(..count).unwrap_or_default()) {
            QuoteVerdict::Verbatim { pages, .. } => pages.to_string(),
            _ => String::new(),
        };
        assert_eq!(pages_of("began on this page, and ended on that one", 2), "1");
        assert_eq!(pages_of("began on this page, and ended", 3), "1,3");
    }

    #[test]
    fn the_excerpt_is_the_passage() {
        let QuoteVerdict::Altered { excerpt, page, place, .. } =
            verdict("law does protect a self-evident", &["x", LAW])
        else {
            return assert!(LAW.is_empty(), "it is altered");
        };
        assert_eq!((page, excerpt.as_str()), (PageIndex(1), "law does not protect a self-evi-dent"));
        let place = place.and_then(|place| LAW.get(place));
        assert_eq!(place, Some("law does not protect a self-evi-\ndent"));
    }
}

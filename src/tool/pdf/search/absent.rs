//! What an exact search says when a page alone does not have the whole query.

use pagewise_base::page::PageIndex;
use pagewise_text::{PageText, Pattern, QuerySyntax, SearchHit};

use super::matched_page::counted;
use crate::context::one_line;
use crate::tool::pdf::arguments::SearchArguments;

/// Words of a query that are counted one by one.
const MAX_WORDS: usize = 12;

/// Lines at the foot and the head of pages that may stand between the parts of a match: footers, numbers, running titles.
const MAX_LINES_BETWEEN: usize = 2;

/// Lines of a page that a match over a page break may have.
const MAX_LINES_OF_MATCH: usize = 8;

/// A query of several words: what each of them gives.
#[derive(Clone)]
pub(super) struct SeveralWords(Vec<WordCount>);

/// Matches of a literal query that go over the break between two pages.
#[derive(Default)]
pub(super) struct PageBreaks {
    /// The page before, if it was searched.
    before: Option<(PageIndex, PageText)>,
}

#[derive(Clone)]
struct WordCount {
    word: String,
    pattern: Pattern,
    matches: usize,
    pages: usize,
}

impl SeveralWords {
    /// `None` for an expression and for a single word.
    pub(super) fn of(arguments: &SearchArguments) -> Option<Self> {
        let is_punctuation = |character: char| !character.is_alphanumeric();
        let words = arguments.query().split_whitespace().map(|word| word.trim_matches(is_punctuation));
        let words = words.filter(|word| !word.is_empty()).collect::<Vec<_>>();
        if arguments.regex || words.len() < 2 {
            return None;
        }
        let case = arguments.case();
        let count = |word: &&str| {
            let pattern = Pattern::new(word, QuerySyntax::Literal, case).ok()?;
            Some(WordCount { word: (*word).to_owned(), pattern, matches: 0, pages: 0 })
        };
        Some(Self(words.iter().take(MAX_WORDS).filter_map(count).collect()))
    }

    /// Counts the words of a page, while the query was not found.
    pub(super) fn count(&mut self, text: &PageText) {
        for word in &mut self.0 {
            let (_, matches) = word.pattern.hits(text, 0);
            word.matches += matches;
            word.pages += usize::from(matches > 0);
        }
    }

    /// Adds what the words give in another document.
    pub(super) fn add(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            word.matches += other.matches;
            word.pages += other.pages;
        }
    }

    /// What each word gives: `"harbour" 3 times on 2 pages, "whale" nowhere`.
    pub(super) fn phrase(&self) -> String {
        let words = self.0.iter().map(|count| match count.matches {
            0 => format!("\"{}\" nowhere", one_line(&count.word)),
            matches => format!(
                "\"{}\" {} on {}",
                one_line(&count.word),
                counted(matches, "time", "times"),
                counted(count.pages, "page", "pages")
            ),
        });
        words.collect::<Vec<_>>().join(", ")
    }

    /// The same, and how to find pages with some of them.
    pub(super) fn line(&self) -> String {
        let has_any = self.0.iter().any(|count| count.matches > 0);
        let ranked = if has_any { " Pages with most of them: pdf_search with ranked: true" } else { "" };
        format!("[The words alone: {}.{ranked}]", self.phrase())
    }
}

impl PageBreaks {
    /// A match across the break between the page before and this one. It counts for the page on which it begins.
    pub(super) fn across(
        &mut self,
        page: PageIndex,
        text: PageText,
        pattern: &Pattern,
    ) -> Option<(PageIndex, SearchHit)> {
        let found = self.before.as_ref().filter(|(before, _)| before.0 + 1 == page.0).and_then(|(before, first)| {
            let hit = match_across(&first.text, &text.text, pattern)?;
            Some((*before, hit))
        });
        self.before = Some((page, text));
        found
    }
}

fn match_across(first: &str, second: &str, pattern: &Pattern) -> Option<SearchHit> {
    let first_lines = lines(first);
    let second_lines = lines(second);
    for (foot, head) in (0..=MAX_LINES_BETWEEN).flat_map(|foot| (0..=MAX_LINES_BETWEEN).map(move |head| (foot, head))) {
        let end = first_lines.len().saturating_sub(foot);
        let tail = first_lines.get(end.saturating_sub(MAX_LINES_OF_MATCH)..end).unwrap_or_default();
        let next = second_lines.get(head..).unwrap_or_default();
        let (Some((start, _)), Some((_, end))) = (tail.first(), tail.last()) else { continue };
        let (Some((from, _)), Some((_, to))) = (next.first(), next.iter().take(MAX_LINES_OF_MATCH).next_back()) else {
            continue;
        };
        let tail = first.get(*start..*end).unwrap_or_default();
        let text = format!("{tail}\n{}", second.get(*from..*to).unwrap_or_default());
        let (hits, _) = pattern.hits(&PageText { text, ..PageText::default() }, usize::MAX);
        let is_across = |place: &std::ops::Range<usize>| place.start < tail.len() && place.end > tail.len();
        let hit = hits.into_iter().find(|hit| hit.places.iter().any(is_across));
        if let Some(hit) = hit {
            let place = hit.places.iter().find(|place| is_across(place)).map(|place| start + place.start..*end);
            return Some(SearchHit { places: place.into_iter().collect(), matches: 1, ..hit });
        }
    }
    None
}

/// Where the lines with text stand.
fn lines(text: &str) -> Vec<(usize, usize)> {
    let mut start = 0;
    let all = text.split('\n').map(|line| {
        let from = start;
        start += line.len() + 1;
        (line, from)
    });
    all.filter(|(line, _)| !line.trim().is_empty()).map(|(line, from)| (from, from + line.len())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_text::Case;

    #[test]
    fn a_word_goes_over_a_page_break() {
        let across = |query: &str, first: &str, second: &str| {
            let pattern = Pattern::new(query, QuerySyntax::Literal, Case::Insensitive).ok()?;
            match_across(first, second, &pattern)
        };
        assert!(across("harbour", "Today the har-\n3", "bour is closed").is_some());
        assert!(across("\u{6E2F}\u{53E3}\u{5173}\u{95ED}", "\u{6E2F}\u{53E3}", "\u{5173}\u{95ED}").is_some());
        assert!(across("harbour", "the har", "bour is closed").is_none());
    }

    #[test]
    fn a_match_goes_over_a_page_break_and_the_lines_between() {
        let pattern = Pattern::new("the harbour is closed", QuerySyntax::Literal, Case::Insensitive).ok();
        let across = |first: &str, second: &str| match_across(first, second, pattern.as_ref()?);
        let first = "One.\nToday the harbour\n";
        let hit = across(first, "is closed. Two.");
        assert_eq!(
            hit.map(|hit| hit.places.iter().map(|place| first.get(place.clone())).collect::<Vec<_>>()),
            Some(vec![Some("the harbour")])
        );
        assert!(across("Today the harbour\n\n3", "Annual report\n\nis closed.").is_some());
        assert!(across("The harbour is closed.", "is closed").is_none());
        assert!(across("the harbour", "").is_none());
    }
}

//! Searches the text of a page.
//!
//! Typographic variants are folded in the text and in the query. A word divided at the end of a line is found with and
//! without its hyphen. For this, removed hyphens are restored as soft hyphens, and a literal query allows one, or a hyphen
//! before a line end, between any two letters.

use std::ops::Range;

use regex::{Regex, RegexBuilder};

use super::fold::{FoldedText, fold};
use super::layout::hyphens::SOFT_HYPHEN;
use super::page_text::PageText;
use pagewise_base::script::is_ideograph;

/// The length of an excerpt before and after the match, in characters.
const CONTEXT_CHARACTERS: usize = 80;

/// An excerpt begins and ends with a whole word if that takes no more than this many characters.
const WORD_CHARACTERS: usize = 15;

/// The most characters of a match that an excerpt shows.
const MAX_MATCH_CHARACTERS: usize = 300;

/// The most bytes of an excerpt of several matches.
const MAX_EXCERPT_BYTES: usize = 600;

/// The most matches of an excerpt whose places are told.
const MAX_PLACES: usize = 32;

/// The size limit of a compiled expression.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Matches the place in folded text where a word may be divided at the end of a line.
const DIVISION: &str = "(?:\u{AD}|-\\n)?";

/// Matches a hyphen in a word of folded text. The line may end after it.
const HYPHEN: &str = "(?:-\\n?|\u{AD})";

/// Matches the place in folded text where a line may end without a space.
const LINE_END: &str = r"\n?";

/// A compiled query.
#[derive(Debug, Clone)]
pub struct Pattern {
    plain: Regex,
    /// Whether typographic variants are folded. An expression that names a variant is searched as it is.
    is_folded: bool,
    /// How text with divided words is searched.
    readings: Readings,
}

/// How both readings of divided words are searched.
#[derive(Debug, Clone)]
enum Readings {
    /// At once, with an expression that allows divisions.
    Both(Regex),
    /// One after the other, with the unchanged expression.
    Each,
}

/// Why a query could not be compiled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatternError {
    /// The compiler's message.
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuerySyntax {
    /// Literal text. White space matches any white space, including line ends.
    Literal,
    /// A regular expression. `^` and `$` match at lines.
    Expression,
}

/// Whether a search is case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Case-sensitive.
    Sensitive,
    /// Case-insensitive.
    Insensitive,
}

/// Matches that stand together, with the text around them, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// The first matching text.
    pub matched: String,
    /// The matches with the text before, between and after them.
    pub excerpt: String,
    /// How many matches it shows.
    pub matches: usize,
    /// Where the first of them are in the page's text.
    pub places: Vec<Range<usize>>,
    /// Where these stand in the excerpt, in bytes.
    pub spans: Vec<Range<usize>>,
}

impl Pattern {
    /// Compiles a query.
    ///
    /// # Errors
    /// The query is no regular expression, or compiles to a too large one.
    pub fn new(query: &str, kind: QuerySyntax, case: Case) -> Result<Self, PatternError> {
        let compiled = |expression: &str| {
            let mut builder = RegexBuilder::new(expression);
            builder.case_insensitive(case == Case::Insensitive).multi_line(true).size_limit(MAX_PATTERN_BYTES).build()
        };
        let folded = fold(query);
        let is_folded = kind == QuerySyntax::Literal || folded == query;
        let plain = match kind {
            QuerySyntax::Literal => compiled(&literal(&folded, |word| spelled(word, ""))),
            QuerySyntax::Expression => compiled(query),
        };
        let plain = plain.map_err(|error| PatternError { reason: error.to_string() })?;
        // If the query is too long for the combined expression, each reading is searched alone.
        let both = (kind == QuerySyntax::Literal)
            .then(|| compiled(&literal(&folded, |word| spelled(word, DIVISION))).ok())
            .flatten();
        Ok(Self { plain, is_folded, readings: both.map_or(Readings::Each, Readings::Both) })
    }

    /// The first `max` matches in the text of a page, in excerpts, and the number of all matches. Empty matches do not
    /// count.
    #[must_use]
    pub fn hits(&self, page: &PageText, max: usize) -> (Vec<SearchHit>, usize) {
        let is_divided = !page.joints.is_empty()
            || page.text.contains("-\n")
            || page.text.contains("\u{2010}\n")
            || page.text.contains("\u{2011}\n");
        let without_hyphens = || self.folded(page, &[], SOFT_HYPHEN);
        match &self.readings {
            _ if !is_divided => hits(&self.plain, &page.text, &without_hyphens(), max),
            Readings::Both(both) => hits(both, &page.text, &self.folded(page, &page.joints, SOFT_HYPHEN), max),
            Readings::Each => {
                let joined = hits(&self.plain, &page.text, &without_hyphens(), max);
                let hyphenated = hits(&self.plain, &page.text, &self.folded(page, &page.joints, '-'), max);
                if hyphenated.1 > joined.1 { hyphenated } else { joined }
            }
        }
    }

    /// The text to search, with `hyphen` in place of each hyphen removed at `joints`.
    fn folded<'p>(&self, page: &'p PageText, joints: &[u64], hyphen: char) -> FoldedText<'p> {
        match self.is_folded {
            true => FoldedText::of(&page.text, joints, hyphen),
            false => FoldedText::unchanged(&page.text),
        }
    }
}

/// The expression for a literal query; `word` gives that of a word.
fn literal(query: &str, word: impl Fn(&str) -> String) -> String {
    query.split_whitespace().map(word).collect::<Vec<_>>().join(r"\s+")
}

/// The expression for a word that may have `division` between two letters, and a line end where a script needs no space.
fn spelled(word: &str, division: &str) -> String {
    let mut expression = String::new();
    let mut before = None;
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let is_within =
            before.is_some_and(char::is_alphanumeric) && characters.peek().is_some_and(|next| next.is_alphanumeric());
        match character {
            '-' if is_within && !division.is_empty() => expression.push_str(HYPHEN),
            _ => {
                if before.is_some() && (is_ideograph(character) || before.is_some_and(is_ideograph)) {
                    expression.push_str(LINE_END);
                } else if character.is_alphabetic() && before.is_some_and(char::is_alphabetic) {
                    expression.push_str(division);
                }
                expression.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
            }
        }
        before = Some(character);
    }
    expression
}

fn hits(expression: &Regex, text: &str, folded: &FoldedText<'_>, max: usize) -> (Vec<SearchHit>, usize) {
    let mut excerpts: Vec<Excerpt> = Vec::new();
    let mut count = 0;
    for found in expression.find_iter(&folded.text).filter(|found| !found.is_empty()) {
        count += 1;
        if count > max {
            continue;
        }
        let next = Excerpt::of(text, folded.source_range(found.range()));
        let shown = excerpts.last().map_or(0, |last| last.shown.end);
        if !excerpts.last_mut().is_some_and(|last| last.takes(&next)) {
            excerpts.push(Excerpt { shown: next.shown.start.max(shown)..next.shown.end, ..next });
        }
    }
    (excerpts.iter().map(|excerpt| excerpt.hit(text)).collect(), count)
}

/// A part of a text around one or more matches, in bytes.
struct Excerpt {
    first_match: Range<usize>,
    /// The matches after the first.
    others: Vec<Range<usize>>,
    shown: Range<usize>,
}

impl Excerpt {
    fn of(text: &str, matched: Range<usize>) -> Self {
        let before = text.get(..matched.start).unwrap_or_default();
        let after = text.get(matched.end..).unwrap_or_default();
        let start = before.char_indices().rev().take(CONTEXT_CHARACTERS).last().map_or(matched.start, |(at, _)| at);
        let end = after.char_indices().nth(CONTEXT_CHARACTERS).map_or(after.len(), |(at, _)| at);
        let start = if start == 0 { 0 } else { start + next_word(text.get(start..matched.start).unwrap_or_default()) };
        let end = if end == after.len() { end } else { last_word(after.get(..end).unwrap_or_default()) };
        let shown = start..matched.end + end;
        Self { first_match: matched, others: Vec::new(), shown }
    }

    /// Takes the match of `next` too if their excerpts overlap. Returns whether it did.
    fn takes(&mut self, next: &Self) -> bool {
        let is_near = next.shown.start <= self.shown.end && next.shown.end - self.shown.start <= MAX_EXCERPT_BYTES;
        let is_within = next.first_match.end <= self.shown.end;
        if is_near {
            self.shown.end = next.shown.end;
        }
        self.others.extend((is_near || is_within).then(|| next.first_match.clone()));
        is_near || is_within
    }

    fn hit(&self, text: &str) -> SearchHit {
        let part = |range: Range<usize>| text.get(range).unwrap_or_default();
        let (start, end) = (self.shown.start.min(self.first_match.start), self.shown.end);
        let whole_match = part(self.first_match.clone());
        let matched = whole_match
            .char_indices()
            .nth(MAX_MATCH_CHARACTERS)
            .map_or(whole_match, |(at, _)| part(self.first_match.start..self.first_match.start + at));
        let is_cut = matched.len() < whole_match.len();
        let shown_match = self.first_match.start..self.first_match.start + matched.len();
        let others = self.others.iter().filter(|_| !is_cut).cloned();
        let mut line = ExcerptLine::new(start > 0);
        let mut at = start;
        for found in std::iter::once(shown_match).chain(others) {
            line.push(part(at..found.start));
            line.push_match(part(found.start.max(at)..found.end));
            at = found.end.max(at);
        }
        line.push(if is_cut { "\u{2026}" } else { part(at..end) });
        let ExcerptLine { text: excerpt, spans, .. } = line.trimmed();
        let places = std::iter::once(&self.first_match).chain(&self.others).take(MAX_PLACES).cloned().collect();
        SearchHit { matched: excerpt_line(matched), excerpt, matches: 1 + self.others.len(), places, spans }
    }
}

struct ExcerptLine {
    text: String,
    /// Bytes of the ellipsis before it.
    start: usize,
    /// Where the matches stand.
    spans: Vec<Range<usize>>,
}

impl ExcerptLine {
    /// A line that begins with an ellipsis if it does not begin with the page.
    fn new(has_ellipsis: bool) -> Self {
        let text = if has_ellipsis { "\u{2026}".to_owned() } else { String::new() };
        Self { start: text.len(), text, spans: Vec::new() }
    }

    /// Adds text with its white space collapsed.
    fn push(&mut self, text: &str) {
        for character in text.chars() {
            match character.is_whitespace() {
                true if self.text.len() == self.start || self.text.ends_with(' ') => {}
                // The hyphen of a compound that goes on in the next line.
                true if character == '\n' && self.text.ends_with('-') && !self.text.ends_with(" -") => {}
                true => self.text.push(' '),
                false if character == SOFT_HYPHEN => {}
                false => self.text.push(character),
            }
        }
    }

    fn push_match(&mut self, text: &str) {
        let start = self.text.len();
        self.push(text);
        self.spans.push(start..self.text.len());
    }

    /// The same without spaces at the end.
    fn trimmed(mut self) -> Self {
        let length = self.text.trim_end().len();
        self.text.truncate(length);
        self.spans.iter_mut().for_each(|span| *span = span.start.min(length)..span.end.min(length));
        self
    }
}

/// Where the next word of `text` begins, if that is near, and else 0.
fn next_word(text: &str) -> usize {
    let mut near = text.char_indices().take(WORD_CHARACTERS);
    near.find(|(_, character)| character.is_whitespace()).map_or(0, |(at, space)| at + space.len_utf8())
}

/// A part of a page's text on one line.
pub(super) fn excerpt_line(text: &str) -> String {
    let mut line = ExcerptLine::new(false);
    line.push(text);
    line.trimmed().text
}

/// Where the last whole word of `text` ends, if that is near, and else the end.
fn last_word(text: &str) -> usize {
    let mut near = text.char_indices().rev().take(WORD_CHARACTERS);
    near.find(|(_, character)| character.is_whitespace()).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::super::layout::hyphens::join_words;
    use super::*;

    fn excerpts(query: &str, kind: QuerySyntax, case: Case, text: &str) -> Vec<String> {
        let (text, joints) = join_words(text);
        let page = PageText { text, joints, ..PageText::default() };
        let (hits, count) = Pattern::new(query, kind, case).unwrap().hits(&page, 9);
        assert_eq!(hits.iter().map(|hit| hit.matches).sum::<usize>(), count);
        for hit in &hits {
            assert_eq!(hit.spans.len(), hit.matches, "{hit:?}");
            assert_eq!(hit.excerpt.get(hit.spans[0].clone()), Some(hit.matched.as_str()));
        }
        hits.into_iter().map(|hit| hit.excerpt).collect()
    }

    #[test]
    fn a_literal_is_found_across_lines_and_in_any_case() {
        let text = "It costs\n5.00 EUR (net).";
        assert_eq!(excerpts("COSTS 5.00", QuerySyntax::Literal, Case::Insensitive, text), ["It costs 5.00 EUR (net)."]);
        assert!(excerpts("COSTS", QuerySyntax::Literal, Case::Sensitive, text).is_empty());
        assert!(excerpts("5x00", QuerySyntax::Literal, Case::Insensitive, text).is_empty());
        assert_eq!(excerpts(r"^\d\.\d+", QuerySyntax::Expression, Case::Sensitive, text).len(), 1);
        assert!(excerpts("x*", QuerySyntax::Expression, Case::Sensitive, text).is_empty());
    }

    #[test]
    fn both_readings_of_a_divided_word_are_found() {
        let text = "the co\u{AD}\noperation of well-\nKnown ABC-\n12 part\u{AD}\nners, pages 10-\n12";
        let found = |query: &str| excerpts(query, QuerySyntax::Literal, Case::Insensitive, text).len();
        for query in ["cooperation", "co-operation", "well-known", "wellknown", "ABC-12", "part-ners, pages 10-12"] {
            assert_eq!(found(query), 1, "{query}");
        }
        for query in ["1012", "ABC12", "part ners", "c-ooperation", "the-co"] {
            assert_eq!(found(query), 0, "{query}");
        }
        let shown = excerpts("co-operation of wellknown", QuerySyntax::Literal, Case::Insensitive, text);
        assert!(shown.iter().all(|excerpt| excerpt.starts_with("the cooperation of well-Known ABC-12 partners")));
        for expression in ["co-?oper", "co-oper", "cooper"] {
            assert_eq!(excerpts(expression, QuerySyntax::Expression, Case::Sensitive, text).len(), 1, "{expression}");
        }
    }

    #[test]
    fn words_without_spaces_are_found_over_line_ends() {
        let found = |text: &str| {
            excerpts("\u{7531}\u{516C}\u{53F8}\u{7684}PDF\u{7248}", QuerySyntax::Literal, Case::Sensitive, text)
        };
        for text in [
            "\u{7531}\u{516C}\n\u{53F8}\u{7684}PDF\u{7248}",
            "\u{7531}\u{516C}\u{53F8}\u{7684}\nPDF\n\u{7248} well-\nknown",
        ] {
            assert_eq!(found(text).len(), 1, "{text}");
        }
        assert!(found("\u{7531}\u{516C} \u{53F8}\u{7684}PDF\u{7248}").is_empty());
    }

    #[test]
    fn an_excerpt_says_where_its_matches_stand() {
        let page = PageText { text: "A fold,\n two \u{AD}folds \nand a FOLD.".to_owned(), ..PageText::default() };
        let (hits, _) = Pattern::new("fold", QuerySyntax::Literal, Case::Insensitive).unwrap().hits(&page, 9);
        let found = hits[0].spans.iter().map(|span| hits[0].excerpt.get(span.clone()).unwrap()).collect::<Vec<_>>();
        assert_eq!((hits[0].excerpt.as_str(), found), ("A fold, two folds and a FOLD.", vec!["fold", "fold", "FOLD"]));
    }

    #[test]
    fn excerpts_are_cut_between_characters() {
        let text = format!("{}needle{}", "é".repeat(200), "é".repeat(200));
        let found = excerpts("needle", QuerySyntax::Literal, Case::Sensitive, &text);
        assert_eq!(found, [format!("…{}needle{}", "é".repeat(80), "é".repeat(80))]);
    }

    #[test]
    fn an_expression_that_is_none_or_too_large_is_refused() {
        assert!(Pattern::new("(", QuerySyntax::Expression, Case::Sensitive).is_err());
        assert!(Pattern::new(r"\w{1000}{1000}", QuerySyntax::Expression, Case::Sensitive).is_err());
    }
}

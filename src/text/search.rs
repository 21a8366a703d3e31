//! Searches the text of a page.
//!
//! A word divided at the end of a line is found with and without its hyphen. For this, removed hyphens are restored as
//! soft hyphens, and a literal query allows one, or a hyphen before a line end, between any two letters.

use super::layout::hyphens::SOFT_HYPHEN;
use super::page_text::PageText;
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;

/// The length of an excerpt before and after the match, in characters.
const CONTEXT_CHARACTERS: usize = 80;

/// The most characters of a match that an excerpt shows.
const MAX_MATCH_CHARACTERS: usize = 300;

/// The size limit of a compiled expression.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// An optional division of a word at the end of a line.
const DIVISION: &str = "(?:\u{AD}|[-\u{2010}]\\n)?";

/// A hyphen within a word, perhaps at the end of a line.
const HYPHEN: &str = "(?:[-\u{2010}]\\n?|\u{AD})";

/// A compiled query.
#[derive(Debug, Clone)]
pub struct Pattern {
    plain: Regex,
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

/// The syntax of a query.
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

/// A match with its context, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// The matching text.
    pub matched: String,
    /// The match with the text before and after it.
    pub excerpt: String,
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
        let plain = match kind {
            QuerySyntax::Literal => compiled(&literal(query, regex::escape)),
            QuerySyntax::Expression => compiled(query),
        };
        let plain = plain.map_err(|error| PatternError { reason: error.to_string() })?;
        // If the query is too long for the combined expression, each reading is searched alone.
        let both = (kind == QuerySyntax::Literal).then(|| compiled(&literal(query, allow_division)).ok()).flatten();
        Ok(Self { plain, readings: both.map_or(Readings::Each, Readings::Both) })
    }

    /// The first `max` matches in the text of a page, and the number of all matches. Empty matches do not count.
    #[must_use]
    pub fn hits(&self, page: &PageText, max: usize) -> (Vec<SearchHit>, usize) {
        let is_divided = !page.joints.is_empty() || page.text.contains("-\n") || page.text.contains("\u{2010}\n");
        match &self.readings {
            _ if !is_divided => hits(&self.plain, &page.text, max),
            Readings::Both(both) => hits(both, &with_hyphens(page, SOFT_HYPHEN), max),
            Readings::Each => {
                let joined = hits(&self.plain, &page.text, max);
                let hyphenated = hits(&self.plain, &with_hyphens(page, '-'), max);
                if hyphenated.1 > joined.1 { hyphenated } else { joined }
            }
        }
    }
}

/// The expression for a literal query; `word` gives that of a word.
fn literal(query: &str, word: impl Fn(&str) -> String) -> String {
    query.split_whitespace().map(word).collect::<Vec<_>>().join(r"\s+")
}

/// The expression for a word that may be divided at the end of a line.
fn allow_division(word: &str) -> String {
    let mut expression = String::new();
    let mut before = None;
    let mut characters = word.chars().peekable();
    while let Some(character) = characters.next() {
        let is_within =
            before.is_some_and(char::is_alphanumeric) && characters.peek().is_some_and(|next| next.is_alphanumeric());
        match character {
            '-' | '\u{2010}' if is_within => expression.push_str(HYPHEN),
            _ => {
                if character.is_alphabetic() && before.is_some_and(char::is_alphabetic) {
                    expression.push_str(DIVISION);
                }
                expression.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
            }
        }
        before = Some(character);
    }
    expression
}

/// The text of a page with `hyphen` in place of each removed hyphen.
fn with_hyphens(page: &PageText, hyphen: char) -> Cow<'_, str> {
    if page.joints.is_empty() {
        return Cow::Borrowed(&page.text);
    }
    let mut text = String::with_capacity(page.text.len() + 2 * page.joints.len());
    let mut from = 0;
    for joint in &page.joints {
        let to = usize::try_from(*joint).unwrap_or(usize::MAX);
        if let Some(part) = page.text.get(from..to) {
            text.push_str(part);
            text.push(hyphen);
            from = to;
        }
    }
    text.push_str(page.text.get(from..).unwrap_or_default());
    Cow::Owned(text)
}

fn hits(expression: &Regex, text: &str, max: usize) -> (Vec<SearchHit>, usize) {
    let mut hits = Vec::new();
    let mut count = 0;
    for found in expression.find_iter(text).filter(|found| !found.is_empty()) {
        count += 1;
        if hits.len() < max {
            let before = text.get(..found.start()).unwrap_or_default();
            let after = text.get(found.end()..).unwrap_or_default();
            hits.push(hit(before, found.as_str(), after));
        }
    }
    (hits, count)
}

fn hit(before: &str, matched: &str, after: &str) -> SearchHit {
    let start = before.char_indices().rev().take(CONTEXT_CHARACTERS).last().map_or(before.len(), |(at, _)| at);
    let matched = one_line(matched.chars().take(MAX_MATCH_CHARACTERS));
    let before = on_one_line(before.get(start..).unwrap_or_default().chars());
    let after = on_one_line(after.chars().take(CONTEXT_CHARACTERS));
    let ellipsis = if start > 0 { "…" } else { "" };
    SearchHit { excerpt: format!("{ellipsis}{}{matched}{}", before.trim_start(), after.trim_end()), matched }
}

fn one_line(text: impl Iterator<Item = char>) -> String {
    on_one_line(text).trim().to_owned()
}

/// Collapses white space to single spaces, also at the ends.
fn on_one_line(text: impl Iterator<Item = char>) -> String {
    let mut line = String::new();
    for character in text {
        match character.is_whitespace() {
            true if line.ends_with(' ') => {}
            true => line.push(' '),
            false if character == SOFT_HYPHEN => {}
            false => line.push(character),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::super::layout::hyphens::join_words;
    use super::*;

    fn excerpts(query: &str, kind: QuerySyntax, case: Case, text: &str) -> Vec<String> {
        let (text, joints) = join_words(text);
        let page = PageText { text, joints, ..PageText::default() };
        let (hits, count) = Pattern::new(query, kind, case).unwrap().hits(&page, 9);
        assert_eq!(hits.len(), count);
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
        assert!(shown.iter().all(|excerpt| excerpt.starts_with("the cooperation of well- Known ABC- 12 partners")));
        for expression in ["co-?oper", "co-oper", "cooper"] {
            assert_eq!(excerpts(expression, QuerySyntax::Expression, Case::Sensitive, text).len(), 1, "{expression}");
        }
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

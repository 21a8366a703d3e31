//! Words in the text of a page.

use regex::{Regex, RegexBuilder};

/// Characters of an excerpt before a match, and after it.
const CONTEXT_CHARACTERS: usize = 80;

/// Characters of a match that an excerpt shows.
const MAX_MATCH_CHARACTERS: usize = 300;

/// Bytes that a compiled expression may take.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// What is searched for.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

/// Why a pattern is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PatternError {
    /// What is wrong with it.
    pub reason: String,
}

/// How a query is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Query {
    /// As it stands; any white space in it stands for any other, so that it is found across the end of a line.
    Literal,
    /// As a regular expression, whose `^` and `$` are those of lines.
    Expression,
}

/// Whether capitals matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// They do.
    Sensitive,
    /// They do not.
    Insensitive,
}

/// A match with its surroundings, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What matched.
    pub matched: String,
    /// The match between what stands before and after it.
    pub excerpt: String,
}

impl Pattern {
    /// Reads a query.
    ///
    /// # Errors
    /// Where it is no regular expression, or too large a one.
    pub fn new(query: &str, kind: Query, case: Case) -> Result<Self, PatternError> {
        let expression = match kind {
            Query::Literal => query.split_whitespace().map(regex::escape).collect::<Vec<_>>().join(r"\s+"),
            Query::Expression => query.to_owned(),
        };
        let mut builder = RegexBuilder::new(&expression);
        builder.case_insensitive(case == Case::Insensitive).multi_line(true).size_limit(MAX_PATTERN_BYTES);
        builder.build().map(Self).map_err(|error| PatternError { reason: error.to_string() })
    }

    /// The first `max` matches in `text`, and how many there are. Empty matches are none.
    #[must_use]
    pub fn hits(&self, text: &str, max: usize) -> (Vec<Hit>, usize) {
        let mut hits = Vec::new();
        let mut count = 0;
        for found in self.0.find_iter(text).filter(|found| !found.is_empty()) {
            count += 1;
            if hits.len() < max {
                let before = text.get(..found.start()).unwrap_or_default();
                let after = text.get(found.end()..).unwrap_or_default();
                hits.push(hit(before, found.as_str(), after));
            }
        }
        (hits, count)
    }
}

fn hit(before: &str, matched: &str, after: &str) -> Hit {
    let start = before.char_indices().rev().take(CONTEXT_CHARACTERS).last().map_or(before.len(), |(at, _)| at);
    let matched = one_line(matched.chars().take(MAX_MATCH_CHARACTERS));
    let before = on_one_line(before.get(start..).unwrap_or_default().chars());
    let after = on_one_line(after.chars().take(CONTEXT_CHARACTERS));
    let ellipsis = if start > 0 { "…" } else { "" };
    Hit { excerpt: format!("{ellipsis}{}{matched}{}", before.trim_start(), after.trim_end()), matched }
}

fn one_line(text: impl Iterator<Item = char>) -> String {
    on_one_line(text).trim().to_owned()
}

/// White space as single spaces, at the ends too.
fn on_one_line(text: impl Iterator<Item = char>) -> String {
    let mut line = String::new();
    for character in text {
        match character.is_whitespace() {
            true if line.ends_with(' ') => {}
            true => line.push(' '),
            false => line.push(character),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    fn excerpts(query: &str, kind: Query, case: Case, text: &str) -> Vec<String> {
        let (hits, count) = Pattern::new(query, kind, case).unwrap().hits(text, 9);
        assert_eq!(hits.len(), count);
        hits.into_iter().map(|hit| hit.excerpt).collect()
    }

    #[test]
    fn a_literal_is_found_across_lines_and_in_any_case() {
        let text = "It costs\n5.00 EUR (net).";
        assert_eq!(excerpts("COSTS 5.00", Query::Literal, Case::Insensitive, text), ["It costs 5.00 EUR (net)."]);
        assert!(excerpts("COSTS", Query::Literal, Case::Sensitive, text).is_empty());
        assert!(excerpts("5x00", Query::Literal, Case::Insensitive, text).is_empty());
        assert_eq!(excerpts(r"^\d\.\d+", Query::Expression, Case::Sensitive, text).len(), 1);
        assert!(excerpts("x*", Query::Expression, Case::Sensitive, text).is_empty());
    }

    #[test]
    fn excerpts_are_cut_between_characters() {
        let text = format!("{}needle{}", "é".repeat(200), "é".repeat(200));
        let found = excerpts("needle", Query::Literal, Case::Sensitive, &text);
        assert_eq!(found, [format!("…{}needle{}", "é".repeat(80), "é".repeat(80))]);
    }

    #[test]
    fn an_expression_that_is_none_or_too_large_is_refused() {
        assert!(Pattern::new("(", Query::Expression, Case::Sensitive).is_err());
        assert!(Pattern::new(r"\w{1000}{1000}", Query::Expression, Case::Sensitive).is_err());
    }
}

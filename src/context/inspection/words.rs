//! Compares two texts word by word.

use std::hash::Hash;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices_deadline};

/// Time for a comparison. After it, the rest counts as changed.
const MAX_TIME: Duration = Duration::from_secs(2);

/// A part of a text: whether it differs from the other text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSegment {
    /// The words, with the white space after each.
    pub text: String,
    /// Whether the other text has other words here.
    pub differs: bool,
}

/// Two texts with the words that differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordComparison {
    /// The segments of the first text.
    pub left: Vec<TextSegment>,
    /// The segments of the second text.
    pub right: Vec<TextSegment>,
    /// How many places differ.
    pub changes: usize,
}

/// What became of words: of which on the left, and into which on the right.
pub(crate) type WordOperation = (DiffTag, Range<usize>, Range<usize>);

/// How two lists of words differ.
pub(crate) struct WordOperations {
    /// In the order of the words.
    pub(crate) operations: Vec<WordOperation>,
    /// Whether time ended first, and the rest counts as changed.
    pub(crate) is_cut_short: bool,
}

/// Compares two lists of words.
pub(crate) fn word_operations<W: Hash + Ord>(left: &[W], right: &[W]) -> WordOperations {
    let deadline = Instant::now().checked_add(MAX_TIME);
    let found = capture_diff_slices_deadline(Algorithm::Patience, left, right, deadline);
    let operations = found.iter().map(DiffOp::as_tag_tuple).collect();
    WordOperations { operations, is_cut_short: deadline.is_some_and(|deadline| Instant::now() >= deadline) }
}

/// Compares two texts word by word. White space does not count.
#[must_use]
pub fn compare_words(left: &str, right: &str) -> WordComparison {
    let (left, right) = (words(left), words(right));
    let trimmed = |words: &[&str]| words.iter().map(|word| word.trim().to_owned()).collect::<Vec<_>>();
    let mut comparison = WordComparison::default();
    for (tag, old, new) in word_operations(&trimmed(&left), &trimmed(&right)).operations {
        let differs = tag != DiffTag::Equal;
        comparison.changes += usize::from(differs);
        push(&mut comparison.left, left.get(old).unwrap_or_default(), differs);
        push(&mut comparison.right, right.get(new).unwrap_or_default(), differs);
    }
    comparison
}

/// Words with the white space after each.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.trim_start().split(char::is_whitespace).next().unwrap_or_default();
        let before = rest.len() - rest.trim_start().len();
        let after = rest.get(before + word.len()..).unwrap_or_default();
        let (whole, next) = rest.split_at(rest.len() - after.trim_start().len());
        words.push(whole);
        rest = next;
    }
    words
}

fn push(segments: &mut Vec<TextSegment>, words: &[&str], differs: bool) {
    if !words.is_empty() {
        segments.push(TextSegment { text: words.concat(), differs });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(segments: &[TextSegment]) -> String {
        let mark = |segment: &TextSegment| match segment.differs {
            true => format!("[{}]", segment.text),
            false => segment.text.clone(),
        };
        segments.iter().map(mark).collect()
    }

    #[test]
    fn words_that_differ_are_marked_on_both_sides() {
        let compared = compare_words("It costs 4 million.\nSo it is.", "It costs 5 million. So it often is.");
        assert_eq!(marked(&compared.left), "It costs [4 ]million.\nSo it is.");
        assert_eq!(marked(&compared.right), "It costs [5 ]million. So it [often ]is.");
        assert_eq!(compared.changes, 2);
    }

    #[test]
    fn texts_are_given_whole() {
        for text in ["", " ", "  a\n\n b ", "ä\u{3000}ö"] {
            let compared = compare_words(text, "c");
            assert_eq!(compared.left.iter().map(|segment| segment.text.as_str()).collect::<String>(), text);
        }
        assert_eq!(compare_words("a b", "a  b").changes, 0);
    }
}

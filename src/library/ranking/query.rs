//! A query as terms with their weights.

use std::collections::BTreeSet;

use crate::analysis::{Stemmer, TokenKind, tokens};

/// The most terms of a query. Others are ignored.
const MAX_TERMS: usize = 48;

#[derive(Debug, Clone)]
pub(crate) struct QueryTerm {
    /// The folded word.
    pub(super) word: String,
    /// Keys that the index may know it by: one for each language.
    pub(super) keys: BTreeSet<String>,
    /// Its place in the query.
    pub(super) position: u32,
    /// Its share of the weight of a whole word.
    pub(super) weight: f32,
    /// Whether it stands in the text as it is, not as a part.
    pub(super) kind: TokenKind,
}

/// Words that begin a question, and say nothing about what it is about.
const QUESTION_WORDS: [&str; 27] = [
    "what", "which", "who", "whose", "where", "when", "why", "how", "define", "explain", "was", "wer", "wie", "wo",
    "wann", "warum", "welche", "que", "quoi", "quel", "quelle", "comment", "pourquoi", "cual", "como", "cosa", "qu",
];

/// Words that follow them.
const AFTER_QUESTION_WORDS: [&str; 27] = [
    "is", "are", "does", "do", "did", "was", "were", "can", "to", "the", "a", "an", "s", "ist", "sind", "bedeutet",
    "der", "die", "das", "est", "ce", "que", "sont", "es", "son", "e", "of",
];

/// What a question word weighs.
const QUESTION_WEIGHT: f32 = 0.15;

/// The number of words at the beginning that only ask.
fn question_words(words: &[&str]) -> usize {
    let Some(first) = words.first() else { return 0 };
    if !QUESTION_WORDS.contains(first) {
        return 0;
    }
    let after = words.iter().skip(1).take_while(|word| AFTER_QUESTION_WORDS.contains(word)).count();
    if after + 1 < words.len() && after > 0 { after + 1 } else { 0 }
}

/// The terms of a query. `languages` are those of the indexed documents.
pub(crate) fn query_terms(query: &str, languages: &[Stemmer]) -> Vec<QueryTerm> {
    let mut terms: Vec<QueryTerm> = Vec::new();
    let plain = tokens(query, &Stemmer::of(""));
    let is_pairs = plain.iter().any(|token| token.kind == TokenKind::Pair);
    let words: Vec<&str> =
        plain.iter().filter(|token| token.kind != TokenKind::Compound).map(|token| token.word.as_str()).collect();
    let asking = plain.iter().filter(|token| token.kind == TokenKind::Word).count().min(question_words(&words));
    for (number, token) in plain.into_iter().enumerate() {
        // The single character at the end of a run is in the pair before it.
        let is_tail = token.kind == TokenKind::Pair
            && token.word.chars().count() == 1
            && is_pairs
            && terms.last().is_some_and(|last| last.kind == TokenKind::Pair && last.word.ends_with(&token.word));
        if is_tail || terms.len() >= MAX_TERMS || terms.iter().any(|term| term.word == token.word) {
            continue;
        }
        let text = query.get(token.start..token.end).unwrap_or_default();
        let stems = languages.iter().map(|stemmer| match token.kind {
            TokenKind::Compound => stemmer.key(&token.word),
            TokenKind::Pair => token.key.clone(),
            _ => stemmer.key_and_word(text).0,
        });
        let keys = stems.chain([token.key.clone()]).collect();
        let weight = if number < asking {
            QUESTION_WEIGHT
        } else {
            match token.kind {
                TokenKind::Word | TokenKind::Compound | TokenKind::Pair => 1.0,
                TokenKind::Part => 0.5,
                TokenKind::Piece => 0.25,
            }
        };
        terms.push(QueryTerm { word: token.word, keys, position: token.position, weight, kind: token.kind });
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weights(query: &str) -> Vec<(String, f32)> {
        query_terms(query, &[Stemmer::of("eng")]).into_iter().map(|term| (term.word, term.weight)).collect()
    }

    #[test]
    fn words_that_only_ask_count_little() {
        let found = weights("what is a Trunk Trace");
        let asking =
            found.iter().filter(|(_, weight)| *weight < 1.0).map(|(word, _)| word.as_str()).collect::<Vec<_>>();
        assert_eq!(asking, ["what", "is", "a"]);
        assert!(weights("what is").iter().all(|(_, weight)| *weight > 0.9));
    }

    #[test]
    fn a_word_has_a_key_for_each_language() {
        let terms = query_terms("distributions", &[Stemmer::of("eng"), Stemmer::of("deu")]);
        let keys = terms.first().map(|term| term.keys.len()).unwrap_or_default();
        assert!(keys >= 2, "{terms:?}");
    }

    #[test]
    fn terms_are_bounded() {
        let query = (0..1000).map(|number| format!("w{number} ")).collect::<String>();
        assert_eq!(query_terms(&query, &[]).len(), MAX_TERMS);
    }
}

//! The places of a query's terms in a text.

use std::collections::HashMap;

use super::query::QueryTerm;
use crate::library::analysis::{Initials, Stemmer, TokenKind, tokens_with};

/// A place in the text where a term of the query stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    /// The number of the term.
    pub(super) term: usize,
    /// Its place among the words of the text.
    pub(super) position: u32,
    /// Where it begins in the text, in bytes.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// Whether the word stands there as in the query, not in another form.
    pub(super) is_exact: bool,
}

/// Finds the terms of one query.
pub(super) struct Matcher<'a> {
    by_key: HashMap<&'a str, usize>,
    by_word: HashMap<&'a str, usize>,
    initials: Initials,
}

impl<'a> Matcher<'a> {
    /// Of terms that have the same word or key, the first is found.
    pub(super) fn new(terms: &'a [QueryTerm]) -> Self {
        let keys = terms.iter().enumerate().rev();
        let keys = keys.flat_map(|(at, term)| term.keys.iter().map(move |key| (key.as_str(), at)));
        let by_key = keys.collect::<HashMap<_, _>>();
        let by_word = terms.iter().enumerate().map(|(at, term)| (term.word.as_str(), at)).collect();
        let words = terms.iter().flat_map(|term| term.keys.iter().map(String::as_str).chain([term.word.as_str()]));
        Self { initials: Initials::of(words), by_key, by_word }
    }

    /// The places in a text, in order.
    pub(super) fn find(&self, text: &str, stemmer: &Stemmer) -> Vec<Match> {
        let found = tokens_with(text, stemmer, &self.initials);
        let matches = found.iter().filter_map(|token| {
            let exact = self.by_word.get(token.word.as_str()).copied();
            let term = exact.or_else(|| self.by_key.get(token.key.as_str()).copied())?;
            let is_exact = exact.is_some() && token.kind != TokenKind::Piece;
            Some(Match { term, position: token.position, start: token.start, end: token.end, is_exact })
        });
        matches.collect()
    }
}

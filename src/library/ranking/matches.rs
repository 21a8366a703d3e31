//! The places of a query's terms in a text.

use std::collections::HashMap;

use super::query::QueryTerm;
use crate::analysis::{Stemmer, TokenKind, TokenPlace, key_and_word, token_places};

type FastMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

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
    by_key: FastMap<&'a str, usize>,
    by_word: FastMap<&'a str, usize>,
}

/// The number of the term that a word matches, and whether it has the same form; `None` for a word that matches none.
type TermOfWord = Option<(usize, bool)>;

/// Keeps which term of one query each word matches, since most words occur more than once. By the language's code.
#[derive(Debug, Default)]
pub(super) struct WordMemory(FastMap<&'static str, FastMap<Box<str>, TermOfWord>>);

impl<'a> Matcher<'a> {
    /// Of terms that have the same word or key, the first is found.
    pub(super) fn new(terms: &'a [QueryTerm]) -> Self {
        let keys = terms.iter().enumerate().rev();
        let by_key = keys.flat_map(|(at, term)| term.keys.iter().map(move |key| (key.as_str(), at))).collect();
        let by_word = terms.iter().enumerate().map(|(at, term)| (term.word.as_str(), at)).collect();
        Self { by_key, by_word }
    }

    /// The places in a text, in order.
    pub(super) fn find(&self, text: &str, stemmer: &Stemmer, memory: &mut WordMemory) -> Vec<Match> {
        let known = memory.0.entry(stemmer.code()).or_default();
        let mut matches = Vec::new();
        token_places(text, |place| {
            let token = place.text_in(text);
            let found = match place.kind {
                TokenKind::Compound | TokenKind::Pair => self.term_of(token, place.kind, stemmer),
                TokenKind::Word | TokenKind::Part | TokenKind::Piece => match known.get(token) {
                    Some(found) => *found,
                    None => *known.entry(token.into()).or_insert(self.term_of(token, place.kind, stemmer)),
                },
            };
            let Some((term, is_exact)) = found else { return };
            let TokenPlace { position, start, end, kind } = place;
            matches.push(Match { term, position, start, end, is_exact: is_exact && kind != TokenKind::Piece });
        });
        matches
    }

    fn term_of(&self, token: &str, kind: TokenKind, stemmer: &Stemmer) -> TermOfWord {
        let (key, word) = key_and_word(token, kind, stemmer);
        let exact = self.by_word.get(word.as_str()).copied();
        let other = || self.by_key.get(key.as_str()).copied();
        exact.map(|term| (term, true)).or_else(|| Some((other()?, false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::query::Query;

    #[test]
    fn forms_of_a_word_are_found_where_they_stand_in_each_language() {
        let query = Query::new("income", &[Stemmer::of("eng")]);
        let matcher = Matcher::new(&query.terms);
        let mut memory = WordMemory::default();
        let mut find = |language: &str| {
            let found = matcher.find("the net income, Incomes, netIncome, income", &Stemmer::of(language), &mut memory);
            found.into_iter().map(|one| (one.position, one.is_exact)).collect::<Vec<_>>()
        };
        assert_eq!(find("eng"), [(2, true), (3, false), (4, false), (5, true)]);
        assert_eq!(find("jpn"), [(2, true), (4, false), (5, true)]);
        assert_eq!(find("eng"), [(2, true), (3, false), (4, false), (5, true)]);
    }
}

//! A query as terms with their weights.

use std::collections::BTreeSet;

use super::stop_words::{asks_figure, begins_question, is_asking, is_binding};
use crate::analysis::{Stemmer, Token, TokenKind, tokens};

/// The most terms of a query. Others are ignored.
const MAX_TERMS: usize = 48;

/// What words weigh that only ask or bind, beside others. They still make phrases.
const BINDING_WEIGHT: f32 = 0.03;

/// What a number or an identifier weighs against a word.
const NUMBER_WEIGHT: f32 = 1.3;

/// What a name weighs: a word with a capital that no sentence begins with.
const NAME_WEIGHT: f32 = 1.2;

/// What a word between quotation marks weighs more.
const QUOTED_WEIGHT: f32 = 1.4;

/// Words before the number of a page.
const PAGE_WORDS: [&str; 5] = ["page", "seite", "pagina", "bladzijde", "p"];

#[derive(Debug, Clone)]
pub(super) struct QueryTerm {
    /// The folded word.
    pub(super) word: String,
    /// Keys that the index may know it by: one for each language.
    pub(super) keys: BTreeSet<String>,
    /// Its place in the query.
    pub(super) position: u32,
    /// Its share of the weight of a whole word.
    pub(super) weight: f32,
    /// Whether it only asks or binds.
    pub(super) is_binding: bool,
}

/// How something is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum QueryKind {
    /// By words that the page has.
    #[default]
    Keywords,
    /// In words of a question.
    Question,
    /// In words of a question that a number answers.
    Figure,
}

/// What is asked for.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) terms: Vec<QueryTerm>,
    /// The number of a page that it names.
    pub(super) page: Option<u32>,
    pub(super) kind: QueryKind,
}

impl Query {
    /// Reads a query. `languages` are those of the indexed documents.
    pub(super) fn new(query: &str, languages: &[Stemmer]) -> Self {
        let plain = tokens(query, &Stemmer::of(""));
        let first = plain.first().map(|token| token.word.as_str()).unwrap_or_default();
        let is_question = plain.len() > 2 && (query.trim_end().ends_with(['?', '？']) || begins_question(first));
        let kind = match is_question {
            true if plain.iter().any(|token| asks_figure(&token.word)) => QueryKind::Figure,
            true => QueryKind::Question,
            false => QueryKind::Keywords,
        };
        let quotes = quoted(query);
        let page = named_page(&plain);
        let mut terms: Vec<QueryTerm> = Vec::new();
        for (at, token) in plain.iter().enumerate() {
            // The single character at the end of a run is in the pair before it.
            let is_tail = token.kind == TokenKind::Pair
                && token.word.chars().count() == 1
                && terms.last().is_some_and(|last| last.word.ends_with(&token.word));
            if is_tail || terms.len() >= MAX_TERMS || terms.iter().any(|term| term.word == token.word) {
                continue;
            }
            let text = query.get(token.start..token.end).unwrap_or_default();
            let is_quoted = quotes.iter().any(|(start, end)| (*start..*end).contains(&token.start));
            let names_page = page.is_some_and(|(place, _)| at == place || at == place + 1);
            let is_word = matches!(token.kind, TokenKind::Word | TokenKind::Part);
            let asks = is_binding(&token.word) || is_question && is_asking(&token.word);
            // "US" and "IT" are names.
            let is_acronym = token.word.len() > 1 && text.chars().all(char::is_uppercase);
            let is_binding = names_page || is_word && asks && !is_quoted && !is_acronym;
            let weight = weight_of(token, text, at == 0) * if is_quoted { QUOTED_WEIGHT } else { 1.0 };
            let keys = keys_of(token, text, languages);
            let (word, position) = (token.word.clone(), token.position);
            terms.push(QueryTerm { word, keys, position, weight, is_binding });
        }
        let others = terms.iter().filter(|term| !term.is_binding).count();
        for term in terms.iter_mut().filter(|term| term.is_binding) {
            if others > 0 {
                term.weight *= BINDING_WEIGHT;
            } else {
                term.is_binding = false;
            }
        }
        Self { terms, page: page.map(|(_, number)| number), kind }
    }
}

fn keys_of(token: &Token, text: &str, languages: &[Stemmer]) -> BTreeSet<String> {
    let stems = languages.iter().map(|stemmer| match token.kind {
        TokenKind::Compound => stemmer.key(&token.word),
        TokenKind::Pair => token.key.clone(),
        _ => stemmer.key_and_word(text).0,
    });
    stems.chain([token.key.clone()]).collect()
}

fn weight_of(token: &Token, text: &str, is_first: bool) -> f32 {
    let share = match token.kind {
        TokenKind::Word | TokenKind::Compound | TokenKind::Pair => 1.0,
        TokenKind::Part => 0.5,
        TokenKind::Piece => 0.25,
    };
    let kind = if token.word.chars().any(char::is_numeric) {
        NUMBER_WEIGHT
    } else if text.chars().next().is_some_and(char::is_uppercase) && !is_first {
        NAME_WEIGHT
    } else {
        1.0
    };
    share * kind
}

/// Where parts of a query stand between quotation marks.
fn quoted(query: &str) -> Vec<(usize, usize)> {
    let marks = query.char_indices().filter(|(_, one)| matches!(one, '"' | '“' | '”' | '„' | '«' | '»'));
    let marks = marks.map(|(at, _)| at).collect::<Vec<_>>();
    marks.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?))).collect()
}

/// A page that the query names: where it does, and the page's number.
fn named_page(tokens: &[Token]) -> Option<(usize, u32)> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1)).enumerate();
    let named = pairs.filter(|(_, (word, _))| PAGE_WORDS.contains(&word.word.trim_end_matches('s')));
    named.filter_map(|(at, (_, number))| Some((at, number.word.parse().ok()?))).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(query: &str) -> Vec<String> {
        let query = Query::new(query, &[Stemmer::of("eng")]);
        query.terms.into_iter().filter(|term| term.is_binding).map(|term| term.word).collect()
    }

    #[test]
    fn words_that_only_ask_carry_no_weight_wherever_they_stand() {
        assert_eq!(
            binding("According to the report, what is a Trunk Trace?"),
            ["according", "to", "the", "report", "what", "is", "a"]
        );
        assert_eq!(binding("Trunk Trace: please tell me what it is?"), ["please", "tell", "me", "what", "it", "is"]);
        assert_eq!(binding("report list"), [""; 0]);
        assert_eq!(binding("what is"), [""; 0]);
        assert_eq!(binding("\"to be or not\" in US law"), ["in"]);
    }

    #[test]
    fn a_named_page_is_a_place_and_no_word() {
        let query = Query::new("What does the table on page 50 show?", &[]);
        assert_eq!(query.page, Some(50));
        assert!(query.terms.iter().all(|term| term.is_binding || term.word == "table"), "{:?}", query.terms);
    }

    #[test]
    fn a_word_has_a_key_for_each_language() {
        let query = Query::new("distributions", &[Stemmer::of("eng"), Stemmer::of("deu")]);
        assert!(query.terms.first().is_some_and(|term| term.keys.len() >= 2), "{query:?}");
    }

    #[test]
    fn terms_are_bounded() {
        let query = (0..1000).map(|number| format!("w{number} ")).collect::<String>();
        assert_eq!(Query::new(&query, &[]).terms.len(), MAX_TERMS);
    }
}

//! The tokens of a text: words, numbers and identifiers whole and in part, pairs of characters where no spaces divide words.

use unicode_normalization::UnicodeNormalization as _;

use super::characters::{fold, is_unspaced};
use super::language::Stemmer;
use super::scanner::{TokenKind, TokenPlace, token_places};

/// Longer words are cut: no query has them, and they would fill the index.
const MAX_KEY_CHARACTERS: usize = 48;

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// What the index knows it by: folded, and stemmed where the language is known.
    pub(crate) key: String,
    /// The folded word, not stemmed.
    pub(crate) word: String,
    /// Its place among the words of the text.
    pub(crate) position: u32,
    /// Where it begins in the text, in bytes.
    pub(crate) start: usize,
    /// Where it ends.
    pub(crate) end: usize,
    /// How it stands in the text.
    pub(crate) kind: TokenKind,
}

/// The tokens of a text, in order.
pub(crate) fn tokens(text: &str, stemmer: &Stemmer) -> Vec<Token> {
    let mut found = Vec::with_capacity(text.len() / 6);
    token_places(text, |place| {
        let (key, word) = key_and_word(place.text_in(text), place.kind, stemmer);
        if !key.is_empty() {
            let TokenPlace { position, start, end, kind } = place;
            found.push(Token { key, word, position, start, end, kind });
        }
    });
    found
}

/// The key of a token and its folded word. `text` is the token as it stands in its text.
pub(crate) fn key_and_word(text: &str, kind: TokenKind, stemmer: &Stemmer) -> (String, String) {
    let (key, word) = match kind {
        TokenKind::Word | TokenKind::Part | TokenKind::Piece => stemmer.key_and_word(text),
        TokenKind::Compound => key_and_word_of_compound(text, stemmer),
        TokenKind::Pair => {
            let characters = text.chars().filter(|character| is_unspaced(*character));
            let word: String = characters.nfkc().flat_map(char::to_lowercase).collect();
            (word.clone(), word)
        }
    };
    (cut(key), word)
}

fn key_and_word_of_compound(text: &str, stemmer: &Stemmer) -> (String, String) {
    let word = match text.chars().any(char::is_numeric) || text.contains(['_', '/', '@', ':', '#']) {
        true => number(&fold(&text.replace('\n', ""))),
        false => fold(text).chars().filter(|character| character.is_alphanumeric()).collect(),
    };
    let only_letters = word.chars().all(char::is_alphabetic);
    (if only_letters { stemmer.key(&word) } else { word.clone() }, word)
}

fn cut(key: String) -> String {
    match key.char_indices().nth(MAX_KEY_CHARACTERS) {
        Some((end, _)) => key.get(..end).unwrap_or_default().to_owned(),
        None => key,
    }
}

/// A number without the commas between its thousands.
fn number(word: &str) -> String {
    let groups: Vec<&str> = word.split(',').collect();
    let whole = groups.len() > 1
        && groups.iter().skip(1).all(|group| {
            group.len() >= 3
                && group.chars().take(3).all(|digit| digit.is_ascii_digit())
                && group.chars().nth(3).is_none_or(|next| !next.is_alphanumeric())
        });
    let first =
        groups.first().is_some_and(|group| group.len() <= 3 && group.chars().all(|digit| digit.is_ascii_digit()));
    if whole && first { groups.concat() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        tokens(text, &Stemmer::of("")).into_iter().map(|token| token.key).collect()
    }

    #[test]
    fn numbers_and_identifiers_are_found_whole_and_in_part() {
        assert_eq!(keys("39.83"), ["39.83", "39", "83"]);
        assert_eq!(keys("V1.2-b"), ["v1.2-b", "v1", "2", "b"]);
        assert_eq!(keys("2,500,072"), ["2500072", "2", "500", "072"]);
        assert_eq!(keys("getUserName"), ["getusername", "get", "user", "name"]);
        assert_eq!(keys("end_line."), ["end_line", "end", "line"]);
    }

    #[test]
    fn hyphenated_words_have_both_readings() {
        assert_eq!(keys("well-known"), ["wellknown", "well", "known"]);
        assert_eq!(keys("Trace-\nmonkey"), ["tracemonkey", "trace", "monkey"]);
        assert_eq!(keys("co\u{AD}operate"), ["cooperate"]);
        assert_eq!(keys("Trace-\nMonkey"), ["trace", "monkey"]);
    }

    #[test]
    fn scripts_without_spaces_are_pairs_and_line_ends_do_not_divide_them() {
        assert_eq!(keys("\u{6771}\u{4EAC}\n\u{90FD}"), ["\u{6771}\u{4EAC}", "\u{4EAC}\u{90FD}", "\u{90FD}"]);
    }

    #[test]
    fn accents_and_forms_are_folded() {
        assert_eq!(keys("R\u{E9}sum\u{E9} \u{FB01}n \u{FF21} Stra\u{DF}e"), ["resume", "fin", "a", "strasse"]);
    }

    #[test]
    fn long_keys_are_cut() {
        assert!(keys(&"a".repeat(10_000)).iter().all(|key| key.len() <= MAX_KEY_CHARACTERS));
    }
}

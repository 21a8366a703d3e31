//! Finds the language of a text, and stems its words.

use rust_stemmers::{Algorithm, Stemmer as Snowball};

use super::characters::{fold, is_unspaced};

/// Characters of a text that its language is judged by.
const SAMPLE: usize = 6000;

/// Minimum letters of a text whose language is named.
const MIN_LETTERS: usize = 20;

/// Letters of an alphabet that say about as much as one of a script without spaces between words.
const LETTERS_OF_UNSPACED: usize = 4;

/// Reduces words to what their inflections share.
pub(crate) struct Stemmer {
    code: &'static str,
    snowball: Option<Snowball>,
}

const LANGUAGES: [(&str, Algorithm); 14] = [
    ("eng", Algorithm::English),
    ("deu", Algorithm::German),
    ("fra", Algorithm::French),
    ("spa", Algorithm::Spanish),
    ("ita", Algorithm::Italian),
    ("por", Algorithm::Portuguese),
    ("nld", Algorithm::Dutch),
    ("swe", Algorithm::Swedish),
    ("dan", Algorithm::Danish),
    ("nob", Algorithm::Norwegian),
    ("fin", Algorithm::Finnish),
    ("rus", Algorithm::Russian),
    ("ron", Algorithm::Romanian),
    ("hun", Algorithm::Hungarian),
];

/// Whether a code of ISO 639-3 names a language that texts are found to be in.
#[must_use]
pub fn is_language(code: &str) -> bool {
    whatlang::Lang::from_code(code).is_some()
}

/// The language that a text is in, as ISO 639-3 has it, if its beginning tells. Single letters tell none, nor do
/// the terms in another script that texts without spaces between words have.
#[must_use]
pub fn language_of(text: &str) -> Option<&'static str> {
    let end = text.char_indices().nth(SAMPLE).map_or(text.len(), |(end, _)| end);
    let is_word = |word: &&str| word.chars().filter(|character| character.is_alphabetic()).nth(1).is_some();
    let words = text.get(..end).unwrap_or_default().split_whitespace();
    let mut judged = words.filter(|word| !word.is_ascii() || is_word(word)).collect::<Vec<_>>().join(" ");
    let count = |is_counted: fn(char) -> bool| judged.chars().filter(|character| is_counted(*character)).count();
    let letters = count(|character| character.is_alphabetic() && !is_unspaced(character));
    let unspaced = count(is_unspaced).saturating_mul(LETTERS_OF_UNSPACED);
    if letters.saturating_add(unspaced) < MIN_LETTERS {
        return None;
    }
    if unspaced >= letters {
        judged.retain(is_unspaced);
    }
    let guess = whatlang::detect(&judged);
    guess.filter(whatlang::Info::is_reliable).map(|guess| guess.lang().code())
}

impl Stemmer {
    /// The stemmer of a language, by its code; one that leaves words as they are for any other.
    pub(crate) fn of(code: &str) -> Self {
        let known = LANGUAGES.iter().find(|(known, _)| *known == code);
        let code = whatlang::Lang::from_code(code).map_or("", |language| language.code());
        Self { code, snowball: known.map(|known| Snowball::create(known.1)) }
    }

    /// The stemmer of the language that a text is in.
    pub(crate) fn for_text(text: &str) -> Self {
        Self::of(language_of(text).unwrap_or_default())
    }

    /// The code of the language; empty if it is not known.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// The key of a folded word.
    pub(crate) fn key(&self, word: &str) -> String {
        match &self.snowball {
            Some(snowball) if word.chars().all(char::is_alphabetic) => fold(&snowball.stem(word)),
            _ => word.to_owned(),
        }
    }

    /// The key and the folded form of a word as it stands in a text.
    pub(crate) fn key_and_word(&self, text: &str) -> (String, String) {
        let word = fold(text);
        let key = match &self.snowball {
            // Snowball reads composed small letters with their accents.
            Some(snowball) if !text.is_ascii() && text.chars().all(char::is_alphabetic) => {
                fold(&snowball.stem(&text.to_lowercase()))
            }
            _ => self.key(&word),
        };
        (key, word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_named_where_the_text_tells_it_whatever_terms_it_quotes() {
        let japanese = "この文書は、ファイルの形式を説明します。";
        let terms = "PDF Acrobat Reader Postscript Adobe Type Metadata Streams Linux ";
        let cases = [
            ("The harbour is closed to all ships until the morning.", Some("eng")),
            (japanese, Some("jpn")),
            (&format!("{terms}{japanese}"), Some("jpn")),
            ("A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f", None),
            ("abc def", None),
        ];
        for (text, language) in cases {
            assert_eq!(language_of(text), language, "{text}");
        }
    }
}

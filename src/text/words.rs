//! Compares texts as people do: without case, accents, quotes and other marks.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The words of a text in lower case, without accents and punctuation, with one space between them.
#[must_use]
pub fn fold_words(text: &str) -> String {
    let letters = text.nfkd().filter(|letter| !is_combining_mark(*letter)).flat_map(char::to_lowercase);
    let spaced = letters.map(|letter| if letter.is_alphanumeric() { letter } else { ' ' }).collect::<String>();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::fold_words;

    #[test]
    fn only_words_are_left() {
        assert_eq!(fold_words("5: \u{201C}Piracy\u{201D}"), "5 piracy");
        assert_eq!(fold_words(" 2.3  R\u{E9}sum\u{E9}\n\u{2014} E\u{301}te\u{301}! "), "2 3 resume ete");
        assert_eq!(fold_words("\u{FB01}nal \u{FF21}"), "final a");
        assert_eq!(fold_words("\u{2026}"), "");
    }
}

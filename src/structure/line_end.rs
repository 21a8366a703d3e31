//! What stands between the last word of a line and the first word of the next one, in paragraphs and in cells.

use pagewise_base::script::{is_hangul, is_ideograph};
use pagewise_text::{HYPHENS, Vocabulary, divides};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// A space.
    Space,
    /// Nothing.
    Nothing,
    /// Nothing, without the hyphen that only divides the word.
    Divided,
}

impl LineEnd {
    /// Between a text and the word or line after it. `vocabulary` is asked if a word may be divided.
    pub(crate) fn between<'t, 'v>(text: &'t str, next: &str, vocabulary: impl Fn() -> &'v Vocabulary) -> Self {
        let before = text.rsplit(' ').next().unwrap_or_default();
        let head = next.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
        let tail = |stem: &'t str| stem.rsplit(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
        let has_space = if let Some(stem) = before.strip_suffix(HYPHENS) {
            let tail = tail(stem);
            // Names and words in capitals are joined again if the document has the whole word elsewhere.
            let whole = format!("{tail}{head}");
            // A capital after a small letter begins a part of a compound, unless the whole word is written so.
            let is_mixed = tail.ends_with(char::is_lowercase) && head.starts_with(char::is_uppercase);
            let whole = if is_mixed { whole } else { whole.to_lowercase() };
            let is_known = |words: &Vocabulary| words.has(&whole) && !words.is_compound(tail, head);
            let (has_both, is_address) = (!tail.is_empty() && !head.is_empty(), is_address(before));
            let is_plain = divides(before.rsplit('—').next().unwrap_or_default(), next, &vocabulary);
            if has_both && (is_plain || !is_address && is_known(vocabulary())) {
                return Self::Divided;
            }
            !has_both && !is_address
        } else {
            let may_be_divided = before.ends_with(is_hangul) && next.starts_with(is_hangul);
            let is_one = may_be_divided && vocabulary().has_divided(tail(before), head);
            !is_one && !touches(before, next)
        };
        if has_space { Self::Space } else { Self::Nothing }
    }
}

/// Whether two words without a hyphen touch each other.
fn touches(before: &str, next: &str) -> bool {
    let is_wide = |sign: Option<char>| sign.is_some_and(is_ideograph);
    let has_word = |stem: &str| stem.ends_with(char::is_alphanumeric);
    // A dash, or a slash, that touches the word before it touches the next one.
    before.strip_suffix(['–', '—']).is_some_and(has_word)
        || is_wide(before.chars().next_back()) && is_wide(next.chars().next())
        || next.starts_with(char::is_alphanumeric) && goes_on_after(before, next)
}

/// Whether a word goes on after its last sign, a slash, or the dot of an address.
fn goes_on_after(before: &str, next: &str) -> bool {
    let is_part = |stem: &str| stem.ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, ':' | '/'));
    let is_host = |stem: &str| is_address(stem) && !next.starts_with(char::is_uppercase) && next.contains('/');
    before.strip_suffix('/').is_some_and(is_part) || before.strip_suffix('.').is_some_and(is_host)
}

/// Whether a word is a part of a URL, an address of mail or a path.
pub(crate) fn is_address(word: &str) -> bool {
    word.contains("://") || word.contains("www.") || word.contains(['@', '/'])
}

#[cfg(test)]
mod tests {
    use super::LineEnd::{self, Divided, Nothing, Space};
    use pagewise_text::Vocabulary;

    #[test]
    fn words_touch_after_what_goes_on() {
        let words = Vocabulary::of(
            ["we see it", "법률에 관한 것", "이 것 것이다 이", "der Lebenszyklus", "in PyTorch"].into_iter(),
        );
        for (text, next, expected) in [
            ("one", "two", Space),
            ("a divi-", "ded word", Divided),
            ("COVID-", "19", Nothing),
            ("a -", "b", Space),
            ("2010–", "2012", Nothing),
            ("a –", "b", Space),
            ("漢", "字", Nothing),
            ("50 mL/", "hr", Nothing),
            ("a /", "b", Space),
            ("see http://", "www.example.org", Nothing),
            ("see https://doi.", "org/10.1", Nothing),
            ("https://example.org.", "It is", Space),
            ("https://example.org.", "See e/f", Space),
            ("e.g.", "and/or", Space),
            ("Le-", "benszyklus", Divided),
            ("Lebens-", "Zyklus", Nothing),
            ("Py-", "Torch", Divided),
            ("법률에 관", "한 것", Nothing),
            ("법률에", "관한", Space),
            // The parts are joined if the word occurs elsewhere with another ending, and are not if a part occurs as a word.
            ("법률에 관", "한다", Nothing),
            ("그 것", "이고", Space),
        ] {
            assert_eq!(LineEnd::between(text, next, || &words), expected, "{text} {next}");
        }
    }
}

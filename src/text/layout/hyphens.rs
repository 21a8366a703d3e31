//! Rejoins words that are hyphenated at the end of a line.
//!
//! A soft hyphen always divides a word. Any other hyphen is removed only between two halves of a plain word, so that
//! addresses, paths, part numbers, ranges and compounds stay. Removed hyphens are recorded, so that a search finds both
//! readings.

/// Marks a divided word at the end of a line, and is ignored elsewhere.
pub(crate) const SOFT_HYPHEN: char = '\u{AD}';

/// The most lines over which an address is followed back to its beginning.
const MAX_LINES: usize = 8;

/// Whether a hyphen at the end of `text` divides a word that continues in `next`.
pub(crate) fn divides(text: &str, next: &str) -> bool {
    let Some(before) = text.strip_suffix(['-', '\u{2010}']) else { return false };
    let first = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let second = next.split(char::is_whitespace).next().unwrap_or_default();
    let goes_on = second.starts_with(char::is_lowercase) && first.ends_with(char::is_lowercase);
    goes_on && is_word(first.trim_start_matches(is_opening)) && is_end_of_word(second) && !is_in_address(before)
}

/// Whether this is a word of prose: letters, capitals only at the beginning or after an apostrophe.
fn is_word(word: &str) -> bool {
    let is_part = |part: &str| {
        let mut letters = part.chars();
        letters.next().is_none_or(char::is_alphabetic) && letters.all(is_small)
    };
    word.starts_with(char::is_alphabetic) && word.split(is_apostrophe).all(is_part)
}

/// Whether this is the end of a word, perhaps followed by punctuation, a note number, or a dash and another word.
fn is_end_of_word(word: &str) -> bool {
    let after = word.trim_start_matches(|character| is_small(character) || is_apostrophe(character));
    let is_host = after.split('.').skip(1).any(|part| part.starts_with(char::is_lowercase));
    !after.starts_with(char::is_alphanumeric) && !is_host && !after.contains(ADDRESS_SIGNS)
}

/// Signs in addresses, paths and identifiers.
const ADDRESS_SIGNS: [char; 15] = ['/', '\\', '@', '_', '=', '&', '%', '#', '~', '+', '<', '>', '|', '*', '$'];

fn is_small(character: char) -> bool {
    character.is_alphabetic() && !character.is_uppercase()
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

fn is_opening(character: char) -> bool {
    matches!(character, '(' | '[' | '{' | '"' | '\'' | '«' | '»' | '¿' | '¡' | '\u{2018}'..='\u{201F}')
}

/// Whether the last word of `text` continues an address that began in a line above.
fn is_in_address(text: &str) -> bool {
    let mut lines = text.rsplit('\n');
    let mut is_whole_line = lines.next().is_some_and(|line| !line.contains(char::is_whitespace));
    for line in lines.take(MAX_LINES) {
        let last = line.rsplit(char::is_whitespace).next().unwrap_or_default();
        if !is_whole_line {
            return false;
        }
        if is_address(last) {
            return true;
        }
        is_whole_line = last.len() == line.len();
    }
    false
}

/// Whether a word is part of a URL, an e-mail address or a path.
fn is_address(word: &str) -> bool {
    let is_host = |word: &str| word.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("www."));
    word.contains(['/', '\\', '@', '_']) || is_host(word.trim_start_matches(is_opening))
}

/// Rejoins words divided by soft hyphens. Also returns the byte positions of removed hyphens.
pub(crate) fn join_words(text: &str) -> (String, Vec<u64>) {
    if !text.contains(SOFT_HYPHEN) {
        return (text.to_owned(), Vec::new());
    }
    let (mut joined, mut joints) = (String::with_capacity(text.len()), Vec::new());
    let mut parts = text.split(SOFT_HYPHEN);
    joined.extend(parts.next());
    for part in parts {
        match part.strip_prefix('\n') {
            Some(rest) if continues_word(&joined, rest) => {
                joints.extend(u64::try_from(joined.len()));
                joined.push_str(rest);
            }
            // The word does not continue here, so the visible hyphen stays.
            Some(_) => {
                joined.push('-');
                joined.push_str(part);
            }
            None => joined.push_str(part),
        }
    }
    (joined, joints)
}

/// Whether `rest` begins with the rest of the divided word at the end of `text`: after a letter, a number is a note.
fn continues_word(text: &str, rest: &str) -> bool {
    let is_after_letter = text.ends_with(char::is_alphabetic);
    rest.starts_with(|first: char| first.is_alphabetic() || (first.is_numeric() && !is_after_letter))
}

#[cfg(test)]
mod tests {
    use super::{divides, join_words};

    #[test]
    fn plain_words_are_divided() {
        for (text, next) in [
            ("the inter-", "national law"),
            ("(Infor-", "mation),"),
            ("“l’Infor-", "mation».”"),
            ("Überprü\u{2010}", "fung."),
            ("don-", "key's"),
            ("вза-", "имно"),
            ("copy-", "righted.4"),
            ("dou-", "bly-linked"),
            ("tradi-", "tion—not"),
        ] {
            assert!(divides(text, next), "{text} {next}");
        }
    }

    #[test]
    fn addresses_numbers_and_compounds_are_not() {
        for (text, next) in [
            ("see https://example.org/long-", "name"),
            ("see www.exam-", "ple.org"),
            ("see exam-", "ple.org/a"),
            ("https://example.org/\nvery-", "long"),
            ("https://example.org/\na\nvery-", "long"),
            ("write to john-", "doe@example.org"),
            ("jane@exam-", "ple"),
            ("/usr/local-", "lib"),
            ("C:\\some-", "thing"),
            ("file_name-", "part"),
            ("part M4-", "a"),
            ("part ab-", "c12"),
            ("pages 10-", "12"),
            ("mother-in-", "law"),
            ("--long-", "option"),
            ("getSize-", "of"),
            ("Smith-", "Jones"),
            ("x =a-", "b"),
            ("a -", "b"),
            ("-", "b"),
        ] {
            assert!(!divides(text, next), "{text} {next}");
        }
    }

    #[test]
    fn a_soft_hyphen_joins_at_the_end_of_a_line_and_is_nothing_elsewhere() {
        assert_eq!(join_words("a\u{AD}b c\u{AD}\nd e"), ("ab cd e".to_owned(), vec![4]));
        assert_eq!(join_words("INTER\u{AD}\nNATIONAL").0, "INTERNATIONAL");
        assert_eq!(join_words("c\u{AD}\n\nd\u{AD}"), ("c-\n\nd".to_owned(), vec![]));
        assert_eq!(join_words("docu\u{AD}\n1 A note").0, "docu-\n1 A note");
        assert_eq!(join_words("plain"), ("plain".to_owned(), vec![]));
    }
}

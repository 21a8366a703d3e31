//! Rejoins words that are hyphenated at the end of a line.
//!
//! A soft hyphen always divides a word. Any other hyphen is removed only between two halves of a plain word, so that
//! addresses, paths, part numbers, ranges and compounds stay. A compound of two plain words is known by the text around it,
//! or by its words. Removed hyphens are recorded, so that a search finds both readings.

use pagewise_base::script::is_hangul;
use std::collections::HashSet;
use std::ops::Range;

/// Marks a divided word at the end of a line, and is ignored elsewhere.
pub(crate) const SOFT_HYPHEN: char = '\u{AD}';

/// Stands between two letters of a word that do not join, as the half-space of Persian does.
pub(crate) const NON_JOINER: char = '\u{200C}';

/// The most lines over which an address is followed back to its beginning.
const MAX_LINES: usize = 8;

/// A typesetter leaves at least so many letters of a word before a break: those of "e-mail" are no part of one.
const MIN_LETTERS: usize = 2;

/// Words that begin compounds which keep their hyphen.
const OPENING_WORDS: &str = "\
    all best close cross deep double eight ever far fast fine first five fixed four free full half hard high higher \
    ill large larger late least left less long longer low lower mixed more most much multi near nine non one \
    open quasi real right second self semi seven short single six small ten third three two well";

/// Words that end them.
const CLOSING_WORDS: &str = "\
    backed bearing bound built class colored coupled defined depth effective efficient faced free grained intensive known \
    level like looking made owned parametric processing quality ranging rated reported scale shaped sized style term \
    trained wide";

/// Words that end them, and no longer words: the first word need not be known.
const CLOSING_ALWAYS: &str = "\
    adjusted agnostic assisted aware based centered centric conscious consuming controlled dependent derived \
    dimensional directed driven eligible enabled focused friendly guided independent induced linked matched mediated \
    optimized oriented powered producing readable related resistant sensitive specific supervised treated weighted";

/// Words that are the beginning of longer ones as a rule.
const PREFIXES: &str = "\
    and any back car com con cor counter down for fore her inter mis not out over per pre pro some sub the through \
    under with";

fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|other| other == word)
}

/// A first word of fewer letters is a preposition or a prefix as a rule, and a second one an ending: "in-crease" and
/// "lower-ing" are no compounds of two words.
const MIN_FIRST: usize = 3;
const MIN_SECOND: usize = 4;

/// A text with fewer compounds among its words, one of so many, is in a language that writes them as one word. English papers
/// have one of 90, a German book one of 240.
const WORDS_A_COMPOUND: usize = 200;

/// A Korean word is recognised by a stem of so many syllables. One syllable is too few: many words begin with it.
const STEM_LENGTHS: Range<usize> = 2..5;

/// The words of a text, which tell a compound from a word that is divided.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// In small letters, and those with capitals after small letters as they are too.
    words: HashSet<String>,
    /// Words with a hyphen within a line.
    compounds: HashSet<String>,
    /// How many of these have small letters only.
    small_compounds: usize,
    /// The stems of words in Korean: their first few syllables.
    stems: HashSet<String>,
}

impl Vocabulary {
    /// The words of lines of text. The first word of a line, if it is no compound, and the last one before a hyphen or in Korean
    /// may be halves of words that end or begin elsewhere, and tell nothing.
    pub fn of<T: AsRef<str>>(lines: impl Iterator<Item = T>) -> Self {
        let mut vocabulary = Self::default();
        for line in lines {
            let line = line.as_ref().trim_end();
            let whole = match line.ends_with(HYPHENS) || line.ends_with(is_hangul) {
                true => line.rsplit_once(char::is_whitespace).map_or("", |(whole, _)| whole),
                false => line,
            };
            let is_whole = |(at, word): &(usize, &str)| *at > 0 || word.trim_matches(HYPHENS).contains(HYPHENS);
            let words = whole.split_whitespace().enumerate().filter(is_whole);
            words.for_each(|(_, word)| vocabulary.add(word));
        }
        vocabulary
    }

    fn add(&mut self, word: &str) {
        let word = word.trim_matches(|character: char| !character.is_alphabetic());
        let small = word.to_lowercase();
        if !small.contains(HYPHENS) {
            if word.contains(char::is_lowercase) && word.chars().skip(1).any(char::is_uppercase) {
                self.words.insert(word.to_owned());
            }
            let starts = small.char_indices().skip(1).map(|(at, _)| at).chain([small.len()]);
            let starts = starts.skip(1).take(STEM_LENGTHS.len()).filter(|_| small.starts_with(is_hangul));
            self.stems.extend(starts.filter_map(|end| small.get(..end)).map(str::to_owned));
            self.words.insert(small);
            return;
        }
        self.words.extend(small.split(HYPHENS).map(str::to_owned));
        let is_small = word.chars().all(|character| character.is_lowercase() || HYPHENS.contains(&character));
        if self.compounds.insert(small.replace(HYPHENS, "-")) && is_small {
            self.small_compounds += 1;
        }
    }

    /// Whether two halves of a word at the end of a line are the words of a compound.
    #[must_use]
    pub fn is_compound(&self, first: &str, second: &str) -> bool {
        let (first, second) = (&*first.to_lowercase(), &*second.to_lowercase());
        let compound = format!("{first}-{second}");
        let singular = compound.strip_suffix('s').filter(|one| self.compounds.contains(*one));
        if singular.is_some() || self.compounds.contains(&compound) || self.compounds.contains(&format!("{compound}s"))
        {
            return true;
        }
        let is_apart = || !self.has(&format!("{first}{second}")) && !lists(PREFIXES, first);
        let is_known = |word: &str| self.has(word) || self.has(&format!("{word}s"));
        let ends = || {
            lists(CLOSING_WORDS, second)
                || second.chars().nth(MIN_SECOND - 1).is_some() && self.has_compounds() && is_known(second)
        };
        let are_words = || {
            let is_word = first.chars().nth(MIN_FIRST - 1).is_some();
            is_word && (lists(CLOSING_ALWAYS, second) || is_known(first) && ends())
        };
        (lists(OPENING_WORDS, first) || are_words()) && is_apart()
    }

    /// Whether the text has a word, in small letters or with a capital after a small one.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.words.contains(word)
    }

    /// Whether a word in Korean is divided into two parts: the text has it, or has another word with its stem, and the first part
    /// does not stand alone.
    #[must_use]
    pub fn has_divided(&self, first: &str, second: &str) -> bool {
        let stem: String = first.chars().chain(second.chars().take(1)).collect();
        let is_stem = STEM_LENGTHS.contains(&stem.chars().count()) && self.stems.contains(&stem);
        self.has(&format!("{first}{second}")) || is_stem && !self.has(first)
    }

    /// Whether the language of the text writes compounds with a hyphen.
    fn has_compounds(&self) -> bool {
        self.small_compounds * WORDS_A_COMPOUND > self.words.len()
    }
}

/// Hyphens, as programs write them.
pub const HYPHENS: [char; 3] = ['-', '\u{2010}', '\u{2011}'];

/// Whether a hyphen at the end of `text` divides a word that continues in `next`. `vocabulary` is asked if it may.
pub fn divides<'v>(text: &str, next: &str, vocabulary: impl FnOnce() -> &'v Vocabulary) -> bool {
    let Some(before) = text.strip_suffix(HYPHENS) else { return false };
    let first = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let second = next.split(char::is_whitespace).next().unwrap_or_default();
    let goes_on = second.starts_with(char::is_lowercase) && first.ends_with(char::is_lowercase);
    let first = first.trim_start_matches(is_opening);
    let may_divide = goes_on && is_word(first) && is_end_of_word(second) && !is_in_address(before);
    let second = second.trim_end_matches(|character: char| !character.is_alphabetic());
    may_divide && first.chars().nth(MIN_LETTERS - 1).is_some() && !vocabulary().is_compound(first, second)
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
    use super::{Vocabulary, join_words};

    fn divides(text: &str, next: &str) -> bool {
        let words = Vocabulary::of(["we see it"].into_iter());
        super::divides(text, next, || &words)
    }

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
            ("infor\u{2011}", "mation"),
            ("cor-", "related"),
            ("under-", "taking"),
            ("re-", "derived"),
            ("inde-", "pendent"),
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
            ("an e-", "mail"),
            ("high-", "quality"),
            ("evidence-", "based"),
            ("far-", "reaching"),
            ("hemapheresis-", "derived"),
            ("x =a-", "b"),
            ("a -", "b"),
            ("-", "b"),
        ] {
            assert!(!divides(text, next), "{text} {next}");
        }
    }

    #[test]
    fn a_compound_is_known_by_the_text_around_it() {
        let check = |text: &str, first: &str, second: &str| Vocabulary::of(text.lines()).is_compound(first, second);
        assert!(check("Most-expensive houses", "most", "expensive"));
        assert!(check("on several co-citations of it", "co", "citation"));
        assert!(check("among the models of it", "model", "based"));
        assert!(!check("information about it", "infor", "mation"));
        assert!(!check("the highway is his way", "high", "way"));
    }

    #[test]
    fn two_words_of_a_text_with_compounds_are_one_and_the_halves_at_a_line_end_are_no_words() {
        let check = |text: &str, first: &str, second: &str| Vocabulary::of(text.lines()).is_compound(first, second);
        assert!(check("a well-made plan of gene and expression", "gene", "expression"));
        assert!(!check("the plan of gene and expression", "gene", "expression"));
        assert!(!check("a well-made plan to crease it in one", "in", "crease"));
        assert!(!check("a well-made plan for anti-\nbodies of bodies and anti-\nbodies", "anti", "bodies"));
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

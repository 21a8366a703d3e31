//! The words of a page as the index takes them: keys, with marks for those that stand there often or in a heading.

use std::collections::BTreeMap;

use super::language::Stemmer;
use super::marked_text::{LineKind, marked_lines};
use super::tokens::tokens;

/// Follows a key that stands on a page at least twice, at least [`MANY`] times, and in a heading. No key holds one of these
/// characters, since keys have no compatibility forms.
pub(crate) const KEY_MARKS: [char; 3] = ['²', '⁴', 'ʰ'];

/// Times after which a word stands on a page many times.
const MANY: u32 = 4;

/// How often a key stands on a page.
#[derive(Debug, Default, Clone, Copy)]
struct Occurrence {
    count: u32,
    is_in_heading: bool,
}

#[derive(Debug, Default)]
pub(crate) struct PageWords {
    keys: BTreeMap<String, Occurrence>,
    /// Words of its text.
    pub(crate) count: u32,
}

impl PageWords {
    /// Adds a marked text.
    pub(crate) fn add_text(&mut self, marked: &str, stemmer: &Stemmer) {
        let mut lines = marked_lines(marked).peekable();
        for token in tokens(marked, stemmer) {
            while lines.next_if(|(_, _, end)| *end <= token.start).is_some() {}
            let kind = lines.peek().map_or(LineKind::Text, |(kind, _, _)| *kind);
            self.count = self.count.max(token.position.saturating_add(1));
            let occurrence = self.keys.entry(token.key).or_default();
            // In lines that repeat, a word counts once.
            if kind != LineKind::Running || occurrence.count == 0 {
                occurrence.count = occurrence.count.saturating_add(1);
            }
            occurrence.is_in_heading |= kind == LineKind::Heading;
        }
    }

    /// Adds a title whose words the text need not have.
    pub(crate) fn add_title(&mut self, title: &str, stemmer: &Stemmer) {
        for token in tokens(title, stemmer) {
            let occurrence = self.keys.entry(token.key).or_default();
            occurrence.count = occurrence.count.max(1);
            occurrence.is_in_heading = true;
        }
    }

    /// The keys with their marks, in one text.
    pub(crate) fn tokens(&self) -> String {
        let mut tokens = String::new();
        for (key, occurrence) in &self.keys {
            let holds = [occurrence.count >= 2, occurrence.count >= MANY, occurrence.is_in_heading];
            push(&mut tokens, key, None);
            for (mark, _) in KEY_MARKS.iter().zip(holds).filter(|(_, holds)| *holds) {
                push(&mut tokens, key, Some(*mark));
            }
        }
        tokens
    }
}

fn push(tokens: &mut String, key: &str, mark: Option<char>) {
    tokens.push_str(key);
    tokens.extend(mark);
    tokens.push(' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_headings_and_frequent_words_are_marked_and_no_word_is_left_out() {
        let mut page = PageWords::default();
        page.add_text("\u{1}Report 2024\n\u{2}Net income\n\nIncome a a a a report\n", &Stemmer::of(""));
        page.add_title("Results", &Stemmer::of(""));
        assert_eq!(page.tokens(), "2024 a a² a⁴ income income² incomeʰ net netʰ report report² results resultsʰ ");
        assert_eq!(page.count, 10);
    }
}

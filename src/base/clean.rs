//! Text without invisible characters, and names that differ only in how Unicode writes them.
//!
//! What comes from a file or a name may hold characters that hide text from a reader, reorder it, or control a terminal.
//! [`is_hidden`] is the one list of them, and [`CleanText`] is a text without them.

use std::fmt;
use std::ops::Deref;

use unicode_normalization::UnicodeNormalization;

/// Whether a character is invisible, reorders what stands around it, or controls a device.
///
/// By the properties of Unicode 17: the categories Cc, Zl and Zp, `Bidi_Control`, `Default_Ignorable_Code_Point`, the
/// interlinear annotations, and noncharacters. The joiners U+200C and U+200D are not hidden: Persian, Indic scripts and
/// emoji need them.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    // Most characters are ASCII.
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let code = u32::from(character);
    character.is_control()
        || code & 0xFFFE == 0xFFFE
        || matches!(
            character,
            '\u{AD}'
                | '\u{34F}'
                | '\u{61C}'
                | '\u{115F}'..='\u{1160}'
                | '\u{17B4}'..='\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{200B}'
                | '\u{200E}'..='\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{3164}'
                | '\u{FDD0}'..='\u{FDEF}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FEFF}'
                | '\u{FFA0}'
                | '\u{FFF0}'..='\u{FFFB}'
                | '\u{1BCA0}'..='\u{1BCA3}'
                | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
}

/// Whether a character only joins those around it.
#[must_use]
pub fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200C}' | '\u{200D}')
}

/// A joiner without anything that it could join. A row of joiners spells a message that nobody sees.
fn is_idle_joiner(character: char, before: Option<char>) -> bool {
    is_joiner(character) && before.is_none_or(|before| before.is_ascii() || is_joiner(before))
}

/// A text without [hidden characters](is_hidden). Lines and tabs stay; other breaks become spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CleanText(String);

impl CleanText {
    /// Cleans a text. It has the lines that it had.
    #[must_use]
    pub fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        if !text
            .chars()
            .any(|character| is_hidden(character) && !matches!(character, '\n' | '\t') || is_joiner(character))
        {
            return Self(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\r' if characters.peek() == Some(&'\n') => {}
                '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => clean.push(' '),
                '\n' | '\t' => clean.push(character),
                _ if is_hidden(character) || is_idle_joiner(character, clean.chars().next_back()) => {}
                _ => clean.push(character),
            }
        }
        Self(clean)
    }

    /// Cleans a text that is one line: white space becomes single spaces, with none at the ends.
    #[must_use]
    pub fn line(text: &str) -> Self {
        let clean = Self::of(text);
        Self(clean.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Maximum number of characters that an error repeats of an argument.
pub const MAX_REPEATED_CHARACTERS: usize = 200;

/// `text` as an error repeats it: clean, on one line, and cut.
#[must_use]
pub fn repeated(text: &str) -> String {
    // White space that goes away is never most of a text.
    let start =
        text.char_indices().nth(4 * MAX_REPEATED_CHARACTERS).map_or(text, |(end, _)| text.get(..end).unwrap_or(text));
    let line = CleanText::line(start);
    match line.char_indices().nth(MAX_REPEATED_CHARACTERS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(&line)),
        None => line.into_string(),
    }
}

impl Deref for CleanText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CleanText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A file's name as a reader takes it: names that differ in their Unicode form, in the kinds of their spaces, quotes and
/// dashes, or in hidden characters, are alike.
#[must_use]
pub fn folded_name(name: &str) -> String {
    let clean = CleanText::line(name);
    let fold = |character: char| match character {
        '\u{2018}'..='\u{201B}' | '\u{2032}' | '\u{B4}' | '`' => '\'',
        '\u{201C}'..='\u{201F}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => character,
    };
    clean.nfc().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_gone_and_lines_stay() {
        let text =
            "a\u{202E}b\u{1b}[31m\u{9b}\r\nc\u{E0041}\td\u{200B}\u{FE0F}\u{3164}\u{2029}e\u{FDD0}\u{1FFFE}\u{AD}f\r";
        assert_eq!(&*CleanText::of(text), "ab[31m\nc\td ef ");
        assert_eq!(&*CleanText::line(" a\u{a0}\n--- b\u{1b}\t"), "a --- b");
    }

    #[test]
    fn joiners_stay_where_they_join() {
        for text in ["می\u{200C}خواهم", "क्\u{200D}ष", "👩\u{200D}💻"] {
            assert_eq!(&*CleanText::of(text), text);
        }
        assert_eq!(&*CleanText::of("a\u{200C}\u{200D}b\u{200D} م\u{200C}\u{200D}\u{200C}"), "ab م\u{200C}");
    }

    #[test]
    fn names_that_read_alike_fold_alike() {
        for (one, other) in [
            ("Shot 9.52\u{202F}AM.pdf", "Shot 9.52 AM.pdf"),
            ("U\u{308}bersicht.pdf", "\u{DC}bersicht.pdf"),
            ("it\u{2019}s.pdf", "it's.pdf"),
            ("1914\u{2013}18.pdf", "1914-18.pdf"),
            ("a\u{1b}\n\u{202e}b.pdf", "a b.pdf"),
        ] {
            assert_eq!(folded_name(one), folded_name(other));
        }
        assert_ne!(folded_name("a.pdf"), folded_name("A.pdf"));
    }
}

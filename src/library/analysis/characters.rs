//! What characters do in words, and how words are folded.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use pagewise_base::clean;

/// What a character does in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharacterClass {
    /// A letter or a digit.
    Letter,
    /// A character of a script that puts no spaces between words.
    Unspaced,
    /// Punctuation that joins words, such as a hyphen or a decimal point.
    Joiner,
    /// A mark or a control character, which counts as a part of the word.
    Hidden,
    /// A space or any other character.
    Other,
}

/// Whether the character may divide a word at the end of a line.
pub(crate) fn is_hyphen(character: char) -> bool {
    matches!(character, '-' | '\u{2010}' | '\u{2011}')
}

/// Small letters without accents; compatibility forms become plain.
#[must_use]
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let plain = text.nfkd().filter(|character| !is_combining_mark(*character) && !is_hidden(*character));
    let mut folded = String::with_capacity(text.len());
    for character in plain {
        match character {
            'ß' => folded.push_str("ss"),
            'ø' | 'Ø' => folded.push('o'),
            'ł' | 'Ł' => folded.push('l'),
            'ı' => folded.push('i'),
            'æ' | 'Æ' => folded.push_str("ae"),
            'œ' | 'Œ' => folded.push_str("oe"),
            '\u{2010}'..='\u{2015}' | '\u{2212}' => folded.push('-'),
            '\u{2018}' | '\u{2019}' => folded.push('\''),
            'ς' => folded.push('σ'),
            character => folded.extend(character.to_lowercase()),
        }
    }
    folded
}

/// What an ASCII character does in a word.
const fn class_of_ascii(character: u8) -> CharacterClass {
    match character {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => CharacterClass::Letter,
        b'.' | b',' | b'-' | b'_' | b'/' | b'\'' | b':' | b'+' | b'@' | b'#' | b'&' => CharacterClass::Joiner,
        _ => CharacterClass::Other,
    }
}

/// What the character does in a word.
pub(crate) fn class(character: char) -> CharacterClass {
    match character {
        '\0'..='\x7F' => class_of_ascii(u8::try_from(character).unwrap_or_default()),
        '\u{2010}' | '\u{2011}' | '\u{2013}' | '\u{2019}' => CharacterClass::Joiner,
        character if is_hidden(character) => CharacterClass::Hidden,
        character if is_unspaced(character) => CharacterClass::Unspaced,
        character if character.is_alphanumeric() => CharacterClass::Letter,
        character if is_combining_mark(character) => CharacterClass::Hidden,
        _ => CharacterClass::Other,
    }
}

/// Whether a word is the same without the character.
fn is_hidden(character: char) -> bool {
    character == '\u{FFFD}' || clean::is_hidden(character) || clean::is_joiner(character)
}

/// Whether the character is of a script that puts no spaces between words.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{2E80}'..='\u{2FDF}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{3100}'..='\u{312F}' | '\u{31F0}'..='\u{31FF}'
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}')
}

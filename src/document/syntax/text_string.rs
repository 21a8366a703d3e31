//! Decodes text strings (ISO 32000-2, 7.9.2.2) to plain text without hidden characters.

use pagewise_base::clean::{CleanText, is_hidden};

/// Longer text strings are cut and end in `…`. Real titles and labels have at most a few hundred characters.
const MAX_CHARACTERS: usize = 4_000;

/// Decodes a text string: UTF-16 or UTF-8 with a byte order mark, otherwise PDFDocEncoding.
///
/// White space becomes single spaces, and [hidden characters](is_hidden) are dropped.
pub(crate) fn decode(bytes: &[u8]) -> String {
    // Later bytes would be cut anyway: no encoding takes more than four bytes for a character.
    one_line(&characters(bytes.get(..MAX_CHARACTERS * 8).unwrap_or(bytes)))
}

/// Decodes a text string of any length with its spaces, line ends and soft hyphens. Other hidden characters are dropped.
pub fn decode_whole(bytes: &[u8]) -> String {
    let is_shown = |character: &char| matches!(character, '\t' | '\n' | '\r' | '\u{AD}') || !is_hidden(*character);
    characters(bytes).chars().filter(is_shown).collect()
}

/// The characters of a text string, by its encoding.
fn characters(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => without_languages(utf16(rest, u16::from_be_bytes)),
        [0xFF, 0xFE, rest @ ..] => without_languages(utf16(rest, u16::from_le_bytes)),
        [0xEF, 0xBB, 0xBF, rest @ ..] => without_languages(String::from_utf8_lossy(rest).into_owned()),
        // UTF-8 without a byte order mark is common, and such bytes hardly ever mean anything else.
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.iter().any(|byte| (0x18..0x20).contains(byte)) => text.to_owned(),
            _ => bytes.iter().map(|byte| pdf_doc_character(*byte)).collect(),
        },
    }
}

/// `text` without language escapes: a language code between two U+001B (ISO 32000-2, 7.9.2.2).
fn without_languages(text: String) -> String {
    if !text.contains(ESCAPE) {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut parts = text.split(ESCAPE);
    plain.extend(parts.next());
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        match parts.peek() {
            Some(after) if is_language(part) => {
                plain.push_str(after);
                parts.next();
            }
            _ => plain.push_str(part),
        }
    }
    plain
}

/// Begins and ends a language code.
const ESCAPE: char = '\u{1B}';

/// The longest language tag that implementations must support (RFC 5646).
const MAX_LANGUAGE: usize = 35;

fn is_language(code: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (2..=MAX_LANGUAGE).contains(&code.len()) && code.bytes().all(is_part)
}

/// `text` on one line of at most [`MAX_CHARACTERS`], without hidden characters.
/// A text on one line, without hidden characters, cut at the length that a title may have.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = CleanText::line(text).into_string();
    if let Some((end, _)) = line.char_indices().nth(MAX_CHARACTERS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Decodes UTF-16; `unit` determines the byte order.
fn utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).map(|unit| unit.unwrap_or('\u{FFFD}')).collect()
}

/// PDFDocEncoding (annex D.3).
fn pdf_doc_character(byte: u8) -> char {
    const ACCENTS: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const MARKS: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{FFFD}', '€',
    ];
    let special = match byte {
        0x18..=0x1F => ACCENTS.get(usize::from(byte - 0x18)),
        0x80..=0xA0 => MARKS.get(usize::from(byte - 0x80)),
        _ => None,
    };
    special.copied().unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::{decode, decode_whole};

    #[test]
    fn every_encoding_gives_the_same_text() {
        assert_eq!(decode(b"\xFE\xFF\x00A\x20\xAC"), "A€");
        assert_eq!(decode(b"\xFF\xFEA\x00\xAC\x20"), "A€");
        assert_eq!(decode(b"\xEF\xBB\xBFA\xE2\x82\xAC"), "A€");
        assert_eq!(decode(b"A\xA0"), "A€");
        assert_eq!(decode("A€".as_bytes()), "A€");
        assert_eq!(decode(b"\x18\x80\xFC"), "˘•ü");
    }

    #[test]
    fn hidden_characters_and_lines_go() {
        let text = "\u{202E}a\u{200B}\r\n\tb\u{E0041}\u{7}  \u{2066}c ";
        let mut bytes = vec![0xEF, 0xBB, 0xBF];
        bytes.extend(text.as_bytes());
        assert_eq!(decode(&bytes), "a b c");
    }

    #[test]
    fn names_of_languages_are_no_text() {
        assert_eq!(decode(b"\xFE\xFF\x00\x1B\x00e\x00n\x00U\x00S\x00\x1B\x00A"), "A");
        assert_eq!(decode(b"\xEF\xBB\xBFa \x1Bde\x1Bb\x1Bfr-CH\x1Bc"), "a bc");
        assert_eq!(decode(b"\xEF\xBB\xBFa\x1Ben"), "aen");
        assert_eq!(decode(b"\xEF\xBB\xBFa\x1Bno tag\x1Bb"), "ano tagb");
    }

    #[test]
    fn a_whole_string_keeps_its_spaces_and_lines() {
        assert_eq!(decode_whole(b" a  b\r\n\tc \x07"), " a  b\r\n\tc ");
        assert_eq!(decode_whole(&[b'x'; 9_000]).len(), 9_000);
    }

    #[test]
    fn lone_surrogates_and_odd_bytes_are_marked_or_dropped() {
        assert_eq!(decode(b"\xFE\xFF\xD8\x00\x00A\x00"), "\u{FFFD}A");
    }

    #[test]
    fn long_strings_are_cut_and_say_so() {
        let cut = decode(&[b'x'; 4_001]);
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (4_001, true));
        assert_eq!(decode(&[b'x'; 4_000]), "x".repeat(4_000));
    }
}

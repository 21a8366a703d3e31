//! Text strings (ISO 32000-2, 7.9.2.2) as plain text that hides nothing.

/// Characters of a text string that are given; longer ones end in `…`. Real titles and labels have a few hundred.
const MAX_CHARACTERS: usize = 4_000;

/// The text of a text string: UTF-16 of either byte order or UTF-8 by its mark, else PDFDocEncoding.
///
/// White space becomes single spaces, and what is not to be seen is dropped; see [`is_hidden`].
pub(crate) fn decode(bytes: &[u8]) -> String {
    // No encoding takes more than four bytes a character: what comes later is cut in any case.
    let bytes = bytes.get(..MAX_CHARACTERS * 8).unwrap_or(bytes);
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Producers that write UTF-8 without its mark are common, and such bytes are hardly ever meant otherwise.
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.iter().any(|byte| (0x18..0x20).contains(byte)) => text.to_owned(),
            _ => bytes.iter().map(|byte| pdf_doc_character(*byte)).collect(),
        },
    };
    one_line(&text)
}

/// `text` on one line of at most [`MAX_CHARACTERS`], without hidden characters.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let mut characters = 0;
    for character in text.chars() {
        let character = if character.is_whitespace() { ' ' } else { character };
        if is_hidden(character) || (character == ' ' && (line.is_empty() || line.ends_with(' '))) {
            continue;
        }
        if characters == MAX_CHARACTERS {
            line.push('…');
            break;
        }
        line.push(character);
        characters += 1;
    }
    line.truncate(line.trim_end().len());
    line
}

/// Whether a character shows nothing and may carry what a reader does not see: controls, marks and overrides of
/// direction, invisible separators, tags and variation selectors of plane 14.
///
/// The joiners U+200C and U+200D are not among them: they shape words in Persian and Indic scripts.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61C}'
                | '\u{180E}'
                | '\u{200B}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{202A}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E0FFF}'
        )
}

/// UTF-16 code units in pairs of bytes; language escapes (U+001B, 7.9.2.2) fall with the other controls.
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
    use super::decode;

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

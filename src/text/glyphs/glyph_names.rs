//! Maps glyph names of font programs to characters.

use skrifa::raw::tables::post::DEFAULT_GLYPH_NAMES;

/// The characters of the standard glyph names in `post` tables, from `space` on (OpenType, "Glyph names").
const STANDARD: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\
    ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄¤‹›ﬁﬂ‡·‚„‰\
    ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ";

/// The number of standard names before `space`, which are invisible.
const FIRST: usize = 3;

/// The character of a glyph name: a standard name, a single letter, or a code point such as `uni0041` or `u1F600`. A
/// suffix after a full stop names a variant.
pub(crate) fn character_of(name: &str) -> Option<char> {
    let name = name.split('.').next().filter(|base| !base.is_empty())?;
    let mut letters = name.chars();
    if let (Some(only), None) = (letters.next(), letters.next()) {
        return Some(only);
    }
    parse_number(name).or_else(|| {
        let mut names = DEFAULT_GLYPH_NAMES.iter().skip(FIRST).zip(STANDARD.chars());
        names.find(|(known, _)| **known == name).map(|(_, character)| character)
    })
}

fn parse_number(name: &str) -> Option<char> {
    let digits = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))?;
    if !(4..=6).contains(&digits.len()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_characters() {
        let names = ["uni0041", "u1F600", "A", "a.sc", "eacute", "hyphen", "dcroat", "fi", "Ograve"];
        let characters = names.map(|name| character_of(name).unwrap_or('?'));
        assert_eq!(characters, ['A', '😀', 'A', 'a', 'é', '-', 'đ', 'ﬁ', 'Ò']);
        for name in ["uniform", ".notdef", "g12", "uni00"] {
            assert_eq!(character_of(name), None, "{name}");
        }
    }

    #[test]
    fn each_standard_name_has_a_character() {
        assert_eq!(DEFAULT_GLYPH_NAMES.len(), STANDARD.chars().count() + FIRST);
    }
}

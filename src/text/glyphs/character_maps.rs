//! Character maps that the interpreter does not know.
//!
//! The Adobe collections have maps for three encoding forms of Unicode, of which ISO 32000-2, 9.7.5.2, lists UTF-16 alone.
//! The others are made of it. A name that nothing is known of becomes a map of codes without characters: text in such a
//! font counts as unknown, instead of not at all.

use hayro_interpret::InterpreterSettings;
use hayro_interpret::hayro_cmap::{CMap, CMapName, load_embedded};
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

/// Where `/ToUnicode` is the name of an identity map, codes are characters.
const IDENTITY: &[u8] = b"1 beginbfrange <0000> <FFFF> <0000> endbfrange";

/// Codes of two bytes, all with an identifier that no collection has, and that selects no glyph.
const UNKNOWN: &[u8] = b"1 beginnotdefrange <0000> <FFFF> 65536 endnotdefrange";

/// Characters beyond are in no collection.
const MAX_CHARACTER: u32 = 0x2_FFFF;

/// The collections, by what their maps are called after, and their maps of UTF-16. Later supplements have names of their
/// own, and differ in the shapes of few characters.
const COLLECTIONS: [(&str, CMapName<'static>, CMapName<'static>); 7] = [
    ("UniGB", CMapName::UniGbUtf16H, CMapName::UniGbUtf16V),
    ("UniCNS", CMapName::UniCnsUtf16H, CMapName::UniCnsUtf16V),
    ("UniKS", CMapName::UniKsUtf16H, CMapName::UniKsUtf16V),
    ("UniJIS", CMapName::UniJisUtf16H, CMapName::UniJisUtf16V),
    ("UniJIS2004", CMapName::UniJisUtf16H, CMapName::UniJisUtf16V),
    ("UniJISX0213", CMapName::UniJisUtf16H, CMapName::UniJisUtf16V),
    ("UniJISX02132004", CMapName::UniJisUtf16H, CMapName::UniJisUtf16V),
];

/// The maps that were made, by collection, and by form and direction.
static MADE: [[OnceLock<Vec<u8>>; 4]; COLLECTIONS.len()] =
    [const { [const { OnceLock::new() }; 4] }; COLLECTIONS.len()];

/// How the interpreter reads the fonts of text.
pub(crate) fn settings() -> InterpreterSettings {
    InterpreterSettings { cmap_resolver: Arc::new(load), ..InterpreterSettings::default() }
}

pub(super) fn load(name: CMapName<'_>) -> Option<&'static [u8]> {
    match name {
        CMapName::IdentityH | CMapName::IdentityV => Some(IDENTITY),
        CMapName::Custom(name) => Some(unicode_map(name).unwrap_or(UNKNOWN)),
        known => load_embedded(known),
    }
}

/// A map of a collection for an encoding form of Unicode, such as `UniKS-UTF32-H`.
fn unicode_map(name: &[u8]) -> Option<&'static [u8]> {
    let mut parts = std::str::from_utf8(name).ok()?.split('-');
    let (collection, form, direction) = (parts.next()?, parts.next()?, parts.next()?);
    let at = COLLECTIONS.iter().position(|(name, ..)| *name == collection)?;
    let (_, horizontal, vertical) = COLLECTIONS.get(at)?;
    let (map, is_vertical) = match direction {
        "H" => (*horizontal, false),
        "V" => (*vertical, true),
        _ => return None,
    };
    let form = match form {
        "UTF16" => return load_embedded(map),
        "UTF8" => Form::Utf8,
        "UTF32" => Form::Utf32,
        _ => return None,
    };
    let made = MADE.get(at)?.get(2 * usize::from(form == Form::Utf32) + usize::from(is_vertical))?;
    Some(made.get_or_init(|| make(map, form, is_vertical).unwrap_or_else(|| UNKNOWN.to_vec())))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Utf8,
    Utf32,
}

impl Form {
    /// The code of a character, and its length in bytes.
    fn code(self, character: char) -> (u32, usize) {
        match self {
            Self::Utf32 => (character.into(), 4),
            Self::Utf8 => {
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).as_bytes();
                (bytes.iter().fold(0, |code, byte| code << 8 | u32::from(*byte)), bytes.len())
            }
        }
    }
}

/// A range of codes of one length, and the identifier of the first.
struct CodeRange {
    first: u32,
    last: u32,
    bytes: usize,
    identifier: u32,
}

/// The map of a collection for `form`, made of that for UTF-16.
fn make(utf16: CMapName<'static>, form: Form, is_vertical: bool) -> Option<Vec<u8>> {
    let utf16 = CMap::parse(load_embedded(utf16)?, load_embedded)?;
    let mut ranges: Vec<CodeRange> = Vec::new();
    for character in (0..=MAX_CHARACTER).filter_map(char::from_u32) {
        let mut units = [0; 2];
        let units = character.encode_utf16(&mut units);
        let code = units.iter().fold(0, |code, unit| code << 16 | u32::from(*unit));
        let Some(identifier) = utf16.lookup_cid_code(code, if units.len() == 2 { 4 } else { 2 }) else { continue };
        let (code, bytes) = form.code(character);
        match ranges.last_mut() {
            Some(range)
                if range.bytes == bytes
                    && range.last + 1 == code
                    && range.identifier + (code - range.first) == identifier =>
            {
                range.last = code;
            }
            _ => ranges.push(CodeRange { first: code, last: code, bytes, identifier }),
        }
    }
    let mut map = format!("/WMode {} def {} begincidrange\n", u8::from(is_vertical), ranges.len());
    for CodeRange { first, last, bytes, identifier } in ranges {
        let digits = 2 * bytes;
        // Writing to a string cannot fail.
        let _ = writeln!(map, "<{first:0digits$X}> <{last:0digits$X}> {identifier}");
    }
    map.push_str("endcidrange");
    Some(map.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identifier(name: &[u8], code: u32, bytes: u8) -> Option<u32> {
        let map = CMap::parse(load(CMapName::from_bytes(name))?, load)?;
        map.lookup_cid_code(code, bytes)
    }

    #[test]
    fn a_character_has_one_identifier_in_each_form_of_unicode() {
        for (collection, character) in [("UniGB", '编'), ("UniKS", '한'), ("UniJIS", '日'), ("UniCNS", '編')] {
            let utf16 = identifier(format!("{collection}-UTF16-H").as_bytes(), character.into(), 2);
            assert!(utf16.is_some());
            let (utf8, bytes) = Form::Utf8.code(character);
            assert_eq!(bytes, 3);
            assert_eq!(identifier(format!("{collection}-UTF8-H").as_bytes(), utf8, 3), utf16);
            assert_eq!(identifier(format!("{collection}-UTF32-H").as_bytes(), character.into(), 4), utf16);
            assert_eq!(identifier(format!("{collection}-UTF32-V").as_bytes(), character.into(), 4), utf16);
        }
    }

    #[test]
    fn an_unknown_map_has_codes_without_characters() {
        let map = load(CMapName::from_bytes(b"UniXY-UTF9-H")).and_then(|map| CMap::parse(map, load));
        assert_eq!(map.as_ref().and_then(|map| map.lookup_cid_code(0x4E00, 2)), Some(65_536));
        assert_eq!(map.and_then(|map| map.lookup_bf_string(0x4E00)), None);
    }
}

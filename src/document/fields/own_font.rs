//! A font of the form's default resources (ISO 32000-2, 12.7.3), for the values that it has the characters of.
//!
//! Only simple fonts with an encoding and widths are used: these say what they can show without their program, and the
//! engine does not read more of them than of a page's own fonts.

use super::Form;
use lopdf::{Dictionary, Object};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Fonts of a form that are looked at for one page; real forms use three or four.
const MAX_FONTS: usize = 16;

/// Bytes of a font's program once it is decoded.
const MAX_PROGRAM_BYTES: usize = 4 << 20;

/// A simple font of the file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OwnFont {
    pub(super) dictionary: Dictionary,
    /// Code and width in ems of each character.
    characters: BTreeMap<char, (u8, f64)>,
}

impl OwnFont {
    pub(super) fn code(&self, character: char) -> Option<u8> {
        self.characters.get(&character).map(|(code, _)| *code)
    }

    pub(super) fn width(&self, character: char) -> Option<f64> {
        self.characters.get(&character).map(|(_, width)| *width)
    }
}

impl Form {
    /// The font that default appearances call `resource`; `None` where a standard font is as good, or safer.
    pub(super) fn own_font(&self, resource: &[u8]) -> Option<Rc<OwnFont>> {
        if let Some(known) = self.fonts.borrow().get(resource) {
            return known.clone();
        }
        if self.fonts.borrow().len() >= MAX_FONTS {
            return None;
        }
        let font = self.default_font(resource).and_then(|font| self.simple_font(font)).map(Rc::new);
        self.fonts.borrow_mut().insert(resource.to_vec(), font.clone());
        font
    }

    fn simple_font(&self, font: &Dictionary) -> Option<OwnFont> {
        let kind = self.get(font, b"Subtype")?.as_name().ok()?;
        let is_simple = matches!(kind, b"Type1" | b"TrueType" | b"MMType1") && font.has(b"Encoding");
        let widths = self.widths_of(font).filter(|_| is_simple && self.is_small(font))?;
        let mut characters = BTreeMap::new();
        let encoding = font.get_font_encoding_with_limit(&self.document, MAX_PROGRAM_BYTES).ok()?;
        for (code, width) in widths {
            let text = encoding.bytes_to_string(&[code]).ok()?;
            let mut text = text.chars();
            if let (Some(character), None) = (text.next(), text.next()) {
                characters.entry(character).or_insert((code, width));
            }
        }
        let mut dictionary = font.clone();
        // It tells nothing that the encoding does not, and may be large.
        dictionary.remove(b"ToUnicode");
        Some(OwnFont { dictionary, characters })
    }

    /// Codes that have a width, which is how a font says what it shows.
    fn widths_of(&self, font: &Dictionary) -> Option<Vec<(u8, f64)>> {
        let number = |key: &[u8]| u8::try_from(self.get(font, key)?.as_i64().ok()?).ok();
        let (first, last) = (number(b"FirstChar")?, number(b"LastChar")?);
        let widths = self.get(font, b"Widths")?.as_array().ok()?;
        let widths = (first..=last).zip(widths).filter_map(|(code, width)| Some((code, self.number(width)? / 1_000.0)));
        Some(widths.filter(|(_, width)| *width > 0.0 && *width < 10.0).collect())
    }

    /// Whether the font's program, where it has one, is of a size that fonts have.
    fn is_small(&self, font: &Dictionary) -> bool {
        let descriptor = self.get(font, b"FontDescriptor").and_then(|descriptor| descriptor.as_dict().ok());
        let program = descriptor.and_then(|descriptor| {
            let keys: [&[u8]; 3] = [b"FontFile", b"FontFile2", b"FontFile3"];
            keys.into_iter().find_map(|key| self.get(descriptor, key))
        });
        program.is_none_or(|program| match program {
            Object::Stream(program) if program.dict.has(b"Filter") => {
                program.decompressed_content_with_limit(MAX_PROGRAM_BYTES).is_ok()
            }
            Object::Stream(program) => program.content.len() <= MAX_PROGRAM_BYTES,
            _ => false,
        })
    }
}

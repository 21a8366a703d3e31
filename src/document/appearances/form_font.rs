//! Fonts of the form's default resources (ISO 32000-2, 12.7.3).
//!
//! Only simple fonts with an encoding and widths are used: they tell which characters they have without their program.

use super::AppearanceGenerator;
use lopdf::{Dictionary, Object};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The most fonts that are read for one page. Real forms use three or four.
const MAX_FONTS: usize = 16;

/// The largest decoded font program.
const MAX_PROGRAM_BYTES: usize = 4 << 20;

/// A simple font of the form.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FormFont {
    pub(super) dictionary: Dictionary,
    /// The code and the width in ems of each character.
    characters: BTreeMap<char, (u8, f64)>,
}

impl FormFont {
    pub(super) fn code(&self, character: char) -> Option<u8> {
        self.characters.get(&character).map(|(code, _)| *code)
    }

    pub(super) fn width(&self, character: char) -> Option<f64> {
        self.characters.get(&character).map(|(_, width)| *width)
    }
}

impl AppearanceGenerator {
    /// The font that default appearances call `resource`; `None` if a standard font is as good, or safer.
    pub(super) fn form_font(&self, resource: &[u8]) -> Option<Rc<FormFont>> {
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

    fn simple_font(&self, font: &Dictionary) -> Option<FormFont> {
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
        // It adds nothing to the encoding, and may be large.
        dictionary.remove(b"ToUnicode");
        Some(FormFont { dictionary, characters })
    }

    /// The codes that have a width: these are the ones that the font can show.
    fn widths_of(&self, font: &Dictionary) -> Option<Vec<(u8, f64)>> {
        let number = |key: &[u8]| u8::try_from(self.get(font, key)?.as_i64().ok()?).ok();
        let (first, last) = (number(b"FirstChar")?, number(b"LastChar")?);
        let widths = self.get(font, b"Widths")?.as_array().ok()?;
        let widths = (first..=last).zip(widths).filter_map(|(code, width)| Some((code, self.number(width)? / 1_000.0)));
        Some(widths.filter(|(_, width)| *width > 0.0 && *width < 10.0).collect())
    }

    /// Whether the font's program, if any, has a plausible size.
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

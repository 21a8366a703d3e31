//! Finds the characters of glyphs.
//!
//! Sources, in this order: `/ToUnicode` and glyph names, as hayro reads them; what else the font dictionary says; the
//! reversed tables of the embedded font program; the code itself, if it is Unicode, or ASCII in a simple font.

use super::font_map::FontMap;
use super::glyph_names::character_of;
use crate::glyphs::GlyphText;
use crate::layout::hyphens::{HYPHENS, SOFT_HYPHEN};
use hayro_interpret::font::{Glyph, OutlineFontData, OutlineGlyph, StandardFont};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::object::{Dict, ObjectIdentifier};
use pagewise_base::script::is_ideograph;
use pagewise_document::fast_hash::FastMap;
use skrifa::raw::ps::cff::CffFontRef;
use skrifa::raw::{FileRef, TableProvider};
use skrifa::{FontRef, GlyphId, MetadataProvider};
use std::collections::HashMap;
use std::rc::Rc;
use unicode_normalization::UnicodeNormalization;

/// The most glyphs of a font program that are read. A font has at most 65,536.
const MAX_GLYPHS: usize = 1 << 16;

/// Finds the characters of glyphs, and caches tables of their fonts.
#[derive(Default)]
pub(crate) struct CharacterResolver {
    /// Characters by glyph, for each font program read so far.
    programs: FastMap<u128, FastMap<u32, ProgramCharacter>>,
    /// By font dictionary, for those that were asked for.
    maps: HashMap<ObjectIdentifier, Rc<FontMap>>,
}

/// The character of a glyph according to the font program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProgramCharacter {
    character: char,
    /// Whether it comes from a symbol font's code, which need not be the character.
    is_number: bool,
}

impl CharacterResolver {
    /// What a font dictionary says of its characters.
    pub(super) fn map_of(&mut self, font: &Dict<'_>) -> Rc<FontMap> {
        match font.obj_id() {
            Some(id) => Rc::clone(self.maps.entry(id).or_insert_with(|| Rc::new(FontMap::of(font)))),
            None => Rc::new(FontMap::of(font)),
        }
    }

    /// The text of a glyph that the interpreter does not know; `None` if unknown. `font` is that of its dictionary.
    pub(super) fn resolve_unknown(&mut self, glyph: &Glyph<'_>, font: Option<&FontMap>) -> Option<GlyphText> {
        let code = glyph.char_code();
        let by_map = font.and_then(|font| font.text(code)).and_then(glyph_text);
        by_map.or_else(|| self.resolve_by_tables(glyph, font)).or_else(|| match glyph {
            Glyph::Outline(_) if font.is_some_and(|font| font.is_named(code)) => None,
            // hayro exposes the programs of TrueType and CID fonts: their codes are numbers of glyphs.
            Glyph::Outline(outline) if outline.font_data().is_some() => {
                font.and_then(|font| font.character(code)).and_then(text_of_character)
            }
            Glyph::Outline(_) | Glyph::Type3(_) => ascii(code),
        })
    }

    /// The text of a glyph that has a private character, by the name of the glyph.
    pub(super) fn resolve_by_name(&mut self, glyph: &Glyph<'_>, font: Option<&FontMap>) -> Option<GlyphText> {
        let by_name = font.and_then(|font| font.name_text(glyph.char_code())).and_then(glyph_text);
        by_name.or_else(|| self.resolve_by_tables(glyph, font)).filter(|text| !text.is_private())
    }

    fn resolve_by_tables(&mut self, glyph: &Glyph<'_>, font: Option<&FontMap>) -> Option<GlyphText> {
        let Glyph::Outline(outline) = glyph else { return None };
        let ProgramCharacter { character, is_number } = self.program_character(outline, &outline.font_data()?)?;
        let sign = font.and_then(|font| font.sign(character.into())).filter(|_| is_number);
        text_of_character(sign.unwrap_or(character))
    }

    /// The text of `glyph` according to the font program alone; `None` if unknown.
    pub(crate) fn resolve_by_program(&mut self, glyph: &Glyph<'_>) -> Option<GlyphText> {
        let Glyph::Outline(outline) = glyph else { return None };
        let program_character = self.program_character(outline, &outline.font_data()?)?;
        text_of_character(program_character.character).filter(|_| !program_character.is_number)
    }

    fn program_character(&mut self, glyph: &OutlineGlyph, program: &OutlineFontData) -> Option<ProgramCharacter> {
        let read = || characters_by_glyph((*program.data).as_ref());
        self.programs.entry(program.cache_key).or_insert_with(read).get(&glyph.glyph_id().to_u32()).copied()
    }
}

/// Reverses the tables `cmap` and `post` of an OpenType font, or the charset of a CFF font.
fn characters_by_glyph(program: &[u8]) -> FastMap<u32, ProgramCharacter> {
    let mut characters = FastMap::default();
    if is_substitute(program) {
        return characters;
    }
    let Some(font) = font_of(program) else { return characters_by_name(program) };
    for (code, glyph) in font.charmap().mappings().take(MAX_GLYPHS) {
        if let Some(character) = character_of_code(code) {
            let program_character = ProgramCharacter { character, is_number: code != u32::from(character) };
            let known = characters.entry(glyph.to_u32()).or_insert(program_character);
            // Of several characters, the lowest: the others are compatibility forms.
            if character < known.character {
                *known = program_character;
            }
        }
    }
    // Version 1.0 of `post` names glyphs by index alone, which subsetting changes.
    let has_names = font.post().is_ok_and(|post| post.version().to_major_minor() != (1, 0));
    let names = font.glyph_names();
    for (glyph, name) in names.iter().take(if has_names { MAX_GLYPHS } else { 0 }) {
        if let Some(character) = character_of(name.as_str()) {
            let known = characters.entry(glyph.to_u32()).or_insert(ProgramCharacter { character, is_number: false });
            if known.is_number {
                *known = ProgramCharacter { character, is_number: false };
            }
        }
    }
    characters
}

/// Whether a font program is the interpreter's substitute for a font that is not embedded.
fn is_substitute(program: &[u8]) -> bool {
    SUBSTITUTES.into_iter().any(|font| (*font.get_font_data().0).as_ref() == program)
}

/// The interpreter's substitute fonts.
const SUBSTITUTES: [StandardFont; 14] = [
    StandardFont::Helvetica,
    StandardFont::HelveticaBold,
    StandardFont::HelveticaOblique,
    StandardFont::HelveticaBoldOblique,
    StandardFont::Courier,
    StandardFont::CourierBold,
    StandardFont::CourierOblique,
    StandardFont::CourierBoldOblique,
    StandardFont::TimesRoman,
    StandardFont::TimesBold,
    StandardFont::TimesItalic,
    StandardFont::TimesBoldItalic,
    StandardFont::ZapfDingBats,
    StandardFont::Symbol,
];

/// Characters by the glyph names in the charset of a CFF font (Adobe Technical Note 5176, section 13).
fn characters_by_name(program: &[u8]) -> FastMap<u32, ProgramCharacter> {
    let font = CffFontRef::new_cff(program, 0, None).ok().filter(|font| !font.is_cid());
    let names = font.as_ref().and_then(|font| Some((font, font.charset()?)));
    let Some((font, charset)) = names else { return FastMap::default() };
    let glyphs = (0..font.num_glyphs()).take(MAX_GLYPHS);
    let numbers = glyphs.clone().skip(1).filter_map(|glyph| Some(charset.string_id(GlyphId::new(glyph))?.to_u16()));
    let numbers = numbers.collect::<Vec<_>>();
    // A charset of consecutive numbers names nothing.
    if numbers.windows(2).all(|pair| matches!(pair, [name, next] if name.checked_add(1) == Some(*next))) {
        return FastMap::default();
    }
    let program_character = glyphs.filter_map(|glyph| {
        let name = std::str::from_utf8(font.string(charset.string_id(GlyphId::new(glyph))?)?).ok()?;
        Some((glyph, ProgramCharacter { character: character_of(name)?, is_number: false }))
    });
    program_character.collect()
}

fn font_of(program: &[u8]) -> Option<FontRef<'_>> {
    match FileRef::new(program).ok()? {
        FileRef::Font(font) => Some(font),
        FileRef::Collection(fonts) => fonts.get(0).ok(),
    }
}

/// The character of a code in `cmap`. Symbol fonts have theirs from U+F000 on (OpenType, platform 3, encoding 0); those that
/// would be control characters are none.
fn character_of_code(code: u32) -> Option<char> {
    let code = if (0xF020..=0xF0FF).contains(&code) { code - 0xF000 } else { code };
    char::from_u32(code).filter(|character| !character.is_control())
}

fn ascii(code: u32) -> Option<GlyphText> {
    let character = char::from_u32(code)?;
    (character.is_ascii_graphic() || character == ' ').then_some(GlyphText::One(character))
}

pub(super) fn glyph_text(text: BfString) -> Option<GlyphText> {
    match text {
        BfString::Char(character) => text_of_character(character),
        // Word for Mac gives a hyphen all its forms.
        BfString::String(text) if text.starts_with(is_hyphen) && text.chars().all(is_hyphen) => {
            Some(GlyphText::One('-'))
        }
        BfString::String(text) => text_of_string(swapped_letters(&text).as_deref().unwrap_or(&text)),
    }
}

fn is_hyphen(character: char) -> bool {
    character == SOFT_HYPHEN || HYPHENS.contains(&character)
}

/// The letters of a ligature whose codes a program wrote with their bytes swapped, as versions of Ghostscript do: `昀椀` for `fi`.
fn swapped_letters(text: &str) -> Option<String> {
    let letter = |character: char| {
        let swapped = u16::try_from(u32::from(character)).ok()?.swap_bytes();
        char::from_u32(swapped.into()).filter(char::is_ascii_alphabetic)
    };
    let letters = text.chars().map(letter).collect::<Option<String>>()?;
    (letters.len() > 1).then_some(letters)
}

fn text_of_character(character: char) -> Option<GlyphText> {
    match character {
        '\0' | '\u{FFFD}' => None,
        // It shows nothing: where it is a word break, there is a gap.
        '\u{200B}' => Some(GlyphText::One(' ')),
        // A visible soft hyphen is a hyphen.
        '\u{AD}' => Some(GlyphText::One('-')),
        '\u{A0}' => Some(GlyphText::One(' ')),
        composed if is_presentation_form(composed) => text_of_string(&decompose(composed).collect::<String>()),
        other => Some(GlyphText::One(other)),
    }
}

pub(crate) fn text_of_string(text: &str) -> Option<GlyphText> {
    if let Some(ideograph) = spelled_twice(text) {
        return Some(GlyphText::One(ideograph));
    }
    let clean = text.chars().filter(|character| !matches!(character, '\0' | '\u{FFFD}'));
    let clean = clean.flat_map(decompose).collect::<String>();
    let mut characters = clean.chars();
    match (characters.next(), characters.next()) {
        (None, _) => None,
        (Some(only), None) => Some(GlyphText::One(only)),
        _ => Some(GlyphText::Many(clean.into_boxed_str())),
    }
}

/// The ideograph of a glyph whose codes are several forms of it, as Quartz writes them: `⼈人`.
fn spelled_twice(text: &str) -> Option<char> {
    let ideograph = text.nfkc().next().filter(|first| is_ideograph(*first))?;
    let is_form = |form: char| std::iter::once(form).nfkc().eq([ideograph]);
    let has_others = text.chars().zip(text.chars().skip(1)).any(|(one, next)| one != next);
    (has_others && text.chars().all(is_form)).then_some(ideograph)
}

/// The letters of a presentation form. A mark that stands alone decomposes to a space and the mark; on a page, the letter
/// before carries it.
fn decompose(character: char) -> impl Iterator<Item = char> {
    let form = is_presentation_form(character);
    let composed = form.then(|| std::iter::once(character).nfkc().filter(|letter| *letter != ' '));
    composed.into_iter().flatten().chain((!form).then_some(character))
}

/// Whether a character is a ligature, a radical, or a presentation form of Arabic, Hebrew or vertical writing.
fn is_presentation_form(character: char) -> bool {
    matches!(character, '\u{2E80}'..='\u{2FD5}' | '\u{FB00}'..='\u{FDFF}' | '\u{FE10}'..='\u{FE4F}' | '\u{FE70}'..='\u{FEFC}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_at_the_code_of_a_control_has_no_character() {
        assert_eq!([0x41, 0xF041, 0xF096, 0x2022].map(character_of_code), [Some('A'), Some('A'), None, Some('•')]);
    }

    #[test]
    fn ligatures_whose_codes_have_swapped_bytes_are_their_letters() {
        let text = |text: &str| glyph_text(BfString::String(text.to_owned()));
        assert_eq!(text("\u{6600}\u{6900}"), Some(GlyphText::Many("fi".into())));
        assert_eq!(text("\u{6600}\u{6900}\u{4E2D}"), Some(GlyphText::Many("昀椀中".into())));
        assert_eq!(text("\u{6600}"), Some(GlyphText::One('昀')));
    }

    #[test]
    fn forms_become_letters() {
        assert_eq!(text_of_character('ﬃ'), Some(GlyphText::Many("ffi".into())));
        assert_eq!(text_of_character('\u{FEDF}'), Some(GlyphText::One('ل')));
        assert_eq!(text_of_character('⼀'), Some(GlyphText::One('一')));
        assert_eq!(text_of_character('\u{AD}'), Some(GlyphText::One('-')));
        assert_eq!(text_of_character('\u{FC60}'), Some(GlyphText::Many("\u{64E}\u{651}".into())));
        assert_eq!(text_of_character('\u{FE7C}'), Some(GlyphText::One('\u{651}')));
        assert_eq!(text_of_character('\0'), None);
        assert_eq!(text_of_string("\u{2F9E}車\u{F902}"), Some(GlyphText::One('車')));
        assert_eq!(text_of_string("人人"), Some(GlyphText::Many("人人".into())));
        assert_eq!(text_of_string("f\u{FB01}\0"), Some(GlyphText::Many("ffi".into())));
    }
}

//! The characters, widths and scaling of a run of glyphs.

use super::characters::{CharacterResolver, glyph_text, text_of_string};
use super::font_map::FontMap;
use super::plausibility::FontReading;
use crate::fonts::{PageFontDictionaries, windows_text};
use crate::glyphs::{GlyphPlacement, GlyphText};
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::kurbo::{Affine, Rect, Shape};
use std::ops::Range;
use std::rc::Rc;

/// The most characters of one run that are cached. Longer lists are slow to search.
const MAX_CACHED_CHARACTERS: usize = 64;

/// A cache of the characters and widths of one run, which has one font. Looking them up is slow.
pub(super) struct RunCharacters {
    reading: FontReading,
    characters: Vec<(u32, ReadCharacter)>,
    /// Whether the page has fonts whose characters are not what they are said to be.
    has_fonts_of_signs: bool,
    /// What the font's dictionary says, once it was asked.
    map: Option<Option<Rc<FontMap>>>,
}

/// What is known of a glyph.
#[derive(Clone)]
pub(super) struct ReadCharacter {
    /// `None` if unknown.
    pub(super) text: Option<GlyphText>,
    pub(super) advance: f64,
    /// Whether the file says nothing of its character, and its code is taken for one.
    pub(super) is_guess: bool,
    pub(super) figure: Option<SmallFigure>,
}

/// A digit that the font draws small, and above or below the baseline, as `¹` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SmallFigure {
    Raised,
    Lowered,
}

/// The heights of small digits, in ems. Old-style figures are higher, or stand on the baseline; what is lower is part of a digit.
const SMALL_DIGIT_EM: Range<f64> = 0.3..0.5;
/// The foot of a raised digit is higher than this, in ems, and the foot and the top of a lowered one are lower.
const RAISED_FOOT_EM: f64 = 0.2;
const LOWERED_FOOT_EM: f64 = -0.05;
const LOWERED_TOP_EM: f64 = 0.36;
/// The size that small digits are given, and how far above the baseline of the line they are put, in ems of the line.
const SMALL_DIGIT_SIZE: f64 = 0.6;
const RAISED_EM: f64 = 0.33;
const LOWERED_EM: f64 = -0.15;

impl SmallFigure {
    fn of(glyph: &Glyph<'_>, text: &GlyphText) -> Option<Self> {
        let (Glyph::Outline(outline), GlyphText::One('0'..='9')) = (glyph, text) else { return None };
        let ink = outline.outline().bounding_box();
        Self::of_ink(ink.y0 / 1000.0, ink.y1 / 1000.0)
    }

    /// By the foot and the top of the ink of a digit, in ems above the baseline.
    fn of_ink(foot: f64, top: f64) -> Option<Self> {
        let is_small = SMALL_DIGIT_EM.contains(&(top - foot));
        match () {
            () if is_small && foot > RAISED_FOOT_EM => Some(Self::Raised),
            () if is_small && foot < LOWERED_FOOT_EM && top < LOWERED_TOP_EM => Some(Self::Lowered),
            () => None,
        }
    }

    /// Puts the digit where it is seen, as one in smaller type on another baseline.
    pub(super) fn settle(self, place: &mut GlyphPlacement) {
        let rise = if self == Self::Raised { RAISED_EM } else { LOWERED_EM };
        place.across -= rise * place.size;
        place.size *= SMALL_DIGIT_SIZE;
    }
}

/// Where the characters of fonts are found.
pub(super) struct CharacterSources<'s, 'g, 'h, 'c, 'p> {
    pub(super) run: &'s GlyphRun<'g, 'h>,
    /// The open part of the page.
    pub(super) clip: Rect,
    pub(super) characters: &'s mut CharacterResolver,
    pub(super) dictionaries: &'s mut PageFontDictionaries<'c, 'p>,
}

impl RunCharacters {
    /// `type3` is the run's font if that is a Type 3 font.
    pub(super) fn new(reading: FontReading, has_fonts_of_signs: bool, type3: Option<Rc<FontMap>>) -> Self {
        Self { reading, characters: Vec::new(), has_fonts_of_signs, map: type3.map(Some) }
    }

    /// The codes of the run that have a text.
    pub(super) fn texts(&self) -> impl Iterator<Item = (u32, &GlyphText)> {
        self.characters.iter().filter_map(|(code, read)| Some((*code, read.text.as_ref()?)))
    }

    pub(super) fn resolve(
        &mut self,
        glyph: &Glyph<'_>,
        sources: CharacterSources<'_, '_, '_, '_, '_>,
    ) -> ReadCharacter {
        let code = glyph.char_code();
        if let Some((_, known)) = self.characters.iter().find(|(known, _)| *known == code) {
            return known.clone();
        }
        let known = glyph.as_unicode().and_then(glyph_text).filter(|text| !is_wrong(glyph, text));
        let is_unknown = known.is_none();
        let text = match self.reading {
            FontReading::Trusted | FontReading::Pairs(_) => self.text_of(glyph, known, sources),
            FontReading::Distrusted => {
                let known = sources.characters.resolve_by_program(glyph);
                if self.has_fonts_of_signs { self.text_of(glyph, known, sources) } else { known }
            }
            FontReading::Unknown => None,
        };
        let is_code = char::from_u32(code).is_some_and(|character| text == Some(GlyphText::One(character)));
        let advance = advance_of(glyph);
        let text = text.map(|text| without_neighbours(text, advance));
        let figure = text.as_ref().and_then(|text| SmallFigure::of(glyph, text));
        let read = ReadCharacter { text, advance, is_guess: is_unknown && is_code, figure };
        if self.characters.len() < MAX_CACHED_CHARACTERS {
            self.characters.push((code, read.clone()));
        }
        read
    }

    /// The text of a glyph, of which the interpreter knows `known`.
    fn text_of(
        &mut self,
        glyph: &Glyph<'_>,
        known: Option<GlyphText>,
        sources: CharacterSources<'_, '_, '_, '_, '_>,
    ) -> Option<GlyphText> {
        let is_certain = |text: &GlyphText| !text.is_private() && !may_begin_ligature(text) && !may_be_other_form(text);
        let is_code = known == char::from_u32(glyph.char_code()).map(GlyphText::One);
        let may_differ = self.has_fonts_of_signs || matches!(glyph, Glyph::Type3(_));
        if known.as_ref().is_some_and(is_certain) && (is_code && !may_differ || glyph.char_code() > 0xFF) {
            return known;
        }
        let CharacterSources { run, clip, characters, dictionaries } = sources;
        let map = || dictionaries.dictionary_of(run, clip).map(|font| characters.map_of(&font));
        let map = self.map.get_or_insert_with(map);
        if is_code && let Some(text) = map.as_ref().and_then(|font| font.tex_text(glyph.char_code())) {
            return glyph_text(text);
        }
        let publisher = |font: &Rc<FontMap>| match &known {
            Some(GlyphText::One(character)) => font.publisher_sign(*character, glyph.char_code()).and_then(glyph_text),
            _ => None,
        };
        if let Some(sign) = map.as_ref().and_then(publisher) {
            return Some(sign);
        }
        if map.as_ref().is_some_and(|font| font.is_windows_code(glyph.char_code())) {
            let by_name = characters.resolve_by_program(glyph);
            return by_name.or_else(|| windows_character(glyph.char_code())).or(known);
        }
        let sign = |font: &Rc<FontMap>| match &known {
            Some(GlyphText::One(private @ '\u{F020}'..='\u{F0FF}')) => font.sign(u32::from(*private)),
            Some(GlyphText::One(letter)) => font.sign_of_letter(*letter, glyph.char_code()),
            None => font.sign_of_code(glyph.char_code()),
            Some(_) => None,
        };
        if let Some(sign) = map.as_ref().and_then(sign) {
            return Some(GlyphText::One(sign));
        }
        match known {
            Some(certain) if is_certain(&certain) => Some(certain),
            None => characters.resolve_unknown(glyph, map.as_deref()),
            Some(letter) if may_be_other_form(&letter) => {
                let form = map.as_ref().and_then(|font| font.greek_form(glyph.char_code()));
                Some(form.map_or(letter, GlyphText::One))
            }
            Some(letter) if may_begin_ligature(&letter) => {
                let ligature = map.as_ref().and_then(|font| font.name_text(glyph.char_code())).and_then(glyph_text);
                ligature.filter(|ligature| ligature.first() == letter.first()).or(Some(letter))
            }
            // A private character says less than the name of its glyph.
            private => characters.resolve_by_name(glyph, map.as_deref()).or(private.map(bracket_piece)),
        }
    }
}

/// Whether the file names a wrong character for a glyph: a control character, where the code is that of a sign or the font is
/// drawn. Some programs number glyphs with letters (`/CR`, `/BS`, `/CL`), which others read as the names of characters.
fn is_wrong(glyph: &Glyph<'_>, text: &GlyphText) -> bool {
    let is_sign = u8::try_from(glyph.char_code()).is_ok_and(|code| code.is_ascii_graphic());
    let is_type3 = matches!(glyph, Glyph::Type3(_));
    match text.first() {
        Some('\u{2104}') => is_sign && is_type3,
        Some(control) if control.is_control() => is_sign || is_type3,
        _ => false,
    }
}

/// The least width of a character, in thousandths of an em: that of narrow letters.
const MIN_CHARACTER_WIDTH: f64 = 350.0;

/// The sign alone, where a character map adds words that the glyph has no room for: some programs write there the text
/// around a sign of another font.
fn without_neighbours(text: GlyphText, advance: f64) -> GlyphText {
    let GlyphText::Many(all) = &text else { return text };
    let Some((sign, _)) = all.split_once(' ').filter(|(sign, _)| !sign.is_empty()) else { return text };
    let width = all.chars().map(|_| MIN_CHARACTER_WIDTH).sum::<f64>();
    if sign.contains(char::is_alphanumeric) || width <= advance { text } else { text_of_string(sign).unwrap_or(text) }
}

/// The character of a code in Windows-1252.
fn windows_character(code: u32) -> Option<GlyphText> {
    text_of_string(&windows_text(code)?).filter(|text| !text.first().is_some_and(char::is_control))
}

/// Whether a character map may have but the first letter of a ligature, whose name has all of them.
fn may_begin_ligature(text: &GlyphText) -> bool {
    matches!(text, GlyphText::One('f' | 'T'))
}

/// Whether a glyph name may have said the other form of a Greek letter.
fn may_be_other_form(text: &GlyphText) -> bool {
    matches!(text, GlyphText::One('ε' | 'φ' | 'ϕ'))
}

/// The Unicode character of a piece of a high bracket, for which Adobe's list of glyph names has a private one.
fn bracket_piece(text: GlyphText) -> GlyphText {
    let GlyphText::One(private) = text else { return text };
    let place = u32::from(private).wrapping_sub(PRIVATE_PIECES);
    let piece = usize::try_from(place).ok().and_then(|place| BRACKET_PIECES.chars().nth(place));
    GlyphText::One(piece.unwrap_or(private))
}

/// The first private character of a piece, and the Unicode characters from there on.
const PRIVATE_PIECES: u32 = 0xF8EB;
const BRACKET_PIECES: &str = "⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭";

/// The horizontal scaling of a run's glyphs besides the font size.
///
/// Glyphs of a substitute font are squeezed to the original widths, each by its own factor. A factor common to all
/// glyphs of a run is the text's horizontal scaling.
pub(super) enum HorizontalScaling {
    OfText,
    OfGlyphs,
}

impl HorizontalScaling {
    pub(super) fn of(run: &GlyphRun<'_, '_>, to_page: Affine) -> Self {
        let mut ratios = run.glyphs().iter().map(|glyph| GlyphPlacement::ratio(to_page * glyph.transform()));
        let Some(first) = ratios.next() else { return Self::OfText };
        if ratios.any(|ratio| (ratio - first).abs() > 0.001 * first) { Self::OfGlyphs } else { Self::OfText }
    }

    pub(super) fn unit(&self, place: &GlyphPlacement) -> f64 {
        match self {
            Self::OfText => place.unit,
            Self::OfGlyphs => place.size / 1000.0,
        }
    }
}

/// Glyphs whose em is narrower than this share of its height cannot be seen.
const MIN_WIDTH_SHARE: f64 = 0.02;

/// Whether the horizontal scaling of a run leaves nothing of its glyphs. A mark without width is no evidence.
pub(super) fn is_flat(run: &GlyphRun<'_, '_>, to_page: Affine) -> bool {
    let mut wide = run.glyphs().iter().filter(|glyph| advance_of(glyph) > 0.0).peekable();
    wide.peek().is_some() && wide.all(|glyph| GlyphPlacement::ratio(to_page * glyph.transform()) < MIN_WIDTH_SHARE)
}

/// The mean widths of glyphs of a font whose em is 1,000 units.
const USUAL_WIDTHS: std::ops::RangeInclusive<f64> = 150.0..=1300.0;

/// The em of a Type 3 run in glyph space units, estimated from its widths, if its font has no meaningful em: bitmap fonts do.
pub(super) fn type3_em(run: &GlyphRun<'_, '_>) -> Option<f64> {
    let widths = run.glyphs().iter().filter(|glyph| matches!(***glyph, Glyph::Type3(_))).map(|glyph| advance_of(glyph));
    let (count, sum) =
        widths.filter(|width| *width > 0.0).fold((0.0, 0.0), |(count, sum), width| (count + 1.0, sum + width));
    (count > 0.0 && !USUAL_WIDTHS.contains(&(sum / count))).then(|| 2.0 * sum / count)
}

fn advance_of(glyph: &Glyph<'_>) -> f64 {
    let advance = match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    };
    f64::from(advance.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_drawn_small_and_off_the_baseline_are_raised_or_lowered() {
        let ink = [
            (0.36, 0.72),
            (-0.12, 0.25),
            (0.43, 0.67),
            (0.0, 0.43),
            (-0.22, 0.43),
            (0.0, 0.68),
            (0.0, 0.36),
            (0.2, 0.9),
        ];
        let (raised, lowered) = (Some(SmallFigure::Raised), Some(SmallFigure::Lowered));
        let figures = ink.map(|(foot, top)| SmallFigure::of_ink(foot, top));
        assert_eq!(figures, [raised, lowered, None, None, None, None, None, None]);
        let mut place = GlyphPlacement::horizontal(Affine::new([0.01, 0.0, 0.0, -0.01, 50.0, 100.0]));
        SmallFigure::Raised.settle(&mut place);
        assert!(place.across < 97.0 && place.size < 7.0, "{place:?}");
    }
}

//! The style of a font by its dictionary (ISO 32000-2, 9.6 and 9.8).

use super::bitmap_fonts::family_name;
use super::font_name::style_of_name;
use crate::page_layout::MathFont;
use hayro_interpret::font::OutlineFontData;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object};

/// The least weight of bold fonts.
const BOLD_WEIGHT: f32 = 600.0;

/// The least angle of italic fonts, in degrees.
const ITALIC_DEGREES: f32 = 4.0;

/// `Flags` of a font descriptor (9.8.2).
const FIXED_PITCH: u32 = 1;
const ITALIC: u32 = 1 << 6;
const FORCE_BOLD: u32 = 1 << 18;

/// A font has a fixed pitch if at least so many widths are equal. With fewer widths it is not known.
const MIN_WIDTHS: usize = 10;

/// A composite font needs more widths: its digits, which are equally wide in most fonts, cannot be told from its letters.
const MIN_COMPOSITE_WIDTHS: usize = 20;

/// Widths that differ by a smaller share are the same, but for rounding.
const PITCH_TOLERANCE: f32 = 0.05;

/// The most widths of a font that are read.
const MAX_WIDTHS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct FontStyle {
    pub(crate) is_bold: bool,
    pub(crate) is_italic: bool,
    pub(crate) is_monospace: bool,
    /// Whether its characters are known to have several widths.
    pub(crate) is_proportional: bool,
    pub(crate) math: MathFont,
}

impl FontStyle {
    /// What either of two says.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            is_bold: self.is_bold || other.is_bold,
            is_italic: self.is_italic || other.is_italic,
            is_monospace: self.is_monospace || other.is_monospace,
            is_proportional: self.is_proportional || other.is_proportional,
            math: if self.math == MathFont::None { other.math } else { self.math },
        }
    }

    /// The style of the font with this dictionary.
    pub(super) fn of_dictionary(font: &Dict<'_>) -> Self {
        let descendant = font.get::<Array<'_>>(b"DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let descriptor = descendant.as_ref().unwrap_or(font).get::<Dict<'_>>(b"FontDescriptor");
        let by_name = style_of_name(family_name(font).unwrap_or(&base_name(font)));
        let own_name = descriptor.as_ref().and_then(|descriptor| descriptor.get::<Name<'_>>(b"FontName"));
        let by_name =
            own_name.map(|name| style_of_name(&String::from_utf8_lossy(&name))).unwrap_or_default().or(by_name);
        let by_descriptor = descriptor.map(|descriptor| Self::of_descriptor(&descriptor)).unwrap_or_default();
        let widths = match &descendant {
            Some(descendant) => widths_of_composite(descendant),
            None => widths_of(font),
        };
        let least = if descendant.is_some() { MIN_COMPOSITE_WIDTHS } else { MIN_WIDTHS };
        let is_proportional = widths.as_deref().is_some_and(have_no_pitch);
        let is_monospace = match widths {
            Some(widths) if widths.len() >= least && widths.windows(2).all(|pair| pair.first() == pair.last()) => true,
            // Some programs set the flag in any subset whose few characters, such as one dash, have one width.
            Some(widths) if descendant.is_none() && widths.len() < least => false,
            _ => by_descriptor.is_monospace,
        };
        by_name.or(Self { is_monospace, is_proportional, ..by_descriptor })
    }

    fn of_descriptor(descriptor: &Dict<'_>) -> Self {
        let number = |key: &[u8]| descriptor.get::<f32>(key);
        let flags = descriptor.get::<u32>(b"Flags").unwrap_or(0);
        Self {
            is_bold: flags & FORCE_BOLD != 0 || number(b"FontWeight").is_some_and(|weight| weight >= BOLD_WEIGHT),
            is_italic: flags & ITALIC != 0
                || number(b"ItalicAngle").is_some_and(|angle| (ITALIC_DEGREES..45.0).contains(&angle.abs())),
            is_monospace: flags & FIXED_PITCH != 0,
            ..Self::default()
        }
    }

    /// The style of a font by its program.
    pub(super) fn of_program(program: &OutlineFontData) -> Self {
        let by_name = program.postscript_name.as_deref().map(style_of_name).unwrap_or_default();
        let weight = program.weight.unwrap_or_default();
        let is_bold = f64::from(weight) >= f64::from(BOLD_WEIGHT);
        let (is_italic, is_monospace) = (program.is_italic, program.is_monospace);
        by_name.or(Self { is_bold, is_italic, is_monospace, ..Self::default() })
    }
}

pub(crate) fn base_name(font: &Dict<'_>) -> String {
    font.get::<Name<'_>>(b"BaseFont").map(|name| String::from_utf8_lossy(&name).into_owned()).unwrap_or_default()
}

/// Whether widths are those of proportional type. Ideographs have twice the width of letters of a fixed pitch.
fn have_no_pitch(widths: &[f32]) -> bool {
    let least = widths.iter().copied().fold(f32::INFINITY, f32::min);
    let is_near = |width: f32, pitch: f32| (width - pitch).abs() <= PITCH_TOLERANCE * pitch;
    widths.iter().any(|width| !is_near(*width, least) && !is_near(*width, 2.0 * least))
}

/// The most codes of a font that are named. A simple font has 256.
pub(crate) const MAX_CODES: usize = 512;

/// The codes that `/Differences` names, with the names.
pub(crate) fn glyph_names(differences: &Array<'_>) -> Vec<(u32, String)> {
    let mut code = 0;
    let mut names = Vec::new();
    for object in differences.iter::<Object<'_>>() {
        match object {
            Object::Number(number) => code = u32::try_from(number.as_i64()).unwrap_or(u32::MAX),
            Object::Name(name) => {
                names.push((code, String::from_utf8_lossy(&name).into_owned()));
                code = code.saturating_add(1);
            }
            _ => {}
        }
        if names.len() > MAX_CODES {
            break;
        }
    }
    names.retain(|(_, name)| name != ".notdef");
    names
}

/// The code of the first width of a simple font; `None` if the code does not fit in a byte.
pub(super) fn first_code(font: &Dict<'_>) -> Option<u32> {
    Some(font.get::<u32>(b"FirstChar").unwrap_or(0)).filter(|first| *first <= u8::MAX.into())
}

/// The widths of the characters that a simple font has, without digits, which have one width in most fonts.
fn widths_of(font: &Dict<'_>) -> Option<Vec<f32>> {
    let widths = font.get::<Array<'_>>(b"Widths")?;
    let codes = first_code(font)?..;
    let is_digit = |code: u32| u8::try_from(code).is_ok_and(|code| code.is_ascii_digit());
    let widths = codes.zip(widths.iter::<f32>().take(MAX_WIDTHS)).filter(|(code, _)| !is_digit(*code));
    Some(widths.map(|(_, width)| width).filter(|width| *width > 0.0).collect())
}

/// The widths that a composite font lists (9.7.4.3), but for those of whole ranges.
fn widths_of_composite(descendant: &Dict<'_>) -> Option<Vec<f32>> {
    let widths = descendant.get::<Array<'_>>(b"W")?;
    let lists = widths.iter::<Object<'_>>().take(MAX_WIDTHS).filter_map(|object| match object {
        Object::Array(list) => Some(list.iter::<f32>().take(MAX_WIDTHS).collect::<Vec<_>>()),
        _ => None,
    });
    Some(lists.flatten().filter(|width| *width > 0.0).take(MAX_WIDTHS).collect())
}

#[cfg(test)]
mod tests {
    use super::have_no_pitch;

    #[test]
    fn widths_have_no_pitch_unless_they_are_one_or_its_double_as_of_ideographs() {
        assert!(have_no_pitch(&[556.0, 278.0, 500.0]));
        assert!(!have_no_pitch(&[600.0, 600.0, 602.0]));
        assert!(!have_no_pitch(&[500.0, 1000.0, 500.0]));
        assert!(!have_no_pitch(&[]));
    }
}

//! Composes letters with accents that are drawn as separate glyphs, as TeX does.

use crate::glyphs::{GlyphText, PlacedGlyph};
use unicode_normalization::char::compose;

/// The least overlap of a letter and its accent, as a share of the narrower glyph.
const OVERLAP: f64 = 0.4;

/// The composed character of two overlapping glyphs; `None` if they are not a letter and its accent.
pub(crate) fn compose_accent(first: &PlacedGlyph, second: &PlacedGlyph) -> Option<GlyphText> {
    let (GlyphText::One(left), GlyphText::One(right)) = (&first.text, &second.text) else { return None };
    let (base, accent) = match (combining(*left), combining(*right)) {
        (Some(accent), None) => (*right, accent),
        (None, Some(accent)) => (*left, accent),
        _ => return None,
    };
    let common = first.end.min(second.end) - first.start.max(second.start);
    let narrower = (first.end - first.start).min(second.end - second.start);
    if common < narrower * OVERLAP {
        return None;
    }
    // Dotless letters exist to carry accents.
    let base = match base {
        'ı' => 'i',
        'ȷ' => 'j',
        other => other,
    };
    compose(base, accent).map(GlyphText::One)
}

/// The combining form of a spacing accent.
fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '`' | '\u{2CB}' => '\u{300}',
        '\u{B4}' | '\u{2CA}' => '\u{301}',
        '^' | '\u{2C6}' => '\u{302}',
        '~' | '\u{2DC}' => '\u{303}',
        '\u{AF}' | '\u{2C9}' => '\u{304}',
        '\u{2D8}' => '\u{306}',
        '\u{2D9}' => '\u{307}',
        '\u{A8}' => '\u{308}',
        '\u{2DA}' => '\u{30A}',
        '\u{2DD}' => '\u{30B}',
        '\u{2C7}' => '\u{30C}',
        '\u{B8}' => '\u{327}',
        '\u{2DB}' => '\u{328}',
        already @ '\u{300}'..='\u{36F}' => already,
        _ => return None,
    })
}

//! Composes letters with accents, and relations with slashes through them, that are drawn as separate glyphs, as TeX does.

use crate::glyphs::{GlyphText, PlacedGlyph};
use unicode_normalization::char::compose;

/// The least overlap of a letter and its accent, as a share of the narrower glyph.
const OVERLAP: f64 = 0.4;
/// The same for a relation and a slash through it.
const SLASH_OVERLAP: f64 = 0.8;

/// The sign through a relation, and the most between where it and a relation begin if it has no width, in ems.
const NEGATION: char = '\u{338}';
const BEFORE_EM: f64 = 0.15;

/// Whether one of two glyphs is a slash through the other.
pub(crate) fn are_negated(first: &PlacedGlyph, second: &PlacedGlyph) -> bool {
    let is_slash = |glyph: &PlacedGlyph| matches!(glyph.text, GlyphText::One('/' | NEGATION));
    (is_slash(first) || is_slash(second)) && compose_accent(first, second).is_some()
}

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
    let overlap = if [*left, *right].contains(&'/') { SLASH_OVERLAP } else { OVERLAP };
    // What TeX negates a relation with has no width, and reaches over what follows.
    let is_before =
        *left == NEGATION && narrower <= 0.0 && (second.start - first.start).abs() < BEFORE_EM * second.size;
    if common < narrower * overlap && !is_before {
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
        // A slash through a relation. With letters and digits it does not compose.
        '/' => NEGATION,
        already @ '\u{300}'..='\u{36F}' => already,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composed(first: (char, f64, f64), second: (char, f64, f64)) -> Option<char> {
        let [first, second] =
            [first, second].map(|(text, start, end)| PlacedGlyph::character(text, start, end, 0.0, 10.0));
        compose_accent(&first, &second)?.first()
    }

    #[test]
    fn a_slash_through_a_relation_negates_it() {
        assert_eq!(composed(('\u{338}', 10.0, 10.0), ('=', 10.2, 18.0)), Some('≠'));
        assert_eq!(composed(('/', 11.2, 16.2), ('∈', 10.0, 16.7)), Some('∉'));
        // One beside it, or through a digit, is text.
        assert_eq!(composed(('/', 10.0, 15.0), ('=', 14.0, 22.0)), None);
        assert_eq!(composed(('/', 10.0, 15.0), ('0', 10.0, 15.0)), None);
        assert_eq!(composed(('\u{338}', 10.0, 10.0), ('=', 13.0, 21.0)), None);
    }
}

//! Brackets in right-to-left text, whose shapes are mirrored (UAX 9, L4).

use super::reorder;
use crate::glyphs::GlyphText;
use crate::layout::lines::{LineGlyph, TextLine};
use pagewise_document::mirror::mirrored;

/// How a page's fonts name brackets in right-to-left text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BracketNaming {
    /// By meaning: an opening bracket is read first.
    ByMeaning,
    /// By the shape on the page.
    ByShape,
}

impl BracketNaming {
    /// The naming on the page with these lines. Shape if undecided: font tables know only shapes.
    pub(crate) fn of<'l>(lines: impl Iterator<Item = &'l TextLine>) -> Self {
        let mixed = lines.filter(|line| line.glyphs.iter().any(is_candidate) && line.has_right_to_left_text());
        let strays = mixed.map(strays).fold((0, 0), |sum, line| (sum.0 + line.0, sum.1 + line.1));
        if strays.0 < strays.1 { Self::ByMeaning } else { Self::ByShape }
    }

    pub(crate) fn apply(self, text: &mut GlyphText) {
        if let (Self::ByShape, GlyphText::One(shape)) = (self, &*text)
            && let Some(meant) = mirrored(*shape)
        {
            *text = GlyphText::One(meant);
        }
    }
}

fn is_candidate(line_glyph: &LineGlyph) -> bool {
    line_glyph.glyph.text.first().and_then(mirrored).is_some()
}

/// The number of unmatched brackets in reversed runs: as named, and mirrored.
fn strays(line: &TextLine) -> (usize, usize) {
    let turned = reorder(line).into_iter().filter(|read| read.is_reversed);
    let brackets = turned.filter_map(|read| read.line_glyph.glyph.text.first()).filter_map(opens).collect::<Vec<_>>();
    let closed_before_opened = |closing: bool| {
        brackets.iter().fold((0_usize, 0_usize), |(open, strays), opens| {
            match (*opens != closing, open.checked_sub(1)) {
                (true, _) => (open + 1, strays),
                (false, Some(open)) => (open, strays),
                (false, None) => (open, strays + 1),
            }
        })
    };
    let ((left, strays), (turned_left, turned_strays)) = (closed_before_opened(false), closed_before_opened(true));
    (left + strays, turned_left + turned_strays)
}

fn opens(bracket: char) -> Option<bool> {
    match bracket {
        '(' | '[' | '{' => Some(true),
        ')' | ']' | '}' => Some(false),
        _ => None,
    }
}

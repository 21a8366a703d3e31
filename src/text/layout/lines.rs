//! Groups glyphs, in content order, into lines and words.

use super::bidi::BracketNaming;
use super::{accents, bidi};
use crate::glyphs::{PlacedGlyph, WritingDirection};
use std::borrow::Cow;

/// The least gap that is a space, as a share of an em.
const SPACE_EM: f64 = 0.15;

/// How far a glyph may step back within a line, as a share of an em: kerning and accents.
const STEP_BACK_EM: f64 = 0.6;

/// How far a glyph may be off the baseline, as a share of an em: subscripts and superscripts.
const OFF_BASELINE_EM: f64 = 0.5;

/// A glyph of a line.
#[derive(Debug, Clone)]
pub(crate) struct LineGlyph {
    pub(crate) glyph: PlacedGlyph,
    /// Whether a space precedes it.
    pub(crate) is_spaced: bool,
}

/// A line of glyphs, in drawing order.
#[derive(Debug, Clone)]
pub(crate) struct TextLine {
    pub(crate) direction: WritingDirection,
    pub(crate) start: f64,
    pub(crate) end: f64,
    /// The baseline of its largest glyphs.
    pub(crate) across: f64,
    pub(crate) size: f64,
    pub(crate) glyphs: Vec<LineGlyph>,
}

impl TextLine {
    fn new(glyph: PlacedGlyph) -> Self {
        let (direction, start, end, across, size) = (glyph.direction, glyph.start, glyph.end, glyph.across, glyph.size);
        Self { direction, start, end, across, size, glyphs: vec![LineGlyph { glyph, is_spaced: false }] }
    }

    fn append(&mut self, glyph: PlacedGlyph, is_spaced: bool) {
        if !self.compose_accent(&glyph) {
            self.push(glyph, is_spaced);
        }
    }

    fn push(&mut self, glyph: PlacedGlyph, is_spaced: bool) {
        self.start = self.start.min(glyph.start);
        self.end = self.end.max(glyph.end);
        if glyph.size > self.size {
            (self.size, self.across) = (glyph.size, glyph.across);
        }
        self.glyphs.push(LineGlyph { glyph, is_spaced });
    }

    /// Composes the last glyph with `glyph` if one is the other's accent. Returns whether it did.
    fn compose_accent(&mut self, glyph: &PlacedGlyph) -> bool {
        let Some(last) = self.glyphs.last_mut() else { return false };
        let Some(text) = accents::compose_accent(&last.glyph, glyph) else { return false };
        last.glyph.text = text;
        last.glyph.start = last.glyph.start.min(glyph.start);
        last.glyph.end = last.glyph.end.max(glyph.end);
        self.end = self.end.max(glyph.end);
        true
    }

    /// The gap between the line's last glyph and `glyph`; `None` if `glyph` is on another line.
    fn gap_to(&self, glyph: &PlacedGlyph) -> Option<Gap> {
        let last = &self.glyphs.last()?.glyph;
        let size = last.size.max(glyph.size);
        let off = (glyph.across - last.across).abs().min((glyph.across - self.across).abs());
        if last.direction != glyph.direction || off > size * OFF_BASELINE_EM {
            return None;
        }
        let ahead = glyph.start - last.end;
        if ahead >= -size * STEP_BACK_EM {
            return Some(Gap::of(ahead, glyph.size));
        }
        let is_backwards = bidi::is_right_to_left(glyph.text.first()) || bidi::is_right_to_left(last.text.first());
        let behind = last.start - glyph.end;
        (is_backwards && behind >= -size * STEP_BACK_EM).then(|| Gap::of(behind, glyph.size))
    }

    /// Whether the line has right-to-left text.
    pub(crate) fn has_right_to_left_text(&self) -> bool {
        self.glyphs.iter().any(|line_glyph| bidi::is_right_to_left(line_glyph.glyph.text.first()))
    }

    /// The line's glyphs in logical order. `brackets` is the page's naming of brackets.
    pub(crate) fn logical_glyphs(&self, brackets: BracketNaming) -> Cow<'_, [LineGlyph]> {
        match self.has_right_to_left_text() {
            true => bidi::logical_order(&self.glyphs, brackets).into(),
            false => (&*self.glyphs).into(),
        }
    }

    /// The line's text in logical order. `brackets` is the page's naming of brackets.
    pub(crate) fn text(&self, brackets: BracketNaming) -> String {
        let glyphs = self.logical_glyphs(brackets);
        let mut text = String::with_capacity(glyphs.len() * 2);
        for line_glyph in glyphs.iter() {
            if line_glyph.is_spaced && !text.is_empty() {
                text.push(' ');
            }
            line_glyph.glyph.text.push_to(&mut text);
        }
        text
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Space,
}

impl Gap {
    fn of(distance: f64, size: f64) -> Self {
        if is_space(distance, size) { Self::Space } else { Self::None }
    }
}

/// Whether a distance between two glyphs is a space, for an em of `size`.
pub(crate) fn is_space(distance: f64, size: f64) -> bool {
    distance > size * SPACE_EM
}

/// Groups glyphs into lines, in the order in which the lines begin.
pub(crate) fn group_into_lines(glyphs: Vec<PlacedGlyph>) -> Vec<TextLine> {
    let mut lines: Vec<TextLine> = Vec::new();
    let mut after_space = false;
    for glyph in glyphs {
        if glyph.text.is_space() {
            after_space = true;
            continue;
        }
        match lines.last_mut().and_then(|line| line.gap_to(&glyph).map(|gap| (line, gap))) {
            Some((line, gap)) => line.append(glyph, after_space || gap == Gap::Space),
            None => lines.push(TextLine::new(glyph)),
        }
        after_space = false;
    }
    lines
}

//! Groups glyphs, in content order, into lines and words.

use super::direction::Brackets;
use super::mark::{Frame, Mark};
use super::{accents, direction};

/// The least gap that is a space, as a share of an em.
const SPACE_EM: f64 = 0.15;

/// How far a glyph may step back within a line, as a share of an em: kerning and accents.
const STEP_BACK_EM: f64 = 0.6;

/// How far a glyph may be off the baseline, as a share of an em: subscripts and superscripts.
const OFF_BASELINE_EM: f64 = 0.5;

/// A glyph of a line.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) mark: Mark,
    /// Whether a space precedes it.
    pub(super) is_spaced: bool,
}

/// A line of glyphs, in drawing order.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) frame: Frame,
    pub(super) start: f64,
    pub(super) end: f64,
    /// The baseline of its largest glyphs.
    pub(super) across: f64,
    pub(super) size: f64,
    pub(super) pieces: Vec<Piece>,
}

impl Line {
    fn new(mark: Mark) -> Self {
        let (frame, start, end, across, size) = (mark.frame, mark.start, mark.end, mark.across, mark.size);
        Self { frame, start, end, across, size, pieces: vec![Piece { mark, is_spaced: false }] }
    }

    fn take(&mut self, mark: Mark, is_spaced: bool) {
        if !self.takes_accent(&mark) {
            self.push(mark, is_spaced);
        }
    }

    fn push(&mut self, mark: Mark, is_spaced: bool) {
        self.start = self.start.min(mark.start);
        self.end = self.end.max(mark.end);
        if mark.size > self.size {
            (self.size, self.across) = (mark.size, mark.across);
        }
        self.pieces.push(Piece { mark, is_spaced });
    }

    /// Composes the last glyph with `mark` if one is the other's accent. Returns whether it did.
    fn takes_accent(&mut self, mark: &Mark) -> bool {
        let Some(last) = self.pieces.last_mut() else { return false };
        let Some(said) = accents::composed(&last.mark, mark) else { return false };
        last.mark.said = said;
        last.mark.start = last.mark.start.min(mark.start);
        last.mark.end = last.mark.end.max(mark.end);
        self.end = self.end.max(mark.end);
        true
    }

    /// The gap between the line's last glyph and `mark`; `None` if `mark` is on another line.
    fn gap_to(&self, mark: &Mark) -> Option<Gap> {
        let last = &self.pieces.last()?.mark;
        let size = last.size.max(mark.size);
        let off = (mark.across - last.across).abs().min((mark.across - self.across).abs());
        if last.frame != mark.frame || off > size * OFF_BASELINE_EM {
            return None;
        }
        let ahead = mark.start - last.end;
        if ahead >= -size * STEP_BACK_EM {
            return Some(Gap::of(ahead, mark.size));
        }
        let is_backwards =
            direction::is_right_to_left(mark.said.first()) || direction::is_right_to_left(last.said.first());
        let behind = last.start - mark.end;
        (is_backwards && behind >= -size * STEP_BACK_EM).then(|| Gap::of(behind, mark.size))
    }

    /// Whether the line has right-to-left text.
    pub(super) fn is_mixed(&self) -> bool {
        self.pieces.iter().any(|piece| direction::is_right_to_left(piece.mark.said.first()))
    }

    /// The line's text in logical order. `brackets` is the page's naming of brackets.
    pub(super) fn text(&self, brackets: Brackets) -> String {
        let reordered = self.is_mixed().then(|| direction::logical(&self.pieces, brackets));
        let pieces = reordered.as_deref().unwrap_or(&self.pieces);
        let mut text = String::with_capacity(pieces.len() * 2);
        for piece in pieces {
            if piece.is_spaced && !text.is_empty() {
                text.push(' ');
            }
            piece.mark.said.push_to(&mut text);
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
pub(super) fn is_space(distance: f64, size: f64) -> bool {
    distance > size * SPACE_EM
}

/// Groups glyphs into lines, in the order in which the lines begin.
pub(super) fn lines(marks: Vec<Mark>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut after_space = false;
    for mark in marks {
        if mark.said.is_space() {
            after_space = true;
            continue;
        }
        match lines.last_mut().and_then(|line| line.gap_to(&mark).map(|gap| (line, gap))) {
            Some((line, gap)) => line.take(mark, after_space || gap == Gap::Space),
            None => lines.push(Line::new(mark)),
        }
        after_space = false;
    }
    lines
}

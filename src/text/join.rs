//! Joins lines that were drawn in parts.
//!
//! Producers draw the parts of a line in any order: digits before their decimal points, the end of a Hebrew line before
//! its beginning, a value into the gap of a sentence. Parts on one baseline that fill gaps of an earlier line, or touch
//! its end, belong to it.

use super::lines::{Line, Piece, is_space};
use super::mark::Frame;
use std::collections::HashMap;

/// The largest difference of baselines, as a share of an em.
const BASELINE_EM: f64 = 0.15;

/// The largest ratio of sizes.
const SIZE_RATIO: f64 = 1.25;

/// The largest gap between adjacent parts, as a share of an em.
const TOUCH_EM: f64 = 0.3;

/// The largest overlap of two glyphs, as a share of a glyph: italics lean over, and kerning pulls glyphs together.
const OVERLAP: f64 = 0.3;

/// The height of the rows in which baselines are looked up, in points.
const ROW_PT: f64 = 4.0;

/// The most lines that one line is compared with.
const MAX_COMPARED: usize = 32;

/// Joins the parts of each line, at the position of its first part.
pub(super) fn joined(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    let mut rows: HashMap<(Frame, i64), Vec<usize>> = HashMap::new();
    for line in lines {
        let row = row_of(&line);
        let near = [row, row - 1, row + 1].into_iter().filter_map(|row| rows.get(&(line.frame, row)));
        let near = near.flat_map(|row| row.iter().rev().take(MAX_COMPARED));
        let one = near.copied().filter(|at| kept.get(*at).is_some_and(|earlier| are_one(earlier, &line))).max();
        match one.and_then(|at| kept.get_mut(at)) {
            Some(earlier) => insert(earlier, line),
            None => {
                rows.entry((line.frame, row)).or_default().push(kept.len());
                kept.push(line);
            }
        }
    }
    kept
}

#[allow(clippy::cast_possible_truncation, reason = "the cast saturates, and rows that far off the page are one")]
fn row_of(line: &Line) -> i64 {
    (line.across / ROW_PT).floor() as i64
}

/// Whether two lines are parts of one line.
fn are_one(earlier: &Line, line: &Line) -> bool {
    let (small, large) = (earlier.size.min(line.size), earlier.size.max(line.size));
    if (earlier.across - line.across).abs() > small * BASELINE_EM || large > small * SIZE_RATIO {
        return false;
    }
    let touches = |gap: f64| (-OVERLAP * small..=TOUCH_EM * small).contains(&gap);
    let is_beside = touches(line.start - earlier.end) || touches(earlier.start - line.end);
    let is_between = line.start < earlier.end && line.end > earlier.start;
    is_beside || (is_between && line.pieces.iter().all(|piece| is_free(earlier, piece)))
}

/// Whether a glyph overlaps none of the line's glyphs.
fn is_free(line: &Line, piece: &Piece) -> bool {
    let (start, end) = (piece.mark.start, piece.mark.end);
    line.pieces.iter().all(|other| {
        let common = end.min(other.mark.end) - start.max(other.mark.start);
        common <= OVERLAP * (end - start).min(other.mark.end - other.mark.start)
    })
}

/// Inserts the glyphs of `part` into `line` by position.
fn insert(line: &mut Line, part: Line) {
    line.start = line.start.min(part.start);
    line.end = line.end.max(part.end);
    for piece in part.pieces {
        let at = line.pieces.iter().position(|other| other.mark.start > piece.mark.start);
        let at = at.unwrap_or(line.pieces.len());
        line.pieces.insert(at, piece);
        space(line, at);
        space(line, at + 1);
    }
}

/// Recomputes whether a space precedes the glyph at `at`, after its neighbour has changed.
fn space(line: &mut Line, at: usize) {
    let before = at.checked_sub(1).and_then(|at| line.pieces.get(at)).map(|piece| piece.mark.end);
    if let Some(piece) = line.pieces.get_mut(at) {
        piece.is_spaced = before.is_some_and(|end| is_space(piece.mark.start - end, piece.mark.size));
    }
}

//! Lines that are drawn in pieces, put together again.
//!
//! Producers draw a line's letters in any order: digits first and their points in a second pass, the end of a line of
//! Hebrew before its beginning, a value into the gap of a sentence. What stands on one baseline and fits into the gaps of
//! an earlier line, or touches its end, belongs to it.

use super::lines::{Line, Piece, is_space};
use super::mark::Frame;
use std::collections::HashMap;

/// Share of an em that two baselines may differ.
const BASELINE_EM: f64 = 0.15;

/// How much two sizes on one line may differ.
const SIZE_RATIO: f64 = 1.25;

/// Share of an em between two parts of a line where one begins after the other.
const TOUCH_EM: f64 = 0.3;

/// Share of a glyph that may lie under another: italics lean over, kerning pulls together.
const OVERLAP: f64 = 0.3;

/// Points in which baselines are looked up.
const ROW_PT: f64 = 4.0;

/// Lines that one line is compared with.
const MAX_COMPARED: usize = 32;

/// `lines` with the parts of each line together, where its first part stood.
pub(super) fn joined(lines: Vec<Line>) -> Vec<Line> {
    let mut kept: Vec<Line> = Vec::with_capacity(lines.len());
    let mut rows: HashMap<(Frame, i64), Vec<usize>> = HashMap::new();
    for line in lines {
        let row = row_of(&line);
        let near = [row, row - 1, row + 1].into_iter().filter_map(|row| rows.get(&(line.frame, row)));
        let near = near.flat_map(|row| row.iter().rev().take(MAX_COMPARED));
        let taker = near.copied().filter(|at| kept.get(*at).is_some_and(|earlier| takes(earlier, &line))).max();
        match taker.and_then(|at| kept.get_mut(at)) {
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

/// Whether `line` is a part of `earlier`.
fn takes(earlier: &Line, line: &Line) -> bool {
    let (small, large) = (earlier.size.min(line.size), earlier.size.max(line.size));
    if (earlier.across - line.across).abs() > small * BASELINE_EM || large > small * SIZE_RATIO {
        return false;
    }
    let touches = |gap: f64| (-OVERLAP * small..=TOUCH_EM * small).contains(&gap);
    let is_beside = touches(line.start - earlier.end) || touches(earlier.start - line.end);
    let is_inside = line.start >= earlier.start && line.end <= earlier.end;
    is_beside || (is_inside && line.pieces.iter().all(|piece| is_free(earlier, piece)))
}

/// Whether a glyph covers none of the line.
fn is_free(line: &Line, piece: &Piece) -> bool {
    let (start, end) = (piece.mark.start, piece.mark.end);
    line.pieces.iter().all(|other| {
        let common = end.min(other.mark.end) - start.max(other.mark.start);
        common <= OVERLAP * (end - start).min(other.mark.end - other.mark.start)
    })
}

/// Puts the glyphs of `part` where they stand in `line`.
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

/// Says anew whether a space goes before the glyph at `at`: its neighbour has changed.
fn space(line: &mut Line, at: usize) {
    let before = at.checked_sub(1).and_then(|at| line.pieces.get(at)).map(|piece| piece.mark.end);
    if let Some(piece) = line.pieces.get_mut(at) {
        piece.is_spaced = before.is_some_and(|end| is_space(piece.mark.start - end, piece.mark.size));
    }
}

//! Head cells over several columns: by a rule below them, or by where they stand.

use super::area::is_between;
use super::columns::{Column, Piece};
use super::rows::{RowLine, is_hyphenated};
use crate::tables::layout::edges::Edge;

/// The pieces of each head line, widened over the columns that they head.
pub(super) fn spread_pieces<'p>(lines: &[RowLine<'p>], columns: &[Column], cuts: &[Edge]) -> Vec<Vec<Piece<'p>>> {
    let mut out: Vec<Vec<Piece>> = lines.iter().map(|l| l.pieces.clone()).collect();
    for (at, line) in lines.iter().enumerate() {
        let Some(next) = lines.get(at + 1) else { break };
        let ruled: Vec<Piece> = line.pieces.iter().map(|p| widened_by_rule(p, line, next, columns, cuts)).collect();
        let is_ruled = ruled.iter().zip(&line.pieces).any(|(a, b)| (a.first, a.last) != (b.first, b.last));
        let done = if is_ruled { ruled } else { widened_by_text(ruled, at, lines, columns) };
        if let Some(slot) = out.get_mut(at) {
            *slot = done;
        }
    }
    out
}

/// A piece with a rule right below it heads the columns over that rule.
fn widened_by_rule<'p>(
    piece: &Piece<'p>,
    line: &RowLine,
    next: &RowLine,
    columns: &[Column],
    cuts: &[Edge],
) -> Piece<'p> {
    let b = &piece.chunk.bounds;
    let (Some(start), Some(end)) = (columns.first(), columns.last()) else { return piece.clone() };
    let is_partial = |e: &&Edge| e.end - e.start < 0.9 * (end.hi - start.lo);
    let is_near = |e: &Edge| {
        is_between(e, line, next) || e.at > line.baseline - 0.1 * line.size && e.at < line.baseline + 0.9 * line.size
    };
    let below = |e: &&Edge| is_near(e) && e.start <= b.x0 + 3.0 && b.x1 - 3.0 <= e.end;
    let Some(rule) = cuts.iter().filter(is_partial).find(below) else { return piece.clone() };
    let over = |c: &Column| (c.hi.min(rule.end) - c.lo.max(rule.start)) > 0.5 * (c.hi - c.lo);
    let first = columns.iter().position(over).unwrap_or(piece.first).min(piece.first);
    let last = columns.iter().rposition(over).unwrap_or(piece.last).max(piece.last);
    Piece { first, last, chunk: piece.chunk.clone() }
}

/// A head line that leaves columns free which the next one fills: its pieces head groups of columns.
fn widened_by_text<'p>(pieces: Vec<Piece<'p>>, at: usize, lines: &[RowLine<'p>], columns: &[Column]) -> Vec<Piece<'p>> {
    let (Some(line), Some(next)) = (lines.get(at), lines.get(at + 1)) else { return pieces };
    let earlier = lines.get(..at).unwrap_or_default();
    let is_new = |c: usize| !earlier.iter().any(|l| l.fills(c));
    let is_wide = next.baseline - line.baseline > 1.45 * line.size.max(next.size);
    let groups: Vec<usize> =
        (0..pieces.len()).filter(|i| pieces.get(*i).is_some_and(|p| p.first > 0 || next.fills(p.first))).collect();
    let later = lines.get(at + 1..).unwrap_or_default();
    let is_free = |c: usize| is_new(c) && !line.fills(c) && later.iter().any(|l| l.fills(c));
    if pieces.iter().any(is_hyphenated)
        || groups.is_empty()
        || groups.len() > columns.len()
        || !is_wide
        || !(0..columns.len()).any(is_free)
    {
        return pieces;
    }
    let start = (0..columns.len()).find(|c| *c > 0 || next.fills(0)).unwrap_or(0);
    partition(pieces, &groups, start, columns, next)
}

/// Divides the columns from `start` among the pieces so that each stands best over its group.
fn partition<'p>(
    mut pieces: Vec<Piece<'p>>,
    groups: &[usize],
    start: usize,
    columns: &[Column],
    next: &RowLine,
) -> Vec<Piece<'p>> {
    let mut best: Vec<Vec<(f32, usize)>> = vec![vec![(f32::MAX, 0); columns.len() + 1]; groups.len() + 1];
    if let Some(slot) = best.first_mut().and_then(|row| row.get_mut(start)) {
        *slot = (0.0, start);
    }
    for (at, index) in groups.iter().enumerate() {
        let Some(piece) = pieces.get(*index) else { continue };
        for end in start + 1..=columns.len() {
            let options = (start..end).filter(|from| *from <= piece.first && piece.last < end).map(|from| {
                let before = best.get(at).and_then(|row| row.get(from)).map_or(f32::MAX, |b| b.0);
                let lone = if end - from == 1 && next.fills(from) { 1e4 } else { 0.0 };
                (before + lone + misfit(piece, from, end, columns), from)
            });
            let cheapest = options.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f32::MAX, start));
            if let Some(slot) = best.get_mut(at + 1).and_then(|row| row.get_mut(end)) {
                *slot = cheapest;
            }
        }
    }
    let mut end = columns.len();
    for (at, index) in groups.iter().enumerate().rev() {
        let Some((cost, from)) = best.get(at + 1).and_then(|row| row.get(end)).copied() else { break };
        if cost >= 1e6 {
            break;
        }
        if let Some(piece) = pieces.get_mut(*index) {
            (piece.first, piece.last) = (from, end - 1);
        }
        end = from;
    }
    pieces
}

/// How far a piece stands from the left, the middle or the right of columns `from..end`.
fn misfit(piece: &Piece, from: usize, end: usize, columns: &[Column]) -> f32 {
    let (Some(first), Some(last)) = (columns.get(from), columns.get(end - 1)) else { return f32::MAX };
    let b = &piece.chunk.bounds;
    let centre = (b.x0 + b.x1 - first.lo - last.hi).abs() / 2.0;
    (b.x0 - first.lo).abs().min((b.x1 - last.hi).abs()).min(centre)
}

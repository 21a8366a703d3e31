//! Head cells over several columns: by a rule below them, or by where they stand.

use super::area::{cuts_between, is_between};
use super::columns::{Column, MIN_SEAM, Piece};
use super::rows::{RowLine, is_hyphenated};
use crate::measures::NEXT_LINE_EM;
use crate::tables::layout::edges::Edge;
use pagewise_text::{Bounds, COLUMN_GAP_EM};
use std::collections::BTreeSet;
use std::ops::Range;

/// A piece alone in its line stands at the middle of its columns within this many ems.
const OFF_MIDDLE: f32 = 1.0;
/// The same of a piece alone between two upright rules.
const OFF_CELL: f32 = 2.0;
/// A head that is no further from its heads than lines of one cell stands over them within this many ems.
const ON_GROUP: f32 = 0.3;
/// Columns may reach over the upright rules beside them by less than this, in points.
const SIDE_PT: f32 = 2.0;
/// So many upright rules divide a table into groups of columns.
const MIN_DIVIDING: usize = 2;
/// A head at a side of its columns counts as further off than one at their middle, by this many ems.
const SIDE: f32 = 0.5;

/// The pieces of each head line, widened over the columns that they head.
pub(super) fn spread_pieces<'p>(
    lines: &[RowLine<'p>],
    columns: &[Column],
    cuts: &[Edge],
    uprights: &[Edge],
) -> Vec<Vec<Piece<'p>>> {
    let mut spread: Vec<RowLine> = lines.to_vec();
    for (at, line) in spread.iter_mut().enumerate() {
        let later = lines.get(at + 1..).unwrap_or_default();
        // Beside a head of several lines, others stand between its lines and their own heads.
        later.iter().for_each(|heads| join_over_heads(line, heads, columns));
    }
    let mut by_text = Vec::new();
    for (at, line) in spread.iter_mut().enumerate() {
        let is_done = widen_between_uprights(line, lines, columns, uprights)
            || widen_over_values(&mut line.pieces, at, lines, columns, cuts)
            || lines.get(at + 1).is_some_and(|next| widen_by_rules(line, next, columns, cuts));
        by_text.extend((!is_done).then_some(at));
    }
    for at in by_text {
        let widened = lines.get(at + 1).and_then(|next| by_text_of(&spread, at, next, columns));
        if let (Some(pieces), Some(line)) = (widened, spread.get_mut(at)) {
            line.pieces = pieces;
        }
    }
    for at in (1..spread.len()).rev() {
        if let Some([line, below]) = spread.get_mut(at - 1..=at)
            && below.baseline - line.baseline < NEXT_LINE_EM.end * line.size
        {
            widen_as_below(line, below, cuts);
        }
    }
    for at in 1..spread.len() {
        if let Some([above, line]) = spread.get_mut(at - 1..=at)
            && line.baseline - above.baseline < NEXT_LINE_EM.end * line.size
        {
            widen_as_above(line, above, cuts);
        }
    }
    spread.into_iter().map(|line| line.pieces).collect()
}

/// Widens pieces alone between two upright rules over the columns between these. The rules at the sides of the table are its
/// frame; where several rules divide a table without a frame, its sides count. Returns whether a piece changed, or
/// all have their places.
fn widen_between_uprights(line: &mut RowLine, lines: &[RowLine], columns: &[Column], uprights: &[Edge]) -> bool {
    let baseline = line.baseline;
    let y = baseline - 0.3 * line.size;
    let mut xs: Vec<f32> = uprights.iter().filter(|e| e.is_rule && e.start <= y && y <= e.end).map(|e| e.at).collect();
    if xs.len() >= MIN_DIVIDING {
        xs.insert(0, f32::MIN);
        xs.push(f32::MAX);
    }
    let sides = |piece: &Piece| {
        let middle = f32::midpoint(piece.chunk.bounds.x0, piece.chunk.bounds.x1);
        let right = xs.partition_point(|x| *x < middle);
        Some((*xs.get(right.checked_sub(1)?)?, *xs.get(right)?))
    };
    let within = |(left, right): (f32, f32)| {
        let is_within = |own: &Column| left - SIDE_PT < own.lo && own.hi < right + SIDE_PT;
        let own = (columns.iter().position(is_within)?, columns.iter().rposition(is_within)?);
        (own != (0, columns.len() - 1)).then_some(own)
    };
    let cells: Vec<Option<(f32, f32)>> = line.pieces.iter().map(sides).collect();
    let (mut is_changed, mut placed) = (false, 0);
    for (piece, cell) in line.pieces.iter_mut().zip(&cells) {
        let is_alone = cells.iter().filter(|other| *other == cell).count() == 1;
        let is_wider = |(first, last): &(usize, usize)| *first <= piece.first && piece.last <= *last;
        let own = cell.filter(|_| is_alone).and_then(within);
        // Apart from their middle, it may be one of the lines of the head of one column.
        let is_over = |own: &(usize, usize)| {
            let others = lines.iter().filter(|other| other.baseline != baseline).flat_map(|other| &other.pieces);
            off_middle(&piece.chunk.bounds, own.0, own.1, columns) < OFF_CELL * piece.chunk.size()
                || !others.into_iter().any(|other| own.0 <= other.first && other.last <= own.1)
        };
        let own = own.filter(is_over);
        if let Some((first, last)) = own.filter(|own| piece.first == piece.last || is_wider(own)) {
            is_changed |= (piece.first, piece.last) != (first, last);
            placed += 1;
            (piece.first, piece.last) = (first, last);
        }
    }
    is_changed || placed == line.pieces.len()
}

/// A piece alone in its line, at the middle of the columns after the first and below a rule under their heads, is about
/// all of them: the unit of their values.
fn widen_over_values(pieces: &mut [Piece], at: usize, lines: &[RowLine], columns: &[Column], cuts: &[Edge]) -> bool {
    let [only] = pieces else { return false };
    let (Some(line), Some(above)) = (lines.get(at), at.checked_sub(1).and_then(|above| lines.get(above))) else {
        return false;
    };
    let b = only.chunk.bounds;
    let off = off_middle(&b, 1, columns.len() - 1, columns);
    let is_parted = cuts_between(cuts, above, line).any(|edge| edge.is_rule && edge.start < b.x0 && b.x1 < edge.end);
    let is_over = only.first > 0 && off < OFF_MIDDLE * line.size && is_parted;
    if is_over {
        (only.first, only.last) = (1, columns.len() - 1);
    }
    is_over
}

/// Widens pieces that have a rule right below them over the columns of that rule. Returns whether a piece changed.
fn widen_by_rules(line: &mut RowLine, next: &RowLine, columns: &[Column], cuts: &[Edge]) -> bool {
    let (Some(start), Some(end)) = (columns.first(), columns.last()) else { return false };
    let is_partial = |e: &&Edge| e.end - e.start < 0.9 * (end.hi - start.lo);
    let is_near = |e: &&Edge| {
        is_between(e, line, next) || e.at > line.baseline - 0.1 * line.size && e.at < line.baseline + 0.9 * line.size
    };
    let rules: Vec<&Edge> = cuts.iter().filter(is_partial).filter(is_near).collect();
    let before: Vec<(usize, usize)> = line.pieces.iter().map(|piece| (piece.first, piece.last)).collect();
    for rule in rules {
        let is_over = |b: &Bounds| rule.start <= b.x0 + 3.0 && b.x1 - 3.0 <= rule.end;
        join_words(&mut line.pieces, is_over);
        let pieces = &mut line.pieces;
        let own: Vec<usize> =
            (0..pieces.len()).filter(|at| pieces.get(*at).is_some_and(|piece| is_over(&piece.chunk.bounds))).collect();
        let is_ruled = |c: &Column| (c.hi.min(rule.end) - c.lo.max(rule.start)) > 0.5 * (c.hi - c.lo);
        let (first, last) = (columns.iter().position(is_ruled), columns.iter().rposition(is_ruled));
        let (Some(first), Some(last)) = (first, last) else { continue };
        match own.as_slice() {
            [] => {}
            [only] => {
                if let Some(piece) = pieces.get_mut(*only) {
                    (piece.first, piece.last) = (first.min(piece.first), last.max(piece.last));
                }
            }
            several => partition(pieces, several, first..last + 1, columns, next),
        }
    }
    line.pieces.len() < before.len()
        || line.pieces.iter().zip(before).any(|(piece, before)| (piece.first, piece.last) != before)
}

/// Joins the words of a head at the middle of columns that have heads of their own in the line `next`, further apart.
fn join_over_heads(line: &mut RowLine, next: &RowLine, columns: &[Column]) {
    let is_near = next.baseline - line.baseline < NEXT_LINE_EM.end * line.size;
    let off = if is_near { ON_GROUP } else { OFF_MIDDLE };
    let pieces = &mut line.pieces;
    for start in 0..pieces.len() {
        let is_group = |end: &usize| {
            let Some(run @ [first, .., last]) = pieces.get(start..=*end) else { return false };
            let is_below = |piece: &&Piece| first.first <= piece.first && piece.last <= last.last;
            let below: Vec<Piece> = next.pieces.iter().filter(is_below).cloned().collect();
            let bounds = first.chunk.bounds.union(last.chunk.bounds);
            // Values beside each other are heads.
            let are_words = run.iter().filter(|piece| piece.chunk.is_value()).count() < 2;
            are_words
                && run.iter().all(|piece| piece.first == piece.last)
                && has_gaps(run, |gap| gap < MIN_SEAM)
                && off_middle(&bounds, first.first, last.last, columns) < off * first.chunk.size()
                && below.len() == last.last + 1 - first.first
                && has_gaps(&below, |gap| gap > COLUMN_GAP_EM)
        };
        let Some(end) = (start + 1..pieces.len()).rev().find(is_group) else { continue };
        for part in pieces.drain(start + 1..=end).collect::<Vec<_>>() {
            let Some(piece) = pieces.get_mut(start) else { break };
            piece.last = part.last;
            piece.chunk.extend(part.chunk);
        }
    }
}

/// Whether all gaps between pieces, in ems, satisfy a condition.
fn has_gaps(pieces: &[Piece], is_met: impl Fn(f32) -> bool) -> bool {
    let mut gaps = pieces.windows(2).filter_map(|pair| {
        let [a, b] = pair else { return None };
        Some((b.chunk.bounds.x0 - a.chunk.bounds.x1) / a.chunk.size())
    });
    gaps.all(is_met)
}

/// Joins the words of a head that stand over a rule: the border of two columns may lie between them.
fn join_words(pieces: &mut Vec<Piece>, is_over: impl Fn(&Bounds) -> bool) {
    let mut at = 0;
    while let Some([left, right]) = pieces.get(at..at + 2) {
        let gap = right.chunk.bounds.x0 - left.chunk.bounds.x1;
        let is_one =
            gap < COLUMN_GAP_EM * left.chunk.size() && is_over(&left.chunk.bounds) && is_over(&right.chunk.bounds);
        if !is_one {
            at += 1;
            continue;
        }
        let right = pieces.remove(at + 1);
        if let Some(left) = pieces.get_mut(at) {
            left.last = left.last.max(right.last);
            left.chunk.extend(right.chunk);
        }
    }
}

/// The pieces of a head line that leaves columns free which the next one fills: they head groups of columns.
fn by_text_of<'p>(lines: &[RowLine<'p>], at: usize, next: &RowLine, columns: &[Column]) -> Option<Vec<Piece<'p>>> {
    let (earlier, line, later) = (lines.get(..at)?, lines.get(at)?, lines.get(at + 1..)?);
    let mut pieces = line.pieces.clone();
    let is_wide = next.baseline - line.baseline > NEXT_LINE_EM.end * line.size.max(next.size);
    let groups: Vec<usize> =
        (0..pieces.len()).filter(|i| pieces.get(*i).is_some_and(|p| p.first > 0 || next.fills(p.first))).collect();
    let is_free = |c: usize| !earlier.iter().any(|l| l.fills(c)) && !line.fills(c) && later.iter().any(|l| l.fills(c));
    let is_group = is_wide || groups.len() > 1 && has_repeats(next);
    if pieces.iter().any(is_hyphenated)
        || groups.is_empty()
        || groups.len() > columns.len()
        || !is_group
        || !(0..columns.len()).any(is_free)
    {
        return None;
    }
    let start = (0..columns.len()).find(|c| *c > 0 || next.fills(0)).unwrap_or(0);
    partition(&mut pieces, &groups, start..columns.len(), columns, next);
    let is_exact = |piece: &Piece| {
        piece.last == piece.first && !next.fills(piece.first)
            || piece.last > piece.first
                && off_middle(&piece.chunk.bounds, piece.first, piece.last, columns) < ON_GROUP * line.size
    };
    (is_wide || groups.iter().all(|at| pieces.get(*at).is_some_and(is_exact))).then_some(pieces)
}

/// Whether heads of a line repeat: the heads above tell them apart.
fn has_repeats(line: &RowLine) -> bool {
    let text = |piece: &Piece| -> String { piece.chunk.words.iter().map(|word| word.word.text.as_str()).collect() };
    let mut texts = BTreeSet::new();
    line.pieces.iter().any(|piece| !texts.insert(text(piece)))
}

/// The lines of a cell over several columns head the same columns.
fn widen_as_below(line: &mut RowLine, below: &RowLine, cuts: &[Edge]) {
    let rules: Vec<&Edge> = cuts_between(cuts, line, below).collect();
    for piece in &mut line.pieces {
        let is_over =
            |other: &&Piece| other.first <= piece.first && piece.last <= other.last && other.last > other.first;
        let b = piece.chunk.bounds;
        let is_parted = rules.iter().any(|edge| edge.start < b.x1 && b.x0 < edge.end);
        if let Some(other) = below.pieces.iter().find(is_over).filter(|_| !is_parted) {
            (piece.first, piece.last) = (other.first, other.last);
        }
    }
}

/// A piece alone below a wide one, at its middle or one of its sides, is a line of the same cell.
fn widen_as_above(line: &mut RowLine, above: &RowLine, cuts: &[Edge]) {
    let rules: Vec<&Edge> = cuts_between(cuts, above, line).collect();
    for wide in above.pieces.iter().filter(|piece| piece.last > piece.first) {
        let (a, limit) = (wide.chunk.bounds, ON_GROUP * line.size);
        let mut own = line.pieces.iter_mut().filter(|piece| wide.first <= piece.last && piece.first <= wide.last);
        let (Some(piece), None) = (own.next(), own.next()) else { continue };
        let b = piece.chunk.bounds;
        let offs = [a.x0 - b.x0, a.x1 - b.x1, (a.x0 + a.x1 - b.x0 - b.x1) / 2.0];
        let is_parted = rules.iter().any(|edge| edge.start < b.x1 && b.x0 < edge.end);
        if !is_parted && wide.first <= piece.first && offs.iter().any(|off| off.abs() < limit) {
            (piece.first, piece.last) = (wide.first, wide.last);
        }
    }
}

/// Divides a range of columns among pieces so that each stands best over its group.
fn partition(pieces: &mut [Piece], groups: &[usize], range: Range<usize>, columns: &[Column], next: &RowLine) {
    let mut best: Vec<Vec<(f32, usize)>> = vec![vec![(f32::MAX, 0); range.end + 1]; groups.len() + 1];
    // The first group begins where its head stands best: the columns before it have heads of their own.
    let first = groups.first().and_then(|at| pieces.get(*at)).map_or(range.start, |piece| piece.first);
    for slot in best.first_mut().into_iter().flatten().take(first + 1).skip(range.start) {
        *slot = (0.0, range.start);
    }
    for (at, index) in groups.iter().enumerate() {
        let Some(piece) = pieces.get(*index) else { continue };
        for end in range.start + 1..=range.end {
            let options = (range.start..end).filter(|from| *from <= piece.first && piece.last < end).map(|from| {
                let before = best.get(at).and_then(|row| row.get(from)).map_or(f32::MAX, |b| b.0);
                let lone = if end - from == 1 && next.fills(from) { 1e4 } else { 0.0 };
                (before + lone + misfit(piece, from, end, columns), from)
            });
            let cheapest = options.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f32::MAX, range.start));
            if let Some(slot) = best.get_mut(at + 1).and_then(|row| row.get_mut(end)) {
                *slot = cheapest;
            }
        }
    }
    let mut end = range.end;
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
}

/// How far a piece stands from the left, the middle or the right of columns `from..end`.
fn misfit(piece: &Piece, from: usize, end: usize, columns: &[Column]) -> f32 {
    let (Some(first), Some(last)) = (columns.get(from), columns.get(end - 1)) else { return f32::MAX };
    let b = &piece.chunk.bounds;
    // A column may begin or end where its head does.
    let side = (b.x0 - first.lo).abs().min((b.x1 - last.hi).abs()) + SIDE * piece.chunk.size();
    side.min(off_middle(b, from, end - 1, columns))
}

/// How far a text stands from the middle of columns `first..=last`.
fn off_middle(b: &Bounds, first: usize, last: usize, columns: &[Column]) -> f32 {
    let (Some(first), Some(last)) = (columns.get(first), columns.get(last)) else { return f32::MAX };
    (b.x0 + b.x1 - first.lo - last.hi).abs() / 2.0
}

//! Rows whose cells stand at the middle of their height: the lines of a cell lie between those of the cells beside it.

use super::area::slot_of;
use super::columns::{Column, Piece};
use super::grid::Slot;
use super::rows::{RowLine, has_room};
use std::ops::Range;

/// The lines of a cell are apart as the nearest lines of the table are, up to this share; those of two rows are not nearer.
const OFF_LEADING: f32 = 0.12;
/// The middles of the cells of a row differ by less than this many ems.
pub(crate) const OFF_MIDDLE: f32 = 0.25;

/// The cells of these lines, and the middle of each row, where cells of fewer lines stand at the middle of others, or of
/// the two rows that they cover. `is_cut` says whether a rule lies between two lines in these columns.
pub(super) fn rows<'p>(
    lines: &[RowLine<'p>],
    columns: &[Column],
    heads: usize,
    is_cut: impl Fn(&RowLine, &RowLine, &Range<usize>) -> bool,
) -> Option<(Vec<Slot<'p>>, Vec<f32>)> {
    let size = lines.iter().map(|line| line.size).fold(0.0, f32::max);
    let (mut blocks, leading) = blocks(lines, columns, is_cut);
    let near = (1.0 - OFF_LEADING) * leading;
    blocks.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
    let groups: Vec<Row> = blocks.chunk_by(|a, b| b.middle() - a.middle() < OFF_MIDDLE * size).map(Row::new).collect();
    let is_over = |at: &usize| {
        let around = at.checked_sub(1).and_then(|first| groups.get(first..=at + 1));
        matches!(around, Some([above, row, below]) if row.covers(above, below, near))
    };
    let (over, rows): (Vec<usize>, Vec<usize>) = (0..groups.len()).partition(is_over);
    let rows: Vec<(usize, &Row)> = rows.iter().filter_map(|at| Some((*at, groups.get(*at)?))).collect();
    let is_apart = |pair: &[(usize, &Row)]| matches!(pair, [(_, above), (_, below)] if below.top - above.foot > near);
    let centred = rows.iter().filter(|(_, row)| row.is_centred(size)).count();
    let is_white = |at: &usize| {
        let around = at.checked_sub(1).and_then(|first| groups.get(first..=at + 1));
        matches!(around, Some([above, row, below]) if row.top.min(below.top) > above.foot + OFF_MIDDLE * size && below.top > row.foot + OFF_MIDDLE * size)
    };
    let is_shown = centred > over.len() || !over.is_empty() && over.iter().all(is_white);
    if !is_shown || !rows.windows(2).all(is_apart) || rows.iter().any(|(_, row)| row.is_crowded()) {
        return None;
    }
    let mut slots = Vec::new();
    for (row, (at, own)) in rows.iter().enumerate() {
        slots.extend(own.blocks.iter().map(|block| block.slot(heads + row, 1)));
        let above = over.iter().filter(|over| **over + 1 == *at).filter_map(|over| groups.get(*over));
        slots.extend(above.flat_map(|over| over.blocks).map(|block| block.slot(heads + row.saturating_sub(1), 2)));
    }
    Some((slots, rows.iter().map(|(_, row)| f32::midpoint(row.top, row.foot)).collect()))
}

/// The lines of a cell.
struct Block<'l, 'p> {
    first: &'l Piece<'p>,
    rest: Vec<&'l Piece<'p>>,
    /// The baselines of its first and of its last line.
    top: f32,
    foot: f32,
}

impl<'p> Block<'_, 'p> {
    fn middle(&self) -> f32 {
        f32::midpoint(self.top, self.foot)
    }

    fn is_beside(&self, other: &Self) -> bool {
        self.first.last < other.first.first || other.first.last < self.first.first
    }

    fn slot(&self, row: usize, row_span: usize) -> Slot<'p> {
        let mut slot = Slot { row_span, ..slot_of(self.first, row) };
        slot.words.extend(self.rest.iter().flat_map(|piece| &piece.chunk.words));
        slot
    }
}

/// Cells with one middle.
struct Row<'b, 'l, 'p> {
    blocks: &'b [Block<'l, 'p>],
    top: f32,
    foot: f32,
}

impl<'b, 'l, 'p> Row<'b, 'l, 'p> {
    fn new(blocks: &'b [Block<'l, 'p>]) -> Self {
        let top = blocks.iter().map(|block| block.top).fold(f32::MAX, f32::min);
        Self { blocks, top, foot: blocks.iter().map(|block| block.foot).fold(f32::MIN, f32::max) }
    }

    /// Whether cells begin below the first line of others.
    fn is_centred(&self, size: f32) -> bool {
        self.blocks.iter().any(|block| block.top - self.top > OFF_MIDDLE * size)
    }

    /// Whether two cells stand in one column.
    fn is_crowded(&self) -> bool {
        let later = |at: usize| self.blocks.iter().skip(at + 1);
        self.blocks.iter().enumerate().any(|(at, block)| later(at).any(|other| !block.is_beside(other)))
    }

    /// Whether its only cell covers the rows above and below it: it stands at the middle of both, too near for a row.
    fn covers(&self, above: &Self, below: &Self, near: f32) -> bool {
        let [block] = self.blocks else { return false };
        let is_near = (self.top - above.foot).min(below.top - self.foot) < near;
        let is_middle = (f32::midpoint(above.top, below.foot) - block.middle()).abs() < near / 2.0;
        is_near && is_middle && above.blocks.iter().chain(below.blocks).all(|other| block.is_beside(other))
    }
}

/// The cells of these lines, each of pieces of one column that follow each other closely, and how closely.
fn blocks<'l, 'p>(
    lines: &'l [RowLine<'p>],
    columns: &[Column],
    is_cut: impl Fn(&RowLine, &RowLine, &Range<usize>) -> bool,
) -> (Vec<Block<'l, 'p>>, f32) {
    // For each column the line and the piece that filled it last.
    let mut filled: Vec<Option<(&RowLine, &Piece)>> = Vec::new();
    let mut pieces = Vec::new();
    for line in lines {
        for piece in &line.pieces {
            let own = piece.first..piece.last + 1;
            filled.resize(filled.len().max(own.end), None);
            let host = filled.get(own.start).copied().flatten();
            let is_one = |(line_above, above): &(&RowLine, &Piece)| {
                let is_rest = piece.chunk.begins_small() || !has_room(above, piece, columns) && !piece.chunk.is_value();
                (above.first, above.last) == (piece.first, piece.last) && is_rest && !is_cut(line_above, line, &own)
            };
            let gap = host.filter(is_one).map(|(_, above)| baseline(piece) - baseline(above));
            filled.get_mut(own).unwrap_or_default().fill(Some((line, piece)));
            pieces.push((piece, gap));
        }
    }
    let leading = pieces.iter().filter_map(|(_, gap)| *gap).fold(f32::MAX, f32::min);
    let is_next = |gap: Option<f32>| gap.is_some_and(|gap| gap <= (1.0 + OFF_LEADING) * leading);
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Vec<usize> = vec![0; filled.len()];
    for (piece, gap) in pieces {
        let (Some(open), foot) = (open.get_mut(piece.first), baseline(piece)) else { continue };
        match blocks.get_mut(*open).filter(|_| is_next(gap)) {
            Some(block) => {
                block.rest.push(piece);
                block.foot = foot;
            }
            None => {
                *open = blocks.len();
                blocks.push(Block { first: piece, rest: Vec::new(), top: foot, foot });
            }
        }
    }
    (blocks, leading)
}

fn baseline(piece: &Piece) -> f32 {
    piece.chunk.words.first().map_or(0.0, |word| word.baseline)
}

//! Rows whose cells are centred vertically, so that the lines of a cell stand between those of the cells beside it.

use super::area::slot_of;
use super::columns::{Column, Piece};
use super::grid::Slot;
use super::rows::{RowLine, has_room};
use std::ops::Range;

/// The distance of the lines of a cell exceeds the smallest in the table by at most this share of it. That of two rows is at
/// least as large, less this share.
const OFF_LEADING: f32 = 0.12;
/// Lines whose baselines are nearer than so many ems belong to cells beside each other.
pub(crate) const HALF_PITCH: f32 = 0.85;
/// The first of several lines of a cell has so many characters or more. Those of a matrix have fewer.
const MIN_LINE: usize = 3;
/// The middles of the cells of a row differ by fewer ems than this.
pub(crate) const OFF_MIDDLE: f32 = 0.25;

/// What the middles of cells tell about the rows of lines.
pub(super) struct Middles<'p> {
    /// For each line, whether it belongs to the row of the line before it; `None` if the middles do not tell.
    pub(super) joins: Vec<Option<bool>>,
    /// Cells that span two rows, whose middle lies between these.
    pub(super) between: Vec<Block<'p>>,
}

impl<'p> Middles<'p> {
    /// All lines are one row.
    pub(super) fn of_one_row(lines: &[RowLine]) -> Self {
        Self { joins: vec![Some(true); lines.len()], between: Vec::new() }
    }

    /// Removes cells that span two rows from the lines. `is_cut` tells whether a rule divides two lines in a range of columns.
    pub(super) fn take(
        lines: &mut Vec<RowLine<'p>>,
        columns: &[Column],
        is_cut: impl Fn(&RowLine, &RowLine, &Range<usize>) -> bool,
    ) -> Self {
        let size = lines.iter().map(|line| line.size).fold(0.0, f32::max);
        if let Some(joins) = (0..columns.len()).find_map(|column| joins_by(column, lines, columns)) {
            return Self { joins, between: Vec::new() };
        }
        let (mut blocks, leading) = blocks(lines, columns, is_cut);
        let near = (1.0 - OFF_LEADING) * leading.unwrap_or(1.0) * size;
        let mut found = Self { joins: vec![None; lines.len()], between: Vec::new() };
        blocks.sort_by(|a, b| a.top.total_cmp(&b.top));
        let mut foot = f32::MIN;
        let bands = blocks.chunk_by_mut(|a, b| {
            foot = foot.max(a.foot);
            b.top - foot < near
        });
        for band in bands {
            band.sort_by(|a, b| a.middle().total_cmp(&b.middle()));
            let groups: Vec<Row> =
                band.chunk_by(|a, b| b.middle() - a.middle() < OFF_MIDDLE * size).map(Row::new).collect();
            match groups.as_slice() {
                [row] if row.is_centred(size) => found.join(row.blocks),
                [above, row, below] if !row.is_between(above, below, near) => {}
                // What stands above and below in one column are two lines of a cell.
                [Row { blocks: [above], .. }, _, Row { blocks: [below], .. }] if !above.is_beside(below) => {
                    found.join(band);
                }
                [above, row, below] if below.top - above.foot > near => {
                    found.join(above.blocks);
                    found.join(below.blocks);
                    found.between.extend(row.blocks.iter().cloned());
                }
                _ => {}
            }
        }
        for (line, at) in found.between.iter().flat_map(|block| &block.places) {
            if let Some(line) = lines.get_mut(*line) {
                line.pieces.retain(|piece| piece.first != *at);
            }
        }
        let mut filled = lines.iter().map(|line| !line.pieces.is_empty());
        found.joins.retain(|_| filled.next() == Some(true));
        lines.retain(|line| !line.pieces.is_empty());
        found
    }

    /// Records that the lines of these cells are one row.
    fn join(&mut self, cells: &[Block]) {
        let lines = || cells.iter().flat_map(|block| &block.places).map(|(line, _)| *line);
        let (Some(first), Some(last)) = (lines().min(), lines().max()) else { return };
        for (at, join) in self.joins.iter_mut().enumerate().skip(first).take(last + 2 - first) {
            *join = Some(first < at && at <= last);
        }
    }
}

/// For each line whether it belongs to the row of the line before it, if each cell of a column is one line and shows a row:
/// the cells of the other columns stand at its middle, some of them in several lines.
fn joins_by(column: usize, lines: &[RowLine], columns: &[Column]) -> Option<Vec<Option<bool>>> {
    let marks: Vec<usize> =
        (0..lines.len()).filter(|at| lines.get(*at).is_some_and(|line| line.fills(column))).collect();
    let starts = marks.windows(2).filter_map(|pair| widest_gap(lines, *pair.first()?, *pair.last()?));
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let ends = starts.iter().copied().skip(1).chain([lines.len()]);
    let rows: Vec<&[RowLine]> = starts.iter().zip(ends).filter_map(|(start, end)| lines.get(*start..end)).collect();
    let is_row = |(own, mark): (&&[RowLine], &usize)| {
        let middle = lines.get(*mark).map_or(f32::MAX, |line| line.baseline);
        let cells: Vec<Vec<(&RowLine, &Piece)>> = (0..columns.len()).map(|at| pieces_in(own, at)).collect();
        // One column may list texts. If several do, each line is a row, and what stands at their middle is about all of them.
        cells.iter().all(|cell| is_cell_at(cell, middle))
            && cells.iter().filter(|cell| !is_one_text(cell, columns)).count() <= 1
    };
    let several = rows.iter().filter(|row| row.len() > 1).count();
    let is_found = rows.len() > 1 && 2 * several >= rows.len() && rows.iter().zip(&marks).all(is_row);
    is_found.then(|| (0..lines.len()).map(|at| Some(starts.binary_search(&at).is_err())).collect())
}

/// The line below the widest gap between two given lines. Of several gaps as wide, it is the one nearest to the middle.
fn widest_gap(lines: &[RowLine], first: usize, last: usize) -> Option<usize> {
    let place = |at: usize| lines.get(at).map(|line| line.baseline);
    let gap = |at: &usize| Some(place(*at)? - place(at.checked_sub(1)?)?);
    let widest = (first + 1..=last).filter_map(|at| gap(&at)).fold(0.0, f32::max);
    let middle = f32::midpoint(place(first)?, place(last)?);
    let off = |at: &usize| gap(at).zip(place(*at)).map_or(f32::MAX, |(gap, place)| (place - gap / 2.0 - middle).abs());
    let wide = (first + 1..=last).filter(|at| gap(at).is_some_and(|gap| gap > (1.0 - OFF_LEADING) * widest));
    wide.min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// The pieces of a column in these lines. One over several columns stands in the first of them.
fn pieces_in<'a, 'p>(lines: &'a [RowLine<'p>], column: usize) -> Vec<(&'a RowLine<'p>, &'a Piece<'p>)> {
    let own = |line: &'a RowLine<'p>| line.pieces.iter().find(|piece| piece.first == column).map(|piece| (line, piece));
    lines.iter().filter_map(own).collect()
}

/// Whether the lines of a cell stand round a middle, and hold at most one value.
fn is_cell_at(cell: &[(&RowLine, &Piece)], middle: f32) -> bool {
    let (Some((top, first)), Some((foot, _))) = (cell.first(), cell.last()) else { return true };
    let values = cell.iter().filter(|(_, piece)| piece.chunk.is_value() && !piece.chunk.begins_small()).count();
    let is_single = cell.iter().all(|(_, piece)| piece.first == piece.last);
    let is_middle = (f32::midpoint(top.baseline, foot.baseline) - middle).abs() < OFF_MIDDLE * first.chunk.size();
    let is_text = cell.len() == 1 || first.chunk.len() >= MIN_LINE;
    is_single && is_middle && is_text && values <= 1
}

/// Whether each line of a cell goes on from the one above it.
fn is_one_text(cell: &[(&RowLine, &Piece)], columns: &[Column]) -> bool {
    let goes_on = |pair: &[(&RowLine, &Piece)]| {
        let [(_, above), (_, below)] = pair else { return false };
        below.chunk.begins_small() || above.chunk.words.len() > 1 && !has_room(above, below, columns)
    };
    cell.windows(2).all(goes_on)
}

/// The lines of a cell.
#[derive(Clone)]
pub(super) struct Block<'p> {
    pieces: Vec<Piece<'p>>,
    /// For each piece its line and its first column.
    places: Vec<(usize, usize)>,
    /// The baselines of its first and of its last line.
    top: f32,
    foot: f32,
}

impl<'p> Block<'p> {
    pub(super) fn middle(&self) -> f32 {
        f32::midpoint(self.top, self.foot)
    }

    fn is_beside(&self, other: &Self) -> bool {
        let (Some(own), Some(other)) = (self.pieces.first(), other.pieces.first()) else { return true };
        own.last < other.first || other.last < own.first
    }

    /// The cell over two rows.
    pub(super) fn slot(&self, row: usize) -> Option<Slot<'p>> {
        let words = self.pieces.iter().flat_map(|piece| piece.chunk.words.iter().copied()).collect();
        Some(Slot { row_span: 2, words, ..slot_of(self.pieces.first()?, row) })
    }
}

/// Cells with one middle.
struct Row<'b, 'p> {
    blocks: &'b [Block<'p>],
    top: f32,
    foot: f32,
}

impl<'b, 'p> Row<'b, 'p> {
    fn new(blocks: &'b [Block<'p>]) -> Self {
        let top = blocks.iter().map(|block| block.top).fold(f32::MAX, f32::min);
        Self { blocks, top, foot: blocks.iter().map(|block| block.foot).fold(f32::MIN, f32::max) }
    }

    /// Whether cells begin below the first line of others.
    fn is_centred(&self, size: f32) -> bool {
        self.blocks.iter().any(|block| block.top - self.top > OFF_MIDDLE * size)
    }

    /// Whether its cells stand at the middle of the rows above and below it, too near for a row of its own.
    fn is_between(&self, above: &Self, below: &Self, near: f32) -> bool {
        let is_middle = |block: &Block| {
            let is_within = (block.top - above.top).min(below.foot - block.foot) > near / 4.0;
            is_within && (f32::midpoint(above.top, below.foot) - block.middle()).abs() < near / 2.0
        };
        let is_free = |block: &Block| above.blocks.iter().chain(below.blocks).all(|other| block.is_beside(other));
        self.blocks.iter().all(|block| is_middle(block) && is_free(block))
    }
}

/// Groups the pieces of each column that follow each other closely: each group is a cell. Also gives the smallest distance
/// between the pieces of a cell, in ems.
fn blocks<'p>(
    lines: &[RowLine<'p>],
    columns: &[Column],
    is_cut: impl Fn(&RowLine, &RowLine, &Range<usize>) -> bool,
) -> (Vec<Block<'p>>, Option<f32>) {
    // For each column the line and the piece that filled it last.
    let mut filled: Vec<Option<(&RowLine, &Piece)>> = vec![None; columns.len()];
    let mut pieces = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for piece in &line.pieces {
            let own = piece.first..piece.last + 1;
            let host = filled.get(own.start).copied().flatten();
            let is_one = |(line_above, above): &(&RowLine, &Piece)| {
                let is_new = piece.chunk.is_value() || piece.is_item();
                let is_rest = piece.chunk.begins_small() || !has_room(above, piece, columns) && !is_new;
                (above.first, above.last) == (piece.first, piece.last) && is_rest && !is_cut(line_above, line, &own)
            };
            let gap =
                host.filter(is_one).map(|(_, above)| (baseline(piece) - baseline(above)) / piece.chunk.size().max(1.0));
            filled.get_mut(own).unwrap_or_default().fill(Some((line, piece)));
            pieces.push((at, piece, gap));
        }
    }
    let gaps = pieces.iter().filter_map(|(_, _, gap)| *gap).filter(|gap| *gap > HALF_PITCH);
    let leading = gaps.reduce(f32::min);
    let is_next =
        |gap: Option<f32>| gap.zip(leading).is_some_and(|(gap, leading)| gap <= (1.0 + OFF_LEADING) * leading);
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Vec<usize> = vec![0; columns.len()];
    for (line, piece, gap) in pieces {
        let (Some(open), foot) = (open.get_mut(piece.first), baseline(piece)) else { continue };
        match blocks.get_mut(*open).filter(|_| is_next(gap)) {
            Some(block) => {
                block.pieces.push(piece.clone());
                block.places.push((line, piece.first));
                block.foot = foot;
            }
            None => {
                *open = blocks.len();
                blocks.push(Block { pieces: vec![piece.clone()], places: vec![(line, piece.first)], top: foot, foot });
            }
        }
    }
    (blocks, leading)
}

fn baseline(piece: &Piece) -> f32 {
    piece.chunk.words.first().map_or(0.0, |word| word.baseline)
}

//! The head of a table: how many rows it has and which cells span.

use super::area::cut_share;
use super::columns::{Column, Piece};
use super::grid::Slot;
use super::head_groups::spread_pieces;
use super::rows::{RowLine, first_row};
use crate::page_structure::is_value;
use crate::tables::layout::edges::Edge;
use crate::tables::layout::lines::Chunk;
use crate::tables::{Cell, Table};

/// A head has at most this many lines.
pub(crate) const MAX_HEAD_LINES: usize = 12;

/// A head of more rows is at most half of its table.
const MAX_HEADS: usize = 3;

/// Minimum number of columns of values below heads, and of their rows, that are no formula.
const MIN_VALUED: usize = 2;

/// The number of head rows of a drawn grid. A title over all columns is one, and the row of words below it too.
pub(crate) fn drawn_heads(slots: &[Slot], rows: usize, columns: usize) -> usize {
    let is_title = rows > 2 && slots.iter().any(|s| s.row == 0 && s.column_span == columns && s.row_span == 1);
    let is_value = |s: &&Slot| !s.words.is_empty() && is_value(s.words.iter().map(|w| w.word.text.as_str()));
    let first = if is_title && !slots.iter().filter(|s| s.row == 1).any(|s| is_value(&s)) { 1 } else { 0 };
    let own = || slots.iter().filter(|s| s.row == first);
    // A cell beside most of the rows is the label of all of them.
    let spans_of_heads = own().map(|s| s.row_span).filter(|span| *span <= MAX_HEADS || 2 * span <= rows);
    let tallest = spans_of_heads.max().unwrap_or(1);
    let is_below = |head: &Slot, s: &&Slot| {
        let is_within = head.column <= s.column && s.column < head.column + head.column_span;
        s.row == head.row + head.row_span && is_within
    };
    let is_group = |head: &Slot| slots.iter().filter(|s| is_below(head, s)).count() > 1;
    let spans = own().any(|s| s.column_span > 1 && s.column_span < columns && is_group(s));
    // A cell beside values is one of the rows: there is no head.
    let has_values = || slots.iter().any(|s| first < s.row && s.row < first + tallest && is_value(&s));
    let heads = first
        + if spans {
            tallest.max(2)
        } else if has_values() {
            0
        } else {
            tallest
        };
    heads.min(rows.saturating_sub(1))
}

/// The number of rows above the first value of those columns that mostly hold values; 0 if there are no such columns.
pub(crate) fn worded_rows(table: &Table) -> usize {
    let valued = valued_columns(table);
    let cells = |column: &usize| cells_of(table, *column);
    let first =
        valued.iter().filter_map(|column| cells(column).find(is_value_cell)).map(|cell| cell.row).min().unwrap_or(0);
    let has_words = |row: usize| valued.iter().any(|column| cells(column).any(|cell| cell.row == row));
    let is_cut = table.cells.iter().any(|cell| cell.row < first && cell.row + cell.row_span > first);
    let is_head = (1..=MAX_HEADS).contains(&first) && has_words(first - 1) && !is_cut;
    if is_head { first } else { 0 }
}

/// Whether words stand over several columns of values, in several rows: a formula has no head.
pub(crate) fn has_headed_values(table: &Table) -> bool {
    let heads = worded_rows(table);
    heads > 0 && table.rows >= heads + MIN_VALUED && valued_columns(table).len() >= MIN_VALUED
}

/// The columns after the first that mostly hold values.
fn valued_columns(table: &Table) -> Vec<usize> {
    let count = |column: usize| cells_of(table, column).filter(is_value_cell).count();
    (1..table.columns).filter(|column| are_values(count(*column), cells_of(table, *column).count())).collect()
}

/// The filled cells of one column alone.
fn cells_of(table: &Table, column: usize) -> impl Iterator<Item = &Cell> {
    table.cells.iter().filter(move |cell| cell.column == column && cell.column_span == 1 && !cell.text.is_empty())
}

fn is_value_cell(cell: &&Cell) -> bool {
    is_value(std::iter::once(cell.text.as_str())) && !is_year(cell.text.split(' '))
}

/// The number of head lines.
pub(crate) fn head_lines(lines: &[RowLine], columns: &[Column], cuts: &[Edge]) -> usize {
    let limit = lines.len().saturating_sub(1).min(MAX_HEAD_LINES);
    let is_ruled = |at: &usize| matches!(lines.get(at - 1..=*at), Some([a, b]) if cut_share(cuts, a, b, columns) > 0.7);
    let ruled = (1..=limit).find(is_ruled).map(|first| {
        // Below a title over all columns stand their heads.
        let next = (first + 1..=limit).find(is_ruled).filter(|next| *next <= first + MAX_HEADS);
        let is_title = |next: &usize| {
            let heads = lines.get(first..*next);
            !has_cells(lines.get(..first)) && has_cells(heads) && !has_values(heads)
        };
        next.filter(is_title).unwrap_or(first)
    });
    let ruled = ruled.filter(|ruled| !lines.get(..*ruled).is_some_and(lists_values));
    let worded = worded_lines(lines, columns, limit);
    let solid: Vec<Edge> = cuts.iter().filter(|c| c.is_rule).copied().collect();
    let is_solid = |at: usize| matches!(lines.get(at - 1..=at), Some([a, b]) if cut_share(&solid, a, b, columns) > 0.5);
    let is_whole = |ruled: usize| lines.get(..ruled).is_some_and(|heads| has_each(heads, columns.len()));
    match (ruled, worded) {
        // If each column has its head above the rule, the head ends there, even if the first rows have words alone.
        (Some(ruled), Some(worded)) if ruled < worded && is_solid(ruled) && is_whole(ruled) => ruled,
        (Some(ruled), Some(worded)) if worded > 0 && ruled > worded && !is_solid(ruled) => worded,
        (Some(ruled), Some(worded)) if ruled < worded && has_cells(lines.get(ruled..worded)) => worded,
        (Some(ruled), Some(worded)) if worded > 0 && ruled > worded + 2 => worded,
        (Some(ruled), _) => ruled,
        (None, Some(worded)) if worded > 0 => worded,
        _ => bold_lines(lines, limit).max(first_row(lines, columns)).min(limit),
    }
}

/// Whether each column has a piece of its own in some line.
fn has_each(lines: &[RowLine], columns: usize) -> bool {
    let pieces = || lines.iter().flat_map(|line| &line.pieces);
    (0..columns).all(|column| pieces().any(|piece| piece.first == column && piece.last == column))
}

/// Whether some line has several pieces: a title of the rows below it has one.
fn has_cells(lines: Option<&[RowLine]>) -> bool {
    lines.is_some_and(|lines| lines.iter().any(|line| line.pieces.len() > 1))
}

/// Whether some line has a value.
fn has_values(lines: Option<&[RowLine]>) -> bool {
    lines.is_some_and(|lines| lines.iter().flat_map(|line| &line.pieces).any(is_value_of_row))
}

/// Whether a piece is a value, and neither an item nor a year.
fn is_value_of_row(piece: &Piece) -> bool {
    piece.chunk.is_value() && !piece.is_item() && !is_year(words_of(&piece.chunk))
}

/// Whether two lines that follow each other have labels, and values in one column: they are rows.
fn lists_values(lines: &[RowLine]) -> bool {
    let has_label =
        |line: &RowLine| line.pieces.first().is_some_and(|piece| piece.first == 0 && !piece.chunk.is_value());
    let own = |line: &RowLine| -> Vec<usize> {
        line.pieces.iter().filter(|piece| is_value_of_row(piece)).map(|own| own.first).collect()
    };
    lines.windows(2).any(|pair| {
        let [above, below] = pair else { return false };
        has_label(above) && has_label(below) && own(above).iter().any(|column| own(below).contains(column))
    })
}

/// The leading lines without values above columns of values; none if there are no such columns.
fn worded_lines(lines: &[RowLine], columns: &[Column], limit: usize) -> Option<usize> {
    let valued: Vec<usize> = (1..columns.len()).filter(|c| is_valued(lines, *c)).collect();
    if valued.is_empty() {
        return None;
    }
    let values =
        |l: &RowLine| pieces_in(l, &valued).filter(|p| p.chunk.is_value() && !is_year(words_of(&p.chunk))).count();
    let body = lines.iter().position(|l| 2 * values(l) > pieces_in(l, &valued).count())?;
    let is_head = |l: &RowLine| pieces_in(l, &valued).next().is_some();
    Some(lines.iter().take(body).rposition(is_head).map_or(0, |last| last + 1).min(limit))
}

fn pieces_in<'a, 'p>(line: &'a RowLine<'p>, columns: &'a [usize]) -> impl Iterator<Item = &'a Piece<'p>> {
    line.pieces.iter().filter(|p| columns.iter().any(|c| p.first <= *c && *c <= p.last))
}

/// Whether most pieces of a column are values.
pub(super) fn is_valued(lines: &[RowLine], column: usize) -> bool {
    let own: Vec<&Piece> =
        lines.iter().flat_map(|l| &l.pieces).filter(|p| p.first == column && p.last == column).collect();
    are_values(own.iter().filter(|p| p.chunk.is_value()).count(), own.len())
}

/// Whether so many values make a column of so many cells one of values.
fn are_values(values: usize, cells: usize) -> bool {
    values >= 2 && 2 * values > cells
}

pub(crate) fn words_of<'a>(chunk: &'a Chunk<'_>) -> impl Iterator<Item = &'a str> + Clone {
    chunk.words.iter().map(|word| word.word.text.as_str())
}

/// Whether words begin with a year, or are a date in words with one.
pub(crate) fn is_year<'t>(mut words: impl Iterator<Item = &'t str> + Clone) -> bool {
    let year = |text: &str| text.len() == 4 && matches!(text.parse(), Ok(1800..=2100));
    let text: String = words.clone().collect();
    let is_short = text.chars().count() <= 9 && text.get(..4).is_some_and(year);
    is_short || text.contains(char::is_alphabetic) && words.any(year)
}

/// The leading bold lines without values, if other lines are not bold.
fn bold_lines(lines: &[RowLine], limit: usize) -> usize {
    let is_bold = |l: &&RowLine| l.pieces.iter().all(|p| p.chunk.is_bold());
    let count = lines.iter().take_while(is_bold).count();
    let heads = lines.iter().take(count).take_while(|l| !l.pieces.iter().any(is_value_of_row)).count();
    if count > limit { 0 } else { heads }
}

/// A cell of the head that is being put together, with the lines and columns that it covers.
#[derive(Debug, Clone)]
struct HeadCell<'p> {
    first: usize,
    last: usize,
    top: usize,
    bottom: usize,
    chunks: Vec<Chunk<'p>>,
}

/// The cells of the head, and how many rows it has. Of the two lists of edges, the first are horizontal, the second upright.
pub(crate) fn head_slots<'p>(
    lines: &[RowLine<'p>],
    columns: &[Column],
    (cuts, uprights): (&[Edge], &[Edge]),
) -> (Vec<Slot<'p>>, usize) {
    let spread = spread_pieces(lines, columns, cuts, uprights);
    let mut cells: Vec<HeadCell> = Vec::new();
    for (at, pieces) in spread.iter().enumerate() {
        for piece in pieces {
            add_piece(&mut cells, piece, at, lines, cuts, columns);
        }
    }
    let levels = levels_of(&cells);
    let count = cells.iter().zip(&levels).map(|(_, l)| l + 1).max().unwrap_or(0);
    let slots = cells.iter().zip(&levels).map(|(cell, level)| slot(cell, *level, &cells, &levels, count));
    (slots.collect(), count)
}

/// Puts a piece into the cell above it, or begins one.
fn add_piece<'p>(
    cells: &mut Vec<HeadCell<'p>>,
    piece: &Piece<'p>,
    at: usize,
    lines: &[RowLine],
    cuts: &[Edge],
    columns: &[Column],
) {
    let above = cells.iter_mut().filter(|c| c.first <= piece.last && piece.first <= c.last).max_by_key(|c| c.bottom);
    let is_parted = |cell: &HeadCell| {
        let pair = lines.get(cell.bottom).zip(lines.get(at)).zip(columns.get(piece.first..=piece.last));
        pair.is_some_and(|((above, below), own)| cut_share(cuts, above, below, own) > 0.6)
    };
    if let Some(cell) = above
        && (cell.first, cell.last) == (piece.first, piece.last)
        && !is_parted(cell)
    {
        cell.bottom = at;
        cell.chunks.push(piece.chunk.clone());
        return;
    }
    if let Some(cell) =
        cells.iter_mut().find(|c| c.top == at && c.bottom == at && c.first <= piece.last && piece.first <= c.last)
    {
        cell.first = cell.first.min(piece.first);
        cell.last = cell.last.max(piece.last);
        cell.chunks.push(piece.chunk.clone());
        return;
    }
    cells.push(HeadCell {
        first: piece.first,
        last: piece.last,
        top: at,
        bottom: at,
        chunks: vec![piece.chunk.clone()],
    });
}

/// The level of each cell: one below the lowest cell above it.
fn levels_of(cells: &[HeadCell]) -> Vec<usize> {
    let mut levels: Vec<usize> = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let above = cells.iter().zip(&levels).take(at).filter(|(c, _)| overlaps(c, cell) && c.bottom < cell.top);
        levels.push(above.map(|(_, level)| level + 1).max().unwrap_or(0));
    }
    levels
}

fn overlaps(a: &HeadCell, b: &HeadCell) -> bool {
    a.first <= b.last && b.first <= a.last
}

/// The slot of a head cell: down to the next cell below it, or to the end of the head.
fn slot<'p>(cell: &HeadCell<'p>, level: usize, cells: &[HeadCell<'p>], levels: &[usize], count: usize) -> Slot<'p> {
    let below = cells.iter().zip(levels).filter(|(c, l)| overlaps(c, cell) && **l > level);
    let end = below.map(|(_, l)| *l).min().unwrap_or(count);
    let words = cell.chunks.iter().flat_map(|c| c.words.iter().copied()).collect();
    let (row_span, column_span) = (end - level, cell.last + 1 - cell.first);
    Slot { row_span, column_span, is_header: true, ..Slot::at(level, cell.first, words) }
}

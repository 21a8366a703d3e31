//! Tables from filled slots of a grid.

use crate::tables::layout::cell_text::cell_text;
use crate::tables::layout::lines::{PlacedWord, union};
use crate::tables::{Cell, ColumnsBy, MAX_CELLS, Table};
use pagewise_text::Bounds;

/// A cell before its text is read.
#[derive(Debug, Clone)]
pub(crate) struct Slot<'p> {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) row_span: usize,
    pub(crate) column_span: usize,
    pub(crate) words: Vec<PlacedWord<'p>>,
    /// The drawn area, where there is one.
    pub(crate) area: Option<Bounds>,
    pub(crate) is_header: bool,
}

impl<'p> Slot<'p> {
    /// A cell of one place.
    pub(crate) fn at(row: usize, column: usize, words: Vec<PlacedWord<'p>>) -> Self {
        Self { row, column, row_span: 1, column_span: 1, words, area: None, is_header: false }
    }
}

/// The table of these slots; places that no slot covers become empty cells.
pub(crate) fn table_of(
    mut slots: Vec<Slot>,
    rows: usize,
    columns: usize,
    (columns_by, is_certain): (ColumnsBy, bool),
) -> Option<Table> {
    if rows.checked_mul(columns)? > MAX_CELLS {
        return None;
    }
    add_empty(&mut slots, rows, columns);
    slots.sort_by_key(|s| (s.row, s.column));
    let bounds = union(slots.iter().flat_map(|s| s.words.iter().map(|w| w.word.bounds)))?;
    let cells = slots.into_iter().map(|s| cell_of(s, bounds)).collect();
    Some(Table { bounds, rows, columns, cells, is_certain, columns_by, is_first: false, is_last: false })
}

/// Adds an empty slot for every free place.
fn add_empty(slots: &mut Vec<Slot>, rows: usize, columns: usize) {
    let mut is_taken = vec![false; rows * columns];
    for slot in slots.iter() {
        for row in slot.row..slot.row + slot.row_span {
            for column in slot.column..slot.column + slot.column_span {
                if let Some(taken) = is_taken.get_mut(row * columns + column) {
                    *taken = true;
                }
            }
        }
    }
    let heads = slots.iter().filter(|s| s.is_header).map(|s| s.row + s.row_span).max().unwrap_or(0);
    for (at, _) in is_taken.iter().enumerate().filter(|(_, taken)| !**taken) {
        let row = at / columns;
        slots.push(Slot { is_header: row < heads, ..Slot::at(row, at % columns, Vec::new()) });
    }
}

fn cell_of(slot: Slot, table: Bounds) -> Cell {
    let written = union(slot.words.iter().map(|w| w.word.bounds));
    Cell {
        row: slot.row,
        column: slot.column,
        row_span: slot.row_span,
        column_span: slot.column_span,
        text: cell_text(&slot.words),
        bounds: written.or(slot.area).unwrap_or(Bounds { x1: table.x0, y1: table.y0, ..table }),
        is_header: slot.is_header,
    }
}

//! Tables that go on over a page break.

use super::{Cell, Table};
use crate::measures::MARGIN;
use pagewise_base::script::is_right_to_left;
use pagewise_text::{Bounds, PageLayout, Word};

/// One side of a table moves by at most this share of its width from page to page.
const SAME_SIDE: f32 = 0.05;
/// The other side, where text is ragged, moves by at most this share.
const RAGGED_SIDE: f32 = 0.25;

/// How a table goes on from the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Continuation {
    /// How many head rows of the next table repeat those of the previous one.
    pub repeated_head_rows: usize,
}

/// Whether `next`, the first table of a page, continues `previous`, the last one of the page before.
#[must_use]
pub fn continues(previous: &Table, next: &Table) -> Option<Continuation> {
    if !previous.is_last || !next.is_first || previous.columns != next.columns || !has_same_sides(previous, next) {
        return None;
    }
    let repeated_head_rows =
        (0..next.head_rows().min(previous.head_rows())).take_while(|row| has_same_row(previous, next, *row)).count();
    let is_new = next.head_rows() > 0 && repeated_head_rows == 0 && has_words_in_head(next);
    (!is_new).then_some(Continuation { repeated_head_rows })
}

/// The tables of consecutive pages in order, with those that go on over a page break joined.
#[must_use]
pub fn join_continued(tables: Vec<(u32, Table)>) -> Vec<(u32, Table)> {
    let mut joined: Vec<(u32, Table)> = Vec::new();
    let mut last_page = 0;
    for (page, table) in tables {
        let is_next = last_page + 1 == page;
        last_page = page;
        match joined.last_mut() {
            Some((_, open)) if is_next && let Some(found) = continues(open, &table) => append(open, table, found),
            _ => joined.push((page, table)),
        }
    }
    joined
}

/// Appends the rows of the next page, without the head that it repeats.
fn append(table: &mut Table, next: Table, continuation: Continuation) {
    let dropped = continuation.repeated_head_rows;
    let first = table.rows;
    table.rows += next.rows.saturating_sub(dropped);
    table.is_certain &= next.is_certain;
    table.is_last = next.is_last;
    let kept = next.cells.into_iter().filter(|cell| cell.row >= dropped);
    table.cells.extend(kept.map(|cell| Cell { row: cell.row - dropped + first, is_header: false, ..cell }));
}

/// Whether two tables begin or end at the same place, and do both at nearly the same.
fn has_same_sides(a: &Table, b: &Table) -> bool {
    let width = a.bounds.width().max(b.bounds.width());
    let (left, right) = ((a.bounds.x0 - b.bounds.x0).abs(), (a.bounds.x1 - b.bounds.x1).abs());
    left.min(right) <= SAME_SIDE * width && left.max(right) <= RAGGED_SIDE * width
}

/// Whether a row has the same texts in both tables.
fn has_same_row(a: &Table, b: &Table, row: usize) -> bool {
    let texts = |table: &Table| -> Vec<(usize, String)> {
        let own = table.cells.iter().filter(|cell| cell.row == row);
        own.map(|cell| (cell.column, cell.text.clone())).collect()
    };
    texts(a) == texts(b)
}

/// Whether the head is one of words: a first row of values is data that was taken for a head.
fn has_words_in_head(table: &Table) -> bool {
    let heads = table.cells.iter().filter(|cell| cell.is_header && cell.column > 0 && !cell.text.is_empty());
    let (words, values): (Vec<_>, Vec<_>) = heads.partition(|cell| is_worded(&cell.text));
    words.len() > values.len()
}

/// Whether a text has more letters than digits.
fn is_worded(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic() || is_right_to_left(*c)).count();
    letters > text.chars().filter(|c| c.is_numeric()).count()
}

/// Says of a table whether text stands above or below it, apart from running heads and feet.
pub(crate) fn place_on_page(table: &mut Table, page: &PageLayout) {
    let bounds = table.bounds;
    let middle = |word: &Word| (word.bounds.y0 + word.bounds.y1) / 2.0;
    let is_beside = |b: &Bounds| b.x0 < bounds.x1 && bounds.x0 < b.x1;
    let own = || page.words.iter().filter(|word| is_beside(&word.bounds));
    table.is_first = !own().any(|word| middle(word) < bounds.y0 && middle(word) > MARGIN * page.height);
    table.is_last = !own().any(|word| middle(word) > bounds.y1 && middle(word) < (1.0 - MARGIN) * page.height);
}

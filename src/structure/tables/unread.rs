//! Rows of values outside the tables that were found: a table was missed there, or goes on.

use super::layout::figures::is_figure;
use super::layout::lines::{Chunk, PageWords, TextLine, text_lines, union};
use super::reading::area::Proof;
use super::{MAX_WORDS, Table};
use pagewise_text::{Bounds, PageLayout};

/// Minimum number of rows below each other that are those of a table.
const MIN_ROWS: usize = 3;
/// Minimum number of values of a row that stand in columns.
const MIN_VALUES: usize = 2;
/// The same of a row without a label. The marks of an axis stand in one row, or as many as charts beside each other.
const MANY_VALUES: usize = 4;
/// Rows further apart than this many ems are not of one table.
const MAX_PITCH: f32 = 2.4;
/// Values of a column have one edge or one middle, within this many ems.
const SAME_PLACE: f32 = 0.35;
/// A chunk of more words is prose.
const MAX_CHUNK_WORDS: usize = 12;

/// Whether rows of labels and values stand outside these tables of a page, or values right below the columns of one.
#[must_use]
pub fn has_rows_beside(page: &PageLayout, tables: &[Table]) -> bool {
    if page.words.len() > MAX_WORDS {
        return false;
    }
    let areas: Vec<Bounds> = tables.iter().map(|table| table.bounds).collect();
    let lines = text_lines(PageWords::of(page).outside(&areas).all());
    has_rows(&lines, page) || tables.iter().any(|table| goes_on(table, &lines))
}

/// Whether several lines below each other have a label and values in the same columns, and are no labels of a chart.
fn has_rows(lines: &[TextLine], page: &PageLayout) -> bool {
    let is_next = |above: &TextLine, below: &TextLine| is_row(above) && is_row(below) && share_columns(above, below);
    let is_figure = |rows: &[TextLine]| {
        let area = union(rows.iter().flat_map(|row| &row.chunks).map(|chunk| chunk.bounds));
        area.is_some_and(|area| is_figure(&area, page, Proof::Aligned))
    };
    lines.chunk_by(is_next).any(|rows| rows.len() >= MIN_ROWS && !is_figure(rows))
}

/// Whether a line has a label and values, or many values.
fn is_row(line: &TextLine) -> bool {
    let is_label = |chunk: &Chunk| !chunk.is_value() && chunk.words.len() <= MAX_CHUNK_WORDS;
    let least = if line.chunks.first().is_some_and(is_label) { MIN_VALUES } else { MANY_VALUES };
    line.chunks.iter().filter(|chunk| is_number(chunk)).count() >= least
}

/// Whether a chunk is a value with a digit.
fn is_number(chunk: &Chunk) -> bool {
    chunk.is_value() && chunk.words.iter().any(|word| word.word.text.contains(char::is_numeric))
}

fn share_columns(above: &TextLine, below: &TextLine) -> bool {
    let is_below = |value: &&Chunk| {
        let mut others = above.chunks.iter().filter(|chunk| is_number(chunk));
        others.any(|other| is_aligned(&other.bounds, &value.bounds, below.size))
    };
    below.chunks.iter().filter(|chunk| is_number(chunk)).filter(is_below).count() >= MIN_VALUES
}

fn is_aligned(a: &Bounds, b: &Bounds, em: f32) -> bool {
    let offs = [a.x0 - b.x0, a.x1 - b.x1, (a.x0 + a.x1 - b.x0 - b.x1) / 2.0];
    offs.iter().any(|off| off.abs() < SAME_PLACE * em)
}

/// Whether the line right below a table has values in several columns of the table.
fn goes_on(table: &Table, lines: &[TextLine]) -> bool {
    let area = table.bounds;
    let below = |line: &&TextLine| {
        line.chunks.iter().any(|c| c.bounds.y0 > area.y1 && c.bounds.x0 < area.x1 && area.x0 < c.bounds.x1)
    };
    let Some(line) = lines.iter().find(below) else { return false };
    let column = |chunk: &Chunk| {
        let mut cells = table.cells.iter().filter(|cell| !cell.text.is_empty() && cell.column_span == 1);
        cells.find(|cell| is_aligned(&cell.bounds, &chunk.bounds, line.size)).map(|cell| cell.column)
    };
    let is_near = line.baseline - line.size - area.y1 < MAX_PITCH * line.size;
    let mut columns: Vec<usize> = line.chunks.iter().filter(|chunk| is_number(chunk)).filter_map(column).collect();
    columns.dedup();
    is_near && columns.len() >= MIN_VALUES
}

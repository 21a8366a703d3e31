//! Tables of a page: found by their rules and fills, or by the alignment of their text.

mod write;

pub use write::{to_csv, to_html, to_markdown};

use crate::text::{Bounds, PageLayout};

/// A table as it stands on one page.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The box round its text.
    pub bounds: Bounds,
    /// How many rows it has.
    pub rows: usize,
    /// How many columns it has.
    pub columns: usize,
    /// Its cells, row by row. Empty cells too.
    pub cells: Vec<Cell>,
    /// Whether its columns are drawn, not inferred from white space alone.
    pub is_certain: bool,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The first row that it covers, from 0.
    pub row: usize,
    /// The first column that it covers, from 0 at the left.
    pub column: usize,
    /// How many rows it covers.
    pub row_span: usize,
    /// How many columns it covers.
    pub column_span: usize,
    /// Its text, lines joined by a space.
    pub text: String,
    /// The box round its text, or its drawn area if it has none.
    pub bounds: Bounds,
    /// Whether it is a head of columns.
    pub is_header: bool,
}

/// The tables of a page, from top to bottom.
#[must_use]
pub fn find_tables(_page: &PageLayout) -> Vec<Table> {
    Vec::new()
}

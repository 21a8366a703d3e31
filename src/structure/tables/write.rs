//! Writes tables.

use super::Table;

/// The table as comma-separated values.
#[must_use]
pub fn to_csv(table: &Table) -> String {
    rows_of(table, ",")
}

/// The table as HTML.
#[must_use]
pub fn to_html(table: &Table) -> String {
    rows_of(table, " ")
}

/// The table as a Markdown table.
#[must_use]
pub fn to_markdown(table: &Table) -> String {
    rows_of(table, " | ")
}

fn rows_of(table: &Table, between: &str) -> String {
    let rows = table.cells.chunk_by(|one, other| one.row == other.row);
    let rows = rows.map(|row| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(between));
    rows.collect::<Vec<_>>().join("\n")
}

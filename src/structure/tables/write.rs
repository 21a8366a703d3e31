//! Tables as CSV, Markdown and HTML.

use std::fmt::Write;

use super::{Cell, Table};

/// Comma-separated values. The text of a cell over several places stands in the first of them.
#[must_use]
pub fn to_csv(table: &Table) -> String {
    let mut out = String::new();
    for row in texts_of(table) {
        let fields: Vec<String> = row.iter().map(|text| csv_field(text)).collect();
        out.push_str(&fields.join(","));
        out.push_str("\r\n");
    }
    out
}

/// A field, quoted where it has to be.
fn csv_field(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// A Markdown table with pipes, or HTML if it has cells over several places whose extent pipes do not show.
#[must_use]
pub fn to_markdown(table: &Table) -> String {
    if !is_plain(table) {
        return to_html(table);
    }
    let mut rows = texts_of(table);
    let heads = table.head_rows();
    if heads == 0 {
        rows.insert(0, vec![""; table.columns]);
    }
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        let fields: Vec<String> = row.iter().map(|text| pipe_field(text)).collect();
        let _ = writeln!(out, "| {} |", fields.join(" | "));
        if at == 0 {
            let _ = writeln!(out, "|{}", " --- |".repeat(table.columns));
        }
    }
    out
}

/// Whether pipes can say all. A cell over several columns is a head, and the heads below show how far it goes, or its row
/// says nothing else. A cell over several rows is a head, or the name at the left of its row covers all of them.
fn is_plain(table: &Table) -> bool {
    let mut written = vec![0_usize; table.rows];
    let mut named_to = vec![0; table.rows];
    for cell in &table.cells {
        if let (false, Some(count)) = (cell.text.is_empty(), written.get_mut(cell.row)) {
            *count += 1;
        }
        if cell.column == 0 {
            named_to.iter_mut().skip(cell.row).take(cell.row_span).for_each(|to| *to = cell.row + cell.row_span);
        }
    }
    table.cells.iter().all(|cell| {
        let is_narrow = cell.column_span == 1 || written.get(cell.row).is_some_and(|count| *count <= 1);
        let is_named = named_to.get(cell.row).is_some_and(|to| cell.row + cell.row_span <= *to);
        cell.is_header || is_narrow && (cell.row_span == 1 || is_named)
    })
}

/// A field between pipes.
fn pipe_field(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace(['\n', '\r'], " ")
}

/// An HTML table with `thead`, `tbody`, `rowspan` and `colspan`.
#[must_use]
pub fn to_html(table: &Table) -> String {
    let heads = table.head_rows();
    let mut out = String::from("<table>\n");
    write_part(&mut out, "thead", "th", table, 0..heads);
    write_part(&mut out, "tbody", "td", table, heads..table.rows);
    out.push_str("</table>\n");
    out
}

/// The rows of one part of a table; nothing if it has none.
fn write_part(out: &mut String, part: &str, tag: &str, table: &Table, rows: std::ops::Range<usize>) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "<{part}>");
    let mut own = table.cells.iter().filter(|cell| rows.contains(&cell.row)).peekable();
    for row in rows.clone() {
        out.push_str("<tr>");
        while let Some(cell) = own.next_if(|cell| cell.row == row) {
            write_cell(out, tag, cell);
        }
        out.push_str("</tr>\n");
    }
    let _ = writeln!(out, "</{part}>");
}

fn write_cell(out: &mut String, tag: &str, cell: &Cell) {
    let _ = write!(out, "<{tag}");
    for (name, span) in [("rowspan", cell.row_span), ("colspan", cell.column_span)] {
        if span > 1 {
            let _ = write!(out, " {name}=\"{span}\"");
        }
    }
    let _ = write!(out, ">{}</{tag}>", escaped(&cell.text));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The texts by row and column.
fn texts_of(table: &Table) -> Vec<Vec<&str>> {
    let mut rows = vec![vec![""; table.columns]; table.rows];
    for cell in &table.cells {
        if let Some(place) = rows.get_mut(cell.row).and_then(|row| row.get_mut(cell.column)) {
            *place = &cell.text;
        }
    }
    rows
}

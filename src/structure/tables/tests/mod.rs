//! Pages drawn as sketches of text, and the tables found in them.

mod aligned;
mod centred;
mod continuation;
mod heads;
mod hostile;
mod labelled;
mod other_text;
mod rows;
mod ruled;
mod unread;
mod writing;

use super::{Cell, Table, find_tables, has_words_once};
use pagewise_text::{Bounds, PageLayout, Rule, Word};

/// The width of a character of a sketch; a space is .6 em.
const WIDTH: f32 = 6.0;
/// The height of a line of a sketch.
const HEIGHT: f32 = 14.0;

/// A page from a sketch. Lines of `-` are rules, `|` is a rule beside text, words in `*` are bold.
fn page(sketch: &str) -> PageLayout {
    let mut page = empty_page();
    for (at, line) in sketch.trim_matches('\n').lines().enumerate() {
        let y = 100.0 + HEIGHT * as_f32(at);
        if line.contains('-') && line.chars().all(|c| matches!(c, '-' | ' ')) {
            put_rules(&mut page, line, y + HEIGHT / 2.0);
        } else {
            put_words(&mut page, line, y);
        }
    }
    page
}

/// The pieces of a line between the characters that `is_gap` names, each with its place.
fn pieces(line: &str, is_gap: impl Fn(char) -> bool) -> Vec<(f32, String)> {
    let mut pieces: Vec<(f32, String)> = Vec::new();
    let mut is_open = false;
    for (at, c) in line.chars().enumerate() {
        let x = 60.0 + WIDTH * as_f32(at);
        match pieces.last_mut() {
            _ if is_gap(c) => is_open = false,
            Some(last) if is_open => last.1.push(c),
            _ => {
                pieces.push((x, c.to_string()));
                is_open = true;
            }
        }
    }
    pieces
}

fn as_f32(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(0))
}

fn length(text: &str) -> f32 {
    WIDTH * as_f32(text.chars().count())
}

fn put_rules(page: &mut PageLayout, line: &str, y: f32) {
    for (x, text) in pieces(line, |c| c == ' ') {
        page.rules.push(rule(x, y, x + length(&text), y + 0.5));
    }
}

fn put_words(page: &mut PageLayout, line: &str, y: f32) {
    for (x, text) in pieces(line, |c| c == ' ') {
        if text == "|" {
            page.rules.push(rule(x + 3.0, y - HEIGHT / 2.0, x + 3.5, y + 1.5 * HEIGHT));
        } else {
            page.words.push(word(&text, x, y + 2.0));
        }
    }
}

fn word(text: &str, x: f32, y: f32) -> Word {
    let bounds = Bounds { x0: x, y0: y, x1: x + length(text), y1: y + 10.0 };
    let is_bold = text.starts_with('*') && text.len() > 1;
    let text = text.trim_matches('*').to_owned();
    Word { text, bounds, baseline: y + 8.0, size: 10.0, is_bold, is_spaced: true, ..Word::default() }
}

fn rule(x0: f32, y0: f32, x1: f32, y1: f32) -> Rule {
    Rule { bounds: Bounds { x0, y0, x1, y1 }, is_horizontal: x1 - x0 >= y1 - y0, color: [0; 3] }
}

fn empty_page() -> PageLayout {
    PageLayout { width: 612.0, height: 792.0, ..PageLayout::default() }
}

/// A page from a sketch whose lines are half as high, so that a line of text can stand between two others.
fn half_page(sketch: &str) -> PageLayout {
    let mut page = page(sketch);
    let half = |b: &Bounds| Bounds { y0: b.y0 / 2.0, y1: b.y0 / 2.0 + b.height(), ..*b };
    page.words.iter_mut().for_each(|w| {
        w.bounds = half(&w.bounds);
        w.baseline = w.bounds.y0 + 8.0;
    });
    page.rules.iter_mut().for_each(|rule| rule.bounds = half(&rule.bounds));
    page
}

/// The tables of such a sketch.
fn half_tables_of(sketch: &str) -> String {
    shapes(&half_page(sketch))
}

/// The tables of a sketch.
fn tables_of(sketch: &str) -> String {
    shapes(&page(sketch))
}

/// The tables of a page, a line for each row; `^` marks heads, `2x1` columns and rows of a span.
fn shapes(page: &PageLayout) -> String {
    find_tables(page).iter().map(shape).collect::<Vec<_>>().join("\n\n")
}

fn shape(table: &Table) -> String {
    let rows = table.cells.chunk_by(|a, b| a.row == b.row);
    rows.map(|row| row.iter().map(cell_shape).collect::<Vec<_>>().join(" | ")).collect::<Vec<_>>().join("\n")
}

fn cell_shape(cell: &Cell) -> String {
    let head = if cell.is_header { "^" } else { "" };
    let span = match (cell.column_span, cell.row_span) {
        (1, 1) => String::new(),
        (columns, rows) => format!("{columns}x{rows} "),
    };
    format!("{head}{span}{}", cell.text)
}

/// A table between rules.
const FOLDS: &str = "
-----------------------
Name    Folds   Leaves
-----------------------
Folio       1        2
Quarto      2        4
-----------------------
";

#[test]
fn a_table_has_each_word_of_its_area_once() {
    let page = page(FOLDS);
    let mut tables = find_tables(&page);
    assert_eq!(tables.len(), 1);
    for table in &mut tables {
        assert!(has_words_once(table, &page));
        for text in ["", "Name Name"] {
            table.cells.iter_mut().take(1).for_each(|cell| text.clone_into(&mut cell.text));
            assert!(!has_words_once(table, &page));
        }
    }
}

#[test]
fn words_above_values_are_heads_where_nothing_else_says_so() {
    let heads = |first: [&str; 3]| {
        let mut table = find_tables(&page(FOLDS)).remove(0);
        table.cells.iter_mut().for_each(|cell| cell.is_header = false);
        table.cells.iter_mut().zip(first).for_each(|(cell, text)| text.clone_into(&mut cell.text));
        super::worded_rows(&table)
    };
    assert_eq!(heads(["Name", "Folds", "Leaves"]), 1);
    assert_eq!(heads(["", "2009", "2010"]), 1);
    assert_eq!(heads(["Sheet", "0", "1"]), 0);
}

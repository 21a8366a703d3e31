//! Tables of a page: found by their rules and fills, or by the alignment of their text.
//!
//! 1. `layout` makes lines of chunks and long edges of what the page shows.
//! 2. `finders` looks for drawn grids, then for areas between stacked edges, then for aligned text.
//! 3. `reading` divides an area into rows, columns and a head, and says whether it is a table.

mod continuation;
mod finders;
mod layout;
mod reading;
mod unread;
mod write;

use serde::{Deserialize, Serialize};

pub(super) use continuation::place_on_page;
pub use continuation::{Continuation, continues, join_continued};
pub(super) use layout::edges::text_rule;
pub(super) use layout::figures::{MIN_CURVES, has_bars};
pub(super) use layout::table_text::TableText;
pub(super) use reading::compaction::compact;
pub(super) use reading::grid::{Slot, table_of};
use reading::head::has_headed_values;
pub(super) use reading::head::{drawn_heads, worded_rows};
pub use unread::has_rows_beside;
pub use write::{to_csv, to_html, to_markdown};

use crate::caption_label::{is_algorithm_label, is_ended_caption_label};
use crate::formulas;
use crate::line_numbers;
use crate::reading::is_slanted;
use layout::edges::Edges;
use layout::lines::PageWords;
use pagewise_base::checked_on_arrival;
use pagewise_base::script::is_right_to_left;
use pagewise_text::{Bounds, PageLayout, Word, rows_of};
use std::collections::HashSet;

/// A page with more words than this has no tables.
const MAX_WORDS: usize = 100_000;
/// A table with more places than this is not returned.
pub(super) const MAX_CELLS: usize = 50_000;
/// The label of an algorithm stands at most so far above its steps, in ems.
const LABEL_EM: f32 = 3.0;
/// A page has at most this many tables.
const MAX_TABLES: usize = 300;

/// A table as it stands on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
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
    /// How its columns were decided.
    pub columns_by: ColumnsBy,
    /// Whether nothing but a running head stands above it on its page.
    pub is_first: bool,
    /// Whether nothing but a running foot stands below it on its page.
    pub is_last: bool,
}

/// What divides the columns of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ColumnsBy {
    /// The structure tree of a Tagged PDF.
    StructureTree,
    /// Drawn lines or the sides of filled areas.
    Lines,
    /// White space, in an area that rules or filled areas bound.
    RuledSpace,
    /// White space alone.
    Space,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The first row that it covers, from 0.
    pub row: usize,
    /// The first column that it covers, from 0 at the left, or at the right if the text of the table runs to the left.
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

checked_on_arrival!(Table);

impl Table {
    /// The number of leading rows that are heads.
    fn head_rows(&self) -> usize {
        self.cells.iter().filter(|cell| cell.is_header).map(|cell| cell.row + cell.row_span).max().unwrap_or(0)
    }

    /// Whether it is no larger than allowed, its cells lie within it, and all of them take no more places than it may have.
    fn is_valid(&self) -> bool {
        let fits =
            |from: usize, span: usize, all: usize| span > 0 && from.checked_add(span).is_some_and(|end| end <= all);
        let mut places_left = MAX_CELLS;
        self.rows.checked_mul(self.columns).is_some_and(|places| places <= MAX_CELLS)
            && self.cells.iter().all(|cell| {
                let places = cell.row_span.saturating_mul(cell.column_span);
                let is_left = places <= places_left;
                places_left = places_left.saturating_sub(places);
                is_left && fits(cell.row, cell.row_span, self.rows) && fits(cell.column, cell.column_span, self.columns)
            })
    }
}

/// The tables of a page, from top to bottom.
#[must_use]
pub fn find_tables(page: &PageLayout) -> Vec<Table> {
    if page.words.len() > MAX_WORDS {
        return Vec::new();
    }
    let numbers = line_numbers::find(page);
    if !numbers.is_empty() {
        return tables_of(&line_numbers::without(page, &numbers));
    }
    tables_of(page)
}

fn tables_of(page: &PageLayout) -> Vec<Table> {
    let mut tables = layout::turned::with_each_turn(page, tables_of_upright);
    tables.retain(|table| has_words_once(table, page) && !is_algorithm(table, page) && !ends_in_captions(table));
    let mut taken: Vec<Bounds> = Vec::new();
    tables.retain(|table| {
        let is_taken = |word: &Word| taken.iter().any(|area| area.holds(word.bounds.center()));
        let is_free = !words_of(table, page).any(is_taken);
        taken.extend(is_free.then_some(table.bounds));
        is_free
    });
    without_formulas(&mut tables, page);
    tables.iter_mut().for_each(order_columns);
    tables.sort_by(|a, b| a.bounds.y0.total_cmp(&b.bounds.y0).then(a.bounds.x0.total_cmp(&b.bounds.x0)));
    tables
}

/// Counts the columns of a table from the right if two of three letters run to the left. Tables in two languages have the
/// order of the page.
fn order_columns(table: &mut Table) {
    let letters = || table.cells.iter().flat_map(|cell| cell.text.chars()).filter(|sign| sign.is_alphabetic());
    if 3 * letters().filter(|sign| is_right_to_left(*sign)).count() > 2 * letters().count() {
        let columns = table.columns;
        table.cells.iter_mut().for_each(|cell| cell.column = columns.saturating_sub(cell.column + cell.column_span));
        table.cells.sort_by_key(|cell| (cell.row, cell.column));
    }
}

/// Takes out what white space or rules alone made a table of, where most words are those of displayed formulas and of
/// fractions, or many are and all others stand on one line, or where its rows cut fractions. Values below heads are a table.
fn without_formulas(tables: &mut Vec<Table>, page: &PageLayout) {
    let may_be_formula = |table: &Table| {
        matches!(table.columns_by, ColumnsBy::Space | ColumnsBy::RuledSpace) && !has_headed_values(table)
    };
    if !tables.iter().any(may_be_formula) {
        return;
    }
    let (formulas, fractions) = (formulas::find(page, &[]), formulas::fractions(page));
    let own = formulas.into_iter().filter(|found| found.formula.is_displayed || found.has_fraction());
    let own: HashSet<usize> = own.flat_map(|found| found.words).collect();
    tables.retain(|table| {
        let words = page.words.iter().enumerate().filter(|(_, word)| table.bounds.holds(word.bounds.center()));
        let (in_formulas, others): (Vec<_>, Vec<_>) = words.partition(|(at, _)| own.contains(at));
        let is_formula =
            in_formulas.len() > others.len() || 2 * in_formulas.len() > others.len() && rows_of(others).len() < 2;
        !may_be_formula(table) || (!is_formula || is_headed(table)) && !cuts_fractions(table, &fractions)
    });
}

/// Whether a table between rules has a head, and several rows that have text in all columns but one at most. Displayed
/// formulas have no such rows.
fn is_headed(table: &Table) -> bool {
    let heads = table.head_rows();
    let is_full = |row: usize| {
        let own = |cell: &&Cell| (cell.row..cell.row + cell.row_span).contains(&row) && !cell.text.is_empty();
        table.cells.iter().filter(own).map(|cell| cell.column_span).sum::<usize>() + 1 >= table.columns
    };
    table.columns_by == ColumnsBy::RuledSpace
        && table.columns > 2
        && heads > 0
        && table.rows > heads + 1
        && (heads - 1..table.rows).all(is_full)
}

/// Whether the two sides of fractions stand in different rows, and these and those between are at least half of the rows.
fn cuts_fractions(table: &Table, fractions: &[[Bounds; 2]]) -> bool {
    let row = |side: Bounds| {
        let mut cells = table.cells.iter().filter(|cell| !cell.text.is_empty());
        cells.find(|cell| cell.bounds.holds(side.center())).map(|cell| cell.row)
    };
    let cut = fractions.iter().filter_map(|[above, below]| Some((row(*above)?, row(*below)?)));
    let rows: HashSet<usize> =
        cut.filter(|(above, below)| above < below).flat_map(|(above, below)| above..=below).collect();
    !rows.is_empty() && 2 * rows.len() >= table.rows
}

/// Whether the cells of a table have the words of its area, which are left out of the text around it, and no others.
fn has_words_once(table: &Table, page: &PageLayout) -> bool {
    let letters = |text: &str| text.chars().filter(|sign| sign.is_alphanumeric()).count();
    let cells = table.cells.iter().map(|cell| letters(&cell.text)).sum::<usize>();
    cells == words_of(table, page).map(|word| letters(&word.text)).sum()
}

/// Whether it is no table, but the steps of an algorithm: its label is the first row, or stands directly above.
fn is_algorithm(table: &Table, page: &PageLayout) -> bool {
    let is_near = |word: &Word| {
        let distance = table.bounds.y0 - word.bounds.y0;
        word.turn == 0
            && (-word.size..LABEL_EM * word.size).contains(&distance)
            && word.bounds.shared_width(table.bounds) > 0.0
    };
    let near: Vec<(usize, &Word)> = page.words.iter().enumerate().filter(|(_, word)| is_near(word)).collect();
    rows_of(near).iter().any(|row| is_algorithm_label(row.iter().map(|(_, word)| word.text.as_str())))
}

/// Whether it is no table, but the labels of figures beside each other: white space divides it, and its last row are captions.
fn ends_in_captions(table: &Table) -> bool {
    let last = table.cells.iter().filter(|cell| cell.row + 1 == table.rows && !cell.text.is_empty());
    let labelled: Vec<bool> = last.map(|cell| is_ended_caption_label(cell.text.split_whitespace())).collect();
    let is_drawn = matches!(table.columns_by, ColumnsBy::StructureTree | ColumnsBy::Lines);
    !is_drawn && labelled.len() > 1 && !labelled.contains(&false)
}

/// The words in the area of a table.
fn words_of<'p>(table: &Table, page: &'p PageLayout) -> impl Iterator<Item = &'p Word> {
    let bounds = table.bounds;
    page.words.iter().filter(move |word| bounds.holds(word.bounds.center()) && !is_slanted(word))
}

/// Tables whose text runs to the right.
fn tables_of_upright(page: &PageLayout) -> Vec<Table> {
    let edges = Edges::of(page);
    let mut words = PageWords::of(page);
    let mut taken: Vec<Bounds> = Vec::new();
    let mut tables = Vec::new();
    for find in [finders::lattice::find, finders::stacks::find, finders::alignment::find] {
        for (area, table) in find(page, &words, &edges) {
            if tables.len() < MAX_TABLES && is_apart(&table.bounds, &taken) {
                taken.push(area.union(table.bounds));
                tables.push(table);
            }
        }
        words = words.outside(&taken);
    }
    tables.iter_mut().for_each(|table| continuation::place_on_page(table, page));
    tables
}

/// Whether a table stands outside the areas of those before it.
fn is_apart(bounds: &Bounds, taken: &[Bounds]) -> bool {
    use layout::lines::is_inside;
    !taken.iter().any(|area| is_inside(bounds, area) || is_inside(area, bounds))
}

#[cfg(test)]
mod tests;

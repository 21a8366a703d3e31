//! Tables of the structure tree.

use super::blocks::BlockMap;
use super::pieces::{Owner, WordOwners};
use crate::bounds::median;
use crate::page_structure::TableArea;
use crate::tables::{
    ColumnsBy, MAX_CELLS, Slot, Table, TableText, compact, drawn_heads, place_on_page, table_of, worded_rows,
};
use pagewise_document::{PageTags, StructureType};
use pagewise_text::{Bounds, PageLayout};
use std::collections::{BTreeMap, BTreeSet};

/// The most tables of a page.
const MAX_TABLES: usize = 300;
/// The most columns of a table.
const MAX_COLUMNS: usize = 500;
/// A cell with more characters holds the text of a page, not a value.
const MAX_CELL_CHARACTERS: usize = 1_500;

/// A cell over all columns with fewer characters is the title of a part of its table.
const MIN_PROSE: usize = 80;

/// One of so many cells may stand nearer to another column than to its own.
const ODD_CELLS: usize = 8;

/// A table of the tree as it stands on a page.
pub(super) struct TreeTable {
    /// The index of its element.
    pub(super) element: usize,
    pub(super) area: TableArea,
    pub(super) table: Table,
    /// The indices of its words.
    pub(super) words: Vec<usize>,
}

/// The cell of a row, with the words that belong to it.
struct RowCell {
    element: usize,
    is_head: bool,
    spans: [usize; 2],
}

/// The tables of a page.
pub(super) struct TreeTables {
    pub(super) tables: Vec<TreeTable>,
    /// The elements that only lay out text, which is read where it stands.
    pub(super) refused: BTreeSet<usize>,
    /// Whether the tree has tables here, and all of them are believed.
    pub(super) are_all: bool,
}

/// Reads the tables of a page. What only serves to lay out the page, or does not stand in columns, is no table.
pub(super) fn read(page: &PageLayout, tags: &PageTags, blocks: &BlockMap, owners: &WordOwners) -> TreeTables {
    let rows = rows(tags, blocks);
    if rows.is_empty() {
        return TreeTables { tables: Vec::new(), refused: BTreeSet::new(), are_all: false };
    }
    let mut words: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, owner) in owners.0.iter().enumerate() {
        let Owner::Element(element) = owner else { continue };
        if let Some(cell) = blocks.context(*element).cell {
            words.entry(cell).or_default().push(index);
        }
    }
    let text = TableText::of(page);
    let (mut tables, mut refused) = (Vec::new(), BTreeSet::new());
    let (count, mut places_left) = (rows.len(), MAX_CELLS);
    for (element, rows) in rows.into_iter().take(MAX_TABLES) {
        let Some(grid) = Grid::of(&rows).filter(|_| !is_layout(element, tags, blocks)) else { continue };
        let own = |cell: &GridCell| words.get(&cell.element).map(Vec::as_slice).unwrap_or_default();
        let is_value = |cell: &GridCell| length(page, own(cell)) <= MAX_CELL_CHARACTERS && text.are_upright(own(cell));
        let Some(left) = places_left.checked_sub(grid.rows * grid.columns) else { break };
        let is_grid = || grid.is_aligned(page, &words) && grid.runs_one_way(page, &words);
        if grid.is_text(page, &words) {
            refused.insert(element);
        } else if grid.cells.iter().all(is_value) && is_grid() {
            places_left = left;
            tables.extend(table(page, element, &grid, &words, &text, tables.len()));
        }
    }
    TreeTables { are_all: tables.len() == count, tables, refused }
}

/// The box round words.
fn extent(page: &PageLayout, words: &[usize]) -> Bounds {
    Bounds::around(words.iter().filter_map(|index| page.words.get(*index)).map(|word| word.bounds))
}

fn length(page: &PageLayout, words: &[usize]) -> usize {
    words.iter().filter_map(|index| page.words.get(*index)).map(|word| word.text.chars().count()).sum()
}

/// The rows of each table, in the order of the tree.
fn rows(tags: &PageTags, blocks: &BlockMap) -> BTreeMap<usize, Vec<Vec<RowCell>>> {
    let mut tables: BTreeMap<usize, Vec<Vec<RowCell>>> = BTreeMap::new();
    for (index, element) in tags.elements.iter().enumerate() {
        let context = blocks.context(index);
        let Some(table) = context.table else { continue };
        match element.kind {
            StructureType::TableRow if context.cell.is_none() => tables.entry(table).or_default().push(Vec::new()),
            StructureType::HeaderCell | StructureType::DataCell if context.cell == Some(index) => {
                let Some(row) = tables.get_mut(&table).and_then(|rows| rows.last_mut()) else { continue };
                let is_head = context.is_head || element.kind == StructureType::HeaderCell;
                row.push(RowCell { element: index, is_head, spans: element.spans.map(usize::from) });
            }
            _ => {}
        }
    }
    tables
}

/// Whether a table only lays out the page: its cells hold headings or further tables.
fn is_layout(table: usize, tags: &PageTags, blocks: &BlockMap) -> bool {
    let mut inner = tags
        .elements
        .iter()
        .enumerate()
        .skip(table + 1)
        .filter(|(index, _)| blocks.context(*index).table == Some(table));
    inner.any(|(index, element)| {
        let is_structure =
            matches!(element.kind, StructureType::Heading(_) | StructureType::SectionHeading | StructureType::Table);
        is_structure && blocks.context(index).cell.is_some()
    })
}

/// The places of cells.
struct Grid {
    rows: usize,
    columns: usize,
    cells: Vec<GridCell>,
}

struct GridCell {
    element: usize,
    row: usize,
    column: usize,
    spans: [usize; 2],
    is_head: bool,
}

impl Grid {
    /// Each cell takes the first place of its row that no cell above covers. `None` if there are too many places.
    fn of(rows: &[Vec<RowCell>]) -> Option<Self> {
        let mut grid = Self { rows: rows.len(), columns: 0, cells: Vec::new() };
        let widest = rows.iter().map(|row| row.iter().map(|cell| cell.spans[1]).sum::<usize>()).max().unwrap_or(0);
        // For each column the first row that is free.
        let mut free: Vec<usize> = Vec::new();
        for (row, cells) in rows.iter().enumerate() {
            let mut column = 0;
            // A cell that is alone in its row is a title over all columns.
            let is_alone = cells.len() == 1 && free.iter().all(|free| *free <= row);
            for cell in cells {
                while free.get(column).is_some_and(|free| *free > row) {
                    column += 1;
                }
                let height = cell.spans[0].min(rows.len() - row);
                let is_free = |at: &usize| free.get(*at).is_none_or(|free| *free <= row);
                let wanted = if is_alone { cell.spans[1].max(widest) } else { cell.spans[1] };
                let width = (column..column + wanted).take_while(is_free).count().max(1);
                grid.columns = grid.columns.max(column + width);
                if grid.columns > MAX_COLUMNS || grid.columns.saturating_mul(rows.len()) > MAX_CELLS {
                    return None;
                }
                free.resize(grid.columns, 0);
                free.iter_mut().skip(column).take(width).for_each(|free| *free = row + height);
                let (element, is_head) = (cell.element, cell.is_head);
                grid.cells.push(GridCell { element, row, column, spans: [height, width], is_head });
                column += width;
            }
        }
        Some(grid)
    }

    /// Whether most cells stand nearer to their own column than to any other.
    fn is_aligned(&self, page: &PageLayout, words: &BTreeMap<usize, Vec<usize>>) -> bool {
        let short = self.short_rows();
        let mut columns: Vec<Vec<(usize, [f32; 3])>> = vec![Vec::new(); self.columns];
        for cell in self.cells.iter().filter(|cell| cell.spans[1] == 1) {
            let own = extent(page, words.get(&cell.element).map(Vec::as_slice).unwrap_or_default());
            if let Some(column) = columns.get_mut(cell.column).filter(|_| own.x0 <= own.x1) {
                column.push((cell.row, [own.x0, f32::midpoint(own.x0, own.x1), own.x1]));
            }
        }
        let medians: Vec<Option<[f32; 3]>> = columns.iter().map(|column| medians(column)).collect();
        let is_odd = |column: usize, cell: [f32; 3]| {
            let distance = |median: &Option<[f32; 3]>| median.map_or(f32::INFINITY, |median| nearest(cell, median));
            let own = medians.get(column).map_or(f32::INFINITY, distance);
            medians.iter().any(|other| distance(other) < own)
        };
        let cells = columns.iter().enumerate().flat_map(|(column, all)| all.iter().map(move |cell| (column, *cell)));
        let odd: Vec<usize> =
            cells.filter(|(column, (_, cell))| is_odd(*column, *cell)).map(|(_, (row, _))| row).collect();
        ODD_CELLS * odd.len() <= self.cells.len() && !odd.iter().any(|row| short.contains(row))
    }

    /// Whether the cells of all rows follow each other in the same direction.
    fn runs_one_way(&self, page: &PageLayout, words: &BTreeMap<usize, Vec<usize>>) -> bool {
        let mut rows: Vec<Vec<Bounds>> = vec![Vec::new(); self.rows];
        for cell in &self.cells {
            let own = extent(page, words.get(&cell.element).map(Vec::as_slice).unwrap_or_default());
            if let Some(row) = rows.get_mut(cell.row).filter(|_| own.x0 <= own.x1) {
                row.push(own);
            }
        }
        let any = |is_next: fn(&Bounds, &Bounds) -> bool| {
            let mut pairs = rows.iter().flat_map(|row| row.windows(2));
            pairs.any(|pair| matches!(pair, [before, after] if is_next(before, after)))
        };
        !any(|before, after| before.x1 <= after.x0) || !any(|before, after| after.x1 <= before.x0)
    }

    /// Whether it lays out text: no row has two values, or most text stands in cells over all columns.
    fn is_text(&self, page: &PageLayout, words: &BTreeMap<usize, Vec<usize>>) -> bool {
        let (mut values, mut all, mut over_all) = (vec![0_usize; self.rows], 0, 0);
        for cell in &self.cells {
            let length = length(page, words.get(&cell.element).map(Vec::as_slice).unwrap_or_default());
            all += length;
            over_all += if cell.spans[1] == self.columns && length >= MIN_PROSE { length } else { 0 };
            let covered = values.iter_mut().skip(cell.row).take(cell.spans[0]);
            covered.for_each(|values| *values += usize::from(length > 0));
        }
        2 * over_all > all || values.iter().all(|values| *values < 2)
    }

    /// The rows with fewer places than the table has columns. It is not known which of their places are missing.
    fn short_rows(&self) -> BTreeSet<usize> {
        let mut filled = vec![0_usize; self.rows];
        for cell in &self.cells {
            filled.iter_mut().skip(cell.row).take(cell.spans[0]).for_each(|filled| *filled += cell.spans[1]);
        }
        filled.iter().enumerate().filter(|(_, filled)| **filled < self.columns).map(|(row, _)| row).collect()
    }

    /// The number of rows at the top whose cells are all heads.
    fn head_rows(&self) -> usize {
        let is_head = |row: &usize| {
            let mut own = self.cells.iter().filter(|cell| cell.row == *row).peekable();
            own.peek().is_some() && own.all(|cell| cell.is_head)
        };
        (0..self.rows.min(MAX_COLUMNS)).take_while(is_head).count()
    }
}

/// The median left edge, middle and right edge of the cells of a column.
fn medians(cells: &[(usize, [f32; 3])]) -> Option<[f32; 3]> {
    let of = |at: fn(&[f32; 3]) -> f32| median(cells.iter().map(|(_, cell)| at(cell)));
    Some([of(|cell| cell[0])?, of(|cell| cell[1])?, of(|cell| cell[2])?])
}

/// How near a cell stands to its column by its left edge, its middle or its right edge.
fn nearest(cell: [f32; 3], column: [f32; 3]) -> f32 {
    cell.iter().zip(column).map(|(own, other)| (own - other).abs()).fold(f32::INFINITY, f32::min)
}

/// The table with its texts; `None` if it has no rows and columns with text on the page.
fn table(
    page: &PageLayout,
    element: usize,
    grid: &Grid,
    words: &BTreeMap<usize, Vec<usize>>,
    text: &TableText<'_>,
    index: usize,
) -> Option<TreeTable> {
    let head_rows = grid.head_rows();
    // A table whose rows are all heads has none.
    let head_rows = if head_rows == grid.rows { 0 } else { head_rows };
    let own = |cell: &GridCell| words.get(&cell.element).map(Vec::as_slice).unwrap_or_default();
    let slot = |cell: &GridCell| {
        let ([row_span, column_span], is_header) = (cell.spans, cell.row < head_rows);
        Slot { row_span, column_span, is_header, ..Slot::at(cell.row, cell.column, text.place(own(cell))) }
    };
    let (slots, rows, columns) = compact(grid.cells.iter().map(slot).collect());
    if rows < 2 || columns < 2 {
        return None;
    }
    let drawn = drawn_heads(&slots, rows, columns);
    let mut table = table_of(slots, rows, columns, (ColumnsBy::StructureTree, true))?;
    // Many programs tag heads as ordinary cells.
    let heads = match head_rows {
        0 => worded_rows(&table).max(drawn),
        _ => 0,
    };
    table.cells.iter_mut().filter(|cell| cell.row < heads).for_each(|cell| cell.is_header = true);
    place_on_page(&mut table, page);
    let words = grid.cells.iter().flat_map(|cell| own(cell).iter().copied()).collect();
    Some(TreeTable { element, area: TableArea { bounds: table.bounds, index }, table, words })
}

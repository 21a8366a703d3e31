//! The cells of a drawn grid.

use super::components::Component;
use super::stacks::SAME_LINE;
use crate::page_structure::is_value;
use crate::tables::MAX_CELLS;
use crate::tables::layout::edges::Edge;
use crate::tables::layout::lines::{PageWords, PlacedWord, TextLine, text_lines};
use crate::tables::reading::grid::Slot;
use crate::tables::reading::likeness::FAR_CHUNKS;
use pagewise_text::Bounds;

/// Parallel edges nearer than this bound no cell.
const MIN_CELL: f32 = 3.5;
/// An empty strip narrower than this is no cell.
const MAX_SLIVER: f32 = 6.0;
/// Edges that go on this far beyond a border go on to another border.
const MIN_OUTER: f32 = 8.0;
/// The share of a side that an edge must cover to be drawn there.
const COVER: f32 = 0.6;
/// An edge that is further within a word than this share of its length runs through it.
const INSET: f32 = 0.25;
/// At most one of so many words of a table has an edge through it: an amount that is struck out.
const CROSSED: usize = 5;
/// Minimum number of labels beside a grid, and of its rows that are not empty. The labels of an axis have no values.
const MIN_LABELS: usize = 3;
const MIN_FILLED: usize = 2;
/// A grid has at most this many columns.
const MAX_COLUMNS: usize = 500;

/// A border between rows or columns.
#[derive(Debug, Clone)]
struct Border {
    at: f32,
    /// The edges that draw it.
    edges: Vec<Edge>,
}

impl Border {
    /// Whether edges cover most of the way from `start` to `end`.
    fn covers(&self, start: f32, end: f32) -> bool {
        let covered: f32 = self.edges.iter().map(|e| (e.end.min(end) - e.start.max(start)).max(0.0)).sum();
        covered >= COVER * (end - start)
    }
}

/// Borders from edges at nearly the same place.
fn borders(edges: &[Edge]) -> Vec<Border> {
    let mut sorted = edges.to_vec();
    sorted.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut borders: Vec<Border> = Vec::new();
    for edge in sorted {
        match borders.last_mut() {
            Some(last) if edge.at - last.at <= MIN_CELL => last.edges.push(edge),
            _ => borders.push(Border { at: edge.at, edges: vec![edge] }),
        }
    }
    borders
}

/// Whether at least half of the drawn borders are long for a grid of this extent.
fn is_regular(borders: &[Border], extent: f32) -> bool {
    let drawn = || borders.iter().filter(|b| !b.edges.is_empty());
    let length = |border: &Border| border.edges.iter().map(Edge::len).sum::<f32>();
    let long = drawn().filter(|border| length(border) >= 0.4 * extent).count();
    2 * long >= drawn().count()
}

/// Adds borders where crossing edges go well beyond the outermost ones.
fn with_outer(mut borders: Vec<Border>, crossing: &[Edge]) -> Vec<Border> {
    let start = crossing.iter().map(|e| e.start).fold(f32::MAX, f32::min);
    let end = crossing.iter().map(|e| e.end).fold(f32::MIN, f32::max);
    if borders.first().is_some_and(|b| start < b.at - MIN_OUTER) {
        borders.insert(0, Border { at: start, edges: Vec::new() });
    }
    if borders.last().is_some_and(|b| end > b.at + MIN_OUTER) {
        borders.push(Border { at: end, edges: Vec::new() });
    }
    borders
}

/// A grid of borders and the words in its places, row by row.
pub(super) struct DrawnGrid<'p> {
    xs: Vec<Border>,
    ys: Vec<Border>,
    places: Vec<Vec<PlacedWord<'p>>>,
}

impl<'p> DrawnGrid<'p> {
    /// The grid of a component, with the labels at the left of its rows. `None` if it has only one row.
    pub(super) fn of(component: &Component, words: &PageWords<'p>) -> Option<Self> {
        let bare = Self::of_edges(component, words)?;
        let grid = match bare.label_edges(words) {
            Some(labels) => Self::of_edges(&component.joined(labels), words)?,
            None => bare,
        };
        (grid.rows() > 1).then_some(grid)
    }

    fn of_edges(component: &Component, words: &PageWords<'p>) -> Option<Self> {
        let mut xs = with_outer(borders(&component.vertical), &component.horizontal);
        let mut ys = with_outer(borders(&component.horizontal), &component.vertical);
        let area = Bounds {
            x0: xs.first()?.at - 1.0,
            x1: xs.last()?.at + 1.0,
            y0: ys.first()?.at - 1.0,
            y1: ys.last()?.at + 1.0,
        };
        let own = words.inside_drawn(&area);
        drop_slivers(&mut xs, &own, |b| (b.x0 + b.x1) / 2.0);
        drop_slivers(&mut ys, &own, |b| (b.y0 + b.y1) / 2.0);
        let (columns, rows) = (xs.len().checked_sub(1)?, ys.len().checked_sub(1)?);
        if columns > MAX_COLUMNS || columns * rows > MAX_CELLS {
            return None;
        }
        let mut places = vec![Vec::new(); columns * rows];
        for word in own {
            let b = &word.word.bounds;
            let column = index_of(&xs, (b.x0 + b.x1) / 2.0);
            let row = index_of(&ys, (b.y0 + b.y1) / 2.0);
            if let Some(place) = places.get_mut(row * columns + column) {
                place.push(word);
            }
        }
        Some(Self { xs, ys, places })
    }

    /// Edges round the labels of the rows, if these stand at the left of a grid of heads and values: one line on the baseline
    /// of each row, and nothing else.
    fn label_edges(&self, words: &PageWords) -> Option<Component> {
        let area = self.area()?;
        let lines = text_lines(&words.inside(&Bounds { x0: f32::MIN, x1: area.x0, ..area }));
        let cells = |row: usize| (0..self.columns()).map(move |column| self.words(row, column));
        let is_label = |(row, line): (usize, &TextLine)| {
            let is_level = |word: &PlacedWord| (word.baseline - line.baseline).abs() < SAME_LINE * line.size;
            let is_beside = index_of(&self.ys, line.baseline - 0.3 * line.size) == row;
            let are_level = cells(row).flatten().all(is_level);
            is_beside && are_level && matches!(line.chunks.as_slice(), [label] if !label.is_value())
        };
        let are_labels = lines.len() == self.rows() && lines.iter().enumerate().all(is_label);
        let is_value = |words: &[PlacedWord]| is_value(words.iter().map(|word| word.word.text.as_str()));
        let are_values = (1..self.rows()).flat_map(cells).all(|words| words.is_empty() || is_value(words));
        let filled = (0..self.rows()).filter(|row| cells(*row).any(|words| !words.is_empty())).count();
        if !are_labels || !are_values || lines.len() < MIN_LABELS || filled < MIN_FILLED {
            return None;
        }
        let x0 = lines.iter().flat_map(|line| &line.chunks).map(|label| label.bounds.x0).fold(area.x0, f32::min) - 2.0;
        let edge = |at, start, end| Edge { at, start, end, is_rule: false };
        let horizontal = self.ys.iter().map(|border| edge(border.at, x0, area.x0)).collect();
        Some(Component { horizontal, vertical: vec![edge(x0, area.y0, area.y1)] })
    }

    fn columns(&self) -> usize {
        self.xs.len().saturating_sub(1)
    }

    fn rows(&self) -> usize {
        self.ys.len().saturating_sub(1)
    }

    fn words(&self, row: usize, column: usize) -> &[PlacedWord<'p>] {
        self.places.get(row * self.columns() + column).map_or(&[], Vec::as_slice)
    }

    /// Where a row begins and ends.
    fn row_range(&self, row: usize) -> (f32, f32) {
        range(&self.ys, row)
    }

    fn column_range(&self, column: usize) -> (f32, f32) {
        range(&self.xs, column)
    }

    /// Whether an edge is drawn at the right of a place.
    fn has_right(&self, row: usize, column: usize) -> bool {
        let (start, end) = self.row_range(row);
        self.xs.get(column + 1).is_some_and(|b| b.covers(start, end))
    }

    /// Whether an edge is drawn below a place.
    fn has_below(&self, row: usize, column: usize) -> bool {
        let (start, end) = self.column_range(column);
        self.ys.get(row + 1).is_some_and(|b| b.covers(start, end))
    }

    /// Whether most borders run over a good part of the way, as those of bars do not.
    pub(super) fn is_regular(&self) -> bool {
        let Some(area) = self.area() else { return false };
        is_regular(&self.xs, area.height()) && is_regular(&self.ys, area.width())
    }

    /// Whether edges run through many of its words, as the lines of a chart do through its labels.
    pub(super) fn crosses_words(&self) -> bool {
        let words = || self.places.iter().flatten();
        let is_crossed = |word: &&PlacedWord| {
            let b = &word.word.bounds;
            let (x, y) = (f32::midpoint(b.x0, b.x1), f32::midpoint(b.y0, b.y1));
            crosses(&self.xs, b.x0, b.x1, y) || crosses(&self.ys, b.y0, b.y1, x)
        };
        CROSSED * words().filter(is_crossed).count() > words().count()
    }

    /// The area inside the outermost borders.
    pub(super) fn area(&self) -> Option<Bounds> {
        Some(Bounds {
            x0: self.xs.first()?.at,
            x1: self.xs.last()?.at,
            y0: self.ys.first()?.at,
            y1: self.ys.last()?.at,
        })
    }

    /// The cells: places joined where no edge parts them.
    pub(super) fn slots(&self) -> Vec<Slot<'p>> {
        let mut open: Vec<Slot> = Vec::new();
        let mut done = Vec::new();
        for row in 0..self.rows() {
            let mut next = Vec::new();
            for (first, last) in self.runs(row) {
                let words: Vec<PlacedWord> = (first..=last).flat_map(|c| self.words(row, c).iter().copied()).collect();
                let above = open.iter().position(|s| s.column == first && s.column_span == last + 1 - first);
                let is_joined = row > 0 && (first..=last).all(|c| !self.has_below(row - 1, c));
                match above.filter(|_| is_joined) {
                    Some(at) => {
                        let mut slot = open.swap_remove(at);
                        slot.row_span += 1;
                        slot.words.extend(words);
                        next.push(slot);
                    }
                    None => next.push(Slot { column_span: last + 1 - first, ..Slot::at(row, first, words) }),
                }
            }
            done.append(&mut open);
            open = next;
        }
        done.append(&mut open);
        for slot in &mut done {
            slot.area = self.slot_area(slot);
        }
        done
    }

    fn slot_area(&self, slot: &Slot) -> Option<Bounds> {
        let (x0, _) = self.column_range(slot.column);
        let (_, x1) = self.column_range(slot.column + slot.column_span - 1);
        let (y0, _) = self.row_range(slot.row);
        let (_, y1) = self.row_range(slot.row + slot.row_span - 1);
        Some(Bounds { x0, y0, x1, y1 })
    }

    /// The runs of columns that are one cell in a row.
    fn runs(&self, row: usize) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let is_bare = self.columns() > 1 && (0..self.columns() - 1).all(|c| !self.has_right(row, c));
        let own: Vec<PlacedWord> = (0..self.columns()).flat_map(|c| self.words(row, c).iter().copied()).collect();
        let is_listed = text_lines(&own).iter().any(|line| line.chunks.len() > 1);
        for column in 0..self.columns() {
            let joins =
                column > 0 && !self.has_right(row, column - 1) && self.is_joined(row, column - 1, is_bare && is_listed);
            match runs.last_mut() {
                Some(run) if joins => run.1 = column,
                _ => runs.push((column, column)),
            }
        }
        runs.into_iter().flat_map(|run| self.split_run(row, run)).collect()
    }

    /// Divides a run of one line whose chunks stand far apart.
    fn split_run(&self, row: usize, (first, last): (usize, usize)) -> Vec<(usize, usize)> {
        let words: Vec<PlacedWord> = (first..=last).flat_map(|c| self.words(row, c).iter().copied()).collect();
        let lines = text_lines(&words);
        let [line] = lines.as_slice() else { return vec![(first, last)] };
        let mut runs = Vec::new();
        let mut start = first;
        for pair in line.chunks.windows(2) {
            let [a, b] = pair else { continue };
            if b.bounds.x0 - a.bounds.x1 < FAR_CHUNKS * line.size {
                continue;
            }
            let middle = (a.bounds.x1 + b.bounds.x0) / 2.0;
            let borders = (start + 1..=last)
                .filter(|at| self.xs.get(*at).is_some_and(|x| a.bounds.x1 <= x.at && x.at <= b.bounds.x0));
            let nearest = borders.min_by(|i, j| self.off(*i, middle).total_cmp(&self.off(*j, middle)));
            if let Some(border) = nearest {
                runs.push((start, border - 1));
                start = border;
            }
        }
        runs.push((start, last));
        runs
    }

    /// How far a border is from a place.
    fn off(&self, border: usize, x: f32) -> f32 {
        self.xs.get(border).map_or(f32::MAX, |b| (b.at - x).abs())
    }

    /// Whether the text of two places without an edge between them is one cell's.
    fn is_joined(&self, row: usize, column: usize, is_bare: bool) -> bool {
        let (left, right) = (self.words(row, column), self.words(row, column + 1));
        if left.is_empty() || right.is_empty() {
            return !is_bare;
        }
        let both: Vec<PlacedWord> = left.iter().chain(right).copied().collect();
        let Some(border) = self.xs.get(column + 1) else { return false };
        text_lines(&both)
            .iter()
            .any(|l| l.chunks.iter().any(|c| c.bounds.x0 < border.at - 1.0 && border.at + 1.0 < c.bounds.x1))
    }
}

/// Whether an edge runs through a word that reaches from `start` to `end`, at a place beside them.
fn crosses(borders: &[Border], start: f32, end: f32, beside: f32) -> bool {
    let inset = INSET * (end - start);
    let first = borders.partition_point(|border| border.at <= start + inset);
    let within = borders.iter().skip(first).take_while(|border| border.at < end - inset);
    within.flat_map(|border| &border.edges).any(|edge| edge.start <= beside && beside <= edge.end)
}

fn range(borders: &[Border], at: usize) -> (f32, f32) {
    let place = |i: usize| borders.get(i).map_or(0.0, |b| b.at);
    (place(at), place(at + 1))
}

/// The place between borders that holds a coordinate.
fn index_of(borders: &[Border], at: f32) -> usize {
    let after = borders.partition_point(|b| b.at <= at);
    after.saturating_sub(1).min(borders.len().saturating_sub(2))
}

/// Joins borders with nothing but a thin empty strip between them.
fn drop_slivers(borders: &mut Vec<Border>, words: &[PlacedWord], centre: impl Fn(&Bounds) -> f32) {
    let mut centres: Vec<f32> = words.iter().map(|w| centre(&w.word.bounds)).collect();
    centres.sort_by(f32::total_cmp);
    let is_empty = |lo: f32, hi: f32| centres.partition_point(|c| *c < lo) == centres.partition_point(|c| *c <= hi);
    let mut kept: Vec<Border> = Vec::new();
    for border in borders.drain(..) {
        match kept.last_mut() {
            Some(last) if border.at - last.at < MAX_SLIVER && is_empty(last.at, border.at) => {
                last.edges.extend(border.edges)
            }
            _ => kept.push(border),
        }
    }
    *borders = kept;
}

//! Tables whose cells are drawn: crossing edges that make a grid.

use super::components::{Component, TOUCH, components, with_heads, with_open_head};
use super::drawn_grid::DrawnGrid;
use super::row_splits::{split_rows, split_spans};
use super::stacks::{PIECE_GAP, extended};
use crate::tables::layout::edges::{Edge, Edges};
use crate::tables::layout::figures::has_bars;
use crate::tables::layout::lines::{PageWords, text_lines};
use crate::tables::reading::compaction::{compact, trimmed};
use crate::tables::reading::grid::table_of;
use crate::tables::reading::{head, likeness};
use crate::tables::{ColumnsBy, Table};
use pagewise_text::{Bounds, PageLayout};

/// So many levels of edges show whether a grid goes on beside it.
const MIN_LEVELS: usize = 6;

/// A fill between two borders that is no higher, in points, is a thick rule.
const MAX_THICK_PT: f32 = 4.0;

/// The tables of connected edges, each with its area: first those of rules, then those of rules and fills.
pub(crate) fn find(page: &PageLayout, words: &PageWords, edges: &Edges) -> Vec<(Bounds, Table)> {
    let rules = Edges::of_rules(page);
    let ruled = with_heads(components(&rules), words).into_iter();
    let ruled: Vec<Component> = ruled
        .map(|own| with_grounds(with_open_head(with_thick_rules(own, page), &rules, words, true), edges))
        .collect();
    let mut found: Vec<(Bounds, Table)> = tables_of(&ruled, words);
    let lines = text_lines(words.all());
    let is_whole = |area: &Bounds| {
        !has_bars(area, page) && !goes_on_beside(area, edges) && extended(area, words, &lines, edges) == *area
    };
    let drawn: Vec<Component> =
        components(edges).into_iter().map(|own| with_open_head(own, edges, words, false)).collect();
    found.extend(tables_of(&drawn, words).into_iter().filter(|(area, _)| is_whole(area)));
    found
}

/// The component with the rules between its borders that are so thick that they count as fills. White fills are not seen.
fn with_thick_rules(mut component: Component, page: &PageLayout) -> Component {
    let area = component.bounds();
    let mut borders: Vec<f32> = component.vertical.iter().map(|e| e.at).collect();
    borders.sort_by(f32::total_cmp);
    let is_border =
        |x: f32| borders.get(borders.partition_point(|at| *at < x - TOUCH)).is_some_and(|at| *at < x + TOUCH);
    let is_thick = |b: &Bounds| b.height() <= MAX_THICK_PT && b.width() > MAX_THICK_PT && area.holds(b.center());
    let fills = page.fills.iter().filter(|fill| fill.color != [u8::MAX; 3]).map(|fill| fill.bounds);
    let own = fills.filter(|b| is_thick(b) && is_border(b.x0) && is_border(b.x1));
    component.horizontal.extend(own.map(|b| Edge { at: b.center().1, start: b.x0, end: b.x1, is_rule: true }));
    component
}

/// The component with the sides of the grounds above its first rule that end over its whole width: those of a shaded head, below
/// which no rule may be drawn.
fn with_grounds(mut component: Component, edges: &Edges) -> Component {
    let area = component.bounds();
    let is_within = |e: &&Edge| area.y0 + TOUCH < e.at && e.at < area.y1 && e.start < area.x1 && area.x0 < e.end;
    let is_across = |e: &&Edge| !e.is_rule && e.start < area.x0 + TOUCH && area.x1 - TOUCH < e.end;
    let inner: Vec<&Edge> = edges.horizontal.iter().filter(is_within).collect();
    let unruled = inner.iter().take_while(|e| !e.is_rule).count();
    let head = inner.iter().take(unruled).rposition(is_across).map_or(0, |last| last + 1);
    component.horizontal.extend(inner.into_iter().take(head));
    component
}

/// Whether most edges of a grid go on beside it, after a gap: each of its rows is shaded column by column, and it is but a
/// part of the table.
fn goes_on_beside(area: &Bounds, edges: &Edges) -> bool {
    let own = |e: &&Edge| area.y0 - TOUCH < e.at && e.at < area.y1 + TOUCH;
    let is_within = |e: &&Edge| area.x0 - TOUCH < e.start && e.end < area.x1 + TOUCH;
    let mut levels: Vec<f32> = edges.horizontal.iter().filter(own).filter(is_within).map(|e| e.at).collect();
    levels.dedup_by(|b, a| *b - *a < TOUCH);
    let is_beside =
        |e: &Edge| (TOUCH..PIECE_GAP).contains(&(e.start - area.x1)) || (TOUCH..PIECE_GAP).contains(&(area.x0 - e.end));
    let goes_on = |level: &&f32| {
        let from = edges.horizontal.partition_point(|e| e.at < **level - TOUCH);
        let near = edges.horizontal.iter().skip(from).take_while(|e| e.at < **level + TOUCH);
        near.into_iter().any(is_beside)
    };
    levels.len() >= MIN_LEVELS && 5 * levels.iter().filter(goes_on).count() >= 4 * levels.len()
}

fn tables_of(components: &[Component], words: &PageWords) -> Vec<(Bounds, Table)> {
    components.iter().filter_map(|component| table(&DrawnGrid::of(component, words)?)).collect()
}

/// The table of a grid and its area, if it is one.
fn table(grid: &DrawnGrid) -> Option<(Bounds, Table)> {
    if !grid.is_regular() || grid.crosses_words() {
        return None;
    }
    let (mut slots, rows, columns) = compact(grid.slots());
    let is_list = columns == 1 && likeness::is_list(&slots, rows);
    let rows = if is_list { rows } else { trimmed(&mut slots, rows, columns) };
    if likeness::are_pages(&slots) {
        return None;
    }
    split_spans(&mut slots);
    let rows = split_rows(&mut slots, rows);
    let is_table = is_list || columns > 1 && likeness::is_grid(&slots, rows, columns);
    if !is_table || likeness::has_columns_within(&slots) || likeness::cuts_lines(&slots) {
        return None;
    }
    let heads = if is_list { 1 } else { head::drawn_heads(&slots, rows, columns) };
    slots.iter_mut().for_each(|slot| slot.is_header = slot.row < heads);
    Some((grid.area()?, table_of(slots, rows, columns, (ColumnsBy::Lines, true))?))
}

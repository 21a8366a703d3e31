//! Edges that touch: each group may be a grid.

use std::collections::{BTreeMap, BTreeSet};

use crate::disjoint_sets::DisjointSets;
use crate::measures::NEXT_LINE_EM;
use crate::tables::layout::edges::{Edge, Edges};
use crate::tables::layout::lines::{PageWords, TextLine, text_lines};
use crate::tables::reading::head::{is_year, words_of};
use pagewise_text::Bounds;

/// Edges that end this near to another edge touch it.
pub(super) const TOUCH: f32 = 2.5;

/// A row without upright edges is the head of a grid if it fills at least so many columns, and half of them.
const MIN_HEADS: usize = 3;

/// A head stands so near to its grid, in points: a title of the first rows may stand between.
const MAX_HEAD_GAP_PT: f32 = 36.0;

/// Edges that touch each other.
#[derive(Debug, Default)]
pub(super) struct Component {
    pub(super) horizontal: Vec<Edge>,
    pub(super) vertical: Vec<Edge>,
}

impl Component {
    /// The box round its edges across.
    pub(super) fn bounds(&self) -> Bounds {
        let of = |e: &Edge| Bounds { x0: e.start, y0: e.at, x1: e.end, y1: e.at };
        Bounds::around(self.horizontal.iter().map(of))
    }

    /// The edges of two components.
    pub(super) fn joined(&self, other: Self) -> Self {
        let Self { mut horizontal, mut vertical } = other;
        horizontal.extend(&self.horizontal);
        vertical.extend(&self.vertical);
        Self { horizontal, vertical }
    }

    /// Whether it is a single row.
    fn is_row(&self) -> bool {
        let Bounds { y0, y1, .. } = self.bounds();
        self.horizontal.iter().all(|e| (e.at - y0).abs() < TOUCH || (e.at - y1).abs() < TOUCH)
    }

    /// Whether it is the head of a grid: one row right above it, of the same width, with borders that the grid has too.
    fn is_head_of(&self, grid: &Self, words: &PageWords) -> bool {
        let (own, other) = (self.bounds(), grid.bounds());
        let is_border = |e: &Edge| grid.vertical.iter().any(|border| (border.at - e.at).abs() < TOUCH);
        let is_wide = (own.x0 - other.x0).abs() < TOUCH && (own.x1 - other.x1).abs() < TOUCH;
        let between = Bounds { y0: own.y1, y1: other.y0, ..own };
        is_wide
            && (0.0..MAX_HEAD_GAP_PT).contains(&between.height())
            && self.is_row()
            && !grid.is_row()
            && self.vertical.iter().all(is_border)
            && text_lines(&words.inside(&between)).len() < 2
    }
}

/// The components, with the edges of heads that stand apart from their grids in those of the grids.
pub(super) fn with_heads(mut components: Vec<Component>, words: &PageWords) -> Vec<Component> {
    let mut at = 0;
    while let Some(head) = components.get(at) {
        match components.iter().position(|grid| head.is_head_of(grid, words)) {
            Some(grid) => {
                let head = components.remove(at);
                if let Some(grid) = components.get_mut(if grid > at { grid - 1 } else { grid }) {
                    *grid = grid.joined(head);
                }
            }
            None => at += 1,
        }
    }
    components
}

/// Adds to a component the head that stands above it and has no vertical edges. If an edge as wide as the grid lies above, the
/// head is all text between that edge and the grid, and each piece of it must be within one column. Without such an edge, the
/// head is the lines right above the grid, on one of two conditions: each column but the first has a text there, or all texts are
/// years. If the first of these lines is a single text, it is a title, and there is no head. For a grid of fills, without rules,
/// only a head of years counts.
pub(super) fn with_open_head(mut component: Component, edges: &Edges, words: &PageWords, is_ruled: bool) -> Component {
    let area = component.bounds();
    let is_wide = |e: &&Edge| (e.start - area.x0).abs() < TOUCH && (e.end - area.x1).abs() < TOUCH;
    let is_near = |e: &&Edge| (TOUCH..MAX_HEAD_GAP_PT).contains(&(area.y0 - e.at));
    let edge = edges.horizontal.iter().rev().find(|e| is_wide(e) && is_near(e));
    let top = edge.map_or(area.y0 - MAX_HEAD_GAP_PT, |edge| edge.at);
    let lines = text_lines(&words.inside(&Bounds { y0: top, y1: area.y0, ..area }));
    let mut borders: Vec<f32> = component.vertical.iter().map(|e| e.at).collect();
    borders.sort_by(f32::total_cmp);
    borders.dedup_by(|a, b| *a - *b < TOUCH);
    let column = |x: f32| borders.partition_point(|border| *border < x);
    let is_within = |own: &Bounds| column(own.x0) == column(own.x1);
    let are_heads = |line: &&TextLine| line.chunks.len() > 1 && line.chunks.iter().all(|own| is_within(&own.bounds));
    let near = if edge.is_some() { lines.len() } else { lines_right_above(&lines, area.y0, are_heads) };
    let lines = lines.get(lines.len() - near..).unwrap_or_default();
    let chunks = || lines.iter().flat_map(|line| &line.chunks).map(|chunk| &chunk.bounds);
    let heads: BTreeSet<usize> = chunks().map(|own| column(own.x0)).collect();
    let is_titled = lines.first().is_none_or(|line| line.chunks.len() < 2);
    let inner = borders.iter().filter(|border| area.x0 + TOUCH < **border && **border < area.x1 - TOUCH).count();
    // The labels of the rows may have no head.
    let first = column(area.x0 + TOUCH);
    let unheaded = usize::from(!heads.contains(&first));
    let are_all = if edge.is_some() { 2 * heads.len() > borders.len() } else { heads.len() + unheaded == inner + 1 };
    let are_years = || lines.iter().flat_map(|line| &line.chunks).all(|chunk| is_year(words_of(chunk)));
    let are_heads = is_ruled && heads.len() >= MIN_HEADS && are_all || heads.len() > 1 && are_years();
    if !is_titled && are_heads && chunks().all(is_within) {
        let top = chunks().map(|own| own.y0).fold(area.y0, f32::min);
        let open = Edge { at: top, start: area.x0, end: area.x1, is_rule: false };
        component.horizontal.push(edge.copied().unwrap_or(open));
    }
    component
}

/// How many of the last lines stand right above a place, and each other, and pass a test.
fn lines_right_above(lines: &[TextLine], mut below: f32, test: impl Fn(&&TextLine) -> bool) -> usize {
    let is_near = |line: &&TextLine| {
        let is_near = below - line.baseline < NEXT_LINE_EM.end * line.size;
        below = line.baseline;
        is_near
    };
    lines.iter().rev().take_while(is_near).take_while(test).count()
}

/// Groups of edges that touch.
pub(super) fn components(edges: &Edges) -> Vec<Component> {
    let count = edges.horizontal.len();
    let mut sets = DisjointSets::new(count + edges.vertical.len());
    for (at, vertical) in edges.vertical.iter().enumerate() {
        let first = edges.horizontal.partition_point(|h| h.at < vertical.start - TOUCH);
        let reach = edges.horizontal.iter().enumerate().skip(first).take_while(|(_, h)| h.at <= vertical.end + TOUCH);
        for (other, _) in reach.filter(|(_, h)| h.start - TOUCH <= vertical.at && vertical.at <= h.end + TOUCH) {
            sets.join(other, count + at);
        }
    }
    let mut groups: BTreeMap<usize, Component> = BTreeMap::new();
    for (at, edge) in edges.horizontal.iter().enumerate() {
        groups.entry(sets.find(at)).or_default().horizontal.push(*edge);
    }
    for (at, edge) in edges.vertical.iter().enumerate() {
        groups.entry(sets.find(count + at)).or_default().vertical.push(*edge);
    }
    groups.into_values().filter(|c| c.horizontal.len() >= 2 && c.vertical.len() >= 2).collect()
}

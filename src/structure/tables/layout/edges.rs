//! Rules and the sides of fills, merged into long straight edges.

use crate::bounds::median;
use pagewise_text::{Bounds, Fill, PageLayout, Rule, Word};

/// A page with more edges than this in one direction, once merged, is read without edges.
const MAX_EDGES: usize = 4_000;
/// A page with more rules and fills than this is read without edges.
const MAX_RULES: usize = 200_000;
/// The shade of a line of text is lower than this many ems.
const MAX_SHADED_LINE: f32 = 1.4;
/// Edges nearer than this are one.
const SAME_PLACE: f32 = 1.6;
/// The ground of a table covers at most this share of the page.
const MAX_GROUND: f32 = 0.8;
/// A panel of a page takes at least this share of its height and ends nearer than this to a side of it, in points.
const PANEL: f32 = 0.7;
const BLEED_PT: f32 = 1.0;
/// Dashes stand so many ems above their baseline.
const DASH_EM: f32 = 0.3;
/// Pieces of an edge with a gap up to this are one edge.
const GAP: f32 = 3.0;

/// A straight edge: at `at` across its direction, from `start` to `end` along it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    pub(crate) at: f32,
    pub(crate) start: f32,
    pub(crate) end: f32,
    /// Whether a rule is drawn there, not only the side of a fill.
    pub(crate) is_rule: bool,
}

impl Edge {
    /// Its length.
    pub(crate) fn len(&self) -> f32 {
        self.end - self.start
    }
}

/// The edges of a page.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// From top to bottom.
    pub(crate) horizontal: Vec<Edge>,
    /// From left to right.
    pub(crate) vertical: Vec<Edge>,
}

impl Edges {
    /// The rules of a page, merged.
    pub(crate) fn of_rules(page: &PageLayout) -> Self {
        Self::merge(page, &[])
    }

    /// The rules and the sides of fills of a page, merged.
    pub(crate) fn of(page: &PageLayout) -> Self {
        Self::merge(page, &page.fills)
    }

    fn merge(page: &PageLayout, fills: &[Fill]) -> Self {
        if page.rules.len() + page.fills.len() > MAX_RULES {
            return Self::default();
        }
        let (mut horizontal, mut vertical) = (Vec::new(), Vec::new());
        for rule in &page.rules {
            let side = if rule.is_horizontal { &mut horizontal } else { &mut vertical };
            side.push(middle(&rule.bounds, rule.is_horizontal));
        }
        horizontal.extend(page.words.iter().filter_map(text_rule).map(|rule| middle(&rule.bounds, true)));
        let fills = coalesced(fills, MAX_SHADED_LINE * typical_size(page));
        for fill in fills.iter().filter(|fill| is_ground(&fill.bounds, page)) {
            sides(&fill.bounds, &mut horizontal, &mut vertical);
        }
        let is_finite = |e: &Edge| e.at.is_finite() && e.start.is_finite() && e.end.is_finite();
        horizontal.retain(is_finite);
        vertical.retain(is_finite);
        Self { horizontal: bounded(merged(horizontal)), vertical: bounded(merged(vertical)) }
    }
}

/// The size of most words.
fn typical_size(page: &PageLayout) -> f32 {
    median(page.words.iter().map(|w| w.size).filter(|s| s.is_finite())).unwrap_or(10.0)
}

/// Fills of one colour that follow each other downwards without a gap, as one: the lines of a shaded paragraph.
fn coalesced(fills: &[Fill], max_height: f32) -> Vec<Fill> {
    let mut sorted: Vec<Fill> = fills.to_vec();
    let place = |v: f32| v.round();
    sorted.sort_by(|a, b| {
        let sides =
            place(a.bounds.x0).total_cmp(&place(b.bounds.x0)).then(place(a.bounds.x1).total_cmp(&place(b.bounds.x1)));
        sides.then(a.color.cmp(&b.color)).then(a.bounds.y0.total_cmp(&b.bounds.y0))
    });
    let mut out: Vec<Fill> = Vec::new();
    for fill in sorted {
        match out.last_mut() {
            Some(last)
                if last.color == fill.color
                    && fill.bounds.height() < max_height
                    && is_below(&last.bounds, &fill.bounds) =>
            {
                last.bounds.y1 = last.bounds.y1.max(fill.bounds.y1)
            }
            _ => out.push(fill),
        }
    }
    out
}

/// Whether a fill begins where one of the same sides ends.
fn is_below(above: &Bounds, below: &Bounds) -> bool {
    let has_same_sides = (above.x0 - below.x0).abs() < 1.0 && (above.x1 - below.x1).abs() < 1.0;
    has_same_sides && below.y0 <= above.y1 + 0.3
}

/// The rule that a word of dashes draws.
pub(crate) fn text_rule(word: &Word) -> Option<Rule> {
    let is_rule = super::lines::is_drawn_by_text(&word.text) && !word.text.starts_with(['.', '·', '…']);
    let y = word.baseline - DASH_EM * word.size;
    let bounds = Bounds { y0: y, y1: y, ..word.bounds };
    (is_rule && word.turn == 0).then_some(Rule { bounds, is_horizontal: true, color: [0; 3] })
}

/// No edges at all where there are too many.
fn bounded(edges: Vec<Edge>) -> Vec<Edge> {
    if edges.len() > MAX_EDGES { Vec::new() } else { edges }
}

/// Whether a fill can be the ground of cells: as high as text, and not the page or a panel of it, which runs to a side of
/// the paper over most of its height.
fn is_ground(bounds: &Bounds, page: &PageLayout) -> bool {
    let (width, height) = (bounds.width(), bounds.height());
    let is_cut = bounds.x0 < BLEED_PT || bounds.x1 > page.width - BLEED_PT;
    let is_panel = is_cut && height > PANEL * page.height || width * height > MAX_GROUND * page.width * page.height;
    !is_panel && height > 4.0 && width > 4.0
}

/// The middle line of a rule.
fn middle(b: &Bounds, is_horizontal: bool) -> Edge {
    if is_horizontal {
        Edge { at: (b.y0 + b.y1) / 2.0, start: b.x0, end: b.x1, is_rule: true }
    } else {
        Edge { at: (b.x0 + b.x1) / 2.0, start: b.y0, end: b.y1, is_rule: true }
    }
}

/// The four sides of a fill.
fn sides(b: &Bounds, horizontal: &mut Vec<Edge>, vertical: &mut Vec<Edge>) {
    for at in [b.y0, b.y1] {
        horizontal.push(Edge { at, start: b.x0, end: b.x1, is_rule: false });
    }
    for at in [b.x0, b.x1] {
        vertical.push(Edge { at, start: b.y0, end: b.y1, is_rule: false });
    }
}

/// Edges at one place that touch become one.
fn merged(mut edges: Vec<Edge>) -> Vec<Edge> {
    edges.sort_by(|a, b| a.at.total_cmp(&b.at));
    let mut out: Vec<Edge> = Vec::new();
    let mut group: Vec<Edge> = Vec::new();
    for edge in edges {
        if group.first().is_some_and(|f| edge.at - f.at > SAME_PLACE) {
            join_group(&mut group, &mut out);
        }
        group.push(edge);
    }
    join_group(&mut group, &mut out);
    out
}

/// Joins the pieces of edges at one place; rules come first in what is kept of the place.
fn join_group(group: &mut Vec<Edge>, out: &mut Vec<Edge>) {
    group.sort_by(|a, b| a.start.total_cmp(&b.start));
    let at = place(group);
    let first = out.len();
    for edge in group.drain(..) {
        match out.get_mut(first..).and_then(|o| o.last_mut()) {
            Some(last) if edge.start <= last.end + GAP => {
                last.end = last.end.max(edge.end);
                last.is_rule |= edge.is_rule;
            }
            _ => out.push(Edge { at, ..edge }),
        }
    }
}

/// Where a group of edges stands: the mean of its rules, or of all.
fn place(group: &[Edge]) -> f32 {
    let mean = |rules: bool| {
        let (sum, count) =
            group.iter().filter(|e| e.is_rule == rules).fold((0.0, 0.0), |(s, n), e| (s + e.at, n + 1.0));
        (count > 0.0).then(|| sum / count)
    };
    mean(true).or_else(|| mean(false)).unwrap_or(0.0)
}

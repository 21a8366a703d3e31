//! Charts, whose labels stand in rows and columns without being a table.

use super::lines::is_inside;
use crate::tables::reading::area::Proof;
use pagewise_text::{Bounds, PageLayout, Rule, Word};

/// A chart is recognised by at most this many rules and bars.
const MAX_CHART_RULES: usize = 500;
/// A chart has at least so many curves or slanted lines.
pub(crate) const MIN_CURVES: usize = 3;
/// Maximum number of turned words beside a table with rules.
const MAX_BESIDE: usize = 2;

/// The outermost part of a page on its left and right, as a share of its width. The running lines of a page that lies on its
/// side stand there, and stamps.
const OUTER: f32 = 0.07;

/// Whether curves or turned words stand in or right beside an area, as in charts. In an area between rules turned words
/// are heads, and no more than `MAX_BESIDE` stand beside it.
pub(crate) fn is_figure(area: &Bounds, page: &PageLayout, proof: Proof) -> bool {
    if has_bars(area, page) {
        return true;
    }
    let near = Bounds { x0: area.x0 - 40.0, x1: area.x1 + 10.0, y0: area.y0 - 5.0, y1: area.y1 + 5.0 };
    let curves = page.drawings.iter().filter(|d| is_inside(d, &near)).take(MIN_CURVES).count();
    let is_sign = |b: &Bounds| is_inside(b, &near) && (proof == Proof::Aligned || !is_inside(b, area));
    let middle = |b: &Bounds| (b.x0 + b.x1) / (2.0 * page.width);
    let is_turned = |w: &&Word| w.turn != 0 && is_sign(&w.bounds) && (OUTER..1.0 - OUTER).contains(&middle(&w.bounds));
    let turned = page.words.iter().filter(is_turned).take(9).count();
    curves >= MIN_CURVES || turned > if proof.is_drawn() { MAX_BESIDE } else { 0 }
}

/// Whether narrow fills of several heights cross rules, as bars cross the lines of a chart.
pub(crate) fn has_bars(area: &Bounds, page: &PageLayout) -> bool {
    let rules: Vec<&Rule> = page
        .rules
        .iter()
        .filter(|r| r.is_horizontal && r.bounds.y0 > area.y0 - 2.0 && r.bounds.y0 < area.y1 + 100.0)
        .take(MAX_CHART_RULES)
        .collect();
    let crosses = |b: &Bounds| {
        rules
            .iter()
            .any(|r| r.bounds.x0 < b.x0 && b.x1 < r.bounds.x1 && b.y0 < r.bounds.y0 - 2.0 && r.bounds.y1 + 2.0 < b.y1)
    };
    let bars = page.fills.iter().map(|f| f.bounds).filter(|b| {
        b.x0 < area.x1 && area.x0 < b.x1 && b.y0 < area.y1 && area.y0 < b.y1 && b.width() < 0.5 * area.width()
    });
    let mut tops: Vec<f32> = bars.take(MAX_CHART_RULES).filter(crosses).map(|b| b.y0).collect();
    tops.sort_by(f32::total_cmp);
    tops.dedup_by(|a, b| (*a - *b).abs() < 2.0);
    tops.len() >= 3
}

//! Columns: a region is cut at its tallest gutter into what is above, the columns on both sides, and what is below.
//!
//! A gutter is white space that no segment crosses, with lines of text on both sides.

use super::super::bounds::{NOTHING, shared_width};
use super::segments::Segment;
use crate::text::Bounds;

/// Cuts inside cuts, at most.
const MAX_DEPTH: usize = 24;
/// Segments that are looked at on a page, counted again for each region. Regions after that are not cut.
const MAX_SCANNED: usize = 1_000_000;
/// Gutters are looked for in so many strips of a region.
const STRIPS: u16 = 200;
/// So many gutters of a region are tried.
const MAX_TRIES: usize = 12;
/// A gutter is at least so wide, in ems.
const GUTTER_EM: f32 = 0.75;
/// A column has at least so many lines and ems of width.
const MIN_LINES: usize = 3;
const MIN_WIDTH_EM: f32 = 5.0;
/// A note in the margin is narrower. Its lines follow each other closely, unlike the labels of a form.
const MIN_NOTE_EM: f32 = 3.5;
const NOTE_LEADING_EM: f32 = 1.6;
/// Columns with lines on the same baselines are prose if so much of their width is filled.
const PROSE_FILL: f32 = 0.6;
/// Columns share at least this part of the height of the lower one.
const SHARED_HEIGHT: f32 = 0.4;
/// Columns of fewer lines begin at one left edge, most of their lines.
const MANY_LINES: usize = 10;
/// The lines of hanging paragraphs begin at two edges, no further apart than this.
const MAX_HANG_EM: f32 = 3.5;
/// What is below all other columns may have so many lines to be taken for the beginning of the text below.
const MAX_TAIL: usize = 3;

/// The segments of each column, in reading order.
pub(super) fn order(mut segments: Vec<Segment>) -> Vec<Vec<Segment>> {
    segments.sort_by(|a, b| a.bounds.y0.total_cmp(&b.bounds.y0));
    let mut cutter = Cutter { columns: Vec::new(), scanned: 0 };
    cutter.cut(segments, 0);
    cutter.columns
}

struct Cutter {
    columns: Vec<Vec<Segment>>,
    scanned: usize,
}

impl Cutter {
    /// Appends the columns of a region whose segments are sorted by their tops.
    fn cut(&mut self, segments: Vec<Segment>, depth: usize) {
        if segments.is_empty() {
            return;
        }
        let em = median_size(&segments);
        self.scanned += segments.len();
        let may_cut = depth < MAX_DEPTH && self.scanned < MAX_SCANNED;
        let Some(gutter) = may_cut.then(|| best_gutter(&segments, em)).flatten() else {
            self.columns.push(segments);
            return;
        };
        let mut above = segments;
        let mut band = above.split_off(gutter.first);
        let below = band.split_off(gutter.count);
        move_heading_lines(&mut above, &mut band, em);
        let (band, tail) = without_tail(band, gutter.x, em);
        let (left, right) = band.into_iter().partition(|segment| is_left(segment, gutter.x));
        self.cut(above, depth + 1);
        self.cut(left, depth + 1);
        self.cut(right, depth + 1);
        self.cut(tail.into_iter().chain(below).collect(), depth + 1);
    }
}

/// White space between columns: its middle, and the segments on both sides of it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gutter {
    x: f32,
    first: usize,
    count: usize,
    /// The number of segments on the side that has fewer.
    fewer: usize,
}

/// The gutter with most segments on both sides that divides columns.
fn best_gutter(segments: &[Segment], em: f32) -> Option<Gutter> {
    let mut gutters: Vec<Gutter> = strips(segments).into_iter().filter(|gutter| gutter.fewer > 0).collect();
    gutters.sort_by(|a, b| b.fewer.cmp(&a.fewer).then(b.count.cmp(&a.count)));
    gutters.dedup_by_key(|gutter| (gutter.first, gutter.count, gutter.fewer));
    let mut tried = gutters.into_iter().take(MAX_TRIES);
    tried.find_map(|gutter| centered(gutter, segments, em).filter(|gutter| divides(gutter, segments, em)))
}

/// For each strip of the region the longest run of segments that leave it white.
fn strips(segments: &[Segment]) -> Vec<Gutter> {
    let all = extent(segments);
    let step = (all.x1 - all.x0) / f32::from(STRIPS);
    (1..STRIPS).map(|strip| longest_run(segments, all.x0 + step * f32::from(strip))).collect()
}

/// The run of segments that do not touch `x`, with the most segments on both sides of it.
fn longest_run(segments: &[Segment], x: f32) -> Gutter {
    let mut best = Gutter { x, first: 0, count: 0, fewer: 0 };
    let (mut first, mut left, mut right) = (0, 0_usize, 0_usize);
    for (index, segment) in segments.iter().enumerate() {
        if segment.bounds.x1 < x {
            left += 1;
        } else if segment.bounds.x0 > x {
            right += 1;
        } else {
            (first, left, right) = (index + 1, 0, 0);
        }
        if left.min(right) > best.fewer || (left.min(right) == best.fewer && first == best.first) {
            best = Gutter { x, first, count: index + 1 - first, fewer: left.min(right) };
        }
    }
    best
}

/// The gutter with its middle in `x`, if it is wide enough.
fn centered(gutter: Gutter, segments: &[Segment], em: f32) -> Option<Gutter> {
    let run = segments.get(gutter.first..gutter.first + gutter.count)?;
    let left = run.iter().filter(|s| is_left(s, gutter.x)).map(|s| s.bounds.x1).fold(f32::NEG_INFINITY, f32::max);
    let right = run.iter().filter(|s| !is_left(s, gutter.x)).map(|s| s.bounds.x0).fold(f32::INFINITY, f32::min);
    (right - left >= GUTTER_EM * em).then_some(Gutter { x: (left + right) / 2.0, ..gutter })
}

fn is_left(segment: &Segment, x: f32) -> bool {
    segment.bounds.x0 + segment.bounds.x1 < 2.0 * x
}

fn divides(gutter: &Gutter, segments: &[Segment], em: f32) -> bool {
    let Some(run) = segments.get(gutter.first..gutter.first + gutter.count) else { return false };
    let side = |is_wanted: bool| Side::of(run.iter().filter(|segment| is_left(segment, gutter.x) == is_wanted));
    are_columns(&side(true), &side(false), em)
}

fn median_size(segments: &[Segment]) -> f32 {
    let mut sizes: Vec<f32> = segments.iter().filter(|s| s.table.is_none()).map(|s| s.size).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(10.0).max(1.0)
}

fn extent(segments: &[Segment]) -> Bounds {
    segments.iter().fold(NOTHING, |all, segment| all.union(segment.bounds))
}

/// What is known of the segments on one side of a gutter.
struct Side {
    bounds: Bounds,
    rows: Vec<f32>,
    lefts: Vec<f32>,
    /// Of all segments together.
    width: f32,
    has_table: bool,
}

impl Side {
    fn of<'s>(segments: impl Iterator<Item = &'s Segment>) -> Self {
        let mut side = Self { bounds: NOTHING, rows: Vec::new(), lefts: Vec::new(), width: 0.0, has_table: false };
        for segment in segments {
            side.bounds = side.bounds.union(segment.bounds);
            side.rows.push(segment.baseline);
            side.lefts.push(segment.bounds.x0);
            side.width += segment.bounds.x1 - segment.bounds.x0;
            side.has_table |= segment.table.is_some();
        }
        side
    }
}

fn are_columns(left: &Side, right: &Side, em: f32) -> bool {
    let height = |side: &Side| side.bounds.y1 - side.bounds.y0;
    let shared = left.bounds.y1.min(right.bounds.y1) - left.bounds.y0.max(right.bounds.y0);
    is_column(left, em)
        && is_column(right, em)
        && shared > SHARED_HEIGHT * height(left).min(height(right))
        && !are_cells(left, right, em)
        && (left.has_table || right.has_table || is_aligned(left, em) && is_aligned(right, em))
}

/// Whether the segments begin at one left edge, so that the white space is no accident of word spaces.
fn is_aligned(side: &Side, em: f32) -> bool {
    let at_edge = side.lefts.iter().filter(|left| **left - side.bounds.x0 < 0.3 * em).count();
    let hang =
        side.lefts.iter().copied().filter(|left| left - side.bounds.x0 >= 0.3 * em).fold(f32::INFINITY, f32::min);
    let at_hang = side.lefts.iter().filter(|left| (*left - hang).abs() < 0.3 * em).count();
    let lines = rows(side, em);
    let is_hanging = at_edge >= 2 && hang - side.bounds.x0 < MAX_HANG_EM * em && at_edge + at_hang == side.rows.len();
    lines >= MANY_LINES || (2 * at_edge >= side.rows.len() || is_hanging) && 4 * side.rows.len() <= 5 * lines
}

fn is_column(side: &Side, em: f32) -> bool {
    let (width, height) = (side.bounds.x1 - side.bounds.x0, side.bounds.y1 - side.bounds.y0);
    let is_note = || width > MIN_NOTE_EM * em && height < side.rows.iter().map(|_| NOTE_LEADING_EM * em).sum();
    side.has_table || side.rows.len() >= MIN_LINES && (width > MIN_WIDTH_EM * em || is_note())
}

/// Whether the sides are read across: their lines share baselines, and their widths are not filled.
fn are_cells(left: &Side, right: &Side, em: f32) -> bool {
    let is_paired = |y: &&f32| right.rows.iter().take(500).any(|other| (*y - other).abs() < 0.1 * em);
    let paired = left.rows.iter().take(500).filter(is_paired).count();
    let fewer = left.rows.len().min(right.rows.len()).min(500);
    10 * paired > 7 * fewer && (fill(left, em) < PROSE_FILL || fill(right, em) < PROSE_FILL)
}

/// The share of its width that its lines fill.
fn fill(side: &Side, em: f32) -> f32 {
    let width = (side.bounds.x1 - side.bounds.x0).max(1.0);
    side.width / (0..rows(side, em)).map(|_| width).sum::<f32>().max(1.0)
}

/// The number of different baselines.
fn rows(side: &Side, em: f32) -> usize {
    let mut rows = side.rows.clone();
    rows.sort_by(f32::total_cmp);
    rows.dedup_by(|a, b| (*a - *b).abs() < 0.3 * em);
    rows.len()
}

/// Moves the last lines of a large heading, which do not reach over the gutter, to the lines above.
fn move_heading_lines(above: &mut Vec<Segment>, band: &mut Vec<Segment>, em: f32) {
    for _ in 0..MAX_TAIL {
        let (Some(last), Some(first)) = (above.last(), band.first()) else { return };
        let is_large = first.table.is_none() && first.size > 1.1 * em && (first.size - last.size).abs() < 0.1 * em;
        if !is_large || first.baseline - last.baseline > 1.6 * first.size {
            return;
        }
        above.push(band.remove(0));
    }
}

/// Splits off what stands below the other column and is far from its own: it belongs to the text below the band.
fn without_tail(mut band: Vec<Segment>, x: f32, em: f32) -> (Vec<Segment>, Vec<Segment>) {
    let bottom = |side: bool| band.iter().filter(|s| is_left(s, x) == side).map(|s| s.bounds.y1).fold(0.0, f32::max);
    let shallow = bottom(true).min(bottom(false));
    let mut body = NOTHING;
    let mut cut = band.len();
    for (index, segment) in band.iter().enumerate() {
        if segment.bounds.y0 > shallow && segment.bounds.y0 > body.y1 + 1.5 * em {
            cut = index;
            break;
        }
        body = body.union(segment.bounds);
    }
    let tail = band.split_off(cut);
    if tail.len() > MAX_TAIL || tail.iter().any(|segment| shared_width(segment.bounds, body) <= 0.0) {
        band.extend(tail);
        return (band, Vec::new());
    }
    (band, tail)
}

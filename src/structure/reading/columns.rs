//! Columns: a region is cut at its tallest gutter into what is above, the columns on both sides, and what is below.
//!
//! A gutter is white space that no segment crosses, with lines of text on both sides.

use super::super::bounds::{NOTHING, shared_width};
use super::segments::Segment;
use super::sides::{Side, are_columns};
use pagewise_text::Bounds;

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
/// The lines of a paragraph stand at most so many ems apart, and those below it further by this factor.
const MAX_LEADING_EM: f32 = 1.7;
const SPACE_FACTOR: f32 = 1.2;
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
        move_last_line(&mut above, &mut band, em);
        let (band, tail) = without_tail(band, gutter.x, em);
        let runs_left = 2 * band.iter().filter(|segment| segment.runs_left()).count() > band.len();
        let (left, right) = band.into_iter().partition(|segment| is_left(segment, gutter.x));
        self.cut(above, depth + 1);
        let (first, second) = if runs_left { (right, left) } else { (left, right) };
        self.cut(first, depth + 1);
        self.cut(second, depth + 1);
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

/// Moves the short last line of a paragraph, which does not reach over the gutter, to the lines above.
fn move_last_line(above: &mut Vec<Segment>, band: &mut Vec<Segment>, em: f32) {
    let [first, next, ..] = band.as_slice() else { return };
    let Some(last) = above.last() else { return };
    let is_text = [last, first, next].iter().all(|segment| segment.table.is_none());
    let is_below = (first.bounds.x0 - last.bounds.x0).abs() < 0.3 * em && (first.size - last.size).abs() < 0.1 * em;
    let (step, space) = (first.baseline - last.baseline, next.baseline - first.baseline);
    if is_text
        && is_below
        && last.bounds.x1 > first.bounds.x1
        && step < MAX_LEADING_EM * em
        && space > SPACE_FACTOR * step
    {
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

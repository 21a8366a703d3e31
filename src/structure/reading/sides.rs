//! The two sides of a gutter: are they columns, or cells and words with white space between them.

use super::super::bounds::NOTHING;
use super::segments::Segment;
use pagewise_text::Bounds;

/// A column has at least so many lines and ems of width.
const MIN_LINES: usize = 3;
const MIN_WIDTH_EM: f32 = 5.0;
/// A note in the margin is narrower. Its lines follow each other closely, unlike the labels of a form.
const MIN_NOTE_EM: f32 = 3.5;
const NOTE_LEADING_EM: f32 = 1.6;
/// Columns with lines on the same baselines are prose if so much of their width is filled.
const PROSE_FILL: f32 = 0.6;
/// Justified lines may have wide gaps, but not as wide, and they fill so much of their width.
const WIDE_GUTTER_EM: f32 = 2.0;
const FULL_LINES: f32 = 0.7;
/// Columns share at least this part of the height of the lower one.
const SHARED_HEIGHT: f32 = 0.4;
/// Columns of fewer lines begin at one left edge, most of their lines.
const MANY_LINES: usize = 10;
/// The lines of hanging paragraphs begin at two edges, no further apart than this.
const MAX_HANG_EM: f32 = 3.5;

/// What is known of the segments on one side of a gutter.
pub(super) struct Side {
    bounds: Bounds,
    rows: Vec<f32>,
    lefts: Vec<f32>,
    /// The number of segments that are but the mark of a list item.
    marks: usize,
    /// The number of segments that begin with such a mark.
    items: usize,
    /// Of all segments together.
    width: f32,
    has_table: bool,
}

impl Side {
    pub(super) fn of<'s>(segments: impl Iterator<Item = &'s Segment>) -> Self {
        let mut side = Self {
            bounds: NOTHING,
            rows: Vec::new(),
            lefts: Vec::new(),
            marks: 0,
            items: 0,
            width: 0.0,
            has_table: false,
        };
        for segment in segments {
            side.bounds = side.bounds.union(segment.bounds);
            side.rows.push(segment.baseline);
            side.lefts.push(segment.bounds.x0);
            side.marks += usize::from(segment.is_mark());
            side.items += usize::from(segment.is_item());
            side.width += segment.bounds.x1 - segment.bounds.x0;
            side.has_table |= segment.table.is_some();
        }
        side
    }

    /// Whether most segments begin with the mark of an item.
    fn is_list(&self) -> bool {
        2 * self.items > self.rows.len()
    }
}

/// Whether the text on both sides of a gutter stands in columns of its own.
pub(super) fn are_columns(left: &Side, right: &Side, em: f32) -> bool {
    let height = |side: &Side| side.bounds.y1 - side.bounds.y0;
    let shared = left.bounds.y1.min(right.bounds.y1) - left.bounds.y0.max(right.bounds.y0);
    let is_wide = right.bounds.x0 - left.bounds.x1 > WIDE_GUTTER_EM * em;
    is_column(left, em)
        && is_column(right, em)
        && shared > SHARED_HEIGHT * height(left).min(height(right))
        && !are_cells(left, right, em)
        && (left.has_table || right.has_table || is_aligned(left, em, is_wide) && is_aligned(right, em, is_wide))
}

/// Whether the segments begin at one left edge, so that the white space is no accident of word spaces. Beside a wide
/// gutter the lines of prose do, whatever the gaps in them.
fn is_aligned(side: &Side, em: f32, is_wide: bool) -> bool {
    let lines = line_lefts(side, em);
    let is_prose = is_wide && lines.len() > MIN_LINES && fill(side, em) > FULL_LINES;
    let lefts = if is_prose { &lines } else { &side.lefts };
    let is_near = |left: f32, edge: f32| (left - edge).abs() < 0.3 * em;
    let at_edge = lefts.iter().filter(|left| is_near(**left, side.bounds.x0)).count();
    let inner = lefts.iter().copied().filter(|left| !is_near(*left, side.bounds.x0));
    let hang = inner.fold(f32::INFINITY, f32::min);
    let at_hang = lefts.iter().filter(|left| is_near(**left, hang)).count();
    let is_hanging = at_edge >= 2 && hang - side.bounds.x0 < MAX_HANG_EM * em && at_edge + at_hang == lefts.len();
    let is_undivided = 4 * (lefts.len() - side.marks.min(lefts.len())) <= 5 * lines.len();
    lines.len() >= MANY_LINES || side.is_list() || (2 * at_edge >= lefts.len() || is_hanging) && is_undivided
}

/// The left edge of each line.
fn line_lefts(side: &Side, em: f32) -> Vec<f32> {
    let mut segments: Vec<(f32, f32)> = side.rows.iter().copied().zip(side.lefts.iter().copied()).collect();
    segments.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut lines: Vec<(f32, f32)> = Vec::new();
    for (baseline, left) in segments {
        match lines.last_mut() {
            Some(line) if baseline - line.0 < 0.3 * em => line.1 = line.1.min(left),
            _ => lines.push((baseline, left)),
        }
    }
    lines.into_iter().map(|(_, left)| left).collect()
}

fn is_column(side: &Side, em: f32) -> bool {
    let (width, height) = (side.bounds.x1 - side.bounds.x0, side.bounds.y1 - side.bounds.y0);
    let is_note = || width > MIN_NOTE_EM * em && height < side.rows.iter().map(|_| NOTE_LEADING_EM * em).sum();
    let is_wide = width > MIN_WIDTH_EM * em || side.is_list();
    side.has_table || side.rows.len() >= MIN_LINES && (is_wide || is_note())
}

/// Whether the sides are read across: their lines share baselines, and their widths are not filled.
fn are_cells(left: &Side, right: &Side, em: f32) -> bool {
    let is_paired = |y: &&f32| right.rows.iter().take(500).any(|other| (*y - other).abs() < 0.1 * em);
    let paired = left.rows.iter().take(500).filter(is_paired).count();
    let fewer = left.rows.len().min(right.rows.len()).min(500);
    10 * paired > 7 * fewer
        && !(left.is_list() && right.is_list())
        && (fill(left, em) < PROSE_FILL || fill(right, em) < PROSE_FILL)
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

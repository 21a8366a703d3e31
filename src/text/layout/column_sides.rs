//! The two sides of a gutter: are they columns, or cells and words with white space between them.

use super::columns::{ColumnPart, PlacedPart};
use super::rows::{HasPlace, WordPlace, rows_of};
use crate::page_layout::Bounds;

/// A column has at least so many lines and ems of width.
const MIN_LINES: usize = 3;
const MIN_WIDTH_EM: f32 = 5.0;
/// A title beside the text is larger than the text by this factor, and may have fewer lines.
const HEAD_SIZE: f32 = 1.4;
/// A note in the margin is narrower, and its lines are close: from one to the next is less than this, in ems.
const MIN_NOTE_EM: f32 = 3.5;
const CLOSE_EM: f32 = 1.6;
/// Columns with lines on the same baselines are prose if so much of their width is filled: by all lines of a side, or by
/// those next to the gutter if they are so wide, in ems. Beyond them the side may have columns of its own.
const PROSE_FILL: f32 = 0.6;
const MIN_PROSE_EM: f32 = 12.0;
/// A narrower side is so many times narrower than the other one, if its lines are places or names beside entries. Addresses
/// stand beside addresses.
const NARROW_FACTOR: f32 = 2.0;
/// Rows run on from one to the next if more than one in so many begins within a sentence.
const RUNNING_SHARE: usize = 4;
/// If the tables of a page are not known, a column of prose is at least so wide, in ems, and its lines fill at least this
/// share of its width. The share is low, since lists and contents have short lines.
const WIDE_PROSE_EM: f32 = 18.0;
const WIDE_PROSE_FILL: f32 = 0.44;
/// Justified lines may have wide gaps, but not as wide, and they fill so much of their width.
const WIDE_GUTTER_EM: f32 = 2.0;
const FULL_LINES: f32 = 0.7;
/// In a side of prose, at least one of this many lines fills this share of its width without a gap. Rows of cells do not.
const FULL_SHARE: usize = 3;
const FULL_WIDTH: f32 = 0.9;
/// Columns share at least this part of the height of the lower one.
const SHARED_HEIGHT: f32 = 0.4;
/// Columns of fewer lines begin at one left edge, most of their lines.
const MANY_LINES: usize = 10;
/// The baselines of lines side by side differ by less than this many ems, and those of a label and its value by a little more.
const PAIRED_EM: f32 = 0.1;
const LEVEL_EM: f32 = 0.25;
/// Maximum number of segments of a side whose baselines are compared.
const MAX_SPANS: usize = 500;
/// The lines of hanging paragraphs begin at two edges, no further apart than this.
const MAX_HANG_EM: f32 = 3.5;

/// Where a segment stands.
#[derive(Debug, Clone, Copy)]
struct Span {
    baseline: f32,
    size: f32,
    left: f32,
    right: f32,
    is_value: bool,
    is_label: bool,
    begins_within: bool,
}

impl Span {
    fn top(&self) -> f32 {
        self.baseline - self.size
    }
}

impl HasPlace for Span {
    fn place(&self) -> WordPlace {
        let Self { baseline, size, left, right, .. } = *self;
        let bounds = Bounds { x0: left, y0: self.top(), x1: right, y1: baseline };
        WordPlace { bounds, baseline, size, order: 0, is_spaced: true }
    }
}

/// What is known of the segments on one side of a gutter.
pub(super) struct Side {
    bounds: Bounds,
    /// Where it ends without what belongs to the text below both sides.
    bottom: f32,
    spans: Vec<Span>,
    /// The number of segments that are but the mark of a list item.
    marks: usize,
    /// The number of segments that begin with such a mark.
    items: usize,
    /// The number of segments that end in the number of a page.
    entries: usize,
    has_block: bool,
}

impl Side {
    /// Of these segments. What begins below `end` belongs to the text below both sides.
    pub(super) fn of<'s, S: ColumnPart + 's>(segments: impl Iterator<Item = &'s PlacedPart<S>>, end: f32) -> Self {
        let (bounds, bottom, spans) = (Bounds::NOTHING, 0.0, Vec::new());
        let mut side = Self { bounds, bottom, spans, marks: 0, items: 0, entries: 0, has_block: false };
        for segment in segments {
            side.bounds = side.bounds.union(segment.bounds);
            side.bottom = if segment.bounds.y0 < end { side.bounds.y1 } else { side.bottom };
            let Bounds { x0: left, x1: right, .. } = segment.bounds;
            let (baseline, size, part) = (segment.baseline, segment.size, &segment.part);
            let (is_value, is_label, begins_within) = (part.is_value(), part.is_label(), part.begins_within());
            side.spans.push(Span { baseline, size, left, right, is_value, is_label, begins_within });
            side.marks += usize::from(segment.part.is_mark());
            side.items += usize::from(segment.part.is_item());
            side.entries += usize::from(segment.part.is_entry());
            side.has_block |= segment.part.is_block();
        }
        side
    }

    /// Whether it is a wide column of prose. Cells, labels and notes are narrower, or several of them stand on a line.
    pub(super) fn is_wide_prose(&self, em: f32) -> bool {
        let are_lines = 5 * self.spans.len() <= 7 * rows_of(self.spans.clone()).len();
        are_lines && width(&self.spans) > WIDE_PROSE_EM * em && fill(&self.spans) >= WIDE_PROSE_FILL
    }

    /// Whether most segments are entries of an index. Some entries have no number, and some go on in the next line.
    fn is_index(&self) -> bool {
        self.spans.len() >= MANY_LINES && 2 * self.entries > self.spans.len()
    }

    /// Whether most segments begin with the mark of an item.
    fn is_list(&self) -> bool {
        2 * self.items > self.spans.len()
    }
}

/// Whether the text on both sides of a gutter stands in columns of its own.
pub(super) fn are_columns(left: &Side, right: &Side, em: f32) -> bool {
    let height = |side: &Side| side.bottom - side.bounds.y0;
    let shared = left.bottom.min(right.bottom) - left.bounds.y0.max(right.bounds.y0);
    let is_wide = right.bounds.x0 - left.bounds.x1 > WIDE_GUTTER_EM * em;
    is_column(left, right, em)
        && is_column(right, left, em)
        && shared > SHARED_HEIGHT * height(left).min(height(right))
        && !are_cells(left, right, em)
        && (left.has_block || right.has_block || is_aligned(left, em, is_wide) && is_aligned(right, em, is_wide))
}

/// Whether the segments have the same left edge, the same right edge or the same middle. If not, the white space beside them may
/// be word spaces that meet by chance. Lines of prose count as aligned, whatever the gaps in them, beside a wide gutter, or if
/// many of them have none.
fn is_aligned(side: &Side, em: f32, is_wide: bool) -> bool {
    let lines = line_lefts(side);
    let is_full = |span: &&Span| span.right - span.left > FULL_WIDTH * side.bounds.width();
    let full = side.spans.iter().filter(is_full).count();
    let are_lines = is_wide || FULL_SHARE * full >= lines.len();
    let is_prose = are_lines && lines.len() > MIN_LINES && fill(&side.spans) > FULL_LINES;
    let lefts = if is_prose { lines.clone() } else { side.spans.iter().map(|span| span.left).collect() };
    let is_near = |left: f32, edge: f32| (left - edge).abs() < 0.3 * em;
    let count_at = |edge: f32| lefts.iter().filter(|left| is_near(**left, edge)).count();
    let at_edge = count_at(side.bounds.x0);
    // A running line or a mark may hang out of a column that begins further right.
    let most = lefts.iter().take(MANY_LINES).map(|left| count_at(*left)).max().unwrap_or(0);
    let is_edge = 2 * at_edge >= lefts.len() || 2 * lines.len() > MANY_LINES && most + 1 >= lefts.len();
    let inner = lefts.iter().copied().filter(|left| !is_near(*left, side.bounds.x0));
    let hang = inner.fold(f32::INFINITY, f32::min);
    let (at_hang, is_near_edge) = (count_at(hang), hang - side.bounds.x0 < MAX_HANG_EM * em);
    // A single item hangs less than its other lines.
    let is_hanging = is_near_edge
        && (at_edge >= 2 && at_edge + at_hang == lefts.len()
            || at_hang >= MIN_LINES && at_edge + at_hang + 1 >= lefts.len());
    let is_right = is_close(side, em) && side.spans.iter().all(|span| is_near(span.right, side.bounds.x1));
    let middle = (side.bounds.x0 + side.bounds.x1) / 2.0;
    let is_at_middle = |span: &Span| is_near((span.left + span.right) / 2.0, middle);
    let is_centred = lines.len() > MIN_LINES && is_close(side, em) && side.spans.iter().all(is_at_middle);
    let is_undivided = 4 * (lefts.len() - side.marks.min(lefts.len())) <= 5 * lines.len();
    lines.len() >= MANY_LINES || side.is_list() || (is_edge || is_hanging || is_right || is_centred) && is_undivided
}

/// Whether its lines follow each other closely, unlike the labels of a form.
fn is_close(side: &Side, em: f32) -> bool {
    side.bounds.height() < side.spans.iter().map(|_| CLOSE_EM * em).sum()
}

/// The left edge of each line.
fn line_lefts(side: &Side) -> Vec<f32> {
    let lines = rows_of(side.spans.clone()).into_iter();
    lines.filter_map(|line| line.first().map(|span| span.left)).collect()
}

fn is_column(side: &Side, beside: &Side, em: f32) -> bool {
    let width = side.bounds.width();
    let is_note = || width > MIN_NOTE_EM * em && is_close(side, em);
    let is_wide = width > MIN_WIDTH_EM * em || side.is_list();
    side.has_block || (side.spans.len() >= MIN_LINES || is_side_head(side, beside, em)) && (is_wide || is_note())
}

/// Whether all of it is in much larger type than the text beside it, as a title is.
fn is_side_head(side: &Side, text: &Side, em: f32) -> bool {
    let is_large = |span: &Span| span.size > HEAD_SIZE * em;
    let others = || text.spans.iter().take(MAX_SPANS);
    let is_beside = |span: &Span| others().any(|own| own.top() < span.baseline && span.top() < own.baseline);
    !side.spans.is_empty() && side.spans.iter().all(|span| is_large(span) && is_beside(span)) && !others().all(is_large)
}

/// Whether the sides are read across: their lines share baselines, and are those of a table or a form, not of prose.
fn are_cells(left: &Side, right: &Side, em: f32) -> bool {
    if left.is_list() && right.is_list() || left.is_index() && right.is_index() {
        return false;
    }
    let others = || right.spans.iter().take(MAX_SPANS);
    let is_paired = |own: &&Span| others().any(|other| (own.baseline - other.baseline).abs() < PAIRED_EM * em);
    let paired = left.spans.iter().take(MAX_SPANS).filter(is_paired).count();
    let fewer = left.spans.len().min(right.spans.len()).min(MAX_SPANS);
    let (lefts, rights) = (rows_of_side(left), rows_of_side(right));
    let are_prose = || is_prose(&left.spans, |span| -span.right, em) && is_prose(&right.spans, |span| span.left, em);
    // Most rows of both sides have a partner, unlike those beside a side bar.
    let are_places = || {
        let both = partners(lefts.iter(), &rights, em).count();
        2 * both > lefts.len().max(rights.len())
            && is_narrow_beside(left, right, em)
            && !run_on(lefts.iter())
            && !run_on(rights.iter())
    };
    let are_entries = || are_labels(&lefts, &rights, em) || are_labels(&rights, &lefts, em);
    are_fields(&lefts, &rights, em)
        || are_fields(&rights, &lefts, em)
        || 10 * paired > 7 * fewer && (are_entries() || are_places() || !are_prose())
}

fn are_level(one: f32, other: f32, em: f32) -> bool {
    (one - other).abs() < LEVEL_EM * em
}

/// What stands on one baseline of a side.
struct SideRow {
    baseline: f32,
    /// Whether all of it is values.
    is_value: bool,
    /// Whether all of it is labels.
    is_label: bool,
    begins_within: bool,
}

/// The first rows of a side.
fn rows_of_side(side: &Side) -> Vec<SideRow> {
    let row = |spans: Vec<Span>| {
        let first = spans.first()?;
        let (baseline, begins_within) = (first.baseline, first.begins_within);
        let (is_value, is_label) = (spans.iter().all(|span| span.is_value), spans.iter().all(|span| span.is_label));
        Some(SideRow { baseline, is_value, is_label, begins_within })
    };
    rows_of(side.spans.clone()).into_iter().take(MAX_SPANS).filter_map(row).collect()
}

/// For each row that on the other side with the same baseline.
fn partners<'r>(
    rows: impl Iterator<Item = &'r SideRow>,
    others: &'r [SideRow],
    em: f32,
) -> impl Iterator<Item = &'r SideRow> {
    rows.filter_map(move |row| others.iter().find(|other| are_level(row.baseline, other.baseline, em)))
}

/// Whether most rows are the values of rows beside them, or labels of them. Values beside values may be those of two charts.
fn are_fields(rows: &[SideRow], others: &[SideRow], em: f32) -> bool {
    let are_beside = |is_own: fn(&SideRow) -> bool| {
        let own = || rows.iter().filter(move |row| is_own(row));
        let beside = || partners(own(), others, em);
        10 * beside().count() > 7 * own().count() && !run_on(beside())
    };
    let values = |rows: &[SideRow]| 2 * rows.iter().filter(|row| row.is_value).count() >= rows.len();
    let labels = |rows: &[SideRow]| 3 * rows.iter().filter(|row| row.is_label).count() > 2 * rows.len();
    values(rows) && !values(others) && are_beside(|row| row.is_value)
        || labels(rows) && !labels(others) && are_beside(|row| row.is_label)
}

/// Whether rows stand beside the beginnings of entries of several lines, as dates do.
fn are_labels(rows: &[SideRow], others: &[SideRow], em: f32) -> bool {
    let is_within = |from: f32, to: f32| others.iter().any(|row| from < row.baseline && row.baseline < to);
    let is_apart =
        |pair: &&[SideRow]| matches!(pair, [a, b] if is_within(a.baseline + 0.5 * em, b.baseline - 0.5 * em));
    let apart = rows.windows(2).filter(is_apart).count();
    2 * apart > rows.len().saturating_sub(1) && !run_on(partners(rows.iter(), others, em))
}

/// Whether the text of rows goes on from one to the next, as prose does.
fn run_on<'r>(rows: impl Iterator<Item = &'r SideRow>) -> bool {
    let (within, all) = rows.fold((0, 0), |(within, all), row| (within + usize::from(row.begins_within), all + 1));
    RUNNING_SHARE * within > all
}

/// Whether a side is narrow, and the other one is much wider.
fn is_narrow_beside(left: &Side, right: &Side, em: f32) -> bool {
    let (left, right) = (width(&left.spans), width(&right.spans));
    left.min(right) < MIN_PROSE_EM * em && NARROW_FACTOR * left.min(right) < left.max(right)
}

/// Whether the lines of a side fill its width, or those next to the gutter fill theirs.
fn is_prose(spans: &[Span], distance: impl Fn(&Span) -> f32, em: f32) -> bool {
    let next = next_to_gutter(spans, distance, em);
    fill(spans) >= PROSE_FILL || width(&next) > MIN_PROSE_EM * em && fill(&next) >= PROSE_FILL
}

/// The spans of a side that no white space from its top to its bottom divides from the gutter.
fn next_to_gutter(spans: &[Span], distance: impl Fn(&Span) -> f32, em: f32) -> Vec<Span> {
    let mut next: Vec<Span> = Vec::new();
    let mut end = f32::INFINITY;
    for span in by(spans, &distance) {
        let start = distance(&span);
        if start > end + em {
            break;
        }
        end = if next.is_empty() { start } else { end }.max(start + span.right - span.left);
        next.push(span);
    }
    next
}

fn by(spans: &[Span], key: impl Fn(&Span) -> f32) -> Vec<Span> {
    let mut sorted = spans.to_vec();
    sorted.sort_by(|a, b| key(a).total_cmp(&key(b)));
    sorted
}

fn width(spans: &[Span]) -> f32 {
    let left = spans.iter().map(|span| span.left).fold(f32::INFINITY, f32::min);
    spans.iter().map(|span| span.right - left).fold(0.0, f32::max)
}

/// The share of their width that lines fill.
fn fill(spans: &[Span]) -> f32 {
    let filled: f32 = spans.iter().map(|span| span.right - span.left).sum();
    let width = width(spans).max(1.0);
    filled / rows_of(spans.to_vec()).iter().map(|_| width).sum::<f32>().max(1.0)
}

//! Columns: a region is cut at its tallest gutter into what is above, the columns on both sides, and what is below.
//!
//! A gutter is white space that no segment crosses, with lines of text on both sides.

use super::column_sides::{Side, are_columns};
use super::rows::{HasPlace, WordPlace};
use crate::page_layout::Bounds;
use std::cmp::Reverse;

/// The most cuts within each other.
const MAX_DEPTH: usize = 24;
/// The most parts to look at on one page. A part counts once for each region that it lies in. After that, no region is cut.
const MAX_SCANNED: usize = 1_000_000;
/// The number of places across a region where gutters are looked for.
const STRIPS: u16 = 200;
/// A rule divides columns if it is longer than this share of their width. Drawings in a column have shorter ones.
const RULE_SHARE: f32 = 0.6;
/// The most rules that are looked at.
const MAX_RULES: usize = 2_000;
/// The most gutters of a region that are tried.
const MAX_TRIES: usize = 12;
/// The least width of a gutter, in ems.
const GUTTER_EM: f32 = 0.75;
/// The width that a line which was too long leaves of it, and one of how many lines may be so.
const OVERFULL_EM: f32 = 0.25;
const OVERFULL: usize = 10;
/// The largest distance of the lines of a paragraph, in ems, and how many times larger that to the text below it is.
const MAX_LEADING_EM: f32 = 1.7;
const SPACE_FACTOR: f32 = 1.2;
/// The type of side bars, notes and labels is smaller than that of the text by this factor.
pub const SMALLER: f32 = 0.93;
/// A side bar is narrower than the text beside it by this factor, and begins so many ems further down.
const BAR_WIDTHS: f32 = 2.0;
const BAR_DROP_EM: f32 = 3.0;
/// The two columns of a caption end less than so many lines apart.
const MAX_UNEVEN: f32 = 2.0;
/// The most lines of what stands below all other columns and is taken for the beginning of the text below.
const MAX_TAIL: usize = 3;

/// What columns consist of: lines or parts of lines, tables and figures.
pub trait ColumnPart: HasPlace {
    /// Whether it is but the mark of an item, whose text stands apart from it.
    fn is_mark(&self) -> bool {
        false
    }

    /// Whether it begins with the mark of an item.
    fn is_item(&self) -> bool {
        false
    }

    /// Whether it is text that ends in the number of a page, as the entries of an index do.
    fn is_entry(&self) -> bool {
        false
    }

    /// Whether it is the value of a row: mostly digits.
    fn is_value(&self) -> bool {
        false
    }

    /// Whether it is the label of what stands beside it: it ends in a colon.
    fn is_label(&self) -> bool {
        false
    }

    /// Whether it may begin within a sentence: not in a capital letter, a digit or a sign.
    fn begins_within(&self) -> bool {
        true
    }

    /// Whether it is no line of text, but a table or the labels of a figure.
    fn is_block(&self) -> bool {
        false
    }

    /// Whether most of its letters run to the left.
    fn runs_left(&self) -> bool;
}

/// The parts of each column, in reading order. No gutter runs through a long one of the `rules`.
pub fn columns_of<S: ColumnPart>(parts: Vec<S>, rules: &[Bounds]) -> Vec<Vec<S>> {
    cut(parts, rules, |_, _, _| true)
}

/// The parts of each wide column of prose, in reading order. For pages whose tables are not known: narrow columns may be theirs.
pub(crate) fn prose_columns_of<S: ColumnPart>(parts: Vec<S>) -> Vec<Vec<S>> {
    cut(parts, &[], |left, right, em| left.is_wide_prose(em) && right.is_wide_prose(em))
}

/// Cuts at gutters between columns, if `is_wanted` accepts the two sides. It gets the median em too.
fn cut<S: ColumnPart>(parts: Vec<S>, rules: &[Bounds], is_wanted: fn(&Side, &Side, f32) -> bool) -> Vec<Vec<S>> {
    let mut rules: Vec<Bounds> = rules.iter().take(MAX_RULES).copied().collect();
    rules.sort_by(|a, b| a.y0.total_cmp(&b.y0));
    let mut segments: Vec<PlacedPart<S>> = parts.into_iter().map(PlacedPart::of).collect();
    segments.sort_by(|a, b| a.bounds.y0.total_cmp(&b.bounds.y0));
    let mut cutter = Cutter { is_wanted, rules, columns: Vec::new(), scanned: 0 };
    cutter.cut(segments, 0);
    cutter.columns.into_iter().map(|column| column.into_iter().map(|segment| segment.part).collect()).collect()
}

/// A part with its place.
#[derive(Debug)]
pub(super) struct PlacedPart<S> {
    pub(super) part: S,
    pub(super) bounds: Bounds,
    pub(super) baseline: f32,
    pub(super) size: f32,
}

impl<S: ColumnPart> PlacedPart<S> {
    fn of(part: S) -> Self {
        let WordPlace { bounds, baseline, size, .. } = part.place();
        Self { part, bounds, baseline, size }
    }
}

struct Cutter<S> {
    is_wanted: fn(&Side, &Side, f32) -> bool,
    /// From top to bottom.
    rules: Vec<Bounds>,
    columns: Vec<Vec<PlacedPart<S>>>,
    scanned: usize,
}

impl<S: ColumnPart> Cutter<S> {
    /// Appends the columns of a region whose segments are sorted by their tops.
    fn cut(&mut self, segments: Vec<PlacedPart<S>>, depth: usize) {
        if segments.is_empty() {
            return;
        }
        let em = median_size(&segments);
        self.scanned += segments.len();
        let may_cut = depth < MAX_DEPTH && self.scanned < MAX_SCANNED;
        let Some(gutter) = may_cut.then(|| self.best_gutter(&segments, em)).flatten() else {
            self.columns.push(segments);
            return;
        };
        let mut above = segments;
        let mut band = above.split_off(gutter.first);
        let below = band.split_off(gutter.count);
        move_heading_lines(&mut above, &mut band, em);
        move_last_line(&mut above, &mut band, em);
        let tail = band.split_off(tail_start(&band, gutter.x, em));
        let runs_left = 2 * band.iter().filter(|segment| segment.part.runs_left()).count() > band.len();
        self.cut(above, depth + 1);
        for part in at_change_of_size(band, gutter.x, em) {
            let (left, right): (Vec<_>, Vec<_>) = part.into_iter().partition(|segment| is_left(segment, gutter.x));
            let (first, second) = if runs_left { (right, left) } else { (left, right) };
            let (head, rest) = head_above_bar(&first, second);
            self.cut(head, depth + 1);
            self.cut(first, depth + 1);
            self.cut(rest, depth + 1);
        }
        self.cut(tail.into_iter().chain(below).collect(), depth + 1);
    }

    /// The gutter with most segments on both sides that divides columns.
    fn best_gutter(&self, segments: &[PlacedPart<S>], em: f32) -> Option<Gutter> {
        let mut gutters = strips(segments, &self.rules);
        gutters.sort_by(|a, b| b.fewer.cmp(&a.fewer).then(b.count.cmp(&a.count)));
        gutters.dedup_by_key(|gutter| (gutter.first, gutter.count, gutter.fewer));
        // The one along the whole region may have few segments on one side, such as a title.
        let whole = gutters.iter().skip(MAX_TRIES).find(|gutter| gutter.count == segments.len()).copied();
        let mut tried = gutters.into_iter().take(MAX_TRIES).chain(whole);
        let found = tried.find_map(|gutter| {
            let (gutter, is_wide) = centered(gutter, segments, em)?;
            let (left, right) = sides(&gutter, segments, em)?;
            let are_wide = is_wide || left.is_wide_prose(em) && right.is_wide_prose(em);
            (are_wide && are_columns(&left, &right, em)).then_some((gutter, left, right))
        });
        found.filter(|(_, left, right)| (self.is_wanted)(left, right, em)).map(|(gutter, ..)| gutter)
    }
}

/// Splits off what stands above a side bar in the text beside it, such as a title: it is read before the bar. A side bar is a
/// narrow column of smaller type.
fn head_above_bar<S: ColumnPart>(
    bar: &[PlacedPart<S>],
    mut text: Vec<PlacedPart<S>>,
) -> (Vec<PlacedPart<S>>, Vec<PlacedPart<S>>) {
    let (own, beside, size) = (extent(bar), extent(&text), median_size(&text));
    let is_bar = own.width() * BAR_WIDTHS < beside.width()
        && median_size(bar) < SMALLER * size
        && own.y0 > beside.y0 + BAR_DROP_EM * size;
    // A heading stays with its text.
    let ends = |pair: &[PlacedPart<S>]| match pair {
        [last, next] => {
            let is_apart = next.baseline - last.baseline > MAX_LEADING_EM * next.size;
            next.bounds.y0 <= own.y0 + size && next.size >= last.size && is_apart
        }
        _ => false,
    };
    match text.windows(2).rposition(ends).filter(|_| is_bar) {
        Some(at) => {
            let rest = text.split_off(at + 1);
            (text, rest)
        }
        None => (Vec::new(), text),
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

/// For each strip of the region the runs of segments that leave it white.
fn strips<S: ColumnPart>(segments: &[PlacedPart<S>], rules: &[Bounds]) -> Vec<Gutter> {
    let all = extent(segments);
    let step = all.width() / f32::from(STRIPS);
    let from = rules.partition_point(|rule| rule.y0 < all.y0);
    let own = rules.get(from..rules.partition_point(|rule| rule.y0 < all.y1)).unwrap_or_default();
    let long: Vec<Bounds> = own.iter().filter(|rule| rule.width() > RULE_SHARE * all.width()).copied().collect();
    (1..STRIPS).flat_map(|strip| runs_beside(segments, &long, all.x0 + step * f32::from(strip))).collect()
}

/// The largest runs of segments that do not touch `x`, with segments on both sides of it and no rule through it.
fn runs_beside<S: ColumnPart>(segments: &[PlacedPart<S>], rules: &[Bounds], x: f32) -> Vec<Gutter> {
    let mut runs: Vec<Gutter> = Vec::new();
    let (mut first, mut left, mut right) = (0, 0_usize, 0_usize);
    let mut crossing = rules.iter().filter(|rule| rule.x0 < x && x < rule.x1).peekable();
    for (index, segment) in segments.iter().enumerate() {
        while crossing.next_if(|rule| rule.y0 < (segment.bounds.y0 + segment.bounds.y1) / 2.0).is_some() {
            (first, left, right) = (index, 0, 0);
        }
        if segment.bounds.x1 < x {
            left += 1;
        } else if segment.bounds.x0 > x {
            right += 1;
        } else {
            (first, left, right) = (index + 1, 0, 0);
        }
        let run = Gutter { x, first, count: index + 1 - first, fewer: left.min(right) };
        match runs.last_mut().filter(|last| last.first == first) {
            Some(last) => *last = run,
            None if run.fewer > 0 => runs.push(run),
            None => {}
        }
    }
    runs.sort_by_key(|run| Reverse(run.fewer));
    runs.truncate(MAX_TRIES);
    runs
}

/// The gutter with `x` in its middle, and whether all lines leave it wide enough. Between columns of prose a few that were too
/// long may reach into it.
fn centered<S: ColumnPart>(gutter: Gutter, segments: &[PlacedPart<S>], em: f32) -> Option<(Gutter, bool)> {
    let run = segments.get(gutter.first..gutter.first + gutter.count)?;
    let left = run.iter().filter(|s| is_left(s, gutter.x)).map(|s| s.bounds.x1).fold(f32::NEG_INFINITY, f32::max);
    let right = run.iter().filter(|s| !is_left(s, gutter.x)).map(|s| s.bounds.x0).fold(f32::INFINITY, f32::min);
    let is_overfull = |s: &&PlacedPart<S>| is_left(s, gutter.x) && right - s.bounds.x1 < GUTTER_EM * em;
    let overfull = run.iter().filter(is_overfull).count();
    let is_gutter = overfull == 0 || right - left >= OVERFULL_EM * em && OVERFULL * overfull < gutter.fewer;
    is_gutter.then_some((Gutter { x: (left + right) / 2.0, ..gutter }, overfull == 0))
}

fn is_left<S: ColumnPart>(segment: &PlacedPart<S>, x: f32) -> bool {
    segment.bounds.x0 + segment.bounds.x1 < 2.0 * x
}

/// What stands on both sides of a gutter.
fn sides<S: ColumnPart>(gutter: &Gutter, segments: &[PlacedPart<S>], em: f32) -> Option<(Side, Side)> {
    let run = segments.get(gutter.first..gutter.first + gutter.count)?;
    let body = extent(run.get(..tail_start(run, gutter.x, em))?);
    let side =
        |is_wanted: bool| Side::of(run.iter().filter(|segment| is_left(segment, gutter.x) == is_wanted), body.y1);
    Some((side(true), side(false)))
}

fn median_size<S: ColumnPart>(segments: &[PlacedPart<S>]) -> f32 {
    let mut sizes: Vec<f32> = segments.iter().filter(|s| !s.part.is_block()).map(|s| s.size).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(10.0).max(1.0)
}

fn extent<S: ColumnPart>(segments: &[PlacedPart<S>]) -> Bounds {
    Bounds::around(segments.iter().map(|segment| segment.bounds))
}

/// The last lines of a large heading may be too short to cross the gutter. Moves them from the columns to the lines above.
fn move_heading_lines<S: ColumnPart>(above: &mut Vec<PlacedPart<S>>, band: &mut Vec<PlacedPart<S>>, em: f32) {
    for _ in 0..MAX_TAIL {
        let (Some(last), Some(first)) = (above.last(), band.first()) else { return };
        let is_large = !first.part.is_block() && first.size > 1.1 * em && (first.size - last.size).abs() < 0.1 * em;
        if !is_large || first.baseline - last.baseline > 1.6 * first.size {
            return;
        }
        above.push(band.remove(0));
    }
}

/// The last line of a paragraph may be too short to cross the gutter. Moves it from the columns to the lines above.
fn move_last_line<S: ColumnPart>(above: &mut Vec<PlacedPart<S>>, band: &mut Vec<PlacedPart<S>>, em: f32) {
    let [first, next, ..] = band.as_slice() else { return };
    let Some(last) = above.last() else { return };
    let is_text = [last, first, next].iter().all(|segment| !segment.part.is_block());
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

/// Cuts two columns at the height where small type ends and the type of the text begins in both: a caption in two columns is
/// read before the text below it.
fn at_change_of_size<S: ColumnPart>(mut band: Vec<PlacedPart<S>>, x: f32, em: f32) -> Vec<Vec<PlacedPart<S>>> {
    let is_small = |own: &PlacedPart<S>| !own.part.is_block() && own.size < SMALLER * em;
    let is_text = |own: &PlacedPart<S>| !own.part.is_block() && own.size > SMALLER * em;
    let side = |side: bool| band.iter().filter(|own| is_left(own, x) == side).collect::<Vec<_>>();
    let (left, right) = (side(true), side(false));
    // The last small part and the first of the text.
    let change = |side: &[&PlacedPart<S>], at: usize| match side.get(at.checked_sub(2)?..=at)? {
        [before, last, next] if is_small(before) && is_small(last) && is_text(next) => Some((last.bounds, next.bounds)),
        _ => None,
    };
    let top = (2..left.len()).find_map(|at| {
        let (last, next) = change(&left, at)?;
        let other = right.partition_point(|own| own.bounds.y0 <= next.y0 - em);
        let (beside, below) = change(&right, other)?;
        let is_even = (last.y1 - beside.y1).abs() < MAX_UNEVEN * MAX_LEADING_EM * em;
        (is_even && (next.y0 - below.y0).abs() < em).then_some(next.y0.min(below.y0))
    });
    let at = top.map(|top| (top, band.partition_point(|own| own.bounds.y0 < top)));
    match at.filter(|(top, at)| band.iter().take(*at).all(|own| own.bounds.y1 <= *top)) {
        Some((_, at)) => {
            let below = band.split_off(at);
            vec![band, below]
        }
        None => vec![band],
    }
}

/// Where what stands below the other column and is far from its own begins: it belongs to the text below the band.
fn tail_start<S: ColumnPart>(band: &[PlacedPart<S>], x: f32, em: f32) -> usize {
    let bottom = |side: bool| band.iter().filter(|s| is_left(s, x) == side).map(|s| s.bounds.y1).fold(0.0, f32::max);
    let shallow = bottom(true).min(bottom(false));
    let mut body = Bounds::NOTHING;
    let is_apart = |segment: &PlacedPart<S>| {
        let above = body;
        body = body.union(segment.bounds);
        segment.bounds.y0 > shallow && segment.bounds.y0 > above.y1 + 1.5 * em
    };
    let start = band.iter().position(is_apart).unwrap_or(band.len());
    let (above, tail) = band.split_at(start);
    let body = extent(above);
    let is_tail = tail.len() <= MAX_TAIL && tail.iter().all(|segment| segment.bounds.shared_width(body) > 0.0);
    if is_tail { start } else { band.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy)]
    struct Line {
        name: char,
        bounds: [f32; 4],
    }

    impl HasPlace for Line {
        fn place(&self) -> WordPlace {
            let bounds = Bounds::from(self.bounds);
            WordPlace { bounds, baseline: bounds.y1 - 2.0, size: bounds.height(), order: 0, is_spaced: true }
        }
    }

    impl ColumnPart for Line {
        fn runs_left(&self) -> bool {
            false
        }
    }

    /// Lines of a column from `x0` to `x1`, with wider spaces after each fourth one.
    fn column(name: char, x0: f32, x1: f32) -> Vec<Line> {
        let top = |at: u8| 100.0 + 12.0 * f32::from(at) + 8.0 * f32::from(at / 4);
        (0..16).map(|at| Line { name, bounds: [x0, top(at), x1, top(at) + 10.0] }).collect()
    }

    /// The names of the lines of each column, without repetitions.
    fn names(columns: Vec<Vec<Line>>) -> Vec<String> {
        let names = |column: Vec<Line>| {
            let mut names: Vec<char> = column.into_iter().map(|line| line.name).collect();
            names.dedup();
            names.into_iter().collect()
        };
        columns.into_iter().map(names).collect()
    }

    #[test]
    fn columns_of_prose_are_read_one_by_one_although_their_paragraphs_end_at_the_same_heights() {
        let mut page = vec![Line { name: 'h', bounds: [100.0, 60.0, 500.0, 70.0] }];
        page.extend(column('l', 72.0, 292.0));
        page.extend(column('r', 304.0, 524.0));
        page.push(Line { name: 'f', bounds: [290.0, 340.0, 306.0, 350.0] });
        assert_eq!(names(prose_columns_of(page)), ["h", "l", "r", "f"]);
    }

    #[test]
    fn a_line_that_reaches_into_the_gutter_is_part_of_its_column() {
        let mut page = [column('l', 72.0, 292.0), column('r', 304.0, 524.0)].concat();
        let widen =
            |page: &mut Vec<Line>, at: usize| page.iter_mut().skip(at).take(1).for_each(|own| own.bounds[2] = 300.0);
        widen(&mut page, 5);
        assert_eq!(names(columns_of(page.clone(), &[])), ["l", "r"]);
        widen(&mut page, 6);
        assert_ne!(names(columns_of(page, &[])), ["l", "r"]);
    }

    #[test]
    fn short_columns_are_found_below_rows_with_more_parts_at_their_gutter() {
        let row = |at: u8| {
            let top = 60.0 + 12.0 * f32::from(at);
            let end = if at.is_multiple_of(3) { 290.0 } else { 100.0 };
            [(72.0, end), (304.0, end + 232.0)].map(|(x0, x1)| Line { name: 'r', bounds: [x0, top, x1, top + 10.0] })
        };
        let mut page: Vec<Line> = (0..12).flat_map(row).collect();
        page.push(Line { name: 'h', bounds: [72.0, 220.0, 524.0, 230.0] });
        let below = |own: Line| Line { bounds: Bounds::from(own.bounds).moved([0.0, 150.0]).edges(), ..own };
        let columns = [column('a', 72.0, 292.0), column('b', 304.0, 524.0)];
        page.extend(columns.into_iter().flat_map(|lines| lines.into_iter().take(5)).map(below));
        assert_eq!(names(columns_of(page, &[])), ["rh", "a", "b"]);
    }

    #[test]
    fn a_side_bar_that_begins_below_a_title_is_read_after_it_and_before_the_text_beside_it() {
        let line = |name: char, bounds: [f32; 4]| Line { name, bounds };
        let at = |at: u8| 12.0 * f32::from(at);
        let page = || {
            let bar = (0..12).map(|row| line('b', [72.0, 150.0 + at(row), 150.0, 157.0 + at(row)]));
            let title = (0..2).map(|row| line('t', [170.0, 100.0 + at(row), 500.0, 110.0 + at(row)]));
            let text = (0..20).map(|row| line('x', [170.0, 145.0 + at(row), 520.0, 155.0 + at(row)]));
            bar.chain(title).chain(text)
        };
        assert_eq!(names(columns_of(page().collect(), &[])), ["t", "b", "x"]);
        // From the top of the page on, it is read first.
        let is_bar = |own: &Line| own.name == 'b';
        let raised = |own: Line| Line { bounds: Bounds::from(own.bounds).moved([0.0, -50.0]).edges(), ..own };
        let higher = page().map(|own| if is_bar(&own) { raised(own) } else { own });
        assert_eq!(names(columns_of(higher.collect(), &[])), ["b", "tx"]);
    }

    #[test]
    fn columns_end_at_a_rule_through_their_gutter() {
        let page: Vec<Line> = [column('l', 72.0, 292.0), column('r', 304.0, 524.0)].concat();
        let rule = |x1: f32| Bounds { x0: 72.0, y0: 207.0, x1, y1: 207.0 };
        assert_eq!(names(columns_of(page.clone(), &[rule(524.0)])), ["l", "r", "l", "r"]);
        assert_eq!(names(columns_of(page, &[rule(292.0)])), ["l", "r"]);
    }

    #[test]
    fn narrow_columns_may_be_those_of_a_table_and_are_divided_only_where_tables_are_known() {
        let page: Vec<Line> = [column('l', 72.0, 192.0), column('r', 304.0, 524.0)].concat();
        assert_eq!(names(columns_of(page.clone(), &[])), ["l", "r"]);
        assert_eq!(prose_columns_of(page).len(), 1);
    }

    #[test]
    fn lines_that_stand_at_one_middle_are_a_column() {
        let menu = |shift: f32| {
            let line = |at: u8| {
                let (top, half) = (104.0 + 12.0 * f32::from(at), 30.0 + 7.0 * f32::from(at % 4));
                let middle = 400.0 + if at == 3 { shift } else { 0.0 };
                Line { name: 'r', bounds: [middle - half, top, middle + half, top + 10.0] }
            };
            names(columns_of(column('l', 72.0, 292.0).into_iter().chain((0..8).map(line)).collect(), &[]))
        };
        assert_eq!(menu(0.0), ["l", "r"]);
        assert_ne!(menu(12.0), ["l", "r"]);
    }
}

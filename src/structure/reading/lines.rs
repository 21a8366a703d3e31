//! The segments of a column become lines and regions.

use super::super::page_structure::{
    Column, Line, LineWord, Region, begin_small, ends_label, is_cell_value, page_number,
};
use super::PlacedBlock;
use super::segments::{Segment, in_reading_order, is_dots, is_printed_over, line_size};
use crate::measures::{NEXT_LINE_EM, SAME_SIZE};
use pagewise_text::{Bounds, COLUMN_GAP_EM, ColumnPart, HYPHENS, SCRIPT_GAP_EM, are_apart, are_level};

/// The boxes that are drawn round text, in the frame of its column.
#[derive(Debug, Default)]
pub(super) struct DrawnBoxes {
    /// With a filled ground, the smallest first.
    pub(super) grounds: Vec<Bounds>,
    /// Vertical rules, from left to right.
    pub(super) sides: Vec<Bounds>,
    /// Horizontal rules near the head and the foot of the page.
    pub(super) margin_rules: Vec<Bounds>,
}

impl DrawnBoxes {
    /// Whether the side of a box stands on a line between two places. `em` is the size of the line.
    pub(super) fn divide(&self, from: f32, to: f32, baseline: f32, em: f32) -> bool {
        let first = self.sides.partition_point(|side| side.center().0 < from);
        let mut between = self.sides.iter().skip(first).take_while(|side| side.center().0 <= to);
        between.any(|side| side.height() > SIDE_EM * em && side.y0 < baseline && baseline < side.y1)
    }
}

/// A segment with more words takes none of another one.
const MAX_AROUND: usize = 1_000;

/// The least height of a box whose side divides a line, in ems. Check boxes of forms are smaller.
const SIDE_EM: f32 = 1.6;
/// So wide a gap, in ems, divides a line.
const WIDE_GAP_EM: f32 = 6.0;

/// The lines of a block follow each other by less than this many ems.
const BLOCK_LEADING_EM: f32 = 2.0;

/// The next line of a sentence begins where one of the first words of the line above does, give or take so many ems. The words
/// before may be a mark.
const EDGE_EM: f32 = 0.3;
const MAX_STARTS: usize = 3;
/// A line of prose has so many words.
const MIN_PROSE_WORDS: usize = 3;
/// At most so many texts beside a column stand between two of its lines.
const MAX_BESIDE: usize = 4;

/// So many dots that follow each other are a leader.
const MIN_LEADER: usize = 5;
const TIE: &str = ".....";
/// What is written for a leader.
const LEADER: &str = "...";

/// Appends the regions of a column: its lines, and between them the tables and figures that stand there.
pub(super) fn push_regions(
    mut segments: Vec<Segment>,
    turn: u16,
    boxes: &DrawnBoxes,
    blocks: &mut [PlacedBlock],
    regions: &mut Vec<Region>,
) {
    segments.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let mut open: Vec<Segment> = Vec::new();
    for segment in segments {
        match segment.block {
            None => open.push(segment),
            Some(index) => {
                push_column(std::mem::take(&mut open), turn, boxes, regions);
                blocks.iter_mut().skip(index).take(1).for_each(|block| regions.append(&mut block.regions));
            }
        }
    }
    push_column(open, turn, boxes, regions);
}

/// The height at which a segment is put in order: the baseline of text, the middle of a table or a figure.
fn middle(segment: &Segment) -> f32 {
    if segment.block.is_some() { segment.bounds.center().1 } else { segment.baseline }
}

fn push_column(segments: Vec<Segment>, turn: u16, boxes: &DrawnBoxes, regions: &mut Vec<Region>) {
    if !segments.is_empty() {
        regions.push(Region::Column(Column { turn, lines: lines_of(segments, boxes), ..Column::default() }));
    }
}

/// The lines of segments that stand below each other.
pub(super) fn of_column(mut segments: Vec<Segment>, boxes: &DrawnBoxes) -> Vec<Line> {
    segments.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    lines_of(segments, boxes)
}

fn lines_of(segments: Vec<Segment>, boxes: &DrawnBoxes) -> Vec<Line> {
    let mut lines = merged(segments, boxes);
    lines.iter_mut().for_each(|line| line.ground = ground_of(line, &boxes.grounds));
    lines
}

/// Segments on one baseline become one line, or several where something divides it.
fn merged(segments: Vec<Segment>, boxes: &DrawnBoxes) -> Vec<Line> {
    let mut rows: Vec<Vec<Segment>> = Vec::new();
    for segment in segments {
        match rows.last_mut() {
            Some(row) if is_beside(row, &segment) => row.push(segment),
            _ => rows.push(vec![segment]),
        }
    }
    let rows: Vec<Vec<Part>> = rows.into_iter().map(|row| divided(row, boxes)).collect();
    let mut parts = block_by_block(rows);
    put_texts_beside_after(&mut parts);
    parts.into_iter().filter_map(line_of).collect()
}

/// Moves texts that stand beside a sentence, such as the labels of a chart, from between its lines to its end. A gap as wide as
/// between columns divides them from its lines.
fn put_texts_beside_after(parts: &mut [Part]) {
    for at in 1..parts.len() {
        let Some((above, near)) = parts.get(at - 1..).and_then(<[Part]>::split_first) else { return };
        let mut near = near.iter().take(MAX_BESIDE + 1);
        let Some(count) = near.clone().position(|part| is_next_of_sentence(above, part)) else { continue };
        let lines = near.clone().nth(count).map_or(extent(above), |next| extent(above).union(extent(next)));
        let gap = COLUMN_GAP_EM * above.first().map_or(0.0, |text| text.size);
        let is_beside = |own: Bounds| own.x0 > lines.x1 + gap || own.x1 < lines.x0 - gap;
        let are_beside = near.by_ref().take(count).all(|part| is_beside(extent(part)));
        if let Some(moved) = parts.get_mut(at..=at + count).filter(|_| are_beside) {
            moved.rotate_right(1);
        }
    }
}

/// Whether a sentence goes on from one line to another below it.
fn is_next_of_sentence(above: &Part, below: &Part) -> bool {
    let (Some(first), Some(last), Some(next)) = (above.first(), above.last(), below.first()) else { return false };
    let em = first.size;
    let words = || above.iter().flat_map(|segment| &segment.words);
    let is_below = words().take(MAX_STARTS).any(|word| (word.bounds.x0 - next.bounds.x0).abs() < EDGE_EM * em);
    let ends = |signs: &[char]| last.words.last().is_some_and(|word| word.text.ends_with(signs));
    let is_word = |word: &&LineWord| word.text.chars().filter(|sign| sign.is_alphabetic()).count() > 1;
    is_below
        && NEXT_LINE_EM.contains(&((next.baseline - first.baseline) / em))
        && (em - next.size).abs() < SAME_SIZE * em
        && (ends(&HYPHENS) || !ends(&['.']) && begin_small(&next.words) && !next.is_label())
        && words().filter(is_word).count() >= MIN_PROSE_WORDS
        && !first.runs_left()
}

/// The segments of a line.
type Part = Vec<Segment>;

/// The parts of rows in reading order. What stands on one side of white space that divides several rows is a block, such as an
/// address, and is read before what stands on the other side of it.
fn block_by_block(rows: Vec<Vec<Part>>) -> Vec<Part> {
    let mut read = Vec::new();
    let mut rows = rows.into_iter();
    while !rows.as_slice().is_empty() {
        let (count, gap) = divided_rows(rows.as_slice());
        let parts: Vec<Part> = rows.by_ref().take(count).flatten().collect();
        let begins_left = parts.first().is_some_and(|part| extent(part).x1 <= gap);
        let (first, second): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(|part| (extent(part).x1 <= gap) == begins_left);
        read.extend(first.into_iter().chain(second));
    }
    read
}

/// How many of the first rows are divided at one white space, and where that begins. One where these are not several.
fn divided_rows(rows: &[Vec<Part>]) -> (usize, f32) {
    let (mut from, mut to, mut count, mut divided) = (f32::NEG_INFINITY, f32::INFINITY, 0, 0);
    let mut last: Option<&Segment> = None;
    for row in rows {
        let is_next =
            |own: &Segment| last.is_none_or(|last| own.baseline - last.baseline < BLOCK_LEADING_EM * own.size);
        let (left, right): (Vec<Bounds>, Vec<Bounds>) = match row.as_slice() {
            [one, other] => match [extent(one), extent(other)] {
                [one, other] if one.x0 < other.x0 => (vec![one], vec![other]),
                [one, other] => (vec![other], vec![one]),
            },
            [only] => std::iter::once(extent(only)).partition(|own| own.x1 < to),
            _ => break,
        };
        let own_from = left.iter().map(|own| own.x1).fold(from, f32::max);
        let own_to = right.iter().map(|own| own.x0).fold(to, f32::min);
        let Some(first) = row.first().and_then(|part| part.first()) else { break };
        if own_to - own_from < first.size || !is_next(first) || divided == 0 && row.len() < 2 {
            break;
        }
        (from, to, last) = (own_from, own_to, Some(first));
        count += 1;
        divided += usize::from(row.len() > 1);
    }
    if divided > 1 { (count, from) } else { (1, f32::INFINITY) }
}

fn extent(part: &Part) -> Bounds {
    Bounds::around(part.iter().map(|segment| segment.bounds))
}

/// The parts of a row in reading order. A row of more than two parts is one of an array.
fn divided(mut row: Vec<Segment>, boxes: &DrawnBoxes) -> Vec<Part> {
    row.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    match row.as_slice() {
        [left, right] if is_divided(left, right, boxes) => {
            in_reading_order(row).into_iter().map(|part| vec![part]).collect()
        }
        _ => vec![row],
    }
}

/// Whether two texts on one baseline are read apart: a side of a box is between them, or much space, and they are no label
/// and its value, or an item.
fn is_divided(left: &Segment, right: &Segment, boxes: &DrawnBoxes) -> bool {
    let (from, to, em) = (left.bounds.x1, right.bounds.x0, left.size.max(right.size));
    let is_label = ends_label(&left.words) || is_cell_value(&right.words);
    let is_row = (left.size - right.size).abs() < SAME_SIZE * em && is_label;
    let is_one = is_row || left.is_item() && !right.is_item();
    boxes.divide(from, to, left.baseline, em)
        || to - from > WIDE_GAP_EM * em && !is_one && is_text(left) && is_text(right)
}

/// Whether a segment has a word that is neither code nor a leader.
fn is_text(segment: &Segment) -> bool {
    let letters = |word: &LineWord| word.text.chars().filter(|sign| sign.is_alphabetic()).count();
    let is_word = |word: &LineWord| !word.style.is_monospace && letters(word) > 1;
    segment.words.iter().any(is_word) && !segment.words.iter().any(|word| is_dots(&word.text))
}

/// Whether a segment continues a row: the baselines agree, and nothing is printed over another.
fn is_beside(row: &[Segment], next: &Segment) -> bool {
    let Some(first) = row.first() else { return false };
    let Some(last) = row.last() else { return false };
    let size = first.size.min(next.size);
    let overlap = last.bounds.x1.min(next.bounds.x1) - last.bounds.x0.max(next.bounds.x0);
    are_level(first, next) && overlap < size
}

fn line_of(mut row: Part) -> Option<Line> {
    row.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    let baseline = row.first()?.baseline;
    let mut words: Vec<LineWord> = Vec::new();
    let mut before: Option<Bounds> = None;
    let mut outer = without_inner(row);
    if outer.iter().any(ColumnPart::runs_left) {
        outer.sort_by_key(|segment| segment.first);
    }
    for segment in outer {
        let from = words.len();
        words.extend(segment.words);
        if let Some(word) = words.get_mut(from) {
            // A lowered word fills the gap between the segments on both sides of it.
            let is_wide = |last: Bounds| segment.bounds.x0 - last.x1 > SCRIPT_GAP_EM * segment.size;
            word.is_spaced |= before.is_some_and(|last| is_wide(last) || are_apart(last, segment.bounds, segment.size));
        }
        before = Some(segment.bounds);
    }
    Some(line(words, baseline))
}

/// Segments from left to right. The words of one within another, such as a lowered letter, take their places in it.
fn without_inner(row: Vec<Segment>) -> Vec<Segment> {
    let mut outer: Vec<Segment> = Vec::new();
    for segment in row {
        match outer.last_mut() {
            Some(last)
                if segment.bounds.x1 < last.bounds.x1
                    && last.words.len() < MAX_AROUND
                    && !is_printed_over(last, &segment) =>
            {
                segment.words.into_iter().for_each(|word| last.attach(word))
            }
            _ => outer.push(segment),
        }
    }
    outer
}

fn line(words: Vec<LineWord>, baseline: f32) -> Line {
    let words = with_short_leaders(words);
    let bounds = Bounds::around(words.iter().map(|word| word.bounds));
    let size = line_size(words.iter());
    Line { words, bounds, baseline, size, ground: None, is_run_in: false, tag: None }
}

/// Shortens leaders: dots that follow each other, also within a word, become three.
fn with_short_leaders(words: Vec<LineWord>) -> Vec<LineWord> {
    let words: Vec<LineWord> = words.into_iter().flat_map(around_leader).collect();
    let mut kept: Vec<LineWord> = Vec::with_capacity(words.len());
    let mut end = 0;
    for run in words.chunk_by(|a, b| is_dots(&a.text) && is_dots(&b.text)) {
        end += run.len();
        // In a fixed pitch, dots that lead to no page are values.
        let leads = |first: &LineWord| {
            !first.style.is_monospace || matches!(words.get(end..), Some([last]) if page_number(&last.text).is_some())
        };
        let count: usize = run.iter().map(|word| word.text.chars().count()).sum();
        match run {
            [first, ..] if is_dots(&first.text) && count >= MIN_LEADER && leads(first) => {
                let bounds = Bounds::around(run.iter().map(|word| word.bounds));
                kept.push(LineWord { text: LEADER.to_owned(), bounds, ..first.clone() });
            }
            _ => kept.extend_from_slice(run),
        }
    }
    kept
}

/// Divides a word such as `Overview......2` into a title, a leader and the number of a page. Dots in code are no leader.
fn around_leader(word: LineWord) -> Vec<LineWord> {
    let tied = word.text.find(TIE).filter(|_| !word.style.is_monospace).map(|at| word.text.split_at(at));
    let Some((stem, rest)) = tied else { return vec![word] };
    let tail = rest.trim_start_matches('.');
    let is_leader = if tail.is_empty() { !stem.is_empty() } else { page_number(tail).is_some() };
    if !is_leader {
        return vec![word];
    }
    let length = |text: &str| f32::from(u16::try_from(text.len()).unwrap_or(u16::MAX));
    let pitch = word.bounds.width() / length(&word.text).max(1.0);
    let mut x1 = word.bounds.x0;
    let parts = [stem, rest.strip_suffix(tail).unwrap_or(rest), tail].into_iter().filter(|part| !part.is_empty());
    let part = |text: &str| {
        let x0 = x1;
        x1 += pitch * length(text);
        let is_spaced = word.is_spaced || x0 > word.bounds.x0;
        LineWord { text: text.to_owned(), bounds: Bounds { x0, x1, ..word.bounds }, is_spaced, ..word.clone() }
    };
    parts.map(part).collect()
}

/// A line of words in the given order.
pub(super) fn of_words(words: Vec<(LineWord, f32)>) -> Option<Line> {
    let baseline = words.first()?.1;
    Some(line(words.into_iter().map(|(word, _)| word).collect(), baseline))
}

fn ground_of(line: &Line, grounds: &[Bounds]) -> Option<u32> {
    let middle = line.bounds.center();
    let edges = [(line.bounds.x0 + 0.5, middle.1), (line.bounds.x1 - 0.5, middle.1)];
    let around = |ground: &&(u32, &Bounds)| edges.iter().all(|edge| ground.1.holds(*edge));
    (0..).zip(grounds).find(|pair| around(&pair)).map(|(index, _)| index)
}

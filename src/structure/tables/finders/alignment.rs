//! Tables that nothing draws: chunks of text aligned in columns.

use super::listings::with_listings;
use super::prose::prose_of;
use crate::measures::LARGER;
use crate::reading::is_near_edge;
use crate::tables::layout::edges::Edges;
use crate::tables::layout::figures::is_figure;
use crate::tables::layout::lines::{Chunk, PageWords, PlacedWord, TextLine, text_lines, union};
use crate::tables::reading::area::{Area, Proof};
use crate::tables::reading::columns::columns_of;
use crate::tables::reading::likeness::{MIN_HEADED, is_below, is_parted};
use crate::tables::{Cell, Table};
use pagewise_text::{Bounds, PageLayout};

/// Lines further apart than this many ems are not of one table.
pub(super) const MAX_PITCH: f32 = 3.6;
/// The largest gap, in ems, between cells that stand beside each other and share no baseline.
const MAX_BESIDE: f32 = 4.0;
/// Each of two tables beside each other has at least so many lines.
const MIN_LINES: usize = 3;
/// A column of prose has at least so many lines.
const MIN_PROSE: usize = 6;
/// Words that begin at most so many points from an edge begin at it, and at least so many of them show an edge.
const FLUSH_PT: f32 = 2.0;
const MIN_FLUSH: usize = 3;
/// A heading between two tables is larger than the line below it, or further from the line above than from that below by this
/// factor.
const LARGER_GAP: f32 = 1.5;
/// A rule below a running head or above a running foot is longer than this share of the width of the page.
const HEAD_RULE: f32 = 0.6;
/// Lines are gathered into at most this many groups at a time.
const MAX_OPEN_GROUPS: usize = 200;

/// The tables of aligned text, each with its area.
pub(crate) fn find(page: &PageLayout, words: &PageWords, edges: &Edges) -> Vec<(Bounds, Table)> {
    let lines = text_lines(words.all());
    let prose = prose_of(&lines);
    let gutters = gutters(&lines, &prose);
    let heads = head_rules(page, edges);
    let mut found = Vec::new();
    for group in groups(&lines, &with_listings(&lines, &prose), &heads) {
        let own: Vec<PlacedWord> = group.iter().flat_map(|c| c.words.iter().copied()).collect();
        for part in side_by_side(own, &gutters) {
            match table_of(&part, page, edges) {
                None => {
                    let parts = headed_parts(&part);
                    let tables = parts.iter().filter_map(|own| table_of(own, page, edges));
                    found.extend(tables.filter(|(_, table)| is_full(table)));
                }
                table => found.extend(table),
            }
        }
    }
    found
}

/// The table of these words, with its area.
fn table_of(words: &[PlacedWord], page: &PageLayout, edges: &Edges) -> Option<(Bounds, Table)> {
    let text = union(words.iter().map(|w| w.word.bounds))?;
    let area = Bounds { x0: text.x0 - 1.0, x1: text.x1 + 1.0, ..text };
    if is_figure(&area, page, Proof::Aligned) {
        return None;
    }
    Some((area, Area::new(&area, words, edges, Proof::Aligned).table()?))
}

/// The words between headings, where there are any: several tables may stand close below each other.
pub(crate) fn headed_parts<'p>(words: &[PlacedWord<'p>]) -> Vec<Vec<PlacedWord<'p>>> {
    let lines = text_lines(words);
    let left = lines.iter().flat_map(|line| &line.chunks).map(|chunk| chunk.bounds.x0).fold(f32::INFINITY, f32::min);
    let is_heading = |at: usize| {
        let (Some(line), Some(next)) = (lines.get(at), lines.get(at + 1)) else { return false };
        let above = at
            .checked_sub(1)
            .and_then(|before| lines.get(before))
            .map_or(f32::MAX, |last| line.baseline - last.baseline);
        let is_title = line.size > LARGER * next.size || above > LARGER_GAP * (next.baseline - line.baseline);
        is_title && matches!(line.chunks.as_slice(), [only] if only.bounds.x0 - left < FLUSH_PT)
    };
    let starts: Vec<f32> = (1..lines.len())
        .filter(|at| is_heading(*at))
        .filter_map(|at| lines.get(at))
        .map(|line| line.baseline - 0.5 * line.size)
        .collect();
    if starts.is_empty() {
        return Vec::new();
    }
    let mut parts = vec![Vec::new(); starts.len() + 1];
    for word in words {
        if let Some(part) = parts.get_mut(starts.partition_point(|start| *start <= word.baseline)) {
            part.push(*word);
        }
    }
    parts
}

/// Whether each cell is filled and stands below the head of its column, with its left, its right or its middle.
fn is_full(table: &Table) -> bool {
    let heads: Vec<Bounds> = table.cells.iter().filter(|cell| cell.row == 0).map(|cell| cell.bounds).collect();
    let is_own = |cell: &Cell| {
        let is_single = cell.column_span == 1 && cell.row_span == 1 && !cell.text.is_empty();
        is_single && heads.get(cell.column).is_some_and(|head| is_below(*head, cell.bounds))
    };
    table.columns >= MIN_HEADED && table.cells.iter().all(is_own)
}

/// A white space between two columns of prose.
struct Gutter {
    end: f32,
    start: f32,
}

/// The white spaces between the columns of prose of a page.
fn gutters(lines: &[TextLine], prose: &[Vec<bool>]) -> Vec<Gutter> {
    let chunks = lines.iter().zip(prose).flat_map(|(line, marks)| line.chunks.iter().zip(marks));
    let mut bounds: Vec<Bounds> = chunks.filter(|(_, is_prose)| **is_prose).map(|(chunk, _)| chunk.bounds).collect();
    bounds.sort_by(|a, b| a.x0.total_cmp(&b.x0));
    let flush = bounds.chunk_by(|a, b| b.x0 - a.x0 < FLUSH_PT).filter(|own| own.len() >= MIN_PROSE);
    let columns: Vec<Bounds> = flush.filter_map(|own| union(own.iter().copied())).collect();
    let pairs = columns.iter().zip(columns.iter().skip(1)).filter(|(left, right)| left.x1 < right.x0);
    pairs.map(|(left, right)| Gutter { end: left.x1, start: right.x0 }).collect()
}

impl Gutter {
    /// Whether it divides words that begin where the prose beside it does.
    fn divides(&self, words: &[PlacedWord]) -> bool {
        let is_apart = |w: &PlacedWord| w.word.bounds.x1 <= self.start || w.word.bounds.x0 >= self.start - FLUSH_PT;
        let flush = words.iter().filter(|w| (w.word.bounds.x0 - self.start).abs() < FLUSH_PT).count();
        words.iter().all(is_apart) && flush >= MIN_FLUSH && words.iter().any(|w| w.word.bounds.x1 <= self.end)
    }

    fn middle(&self) -> f32 {
        (self.end + self.start) / 2.0
    }
}

/// The words of each table where several stand beside each other: in columns of prose, or on lines that seldom share a
/// baseline.
fn side_by_side<'p>(words: Vec<PlacedWord<'p>>, gutters: &[Gutter]) -> Vec<Vec<PlacedWord<'p>>> {
    let lines = text_lines(&words);
    let columns = columns_of(&lines);
    let border = (2..columns.len().saturating_sub(1)).find_map(|at| {
        let (left, right) = (columns.get(at - 1)?, columns.get(at)?);
        let x = (left.hi + right.lo) / 2.0;
        is_parted(&lines, f32::MIN..x, x..f32::MAX, MIN_LINES).then_some(x)
    });
    let gutter = gutters.iter().find(|gutter| gutter.divides(&words)).map(Gutter::middle);
    let Some(x) = gutter.or(border) else { return vec![words] };
    let (left, right) = words.into_iter().partition(|w| w.word.bounds.x1 < x);
    vec![left, right]
}

/// The heights of the rules below the running head and above the running foot, from top to bottom.
fn head_rules(page: &PageLayout, edges: &Edges) -> Vec<f32> {
    let rules = edges.horizontal.iter().filter(|edge| edge.is_rule && edge.len() > HEAD_RULE * page.width);
    rules.map(|edge| edge.at).filter(|at| is_near_edge(*at, page.height)).collect()
}

/// Groups of chunks that can be one table: lines of several chunks, with prose, listings and the rules of running lines as
/// barriers.
fn groups<'a, 'p>(lines: &'a [TextLine<'p>], prose: &[Vec<bool>], rules: &[f32]) -> Vec<Vec<&'a Chunk<'p>>> {
    let mut open: Vec<Group> = Vec::new();
    let mut done: Vec<Group> = Vec::new();
    let mut last = f32::MIN;
    for (line, marks) in lines.iter().zip(prose) {
        let is_ruled_off = rules.get(rules.partition_point(|at| *at <= last)).is_some_and(|at| *at < line.baseline);
        last = line.baseline;
        if is_ruled_off {
            done.append(&mut open);
        }
        for run in free_runs(line, marks) {
            let mut hosts = open.extract_if(.., |g| g.takes(&run, line));
            let host = hosts.next();
            let others: Vec<Group> = hosts.collect();
            let mut group = host.unwrap_or_else(|| Group::empty(line));
            others.into_iter().for_each(|o| group.join(o));
            group.add(run, line);
            open.push(group);
            if open.len() > MAX_OPEN_GROUPS {
                done.push(open.remove(0));
            }
        }
        close(&mut open, &mut done, line, marks);
    }
    done.append(&mut open);
    done.into_iter().filter(|g| g.rows >= 2).map(|g| g.chunks).collect()
}

/// Moves groups that a line ends from `open` to `done`.
fn close<'a, 'p>(open: &mut Vec<Group<'a, 'p>>, done: &mut Vec<Group<'a, 'p>>, line: &TextLine, marks: &[bool]) {
    let mut at = 0;
    while let Some(group) = open.get(at) {
        let is_far = line.baseline - group.baseline > MAX_PITCH * group.size;
        let is_barred =
            line.chunks.iter().zip(marks).any(|(c, prose)| *prose && c.bounds.x0 < group.x1 && group.x0 < c.bounds.x1);
        if is_far || is_barred && line.baseline > group.baseline {
            done.push(open.swap_remove(at));
        } else {
            at += 1;
        }
    }
}

/// Runs of neighbouring chunks of a line that are not prose.
fn free_runs<'a, 'p>(line: &'a TextLine<'p>, marks: &[bool]) -> Vec<Vec<&'a Chunk<'p>>> {
    let marked: Vec<(&Chunk, bool)> = line.chunks.iter().zip(marks.iter().copied()).collect();
    let runs = marked.chunk_by(|a, b| a.1 == b.1);
    runs.filter(|r| r.first().is_some_and(|(_, prose)| !prose)).map(|r| r.iter().map(|(c, _)| *c).collect()).collect()
}

/// A group that grows line by line.
struct Group<'a, 'p> {
    chunks: Vec<&'a Chunk<'p>>,
    x0: f32,
    x1: f32,
    baseline: f32,
    size: f32,
    rows: usize,
}

impl<'a, 'p> Group<'a, 'p> {
    fn empty(line: &TextLine) -> Self {
        Self { chunks: Vec::new(), x0: f32::MAX, x1: f32::MIN, baseline: line.baseline, size: line.size, rows: 0 }
    }

    fn join(&mut self, other: Self) {
        self.chunks.extend(other.chunks);
        self.x0 = self.x0.min(other.x0);
        self.x1 = self.x1.max(other.x1);
        self.rows += other.rows;
    }

    fn takes(&self, run: &[&Chunk], line: &TextLine) -> bool {
        let pitch = (line.baseline - self.baseline) / self.size;
        // A line less than an em below the last one belongs to a cell beside it.
        let reach = if pitch < 1.0 { MAX_BESIDE * self.size } else { 0.0 };
        pitch <= MAX_PITCH && run.iter().any(|c| c.bounds.x0 < self.x1 + reach && self.x0 < c.bounds.x1 + reach)
    }

    fn add(&mut self, run: Vec<&'a Chunk<'p>>, line: &TextLine) {
        self.rows += usize::from(run.len() > 1);
        for chunk in &run {
            self.x0 = self.x0.min(chunk.bounds.x0);
            self.x1 = self.x1.max(chunk.bounds.x1);
        }
        self.chunks.extend(run);
        self.baseline = line.baseline;
        self.size = line.size;
    }
}

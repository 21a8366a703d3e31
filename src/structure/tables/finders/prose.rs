//! Paragraphs, which end tables that nothing draws.

use super::alignment::MAX_PITCH;
use crate::tables::layout::lines::{Chunk, TextLine, is_inside, union};
use pagewise_text::Bounds;

/// A cell beside a label has at most this many lines.
const MAX_CELL_LINES: usize = 8;
/// A chunk is held against at most this many earlier runs.
const MAX_OPEN_RUNS: usize = 200;
/// A line is held against at most this many paragraphs.
const MAX_NEAR: usize = 500;
/// A paragraph reaches down over at most this many lines of the size of a line below its top.
const MAX_HEIGHT: f32 = 200.0;

/// For each chunk of each line whether it is a line of prose.
pub(super) fn prose_of(lines: &[TextLine]) -> Vec<Vec<bool>> {
    let (runs, numbers) = runs_of(lines);
    let is_prose: Vec<bool> = runs.iter().map(Run::is_prose).collect();
    let is_label = |at: usize, index: usize| {
        let number = numbers.get(at).and_then(|line| line.get(index));
        number.is_some_and(|number| is_prose.get(*number) == Some(&false))
    };
    let (columns, hosts) = columns_of(&runs);
    let is_cells: Vec<bool> = columns.iter().map(|column| column.is_cell_text(is_label)).collect();
    let is_cell = |host: &usize| is_cells.get(*host) == Some(&true);
    let paragraphs = runs.iter().zip(&is_prose).zip(&hosts).filter(|((_, prose), host)| **prose && !is_cell(host));
    let mut areas: Vec<Bounds> = paragraphs.map(|((run, _), _)| run.bounds).collect();
    areas.sort_by(|a, b| a.y0.total_cmp(&b.y0));
    marks(lines, &areas)
}

/// For each chunk whether its centre is in one of `areas`, which are in order of their top.
fn marks(lines: &[TextLine], areas: &[Bounds]) -> Vec<Vec<bool>> {
    let mut first = 0;
    let mut marks = Vec::new();
    for line in lines {
        while areas.get(first).is_some_and(|a| a.y1 < line.baseline - MAX_HEIGHT * line.size) {
            first += 1;
        }
        let above = areas.iter().skip(first).take_while(|a| a.y0 <= line.baseline);
        let near: Vec<&Bounds> = above.filter(|a| a.y1 >= line.baseline - 0.5 * line.size).take(MAX_NEAR).collect();
        marks.push(line.chunks.iter().map(|c| near.iter().any(|a| is_inside(&c.bounds, a))).collect());
    }
    marks
}

/// The runs of these lines, and for each chunk the number of its run.
fn runs_of(lines: &[TextLine]) -> (Vec<Run>, Vec<Vec<usize>>) {
    let mut runs: Vec<Run> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut numbers = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let mut own = Vec::new();
        open.retain(|number| runs.get(*number).is_some_and(|run| run.is_near(line)));
        for (index, chunk) in line.chunks.iter().enumerate() {
            let recent = open.iter().rev().take(MAX_OPEN_RUNS);
            let host = recent.copied().find(|number| runs.get(*number).is_some_and(|run| run.takes(chunk, line)));
            let number = host.unwrap_or(runs.len());
            if host.is_none() {
                runs.push(Run::new(chunk));
                open.push(number);
            }
            if let Some(run) = runs.get_mut(number) {
                run.add(at, index, chunk, line);
            }
            own.push(number);
        }
        numbers.push(own);
    }
    (runs, numbers)
}

/// Runs below each other with one left edge, as the cells of a column are, and for each run the number of its column.
fn columns_of(runs: &[Run]) -> (Vec<Run>, Vec<usize>) {
    let mut columns: Vec<Run> = Vec::new();
    let mut hosts = Vec::new();
    for run in runs {
        let recent = columns.iter().enumerate().rev().take(MAX_OPEN_RUNS);
        let host = recent.filter(|(_, column)| column.is_above(run)).map(|(at, _)| at).next();
        hosts.push(host.unwrap_or(columns.len()));
        match host.and_then(|at| columns.get_mut(at)) {
            Some(column) => {
                column.members.extend(&run.members);
                (column.baseline, column.bounds) = (run.baseline, column.bounds.union(run.bounds));
            }
            None => columns.push(run.clone()),
        }
    }
    (columns, hosts)
}

/// A chunk in a run.
#[derive(Debug, Clone, Copy)]
struct Member {
    line: usize,
    index: usize,
    baseline: f32,
    width: f32,
}

/// Chunks below each other with one left edge, close as lines of a paragraph.
#[derive(Debug, Clone)]
struct Run {
    members: Vec<Member>,
    baseline: f32,
    size: f32,
    left: f32,
    characters: usize,
    words: usize,
    bounds: Bounds,
}

impl Run {
    fn new(chunk: &Chunk) -> Self {
        let (size, left) = (chunk.size(), chunk.bounds.x0);
        Self { members: Vec::new(), baseline: f32::MIN, size, left, characters: 0, words: 0, bounds: chunk.bounds }
    }

    /// Whether a line stands close enough to be the next one.
    fn is_near(&self, line: &TextLine) -> bool {
        line.baseline - self.baseline < 1.9 * self.size
    }

    fn takes(&self, chunk: &Chunk, line: &TextLine) -> bool {
        let indent = (self.left - chunk.bounds.x0).abs();
        let limit = if self.members.len() == 1 { 3.0 } else { 0.6 };
        let is_below = line.baseline - self.baseline > 0.5 * self.size && self.is_near(line);
        is_below && indent < limit * self.size && (chunk.size() - self.size).abs() < 0.15 * self.size
    }

    fn add(&mut self, at: usize, index: usize, chunk: &Chunk, line: &TextLine) {
        let width = chunk.bounds.width();
        self.members.push(Member { line: at, index, baseline: line.baseline, width });
        self.baseline = line.baseline;
        self.left = chunk.bounds.x0;
        self.characters += chunk.len();
        self.words += chunk.words.len();
        self.bounds = union([self.bounds, chunk.bounds].into_iter()).unwrap_or(self.bounds);
    }

    /// Whether another run begins below it, no further than the next row of a table.
    fn is_above(&self, other: &Self) -> bool {
        let gap = other.members.first().map_or(f32::MAX, |first| first.baseline - self.baseline);
        (0.0..MAX_PITCH * self.size).contains(&gap) && (self.bounds.x0 - other.bounds.x0).abs() < 0.6 * self.size
    }

    fn widest(&self) -> f32 {
        self.members.iter().map(|m| m.width).fold(0.0, f32::max)
    }

    /// Long lines of many words that fill their width.
    fn is_prose(&self) -> bool {
        let (count, widest) = (self.members.len(), self.widest());
        if count == 1 {
            return self.words >= 9 && widest > 30.0 * self.size;
        }
        let full = self.members.iter().filter(|m| m.width > 0.72 * widest).count();
        let is_full = 3 * full >= 2 * count || full + 1 >= count;
        let is_long = self.characters >= 24 * count && self.words >= 4 * count;
        is_long && is_full && (count > 2 || widest > 24.0 * self.size)
    }

    /// Whether its paragraphs begin beside labels to the left, as the cells of a wide column do.
    fn is_cell_text(&self, is_label: impl Fn(usize, usize) -> bool) -> bool {
        let is_anchored = |m: &Member| m.index.checked_sub(1).is_some_and(|before| is_label(m.line, before));
        let anchors: Vec<usize> =
            (0..self.members.len()).filter(|i| self.members.get(*i).is_some_and(is_anchored)).collect();
        let is_close = anchors.windows(2).all(|pair| matches!(pair, [a, b] if b - a <= MAX_CELL_LINES));
        let is_ended = anchors.last().is_some_and(|last| self.members.len() - last <= MAX_CELL_LINES);
        let (widest, tightest) = (self.widest(), self.tightest());
        let starts = anchors.iter().filter(|at| self.is_start(**at, widest, tightest)).count();
        anchors.len() >= 2 && anchors.first() == Some(&0) && is_close && is_ended && 10 * starts >= 7 * anchors.len()
    }

    /// Whether a paragraph can begin at a line: after a short line or a wider pitch.
    fn is_start(&self, at: usize, widest: f32, tightest: f32) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|i| self.members.get(i)) else { return true };
        let pitch = self.members.get(at).map_or(0.0, |m| m.baseline - before.baseline);
        before.width < 0.8 * widest || pitch > 1.1 * tightest
    }

    fn tightest(&self) -> f32 {
        let pitches =
            self.members.windows(2).map(|pair| matches!(pair, [a, b] if a.baseline < b.baseline).then_some(pair));
        pitches.flatten().map(|pair| pair.iter().map(|m| m.baseline).fold(0.0, |a, b| b - a)).fold(f32::MAX, f32::min)
    }
}

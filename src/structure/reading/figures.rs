//! Charts and diagrams: their labels are kept apart from the text of the page.

use super::super::bounds::Frame;
use super::super::caption_label::is_caption_label;
use super::super::disjoint_sets::DisjointSets;
use super::super::page_structure::{Column, Region};
use super::segments::most_frequent;
use super::{DirectionReader, PlacedBlock, is_slanted, quarter};
use crate::measures::{BACKGROUND, NEXT_LINE_EM};
use crate::tables::{MIN_CURVES, has_bars};
use pagewise_base::script::is_ideograph;
use pagewise_text::{Bounds, PageLayout, Word};
use std::ops::Range;

/// At most so many rules, fills and curves of a page, its marks, are looked at. A page with more words is read without figures.
const MAX_MARKS: usize = 1_500;
const MAX_WORDS: usize = 5_000;
/// Groups of marks are joined where they are near to each other, and the larger groups again, so many times in all.
const MAX_JOINS: usize = 6;
/// Marks of one figure are so near to each other, in points.
const MARK_GAP_PT: f32 = 6.0;
/// The smallest side of a figure, in points.
const MIN_SIDE_PT: f32 = 40.0;
/// The curves of a chart take at least this share of its width and of its height.
const MIN_SPREAD: f32 = 0.2;
/// The height in ems below which a curve round a word is a highlight or an underline, not part of a chart.
const MARK_EM: f32 = 2.0;
/// A figure has at least so many labels, and what stands in it at most so many words on average. Others are boxes of text.
const MIN_LABELS: usize = 4;
const MAX_MEAN_WORDS: f32 = 2.5;
/// The name of a vertical axis is at most so far from the axis, in ems. The numbers of the axis stand between them.
const AXIS_EM: f32 = 5.0;
/// A label beside a figure is so near, in ems, and has at most so many words.
const LABEL_GAP_EM: f32 = 1.0;
const MAX_LABEL_WORDS: f32 = 6.0;
/// So often labels are taken that stand beside the last ones: numbers of an axis, then the lines of its name.
const MAX_ROUNDS: usize = 3;
/// Text is no label if it is larger than most text of the page by this factor.
const LARGE: f32 = 1.2;
/// The lines of a text begin at most so many ems apart, and a caption so many after its label.
const INDENT_EM: f32 = 3.0;

/// The place of a figure and the words that label it.
pub(super) struct FigureText {
    pub(super) bounds: Bounds,
    /// Indices of words of the page.
    pub(super) words: Vec<usize>,
    labels: usize,
}

/// Words of one line without a wide gap.
struct Run {
    /// Their indices.
    words: Range<usize>,
    bounds: Bounds,
    size: f32,
    turn: u16,
    /// How long it is, in words.
    count: f32,
    kind: RunKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RunKind {
    /// A label if it stands within a figure or beside it.
    Short,
    /// Part of a sentence: a label if it stands within a figure.
    Sentence,
    /// A caption, or text in large type: no label.
    Text,
}

/// The figures of a page with labels, outside its tables.
pub(super) fn find(page: &PageLayout, tables: &[Bounds]) -> Vec<FigureText> {
    if page.words.len() > MAX_WORDS {
        return Vec::new();
    }
    let mut rest = runs(page);
    rest.retain(|run| !tables.iter().any(|table| table.holds(run.bounds.center())));
    let mut figures: Vec<FigureText> = areas(page, tables, &rest)
        .into_iter()
        .map(|area| FigureText { bounds: area, words: Vec::new(), labels: 0 })
        .collect();
    take(&mut rest, &mut figures, |run, figure| run.kind != RunKind::Text && figure.holds(run.bounds.center()));
    for _ in 0..MAX_ROUNDS {
        take(&mut rest, &mut figures, Run::is_beside);
    }
    figures.retain(|figure| figure.labels >= MIN_LABELS);
    figures
}

/// Gives each figure the runs that belong to it.
fn take(rest: &mut Vec<Run>, figures: &mut [FigureText], is_label: impl Fn(&Run, Bounds) -> bool) {
    let extents: Vec<Bounds> = figures.iter().map(|figure| figure.bounds).collect();
    rest.retain(|run| {
        let own = extents.iter().position(|extent| is_label(run, *extent)).and_then(|at| figures.get_mut(at));
        let is_rest = own.is_none();
        own.into_iter().for_each(|figure| figure.add(run));
        is_rest
    });
}

/// The areas of charts and diagrams: groups of marks with short texts among them and a sign that they are a chart.
fn areas(page: &PageLayout, tables: &[Bounds], runs: &[Run]) -> Vec<Bounds> {
    let limit = BACKGROUND * page.width * page.height;
    let is_small = |mark: &Bounds| mark.width() * mark.height() < limit;
    let is_own = |mark: &Bounds| is_small(mark) && !tables.iter().any(|table| table.holds(mark.center()));
    let curves: Vec<Bounds> = page.drawings.iter().filter(|mark| is_own(mark)).take(MAX_MARKS).copied().collect();
    let lines = page.rules.iter().map(|rule| rule.bounds).chain(page.fills.iter().map(|fill| fill.bounds));
    let mut areas: Vec<Bounds> = curves.iter().copied().chain(lines.filter(is_own)).take(MAX_MARKS).collect();
    for _ in 0..MAX_JOINS {
        areas = joined(&areas);
        // A frame round the page would join all that is in it.
        areas.retain(is_small);
    }
    areas.retain(|area| {
        area.width().min(area.height()) > MIN_SIDE_PT && !tables.iter().any(|table| table.overlaps(*area))
    });
    areas.retain(|area| {
        let own: Vec<&Run> = runs.iter().filter(|run| area.holds(run.bounds.center())).collect();
        are_labels(&own) && (has_curves(*area, &curves, &own) || has_bars(area, page) || has_turned_label(*area, runs))
    });
    areas
}

/// Whether text is short on average. A chart may have one long label.
fn are_labels(runs: &[&Run]) -> bool {
    let words = runs.iter().map(|run| run.count).sum::<f32>();
    words <= MAX_MEAN_WORDS * runs.iter().map(|_| 1.0).sum::<f32>() + MAX_LABEL_WORDS
}

/// Whether curves are spread over an area, not counting highlights of its text.
fn has_curves(area: Bounds, curves: &[Bounds], labels: &[&Run]) -> bool {
    let is_highlight = |curve: &Bounds| {
        labels.iter().any(|run| curve.holds(run.bounds.center()) && curve.height() < MARK_EM * run.size)
    };
    let own = curves.iter().filter(|curve| area.holds(curve.center()) && !is_highlight(curve));
    let (count, extent) = own.fold((0, Bounds::NOTHING), |(count, extent), curve| (count + 1, extent.union(*curve)));
    let is_spread = extent.width() > MIN_SPREAD * area.width() && extent.height() > MIN_SPREAD * area.height();
    count >= MIN_CURVES && is_spread
}

/// Whether text beside an area runs up or down along it, as the name of an axis does.
fn has_turned_label(area: Bounds, runs: &[Run]) -> bool {
    let is_along = |run: &Run| {
        let near = area.grown(AXIS_EM * run.size);
        run.turn % 180 == 90
            && near.overlaps(run.bounds)
            && is_level(area, run.bounds)
            && run.bounds.height() < area.height()
    };
    runs.iter().any(is_along)
}

/// The extents of rectangles that are near to each other.
fn joined(marks: &[Bounds]) -> Vec<Bounds> {
    let mut sets = DisjointSets::new(marks.len());
    for (at, mark) in marks.iter().enumerate() {
        let near = mark.grown(MARK_GAP_PT);
        for (other, _) in marks.iter().enumerate().skip(at + 1).filter(|(_, other)| near.overlaps(**other)) {
            sets.join(at, other);
        }
    }
    let mut extents = vec![Bounds::NOTHING; marks.len()];
    for (at, mark) in marks.iter().enumerate() {
        let set = sets.find(at);
        extents.iter_mut().skip(set).take(1).for_each(|extent| *extent = extent.union(*mark));
    }
    extents.retain(|extent| extent.x0 <= extent.x1);
    extents
}

/// The words of a page in runs.
fn runs(page: &PageLayout) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, word) in page.words.iter().enumerate().filter(|(_, word)| !is_slanted(word)) {
        let turn = quarter(word.turn);
        let frame = Frame { turn, width: page.width, height: page.height };
        let own = frame.of_page(word.bounds);
        let goes_on = |last: &&mut Run| {
            let before = frame.of_page(last.bounds);
            let is_next = last.turn == turn && last.words.end == at && (own.x0 - before.x1).abs() < last.size;
            is_next && is_level(before, own)
        };
        match runs.last_mut().filter(goes_on) {
            Some(last) => {
                last.words.end = at + 1;
                last.bounds = last.bounds.union(word.bounds);
                last.count += word_count(word);
            }
            None => {
                let (bounds, size) = (word.bounds, word.size);
                runs.push(Run { words: at..at + 1, bounds, size, turn, count: word_count(word), kind: RunKind::Short });
            }
        }
    }
    set_kinds(&mut runs, page);
    runs
}

/// The number of words in a part of a line. Ideographs are written without spaces, and two of them count as a word.
fn word_count(word: &Word) -> f32 {
    let ideographs: f32 = word.text.chars().filter(|sign| is_ideograph(*sign)).map(|_| 1.0).sum();
    let least: f32 = if word.is_spaced { 1.0 } else { 0.0 };
    least.max(ideographs / 2.0)
}

/// Tells what each run is. The lines of a text are what its first line is.
fn set_kinds(runs: &mut [Run], page: &PageLayout) {
    let sizes = runs.iter().map(|run| (run.size, run.words.len()));
    let large = LARGE * most_frequent(sizes).unwrap_or_default();
    for at in 0..runs.len() {
        let (before, rest) = runs.split_at_mut(at);
        let Some(run) = rest.first_mut() else { return };
        let words = page.words.get(run.words.clone()).into_iter().flatten().map(|word| word.text.as_str());
        run.kind = match before.last().filter(|before| before.kind != RunKind::Short && run.continues(before)) {
            Some(before) => before.kind,
            None if run.size > large || is_caption_label(words) => RunKind::Text,
            None if run.count > MAX_LABEL_WORDS => RunKind::Sentence,
            None => RunKind::Short,
        };
    }
}

/// Whether the second rectangle is beside the first: its middle is neither above the first nor below it.
fn is_level(first: Bounds, second: Bounds) -> bool {
    let (_, y) = second.center();
    first.y0 < y && y < first.y1
}

impl Run {
    /// Whether it is short and stands right beside a figure, above it or below it.
    fn is_beside(&self, figure: Bounds) -> bool {
        let near = figure.grown(LABEL_GAP_EM * self.size);
        let (x, y) = self.bounds.center();
        let is_along = near.x0 < x && x < near.x1 || near.y0 < y && y < near.y1;
        self.kind == RunKind::Short && is_along && near.overlaps(self.bounds)
    }

    /// Whether it is on the line of another one, after it, or begins the next line of the same text.
    fn continues(&self, before: &Self) -> bool {
        let (last, own, em) = (before.bounds, self.bounds, self.size);
        let is_after = is_level(last, own) && (0.0..INDENT_EM * em).contains(&(own.x0 - last.x1));
        let is_at_edge = (own.x0 - last.x0).abs().min((own.x1 - last.x1).abs()) < INDENT_EM * em;
        let is_below = NEXT_LINE_EM.contains(&((own.y1 - last.y1) / em)) && is_at_edge;
        before.turn == self.turn && (is_after || is_below && before.size == em)
    }
}

impl FigureText {
    fn add(&mut self, label: &Run) {
        self.bounds = self.bounds.union(label.bounds);
        self.words.extend(label.words.clone());
        self.labels += 1;
    }

    /// Its labels, in its place.
    pub(super) fn block(&self, page: &PageLayout, readers: &[DirectionReader]) -> PlacedBlock {
        let regions = readers.iter().flat_map(|reader| {
            let words = self.words.iter().filter_map(|index| page.words.get(*index));
            let own: Vec<&Word> = words.filter(|word| quarter(word.turn) == reader.frame.turn).collect();
            reader.regions(&own, &[], Vec::new())
        });
        let of_figure = |region: Region| match region {
            Region::Column(column) => Region::Column(Column { is_figure: true, ..column }),
            other => other,
        };
        PlacedBlock { bounds: self.bounds, regions: regions.map(of_figure).collect() }
    }
}

//! One page: words become lines, columns and regions in reading order.

mod drawn_bullets;
mod figures;
mod fixed_pitch;
mod lines;
mod run_in;
mod segments;

use super::bounds::Frame;
use super::formulas::{self, FoundFormula};
use super::line_numbers;
use super::page_structure::{Column, Line, LineWord, PageStructure, Region, Style, TableArea};
use crate::measures::BACKGROUND;
use crate::tables::text_rule;
use fixed_pitch::{FixedPitchFonts, HalfWidthText};
pub(crate) use fixed_pitch::{is_whole_shift, pitch};
use lines::DrawnBoxes;
use pagewise_text::{Bounds, MAX_TILT, PageLayout, Rule, Script, Word, columns_of, push_run};
use segments::Segment;
pub(crate) use segments::is_dots;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// With more words, lines stay in the given order.
pub(crate) const MAX_WORDS: usize = 100_000;
/// Further tables, links, fills, rules and pictures of a page are not looked at.
const MAX_TABLES: usize = 200;
const MAX_LINKS: usize = 2_000;
const MAX_GROUNDS: usize = 1_000;
const MAX_FIGURES: usize = 2_000;
const MAX_RULES: usize = 5_000;
/// Rules within this share of the height from the edges of a page divide running lines from its columns. In forms, rules run
/// through columns too.
const MARGIN_SHARE: f32 = 0.1;

/// Whether a place on a page is near its top or its bottom, where running heads and feet stand. `height` is that of the page.
pub(crate) fn is_near_edge(at: f32, height: f32) -> bool {
    at < MARGIN_SHARE * height || at > (1.0 - MARGIN_SHARE) * height
}

/// Whether a word is slanted, as a watermark is. It belongs to no line of other words and to no table.
pub(crate) fn is_slanted(word: &Word) -> bool {
    (MAX_TILT..=90 - MAX_TILT).contains(&(word.turn % 90))
}

/// Reads a page: its words in lines, columns and regions, and its tables where they stand.
#[must_use]
pub fn read_page(page: &PageLayout, tables: &[TableArea]) -> PageStructure {
    let page = &*with_dashed_rules(page);
    let numbers = line_numbers::find(page);
    if numbers.is_empty() {
        return read_unnumbered(page, tables);
    }
    let mut structure = read_unnumbered(&line_numbers::without(page, &numbers), tables);
    let frame = Frame { turn: 0, width: page.width, height: page.height };
    structure.regions.extend(line_numbers::region(page, &numbers, &DirectionReader::new(page, frame)));
    structure
}

/// The page with lines of nothing but long dashes made rules: such a line stands above the notes of some pages.
pub(super) fn with_dashed_rules(page: &PageLayout) -> Cow<'_, PageLayout> {
    let line = |index: Option<usize>| index.and_then(|index| page.words.get(index)).map(|word| word.line);
    let is_alone = |index: usize| ![index.checked_sub(1), index.checked_add(1)].map(line).contains(&line(Some(index)));
    let words = page.words.iter().enumerate().filter(|(index, word)| word.text.starts_with('—') && is_alone(*index));
    let (dashes, rules): (BTreeSet<usize>, Vec<Rule>) =
        words.filter_map(|(index, word)| Some((index, text_rule(word)?))).unzip();
    if dashes.is_empty() {
        return Cow::Borrowed(page);
    }
    let rules = rules.into_iter().chain(page.rules.iter().copied()).collect();
    Cow::Owned(PageLayout { rules, ..line_numbers::without(page, &dashes) })
}

fn read_unnumbered(page: &PageLayout, tables: &[TableArea]) -> PageStructure {
    let mut structure = without_text(page);
    let tables = tables.get(..MAX_TABLES.min(tables.len())).unwrap_or_default();
    let mut areas: Vec<Bounds> = tables.iter().map(|table| table.bounds).collect();
    let figures = figures::find(page, &areas);
    areas.extend(figures.iter().map(|figure| figure.bounds));
    let formulas = formulas::find(page, &areas);
    let mut is_taken = vec![false; page.words.len()];
    let parts = formulas.iter().map(|formula| &formula.words).chain(figures.iter().map(|figure| &figure.words));
    for index in parts.flatten() {
        is_taken.iter_mut().skip(*index).take(1).for_each(|own| *own = true);
    }
    let frame = |turn: u16| Frame { turn, width: page.width, height: page.height };
    let readers = turns(page).into_iter().map(|turn| DirectionReader::new(page, frame(turn)));
    let readers: Vec<DirectionReader> = readers.collect();
    // Tables and figures are placed among the text of the first direction.
    let mut blocks: Vec<PlacedBlock> = tables.iter().map(PlacedBlock::of_table).collect();
    blocks.extend(figures.iter().map(|figure| figure.block(page, &readers)));
    for reader in &readers {
        let turn = reader.frame.turn;
        let own = |word: &Word| quarter(word.turn) == turn && !is_slanted(word) && !is_in_table(word, tables);
        let words = page.words.iter().zip(&is_taken).filter(|(word, is_taken)| !**is_taken && own(word));
        let words: Vec<&Word> = words.map(|(word, _)| word).collect();
        let formulas: Vec<&FoundFormula> = if turn == 0 { formulas.iter().collect() } else { Vec::new() };
        let own_blocks = std::mem::take(&mut blocks);
        structure.regions.extend(match page.words.len() > MAX_WORDS {
            true => plain_regions(&words, reader.frame, own_blocks),
            false => reader.regions(&words, &formulas, own_blocks),
        });
    }
    for region in &mut structure.regions {
        if let Region::Column(column) = region {
            run_in::divide(&mut column.lines);
        }
    }
    structure.regions.extend(blocks.into_iter().flat_map(|block| block.regions));
    structure.regions.extend(slanted_region(page, page.words.iter()));
    structure
}

/// A table, or the text of a figure, in its place on the page.
pub(super) struct PlacedBlock {
    bounds: Bounds,
    regions: Vec<Region>,
}

impl PlacedBlock {
    fn of_table(table: &TableArea) -> Self {
        Self { bounds: table.bounds, regions: vec![Region::Table(*table)] }
    }
}

/// The slanted ones of these words in the lines of the page's text.
pub(super) fn slanted_region<'p>(page: &PageLayout, words: impl Iterator<Item = &'p Word>) -> Option<Region> {
    let slanted: Vec<&Word> = words.filter(|word| is_slanted(word)).collect();
    let frame = Frame { turn: slanted.first()?.turn, width: page.width, height: page.height };
    plain_regions(&slanted, frame, Vec::new()).into_iter().next()
}

pub(super) fn without_text(page: &PageLayout) -> PageStructure {
    PageStructure {
        width: page.width,
        height: page.height,
        regions: Vec::new(),
        figures: page.images.iter().chain(&page.drawings).take(MAX_FIGURES).copied().collect(),
        rules: page.rules.iter().filter(|rule| rule.is_horizontal).take(MAX_RULES).map(|rule| rule.bounds).collect(),
        targets: page.links.iter().take(MAX_LINKS).map(|link| link.target.clone()).collect(),
        has_unread_rows: false,
    }
}

/// The directions of a page's text, the most frequent first.
pub(super) fn turns(page: &PageLayout) -> Vec<u16> {
    let mut counts = [(0_u16, 0_usize), (90, 0), (180, 0), (270, 0)];
    for word in &page.words {
        for (turn, count) in &mut counts {
            *count += usize::from(*turn == quarter(word.turn));
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.iter().filter(|(_, count)| *count > 0).map(|(turn, _)| *turn).collect()
}

/// The quarter turn next to a direction.
pub(super) fn quarter(turn: u16) -> u16 {
    match turn % 360 {
        45..135 => 90,
        135..225 => 180,
        225..315 => 270,
        _ => 0,
    }
}

/// Reads words of one direction.
pub(crate) struct DirectionReader<'p> {
    page: &'p PageLayout,
    frame: Frame,
    links: LinkIndex,
    boxes: DrawnBoxes,
    fixed_pitch: FixedPitchFonts,
    half_width: HalfWidthText,
}

impl<'p> DirectionReader<'p> {
    pub(super) fn new(page: &'p PageLayout, frame: Frame) -> Self {
        let links = page.links.iter().take(MAX_LINKS).map(|link| frame.of_page(link.bounds)).collect::<Vec<_>>();
        let fixed_pitch = FixedPitchFonts::of(&page.words, frame);
        let half_width = HalfWidthText::of(&page.words, frame);
        Self { page, frame, links: LinkIndex::new(links), boxes: drawn_boxes(page, frame), fixed_pitch, half_width }
    }

    /// The columns of these words and the blocks, in reading order.
    pub(super) fn regions(
        &self,
        words: &[&Word],
        formulas: &[&FoundFormula],
        mut blocks: Vec<PlacedBlock>,
    ) -> Vec<Region> {
        let mut segments = self.segments(words, formulas);
        drawn_bullets::insert(&mut segments, self.page, self.frame);
        let place = |(index, block): (usize, &PlacedBlock)| Segment::of_block(index, self.frame.of_page(block.bounds));
        segments.extend(blocks.iter().enumerate().map(place));
        let mut regions = Vec::new();
        for column in columns_of(segments, &self.boxes.margin_rules) {
            lines::push_regions(column, self.frame.turn, &self.boxes, &mut blocks, &mut regions);
        }
        regions
    }

    /// The lines of these words and formulas, which stand below each other.
    pub(crate) fn lines(&self, words: &[&Word], formulas: &[&FoundFormula]) -> Vec<Line> {
        lines::of_column(self.segments(words, formulas), &self.boxes)
    }

    fn segments(&self, words: &[&Word], formulas: &[&FoundFormula]) -> Vec<Segment> {
        let before = std::iter::once(None).chain(words.iter().map(Some));
        let placed = words.iter().zip(before).map(|(word, before)| {
            let (mut placed, baseline) = placed_word(word, self.frame, &self.links);
            if word.script == Script::Lowered && !word.is_spaced {
                placed.text = lowered(before.map_or("", |before| &before.text), placed.text);
            }
            placed.style.is_monospace |= self.fixed_pitch.contains(word.font);
            placed.style.is_monospace &= !self.half_width.contains(word);
            (placed, baseline)
        });
        let formulas = formulas.iter().flat_map(|formula| formula.line_words(self.page));
        segments::collect(placed.flat_map(|placed| self.links.split(placed)).chain(formulas).collect(), &self.boxes)
    }
}

pub(super) fn is_in_table(word: &Word, tables: &[TableArea]) -> bool {
    !is_slanted(word) && tables.iter().any(|table| table.bounds.holds(word.bounds.center()))
}

/// A lowered text after another one: digits never read as part of a number.
fn lowered(before: &str, text: String) -> String {
    let mut both = before.to_owned();
    push_run(&mut both, &text, Script::Lowered);
    both.split_off(before.len())
}

/// A word in its frame, and its baseline.
fn placed_word(word: &Word, frame: Frame, links: &LinkIndex) -> (LineWord, f32) {
    let bounds = frame.of_page(word.bounds);
    let target = links.at(frame.of_page(word.seen()).center());
    let is_raised = word.script == Script::Raised;
    let mut style = Style::of(word);
    let letters = formulas::letters_of(word);
    // The form of these letters says what the slant of their font does.
    style.is_italic &= letters.is_none();
    let text = letters.unwrap_or_else(|| word.text.clone());
    let placed = LineWord { text, bounds, style, is_spaced: word.is_spaced, is_raised, target, formula: None };
    (placed, frame.baseline(word.baseline))
}

fn drawn_boxes(page: &PageLayout, frame: Frame) -> DrawnBoxes {
    let rules = page.rules.iter().take(MAX_RULES).map(|rule| frame.of_page(rule.bounds));
    let (mut sides, across): (Vec<Bounds>, Vec<Bounds>) = rules.partition(|rule| rule.height() > rule.width());
    sides.sort_by(|a, b| a.center().0.total_cmp(&b.center().0));
    let height = if frame.turn.is_multiple_of(180) { page.height } else { page.width };
    let margin_rules = across.into_iter().filter(|rule| is_near_edge(rule.y0, height)).collect();
    DrawnBoxes { grounds: grounds(page, frame), sides, margin_rules }
}

/// The boxes with a filled ground, the smallest first.
fn grounds(page: &PageLayout, frame: Frame) -> Vec<Bounds> {
    let area = |b: &Bounds| b.width() * b.height();
    let limit = page.width * page.height * BACKGROUND;
    let fills = page.fills.iter().take(MAX_GROUNDS).map(|fill| frame.of_page(fill.bounds));
    let mut grounds: Vec<Bounds> = fills.filter(|bounds| area(bounds) < limit).collect();
    grounds.sort_by(|a, b| area(a).total_cmp(&area(b)));
    grounds
}

/// Link areas by the top of their box.
struct LinkIndex {
    areas: Vec<(Bounds, u32)>,
    tallest: f32,
}

impl LinkIndex {
    fn new(bounds: Vec<Bounds>) -> Self {
        let mut areas: Vec<(Bounds, u32)> = bounds.into_iter().zip(0..).collect();
        areas.sort_by(|a, b| a.0.y0.total_cmp(&b.0.y0));
        let tallest = areas.iter().map(|(area, _)| area.height()).fold(0.0, f32::max);
        Self { areas, tallest }
    }

    /// The link at a point.
    fn at(&self, point: (f32, f32)) -> Option<u32> {
        let first = self.areas.partition_point(|(area, _)| area.y0 < point.1 - self.tallest);
        let near = self.areas.iter().skip(first).take_while(|(area, _)| area.y0 <= point.1);
        near.filter(|(area, _)| area.holds(point)).map(|(_, index)| *index).next()
    }

    /// A word, without the punctuation after the area of its link.
    fn split(&self, (mut word, baseline): (LineWord, f32)) -> Vec<(LineWord, f32)> {
        let area =
            word.target.and_then(|target| self.areas.iter().find(|(_, index)| *index == target)).map(|(area, _)| *area);
        let stem = word.text.trim_end_matches(|sign: char| !sign.is_alphanumeric() && sign != '/').len();
        let is_over = area.is_some_and(|area| word.bounds.x1 - area.x1 > 0.12 * word.style.size);
        if !is_over || stem == 0 || stem == word.text.len() {
            return vec![(word, baseline)];
        }
        let edge = area.map_or(word.bounds.x1, |area| area.x1.max(word.bounds.x0));
        let rest = word.text.split_off(stem);
        let bounds = Bounds { x0: edge, ..word.bounds };
        let rest = LineWord { text: rest, bounds, is_spaced: false, target: None, ..word.clone() };
        word.bounds.x1 = edge;
        vec![(word, baseline), (rest, baseline)]
    }
}

/// Lines in the given order, and blocks at the end: for pages that are too large to be understood.
fn plain_regions(words: &[&Word], frame: Frame, blocks: Vec<PlacedBlock>) -> Vec<Region> {
    let links = LinkIndex::new(Vec::new());
    let mut lines = Vec::new();
    let mut rest = words;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|word| word.line == first.line).count();
        let (head, tail) = rest.split_at(count);
        let placed = head.iter().map(|word| placed_word(word, frame, &links)).collect();
        lines.extend(lines::of_words(placed));
        rest = tail;
    }
    let column = Region::Column(Column { turn: frame.turn, is_plain: true, lines, ..Column::default() });
    std::iter::once(column).chain(blocks.into_iter().flat_map(|block| block.regions)).collect()
}

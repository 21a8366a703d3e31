//! Groups lines into blocks and puts these in reading order.
//!
//! Columns of prose are read one after the other. Within a column, consecutive lines are blocks, which keep their content
//! order, and blocks are ordered by recursive cuts: between columns if there is a gutter, otherwise between rows. Parts that
//! cannot be cut keep their order.

use super::columns::{ColumnPart, prose_columns_of};
use super::lines::TextLine;
use super::rows::{HasPlace, WordPlace};
use super::words::{ASCENT_EM, DESCENT_EM};
use crate::glyphs::WritingDirection;
use crate::page_layout::{Bounds, to_points};
use hayro_interpret::kurbo::Rect;
use std::collections::BTreeMap;

/// The largest distance to the next line of a block, in ems.
const LEADING_EM: f64 = 2.2;

/// The largest ratio of sizes in a block.
const SIZE_RATIO: f64 = 1.8;

/// The least width of a gutter between columns, as a share of the median em.
const GUTTER_EM: f64 = 0.8;

/// The maximum depth of cuts.
const MAX_DEPTH: u32 = 40;

/// A block of consecutive lines.
#[derive(Debug)]
pub(crate) struct TextBlock {
    pub(crate) lines: Vec<TextLine>,
    start: f64,
    end: f64,
}

impl TextBlock {
    fn new(line: TextLine) -> Self {
        Self { start: line.start, end: line.end, lines: vec![line] }
    }

    fn continues_with(&self, line: &TextLine) -> bool {
        let Some(last) = self.lines.last() else { return false };
        let down = line.across - last.across;
        let size = last.size.max(line.size);
        last.direction == line.direction
            && size <= SIZE_RATIO * last.size.min(line.size)
            && down > 0.0
            && down <= LEADING_EM * size
            && line.start <= self.end
            && line.end >= self.start
    }

    fn push(&mut self, line: TextLine) {
        self.start = self.start.min(line.start);
        self.end = self.end.max(line.end);
        self.lines.push(line);
    }

    /// The block's rectangle on a page with this writing direction: x along lines, y across.
    fn extent(&self, direction: WritingDirection) -> Rect {
        let corners = self.lines.iter().flat_map(|line| {
            let (top, bottom) = (line.across - line.size * ASCENT_EM, line.across + line.size * DESCENT_EM);
            [line.direction.point(line.start, top), line.direction.point(line.end, bottom)]
        });
        let mut placed = corners.map(|point| (direction.along(point), direction.across(point)));
        let Some((x, y)) = placed.next() else { return Rect::ZERO };
        placed.fold(Rect::new(x, y, x, y), |rect, point| rect.union_pt(point))
    }
}

/// A line, and its place in content order.
struct PlacedLine {
    order: usize,
    line: TextLine,
}

impl HasPlace for PlacedLine {
    fn place(&self) -> WordPlace {
        let TextLine { start, end, across, size, .. } = self.line;
        let bounds = Bounds::from(Rect::new(start, across - ASCENT_EM * size, end, across + DESCENT_EM * size));
        WordPlace { bounds, baseline: to_points(across), size: to_points(size), order: self.order, is_spaced: true }
    }
}

impl ColumnPart for PlacedLine {
    fn runs_left(&self) -> bool {
        self.line.has_right_to_left_text()
    }
}

/// The blocks of a page in reading order. Beside columns of prose, text that does not run to the right comes last.
pub(crate) fn order_blocks(lines: Vec<TextLine>) -> Vec<TextBlock> {
    let placed = (0..).zip(lines).map(|(order, line)| PlacedLine { order, line });
    let (upright, turned) = placed.partition(|placed| placed.line.direction == WritingDirection::default());
    let mut columns = prose_columns_of(upright);
    match columns.as_mut_slice() {
        [column] => column.extend(turned),
        _ => columns.push(turned),
    }
    let columns = columns.into_iter().map(|mut column| {
        column.sort_by_key(|placed| placed.order);
        column.into_iter().map(|placed| placed.line).collect()
    });
    columns.flat_map(blocks_of_column).collect()
}

fn blocks_of_column(lines: Vec<TextLine>) -> Vec<TextBlock> {
    let mut blocks: Vec<TextBlock> = Vec::new();
    for line in lines {
        match blocks.last_mut().filter(|block| block.continues_with(&line)) {
            Some(block) => block.push(line),
            None => blocks.push(TextBlock::new(line)),
        }
    }
    order_by_cuts(blocks)
}

fn order_by_cuts(blocks: Vec<TextBlock>) -> Vec<TextBlock> {
    let direction = usual_direction(&blocks);
    let gutter = GUTTER_EM * usual_size(&blocks);
    let placed = blocks.into_iter().map(|block| (block.extent(direction), block)).collect();
    let mut ordered = Vec::new();
    cut_page(placed, gutter, MAX_DEPTH, &mut ordered);
    ordered
}

type PlacedBlocks = Vec<(Rect, TextBlock)>;

/// Cuts between columns, otherwise between rows.
fn cut_page(placed: PlacedBlocks, gutter: f64, depth: u32, ordered: &mut Vec<TextBlock>) {
    let cuts = match depth {
        0 => None,
        _ => cuts_of(&placed, gutter),
    };
    match cuts {
        None => ordered.extend(placed.into_iter().map(|(_, block)| block)),
        Some(cuts) => cuts.split(placed).into_iter().for_each(|part| cut_page(part, gutter, depth - 1, ordered)),
    }
}

/// The cuts of blocks: between columns that stand beside each other, otherwise between rows.
fn cuts_of(placed: &PlacedBlocks, gutter: f64) -> Option<Cuts> {
    let columns = Cuts::of(placed, gutter, |rect| (rect.x0, rect.x1));
    let rows = Cuts::of(placed, 0.0, |rect| (rect.y0, rect.y1));
    match (columns, rows) {
        // A block at the upper right and one at the lower left are no columns.
        (Some(columns), Some(rows)) if !rows.have_neighbours(placed, &columns) => Some(rows),
        (columns, rows) => columns.or(rows),
    }
}

/// Where blocks are cut along an axis: after the ends of its parts.
struct Cuts {
    span: fn(&Rect) -> (f64, f64),
    ends: Vec<f64>,
}

impl Cuts {
    /// The cuts at gaps wider than `gap` along the axis that `span` selects; `None` if there are none.
    fn of(placed: &PlacedBlocks, gap: f64, span: fn(&Rect) -> (f64, f64)) -> Option<Self> {
        let mut spans = placed.iter().map(|(rect, _)| span(rect)).collect::<Vec<_>>();
        spans.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ends: Vec<f64> = Vec::new();
        for (start, end) in spans {
            match ends.last_mut() {
                Some(last) if start <= *last + gap => *last = last.max(end),
                _ => ends.push(end),
            }
        }
        (ends.len() > 1).then_some(Self { span, ends })
    }

    /// The part in which a block is.
    fn part_of(&self, rect: &Rect) -> usize {
        self.ends.partition_point(|end| *end < (self.span)(rect).0)
    }

    /// Whether a part has blocks of several parts of `others`.
    fn have_neighbours(&self, placed: &PlacedBlocks, others: &Self) -> bool {
        let mut first = vec![None; self.ends.len()];
        placed.iter().any(|(rect, _)| {
            let Some(first) = first.get_mut(self.part_of(rect)) else { return false };
            *first.get_or_insert_with(|| others.part_of(rect)) != others.part_of(rect)
        })
    }

    /// The blocks of each part, in their order.
    fn split(&self, placed: PlacedBlocks) -> Vec<PlacedBlocks> {
        let mut parts = self.ends.iter().map(|_| Vec::new()).collect::<Vec<PlacedBlocks>>();
        for (rect, block) in placed {
            if let Some(part) = parts.get_mut(self.part_of(&rect)) {
                part.push((rect, block));
            }
        }
        parts
    }
}

/// The writing direction of most glyphs.
fn usual_direction(blocks: &[TextBlock]) -> WritingDirection {
    let mut counts = BTreeMap::new();
    for line in blocks.iter().flat_map(|block| &block.lines) {
        *counts.entry(line.direction).or_insert(0_usize) += line.glyphs.len();
    }
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map_or_else(WritingDirection::default, |(direction, _)| direction)
}

/// The median em of all lines.
fn usual_size(blocks: &[TextBlock]) -> f64 {
    let mut sizes = blocks.iter().flat_map(|block| &block.lines).map(|line| line.size).collect::<Vec<_>>();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)
}

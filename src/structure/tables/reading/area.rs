//! A table read from an area by its white space, with what edges there are.

use super::centred::{HALF_PITCH, Middles};
use super::columns::{Column, Piece, columns_of, drawn_columns, mark_values, pieces_of};
use super::grid::{Slot, table_of};
use super::rows::{RowLine, rows_of};
use super::{head, likeness, rivers, spans};
use crate::list_marks::is_list_mark;
use crate::measures::FLUSH_EM;
use crate::tables::layout::edges::{Edge, Edges};
use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine, is_inside, table_lines, text_lines};
use crate::tables::layout::signs::are_bound;
use crate::tables::{ColumnsBy, Table};
use pagewise_text::Bounds;
use std::ops::Range;

/// An area with more lines times upright edges than this is read without the edges.
const MAX_CROSSINGS: usize = 10_000_000;
/// An edge runs through a word if it is so far from both ends, in ems.
const THROUGH: f32 = 0.3;
/// Distances of lines that differ by less than this many ems are the same.
const SAME_PITCH: f32 = 0.1;
/// The title of a group of rows stands at the middle of the table, within this many ems.
const OFF_MIDDLE: f32 = 1.0;

/// Text in an area and the edges that cross it.
pub(crate) struct Area<'p> {
    pub(crate) lines: Vec<TextLine<'p>>,
    pub(crate) cuts: Vec<Edge>,
    uprights: Vec<Edge>,
    proof: Proof,
}

/// How an area was found: drawn areas need less proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It is bounded by rules or fills, and a label such as `Table 1` stands above it.
    Labelled,
    /// It is bounded by rules or fills.
    Drawn,
    /// Only aligned text.
    Aligned,
}

impl Proof {
    /// Whether rules or fills bound the area.
    pub(crate) fn is_drawn(self) -> bool {
        self != Self::Aligned
    }
}

impl<'p> Area<'p> {
    /// The words and edges inside `bounds`.
    pub(crate) fn new(bounds: &Bounds, words: &[PlacedWord<'p>], edges: &Edges, proof: Proof) -> Self {
        let own: Vec<PlacedWord> = words.iter().filter(|w| is_inside(&w.word.bounds, bounds)).copied().collect();
        let crosses =
            |e: &&Edge| e.at > bounds.y0 - 2.0 && e.at < bounds.y1 + 2.0 && e.start < bounds.x1 && e.end > bounds.x0;
        let cuts = edges.horizontal.iter().filter(crosses).copied().collect();
        let uprights: Vec<Edge> = edges
            .vertical
            .iter()
            .filter(|e| e.at > bounds.x0 && e.at < bounds.x1 && e.start < bounds.y1 && e.end > bounds.y0)
            .copied()
            .collect();
        let mut lines = if proof.is_drawn() { table_lines(&own) } else { text_lines(&own) };
        if lines.len() * uprights.len() <= MAX_CROSSINGS {
            lines = lines.into_iter().map(|line| cut_line(line, &uprights)).collect();
        }
        if proof.is_drawn() {
            rivers::divide(&mut lines);
        }
        Self { lines, cuts, uprights, proof }
    }

    /// The table of the area, if it reads as one.
    pub(crate) fn table(&self) -> Option<Table> {
        let proof = self.proof;
        let (free, drawn) = (columns_of(&self.lines), drawn_columns(&self.lines, &self.uprights));
        let mut columns = if drawn.len() > free.len() { drawn } else { free };
        if columns.len() < 2 {
            return None;
        }
        if proof.is_drawn() {
            mark_values(&mut columns, &self.lines);
        }
        let is_beside = |at: usize| {
            let pair = |first: usize| self.lines.get(first..first + 2);
            let is_near = |pair: &[TextLine]| matches!(pair, [a, b] if b.baseline - a.baseline < HALF_PITCH * b.size);
            [at.checked_sub(1), Some(at)].into_iter().flatten().filter_map(pair).any(is_near)
        };
        let lines = self.lines.iter().enumerate();
        let mut lines: Vec<RowLine> = lines.map(|(at, line)| row_line(line, &columns, is_beside(at))).collect();
        let rows = inner_rows(&lines, &columns, proof);
        if proof == Proof::Aligned && columns.len() == 2 && are_of_list(&lines, &rows) {
            return None;
        }
        lines.truncate(rows.end);
        lines.drain(..rows.start);
        let heads = head::head_lines(&lines, &columns, &self.cuts);
        let (top, body) = lines.split_at_checked(heads)?;
        let (mut slots, levels) = head::head_slots(top, &columns, (&self.cuts, &self.uprights));
        let is_cut = |above: &RowLine, below: &RowLine, own: &Range<usize>| {
            cut_share(&self.cuts, above, below, columns.get(own.clone()).unwrap_or_default()) > 0.5
        };
        let mut body = body.to_vec();
        let all = 0..columns.len();
        let is_ruled = |above: &RowLine, below: &RowLine| is_cut(above, below, &all);
        let is_headed = top.last().zip(body.first()).is_some_and(|(head, first)| is_ruled(head, first));
        let is_parted = body.windows(2).any(|pair| matches!(pair, [above, below] if is_ruled(above, below)));
        let rules: Vec<Edge> = self.cuts.iter().filter(|cut| cut.is_rule).copied().collect();
        let has_rule = |pair: &[RowLine]| matches!(pair, [a, b] if cut_share(&rules, a, b, &columns) > 0.5);
        let are_free = !body.windows(2).any(has_rule);
        if are_free && likeness::are_panels(&self.lines, &columns) {
            return None;
        }
        let is_one = is_headed && !is_parted && are_lists(&body, columns.len());
        let middles = if is_one { Middles::of_one_row(&body) } else { Middles::take(&mut body, &columns, is_cut) };
        let rows = rows_of(&body, &columns, &middles.joins, proof, is_ruled);
        let rows: Vec<&[RowLine]> = rows.into_iter().filter_map(|range| body.get(range)).collect();
        let places: Vec<f32> = rows.iter().map(|row| middle_of(row)).collect();
        slots.extend(rows.iter().enumerate().flat_map(|(at, row)| body_slots(row, levels + at)));
        let above = |middle: f32| levels + places.partition_point(|place| *place < middle).saturating_sub(1);
        slots.extend(middles.between.iter().filter_map(|block| block.slot(above(block.middle()))));
        spans::span_labels(&mut slots, levels, &places, columns.len());
        if are_free && likeness::are_clauses(&slots, columns.len()) {
            return None;
        }
        let is_bold = |line: &RowLine| line.pieces.iter().all(|piece| piece.chunk.is_bold());
        let has_heads = (is_headed || top.iter().all(is_bold) && !body.iter().any(is_bold))
            && slots.iter().filter(|slot| slot.is_header && slot.row + slot.row_span == levels).count() > 1;
        // A label says something of a table only with heads below it.
        let proof = if proof == Proof::Labelled && !has_heads { Proof::Drawn } else { proof };
        if !likeness::is_table(&slots, levels, levels + places.len(), &columns, proof) {
            return None;
        }
        let columns_by = if proof.is_drawn() { ColumnsBy::RuledSpace } else { ColumnsBy::Space };
        let is_certain = proof.is_drawn() && !self.lines.iter().any(TextLine::is_overprinted);
        table_of(slots, levels + places.len(), columns.len(), (columns_by, is_certain))
    }
}

/// Whether each column holds a list, and an item goes on beside the beginning of another: the lists are the cells of a row.
fn are_lists(lines: &[RowLine], columns: usize) -> bool {
    let is_item = |piece: &Piece| piece.chunk.words.first().is_some_and(|word| is_list_mark(&word.word.text));
    let is_list = |column: usize| {
        let mut own = lines.iter().flat_map(|line| &line.pieces).filter(|piece| piece.first == column);
        own.next().is_some_and(is_item) && own.any(is_item)
    };
    let is_mixed = |line: &RowLine| line.pieces.len() < columns || !line.pieces.iter().all(is_item);
    let is_begun = |line: &RowLine| line.pieces.iter().any(is_item);
    (0..columns).all(is_list) && lines.iter().any(|line| is_begun(line) && is_mixed(line))
}

/// The share of the width of the columns with an edge between two lines.
pub(crate) fn cut_share(cuts: &[Edge], above: &RowLine, below: &RowLine, columns: &[Column]) -> f32 {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return 0.0 };
    let between = cuts_between(cuts, above, below);
    let covered: f32 = between.map(|e| (e.end.min(last.hi) - e.start.max(first.lo)).max(0.0)).sum();
    covered / (last.hi - first.lo).max(1.0)
}

/// The edges between two lines. `cuts` are in order of their place.
pub(crate) fn cuts_between<'c>(cuts: &'c [Edge], above: &RowLine, below: &RowLine) -> impl Iterator<Item = &'c Edge> {
    let first = cuts.partition_point(|e| e.at <= above.baseline - 0.1 * above.size);
    let end = cuts.partition_point(|e| e.at < below.baseline - 0.45 * below.size);
    cuts.get(first..end).unwrap_or_default().iter()
}

/// Whether an edge lies between the baselines of two lines.
pub(crate) fn is_between(edge: &Edge, above: &RowLine, below: &RowLine) -> bool {
    edge.at > above.baseline - 0.1 * above.size && edge.at < below.baseline - 0.45 * below.size
}

/// Divides the chunks of a line at upright edges.
fn cut_line<'p>(mut line: TextLine<'p>, uprights: &[Edge]) -> TextLine<'p> {
    let y = line.baseline - 0.3 * line.size;
    let xs: Vec<f32> = uprights.iter().filter(|e| e.start <= y && y <= e.end).map(|e| e.at).collect();
    if !xs.is_empty() {
        line.chunks = line.chunks.into_iter().flat_map(|c| cut_chunk(c, &xs)).collect();
    }
    line
}

/// The parts of a chunk between upright edges. It stays whole if edges run through several of its words: it is the title of the
/// rows below, and its ground hides the edges.
fn cut_chunk<'p>(chunk: Chunk<'p>, xs: &[f32]) -> Vec<Chunk<'p>> {
    let is_over = |w: &PlacedWord| {
        let (b, margin) = (w.word.bounds, THROUGH * w.word.size);
        xs.iter().any(|x| b.x0 + margin < *x && *x < b.x1 - margin)
    };
    if chunk.words.iter().filter(|word| is_over(word)).count() > 1 {
        return vec![chunk];
    }
    let side = |w: &PlacedWord| xs.partition_point(|x| *x < (w.word.bounds.x0 + w.word.bounds.x1) / 2.0);
    let is_one = |a: &PlacedWord, b: &PlacedWord| side(a) == side(b) || are_bound(&a.word.text, &b.word.text);
    chunk.words.chunk_by(is_one).filter_map(|words| Chunk::new(words.to_vec())).collect()
}

/// The pieces of a line. One that has cells beside it is no title, though it be the only piece.
fn row_line<'p>(line: &TextLine<'p>, columns: &[Column], is_beside: bool) -> RowLine<'p> {
    let mut pieces = pieces_of(line, columns);
    if let [only] = pieces.as_mut_slice()
        && !is_beside
        && let Some(first) = group_start(only, columns)
    {
        (only.first, only.last) = (first, columns.len() - 1);
    }
    RowLine { baseline: line.baseline, size: line.size, pieces }
}

/// The first column of the rows below a line whose only piece is their title: it stands at the middle of the table, or of
/// the columns after the first.
fn group_start(piece: &Piece, columns: &[Column]) -> Option<usize> {
    let is_one = piece.first == piece.last;
    let side = |own: &Column| (piece.chunk.bounds.x0 - own.lo).abs();
    let is_cell = is_one && columns.get(piece.first).is_some_and(|own| side(own) < OFF_MIDDLE * piece.chunk.size());
    let is_title =
        columns.len() > 2 && piece.first > 0 && !is_cell && !piece.chunk.is_value() && !piece.chunk.begins_small();
    let mut starts = 0..if is_one { 1 } else { 2 };
    starts.find(|start| is_title && is_middle(piece, columns.get(*start..).unwrap_or_default()))
}

/// Whether a piece stands at the middle of these columns.
fn is_middle(piece: &Piece, columns: &[Column]) -> bool {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return false };
    let b = &piece.chunk.bounds;
    (b.x0 + b.x1 - first.lo - last.hi).abs() / 2.0 < OFF_MIDDLE * piece.chunk.size()
}

/// The lines between titles above and notes below.
fn inner_rows(lines: &[RowLine], columns: &[Column], proof: Proof) -> Range<usize> {
    let is_outer = |line: &RowLine| is_outer(line, columns, proof);
    let is_caption = |line: &RowLine| proof == Proof::Aligned && ends_sentence(line);
    let titles = lines.iter().take_while(|line| is_outer(line) || is_caption(line)).count();
    let notes = lines.iter().skip(titles).rev().take_while(|line| is_outer(line)).count();
    titles..lines.len() - notes
}

/// Whether the first column goes on above or below the rows, in more lines than these are, and at their distances: then it is a
/// list, and what stands beside a part of it is other text.
fn are_of_list(lines: &[RowLine], rows: &Range<usize>) -> bool {
    let own = lines.get(rows.clone()).unwrap_or_default().windows(2);
    let step = |pair: &[RowLine]| if let [a, b] = pair { b.baseline - a.baseline } else { 0.0 };
    let widest = own.map(step).fold(0.0, f32::max);
    let first = |at: usize| lines.get(at).and_then(|line| Some((line, line.pieces.first()?)));
    let goes_on = |from: usize, to: usize| {
        let (Some((row, cell)), Some((line, label))) = (first(from), first(to)) else { return false };
        let is_near = (line.baseline - row.baseline).abs() <= widest + SAME_PITCH * line.size;
        is_near && line.is_label() && (cell.chunk.bounds.x0 - label.chunk.bounds.x0).abs() < FLUSH_EM * line.size
    };
    let above = (1..=rows.start).rev().take_while(|at| goes_on(*at, at - 1)).count();
    let below = (rows.end..lines.len()).take_while(|at| goes_on(at - 1, *at)).count();
    above.max(below) > rows.len()
}

/// Whether a line has only one piece, and ends with a full stop, as the last line of a caption does.
fn ends_sentence(line: &RowLine) -> bool {
    matches!(line.pieces.as_slice(), [only] if only.chunk.words.last().is_some_and(|last| last.word.text.ends_with('.')))
}

/// Whether a line is one piece over most columns or, where nothing is drawn, a lone label.
fn is_outer(line: &RowLine, columns: &[Column], proof: Proof) -> bool {
    let [only] = line.pieces.as_slice() else { return false };
    let covered = only.last - only.first + 1;
    let is_label = proof == Proof::Aligned && only.first == 0;
    let is_group = proof.is_drawn() && only.first > 0 && is_middle(only, columns.get(only.first..).unwrap_or_default());
    is_label || covered > 1 && 2 * covered > columns.len() && !is_group
}

/// The cells of a row of several lines.
fn body_slots<'p>(lines: &[RowLine<'p>], row: usize) -> Vec<Slot<'p>> {
    let mut slots: Vec<Slot> = Vec::new();
    let mut pieces: Vec<&Piece> = lines.iter().flat_map(|l| &l.pieces).collect();
    pieces.sort_by_key(|p| std::cmp::Reverse(p.last - p.first));
    for piece in pieces {
        match slots.iter_mut().find(|s| s.column <= piece.last && piece.first < s.column + s.column_span) {
            Some(slot) => slot.words.extend(&piece.chunk.words),
            None => slots.push(slot_of(piece, row)),
        }
    }
    slots
}

/// The middle of the baselines of a row's lines.
fn middle_of(lines: &[RowLine]) -> f32 {
    let place = |line: Option<&RowLine>| line.map_or(0.0, |line| line.baseline);
    (place(lines.first()) + place(lines.last())) / 2.0
}

pub(super) fn slot_of<'p>(piece: &Piece<'p>, row: usize) -> Slot<'p> {
    Slot {
        row,
        column: piece.first,
        row_span: 1,
        column_span: piece.last + 1 - piece.first,
        words: piece.chunk.words.clone(),
        area: None,
        is_header: false,
    }
}

//! Drawn rows that hold several rows of values: a grid with rules only between columns.

use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine, text_lines};
use crate::tables::reading::grid::Slot;
use std::collections::BTreeMap;

/// So many lines with a value beside other text are rows, whatever columns their values are in.
const MIN_LISTED: usize = 3;

/// A drawn cell over at least so many rows is divided if a text begins in each of them.
const MIN_LABELS: usize = 3;

/// Divides cells over several drawn rows where each row has a text of its own, beside which no rule is drawn.
pub(super) fn split_spans(slots: &mut Vec<Slot>) {
    let mut tops: BTreeMap<usize, f32> = BTreeMap::new();
    for (slot, area) in slots.iter().filter_map(|slot| Some((slot, slot.area?))) {
        tops.insert(slot.row, area.y0);
    }
    let split = slots.drain(..).flat_map(|slot| match label_starts(&slot, &tops) {
        Some(starts) => split_slot(slot, &starts),
        None => vec![slot],
    });
    *slots = split.collect();
}

/// Where the rows of a cell begin, if a text begins in each of them.
fn label_starts(slot: &Slot, tops: &BTreeMap<usize, f32>) -> Option<Vec<f32>> {
    let starts: Vec<f32> = tops.range(slot.row..slot.row + slot.row_span).map(|(_, top)| *top).collect();
    let lines = text_lines(&slot.words);
    let row = |line: &TextLine| starts.partition_point(|start| *start <= line.baseline).saturating_sub(1);
    // The letter of a part of a form begins a row.
    let is_letter = |chunk: &Chunk| chunk.words.first().is_some_and(|word| word.word.text.len() == 1);
    let is_start = |chunk: &Chunk| !chunk.begins_small() || is_letter(chunk);
    let begins = |own: &[TextLine]| own.first().and_then(|line| line.chunks.first()).is_some_and(is_start);
    let labels = || lines.chunk_by(|a, b| row(a) == row(b));
    let is_split = starts.len() >= MIN_LABELS && starts.len() == slot.row_span && labels().count() == starts.len();
    (is_split && labels().all(begins)).then_some(starts)
}

/// Splits drawn rows that hold several rows of values. Gives the number of rows.
pub(super) fn split_rows(slots: &mut Vec<Slot>, rows: usize) -> usize {
    slots.sort_by_key(|slot| slot.row);
    let mut starts: Vec<Vec<f32>> = vec![Vec::new(); rows];
    for row in slots.chunk_by(|a, b| a.row == b.row) {
        if let Some(own) = row.first().and_then(|slot| starts.get_mut(slot.row)) {
            *own = row_starts(row);
        }
    }
    let firsts = first_rows(&starts);
    let place = |row: usize| firsts.get(row).copied().unwrap_or(row);
    let split = slots.drain(..).flat_map(|slot| {
        let own = starts.get(slot.row).map_or(&[][..], Vec::as_slice);
        let (row, end) = (place(slot.row), place(slot.row + slot.row_span));
        let slot = Slot { row, row_span: end - row, ..slot };
        if own.len() > 1 && end - row == own.len() { split_slot(slot, own) } else { vec![slot] }
    });
    *slots = split.collect();
    place(rows)
}

/// The first row that each row becomes, and the number of rows after them.
fn first_rows(starts: &[Vec<f32>]) -> Vec<usize> {
    let mut next = 0;
    let mut firsts = vec![0];
    for own in starts {
        next += own.len().max(1);
        firsts.push(next);
    }
    firsts
}

/// A line of a drawn row: what stands side by side in its cells.
struct CellLine {
    baseline: f32,
    size: f32,
    /// How many cells it has text in.
    cells: usize,
    /// The columns of its values.
    values: Vec<usize>,
    /// Whether all its text begins in small letters, as the rest of cells does.
    is_rest: bool,
}

/// The top of each line of a drawn row that begins a row of its own; none if its lines are those of its cells.
fn row_starts(row: &[Slot]) -> Vec<f32> {
    let lines = cell_lines(row);
    let listed: Vec<&CellLine> = lines.iter().filter(|line| line.cells > 1 && !line.values.is_empty()).collect();
    let mut columns: Vec<usize> = listed.iter().flat_map(|line| line.values.iter().copied()).collect();
    columns.sort_unstable();
    let is_repeated = columns.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
    if listed.len() < MIN_LISTED && !(listed.len() > 1 && is_repeated) || 2 * listed.len() < lines.len() {
        return Vec::new();
    }
    let starts = lines.iter().enumerate().filter(|(at, line)| *at == 0 || !line.is_rest);
    starts.map(|(_, line)| line.baseline - 0.6 * line.size).collect()
}

/// The lines of a drawn row, from top to bottom.
fn cell_lines(row: &[Slot]) -> Vec<CellLine> {
    let own = row.iter().filter(|slot| slot.row_span == 1);
    let mut placed: Vec<(usize, f32, f32, bool, bool)> = Vec::new();
    for slot in own {
        let mut is_open = false;
        for line in text_lines(&slot.words) {
            let is_rest = is_open || line.chunks.first().is_some_and(Chunk::begins_small);
            let is_value = !is_rest && line.chunks.iter().all(Chunk::is_value);
            placed.push((slot.column, line.baseline, line.size, is_value, is_rest));
            is_open = is_open_at_end(&line);
        }
    }
    placed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut lines: Vec<CellLine> = Vec::new();
    for (column, baseline, size, is_value, is_rest) in placed {
        let values = if is_value { vec![column] } else { Vec::new() };
        match lines.last_mut() {
            Some(line) if baseline - line.baseline < 0.5 * size => {
                line.cells += 1;
                line.values.extend(values);
                line.is_rest &= is_rest;
            }
            _ => lines.push(CellLine { baseline, size, cells: 1, values, is_rest }),
        }
    }
    lines
}

/// Whether a line ends within brackets or a range: its value goes on in the next one.
fn is_open_at_end(line: &TextLine) -> bool {
    let words = || line.chunks.iter().flat_map(|chunk| &chunk.words).map(|word| word.word.text.as_str());
    let count = |signs: [char; 2]| words().flat_map(str::chars).filter(|sign| signs.contains(sign)).count();
    count(['(', '[']) > count([')', ']'])
        || words().next_back().is_some_and(|word| word.len() > 1 && word.ends_with(['-', '–']))
}

/// The lines of a slot, each in the row that it stands in.
fn split_slot<'p>(slot: Slot<'p>, starts: &[f32]) -> Vec<Slot<'p>> {
    let mut parts: Vec<Slot> = Vec::new();
    for line in text_lines(&slot.words) {
        let row = slot.row + starts.partition_point(|start| *start <= line.baseline).saturating_sub(1);
        let words: Vec<PlacedWord> = line.chunks.into_iter().flat_map(|chunk| chunk.words).collect();
        match parts.last_mut() {
            Some(part) if part.row == row => part.words.extend(words),
            _ => parts.push(Slot { row, row_span: 1, words, area: None, ..slot.clone() }),
        }
    }
    parts
}

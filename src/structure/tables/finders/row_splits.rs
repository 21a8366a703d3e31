//! Drawn rows that hold several rows of values: a grid with rules only between columns.

use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine, text_lines};
use crate::tables::reading::grid::Slot;

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

/// The top of each line of a drawn row, if its lines are rows of their own.
fn row_starts(row: &[Slot]) -> Vec<f32> {
    let own: Vec<Vec<TextLine>> =
        row.iter().filter(|slot| slot.row_span == 1).map(|slot| text_lines(&slot.words)).collect();
    let is_value_list =
        |lines: &&Vec<TextLine>| lines.len() > 1 && lines.iter().all(|line| line.chunks.iter().all(Chunk::is_value));
    let lists: Vec<&Vec<TextLine>> = own.iter().filter(is_value_list).collect();
    let most = lists.iter().map(|lines| lines.len()).max().unwrap_or(0);
    if lists.len() < 2 || lists.iter().any(|lines| lines.len() != most) {
        return Vec::new();
    }
    tops(own.iter().flatten())
}

/// The tops of lines, one for lines side by side.
fn tops<'a, 'p: 'a>(lines: impl Iterator<Item = &'a TextLine<'p>>) -> Vec<f32> {
    let mut places: Vec<(f32, f32)> = lines.map(|line| (line.baseline, line.size)).collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut tops = Vec::new();
    let mut last = f32::MIN;
    for (baseline, size) in places {
        if baseline - last > 0.5 * size {
            tops.push(baseline - 0.6 * size);
        }
        last = baseline;
    }
    tops
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

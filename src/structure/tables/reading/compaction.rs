//! Borders without a use: frames, slivers, titles and notes round a grid.

use std::collections::BTreeSet;

use super::grid::Slot;
use crate::caption_label::is_caption_label;
use crate::tables::layout::lines::{PlacedWord, text_lines};
use crate::tables::layout::signs;

/// A grid has at most this many rows of title and of notes.
const MAX_OUTER_ROWS: usize = 12;
/// A wide cell of fewer words above a grid is its head, not its title.
const MIN_TITLE_WORDS: usize = 8;
/// Wide cells of fewer lines below a grid are rows of it.
const MIN_NOTE_LINES: usize = 3;

/// Drops borders that part no text from other text, or signs from their values.
pub(crate) fn compact(mut slots: Vec<Slot>) -> (Vec<Slot>, usize, usize) {
    bind_signs(&mut slots);
    let filled: Vec<Slot> = slots.iter().filter(|s| !s.words.is_empty()).cloned().collect();
    let (starts, ends): (Vec<usize>, Vec<usize>) = filled.iter().map(|s| (s.column, s.column + s.column_span)).unzip();
    let columns = real_borders(&starts, &ends);
    let (starts, ends): (Vec<usize>, Vec<usize>) = filled.iter().map(|s| (s.row, s.row + s.row_span)).unzip();
    let rows = real_borders(&starts, &ends);
    let place = |borders: &[usize], at: usize| borders.partition_point(|b| *b <= at);
    for slot in &mut slots {
        let (first, end) = (place(&columns, slot.column), place(&columns, slot.column + slot.column_span - 1) + 1);
        (slot.column, slot.column_span) = (first, end - first);
        let (first, end) = (place(&rows, slot.row), place(&rows, slot.row + slot.row_span - 1) + 1);
        (slot.row, slot.row_span) = (first, end - first);
    }
    slots.retain(|s| !s.words.is_empty());
    (slots, rows.len() + 1, columns.len() + 1)
}

/// Moves signs that have cells of their own into the cells of their values.
fn bind_signs(slots: &mut [Slot]) {
    let mut filled: Vec<&mut Slot> = slots.iter_mut().filter(|slot| !slot.words.is_empty()).collect();
    filled.sort_by_key(|slot| (slot.row, slot.column));
    for row in filled.chunk_by_mut(|a, b| a.row == b.row) {
        let leads = row.last().and_then(|slot| sign_of(slot)).is_none_or(|text| !signs::is_currency(text));
        for at in 1..row.len() {
            let Some([before, after]) = row.get_mut(at - 1..=at) else { continue };
            let text = |word: Option<&PlacedWord<'_>>| word.map_or("", |word| word.word.text.as_str()).to_owned();
            let (last, first) = (text(before.words.last()), text(after.words.first()));
            if leads && sign_of(before).is_some_and(|sign| signs::is_currency_of(sign, &first)) {
                after.words.splice(0..0, before.words.drain(..));
            } else if sign_of(after).is_some_and(|sign| signs::is_rest_of(sign, &last)) {
                before.words.append(&mut after.words);
            }
        }
    }
}

/// The only word of a cell.
fn sign_of<'p>(slot: &Slot<'p>) -> Option<&'p str> {
    match slot.words.as_slice() {
        [only] => Some(&only.word.text),
        _ => None,
    }
}

/// Places where text ends and text starts; between two such places one is enough.
fn real_borders(starts: &[usize], ends: &[usize]) -> Vec<usize> {
    let starts: BTreeSet<usize> = starts.iter().copied().collect();
    let ends: BTreeSet<usize> = ends.iter().copied().collect();
    let mut borders = Vec::new();
    let mut is_ended = false;
    let last = ends.iter().next_back().copied().unwrap_or(0);
    for at in 1..last {
        is_ended |= ends.contains(&at);
        if is_ended && starts.contains(&at) {
            borders.push(at);
            is_ended = false;
        }
    }
    borders
}

/// Drops titles above and notes below that are drawn as wide cells. Gives the number of rows left.
pub(crate) fn trimmed(slots: &mut Vec<Slot>, rows: usize, columns: usize) -> usize {
    let wide = |row: usize| sole(slots, row).filter(|slot| slot.column_span == columns);
    let is_labelled = |slot: &Slot| is_caption_label(slot.words.iter().map(|word| word.word.text.as_str()));
    let is_title = |row: &usize| {
        wide(*row).is_some_and(|slot| slot.words.len() >= MIN_TITLE_WORDS) || sole(slots, *row).is_some_and(is_labelled)
    };
    let titles = (0..rows.min(MAX_OUTER_ROWS)).take_while(is_title).count();
    let lowest = rows.saturating_sub(MAX_OUTER_ROWS).max(titles);
    let notes: Vec<usize> = (lowest..rows).rev().map_while(wide).map(|slot| text_lines(&slot.words).len()).collect();
    let end = if notes.iter().sum::<usize>() >= MIN_NOTE_LINES { rows - notes.len() } else { rows };
    slots.retain(|slot| slot.row >= titles && slot.row < end);
    slots.iter_mut().for_each(|slot| slot.row -= titles);
    end - titles
}

/// The only slot that covers a row.
fn sole<'a, 'p>(slots: &'a [Slot<'p>], row: usize) -> Option<&'a Slot<'p>> {
    let mut own = slots.iter().filter(|slot| slot.row <= row && row < slot.row + slot.row_span);
    own.next().filter(|_| own.next().is_none())
}

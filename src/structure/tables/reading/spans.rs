//! Cells over several rows: labels at the top or at the middle of their rows.

use super::grid::Slot;

/// A label is at the middle of its rows within this share of their pitch.
const OFF_CENTRE: f32 = 0.3;

/// Labels of the first column go on over the rows that leave only that column empty.
pub(super) fn span_labels(slots: &mut [Slot], heads: usize, places: &[f32], columns: usize) {
    let rows = heads + places.len();
    let mut filled = vec![0_usize; rows];
    for slot in slots.iter().filter(|slot| slot.column > 0) {
        if let Some(count) = filled.get_mut(slot.row) {
            *count += slot.column_span;
        }
    }
    if columns < 3 || filled.iter().skip(heads).any(|count| count + 1 != columns) {
        return;
    }
    let mut labels: Vec<&mut Slot> = slots.iter_mut().filter(|slot| slot.column == 0 && slot.row >= heads).collect();
    labels.sort_by_key(|slot| slot.row);
    let starts: Vec<usize> = match labels.first() {
        Some(first) if first.row == heads && labels.iter().all(|label| label.row_span == 1) => {
            labels.iter().map(|label| label.row).collect()
        }
        _ => middle_starts(&labels, heads, places).unwrap_or_default(),
    };
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(rows);
        if let Some(label) = labels.get_mut(at).filter(|_| end > *start) {
            (label.row, label.row_span) = (*start, end - start);
        }
    }
}

/// Where the rows of each label begin, if each stands at the middle of its rows and they follow each other.
fn middle_starts(labels: &[&mut Slot], heads: usize, places: &[f32]) -> Option<Vec<usize>> {
    let pitch = (places.last()? - places.first()?) / f32::from(u16::try_from(places.len() - 1).ok()?);
    let mut starts = Vec::new();
    let mut start = 0;
    for label in labels {
        let place = label.words.iter().map(|word| word.baseline).sum::<f32>()
            / f32::from(u16::try_from(label.words.len()).ok()?);
        let is_middle = |end: &usize| {
            let middle = (places.get(start).copied().unwrap_or(0.0) + places.get(*end).copied().unwrap_or(0.0)) / 2.0;
            (middle - place).abs() < OFF_CENTRE * pitch
        };
        let end = (start..places.len()).find(is_middle)?;
        starts.push(heads + start);
        start = end + 1;
    }
    (start == places.len()).then_some(starts)
}

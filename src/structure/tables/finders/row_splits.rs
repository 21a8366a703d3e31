//! Drawn rows that hold several rows of values: a grid with rules only between columns.

use crate::measures::WORD_SPACE_EM;
use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine, text_lines, union};
use crate::tables::reading::grid::Slot;
use pagewise_base::script::runs_left;
use std::collections::BTreeMap;

/// So many lines with a value beside other text are rows, whatever columns their values are in.
const MIN_LISTED: usize = 3;

/// So many columns with a value on each line that has values are those of rows, whose text may go on below these lines.
const MIN_SHARED: usize = 2;

/// A drawn row without values is several rows if, at so many heights, so many of its cells and most of them have text again after
/// a line without.
const MIN_PAUSES: usize = 2;
const MIN_RESUMED: usize = 3;

/// The text of a cell stands at its middle within this many ems; what is between rows has no baseline within so many ems.
const OFF_MIDDLE: f32 = 0.8;
const OFF_BASELINE: f32 = 0.25;

/// Beside so many rows a text at the middle is about all of them, though it is also on the line of one.
const MIN_MANY: usize = 5;

/// The rows of a grid are drawn if at most one in so many holds several.
const MIN_DRAWN: usize = 4;
/// The largest distance of text from the sides of its cell, in ems.
const MAX_INSET: f32 = 0.6;

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
    place_lists(slots);
    let mut starts: Vec<Vec<f32>> = vec![Vec::new(); rows];
    let (mut centred, mut wrapped): (Vec<bool>, Vec<usize>) = (Vec::new(), Vec::new());
    for row in slots.chunk_by(|a, b| a.row == b.row) {
        let labels = centred_labels(row);
        if let Some(own) = row.first().and_then(|slot| starts.get_mut(slot.row)) {
            *own = row_lines(&others(row, &labels)).iter().map(|line| line.baseline - 0.6 * line.size).collect();
            wrapped.extend(row.first().map(|slot| slot.row).filter(|_| is_one_row(row)));
        }
        centred.extend(labels);
    }
    // Where nearly all rows are drawn, several values beside a wrapped text are those of one row.
    let lists = starts.iter().filter(|own| own.len() > 1).count();
    if MIN_DRAWN * lists <= rows {
        wrapped.iter().for_each(|row| starts.iter_mut().skip(*row).take(1).for_each(Vec::clear));
    }
    let firsts = first_rows(&starts);
    let place = |row: usize| firsts.get(row).copied().unwrap_or(row);
    let split = slots.drain(..).zip(centred).flat_map(|(slot, is_centred)| {
        let own = starts.get(slot.row).map_or(&[][..], Vec::as_slice);
        let (row, end) = (place(slot.row), place(slot.row + slot.row_span));
        let slot = Slot { row, row_span: end - row, ..slot };
        let is_split = own.len() > 1 && end - row == own.len() && !is_centred;
        if is_split { split_slot(slot, own) } else { vec![slot] }
    });
    *slots = split.collect();
    place(rows)
}

/// Puts a cell over several drawn rows into the last of these where all its lines are labels of rows: no rule is drawn
/// below the head of the labels.
fn place_lists(slots: &mut [Slot]) {
    let mut placed: BTreeMap<usize, (usize, Slot)> = BTreeMap::new();
    for (at, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.row_span > 1) {
        let row = slot.row + slot.row_span - 1;
        placed.entry(row).or_insert((at, Slot { row, row_span: 1, ..slot.clone() }));
    }
    placed.retain(|row, (_, slot)| {
        let own = slots.partition_point(|slot| slot.row < *row)..slots.partition_point(|slot| slot.row <= *row);
        let own = slots.get(own).unwrap_or_default().iter().filter(|own| own.row_span == 1);
        let mut beside: Vec<Slot> = own.cloned().collect();
        let top = beside.iter().filter_map(|own| own.area).map(|area| area.y0).fold(f32::MIN, f32::max);
        let is_within = slot.words.iter().all(|word| word.baseline > top);
        let is_list = is_within && text_lines(&slot.words).len() >= MIN_LISTED;
        beside.push(slot.clone());
        is_list && row_lines(&beside).len() >= MIN_LISTED
    });
    for (at, slot) in placed.into_values() {
        if let Some(place) = slots.get_mut(at) {
            *place = slot;
        }
    }
    slots.sort_by_key(|slot| slot.row);
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
    /// The columns of its text.
    columns: Vec<usize>,
    /// The columns of its values.
    values: Vec<usize>,
    /// Whether all its text begins in small letters, as the rest of cells does.
    is_rest: bool,
}

impl CellLine {
    /// Whether it has a value and other text beside it.
    fn is_listed(&self) -> bool {
        self.columns.len() > 1 && !self.values.is_empty()
    }

    /// Whether `next` has only more text of a cell of this line that is neither its label nor a value.
    fn has_rest_in(&self, next: &Self, label: usize) -> bool {
        let is_text = |column: usize| self.columns.contains(&column) && !self.values.contains(&column);
        matches!(next.columns.as_slice(), [only] if *only != label && is_text(*only))
    }
}

/// For each cell of a drawn row whether its text stands at the middle of it, between the rows of the other cells or beside
/// many of them: it is about all of these rows.
fn centred_labels(row: &[Slot]) -> Vec<bool> {
    let middle: Vec<bool> = row.iter().map(is_at_middle).collect();
    let rows = row_lines(&others(row, &middle));
    let is_beside =
        |line: &TextLine| rows.iter().any(|own| (own.baseline - line.baseline).abs() < OFF_BASELINE * line.size);
    let is_label = |slot: &Slot| {
        let lines = text_lines(&slot.words);
        2 * lines.len() <= rows.len() && (rows.len() >= MIN_MANY || !lines.iter().any(is_beside))
    };
    row.iter().zip(middle).map(|(slot, is_middle)| is_middle && is_label(slot)).collect()
}

/// The cells that are not marked.
fn others<'p>(row: &[Slot<'p>], marks: &[bool]) -> Vec<Slot<'p>> {
    row.iter().zip(marks).filter(|(_, is_marked)| !**is_marked).map(|(slot, _)| slot.clone()).collect()
}

/// Whether the text of a drawn cell stands as far from its top as from its bottom, with room for another line at both.
fn is_at_middle(slot: &Slot) -> bool {
    let (Some(area), Some(text)) = (slot.area, union(slot.words.iter().map(|word| word.word.bounds))) else {
        return false;
    };
    let size = slot.words.iter().map(|word| word.word.size).fold(0.0, f32::max);
    let (over, under) = (text.y0 - area.y0, area.y1 - text.y1);
    slot.row_span == 1 && (over - under).abs() < OFF_MIDDLE * size && over + under > size
}

/// Whether the lines of a drawn row are those of one row. In some cells text is wrapped, over more lines than any other cell has,
/// and at most twice as many cells list lines. No cell has a line twice, as one with the units of several values would.
fn is_one_row(row: &[Slot]) -> bool {
    let own = || row.iter().filter(|slot| slot.row_span == 1 && text_lines(&slot.words).len() > 1);
    let (wrapped, lists): (Vec<&Slot>, Vec<&Slot>) = own().partition(|slot| is_wrapped(slot));
    let repeats =
        |slot: &Slot| text_lines(&slot.words).windows(2).any(|pair| matches!(pair, [a, b] if texts(a).eq(texts(b))));
    let longest = |cells: &[&Slot]| cells.iter().map(|slot| text_lines(&slot.words).len()).max();
    longest(&wrapped) > longest(&lists) && 2 * wrapped.len() >= lists.len() && !own().any(repeats)
}

/// Whether the text of a drawn cell goes on from line to line: the next word had no room on the line above it.
fn is_wrapped(slot: &Slot) -> bool {
    let lines = text_lines(&slot.words);
    let chunks: Vec<&Chunk> = lines.iter().filter_map(|line| line.chunks.first()).collect();
    let Some(area) = slot.area else { return false };
    let size = lines.iter().map(|line| line.size).fold(0.0, f32::max);
    let inset = chunks.iter().map(|chunk| chunk.bounds.x0 - area.x0).fold(MAX_INSET * size, f32::min);
    let has_room = |above: &Chunk, below: &Chunk| {
        let word = below.words.first().map_or(0.0, |word| word.word.bounds.width() + WORD_SPACE_EM * word.word.size);
        above.bounds.width() + word < area.width() - 2.0 * inset
    };
    !chunks.iter().any(|chunk| chunk.is_value())
        && chunks.windows(2).any(|pair| matches!(pair, [above, below] if !has_room(above, below)))
}

/// The lines of a drawn row that begin rows of their own; none if its lines are those of its cells.
fn row_lines(row: &[Slot]) -> Vec<CellLine> {
    let mut lines = cell_lines(row);
    let unmarked = lines.len() - mark_rests(&mut lines, label_column(row));
    let listed: Vec<&CellLine> = lines.iter().filter(|line| line.is_listed()).collect();
    let mut columns: Vec<usize> = listed.iter().flat_map(|line| line.values.iter().copied()).collect();
    columns.sort_unstable();
    let is_repeated = columns.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
    let is_list = listed.len() >= MIN_LISTED || listed.len() > 1 && is_repeated;
    if !is_list || 2 * listed.len() < unmarked {
        return resumed_lines(lines);
    }
    let mut is_first = true;
    lines.retain(|line| std::mem::take(&mut is_first) || !line.is_rest);
    lines
}

/// The first lines of the rows within a drawn row: the first one, and each one at which most cells have text again. Between them
/// cells only end. Empty if the drawn row is one row.
fn resumed_lines(lines: Vec<CellLine>) -> Vec<CellLine> {
    let mut starts: Vec<CellLine> = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    for line in lines {
        let columns = line.columns.clone();
        let is_rest = columns.iter().all(|column| above.contains(column));
        match starts.last() {
            Some(_) if is_rest => {}
            Some(start) => {
                let is_resumed = |column: &&usize| !above.contains(column) && start.columns.contains(column);
                let resumed = columns.iter().filter(is_resumed).count();
                if resumed < MIN_RESUMED || 2 * resumed <= start.columns.len() {
                    return Vec::new();
                }
                starts.push(line);
            }
            None => starts.push(line),
        }
        above = columns;
    }
    if starts.len() > MIN_PAUSES { starts } else { Vec::new() }
}

/// The column of the labels of a drawn row: the first one as it is read.
fn label_column(row: &[Slot]) -> usize {
    let own = || row.iter().filter(|slot| !slot.words.is_empty());
    let is_left = runs_left(own().flat_map(|slot| &slot.words).map(|word| word.word.text.as_str()));
    let columns = || own().map(|slot| slot.column);
    if is_left { columns().max() } else { columns().min() }.unwrap_or(0)
}

/// Marks the lines in which only the text of the row above goes on, if all lines with values have `MIN_SHARED` in common.
/// Gives how many it marked.
fn mark_rests(lines: &mut [CellLine], label: usize) -> usize {
    let listed = || lines.iter().filter(|line| line.is_listed());
    let shared = listed()
        .map(|line| line.values.clone())
        .reduce(|all, own| all.into_iter().filter(|column| own.contains(column)).collect());
    if shared.is_none_or(|shared| shared.len() < MIN_SHARED) {
        return 0;
    }
    let (mut host, mut marked): (Option<usize>, usize) = (None, 0);
    for at in 0..lines.len() {
        let (above, below) = lines.split_at_mut(at);
        let Some(line) = below.first_mut() else { break };
        if host.and_then(|host| above.get(host)).is_some_and(|host| host.has_rest_in(line, label)) {
            line.is_rest = true;
            marked += 1;
        }
        host = if line.is_rest { host } else { line.is_listed().then_some(at) };
    }
    marked
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
                line.columns.push(column);
                line.values.extend(values);
                line.is_rest &= is_rest;
            }
            _ => lines.push(CellLine { baseline, size, columns: vec![column], values, is_rest }),
        }
    }
    lines
}

/// The words of a line.
fn texts<'l>(line: &'l TextLine) -> impl DoubleEndedIterator<Item = &'l str> {
    line.chunks.iter().flat_map(|chunk| &chunk.words).map(|word| word.word.text.as_str())
}

/// Whether a line ends within brackets or a range: its value goes on in the next one.
fn is_open_at_end(line: &TextLine) -> bool {
    let count = |signs: [char; 2]| texts(line).flat_map(str::chars).filter(|sign| signs.contains(sign)).count();
    count(['(', '[']) > count([')', ']'])
        || texts(line).next_back().is_some_and(|word| word.len() > 1 && word.ends_with(['-', '–']))
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

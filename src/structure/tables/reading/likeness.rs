//! Whether a grid is a table.

use super::area::Proof;
use super::centred::{HALF_PITCH, OFF_MIDDLE};
use super::columns::Column;
use super::grid::Slot;
use crate::list_marks::{is_list_mark, is_section_number};
use crate::page_structure::{is_value, page_number};
use crate::tables::layout::lines::{Chunk, PlacedWord, TextLine, is_item, text_lines, union};
use crate::tables::layout::signs::is_currency;
use pagewise_text::Bounds;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Minimum number of lines that a border divides, and of words on each side of it.
const MIN_CUT: usize = 3;
/// Words nearer than this many ems are of one line. Cells have room at both sides of a border.
const WORD_SPACE: f32 = 0.4;
/// The spaces of justified lines are narrower than this many ems. At least so many cells that follow each other so are
/// parts of lines.
const LOOSE_SPACE: f32 = 0.6;
const MIN_PARTS: usize = 2;
/// Minimum number of cells of a column in which the text of the cell above goes on, and of the words of that.
const MIN_RUNNING: usize = 3;
const MIN_PROSE_WORDS: usize = 4;
/// Minimum number of lines of each of the panels side by side.
const MIN_PANEL: usize = 10;
/// A sign that is drawn apart leaves a gap of fewer ems in its sentence.
const SENTENCE_GAP: f32 = 3.0;
/// So many ascending numbers in the last column are page numbers, whatever stands in the others.
const MIN_CONTENTS: usize = 6;

/// Chunks of one line further apart than this many ems are not of one cell, drawn or not.
pub(crate) const FAR_CHUNKS: f32 = 1.5;
/// Minimum number of rows whose cells hold several columns.
const MIN_DIVIDED: usize = 3;
/// Minimum number of rows of two columns of text, or of one below a head.
const MIN_PAIRS: usize = 3;
/// The head of a table that nothing draws has more rows only if its body has as many.
const MAX_HEADS: usize = 4;
/// Without rules, a head over one row is a table from so many columns on, and from so many values in the row.
pub(crate) const MIN_HEADED: usize = 3;
const MIN_HEADED_VALUES: usize = 2;
/// The cells of each are further apart than this many ems.
const HEAD_GAP: f32 = 1.0;
/// Values stand so near, in points, to their place below a head.
const OFF_HEAD_PT: f32 = 5.0;
/// Maximum number of words of such a head.
const MAX_HEAD_WORDS: usize = 6;
/// Minimum number of rows of a template, which has no values yet.
const MIN_LABELS: usize = 3;

/// So many cells at most are boxes with text and no table if each has so many lines.
const MAX_PAGES: usize = 6;
const MIN_PAGE_LINES: usize = 12;

/// Whether a few drawn cells hold many lines each, as several pages on a sheet do.
pub(crate) fn are_pages(slots: &[Slot]) -> bool {
    let filled = || slots.iter().filter(|slot| !slot.words.is_empty());
    filled().count() <= MAX_PAGES && filled().all(|slot| text_lines(&slot.words).len() >= MIN_PAGE_LINES)
}

/// Whether drawn cells hold the text of a table.
pub(crate) fn is_grid(slots: &[Slot], rows: usize, columns: usize) -> bool {
    let filled: Vec<&Slot> = slots.iter().filter(|slot| !slot.words.is_empty()).collect();
    let full_rows = full(filled.iter().map(|slot| slot.row..slot.row + slot.row_span), rows);
    let full_columns = full(filled.iter().map(|slot| slot.column..slot.column + slot.column_span), columns);
    let is_crossed = full_rows >= 2 && full_columns >= 2 || full_rows >= 3 && full_columns >= 1;
    is_crossed && 10 * filled.len() >= 3 * slots.len()
}

/// Whether the drawn cells of a single column are a list: each has one line, and only the first, its head, is bold.
pub(crate) fn is_list(slots: &[Slot], rows: usize) -> bool {
    let is_bold = |slot: &Slot| slot.words.iter().all(|word| word.word.is_bold);
    let (heads, items): (Vec<&Slot>, Vec<&Slot>) = slots.iter().partition(|slot| slot.row == 0);
    rows > MIN_PAIRS
        && slots.len() == rows
        && slots.iter().all(|slot| text_lines(&slot.words).len() == 1)
        && heads.into_iter().all(is_bold)
        && !items.into_iter().any(is_bold)
}

/// Whether cells of several rows hold values far apart: not all borders of the columns are drawn.
pub(crate) fn has_columns_within(slots: &[Slot]) -> bool {
    let is_far = |pair: &[Chunk], size: f32| {
        let is_value = pair.iter().any(Chunk::is_value);
        is_value && matches!(pair, [a, b] if b.bounds.x0 - a.bounds.x1 > FAR_CHUNKS * size)
    };
    let is_divided = |line: &TextLine| line.chunks.windows(2).any(|pair| is_far(pair, line.size));
    let divided = slots.iter().filter(|slot| text_lines(&slot.words).iter().any(is_divided)).map(|slot| slot.row);
    divided.collect::<BTreeSet<usize>>().len() >= MIN_DIVIDED
}

/// Whether borders run through lines of text: on both sides of one stand the words of single lines, a word space apart.
pub(crate) fn cuts_lines(slots: &[Slot]) -> bool {
    let long = || slots.iter().filter(|slot| slot.words.len() >= MIN_CUT);
    let places: BTreeMap<(usize, usize), &Slot> = long().map(|slot| ((slot.row, slot.column), slot)).collect();
    let beside = |left: &Slot| places.get(&(left.row, left.column + left.column_span)).copied();
    long().any(|left| beside(left).is_some_and(|right| is_cut(left, right))) || are_parts_of_lines(slots)
}

/// Whether nearly all cells stand a word space after the one before, and most of them go on in small letters: these are
/// parts of sentences, each on a ground of its own.
fn are_parts_of_lines(slots: &[Slot]) -> bool {
    let filled = || slots.iter().filter(|slot| !slot.words.is_empty());
    let places: BTreeMap<(usize, usize), &Slot> = filled().map(|slot| ((slot.row, slot.column), slot)).collect();
    let (mut pairs, mut near, mut running) = (0, 0, 0);
    for left in filled() {
        let Some(right) = places.get(&(left.row, left.column + left.column_span)) else { continue };
        let Some(gap) = line_gap(left, right) else { continue };
        pairs += 1;
        if gap < LOOSE_SPACE {
            near += 1;
            running += usize::from(begins_small(right));
        }
    }
    near >= MIN_PARTS && 4 * near >= 3 * pairs && 2 * running >= near
}

/// The space in ems between the end of a cell and the text on the same baseline in the next one.
fn line_gap(left: &Slot, right: &Slot) -> Option<f32> {
    let last = left.words.last()?;
    let is_beside = |word: &&PlacedWord| (word.baseline - last.baseline).abs() < 0.1 * last.word.size;
    Some(last.gap_to(right.words.iter().find(is_beside)?))
}

/// Whether most lines of two cells are the halves of lines.
fn is_cut(left: &Slot, right: &Slot) -> bool {
    let ends = text_lines(&left.words);
    let (mut both, mut cut) = (0, 0);
    for line in text_lines(&right.words) {
        let is_beside = |other: &&TextLine| (other.baseline - line.baseline).abs() < 0.1 * line.size;
        let (Some(end), Some(start)) = (ends.iter().find(is_beside), line.chunks.first()) else { continue };
        let gap = end.chunks.last().map_or(f32::MAX, |chunk| start.bounds.x0 - chunk.bounds.x1);
        both += 1;
        cut += usize::from(gap < WORD_SPACE * line.size);
    }
    cut >= MIN_CUT && 2 * cut > both
}

/// Whether text runs on from cell to cell down several columns: these are columns of prose, or of prose and lists.
fn is_running_text(slots: &[Slot], columns: usize) -> bool {
    let runs_on = |column: &usize| {
        let mut own: Vec<&Slot> = slots.iter().filter(|slot| slot.column == *column && slot.column_span == 1).collect();
        own.sort_by_key(|slot| slot.row);
        let count = |test: fn(&Slot, &Slot) -> bool| {
            own.windows(2).filter(|pair| matches!(pair, [above, below] if test(above, below))).count()
        };
        let (running, items) = (count(goes_on), count(|_, below| is_item(&below.words)));
        running >= MIN_RUNNING.min(own.len().saturating_sub(1)).max(1) && 3 * (running + items) >= own.len()
    };
    (0..columns).filter(runs_on).count() > 1
}

/// Whether the text of a cell goes on in the one below.
fn goes_on(above: &Slot, below: &Slot) -> bool {
    let ends = |word: &str| word.ends_with(['.', ':', ';', '!', '?', '。']);
    let is_open = above.words.last().is_some_and(|word| !ends(&word.word.text));
    is_open && above.words.len() >= MIN_PROSE_WORDS && begins_small(below)
}

fn begins_small(slot: &Slot) -> bool {
    slot.words.first().and_then(|word| word.word.text.chars().next()).is_some_and(char::is_lowercase)
}

/// Whether a cell is the label of its row: words in the first column. The first column of a chart is its axis.
fn is_label(slot: &Slot) -> bool {
    slot.column == 0 && !is_value(slot.words.iter().map(|word| word.word.text.as_str()))
}

/// Whether these are the steps of a list beside their numbers, such as `1.` and `1:`.
fn is_numbered(body: &[&Slot], columns: usize) -> bool {
    let is_number = |text: &str| {
        let digits = text.trim_end_matches(['.', ':', ')']);
        digits.len() < text.len() && digits.chars().all(|sign| sign.is_ascii_digit())
    };
    let is_mark = |slot: &&Slot| matches!(slot.words.as_slice(), [only] if is_number(&only.word.text));
    columns == 2 && body.iter().filter(|slot| slot.column == 0).all(is_mark)
}

/// Whether these are clauses or items beside their numbers and marks: each column before the last has hardly anything else,
/// and the last one has sentences.
pub(crate) fn are_clauses(slots: &[Slot], columns: usize) -> bool {
    let own = |column: usize| slots.iter().filter(move |slot| slot.column == column && slot.column_span == 1);
    let is_mark = |slot: &&Slot| {
        let first = slot.words.first().map_or("", |word| word.word.text.as_str());
        let is_single = slot.words.len() == 1 && first.chars().count() == 1;
        // The rest of a wrapped line may stand below a mark.
        slot.words.len() <= 2 && (is_list_mark(first) || is_section_number(first)) || is_single
    };
    let are_marks = |column: usize| 2 * own(column).filter(is_mark).count() > own(column).count();
    let text = columns.saturating_sub(1);
    let words: usize = own(text).map(|slot| slot.words.len()).sum();
    let mut heads = slots.iter().filter(|slot| slot.is_header && slot.column < text);
    heads.all(|head| is_mark(&head))
        && (0..text).all(are_marks)
        && !is_valued(slots, text)
        && words >= MIN_PROSE_WORDS * own(text).count()
}

/// Whether the columns are panels with texts of their own: the lines of neighbours seldom share a baseline.
pub(crate) fn are_panels(lines: &[TextLine], columns: &[Column]) -> bool {
    let is_border = |pair: &[Column]| match pair {
        [left, right] => is_parted(lines, left.lo..left.hi, right.lo..right.hi, MIN_PANEL),
        _ => false,
    };
    columns.windows(2).all(is_border)
}

/// Whether two ranges beside each other hold separate texts: each has at least `least` lines, and few of the lines of one are
/// level with lines of the other.
pub(crate) fn is_parted(lines: &[TextLine], left: Range<f32>, right: Range<f32>, least: usize) -> bool {
    let has = |line: &TextLine, own: &Range<f32>| {
        line.chunks.iter().any(|chunk| own.start <= chunk.bounds.x0 && chunk.bounds.x1 <= own.end)
    };
    let (mut lefts, mut rights, mut both) = (0, 0, 0);
    for (at, line) in lines.iter().enumerate() {
        let (is_left, is_right) = (has(line, &left), has(line, &right));
        let around = at.checked_sub(1).and_then(|first| lines.get(first..=at + 1));
        let is_centred = matches!(around, Some([above, line, below])
            if is_middle(above, line, below)
                && has(above, &left) == has(below, &left)
                && has(above, &left) != is_left);
        lefts += usize::from(is_left);
        rights += usize::from(is_right);
        both += usize::from(is_left && is_right || is_centred);
    }
    lefts.min(rights) >= least && 5 * both <= 3 * lefts.min(rights)
}

/// Whether a line stands at the middle of the lines of a cell beside it.
fn is_middle(above: &TextLine, line: &TextLine, below: &TextLine) -> bool {
    let (over, under) = (line.baseline - above.baseline, below.baseline - line.baseline);
    over.max(under) < HALF_PITCH * line.size && (over - under).abs() < OFF_MIDDLE * line.size
}

/// Whether two rows are the wide spaces of a paragraph: most cells of the first one begin as the middle of a sentence, or
/// one sentence runs through those of the second.
fn are_lines(slots: &[Slot], rows: usize) -> bool {
    let first = || slots.iter().filter(|slot| slot.row == 0);
    let mut second: Vec<&Slot> = slots.iter().filter(|slot| slot.row == 1).collect();
    second.sort_by_key(|slot| slot.column);
    let is_open = |left: &Slot, right: &Slot| {
        goes_on(left, right)
            && right.words.len() >= MIN_PROSE_WORDS
            && gap_between(left, right).is_some_and(|gap| gap < SENTENCE_GAP)
    };
    let is_sentence = second.len() > 1 && second.windows(2).all(|pair| matches!(pair, [a, b] if is_open(a, b)));
    rows == 2 && (is_sentence || 2 * first().filter(|slot| begins_small(slot)).count() > first().count())
}

/// Whether two rows that nothing draws are a head and its values: both fill every column, and each value stands below its
/// own head. Two lines of other text seldom agree in three places.
fn is_head_over_values(slots: &[Slot], columns: usize) -> bool {
    let is_value = |slot: &Slot| is_value(slot.words.iter().map(|word| word.word.text.as_str()));
    let row = |row: usize| {
        let mut own: Vec<&Slot> = slots.iter().filter(|slot| slot.row == row).collect();
        own.sort_by_key(|slot| slot.column);
        own
    };
    let (heads, values) = (row(0), row(1));
    let is_single = |slot: &Slot| slot.column_span == 1 && slot.row_span == 1;
    let is_apart = |own: &[&Slot]| {
        own.windows(2).all(|pair| matches!(pair, [a, b] if gap_between(a, b).is_some_and(|gap| gap > HEAD_GAP)))
    };
    let are_short = heads.iter().all(|slot| slot.words.len() <= MAX_HEAD_WORDS && !is_value(slot));
    columns >= MIN_HEADED
        && slots.len() == 2 * columns
        && slots.iter().all(|slot| is_single(slot) && !slot.words.is_empty())
        && are_short
        && is_apart(&heads)
        && is_apart(&values)
        && values.iter().filter(|slot| is_value(slot)).count() >= MIN_HEADED_VALUES
        && heads.iter().zip(&values).all(|(head, value)| {
            slot_bounds(head).zip(slot_bounds(value)).is_some_and(|(head, value)| is_below(head, value))
        })
}

/// The space between the texts of two cells beside each other, in ems.
fn gap_between(left: &Slot, right: &Slot) -> Option<f32> {
    let size = right.words.first()?.word.size;
    Some((slot_bounds(right)?.x0 - slot_bounds(left)?.x1) / size)
}

fn slot_bounds(slot: &Slot) -> Option<Bounds> {
    union(slot.words.iter().map(|word| word.word.bounds))
}

/// Whether a text has the left edge, the right edge or the middle of the head above it.
pub(crate) fn is_below(head: Bounds, text: Bounds) -> bool {
    let middle = (head.x0 + head.x1 - text.x0 - text.x1).abs() / 2.0;
    (head.x0 - text.x0).abs().min((head.x1 - text.x1).abs()).min(middle) < OFF_HEAD_PT
}

/// How many of `count` places are in two ranges or more.
fn full(ranges: impl Iterator<Item = std::ops::Range<usize>>, count: usize) -> usize {
    let mut hits = vec![0_usize; count];
    for range in ranges {
        hits.iter_mut().take(range.end).skip(range.start).for_each(|hit| *hit += 1);
    }
    hits.iter().filter(|hit| **hit >= 2).count()
}

/// Whether columns that nothing draws are those of a table: two need values, and none are formulas.
fn is_listing(slots: &[Slot], columns: usize) -> bool {
    let has_values = (1..columns).any(|column| is_valued(slots, column));
    (columns > 2 || is_valued(slots, 1) || is_paired(slots))
        && !is_mathematics(slots)
        && !are_lists(slots, columns)
        && (has_values || !are_addresses(slots))
}

/// Whether a bold head stands over two columns, and each row has a name and a text, which is not bold.
fn is_paired(slots: &[Slot]) -> bool {
    let is_bold = |slot: &Slot| slot.words.iter().all(|word| word.word.is_bold);
    let is_name = |slot: &Slot| {
        let signs = slot.words.iter().flat_map(|word| word.word.text.chars());
        signs.filter(|sign| sign.is_alphanumeric()).count() > 1 && !is_item(&slot.words)
    };
    let is_own = |slot: &Slot| match (slot.is_header, slot.column) {
        (true, _) => is_bold(slot),
        (false, 0) => is_name(slot),
        (false, _) => !is_bold(slot),
    };
    let rows = slots.iter().filter(|slot| slot.column == 0).count();
    rows > MIN_PAIRS && slots.len() == 2 * rows && slots.iter().all(is_own)
}

/// Whether a column after the first holds nothing but signs of currencies: the blanks of a form.
fn has_blanks(slots: &[Slot], columns: usize) -> bool {
    let is_blank = |slot: &Slot| matches!(slot.words.as_slice(), [only] if is_currency(&only.word.text));
    (1..columns).any(|column| {
        let own = || slots.iter().filter(|slot| slot.column == column && !slot.words.is_empty());
        own().count() > 1 && own().all(is_blank)
    })
}

/// Whether the cells of a row are addresses of mail, as those of authors side by side are.
fn are_addresses(slots: &[Slot]) -> bool {
    let has_address = |slot: &&Slot| slot.words.iter().any(|word| word.word.text.contains('@'));
    let mut rows: Vec<usize> = slots.iter().filter(has_address).map(|slot| slot.row).collect();
    rows.sort_unstable();
    rows.windows(2).any(|pair| matches!(pair, [a, b] if a == b))
}

/// Whether most cells of several columns begin with the mark of an item, as lists side by side do.
fn are_lists(slots: &[Slot], columns: usize) -> bool {
    let is_list = |column: &usize| {
        let own = || slots.iter().filter(|slot| slot.column == *column);
        2 * own().filter(|slot| is_item(&slot.words)).count() > own().count()
    };
    (0..columns).filter(is_list).count() > 1
}

/// Whether most cells of a column are values.
fn is_valued(slots: &[Slot], column: usize) -> bool {
    let own = || slots.iter().filter(|slot| slot.column == column);
    let values = own().filter(|slot| is_value(slot.words.iter().map(|w| w.word.text.as_str()))).count();
    2 * values > own().count()
}

/// Whether the last column holds nothing but ascending numbers beside words, as the page numbers of contents do.
fn is_contents(slots: &[Slot], columns: usize) -> bool {
    let mut last: Vec<&Slot> = slots.iter().filter(|slot| slot.column + 1 == columns).collect();
    last.sort_by_key(|slot| slot.row);
    let words: Vec<&str> =
        last.iter().flat_map(|slot| &slot.words).map(|w| w.word.text.trim_start_matches('.')).collect();
    let pages: Vec<(u32, bool)> = words.iter().filter_map(|word| page_number(word)).collect();
    let numbers: Vec<u32> = pages.iter().filter(|(_, is_roman)| !is_roman).map(|(number, _)| *number).collect();
    let is_ascending = numbers.windows(2).all(|pair| matches!(pair, [a, b] if a <= b));
    let is_worded = numbers.len() >= MIN_CONTENTS || !(1..columns - 1).any(|column| is_valued(slots, column));
    pages.len() == words.len() && 2 * numbers.len() > pages.len() && is_ascending && is_worded
}

/// Whether many cells hold the signs of formulas.
fn is_mathematics(slots: &[Slot]) -> bool {
    let has_sign = |slot: &&Slot| slot.words.iter().any(|w| w.word.text.chars().any(is_formula_sign));
    4 * slots.iter().filter(has_sign).count() > slots.len()
}

/// Whether a character relates or joins terms of a formula.
fn is_formula_sign(c: char) -> bool {
    matches!(c, '=' | '\u{2190}'..='\u{21ff}' | '\u{2200}'..='\u{2211}' | '\u{2213}'..='\u{22ff}' | '\u{27c0}'..='\u{27ff}')
}

/// The share of cells of the columns after the first that stand at one left edge, right edge or centre of their column.
fn aligned_share(body: &[&Slot], columns: usize) -> f32 {
    let (mut aligned, mut all) = (0.0, 0.0);
    for column in 1..columns {
        let own: Vec<Bounds> = body
            .iter()
            .filter(|s| s.column == column && s.column_span == 1)
            .filter_map(|s| union(s.words.iter().map(|w| w.word.bounds)))
            .collect();
        if own.len() < 2 {
            continue;
        }
        let size = body.first().and_then(|s| s.words.first()).map_or(10.0, |w| w.word.size);
        let places: [fn(&Bounds) -> f32; 3] = [|b| b.x0, |b| b.x1, |b| (b.x0 + b.x1) / 2.0];
        let best =
            places.iter().map(|place| most_at_one(own.iter().map(place).collect(), 0.25 * size)).max().unwrap_or(0);
        aligned += as_share(best);
        all += as_share(own.len());
    }
    if all > 0.0 { aligned / all } else { 1.0 }
}

fn as_share(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap_or(u16::MAX))
}

/// The most places within a distance of one of them.
fn most_at_one(mut places: Vec<f32>, distance: f32) -> usize {
    places.sort_by(f32::total_cmp);
    let mut start = 0;
    let mut most = 0;
    for (at, place) in places.iter().enumerate() {
        while places.get(start).is_some_and(|first| place - first > distance) {
            start += 1;
        }
        most = most.max(at + 1 - start);
    }
    most
}

/// Whether columns found by white space hold a table. `heads` rows of `rows` are its head.
pub(crate) fn is_table(slots: &[Slot], heads: usize, rows: usize, columns: &[Column], proof: Proof) -> bool {
    let body: Vec<&Slot> = slots.iter().filter(|s| s.row >= heads).collect();
    let body_rows = rows - heads;
    let mut filled = vec![0_usize; rows];
    for slot in &body {
        if let Some(count) = filled.get_mut(slot.row) {
            *count += 1;
        }
    }
    let full = filled.iter().filter(|n| **n >= 2).count();
    let spans = body.iter().filter(|s| s.column_span > 1).count();
    let places = body_rows * columns.len();
    let share = if proof.is_drawn() { 3 } else { 5 };
    let is_dense = 10 * body.len() >= share * places && 2 * full >= body_rows && 5 * spans <= body.len();
    if proof == Proof::Labelled {
        let labels = body.iter().filter(|slot| is_label(slot)).count();
        let is_template = labels == body.len() && body_rows >= MIN_LABELS;
        return (is_dense || is_template) && !is_numbered(&body, columns.len()) && !is_contents(slots, columns.len());
    }
    let enough = if proof.is_drawn() {
        rows >= 2 && full >= 1
    } else {
        rows >= 3 && full >= 2 || rows == 2 && is_head_over_values(slots, columns.len())
    };
    let words: usize = body.iter().map(|s| s.words.len()).sum();
    let is_prose = words > 25 * body.len() || aligned_share(&body, columns.len()) < 0.45;
    let is_prose = is_prose || is_running_text(slots, columns.len()) || are_lines(slots, rows);
    let is_free = proof.is_drawn() || heads <= body_rows.max(MAX_HEADS) && is_listing(slots, columns.len());
    is_dense
        && enough
        && !is_prose
        && is_free
        && !has_blanks(slots, columns.len())
        && !is_contents(slots, columns.len())
}

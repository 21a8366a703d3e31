//! Segments: runs of words on one baseline without a wide gap.

use super::super::bounds::quarters;
use super::super::caption_label::is_caption_label;
use super::super::list_marks::{is_bullet_sign, is_list_mark};
use super::super::page_structure::{LineWord, ends_label, has_letter, is_cell_value};
use super::fixed_pitch::{is_whole_shift, pitch};
use super::lines::DrawnBoxes;
use crate::measures::SCRIPT_SIZE;
use pagewise_base::script::{Letters, is_right_to_left, runs_left};
use pagewise_text::{
    Bounds, COLUMN_GAP_EM, ColumnPart, HasPlace, SCRIPT_GAP_EM, WordPlace, are_apart, parts, rows_of, strands,
};
use std::collections::BTreeMap;

/// The dots of a leader stand further apart.
const LEADER_GAP_EM: f32 = 3.0;
/// An index touches the word before it: the gap is smaller, in ems.
const INDEX_GAP_EM: f32 = 0.3;
/// The number of an entry has at most so many digits, and its text begins at most so many ems after it.
const MAX_MARK: usize = 3;
const MAX_MARK_EM: f32 = 6.0;
/// The caption of a figure begins at most so many ems after its label.
const MAX_LABEL_EM: f32 = 3.0;
/// Minimum number of marks that stand below each other, and of signs such as bullets or numbers that follow each other beside
/// texts that are at least so wide, in ems.
const MIN_MARKS: usize = 3;
const MIN_CERTAIN: usize = 2;
const MIN_TEXT_EM: f32 = 12.0;
/// The comment of a line of code begins at most so many ems after it.
const MAX_COMMENT_EM: f32 = 6.0;
/// So many lengths are counted to find the most frequent one.
const MAX_LENGTHS: usize = 16;
/// So many words of each of two segments are compared.
const MAX_NEIGHBOURS: usize = 300;

/// Words on one baseline without a wide gap, or a block of another kind.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    pub(super) words: Vec<LineWord>,
    pub(super) bounds: Bounds,
    pub(super) baseline: f32,
    pub(super) size: f32,
    pub(super) block: Option<usize>,
    /// The index of its first word among those of the page.
    pub(super) first: usize,
    runs_left: bool,
}

/// A word on a page, with its place in the reading order and its baseline.
struct PlacedWord {
    order: usize,
    word: LineWord,
    baseline: f32,
}

impl HasPlace for PlacedWord {
    fn place(&self) -> WordPlace {
        let Self { order, word: LineWord { bounds, style, is_spaced, .. }, baseline } = self;
        WordPlace { bounds: *bounds, baseline: *baseline, size: style.size, order: *order, is_spaced: *is_spaced }
    }
}

impl HasPlace for Segment {
    fn place(&self) -> WordPlace {
        let Self { bounds, baseline, size, first, .. } = self;
        WordPlace { bounds: *bounds, baseline: *baseline, size: *size, order: *first, is_spaced: true }
    }
}

impl ColumnPart for Segment {
    fn is_mark(&self) -> bool {
        matches!(self.words.as_slice(), [word] if is_mark(&word.text))
    }

    fn is_item(&self) -> bool {
        let Some(first) = self.words.first() else { return false };
        let is_number = first.text.chars().all(|sign| sign.is_ascii_digit());
        let is_glued = first.text.starts_with(is_bullet_sign);
        self.words.len() > 1 && !is_number && is_mark(&first.text) || is_glued && !self.is_mark()
    }

    fn is_entry(&self) -> bool {
        let begins = self.words.first().is_some_and(|word| word.text.starts_with(char::is_alphabetic));
        let is_number =
            |text: &str| text.chars().any(|sign| sign.is_ascii_digit()) && !text.contains(char::is_uppercase);
        self.words.len() > 1 && begins && self.words.last().is_some_and(|word| is_number(&word.text))
    }

    fn is_value(&self) -> bool {
        let mut signs = self.words.iter().flat_map(|word| word.text.chars());
        is_cell_value(&self.words) && signs.any(|sign| sign.is_numeric() || stands_for_value(sign))
    }

    fn is_label(&self) -> bool {
        ends_label(&self.words)
    }

    fn begins_within(&self) -> bool {
        let first = self.words.first().and_then(|word| word.text.chars().next());
        first.is_some_and(|sign| sign.is_alphabetic() && !sign.is_uppercase())
    }

    fn is_block(&self) -> bool {
        self.block.is_some()
    }

    fn runs_left(&self) -> bool {
        self.runs_left
    }
}

/// Whether a sign may stand for a value, or apart from it: a dash, or that of a currency.
fn stands_for_value(sign: char) -> bool {
    matches!(sign, '-' | '–' | '—' | '−' | '$' | '€' | '£' | '¥')
}

impl Segment {
    pub(super) fn of_block(index: usize, bounds: Bounds) -> Self {
        Self {
            words: Vec::new(),
            bounds,
            baseline: bounds.y1,
            size: 1.0,
            block: Some(index),
            first: 0,
            runs_left: false,
        }
    }

    fn of_words(words: Vec<(LineWord, f32)>, first: usize) -> Self {
        let bounds = Bounds::around(words.iter().map(|(word, _)| word.bounds));
        let size = line_size(words.iter().map(|(word, _)| word));
        // A lowered letter of the same size does not lower the line.
        let full = words.iter().filter(|(word, _)| word.style.size > size * SCRIPT_SIZE);
        let baseline = most_frequent(full.map(|(word, baseline)| (*baseline, word.text.chars().count())));
        let baseline = baseline.unwrap_or(bounds.y1);
        let words: Vec<LineWord> = words.into_iter().map(|(word, _)| word).collect();
        let runs_left = letters_of(&words).run_left();
        Self { words, bounds, baseline, size, block: None, first, runs_left }
    }

    /// With the words of the segment to its right, on its line.
    fn followed_by(mut self, text: Self) -> Self {
        let size = text.size;
        self.bounds = self.bounds.union(text.bounds);
        self.words.extend(text.words);
        Self { size, baseline: text.baseline, runs_left: text.runs_left, ..self }
    }

    /// Puts a word in its place on the line.
    pub(super) fn attach(&mut self, mut word: LineWord) {
        self.bounds = self.bounds.union(word.bounds);
        let at = self.words.partition_point(|other| other.bounds.x0 <= word.bounds.x0);
        let gap = SCRIPT_GAP_EM * self.size;
        let is_near = |left: &LineWord, right: &LineWord| right.bounds.x0 - left.bounds.x1 < gap;
        if at.checked_sub(1).and_then(|before| self.words.get(before)).is_some_and(|before| is_near(before, &word)) {
            word.is_spaced = false;
        }
        if let Some(after) = self.words.get_mut(at).filter(|after| is_near(&word, after)) {
            after.is_spaced = false;
        }
        self.words.insert(at, word);
    }
}

/// The size of most characters of text: without those of formulas, and of indices and exponents.
pub(super) fn line_size<'a>(words: impl Iterator<Item = &'a LineWord>) -> f32 {
    let words: Vec<&LineWord> = words.collect();
    let size_of = |words: &[&LineWord]| {
        most_frequent(words.iter().map(|word| (word.style.size, word.text.chars().count().max(1))))
    };
    let text: Vec<&LineWord> = words.iter().copied().filter(|word| word.formula.is_none()).collect();
    size_of(&full_words(&text)).or_else(|| size_of(&words)).unwrap_or(1.0)
}

/// The words that are no index or exponent of the larger word before or after them.
fn full_words<'a>(words: &[&'a LineWord]) -> Vec<&'a LineWord> {
    let mut full: Vec<&LineWord> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let next = words.get(index + 1);
        if !full.last().into_iter().chain(next).any(|larger| is_index(word, larger)) {
            full.push(word);
        }
    }
    full
}

/// Whether a word is smaller than the one that it touches, and stands on another baseline.
fn is_index(word: &LineWord, larger: &LineWord) -> bool {
    let baseline = |word: &LineWord| word.bounds.baseline(word.style.size);
    let gap = (larger.bounds.x0 - word.bounds.x1).max(word.bounds.x0 - larger.bounds.x1);
    word.style.size < SCRIPT_SIZE * larger.style.size
        && gap < INDEX_GAP_EM * larger.style.size
        && (baseline(word) - baseline(larger)).abs() > 0.05 * larger.style.size
}

/// The length with the largest sum of counts, of the first few that differ.
pub(super) fn most_frequent(counted: impl Iterator<Item = (f32, usize)>) -> Option<f32> {
    let mut sums: Vec<(f32, usize)> = Vec::new();
    for (length, count) in counted {
        match sums.iter_mut().take(MAX_LENGTHS).find(|(other, _)| (*other - length).abs() < 0.05) {
            Some((_, sum)) => *sum += count,
            None => sums.push((length, count)),
        }
    }
    sums.iter().max_by(|a, b| a.1.cmp(&b.1).then(a.0.total_cmp(&b.0))).map(|(length, _)| *length)
}

/// The segments of a page, from top to bottom.
pub(super) fn collect(words: Vec<(LineWord, f32)>, boxes: &DrawnBoxes) -> Vec<Segment> {
    let words = words.into_iter().enumerate();
    let words = words.map(|(order, (word, baseline))| PlacedWord { order, word, baseline });
    let mut rows: Vec<Vec<Segment>> = rows_of(words.collect()).into_iter().map(|row| split_row(row, boxes)).collect();
    if runs_left(rows.iter().flatten().flat_map(|own| &own.words).map(|word| word.text.as_str())) {
        let segments = rows.iter_mut().flatten();
        segments.for_each(|own| own.runs_left = letters_of(&own.words).run_left_among_left());
    }
    with_marks(rows)
}

fn letters_of(words: &[LineWord]) -> Letters {
    Letters::of(words.iter().flat_map(|word| word.text.chars()))
}

/// Whether a word may be the mark of an item or the number of an entry.
fn is_mark(text: &str) -> bool {
    is_number(text) || is_list_mark(text)
}

/// The segments of rows. Bullets and numbers that stand below each other become part of the texts beside them.
fn with_marks(rows: Vec<Vec<Segment>>) -> Vec<Segment> {
    let rows: Vec<Vec<Segment>> = rows.into_iter().map(in_reading_order).collect();
    let lists = Lists::of(&rows);
    let mut joined: Vec<Segment> = Vec::new();
    for row in rows {
        let mut open: Option<Segment> = None;
        for segment in row {
            match open.take() {
                Some(mark) if lists.hold(&mark, &segment) || is_label_of(&mark, &segment) => {
                    open = Some(mark.followed_by(segment))
                }
                last => {
                    joined.extend(last);
                    open = Some(segment);
                }
            }
        }
        joined.extend(open);
    }
    joined
}

/// The segments of a row, from the right if one runs to the left.
pub(super) fn in_reading_order(mut row: Vec<Segment>) -> Vec<Segment> {
    if row.iter().any(ColumnPart::runs_left) {
        row.reverse();
    }
    row
}

/// Marks and texts below each other, by the places where they begin.
struct Lists(BTreeMap<(i32, i32), MarkColumn>);

/// Marks below each other: how many there are, whether none has a letter or a digit, and whether they are numbers that follow
/// each other beside wide texts.
struct MarkColumn {
    marks: usize,
    are_signs: bool,
    are_counted: bool,
    last: Option<u32>,
}

impl MarkColumn {
    const EMPTY: Self = Self { marks: 0, are_signs: true, are_counted: true, last: None };

    fn add(&mut self, mark: &Segment, beside: &Segment) {
        let text = mark.words.first().map_or("", |word| word.text.as_str());
        let number: Option<u32> = text.parse().ok();
        self.are_signs &= !has_letter(text);
        self.are_counted &= number.is_some()
            && self.last.is_none_or(|last| number == Some(last + 1))
            && beside.bounds.width() > MIN_TEXT_EM * beside.size;
        self.last = number;
        self.marks += 1;
    }

    fn is_list(&self) -> bool {
        self.marks >= if self.are_signs || self.are_counted { MIN_CERTAIN } else { MIN_MARKS }
    }
}

impl Lists {
    fn of(rows: &[Vec<Segment>]) -> Self {
        let mut lists: BTreeMap<(i32, i32), MarkColumn> = BTreeMap::new();
        for pair in rows.iter().flat_map(|row| row.windows(2)) {
            if let [mark, text] = pair
                && is_mark_of(mark, text)
            {
                lists.entry(places_of(mark, text)).or_insert(MarkColumn::EMPTY).add(mark, text);
            }
        }
        lists.retain(|_, column| column.is_list());
        Self(lists)
    }

    fn hold(&self, mark: &Segment, text: &Segment) -> bool {
        is_mark_of(mark, text) && self.0.contains_key(&places_of(mark, text))
    }
}

/// Where a mark and its text begin, in points: their left edges, or their right edges if the text runs to the left.
fn places_of(mark: &Segment, text: &Segment) -> (i32, i32) {
    let place = |own: &Segment| quarters(if text.runs_left() { own.bounds.x1 } else { own.bounds.x0 }) / 4;
    (place(mark), place(text))
}

/// Whether a segment may be the mark of the text after it.
fn is_mark_of(mark: &Segment, text: &Segment) -> bool {
    let gap = if text.runs_left() { mark.bounds.x0 - text.bounds.x1 } else { text.bounds.x0 - mark.bounds.x1 };
    mark.is_mark() && has_word(text) && (0.0..MAX_MARK_EM * text.size).contains(&gap)
}

/// Whether a segment is the label of a figure or a table, and the other one begins the caption after it.
fn is_label_of(label: &Segment, text: &Segment) -> bool {
    let is_label = matches!(label.words.as_slice(), [_, number] if number.text.ends_with(['.', ':']))
        && is_caption_label(label.words.iter().map(|word| word.text.as_str()));
    let gap = text.bounds.x0 - label.bounds.x1;
    is_label && has_word(text) && (0.0..MAX_LABEL_EM * text.size).contains(&gap)
}

fn has_word(segment: &Segment) -> bool {
    segment.words.iter().any(|word| word.text.contains(char::is_alphabetic))
}

/// A row, split at wide gaps.
fn split_row(row: Vec<PlacedWord>, boxes: &DrawnBoxes) -> Vec<Segment> {
    // Raised and lowered signs of a formula stand in its box.
    let has_formula = row.iter().any(|own| own.word.formula.is_some());
    let runs = if has_formula { vec![row] } else { strands(row) }.into_iter().flat_map(|run| {
        let (leaders, typed) = (leaders(&run), typed(&run, boxes));
        let comment = comment(&run);
        let limit = |at: usize| if leaders.get(at) == Some(&true) { LEADER_GAP_EM } else { COLUMN_GAP_EM };
        parts(run, |at, gap| gap > limit(at) && typed.get(at) != Some(&true) && comment != Some(at))
    });
    let mut segments: Vec<Segment> = runs.map(logical_segment).collect();
    segments.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    segments
}

/// Whether each word of a row follows a leader of dots, or is part of one. The gap before it divides nothing. Dots with
/// nothing before them are a rule.
fn leaders(row: &[PlacedWord]) -> Vec<bool> {
    let is_dot = |at: Option<usize>| at.and_then(|at| row.get(at)).is_some_and(|own| is_dots(&own.word.text));
    let before = |at: usize, count: usize| is_dot(at.checked_sub(count));
    let text = (0..row.len()).position(|at| !is_dot(Some(at))).unwrap_or(row.len());
    let is_led = |at: usize| match is_dot(Some(at)) {
        true => before(at, 1) || is_dot(Some(at + 1)),
        false => at > text && before(at, 1) && before(at, 2),
    };
    (0..row.len()).map(is_led).collect()
}

/// Whether a word may be part of a leader.
pub(crate) fn is_dots(word: &str) -> bool {
    word.chars().all(|sign| matches!(sign, '.' | '…' | '·' | '․'))
}

/// Whether each word of a row follows another one in a listing: both have a fixed pitch, and whole spaces between
/// them, where no side of a box stands.
fn typed(row: &[PlacedWord], boxes: &DrawnBoxes) -> Vec<bool> {
    let typed = || row.iter().map(|own| &own.word).filter(|word| word.style.is_monospace);
    let Some(pitch) = pitch(typed().map(|word| (word.text.as_str(), word.bounds.width() / word.style.size))) else {
        return vec![false; row.len()];
    };
    let is_typed = |pair: &[PlacedWord]| {
        let [before, own] = pair else { return false };
        let are_alike = before.word.style.size == own.word.style.size;
        before.word.style.is_monospace
            && own.word.style.is_monospace
            && are_alike
            && is_whole_shift(before.word.bounds, own.word.bounds, pitch * own.word.style.size)
            && !boxes.divide(before.word.bounds.x1, own.word.bounds.x0, own.baseline, own.word.style.size)
    };
    std::iter::once(false).chain(row.windows(2).map(is_typed)).collect()
}

/// The first word of the comment at the end of a line of code, or of a numbered step of an algorithm. The space before it belongs
/// to the line.
fn comment(row: &[PlacedWord]) -> Option<usize> {
    let at = row.iter().position(|own| begins_comment(&own.word.text))?;
    let (code, comment) = row.split_at_checked(at)?;
    let (first, last, own) = (code.first()?, code.last()?, comment.first()?);
    let is_step = first.word.text.strip_suffix(':').is_some_and(|number| !number.is_empty() && is_number(number));
    let are_typed = || code.iter().chain(comment).all(|own| own.word.style.is_monospace);
    let is_near = own.word.bounds.x0 - last.word.bounds.x1 < MAX_COMMENT_EM * own.word.style.size;
    (is_step || is_near && are_typed()).then_some(at)
}

fn begins_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*") || matches!(text.chars().next(), Some('#' | '%' | ';' | '▷' | '▹'))
}

fn is_number(text: &str) -> bool {
    text.len() <= MAX_MARK && text.chars().all(|sign| sign.is_ascii_digit())
}

/// A segment with its words in logical order. Text from right to left keeps the order in which it came.
fn logical_segment(mut words: Vec<PlacedWord>) -> Segment {
    if words.iter().any(|own| own.word.text.chars().any(is_right_to_left)) {
        words.sort_by_key(|own| own.order);
    }
    let first = words.first().map_or(0, |own| own.order);
    let mut before: Option<(usize, Bounds)> = None;
    for PlacedWord { order, word, .. } in &mut words {
        // The text of the page knows the space before a word only after the word that precedes it there.
        let is_known = before.is_none_or(|(last, _)| last + 1 == *order) || word.formula.is_some();
        word.is_spaced |= !is_known && before.is_some_and(|(_, last)| are_apart(last, word.bounds, word.style.size));
        before = Some((*order, word.bounds));
    }
    Segment::of_words(words.into_iter().map(|own| (own.word, own.baseline)).collect(), first)
}

/// Whether a word of a segment is printed over a word of a line: they share more than half of the smaller one.
pub(super) fn is_printed_over(line: &Segment, own: &Segment) -> bool {
    let area = |b: Bounds| b.width().max(0.0) * b.height().max(0.0);
    let is_over = |one: &LineWord, other: &LineWord| {
        let (a, b) = (one.bounds, other.bounds);
        let shared = Bounds { x0: a.x0.max(b.x0), y0: a.y0.max(b.y0), x1: a.x1.min(b.x1), y1: a.y1.min(b.y1) };
        area(shared) > 0.5 * area(a).min(area(b))
    };
    let near = || line.words.iter().take(MAX_NEIGHBOURS);
    own.words.iter().take(MAX_NEIGHBOURS).any(|word| near().any(|other| is_over(other, word)))
}

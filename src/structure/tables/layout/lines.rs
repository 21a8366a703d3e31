//! Lines of text and the chunks that wide gaps divide them into.

use std::cell::Cell;

use super::signs;
use crate::list_marks::is_list_mark;
use crate::page_structure::is_value;
use pagewise_text::{
    Bounds, COLUMN_GAP_EM, HasPlace, PageLayout, Word, WordPlace, are_boxes_overprinted, parts, rows_of, strands,
};

/// Areas of a page may overlap, but all their words together are at most this many.
const MAX_READS: usize = 4_000_000;
/// A gap wider than this many ems always divides a line.
const WIDE_GAP: f32 = 1.2;
/// The dots of an ellipsis.
const MAX_ELLIPSIS: usize = 3;
/// The gaps between the dots of a leader are narrower than this many ems, and those between its ellipses.
const DOT_GAP: f32 = 1.6;
const ELLIPSIS_GAP: f32 = 3.0;
/// A gap narrower than this many ems never divides a line.
const NARROW_GAP: f32 = 0.72;
/// Of a fixed pitch, where a space has the width of a letter, by more than this many ems.
const TYPED_GAP: f32 = 1.0;
/// A gap before the sign of the next value, in ems.
const SIGN_GAP: f32 = 0.15;
/// Gaps of justified prose are narrower than this many ems and differ by less than `EVEN`.
const LOOSE_GAP: f32 = 2.0;
const EVEN: f32 = 0.06;
/// Maximum number of words of a page that run up or down and may be cells of tables.
const MAX_TURNED: usize = 500;
/// Turned words whose ends differ by less than this many ems are heads of columns side by side.
const TURNED_EM: f32 = 0.25;

/// A word, its place in the reading order, and the baseline of its line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedWord<'p> {
    pub(crate) index: usize,
    pub(crate) word: &'p Word,
    pub(crate) baseline: f32,
}

/// Words of a line without a wide gap between them.
#[derive(Debug, Clone)]
pub(crate) struct Chunk<'p> {
    pub(crate) bounds: Bounds,
    pub(crate) words: Vec<PlacedWord<'p>>,
}

/// Chunks on one baseline, from left to right.
#[derive(Debug, Clone)]
pub(crate) struct TextLine<'p> {
    pub(crate) baseline: f32,
    pub(crate) size: f32,
    pub(crate) chunks: Vec<Chunk<'p>>,
}

impl HasPlace for PlacedWord<'_> {
    fn place(&self) -> WordPlace {
        let Self { index, word: Word { bounds, size, is_spaced, .. }, baseline } = *self;
        WordPlace { bounds: *bounds, baseline, size: *size, order: index, is_spaced: *is_spaced }
    }
}

impl PlacedWord<'_> {
    /// The gap to the next word of a line, in ems of the next word.
    pub(crate) fn gap_to(&self, next: &Self) -> f32 {
        (next.word.bounds.x0 - self.word.bounds.x1) / next.word.size
    }
}

impl<'p> Chunk<'p> {
    /// A chunk of these words, which are in order of x.
    pub(crate) fn new(words: Vec<PlacedWord<'p>>) -> Option<Self> {
        let bounds = union(words.iter().map(|w| w.word.bounds))?;
        Some(Self { bounds, words })
    }

    /// Appends the words of the chunk after it.
    pub(crate) fn extend(&mut self, next: Self) {
        self.bounds = self.bounds.union(next.bounds);
        self.words.extend(next.words);
    }

    /// The number of characters.
    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|w| w.word.text.chars().count()).sum()
    }

    /// The largest size of its words.
    pub(crate) fn size(&self) -> f32 {
        self.words.iter().map(|w| w.word.size).fold(0.0, f32::max)
    }

    /// Whether it begins as the rest of a text does: in small letters, brackets or an equation.
    pub(crate) fn begins_small(&self) -> bool {
        let first = self.words.first().map_or("", |word| &word.word.text);
        first == "=" || first.starts_with(|c: char| c.is_lowercase() || c == '(')
    }

    /// Whether all its words are bold.
    pub(crate) fn is_bold(&self) -> bool {
        self.words.iter().all(|w| w.word.is_bold)
    }

    /// Whether it holds a value rather than words: mostly digits, no letter, or a sign such as `N/A` for a missing value.
    pub(crate) fn is_value(&self) -> bool {
        let says_none = matches!(self.words.as_slice(), [only] if says_no_value(&only.word.text));
        says_none || is_value(self.words.iter().map(|w| w.word.text.as_str()))
    }
}

impl TextLine<'_> {
    /// Whether some of its text stands over other text.
    pub(crate) fn is_overprinted(&self) -> bool {
        self.chunks
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if are_boxes_overprinted(a.bounds, b.bounds, self.size)))
    }
}

/// Whether a text says that a value is missing, as `N/A` and `(X)` do.
fn says_no_value(text: &str) -> bool {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let is_sign = |text: &str| text.len() < 3 && text.chars().all(|sign| sign.is_ascii_uppercase());
    inner.is_some_and(is_sign) || ["n/a", "n.a.", "na"].iter().any(|none| text.eq_ignore_ascii_case(none))
}

/// Whether a text begins with the mark of an item.
pub(crate) fn is_item(words: &[PlacedWord]) -> bool {
    matches!(words, [mark, _, ..] if is_list_mark(&mark.word.text))
}

/// The smallest box round all boxes.
pub(crate) fn union(boxes: impl Iterator<Item = Bounds>) -> Option<Bounds> {
    boxes.reduce(Bounds::union)
}

/// Whether the centre of `inner` is in `outer`.
pub(crate) fn is_inside(inner: &Bounds, outer: &Bounds) -> bool {
    outer.holds(inner.center())
}

/// The words of a page that run to the right, in order of their middle.
#[derive(Debug)]
pub(crate) struct PageWords<'p> {
    words: Vec<PlacedWord<'p>>,
    /// Those that run up or down, such as the heads of narrow columns.
    turned: Vec<PlacedWord<'p>>,
    /// How many words may still be read in areas.
    reads: Cell<usize>,
}

impl<'p> PageWords<'p> {
    pub(crate) fn of(page: &'p PageLayout) -> Self {
        let is_text = |word: &Word| is_readable(word) && !is_drawn_by_text(&word.text);
        let upright = page.words.iter().enumerate().filter(|(_, word)| is_text(word));
        let placed: Vec<PlacedWord> =
            upright.map(|(index, word)| PlacedWord { index, word, baseline: word.baseline }).collect();
        let is_word = |at: usize| !is_leader_dot(&placed, at);
        let settled = (0..placed.len()).filter(|at| is_word(*at)).filter_map(|at| settled(&placed, at));
        let mut words: Vec<PlacedWord> = settled.collect();
        words.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
        Self { words, turned: turned_words(page), reads: Cell::new(MAX_READS) }
    }

    pub(crate) fn all(&self) -> &[PlacedWord<'p>] {
        &self.words
    }

    /// The words whose centre is in `area`; none once too many words were read.
    pub(crate) fn inside(&self, area: &Bounds) -> Vec<PlacedWord<'p>> {
        let first = self.words.partition_point(|w| middle(w) < area.y0);
        let near = self.words.iter().skip(first).take_while(|w| middle(w) <= area.y1);
        let found: Vec<PlacedWord> =
            near.take(self.reads.get()).filter(|w| is_inside(&w.word.bounds, area)).copied().collect();
        self.reads.set(self.reads.get().saturating_sub(1 + found.len()));
        found
    }

    /// The words of a drawn table: turned ones too, but none that lies aslant to its rules.
    pub(crate) fn inside_drawn(&self, area: &Bounds) -> Vec<PlacedWord<'p>> {
        let turned = self.turned.iter().filter(|w| is_inside(&w.word.bounds, area)).copied();
        self.inside(area).into_iter().chain(turned).filter(|w| w.word.shift == [0.0; 2]).collect()
    }

    /// The words whose centre is in none of `areas`.
    pub(crate) fn outside(&self, areas: &[Bounds]) -> Self {
        let is_free = |w: &&PlacedWord| !areas.iter().any(|area| is_inside(&w.word.bounds, area));
        let free = |words: &[PlacedWord<'p>]| words.iter().filter(is_free).copied().collect();
        Self { words: free(&self.words), turned: free(&self.turned), reads: Cell::new(MAX_READS) }
    }
}

/// The words that run up or down. Texts that end at one height have one baseline; other words stand at the middle of theirs.
fn turned_words(page: &PageLayout) -> Vec<PlacedWord<'_>> {
    let own = page.words.iter().enumerate().filter(|(_, word)| word.turn % 180 == 90 && is_finite(word));
    let own: Vec<(usize, &Word)> = own.take(MAX_TURNED).collect();
    let texts = || own.chunk_by(|a, b| is_next_turned(*a, *b));
    let end = |text: &[(usize, &Word)]| text.iter().map(|(_, word)| word.bounds.y1).fold(f32::MIN, f32::max);
    let ends: Vec<f32> = texts().map(end).collect();
    let baseline = |word: &Word, end: f32| {
        let is_head = ends.iter().filter(|other| (*other - end).abs() < TURNED_EM * word.size).count() > 1;
        let (middle, em) = ((word.bounds.y0 + word.bounds.y1) / 2.0, word.size);
        if is_head { end - 0.2 * em } else { middle + 0.3 * em }
    };
    let mut placed = Vec::new();
    for (text, end) in texts().zip(&ends) {
        placed.extend(text.iter().map(|(index, word)| PlacedWord {
            index: *index,
            word,
            baseline: baseline(word, *end),
        }));
    }
    placed
}

/// Whether a turned word is the next one of a text after another.
fn is_next_turned((at, word): (usize, &Word), (next_at, next): (usize, &Word)) -> bool {
    let gap = (next.bounds.y0 - word.bounds.y1).max(word.bounds.y0 - next.bounds.y1);
    at + 1 == next_at
        && word.turn == next.turn
        && 2.0 * word.bounds.shared_width(next.bounds) > word.bounds.width()
        && gap < COLUMN_GAP_EM * word.size
}

/// The middle of a word between top and bottom.
fn middle(word: &PlacedWord) -> f32 {
    (word.word.bounds.y0 + word.word.bounds.y1) / 2.0
}

/// Whether a dot is one of a leader of spaced dots, more than the three of an ellipsis. Dots in cells of their own are values.
fn is_leader_dot(words: &[PlacedWord], at: usize) -> bool {
    let dots = |at: usize| match words.get(at).map(|word| word.word.text.as_str()) {
        Some("." | "·") => 1,
        Some("…") => MAX_ELLIPSIS,
        _ => 0,
    };
    let is_near = |at: usize| match words.get(at..at + 2) {
        Some([a, b]) => {
            let gap = if dots(at) == MAX_ELLIPSIS { ELLIPSIS_GAP } else { DOT_GAP };
            (0.0..gap * a.word.size).contains(&(b.word.bounds.x0 - a.word.bounds.x1))
        }
        _ => false,
    };
    let before = (1..=MAX_ELLIPSIS).map_while(|count| at.checked_sub(count)).take_while(|at| is_near(*at)).map(dots);
    let after = (at + 1..=at + MAX_ELLIPSIS).take_while(|at| is_near(at - 1)).map(dots);
    let run = before.take_while(|dots| *dots > 0).sum::<usize>() + after.take_while(|dots| *dots > 0).sum::<usize>();
    dots(at) > 0 && dots(at) + run > MAX_ELLIPSIS
}

/// Whether a word draws a rule or a leader: a run of dashes, dots or underscores.
pub(crate) fn is_drawn_by_text(text: &str) -> bool {
    let mut count = 0;
    let is_run = text.chars().all(|c| {
        count += 1;
        matches!(c, '-' | '_' | '=' | '.' | '·' | '─' | '━' | '—' | '…')
    });
    is_run
        && (count >= 5 || count >= 2 && text.chars().all(|c| c == '…'))
        && text.chars().next().is_some_and(|first| text.chars().all(|c| c == first))
}

/// Whether a word runs to the right and has finite bounds.
fn is_readable(word: &Word) -> bool {
    word.turn == 0 && is_finite(word)
}

fn is_finite(word: &Word) -> bool {
    let b = &word.bounds;
    word.size > 0.5 && [b.x0, b.x1, b.y0, b.y1, word.baseline, word.size].iter().all(|v| v.is_finite())
}

/// A word with the baseline of the larger word that it touches, or its own: marks may be drawn apart from their line.
fn settled<'p>(words: &[PlacedWord<'p>], at: usize) -> Option<PlacedWord<'p>> {
    let own = words.get(at)?;
    let before = at.checked_sub(1).and_then(|i| words.get(i));
    let host = [before, words.get(at + 1)].into_iter().flatten().find(|other| is_raised(own.word, other.word));
    Some(PlacedWord { baseline: host.map_or(own.baseline, |host| host.baseline), ..*own })
}

/// Whether `small` is a raised or lowered mark at `large`.
fn is_raised(small: &Word, large: &Word) -> bool {
    let gap = (small.bounds.x0 - large.bounds.x1).max(large.bounds.x0 - small.bounds.x1);
    let overlap = small.bounds.y1.min(large.bounds.y1) - small.bounds.y0.max(large.bounds.y0);
    small.size < 0.9 * large.size && gap < 0.4 * large.size && gap > -0.5 * large.size && overlap > 0.3 * small.size
}

/// The lines of these words from top to bottom, where justified prose may stand.
pub(crate) fn text_lines<'p>(words: &[PlacedWord<'p>]) -> Vec<TextLine<'p>> {
    lines_of(words, prose_chunks)
}

/// The lines of these words from top to bottom, where the cells of a table stand: they may be as close as wide spaces.
pub(crate) fn table_lines<'p>(words: &[PlacedWord<'p>]) -> Vec<TextLine<'p>> {
    lines_of(words, cell_chunks)
}

fn lines_of<'p>(
    words: &[PlacedWord<'p>],
    chunks_of: impl Fn(Vec<PlacedWord<'p>>) -> Vec<Chunk<'p>>,
) -> Vec<TextLine<'p>> {
    rows_of(words.to_vec()).into_iter().map(|row| line_of(row, &chunks_of)).collect()
}

/// A line of words, divided at wide gaps.
fn line_of<'p>(words: Vec<PlacedWord<'p>>, chunks_of: impl Fn(Vec<PlacedWord<'p>>) -> Vec<Chunk<'p>>) -> TextLine<'p> {
    let baseline = words.iter().map(|w| w.baseline).reduce(f32::min).unwrap_or(0.0);
    let size = words.iter().map(|w| w.word.size).fold(0.0, f32::max);
    let mut chunks: Vec<Chunk> = strands(words).into_iter().flat_map(chunks_of).collect();
    chunks.sort_by(|a, b| a.bounds.x0.total_cmp(&b.bounds.x0));
    TextLine { baseline, size, chunks }
}

/// The chunks of a line's words: even gaps are the spaces of a justified line.
fn prose_chunks(words: Vec<PlacedWord>) -> Vec<Chunk> {
    let (limit, even, bonds) = (gap_limit(&words), even_gaps(&words), bonds_of(&words));
    let is_even = |at: usize| even.get(at).is_some_and(|is_even| *is_even);
    let is_bound = |at: usize| bonds.get(at) == Some(&Some(true));
    parts(words, |at, gap| gap > limit && !is_even(at) && !is_bound(at)).into_iter().filter_map(Chunk::new).collect()
}

/// The chunks of a line's words, the cells of a table.
fn cell_chunks(words: Vec<PlacedWord>) -> Vec<Chunk> {
    let is_typed = words.iter().all(|word| word.word.is_monospace);
    let limit = if is_typed { TYPED_GAP } else { COLUMN_GAP_EM };
    let bonds = bonds_of(&words);
    let is_divided = |at: usize, gap: f32| match bonds.get(at).copied().flatten() {
        Some(is_bound) => !is_bound && gap > SIGN_GAP,
        None => gap > limit,
    };
    parts(words, is_divided).into_iter().filter_map(Chunk::new).collect()
}

/// For each word whether it and the word before it are a sign and its value, however far apart, or a value and the sign
/// of the next one, however near.
fn bonds_of(words: &[PlacedWord]) -> Vec<Option<bool>> {
    let text = |at: usize| words.get(at).map_or("", |word| word.word.text.as_str());
    let ends = |last: &PlacedWord| signs::is_currency(&last.word.text);
    let leads = !words.last().is_some_and(ends)
        && !words.windows(3).find(|own| own.get(1).is_some_and(ends)).is_some_and(trails);
    let bond = |at: usize| {
        let (last, own) = (text(at.checked_sub(1)?), text(at));
        let is_next = leads && signs::is_currency(own) && signs::ends_value(last);
        let is_bound = signs::is_rest_of(own, last) || leads && signs::is_currency_of(last, own);
        (is_bound || is_next).then_some(is_bound)
    };
    (0..words.len()).map(bond).collect()
}

/// Whether the second of three words is the currency of the value before it: close to it, and nearer than to the next.
fn trails(words: &[PlacedWord]) -> bool {
    let [value, sign, next] = words else { return false };
    let gap = value.gap_to(sign);
    signs::ends_value(&value.word.text) && gap < NARROW_GAP && gap < sign.gap_to(next)
}

/// For each word whether the gap before it is one of several even gaps, as in justified prose.
fn even_gaps(words: &[PlacedWord]) -> Vec<bool> {
    let gap = |pair: &[PlacedWord]| match pair {
        [a, b] if is_prose_word(a) || is_prose_word(b) => a.gap_to(b),
        _ => f32::MAX,
    };
    let gaps: Vec<f32> = words.windows(2).map(gap).collect();
    let mut even = vec![false];
    for run in gaps.chunk_by(|a, b| (a - b).abs() < EVEN && *a < LOOSE_GAP && *b < LOOSE_GAP) {
        even.resize(even.len() + run.len(), run.len() >= 3);
    }
    even
}

fn is_prose_word(word: &PlacedWord) -> bool {
    !is_value(std::iter::once(word.word.text.as_str()))
}

/// The gap in ems that divides this line: justified lines have wider spaces.
fn gap_limit(words: &[PlacedWord]) -> f32 {
    let pairs = words.iter().zip(words.iter().skip(1));
    let mut gaps: Vec<f32> = pairs.map(|(a, b)| a.gap_to(b)).filter(|gap| *gap > 0.05).collect();
    if gaps.len() < 4 {
        return NARROW_GAP;
    }
    gaps.sort_by(f32::total_cmp);
    let median = gaps.get(gaps.len() / 2).copied().unwrap_or(0.3);
    if median > NARROW_GAP { NARROW_GAP } else { (2.0 * median).clamp(NARROW_GAP, WIDE_GAP) }
}

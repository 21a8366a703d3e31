//! Distances between lines: space above them, indents, and room at their ends.

use super::markers::marker;
use super::splitting::{HANG_EM, MAX_LABEL_WORDS, Splitter};
use crate::bounds::quarters;
use crate::caption_label::is_caption_label;
use crate::line_end::is_address;
use crate::list_marks::is_section_number;
use crate::measures::{JUSTIFIED_EM, LARGER, NEXT_LINE_EM, SAME_SIZE, SCRIPT_SIZE};
use crate::page_structure::{Line, LineWord};
use std::collections::BTreeMap;
use std::ops::Range;

/// A distance of baselines above this multiple of the leading is a space between paragraphs.
const SPACE_FACTOR: f32 = 1.22;
/// Lines of a paragraph with formulas stand at most this multiple of the leading apart.
const FORMULA_FACTOR: f32 = 1.5;
/// A full line ends at most this many ems before the right edge of its column.
pub(super) const FULL_EM: f32 = 6.0;
/// Indents smaller than this, in ems, are none.
pub(super) const INDENT_EM: f32 = 0.7;
/// The least gap between a term or a number and the text after it, in ems.
const TAB_EM: f32 = 1.0;
/// A centred line is set in by so many ems.
const CENTRED_EM: f32 = 1.5;
/// So many lines that begin at one edge show where their text ends.
const MIN_ALIGNED: usize = 3;
/// The lines of running text have at least so many words on average.
const MIN_FLOWING_WORDS: usize = 2;
/// Lines with so many words that are so long, in ems, are no list of dates or numbers, which end at one edge too.
const MIN_WORDS: usize = 4;
const MIN_LONG_EM: f32 = 15.0;
/// If so many paragraphs have hanging indents, of those within so many lines above and below, others have them too.
const MIN_HANGING: usize = 2;
const MAX_NEAR: usize = 100;
/// Text counts as justified if so many of its lines, and such a share of them, end at the same edge.
const MIN_FLUSH: usize = 6;
const FLUSH_SHARE: f32 = 0.5;
/// The least share of the lines of a list that end on purpose, and of one with lines as long as those of text.
const LIST_ENDS: f32 = 0.6;
const LONG_ENDS: f32 = 0.75;
/// So many lines of a few words that begin with capitals or digits, of which such a share end on purpose, are a list: those
/// of a sentence begin so by chance.
const MIN_LIST: usize = 4;
const LIST_SHARE: f32 = 0.2;
const MAX_ENTRY_WORDS: usize = 5;
/// A line of justified text that ends so far before the edge, in ems, is the last of its paragraph.
const SHORT_EM: f32 = 0.5;

/// For each line where its text would end if it were full: by the lines that begin below each other with it, or as far
/// from the right edge of the column as the line is set in on the left.
pub(super) fn right_edges(lines: &[&Line], left: f32, right: f32, body_size: f32) -> Vec<f32> {
    let text_left = |line: &Line| marker(line).map_or(line.bounds.x0, |marker| marker.text_left);
    let key = |line: &Line| (quarters(text_left(line)) / 8, quarters(line.size) / 2);
    let mut edges: BTreeMap<(i32, i32), (f32, usize)> = BTreeMap::new();
    for line in lines {
        let (edge, count) = edges.entry(key(line)).or_insert((f32::NEG_INFINITY, 0));
        *edge = edge.max(line.bounds.x1);
        *count += 1;
    }
    let edge = |line: &&&Line| {
        let (x, size) = key(line);
        let near = [x - 1, x, x + 1].into_iter().filter_map(|x| edges.get(&(x, size)));
        let (edge, count) = near.fold((line.bounds.x1, 0), |all, own| (all.0.max(own.0), all.1 + own.1));
        let indent = line.bounds.x0 - left;
        match count >= MIN_ALIGNED {
            true => edge,
            false if line.size < LARGER * body_size && is_centred(line, left, right) => right + indent,
            false => edge.max(right - indent),
        }
    };
    let mut edges: Vec<f32> = lines.iter().map(|line| edge(&line)).collect();
    set_beside_floats(lines, &mut edges);
    set_beside_ragged_floats(lines, &mut edges);
    edges
}

/// Whether a line is one of text, not of a list of dates or numbers.
pub(crate) fn is_long(line: &Line) -> bool {
    line.words.len() >= MIN_WORDS && line.bounds.width() > MIN_LONG_EM * line.size
}

/// Beside a picture or a box the lines of justified text end before those above and below it.
fn set_beside_floats(lines: &[&Line], edges: &mut [f32]) {
    let is_alike =
        |one: &&Line, next: &&Line| (one.bounds.x1 - next.bounds.x1).abs() < JUSTIFIED_EM * one.size.min(next.size);
    let mut at = 0;
    for run in lines.chunk_by(is_alike) {
        let end = run.iter().map(|line| line.bounds.x1).fold(f32::NEG_INFINITY, f32::max);
        if run.len() >= MIN_ALIGNED && run.iter().all(|line| is_long(line)) && !are_sentences(run) {
            edges.iter_mut().skip(at).take(run.len()).for_each(|edge| *edge = end);
        }
        at += run.len();
    }
}

/// Does the same for text that is not justified: its lines end long before the edge, and its sentences go on from line to line.
fn set_beside_ragged_floats(lines: &[&Line], edges: &mut [f32]) {
    let is_far = |line: &Line, edge: f32| edge - line.bounds.x1 > FULL_EM * line.size;
    let is_next = |one: &Line, next: &Line| {
        begin_alike(one, next) && NEXT_LINE_EM.contains(&((next.baseline - one.baseline) / next.size))
    };
    let far: Vec<(&Line, bool)> =
        lines.iter().zip(edges.iter()).map(|(line, edge)| (*line, is_far(line, *edge))).collect();
    let mut at = 0;
    for run in far.chunk_by(|(one, is_far), (next, is_next_far)| *is_far && *is_next_far && is_next(one, next)) {
        let text: Vec<&Line> = run.iter().map(|(line, _)| *line).collect();
        let end = text.iter().map(|line| line.bounds.x1).fold(f32::NEG_INFINITY, f32::max);
        if run.len() > MIN_ALIGNED && flows(&text, end) {
            edges.iter_mut().skip(at).take(run.len()).for_each(|edge| *edge = end);
        }
        at += run.len();
    }
}

/// Whether lines are running text that ends at this edge: most of them go on in the next line, and none of those leaves room for
/// its first word.
fn flows(lines: &[&Line], edge: f32) -> bool {
    let goes_on = |pair: &&[&Line]| matches!(pair, [one, next] if !ends_sentence(one) && next.begins_small());
    let is_full = |pair: &[&Line]| matches!(pair, [one, next] if !leaves_room(one, next, edge));
    let words: usize = lines.iter().map(|line| line.words.len()).sum();
    words >= MIN_FLOWING_WORDS * lines.len()
        && 2 * lines.windows(2).filter(goes_on).count() >= lines.len()
        && lines.windows(2).filter(goes_on).all(is_full)
}

/// Whether the first word of the next line would fit at the end of a line that may reach this edge.
fn leaves_room(line: &Line, next: &Line, edge: f32) -> bool {
    let goes_on = line.words.last().is_some_and(|last| last.text.ends_with(char::is_lowercase));
    let first = if goes_on { next.first_width_with_number() } else { next.first_width() };
    edge - line.bounds.x1 > first + 0.75 * line.size
}

/// The edge at which the lines of a column end if their text is justified.
pub(super) fn justified_edge(lines: &[&Line]) -> Option<f32> {
    let mut ends: Vec<f32> = lines.iter().map(|line| line.bounds.x1).collect();
    ends.sort_by(f32::total_cmp);
    let size = lines.iter().map(|line| line.size).fold(f32::INFINITY, f32::min);
    let end = |from: usize| ends.get(from).copied().unwrap_or(f32::NEG_INFINITY);
    let count = |from: usize| ends.partition_point(|x| *x <= end(from) + 2.0 * JUSTIFIED_EM * size) - from;
    let first = (0..ends.len()).max_by_key(|from| count(*from))?;
    let all = u16::try_from(ends.len()).unwrap_or(u16::MAX);
    let flush = u16::try_from(count(first)).unwrap_or(u16::MAX);
    let is_justified = count(first) >= MIN_FLUSH && f32::from(flush) >= FLUSH_SHARE * f32::from(all);
    is_justified.then(|| end(first) + JUSTIFIED_EM * size)
}

/// Whether most lines end as sentences do.
fn are_sentences(lines: &[&Line]) -> bool {
    2 * lines.iter().filter(|line| ends_sentence(line)).count() > lines.len()
}

/// Whether a line is as far from the left edge of its column as from the right one, and not full.
fn is_centred(line: &Line, left: f32, right: f32) -> bool {
    let (before, after) = (line.bounds.x0 - left, right - line.bounds.x1);
    let is_set_in = (before - after).abs() < 0.5 * line.size && before > CENTRED_EM * line.size;
    is_set_in && !is_label(line) && marker(line).is_none()
}

/// Whether a line is a word and a number: the label of the line below it.
fn is_label(line: &Line) -> bool {
    line.words.len() == 2 && line.words.last().is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()))
}

impl<'a> Splitter<'_, 'a> {
    pub(super) fn line(&self, index: usize) -> Option<&'a Line> {
        self.lines.get(index).copied()
    }

    pub(super) fn step(&self, above: usize, below: usize) -> f32 {
        match (self.line(above), self.line(below)) {
            (Some(above), Some(below)) => below.baseline - above.baseline,
            _ => 0.0,
        }
    }

    pub(super) fn leading(&self, index: usize) -> f32 {
        self.line(index).map_or(12.0, |line| self.statistics.leading(line.size)).max(0.1)
    }

    /// The left edge of the text of a draft so far.
    pub(super) fn text_left(&self, start: usize, last: usize) -> f32 {
        let marked = self.markers.get(start).and_then(Option::as_ref).map(|marker| marker.text_left);
        let own = self.line(last).map_or(0.0, |line| line.bounds.x0);
        if last > start { own } else { marked.unwrap_or(own) }
    }

    pub(super) fn is_spaced(&self, start: usize, next: usize) -> bool {
        let step = self.step(next - 1, next);
        let own = if next - start >= 2 { self.step(start, start + 1) } else { 0.0 };
        let leading =
            if own > 0.0 { self.leading(next).min(own.max(0.8 * self.leading(next))) } else { self.leading(next) };
        step <= 0.0 || step > SPACE_FACTOR * leading
    }

    /// Whether a sentence goes on below a full line, although formulas need more than the leading between the lines.
    pub(super) fn reads_on(&self, start: usize, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let step = self.step(next - 1, next);
        let shift = (below.bounds.x0 - self.text_left(start, next - 1)).abs();
        (0.0..FORMULA_FACTOR * self.leading(next)).contains(&step)
            && shift < 0.3 * below.size
            && self.right - above.bounds.x1 < FULL_EM * above.size
            && !ends_sentence(above)
            && !above.words.last().is_some_and(|word| word.formula.is_none() && is_bracketed(&word.text))
            && (below.begins_small() || self.is_flush(next - 1) && (has_formula(above) || has_formula(below)))
            && !self.ends_early(next - 1, next)
    }

    /// Whether a line ends where its column does, as a line of justified text.
    pub(super) fn is_flush(&self, index: usize) -> bool {
        self.line(index).is_some_and(|line| self.right - line.bounds.x1 < 0.15 * line.size)
    }

    /// Whether a line begins to the right of the one before.
    pub(super) fn is_set_in(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.line(before));
        match (before, self.line(index)) {
            (Some(before), Some(line)) => line.bounds.x0 - before.bounds.x0 > INDENT_EM * line.size,
            _ => true,
        }
    }

    /// Whether the indent of a line says that a paragraph begins, or that a hanging one ends.
    pub(super) fn is_indent_break(&self, start: usize, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return true };
        let indent = INDENT_EM * below.size;
        let shift = below.bounds.x0 - self.text_left(start, next - 1);
        if self.is_rest(start) && next - start == 1 {
            return self.ends_early(next - 1, next);
        }
        // Lines beside a large initial or a picture are set in.
        if shift < 0.0 && next - start > 1 && self.is_sentence(next) {
            return false;
        }
        let is_centered = |line: &Line| {
            ((line.bounds.x0 + line.bounds.x1) - (above.bounds.x0 + above.bounds.x1)).abs() < 0.5 * line.size
        };
        if shift.abs() < indent || is_centered(below) {
            return false;
        }
        if next - start == 1 && hangs_below(above, below) {
            return self.ends_early(next - 1, next);
        }
        if next - start == 1 {
            // The first line may stand further right (an indent) or further left (a hanging paragraph).
            let limit = if shift < 0.0 { 6.0 } else { 4.0 };
            let is_text = || if shift > 0.0 { self.paragraphs_hang(next) } else { self.is_justified_text(next) };
            let goes_on = is_long(above) && (self.is_sentence(next) || is_text());
            return self.ends_early(next - 1, next)
                || self.ends_before_margin(start, next)
                || (shift.abs() > limit * below.size || self.is_set_in_once(next, shift)) && !goes_on;
        }
        true
    }

    /// Whether a line that begins further left than the mark of an item of one line is no part of the item. It is none if its first
    /// word had room on the item's line, for which the width of the column counts here, and not that of the items around it.
    fn ends_before_margin(&self, start: usize, next: usize) -> bool {
        let (Some(item), Some(below), Some(edge)) = (self.line(start), self.line(next), self.edges.get(next)) else {
            return false;
        };
        self.markers.get(start).is_some_and(Option::is_some)
            && item.bounds.x0 - below.bounds.x0 > INDENT_EM * below.size
            && !below.begins_small()
            && leaves_room(item, below, *edge)
    }

    /// Whether the line before is full and its sentence goes on in the next one. A line that ends in a number may be an entry of
    /// an index.
    fn is_sentence(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let last = above.words.iter().rposition(|word| word.is_spaced).unwrap_or(0);
        self.right - above.bounds.x1 < FULL_EM * above.size
            && !ends_sentence(above)
            && !above.words.iter().skip(last).any(|word| word.text.contains(|sign: char| sign.is_ascii_digit()))
            && below.begins_small()
    }

    /// Whether a line stands further right than those around it, as the first of a paragraph does.
    pub(super) fn is_set_in_once(&self, index: usize, shift: f32) -> bool {
        let (Some(line), Some(next)) = (self.line(index), self.line(index + 1)) else { return false };
        shift > 0.0 && line.bounds.x0 - next.bounds.x0 > INDENT_EM * line.size && !self.is_spaced(index, index + 1)
    }

    /// Whether a line continues the one before, which ends at the edge of justified text, in the same style, and with no sentence.
    fn is_justified_text(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let style = |word: &LineWord| (word.style.is_bold, word.style.is_italic);
        self.justified.is_some()
            && self.is_flush(next - 1)
            && !ends_sentence(above)
            && above.words.last().map(style) == below.words.first().map(style)
    }

    /// Whether the paragraphs near a line have hanging indents. The line must begin further right than the one before. With such
    /// indents, paragraphs end in lines that begin where it does, and the next ones begin where the line before does. No paragraph
    /// ends at the left, before a line that is set in.
    fn paragraphs_hang(&self, next: usize) -> bool {
        let begins = |at: usize, as_at: usize| {
            self.line(at).zip(self.line(as_at)).is_some_and(|(line, as_it)| begin_alike(line, as_it))
        };
        let ends = |from: usize, to: usize| {
            let is_end = |at: &usize| begins(at - 1, from) && begins(*at, to) && self.ends_early(at - 1, *at);
            (next.saturating_sub(MAX_NEAR).max(1)..self.lines.len()).take(2 * MAX_NEAR).filter(is_end).count()
        };
        ends(next, next - 1) >= MIN_HANGING && ends(next - 1, next) == 0
    }

    /// Whether a line ended on purpose: it has room for the first word of the next line.
    pub(super) fn ends_early(&self, index: usize, next: usize) -> bool {
        let lines = self.line(index).zip(self.line(next)).zip(self.edges.get(index));
        lines.is_some_and(|((line, next), edge)| leaves_room(line, next, *edge))
    }

    /// Whether a line ended on purpose, although the next one follows as in a paragraph.
    pub(super) fn is_line_end(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return true };
        if self.is_list_end(next) {
            return true;
        }
        if self.is_open {
            return self.ends_early(next - 1, next) || begins_large(below) && leaves_room(above, below, self.right);
        }
        let (is_end, is_start) = (ends_sentence(above), !below.begins_small());
        (is_end || is_start) && self.ends_early(next - 1, next) || is_end && is_start && self.is_short(next - 1)
    }

    /// Whether a line is one of a list, which ends on purpose.
    pub(super) fn is_list_end(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let least = if is_long(above) { LONG_ENDS } else { LIST_ENDS };
        self.list_ends.get(next - 1).is_some_and(|ends| *ends >= least)
            && begins_large(below)
            && !ends_with_comma(above)
    }

    /// For each line the share of those around it that end on purpose: lines below each other, as those of an address or of a
    /// list of names.
    pub(super) fn list_ends(&self) -> Vec<f32> {
        let is_near = |at: usize, above: &Line, below: &Line| {
            begin_alike(above, below) && (0.0..SPACE_FACTOR * self.leading(at)).contains(&self.step(at - 1, at))
        };
        let mut shares = vec![0.0; self.lines.len()];
        let mut first = 0;
        for at in 1..=self.lines.len() {
            let pair = self.line(at - 1).zip(self.line(at));
            if pair.is_some_and(|(above, below)| is_near(at, above, below)) {
                continue;
            }
            let pairs = first + 1..at;
            let is_end = |next: &usize| self.line(*next).is_some_and(begins_large) && self.ends_early(next - 1, *next);
            let ends: f32 = pairs.clone().filter(is_end).map(|_| 1.0).sum();
            let all: f32 = pairs.clone().map(|_| 1.0).sum();
            if pairs.len() >= MIN_ALIGNED {
                let is_list = pairs.len() >= MIN_LIST && ends >= LIST_SHARE * all && self.are_entries(pairs);
                let share = if is_list { 1.0 } else { ends / all };
                shares.iter_mut().take(at - 1).skip(first).for_each(|own| *own = share);
            }
            first = at;
        }
        shares
    }

    /// Whether these lines may be the entries of a list: each has few words, begins with a capital or a digit, does not end with a
    /// comma, and is not all in capitals.
    fn are_entries(&self, mut lines: Range<usize>) -> bool {
        let is_entry = |line: &Line| {
            line.words.len() <= MAX_ENTRY_WORDS && begins_large(line) && !line.is_capitals() && !ends_with_comma(line)
        };
        lines.all(|at| self.line(at).is_some_and(is_entry))
    }

    /// Whether a line ends before the edge at which the lines of justified text end.
    fn is_short(&self, index: usize) -> bool {
        let (Some(line), Some(justified), Some(edge)) = (self.line(index), self.justified, self.edges.get(index))
        else {
            return false;
        };
        justified.min(*edge) - line.bounds.x1 > SHORT_EM * line.size
    }
}

/// Whether a text is the number of a formula, or a remark.
fn is_bracketed(text: &str) -> bool {
    text.starts_with('(') && text.ends_with(')')
}

/// Whether a line has a formula, an index or an exponent.
fn has_formula(line: &Line) -> bool {
    line.words.iter().any(|word| word.formula.is_some() || word.style.size < SCRIPT_SIZE * line.size)
}

/// Whether a line is set in below the number of a section, or begins where the text after the term or the label of the line above
/// does, as in a clause, a definition or a caption.
pub(crate) fn hangs_below(above: &Line, below: &Line) -> bool {
    let (Some(number), Some(next)) = (above.words.first(), below.words.first()) else { return false };
    let is_below = |word: &LineWord| (word.bounds.x0 - next.bounds.x0).abs() < HANG_EM * below.size;
    let is_tab = |text: &LineWord| is_below(text) && text.style.is_bold == next.style.is_bold;
    is_section_number(&number.text) && next.bounds.x0 > number.bounds.x0
        || labelled_text(above).iter().any(is_below)
        || !above.has_heads() && text_after_tab(above).is_some_and(is_tab)
}

/// The first word of the text after a term, a number or a mark, from which a wide gap divides it.
fn text_after_tab(line: &Line) -> Option<&LineWord> {
    let words = line.words.iter().zip(line.words.iter().skip(1)).take(MAX_LABEL_WORDS);
    let is_tab = |(before, next): &(&LineWord, &LineWord)| next.bounds.x0 - before.bounds.x1 > TAB_EM * line.size;
    words.filter(is_tab).map(|(_, next)| next).next()
}

/// The first two words after the label of a line: the first may be a number. A label ends with a colon or is in brackets.
pub(crate) fn labelled_text(line: &Line) -> &[LineWord] {
    let is_ended = line.words.get(1).is_some_and(|number| number.text.ends_with('.'));
    let is_caption = is_ended && is_caption_label(line.words.iter().map(|word| word.text.as_str()));
    let words = || line.words.iter().take(MAX_LABEL_WORDS);
    let is_bracketed = words().take(2).any(|word| word.text.starts_with(['(', '[', '（', '［', '【']));
    let ends = |word: &LineWord| {
        word.text.ends_with([':', '：']) || is_bracketed && word.text.ends_with([')', ']', '）', '］', '】'])
    };
    let label = words().position(ends).or(is_caption.then_some(1));
    let text = label.and_then(|label| line.words.get(label + 1..)).unwrap_or_default();
    text.get(..text.len().min(2)).unwrap_or_default()
}

/// Whether a line ends with a sign that ends a sentence or a part of one.
pub(super) fn ends_sentence(line: &Line) -> bool {
    let last = line.words.last().and_then(|word| word.text.chars().last());
    last.is_some_and(|sign| matches!(sign, '.' | '!' | '?' | ':' | ';'))
}

/// Whether two lines begin at one left edge, in one size.
fn begin_alike(one: &Line, other: &Line) -> bool {
    (one.bounds.x0 - other.bounds.x0).abs() < HANG_EM * other.size
        && (one.size - other.size).abs() < SAME_SIZE * other.size
}

fn ends_with_comma(line: &Line) -> bool {
    line.words.last().is_some_and(|last| last.text.ends_with(','))
}

/// Whether the first letter or digit of a line is a capital or a digit, or the line is an address of mail or of a site.
fn begins_large(line: &Line) -> bool {
    let first = line.words.first().and_then(|word| word.text.chars().find(|sign| sign.is_alphanumeric()));
    first.is_some_and(|sign| sign.is_uppercase() || sign.is_numeric())
        || matches!(line.words.as_slice(), [address] if is_address(&address.text))
}

//! The lines of a column become drafts: where does one end and the next begin.

use super::algorithms;
use super::dividers::Dividers;
use super::formulas;
use super::item_starts::{RecentMarkers, add_bare_numbers};
use super::markers::{Marker, label_marker, marker};
use super::room::Room;
use super::spacing::{FULL_EM, INDENT_EM, ends_sentence, is_long, justified_edge, right_edges};
use super::{Draft, DraftKind, Place};
use crate::document::headings::{MUCH_LARGER, is_vivid, section_depth};
use crate::document::notes::note_label;
use crate::document::type_statistics::TypeStatistics;
use crate::list_marks;
use crate::page_structure::{Column, Line, LineRole, LineTag, LineWord, has_letter};
use pagewise_text::HYPHENS;
use std::ops::Range;

/// The most lines of a title.
const MAX_TITLE_LINES: usize = 2;
/// Two empty lines do not end a listing: its lines are at most this multiple of its leading apart.
const CODE_FACTOR: f32 = 3.3;
/// Lines of an element of the structure tree stand at most this multiple of the leading apart.
const ELEMENT_FACTOR: f32 = 4.0;
/// The further lines of a numbered title begin where the text after its number does, or at most so many ems from there.
pub(super) const HANG_EM: f32 = 0.3;
/// The lines of a listing are a whole number of leadings apart, give or take this share of one.
const LISTING_TOLERANCE: f32 = 0.1;
/// The second part of a divided word stands in the next line, so far below in ems. Double spacing is allowed for.
const DIVIDED_EM: Range<f32> = 0.6..2.2;
/// The label of a line has at most so many words.
pub(super) const MAX_LABEL_WORDS: usize = 4;
/// Sizes that differ by less are the same.
const SIZE_TOLERANCE: f32 = 0.06;

/// What the rest of the page and of the document says of the lines of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'s> {
    pub(crate) statistics: &'s TypeStatistics,
    pub(crate) dividers: &'s Dividers,
    pub(crate) room: &'s Room,
}

/// Splits the lines of a column into drafts.
pub(crate) fn split<'a>(
    lines: &[&'a Line],
    column: &Column,
    place: Place,
    Evidence { statistics, dividers, room }: Evidence,
    recent: &mut RecentMarkers,
    drafts: &mut Vec<Draft<'a>>,
) {
    let Some(left) = lines.iter().map(|line| line.bounds.x0).min_by(f32::total_cmp) else { return };
    let right = lines.iter().map(|line| line.bounds.x1).fold(left, f32::max);
    let room = room.right_of(lines, column);
    let (lines, formulas) = formulas::arrange(lines);
    let lines = lines.as_slice();
    let mut markers: Vec<Option<Marker>> = lines.iter().map(|line| marker(line)).collect();
    add_bare_numbers(lines, &mut markers);
    let mut splitter = Splitter {
        steps: algorithms::steps(lines, dividers),
        formulas,
        markers,
        right: room,
        is_open: room > right,
        edges: right_edges(lines, left, right, statistics.body_size),
        justified: justified_edge(lines),
        lines,
        statistics,
        dividers: (column.turn == 0).then_some(dividers),
        is_plain: column.is_plain,
        list_ends: Vec::new(),
    };
    splitter.list_ends = splitter.list_ends();
    let from = drafts.len();
    let mut start = 0;
    for end in 1..=lines.len() {
        if end == lines.len() || splitter.is_break(start, end, recent) {
            let draft = splitter.draft(start, end, place, recent);
            draft.marker.iter().for_each(|marker| recent.add(marker));
            drafts.push(draft);
            start = end;
        }
    }
    set_column(drafts, from, column, (left, right), statistics);
}

/// Notes in the drafts of a column where it stands.
fn set_column(
    drafts: &mut [Draft],
    from: usize,
    column: &Column,
    (left, right): (f32, f32),
    statistics: &TypeStatistics,
) {
    let em = statistics.body_size;
    let origin = if column.is_plain { left } else { statistics.origin(left, em) };
    let count = drafts.len() - from;
    for (index, draft) in drafts.iter_mut().skip(from).enumerate() {
        (draft.turn, draft.is_mirrored) = (column.turn, column.is_mirrored);
        (draft.origin, draft.right) = (origin, right);
        (draft.opens_column, draft.closes_column) = (index == 0, index + 1 == count);
    }
}

/// The lines of a column, and what is known of each.
pub(super) struct Splitter<'s, 'a> {
    pub(super) lines: &'s [&'a Line],
    pub(super) markers: Vec<Option<Marker>>,
    /// The displayed formula to which each belongs.
    formulas: Vec<Option<usize>>,
    /// Whether each is a step of an algorithm.
    steps: Vec<bool>,
    pub(super) edges: Vec<f32>,
    pub(super) justified: Option<f32>,
    pub(super) right: f32,
    /// Whether no line of the column reaches that edge.
    pub(super) is_open: bool,
    pub(super) statistics: &'s TypeStatistics,
    dividers: Option<&'s Dividers>,
    is_plain: bool,
    /// The share of the lines around each that end on purpose.
    pub(super) list_ends: Vec<f32>,
}

impl<'a> Splitter<'_, 'a> {
    fn draft(&self, start: usize, end: usize, place: Place, recent: &RecentMarkers) -> Draft<'a> {
        let lines: Vec<&Line> = self.lines.get(start..end).unwrap_or_default().to_vec();
        let is_code = !lines.is_empty() && (start..end).all(|index| self.is_code(index));
        let tag = lines.first().and_then(|line| line.tag);
        let kind = match tag.map(|tag| tag.role) {
            None | Some(LineRole::Paragraph(0)) if is_code => DraftKind::Code,
            Some(role) => DraftKind::of_role(role),
            None => DraftKind::Paragraph { depth: 0 },
        };
        let is_formula = !is_code && self.formula(start).is_some();
        let mut draft = Draft { tag, is_formula, ..Draft::new(place, kind, lines) };
        let is_item = matches!(draft.kind, DraftKind::Item { .. });
        // What the structure tree takes for a heading may turn out to be an item.
        let may_be_item = draft.is_free() || matches!(draft.kind, DraftKind::Heading { .. });
        if is_item || may_be_item && !is_formula && self.is_marked(start, start, recent) {
            draft.marker = self.markers.get(start).cloned().flatten();
        }
        if is_item {
            draft.marker = draft.marker.take().or_else(|| label_marker(&draft));
        }
        if let Some(above) = start.checked_sub(1) {
            draft.space_above = self.step(above, start) / self.leading(start);
        }
        draft.ends_early = end < self.lines.len() && self.ends_early(end - 1, end);
        draft
    }

    /// Whether a line is the rest of the one before, in which a heading ended, or another text on its baseline.
    pub(super) fn is_rest(&self, index: usize) -> bool {
        let above = index.checked_sub(1).and_then(|above| self.line(above));
        above.zip(self.line(index)).is_some_and(|(above, rest)| {
            above.baseline.total_cmp(&rest.baseline).is_eq() && above.bounds.x1 <= rest.bounds.x0
        })
    }

    /// Whether a draft that begins at `start` ends before `next`.
    fn is_break(&self, start: usize, next: usize, recent: &RecentMarkers) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return true };
        if let Some(is_break) = self.is_tag_break(start, next) {
            return is_break;
        }
        if self.is_step(next - 1) || self.is_step(next) {
            return self.is_step(next - 1) != self.is_step(next);
        }
        if self.is_rest(next) {
            return true;
        }
        if self.formula(next - 1).is_some() || self.formula(next).is_some() {
            return self.formula(next - 1) != self.formula(next);
        }
        if self.is_plain {
            return (above.size - below.size).abs() > SIZE_TOLERANCE * above.size;
        }
        if above.ground != below.ground && (above.is_monospace() || below.is_monospace()) {
            return !self.is_listing(next);
        }
        if above.is_capitals() && below.is_capitals() && self.is_heading_line(next)
            || self.is_title_line(next)
            || self.is_hanging_line(start, next)
            || divides_word(above, below)
        {
            return false;
        }
        if self.is_code(next - 1) && self.is_code(next) {
            return self.step(next - 1, next) > CODE_FACTOR * self.leading(next);
        }
        is_note(below)
            || self.begins_bold(below)
                && self.line(start).is_some_and(|first| self.begins_bold(first))
                && ends_text(above)
            || is_labelled(below)
                && self.line(start).is_some_and(is_labelled)
                && (!is_long(above) || ends_text(above) || !self.flows_on(start, next) || self.is_set_in(next))
            || above.is_row() && !self.is_below_cell(next)
            || self.is_entry(next)
            || above.has_cells() && below.is_row()
            || self.dividers.is_some_and(|dividers| dividers.is_between(above, below))
            || self.is_style_break(start, next)
            || self.is_spaced(start, next) && !self.reads_on(start, next)
            || self.is_marked(next, start, recent)
            || self.is_next_section(start, next)
            || self.is_indent_break(start, next)
            || self.is_line_end(next)
    }

    /// Whether a line continues the last cell of the item above: it begins below that cell, and the line of the item is full.
    fn is_below_cell(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let cell = above.last_cell().and_then(|at| above.words.get(at)).map(|word| word.bounds.x0);
        cell.is_some_and(|cell| (below.bounds.x0 - cell).abs() < HANG_EM * below.size)
            && self.markers.get(next - 1).is_some_and(Option::is_some)
            && !self.ends_early(next - 1, next)
    }

    /// Whether a line begins with a label in bold type, as the parts of an abstract do.
    fn begins_bold(&self, line: &Line) -> bool {
        let label = line.words.iter().take_while(|word| word.style.is_bold).count();
        (1..=MAX_LABEL_WORDS).contains(&label)
            && label < line.words.len()
            && line.words.first().is_some_and(|word| word.text.starts_with(char::is_uppercase))
    }

    fn formula(&self, index: usize) -> Option<usize> {
        self.formulas.get(index).copied().flatten()
    }

    /// Whether an element of the structure tree ends before a line; `None` if the tree does not say. Producers make a
    /// paragraph of each line of code.
    fn is_tag_break(&self, start: usize, next: usize) -> Option<bool> {
        let (above, below) = (self.line(next - 1)?.tag, self.line(next)?.tag);
        let is_paragraph = |tag: LineTag| tag.role == LineRole::Paragraph(0);
        match (above, below) {
            (None, None) => None,
            (Some(above), Some(below)) if above.element == below.element => {
                // All notes of a page may be one element.
                let are_notes = [start, next].into_iter().all(|index| self.line(index).is_some_and(is_note));
                let is_apart = self.step(next - 1, next) > ELEMENT_FACTOR * self.leading(next);
                Some(are_notes || is_apart || self.is_list_end(next))
            }
            _ if self.divides_sentence(start, next) => Some(false),
            (Some(above), Some(below)) if is_paragraph(above) && is_paragraph(below) => {
                let is_code = self.is_code(next - 1) && self.is_code(next);
                (!is_code).then_some(true)
            }
            _ => Some(true),
        }
    }

    /// Whether an element begins within a sentence, with what looks like the mark of an item at the place where a paragraph's
    /// next line stands, below a full line. Programs that guess the structure take such a line for an item.
    fn divides_sentence(&self, start: usize, next: usize) -> bool {
        let (Some(above), Some(Some(marker))) = (self.line(next - 1), self.markers.get(next)) else { return false };
        let may_be_text = [next - 1, next]
            .into_iter()
            .filter_map(|index| self.line(index)?.tag)
            .all(|tag| matches!(tag.role, LineRole::Paragraph(_) | LineRole::Item(_) | LineRole::Note));
        may_be_text
            && marker.kind.is_ordered()
            && !marker.kind.is_first()
            && self.is_flush(next - 1)
            && !ends_sentence(above)
            && self.is_continuation(start, next)
    }

    /// Whether a line of a title goes on where the one before was broken by hand.
    fn is_title_line(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let is_title = |line: &Line| line.size >= MUCH_LARGER * self.statistics.body_size && !line.is_row();
        is_title(above)
            && is_title(below)
            && (above.size - below.size).abs() < SIZE_TOLERANCE * above.size
            && above.is_bold() == below.is_bold()
            && above.color() == below.color()
            && self.markers.get(next).is_some_and(Option::is_none)
            && (above.is_bold() || self.is_set_in_below(next))
            && (0.5 * above.size..1.5 * above.size).contains(&self.step(next - 1, next))
    }

    /// Whether a line of a bold title begins below the text after its number.
    fn is_hanging_line(&self, start: usize, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let Some(first) = self.line(start).filter(|first| section_depth(first).is_some()) else { return false };
        let text = first.words.get(1).map_or(f32::INFINITY, |word| word.bounds.x0);
        first.is_bold()
            && !first.has_cells()
            && below.is_bold()
            && (above.size - below.size).abs() < SIZE_TOLERANCE * above.size
            && (below.bounds.x0 - text).abs() < HANG_EM * below.size
            && self.step(next - 1, next) < 1.5 * above.size
    }

    /// Whether the middle or the right end of a line is below that of the line above, and its left end is not.
    fn is_set_in_below(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let (left, right) = (below.bounds.x0 - above.bounds.x0, below.bounds.x1 - above.bounds.x1);
        ((left + right).abs() < above.size || right.abs() < HANG_EM * above.size) && left.abs() > 0.5 * above.size
    }

    /// Whether a line of capitals goes on where the one before ended. Small capitals differ in size.
    fn is_heading_line(&self, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let size = above.size.max(below.size);
        let is_alike = (above.size - below.size).abs() < 0.25 * size
            && above.is_bold() == below.is_bold()
            && !(is_labelled(above) && is_labelled(below));
        let is_marked = self.markers.get(next).is_some_and(Option::is_some);
        is_alike && !is_marked && !self.ends_early(next - 1, next) && self.step(next - 1, next) < 1.5 * size
    }

    /// Whether the first line of a draft and the next line begin with numbers of sections that follow each other.
    fn is_next_section(&self, start: usize, next: usize) -> bool {
        let number = |index: usize| self.line(index).and_then(|line| line.words.first()).map(|word| word.text.as_str());
        number(next).zip(number(start)).is_some_and(|(next, before)| list_marks::is_next_section(next, before))
    }

    fn is_step(&self, index: usize) -> bool {
        self.steps.get(index).is_some_and(|is_step| *is_step)
    }

    /// Whether a line is code: a step of an algorithm, or text of a fixed pitch, but not a title of one or two lines in larger
    /// type.
    pub(super) fn is_code(&self, index: usize) -> bool {
        if self.is_step(index) {
            return true;
        }
        // A note of an address in type of code has a raised label.
        let is_typed = |line: &&Line| line.is_monospace() && !line.words.first().is_some_and(|word| word.is_raised);
        let Some(line) = self.line(index).filter(is_typed).filter(|_| !self.statistics.is_monospace) else {
            return false;
        };
        let is_alike = |other: &usize| {
            self.line(*other).is_some_and(|other| other.is_monospace() && (other.size - line.size).abs() < 0.1)
        };
        let above = (0..index).rev().take(MAX_TITLE_LINES).take_while(is_alike).count();
        let below = (index + 1..self.lines.len()).take(MAX_TITLE_LINES).take_while(is_alike).count();
        line.size < MUCH_LARGER * self.statistics.body_size || above + below >= MAX_TITLE_LINES
    }

    /// Whether two lines of code on different backgrounds belong to one listing: some listings have stripes. The
    /// distance of their baselines is then a whole multiple of its leading, which it is not between two boxes.
    fn is_listing(&self, next: usize) -> bool {
        let lines = self.step(next - 1, next) / self.leading(next);
        self.is_code(next - 1)
            && self.is_code(next)
            && (0.5..CODE_FACTOR).contains(&lines)
            && (lines - lines.round()).abs() < LISTING_TOLERANCE
    }

    /// Whether the style of whole lines changes.
    fn is_style_break(&self, start: usize, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return true };
        let (Some(last), Some(first)) = (above.words.last(), below.words.first()) else { return true };
        let differ = |a: f32, b: f32| (a - b).abs() > SIZE_TOLERANCE * a.max(b);
        let is_code_end = self.is_code(next - 1) != self.is_code(next);
        let is_resized = differ(above.size, below.size);
        if is_resized || is_code_end {
            // A run in another size, such as small capitals, may fill most of a line: then the words at the line end decide, or
            // one of the next line that has their size.
            let end = above.words.iter().rfind(|word| !word.is_raised).unwrap_or(last);
            let is_other = differ(end.style.size, first.style.size)
                && below.words.iter().all(|word| differ(end.style.size, word.style.size));
            return is_resized && (is_code_end || is_other) || !self.flows_on(start, next);
        }
        let is_whole = |change: bool, line: &Line, test: &dyn Fn(&Line) -> bool| change && test(line);
        let bold = is_whole(!first.style.is_bold, above, &Line::is_bold)
            || is_whole(!last.style.is_bold, below, &Line::is_bold);
        let italic = is_whole(!first.style.is_italic, above, &Line::is_italic)
            || is_whole(!last.style.is_italic, below, &Line::is_italic);
        let capitals = above.is_capitals() != below.is_capitals() && above.is_bold() && below.is_bold();
        let has_link = above.words.iter().any(|word| word.target.is_some());
        let colour = is_whole(!has_link && !is_vivid(first.style.color), above, &|line| {
            line.is_all(|style| is_vivid(style.color))
        });
        (bold || italic || capitals || colour) && !self.flows_on(start, next)
    }

    /// Whether a line is full and the next one begins where a paragraph's next line does.
    fn flows_on(&self, start: usize, next: usize) -> bool {
        let (Some(above), Some(below)) = (self.line(next - 1), self.line(next)) else { return false };
        let is_full = self.right - above.bounds.x1 < FULL_EM * above.size;
        let shift = (below.bounds.x0 - self.text_left(start, next - 1)).abs();
        is_full && !self.ends_early(next - 1, next) && (next - start == 1 || shift < INDENT_EM * below.size)
    }
}

/// Whether a line ends with the full stop of a sentence.
fn ends_text(line: &Line) -> bool {
    line.words.last().is_some_and(|word| word.text.ends_with(['.', '!', '?']))
}

/// Whether a line begins with the mark of a note.
fn is_note(line: &Line) -> bool {
    let is_sign = |text: &str| text.chars().all(|sign| matches!(sign, '*' | '†' | '‡'));
    line.words.first().is_some_and(|word| note_label(&word.text).is_some() && (word.is_raised || is_sign(&word.text)))
}

/// Whether a line says what a variable is: `p = probability of`.
fn is_definition(line: &Line) -> bool {
    let is_variable = |word: &LineWord| word.style.is_italic || word.formula.is_some();
    line.words.first().is_some_and(is_variable) && line.words.iter().take(2).any(|word| word.text.ends_with('='))
}

/// Whether a line begins with its label: a few words before a colon, or a variable before an equals sign.
pub(crate) fn is_labelled(line: &Line) -> bool {
    if is_definition(line) {
        return true;
    }
    let label = line.words.iter().take(MAX_LABEL_WORDS).position(|word| word.text.ends_with([':', '：']));
    let is_word = |text: &str| has_letter(text) && !text.ends_with(['.', ',', ';']);
    let words = label.and_then(|at| line.words.get(..at + 1)).unwrap_or_default();
    words.first().is_some_and(|word| word.text.starts_with(char::is_alphabetic))
        && !line.begins_small()
        && words.iter().take(words.len().saturating_sub(1)).all(|word| is_word(&word.text))
}

/// Whether a word with a hyphen goes on in the next line, in type of the same size.
fn divides_word(above: &Line, below: &Line) -> bool {
    let last = above.words.last().and_then(|word| word.text.strip_suffix(HYPHENS));
    last.is_some_and(|stem| stem.ends_with(char::is_lowercase))
        && below.begins_small()
        && (above.size - below.size).abs() <= SIZE_TOLERANCE * above.size
        && DIVIDED_EM.contains(&((below.baseline - above.baseline) / above.size))
        && !above.is_monospace()
        && !above.is_row()
        && !below.is_row()
}

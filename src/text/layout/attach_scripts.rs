//! Moves superscripts and subscripts that were drawn apart from their line into it.
//!
//! Some programs draw the text of a line first, with gaps, and then all its indices, or the marks of its notes. Glyphs belong
//! to a line if they are smaller, touch one of its glyphs, and stand a little above or below its baseline.

use super::lines::{LineGlyph, TextLine};
use super::scripts::APART_SIZE;
use crate::glyphs::{WritingDirection, row_of};
use std::collections::HashMap;

/// A script has at least this share of its line's size. Text beside a large initial has less.
const SMALLEST: f64 = 0.45;

/// It has no more characters than its line, or few.
const FEW: usize = 3;

/// How far it is raised, in ems of the line; less than nothing is lowered.
const RISE_EM: std::ops::Range<f64> = -0.35..0.75;

/// It stands at most so far from a glyph of the line, in ems; the number of a note before its text at most so far.
const TOUCH_EM: f64 = 0.35;
const NUMBER_EM: f64 = 1.4;

/// It is no longer than this, in ems of the line.
const MAX_LENGTH_EM: f64 = 8.0;

/// A wider gap, in ems, divides what belongs to several words of a line.
const PART_GAP_EM: f64 = 0.65;

/// The largest part of a glyph that may be over one of the line, as kerning and italics have it.
const OVERLAP: f64 = 0.3;

/// The height of the rows in which lines are looked up, in points, and the most of them that are looked at.
const ROW_PT: f64 = 8.0;
const MAX_ROWS: i64 = 8;

/// The most lines of a row, and the most glyphs of a line, with which a part is compared.
const MAX_COMPARED: usize = 32;
const MAX_GLYPHS: usize = 2_000;

/// The most glyphs of lines that are compared on a page. After that nothing is moved.
const MAX_READS: usize = 5_000_000;

/// The lines with the superscripts and subscripts that they touch.
pub(crate) fn attach_scripts(mut lines: Vec<TextLine>) -> Vec<TextLine> {
    let largest = lines.iter().map(|line| line.size).fold(0.0, f64::max);
    let mut small: Vec<usize> = (0..lines.len()).collect();
    small.retain(|at| lines.get(*at).is_some_and(|line| line.size < APART_SIZE * largest));
    if small.is_empty() {
        return lines;
    }
    // What is attached to a line moves on with it.
    small.sort_by(|one, other| {
        let size = |at: &usize| lines.get(*at).map_or(0.0, |line| line.size);
        size(one).total_cmp(&size(other))
    });
    let rows = Rows::of(&lines);
    let mut reads = MAX_READS;
    for at in small {
        let Some(line) = lines.get(at) else { continue };
        let mut rest: Vec<LineGlyph> = Vec::new();
        let mut moved: Vec<(usize, Vec<LineGlyph>)> = Vec::new();
        for part in parts_of(line) {
            match rows.host_of(part, line, &lines, &mut reads) {
                Some(host) => moved.push((host, part.to_vec())),
                None => rest.extend_from_slice(part),
            }
        }
        if moved.is_empty() {
            continue;
        }
        let rest = TextLine::of(&rest);
        if let Some(line) = lines.get_mut(at) {
            match rest {
                Some(rest) => *line = rest,
                None => line.glyphs.clear(),
            }
        }
        for (host, part) in moved {
            lines.get_mut(host).into_iter().for_each(|line| insert(line, part.clone()));
        }
    }
    lines.retain(|line| !line.glyphs.is_empty());
    lines
}

/// The parts of a line between wide gaps.
fn parts_of(line: &TextLine) -> impl Iterator<Item = &[LineGlyph]> {
    line.glyphs.chunk_by(|last, next| (-TOUCH_EM..PART_GAP_EM).contains(&next.gap_after(last)))
}

/// Lines by their baselines.
struct Rows(HashMap<(WritingDirection, i64), Vec<usize>>);

impl Rows {
    fn of(lines: &[TextLine]) -> Self {
        let mut rows: HashMap<(WritingDirection, i64), Vec<usize>> = HashMap::new();
        for (at, line) in lines.iter().enumerate() {
            rows.entry((line.direction, row_of(line.across, ROW_PT))).or_default().push(at);
        }
        Self(rows)
    }

    /// The line of which a part of `own` is a superscript or a subscript.
    fn host_of(&self, part: &[LineGlyph], own: &TextLine, lines: &[TextLine], reads: &mut usize) -> Option<usize> {
        let first = row_of(part.first()?.glyph.across, ROW_PT) - MAX_ROWS / 2;
        let rows = (first..=first + MAX_ROWS).filter_map(|row| self.0.get(&(own.direction, row)));
        let near = rows.flat_map(|row| row.iter().take(MAX_COMPARED));
        near.copied().find(|at| {
            let line = lines.get(*at);
            *reads = reads.saturating_sub(1 + line.map_or(0, |line| line.glyphs.len()));
            *reads > 0 && line.is_some_and(|line| is_host(line, part))
        })
    }
}

/// Whether a part is a superscript or a subscript of a line.
fn is_host(line: &TextLine, part: &[LineGlyph]) -> bool {
    let Some((first, size)) =
        part.first().map(|first| (first, part.iter().map(|own| own.glyph.size).fold(0.0, f64::max)))
    else {
        return false;
    };
    let (start, end) = extent_of(part);
    let rise = (line.across - first.glyph.across) / line.size;
    (SMALLEST * line.size..APART_SIZE * line.size).contains(&size)
        && part.len() <= line.glyphs.len().max(FEW)
        && RISE_EM.contains(&rise)
        && end - start < MAX_LENGTH_EM * line.size
        && start < line.end + TOUCH_EM * line.size
        && end > line.start - NUMBER_EM * line.size
        && line.glyphs.len() < MAX_GLYPHS
        && (is_number_before(line, part, end) || touches(line, start, end))
}

/// Whether a part is the raised number of a note right before a line of text. A zero is on the axis of a chart.
fn is_number_before(line: &TextLine, part: &[LineGlyph], end: f64) -> bool {
    let mut signs = part.iter().map(|own| own.glyph.text.first());
    let is_raised = part.iter().all(|own| line.across - own.glyph.across > TOUCH_EM * own.glyph.size);
    part.len() <= FEW
        && signs.all(|sign| sign.is_some_and(|sign| sign.is_ascii_digit()))
        && part.first().is_some_and(|first| first.glyph.text.first() != Some('0'))
        && is_raised
        && line.glyphs.len() > part.len()
        && (0.0..NUMBER_EM * line.size).contains(&(line.start - end))
}

/// Whether a glyph of a line stands beside what lies from `start` to `end`, and none is over it.
fn touches(line: &TextLine, start: f64, end: f64) -> bool {
    let full = || line.glyphs.iter().map(|own| &own.glyph).filter(|own| own.size > APART_SIZE * line.size);
    let is_near = |gap: f64| gap < TOUCH_EM * line.size;
    let is_over = |from: f64, to: f64| end.min(to) - start.max(from) > OVERLAP * (end - start).min(to - from);
    full().any(|own| is_near(start - own.end) && is_near(own.start - end))
        && !full().any(|own| is_over(own.start, own.end))
}

fn extent_of(part: &[LineGlyph]) -> (f64, f64) {
    part.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(start, end), own| {
        (start.min(own.glyph.start), end.max(own.glyph.end))
    })
}

/// Puts a part in its place on a line.
fn insert(line: &mut TextLine, mut part: Vec<LineGlyph>) {
    let (start, end) = extent_of(&part);
    let at = line.glyphs.iter().position(|own| own.glyph.start > start).unwrap_or(line.glyphs.len());
    // What is inserted takes the place of a space, or of a part of it.
    part.first_mut().into_iter().for_each(|first| first.follows_space = false);
    if let Some(next) = line.glyphs.get_mut(at) {
        next.follows_space &= next.glyph.start - end > line.least_space * line.size;
    }
    (line.start, line.end) = (line.start.min(start), line.end.max(end));
    line.glyphs.splice(at..at, part);
    line.measure();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glyphs::PlacedGlyph;
    use crate::layout::bidi::BracketNaming;
    use crate::layout::group_into_lines;

    fn texts(parts: impl IntoIterator<Item = Vec<PlacedGlyph>>) -> Vec<String> {
        let lines = attach_scripts(group_into_lines(parts.into_iter().flatten().collect()));
        let brackets = BracketNaming::of(lines.iter());
        lines.iter().map(|line| line.text(brackets)).collect()
    }

    #[test]
    fn indices_that_are_drawn_after_their_line_take_their_places_in_it() {
        let line = [
            PlacedGlyph::line("BAF", 0.0, 100.0, 10.0),
            PlacedGlyph::line("and FD", 22.0, 100.0, 10.0),
            PlacedGlyph::line("in", 60.0, 100.0, 10.0),
        ];
        let indices = [PlacedGlyph::line("3", 15.5, 102.0, 6.0), PlacedGlyph::line("4", 52.5, 102.0, 6.0)];
        assert_eq!(texts(line.into_iter().chain(indices)), ["BAF3 and FD4 in"]);
    }

    #[test]
    fn the_mark_of_a_note_is_raised_and_small_text_elsewhere_is_a_line_of_its_own() {
        let name = PlacedGlyph::line("A Name", 0.0, 100.0, 10.0);
        assert_eq!(
            texts([name.clone(), PlacedGlyph::line("x", 90.0, 150.0, 10.0), PlacedGlyph::line("12", 30.5, 96.0, 6.0)]),
            ["A Name¹²", "x"]
        );
        let below = PlacedGlyph::line("3", 30.5, 106.0, 6.0);
        assert_eq!(texts([PlacedGlyph::line("x", 90.0, 150.0, 10.0), name.clone(), below]), ["x", "A Name", "3"]);
        let note = PlacedGlyph::line("Reported by", 20.0, 200.0, 8.0);
        assert_eq!(texts([note.clone(), PlacedGlyph::line("23", 7.5, 196.6, 4.0)]), ["²³ Reported by"]);
        assert_eq!(texts([note, PlacedGlyph::line("0", 10.0, 196.6, 4.0)]), ["Reported by", "0"]);
        let beside = [PlacedGlyph::line("O", 0.0, 116.0, 30.0), PlacedGlyph::line("nce the day", 16.0, 100.0, 10.0)];
        assert_eq!(texts(beside), ["O", "nce the day"]);
        let under = PlacedGlyph::line("n", 20.0, 103.0, 6.0);
        assert_eq!(
            texts([PlacedGlyph::line("x", 90.0, 150.0, 10.0), name, PlacedGlyph::line("x", 90.0, 150.0, 10.0), under])
                .len(),
            4
        );
    }
}

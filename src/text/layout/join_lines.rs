//! Joins lines that were drawn in parts.
//!
//! Producers draw the parts of a line in any order: digits before their decimal points, the end of a Hebrew line before
//! its beginning, a value into the gap of a sentence. Parts on one baseline that fill gaps of an earlier line, or touch
//! its end, belong to it.

use super::lines::{LineGlyph, TextLine};
use crate::glyphs::{WritingDirection, row_of};
use std::collections::{BTreeSet, HashMap};

/// The largest gap between adjacent parts, as a share of an em.
const TOUCH_EM: f64 = 0.3;

/// The largest overlap of two glyphs, as a share of a glyph: italics lean over, and kerning pulls glyphs together.
const OVERLAP: f64 = 0.3;

/// The height of the rows in which baselines are looked up, in points.
const ROW_PT: f64 = 4.0;

/// The most lines that one line is compared with.
const MAX_COMPARED: usize = 32;

/// Joins the parts of each line, at the position of its first part.
pub(crate) fn join_lines(lines: Vec<TextLine>) -> Vec<TextLine> {
    let mut kept: Vec<TextLine> = Vec::with_capacity(lines.len());
    let mut joined = BTreeSet::new();
    let mut rows: HashMap<(WritingDirection, i64), Vec<usize>> = HashMap::new();
    for line in lines {
        let row = row_of(line.across, ROW_PT);
        let near = [row, row - 1, row + 1].into_iter().filter_map(|row| rows.get(&(line.direction, row)));
        let near = near.flat_map(|row| row.iter().rev().take(MAX_COMPARED));
        let match_at =
            near.copied().filter(|at| kept.get(*at).is_some_and(|earlier| belong_together(earlier, &line))).max();
        joined.extend(match_at);
        match match_at.and_then(|at| kept.get_mut(at)) {
            Some(earlier) => insert(earlier, line),
            None => {
                rows.entry((line.direction, row)).or_default().push(kept.len());
                kept.push(line);
            }
        }
    }
    for at in joined {
        kept.get_mut(at).into_iter().for_each(TextLine::measure);
    }
    kept
}

/// Whether two lines are parts of one line.
fn belong_together(earlier: &TextLine, line: &TextLine) -> bool {
    if !earlier.is_level_with(line) {
        return false;
    }
    let small = earlier.size.min(line.size);
    let touches = |gap: f64| (-OVERLAP * small..=TOUCH_EM * small).contains(&gap);
    let is_beside = touches(line.start - earlier.end) || touches(earlier.start - line.end);
    let is_between = line.start < earlier.end && line.end > earlier.start;
    is_beside || (is_between && line.glyphs.iter().all(|line_glyph| overlaps_none(earlier, line_glyph)))
}

fn overlaps_none(line: &TextLine, line_glyph: &LineGlyph) -> bool {
    let (start, end) = (line_glyph.glyph.start, line_glyph.glyph.end);
    line.glyphs.iter().all(|other| {
        let common = end.min(other.glyph.end) - start.max(other.glyph.start);
        common <= OVERLAP * (end - start).min(other.glyph.end - other.glyph.start)
    })
}

/// Inserts the glyphs of `part` into `line` by position.
fn insert(line: &mut TextLine, part: TextLine) {
    line.start = line.start.min(part.start);
    line.end = line.end.max(part.end);
    for line_glyph in part.glyphs {
        let at = line.glyphs.iter().position(|other| other.glyph.start > line_glyph.glyph.start);
        let at = at.unwrap_or(line.glyphs.len());
        // What is inserted takes the place of a space.
        if let Some(next) = line.glyphs.get_mut(at) {
            next.follows_space = false;
        }
        line.glyphs.insert(at, line_glyph);
    }
}

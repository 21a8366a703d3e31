//! How far the text of a column could go on to the right.

use super::spacing::is_long;
use crate::document::mirror;
use crate::page_structure::{Column, Line, PageStructure, Region};
use pagewise_text::Bounds;

/// If the longest line of a column fills this share of the room to the next text or the margin, the column ends where it does.
const FILLED: f32 = 0.7;
/// Lines of prose that end so near to the longest one, in ems, show the edge of their column.
const NEAR_EM: f32 = 3.0;
const MIN_NEAR: usize = 2;

/// What stands on a page in upright lines, in the frame of a column.
#[derive(Debug)]
pub(crate) struct Room {
    texts: Vec<Bounds>,
    /// The left edge of all text, and the right one if both margins are as wide.
    left: f32,
    right: f32,
}

impl Room {
    /// `placed` takes a rectangle of the page into that frame.
    pub(crate) fn of(page: &PageStructure, placed: &dyn Fn(&Bounds) -> Bounds) -> Self {
        let columns = page.regions.iter().filter_map(|region| match region {
            Region::Column(column) => (column.turn == 0).then(|| mirror::extent_on(column, page)),
            Region::Table(table) => Some(table.bounds),
            Region::Figure(figure) => Some(figure.bounds),
        });
        let texts: Vec<Bounds> = columns.chain(page.figures.iter().copied()).map(|text| placed(&text)).collect();
        let left = texts.iter().map(|text| text.x0).fold(f32::INFINITY, f32::min);
        Self { texts, left, right: page.width - left }
    }

    /// Where the lines of a column would end if they were full. Few short lines do not show it: then it is where other text
    /// begins, or the margin. Centred lines leave as much room before them.
    pub(super) fn right_of(&self, lines: &[&Line], column: &Column) -> f32 {
        let own = extent(lines);
        let em = lines.iter().map(|line| line.size).fold(0.0, f32::max);
        let is_near = |line: &&&Line| is_long(line) && own.x1 - line.bounds.x1 < NEAR_EM * em;
        let beside = self.texts.iter().filter(|text| text.x0 > own.x1 && text.y0 < own.y1 && own.y0 < text.y1);
        let end = beside.map(|text| text.x0 - em).fold(self.right, f32::min);
        let is_centred = (own.x0 - self.left - (end - own.x1)).abs() < 2.0 * em;
        let is_shown = column.turn != 0
            || is_centred
            || own.width() > FILLED * (end - own.x0)
            || lines.iter().filter(is_near).count() >= MIN_NEAR;
        if is_shown { own.x1 } else { end }
    }
}

fn extent(lines: &[&Line]) -> Bounds {
    Bounds::around(lines.iter().map(|line| line.bounds))
}

//! Side bars and notes in the margin: narrow columns of small type beside the text.

use super::super::page_structure::{Column, Line, PageStructure, Region};
use super::drafts::{Draft, DraftKind, is_long};
use super::mirror;
use super::type_statistics::TypeStatistics;
use crate::measures::SMALLER;

/// The text beside it is wider by this factor.
const WIDER: f32 = 1.5;
/// It is prose: at least so many of its lines are long, and one in so many. Listings may stand among it.
const MIN_LONG: usize = 3;
const LONG_SHARE: usize = 4;

/// Turns the drafts of a column into parts of a side bar if it is one.
pub(super) fn mark(drafts: &mut [Draft], column: &Column, page: &PageStructure, statistics: &TypeStatistics) {
    if is_aside(column, page, statistics) {
        drafts.iter_mut().filter(|draft| draft.is_paragraph()).for_each(|draft| draft.kind = DraftKind::Aside);
    }
}

fn is_aside(column: &Column, page: &PageStructure, statistics: &TypeStatistics) -> bool {
    let is_small = |line: &Line| line.size < SMALLER * statistics.body_size && line.tag.is_none();
    if column.turn != 0 || !column.lines.iter().all(is_small) {
        return false;
    }
    let own = mirror::extent_on(column, page);
    let is_beside = |other: &Column| {
        let text = mirror::extent_on(other, page);
        let is_body = |line: &&Line| line.size > SMALLER * statistics.body_size && is_long(line);
        let long = other.lines.iter().filter(is_body).count();
        let shared = own.y1.min(text.y1) - own.y0.max(text.y0);
        other.turn == 0
            && long >= MIN_LONG
            && LONG_SHARE * long >= other.lines.len()
            && own.shared_width(text) <= 0.0
            && text.width() > WIDER * own.width()
            && 2.0 * shared > own.height()
    };
    page.regions.iter().filter_map(Region::column).any(is_beside)
}

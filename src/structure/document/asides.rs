//! Side bars and notes in the margin: narrow columns of small type beside the text.

use super::super::page_structure::{Column, Line, PageStructure, Region};
use super::drafts::{Draft, DraftKind};
use super::mirror::{is_mirrored, mirror};
use super::type_statistics::TypeStatistics;
use pagewise_text::Bounds;

/// The type of a side bar is smaller than the body by this factor.
const SMALLER: f32 = 0.93;
/// The text beside it is wider by this factor.
const WIDER: f32 = 1.5;

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
    let own = extent(column, page);
    let is_beside = |other: &Column| {
        let text = extent(other, page);
        let is_body = other.lines.iter().any(|line| line.size > SMALLER * statistics.body_size);
        let shared = own.y1.min(text.y1) - own.y0.max(text.y0);
        other.turn == 0
            && is_body
            && own.shared_width(text) <= 0.0
            && text.width() > WIDER * own.width()
            && 2.0 * shared > own.height()
    };
    page.regions.iter().filter_map(Region::column).any(is_beside)
}

/// Where a column stands on its page.
fn extent(column: &Column, page: &PageStructure) -> Bounds {
    let extent = Bounds::around(column.lines.iter().map(|line| line.bounds));
    if is_mirrored(column) { mirror(extent, page.width) } else { extent }
}

//! Columns whose text runs to the left are mirrored: in their frame too lines begin at the left edge and end at the right.

use super::DocumentPage;
use crate::page_structure::{Column, Line, PageStructure, Region};
use pagewise_base::script::runs_left;
use pagewise_text::Bounds;
use std::borrow::Cow;

/// Lines that stand so near to an edge, in ems, stand at it.
const FLUSH_EM: f32 = 0.5;

/// The pages, with such columns mirrored.
pub(super) fn mirrored(pages: &[DocumentPage]) -> Cow<'_, [DocumentPage]> {
    if !pages.iter().flat_map(|page| &page.structure.regions).filter_map(Region::column).any(runs_to_left) {
        return pages.into();
    }
    let mut pages = pages.to_vec();
    for PageStructure { width, regions, .. } in pages.iter_mut().map(|page| &mut page.structure) {
        let columns = regions.iter_mut().filter_map(|region| match region {
            Region::Column(column) => Some(column),
            Region::Table(_) | Region::Figure(_) => None,
        });
        columns.filter(|column| runs_to_left(column)).for_each(|column| mirror_column(column, *width));
    }
    pages.into()
}

/// Whether most letters of a column run to the left, and its lines do not begin at the left edge.
fn runs_to_left(column: &Column) -> bool {
    let words = column.lines.iter().flat_map(|line| &line.words);
    let is_text = column.turn == 0 && !column.is_plain;
    is_text && runs_left(words.map(|word| word.text.as_str())) && !is_flush_left(&column.lines)
}

/// Whether more than twice as many lines begin at the left edge as end at the right one: some programs set text that runs to
/// the left flush left.
fn is_flush_left(lines: &[Line]) -> bool {
    let extent = Bounds::around(lines.iter().map(|line| line.bounds));
    let count = |is_at: fn(Bounds, Bounds) -> f32| {
        lines.iter().filter(|line| is_at(line.bounds, extent).abs() < FLUSH_EM * line.size).count()
    };
    count(|line, extent| line.x0 - extent.x0) > 2 * count(|line, extent| line.x1 - extent.x1)
}

fn mirror_column(column: &mut Column, width: f32) {
    column.is_mirrored = true;
    for line in &mut column.lines {
        line.bounds = mirror(line.bounds, width);
        line.words.iter_mut().for_each(|word| word.bounds = mirror(word.bounds, width));
    }
}

/// A rectangle of a page of this width as seen in a mirror.
pub(super) fn mirror(bounds: Bounds, width: f32) -> Bounds {
    Bounds { x0: width - bounds.x1, x1: width - bounds.x0, ..bounds }
}

/// Where a column stands on its page.
pub(super) fn extent_on(column: &Column, page: &PageStructure) -> Bounds {
    let extent = Bounds::around(column.lines.iter().map(|line| line.bounds));
    if column.is_mirrored { mirror(extent, page.width) } else { extent }
}

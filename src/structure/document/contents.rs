//! Tables of contents: their entries end with a page number after a leader or a wide gap.

use super::drafts::{Draft, DraftKind};

/// Finds the entries among the paragraphs that are left.
pub(super) fn mark(drafts: &mut [Draft]) {
    let is_entry = |draft: &Draft| draft.lines.last().is_some_and(|line| line.is_contents_entry());
    for draft in drafts.iter_mut().filter(|draft| draft.is_free() && is_entry(draft)) {
        draft.kind = DraftKind::ContentsEntry;
        draft.marker = None;
    }
}

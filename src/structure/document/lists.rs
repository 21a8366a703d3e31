//! Lists: items and their depth, by the indent of their text.

use super::drafts::{Draft, DraftKind, Place, labelled_text};
use super::type_statistics::TypeStatistics;
use crate::list_marks::MarkerKind;
use crate::measures::SAME_EDGE_EM;

/// Items are on one level if their indents differ by less than this, in ems of their own text: a slide may have text in many
/// sizes.
const OWN_TOLERANCE_EM: f32 = 0.8;
/// Lists inside lists, at most.
const MAX_DEPTH: usize = 9;

/// Gives items and the paragraphs in them their depth.
pub(super) fn mark(drafts: &mut [Draft], statistics: &TypeStatistics) {
    let mut open: Vec<OpenList> = Vec::new();
    let is_bibliography_list = are_references_hanging(drafts);
    for draft in drafts {
        let is_listed = is_bibliography_list || !is_reference(draft);
        match draft.kind {
            DraftKind::Item { .. } => open.clear(),
            DraftKind::Paragraph { depth: 0 } => mark_paragraph(draft, is_listed, &mut open, statistics),
            DraftKind::Heading { .. } => open.clear(),
            DraftKind::Quote | DraftKind::Code if draft.first_left() - draft.origin < 1.0 => open.clear(),
            _ => {}
        }
    }
}

fn is_reference(draft: &Draft) -> bool {
    draft.marker.as_ref().is_some_and(|marker| marker.kind == MarkerKind::Reference)
}

/// Whether the lines of most references begin where the text after their number does: such a bibliography is a list.
fn are_references_hanging(drafts: &[Draft]) -> bool {
    let long = || drafts.iter().filter(|draft| is_reference(draft) && draft.own_lines > 1);
    let hangs = |draft: &&Draft| {
        let text_left = draft.marker.as_ref().map_or(0.0, |marker| marker.text_left);
        (draft.text_left() - text_left).abs() < 0.5 * draft.size()
    };
    2 * long().filter(hangs).count() > long().count()
}

/// A list that may get further items.
struct OpenList {
    /// The left edges of its last mark, and of the text of its items, from the edge of the column.
    mark: f32,
    text: f32,
    /// Where the first words after the label of its last item begin, and the column in which this item stands.
    labelled: Vec<f32>,
    place: Place,
}

fn mark_paragraph(draft: &mut Draft, is_listed: bool, open: &mut Vec<OpenList>, statistics: &TypeStatistics) {
    let tolerance = (SAME_EDGE_EM * statistics.body_size).min(OWN_TOLERANCE_EM * draft.size());
    match draft.marker.clone().filter(|_| is_listed) {
        Some(marker) => {
            let words = draft.lines.first().map(|line| labelled_text(line)).unwrap_or_default();
            let labelled = words.iter().map(|word| word.bounds.x0 - draft.origin).collect();
            let (mark, text) = (draft.first_left() - draft.origin, marker.text_left - draft.origin);
            let item = OpenList { mark, text, labelled, place: draft.place };
            open_list(item, tolerance, open);
            draft.kind = DraftKind::Item { depth: depth(open.len()) };
        }
        None => {
            let (first, text) = (draft.first_left(), draft.text_left());
            // Lines after a first one that is set in say where a paragraph stands.
            let indents = [first.min(text), text].map(|left| left - draft.origin);
            let fits = |list: &&OpenList| {
                let labelled = list.labelled.iter().filter(|_| list.place == draft.place);
                let mut lefts = labelled.chain(std::iter::once(&list.text));
                lefts.any(|left| indents.iter().any(|indent| (left - indent).abs() <= tolerance))
            };
            let is_inside = indents.iter().all(|indent| *indent > tolerance) && draft.marker.is_none();
            match open.iter().rposition(|list| is_inside && fits(&list)) {
                Some(position) => draft.kind = DraftKind::Paragraph { depth: depth(position + 1) },
                None if draft.opens_column && is_inside && !open.is_empty() => {}
                None => open.clear(),
            }
        }
    }
}

/// Closes the lists that an item ends, and opens one for it if it belongs to none. An item belongs to a list if it
/// shares the left edge of the list's marks or that of its texts. One is enough, since `9.` is narrower than `10.`.
fn open_list(item: OpenList, tolerance: f32, open: &mut Vec<OpenList>) {
    let are_level = |a: f32, b: f32| (a - b).abs() <= tolerance;
    let is_beside = |list: &OpenList| are_level(list.mark, item.mark) || are_level(list.text, item.text);
    while open.last().is_some_and(|list| !is_beside(list) && list.text > item.text) {
        open.pop();
    }
    let count = open.len();
    match open.last_mut() {
        Some(list) if is_beside(list) => *list = OpenList { text: list.text, ..item },
        _ if count >= MAX_DEPTH => {}
        _ => open.push(item),
    }
}

fn depth(lists: usize) -> u8 {
    u8::try_from(lists.max(1)).unwrap_or(u8::MAX)
}

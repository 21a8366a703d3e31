//! Lists: items and their depth, by the indent of their text.

use super::drafts::{Draft, DraftKind, Marker, Place, labelled_text};
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
    let mut tagged = TaggedLists::default();
    for draft in drafts {
        let is_listed = is_bibliography_list || !is_reference(draft);
        tagged.set_depth(draft, statistics);
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

impl OpenList {
    /// The list of an item with this mark.
    fn of(item: &Draft, marker: &Marker) -> Self {
        let words = item.lines.first().map(|line| labelled_text(line)).unwrap_or_default();
        let labelled = words.iter().map(|word| word.bounds.x0 - item.origin).collect();
        let (mark, text) = (item.first_left() - item.origin, marker.text_left - item.origin);
        Self { mark, text, labelled, place: item.place }
    }
}

fn tolerance(draft: &Draft, statistics: &TypeStatistics) -> f32 {
    (SAME_EDGE_EM * statistics.body_size).min(OWN_TOLERANCE_EM * draft.size())
}

/// The items of the structure tree that follow each other in a column. Some programs put items that are set in on the level of
/// those around them.
#[derive(Default)]
struct TaggedLists {
    open: Vec<OpenList>,
    last: Option<LastItem>,
}

struct LastItem {
    element: u32,
    depth: u8,
    mark: MarkerKind,
    /// Of its last line.
    baseline: f32,
}

impl TaggedLists {
    /// Makes the depth of an item that which its indent shows, if that is greater than the depth in the tree. Further paragraphs of
    /// the item get the same depth.
    fn set_depth(&mut self, draft: &mut Draft, statistics: &TypeStatistics) {
        let (Some(first), Some(last)) = (draft.lines.first(), draft.lines.last()) else { return };
        let Some(tag) = draft.tag else {
            if draft.marker.is_some() {
                self.open.clear();
            }
            return;
        };
        match (&draft.kind, &draft.marker, self.last.take()) {
            (DraftKind::Item { depth: own }, Some(marker), before) => {
                let before = before.filter(|before| before.baseline < first.baseline);
                if before.is_none() || self.open.last().is_some_and(|list| list.place != draft.place) {
                    self.open.clear();
                }
                open_list(OpenList::of(draft, marker), tolerance(draft, statistics), &mut self.open);
                // The next mark of a sequence is not inside the item before, wherever it stands.
                let is_next = |before: &LastItem| marker.kind.is_ordered() && marker.kind.follows(&before.mark);
                let most = before.filter(is_next).map_or(u8::MAX, |before| before.depth);
                let shown = depth(self.open.len()).min(most);
                let depth = shown.max(*own);
                let (element, mark, baseline) = (tag.element, marker.kind.clone(), last.baseline);
                self.last = Some(LastItem { element, depth, mark, baseline });
                draft.kind = DraftKind::Item { depth };
            }
            (DraftKind::Paragraph { depth: 1.. }, _, before) => {
                if let Some(item) = before.as_ref().filter(|item| item.element == tag.element) {
                    draft.kind = DraftKind::Paragraph { depth: item.depth };
                }
                self.last = before;
            }
            _ => self.open.clear(),
        }
    }
}

fn mark_paragraph(draft: &mut Draft, is_listed: bool, open: &mut Vec<OpenList>, statistics: &TypeStatistics) {
    let tolerance = tolerance(draft, statistics);
    match draft.marker.as_ref().filter(|_| is_listed) {
        Some(marker) => {
            open_list(OpenList::of(draft, marker), tolerance, open);
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

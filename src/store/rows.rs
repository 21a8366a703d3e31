//! Conversations as earlier schemas kept them: rows of several tables.

use std::collections::BTreeMap;

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{
    Conversation, ConversationHead, FileKey, HeldItem, HistoryStep, Holding, LineSpan, PageForm, Sequence, StepKind,
};

/// The columns of a held item. Of a page, the first and the last are the same unless it is shared.
pub(crate) struct HeldItemRow {
    pub(crate) kind: u8,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) form: u8,
    /// Empty unless the item is a page.
    pub(crate) fingerprint: Vec<u8>,
}

impl HeldItemRow {
    /// `None` for a row that was never written. It counts as not held, and is sent again.
    pub(crate) fn held(&self) -> Option<HeldItem> {
        match self.kind {
            0 => Some(HeldItem::Summary { supports_page_extraction: true }),
            1 => Some(HeldItem::Summary { supports_page_extraction: false }),
            2 => Some(HeldItem::Page {
                fingerprint: PageFingerprint(self.fingerprint.as_slice().try_into().ok()?),
                page: PageIndex(self.first),
                form: *PageForm::ALL.get(usize::from(self.form))?,
                is_shared: self.last != self.first,
            }),
            3 => LineSpan::new(self.first, self.last).map(HeldItem::Text),
            4 => Some(HeldItem::Binary),
            5 => Some(HeldItem::Followed),
            _ => None,
        }
    }
}

/// The kind of a step; `None` for a number that was never written.
pub(crate) fn step_kind(number: u8) -> Option<StepKind> {
    [StepKind::Delivery, StepKind::Forget, StepKind::Emptying].get(usize::from(number)).copied()
}

/// All rows of one conversation.
#[derive(Default)]
pub(crate) struct ConversationRows {
    pub(crate) head: ConversationHead,
    pub(crate) holdings: Vec<(Holding, Sequence)>,
    /// Oldest first.
    pub(crate) steps: Vec<HistoryStep>,
    /// Oldest first.
    pub(crate) forgotten: Vec<(FileKey, PageIndex)>,
    pub(crate) names: BTreeMap<FileKey, String>,
    pub(crate) page_counts: BTreeMap<ContentHash, u32>,
}

impl From<ConversationRows> for Conversation {
    fn from(rows: ConversationRows) -> Self {
        let ConversationRows { head, holdings, steps, forgotten, names, page_counts } = rows;
        let mut conversation =
            Self { head, view: holdings.into_iter().collect(), names, page_counts, ..Self::default() };
        conversation.history.steps = steps;
        for (file, page) in forgotten {
            let known = &mut conversation.history.forgotten;
            let at = known.iter().position(|(known, _)| *known == file);
            let (file, mut pages) = at.map_or_else(|| (file, PageSet::new()), |at| known.remove(at));
            pages.insert(page);
            known.push((file, pages));
        }
        conversation
    }
}

//! Conversations as earlier schemas kept them: rows of several tables.

use std::collections::BTreeMap;

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{
    Conversation, ConversationHead, FileKey, HeldItem, HistoryStep, Holding, LineSpan, Moment, PageForm, Principal,
    Sequence, StepKind, Usage,
};

/// A row of an earlier schema, whose numbers are all signed.
pub(crate) trait OldRow {
    type Error;

    fn number(&self, column: usize) -> Result<i64, Self::Error>;

    /// `None` for NULL.
    fn bytes(&self, column: usize) -> Result<Option<Vec<u8>>, Self::Error>;

    fn text(&self, column: usize) -> Result<String, Self::Error>;

    /// A count; negative numbers become 0.
    fn count(&self, column: usize) -> Result<u64, Self::Error> {
        self.number(column).map(|number| u64::try_from(number).unwrap_or(0))
    }

    /// A number that was never written is `None`.
    fn narrow<N: TryFrom<i64>>(&self, column: usize) -> Result<Option<N>, Self::Error> {
        self.number(column).map(|number| N::try_from(number).ok())
    }

    /// 32 bytes; `None` for any other length.
    fn hash(&self, column: usize) -> Result<Option<[u8; 32]>, Self::Error> {
        Ok(self.bytes(column)?.and_then(|bytes| bytes.try_into().ok()))
    }

    /// Usage in the four columns from `first`.
    fn usage(&self, first: usize) -> Result<Usage, Self::Error> {
        let count = |column: usize| self.count(first.saturating_add(column));
        Ok(Usage { blocks: count(0)?, pages: count(1)?, bytes: count(2)?, tokens: count(3)? })
    }
}

/// All rows of one conversation. What was never written counts as not held, and is sent again.
///
/// Each row has a column before those that are read here.
#[derive(Default)]
pub(crate) struct ConversationRows {
    head: ConversationHead,
    holdings: Vec<(Holding, Sequence)>,
    /// Oldest first.
    steps: Vec<HistoryStep>,
    /// Oldest first.
    forgotten: Vec<(FileKey, PageIndex)>,
    names: BTreeMap<FileKey, String>,
    page_counts: BTreeMap<ContentHash, u32>,
}

impl ConversationRows {
    /// Columns: begun, latest, forgotten, emptied, generation, owner, usage, created, used.
    pub(crate) fn of<R: OldRow>(row: &R) -> Result<Self, R::Error> {
        let head = ConversationHead {
            begun: row.count(1)?,
            latest: Sequence(row.count(2)?),
            forgotten: Sequence(row.count(3)?),
            emptied: Sequence(row.count(4)?),
            generation: row.count(5)?,
            owner: row.hash(6)?.map(Principal),
            sent: row.usage(7)?,
            created: Moment(row.count(11)?),
            used: Moment(row.count(12)?),
            ..ConversationHead::default()
        };
        Ok(Self { head, ..Self::default() })
    }

    /// Columns: content, file, kind, first, last, form, fingerprint, sequence. Of a page, the first and the last are the
    /// same unless it is shared.
    pub(crate) fn add_holding<R: OldRow>(&mut self, row: &R) -> Result<(), R::Error> {
        let (content, file) = (row.hash(1)?.map(ContentHash), row.hash(2)?.map(FileKey));
        let (kind, form) = (row.number(3)?, row.narrow::<usize>(6)?.and_then(|form| PageForm::ALL.get(form).copied()));
        let (first, last) = (row.narrow::<u32>(4)?, row.narrow::<u32>(5)?);
        let fingerprint = row.hash(7)?.map(PageFingerprint);
        let page = || {
            let (fingerprint, page, form, is_shared) = (fingerprint?, PageIndex(first?), form?, first != last);
            Some(HeldItem::Page { fingerprint, page, form, is_shared })
        };
        let what = match kind {
            0 => Some(HeldItem::Summary { supports_page_extraction: true }),
            1 => Some(HeldItem::Summary { supports_page_extraction: false }),
            2 => page(),
            3 => first.zip(last).and_then(|(first, last)| LineSpan::new(first, last)).map(HeldItem::Text),
            4 => Some(HeldItem::Binary),
            5 => Some(HeldItem::Followed),
            _ => None,
        };
        if let (Some(content), Some(file), Some(what)) = (content, file, what) {
            self.holdings.push((Holding { content, file, what }, Sequence(row.count(8)?)));
        }
        Ok(())
    }

    /// Columns: sequence, moment, kind, usage.
    pub(crate) fn add_step<R: OldRow>(&mut self, row: &R) -> Result<(), R::Error> {
        let (at, moment, sent) = (Sequence(row.count(1)?), Moment(row.count(2)?), row.usage(4)?);
        let kinds = [StepKind::Delivery, StepKind::Forget, StepKind::Emptying];
        let kind = row.narrow::<usize>(3)?.and_then(|kind| kinds.get(kind).copied());
        self.steps.extend(kind.map(|kind| HistoryStep { at, moment, kind, sent }));
        Ok(())
    }

    /// Columns: file, page.
    pub(crate) fn add_forgotten<R: OldRow>(&mut self, row: &R) -> Result<(), R::Error> {
        self.forgotten.extend(row.hash(1)?.map(FileKey).zip(row.narrow(2)?.map(PageIndex)));
        Ok(())
    }

    /// Columns: file, path.
    pub(crate) fn add_name<R: OldRow>(&mut self, row: &R) -> Result<(), R::Error> {
        self.names.extend(row.hash(1)?.map(FileKey).zip(Some(row.text(2)?)));
        Ok(())
    }

    /// Columns: content, pages.
    pub(crate) fn add_page_count<R: OldRow>(&mut self, row: &R) -> Result<(), R::Error> {
        self.page_counts.extend(row.hash(1)?.map(ContentHash).zip(row.narrow(2)?));
        Ok(())
    }
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

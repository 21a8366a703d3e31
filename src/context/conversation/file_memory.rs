//! What the conversation of one request holds of one file; nothing, where there is no conversation.

use super::cache::Snapshot;
use crate::context::pdf::{HeldStatus, RevisionDiff};
use crate::context::phrases::page_or_pages;
use crate::context::request::form_name;
use crate::hash::{ContentHash, PageFingerprint};
use crate::page::{PageIndex, PageSet};
use crate::store::Usage;
use crate::view::{FileKey, HeldItem, Holding, LineSpan, PageForm};
use crate::worker::Pages;

/// A conversation's view of one file at the start of a request.
pub(crate) struct FileMemory {
    known: Option<FileState>,
}

struct FileState {
    snapshot: Snapshot,
    content: ContentHash,
    file: FileKey,
    /// Pages of the content that the agent was last told of.
    pages_before: Option<u32>,
}

impl FileMemory {
    /// Without a conversation: nothing is held and nothing is recorded.
    pub(crate) fn none() -> Self {
        Self { known: None }
    }

    pub(crate) fn of(snapshot: Snapshot, content: ContentHash, file: FileKey, pages_before: Option<u32>) -> Self {
        Self { known: Some(FileState { snapshot, content, file, pages_before }) }
    }

    /// The conversation as it was at the start of the request.
    pub(crate) fn snapshot(&self) -> Option<&Snapshot> {
        self.known.as_ref().map(|known| &known.snapshot)
    }

    /// What was sent to the conversation so far; nothing counts where there is none.
    pub(crate) fn sent(&self) -> Option<Usage> {
        self.snapshot().map(|snapshot| snapshot.head.sent)
    }

    /// What became of the pages that an earlier version of the file gave, where the agent was not told yet.
    pub(crate) fn revision_diff(
        &self,
        document: &dyn Pages,
        fingerprint: impl FnMut(PageIndex) -> Option<PageFingerprint>,
    ) -> Option<RevisionDiff> {
        let known = self.known.as_ref()?;
        let told = known.snapshot.view.last_reported_content(&known.file)?;
        let is_other = told != known.content;
        is_other.then(|| RevisionDiff::of(&known.snapshot.view, known.file, known.pages_before, document, fingerprint))
    }

    /// The file, where a conversation follows it from now on.
    pub(crate) fn file(&self) -> Option<FileKey> {
        self.known.as_ref().map(|known| known.file)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.known.is_some()
    }

    /// Whether the summary is held, and no later one of this file.
    pub(crate) fn holds_summary(&self) -> bool {
        self.is_latest(|known| known.snapshot.view.holds_summary(&known.content))
    }

    /// Whether the file is held whole, and no later version of it.
    pub(crate) fn holds_binary(&self) -> bool {
        self.is_latest(|known| known.snapshot.view.holds_binary(&known.content))
    }

    /// Whether these lines are held, and none of a later version of this file.
    pub(crate) fn holds_lines(&self, span: LineSpan) -> bool {
        self.is_latest(|known| known.snapshot.view.holds_lines(&known.content, span))
    }

    /// A file that went back to what it was is held, but what was given last is another: the agent goes by that.
    fn is_latest(&self, holds: impl Fn(&FileState) -> bool) -> bool {
        self.known.as_ref().is_some_and(holds) && self.earlier_content().is_none()
    }

    /// What other files of this content gave whole, and is not held for this one. To be recorded where it is named as
    /// held, so that this file is followed too, and forgetting it forgets that.
    pub(crate) fn held_elsewhere(&self) -> Vec<HeldItem> {
        let Some(known) = &self.known else { return Vec::new() };
        known.snapshot.view.whole_items_of(known.content).filter(|what| !known.holds_at_file(what)).collect()
    }

    /// Whether this very holding is recorded for this content and file.
    pub(crate) fn holds_here(&self, held: &HeldItem) -> bool {
        self.known.as_ref().is_some_and(|known| known.holds_at_file(held))
    }

    /// The content last given of this file, where it is not the one that is there now.
    pub(crate) fn earlier_content(&self) -> Option<ContentHash> {
        let known = self.known.as_ref()?;
        known.snapshot.view.last_given_content(&known.file).filter(|previous| *previous != known.content)
    }

    /// Whether all of `span` of another content is held.
    pub(crate) fn holds_lines_of(&self, content: &ContentHash, span: LineSpan) -> bool {
        self.known.as_ref().is_some_and(|known| known.snapshot.view.holds_lines(content, span))
    }

    /// Whether any page of any file is held: without one, none is held.
    pub(crate) fn holds_pages(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.snapshot.view.has_pages())
    }

    pub(crate) fn held_status(&self, page: PageIndex, fingerprint: PageFingerprint, form: PageForm) -> HeldStatus {
        self.known.as_ref().map_or(HeldStatus::NotHeld, |known| known.held_status(page, fingerprint, form))
    }

    /// The file, content and place by which a held page was given first, where that is another file.
    pub(crate) fn origin_in_other_file(&self, fingerprint: PageFingerprint, form: PageForm) -> Option<Holding> {
        let known = self.known.as_ref()?;
        known.snapshot.view.origin_of(&fingerprint, form).filter(|origin| origin.file != known.file)
    }

    /// Whether the page at this place is as the agent was last told: it was not given another from there.
    pub(crate) fn is_last_reported(&self, page: PageIndex, fingerprint: PageFingerprint) -> bool {
        let previous = self.known.as_ref().and_then(|known| known.snapshot.view.last_page_at(&known.file, page));
        previous.is_none_or(|previous| previous == fingerprint)
    }

    /// The pages held of this content, in any form.
    pub(crate) fn pages_held(&self) -> PageSet {
        let mut pages = PageSet::new();
        if let Some(known) = &self.known {
            PageForm::ALL.iter().for_each(|form| pages.union(&known.snapshot.view.pages_in(&known.content, *form)));
        }
        pages
    }

    /// The pages held of this content, one line a form.
    pub(crate) fn held_lines(&self) -> Vec<String> {
        let Some(known) = &self.known else { return Vec::new() };
        let line = |form: PageForm| {
            let pages = known.snapshot.view.pages_in(&known.content, form);
            (!pages.is_empty()).then(|| format!("{} as {}", page_or_pages(&pages), form_name(form)))
        };
        PageForm::ALL.into_iter().filter_map(line).collect()
    }
}

impl FileState {
    fn holds_at_file(&self, what: &HeldItem) -> bool {
        self.snapshot.view.contains(&Holding { content: self.content, file: self.file, what: *what })
    }

    fn held_status(&self, page: PageIndex, fingerprint: PageFingerprint, form: PageForm) -> HeldStatus {
        let view = &self.snapshot.view;
        let previous = view.last_page_at(&self.file, page).filter(|previous| *previous != fingerprint);
        match (previous, view.holds_page(&fingerprint, form)) {
            (None, true) => HeldStatus::Current,
            (None, false) => HeldStatus::NotHeld,
            (Some(_), false) => HeldStatus::Superseded,
            // The file went back to what it was: the last version given from here is another.
            (Some(_), true) if view.was_given_at(self.file, page, fingerprint) => HeldStatus::Superseded,
            // Pages were added or removed before it: the same page, now under another number.
            (Some(_), true) => HeldStatus::Current,
        }
    }
}

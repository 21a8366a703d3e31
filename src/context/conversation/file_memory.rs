//! What a conversation holds of the requested file.

use super::cache::Snapshot;
use crate::context::pdf::{HeldStatus, PageIdentities, RevisionDiff};
use crate::context::phrases::page_or_pages;
use crate::context::request::form_name;
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{FileKey, HeldItem, Holding, LineSpan, PageForm, Usage};

/// What a conversation held of one file when the request began; empty without a conversation.
pub(crate) struct FileMemory {
    known: Option<FileState>,
}

struct FileState {
    snapshot: Snapshot,
    content: ContentHash,
    file: FileKey,
}

impl FileMemory {
    /// No conversation: nothing is held, nothing is recorded.
    pub(crate) fn none() -> Self {
        Self { known: None }
    }

    pub(crate) fn of(snapshot: Snapshot, content: ContentHash, file: FileKey) -> Self {
        Self { known: Some(FileState { snapshot, content, file }) }
    }

    /// The conversation when the request began.
    pub(crate) fn snapshot(&self) -> Option<&Snapshot> {
        self.known.as_ref().map(|known| &known.snapshot)
    }

    /// Usage of the conversation so far; `None` without one.
    pub(crate) fn sent(&self) -> Option<Usage> {
        self.snapshot().map(|snapshot| snapshot.head.sent)
    }

    /// How the document differs from the version last reported to the agent, if it does.
    pub(crate) fn revision_diff(&self, document: &PageIdentities<'_>) -> Option<RevisionDiff> {
        let known = self.known.as_ref()?;
        let last_reported = known.snapshot.view.last_reported_content(&known.file)?;
        let is_other = last_reported != known.content;
        let pages_before = known.snapshot.page_counts.get(&last_reported).copied();
        is_other.then(|| RevisionDiff::of(&known.snapshot.view, known.file, pages_before, document))
    }

    /// The file's key, if a conversation follows it.
    pub(crate) fn file(&self) -> Option<FileKey> {
        self.known.as_ref().map(|known| known.file)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.known.is_some()
    }

    /// Whether the summary is held and current.
    pub(crate) fn holds_summary(&self) -> bool {
        self.is_latest(|known| known.snapshot.view.holds_summary(&known.content))
    }

    /// Whether the whole file is held and current.
    pub(crate) fn holds_binary(&self) -> bool {
        self.is_latest(|known| known.snapshot.view.holds_binary(&known.content))
    }

    /// From the first to the last of `lines` that are not held; `None` if all are.
    pub(crate) fn missing_lines(&self, lines: LineSpan) -> Option<LineSpan> {
        let Some(known) = self.known.as_ref().filter(|_| self.earlier_content().is_none()) else { return Some(lines) };
        let held: Vec<LineSpan> = known.snapshot.view.lines_of(known.content).collect();
        // Runs do not touch each other.
        let around = |line: u32| held.iter().find(|run| (run.first()..=run.last()).contains(&line));
        let first = around(lines.first()).map_or(lines.first(), |run| run.last().saturating_add(1));
        let last = around(lines.last()).map_or(lines.last(), |run| run.first().saturating_sub(1));
        LineSpan::new(first, last)
    }

    /// If a file was reverted, its old content is held but a later one was given last. The agent goes by the later one.
    fn is_latest(&self, holds: impl Fn(&FileState) -> bool) -> bool {
        self.known.as_ref().is_some_and(holds) && self.earlier_content().is_none()
    }

    /// Whole items that another file of the same content gave. Record them when this file is reported as held: it is
    /// then followed, and forgetting it forgets them.
    pub(crate) fn held_elsewhere(&self) -> Vec<HeldItem> {
        let Some(known) = &self.known else { return Vec::new() };
        known.snapshot.view.whole_items_of(known.content).filter(|what| !known.holds_at_file(what)).collect()
    }

    /// The path of the file that gave this content first, where nothing was given under this file's own name.
    pub(crate) fn given_as(&self) -> Option<String> {
        let FileState { snapshot, content, file } = self.known.as_ref()?;
        let is_given = |held: &Holding| {
            held.content == *content
                && matches!(held.what, HeldItem::Summary { .. } | HeldItem::Text(_) | HeldItem::Binary)
        };
        let given = || snapshot.view.holdings().filter(|(held, _)| is_given(held));
        let first = given().min_by_key(|(_, at)| *at).filter(|_| given().all(|(held, _)| held.file != *file));
        snapshot.names.get(&first?.0.file).cloned()
    }

    /// Whether this item is recorded for this content and file.
    pub(crate) fn holds_here(&self, held: &HeldItem) -> bool {
        self.known.as_ref().is_some_and(|known| known.holds_at_file(held))
    }

    /// The content last given of this file, if it is not the current one.
    pub(crate) fn earlier_content(&self) -> Option<ContentHash> {
        let known = self.known.as_ref()?;
        known.snapshot.view.last_given_content(&known.file).filter(|previous| *previous != known.content)
    }

    /// Whether all of `span` of another content is held.
    pub(crate) fn holds_lines_of(&self, content: &ContentHash, span: LineSpan) -> bool {
        self.known.as_ref().is_some_and(|known| known.snapshot.view.holds_lines(content, span))
    }

    /// Whether any page of any file is held.
    pub(crate) fn holds_pages(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.snapshot.view.has_pages())
    }

    /// The status of a page in a form. `document` gives the identities that it has now.
    pub(crate) fn held_status(&self, page: PageIndex, form: PageForm, document: &PageIdentities<'_>) -> HeldStatus {
        self.known.as_ref().map_or(HeldStatus::NotHeld, |known| known.held_status(page, form, document))
    }

    /// The holding by which a page was given: from this position, or from another that still shows it.
    pub(crate) fn origin_of(&self, page: PageIndex, print: &PageFingerprint, form: PageForm) -> Option<Holding> {
        let FileState { snapshot, file, .. } = self.known.as_ref()?;
        snapshot.view.given_at(*file, page, print, form).or_else(|| snapshot.view.origin_of(print, form))
    }

    /// The pages held of this content, in any form.
    pub(crate) fn pages_held(&self) -> PageSet {
        self.known.as_ref().map(|known| known.snapshot.view.pages_held(&known.content)).unwrap_or_default()
    }

    /// The pages that the conversation has read of this content. `None` without a conversation, and where the summary was
    /// the document's text.
    pub(crate) fn pages_read(&self) -> Option<PageSet> {
        let known = self.known.as_ref()?;
        let is_text = |what| what == HeldItem::Summary { supports_page_extraction: false };
        let has_text = known.snapshot.view.whole_items_of(known.content).any(is_text);
        (!has_text).then(|| known.snapshot.view.pages_read(&known.content))
    }

    /// The pages held of this content, one line per form.
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

    fn held_status(&self, page: PageIndex, form: PageForm, document: &PageIdentities<'_>) -> HeldStatus {
        let view = &self.snapshot.view;
        // If a page cannot be identified, send it.
        let Some(now) = document.identity(page, form) else { return HeldStatus::NotHeld };
        let in_form = view.last_page_in(self.file, page, form).map(|print| (form, print));
        let mut last_given = in_form.into_iter().chain(view.last_page_at(self.file, page));
        let has_changed = last_given.any(|(form, print)| document.identity(page, form) != Some(print));
        match (has_changed, view.holds_page(&now, form)) {
            (false, true) => HeldStatus::Current,
            (false, false) => HeldStatus::NotHeld,
            (true, false) => HeldStatus::Superseded,
            // The file was reverted: another version was given last from this position.
            (true, true) if view.was_given_at(self.file, page, now) => HeldStatus::Superseded,
            // Pages were added or removed before it: the same page under a new number.
            (true, true) => HeldStatus::Current,
        }
    }
}

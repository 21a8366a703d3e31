//! Follows the files of a conversation by their metadata; reads only what changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{CheckResult, FileUpdate, PendingUpdate, Updates, is_not_found, record, restored};
use crate::context::ContextManager;
use crate::context::conversation::{ConversationSession, Snapshot};
use crate::context::error::ContextError;
use crate::context::plain_file::{DecodedText, read_text};
use crate::source::{FileKind, Stat, is_url};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_view::{ConversationId, FileKey};

/// Follows the files that a conversation holds and reports each change once. For editors and their plugins.
/// [`FileWatch::poll`] may be called at any interval.
///
/// A poll reads a file only if its metadata changed and was the same at the previous poll, so a file being written is
/// left alone. URLs are not checked. An editor that replaces a file causes no deletion, unless two polls see the gap.
pub struct FileWatch<'a> {
    context: &'a ContextManager,
    conversation: ConversationId,
    files: BTreeMap<FileKey, FollowedFile>,
}

/// The state of one followed file.
#[derive(Default)]
struct FollowedFile {
    /// What was observed when it was last checked.
    settled: Option<ObservedState>,
    /// What the last poll observed, if that differs.
    unsettled: Option<ObservedState>,
    /// What this watch last reported; `None` if the file is as the conversation knows it.
    reported: Option<ReportedState>,
}

/// What a watch reported about a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReportedState {
    Content(ContentHash),
    Deleted,
    Unreadable,
}

impl ReportedState {
    fn of(pending: &PendingUpdate) -> Self {
        match pending.content {
            Some(content) => Self::Content(content),
            None if pending.update.as_ref().is_some_and(FileUpdate::is_unreadable) => Self::Unreadable,
            None => Self::Deleted,
        }
    }
}

/// What a poll observes of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ObservedState {
    There(Stat),
    Missing,
    Unreadable,
}

impl ContextManager {
    /// Follows the files of a conversation, including those that it comes to hold later.
    #[must_use]
    pub fn watch(&self, conversation: ConversationId) -> FileWatch<'_> {
        FileWatch { context: self, conversation, files: BTreeMap::new() }
    }
}

impl FileWatch<'_> {
    /// Reports what changed since the last poll. The second poll also reports what changed before the watch began.
    ///
    /// Commit [`Updates::delivery`] only if the changes are passed on to the agent: otherwise the agent would keep
    /// outdated content. Either way this watch reports a change once.
    ///
    /// # Errors
    /// None so far: a failing store is reported in [`Updates::notes`].
    pub fn poll(&mut self) -> Result<Updates, ContextError> {
        let ConversationSession { snapshot, is_current, mut notes } = self.context.session(&self.conversation, None);
        // If the store cannot be read, keep the state of all files for the next poll.
        let Some(mut snapshot) = snapshot else { return Ok(self.context.no_updates(notes)) };
        let followed = ContextManager::followed_files(&snapshot, &mut notes);
        self.files.retain(|file, _| snapshot.view.last_reported_content(file).is_some());
        let (mut resting, mut gone) = (Vec::new(), BTreeSet::new());
        for (path, (file, known)) in followed.into_iter().filter(|(path, _)| !is_url(path)) {
            let seen = self.observe(&path);
            let entry = self.files.entry(file).or_default();
            if entry.is_new() {
                self.context.keep_text(&path, file, known);
            }
            if seen == ObservedState::Missing {
                gone.insert(file);
            }
            if entry.has_settled(seen) {
                resting.push((path, file, known));
            }
        }
        super::forget_files(&mut snapshot, &gone);
        let mut budget = self.context.settings.max_text_characters;
        let mut pending = Vec::new();
        for (path, file, known) in resting {
            let entry = self.files.entry(file).or_default();
            pending.extend(changed(self.context, &snapshot, (&path, file, known), entry, &mut budget));
        }
        let record = record(&self.conversation, &snapshot, &pending);
        let files = pending.into_iter().filter_map(|pending| pending.update).collect();
        let delivery = self.context.delivery(record.filter(|_| is_current));
        Ok(Updates { files, left: 0, notes, generation: snapshot.head.generation, delivery })
    }

    fn observe(&self, path: &str) -> ObservedState {
        match self.context.sources.stat(path) {
            Ok(stat) => ObservedState::There(stat),
            Err(error) if is_not_found(&error) => ObservedState::Missing,
            Err(_) => ObservedState::Unreadable,
        }
    }
}

impl FollowedFile {
    fn is_new(&self) -> bool {
        self.settled.is_none() && self.unsettled.is_none()
    }

    /// Whether to check the file: it changed, and was the same at the previous poll.
    fn has_settled(&mut self, seen: ObservedState) -> bool {
        if self.settled == Some(seen) {
            self.unsettled = None;
            return false;
        }
        let is_resting = self.unsettled == Some(seen);
        self.unsettled = (!is_resting).then_some(seen);
        if is_resting {
            self.settled = Some(seen);
        }
        is_resting
    }
}

fn changed(
    context: &ContextManager,
    snapshot: &Snapshot,
    (path, file, known): (&str, FileKey, ContentHash),
    followed: &mut FollowedFile,
    budget: &mut usize,
) -> Option<PendingUpdate> {
    let found = || context.reopen(path, file, &Cancellation::new());
    match context.check_file(snapshot, (path, file, known), found(), budget) {
        CheckResult::Unchanged => {
            // Report it only if this watch reported a change before.
            followed.reported.take()?;
            found().ok().map(|requested| restored(&requested))
        }
        CheckResult::BeingWritten => {
            // Check again once it has settled.
            followed.settled = None;
            None
        }
        CheckResult::Changed(pending) => {
            let state = Some(ReportedState::of(&pending));
            let is_new = state != followed.reported;
            followed.reported = state;
            is_new.then_some(*pending)
        }
    }
}

impl ContextManager {
    fn no_updates(&self, notes: Vec<String>) -> Updates {
        Updates { files: Vec::new(), left: 0, notes, generation: 0, delivery: self.delivery(None) }
    }

    /// Keeps the text of an unchanged file, so that its next change can be reported as a diff.
    fn keep_text(&self, path: &str, file: FileKey, known: ContentHash) {
        if self.contents.text(&known).is_some() {
            return;
        }
        let Ok(requested) = self.reopen(path, file, &Cancellation::new()) else { return };
        let FileKind::Text(charset) = requested.kind else { return };
        if requested.content_hash(&self.hashes).is_ok_and(|content| content == known)
            && let Ok(DecodedText { text, .. }) = read_text(&requested, charset, self.settings.max_text_file_bytes)
        {
            self.contents.remember_text(known, None, Arc::from(text));
        }
    }
}

//! What changed among the files that a conversation holds.

mod collector;
mod file_update;
mod revalidate;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use self::file_update::{FileChange, FileUpdate};
pub use self::watch::FileWatch;

use self::collector::UpdateCollector;
use self::file_update::{CheckResult, PendingUpdate};
use super::answer::text_usage;
use super::conversation::{ConversationSession, Delivery, PendingRecord, Snapshot};
use super::error::ContextError;
use super::files::{RequestedFile, Requester};
use super::pdf::{PageIdentities, RevisionDiff};
use super::plain_file::{read_text, shorter_diff, whole_span};
use super::{ContextManager, empty_record};
use crate::source::{FileKind, SourceError, is_url};
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::limits::Cancellation;
use pagewise_view::{ConversationId, FileKey, ForgetScope, HeldItem, Holding};

/// Maximum characters of a changed text that is given whole although the agent may not have had all of it.
const MAX_UNASKED_CHARACTERS: usize = 4_000;

/// What changed among the files of a conversation.
#[derive(Debug)]
pub struct Updates {
    /// The changed files, sorted by path.
    pub files: Vec<FileUpdate>,
    /// Files not checked for lack of room or time. The next call continues with them.
    pub left: usize,
    /// What could not be determined, one sentence each.
    pub notes: Vec<String>,
    /// The conversation's generation.
    pub generation: u64,
    /// Commit it once the answer has been written to the client. The changes then count as reported.
    pub delivery: Delivery,
}

impl ContextManager {
    /// Reports what changed among the files that a conversation holds or follows. A file is read only if its metadata
    /// changed since it was hashed. The servers of URLs are asked in parallel, within the timeout of one fetch. If
    /// `cancellation` ends the call early, the next call reports the rest.
    ///
    /// Nothing counts as reported until [`Updates::delivery`] is committed. If `generation` is earlier than the
    /// conversation's, committing does nothing.
    ///
    /// # Errors
    /// None so far: a failing store is reported in [`Updates::notes`].
    pub fn updates(
        &self,
        conversation: &ConversationId,
        generation: Option<u64>,
        cancellation: &Cancellation,
    ) -> Result<Updates, ContextError> {
        self.updates_within(conversation, generation, cancellation, &mut |_| true)
    }

    /// Like [`Self::updates`], for an answer with limited room. Calls `takes` for each update, in path order; it
    /// returns whether the update fits and takes its room. Updates left out are not recorded.
    ///
    /// An update too long even for an empty answer is reported without details.
    ///
    /// # Errors
    /// As [`Self::updates`].
    pub fn updates_within(
        &self,
        conversation: &ConversationId,
        generation: Option<u64>,
        cancellation: &Cancellation,
        takes: &mut dyn FnMut(&FileUpdate) -> bool,
    ) -> Result<Updates, ContextError> {
        let ConversationSession { snapshot, is_current, mut notes } = self.session(conversation, generation);
        let mut snapshot = snapshot.unwrap_or_default();
        let files = Self::followed_files(&snapshot, &mut notes);
        let urls: Vec<_> = files.iter().filter(|(path, _)| is_url(path)).collect();
        let urls: Vec<_> = urls.iter().map(|(path, (file, _))| (path.as_str(), *file)).collect();
        let mut asked_again = self.revalidate(&urls, cancellation);
        notes.append(&mut asked_again.notes);
        let is_missing = |path: &String| match is_url(path) {
            true => asked_again.files.get(path).is_some_and(|found| found.as_ref().is_err_and(is_not_found)),
            false => self.sources.stat(path).is_err_and(|error| is_not_found(&error)),
        };
        let gone: BTreeSet<FileKey> =
            files.iter().filter(|(path, _)| is_missing(path)).map(|(_, (file, _))| *file).collect();
        forget_files(&mut snapshot, &gone);
        let snapshot = &snapshot;
        let mut collector = UpdateCollector::new(takes);
        let mut budget = self.settings.max_text_characters;
        for (looked_at, (path, (file, known))) in files.iter().enumerate() {
            if collector.is_full() || cancellation.is_cancelled() {
                collector.left = files.len() - looked_at;
                break;
            }
            let found = match is_url(path) {
                true => asked_again.files.remove(path),
                false => Some(self.reopen(path, *file, cancellation)),
            };
            // A file deleted during this call is reported by the next one: other updates assumed that it exists.
            let Some(found) = found.filter(|found| !found.as_ref().is_err_and(is_not_found) || gone.contains(file))
            else {
                continue;
            };
            let CheckResult::Changed(pending) = self.check_file(snapshot, (path, *file, *known), found, &mut budget)
            else {
                continue;
            };
            if !collector.add(*pending) {
                collector.left = files.len() - looked_at;
                break;
            }
        }
        let (pending, left) = (collector.finish(&mut notes), collector.left);
        let generation = snapshot.head.generation;
        let record = is_current.then(|| record(conversation, snapshot, &pending)).flatten();
        let mut files: Vec<_> = pending.into_iter().filter_map(|pending| pending.update).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Updates { files, left, notes, generation, delivery: self.delivery(record) })
    }

    /// The followed files by path, each with the content last reported to the agent. Files with unknown paths are
    /// noted.
    pub(super) fn followed_files(
        snapshot: &Snapshot,
        notes: &mut Vec<String>,
    ) -> BTreeMap<String, (FileKey, ContentHash)> {
        let (mut named, mut unnamed) = (BTreeMap::new(), 0_usize);
        for (file, content) in snapshot.view.files() {
            match snapshot.names.get(&file) {
                Some(path) => drop(named.insert(path.clone(), (file, content))),
                None => unnamed += 1,
            }
        }
        if unnamed > 0 {
            notes.push(format!("Not checked: files whose paths are not known ({unnamed})."));
        }
        named
    }

    /// Checks one file against `known`, the content last reported. `found` is the file as opened now. `budget` is the
    /// number of characters left for diffs.
    pub(super) fn check_file(
        &self,
        snapshot: &Snapshot,
        (path, file, known): (&str, FileKey, ContentHash),
        found: Result<RequestedFile, ContextError>,
        budget: &mut usize,
    ) -> CheckResult {
        let requested = match found {
            Ok(requested) => requested,
            Err(error) if is_not_found(&error) => return deleted(path, file).into(),
            Err(error) => return unreadable(path, file, &error).into(),
        };
        let content = match requested.content_hash(&self.hashes) {
            Ok(content) if content == known => return CheckResult::Unchanged,
            Ok(content) => content,
            // The next call sees the complete file.
            Err(ContextError::Source { error: SourceError::Changed { .. }, .. }) => return CheckResult::BeingWritten,
            Err(error) => return unreadable(path, file, &error).into(),
        };
        self.contents.remember_reference(content, snapshot.head.owner, path);
        let is_restored = snapshot.view.last_given_content(&file) == Some(content);
        let pending = match requested.kind {
            FileKind::Pdf | FileKind::Office(_) => self.pdf_update(snapshot, &requested, known),
            _ if is_restored => restored(&requested),
            FileKind::Text(charset) => {
                let decoded = read_text(&requested, charset, self.settings.max_text_file_bytes).ok();
                let text = decoded.map(|decoded| decoded.text);
                self.text_update(snapshot, &requested, text, budget)
            }
            FileKind::Image(_) | FileKind::Other { .. } => content_update(&requested, None),
        };
        pending.into()
    }

    /// Opens a stored path. Refuses it if the path did not survive being stored, such as one that is not Unicode.
    pub(super) fn reopen(
        &self,
        path: &str,
        file: FileKey,
        cancellation: &Cancellation,
    ) -> Result<RequestedFile, ContextError> {
        if self.sources.key(path)? != file {
            let error = SourceError::UnsupportedReference { reference: path.to_owned() };
            return Err(ContextError::Source { path: path.to_owned(), error });
        }
        self.open_file(path, Requester::anybody(cancellation), None)
    }

    fn pdf_update(&self, snapshot: &Snapshot, requested: &RequestedFile, known: ContentHash) -> PendingUpdate {
        let document = match requested.document(None, &*self.reader, &self.limits, &Cancellation::new()) {
            Ok(document) => document,
            Err(error) => return content_update(requested, Some(format!("its pages cannot be compared: {error}"))),
        };
        let before = snapshot.page_counts.get(&known).copied();
        let diff = RevisionDiff::of(&snapshot.view, requested.key, before, &PageIdentities::of(&*document));
        // For a file that is only followed, or known by its summary, any change counts.
        let has_pages = snapshot.view.pages_at(requested.key).next().is_some();
        let is_restored = snapshot.view.last_given_content(&requested.key) == requested.known_hash();
        let change = match (diff.changes.is_empty(), is_restored, has_pages) {
            (false, _, _) => Some(FileChange::Pages(diff.changes.clone())),
            (true, true, _) => Some(FileChange::Restored),
            (true, false, true) => None,
            (true, false, false) => Some(FileChange::Content { mime_type: requested.kind.mime(), reason: None }),
        };
        PendingUpdate {
            update: change.map(|change| FileUpdate { path: requested.path.clone(), change }),
            forget: diff.forget(requested.key),
            holdings: diff.holdings,
            page_count: Some(document.page_count()),
            ..update_for(requested)
        }
    }

    fn text_update(
        &self,
        snapshot: &Snapshot,
        requested: &RequestedFile,
        text: Option<String>,
        budget: &mut usize,
    ) -> PendingUpdate {
        let Some(text) = text else { return content_update(requested, Some("it cannot be read as text".into())) };
        let given = snapshot.view.last_given_content(&requested.key);
        // For a file that is only followed, the fact is news, and its text was not asked for.
        let Some(given) = given.filter(|given| snapshot.view.lines_of(*given).next().is_some()) else {
            return content_update(requested, None);
        };
        let old = self.contents.text(&given);
        let old = old.filter(|old| whole_span(old).is_some_and(|all| snapshot.view.holds_lines(&given, all)));
        let diff = old.as_ref().and_then(|old| shorter_diff(old, &text));
        let max = if diff.is_some() || old.is_some() { *budget } else { MAX_UNASKED_CHARACTERS.min(*budget) };
        let length = diff.as_ref().unwrap_or(&text).chars().count();
        if length > max {
            let reason = match old {
                Some(_) => "its changes are too long for this answer",
                None => "its changes cannot be shown, since only parts of its earlier text are known",
            };
            let reason = Some(format!("{reason}; reported until you read it"));
            return PendingUpdate { holdings: Vec::new(), ..content_update(requested, reason) };
        }
        *budget -= length;
        let holdings = whole_span(&text).map(HeldItem::Text).into_iter().chain([HeldItem::Followed]).collect();
        let change = match diff {
            Some(diff) => FileChange::Text { diff },
            None => FileChange::WholeText { text: text.clone() },
        };
        let update = FileUpdate { path: requested.path.clone(), change };
        PendingUpdate { update: Some(update), holdings, text: Some(Arc::from(text)), ..update_for(requested) }
    }
}

/// Removes what deleted files gave, so that the rest of the same answer does not rely on it.
pub(super) fn forget_files(snapshot: &mut Snapshot, files: &BTreeSet<FileKey>) {
    if !files.is_empty() {
        let view = &mut Arc::make_mut(snapshot).view;
        files.iter().for_each(|file| drop(view.forget(&ForgetScope::File(*file))));
    }
}

pub(super) fn is_not_found(error: &ContextError) -> bool {
    matches!(error, ContextError::Source { error: SourceError::NotFound { .. }, .. })
}

fn update_for(requested: &RequestedFile) -> PendingUpdate {
    PendingUpdate {
        update: None,
        file: requested.key,
        content: requested.known_hash(),
        forget: Vec::new(),
        holdings: vec![HeldItem::Followed],
        page_count: None,
        text: None,
    }
}

fn content_update(requested: &RequestedFile, reason: Option<String>) -> PendingUpdate {
    let change = FileChange::Content { mime_type: requested.kind.mime(), reason };
    PendingUpdate { update: Some(FileUpdate { path: requested.path.clone(), change }), ..update_for(requested) }
}

/// A file that was reverted to what the agent knows.
pub(super) fn restored(requested: &RequestedFile) -> PendingUpdate {
    let update = FileUpdate { path: requested.path.clone(), change: FileChange::Restored };
    PendingUpdate { update: Some(update), ..update_for(requested) }
}

fn deleted(path: &str, file: FileKey) -> PendingUpdate {
    let update = FileUpdate { path: path.to_owned(), change: FileChange::Deleted };
    let forget = vec![ForgetScope::File(file)];
    PendingUpdate {
        update: Some(update),
        file,
        content: None,
        forget,
        holdings: Vec::new(),
        page_count: None,
        text: None,
    }
}

fn unreadable(path: &str, file: FileKey, error: &ContextError) -> PendingUpdate {
    let change = FileChange::Unreadable { reason: error.to_string() };
    let update = Some(FileUpdate { path: path.to_owned(), change });
    PendingUpdate {
        update,
        file,
        content: None,
        forget: Vec::new(),
        holdings: Vec::new(),
        page_count: None,
        text: None,
    }
}

/// Pages reported as gone. If another file shows one of them, it must be sent again.
fn pages_gone(snapshot: &Snapshot, pending: &[PendingUpdate]) -> BTreeSet<PageFingerprint> {
    let named = |pending: &PendingUpdate, holding: &Holding| {
        pending.forget.iter().any(|forget| !matches!(forget, ForgetScope::Positions { .. }) && forget.names(holding))
    };
    let mut lost = BTreeSet::new();
    for pending in pending.iter().filter(|pending| !pending.forget.is_empty()) {
        let gone = snapshot.view.holdings().map(|(holding, _)| holding).filter(|holding| named(pending, holding));
        lost.extend(gone.filter_map(|holding| holding.what.fingerprint()));
    }
    lost
}

pub(super) fn record(
    conversation: &ConversationId,
    snapshot: &Snapshot,
    pending: &[PendingUpdate],
) -> Option<PendingRecord> {
    let mut delivery = empty_record(snapshot);
    let mut texts = Vec::new();
    let lost = pages_gone(snapshot, pending);
    for pending in pending {
        delivery.forget.extend(pending.forget.clone());
        if let Some(FileUpdate {
            change: FileChange::Text { diff: said } | FileChange::WholeText { text: said }, ..
        }) = &pending.update
        {
            delivery.sent.add(text_usage(said));
        }
        let Some(content) = pending.content else { continue };
        delivery.names.extend(pending.update.as_ref().map(|update| (pending.file, update.path.clone())));
        let stays =
            |what: &&HeldItem| !matches!(what, HeldItem::Page { fingerprint, .. } if lost.contains(fingerprint));
        let holdings = pending.holdings.iter().filter(stays);
        delivery.holdings.extend(holdings.map(|what| Holding { content, file: pending.file, what: *what }));
        delivery.page_counts.extend(pending.page_count.map(|pages| (content, pages)));
        texts.extend(pending.text.clone().map(|text| (content, text)));
    }
    let is_news = !delivery.holdings.is_empty() || !delivery.forget.is_empty();
    is_news.then(|| PendingRecord { conversation: conversation.clone(), delivery, texts })
}

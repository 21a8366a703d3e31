//! Operations on whole conversations: status, forget, fork, handles.

mod cache;
mod contents;
mod delivery;
mod failed_forgets;
mod file_memory;
mod sync;
mod writer;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

pub(super) use self::cache::{ConversationCache, Snapshot};
pub(super) use self::contents::ContentRegistry;
pub(super) use self::delivery::PendingRecord;
pub use self::delivery::{Delivery, Receipt};
pub(super) use self::file_memory::FileMemory;

use super::answer::{Block, BoundExceeded, usage_of};
use super::error::ContextError;
use super::files::{OpenPdf, Requester};
use super::pdf::{UnreadParts, sections_of};
use super::{ContextManager, empty_record};
use crate::source::{is_upload, is_url};
use crate::worker::{Pages, ReaderMemory};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;
use pagewise_base::page::PageSet;
use pagewise_store::{SessionStore, StoreTally, ViewStore as _};
use pagewise_view::{
    AgentView, ConversationId, ConversationView, DeliveryRecord, FileKey, ForgetScope, HeldItem, Holding, PageForm,
    Principal, Sequence, Usage,
};

/// Time in which the files of a status are looked into for their sections.
const MAX_TIME_FOR_SECTIONS: Duration = Duration::from_secs(1);

/// What a conversation holds.
#[derive(Debug, Clone, Default)]
pub struct ConversationStatus {
    /// Its files, those used last first.
    pub files: Vec<HeldFile>,
    /// What was sent since everything was last forgotten.
    pub sent: Usage,
    /// The largest generation that the client named.
    pub generation: u64,
    /// The current point, which a fork can start from.
    pub point: ConversationPoint,
}

/// A point in a conversation. Points of one conversation are ordered; a fork continues from its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationPoint(pub u64);

/// One file that a conversation holds.
#[derive(Debug, Clone)]
pub struct HeldFile {
    /// Its key.
    pub key: FileKey,
    /// The path, if known.
    pub path: Option<String>,
    /// The content last given, or last reported if none was given.
    pub content: ContentHash,
    /// What is held of it; `None` if the file is only followed.
    pub view: Option<AgentView>,
    /// The pages held of that content, by form.
    pub pages: Vec<(PageForm, PageSet)>,
    /// The pages of that content that were not given in any form, as far as that is known.
    pub unread: PageSet,
    /// Pages given from an earlier content that were not found in this one, or not looked for.
    pub earlier_pages: PageSet,
    /// Whether the agent was told of a change since.
    pub has_changed: bool,
}

/// What to forget: everything, one file, or pages of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetRequest {
    /// The file; `None` forgets everything.
    pub file: Option<String>,
    /// Pages of the file; `None` forgets all of it.
    pub pages: Option<PageSet>,
    /// When everything is forgotten: whether [`ContextManager::updates`] still reports on the files.
    pub keep_files: bool,
}

/// A conversation at the start of a call.
pub(crate) struct ConversationSession {
    /// What it holds; `None` if the store cannot be read.
    pub(crate) snapshot: Option<Snapshot>,
    /// Whether held pages may be left out and deliveries recorded. False for an earlier generation.
    pub(crate) is_current: bool,
    /// What could not be determined, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl ContextManager {
    /// Opens a conversation in the generation that its client names.
    pub(crate) fn session(&self, conversation: &ConversationId, generation: Option<u64>) -> ConversationSession {
        let snapshot = match self.cache.open_in(conversation, generation) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                let reason = error.without_address();
                let note = format!(
                    "The memory of this conversation cannot be read ({reason}): nothing is left out of this answer, \
                     and nothing is recorded."
                );
                return ConversationSession { snapshot: None, is_current: false, notes: vec![note] };
            }
        };
        let current = snapshot.head.generation;
        let earlier = generation.filter(|generation| *generation < current);
        let note = earlier.map(|earlier| {
            format!(
                "Generation {earlier} is earlier than the conversation's, which is {current}: nothing is left out, \
                 and nothing is recorded."
            )
        });
        ConversationSession {
            snapshot: Some(snapshot),
            is_current: earlier.is_none(),
            notes: note.into_iter().collect(),
        }
    }

    /// What a conversation holds.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn status(
        &self,
        conversation: &ConversationId,
        generation: Option<u64>,
    ) -> Result<ConversationStatus, ContextError> {
        let snapshot = self.cache.open_in(conversation, generation)?;
        let (head, view) = (&snapshot.head, &snapshot.view);
        let mut used: BTreeMap<FileKey, Sequence> = BTreeMap::new();
        for (holding, at) in view.holdings() {
            let last = used.entry(holding.file).or_insert(at);
            *last = at.max(*last);
        }
        let held = |(file, last_reported)| (used.get(&file), held_file(&snapshot, file, last_reported));
        let mut files: Vec<_> = view.files().map(held).collect();
        files.sort_by(|(a_used, a), (b_used, b)| {
            b_used.cmp(a_used).then(a.path.cmp(&b.path)).then(a.content.cmp(&b.content))
        });
        Ok(ConversationStatus {
            files: files.into_iter().map(|(_, file)| file).collect(),
            sent: head.sent,
            generation: head.generation,
            point: ConversationPoint(head.latest.0),
        })
    }

    /// The unread pages of each file by its sections: from the outline or, if a short document has none, from its headings.
    /// Files from the web, files that changed, and those left after `MAX_TIME_FOR_SECTIONS` have their pages alone.
    pub fn unread_parts<'f>(
        &self,
        files: impl Iterator<Item = &'f HeldFile>,
        cancellation: &Cancellation,
    ) -> Vec<UnreadParts> {
        let start = Instant::now();
        let parts = |file: &HeldFile| {
            let is_read = file.unread.is_empty() || start.elapsed() > MAX_TIME_FOR_SECTIONS;
            let document = (!is_read).then(|| self.document_as_given(file, cancellation)).flatten();
            let sections = document.as_ref().map(|document| sections_of(&**document)).unwrap_or_default();
            UnreadParts::of(&file.unread, &sections, document.map_or(0, |document| document.page_count()))
        };
        files.map(parts).collect()
    }

    /// A held PDF, if it is on this machine and still what was given.
    fn document_as_given(&self, file: &HeldFile, cancellation: &Cancellation) -> Option<Box<dyn Pages>> {
        let path = file.path.as_deref().filter(|path| !is_url(path) && !is_upload(path))?;
        let requested = self.reopen(path, file.key, cancellation).ok()?;
        let is_as_given = requested.content_hash(&self.hashes).ok()? == file.content;
        is_as_given.then(|| self.document(&requested, None, cancellation).ok()).flatten()
    }

    /// Whether a conversation holds or follows a file, or holds any of `pages` of it. True if the store cannot say.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a reference that names no file, or nothing that this conversation fetched.
    pub fn holds(
        &self,
        conversation: &ConversationId,
        reference: &str,
        pages: Option<&PageSet>,
    ) -> Result<bool, ContextError> {
        let file = self.sources.key_for(reference, conversation)?;
        let Ok(snapshot) = self.cache.open(conversation) else { return Ok(true) };
        let view = &snapshot.view;
        Ok(match pages {
            Some(pages) => view.pages_at(file).any(|(page, _)| pages.contains(page)),
            None => view.files().any(|(held, _)| held == file),
        })
    }

    /// The latest point of a conversation; `None` if the store has no such conversation.
    ///
    /// # Errors
    /// [`ContextError::Store`].
    pub fn latest_point(&self, conversation: &ConversationId) -> Result<Option<ConversationPoint>, ContextError> {
        let snapshot = self.cache.read(conversation)?;
        Ok(snapshot.is_known().then_some(ConversationPoint(snapshot.head.latest.0)))
    }

    /// Forgets what a conversation holds, so that it can be sent again.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a reference that names no file, or nothing that this conversation fetched.
    /// [`ContextError::Store`]: until the store recovers, nothing held is left out of this conversation's answers.
    pub fn forget(&self, conversation: &ConversationId, request: &ForgetRequest) -> Result<(), ContextError> {
        let file = request.file.as_deref().map(|file| self.sources.key_for(file, conversation)).transpose()?;
        let what = match (file, request.pages.clone()) {
            (None, _) if request.keep_files => ForgetScope::AllButFiles,
            (None, _) => ForgetScope::Everything,
            (Some(file), None) => ForgetScope::File(file),
            (Some(file), Some(pages)) => ForgetScope::Pages { file, pages },
        };
        Ok(self.cache.forget(conversation, &what)?)
    }

    /// Records the client's generation.
    ///
    /// # Errors
    /// [`ContextError::Store`]: until the store recovers, nothing held is left out of this conversation's answers.
    pub fn enter(&self, conversation: &ConversationId, generation: u64) -> Result<(), ContextError> {
        self.cache.enter(conversation, generation)?;
        Ok(())
    }

    /// Creates a conversation with the same owner that holds what `conversation` holds now, or held at a point. Later
    /// changes of one do not affect the other.
    ///
    /// Items given again after the point, or forgotten since, are not copied. They are sent once more.
    ///
    /// # Errors
    /// [`ContextError::UnknownConversation`], [`ContextError::Store`].
    pub fn fork(
        &self,
        conversation: &ConversationId,
        as_of: Option<ConversationPoint>,
    ) -> Result<ConversationId, ContextError> {
        let fork = mint_handle()?;
        let as_of = as_of.map(|point| Sequence(point.0));
        let is_copied = self.cache.fork(conversation, &fork, as_of)?;
        is_copied.then_some(fork).ok_or(ContextError::UnknownConversation)
    }

    /// Creates a conversation with an unguessable handle of 128 random bits. If it has an owner, it is stored at once,
    /// and [`ContextManager::admit`] admits nobody else.
    ///
    /// # Errors
    /// [`ContextError::Random`] if the system has no random numbers, [`ContextError::Store`] if the owner cannot be
    /// stored.
    pub fn mint(&self, owner: Option<&Principal>) -> Result<ConversationId, ContextError> {
        let handle = mint_handle()?;
        if let Some(owner) = owner {
            self.cache.create(&handle, owner)?;
        }
        Ok(handle)
    }

    /// The conversation that `owner` calls `name`, created at its first use. Names are per owner: two owners may use
    /// the same name for different conversations.
    ///
    /// # Errors
    /// [`ContextError::Store`] if the owner cannot be stored.
    pub fn named_conversation(&self, name: &str, owner: &Principal) -> Result<ConversationId, ContextError> {
        let mut hash = [0; 16];
        let mut hasher = blake3::Hasher::new_derive_key("pagewise conversation by its owner's name for it");
        hasher.update(&owner.0).update(name.as_bytes()).finalize_xof().fill(&mut hash);
        let conversation = ConversationId::mint(hash);
        if !self.cache.read(&conversation)?.is_known() {
            self.cache.create(&conversation, owner)?;
        }
        Ok(conversation)
    }

    /// The conversation of a handle, if it belongs to `principal`.
    ///
    /// # Errors
    /// [`ContextError::UnknownConversation`] for a handle that is invalid, unknown, expired or somebody else's: always
    /// the same answer. [`ContextError::Store`] if the store cannot be read.
    pub fn admit(&self, handle: &str, principal: &Principal) -> Result<ConversationId, ContextError> {
        let conversation: ConversationId = handle.parse().map_err(|_| ContextError::UnknownConversation)?;
        let is_theirs = self.cache.read(&conversation)?.head.owner == Some(*principal);
        if is_theirs { Ok(conversation) } else { Err(ContextError::UnknownConversation) }
    }

    /// A delivery for what is not tracked as held: `pictures`, which count against provider limits, and the pages of a
    /// document that they or a text show whole, which count as read. `None` without a conversation.
    ///
    /// # Errors
    /// The bound that the pictures would exceed.
    pub fn delivery_of_reading(
        &self,
        requester: Requester<'_>,
        pictures: &[Block],
        read: Option<(&OpenPdf, &PageSet)>,
    ) -> Result<Option<Delivery>, BoundExceeded> {
        let Some(conversation) = requester.conversation else { return Ok(None) };
        // If the store cannot be read, nothing can be counted.
        let Ok(snapshot) = self.cache.open(conversation) else { return Ok(None) };
        let sent = usage_of(pictures);
        self.settings.request_bounds.check(&snapshot.head.sent, &sent)?;
        let holdings = read.map(|(pdf, pages)| self.pages_as_read(pdf, pages, requester)).unwrap_or_default();
        let delivery = DeliveryRecord { sent, holdings, ..empty_record(&snapshot) };
        let record = PendingRecord { conversation: conversation.clone(), delivery, texts: Vec::new() };
        Ok(Some(self.delivery(Some(record))))
    }

    /// Nothing of a file that is no longer there, or has changed.
    fn pages_as_read(&self, pdf: &OpenPdf, pages: &PageSet, requester: Requester<'_>) -> Vec<Holding> {
        let Ok(requested) = self.open_file(&pdf.path, requester, None) else { return Vec::new() };
        let content = requested.content_hash(&self.hashes).ok().filter(|_| pdf.is_unchanged());
        let Some(content) = content else { return Vec::new() };
        let read = |(first, last)| Holding { content, file: requested.key, what: HeldItem::Read { first, last } };
        pages.runs().map(read).collect()
    }

    /// A failure of the store since the last call that no error has reported, in one sentence, to show to the
    /// user.
    #[must_use]
    pub fn take_warning(&self) -> Option<String> {
        self.cache.store().take_warning().map(|warning| warning.to_string())
    }

    /// Queries the store and returns its call counts: it may have recovered. Blocks.
    #[must_use]
    pub fn probe_store(&self) -> StoreTally {
        // Failures are counted in the tally.
        let _ = self.store.last_pruned();
        self.store.tally()
    }

    /// The memory of the reader's workers and caches.
    #[must_use]
    pub fn reader_memory(&self) -> ReaderMemory {
        self.reader.memory()
    }

    /// Number of conversations in doubt: the store failed to record a forget.
    #[must_use]
    pub fn conversations_in_doubt(&self) -> usize {
        self.cache.failed_forgets()
    }

    /// The store of MCP sessions; `None` if the conversation store keeps none.
    #[must_use]
    pub fn sessions(&self) -> Option<&dyn SessionStore> {
        self.cache.store().sessions()
    }

    /// The content hash of a file, for links to it.
    ///
    /// # Errors
    /// Every refusal of the file.
    pub fn content_of(&self, reference: &str, requester: Requester<'_>) -> Result<ContentHash, ContextError> {
        self.open_file(reference, requester, None)?.content_hash(&self.hashes)
    }

    /// Pages of a PDF that the requester's conversation holds in any form.
    ///
    /// # Errors
    /// Every refusal of the file.
    pub fn pages_held(&self, reference: &str, requester: Requester<'_>) -> Result<PageSet, ContextError> {
        let Some(conversation) = requester.conversation else { return Ok(PageSet::new()) };
        let content = self.content_of(reference, requester)?;
        // If the store cannot be read, nothing counts as held.
        let snapshot = self.cache.open(conversation).unwrap_or_default();
        Ok(snapshot.view.pages_held(&content))
    }
}

pub(super) fn mint_handle() -> Result<ConversationId, ContextError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| ContextError::Random { reason: error.to_string() })?;
    Ok(ConversationId::mint(random))
}

fn held_file(snapshot: &Snapshot, file: FileKey, last_reported: ContentHash) -> HeldFile {
    let view = &snapshot.view;
    let given = view.last_given_content(&file);
    let content = given.unwrap_or(last_reported);
    let pages = PageForm::ALL.map(|form| (form, view.pages_in(&content, form)));
    let pages: Vec<_> = pages.into_iter().filter(|(_, pages)| !pages.is_empty()).collect();
    let mut earlier_pages: PageSet = view.pages_at(file).map(|(page, _)| page).collect();
    pages.iter().flat_map(|(_, pages)| pages.iter()).for_each(|page| earlier_pages.remove(page));
    let agent_view = view.agent_view(&content);
    let page_count = snapshot.page_counts.get(&content).copied().unwrap_or(0);
    HeldFile {
        key: file,
        path: snapshot.names.get(&file).cloned(),
        content,
        unread: agent_view.as_ref().map(|held| unread_pages(held, view, &content, page_count)).unwrap_or_default(),
        view: agent_view,
        pages,
        earlier_pages,
        has_changed: content != last_reported,
    }
}

/// The pages of a PDF that were not given. Where the summary was the document's text, none are known to be unread.
fn unread_pages(held: &AgentView, view: &ConversationView, content: &ContentHash, page_count: u32) -> PageSet {
    let AgentView::Pdf { supports_page_extraction: true, .. } = held else { return PageSet::new() };
    let mut unread = PageSet::all(page_count);
    view.pages_read(content).runs().for_each(|(first, last)| unread.remove_run(first.0, last.0));
    unread
}

#[cfg(test)]
#[path = "../../../tests/unit/conversation_schedules.rs"]
mod schedules;

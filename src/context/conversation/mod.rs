//! Conversations as a whole: what one holds, forgetting, forking, handles.

mod bounded_map;
mod cache;
mod contents;
mod delivery;
mod failed_forgets;
mod file_memory;
mod recorder;
#[cfg(test)]
#[path = "../../../tests/unit/conversation_schedules.rs"]
mod schedules;
mod sync;

use std::time::SystemTime;

pub(super) use self::cache::{ConversationCache, Snapshot};
pub(super) use self::contents::ContentRegistry;
pub(super) use self::delivery::PendingRecord;
pub use self::delivery::{Delivery, Receipt};
pub(super) use self::file_memory::FileMemory;

use super::answer::{Block, BoundExceeded, usage_of};
use super::error::ContextError;
use super::files::Requester;
use super::{ContextManager, empty_record};
use crate::hash::ContentHash;
use crate::limits::Cancellation;
use crate::page::PageSet;
use crate::store::{self, SessionStore, StoreError, StoreTally, Usage, ViewStore as _};
use crate::view::{AgentView, ConversationId, ConversationView, FileKey, ForgetScope, PageForm, Principal, Sequence};

/// What a conversation holds.
#[derive(Debug, Clone, Default)]
pub struct ConversationStatus {
    /// Its files.
    pub files: Vec<HeldFile>,
    /// What was sent to it since it last forgot everything.
    pub sent: Usage,
    /// The largest generation that its client named.
    pub generation: u64,
    /// Now, as a point that a fork can start from.
    pub point: ConversationPoint,
}

/// A point in a conversation: what was recorded up to it. Points of one conversation are in one order, and a fork goes on
/// from its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationPoint(pub u64);

/// One file that a conversation holds.
#[derive(Debug, Clone)]
pub struct HeldFile {
    /// The path, where it is known.
    pub path: Option<String>,
    /// The content last given, or told of where none was given.
    pub content: ContentHash,
    /// What is held of it; `None` where the file is only followed.
    pub view: Option<AgentView>,
    /// The pages held of that content, by form.
    pub pages: Vec<(PageForm, PageSet)>,
    /// Pages that an earlier content gave and that were not found in this one, or not looked for.
    pub earlier_pages: PageSet,
    /// Whether the agent was told that the file has changed since.
    pub has_changed: bool,
}

/// What is to be forgotten: everything, a file, or pages of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetRequest {
    /// The file; `None` forgets everything.
    pub file: Option<String>,
    /// Pages of the file; `None` forgets all of it.
    pub pages: Option<PageSet>,
    /// Whether files stay followed, where everything is forgotten: [`ContextManager::updates`] still tells of them.
    pub keep_files: bool,
}

/// A conversation at the beginning of a call.
pub(crate) struct ConversationSession {
    /// What it holds; `None` where that cannot be known.
    pub(crate) snapshot: Option<Snapshot>,
    /// Whether what is held may be left out, and what is delivered recorded: not for an earlier generation.
    pub(crate) is_current: bool,
    /// What could not be known, a sentence each.
    pub(crate) notes: Vec<String>,
}

impl ContextManager {
    /// A conversation, in the generation that its client names.
    pub(crate) fn session(&self, conversation: &ConversationId, generation: Option<u64>) -> ConversationSession {
        let snapshot = match self.cache.open_in(conversation, generation) {
            Ok(snapshot) => snapshot,
            Err(error) => {
                let note = format!(
                    "The memory of this conversation cannot be read ({error}): nothing is left out of this answer, and \
                     nothing recorded."
                );
                return ConversationSession { snapshot: None, is_current: false, notes: vec![note] };
            }
        };
        let current = snapshot.head.generation;
        let earlier = generation.filter(|generation| *generation < current);
        let note = earlier.map(|earlier| {
            format!(
                "Generation {earlier} is earlier than the conversation's, which is {current}: nothing is left out, and \
                 nothing recorded."
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
        let Snapshot { head, view } = self.cache.open_in(conversation, generation)?;
        let keys = view.files().map(|(file, _)| file).collect::<Vec<_>>();
        // A file without a name is still a file.
        let names = self.cache.store().file_names(&keys).unwrap_or_default();
        let mut files: Vec<_> =
            view.files().map(|(file, told)| held_file(&view, file, told, names.get(&file))).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path).then(a.content.cmp(&b.content)));
        Ok(ConversationStatus {
            files,
            sent: head.sent,
            generation: head.generation,
            point: ConversationPoint(head.latest.0),
        })
    }

    /// Forgets what a conversation holds, so that it is sent again.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a reference that names no file, or nothing that this conversation fetched;
    /// [`ContextError::Store`]; nothing is left out of this conversation's answers then until the store has forgotten.
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

    /// Takes note of the generation that a client is in.
    ///
    /// # Errors
    /// [`ContextError::Store`]; nothing is left out of this conversation's answers then until the store has forgotten.
    pub fn enter(&self, conversation: &ConversationId, generation: u64) -> Result<(), ContextError> {
        self.cache.enter(conversation, generation)?;
        Ok(())
    }

    /// A new conversation that holds what `conversation` held at a point, or holds now; of the same owner. What either
    /// is given or forgets later does not touch the other.
    ///
    /// What was given again after the point, or forgotten since, is not in the copy: it is sent once more.
    ///
    /// # Errors
    /// [`ContextError::UnknownConversation`], [`ContextError::Store`].
    pub fn fork(
        &self,
        conversation: &ConversationId,
        as_of: Option<ConversationPoint>,
    ) -> Result<ConversationId, ContextError> {
        let fork = mint_handle()?;
        // What the store failed to forget is forgotten before it is copied.
        self.cache.open(conversation)?;
        let as_of = as_of.map(|point| Sequence(point.0));
        match self.cache.store().fork(conversation, &fork, as_of, SystemTime::now()) {
            Ok(()) => Ok(fork),
            Err(StoreError::UnknownConversation { .. }) => Err(ContextError::UnknownConversation),
            Err(error) => Err(error.into()),
        }
    }

    /// A new conversation under a handle that nobody can guess: 128 random bits. With an owner it is known to the store
    /// at once, and [`ContextManager::admit`] lets nobody else in.
    ///
    /// # Errors
    /// [`ContextError::Random`] where the system gives no random numbers, [`ContextError::Store`] where the owner
    /// cannot be written down.
    pub fn mint(&self, owner: Option<&Principal>) -> Result<ConversationId, ContextError> {
        let handle = mint_handle()?;
        if owner.is_some() {
            self.cache.store().create(&handle, owner, SystemTime::now())?;
        }
        Ok(handle)
    }

    /// The conversation that a principal calls by a name of its own, made at its first use. Another's of the same name is
    /// another conversation.
    ///
    /// # Errors
    /// [`ContextError::Store`] where the owner cannot be written down.
    pub fn named_conversation(&self, name: &str, owner: &Principal) -> Result<ConversationId, ContextError> {
        let mut hash = [0; 16];
        let mut hasher = blake3::Hasher::new_derive_key("pagewise conversation by its owner's name for it");
        hasher.update(&owner.0).update(name.as_bytes()).finalize_xof().fill(&mut hash);
        let conversation = ConversationId::mint(hash);
        if self.cache.store().head(&conversation)?.is_none() {
            self.cache.store().create(&conversation, Some(owner), SystemTime::now())?;
        }
        Ok(conversation)
    }

    /// The conversation of a handle that a principal shows.
    ///
    /// # Errors
    /// [`ContextError::UnknownConversation`] for a handle that is none, unknown, expired or another's: one same answer.
    /// [`ContextError::Store`] where the store cannot say.
    pub fn admit(&self, handle: &str, principal: &Principal) -> Result<ConversationId, ContextError> {
        let conversation: ConversationId = handle.parse().map_err(|_| ContextError::UnknownConversation)?;
        let head = self.cache.store().head(&conversation)?;
        let is_theirs = head.is_some_and(|head| head.owner == Some(*principal));
        if is_theirs { Ok(conversation) } else { Err(ContextError::UnknownConversation) }
    }

    /// The mark that blocks were given which are held as nothing, such as a drawn part of a page: they count all the same
    /// against what a provider takes in a request.
    ///
    /// # Errors
    /// The bound that would be passed with them.
    pub fn count_blocks(&self, conversation: &ConversationId, blocks: &[Block]) -> Result<Delivery, BoundExceeded> {
        // Where the store cannot say what was sent, nothing can be counted.
        let Ok(snapshot) = self.cache.open(conversation) else { return Ok(self.delivery(None)) };
        let sent = usage_of(blocks);
        self.settings.request_bounds.check(&snapshot.head.sent, &sent)?;
        let delivery = store::DeliveryRecord { sent, ..empty_record(&snapshot) };
        Ok(self.delivery(Some(PendingRecord { conversation: conversation.clone(), delivery, texts: Vec::new() })))
    }

    /// What went wrong with the memory of conversations since this was last asked, in a sentence, and no error has told.
    /// For a door to show its user.
    #[must_use]
    pub fn take_warning(&self) -> Option<String> {
        self.cache.store().take_warning().map(|warning| warning.to_string())
    }

    /// How the store fares, after it was asked something: it may be well again. Blocks while it answers.
    #[must_use]
    pub fn probe_store(&self) -> StoreTally {
        // What went wrong is in the tally.
        let _ = self.store.last_pruned();
        self.store.tally()
    }

    /// Conversations of which nothing is relied on until the store has forgotten what it failed to forget.
    #[must_use]
    pub fn conversations_in_doubt(&self) -> usize {
        self.cache.failed_forgets()
    }

    /// Where sessions of a protocol's clients are kept; `None` where the store of conversations keeps none.
    #[must_use]
    pub fn sessions(&self) -> Option<&dyn SessionStore> {
        self.cache.store().sessions()
    }

    /// Pages of a PDF that a conversation holds in any form.
    ///
    /// # Errors
    /// Every refusal of the file.
    pub fn pages_held(&self, reference: &str, conversation: &ConversationId) -> Result<PageSet, ContextError> {
        let asked = self
            .sources
            .open(reference, Requester { conversation: Some(conversation), cancellation: &Cancellation::new() })?;
        let content = asked.content_hash(&self.hashes)?;
        // What the store cannot say is not held.
        let snapshot = self.cache.open(conversation).unwrap_or_default();
        let mut held = PageSet::new();
        PageForm::ALL.iter().for_each(|form| held.union(&snapshot.view.pages_in(&content, *form)));
        Ok(held)
    }
}

fn mint_handle() -> Result<ConversationId, ContextError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| ContextError::Random { reason: error.to_string() })?;
    Ok(ConversationId::mint(random))
}

fn held_file(view: &ConversationView, file: FileKey, told: ContentHash, path: Option<&String>) -> HeldFile {
    let given = view.last_given_content(&file);
    let content = given.unwrap_or(told);
    let pages = PageForm::ALL.map(|form| (form, view.pages_in(&content, form)));
    let pages: Vec<_> = pages.into_iter().filter(|(_, pages)| !pages.is_empty()).collect();
    let mut earlier_pages: PageSet = view.pages_at(file).map(|(page, _)| page).collect();
    pages.iter().flat_map(|(_, pages)| pages.iter()).for_each(|page| earlier_pages.remove(page));
    HeldFile {
        path: path.cloned(),
        content,
        view: view.agent_view(&content),
        pages,
        earlier_pages,
        has_changed: content != told,
    }
}

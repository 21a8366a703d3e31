//! The interface of a store.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use super::{SessionStore, StoreError, StoreWarning};
use pagewise_view::{Conversation, ConversationHead, ConversationId, Revision};

/// Stores conversations. It stores and compares; what changes a conversation, and how, is
/// [`Conversation::apply`]'s to say. The stored value is the only truth; processes cache it at most.
///
/// All methods block. Writes are atomic, and survive the end of the process once they return.
pub trait ViewStore: Send + Sync {
    /// A conversation as it is stored now: the cached copy itself, if it is current. An unknown conversation is the
    /// default, with a revision that says on which server.
    ///
    /// # Errors
    /// [`StoreError`]
    fn load(&self, id: &ConversationId, copy: Option<Arc<Conversation>>) -> Result<Arc<Conversation>, StoreError>;

    /// Replaces values, all in one transaction. Returns for each whether the stored value was the expected one; otherwise
    /// it is left as it is. No two swaps are of one conversation, and they come in the order of their ids.
    ///
    /// # Errors
    /// [`StoreError`]: nothing was replaced, or all of it and the answer was lost.
    fn swap(&self, swaps: &[Swap]) -> Result<Vec<bool>, StoreError>;

    /// All conversations, most recently used first.
    ///
    /// # Errors
    /// [`StoreError`]
    fn list(&self) -> Result<Vec<ConversationRecord>, StoreError>;

    /// Drops conversations last used before `unused_since`, then the least recently used until at most `max_holdings`
    /// holdings remain. Records `now` as the time of pruning.
    ///
    /// # Errors
    /// [`StoreError`]
    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError>;

    /// When [`ViewStore::prune`] last ran, to the second; `None` if never.
    ///
    /// # Errors
    /// [`StoreError`]
    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError>;

    /// What was lost since the last call and reported by no write error. A failing read costs little, and may be the
    /// only sign, so it should be shown to the user.
    fn take_warning(&self) -> Option<StoreWarning> {
        None
    }

    /// The session store beside the conversations; `None` if there is none.
    fn sessions(&self) -> Option<&dyn SessionStore> {
        None
    }

    /// Checks that the store responds, and counts its contents.
    ///
    /// # Errors
    /// [`StoreError`]
    fn health(&self) -> Result<StoreHealth, StoreError>;
}

/// A new value for a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// Its handle.
    pub id: ConversationId,
    /// The revision to replace. The number 0 means that the conversation is not stored yet.
    pub expected: Revision,
    /// The new value, with its own revision.
    pub new: Arc<Conversation>,
    /// Whether it must survive a power cut, and not only the end of the process.
    pub is_durable: bool,
}

/// A conversation without what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRecord {
    /// Its handle.
    pub id: ConversationId,
    /// Number of holdings.
    pub holdings: u64,
    /// The rest of it.
    pub head: ConversationHead,
}

impl ConversationRecord {
    /// The record of a conversation.
    #[must_use]
    pub fn of(id: &ConversationId, conversation: &Conversation) -> Self {
        let (holdings, head) = (conversation.view.len() as u64, conversation.head.clone());
        Self { id: id.clone(), holdings, head }
    }
}

/// What pruning dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PruneCounts {
    pub conversations: u64,
    pub holdings: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// The database file; `None` if nothing outlives the process.
    pub database: Option<PathBuf>,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of holdings.
    pub holdings: u64,
}

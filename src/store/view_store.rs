//! The interface of a store.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::{
    ConversationHead, ConversationHistory, ConversationRecord, ConversationState, DeliveryRecord, PruneCounts,
    SessionStore, StoreError, StoreHealth, StoreWarning, Usage, Version,
};
use pagewise_base::hash::ContentHash;
use pagewise_view::{ConversationId, FileKey, ForgetScope, Principal, Sequence};

/// Stores what conversations hold. The stored rows are the only truth; processes cache them at most.
///
/// All methods block. Writes are atomic, and survive the end of the process once they return. Times come from the
/// caller's clock, to the second. Each conversation counts its own sequences, in steps of one.
pub trait ViewStore: Send + Sync {
    /// What a conversation holds; `None` if it is unknown. With the version of a cached copy as `known`, the
    /// [`RowUpdate`](super::RowUpdate) contains only what that copy lacks.
    ///
    /// # Errors
    /// [`StoreError`]
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError>;

    /// The head of a conversation; `None` if it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError>;

    /// Creates a conversation, owned by `owner` if given. Returns false if it exists.
    ///
    /// # Errors
    /// [`StoreError`]
    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError>;

    /// Records deliveries atomically, each under a new sequence. Creates unknown conversations.
    ///
    /// Returns `None` for a refused delivery: something was forgotten after [`DeliveryRecord::planned`], or the
    /// conversation was dropped and created again. Its [`DeliveryRecord::sent`] still counts, unless everything was
    /// forgotten since.
    ///
    /// # Errors
    /// [`StoreError`]
    fn record_all(
        &self,
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError>;

    /// [`ViewStore::record_all`] for one delivery.
    ///
    /// # Errors
    /// [`StoreError`]
    fn record(
        &self,
        conversation: &ConversationId,
        delivery: &DeliveryRecord,
        now: SystemTime,
    ) -> Result<Option<Version>, StoreError> {
        let recorded = self.record_all(&[(conversation.clone(), delivery.clone())], now)?;
        Ok(recorded.into_iter().next().flatten())
    }

    /// Removes the rows still recorded under `at`, and subtracts `sent` unless everything was forgotten since. Counts
    /// as a forget, so deliveries planned on these rows are refused. Does nothing if the conversation was dropped and
    /// created again.
    ///
    /// # Errors
    /// [`StoreError`]
    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError>;

    /// Forgets under a new sequence, by the rule of
    /// [`ConversationView::forget`](pagewise_view::ConversationView::forget). Creates an unknown conversation. Forgetting
    /// everything resets its [`Usage`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn forget(&self, conversation: &ConversationId, what: &ForgetScope, now: SystemTime)
    -> Result<Version, StoreError>;

    /// Enters a generation, and returns the largest one entered so far. A larger generation than before forgets
    /// [`ForgetScope::AllButFiles`].
    ///
    /// # Errors
    /// [`StoreError`]
    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError>;

    /// Creates `to` as a copy of `from`, optionally with only the rows last recorded at or before `as_of`. Sequences,
    /// owner, generation and [`Usage`] are copied.
    ///
    /// # Errors
    /// [`StoreError::UnknownConversation`] for `from`, [`StoreError::ConversationExists`] for `to`.
    fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
        now: SystemTime,
    ) -> Result<(), StoreError>;

    /// The record of a conversation, with its number of holdings; `None` if it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError>;

    /// All conversations, most recently used first.
    ///
    /// # Errors
    /// [`StoreError`]
    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError>;

    /// What happened in a conversation, for display; empty if it is unknown.
    ///
    /// # Errors
    /// [`StoreError`]
    fn history(&self, conversation: &ConversationId) -> Result<ConversationHistory, StoreError>;

    /// The known paths of files.
    ///
    /// # Errors
    /// [`StoreError`]
    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError>;

    /// The recorded page counts of documents.
    ///
    /// # Errors
    /// [`StoreError`]
    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError>;

    /// When [`ViewStore::prune`] last ran; `None` if never.
    ///
    /// # Errors
    /// [`StoreError`]
    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError>;

    /// Drops conversations last used before `unused_since`, then the least recently used until at most `max_holdings`
    /// holdings remain. Records `now` as the time of pruning.
    ///
    /// # Errors
    /// [`StoreError`]
    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError>;

    /// What was lost since the last call and reported by no write error. A failing read costs little, and may be the
    /// only sign, so it should be shown to the user.
    fn take_warning(&self) -> Option<StoreWarning> {
        None
    }

    /// The session store beside the views; `None` if there is none.
    fn sessions(&self) -> Option<&dyn SessionStore> {
        None
    }

    /// Checks that the store responds, and counts its contents.
    ///
    /// # Errors
    /// [`StoreError`]
    fn health(&self) -> Result<StoreHealth, StoreError>;
}

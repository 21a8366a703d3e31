//! A store that does what a test says around each of its calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use pagewise_base::hash::ContentHash;
use pagewise_store::{
    ConversationHead, ConversationHistory, ConversationRecord, ConversationState, DeliveryRecord, PruneCounts,
    RowUpdate, StoreError, StoreHealth, StoreWarning, Usage, Version, ViewStore,
};
use pagewise_view::{ConversationId, ConversationView, FileKey, ForgetScope, Principal, Sequence};

/// Before a call of the store behind, or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// Told of each call by its name; what it answers is the call's own answer where it is an error.
pub(crate) type Hook = Box<dyn Fn(&'static str, Side) -> Result<(), StoreError> + Send + Sync>;

pub(crate) struct Hooked {
    pub(crate) store: Arc<dyn ViewStore>,
    pub(crate) hook: Hook,
}

impl Hooked {
    pub(crate) fn new(
        store: Arc<dyn ViewStore>,
        hook: impl Fn(&'static str, Side) -> Result<(), StoreError> + Send + Sync + 'static,
    ) -> Self {
        Self { store, hook: Box::new(hook) }
    }

    fn around<T>(
        &self,
        name: &'static str,
        work: impl FnOnce(&dyn ViewStore) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        (self.hook)(name, Side::Before)?;
        let value = work(&*self.store);
        (self.hook)(name, Side::After)?;
        value
    }
}

/// Nothing, and the places where a call that records or forgets may fail.
pub(crate) const FAULTS: [Option<(&str, Side)>; 9] = [
    None,
    Some(("record_all", Side::Before)),
    Some(("record_all", Side::After)),
    Some(("forget", Side::Before)),
    Some(("forget", Side::After)),
    Some(("take_back", Side::Before)),
    Some(("take_back", Side::After)),
    Some(("read", Side::Before)),
    Some(("read", Side::After)),
];

/// All that a conversation holds.
pub(crate) fn loaded(store: &dyn ViewStore, conversation: &ConversationId) -> ConversationView {
    match store.read(conversation, None).unwrap() {
        None => ConversationView::new(),
        Some(ConversationState { rows: RowUpdate::All(rows), .. }) => rows.into_iter().collect(),
        Some(other) => unreachable!("a reader that knew nothing was given {other:?}"),
    }
}

/// What a disk without room says.
pub(crate) fn disk_full() -> StoreError {
    StoreError::DiskFull { path: "views.sqlite3".into() }
}

impl ViewStore for Hooked {
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError> {
        self.around("read", |store| store.read(conversation, known))
    }

    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        self.around("create", |store| store.create(conversation, owner, now))
    }

    fn record_all(
        &self,
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError> {
        self.around("record_all", |store| store.record_all(deliveries, now))
    }

    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        self.around("take_back", |store| store.take_back(conversation, at, sent, now))
    }

    fn forget(
        &self,
        conversation: &ConversationId,
        what: &ForgetScope,
        now: SystemTime,
    ) -> Result<Version, StoreError> {
        self.around("forget", |store| store.forget(conversation, what, now))
    }

    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError> {
        self.around("enter", |store| store.enter(conversation, generation, now))
    }

    fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        self.around("fork", |store| store.fork(from, to, as_of, now))
    }

    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError> {
        self.around("head", |store| store.head(conversation))
    }

    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError> {
        self.around("describe", |store| store.describe(conversation))
    }

    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        self.around("conversations", |store| store.conversations())
    }

    fn history(&self, conversation: &ConversationId) -> Result<ConversationHistory, StoreError> {
        self.around("history", |store| store.history(conversation))
    }

    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError> {
        self.around("file_names", |store| store.file_names(files))
    }

    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError> {
        self.around("page_counts", |store| store.page_counts(contents))
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        self.around("last_pruned", |store| store.last_pruned())
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        self.around("prune", |store| store.prune(unused_since, max_holdings, now))
    }

    fn take_warning(&self) -> Option<StoreWarning> {
        self.store.take_warning()
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        self.around("health", |store| store.health())
    }
}

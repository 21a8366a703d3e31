//! A store that does what a test says around each of its calls, and what tests ask of any store.

use std::sync::Arc;
use std::time::SystemTime;

use pagewise_store::{
    ConversationRecord, PruneCounts, StoreError, StoreHealth, StoreWarning, Swap, ViewStore, change, change_all,
};
use pagewise_view::{
    Conversation, ConversationChange, ConversationHead, ConversationId, ConversationView, DeliveryRecord, ForgetScope,
    Principal, Usage, Version,
};

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

/// Nothing, and the places where a call that changes or reads a conversation may fail.
pub(crate) const FAULTS: [Option<(&str, Side)>; 5] = [
    None,
    Some(("swap", Side::Before)),
    Some(("swap", Side::After)),
    Some(("load", Side::Before)),
    Some(("load", Side::After)),
];

/// All that a conversation holds.
pub(crate) fn loaded(store: &dyn ViewStore, conversation: &ConversationId) -> ConversationView {
    store.load(conversation, None).unwrap().view.clone()
}

/// Changes of conversations, as one who has no copies makes them.
#[allow(dead_code, reason = "not every test makes every change")]
pub(crate) trait Changes {
    fn dynamic(&self) -> &dyn ViewStore;

    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError> {
        let value = self.dynamic().load(conversation, None)?;
        Ok(value.is_known().then(|| value.head.clone()))
    }

    /// Whether it is new.
    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        let begin = ConversationChange::Begin(owner.copied());
        Ok(change(self.dynamic(), &(), conversation, begin, now)?.version.is_some())
    }

    fn record(
        &self,
        conversation: &ConversationId,
        delivery: &DeliveryRecord,
        now: SystemTime,
    ) -> Result<Option<Version>, StoreError> {
        let record = ConversationChange::Record(delivery.clone());
        Ok(change(self.dynamic(), &(), conversation, record, now)?.version)
    }

    fn record_all(
        &self,
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError> {
        let record =
            |(id, delivery): &(_, DeliveryRecord)| (Clone::clone(id), ConversationChange::Record(delivery.clone()));
        let records: Vec<_> = deliveries.iter().map(record).collect();
        let outcomes = change_all(self.dynamic(), &(), &records, now)?;
        Ok(outcomes.into_iter().map(|outcome| outcome.version).collect())
    }

    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        change(self.dynamic(), &(), conversation, ConversationChange::TakeBack(at, sent), now).map(|_| ())
    }

    fn forget(
        &self,
        conversation: &ConversationId,
        what: &ForgetScope,
        now: SystemTime,
    ) -> Result<Version, StoreError> {
        let forgotten = change(self.dynamic(), &(), conversation, ConversationChange::Forget(what.clone()), now)?;
        Ok(forgotten.version.unwrap_or_default())
    }

    /// The largest generation entered so far.
    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError> {
        change(self.dynamic(), &(), conversation, ConversationChange::Enter(generation), now)?;
        Ok(self.dynamic().load(conversation, None)?.head.generation)
    }
}

impl<S: ViewStore> Changes for S {
    fn dynamic(&self) -> &dyn ViewStore {
        self
    }
}

impl Changes for dyn ViewStore + '_ {
    fn dynamic(&self) -> &dyn ViewStore {
        self
    }
}

/// What a disk without room says.
pub(crate) fn disk_full() -> StoreError {
    StoreError::DiskFull { path: "views.sqlite3".into() }
}

impl ViewStore for Hooked {
    fn load(&self, id: &ConversationId, copy: Option<Arc<Conversation>>) -> Result<Arc<Conversation>, StoreError> {
        self.around("load", |store| store.load(id, copy))
    }

    fn swap(&self, swaps: &[Swap]) -> Result<Vec<bool>, StoreError> {
        self.around("swap", |store| store.swap(swaps))
    }

    fn list(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        self.around("list", |store| store.list())
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        self.around("prune", |store| store.prune(unused_since, max_holdings, now))
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        self.around("last_pruned", |store| store.last_pruned())
    }

    fn take_warning(&self) -> Option<StoreWarning> {
        self.store.take_warning()
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        self.around("health", |store| store.health())
    }
}

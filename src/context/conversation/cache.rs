//! Cached copies of conversations. The store decides whether a copy is current.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use super::bounded_map::BoundedMap;
use super::delivery::PendingRecord;
use super::failed_forgets::FailedForgets;
use super::recorder::DeliveryRecorder;
use crate::context::request::Retention;
use pagewise_store::{
    ConversationHead, ConversationState, RowUpdate, StoreError, StoreWarning, Usage, Version, ViewStore,
};
use pagewise_view::{ConversationId, ConversationView, FileKey, ForgetScope, Principal};

/// Conversations in the cache. Over HTTP each call without a handle starts one.
const MAX_SNAPSHOTS: usize = 1_024;

/// Rows in the cache, over all conversations; some 500 bytes each with their index.
const MAX_ROWS: usize = 200_000;

/// Cached conversations, their store, and the forgets that the store failed to record.
pub(crate) struct ConversationCache {
    snapshots: BoundedMap<ConversationId, Snapshot>,
    max_rows: usize,
    /// The owners of conversations that this process created and has not opened yet. Their handles were not given out,
    /// so they hold nothing.
    created: BoundedMap<ConversationId, Principal>,
    failed_forgets: FailedForgets,
    store: Arc<dyn ViewStore>,
    recorder: DeliveryRecorder,
}

/// A conversation as the store has it. The default is a conversation that the store does not know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) head: ConversationHead,
    pub(crate) view: Arc<ConversationView>,
}

impl Snapshot {
    /// A conversation that holds nothing.
    fn owned_by(owner: Principal) -> Self {
        Self { head: ConversationHead { owner: Some(owner), ..ConversationHead::default() }, ..Self::default() }
    }

    /// Removes what deleted files gave, so that the rest of the same answer does not rely on it.
    pub(crate) fn forget_files(&mut self, files: &BTreeSet<FileKey>) {
        for file in files {
            let change = self.view.forget(&ForgetScope::File(*file));
            Arc::make_mut(&mut self.view).apply(&change);
        }
    }

    /// Advances the snapshot to `version`, if this delivery is all that was recorded in between.
    fn advance(&mut self, delivery: &pagewise_store::DeliveryRecord, version: Version) {
        if version != (Version { latest: self.head.latest.next(), ..self.head.version() }) {
            return;
        }
        let view = Arc::make_mut(&mut self.view);
        for what in &delivery.forget {
            view.apply(&view.forget(what));
            self.head.forgotten = version.latest;
        }
        view.extend(delivery.holdings.iter().map(|holding| (*holding, version.latest)));
        self.head.latest = version.latest;
    }
}

impl ConversationCache {
    pub(crate) fn new(store: Arc<dyn ViewStore>, retention: Retention) -> Self {
        Self::bounded(store, retention, MAX_SNAPSHOTS, MAX_ROWS)
    }

    fn bounded(store: Arc<dyn ViewStore>, retention: Retention, max_snapshots: usize, max_rows: usize) -> Self {
        Self {
            snapshots: BoundedMap::of(max_snapshots),
            max_rows,
            created: BoundedMap::of(max_snapshots),
            failed_forgets: FailedForgets::default(),
            recorder: DeliveryRecorder::new(Arc::clone(&store), retention),
            store,
        }
    }

    /// Creates a conversation. [`Self::open`] does not read it from the store until its handle comes back.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) fn create(&self, conversation: &ConversationId, owner: &Principal) -> Result<(), StoreError> {
        self.store.create(conversation, Some(owner), SystemTime::now())?;
        self.created.insert(conversation.clone(), *owner);
        Ok(())
    }

    /// The head of a conversation whose handle a client sent: any process may have changed it.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError> {
        self.created.remove(conversation);
        self.store.head(conversation)
    }

    /// The conversation as the store has it now.
    ///
    /// # Errors
    /// If the store cannot be read, or still has to forget something: nothing held may then be left out of an answer.
    pub(crate) fn open(&self, conversation: &ConversationId) -> Result<Snapshot, StoreError> {
        self.retry_failed_forget(conversation)?;
        match self.created.remove(conversation) {
            Some(owner) => Ok(Snapshot::owned_by(owner)),
            None => self.read(conversation),
        }
    }

    /// Like [`Self::open`], for a client that names its generation. A later generation is entered first.
    pub(crate) fn open_in(
        &self,
        conversation: &ConversationId,
        generation: Option<u64>,
    ) -> Result<Snapshot, StoreError> {
        let opened = self.open(conversation);
        let known = match &opened {
            Ok(snapshot) => snapshot.head.generation,
            Err(_) => self.snapshots.get(conversation).map_or(0, |snapshot| snapshot.head.generation),
        };
        match (generation.filter(|generation| *generation > known), opened) {
            (None, opened) => opened,
            (Some(generation), Ok(_)) => {
                self.enter(conversation, generation)?;
                self.open(conversation)
            }
            (Some(_), Err(error)) => {
                self.failed_forgets.add(conversation, &ForgetScope::AllButFiles);
                Err(error)
            }
        }
    }

    fn read(&self, conversation: &ConversationId) -> Result<Snapshot, StoreError> {
        let cached = self.snapshots.get(conversation);
        let known = cached.as_ref().map(|snapshot| snapshot.head.version());
        let Some(ConversationState { head, rows }) = self.store.read(conversation, known)? else {
            self.snapshots.remove(conversation);
            return Ok(Snapshot::default());
        };
        let mut view = cached.map(|snapshot| snapshot.view).unwrap_or_default();
        match rows {
            RowUpdate::Unchanged => {}
            RowUpdate::Later(rows) => {
                // Drop the cached copy first, so that `make_mut` does not have to clone.
                self.snapshots.remove(conversation);
                Arc::make_mut(&mut view).extend(rows);
            }
            RowUpdate::All(rows) => {
                view = Arc::new(rows.into_iter().collect());
                self.evict_if_over(view.len());
            }
        }
        let snapshot = Snapshot { head, view };
        if snapshot.view.len() <= self.max_rows {
            self.snapshots.insert(conversation.clone(), snapshot.clone());
        }
        Ok(snapshot)
    }

    /// Clears the cache if it would hold too many rows with `rows` more.
    fn evict_if_over(&self, rows: usize) {
        if self.snapshots.sum(|snapshot| snapshot.view.len()).saturating_add(rows) > self.max_rows {
            self.snapshots.clear();
        }
    }

    /// Records the client's generation.
    ///
    /// # Errors
    /// If the store fails. The conversation is then in doubt.
    pub(crate) fn enter(&self, conversation: &ConversationId, generation: u64) -> Result<u64, StoreError> {
        let entered = self.store.enter(conversation, generation, SystemTime::now());
        if entered.is_err() {
            self.failed_forgets.add(conversation, &ForgetScope::AllButFiles);
        }
        entered
    }

    /// Forgets.
    ///
    /// # Errors
    /// If the store fails. The conversation is then in doubt.
    pub(crate) fn forget(&self, conversation: &ConversationId, what: &ForgetScope) -> Result<(), StoreError> {
        let forgotten = self.store.forget(conversation, what, SystemTime::now());
        if forgotten.is_err() {
            self.failed_forgets.add(conversation, what);
        }
        forgotten.map(|_| ())
    }

    /// Repeats a forget that the store failed to record.
    fn retry_failed_forget(&self, conversation: &ConversationId) -> Result<(), StoreError> {
        let Some(doubt) = self.failed_forgets.of(conversation)? else { return Ok(()) };
        self.store.forget(conversation, &doubt.what, SystemTime::now())?;
        self.failed_forgets.resolve(conversation, &doubt);
        Ok(())
    }

    /// Records a delivery. `None` if the store refused it because something it relied on was forgotten.
    pub(crate) fn record(&self, record: &PendingRecord) -> Result<Option<Version>, StoreError> {
        let PendingRecord { conversation, delivery, .. } = record;
        if self.failed_forgets.contains(conversation) {
            return Ok(None);
        }
        let recorded = self.recorder.record(conversation.clone(), delivery.clone());
        match &recorded {
            Ok(Some(version)) => {
                self.snapshots.change(conversation, |snapshot| snapshot.advance(delivery, *version));
            }
            Ok(None) => {}
            // The agent was told that these items are gone.
            Err(_) => delivery.forget.iter().for_each(|what| self.failed_forgets.add(conversation, what)),
        }
        let recorded = recorded?;
        self.check_for_lost_data().map(|()| recorded)
    }

    /// Fails if pruning found the database corrupt and set it aside: then the record is lost too.
    fn check_for_lost_data(&self) -> Result<(), StoreError> {
        match self.store.take_warning() {
            Some(StoreWarning::SetAside { set_aside }) => {
                Err(StoreError::Corrupt { path: set_aside.clone(), set_aside: Some(set_aside) })
            }
            _ => Ok(()),
        }
    }

    /// Undoes the delivery recorded as version `at`.
    ///
    /// # Errors
    /// If the store fails. The conversation is then in doubt.
    pub(crate) fn take_back(&self, conversation: &ConversationId, at: Version, sent: Usage) -> Result<(), StoreError> {
        let taken = self.store.take_back(conversation, at, sent, SystemTime::now());
        if taken.is_err() {
            self.failed_forgets.add(conversation, &ForgetScope::AllButFiles);
        }
        taken
    }

    /// Conversations in doubt.
    pub(crate) fn failed_forgets(&self) -> usize {
        self.failed_forgets.count()
    }

    pub(crate) fn store(&self) -> &dyn ViewStore {
        &*self.store
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use pagewise_base::hash::ContentHash;
    use pagewise_store::MemoryStore;
    use pagewise_view::{HeldItem, Holding};

    fn id(number: u8) -> ConversationId {
        format!("c{number}").parse().unwrap()
    }

    /// A store of conversations with three rows each.
    fn store(conversations: u8) -> Arc<MemoryStore> {
        let store = Arc::new(MemoryStore::new());
        let holding =
            |file| Holding { content: ContentHash([1; 32]), file: FileKey([file; 32]), what: HeldItem::Followed };
        let delivery = pagewise_store::DeliveryRecord {
            holdings: (0..3).map(holding).collect(),
            ..pagewise_store::DeliveryRecord::default()
        };
        for number in 0..conversations {
            store.record(&id(number), &delivery, SystemTime::UNIX_EPOCH).unwrap();
        }
        store
    }

    fn kept(conversations: u8, max_snapshots: usize, max_rows: usize) -> Vec<u8> {
        let cache = ConversationCache::bounded(store(conversations), Retention::default(), max_snapshots, max_rows);
        for number in 0..conversations {
            assert_eq!(cache.open(&id(number)).unwrap().view.len(), 3);
        }
        (0..conversations).filter(|number| cache.snapshots.get(&id(*number)).is_some()).collect()
    }

    /// Locks in tests belong to the shuttle scheduler.
    fn alone(test: impl Fn() + Send + Sync + 'static) {
        shuttle::check_random(test, 1);
    }

    #[test]
    fn copies_are_kept_within_both_bounds() {
        alone(|| {
            assert_eq!(kept(3, 3, 9), [0, 1, 2]);
            assert_eq!(kept(3, 2, 9), [2]);
            assert_eq!(kept(3, 3, 8), [2]);
            assert_eq!(kept(1, 3, 3), [0]);
            assert!(kept(1, 3, 2).is_empty(), "one that is larger than all that may be kept");
        });
    }

    #[test]
    fn a_conversation_that_was_created_here_is_first_opened_as_one_that_holds_nothing() {
        alone(|| {
            let store = Arc::new(MemoryStore::new());
            let cache = ConversationCache::new(Arc::clone(&store) as _, Retention::default());
            let owner = Principal([5; 32]);
            let holding = Holding { content: ContentHash([2; 32]), file: FileKey([1; 32]), what: HeldItem::Binary };
            let record_planned_at = |conversation: ConversationId, planned| {
                let holdings = vec![holding];
                let delivery =
                    pagewise_store::DeliveryRecord { planned, holdings, ..pagewise_store::DeliveryRecord::default() };
                cache.record(&PendingRecord { conversation, delivery, texts: Vec::new() }).unwrap()
            };
            cache.create(&id(0), &owner).unwrap();
            let first = cache.open(&id(0)).unwrap();
            assert_eq!((first.head.owner, first.view.len()), (Some(owner), 0));
            let recorded = record_planned_at(id(0), first.head.version());
            let second = cache.open(&id(0)).unwrap();
            assert_eq!((second.head.owner, second.view.len()), (Some(owner), 1));
            assert_eq!(Some(second.head.version()), recorded);

            cache.create(&id(2), &owner).unwrap();
            let delivery =
                pagewise_store::DeliveryRecord { holdings: vec![holding], ..pagewise_store::DeliveryRecord::default() };
            store.record(&id(2), &delivery, SystemTime::UNIX_EPOCH).unwrap();
            cache.head(&id(2)).unwrap();
            assert_eq!(cache.open(&id(2)).unwrap().view.len(), 1, "another process recorded it");

            cache.create(&id(1), &owner).unwrap();
            let planned = cache.open(&id(1)).unwrap().head.version();
            cache.forget(&id(1), &ForgetScope::Everything).unwrap();
            assert_eq!(record_planned_at(id(1), planned), None, "something was forgotten meanwhile");
        });
    }

    #[test]
    fn a_copy_is_brought_forward_only_by_what_came_next() {
        alone(|| {
            let store = store(1);
            let cache = ConversationCache::new(Arc::clone(&store) as _, Retention::default());
            let planned = cache.open(&id(0)).unwrap().head.version();
            let holding =
                |file| Holding { content: ContentHash([2; 32]), file: FileKey([file; 32]), what: HeldItem::Binary };
            let record = |file: u8| PendingRecord {
                conversation: id(0),
                delivery: pagewise_store::DeliveryRecord {
                    planned,
                    holdings: vec![holding(file)],
                    ..pagewise_store::DeliveryRecord::default()
                },
                texts: Vec::new(),
            };
            let at_hand = || cache.snapshots.get(&id(0)).map(|snapshot| (snapshot.head.version(), snapshot.view.len()));
            let recorded = cache.record(&record(7)).unwrap().map(|version| (version, 4));
            assert_eq!(at_hand(), recorded);
            // Another process was faster.
            store.record(&id(0), &record(8).delivery, SystemTime::UNIX_EPOCH).unwrap();
            cache.record(&record(9)).unwrap();
            assert_eq!(at_hand(), recorded, "it is as it was");
            assert_eq!(cache.open(&id(0)).unwrap().view.len(), 6);
        });
    }
}

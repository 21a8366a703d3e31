//! What a process keeps of its conversations: copies of what the store says, each good for one version of it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::SystemTime;

use super::bounded_map::BoundedMap;
use super::delivery::PendingRecord;
use super::failed_forgets::FailedForgets;
use super::recorder::DeliveryRecorder;
use crate::context::request::Retention;
use crate::store::{
    self, ConversationHead, ConversationState, RowUpdate, StoreError, StoreWarning, Usage, Version, ViewStore,
};
use crate::view::{ConversationId, ConversationView, FileKey, ForgetScope};

/// Conversations whose rows are kept at hand. 1,024: over HTTP each call without a handle begins one.
const MAX_SNAPSHOTS: usize = 1_024;

/// Rows that are kept at hand, of all conversations. 200,000, at some 500 bytes each with what is derived from them.
const MAX_ROWS: usize = 200_000;

/// Copies of conversations, the way to their store, and what the store failed to forget.
pub(crate) struct ConversationCache {
    snapshots: BoundedMap<ConversationId, Snapshot>,
    max_rows: usize,
    doubts: FailedForgets,
    store: Arc<dyn ViewStore>,
    recorder: DeliveryRecorder,
}

/// A conversation as its store says it is. The default is one that the store does not know.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) head: ConversationHead,
    pub(crate) view: Arc<ConversationView>,
}

impl Snapshot {
    /// Takes away what files gave that are told to be gone: what the same answer tells of others must not build on it.
    pub(crate) fn forget_files(&mut self, files: &BTreeSet<FileKey>) {
        for file in files {
            let change = self.view.forget(&ForgetScope::File(*file));
            Arc::make_mut(&mut self.view).apply(&change);
        }
    }

    /// Brings it to `version`, where the delivery that was recorded as that is all that came since.
    fn advance(&mut self, delivery: &store::DeliveryRecord, version: Version) {
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
            doubts: FailedForgets::default(),
            recorder: DeliveryRecorder::new(Arc::clone(&store), retention),
            store,
        }
    }

    /// A conversation as its store says it is now.
    ///
    /// # Errors
    /// Where the store does not say, or failed to forget: nothing of the conversation may be relied on then.
    pub(crate) fn open(&self, conversation: &ConversationId) -> Result<Snapshot, StoreError> {
        self.retry_failed_forget(conversation)?;
        self.read(conversation)
    }

    /// The same for a client that says which generation it is in; the conversation enters a later one.
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
                self.doubts.add(conversation, &ForgetScope::AllButFiles);
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
                // Without the copy in the cache, this one is mostly the only one, and is not cloned.
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

    /// Lets all copies go where they and `rows` more are too many.
    fn evict_if_over(&self, rows: usize) {
        if self.snapshots.sum(|snapshot| snapshot.view.len()).saturating_add(rows) > self.max_rows {
            self.snapshots.clear();
        }
    }

    /// Takes note of a client's generation.
    ///
    /// # Errors
    /// Where the store fails to; the conversation is then in doubt.
    pub(crate) fn enter(&self, conversation: &ConversationId, generation: u64) -> Result<u64, StoreError> {
        let entered = self.store.enter(conversation, generation, SystemTime::now());
        if entered.is_err() {
            self.doubts.add(conversation, &ForgetScope::AllButFiles);
        }
        entered
    }

    /// Forgets.
    ///
    /// # Errors
    /// Where the store fails to; the conversation is then in doubt.
    pub(crate) fn forget(&self, conversation: &ConversationId, what: &ForgetScope) -> Result<(), StoreError> {
        let forgotten = self.store.forget(conversation, what, SystemTime::now());
        if forgotten.is_err() {
            self.doubts.add(conversation, what);
        }
        forgotten.map(|_| ())
    }

    /// Has the store forget what it failed to forget before.
    fn retry_failed_forget(&self, conversation: &ConversationId) -> Result<(), StoreError> {
        let Some(doubt) = self.doubts.of(conversation)? else { return Ok(()) };
        self.store.forget(conversation, &doubt.what, SystemTime::now())?;
        self.doubts.resolve(conversation, &doubt);
        Ok(())
    }

    /// Records what was delivered; `None` where it was refused, since it rests on something that was forgotten.
    pub(crate) fn record(&self, record: &PendingRecord) -> Result<Option<Version>, StoreError> {
        let PendingRecord { conversation, delivery, .. } = record;
        if self.doubts.contains(conversation) {
            return Ok(None);
        }
        let recorded = self.recorder.record(conversation.clone(), delivery.clone());
        match &recorded {
            Ok(Some(version)) => {
                self.snapshots.change(conversation, |snapshot| snapshot.advance(delivery, *version));
            }
            Ok(None) => {}
            // The agent was told that it is gone.
            Err(_) => delivery.forget.iter().for_each(|what| self.doubts.add(conversation, what)),
        }
        let recorded = recorded?;
        self.check_for_lost_data().map(|()| recorded)
    }

    /// What was recorded is lost where the database was set aside since, by a pruning.
    fn check_for_lost_data(&self) -> Result<(), StoreError> {
        match self.store.take_warning() {
            Some(StoreWarning::SetAside { set_aside }) => {
                Err(StoreError::Corrupt { path: set_aside.clone(), set_aside: Some(set_aside) })
            }
            _ => Ok(()),
        }
    }

    /// Takes back what was recorded as `at`.
    ///
    /// # Errors
    /// Where the store fails to; the conversation is then in doubt.
    pub(crate) fn take_back(&self, conversation: &ConversationId, at: Version, sent: Usage) -> Result<(), StoreError> {
        let taken = self.store.take_back(conversation, at, sent, SystemTime::now());
        if taken.is_err() {
            self.doubts.add(conversation, &ForgetScope::AllButFiles);
        }
        taken
    }

    /// Conversations in doubt.
    pub(crate) fn failed_forgets(&self) -> usize {
        self.doubts.count()
    }

    pub(crate) fn store(&self) -> &dyn ViewStore {
        &*self.store
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use crate::hash::ContentHash;
    use crate::store::MemoryStore;
    use crate::view::{HeldItem, Holding};

    fn id(number: u8) -> ConversationId {
        format!("c{number}").parse().unwrap()
    }

    /// A store of conversations with three rows each.
    fn store(conversations: u8) -> Arc<MemoryStore> {
        let store = Arc::new(MemoryStore::new());
        let holding =
            |file| Holding { content: ContentHash([1; 32]), file: FileKey([file; 32]), what: HeldItem::Followed };
        let delivery =
            store::DeliveryRecord { holdings: (0..3).map(holding).collect(), ..store::DeliveryRecord::default() };
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

    /// The locks of tests are a scheduler's.
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
    fn a_copy_is_brought_forward_only_by_what_came_next() {
        alone(|| {
            let store = store(1);
            let cache = ConversationCache::new(Arc::clone(&store) as _, Retention::default());
            let planned = cache.open(&id(0)).unwrap().head.version();
            let holding =
                |file| Holding { content: ContentHash([2; 32]), file: FileKey([file; 32]), what: HeldItem::Binary };
            let record = |file: u8| PendingRecord {
                conversation: id(0),
                delivery: store::DeliveryRecord {
                    planned,
                    holdings: vec![holding(file)],
                    ..store::DeliveryRecord::default()
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

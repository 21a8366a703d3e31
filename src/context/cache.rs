//! What a process keeps of its conversations: copies of what the store says, each good for one version of it.

use std::sync::Arc;
use std::time::SystemTime;

use super::bounded::Bounded;
use super::delivery::Record;
use super::doubts::Doubts;
use super::recorder::Recorder;
use super::request::Retention;
use crate::store::{self, Head, Reading, Rows, Sent, StoreError, StoreWarning, Version, ViewStore};
use crate::view::{ConversationId, ConversationView, Forget};

/// Conversations whose rows are kept at hand. 1,024: over HTTP each call without a handle begins one.
const MAX_SNAPSHOTS: usize = 1_024;

/// Rows that are kept at hand, of all conversations. 200,000, at some 500 bytes each with what is derived from them.
const MAX_ROWS: usize = 200_000;

/// Copies of conversations, the way to their store, and what the store failed to forget.
pub(super) struct ConversationCache {
    snapshots: Bounded<ConversationId, Snapshot>,
    doubts: Doubts,
    store: Arc<dyn ViewStore>,
    recorder: Recorder,
}

/// A conversation as its store says it is. The default is one that the store does not know.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    pub(super) head: Head,
    pub(super) view: Arc<ConversationView>,
}

impl Snapshot {
    /// Brings it to `version`, where the delivery that was recorded as that is all that came since.
    fn advance(&mut self, delivery: &store::Delivery, version: Version) {
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
    pub(super) fn new(store: Arc<dyn ViewStore>, retention: Retention) -> Self {
        Self {
            snapshots: Bounded::of(MAX_SNAPSHOTS),
            doubts: Doubts::default(),
            recorder: Recorder::new(Arc::clone(&store), retention),
            store,
        }
    }

    /// A conversation as its store says it is now.
    ///
    /// # Errors
    /// Where the store does not say, or failed to forget: nothing of the conversation may be relied on then.
    pub(super) fn open(&self, conversation: &ConversationId) -> Result<Snapshot, StoreError> {
        self.forget_again(conversation)?;
        self.read(conversation)
    }

    /// The same for a client that says which generation it is in; the conversation enters a later one.
    pub(super) fn open_in(
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
                self.doubts.add(conversation, &Forget::AllButFiles);
                Err(error)
            }
        }
    }

    fn read(&self, conversation: &ConversationId) -> Result<Snapshot, StoreError> {
        let cached = self.snapshots.get(conversation);
        let known = cached.as_ref().map(|snapshot| snapshot.head.version());
        let Some(Reading { head, rows }) = self.store.read(conversation, known)? else {
            self.snapshots.remove(conversation);
            return Ok(Snapshot::default());
        };
        let mut view = cached.map(|snapshot| snapshot.view).unwrap_or_default();
        match rows {
            Rows::Unchanged => {}
            Rows::Later(rows) => {
                // Without the copy in the cache, this one is mostly the only one, and is not cloned.
                self.snapshots.remove(conversation);
                Arc::make_mut(&mut view).extend(rows);
            }
            Rows::All(rows) => {
                view = Arc::new(rows.into_iter().collect());
                self.make_room(view.len());
            }
        }
        let snapshot = Snapshot { head, view };
        if snapshot.view.len() <= MAX_ROWS {
            self.snapshots.insert(conversation.clone(), snapshot.clone());
        }
        Ok(snapshot)
    }

    /// Lets all copies go where they and `rows` more are too many.
    fn make_room(&self, rows: usize) {
        if self.snapshots.sum(|snapshot| snapshot.view.len()).saturating_add(rows) > MAX_ROWS {
            self.snapshots.clear();
        }
    }

    /// Takes note of a client's generation.
    ///
    /// # Errors
    /// Where the store fails to; the conversation is then in doubt.
    pub(super) fn enter(&self, conversation: &ConversationId, generation: u64) -> Result<u64, StoreError> {
        let entered = self.store.enter(conversation, generation, SystemTime::now());
        if entered.is_err() {
            self.doubts.add(conversation, &Forget::AllButFiles);
        }
        entered
    }

    /// Forgets.
    ///
    /// # Errors
    /// Where the store fails to; the conversation is then in doubt.
    pub(super) fn forget(&self, conversation: &ConversationId, what: &Forget) -> Result<(), StoreError> {
        let forgotten = self.store.forget(conversation, what, SystemTime::now());
        if forgotten.is_err() {
            self.doubts.add(conversation, what);
        }
        forgotten.map(|_| ())
    }

    /// Has the store forget what it failed to forget before.
    fn forget_again(&self, conversation: &ConversationId) -> Result<(), StoreError> {
        let Some(doubt) = self.doubts.of(conversation)? else { return Ok(()) };
        self.store.forget(conversation, &doubt.what, SystemTime::now())?;
        self.doubts.settle(conversation, &doubt);
        Ok(())
    }

    /// Records what was delivered; `None` where it was refused, since it rests on something that was forgotten.
    pub(super) fn record(&self, record: &Record) -> Result<Option<Version>, StoreError> {
        let Record { conversation, delivery, .. } = record;
        if self.doubts.is_any(conversation) {
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
        self.lost().map(|()| recorded)
    }

    /// What was recorded is lost where the database was set aside since, by a pruning.
    fn lost(&self) -> Result<(), StoreError> {
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
    pub(super) fn take_back(&self, conversation: &ConversationId, at: Version, sent: Sent) -> Result<(), StoreError> {
        let taken = self.store.take_back(conversation, at, sent, SystemTime::now());
        if taken.is_err() {
            self.doubts.add(conversation, &Forget::AllButFiles);
        }
        taken
    }

    /// Conversations in doubt.
    pub(super) fn doubts(&self) -> usize {
        self.doubts.count()
    }

    pub(super) fn store(&self) -> &dyn ViewStore {
        &*self.store
    }
}

//! Cached copies of conversations. The store decides whether a copy is current.

use std::sync::Arc;
use std::time::SystemTime;

use super::failed_forgets::FailedForgets;
use super::writer::{ConversationWriter, WriteOutcome};
use crate::context::request::Retention;
use pagewise_base::share::SharedCache;
use pagewise_store::{ConversationCopies, StoreError, StoreWarning, ViewStore};
use pagewise_view::{
    Conversation, ConversationChange, ConversationId, DeliveryRecord, ForgetScope, Principal, Sequence, Usage, Version,
};

/// The weight of all copies: holdings, of some 500 bytes each with their index, and what weighs as much.
const MAX_WEIGHT: u64 = 200_000;

/// The weight of a copy that holds nothing. Over HTTP each call without a handle starts one.
const EMPTY_WEIGHT: usize = 20;

/// Cached conversations, their store, and the forgets that the store failed to record.
pub(crate) struct ConversationCache {
    copies: Copies,
    failed_forgets: FailedForgets,
    store: Arc<dyn ViewStore>,
    writer: ConversationWriter,
}

/// A conversation as the store had it when it was opened. The default is one that the store does not know.
pub(crate) type Snapshot = Arc<Conversation>;

/// Copies of conversations, shared by their owners.
struct Copies(SharedCache<ConversationId, Snapshot>);

impl ConversationCopies for Copies {
    fn take(&self, id: &ConversationId) -> Option<Snapshot> {
        self.0.remove(id)
    }

    fn keep(&self, id: &ConversationId, conversation: Snapshot) {
        if !conversation.is_known() {
            self.0.remove(id);
            return;
        }
        let owner = conversation.head.owner.map(|owner| owner.0);
        let weight = u64::try_from(weight(&conversation)).unwrap_or(u64::MAX);
        self.0.insert(id.clone(), conversation, weight, owner);
    }
}

fn weight(conversation: &Conversation) -> usize {
    let names: usize = conversation.names.values().map(|name| name.len() / 500).sum();
    let held = conversation.view.len().saturating_add(names);
    held.saturating_add(conversation.history.steps.len() / 8).saturating_add(EMPTY_WEIGHT)
}

impl ConversationCache {
    pub(crate) fn new(store: Arc<dyn ViewStore>, retention: Retention) -> Self {
        Self::bounded(store, retention, MAX_WEIGHT)
    }

    fn bounded(store: Arc<dyn ViewStore>, retention: Retention, max_weight: u64) -> Self {
        Self {
            copies: Copies(SharedCache::new(max_weight)),
            failed_forgets: FailedForgets::default(),
            writer: ConversationWriter::new(Arc::clone(&store), retention),
            store,
        }
    }

    fn change(&self, conversation: &ConversationId, change: ConversationChange) -> WriteOutcome {
        self.writer.change(&self.copies, conversation, change)
    }

    /// Creates a conversation for its owner, unless it exists.
    ///
    /// # Errors
    /// If the store fails.
    pub(crate) fn create(&self, conversation: &ConversationId, owner: &Principal) -> Result<(), StoreError> {
        self.change(conversation, ConversationChange::Begin(Some(*owner))).map(|_| ())
    }

    /// The conversation as the store has it now.
    ///
    /// # Errors
    /// If the store cannot be read, or still has to forget something: nothing held may then be left out of an answer.
    pub(crate) fn open(&self, conversation: &ConversationId) -> Result<Snapshot, StoreError> {
        self.retry_failed_forget(conversation)?;
        self.read(conversation)
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
            Err(_) => self.copies.0.get(conversation).map_or(0, |snapshot| snapshot.head.generation),
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

    /// The conversation as it is stored. What was told to be forgotten while the store failed is still in it.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(crate) fn read(&self, conversation: &ConversationId) -> Result<Snapshot, StoreError> {
        let copy = self.copies.0.get(conversation);
        let current = self.store.load(conversation, copy.clone())?;
        if copy.is_none_or(|copy| !Arc::ptr_eq(&copy, &current)) {
            self.copies.keep(conversation, Arc::clone(&current));
        }
        Ok(current)
    }

    /// Records the client's generation.
    ///
    /// # Errors
    /// If the store fails. The conversation is then in doubt.
    pub(crate) fn enter(&self, conversation: &ConversationId, generation: u64) -> Result<(), StoreError> {
        let entered = self.change(conversation, ConversationChange::Enter(generation));
        self.doubt_unless(conversation, &ForgetScope::AllButFiles, entered).map(|_| ())
    }

    /// Forgets.
    ///
    /// # Errors
    /// If the store fails. The conversation is then in doubt.
    pub(crate) fn forget(&self, conversation: &ConversationId, what: &ForgetScope) -> Result<(), StoreError> {
        let forgotten = self.change(conversation, ConversationChange::Forget(what.clone()));
        self.doubt_unless(conversation, what, forgotten).map(|_| ())
    }

    /// What was to be forgotten is in doubt if the store failed.
    fn doubt_unless(&self, conversation: &ConversationId, what: &ForgetScope, written: WriteOutcome) -> WriteOutcome {
        if written.is_err() {
            self.failed_forgets.add(conversation, what);
        }
        written
    }

    /// Repeats a forget that the store failed to record.
    fn retry_failed_forget(&self, conversation: &ConversationId) -> Result<(), StoreError> {
        let Some(doubt) = self.failed_forgets.of(conversation)? else { return Ok(()) };
        self.change(conversation, ConversationChange::Forget(doubt.what.clone()))?;
        self.failed_forgets.resolve(conversation, &doubt);
        Ok(())
    }

    /// Records a delivery. `None` if it was refused because something it relied on was forgotten.
    pub(crate) fn record(&self, conversation: &ConversationId, delivery: DeliveryRecord) -> WriteOutcome {
        if self.failed_forgets.contains(conversation) {
            return Ok(None);
        }
        let forget = delivery.forget.clone();
        let recorded = self.change(conversation, ConversationChange::Record(delivery));
        if recorded.is_err() {
            // The agent was told that these items are gone.
            forget.iter().for_each(|what| self.failed_forgets.add(conversation, what));
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
        let taken = self.change(conversation, ConversationChange::TakeBack(at, sent));
        self.doubt_unless(conversation, &ForgetScope::AllButFiles, taken).map(|_| ())
    }

    /// Creates `to` as a copy of a conversation. Returns false if there is none.
    ///
    /// # Errors
    /// If the store fails, or still has to forget something.
    pub(crate) fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
    ) -> Result<bool, StoreError> {
        self.retry_failed_forget(from)?;
        pagewise_store::fork(&*self.store, from, to, as_of, SystemTime::now())
    }

    /// Who owns a conversation that was just used.
    pub(crate) fn owner(&self, conversation: &ConversationId) -> Option<Principal> {
        self.copies.0.get(conversation).and_then(|copy| copy.head.owner)
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
    use std::time::Duration;

    use pagewise_base::hash::ContentHash;
    use pagewise_store::MemoryStore;
    use pagewise_view::{FileKey, HeldItem, Holding};

    fn id(number: u8) -> ConversationId {
        format!("c{number}").parse().unwrap()
    }

    fn holding(file: u8) -> Holding {
        Holding { content: ContentHash([1; 32]), file: FileKey([file; 32]), what: HeldItem::Followed }
    }

    fn delivery(planned: Version, files: std::ops::Range<u8>) -> DeliveryRecord {
        DeliveryRecord { planned, holdings: files.map(holding).collect(), ..DeliveryRecord::default() }
    }

    fn record(store: &MemoryStore, conversation: &ConversationId, files: std::ops::Range<u8>) {
        let change = ConversationChange::Record(delivery(Version::default(), files));
        pagewise_store::change(store, &(), conversation, change, SystemTime::UNIX_EPOCH).unwrap();
    }

    fn kept(conversations: u8, max_weight: u64) -> Vec<u8> {
        let store = MemoryStore::new();
        (0..conversations).for_each(|number| record(&store, &id(number), 0..3));
        let cache = ConversationCache::bounded(Arc::new(store), Retention::default(), max_weight);
        for number in 0..conversations {
            assert_eq!(cache.open(&id(number)).unwrap().view.len(), 3);
        }
        (0..conversations).filter(|number| cache.copies.0.get(&id(*number)).is_some()).collect()
    }

    /// Locks in tests belong to the shuttle scheduler.
    fn alone(test: impl Fn() + Send + Sync + 'static) {
        shuttle::check_random(test, 1);
    }

    #[test]
    fn copies_are_kept_within_their_bound() {
        alone(|| {
            assert_eq!(kept(3, 69), [0, 1, 2]);
            assert_eq!(kept(3, 68), [1, 2]);
            assert_eq!(kept(1, 23), [0]);
            assert!(kept(1, 22).is_empty(), "one that is larger than all that may be kept");
        });
    }

    #[test]
    fn the_principal_that_holds_most_is_the_first_to_give_way() {
        alone(|| {
            let store = Arc::new(MemoryStore::new());
            let [one, other] = [1, 2].map(|principal| Principal([principal; 32]));
            // The one that was used least recently is of the principal that holds less.
            for (number, owner) in [(0, one), (1, other), (2, other)] {
                let at = SystemTime::now() - Duration::from_secs(60 - u64::from(number));
                let begin = ConversationChange::Begin(Some(owner));
                for change in [begin, ConversationChange::Record(delivery(Version::default(), 0..3))] {
                    pagewise_store::change(&*store, &(), &id(number), change, at).unwrap();
                }
            }
            let retention = Retention { max_holdings: 8, ..Retention::default() };
            let cache = ConversationCache::new(Arc::clone(&store) as _, retention);
            cache.create(&id(3), &other).unwrap();
            assert_eq!([0, 1, 2].map(|number| cache.open(&id(number)).unwrap().view.len()), [3, 0, 3]);
        });
    }

    #[test]
    fn a_conversation_that_was_created_here_is_its_owners_and_holds_what_others_recorded() {
        alone(|| {
            let store = Arc::new(MemoryStore::new());
            let cache = ConversationCache::new(Arc::clone(&store) as _, Retention::default());
            let owner = Principal([5; 32]);
            cache.create(&id(0), &owner).unwrap();
            let first = cache.open(&id(0)).unwrap();
            assert_eq!((first.head.owner, first.view.len()), (Some(owner), 0));
            let recorded = cache.record(&id(0), delivery(first.head.version(), 0..1)).unwrap();
            let second = cache.open(&id(0)).unwrap();
            assert_eq!((second.head.owner, second.view.len()), (Some(owner), 1));
            assert_eq!(Some(second.head.version()), recorded);
            record(&store, &id(0), 1..3);
            assert_eq!(cache.open(&id(0)).unwrap().view.len(), 3, "another process recorded it");
            cache.forget(&id(0), &ForgetScope::Everything).unwrap();
            let late = cache.record(&id(0), delivery(second.head.version(), 0..1)).unwrap();
            assert_eq!(late, None, "something was forgotten meanwhile");
        });
    }

    #[test]
    fn a_change_of_an_outdated_copy_is_made_on_the_current_value() {
        alone(|| {
            let store = Arc::new(MemoryStore::new());
            record(&store, &id(0), 0..3);
            let cache = ConversationCache::new(Arc::clone(&store) as _, Retention::default());
            let planned = cache.open(&id(0)).unwrap().head.version();
            cache.record(&id(0), delivery(planned, 7..8)).unwrap();
            let at_hand = || cache.copies.0.get(&id(0)).map(|copy| copy.view.len());
            assert_eq!(at_hand(), Some(4));
            // Another process was faster.
            record(&store, &id(0), 8..9);
            cache.record(&id(0), delivery(planned, 9..10)).unwrap();
            assert_eq!(at_hand(), Some(6));
            assert_eq!(cache.open(&id(0)).unwrap().view.len(), 6);
        });
    }
}

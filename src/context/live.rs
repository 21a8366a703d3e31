//! Conversations while the process lives, and the record of what was delivered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use dashmap::DashMap;

use super::recorder::Recorder;
use super::request::Retention;
use crate::hash::ContentHash;
use crate::store::{self, Head, Sent, StoreError, ViewStore};
use crate::view::{ConversationId, ConversationView, Forget, SentTexts, Sequence};

/// Bytes of sent texts kept for diffs. 16 MiB; beyond it a changed file is sent whole.
const MAX_SENT_TEXT_BYTES: usize = 16 << 20;

/// What one process knows of its conversations.
pub(super) struct Live {
    views: DashMap<ConversationId, LiveView>,
    /// How the file of a content was last asked for.
    references: DashMap<ContentHash, String>,
    /// How many pages the documents of contents have.
    page_counts: DashMap<ContentHash, u32>,
    texts: Mutex<SentTexts>,
    store: Arc<dyn ViewStore>,
    recorder: Recorder,
}

/// A conversation's view, and how much of the store's is in it.
#[derive(Default)]
struct LiveView {
    view: ConversationView,
    /// Everything that the store recorded up to here is in the view. Never a sequence that this process made up.
    seen: Sequence,
    /// The last sequence that the store gave to this process.
    recorded: Sequence,
    /// As the store last told it.
    head: Head,
    /// What was sent and the store failed to record.
    unstored: Sent,
    /// How often this process forgot something.
    forgets: u64,
    /// What this process forgot and the store failed to forget.
    unforgotten: Vec<Forget>,
}

/// A conversation as a request finds it.
#[derive(Debug, Clone, Default)]
pub(super) struct Opened {
    pub(super) view: ConversationView,
    /// What was sent so far, and the conversation's generation.
    pub(super) head: Head,
    pub(super) moment: Moment,
}

/// When a plan was made, so that it is not recorded where what it rests on was forgotten meanwhile.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moment {
    /// The last sequence of the store that was known.
    pub(super) planned: Sequence,
    forgets: u64,
}

/// What becomes true once an answer was delivered.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) conversation: ConversationId,
    pub(super) delivery: store::Delivery,
    pub(super) moment: Moment,
    pub(super) texts: Vec<(ContentHash, Arc<str>)>,
}

/// The mark that an answer was delivered, not yet made. Dropping it records nothing.
#[must_use = "an answer that was written but not committed is sent again"]
pub struct Delivery {
    live: Arc<Live>,
    record: Option<Record>,
}

impl Delivery {
    pub(super) fn new(live: &Arc<Live>, record: Option<Record>) -> Self {
        Self { live: Arc::clone(live), record }
    }

    /// Records the answer as delivered. To be called after it was written to the client, and only then. Returns once
    /// the record is durable against the end of this process.
    ///
    /// # Errors
    /// Where the store fails; this process remembers all the same.
    pub fn commit(self) -> Result<(), StoreError> {
        self.record.map_or(Ok(()), |record| self.live.record(record))
    }
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivery").field("record", &self.record).finish_non_exhaustive()
    }
}

impl Live {
    pub(super) fn new(store: Arc<dyn ViewStore>, retention: Retention) -> Self {
        Self {
            views: DashMap::new(),
            references: DashMap::new(),
            page_counts: DashMap::new(),
            texts: Mutex::new(SentTexts::new(MAX_SENT_TEXT_BYTES)),
            recorder: Recorder::new(Arc::clone(&store), retention),
            store,
        }
    }

    /// The conversation as this process knows it, with what the store has learnt since, or why that is not known.
    pub(super) fn open(&self, conversation: &ConversationId) -> (Opened, Result<(), StoreError>) {
        // Not locked while the store works: the same news twice do no harm.
        let before = self.views.get(conversation).map(|live| (live.seen, live.recorded)).unwrap_or_default();
        let refreshed = self.forget_again(conversation).and_then(|()| self.refresh(conversation, before));
        let live = self.views.entry(conversation.clone()).or_default();
        (live.opened(), refreshed)
    }

    /// Brings the view up to what the store knows. What was seen and recorded so far was read before the store is asked.
    fn refresh(&self, conversation: &ConversationId, before: (Sequence, Sequence)) -> Result<(), StoreError> {
        let (seen, recorded) = before;
        let head = self.store.head(conversation)?;
        let latest = head.map_or(Sequence::START, |head| head.latest);
        // A store that has gone back was lost, or dropped the conversation: what it said before may have been forgotten
        // by others in a way that it cannot tell any more.
        let (is_lost, since) = if latest < seen.max(recorded) { (true, Sequence::START) } else { (false, seen) };
        let news = if latest == since { None } else { Some(self.store.load_since(conversation, since)?) };
        let mut live = self.views.entry(conversation.clone()).or_default();
        if is_lost {
            *live = LiveView::default();
        }
        live.head = head.unwrap_or_default();
        live.seen = live.seen.max(latest);
        if let Some(news) = news {
            live.view.union(&news);
        }
        Ok(())
    }

    /// Takes note of a client's generation; whether it is the conversation's own, and no earlier one.
    pub(super) fn enter(&self, conversation: &ConversationId, generation: u64) -> Result<bool, StoreError> {
        let entered = self.store.enter(conversation, generation, SystemTime::now());
        let mut live = self.views.entry(conversation.clone()).or_default();
        match entered {
            Ok(current) => {
                live.head.generation = current;
                Ok(generation >= current)
            }
            Err(error) => {
                if generation > live.head.generation {
                    live.head.generation = generation;
                    live.forget_unstored(&Forget::AllButFiles);
                }
                Err(error)
            }
        }
    }

    fn record(&self, record: Record) -> Result<(), StoreError> {
        let Record { conversation, delivery, moment, texts } = record;
        for (content, pages) in &delivery.page_counts {
            self.page_counts.insert(*content, *pages);
        }
        for (content, text) in texts {
            self.texts().insert(content, text);
        }
        let recorded = self.recorder.record(conversation.clone(), delivery.clone());
        let mut live = self.views.entry(conversation).or_default();
        match recorded {
            Ok(Some(at)) => {
                live.recorded = live.recorded.max(at);
                live.deliver(&delivery, at);
            }
            Ok(None) => {}
            Err(_) if live.forgets != moment.forgets => {}
            Err(_) => {
                let at = live.unstored_at();
                live.deliver(&delivery, at);
                live.unstored.add(delivery.sent);
            }
        }
        recorded.map(|_| ())
    }

    pub(super) fn forget(&self, conversation: &ConversationId, what: &Forget) -> Result<(), StoreError> {
        let forgotten = self.store.forget(conversation, what, SystemTime::now());
        let mut live = self.views.entry(conversation.clone()).or_default();
        match forgotten {
            Ok(at) => {
                live.recorded = live.recorded.max(at);
                let at = at.max(live.view.latest());
                live.forget(what, at);
                Ok(())
            }
            // This process must forget all the same, and the store as soon as it can: the agent no longer sees the pages.
            Err(error) => {
                live.forget_unstored(what);
                Err(error)
            }
        }
    }

    /// Forgets in the store what it failed to forget before.
    fn forget_again(&self, conversation: &ConversationId) -> Result<(), StoreError> {
        loop {
            let next = self.views.get(conversation).and_then(|live| live.unforgotten.first().cloned());
            let Some(what) = next else { return Ok(()) };
            self.store.forget(conversation, &what, SystemTime::now())?;
            if let Some(mut live) = self.views.get_mut(conversation)
                && live.unforgotten.first() == Some(&what)
            {
                live.unforgotten.remove(0);
            }
        }
    }

    pub(super) fn remember_reference(&self, content: ContentHash, reference: &str) {
        self.references.insert(content, reference.to_owned());
    }

    pub(super) fn reference(&self, content: &ContentHash) -> Option<String> {
        self.references.get(content).map(|reference| reference.clone())
    }

    /// How many pages the document of a content has, where it was given before.
    pub(super) fn page_count(&self, content: &ContentHash) -> Option<u32> {
        let known = self.page_counts.get(content).map(|pages| *pages);
        known.or_else(|| self.store.page_counts(&[*content]).ok()?.remove(content))
    }

    /// Whether the store was already told how many pages the document of a content has.
    pub(super) fn knows_page_count(&self, content: &ContentHash) -> bool {
        self.page_counts.contains_key(content)
    }

    pub(super) fn texts(&self) -> MutexGuard<'_, SentTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> &dyn ViewStore {
        &*self.store
    }
}

impl LiveView {
    fn opened(&self) -> Opened {
        let mut head = self.head;
        head.sent.add(self.unstored);
        let moment = Moment { planned: self.seen, forgets: self.forgets };
        Opened { view: self.view.clone(), head, moment }
    }

    fn deliver(&mut self, delivery: &store::Delivery, at: Sequence) {
        for what in &delivery.forget {
            // Up to just before what this very delivery gives.
            self.view.forget(what, Sequence(at.0.saturating_sub(1)));
        }
        delivery.holdings.iter().for_each(|holding| self.view.insert(*holding, at));
    }

    fn forget(&mut self, what: &Forget, at: Sequence) {
        self.forgets = self.forgets.saturating_add(1);
        if what.begins_epoch() {
            self.unstored = Sent::default();
            self.head.sent = Sent::default();
        }
        self.view.forget(what, at);
    }

    fn forget_unstored(&mut self, what: &Forget) {
        let at = self.view.latest().next();
        self.forget(what, at);
        if !self.unforgotten.contains(what) {
            self.unforgotten.push(what.clone());
        }
    }

    /// A sequence for what the store failed to record: as low as can be, so that any later forgetting covers it.
    fn unstored_at(&self) -> Sequence {
        self.view.latest().max(self.view.epoch().next())
    }
}

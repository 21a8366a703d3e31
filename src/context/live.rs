//! Conversations while the process lives, and the record of what was delivered.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use dashmap::DashMap;
use dashmap::mapref::one::RefMut;

use super::bounded::Bounded;
use super::recorder::Recorder;
use super::request::Retention;
use super::sync::{Mutex, MutexGuard};
use crate::hash::ContentHash;
use crate::store::{self, Head, Sent, StoreError, StoreWarning, ViewStore};
use crate::view::{ConversationId, ConversationView, FileKey, Forget, SentTexts, Sequence};

/// Bytes of sent texts kept for diffs. 16 MiB; beyond it a changed file is sent whole.
const MAX_SENT_TEXT_BYTES: usize = 16 << 20;

/// Conversations known at once. 1,024: over HTTP each call without a handle begins one. Those that were not asked about
/// for longest go, and are loaded from the store when they come back.
const MAX_VIEWS: usize = 1_024;

/// What one process knows of its conversations.
pub(super) struct Live {
    views: DashMap<ConversationId, LiveView>,
    /// How the file of a content was last asked for.
    references: Bounded<ContentHash, String>,
    /// How many pages the documents of contents have.
    page_counts: Bounded<ContentHash, u32>,
    /// The paths of files that the store failed to write down, so that they are followed all the same.
    names: Bounded<FileKey, String>,
    texts: Mutex<SentTexts>,
    store: Arc<dyn ViewStore>,
    recorder: Recorder,
    /// Counts what happens here, so that moments have an order.
    ticks: AtomicU64,
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
    /// Whether the view has what the store gave no sequence for. A forgetting covers that by all there is.
    has_made_up: bool,
    /// When this process last forgot something of it, or began to know it.
    forgotten: u64,
    /// When it was last asked about.
    used: u64,
    /// What this process forgot and the store failed to forget.
    unforgotten: Vec<Forget>,
}

/// What of the store's conversation was known before it is asked again.
#[derive(Default)]
struct Known {
    /// [`Head::begun`]; `None` where the store knew of none.
    begun: Option<u64>,
    seen: Sequence,
    recorded: Sequence,
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
    forgotten: u64,
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
        self.record.map_or(Ok(()), |record| self.live.record(record).and_then(|()| self.live.lost()))
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
            references: Bounded::default(),
            page_counts: Bounded::default(),
            names: Bounded::default(),
            texts: Mutex::new(SentTexts::new(MAX_SENT_TEXT_BYTES)),
            recorder: Recorder::new(Arc::clone(&store), retention),
            store,
            ticks: AtomicU64::new(0),
        }
    }

    /// The conversation as this process knows it, with what the store has learnt since, or why that is not known.
    pub(super) fn open(&self, conversation: &ConversationId) -> (Opened, Result<(), StoreError>) {
        // Not locked while the store works: the same news twice do no harm.
        let before = self.views.get(conversation).map(|live| live.known()).unwrap_or_default();
        let refreshed = self.forget_again(conversation).and_then(|()| self.refresh(conversation, before));
        let used = self.tick();
        let opened = {
            let mut live = self.view(conversation);
            live.used = used;
            live.opened()
        };
        if self.views.len() > MAX_VIEWS {
            self.drop_unused_views();
        }
        (opened, refreshed)
    }

    fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::Relaxed)
    }

    /// The view of a conversation. One that was dropped, and comes back, is no younger than what it was asked for before.
    fn view(&self, conversation: &ConversationId) -> RefMut<'_, ConversationId, LiveView> {
        let known = || LiveView { forgotten: self.tick(), ..LiveView::default() };
        self.views.entry(conversation.clone()).or_insert_with(known)
    }

    /// Drops half of the views, but none that holds what the store does not know.
    fn drop_unused_views(&self) {
        let mut used: Vec<u64> = self.views.iter().map(|live| live.used).collect();
        let middle = used.len() / 2;
        let (_, median, _) = used.select_nth_unstable(middle);
        let median = *median;
        self.views.retain(|_, live| live.used > median || !live.is_stored());
    }

    /// Brings the view up to what the store knows. What was seen and recorded so far was read before the store is asked.
    fn refresh(&self, conversation: &ConversationId, before: Known) -> Result<(), StoreError> {
        let Known { begun, seen, recorded } = before;
        let head = self.store.head(conversation)?;
        let latest = head.map_or(Sequence::START, |head| head.latest);
        // A store that has gone back was lost, or dropped the conversation, and so was one in which it began anew: what it
        // said before may have been forgotten by others in a way that it cannot tell any more.
        let is_another = head.is_some_and(|head| begun.is_some_and(|begun| begun != head.begun));
        let is_lost = is_another || latest < seen.max(recorded);
        let since = if is_lost { Sequence::START } else { seen };
        let news = if latest == since { None } else { Some(self.store.load_since(conversation, since)?) };
        let mut live = self.view(conversation);
        if is_lost {
            // What is still to be forgotten there is; and nothing rests any more on what was planned before.
            let unforgotten = std::mem::take(&mut live.unforgotten);
            *live = LiveView { forgotten: self.tick(), used: live.used, unforgotten, ..LiveView::default() };
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
        let now = self.tick();
        let mut live = self.view(conversation);
        match entered {
            Ok(current) => {
                if current > live.head.generation {
                    // The store has forgotten; where it cannot be asked next, what is known here must not stand for it.
                    let at = live.view.latest();
                    live.forget(&Forget::AllButFiles, at, now);
                }
                live.head.generation = current;
                Ok(generation >= current)
            }
            Err(error) => {
                if generation > live.head.generation {
                    live.head.generation = generation;
                    live.forget_unstored(&Forget::AllButFiles, now);
                }
                Err(error)
            }
        }
    }

    pub(super) fn record(&self, record: Record) -> Result<(), StoreError> {
        let Record { conversation, delivery, moment, texts } = record;
        for (content, pages) in &delivery.page_counts {
            self.page_counts.insert(*content, *pages);
        }
        for (content, text) in texts {
            self.texts().insert(content, text);
        }
        let recorded = self.recorder.record(conversation.clone(), delivery.clone());
        if recorded.is_err() {
            delivery.names.iter().for_each(|(file, path)| self.names.insert(*file, path.clone()));
        }
        let now = self.tick();
        let mut live = self.view(&conversation);
        // Where this process forgot something meanwhile, the store knows whether that was before or after; it is asked
        // next time. What it cannot tell then is sent again.
        let is_current = live.forgotten == moment.forgotten;
        match recorded {
            Ok(Some(at)) => {
                live.recorded = live.recorded.max(at);
                live.let_go(&delivery, at);
                if is_current {
                    live.hold(&delivery, at);
                }
            }
            Ok(None) => {}
            Err(_) if !delivery.forget.is_empty() => {
                // Told, so that it is gone in any case. A sequence for what was given with it, after that of the
                // forgetting, could outlast a forgetting of another process.
                delivery.forget.iter().for_each(|what| live.forget_unstored(what, now));
                live.unstored.add(delivery.sent);
            }
            Err(_) if !is_current => {}
            Err(_) => {
                let at = live.unstored_at();
                live.hold(&delivery, at);
                live.has_made_up = true;
                live.unstored.add(delivery.sent);
            }
        }
        recorded.map(|_| ())
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

    pub(super) fn forget(&self, conversation: &ConversationId, what: &Forget) -> Result<(), StoreError> {
        let forgotten = self.store.forget(conversation, what, SystemTime::now());
        let now = self.tick();
        let mut live = self.view(conversation);
        match forgotten {
            Ok(at) => {
                live.recorded = live.recorded.max(at);
                let at = if live.has_made_up { at.max(live.view.latest()) } else { at };
                live.forget(what, at, now);
                Ok(())
            }
            // This process must forget all the same, and the store as soon as it can: the agent no longer sees the pages.
            Err(error) => {
                live.forget_unstored(what, now);
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
        self.references.get(content)
    }

    /// The paths of files, as far as they are known, and why the store cannot say more.
    pub(super) fn file_names(&self, files: &[FileKey]) -> (BTreeMap<FileKey, String>, Result<(), StoreError>) {
        let here = files.iter().filter_map(|file| Some((*file, self.names.get(file)?)));
        let mut names: BTreeMap<FileKey, String> = here.collect();
        let stored = self.store.file_names(files).map(|stored| names.extend(stored));
        (names, stored)
    }

    /// How many pages the document of a content has, where it was given before.
    pub(super) fn page_count(&self, content: &ContentHash) -> Option<u32> {
        self.page_counts.get(content).or_else(|| self.store.page_counts(&[*content]).ok()?.remove(content))
    }

    /// Whether the store was already told how many pages the document of a content has.
    pub(super) fn knows_page_count(&self, content: &ContentHash) -> bool {
        self.page_counts.get(content).is_some()
    }

    pub(super) fn texts(&self) -> MutexGuard<'_, SentTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> &dyn ViewStore {
        &*self.store
    }
}

impl LiveView {
    fn known(&self) -> Known {
        let begun = (self.head.begun > 0).then_some(self.head.begun);
        Known { begun, seen: self.seen, recorded: self.recorded }
    }

    fn opened(&self) -> Opened {
        let mut head = self.head;
        head.sent.add(self.unstored);
        let moment = Moment { planned: self.seen, forgotten: self.forgotten };
        Opened { view: self.view.clone(), head, moment }
    }

    /// Forgets what a delivery told is gone, up to just before what it gives.
    fn let_go(&mut self, delivery: &store::Delivery, at: Sequence) {
        for what in &delivery.forget {
            self.view.forget(what, Sequence(at.0.saturating_sub(1)));
        }
    }

    fn hold(&mut self, delivery: &store::Delivery, at: Sequence) {
        delivery.holdings.iter().for_each(|holding| self.view.insert(*holding, at));
    }

    /// Whether it can be dropped: the store has it, but for what would be sent once more.
    fn is_stored(&self) -> bool {
        self.unforgotten.is_empty() && self.unstored == Sent::default()
    }

    fn forget(&mut self, what: &Forget, at: Sequence, now: u64) {
        self.forgotten = now;
        if what.begins_epoch() {
            self.unstored = Sent::default();
            self.head.sent = Sent::default();
        }
        self.view.forget(what, at);
    }

    fn forget_unstored(&mut self, what: &Forget, now: u64) {
        let at = self.view.latest().next();
        self.has_made_up = true;
        self.forget(what, at, now);
        if !self.unforgotten.contains(what) {
            self.unforgotten.push(what.clone());
        }
    }

    /// A sequence for what the store failed to record: as low as can be, so that any later forgetting covers it.
    fn unstored_at(&self) -> Sequence {
        self.view.latest().max(self.view.epoch().next())
    }
}

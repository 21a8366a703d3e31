//! Conversations while the process lives, and the record of what was delivered.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use dashmap::DashMap;

use super::answer::Block;
use crate::hash::ContentHash;
use crate::store::{self, Sent, StoreError, ViewStore};
use crate::text::estimated_tokens;
use crate::view::{ConversationId, ConversationView, FileKey, Forget, Holding, SentTexts, Sequence};

/// Bytes of sent texts kept for diffs. 16 MiB; beyond it a changed file is sent whole.
const MAX_SENT_TEXT_BYTES: usize = 16 << 20;

/// Tokens that a PDF page is counted with: its picture and a page of text, as a provider charges both.
const TOKENS_OF_A_PAGE: u64 = 2_000;

/// Tokens that a picture is counted with.
const TOKENS_OF_AN_IMAGE: u64 = 1_500;

/// What one process knows of its conversations.
pub(super) struct Live {
    views: DashMap<ConversationId, LiveView>,
    /// How the file of a content was last asked for.
    references: DashMap<ContentHash, String>,
    texts: Mutex<SentTexts>,
    store: Arc<dyn ViewStore>,
}

/// A conversation's view, and how much of the store's is in it.
#[derive(Default)]
struct LiveView {
    view: ConversationView,
    /// Everything that the store recorded up to here is in the view. Never a sequence that this process made up.
    seen: Sequence,
}

/// What becomes true once an answer was delivered.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) conversation: ConversationId,
    pub(super) holdings: Vec<Holding>,
    pub(super) text: Option<(ContentHash, Arc<str>)>,
    pub(super) name: (FileKey, String),
    pub(super) sent: Sent,
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

    /// Records the answer as delivered. To be called after it was written to the client, and only then.
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

/// How much an answer is.
pub(super) fn sent(blocks: &[Block]) -> Sent {
    blocks.iter().map(sent_block).fold(Sent::default(), |sum, block| Sent {
        blocks: sum.blocks.saturating_add(block.blocks),
        bytes: sum.bytes.saturating_add(block.bytes),
        tokens: sum.tokens.saturating_add(block.tokens),
    })
}

fn sent_block(block: &Block) -> Sent {
    let (blocks, bytes, tokens) = match block {
        Block::Text(text) => (0, text.len(), estimated_tokens(text)),
        Block::Document(page) => (1, page.bytes.len(), TOKENS_OF_A_PAGE),
        Block::Image(image) => (1, image.bytes.len(), TOKENS_OF_AN_IMAGE),
    };
    Sent { blocks, bytes: u64::try_from(bytes).unwrap_or(u64::MAX), tokens }
}

impl Live {
    pub(super) fn new(store: Arc<dyn ViewStore>) -> Self {
        let texts = Mutex::new(SentTexts::new(MAX_SENT_TEXT_BYTES));
        Self { views: DashMap::new(), references: DashMap::new(), texts, store }
    }

    /// The conversation as this process knows it, with what the store has learnt since, or why that is not known.
    pub(super) fn view(&self, conversation: &ConversationId) -> (ConversationView, Result<(), StoreError>) {
        // Not locked while the store works: the same news twice do no harm.
        let seen = self.views.get(conversation).map_or(Sequence::START, |live| live.seen);
        let news = self.store.load_since(conversation, seen);
        let mut live = self.views.entry(conversation.clone()).or_default();
        let refreshed = news.map(|news| {
            live.seen = live.seen.max(news.latest());
            live.view.union(&news);
        });
        (live.view.clone(), refreshed)
    }

    fn record(&self, record: Record) -> Result<(), StoreError> {
        let Record { conversation, holdings, text, name, sent } = record;
        if let Some((content, text)) = text {
            self.texts().insert(content, text);
        }
        let delivery = store::Delivery { holdings, names: BTreeMap::from([name]), sent };
        let stored = self.store.record(&conversation, &delivery, SystemTime::now());
        let mut live = self.views.entry(conversation).or_default();
        let at = stored.as_ref().copied().unwrap_or_else(|_| live.unstored());
        delivery.holdings.iter().for_each(|holding| live.view.insert(*holding, at));
        stored.map(|_| ())
    }

    pub(super) fn forget(&self, conversation: &ConversationId, what: &Forget) -> Result<(), StoreError> {
        let forgotten = self.store.forget(conversation, what, SystemTime::now());
        let mut live = self.views.entry(conversation.clone()).or_default();
        // Where the store fails this process must forget all the same: the agent no longer sees the pages.
        let at = forgotten.as_ref().copied().unwrap_or_else(|_| live.view.latest().next());
        live.view.forget(what, at);
        forgotten.map(|_| ())
    }

    pub(super) fn remember_reference(&self, content: ContentHash, reference: &str) {
        self.references.insert(content, reference.to_owned());
    }

    pub(super) fn reference(&self, content: &ContentHash) -> Option<String> {
        self.references.get(content).map(|reference| reference.clone())
    }

    pub(super) fn texts(&self) -> MutexGuard<'_, SentTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn store(&self) -> &dyn ViewStore {
        &*self.store
    }
}

impl LiveView {
    /// A sequence for what the store failed to record: as low as can be, so that any later forgetting covers it.
    fn unstored(&self) -> Sequence {
        self.view.latest().max(self.view.epoch().next())
    }
}

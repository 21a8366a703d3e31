//! The record of what was delivered, before and after it is made.

use std::sync::Arc;

use super::cache::ConversationCache;
use super::contents::ContentRegistry;
use crate::hash::ContentHash;
use crate::store::{self, StoreError, Usage, Version};
use crate::view::ConversationId;

/// What becomes true once an answer was delivered.
#[derive(Debug)]
pub(crate) struct PendingRecord {
    pub(crate) conversation: ConversationId,
    pub(crate) delivery: store::DeliveryRecord,
    /// Texts to be kept for later diffs.
    pub(crate) texts: Vec<(ContentHash, Arc<str>)>,
}

/// The mark that an answer was delivered, not yet made. Dropping it records nothing.
#[must_use = "an answer that was written but not committed is sent again"]
pub struct Delivery {
    cache: Arc<ConversationCache>,
    facts: Arc<ContentRegistry>,
    record: Option<PendingRecord>,
}

impl Delivery {
    pub(crate) fn new(
        cache: &Arc<ConversationCache>,
        facts: &Arc<ContentRegistry>,
        record: Option<PendingRecord>,
    ) -> Self {
        Self { cache: Arc::clone(cache), facts: Arc::clone(facts), record }
    }

    /// Records the answer as delivered. To be called after it was written to the client, and only then. Returns once
    /// the record is durable against the end of this process.
    ///
    /// # Errors
    /// Where the store fails: what was delivered is sent again.
    pub fn commit(self) -> Result<Receipt, StoreError> {
        let Self { cache, facts, record } = self;
        let Some(record) = record else { return Ok(Receipt { cache, recorded: None }) };
        let version = cache.record(&record)?;
        let PendingRecord { conversation, delivery, texts } = record;
        facts.remember_delivery(&delivery.page_counts, texts);
        let recorded = version.map(|version| (conversation, version, delivery.sent));
        Ok(Receipt { cache, recorded })
    }
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivery").field("record", &self.record).finish_non_exhaustive()
    }
}

/// A delivery that was recorded, while it may still be taken back.
pub struct Receipt {
    cache: Arc<ConversationCache>,
    /// `None` where nothing was to be recorded, or was refused.
    recorded: Option<(ConversationId, Version, Usage)>,
}

impl Receipt {
    /// Removes the record again: for a call that was cancelled after its answer was written, which the client ignores.
    ///
    /// # Errors
    /// Where the store fails to; nothing of the conversation is left out of an answer then until it has forgotten.
    pub fn take_back(self) -> Result<(), StoreError> {
        let Some((conversation, version, sent)) = self.recorded else { return Ok(()) };
        self.cache.take_back(&conversation, version, sent)
    }
}

impl std::fmt::Debug for Receipt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Receipt").field("recorded", &self.recorded).finish_non_exhaustive()
    }
}

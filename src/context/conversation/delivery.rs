//! The delivery of an answer: pending, recorded, taken back.

use std::sync::Arc;

use super::cache::ConversationCache;
use super::contents::ContentRegistry;
use pagewise_base::hash::ContentHash;
use pagewise_store::StoreError;
use pagewise_view::{ConversationId, DeliveryRecord, Usage, Version};

/// What to record once the answer has been delivered.
#[derive(Debug)]
pub(crate) struct PendingRecord {
    pub(crate) conversation: ConversationId,
    pub(crate) delivery: DeliveryRecord,
    /// Texts to keep for later diffs and quotations.
    pub(crate) texts: Vec<(ContentHash, Arc<str>)>,
}

/// A delivery that is not recorded yet. Dropping it records nothing.
#[must_use = "an answer that was written but not committed is sent again"]
pub struct Delivery {
    cache: Arc<ConversationCache>,
    contents: Arc<ContentRegistry>,
    record: Option<PendingRecord>,
}

impl Delivery {
    pub(crate) fn new(
        cache: &Arc<ConversationCache>,
        contents: &Arc<ContentRegistry>,
        record: Option<PendingRecord>,
    ) -> Self {
        Self { cache: Arc::clone(cache), contents: Arc::clone(contents), record }
    }

    /// Records the answer as delivered. Call it only after the answer was written to the client. Returns once the
    /// record survives the end of this process.
    ///
    /// # Errors
    /// If the store fails. The content will then be sent again.
    pub fn commit(self) -> Result<Receipt, StoreError> {
        let Self { cache, contents, record } = self;
        let Some(record) = record else { return Ok(Receipt { cache, recorded: None }) };
        let PendingRecord { conversation, delivery, texts } = record;
        let sent = delivery.sent;
        let version = cache.record(&conversation, delivery)?;
        let owner = cache.owner(&conversation);
        texts.into_iter().for_each(|(content, text)| contents.remember_text(content, owner, text));
        let recorded = version.map(|version| (conversation, version, sent));
        Ok(Receipt { cache, recorded })
    }
}

impl std::fmt::Debug for Delivery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Delivery").field("record", &self.record).finish_non_exhaustive()
    }
}

/// A recorded delivery that can still be taken back.
pub struct Receipt {
    cache: Arc<ConversationCache>,
    /// `None` if nothing was to be recorded, or the store refused it.
    recorded: Option<(ConversationId, Version, Usage)>,
}

impl Receipt {
    /// Removes the record: for a call cancelled after its answer was written, since the client ignores that answer.
    ///
    /// # Errors
    /// If the store fails. Until it recovers, nothing held is left out of this conversation's answers.
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

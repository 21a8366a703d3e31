//! Conversations of which something was to be forgotten that the store failed to forget.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use super::sync::{Mutex, MutexGuard};
use crate::store::StoreError;
use crate::view::{ConversationId, Forget};

/// Conversations that may be in doubt. 1,024; beyond it nothing of any conversation is relied on any more.
const MAX_DOUBTS: usize = 1_024;

/// What is held of a conversation in doubt may be forgotten in truth: nothing of it is left out of an answer until the
/// store has forgotten what it failed to.
#[derive(Default)]
pub(super) struct Doubts {
    known: Mutex<DoubtState>,
}

#[derive(Default)]
struct DoubtState {
    doubts: BTreeMap<ConversationId, Doubt>,
    is_full: bool,
}

/// What a store failed to forget of one conversation.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Doubt {
    /// All of it, where it failed to forget different things.
    pub(super) what: Forget,
    failures: u64,
}

impl Doubts {
    pub(super) fn add(&self, conversation: &ConversationId, what: &Forget) {
        let mut known = self.known();
        if let Some(doubt) = known.doubts.get_mut(conversation) {
            doubt.failures = doubt.failures.saturating_add(1);
            if doubt.what != *what {
                doubt.what = Forget::AllButFiles;
            }
        } else if known.doubts.len() >= MAX_DOUBTS {
            known.is_full = true;
        } else {
            known.doubts.insert(conversation.clone(), Doubt { what: what.clone(), failures: 1 });
        }
    }

    /// What is still to be forgotten of a conversation.
    ///
    /// # Errors
    /// [`StoreError::TooManyDoubts`] where that is not known.
    pub(super) fn of(&self, conversation: &ConversationId) -> Result<Option<Doubt>, StoreError> {
        let known = self.known();
        if known.is_full {
            return Err(StoreError::TooManyDoubts { limit: MAX_DOUBTS });
        }
        Ok(known.doubts.get(conversation).cloned())
    }

    pub(super) fn is_any(&self, conversation: &ConversationId) -> bool {
        let known = self.known();
        known.is_full || known.doubts.contains_key(conversation)
    }

    pub(super) fn count(&self) -> usize {
        self.known().doubts.len()
    }

    /// Ends a doubt, unless the store failed once more since.
    pub(super) fn settle(&self, conversation: &ConversationId, doubt: &Doubt) {
        let mut known = self.known();
        if known.doubts.get(conversation) == Some(doubt) {
            known.doubts.remove(conversation);
        }
    }

    fn known(&self) -> MutexGuard<'_, DoubtState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

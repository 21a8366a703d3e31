//! Conversations of which something was to be forgotten that the store failed to forget.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use super::sync::{Mutex, MutexGuard};
use crate::store::StoreError;
use crate::view::{ConversationId, ForgetScope};

/// Conversations that may be in doubt. 1,024; beyond it nothing of any conversation is relied on any more.
const MAX_DOUBTS: usize = 1_024;

/// What is held of a conversation in doubt may be forgotten in truth: nothing of it is left out of an answer until the
/// store has forgotten what it failed to.
#[derive(Default)]
pub(crate) struct FailedForgets {
    known: Mutex<FailedForgetState>,
}

#[derive(Default)]
struct FailedForgetState {
    doubts: BTreeMap<ConversationId, FailedForget>,
    is_full: bool,
}

/// What a store failed to forget of one conversation.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FailedForget {
    /// All of it, where it failed to forget different things.
    pub(crate) what: ForgetScope,
    failures: u64,
}

impl FailedForgets {
    pub(crate) fn add(&self, conversation: &ConversationId, what: &ForgetScope) {
        let mut known = self.lock();
        if let Some(doubt) = known.doubts.get_mut(conversation) {
            doubt.failures = doubt.failures.saturating_add(1);
            if doubt.what != *what {
                doubt.what = ForgetScope::AllButFiles;
            }
        } else if known.doubts.len() >= MAX_DOUBTS {
            known.is_full = true;
        } else {
            known.doubts.insert(conversation.clone(), FailedForget { what: what.clone(), failures: 1 });
        }
    }

    /// What is still to be forgotten of a conversation.
    ///
    /// # Errors
    /// [`StoreError::TooManyFailedForgets`] where that is not known.
    pub(crate) fn of(&self, conversation: &ConversationId) -> Result<Option<FailedForget>, StoreError> {
        let known = self.lock();
        if known.is_full {
            return Err(StoreError::TooManyFailedForgets { limit: MAX_DOUBTS });
        }
        Ok(known.doubts.get(conversation).cloned())
    }

    pub(crate) fn contains(&self, conversation: &ConversationId) -> bool {
        let known = self.lock();
        known.is_full || known.doubts.contains_key(conversation)
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().doubts.len()
    }

    /// Ends a doubt, unless the store failed once more since.
    pub(crate) fn resolve(&self, conversation: &ConversationId, doubt: &FailedForget) {
        let mut known = self.lock();
        if known.doubts.get(conversation) == Some(doubt) {
            known.doubts.remove(conversation);
        }
    }

    fn lock(&self) -> MutexGuard<'_, FailedForgetState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Forgets that the store failed to record.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use super::sync::{Mutex, MutexGuard};
use pagewise_store::StoreError;
use pagewise_view::{ConversationId, ForgetScope};

/// Conversations tracked. Beyond this bound no conversation is trusted until the process restarts.
const MAX_CONVERSATIONS: usize = 1_024;

/// Conversations in doubt: what they hold may already be forgotten. Nothing held is left out of their answers until the
/// store has recorded the forget.
#[derive(Default)]
pub(crate) struct FailedForgets {
    state: Mutex<FailedForgetState>,
}

#[derive(Default)]
struct FailedForgetState {
    by_conversation: BTreeMap<ConversationId, FailedForget>,
    is_full: bool,
}

/// A forget that the store failed to record.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FailedForget {
    /// What to forget; everything if different forgets failed.
    pub(crate) what: ForgetScope,
    failures: u64,
}

impl FailedForgets {
    pub(crate) fn add(&self, conversation: &ConversationId, what: &ForgetScope) {
        let mut state = self.lock();
        if let Some(failed) = state.by_conversation.get_mut(conversation) {
            failed.failures = failed.failures.saturating_add(1);
            if failed.what != *what {
                failed.what = ForgetScope::AllButFiles;
            }
        } else if state.by_conversation.len() >= MAX_CONVERSATIONS {
            state.is_full = true;
        } else {
            state.by_conversation.insert(conversation.clone(), FailedForget { what: what.clone(), failures: 1 });
        }
    }

    /// The forget that is still outstanding for a conversation.
    ///
    /// # Errors
    /// [`StoreError::TooManyFailedForgets`] if that is not known any more.
    pub(crate) fn of(&self, conversation: &ConversationId) -> Result<Option<FailedForget>, StoreError> {
        let state = self.lock();
        if state.is_full {
            return Err(StoreError::TooManyFailedForgets { limit: MAX_CONVERSATIONS });
        }
        Ok(state.by_conversation.get(conversation).cloned())
    }

    pub(crate) fn contains(&self, conversation: &ConversationId) -> bool {
        let state = self.lock();
        state.is_full || state.by_conversation.contains_key(conversation)
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().by_conversation.len()
    }

    /// Removes an entry, unless the store failed again in the meantime.
    pub(crate) fn resolve(&self, conversation: &ConversationId, failed: &FailedForget) {
        let mut state = self.lock();
        if state.by_conversation.get(conversation) == Some(failed) {
            state.by_conversation.remove(conversation);
        }
    }

    fn lock(&self) -> MutexGuard<'_, FailedForgetState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

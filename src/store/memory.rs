//! A store that lives in memory and ends with the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{ConversationRecord, MemorySessions, PruneCounts, SessionStore, StoreError, StoreHealth, Swap, ViewStore};
use pagewise_view::{Conversation, ConversationId, Moment};

/// Keeps conversations in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    sessions: MemorySessions,
}

#[derive(Debug, Default)]
struct MemoryState {
    conversations: BTreeMap<ConversationId, Arc<Conversation>>,
    last_pruned: Option<SystemTime>,
}

impl MemoryState {
    fn swap(&mut self, swap: &Swap) -> bool {
        let stored = self.conversations.get(&swap.id).map(|stored| stored.revision).unwrap_or_default();
        let is_expected = stored == swap.expected;
        if is_expected {
            self.conversations.insert(swap.id.clone(), Arc::clone(&swap.new));
        }
        is_expected
    }

    fn counts(&self) -> (u64, u64) {
        let holdings = self.conversations.values().map(|stored| stored.view.len() as u64).sum();
        (self.conversations.len() as u64, holdings)
    }

    /// Conversations, least recently used first.
    fn by_last_use(&self) -> Vec<ConversationId> {
        let mut all: Vec<_> = self.conversations.iter().map(|(id, stored)| (stored.head.used, id.clone())).collect();
        all.sort();
        all.into_iter().map(|(_, id)| id).collect()
    }
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ViewStore for MemoryStore {
    fn load(&self, id: &ConversationId, _: Option<Arc<Conversation>>) -> Result<Arc<Conversation>, StoreError> {
        Ok(self.state().conversations.get(id).map(Arc::clone).unwrap_or_default())
    }

    fn swap(&self, swaps: &[Swap]) -> Result<Vec<bool>, StoreError> {
        let mut state = self.state();
        Ok(swaps.iter().map(|swap| state.swap(swap)).collect())
    }

    fn list(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        let state = self.state();
        let record = |(id, stored): (&ConversationId, &Arc<Conversation>)| ConversationRecord::of(id, stored);
        let mut records: Vec<_> = state.conversations.iter().map(record).collect();
        records.sort_by(|a, b| b.head.used.cmp(&a.head.used).then_with(|| a.id.cmp(&b.id)));
        Ok(records)
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        let mut state = self.state();
        state.last_pruned = Some(Moment::from(now).into());
        let before = state.counts();
        state.conversations.retain(|_, stored| stored.head.used >= unused_since.into());
        for oldest in state.by_last_use() {
            if state.counts().1 <= max_holdings {
                break;
            }
            state.conversations.remove(&oldest);
        }
        let after = state.counts();
        Ok(PruneCounts { conversations: before.0 - after.0, holdings: before.1 - after.1 })
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        Ok(self.state().last_pruned)
    }

    fn sessions(&self) -> Option<&dyn SessionStore> {
        Some(&self.sessions)
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        let (conversations, holdings) = self.state().counts();
        Ok(StoreHealth { database: None, conversations, holdings })
    }
}

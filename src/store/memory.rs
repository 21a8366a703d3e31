//! A store that ends with the process.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{ConversationRecord, Delivery, Health, Pruned, Sent, StoreError, ViewStore};
use crate::view::{ConversationId, ConversationView, FileKey, Forget, Sequence};

/// Keeps views in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sequence: Sequence,
    conversations: BTreeMap<ConversationId, Entry>,
    names: BTreeMap<FileKey, String>,
}

#[derive(Debug, Clone)]
struct Entry {
    view: ConversationView,
    created: SystemTime,
    used: SystemTime,
    latest: Sequence,
    sent: Sent,
}

impl Entry {
    fn new(now: SystemTime) -> Self {
        let view = ConversationView::new();
        Self { view, created: now, used: now, latest: Sequence::START, sent: Sent::default() }
    }

    fn touch(&mut self, at: Sequence, now: SystemTime) {
        self.latest = at;
        self.used = self.used.max(now);
    }

    fn record(&self, id: &ConversationId) -> ConversationRecord {
        ConversationRecord {
            id: id.clone(),
            created: self.created,
            used: self.used,
            latest: self.latest,
            holdings: self.holdings(),
            sent: self.sent,
        }
    }

    fn holdings(&self) -> u64 {
        self.view.holdings().count() as u64
    }
}

impl State {
    fn next(&mut self) -> Sequence {
        self.sequence = self.sequence.next();
        self.sequence
    }

    fn entry(&mut self, conversation: &ConversationId, now: SystemTime) -> &mut Entry {
        self.conversations.entry(conversation.clone()).or_insert_with(|| Entry::new(now))
    }

    fn holdings(&self) -> u64 {
        self.conversations.values().map(Entry::holdings).sum()
    }

    fn least_recently_used(&self) -> Option<ConversationId> {
        self.conversations.iter().min_by_key(|(_, entry)| entry.used).map(|(id, _)| id.clone())
    }

    fn drop_unheld_names(&mut self) {
        let held =
            |file: &FileKey| self.conversations.values().any(|entry| entry.view.previous_content(file).is_some());
        let unheld: Vec<FileKey> = self.names.keys().filter(|file| !held(file)).copied().collect();
        for file in unheld {
            self.names.remove(&file);
        }
    }
}

impl MemoryStore {
    /// A store that knows no conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ViewStore for MemoryStore {
    fn load_since(&self, conversation: &ConversationId, since: Sequence) -> Result<ConversationView, StoreError> {
        let state = self.state();
        let Some(entry) = state.conversations.get(conversation) else { return Ok(ConversationView::new()) };
        Ok(entry.view.since(since))
    }

    fn create(&self, conversation: &ConversationId, now: SystemTime) -> Result<bool, StoreError> {
        let mut state = self.state();
        let is_new = !state.conversations.contains_key(conversation);
        state.entry(conversation, now);
        Ok(is_new)
    }

    fn record(
        &self,
        conversation: &ConversationId,
        delivery: &Delivery,
        now: SystemTime,
    ) -> Result<Sequence, StoreError> {
        let mut state = self.state();
        let at = state.next();
        state.names.extend(delivery.names.clone());
        let entry = state.entry(conversation, now);
        for holding in &delivery.holdings {
            entry.view.insert(*holding, at);
        }
        entry.sent.add(delivery.sent);
        entry.touch(at, now);
        Ok(at)
    }

    fn forget(&self, conversation: &ConversationId, what: &Forget, now: SystemTime) -> Result<Sequence, StoreError> {
        let mut state = self.state();
        let at = state.next();
        let entry = state.entry(conversation, now);
        entry.view.forget(what, at);
        if *what == Forget::Everything {
            entry.sent = Sent::default();
        }
        entry.touch(at, now);
        Ok(at)
    }

    fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        let Some(entry) = state.conversations.get(from) else {
            return Err(StoreError::UnknownConversation { conversation: from.clone() });
        };
        if state.conversations.contains_key(to) {
            return Err(StoreError::ConversationExists { conversation: to.clone() });
        }
        let copy = Entry { view: entry.view.fork(as_of), created: now, used: now, ..*entry };
        state.conversations.insert(to.clone(), copy);
        Ok(())
    }

    fn latest(&self, conversation: &ConversationId) -> Result<Option<Sequence>, StoreError> {
        Ok(self.state().conversations.get(conversation).map(|entry| entry.latest))
    }

    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError> {
        let state = self.state();
        Ok(state.conversations.get(conversation).map(|entry| entry.record(conversation)))
    }

    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        let mut records: Vec<_> = self.state().conversations.iter().map(|(id, entry)| entry.record(id)).collect();
        records.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.id.cmp(&b.id)));
        Ok(records)
    }

    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError> {
        let state = self.state();
        Ok(files.iter().filter_map(|file| Some((*file, state.names.get(file)?.clone()))).collect())
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64) -> Result<Pruned, StoreError> {
        let mut state = self.state();
        let (conversations, holdings) = (state.conversations.len() as u64, state.holdings());
        state.conversations.retain(|_, entry| entry.used >= unused_since);
        while state.holdings() > max_holdings
            && let Some(oldest) = state.least_recently_used()
        {
            state.conversations.remove(&oldest);
        }
        state.drop_unheld_names();
        let left = (state.conversations.len() as u64, state.holdings());
        Ok(Pruned { conversations: conversations - left.0, holdings: holdings - left.1 })
    }

    fn health(&self) -> Result<Health, StoreError> {
        let state = self.state();
        let conversations = state.conversations.len() as u64;
        Ok(Health { database: None, conversations, holdings: state.holdings() })
    }
}

//! A store that ends with the process.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{ConversationRecord, Delivery, Head, Health, Pruned, Sent, StoreError, ViewStore, seconds_since_1970};
use crate::hash::ContentHash;
use crate::view::{ConversationId, ConversationView, FileKey, Forget, Principal, Sequence};

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
    page_counts: BTreeMap<ContentHash, u32>,
    last_pruned: Option<SystemTime>,
}

#[derive(Debug, Clone)]
struct Entry {
    view: ConversationView,
    created: SystemTime,
    used: SystemTime,
    head: Head,
}

impl Entry {
    fn new(now: SystemTime) -> Self {
        let head = Head { begun: seconds_since_1970(now), ..Head::default() };
        Self { view: ConversationView::new(), created: now, used: now, head }
    }

    fn touch(&mut self, at: Sequence, now: SystemTime) {
        self.head.latest = at;
        self.used = self.used.max(now);
    }

    fn record(&self, id: &ConversationId) -> ConversationRecord {
        ConversationRecord {
            id: id.clone(),
            created: self.created,
            used: self.used,
            holdings: self.holdings(),
            head: self.head,
        }
    }

    fn holdings(&self) -> u64 {
        self.view.holdings().count() as u64
    }

    fn forget(&mut self, what: &Forget, at: Sequence) {
        self.view.forget(what, at);
        if what.begins_epoch() {
            self.head.sent = Sent::default();
        }
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

    /// Records one delivery, unless something was forgotten since it was planned.
    fn record(&mut self, conversation: &ConversationId, delivery: &Delivery, now: SystemTime) -> Option<Sequence> {
        let entry = self.entry(conversation, now);
        if delivery.planned.is_some_and(|planned| entry.view.last_forgotten() > planned) {
            if delivery.planned.is_some_and(|planned| entry.view.epoch() <= planned) {
                entry.head.sent.add(delivery.sent);
            }
            return None;
        }
        for what in &delivery.forget {
            let at = self.next();
            self.entry(conversation, now).forget(what, at);
        }
        let at = self.next();
        self.names.extend(delivery.names.clone());
        self.page_counts.extend(delivery.page_counts.clone());
        let entry = self.entry(conversation, now);
        for holding in &delivery.holdings {
            entry.view.insert(*holding, at);
        }
        entry.head.sent.add(delivery.sent);
        entry.touch(at, now);
        Some(at)
    }

    /// Forgets up to a new sequence; the one after it is taken too, for what stays followed.
    fn forget(&mut self, conversation: &ConversationId, what: &Forget, now: SystemTime) -> Sequence {
        let at = self.next();
        let last = if *what == Forget::AllButFiles { self.next() } else { at };
        let entry = self.entry(conversation, now);
        entry.forget(what, at);
        entry.touch(last, now);
        at
    }

    fn holdings(&self) -> u64 {
        self.conversations.values().map(Entry::holdings).sum()
    }

    /// The least recently used first.
    fn by_last_use(&self) -> Vec<ConversationId> {
        let mut all: Vec<_> = self.conversations.iter().map(|(id, entry)| (entry.used, id.clone())).collect();
        all.sort();
        all.into_iter().map(|(_, id)| id).collect()
    }

    fn drop_unheld_names(&mut self) {
        let held = |file: &FileKey| self.conversations.values().any(|entry| entry.view.told_content(file).is_some());
        let unheld: Vec<FileKey> = self.names.keys().filter(|file| !held(file)).copied().collect();
        for file in unheld {
            self.names.remove(&file);
        }
        let contents = |entry: &Entry| entry.view.holdings().map(|(holding, _)| holding.content).collect::<Vec<_>>();
        let held: BTreeSet<ContentHash> = self.conversations.values().flat_map(contents).collect();
        self.page_counts.retain(|content, _| held.contains(content));
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

    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        let mut state = self.state();
        let is_new = !state.conversations.contains_key(conversation);
        let entry = state.entry(conversation, now);
        if is_new {
            entry.head.owner = owner.copied();
        }
        Ok(is_new)
    }

    fn record_all(
        &self,
        deliveries: &[(ConversationId, Delivery)],
        now: SystemTime,
    ) -> Result<Vec<Option<Sequence>>, StoreError> {
        let mut state = self.state();
        Ok(deliveries.iter().map(|(conversation, delivery)| state.record(conversation, delivery, now)).collect())
    }

    fn forget(&self, conversation: &ConversationId, what: &Forget, now: SystemTime) -> Result<Sequence, StoreError> {
        Ok(self.state().forget(conversation, what, now))
    }

    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError> {
        let mut state = self.state();
        let before = state.conversations.get(conversation).map_or(0, |entry| entry.head.generation);
        if generation > before {
            state.forget(conversation, &Forget::AllButFiles, now);
            state.entry(conversation, now).head.generation = generation;
        }
        Ok(before.max(generation))
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
        let head = Head { begun: seconds_since_1970(now), ..entry.head };
        let copy = Entry { view: entry.view.fork(as_of), created: now, used: now, head };
        state.conversations.insert(to.clone(), copy);
        Ok(())
    }

    fn head(&self, conversation: &ConversationId) -> Result<Option<Head>, StoreError> {
        Ok(self.state().conversations.get(conversation).map(|entry| entry.head))
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

    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError> {
        let state = self.state();
        Ok(contents.iter().filter_map(|content| Some((*content, *state.page_counts.get(content)?))).collect())
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        Ok(self.state().last_pruned)
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<Pruned, StoreError> {
        let mut state = self.state();
        state.last_pruned = Some(now);
        let (conversations, holdings) = (state.conversations.len() as u64, state.holdings());
        state.conversations.retain(|_, entry| entry.used >= unused_since);
        let mut left = state.holdings();
        for oldest in state.by_last_use() {
            if left <= max_holdings {
                break;
            }
            left -= state.conversations.remove(&oldest).map_or(0, |entry| entry.holdings());
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

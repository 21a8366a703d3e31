//! A store that lives in memory and ends with the process.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::history::{HistoryStep, MAX_FORGOTTEN_PAGES, MAX_STEPS, StepKind, forgotten_page};
use super::{
    ConversationHead, ConversationHistory, ConversationRecord, ConversationState, DeliveryRecord, MemorySessions,
    PruneCounts, RowUpdate, SessionStore, StoreError, StoreHealth, Usage, Version, ViewStore,
};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageIndex;
use pagewise_view::{ConversationId, ConversationView, FileKey, ForgetScope, HoldingChange, Principal, Sequence};

/// Keeps views in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
    sessions: MemorySessions,
}

#[derive(Debug, Default)]
struct MemoryState {
    conversations: BTreeMap<ConversationId, MemoryConversation>,
    names: BTreeMap<FileKey, String>,
    page_counts: BTreeMap<ContentHash, u32>,
    last_pruned: Option<SystemTime>,
}

#[derive(Debug, Clone)]
struct MemoryConversation {
    view: ConversationView,
    created: SystemTime,
    used: SystemTime,
    head: ConversationHead,
    /// When everything was last forgotten.
    emptied: Sequence,
    steps: Vec<HistoryStep>,
    /// Forgotten pages, the latest last.
    forgotten: Vec<(FileKey, PageIndex)>,
}

/// Drops what comes first beyond `max`.
fn drop_excess<T>(items: &mut Vec<T>, max: u64) {
    let excess = items.len().saturating_sub(usize::try_from(max).unwrap_or(usize::MAX));
    items.drain(..excess);
}

impl MemoryConversation {
    fn new(now: SystemTime) -> Self {
        let head = ConversationHead { begun: random_begun(), ..ConversationHead::default() };
        Self {
            view: ConversationView::new(),
            created: now,
            used: now,
            head,
            emptied: Sequence::START,
            steps: Vec::new(),
            forgotten: Vec::new(),
        }
    }

    /// Assigns the next sequence and marks the conversation as used.
    fn next(&mut self, now: SystemTime) -> Sequence {
        self.head.latest = self.head.latest.next();
        self.used = self.used.max(now);
        self.head.latest
    }

    fn record(&mut self, delivery: &DeliveryRecord, now: SystemTime) -> Option<Version> {
        let is_same = delivery.planned.begun == 0 || delivery.planned.begun == self.head.begun;
        if is_same && self.emptied <= delivery.planned.latest {
            self.head.sent.add(delivery.sent);
        }
        if !self.head.allows(delivery.planned) {
            return None;
        }
        let at = self.next(now);
        for what in &delivery.forget {
            self.forget_at(what, at);
        }
        self.add_step(StepKind::Delivery, delivery.sent, now);
        self.view.extend(delivery.holdings.iter().map(|holding| (*holding, at)));
        Some(self.head.version())
    }

    fn forget(&mut self, what: &ForgetScope, now: SystemTime) -> Version {
        let at = self.next(now);
        self.forget_at(what, at);
        self.add_step(StepKind::of(what), Usage::default(), now);
        self.head.version()
    }

    fn forget_at(&mut self, what: &ForgetScope, at: Sequence) {
        let change = self.view.forget(what);
        let latest: BTreeSet<_> = change.delete.iter().filter_map(|deleted| forgotten_page(what, deleted)).collect();
        self.forgotten.retain(|page| !latest.contains(page));
        self.forgotten.extend(latest);
        drop_excess(&mut self.forgotten, MAX_FORGOTTEN_PAGES);
        self.view.apply(&change);
        self.head.forgotten = at;
        if what.forgets_everything() {
            self.head.sent = Usage::default();
            self.emptied = at;
        }
    }

    /// Adds a step under the latest sequence.
    fn add_step(&mut self, kind: StepKind, sent: Usage, now: SystemTime) {
        self.steps.push(HistoryStep { at: self.head.latest, moment: now, kind, sent });
        drop_excess(&mut self.steps, MAX_STEPS);
    }

    fn take_back(&mut self, at: Sequence, sent: Usage, now: SystemTime) {
        self.steps.retain(|step| step.at != at);
        if self.emptied < at {
            self.head.sent.subtract(sent);
        }
        let recorded = self.view.holdings().filter(|(_, recorded)| *recorded == at);
        let change = HoldingChange { delete: recorded.map(|(holding, _)| *holding).collect(), insert: Vec::new() };
        self.view.apply(&change);
        self.head.forgotten = self.next(now);
    }

    fn rows(&self, known: Option<Version>) -> RowUpdate {
        let after = |at: Sequence| -> Vec<_> {
            let later = self.view.holdings().filter(|(_, recorded)| *recorded > at);
            later.map(|(holding, at)| (*holding, at)).collect()
        };
        match known {
            Some(known) if known == self.head.version() => RowUpdate::Unchanged,
            Some(known) if self.head.extends(known) => RowUpdate::Later(after(known.latest)),
            _ => RowUpdate::All(after(Sequence::START)),
        }
    }

    fn history(&self) -> ConversationHistory {
        let mut history = ConversationHistory { steps: self.steps.clone(), ..ConversationHistory::default() };
        for (file, page) in &self.forgotten {
            history.forgotten.entry(*file).or_default().insert(*page);
        }
        history
    }

    fn describe(&self, id: &ConversationId) -> ConversationRecord {
        let (created, used, head) = (self.created, self.used, self.head);
        ConversationRecord { id: id.clone(), created, used, holdings: self.holdings(), head }
    }

    fn holdings(&self) -> u64 {
        self.view.len() as u64
    }
}

/// A random number that identifies a new conversation.
fn random_begun() -> u64 {
    (RandomState::new().hash_one(()) >> 1).max(1)
}

impl MemoryState {
    fn entry(&mut self, conversation: &ConversationId, now: SystemTime) -> &mut MemoryConversation {
        self.conversations.entry(conversation.clone()).or_insert_with(|| MemoryConversation::new(now))
    }

    fn record(&mut self, conversation: &ConversationId, delivery: &DeliveryRecord, now: SystemTime) -> Option<Version> {
        if delivery.planned.begun != 0 && !self.conversations.contains_key(conversation) {
            return None;
        }
        let recorded = self.entry(conversation, now).record(delivery, now)?;
        self.names.extend(delivery.names.clone());
        self.page_counts.extend(delivery.page_counts.clone());
        Some(recorded)
    }

    fn holdings(&self) -> u64 {
        self.conversations.values().map(MemoryConversation::holdings).sum()
    }

    /// Conversations, least recently used first.
    fn by_last_use(&self) -> Vec<ConversationId> {
        let mut all: Vec<_> = self.conversations.iter().map(|(id, entry)| (entry.used, id.clone())).collect();
        all.sort();
        all.into_iter().map(|(_, id)| id).collect()
    }

    fn drop_unheld_names(&mut self) {
        let held =
            |file: &FileKey| self.conversations.values().any(|entry| entry.view.last_reported_content(file).is_some());
        let unheld: Vec<FileKey> = self.names.keys().filter(|file| !held(file)).copied().collect();
        for file in unheld {
            self.names.remove(&file);
        }
        let contents =
            |entry: &MemoryConversation| entry.view.holdings().map(|(holding, _)| holding.content).collect::<Vec<_>>();
        let held: BTreeSet<ContentHash> = self.conversations.values().flat_map(contents).collect();
        self.page_counts.retain(|content, _| held.contains(content));
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
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError> {
        let state = self.state();
        let entry = state.conversations.get(conversation);
        Ok(entry.map(|entry| ConversationState { head: entry.head, rows: entry.rows(known) }))
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
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError> {
        let mut state = self.state();
        Ok(deliveries.iter().map(|(conversation, delivery)| state.record(conversation, delivery, now)).collect())
    }

    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        let mut state = self.state();
        if let Some(entry) = state.conversations.get_mut(conversation).filter(|entry| entry.head.begun == at.begun) {
            entry.take_back(at.latest, sent, now);
        }
        Ok(())
    }

    fn forget(
        &self,
        conversation: &ConversationId,
        what: &ForgetScope,
        now: SystemTime,
    ) -> Result<Version, StoreError> {
        Ok(self.state().entry(conversation, now).forget(what, now))
    }

    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError> {
        let mut state = self.state();
        let before = state.conversations.get(conversation).map_or(0, |entry| entry.head.generation);
        if generation > before {
            let entry = state.entry(conversation, now);
            entry.forget(&ForgetScope::AllButFiles, now);
            entry.head.generation = generation;
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
        let head = ConversationHead { begun: random_begun(), ..entry.head };
        let steps = entry.steps.iter().copied().filter(|step| as_of.is_none_or(|as_of| step.at <= as_of)).collect();
        let (view, emptied) = (entry.view.fork(as_of), entry.emptied);
        let copy = MemoryConversation { view, created: now, used: now, head, emptied, steps, forgotten: Vec::new() };
        state.conversations.insert(to.clone(), copy);
        Ok(())
    }

    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError> {
        Ok(self.state().conversations.get(conversation).map(|entry| entry.head))
    }

    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError> {
        let state = self.state();
        Ok(state.conversations.get(conversation).map(|entry| entry.describe(conversation)))
    }

    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        let mut records: Vec<_> = self.state().conversations.iter().map(|(id, entry)| entry.describe(id)).collect();
        records.sort_by(|a, b| b.used.cmp(&a.used).then_with(|| a.id.cmp(&b.id)));
        Ok(records)
    }

    fn history(&self, conversation: &ConversationId) -> Result<ConversationHistory, StoreError> {
        Ok(self.state().conversations.get(conversation).map(MemoryConversation::history).unwrap_or_default())
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

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
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
        Ok(PruneCounts { conversations: conversations - left.0, holdings: holdings - left.1 })
    }

    fn sessions(&self) -> Option<&dyn SessionStore> {
        Some(&self.sessions)
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        let state = self.state();
        let conversations = state.conversations.len() as u64;
        Ok(StoreHealth { database: None, conversations, holdings: state.holdings() })
    }
}

//! The documents that a worker has open, as its parent knows them.

use super::pool::DocumentKey;

/// The most documents that a worker keeps open between requests.
const MAX_OPEN_DOCUMENTS: usize = 4;

/// Identifies an open document: a hash of its identity and of the password that opened it.
pub(crate) type OpenKey = [u8; 32];

/// The documents of a worker, by slot. A document without a key is not kept after its request.
#[derive(Debug, Default)]
pub(crate) struct OpenDocuments {
    slots: [Slot; MAX_OPEN_DOCUMENTS],
    current: usize,
    /// Number of selections so far.
    clock: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Slot {
    kept: Option<KeptDocument>,
    /// When it was last selected, by the clock.
    used: u64,
}

#[derive(Debug, Clone, Copy)]
struct KeptDocument {
    key: OpenKey,
    page_count: u32,
}

impl OpenDocuments {
    /// Whether the document is open.
    pub(crate) fn contains(&self, key: &OpenKey) -> bool {
        self.slot_of(key).is_some()
    }

    /// Number of documents that are kept.
    pub(crate) fn count(&self) -> usize {
        self.slots.iter().filter(|slot| slot.kept.is_some()).count()
    }

    /// Makes a document the current one. Returns its slot and number of pages, if it is open.
    pub(crate) fn select(&mut self, key: &OpenKey) -> Option<(usize, u32)> {
        let slot = self.slot_of(key)?;
        let page_count = self.slots.get(slot)?.kept?.page_count;
        self.make_current(slot);
        Some((slot, page_count))
    }

    /// Makes the least recently used slot the current one, and forgets its document.
    pub(crate) fn replace_oldest(&mut self) -> usize {
        let oldest = self.slots.iter().enumerate().min_by_key(|(_, slot)| (slot.kept.is_some(), slot.used));
        let slot = oldest.map_or(0, |(slot, _)| slot);
        self.make_current(slot);
        self.forget_current();
        slot
    }

    /// Keeps the current document under this key.
    pub(crate) fn keep_current(&mut self, key: OpenKey, page_count: u32) {
        if let Some(slot) = self.slots.get_mut(self.current) {
            slot.kept = Some(KeptDocument { key, page_count });
        }
    }

    /// Forgets the current document, which is closed or was never kept.
    pub(crate) fn forget_current(&mut self) {
        if let Some(slot) = self.slots.get_mut(self.current) {
            slot.kept = None;
        }
    }

    fn slot_of(&self, key: &OpenKey) -> Option<usize> {
        self.slots.iter().position(|slot| slot.kept.is_some_and(|kept| kept.key == *key))
    }

    fn make_current(&mut self, slot: usize) {
        self.clock = self.clock.saturating_add(1);
        self.current = slot;
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.used = self.clock;
        }
    }
}

/// The key of a document that this password opens.
pub(super) fn open_key(identity: &DocumentKey, password: Option<&str>) -> OpenKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(identity);
    if let Some(password) = password {
        hasher.update(password.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_that_was_used_least_recently_makes_room() {
        let mut open = OpenDocuments::default();
        let keys = [0, 1, 2, 3, 4].map(|number| [number; 32]);
        let [first, second, _, _, last] = keys;
        for (page_count, key) in (1..).zip(&keys).take(MAX_OPEN_DOCUMENTS) {
            open.replace_oldest();
            open.keep_current(*key, page_count);
        }
        assert_eq!(open.select(&first), Some((0, 1)));
        assert_eq!(open.replace_oldest(), 1);
        open.keep_current(last, 5);
        assert_eq!(open.select(&second), None);
        assert_eq!(open.select(&last), Some((1, 5)));
        assert_eq!(open.count(), MAX_OPEN_DOCUMENTS);
        open.forget_current();
        assert_eq!((open.select(&last), open.count()), (None, 3));
        assert_eq!(open.replace_oldest(), 1);
    }
}

//! What this process knows about file contents, independent of conversations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bounded_map::BoundedMap;
use pagewise_base::hash::ContentHash;
use pagewise_store::ViewStore;
use pagewise_view::{Principal, SentTexts};

/// Bytes of sent texts kept for diffs. If the old text is gone, a changed file is sent whole.
const MAX_SENT_TEXT_BYTES: usize = 16 << 20;

/// Contents remembered; some 200 bytes each.
const MAX_CONTENTS: usize = 65_536;

/// Known references, page counts and texts by content.
pub(crate) struct ContentRegistry {
    /// The reference under which the owner of a conversation last requested a content.
    references: BoundedMap<(Option<Principal>, ContentHash), String>,
    /// Page counts of documents.
    page_counts: BoundedMap<ContentHash, u32>,
    texts: Mutex<SentTexts>,
}

impl ContentRegistry {
    pub(crate) fn new() -> Self {
        Self {
            references: BoundedMap::of(MAX_CONTENTS),
            page_counts: BoundedMap::of(MAX_CONTENTS),
            texts: Mutex::new(SentTexts::new(MAX_SENT_TEXT_BYTES)),
        }
    }

    /// Remembers page counts and texts of a recorded delivery.
    pub(crate) fn remember_delivery(
        &self,
        page_counts: &BTreeMap<ContentHash, u32>,
        texts: Vec<(ContentHash, Arc<str>)>,
    ) {
        page_counts.iter().for_each(|(content, pages)| self.page_counts.insert(*content, *pages));
        texts.into_iter().for_each(|(content, text)| self.texts().insert(content, text));
    }

    pub(crate) fn remember_reference(&self, content: ContentHash, owner: Option<Principal>, reference: &str) {
        self.references.insert((owner, content), reference.to_owned());
    }

    /// The reference of a content that `owner` requested; `None` if only others did.
    pub(crate) fn reference(&self, content: &ContentHash, owner: Option<Principal>) -> Option<String> {
        self.references.get(&(owner, *content))
    }

    /// The page count of a document that was given before.
    pub(crate) fn page_count(&self, content: &ContentHash, store: &dyn ViewStore) -> Option<u32> {
        self.page_counts.get(content).or_else(|| store.page_counts(&[*content]).ok()?.remove(content))
    }

    /// Whether the store already has the page count of a content.
    pub(crate) fn knows_page_count(&self, content: &ContentHash) -> bool {
        self.page_counts.get(content).is_some()
    }

    pub(crate) fn texts(&self) -> MutexGuard<'_, SentTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

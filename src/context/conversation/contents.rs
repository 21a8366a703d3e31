//! What this process knows about file contents, independent of conversations.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::bounded_map::BoundedMap;
use pagewise_base::hash::ContentHash;
use pagewise_view::{Principal, SentTexts};

/// Bytes of sent texts kept for diffs. If the old text is gone, a changed file is sent whole.
const MAX_SENT_TEXT_BYTES: usize = 16 << 20;

/// Contents remembered; some 200 bytes each.
const MAX_CONTENTS: usize = 65_536;

/// Known references and texts by content.
pub(crate) struct ContentRegistry {
    /// The reference under which the owner of a conversation last requested a content.
    references: BoundedMap<(Option<Principal>, ContentHash), String>,
    texts: Mutex<SentTexts>,
}

impl ContentRegistry {
    pub(crate) fn new() -> Self {
        Self { references: BoundedMap::of(MAX_CONTENTS), texts: Mutex::new(SentTexts::new(MAX_SENT_TEXT_BYTES)) }
    }

    /// Remembers the texts of a recorded delivery.
    pub(crate) fn remember_texts(&self, texts: Vec<(ContentHash, Arc<str>)>) {
        texts.into_iter().for_each(|(content, text)| self.texts().insert(content, text));
    }

    pub(crate) fn remember_reference(&self, content: ContentHash, owner: Option<Principal>, reference: &str) {
        self.references.insert((owner, content), reference.to_owned());
    }

    /// The reference of a content that `owner` requested; `None` if only others did.
    pub(crate) fn reference(&self, content: &ContentHash, owner: Option<Principal>) -> Option<String> {
        self.references.get(&(owner, *content))
    }

    pub(crate) fn texts(&self) -> MutexGuard<'_, SentTexts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

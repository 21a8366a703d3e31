//! What this process knows about file contents, independent of conversations.

use std::sync::Arc;

use pagewise_base::hash::ContentHash;
use pagewise_base::share::SharedCache;
use pagewise_view::Principal;

/// Bytes of sent texts kept for diffs and quotations. If the old text is gone, a changed file is sent whole.
const MAX_SENT_TEXT_BYTES: u64 = 16 << 20;

/// Bytes of references: some 65,000 of usual length.
const MAX_REFERENCE_BYTES: u64 = 16 << 20;

/// Bytes that an entry takes besides its reference.
const ENTRY_BYTES: u64 = 150;

/// Known references and texts by content, shared by the principals whose conversations they are from.
///
/// A text here does not mean that a conversation holds it. Texts end with the process, since stores keep hashes and numbers
/// but never content.
pub(crate) struct ContentRegistry {
    /// The reference under which the owner of a conversation last requested a content.
    references: SharedCache<(Option<Principal>, ContentHash), String>,
    texts: SharedCache<ContentHash, Arc<str>>,
}

impl ContentRegistry {
    pub(crate) fn new() -> Self {
        Self { references: SharedCache::new(MAX_REFERENCE_BYTES), texts: SharedCache::new(MAX_SENT_TEXT_BYTES) }
    }

    /// Keeps a text that was sent to a conversation of `owner`.
    pub(crate) fn remember_text(&self, content: ContentHash, owner: Option<Principal>, text: Arc<str>) {
        let bytes = text.len() as u64;
        self.texts.insert(content, text, bytes, owner.map(|owner| owner.0));
    }

    /// The text of a content, if it is still here.
    pub(crate) fn text(&self, content: &ContentHash) -> Option<Arc<str>> {
        self.texts.get(content)
    }

    pub(crate) fn remember_reference(&self, content: ContentHash, owner: Option<Principal>, reference: &str) {
        let bytes = ENTRY_BYTES.saturating_add(reference.len() as u64);
        self.references.insert((owner, content), reference.to_owned(), bytes, owner.map(|owner| owner.0));
    }

    /// The reference of a content that `owner` requested; `None` if only others did.
    pub(crate) fn reference(&self, content: &ContentHash, owner: Option<Principal>) -> Option<String> {
        self.references.get(&(owner, *content))
    }
}

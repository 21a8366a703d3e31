//! The document that a worker has open between requests, as its parent knows it.
//!
//! It is one, and is closed before the worker opens another: a reader that was taken over sees no document of another
//! principal.

use super::pool::DocumentKey;

/// Identifies an open document: a hash of its identity and of the password that opened it.
pub(crate) type OpenKey = [u8; 32];

/// The slot that the worker is told.
const SLOT: usize = 0;

/// The document of a worker; `None` if it is not kept after its request.
#[derive(Debug, Default)]
pub(crate) struct OpenDocuments {
    kept: Option<KeptDocument>,
}

#[derive(Debug, Clone, Copy)]
struct KeptDocument {
    key: OpenKey,
    page_count: u32,
}

impl OpenDocuments {
    /// Whether the document is open.
    pub(crate) fn contains(&self, key: &OpenKey) -> bool {
        self.kept.is_some_and(|kept| kept.key == *key)
    }

    /// Number of documents that are kept.
    pub(crate) fn count(&self) -> usize {
        usize::from(self.kept.is_some())
    }

    /// The slot and the number of pages of a document, if it is open.
    pub(crate) fn select(&self, key: &OpenKey) -> Option<(usize, u32)> {
        self.kept.filter(|kept| kept.key == *key).map(|kept| (SLOT, kept.page_count))
    }

    /// Forgets the document, for another in its slot.
    pub(crate) fn replace(&mut self) -> usize {
        self.forget_current();
        SLOT
    }

    /// Keeps the document that is open under this key.
    pub(crate) fn keep_current(&mut self, key: OpenKey, page_count: u32) {
        self.kept = Some(KeptDocument { key, page_count });
    }

    /// Forgets the document, which is closed or was never kept.
    pub(crate) fn forget_current(&mut self) {
        self.kept = None;
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
    fn a_document_makes_room_for_another() {
        let mut open = OpenDocuments::default();
        let [first, second] = [1, 2].map(|number| [number; 32]);
        open.keep_current(first, 5);
        assert_eq!((open.select(&first), open.select(&second)), (Some((SLOT, 5)), None));
        open.replace();
        assert_eq!((open.select(&first), open.count()), (None, 0));
        open.keep_current(second, 7);
        assert!(open.contains(&second) && !open.contains(&first));
    }
}

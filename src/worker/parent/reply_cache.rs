//! Answers of workers about documents that have not changed since, so that no page is read twice.
//!
//! The key holds the identity of the file's bytes. A file is opened for each request, so its permissions are checked each
//! time. Only answers about sound documents are kept.

use std::sync::Arc;

use super::pool::{KeptDocument, OpenKey};
use crate::worker::pages::{DocumentFacts, DocumentWants, FileJob, PageFacts, PdfChunk};
use crate::worker::wire::frame;
use pagewise_base::page::PageIndex;
use pagewise_base::share::SharedCache;

/// What an answer takes besides its content: the key and the tables.
const ENTRY_BYTES: u64 = 512;

/// What is known of documents, within a bound on its bytes that the principals share who asked.
pub(crate) struct ReplyCache(SharedCache<(OpenKey, Subject), CachedEntry>);

/// What is known of something.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Subject {
    PageCount,
    Page(PageIndex),
    /// An encoded question about the document.
    Facts(Box<[u8]>),
    /// An encoded job.
    File(Box<[u8]>),
}

#[derive(Clone)]
struct CachedEntry {
    known: Known,
    /// Bytes of the messages that it came in.
    bytes: u64,
}

#[derive(Clone)]
enum Known {
    PageCount(u32),
    Page(Arc<PageFacts>),
    Facts(Arc<DocumentFacts>),
    File(Option<PdfChunk>),
}

impl ReplyCache {
    /// A cache of at most `max_bytes`. Zero keeps nothing.
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self(SharedCache::new(max_bytes))
    }

    /// Bytes that are kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.weight()
    }

    /// The document's number of pages.
    pub(crate) fn page_count(&self, document: &KeptDocument) -> Option<u32> {
        match self.get(document, Subject::PageCount)?.known {
            Known::PageCount(page_count) => Some(page_count),
            _ => None,
        }
    }

    /// Keeps the document's number of pages.
    pub(crate) fn insert_page_count(&self, document: &KeptDocument, page_count: u32) {
        self.insert(document, Subject::PageCount, Known::PageCount(page_count), 0);
    }

    /// What is known of a page.
    pub(crate) fn page(&self, document: &KeptDocument, page: PageIndex) -> Option<Arc<PageFacts>> {
        match self.get(document, Subject::Page(page))?.known {
            Known::Page(facts) => Some(facts),
            _ => None,
        }
    }

    /// Keeps what is known of a page, of which a message of `bytes` is new.
    pub(crate) fn insert_page(&self, document: &KeptDocument, page: PageIndex, facts: Arc<PageFacts>, bytes: u64) {
        let before = self.get(document, Subject::Page(page)).map_or(0, |entry| entry.bytes);
        self.insert(document, Subject::Page(page), Known::Page(facts), before.saturating_add(bytes));
    }

    /// Facts about the document.
    pub(crate) fn facts(&self, document: &KeptDocument, wants: &DocumentWants) -> Option<Arc<DocumentFacts>> {
        match self.get(document, Subject::Facts(encoded(wants)?))?.known {
            Known::Facts(facts) => Some(facts),
            _ => None,
        }
    }

    /// Keeps facts about the document, which came in a message of `bytes`.
    pub(crate) fn insert_facts(
        &self,
        document: &KeptDocument,
        wants: &DocumentWants,
        facts: Arc<DocumentFacts>,
        bytes: u64,
    ) {
        if let Some(wants) = encoded(wants) {
            self.insert(document, Subject::Facts(wants), Known::Facts(facts), bytes);
        }
    }

    /// A file that was made of the document.
    pub(crate) fn file(&self, document: &KeptDocument, job: &FileJob) -> Option<Option<PdfChunk>> {
        match self.get(document, Subject::File(encoded(job)?))?.known {
            Known::File(file) => Some(file),
            _ => None,
        }
    }

    /// Keeps a file that was made of the document and came in a message of `bytes`.
    pub(crate) fn insert_file(&self, document: &KeptDocument, job: &FileJob, file: Option<PdfChunk>, bytes: u64) {
        if let Some(job) = encoded(job) {
            let bytes = bytes.saturating_add(job.len() as u64);
            self.insert(document, Subject::File(job), Known::File(file), bytes);
        }
    }

    fn get(&self, document: &KeptDocument, subject: Subject) -> Option<CachedEntry> {
        self.0.get(&(document.key, subject))
    }

    fn insert(&self, document: &KeptDocument, subject: Subject, known: Known, bytes: u64) {
        let weight = ENTRY_BYTES.saturating_add(bytes);
        self.0.insert((document.key, subject), CachedEntry { known, bytes }, weight, document.sharer);
    }
}

fn encoded(question: &impl serde::Serialize) -> Option<Box<[u8]>> {
    frame::encode(question).ok().map(Vec::into_boxed_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: KeptDocument = KeptDocument { key: [1; 32], sharer: None };

    fn facts(bytes: usize) -> Arc<PageFacts> {
        let chunk = PdfChunk::new(vec![7; bytes].into(), "direct".to_owned(), Vec::new());
        Arc::new(PageFacts { chunk: Some(chunk), ..PageFacts::default() })
    }

    #[test]
    fn what_is_known_is_found_again_under_its_document_and_subject_alone() {
        let cache = ReplyCache::new(1 << 20);
        cache.insert_page(&DOCUMENT, PageIndex(3), facts(100), 100);
        assert_eq!(cache.page(&DOCUMENT, PageIndex(3)), Some(facts(100)));
        assert_eq!(cache.page(&DOCUMENT, PageIndex(4)), None);
        assert_eq!(cache.page(&KeptDocument { key: [2; 32], ..DOCUMENT }, PageIndex(3)), None);
        let wants = |max| DocumentWants { outline: Some(max), ..DocumentWants::default() };
        cache.insert_facts(&DOCUMENT, &wants(5), Arc::default(), 10);
        assert!(cache.facts(&DOCUMENT, &wants(5)).is_some() && cache.facts(&DOCUMENT, &wants(6)).is_none());
        let attachment = FileJob::Attachment("a".to_owned());
        cache.insert_file(&DOCUMENT, &attachment, None, 10);
        assert_eq!(cache.file(&DOCUMENT, &attachment), Some(None));
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let cache = ReplyCache::new(100_000);
        for page in (0..1_000).map(PageIndex) {
            cache.insert_page(&DOCUMENT, page, facts(10_000), 10_000);
        }
        let kept = (0..1_000).map(PageIndex).filter(|page| cache.page(&DOCUMENT, *page).is_some());
        assert!((1..=9).contains(&kept.count()));
        let none = ReplyCache::new(0);
        none.insert_page_count(&DOCUMENT, 7);
        assert_eq!(none.page_count(&DOCUMENT), None);
    }
}

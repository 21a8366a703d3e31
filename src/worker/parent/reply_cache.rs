//! Answers of workers about documents that have not changed since, so that no page is read twice.
//!
//! The key holds the identity of the file's bytes. A file is opened for each request, so its permissions are checked each
//! time. Only answers about sound documents are kept.

use bytes::Bytes;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use super::open_documents::OpenKey;
use crate::worker::wire::{AnswerExtras, WorkerReply, WorkerRequest};

/// The usual size of an answer, to size the cache's tables.
const USUAL_BYTES: u64 = 16 << 10;

/// What an answer takes besides its body: the key, the reply, the tables.
const ENTRY_BYTES: u64 = 512;

/// Answers by document and request, within a bound on their bytes.
pub(crate) struct ReplyCache {
    answers: Option<Cache<ReplyKey, CachedAnswer, ByteWeighter>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct ReplyKey {
    document: OpenKey,
    /// The encoded request.
    request: Box<[u8]>,
}

impl ReplyKey {
    /// The key of the answer to opening the document, which has no encoded request.
    fn of_page_count(document: &OpenKey) -> Self {
        Self { document: *document, request: Box::default() }
    }
}

/// An answer to a request.
#[derive(Clone)]
pub(crate) struct CachedAnswer {
    pub(crate) reply: WorkerReply,
    pub(crate) extras: AnswerExtras,
    pub(crate) body: Bytes,
}

#[derive(Clone)]
struct ByteWeighter;

impl Weighter<ReplyKey, CachedAnswer> for ByteWeighter {
    fn weight(&self, key: &ReplyKey, answer: &CachedAnswer) -> u64 {
        let bytes = key.request.len().saturating_add(answer.body.len()).saturating_add(heap_bytes(&answer.reply));
        ENTRY_BYTES.saturating_add(bytes as u64)
    }
}

impl ReplyCache {
    /// A cache of at most `max_bytes`. Zero keeps nothing.
    pub(crate) fn new(max_bytes: u64) -> Self {
        let items = usize::try_from(max_bytes / USUAL_BYTES).unwrap_or(usize::MAX);
        // One shard: an answer may then be as large as the whole cache.
        let options =
            OptionsBuilder::new().estimated_items_capacity(items).weight_capacity(max_bytes).shards(1).build();
        let cache = |options| {
            Cache::with_options(options, ByteWeighter, DefaultHashBuilder::default(), DefaultLifecycle::default())
        };
        Self { answers: options.ok().filter(|_| max_bytes > 0).map(cache) }
    }

    /// The answer to `request` about the document.
    pub(crate) fn get(&self, document: &OpenKey, request: &WorkerRequest) -> Option<CachedAnswer> {
        let answers = self.answers.as_ref()?;
        if let WorkerRequest::Cut { page, identify: false } | WorkerRequest::Fingerprint(page) = request {
            let both = answers.get(&key(document, &WorkerRequest::Cut { page: *page, identify: true })?);
            if let Some(answer) = both.and_then(|both| both.into_answer_to(request)) {
                return Some(answer);
            }
        }
        answers.get(&key(document, request)?)
    }

    /// The document's number of pages.
    pub(crate) fn page_count(&self, document: &OpenKey) -> Option<u32> {
        match self.answers.as_ref()?.get(&ReplyKey::of_page_count(document))?.reply {
            WorkerReply::Opened { page_count } => Some(page_count),
            _ => None,
        }
    }

    /// Keeps the document's number of pages.
    pub(crate) fn insert_page_count(&self, document: &OpenKey, page_count: u32) {
        let reply = WorkerReply::Opened { page_count };
        let answer = CachedAnswer { reply, extras: AnswerExtras::default(), body: Bytes::new() };
        if let Some(answers) = &self.answers {
            answers.insert(ReplyKey::of_page_count(document), answer);
        }
    }

    /// Bytes that are kept.
    pub(crate) fn bytes(&self) -> u64 {
        self.answers.as_ref().map_or(0, Cache::weight)
    }

    /// Keeps the answer to `request` about the document.
    pub(crate) fn insert(&self, document: &OpenKey, request: &WorkerRequest, answer: CachedAnswer) {
        if let (Some(answers), Some(key)) = (&self.answers, key(document, request)) {
            answers.insert(key, answer);
        }
    }
}

impl CachedAnswer {
    /// This answer to a request for a page and its fingerprint, as one to a request for either.
    fn into_answer_to(self, request: &WorkerRequest) -> Option<Self> {
        match (request, &self.reply) {
            (WorkerRequest::Fingerprint(_), WorkerReply::Chunk { fingerprint, .. }) => {
                Some(Self { reply: WorkerReply::Fingerprint((*fingerprint)?), body: Bytes::new(), ..self })
            }
            _ => Some(self),
        }
    }
}

/// Approximate size in memory of what a reply holds besides itself, in bytes. Only outlines are long.
fn heap_bytes(reply: &WorkerReply) -> usize {
    let item_bytes = |(_, title, _): &(u32, String, Option<u32>)| title.len().saturating_add(40);
    match reply {
        WorkerReply::Outline(outline) => outline.items.iter().map(item_bytes).sum(),
        WorkerReply::Annotations(annotations) => annotations.heap_bytes(),
        WorkerReply::Form(form) => form.heap_bytes(),
        _ => 0,
    }
}

fn key(document: &OpenKey, request: &WorkerRequest) -> Option<ReplyKey> {
    let request = serde_json::to_vec(request).ok()?;
    Some(ReplyKey { document: *document, request: request.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::pages::SharedHash;

    fn chunk(bytes: usize, fingerprint: Option<[u8; 32]>) -> CachedAnswer {
        let reply = WorkerReply::Chunk {
            tier: "direct".to_owned(),
            notes: Vec::new(),
            fingerprint,
            hash: SharedHash::default(),
        };
        CachedAnswer { reply, extras: AnswerExtras::default(), body: vec![7; bytes].into() }
    }

    #[test]
    fn an_answer_is_found_again_under_its_document_and_request_alone() {
        let cache = ReplyCache::new(1 << 20);
        let cut = |page| WorkerRequest::Cut { page, identify: true };
        cache.insert(&[1; 32], &cut(3), chunk(100, Some([9; 32])));
        assert_eq!(cache.get(&[1; 32], &cut(3)).map(|answer| answer.body.len()), Some(100));
        assert!(cache.get(&[1; 32], &cut(4)).is_none());
        assert!(cache.get(&[2; 32], &cut(3)).is_none());
        let alone = cache.get(&[1; 32], &WorkerRequest::Cut { page: 3, identify: false });
        assert_eq!(alone.map(|answer| answer.body.len()), Some(100));
        let fingerprint = cache.get(&[1; 32], &WorkerRequest::Fingerprint(3));
        assert!(
            matches!(fingerprint, Some(CachedAnswer { reply: WorkerReply::Fingerprint(found), .. }) if found == [9; 32])
        );
    }

    #[test]
    fn what_is_kept_has_a_bound() {
        let cache = ReplyCache::new(100_000);
        for page in 0..1_000 {
            cache.insert(&[1; 32], &WorkerRequest::Cut { page, identify: false }, chunk(10_000, None));
        }
        let kept = (0..1_000)
            .filter(|page| cache.get(&[1; 32], &WorkerRequest::Cut { page: *page, identify: false }).is_some());
        assert!((1..=9).contains(&kept.count()));
        assert!(ReplyCache::new(0).get(&[1; 32], &WorkerRequest::Info).is_none());
    }
}

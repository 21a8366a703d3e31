//! Fetches URLs safely and stores the results.
//!
//! - **Every address is checked before a connection.** A name is resolved once, each of its addresses is checked, and the
//!   client's connector gets only those ([`Resolver`]). An address in a URL is checked as the client reads it. Redirects
//!   are followed one by one, each as a new request.
//! - **Nothing that a server declares is trusted.** Bytes are counted after decompression as they arrive, and are written
//!   to disk in pieces. [`WebSettings`] limits time, speed, redirects, header fields and simultaneous requests to a host.
//! - **A large document is read by ranges where its server allows it** ([`Web::open`]), each of the version that the first
//!   one named.
//! - **The store is private and limited by age and size.** Its files are named by their hash. A stale URL is requested
//!   with its validators, so an unchanged document costs only a 304.
//!
//! Callers block on their own threads. The requests run on a runtime that starts at the first of them.

mod address;
mod body;
mod cache;
mod error;
mod fetch;
mod guard;
pub mod html;
pub mod http;
mod push;
mod ranges;
mod resolve;
mod settings;
mod store;
mod uploads;

use std::future::Future;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub use address::{AddressRange, NotARange};
pub use error::WebError;
pub use guard::{HostPattern, NotAHost, allowed_addresses};
pub use push::push_file;
pub use ranges::{OpenedUrl, RangedFile};
pub use resolve::{Lookup, Resolver, SystemResolver};
pub use settings::WebSettings;
pub use store::{
    FetchedResponse, FetchedUrl, NotAnUploadId, ResponseId, StoredText, StoredUpload, UploadDraft, UploadId,
    UploadOwner,
};

use self::fetch::{FetchResult, Fetcher};
use self::store::{FetchRecord, FetchStore};
use crate::http::Url;
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::Cancellation;

/// Fetches URLs and stores the results.
pub struct Web {
    settings: WebSettings,
    resolver: Arc<dyn Resolver>,
    store: Arc<FetchStore>,
    /// Created at the first fetch, because most processes need none.
    fetcher: Mutex<Option<Arc<Fetcher>>>,
    runtime: OnceLock<tokio::runtime::Runtime>,
    #[cfg(feature = "cloud")]
    buckets: ranges::Buckets,
}

/// A fetched body in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedFile {
    /// The URL after redirects.
    pub location: String,
    /// The `Content-Type` that the server declared.
    pub content_type: Option<String>,
    /// The hash of the body.
    pub content: ContentHash,
    /// The file that holds the body.
    pub path: PathBuf,
    /// Whether the body came from the store.
    pub was_stored: bool,
}

/// How a task on the runtime ended, as the waiting thread receives it.
enum TaskOutcome<T> {
    Done(T),
    Broken,
    Cancelled,
}

impl Web {
    /// Fetches within `settings` and stores in `folder`. Without a folder, results are stored until this is dropped.
    #[must_use]
    pub fn new(settings: WebSettings, folder: Option<PathBuf>) -> Self {
        Self::with_resolver(settings, folder, Arc::new(SystemResolver))
    }

    /// The same as [`Self::new`], with another resolver.
    #[must_use]
    pub fn with_resolver(settings: WebSettings, folder: Option<PathBuf>, resolver: Arc<dyn Resolver>) -> Self {
        let store = FetchStore::new(folder, settings.store_bytes, settings.store_age);
        Self {
            settings,
            resolver,
            store: Arc::new(store),
            fetcher: Mutex::default(),
            runtime: OnceLock::new(),
            #[cfg(feature = "cloud")]
            buckets: ranges::Buckets::default(),
        }
    }

    #[must_use]
    pub fn settings(&self) -> &WebSettings {
        &self.settings
    }

    /// Fetches `url`, or returns its stored body while that is fresh.
    ///
    /// # Errors
    /// The URL, its host or an address is not allowed; the fetch fails or reaches a limit; [`WebError::Cancelled`].
    pub fn fetch(&self, url: &str, cancellation: &Cancellation) -> Result<FetchedFile, WebError> {
        let url = self.check(url)?;
        match self.fresh_file(&url) {
            Some(fresh) => Ok(fresh),
            None => self.fetch_now(&url, cancellation),
        }
    }

    /// Parses a URL that may be fetched. The checks apply to stored bodies too.
    fn check(&self, url: &str) -> Result<Url, WebError> {
        self.settings.check_network()?;
        let url = guard::parse_url(url)?;
        guard::check_url(&url, &self.settings)?;
        Ok(url)
    }

    /// Like [`Self::check`]; takes objects in object storage too.
    fn check_document(&self, url: &str) -> Result<Url, WebError> {
        match guard::parse_url(url) {
            Ok(object) if guard::is_object(&object) && self.settings.check_network().is_ok() => {
                guard::check_object(&object, &self.settings).map(|()| object)
            }
            _ => self.check(url),
        }
    }

    /// Fetches `url`, or revalidates its stored body.
    fn fetch_now(&self, url: &Url, cancellation: &Cancellation) -> Result<FetchedFile, WebError> {
        let (fetcher, store, target) = (self.fetcher()?, Arc::clone(&self.store), url.clone());
        let result = self.wait(async move { fetcher.fetch(target, &store).await }, cancellation)??;
        self.keep_records(url, result)
    }

    fn fresh_file(&self, url: &Url) -> Option<FetchedFile> {
        let is_fresh = |kept: &FetchRecord| cache::is_fresh(kept.fresh_until, cache::now(), self.settings.fresh);
        let (record, content) = self.store.record_and_body(url).filter(|(kept, _)| is_fresh(kept))?;
        let path = self.store.document(&content)?;
        Some(FetchedFile {
            location: record.location,
            content_type: record.content_type,
            content,
            path,
            was_stored: true,
        })
    }

    /// Stores the record under the requested URL and under the URL after redirects.
    fn keep_records(&self, url: &Url, result: FetchResult) -> Result<FetchedFile, WebError> {
        let (record, content, was_stored) = match result {
            FetchResult::New(body, record) => (record, body.content, false),
            FetchResult::Unchanged(record) => {
                let location = guard::parse_url(&record.location)?;
                let kept = self.store.record_and_body(&location);
                let (_, content) =
                    kept.ok_or_else(|| WebError::failed("the kept copy was removed meanwhile; try again"))?;
                (record, content, true)
            }
        };
        let path = self.store.document(&content).ok_or(WebError::ContentNotFound)?;
        let found_at = Some(&record.location).filter(|location| *location != url.as_str());
        let found_at = found_at.map(|location| guard::parse_url(location)).transpose()?;
        for url in [Some(url), found_at.as_ref()].into_iter().flatten() {
            // Without the record, the next request only fetches the body again.
            let _ = self.store.keep_record(url, &record, &content);
        }
        Ok(FetchedFile { location: record.location, content_type: record.content_type, content, path, was_stored })
    }

    /// The file of a stored body.
    #[must_use]
    pub fn document(&self, content: &ContentHash) -> Option<PathBuf> {
        self.store.document(content)
    }

    /// The text that is stored under `key`.
    #[must_use]
    pub fn text(&self, key: &ContentHash) -> Option<StoredText> {
        self.store.text(key)
    }

    /// Stores a text.
    ///
    /// # Errors
    /// [`WebError::Store`].
    pub fn keep_text(&self, key: &ContentHash, text: &StoredText) -> Result<(), WebError> {
        self.store.keep_text(key, text)
    }

    /// Stores the result of one call and returns its id.
    ///
    /// # Errors
    /// [`WebError::Store`].
    pub fn keep_response(&self, response: &FetchedResponse) -> Result<ResponseId, WebError> {
        let id = ResponseId::generate();
        self.store.keep_response(&id, response)?;
        Ok(id)
    }

    /// The result of one call of one of `owners`; without owners, of a call that has none.
    ///
    /// # Errors
    /// [`WebError::ContentNotFound`], both for an unknown id and for the id of another owner.
    pub fn response(&self, id: &str, owners: &[ContentHash]) -> Result<FetchedResponse, WebError> {
        let is_owned = |response: &FetchedResponse| match &response.owner {
            Some(owner) => owners.contains(owner),
            None => owners.is_empty(),
        };
        let response = id.parse().ok().and_then(|id| self.store.response(&id));
        response.filter(is_owned).ok_or(WebError::ContentNotFound)
    }

    fn fetcher(&self) -> Result<Arc<Fetcher>, WebError> {
        let mut slot = self.fetcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fetcher) = &*slot {
            return Ok(Arc::clone(fetcher));
        }
        let fetcher = Arc::new(Fetcher::new(self.settings.clone(), Arc::clone(&self.resolver))?);
        *slot = Some(Arc::clone(&fetcher));
        Ok(fetcher)
    }

    /// Runs `work` on the runtime and blocks until it ends or the caller cancels.
    fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
        cancellation: &Cancellation,
    ) -> Result<T, WebError> {
        let (sender, receiver) = sync_channel(2);
        let canceller = sender.clone();
        // In both closures the receiver may be gone already.
        let _registration = cancellation.on_cancel(move || drop(canceller.try_send(TaskOutcome::Cancelled)));
        let work = self.runtime()?.spawn(work);
        let abort = work.abort_handle();
        self.runtime()?
            .spawn(async move { drop(sender.try_send(work.await.map_or(TaskOutcome::Broken, TaskOutcome::Done))) });
        match receiver.recv() {
            Ok(TaskOutcome::Done(value)) => Ok(value),
            Ok(TaskOutcome::Cancelled) => {
                abort.abort();
                Err(WebError::Cancelled)
            }
            Ok(TaskOutcome::Broken) | Err(_) => Err(WebError::failed("the fetch broke")),
        }
    }

    fn runtime(&self) -> Result<&tokio::runtime::Runtime, WebError> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let built =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name("web").enable_all().build();
        let built = built.map_err(WebError::failed)?;
        if let Err(unused) = self.runtime.set(built) {
            unused.shutdown_background();
        }
        self.runtime.get().ok_or_else(|| WebError::failed("no runtime"))
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // The client's connections belong to the runtime, so they are dropped first. Nothing blocks here, because this
        // may be a thread of an async runtime.
        *self.fetcher.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

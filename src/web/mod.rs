//! The web: fetching what an agent names, without being led anywhere else, and keeping it.
//!
//! - **No connection is made to an address that was not checked.** A name is looked up once, every address of it is
//!   checked, and the client's connector finds those addresses or nothing ([`Resolver`]). An address in a URL is checked
//!   as the client reads it. Redirects are followed here, one by one, each as a new request.
//! - **Nothing is believed.** Lengths, types and codings are claims; bytes are counted as they come, decompressed, and
//!   go to disk piece by piece. Time, speed, redirects, header fields and requests at once to a host are bounded by
//!   [`WebSettings`].
//! - **What is kept is private**, by its hash, and bounded by age and size. A URL is asked for again only when its answer
//!   is no longer fresh, and then with its validators, so that an unchanged document costs a 304.
//!
//! Callers wait on threads of their own; the requests run on a runtime of this room, started at the first of them.

mod address;
mod body;
mod cache;
mod error;
mod fetch;
mod guard;
mod resolve;
mod settings;
mod store;

use std::future::Future;
use std::path::PathBuf;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub use address::{AddressRange, NotARange};
pub use error::WebError;
pub use guard::{HostPattern, NotAHost, judged};
pub use resolve::{Lookup, Resolver, SystemResolver};
pub use settings::WebSettings;
pub use store::{FetchedResponse, FetchedUrl, ResponseId, StoredText};

use self::fetch::{Fetcher, Got};
use self::store::{FetchRecord, FetchStore};
use crate::hash::ContentHash;
use crate::http::Url;
use crate::limits::Cancellation;

/// Fetches and keeps.
pub struct Web {
    settings: WebSettings,
    resolver: Arc<dyn Resolver>,
    store: Arc<FetchStore>,
    /// Started at the first fetch: most processes never need it.
    engine: Mutex<Option<Engine>>,
    runtime: OnceLock<tokio::runtime::Runtime>,
}

type Engine = Arc<Fetcher>;

/// A body that was fetched, and lies in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it was found, after redirects.
    pub location: String,
    /// What the server says that it is.
    pub content_type: Option<String>,
    /// The hash of the body.
    pub content: ContentHash,
    /// The file that holds the body.
    pub path: PathBuf,
    /// Whether what was kept already still held.
    pub was_kept: bool,
}

/// How a fetch ended, for the one who waits.
enum End<T> {
    Done(T),
    Broken,
    Cancelled,
}

impl Web {
    /// Fetches within `settings`, and keeps in `folder`; without one, until this is dropped.
    #[must_use]
    pub fn new(settings: WebSettings, folder: Option<PathBuf>) -> Self {
        Self::with_resolver(settings, folder, Arc::new(SystemResolver))
    }

    /// The same with another way from names to addresses.
    #[must_use]
    pub fn with_resolver(settings: WebSettings, folder: Option<PathBuf>, resolver: Arc<dyn Resolver>) -> Self {
        let store = FetchStore::new(folder, settings.store_bytes, settings.store_age);
        Self { settings, resolver, store: Arc::new(store), engine: Mutex::default(), runtime: OnceLock::new() }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &WebSettings {
        &self.settings
    }

    /// Fetches `url`, or takes what is kept of it while that is fresh.
    ///
    /// # Errors
    /// Every refusal of the URL, its host and its addresses; every failure and bound of the fetch;
    /// [`WebError::Cancelled`].
    pub fn fetch(&self, url: &str, cancellation: &Cancellation) -> Result<Fetched, WebError> {
        if let Some(setting) = self.settings.switched_off() {
            return Err(WebError::Offline { setting });
        }
        let url = guard::parsed(url)?;
        // Also what is kept is had only by a URL that may be asked.
        guard::admitted(&url, &self.settings)?;
        if let Some(fresh) = self.fresh(&url) {
            return Ok(fresh);
        }
        let (fetcher, store, asked) = (self.engine()?, Arc::clone(&self.store), url.clone());
        let got = self.wait(async move { fetcher.fetch(asked, &store).await }, cancellation)??;
        self.kept(&url, got)
    }

    fn fresh(&self, url: &Url) -> Option<Fetched> {
        let is_fresh = |kept: &FetchRecord| cache::is_fresh(kept.fresh_until, cache::now(), self.settings.fresh);
        let (record, content) = self.store.record_and_body(url).filter(|(kept, _)| is_fresh(kept))?;
        let path = self.store.document(&content)?;
        Some(Fetched { location: record.location, content_type: record.content_type, content, path, was_kept: true })
    }

    /// Notes what is known now, under the URL that was asked for and where it was found.
    fn kept(&self, url: &Url, got: Got) -> Result<Fetched, WebError> {
        let (record, content, was_kept) = match got {
            Got::New(body, record) => (record, body.content, false),
            Got::Unchanged(record) => {
                let location = guard::parsed(&record.location)?;
                let kept = self.store.record_and_body(&location);
                let (_, content) = kept.ok_or_else(|| WebError::failed("what was kept went meanwhile; try again"))?;
                (record, content, true)
            }
        };
        let path = self.store.document(&content).ok_or(WebError::ContentNotFound)?;
        let found_at = Some(&record.location).filter(|location| *location != url.as_str());
        let found_at = found_at.map(|location| guard::parsed(location)).transpose()?;
        for url in [Some(url), found_at.as_ref()].into_iter().flatten() {
            // What cannot be written down is asked for anew the next time; the body is here.
            let _ = self.store.keep_record(url, &record, &content);
        }
        Ok(Fetched { location: record.location, content_type: record.content_type, content, path, was_kept })
    }

    /// The file of a body that is kept.
    #[must_use]
    pub fn document(&self, content: &ContentHash) -> Option<PathBuf> {
        self.store.document(content)
    }

    /// The text that is kept under `key`.
    #[must_use]
    pub fn text(&self, key: &ContentHash) -> Option<StoredText> {
        self.store.text(key)
    }

    /// Keeps a text.
    ///
    /// # Errors
    /// [`WebError::Store`].
    pub fn keep_text(&self, key: &ContentHash, text: &StoredText) -> Result<(), WebError> {
        self.store.keep_text(key, text)
    }

    /// Keeps what one call fetched; its id.
    ///
    /// # Errors
    /// [`WebError::Store`].
    pub fn keep_response(&self, response: &FetchedResponse) -> Result<ResponseId, WebError> {
        let id = ResponseId::mint();
        self.store.keep_response(&id, response)?;
        Ok(id)
    }

    /// What one call of `owner` fetched.
    ///
    /// # Errors
    /// [`WebError::ContentNotFound`], the same whether there is no such id or it is another's.
    pub fn response(&self, id: &str, owner: Option<&ContentHash>) -> Result<FetchedResponse, WebError> {
        let response = id.parse().ok().and_then(|id| self.store.response(&id));
        response.filter(|response| response.owner.as_ref() == owner).ok_or(WebError::ContentNotFound)
    }

    fn engine(&self) -> Result<Engine, WebError> {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = &*engine {
            return Ok(Arc::clone(engine));
        }
        let fetcher = Arc::new(Fetcher::new(self.settings.clone(), Arc::clone(&self.resolver))?);
        *engine = Some(Arc::clone(&fetcher));
        Ok(fetcher)
    }

    /// Runs `work` on the runtime and waits for it here, for as long as somebody waits for that.
    fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
        cancellation: &Cancellation,
    ) -> Result<T, WebError> {
        let (done, end) = sync_channel(2);
        let woken = done.clone();
        // Whoever waited may have gone, in both.
        let _waking = cancellation.on_cancel(move || drop(woken.try_send(End::Cancelled)));
        let work = self.runtime()?.spawn(work);
        let stop = work.abort_handle();
        self.runtime()?.spawn(async move { drop(done.try_send(work.await.map_or(End::Broken, End::Done))) });
        match end.recv() {
            Ok(End::Done(value)) => Ok(value),
            Ok(End::Cancelled) => {
                stop.abort();
                Err(WebError::Cancelled)
            }
            Ok(End::Broken) | Err(_) => Err(WebError::failed("the fetch broke")),
        }
    }

    fn runtime(&self) -> Result<&tokio::runtime::Runtime, WebError> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let built =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name("web").enable_all().build();
        let built = built.map_err(WebError::failed)?;
        if let Err(spare) = self.runtime.set(built) {
            spare.shutdown_background();
        }
        self.runtime.get().ok_or_else(|| WebError::failed("no runtime"))
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        // The client's connections are of the runtime: they go first, and nothing is waited for, since this may be a
        // thread that must not wait.
        *self.engine.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

//! Documents that are read where they are: only the blocks that a reader asks for are fetched.
//!
//! A web server has to send ranges and a strong validator. [`Web::open`] finds that out with the request for the first bytes.
//! Otherwise the document is fetched whole.

mod file;
#[cfg(feature = "cloud")]
mod object;
#[cfg(feature = "cloud")]
mod object_files;
mod request;

use std::sync::Arc;
use std::time::Instant;

pub use file::RangedFile;
#[cfg(feature = "cloud")]
pub(super) use object::{Buckets, ObjectAddress};

use self::file::{FIRST_BYTES, RangeSource};
use self::request::FirstResponse;
use super::cache::{self, Validators};
use super::error::WebError;
use super::fetch::FetchResult;
use super::store::{FetchRecord, RangedVersion};
use super::{FetchedFile, Web, guard};
use crate::http::Url;
#[cfg(feature = "cloud")]
use crate::http::header::HeaderMap;
use pagewise_base::limits::Cancellation;

/// The document at a URL.
#[derive(Debug)]
pub enum OpenedUrl {
    Whole(FetchedFile),
    /// It is read by ranges.
    Ranged(Box<RangedFile>),
}

impl Web {
    /// Opens the document at `url`: by ranges if its server allows it, else by fetching it whole.
    ///
    /// # Errors
    /// As [`Web::fetch`].
    pub fn open(self: &Arc<Self>, url: &str, cancellation: &Cancellation) -> Result<OpenedUrl, WebError> {
        let url = self.check_document(url)?;
        if let Some(fresh) = self.fresh_file(&url) {
            return Ok(OpenedUrl::Whole(fresh));
        }
        if let Some(version) = self.fresh_version(&url) {
            return self.ranged(url, version, cancellation);
        }
        match self.fetch_first(&url, cancellation)? {
            FirstResponse::Whole(result) => self.keep_records(&url, result).map(OpenedUrl::Whole),
            FirstResponse::NoRanges => self.fetch_now(&url, cancellation).map(OpenedUrl::Whole),
            FirstResponse::Part(version, bytes) => {
                self.keep_version(&url, &version);
                let file = RangedFile::new(self, url, version, cancellation)?;
                if let Some(bytes) = bytes {
                    file.keep_first(bytes);
                }
                Ok(OpenedUrl::Ranged(Box::new(file)))
            }
        }
    }

    fn fetch_first(&self, url: &Url, cancellation: &Cancellation) -> Result<FirstResponse, WebError> {
        if guard::is_object(url) {
            return self.fetch_first_of_object(url, cancellation);
        }
        let (fetcher, store, target) = (self.fetcher()?, Arc::clone(&self.store), url.clone());
        self.wait(async move { fetcher.fetch_first(target, FIRST_BYTES, &store).await }, cancellation)?
    }

    #[cfg(feature = "cloud")]
    fn fetch_first_of_object(&self, url: &Url, cancellation: &Cancellation) -> Result<FirstResponse, WebError> {
        let (address, kept) = (self.buckets.address(url, &self.settings)?, self.store.version(url));
        let (limit, asked_about) = (self.settings.deadline, kept.clone());
        let request = async move {
            let first = tokio::time::timeout(limit, address.fetch_first(FIRST_BYTES, asked_about.as_ref()));
            first.await.unwrap_or(Err(WebError::Timeout { limit, setting: "web_deadline_ms" }))
        };
        let first = self.wait(request, cancellation)??;
        let fresh_until = cache::fresh_until(&HeaderMap::new(), self.settings.fresh);
        match (first, kept) {
            (Some((length, etag, bytes)), _) => {
                let version =
                    RangedVersion { location: url.to_string(), etag, length, content_type: None, fresh_until };
                Ok(FirstResponse::Part(version, Some(bytes)))
            }
            (None, Some(kept)) => Ok(FirstResponse::Part(RangedVersion { fresh_until, ..kept }, None)),
            (None, None) => Err(WebError::failed("the storage sent nothing")),
        }
    }

    #[cfg(not(feature = "cloud"))]
    fn fetch_first_of_object(&self, _: &Url, _: &Cancellation) -> Result<FirstResponse, WebError> {
        Err(WebError::NoObjectStorage)
    }

    /// Where the ranges of a document come from.
    fn range_source(&self, location: &Url) -> Result<RangeSource, WebError> {
        #[cfg(feature = "cloud")]
        if guard::is_object(location) {
            guard::check_object(location, &self.settings)?;
            return Ok(RangeSource::Object(self.buckets.address(location, &self.settings)?));
        }
        guard::check_url(location, &self.settings)?;
        Ok(RangeSource::Web(self.fetcher()?, location.clone()))
    }

    fn ranged(
        self: &Arc<Self>,
        url: Url,
        version: RangedVersion,
        cancellation: &Cancellation,
    ) -> Result<OpenedUrl, WebError> {
        RangedFile::new(self, url, version, cancellation).map(Box::new).map(OpenedUrl::Ranged)
    }

    fn fresh_version(&self, url: &Url) -> Option<RangedVersion> {
        let is_fresh = |kept: &RangedVersion| cache::is_fresh(kept.fresh_until, cache::now(), self.settings.fresh);
        self.store.version(url).filter(is_fresh)
    }

    /// Stores a version under the requested URL and under the URL after redirects. Without it, the next request only asks
    /// for the first bytes again.
    fn keep_version(&self, url: &Url, version: &RangedVersion) {
        let _ = self.store.keep_version(url, version);
        match guard::parse_url(&version.location) {
            Ok(location) if location != *url => drop(self.store.keep_version(&location, version)),
            _ => {}
        }
    }

    /// Fetches the rest of a document that was opened by ranges, and stores it whole.
    ///
    /// # Errors
    /// [`WebError::TooLarge`], and as [`Web::fetch`].
    pub fn fetch_rest(&self, file: &RangedFile) -> Result<FetchedFile, WebError> {
        let (found, limit) = (file.len(), self.settings.max_bytes);
        if found > limit {
            return Err(WebError::TooLarge { found, limit, setting: "web_max_bytes" });
        }
        let mut draft = self.store.create_draft()?;
        file.write_whole(&mut draft, Instant::now() + self.settings.deadline)?;
        let RangedVersion { location, etag, content_type, fresh_until, .. } = file.version().clone();
        let validators = Validators { etag: Some(etag), last_modified: None };
        let record = FetchRecord { location, content_type, validators, fresh_until };
        let body = self.store.keep_body(draft)?;
        file.forget_version();
        self.keep_records(file.url(), FetchResult::New(body, record))
    }
}

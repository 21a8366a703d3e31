//! One URL, from the request to the last byte.
//!
//! What is sent: `Accept`, `Accept-Encoding`, `User-Agent`, and the validators of the very URL that is asked. There are
//! no cookies, no credentials and no referrer, so that a redirect to another origin carries nothing to it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::body;
use super::cache::{self, Validators};
use super::error::WebError;
use super::guard::{admitted, check_address, check_addresses};
use super::resolve::{Pins, Resolver};
use super::settings::WebSettings;
use super::store::{Body, FetchRecord, FetchStore};
use crate::http::{self, Client, Response, StatusCode, Url, header};

/// What is asked for, the readable before the rest.
const ACCEPT: &str =
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.8,*/*;q=0.5";

/// Addresses of one name that are tried.
const MAX_ADDRESSES: usize = 16;

/// What the client says of a head that it did not read to its end; it has no kind of error for that.
const HEAD_TOO_LARGE: &str = "message head is too large";

/// Fetches within the settings.
pub(super) struct Fetcher {
    settings: WebSettings,
    client: Client,
    resolver: Arc<dyn Resolver>,
    pins: Pins,
    hosts: Hosts,
}

/// What came of asking.
pub(super) enum Got {
    /// A body, kept.
    New(Body, FetchRecord),
    /// The server says that what is kept is what it has.
    Unchanged(FetchRecord),
}

enum Step {
    Redirected(Url),
    Arrived(Box<Got>),
}

impl Fetcher {
    pub(super) fn new(settings: WebSettings, resolver: Arc<dyn Resolver>) -> Result<Self, WebError> {
        let pins = Pins::default();
        let mut builder = http::client().dns_resolver(pins.clone());
        // Over HTTP/1 the client's own bound cannot be set: it gives up a head of 408 KiB or 100 fields.
        builder = builder.http2_max_header_list_size(u32::try_from(settings.max_header_bytes).unwrap_or(u32::MAX));
        builder = builder.pool_max_idle_per_host(settings.host_connections).connect_timeout(settings.deadline);
        if let Some(file) = &settings.ca_file {
            let unreadable = |reason: String| WebError::failed(format!("web_ca_file {}: {reason}", file.display()));
            let pem = std::fs::read(file).map_err(|error| unreadable(error.to_string()))?;
            builder = http::trusting(builder, &pem).map_err(|error| unreadable(error.to_string()))?;
        }
        let client = builder.build().map_err(|error| WebError::of_client(&error))?;
        let hosts = Hosts::new(settings.host_connections);
        Ok(Self { settings, client, resolver, pins, hosts })
    }

    /// Fetches `url`; what is kept of it is asked about instead of fetched again.
    pub(super) async fn fetch(&self, url: Url, store: &FetchStore) -> Result<Got, WebError> {
        let limit = self.settings.deadline;
        let timeout = WebError::Timeout { limit, setting: "web_deadline_ms" };
        tokio::time::timeout(limit, self.follow(url, store)).await.map_err(|_| timeout)?
    }

    async fn follow(&self, mut url: Url, store: &FetchStore) -> Result<Got, WebError> {
        for _ in 0..=self.settings.max_redirects {
            match self.step(&url, store).await? {
                Step::Arrived(got) => return Ok(*got),
                Step::Redirected(to) if url.scheme() == "https" && to.scheme() == "http" => {
                    return Err(WebError::Downgrade { to: without_secrets(to) });
                }
                Step::Redirected(to) => url = to,
            }
        }
        Err(WebError::Redirects { limit: self.settings.max_redirects })
    }

    /// One request. Only addresses that were looked up and checked here are connected to.
    async fn step(&self, url: &Url, store: &FetchStore) -> Result<Step, WebError> {
        let (host, literal) = admitted(url, &self.settings)?;
        let _turn = self.hosts.turn(&host).await?;
        let _held = match literal {
            Some(_) => None,
            None => Some(self.pins.hold(&host, self.addresses(&host).await?)),
        };
        let kept = store.record(url).filter(|kept| kept.location == url.as_str());
        let mut request = self.client.get(url.clone()).header(header::ACCEPT, ACCEPT);
        for (name, value) in kept.iter().flat_map(|kept| kept.validators.fields()) {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(|error| self.unanswered(&error))?;
        self.check(&host, &response)?;
        self.judged(url, response, kept, store).await
    }

    /// Why there is no answer.
    fn unanswered(&self, error: &http::HttpError) -> WebError {
        match WebError::of_client(error) {
            WebError::Failed { reason } if reason == HEAD_TOO_LARGE => {
                WebError::HeaderTooLarge { limit: self.settings.max_header_bytes }
            }
            other => other,
        }
    }

    async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, WebError> {
        let found = self.resolver.lookup(host.to_owned()).await;
        let mut addresses = found.map_err(|error| WebError::failed(format!("{host} has no address: {error}")))?;
        check_addresses(host, &addresses, &self.settings)?;
        addresses.truncate(MAX_ADDRESSES);
        if addresses.is_empty() { Err(WebError::failed(format!("{host} has no address"))) } else { Ok(addresses) }
    }

    /// That the other side is who was checked, and that its header is of a size.
    fn check(&self, host: &str, response: &Response) -> Result<(), WebError> {
        if let Some(address) = response.remote_addr() {
            check_address(host, address.ip(), &self.settings)?;
        }
        let field = |(name, value): (&header::HeaderName, &header::HeaderValue)| name.as_str().len() + value.len();
        let found = response.headers().iter().map(field).sum::<usize>() as u64;
        let limit = self.settings.max_header_bytes;
        if found > limit { Err(WebError::HeaderTooLarge { limit }) } else { Ok(()) }
    }

    async fn judged(
        &self,
        url: &Url,
        response: Response,
        kept: Option<FetchRecord>,
        store: &FetchStore,
    ) -> Result<Step, WebError> {
        let status = response.status();
        if let Some(to) = redirect(status, &response).and_then(|location| url.join(location).ok()) {
            return Ok(Step::Redirected(to));
        }
        match (status, kept) {
            (StatusCode::NOT_MODIFIED, Some(kept)) => {
                let fresh_until = cache::fresh_until(response.headers(), self.settings.fresh);
                Ok(Step::Arrived(Box::new(Got::Unchanged(FetchRecord { fresh_until, ..kept }))))
            }
            (StatusCode::OK | StatusCode::NON_AUTHORITATIVE_INFORMATION, _) => {
                let record = FetchRecord {
                    location: url.to_string(),
                    content_type: text_of(&response, &header::CONTENT_TYPE),
                    validators: Validators::of(response.headers()),
                    fresh_until: cache::fresh_until(response.headers(), self.settings.fresh),
                };
                let body = body::streamed(response, &self.settings, store).await?;
                Ok(Step::Arrived(Box::new(Got::New(body, record))))
            }
            _ => Err(WebError::Status { status: status.to_string(), code: status.as_u16() }),
        }
    }
}

/// A URL without what an error must not repeat. One that can have no credentials has none.
fn without_secrets(mut url: Url) -> String {
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.to_string()
}

/// Where a redirect leads.
fn redirect(status: StatusCode, response: &Response) -> Option<&str> {
    let follows = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
    response.headers().get(header::LOCATION).filter(|_| follows)?.to_str().ok()
}

fn text_of(response: &Response, name: &header::HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Who may ask a host: so many at once.
struct Hosts {
    at_once: usize,
    turns: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// Hosts whose turns are kept; beyond it those that nobody waits for are forgotten.
const MAX_HOSTS: usize = 256;

impl Hosts {
    fn new(at_once: usize) -> Self {
        Self { at_once: at_once.max(1), turns: Mutex::default() }
    }

    async fn turn(&self, host: &str) -> Result<OwnedSemaphorePermit, WebError> {
        self.of(host).acquire_owned().await.map_err(WebError::failed)
    }

    fn of(&self, host: &str) -> Arc<Semaphore> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= MAX_HOSTS {
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
        }
        Arc::clone(turns.entry(host.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.at_once))))
    }
}

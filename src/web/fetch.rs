//! Fetches one URL, from the request to the last byte of the body.
//!
//! A request sends `Accept`, `Accept-Encoding`, `User-Agent`, and the validators of exactly this URL. It sends no cookies,
//! credentials or referrer, so a redirect reveals nothing to another origin.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::body;
use super::cache::{self, Validators};
use super::error::WebError;
use super::guard::{check_address, check_addresses, check_url};
use super::resolve::{AddressHold, CheckedAddresses, Resolver};
use super::settings::WebSettings;
use super::store::{FetchRecord, FetchStore, StoredBody};
use crate::http::{self, Client, ClientBuilder, Response, StatusCode, Url, header};

/// The accepted types, with readable ones preferred.
const ACCEPT: &str =
    "text/html,application/xhtml+xml,application/pdf;q=0.9,text/*;q=0.8,application/json;q=0.8,*/*;q=0.5";

/// The number of addresses that are tried for one name.
const MAX_ADDRESSES: usize = 16;

/// The HTTP client's message for a header that is too large. It has no error type for this case.
const HEAD_TOO_LARGE: &str = "message head is too large";

/// Fetches URLs within the settings.
pub(super) struct Fetcher {
    settings: WebSettings,
    client: Client,
    resolver: Arc<dyn Resolver>,
    checked_addresses: CheckedAddresses,
    hosts: HostTurns,
}

/// The result of a successful fetch.
pub(super) enum FetchResult {
    New(StoredBody, FetchRecord),
    /// The server confirmed that the stored body is current.
    Unchanged(FetchRecord),
}

impl Fetcher {
    pub(super) fn new(settings: WebSettings, resolver: Arc<dyn Resolver>) -> Result<Self, WebError> {
        let checked_addresses = CheckedAddresses::default();
        let mut builder = http::client().dns_resolver(checked_addresses.clone());
        // The client's own limits cannot be set: 408 KiB or 100 header fields.
        builder = builder.pool_max_idle_per_host(settings.host_connections).connect_timeout(settings.deadline);
        let client = with_authorities(builder, &settings)?.build().map_err(|error| WebError::from_client(&error))?;
        let hosts = HostTurns::new(settings.host_connections);
        Ok(Self { settings, client, resolver, checked_addresses, hosts })
    }

    /// Fetches `url`, or revalidates its stored body.
    pub(super) async fn fetch(&self, url: Url, store: &FetchStore) -> Result<FetchResult, WebError> {
        let limit = self.settings.deadline;
        let timeout = WebError::Timeout { limit, setting: "web_deadline_ms" };
        tokio::time::timeout(limit, self.follow(url, store)).await.map_err(|_| timeout)?
    }

    async fn follow(&self, mut url: Url, store: &FetchStore) -> Result<FetchResult, WebError> {
        for _ in 0..=self.settings.max_redirects {
            let kept = store.record(&url).filter(|kept| kept.location == url.as_str());
            let fields = kept.iter().flat_map(|kept| kept.validators.fields());
            let Exchange { response, hold: _hold } = self.request(&url, fields).await?;
            match redirect(&url, &response)? {
                Some(to) => url = to,
                None => return self.result(&url, response, kept, store).await,
            }
        }
        Err(self.too_many_redirects())
    }

    pub(super) fn too_many_redirects(&self) -> WebError {
        WebError::Redirects { limit: self.settings.max_redirects }
    }

    /// Sends one request. The client can connect only to addresses that were resolved and checked here.
    pub(super) async fn request(
        &self,
        url: &Url,
        fields: impl Iterator<Item = (header::HeaderName, &str)>,
    ) -> Result<Exchange, WebError> {
        let (host, literal) = check_url(url, &self.settings)?;
        let turn = self.hosts.acquire_turn(&host).await?;
        let hold = match literal {
            Some(_) => None,
            None => Some(self.checked_addresses.hold(&host, self.addresses(&host).await?)),
        };
        let mut request = self.client.get(url.clone()).header(header::ACCEPT, ACCEPT);
        for (name, value) in fields {
            request = request.header(name, value);
        }
        let response = request.send().await.map_err(|error| self.request_error(&error))?;
        self.check_response(&host, &response)?;
        Ok(Exchange { response, hold: RequestHold { _turn: turn, _addresses: hold } })
    }

    /// The reason why there is no response.
    fn request_error(&self, error: &http::HttpError) -> WebError {
        match WebError::from_client(error) {
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

    /// Checks the address that the client connected to, and the size of the header.
    fn check_response(&self, host: &str, response: &Response) -> Result<(), WebError> {
        if let Some(address) = response.remote_addr() {
            check_address(host, address.ip(), &self.settings)?;
        }
        let field = |(name, value): (&header::HeaderName, &header::HeaderValue)| name.as_str().len() + value.len();
        let found = response.headers().iter().map(field).sum::<usize>() as u64;
        let limit = self.settings.max_header_bytes;
        if found > limit { Err(WebError::HeaderTooLarge { limit }) } else { Ok(()) }
    }

    /// The result of a response that is no redirect. `kept` is what the store has of the URL.
    pub(super) async fn result(
        &self,
        url: &Url,
        response: Response,
        kept: Option<FetchRecord>,
        store: &FetchStore,
    ) -> Result<FetchResult, WebError> {
        let status = response.status();
        match (status, kept) {
            (StatusCode::NOT_MODIFIED, Some(kept)) => {
                let fresh_until = cache::fresh_until(response.headers(), self.settings.fresh);
                Ok(FetchResult::Unchanged(FetchRecord { fresh_until, ..kept }))
            }
            (StatusCode::OK | StatusCode::NON_AUTHORITATIVE_INFORMATION, _) => {
                let record = self.record_of(url, &response);
                Ok(FetchResult::New(body::write_body(response, &self.settings, store).await?, record))
            }
            _ => Err(status_error(status)),
        }
    }

    /// The metadata of a body that `response` brings whole.
    pub(super) fn record_of(&self, url: &Url, response: &Response) -> FetchRecord {
        FetchRecord {
            location: url.to_string(),
            content_type: header_text(response, &header::CONTENT_TYPE),
            validators: Validators::of(response.headers()),
            fresh_until: cache::fresh_until(response.headers(), self.settings.fresh),
        }
    }

    pub(super) fn settings(&self) -> &WebSettings {
        &self.settings
    }
}

/// Makes `builder` also trust the authorities of the setting `web_ca_file`.
pub(super) fn with_authorities(builder: ClientBuilder, settings: &WebSettings) -> Result<ClientBuilder, WebError> {
    let Some(file) = &settings.ca_file else { return Ok(builder) };
    let unreadable = |reason: String| WebError::failed(format!("web_ca_file {}: {reason}", file.display()));
    let pem = std::fs::read(file).map_err(|error| unreadable(error.to_string()))?;
    http::trusting(builder, &pem).map_err(|error| unreadable(error.to_string()))
}

/// A response whose body is still to be read.
pub(super) struct Exchange {
    pub(super) response: Response,
    /// Kept until the body was read.
    pub(super) hold: RequestHold,
}

/// The turn of a request at its host, and the addresses that it may connect to.
pub(super) struct RequestHold {
    _turn: OwnedSemaphorePermit,
    _addresses: Option<AddressHold>,
}

/// The error for a status that brings no body.
pub(super) fn status_error(status: StatusCode) -> WebError {
    WebError::Status { status: status.to_string(), code: status.as_u16() }
}

/// Where `response` redirects to, if it does.
pub(super) fn redirect(url: &Url, response: &Response) -> Result<Option<Url>, WebError> {
    let location = redirect_target(response.status(), response);
    match location.and_then(|location| url.join(location).ok()) {
        Some(to) if url.scheme() == "https" && to.scheme() == "http" => {
            Err(WebError::Downgrade { to: without_secrets(to) })
        }
        to => Ok(to),
    }
}

/// The URL without credentials, which an error must not repeat.
fn without_secrets(mut url: Url) -> String {
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.to_string()
}

fn redirect_target(status: StatusCode, response: &Response) -> Option<&str> {
    let follows = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
    response.headers().get(header::LOCATION).filter(|_| follows)?.to_str().ok()
}

fn header_text(response: &Response, name: &header::HeaderName) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// Limits the number of simultaneous requests to each host.
struct HostTurns {
    at_once: usize,
    turns: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// From this number of hosts on, those without a pending request are removed.
const MAX_HOSTS: usize = 256;

impl HostTurns {
    fn new(at_once: usize) -> Self {
        Self { at_once: at_once.max(1), turns: Mutex::default() }
    }

    async fn acquire_turn(&self, host: &str) -> Result<OwnedSemaphorePermit, WebError> {
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

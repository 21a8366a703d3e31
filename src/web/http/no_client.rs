//! Stands in for the client in a build without it. No [`Client`] exists, so nothing here is ever called but [`client`]
//! and what leads to the refusal of `build`.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use ::http::StatusCode;
use ::http::header::HeaderMap;
use bytes::Bytes;

/// There is no client.
#[derive(Debug, thiserror::Error)]
#[error("built without an HTTP client")]
pub struct HttpError;

#[derive(Debug)]
pub struct ClientBuilder;

#[derive(Debug, Clone)]
pub struct Client(Infallible);

#[derive(Debug)]
pub struct RequestBuilder(Infallible);

#[derive(Debug)]
pub struct Response(Infallible);

pub struct Body;

pub struct Name(Infallible);
pub(crate) type Addrs = Box<dyn Iterator<Item = SocketAddr> + Send>;
pub(crate) type Resolving =
    Pin<Box<dyn Future<Output = Result<Addrs, Box<dyn std::error::Error + Send + Sync>>> + Send>>;

pub trait Resolve {
    fn resolve(&self, name: Name) -> Resolving;
}

pub fn client() -> ClientBuilder {
    ClientBuilder
}

/// # Errors
/// Always.
pub fn trusting(_: ClientBuilder, _: &[u8]) -> Result<ClientBuilder, HttpError> {
    Err(HttpError)
}

pub fn stream_body(_: impl Iterator<Item = Bytes> + Send + Sync + Unpin + 'static, _: u64) -> Body {
    Body
}

impl HttpError {
    pub fn is_builder(&self) -> bool {
        false
    }

    pub fn is_connect(&self) -> bool {
        false
    }
}

impl ClientBuilder {
    #[must_use]
    pub fn connect_timeout(self, _: Duration) -> Self {
        self
    }

    #[must_use]
    pub fn read_timeout(self, _: Duration) -> Self {
        self
    }

    #[must_use]
    pub fn pool_max_idle_per_host(self, _: usize) -> Self {
        self
    }

    #[must_use]
    pub fn dns_resolver(self, _: impl Resolve) -> Self {
        self
    }

    /// # Errors
    /// Always.
    pub fn build(self) -> Result<Client, HttpError> {
        Err(HttpError)
    }
}

impl Client {
    pub fn get<U>(&self, _: U) -> RequestBuilder {
        match self.0 {}
    }

    pub fn post<U>(&self, _: U) -> RequestBuilder {
        match self.0 {}
    }
}

impl RequestBuilder {
    #[must_use]
    pub fn header<N, V>(self, _: N, _: V) -> Self {
        match self.0 {}
    }

    #[must_use]
    pub fn bearer_auth(self, _: &str) -> Self {
        match self.0 {}
    }

    #[must_use]
    pub fn body(self, _: Body) -> Self {
        match self.0 {}
    }

    /// # Errors
    /// Never, since no request exists.
    pub async fn send(self) -> Result<Response, HttpError> {
        match self.0 {}
    }
}

impl Response {
    pub fn status(&self) -> StatusCode {
        match self.0 {}
    }

    pub fn headers(&self) -> &HeaderMap {
        match self.0 {}
    }

    pub fn remote_addr(&self) -> Option<SocketAddr> {
        match self.0 {}
    }

    pub fn content_length(&self) -> Option<u64> {
        match self.0 {}
    }

    /// # Errors
    /// Never, since no response exists.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        match self.0 {}
    }
}

impl Name {
    pub fn as_str(&self) -> &str {
        match self.0 {}
    }
}

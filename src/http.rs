//! The one HTTP client: how TLS is spoken, and what is never done unasked (proxies, redirects, cookies).

mod body;

pub(crate) use body::streamed;
pub(crate) use reqwest::{Client, ClientBuilder, Error as HttpError, RequestBuilder, Response, header};

/// A builder with our defaults: rustls over ring, no proxy variables, no redirects.
pub(crate) fn client() -> ClientBuilder {
    // A provider that was installed before this one serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).user_agent(USER_AGENT)
}

/// What servers are told of us.
const USER_AGENT: &str = concat!("pagewise/", env!("CARGO_PKG_VERSION"));

//! The one HTTP client: how TLS is spoken, whom it trusts, and what is never done unasked (proxies, redirects, cookies).
//!
//! Roots of trust are the system's own, through the platform's verifier: what an administrator adds or revokes there
//! holds here too. [`trusting`] adds authorities of a company, or of a test, to them.

mod body;

pub(crate) use body::streamed;
pub(crate) use reqwest::dns::{Addrs, Name, Resolve, Resolving};
pub(crate) use reqwest::{
    Client, ClientBuilder, Error as HttpError, RequestBuilder, Response, StatusCode, Url, header,
};

/// A builder with our defaults: rustls over ring, the system's roots, no proxy variables, no redirects.
pub(crate) fn client() -> ClientBuilder {
    // A provider that was installed before this one serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).referer(false).user_agent(USER_AGENT)
}

/// `builder`, which also trusts the authorities in `pem`: one certificate or several, one after the other.
///
/// # Errors
/// Where `pem` holds something else.
pub(crate) fn trusting(builder: ClientBuilder, pem: &[u8]) -> Result<ClientBuilder, HttpError> {
    Ok(builder.tls_certs_merge(reqwest::Certificate::from_pem_bundle(pem)?))
}

/// What servers are told of us.
const USER_AGENT: &str = concat!("pagewise/", env!("CARGO_PKG_VERSION"));

//! The only configuration of an HTTP client: TLS, trusted certificates, and no proxies, redirects or cookies by default.
//!
//! The platform's verifier supplies the trusted certificates, so an administrator's changes apply here too. [`trusting`]
//! adds those of a company or a test.

mod body;

pub(crate) use body::stream_body;
pub(crate) use reqwest::dns::{Addrs, Name, Resolve, Resolving};
pub(crate) use reqwest::{
    Client, ClientBuilder, Error as HttpError, RequestBuilder, Response, StatusCode, Url, header,
};

/// A client builder with these defaults: rustls with ring, the system's certificates, no proxy variables, no redirects.
pub(crate) fn client() -> ClientBuilder {
    // A provider that is already installed works too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).referer(false).user_agent(USER_AGENT)
}

/// Makes `builder` also trust the certificates in `pem`.
///
/// # Errors
/// `pem` does not contain certificates.
pub(crate) fn trusting(builder: ClientBuilder, pem: &[u8]) -> Result<ClientBuilder, HttpError> {
    Ok(builder.tls_certs_merge(reqwest::Certificate::from_pem_bundle(pem)?))
}

/// The `User-Agent` of all requests.
const USER_AGENT: &str = concat!("pagewise/", env!("CARGO_PKG_VERSION"));

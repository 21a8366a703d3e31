//! The only configuration of an HTTP client: TLS, trusted certificates, and no proxies, redirects or cookies by default.
//!
//! The platform's verifier supplies the trusted certificates, so an administrator's changes apply here too. [`trusting`]
//! adds those of a company or a test. A build without the feature `client` compiles the same code against a client that
//! cannot be made.

#[cfg(feature = "client")]
mod client;
#[cfg(not(feature = "client"))]
#[path = "http/no_client.rs"]
mod client;

use std::net::IpAddr;

pub use ::http::{StatusCode, header};
#[cfg(feature = "cloud")]
pub(crate) use client::Body;
pub(crate) use client::{Addrs, Name, Resolve, Resolving};
pub use client::{Client, ClientBuilder, HttpError, RequestBuilder, Response, client, stream_body, trusting};
pub use url::Url;

/// Whether nobody on the way can change what comes from the URL: TLS, or this machine.
pub fn is_secure(url: &Url) -> bool {
    let host = url.host_str().map(|host| host.trim_matches(['[', ']']));
    let is_loopback = host.is_some_and(|host| {
        host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    });
    let has_credentials = !url.username().is_empty() || url.password().is_some();
    !has_credentials && host.is_some() && (url.scheme() == "https" || (url.scheme() == "http" && is_loopback))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;

    #[test]
    fn only_what_nobody_can_change_is_secure() {
        for secure in ["https://a.example", "http://127.0.0.1:8080/realm", "http://[::1]", "http://localhost/x"] {
            assert!(is_secure(&Url::parse(secure).unwrap()), "{secure}");
        }
        for other in ["http://a.example", "http://127.0.0.1.example", "ftp://localhost", "https://u:p@a.example"] {
            assert!(!is_secure(&Url::parse(other).unwrap()), "{other}");
        }
    }
}

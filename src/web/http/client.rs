//! The client: reqwest.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

pub(crate) use reqwest::Body;
pub(crate) use reqwest::dns::{Addrs, Name, Resolve, Resolving};
pub use reqwest::{Client, ClientBuilder, Error as HttpError, RequestBuilder, Response};

/// The `User-Agent` of all requests.
const USER_AGENT: &str = concat!("pagewise/", env!("CARGO_PKG_VERSION"));

/// A client builder with these defaults: rustls with ring, the system's certificates, no proxy variables, no redirects.
pub fn client() -> ClientBuilder {
    // A provider that is already installed works too.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).referer(false).user_agent(USER_AGENT)
}

/// Makes `builder` also trust the certificates in `pem`.
///
/// # Errors
/// `pem` does not contain certificates.
pub fn trusting(builder: ClientBuilder, pem: &[u8]) -> Result<ClientBuilder, HttpError> {
    Ok(builder.tls_certs_merge(reqwest::Certificate::from_pem_bundle(pem)?))
}

/// A body of `length` bytes from `pieces`, which are made while they are sent. The length is sent first, so it must be
/// that of all pieces together.
pub fn stream_body(pieces: impl Iterator<Item = Bytes> + Send + Sync + Unpin + 'static, length: u64) -> Body {
    Body::wrap(Pieces { pieces, left: length })
}

struct Pieces<I> {
    pieces: I,
    left: u64,
}

impl<I: Iterator<Item = Bytes> + Unpin> HttpBody for Pieces<I> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = self.get_mut();
        let piece = body.pieces.next();
        body.left = body.left.saturating_sub(piece.as_ref().map_or(0, |piece| piece.len() as u64));
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

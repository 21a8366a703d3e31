//! The size of a request's head.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};

/// Bytes of the request line and the header fields, as HTTP/1 writes them (RFC 9112, 2.1).
///
/// The library's own limit is at least 8 KiB, and one read may exceed it.
pub(super) fn head_bytes(request: &Request) -> usize {
    let target = request.uri().path_and_query().map_or(1, |target| target.as_str().len());
    let line = request.method().as_str().len() + " ".len() + target + " HTTP/1.1\r\n".len();
    let field = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + ": \r\n".len();
    line + request.headers().iter().map(field).sum::<usize>() + "\r\n".len()
}

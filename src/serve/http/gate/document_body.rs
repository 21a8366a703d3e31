//! A document on its way out, which holds its place until it was sent.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

use pagewise_base::share::Place;

/// Bytes that the connection takes at once.
const PIECE_BYTES: usize = 64 << 10;

pub(super) struct DocumentBody {
    left: Bytes,
    _place: Place,
}

impl DocumentBody {
    pub(super) fn new(bytes: Vec<u8>, place: Place) -> Self {
        Self { left: bytes.into(), _place: place }
    }
}

impl HttpBody for DocumentBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.left.len().min(PIECE_BYTES);
        let piece = self.left.split_to(length);
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.left.len()).unwrap_or(u64::MAX))
    }
}

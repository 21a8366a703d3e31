//! Request bodies that are produced while they are sent, so that a large one is never in memory as a whole.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use reqwest::Body;

/// A body of `length` bytes from `pieces`. The length is sent first, so it must be that of all pieces together.
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

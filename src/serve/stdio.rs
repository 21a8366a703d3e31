//! Standard output as responses are written to it: with data in the places of its marks.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

use super::delivery::lock;
use super::enclosures::{Data, Enclosures, PIECE_BYTES, Part};

/// The data of the responses that are being written: the transport knows whose it is, and the writer needs it.
#[derive(Clone, Default)]
pub(super) struct Open(Arc<Mutex<Enclosures>>);

/// Keeps the data of one response open for as long as it lives.
pub(super) struct Opened {
    open: Open,
    numbers: Vec<u64>,
}

impl Open {
    /// Has the data of a response written with it, until what this gives is dropped.
    pub(super) fn opened(&self, enclosures: Enclosures) -> Opened {
        let numbers = enclosures.numbers();
        lock(&self.0).append(enclosures);
        Opened { open: self.clone(), numbers }
    }

    fn first_part(&self, json: &[u8]) -> Part {
        let open = lock(&self.0);
        if open.is_empty() { Part::Text(json.len()) } else { open.first_part(json, PIECE_BYTES) }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if !self.numbers.is_empty() {
            lock(&self.open.0).remove(&self.numbers);
        }
    }
}

/// A writer that puts data in the places of its marks.
pub(super) struct Filled<W> {
    inner: W,
    open: Open,
    data: Option<Data>,
    /// The piece of `data` that is being written; its memory is that of the next one.
    piece: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> Filled<W> {
    /// Writes to `inner` with what is open.
    pub(super) fn new(inner: W, open: Open) -> Self {
        Self { inner, open, data: None, piece: Vec::new(), written: 0 }
    }

    /// Writes what is left of the data that is being written.
    fn poll_data(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let left = self.piece.get(self.written..).unwrap_or_default();
            if !left.is_empty() {
                match ready!(Pin::new(&mut self.inner).poll_write(cx, left))? {
                    0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                    written => self.written = self.written.saturating_add(written),
                }
                continue;
            }
            self.piece.clear();
            self.written = 0;
            match &mut self.data {
                Some(data) if !data.is_written() => data.push_piece(&mut self.piece),
                _ => {
                    self.data = None;
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Filled<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_data(cx))?;
        match self.open.first_part(buf) {
            Part::Text(length) => Pin::new(&mut self.inner).poll_write(cx, buf.get(..length).unwrap_or(buf)),
            Part::Data { mark, data } => {
                self.data = Some(data);
                Poll::Ready(Ok(mark))
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_data(cx))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_data(cx))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

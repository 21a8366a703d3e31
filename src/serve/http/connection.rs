//! A client's connection: tells when what was given to it was written, and gives up on one that takes nothing.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::exchange::Written;
use crate::serve::delivery::record;

/// A connection under watch.
pub(super) struct Connection {
    stream: TcpStream,
    written: Written,
    warn: fn(&str),
    stall: Duration,
    stalled: Option<Stalled>,
}

/// A client that does not take all at once what waits for it.
struct Stalled {
    patience: Pin<Box<Sleep>>,
    taken: usize,
}

/// What a client must take for its time to begin anew: one that takes a byte now and then would keep its answer here for
/// ever.
const LEAST_TAKEN: usize = 16 << 10;

impl Connection {
    /// `stall` is how long a client may take less than [`LEAST_TAKEN`] bytes of what waits for it.
    pub(super) fn new(stream: TcpStream, written: Written, stall: Duration, warn: fn(&str)) -> Self {
        Self { stream, written, warn, stall, stalled: None }
    }

    /// Passes on what a write came to; an error where the client has taken too little for too long.
    fn unless_stalled(&mut self, written: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let stall = self.stall;
        match (&written, &mut self.stalled) {
            (Poll::Ready(Ok(taken)), Some(stalled)) => {
                stalled.taken = stalled.taken.saturating_add(*taken);
                if stalled.taken >= LEAST_TAKEN {
                    self.stalled = None;
                }
                written
            }
            (Poll::Ready(_), _) => written,
            (Poll::Pending, stalled) => {
                let begun = || Stalled { patience: Box::pin(sleep(stall)), taken: 0 };
                match stalled.get_or_insert_with(begun).patience.as_mut().poll(cx) {
                    Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
                    Poll::Pending => Poll::Pending,
                }
            }
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.unless_stalled(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.unless_stalled(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if let Poll::Ready(Ok(())) = flushed {
            self.stalled = None;
            let warn = self.warn;
            let (written, under_way) = self.written.take();
            if !written.is_empty() {
                tokio::spawn(async move {
                    for pending in written {
                        record(pending, warn).await;
                    }
                    drop(under_way);
                });
            }
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

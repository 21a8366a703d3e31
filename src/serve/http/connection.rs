//! A client's connection. It learns when answers were written, gives up on a client that stops reading, and takes back
//! answers that a client cancelled.
//!
//! In the newest protocol version a client cancels by closing its connection. Bytes in the system's send buffer already
//! count as written. A client that closes before it has read them resets the connection; one that has read its answer
//! does not.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::exchange::AwaitingFlush;
use crate::serve::delivery::{InFlight, PendingResponse, take_back};
use crate::tool::Recall;

/// A connection under watch.
pub(super) struct Connection {
    stream: TcpStream,
    awaiting: AwaitingFlush,
    /// The answers written since the client last sent something.
    unconfirmed: Vec<Recall>,
    in_flight: InFlight,
    warn: fn(&str),
    stall: Duration,
    stalled: Option<StallTimer>,
    /// The time the client has left to close its side.
    closing: Option<Pin<Box<Sleep>>>,
}

/// How long to wait for the client to close a connection that the server closed, if that tells whether it read its
/// answer. 2 s.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Times a client that does not read fast enough.
struct StallTimer {
    patience: Pin<Box<Sleep>>,
    taken: usize,
}

/// Bytes that a client must read to restart its time. Otherwise one byte now and then would hold an answer forever.
const MIN_TAKEN_BYTES: usize = 16 << 10;

impl Connection {
    /// `stall` is the time in which a client must read [`MIN_TAKEN_BYTES`] bytes.
    pub(super) fn new(
        stream: TcpStream,
        awaiting: AwaitingFlush,
        in_flight: InFlight,
        stall: Duration,
        warn: fn(&str),
    ) -> Self {
        Self { stream, awaiting, unconfirmed: Vec::new(), in_flight, warn, stall, stalled: None, closing: None }
    }

    /// Confirms the earlier answers if a read succeeds, and cancels them if it fails.
    fn confirm(&mut self, read: &io::Result<usize>) {
        let answers = std::mem::take(&mut self.unconfirmed);
        if read.is_err() {
            take_back(answers.iter().filter_map(Recall::cancel).collect(), &self.in_flight, self.warn);
        }
    }

    /// Waits for the client to close or reset the connection.
    fn poll_closed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut ignored = [0; 512];
        while !self.unconfirmed.is_empty() {
            let mut buffer = ReadBuf::new(&mut ignored);
            match Pin::new(&mut self.stream).poll_read(cx, &mut buffer) {
                Poll::Ready(read) => self.confirm(&read.map(|()| buffer.filled().len())),
                Poll::Pending => {
                    let patience = self.closing.get_or_insert_with(|| Box::pin(sleep(CLOSE_TIMEOUT)));
                    return patience.as_mut().poll(cx);
                }
            }
        }
        Poll::Ready(())
    }

    /// Returns the outcome of a write, or an error if the client has read too little for too long.
    fn check_stall(&mut self, written: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let stall = self.stall;
        match (&written, &mut self.stalled) {
            (Poll::Ready(Ok(taken)), Some(stalled)) => {
                stalled.taken = stalled.taken.saturating_add(*taken);
                if stalled.taken >= MIN_TAKEN_BYTES {
                    self.stalled = None;
                }
                written
            }
            (Poll::Ready(_), _) => written,
            (Poll::Pending, stalled) => {
                let begun = || StallTimer { patience: Box::pin(sleep(stall)), taken: 0 };
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
        let before = buf.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buf));
        let read = read.map(|()| buf.filled().len().saturating_sub(before));
        self.confirm(&read);
        Poll::Ready(read.map(|_| ()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.check_stall(written, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.check_stall(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        if let Poll::Ready(Ok(())) = flushed {
            self.stalled = None;
            let warn = self.warn;
            let (mut written, under_way) = self.awaiting.take();
            written.retain(PendingResponse::has_delivery);
            if !written.is_empty() {
                self.unconfirmed.extend(written.iter().map(PendingResponse::recall));
                tokio::spawn(async move {
                    for pending in written {
                        pending.record(warn).await;
                    }
                    drop(under_way);
                });
            }
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        self.poll_closed(cx).map(Ok)
    }
}

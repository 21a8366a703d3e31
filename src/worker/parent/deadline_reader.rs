//! Reads from a worker's socket until a deadline.

use std::cell::Cell;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Reads from a socket until a deadline.
pub(super) struct DeadlineReader<'a> {
    pub(super) socket: &'a UnixStream,
    pub(super) until: Instant,
    /// The read timeout set on the socket; zero if none was set.
    pub(super) wait: &'a Cell<Duration>,
}

/// How late a read may time out, so that the timeout need not be set before each read.
const MAX_READ_DELAY: Duration = Duration::from_millis(10);

impl Read for DeadlineReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            if self.wait.get().is_zero() || self.wait.get() > left.saturating_add(MAX_READ_DELAY) {
                self.socket.set_read_timeout(Some(left))?;
                self.wait.set(left);
            }
            let mut socket = self.socket;
            match socket.read(buffer) {
                // The timeout was set for an earlier request and was too short.
                Err(error) if is_timeout(&error) => self.wait.set(Duration::ZERO),
                read => return read,
            }
        }
    }
}

/// Whether a read timed out.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

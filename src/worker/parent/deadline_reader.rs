//! Reads from a worker's socket until a deadline.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use super::supervision::Supervision;

/// Reads from a worker's socket until a deadline, or until the worker has spent too much. The socket's read timeout is
/// [`PAUSE`](super::supervision::PAUSE).
pub(super) struct DeadlineReader<'a> {
    pub(super) socket: &'a UnixStream,
    pub(super) until: Instant,
    pub(super) supervision: &'a Supervision,
}

impl Read for DeadlineReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if Instant::now() >= self.until {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let mut socket = self.socket;
            match socket.read(buffer) {
                Err(error) if is_timeout(&error) => self.supervision.check().map_err(io::Error::other)?,
                read => return read,
            }
        }
    }
}

/// Whether a read timed out.
pub(super) fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

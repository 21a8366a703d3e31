//! What a worker may ask its parent for while it works on a request: fonts, and parts of a remote document.

use std::cell::RefCell;
use std::io;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::worker::fonts::{self, FontFiles};
use crate::worker::pages::PdfError;
use crate::worker::remote_file::{MAX_PIECE_BYTES, send_piece};
use crate::worker::wire::pictures::WireFontRequest;
use pagewise_base::limits::StopReason;
use pagewise_document::ReadAt;

/// The time that a worker keeps to report that a part could not be read.
const REPORT_TIME: Duration = Duration::from_millis(100);

/// What a worker gets for one request.
pub(crate) struct Supplies<'a> {
    fonts: &'a dyn FontFiles,
    /// The document of the request, if it is remote. A worker gets no other bytes.
    remote: Option<&'a dyn ReadAt>,
    /// Why a part could not be read. The answer is then built on less than the document.
    failure: RefCell<Option<io::Error>>,
}

impl<'a> Supplies<'a> {
    /// Fonts alone.
    pub(crate) fn fonts(fonts: &'a dyn FontFiles) -> Self {
        Self { fonts, remote: None, failure: RefCell::default() }
    }

    /// Fonts and, if it is remote, the bytes of `file`.
    pub(crate) fn of(fonts: &'a dyn FontFiles, file: &'a dyn ReadAt) -> Self {
        Self { remote: file.is_remote().then_some(file), ..Self::fonts(fonts) }
    }

    /// Why the answer to the request cannot be used, whatever it says. `deadline_ms` is the time that its worker had.
    pub(crate) fn failure(&self, deadline_ms: u64) -> Option<PdfError> {
        let failure = self.failure.take()?;
        Some(match failure.kind() {
            io::ErrorKind::TimedOut => StopReason::Timeout { deadline_ms }.into(),
            _ => failure.into(),
        })
    }

    pub(super) fn send_font(&self, socket: &UnixStream, wanted: WireFontRequest) -> io::Result<()> {
        fonts::send_font(socket, self.fonts.open(wanted.into()).as_ref())
    }

    /// Sends `length` bytes from `offset`, or that they could not be read before `until`.
    pub(super) fn send_bytes(
        &self,
        socket: &UnixStream,
        (offset, length): (u64, u64),
        until: Instant,
    ) -> io::Result<()> {
        let is_inside = |file: &&dyn ReadAt| offset.checked_add(length).is_some_and(|end| end <= file.len());
        let file = self.remote.filter(is_inside).filter(|_| length <= MAX_PIECE_BYTES);
        let file = file.ok_or(io::ErrorKind::InvalidData)?;
        let mut piece = vec![0; usize::try_from(length).unwrap_or(0)];
        let left = until.saturating_duration_since(Instant::now()).saturating_sub(REPORT_TIME);
        match file.read_within(left, offset, &mut piece) {
            Ok(()) => send_piece(socket, Some(&piece)),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                send_piece(socket, None)
            }
        }
    }
}

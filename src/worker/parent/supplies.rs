//! What a worker may ask its parent for while it works on a request: fonts, and parts of a remote document.

use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::worker::fonts::FontFiles;
use crate::worker::pages::PdfError;
use crate::worker::remote_file::MAX_PIECE_BYTES;
use crate::worker::wire::{FontFacts, Piece, Supply, WantedPiece, WantedSupply, frame, socket};
use pagewise_base::limits::{Cancellation, StopReason};
use pagewise_document::ReadAt;
use pagewise_render::WantedFont;

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

    /// Replies to a worker that wants a font or a piece of its document.
    pub(super) fn send(&self, wanted: WantedSupply, socket: &UnixStream, until: Instant) -> io::Result<()> {
        match wanted {
            WantedSupply::Font(font) => self.send_font(socket, font),
            WantedSupply::Piece(piece) => {
                reply::<WantedPiece>(socket, &self.read(&piece, until)?.map(|bytes| Piece(bytes.into())))
            }
            WantedSupply::EnginePart(_) | WantedSupply::Tesseract(_) => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn send_font(&self, socket: &UnixStream, wanted: WantedFont) -> io::Result<()> {
        let font = self.fonts.open(wanted);
        let facts: <WantedFont as Supply>::Reply =
            font.as_ref().map(|font| FontFacts { length: font.length, name: font.name.clone(), index: font.index });
        socket::send(socket, &frame::encode(&facts)?, font.as_ref().map(|font| font.file.as_fd()))
    }

    /// The bytes of a piece; `None` if they could not be read before `until`.
    fn read(&self, &WantedPiece { offset, length }: &WantedPiece, until: Instant) -> io::Result<Option<Vec<u8>>> {
        let is_inside = |file: &&dyn ReadAt| offset.checked_add(length).is_some_and(|end| end <= file.len());
        let file = self.remote.filter(is_inside).filter(|_| length <= MAX_PIECE_BYTES);
        let file = file.ok_or(io::ErrorKind::InvalidData)?;
        let mut piece = vec![0; usize::try_from(length).unwrap_or(0)];
        let left = until.saturating_duration_since(Instant::now()).saturating_sub(REPORT_TIME);
        let read = file.read_within(left, offset, &mut piece);
        Ok(match read {
            Ok(()) => Some(piece),
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                None
            }
        })
    }
}

/// How long a worker, and the program that it may have run, may work on a question.
pub(super) struct ProgramRun<'a> {
    /// The program has less time than the question, so that the worker can still report that it was late.
    pub(super) program_until: Instant,
    pub(super) until: Instant,
    pub(super) cancellation: &'a Cancellation,
}

/// Sends a reply without a file.
pub(super) fn reply<S: Supply>(socket: &UnixStream, reply: &S::Reply) -> io::Result<()> {
    frame::write(reply, socket)
}

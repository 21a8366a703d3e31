//! An open PDF and its file.

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use super::source_error;
use crate::context::error::ContextError;
use crate::document::ReadAt;
use crate::limits::Cancellation;
use crate::source::{FileKind, OpenFile, UNKNOWN_TYPE};
use crate::worker::{Pages, PdfError, Reader};

/// An open PDF, independent of conversations.
pub struct OpenPdf {
    /// The file, as the request named it.
    pub path: String,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// The document.
    pub document: Box<dyn Pages>,
    pub(crate) file: PdfFile,
    pub(super) cancellation: Cancellation,
}

/// The file of a PDF, opened but not parsed.
#[derive(Clone)]
pub struct PdfFile {
    pub(super) path: String,
    pub(super) file: Arc<OpenFile>,
}

impl PdfFile {
    /// All bytes of the file, as they were when it was opened.
    ///
    /// # Errors
    /// [`ContextError::Source`] if the file has changed, or has more than `limit` bytes (the setting named `setting`).
    pub fn read(&self, limit: u64, setting: &'static str) -> Result<Vec<u8>, ContextError> {
        self.file.read_all(limit, setting).map_err(|error| source_error(&self.path, error))
    }

    /// The error for a file of another known type, in place of one that says what is missing for a PDF.
    pub(super) fn name_other_type(&self, error: ContextError) -> ContextError {
        match (error, self.file.kind()) {
            (ContextError::Pdf { path, error: PdfError::NotAPdf { .. } }, Ok(FileKind::Other { mime }))
                if mime != UNKNOWN_TYPE =>
            {
                ContextError::UnsupportedType { path, mime_type: mime.to_owned() }
            }
            (error, _) => error,
        }
    }

    /// The PDF in it.
    pub(crate) fn open(
        self,
        reader: &dyn Reader,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<OpenPdf, ContextError> {
        let failed = |error| ContextError::Pdf { path: self.path.clone(), error };
        let positioned = IdentifiedFile { identity: self.file.stat().key(), file: Arc::clone(&self.file) };
        let document = reader.open(Arc::new(positioned), password, cancellation).map_err(failed)?;
        let (path, file_bytes) = (self.path.clone(), self.file.len());
        Ok(OpenPdf { path, file_bytes, document, file: self, cancellation: cancellation.clone() })
    }
}

impl OpenPdf {
    /// The file, for sending it whole.
    #[must_use]
    pub fn file(&self) -> PdfFile {
        self.file.clone()
    }

    /// Fails if the call was cancelled. Check it in loops over pages.
    ///
    /// # Errors
    /// [`StopReason::Cancelled`](crate::limits::StopReason::Cancelled).
    pub fn check(&self) -> Result<(), ContextError> {
        let cancelled = |stopped| ContextError::Pdf { path: self.path.clone(), error: PdfError::Stopped(stopped) };
        self.cancellation.check().map_err(cancelled)
    }
}

/// An open file as PDF readers access it.
pub(crate) struct IdentifiedFile {
    pub(crate) file: Arc<OpenFile>,
    /// The hash of its bytes, or of its metadata if the bytes were not hashed.
    pub(crate) identity: [u8; 32],
}

impl ReadAt for IdentifiedFile {
    fn len(&self) -> u64 {
        self.file.len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let read = self.file.read_at(offset, buffer).map_err(io::Error::other)?;
        if read < buffer.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    #[cfg(all(unix, not(pagewise_portable)))]
    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        Some(std::os::fd::AsFd::as_fd(self.file.file()))
    }

    fn identity(&self) -> Option<[u8; 32]> {
        Some(self.identity)
    }

    fn is_settled(&self) -> bool {
        self.file.is_settled(SystemTime::now())
    }
}

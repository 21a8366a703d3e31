//! An open PDF and its file.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::source_error;
use crate::context::answer::is_same_file;
use crate::context::error::ContextError;
use crate::source::{FileKind, OpenFile, SourceError, UNKNOWN_TYPE};
use crate::worker::{Pages, PdfError, Reader};
use pagewise_base::limits::Cancellation;
use pagewise_base::parts::{OfficeFormat, PartsFault};
use pagewise_document::ReadAt;
use pagewise_web::WebError;

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
            (ContextError::Pdf { path, error }, Ok(kind)) => {
                ContextError::Pdf { path, error: named_by_kind(error, kind) }
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
        let positioned = IdentifiedFile { identity: self.file.identity(), file: Arc::clone(&self.file) };
        let document = reader.open(Arc::new(positioned), password, cancellation).map_err(failed)?;
        let (path, file_bytes) = (self.path.clone(), self.file.len());
        Ok(OpenPdf { path, file_bytes, document, file: self, cancellation: cancellation.clone() })
    }
}

impl OpenPdf {
    /// The format of a file with parts, whose text is Markdown; `None` of a PDF.
    #[must_use]
    pub fn office(&self) -> Option<OfficeFormat> {
        self.file.file.kind().ok()?.office()
    }

    /// Fails for a file with parts, which cannot be drawn or cut.
    pub(crate) fn check_layout(&self) -> Result<(), ContextError> {
        let refused =
            |format| ContextError::Pdf { path: self.path.clone(), error: PartsFault::OnlyText.of(format).into() };
        self.office().map_or(Ok(()), |format| Err(refused(format)))
    }

    /// The file, for sending it whole.
    #[must_use]
    pub fn file(&self) -> PdfFile {
        self.file.clone()
    }

    /// Whether `file` is the file of this PDF.
    pub(crate) fn is_at(&self, file: &Path) -> bool {
        is_same_file(self.file.file.path(), file)
    }

    /// Whether the file is what it was when it was opened.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.file.file.is_unchanged().unwrap_or(false)
    }

    /// Fails if the call was cancelled, or if a remote document has a new version. Check it in loops over pages.
    ///
    /// # Errors
    /// [`StopReason::Cancelled`](pagewise_base::limits::StopReason::Cancelled), [`SourceError::Changed`].
    pub fn check(&self) -> Result<(), ContextError> {
        let file = &self.file.file;
        if file.remote_identity().is_some() && !self.is_unchanged() {
            let error = SourceError::Changed { path: file.path().to_path_buf() };
            return Err(source_error(&self.path, error));
        }
        let cancelled = |stopped| ContextError::Pdf { path: self.path.clone(), error: PdfError::Stopped(stopped) };
        self.cancellation.check().map_err(cancelled)
    }
}

/// The error for a file of this kind: one with parts need not be a PDF.
pub(super) fn named_by_kind(error: PdfError, kind: FileKind) -> PdfError {
    match (error, kind.office()) {
        (PdfError::NotAPdf { .. }, Some(format)) => {
            PartsFault::Damaged("it is truncated, or not of the type that its first bytes name".to_owned())
                .of(format)
                .into()
        }
        (error, _) => error,
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
        self.read_within(Duration::MAX, offset, buffer)
    }

    fn is_remote(&self) -> bool {
        self.file.remote_identity().is_some()
    }

    /// The error holds a [`SourceError`](crate::source::SourceError), which says more than its kind.
    fn read_within(&self, time: Duration, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let read = self.file.read_within(time, offset, buffer).map_err(|error| match error {
            SourceError::Web(WebError::OutOfTime) => io::ErrorKind::TimedOut.into(),
            error => io::Error::other(error),
        })?;
        if read < buffer.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }

    #[cfg(all(unix, not(pagewise_portable)))]
    fn descriptor(&self) -> Option<std::os::fd::BorrowedFd<'_>> {
        self.file.file().map(std::os::fd::AsFd::as_fd)
    }

    fn identity(&self) -> Option<[u8; 32]> {
        Some(self.identity)
    }

    fn is_settled(&self) -> bool {
        self.file.is_settled(SystemTime::now())
    }
}

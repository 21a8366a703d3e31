//! The seam to the rooms that read PDFs: everything that is asked of a document.

use std::sync::Arc;

use bytes::Bytes;

use super::error::WorkerError;
use super::web_page::read_web_page;
use crate::document::{DocumentInfo, Outline, PageGeometry, ReadAt};
use crate::hash::PageFingerprint;
pub use crate::html::Readable;
use crate::limits::{Cancellation, LimitExceeded, StopReason};
use crate::page::{PageIndex, PageLabel, PageSet};
pub use crate::render::{Picture, RenderOptions};
pub use crate::text::{PageKind, PageText};

/// Opens documents.
pub trait Reader: Send + Sync {
    /// Opens the PDF in `file`, for one request: what is asked of the document ends too where that is cancelled.
    ///
    /// # Errors
    /// Every variant of [`PdfError`] but those of single pages.
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError>;

    /// Makes the web page in `file` readable; `content_type` is what its server says that it is, and `base` is where
    /// its links start.
    ///
    /// # Errors
    /// [`PdfError::Io`], [`PdfError::Worker`] and [`PdfError::Stopped`].
    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<Readable, PdfError> {
        cancellation.check()?;
        read_web_page(file, content_type, base)
    }
}

/// One open document.
pub trait Pages: Send + Sync {
    /// Leaves of the page tree.
    fn page_count(&self) -> u32;
    /// The page's printed label.
    fn page_label(&self, page: PageIndex) -> Option<PageLabel>;
    /// The document as a whole.
    fn info(&self) -> DocumentInfo;
    /// The first `max` entries of the outline, and how many there are.
    fn outline(&self, max: usize) -> Outline;
    /// The page's visible size.
    ///
    /// # Errors
    /// When the page cannot be read.
    fn page_geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError>;
    /// The page as a PDF of its own.
    ///
    /// # Errors
    /// When the page cannot be cut.
    fn cut(&self, page: PageIndex) -> Result<PageChunk, PdfError>;
    /// The page as a PDF of its own, and its identity where that can be told: one question for two.
    ///
    /// # Errors
    /// As [`cut`](Self::cut).
    fn cut_and_identify(&self, page: PageIndex) -> Result<(PageChunk, Option<PageFingerprint>), PdfError> {
        let fingerprint = self.fingerprint(page).ok();
        Ok((self.cut(page)?, fingerprint))
    }
    /// The pages as one PDF, in page order, each as it is cut.
    ///
    /// # Errors
    /// [`PdfError::NotJoinable`] where they cannot stand in one file and be what they are; else as [`cut`](Self::cut).
    fn join(&self, pages: &PageSet) -> Result<PageChunk, PdfError>;
    /// The page's identity across rebuilds.
    ///
    /// # Errors
    /// When the page cannot be read.
    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError>;
    /// The page's text.
    ///
    /// # Errors
    /// When no reader gets at the text.
    fn page_text(&self, page: PageIndex) -> Result<PageText, PdfError>;
    /// The page as a picture.
    ///
    /// # Errors
    /// When the picture would be too large, or the page cannot be drawn.
    fn picture(&self, page: PageIndex, options: &RenderOptions) -> Result<Picture, PdfError>;
    /// What was read in spite of damage, one sentence each.
    fn notes(&self) -> Vec<String>;
}

/// One page, or several, as a PDF of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChunk {
    /// The PDF.
    pub bytes: Bytes,
    /// The reader that it was cut with.
    pub tier: String,
    /// What was left out or read in spite of damage.
    pub notes: Vec<String>,
}

/// Why a PDF, or a page of it, could not be had.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// No PDF header in the first 1,024 bytes.
    #[error("no PDF header")]
    NotAPdf {
        /// The first bytes of the file, printable ones as they are.
        beginning: String,
    },
    /// No reader gets the document together.
    #[error("{what}")]
    Damaged {
        /// What is wrong.
        what: String,
        /// Where it was met, in bytes from the start of the file.
        offset: Option<u64>,
    },
    /// Needs a password, or another one.
    #[error("encrypted")]
    Encrypted {
        /// Whether one was given.
        password_given: bool,
    },
    /// A bound of [`crate::limits::Limits`] was hit.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The time was over, or the request was cancelled.
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The reader hung, broke, or could not be had.
    #[error(transparent)]
    Worker(WorkerError),
    /// Pages that cannot stand in one PDF and be what they are; each can still be cut.
    #[error("{reason}")]
    NotJoinable {
        /// What is in the way.
        reason: String,
    },
    /// Anything else, while doing `action`.
    #[error("{reason}")]
    Failed {
        /// What was being done.
        action: PdfAction,
        /// Why it failed.
        reason: String,
    },
}

impl From<WorkerError> for PdfError {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Stopped(stopped) => Self::Stopped(stopped),
            error => Self::Worker(error),
        }
    }
}

/// What was being done to a PDF when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PdfAction {
    /// Reading the document as a whole.
    ReadInfo,
    /// Cutting a page.
    ExtractPage,
    /// Extracting text.
    ExtractText,
    /// Drawing a page.
    RenderPage,
}

impl PdfAction {
    /// As it reads after "Failed to".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::ReadInfo => "read PDF info",
            Self::ExtractPage => "extract PDF page",
            Self::ExtractText => "extract PDF text",
            Self::RenderPage => "render PDF page",
        }
    }
}

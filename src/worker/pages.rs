//! The interface to documents, implemented in this process and by workers.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::error::WorkerError;
use super::web_page::read_web_page;
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::limits::{Cancellation, LimitExceeded, StopReason};
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_document::{
    AnnotationCounts, Attachments, DocumentInfo, Form, Outline, PageAnnotations, PageGeometry, PageLayer, ReadAt,
};
pub use pagewise_render::{Picture, RenderOptions};
use pagewise_structure::PageStructure;
use pagewise_structure::tables::Table;
pub use pagewise_text::{PageKind, PageText, PageWords};
pub use pagewise_web::html::ReadablePage;

/// Opens documents.
pub trait Reader: Send + Sync {
    /// Opens the PDF in `file` for one request. Cancelling it also stops later operations on the document.
    ///
    /// # Errors
    /// Every variant of [`PdfError`] except those of single pages.
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError>;

    /// Converts the web page in `file` to Markdown. `content_type` is the one its server sent; `base` resolves its links.
    ///
    /// # Errors
    /// [`PdfError::Io`], [`PdfError::Worker`] and [`PdfError::Stopped`].
    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError> {
        cancellation.check()?;
        read_web_page(file, content_type, base)
    }

    /// The memory of the reader's workers and caches, for metrics.
    fn memory(&self) -> ReaderMemory {
        ReaderMemory::default()
    }
}

/// The memory of a reader's workers and caches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReaderMemory {
    /// Number of workers that run.
    pub workers: usize,
    /// Resident memory of the idle ones, in bytes.
    pub worker_bytes: u64,
    /// Documents that the idle ones keep open.
    pub open_documents: usize,
    /// Bytes of answers that are kept.
    pub cached_bytes: u64,
}

/// One open document.
pub trait Pages: Send + Sync {
    /// The number of pages.
    fn page_count(&self) -> u32;
    /// Whether reading a page takes requests to another machine.
    fn is_remote(&self) -> bool {
        false
    }
    /// The most pages that one call recognises.
    fn max_ocr_pages(&self) -> u64;
    /// The page label.
    fn page_label(&self, page: PageIndex) -> Option<PageLabel>;
    /// The document's metadata.
    fn info(&self) -> DocumentInfo;
    /// The first `max` items of the outline, and the number of all items.
    fn outline(&self, max: usize) -> Outline;
    /// The page's visible size.
    ///
    /// # Errors
    /// The page cannot be read.
    fn page_geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError>;
    /// The comments, links and form fields of the page, with the words that comments mark.
    ///
    /// # Errors
    /// The page cannot be read.
    fn annotations(&self, _page: PageIndex) -> Result<PageAnnotations, PdfError> {
        Ok(PageAnnotations::default())
    }
    /// How many comments and links the document has.
    fn annotation_counts(&self) -> AnnotationCounts {
        AnnotationCounts::default()
    }
    /// The first `max` fields of the form, and the number of all fields.
    fn form(&self, _max: usize) -> Form {
        Form::default()
    }
    /// The first `max` attachments, and the number of all.
    fn attachments(&self, _max: usize) -> Attachments {
        Attachments::default()
    }
    /// The bytes of the attachment called `name`; `None` if there is none.
    ///
    /// # Errors
    /// The attachment cannot be decoded within the limits.
    fn attachment(&self, _name: &str) -> Result<Option<Bytes>, PdfError> {
        Ok(None)
    }
    /// The page as a standalone PDF.
    ///
    /// # Errors
    /// The page cannot be cut.
    fn cut(&self, page: PageIndex) -> Result<PdfChunk, PdfError>;
    /// The page as a standalone PDF, and its fingerprint if it can be computed, in one operation.
    ///
    /// # Errors
    /// As [`cut`](Self::cut).
    fn cut_and_identify(&self, page: PageIndex) -> Result<(PdfChunk, Option<PageFingerprint>), PdfError> {
        let fingerprint = self.fingerprint(page).ok();
        Ok((self.cut(page)?, fingerprint))
    }
    /// The pages as one PDF, in page order.
    ///
    /// # Errors
    /// [`PdfError::NotJoinable`] if they cannot share one file unchanged; otherwise as [`cut`](Self::cut).
    fn join(&self, pages: &PageSet) -> Result<PdfChunk, PdfError>;
    /// The page's fingerprint, which rebuilding the document does not change.
    ///
    /// # Errors
    /// The page cannot be read.
    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError>;
    /// The page's text.
    ///
    /// # Errors
    /// No engine can extract the text.
    fn page_text(&self, page: PageIndex) -> Result<PageText, PdfError>;
    /// The page's text, and its words in their places.
    ///
    /// # Errors
    /// As [`page_text`](Self::page_text).
    fn page_words(&self, page: PageIndex) -> Result<(PageText, PageWords), PdfError>;
    /// The page's text, structure and tables.
    ///
    /// # Errors
    /// As [`page_text`](Self::page_text).
    fn page_structure(&self, page: PageIndex) -> Result<StructuredPage, PdfError>;
    /// The page as a picture.
    ///
    /// # Errors
    /// The picture would be too large, or the page cannot be drawn.
    fn picture(&self, page: PageIndex, options: &RenderOptions) -> Result<Picture, PdfError>;
    /// Recognises the text in the picture of the page, unless its own text is what a reader sees. `is_forced` recognises
    /// it in any case.
    ///
    /// # Errors
    /// The page cannot be drawn, or no engine can read it.
    fn recognise(&self, _page: PageIndex, _is_forced: bool) -> Result<Recognition, PdfError> {
        Err(PdfError::NoEngine { reason: "this reader has none".to_owned() })
    }
    /// The file with a layer of invisible text on each of these pages. Its own bytes stay as they are.
    ///
    /// # Errors
    /// Nothing can be appended to the file: it is encrypted, or readable only after a repair.
    fn with_text_layer(&self, _layers: &[PageLayer]) -> Result<Bytes, PdfError> {
        let reason = "this reader writes no files".to_owned();
        Err(PdfError::Failed { action: PdfAction::AddTextLayer, reason })
    }
    /// Notes on damage, one sentence each.
    fn notes(&self) -> Vec<String>;
}

/// A page with its structure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StructuredPage {
    /// Its text, as [`Pages::page_text`] gives it.
    pub text: PageText,
    /// Its lines in reading order.
    pub structure: PageStructure,
    /// Its tables, from top to bottom.
    pub tables: Vec<Table>,
}

/// What the text of a page was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageSource {
    /// The page's own text.
    Text,
    /// Its picture, by an engine.
    Recognised,
    /// Nothing: it has no text of its own, and was not recognised.
    Unread,
}

/// The outcome of recognising a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Recognition {
    /// The page's own text is what a reader sees.
    OwnText,
    /// What its picture shows.
    Page(Box<RecognisedPage>),
}

/// A page whose picture was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecognisedPage {
    /// Its text, structure and tables.
    pub page: StructuredPage,
    /// Its words in their places.
    pub words: PageWords,
    /// The confidence of each word, from 0 to 1.
    pub confidences: Vec<f32>,
}

/// One or several pages as a standalone PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfChunk {
    /// The PDF.
    pub bytes: Bytes,
    /// The reader that read the pages.
    pub tier: String,
    /// Notes on damage and omissions.
    pub notes: Vec<String>,
    /// The hash of the PDF, once it is computed.
    pub(crate) hash: SharedHash,
}

impl PdfChunk {
    /// A PDF as one of the readers, `tier`, made it.
    #[must_use]
    pub fn new(bytes: Bytes, tier: String, notes: Vec<String>) -> Self {
        Self { bytes, tier, notes, hash: SharedHash::default() }
    }

    /// The hash of the PDF.
    #[must_use]
    pub fn blake3(&self) -> ContentHash {
        *self.hash.0.get_or_init(|| ContentHash::of(&self.bytes))
    }
}

/// A hash that all copies of an answer share, so that it is computed once.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedHash(Arc<OnceLock<ContentHash>>);

/// The same PDF is equal whether or not its hash is known.
impl PartialEq for SharedHash {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SharedHash {}

/// Why an operation on a PDF failed.
#[derive(Debug, thiserror::Error)]
pub enum PdfError {
    /// No PDF header in the first 1,024 bytes.
    #[error("no PDF header")]
    NotAPdf {
        /// The first bytes of the file, printable ones as they are.
        beginning: String,
    },
    /// The file is damaged beyond repair.
    #[error("{what}")]
    Damaged {
        /// The damage.
        what: String,
        /// Its offset in bytes from the start of the file, if known.
        offset: Option<u64>,
    },
    /// The password is missing or wrong.
    #[error("encrypted")]
    Encrypted {
        /// Whether a password was given.
        password_given: bool,
    },
    /// A bound of [`pagewise_base::limits::Limits`] was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The deadline passed, or the request was cancelled.
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// The file could not be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The worker failed or was not available.
    #[error(transparent)]
    Worker(WorkerError),
    /// The pages cannot share one PDF unchanged. Each can still be cut.
    #[error("{reason}")]
    NotJoinable {
        /// The reason.
        reason: String,
    },
    /// No engine can recognise text.
    #[error("no engine recognises text: {reason}")]
    NoEngine {
        /// What is missing.
        reason: String,
    },
    /// Any other failure of `action`.
    #[error("{reason}")]
    Failed {
        /// The operation that failed.
        action: PdfAction,
        /// The reason.
        reason: String,
    },
}

impl From<WorkerError> for PdfError {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Stopped(stopped) => Self::Stopped(stopped),
            WorkerError::Limit(limit) => Self::Limit(limit),
            error => Self::Worker(error),
        }
    }
}

/// An operation on a PDF, for error messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PdfAction {
    /// Opening a document or reading its metadata.
    ReadInfo,
    /// Cutting a page.
    ExtractPage,
    /// Extracting text.
    ExtractText,
    /// Drawing a page.
    RenderPage,
    /// Recognising the text in a page's picture.
    RecogniseText,
    /// Adding a layer of text.
    AddTextLayer,
}

impl PdfAction {
    /// The phrase after "Failed to".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::ReadInfo => "read PDF info",
            Self::ExtractPage => "extract PDF page",
            Self::ExtractText => "extract PDF text",
            Self::RenderPage => "render PDF page",
            Self::RecogniseText => "recognise PDF text",
            Self::AddTextLayer => "add a text layer",
        }
    }
}

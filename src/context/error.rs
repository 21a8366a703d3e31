//! Why a request could not be answered.

use super::answer::BoundExceeded;
use super::files::MissingFile;
use crate::source::SourceError;
use crate::worker::PdfError;
use pagewise_render::PictureFault;
use pagewise_store::StoreError;

/// Why a request could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// The file could not be opened or read.
    #[error("{path}: {error}")]
    Source {
        /// The file, as the request named it.
        path: String,
        /// What went wrong.
        error: SourceError,
    },
    /// No file is there.
    #[error("no such file: {path}")]
    NotFound {
        /// The file, as the request named it.
        path: String,
        /// Where it was looked for.
        missing: MissingFile,
    },
    /// The PDF has no attachment of this name.
    #[error("no attachment {name} in {path}")]
    NoAttachment {
        /// The PDF, as the request named it.
        path: String,
        /// The name asked for.
        name: String,
        /// The names of its attachments, as many as an error may have.
        names: Vec<String>,
        /// How many attachments it has.
        total: usize,
    },
    /// The page has no picture of this number.
    #[error("no image {name} in {path}")]
    NoPicture {
        /// The PDF, as the request named it.
        path: String,
        /// The picture as it was asked for.
        name: String,
        /// The 1-based page; `None` if it was not asked for as a page and a number.
        page: Option<u32>,
        /// Pictures of the page.
        pictures: usize,
    },
    /// A reference to an attachment of an attachment, and so on, too often.
    #[error("more than {max} attachments within each other in {path}")]
    AttachmentDepth {
        /// The PDF, as the request named it.
        path: String,
        /// The most that one reference may name.
        max: usize,
    },
    /// The PDF, or a page of it, could not be read.
    #[error("{path}: {error}")]
    Pdf {
        /// The file, as the request named it.
        path: String,
        /// What went wrong.
        error: PdfError,
    },
    /// A page that the document does not have.
    #[error("page {number} of a document of {page_count} pages")]
    PageOutOfRange {
        /// The 1-based number; 0 or less for an index below 0.
        number: i128,
        /// Pages in the document.
        page_count: u32,
        /// Whether the request used a 0-based index.
        is_zero_based: bool,
    },
    /// An invalid or empty page selection.
    #[error("no page selection: {selection}")]
    Selection {
        /// The selection as it was given.
        selection: String,
        /// Pages in the document.
        page_count: u32,
        /// What to do instead, if the syntax was right.
        hint: Option<String>,
    },
    /// Pages were requested of a file that is not a PDF.
    #[error("{path} is {mime_type}")]
    NoPagesIn {
        /// The file, as the request named it.
        path: String,
        /// The MIME type detected from its bytes.
        mime_type: &'static str,
    },
    /// A file that is neither text, image nor PDF.
    #[error("{path} is {mime_type}")]
    UnsupportedType {
        /// The file, as the request named it.
        path: String,
        /// The MIME type detected from its bytes.
        mime_type: String,
    },
    /// A picture file that no provider takes.
    #[error("{path}: {fault:?}")]
    Picture {
        /// The file, as the request named it.
        path: String,
        /// What is wrong with it.
        fault: PictureFault,
    },
    /// No text could be extracted from the PDF at a URL.
    #[error("{url}: {error}")]
    FetchedPdf {
        url: String,
        /// What went wrong.
        error: PdfError,
    },
    /// The content at a URL cannot be read as text.
    #[error("{url} is {mime_type}")]
    UnsupportedContent {
        url: String,
        /// The MIME type detected from its bytes, or declared by its server.
        mime_type: String,
    },
    /// A start line past the end of the file.
    #[error("line {start_line} of {path}, which has {lines}")]
    StartLine {
        /// The file, as the request named it.
        path: String,
        /// The line asked for.
        start_line: u64,
        /// Lines in the file.
        lines: u64,
    },
    /// A start past the last document of a folder.
    #[error("document {start} of {path}, which has {documents}")]
    StartDocument {
        /// The folder, as the request named it.
        path: String,
        /// The document asked for.
        start: u64,
        /// Documents beneath the folder.
        documents: u64,
    },
    /// A file could not be written.
    #[error("writing {path}: {kind}")]
    Output {
        /// The file to write.
        path: String,
        /// Why not.
        kind: std::io::ErrorKind,
    },
    /// One more block would exceed what providers accept in one request.
    #[error("{path}: {full}")]
    ConversationFull {
        /// The file, as the request named it.
        path: String,
        full: BoundExceeded,
    },
    /// A handle that is invalid, unknown, expired or somebody else's.
    #[error("unknown conversation")]
    UnknownConversation,
    /// The system has no random numbers for a handle.
    #[error("no random numbers: {reason}")]
    Random {
        /// What the system said.
        reason: String,
    },
    /// What the conversation holds could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The configured database cannot be used.
    #[error(transparent)]
    Database(StoreError),
}

impl ContextError {
    /// Whether a folder was named where a file is read.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self, Self::Source { error: SourceError::IsDirectory { .. }, .. })
    }
}

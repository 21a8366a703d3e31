//! Why a request could not be answered.

use super::answer::BoundExceeded;
use crate::source::SourceError;
use crate::store::StoreError;
use crate::worker::PdfError;

/// Why a request could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    /// The file could not be had.
    #[error("{path}: {error}")]
    Source {
        /// The file as it was named.
        path: String,
        /// What went wrong.
        error: SourceError,
    },
    /// The PDF, or a page of it, could not be had.
    #[error("{path}: {error}")]
    Pdf {
        /// The file as it was named.
        path: String,
        /// What went wrong.
        error: PdfError,
    },
    /// A page that the document does not have.
    #[error("page {number} of a document of {page_count} pages")]
    PageOutOfRange {
        /// The 1-based number; 0 and less for indices below 0.
        number: i128,
        /// Pages in the document.
        page_count: u32,
        /// Whether the page was asked for by its 0-based index.
        zero_based: bool,
    },
    /// A selection that is none, or selects nothing.
    #[error("no page selection: {selection}")]
    Selection {
        /// The selection as it was given.
        selection: String,
        /// Pages in the document.
        page_count: u32,
        /// What to do instead, where the form was right.
        hint: Option<String>,
    },
    /// Pages were asked of a file that is no PDF.
    #[error("{path} is {mime_type}")]
    NoPagesIn {
        /// The file as it was named.
        path: String,
        /// What its bytes were found to be.
        mime_type: &'static str,
    },
    /// A file that is neither text, image nor PDF.
    #[error("{path} is {mime_type}")]
    UnsupportedType {
        /// The file as it was named.
        path: String,
        /// What its bytes were found to be.
        mime_type: String,
    },
    /// The PDF at a URL has no text that could be had.
    #[error("{url}: {error}")]
    FetchedPdf {
        /// The URL.
        url: String,
        /// What went wrong.
        error: PdfError,
    },
    /// What a URL holds is nothing that is read as text.
    #[error("{url} is {mime_type}")]
    UnsupportedContent {
        /// The URL.
        url: String,
        /// What its bytes were found to be, or what its server says.
        mime_type: String,
    },
    /// A first line past the end of the file.
    #[error("line {start_line} of {path}, which has {lines}")]
    StartLine {
        /// The file as it was named.
        path: String,
        /// The line asked for.
        start_line: u64,
        /// Lines in the file.
        lines: u64,
    },
    /// A file could not be written.
    #[error("writing {path}: {kind}")]
    Output {
        /// The file to be written.
        path: String,
        /// Why not.
        kind: std::io::ErrorKind,
    },
    /// One more block would pass what a provider takes in a request of this conversation.
    #[error("{path}: {full}")]
    ConversationFull {
        /// The file as it was named.
        path: String,
        /// Which bound.
        full: BoundExceeded,
    },
    /// A handle that is none, unknown, expired or another's.
    #[error("unknown conversation")]
    UnknownConversation,
    /// The system gave no random numbers for a handle.
    #[error("no random numbers: {reason}")]
    Random {
        /// What the system said.
        reason: String,
    },
    /// What the conversation holds could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database of the settings cannot be used as it was named.
    #[error(transparent)]
    Database(StoreError),
}

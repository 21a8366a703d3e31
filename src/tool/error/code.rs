//! The codes of errors, which are part of the contract.

use serde::Serialize;

/// Every code that a tool answers with. Part of the contract: never renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// A parameter is missing or of the wrong form.
    ValidationError,
    /// No such file.
    FileNotFound,
    /// The file cannot be read.
    PermissionDenied,
    /// Outside the configured roots.
    PathNotAllowed,
    /// A scheme that is not accepted.
    UnsupportedReference,
    /// Neither text, image nor PDF.
    UnsupportedFileType,
    /// Over a configured size.
    TooLarge,
    /// A page out of range.
    InvalidPage,
    /// An unreadable selection of pages.
    InvalidPageRange,
    /// Needs a password, or another one.
    Encrypted,
    /// No PDF header.
    NotAPdf,
    /// A PDF that cannot be repaired.
    Damaged,
    /// A time limit was hit.
    Timeout,
    /// The caller no longer wants it.
    Cancelled,
    /// A memory, depth or count limit was hit.
    LimitExceeded,
    /// Any other failure while reading a PDF.
    PdfError,
    /// More PDFs than one question takes.
    TooManyPdfs,
    /// A PDF reference of a scheme that is not accepted.
    UnsupportedPdfReference,
    /// The provider refused or failed.
    ModelError,
    /// No model is configured.
    NoModel,
    /// An address that is not fetched from.
    BlockedAddress,
    /// Fetching failed.
    FetchFailed,
    /// No content under this id.
    ContentNotFound,
    /// The queue is full.
    Busy,
    /// A conversation that is unknown, expired or another's.
    UnknownConversation,
    /// A result could not be written.
    WriteFailed,
    /// The memory of conversations could not be read.
    StoreFailed,
}

impl ErrorCode {
    /// Whether the request was refused for what it asked or named, rather than failed.
    #[must_use]
    pub fn is_refusal(self) -> bool {
        match self {
            Self::ValidationError
            | Self::FileNotFound
            | Self::PermissionDenied
            | Self::PathNotAllowed
            | Self::UnsupportedReference
            | Self::UnsupportedFileType
            | Self::TooLarge
            | Self::InvalidPage
            | Self::InvalidPageRange
            | Self::Encrypted
            | Self::NotAPdf
            | Self::Damaged
            | Self::LimitExceeded
            | Self::TooManyPdfs
            | Self::UnsupportedPdfReference
            | Self::NoModel
            | Self::BlockedAddress
            | Self::ContentNotFound
            | Self::UnknownConversation => true,
            Self::Timeout
            | Self::Cancelled
            | Self::PdfError
            | Self::ModelError
            | Self::FetchFailed
            | Self::Busy
            | Self::WriteFailed
            | Self::StoreFailed => false,
        }
    }
}

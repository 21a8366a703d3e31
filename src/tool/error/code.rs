//! Error codes, which are part of the contract.

use serde::Serialize;

/// The codes of tool errors. Part of the contract: never renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// A parameter is missing or invalid.
    ValidationError,
    /// No such file.
    FileNotFound,
    /// The file cannot be read.
    PermissionDenied,
    /// Outside the configured roots.
    PathNotAllowed,
    /// The scheme is not supported.
    UnsupportedReference,
    /// Neither text, image nor PDF.
    UnsupportedFileType,
    /// Over a configured size.
    TooLarge,
    /// The page is out of range.
    InvalidPage,
    /// The page selection is invalid.
    InvalidPageRange,
    /// A password is needed, or the given one is wrong.
    Encrypted,
    /// No PDF header.
    NotAPdf,
    /// The PDF cannot be repaired.
    Damaged,
    /// A time limit was hit.
    Timeout,
    /// The request was cancelled.
    Cancelled,
    /// A memory, depth or count limit was hit.
    LimitExceeded,
    /// Any other failure while reading a PDF.
    PdfError,
    /// Too many PDFs in one question.
    TooManyPdfs,
    /// The scheme of a PDF reference is not supported.
    UnsupportedPdfReference,
    /// The provider refused or failed.
    ModelError,
    /// No model is configured.
    NoModel,
    /// The address may not be fetched.
    BlockedAddress,
    /// Fetching failed.
    FetchFailed,
    /// No content under this id.
    ContentNotFound,
    /// The queue is full.
    Busy,
    /// The conversation is unknown, expired or somebody else's.
    UnknownConversation,
    /// A result could not be written.
    WriteFailed,
    /// The store of conversations could not be read.
    StoreFailed,
}

impl ErrorCode {
    /// Whether the request was refused for what it asked, rather than failed.
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

//! Errors of reading a document.

use pagewise_base::limits::{LimitExceeded, StopReason};
use std::io;

/// Why a document or a part of it could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// No `%PDF-` in the first 1,024 bytes, and no reader found a document.
    #[error("no PDF header in the first 1,024 bytes; the file begins with {beginning:?}")]
    NotAPdf {
        /// The first bytes, printable ones as they are.
        beginning: String,
    },
    /// The file is damaged beyond repair.
    #[error("{what}{}", offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default())]
    Damaged {
        /// The damage, as a noun phrase.
        what: &'static str,
        /// Its offset in bytes from the start of the file, if known.
        offset: Option<u64>,
    },
    /// The document is encrypted, and the password is missing or wrong.
    #[error("{}", if *password_given { "the password is wrong" } else { "the document needs a password" })]
    Encrypted { password_given: bool },
    /// The document's security handler is not supported.
    #[error("the document's security handler is not supported")]
    UnsupportedEncryption,
    /// The document has no such page.
    #[error("page {page} of a document of {page_count} pages")]
    PageOutOfRange {
        /// The requested page, counted from 1.
        page: u32,
        /// Pages in the document.
        page_count: u32,
    },
    /// A bound of [`Limits`](pagewise_base::limits::Limits) was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The deadline passed, or the request was cancelled.
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// The file could not be read.
    #[error("reading the file failed: {kind}")]
    Io {
        /// The kind of failure.
        kind: io::ErrorKind,
    },
}

/// The damage of a truncated file.
const ENDS_EARLY: &str = "the file ends early";

impl DocumentError {
    /// The error for a file truncated to `length` bytes.
    pub(crate) fn cut_off(length: u64) -> Self {
        Self::damaged_at(ENDS_EARLY, length)
    }

    /// Whether the file is truncated.
    pub(crate) fn ends_early(&self) -> bool {
        matches!(self, Self::Damaged { what: ENDS_EARLY, .. })
    }

    /// Damage at an unknown offset.
    pub fn damaged(what: &'static str) -> Self {
        Self::Damaged { what, offset: None }
    }

    /// Damage at a byte offset.
    pub(crate) fn damaged_at(what: &'static str, offset: u64) -> Self {
        Self::Damaged { what, offset: Some(offset) }
    }

    /// Whether another reader may succeed where this one failed.
    pub fn is_worth_another_reader(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. } | Self::NotAPdf { .. } | Self::Encrypted { .. } | Self::UnsupportedEncryption
        )
    }
}

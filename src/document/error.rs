//! What can go wrong while a document is read.

use crate::limits::{LimitExceeded, Stopped};
use std::io;

/// Why a document, or a part of it, could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// No `%PDF-` in the first 1,024 bytes, and no reader found a document.
    #[error("no PDF header in the first 1,024 bytes; the file begins with {beginning:?}")]
    NotAPdf {
        /// The first bytes, printable ones as they are.
        beginning: String,
    },
    /// The structure is broken beyond what the readers repair.
    #[error("{what}{}", offset.map(|offset| format!(" at byte {offset}")).unwrap_or_default())]
    Damaged {
        /// What was expected or found.
        what: &'static str,
        /// Where, in bytes from the start of the file, if it can be said.
        offset: Option<u64>,
    },
    /// The document is encrypted, and no password, or a wrong one, was given.
    #[error("{}", if *password_given { "the password is wrong" } else { "the document needs a password" })]
    Encrypted {
        /// Whether a password was given.
        password_given: bool,
    },
    /// The document is encrypted by a security handler that is not supported.
    #[error("the document's security handler is not supported")]
    UnsupportedEncryption,
    /// A page that the document does not have.
    #[error("page {page} of a document of {page_count} pages")]
    PageOutOfRange {
        /// The 1-based page that was asked for.
        page: u32,
        /// Pages in the document.
        page_count: u32,
    },
    /// A bound of [`Limits`](crate::limits::Limits) was hit.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The time was over, or the request was cancelled.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The file could not be read.
    #[error("reading the file failed: {kind}")]
    Io {
        /// The kind of failure.
        kind: io::ErrorKind,
    },
}

/// What is wrong with a file that was cut off.
const ENDS_EARLY: &str = "the file ends early";

impl DocumentError {
    /// A file of `length` bytes that was cut off.
    pub(crate) fn cut_off(length: u64) -> Self {
        Self::damaged_at(ENDS_EARLY, length)
    }

    /// Whether the file was cut off.
    pub(crate) fn ends_early(&self) -> bool {
        matches!(self, Self::Damaged { what: ENDS_EARLY, .. })
    }

    /// Damage without a place.
    pub(crate) fn damaged(what: &'static str) -> Self {
        Self::Damaged { what, offset: None }
    }

    /// Damage at a byte of the file.
    pub(crate) fn damaged_at(what: &'static str, offset: u64) -> Self {
        Self::Damaged { what, offset: Some(offset) }
    }

    /// Whether another reader may get further than the one that failed.
    pub(crate) fn is_worth_another_reader(&self) -> bool {
        matches!(
            self,
            Self::Damaged { .. } | Self::NotAPdf { .. } | Self::Encrypted { .. } | Self::UnsupportedEncryption
        )
    }
}

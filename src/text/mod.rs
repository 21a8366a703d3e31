//! A page → its text.
//!
//! What there is now is the last resort: the crate pdf-extract, page by page, for pages that cannot be read better.
//! It panics on about one file in twenty-five, so it runs on a thread of its own, where a panic costs a typed error.
//! It has no bounds on time and memory: where these matter the caller runs this room in a process of its own.

mod contained;
mod fallback;
mod plain;

use crate::document::{Document, DocumentError};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;

/// Why a page has no text to give.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// The document could not be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The engine's own reader refused the file or the page.
    #[error("the text engine cannot read the page: {reason}")]
    Unreadable {
        /// What it said.
        reason: String,
    },
    /// The engine gave up inside.
    #[error("the text engine failed: {message}")]
    Panicked {
        /// What it said, on one line.
        message: String,
    },
    /// No thread for the engine could be had.
    #[error("no thread for the text engine")]
    NoThread,
    /// The page has more text than `max_text_bytes`.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

/// The text of a one-page PDF, as the room `split` cuts them: the smaller and the sounder way.
///
/// Lines are kept, what shows nothing is dropped (controls, overrides of direction, tags); an empty string means a
/// page without text.
///
/// # Errors
/// [`TextError::Unreadable`] and [`TextError::Panicked`] where the engine fails, [`TextError::Limit`] past
/// `max_text_bytes`.
pub fn chunk_text(chunk: &[u8], limits: &Limits) -> Result<String, TextError> {
    fallback::page_text(chunk.to_vec().into(), PageIndex(0), limits)
}

/// The text of a page out of the whole file, for a page that cannot be cut. As [`chunk_text`] otherwise.
///
/// # Errors
/// As [`chunk_text`]; [`TextError::Document`] with [`DocumentError::PageOutOfRange`] past the end, and with
/// [`DocumentError::UnsupportedEncryption`] for encrypted files, which the engine decrypts wrongly without a word.
pub fn page_text(document: &Document, index: PageIndex, limits: &Limits) -> Result<String, TextError> {
    let page_count = document.page_count();
    if index.0 >= page_count {
        return Err(DocumentError::PageOutOfRange { page: index.number().get(), page_count }.into());
    }
    if document.is_encrypted() {
        return Err(DocumentError::UnsupportedEncryption.into());
    }
    fallback::page_text(document.whole_file()?, index, limits)
}

/// Tokens that `text` will cost a model, roughly: a quarter for each character, one for each of East Asian scripts.
#[must_use]
pub fn estimated_tokens(text: &str) -> u64 {
    let (mut quarters, mut whole) = (0_u64, 0_u64);
    for character in text.chars() {
        // From the first CJK radical on.
        if character >= '\u{2E80}' { whole += 1 } else { quarters += 1 }
    }
    whole + quarters.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::estimated_tokens;

    #[test]
    fn tokens_are_estimated_by_script() {
        assert_eq!(estimated_tokens(""), 0);
        assert_eq!(estimated_tokens("abcde"), 2);
        assert_eq!(estimated_tokens("漢字abcd"), 3);
    }
}

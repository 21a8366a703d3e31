//! A page → its text.
//!
//! Three engines, each page by itself, or by the first of them many pages of one document ([`Texts`]). The first
//! places every glyph with hayro-interpret, which draws pages too, and puts the words in order here. Where it misses
//! characters, unpdf is asked, and kept where it finds clearly more; where nobody finds any, the crate pdf-extract. All
//! of them run on a thread of their own, where a panic costs a typed error; none of them has bounds on time and memory,
//! so where these matter the caller runs this room in a process of its own.

mod accents;
mod characters;
mod collect;
mod direction;
mod fallback;
mod first;
mod join;
mod lines;
mod many;
mod mark;
mod order;
mod page_text;
mod plain;
mod search;
mod second;
mod stacks;
mod tokens;
mod write;

pub use many::Texts;
pub use page_text::{Engine, PageKind, PageText};
pub use plain::plain;
pub use search::{Case, Hit, Pattern, PatternError, Query};
pub use tokens::estimated_tokens;

use crate::document::{Document, DocumentError, EngineFailure, ReadAt, contained};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use bytes::Bytes;
use std::sync::Arc;

/// One in so many glyphs may be unknown before another engine is asked.
const TOLERATED_UNKNOWN: u64 = 20;

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
    #[error(transparent)]
    Engine(#[from] EngineFailure),
    /// The page has more text than `max_text_bytes`.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

/// The text of a one-page PDF, as the room `split` cuts them: the smaller and the sounder way.
///
/// # Errors
/// [`TextError::Unreadable`] and [`TextError::Engine`] where every engine fails, [`TextError::Limit`] past
/// `max_text_bytes`, [`TextError::Document`] where the chunk is no PDF, is encrypted, or draws without end.
pub fn chunk_text(chunk: &[u8], limits: &Limits) -> Result<PageText, TextError> {
    let source: Arc<dyn ReadAt> = Arc::new(chunk.to_vec());
    page_text(&Document::open(source, None, limits)?, PageIndex(0), limits)
}

/// The text of a page out of the whole file, for a page that cannot be cut. As [`chunk_text`] otherwise.
///
/// # Errors
/// As [`chunk_text`]; also [`TextError::Document`] with [`DocumentError::PageOutOfRange`] past the end, and with
/// [`DocumentError::UnsupportedEncryption`] for encrypted files that are not decrypted first: the engines do it wrongly
/// without a word.
pub fn page_text(document: &Document, index: PageIndex, limits: &Limits) -> Result<PageText, TextError> {
    let page_count = document.page_count();
    if index.0 >= page_count {
        return Err(DocumentError::PageOutOfRange { page: index.number().get(), page_count }.into());
    }
    let file = document.drawable(index)?.file;
    let first = within(|| first::page_text(&Arc::new(file.clone()), index, limits));
    match first {
        Ok(page) if !misses_characters(&page) => Ok(page),
        Err(TextError::Limit(limit)) => Err(TextError::Limit(limit)),
        Err(TextError::Document(DocumentError::Stopped(stopped))) => Err(DocumentError::from(stopped).into()),
        first => more_votes(first, &file, index, page_count, limits),
    }
}

/// Runs an engine where its panics do no harm.
fn within<T: Send>(run: impl FnOnce() -> Result<T, TextError> + Send) -> Result<T, TextError> {
    contained(run)?
}

fn misses_characters(page: &PageText) -> bool {
    page.undecoded > count(&page.text) / TOLERATED_UNKNOWN
}

/// What the other engines find, where that is clearly more than the first has.
fn more_votes(
    first: Result<PageText, TextError>,
    file: &Bytes,
    index: PageIndex,
    page_count: u32,
    limits: &Limits,
) -> Result<PageText, TextError> {
    let known = first.as_ref().map_or(0, |page| count(&page.text));
    // It reads documents as a whole.
    let second = (page_count == 1).then(|| within(|| second::chunk_text(file, limits)));
    if let Some(Ok(text)) = second
        && is_clearly_more(&text, known)
    {
        return Ok(by(Engine::Unpdf, text, first.ok()));
    }
    if known > 0 {
        return first;
    }
    match within(|| fallback::page_text(file.clone(), index, limits)) {
        Ok(text) if !text.is_empty() => Ok(by(Engine::PdfExtract, text, first.ok())),
        Err(TextError::Limit(limit)) => Err(TextError::Limit(limit)),
        Ok(_) | Err(_) => first,
    }
}

/// Whether `text` has more than 1.2 times the characters that are known.
fn is_clearly_more(text: &str, known: u64) -> bool {
    count(text).saturating_mul(5) > known.saturating_mul(6)
}

fn by(engine: Engine, text: String, first: Option<PageText>) -> PageText {
    PageText { text, kind: PageKind::Text, engine, undecoded: 0, ..first.unwrap_or_default() }
}

fn count(text: &str) -> u64 {
    u64::try_from(text.chars().filter(|character| !character.is_whitespace()).count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::is_clearly_more;

    #[test]
    fn more_is_more_than_a_fifth() {
        assert!(!is_clearly_more("abcdef", 5));
        assert!(is_clearly_more("abcdefg", 5));
        assert!(!is_clearly_more("", 0));
    }
}

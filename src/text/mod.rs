//! A page → its text.
//!
//! Two engines, each page by itself, or by the first of them many pages of one document ([`Texts`]). The first
//! places every glyph with hayro-interpret, which draws pages too, and puts the words in order here. Where it finds no
//! character, the crate pdf-extract is asked. Both run on a thread of their own, where a panic costs a typed error; neither
//! has bounds on time and memory, so where these matter the caller runs this room in a process of its own.
//!
//! The crate unpdf stood between the two, for pages on which the first misses characters, and is gone: of 2,567 pages, up to
//! six of each of 2,260 files, 98 have such characters, and it found clearly more on one, which was wrong (`ƒƒƒK`). On changed
//! files it ran for 20 to 56 seconds and took up to 2.3 GB (expanding character maps, and ordering many glyphs), which
//! cost the page what the first engine had found.
//!
//! What a font says may be no text; how that is decided stands in `plausible.rs`.

mod accents;
mod characters;
mod collect;
mod direction;
mod fallback;
mod first;
mod glyph_names;
mod hyphens;
mod join;
mod lines;
mod many;
mod mark;
mod order;
mod page_text;
mod plain;
mod plausible;
mod replacement;
mod search;
mod stacks;
mod tokens;
mod write;

pub use many::Texts;
pub use page_text::{PageKind, PageText, TextEngine};
pub use plain::plain;
pub use search::{Case, Hit, Pattern, PatternError, Query};
pub use tokens::estimated_tokens;

use crate::document::{Document, DocumentError, EngineFailure, ReadAt, run_contained};
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use bytes::Bytes;
use std::sync::Arc;

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
    Engine(EngineFailure),
    /// The page has more text than `max_text_bytes`.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
}

impl From<EngineFailure> for TextError {
    fn from(failure: EngineFailure) -> Self {
        match failure {
            EngineFailure::Limit(limit) => Self::Limit(limit),
            EngineFailure::Stopped(stopped) => Self::Document(stopped.into()),
            EngineFailure::Panicked { .. } | EngineFailure::NoThread => Self::Engine(failure),
        }
    }
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
    let file = document.engine_file(index)?.file;
    let first = within(|| first::page_text(&file, index, limits));
    match first {
        Ok(page) if !is_unknown(&page) => Ok(page),
        Err(TextError::Limit(limit)) => Err(TextError::Limit(limit)),
        Err(stopped @ TextError::Document(DocumentError::Stopped(_))) => Err(stopped),
        first => last_resort(first, &file, index, limits),
    }
}

/// Runs an engine where its panics do no harm.
fn within<T: Send>(run: impl FnOnce() -> Result<T, TextError> + Send) -> Result<T, TextError> {
    run_contained(run)?
}

/// Whether there is text of which no character is known.
fn is_unknown(page: &PageText) -> bool {
    page.undecoded > 0 && page.text.chars().all(char::is_whitespace)
}

/// What the other engine finds, where the first knows no character.
fn last_resort(
    first: Result<PageText, TextError>,
    file: &Bytes,
    index: PageIndex,
    limits: &Limits,
) -> Result<PageText, TextError> {
    match within(|| fallback::page_text(file.clone(), index, limits)) {
        Ok((text, joints)) if !text.is_empty() && plausible::is_text(&text) => Ok(PageText {
            text,
            joints,
            kind: PageKind::Text,
            engine: TextEngine::PdfExtract,
            undecoded: 0,
            ..first.unwrap_or_default()
        }),
        Err(TextError::Limit(limit)) => Err(TextError::Limit(limit)),
        Ok(_) | Err(_) => first,
    }
}

//! Extracts the text of a page in reading order, and searches it.
//!
//! The main engine places glyphs with hayro-interpret, which also draws pages, and orders them here. If it knows no
//! character of a page, the crate pdf-extract is tried. Engines run on threads of their own, where a panic becomes an
//! error. They have no bounds on memory; a caller that needs these runs the room in a worker process.
//!
//! 1. `glyphs` collects the page's glyphs, finds their characters, and ignores implausible character maps.
//! 2. `layout` groups glyphs into lines, which it levels, and blocks, in reading order.

mod columned_text;
mod contents_page;
mod document_texts;
mod drawn_signs;
#[cfg(feature = "pdf-extract")]
mod fallback_engine;
mod fold;
mod fonts;
mod glyphs;
mod layout;
mod link_areas;
mod main_engine;
mod normalize;
mod page_layout;
mod page_text;
mod page_words;
mod quote;
mod quote_words;
mod recognised;
mod search;
mod shapes;
mod text_boxes;
mod words;

pub use contents_page::lists_pages;
pub use document_texts::DocumentTexts;
pub use glyphs::is_bracket_piece;
pub use layout::{
    COLUMN_GAP_EM, ColumnPart, HYPHENS, HasPlace, MAX_TILT, SAME_LINE_EM, SCRIPT_GAP_EM, SMALLER, Script, Vocabulary,
    WordPlace, are_apart, are_boxes_overprinted, are_level, columns_of, divides, parts, push_run, rows_of, strands,
};
pub use main_engine::Extent;
pub use normalize::normalize_text;
pub use page_layout::to_points;
pub use page_layout::{Bounds, ContentMark, Fill, LinkArea, MathFont, PageLayout, Rule, Word};
pub use page_text::{HIDDEN_REMARK, PageKind, PageRemark, PageText, RECOGNISED_REMARK, TextEngine};
pub use page_words::{PageWords, PlacedWord};
pub use quote::{QuoteError, QuoteSearch, QuoteVerdict, WordDifference};
pub use recognised::{RecognisedLayout, RecognisedText, lay_out_recognised};
pub use search::{Case, Pattern, PatternError, QuerySyntax, SearchHit};
pub use text_boxes::TextBoxes;
pub use words::fold_words;

use bytes::Bytes;
use pagewise_base::limits::{LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, EngineFailure, EngineFile, ReadAt, run_contained};
use std::sync::Arc;

/// Why a page's text could not be extracted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// The document could not be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The engine's reader refused the file or the page.
    #[error("the text engine cannot read the page: {reason}")]
    Unreadable {
        /// Its error.
        reason: String,
    },
    /// The engine panicked or could not be started.
    #[error(transparent)]
    Engine(EngineFailure),
    /// The page exceeds a limit, such as `max_text_bytes`.
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

/// Extracts the text of a one-page PDF, as cut by `split`. Prefer this to [`page_text()`]: the chunk is smaller and sound.
///
/// # Errors
/// - [`TextError::Unreadable`], [`TextError::Engine`]: every engine failed.
/// - [`TextError::Limit`]: the page exceeds a limit.
/// - [`TextError::Document`]: the chunk is no PDF, is encrypted, or the deadline passed.
pub fn chunk_text(chunk: &[u8], limits: &Limits) -> Result<PageText, TextError> {
    let source: Arc<dyn ReadAt> = Arc::new(chunk.to_vec());
    page_text(&Document::open(source, None, limits)?, PageIndex(0), limits)
}

/// Extracts the text of a page from the whole file, for pages that cannot be cut.
///
/// # Errors
/// As [`read_page`].
pub fn page_text(document: &Document, index: PageIndex, limits: &Limits) -> Result<PageText, TextError> {
    read_page(document, index, Extent::Text, limits).map(|(text, _)| text)
}

/// The text and the layout of a one-page PDF, as cut by `split`. See [`chunk_text`].
///
/// # Errors
/// As [`chunk_text`].
pub fn chunk_layout(chunk: &[u8], limits: &Limits) -> Result<(PageText, PageLayout), TextError> {
    let source: Arc<dyn ReadAt> = Arc::new(chunk.to_vec());
    page_layout(&Document::open(source, None, limits)?, PageIndex(0), limits)
}

/// The text and the layout of a page from the whole file, for pages that cannot be cut.
///
/// # Errors
/// As [`read_page`].
pub fn page_layout(
    document: &Document,
    index: PageIndex,
    limits: &Limits,
) -> Result<(PageText, PageLayout), TextError> {
    read_page(document, index, Extent::Layout, limits)
}

/// The text of a page, and its layout as far as it is read. A text that only the fallback engine knows has no words.
///
/// # Errors
/// As [`chunk_text`], and [`TextError::Document`] with [`DocumentError::PageOutOfRange`] past the last page, or with
/// [`DocumentError::UnsupportedEncryption`] if the file cannot be decrypted first.
pub fn read_page(
    document: &Document,
    index: PageIndex,
    extent: Extent,
    limits: &Limits,
) -> Result<(PageText, PageLayout), TextError> {
    let page_count = document.page_count();
    if index.0 >= page_count {
        return Err(DocumentError::PageOutOfRange { page: index.number().get(), page_count }.into());
    }
    let EngineFile { file, is_damaged, .. } = document.engine_file(index)?;
    let read = |extent| within(|| main_engine::read_page(&file, index, extent, limits));
    let first = match read(extent) {
        // The text of a page whose layout fails is worth a second reading.
        Err(TextError::Engine(_) | TextError::Unreadable { .. }) if extent == Extent::Layout => read(Extent::Text),
        first => first,
    };
    let first = first.map(|(text, layout)| (PageText { is_damaged, ..text }, layout));
    match first {
        Ok(page) if !is_unknown(&page.0) => Ok(page),
        Err(TextError::Limit(limit)) => Err(TextError::Limit(limit)),
        Err(stopped @ TextError::Document(DocumentError::Stopped(_))) => Err(stopped),
        first => last_resort(first, &file, index, limits),
    }
}

/// Runs an engine on a thread of its own.
fn within<T: Send>(run: impl FnOnce() -> Result<T, TextError> + Send) -> Result<T, TextError> {
    run_contained(run)?
}

/// Whether the page has glyphs, but none with a known character.
fn is_unknown(page: &PageText) -> bool {
    page.undecoded > 0 && page.text.chars().all(char::is_whitespace)
}

/// Tries the fallback engine after the main engine found no characters.
fn last_resort(
    first: Result<(PageText, PageLayout), TextError>,
    file: &Bytes,
    index: PageIndex,
    limits: &Limits,
) -> Result<(PageText, PageLayout), TextError> {
    match within(|| fallback_engine::extract_page(file.clone(), index, limits)) {
        Ok((text, joints)) if !text.is_empty() && glyphs::is_text(&text) => {
            let (page, layout) = first.unwrap_or_default();
            let (kind, engine) = (PageKind::Text, TextEngine::PdfExtract);
            Ok((PageText { text, joints, kind, engine, undecoded: 0, ..page }, layout))
        }
        Err(TextError::Limit(limit)) => Err(TextError::Limit(limit)),
        Ok(_) | Err(_) => first,
    }
}

#[cfg(not(feature = "pdf-extract"))]
mod fallback_engine {
    use super::{Bytes, Limits, PageIndex, TextError};

    /// No text, since this build has no such engine.
    pub(super) fn extract_page(_: Bytes, _: PageIndex, _: &Limits) -> Result<(String, Vec<u64>), TextError> {
        Ok(Default::default())
    }
}

//! Cuts a page into a standalone one-page PDF ([`PageChunk`]), or joins several pages into one PDF ([`join()`]).
//!
//! 1. `assemble` collects the pages' annotations, form fields and optional content.
//! 2. `resources` finds the resources that their content uses.
//! 3. `closure` follows references from the pages, drops what a page does not need, and serializes the rest.
//! 4. `writer` writes the file.
//! 5. `verify` reads it back.
//!
//! `fingerprint` hashes the meaning of a chunk.

mod assemble;
mod chunk_cache;
mod closure;
mod fingerprint;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod fuzzing;
mod join;
mod resources;
mod verify;
mod writer;

pub use assemble::Conflict;
pub use fingerprint::fingerprint;
pub use join::join_with;
pub use join::{JoinError, JoinedPages, join};
pub use verify::ChunkDefect;

use assemble::{Assembly, ContentRequirement, assemble};
use bytes::Bytes;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, Leaf, ParsedDocument, Tier};

/// A page as a standalone PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChunk {
    /// The PDF file.
    pub bytes: Bytes,
    /// The reader that read the page.
    pub tier: Tier,
    /// Notes on assumed or missing content.
    pub notes: Vec<CutNote>,
}

/// A defect of the source page that a chunk carries on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CutNote {
    /// The page has no usable `/MediaBox`.
    #[error("the page has no usable MediaBox; US Letter is assumed")]
    MediaBoxAssumed,
    /// A content stream does not decode to its end.
    #[error("some content of the page does not decode to its end; it is copied as it is")]
    ContentDamaged,
    /// The page refers to content or resources that are not in the file.
    #[error("some content that the page names is not in the file")]
    ContentLost,
}

/// Why a page could not be cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// The page could not be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The chunk failed verification and was discarded.
    #[error("the page was cut, but {0}")]
    Defective(#[from] ChunkDefect),
}

impl CutError {
    fn is_worth_another_reader(&self) -> bool {
        match self {
            Self::Document(error) => error.is_worth_another_reader(),
            Self::Defective(_) => true,
        }
    }
}

/// Cuts the page at `index` out of `document`.
///
/// The same page gives the same bytes, in every process and on every machine.
///
/// # Errors
/// - [`CutError::Document`]: [`DocumentError::PageOutOfRange`] past the last page, or the first reader's error if no
///   reader succeeds.
/// - [`CutError::Defective`]: the chunk does not read back as one sound page.
pub fn cut(document: &Document, index: PageIndex) -> Result<PageChunk, CutError> {
    let label = document.page_label(index).map(|label| label.0);
    let attempt = |requirement: ContentRequirement| {
        let build = |parsed: &ParsedDocument, leaf: &Leaf| -> Result<PageChunk, CutError> {
            let Assembly { file, notes, .. } = assemble_page(parsed, leaf, label.clone(), requirement)?;
            Ok(PageChunk { bytes: verify::verify(file, 1, parsed)?, tier: parsed.tier, notes })
        };
        document.with_page(index, build, CutError::is_worth_another_reader)
    };
    let (chunk, _) = match attempt(ContentRequirement::Complete) {
        Err(CutError::Document(DocumentError::Damaged { .. })) => attempt(ContentRequirement::Any)?,
        other => other?,
    };
    Ok(chunk)
}

fn assemble_page(
    parsed: &ParsedDocument,
    leaf: &Leaf,
    label: Option<String>,
    requirement: ContentRequirement,
) -> Result<Assembly, DocumentError> {
    assemble(parsed, std::slice::from_ref(leaf), &[label], requirement)
}

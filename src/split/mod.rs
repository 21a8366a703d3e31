//! A page → a standalone PDF of one page ([`PageChunk`]); several pages → one PDF ([`join`]).
//!
//! survey (annotations, fields, layers) → find the resources in use → follow the closure → write → read back.

mod assemble;
mod canonical;
mod catalog;
mod closure;
mod colors;
mod content;
mod content_digest;
mod digest;
mod fingerprint;
mod form;
#[cfg(debug_assertions)]
#[doc(hidden)]
pub mod fuzzing;
mod join;
mod names;
mod page;
mod recode;
mod recorded;
mod resources;
mod roles;
mod serialize;
mod shared;
mod stream_data;
mod used;
mod verify;
mod writer;

pub use assemble::Conflict;
pub use fingerprint::fingerprint;
pub(crate) use join::join_with;
pub use join::{JoinError, JoinedPages, join};
pub use verify::Unsound;

use crate::document::{Document, DocumentError, Leaf, Reading, Tier};
use crate::page::PageIndex;
use assemble::{Assembled, Demand, assemble};
use bytes::Bytes;

/// A page as a PDF of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChunk {
    /// The file.
    pub bytes: Bytes,
    /// The reader that it was made with.
    pub tier: Tier,
    /// What was assumed or repaired.
    pub notes: Vec<CutNote>,
}

/// Something about a chunk that its reader may want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CutNote {
    /// The page has no usable media box.
    #[error("the page has no usable MediaBox; US Letter is assumed")]
    MediaBoxAssumed,
    /// Content does not decode to its end.
    #[error("some content of the page does not decode to its end; it is copied as it is")]
    ContentDamaged,
    /// Content, or a resource, that the page names is not in the file.
    #[error("some content that the page names is not in the file")]
    ContentLost,
}

/// Why no chunk could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// The document could not be read as far as the page needs it.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// What was made is no sound PDF of one page; it does not leave.
    #[error("the page was cut, but {0}")]
    Unsound(#[from] Unsound),
}

impl CutError {
    fn is_worth_another_reader(&self) -> bool {
        match self {
            Self::Document(error) => error.is_worth_another_reader(),
            Self::Unsound(_) => true,
        }
    }
}

/// Cuts the page at `index` out of `document`.
///
/// The same page gives the same bytes, in every process and on every machine.
///
/// # Errors
/// [`CutError::Document`] with [`DocumentError::PageOutOfRange`] past the end, with the first reader's error where no
/// reader gets through; [`CutError::Unsound`] where the result does not read back as one page.
pub fn cut(document: &Document, index: PageIndex) -> Result<PageChunk, CutError> {
    let label = document.page_label(index).map(|label| label.0);
    let attempt = |demand: Demand| {
        let make = |reading: &Reading, leaf: &Leaf| -> Result<PageChunk, CutError> {
            let Assembled { written, notes, .. } = one(reading, leaf, label.clone(), demand)?;
            Ok(PageChunk { bytes: verify::verify(written, 1, reading)?, tier: reading.tier, notes })
        };
        document.with_page(index, make, CutError::is_worth_another_reader)
    };
    let (chunk, _) = match attempt(Demand::AllContent) {
        Err(CutError::Document(DocumentError::Damaged { .. })) => attempt(Demand::WhatIsThere)?,
        other => other?,
    };
    Ok(chunk)
}

fn one(reading: &Reading, leaf: &Leaf, label: Option<String>, demand: Demand) -> Result<Assembled, DocumentError> {
    assemble(reading, std::slice::from_ref(leaf), &[label], demand)
}

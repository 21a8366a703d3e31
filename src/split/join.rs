//! Several pages of a document → one PDF, with what they share in it once.
//!
//! **One closure over all pages**, and not the joining of chunks that were cut before: what makes objects of two pages
//! the same is the document, which says so by its references, also of form fields, layers and resource dictionaries,
//! where equal content does not (two layers of one name are two). So there is nothing to merge, and no order of fields
//! or layers to make up. What joining chunks would have given for nothing, that each page is the one that was
//! verified, is checked instead: every page is cut out of the result again and must have the bytes of its chunk.
//!
//! Of 260 files with several pages, taken at random out of 2,260, the first six pages of 256 are joined (1,027 pages);
//! each looks in MuPDF and Poppler as its chunk does and has the same text (on one page Poppler draws two pictures by
//! turns, of the chunk too). Three are refused because no one reader gets all the pages, one because a widget needs
//! whole what another page's resources have pruned. Together they have 15.9 MB, the chunks 30.6; the 251 that qpdf
//! writes too have 15.2 MB, with qpdf (object streams, streams deflated again) 16.1. 40 of them are larger than qpdf's,
//! the worst 1.43 times, since compressed data is copied untouched here. Whole documents, in MB:
//!
//! | pages | source | chunks | joined | qpdf |
//! |---|---|---|---|---|
//! | 117 | 1.79 | 9.78 | 1.32 | 1.39 |
//! | 165 | 2.85 | 15.05 | 2.83 | 2.83 |
//! | 352 | 2.60 | 24.09 | 2.39 | 2.39 |
//! | 1,158 | 4.71 | 146.87 | 4.45 | 4.65 |
//!
//! Joining took 1.1 to 1.5 times as long as writing the same pages as chunks by two threads (an unoptimised build).

use super::assemble::{Assembled, Conflict, Demand, assemble};
use super::{CutError, CutNote, PageChunk, cut, one, verify};
use crate::document::{Document, DocumentError, Leaf, Reading, Tier};
use crate::hash::ContentHash;
use crate::page::{PageIndex, PageNumber, PageSet};
use bytes::Bytes;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Several pages as one PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedPages {
    /// The file.
    pub bytes: Bytes,
    /// The reader that it was made with.
    pub tier: Tier,
    /// What was assumed or repaired on any of the pages.
    pub notes: Vec<CutNote>,
}

/// Why pages could not be joined. Each may still be had by itself, but that of [`JoinError::Page`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// None was asked for.
    #[error("there are no pages to join")]
    NoPages,
    /// A page cannot be cut.
    #[error("page {page}: {error}")]
    Page {
        /// The page's number.
        page: PageNumber,
        /// Why.
        error: CutError,
    },
    /// All together pass a limit, or come to no sound PDF.
    #[error(transparent)]
    Whole(#[from] CutError),
    /// They were cut by several readers, of which none gets all.
    #[error("the file is damaged, and these pages can only be read one by one")]
    SeveralReaders,
    /// They want different things of the document.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// A page that is cut out of the joined PDF is not the page that is cut out of the document.
    #[error("page {page} would not be the same in one PDF with the others")]
    Differs {
        /// The page's number.
        page: PageNumber,
    },
}

impl From<DocumentError> for JoinError {
    fn from(error: DocumentError) -> Self {
        Self::Whole(error.into())
    }
}

impl JoinError {
    fn is_worth_another_reader(&self) -> bool {
        match self {
            Self::Whole(error) => error.is_worth_another_reader(),
            Self::Differs { .. } => true,
            Self::NoPages | Self::Page { .. } | Self::SeveralReaders | Self::Conflict(_) => false,
        }
    }
}

/// Writes `pages` of `document` as one PDF, in page order.
///
/// The same pages give the same bytes, in every process and on every machine. Each page that is [`cut`] out of the
/// result has the very bytes that it has when it is cut out of `document`; this is checked before the result leaves.
/// The limits of a page on bytes and objects, and the deadline, hold for all pages together; `max_decoded_bytes` holds
/// for each of them.
///
/// # Errors
/// [`JoinError::Page`] for the first page that cannot be cut; [`JoinError::Conflict`], [`JoinError::Differs`] and
/// [`JoinError::SeveralReaders`] where the pages cannot stand in one file and be what they are; [`JoinError::Whole`]
/// where all together pass a limit.
pub fn join(document: &Document, pages: &PageSet) -> Result<JoinedPages, JoinError> {
    join_with(document, pages, |page| cut(document, page))
}

/// The same where `chunk` may know pages that were cut before.
pub(crate) fn join_with(
    document: &Document,
    pages: &PageSet,
    chunk: impl FnMut(PageIndex) -> Result<PageChunk, CutError>,
) -> Result<JoinedPages, JoinError> {
    let Some(job) = Job::of(document, pages, chunk)? else { return Err(JoinError::NoPages) };
    let is_damage =
        |error: &JoinError| matches!(error, JoinError::Whole(CutError::Document(DocumentError::Damaged { .. })));
    let made = match job.attempt(Demand::AllContent) {
        Err(error) if is_damage(&error) => job.attempt(Demand::WhatIsThere),
        other => other,
    };
    // Each page has been cut by itself.
    let is_nobodys = |error: &JoinError| is_damage(error) && job.tiers.len() > 1;
    made.map_err(|error| if is_nobodys(&error) { JoinError::SeveralReaders } else { error })
}

/// Pages on their way into one file.
struct Job<'a> {
    document: &'a Document,
    indices: Vec<PageIndex>,
    labels: Vec<Option<String>>,
    /// What each page is by itself.
    hashes: Vec<ContentHash>,
    /// The readers that cut them: what another one sees is not what was verified.
    tiers: BTreeSet<Tier>,
}

impl<'a> Job<'a> {
    fn of(
        document: &'a Document,
        pages: &PageSet,
        mut chunk: impl FnMut(PageIndex) -> Result<PageChunk, CutError>,
    ) -> Result<Option<Self>, JoinError> {
        let mut job =
            Self { document, indices: Vec::new(), labels: Vec::new(), hashes: Vec::new(), tiers: BTreeSet::new() };
        for index in pages.iter() {
            let cut = chunk(index).map_err(|error| JoinError::Page { page: index.number(), error })?;
            job.indices.push(index);
            job.labels.push(document.page_label(index).map(|label| label.0));
            job.hashes.push(ContentHash::of(&cut.bytes));
            job.tiers.insert(cut.tier);
        }
        Ok((!job.indices.is_empty()).then_some(job))
    }

    fn attempt(&self, demand: Demand) -> Result<JoinedPages, JoinError> {
        let make = |reading: &Reading, leaves: &[Leaf]| self.made(reading, leaves, demand);
        self.document.with_pages(&self.indices, make, JoinError::is_worth_another_reader).map(|(joined, _)| joined)
    }

    fn made(&self, reading: &Reading, leaves: &[Leaf], demand: Demand) -> Result<JoinedPages, JoinError> {
        if !self.tiers.contains(&reading.tier) {
            return Err(DocumentError::damaged("pages that can only be read one by one").into());
        }
        let Assembled { written, notes, conflict } = assemble(reading, leaves, &self.labels, demand)?;
        if let Some(conflict) = conflict {
            return Err(conflict.into());
        }
        let bytes = verify::verify(written, leaves.len(), reading).map_err(CutError::from)?;
        self.compare(&bytes)?;
        Ok(JoinedPages { bytes, tier: reading.tier, notes })
    }

    /// Cuts every page out of the joined file, and wants what was cut out of the document.
    fn compare(&self, joined: &Bytes) -> Result<(), JoinError> {
        let joined = Document::open(Arc::new(joined.clone()), None, self.document.limits())?;
        for ((at, index), hash) in (0..).map(PageIndex).zip(&self.indices).zip(&self.hashes) {
            let label = joined.page_label(at).map(|label| label.0);
            let again = |reading: &Reading, leaf: &Leaf| one(reading, leaf, label.clone(), Demand::WhatIsThere);
            let (again, _) = joined.with_page(at, again, DocumentError::is_worth_another_reader)?;
            if ContentHash::of(&again.written.bytes) != *hash {
                return Err(JoinError::Differs { page: index.number() });
            }
        }
        Ok(())
    }
}

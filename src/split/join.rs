//! Joins several pages of a document into one PDF that contains shared objects once.
//!
//! **One closure spans all pages**; finished chunks are not merged. References in the document decide which objects are
//! the same, also for form fields, optional content groups and resources. Equal content does not: two groups with the
//! same name are two groups.
//!
//! The result is checked page by page: each page is cut out of it again and must have the bytes of its own chunk.
//! Sizes and times are in `benches/README.md`.

use super::assemble::{Assembly, Conflict, ContentRequirement, assemble};
use super::{CutError, CutNote, PageChunk, assemble_page, cut, verify};
use bytes::Bytes;
use pagewise_base::hash::ContentHash;
use pagewise_base::page::{PageIndex, PageNumber, PageSet};
use pagewise_document::{Document, DocumentError, Leaf, ParsedDocument, Tier};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Several pages as one PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedPages {
    /// The PDF file.
    pub bytes: Bytes,
    /// The reader that read the pages.
    pub tier: Tier,
    /// Notes on assumed or missing content of the pages.
    pub notes: Vec<CutNote>,
}

/// Why pages could not be joined. Except for [`JoinError::Page`], each page can still be cut by itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// No page was requested.
    #[error("there are no pages to join")]
    NoPages,
    /// A page cannot be cut.
    #[error("page {page}: {error}")]
    Page {
        page: PageNumber,
        /// Why it cannot be cut.
        error: CutError,
    },
    /// The pages together exceed a limit, or the result is defective.
    #[error(transparent)]
    Whole(#[from] CutError),
    /// The pages were cut by different readers, none of which reads them all.
    #[error("the file is damaged, and these pages can only be read one by one")]
    SeveralReaders,
    /// The pages need document-level entries that exclude each other.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// A page cut out of the joined PDF differs from the same page cut out of the document.
    #[error("page {page} would not be the same in one PDF with the others")]
    Differs { page: PageNumber },
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
/// The same pages give the same bytes, in every process and on every machine. Each page [`cut`] out of the result has
/// the same bytes as when cut out of `document`; this is verified before the result is returned.
///
/// The deadline and the limits on a page's bytes and objects apply to all pages together. `max_decoded_bytes` applies to
/// each page.
///
/// # Errors
/// - [`JoinError::Page`]: the first page that cannot be cut.
/// - [`JoinError::Conflict`], [`JoinError::Differs`], [`JoinError::SeveralReaders`]: the pages cannot share a file
///   unchanged.
/// - [`JoinError::Whole`]: the pages together exceed a limit.
pub fn join(document: &Document, pages: &PageSet) -> Result<JoinedPages, JoinError> {
    join_with(document, pages, |page| cut(document, page))
}

/// Like [`join`], with `chunk` supplying each page's chunk, possibly from a cache.
pub fn join_with(
    document: &Document,
    pages: &PageSet,
    chunk: impl FnMut(PageIndex) -> Result<PageChunk, CutError>,
) -> Result<JoinedPages, JoinError> {
    let Some(job) = JoinJob::of(document, pages, chunk)? else { return Err(JoinError::NoPages) };
    let is_damage =
        |error: &JoinError| matches!(error, JoinError::Whole(CutError::Document(DocumentError::Damaged { .. })));
    let joined = match job.attempt(ContentRequirement::Complete) {
        Err(error) if is_damage(&error) => job.attempt(ContentRequirement::Any),
        other => other,
    };
    // Each page has a reader, so damage means that they have no reader in common.
    let needs_several_readers = |error: &JoinError| is_damage(error) && job.tiers.len() > 1;
    joined.map_err(|error| if needs_several_readers(&error) { JoinError::SeveralReaders } else { error })
}

/// The pages of one call of [`join_with`].
struct JoinJob<'a> {
    document: &'a Document,
    indices: Vec<PageIndex>,
    labels: Vec<Option<String>>,
    /// The hash of each page's own chunk.
    hashes: Vec<ContentHash>,
    /// The readers that cut the chunks. Other readers may see other pages.
    tiers: BTreeSet<Tier>,
}

impl<'a> JoinJob<'a> {
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

    fn attempt(&self, requirement: ContentRequirement) -> Result<JoinedPages, JoinError> {
        let build = |parsed: &ParsedDocument, leaves: &[Leaf]| self.build(parsed, leaves, requirement);
        self.document.with_pages(&self.indices, build, JoinError::is_worth_another_reader).map(|(joined, _)| joined)
    }

    fn build(
        &self,
        parsed: &ParsedDocument,
        leaves: &[Leaf],
        requirement: ContentRequirement,
    ) -> Result<JoinedPages, JoinError> {
        if !self.tiers.contains(&parsed.tier) {
            return Err(DocumentError::damaged("pages that can only be read one by one").into());
        }
        let Assembly { file, notes, conflict } = assemble(parsed, leaves, &self.labels, requirement)?;
        if let Some(conflict) = conflict {
            return Err(conflict.into());
        }
        let bytes = verify::verify(file, leaves.len(), parsed).map_err(CutError::from)?;
        self.compare(&bytes)?;
        Ok(JoinedPages { bytes, tier: parsed.tier, notes })
    }

    /// Cuts every page out of the joined file and compares it with the page's own chunk.
    fn compare(&self, joined: &Bytes) -> Result<(), JoinError> {
        let joined = Document::open(Arc::new(joined.clone()), None, self.document.limits())?;
        for ((at, index), hash) in (0..).map(PageIndex).zip(&self.indices).zip(&self.hashes) {
            let label = joined.page_label(at).map(|label| label.0);
            let again = |parsed: &ParsedDocument, leaf: &Leaf| {
                assemble_page(parsed, leaf, label.clone(), ContentRequirement::Any)
            };
            let (again, _) = joined.with_page(at, again, DocumentError::is_worth_another_reader)?;
            if ContentHash::of(&again.file.bytes) != *hash {
                return Err(JoinError::Differs { page: index.number() });
            }
        }
        Ok(())
    }
}

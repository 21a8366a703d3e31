//! The readers of PDFs, called in this process.

use std::sync::Arc;

use super::pages::{DocumentInfo, Outline, PageChunk, PageGeometry, Pages, PdfAction, PdfError, Reader};
use crate::document::{Document, DocumentError, ReadAt};
use crate::hash::PageFingerprint;
use crate::limits::Limits;
use crate::page::{PageIndex, PageLabel};
use crate::split::{self, CutError};

/// Reads PDFs in this process, within [`Limits`].
#[derive(Debug, Clone, Default)]
pub struct InProcess {
    limits: Limits,
}

impl InProcess {
    /// A reader within `limits`.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits }
    }
}

impl Reader for InProcess {
    fn open(&self, file: Arc<dyn ReadAt>, password: Option<&str>) -> Result<Box<dyn Pages>, PdfError> {
        let document = Document::open(file, password, &self.limits);
        let document = document.map_err(|error| document_error(error, PdfAction::ReadInfo))?;
        Ok(Box::new(OpenDocument { document }))
    }
}

struct OpenDocument {
    document: Document,
}

impl Pages for OpenDocument {
    fn page_count(&self) -> u32 {
        self.document.page_count()
    }

    fn page_label(&self, page: PageIndex) -> Option<PageLabel> {
        self.document.page_label(page)
    }

    fn info(&self) -> DocumentInfo {
        DocumentInfo::default()
    }

    fn outline(&self, _max: usize) -> Outline {
        Outline::default()
    }

    fn page_geometry(&self, _page: PageIndex) -> Result<PageGeometry, PdfError> {
        Err(unread(PdfAction::ReadInfo, "page sizes"))
    }

    fn cut(&self, page: PageIndex) -> Result<PageChunk, PdfError> {
        let chunk = split::cut(&self.document, page).map_err(cut_error)?;
        Ok(PageChunk {
            bytes: chunk.bytes,
            tier: chunk.tier.to_string(),
            notes: chunk.notes.iter().map(ToString::to_string).collect(),
        })
    }

    /// The hash of the page as it is cut: the same page of the same file has the same bytes. A rebuild that only
    /// renumbers objects gives another one, and the page is sent again.
    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError> {
        let chunk = split::cut(&self.document, page).map_err(cut_error)?;
        Ok(PageFingerprint(*blake3::hash(&chunk.bytes).as_bytes()))
    }

    fn page_text(&self, _page: PageIndex) -> Result<String, PdfError> {
        Err(unread(PdfAction::ExtractText, "the text of pages"))
    }

    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

fn unread(action: PdfAction, what: &str) -> PdfError {
    PdfError::Failed { action, reason: format!("{what} cannot be read by this build") }
}

fn cut_error(error: CutError) -> PdfError {
    match error {
        CutError::Document(error) => document_error(error, PdfAction::ExtractPage),
        CutError::Unsound(_) => PdfError::Failed { action: PdfAction::ExtractPage, reason: error.to_string() },
    }
}

fn document_error(error: DocumentError, action: PdfAction) -> PdfError {
    match error {
        DocumentError::NotAPdf { beginning } => PdfError::NotAPdf { beginning },
        DocumentError::Damaged { what, offset } => PdfError::Damaged { what: what.to_owned(), offset },
        DocumentError::Encrypted { password_given } => PdfError::Encrypted { password_given },
        DocumentError::Limit(limit) => PdfError::Limit(limit),
        DocumentError::Io { kind } => PdfError::Io(kind.into()),
        DocumentError::UnsupportedEncryption
        | DocumentError::PageOutOfRange { .. }
        | DocumentError::OutOfMemory { .. } => PdfError::Failed { action, reason: error.to_string() },
    }
}

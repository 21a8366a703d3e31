//! The readers of PDFs, called in this process.

use std::sync::Arc;

use super::pages::{PageChunk, Pages, PdfAction, PdfError, Reader};
use crate::document::{Document, DocumentError, DocumentInfo, Outline, PageGeometry, ReadAt};
use crate::hash::PageFingerprint;
use crate::limits::Limits;
use crate::page::{PageIndex, PageLabel};
use crate::split::{self, CutError};
use crate::text::{self, TextError};

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
        Ok(Box::new(OpenDocument { document, limits: self.limits.clone() }))
    }
}

struct OpenDocument {
    document: Document,
    limits: Limits,
}

impl Pages for OpenDocument {
    fn page_count(&self) -> u32 {
        self.document.page_count()
    }

    fn page_label(&self, page: PageIndex) -> Option<PageLabel> {
        self.document.page_label(page)
    }

    fn info(&self) -> DocumentInfo {
        self.document.info()
    }

    fn outline(&self, max: usize) -> Outline {
        self.document.outline(max)
    }

    fn page_geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError> {
        self.document.page_geometry(page).map_err(|error| document_error(error, PdfAction::ReadInfo))
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

    /// Out of the page as it is cut, which is small and never encrypted; out of the whole file only where it cannot be.
    fn page_text(&self, page: PageIndex) -> Result<String, PdfError> {
        let text = match split::cut(&self.document, page) {
            Ok(chunk) => text::chunk_text(&chunk.bytes, &self.limits),
            Err(_) => text::page_text(&self.document, page, &self.limits),
        };
        text.map_err(text_error)
    }

    fn notes(&self) -> Vec<String> {
        self.document.notes().iter().map(ToString::to_string).collect()
    }
}

fn cut_error(error: CutError) -> PdfError {
    match error {
        CutError::Document(error) => document_error(error, PdfAction::ExtractPage),
        CutError::Unsound(_) => PdfError::Failed { action: PdfAction::ExtractPage, reason: error.to_string() },
    }
}

fn text_error(error: TextError) -> PdfError {
    match error {
        TextError::Document(error) => document_error(error, PdfAction::ExtractText),
        TextError::Limit(limit) => PdfError::Limit(limit),
        TextError::Unreadable { .. } | TextError::Panicked { .. } | TextError::NoThread => {
            PdfError::Failed { action: PdfAction::ExtractText, reason: error.to_string() }
        }
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

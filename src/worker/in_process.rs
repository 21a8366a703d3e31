//! The readers of PDFs, called in this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::pages::{PageChunk, Pages, PdfAction, PdfError, Reader};
use crate::document::{Document, DocumentError, DocumentInfo, Outline, PageGeometry, ReadAt};
use crate::hash::PageFingerprint;
use crate::limits::{Cancellation, Limits, StopReason};
use crate::page::{PageIndex, PageLabel, PageSet};
use crate::render::{self, FontSource, Picture, RenderError, RenderOptions};
use crate::split::{self, CutError, JoinError};
use crate::text::{self, DocumentTexts, PageText, TextError};

/// Reads PDFs in this process, within [`Limits`]; each operation has the time of their deadline.
#[derive(Clone)]
pub struct InProcess {
    limits: Limits,
    fonts: Arc<dyn FontSource>,
}

impl InProcess {
    /// A reader within `limits`, which draws with `fonts` what pages do not carry.
    #[must_use]
    pub fn new(limits: Limits, fonts: Arc<dyn FontSource>) -> Self {
        Self { limits, fonts }
    }
}

impl InProcess {
    pub(super) fn open_document(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<OpenDocument, PdfError> {
        let limits = Limits { deadline: self.limits.deadline.restarted_for(cancellation), ..self.limits.clone() };
        let document = Document::open(file, password, &limits);
        let document = document.map_err(|error| document_error(error, PdfAction::ReadInfo))?;
        Ok(OpenDocument {
            document,
            limits,
            fonts: Arc::clone(&self.fonts),
            kept: Mutex::default(),
            texts: DocumentTexts::default(),
        })
    }
}

impl Reader for InProcess {
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError> {
        Ok(Box::new(self.open_document(file, password, cancellation)?))
    }
}

/// A document and what was made of it so far.
pub(super) struct OpenDocument {
    document: Document,
    limits: Limits,
    fonts: Arc<dyn FontSource>,
    kept: Mutex<KeptChunks>,
    texts: DocumentTexts,
}

/// Chunks that were cut to look at a page, until the page itself is asked for.
#[derive(Default)]
struct KeptChunks {
    chunks: BTreeMap<PageIndex, split::PageChunk>,
    bytes: usize,
}

/// Bytes of chunks kept. 32 MiB: more than one answer holds.
const MAX_KEPT_BYTES: usize = 32 << 20;

impl KeptChunks {
    fn keep(&mut self, page: PageIndex, chunk: split::PageChunk) {
        let bytes = self.bytes.saturating_add(chunk.bytes.len());
        if bytes <= MAX_KEPT_BYTES && !self.chunks.contains_key(&page) {
            self.bytes = bytes;
            self.chunks.insert(page, chunk);
        }
    }

    fn take(&mut self, page: PageIndex) -> Option<split::PageChunk> {
        let chunk = self.chunks.remove(&page)?;
        self.bytes = self.bytes.saturating_sub(chunk.bytes.len());
        Some(chunk)
    }
}

impl OpenDocument {
    /// The document, for an operation that begins now. Operations at once share a deadline: that of the last begun.
    fn begin(&self) -> Result<&Document, StopReason> {
        self.limits.deadline.restart();
        self.limits.deadline.check()?;
        Ok(&self.document)
    }

    /// Why the last operation was stopped, where it was: some have no other way to say it.
    pub(super) fn stopped(&self) -> Option<StopReason> {
        self.limits.deadline.stopped()
    }

    /// The page's chunk, cut already or now. Not locked meanwhile: pages are cut in parallel.
    fn chunk(&self, page: PageIndex) -> Result<split::PageChunk, CutError> {
        let kept = self.kept().take(page);
        kept.map_or_else(|| split::cut(&self.document, page), Ok)
    }

    /// The page's text without cutting the page.
    pub(super) fn whole_file_text(&self, page: PageIndex) -> Result<PageText, PdfError> {
        text::page_text(self.begin()?, page, &self.limits).map_err(text_error)
    }

    fn kept(&self) -> MutexGuard<'_, KeptChunks> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages for OpenDocument {
    fn page_count(&self) -> u32 {
        self.document.page_count()
    }

    fn page_label(&self, page: PageIndex) -> Option<PageLabel> {
        self.begin().ok()?.page_label(page)
    }

    fn info(&self) -> DocumentInfo {
        self.begin().map(Document::info).unwrap_or_default()
    }

    fn outline(&self, max: usize) -> Outline {
        let unread = Outline { is_incomplete: true, ..Outline::default() };
        self.begin().map_or(unread, |document| document.outline(max))
    }

    fn page_geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError> {
        self.begin()?.page_geometry(page).map_err(|error| document_error(error, PdfAction::ReadInfo))
    }

    fn cut(&self, page: PageIndex) -> Result<PageChunk, PdfError> {
        self.begin()?;
        Ok(given(self.chunk(page).map_err(cut_error)?))
    }

    /// In one operation, which has one deadline.
    fn cut_and_identify(&self, page: PageIndex) -> Result<(PageChunk, Option<PageFingerprint>), PdfError> {
        self.begin()?;
        let chunk = self.chunk(page).map_err(cut_error)?;
        let fingerprint = chunk.fingerprint(&self.limits).ok();
        Ok((given(chunk), fingerprint))
    }

    fn join(&self, pages: &PageSet) -> Result<PageChunk, PdfError> {
        let document = self.begin()?;
        let joined = split::join_with(document, pages, |page| self.chunk(page)).map_err(join_error)?;
        Ok(PageChunk {
            bytes: joined.bytes,
            tier: joined.tier.to_string(),
            notes: joined.notes.iter().map(ToString::to_string).collect(),
        })
    }

    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError> {
        self.begin()?;
        let chunk = self.chunk(page).map_err(cut_error)?;
        let fingerprint = chunk.fingerprint(&self.limits).map_err(cut_error);
        self.kept().keep(page, chunk);
        fingerprint
    }

    /// Out of the page as it is cut, which is small and never encrypted; out of the whole file where it cannot be, or
    /// where many pages of a sound document are read.
    fn page_text(&self, page: PageIndex) -> Result<PageText, PdfError> {
        let document = self.begin()?;
        if let Some(text) = self.texts.page_text(document, page, &self.limits) {
            return Ok(text);
        }
        let Ok(chunk) = self.chunk(page) else {
            self.limits.deadline.check()?;
            return self.whole_file_text(page);
        };
        let text = text::chunk_text(&chunk.bytes, &self.limits).map_err(text_error);
        self.kept().keep(page, chunk);
        text
    }

    fn picture(&self, page: PageIndex, options: &RenderOptions) -> Result<Picture, PdfError> {
        self.begin()?;
        let Ok(chunk) = self.chunk(page) else {
            self.limits.deadline.check()?;
            return render::page_picture(&self.document, page, options, &self.fonts).map_err(render_error);
        };
        let picture = render::chunk_picture(&chunk.bytes, options, &self.fonts, &self.limits).map_err(render_error);
        self.kept().keep(page, chunk);
        picture
    }

    fn notes(&self) -> Vec<String> {
        let stopped = self.stopped().map(|stopped| stopped.to_string());
        self.document.notes().iter().map(ToString::to_string).chain(stopped).collect()
    }
}

fn given(chunk: split::PageChunk) -> PageChunk {
    let notes = chunk.notes.iter().map(ToString::to_string).collect();
    PageChunk { bytes: chunk.bytes, tier: chunk.tier.to_string(), notes }
}

fn cut_error(error: CutError) -> PdfError {
    match error {
        CutError::Document(error) => document_error(error, PdfAction::ExtractPage),
        CutError::Defective(_) => PdfError::Failed { action: PdfAction::ExtractPage, reason: error.to_string() },
    }
}

fn join_error(error: JoinError) -> PdfError {
    match error {
        JoinError::Page { error, .. } | JoinError::Whole(error) => cut_error(error),
        JoinError::NoPages | JoinError::SeveralReaders | JoinError::Conflict(_) | JoinError::Differs { .. } => {
            PdfError::NotJoinable { reason: error.to_string() }
        }
    }
}

fn text_error(error: TextError) -> PdfError {
    match error {
        TextError::Document(error) => document_error(error, PdfAction::ExtractText),
        TextError::Limit(limit) => PdfError::Limit(limit),
        TextError::Unreadable { .. } | TextError::Engine(_) => {
            PdfError::Failed { action: PdfAction::ExtractText, reason: error.to_string() }
        }
    }
}

fn render_error(error: RenderError) -> PdfError {
    match error {
        RenderError::Document(error) => document_error(error, PdfAction::RenderPage),
        RenderError::Limit(limit) => PdfError::Limit(limit),
        RenderError::Unreadable | RenderError::Engine(_) | RenderError::Encoding { .. } => {
            PdfError::Failed { action: PdfAction::RenderPage, reason: error.to_string() }
        }
    }
}

fn document_error(error: DocumentError, action: PdfAction) -> PdfError {
    match error {
        DocumentError::NotAPdf { beginning } => PdfError::NotAPdf { beginning },
        DocumentError::Damaged { what, offset } => PdfError::Damaged { what: what.to_owned(), offset },
        DocumentError::Encrypted { password_given } => PdfError::Encrypted { password_given },
        DocumentError::Limit(limit) => PdfError::Limit(limit),
        DocumentError::Stopped(stopped) => PdfError::Stopped(stopped),
        DocumentError::Io { kind } => PdfError::Io(kind.into()),
        DocumentError::UnsupportedEncryption | DocumentError::PageOutOfRange { .. } => {
            PdfError::Failed { action, reason: error.to_string() }
        }
    }
}

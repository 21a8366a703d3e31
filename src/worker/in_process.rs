//! Reads PDFs in this process.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::cached_chunks::CachedChunks;
use super::engine::Engine;
use super::marked_words::{add_marked_words, marks_words};
use super::pages::{Pages, PdfAction, PdfChunk, PdfError, Reader, Recognition, StructuredPage};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::limits::{Cancellation, Limits, StopReason};
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_document::{
    AnnotationCounts, Attachments, Document, DocumentError, DocumentInfo, Form, Outline, PageAnnotations, PageGeometry,
    PageLayer, PageTags, ReadAt,
};
use pagewise_render::{FontSource, Picture, RenderError, RenderOptions, Scan};
use pagewise_split::{CutError, CutNote, JoinError};
use pagewise_structure::TableArea;
use pagewise_structure::tables::find_tables;
use pagewise_text::{DocumentTexts, PageLayout, PageText, PageWords, TextError};

/// Reads PDFs in this process, within [`Limits`]. Their deadline applies to each operation.
#[derive(Clone)]
pub struct InProcessReader {
    limits: Limits,
    fonts: Arc<dyn FontSource>,
    engine: Arc<Engine>,
}

impl InProcessReader {
    /// A reader with these limits. `fonts` provides fonts that are not embedded.
    #[must_use]
    pub fn new(limits: Limits, fonts: Arc<dyn FontSource>) -> Self {
        Self::with_engine(limits, fonts, Arc::default())
    }

    /// The same, with the models in a folder for recognising text.
    #[must_use]
    pub fn with_models(limits: Limits, fonts: Arc<dyn FontSource>, folder: Option<&Path>) -> Self {
        Self::with_engine(limits, fonts, Arc::new(folder.map(Engine::in_folder).unwrap_or_default()))
    }

    pub(super) fn with_engine(limits: Limits, fonts: Arc<dyn FontSource>, engine: Arc<Engine>) -> Self {
        Self { limits, fonts, engine }
    }
}

impl InProcessReader {
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
            engine: Arc::clone(&self.engine),
            cached_chunks: Mutex::default(),
            texts: DocumentTexts::default(),
        })
    }
}

impl Reader for InProcessReader {
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError> {
        Ok(Box::new(self.open_document(file, password, cancellation)?))
    }
}

/// An open document with its caches.
pub(super) struct OpenDocument {
    pub(super) document: Document,
    pub(super) limits: Limits,
    fonts: Arc<dyn FontSource>,
    pub(super) engine: Arc<Engine>,
    cached_chunks: Mutex<CachedChunks>,
    texts: DocumentTexts,
}

impl OpenDocument {
    /// Restarts the deadline and returns the document. Concurrent operations share the deadline of the last one.
    fn begin(&self) -> Result<&Document, StopReason> {
        self.limits.deadline.restart();
        self.limits.deadline.check()?;
        Ok(&self.document)
    }

    /// Why the last operation was stopped, if it was. Some operations cannot report it themselves.
    pub(super) fn stop_reason(&self) -> Option<StopReason> {
        self.limits.deadline.stopped()
    }

    /// The page's chunk, from the cache or cut now. The cache is not locked meanwhile, so pages are cut in parallel.
    fn chunk(&self, page: PageIndex) -> Result<pagewise_split::PageChunk, CutError> {
        let cached_chunks = self.cached_chunks().take(page);
        cached_chunks.map_or_else(|| pagewise_split::cut(&self.document, page), Ok)
    }

    /// The page's annotations, with the words that they mark extracted from the whole file.
    pub(super) fn whole_file_annotations(&self, page: PageIndex) -> Result<PageAnnotations, PdfError> {
        self.annotations_with(page, |page| self.whole_file_words(page))
    }

    /// Whether the page has annotations, without reading them.
    pub(super) fn has_annotations(&self, page: PageIndex) -> Result<bool, PdfError> {
        let has_any = self.document.has_annotations(page);
        has_any.map_err(|error| document_error(error, PdfAction::ReadInfo))
    }

    /// The page's annotations. If its words cannot be read, the marked words are missing.
    fn annotations_with(
        &self,
        page: PageIndex,
        words: impl Fn(PageIndex) -> Result<(PageText, PageWords), PdfError>,
    ) -> Result<PageAnnotations, PdfError> {
        let annotations = self.begin()?.page_annotations(page);
        let mut annotations = annotations.map_err(|error| document_error(error, PdfAction::ExtractText))?;
        if marks_words(&annotations)
            && let Ok((_, words)) = words(page)
        {
            add_marked_words(&mut annotations, &words);
        }
        Ok(annotations)
    }

    /// The page's text, extracted from the whole file.
    pub(super) fn whole_file_text(&self, page: PageIndex) -> Result<PageText, PdfError> {
        pagewise_text::page_text(self.begin()?, page, &self.limits).map_err(text_error)
    }

    /// The page's structure, extracted from the whole file.
    pub(super) fn whole_file_structure(&self, page: PageIndex) -> Result<StructuredPage, PdfError> {
        self.whole_file_layout(page).map(|found| structured_page(found, self.document.page_tags(page).as_ref()))
    }

    /// The page's words, extracted from the whole file.
    pub(super) fn whole_file_words(&self, page: PageIndex) -> Result<(PageText, PageWords), PdfError> {
        self.whole_file_layout(page).map(|(text, layout)| (text, layout.into()))
    }

    fn whole_file_layout(&self, page: PageIndex) -> Result<(PageText, PageLayout), PdfError> {
        pagewise_text::page_layout(self.begin()?, page, &self.limits).map_err(text_error)
    }

    /// The page's layout, from its chunk, or from the whole file if the page cannot be cut.
    pub(super) fn page_layout(&self, page: PageIndex) -> Result<(PageText, PageLayout), PdfError> {
        if let Some(found) = self.texts.page_layout(self.begin()?, page, &self.limits) {
            return Ok(found);
        }
        let Ok(chunk) = self.chunk(page) else {
            self.limits.deadline.check()?;
            return self.whole_file_layout(page);
        };
        let found = pagewise_text::chunk_layout(&chunk.bytes, &self.limits).map_err(text_error);
        self.cached_chunks().insert(page, chunk);
        found
    }

    /// The page's picture for recognition, from its chunk, or from the whole file if the page cannot be cut.
    pub(super) fn scan(&self, page: PageIndex) -> Result<Scan, PdfError> {
        let Ok(chunk) = self.chunk(page) else {
            self.limits.deadline.check()?;
            return pagewise_render::page_scan(&self.document, page, &self.fonts).map_err(render_error);
        };
        pagewise_render::chunk_scan(&chunk.bytes, &self.fonts, &self.limits).map_err(render_error)
    }

    fn cached_chunks(&self) -> MutexGuard<'_, CachedChunks> {
        self.cached_chunks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages for OpenDocument {
    fn page_count(&self) -> u32 {
        self.document.page_count()
    }

    fn is_remote(&self) -> bool {
        self.document.is_remote()
    }

    fn max_ocr_pages(&self) -> u64 {
        self.limits.max_ocr_pages
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

    fn annotations(&self, page: PageIndex) -> Result<PageAnnotations, PdfError> {
        self.annotations_with(page, |page| self.page_words(page))
    }

    fn annotation_counts(&self) -> AnnotationCounts {
        self.begin().map(Document::annotation_counts).unwrap_or_default()
    }

    fn form(&self, max: usize) -> Form {
        self.begin().map(|document| document.form(max)).unwrap_or_default()
    }

    fn attachments(&self, max: usize) -> Attachments {
        self.begin().map(|document| document.attachments(max)).unwrap_or_default()
    }

    fn attachment(&self, name: &str) -> Result<Option<Bytes>, PdfError> {
        self.begin()?.attachment(name).map_err(|error| document_error(error, PdfAction::ReadInfo))
    }

    fn cut(&self, page: PageIndex) -> Result<PdfChunk, PdfError> {
        self.begin()?;
        Ok(to_page_chunk(self.chunk(page).map_err(cut_error)?))
    }

    /// Both within one deadline.
    fn cut_and_identify(&self, page: PageIndex) -> Result<(PdfChunk, Option<PageFingerprint>), PdfError> {
        self.begin()?;
        let chunk = self.chunk(page).map_err(cut_error)?;
        let fingerprint = chunk.fingerprint(&self.limits).ok();
        Ok((to_page_chunk(chunk), fingerprint))
    }

    fn join(&self, pages: &PageSet) -> Result<PdfChunk, PdfError> {
        let document = self.begin()?;
        let joined = pagewise_split::join_with(document, pages, |page| self.chunk(page)).map_err(join_error)?;
        let notes = joined.notes.iter().map(ToString::to_string).collect();
        Ok(PdfChunk::new(joined.bytes, joined.tier.to_string(), notes))
    }

    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError> {
        self.begin()?;
        let chunk = self.chunk(page).map_err(cut_error)?;
        let fingerprint = chunk.fingerprint(&self.limits).map_err(cut_error);
        self.cached_chunks().insert(page, chunk);
        fingerprint
    }

    /// From the page's chunk, which is small and never encrypted. From the whole file if the page cannot be cut, or if
    /// many pages of a sound document are read.
    fn page_text(&self, page: PageIndex) -> Result<PageText, PdfError> {
        let document = self.begin()?;
        if let Some(text) = self.texts.page_text(document, page, &self.limits) {
            return Ok(text);
        }
        let Ok(chunk) = self.chunk(page) else {
            self.limits.deadline.check()?;
            return self.whole_file_text(page);
        };
        let text = pagewise_text::chunk_text(&chunk.bytes, &self.limits).map_err(text_error);
        self.cached_chunks().insert(page, chunk);
        text
    }

    fn page_words(&self, page: PageIndex) -> Result<(PageText, PageWords), PdfError> {
        self.page_layout(page).map(|(text, layout)| (text, layout.into()))
    }

    fn page_structure(&self, page: PageIndex) -> Result<StructuredPage, PdfError> {
        self.page_layout(page).map(|found| structured_page(found, self.document.page_tags(page).as_ref()))
    }

    fn picture(&self, page: PageIndex, options: &RenderOptions) -> Result<Picture, PdfError> {
        self.begin()?;
        let Ok(chunk) = self.chunk(page) else {
            self.limits.deadline.check()?;
            return pagewise_render::page_picture(&self.document, page, options, &self.fonts).map_err(render_error);
        };
        let picture =
            pagewise_render::chunk_picture(&chunk.bytes, options, &self.fonts, &self.limits).map_err(render_error);
        let is_assumed = |note: &&CutNote| **note == CutNote::MediaBoxAssumed;
        let assumed = chunk.notes.iter().find(is_assumed).map(ToString::to_string);
        self.cached_chunks().insert(page, chunk);
        picture.map(|picture| Picture { notes: picture.notes.into_iter().chain(assumed).collect(), ..picture })
    }

    fn with_text_layer(&self, layers: &[PageLayer]) -> Result<Bytes, PdfError> {
        let file = self.begin()?.with_text_layer(layers);
        file.map(Bytes::from).map_err(|error| document_error(error, PdfAction::AddTextLayer))
    }

    fn recognise(&self, page: PageIndex, is_forced: bool) -> Result<Recognition, PdfError> {
        self.recognise_page(page, is_forced, &self.limits.deadline)
    }

    fn notes(&self) -> Vec<String> {
        let stopped = self.stop_reason().map(|stopped| stopped.to_string());
        self.document.notes().iter().map(ToString::to_string).chain(stopped).collect()
    }
}

/// Reads a page by its structure tree if that is believed. Otherwise finds its tables, and reads the rest around them.
pub(super) fn structured_page((text, layout): (PageText, PageLayout), tags: Option<&PageTags>) -> StructuredPage {
    if let Some((structure, tables)) = tags.and_then(|tags| pagewise_structure::read_tagged_page(&layout, tags)) {
        return StructuredPage { text, structure, tables };
    }
    let tables = find_tables(&layout);
    let areas = tables.iter().enumerate().map(|(index, table)| TableArea { bounds: table.bounds, index });
    let structure = pagewise_structure::read_page(&layout, &areas.collect::<Vec<_>>());
    StructuredPage { text, structure, tables }
}

fn to_page_chunk(chunk: pagewise_split::PageChunk) -> PdfChunk {
    let notes = chunk.notes.iter().map(ToString::to_string).collect();
    PdfChunk::new(chunk.bytes, chunk.tier.to_string(), notes)
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

//! Reads PDFs in this process.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::cached_chunks::CachedChunks;
use super::engine::Engine;
use super::marked_words::{add_marked_words, marks_words};
#[cfg(feature = "office")]
use super::office::OfficePages;
use super::pages::{
    DocumentFacts, DocumentWants, DrawnPage, FileJob, PageFacts, PageRegions, PageWants, Pages, PdfAction, PdfChunk,
    PdfError, PictureFault, ReadablePage, Reader, ReaderMemory, RecognitionLimits,
};
use super::web_page::{read_web_page, read_whole_file};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::limits::{Cancellation, Limits, StopReason};
use pagewise_base::page::PageIndex;
#[cfg(all(unix, not(pagewise_portable)))]
use pagewise_document::Tier;
use pagewise_document::{
    AnnotationCounts, Document, DocumentError, DocumentInfo, PageAnnotations, PageGeometry, PageTags, ReadAt,
};
use pagewise_render::{FontSource, PageImages, Picture, RenderError, RenderOptions, Scan, picture_fault};
use pagewise_split::{CutError, CutNote, JoinError, PageChunk};
use pagewise_structure::TableArea;
use pagewise_structure::tables::{find_tables, has_rows_beside};
use pagewise_text::{DocumentTexts, Extent, PageLayout, PageText, PageWords, TextError};

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
        tracing::debug!(reader = %document.tier(), pages = document.page_count(), "document opened");
        Ok(OpenDocument {
            document,
            limits,
            fonts: Arc::clone(&self.fonts),
            engine: Arc::clone(&self.engine),
            cached_chunks: Mutex::default(),
            texts: DocumentTexts::default(),
            doubtful: Mutex::default(),
        })
    }
}

impl InProcessReader {
    /// Opens a PDF, or a file with parts.
    pub(super) fn open_file(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<OpenedFile, PdfError> {
        #[cfg(feature = "office")]
        {
            let limits = Limits { deadline: self.limits.deadline.restarted_for(cancellation), ..self.limits.clone() };
            if let Some(parts) = OfficePages::open(&file, &limits)? {
                return Ok(OpenedFile::Office(Box::new(parts)));
            }
        }
        self.open_document(file, password, cancellation).map(|document| OpenedFile::Pdf(Box::new(document)))
    }
}

/// An open file of a kind that is read here.
pub(super) enum OpenedFile {
    Pdf(Box<OpenDocument>),
    #[cfg(feature = "office")]
    Office(Box<OfficePages>),
}

#[cfg(all(unix, not(pagewise_portable)))]
impl OpenedFile {
    pub(super) fn pages(&self) -> &dyn Pages {
        match self {
            Self::Pdf(document) => &**document,
            #[cfg(feature = "office")]
            Self::Office(parts) => &**parts,
        }
    }

    pub(super) fn tier(&self) -> Tier {
        match self {
            Self::Pdf(document) => document.document.tier(),
            #[cfg(feature = "office")]
            Self::Office(_) => Tier::Direct,
        }
    }

    /// As [`OpenDocument::read_page`].
    pub(super) fn read_page(&self, page: PageIndex, wants: &PageWants, is_deadly: bool) -> Result<PageFacts, PdfError> {
        match self {
            Self::Pdf(document) => document.read_page(page, wants, is_deadly),
            #[cfg(feature = "office")]
            Self::Office(parts) => parts.read_page(page, wants),
        }
    }

    /// As [`OpenDocument::read_facts`].
    pub(super) fn read_facts(&self, wants: &DocumentWants) -> Result<DocumentFacts, PdfError> {
        match self {
            Self::Pdf(document) => document.read_facts(wants),
            #[cfg(feature = "office")]
            Self::Office(parts) => Ok(parts.read_facts(wants)),
        }
    }
}

impl Reader for InProcessReader {
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError> {
        Ok(match self.open_file(file, password, cancellation)? {
            OpenedFile::Pdf(document) => document,
            #[cfg(feature = "office")]
            OpenedFile::Office(parts) => parts,
        })
    }

    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError> {
        cancellation.check()?;
        read_web_page(file, content_type, base)
    }

    fn picture_fault(&self, file: &dyn ReadAt, cancellation: &Cancellation) -> Result<Option<PictureFault>, PdfError> {
        cancellation.check()?;
        Ok(picture_fault(&read_whole_file(file)?))
    }

    fn memory(&self) -> ReaderMemory {
        ReaderMemory::default()
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
    /// The last page of doubtful text: it is read before anybody knows whether it will be recognised.
    doubtful: Mutex<Option<DoubtfulPage>>,
}

/// A page of doubtful text, as far as it was read.
struct DoubtfulPage {
    page: PageIndex,
    extent: Extent,
    read: (PageText, PageLayout),
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
    fn chunk(&self, page: PageIndex) -> Result<PageChunk, CutError> {
        if let Some(chunk) = self.cached_chunks().get(page) {
            return Ok(chunk);
        }
        let chunk = pagewise_split::cut(&self.document, page)?;
        self.cached_chunks().insert(page, chunk.clone());
        Ok(chunk)
    }

    /// What a page is read from. A page that `is_deadly` is not cut.
    fn reader(&self, page: PageIndex, is_deadly: bool) -> PageReader<'_> {
        PageReader { document: self, page, is_deadly, chunk: OnceCell::new() }
    }

    /// Everything that is wanted of a page, from one cut and one parse, within one deadline. A page that `is_deadly` is not
    /// cut for its text. The engine that recognises text has its own deadline.
    pub(super) fn read_page(&self, page: PageIndex, wants: &PageWants, is_deadly: bool) -> Result<PageFacts, PdfError> {
        let document = self.begin()?;
        let reader = self.reader(page, is_deadly);
        let mut facts = PageFacts::default();
        if wants.geometry {
            facts.geometry = Some(self.geometry(page)?);
        }
        if wants.chunk || wants.fingerprint {
            let chunk = self.chunk(page).map_err(cut_error)?;
            facts.fingerprint = self.fingerprint_of(&chunk, wants)?;
            facts.chunk = wants.chunk.then(|| to_page_chunk(chunk));
        }
        // A page is recognised beside its own text, also where that is known already.
        let needs_text = wants.reads_text() || wants.recognition.is_some();
        let layout = if needs_text { self.read_text(&reader, wants, &mut facts)? } else { PageLayout::default() };
        if let Some(options) = &wants.picture {
            facts.picture = Some(DrawnPage { options: options.clone(), picture: reader.picture(options)? });
        }
        if wants.images {
            facts.images = Some(reader.images()?);
        }
        let has_words = wants.extent() == Extent::Layout;
        let words = || has_words.then(|| facts.words.clone().unwrap_or_else(|| layout.clone().into()));
        facts.annotations = self.annotations_for(wants, &reader, words)?;
        // Known without further reading, so it need not be asked for.
        let label = document.page_label(page);
        facts.label = self.stop_reason().is_none().then_some(label);
        if wants.label && facts.label.is_none() {
            self.limits.deadline.check()?;
        }
        if let (Some(request), Some(own)) = (&wants.recognition, &facts.text) {
            facts.recognition = Some(self.recognise_page(&reader, (own, &layout), request)?);
        }
        Ok(facts)
    }

    fn geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError> {
        let geometry = self.document.page_geometry(page);
        let geometry = geometry.map_err(|error| document_error(error, PdfAction::ReadInfo))?;
        let is_finite = [geometry.width_pt, geometry.height_pt, geometry.user_unit].iter().all(|side| side.is_finite());
        let endless = || PdfError::Failed { action: PdfAction::ReadInfo, reason: "the page has no end".to_owned() };
        if is_finite { Ok(geometry) } else { Err(endless()) }
    }

    /// A fingerprint that cannot be computed fails only what wants nothing else.
    fn fingerprint_of(&self, chunk: &PageChunk, wants: &PageWants) -> Result<Option<PageFingerprint>, PdfError> {
        if !wants.fingerprint {
            return Ok(None);
        }
        match chunk.fingerprint(&self.limits) {
            Ok(fingerprint) => Ok(Some(fingerprint)),
            Err(_) if wants.chunk => Ok(None),
            Err(error) => Err(cut_error(error)),
        }
    }

    /// The text and, if they are wanted, words and structure of a page, from one layout. Returns what was read of it.
    fn read_text(
        &self,
        reader: &PageReader<'_>,
        wants: &PageWants,
        facts: &mut PageFacts,
    ) -> Result<PageLayout, PdfError> {
        let (text, layout) = reader.read(wants.extent())?;
        facts.words = wants.words.then(|| layout.clone().into());
        let regions = || page_regions(&layout, self.document.page_tags(reader.page).as_ref());
        facts.structure = wants.structure.then(regions);
        facts.text = Some(text);
        Ok(layout)
    }

    /// The page's annotations, if they are wanted or known to be none. A failure fails only what wants nothing else.
    fn annotations_for(
        &self,
        wants: &PageWants,
        reader: &PageReader<'_>,
        words: impl FnOnce() -> Option<PageWords>,
    ) -> Result<Option<PageAnnotations>, PdfError> {
        let has_none = self.document.has_annotations(reader.page).is_ok_and(|has_any| !has_any);
        if !wants.annotations || has_none {
            return Ok(has_none.then(PageAnnotations::default));
        }
        match self.read_annotations(reader, words) {
            Err(_) if wants.is_beside_annotations() => Ok(self.limits.deadline.check().map(|()| None)?),
            read => read.map(Some),
        }
    }

    /// The page's annotations. If its words cannot be read, the marked words are missing.
    fn read_annotations(
        &self,
        reader: &PageReader<'_>,
        known_words: impl FnOnce() -> Option<PageWords>,
    ) -> Result<PageAnnotations, PdfError> {
        let annotations = self.document.page_annotations(reader.page);
        let mut annotations = annotations.map_err(|error| document_error(error, PdfAction::ExtractText))?;
        if marks_words(&annotations) {
            let read = || reader.read(Extent::Layout).ok().map(|(_, layout)| layout.into());
            if let Some(words) = known_words().or_else(read) {
                add_marked_words(&mut annotations, &words);
            }
        }
        Ok(annotations)
    }

    /// What is wanted of the document. What was stopped is an error, since the facts cannot say so.
    pub(super) fn read_facts(&self, wants: &DocumentWants) -> Result<DocumentFacts, PdfError> {
        let document = self.begin()?;
        let facts = DocumentFacts {
            info: if wants.info { document.info() } else { DocumentInfo::default() },
            outline: wants.outline.map(|max| document.outline(max)).unwrap_or_default(),
            annotation_counts: if wants.annotation_counts {
                document.annotation_counts()
            } else {
                AnnotationCounts::default()
            },
            form: wants.form.map(|max| document.form(max)).unwrap_or_default(),
            attachments: wants.attachments.map(|max| document.attachments(max)).unwrap_or_default(),
        };
        self.stop_reason().map_or(Ok(facts), |stopped| Err(stopped.into()))
    }

    /// Whether the page's chunk is kept.
    #[cfg(test)]
    pub(super) fn has_chunk(&self, page: PageIndex) -> bool {
        self.cached_chunks().get(page).is_some()
    }

    fn doubtful(&self) -> MutexGuard<'_, Option<DoubtfulPage>> {
        self.doubtful.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn recognition_limits(&self) -> RecognitionLimits {
        (&self.limits).into()
    }

    fn facts(&self, wants: &DocumentWants) -> DocumentFacts {
        self.read_facts(wants).unwrap_or_else(|_| DocumentFacts::unread())
    }

    fn page(&self, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
        self.read_page(page, wants, false).map(Arc::new)
    }

    fn make(&self, job: &FileJob) -> Result<Option<PdfChunk>, PdfError> {
        let document = self.begin()?;
        let unnamed = |bytes: Bytes| PdfChunk::new(bytes, String::new(), Vec::new());
        match job {
            FileJob::Join(pages) => {
                let joined = pagewise_split::join_with(document, pages, |page| self.chunk(page)).map_err(join_error)?;
                let notes = joined.notes.iter().map(ToString::to_string).collect();
                Ok(Some(PdfChunk::new(joined.bytes, joined.tier.to_string(), notes)))
            }
            FileJob::TextLayer(layers) => {
                let file = document.with_text_layer(layers);
                let file = file.map_err(|error| document_error(error, PdfAction::AddTextLayer))?;
                Ok(Some(unnamed(file.into())))
            }
            FileJob::Attachment(name) => {
                let bytes = document.attachment(name).map_err(|error| document_error(error, PdfAction::ReadInfo))?;
                Ok(bytes.map(unnamed))
            }
            FileJob::Image(page, number) => Ok(self.reader(*page, false).image(*number)?.map(unnamed)),
        }
    }

    fn notes(&self) -> Vec<String> {
        let stopped = self.stop_reason().map(|stopped| stopped.to_string());
        self.document.notes().iter().map(ToString::to_string).chain(stopped).collect()
    }
}

/// What a page is read from: its chunk, which is small and never encrypted, or the whole file if it cannot be cut. It is
/// parsed once.
pub(super) struct PageReader<'d> {
    document: &'d OpenDocument,
    page: PageIndex,
    /// Whether cutting it has killed a worker.
    is_deadly: bool,
    chunk: OnceCell<Option<(Document, Vec<CutNote>)>>,
}

impl PageReader<'_> {
    fn source(&self) -> Result<(&Document, PageIndex), StopReason> {
        let whole = (&self.document.document, self.page);
        let chunk = self.chunk.get_or_init(|| self.open_chunk());
        if chunk.is_none() {
            self.document.limits.deadline.check()?;
        }
        Ok(chunk.as_ref().map_or(whole, |(chunk, _)| (chunk, PageIndex(0))))
    }

    fn open_chunk(&self) -> Option<(Document, Vec<CutNote>)> {
        if self.is_deadly {
            return None;
        }
        let PageChunk { bytes, notes, .. } = self.document.chunk(self.page).ok()?;
        Some((Document::open(Arc::new(bytes), None, &self.document.limits).ok()?, notes))
    }

    /// The text, and the layout as far as it is read.
    fn read(&self, extent: Extent) -> Result<(PageText, PageLayout), PdfError> {
        let is_enough = |known: &&DoubtfulPage| known.page == self.page && known.extent >= extent;
        if let Some(known) = self.document.doubtful().as_ref().filter(is_enough) {
            return Ok(known.read.clone());
        }
        let read = self.read_anew(extent)?;
        if read.0.is_doubtful() {
            *self.document.doubtful() = Some(DoubtfulPage { page: self.page, extent, read: read.clone() });
        }
        Ok(read)
    }

    /// Many pages of a sound document are read from the whole file.
    fn read_anew(&self, extent: Extent) -> Result<(PageText, PageLayout), PdfError> {
        let OpenDocument { document, limits, texts, .. } = self.document;
        if let Some(read) = if self.is_deadly { None } else { texts.read_page(document, self.page, extent, limits) } {
            return Ok(read);
        }
        let (document, page) = self.source()?;
        let (text, layout) = pagewise_text::read_page(document, page, extent, limits).map_err(text_error)?;
        Ok((PageText { is_size_assumed: self.assumption().is_some(), ..text }, layout))
    }

    /// The note on a page whose size is assumed.
    fn assumption(&self) -> Option<&CutNote> {
        let mut notes = self.chunk.get().into_iter().flatten().flat_map(|(_, notes)| notes);
        notes.find(|note| **note == CutNote::MediaBoxAssumed)
    }

    fn picture(&self, options: &RenderOptions) -> Result<Picture, PdfError> {
        let (document, page) = self.source()?;
        let picture = pagewise_render::page_picture(document, page, options, &self.document.fonts);
        let picture = picture.map_err(render_error)?;
        let assumed = self.assumption().map(ToString::to_string);
        Ok(Picture { notes: picture.notes.into_iter().chain(assumed).collect(), ..picture })
    }

    /// The images that it paints.
    fn images(&self) -> Result<PageImages, PdfError> {
        let (document, page) = self.source()?;
        pagewise_render::page_images(document, page, &self.document.fonts).map_err(render_error)
    }

    /// One of them as a file.
    fn image(&self, number: usize) -> Result<Option<Bytes>, PdfError> {
        let (document, page) = self.source()?;
        let file = pagewise_render::page_image(document, page, number, &self.document.fonts);
        file.map_err(|error| match error {
            RenderError::Undecodable => PdfError::Failed { action: PdfAction::ExtractImage, reason: error.to_string() },
            error => render_error(error),
        })
    }

    /// The picture for recognition.
    pub(super) fn scan(&self) -> Result<Scan, PdfError> {
        let (document, page) = self.source()?;
        pagewise_render::page_scan(document, page, &self.document.fonts).map_err(render_error)
    }
}

/// Reads a page by its structure tree if that is believed. Otherwise finds its tables, and reads the rest around them.
pub(super) fn page_regions(layout: &PageLayout, tags: Option<&PageTags>) -> PageRegions {
    let tagged = tags.and_then(|tags| pagewise_structure::read_tagged_page(layout, tags));
    let (mut structure, tables) = tagged.unwrap_or_else(|| {
        let tables = find_tables(layout);
        let areas = tables.iter().enumerate().map(|(index, table)| TableArea { bounds: table.bounds, index });
        (pagewise_structure::read_page(layout, &areas.collect::<Vec<_>>()), tables)
    });
    structure.has_unread_rows = has_rows_beside(layout, &tables);
    PageRegions { structure, tables }
}

fn to_page_chunk(chunk: PageChunk) -> PdfChunk {
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
        RenderError::Unreadable | RenderError::Engine(_) | RenderError::Undecodable | RenderError::Encoding { .. } => {
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

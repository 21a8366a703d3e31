//! The interface to documents, implemented in this process and by workers.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::WorkerError;
use pagewise_base::checked_on_arrival;
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::limits::{Cancellation, LimitExceeded, Limits, StopReason};
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_base::parts::PartsError;
use pagewise_document::{
    AnnotationCounts, Attachments, DocumentInfo, Form, Outline, PageAnnotations, PageGeometry, PageLayer, ReadAt,
};
#[cfg(all(unix, not(pagewise_portable)))]
use pagewise_document::{Link, LinkTarget};
pub use pagewise_render::{PageImages, Picture, PictureFault, RenderOptions};
use pagewise_structure::tables::Table;
use pagewise_structure::{PageStructure, Region};
use pagewise_text::Extent;
pub use pagewise_text::{PageKind, PageText, PageWords};
pub use pagewise_web::html::ReadablePage;

/// Opens documents. No method has a body: one that a wrapper leaves out would read in this process.
pub trait Reader: Send + Sync {
    /// Opens the PDF in `file` for one request. Cancelling it also stops later operations on the document.
    ///
    /// # Errors
    /// Every variant of [`PdfError`] except those of single pages.
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError>;

    /// Converts the web page in `file` to Markdown. `content_type` is the one its server sent; `base` resolves its links.
    ///
    /// # Errors
    /// [`PdfError::Io`], [`PdfError::Worker`] and [`PdfError::Stopped`].
    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError>;

    /// Decodes the picture in `file`. Returns what is wrong with it; `None` if nothing is.
    ///
    /// # Errors
    /// As [`Self::readable`].
    fn picture_fault(&self, file: &dyn ReadAt, cancellation: &Cancellation) -> Result<Option<PictureFault>, PdfError>;

    /// The memory of the reader's workers and caches, for metrics.
    fn memory(&self) -> ReaderMemory;
}

/// The memory of a reader's workers and caches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReaderMemory {
    /// Number of workers that run.
    pub workers: usize,
    /// Resident memory of the idle ones, in bytes.
    pub worker_bytes: u64,
    /// Documents that the idle ones keep open.
    pub open_documents: usize,
    /// Bytes of answers that are kept.
    pub cached_bytes: u64,
}

/// One open document.
///
/// The methods with a body are written once, over those without.
pub trait Pages: Send + Sync {
    /// The number of pages.
    fn page_count(&self) -> u32;
    /// Whether reading a page takes requests to another machine.
    fn is_remote(&self) -> bool;
    /// How much is recognised.
    fn recognition_limits(&self) -> RecognitionLimits;
    /// Facts about the document. What cannot be read is absent or empty.
    fn facts(&self, wants: &DocumentWants) -> DocumentFacts;
    /// Facts about a page: at least those that are wanted. A fingerprint may be missing beside a chunk, and annotations
    /// beside anything: asked for alone, they are there or an error.
    ///
    /// # Errors
    /// One of them cannot be read.
    fn page(&self, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError>;
    /// A file made of the document; `None` if it has no such attachment or image.
    ///
    /// # Errors
    /// [`PdfError::NotJoinable`] for pages that cannot share one file unchanged; nothing can be appended to the file, since
    /// it is encrypted or readable only after a repair; an attachment or image cannot be decoded within the limits.
    fn make(&self, job: &FileJob) -> Result<Option<PdfChunk>, PdfError>;
    /// Notes on damage, one sentence each.
    fn notes(&self) -> Vec<String>;

    fn page_label(&self, page: PageIndex) -> Option<PageLabel> {
        self.page(page, &PageWants { label: true, ..PageWants::default() }).ok()?.label.clone().flatten()
    }
    /// The document's metadata.
    fn info(&self) -> DocumentInfo {
        self.facts(&DocumentWants { info: true, ..DocumentWants::default() }).info
    }
    /// The first `max` items of the outline, and the number of all items.
    fn outline(&self, max: usize) -> Outline {
        self.facts(&DocumentWants { outline: Some(max), ..DocumentWants::default() }).outline
    }
    /// How many comments and links the document has.
    fn annotation_counts(&self) -> AnnotationCounts {
        self.facts(&DocumentWants { annotation_counts: true, ..DocumentWants::default() }).annotation_counts
    }
    /// The first `max` fields of the form, and the number of all fields.
    fn form(&self, max: usize) -> Form {
        self.facts(&DocumentWants { form: Some(max), ..DocumentWants::default() }).form
    }
    /// The first `max` attachments, and the number of all.
    fn attachments(&self, max: usize) -> Attachments {
        self.facts(&DocumentWants { attachments: Some(max), ..DocumentWants::default() }).attachments
    }
    /// The page's visible size.
    ///
    /// # Errors
    /// The page cannot be read.
    fn page_geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError> {
        let facts = self.page(page, &PageWants { geometry: true, ..PageWants::default() })?;
        facts.geometry.ok_or_else(PdfError::missing)
    }
    /// The comments, links and form fields of the page, with the words that comments mark.
    ///
    /// # Errors
    /// The page cannot be read.
    fn annotations(&self, page: PageIndex) -> Result<PageAnnotations, PdfError> {
        let facts = self.page(page, &PageWants { annotations: true, ..PageWants::default() })?;
        facts.annotations.clone().ok_or_else(PdfError::missing)
    }
    /// The page as a standalone PDF.
    ///
    /// # Errors
    /// The page cannot be cut.
    fn cut(&self, page: PageIndex) -> Result<PdfChunk, PdfError> {
        let facts = self.page(page, &PageWants { chunk: true, ..PageWants::default() })?;
        facts.chunk.clone().ok_or_else(PdfError::missing)
    }
    /// The page as a standalone PDF, and its fingerprint if it can be computed, in one operation.
    ///
    /// # Errors
    /// As [`cut`](Self::cut).
    fn cut_and_identify(&self, page: PageIndex) -> Result<(PdfChunk, Option<PageFingerprint>), PdfError> {
        let facts = self.page(page, &PageWants { chunk: true, fingerprint: true, ..PageWants::default() })?;
        Ok((facts.chunk.clone().ok_or_else(PdfError::missing)?, facts.fingerprint))
    }
    /// The page's fingerprint, which rebuilding the document does not change.
    ///
    /// # Errors
    /// The page cannot be read.
    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError> {
        let facts = self.page(page, &PageWants { fingerprint: true, ..PageWants::default() })?;
        facts.fingerprint.ok_or_else(PdfError::missing)
    }
    /// The page's text.
    ///
    /// # Errors
    /// No engine can extract the text.
    fn page_text(&self, page: PageIndex) -> Result<PageText, PdfError> {
        let facts = self.page(page, &PageWants { text: true, ..PageWants::default() })?;
        facts.text.clone().ok_or_else(PdfError::missing)
    }
    /// The page's text, and its words in their places.
    ///
    /// # Errors
    /// As [`page_text`](Self::page_text).
    fn page_words(&self, page: PageIndex) -> Result<(PageText, PageWords), PdfError> {
        let facts = self.page(page, &PageWants { words: true, ..PageWants::default() })?;
        facts.text.clone().zip(facts.words.clone()).ok_or_else(PdfError::missing)
    }
    /// The page's text, structure and tables.
    ///
    /// # Errors
    /// As [`page_text`](Self::page_text).
    fn page_structure(&self, page: PageIndex) -> Result<StructuredPage, PdfError> {
        // They follow the page in every answer.
        let facts = self.page(page, &PageWants { structure: true, annotations: true, ..PageWants::default() })?;
        let found = facts.text.clone().zip(facts.structure.clone()).ok_or_else(PdfError::missing);
        found.map(|(text, PageRegions { structure, tables })| StructuredPage { text, structure, tables })
    }
    /// The page as a picture.
    ///
    /// # Errors
    /// The picture would be too large, or the page cannot be drawn.
    fn picture(&self, page: PageIndex, options: &RenderOptions) -> Result<Picture, PdfError> {
        let facts = self.page(page, &PageWants { picture: Some(options.clone()), ..PageWants::default() })?;
        let drawn = facts.picture.as_ref().filter(|drawn| drawn.options == *options);
        drawn.map(|drawn| drawn.picture.clone()).ok_or_else(PdfError::missing)
    }
    /// The pages as one PDF, in page order.
    ///
    /// # Errors
    /// [`PdfError::NotJoinable`] if they cannot share one file unchanged; otherwise as [`cut`](Self::cut).
    fn join(&self, pages: &PageSet) -> Result<PdfChunk, PdfError> {
        self.make(&FileJob::Join(pages.clone()))?.ok_or_else(PdfError::missing)
    }
    /// The file with a layer of invisible text on each of these pages. Its own bytes stay as they are.
    ///
    /// # Errors
    /// Nothing can be appended to the file: it is encrypted, or readable only after a repair.
    fn with_text_layer(&self, layers: &[PageLayer]) -> Result<Bytes, PdfError> {
        let file = self.make(&FileJob::TextLayer(layers.to_vec()))?;
        file.map(|file| file.bytes).ok_or_else(PdfError::missing)
    }
    /// The bytes of the attachment called `name`; `None` if there is none.
    ///
    /// # Errors
    /// The attachment cannot be decoded within the limits.
    fn attachment(&self, name: &str) -> Result<Option<Bytes>, PdfError> {
        Ok(self.make(&FileJob::Attachment(name.to_owned()))?.map(|file| file.bytes))
    }
    /// The images that the page paints, in the order of painting, each once.
    ///
    /// # Errors
    /// The page cannot be read.
    fn images(&self, page: PageIndex) -> Result<PageImages, PdfError> {
        let facts = self.page(page, &PageWants { images: true, ..PageWants::default() })?;
        facts.images.clone().ok_or_else(PdfError::missing)
    }
    /// An image of the page as a JPEG or PNG file, by its number in the list, from 1; `None` if the page has fewer.
    ///
    /// # Errors
    /// The image cannot be decoded within the limits.
    fn image(&self, page: PageIndex, number: usize) -> Result<Option<Bytes>, PdfError> {
        Ok(self.make(&FileJob::Image(page, number))?.map(|file| file.bytes))
    }
}

/// What is asked of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentWants {
    /// Its metadata.
    pub info: bool,
    /// So many items of its outline.
    pub outline: Option<usize>,
    /// How many comments and links it has.
    pub annotation_counts: bool,
    /// So many fields of its form.
    pub form: Option<usize>,
    /// So many of its attachments.
    pub attachments: Option<usize>,
}

/// What a document says of itself: what was wanted of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentFacts {
    /// Its metadata.
    pub info: DocumentInfo,
    /// Its outline.
    pub outline: Outline,
    /// How many comments and links it has.
    pub annotation_counts: AnnotationCounts,
    /// Its form.
    pub form: Form,
    /// Its attachments.
    pub attachments: Attachments,
}

/// A file to make of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum FileJob {
    /// Pages as one PDF, in page order.
    Join(PageSet),
    /// The file with a layer of invisible text on each of these pages.
    TextLayer(Vec<PageLayer>),
    /// The attachment of this name.
    Attachment(String),
    /// An image of a page by its number in the page's list, from 1.
    Image(PageIndex, usize),
}

/// What is asked of a page. All of it is read from one cut.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageWants {
    /// Its label.
    pub label: bool,
    /// Its visible size.
    pub geometry: bool,
    /// Its comments, links and form fields, with the words that comments mark.
    pub annotations: bool,
    /// The page as a standalone PDF.
    pub chunk: bool,
    /// Its fingerprint.
    pub fingerprint: bool,
    /// Its text.
    pub text: bool,
    /// Its text, and its words in their places.
    pub words: bool,
    /// Its text, structure and tables.
    pub structure: bool,
    /// A picture of it.
    pub picture: Option<RenderOptions>,
    /// A list of the images that it paints.
    pub images: bool,
    /// The text in its picture, if that says more than its own. Only beside its text.
    pub recognition: Option<RecognitionRequest>,
}

/// Which pages are recognised, and how long that may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecognitionRequest {
    /// Whether a page is recognised even if its own text is what a reader sees.
    pub is_forced: bool,
    /// Whether the hidden text of this document was found to say what its scans show.
    pub trusts_layers: bool,
    /// The time for the engine. Without time, no page is recognised.
    pub time: Duration,
}

impl RecognitionRequest {
    /// Whether a page with this text of its own is to be recognised: the only place that decides it.
    #[must_use]
    pub fn concerns(&self, own: &PageText) -> bool {
        self.is_forced || own.is_doubtful() && !(self.trusts_layers && own.has_hidden_layer())
    }
}

/// How much one call recognises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecognitionLimits {
    /// The most pages: the setting `ocr_max_pages`.
    pub max_pages: u64,
    /// The most time of a search: the setting `ocr_search_ms`.
    pub search_time: Duration,
    /// The most time of any other call of a client: the setting `ocr_max_ms`.
    pub call_time: Duration,
    /// The most time of a page.
    pub max_page_time: Duration,
}

impl From<&Limits> for RecognitionLimits {
    fn from(limits: &Limits) -> Self {
        let [search_time, call_time] = [limits.max_ocr_search_ms, limits.max_ocr_ms].map(Duration::from_millis);
        Self { max_pages: limits.max_ocr_pages, search_time, call_time, max_page_time: Duration::MAX }
    }
}

/// What is known of a page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageFacts {
    /// Its label, if it has one.
    pub label: Option<Option<PageLabel>>,
    /// Its visible size.
    pub geometry: Option<PageGeometry>,
    /// Its comments, links and form fields.
    pub annotations: Option<PageAnnotations>,
    /// The page as a standalone PDF.
    pub chunk: Option<PdfChunk>,
    /// Its fingerprint.
    pub fingerprint: Option<PageFingerprint>,
    /// Its text.
    pub text: Option<PageText>,
    /// Its words in their places.
    pub words: Option<PageWords>,
    /// Its structure and tables.
    pub structure: Option<PageRegions>,
    /// A picture of it.
    pub picture: Option<DrawnPage>,
    /// The images that it paints.
    pub images: Option<PageImages>,
    /// The text in its picture.
    pub recognition: Option<RecognitionAttempt>,
}

/// The structure of a page, and the tables that it names by their index.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct PageRegions {
    /// Its lines in reading order.
    pub structure: PageStructure,
    /// Its tables, from top to bottom.
    pub tables: Vec<Table>,
}

checked_on_arrival!(PageRegions, RecognisedPage, DrawnPage);

impl PageRegions {
    /// Whether every table that the structure names is there, once.
    fn is_valid(&self) -> bool {
        let mut named = vec![false; self.tables.len()];
        self.structure.regions.iter().all(|region| match region {
            Region::Table(area) => named.get_mut(area.index).is_some_and(|named| !std::mem::replace(named, true)),
            Region::Column(_) | Region::Figure(_) => true,
        })
    }
}

/// A picture of a page, and how it was drawn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct DrawnPage {
    /// How.
    pub options: RenderOptions,
    /// The picture.
    pub picture: Picture,
}

impl DrawnPage {
    /// Whether it is a whole PNG file of the size that it names.
    fn is_valid(&self) -> bool {
        let Picture { png, width, height, .. } = &self.picture;
        pagewise_render::png_size(png) == Some((*width, *height))
    }
}

/// The outcome of recognising a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecognitionAttempt {
    /// Whether it was to be recognised even if its own text is what a reader sees.
    pub is_forced: bool,
    /// The outcome.
    pub outcome: Recognition,
}

impl RecognitionAttempt {
    /// Whether the same request would have the same outcome.
    #[cfg(all(unix, not(pagewise_portable)))]
    fn settles(&self, request: &RecognitionRequest) -> bool {
        self.is_forced == request.is_forced && !matches!(self.outcome, Recognition::Without(_))
    }
}

impl DocumentWants {
    /// What is wanted, at the beginning of a sentence.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn phrase(&self) -> &'static str {
        match self {
            Self { info: true, .. } => "What the document says of itself",
            Self { outline: Some(_), .. } => "The outline",
            Self { annotation_counts: true, .. } => "The number of comments",
            Self { form: Some(_), .. } => "The form",
            Self { attachments: Some(_), .. } => "The list of attachments",
            _ => "Notes on the document",
        }
    }
}

impl FileJob {
    /// Whether making it takes reading `page`.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn reads(&self, page: PageIndex) -> bool {
        match self {
            Self::Join(pages) => pages.contains(page),
            Self::Image(own, _) => *own == page,
            Self::TextLayer(_) | Self::Attachment(_) => false,
        }
    }

    /// Whether there may be no such file.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn may_fail(&self) -> bool {
        matches!(self, Self::Attachment(_) | Self::Image(..))
    }
}

impl PageWants {
    /// Whether the label alone is wanted.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn is_label(&self) -> bool {
        *self == Self { label: true, ..Self::default() }
    }

    /// Whether nothing is wanted.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn without(&self, known: &PageFacts) -> Self {
        let has_text = known.text.is_some();
        // What the page's own text settles needs no further question.
        let is_settled = |request: &RecognitionRequest| {
            known.recognition.as_ref().is_some_and(|attempt| attempt.settles(request))
                || known.text.as_ref().is_some_and(|own| !request.concerns(own))
        };
        Self {
            label: self.label && known.label.is_none(),
            geometry: self.geometry && known.geometry.is_none(),
            annotations: self.annotations && known.annotations.is_none(),
            chunk: self.chunk && known.chunk.is_none(),
            fingerprint: self.fingerprint && known.fingerprint.is_none(),
            text: self.text && !has_text,
            words: self.words && !(has_text && known.words.is_some()),
            structure: self.structure && !(has_text && known.structure.is_some()),
            picture: self
                .picture
                .clone()
                .filter(|options| known.picture.as_ref().is_none_or(|drawn| drawn.options != *options)),
            images: self.images && known.images.is_none(),
            recognition: self.recognition.filter(|request| !is_settled(request)),
        }
    }

    /// Whether more than annotations is wanted.
    pub(crate) fn is_beside_annotations(&self) -> bool {
        *self != Self { annotations: true, ..Self::default() }
    }

    /// Whether what is wanted takes reading the content of the page, beyond its fingerprint.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn are_costly(&self) -> bool {
        let Self { label, geometry, fingerprint, .. } = *self;
        *self != Self { label, geometry, fingerprint, ..Self::default() }
    }

    /// How much of the page is read for its text.
    pub(crate) fn extent(&self) -> Extent {
        // A page that is recognised in any case keeps its links, also if its text is not doubtful.
        let is_forced = self.recognition.is_some_and(|request| request.is_forced);
        if self.words || self.structure || is_forced { Extent::Layout } else { Extent::Text }
    }

    /// Whether its text is wanted in one form or another.
    pub(crate) fn reads_text(&self) -> bool {
        self.text || self.words || self.structure
    }
}

impl PageFacts {
    /// Whether they are what was wanted of a page of a document of `page_count` pages, and can be true.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn answer(&self, wants: &PageWants, page_count: u32) -> bool {
        let mut missing = wants.without(self);
        missing.fingerprint &= !wants.chunk;
        missing.annotations &= !wants.is_beside_annotations();
        missing.recognition = missing.recognition.filter(|_| self.recognition.is_none());
        let is_page = |link: &Link| !matches!(link.target, LinkTarget::Page(page) if page.0 >= page_count);
        let is_whole =
            |chunk: &PdfChunk| chunk.bytes.starts_with(b"%PDF-") && chunk.bytes.trim_ascii_end().ends_with(b"%%EOF");
        missing.is_empty()
            && self.images.iter().all(PageImages::is_valid)
            && self.chunk.iter().all(is_whole)
            && self.annotations.iter().flat_map(|found| &found.links).all(is_page)
    }

    /// These facts, and those of `more`, which are newer.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn merged(&self, more: Self) -> Self {
        Self {
            label: more.label.or_else(|| self.label.clone()),
            geometry: more.geometry.or(self.geometry),
            annotations: more.annotations.or_else(|| self.annotations.clone()),
            chunk: more.chunk.or_else(|| self.chunk.clone()),
            fingerprint: more.fingerprint.or(self.fingerprint),
            text: more.text.or_else(|| self.text.clone()),
            words: more.words.or_else(|| self.words.clone()),
            structure: more.structure.or_else(|| self.structure.clone()),
            picture: more.picture.or_else(|| self.picture.clone()),
            images: more.images.or_else(|| self.images.clone()),
            recognition: more.recognition.or_else(|| self.recognition.clone()),
        }
    }
}

impl DocumentFacts {
    /// What is known of a document that could not be read.
    pub(crate) fn unread() -> Self {
        Self { outline: Outline { is_incomplete: true, ..Outline::default() }, ..Self::default() }
    }

    /// Whether they can be true of a document of `page_count` pages.
    #[cfg(all(unix, not(pagewise_portable)))]
    pub(crate) fn can_be_of(&self, page_count: u32) -> bool {
        let counts = [&self.annotation_counts.pages_with_comments, &self.annotation_counts.pages_with_links];
        let outlined = self.outline.items.iter().filter_map(|item| item.page);
        let attached = self.attachments.items.iter().filter_map(|item| item.page);
        let counted = counts.into_iter().filter_map(PageSet::last);
        outlined.chain(attached).chain(counted).all(|page| page.0 < page_count)
    }
}

/// A page with its structure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StructuredPage {
    /// Its text, as [`Pages::page_text`] gives it.
    pub text: PageText,
    /// Its lines in reading order.
    pub structure: PageStructure,
    /// Its tables, from top to bottom.
    pub tables: Vec<Table>,
}

/// What the text of a page was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageSource {
    /// The page's own text.
    Text,
    /// Its picture, by an engine.
    Recognised,
    /// Nothing: it has no text of its own, and was not recognised.
    Unread,
}

/// What a page shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Recognition {
    /// The page's own text is what a reader sees.
    OwnText,
    /// What its picture shows.
    Page(Box<RecognisedPage>),
    /// The page was not recognised, and keeps its own text.
    Without(WithoutRecognition),
}

/// Why a page was not recognised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum WithoutRecognition {
    /// The hidden layers of the document are trusted.
    #[error("its hidden layer is trusted")]
    Trusted,
    /// The time was over.
    #[error("it did not finish in time")]
    OutOfTime,
    /// There is no engine.
    #[error("OCR is not available: {0}")]
    NoEngine(String),
    /// The page cannot be drawn, or the engine failed.
    #[error("{0}")]
    Failed(String),
}

/// A page whose picture was read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct RecognisedPage {
    /// Its text.
    pub text: PageText,
    /// Its structure and tables.
    pub regions: PageRegions,
    /// Its words in their places.
    pub words: PageWords,
    /// The confidence of each word, from 0 to 1.
    pub confidences: Vec<f32>,
}

impl RecognisedPage {
    /// Whether each word has its confidence.
    fn is_valid(&self) -> bool {
        let is_share = |confidence: &f32| (0.0..=1.0).contains(confidence);
        self.confidences.len() == self.words.words.len() && self.confidences.iter().all(is_share)
    }
}

/// A file made of a document: one or several pages as a standalone PDF, mostly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PdfChunk {
    /// The PDF.
    #[serde(with = "pagewise_base::arrival::byte_string")]
    pub bytes: Bytes,
    /// The reader that read the pages.
    pub tier: String,
    /// Notes on damage and omissions.
    pub notes: Vec<String>,
    /// The hash of the PDF, once it is computed.
    #[serde(skip)]
    pub(crate) hash: SharedHash,
}

impl PdfChunk {
    /// A PDF as one of the readers, `tier`, made it.
    #[must_use]
    pub fn new(bytes: Bytes, tier: String, notes: Vec<String>) -> Self {
        Self { bytes, tier, notes, hash: SharedHash::default() }
    }

    /// The hash of the PDF.
    #[must_use]
    pub fn blake3(&self) -> ContentHash {
        *self.hash.0.get_or_init(|| ContentHash::of(&self.bytes))
    }
}

/// A hash that all copies of an answer share, so that it is computed once.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedHash(Arc<OnceLock<ContentHash>>);

/// The same PDF is equal whether or not its hash is known.
impl PartialEq for SharedHash {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for SharedHash {}

/// Why an operation on a PDF failed.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum PdfError {
    /// No PDF header in the first 1,024 bytes.
    #[error("no PDF header")]
    NotAPdf {
        /// The first bytes of the file, printable ones as they are.
        beginning: String,
    },
    /// The file is damaged beyond repair.
    #[error("{what}")]
    Damaged {
        /// The damage.
        what: String,
        /// Its offset in bytes from the start of the file, if known.
        offset: Option<u64>,
    },
    /// The password is missing or wrong.
    #[error("encrypted")]
    Encrypted { password_given: bool },
    /// A bound of [`pagewise_base::limits::Limits`] was exceeded.
    #[error(transparent)]
    Limit(#[from] LimitExceeded),
    /// The deadline passed, or the request was cancelled.
    #[error(transparent)]
    Stopped(#[from] StopReason),
    /// The file could not be read.
    #[error("{0}")]
    Io(
        #[from]
        #[serde(serialize_with = "reason_of", deserialize_with = "io_error")]
        io::Error,
    ),
    /// The pages cannot share one PDF unchanged. Each can still be cut.
    #[error("{reason}")]
    NotJoinable { reason: String },
    /// A file with parts, or a part of it, cannot be given.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// Any other failure of `action`.
    #[error("{reason}")]
    Failed {
        /// The operation that failed.
        action: PdfAction,
        reason: String,
    },
    /// The worker failed or was not available.
    // It is not sent, and is last, since both sides of a message have to number the variants alike.
    #[error(transparent)]
    #[serde(skip)]
    Worker(WorkerError),
}

/// The reason alone is sent.
fn reason_of<S: Serializer>(error: &io::Error, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

fn io_error<'de, D: Deserializer<'de>>(deserializer: D) -> Result<io::Error, D::Error> {
    String::deserialize(deserializer).map(io::Error::other)
}

impl PdfError {
    /// A fact that was wanted is not there. Readers give all facts, so this does not occur.
    pub(crate) fn missing() -> Self {
        Self::Worker(WorkerError::Nonsense)
    }
}

impl From<WorkerError> for PdfError {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Stopped(stopped) => Self::Stopped(stopped),
            WorkerError::Limit(limit) => Self::Limit(limit),
            error => Self::Worker(error),
        }
    }
}

/// An operation on a PDF, for error messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PdfAction {
    /// Opening a document or reading its metadata.
    ReadInfo,
    /// Cutting a page.
    ExtractPage,
    ExtractText,
    /// Drawing a page.
    RenderPage,
    /// Making a file of an image.
    ExtractImage,
    /// Adding a layer of text.
    AddTextLayer,
}

impl PdfAction {
    /// The phrase after "Failed to".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Self::ReadInfo => "read PDF info",
            Self::ExtractPage => "extract PDF page",
            Self::ExtractText => "extract PDF text",
            Self::RenderPage => "render PDF page",
            Self::ExtractImage => "extract PDF image",
            Self::AddTextLayer => "add a text layer",
        }
    }
}

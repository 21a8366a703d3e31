//! The context: compares what is requested with what the conversation holds, and sends the difference.
//!
//! [`ContextManager::get_file`] plans and builds an answer and returns it with a [`Delivery`]. Nothing is recorded
//! until `cli` or `serve` calls [`Delivery::commit`], after the answer was written to the client. A lost record costs a page
//! sent twice; a false one would leave the agent without a page.

mod annotations;
mod answer;
mod config;
mod conversation;
mod documents;
mod error;
mod files;
mod folder;
mod inspection;
mod library;
mod markdown;
mod page_notes;
mod pdf;
mod phrases;
mod pictures;
mod plain_file;
mod progress;
mod quote_history;
mod request;
mod token_estimate;
mod updates;
mod versions;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

pub use self::annotations::{
    ATTACHMENT_MARK, AnnotationKind, annotation_lines, attachment_line, attachment_path, field_line,
};
pub use self::answer::{
    AnswerDetails, Block, BoundExceeded, DocumentBlock, FileAnswer, ImageBlock, NextCall, OutputBounds, PageEstimate,
    RequestBounds, ResultBudget, SentPage, end_writing, json_length, write_whole,
};
pub use self::config::{ContextConfig, Diagnosis, Isolation, OpenedContext};
pub use self::conversation::{ConversationPoint, ConversationStatus, Delivery, ForgetRequest, HeldFile, Receipt};
pub use self::error::ContextError;
pub use self::files::{
    FetchOutcome, FetchedText, MissingFile, OpenPdf, PdfFile, PdfPassword, Requester, Sources, UploadError,
    UploadInput, UploadResult, foreign_upload,
};
#[cfg(feature = "program")]
pub(crate) use self::folder::is_document_name;
pub use self::folder::{FOLDER, FolderListing, Glance, ListedPages, ListedPdf, MAX_LISTED_PDFS, NamedPdf, NamedPdfs};
pub use self::inspection::{
    FileInspection, FileState, HeldRun, PageInspection, TextSegment, WordComparison, compare_words, inspect_page,
    random_secret,
};
pub use self::library::{IndexStatus, RankedHit, RankedHits, RankedRequest};
pub use self::markdown::{
    Illustration, MarkdownPage, MarkdownPages, RunningLines, UNREAD_ROWS, read_illustrated, read_markdown,
};
pub use self::page_notes::{PageNotes, recognised_note};
pub use self::pdf::{
    CUT_PAGE, FormCost, GivenForms, HeldStatus, PageChanges, PagePlan, PlannedPage, SelectedPages, SummaryFacts,
    UnreadParts, image_tokens, moved_phrase, page_change_lines, page_estimates, pages_with_hidden_text, picture_tokens,
    plan_pages, select_from, select_page,
};
pub use self::phrases::{
    NO_TEXT_IN_PDF, TEXT_DELETED, UNTAGGED, count_of, fenced, file_size, grouped, listed_or_counted, more_fields_note,
    next_call, ocr_notes, one_line, outline_columns, outline_line, page_heading, page_held, page_or_pages, points,
    provided_line, summary_held, unreadable_page_text, unrecognised_notes, untagged_heading, untrusted,
    untrusted_pages,
};
pub use self::pictures::{PagePicture, PagePictures, image_path};
pub use self::progress::{NoProgress, ProgressListener};
pub use self::quote_history::QuoteHistory;
pub use self::request::{AnswerSettings, FileRequest, RequestedPart, Retention, form_name};
pub(crate) use self::token_estimate::estimated_tokens;
pub use self::updates::{FileChange, FileUpdate, FileWatch, Updates};
pub use self::versions::{ChangedPage, VersionChanges, WordChange, compare_versions};

use self::answer::AnswerDraft;
use self::answer::{OutputFolder, PageFileName, usage_of};
use self::conversation::{ContentRegistry, ConversationCache, FileMemory, PendingRecord, Snapshot, mint_handle};
use self::files::{ContainerReader, RequestedFile};
use self::library::LibraryIndex;
use self::pdf::{PageIdentities, PdfAnswerBuilder, held_summary};
use self::plain_file::PlainFileAnswer;
use crate::source::{FileKind, HashCache};
use crate::worker::{Pages, Reader, RecognisingDocument, RecognitionBudget};
use pagewise_base::hash::ContentHash;
use pagewise_base::limits::{Cancellation, Limits, StopReason};
use pagewise_base::page::{PageIndex, PageNumber, PageSet};
use pagewise_store::{StoreMonitor, ViewStore};
use pagewise_view::{ConversationTitle, DeliveryRecord, HeldItem, Holding};

/// Answers requests and remembers what each conversation was given.
pub struct ContextManager {
    sources: Sources,
    reader: Arc<dyn Reader>,
    hashes: HashCache,
    limits: Limits,
    settings: AnswerSettings,
    output: OutputFolder,
    cache: Arc<ConversationCache>,
    contents: Arc<ContentRegistry>,
    store: Arc<StoreMonitor>,
    library: LibraryIndex,
}

/// The parts that a [`ContextManager`] is built from.
pub struct ContextParts {
    /// Where files come from.
    pub sources: Sources,
    /// What reads PDFs.
    pub reader: Arc<dyn Reader>,
    /// Content hashes of files.
    pub hashes: HashCache,
    /// What conversations hold.
    pub store: Arc<dyn ViewStore>,
    /// Bounds on reading.
    pub limits: Limits,
    /// Bounds on answers.
    pub settings: AnswerSettings,
}

impl ContextManager {
    /// A manager over `parts`.
    #[must_use]
    pub fn new(parts: ContextParts) -> Self {
        let store = Arc::new(StoreMonitor::new(parts.store));
        Self {
            sources: parts.sources,
            reader: parts.reader,
            hashes: parts.hashes,
            limits: parts.limits,
            cache: Arc::new(ConversationCache::new(store.clone(), parts.settings.retention)),
            contents: Arc::new(ContentRegistry::new()),
            output: OutputFolder::new(&parts.settings.output_directory, parts.settings.output_bounds),
            settings: parts.settings,
            store,
            library: LibraryIndex::default(),
        }
    }

    /// Answers one request.
    ///
    /// # Errors
    /// Every refusal of the file, the PDF and the arguments, and [`StopReason::Cancelled`]. Nothing is recorded then.
    pub fn get_file(&self, request: &FileRequest) -> Result<FileAnswer, ContextError> {
        self.get_file_with_progress(request, &NoProgress)
    }

    /// Like [`Self::get_file`]; reports each page to `progress`. The request's cancellation ends the work.
    ///
    /// # Errors
    /// As [`Self::get_file`].
    pub fn get_file_with_progress(
        &self,
        request: &FileRequest,
        progress: &dyn ProgressListener,
    ) -> Result<FileAnswer, ContextError> {
        let _span = tracing::debug_span!("get_file", form = form_name(request.form)).entered();
        let requested = match self.open_file(&request.file, request.requester(), request.password.as_deref()) {
            Err(error) if error.is_folder() => return self.folder_answer(request),
            opened => opened.map_err(|error| self.sources.explain(error))?,
        };
        let (memory, doubts) = self.memory(&requested, request)?;
        let (mut draft, text) = self.draft(&requested, request, &memory, progress)?;
        requested.check_unchanged()?;
        draft.blocks.extend((!doubts.is_empty()).then(|| Block::Text(doubts.join("\n"))));
        draft.details.notes.extend(doubts);
        draft.details.point = memory.snapshot().map(|snapshot| ConversationPoint(snapshot.head.latest.0));
        // A result that cancellation cut short is not an answer.
        let cancelled = |stopped: StopReason| ContextError::Pdf { path: requested.path.clone(), error: stopped.into() };
        request.cancellation.check().map_err(cancelled)?;
        Ok(self.answer(&requested, request, &memory, draft, text))
    }

    /// The bytes of the attachment that a request names, of whatever type; `None` if it names none, or pages of one.
    ///
    /// # Errors
    /// Every refusal of the files and the attachment.
    pub fn attachment_bytes(&self, request: &FileRequest) -> Result<Option<Vec<u8>>, ContextError> {
        if request.part != RequestedPart::Summary || self.sources.part(&request.file).is_none() {
            return Ok(None);
        }
        let requested = self.open_file(&request.file, request.requester(), request.password.as_deref());
        let requested = requested.map_err(|error| self.sources.explain(error))?;
        requested.read_all(self.limits.max_file_bytes, "max_file_bytes").map(Some)
    }

    /// Opens the file that `reference` names. The password is for the PDFs that it is attached to.
    fn open_file(
        &self,
        reference: &str,
        requester: Requester<'_>,
        password: Option<&str>,
    ) -> Result<RequestedFile, ContextError> {
        let container = ContainerReader { reader: &*self.reader, limits: &self.limits, password };
        self.sources.open(reference, requester, &container)
    }

    /// What the conversation holds of the file, and notes if that is uncertain.
    fn memory(
        &self,
        requested: &RequestedFile,
        request: &FileRequest,
    ) -> Result<(FileMemory, Vec<String>), ContextError> {
        let conversation = request.conversation.as_ref().filter(|_| !matches!(requested.kind, FileKind::Other { .. }));
        let Some(conversation) = conversation else { return Ok((FileMemory::none(), Vec::new())) };
        let content = requested.content_hash(&self.hashes)?;
        let session = self.session(conversation, request.generation);
        let owner = session.snapshot.as_ref().and_then(|snapshot| snapshot.head.owner);
        self.contents.remember_reference(content, owner, &requested.path);
        let Some(snapshot) = session.snapshot.filter(|_| session.is_current) else {
            return Ok((FileMemory::none(), session.notes));
        };
        Ok((FileMemory::of(snapshot, content, requested.key), session.notes))
    }

    fn draft(
        &self,
        requested: &RequestedFile,
        request: &FileRequest,
        memory: &FileMemory,
        progress: &dyn ProgressListener,
    ) -> Result<DraftWithText, ContextError> {
        let settings = &self.settings_for(request);
        let plain = PlainFileAnswer { requested, request, settings, memory, reader: &*self.reader };
        match requested.kind {
            FileKind::Pdf | FileKind::Office(_) => {
                self.pdf_draft(requested, request, memory, progress).map(|draft| (draft, None))
            }
            _ if request.part != RequestedPart::Summary => Err(no_pages_in(requested)),
            FileKind::Image(format) => plain.image(format).map(|draft| (draft, None)),
            FileKind::Text(charset) => plain.text(charset, &|content| self.contents.text(content)),
            FileKind::Other { mime } => {
                Err(ContextError::UnsupportedType { path: requested.path.clone(), mime_type: mime.to_owned() })
            }
        }
    }

    fn pdf_draft(
        &self,
        requested: &RequestedFile,
        request: &FileRequest,
        memory: &FileMemory,
        progress: &dyn ProgressListener,
    ) -> Result<AnswerDraft, ContextError> {
        if request.part == RequestedPart::Summary && !request.force && memory.holds_summary() {
            return Ok(self.summary_already_held(requested, memory));
        }
        let document = self.document(requested, request.password.as_deref(), &request.cancellation)?;
        let path_of = |file| memory.snapshot()?.names.get(&file).cloned();
        let pages = PageSet::all(document.page_count());
        let identities = PageIdentities::of(&*document);
        let budget = RecognitionBudget::of_call();
        let document = RecognisingDocument::new(&*document, request.ocr_mode(), pages, &budget);
        let answer = PdfAnswerBuilder {
            requested,
            request,
            settings: &self.settings_for(request),
            output: &self.output,
            document: &document,
            recognising: &document,
            memory,
            progress,
            path_of: &path_of,
            origins: RefCell::default(),
            identities,
            forms: RefCell::default(),
            markdown: RefCell::default(),
        };
        answer.draft()
    }

    /// Does not open the document.
    fn summary_already_held(&self, requested: &RequestedFile, memory: &FileMemory) -> AnswerDraft {
        let blake3 = requested.known_hash();
        let pages = memory.snapshot().zip(blake3).and_then(|(known, content)| known.page_counts.get(&content).copied());
        let (file, mime_type) = (requested.path.clone(), requested.kind.mime());
        let details = AnswerDetails { file, mime_type, blake3, pages, ..AnswerDetails::default() };
        let text = held_summary(&requested.path, pages, memory);
        AnswerDraft::new(Block::Text(text), details, memory.held_elsewhere())
    }

    /// The answer settings, lowered to what the whole result has room for.
    fn settings_for(&self, request: &FileRequest) -> AnswerSettings {
        let settings = self.settings.clone();
        match request.max_result_bytes {
            Some(bytes) => ResultBudget::of(bytes).bound_settings(settings),
            None => settings,
        }
    }

    fn document(
        &self,
        requested: &RequestedFile,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, ContextError> {
        requested.document(password, &*self.reader, &self.limits, cancellation)
    }

    fn answer(
        &self,
        requested: &RequestedFile,
        request: &FileRequest,
        memory: &FileMemory,
        draft: AnswerDraft,
        text: Option<Arc<str>>,
    ) -> FileAnswer {
        let known = request.conversation.clone().zip(requested.known_hash()).zip(memory.snapshot());
        let record = known.map(|((conversation, content), snapshot)| {
            let held = |what: &HeldItem| Holding { content, file: requested.key, what: *what };
            let pages = draft.details.pages;
            let delivery = DeliveryRecord {
                forget: draft.forget.clone(),
                holdings: draft.holdings.iter().map(held).collect(),
                names: BTreeMap::from([(requested.key, requested.absolute.display().to_string())]),
                page_counts: pages.map(|pages| (content, pages)).into_iter().collect(),
                sent: usage_of(&draft.blocks),
                title: ConversationTitle {
                    client: request.client.clone().unwrap_or_default(),
                    folder: self.sources.working_directory.display().to_string(),
                    file: requested.absolute.display().to_string(),
                },
                ..empty_record(snapshot)
            };
            let texts = text.map(|text| (content, text)).into_iter().chain(draft.texts.clone()).collect();
            PendingRecord { conversation, delivery, texts }
        });
        let AnswerDraft { blocks, content, details, summary, .. } = draft;
        FileAnswer { blocks, content, details, summary, delivery: self.delivery(record) }
    }

    /// A delivery that records nothing.
    pub(crate) fn no_delivery(&self) -> Delivery {
        self.delivery(None)
    }

    fn delivery(&self, record: Option<PendingRecord>) -> Delivery {
        Delivery::new(&self.cache, &self.contents, record)
    }

    /// The absolute path that `reference` names, whether a file exists there or not.
    ///
    /// # Errors
    /// [`ContextError::Source`] for a reference that names no file.
    pub fn path_of(&self, reference: &str) -> Result<PathBuf, ContextError> {
        Ok(self.sources.resolve(reference)?.path().components().collect())
    }

    /// Writes a rendered page to the output directory as `{stem}-{first 8 of blake3}-page{n}.png`.
    ///
    /// # Errors
    /// [`ContextError::Output`].
    pub fn write_picture(&self, source: &str, page: PageNumber, png: &[u8]) -> Result<PathBuf, ContextError> {
        let file = PageFileName { source, page, last: None, hash: ContentHash::of(png), extension: "png" };
        self.output.write(&file, png)
    }

    /// Writes the text of pages to the output directory, as Markdown or not.
    ///
    /// # Errors
    /// [`ContextError::Output`].
    pub fn write_text(
        &self,
        source: &str,
        pages: &PageSet,
        text: &str,
        is_markdown: bool,
    ) -> Result<PathBuf, ContextError> {
        let number = |page: Option<PageIndex>| page.unwrap_or(PageIndex(0)).number();
        let (page, last) = (number(pages.iter().next()), number(pages.last()));
        let last = Some(last).filter(|last| *last != page);
        let extension = if is_markdown { "md" } else { "txt" };
        self.output.write(
            &PageFileName { source, page, last, hash: ContentHash::of(text.as_bytes()), extension },
            text.as_bytes(),
        )
    }

    /// The settings of answers.
    #[must_use]
    pub fn settings(&self) -> &AnswerSettings {
        &self.settings
    }
}

/// An empty record, planned on this snapshot.
fn empty_record(snapshot: &Snapshot) -> DeliveryRecord {
    DeliveryRecord { planned: snapshot.head.version(), ..DeliveryRecord::default() }
}

/// A draft, and the text to keep for a later diff.
type DraftWithText = (AnswerDraft, Option<Arc<str>>);

fn no_pages_in(requested: &RequestedFile) -> ContextError {
    ContextError::NoPagesIn { path: requested.path.clone(), mime_type: requested.kind.mime() }
}

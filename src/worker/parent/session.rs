//! A document that workers read.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::connection::ConnectionState;
use super::open_documents::{OpenKey, open_key};
use super::pool::{DocumentKey, WorkerLease, WorkerTask};
use super::reader::{WorkerReader, copy_to_anonymous_file};
use super::reply_cache::CachedAnswer;
use super::supervision::Allowance;
use crate::worker::error::WorkerError;
use crate::worker::pages::{
    PageText, PageWords, Pages, PdfChunk, PdfError, Picture, Recognition, RenderOptions, StructuredPage,
};
use crate::worker::wire::structure::decode_page;
use crate::worker::wire::words::decode_words;
use crate::worker::wire::{AnswerExtras, TextSource, WorkerAnswer, WorkerReply, WorkerRequest};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::limits::Cancellation;
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_document::{
    AnnotationCounts, Attachments, DocumentInfo, Form, Outline, PageAnnotations, PageGeometry, PageLayer, ReadAt,
};

/// A document that workers read, one request at a time.
pub(super) struct WorkerDocument {
    pub(super) reader: WorkerReader,
    pub(super) file: Arc<dyn ReadAt>,
    /// A copy of the bytes of a source that is neither a file nor remote.
    copy: Option<OwnedFd>,
    key: Option<DocumentKey>,
    /// The key under which a worker keeps the document open, and its answers are kept.
    open_key: Option<OpenKey>,
    password: Option<String>,
    pub(super) cancellation: Cancellation,
    page_count: u32,
    session: Mutex<ConnectionState>,
}

impl WorkerDocument {
    /// Opens the document in a worker, or counts its pages by an earlier answer.
    pub(super) fn open(
        reader: WorkerReader,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Self, PdfError> {
        let key = file.identity();
        let copy = copy_to_anonymous_file(&*file)?;
        let mut document = Self {
            reader,
            open_key: key.map(|key| open_key(&key, password)),
            file,
            copy,
            key,
            password: password.map(str::to_owned),
            cancellation: cancellation.clone(),
            page_count: 0,
            session: Mutex::default(),
        };
        document.page_count = document.count_pages()?;
        Ok(document)
    }

    /// The number of pages, from an earlier answer or from a worker.
    fn count_pages(&self) -> Result<u32, PdfError> {
        self.reader.pool.refuse_deadly_document(self.key.as_ref(), WorkerTask::Reading)?;
        self.cancellation.check()?;
        if let Some(page_count) = self.open_key.and_then(|key| self.reader.replies.page_count(&key)) {
            return Ok(page_count);
        }
        let (lease, page_count) = self.open_in_worker()?;
        self.session().lease = Some(lease);
        Ok(page_count)
    }

    /// Keeps an answer about a sound document. The file must not have changed meanwhile.
    fn cache(&self, request: &WorkerRequest, answer: &WorkerAnswer) {
        let is_sound = answer.extras.notes.as_ref().is_some_and(Vec::is_empty);
        let Some(key) = self.open_key.filter(|_| is_sound && self.file.is_settled()) else { return };
        let WorkerAnswer { reply, extras, body } = answer;
        let answer = CachedAnswer { reply: reply.clone(), extras: extras.clone(), body: body.clone() };
        self.reader.replies.insert(&key, request, answer);
        self.reader.replies.insert_page_count(&key, self.page_count);
    }

    /// Opens the document in a worker, unless it has it open. Returns the lease and the number of pages.
    fn open_in_worker(&self) -> Result<(WorkerLease, u32), PdfError> {
        self.reader.pool.refuse_deadly_document(self.key.as_ref(), WorkerTask::Reading)?;
        let mut lease = self.reader.pool.lease(self.open_key.as_ref(), &self.cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        if let Some(page_count) = self.open_key.and_then(|key| process.select_document(&key)) {
            return Ok((lease, page_count));
        }
        let request = WorkerRequest::Open {
            slot: process.new_slot(),
            length: self.file.len(),
            is_remote: self.file.is_remote(),
            password: self.password.clone(),
            limits: self.reader.limits.clone(),
            deadline_ms: self.reader.pool.deadline_ms(),
        };
        let allowance = Allowance { file_bytes: Some(self.file.len()), ..Allowance::default() };
        let (lease, answer) = self.call(lease, &request, self.descriptor(), allowance)?;
        match answer {
            Ok(WorkerAnswer { reply: WorkerReply::Opened { page_count }, .. }) => Ok((lease, page_count)),
            Ok(WorkerAnswer { reply: WorkerReply::Failed(failure), .. }) => Err(failure.into()),
            Ok(_) => Err(self.discard_and_blame(lease, WorkerError::Nonsense, WorkerTask::Reading).into()),
            Err(error) => Err(self.discard_and_blame(lease, error, WorkerTask::Reading).into()),
        }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.copy.as_ref().map(AsFd::as_fd).or_else(|| self.file.descriptor())
    }

    /// Discards a worker, and blames the document if it killed it.
    fn discard_and_blame(&self, lease: WorkerLease, error: WorkerError, task: WorkerTask) -> WorkerError {
        lease.discard();
        if error.is_death() {
            self.reader.pool.record_death(self.key, task);
        }
        error
    }

    /// Sends a request to the worker, which is replaced first if it died.
    pub(super) fn ask(&self, request: &WorkerRequest) -> Result<(WorkerReply, Bytes), PdfError> {
        self.cancellation.check()?;
        let mut session = self.session();
        let cached = self.open_key.and_then(|key| self.reader.replies.get(&key, request));
        if let Some(CachedAnswer { reply, extras, body }) = cached {
            session.is_sound.get_or_insert(true);
            session.extras = extras;
            return Ok((reply, body));
        }
        let (task, page) = (WorkerTask::of(request), request.page().map(PageIndex));
        session.refuse_exhausted(page)?;
        self.reader.pool.refuse_deadly_document(self.key.as_ref(), task)?;
        let mut lease = session.lease.take().map_or_else(|| self.open_in_worker().map(|(lease, _)| lease), Ok)?;
        if let (WorkerTask::Recognition, Some(process)) = (task, lease.process()) {
            process.add_engine(self.reader.pool.settings());
        }
        session.extras = AnswerExtras::default();
        let allowance = match task {
            WorkerTask::Reading => session.allowance(page, &self.reader.limits, self.file.len()),
            WorkerTask::Recognition => Allowance::default(),
        };
        let (mut lease, answer) = self.call(lease, request, None, allowance)?;
        if let (WorkerTask::Reading, Some(process)) = (task, lease.process()) {
            session.count(page, process.spent());
        }
        match answer {
            Ok(WorkerAnswer { reply: WorkerReply::Failed(failure), .. }) => {
                session.lease = Some(lease);
                let error = PdfError::from(failure);
                if let PdfError::Limit(limit) = &error {
                    session.remember(page, *limit);
                }
                Err(error)
            }
            Ok(answer) => {
                session.lease = Some(lease);
                let is_sound = answer.extras.notes.as_ref().is_some_and(Vec::is_empty);
                session.is_sound = Some(is_sound && session.is_sound != Some(false));
                self.cache(request, &answer);
                session.extras = answer.extras;
                Ok((answer.reply, answer.body))
            }
            Err(error) => {
                if let WorkerError::Limit(limit) = &error {
                    session.remember(page, *limit);
                }
                if let WorkerRequest::Cut { page, .. } | WorkerRequest::Fingerprint(page) = request
                    && error.is_death()
                {
                    session.deadly.insert(PageIndex(*page), error.clone());
                }
                Err(self.discard_and_blame(lease, error, task).into())
            }
        }
    }

    fn ask_cut(&self, page: PageIndex, identify: bool) -> Result<(PdfChunk, Option<PageFingerprint>), PdfError> {
        self.refuse_deadly_page(page)?;
        match self.ask(&WorkerRequest::Cut { page: page.0, identify })? {
            (WorkerReply::Chunk { tier, notes, fingerprint, hash }, bytes) => {
                Ok((PdfChunk { bytes, tier, notes, hash }, fingerprint.map(PageFingerprint)))
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    /// Requests optional information. A failure becomes a sentence in [`Pages::notes`].
    pub(super) fn ask_optional<T>(
        &self,
        what: &str,
        request: &WorkerRequest,
        read: impl Fn(WorkerReply) -> Option<T>,
    ) -> Option<T> {
        match self.ask(request) {
            Ok((reply, _)) => read(reply),
            Err(error) => {
                self.session().failures.push(format!("{what} could not be read: {error}"));
                None
            }
        }
    }

    /// Refuses to cut a page that has killed a worker.
    fn refuse_deadly_page(&self, page: PageIndex) -> Result<(), WorkerError> {
        self.session().deadly.get(&page).map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Refuses to join pages of which one has killed a worker.
    fn refuse_deadly_pages(&self, pages: &PageSet) -> Result<(), WorkerError> {
        let session = self.session();
        let deadly = session.deadly.iter().find(|(page, _)| pages.contains(**page));
        deadly.map_or(Ok(()), |(_, error)| Err(error.clone()))
    }

    /// The source of a page's text: a page that has killed a worker is not cut again.
    pub(super) fn text_source(&self, page: PageIndex) -> TextSource {
        if self.refuse_deadly_page(page).is_err() { TextSource::WholeFile } else { TextSource::Chunk }
    }

    pub(super) fn session(&self) -> MutexGuard<'_, ConnectionState> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The worker keeps a sound document open for later requests.
impl Drop for WorkerDocument {
    fn drop(&mut self) {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_sound = session.is_sound == Some(true) && session.deadly.is_empty();
        let Some(lease) = session.lease.as_mut().filter(|_| is_sound && self.file.is_settled()) else { return };
        if let Some(key) = self.open_key {
            lease.keep_document(key, self.page_count);
        }
    }
}

impl Pages for WorkerDocument {
    fn page_count(&self) -> u32 {
        self.page_count
    }

    fn is_remote(&self) -> bool {
        self.file.is_remote()
    }

    fn max_ocr_pages(&self) -> u64 {
        self.reader.limits.max_ocr_pages
    }

    fn page_label(&self, page: PageIndex) -> Option<PageLabel> {
        if let Some(extras) = self.session().extras_of(page) {
            return extras.label.map(PageLabel);
        }
        let label = self.ask_optional("A page's label", &WorkerRequest::PageLabel(page.0), |reply| match reply {
            WorkerReply::PageLabel(label) => label,
            _ => None,
        });
        label.map(PageLabel)
    }

    fn info(&self) -> DocumentInfo {
        let info = self.ask_optional("What the document says of itself", &WorkerRequest::Info, |reply| match reply {
            WorkerReply::Info(info) => Some(info),
            _ => None,
        });
        info.unwrap_or_default()
    }

    fn outline(&self, max: usize) -> Outline {
        let outline = self.ask_optional("The outline", &WorkerRequest::Outline(max), |reply| match reply {
            WorkerReply::Outline(outline) => Some(Outline::from(outline)),
            _ => None,
        });
        outline.unwrap_or(Outline { is_incomplete: true, ..Outline::default() })
    }

    fn page_geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError> {
        match self.ask(&WorkerRequest::Geometry(page.0))?.0 {
            WorkerReply::Geometry(geometry) => Ok(geometry.into()),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn annotations(&self, page: PageIndex) -> Result<PageAnnotations, PdfError> {
        self.ask_annotations(page)
    }

    fn annotation_counts(&self) -> AnnotationCounts {
        self.ask_annotation_counts()
    }

    fn form(&self, max: usize) -> Form {
        self.ask_form(max)
    }

    fn attachments(&self, max: usize) -> Attachments {
        self.ask_attachments(max)
    }

    fn attachment(&self, name: &str) -> Result<Option<Bytes>, PdfError> {
        self.ask_attachment(name)
    }

    fn cut(&self, page: PageIndex) -> Result<PdfChunk, PdfError> {
        self.ask_cut(page, false).map(|(chunk, _)| chunk)
    }

    fn cut_and_identify(&self, page: PageIndex) -> Result<(PdfChunk, Option<PageFingerprint>), PdfError> {
        self.ask_cut(page, true)
    }

    fn join(&self, pages: &PageSet) -> Result<PdfChunk, PdfError> {
        self.refuse_deadly_pages(pages)?;
        let runs = pages.runs().map(|(first, last)| (first.0, last.0)).collect();
        match self.ask(&WorkerRequest::Join(runs))? {
            (WorkerReply::Chunk { tier, notes, hash, .. }, bytes) => Ok(PdfChunk { bytes, tier, notes, hash }),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError> {
        self.refuse_deadly_page(page)?;
        match self.ask(&WorkerRequest::Fingerprint(page.0))?.0 {
            WorkerReply::Fingerprint(fingerprint) => Ok(PageFingerprint(fingerprint)),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn page_text(&self, page: PageIndex) -> Result<PageText, PdfError> {
        match self.ask(&WorkerRequest::Text { page: page.0, from: self.text_source(page) })? {
            (WorkerReply::Text(facts), text) => {
                let text = String::from_utf8(text.into()).map_err(|_| WorkerError::Nonsense)?;
                Ok(facts.with(text))
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn page_words(&self, page: PageIndex) -> Result<(PageText, PageWords), PdfError> {
        match self.ask(&WorkerRequest::Words { page: page.0, from: self.text_source(page) })? {
            (WorkerReply::Words(facts), body) => {
                let (text, words) = decode_words(&body).map_err(|_| WorkerError::Nonsense)?;
                Ok((facts.with(text), words))
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn page_structure(&self, page: PageIndex) -> Result<StructuredPage, PdfError> {
        match self.ask(&WorkerRequest::Structure { page: page.0, from: self.text_source(page) })? {
            (WorkerReply::Structure(facts), body) => {
                let (text, structure, tables) = decode_page(&body).map_err(|_| WorkerError::Nonsense)?;
                Ok(StructuredPage { text: facts.with(text), structure, tables })
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn picture(&self, page: PageIndex, options: &RenderOptions) -> Result<Picture, PdfError> {
        self.refuse_deadly_page(page)?;
        match self.ask(&WorkerRequest::Picture { page: page.0, options: options.into() })? {
            (WorkerReply::Picture { width, height, notes }, png) => {
                Ok(Picture { png: png.into(), width, height, notes })
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn with_text_layer(&self, layers: &[PageLayer]) -> Result<Bytes, PdfError> {
        self.ask_text_layer(layers)
    }

    fn recognise(&self, page: PageIndex, is_forced: bool) -> Result<Recognition, PdfError> {
        self.ask_recognition(page, is_forced)
    }

    fn notes(&self) -> Vec<String> {
        let known = self.session().extras.notes.clone();
        let ask = || {
            self.ask_optional("Notes on the document", &WorkerRequest::Notes, |reply| match reply {
                WorkerReply::Notes(notes) => Some(notes),
                _ => None,
            })
        };
        let notes = known.or_else(ask);
        let failures = self.session().failures.clone();
        notes.unwrap_or_default().into_iter().chain(failures).collect()
    }
}

//! A document that workers read.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::pool::{DocumentKey, KeptDocument, WorkerLease, WorkerTask, open_key};
use super::process::Received;
use super::reader::{WorkerReader, copy_to_anonymous_file};
use super::supervision::{Allowance, Spent};
use super::supplies::Supplies;
use crate::worker::error::WorkerError;
use crate::worker::pages::{
    DocumentFacts, DocumentWants, FileJob, PageFacts, PageWants, Pages, PdfChunk, PdfError, RecognitionLimits,
};
use crate::worker::settings::RECOGNITION_FACTOR;
use crate::worker::wire::{Noted, OpenFile, PageQuestion, Question};
use pagewise_base::limits::{Cancellation, Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::ReadAt;

/// The most bytes of answers about pages that are remembered while a document is open: more than one answer needs.
const MAX_RECENT_BYTES: u64 = 32 << 20;

/// The most notes on a document. Readers note each kind of damage once or a few times.
const MAX_NOTES: usize = 10_000;

/// A document that workers read, one request at a time.
pub(super) struct WorkerDocument {
    reader: WorkerReader,
    file: Arc<dyn ReadAt>,
    /// A copy of the bytes of a source that is neither a file nor remote.
    copy: Option<OwnedFd>,
    key: Option<DocumentKey>,
    /// As what a worker keeps the document open, and its answers are kept.
    kept_as: Option<KeptDocument>,
    password: Option<String>,
    cancellation: Cancellation,
    page_count: u32,
    session: Mutex<Session>,
}

/// The state of a document's connection to its worker.
#[derive(Default)]
struct Session {
    /// `None` after the worker died; the next request gets another one.
    lease: Option<WorkerLease>,
    /// Pages that killed a worker when they were cut. They are not cut again; text comes from the whole file.
    deadly: BTreeMap<PageIndex, WorkerError>,
    /// What the requests about each page have taken, and those about the document.
    spent: BTreeMap<Option<PageIndex>, Spent>,
    /// Pages that took too much processor time. They are not read again.
    exhausted: BTreeMap<PageIndex, LimitExceeded>,
    /// Notes on requests that failed, one sentence each.
    failures: Vec<String>,
    /// The reader's notes with the last answer; `None` if it failed.
    notes: Option<Vec<String>>,
    /// What is known of the pages that were asked for last.
    recent: BTreeMap<PageIndex, Arc<PageFacts>>,
    /// The bytes in which it came.
    recent_bytes: u64,
    /// Whether the document is sound, as far as it was read; `None` before the first answer about it.
    is_sound: Option<bool>,
}

impl Session {
    /// What is left for a request about a page, or about the document. All requests of a call share it.
    fn allowance(&self, page: Option<PageIndex>, limits: &Limits, file_bytes: u64) -> Allowance {
        let spent = self.spent.get(&page).copied().unwrap_or_default();
        Allowance {
            time_spent: spent.time,
            page_time: page.map(|_| (limits.max_page_cpu_ms, spent.processor_time)),
            file_bytes: Some(file_bytes),
        }
    }

    /// Counts what a request has taken.
    fn count(&mut self, page: Option<PageIndex>, taken: Spent) {
        let spent = self.spent.entry(page).or_default();
        spent.time = spent.time.saturating_add(taken.time);
        spent.processor_time = spent.processor_time.saturating_add(taken.processor_time);
    }

    /// Remembers a page that took too much processor time.
    fn remember(&mut self, page: Option<PageIndex>, limit: LimitExceeded) {
        if limit.which == Limit::PageCpu {
            self.exhausted.extend(page.map(|page| (page, limit)));
        }
    }

    /// Remembers what is known of a page, of which `bytes` are new.
    fn keep(&mut self, page: PageIndex, facts: &Arc<PageFacts>, bytes: u64) {
        self.recent_bytes = self.recent_bytes.saturating_add(bytes);
        if self.recent_bytes > MAX_RECENT_BYTES {
            self.recent.clear();
            self.recent_bytes = bytes;
        }
        self.recent.insert(page, Arc::clone(facts));
    }

    /// Refuses a page that took too much processor time.
    fn refuse_exhausted(&self, page: Option<PageIndex>) -> Result<(), LimitExceeded> {
        page.and_then(|page| self.exhausted.get(&page)).map_or(Ok(()), |limit| Err(*limit))
    }
}

/// The lease of a worker that was asked, and its answer.
type CallResult<A> = Result<(WorkerLease, Result<Received<A>, WorkerError>), PdfError>;

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
            kept_as: key.map(|key| KeptDocument { key: open_key(&key, password), sharer: cancellation.sharer() }),
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
        self.reader.pool().refuse_deadly_document(self.key.as_ref(), WorkerTask::Reading)?;
        self.cancellation.check()?;
        if let Some(page_count) = self.kept_as.and_then(|kept| self.reader.replies.page_count(&kept)) {
            return Ok(page_count);
        }
        let (lease, page_count) = self.open_in_worker()?;
        self.session().lease = Some(lease);
        Ok(page_count)
    }

    /// Opens the document in a worker, unless it has it open. Returns the lease and the number of pages.
    fn open_in_worker(&self) -> Result<(WorkerLease, u32), PdfError> {
        self.reader.pool().refuse_deadly_document(self.key.as_ref(), WorkerTask::Reading)?;
        let mut lease = self.reader.pool().lease(self.kept_as.map(|kept| kept.key).as_ref(), &self.cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        if let Some(page_count) = self.kept_as.and_then(|kept| process.kept_pages(&kept.key)) {
            return Ok((lease, page_count));
        }
        let question = OpenFile {
            length: self.file.len(),
            is_remote: self.file.is_remote(),
            password: self.password.clone(),
            limits: self.reader.limits.clone(),
            deadline_ms: self.reader.pool().deadline_ms(),
        };
        let allowance = Allowance { file_bytes: Some(self.file.len()), ..Allowance::default() };
        let (lease, answer) = self.call(lease, &question, self.descriptor(), allowance)?;
        let max_pages = self.reader.limits.max_pages;
        match answer {
            Ok(Received { answer: Ok(page_count), .. }) if page_count <= max_pages => Ok((lease, page_count)),
            Ok(Received { answer: Err(failure), .. }) => Err(failure),
            Ok(_) => Err(self.discard_and_blame(lease, WorkerError::Nonsense, WorkerTask::Reading).into()),
            Err(error) => Err(self.discard_and_blame(lease, error, WorkerTask::Reading).into()),
        }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.copy.as_ref().map(AsFd::as_fd).or_else(|| self.file.descriptor())
    }

    /// Asks a question. Fails if a part of a remote document could not be read: it is then closed, and not to blame.
    fn call<Q: Question>(
        &self,
        mut lease: WorkerLease,
        question: &Q,
        file: Option<BorrowedFd<'_>>,
        allowance: Allowance,
    ) -> CallResult<Q::Answer> {
        let supplies = Supplies::of(&*self.reader.fonts, &*self.file);
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let answer = process.call(question, file, &supplies, &self.reader.limits, allowance, &self.cancellation);
        let Some(failure) = supplies.failure(self.reader.pool().deadline_ms()) else { return Ok((lease, answer)) };
        if answer.is_err() {
            lease.discard();
        }
        self.cancellation.check()?;
        Err(failure)
    }

    /// Discards a worker, and blames the document if it killed it.
    fn discard_and_blame(&self, lease: WorkerLease, error: WorkerError, task: WorkerTask) -> WorkerError {
        lease.discard();
        if error.is_death() {
            self.reader.pool().record_death(self.key, task);
        }
        error
    }

    /// Asks the worker about the document, after starting a new one if it died. Answers that fail `is_possible` are refused.
    fn ask<Q: Question<Answer = Noted<T>>, T>(
        &self,
        session: &mut Session,
        question: &Q,
        is_possible: impl FnOnce(&T) -> bool,
    ) -> Result<(T, u64), AskError> {
        let page = question.page();
        let number = page.map(|page| page.number().get());
        let _span = tracing::debug_span!("ask", kind = ?Q::KIND, page = number).entered();
        session.refuse_exhausted(page).map_err(PdfError::from)?;
        let refuse = |task| self.reader.pool().refuse_deadly_document(self.key.as_ref(), task).map_err(PdfError::from);
        refuse(WorkerTask::Reading)?;
        if !question.engine_time().is_zero() {
            refuse(WorkerTask::Recognition)?;
        }
        let lease = session.lease.take().map_or_else(|| self.open_in_worker().map(|(lease, _)| lease), Ok)?;
        session.notes = None;
        let allowance = session.allowance(page, &self.reader.limits, self.file.len());
        let (mut lease, received) = self.call(lease, question, None, allowance)?;
        let mut task = WorkerTask::Reading;
        if let Some(process) = lease.process() {
            session.count(page, process.spent());
            task = if process.uses_engine() { WorkerTask::Recognition } else { task };
        }
        let error = match received {
            Ok(Received { answer: Err(failure), .. }) => {
                session.lease = Some(lease);
                if let PdfError::Limit(limit) = &failure {
                    session.remember(page, *limit);
                }
                return Err(failure.into());
            }
            Ok(Received { answer: Ok(Noted { answer, notes, tier }), bytes })
                if notes.len() <= MAX_NOTES && is_possible(&answer) =>
            {
                session.lease = Some(lease);
                session.is_sound = Some(notes.is_empty() && session.is_sound != Some(false));
                session.notes = Some(notes);
                tracing::debug!(reader = %tier, bytes, "answered");
                return Ok((answer, bytes));
            }
            Ok(_) => WorkerError::Nonsense,
            Err(error) => error,
        };
        if let WorkerError::Limit(limit) = &error {
            session.remember(page, *limit);
        }
        Err(AskError::Worker(self.discard_and_blame(lease, error, task)))
    }

    /// The key under which an answer is kept: that of a sound document whose file has not changed meanwhile.
    fn cache_key(&self, session: &Session) -> Option<KeptDocument> {
        let is_sound = session.notes.as_ref().is_some_and(Vec::is_empty);
        self.kept_as.filter(|_| is_sound && self.file.is_settled())
    }

    /// Notes that an earlier answer is used, which was about a sound document.
    fn use_cached<T>(&self, session: &mut Session, cached: T) -> T {
        session.is_sound.get_or_insert(true);
        session.notes = Some(Vec::new());
        cached
    }

    /// What is known of a page: from the last answers, if that is enough, or from all earlier ones about a sound document.
    fn known_page(&self, session: &mut Session, page: PageIndex, wants: &PageWants) -> Arc<PageFacts> {
        let recent = session.recent.get(&page).map(Arc::clone).unwrap_or_default();
        if wants.without(&recent).is_empty() {
            return recent;
        }
        match self.kept_as.and_then(|kept| self.reader.replies.page(&kept, page)) {
            Some(cached) => {
                session.recent.insert(page, Arc::clone(&cached));
                self.use_cached(session, cached)
            }
            None => recent,
        }
    }

    fn ask_page(&self, session: &mut Session, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
        let known = self.known_page(session, page, wants);
        let wants = wants.without(&known);
        if wants.is_empty() {
            return Ok(known);
        }
        let (is_cut, deadly) = (wants.chunk || wants.fingerprint, session.deadly.get(&page));
        if let Some(error) = deadly.filter(|_| is_cut || wants.picture.is_some()) {
            return Err(error.clone().into());
        }
        let question = PageQuestion { page, is_deadly: deadly.is_some(), wants };
        let is_possible = |facts: &PageFacts| facts.answer(&question.wants, self.page_count);
        let (facts, bytes) = self.ask(session, &question, is_possible).map_err(|error| {
            if let AskError::Worker(error) = &error
                && is_cut
                && error.is_death()
            {
                session.deadly.insert(page, error.clone());
            }
            PdfError::from(error)
        })?;
        if let Some(text) = &facts.text {
            tracing::debug!(page = page.number().get(), engine = ?text.engine, kind = ?text.kind, "text read");
        }
        let facts = Arc::new(known.merged(facts));
        if let Some(key) = self.cache_key(session) {
            self.reader.replies.insert_page(&key, page, Arc::clone(&facts), bytes);
            self.reader.replies.insert_page_count(&key, self.page_count);
        }
        session.keep(page, &facts, bytes);
        Ok(facts)
    }

    fn ask_facts(&self, session: &mut Session, wants: &DocumentWants) -> Result<DocumentFacts, PdfError> {
        self.cancellation.check()?;
        let cached = self.kept_as.and_then(|kept| self.reader.replies.facts(&kept, wants));
        if let Some(facts) = cached {
            let facts = self.use_cached(session, facts);
            return Ok((*facts).clone());
        }
        let can_be = |facts: &DocumentFacts| facts.can_be_of(self.page_count);
        let (facts, bytes) = self.ask(session, wants, can_be)?;
        if let Some(key) = self.cache_key(session) {
            self.reader.replies.insert_facts(&key, wants, Arc::new(facts.clone()), bytes);
            self.reader.replies.insert_page_count(&key, self.page_count);
        }
        Ok(facts)
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a question was not answered: the worker failed, or said why.
enum AskError {
    Worker(WorkerError),
    Pdf(PdfError),
}

impl From<PdfError> for AskError {
    fn from(error: PdfError) -> Self {
        Self::Pdf(error)
    }
}

impl From<AskError> for PdfError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Worker(error) => error.into(),
            AskError::Pdf(error) => error,
        }
    }
}

/// The worker keeps a sound document open for later requests.
impl Drop for WorkerDocument {
    fn drop(&mut self) {
        let session = self.session.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_sound = session.is_sound == Some(true) && session.deadly.is_empty();
        let Some(lease) = session.lease.as_mut().filter(|_| is_sound && self.file.is_settled()) else { return };
        if let Some(document) = self.kept_as {
            lease.keep_document(document, self.page_count);
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

    fn recognition_limits(&self) -> RecognitionLimits {
        let deadline = self.reader.pool().settings().deadline;
        let max_page_time = deadline.saturating_mul(RECOGNITION_FACTOR);
        RecognitionLimits { max_page_time, ..(&self.reader.limits).into() }
    }

    fn facts(&self, wants: &DocumentWants) -> DocumentFacts {
        let mut session = self.session();
        self.ask_facts(&mut session, wants).unwrap_or_else(|error| {
            session.failures.push(format!("{} could not be read: {error}", wants.phrase()));
            DocumentFacts::unread()
        })
    }

    fn page(&self, page: PageIndex, wants: &PageWants) -> Result<Arc<PageFacts>, PdfError> {
        self.cancellation.check()?;
        let mut session = self.session();
        let found = self.ask_page(&mut session, page, wants);
        // A label is optional, and nobody else says why it is missing.
        if let Err(error) = &found
            && wants.is_label()
        {
            session.failures.push(format!("A page's label could not be read: {error}"));
        }
        found
    }

    fn make(&self, job: &FileJob) -> Result<Option<PdfChunk>, PdfError> {
        self.cancellation.check()?;
        let mut session = self.session();
        if let Some((_, error)) = session.deadly.iter().find(|(page, _)| job.reads(**page)) {
            return Err(error.clone().into());
        }
        if let Some(file) = self.kept_as.and_then(|kept| self.reader.replies.file(&kept, job)) {
            return Ok(self.use_cached(&mut session, file));
        }
        let (file, bytes) = self.ask(&mut session, job, |file| file.is_some() || job.may_fail())?;
        if let Some(key) = self.cache_key(&session) {
            self.reader.replies.insert_file(&key, job, file.clone(), bytes);
            self.reader.replies.insert_page_count(&key, self.page_count);
        }
        Ok(file)
    }

    fn notes(&self) -> Vec<String> {
        let known = self.session().notes.clone();
        let ask = || {
            // Every answer has the notes.
            self.facts(&DocumentWants::default());
            self.session().notes.clone()
        };
        let notes = known.or_else(ask).unwrap_or_default();
        notes.into_iter().chain(self.session().failures.clone()).collect()
    }
}

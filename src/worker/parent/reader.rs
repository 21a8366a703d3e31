//! Opens documents in workers, and converts web pages there.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};
#[cfg(debug_assertions)]
use std::time::Duration;

use super::pool::{WorkerPool, WorkerTask};
use super::process::Received;
use super::reply_cache::ReplyCache;
use super::session::WorkerDocument;
use super::supervision::Allowance;
use super::supplies::Supplies;
use crate::worker::error::WorkerError;
use crate::worker::fonts::FontFiles;
use crate::worker::pages::{Pages, PdfError, ReadablePage, Reader, ReaderMemory};
use crate::worker::sandbox::SandboxLayers;
use crate::worker::settings::WorkerSettings;
use crate::worker::wire::{CheckEngine, PictureFile, Question, WebPage};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_document::ReadAt;
use pagewise_render::PictureFault;

/// Reads PDFs in workers. Each open document has a worker of its own until it is dropped.
#[derive(Clone)]
pub struct WorkerReader {
    settings: WorkerSettings,
    /// Started when it is first needed.
    pool: Arc<OnceLock<WorkerPool>>,
    pub(super) limits: Limits,
    pub(super) fonts: Arc<dyn FontFiles>,
    pub(super) replies: Arc<ReplyCache>,
}

impl WorkerReader {
    /// A reader with these limits, whose workers start when the first document is opened. `fonts` provides fonts that are
    /// not embedded.
    #[must_use]
    pub fn new(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        let replies = Arc::new(ReplyCache::new(settings.cache_bytes));
        Self { settings, pool: Arc::default(), limits, fonts, replies }
    }

    /// The same, with workers that start now.
    #[must_use]
    pub fn start(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        let reader = Self::new(settings, limits, fonts);
        reader.pool();
        reader
    }

    /// A reader with this pool.
    #[cfg(test)]
    pub(super) fn over(pool: WorkerPool, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        let reader = Self::new(pool.settings().clone(), limits, fonts);
        let pool = Arc::new(OnceLock::from(pool));
        Self { pool, ..reader }
    }

    pub(super) fn pool(&self) -> &WorkerPool {
        self.pool.get_or_init(|| WorkerPool::start(self.settings.clone()))
    }

    /// The sandbox layers of a worker on this system.
    ///
    /// # Errors
    /// [`WorkerError::NotStarted`], [`WorkerError::Unsandboxed`], [`WorkerError::Busy`].
    pub fn layers(&self) -> Result<SandboxLayers, WorkerError> {
        let mut lease = self.pool().lease(None, &Cancellation::new())?;
        Ok(lease.process().map(|process| process.layers().clone()).unwrap_or_default())
    }

    /// Loads the models of the settings in a worker, within its memory and time. Returns why they cannot be used; `None` if
    /// they can.
    #[must_use]
    pub fn engine_problem(&self) -> Option<String> {
        match self.ask(&CheckEngine, None, Allowance::default(), &Cancellation::new()) {
            Ok((Ok(problem), _)) => problem,
            Ok((Err(error), _)) => Some(error.to_string()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// Runs a fault drill in a worker. Returns its outcome and the worker's process id.
    ///
    /// # Errors
    /// Why the worker died.
    #[cfg(debug_assertions)]
    pub fn drill(
        &self,
        drill: crate::worker::drill::Drill,
        cancellation: &Cancellation,
    ) -> Result<(String, u32), WorkerError> {
        let page_time = Some((self.limits.max_page_cpu_ms, Duration::ZERO));
        let allowance = Allowance { page_time, ..Allowance::default() };
        let (outcome, id) = self.ask(&drill, None, allowance, cancellation)?;
        Ok((outcome.map_err(|_| WorkerError::Nonsense)?, id))
    }

    /// The answer to a question about a file that is no PDF.
    fn ask_about<Q: Question>(
        &self,
        file: &dyn ReadAt,
        question: &Q,
        cancellation: &Cancellation,
    ) -> Result<Q::Answer, PdfError> {
        let key = file.identity();
        self.pool().refuse_deadly_document(key.as_ref(), WorkerTask::Reading)?;
        let copy = copy_to_anonymous_file(file)?;
        let descriptor = copy.as_ref().map(AsFd::as_fd).or_else(|| file.descriptor());
        let answer = self.ask(question, descriptor, Allowance::default(), cancellation);
        if answer.as_ref().is_err_and(WorkerError::is_death) {
            self.pool().record_death(key, WorkerTask::Reading);
        }
        answer?.0
    }

    /// The answer to a question that is about no document, and the id of the process that gave it.
    fn ask<Q: Question>(
        &self,
        question: &Q,
        file: Option<BorrowedFd<'_>>,
        allowance: Allowance,
        cancellation: &Cancellation,
    ) -> Result<(Result<Q::Answer, PdfError>, u32), WorkerError> {
        let mut lease = self.pool().lease(None, cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let id = process.id();
        match process.call(question, file, &Supplies::fonts(&*self.fonts), &self.limits, allowance, cancellation) {
            Ok(Received { answer, .. }) => Ok((answer, id)),
            Err(error) => {
                lease.discard();
                Err(error)
            }
        }
    }
}

impl Reader for WorkerReader {
    fn open(
        &self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        cancellation: &Cancellation,
    ) -> Result<Box<dyn Pages>, PdfError> {
        Ok(Box::new(WorkerDocument::open(self.clone(), file, password, cancellation)?))
    }

    fn readable(
        &self,
        file: &dyn ReadAt,
        content_type: Option<&str>,
        base: &str,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError> {
        let content_type = content_type.map(str::to_owned);
        self.ask_about(file, &WebPage { length: file.len(), content_type, base: base.to_owned() }, cancellation)
    }

    fn picture_fault(&self, file: &dyn ReadAt, cancellation: &Cancellation) -> Result<Option<PictureFault>, PdfError> {
        self.ask_about(file, &PictureFile { length: file.len() }, cancellation)
    }

    fn memory(&self) -> ReaderMemory {
        let pool = self.pool.get().map(WorkerPool::memory).unwrap_or_default();
        ReaderMemory { cached_bytes: self.replies.bytes(), ..pool }
    }
}

/// Copies a source to an anonymous file. `None` if it is a file, which can be passed, or remote.
pub(super) fn copy_to_anonymous_file(source: &dyn ReadAt) -> io::Result<Option<OwnedFd>> {
    if source.is_remote() || source.descriptor().is_some() {
        return Ok(None);
    }
    copy_bytes(source).map(Some)
}

#[cfg(target_os = "linux")]
fn copy_bytes(source: &dyn ReadAt) -> io::Result<OwnedFd> {
    use std::io::Write as _;
    let mut copy = std::fs::File::from(rustix::fs::memfd_create("document", rustix::fs::MemfdFlags::CLOEXEC)?);
    let mut piece = vec![0; 1 << 20];
    let mut at = 0;
    while at < source.len() {
        let wanted = usize::try_from(source.len() - at).unwrap_or(usize::MAX).min(piece.len());
        let piece = piece.get_mut(..wanted).unwrap_or_default();
        source.read_at(at, piece)?;
        copy.write_all(piece)?;
        at += piece.len() as u64;
    }
    Ok(copy.into())
}

#[cfg(not(target_os = "linux"))]
fn copy_bytes(_: &dyn ReadAt) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

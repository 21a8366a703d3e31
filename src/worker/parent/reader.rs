//! Opens documents in workers, and converts web pages there.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use super::pool::{WorkerPool, WorkerTask};
use super::reply_cache::ReplyCache;
use super::session::WorkerDocument;
use super::supervision::Allowance;
use super::supplies::Supplies;
use crate::worker::error::WorkerError;
use crate::worker::fonts::FontFiles;
use crate::worker::pages::{Pages, PdfError, ReadablePage, Reader, ReaderMemory};
use crate::worker::sandbox::SandboxLayers;
use crate::worker::settings::WorkerSettings;
use crate::worker::wire::{WebPageSource, WorkerAnswer, WorkerReply, WorkerRequest};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_document::ReadAt;

/// Reads PDFs in workers. Each open document has a worker of its own until it is dropped.
#[derive(Clone)]
pub struct WorkerReader {
    pub(super) pool: Arc<WorkerPool>,
    pub(super) limits: Limits,
    pub(super) fonts: Arc<dyn FontFiles>,
    pub(super) replies: Arc<ReplyCache>,
}

impl WorkerReader {
    /// Starts workers with these limits. `fonts` provides fonts that are not embedded.
    #[must_use]
    pub fn start(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        let replies = Arc::new(ReplyCache::new(settings.cache_bytes));
        Self { pool: Arc::new(WorkerPool::start(settings)), limits, fonts, replies }
    }

    /// The sandbox layers of a worker on this system.
    ///
    /// # Errors
    /// [`WorkerError::NotStarted`], [`WorkerError::Unsandboxed`], [`WorkerError::Busy`].
    pub fn layers(&self) -> Result<SandboxLayers, WorkerError> {
        let mut lease = self.pool.lease(None, &Cancellation::new())?;
        Ok(lease.process().map(|process| process.layers().clone()).unwrap_or_default())
    }

    /// Loads the models of the settings in a worker, within its memory and time. Returns why they cannot be used; `None` if
    /// they can.
    #[must_use]
    pub fn engine_problem(&self) -> Option<String> {
        match self.check_engine() {
            Ok(problem) => problem,
            Err(error) => Some(error.to_string()),
        }
    }

    fn check_engine(&self) -> Result<Option<String>, WorkerError> {
        let cancellation = Cancellation::new();
        let mut lease = self.pool.lease(None, &cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        process.add_engine(self.pool.settings());
        match process.call(
            &WorkerRequest::CheckEngine,
            None,
            &Supplies::fonts(&*self.fonts),
            Allowance::default(),
            &cancellation,
        ) {
            Ok(WorkerAnswer { reply: WorkerReply::EngineChecked(problem), .. }) => Ok(problem),
            Ok(_) => Err(WorkerError::Nonsense),
            Err(error) => {
                lease.discard();
                Err(error)
            }
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
        let mut lease = self.pool.lease(None, cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let id = process.id();
        let page_time = Some((self.limits.max_page_cpu_ms, Duration::ZERO));
        let allowance = Allowance { page_time, ..Allowance::default() };
        match process.call(&WorkerRequest::Drill(drill), None, &Supplies::fonts(&*self.fonts), allowance, cancellation)
        {
            Ok(WorkerAnswer { reply: WorkerReply::Drilled(outcome), .. }) => Ok((outcome, id)),
            Ok(_) => Err(WorkerError::Nonsense),
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
        self.ask_readable(file, WebPageSource { length: file.len(), content_type, base: base.to_owned() }, cancellation)
    }

    fn memory(&self) -> ReaderMemory {
        ReaderMemory { cached_bytes: self.replies.bytes(), ..self.pool.memory() }
    }
}

impl WorkerReader {
    /// Converts the web page in `file` in a worker.
    fn ask_readable(
        &self,
        file: &dyn ReadAt,
        page: WebPageSource,
        cancellation: &Cancellation,
    ) -> Result<ReadablePage, PdfError> {
        let key = file.identity();
        self.pool.refuse_deadly_document(key.as_ref(), WorkerTask::Reading)?;
        let copy = copy_to_anonymous_file(file)?;
        let descriptor = copy.as_ref().map(AsFd::as_fd).or_else(|| file.descriptor());
        let mut lease = self.pool.lease(None, cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let supplies = Supplies::fonts(&*self.fonts);
        let error = match process.call(
            &WorkerRequest::ReadablePage(page),
            descriptor,
            &supplies,
            Allowance::default(),
            cancellation,
        ) {
            Ok(WorkerAnswer { reply: WorkerReply::ReadablePage { title, notes }, body, .. }) => {
                match String::from_utf8(body.into()) {
                    Ok(markdown) => return Ok(ReadablePage { title, markdown, notes }),
                    Err(_) => WorkerError::Nonsense,
                }
            }
            Ok(WorkerAnswer { reply: WorkerReply::Failed(failure), .. }) => return Err(failure.into()),
            Ok(_) => WorkerError::Nonsense,
            Err(error) => error,
        };
        lease.discard();
        if error.is_death() {
            self.pool.record_death(key, WorkerTask::Reading);
        }
        Err(error.into())
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

//! Reads documents in workers.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::pool::{DocumentKey, WorkerLease, WorkerPool};
use crate::document::{DocumentInfo, Outline, PageGeometry, ReadAt};
use crate::hash::PageFingerprint;
use crate::limits::{Cancellation, Limits};
use crate::page::{PageIndex, PageLabel, PageSet};
use crate::worker::error::WorkerError;
use crate::worker::fonts::FontFiles;
use crate::worker::pages::{PageText, Pages, PdfChunk, PdfError, Picture, ReadablePage, Reader, RenderOptions};
use crate::worker::sandbox::SandboxLayers;
use crate::worker::settings::WorkerSettings;
use crate::worker::wire::{AnswerExtras, TextSource, WebPageSource, WorkerAnswer, WorkerReply, WorkerRequest};

/// Reads PDFs in workers. Each open document has a worker of its own until it is dropped.
#[derive(Clone)]
pub struct WorkerReader {
    pool: Arc<WorkerPool>,
    limits: Limits,
    fonts: Arc<dyn FontFiles>,
}

impl WorkerReader {
    /// Starts workers with these limits. `fonts` provides fonts that are not embedded.
    #[must_use]
    pub fn start(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        Self { pool: Arc::new(WorkerPool::start(settings)), limits, fonts }
    }

    /// The sandbox layers of a worker on this system.
    ///
    /// # Errors
    /// [`WorkerError::NotStarted`], [`WorkerError::Unsandboxed`], [`WorkerError::Busy`].
    pub fn layers(&self) -> Result<SandboxLayers, WorkerError> {
        let mut lease = self.pool.lease(&Cancellation::new())?;
        Ok(lease.process().map(|process| process.layers().clone()).unwrap_or_default())
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
        let mut lease = self.pool.lease(cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let id = process.id();
        match process.call(&WorkerRequest::Drill(drill), None, &*self.fonts, cancellation) {
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
        let key = file.identity();
        let copy = if file.descriptor().is_none() { Some(copy_to_anonymous_file(&*file)?) } else { None };
        let mut document = WorkerDocument {
            reader: self.clone(),
            file,
            copy,
            key,
            password: password.map(str::to_owned),
            cancellation: cancellation.clone(),
            page_count: 0,
            session: Mutex::default(),
        };
        let (lease, page_count) = document.open_in_worker()?;
        document.page_count = page_count;
        document.session().lease = Some(lease);
        Ok(Box::new(document))
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
        self.pool.refuse_deadly_document(key.as_ref())?;
        let copy = if file.descriptor().is_none() { Some(copy_to_anonymous_file(file)?) } else { None };
        let descriptor = copy.as_ref().map(AsFd::as_fd).or_else(|| file.descriptor());
        let mut lease = self.pool.lease(cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let error = match process.call(&WorkerRequest::ReadablePage(page), descriptor, &*self.fonts, cancellation) {
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
            self.pool.record_death(key);
        }
        Err(error.into())
    }
}

struct WorkerDocument {
    reader: WorkerReader,
    file: Arc<dyn ReadAt>,
    /// A copy of the bytes of a source that is no file.
    copy: Option<OwnedFd>,
    key: Option<DocumentKey>,
    password: Option<String>,
    cancellation: Cancellation,
    page_count: u32,
    session: Mutex<ConnectionState>,
}

/// The state of a document's connection to its worker.
#[derive(Default)]
struct ConnectionState {
    /// `None` after the worker died; the next request gets another one.
    lease: Option<WorkerLease>,
    /// Pages that killed a worker when they were cut. They are not cut again; text comes from the whole file.
    deadly: BTreeMap<PageIndex, WorkerError>,
    /// Notes on requests that failed, one sentence each.
    failures: Vec<String>,
    /// Additional facts from the last answer.
    extras: AnswerExtras,
}

impl WorkerDocument {
    /// Opens the document in a worker. Returns the lease and the number of pages.
    fn open_in_worker(&self) -> Result<(WorkerLease, u32), PdfError> {
        self.reader.pool.refuse_deadly_document(self.key.as_ref())?;
        let mut lease = self.reader.pool.lease(&self.cancellation)?;
        let request = WorkerRequest::Open {
            length: self.file.len(),
            password: self.password.clone(),
            limits: self.reader.limits.clone(),
            deadline_ms: self.reader.pool.deadline_ms(),
        };
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        match process.call(&request, self.descriptor(), &*self.reader.fonts, &self.cancellation) {
            Ok(WorkerAnswer { reply: WorkerReply::Opened { page_count }, .. }) => Ok((lease, page_count)),
            Ok(WorkerAnswer { reply: WorkerReply::Failed(failure), .. }) => Err(failure.into()),
            Ok(_) => Err(self.discard_and_blame(lease, WorkerError::Nonsense).into()),
            Err(error) => Err(self.discard_and_blame(lease, error).into()),
        }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.copy.as_ref().map(AsFd::as_fd).or_else(|| self.file.descriptor())
    }

    /// Discards a worker, and blames the document if it killed it.
    fn discard_and_blame(&self, lease: WorkerLease, error: WorkerError) -> WorkerError {
        lease.discard();
        if error.is_death() {
            self.reader.pool.record_death(self.key);
        }
        error
    }

    /// Sends a request to the worker, which is replaced first if it died.
    fn ask(&self, request: &WorkerRequest) -> Result<(WorkerReply, Bytes), PdfError> {
        self.cancellation.check()?;
        let mut session = self.session();
        let mut lease = match session.lease.take() {
            Some(lease) => lease,
            None => self.open_in_worker()?.0,
        };
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        session.extras = AnswerExtras::default();
        match process.call(request, None, &*self.reader.fonts, &self.cancellation) {
            Ok(WorkerAnswer { reply: WorkerReply::Failed(failure), .. }) => {
                session.lease = Some(lease);
                Err(failure.into())
            }
            Ok(WorkerAnswer { reply, extras, body }) => {
                session.lease = Some(lease);
                session.extras = extras;
                Ok((reply, body))
            }
            Err(error) => {
                if let WorkerRequest::Cut { page, .. } | WorkerRequest::Fingerprint(page) = request
                    && error.is_death()
                {
                    session.deadly.insert(PageIndex(*page), error.clone());
                }
                Err(self.discard_and_blame(lease, error).into())
            }
        }
    }

    fn ask_cut(&self, page: PageIndex, identify: bool) -> Result<(PdfChunk, Option<PageFingerprint>), PdfError> {
        self.refuse_deadly_page(page)?;
        match self.ask(&WorkerRequest::Cut { page: page.0, identify })? {
            (WorkerReply::Chunk { tier, notes, fingerprint }, bytes) => {
                Ok((PdfChunk { bytes, tier, notes }, fingerprint.map(PageFingerprint)))
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    /// Requests optional information. A failure becomes a sentence in [`Pages::notes`].
    fn ask_optional<T>(
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

    fn session(&self) -> MutexGuard<'_, ConnectionState> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages for WorkerDocument {
    fn page_count(&self) -> u32 {
        self.page_count
    }

    fn page_label(&self, page: PageIndex) -> Option<PageLabel> {
        if let Some((page_of_label, label)) = &self.session().extras.label
            && *page_of_label == page.0
        {
            return label.clone().map(PageLabel);
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
            (WorkerReply::Chunk { tier, notes, .. }, bytes) => Ok(PdfChunk { bytes, tier, notes }),
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
        let from = if self.refuse_deadly_page(page).is_err() { TextSource::WholeFile } else { TextSource::Chunk };
        match self.ask(&WorkerRequest::Text { page: page.0, from })? {
            (WorkerReply::Text(facts), text) => {
                let text = String::from_utf8(text.into()).map_err(|_| WorkerError::Nonsense)?;
                Ok(facts.with(text))
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

    fn notes(&self) -> Vec<String> {
        let page_of_label = self.session().extras.notes.clone();
        let ask = || {
            self.ask_optional("Notes on the document", &WorkerRequest::Notes, |reply| match reply {
                WorkerReply::Notes(notes) => Some(notes),
                _ => None,
            })
        };
        let notes = page_of_label.or_else(ask);
        let failures = self.session().failures.clone();
        notes.unwrap_or_default().into_iter().chain(failures).collect()
    }
}

/// Copies a source that is no file to an anonymous file.
#[cfg(target_os = "linux")]
fn copy_to_anonymous_file(source: &dyn ReadAt) -> io::Result<OwnedFd> {
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
fn copy_to_anonymous_file(_: &dyn ReadAt) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

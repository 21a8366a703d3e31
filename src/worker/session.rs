//! A document that a worker reads.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::error::WorkerError;
use super::fonts::FontFiles;
use super::pages::{PageChunk, PageText, Pages, PdfError, Picture, Readable, Reader, RenderOptions};
use super::pool::{DocumentKey, Lease, Pool};
use super::sandbox::Layers;
use super::settings::WorkerSettings;
use super::wire::{Answer, Aside, PageOfWeb, Reply, Request, TextFrom};
use crate::document::{DocumentInfo, Outline, PageGeometry, ReadAt};
use crate::hash::PageFingerprint;
use crate::limits::{Cancellation, Limits};
use crate::page::{PageIndex, PageLabel, PageSet};

/// Reads PDFs in workers. Every open document has one of its own, from when it is opened until it is dropped.
#[derive(Clone)]
pub struct WorkerReader {
    pool: Arc<Pool>,
    limits: Limits,
    fonts: Arc<dyn FontFiles>,
}

impl WorkerReader {
    /// Starts workers, which read within `limits` and draw with `fonts` what pages do not carry.
    #[must_use]
    pub fn start(settings: WorkerSettings, limits: Limits, fonts: Arc<dyn FontFiles>) -> Self {
        Self { pool: Arc::new(Pool::start(settings)), limits, fonts }
    }

    /// The layers of the sandbox that a worker has here.
    ///
    /// # Errors
    /// [`WorkerError::NotStarted`], [`WorkerError::Unsandboxed`], [`WorkerError::Busy`].
    pub fn layers(&self) -> Result<Layers, WorkerError> {
        let mut lease = self.pool.lease(&Cancellation::new())?;
        Ok(lease.process().map(|process| process.layers().clone()).unwrap_or_default())
    }

    /// Has a worker do what can go wrong; gives what came of it and the worker's process.
    ///
    /// # Errors
    /// What the worker died of.
    #[cfg(debug_assertions)]
    pub fn drill(&self, drill: super::drill::Drill, cancellation: &Cancellation) -> Result<(String, u32), WorkerError> {
        let mut lease = self.pool.lease(cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let id = process.id();
        match process.call(&Request::Drill(drill), None, &*self.fonts, cancellation) {
            Ok(Answer { reply: Reply::Drilled(outcome), .. }) => Ok((outcome, id)),
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
        let copy = if file.descriptor().is_none() { Some(copied(&*file)?) } else { None };
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
        let (lease, page_count) = document.opened()?;
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
    ) -> Result<Readable, PdfError> {
        let content_type = content_type.map(str::to_owned);
        self.ask_readable(file, PageOfWeb { length: file.len(), content_type, base: base.to_owned() }, cancellation)
    }
}

impl WorkerReader {
    /// Has a worker make the page in `file` readable.
    fn ask_readable(
        &self,
        file: &dyn ReadAt,
        page: PageOfWeb,
        cancellation: &Cancellation,
    ) -> Result<Readable, PdfError> {
        let key = file.identity();
        self.pool.admit(key.as_ref())?;
        let copy = if file.descriptor().is_none() { Some(copied(file)?) } else { None };
        let descriptor = copy.as_ref().map(AsFd::as_fd).or_else(|| file.descriptor());
        let mut lease = self.pool.lease(cancellation)?;
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        let error = match process.call(&Request::Readable(page), descriptor, &*self.fonts, cancellation) {
            Ok(Answer { reply: Reply::Readable { title, notes }, body, .. }) => match String::from_utf8(body.into()) {
                Ok(markdown) => return Ok(Readable { title, markdown, notes }),
                Err(_) => WorkerError::Nonsense,
            },
            Ok(Answer { reply: Reply::Failed(failure), .. }) => return Err(failure.into()),
            Ok(_) => WorkerError::Nonsense,
            Err(error) => error,
        };
        lease.discard();
        if error.is_death() {
            self.pool.blame(key);
        }
        Err(error.into())
    }
}

struct WorkerDocument {
    reader: WorkerReader,
    file: Arc<dyn ReadAt>,
    /// The bytes of a source that is no file.
    copy: Option<OwnedFd>,
    key: Option<DocumentKey>,
    password: Option<String>,
    cancellation: Cancellation,
    page_count: u32,
    session: Mutex<Session>,
}

/// What is between this process and the worker.
#[derive(Default)]
struct Session {
    /// None once the worker died; the next question gets another.
    lease: Option<Lease>,
    /// Pages that killed a worker as they were cut. Not tried again, and their text is taken by the other way.
    deadly: BTreeMap<PageIndex, WorkerError>,
    /// What could not be asked, one sentence each.
    unanswered: Vec<String>,
    /// What was told with the last answer.
    aside: Aside,
}

impl WorkerDocument {
    /// A worker that has the document open, and its number of pages.
    fn opened(&self) -> Result<(Lease, u32), PdfError> {
        self.reader.pool.admit(self.key.as_ref())?;
        let mut lease = self.reader.pool.lease(&self.cancellation)?;
        let request = Request::Open {
            length: self.file.len(),
            password: self.password.clone(),
            limits: self.reader.limits.clone(),
            deadline_ms: self.reader.pool.deadline_ms(),
        };
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        match process.call(&request, self.descriptor(), &*self.reader.fonts, &self.cancellation) {
            Ok(Answer { reply: Reply::Opened { page_count }, .. }) => Ok((lease, page_count)),
            Ok(Answer { reply: Reply::Failed(failure), .. }) => Err(failure.into()),
            Ok(_) => Err(self.mourn(lease, WorkerError::Nonsense).into()),
            Err(error) => Err(self.mourn(lease, error).into()),
        }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.copy.as_ref().map(AsFd::as_fd).or_else(|| self.file.descriptor())
    }

    /// Gives up a worker that died of this document.
    fn mourn(&self, lease: Lease, error: WorkerError) -> WorkerError {
        lease.discard();
        if error.is_death() {
            self.reader.pool.blame(self.key);
        }
        error
    }

    /// Asks the worker; one that died before is replaced first.
    fn ask(&self, request: &Request) -> Result<(Reply, Bytes), PdfError> {
        self.cancellation.check()?;
        let mut session = self.session();
        let mut lease = match session.lease.take() {
            Some(lease) => lease,
            None => self.opened()?.0,
        };
        let process = lease.process().ok_or(WorkerError::Nonsense)?;
        session.aside = Aside::default();
        match process.call(request, None, &*self.reader.fonts, &self.cancellation) {
            Ok(Answer { reply: Reply::Failed(failure), .. }) => {
                session.lease = Some(lease);
                Err(failure.into())
            }
            Ok(Answer { reply, aside, body }) => {
                session.lease = Some(lease);
                session.aside = aside;
                Ok((reply, body))
            }
            Err(error) => {
                if let Request::Cut { page, .. } | Request::Fingerprint(page) = request
                    && error.is_death()
                {
                    session.deadly.insert(PageIndex(*page), error.clone());
                }
                Err(self.mourn(lease, error).into())
            }
        }
    }

    fn ask_cut(&self, page: PageIndex, identify: bool) -> Result<(PageChunk, Option<PageFingerprint>), PdfError> {
        self.spare(page)?;
        match self.ask(&Request::Cut { page: page.0, identify })? {
            (Reply::Chunk { tier, notes, fingerprint }, bytes) => {
                Ok((PageChunk { bytes, tier, notes }, fingerprint.map(PageFingerprint)))
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    /// Asks what is only said of a document: without an answer there is none, and [`Pages::notes`] says so.
    fn ask_aside<T>(&self, what: &str, request: &Request, read: impl Fn(Reply) -> Option<T>) -> Option<T> {
        match self.ask(request) {
            Ok((reply, _)) => read(reply),
            Err(error) => {
                self.session().unanswered.push(format!("{what} could not be read: {error}"));
                None
            }
        }
    }

    /// Refuses to cut a page that has killed a worker.
    fn spare(&self, page: PageIndex) -> Result<(), WorkerError> {
        self.session().deadly.get(&page).map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Refuses to join pages of which one has killed a worker.
    fn deadly_among(&self, pages: &PageSet) -> Result<(), WorkerError> {
        let session = self.session();
        let deadly = session.deadly.iter().find(|(page, _)| pages.contains(**page));
        deadly.map_or(Ok(()), |(_, error)| Err(error.clone()))
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages for WorkerDocument {
    fn page_count(&self) -> u32 {
        self.page_count
    }

    fn page_label(&self, page: PageIndex) -> Option<PageLabel> {
        if let Some((told, label)) = &self.session().aside.label
            && *told == page.0
        {
            return label.clone().map(PageLabel);
        }
        let label = self.ask_aside("A page's label", &Request::PageLabel(page.0), |reply| match reply {
            Reply::PageLabel(label) => label,
            _ => None,
        });
        label.map(PageLabel)
    }

    fn info(&self) -> DocumentInfo {
        let info = self.ask_aside("What the document says of itself", &Request::Info, |reply| match reply {
            Reply::Info(info) => Some(info),
            _ => None,
        });
        info.unwrap_or_default()
    }

    fn outline(&self, max: usize) -> Outline {
        let outline = self.ask_aside("The outline", &Request::Outline(max), |reply| match reply {
            Reply::Outline(outline) => Some(Outline::from(outline)),
            _ => None,
        });
        outline.unwrap_or(Outline { is_incomplete: true, ..Outline::default() })
    }

    fn page_geometry(&self, page: PageIndex) -> Result<PageGeometry, PdfError> {
        match self.ask(&Request::Geometry(page.0))?.0 {
            Reply::Geometry(geometry) => Ok(geometry.into()),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn cut(&self, page: PageIndex) -> Result<PageChunk, PdfError> {
        self.ask_cut(page, false).map(|(chunk, _)| chunk)
    }

    fn cut_and_identify(&self, page: PageIndex) -> Result<(PageChunk, Option<PageFingerprint>), PdfError> {
        self.ask_cut(page, true)
    }

    fn join(&self, pages: &PageSet) -> Result<PageChunk, PdfError> {
        self.deadly_among(pages)?;
        let runs = pages.runs().map(|(first, last)| (first.0, last.0)).collect();
        match self.ask(&Request::Join(runs))? {
            (Reply::Chunk { tier, notes, .. }, bytes) => Ok(PageChunk { bytes, tier, notes }),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn fingerprint(&self, page: PageIndex) -> Result<PageFingerprint, PdfError> {
        self.spare(page)?;
        match self.ask(&Request::Fingerprint(page.0))?.0 {
            Reply::Fingerprint(fingerprint) => Ok(PageFingerprint(fingerprint)),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn page_text(&self, page: PageIndex) -> Result<PageText, PdfError> {
        let from = if self.spare(page).is_err() { TextFrom::WholeFile } else { TextFrom::Chunk };
        match self.ask(&Request::Text { page: page.0, from })? {
            (Reply::Text(facts), text) => {
                let text = String::from_utf8(text.into()).map_err(|_| WorkerError::Nonsense)?;
                Ok(facts.with(text))
            }
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn picture(&self, page: PageIndex, options: &RenderOptions) -> Result<Picture, PdfError> {
        self.spare(page)?;
        match self.ask(&Request::Picture { page: page.0, options: options.into() })? {
            (Reply::Picture { width, height, notes }, png) => Ok(Picture { png: png.into(), width, height, notes }),
            _ => Err(WorkerError::Nonsense.into()),
        }
    }

    fn notes(&self) -> Vec<String> {
        let told = self.session().aside.notes.clone();
        let ask = || {
            self.ask_aside("Notes on the document", &Request::Notes, |reply| match reply {
                Reply::Notes(notes) => Some(notes),
                _ => None,
            })
        };
        let notes = told.or_else(ask);
        let unanswered = self.session().unanswered.clone();
        notes.unwrap_or_default().into_iter().chain(unanswered).collect()
    }
}

/// The bytes of a source that is no file, in a file without a name.
#[cfg(target_os = "linux")]
fn copied(source: &dyn ReadAt) -> io::Result<OwnedFd> {
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
fn copied(_: &dyn ReadAt) -> io::Result<OwnedFd> {
    Err(io::ErrorKind::Unsupported.into())
}

//! A worker from its inside: confines itself, greets, and answers until its parent hangs up.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::fonts::AskedFonts;
use super::frame::{self, PREFIX_BYTES};
use super::in_process::{InProcess, OpenDocument};
use super::pages::{Pages, PdfAction, PdfError};
use super::web_page::read_web_page;
use super::wire::{Answer, Aside, Failure, Greeting, PageOfWeb, Reply, Request, TextFrom};
use super::{descriptor, sandbox};
use crate::document::ReadAt;
use crate::limits::{Cancellation, Deadline, Limits};
use crate::page::{PageIndex, PageSet};
use crate::render::FontSource;

/// Runs a worker on the socket that is its standard input.
///
/// # Errors
/// Where the socket fails. That the parent hangs up is no error.
pub fn run(memory_bytes: u64) -> io::Result<()> {
    let socket = Arc::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let layers = sandbox::confine(memory_bytes);
    let greeting = Greeting { version: env!("CARGO_PKG_VERSION").to_owned(), layers };
    descriptor::send(&socket, &frame::head(&greeting, 0)?, None)?;
    let mut worker = Worker { document: None, fonts: Arc::new(AskedFonts::new(Arc::clone(&socket))) };
    while let Some((prefix, file)) = descriptor::receive::<PREFIX_BYTES>(&socket)? {
        let (request, _) = frame::rest(prefix, &*socket)?;
        let Some(answer) = worker.answer(request, file.map(File::from)) else { continue };
        descriptor::send_both(&socket, &frame::head(&answer, answer.body.len())?, &answer.body)?;
    }
    Ok(())
}

struct Worker {
    document: Option<OpenDocument>,
    /// Kept from document to document.
    fonts: Arc<dyn FontSource>,
}

impl Worker {
    /// The answer to one question; `None` where none is waited for.
    fn answer(&mut self, request: Request, file: Option<File>) -> Option<Answer> {
        let answer = match request {
            Request::Close => {
                self.document = None;
                return None;
            }
            Request::Open { length, password, limits, deadline_ms } => {
                self.document = None;
                let limits = Limits { deadline: Deadline::after(Duration::from_millis(deadline_ms)), ..limits };
                self.open(file, length, password.as_deref(), limits)
            }
            Request::Readable(page) => made_readable(file, &page),
            #[cfg(debug_assertions)]
            Request::Drill(drill) => Ok(Reply::Drilled(drill.run()).into()),
            about_it => match &self.document {
                Some(document) => answer_about(document, about_it),
                None => Err(failed("no document is open")),
            },
        };
        Some(answer.unwrap_or_else(|error| Reply::Failed(Failure::from(error)).into()))
    }

    fn open(
        &mut self,
        file: Option<File>,
        length: u64,
        password: Option<&str>,
        limits: Limits,
    ) -> Result<Answer, PdfError> {
        let file = file.ok_or_else(|| failed("no file came with the request"))?;
        let file = Arc::new(PassedFile { file, length });
        let reader = InProcess::new(limits, Arc::clone(&self.fonts));
        let document = reader.open_document(file, password, &Cancellation::new())?;
        let page_count = document.page_count();
        self.document = Some(document);
        Ok(Reply::Opened { page_count }.into())
    }
}

fn made_readable(file: Option<File>, page: &PageOfWeb) -> Result<Answer, PdfError> {
    let file = PassedFile { file: file.ok_or_else(|| failed("no file came with the request"))?, length: page.length };
    Ok(Reply::of_readable(read_web_page(&file, page.content_type.as_deref(), &page.base)?).into())
}

fn failed(reason: &str) -> PdfError {
    PdfError::Failed { action: PdfAction::ReadInfo, reason: reason.to_owned() }
}

fn answer_about(document: &OpenDocument, request: Request) -> Result<Answer, PdfError> {
    let page = request.page();
    let answer = reply_about(document, request)?;
    // A label whose reading was stopped is asked for once more, and then fails.
    let label = page.and_then(|page| Some((page, label_of(document, page).ok()?)));
    Ok(Answer { aside: Aside { notes: Some(document.notes()), label }, ..answer.into() })
}

fn label_of(document: &OpenDocument, page: u32) -> Result<Option<String>, PdfError> {
    Ok(whole(document, document.page_label(PageIndex(page)))?.map(|label| label.0))
}

fn reply_about(document: &OpenDocument, request: Request) -> Result<(Reply, Bytes), PdfError> {
    let reply = match request {
        Request::Cut { page, identify: false } => return Ok(Reply::of_chunk(document.cut(PageIndex(page))?, None)),
        Request::Cut { page, identify: true } => {
            let (chunk, fingerprint) = document.cut_and_identify(PageIndex(page))?;
            return Ok(Reply::of_chunk(chunk, fingerprint));
        }
        Request::Join(runs) => return Ok(Reply::of_chunk(document.join(&pages_of(&runs))?, None)),
        Request::Text { page, from } => {
            let text = match from {
                TextFrom::Chunk => document.page_text(PageIndex(page))?,
                TextFrom::WholeFile => document.whole_file_text(PageIndex(page))?,
            };
            return Ok(Reply::of_text(text));
        }
        Request::Picture { page, options } => {
            return Ok(Reply::of_picture(document.picture(PageIndex(page), &options.into())?));
        }
        Request::PageLabel(page) => Reply::PageLabel(label_of(document, page)?),
        Request::Info => Reply::Info(whole(document, document.info())?),
        Request::Outline(max) => Reply::Outline(whole(document, document.outline(max))?.into()),
        Request::Geometry(page) => Reply::Geometry(document.page_geometry(PageIndex(page))?.into()),
        Request::Fingerprint(page) => Reply::Fingerprint(document.fingerprint(PageIndex(page))?.0),
        Request::Notes => Reply::Notes(document.notes()),
        Request::Open { .. } | Request::Close | Request::Readable(_) => {
            return Err(failed("no question about a document"));
        }
        #[cfg(debug_assertions)]
        Request::Drill(_) => return Err(failed("no question about a document")),
    };
    Ok((reply, Bytes::new()))
}

fn pages_of(runs: &[(u32, u32)]) -> PageSet {
    let mut pages = PageSet::new();
    runs.iter().for_each(|(first, last)| pages.insert_run(*first, *last));
    pages
}

/// What has no other way to fail must not pass for an answer where its reading was stopped.
fn whole<T>(document: &OpenDocument, answer: T) -> Result<T, PdfError> {
    document.stopped().map_or(Ok(answer), |stopped| Err(stopped.into()))
}

/// The file that came over the socket, read by position: its position is shared with the parent.
struct PassedFile {
    file: File,
    length: u64,
}

impl ReadAt for PassedFile {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

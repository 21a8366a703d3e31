//! The worker process: confines itself, sends a greeting, and answers requests until its parent closes the socket.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::engine::{Engine, OpenModel};
use super::fonts::ParentFonts;
use super::in_process::{InProcessReader, OpenDocument};
use super::pages::{Pages, PdfAction, PdfError};
use super::parent_socket::ParentSocket;
use super::remote_file::RemoteFile;
use super::sandbox;
use super::web_page::read_web_page;
use super::wire::recognition::WireLayerWord;
use super::wire::socket;
use super::wire::{
    AnswerExtras, Greeting, PageExtras, TextSource, WebPageSource, WireError, WorkerAnswer, WorkerReply, WorkerRequest,
};
use crate::worker::wire::frame::{self, PREFIX_BYTES};
use pagewise_base::limits::{Cancellation, Deadline, Limits};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_document::{LayerWord, ReadAt};
use pagewise_ocr::{GrayImage, OcrError, TesseractJob, TesseractRunner};
use pagewise_render::FontSource;

/// Runs a worker on the socket that is its standard input.
///
/// # Errors
/// The socket fails. It is no error if the parent closes it.
pub fn run(memory_bytes: u64) -> io::Result<()> {
    let socket = Arc::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let layers = sandbox::confine(memory_bytes);
    let greeting = Greeting { version: env!("CARGO_PKG_VERSION").to_owned(), layers };
    socket::send(&socket, &frame::encode_header(&greeting, 0)?, None)?;
    let parent = Arc::new(ParentSocket::new(Arc::clone(&socket)));
    let mut worker = RequestHandler {
        documents: BTreeMap::new(),
        current: 0,
        fonts: Arc::new(ParentFonts::new(Arc::clone(&parent))),
        engine: Arc::default(),
        parent,
    };
    while let Some((prefix, file)) = socket::receive::<PREFIX_BYTES>(&socket)? {
        let (request, _) = frame::read_rest(prefix, &*socket)?;
        let Some(answer) = worker.answer(request, file.map(File::from)) else { continue };
        socket::send_parts(&socket, &frame::encode_header(&answer, answer.body.len())?, &answer.body)?;
    }
    Ok(())
}

struct RequestHandler {
    /// The open documents, by slot.
    documents: BTreeMap<usize, OpenDocument>,
    /// The slot of the current document.
    current: usize,
    /// Shared by all documents of this worker.
    fonts: Arc<dyn FontSource>,
    /// Recognises text; shared too.
    engine: Arc<Engine>,
    parent: Arc<ParentSocket>,
}

/// Has the parent run the program `tesseract`.
struct ParentTesseract {
    parent: Arc<ParentSocket>,
}

impl ParentTesseract {
    fn new(parent: Arc<ParentSocket>) -> Self {
        Self { parent }
    }

    /// Sends the picture with the question.
    fn ask(&self, image: &GrayImage, job: &TesseractJob) -> io::Result<(Result<(), String>, Vec<u8>)> {
        let question = WorkerReply::WantsTesseract {
            width: image.width(),
            height: image.height(),
            mode: job.mode.into(),
            language: job.language.clone(),
        };
        let (outcome, bytes, _) = self.parent.ask_with(question, image.pixels())?;
        Ok((outcome, bytes))
    }
}

impl TesseractRunner for ParentTesseract {
    fn run(&self, image: &GrayImage, job: &TesseractJob) -> Result<String, OcrError> {
        let failed = |reason: String| OcrError::Program { reason };
        let (outcome, bytes) = self.ask(image, job).map_err(|error| failed(error.to_string()))?;
        outcome.map_err(failed)?;
        String::from_utf8(bytes).map_err(|_| failed("its answer is no text".to_owned()))
    }
}

impl RequestHandler {
    /// The answer to a request; `None` for requests without an answer.
    fn answer(&mut self, request: WorkerRequest, file: Option<File>) -> Option<WorkerAnswer> {
        let answer = match request {
            WorkerRequest::Select(slot) => {
                self.current = slot;
                return None;
            }
            WorkerRequest::Close => {
                self.documents.remove(&self.current);
                return None;
            }
            WorkerRequest::CloseAll => {
                self.documents.clear();
                return None;
            }
            WorkerRequest::Model { part, length } => {
                file.into_iter().for_each(|file| self.engine.add(OpenModel { part, file, length }));
                return None;
            }
            WorkerRequest::Tesseract { languages, chosen } => {
                let runner = ParentTesseract::new(Arc::clone(&self.parent));
                self.engine.offer_tesseract(runner, languages, chosen);
                return None;
            }
            WorkerRequest::Open { slot, length, is_remote, password, limits, deadline_ms } => {
                self.current = slot;
                self.documents.remove(&slot);
                let limits = limits.for_operations_of(Duration::from_millis(deadline_ms));
                let file = if is_remote { Ok(self.remote_file(length)) } else { received_file(file, length) };
                file.and_then(|file| self.open(file, password.as_deref(), limits))
            }
            WorkerRequest::ReadablePage(page) => convert_web_page(file, &page),
            WorkerRequest::CheckEngine => Ok(WorkerReply::EngineChecked(self.engine.problem()).into()),
            #[cfg(debug_assertions)]
            WorkerRequest::Drill(drill) => Ok(WorkerReply::Drilled(drill.run()).into()),
            request => match self.documents.get(&self.current) {
                Some(document) => answer_about(document, request),
                None => Err(failure("no document is open")),
            },
        };
        Some(answer.unwrap_or_else(|error| WorkerReply::Failed(WireError::from(error)).into()))
    }

    fn open(
        &mut self,
        file: Arc<dyn ReadAt>,
        password: Option<&str>,
        limits: Limits,
    ) -> Result<WorkerAnswer, PdfError> {
        let reader = InProcessReader::with_engine(limits, Arc::clone(&self.fonts), Arc::clone(&self.engine));
        let document = reader.open_document(file, password, &Cancellation::new())?;
        let page_count = document.page_count();
        self.documents.insert(self.current, document);
        Ok(WorkerReply::Opened { page_count }.into())
    }

    fn remote_file(&self, length: u64) -> Arc<dyn ReadAt> {
        Arc::new(RemoteFile::new(Arc::clone(&self.parent), length))
    }
}

fn received_file(file: Option<File>, length: u64) -> Result<Arc<dyn ReadAt>, PdfError> {
    let file = file.ok_or_else(|| failure("no file came with the request"))?;
    Ok(Arc::new(ReceivedFile { file, length }))
}

fn convert_web_page(file: Option<File>, page: &WebPageSource) -> Result<WorkerAnswer, PdfError> {
    let file = received_file(file, page.length)?;
    Ok(WorkerReply::of_readable(read_web_page(&*file, page.content_type.as_deref(), &page.base)?).into())
}

fn failure(reason: &str) -> PdfError {
    PdfError::Failed { action: PdfAction::ReadInfo, reason: reason.to_owned() }
}

fn answer_about(document: &OpenDocument, request: WorkerRequest) -> Result<WorkerAnswer, PdfError> {
    let page = request.page();
    let answer = reply_about(document, request)?;
    // What cannot be read here is left out, and the parent's own request for it fails.
    let page = page.and_then(|page| page_extras(document, page).ok());
    Ok(WorkerAnswer { extras: AnswerExtras { notes: Some(document.notes()), page }, ..answer.into() })
}

fn page_extras(document: &OpenDocument, page: u32) -> Result<PageExtras, PdfError> {
    let has_annotations = document.has_annotations(PageIndex(page))?;
    Ok(PageExtras { index: page, label: label_of(document, page)?, has_annotations })
}

fn label_of(document: &OpenDocument, page: u32) -> Result<Option<String>, PdfError> {
    Ok(unless_stopped(document, document.page_label(PageIndex(page)))?.map(|label| label.0))
}

fn reply_about(document: &OpenDocument, request: WorkerRequest) -> Result<(WorkerReply, Bytes), PdfError> {
    let reply = match request {
        WorkerRequest::Cut { page, identify: false } => {
            return Ok(WorkerReply::of_chunk(document.cut(PageIndex(page))?, None));
        }
        WorkerRequest::Cut { page, identify: true } => {
            let (chunk, fingerprint) = document.cut_and_identify(PageIndex(page))?;
            return Ok(WorkerReply::of_chunk(chunk, fingerprint));
        }
        WorkerRequest::Join(runs) => return Ok(WorkerReply::of_chunk(document.join(&pages_of(&runs))?, None)),
        WorkerRequest::Text { page, from } => {
            let text = match from {
                TextSource::Chunk => document.page_text(PageIndex(page))?,
                TextSource::WholeFile => document.whole_file_text(PageIndex(page))?,
            };
            return Ok(WorkerReply::of_text(text));
        }
        WorkerRequest::Words { page, from } => {
            let (text, words) = match from {
                TextSource::Chunk => document.page_words(PageIndex(page))?,
                TextSource::WholeFile => document.whole_file_words(PageIndex(page))?,
            };
            return Ok(WorkerReply::of_words(text, words)?);
        }
        WorkerRequest::Structure { page, from } => {
            let page = match from {
                TextSource::Chunk => document.page_structure(PageIndex(page))?,
                TextSource::WholeFile => document.whole_file_structure(PageIndex(page))?,
            };
            return Ok(WorkerReply::of_structure(page)?);
        }
        WorkerRequest::Picture { page, options } => {
            return Ok(WorkerReply::of_picture(document.picture(PageIndex(page), &options.into())?));
        }
        WorkerRequest::Recognise { .. } | WorkerRequest::TextLayer(_) => return reply_of_scan(document, request),
        WorkerRequest::PageLabel(page) => WorkerReply::PageLabel(label_of(document, page)?),
        WorkerRequest::Info => WorkerReply::Info(unless_stopped(document, document.info())?),
        WorkerRequest::Outline(max) => WorkerReply::Outline(unless_stopped(document, document.outline(max))?.into()),
        WorkerRequest::Geometry(page) => WorkerReply::Geometry(document.page_geometry(PageIndex(page))?.into()),
        WorkerRequest::Annotations { .. }
        | WorkerRequest::AnnotationCounts
        | WorkerRequest::Form(_)
        | WorkerRequest::Attachments(_)
        | WorkerRequest::Attachment(_) => return reply_beside_text(document, request),
        WorkerRequest::Fingerprint(page) => WorkerReply::Fingerprint(document.fingerprint(PageIndex(page))?.0),
        WorkerRequest::Notes => WorkerReply::Notes(document.notes()),
        WorkerRequest::Open { .. }
        | WorkerRequest::Select(_)
        | WorkerRequest::Close
        | WorkerRequest::CloseAll
        | WorkerRequest::Model { .. }
        | WorkerRequest::Tesseract { .. }
        | WorkerRequest::CheckEngine
        | WorkerRequest::ReadablePage(_) => {
            return Err(failure("no question about a document"));
        }
        #[cfg(debug_assertions)]
        WorkerRequest::Drill(_) => return Err(failure("no question about a document")),
    };
    Ok((reply, Bytes::new()))
}

/// Answers a request to recognise a page, or to add what was recognised.
fn reply_of_scan(document: &OpenDocument, request: WorkerRequest) -> Result<(WorkerReply, Bytes), PdfError> {
    match request {
        WorkerRequest::Recognise { page, is_forced, deadline_ms } => {
            let deadline = Deadline::after(Duration::from_millis(deadline_ms));
            Ok(WorkerReply::of_recognition(document.recognise_page(PageIndex(page), is_forced, &deadline)?)?)
        }
        WorkerRequest::TextLayer(layers) => {
            let words = |words: Vec<WireLayerWord>| words.into_iter().map(LayerWord::from).collect();
            let layers = layers.into_iter().map(|(page, layer)| (PageIndex(page), words(layer)));
            Ok((WorkerReply::TextLayer, document.with_text_layer(&layers.collect::<Vec<_>>())?))
        }
        _ => Err(failure("no question about a scan")),
    }
}

/// Answers a request about comments, links, form fields or attachments.
fn reply_beside_text(document: &OpenDocument, request: WorkerRequest) -> Result<(WorkerReply, Bytes), PdfError> {
    let reply = match request {
        WorkerRequest::Annotations { page, from } => {
            let annotations = match from {
                TextSource::Chunk => document.annotations(PageIndex(page))?,
                TextSource::WholeFile => document.whole_file_annotations(PageIndex(page))?,
            };
            WorkerReply::Annotations(annotations.into())
        }
        WorkerRequest::AnnotationCounts => {
            WorkerReply::AnnotationCounts(unless_stopped(document, document.annotation_counts())?.into())
        }
        WorkerRequest::Form(max) => WorkerReply::Form(unless_stopped(document, document.form(max))?.into()),
        WorkerRequest::Attachments(max) => {
            WorkerReply::Attachments(unless_stopped(document, document.attachments(max))?.into())
        }
        WorkerRequest::Attachment(name) => {
            let bytes = document.attachment(&name)?;
            return Ok((WorkerReply::Attachment(bytes.is_some()), bytes.unwrap_or_default()));
        }
        _ => return Err(failure("no question about what stands beside the text")),
    };
    Ok((reply, Bytes::new()))
}

fn pages_of(runs: &[(u32, u32)]) -> PageSet {
    let mut pages = PageSet::new();
    runs.iter().for_each(|(first, last)| pages.insert_run(*first, *last));
    pages
}

/// Fails if the operation was stopped, for answers that cannot report it themselves.
fn unless_stopped<T>(document: &OpenDocument, answer: T) -> Result<T, PdfError> {
    document.stop_reason().map_or(Ok(answer), |stopped| Err(stopped.into()))
}

/// The file received over the socket. It is read by offset, since the file position is shared with the parent.
struct ReceivedFile {
    file: File,
    length: u64,
}

impl ReadAt for ReceivedFile {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }
}

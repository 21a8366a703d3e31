//! The worker process: confines itself, sends a greeting, and answers requests until its parent closes the socket.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::engine::{Engine, EnginePart, OpenModel};
use super::fonts::ParentFonts;
use super::in_process::{InProcessReader, OpenedFile};
use super::pages::{DocumentFacts, DocumentWants, FileJob, PageFacts, PdfAction, PdfChunk, PdfError, ReadablePage};
use super::parent_socket::ParentSocket;
use super::remote_file::RemoteFile;
use super::sandbox;
use super::web_page::{read_web_page, read_whole_file};
use super::wire::decode::decode;
use super::wire::frame::{self, PREFIX_BYTES};
use super::wire::socket;
use super::wire::{
    CheckEngine, EngineFacts, Greeting, MessageKind, Noted, OpenFile, PageQuestion, PictureFile, Question, RunFailure,
    WantedEnginePart, WantedTesseract, WebPage, WorkerMessage,
};
use pagewise_base::limits::Cancellation;
use pagewise_document::ReadAt;
use pagewise_library::language_of;
use pagewise_ocr::{GrayImage, OcrError, TesseractJob, TesseractRecogniser, TesseractRunner};
use pagewise_render::{FontSource, PictureFault, picture_fault};

/// Runs a worker on the socket that is its standard input.
///
/// # Errors
/// The socket fails. It is no error if the parent closes it.
pub fn run(memory_bytes: u64) -> io::Result<()> {
    let socket = Arc::new(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?));
    let layers = sandbox::confine(memory_bytes);
    let greeting = Greeting { version: env!("CARGO_PKG_VERSION").to_owned(), layers };
    socket::send(&socket, &frame::encode(&greeting)?, None)?;
    let parent = Arc::new(ParentSocket::new(Arc::clone(&socket)));
    let for_engine = Arc::clone(&parent);
    let mut worker = RequestHandler {
        document: None,
        fonts: Arc::new(ParentFonts::new(Arc::clone(&parent))),
        engine: Arc::new(Engine::of(move |number| engine_part(&for_engine, number))),
        parent,
        socket: Arc::clone(&socket),
    };
    while let Some((prefix, file)) = socket::receive::<PREFIX_BYTES>(&socket)? {
        let message = frame::read_content(prefix, frame::MAX_BYTES, &*socket)?;
        worker.handle(&message, file.map(File::from))?;
    }
    Ok(())
}

struct RequestHandler {
    document: Option<OpenedFile>,
    /// Shared by all documents of this worker.
    fonts: Arc<dyn FontSource>,
    /// Recognises text; shared too.
    engine: Arc<Engine>,
    parent: Arc<ParentSocket>,
    socket: Arc<UnixStream>,
}

/// Has the parent run the program `tesseract`.
struct ParentTesseract {
    parent: Arc<ParentSocket>,
}

impl TesseractRunner for ParentTesseract {
    fn run(&self, image: &GrayImage, job: &TesseractJob) -> Result<String, OcrError> {
        let (width, height, job) = (image.width(), image.height(), job.clone());
        let wanted = WantedTesseract { width, height, pixels: Bytes::copy_from_slice(image.pixels()), job };
        let (outcome, _) = self.parent.ask(wanted).map_err(|error| OcrError::Program { reason: error.to_string() })?;
        outcome.map_err(|failure| match failure {
            RunFailure::Late => OcrError::Late,
            RunFailure::Other(reason) => OcrError::Program { reason },
        })
    }
}

/// A part of the engine that recognises text, from the parent. If the socket failed, reading the next request fails too.
fn engine_part(parent: &Arc<ParentSocket>, number: usize) -> Option<EnginePart> {
    let (facts, file) = parent.ask(WantedEnginePart(number)).ok()?;
    Some(match facts? {
        EngineFacts::Model { part, length } => EnginePart::Model(OpenModel { part, file: file?, length }),
        EngineFacts::Tesseract { languages, chosen } => {
            let runner = ParentTesseract { parent: Arc::clone(parent) };
            EnginePart::Whole(Arc::new(TesseractRecogniser::new(runner, languages, chosen, language_of)))
        }
    })
}

impl RequestHandler {
    /// Answers a question, or closes the document.
    fn handle(&mut self, message: &[u8], file: Option<File>) -> io::Result<()> {
        let (kind, content) = postcard::take_from_bytes(message).map_err(|_| io::ErrorKind::InvalidData)?;
        match kind {
            MessageKind::OpenFile => self.reply::<OpenFile>(content, file),
            MessageKind::PageQuestion => self.reply::<PageQuestion>(content, file),
            MessageKind::DocumentWants => self.reply::<DocumentWants>(content, file),
            MessageKind::FileJob => self.reply::<FileJob>(content, file),
            MessageKind::WebPage => self.reply::<WebPage>(content, file),
            MessageKind::PictureFile => self.reply::<PictureFile>(content, file),
            MessageKind::CheckEngine => self.reply::<CheckEngine>(content, file),
            #[cfg(debug_assertions)]
            MessageKind::Drill => self.reply::<super::drill::Drill>(content, file),
            MessageKind::CloseFile => {
                self.document = None;
                Ok(())
            }
        }
    }

    fn reply<Q: Answered>(&mut self, content: &[u8], file: Option<File>) -> io::Result<()> {
        let question: Q = decode(content, None)?;
        frame::write(&WorkerMessage::Answer(question.answer(self, file)), &*self.socket)
    }

    /// What a question about the open document finds, with the notes on it.
    fn about<T>(&self, find: impl FnOnce(&OpenedFile) -> Result<T, PdfError>) -> Result<Noted<T>, PdfError> {
        let document = self.document.as_ref().ok_or_else(|| failure("no document is open"))?;
        let answer = find(document)?;
        Ok(Noted { answer, notes: document.pages().notes(), tier: document.tier() })
    }
}

trait Answered: Question {
    fn answer(self, worker: &mut RequestHandler, file: Option<File>) -> Result<Self::Answer, PdfError>;
}

impl Answered for OpenFile {
    fn answer(self, worker: &mut RequestHandler, file: Option<File>) -> Result<u32, PdfError> {
        let Self { length, is_remote, password, limits, deadline_ms } = self;
        worker.document = None;
        let limits = limits.for_operations_of(Duration::from_millis(deadline_ms));
        let file: Arc<dyn ReadAt> = if is_remote {
            Arc::new(RemoteFile::new(Arc::clone(&worker.parent), length))
        } else {
            received_file(file, length)?
        };
        let reader = InProcessReader::with_engine(limits, Arc::clone(&worker.fonts), Arc::clone(&worker.engine));
        let document = reader.open_file(file, password.as_deref(), &Cancellation::new())?;
        let page_count = document.pages().page_count();
        worker.document = Some(document);
        Ok(page_count)
    }
}

impl Answered for PageQuestion {
    fn answer(self, worker: &mut RequestHandler, _: Option<File>) -> Result<Noted<PageFacts>, PdfError> {
        worker.about(|document| document.read_page(self.page, &self.wants, self.is_deadly))
    }
}

impl Answered for DocumentWants {
    fn answer(self, worker: &mut RequestHandler, _: Option<File>) -> Result<Noted<DocumentFacts>, PdfError> {
        worker.about(|document| document.read_facts(&self))
    }
}

impl Answered for FileJob {
    fn answer(self, worker: &mut RequestHandler, _: Option<File>) -> Result<Noted<Option<PdfChunk>>, PdfError> {
        worker.about(|document| document.pages().make(&self))
    }
}

impl Answered for WebPage {
    fn answer(self, _: &mut RequestHandler, file: Option<File>) -> Result<ReadablePage, PdfError> {
        let file = received_file(file, self.length)?;
        read_web_page(&*file, self.content_type.as_deref(), &self.base)
    }
}

impl Answered for PictureFile {
    fn answer(self, _: &mut RequestHandler, file: Option<File>) -> Result<Option<PictureFault>, PdfError> {
        Ok(picture_fault(&read_whole_file(&*received_file(file, self.length)?)?))
    }
}

impl Answered for CheckEngine {
    fn answer(self, worker: &mut RequestHandler, _: Option<File>) -> Result<Option<String>, PdfError> {
        Ok(worker.engine.problem())
    }
}

#[cfg(debug_assertions)]
impl Answered for super::drill::Drill {
    fn answer(self, _: &mut RequestHandler, _: Option<File>) -> Result<String, PdfError> {
        Ok(self.run())
    }
}

fn received_file(file: Option<File>, length: u64) -> Result<Arc<dyn ReadAt>, PdfError> {
    let file = file.ok_or_else(|| failure("no file came with the request"))?;
    Ok(Arc::new(ReceivedFile { file, length }))
}

fn failure(reason: &str) -> PdfError {
    PdfError::Failed { action: PdfAction::ReadInfo, reason: reason.to_owned() }
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

//! The messages between a worker and its parent.
//!
//! Both are the same program, so messages have no version. The greeting still carries the program's version, since the
//! program on disk may have been replaced.
//!
//! A [`Question`] names the type of its answer, so neither side can write or expect another. What a worker asks for
//! meanwhile is a [`Supply`], with the type of what it gets.

pub(crate) mod decode;
pub(crate) mod frame;
pub(crate) mod socket;

use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::worker::engine::ModelPart;
use crate::worker::pages::{DocumentFacts, DocumentWants, FileJob, PageFacts, PageWants, PdfChunk, PdfError};
use crate::worker::sandbox::SandboxLayers;
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::Tier;
use pagewise_ocr::TesseractJob;
use pagewise_render::{PictureFault, WantedFont};
use pagewise_web::html::ReadablePage;

/// The largest answer besides files and pictures: the words, lines and tables of a page.
pub(crate) const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// The time for loading the models of an engine, besides that of the question.
const MAX_LOADING_TIME: Duration = Duration::from_secs(20);

/// The first message of a worker, sent when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Greeting {
    pub(crate) version: String,
    pub(crate) layers: SandboxLayers,
}

/// A question to a worker.
pub(crate) trait Question: Serialize + DeserializeOwned {
    const KIND: MessageKind;
    type Answer: Serialize + DeserializeOwned;

    /// The most bytes of the files and pictures in its answer, where these are the bounds on documents.
    fn max_file_bytes(&self, _: &Limits) -> u64 {
        0
    }

    /// The page on which it spends time.
    fn page(&self) -> Option<PageIndex> {
        None
    }

    /// The time that the engine that recognises text has for it, from when the worker asks for it.
    fn engine_time(&self) -> Duration {
        Duration::ZERO
    }
}

/// What a message is: a question of this type, or that the document is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum MessageKind {
    OpenFile,
    PageQuestion,
    DocumentWants,
    FileJob,
    WebPage,
    PictureFile,
    CheckEngine,
    CloseFile,
    #[cfg(debug_assertions)]
    Drill,
}

/// Opens the attached file instead of what is open. The answer is its number of pages.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct OpenFile {
    pub(crate) length: u64,
    /// Whether no file is attached, and the parent is asked for its bytes.
    pub(crate) is_remote: bool,
    pub(crate) password: Option<String>,
    pub(crate) limits: Limits,
    /// The time for this and each later question.
    pub(crate) deadline_ms: u64,
}

/// Asks for facts about a page of the open document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PageQuestion {
    pub(crate) page: PageIndex,
    pub(crate) wants: PageWants,
    /// Whether its text is read from the whole file, because cutting this page has killed a worker.
    pub(crate) is_deadly: bool,
}

/// Converts the attached web page to Markdown.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WebPage {
    pub(crate) length: u64,
    pub(crate) content_type: Option<String>,
    pub(crate) base: String,
}

/// Decodes the attached picture. The answer says what is wrong with it, if anything is.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PictureFile {
    pub(crate) length: u64,
}

/// Loads the models of the engine. The answer says why they cannot be used, if they cannot.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CheckEngine;

impl Question for OpenFile {
    const KIND: MessageKind = MessageKind::OpenFile;
    type Answer = u32;
}

impl Question for PageQuestion {
    const KIND: MessageKind = MessageKind::PageQuestion;
    type Answer = Noted<PageFacts>;

    fn max_file_bytes(&self, limits: &Limits) -> u64 {
        let chunk = if self.wants.chunk { limits.max_page_bytes } else { 0 };
        // A pixel has three bytes, and a row one more.
        let picture = if self.wants.picture.is_some() { limits.max_pixels.saturating_mul(4) } else { 0 };
        chunk.saturating_add(picture).min(frame::MAX_BYTES)
    }

    fn page(&self) -> Option<PageIndex> {
        self.wants.are_costly().then_some(self.page)
    }

    fn engine_time(&self) -> Duration {
        self.wants.recognition.map_or(Duration::ZERO, |request| request.time)
    }
}

impl Question for DocumentWants {
    const KIND: MessageKind = MessageKind::DocumentWants;
    type Answer = Noted<DocumentFacts>;
}

impl Question for FileJob {
    const KIND: MessageKind = MessageKind::FileJob;
    type Answer = Noted<Option<PdfChunk>>;

    fn max_file_bytes(&self, _: &Limits) -> u64 {
        frame::MAX_BYTES
    }
}

impl Question for WebPage {
    const KIND: MessageKind = MessageKind::WebPage;
    type Answer = ReadablePage;

    fn max_file_bytes(&self, limits: &Limits) -> u64 {
        limits.max_file_bytes
    }
}

impl Question for PictureFile {
    const KIND: MessageKind = MessageKind::PictureFile;
    type Answer = Option<PictureFault>;
}

impl Question for CheckEngine {
    const KIND: MessageKind = MessageKind::CheckEngine;
    type Answer = Option<String>;

    fn engine_time(&self) -> Duration {
        MAX_LOADING_TIME
    }
}

#[cfg(debug_assertions)]
impl Question for crate::worker::drill::Drill {
    const KIND: MessageKind = MessageKind::Drill;
    type Answer = String;
}

/// Closes the open document. It has no answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CloseFile;

/// An answer, with the current notes on the document.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Noted<T> {
    pub(crate) answer: T,
    pub(crate) notes: Vec<String>,
    /// The reader of the document.
    pub(crate) tier: Tier,
}

/// A message of a worker that was asked a question with this answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum WorkerMessage<A> {
    Answer(Result<A, PdfError>),
    /// What it needs before it can answer. The parent replies and keeps waiting.
    Wants(WantedSupply),
}

/// What a worker asks its parent for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum WantedSupply {
    Font(WantedFont),
    Piece(WantedPiece),
    EnginePart(WantedEnginePart),
    Tesseract(WantedTesseract),
}

/// One of them, with what the parent replies.
pub(crate) trait Supply: Into<WantedSupply> {
    type Reply: Serialize + DeserializeOwned;
}

/// A font. Its file is attached to the reply.
impl Supply for WantedFont {
    type Reply = Option<FontFacts>;
}

/// Bytes of the open document. `None` if they could not be read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WantedPiece {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Piece(#[serde(with = "pagewise_base::arrival::byte_string")] pub(crate) Bytes);

impl Supply for WantedPiece {
    type Reply = Option<Piece>;
}

/// A part of the engine that recognises text, by its number. `None` beyond the last. The first that is asked for begins the
/// time of the engine.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WantedEnginePart(pub(crate) usize);

#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum EngineFacts {
    /// The attached model.
    Model { part: ModelPart, length: u64 },
    /// The program `tesseract`, which the parent runs.
    Tesseract {
        languages: Vec<String>,
        /// The language that a setting names.
        chosen: Option<String>,
    },
}

impl Supply for WantedEnginePart {
    type Reply = Option<EngineFacts>;
}

/// A run of the program `tesseract` on a picture: what it printed, or why it failed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WantedTesseract {
    pub(crate) width: usize,
    pub(crate) height: usize,
    #[serde(with = "pagewise_base::arrival::byte_string")]
    pub(crate) pixels: Bytes,
    pub(crate) job: TesseractJob,
}

impl Supply for WantedTesseract {
    type Reply = Result<String, RunFailure>;
}

/// Why a program printed nothing that can be used.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum RunFailure {
    Late,
    Other(String),
}

impl From<WantedFont> for WantedSupply {
    fn from(font: WantedFont) -> Self {
        Self::Font(font)
    }
}

impl From<WantedPiece> for WantedSupply {
    fn from(piece: WantedPiece) -> Self {
        Self::Piece(piece)
    }
}

impl From<WantedEnginePart> for WantedSupply {
    fn from(part: WantedEnginePart) -> Self {
        Self::EnginePart(part)
    }
}

impl From<WantedTesseract> for WantedSupply {
    fn from(run: WantedTesseract) -> Self {
        Self::Tesseract(run)
    }
}

/// An open font file.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FontFacts {
    pub(crate) length: u64,
    pub(crate) name: String,
    pub(crate) index: u32,
}

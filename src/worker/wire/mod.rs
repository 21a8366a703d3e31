//! The messages between a worker and its parent.
//!
//! Both are the same program, so messages have no version. The greeting still carries the program's version, since the
//! program on disk may have been replaced.

pub(crate) mod annotations;
pub(crate) mod error;
mod extras;
pub(crate) mod frame;
pub(crate) mod pictures;
pub(crate) mod recognition;
pub(crate) mod socket;
pub(crate) mod structure;
pub(crate) mod words;

use std::io;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::worker::engine::ModelPart;
use crate::worker::pages::{PageText, PageWords, PdfChunk, Picture, SharedHash, StructuredPage};
use crate::worker::sandbox::SandboxLayers;
use annotations::{WireAnnotations, WireAttachments, WireCounts, WireForm};
pub(crate) use error::WireError;
pub(crate) use extras::{AnswerExtras, PageExtras};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::limits::{Deadline, Limits, ProcessorClock};
use pagewise_base::page::PageIndex;
use pagewise_document::{DocumentInfo, Outline, OutlineItem, PageGeometry};
use pagewise_web::html::ReadablePage;
use pictures::{WireFontRequest, WireOptions, WireText};
use recognition::{WireLayerWord, WireTesseractMode};
use structure::encode_page;
use words::encode_words;

/// The first message of a worker, sent when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Greeting {
    pub(crate) version: String,
    pub(crate) layers: SandboxLayers,
}

/// A request. All except the first four and `ReadablePage` are about the current document. Pages are indices.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum WorkerRequest {
    /// Opens the attached file in a slot, instead of what was open there, and makes it the current document.
    Open {
        slot: usize,
        length: u64,
        /// Whether no file is attached, and the parent is asked for its bytes.
        is_remote: bool,
        password: Option<String>,
        #[serde(with = "WireLimits")]
        limits: Limits,
        /// The time for this and each later request.
        deadline_ms: u64,
    },
    /// Makes the document in a slot the current one. Has no answer.
    Select(usize),
    /// Closes the current document. Has no answer.
    Close,
    /// Closes all documents. Has no answer.
    CloseAll,
    PageLabel(u32),
    Info,
    Outline(usize),
    Geometry(u32),
    /// The comments, links and fields of a page.
    Annotations {
        page: u32,
        /// The source of the words that comments mark.
        from: TextSource,
    },
    AnnotationCounts,
    /// The form with at most this many fields.
    Form(usize),
    /// At most this many attachments.
    Attachments(usize),
    /// The bytes of the attachment of this name.
    Attachment(String),
    Cut {
        page: u32,
        /// Whether to return its fingerprint too.
        identify: bool,
    },
    /// First and last index of each range of pages, inclusive.
    Join(Vec<(u32, u32)>),
    Fingerprint(u32),
    Text {
        page: u32,
        from: TextSource,
    },
    Structure {
        page: u32,
        from: TextSource,
    },
    Words {
        page: u32,
        from: TextSource,
    },
    Picture {
        page: u32,
        options: WireOptions,
    },
    /// Recognises the text in the picture of a page.
    Recognise {
        page: u32,
        /// Whether to recognise it even if it has text of its own.
        is_forced: bool,
        /// The time for the engine.
        deadline_ms: u64,
    },
    /// Appends a layer of invisible text to pages.
    TextLayer(Vec<(u32, Vec<WireLayerWord>)>),
    /// Offers the program `tesseract`, which the parent runs, as the engine. Has no answer.
    Tesseract {
        languages: Vec<String>,
        /// The language that a setting names.
        chosen: Option<String>,
    },
    /// Adds the attached model to the engine that recognises text. Has no answer.
    Model {
        part: ModelPart,
        length: u64,
    },
    /// Loads the models of the engine.
    CheckEngine,
    Notes,
    /// Converts the attached web page to Markdown.
    ReadablePage(WebPageSource),
    #[cfg(debug_assertions)]
    Drill(crate::worker::drill::Drill),
}

impl WorkerRequest {
    /// The page whose label is sent with the answer.
    pub(crate) fn page(&self) -> Option<u32> {
        match self {
            Self::Cut { page, .. }
            | Self::Text { page, .. }
            | Self::Structure { page, .. }
            | Self::Words { page, .. }
            | Self::Recognise { page, .. }
            | Self::Annotations { page, .. }
            | Self::Picture { page, .. } => Some(*page),
            _ => None,
        }
    }
}

/// A web page in the attached file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WebPageSource {
    pub(crate) length: u64,
    pub(crate) content_type: Option<String>,
    pub(crate) base: String,
}

/// The source of a page's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TextSource {
    /// The page's chunk, if the page can be cut.
    Chunk,
    /// The whole file, because cutting this page has killed a worker.
    WholeFile,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WorkerAnswer {
    pub(crate) reply: WorkerReply,
    pub(crate) extras: AnswerExtras,
    /// The message's body.
    #[serde(skip)]
    pub(crate) body: Bytes,
}

impl From<WorkerReply> for WorkerAnswer {
    fn from(reply: WorkerReply) -> Self {
        (reply, Bytes::new()).into()
    }
}

impl From<(WorkerReply, Bytes)> for WorkerAnswer {
    fn from((reply, body): (WorkerReply, Bytes)) -> Self {
        Self { reply, extras: AnswerExtras::default(), body }
    }
}

/// The content of an answer. The bytes of chunks, texts, structures, pictures and web pages are the message body.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum WorkerReply {
    Opened {
        page_count: u32,
    },
    PageLabel(Option<String>),
    Info(#[serde(with = "WireInfo")] DocumentInfo),
    Outline(WireOutline),
    Geometry(WireGeometry),
    Annotations(WireAnnotations),
    AnnotationCounts(WireCounts),
    Form(WireForm),
    Attachments(WireAttachments),
    /// Whether the attachment exists. Its bytes are the message body.
    Attachment(bool),
    Chunk {
        tier: String,
        notes: Vec<String>,
        /// The fingerprint, if it was requested and could be computed.
        fingerprint: Option<[u8; 32]>,
        /// The hash of the body, which stays in the parent.
        #[serde(skip)]
        hash: SharedHash,
    },
    Fingerprint([u8; 32]),
    Text(WireText),
    /// The facts of a page's text. Text, structure and tables are the body.
    Structure(WireText),
    /// The same of a page's words. Text and words are the body.
    Words(WireText),
    /// The file with its text layer is the message body.
    TextLayer,
    /// The page's own text is what a reader sees.
    OwnText,
    /// The facts of a recognised page. Its words are so many bytes of the body, and its structure is the rest.
    Recognised {
        text: WireText,
        words_bytes: usize,
        confidences: Vec<f32>,
    },
    Picture {
        width: u32,
        height: u32,
        notes: Vec<String>,
    },
    Notes(Vec<String>),
    /// Why the models cannot be used, if they cannot.
    EngineChecked(Option<String>),
    ReadablePage {
        title: Option<String>,
        notes: Vec<String>,
    },
    /// Requests a run of the program `tesseract` on the picture in the body before the answer.
    WantsTesseract {
        width: usize,
        height: usize,
        mode: WireTesseractMode,
        language: String,
    },
    /// Requests bytes of the current document before the answer. The parent replies and keeps waiting.
    WantsBytes {
        offset: u64,
        length: u64,
    },
    /// Requests a font before the answer. The parent replies and keeps waiting.
    WantsFont(WireFontRequest),
    Failed(WireError),
    #[cfg(debug_assertions)]
    Drilled(String),
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Limits")]
struct WireLimits {
    max_file_bytes: u64,
    max_nesting: u32,
    max_object_values: u32,
    max_page_tree_depth: u32,
    max_pages: u32,
    max_reference_hops: u32,
    max_xref_sections: u32,
    max_filters: u32,
    max_stream_bytes: u64,
    max_decoded_bytes: u64,
    max_ratio: u64,
    max_page_objects: u32,
    max_page_bytes: u64,
    max_outline_items: u32,
    max_text_bytes: u64,
    max_form_depth: u32,
    max_page_cpu_ms: u64,
    max_pixels: u64,
    max_image_pixels: u64,
    max_side_pixels: u16,
    max_ocr_pages: u64,
    /// Restarted for each request, on the worker's clock.
    #[serde(skip)]
    deadline: Deadline,
    /// The worker's own.
    #[serde(skip)]
    processor_clock: ProcessorClock,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "DocumentInfo")]
struct WireInfo {
    title: Option<String>,
    author: Option<String>,
    subject: Option<String>,
    keywords: Option<String>,
    creator: Option<String>,
    producer: Option<String>,
    created: Option<String>,
    modified: Option<String>,
    pdf_version: String,
    encrypted: bool,
    signed: bool,
    tagged: bool,
    form_fields: usize,
    is_xfa: bool,
    attachments: usize,
    outline_entries: usize,
    has_page_labels: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireOutline {
    pub(crate) items: Vec<(u32, String, Option<u32>)>,
    total: usize,
    is_incomplete: bool,
}

/// [`PageGeometry`], with the bits of floating point numbers, to keep every value exact.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WireGeometry {
    width_pt: u64,
    height_pt: u64,
    rotate: u16,
    user_unit: u64,
}

impl From<Outline> for WireOutline {
    fn from(outline: Outline) -> Self {
        let item = |item: OutlineItem| (item.depth, item.title, item.page.map(|page| page.0));
        let Outline { items, total, is_incomplete } = outline;
        Self { items: items.into_iter().map(item).collect(), total, is_incomplete }
    }
}

impl From<WireOutline> for Outline {
    fn from(outline: WireOutline) -> Self {
        let item = |(depth, title, page): (_, _, Option<u32>)| OutlineItem { depth, title, page: page.map(PageIndex) };
        let WireOutline { items, total, is_incomplete } = outline;
        Self { items: items.into_iter().map(item).collect(), total, is_incomplete }
    }
}

impl From<PageGeometry> for WireGeometry {
    fn from(page: PageGeometry) -> Self {
        Self {
            width_pt: page.width_pt.to_bits(),
            height_pt: page.height_pt.to_bits(),
            rotate: page.rotate,
            user_unit: page.user_unit.to_bits(),
        }
    }
}

impl From<WireGeometry> for PageGeometry {
    fn from(page: WireGeometry) -> Self {
        Self {
            width_pt: f64::from_bits(page.width_pt),
            height_pt: f64::from_bits(page.height_pt),
            rotate: page.rotate,
            user_unit: f64::from_bits(page.user_unit),
        }
    }
}

impl WorkerReply {
    /// The reply for a chunk, and the message body.
    pub(crate) fn of_chunk(chunk: PdfChunk, fingerprint: Option<PageFingerprint>) -> (Self, Bytes) {
        let PdfChunk { bytes, tier, notes, hash } = chunk;
        (Self::Chunk { tier, notes, fingerprint: fingerprint.map(|fingerprint| fingerprint.0), hash }, bytes)
    }

    /// The reply for a page's text, and the message body.
    pub(crate) fn of_text(text: PageText) -> (Self, Bytes) {
        (Self::Text((&text).into()), text.text.into_bytes().into())
    }

    /// The reply for a page's structure, and the message body.
    pub(crate) fn of_structure(page: StructuredPage) -> io::Result<(Self, Bytes)> {
        Ok((Self::Structure((&page.text).into()), encode_page(page)?))
    }

    /// The reply for a page's words, and the message body.
    pub(crate) fn of_words(text: PageText, words: PageWords) -> io::Result<(Self, Bytes)> {
        Ok((Self::Words((&text).into()), encode_words(text.text, words)?))
    }

    /// The reply for a web page, and the message body.
    pub(crate) fn of_readable(page: ReadablePage) -> (Self, Bytes) {
        let ReadablePage { title, markdown, notes } = page;
        (Self::ReadablePage { title, notes }, markdown.into_bytes().into())
    }

    /// The reply for a picture, and the message body.
    pub(crate) fn of_picture(picture: Picture) -> (Self, Bytes) {
        let Picture { png, width, height, notes } = picture;
        (Self::Picture { width, height, notes }, png.into())
    }
}

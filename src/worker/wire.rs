//! What is asked of a worker and what it answers, as it goes over the socket.
//!
//! Parent and worker are one program, so that this needs no version; the two greet each other with the program's all
//! the same, for the program on disk may have been replaced meanwhile.

use std::io::{self, ErrorKind};

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::pages::{PageChunk, PageText, PdfAction, PdfError, Picture};
use super::painted::{OptionsOnWire, TextOnWire, WantedOnWire};
use super::sandbox::Layers;
use crate::document::{DocumentInfo, Outline, OutlineItem, PageGeometry};
use crate::hash::PageFingerprint;
use crate::html::Readable;
use crate::limits::{Deadline, Limit, LimitExceeded, Limits, StopReason};
use crate::page::PageIndex;

/// Sent by a worker when it is ready.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) version: String,
    pub(super) layers: Layers,
}

/// One question. All but `Open` are about the open document; pages are indices.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Request {
    /// Opens the attached file.
    Open {
        length: u64,
        password: Option<String>,
        #[serde(with = "LimitsOnWire")]
        limits: Limits,
        /// Time for this and each of the other questions.
        deadline_ms: u64,
    },
    /// Closes the document. Has no answer.
    Close,
    PageLabel(u32),
    Info,
    Outline(usize),
    Geometry(u32),
    Cut {
        page: u32,
        /// Whether to tell its fingerprint too.
        identify: bool,
    },
    /// First and last index of each run of pages, both included.
    Join(Vec<(u32, u32)>),
    Fingerprint(u32),
    Text {
        page: u32,
        from: TextFrom,
    },
    Picture {
        page: u32,
        options: OptionsOnWire,
    },
    Notes,
    /// Makes the attached web page readable. About no document.
    Readable(PageOfWeb),
    #[cfg(debug_assertions)]
    Drill(super::drill::Drill),
}

impl Request {
    /// The page that an answer gives, whose label belongs to it.
    pub(super) fn page(&self) -> Option<u32> {
        match self {
            Self::Cut { page, .. } | Self::Text { page, .. } | Self::Picture { page, .. } => Some(*page),
            _ => None,
        }
    }
}

/// A web page in a file, as it goes over the socket.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PageOfWeb {
    pub(super) length: u64,
    pub(super) content_type: Option<String>,
    pub(super) base: String,
}

/// Where a page's text is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum TextFrom {
    /// From the page as it is cut, where it can be.
    Chunk,
    /// From the whole file: cutting this page has killed a worker.
    WholeFile,
}

/// An answer as it goes over the socket.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) reply: Reply,
    pub(super) aside: Aside,
    /// The message's body.
    #[serde(skip)]
    pub(super) body: Bytes,
}

/// What is told with an answer, because it is nearly always asked next and each question is a round trip.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Aside {
    /// The notes on the document after this answer.
    pub(super) notes: Option<Vec<String>>,
    /// The label of the page that was asked about.
    pub(super) label: Option<(u32, Option<String>)>,
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        (reply, Bytes::new()).into()
    }
}

impl From<(Reply, Bytes)> for Answer {
    fn from((reply, body): (Reply, Bytes)) -> Self {
        Self { reply, aside: Aside::default(), body }
    }
}

/// What is answered. The bytes of chunks, texts, pictures and web pages are the message's body.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    Opened {
        page_count: u32,
    },
    PageLabel(Option<String>),
    Info(#[serde(with = "InfoOnWire")] DocumentInfo),
    Outline(OutlineOnWire),
    Geometry(GeometryOnWire),
    Chunk {
        tier: String,
        notes: Vec<String>,
        /// Where it was asked for and can be told.
        fingerprint: Option<[u8; 32]>,
    },
    Fingerprint([u8; 32]),
    Text(TextOnWire),
    Picture {
        width: u32,
        height: u32,
        notes: Vec<String>,
    },
    Notes(Vec<String>),
    Readable {
        title: Option<String>,
        notes: Vec<String>,
    },
    /// No answer yet: a font is wanted first. The parent sends it, or that there is none, and waits on.
    WantsFont(WantedOnWire),
    Failed(Failure),
    #[cfg(debug_assertions)]
    Drilled(String),
}

/// [`PdfError`] as it goes over the socket.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Failure {
    NotAPdf { beginning: String },
    Damaged { what: String, offset: Option<u64> },
    Encrypted { password_given: bool },
    Limit { which: String, limit: u64, found: u64 },
    Timeout { deadline_ms: u64 },
    Cancelled,
    Io(String),
    NotJoinable { reason: String },
    Failed { action: ActionOnWire, reason: String },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ActionOnWire {
    ReadInfo,
    ExtractPage,
    ExtractText,
    RenderPage,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "Limits")]
struct LimitsOnWire {
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
    max_page_steps: u64,
    max_pixels: u64,
    max_side_pixels: u16,
    /// Begins with each question, on the worker's own clock.
    #[serde(skip)]
    deadline: Deadline,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "DocumentInfo")]
struct InfoOnWire {
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
    attachments: usize,
    outline_entries: usize,
    has_page_labels: bool,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OutlineOnWire {
    items: Vec<(u32, String, Option<u32>)>,
    total: usize,
    is_incomplete: bool,
}

/// Lengths by their bits: the same number on both sides, whatever it is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct GeometryOnWire {
    width_pt: u64,
    height_pt: u64,
    rotate: u16,
    user_unit: u64,
}

impl From<Outline> for OutlineOnWire {
    fn from(outline: Outline) -> Self {
        let item = |item: OutlineItem| (item.depth, item.title, item.page.map(|page| page.0));
        let Outline { items, total, is_incomplete } = outline;
        Self { items: items.into_iter().map(item).collect(), total, is_incomplete }
    }
}

impl From<OutlineOnWire> for Outline {
    fn from(outline: OutlineOnWire) -> Self {
        let item = |(depth, title, page): (_, _, Option<u32>)| OutlineItem { depth, title, page: page.map(PageIndex) };
        let OutlineOnWire { items, total, is_incomplete } = outline;
        Self { items: items.into_iter().map(item).collect(), total, is_incomplete }
    }
}

impl From<PageGeometry> for GeometryOnWire {
    fn from(page: PageGeometry) -> Self {
        Self {
            width_pt: page.width_pt.to_bits(),
            height_pt: page.height_pt.to_bits(),
            rotate: page.rotate,
            user_unit: page.user_unit.to_bits(),
        }
    }
}

impl From<GeometryOnWire> for PageGeometry {
    fn from(page: GeometryOnWire) -> Self {
        Self {
            width_pt: f64::from_bits(page.width_pt),
            height_pt: f64::from_bits(page.height_pt),
            rotate: page.rotate,
            user_unit: f64::from_bits(page.user_unit),
        }
    }
}

impl From<PdfError> for Failure {
    fn from(error: PdfError) -> Self {
        match error {
            PdfError::NotAPdf { beginning } => Self::NotAPdf { beginning },
            PdfError::Damaged { what, offset } => Self::Damaged { what, offset },
            PdfError::Encrypted { password_given } => Self::Encrypted { password_given },
            PdfError::Limit(LimitExceeded { which, limit, found }) => {
                Self::Limit { which: which.name().to_owned(), limit, found }
            }
            PdfError::Stopped(StopReason::Timeout { deadline_ms }) => Self::Timeout { deadline_ms },
            PdfError::Stopped(StopReason::Cancelled) => Self::Cancelled,
            PdfError::Io(error) => Self::Io(error.to_string()),
            PdfError::NotJoinable { reason } => Self::NotJoinable { reason },
            PdfError::Failed { action, reason } => Self::Failed { action: action.into(), reason },
            // Workers have no workers.
            PdfError::Worker(error) => Self::Io(error.to_string()),
        }
    }
}

impl From<Failure> for PdfError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NotAPdf { beginning } => Self::NotAPdf { beginning },
            Failure::Damaged { what, offset } => Self::Damaged { what, offset },
            Failure::Encrypted { password_given } => Self::Encrypted { password_given },
            Failure::Limit { which, limit, found } => match Limit::named(&which) {
                Some(which) => LimitExceeded { which, limit, found }.into(),
                None => Self::Io(io::Error::new(ErrorKind::InvalidData, "the worker named an unknown limit")),
            },
            Failure::Timeout { deadline_ms } => StopReason::Timeout { deadline_ms }.into(),
            Failure::Cancelled => StopReason::Cancelled.into(),
            Failure::Io(reason) => Self::Io(io::Error::other(reason)),
            Failure::NotJoinable { reason } => Self::NotJoinable { reason },
            Failure::Failed { action, reason } => Self::Failed { action: action.into(), reason },
        }
    }
}

impl From<PdfAction> for ActionOnWire {
    fn from(action: PdfAction) -> Self {
        match action {
            PdfAction::ReadInfo => Self::ReadInfo,
            PdfAction::ExtractPage => Self::ExtractPage,
            PdfAction::ExtractText => Self::ExtractText,
            PdfAction::RenderPage => Self::RenderPage,
        }
    }
}

impl From<ActionOnWire> for PdfAction {
    fn from(action: ActionOnWire) -> Self {
        match action {
            ActionOnWire::ReadInfo => Self::ReadInfo,
            ActionOnWire::ExtractPage => Self::ExtractPage,
            ActionOnWire::ExtractText => Self::ExtractText,
            ActionOnWire::RenderPage => Self::RenderPage,
        }
    }
}

impl Reply {
    /// A chunk's facts, and its bytes for the body.
    pub(super) fn of_chunk(chunk: PageChunk, fingerprint: Option<PageFingerprint>) -> (Self, Bytes) {
        let PageChunk { bytes, tier, notes } = chunk;
        (Self::Chunk { tier, notes, fingerprint: fingerprint.map(|fingerprint| fingerprint.0) }, bytes)
    }

    /// What there is to say of a page's text, and the text for the body.
    pub(super) fn of_text(text: PageText) -> (Self, Bytes) {
        (Self::Text((&text).into()), text.text.into_bytes().into())
    }

    /// A web page's title, and its text for the body.
    pub(super) fn of_readable(page: Readable) -> (Self, Bytes) {
        let Readable { title, markdown, notes } = page;
        (Self::Readable { title, notes }, markdown.into_bytes().into())
    }

    /// A picture's facts, and its bytes for the body.
    pub(super) fn of_picture(picture: Picture) -> (Self, Bytes) {
        let Picture { png, width, height, notes } = picture;
        (Self::Picture { width, height, notes }, png.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_keeps_its_name_on_the_way_from_a_worker() {
        for &which in Limit::ALL {
            let sent = PdfError::Limit(LimitExceeded { which, limit: 1, found: 2 });
            let received = PdfError::from(Failure::from(sent));
            assert!(matches!(received, PdfError::Limit(limit) if limit.which == which), "{received:?}");
        }
    }
}

//! What a request gives back: blocks for the model, details for the program, and the mark that it was delivered.

mod output_folder;
mod request_bounds;
mod result_budget;
mod usage;
mod write_file;

use bytes::Bytes;

pub use self::output_folder::OutputBounds;
pub(super) use self::output_folder::{OutputFolder, PageFileName};
pub use self::request_bounds::{BoundExceeded, RequestBounds};
pub use self::result_budget::{ResultBudget, json_length};
pub(super) use self::usage::{document_usage, image_usage, text_usage, usage_of};
pub use self::write_file::{end_writing, write_whole};

use crate::hash::{ContentHash, PageFingerprint};
use crate::page::{PageLabel, PageNumber, PageSet};

/// One piece of an answer, in no wire format yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Plain text for the model.
    Text(String),
    /// One page as a PDF of its own.
    Document(DocumentBlock),
    /// A picture in its file format.
    Image(ImageBlock),
}

/// One page as a standalone PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentBlock {
    /// `{path} - Page {number}`.
    pub title: String,
    /// The page's number in the file it was cut from.
    pub page: PageNumber,
    /// blake3 of the source file, or of the chunk where the source was not hashed; names the block's URI.
    pub source: ContentHash,
    /// The PDF.
    pub bytes: Bytes,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageBlock {
    /// `image/png`, `image/jpeg`, `image/gif` or `image/webp`.
    pub mime_type: &'static str,
    /// The picture's file bytes, unchanged.
    pub bytes: Bytes,
}

impl Block {
    /// The text, where this is a text block.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Document(_) | Self::Image(_) => None,
        }
    }
}

/// What the program may want to know beside the blocks; the model need not see it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerDetails {
    /// The file, as it is named in the texts.
    pub file: String,
    /// What the file's bytes were found to be.
    pub mime_type: &'static str,
    /// blake3 of the file, where the request needed it.
    pub blake3: Option<ContentHash>,
    /// Pages of the document; `None` for what is not a PDF.
    pub pages: Option<u32>,
    /// Whether single pages can be cut; `None` where nothing was cut.
    pub supports_page_extraction: Option<bool>,
    /// The pages in this answer, in page order.
    pub sent: Vec<SentPage>,
    /// Pages asked for that the conversation already held.
    pub already_held: PageSet,
    /// Pages in this answer that replace an earlier version.
    pub replaced: PageSet,
    /// Pages asked for that did not fit, and so did not come.
    pub deferred: PageSet,
    /// The call that continues where this answer stopped.
    pub next: Option<NextCall>,
    /// The point before this answer, from which a fork can start; `None` without a conversation.
    pub point: Option<super::ConversationPoint>,
    /// What became of the pages of an earlier version, where the agent is told so in this answer.
    pub changes: Option<super::PageChanges>,
    /// What the pages would cost, from a summary's sample.
    pub estimates: Vec<PageEstimate>,
    /// Findings on the document, one sentence each.
    pub notes: Vec<String>,
}

/// One page of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentPage {
    /// Its number.
    pub page: PageNumber,
    /// As printed, where the document says so.
    pub label: Option<PageLabel>,
    /// `document`, `text` or `path`.
    pub form: &'static str,
    /// Bytes of the PDF, or of the text.
    pub bytes: u64,
    /// blake3 of those bytes.
    pub blake3: ContentHash,
    /// Identity of the page across rebuilds, where it was computed.
    pub fingerprint: Option<PageFingerprint>,
    /// The reader that cut the page; `None` for text.
    pub tier: Option<String>,
    /// Findings on the page.
    pub notes: Vec<String>,
}

/// What one page of a summary's sample costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageEstimate {
    /// The page looked at.
    pub page: PageNumber,
    /// Tokens of its text: characters / 4; `None` where its text could not be read.
    pub text_tokens: Option<u64>,
    /// Tokens of its picture as a model sees it; `None` where its size could not be read.
    pub image_tokens: Option<u64>,
    /// Bytes as a PDF of its own; `None` where it could not be cut.
    pub pdf_bytes: Option<u64>,
}

/// The exact call that continues an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextCall {
    /// `get_file` with these `pages`.
    Pages(PageSet),
    /// `get_file` with this `startLine`, 1-based.
    StartLine(u64),
}

/// A finished answer. It is recorded as delivered only by [`Delivery::commit`](super::Delivery::commit).
#[derive(Debug)]
pub struct Answer {
    /// What the model gets, in order.
    pub blocks: Vec<Block>,
    /// What the program gets.
    pub details: AnswerDetails,
    /// To be committed once the answer has been written to the client.
    pub delivery: super::Delivery,
}

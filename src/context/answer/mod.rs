//! The result of a request: blocks for the model, details for the program, and the delivery to commit.

mod draft;
mod output_folder;
mod request_bounds;
mod result_budget;
mod usage;
mod write_file;

use std::ops::Range;

use bytes::Bytes;

pub(super) use self::draft::AnswerDraft;
pub use self::output_folder::OutputBounds;
pub(super) use self::output_folder::{OutputFolder, PageFileName};
pub use self::request_bounds::{BoundExceeded, RequestBounds};
pub use self::result_budget::{ResultBudget, json_length};
pub(super) use self::usage::{document_usage, image_usage, text_usage, usage_of};
pub(crate) use self::write_file::is_same_file;
pub use self::write_file::{end_writing, write_whole};

use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageLabel, PageNumber, PageSet};
use pagewise_view::PageForm;

/// One block of an answer, independent of any wire format.
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
    /// The page's number in the source file.
    pub page: PageNumber,
    /// blake3 of the source file, or of the chunk if the source was not hashed. It names the block's URI.
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

/// Details for the program. The model does not need them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerDetails {
    /// The file, as the request named it.
    pub file: String,
    /// The MIME type detected from the file's bytes.
    pub mime_type: &'static str,
    /// blake3 of the file, if the request needed it.
    pub blake3: Option<ContentHash>,
    /// Page count of the document; `None` for files other than PDFs.
    pub pages: Option<u32>,
    /// Whether single pages can be cut; `None` if none was cut.
    pub supports_page_extraction: Option<bool>,
    /// The pages in this answer, in page order.
    pub sent: Vec<SentPage>,
    /// Requested pages that the conversation already held.
    pub already_held: PageSet,
    /// Sentences about those of them that the conversation holds from other files.
    pub held_elsewhere: Vec<String>,
    /// Pages in this answer that replace an earlier version.
    pub replaced: PageSet,
    /// Requested pages that did not fit.
    pub deferred: PageSet,
    /// Pages that the conversation has been given in any form, those of this answer included; `None` if unknown.
    pub read_so_far: Option<PageSet>,
    /// The call that continues where this answer stopped.
    pub next: Option<NextCall>,
    /// The point before this answer, which a fork can start from; `None` without a conversation.
    pub point: Option<super::ConversationPoint>,
    /// How the document changed, if this answer reports it.
    pub changes: Option<super::PageChanges>,
    /// The PDFs of a folder.
    pub folder: Option<super::FolderListing>,
    /// Estimated costs of the pages that a summary sampled.
    pub estimates: Vec<PageEstimate>,
    /// Notes on the document, one sentence each.
    pub notes: Vec<String>,
}

/// One page of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentPage {
    /// Its number.
    pub page: PageNumber,
    /// The printed label, if the document has one.
    pub label: Option<PageLabel>,
    /// The form in which it is given.
    pub form: PageForm,
    /// Bytes of the PDF, or of the text.
    pub bytes: u64,
    /// blake3 of those bytes.
    pub blake3: ContentHash,
    /// The page's identity across rebuilds, if it was computed.
    pub fingerprint: Option<PageFingerprint>,
    /// The reader tier that cut the page; `None` for text.
    pub tier: Option<String>,
    /// Findings on the page.
    pub notes: Vec<String>,
    /// The running heads, feet and page numbers that its Markdown is without.
    pub left_out: Vec<String>,
}

/// Estimated cost of one sampled page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageEstimate {
    /// The page looked at.
    pub page: PageNumber,
    /// Tokens of its text as it is given; `None` if its text could not be read.
    pub text_tokens: Option<u64>,
    /// Tokens of its picture as a model sees it; `None` if its size could not be read.
    pub image_tokens: Option<u64>,
    /// Tokens in the form that is chosen for it where the client leaves the choice.
    pub mixed_tokens: Option<u64>,
    /// Bytes as a one-page PDF; `None` if it could not be cut.
    pub pdf_bytes: Option<u64>,
}

/// The exact next call that continues an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextCall {
    /// `get_file` with these `pages`.
    Pages(PageSet),
    /// `get_file` with this `startLine`, 1-based, and `numLines`, if lines were counted.
    Lines {
        /// The first line.
        first: u64,
        /// How many are left.
        count: Option<u64>,
    },
}

/// A finished answer. Only [`Delivery::commit`](super::Delivery::commit) records it as delivered.
#[derive(Debug)]
pub struct FileAnswer {
    /// The blocks for the model, in order.
    pub blocks: Vec<Block>,
    /// The blocks that hold pages of a PDF.
    pub content: Range<usize>,
    /// What the program gets.
    pub details: AnswerDetails,
    /// The facts of a PDF's summary.
    pub summary: Option<Box<super::SummaryFacts>>,
    /// Commit it once the answer has been written to the client.
    pub delivery: super::Delivery,
}

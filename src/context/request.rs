//! What can be asked of the context.

use std::path::PathBuf;

use super::answer::{OutputBounds, RequestBounds};
use super::files::Requester;
use crate::limits::Cancellation;
use crate::provider::{data_bytes, strictest};
use crate::view::{ConversationId, PageForm};

/// Which part of a PDF is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RequestedPart {
    /// The summary.
    #[default]
    Summary,
    /// One page by its 0-based index; kept wide so that an absurd index is answered with the page count.
    Index(i128),
    /// A selection of 1-based numbers, `label:…` or `section:…`.
    Selection(String),
}

/// One `get_file` request.
#[derive(Debug, Clone)]
pub struct FileRequest {
    /// The file as it was named: a path or a `file://` reference.
    pub file: String,
    /// What is wanted of a PDF.
    pub part: RequestedPart,
    /// How pages are wanted.
    pub form: PageForm,
    /// Whether pages that their text tells whole come as text, and only those with figures in `form`.
    pub is_mixed: bool,
    /// Whether pages in the form [`PageForm::Image`] come with their text.
    pub with_text: bool,
    /// Said to the model before pages that come in another form than their client could use at best.
    pub form_note: Option<&'static str>,
    /// Send what the conversation already holds.
    pub force: bool,
    /// Opens an encrypted PDF.
    pub password: Option<String>,
    /// First line wanted of a text file, 1-based.
    pub start_line: Option<u64>,
    /// Lines wanted of a text file.
    pub line_count: Option<u64>,
    /// Stop before the pages cost more than this; the first page always comes.
    pub max_tokens: Option<u64>,
    /// Bytes that the whole result may have as it is serialized; no bound without.
    pub max_result_bytes: Option<u64>,
    /// Whose memory of delivered pages applies; `None` remembers nothing.
    pub conversation: Option<ConversationId>,
    /// How often the client's context was compacted, as the client counts. A larger number than any before forgets what
    /// is held; with a smaller one nothing is left out and nothing is recorded.
    pub generation: Option<u64>,
    /// Ends the work on it, wherever that is; nothing is recorded then.
    pub cancellation: Cancellation,
}

impl FileRequest {
    /// For whom it is.
    pub(super) fn asking(&self) -> Requester<'_> {
        Requester { conversation: self.conversation.as_ref(), cancellation: &self.cancellation }
    }

    /// The file as a whole: a PDF's summary, a text, a picture.
    #[must_use]
    pub fn whole(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            part: RequestedPart::Summary,
            form: PageForm::Document,
            is_mixed: false,
            with_text: false,
            form_note: None,
            force: false,
            password: None,
            start_line: None,
            line_count: None,
            max_tokens: None,
            max_result_bytes: None,
            conversation: None,
            generation: None,
            cancellation: Cancellation::new(),
        }
    }
}

/// A form's name on every door.
#[must_use]
pub fn form_name(form: PageForm) -> &'static str {
    match form {
        PageForm::Document => "document",
        PageForm::Image => "image",
        PageForm::Text => "text",
        PageForm::Path => "path",
    }
}

/// Bounds and places of an answer.
#[derive(Debug, Clone)]
pub struct AnswerSettings {
    /// Pages in one answer. 20: beyond that a model reads worse than it pays for.
    pub max_pages: usize,
    /// Bytes of one page as a PDF; larger pages come as text. 20 MiB: base64 and the rest of a request stay
    /// under the 32 MB that providers accept.
    pub max_block_bytes: u64,
    /// Bytes of all pages of one answer as PDF. 20 MiB, for the same reason.
    pub max_answer_bytes: u64,
    /// Characters of text in one answer. 40,000.
    pub max_text_characters: usize,
    /// Bytes of a text file. 64 MiB: it is read and decoded whole.
    pub max_text_file_bytes: u64,
    /// Characters of one line of a text file. 2,000: longer lines are no prose, and are abridged in the middle. No setting.
    pub max_line_characters: usize,
    /// Bytes of a picture. 10 MiB.
    pub max_image_bytes: u64,
    /// Bytes of a drawn page as PNG. 3.75 MB: in base64 the 5 MB that providers take of one picture.
    pub max_picture_bytes: u64,
    /// Entries of the outline in a summary. 50: the tool `pdf_outline` gives the whole. No setting.
    pub max_outline_items: usize,
    /// Bytes of one whole result over MCP as it is serialized. 30 MB: an answer with `max_answer_bytes` of pages in
    /// base64 and `max_text_characters` of text stays below it, and it below the 32 MB that providers take in a request.
    pub max_result_bytes: u64,
    /// What one conversation may be sent before it has forgotten: all of it is in each request to a provider.
    pub request_bounds: RequestBounds,
    /// How long conversations are remembered.
    pub retention: Retention,
    /// Where pages in the form [`PageForm::Path`], and drawn pages, are written.
    pub output_directory: PathBuf,
    /// How much of what is written there stays.
    pub output_bounds: OutputBounds,
}

/// How long conversations are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Days after which a conversation that was not used is dropped. 90.
    pub max_unused_days: u32,
    /// Holdings of all conversations; beyond it the least recently used are dropped. 1,000,000, at some 200 bytes each.
    pub max_holdings: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { max_unused_days: 90, max_holdings: 1_000_000 }
    }
}

impl Default for AnswerSettings {
    fn default() -> Self {
        Self {
            max_pages: 20,
            max_block_bytes: 20 << 20,
            max_answer_bytes: 20 << 20,
            max_text_characters: 40_000,
            max_text_file_bytes: 64 << 20,
            max_line_characters: 2_000,
            max_image_bytes: 10 << 20,
            max_picture_bytes: data_bytes(strictest(|row| row.max_picture_bytes)),
            max_outline_items: 50,
            max_result_bytes: 30_000_000,
            request_bounds: RequestBounds::default(),
            retention: Retention::default(),
            output_directory: PathBuf::from("."),
            output_bounds: OutputBounds::default(),
        }
    }
}

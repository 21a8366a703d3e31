//! Requests to the context, and its settings.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::answer::{NextCall, OutputBounds, RequestBounds};
use super::files::Requester;
use super::phrases::next_call;
use crate::worker::OcrMode;
use pagewise_base::limits::Cancellation;
use pagewise_base::provider::{data_bytes, strictest};
use pagewise_view::{ConversationId, PageForm, Principal};

/// The requested part of a PDF.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RequestedPart {
    #[default]
    Summary,
    /// One page by its 0-based index. Wide, so that any number can be answered with the page count.
    Index(i128),
    /// A selection of 1-based numbers, `label:…` or `section:…`.
    Selection(String),
}

/// One `get_file` request.
#[derive(Debug, Clone)]
pub struct FileRequest {
    /// The file: a path, a URL, or a `file://` reference.
    pub file: String,
    /// The requested part of a PDF.
    pub part: RequestedPart,
    /// How pages are wanted.
    pub form: PageForm,
    /// Whether the request names this form. Otherwise it is that of the client, and a file that has none comes as text.
    pub is_form_named: bool,
    /// Whether pages whose text says everything come as text, and only pages with figures come in `form`.
    pub is_mixed: bool,
    /// Whether pages in the form [`PageForm::Image`] come with their text.
    pub with_text: bool,
    /// Whether to send what the conversation already holds.
    pub force: bool,
    /// Opens an encrypted PDF.
    pub password: Option<String>,
    /// First requested line of a text file, 1-based.
    pub start_line: Option<u64>,
    /// Number of requested lines of a text file.
    pub line_count: Option<u64>,
    /// Stop before the pages cost more tokens than this. The first page always comes.
    pub max_tokens: Option<u64>,
    /// Maximum bytes of the serialized result; unbounded if `None`.
    pub max_result_bytes: Option<u64>,
    /// The conversation whose memory applies; `None` remembers nothing.
    pub conversation: Option<ConversationId>,
    /// Who asks over HTTP.
    pub principal: Option<Principal>,
    /// The name of the client, for people who look at the conversation.
    pub client: Option<String>,
    /// How often the client's context was compacted, as the client counts. A larger number than before forgets
    /// everything held; with a smaller one nothing is left out or recorded.
    pub generation: Option<u64>,
    /// The arguments of the call, which its answer repeats to name the next one.
    pub arguments: Map<String, Value>,
    /// Cancels the work. Nothing is recorded then.
    pub cancellation: Cancellation,
}

impl FileRequest {
    /// For whom it is.
    pub(super) fn requester(&self) -> Requester<'_> {
        Requester {
            conversation: self.conversation.as_ref(),
            principal: self.principal,
            cancellation: &self.cancellation,
        }
    }

    /// The call that goes on with `next`, in the same form and conversation.
    pub(super) fn next_call(&self, next: &NextCall) -> String {
        let changed = match next {
            NextCall::Pages(pages) => [("pages", pages.to_string().into()), ("pdfPage", Value::Null)],
            NextCall::Lines { first, count } => [("startLine", (*first).into()), ("numLines", (*count).into())],
        };
        next_call("get_file", &self.arguments, &changed)
    }

    /// Pages that are asked for as text are recognised where they have none. Pictures show their text themselves.
    #[must_use]
    pub(super) fn ocr_mode(&self) -> OcrMode {
        if self.form.is_text() && self.part != RequestedPart::Summary { OcrMode::Auto } else { OcrMode::Never }
    }

    /// A request for the file as a whole: a PDF's summary, a text, or an image.
    #[must_use]
    pub fn whole(file: &str) -> Self {
        Self {
            file: file.to_owned(),
            part: RequestedPart::Summary,
            form: PageForm::Document,
            is_form_named: false,
            is_mixed: false,
            with_text: false,
            force: false,
            password: None,
            start_line: None,
            line_count: None,
            max_tokens: None,
            max_result_bytes: None,
            conversation: None,
            principal: None,
            client: None,
            generation: None,
            arguments: Map::from_iter([("filePath".to_owned(), file.into())]),
            cancellation: Cancellation::new(),
        }
    }
}

/// The name of a form in arguments and answers.
#[must_use]
pub fn form_name(form: PageForm) -> &'static str {
    match form {
        PageForm::Document => "document",
        PageForm::Image => "image",
        PageForm::Text => "text",
        PageForm::Path => "path",
        PageForm::Markdown => "markdown",
        PageForm::Layout => "layout",
    }
}

/// Settings of an answer.
#[derive(Debug, Clone)]
pub struct AnswerSettings {
    /// Pages in one answer. 20: models read longer answers less well than they cost.
    pub max_pages: usize,
    /// Bytes of one page as a PDF; larger pages come as text. 20 MiB: as base64, a request stays under the 32 MB that
    /// providers accept.
    pub max_block_bytes: u64,
    /// Bytes of all pages of one answer as PDF. 20 MiB, for the same reason.
    pub max_answer_bytes: u64,
    /// Characters of text in one answer. 40,000.
    pub max_text_characters: usize,
    /// Bytes of a text file. 64 MiB: it is read and decoded whole.
    pub max_text_file_bytes: u64,
    /// Characters of one line of a text file. 2,000: longer lines are no prose, and are abridged in the middle. No setting.
    pub max_line_characters: usize,
    /// Bytes of an image. 10 MiB.
    pub max_image_bytes: u64,
    /// Bytes of a rendered page as PNG. 3.75 MB: as base64, the 5 MB that providers accept for one picture.
    pub max_picture_bytes: u64,
    /// Entries of the outline in a summary. 50: the tool `pdf_outline` gives the whole. No setting.
    pub max_outline_items: usize,
    /// Bytes of one serialized result over MCP. 30 MB: leaves room for `max_answer_bytes` of base64 and
    /// `max_text_characters` of text, below the 32 MB that providers accept in a request.
    pub max_result_bytes: u64,
    /// How much one conversation may be sent before it must forget, because every request to a provider contains all of
    /// it.
    pub request_bounds: RequestBounds,
    /// How long conversations are remembered.
    pub retention: Retention,
    /// The folder for pages in the form [`PageForm::Path`] and for rendered pages.
    pub output_directory: PathBuf,
    /// How much is kept in that folder.
    pub output_bounds: OutputBounds,
    /// The folder for the texts of ranked searches; `None` keeps them in memory until the process ends.
    pub index_folder: Option<PathBuf>,
    /// Bytes of these texts. 1 GiB: about a million pages.
    pub max_index_bytes: u64,
    /// Bytes of text of one document there. 64 MiB: about 40,000 pages.
    pub max_indexed_text_bytes: u64,
}

/// How long conversations are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Days before an unused conversation is dropped. 90.
    pub max_unused_days: u32,
    /// Holdings over all conversations. Beyond it the least recently used conversations of whoever holds most are forgotten.
    /// 1,000,000, at some 200 bytes each.
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
            index_folder: None,
            max_index_bytes: 1 << 30,
            max_indexed_text_bytes: 64 << 20,
        }
    }
}

//! Arguments of the PDF tools.

use serde_json::{Map, Value, json};

use super::outline::ShownOutline;
use crate::context::{ContextConfig, ContextManager, OpenPdf, SelectedPages, select_from};
use crate::tool::arguments::{ArgumentReader, invalid_value, whole_number};
use crate::tool::caller::Caller;
use crate::tool::error::ToolError;
use crate::worker::OcrMode;
use pagewise_base::page::PageSet;
use pagewise_library::DateRange;
use pagewise_render::{Dpi, Region};

/// Characters in one answer by default.
pub const DEFAULT_MAX_CHARS: u64 = 50_000;

/// The arguments of `pdf_info`, shared by the other PDF tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentArguments {
    /// `path`.
    pub path: String,
    /// `password`.
    pub password: Option<String>,
    /// `conversation`: the owner, if the path is a `responseId`.
    pub conversation: Option<String>,
}

impl DocumentArguments {
    /// The names of them.
    const NAMES: [&'static str; 3] = ["path", "password", "conversation"];

    /// Reads the arguments of a call of `tool`.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(tool: &'static str, arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool, arguments };
        fields.reject_unknown(&Self::NAMES)?;
        Self::of(&fields)
    }

    fn of(fields: &ArgumentReader<'_>) -> Result<Self, ToolError> {
        Ok(Self {
            path: fields.required_string("path")?,
            password: fields.password()?,
            conversation: fields.conversation()?,
        })
    }

    /// Opens the document for `caller`.
    ///
    /// # Errors
    /// `validation_error` for an invalid conversation, `content_not_found` for another's `responseId`, and the errors
    /// of the file and the reader.
    pub fn open(&self, context: &ContextManager, caller: &Caller) -> Result<OpenPdf, ToolError> {
        let conversation = caller.conversation(self.conversation.as_deref())?;
        let requester = caller.requester(conversation.as_ref());
        Ok(context.open_pdf_for(&self.path, self.password.as_deref(), requester)?)
    }

    /// Opens the document alone: no store, no content hash.
    ///
    /// # Errors
    /// As [`DocumentArguments::open`].
    pub fn open_alone(&self, surroundings: &ContextConfig) -> Result<OpenPdf, ToolError> {
        let caller = Caller::direct();
        let conversation = caller.conversation(self.conversation.as_deref())?;
        let requester = caller.requester(conversation.as_ref());
        Ok(surroundings.open_pdf(&self.path, self.password.as_deref(), requester)?)
    }
}

/// The pages of `selection`, or all pages.
pub(super) fn selected_pages(pdf: &OpenPdf, selection: Option<&str>) -> Result<SelectedPages, ToolError> {
    match selection {
        Some(selection) => Ok(select_from(selection, &*pdf.document)?),
        None => Ok(SelectedPages { pages: PageSet::all(pdf.document.page_count()), note: None }),
    }
}

/// Rejects names that are neither in [`DocumentArguments`] nor in `own`.
fn reject_unknown(fields: &ArgumentReader<'_>, own: &[&str]) -> Result<(), ToolError> {
    fields.reject_unknown(&[&DocumentArguments::NAMES[..], own].concat())
}

/// Entries of an outline in one answer by default.
const DEFAULT_MAX_ITEMS: u64 = 200;

/// Checked arguments of `pdf_outline`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineArguments {
    /// `path`, `password`, `conversation`.
    pub document: DocumentArguments,
    /// `depth` and `max_items`.
    pub shown: ShownOutline,
}

impl OutlineArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "pdf_outline", arguments };
        reject_unknown(&fields, &["depth", "max_items"])?;
        Ok(Self {
            document: DocumentArguments::of(&fields)?,
            shown: ShownOutline {
                levels: fields.positive("depth")?.unwrap_or(u64::MAX),
                max_items: fields.positive("max_items")?.unwrap_or(DEFAULT_MAX_ITEMS),
            },
        })
    }
}

/// Checked arguments of a search for tables, which is no tool of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TablesArguments {
    /// `path`, `password`, `conversation`.
    pub document: DocumentArguments,
    /// `pages`.
    pub pages: Option<String>,
}

impl TablesArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "tables", arguments };
        reject_unknown(&fields, &["pages"])?;
        Ok(Self { document: DocumentArguments::of(&fields)?, pages: fields.selection()? })
    }
}

/// Checked arguments of `pdf_extract_text`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextArguments {
    /// `path`, `password`, `conversation`.
    pub document: DocumentArguments,
    /// `pages`.
    pub pages: Option<String>,
    /// `max_chars`.
    pub max_chars: u64,
    /// `format`.
    pub format: TextFormat,
    /// `hidden`: whether hidden text follows the text of each page.
    pub with_hidden: bool,
    /// `ocr`: which pages are recognised.
    pub ocr: OcrMode,
    /// Whether the answer lists the words of each page in their boxes; only for the command line.
    pub with_boxes: bool,
    /// Whether a command asks, which recognises as long as it takes.
    pub is_command: bool,
}

/// How the text of a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextFormat {
    /// Lines in reading order.
    #[default]
    Text,
    /// Columns kept by spaces, as in print.
    Layout,
    /// Headings, lists, tables and paragraphs.
    Markdown,
}

impl TextFormat {
    /// Every format.
    const ALL: [Self; 3] = [Self::Text, Self::Layout, Self::Markdown];

    /// The argument's value.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Layout => "layout",
            Self::Markdown => "markdown",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == text)
    }
}

impl TextArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "pdf_extract_text", arguments };
        reject_unknown(&fields, &["pages", "max_chars", "format", "hidden", "ocr"])?;
        Ok(Self {
            document: DocumentArguments::of(&fields)?,
            pages: fields.selection()?,
            max_chars: fields.positive("max_chars")?.unwrap_or(DEFAULT_MAX_CHARS),
            format: text_format(&fields)?,
            with_hidden: fields.boolean("hidden")?,
            ocr: ocr_mode(&fields)?,
            with_boxes: false,
            is_command: false,
        })
    }
}

/// Which pages are recognised: those without text of their own, if a call does not say.
fn ocr_mode(fields: &ArgumentReader<'_>) -> Result<OcrMode, ToolError> {
    match fields.string("ocr")?.as_deref() {
        None | Some("auto") => Ok(OcrMode::Auto),
        Some("always") => Ok(OcrMode::Always),
        Some("never") => Ok(OcrMode::Never),
        Some(_) => Err(invalid_value("ocr", "one of auto, always, never")),
    }
}

fn text_format(fields: &ArgumentReader<'_>) -> Result<TextFormat, ToolError> {
    let Some(name) = fields.string("format")? else { return Ok(TextFormat::default()) };
    TextFormat::parse(&name).ok_or_else(|| invalid_value("format", "one of text, layout, markdown"))
}

/// Checked arguments of `pdf_render_page`.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderArguments {
    /// `path`, `password`, `conversation`.
    pub document: DocumentArguments,
    /// `page`, a selection; `None` for all pages, which only a command may ask for.
    pub page: Option<String>,
    /// `contact_sheet`.
    pub contact_sheet: bool,
    /// `dpi`, clamped.
    pub dpi: Dpi,
    /// `region`.
    pub region: Option<Region>,
    /// `highlight`.
    pub highlight: Option<Highlight>,
}

/// What is painted over in yellow.
#[derive(Debug, Clone, PartialEq)]
pub enum Highlight {
    /// Every place where this text is.
    Text(String),
    /// A box in points from the top left of the page as displayed: left, top, right, bottom.
    Box([f32; 4]),
}

impl RenderArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "pdf_render_page", arguments };
        reject_unknown(&fields, &["page", "dpi", "region", "contact_sheet", "highlight"])?;
        let document = DocumentArguments::of(&fields)?;
        Ok(Self {
            document,
            page: fields.pages("page")?,
            contact_sheet: fields.boolean("contact_sheet")?,
            dpi: dpi(&fields)?,
            region: fields.value("region").map(region).transpose()?,
            highlight: fields.value("highlight").map(highlight).transpose()?,
        })
    }
}

fn dpi(fields: &ArgumentReader<'_>) -> Result<Dpi, ToolError> {
    let Some(value) = fields.value("dpi") else { return Ok(Dpi::default()) };
    let number =
        whole_number(value).ok_or_else(|| invalid_value("dpi", "a whole number; it is clamped to 72 to 300"))?;
    Ok(Dpi::clamped(u64::try_from(number.max(0)).unwrap_or(u64::MAX)))
}

/// A list of four numbers, or the same as text from a command line.
fn region(value: &Value) -> Result<Region, ToolError> {
    let expected =
        || invalid_value("region", "four shares of the page from 0 to 1: left, top, right, bottom, as [0, 0, 1, 0.5]");
    match numbers_of(value).as_deref() {
        Some([left, top, right, bottom]) => Region::new(*left, *top, *right, *bottom).ok_or_else(expected),
        _ => Err(expected()),
    }
}

/// Numbers in a list, or the same as text.
fn numbers_of(value: &Value) -> Option<Vec<f64>> {
    match value {
        Value::Array(items) => items.iter().map(Value::as_f64).collect(),
        Value::String(text) => text.split(',').map(|part| part.trim().parse().ok()).collect(),
        _ => None,
    }
}

/// A text, or a box as four numbers.
#[allow(clippy::cast_possible_truncation, reason = "a box beyond the page is cut")]
fn highlight(value: &Value) -> Result<Highlight, ToolError> {
    match (numbers_of(value).as_deref(), value) {
        (Some([left, top, right, bottom]), _) => {
            Ok(Highlight::Box([*left, *top, *right, *bottom].map(|edge| edge as f32)))
        }
        (_, Value::String(text)) => Ok(Highlight::Text(text.clone())),
        _ => Err(invalid_value("highlight", "a text, or a box in points: left, top, right, bottom")),
    }
}

/// Matches in one answer by default.
const DEFAULT_MAX_RESULTS: u64 = 50;

/// Checked arguments of `pdf_search`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchArguments {
    /// `path`, `password`, `conversation`. Of several paths, the first.
    pub document: DocumentArguments,
    /// `path` and `paths`: one or several, each a PDF, a folder or a pattern.
    pub paths: Vec<String>,
    /// `start_document`.
    pub start_document: Option<u64>,
    /// `query`; empty if a quote is looked for.
    pub query: String,
    /// `quote`.
    pub quote: Option<String>,
    /// `regex`.
    pub is_regex: bool,
    /// `case_sensitive`.
    pub is_case_sensitive: bool,
    /// `ocr`: which pages are recognised.
    pub ocr: OcrMode,
    /// `pages`.
    pub pages: Option<String>,
    /// `max_results`.
    pub max_results: u64,
    /// `ranked`.
    pub is_ranked: bool,
    /// `language`, for a ranked search.
    pub language: Option<String>,
    /// `dates`, for a ranked search.
    pub dates: Option<DateRange>,
    /// `boxes`, for a ranked search: whether its answer as data has the boxes of passages.
    pub has_boxes: bool,
}

/// Hits of a ranked search by default.
const DEFAULT_RANKED_RESULTS: u64 = 10;

/// Parameters of a ranked search alone, and the one that asks for it.
const RANKED: [&str; 4] = ["ranked", "language", "dates", "boxes"];

/// Parameters that a ranked search does not have.
const UNRANKED: [&str; 4] = ["quote", "regex", "case_sensitive", "start_document"];

impl SearchArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "pdf_search", arguments };
        let own =
            ["query", "quote", "regex", "case_sensitive", "ocr", "pages", "max_results", "paths", "start_document"];
        reject_unknown(&fields, &[own.as_slice(), &RANKED].concat())?;
        let is_ranked = fields.boolean("ranked")?;
        if let Some(other) =
            RANKED.into_iter().find(|name| !is_ranked && fields.value(name).is_some_and(|it| it != &json!(false)))
        {
            return Err(ToolError::parameter(other, "needs ranked: true"));
        }
        if let Some(other) = UNRANKED.into_iter().find(|name| is_ranked && fields.value(name).is_some()) {
            return Err(ToolError::one_of("ranked", other));
        }
        let quote = fields.string("quote")?;
        let others = ["query", "regex", "case_sensitive", "max_results"];
        if let Some(other) = others.into_iter().find(|name| quote.is_some() && fields.value(name).is_some()) {
            return Err(ToolError::one_of("quote", other));
        }
        let mut paths = fields.strings("path", "a path or a list of paths")?.unwrap_or_default();
        paths.extend(fields.strings("paths", "a list of paths")?.unwrap_or_default());
        let path = paths.first().cloned().ok_or_else(|| ToolError::required("path"))?;
        Ok(Self {
            document: DocumentArguments { path, password: fields.password()?, conversation: fields.conversation()? },
            paths,
            start_document: fields.positive("start_document")?,
            query: if quote.is_some() { String::new() } else { fields.required_string("query")? },
            quote,
            is_regex: fields.boolean("regex")?,
            is_case_sensitive: fields.boolean("case_sensitive")?,
            ocr: ocr_mode(&fields)?,
            pages: fields.selection()?,
            max_results: fields.positive("max_results")?.unwrap_or(default_results(is_ranked)),
            is_ranked,
            language: fields.string("language")?,
            dates: fields.string("dates")?.map(|dates| date_range(&dates)).transpose()?,
            has_boxes: fields.boolean("boxes")?,
        })
    }
}

fn date_range(dates: &str) -> Result<DateRange, ToolError> {
    let expected = "must be a year, a month, a day or a range of them: 2023, 2023-05, 2023-05-17..2024, ..2024";
    DateRange::parse(dates).ok_or_else(|| ToolError::parameter("dates", expected))
}

fn default_results(is_ranked: bool) -> u64 {
    if is_ranked { DEFAULT_RANKED_RESULTS } else { DEFAULT_MAX_RESULTS }
}

//! Arguments of the PDF tools.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::{ContextConfig, ContextManager, OpenPdf, SelectedPages, select_from};
use crate::tool::arguments::{
    ConversationParameter, PagesParameter, PasswordParameter, ToolArguments as _, arguments_of,
};
use crate::tool::caller::Caller;
use crate::tool::error::ToolError;
use crate::worker::OcrMode;
use pagewise_base::page::PageSet;
use pagewise_library::{DateRange, is_language};
use pagewise_render::{Dpi, Region};
use pagewise_text::Case;

/// A document, and how it is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[cfg_attr(feature = "program", command(mut_arg("conversation", |argument| argument.help("For a responseId, the conversation that fetched it"))))]
pub struct DocumentArguments {
    /// Path, URL or responseId.
    #[cfg_attr(feature = "program", arg(value_name = "PATH", index = 1, help = crate::tool::PATH_HELP))]
    pub path: String,
    /// Its password.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub password: PasswordParameter,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub conversation: ConversationParameter,
}

arguments_of!("document", DocumentArguments);

impl DocumentArguments {
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
///
/// # Errors
/// `invalid_page` and `invalid_page_range`.
pub fn selected_pages(pdf: &OpenPdf, selection: Option<&str>) -> Result<SelectedPages, ToolError> {
    match selection {
        Some(selection) => Ok(select_from(selection, &*pdf.document)?),
        None => Ok(SelectedPages { pages: PageSet::all(pdf.document.page_count()), note: None }),
    }
}

/// Show a document's metadata, form values and attachments; with pages, the size, content and token cost of each. To read, or for
/// an overview: get_file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct InfoArguments {
    /// The pages of the map; none without.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub pages: PagesParameter,
    /// The document.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub document: DocumentArguments,
}

arguments_of!("pdf_info", InfoArguments);

/// List the whole outline (bookmarks) with page numbers; get_file's summary may cut it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct OutlineArguments {
    /// Levels to show. Default: all.
    #[cfg_attr(feature = "program", arg(long, value_name = "N"))]
    pub depth: Option<NonZeroU64>,
    /// Maximum entries. Default: 200.
    #[cfg_attr(feature = "program", arg(long, value_name = "N", help = "At most this many entries (default: all)"))]
    pub max_items: Option<NonZeroU64>,
    /// The document.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub document: DocumentArguments,
}

arguments_of!("pdf_outline", OutlineArguments);

impl OutlineArguments {
    const DEFAULT_MAX_ITEMS: u64 = 200;

    pub(super) fn max_items(&self) -> usize {
        let max = self.max_items.map_or(Self::DEFAULT_MAX_ITEMS, NonZeroU64::get);
        usize::try_from(max).unwrap_or(usize::MAX)
    }
}

/// The tables of pages, which is no tool of the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct TablesArguments {
    /// The pages.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub pages: PagesParameter,
    /// The document.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub document: DocumentArguments,
}

arguments_of!("tables", TablesArguments);

/// Extract a document's text, scans by OCR. Resends pages you already have: to read, use get_file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct TextArguments {
    /// The pages.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub pages: PagesParameter,
    /// Character limit. Default: 50000.
    #[cfg_attr(
        feature = "program",
        arg(long, value_name = "N", help = "Stop after this many characters (default: never)")
    )]
    pub max_chars: Option<NonZeroU64>,
    /// text (default), layout (columns), markdown.
    #[serde(default)]
    #[cfg_attr(
        feature = "program",
        arg(long, value_enum, value_name = "FORMAT", default_value_t, help = "How the text is written")
    )]
    pub format: TextFormat,
    /// Append hidden text, except in layers that are off.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(long, help = HIDDEN_HELP))]
    pub hidden: bool,
    /// Pages to OCR. Default (auto): those without text.
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_enum,
            value_name = "WHEN",
            default_value = "never",
            help = "Pages to read by OCR, which takes seconds a page"
        )
    )]
    pub ocr: Option<OcrArgument>,
    /// Write all (ignores max_chars) to a file; returns its path.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(skip))]
    pub save: bool,
    /// Whether the answer lists the words of each page in their boxes; only for the command line.
    #[serde(skip)]
    #[cfg_attr(feature = "program", arg(long, help = "With --json: also the words of each page, with their boxes"))]
    pub boxes: bool,
    /// Whether a command asks, which recognises as long as it takes.
    #[serde(skip)]
    #[cfg_attr(feature = "program", arg(skip))]
    pub is_command: bool,
    /// The document.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub document: DocumentArguments,
}

arguments_of!("pdf_extract_text", TextArguments);

#[cfg(feature = "program")]
const HIDDEN_HELP: &str = "Also print text that is hidden on the page, such as hidden text of Word. Invisible text of scans is \
                           always printed; text of layers that are off never is";

impl TextArguments {
    const DEFAULT_MAX_CHARS: u64 = 50_000;

    pub(super) fn max_chars(&self) -> u64 {
        self.max_chars.map_or(Self::DEFAULT_MAX_CHARS, NonZeroU64::get)
    }
}

/// Which pages are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum OcrArgument {
    /// Those without usable text, such as scans
    Auto,
    /// All
    Always,
    /// None
    Never,
}

impl OcrArgument {
    pub(super) fn mode(argument: Option<Self>) -> OcrMode {
        match argument {
            None | Some(Self::Auto) => OcrMode::Auto,
            Some(Self::Always) => OcrMode::Always,
            Some(Self::Never) => OcrMode::Never,
        }
    }
}

/// How the text of a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum TextFormat {
    /// Lines in reading order
    #[default]
    Text,
    /// Columns kept by spaces, as in print
    Layout,
    /// Headings, lists, tables and whole paragraphs, without running heads
    Markdown,
}

/// Draw a page as a PNG, returned and saved: for layout, figures, handwriting. Text costs less: get_file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
pub struct RenderArguments {
    /// The document.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub document: DocumentArguments,
    /// 1-based: "3". Several ("1-3,7") are only saved. Not needed with quote.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(skip))]
    pub page: String,
    /// Passage to find; draws only its lines, marked.
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "TEXT",
            allow_hyphen_values = true,
            help = "Find a passage, and draw only its place (lines, table rows or figure), marked in yellow"
        )
    )]
    pub quote: Option<String>,
    /// Draw several pages in one picture.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(long, conflicts_with_all = ["dpi", "region", "highlight", "quote"]))]
    pub contact_sheet: bool,
    /// Pixels per inch, 72 to 300. Default: 150.
    #[schemars(extend("x-expected" = "a whole number, 72 to 300"))]
    #[cfg_attr(feature = "program", arg(long, value_name = "N", help = "Pixels per inch, 72 to 300 (default: 150)"))]
    pub dpi: Option<NonZeroU64>,
    /// Left, top, right, bottom, 0 to 1: [0, 0, 1, 0.5] draws the upper half.
    #[schemars(length(min = 4, max = 4), extend("x-expected" = REGION))]
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "L,T,R,B",
            value_delimiter = ',',
            allow_negative_numbers = true,
            help = "Draw only a part: its left, top, right and bottom edge, as fractions of the page from 0 to 1"
        )
    )]
    pub region: Option<Vec<f64>>,
    /// Mark in yellow: a text, or a box "left,top,right,bottom" in points.
    #[schemars(extend("x-expected" = HIGHLIGHT))]
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "TEXT|BOX",
            allow_hyphen_values = true,
            help = "Mark in yellow a text, or a box: left,top,right,bottom in points from the top left of the page"
        )
    )]
    pub highlight: Option<String>,
}

const REGION: &str = "four fractions of the page, 0 to 1: left, top, right, bottom, such as 0,0,1,0.5";

const HIGHLIGHT: &str = "a text, or a box in points: left, top, right, bottom";

arguments_of!("pdf_render_page", RenderArguments, RenderArguments::within_the_page);

/// What is painted over in yellow.
#[derive(Debug, Clone, PartialEq)]
pub enum Highlight {
    /// Every place where this text is.
    Text(String),
    /// A box in points from the top left of the page as displayed: left, top, right, bottom.
    Box([f32; 4]),
}

impl RenderArguments {
    fn within_the_page(self) -> Result<Self, ToolError> {
        if self.page.is_empty() && self.quote.is_none() {
            let error = ToolError::required("page").hint("Give page or quote.");
            return Err(error.command_hint("Give a page, or a passage with --quote."));
        }
        let of_one_page = [
            ("quote", self.quote.is_some()),
            ("dpi", self.dpi.is_some()),
            ("region", self.region.is_some()),
            ("highlight", self.highlight.is_some()),
        ];
        if let Some((other, _)) = of_one_page.iter().find(|(_, is_given)| *is_given && self.contact_sheet) {
            return Err(ToolError::one_of("contact_sheet", other));
        }
        self.region()?;
        if let Some(Highlight::Box([left, top, right, bottom])) = self.highlight()
            && !(left < right && top < bottom)
        {
            return Err(ToolError::parameter(
                "highlight",
                "must have its left before its right, and its top above its bottom",
            ));
        }
        Ok(self)
    }

    pub(super) fn dpi(&self) -> Dpi {
        self.dpi.map_or_else(Dpi::default, |dpi| Dpi::clamped(dpi.get()))
    }

    /// A note if the resolution is another than was asked for.
    pub(super) fn dpi_note(&self) -> Option<String> {
        let (asked, drawn) = (self.dpi?.get(), self.dpi().get());
        let (min, max) = (Dpi::MIN, Dpi::MAX);
        (asked != u64::from(drawn))
            .then(|| format!("dpi can be {min} to {max}, and {asked} was given: drawn at {drawn}"))
    }

    pub(super) fn region(&self) -> Result<Option<Region>, ToolError> {
        let region = match self.region.as_deref() {
            None => return Ok(None),
            Some([left, top, right, bottom]) => Region::new(*left, *top, *right, *bottom),
            Some(_) => None,
        };
        region.map(Some).ok_or_else(|| ToolError::parameter("region", &format!("must be {REGION}")))
    }

    /// A text, or a box as four numbers.
    #[allow(clippy::cast_possible_truncation, reason = "a box beyond the page is cut")]
    pub(super) fn highlight(&self) -> Option<Highlight> {
        let text = self.highlight.as_ref()?;
        let edges = text.trim_matches(['[', ']']).split(',').map(|part| part.trim().parse().ok());
        Some(match edges.collect::<Option<Vec<f64>>>().as_deref() {
            Some([left, top, right, bottom]) => Highlight::Box([*left, *top, *right, *bottom].map(|edge| edge as f32)),
            _ => Highlight::Text(text.clone()),
        })
    }
}

/// Search documents for a phrase or regex (query), or check a quote; returns pages and excerpts, and names pages without text. For
/// a question, set ranked. To read hits: get_file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[cfg_attr(feature = "program", command(mut_arg("conversation", |argument| argument.help("Mark pages that were sent in this conversation; for a responseId, the one that fetched it"))))]
pub struct SearchArguments {
    /// Document, folder or pattern (**/*.pdf); no text file.
    #[cfg_attr(
        feature = "program",
        arg(
            value_name = "PATH",
            index = 1,
            required = true,
            help = "A document (path, URL or responseId), a folder, or a pattern such as 'reports/**/*.pdf'; several are allowed"
        )
    )]
    pub path: Option<String>,
    /// Further paths.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(index = 3, hide = true))]
    pub paths: Vec<String>,
    /// Of several, the first to search, 1-based.
    #[cfg_attr(feature = "program", arg(skip))]
    pub start_document: Option<NonZeroU64>,
    /// Exact phrase; with ranked, a question or words.
    #[cfg_attr(
        feature = "program",
        arg(
            value_name = "QUERY",
            index = 2,
            allow_hyphen_values = true,
            help = "An exact phrase; with --ranked, a question or words"
        )
    )]
    pub query: Option<String>,
    /// Instead of query: a passage to check.
    #[cfg_attr(
        feature = "program",
        arg(long, value_name = "TEXT", allow_hyphen_values = true, help = "Instead of a query: a passage to check")
    )]
    pub quote: Option<String>,
    /// Read query as a regex (no look-around).
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(long))]
    pub regex: bool,
    /// Match case.
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(long))]
    pub case_sensitive: bool,
    /// Pages to OCR. Default (auto): those without text.
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_enum,
            value_name = "WHEN",
            default_value = "auto",
            help = "Pages to read by OCR, within the time of the setting ocr_search_ms"
        )
    )]
    pub ocr: Option<OcrArgument>,
    /// The pages.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub pages: PagesParameter,
    /// Maximum matches. Default: 50, ranked 10; of several files 5 each.
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "N",
            help = format!(
                "Show at most this many matches (default: {}, or {} with --ranked); of several documents, at most {} of each",
                Self::DEFAULT_MAX_RESULTS,
                Self::DEFAULT_RANKED_RESULTS,
                crate::tool::MAX_EXCERPTS
            )
        )
    )]
    pub max_results: Option<NonZeroU64>,
    /// Best pages first; allows two more parameters: language ("eng") and dates ("2023..2024-06").
    #[serde(default)]
    #[cfg_attr(feature = "program", arg(long, help = "Show the pages that answer the query best, the best first"))]
    pub ranked: bool,
    /// With ranked: only documents in this language, by its code in ISO 639-3: eng, deu, fra.
    #[schemars(extend("x-driver" = true))]
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "CODE",
            requires = "ranked",
            help = "With --ranked: only documents in this language, by its code in ISO 639-3: eng, deu, fra"
        )
    )]
    pub language: Option<String>,
    /// With ranked: only documents of these dates: 2023, 2023-05.., 2022..2023-06. One that gives no date has that of its file's
    /// last change.
    #[schemars(extend("x-driver" = true))]
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            value_name = "RANGE",
            requires = "ranked",
            allow_hyphen_values = true,
            help = "With --ranked: only documents of these dates (2023, 2023-05.., 2022..2023-06): the date that a document gives for its last change, or else for its creation, or else that of its file"
        )
    )]
    pub dates: Option<String>,
    /// With ranked: structured results also have the boxes of the passages on their pages.
    #[serde(default)]
    #[schemars(extend("x-driver" = true))]
    #[cfg_attr(
        feature = "program",
        arg(
            long,
            requires = "ranked",
            help = "With --ranked and --json: also the boxes of the passages on their pages"
        )
    )]
    pub boxes: bool,
    /// Its password.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub password: PasswordParameter,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub conversation: ConversationParameter,
}

arguments_of!("pdf_search", SearchArguments, SearchArguments::with_all_paths);

impl SearchArguments {
    /// Hits of a ranked search by default.
    const DEFAULT_RANKED_RESULTS: u64 = 10;

    /// Matches in one answer by default.
    const DEFAULT_MAX_RESULTS: u64 = 50;

    /// Checks which parameters exclude each other, and puts `path` first among `paths`.
    fn with_all_paths(mut self) -> Result<Self, ToolError> {
        let ranked = [("language", self.language.is_some()), ("dates", self.dates.is_some()), ("boxes", self.boxes)];
        let unranked = [
            ("quote", self.quote.is_some()),
            ("regex", self.regex),
            ("case_sensitive", self.case_sensitive),
            ("start_document", self.start_document.is_some()),
        ];
        let unquoted = [
            ("query", self.query.is_some()),
            ("regex", self.regex),
            ("case_sensitive", self.case_sensitive),
            ("max_results", self.max_results.is_some()),
        ];
        let first =
            |given: &[(&'static str, bool)]| given.iter().find(|(_, is_given)| *is_given).map(|(name, _)| *name);
        match (first(&ranked), first(&unranked), first(&unquoted)) {
            (Some(other), _, _) if !self.ranked => return Err(ToolError::parameter(other, "needs ranked: true")),
            (_, Some(other), _) if self.ranked => return Err(ToolError::one_of("ranked", other)),
            (_, _, Some(other)) if self.quote.is_some() => return Err(ToolError::one_of("quote", other)),
            _ => {}
        }
        self.paths.splice(..0, self.path.take());
        if self.paths.is_empty() {
            return Err(ToolError::required("path")
                .hint("Give path or paths.")
                .command_hint("Give one path or several."));
        }
        if self.quote.is_none() && self.query.is_none() {
            let error = ToolError::required("query").hint("Give query or quote.");
            return Err(error.command_hint("Give a query, or a passage with --quote."));
        }
        let is_known = self.language.as_deref().is_none_or(is_language);
        if !is_known {
            return Err(ToolError::parameter("language", "must be a code of ISO 639-3, such as eng, deu or fra"));
        }
        self.dates()?;
        Ok(self)
    }

    pub(super) fn dates(&self) -> Result<Option<DateRange>, ToolError> {
        let expected = "must be a year, a month, a day or a range of them: 2023, 2023-05, 2023-05-17..2024, ..2024";
        let read = |dates: &String| DateRange::parse(dates).ok_or_else(|| ToolError::parameter("dates", expected));
        self.dates.as_ref().map(read).transpose()
    }

    /// What limits a ranked search beside its paths, to follow a noun.
    pub(crate) fn filters(&self) -> String {
        let language = self.language.as_ref().map(|code| format!(" in {code}"));
        let dates = self.dates.as_ref().map(|dates| format!(" of {dates}"));
        language.into_iter().chain(dates).collect()
    }

    pub(super) fn case(&self) -> Case {
        if self.case_sensitive { Case::Sensitive } else { Case::Insensitive }
    }

    /// The words to find; none for a quote.
    #[must_use]
    pub fn query(&self) -> &str {
        self.query.as_deref().unwrap_or_default()
    }

    pub(super) fn max_results(&self) -> u64 {
        let default = if self.ranked { Self::DEFAULT_RANKED_RESULTS } else { Self::DEFAULT_MAX_RESULTS };
        self.max_results.map_or(default, NonZeroU64::get)
    }

    /// The call that goes on with the document of a number.
    pub(super) fn next_document(&self, number: usize) -> String {
        let only = self.paths.first().filter(|_| self.paths.len() == 1);
        let (path, paths) = (json!(only), json!(only.is_none().then_some(&self.paths)));
        self.next_call(&[("path", path), ("paths", paths), ("start_document", number.into())])
    }

    /// The call that searches `pages` of the document at `path`.
    pub(super) fn next_pages(&self, path: &str, pages: &PageSet) -> String {
        self.next_call(&[("path", path.into()), ("paths", Value::Null), ("pages", pages.to_string().into())])
    }

    /// One of the documents, by its path.
    pub(super) fn document(&self, path: &str) -> DocumentArguments {
        let (password, conversation) = (self.password.clone(), self.conversation.clone());
        DocumentArguments { path: path.to_owned(), password, conversation }
    }
}

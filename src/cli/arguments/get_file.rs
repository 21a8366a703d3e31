//! The arguments of `pagewise get-file`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::flags::pages;
use super::flags::{Json, Password};

/// Read a file as an agent does: a PDF's summary or pages, text by lines, an image
///
/// Without --pdf-page and --pages, prints the summary of a PDF. With --conversation, pages that the conversation already
/// holds are named instead of sent again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise get-file report.pdf
  pagewise get-file report.pdf --pages 1-3,7 --json
  pagewise get-file report.pdf --pdf-page 0 --emit openai
  pagewise get-file report.pdf --pages \"section:Results\" --as text
  pagewise get-file 'report.pdf#attachment=data.xls' --emit raw > data.xls
  pagewise get-file report.pdf --pages 2 --conversation review   (a second time: already provided)")]
pub(crate) struct GetFile {
    /// The file: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// One page of a PDF by its 0-based index
    #[arg(long, value_name = "I", allow_hyphen_values = true, conflicts_with = "pages")]
    pub(crate) pdf_page: Option<String>,
    /// Pages of a PDF by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(long, value_name = "SPEC", value_parser = pages, allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Form of the pages (default: the setting form)
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(crate) form: Option<Form>,
    /// Send it even if the conversation already holds it
    #[arg(long)]
    pub(crate) force: bool,
    /// First line of a text file, from 1
    #[arg(long, value_name = "N")]
    pub(crate) start_line: Option<String>,
    /// Number of lines of a text file
    #[arg(long, value_name = "N")]
    pub(crate) num_lines: Option<String>,
    /// Stop before the pages cost more than this many tokens (estimated)
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<String>,
    /// The conversation whose memory applies; its first use creates it
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    /// How often its context was compacted; a larger number than before forgets what it holds
    #[arg(long, value_name = "N")]
    pub(crate) generation: Option<String>,
    /// Write pages into this folder as one-page PDFs and name them
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// Print content blocks in a provider's shape, as a JSON array; raw prints the bytes of a page, image or attachment
    #[arg(long, value_enum, value_name = "SHAPE")]
    pub(crate) emit: Option<EmitShape>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// PDFs; for serve, the form that the client can show its model
    Auto,
    /// A one-page PDF
    Document,
    /// A picture of the page
    Image,
    /// The page's text
    Text,
    /// Headings, lists and tables as Markdown
    Markdown,
    /// The path of a one-page PDF
    Path,
    /// Text for pages of text alone, Markdown for certain tables, a PDF or a picture for pages with figures
    Mixed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EmitShape {
    /// Messages API: document blocks
    Anthropic,
    /// Responses API: input_file
    #[value(name = "openai")]
    OpenAi,
    /// inlineData parts
    Gemini,
    /// Model Context Protocol: embedded resources
    Mcp,
    /// The bytes of a single page, image or attachment
    Raw,
}

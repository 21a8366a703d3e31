//! The arguments of the commands.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::context_arguments::Context;
use super::fetch_arguments::{Content, Fetch};
use super::flags::{Sandbox, SettingsFlags};
use super::page_arguments::{Page, Split};

/// PDFs for coding agents: a summary first, then single pages, each sent once.
#[derive(Debug, Parser)]
#[command(
    name = "pagewise",
    bin_name = "pagewise",
    version,
    about,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  pagewise get-file report.pdf                    what is in it, and what its pages cost
  pagewise get-file report.pdf --pages 2-4        those pages, for a model
  pagewise page report.pdf 3 --out page3.pdf      page 3 as a PDF of its own
  pagewise serve                                  the same for an MCP client, over stdin and stdout

Exit status: 0 done, 1 refused (bad argument, bad file), 2 failed.

Settings: --set NAME=VALUE, else the variable PAGEWISE_NAME, else config.toml.
  pagewise settings                               all of them, with their defaults"
)]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) sandbox: Sandbox,
    #[command(flatten)]
    pub(crate) settings: SettingsFlags,
    #[command(flatten)]
    pub(crate) json: Json,
}

// Deferred: only the arguments of the typed command are built, since a short command spends most of its time here.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    GetFile(GetFile),
    Page(Page),
    Split(Split),
    Info(Info),
    Text(Text),
    Render(Render),
    Search(Search),
    Outline(Outline),
    Ask(super::ask::Ask),
    Fetch(Fetch),
    Content(Content),
    Context(Context),
    Doctor(Doctor),
    Settings(Settings),
    Serve(Serve),
    Completions(Completions),
    Man(Man),
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise completions bash > ~/.local/share/bash-completion/completions/pagewise")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Print a page of the manual
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise man get-file | man -l -")]
pub(crate) struct Man {
    /// The command (default: the program)
    pub(crate) command: Option<String>,
}

/// Check this system: layers of the sandbox, folders, memory of conversations
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also read from the memory of conversations and write to it, and show how long that takes
    #[arg(long)]
    pub(crate) store: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Show the settings: defaults, units, meanings, and what was set
///
/// A value that is not the default is shown with its origin; --json shows every value. A flag wins over an environment
/// variable, that over the file, that over the default.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise settings
  pagewise settings sandbox
  pagewise settings max_pages --json")]
pub(crate) struct Settings {
    /// Only settings with this word in their name, group or meaning
    #[arg(value_name = "WORD")]
    pub(crate) word: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

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
  pagewise get-file report.pdf --pages 2 --conversation review   (a second time: already provided)")]
pub(crate) struct GetFile {
    /// The file: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// One page of a PDF by its 0-based index
    #[arg(long, value_name = "I", allow_hyphen_values = true, conflicts_with = "pages")]
    pub(crate) pdf_page: Option<String>,
    /// Pages of a PDF by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
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
    /// Print content blocks in a provider's shape, as a JSON array; raw prints a single page's bytes
    #[arg(long, value_enum, value_name = "SHAPE")]
    pub(crate) emit: Option<EmitShape>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Show a PDF's title, dates, sizes and other facts
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise info report.pdf --json")]
pub(crate) struct Info {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Print the text of a PDF's pages
///
/// In reading order, a form feed between pages. What is said of the text, such as which pages have none, goes to standard
/// error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise text report.pdf 2-4
  pagewise text report.pdf --max-chars 200000 --json")]
pub(crate) struct Text {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(value_name = "PAGES", allow_hyphen_values = true, conflicts_with = "pages")]
    pub(crate) selection: Option<String>,
    /// The same as PAGES
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Stop after this many characters (default: never)
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Draw pages of a PDF as PNGs
///
/// On a white background, with annotations and form fields. Several pages go into a folder, a file each, or side by side
/// on one contact sheet of at most 30 pages.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise render report.pdf 3 --out page3.png
  pagewise render report.pdf 3-20 --out pictures
  pagewise render report.pdf --contact-sheet
  pagewise render report.pdf 3 --out top.png --dpi 200 --region 0,0,1,0.5")]
pub(crate) struct Render {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// The pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE (default: all)
    #[arg(value_name = "PAGES", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// The file to write, or the folder for several (default: named after the PDF, in the working directory)
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the pages side by side on one picture
    #[arg(long)]
    pub(crate) contact_sheet: bool,
    /// Pixels per inch, from 72 to 300 (default: 150)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) dpi: Option<String>,
    /// Only a part: left, top, right and bottom edge, as fractions of the page from 0 to 1
    #[arg(long, value_name = "L,T,R,B")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Find words in the text of a PDF, or of all PDFs in a folder
///
/// Pages without usable text are named, since a word on them cannot be found.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise search report.pdf \"net income\"
  pagewise search ~/papers \"net income\"
  pagewise search report.pdf --quote \"net income rose by 12 %\"
  pagewise search report.pdf '\\b20[0-9]{2}\\b' --regex --pages 1-20 --json")]
pub(crate) struct Search {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched; or a folder
    pub(crate) path: String,
    /// What to look for
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: Option<String>,
    /// Instead of a query: is this passage there, word for word?
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) quote: Option<String>,
    /// Read the query as a regular expression
    #[arg(long)]
    pub(crate) regex: bool,
    /// Distinguish upper and lower case
    #[arg(long)]
    pub(crate) case_sensitive: bool,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Show at most this many matches (default: 50)
    #[arg(long, value_name = "N")]
    pub(crate) max_results: Option<String>,
    /// The conversation whose held pages are marked; for a responseId, the one that fetched it
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Show the outline of a PDF, with page numbers
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise outline report.pdf")]
pub(crate) struct Outline {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// Only this many levels
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) depth: Option<String>,
    /// At most this many entries (default: all)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) max_items: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Serve the tools to MCP clients, over standard input and output or over HTTP
///
/// Files in the working directory and in each --root can be read. Logs go to standard error.
///
/// Over HTTP, an address other than loopback needs bearer tokens (setting http_tokens). Host is always checked, Origin if
/// it is sent. /healthz and /readyz are for supervisors, /metrics for Prometheus; while the memory of conversations cannot
/// be read, /readyz answers 503 and calls are answered without memory. On SIGTERM, open answers are finished first.
///
/// A client may declare what it can show its model as capabilities.extensions["io.github.pagewise/content"], with MIME
/// types in accept and the largest size of a result in maxResultBytes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise serve
  pagewise serve --root ~/papers --as document
  pagewise serve --http 127.0.0.1:8700     at http://127.0.0.1:8700/mcp
  claude mcp add pagewise -- pagewise serve
  codex mcp add pagewise -- pagewise serve")]
#[allow(dead_code, reason = "settings are read by the ids of their flags")]
pub(crate) struct Serve {
    /// Serve HTTP at this address, such as 127.0.0.1:8700
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// Another folder whose files may be read; repeatable
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// Form of pages for calls that name none
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(crate) form: Option<Form>,
    /// Tools that clients see: core, all, or names with commas between them
    #[arg(long, value_name = "SET")]
    pub(crate) tools: Option<String>,
    /// Folder for pages that are given as a path
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
}

/// How a document is opened, and how the result is printed.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// For a responseId, the conversation that fetched it
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
#[allow(dead_code, reason = "settings are read by the ids of their flags")]
pub(crate) struct Password {
    /// Password of an encrypted PDF; the variable PAGEWISE_PASSWORD hides it from other users
    #[arg(long, value_name = "PASSWORD")]
    password: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Json {
    /// Print one JSON object, errors too
    #[arg(long)]
    pub(crate) json: bool,
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
    /// The path of a one-page PDF
    Path,
    /// Text for pages of text alone, a PDF or a picture for pages with figures
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
    /// The bytes of a single page or image
    Raw,
}

//! The command line as it is typed.

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

// What is not typed is not made: the arguments of all commands were a tenth of the instructions of a short one.
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
    #[command(hide = true)]
    Worker(Worker),
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
    /// The command it is about; the program, where none is named
    pub(crate) command: Option<String>,
}

/// Show what works here: the sandbox's layers, folders, the memory of conversations
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Read from the memory of conversations and record in it, and show what it is and how long that takes
    #[arg(long)]
    pub(crate) store: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Show the settings: defaults, units, meanings, and what was set
///
/// A value that is not the default is shown with where it came from. --json shows every value in force.
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

/// Read PDFs for the process that started this one
#[derive(Debug, Args)]
pub(crate) struct Worker {
    /// Address space in bytes
    pub(crate) memory_bytes: u64,
}

/// Read a file as an agent does: a PDF's summary or pages, a text by lines, an image
///
/// Without --pdf-page and --pages a PDF is answered with its summary. With --conversation, what that conversation
/// already holds is named instead of given again.
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
    /// How pages come; the setting form where it is left out
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(crate) form: Option<Form>,
    /// Give it even if the conversation already holds it
    #[arg(long)]
    pub(crate) force: bool,
    /// First line of a text file, 1-based
    #[arg(long, value_name = "N")]
    pub(crate) start_line: Option<String>,
    /// Lines of a text file
    #[arg(long, value_name = "N")]
    pub(crate) num_lines: Option<String>,
    /// Stop before the pages cost more than this many tokens (estimated)
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<String>,
    /// The conversation whose memory applies; created at its first use
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    /// How often its context was compacted: a larger number than before forgets what it holds
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

/// Show what a PDF says of itself
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
/// Words, lines and columns come in reading order. What is cut off or cannot be read is named.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise text report.pdf --pages 2-4
  pagewise text report.pdf --max-chars 200000 --json")]
pub(crate) struct Text {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Stop after this many characters; 50000 where it is not said
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Draw a page of a PDF as a PNG
///
/// On white ground, with annotations and form fields.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise render report.pdf 3 --out page3.png
  pagewise render report.pdf 3 --out top.png --dpi 200 --region 0,0,1,0.5")]
pub(crate) struct Render {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// The page's 1-based number
    #[arg(allow_hyphen_values = true)]
    pub(crate) number: String,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Pixels per inch, from 72 to 300; 150 where it is not said
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) dpi: Option<String>,
    /// Only a part: left, top, right and bottom as shares of the page from 0 to 1
    #[arg(long, value_name = "L,T,R,B")]
    pub(crate) region: Option<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Find words in the text of a PDF
///
/// Pages without usable text are named, so that no match is never mistaken for absence.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise search report.pdf \"net income\"
  pagewise search report.pdf '\\b20[0-9]{2}\\b' --regex --pages 1-20 --json")]
pub(crate) struct Search {
    /// The PDF: a path, ~, file://, http(s):// or the responseId of something fetched
    pub(crate) path: String,
    /// What to look for
    #[arg(allow_hyphen_values = true)]
    pub(crate) query: String,
    /// Take the query as a regular expression
    #[arg(long)]
    pub(crate) regex: bool,
    /// Tell capitals from small letters
    #[arg(long)]
    pub(crate) case_sensitive: bool,
    /// Only these pages, by 1-based number: 3, 1-5, 1,3,5-7, 4-, -3, label:iv, section:TITLE
    #[arg(long, value_name = "SPEC", allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Show at most this many matches; 50 where it is not said
    #[arg(long, value_name = "N")]
    pub(crate) max_results: Option<String>,
    /// The conversation whose pages are marked as held; the one that fetched it, where it is named by its responseId
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
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Serve the tools to MCP clients, over standard input and output or over HTTP
///
/// Files beneath the working directory can be read, and beneath each --root. Logs go to standard error.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise serve
  pagewise serve --root ~/papers --as document
  pagewise serve --http 127.0.0.1:8700     at http://127.0.0.1:8700/mcp
  claude mcp add pagewise -- pagewise serve
  codex mcp add pagewise -- pagewise serve")]
#[allow(dead_code, reason = "settings are read by the ids of their flags")]
pub(crate) struct Serve {
    /// Listen for HTTP at this address instead, such as 127.0.0.1:8700
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// A further folder whose files can be read; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    /// How pages come where a call does not say
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(crate) form: Option<Form>,
    /// Where pages are written that are given as a path
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
}

/// Whose document is read, how it is opened, and how the answer is printed.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The conversation that fetched it, where it is named by its responseId
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
    /// Password of an encrypted PDF; better in the variable PAGEWISE_PASSWORD, which other users cannot list
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
    /// A PDF block; for serve, what the client can show its model
    Auto,
    /// A one-page PDF
    Document,
    /// A picture of the page
    Image,
    /// The page's text
    Text,
    /// A one-page PDF in a file, named
    Path,
    /// Text where that tells the whole page, a PDF block or a picture where there are figures
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

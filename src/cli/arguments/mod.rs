//! The command line: its commands, their arguments and flags.

pub(crate) mod context;
pub(crate) mod documents;
pub(crate) mod flags;
pub(crate) mod get_file;
pub(crate) mod index;
pub(crate) mod pages;
pub(crate) mod parameters;
pub(crate) mod program;
pub(crate) mod push;

use std::path::Path;

use clap::{Args, Parser, Subcommand};

use self::context::Context;
use self::documents::{Attachments, Diff, Images, Info, Tables, Text};
use self::flags::{Color, Json, Sandbox, SettingsFlags};
use self::get_file::GetFile;
use self::index::Index;
use self::pages::{OcrLayer, Page, Render, Split};
use self::program::{Completions, Doctor, Inspect, Man, Serve, Settings};
use self::push::Push;
use crate::tool::{
    AskArguments, DocumentArguments, FetchArguments, OutlineArguments, SearchArguments, SearchContentArguments,
};

/// PDFs for coding agents: a summary first, then single pages, each sent once.
#[derive(Debug, Parser)]
#[command(
    name = "pagewise",
    bin_name = "pagewise",
    version,
    about,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    override_usage = "pagewise [OPTIONS] <COMMAND>\n       pagewise [OPTIONS] <PATH>",
    after_help = "Examples:
  pagewise report.pdf                               what is in it, and its cost (get-file)
  pagewise get-file report.pdf --pages 2-4 --json   those pages, for a model
  pagewise page report.pdf 3 --out page3.pdf        page 3 as a PDF of its own
  pagewise serve                                    the same for MCP clients, by stdin and stdout

Documents: PDF, Word, PowerPoint, Excel, OpenDocument, RTF, EPUB and notebook files. PDFs only:
page, split, tables, ocr, render.

Exit status: 0 done, 1 refused (bad argument, bad file), 2 failed (a file that cannot be written, a server that refuses).

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
    color: Color,
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
    Tables(Tables),
    Images(Images),
    Attachments(Attachments),
    Diff(Diff),
    Ocr(OcrLayer),
    Render(Render),
    Search(Search),
    Outline(Outline),
    Ask(Ask),
    Fetch(Fetch),
    Content(Content),
    Push(Push),
    Context(Context),
    Index(Index),
    Inspect(Inspect),
    Doctor(Doctor),
    Settings(Settings),
    Serve(Serve),
    Completions(Completions),
    Man(Man),
}

impl Command {
    /// The document that is read without a record of it, and the file that is written in its name.
    pub(crate) fn document(&self) -> Option<(&DocumentArguments, Option<&Path>)> {
        let (document, out) = match self {
            Self::Page(Page { arguments, out, .. })
            | Self::Ocr(OcrLayer { arguments, out, .. })
            | Self::Split(Split { arguments, out, .. })
            | Self::Tables(Tables { arguments, out, .. }) => (&arguments.document, out.as_deref()),
            Self::Text(Text { arguments, out, .. }) => (&arguments.document, out.as_deref()),
            Self::Render(Render { arguments, out, .. }) => (&arguments.document, out.as_deref()),
            Self::Images(Images { arguments, .. }) => (&arguments.document, None),
            Self::Info(Info { arguments, .. }) => (&arguments.document, None),
            Self::Outline(Outline { arguments }) => (&arguments.document, None),
            Self::Attachments(Attachments { document, .. }) => (document, None),
            _ => return None,
        };
        Some((document, out))
    }

    /// Whether it has no result that could be JSON: it runs a server, or its output is for a shell or `man`.
    pub(crate) fn has_no_json(&self) -> bool {
        matches!(self, Self::Serve(_) | Self::Inspect(_) | Self::Completions(_) | Self::Man(_))
    }
}

/// A command whose arguments are those of a tool, with a text for people.
macro_rules! command_of {
    ($(#[$text:meta])* $name:ident, $arguments:ty) => {
        #[derive(Debug, Args)]
        $(#[$text])*
        pub(crate) struct $name {
            #[command(flatten)]
            pub(crate) arguments: $arguments,
        }
    };
}

command_of! {
    /// Find words in the text of a document, or of many
    ///
    /// Pages without usable text are read by OCR within the time of ocr_search_ms, and those left over are named. With
    /// --ranked, the pages that answer the query best come first, whichever document they are in. With the setting
    /// index=disk, each text is read only once. The exit status is 0 even if nothing matches.
    #[command(
        override_usage = "pagewise search [OPTIONS] <PATH>... <QUERY>\n       pagewise search [OPTIONS] <PATH>... --quote <TEXT>"
    )]
    #[command(after_help = "Examples:
  pagewise search report.pdf \"net income\"
  pagewise search ~/papers \"net income\"
  pagewise search 'reports/**/2023-*.pdf' \"net income\"
  pagewise search ~/papers \"how income is taxed\" --ranked --set index=disk
  pagewise search report.pdf --quote \"net income rose by 12 %\"
  pagewise search report.pdf '\\b20[0-9]{2}\\b' --regex --pages 1-20 --json")]
    Search, SearchArguments
}

command_of! {
    /// Show the outline of a document, with page numbers
    #[command(after_help = "Example:
  pagewise outline report.pdf")]
    Outline, OutlineArguments
}

command_of! {
    /// Ask a model about PDFs
    ///
    /// The answer is printed as it arrives. Models and their keys come from the settings: PAGEWISE_PDF_MODEL_PRIMARY
    /// (provider/model), ANTHROPIC_API_KEY, GEMINI_API_KEY, OPENAI_API_KEY.
    #[command(after_help = "Examples:
  pagewise ask report.pdf --prompt \"What was the net income?\"
  pagewise ask a.pdf b.pdf --prompt \"What changed?\" --model openai/gpt-5-mini --json
  pagewise ask scan.pdf --pages 1-3 --model compatible/qwen3-vl   (a server of your own: PAGEWISE_COMPATIBLE_BASE_URL)")]
    Ask, AskArguments
}

command_of! {
    /// Fetch URLs as text: PDFs page by page, web pages as Markdown
    ///
    /// Only from addresses of the public internet. The whole text is kept under the responseId (fetch_…) at the end of
    /// the answer: pagewise content prints more of it, and other commands take it in place of a path.
    ///
    /// At most 5 redirects are followed, none from https to http. Proxy variables are ignored, and URLs with a password are
    /// refused. A kept response is used again as long as its server allows, then revalidated.
    #[command(after_help = "Examples:
  pagewise fetch https://example.com/report.pdf
  pagewise fetch https://example.com/ https://example.org/ --json")]
    Fetch, FetchArguments
}

command_of! {
    /// Print more of what was fetched
    #[command(after_help = "Example:
  pagewise content fetch_0123456789abcdef0123456789abcdef --offset 30000")]
    Content, SearchContentArguments
}

//! The command line: its commands, their arguments and flags.

pub(crate) mod ask;
pub(crate) mod context;
pub(crate) mod documents;
pub(crate) mod fetch;
pub(crate) mod flags;
pub(crate) mod get_file;
pub(crate) mod index;
pub(crate) mod pages;
pub(crate) mod parameters;
pub(crate) mod program;
pub(crate) mod push;

use clap::{Parser, Subcommand};

use self::ask::Ask;
use self::context::Context;
use self::documents::{Info, Outline, Search, Tables, Text};
use self::fetch::{Content, Fetch};
use self::flags::{Color, Json, Sandbox, SettingsFlags};
use self::get_file::GetFile;
use self::index::Index;
use self::pages::{OcrLayer, Page, Render, Split};
use self::program::{Completions, Doctor, Inspect, Man, Serve, Settings};
use self::push::Push;

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

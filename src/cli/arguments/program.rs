//! The arguments of the commands about the program itself: `serve`, `doctor`, `settings`, `completions`, `man`.

use std::path::PathBuf;

use clap::Args;

use crate::tool::FormArgument;

/// Serve the tools to MCP clients, over standard input and output or over HTTP
///
/// Files in the working directory and in each --root can be read. Logs go to standard error.
///
/// Over HTTP, an address other than loopback needs bearer tokens (setting http_tokens). The header Host is always checked,
/// and Origin if it is sent. /healthz and /readyz are for supervisors, /metrics for Prometheus, and /inspect shows people
/// what was sent in each conversation. While the store of conversations cannot be read, /readyz answers 503, and calls are
/// answered as if nothing had been sent. On SIGTERM the server finishes open requests, then exits.
///
/// A client may declare what it can show its model as capabilities.extensions["io.github.pagewise/content"], with MIME
/// types in accept and the largest size of a result in maxResultBytes. Image files and drawn pages are sent as images all
/// the same.
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
    pub(crate) form: Option<FormArgument>,
    /// Tools to list: core, all, or names with commas between them
    #[arg(long, value_name = "SET")]
    pub(crate) tools: Option<String>,
    /// Folder for pages that are saved as files
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
}

/// Show in the browser what was sent in each conversation: which pages of which files, when, and at what cost
///
/// Pages are drawn when they are looked at, and no copy of a file is kept. The address can be opened once, in one browser of
/// this machine. Ctrl-C stops the program.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise inspect
  pagewise inspect --no-open     prints the address")]
pub(crate) struct Inspect {
    /// Print the address, and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

/// Check this system: the sandbox, the data folder, the store of conversations, OCR of scans
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also read and write the store of conversations, and show how long that takes
    #[arg(long)]
    pub(crate) store: bool,
}

/// Show the settings: defaults, units, meanings, and what was set
///
/// Each line shows the default; a value that differs follows in brackets, with its origin. --json shows every value. A flag
/// wins over an environment variable, a variable over the file, and the file over the default.
///
/// On a flag or in a variable, commas separate the items of a list; a colon (on Windows a semicolon) separates folders.
/// client_forms is then a list of NAME=FORM; in the file it is a table.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise settings
  pagewise settings sandbox
  pagewise settings max_pages --json
  pagewise serve --set roots=/srv/reports:/srv/papers
  pagewise serve --set client_forms=claude-code=document,codex=text")]
pub(crate) struct Settings {
    /// Only settings with this word in their name, group or meaning
    #[arg(value_name = "WORD")]
    pub(crate) word: Option<String>,
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
    /// The command, such as get-file or context watch (default: the program)
    pub(crate) command: Vec<String>,
}

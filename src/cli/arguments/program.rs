//! The arguments of the commands about the program itself: `serve`, `doctor`, `settings`, `completions`, `man`.

use std::path::PathBuf;

use clap::Args;

use crate::tool::FormArgument;

/// Serve the tools to MCP clients, over standard input and output or over HTTP
///
/// Files in the working directory and in each --root can be read. Logs go to standard error.
///
/// Over HTTP, an address other than loopback needs bearer tokens (setting http_tokens). Host is always checked, Origin if
/// it is sent. /healthz and /readyz are for supervisors, /metrics for Prometheus, /inspect for people who look at what
/// conversations hold. While the memory of conversations cannot be read, /readyz answers 503 and calls are answered without
/// memory. On SIGTERM, open answers are finished first.
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
    pub(crate) form: Option<FormArgument>,
    /// Tools that clients see: core, all, or names with commas between them
    #[arg(long, value_name = "SET")]
    pub(crate) tools: Option<String>,
    /// Folder for pages that are given as a path
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
}

/// Show in the browser what each conversation holds: which pages of which files, when, and at what cost
///
/// Pages are drawn when they are looked at, and nothing of the files is kept. The address opens once, in one browser of
/// this machine. Runs until it is interrupted.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise inspect
  pagewise inspect --no-open     prints the address")]
pub(crate) struct Inspect {
    /// Print the address, and open no browser
    #[arg(long)]
    pub(crate) no_open: bool,
}

/// Check this system: layers of the sandbox, folders, memory of conversations
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also read from the memory of conversations and write to it, and show how long that takes
    #[arg(long)]
    pub(crate) store: bool,
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

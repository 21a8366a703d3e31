//! The arguments of `pagewise context`.

use clap::{Args, Subcommand};

use super::flags::Json;
use super::flags::pages;

/// Show, follow, forget or fork what a conversation holds
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Context {
    #[command(subcommand)]
    pub(crate) command: ContextCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Show files and pages that a conversation holds, and how much more fits
    Status(Status),
    /// Show what changed in the files that a conversation holds, each change once
    Updates(Status),
    /// Forget what a conversation holds, so that it is sent again
    Forget(Forget),
    /// Start a new conversation that holds what another holds
    Fork(Fork),
    /// Follow the files that a conversation holds, and print each change as it happens
    Watch(Watch),
}

impl ContextCommand {
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Status(arguments) | Self::Updates(arguments) => arguments.json.json,
            Self::Forget(arguments) => arguments.json.json,
            Self::Fork(arguments) => arguments.json.json,
            Self::Watch(arguments) => arguments.json.json,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Status {
    /// The conversation
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    /// How often its context was compacted; a larger number than before forgets what it holds
    #[arg(long, value_name = "N")]
    pub(crate) generation: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Forget {
    /// Only this file
    pub(crate) path: Option<String>,
    /// Only these pages of it, by 1-based number
    #[arg(long, value_name = "SPEC", value_parser = pages, allow_hyphen_values = true)]
    pub(crate) pages: Option<String>,
    /// Forget all pages, but keep following the files
    #[arg(long)]
    pub(crate) keep_files: bool,
    /// The conversation
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    /// How often its context was compacted; a larger number than before forgets what it holds
    #[arg(long, value_name = "N")]
    pub(crate) generation: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct Fork {
    /// The conversation to start from
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    /// The point to fork at, as context status names it (default: now)
    #[arg(long, value_name = "POINT")]
    pub(crate) as_of: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Reads a file again only if its size or times changed. Runs until it is interrupted.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise context watch --conversation review --json   (one JSON object a line)")]
pub(crate) struct Watch {
    /// The conversation
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    /// Milliseconds between two checks (default: 500)
    #[arg(long, value_name = "N")]
    pub(crate) interval_ms: Option<String>,
    /// Record each change as reported to the agent; for programs that pass all of them on
    #[arg(long)]
    pub(crate) record: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

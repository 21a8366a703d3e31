//! The arguments of `pagewise context`.

use std::num::NonZeroU64;

use clap::{Args, Subcommand};

use crate::tool::{ForgetArguments, ForkArguments, StatusArguments, UpdatesArguments};

/// Show, follow, clear or copy the record of what was sent in a conversation
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Context {
    #[command(subcommand)]
    pub(crate) command: ContextCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Show the files and pages sent in a conversation, and how much more fits
    #[command(mut_arg("conversation", |name| name.required(true)))]
    Status(StatusArguments),
    /// Show what changed in files since they were sent in a conversation, each change once
    #[command(mut_arg("conversation", |name| name.required(true)))]
    Updates(UpdatesArguments),
    /// Clear the record of what was sent in a conversation, so that it is sent again
    #[command(mut_arg("conversation", |name| name.required(true)))]
    Forget(ForgetArguments),
    /// Copy the record of a conversation to a new conversation, and print the name of the copy
    #[command(mut_arg("conversation", |name| name.required(true)))]
    Fork(ForkArguments),
    /// Follow the files sent in a conversation, and print each change as it happens
    Watch(Watch),
}

/// Reads a file again only if its size or times changed. Runs until it is interrupted.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise context watch --conversation review --json   (one JSON object a line)")]
pub(crate) struct Watch {
    /// The conversation
    #[arg(long, value_name = "NAME")]
    pub(crate) conversation: String,
    /// Milliseconds between two checks
    // Short enough that a change is reported before a user switches windows.
    #[arg(long, value_name = "N", default_value = "500", value_parser = milliseconds)]
    pub(crate) interval_ms: NonZeroU64,
    /// Record each change as reported to the agent; for programs that pass every change on
    #[arg(long)]
    pub(crate) record: bool,
}

fn milliseconds(typed: &str) -> Result<NonZeroU64, &'static str> {
    typed.parse().map_err(|_| "must be a whole number, 1 or more")
}

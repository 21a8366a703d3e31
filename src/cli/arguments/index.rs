//! The arguments of `pagewise index`.

use clap::{Args, Subcommand};

use super::flags::Json;

/// Show, fill or clear the texts that are kept on disk for ranked searches
///
/// They are in the data folder, readable by you alone. Searches use them with the setting index=disk.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Index {
    #[command(subcommand)]
    pub(crate) command: IndexCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Show how many documents and pages are kept, and how large they are
    Status(IndexStatus),
    /// Read PDFs, so that the first search need not
    Add(IndexAdd),
    /// Remove all texts that are kept
    Clear(IndexStatus),
}

impl IndexCommand {
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Status(arguments) | Self::Clear(arguments) => arguments.json.json,
            Self::Add(arguments) => arguments.json.json,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct IndexStatus {
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Args)]
pub(crate) struct IndexAdd {
    /// Folders, PDFs, and patterns such as 'reports/**/*.pdf'
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

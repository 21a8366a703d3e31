//! The arguments of `pagewise index`.

use clap::{Args, Subcommand};

/// Show, add to or clear the index of ranked searches on disk
///
/// It is in the data folder, readable by you alone. Searches use it with the setting index=disk.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Index {
    #[command(subcommand)]
    pub(crate) command: IndexCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Show how many documents and pages the index has, and its size
    Status,
    /// Index documents in advance
    Add(IndexAdd),
    /// Remove the index
    Clear,
}

#[derive(Debug, Args)]
pub(crate) struct IndexAdd {
    /// Folders, documents, and patterns such as 'reports/**/*.pdf'
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<String>,
}

//! The arguments of `pagewise push`.

use std::path::PathBuf;

use clap::Args;

/// Upload a file to a pagewise server, and print its reference
///
/// The server's tools take the reference as a path. The file is a document, a text or a picture. It is kept until it expires
/// (setting http_upload_seconds), and only the holder of the token can read it. The token is the setting push_token, which
/// the variable PAGEWISE_PUSH_TOKEN keeps off the command line.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  PAGEWISE_PUSH_TOKEN=… pagewise push report.pdf --to https://pdf.example/mcp")]
pub(crate) struct Push {
    /// The file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The URL of the server, with or without /mcp at its end
    #[arg(long, value_name = "URL")]
    pub(crate) to: String,
}

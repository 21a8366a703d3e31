//! The arguments of `pagewise fetch` and `pagewise content`.

use clap::Args;

use super::flags::Json;
use crate::tool::{FetchArguments, SearchContentArguments};

/// Fetch URLs as text: PDFs page by page, web pages as Markdown
///
/// Only from addresses of the public internet. The whole text is kept: pagewise content prints more of it.
///
/// At most 5 redirects are followed, none from https to http. Proxy variables are ignored, and URLs with a password are
/// refused. A kept response is used again as long as its server allows, then revalidated.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise fetch https://example.com/report.pdf
  pagewise fetch https://example.com/ https://example.org/ --json")]
pub(crate) struct Fetch {
    #[command(flatten)]
    pub(crate) arguments: FetchArguments,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Print more of what was fetched
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise content fetch_0123456789abcdef0123456789abcdef --offset 30000")]
pub(crate) struct Content {
    #[command(flatten)]
    pub(crate) arguments: SearchContentArguments,
    #[command(flatten)]
    pub(crate) json: Json,
}

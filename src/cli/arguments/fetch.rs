//! The arguments of `pagewise fetch` and `pagewise content`.

use clap::Args;

use super::flags::Json;

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
    /// The URLs, at most 10
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// The conversation that the fetched content belongs to
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

/// Print more of what was fetched
#[derive(Debug, Args)]
#[command(after_help = "Example:
  pagewise content fetch_0123456789abcdef0123456789abcdef --offset 30000")]
pub(crate) struct Content {
    /// The responseId that pagewise fetch printed
    #[arg(value_name = "ID")]
    pub(crate) response_id: String,
    /// The URL, if several were fetched
    #[arg(long, value_name = "URL", conflicts_with = "url_index")]
    pub(crate) url: Option<String>,
    /// The position of the URL, from 0, if several were fetched
    #[arg(long, value_name = "N")]
    pub(crate) url_index: Option<String>,
    /// Largest number of characters, at most 100000 (default: 30000)
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<String>,
    /// Characters to skip
    #[arg(long, value_name = "N")]
    pub(crate) offset: Option<String>,
    /// The conversation that the content belongs to
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

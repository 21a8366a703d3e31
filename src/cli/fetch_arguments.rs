//! `pagewise fetch` and `pagewise content` as they are typed.

use clap::Args;

use super::arguments::Json;

/// Fetch URLs as text: PDFs page by page, web pages as Markdown
///
/// Only addresses of the public internet are fetched from. The whole text is kept: pagewise content prints more of it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  pagewise fetch https://example.com/report.pdf
  pagewise fetch https://example.com/ https://example.org/ --json")]
pub(crate) struct Fetch {
    /// The URLs, 10 at most
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// The conversation that what is fetched belongs to
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
    /// Which of several URLs, by itself
    #[arg(long, value_name = "URL", conflicts_with = "url_index")]
    pub(crate) url: Option<String>,
    /// Which of several URLs, by its place from 0
    #[arg(long, value_name = "N")]
    pub(crate) url_index: Option<String>,
    /// Characters at most; 30000 where it is not said, 100000 at most
    #[arg(long, value_name = "N")]
    pub(crate) max_chars: Option<String>,
    /// Characters to skip
    #[arg(long, value_name = "N")]
    pub(crate) offset: Option<String>,
    /// The conversation that it belongs to
    #[arg(long, value_name = "H")]
    pub(crate) conversation: Option<String>,
    #[command(flatten)]
    pub(crate) json: Json,
}

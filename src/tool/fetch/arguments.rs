//! Arguments of `fetch_content` and `get_search_content`.

use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::arguments::{ConversationParameter, arguments_of};
use crate::tool::error::ToolError;

/// URLs of one call.
const MAX_URLS: usize = 10;

/// Characters in one answer by default.
pub(crate) const DEFAULT_MAX_CHARS: u64 = 30_000;

/// Characters in one answer at most.
pub(crate) const MAX_CHARS: u64 = 100_000;

/// Fetch URLs as text: PDFs page by page, web pages as Markdown. At most 30,000 characters; get_search_content continues. To
/// see PDF pages, call get_file with the URL.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[cfg_attr(feature = "program", command(mut_arg("conversation", |argument| argument.help("The conversation that the fetched content belongs to"))))]
pub struct FetchArguments {
    /// One URL.
    #[cfg_attr(feature = "program", arg(skip))]
    pub url: Option<String>,
    /// Several, instead of url.
    #[serde(default)]
    #[schemars(length(max = 10))]
    #[cfg_attr(feature = "program", arg(value_name = "URL", required = true, help = "The URLs, at most 10"))]
    pub urls: Vec<String>,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub conversation: ConversationParameter,
}

arguments_of!("fetch_content", FetchArguments, FetchArguments::with_all_urls);

impl FetchArguments {
    /// Trims and deduplicates the URLs, in order.
    fn with_all_urls(mut self) -> Result<Self, ToolError> {
        if self.url.is_some() && !self.urls.is_empty() {
            return Err(ToolError::one_of("url", "urls").hint("Use url for one, or urls for several."));
        }
        let given = self.url.take().into_iter().chain(std::mem::take(&mut self.urls));
        for url in given.map(|url| url.trim().to_owned()).filter(|url| !url.is_empty()) {
            if !self.urls.contains(&url) {
                self.urls.push(url);
            }
        }
        match self.urls.len() {
            0 => Err(ToolError::required("url").hint("Give url or urls.").command_hint("Give one URL or several.")),
            1..=MAX_URLS => Ok(self),
            count => {
                Err(ToolError::parameter("urls", &format!("must have at most {MAX_URLS} URLs, and {count} were given")))
            }
        }
    }
}

/// Continue a text that fetch_content cut, from offset, without fetching it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "program", derive(clap::Args))]
#[cfg_attr(feature = "program", command(mut_arg("conversation", |argument| argument.help("The conversation that the content belongs to"))))]
#[serde(rename_all = "camelCase")]
pub struct SearchContentArguments {
    /// From fetch_content.
    #[cfg_attr(
        feature = "program",
        arg(value_name = "ID", help = "The responseId (fetch_…) that pagewise fetch printed")
    )]
    pub response_id: String,
    /// Which URL, if several were fetched.
    #[cfg_attr(feature = "program", arg(long, value_name = "URL", conflicts_with = "url_index"))]
    pub url: Option<String>,
    /// Or its position, 0-based.
    #[cfg_attr(feature = "program", arg(long, value_name = "N"))]
    pub url_index: Option<u64>,
    /// Maximum characters. Default: 30000; at most 100000.
    #[cfg_attr(feature = "program", arg(long, value_name = "N"))]
    pub max_chars: Option<NonZeroU64>,
    /// Characters to skip.
    #[cfg_attr(feature = "program", arg(long, value_name = "N"))]
    pub offset: Option<u64>,
    /// The conversation.
    #[serde(flatten)]
    #[cfg_attr(feature = "program", command(flatten))]
    pub conversation: ConversationParameter,
}

arguments_of!("get_search_content", SearchContentArguments, SearchContentArguments::with_one_url);

impl SearchContentArguments {
    fn with_one_url(mut self) -> Result<Self, ToolError> {
        if self.url.is_some() && self.url_index.is_some() {
            return Err(ToolError::one_of("url", "urlIndex"));
        }
        self.url = self.url.map(|url| url.trim().to_owned());
        self.response_id = self.response_id.trim().to_owned();
        Ok(self)
    }

    pub(super) fn max_chars(&self) -> u64 {
        self.max_chars.map_or(DEFAULT_MAX_CHARS, NonZeroU64::get).min(MAX_CHARS)
    }
}

//! Arguments of `fetch_content` and `get_search_content`.

use serde_json::{Map, Value};

use crate::tool::arguments::ArgumentReader;
use crate::tool::error::ToolError;

/// URLs of one call.
pub(crate) const MAX_URLS: usize = 10;

/// Characters in one answer by default.
pub(crate) const DEFAULT_MAX_CHARS: u64 = 30_000;

/// Characters in one answer at most.
pub(crate) const MAX_CHARS: u64 = 100_000;

/// Checked arguments of `fetch_content`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchArguments {
    /// `url` or `urls`: trimmed and deduplicated, in order.
    pub urls: Vec<String>,
    /// `conversation`.
    pub conversation: Option<String>,
}

impl FetchArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "fetch_content", arguments };
        fields.reject_unknown(&["url", "urls", "conversation"])?;
        let given = match (fields.string("url")?, fields.strings("urls", "a list of URLs")?) {
            (Some(_), Some(_)) => {
                return Err(ToolError::one_of("url", "urls").hint("Use url for one, or urls for several."));
            }
            (Some(url), None) => vec![url],
            (None, None) => return Err(ToolError::required("url")),
            (None, Some(urls)) => urls,
        };
        let mut urls = Vec::<String>::new();
        for url in given.iter().map(|url| url.trim()).filter(|url| !url.is_empty()) {
            if !urls.iter().any(|known| known == url) {
                urls.push(url.to_owned());
            }
        }
        match urls.len() {
            0 => Err(ToolError::required("url")),
            1..=MAX_URLS => Ok(Self { urls, conversation: fields.conversation()? }),
            count => {
                Err(ToolError::parameter("urls", &format!("must have at most {MAX_URLS} URLs, and {count} were given")))
            }
        }
    }
}

/// Checked arguments of `get_search_content`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchContentArguments {
    /// `responseId`.
    pub response_id: String,
    /// `url` or `urlIndex`.
    pub which: UrlSelector,
    /// `maxChars`, capped at `MAX_CHARS`.
    pub max_chars: u64,
    /// `offset`, in characters.
    pub offset: u64,
    /// `conversation`.
    pub conversation: Option<String>,
}

/// Selects one URL of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlSelector {
    /// By its 0-based position.
    Index(u64),
    /// By itself.
    Url(String),
}

impl SearchContentArguments {
    /// Reads the arguments of a call.
    ///
    /// # Errors
    /// `validation_error`, naming the parameter.
    pub fn parse(arguments: &Map<String, Value>) -> Result<Self, ToolError> {
        let fields = ArgumentReader { tool: "get_search_content", arguments };
        fields.reject_unknown(&["responseId", "url", "urlIndex", "maxChars", "offset", "conversation"])?;
        let which = match (fields.string("url")?, fields.count("urlIndex")?) {
            (Some(_), Some(_)) => {
                return Err(ToolError::one_of("url", "urlIndex"));
            }
            (Some(url), None) => UrlSelector::Url(url.trim().to_owned()),
            (None, index) => UrlSelector::Index(index.unwrap_or(0)),
        };
        Ok(Self {
            response_id: fields.required_string("responseId")?.trim().to_owned(),
            which,
            max_chars: fields.positive("maxChars")?.unwrap_or(DEFAULT_MAX_CHARS).min(MAX_CHARS),
            offset: fields.count("offset")?.unwrap_or(0),
            conversation: fields.conversation()?,
        })
    }
}

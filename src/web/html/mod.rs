//! Converts web pages into Markdown.
//!
//! dom_smoothie finds the article, like the reading view of a browser. If the article is less than half of the page, the
//! whole page is converted with dom_query instead. A note says what was left out.
//!
//! The parser limits neither depth nor time, and a megabyte of unclosed tags can take gigabytes. So this runs in a worker,
//! like the readers of PDFs, and the depth is checked before any recursion.

#[cfg(feature = "client")]
mod convert;
#[cfg(feature = "client")]
mod tree;

#[cfg(feature = "client")]
pub use convert::convert_page;

use serde::{Deserialize, Serialize};

/// A web page as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadablePage {
    /// The page's title.
    pub title: Option<String>,
    /// The text as Markdown, with absolute links.
    pub markdown: String,
    /// Remarks on what was left out, one sentence each.
    pub notes: Vec<String>,
}

/// Gives the page as it is: this build cannot fetch one, so it reads none.
#[cfg(not(feature = "client"))]
#[must_use]
pub fn convert_page(html: &str, _: &str) -> ReadablePage {
    let notes = vec!["This build does not read web pages; its source follows.".to_owned()];
    ReadablePage { title: None, markdown: html.to_owned(), notes }
}

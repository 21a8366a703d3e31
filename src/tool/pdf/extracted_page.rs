//! The text of one page in an answer.

use serde::{Serialize, Serializer};

use super::arguments::TextFormat;
use super::beside::BesideText;
use crate::worker::PageSource;

/// The text of one page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExtractedPage {
    /// Its 1-based number.
    pub number: u32,
    /// The printed label, if the document has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What the text was read from.
    #[serde(serialize_with = "source_name")]
    pub source: PageSource,
    /// Its text: the words of the page alone.
    #[serde(flatten)]
    pub content: PageContent,
    /// The running heads, feet and page numbers that Markdown is without.
    #[serde(skip_serializing_if = "Vec::is_empty", rename = "leftOut")]
    pub left_out: Vec<String>,
    /// Its words in their boxes, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<Vec<WordInBox>>,
    /// What stands beside the text.
    #[serde(flatten)]
    pub beside: BesideText,
}

impl ExtractedPage {
    /// Whether it has neither text nor anything beside it.
    pub(super) fn is_empty(&self) -> bool {
        self.content.text().is_empty() && self.beside.lines.is_empty()
    }

    /// What follows the text.
    pub(super) fn after(&self) -> String {
        self.beside.after(self.content.text())
    }
}

/// A word in its place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WordInBox {
    /// The word.
    pub text: String,
    /// Left, top, right and bottom edge, in points from the top left of the page.
    pub bbox: [f64; 4],
    /// How certain it is, from 0 to 1; 1 for the page's own text.
    pub confidence: f64,
}

fn source_name<S: Serializer>(source: &PageSource, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match source {
        PageSource::Text => "text",
        PageSource::Recognised => "recognised",
        PageSource::Unread => "unread",
    })
}

/// The text of a page, named by its format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PageContent {
    /// Plain text.
    Text(String),
    /// Markdown.
    Markdown(String),
}

impl PageContent {
    pub(super) fn new(format: TextFormat, text: String) -> Self {
        match format {
            TextFormat::Text | TextFormat::Layout => Self::Text(text),
            TextFormat::Markdown => Self::Markdown(text),
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Markdown(text) => text,
        }
    }

    pub(super) fn truncate(&mut self, length: usize) {
        match self {
            Self::Text(text) | Self::Markdown(text) => text.truncate(length),
        }
    }
}

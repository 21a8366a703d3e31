//! What an answer says beside what was asked.

use serde::{Deserialize, Serialize};

/// Additional facts in an answer, which save the next request.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct AnswerExtras {
    /// The current notes on the document.
    pub(crate) notes: Option<Vec<String>>,
    /// The requested page.
    pub(crate) page: Option<PageExtras>,
}

/// What is asked next about a page that was asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PageExtras {
    pub(crate) index: u32,
    pub(crate) label: Option<String>,
    /// Whether the page has a list of annotations that is not empty.
    pub(crate) has_annotations: bool,
}

//! The refusal of a result that is too large as a whole.
//!
//! Each tool cuts what it gives to the room that a result has ([`ResultBudget`](crate::context::ResultRoom)), and names
//! the rest. What is left for this are results whose size nothing else bounds, such as a title of the file's own.

use serde_json::json;

use super::{ErrorCode, ToolError};

impl ToolError {
    /// A result of `tool` that is larger than results may be, and that nothing can be left out of.
    pub(crate) fn result_too_large(tool: &str, bytes: u64, limit: u64) -> Self {
        let next = match tool {
            "get_file" => "Next call: get_file with as: \"path\", which names a file instead.",
            "pdf_info" => "Next call: get_file without pages, which gives a summary.",
            "context_updates" => "Next call: context_forget with the filePath of files that are no longer needed.",
            _ => "Next call: the same for less at once.",
        };
        let message = format!("The result of {tool} has {bytes} bytes, and max_result_bytes is {limit}");
        Self::new(ErrorCode::LimitExceeded, message)
            .hint(next)
            .with("setting", json!("max_result_bytes"))
            .with("limit", json!(limit))
            .with("found", json!(bytes))
    }
}

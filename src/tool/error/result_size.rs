//! The error for a result that is too large as a whole.
//!
//! Tools cut their results to the [`ResultBudget`](crate::context::ResultBudget) and name the rest. This error remains
//! for results that nothing else bounds, such as very long titles.

use serde_json::json;

use super::{ErrorCode, ToolError};

impl ToolError {
    /// A result of `tool` that exceeds the bound and cannot be cut.
    #[must_use]
    pub fn result_too_large(tool: &str, bytes: u64, limit: u64) -> Self {
        let next = match tool {
            "get_file" => "Next call: get_file with as: \"path\", which names a file instead.",
            "pdf_info" => "Next call: get_file without pages, which gives a summary.",
            "context_updates" => "Next call: context_forget with the filePath of files that are no longer needed.",
            _ => "Next call: ask for less at once.",
        };
        let message = format!("The result of {tool} has {bytes} bytes, and max_result_bytes is {limit}");
        Self::new(ErrorCode::LimitExceeded, message)
            .hint(next)
            .with("setting", json!("max_result_bytes"))
            .with("limit", json!(limit))
            .with("found", json!(bytes))
    }
}

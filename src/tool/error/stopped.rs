//! Errors for work that ended early.

use serde_json::json;

use super::{ErrorCode, ToolError};
use pagewise_base::limits::StopReason;

impl ToolError {
    /// The deadline passed, or the request was cancelled.
    pub(crate) fn stopped(path: &str, stopped: StopReason) -> Self {
        match stopped {
            StopReason::Timeout { deadline_ms } => {
                ToolError::new(ErrorCode::Timeout, format!("Timeout while reading {path}: {stopped}"))
                    .hint("Ask for fewer pages, or set a longer worker_deadline_ms.")
                    .with("setting", json!("worker_deadline_ms"))
                    .with("limit", json!(deadline_ms))
            }
            StopReason::Cancelled => {
                ToolError::new(ErrorCode::Cancelled, format!("Cancelled while reading {path}; nothing was recorded"))
            }
        }
    }

    /// The reader of `path` ran out of memory or stack; no more is known.
    #[must_use]
    pub fn out_of_memory(path: &str, limit_bytes: u64) -> Self {
        let message = format!(
            "Limit exceeded while reading {path}: worker_memory_bytes is {limit_bytes}, and the reader needed more \
             memory or a larger stack"
        );
        ToolError::new(ErrorCode::LimitExceeded, message)
            .hint("A larger worker_memory_bytes may be enough to read it.")
            .with("setting", json!("worker_memory_bytes"))
            .with("limit", json!(limit_bytes))
    }

    /// The reader of `path` crashed.
    #[must_use]
    pub fn reader_crashed(path: &str) -> Self {
        ToolError::new(ErrorCode::PdfError, format!("Failed to read PDF: the reader of {path} crashed"))
            .hint("This is a bug in pagewise; standard error says where.")
    }
}

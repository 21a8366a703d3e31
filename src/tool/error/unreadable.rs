//! Errors for files that cannot be read.

use std::io;

use serde_json::json;

use super::{ErrorCode, ToolError, source_error};

/// The file cannot be read, for a reason.
pub(super) fn unreadable(path: &str, reason: &str) -> ToolError {
    ToolError::new(ErrorCode::PermissionDenied, format!("Cannot read file: {path}"))
        .hint(&format!("Reason: {reason}."))
        .with("reason", json!(reason))
}

/// Reading the file failed while its PDF was read. The error of a remote document says why.
pub(super) fn io_error(path: &str, error: &io::Error) -> ToolError {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(error) => source_error(path, error),
        None => ToolError::new(ErrorCode::PermissionDenied, format!("Cannot read file: {path}"))
            .with("reason", json!(error.to_string())),
    }
}

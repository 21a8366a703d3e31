//! Errors about attachments.

use serde_json::json;

use super::{ErrorCode, ToolError};
use crate::context::{attachment_path, count_of, one_line};

/// For a PDF without an attachment of a name: the names that it has.
pub(super) fn no_attachment(path: &str, name: &str, names: &[String], total: usize) -> ToolError {
    let message = match name {
        "" => format!("{path} has {}", count_of(u64::try_from(total).unwrap_or(u64::MAX), "attachment")),
        _ => format!("No attachment {} in {path}", one_line(name)),
    };
    let listed = names.iter().map(|name| attachment_path(path, name)).collect::<Vec<_>>().join("\n");
    let more = total.saturating_sub(names.len());
    let more = if more > 0 { format!("\nand {more} more") } else { String::new() };
    let error = ToolError::new(ErrorCode::FileNotFound, message).with("attachments", json!(names));
    if names.is_empty() { error } else { error.hint(&format!("Its attachments, by path:\n{listed}{more}")) }
}

/// For attachments of attachments, and so on, too often.
pub(super) fn too_deep(path: &str, max: usize) -> ToolError {
    let message = format!("Attachments of {path} are read to a depth of {max} within each other");
    ToolError::new(ErrorCode::LimitExceeded, message)
}

//! Errors about files within a PDF.

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

/// For a page without a picture of a number.
pub(super) fn no_picture(path: &str, name: &str, page: Option<u32>, pictures: usize) -> ToolError {
    let Some(page) = page else {
        let form = format!("'{}' is not an image: {path}#image=3.1 is the first image of page 3", one_line(name));
        return ToolError::validation(&form);
    };
    let count = count_of(u64::try_from(pictures).unwrap_or(u64::MAX), "image");
    ToolError::new(ErrorCode::FileNotFound, format!("No image {} in {path}: page {page} has {count}", one_line(name)))
        .with("images", json!(pictures))
        .hint("pdf_info with pages says how many images each page has.")
        .command_hint("`pagewise images` lists them.")
}

/// For attachments of attachments, and so on, too often.
pub(super) fn too_deep(path: &str, max: usize) -> ToolError {
    let message = format!("Attachments of {path} are read to a depth of {max} within each other");
    ToolError::new(ErrorCode::LimitExceeded, message)
}

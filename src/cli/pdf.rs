//! `pagewise page` and `pagewise info`: one file, no memory.

use serde_json::json;

use super::arguments::{Info, Page, Sandbox};
use super::print::Report;
use super::settings;
use crate::tool::{self, ErrorCode, InfoResult, PageResult, ToolError};

/// Answers `page`.
pub(super) fn page(typed: &Page, sandbox: Sandbox) -> Result<Report, ToolError> {
    let folder = typed.out.parent().unwrap_or(&typed.out);
    let pdf = settings::open_pdf_confined(&typed.path, typed.password.get().as_deref(), folder, sandbox)?;
    let result = tool::write_page(&pdf, &typed.number, &typed.out)?;
    Ok(Report::new(page_text(&result), as_json(&result)?))
}

fn page_text(result: &PageResult) -> String {
    let PageResult { file, page, pages, bytes, .. } = result;
    let notes = result.notes.iter().map(|note| format!("\nNote: {note}")).collect::<String>();
    format!("Page {page} of {pages} written to {}: {bytes} bytes{notes}", file.display())
}

/// Answers `info`.
pub(super) fn info(typed: &Info, sandbox: Sandbox) -> Result<Report, ToolError> {
    let pdf = settings::open_pdf(&typed.path, typed.password.get().as_deref(), sandbox)?;
    let result = InfoResult::of(&pdf);
    Ok(Report::new(result.text(), as_json(&result)?))
}

/// A result as JSON; paths that are not Unicode have none.
pub(super) fn as_json(result: &impl serde::Serialize) -> Result<serde_json::Value, ToolError> {
    serde_json::to_value(result).map_err(|error| {
        ToolError::new(ErrorCode::WriteFailed, "Cannot write the result as JSON")
            .with("reason", json!(error.to_string()))
    })
}

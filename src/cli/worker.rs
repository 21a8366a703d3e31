//! `pagewise worker`, which a server starts to read PDFs.

use serde_json::{Value, json};

use super::arguments::Worker;
use super::print::Report;
use crate::tool::{ErrorCode, ToolError, run_worker};

/// Answers requests on standard input until it is closed.
pub(super) fn run(typed: &Worker) -> Result<Report, ToolError> {
    run_worker(typed.memory_bytes).map_err(|error| {
        ToolError::new(ErrorCode::PdfError, "A worker is started by pagewise itself, not by hand")
            .with("reason", json!(error.to_string()))
    })?;
    Ok(Report::new(String::new(), Value::Null))
}

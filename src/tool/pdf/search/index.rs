//! The index of ranked searches, for those who keep it.

use std::sync::Arc;

use serde_json::json;

use super::ranked::coverage;
use crate::context::{ContextManager, ProgressListener, RankedRequest, count_of, file_size};
use crate::tool::caller::Caller;
use crate::tool::data_answer::DataAnswer;
use crate::tool::error::{ErrorCode, ToolError};
use crate::worker::{OcrMode, RecognitionBudget};

/// What the index has.
#[must_use]
pub fn index_status(context: &ContextManager) -> DataAnswer {
    let (status, folder) = context.index_status();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let place = folder.as_ref().map_or_else(|| "in memory".to_owned(), |folder| format!("in {}", folder.display()));
    let text = format!(
        "{} of {} from {}, {} {place}",
        count_of(status.pages, "page"),
        count_of(count(status.documents), "document"),
        count_of(count(status.files), "file"),
        file_size(status.bytes)
    );
    let structure = json!({
        "folder": folder,
        "files": status.files,
        "documents": status.documents,
        "pages": status.pages,
        "bytes": status.bytes,
    });
    DataAnswer::new(text, structure)
}

/// Reads documents into the index.
///
/// # Errors
/// As a ranked search.
pub fn add_to_index(
    context: &ContextManager,
    paths: &[String],
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<DataAnswer, ToolError> {
    let request = RankedRequest {
        paths: paths.to_vec(),
        query: String::new(),
        max_hits: 0,
        language: None,
        dates: None,
        pages: Vec::new(),
        ocr: OcrMode::Always,
        recognition: Arc::new(RecognitionBudget::of_command()),
        conversation: None,
        deadline: None,
        cancellation: caller.cancellation.clone(),
    };
    let found = context.search_ranked(&request, progress)?;
    let (text, structure) = coverage(&found, paths);
    Ok(DataAnswer::new(text, structure))
}

/// Removes all texts from the index.
///
/// # Errors
/// `write_failed`
pub fn clear_index(context: &ContextManager) -> Result<DataAnswer, ToolError> {
    let failed = |error: std::io::Error| {
        ToolError::new(ErrorCode::WriteFailed, "Cannot remove the index").with("reason", json!(error.to_string()))
    };
    context.clear_index().map_err(failed)?;
    Ok(index_status(context))
}

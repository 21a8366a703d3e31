//! The index of ranked searches, for those who keep it.

use std::sync::Arc;

use serde_json::json;

use super::ranked::coverage;
use crate::context::{ContextManager, ProgressListener, RankedRequest, count_of, file_size};
use crate::tool::caller::Caller;
use crate::tool::data_answer::DataAnswer;
use crate::tool::error::{ErrorCode, ToolError};
use crate::worker::{OcrMode, RecognitionBudget};
use pagewise_library::IndexStatus;

/// What the index has.
#[must_use]
pub fn index_status(context: &ContextManager) -> DataAnswer {
    let (status, folder) = context.index_status();
    let place = folder.as_ref().map_or_else(|| "in memory".to_owned(), |folder| format!("in {}", folder.display()));
    let text = match status.documents {
        0 => format!("The index {place} is empty. pagewise index add fills it, and so do searches with index=disk."),
        _ => format!("{} {place}", contents(&status)),
    };
    let structure = json!({
        "folder": folder,
        "files": status.files,
        "documents": status.documents,
        "pages": status.pages,
        "bytes": status.bytes,
    });
    DataAnswer::new(text, structure)
}

/// `98 pages of 27 documents from 28 files, 86 kB`
fn contents(status: &IndexStatus) -> String {
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    format!(
        "{} of {} from {}, {}",
        count_of(status.pages, "page"),
        count_of(count(status.documents), "document"),
        count_of(count(status.files), "file"),
        file_size(status.bytes)
    )
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
    let (before, _) = context.index_status();
    context.clear_index().map_err(failed)?;
    let text = match before.bytes {
        0 => "Nothing to remove: the index is empty.".to_owned(),
        _ => format!("Removed from the index: {}", contents(&before)),
    };
    Ok(DataAnswer { text, ..index_status(context) })
}

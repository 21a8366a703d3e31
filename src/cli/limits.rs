//! Limits on reading from the environment: `PAGEWISE_` and the setting's name in capitals.

use std::env;
use std::time::Duration;

use serde_json::json;

use crate::limits::Limits;
use crate::tool::{ToolError, WorkerSettings};

/// The defaults, with what the environment sets.
pub(super) fn from_environment() -> Result<Limits, ToolError> {
    let mut limits = Limits::default();
    let large: [(&str, &mut u64); 6] = [
        ("PAGEWISE_MAX_FILE_BYTES", &mut limits.max_file_bytes),
        ("PAGEWISE_MAX_STREAM_BYTES", &mut limits.max_stream_bytes),
        ("PAGEWISE_MAX_DECODED_BYTES", &mut limits.max_decoded_bytes),
        ("PAGEWISE_MAX_RATIO", &mut limits.max_ratio),
        ("PAGEWISE_MAX_PAGE_BYTES", &mut limits.max_page_bytes),
        ("PAGEWISE_MAX_TEXT_BYTES", &mut limits.max_text_bytes),
    ];
    large.into_iter().try_for_each(|(name, limit)| set(name, limit))?;
    let small: [(&str, &mut u32); 8] = [
        ("PAGEWISE_MAX_NESTING", &mut limits.max_nesting),
        ("PAGEWISE_MAX_PAGE_TREE_DEPTH", &mut limits.max_page_tree_depth),
        ("PAGEWISE_MAX_PAGES", &mut limits.max_pages),
        ("PAGEWISE_MAX_REFERENCE_HOPS", &mut limits.max_reference_hops),
        ("PAGEWISE_MAX_XREF_SECTIONS", &mut limits.max_xref_sections),
        ("PAGEWISE_MAX_FILTERS", &mut limits.max_filters),
        ("PAGEWISE_MAX_PAGE_OBJECTS", &mut limits.max_page_objects),
        ("PAGEWISE_MAX_OUTLINE_ITEMS", &mut limits.max_outline_items),
    ];
    small.into_iter().try_for_each(|(name, limit)| set(name, limit))?;
    Ok(limits)
}

/// `workers`, with what the environment sets.
pub(super) fn workers_from_environment(mut workers: WorkerSettings) -> Result<WorkerSettings, ToolError> {
    let mut deadline_ms = u64::try_from(workers.deadline.as_millis()).unwrap_or(u64::MAX);
    set("PAGEWISE_WORKER_DEADLINE_MS", &mut deadline_ms)?;
    set("PAGEWISE_WORKER_MEMORY_BYTES", &mut workers.memory_bytes)?;
    set("PAGEWISE_WORKERS", &mut workers.workers)?;
    set("PAGEWISE_MAX_WAITING", &mut workers.max_waiting)?;
    // A deadline of nothing could not be waited for.
    workers.deadline = Duration::from_millis(deadline_ms.max(1));
    Ok(workers)
}

/// Sets `limit` to what the variable `name` holds.
pub(super) fn set<N: std::str::FromStr>(name: &str, limit: &mut N) -> Result<(), ToolError> {
    let Some(value) = env::var_os(name) else { return Ok(()) };
    let Some(number) = value.to_str().and_then(|text| text.trim().parse().ok()) else {
        let expected = if std::any::type_name::<N>() == "bool" { "true or false" } else { "a whole number" };
        let message = format!("Setting '{name}' must be {expected}");
        return Err(ToolError::validation(&message).with("value", json!(value.to_string_lossy())));
    };
    *limit = number;
    Ok(())
}

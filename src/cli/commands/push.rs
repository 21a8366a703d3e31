//! `pagewise push`.

use std::fs::File;

use serde_json::Value;

use crate::cli::arguments::push::Push;
use crate::cli::config::{Config, Secret};
use crate::cli::terminal::print::Report;
use crate::tool::{ErrorCode, ToolError, push_file, reason_of};

/// Uploads a file, and prints its reference.
pub(crate) fn run(typed: &Push, config: &Config) -> Result<Report, ToolError> {
    let path = typed.file.display();
    let unreadable = |error: std::io::Error| {
        let code = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorCode::FileNotFound,
            _ => ErrorCode::PermissionDenied,
        };
        ToolError::new(code, format!("Cannot read file: {path} ({})", reason_of(error.kind())))
    };
    let file = File::open(&typed.file).map_err(unreadable)?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(ToolError::validation(&format!("{path} is a folder; name one file")));
    }
    let token = config.push_token.as_ref().map(Secret::reveal);
    let answer = push_file(&config.web, file, &typed.to, token).map_err(|error| {
        match error.data.get("status").and_then(Value::as_u64) {
            Some(401 | 403) => error.hint("Set PAGEWISE_PUSH_TOKEN to a token of the server."),
            _ => error,
        }
    })?;
    let answer = serde_json::from_str::<Value>(&answer).unwrap_or_default();
    let reference = answer.get("reference").and_then(Value::as_str);
    let reference = reference.ok_or_else(|| {
        ToolError::new(
            ErrorCode::FetchFailed,
            format!("{} returned no reference: it is not a pagewise server", typed.to),
        )
    })?;
    Ok(Report::new(format!("{reference}\n"), answer.clone()))
}

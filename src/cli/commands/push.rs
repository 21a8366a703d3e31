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
    let token = config.push_token.as_ref().map(Secret::reveal);
    let answer = push_file(&config.web, file, &typed.to, token).map_err(|error| match token {
        None if error.hint.is_none() => error.hint("If the server needs a token, set PAGEWISE_PUSH_TOKEN."),
        _ => error,
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

//! Uploads to other servers.

use std::fs::File;

use serde_json::json;

use super::error::{ErrorCode, ToolError, web_error};
use pagewise_web::{WebError, WebSettings};

/// Uploads a file to the server at `to`, as the bearer of `token`. Returns the server's answer, which is JSON.
///
/// # Errors
/// Every refusal of the URL and of the server.
pub fn push_file(settings: &WebSettings, file: File, to: &str, token: Option<&str>) -> Result<String, ToolError> {
    pagewise_web::push_file(settings, file, to, token).map_err(|error| match error {
        WebError::Failed { reason } => ToolError::new(ErrorCode::FetchFailed, format!("Cannot reach {to}: {reason}")),
        WebError::Offline { setting } => {
            let message = format!("Offline: nothing is uploaded, because {setting} is set");
            ToolError::new(ErrorCode::UnsupportedReference, message).with("setting", json!(setting))
        }
        other => web_error(to, &other),
    })
}

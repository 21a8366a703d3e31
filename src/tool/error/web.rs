//! Errors of fetching.

use serde_json::json;

use super::file_type::named_type;
use super::{ErrorCode, ToolError};
use crate::source::is_upload;
use crate::worker::PdfError;
use pagewise_web::WebError;

/// The error for a URL that could not be fetched.
pub(crate) fn web_error(url: &str, error: &WebError) -> ToolError {
    match error {
        WebError::Offline { setting } => ToolError::new(
            ErrorCode::UnsupportedReference,
            format!("Offline: {url} is not fetched, because {setting} is set. Accepted: paths and file://"),
        )
        .hint("Give the path of a local file, or the responseId of something that was fetched before.")
        .with("setting", json!(setting)),
        WebError::NoClient => ToolError::new(
            ErrorCode::UnsupportedReference,
            format!("Unsupported reference: {url}; this program was built without fetching (feature web)"),
        )
        .hint("Give the path of a local file."),
        WebError::ReferencesOff => ToolError::new(
            ErrorCode::UnsupportedReference,
            format!("Unsupported reference: {url}; web_references is off, so only paths are taken"),
        )
        .with("setting", json!("web_references")),
        WebError::NotAUrl { reason } => {
            ToolError::validation(&format!("Not a URL: {url}: {reason}")).hint("A URL begins with https:// or http://.")
        }
        WebError::TokenInPlain => ToolError::validation(&format!("A token is sent over https only: {url}")),
        WebError::Scheme { scheme } => ToolError::new(
            ErrorCode::UnsupportedReference,
            format!("Unsupported reference: {scheme}: is not fetched. Accepted: http and https"),
        )
        .with("scheme", json!(scheme)),
        WebError::BlockedObject => blocked_object(url),
        WebError::ObjectFolder => object_folder(url),
        WebError::NoObjectStorage => no_object_storage(url),
        // The URL contains a secret, so do not repeat it.
        WebError::Credentials => {
            ToolError::new(ErrorCode::UnsupportedReference, "URLs with a user name or a password are not fetched")
                .hint("Leave out the part before the @.")
        }
        WebError::BlockedAddress { host, purpose, range, setting } => blocked_address(host, purpose, range, setting),
        WebError::BlockedHost { host, setting } => {
            ToolError::new(ErrorCode::BlockedAddress, format!("Blocked address: {host} is not allowed by {setting}"))
                .with("host", json!(host))
                .with("setting", json!(setting))
        }
        WebError::TooLarge { found, limit, setting } => too_large(url, *found, *limit, setting),
        WebError::HeaderTooLarge { limit } => header_too_large(url, *limit),
        WebError::Timeout { limit, setting } => {
            let limit = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
            timeout(url, &format!("not finished after {limit} ms"), limit, setting)
        }
        WebError::TooSlow { limit } => {
            timeout(url, &format!("fewer than {limit} bytes a second"), *limit, "web_min_bytes_per_second")
        }
        WebError::Status { status, code } => failed(url, &format!("HTTP {status}")).with("status", json!(code)),
        WebError::Redirects { limit } => too_many_redirects(url, *limit),
        WebError::Downgrade { to } => failed(url, &format!("it redirects from https to {to}")),
        WebError::Changed => ToolError { is_change: true, ..failed(url, "it changed while it was read") },
        WebError::OutOfTime => ToolError::new(ErrorCode::Timeout, format!("Timeout while fetching {url}: {error}")),
        WebError::RangeRequests { limit } => {
            failed(url, &format!("reading it takes more than {limit} requests")).with("limit", json!(limit))
        }
        WebError::Cancelled => failed(url, "cancelled"),
        WebError::Failed { reason } => failed(url, reason),
        WebError::Store { reason } => {
            ToolError::new(ErrorCode::WriteFailed, format!("Cannot store what was fetched from {url}: {reason}"))
        }
        WebError::TooManyUploads { .. } => not_taken(url, error),
        WebError::NotTaken { code, .. } => not_taken(url, error).with("status", json!(code)),
        WebError::ContentNotFound if is_upload(url) => upload_not_found(url),
        WebError::ContentNotFound => content_not_found(url),
    }
}

fn blocked_object(url: &str) -> ToolError {
    let message = format!("Unsupported reference: the setting object_storage does not allow {url}");
    ToolError::new(ErrorCode::UnsupportedReference, message).with("setting", json!("object_storage"))
}

fn object_folder(url: &str) -> ToolError {
    let problem = format!("Unsupported reference: {url} names a folder of object storage, and only documents are read");
    ToolError::new(ErrorCode::UnsupportedReference, problem)
}

fn no_object_storage(url: &str) -> ToolError {
    let message =
        format!("Unsupported reference: {url}; this program was built without object storage (feature cloud)");
    ToolError::new(ErrorCode::UnsupportedReference, message)
}

fn blocked_address(host: &str, purpose: &str, range: &str, setting: &str) -> ToolError {
    let message = format!("Blocked address: {host} is in {range} ({purpose})");
    let hint = if setting == "web_deny_ranges" {
        "The setting web_deny_ranges refuses it.".to_owned()
    } else {
        format!("Only addresses of the public internet are allowed. The setting {setting} can allow a range.")
    };
    ToolError::new(ErrorCode::BlockedAddress, message)
        .hint(&hint)
        .with("host", json!(host))
        .with("range", json!(range))
        .with("setting", json!(setting))
}

fn too_large(url: &str, found: u64, limit: u64, setting: &str) -> ToolError {
    let message = format!("Too large: {url} has {found} bytes or more, and {setting} is {limit} bytes");
    ToolError::new(ErrorCode::TooLarge, message)
        .with("bytes", json!(found))
        .with("limit", json!(limit))
        .with("setting", json!(setting))
}

fn header_too_large(url: &str, limit: u64) -> ToolError {
    let message = format!("Too large: the header of {url} has more than {limit} bytes or 100 fields");
    ToolError::new(ErrorCode::TooLarge, message).with("limit", json!(limit))
}

fn timeout(url: &str, what: &str, limit: u64, setting: &str) -> ToolError {
    ToolError::new(ErrorCode::Timeout, format!("Timeout while fetching {url}: {what}, which is {setting}"))
        .with("limit", json!(limit))
        .with("setting", json!(setting))
}

fn failed(url: &str, reason: &str) -> ToolError {
    ToolError::new(ErrorCode::FetchFailed, format!("Failed to fetch {url}: {reason}"))
}

fn too_many_redirects(url: &str, limit: u32) -> ToolError {
    failed(url, &format!("more than {limit} redirects, which is web_max_redirects"))
        .with("limit", json!(limit))
        .with("setting", json!("web_max_redirects"))
}

fn not_taken(url: &str, error: &WebError) -> ToolError {
    ToolError::new(ErrorCode::FetchFailed, format!("{url} did not take the file: {error}"))
}

/// The one answer for content that never existed, is gone, or belongs to another conversation.
pub(crate) fn content_not_found(what: &str) -> ToolError {
    ToolError::new(ErrorCode::ContentNotFound, format!("Content not found: {what}"))
        .hint("Call fetch_content with the URL again, and use the responseId of its answer in the same conversation.")
        .command_hint("Fetch the URL again with pagewise fetch, and use the responseId that it prints.")
}

/// The one answer for an upload that never existed, is gone, or belongs to another principal.
#[must_use]
pub fn upload_not_found(reference: &str) -> ToolError {
    ToolError::new(ErrorCode::ContentNotFound, format!("Content not found: {reference}"))
        .hint("Uploads expire. Upload the file again, and use the reference of the answer.")
}

/// The error for a fetched PDF without extractable text, with the code of the PDF error.
pub(crate) fn fetched_pdf(as_read: ToolError, error: &PdfError) -> ToolError {
    let reason = match error {
        PdfError::Encrypted { .. } => "the PDF is encrypted and needs a password".to_owned(),
        PdfError::NotAPdf { .. } => "no PDF header was found".to_owned(),
        other => other.to_string(),
    };
    let refusal = ToolError { message: format!("Failed to extract text from PDF: {reason}"), ..as_read };
    match error {
        PdfError::Encrypted { .. } => refusal
            .hint("Call pdf_extract_text with the URL as path, and with password.")
            .command_hint("Read it with pagewise text and --password, or set PAGEWISE_PASSWORD."),
        _ => refusal,
    }
}

/// The types that `fetch_content` reads, as named in errors.
const READABLE_TYPES: &str = "HTML, text, JSON, XML, PDF and office files";

/// The error for a body that is not text.
pub(crate) fn unsupported_content(url: &str, mime_type: &str) -> ToolError {
    let kind = named_type(mime_type);
    let message = format!("Unsupported content type: {url} is {kind}. Readable types: {READABLE_TYPES}.");
    let error = ToolError::new(ErrorCode::UnsupportedFileType, message).with("mimeType", json!(mime_type));
    if mime_type.starts_with("image/") {
        error
            .hint("Call get_file with the URL as filePath to see an image.")
            .command_hint("pagewise get-file gives an image.")
    } else {
        error
    }
}

//! Responses that the gate gives itself.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::serve::message::MalformedMessage;

/// One of the codes that JSON-RPC reserves for servers.
pub(super) const SERVER_ERROR: i32 = -32_000;

/// Seconds after which a client should try again.
const RETRY_AFTER: &str = "1";

/// The response to a request without a valid token, with the fields of its challenge (RFC 6750, 3).
pub(super) fn unauthorized(status: StatusCode, message: &str, fields: &str) -> Response {
    let mut response = error_response(status, SERVER_ERROR, message);
    let challenge = HeaderValue::from_str(format!("Bearer {fields}").trim_end());
    let challenge = challenge.unwrap_or_else(|_| HeaderValue::from_static("Bearer"));
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

/// The response to a request that the server has no capacity for.
pub(super) fn busy_response(why: &str) -> Response {
    let mut response =
        error_response(StatusCode::SERVICE_UNAVAILABLE, SERVER_ERROR, &format!("busy: {why} Try again in a second."));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER));
    response
}

/// An error response before the message was read, so without its id.
pub(super) fn error_response(status: StatusCode, code: i32, message: &str) -> Response {
    let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// The response to a message that is not one of the protocol.
pub(super) fn malformed_response(malformed: &MalformedMessage) -> Response {
    // The call was understood as one; what is wrong with it is the protocol's matter.
    let status = if malformed.is_about_params() { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    (status, [(header::CONTENT_TYPE, "application/json")], malformed.response().to_string()).into_response()
}

//! The protocols of providers.

mod anthropic;
mod chat;
mod google;
mod responses;

use serde_json::Value;

use super::body::RequestBody;
use super::error::ModelError;
use super::name::ProviderKey;
use super::question::{Question, TokenUsage};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderProtocol {
    /// Anthropic's Messages API.
    Messages,
    /// Google's `generateContent`.
    GenerateContent,
    /// OpenAI's Responses API.
    Responses,
    /// Chat completions, as OpenAI introduced them and many servers offer them.
    ChatCompletions,
}

/// The input of a request body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelRequest<'a> {
    pub(crate) model: &'a str,
    pub(crate) question: &'a Question,
    pub(crate) max_output_tokens: u64,
}

/// A reply, as far as it was read.
#[derive(Debug, Default)]
pub(crate) struct PartialReply {
    pub(crate) text: String,
    pub(crate) usage: TokenUsage,
    /// Why the model stopped, in the provider's words.
    pub(crate) stop: Option<String>,
    pub(crate) is_cut: bool,
    /// Whether the provider marked the end.
    pub(crate) is_complete: bool,
}

impl ProviderProtocol {
    /// Whether the protocol takes PDFs directly.
    #[must_use]
    pub fn is_native(self) -> bool {
        !matches!(self, Self::ChatCompletions)
    }

    /// Where `model` is asked.
    pub(crate) fn url(self, base_url: &str, model: &str) -> String {
        match self {
            Self::Messages => anthropic::url(base_url),
            Self::GenerateContent => google::url(base_url, model),
            Self::Responses => format!("{base_url}/responses"),
            Self::ChatCompletions => format!("{base_url}/chat/completions"),
        }
    }

    /// Headers other than those of the content.
    pub(crate) fn headers(self, key: Option<&ProviderKey>) -> Vec<(&'static str, String)> {
        let key = key.map(ProviderKey::expose);
        match self {
            Self::Messages => anthropic::headers(key),
            Self::GenerateContent => key.map(|key| ("x-goog-api-key", key.to_owned())).into_iter().collect(),
            Self::Responses | Self::ChatCompletions => {
                key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
            }
        }
    }

    pub(crate) fn body(self, request: &ModelRequest<'_>) -> RequestBody {
        match self {
            Self::Messages => anthropic::body(request),
            Self::GenerateContent => google::body(request),
            Self::Responses => responses::body(request),
            Self::ChatCompletions => chat::body(request),
        }
    }

    /// Processes one event of a stream.
    pub(crate) fn read_event(self, data: &str, reading: &mut PartialReply) -> Result<(), ModelError> {
        if data.trim() == "[DONE]" {
            reading.is_complete = true;
            return Ok(());
        }
        let event = parse_object(data)?;
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(stream_error(error));
        }
        match self {
            Self::Messages => anthropic::read_event(&event, reading),
            Self::GenerateContent => google::read_event(&event, reading),
            Self::Responses => return responses::read_event(&event, reading),
            Self::ChatCompletions => chat::read_event(&event, reading),
        }
        Ok(())
    }

    /// Processes a complete response of a server that does not stream.
    pub(crate) fn read_reply(self, text: &str, reading: &mut PartialReply) -> Result<(), ModelError> {
        let answer = parse_object(text)?;
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(stream_error(error));
        }
        let is_known = match self {
            Self::Messages => anthropic::read_reply(&answer, reading),
            Self::GenerateContent => google::read_reply(&answer, reading),
            Self::Responses => responses::read_reply(&answer, reading),
            Self::ChatCompletions => chat::read_reply(&answer, reading),
        };
        is_known.ok_or_else(|| ModelError::Nonsense { what: "JSON that is not an answer".to_owned() })?;
        reading.is_complete = true;
        Ok(())
    }
}

fn parse_object(text: &str) -> Result<Value, ModelError> {
    let value = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    value.ok_or_else(|| ModelError::Nonsense { what: "no JSON object where one is expected".to_owned() })
}

/// The text at `pointer`.
pub(crate) fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer).and_then(Value::as_str)
}

/// The count at `pointer`.
pub(crate) fn count_at(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

/// The items of the array at `pointer`.
pub(crate) fn items_at<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// The message and kind of an error response, in any known shape.
pub(crate) fn message_of(text: &str) -> Option<(String, String)> {
    let value = serde_json::from_str::<Value>(text).ok()?;
    let value = value.as_array().and_then(|errors| errors.first()).unwrap_or(&value);
    let error = value.get("error").unwrap_or(value);
    Some((message(error)?.to_owned(), kind(error).to_owned()))
}

fn message(error: &Value) -> Option<&str> {
    error.as_str().or_else(|| ["/message", "/detail"].iter().find_map(|pointer| text_at(error, pointer)))
}

fn kind(error: &Value) -> &str {
    ["/code", "/type", "/status"].iter().find_map(|pointer| text_at(error, pointer)).unwrap_or_default()
}

/// An error inside a stream that began with a success status.
pub(crate) fn stream_error(error: &Value) -> ModelError {
    let kind = kind(error);
    let status = match kind {
        "overloaded_error" | "server_is_overloaded" => 529,
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
        "api_error" | "server_error" | "INTERNAL" => 500,
        "UNAVAILABLE" => 503,
        _ => count_at(error, "/code").and_then(|code| u16::try_from(code).ok()).unwrap_or(400),
    };
    let message = message(error).unwrap_or(kind);
    ModelError::Refused { status, message: message.to_owned(), retry_after: None, is_passing: is_passing(status, kind) }
}

/// Whether a refusal is temporary: overload or a server error, but not an exhausted quota.
pub(crate) fn is_passing(status: u16, kind: &str) -> bool {
    matches!(status, 429 | 500 | 502 | 503 | 504 | 529) && kind != "insufficient_quota"
}

/// Keeps the larger count: counts arrive several times and only grow.
pub(crate) fn keep_max(known: &mut Option<u64>, said: Option<u64>) {
    *known = (*known).max(said);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_why_in_many_shapes() {
        let said = |text| message_of(text).map(|(message, kind)| format!("{message} [{kind}]"));
        assert_eq!(
            said(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#).as_deref(),
            Some("Overloaded [overloaded_error]")
        );
        assert_eq!(
            said(r#"[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]"#).as_deref(),
            Some("bad [INVALID_ARGUMENT]")
        );
        assert_eq!(said(r#"{"error":"no such model"}"#).as_deref(), Some("no such model []"));
        assert_eq!(said(r#"{"detail":"not found"}"#).as_deref(), Some("not found []"));
        assert_eq!(said("<html>"), None);
    }

    #[test]
    fn quota_that_is_used_up_does_not_pass() {
        assert!(is_passing(429, "rate_limit_error") && is_passing(529, "") && is_passing(500, ""));
        assert!(!is_passing(429, "insufficient_quota") && !is_passing(400, "") && !is_passing(401, ""));
    }
}

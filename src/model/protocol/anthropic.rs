//! Anthropic's Messages API.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{ModelRequest, PartialReply, count_at, items_at, keep_max, text_at};
use crate::body::{RequestBody, data_after, without_marks};
use crate::question::QuestionPart;

/// The API version.
const VERSION: &str = "2023-06-01";

/// The SDKs' base URL has no version path, but gateway URLs often do.
pub(crate) fn url(base_url: &str) -> String {
    format!("{}/v1/messages", base_url.strip_suffix("/v1").unwrap_or(base_url))
}

pub(crate) fn headers(key: Option<&str>) -> Vec<(&'static str, String)> {
    let version = ("anthropic-version", VERSION.to_owned());
    key.map(|key| ("x-api-key", key.to_owned())).into_iter().chain([version]).collect()
}

/// Documents, then the prompt. The cache breakpoint is on the last document, so that a second question reuses it.
pub(crate) fn body(request: &ModelRequest<'_>) -> RequestBody {
    let mut data = Vec::new();
    let mut content = request.question.parts.iter().map(|part| content_block(part, &mut data)).collect::<Vec<_>>();
    if let Some(Value::Object(last)) = content.last_mut() {
        last.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
    content.push(json!({ "type": "text", "text": without_marks(&request.question.prompt) }));
    let body = json!({
        "model": request.model,
        "max_tokens": request.max_output_tokens,
        "stream": true,
        "messages": [{ "role": "user", "content": content }],
    });
    RequestBody::of(&body, &data)
}

fn content_block(part: &QuestionPart, data: &mut Vec<Bytes>) -> Value {
    let mut source = |media_type: &str, bytes: &Bytes| {
        data.push(bytes.clone());
        json!({ "type": "base64", "media_type": media_type, "data": data_after("") })
    };
    match part {
        QuestionPart::Document { bytes, title, .. } => {
            json!({ "type": "document", "source": source("application/pdf", bytes), "title": without_marks(title) })
        }
        QuestionPart::Text(text) => json!({ "type": "text", "text": without_marks(text) }),
        QuestionPart::Picture(png) => json!({ "type": "image", "source": source("image/png", png) }),
    }
}

pub(crate) fn read_event(event: &Value, reading: &mut PartialReply) {
    match text_at(event, "/type").unwrap_or_default() {
        "message_start" => usage(event, "/message/usage", reading),
        "content_block_delta" => reading.text.push_str(text_at(event, "/delta/text").unwrap_or_default()),
        "message_delta" => {
            usage(event, "/usage", reading);
            stop(text_at(event, "/delta/stop_reason"), reading);
        }
        "message_stop" => reading.is_complete = true,
        _ => {}
    }
}

pub(crate) fn read_reply(answer: &Value, reading: &mut PartialReply) -> Option<()> {
    answer.get("content")?.as_array()?;
    for block in items_at(answer, "/content") {
        reading.text.push_str(text_at(block, "/text").unwrap_or_default());
    }
    usage(answer, "/usage", reading);
    stop(text_at(answer, "/stop_reason"), reading);
    Some(())
}

fn stop(reason: Option<&str>, reading: &mut PartialReply) {
    reading.is_cut |= matches!(reason, Some("max_tokens" | "model_context_window_exceeded"));
    reading.stop = reason.map(str::to_owned).or_else(|| reading.stop.take());
}

/// Anthropic counts cached tokens separately; here they are part of the input.
fn usage(value: &Value, at: &str, reading: &mut PartialReply) {
    let count = |name: &str| count_at(value, &format!("{at}/{name}"));
    let read = count("cache_read_input_tokens");
    let parts = [count("input_tokens"), read, count("cache_creation_input_tokens")];
    let input = count("input_tokens").map(|_| parts.into_iter().flatten().fold(0, u64::saturating_add));
    keep_max(&mut reading.usage.input, input);
    keep_max(&mut reading.usage.cached, read);
    keep_max(&mut reading.usage.output, count("output_tokens"));
}

//! OpenAI's Responses API.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{ModelRequest, PartialReply, count_at, items_at, keep_max, stream_error, text_at};
use crate::body::{RequestBody, data_after, without_marks};
use crate::error::ModelError;
use crate::question::QuestionPart;
use pagewise_base::hash::ContentHash;

/// Documents, then the prompt. The provider caches common prefixes; the key routes to the same cache.
pub(crate) fn body(request: &ModelRequest<'_>) -> RequestBody {
    let mut data = Vec::new();
    let mut content = request.question.parts.iter().map(|part| content_block(part, &mut data)).collect::<Vec<_>>();
    content.push(json!({ "type": "input_text", "text": without_marks(&request.question.prompt) }));
    let body = json!({
        "model": request.model,
        "stream": true,
        "store": false,
        "prompt_cache_key": cache_key(&data),
        "input": [{ "role": "user", "content": content }],
    });
    RequestBody::of(&body, &data)
}

/// Equal for equal documents in the same order.
fn cache_key(data: &[Bytes]) -> String {
    let hashes = data.iter().flat_map(|bytes| ContentHash::of(bytes).0).collect::<Vec<_>>();
    ContentHash::of(&hashes).to_string()
}

fn content_block(part: &QuestionPart, data: &mut Vec<Bytes>) -> Value {
    let mut url = |mime_type: &str, bytes: &Bytes| {
        data.push(bytes.clone());
        data_after(&format!("data:{mime_type};base64,"))
    };
    match part {
        QuestionPart::Document { bytes, file_name, .. } => {
            let file_data = url("application/pdf", bytes);
            json!({ "type": "input_file", "filename": without_marks(file_name), "file_data": file_data })
        }
        QuestionPart::Text(text) => json!({ "type": "input_text", "text": without_marks(text) }),
        QuestionPart::Picture(png) => json!({ "type": "input_image", "image_url": url("image/png", png) }),
    }
}

pub(crate) fn read_event(event: &Value, reading: &mut PartialReply) -> Result<(), ModelError> {
    match text_at(event, "/type").unwrap_or_default() {
        "response.output_text.delta" | "response.refusal.delta" => {
            reading.text.push_str(text_at(event, "/delta").unwrap_or_default());
        }
        "response.completed" | "response.incomplete" => {
            finish(event, "/response", reading);
            reading.is_complete = true;
        }
        "response.failed" => return Err(stream_error(event.pointer("/response/error").unwrap_or(event))),
        "error" => return Err(stream_error(event)),
        _ => {}
    }
    Ok(())
}

pub(crate) fn read_reply(answer: &Value, reading: &mut PartialReply) -> Option<()> {
    answer.get("output")?.as_array()?;
    for content in items_at(answer, "/output").flat_map(|item| items_at(item, "/content")) {
        let text = text_at(content, "/text").or_else(|| text_at(content, "/refusal"));
        reading.text.push_str(text.unwrap_or_default());
    }
    finish(answer, "", reading);
    Some(())
}

fn finish(value: &Value, at: &str, reading: &mut PartialReply) {
    let count = |name: &str| count_at(value, &format!("{at}/usage/{name}"));
    keep_max(&mut reading.usage.input, count("input_tokens"));
    keep_max(&mut reading.usage.output, count("output_tokens"));
    keep_max(&mut reading.usage.cached, count("input_tokens_details/cached_tokens"));
    let reason = text_at(value, &format!("{at}/incomplete_details/reason"));
    reading.is_cut |= reason == Some("max_output_tokens");
    reading.stop = reason.or_else(|| text_at(value, &format!("{at}/status"))).map(str::to_owned);
}

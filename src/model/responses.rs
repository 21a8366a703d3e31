//! OpenAI's Responses API.

use bytes::Bytes;
use serde_json::{Value, json};

use super::body::{Body, data_after, plain};
use super::error::ModelError;
use super::question::Part;
use super::wire::{Asked, Reading, count_at, items_at, keep, text_at, within_stream};
use crate::hash::ContentHash;

/// Documents, then the prompt. What begins alike is cached by the provider; the key leads it to the same cache.
pub(super) fn body(asked: &Asked<'_>) -> Body {
    let mut data = Vec::new();
    let mut content = asked.question.parts.iter().map(|part| block(part, &mut data)).collect::<Vec<_>>();
    content.push(json!({ "type": "input_text", "text": plain(&asked.question.prompt) }));
    let request = json!({
        "model": asked.model,
        "stream": true,
        "store": false,
        "prompt_cache_key": cache_key(&data),
        "input": [{ "role": "user", "content": content }],
    });
    Body::of(&request, &data)
}

/// The same for the same documents in the same order.
fn cache_key(data: &[Bytes]) -> String {
    let hashes = data.iter().flat_map(|bytes| ContentHash::of(bytes).0).collect::<Vec<_>>();
    ContentHash::of(&hashes).to_string()
}

fn block(part: &Part, data: &mut Vec<Bytes>) -> Value {
    let mut url = |mime_type: &str, bytes: &Bytes| {
        data.push(bytes.clone());
        data_after(&format!("data:{mime_type};base64,"))
    };
    match part {
        Part::Document { bytes, file_name, .. } => {
            let file_data = url("application/pdf", bytes);
            json!({ "type": "input_file", "filename": plain(file_name), "file_data": file_data })
        }
        Part::Text(text) => json!({ "type": "input_text", "text": plain(text) }),
        Part::Picture(png) => json!({ "type": "input_image", "image_url": url("image/png", png) }),
    }
}

pub(super) fn event(event: &Value, reading: &mut Reading) -> Result<(), ModelError> {
    match text_at(event, "/type").unwrap_or_default() {
        "response.output_text.delta" | "response.refusal.delta" => {
            reading.text.push_str(text_at(event, "/delta").unwrap_or_default());
        }
        "response.completed" | "response.incomplete" => {
            finish(event, "/response", reading);
            reading.is_complete = true;
        }
        "response.failed" => return Err(within_stream(event.pointer("/response/error").unwrap_or(event))),
        "error" => return Err(within_stream(event)),
        _ => {}
    }
    Ok(())
}

pub(super) fn whole(answer: &Value, reading: &mut Reading) -> Option<()> {
    answer.get("output")?.as_array()?;
    for content in items_at(answer, "/output").flat_map(|item| items_at(item, "/content")) {
        let text = text_at(content, "/text").or_else(|| text_at(content, "/refusal"));
        reading.text.push_str(text.unwrap_or_default());
    }
    finish(answer, "", reading);
    Some(())
}

fn finish(value: &Value, at: &str, reading: &mut Reading) {
    let count = |name: &str| count_at(value, &format!("{at}/usage/{name}"));
    keep(&mut reading.usage.input, count("input_tokens"));
    keep(&mut reading.usage.output, count("output_tokens"));
    keep(&mut reading.usage.cached, count("input_tokens_details/cached_tokens"));
    let reason = text_at(value, &format!("{at}/incomplete_details/reason"));
    reading.is_cut |= reason == Some("max_output_tokens");
    reading.stop = reason.or_else(|| text_at(value, &format!("{at}/status"))).map(str::to_owned);
}

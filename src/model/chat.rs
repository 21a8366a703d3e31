//! Chat completions, as OpenAI first had them and many servers have.

use bytes::Bytes;
use serde_json::{Value, json};

use super::body::{Body, data_after, plain};
use super::question::Part;
use super::wire::{Asked, Reading, count_at, keep, text_at};

/// Texts and pictures, then the prompt. A PDF is sent as no server is bound to take it, and so never made.
pub(super) fn body(asked: &Asked<'_>) -> Body {
    let mut data = Vec::new();
    let mut content = asked.question.parts.iter().map(|part| block(part, &mut data)).collect::<Vec<_>>();
    content.push(json!({ "type": "text", "text": plain(&asked.question.prompt) }));
    let request = json!({
        "model": asked.model,
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": [{ "role": "user", "content": content }],
    });
    Body::of(&request, &data)
}

fn block(part: &Part, data: &mut Vec<Bytes>) -> Value {
    let mut url = |mime_type: &str, bytes: &Bytes| {
        data.push(bytes.clone());
        data_after(&format!("data:{mime_type};base64,"))
    };
    match part {
        Part::Document { bytes, file_name, .. } => {
            let file = json!({ "filename": plain(file_name), "file_data": url("application/pdf", bytes) });
            json!({ "type": "file", "file": file })
        }
        Part::Text(text) => json!({ "type": "text", "text": plain(text) }),
        Part::Picture(png) => json!({ "type": "image_url", "image_url": { "url": url("image/png", png) } }),
    }
}

/// Counts come after the reason why it ends, in an event without choices.
pub(super) fn event(event: &Value, reading: &mut Reading) {
    take(event, "/choices/0/delta/content", reading);
}

pub(super) fn whole(answer: &Value, reading: &mut Reading) -> Option<()> {
    answer.get("choices")?.as_array()?;
    take(answer, "/choices/0/message/content", reading);
    Some(())
}

fn take(value: &Value, content: &str, reading: &mut Reading) {
    reading.text.push_str(text_at(value, content).unwrap_or_default());
    keep(&mut reading.usage.input, count_at(value, "/usage/prompt_tokens"));
    keep(&mut reading.usage.output, count_at(value, "/usage/completion_tokens"));
    keep(&mut reading.usage.cached, count_at(value, "/usage/prompt_tokens_details/cached_tokens"));
    if let Some(reason) = text_at(value, "/choices/0/finish_reason") {
        reading.is_cut |= reason == "length";
        reading.stop = Some(reason.to_owned());
    }
}

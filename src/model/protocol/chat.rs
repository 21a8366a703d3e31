//! Chat completions, as OpenAI introduced them and many servers offer them.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{ModelRequest, PartialReply, count_at, keep_max, text_at};
use crate::body::{RequestBody, data_after, without_marks};
use crate::question::QuestionPart;

/// Texts and pictures, then the prompt. No PDF is ever packed for this protocol, since servers need not accept one.
pub(crate) fn body(request: &ModelRequest<'_>) -> RequestBody {
    let mut data = Vec::new();
    let mut content = request.question.parts.iter().map(|part| content_block(part, &mut data)).collect::<Vec<_>>();
    content.push(json!({ "type": "text", "text": without_marks(&request.question.prompt) }));
    let body = json!({
        "model": request.model,
        "stream": true,
        "stream_options": { "include_usage": true },
        "messages": [{ "role": "user", "content": content }],
    });
    RequestBody::of(&body, &data)
}

fn content_block(part: &QuestionPart, data: &mut Vec<Bytes>) -> Value {
    let mut url = |mime_type: &str, bytes: &Bytes| {
        data.push(bytes.clone());
        data_after(&format!("data:{mime_type};base64,"))
    };
    match part {
        QuestionPart::Document { bytes, file_name, .. } => {
            let file = json!({ "filename": without_marks(file_name), "file_data": url("application/pdf", bytes) });
            json!({ "type": "file", "file": file })
        }
        QuestionPart::Text(text) => json!({ "type": "text", "text": without_marks(text) }),
        QuestionPart::Picture(png) => json!({ "type": "image_url", "image_url": { "url": url("image/png", png) } }),
    }
}

/// Token counts arrive after the finish reason, in an event without choices.
pub(crate) fn read_event(event: &Value, reading: &mut PartialReply) {
    take(event, "/choices/0/delta/content", reading);
}

pub(crate) fn read_reply(answer: &Value, reading: &mut PartialReply) -> Option<()> {
    answer.get("choices")?.as_array()?;
    take(answer, "/choices/0/message/content", reading);
    Some(())
}

fn take(value: &Value, content: &str, reading: &mut PartialReply) {
    reading.text.push_str(text_at(value, content).unwrap_or_default());
    keep_max(&mut reading.usage.input, count_at(value, "/usage/prompt_tokens"));
    keep_max(&mut reading.usage.output, count_at(value, "/usage/completion_tokens"));
    keep_max(&mut reading.usage.cached, count_at(value, "/usage/prompt_tokens_details/cached_tokens"));
    if let Some(reason) = text_at(value, "/choices/0/finish_reason") {
        reading.is_cut |= reason == "length";
        reading.stop = Some(reason.to_owned());
    }
}

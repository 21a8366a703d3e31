//! Google's `generateContent`.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{ModelRequest, PartialReply, count_at, items_at, keep_max, text_at};
use crate::body::{RequestBody, data_after, without_marks};
use crate::question::QuestionPart;

pub(crate) fn url(base_url: &str, model: &str) -> String {
    let versioned = if base_url.ends_with("/v1beta") { base_url.to_owned() } else { format!("{base_url}/v1beta") };
    format!("{versioned}/models/{}:streamGenerateContent?alt=sse", model.strip_prefix("models/").unwrap_or(model))
}

/// Documents, then the prompt. The provider caches repeated content by itself.
pub(crate) fn body(request: &ModelRequest<'_>) -> RequestBody {
    let mut data = Vec::new();
    let mut parts = request.question.parts.iter().map(|part| content_block(part, &mut data)).collect::<Vec<_>>();
    parts.push(json!({ "text": without_marks(&request.question.prompt) }));
    RequestBody::of(&json!({ "contents": [{ "role": "user", "parts": parts }] }), &data)
}

fn content_block(part: &QuestionPart, data: &mut Vec<Bytes>) -> Value {
    let mut inline = |mime_type: &str, bytes: &Bytes| {
        data.push(bytes.clone());
        json!({ "inlineData": { "mimeType": mime_type, "data": data_after("") } })
    };
    match part {
        QuestionPart::Document { bytes, .. } => inline("application/pdf", bytes),
        QuestionPart::Text(text) => json!({ "text": without_marks(text) }),
        QuestionPart::Picture(png) => inline("image/png", png),
    }
}

/// Every event is a complete response; the last one has the finish reason.
pub(crate) fn read_event(event: &Value, reading: &mut PartialReply) {
    let parts = items_at(event, "/candidates/0/content/parts");
    for part in parts.filter(|part| part.get("thought") != Some(&Value::Bool(true))) {
        reading.text.push_str(text_at(part, "/text").unwrap_or_default());
    }
    let count = |name: &str| count_at(event, &format!("/usageMetadata/{name}"));
    keep_max(&mut reading.usage.input, count("promptTokenCount"));
    keep_max(&mut reading.usage.cached, count("cachedContentTokenCount"));
    let answered = count("candidatesTokenCount");
    let thought = count("thoughtsTokenCount").unwrap_or(0);
    keep_max(&mut reading.usage.output, answered.map(|answered| answered.saturating_add(thought)));
    let reasons = ["/candidates/0/finishReason", "/promptFeedback/blockReason"];
    if let Some(reason) = reasons.iter().find_map(|pointer| text_at(event, pointer)) {
        reading.is_cut |= reason == "MAX_TOKENS";
        reading.stop = Some(reason.to_owned());
        reading.is_complete = true;
    }
}

pub(crate) fn read_reply(answer: &Value, reading: &mut PartialReply) -> Option<()> {
    answer.get("candidates").or_else(|| answer.get("promptFeedback"))?;
    read_event(answer, reading);
    Some(())
}

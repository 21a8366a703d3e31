//! The remarks and details of an answer of `pdf`.

use serde_json::{Map, Value, json};

use super::arguments::ReferenceOrigin;
use super::load::RequestedPdf;
use super::packed_pdf::PackedPdf;
use crate::context::untrusted;
use pagewise_model::{ModelName, ModelReply};

/// A model that failed.
pub(super) struct FailedAttempt {
    pub(super) name: ModelName,
    pub(super) error: String,
}

/// An answer and how it was obtained.
pub(super) struct AnsweredQuestion<'a> {
    pub(super) name: &'a ModelName,
    pub(super) is_native: bool,
    pub(super) reply: &'a ModelReply,
    pub(super) requested: &'a [RequestedPdf],
    pub(super) packed: &'a [PackedPdf],
    pub(super) attempts: &'a [FailedAttempt],
}

impl AnsweredQuestion<'_> {
    /// One line each: untrusted content, the model that answered, what was not sent.
    pub(super) fn remarks(&self, max_output_tokens: u64) -> String {
        let sent = self
            .requested
            .iter()
            .zip(self.packed)
            .filter(|(requested, packed)| requested.loaded.is_ok() && packed.refused.is_none());
        let paths = sent.map(|(requested, _)| requested.path.as_str()).collect::<Vec<_>>();
        let mut lines = vec![untrusted(&paths.join(", ")), format!("Answered by {}.", self.name)];
        let failed = self.attempts.iter().map(|attempt| format!("{} failed: {}", attempt.name, attempt.error));
        lines.extend(failed);
        if self.reply.is_cut {
            let bound = format!("pdf_max_output_tokens is {max_output_tokens}");
            lines.push(format!("The answer is cut: the model reached its limit on the length of answers ({bound})."));
        }
        for (requested, packed) in self.requested.iter().zip(self.packed) {
            match &requested.loaded {
                Err(error) => lines.push(format!("Not sent: {}: {}", requested.path, error.message)),
                Ok(loaded) => {
                    lines.extend(loaded.selection_note.iter().map(|note| format!("{}: {note}", requested.path)));
                    lines.extend(packed.remarks(&requested.path));
                }
            }
        }
        lines.join("\n")
    }

    pub(super) fn details(&self) -> Value {
        let mut details = Map::new();
        let mut put = |name: &str, value: Value| details.insert(name.to_owned(), value);
        put("model", json!(self.name.to_string()));
        put("native", json!(self.is_native));
        put("attempts", attempts(self.attempts));
        match self.requested {
            [only] => {
                put("pdf", json!(only.path));
                only.rewritten_from.iter().for_each(|from| {
                    put("rewrittenFrom", json!(from));
                });
            }
            several => {
                put("pdfs", pdfs(several));
            }
        }
        put("sent", Value::Array(self.requested.iter().zip(self.packed).filter_map(sent).collect()));
        put("usage", self.usage());
        if self.reply.is_cut {
            put("truncated", json!(true));
        }
        let sent = self
            .requested
            .iter()
            .zip(self.packed)
            .filter(|(requested, packed)| requested.loaded.is_ok() && packed.refused.is_none());
        if sent.into_iter().any(|(requested, _)| requested.origin == ReferenceOrigin::Remote) {
            put("resultContentSource", json!("network"));
        }
        Value::Object(details)
    }

    fn usage(&self) -> Value {
        let usage = &self.reply.usage;
        let counts = [("inputTokens", usage.input), ("outputTokens", usage.output), ("cachedTokens", usage.cached)];
        let known = counts.into_iter().filter_map(|(name, count)| Some((name.to_owned(), json!(count?))));
        Value::Object(known.collect())
    }
}

/// `[{provider, model, error}]`.
pub(super) fn attempts(attempts: &[FailedAttempt]) -> Value {
    let attempt = |FailedAttempt { name, error }: &FailedAttempt| json!({ "provider": name.provider, "model": name.model, "error": error });
    Value::Array(attempts.iter().map(attempt).collect())
}

/// `[{pdf, rewrittenFrom?, error?}]`.
pub(super) fn pdfs(requested: &[RequestedPdf]) -> Value {
    let entry = |requested: &RequestedPdf| {
        let mut entry = Map::new();
        entry.insert("pdf".to_owned(), json!(requested.path));
        if let Some(from) = &requested.rewritten_from {
            entry.insert("rewrittenFrom".to_owned(), json!(from));
        }
        if let Err(error) = &requested.loaded {
            entry.insert("error".to_owned(), json!({ "code": error.code, "message": error.message }));
        }
        Value::Object(entry)
    };
    Value::Array(requested.iter().map(entry).collect())
}

/// What the model was sent of one PDF.
fn sent((requested, packed): (&RequestedPdf, &PackedPdf)) -> Option<Value> {
    let loaded = requested.loaded.as_ref().ok()?;
    let mut entry = Map::new();
    let mut put = |name: &str, value: Value| entry.insert(name.to_owned(), value);
    put("pdf", json!(requested.path));
    put("totalPages", json!(loaded.page_count));
    match &packed.refused {
        Some(reason) => {
            put("error", json!(reason));
        }
        None => {
            put("form", json!(packed.form));
            put("pages", json!(packed.pages.to_string()));
            put("bytes", json!(packed.bytes));
        }
    }
    if let Some((left, reason)) = &packed.left {
        put("left", json!({ "pages": left.to_string(), "reason": reason }));
    }
    if !packed.notes.is_empty() {
        put("notes", json!(packed.notes));
    }
    Some(Value::Object(entry))
}

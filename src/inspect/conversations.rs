//! The conversations, and what one of them holds.

use serde_json::{Map, Value, json};

use super::Call;
use crate::context::{ContextError, HeldFile, form_name};
use crate::tool::ToolError;
use pagewise_base::provider::{ProviderLimits, published};
use pagewise_store::ConversationRecord;
use pagewise_view::{AgentView, Conversation, ConversationHistory, FileKey, HistoryStep, StepKind, Usage};

/// Conversations in one answer.
const MAX_CONVERSATIONS: usize = 1_000;

/// Files in one answer.
const MAX_FILES: usize = 2_000;

/// Steps in one answer: the latest.
const MAX_STEPS: usize = 1_000;

impl Call<'_> {
    /// The conversations, those used last first.
    pub(super) fn conversations(&self) -> Result<Value, ToolError> {
        let records = self.context.conversations(self.viewer.owner())?;
        Ok(json!({
            "total": records.len(),
            "conversations": records.iter().take(MAX_CONVERSATIONS).map(record_json).collect::<Vec<_>>(),
        }))
    }

    /// One conversation, its cost and its files.
    pub(super) fn conversation(&self) -> Result<Value, ToolError> {
        let id = self.admitted()?;
        let conversation = self.context.conversation(&id)?.ok_or(ContextError::UnknownConversation)?;
        let status = self.context.status(&id, None)?;
        let mut value = record_json(&ConversationRecord::of(&id, &conversation));
        if let Value::Object(members) = &mut value {
            let forgotten = forgotten_files(&conversation).map(forgotten_json);
            let files = status.files.iter().map(file_json).chain(forgotten).take(MAX_FILES).collect::<Vec<_>>();
            members.insert("history".to_owned(), history_json(&conversation.history));
            members.insert("generation".to_owned(), json!(status.generation));
            members.insert("more".to_owned(), json!(status.files.len().saturating_sub(MAX_FILES)));
            members.insert("files".to_owned(), Value::Array(files));
            members.insert("providers".to_owned(), published().map(limits_json).collect());
        }
        Ok(value)
    }
}

fn history_json(history: &ConversationHistory) -> Value {
    history.steps.iter().skip(history.steps.len().saturating_sub(MAX_STEPS)).map(step_json).collect()
}

fn step_json(step: &HistoryStep) -> Value {
    let kind = match step.kind {
        StepKind::Delivery => "given",
        StepKind::Forget => "forgotten",
        StepKind::Emptying => "emptied",
    };
    let Usage { blocks, pages, bytes, tokens } = step.sent;
    json!({
        "point": step.at.0,
        "at": step.moment.0,
        "kind": kind,
        "blocks": blocks,
        "pages": pages,
        "bytes": bytes,
        "tokens": tokens,
    })
}

/// The files that a conversation neither holds nor follows, and of which it had pages forgotten, with their paths.
fn forgotten_files(conversation: &Conversation) -> impl Iterator<Item = (&FileKey, &String)> {
    let is_gone = |(file, _): &(&FileKey, &String)| conversation.view.last_reported_content(file).is_none();
    conversation.names.iter().filter(is_gone)
}

/// A file that the conversation had forgotten as a whole.
fn forgotten_json((key, path): (&FileKey, &String)) -> Value {
    json!({ "key": key.to_string(), "path": path, "type": "forgotten", "summary": false, "forms": {}, "earlier": "" })
}

fn record_json(record: &ConversationRecord) -> Value {
    json!({
        "id": record.id.as_str(),
        "title": title(record),
        "created": record.head.created.0,
        "used": record.head.used.0,
        "point": record.head.latest.0,
        "items": record.holdings,
        "sent": usage_json(&record.head.sent),
    })
}

/// By what people know a conversation: its client, folder and first file, or its handle if no file is known.
fn title(record: &ConversationRecord) -> String {
    let title = &record.head.title;
    if title.file.is_empty() {
        return record.id.to_string();
    }
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let parts = [title.client.clone(), last(&title.folder), last(&title.file)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

pub(super) fn usage_json(usage: &Usage) -> Value {
    json!({ "blocks": usage.blocks, "pages": usage.pages, "bytes": usage.bytes, "tokens": usage.tokens })
}

fn limits_json(limits: &ProviderLimits) -> Value {
    json!({
        "title": limits.title,
        "blocks": limits.max_blocks,
        "pages": limits.max_request_pages,
        "bytes": limits.max_request_bytes,
    })
}

fn file_json(file: &HeldFile) -> Value {
    let (kind, has_summary, lines) = match &file.view {
        Some(AgentView::Pdf { has_summary, .. }) => ("pdf", *has_summary, None),
        Some(AgentView::Binary { .. }) => ("binary", false, None),
        Some(AgentView::Text { lines, .. }) => {
            let spans = lines.iter().map(|span| format!("{}-{}", span.first(), span.last()));
            ("text", false, Some(spans.collect::<Vec<_>>().join(",")))
        }
        None => ("followed", false, None),
    };
    let forms = file.pages.iter().map(|(form, pages)| (form_name(*form).to_owned(), json!(pages.to_string())));
    json!({
        "key": file.key.to_string(),
        "path": file.path,
        "content": file.content.to_string(),
        "type": kind,
        "summary": has_summary,
        "lines": lines,
        "forms": forms.collect::<Map<_, _>>(),
        "earlier": file.earlier_pages.to_string(),
        "changed": file.has_changed,
    })
}

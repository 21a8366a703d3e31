//! The tool `context_updates`.

use serde_json::{Map, Value, json};

use super::arguments::UpdatesArguments;
use super::required_conversation;
use crate::context::{
    ContextManager, FileChange, FileUpdate, PageChanges, ResultBudget, TEXT_DELETED, Updates, json_length, one_line,
    page_change_lines, untrusted,
};
use crate::tool::arguments::ToolArguments as _;
use crate::tool::caller::Caller;
use crate::tool::data_answer::DataAnswer;
use crate::tool::error::ToolError;
use crate::tool::get_file::GetFileArguments;
use pagewise_base::page::PageSet;
use pagewise_view::ConversationId;

/// The result of `context_updates`. Commit its delivery once the answer was written to the client.
#[derive(Debug)]
pub struct UpdatesResult {
    /// The conversation.
    pub conversation: ConversationId,
    /// The changes.
    pub updates: Updates,
}

/// Answers `context_updates`.
///
/// # Errors
/// `validation_error` without a conversation, or a failure of the store.
pub fn context_updates(
    context: &ContextManager,
    arguments: &UpdatesArguments,
    caller: &Caller,
) -> Result<UpdatesResult, ToolError> {
    let conversation = required_conversation(caller, arguments.held.conversation.as_deref())?;
    let mut left = caller.result_budget(context).map(ResultBudget::bytes);
    let mut takes = |update: &FileUpdate| left.as_mut().is_none_or(|left| takes(left, update));
    let updates = context.updates_within(&conversation, arguments.held.generation, &caller.cancellation, &mut takes)?;
    Ok(UpdatesResult { conversation, updates })
}

impl UpdatesResult {
    /// The answer for a client.
    #[must_use]
    pub fn data(&self) -> DataAnswer {
        let Updates { left, notes, .. } = &self.updates;
        let structure = self.structure();
        let brief = json!({ "files": structure.get("files"), "left": left, "notes": notes });
        DataAnswer { text: updates_text(&self.updates), structure, brief }
    }

    /// The changes as data.
    #[must_use]
    pub fn structure(&self) -> Value {
        let mut structure = updates_json(&self.updates);
        structure.insert("conversation".to_owned(), json!(self.conversation.as_str()));
        structure.insert("generation".to_owned(), json!(self.updates.generation));
        Value::Object(structure)
    }
}

/// Bytes between two updates, in the text and in the data.
const BETWEEN: u64 = 8;

/// Whether `update` fits into `left` bytes. Takes its cost.
fn takes(left: &mut u64, update: &FileUpdate) -> bool {
    let cost = json_length(&update_text(update)).saturating_add(json_length(&update_json(update)));
    let rest = left.checked_sub(cost.saturating_add(BETWEEN));
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// Updates as text; a single line if there are none.
#[must_use]
pub fn updates_text(updates: &Updates) -> String {
    let mut parts: Vec<String> = updates.files.iter().map(update_text).collect();
    match updates.left {
        0 if parts.is_empty() => parts.push("No changes that have not been reported.".to_owned()),
        0 => {}
        left => parts
            .push(format!("This answer reports no more. Files not checked yet: {left}. Next call: context_updates")),
    }
    parts.extend(updates.notes.iter().cloned());
    parts.join("\n\n")
}

/// Updates as data.
#[must_use]
pub fn updates_json(updates: &Updates) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("files".to_owned(), updates.files.iter().map(update_json).collect());
    object.insert("isCut".to_owned(), json!(updates.left > 0));
    object.insert("left".to_owned(), json!(updates.left));
    if !updates.notes.is_empty() {
        object.insert("notes".to_owned(), json!(updates.notes));
    }
    object
}

/// One update as text.
#[must_use]
pub fn update_text(file: &FileUpdate) -> String {
    let path = one_line(&file.path);
    match &file.change {
        FileChange::Deleted => format!("{path}: {TEXT_DELETED}"),
        FileChange::Restored => format!("{path}: This file is again as it was given to you."),
        FileChange::Unreadable { reason } => format!("{path}: It cannot be read now: {}", one_line(reason)),
        FileChange::Text { diff } => format!(
            "{path}: This file has changed since it was given to you. The changes, as a unified diff:\n{}\n{diff}",
            untrusted(&path)
        ),
        FileChange::WholeText { text } if text.is_empty() => {
            format!("{path}: This file has changed since it was given to you. It is empty now.")
        }
        FileChange::WholeText { text } => format!(
            "{path}: This file has changed since it was given to you. Its whole text now:\n{}\n{text}",
            untrusted(&path)
        ),
        FileChange::Content { reason, .. } => {
            let reason = reason.as_ref().map(|reason| format!(" ({})", one_line(reason))).unwrap_or_default();
            format!("{path}: This file has changed since it was given to you{reason}. Call get_file to read it.")
        }
        FileChange::Pages(changes) => pages_text(&path, changes),
    }
}

fn pages_text(path: &str, changes: &PageChanges) -> String {
    let mut lines = vec![format!("{path}: This file has changed since it was given to you.")];
    lines.extend(page_change_lines(changes));
    let new = [&changes.changed, &changes.added].into_iter().flat_map(PageSet::iter).collect::<PageSet>();
    if !new.is_empty() {
        let read = GetFileArguments {
            file_path: path.to_owned(),
            pages: Some(new.to_string()).into(),
            ..GetFileArguments::default()
        };
        lines.push(read.next_call(&[]));
    }
    lines.join("\n")
}

/// One change as data.
#[must_use]
pub fn update_json(file: &FileUpdate) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    put("path", json!(file.path));
    match &file.change {
        FileChange::Deleted => {
            put("change", json!("deleted"));
            put("message", json!(TEXT_DELETED));
        }
        FileChange::Restored => put("change", json!("restored")),
        FileChange::Unreadable { reason } => {
            put("change", json!("unreadable"));
            put("reason", json!(reason));
        }
        FileChange::Text { diff } => {
            put("change", json!("text"));
            put("diff", json!(diff));
        }
        FileChange::WholeText { text } => {
            put("change", json!("text"));
            put("text", json!(text));
        }
        FileChange::Content { mime_type, reason } => {
            put("change", json!("content"));
            put("mimeType", json!(mime_type));
            reason.iter().for_each(|reason| put("reason", json!(reason)));
        }
        FileChange::Pages(changes) => {
            put("change", json!("pages"));
            pages_json(changes).into_iter().for_each(|(name, value)| put(&name, value));
        }
    }
    Value::Object(object)
}

/// Page changes as data, with 1-based page numbers.
pub(crate) fn pages_json(changes: &PageChanges) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    changes.pages_before.iter().for_each(|before| put("pagesBefore", json!(before)));
    put("pagesNow", json!(changes.pages_now));
    let sets = [
        ("changed", &changes.changed),
        ("added", &changes.added),
        ("removed", &changes.removed),
        ("notCompared", &changes.not_compared),
    ];
    sets.iter().filter(|(_, pages)| !pages.is_empty()).for_each(|(name, pages)| put(name, json!(pages.to_string())));
    if !changes.moved.is_empty() {
        let moved = changes.moved.iter().map(|(then, now)| json!([then.number().get(), now.number().get()]));
        put("moved", moved.collect());
    }
    put("isExact", json!(changes.is_exact));
    object
}

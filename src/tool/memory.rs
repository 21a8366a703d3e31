//! The tools `context_status` and `context_forget`.

use serde_json::{Value, json};

use super::arguments::{ForgetArguments, StatusArguments};
use super::error::ToolError;
use super::get_file::Caller;
use crate::context::{ContextManager, ForgetRequest, HeldFile, Sent, form_name, grouped, one_line, page_or_pages};
use crate::page::{PageSet, parse_page_selection};
use crate::view::{AgentView, ConversationId};

/// Blocks with media that a provider takes in one request.
const MAX_MEDIA_BLOCKS: u64 = 100;

/// Bytes that a provider takes in one request.
const MAX_REQUEST_BYTES: u64 = 32_000_000;

/// The result of a tool that answers with data: the text says all that the structure says.
#[derive(Debug, Clone, PartialEq)]
pub struct DataAnswer {
    /// For the model.
    pub text: String,
    /// The same as data.
    pub structure: Value,
}

/// Answers `context_status`.
///
/// # Errors
/// `validation_error` without a conversation, and failures of the store.
pub fn context_status(
    context: &ContextManager,
    arguments: &StatusArguments,
    caller: &Caller,
) -> Result<DataAnswer, ToolError> {
    let conversation = required(caller, arguments.conversation.as_deref())?;
    let status = context.status(&conversation)?;
    let mut lines = vec![format!("Files that conversation {conversation} holds: {}", status.files.len())];
    lines.extend(status.files.iter().map(file_line));
    lines.push(sent_line(&status.sent));
    let structure = json!({
        "conversation": conversation.as_str(),
        "files": status.files.iter().map(file_json).collect::<Vec<_>>(),
        "totals": sent_json(&status.sent),
    });
    Ok(DataAnswer { text: lines.join("\n"), structure })
}

/// Answers `context_forget`.
///
/// # Errors
/// `validation_error` without a conversation or for pages that are no selection, and failures of the store.
pub fn context_forget(
    context: &ContextManager,
    arguments: &ForgetArguments,
    caller: &Caller,
) -> Result<DataAnswer, ToolError> {
    let conversation = required(caller, arguments.conversation.as_deref())?;
    let pages = arguments.pages.as_deref().map(selection).transpose()?;
    let what = match (&arguments.file_path, &arguments.pages) {
        (None, _) => "everything".to_owned(),
        (Some(file), None) => file.clone(),
        (Some(file), Some(pages)) => format!("pages \"{pages}\" of {file}"),
    };
    context.forget(&conversation, &ForgetRequest { file: arguments.file_path.clone(), pages })?;
    let text = format!("Forgotten in conversation {conversation}: {what}. It can be given again.");
    Ok(DataAnswer { text, structure: json!({ "conversation": conversation.as_str(), "forgotten": what }) })
}

fn required(caller: &Caller, named: Option<&str>) -> Result<ConversationId, ToolError> {
    caller.conversation(named)?.ok_or_else(|| ToolError::required("conversation"))
}

/// Pages to forget, of a document that need not exist any more: open ends reach to the last page there can be.
fn selection(text: &str) -> Result<PageSet, ToolError> {
    parse_page_selection(text, u32::MAX).map_err(|_| {
        ToolError::validation("Parameter 'pages' must be a selection of 1-based pages like \"3\", \"1-3,7\" or \"4-\"")
    })
}

fn file_name(file: &HeldFile) -> String {
    file.path.clone().unwrap_or_else(|| format!("a file with blake3 {}", file.content))
}

fn file_line(file: &HeldFile) -> String {
    let mut parts = Vec::new();
    match &file.view {
        AgentView::Text { lines, .. } => {
            let spans = lines.iter().map(|span| format!("{}-{}", span.first(), span.last()));
            parts.push(format!("lines {}", spans.collect::<Vec<_>>().join(",")));
        }
        AgentView::Binary { .. } => parts.push("the whole file".to_owned()),
        AgentView::Pdf { summary, .. } => parts.extend(summary.then(|| "summary".to_owned())),
    }
    parts.extend(file.pages.iter().map(|(form, pages)| format!("{} as {}", page_or_pages(pages), form_name(*form))));
    format!("- {}: {}", one_line(&file_name(file)), parts.join("; "))
}

fn file_json(file: &HeldFile) -> Value {
    let mut value = json!({ "blake3": file.content.to_string() });
    let mut put = |name: &str, fact: Value| {
        if let Value::Object(object) = &mut value {
            object.insert(name.to_owned(), fact);
        }
    };
    if let Some(path) = &file.path {
        put("path", json!(path));
    }
    match &file.view {
        AgentView::Text { lines, .. } => {
            put("type", json!("text"));
            put("lines", json!(lines.iter().map(|span| [span.first(), span.last()]).collect::<Vec<_>>()));
        }
        AgentView::Binary { .. } => put("type", json!("binary")),
        AgentView::Pdf { summary, supports_page_extraction, .. } => {
            put("type", json!("pdf"));
            put("summary", json!(summary));
            put("supportsPageExtraction", json!(supports_page_extraction));
            let forms = file.pages.iter().map(|(form, pages)| (form_name(*form).to_owned(), json!(pages.to_string())));
            put("pages", Value::Object(forms.collect()));
        }
    }
    value
}

fn sent_line(sent: &Sent) -> String {
    format!(
        "Sent so far: {} media blocks (a provider takes {MAX_MEDIA_BLOCKS} in one request), {} bytes (a provider takes \
         {}), about {} tokens.",
        sent.blocks,
        grouped(sent.bytes),
        grouped(MAX_REQUEST_BYTES),
        grouped(sent.tokens),
    )
}

fn sent_json(sent: &Sent) -> Value {
    json!({
        "mediaBlocks": sent.blocks,
        "maxMediaBlocks": MAX_MEDIA_BLOCKS,
        "bytes": sent.bytes,
        "maxBytes": MAX_REQUEST_BYTES,
        "tokens": sent.tokens,
    })
}

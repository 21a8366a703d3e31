//! The tools `context_status`, `context_forget` and `context_fork`.

mod arguments;
mod updates;

use serde_json::{Map, Value, json};

pub use self::arguments::{ConversationArguments, ForgetArguments, ForkArguments, StatusArguments, UpdatesArguments};
pub(super) use self::updates::pages_json;
pub use self::updates::{UpdatesResult, context_updates, update_json, update_text, updates_json, updates_text};

use super::arguments::ToolArguments as _;
use super::caller::Caller;
use super::data_answer::DataAnswer;
use super::error::{ErrorCode, ToolError};
use crate::context::{
    ContextError, ContextManager, ConversationPoint, ConversationStatus, ForgetRequest, HeldFile, RequestBounds,
    UnreadParts, count_of, form_name, grouped, one_line, page_or_pages, select_from, untrusted,
};
use pagewise_base::page::{PageSet, parse_page_selection};
use pagewise_base::provider::{ProviderLimits, published};
use pagewise_view::Usage;
use pagewise_view::{AgentView, ConversationId, LineSpan};

/// Files in one answer to a client.
const MAX_FILES: usize = 10;

/// What a conversation holds, for one answer.
#[derive(Debug, Clone)]
pub struct StatusResult {
    /// The conversation.
    pub conversation: ConversationId,
    /// What it holds.
    pub status: ConversationStatus,
    /// What is unread of each listed file.
    pub unread: Vec<UnreadParts>,
    /// What one request to a provider may hold.
    pub bounds: RequestBounds,
    /// Files before the first listed one.
    skipped: usize,
    /// Files that are listed.
    max: usize,
}

/// Answers `context_status`.
///
/// # Errors
/// `validation_error` without a conversation, or a failure of the store.
pub fn context_status(
    context: &ContextManager,
    arguments: &StatusArguments,
    caller: &Caller,
) -> Result<StatusResult, ToolError> {
    let conversation = required_conversation(caller, arguments.held.conversation.as_deref())?;
    let status = context.status(&conversation, arguments.held.generation)?;
    let total = status.files.len();
    let skipped = usize::try_from(arguments.start_file.map_or(0, |first| first.get() - 1)).unwrap_or(usize::MAX);
    if skipped > 0 && skipped >= total {
        let expected = match total {
            0 => "must be left out: no file has been sent yet".to_owned(),
            _ => format!("must be at most {total}, the number of files"),
        };
        return Err(ToolError::parameter("startFile", &expected));
    }
    let max = if caller.client.is_direct { usize::MAX } else { MAX_FILES };
    let unread = context.unread_parts(status.files.iter().skip(skipped).take(max), &caller.cancellation);
    Ok(StatusResult { conversation, status, unread, bounds: context.settings().request_bounds, skipped, max })
}

impl StatusResult {
    /// The answer for a client.
    #[must_use]
    pub fn data(&self, arguments: &StatusArguments) -> DataAnswer {
        let brief = json!({
            "conversation": self.conversation.as_str(),
            "point": self.status.point.0,
            "files": self.files().map(|(file, _)| brief_file(file)).collect::<Vec<_>>(),
            "left": self.left(),
            "totals": sent_brief(&self.status.sent),
        });
        DataAnswer { text: self.text(arguments), structure: self.structure(), brief }
    }

    /// The status as data.
    #[must_use]
    pub fn structure(&self) -> Value {
        json!({
            "conversation": self.conversation.as_str(),
            "generation": self.status.generation,
            "point": self.status.point.0,
            "files": self.files().map(|(file, unread)| file_json(file, unread)).collect::<Vec<_>>(),
            "totals": sent_json(&self.status.sent, &self.bounds),
            "providers": published().map(limits_json).collect::<Vec<_>>(),
        })
    }

    fn text(&self, arguments: &StatusArguments) -> String {
        let total = self.status.files.len();
        let mut lines = vec![format!("Files sent in conversation {}: {total}", self.conversation)];
        lines.extend(self.files().map(|(file, unread)| file_line(file, unread)));
        let quoted = self.files().filter(|(_, unread)| !unread.sections.is_empty());
        let quoted = quoted.map(|(file, _)| held_file_name(file)).collect::<Vec<_>>();
        lines.extend((!quoted.is_empty()).then(|| untrusted(&quoted.join(", "))));
        let left = self.left();
        lines.extend((left > 0).then(|| {
            let from = total - left + 1;
            format!(
                "[{}, used less recently. {}]",
                count_of(u64::try_from(left).unwrap_or(u64::MAX), "more file"),
                arguments.next_call(&[("startFile", from.into())])
            )
        }));
        lines.push(sent_line(&self.status.sent, &self.bounds));
        lines.push(point_line(&self.status));
        lines.join("\n")
    }

    /// The files that are listed, each with what is unread of it.
    pub fn files(&self) -> impl Iterator<Item = (&HeldFile, &UnreadParts)> {
        self.status.files.iter().skip(self.skipped).take(self.max).zip(&self.unread)
    }

    /// Files after the last listed one.
    fn left(&self) -> usize {
        self.status.files.len().saturating_sub(self.skipped.saturating_add(self.max))
    }
}

/// Answers `context_forget`.
///
/// # Errors
/// `validation_error` without a conversation, for invalid pages and for what is not held, or a failure of the store.
pub fn context_forget(
    context: &ContextManager,
    arguments: &ForgetArguments,
    caller: &Caller,
) -> Result<DataAnswer, ToolError> {
    let conversation = required_conversation(caller, arguments.held.conversation.as_deref())?;
    let pages = arguments.pages.as_deref().map(|pages| selection(context, arguments, pages, caller)).transpose()?;
    let what = match (&arguments.file_path, &arguments.pages) {
        (None, _) if arguments.keep_files => "everything except the list of files".to_owned(),
        (None, _) => "everything".to_owned(),
        (Some(file), None) => file.clone(),
        (Some(file), Some(pages)) => {
            format!("{} {pages} of {file}", if pages.contains([',', '-', ':']) { "pages" } else { "page" })
        }
    };
    if let Some(file) = &arguments.file_path
        && !context.holds(&conversation, file, pages.as_ref())?
    {
        let refused = ToolError::validation(&format!("Conversation {conversation} does not hold {what}"));
        let command = format!("pagewise context status --conversation {conversation} shows what it holds.");
        return Err(refused.hint("context_status names what it holds.").command_hint(&command));
    }
    if let Some(generation) = arguments.held.generation {
        context.enter(&conversation, generation)?;
    }
    let request = ForgetRequest { file: arguments.file_path.clone(), pages, keep_files: arguments.keep_files };
    context.forget(&conversation, &request)?;
    let text = format!("Forgotten in conversation {conversation}: {what}. It is sent again when asked for.");
    Ok(DataAnswer::new(text, json!({ "conversation": conversation.as_str(), "forgotten": what })))
}

/// Answers `context_fork`.
///
/// # Errors
/// `validation_error` without a conversation and for a point that never was, `unknown_conversation`, or a failure of the
/// store.
pub fn context_fork(
    context: &ContextManager,
    arguments: &ForkArguments,
    caller: &Caller,
) -> Result<DataAnswer, ToolError> {
    let origin = required_conversation(caller, arguments.conversation.as_deref())?;
    if let (Some(point), Some(latest)) = (arguments.as_of, context.latest_point(&origin)?)
        && point > latest.0
    {
        return Err(ToolError::parameter("asOf", &format!("must be an earlier point, 0 to {}", latest.0)));
    }
    let unknown = |error: ContextError| match error {
        ContextError::UnknownConversation => {
            ToolError::new(ErrorCode::UnknownConversation, format!("Unknown conversation: {origin}"))
                .hint("Without conversation, your own is copied; its name is in context_status.")
                .command_hint("Name one that was used before with --conversation.")
        }
        error => error.into(),
    };
    let fork = match context.fork(&origin, arguments.as_of.map(ConversationPoint)) {
        // The caller's own conversation, which was never given anything.
        Err(ContextError::UnknownConversation) if arguments.conversation.is_none() && arguments.as_of.is_none() => {
            context.mint(None)
        }
        forked => forked,
    }
    .map_err(unknown)?;
    let when = arguments.as_of.map_or("holds now".to_owned(), |point| format!("held at point {point}"));
    let text = format!(
        "Conversation: {fork}\nIt holds what conversation {origin} {when}. From now on neither affects the other."
    );
    let mut structure = json!({ "conversation": fork.as_str(), "origin": origin.as_str() });
    if let (Value::Object(object), Some(point)) = (&mut structure, arguments.as_of) {
        object.insert("asOf".to_owned(), json!(point));
    }
    Ok(DataAnswer::new(text, structure))
}

pub(crate) fn required_conversation(caller: &Caller, named: Option<&str>) -> Result<ConversationId, ToolError> {
    let unnamed = || {
        ToolError::required("conversation")
            .hint("Pass the name that get_file's answer gave.")
            .command_hint("Name one that was used before with --conversation.")
    };
    caller.conversation(named)?.ok_or_else(unnamed)
}

/// Pages to forget. Of numbers, the document need not exist any more, so open ends reach to the largest page number. Where
/// the last page, labels and titles are, only the document can say.
fn selection(
    context: &ContextManager,
    arguments: &ForgetArguments,
    text: &str,
    caller: &Caller,
) -> Result<PageSet, ToolError> {
    let needs_document = text.contains(':') || text.to_ascii_lowercase().contains("last");
    if let Some(selection) = parse_page_selection(text, u32::MAX).ok().filter(|_| !needs_document) {
        return Ok(selection.pages);
    }
    let refused =
        || ToolError::parameter("pages", "must be a selection of 1-based pages like \"3\", \"1-3,7\" or \"4-\"");
    let path = arguments.file_path.as_deref().filter(|_| needs_document).ok_or_else(refused)?;
    let conversation = caller.conversation(arguments.held.conversation.as_deref())?;
    let requester = caller.requester(conversation.as_ref());
    let pdf = context.open_pdf_for(path, None, requester)?;
    Ok(select_from(text, &*pdf.document)?.pages)
}

/// The path of a file, or what is known of it instead.
#[must_use]
pub fn held_file_name(file: &HeldFile) -> String {
    file.path.clone().unwrap_or_else(|| format!("a file with blake3 {}", file.content))
}

fn file_line(file: &HeldFile, unread: &UnreadParts) -> String {
    format!("- {}: {}", one_line(&held_file_name(file)), held_words(file, unread))
}

/// What is held of a file, and what is unread of it.
#[must_use]
pub fn held_words(file: &HeldFile, unread: &UnreadParts) -> String {
    let mut parts = Vec::new();
    match &file.view {
        Some(AgentView::Text { lines, .. }) => {
            let named = |span: &LineSpan| match span.first() == span.last() {
                true => span.first().to_string(),
                false => format!("{}-{}", span.first(), span.last()),
            };
            let spans = lines.iter().map(named).collect::<Vec<_>>().join(",");
            parts.push(format!("{} {spans}", if spans.contains(['-', ',']) { "lines" } else { "line" }));
        }
        Some(AgentView::Binary { .. }) => parts.push("the whole file".to_owned()),
        Some(AgentView::Pdf { has_summary, .. }) => parts.extend(has_summary.then(|| "summary".to_owned())),
        None => parts.push("nothing sent; changes are still reported".to_owned()),
    }
    parts.extend(file.pages.iter().map(|(form, pages)| format!("{} as {}", page_or_pages(pages), form_name(*form))));
    if !file.earlier_pages.is_empty() {
        parts.push(format!("{} of an earlier version", page_or_pages(&file.earlier_pages)));
    }
    if file.has_changed {
        parts.push("changed since".to_owned());
    }
    let unread = unread.words();
    parts.extend((!unread.is_empty()).then(|| format!("unread: {unread}")));
    parts.join("; ")
}

fn file_json(file: &HeldFile, unread: &UnreadParts) -> Value {
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
        Some(AgentView::Text { lines, .. }) => {
            put("type", json!("text"));
            put("lines", json!(lines.iter().map(|span| [span.first(), span.last()]).collect::<Vec<_>>()));
        }
        Some(AgentView::Binary { .. }) => put("type", json!("binary")),
        Some(AgentView::Pdf { has_summary: summary, supports_page_extraction, .. }) => {
            put("type", json!("pdf"));
            put("summary", json!(summary));
            put("supportsPageExtraction", json!(supports_page_extraction));
            let forms = file.pages.iter().map(|(form, pages)| (form_name(*form).to_owned(), json!(pages.to_string())));
            put("pages", Value::Object(forms.collect()));
            if !file.unread.is_empty() {
                put("unread", json!(file.unread.to_string()));
            }
        }
        None => put("type", json!("followed")),
    }
    if !file.earlier_pages.is_empty() {
        put("earlierPages", json!(file.earlier_pages.to_string()));
    }
    if file.has_changed {
        put("hasChanged", json!(true));
    }
    if !unread.sections.is_empty() {
        let section = |(title, pages): &(String, PageSet)| json!({ "title": title, "pages": pages.to_string() });
        put("unreadSections", unread.sections.iter().map(section).collect());
    }
    value
}

/// As [`file_json`], without what only a program needs. Sections are named in the text.
fn brief_file(file: &HeldFile) -> Value {
    let mut value = file_json(file, &UnreadParts::default());
    if let Value::Object(object) = &mut value {
        let is_named = object.contains_key("path");
        object.retain(|name, value| {
            let is_extra = ["type", "supportsPageExtraction"].contains(&name.as_str());
            !(is_extra || is_named && name == "blake3" || *value == json!(false))
        });
    }
    value
}

fn sent_line(sent: &Usage, bounds: &RequestBounds) -> String {
    format!(
        "Sent so far: {} (the provider's limit is {}), including {} ({}), {} ({}), about {}.",
        count_of(sent.blocks, "media block"),
        grouped(bounds.max_media_blocks),
        count_of(sent.pages, "PDF page"),
        grouped(bounds.max_pdf_pages),
        count_of(sent.bytes, "byte"),
        grouped(bounds.max_request_bytes),
        count_of(sent.tokens, "token"),
    )
}

fn sent_brief(sent: &Usage) -> Value {
    json!({ "mediaBlocks": sent.blocks, "pdfPages": sent.pages, "bytes": sent.bytes, "tokens": sent.tokens })
}

fn sent_json(sent: &Usage, bounds: &RequestBounds) -> Value {
    json!({
        "mediaBlocks": sent.blocks,
        "maxMediaBlocks": bounds.max_media_blocks,
        "pdfPages": sent.pages,
        "maxPdfPages": bounds.max_pdf_pages,
        "bytes": sent.bytes,
        "maxBytes": bounds.max_request_bytes,
        "tokens": sent.tokens,
    })
}

/// The limits of a provider by name.
fn bounds(limits: &ProviderLimits) -> impl Iterator<Item = (&'static str, u64)> {
    let all = [
        ("maxMediaBlocks", limits.max_blocks),
        ("maxPdfPages", limits.max_request_pages),
        ("maxBytes", Some(limits.max_request_bytes)),
        ("maxDocumentPages", limits.max_document_pages),
        ("maxDocumentBytes", limits.max_document_bytes),
        ("maxPictureBytes", limits.max_picture_bytes),
    ];
    all.into_iter().filter_map(|(name, bound)| Some((name, bound?)))
}

fn limits_json(limits: &ProviderLimits) -> Value {
    let mut object = Map::new();
    object.insert("provider".to_owned(), json!(limits.title));
    object.extend(bounds(limits).map(|(name, bound)| (name.to_owned(), json!(bound))));
    object.extend(limits.source.map(|source| ("source".to_owned(), json!(source.to_string()))));
    Value::Object(object)
}

fn point_line(status: &ConversationStatus) -> String {
    format!(
        "Point: {} (names this state of the record). Generation: {} (compactions reported).",
        status.point.0, status.generation
    )
}

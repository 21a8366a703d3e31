//! The tools `fetch_content` and `get_search_content`.

mod arguments;

use serde_json::{Map, Value, json};

pub use self::arguments::{FetchArguments, SearchContentArguments};

use self::arguments::{DEFAULT_MAX_CHARS, MAX_CHARS};
use super::arguments::ToolArguments as _;
use super::caller::Caller;
use super::error::{ToolError, content_not_found, web_error};
use super::page_tag::tag_blocks;
use super::truncate::{char_count, prefix_within};
use crate::context::{
    Block, ContextManager, FetchOutcome, FetchedText, ProgressListener, ResultBudget, count_of, grouped, one_line,
    untrusted, untrusted_pages,
};
use pagewise_view::ConversationId;
use pagewise_web::{FetchedResponse, FetchedUrl, ResponseId, StoredText};

/// The result of both tools.
#[derive(Debug)]
pub struct FetchAnswer {
    /// For the model, in order.
    pub blocks: Vec<Block>,
    /// For the program.
    pub details: Value,
}

/// Answers `fetch_content`.
///
/// # Errors
/// Why the URL could not be fetched. For several URLs, only if all failed.
pub fn fetch_content(
    context: &ContextManager,
    arguments: &FetchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<FetchAnswer, ToolError> {
    let conversation = caller.conversation(arguments.conversation.as_deref())?;
    progress.starts(u64::try_from(arguments.urls.len()).unwrap_or(u64::MAX));
    let mut pages = context.fetch(&arguments.urls, &|| progress.page_done(), &caller.cancellation);
    if pages.iter().all(|page| page.outcome.is_err()) {
        return Err(nothing_fetched_error(pages));
    }
    // Without an id, the inline text is still useful.
    let kept = context.store_fetched(&pages, caller.requester(conversation.as_ref()));
    let budget = caller.result_budget(context).map_or(u64::MAX, ResultBudget::characters);
    let shown = divide_room(&pages, budget.min(DEFAULT_MAX_CHARS));
    let mut draft = FetchAnswerBuilder::new(kept.ok(), conversation.as_ref(), pages.len());
    draft.is_bound = budget < DEFAULT_MAX_CHARS;
    for (index, (page, share)) in pages.drain(..).zip(shown).enumerate() {
        match page.outcome {
            Ok(text) => draft.push(index, &page.url, &text, share),
            Err(error) => draft.push_failure(index, &page.url, &error.into()),
        }
    }
    let mut answer = draft.answer(caller);
    tag_blocks(&mut answer.blocks, caller);
    Ok(answer)
}

/// The error if nothing was fetched: the single reason, or all of them.
fn nothing_fetched_error(pages: Vec<FetchOutcome>) -> ToolError {
    let failure = |page: FetchOutcome| page.outcome.err().map(|error| (page.url, ToolError::from(error)));
    let mut failures = pages.into_iter().filter_map(failure).collect::<Vec<_>>();
    if failures.len() == 1
        && let Some((_, only)) = failures.pop()
    {
        return only;
    }
    let count = failures.len();
    let code = failures.first().map_or(super::error::ErrorCode::FetchFailed, |(_, first)| first.code);
    let lines = failures.iter().map(|(_, error)| error.message.clone()).collect::<Vec<_>>().join("\n");
    let listed = failures.iter().map(|(url, error)| json!({ "url": url, "error": error })).collect::<Vec<_>>();
    ToolError::new(code, format!("None of the {count} URLs could be read:\n{lines}")).with("urls", json!(listed))
}

/// Divides the room of an answer among the texts. Short texts leave their unused share to the others.
fn divide_room(pages: &[FetchOutcome], budget: u64) -> Vec<u64> {
    let lengths = pages.iter().map(|page| page.outcome.as_ref().map_or(0, |text| char_count(&text.stored.text)));
    let lengths = lengths.collect::<Vec<_>>();
    let mut sorted = lengths.clone();
    sorted.sort_unstable();
    let (mut left, mut share) = (budget, budget);
    for (at, length) in sorted.iter().enumerate() {
        let sharing = u64::try_from(sorted.len() - at).unwrap_or(u64::MAX);
        share = left / sharing.max(1);
        if *length > share {
            break;
        }
        left -= length;
    }
    lengths.into_iter().map(|length| length.min(share)).collect()
}

struct FetchAnswerBuilder<'a> {
    id: Option<ResponseId>,
    conversation: Option<&'a ConversationId>,
    is_list: bool,
    /// Whether the result has less room than a client may ask for.
    is_bound: bool,
    blocks: Vec<Block>,
    urls: Vec<Value>,
    next_calls: Vec<String>,
}

impl<'a> FetchAnswerBuilder<'a> {
    fn new(id: Option<ResponseId>, conversation: Option<&'a ConversationId>, count: usize) -> Self {
        let (blocks, urls, next_calls) = (Vec::new(), Vec::new(), Vec::new());
        Self { id, conversation, is_list: count > 1, is_bound: false, blocks, urls, next_calls }
    }

    fn push(&mut self, index: usize, url: &str, text: &FetchedText, share: u64) {
        let stored = &text.stored;
        self.blocks.push(Block::Text(self.heading(index, url, text)));
        let total = char_count(&stored.text);
        let shown = prefix_within(&stored.text, share);
        let (shown_chars, is_cut) = (char_count(shown), shown.len() < stored.text.len());
        let mut block = shown.to_owned();
        if is_cut {
            block.push_str(&truncated(share, total, shown_chars, self.is_bound));
            self.next_calls.extend(self.id.as_ref().map(|id| {
                let response =
                    SearchContentArguments { response_id: id.to_string(), ..SearchContentArguments::default() };
                response.next_call(&[("urlIndex", json!(index)), ("offset", json!(shown_chars))])
            }));
        }
        self.blocks.push(Block::Text(block));
        let mut details = details_of(stored, total);
        details.insert("url".into(), json!(url));
        details.insert("location".into(), json!(text.location));
        details.insert("blake3".into(), json!(text.content.to_string()));
        details.insert("unchanged".into(), json!(text.was_stored));
        details.insert("shownChars".into(), json!(shown_chars));
        details.insert("truncated".into(), json!(is_cut));
        self.urls.push(Value::Object(details));
    }

    /// The lines before the text: what it is, and that it is untrusted.
    fn heading(&self, index: usize, url: &str, text: &FetchedText) -> String {
        let number = if self.is_list { format!("[{index}] ") } else { String::new() };
        let found = if text.location == url { String::new() } else { format!(", found at {}", text.location) };
        let mut lines = vec![format!("{number}{url} ({}{found})", describe(&text.stored))];
        lines.extend(text.stored.notes.iter().map(|note| format!("Note: {}", one_line(note))));
        lines.push(untrusted_text(&text.stored, url));
        lines.join("\n")
    }

    fn push_failure(&mut self, index: usize, url: &str, error: &ToolError) {
        let hint = error.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
        self.blocks.push(Block::Text(format!("[{index}] {url}: {}{hint}", error.message)));
        self.urls.push(json!({ "url": url, "error": error }));
    }

    fn answer(mut self, caller: &Caller) -> FetchAnswer {
        let id = self.id.as_ref().map(|id| format!("responseId: {id}"));
        let lost = "The texts could not be stored: fetch again to see more.".to_owned();
        let handle = self.conversation.map(|handle| caller.conversation_line(handle));
        let mut lines = vec![id.unwrap_or(lost)];
        lines.append(&mut self.next_calls);
        lines.extend(handle);
        self.blocks.push(Block::Text(lines.join("\n")));
        let id = self.id.as_ref().map(ResponseId::as_str);
        FetchAnswer { blocks: self.blocks, details: json!({ "responseId": id, "urls": self.urls }) }
    }
}

/// Marks a text as untrusted. That of a PDF has headers of pages.
fn untrusted_text(stored: &StoredText, url: &str) -> String {
    if stored.pages.is_some() { untrusted_pages(url) } else { untrusted(url) }
}

/// `text/html, "Title", 1,234 characters`.
fn describe(stored: &StoredText) -> String {
    let title = stored.title.as_ref().map(|title| format!("\"{}\"", one_line(title)));
    let pages = stored.pages.map(|pages| count_of(pages.into(), "page"));
    let characters = format!("{} characters", grouped(char_count(&stored.text)));
    let parts = [Some(stored.mime_type.clone()), title, pages, Some(characters)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn details_of(stored: &StoredText, total: u64) -> Map<String, Value> {
    let mut details = Map::new();
    details.insert("mimeType".into(), json!(stored.mime_type));
    details.insert("totalChars".into(), json!(total));
    if let Some(title) = &stored.title {
        details.insert("title".into(), json!(title));
    }
    if let Some(pages) = stored.pages {
        details.insert("pages".into(), json!(pages));
    }
    if !stored.notes.is_empty() {
        details.insert("notes".into(), json!(stored.notes));
    }
    details
}

/// The end of a truncated text. At the ceiling, or if the result is bounded, only a later offset helps.
fn truncated(limit: u64, total: u64, next: u64, is_bound: bool) -> String {
    let how = if limit < MAX_CHARS && !is_bound { "a higher maxChars".to_owned() } else { format!("offset {next}") };
    format!("\n\n[Content truncated at {limit} chars. Total: {total} chars. Use {how} to retrieve more.]")
}

/// Answers `get_search_content`.
///
/// # Errors
/// `content_not_found` for an id that is unknown, belongs to another owner or has no such URL;
/// `validation_error` for an offset past the end.
pub fn get_search_content(
    context: &ContextManager,
    arguments: &SearchContentArguments,
    caller: &Caller,
) -> Result<FetchAnswer, ToolError> {
    let conversation = caller.conversation(arguments.conversation.as_deref())?;
    let id = &arguments.response_id;
    let response =
        context.fetched(id, caller.requester(conversation.as_ref())).map_err(|error| web_error(id, &error))?;
    let count = u64::try_from(response.urls.len()).unwrap_or(u64::MAX);
    let (index, fetched) = selected_url(&response, arguments)
        .ok_or_else(|| content_not_found(&format!("{id} has {}, but not this one", count_of(count, "URL"))))?;
    let (_, key) = fetched
        .outcome
        .as_ref()
        .map_err(|reason| content_not_found(&format!("{} could not be fetched: {}", fetched.url, one_line(reason))))?;
    let stored = context.fetched_text(key).map_err(|_| content_not_found(&format!("{id} is no longer stored")))?;
    let budget = caller.result_budget(context).map_or(u64::MAX, ResultBudget::characters);
    let mut answer = text_slice((index, &fetched.url), &stored, arguments, budget)?;
    tag_blocks(&mut answer.blocks, caller);
    Ok(answer)
}

fn selected_url<'a>(
    response: &'a FetchedResponse,
    arguments: &SearchContentArguments,
) -> Option<(usize, &'a FetchedUrl)> {
    match &arguments.url {
        Some(url) => response.urls.iter().enumerate().find(|(_, fetched)| fetched.url == *url),
        None => {
            let index = usize::try_from(arguments.url_index.unwrap_or(0)).ok()?;
            Some((index, response.urls.get(index)?))
        }
    }
}

fn text_slice(
    (index, url): (usize, &str),
    stored: &StoredText,
    arguments: &SearchContentArguments,
    budget: u64,
) -> Result<FetchAnswer, ToolError> {
    let (total, offset, limit) =
        (char_count(&stored.text), arguments.offset.unwrap_or(0), arguments.max_chars().min(budget));
    if offset > 0 && offset >= total {
        let expected = format!("Parameter 'offset' must be less than {total}, the characters of this text");
        return Err(ToolError::validation(&expected).with("totalChars", json!(total)));
    }
    let skipped = usize::try_from(offset).ok().and_then(|skipped| stored.text.char_indices().nth(skipped));
    let rest = skipped.and_then(|(start, _)| stored.text.get(start..)).unwrap_or_default();
    let shown = prefix_within(rest, limit);
    let next = offset.saturating_add(char_count(shown));
    let mut block = shown.to_owned();
    let mut lines = vec![untrusted_text(stored, url)];
    if next < total {
        block.push_str(&truncated(limit, total, next, limit < arguments.max_chars()));
        lines.push(format!(
            "Characters {offset} to {next} of {total}. {}",
            arguments.next_call(&[("urlIndex", json!(index)), ("url", Value::Null), ("offset", json!(next))])
        ));
    }
    let mut details = details_of(stored, total);
    details.insert("url".into(), json!(url));
    details.insert("offset".into(), json!(offset));
    details.insert("shownChars".into(), json!(char_count(shown)));
    details.insert("nextOffset".into(), if next < total { json!(next) } else { Value::Null });
    details.insert("truncated".into(), json!(next < total));
    let blocks = vec![Block::Text(block), Block::Text(lines.join("\n"))];
    Ok(FetchAnswer { blocks, details: Value::Object(details) })
}

//! The tool `get_file`.

mod arguments;
mod details;

use std::num::NonZeroU64;
use std::ops::Range;

use serde_json::Value;

pub use self::arguments::GetFileArguments;
pub use self::details::details_json;
pub(crate) use self::details::{folder_brief, folder_json};

use super::arguments::ToolArguments as _;
use super::caller::Caller;
use super::client::{FormDecision, decide_form};
use super::data_answer::result_json;
use super::emit::PDF;
use super::error::{ErrorCode, IS_FOLDER, ToolError};
use super::page_tag::tag_blocks;
use super::pdf::save_text;
use super::versions::diff;
use crate::context::{
    AnswerDetails, Block, ContextManager, Delivery, FileAnswer, FileRequest, ProgressListener, RequestedPart,
    SummaryFacts, page_or_pages, select_from, untrusted,
};
use pagewise_base::limits::Cancellation;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::ConversationId;

/// The result of `get_file`.
#[derive(Debug)]
pub struct GetFileAnswer {
    /// For the model, in order.
    pub blocks: Vec<Block>,
    /// The blocks that hold pages of a PDF.
    pub content: Range<usize>,
    /// The facts of a PDF's summary.
    pub summary: Option<Box<SummaryFacts>>,
    /// What came of the request.
    pub facts: AnswerDetails,
    /// The same for the program.
    pub details: Value,
    /// The tag in the headers of its pages.
    pub tag: Option<String>,
    /// Goes before documents in protocols whose documents have no titles.
    pub header: Option<String>,
    /// Goes after other blocks, to name the conversation.
    pub footer: Option<String>,
    /// Commit it once everything was written to the client.
    pub delivery: Delivery,
}

/// Answers `get_file`, reporting each page to `progress`.
///
/// # Errors
/// Every refusal of the arguments, the file and the PDF.
pub fn get_file(
    context: &ContextManager,
    mut arguments: GetFileArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<GetFileAnswer, ToolError> {
    if let Some(asked) = arguments.saved_text() {
        let saved = save_text(context, &asked, caller, progress)
            .map_err(|error| for_documents(error, "save writes pages of PDFs and office files"))?;
        return text_alone(context, &arguments, saved.text(), ("saved", result_json(&saved)?));
    }
    if let Some(against) = arguments.against.clone() {
        return get_changes(context, &against, arguments, caller, progress);
    }
    let conversation = caller.conversation(arguments.held.conversation.as_deref())?;
    let named = conversation.as_ref().filter(|_| caller.is_new_conversation).map(ToString::to_string);
    arguments.held.conversation.conversation = named.or(arguments.held.conversation.conversation.take());
    let form = decide_form(arguments.form.unwrap_or_default(), &caller.client);
    let cancellation = caller.cancellation.clone();
    let max_result_bytes = caller.client.result_bytes(context.settings().max_result_bytes);
    let selects_lines = arguments.selection_of_lines().is_some();
    let asked = file_request(arguments, form, conversation.clone());
    let client = caller.client.name.clone();
    let request = FileRequest { principal: caller.principal, client, cancellation, max_result_bytes, ..asked };
    let mut answer = context.get_file_with_progress(&request, progress)?;
    let lines_note = (selects_lines && answer.details.pages.is_some()).then(|| LINES_OF_PAGES.to_owned());
    for note in lines_note.into_iter().chain(caller.store_note.clone()) {
        answer.blocks.push(Block::Text(note.clone()));
        answer.details.notes.push(note);
    }
    // Pages go to the conversation that the model is in, so it needs the name of a new one alone.
    let named = conversation.as_ref().filter(|_| caller.is_new_conversation || answer.summary.is_some());
    let (header, footer) = header_and_footer(&answer, named.map(|named| caller.conversation_line(named)));
    let details = details_json(&answer.details, conversation.as_ref().map(ConversationId::as_str));
    // The lines of a text file stay as they are.
    let tag = answer.details.pages.and_then(|_| tag_blocks(&mut answer.blocks, caller));
    let FileAnswer { blocks, content, details: facts, summary, delivery } = answer;
    Ok(GetFileAnswer { blocks, content, summary, facts, details, tag, header, footer, delivery })
}

/// What is said of lines that were asked for of a document.
const LINES_OF_PAGES: &str = "startLine and numLines were ignored: they are for text files. Select pages with pages.";

/// What changed since the version at `against`. If pages are asked for, those of them that changed, after the changes.
fn get_changes(
    context: &ContextManager,
    against: &str,
    arguments: GetFileArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<GetFileAnswer, ToolError> {
    let document = arguments.document();
    let found = diff(context, &document, against, caller, progress)
        .map_err(|error| for_documents(error, "against compares PDFs and office files"))?;
    if arguments.part() == RequestedPart::Summary {
        return text_alone(context, &arguments, found.text(None), ("versions", result_json(&found)?));
    }
    let asked = {
        let pdf = document.open(context, caller)?;
        match (arguments.pdf_page, &*arguments.pages) {
            (None, Some(selection)) => select_from(selection, &*pdf.document)?.pages,
            (index, _) => index.and_then(|index| u32::try_from(index).ok()).map(PageIndex).into_iter().collect(),
        }
    };
    let wanted = found.pages_to_read();
    let changed = asked.iter().filter(|page| wanted.contains(*page)).collect::<PageSet>();
    if changed.is_empty() && !asked.is_empty() {
        let differ = if asked.len() == 1 { "does not differ" } else { "do not differ" };
        let named = page_or_pages(&asked).replacen('p', "P", 1);
        let text = format!("{}\n{named} {differ}.", found.text(Some(&PageSet::new())));
        return text_alone(context, &arguments, text, ("versions", result_json(&found)?));
    }
    let is_all = changed.is_empty();
    let pages = if is_all { arguments.pages.clone() } else { Some(changed.to_string()).into() };
    let pdf_page = arguments.pdf_page.filter(|_| is_all);
    let mut answer =
        get_file(context, GetFileArguments { against: None, pages, pdf_page, ..arguments }, caller, progress)?;
    answer.blocks.insert(answer.content.start, Block::Text(found.text(Some(&changed))));
    answer.content.end = answer.content.end.saturating_add(1);
    if let Value::Object(details) = &mut answer.details {
        details.insert("versions".to_owned(), result_json(&found)?);
    }
    Ok(answer)
}

/// Says of a file without pages, or a folder, that a parameter does not take it.
fn for_documents(error: ToolError, why: &str) -> ToolError {
    let is_other = [ErrorCode::NotAPdf, ErrorCode::UnsupportedFileType].contains(&error.code)
        || error.data.get("reason").is_some_and(|reason| reason == IS_FOLDER);
    if is_other { error.hint(&format!("{why}. For other files and folders, leave it out.")) } else { error }
}

/// An answer that gives no page, and records nothing.
fn text_alone(
    context: &ContextManager,
    arguments: &GetFileArguments,
    text: String,
    (name, data): (&str, Value),
) -> Result<GetFileAnswer, ToolError> {
    let facts = AnswerDetails { file: arguments.file_path.clone(), mime_type: PDF, ..AnswerDetails::default() };
    let mut details = details_json(&facts, None);
    if let Value::Object(details) = &mut details {
        details.insert(name.to_owned(), data);
    }
    Ok(GetFileAnswer {
        blocks: vec![Block::Text(text)],
        content: 0..0,
        summary: None,
        facts,
        details,
        tag: None,
        header: None,
        footer: None,
        delivery: context.no_delivery(),
    })
}

/// The bytes of the attachment that `arguments` name, of whatever type; `None` if they name none, or pages of one.
///
/// # Errors
/// Every refusal of the files and the attachment.
pub fn attachment_bytes(
    context: &ContextManager,
    arguments: &GetFileArguments,
    caller: &Caller,
) -> Result<Option<Vec<u8>>, ToolError> {
    let form = decide_form(arguments.form.unwrap_or_default(), &caller.client);
    Ok(context.attachment_bytes(&file_request(arguments.clone(), form, None))?)
}

/// What the context is asked for a call with these arguments.
pub(crate) fn file_request(
    arguments: GetFileArguments,
    form: FormDecision,
    conversation: Option<ConversationId>,
) -> FileRequest {
    FileRequest {
        part: arguments.part(),
        arguments: arguments.given(),
        is_form_named: arguments.form.is_some_and(|form| form != super::FormArgument::Auto),
        file: arguments.file_path,
        form: form.form,
        is_mixed: form.is_mixed,
        with_text: form.with_text,
        force: arguments.force,
        password: arguments.password.password,
        start_line: arguments.start_line.map(NonZeroU64::get),
        line_count: arguments.num_lines.map(NonZeroU64::get),
        max_tokens: arguments.max_tokens.map(NonZeroU64::get),
        max_result_bytes: None,
        conversation,
        principal: None,
        client: None,
        generation: arguments.held.generation,
        cancellation: Cancellation::new(),
    }
}

/// A header before documents. Other blocks start with fixed lines, so they get a footer instead.
fn header_and_footer(answer: &FileAnswer, handle: Option<String>) -> (Option<String>, Option<String>) {
    // Nothing of a folder is held.
    let handle = handle.filter(|_| answer.details.folder.is_none());
    match document_header(answer) {
        Some(header) => (Some(std::iter::once(header).chain(handle).collect::<Vec<_>>().join("\n")), None),
        None => (None, handle),
    }
}

/// Names the pages that come as documents; `None` where there are none.
pub(crate) fn document_header(answer: &FileAnswer) -> Option<String> {
    let documents = answer.blocks.iter().filter_map(|block| match block {
        Block::Document(page) => Some(page.page.index()),
        Block::Text(_) | Block::Image(_) => None,
    });
    let pages = Some(documents.collect::<PageSet>()).filter(|pages| !pages.is_empty())?;
    let details = &answer.details;
    let (named, total) = (page_or_pages(&pages), details.pages.unwrap_or_default());
    let each = if pages.len() == 1 { "as" } else { "each as" };
    let what = format!("{}: {named} of {total}, {each} a one-page PDF.", details.file);
    let go_on = "For other pages call get_file with pages (1-based) or pdfPage (0-based).";
    Some([&what, &untrusted(&details.file), go_on].join("\n"))
}

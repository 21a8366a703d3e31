//! The tool `get_file`.

mod details;

use serde_json::{Value, json};

pub use self::details::details_json;

use super::arguments::{GetFileArguments, is_blank};
use super::client::{ClientProfile, FormDecision, decide_form};
use super::error::ToolError;
use crate::context::{
    Answer, Block, Cancellation, ContextError, ContextManager, Delivery, FileRequest, ProgressListener, ResultBudget,
    page_or_pages, untrusted,
};
use crate::page::PageSet;
use crate::view::{ConversationId, ConversationIdError};

/// Who calls a tool.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// What can be shown to its model.
    pub client: ClientProfile,
    /// The conversation of calls that name none.
    pub conversation: Option<ConversationId>,
    /// Why it is not known whose the conversation is that the call names: none is meant then.
    pub store_note: Option<String>,
    /// Ends the work on its call.
    pub cancellation: Cancellation,
}

impl Caller {
    /// The command line, or a program that embeds the library: documents, and no conversation of its own.
    #[must_use]
    pub fn direct() -> Self {
        Self { client: ClientProfile::direct(), ..Self::default() }
    }

    /// What a result for it has room for; `None` where nothing bounds it.
    #[must_use]
    pub fn room(&self, context: &ContextManager) -> Option<ResultBudget> {
        self.client.result_bytes(context.settings().max_result_bytes).map(ResultBudget::of)
    }

    /// The conversation of one call, which may name it. A blank name is none.
    ///
    /// # Errors
    /// `validation_error` for a handle that is none.
    pub fn conversation(&self, named: Option<&str>) -> Result<Option<ConversationId>, ToolError> {
        let named = named.filter(|name| !is_blank(name)).map(str::parse).transpose().map_err(invalid_handle)?;
        if self.store_note.is_some() { Ok(None) } else { Ok(named.or_else(|| self.conversation.clone())) }
    }

    /// The same with the handle that its call names, as it was `admitted`. Where the store cannot say whose it is, an answer
    /// does without what is remembered rather than to fail, but for one that is about that.
    ///
    /// # Errors
    /// Why it was not admitted.
    pub fn with_handle(
        self,
        admitted: Result<ConversationId, ContextError>,
        is_about_memory: bool,
    ) -> Result<Self, ToolError> {
        match admitted {
            Ok(conversation) => Ok(Self { conversation: Some(conversation), ..self }),
            Err(error @ ContextError::Store(_)) if !is_about_memory => {
                let store_note = format!(
                    "Whose the conversation is cannot be told: nothing is left out, and nothing recorded. {error}"
                );
                Ok(Self { store_note: Some(store_note), ..self })
            }
            Err(error) => Err(error.into()),
        }
    }
}

pub(super) fn invalid_handle(error: ConversationIdError) -> ToolError {
    let expected = format!("must be 1 to {} printable characters", ConversationId::MAX_CHARS);
    ToolError::parameter("conversation", &expected).with("reason", json!(error.to_string()))
}

/// The result of `get_file`.
#[derive(Debug)]
pub struct FileAnswer {
    /// For the model, in order.
    pub blocks: Vec<Block>,
    /// For the program.
    pub details: Value,
    /// Goes before blocks that carry no text of their own, where a protocol has no titled documents.
    pub header: Option<String>,
    /// Goes after other blocks, where a conversation has to be named.
    pub footer: Option<String>,
    /// To be committed once all of it was written to the client.
    pub delivery: Delivery,
}

/// Answers `get_file`; `watcher` is told of each page.
///
/// # Errors
/// Every refusal of the arguments, the file and the PDF.
pub fn get_file(
    context: &ContextManager,
    arguments: GetFileArguments,
    caller: &Caller,
    watcher: &dyn ProgressListener,
) -> Result<FileAnswer, ToolError> {
    let conversation = caller.conversation(arguments.conversation.as_deref())?;
    let form = decide_form(arguments.form, &caller.client);
    let cancellation = caller.cancellation.clone();
    let max_result_bytes = caller.client.result_bytes(context.settings().max_result_bytes);
    let request = FileRequest { cancellation, max_result_bytes, ..request(arguments, form, conversation.clone()) };
    let mut answer = context.get_file_watched(&request, watcher)?;
    answer.blocks.extend(caller.store_note.clone().map(Block::Text));
    answer.details.notes.extend(caller.store_note.clone());
    let (header, footer) = header_and_footer(&answer, conversation.as_ref());
    let details = details_json(&answer.details, conversation.as_ref().map(ConversationId::as_str));
    Ok(FileAnswer { blocks: answer.blocks, details, header, footer, delivery: answer.delivery })
}

fn request(arguments: GetFileArguments, form: FormDecision, conversation: Option<ConversationId>) -> FileRequest {
    FileRequest {
        file: arguments.file_path,
        part: arguments.part,
        form: form.form,
        is_mixed: form.is_mixed,
        with_text: form.with_text,
        form_note: form.note,
        force: arguments.force,
        password: arguments.password,
        start_line: arguments.start_line,
        line_count: arguments.line_count,
        max_tokens: arguments.max_tokens,
        max_result_bytes: None,
        conversation,
        generation: arguments.generation,
        cancellation: Cancellation::new(),
    }
}

/// A header before documents; before other blocks none, since their first lines are fixed, but a footer.
fn header_and_footer(answer: &Answer, conversation: Option<&ConversationId>) -> (Option<String>, Option<String>) {
    let handle = conversation.map(|handle| {
        format!("Conversation: {handle} (pass it as conversation to go on here from another connection)")
    });
    let documents = answer.blocks.iter().filter_map(|block| match block {
        Block::Document(page) => Some(page.page.index()),
        Block::Text(_) | Block::Image(_) => None,
    });
    let pages = documents.collect::<PageSet>();
    if pages.is_empty() {
        return (None, handle);
    }
    let details = &answer.details;
    let (named, total) = (page_or_pages(&pages), details.pages.unwrap_or_default());
    let what = format!("{}: {named} of {total}, each a PDF of its own.", details.file);
    let go_on = "For other pages call get_file with pages (1-based) or pdfPage (0-based).".to_owned();
    let lines = [Some(what), Some(untrusted(&details.file)), Some(go_on), handle];
    (Some(lines.into_iter().flatten().collect::<Vec<_>>().join("\n")), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::StoreError;
    use crate::tool::ErrorCode;

    #[test]
    fn a_store_that_fails_costs_the_memory_and_not_the_answer() {
        let failed = || Err(ContextError::Store(StoreError::DiskFull { path: "views.sqlite3".into() }));
        let caller = Caller::direct().with_handle(failed(), false);
        let caller = caller.unwrap_or_else(|_| Caller::direct());
        assert_eq!(caller.conversation(Some("somebody-s")), Ok(None), "not the handle that was shown");
        assert!(caller.store_note.is_some_and(|store_note| store_note.contains("views.sqlite3")));
        let about_memory = Caller::direct().with_handle(failed(), true);
        assert_eq!(about_memory.err().map(|error| error.code), Some(ErrorCode::StoreFailed));
        let unknown = Caller::direct().with_handle(Err(ContextError::UnknownConversation), false);
        assert_eq!(unknown.err().map(|error| error.code), Some(ErrorCode::UnknownConversation));
    }
}

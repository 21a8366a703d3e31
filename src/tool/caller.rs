//! The caller of a tool: its client, its conversation and its cancellation.

use serde_json::json;

use super::arguments::is_blank;
use super::client::ClientProfile;
use super::error::ToolError;
use crate::context::{ContextError, ContextManager, Requester, ResultBudget};
use pagewise_base::limits::Cancellation;
use pagewise_view::{ConversationId, ConversationIdError, Principal};

/// Who calls a tool.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// What its client can pass on to the model.
    pub client: ClientProfile,
    /// Who calls over HTTP.
    pub principal: Option<Principal>,
    /// The conversation of calls that name none.
    pub conversation: Option<ConversationId>,
    /// Whether this call began that conversation, so that its client does not know the handle yet.
    pub is_new_conversation: bool,
    /// Why the owner of the named conversation could not be checked. The call then runs without a conversation.
    pub store_note: Option<String>,
    /// Cancels the work of its call.
    pub cancellation: Cancellation,
}

impl Caller {
    /// The command line, or a program that embeds the library: gets documents, has no default conversation.
    #[must_use]
    pub fn direct() -> Self {
        Self { client: ClientProfile::direct(), ..Self::default() }
    }

    /// The budget of a result; `None` if unbounded.
    #[must_use]
    pub fn result_budget(&self, context: &ContextManager) -> Option<ResultBudget> {
        self.client.result_bytes(context.settings().max_result_bytes).map(ResultBudget::of)
    }

    /// The conversation of a call that may name one. A blank name counts as absent.
    ///
    /// # Errors
    /// `validation_error` for an invalid handle.
    pub fn conversation(&self, named: Option<&str>) -> Result<Option<ConversationId>, ToolError> {
        let named = named.filter(|name| !is_blank(name)).map(str::parse).transpose().map_err(invalid_handle)?;
        if self.store_note.is_some() { Ok(None) } else { Ok(named.or_else(|| self.conversation.clone())) }
    }

    /// The line that names `conversation`, and that a new one is to be passed on.
    pub(super) fn conversation_line(&self, conversation: &ConversationId) -> String {
        let how = if self.is_new_conversation { " (pass it as conversation in every call)" } else { "" };
        format!("Conversation: {conversation}{how}")
    }

    /// Whom files are opened for in `conversation`.
    pub(crate) fn requester<'a>(&'a self, conversation: Option<&'a ConversationId>) -> Requester<'a> {
        Requester { conversation, principal: self.principal, cancellation: &self.cancellation }
    }

    /// Sets the conversation that a call names, as `admitted`. If the store cannot check the owner, the call runs
    /// without a conversation, unless the tool is about the conversation itself.
    ///
    /// # Errors
    /// The refusal.
    pub fn with_handle(
        self,
        admitted: Result<ConversationId, ContextError>,
        is_about_memory: bool,
    ) -> Result<Self, ToolError> {
        match admitted {
            Ok(conversation) => Ok(Self { conversation: Some(conversation), ..self }),
            Err(error @ ContextError::Store(_)) if !is_about_memory => {
                let store_note = format!(
                    "The owner of the conversation cannot be looked up: nothing is left out, and nothing is \
                     recorded. {error}"
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ErrorCode;
    use pagewise_store::StoreError;

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

//! Who calls: what its client can show, and which conversation is meant.
//!
//! A conversation is, first that applies: the handle that the call names; what a known client says in `_meta`; the
//! header `X-Conversation-Id`; over HTTP the session, where that was set; over standard input the process. Else a handle
//! is minted and returned, so that nothing is held back from one that may never have been given it.

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde_json::Value;

use super::ServerParts;
use super::http::{HttpCaller, SESSION};
use super::tools::ToolEntry;
use crate::tool::{
    CONTENT_EXTENSION, Caller, Cancellation, ClientProfile, ContextManager, ConversationId, ToolError, argument,
};

/// A key of `_meta` under which a client names its conversation, as Codex does.
const THREAD_ID: &str = "threadId";

/// A header in which a client, or a proxy before it, names its conversation.
const CONVERSATION: &str = "x-conversation-id";

/// The argument by which every tool takes a conversation.
const ARGUMENT: &str = "conversation";

/// What a request says of who it is from.
pub(super) struct CallerIdentity {
    client: ClientProfile,
    /// The client's own name for its conversation.
    name: Option<String>,
    /// Over HTTP, who it is.
    pub(super) http: Option<HttpCaller>,
}

impl CallerIdentity {
    /// Reads a request.
    pub(super) fn of(context: &RequestContext<RoleServer>, world: &ServerParts) -> Self {
        let name = context.client_info().map(|client| client.name);
        let client = ClientProfile {
            named_form: name.as_ref().and_then(|name| world.client_forms.get(name).copied()),
            name,
            accepts: declared_content(context),
            max_result_bytes: declared(context, "maxResultBytes").and_then(|bytes| bytes.as_u64()),
            server_form: world.form,
            is_direct: false,
        };
        let parts = context.extensions.get::<Parts>();
        let http = parts.and_then(|parts| parts.extensions.get::<HttpCaller>()).cloned();
        let thread = context.meta.0.0.get(THREAD_ID).and_then(thread);
        let header = |name: &str| parts.and_then(|parts| Some(parts.headers.get(name)?.as_bytes())).and_then(words);
        let counts = http.as_ref().is_some_and(|http| http.session_is_conversation);
        let session = || header(SESSION).filter(|_| counts);
        Self { client, name: thread.or_else(|| header(CONVERSATION)).or_else(session), http }
    }

    /// The client's name for itself, as far as it is worth a line in a log.
    pub(super) fn client_name(&self) -> Option<String> {
        self.client.name.as_ref().map(|name| name.chars().take(64).collect())
    }

    /// The bytes that a serialized result may have.
    pub(super) fn result_bytes(&self, world: &ServerParts) -> Option<u64> {
        self.client.result_bytes(world.context.settings().max_result_bytes)
    }

    /// What tells the conversation of a call from others, before anything was looked up.
    pub(super) fn key(&self, arguments: &JsonObject) -> Option<String> {
        let named = given(arguments).and_then(|handle| handle.as_str());
        let own = || if self.http.is_some() { None } else { Some(String::new()) };
        named.map(str::to_owned).or_else(|| self.name.clone()).or_else(own)
    }

    /// The caller of a call.
    ///
    /// # Errors
    /// `unknown_conversation` for a handle that is not this principal's; `store_failed` for a tool that is about what is
    /// remembered, where the store cannot say.
    pub(super) fn caller(
        &self,
        world: &ServerParts,
        arguments: &JsonObject,
        tool: &ToolEntry,
        cancellation: Cancellation,
    ) -> Result<Caller, ToolError> {
        let caller = Caller { client: self.client.clone(), cancellation, ..Caller::default() };
        match &self.http {
            Some(http) => self.http_caller(http, &world.context, arguments, tool, caller),
            None => {
                // A name that is no handle still tells its conversation from all others.
                let handle = |name: &String| name.parse().unwrap_or_else(|_| ConversationId::standing_for(name));
                let conversation = self.name.as_ref().map(handle).or_else(|| world.conversation.clone());
                Ok(Caller { conversation, ..caller })
            }
        }
    }

    fn http_caller(
        &self,
        http: &HttpCaller,
        context: &ContextManager,
        arguments: &JsonObject,
        tool: &ToolEntry,
        caller: Caller,
    ) -> Result<Caller, ToolError> {
        let principal = &http.principal;
        let conversation = match (given(arguments).map(Value::as_str), &self.name) {
            (Some(Some(handle)), _) => {
                return caller.with_handle(context.admit(handle, principal), tool.is_about_memory());
            }
            // What is no text is refused by the tool, which knows what it expects.
            (Some(None), _) => None,
            // A store that cannot write down whose it is leaves it unremembered; the answer does not fail for it.
            (None, Some(name)) => context.named_conversation(name, principal).ok(),
            (None, None) => tool.records_delivery.then(|| context.mint(Some(principal)).ok()).flatten(),
        };
        Ok(Caller { conversation, ..caller })
    }
}

/// What a client says of its thread, whatever it is: two that differ are two. What is empty says nothing.
fn thread(id: &Value) -> Option<String> {
    match id {
        Value::Null => None,
        Value::String(text) => words(text.as_bytes()),
        other => Some(other.to_string()),
    }
}

/// Bytes as the text that they are, or else as numbers; `None` for none but white space.
fn words(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| format!("{bytes:?}"));
    (!text.trim().is_empty()).then_some(text)
}

/// The conversation that a call names.
fn given(arguments: &JsonObject) -> Option<&Value> {
    argument(arguments, ARGUMENT)
}

/// The MIME types that the client says it can show its model.
fn declared_content(context: &RequestContext<RoleServer>) -> Option<Vec<String>> {
    let accepted = declared(context, "accept")?;
    Some(accepted.as_array()?.iter().filter_map(|mime| mime.as_str().map(str::to_owned)).collect())
}

/// What the client declares under our own key.
fn declared(context: &RequestContext<RoleServer>, name: &str) -> Option<Value> {
    let extensions = context.client_capabilities()?.extensions?;
    extensions.get(CONTENT_EXTENSION)?.get(name).cloned()
}

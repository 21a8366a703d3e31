//! Who calls: what the client can show its model, and which conversation it means.
//!
//! The conversation is the first of these that exists: the handle in the call's arguments; the thread that a known
//! client names in `_meta`; the header `X-Conversation-Id`; over HTTP the session, if the settings say so; over
//! standard input the process. Otherwise a new handle is returned with the answer, so that no page is withheld from a
//! client that never got it.

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::JsonObject;
use rmcp::service::RequestContext;
use serde_json::Value;

use super::http::{HttpCaller, SESSION_HEADER};
use super::server_parts::ServerParts;
use crate::context::{ContextManager, foreign_upload};
use crate::tool::{CONTENT_EXTENSION, Caller, ClientHabit, ClientProfile, Tool, ToolError, argument, upload_not_found};
use pagewise_base::limits::Cancellation;
use pagewise_base::share::Sharer;
use pagewise_view::{ConversationId, Principal};

/// The key of `_meta` under which a client such as Codex names its conversation.
const THREAD_ID: &str = "threadId";

/// The header in which a client, or a proxy before it, names its conversation.
const CONVERSATION_HEADER: &str = "x-conversation-id";

/// The argument of every tool that names the conversation.
const CONVERSATION_ARGUMENT: &str = "conversation";

/// What a request says about its sender.
pub(super) struct CallerIdentity {
    client: ClientProfile,
    /// The client's own name for its conversation.
    name: Option<String>,
    /// The sender of an HTTP request.
    pub(super) http: Option<HttpCaller>,
}

impl CallerIdentity {
    /// Reads a request.
    pub(super) fn of(context: &RequestContext<RoleServer>, server: &ServerParts) -> Self {
        let name = context.client_info().map(|client| client.name);
        let client = ClientProfile {
            named_form: name.as_ref().and_then(|name| server.client_forms.get(name).copied()),
            name,
            accepts: declared_content(context),
            max_result_bytes: declared_value(context, "maxResultBytes").and_then(|bytes| bytes.as_u64()),
            server_form: server.form,
            is_direct: false,
        };
        let parts = context.extensions.get::<Parts>();
        let http = parts.and_then(|parts| parts.extensions.get::<HttpCaller>()).cloned();
        let thread_name = context.meta.0.0.get(THREAD_ID).and_then(thread_name);
        let header = |name: &str| parts.and_then(|parts| Some(parts.headers.get(name)?.as_bytes())).and_then(as_text);
        let counts = http.as_ref().is_some_and(|http| http.session_is_conversation);
        let session = || header(SESSION_HEADER).filter(|_| counts);
        Self { client, name: thread_name.or_else(|| header(CONVERSATION_HEADER)).or_else(session), http }
    }

    /// The client's name, cut to a length that suits a log line.
    pub(super) fn client_name(&self) -> Option<String> {
        self.client.name.as_ref().map(|name| name.chars().take(64).collect())
    }

    /// Whether the client is known to have a habit.
    pub(super) fn has(&self, habit: ClientHabit) -> bool {
        self.client.has(habit)
    }

    /// Most bytes of a serialized result.
    pub(super) fn result_bytes(&self, server: &ServerParts) -> Option<u64> {
        self.client.result_bytes(server.context.settings().max_result_bytes)
    }

    /// A key that distinguishes the call's conversation before it is looked up.
    pub(super) fn key(&self, arguments: &JsonObject) -> Option<String> {
        let named = conversation_argument(arguments).and_then(|handle| handle.as_str());
        let own = || if self.http.is_some() { None } else { Some(String::new()) };
        named.map(str::to_owned).or_else(|| self.name.clone()).or_else(own)
    }

    /// The principal of an HTTP request.
    pub(super) fn principal(&self) -> Option<Principal> {
        self.http.as_ref().map(|http| http.principal)
    }

    /// The sender as resources tell it apart.
    pub(super) fn sharer(&self) -> Sharer {
        self.http.as_ref().and_then(|http| http.sharer)
    }

    /// Refuses arguments in which a reference to an upload of another principal stands anywhere, so that no tool has to.
    ///
    /// # Errors
    /// `content_not_found`, as for an upload that does not exist.
    pub(super) fn refuse_foreign_uploads(&self, arguments: &JsonObject) -> Result<(), ToolError> {
        let Some(principal) = self.principal() else { return Ok(()) };
        let foreign = arguments.values().find_map(|value| foreign_in(value, &principal));
        foreign.map_or(Ok(()), |reference| Err(upload_not_found(&reference)))
    }

    /// Resolves the caller.
    ///
    /// # Errors
    /// `unknown_conversation` for a handle of another principal; `store_failed` for a tool that works on remembered
    /// data when the store does not answer.
    pub(super) fn caller(
        &self,
        server: &ServerParts,
        arguments: &JsonObject,
        tool: &Tool,
        cancellation: Cancellation,
    ) -> Result<Caller, ToolError> {
        let caller =
            Caller { client: self.client.clone(), principal: self.principal(), cancellation, ..Caller::default() };
        match &self.http {
            Some(http) => self.http_caller(http, &server.context, arguments, tool, caller),
            None => {
                // A name that is no handle still distinguishes its conversation from all others.
                let handle = |name: &String| name.parse().unwrap_or_else(|_| ConversationId::standing_for(name));
                let conversation = self.name.as_ref().map(handle).or_else(|| server.conversation.clone());
                Ok(Caller { conversation, ..caller })
            }
        }
    }

    fn http_caller(
        &self,
        http: &HttpCaller,
        context: &ContextManager,
        arguments: &JsonObject,
        tool: &Tool,
        caller: Caller,
    ) -> Result<Caller, ToolError> {
        let principal = &http.principal;
        let conversation = match (conversation_argument(arguments).map(Value::as_str), &self.name) {
            (Some(Some(handle)), _) => {
                return caller.with_handle(context.admit(handle, principal), tool.is_about_memory);
            }
            // The tool itself refuses a value that is no string.
            (Some(None), _) => None,
            // If the store cannot record the conversation's owner, the call goes on without memory.
            (None, Some(name)) => context.named_conversation(name, principal).ok(),
            (None, None) => {
                let conversation = tool.records_delivery.then(|| context.mint(Some(principal)).ok()).flatten();
                return Ok(Caller { is_new_conversation: conversation.is_some(), conversation, ..caller });
            }
        };
        Ok(Caller { conversation, ..caller })
    }
}

/// The first reference in a value to an upload of another. The parser of messages bounds the depth of values.
fn foreign_in(value: &Value, principal: &Principal) -> Option<String> {
    match value {
        Value::String(text) => foreign_upload(text, principal),
        Value::Array(values) => values.iter().find_map(|value| foreign_in(value, principal)),
        Value::Object(fields) => fields.values().find_map(|value| foreign_in(value, principal)),
        _ => None,
    }
}

/// A client's thread id of any JSON type, as text. An empty one names nothing.
fn thread_name(id: &Value) -> Option<String> {
    match id {
        Value::Null => None,
        Value::String(text) => as_text(text.as_bytes()),
        other => Some(other.to_string()),
    }
}

/// Bytes as text if they are UTF-8, else as numbers; `None` if there is only white space.
fn as_text(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8(bytes.to_vec()).unwrap_or_else(|_| format!("{bytes:?}"));
    (!text.trim().is_empty()).then_some(text)
}

/// The conversation in the call's arguments.
fn conversation_argument(arguments: &JsonObject) -> Option<&Value> {
    argument(arguments, CONVERSATION_ARGUMENT)
}

/// The MIME types that the client says it can show its model.
fn declared_content(context: &RequestContext<RoleServer>) -> Option<Vec<String>> {
    let accepted = declared_value(context, "accept")?;
    Some(accepted.as_array()?.iter().filter_map(|mime| mime.as_str().map(str::to_owned)).collect())
}

/// A value that the client declares under this server's own extension.
fn declared_value(context: &RequestContext<RoleServer>, name: &str) -> Option<Value> {
    let extensions = context.client_capabilities()?.extensions?;
    extensions.get(CONTENT_EXTENSION)?.get(name).cloned()
}

//! The parts of a server.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::context::ContextManager;
use crate::tool::{FormArgument, ToolSet};
use pagewise_model::ModelClient;
use pagewise_view::ConversationId;

/// The parts of a server besides its transport.
pub struct ServerParts {
    /// Answers the requests.
    pub context: Arc<ContextManager>,
    /// Answers questions about PDFs. Without any model there is no tool `pdf`.
    pub models: ModelClient,
    /// The conversation of calls that name none, over standard input only.
    pub conversation: Option<ConversationId>,
    /// The form of pages if neither the call nor the client names one.
    pub form: Option<FormArgument>,
    /// The form of pages by client name, before the built-in table of known clients.
    pub client_forms: BTreeMap<String, FormArgument>,
    /// The tools that clients see.
    pub tools: ToolSet,
    /// Called with a sentence for each problem that no answer reports.
    pub warn: fn(&str),
}

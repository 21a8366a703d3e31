//! The environment of a question.

use crate::context::ContextManager;
use crate::tool::caller::Caller;
use pagewise_model::{ModelClient, ReplyListener};

/// The context, models, listener and caller of [`ask`](super::ask).
pub struct AskContext<'a> {
    /// Opens the PDFs.
    pub context: &'a ContextManager,
    /// Asks the models.
    pub models: &'a ModelClient,
    /// Receives the answer as it is streamed.
    pub listener: &'a dyn ReplyListener,
    /// Whose question it is.
    pub caller: &'a Caller,
}

//! A page that shows people what each conversation holds: which pages of which files, when, and at what cost.
//!
//! No transport: `serve` passes calls in and answers out. [`asset`] gives the parts of the page, which are plain HTML,
//! CSS and JavaScript. [`Inspector::answer`] gives its data. Content is never stored: pages are drawn and read when
//! they are looked at, by the same workers, from the file as it is now.
//!
//! **A viewer sees its own conversations only**, and of files only those that such a conversation holds or follows.

mod access;
mod actions;
mod arguments;
mod assets;
mod changes;
mod conversations;
mod files;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Map, Value};

pub use self::access::{OneTimeAccess, cookie_of, is_same};
pub use self::assets::{Asset, asset, page};
pub use self::changes::ChangeWatch;

use self::arguments::CallArguments;
use crate::context::{ContextError, ContextManager};
use crate::tool::ToolError;
use pagewise_base::limits::Cancellation;
use pagewise_view::{ConversationId, Principal};

/// Whose conversations are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    /// Those of everybody who uses this store, to its owner.
    StoreOwner,
    Principal(Principal),
}

impl Viewer {
    /// The owner of the conversations shown; `None` for all.
    fn owner(&self) -> Option<&Principal> {
        match self {
            Self::StoreOwner => None,
            Self::Principal(principal) => Some(principal),
        }
    }
}

/// What a call gives.
#[derive(Debug, Clone, PartialEq)]
pub enum InspectAnswer {
    /// Data, as JSON.
    Data(Value),
    /// A picture, as PNG.
    Picture(Bytes),
}

/// Answers the calls of the page.
#[derive(Clone)]
pub struct Inspector {
    context: Arc<ContextManager>,
}

impl Inspector {
    /// An inspector of what `context` remembers.
    #[must_use]
    pub fn new(context: Arc<ContextManager>) -> Self {
        Self { context }
    }

    /// Answers the call `name`; `None` if there is no such call.
    ///
    /// # Errors
    /// `unknown_conversation` for a conversation that is not the viewer's, and every refusal of arguments, files, pages
    /// and the store.
    pub fn answer(
        &self,
        name: &str,
        viewer: &Viewer,
        arguments: &Map<String, Value>,
        cancellation: &Cancellation,
    ) -> Option<Result<InspectAnswer, ToolError>> {
        let call = Call { context: &self.context, viewer, arguments: CallArguments(arguments), cancellation };
        Some(match name {
            "conversations" => call.conversations().map(InspectAnswer::Data),
            "conversation" => call.conversation().map(InspectAnswer::Data),
            "file" => call.file().map(InspectAnswer::Data),
            "page" => call.page().map(InspectAnswer::Data),
            "picture" => call.picture().map(InspectAnswer::Picture),
            "search" => call.search().map(InspectAnswer::Data),
            "compare" => call.compare().map(InspectAnswer::Data),
            "versions" => call.versions().map(InspectAnswer::Data),
            "forget" => call.forget().map(InspectAnswer::Data),
            "fork" => call.fork().map(InspectAnswer::Data),
            _ => return None,
        })
    }

    /// The bytes of a PDF that a conversation holds or follows, as it is now.
    ///
    /// # Errors
    /// As [`Inspector::answer`]; `too_large` beyond the limit on such an answer.
    pub fn document(&self, viewer: &Viewer, arguments: &Map<String, Value>) -> Result<Vec<u8>, ToolError> {
        let cancellation = &Cancellation::new();
        Call { context: &self.context, viewer, arguments: CallArguments(arguments), cancellation }.document()
    }
}

/// One call, for one viewer.
struct Call<'a> {
    context: &'a ContextManager,
    viewer: &'a Viewer,
    arguments: CallArguments<'a>,
    cancellation: &'a Cancellation,
}

impl Call<'_> {
    /// The conversation that the call names, if it is the viewer's.
    fn admitted(&self) -> Result<ConversationId, ToolError> {
        let handle = self.arguments.text("id")?;
        let Some(principal) = self.viewer.owner() else {
            let id: ConversationId = handle.parse().map_err(|_| ContextError::UnknownConversation)?;
            let is_known = self.context.latest_point(&id)?.is_some();
            return if is_known { Ok(id) } else { Err(ContextError::UnknownConversation.into()) };
        };
        Ok(self.context.admit(&handle, principal)?)
    }
}

//! What a person can do with a conversation: forget and fork, as the tools do.

use serde_json::{Value, json};

use super::Call;
use crate::context::ContextError;
use crate::tool::{
    Caller, ConversationArguments, DataAnswer, ForgetArguments, ForkArguments, ToolArguments as _, ToolError,
    context_forget, context_fork,
};

impl Call<'_> {
    /// Forgets everything, a file, or pages of it.
    pub(super) fn forget(&self) -> Result<Value, ToolError> {
        let id = self.admitted()?;
        let key = self.arguments.0.get("key").filter(|key| !key.is_null()).map(|_| self.arguments.file("key"));
        let path = match key.transpose()? {
            Some(key) => Some(self.context.held_path(&id, key)?.ok_or_else(unnamed)?),
            None => None,
        };
        let arguments = ForgetArguments {
            file_path: path,
            pages: self.arguments.optional_text("pages")?.map(numbered).transpose()?,
            keep_files: false,
            held: ConversationArguments { conversation: Some(id.as_str().to_owned()).into(), generation: None },
        };
        context_forget(self.context, &arguments.checked()?, &Caller::direct())?;
        Ok(json!({ "id": id.as_str() }))
    }

    /// Forks the conversation, now or as it was at a point.
    pub(super) fn fork(&self) -> Result<Value, ToolError> {
        let conversation = Some(self.admitted()?.as_str().to_owned());
        let arguments = ForkArguments { conversation: conversation.into(), as_of: self.arguments.number("point")? };
        let DataAnswer { structure, .. } = context_fork(self.context, &arguments, &Caller::direct())?;
        let fork = structure.get("conversation").and_then(Value::as_str).ok_or(ContextError::UnknownConversation)?;
        Ok(json!({ "id": fork }))
    }
}

/// Pages by number. Labels and titles would be looked up in the document, which may be on the web.
fn numbered(pages: String) -> Result<String, ToolError> {
    let is_numbered = pages.bytes().all(|byte| byte.is_ascii_digit() || b",- ".contains(&byte));
    if is_numbered { Ok(pages) } else { Err(ToolError::parameter("pages", "must be numbers of pages")) }
}

fn unnamed() -> ToolError {
    ToolError::validation("The path of this file is not known, so it cannot be forgotten alone")
}

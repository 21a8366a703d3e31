//! `pagewise context status` and `pagewise context forget`.

use super::arguments::{Forget, Status};
use super::config::Config;
use super::print::Report;
use super::settings;
use crate::tool::{self, Caller, ForgetArguments, StatusArguments, ToolError};

/// Answers `context status`.
pub(super) fn status(typed: &Status, config: &Config) -> Result<Report, ToolError> {
    let conversation = named(typed.conversation.clone())?;
    let context = settings::memory(config)?;
    let arguments = StatusArguments { conversation: Some(conversation) };
    let answer = tool::context_status(&context, &arguments, &Caller::direct())?;
    Ok(Report::new(answer.text, answer.structure))
}

/// Answers `context forget`.
pub(super) fn forget(typed: Forget, config: &Config) -> Result<Report, ToolError> {
    let conversation = named(typed.conversation)?;
    let arguments = ForgetArguments { conversation: Some(conversation), file_path: typed.path, pages: typed.pages };
    let arguments = arguments.checked()?;
    let context = settings::memory(config)?;
    let answer = tool::context_forget(&context, &arguments, &Caller::direct())?;
    Ok(Report::new(answer.text, answer.structure))
}

/// A command line has no conversation of its own.
fn named(conversation: Option<String>) -> Result<String, ToolError> {
    let hint = "Name it with --conversation, as in the calls before.";
    conversation.ok_or_else(|| ToolError::required("conversation").hint(hint))
}

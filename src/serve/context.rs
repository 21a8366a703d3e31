//! Calls of the context tools.

use rmcp::model::JsonObject;

use super::shape;
use super::tools::Called;
use crate::tool::{self, Caller, ContextManager, ForgetArguments, ForkArguments, StatusArguments, ToolError};

pub(super) fn status(context: &ContextManager, arguments: &JsonObject, caller: &Caller) -> Result<Called, ToolError> {
    let arguments = StatusArguments::parse("context_status", arguments)?;
    Ok((shape::data_result(&tool::context_status(context, &arguments, caller)?), None))
}

pub(super) fn updates(context: &ContextManager, arguments: &JsonObject, caller: &Caller) -> Result<Called, ToolError> {
    let arguments = StatusArguments::parse("context_updates", arguments)?;
    let updates = tool::context_updates(context, &arguments, caller)?;
    Ok((shape::data_result(&updates.answer), Some(updates.delivery)))
}

pub(super) fn forget(context: &ContextManager, arguments: &JsonObject, caller: &Caller) -> Result<Called, ToolError> {
    let answer = tool::context_forget(context, &ForgetArguments::parse(arguments)?, caller)?;
    Ok((shape::data_result(&answer), None))
}

pub(super) fn fork(context: &ContextManager, arguments: &JsonObject, caller: &Caller) -> Result<Called, ToolError> {
    let answer = tool::context_fork(context, &ForkArguments::parse(arguments)?, caller)?;
    Ok((shape::data_result(&answer), None))
}

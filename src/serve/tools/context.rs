//! Calls of the tools whose names begin with `context_`.

use super::ToolCall;
use crate::serve::convert::{self, ToolResult};
use crate::tool::{
    self, ForgetArguments, ForkArguments, StatusArguments, ToolArguments as _, ToolError, UpdatesArguments,
};

pub(crate) fn status(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = StatusArguments::parse(call.arguments)?;
    Ok(convert::data_result(&tool::context_status(call.context(), &arguments, call.caller)?.data(&arguments)).into())
}

pub(crate) fn updates(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = UpdatesArguments::parse(call.arguments)?;
    let updates = tool::context_updates(call.context(), &arguments, call.caller)?;
    let answer = updates.data();
    Ok(ToolResult { delivery: Some(updates.updates.delivery), ..convert::data_result(&answer).into() })
}

pub(crate) fn forget(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let answer = tool::context_forget(call.context(), &ForgetArguments::parse(call.arguments)?, call.caller)?;
    Ok(convert::data_result(&answer).into())
}

pub(crate) fn fork(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let answer = tool::context_fork(call.context(), &ForkArguments::parse(call.arguments)?, call.caller)?;
    Ok(convert::data_result(&answer).into())
}

//! Calls of the fetching tools.

use super::ToolCall;
use crate::serve::convert::{self, ToolResult};
use crate::tool::{self, FetchArguments, SearchContentArguments, ToolArguments as _, ToolError};

pub(crate) fn fetch_content(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let answer =
        tool::fetch_content(call.context(), &FetchArguments::parse(call.arguments)?, call.caller, call.progress)?;
    Ok(convert::blocks_result(&answer.blocks, answer.details))
}

pub(crate) fn get_search_content(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let answer =
        tool::get_search_content(call.context(), &SearchContentArguments::parse(call.arguments)?, call.caller)?;
    Ok(convert::blocks_result(&answer.blocks, answer.details))
}

//! Calls of the fetching tools.

use super::shape;
use super::tools::{ToolCall, ToolResult};
use crate::tool::{self, FetchArguments, SearchContentArguments, ToolError};

pub(super) fn fetch_content(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let answer =
        tool::fetch_content(call.context(), &FetchArguments::parse(call.arguments)?, call.caller, call.watcher)?;
    Ok(shape::blocks_result(&answer.blocks, answer.details))
}

pub(super) fn get_search_content(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let answer =
        tool::get_search_content(call.context(), &SearchContentArguments::parse(call.arguments)?, call.caller)?;
    Ok(shape::blocks_result(&answer.blocks, answer.details))
}

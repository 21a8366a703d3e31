//! Calls of the fetching tools.

use rmcp::model::JsonObject;

use super::handler::Called;
use super::shape;
use crate::tool::{self, Caller, ContentArguments, ContextManager, FetchArguments, ToolError};

pub(super) fn fetch_content(
    context: &ContextManager,
    arguments: &JsonObject,
    caller: &Caller,
) -> Result<Called, ToolError> {
    let answer = tool::fetch_content(context, &FetchArguments::parse(arguments)?, caller)?;
    Ok((shape::blocks_result(&answer.blocks, answer.details), None))
}

pub(super) fn get_search_content(
    context: &ContextManager,
    arguments: &JsonObject,
    caller: &Caller,
) -> Result<Called, ToolError> {
    let answer = tool::get_search_content(context, &ContentArguments::parse(arguments)?, caller)?;
    Ok((shape::blocks_result(&answer.blocks, answer.details), None))
}

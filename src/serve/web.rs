//! Calls of the fetching tools.

use super::shape;
use super::tools::{Call, Called};
use crate::tool::{self, ContentArguments, FetchArguments, ToolError};

pub(super) fn fetch_content(call: &Call<'_>) -> Result<Called, ToolError> {
    let answer =
        tool::fetch_content(call.context(), &FetchArguments::parse(call.arguments)?, call.caller, call.watcher)?;
    Ok(shape::blocks_result(&answer.blocks, answer.details))
}

pub(super) fn get_search_content(call: &Call<'_>) -> Result<Called, ToolError> {
    let answer = tool::get_search_content(call.context(), &ContentArguments::parse(call.arguments)?, call.caller)?;
    Ok(shape::blocks_result(&answer.blocks, answer.details))
}

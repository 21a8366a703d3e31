//! The tools that can be called, a row each.

use rmcp::model::{CallToolResult, JsonObject};

use super::{ServerWorld, context, pdf, shape};
use crate::tool::{self, Caller, Delivery, GetFileArguments, ToolError};

/// A tool's result, and what to record when it was written.
pub(super) type Called = (CallToolResult, Option<Delivery>);

/// One tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// Whether it gives what a conversation then holds, so that it needs one.
    pub(super) gives: bool,
    pub(super) run: fn(&ServerWorld, &JsonObject, &Caller) -> Result<Called, ToolError>,
}

/// All tools.
#[rustfmt::skip]
const TOOLS: &[Tool] = &[
    Tool { name: "get_file", gives: true, run: get_file },
    Tool { name: "pdf_info", gives: false, run: |world, arguments, _| pdf::info(&world.context, arguments) },
    Tool { name: "pdf_extract_text", gives: false, run: |world, arguments, _| pdf::extract_text(&world.context, arguments) },
    Tool { name: "pdf_render_page", gives: false, run: |world, arguments, _| pdf::render_page(&world.context, arguments) },
    Tool { name: "pdf_search", gives: false, run: |world, arguments, caller| pdf::search(&world.context, arguments, caller) },
    Tool { name: "pdf_outline", gives: false, run: |world, arguments, _| pdf::outline(&world.context, arguments) },
    Tool { name: "context_status", gives: false, run: |world, arguments, caller| context::status(&world.context, arguments, caller) },
    Tool { name: "context_updates", gives: false, run: |world, arguments, caller| context::updates(&world.context, arguments, caller) },
    Tool { name: "context_forget", gives: false, run: |world, arguments, caller| context::forget(&world.context, arguments, caller) },
    Tool { name: "context_fork", gives: false, run: |world, arguments, caller| context::fork(&world.context, arguments, caller) },
];

/// The tool of this name.
pub(super) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

fn get_file(world: &ServerWorld, arguments: &JsonObject, caller: &Caller) -> Result<Called, ToolError> {
    let answer = tool::get_file(&world.context, GetFileArguments::parse(arguments)?, caller)?;
    Ok((shape::file_result(&answer), Some(answer.delivery)))
}

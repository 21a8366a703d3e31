//! The table of tools that can be called.

mod context;
mod pdf;
mod web;

use rmcp::model::JsonObject;

use super::convert::{self, ToolResult};
use super::delivery::ResultBlobs;
use super::server_parts::ServerParts;
use crate::context::{ContextManager, ProgressListener};
use crate::tool::{self, Caller, GetFileArguments, Tool, ToolArguments as _, ToolError};

pub(super) struct ToolCall<'a> {
    pub(super) server: &'a ServerParts,
    pub(super) arguments: &'a JsonObject,
    pub(super) caller: &'a Caller,
    /// Called for each page that is done.
    pub(super) progress: &'a dyn ProgressListener,
}

/// Runs a tool.
pub(super) type RunTool = fn(&ToolCall<'_>) -> Result<ToolResult, ToolError>;

/// What runs each tool.
const RUN: [(&str, RunTool); 13] = [
    ("get_file", get_file),
    ("pdf_info", pdf::info),
    ("pdf_extract_text", pdf::extract_text),
    ("pdf_render_page", pdf::render_page),
    ("pdf_search", pdf::search),
    ("pdf_outline", pdf::outline),
    ("pdf", pdf::ask),
    ("fetch_content", web::fetch_content),
    ("get_search_content", web::get_search_content),
    ("context_status", context::status),
    ("context_updates", context::updates),
    ("context_forget", context::forget),
    ("context_fork", context::fork),
];

/// Finds a tool that can be called by its name, and what runs it.
pub(super) fn find_tool(name: &str, server: &ServerParts) -> Option<(&'static Tool, RunTool)> {
    let tool = tool::find_tool(name).filter(|tool| exists(tool, server) && server.tools.allows(name))?;
    RUN.iter().find(|(named, _)| *named == name).map(|(_, run)| (tool, *run))
}

/// The tools that clients see.
pub(super) fn listed(server: &ServerParts) -> impl Iterator<Item = &'static Tool> {
    server.tools.tools().filter(|tool| exists(tool, server))
}

/// Whether the server has what the tool needs.
fn exists(tool: &Tool, server: &ServerParts) -> bool {
    !tool.needs_model || server.models.settings().chain().is_some()
}

impl ToolCall<'_> {
    pub(super) fn context(&self) -> &ContextManager {
        &self.server.context
    }
}

fn get_file(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = GetFileArguments::parse(call.arguments)?;
    let answer = tool::get_file(call.context(), arguments, call.caller, call.progress)?;
    let mut blobs = ResultBlobs::default();
    let result = convert::file_result(&answer, &mut blobs);
    Ok(ToolResult { result, blobs, delivery: Some(answer.delivery) })
}

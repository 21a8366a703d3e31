//! The table of tools that can be called.

mod context;
mod pdf;
mod web;

use rmcp::model::JsonObject;

use super::convert::{self, ToolResult};
use super::delivery::ResultBlobs;
use super::server_parts::ServerParts;
use crate::context::{ContextManager, ProgressListener};
use crate::tool::{self, Caller, GetFileArguments, ToolError, ToolSpec};

/// One call.
pub(super) struct ToolCall<'a> {
    pub(super) server: &'a ServerParts,
    pub(super) arguments: &'a JsonObject,
    pub(super) caller: &'a Caller,
    /// Called for each page that is done.
    pub(super) progress: &'a dyn ProgressListener,
}

/// One tool.
pub(super) struct ToolEntry {
    pub(super) name: &'static str,
    /// Whether its pages count as held by the conversation, so that the call needs one.
    pub(super) records_delivery: bool,
    pub(super) run: fn(&ToolCall<'_>) -> Result<ToolResult, ToolError>,
}

impl ToolEntry {
    /// Whether the tool works on remembered data only.
    pub(super) fn is_about_memory(&self) -> bool {
        self.name.starts_with("context_") || self.name == "get_search_content"
    }
}

/// All tools.
const TOOLS: &[ToolEntry] = &[
    ToolEntry { name: "get_file", records_delivery: true, run: get_file },
    ToolEntry { name: "pdf_info", records_delivery: false, run: pdf::info },
    ToolEntry { name: "pdf_extract_text", records_delivery: false, run: pdf::extract_text },
    ToolEntry { name: "pdf_render_page", records_delivery: false, run: pdf::render_page },
    ToolEntry { name: "pdf_search", records_delivery: false, run: pdf::search },
    ToolEntry { name: "pdf_outline", records_delivery: false, run: pdf::outline },
    ToolEntry { name: ASK_TOOL, records_delivery: false, run: pdf::ask },
    ToolEntry { name: "fetch_content", records_delivery: false, run: web::fetch_content },
    ToolEntry { name: "get_search_content", records_delivery: false, run: web::get_search_content },
    ToolEntry { name: "context_status", records_delivery: false, run: context::status },
    ToolEntry { name: "context_updates", records_delivery: false, run: context::updates },
    ToolEntry { name: "context_forget", records_delivery: false, run: context::forget },
    ToolEntry { name: "context_fork", records_delivery: false, run: context::fork },
];

/// The tool that asks a model. It exists only if a model is set.
const ASK_TOOL: &str = "pdf";

/// Finds a tool by name.
pub(super) fn find_tool(name: &str, server: &ServerParts) -> Option<&'static ToolEntry> {
    TOOLS.iter().find(|tool| tool.name == name).filter(|tool| exists(tool.name, server) && server.tools.allows(name))
}

/// The tools as clients see them.
pub(super) fn specs(server: &ServerParts) -> Vec<ToolSpec> {
    let mut specs = server.tools.specs();
    specs.retain(|spec| exists(spec.name, server));
    specs
}

/// Whether the server has what the tool needs.
fn exists(name: &str, server: &ServerParts) -> bool {
    name != ASK_TOOL || has_model(server)
}

/// Whether a model can be asked about PDFs.
fn has_model(server: &ServerParts) -> bool {
    server.models.settings().chain().is_some()
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

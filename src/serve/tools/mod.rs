//! The tools that can be called, a row each.

mod context;
mod pdf;
mod web;

use rmcp::model::{CallToolResult, JsonObject};

use super::delivery::ResultBlobs;
use super::{ServerParts, convert as shape};
use crate::tool::{self, Caller, ContextManager, Delivery, GetFileArguments, ProgressListener, ToolError, ToolSpec};

/// What came of a call.
pub(super) struct ToolResult {
    pub(super) result: CallToolResult,
    /// The data that its marks stand for.
    pub(super) enclosures: ResultBlobs,
    /// What to record when it was written.
    pub(super) delivery: Option<Delivery>,
}

impl From<CallToolResult> for ToolResult {
    /// A result without data, of which nothing is recorded.
    fn from(result: CallToolResult) -> Self {
        Self { result, enclosures: ResultBlobs::default(), delivery: None }
    }
}

/// One call.
pub(super) struct ToolCall<'a> {
    pub(super) world: &'a ServerParts,
    pub(super) arguments: &'a JsonObject,
    pub(super) caller: &'a Caller,
    /// Told of each page that is done.
    pub(super) progress: &'a dyn ProgressListener,
}

/// One tool.
pub(super) struct ToolEntry {
    pub(super) name: &'static str,
    /// Whether it gives what a conversation then holds, so that it needs one.
    pub(super) records_delivery: bool,
    pub(super) run: fn(&ToolCall<'_>) -> Result<ToolResult, ToolError>,
}

impl ToolEntry {
    /// Whether it has nothing to say without what a conversation holds, or fetched.
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
    ToolEntry { name: ASK, records_delivery: false, run: pdf::ask },
    ToolEntry { name: "fetch_content", records_delivery: false, run: web::fetch_content },
    ToolEntry { name: "get_search_content", records_delivery: false, run: web::get_search_content },
    ToolEntry { name: "context_status", records_delivery: false, run: context::status },
    ToolEntry { name: "context_updates", records_delivery: false, run: context::updates },
    ToolEntry { name: "context_forget", records_delivery: false, run: context::forget },
    ToolEntry { name: "context_fork", records_delivery: false, run: context::fork },
];

/// The tool that asks a model: there only where one can be asked.
const ASK: &str = "pdf";

/// The tool of this name.
pub(super) fn named(name: &str, world: &ServerParts) -> Option<&'static ToolEntry> {
    TOOLS.iter().find(|tool| tool.name == name).filter(|tool| tool.name != ASK || has_model(world))
}

/// What clients are told of the tools.
pub(super) fn specs(world: &ServerParts) -> Vec<ToolSpec> {
    let mut specs = tool::tool_specs();
    if has_model(world) {
        let after = specs.iter().rposition(|spec| spec.name.starts_with("pdf_")).map_or(specs.len(), |at| at + 1);
        specs.insert(after, tool::ask_spec());
    }
    specs
}

/// Whether there is a model to ask about PDFs.
fn has_model(world: &ServerParts) -> bool {
    world.models.settings().chain().is_some()
}

impl ToolCall<'_> {
    pub(super) fn context(&self) -> &ContextManager {
        &self.world.context
    }
}

fn get_file(call: &ToolCall<'_>) -> Result<ToolResult, ToolError> {
    let arguments = GetFileArguments::parse(call.arguments)?;
    let answer = tool::get_file(call.context(), arguments, call.caller, call.progress)?;
    let mut enclosures = ResultBlobs::default();
    let result = shape::file_result(&answer, &mut enclosures);
    Ok(ToolResult { result, enclosures, delivery: Some(answer.delivery) })
}

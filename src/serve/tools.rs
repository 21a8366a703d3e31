//! The tools that can be called, a row each.

use rmcp::model::{CallToolResult, JsonObject};

use super::enclosures::Enclosures;
use super::{ServerWorld, context, pdf, shape, web};
use crate::tool::{self, Caller, ContextManager, Delivery, GetFileArguments, ToolError, ToolSpec, Watcher};

/// What came of a call.
pub(super) struct Called {
    pub(super) result: CallToolResult,
    /// The data that its marks stand for.
    pub(super) enclosures: Enclosures,
    /// What to record when it was written.
    pub(super) delivery: Option<Delivery>,
}

impl From<CallToolResult> for Called {
    /// A result without data, of which nothing is recorded.
    fn from(result: CallToolResult) -> Self {
        Self { result, enclosures: Enclosures::default(), delivery: None }
    }
}

/// One call.
pub(super) struct Call<'a> {
    pub(super) world: &'a ServerWorld,
    pub(super) arguments: &'a JsonObject,
    pub(super) caller: &'a Caller,
    /// Told of each page that is done.
    pub(super) watcher: &'a dyn Watcher,
}

/// One tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    /// Whether it gives what a conversation then holds, so that it needs one.
    pub(super) gives: bool,
    pub(super) run: fn(&Call<'_>) -> Result<Called, ToolError>,
}

impl Tool {
    /// Whether it has nothing to say without what a conversation holds, or fetched.
    pub(super) fn is_about_memory(&self) -> bool {
        self.name.starts_with("context_") || self.name == "get_search_content"
    }
}

/// All tools.
const TOOLS: &[Tool] = &[
    Tool { name: "get_file", gives: true, run: get_file },
    Tool { name: "pdf_info", gives: false, run: pdf::info },
    Tool { name: "pdf_extract_text", gives: false, run: pdf::extract_text },
    Tool { name: "pdf_render_page", gives: false, run: pdf::render_page },
    Tool { name: "pdf_search", gives: false, run: pdf::search },
    Tool { name: "pdf_outline", gives: false, run: pdf::outline },
    Tool { name: ASK, gives: false, run: pdf::ask },
    Tool { name: "fetch_content", gives: false, run: web::fetch_content },
    Tool { name: "get_search_content", gives: false, run: web::get_search_content },
    Tool { name: "context_status", gives: false, run: context::status },
    Tool { name: "context_updates", gives: false, run: context::updates },
    Tool { name: "context_forget", gives: false, run: context::forget },
    Tool { name: "context_fork", gives: false, run: context::fork },
];

/// The tool that asks a model: there only where one can be asked.
const ASK: &str = "pdf";

/// The tool of this name.
pub(super) fn named(name: &str, world: &ServerWorld) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name).filter(|tool| tool.name != ASK || answers(world))
}

/// What clients are told of the tools.
pub(super) fn specs(world: &ServerWorld) -> Vec<ToolSpec> {
    let mut specs = tool::tool_specs();
    if answers(world) {
        let after = specs.iter().rposition(|spec| spec.name.starts_with("pdf_")).map_or(specs.len(), |at| at + 1);
        specs.insert(after, tool::ask_spec());
    }
    specs
}

/// Whether there is a model to ask about PDFs.
fn answers(world: &ServerWorld) -> bool {
    world.models.settings().chain().is_some()
}

impl Call<'_> {
    pub(super) fn context(&self) -> &ContextManager {
        &self.world.context
    }
}

fn get_file(call: &Call<'_>) -> Result<Called, ToolError> {
    let arguments = GetFileArguments::parse(call.arguments)?;
    let answer = tool::get_file(call.context(), arguments, call.caller, call.watcher)?;
    let mut enclosures = Enclosures::default();
    let result = shape::file_result(&answer, &mut enclosures);
    Ok(Called { result, enclosures, delivery: Some(answer.delivery) })
}

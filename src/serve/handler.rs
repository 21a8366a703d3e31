//! Requests of the protocol → tools.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::ServerWorld;
use super::context;
use super::delivery::Ledger;
use super::pdf;
use super::shape;
use super::web;
use crate::tool::ConversationId;
use crate::tool::Delivery;
use crate::tool::{
    self, CONTENT_EXTENSION, Caller, Cancellation, ClientFacts, GetFileArguments, INSTRUCTIONS, ToolError,
};

/// A key of `_meta` under which a client names its conversation, as Codex does.
const THREAD_ID: &str = "threadId";

/// The protocol's face of the tools. All state is shared: the newest protocol makes a handler for each request.
#[derive(Clone)]
pub(super) struct Handler {
    world: Arc<ServerWorld>,
    ledger: Ledger,
}

/// A request for as long as somebody waits for its answer: then the work on it ends, in the workers too.
struct Wanted(Cancellation);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A tool's result, and what to record when it was written.
pub(super) type Called = (CallToolResult, Option<Delivery>);

impl Handler {
    pub(super) fn new(world: ServerWorld, ledger: Ledger) -> Self {
        Self { world: Arc::new(world), ledger }
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let client = ClientFacts {
            name: context.client_info().map(|client| client.name),
            accepts: declared_content(context),
            server_form: self.world.form,
            is_direct: false,
        };
        let thread = context.meta.0.0.get(THREAD_ID).and_then(|id| id.as_str()?.parse::<ConversationId>().ok());
        let conversation = thread.unwrap_or_else(|| self.world.conversation.clone());
        Caller { client, conversation: Some(conversation), cancellation: Cancellation::new() }
    }
}

/// The MIME types that the client says it can show its model.
fn declared_content(context: &RequestContext<RoleServer>) -> Option<Vec<String>> {
    let extensions = context.client_capabilities()?.extensions?;
    let accepted = extensions.get(CONTENT_EXTENSION)?.get("accept")?.as_array()?;
    Some(accepted.iter().filter_map(|mime| mime.as_str().map(str::to_owned)).collect())
}

/// Runs a tool; `None` for one that does not exist. What a tool refuses is a result too: the model must see it.
fn call(world: &ServerWorld, name: &str, arguments: &JsonObject, caller: &Caller) -> Option<Called> {
    let called = match name {
        "get_file" => get_file(world, arguments, caller),
        "pdf_info" => pdf::info(&world.context, arguments, caller),
        "pdf_extract_text" => pdf::extract_text(&world.context, arguments, caller),
        "pdf_render_page" => pdf::render_page(&world.context, arguments, caller),
        "pdf_search" => pdf::search(&world.context, arguments, caller),
        "pdf_outline" => pdf::outline(&world.context, arguments, caller),
        "pdf" if answers(world) => return Some(pdf::ask(world, arguments, caller)),
        "fetch_content" => web::fetch_content(&world.context, arguments, caller),
        "get_search_content" => web::get_search_content(&world.context, arguments, caller),
        "context_status" => context::status(&world.context, arguments, caller),
        "context_updates" => context::updates(&world.context, arguments, caller),
        "context_forget" => context::forget(&world.context, arguments, caller),
        "context_fork" => context::fork(&world.context, arguments, caller),
        _ => return None,
    };
    Some(called.unwrap_or_else(|error| (shape::error_result(&error), None)))
}

/// Whether there is a model to ask about PDFs.
fn answers(world: &ServerWorld) -> bool {
    world.models.settings().chain().is_some()
}

fn get_file(world: &ServerWorld, arguments: &JsonObject, caller: &Caller) -> Result<Called, ToolError> {
    let answer = tool::get_file(&world.context, GetFileArguments::parse(arguments)?, caller)?;
    Ok((shape::file_result(&answer), Some(answer.delivery)))
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("pagewise", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut specs = tool::tool_specs();
        if answers(&self.world) {
            let after = specs.iter().rposition(|spec| spec.name.starts_with("pdf_")).map_or(specs.len(), |at| at + 1);
            specs.insert(after, tool::ask_spec());
        }
        Ok(ListToolsResult::with_all_items(specs.into_iter().map(shape::tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.ledger.settled().await;
        let caller = self.caller(&context);
        let _wanted = Wanted(caller.cancellation.clone());
        let world = Arc::clone(&self.world);
        let name = request.name.clone();
        let arguments = request.arguments.unwrap_or_default();
        let work = tokio::task::spawn_blocking(move || call(&world, &request.name, &arguments, &caller));
        let called = tokio::select! {
            called = work => called.map_err(|_| internal("the tool failed"))?,
            () = context.ct.cancelled() => return Err(internal("cancelled")),
        };
        let (result, delivery) = called.ok_or_else(|| unknown_tool(&name))?;
        if let Some(delivery) = delivery {
            self.ledger.put(&context.id, delivery);
        }
        Ok(CallToolResponse::from(result))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<rmcp::model::ListPromptsRequestMethod>())
    }

    /// None by name: which files there are is not for this server to tell.
    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(Vec::new()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![shape::page_template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let world = Arc::clone(&self.world);
        let cancellation = Cancellation::new();
        let _wanted = Wanted(cancellation.clone());
        let work = tokio::task::spawn_blocking(move || {
            let read = tool::read_page(&world.context, &request.uri, &cancellation);
            read.map(|bytes| shape::page_resource(&request.uri, &bytes))
        });
        let read = tokio::select! {
            read = work => read.map_err(|_| internal("the page could not be read"))?,
            () = context.ct.cancelled() => return Err(internal("cancelled")),
        };
        read.map(ReadResourceResponse::from).map_err(|error| ErrorData::resource_not_found(error.text(), None))
    }
}

fn unknown_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown tool: {name}"), None)
}

fn internal(what: &'static str) -> ErrorData {
    ErrorData::internal_error(what, None)
}

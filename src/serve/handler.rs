//! Requests of the protocol → tools.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo,
    Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::delivery::{InFlight, PendingResponses, ResponseParts};
use super::http::{Exchange, Metrics};
use super::identity::CallerIdentity;
use super::progress::ToolProgress;
use super::tools::{ToolCall, ToolEntry, ToolResult};
use super::{ServerParts, convert as shape, http, tools};
use crate::tool::{self, Caller, Cancellation, ConversationId, INSTRUCTIONS, ToolError};

/// The protocol's face of the tools. All state is shared: the newest protocol makes a handler for each request.
#[derive(Clone)]
pub(super) struct Handler {
    world: Arc<ServerParts>,
    metrics: Arc<Metrics>,
    /// Where deliveries wait for their responses over standard output; over HTTP they wait with their connection.
    ledger: Option<PendingResponses>,
    in_flight: InFlight,
}

/// A request for as long as somebody waits for its answer: then the work on it ends, in the workers too.
struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Handler {
    /// A handler over standard output.
    pub(super) fn over_stdio(world: ServerParts, ledger: PendingResponses, in_flight: InFlight) -> Self {
        let (world, metrics) = (Arc::new(world), Arc::default());
        Self { world, metrics, ledger: Some(ledger), in_flight }
    }

    /// A handler over HTTP.
    pub(super) fn over_http(world: ServerParts, metrics: Arc<Metrics>, in_flight: InFlight) -> Self {
        Self { world: Arc::new(world), metrics, ledger: None, in_flight }
    }

    /// Keeps what goes with the result of a call until that is written. Where it cannot be known when that was, nothing is
    /// recorded.
    fn attach(
        &self,
        result: &mut CallToolResult,
        exchange: Option<&Exchange>,
        context: &RequestContext<RoleServer>,
        mut answer: ResponseParts,
    ) {
        match (exchange, &self.ledger) {
            (Some(exchange), _) => {
                let mark = shape::mark_answer(result, &mut answer.enclosures);
                exchange.put(answer, mark);
            }
            (None, Some(ledger)) => ledger.put(&context.id, answer),
            (None, None) => drop(answer),
        }
    }

    /// Runs a tool on a thread that may wait.
    async fn run(
        &self,
        tool: &'static ToolEntry,
        identity: CallerIdentity,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<(ToolResult, Option<ConversationId>), ErrorData> {
        let world = Arc::clone(&self.world);
        let result_bytes = identity.result_bytes(&world);
        let began = Instant::now();
        let wanted = CancelOnDrop(Cancellation::new());
        let cancellation = wanted.0.clone();
        let progress = ToolProgress::new(cancellation.clone());
        let telling = progress.notifier(context).run();
        let work = tokio::task::spawn_blocking(move || {
            let run = |caller: &Caller| {
                (tool.run)(&ToolCall { world: &world, arguments: &arguments, caller, progress: &progress })
            };
            let caller = identity.caller(&world, &arguments, tool, cancellation);
            let called = caller.as_ref().map_err(ToolError::clone).and_then(run);
            // What a tool refuses is a result too: the model must see it.
            let called = called.unwrap_or_else(|error| shape::error_result(&error).into());
            let called = shape::within_result_limit(called, tool.name, result_bytes);
            if let Some(problem) = world.context.take_warning() {
                (world.warn)(&problem);
            }
            (called, caller.ok().and_then(|caller| caller.conversation))
        });
        // Progress goes before the answer; it is told for as long as there is work.
        let worked = async { tokio::join!(work, telling).0 };
        let called = tokio::select! {
            called = worked => called.map_err(|_| internal("the tool failed"))?,
            () = context.ct.cancelled() => return Err(internal("cancelled")),
        };
        self.metrics.record_call(tool.name, began.elapsed(), called.0.result.is_error == Some(true));
        Ok(called)
    }
}

/// Tells the connection what was called, for its log.
fn log_call(identity: &CallerIdentity, tool: &ToolEntry, context: &RequestContext<RoleServer>) {
    let Some(http) = &identity.http else { return };
    let trace = context.meta.0.0.get("traceparent").and_then(|trace| http::trace_parent(trace.as_str()?));
    http.exchange.called(http::LoggedCall { tool: Some(tool.name), client: identity.client_name(), trace });
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        let capabilities = capabilities.enable_tools().enable_resources().enable_prompts().enable_completions().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("pagewise", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::specs(&self.world).into_iter().map(shape::tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = tools::named(&request.name, &self.world).ok_or_else(|| unknown_tool(&request.name))?;
        let arguments = request.arguments.unwrap_or_default();
        let identity = CallerIdentity::of(&context, &self.world);
        log_call(&identity, tool, &context);
        let key = identity.key(&arguments);
        if let Some(key) = &key {
            self.in_flight.wait_until_settled(key).await;
        }
        let exchange = identity.http.as_ref().map(|http| Arc::clone(&http.exchange));
        let (ToolResult { mut result, enclosures, delivery }, conversation) =
            self.run(tool, identity, arguments, &context).await?;
        let delivery = delivery.map(|delivery| {
            // One that was minted is known by its handle from now on.
            let key = key.or_else(|| conversation.map(|handle| handle.as_str().to_owned()));
            (delivery, self.in_flight.begin(key.as_deref().unwrap_or_default()))
        });
        self.attach(&mut result, exchange.as_deref(), &context, ResponseParts { enclosures, delivery });
        Ok(CallToolResponse::from(result))
    }

    /// None: some clients ask whatever was declared, and take an error for a broken server.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(Vec::new()))
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
        Ok(ListResourceTemplatesResult::with_all_items(shape::page_templates()))
    }

    /// Page numbers for a printed label or the beginning of a title. Which files there are is not told.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let content = content_of(&request).filter(|_| request.argument.name == "number");
        let Some(content) = content else { return Ok(CompleteResult::default()) };
        let world = Arc::clone(&self.world);
        let most = CompletionInfo::MAX_VALUES;
        let work = tokio::task::spawn_blocking(move || {
            tool::complete_page(&world.context, &content, &request.argument.value, most)
        });
        let found = work.await.map_err(|_| internal("the document could not be read"))?;
        let (values, total) = found.map_err(|error| ErrorData::invalid_params(error.text(), None))?;
        let mut completion = CompletionInfo::new(values).map_err(|_| internal("too many completions"))?;
        completion.total = u32::try_from(total).ok();
        completion.has_more = Some(total > most);
        Ok(CompleteResult::new(completion))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let world = Arc::clone(&self.world);
        let identity = CallerIdentity::of(&context, &world);
        let result_bytes = identity.result_bytes(&world);
        let cancellation = Cancellation::new();
        let _wanted = CancelOnDrop(cancellation.clone());
        let work = tokio::task::spawn_blocking(move || {
            let page = tool::read_page(&world.context, &request.uri, &cancellation)?;
            shape::resource_within(shape::page_resource(&request.uri, page), result_bytes)
        });
        let read = tokio::select! {
            read = work => read.map_err(|_| internal("the page could not be read"))?,
            () = context.ct.cancelled() => return Err(internal("cancelled")),
        };
        let (result, enclosures) = read.map_err(|error| ErrorData::resource_not_found(error.text(), None))?;
        let answer = ResponseParts { enclosures, delivery: None };
        match (&identity.http, &self.ledger) {
            (Some(http), _) => http.exchange.put(answer, None),
            (None, Some(ledger)) => ledger.put(&context.id, answer),
            (None, None) => drop(answer),
        }
        Ok(ReadResourceResponse::from(result))
    }
}

/// The content's hash that a client has filled in already.
fn content_of(request: &CompleteRequestParams) -> Option<String> {
    let filled = request.context.as_ref()?.arguments.as_ref()?;
    filled.get("blake3").cloned()
}

fn unknown_tool(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown tool: {name}"), None)
}

fn internal(what: &'static str) -> ErrorData {
    ErrorData::internal_error(what, None)
}

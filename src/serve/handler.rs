//! Requests of the protocol, handed to the tools.

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::convert::ToolResult;
use super::delivery::{InFlight, PendingResponses, ResponseParts};
use super::http::{Exchange, Metrics};
use super::identity::CallerIdentity;
use super::progress::ToolProgress;
use super::server_parts::ServerParts;
use super::tools::{RunTool, ToolCall};
use super::{convert, http, tools};
use crate::tool::{self, Caller, ClientHabit, INSTRUCTIONS, PROMPTS, SKILL_URI, Tool, ToolError};
use pagewise_base::clean::repeated;
use pagewise_base::limits::Cancellation;
use pagewise_view::ConversationId;

/// Handles the protocol's requests. The newest protocol version makes one handler for each request, so all state is
/// shared.
#[derive(Clone)]
pub(super) struct Handler {
    server: Arc<ServerParts>,
    metrics: Arc<Metrics>,
    /// Responses not written yet over standard output. Over HTTP each waits in its exchange.
    pending_responses: Option<PendingResponses>,
    in_flight: InFlight,
}

/// Cancels the work for a request once nobody waits for its answer.
pub(super) struct CancelOnDrop(pub(super) Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Handler {
    /// A handler over standard input and output.
    pub(super) fn over_stdio(server: ServerParts, pending_responses: PendingResponses, in_flight: InFlight) -> Self {
        let (server, metrics) = (Arc::new(server), Arc::default());
        Self { server, metrics, pending_responses: Some(pending_responses), in_flight }
    }

    /// A handler over HTTP.
    pub(super) fn over_http(server: ServerParts, metrics: Arc<Metrics>, in_flight: InFlight) -> Self {
        Self { server: Arc::new(server), metrics, pending_responses: None, in_flight }
    }

    /// Keeps the data and the delivery of a result until it is written. Without a way to learn that, nothing is
    /// recorded.
    fn attach(
        &self,
        result: &mut CallToolResult,
        exchange: Option<&Exchange>,
        context: &RequestContext<RoleServer>,
        mut answer: ResponseParts,
    ) {
        match (exchange, &self.pending_responses) {
            (Some(exchange), _) => {
                let mark = convert::mark_answer(result, &mut answer.blobs);
                exchange.put(answer, mark);
            }
            (None, Some(pending_responses)) => pending_responses.put(&context.id, answer),
            (None, None) => drop(answer),
        }
    }

    /// Runs a tool on a thread that may block.
    async fn run(
        &self,
        (tool, run_tool): (&'static Tool, RunTool),
        identity: CallerIdentity,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<(ToolResult, Option<ConversationId>), ErrorData> {
        let server = Arc::clone(&self.server);
        let result_bytes = identity.result_bytes(&server);
        let began = Instant::now();
        let cancel_on_drop = CancelOnDrop(Cancellation::of(identity.sharer()));
        let cancellation = cancel_on_drop.0.clone();
        let progress = ToolProgress::new(cancellation.clone());
        let notifying = progress.notifier(context).run();
        let work = tokio::task::spawn_blocking(move || {
            let _span = tracing::debug_span!("request", tool = tool.name).entered();
            let run = |caller: &Caller| {
                run_tool(&ToolCall { server: &server, arguments: &arguments, caller, progress: &progress })
            };
            let own = identity.refuse_foreign_uploads(&arguments);
            let caller = own.and_then(|()| identity.caller(&server, &arguments, tool, cancellation));
            let outcome =
                caller.as_ref().map_err(ToolError::clone).and_then(|caller| tool::restart_once(|| run(caller)));
            // A tool's error is a result too, so that the model sees it.
            let brief = |error: ToolError| error.repeating_briefly(arguments.values().filter_map(Value::as_str));
            let mut outcome = outcome.unwrap_or_else(|error| convert::error_result(&brief(error)).into());
            convert::adapt_result(&mut outcome.result, &identity);
            let outcome = convert::within_result_limit(outcome, tool.name, result_bytes);
            if let Some(problem) = server.context.take_warning() {
                (server.warn)(&problem);
            }
            (outcome, caller.ok().and_then(|caller| caller.conversation))
        });
        // Progress notifications end with the work, so all of them precede the answer.
        let worked = async { tokio::join!(work, notifying).0 };
        let outcome = tokio::select! {
            outcome = worked => outcome.map_err(|_| internal("the tool failed"))?,
            () = context.ct.cancelled() => return Err(internal("cancelled")),
        };
        self.metrics.record_call(tool.name, began.elapsed(), outcome.0.result.is_error == Some(true));
        Ok(outcome)
    }
}

/// Passes the call to its exchange, for the log.
fn log_call(identity: &CallerIdentity, tool: &Tool, context: &RequestContext<RoleServer>) {
    let Some(http) = &identity.http else { return };
    let trace = context.meta.0.0.get("traceparent").and_then(|trace| http::trace_parent(trace.as_str()?));
    http.exchange.set_call(http::LoggedCall { tool: Some(tool.name), client: identity.client_name(), trace });
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        let capabilities = capabilities.enable_tools().enable_resources().enable_prompts().enable_completions();
        let capabilities = capabilities.enable_skills().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("pagewise", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    /// Remembers the client, with the version that the protocol goes on in.
    async fn initialize(
        &self,
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let has_structure = !CallerIdentity::of(&context, &self.server).has(ClientHabit::DropsTextBesideStructure);
        let listed = |tool| convert::tool(tool, &self.server.tools, has_structure);
        Ok(ListToolsResult::with_all_items(tools::listed(&self.server).map(listed).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (tool, run_tool) =
            tools::find_tool(&request.name, &self.server).ok_or_else(|| unknown("tool", &request.name))?;
        let arguments = tool::accepted(tool.name, &request.arguments.unwrap_or_default());
        let identity = CallerIdentity::of(&context, &self.server);
        log_call(&identity, tool, &context);
        let key = identity.key(&arguments);
        if let Some(key) = &key {
            self.in_flight.wait_until_settled(key).await;
        }
        let exchange = identity.http.as_ref().map(|http| Arc::clone(&http.exchange));
        let ignores_late_notice = identity.has(ClientHabit::CancelsAnsweredRequests);
        let (ToolResult { mut result, blobs, delivery }, conversation) =
            self.run((tool, run_tool), identity, arguments, &context).await?;
        let delivery = delivery.map(|delivery| {
            // A new conversation is known by its handle from now on.
            let key = key.or_else(|| conversation.map(|handle| handle.as_str().to_owned()));
            (delivery, self.in_flight.begin(key.as_deref().unwrap_or_default()))
        });
        let parts = ResponseParts { blobs, delivery, ignores_late_notice };
        self.attach(&mut result, exchange.as_deref(), &context, parts);
        Ok(CallToolResponse::from(result))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(PROMPTS.iter().map(convert::prompt).collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = PROMPTS.iter().find(|prompt| prompt.name == request.name);
        let prompt = prompt.ok_or_else(|| unknown("prompt", &request.name))?;
        let given = |name: &str| request.arguments.as_ref()?.get(name)?.as_str();
        let message = prompt.message(given);
        let message = message
            .map_err(|missing| ErrorData::invalid_params(format!("The prompt needs the argument {missing}."), None))?;
        Ok(convert::prompt_result(prompt, message).into())
    }

    async fn list_skills(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(ListSkillsResult::with_all_items(vec![convert::skill()]))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let is_known = request.uri == SKILL_URI;
        is_known.then(|| GetSkillResult::new(convert::skill())).ok_or_else(|| unknown("skill", &request.uri))
    }

    /// The skill alone: the server does not reveal which files exist.
    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![convert::listed_skill()]))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(convert::page_templates()))
    }

    /// Completes a page number from a printed label or the start of a title. It reveals no files.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let content = content_of(&request).filter(|_| request.argument.name == "number");
        let Some(content) = content else { return Ok(CompleteResult::default()) };
        let server = Arc::clone(&self.server);
        let owner = CallerIdentity::of(&context, &server).principal();
        let most = CompletionInfo::MAX_VALUES;
        let work = tokio::task::spawn_blocking(move || {
            tool::complete_page(&server.context, &content, &request.argument.value, owner, most)
        });
        let found = work.await.map_err(|_| internal("the document could not be read"))?;
        let (values, total) = found.map_err(|error| ErrorData::invalid_params(error.text(), None))?;
        let mut completion = CompletionInfo::new(values).map_err(|_| internal("too many completions"))?;
        completion.total = u32::try_from(total).ok();
        completion.has_more = Some(total > most);
        Ok(CompleteResult::new(completion))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let message = format!("Method not found: {}", repeated(&request.method));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri == SKILL_URI {
            return Ok(ReadResourceResponse::from(convert::skill_resource()));
        }
        let server = Arc::clone(&self.server);
        let identity = CallerIdentity::of(&context, &server);
        let (result_bytes, owner) = (identity.result_bytes(&server), identity.principal());
        let cancellation = Cancellation::of(identity.sharer());
        let _cancel_on_drop = CancelOnDrop(cancellation.clone());
        let work = tokio::task::spawn_blocking(move || {
            let page = tool::read_page(&server.context, &request.uri, owner, &cancellation)?;
            convert::resource_within(convert::page_resource(&request.uri, page), result_bytes)
        });
        let read = tokio::select! {
            read = work => read.map_err(|_| internal("the page could not be read"))?,
            () = context.ct.cancelled() => return Err(internal("cancelled")),
        };
        let (result, blobs) = read.map_err(|error| ErrorData::resource_not_found(error.text(), None))?;
        let answer = ResponseParts { blobs, delivery: None, ignores_late_notice: false };
        match (&identity.http, &self.pending_responses) {
            (Some(http), _) => http.exchange.put(answer, None),
            (None, Some(pending_responses)) => pending_responses.put(&context.id, answer),
            (None, None) => drop(answer),
        }
        Ok(ReadResourceResponse::from(result))
    }
}

/// The content hash that the client already filled in.
fn content_of(request: &CompleteRequestParams) -> Option<String> {
    let filled = request.context.as_ref()?.arguments.as_ref()?;
    filled.get("blake3").cloned()
}

fn unknown(kind: &str, name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown {kind}: {}", repeated(name)), None)
}

fn internal(what: &'static str) -> ErrorData {
    ErrorData::internal_error(what, None)
}

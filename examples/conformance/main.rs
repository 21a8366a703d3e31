//! Serves the tools, prompts and resources of the protocol's conformance suite over this crate's own HTTP, so that the
//! suite also tests features of the transport that pagewise does not use.
//!
//! `cargo run --example conformance` prints its address and serves until it is stopped. `fixtures.json` holds what it
//! serves; the code here is what data cannot express.

#![allow(clippy::indexing_slicing, clippy::print_stderr, reason = "fixtures for a test: its data is its own")]
#![expect(deprecated, reason = "the older protocols have logging, and subscriptions by request")]

use std::error::Error;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pagewise::serve::{HttpSettings, serve_handler};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequiredResult, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerConfig, ServerNotification,
    ServerRequest, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

type Context = RequestContext<RoleServer>;

/// The pause between the steps of tools that report progress.
const STEP: Duration = Duration::from_millis(50);

fn main() -> Result<(), Box<dyn Error>> {
    let data = serde_json::from_str(include_str!("fixtures.json"))?;
    // The key that seals states, for the life of the process.
    let secret = blake3::hash(format!("{:?}", std::time::SystemTime::now()).as_bytes());
    let fixtures = Fixtures { data: Arc::new(data), secret: *secret.as_bytes(), sinks: Arc::default() };
    let tell: fn(&str) = |text| eprintln!("conformance: {text}");
    let settings = HttpSettings { announce: tell, ..HttpSettings::new(SocketAddr::from(([127, 0, 0, 1], 0))) };
    Ok(serve_handler(fixtures, settings, tell)?)
}

#[derive(Clone)]
struct Fixtures {
    data: Arc<Value>,
    secret: [u8; 32],
    /// The clients that subscribed to changes.
    sinks: Arc<Mutex<Vec<SubscriptionSink>>>,
}

/// Reads a type of the protocol from JSON.
fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A result. The newest protocol requires it to say that it is complete.
fn complete<T: DeserializeOwned>(mut result: Value) -> Result<T, ErrorData> {
    result["resultType"] = json!("complete");
    typed(result)
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn unknown(what: &str) -> ErrorData {
    ErrorData::invalid_params(format!("Unknown: {what}"), None)
}

impl Fixtures {
    fn of(&self, kind: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.data[kind].as_object().into_iter().flatten()
    }

    fn tools(&self) -> Vec<Value> {
        let plain = json!({ "type": "object", "properties": {} });
        let names = ["results", "asks", "rounds"].into_iter().flat_map(|kind| self.of(kind)).map(|(name, _)| name);
        let names = names.map(String::as_str).chain(["test_error_handling"]);
        let tool = |name: &str| {
            let schema = self.data["schemas"].get(name).unwrap_or(&plain);
            json!({ "name": name, "description": "A fixture of the suite.", "inputSchema": schema })
        };
        names.filter(|name| !name.ends_with("_prompt")).map(tool).collect()
    }

    /// Performs what a tool does before it answers.
    async fn work(&self, tool: &str, context: &Context) -> Result<(), ErrorData> {
        match tool {
            "test_tool_with_progress" => self.progress(context).await,
            "test_tool_with_logging" => self.log(context, "info").await,
            "test_logging_tool" => match context.meta.0.0.get("io.modelcontextprotocol/logLevel") {
                Some(level) => self.log(context, level.as_str().unwrap_or("info")).await,
                None => Ok(()),
            },
            "test_missing_capability" => self.needs_sampling(context),
            "test_trigger_tool_change" | "test_trigger_prompt_change" => {
                self.tell_of_change(tool == "test_trigger_tool_change").await;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn progress(&self, context: &Context) -> Result<(), ErrorData> {
        let Some(token) = context.meta.get_progress_token() else { return Ok(()) };
        for progress in [0, 50, 100] {
            let params = json!({ "progressToken": token, "progress": progress, "total": 100 });
            self.notify(context, json!({ "method": "notifications/progress", "params": params })).await?;
        }
        Ok(())
    }

    async fn log(&self, context: &Context, level: &str) -> Result<(), ErrorData> {
        for data in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
            let params = json!({ "level": level, "data": data });
            self.notify(context, json!({ "method": "notifications/message", "params": params })).await?;
        }
        Ok(())
    }

    async fn notify(&self, context: &Context, notification: Value) -> Result<(), ErrorData> {
        let sent = context.peer.send_notification(typed::<ServerNotification>(notification)?).await;
        tokio::time::sleep(STEP).await;
        sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }

    fn needs_sampling(&self, context: &Context) -> Result<(), ErrorData> {
        match context.client_capabilities().and_then(|capabilities| capabilities.sampling) {
            Some(_) => Ok(()),
            None => Err(ErrorData::missing_required_client_capability(typed::<ClientCapabilities>(
                json!({ "sampling": {} }),
            )?)),
        }
    }

    async fn tell_of_change(&self, of_tools: bool) {
        let sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for sink in sinks {
            // A client that is gone or did not subscribe is skipped.
            let _ =
                if of_tools { sink.notify_tool_list_changed().await } else { sink.notify_prompt_list_changed().await };
        }
    }

    /// Sends a request to the client, as in the older protocols, and returns its answer.
    async fn ask(&self, mut request: Value, arguments: &Value, context: &Context) -> Result<CallToolResult, ErrorData> {
        if let Some(prompt) = arguments["prompt"].as_str() {
            request["params"]["messages"][0]["content"]["text"] = json!(prompt);
        }
        if let Some(message) = arguments["message"].as_str() {
            request["params"]["message"] = json!(message);
        }
        match context.peer.send_request(typed::<ServerRequest>(request)?).await {
            Ok(answer) => complete(text(&format!("The client answered: {}", json!(answer)))),
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }

    /// The open requests to the client, as in the newest protocol; `None` if all are answered.
    fn round(
        &self,
        name: &str,
        responses: Option<&InputResponses>,
        state: Option<&str>,
        context: &Context,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        let rounds = self.data["rounds"][name].as_array().map(Vec::as_slice).unwrap_or_default();
        let is_stateful = self.data["stateful"].as_array().is_some_and(|all| all.contains(&json!(name)));
        let at = state.map_or(Ok(0), |state| self.unsealed(name, state))?;
        let requests = rounds.get(at).and_then(Value::as_object).ok_or_else(|| unknown(name))?;
        let requests = if name.ends_with("_capabilities") { allowed(requests, context) } else { requests.clone() };
        let is_answered = |key: &String| responses.and_then(|given| given.get(key)).is_some_and(Value::is_object);
        let has_state = !is_stateful || state.is_some();
        let answered = has_state && !requests.is_empty() && requests.keys().all(is_answered);
        // The state of the first call records that the first round was sent; a later one, that it was answered.
        let next = if answered { at + 1 } else { at };
        if answered && next >= rounds.len() {
            return Ok(None);
        }
        let requests = if answered { rounds[next].as_object().cloned().unwrap_or_default() } else { requests };
        let mut asked = json!({ "resultType": "input_required", "inputRequests": requests });
        if is_stateful {
            asked["requestState"] = json!(self.sealed(name, next));
        }
        typed(asked).map(Some)
    }

    fn sealed(&self, name: &str, round: usize) -> String {
        let seal = blake3::keyed_hash(&self.secret, format!("{name} {round}").as_bytes());
        format!("{round}.{}", seal.to_hex())
    }

    fn unsealed(&self, name: &str, state: &str) -> Result<usize, ErrorData> {
        let round = state.split('.').next().and_then(|round| round.parse().ok());
        let round = round.filter(|round| self.sealed(name, *round) == state);
        round.ok_or_else(|| ErrorData::invalid_params("The request's state was tampered with", None))
    }
}

/// The `requests` that the client declares to support.
fn allowed(requests: &Map<String, Value>, context: &Context) -> Map<String, Value> {
    let declared = json!(context.client_capabilities().unwrap_or_default());
    let can = |request: &Value| {
        let method = request["method"].as_str().unwrap_or_default();
        method.split('/').next().is_some_and(|capability| declared.get(capability).is_some())
    };
    requests.iter().filter(|(_, request)| can(request)).map(|(key, request)| (key.clone(), request.clone())).collect()
}

/// Replaces `{name}` in every text of `value`.
fn filled(value: &Value, name: &str, with: &str) -> Value {
    match value {
        Value::String(text) => json!(text.replace(&format!("{{{name}}}"), with)),
        Value::Array(items) => items.iter().map(|item| filled(item, name, with)).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), filled(value, name, with))).collect(),
        other => other.clone(),
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(typed(self.data["capabilities"].clone()).unwrap_or_default())
    }

    /// The transport reads the headers that a tool's schema names.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.tools().into_iter().find(|tool| tool["name"] == name)?;
        typed(tool).ok()
    }

    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: Context) -> Result<ListToolsResult, ErrorData> {
        complete(json!({ "tools": self.tools() }))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        if let Some(content) = self.data["results"].get(name) {
            self.work(name, &context).await?;
            return Ok(complete::<CallToolResult>(json!({ "content": content }))?.into());
        }
        if let Some(asked) = self.data["asks"].get(name) {
            return Ok(self.ask(asked.clone(), &json!(request.arguments), &context).await?.into());
        }
        if self.data["rounds"].get(name).is_some() {
            let responses = request.input_responses.as_ref();
            return Ok(match self.round(name, responses, request.request_state.as_deref(), &context)? {
                Some(asked) => asked.into(),
                None => complete::<CallToolResult>(text(&format!("state-ok, with {}", json!(responses))))?.into(),
            });
        }
        if name == "test_error_handling" {
            let mut failed = text("This tool intentionally returns an error for testing");
            failed["isError"] = json!(true);
            return Ok(complete::<CallToolResult>(failed)?.into());
        }
        Err(unknown(name))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &Value| json!({ "name": name, "description": "A text.", "required": true });
        let prompt = |(name, prompt): (&String, &Value)| {
            let arguments = prompt["arguments"].as_array().into_iter().flatten().map(argument).collect::<Vec<_>>();
            json!({ "name": name, "description": "A fixture of the suite.", "arguments": arguments })
        };
        complete(json!({ "prompts": self.of("prompts").map(prompt).collect::<Vec<_>>() }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name = request.name.as_str();
        let prompt = self.data["prompts"].get(name).ok_or_else(|| unknown(name))?;
        if self.data["rounds"].get(name).is_some() {
            let responses = request.input_responses.as_ref();
            if let Some(asked) = self.round(name, responses, request.request_state.as_deref(), &context)? {
                return Ok(asked.into());
            }
        }
        let mut messages = prompt["messages"].clone();
        for (name, given) in request.arguments.iter().flatten() {
            messages = filled(&messages, name, given.as_str().unwrap_or_default());
        }
        Ok(complete::<GetPromptResult>(json!({ "messages": messages }))?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = |(uri, resource): (&String, &Value)| {
            let mime_type = &resource["mimeType"];
            json!({ "uri": uri, "name": uri, "description": "A fixture of the suite.", "mimeType": mime_type })
        };
        let direct = self.of("resources").filter(|(uri, _)| !uri.contains('{'));
        complete(json!({ "resources": direct.map(listed).collect::<Vec<_>>() }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = |(uri, _): (&String, &Value)| json!({ "uriTemplate": uri, "name": "data", "description": "A fixture of the suite." });
        let templates = self.of("resources").filter(|(uri, _)| uri.contains('{'));
        complete(json!({ "resourceTemplates": templates.map(listed).collect::<Vec<_>>() }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data")).unwrap_or_default();
        let template = if id.is_empty() { uri } else { "test://template/{id}/data" };
        let not_found = || ErrorData::resource_not_found("Resource not found", Some(json!({ "uri": uri })));
        let mut contents = filled(self.data["resources"].get(template).ok_or_else(not_found)?, "id", id);
        contents["uri"] = json!(uri);
        Ok(complete::<ReadResourceResult>(json!({ "contents": [contents] }))?.into())
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        complete(json!({ "completion": { "values": ["paris", "park"], "total": 2, "hasMore": false } }))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.sinks.lock().unwrap_or_else(PoisonError::into_inner).push(context.sink().clone());
        context.cancelled().await;
        Ok(())
    }
}

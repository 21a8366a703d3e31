//! A line of the Model Context Protocol: the message, and the arguments of a tool call.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::tool::{
    AskArguments, FetchArguments, ForgetArguments, GetFileArguments, InfoArguments, RenderArguments, SearchArguments,
    StatusArguments, TextArguments, ToolArguments as _,
};
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let _ = serde_json::from_slice::<rmcp::model::ClientJsonRpcMessage>(data);
    let Ok(Value::Object(message)) = serde_json::from_slice(data) else { return };
    let params = message.get("params").and_then(Value::as_object);
    let Some(arguments) = params.and_then(|params| params.get("arguments")).and_then(Value::as_object) else { return };
    let _ = GetFileArguments::parse(arguments);
    let _ = InfoArguments::parse(arguments);
    let _ = TextArguments::parse(arguments);
    let _ = RenderArguments::parse(arguments);
    let _ = SearchArguments::parse(arguments);
    let _ = StatusArguments::parse(arguments);
    let _ = ForgetArguments::parse(arguments);
    let _ = AskArguments::parse(arguments);
    let _ = FetchArguments::parse(arguments);
});

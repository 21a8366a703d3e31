//! Messages from clients, checked before the SDK sees them.
//!
//! The SDK takes a request whose parameters have the wrong form for one of an unknown method, and passes over what is not
//! JSON. Here each gets the error that JSON-RPC names, with the request's id if that can be read.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, CompleteRequestParams, GetPromptRequestParams, GetSkillRequestParams,
    InitializeRequestParams, JsonRpcMessage, PaginatedRequestParams, ReadResourceRequestParams,
};
use rmcp::service::RxJsonRpcMessage;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value, json};

use pagewise_base::clean::repeated;

/// The text is not JSON (JSON-RPC 2.0, section 5.1).
pub(super) const PARSE_ERROR: i32 = -32_700;

/// The JSON is no request (JSON-RPC 2.0, section 5.1).
pub(super) const INVALID_REQUEST: i32 = -32_600;

/// The parameters do not suit the method (JSON-RPC 2.0, section 5.1).
const INVALID_PARAMS: i32 = -32_602;

/// A message of the protocol.
pub(super) struct Message {
    /// The message as the SDK gets it.
    pub(super) json: Value,
    pub(super) parsed: RxJsonRpcMessage<RoleServer>,
}

/// The error for a message that is not one of the protocol.
#[derive(Debug)]
pub(super) struct MalformedMessage {
    /// The id of the request; null if there is none that can be read.
    id: Value,
    code: i32,
    message: String,
}

/// The members of a message without its contents, which are skipped unread, however deep or damaged.
#[derive(Deserialize)]
struct Envelope {
    jsonrpc: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    id: Option<Value>,
    method: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    result: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    error: Option<IgnoredAny>,
}

/// A member that is there, even if it is null.
fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl MalformedMessage {
    /// A message that is longer than `bytes`.
    pub(super) fn too_long(bytes: usize) -> Self {
        Self { id: Value::Null, code: INVALID_REQUEST, message: format!("The message is longer than {bytes} bytes.") }
    }

    /// Whether the message is a request whose parameters have the wrong form.
    pub(super) fn is_about_params(&self) -> bool {
        self.code == INVALID_PARAMS
    }

    /// The response with the error.
    pub(super) fn response(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": { "code": self.code, "message": self.message } })
    }
}

/// Reads a message. `None` for a notification that is not as the protocol has it: nothing may answer one.
///
/// # Errors
/// The error to answer with.
pub(super) fn read_message(bytes: &[u8]) -> Result<Option<Message>, MalformedMessage> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    // The problem may quote the message.
    let error =
        |id: &Value, code, message: String| Err(MalformedMessage { id: id.clone(), code, message: repeated(&message) });
    let unread = Value::Null;
    let envelope = match serde_json::from_slice::<Envelope>(bytes) {
        Ok(envelope) => envelope,
        Err(problem) if serde_json::from_slice::<IgnoredAny>(bytes).is_ok() => {
            let is_object = bytes.trim_ascii_start().starts_with(b"{");
            let batch = "A message is one object; batches are not taken.".to_owned();
            let problem = if is_object { format!("The message is not a request: {problem}.") } else { batch };
            return error(&unread, INVALID_REQUEST, problem);
        }
        Err(problem) => return error(&unread, PARSE_ERROR, format!("The message is not JSON: {problem}.")),
    };
    let is_id = |id: &&Value| id.is_number() || id.is_string();
    let id = envelope.id.as_ref().filter(is_id).unwrap_or(&unread);
    if let Err(problem) = std::str::from_utf8(bytes) {
        return error(id, PARSE_ERROR, format!("The message is not UTF-8: see byte {}.", problem.valid_up_to()));
    }
    let is_response = envelope.result.is_some() || envelope.error.is_some();
    let problem = match (&envelope.jsonrpc, &envelope.method, &envelope.id) {
        (version, _, _) if version.as_ref().is_none_or(|version| version != "2.0") => {
            Some("`jsonrpc` must be \"2.0\".")
        }
        (_, None, _) if is_response => None,
        (_, Some(_), _) if is_response => Some("A message with `method` has neither `result` nor `error`."),
        (_, method, _) if !method.as_ref().is_some_and(Value::is_string) => Some("`method` must be a string."),
        (_, _, Some(id)) if whole(id).is_none() && !id.is_string() => Some("`id` must be a string or a whole number."),
        _ => None,
    };
    if let Some(problem) = problem {
        return error(id, INVALID_REQUEST, problem.to_owned());
    }
    let is_request = envelope.id.is_some() && !is_response;
    let mut json = match serde_json::from_slice::<Value>(bytes) {
        Ok(json) => json,
        Err(problem) if is_request => return error(id, INVALID_PARAMS, format!("Invalid params: {problem}.")),
        Err(_) => return Ok(None),
    };
    // Some languages write every number with a fraction.
    if let (Some(whole), Some(id)) = (envelope.id.as_ref().and_then(whole), json.get_mut("id")) {
        *id = json!(whole);
    }
    let method = envelope.method.as_ref().and_then(Value::as_str).unwrap_or_default();
    if method == "tools/call" {
        accept_arguments(&mut json);
    }
    let parsed = RxJsonRpcMessage::<RoleServer>::deserialize(&json);
    let is_unknown = match &parsed {
        Ok(JsonRpcMessage::Request(request)) => matches!(request.request, ClientRequest::CustomRequest(_)),
        Ok(_) => false,
        Err(_) => true,
    };
    let params = json.get("params").unwrap_or(&Value::Null);
    match parsed {
        // Every list is one page, so no cursor comes from here.
        Ok(_) if method.ends_with("/list") && params.get("cursor").is_some_and(|cursor| !cursor.is_null()) => {
            error(id, INVALID_PARAMS, format!("Invalid params of {method}: `cursor` is not known."))
        }
        Ok(parsed) if !is_unknown => Ok(Some(Message { json, parsed })),
        _ if !is_request => Ok(None),
        parsed => match (params_problem(method, params), parsed) {
            (Some(problem), _) => error(id, INVALID_PARAMS, format!("Invalid params of {method}: {problem}.")),
            (None, Ok(parsed)) => Ok(Some(Message { json, parsed })),
            (None, Err(_)) => {
                error(id, INVALID_PARAMS, format!("Invalid params of {method}: `params` must be an object."))
            }
        },
    }
}

/// The whole number that a value is.
#[allow(clippy::cast_possible_truncation, reason = "it is whole, and within the whole numbers of a double")]
fn whole(value: &Value) -> Option<i64> {
    let is_exact = |number: &f64| number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    value.as_i64().or_else(|| value.as_f64().filter(is_exact).map(|number| number as i64))
}

/// Takes arguments as they are meant: some clients send an object as its JSON text, or no arguments as an empty list.
fn accept_arguments(message: &mut Value) {
    let Some(arguments) = message.pointer_mut("/params/arguments") else { return };
    let meant = match arguments {
        Value::String(text) => serde_json::from_str::<Map<String, Value>>(text).ok(),
        Value::Array(values) if values.is_empty() => Some(Map::new()),
        _ => None,
    };
    if let Some(meant) = meant {
        *arguments = Value::Object(meant);
    }
}

/// Methods of sessions alone.
const SESSION_METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// Where a request of the stateless protocol says its version.
const VERSION_OF_REQUEST: &str = "/_meta/io.modelcontextprotocol~1protocolVersion";

/// The reason why parameters do not suit a method of the protocol; `None` for any other method.
fn params_problem(method: &str, params: &Value) -> Option<String> {
    // A request that names its version is of the stateless protocol, which has no such methods.
    if params.pointer(VERSION_OF_REQUEST).is_some() && SESSION_METHODS.contains(&method) {
        return None;
    }
    let problem = match method {
        "initialize" => problem_of::<InitializeRequestParams>(params),
        "tools/call" => problem_of::<CallToolRequestParams>(params),
        "resources/read" => problem_of::<ReadResourceRequestParams>(params),
        "completion/complete" => problem_of::<CompleteRequestParams>(params),
        "prompts/get" => problem_of::<GetPromptRequestParams>(params),
        "skills/get" => problem_of::<GetSkillRequestParams>(params),
        "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" | "skills/list" => {
            problem_of::<PaginatedRequestParams>(params)
        }
        "ping" | "server/discover" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => None,
        _ => return None,
    };
    Some(problem.unwrap_or_else(|| "they do not match the protocol".to_owned()))
}

/// Why `params` are none of type `T`, with the member that is to blame.
fn problem_of<T: DeserializeOwned>(params: &Value) -> Option<String> {
    let Value::Object(members) = params else { return Some("`params` must be an object".to_owned()) };
    let problem = T::deserialize(params).err()?.to_string();
    // Without the member to blame, something else is said.
    let without = |name: &String| {
        let rest = members.iter().filter(|(other, _)| *other != name);
        let rest = rest.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>();
        T::deserialize(Value::Object(rest)).err().map(|problem| problem.to_string())
    };
    let blamed = members.keys().find(|name| without(name).as_ref() != Some(&problem));
    Some(blamed.map_or_else(|| problem.clone(), |name| format!("`{name}`: {problem}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code, the id and the message of the error for this text.
    fn refused(text: &[u8]) -> (i32, String, String) {
        match read_message(text) {
            Err(malformed) => (malformed.code, malformed.id.to_string(), malformed.message),
            Ok(message) => (0, String::new(), message.map(|message| message.json.to_string()).unwrap_or_default()),
        }
    }

    #[test]
    fn each_malformed_message_has_the_error_of_the_standard_and_its_id() {
        let call =
            |rest: &str| format!("{{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/call\",\"params\":{rest}}}");
        let deep = format!("{{\"name\":\"x\",\"arguments\":{}{}}}", "[".repeat(200), "]".repeat(200));
        let cases = [
            (b"{nope".to_vec(), PARSE_ERROR, "null", "not JSON"),
            (b"".to_vec(), PARSE_ERROR, "null", "not JSON"),
            (b"[]".to_vec(), INVALID_REQUEST, "null", "one object"),
            (b"7".to_vec(), INVALID_REQUEST, "null", "one object"),
            (b"{}".to_vec(), INVALID_REQUEST, "null", "`jsonrpc`"),
            (br#"{"id":7,"method":"ping"}"#.to_vec(), INVALID_REQUEST, "7", "`jsonrpc`"),
            (br#"{"jsonrpc":"2.0","id":7}"#.to_vec(), INVALID_REQUEST, "7", "`method`"),
            (br#"{"jsonrpc":"2.0","id":7,"method":5}"#.to_vec(), INVALID_REQUEST, "7", "`method`"),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_vec(), INVALID_REQUEST, "1.5", "`id`"),
            (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_vec(), INVALID_REQUEST, "null", "`id`"),
            (br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#.to_vec(), INVALID_REQUEST, "null", "`id`"),
            (
                br#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#.to_vec(),
                INVALID_REQUEST,
                "null",
                "duplicate field",
            ),
            (
                br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"x"}}"#.to_vec(),
                INVALID_PARAMS,
                "7",
                "`cursor`",
            ),
            (br#"{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}"#.to_vec(), INVALID_REQUEST, "7", "neither"),
            (call("null").into_bytes(), INVALID_PARAMS, "\"a\"", "`params` must be an object"),
            (call("[1]").into_bytes(), INVALID_PARAMS, "\"a\"", "`params` must be an object"),
            (call("{}").into_bytes(), INVALID_PARAMS, "\"a\"", "missing field `name`"),
            (call(r#"{"name":7}"#).into_bytes(), INVALID_PARAMS, "\"a\"", "`name`: invalid type"),
            (
                call(r#"{"name":"x","arguments":[1]}"#).into_bytes(),
                INVALID_PARAMS,
                "\"a\"",
                "`arguments`: invalid type",
            ),
            (
                call(r#"{"name":"x","arguments":"y"}"#).into_bytes(),
                INVALID_PARAMS,
                "\"a\"",
                "`arguments`: invalid type",
            ),
            (call(r#"{"name":"x","arguments":{"q":"\ud83d"}}"#).into_bytes(), INVALID_PARAMS, "\"a\"", "hex escape"),
            (call(&deep).into_bytes(), INVALID_PARAMS, "\"a\"", "recursion limit"),
            (
                call("{\"name\":\"\u{e9}\"}").replace('\u{e9}', "\0").into_bytes(),
                PARSE_ERROR,
                "null",
                "control character",
            ),
            (
                [call("{\"name\":\"").trim_end_matches('}').as_bytes(), b"\xe9\"}}"].concat(),
                PARSE_ERROR,
                "\"a\"",
                "not UTF-8: see byte 66",
            ),
            (
                br#"{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{}}"#.to_vec(),
                INVALID_PARAMS,
                "7",
                "missing field `uri`",
            ),
        ];
        for (text, code, id, named) in cases {
            let (found_code, found_id, message) = refused(&text);
            let shown = String::from_utf8_lossy(&text);
            assert_eq!((found_code, found_id.as_str()), (code, id), "{shown}: {message}");
            assert!(message.contains(named), "{shown}: {message}");
        }
    }

    #[test]
    fn messages_of_the_protocol_pass_and_bad_notifications_have_no_answer() {
        for text in [
            r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":7.0,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":null}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"nobody/knows","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ] {
            assert!(matches!(read_message(text.as_bytes()), Ok(Some(_))), "{text}");
        }
        let bad = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#;
        assert!(read_message(bad.as_bytes()).is_ok());
        for meant in [r#""{\"a\":1}""#, "[]", "null"] {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"x","arguments":{meant}}}}}"#
            );
            assert!(matches!(read_message(text.as_bytes()), Ok(Some(_))), "{text}");
        }
    }
}

//! A provider of models on loopback, for all protocols: it checks every request against what the providers publish,
//! and answers as a test wants.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

use super::{PATIENCE, schema};

/// What is answered to one request.
#[derive(Clone)]
pub(crate) enum Say {
    /// An answer, streamed.
    Text(&'static str),
    /// An answer that the provider's bound on its length has cut.
    Cut(&'static str),
    /// An answer as one JSON object.
    Whole(&'static str),
    /// A status, headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// Nothing, for ever.
    Silence,
    /// The beginning of an answer, then nothing.
    Stall(&'static str),
    /// The beginning of an answer, then the end of the connection.
    Drop(&'static str),
    /// The beginning of an answer, then a proper end of the body.
    End(&'static str),
    /// The beginning of an answer, then an error in the protocol's own form.
    Fail(&'static str, &'static str),
    /// A body as it is, with its type.
    Body(&'static str, String),
}

/// A request as it came.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
    pub(crate) length: usize,
}

#[derive(Default)]
struct State {
    script: VecDeque<Say>,
    seen: Vec<Seen>,
    violations: Vec<String>,
    hang_ups: usize,
}

/// A running provider. It answers "An answer." where its script has ended.
pub(crate) struct Provider {
    address: String,
    shared: Arc<(Mutex<State>, Condvar)>,
}

impl Provider {
    pub(crate) fn start(script: impl IntoIterator<Item = Say>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = State { script: script.into_iter().collect(), ..State::default() };
        let shared = Arc::new((Mutex::new(state), Condvar::new()));
        let for_server = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&for_server);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Where it is, without a path.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The requests so far. None of them broke a rule.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        let state = self.shared.0.lock().unwrap();
        assert_eq!(state.violations, Vec::<String>::new());
        state.seen.clone()
    }

    /// Waits until a request has come.
    pub(crate) fn wait_for_request(&self) {
        let state = self.shared.0.lock().unwrap();
        let (_state, waited) =
            self.shared.1.wait_timeout_while(state, PATIENCE, |state| state.seen.is_empty()).unwrap();
        assert!(!waited.timed_out(), "no request came");
    }

    /// Waits until a client has hung up on an answer.
    pub(crate) fn wait_for_hang_up(&self) {
        let state = self.shared.0.lock().unwrap();
        let (_state, waited) = self.shared.1.wait_timeout_while(state, PATIENCE, |state| state.hang_ups == 0).unwrap();
        assert!(!waited.timed_out(), "the client did not hang up");
    }
}

/// The protocol of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    Messages,
    GenerateContent,
    Responses,
    Chat,
}

impl Protocol {
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/messages" => Some(Self::Messages),
            "/v1/responses" => Some(Self::Responses),
            "/v1/chat/completions" => Some(Self::Chat),
            _ => {
                let model = path.strip_prefix("/v1beta/models/")?.strip_suffix(":streamGenerateContent?alt=sse")?;
                (!model.is_empty() && !model.contains('/')).then_some(Self::GenerateContent)
            }
        }
    }
}

fn serve(stream: TcpStream, shared: &(Mutex<State>, Condvar)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(seen) = request(&mut reader) {
        let protocol = Protocol::of(&seen.path);
        let violations = schema::violations(protocol, &seen);
        let say = {
            let mut state = shared.0.lock().unwrap();
            state.seen.push(seen);
            state.violations.extend(violations);
            shared.1.notify_all();
            state.script.pop_front().unwrap_or(Say::Text("An answer."))
        };
        if answer(&stream, protocol.unwrap_or(Protocol::Chat), say).is_none() {
            // What is left is to see the client go.
            let gone = matches!(reader.read(&mut [0]), Ok(0) | Err(_));
            if gone {
                shared.0.lock().unwrap().hang_ups += 1;
                shared.1.notify_all();
            }
            return;
        }
    }
}

fn request(reader: &mut impl BufRead) -> Option<Seen> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let path = line.split_whitespace().nth(1)?.to_owned();
    assert!(line.starts_with("POST "), "{line}");
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { path, headers, body: serde_json::from_slice(&body).unwrap_or(Value::Null), length })
}

/// Answers; `None` where the connection is to be left as it is.
fn answer(stream: &TcpStream, protocol: Protocol, say: Say) -> Option<()> {
    let mut stream = stream.try_clone().unwrap();
    match say {
        Say::Text(text) => streamed(&mut stream, &[start(protocol, text), end(protocol, false)].concat()),
        Say::Cut(text) => streamed(&mut stream, &[start(protocol, text), end(protocol, true)].concat()),
        Say::End(text) => streamed(&mut stream, &start(protocol, text)),
        Say::Fail(text, kind) => streamed(&mut stream, &[start(protocol, text), failure(protocol, kind)].concat()),
        Say::Whole(text) => with_length(&mut stream, 200, "application/json", &[], &whole(protocol, text).to_string()),
        Say::Body(kind, body) => with_length(&mut stream, 200, kind, &[], &body),
        Say::Status(status, headers, body) => with_length(&mut stream, status, "application/json", headers, &body),
        Say::Silence => None,
        Say::Stall(text) => {
            chunks(&mut stream, &start(protocol, text))?;
            None
        }
        Say::Drop(text) => {
            chunks(&mut stream, &start(protocol, text))?;
            stream.shutdown(std::net::Shutdown::Both).ok()?;
            None
        }
    }
}

fn with_length(stream: &mut TcpStream, status: u16, kind: &str, headers: &[(&str, &str)], body: &str) -> Option<()> {
    let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect::<String>();
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

fn streamed(stream: &mut TcpStream, events: &[Value]) -> Option<()> {
    chunks(stream, events)?;
    stream.write_all(b"0\r\n\r\n").ok()
}

/// The head of a stream, and its events, cut into chunks where no event ends.
fn chunks(stream: &mut TcpStream, events: &[Value]) -> Option<()> {
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        .ok()?;
    let line = |event: &Value| match event.as_str() {
        Some(text) => format!("data: {text}\n\n"),
        None => format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("message")),
    };
    let text = events.iter().map(line).collect::<String>();
    for chunk in text.as_bytes().chunks(17) {
        stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).ok()?;
        stream.write_all(chunk).ok()?;
        stream.write_all(b"\r\n").ok()?;
    }
    Some(())
}

/// Tokens that every answer is said to have cost.
pub(crate) const USAGE: [u64; 3] = [1_200, 34, 1_000];

fn halves(text: &str) -> [&str; 2] {
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.split_at(middle).into()
}

fn start(protocol: Protocol, text: &str) -> Vec<Value> {
    let [input, _, cached] = USAGE;
    let deltas = halves(text);
    match protocol {
        Protocol::Messages => {
            let usage = json!({ "input_tokens": input - cached, "cache_read_input_tokens": cached,
                "cache_creation_input_tokens": 0, "output_tokens": 1 });
            let mut events = vec![
                json!({ "type": "message_start", "message": { "id": "m", "role": "assistant", "content": [], "usage": usage } }),
                json!({ "type": "ping" }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
            ];
            events.extend(deltas.map(|text| {
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
            }));
            events
        }
        Protocol::GenerateContent => deltas
            .map(|text| json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": text }] } }] }))
            .to_vec(),
        Protocol::Responses => {
            let mut events = vec![json!({ "type": "response.created", "response": { "status": "in_progress" } })];
            events.extend(deltas.map(|text| json!({ "type": "response.output_text.delta", "delta": text })));
            events
        }
        Protocol::Chat => {
            deltas.map(|text| json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })).to_vec()
        }
    }
}

fn end(protocol: Protocol, is_cut: bool) -> Vec<Value> {
    let [input, output, cached] = USAGE;
    match protocol {
        Protocol::Messages => {
            let reason = if is_cut { "max_tokens" } else { "end_turn" };
            vec![
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": output } }),
                json!({ "type": "message_stop" }),
            ]
        }
        Protocol::GenerateContent => {
            let reason = if is_cut { "MAX_TOKENS" } else { "STOP" };
            let usage = json!({ "promptTokenCount": input, "candidatesTokenCount": output - 4,
                "thoughtsTokenCount": 4, "cachedContentTokenCount": cached });
            vec![json!({ "candidates": [{ "finishReason": reason }], "usageMetadata": usage })]
        }
        Protocol::Responses => {
            let usage = json!({ "input_tokens": input, "output_tokens": output,
                "input_tokens_details": { "cached_tokens": cached } });
            if is_cut {
                let response = json!({ "status": "incomplete", "usage": usage,
                    "incomplete_details": { "reason": "max_output_tokens" } });
                return vec![json!({ "type": "response.incomplete", "response": response })];
            }
            vec![json!({ "type": "response.completed", "response": { "status": "completed", "usage": usage } })]
        }
        Protocol::Chat => {
            let reason = if is_cut { "length" } else { "stop" };
            let usage = json!({ "prompt_tokens": input, "completion_tokens": output,
                "prompt_tokens_details": { "cached_tokens": cached } });
            vec![
                json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] }),
                json!({ "choices": [], "usage": usage }),
                json!("[DONE]"),
            ]
        }
    }
}

fn failure(protocol: Protocol, kind: &str) -> Vec<Value> {
    let error = json!({ "type": kind, "message": "It went wrong" });
    match protocol {
        Protocol::Responses => {
            let error = json!({ "code": kind, "message": "It went wrong" });
            vec![json!({ "type": "response.failed", "response": { "status": "failed", "error": error } })]
        }
        Protocol::Messages | Protocol::GenerateContent | Protocol::Chat => {
            vec![json!({ "type": "error", "error": error })]
        }
    }
}

fn whole(protocol: Protocol, text: &str) -> Value {
    match protocol {
        Protocol::Messages => json!({ "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn",
            "usage": { "input_tokens": 5, "output_tokens": 6 } }),
        Protocol::GenerateContent => {
            json!({ "candidates": [{ "content": { "parts": [{ "text": text }] }, "finishReason": "STOP" }] })
        }
        Protocol::Responses => json!({ "status": "completed", "output": [
            { "type": "reasoning", "summary": [] },
            { "type": "message", "content": [{ "type": "output_text", "text": text }] }] }),
        Protocol::Chat => json!({ "choices": [{ "message": { "content": text }, "finish_reason": "stop" }] }),
    }
}

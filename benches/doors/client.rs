//! Clients in Rust that keep their connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use super::server::{end, pagewise};

/// A message of the older protocols.
pub(crate) fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

pub(crate) fn hello() -> Value {
    let client = json!({ "name": "bench", "version": "1" });
    message("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }))
}

/// The length of an answer that is one.
pub(crate) fn checked(answer: &[u8]) -> usize {
    let text = String::from_utf8_lossy(answer.get(..300.min(answer.len())).unwrap_or_default());
    assert!(text.contains("\"result\"") && !text.contains("\"isError\":true"), "{text}");
    answer.len()
}

/// A server over standard input and output.
pub(crate) struct Pipes {
    pub(crate) child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipes {
    pub(crate) fn start(folder: &Path) -> Self {
        let mut child = pagewise(folder, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { child, input, output };
        server.ask(&hello());
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
        server
    }

    pub(crate) fn ask(&mut self, message: &Value) -> usize {
        writeln!(self.input, "{message}").unwrap();
        let mut answer = Vec::new();
        self.output.read_until(b'\n', &mut answer).unwrap();
        checked(&answer)
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> usize {
        self.ask(&message("tools/call", json!({ "name": tool, "arguments": arguments })))
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Era {
    Stateless,
    Session,
}

impl Era {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stateless => "HTTP, stateless",
            Self::Session => "HTTP, session",
        }
    }
}

/// One connection that is kept.
pub(crate) struct Caller {
    stream: BufReader<TcpStream>,
    address: String,
    session: Option<String>,
}

impl Caller {
    pub(crate) fn new(address: &str, era: Era) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let mut caller = Self { stream: BufReader::new(stream), address: address.to_owned(), session: None };
        if let Era::Session = era {
            let (head, _) = caller.post(&hello(), "");
            let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).map(str::to_owned);
            caller.session = Some(session.unwrap_or_else(|| panic!("{head}")));
            let headers = caller.session_headers();
            caller.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), &headers);
        }
        caller
    }

    fn session_headers(&self) -> String {
        let session = self.session.as_deref().unwrap_or_default();
        format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n")
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> usize {
        let mut params = json!({ "name": tool, "arguments": arguments });
        let headers = if self.session.is_some() {
            self.session_headers()
        } else {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            params.as_object_mut().unwrap().insert("_meta".into(), meta);
            format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n")
        };
        let (_, body) = self.post(&message("tools/call", params), &headers);
        checked(&body)
    }

    fn post(&mut self, message: &Value, headers: &str) -> (String, Vec<u8>) {
        let body = message.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        self.response()
    }

    fn response(&mut self) -> (String, Vec<u8>) {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).unwrap() > 0, "closed: {head}");
        }
        head.make_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let mut body = Vec::new();
        if let Some(length) = length {
            body.resize(length, 0);
            self.stream.read_exact(&mut body).unwrap();
        } else if head.contains("transfer-encoding: chunked") {
            while self.chunk(&mut body) > 0 {}
        }
        (head, body)
    }

    fn chunk(&mut self, body: &mut Vec<u8>) -> usize {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        let length = usize::from_str_radix(line.trim(), 16).unwrap();
        let start = body.len();
        body.resize(start + length + 2, 0);
        self.stream.read_exact(body.get_mut(start..).unwrap_or_default()).unwrap();
        body.truncate(start + length);
        length
    }
}

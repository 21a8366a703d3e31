//! A client of the server over HTTP, down to the bytes it sends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

use super::PATIENCE;
use super::program::Place;

/// The newest protocol, which knows no sessions.
pub(crate) const STATELESS: &str = "2026-07-28";

/// A running server.
pub(crate) struct Server {
    child: Child,
    log: BufReader<ChildStderr>,
    pub(crate) address: String,
}

/// A response, read to its end.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Server {
    /// Starts a server in `place` at any free port.
    pub(crate) fn start(place: &Place, flags: &[&str]) -> Self {
        let mut command = place.command();
        command.args(["serve", "--http", "127.0.0.1:0", "--no-sandbox"]).args(flags);
        Self::spawn(command)
    }

    /// Starts one with variables.
    #[cfg(feature = "cloud")]
    pub(crate) fn start_with(place: &Place, flags: &[&str], variables: &[(&str, String)]) -> Self {
        let mut command = place.command();
        command.args(["serve", "--http", "127.0.0.1:0", "--no-sandbox"]).args(flags);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        Self::spawn(command)
    }

    /// Starts one whose log is JSON.
    pub(crate) fn start_with_json_log(place: &Place, flags: &[&str]) -> Self {
        let mut command = place.command();
        command.args(["serve", "--http", "127.0.0.1:0", "--no-sandbox", "--set", "log_format=json"]).args(flags);
        Self::spawn(command)
    }

    /// Starts one that may open few files for a start, and more where it asks for them.
    pub(crate) fn start_with_soft_limit(place: &Place, files: u32) -> Self {
        let program = place.command();
        let mut command = Command::new("sh");
        let script = format!("ulimit -Sn {files}; exec \"$0\" serve --http 127.0.0.1:0 --no-sandbox");
        command.arg("-c").arg(script).arg(program.get_program()).current_dir(place.folder());
        command.env("PAGEWISE_DATA_DIR", place.path("data")).env("PAGEWISE_OCR_TESSERACT", "false");
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        let (_, address) = line.split_once("listening on http://").unwrap_or_else(|| panic!("{line}"));
        let address = address.split_once("/mcp").unwrap().0.to_owned();
        Self { child, log, address }
    }

    /// A connection on which nothing was sent yet.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A connection whose end here takes little that it does not read.
    pub(crate) fn connect_small(&self) -> TcpStream {
        let stream = self.connect();
        rustix::net::sockopt::set_socket_recv_buffer_size(&stream, 4_096).unwrap();
        stream
    }

    /// Sends bytes and reads what comes until the server closes or the response is whole; `None` where it closes
    /// without a response.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Option<Response> {
        let mut stream = self.connect();
        // A server that refuses early may close before all is taken.
        let _ = stream.write_all(bytes);
        read_response(&mut BufReader::new(stream))
    }

    /// A request with headers over the usual ones; an empty value takes one away.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        self.raw(&self.bytes(method, path, headers, body)).expect("a response")
    }

    /// The bytes of a request.
    pub(crate) fn bytes(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let length = body.len().to_string();
        let usual = [
            ("Host", self.address.as_str()),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Content-Length", length.as_str()),
            ("Connection", "close"),
        ];
        let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let kept = usual.iter().filter(|(name, _)| !given(name));
        for (name, value) in kept.chain(headers).filter(|(_, value)| !value.is_empty()) {
            head += &format!("{name}: {value}\r\n");
        }
        [head.as_bytes(), b"\r\n", body].concat()
    }

    /// Posts a message.
    pub(crate) fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Response {
        self.request("POST", "/mcp", headers, message.to_string().as_bytes())
    }

    /// A request of the newest protocol, in the name of `client`; the whole answer.
    pub(crate) fn stateless(&self, client: &str, method: &str, params: Value, headers: &[(&str, &str)]) -> Value {
        let (message, own) = stateless_message(client, method, params);
        let own = own.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
        let response = self.post(&message, &[&own[..], headers].concat());
        response.json().unwrap_or_else(|| panic!("{method}: {response:?}"))
    }

    /// A tool's result, by the newest protocol.
    pub(crate) fn call(&self, client: &str, tool: &str, arguments: Value, headers: &[(&str, &str)]) -> Value {
        let answer = self.stateless(client, "tools/call", json!({ "name": tool, "arguments": arguments }), headers);
        answer.get("result").cloned().unwrap_or_else(|| panic!("{answer}"))
    }

    /// Whether the server still answers.
    pub(crate) fn is_well(&self) -> bool {
        self.request("GET", "/healthz", &[], b"").status == 200
    }

    /// Tells the server to end.
    pub(crate) fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    }

    /// Has the pipe of the log take one page of memory, so that few lines fill it.
    pub(crate) fn shrink_log(&self) {
        rustix::pipe::fcntl_setpipe_size(self.log.get_ref(), 4_096).unwrap();
    }

    /// Waits for the end; the exit status, and what was logged.
    pub(crate) fn ended(mut self) -> (i32, String) {
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that already ended cannot be stopped again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request of the newest protocol, and the headers that go with it.
pub(crate) fn stateless_message(client: &str, method: &str, mut params: Value) -> (Value, Vec<(&'static str, String)>) {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(STATELESS);
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": client, "version": "1.0.0" });
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let mut headers = vec![("MCP-Protocol-Version", STATELESS.to_owned()), ("Mcp-Method", method.to_owned())];
    let name = params["name"].as_str().or_else(|| params["uri"].as_str());
    headers.extend(name.map(|name| ("Mcp-Name", name.to_owned())));
    (json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }), headers)
}

impl Response {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named = self.head.lines().filter_map(|line| line.split_once(':'));
        named.into_iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The answer in the body: JSON, or the last event of a stream that has data.
    pub(crate) fn json(&self) -> Option<Value> {
        let text = self.text();
        if self.header("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
            return serde_json::from_str(&text).ok();
        }
        self.events().pop()
    }

    /// The messages of a stream, in order.
    pub(crate) fn events(&self) -> Vec<Value> {
        let text = self.text();
        let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
    }
}

/// Reads a response to its end: its length, its last chunk, or the end of the connection.
pub(crate) fn read_response(stream: &mut impl BufRead) -> Option<Response> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut response = Response { status, head, body: Vec::new() };
    if response.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        while let Some(chunk) = read_chunk(stream) {
            response.body.extend(chunk);
        }
    } else if let Some(length) = response.header("content-length").and_then(|length| length.parse().ok()) {
        response.body = vec![0; length];
        stream.read_exact(&mut response.body).ok()?;
    } else {
        // What came before a connection broke is what there is.
        let _ = stream.read_to_end(&mut response.body);
    }
    Some(response)
}

/// The next chunk; `None` after the last.
pub(crate) fn read_chunk(stream: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let length = usize::from_str_radix(line.trim(), 16).ok()?;
    let mut chunk = vec![0; length + 2];
    stream.read_exact(&mut chunk).ok()?;
    chunk.truncate(length);
    Some(chunk).filter(|chunk| !chunk.is_empty())
}

/// A session of an older protocol.
pub(crate) struct Session<'a> {
    server: &'a Server,
    id: String,
    authorization: String,
    next_id: std::cell::Cell<u64>,
}

impl<'a> Session<'a> {
    pub(crate) fn start(server: &'a Server, client: &str) -> Self {
        Self::start_as(server, client, "")
    }

    /// The same for one who shows a token.
    pub(crate) fn start_as(server: &'a Server, client: &str, token: &str) -> Self {
        let hello = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": client, "version": "1.0.0" },
            },
        });
        let authorization = if token.is_empty() { String::new() } else { format!("Bearer {token}") };
        let response = server.post(&hello, &[("Authorization", authorization.as_str())]);
        let id = response.header("mcp-session-id").unwrap_or_else(|| panic!("{response:?}")).to_owned();
        let session = Self { server, id, authorization, next_id: std::cell::Cell::new(1) };
        let accepted = session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(accepted.status, 202, "{accepted:?}");
        session
    }

    /// The same session, named by one who shows another token.
    pub(crate) fn as_shown_by(&self, token: &str) -> Self {
        let authorization = format!("Bearer {token}");
        Self { server: self.server, id: self.id.clone(), authorization, next_id: std::cell::Cell::new(1) }
    }

    /// The same session, named at another server.
    pub(crate) fn at<'b>(&self, server: &'b Server) -> Session<'b> {
        let (id, authorization) = (self.id.clone(), self.authorization.clone());
        Session { server, id, authorization, next_id: std::cell::Cell::new(100) }
    }

    /// The session of this id.
    pub(crate) fn of(server: &'a Server, id: &str) -> Self {
        Self { server, id: id.to_owned(), authorization: String::new(), next_id: std::cell::Cell::new(100) }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    fn headers(&self) -> [(&str, &str); 3] {
        [
            ("Mcp-Session-Id", self.id.as_str()),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Authorization", self.authorization.as_str()),
        ]
    }

    pub(crate) fn post(&self, message: &Value) -> Response {
        self.server.post(message, &self.headers())
    }

    /// The bytes of a request, for a client that sends them itself.
    pub(crate) fn bytes(&self, message: &Value) -> Vec<u8> {
        self.server.bytes("POST", "/mcp", &self.headers(), message.to_string().as_bytes())
    }

    /// The bytes of a request of this session that brings nothing.
    pub(crate) fn without_body(&self, method: &str) -> Vec<u8> {
        let headers = [&self.headers()[..], &[("Content-Type", ""), ("Content-Length", "")]].concat();
        self.server.bytes(method, "/mcp", &headers, b"")
    }

    pub(crate) fn request(&self, method: &str, params: Value) -> Value {
        let id = self.next_id.replace(self.next_id.get() + 1);
        let response = self.post(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let answer = response.json().unwrap_or_else(|| panic!("{method}: {response:?}"));
        assert_eq!(answer["id"], json!(id));
        answer.get("result").cloned().unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }
}

//! What a call costs at each door, from the request's first byte to the answer's last: workers on, a client in Rust that
//! keeps its connection. `cargo bench --bench doors`
//!
//! Beside it, in the same run and by the same client, a server made with the protocol's SDK in TypeScript whose tool says
//! the same and does nothing for it, where `DOORS_SDK` names a folder with `node_modules/@modelcontextprotocol/sdk`
//! in it (`DOORS_NODE` names Node, else `node`).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it prints what it measured, and may stop where it stands"
)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use self::support::page_of;
use serde_json::{Value, json};

/// Calls of each kind, of which the middle one counts.
const ROUNDS: usize = 1_000;

/// Connections at once, and how long each calls as fast as it is answered.
const CONNECTIONS: usize = 64;
const BUSY: Duration = Duration::from_secs(3);

/// No conversation is full within a run.
const FLAGS: [&str; 6] = [
    "--set",
    "max_conversation_blocks=1000000000",
    "--set",
    "max_conversation_pages=1000000000",
    "--set",
    "max_conversation_bytes=1000000000000",
];

fn main() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("small.pdf"), page_of(1_000)).unwrap();
    std::fs::write(folder.path().join("large.pdf"), page_of(1_000_000)).unwrap();
    println!("medians of {ROUNDS} calls");
    let mut pipes = Pipes::start(folder.path());
    measure("stdio", &mut |tool, arguments| pipes.call(tool, arguments));
    drop(pipes);
    let server = Server::pagewise(folder.path());
    for era in [Era::Stateless, Era::Session] {
        let mut caller = Caller::new(&server.address, era);
        measure(era.name(), &mut |tool, arguments| caller.call(tool, arguments));
    }
    let (ours, rate) = (median(&mut small(&server, Era::Session)), busy(&server, Era::Session));
    println!("{CONNECTIONS} connections, small calls: {:.0}/s stateless", busy(&server, Era::Stateless));
    println!("{CONNECTIONS} connections, small calls: {rate:.0}/s in sessions");
    drop(server);
    match Server::sdk(folder.path()) {
        Ok(sdk) => {
            let (theirs, their_rate) = (median(&mut small(&sdk, Era::Session)), busy(&sdk, Era::Session));
            println!("the SDK's server: small call {theirs:.1?}, {CONNECTIONS} connections {their_rate:.0}/s");
            let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
            println!(
                "to it: a small call takes {ratio:.2} of its time, {:.2} times as many a second",
                rate / their_rate
            );
        }
        Err(why) => println!("SKIPPED, NOT COMPARED with a server of the SDK: {why}"),
    }
}

/// A tool call: its answer, which must be none of an error.
type Calling<'a> = dyn FnMut(&str, Value) -> usize + 'a;

fn measure(door: &str, call: &mut Calling<'_>) {
    let info = median(&mut || call("pdf_info", json!({ "path": "small.pdf" })));
    let page = json!({ "filePath": "small.pdf", "pdfPage": 0, "as": "document", "force": true });
    let small = median(&mut || call("get_file", page.clone()));
    let page = json!({ "filePath": "large.pdf", "pdfPage": 0, "as": "document", "force": true });
    let large = median(&mut || call("get_file", page.clone()));
    println!("{door:16} pdf_info {info:>8.1?}, page of 1 KB {small:>8.1?}, of 1 MB {large:>8.1?}");
}

fn median(run: &mut dyn FnMut() -> usize) -> Duration {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}

fn small(server: &Server, era: Era) -> impl FnMut() -> usize {
    let mut caller = Caller::new(&server.address, era);
    move || caller.call("pdf_info", json!({ "path": "small.pdf" }))
}

/// Calls a second of many connections.
fn busy(server: &Server, era: Era) -> f64 {
    std::thread::scope(|scope| {
        let clients = (0..CONNECTIONS).map(|_| {
            scope.spawn(move || {
                let mut run = small(server, era);
                let start = Instant::now();
                let mut calls = 0_u32;
                while start.elapsed() < BUSY {
                    run();
                    calls += 1;
                }
                f64::from(calls) / start.elapsed().as_secs_f64()
            })
        });
        let clients = clients.collect::<Vec<_>>();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    })
}

/// A message of the older protocols.
fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn hello() -> Value {
    let client = json!({ "name": "bench", "version": "1" });
    message("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }))
}

/// The length of an answer that is one.
fn checked(answer: &[u8]) -> usize {
    let text = String::from_utf8_lossy(answer.get(..300.min(answer.len())).unwrap_or_default());
    assert!(text.contains("\"result\"") && !text.contains("\"isError\":true"), "{text}");
    answer.len()
}

/// A server over standard input and output.
struct Pipes {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipes {
    fn start(folder: &Path) -> Self {
        let mut child = pagewise(folder, &[]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut server = Self { child, input, output };
        server.ask(&hello());
        writeln!(server.input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
        server
    }

    fn ask(&mut self, message: &Value) -> usize {
        writeln!(self.input, "{message}").unwrap();
        let mut answer = Vec::new();
        self.output.read_until(b'\n', &mut answer).unwrap();
        checked(&answer)
    }

    fn call(&mut self, tool: &str, arguments: Value) -> usize {
        self.ask(&message("tools/call", json!({ "name": tool, "arguments": arguments })))
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn pagewise(folder: &Path, flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pagewise"));
    command.current_dir(folder).env("PAGEWISE_DATA_DIR", folder.join("data")).arg("serve");
    command.args(FLAGS).args(flags);
    command
}

fn end(child: &mut Child) {
    // One that ended by itself cannot be stopped again.
    let _ = child.kill();
    let _ = child.wait();
}

/// A server over HTTP.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn pagewise(folder: &Path) -> Self {
        let flags = ["--http", "127.0.0.1:0", "--set", "http_log=false"];
        let mut child = pagewise(folder, &flags).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("pagewise: listening on http://").and_then(|at| at.strip_suffix("/mcp"));
        Self { address: address.unwrap_or_else(|| panic!("{line}")).to_owned(), child }
    }

    /// A server of the SDK whose tool answers as ours does.
    fn sdk(folder: &Path) -> Result<Self, String> {
        let at = std::env::var_os("DOORS_SDK").ok_or("DOORS_SDK names no folder")?;
        let at = PathBuf::from(at);
        if !at.join("node_modules/@modelcontextprotocol/sdk").is_dir() {
            return Err(format!("no SDK in {}", at.display()));
        }
        let script = folder.join("server.mjs");
        std::fs::write(&script, include_str!("doors.mjs")).map_err(|error| error.to_string())?;
        std::os::unix::fs::symlink(at.join("node_modules"), folder.join("node_modules"))
            .map_err(|error| error.to_string())?;
        let node = std::env::var_os("DOORS_NODE").unwrap_or_else(|| "node".into());
        let child = Command::new(node).arg(script).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("Node cannot be started: {error}"))?;
        let mut address = String::new();
        let output = child.stdout.take().ok_or("it says nothing")?;
        BufReader::new(output).read_line(&mut address).map_err(|error| error.to_string())?;
        Ok(Self { child, address: address.trim().to_owned() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

#[derive(Clone, Copy)]
enum Era {
    Stateless,
    Session,
}

impl Era {
    fn name(self) -> &'static str {
        match self {
            Self::Stateless => "HTTP, stateless",
            Self::Session => "HTTP, session",
        }
    }
}

/// One connection that is kept.
struct Caller {
    stream: BufReader<TcpStream>,
    address: String,
    session: Option<String>,
}

impl Caller {
    fn new(address: &str, era: Era) -> Self {
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

    fn call(&mut self, tool: &str, arguments: Value) -> usize {
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

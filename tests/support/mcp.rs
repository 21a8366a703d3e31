//! A client of the Model Context Protocol over standard input and output: JSON, one message a line.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::program::Place;

/// A running server and its two pipes.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    next_id: u64,
    /// Answers passed over while waiting for another.
    passed_over: Vec<u64>,
}

impl Client {
    /// Starts a server in `place` and shakes hands in the name of `client`.
    pub(crate) fn start(place: &Place, client: &str) -> Self {
        Self::start_with(place, &[], client, json!({}))
    }

    /// The same with flags for the server and capabilities of the client.
    pub(crate) fn start_with(place: &Place, flags: &[&str], client: &str, capabilities: Value) -> Self {
        Self::start_command(place.command(), flags, client, capabilities)
    }

    /// The same with a program of the test's own making.
    pub(crate) fn start_command(command: Command, flags: &[&str], client: &str, capabilities: Value) -> Self {
        Self::spawn(command, flags).greeted(client, capabilities)
    }

    /// A server with a single worker.
    pub(crate) fn start_with_one_worker(place: &Place) -> Self {
        let mut command = place.command();
        command.env("PAGEWISE_WORKERS", "1");
        Self::spawn(command, &[]).greeted("test", json!({}))
    }

    fn greeted(mut self, client: &str, capabilities: Value) -> Self {
        self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": capabilities,
                "clientInfo": { "name": client, "version": "1.0.0" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        self
    }

    /// Starts a server and says nothing.
    pub(crate) fn start_without_handshake(place: &Place) -> Self {
        Self::spawn(place.command(), &[])
    }

    fn spawn(mut command: Command, flags: &[&str]) -> Self {
        command.arg("serve").args(flags).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().map(BufReader::new));
        Self { child, input, output, next_id: 1, passed_over: Vec::new() }
    }

    /// Sends a request and waits for its result.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        let answer = self.receive(id);
        answer.get("result").cloned().unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    /// Calls a tool and waits for its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Sends a request and waits for nothing; returns its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send_as(id, method, params);
        id
    }

    /// The same under an id of the test's own.
    pub(crate) fn send_as(&mut self, id: u64, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// Sends a line of the test's own.
    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(&[line, b"\n"].concat()).unwrap();
        input.flush().unwrap();
    }

    /// The next message.
    pub(crate) fn next_message(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.as_mut().unwrap().read_line(&mut line).unwrap() > 0, "the server ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Says that nothing more will be asked.
    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The answer to request `id`; what comes before it is passed over.
    pub(crate) fn receive(&mut self, id: u64) -> Value {
        let output = self.output.as_mut().unwrap();
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(id) {
                return message;
            }
            self.passed_over.extend(message["id"].as_u64());
        }
    }

    /// The next answers, as many as that, by the ids of their requests.
    pub(crate) fn receive_each(&mut self, count: usize) -> BTreeMap<u64, Value> {
        let output = self.output.as_mut().unwrap();
        let answers = std::iter::repeat_with(|| {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            (message["id"].as_u64().unwrap(), message)
        });
        answers.take(count).collect()
    }

    /// All that comes up to the answer to request `id`, and that.
    pub(crate) fn receive_all(&mut self, id: u64) -> Vec<Value> {
        let output = self.output.as_mut().unwrap();
        let mut all = Vec::new();
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).unwrap() > 0, "the server ended");
            all.push(serde_json::from_str::<Value>(&line).unwrap());
            if all.last().unwrap()["id"] == json!(id) {
                return all;
            }
        }
    }

    /// The server's own child processes, which are its workers.
    pub(crate) fn workers(&self) -> Vec<rustix::process::Pid> {
        let parent = format!("PPid:\t{}\n", self.child.id());
        let processes = std::fs::read_dir("/proc").unwrap().map_while(Result::ok);
        let is_worker = |entry: &std::fs::DirEntry| {
            std::fs::read_to_string(entry.path().join("status")).is_ok_and(|status| status.contains(&parent))
        };
        let numbers = processes.filter(is_worker).filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        numbers.filter_map(rustix::process::Pid::from_raw).collect()
    }

    /// Whether request `id` was answered before the last answer that was waited for.
    pub(crate) fn receive_earlier(&self, id: u64) -> bool {
        self.passed_over.contains(&id)
    }

    /// Waits until something has come, and reads none of it.
    pub(crate) fn wait_for_output(&mut self) {
        assert!(!self.output.as_mut().unwrap().fill_buf().unwrap().is_empty(), "the server ended");
    }

    /// Goes away as a reader; the server can still be written to.
    pub(crate) fn stop_reading(&mut self) {
        self.output = None;
    }

    /// Closes the server's input and waits for its end; the exit status.
    pub(crate) fn end(mut self) -> i32 {
        self.input = None;
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
        input.flush().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.input = None;
        self.output = None;
        // A server that already ended cannot be stopped again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

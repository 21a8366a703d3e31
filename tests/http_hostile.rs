//! Requests that no honest client makes: none is accepted, none breaks the server, and no answer goes astray.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed test may stop where it stands"
)]

mod mutations;

use std::io::Write;

use serde_json::{Value, json};

use crate::support::http::{Server, Session, stateless_message};
use crate::support::program::{Place, texts};
use crate::support::small_pdf;

/// A request.
struct Case {
    name: String,
    bytes: Vec<u8>,
}

/// Turned away before the protocol: an error status, or no answer at all.
fn is_turned_away(status: Option<u16>) -> bool {
    status.is_none_or(|status| (400..600).contains(&status))
}

fn list(server: &Server, headers: &[(&str, &str)]) -> Vec<u8> {
    let (message, own) = stateless_message("hostile", "tools/list", json!({}));
    let own = own.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    server.bytes("POST", "/mcp", &[&own[..], headers].concat(), message.to_string().as_bytes())
}

fn case(name: String, bytes: Vec<u8>) -> Case {
    Case { name, bytes }
}

/// Names that are not this server's, as a page that rebinds its own name would send them.
fn hosts(server: &Server) -> Vec<Case> {
    let port = server.address.rsplit(':').next().unwrap();
    let names = [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "evil.example@127.0.0.1",
        "0.0.0.0",
        "169.254.169.254",
        "[::]",
        "[::ffff:127.0.0.1]",
        "127.0.0.2",
        "127.1",
        "2130706433",
        "0x7f000001",
        "localhost.",
        "LOCALHOST.evil.example",
        "a b",
        "\"localhost\"",
        "localhost\u{7f}",
        "localhost/",
        "http://localhost",
        "localhost#",
        "localhost?x",
        "user@localhost.evil.example",
        "*",
        "%6cocalhost",
    ];
    let with_port = names.iter().map(|name| format!("{name}:{port}"));
    let all = names.iter().map(|name| (*name).to_owned()).chain(with_port);
    all.map(|host| case(format!("host {host}"), list(server, &[("Host", &host)]))).collect()
}

/// Pages of others.
fn origins(server: &Server) -> Vec<Case> {
    let origins = [
        "https://evil.example",
        "http://evil.example",
        "null",
        "http://localhost.evil.example",
        "file://",
        "http://127.0.0.1.evil.example",
        "https://localhost.evil.example:443",
        "http://evil.example:8700",
        "evil",
        "http://127.0.0.2",
        "http://0.0.0.0",
        "http://[::2]",
        "chrome-extension://abc",
        "http://",
        "://localhost",
        "http://localhost@evil.example",
        "http://evil.example#localhost",
        "http://evil.example/localhost",
        "data:",
        "javascript:alert(1)",
        "http://loc alhost",
        "ws://evil.example",
        "about:blank",
    ];
    origins.iter().map(|origin| case(format!("origin {origin}"), list(server, &[("Origin", origin)]))).collect()
}

/// Bodies that are no message.
fn bodies(server: &Server) -> Vec<Case> {
    let deep = "[".repeat(100_000);
    let nested = format!("{}1{}", "{\"a\":".repeat(1_000), "}".repeat(1_000));
    let large = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"x\":\"{}\"}}", "x".repeat(5 << 20));
    let bodies: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "}",
        "[]",
        "[1]",
        "null",
        "true",
        "1",
        "\"x\"",
        "{}",
        "{\"jsonrpc\":\"2.0\"}",
        "NaN",
        "{'a':1}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"tools/list\"}",
        "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}",
        "{\"id\":1,\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"} {}",
        "<xml/>",
        "id=1&method=tools/list",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":\"x\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":7}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":7}}",
        &deep,
        &nested,
        &large,
    ]
    .iter()
    .map(|body| body.as_bytes().to_vec())
    .chain([vec![0xff, 0xfe], vec![0; 1_000], b"\xef\xbb\xbf{}".to_vec(), b"{\"a\":\"\xc3\x28\"}".to_vec()])
    .collect();
    let named = |(at, body): (usize, Vec<u8>)| {
        case(format!("body {at}"), server.bytes("POST", "/mcp", &[("MCP-Protocol-Version", "2026-07-28")], &body))
    };
    bodies.into_iter().enumerate().map(named).collect()
}

/// Heads that are none, or more than one.
fn heads(server: &Server) -> Vec<Case> {
    let host = &server.address;
    let long = "x".repeat(200_000);
    let many = (0..300).map(|at| format!("X-{at}: y\r\n")).collect::<String>();
    let heads = [
        "\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "POST /mcp\r\n\r\n".to_owned(),
        "POST /mcp HTTP/9.9\r\n\r\n".to_owned(),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: x\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\n{many}\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nX: {long}\r\n\r\n"),
        format!("POST /{long} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost : {host}\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\nX\0: y\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: {host}\r\n folded: y\r\n\r\n"),
        "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "\x16\x03\x01\x02\x00\x01\x00\x01".to_owned(),
        format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"),
    ];
    heads.into_iter().enumerate().map(|(at, head)| case(format!("head {at}"), head.into_bytes())).collect()
}

/// Headers that contradict the protocol.
fn headers(server: &Server) -> Vec<Case> {
    let wrong = [
        ("Accept", "text/html"),
        ("Content-Type", ""),
        ("Content-Type", "text/plain"),
        ("Content-Type", "application/xml"),
        ("Content-Type", "multipart/form-data"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Method", "TOOLS/LIST"),
        ("MCP-Protocol-Version", "1999-01-01"),
        ("MCP-Protocol-Version", "2099-12-31"),
        ("MCP-Protocol-Version", "latest"),
        ("MCP-Protocol-Version", "2026-07-2"),
        ("MCP-Protocol-Version", "' OR 1=1"),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let contradicted = |(name, value): &(&str, &str)| {
        let (message, own) = stateless_message("hostile", "tools/list", json!({}));
        let kept = own.iter().filter(|(own, _)| !own.eq_ignore_ascii_case(name));
        let own = kept.map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
        let all = [&own[..], &[(*name, *value)]].concat();
        case(format!("{name}: {value}"), server.bytes("POST", "/mcp", &all, message.to_string().as_bytes()))
    };
    wrong.iter().map(contradicted).collect()
}

/// Sessions that are nobody's, methods and places that are not served.
fn places(server: &Server) -> Vec<Case> {
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let sessions = [
        "x",
        "00000000-0000-0000-0000-000000000000",
        "../../etc/passwd",
        "' OR 1=1",
        "null",
        "undefined",
        "*",
        "%00",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "{}",
    ];
    let of_session = sessions.iter().flat_map(|id| {
        ["POST", "GET"].map(|method| {
            let headers = [("Mcp-Session-Id", *id), ("MCP-Protocol-Version", "2025-11-25")];
            case(format!("{method} session {id}"), server.bytes(method, "/mcp", &headers, ping.as_bytes()))
        })
    });
    let methods = ["PUT", "PATCH", "OPTIONS", "TRACE", "HEAD", "DELETE", "GET", "BREW"];
    let of_method =
        methods.iter().map(|method| case(format!("method {method}"), server.bytes(method, "/mcp", &[], b"")));
    let paths = [
        "/",
        "/mcp/",
        "/mcp/x",
        "/MCP",
        "/mcp%00",
        "/../mcp",
        "/.git/config",
        "/admin",
        "/sse",
        "/message",
        "//mcp",
        "/mcp;x",
    ];
    let of_path =
        paths.iter().map(|path| case(format!("path {path}"), server.bytes("POST", path, &[], ping.as_bytes())));
    of_session.chain(of_method).chain(of_path).collect()
}

/// Calls that reach a tool and are refused there, or by the protocol.
fn calls(server: &Server, foreign: &str) -> Vec<Case> {
    let call = |tool: &str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        let (message, own) = stateless_message("hostile", "tools/call", params);
        let own = own.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
        let all = [&own[..], &[("Authorization", "Bearer two")]].concat();
        server.bytes("POST", "/mcp", &all, message.to_string().as_bytes())
    };
    let handles = [
        foreign,
        "conv_00000000000000000000000000000000",
        "review",
        "%00",
        "*",
        "../x",
        "conv_",
        "' OR 1=1 --",
        "\u{202e}x",
    ];
    let tools = ["get_file", "context_status", "context_updates", "context_forget", "context_fork", "pdf_search"];
    let foreign_calls = tools.iter().flat_map(|tool| {
        handles.iter().map(move |handle| {
            let arguments = match *tool {
                "get_file" => json!({ "filePath": "three.pdf", "conversation": handle }),
                "pdf_search" => json!({ "path": "three.pdf", "query": "x", "conversation": handle }),
                _ => json!({ "conversation": handle }),
            };
            (format!("{tool} of {handle}"), *tool, arguments)
        })
    });
    let files = [
        "/etc/passwd",
        "../../../etc/passwd",
        "~/.ssh/id_rsa",
        "file:///etc/passwd",
        "file://host/etc/passwd",
        "http://169.254.169.254/",
        "ftp://x/y",
        "/proc/self/environ",
        "/dev/zero",
        "three.pdf\0",
        "",
        "\\\\host\\share",
        "data:application/pdf;base64,AAAA",
        "/work",
        "..",
    ];
    let forbidden = files.iter().map(|file| (format!("file {file:?}"), "get_file", json!({ "filePath": file })));
    let made = foreign_calls.chain(forbidden).map(|(name, tool, arguments)| (name, call(tool, arguments)));
    made.map(|(name, bytes)| Case { name, bytes }).collect()
}

#[test]
fn hostile_requests_are_refused_and_break_nothing() {
    let place = Place::new();
    place.file("three.pdf", small_pdf(3));
    let server = Server::start(&place, &["--set", "http_read_timeout_seconds=2", "--set", "http_log=false"]);
    let groups = [hosts(&server), origins(&server), bodies(&server), heads(&server), headers(&server), places(&server)];
    let cases = groups.into_iter().flatten().collect::<Vec<_>>();
    assert!(cases.len() >= 150, "{}", cases.len());
    let accepted = |case: &&Case| {
        let response = server.raw(&case.bytes);
        // What is refused inside the protocol is an answer that is an error.
        let answer = response.as_ref().and_then(|response| response.json());
        let is_error = answer.is_some_and(|answer| answer["error"].is_object());
        !is_turned_away(response.map(|response| response.status)) && !is_error
    };
    let accepted = cases.iter().filter(accepted).map(|case| case.name.as_str()).collect::<Vec<_>>();
    assert!(accepted.is_empty(), "{accepted:?}");
    assert!(server.is_well());
    let session = Session::start(&server, "opencode");
    assert_eq!(session.call("pdf_info", json!({ "path": "three.pdf" }))["structuredContent"]["pages"], 3);
}

#[test]
fn hostile_calls_get_nothing_of_others() {
    let place = Place::new();
    place.file("three.pdf", small_pdf(3));
    let server = Server::start(&place, &["--set", "http_tokens=one,two", "--set", "http_log=false"]);
    let own = server.call("owner", "get_file", json!({ "filePath": "three.pdf" }), &[("Authorization", "Bearer one")]);
    let text = texts(&own).join("\n");
    let foreign = text[text.find("conv_").unwrap()..].split_whitespace().next().unwrap().to_owned();
    let cases = calls(&server, &foreign);
    assert!(cases.len() >= 60, "{}", cases.len());
    for case in &cases {
        let response = server.raw(&case.bytes).unwrap_or_else(|| panic!("{}: no answer", case.name));
        let answer = response.json().unwrap_or_else(|| panic!("{}: {response:?}", case.name));
        let refused = answer["result"]["isError"] == true || answer["error"].is_object();
        assert!(refused, "{}: {answer}", case.name);
        assert!(!response.text().contains("root:"), "{}", case.name);
    }
    assert!(server.is_well());
}

#[test]
fn interleaved_ids_of_two_clients_do_not_cross() {
    let place = Place::new();
    for pages in 1..=4 {
        place.file(&format!("{pages}.pdf"), small_pdf(pages));
    }
    let server = Server::start(&place, &["--set", "http_log=false"]);
    let sessions = [Session::start(&server, "one"), Session::start(&server, "two")];
    // The same ids at the same time on several connections, answers read in the other order.
    for round in 0..10 {
        let mut open = Vec::new();
        for (at, session) in sessions.iter().enumerate() {
            for id in 0..2 {
                let pages = at * 2 + id + 1;
                let arguments = json!({ "name": "pdf_info", "arguments": { "path": format!("{pages}.pdf") } });
                let message =
                    json!({ "jsonrpc": "2.0", "id": round * 2 + id, "method": "tools/call", "params": arguments });
                let mut stream = server.connect();
                stream.write_all(&session.bytes(&message)).unwrap();
                open.push((stream, round * 2 + id, pages));
            }
        }
        for (stream, id, pages) in open.into_iter().rev() {
            let response = crate::support::http::read_response(&mut std::io::BufReader::new(stream)).unwrap();
            let answer = response.json().unwrap();
            assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["pages"]), (&json!(id), &json!(pages)));
        }
    }
}

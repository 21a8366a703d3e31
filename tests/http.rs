//! The server over HTTP: who may call, what is recorded, and how it ends.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed test may stop where it stands"
)]

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::http::{Server, Session, read_chunk, stateless_message};
use crate::support::program::{Place, kinds, texts};
use crate::support::site::{Site, ok};
use crate::support::{fixture, small_pdf, wait_until};

fn place_with_pdf() -> (Place, String) {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    (place, pdf)
}

/// The greeting that opens a session.
fn hello() -> Value {
    let client = json!({ "name": "x", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

/// The handle that a result names.
fn handle(result: &Value) -> String {
    let text = texts(result).join("\n");
    let start = text.find("conv_").unwrap_or_else(|| panic!("{text}"));
    text[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

fn holds(server: &Server, conversation: &str) -> Value {
    let arguments = json!({ "conversation": conversation });
    server.call("opencode", "context_status", arguments, &[])["structuredContent"]["files"].clone()
}

#[test]
fn both_eras_of_the_protocol_are_served() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let page = server.call("opencode", "get_file", json!({ "filePath": pdf, "pdfPage": 1 }), &[]);
    assert_eq!(kinds(&page), ["text", "resource", "text"]);
    let session = Session::start(&server, "opencode");
    let again = session.call("get_file", json!({ "filePath": pdf, "pdfPage": 1 }));
    assert_eq!(page["content"][1], again["content"][1], "the same page, the same bytes");
    let found = server.stateless("opencode", "server/discover", json!({}), &[]);
    assert!(found["result"]["instructions"].as_str().unwrap().starts_with("pagewise reads PDFs"), "{found}");
}

#[test]
fn a_handle_is_minted_and_what_it_holds_is_not_sent_again() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let ask = |conversation: Option<&str>| {
        let arguments = match conversation {
            Some(conversation) => json!({ "filePath": pdf, "pdfPage": 0, "conversation": conversation }),
            None => json!({ "filePath": pdf, "pdfPage": 0 }),
        };
        server.call("opencode", "get_file", arguments, &[])
    };
    let first = ask(None);
    let minted = handle(&first);
    assert_eq!(minted.len(), "conv_".len() + 32);
    assert_eq!(kinds(&ask(Some(&minted))), ["text"], "already provided");
    let other = ask(None);
    assert_eq!(kinds(&other), ["text", "resource", "text"], "without a handle nothing is held back");
    assert_ne!(handle(&other), minted);
    // The same in a session: it may be shared by several conversations.
    let session = Session::start(&server, "opencode");
    for _ in 0..2 {
        assert_eq!(
            kinds(&session.call("get_file", json!({ "filePath": pdf, "pdfPage": 0 }))),
            ["text", "resource", "text"]
        );
    }
}

#[test]
fn a_session_is_a_conversation_where_that_was_set() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &["--set", "http_session_is_conversation=true"]);
    let (one, two) = (Session::start(&server, "opencode"), Session::start(&server, "opencode"));
    let ask = |session: &Session| {
        kinds(&session.call("get_file", json!({ "filePath": pdf, "pdfPage": 0 }))).contains(&"resource")
    };
    assert_eq!([ask(&one), ask(&one), ask(&two)], [true, false, true]);
}

#[test]
fn a_client_may_name_its_conversation_in_meta_or_a_header() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let by_header = |name: &str| {
        let headers = [("X-Conversation-Id", name)];
        let page = server.call("opencode", "get_file", json!({ "filePath": pdf, "pdfPage": 0 }), &headers);
        kinds(&page).contains(&"resource")
    };
    assert_eq!([by_header("a"), by_header("b"), by_header("a")], [true, true, false]);
    assert_eq!([by_header(" "), by_header(" ")], [true, true], "what names nothing is nobody's");
    let by_meta = |thread: &str| {
        let params = json!({
            "name": "get_file", "arguments": { "filePath": pdf, "pdfPage": 0 }, "_meta": { "threadId": thread },
        });
        let answer = server.stateless("opencode", "tools/call", params, &[("X-Conversation-Id", "a")]);
        kinds(&answer["result"]).contains(&"resource")
    };
    assert_eq!([by_meta("t"), by_meta("t")], [true, false]);
}

#[test]
fn a_handle_of_nobody_or_of_another_is_unknown() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &["--set", "http_tokens=one,two"]);
    let ask = |token: &str, conversation: Option<&str>| {
        let authorization = format!("Bearer {token}");
        let mut arguments = json!({ "filePath": pdf, "pdfPage": 0 });
        if let Some(conversation) = conversation {
            arguments["conversation"] = json!(conversation);
        }
        server.call("opencode", "get_file", arguments, &[("Authorization", &authorization)])
    };
    let unnamed = server.call("opencode", "context_status", json!({}), &[("Authorization", "Bearer one")]);
    assert!(unnamed.to_string().contains("Pass the name that get_file's answer gave."), "{unnamed}");
    let minted = handle(&ask("one", None));
    assert_eq!(ask("one", Some(&minted))["isError"], false);
    let foreign = ask("two", Some(&minted));
    let unknown = ask("two", Some("conv_00000000000000000000000000000000"));
    assert_eq!(foreign["_meta"]["io.github.pagewise/error"]["code"], "unknown_conversation");
    assert_eq!(foreign, unknown, "one same answer");
    assert_eq!(ask("two", Some("review"))["_meta"]["io.github.pagewise/error"]["code"], "unknown_conversation");
}

#[test]
fn what_was_fetched_is_found_by_every_tool_of_its_conversation_and_by_no_other() {
    let site = Site::start(|_| ok("application/pdf", std::fs::read(fixture("latex.pdf")).unwrap()));
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let call = |tool: &str, arguments: Value, name: Option<&str>| {
        let headers = name.map(|name| ("X-Conversation-Id", name));
        server.call("opencode", tool, arguments, headers.as_slice())
    };
    let pdf = place.file("three.pdf", small_pdf(3));
    let minted = || handle(&call("get_file", json!({ "filePath": pdf }), None));
    let (mine, other) = (minted(), minted());
    let fetched = call("fetch_content", json!({ "url": site.url("/a.pdf"), "conversation": mine }), None);
    let named = call("fetch_content", json!({ "url": site.url("/a.pdf") }), Some("thread"));
    let id = |result: &Value| {
        result["_meta"]["io.github.pagewise/details"]["responseId"]
            .as_str()
            .unwrap_or_else(|| panic!("{result}"))
            .to_owned()
    };
    let (fetched, named) = (id(&fetched), id(&named));
    let code = |result: &Value| result["_meta"]["io.github.pagewise/error"]["code"].as_str().map(str::to_owned);
    let not_found = Some("content_not_found".to_owned());
    for (tool, path, more) in [
        ("get_file", "filePath", json!({ "pages": "2" })),
        ("pdf_info", "path", json!({})),
        ("pdf_extract_text", "path", json!({ "pages": "8" })),
        ("pdf_render_page", "path", json!({ "page": 1, "dpi": 72 })),
        ("pdf_search", "path", json!({ "query": "Sheet" })),
        ("pdf_outline", "path", json!({})),
    ] {
        let ask = |id: &str, conversation: Option<&str>, name: Option<&str>| {
            let mut arguments = more.clone();
            arguments[path] = json!(id);
            arguments["conversation"] = json!(conversation);
            code(&call(tool, arguments, name))
        };
        assert_eq!(ask(&fetched, Some(&mine), None), None, "{tool}: its own");
        assert_eq!(ask(&fetched, Some(&other), None), not_found, "{tool}: another's");
        assert_eq!(ask(&fetched, None, None), not_found, "{tool}: nobody's");
        assert_eq!(ask(&named, None, Some("thread")), None, "{tool}: by the header");
        assert_eq!(ask(&named, None, Some("another")), not_found, "{tool}: by another header");
        let unknown = Some("unknown_conversation".to_owned());
        assert_eq!(ask(&fetched, Some("conv_0"), None), unknown, "{tool}: a handle of nobody");
    }
    assert_eq!(site.count("/a.pdf"), 1);
}

#[test]
fn a_token_is_needed_where_one_is_set() {
    let (place, _) = place_with_pdf();
    let server = Server::start(&place, &["--set", "http_tokens=secret"]);
    let (message, headers) = stateless_message("opencode", "tools/list", json!({}));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let status = |authorization: &str| {
        server.post(&message, &[&headers[..], &[("Authorization", authorization)]].concat()).status
    };
    assert_eq!(status("Bearer secret"), 200);
    assert_eq!(status("bearer secret"), 200);
    for wrong in
        ["", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Basic secret", "secret", "Bearer secret x"]
    {
        assert_eq!(status(wrong), 401, "{wrong}");
    }
    let metrics =
        |authorization: &str| server.request("GET", "/metrics", &[("Authorization", authorization)], b"").status;
    assert_eq!([metrics(""), metrics("Bearer secret")], [401, 200]);
    assert!(server.is_well(), "needs no token");
}

#[test]
fn an_address_that_others_can_reach_needs_a_token() {
    let place = Place::new();
    let run = place.run(&["serve", "--http", "0.0.0.0:0"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("set http_tokens or http_issuer"), "{}", run.stderr);
    assert_eq!(place.run(&["serve", "--http", "nowhere"]).status, 1);
}

#[test]
fn a_page_counts_as_given_only_when_the_answer_was_written() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &[]);
    let conversation = handle(&server.call("opencode", "get_file", json!({ "filePath": pdf }), &[]));
    let arguments = json!({ "filePath": pdf, "pages": "1-8", "conversation": conversation });
    let (message, headers) =
        stateless_message("opencode", "tools/call", json!({ "name": "get_file", "arguments": arguments }));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    // Reads the head of the answer, which is larger than what sockets hold, and goes away.
    let mut stream = server.connect_small();
    stream.write_all(&server.bytes("POST", "/mcp", &headers, message.to_string().as_bytes())).unwrap();
    let mut head = [0; 64];
    stream.read_exact(&mut head).unwrap();
    assert!(head.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&head));
    drop(stream);
    let pages = |files: Value| files[0]["pages"].clone();
    assert_eq!(pages(holds(&server, &conversation)), json!({}), "the summary alone");
    server.call("opencode", "get_file", arguments, &[]);
    assert_eq!(pages(holds(&server, &conversation)), json!({ "document": "1-8" }));
}

#[test]
fn a_page_of_a_session_counts_as_given_only_when_the_answer_was_written() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &[]);
    let session = Session::start(&server, "opencode");
    let conversation = handle(&session.call("get_file", json!({ "filePath": pdf })));
    let arguments = json!({ "filePath": pdf, "pages": "1-8", "conversation": conversation });
    let message = json!({
        "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "get_file", "arguments": arguments },
    });
    let mut stream = server.connect_small();
    stream.write_all(&session.bytes(&message)).unwrap();
    let mut head = [0; 64];
    stream.read_exact(&mut head).unwrap();
    drop(stream);
    // The session goes on; its next answers come after the lost one was made. The server may learn later that it was lost.
    for _ in 0..20 {
        session.call("context_status", json!({ "conversation": conversation }));
    }
    wait_until("the summary alone is held", || holds(&server, &conversation)[0]["pages"] == json!({}));
    session.call("get_file", arguments);
    assert_eq!(holds(&server, &conversation)[0]["pages"], json!({ "document": "1-8" }));
}

#[test]
fn a_server_answers_although_nobody_reads_its_log() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    server.shrink_log();
    for _ in 0..200 {
        server.stateless("opencode", "tools/list", json!({}), &[]);
    }
}

#[test]
fn a_cancellation_in_a_session_takes_the_record_of_its_answer_back() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let client = "gemini-cli-mcp-client";
    let (session, other) = (Session::start(&server, client), Session::start(&server, client));
    let conversation = handle(&session.call("get_file", json!({ "filePath": pdf })));
    let gives = |id: u64| {
        let arguments = json!({ "filePath": pdf, "pages": "1", "conversation": conversation });
        let params = json!({ "name": "get_file", "arguments": arguments });
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        kinds(&session.post(&message).json().unwrap()["result"]).contains(&"resource")
    };
    let cancelled =
        |id: u64| json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    assert!(gives(71));
    assert_eq!(other.post(&cancelled(71)).status, 202);
    assert!(!gives(72), "another session has ids of its own");
    assert_eq!(session.post(&cancelled(71)).status, 202);
    assert!(gives(73));
}

#[test]
fn an_answer_that_a_client_breaks_off_unread_is_taken_back() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let conversation = handle(&server.call("opencode", "get_file", json!({ "filePath": pdf }), &[]));
    let arguments = json!({ "filePath": pdf, "pages": "1", "conversation": conversation });
    let (message, headers) =
        stateless_message("opencode", "tools/call", json!({ "name": "get_file", "arguments": arguments }));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let pages = || holds(&server, &conversation)[0]["pages"].clone();
    for connection in ["close", "keep-alive"] {
        let headers = [&headers[..], &[("Connection", connection)]].concat();
        let mut stream = server.connect();
        stream.write_all(&server.bytes("POST", "/mcp", &headers, message.to_string().as_bytes())).unwrap();
        wait_until("the answer is recorded", || pages() == json!({ "document": "1" }));
        // Its system resets the connection, since what came was not read.
        drop(stream);
        wait_until(connection, || pages() == json!({}));
    }
    for connection in ["close", "keep-alive"] {
        assert_eq!(server.post(&message, &[&headers[..], &[("Connection", connection)]].concat()).status, 200);
        server.call("opencode", "context_status", json!({ "conversation": conversation }), &[]);
        assert_eq!(pages(), json!({ "document": "1" }), "{connection}: it was read");
    }
}

#[test]
fn progress_goes_before_an_answer_that_counts_as_given() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &[]);
    let session = Session::start(&server, "opencode");
    let conversation = handle(&server.call("opencode", "get_file", json!({ "filePath": pdf }), &[]));
    let params = |pages: &str| {
        let arguments = json!({ "filePath": pdf, "pages": pages, "as": "image", "conversation": conversation });
        json!({ "name": "get_file", "arguments": arguments, "_meta": { "progressToken": 7 } })
    };
    let (message, headers) = stateless_message("opencode", "tools/call", params("1-4"));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let by_session = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params("5-8") });
    for response in [server.post(&message, &headers), session.post(&by_session)] {
        let mut events = response.events();
        assert_eq!(events.pop().unwrap()["result"]["isError"], false, "{}", response.text());
        assert!(!events.is_empty(), "{}", response.text());
        for event in &events {
            assert_eq!(event["method"], "notifications/progress");
            assert_eq!((&event["params"]["progressToken"], &event["params"]["total"]), (&json!(7), &json!(4.0)));
        }
    }
    assert_eq!(holds(&server, &conversation)[0]["pages"], json!({ "image": "1-8" }));
}

#[test]
fn a_session_that_is_ended_is_gone() {
    let (place, _) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let session = Session::start(&server, "opencode");
    let end = || server.raw(&session.without_body("DELETE")).unwrap();
    let ended = end();
    assert_eq!((ended.status, ended.text().as_str()), (204, ""));
    assert_eq!(end().status, 404);
    assert_eq!(session.post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).status, 404);
}

#[test]
fn a_session_belongs_to_who_opened_it() {
    let (place, _) = place_with_pdf();
    let server = Server::start(&place, &["--set", "http_tokens=one,two"]);
    let own = Session::start_as(&server, "opencode", "one");
    let others = own.as_shown_by("two");
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!([own.post(&ping).status, others.post(&ping).status], [200, 404]);
    for method in ["GET", "DELETE"] {
        assert_eq!(server.raw(&others.without_body(method)).unwrap().status, 404, "{method}");
    }
    assert_eq!(own.post(&ping).status, 200);
    assert_eq!(server.raw(&own.without_body("DELETE")).unwrap().status, 204);
}

#[test]
fn answers_of_two_clients_do_not_cross() {
    let (place, pdf) = place_with_pdf();
    let other = place.file("other.pdf", small_pdf(2));
    let server = Server::start(&place, &[]);
    std::thread::scope(|scope| {
        for (session_name, file, pages) in [("one", &pdf, 3), ("two", &other, 2)] {
            let server = &server;
            scope.spawn(move || {
                let session = Session::start(server, session_name);
                for _ in 0..50 {
                    let info = session.call("pdf_info", json!({ "path": file }));
                    assert_eq!(info["structuredContent"]["pages"], pages, "{info}");
                }
            });
        }
    });
}

#[test]
fn a_server_that_is_told_to_end_finishes_what_is_under_way() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &[]);
    let conversation = handle(&server.call("opencode", "get_file", json!({ "filePath": pdf }), &[]));
    // A connection that is kept open ends when the server does.
    let mut waiting = server.connect();
    waiting.write_all(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
    let arguments = json!({ "filePath": pdf, "pages": "1-8", "as": "image", "conversation": conversation });
    let (message, headers) =
        stateless_message("opencode", "tools/call", json!({ "name": "get_file", "arguments": arguments }));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let mut stream = server.connect();
    stream.write_all(&server.bytes("POST", "/mcp", &headers, message.to_string().as_bytes())).unwrap();
    // The call is under way, or it ended before this could be asked.
    let signs = ["pagewise_http_requests_in_flight 1", "pagewise_tool_seconds_count{tool=\"get_file\"} 2"];
    let has_begun = || {
        let metrics = server.request("GET", "/metrics", &[], b"").text();
        metrics.lines().any(|line| signs.contains(&line))
    };
    while !has_begun() {
        std::thread::yield_now();
    }
    server.terminate();
    let answer = crate::support::http::read_response(&mut BufReader::new(stream)).unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json().unwrap()["result"]["isError"], false);
    let (status, log) = server.ended();
    assert_eq!(status, 0, "{log}");
    let held = place.json(&["context", "status", "--conversation", &conversation]).1["files"].clone();
    assert_eq!(held[0]["pages"], json!({ "image": "1-8" }), "what was written was recorded");
}

#[test]
fn the_log_says_what_was_called_and_not_what_was_in_it() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start_with_json_log(&place, &["--set", "http_tokens=hush"]);
    let trace = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let params = json!({
        "name": "get_file", "arguments": { "filePath": pdf, "password": "sesame" }, "_meta": { "traceparent": trace },
    });
    server.stateless("opencode", "tools/call", params, &[("Authorization", "Bearer hush")]);
    server.terminate();
    let (_, log) = server.ended();
    let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{line}")));
    let line = lines.into_iter().find(|line| line["message"] == "request").unwrap_or_else(|| panic!("{log}"));
    assert_eq!(line["level"], "INFO");
    assert_eq!(line["tool"], "get_file");
    assert_eq!(line["client"], "opencode");
    assert_eq!(line["trace"], trace);
    assert_eq!(line["status"], 200);
    assert!(line["bytes"].as_u64().unwrap() > 100);
    for secret in ["hush", "sesame", "three.pdf", "PDF Document"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}

#[test]
fn a_request_that_is_turned_away_is_told_what_to_set_and_logged_by_its_path() {
    let (place, _) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let from = |name: &str, value: &str, path: &str| server.request("POST", path, &[(name, value)], b"{}");
    for path in ["/mcp", "/inspect/api/status", "/.well-known/oauth-protected-resource"] {
        let method = if path.starts_with("/.") { "GET" } else { "POST" };
        let refused = server.request(method, path, &[("Host", "pdf.example")], b"{}");
        assert!(refused.status == 403 && refused.text().contains("http_allowed_hosts"), "{path}: {}", refused.text());
    }
    let refused = from("Origin", "https://evil.example", "/documents");
    assert!(refused.status == 403 && refused.text().contains("http_allowed_origins"), "{}", refused.text());
    assert_eq!(server.request("GET", "/nothing", &[("Host", &server.address)], b"").status, 404);
    server.terminate();
    let (_, log) = server.ended();
    assert!(log.contains("path=\"unknown\" status=404") && log.contains("path=\"/inspect\" status=403"), "{log}");
}

#[test]
fn the_log_is_as_long_as_it_was_set() {
    let (place, pdf) = place_with_pdf();
    let log = |flags: &[&str]| {
        let server = Server::start(&place, flags);
        server.call("open code", "pdf_info", json!({ "path": pdf }), &[]);
        server.terminate();
        server.ended().1
    };
    let text = log(&[]);
    let request = text.lines().find(|line| line.starts_with("pagewise: request ")).unwrap_or_else(|| panic!("{text}"));
    for field in ["tool=\"pdf_info\"", "client=\"open code\"", "status=200"] {
        assert!(request.contains(field), "{field}: {request}");
    }
    assert!(!log(&["--set", "http_log=false"]).contains("request "));
    assert_eq!(place.run(&["serve", "--http", "127.0.0.1:0", "--set", "log_level=loud"]).status, 1);
}

#[test]
fn the_log_at_level_debug_says_why_a_page_came_in_its_form_and_not_what_is_in_it() {
    let (place, pdf) = place_with_pdf();
    let log_level = ["--set", "log_level=debug"];
    let server = Server::start(&place, &log_level);
    let arguments = json!({ "filePath": pdf, "pages": "2", "as": "mixed", "password": "sesame" });
    server.call("open code", "get_file", arguments, &[]);
    server.terminate();
    let from_server = server.ended().1;
    let from_command =
        place.run(&["get-file", &pdf, "--pages", "2", "--as", "mixed", log_level[0], log_level[1]]).stderr;
    for log in [&from_server, &from_command] {
        let line =
            |words: &str| log.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {log}"));
        let chosen = line("form chosen");
        assert!(chosen.contains("get_file{form=") && chosen.contains("page=2 form=\"text\""), "{chosen}");
        assert!(chosen.contains("reason=\"its text says everything that it shows\""), "{chosen}");
        assert!(line("page built").contains("page=2 form=\"text\""), "{log}");
        assert!(line("planned").contains("pages=1"), "{log}");
        for secret in ["sesame", "three.pdf"] {
            assert!(!log.contains(secret), "{secret}: {log}");
        }
    }
    assert!(from_server.contains("request{tool=\"get_file\"}"), "{from_server}");
    assert!(!place.run(&["get-file", &pdf, "--pages", "2"]).stderr.contains("form chosen"));
}

#[test]
fn a_session_goes_on_at_another_server_of_the_same_store() {
    let (place, pdf) = place_with_pdf();
    let tokens = ["--set", "http_tokens=one,two"];
    let (first, second) = (Server::start(&place, &tokens), Server::start(&place, &tokens));
    let session = Session::start_as(&first, "opencode", "one");
    let conversation = handle(&session.call("get_file", json!({ "filePath": pdf, "pages": "1" })));
    // Waits until the first has recorded what it gave.
    session.call("context_status", json!({ "conversation": conversation }));
    let moved = session.at(&second);
    let again = moved.call("get_file", json!({ "filePath": pdf, "pages": "1", "conversation": conversation }));
    assert_eq!(kinds(&again), ["text"], "already provided, to the client that it was");
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_eq!(moved.as_shown_by("two").post(&ping).status, 404, "another's");
    assert_eq!(session.post(&ping).status, 200, "and it goes on at the first");
    assert_eq!(second.raw(&moved.without_body("DELETE")).unwrap().status, 204);
    assert_eq!(moved.post(&ping).status, 404);
    let third = Server::start(&place, &tokens);
    assert_eq!(session.at(&third).post(&ping).status, 404, "it is ended for all");
}

#[test]
fn a_session_outlives_its_server() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let id = Session::start(&server, "opencode").id().to_owned();
    server.terminate();
    assert_eq!(server.ended().0, 0);
    let server = Server::start(&place, &[]);
    let session = Session::of(&server, &id);
    assert_eq!(session.call("pdf_info", json!({ "path": pdf }))["structuredContent"]["pages"], 3);
    let unknown = Session::of(&server, "00000000-0000-4000-8000-000000000000");
    assert_eq!(unknown.post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })).status, 404);
}

#[test]
fn a_store_in_trouble_is_told_and_so_is_its_recovery() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    let answer = |server: &Server| {
        let page = server.call("opencode", "get_file", json!({ "filePath": pdf, "pages": "1" }), &[]);
        kinds(&page).contains(&"resource")
    };
    let ready = || server.request("GET", "/readyz", &[], b"");
    let metric = |name: &str| {
        let text = server.request("GET", "/metrics", &[], b"").text();
        let value = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{text}"));
        value.trim().parse::<u64>().unwrap()
    };
    assert!(answer(&server));
    assert_eq!(ready().text(), "ready\n");
    assert_eq!(metric("pagewise_store_failing "), 0);
    let (data, away) = (place.path("data"), place.path("away"));
    std::fs::rename(&data, &away).unwrap();
    std::fs::write(&data, "no folder").unwrap();
    let down = ready();
    assert_eq!((down.status, down.text().as_str()), (503, "the store does not answer\n"));
    assert_eq!(metric("pagewise_store_failing "), 1);
    assert!(metric("pagewise_store_read_failures_total ") > 0);
    assert!(server.is_well() && answer(&server), "answers go on");
    std::fs::remove_file(&data).unwrap();
    std::fs::rename(&away, &data).unwrap();
    assert!(answer(&server));
    assert_eq!(ready().text(), "ready\n");
    assert_eq!(metric("pagewise_store_failing "), 0);
}

#[test]
fn an_operator_sees_counts() {
    let (place, pdf) = place_with_pdf();
    let server = Server::start(&place, &[]);
    server.call("opencode", "pdf_info", json!({ "path": pdf }), &[]);
    server.call("opencode", "pdf_info", json!({ "path": "missing.pdf" }), &[]);
    let _session = Session::start(&server, "opencode");
    assert_eq!(server.request("GET", "/readyz", &[], b"").text(), "ready\n");
    let metrics = server.request("GET", "/metrics", &[], b"");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4"));
    let text = metrics.text();
    for line in [
        "pagewise_tool_seconds_count{tool=\"pdf_info\"} 2",
        "pagewise_tool_errors_total{tool=\"pdf_info\"} 1",
        "pagewise_mcp_sessions 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing: {text}");
    }
}

#[test]
fn limits_hold_at_their_number() {
    let (place, _) = place_with_pdf();
    let server = Server::start(&place, &["--set", "http_max_body_bytes=1000", "--set", "http_max_sessions=1"]);
    let padded = |length: usize| {
        let empty =
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized", "params": { "x": "" } }).to_string();
        empty.replace("\"\"", &format!("\"{}\"", "x".repeat(length - empty.len())))
    };
    let session = Session::start(&server, "opencode");
    let post = |length: usize| server.request("POST", "/mcp", &[], padded(length).as_bytes());
    assert_eq!(post(1001).status, 413);
    assert!(post(1001).text().contains("http_max_body_bytes"));
    assert_ne!(post(1000).status, 413);
    let broken = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        server.address
    );
    assert_eq!(server.raw(broken.as_bytes()).unwrap().status, 400, "a chunk without a length is no long body");
    // One more session than there is room for.
    let hello = hello();
    let busy = server.post(&hello, &[]);
    assert_eq!((busy.status, busy.header("retry-after")), (503, Some("1")));
    assert!(busy.text().contains("http_max_sessions"));
    session.request("ping", json!({}));
}

#[test]
fn a_slow_client_is_given_up() {
    let (place, _) = place_with_pdf();
    let server = Server::start(&place, &["--set", "http_read_timeout_seconds=1"]);
    let read_all = |bytes: &[u8]| {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        // An error is that the client's own patience ran out.
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let head = read_all(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    assert!(head.is_empty() || head.starts_with("HTTP/1.1 408"), "{head}");
    let body = read_all(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 10\r\n\r\n{");
    assert!(body.starts_with("HTTP/1.1 408"), "{body}");
    assert!(server.is_well());
}

#[test]
fn an_answer_that_nobody_takes_keeps_its_place_and_is_given_up() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &["--set", "http_max_requests=1", "--set", "http_write_timeout_seconds=1"]);
    let arguments = json!({ "filePath": pdf, "pages": "1-8" });
    let (message, headers) =
        stateless_message("opencode", "tools/call", json!({ "name": "get_file", "arguments": arguments }));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let mut stream = server.connect_small();
    stream.write_all(&server.bytes("POST", "/mcp", &headers, message.to_string().as_bytes())).unwrap();
    let mut some = [0; 512];
    stream.read_exact(&mut some).unwrap();
    // All of it was made, and most of it lies in the server.
    assert_eq!(server.post(&json!({}), &[]).status, 503);
    // Taken so slowly it would lie there for a minute and more.
    let mut taken = some.len();
    while server.post(&json!({}), &[]).status == 503 {
        // It may be given up at any moment.
        taken += stream.read(&mut some).unwrap_or(0);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(taken < 500_000, "{taken} bytes were taken");
}

#[test]
fn a_thousand_idle_clients_keep_nobody_out() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let own = getrlimit(Resource::Nofile);
    // Where the system gives few descriptors to a process there are fewer clients.
    let most = own.maximum.unwrap_or(10_000).min(10_000);
    setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: own.maximum }).unwrap();
    let clients = most.saturating_sub(700).min(1_000);
    assert!(clients > 100, "the system gives {most} descriptors");
    let (place, pdf) = place_with_pdf();
    let server = Server::start_with_soft_limit(&place, 300);
    let idle = (0..clients).map(|_| server.connect()).collect::<Vec<_>>();
    let info = server.call("opencode", "pdf_info", json!({ "path": pdf }), &[]);
    assert_eq!(info["structuredContent"]["pages"], 3);
    let metrics = server.request("GET", "/metrics", &[], b"").text();
    let open = metrics.lines().find_map(|line| line.strip_prefix("pagewise_http_connections ")).unwrap();
    assert!(open.parse::<u64>().unwrap() > clients, "{open} of {clients}");
    drop(idle);
    server.terminate();
    assert_eq!(server.ended().0, 0);
}

#[test]
fn a_stream_that_waits_for_news_holds_no_place_among_requests() {
    let (place, _) = place_with_pdf();
    let server = Server::start(&place, &["--set", "http_max_requests=1"]);
    let session = Session::start(&server, "opencode");
    let mut waiting = server.connect();
    let request = String::from_utf8(session.without_body("GET")).unwrap().replace("Connection: close\r\n", "");
    waiting.write_all(request.as_bytes()).unwrap();
    let mut stream = BufReader::new(waiting);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        std::io::BufRead::read_line(&mut stream, &mut line).unwrap();
    }
    assert!(read_chunk(&mut stream).is_some(), "the stream is open");
    session.request("ping", json!({}));
}

#[test]
fn a_client_gets_the_type_that_it_accepts() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let hello = hello();
    let kind = |accept: &str| {
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{accept}Connection: close\r\nContent-Length: \
             {}\r\n\r\n{hello}",
            server.address,
            hello.to_string().len()
        );
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let kind = answer.to_lowercase();
        let kind = kind.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap_or_default().to_owned();
        (answer[9..12].to_owned(), kind, answer.contains("mcp-session-id"))
    };
    for accept in ["", "Accept: */*\r\n", "Accept: application/*, text/*\r\n"] {
        assert_eq!(kind(accept).0, "200", "{accept}");
    }
    assert_eq!(kind("Accept: application/json\r\n"), ("200".into(), "application/json".into(), true));
    assert_eq!(kind("Accept: text/event-stream\r\n"), ("200".into(), "text/event-stream".into(), true));
    assert_eq!(kind("Accept: text/html\r\n").0, "406");
}

/// One principal takes all it can of each resource; another's calls are answered as if it were alone.
#[test]
fn one_principal_takes_what_it_can_and_another_is_served() {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let slow = place.file("slow.pdf", small_pdf(20_000));
    let flags = ["--set", "http_tokens=one,two", "--set", "http_max_sessions=16", "--set", "workers=1"];
    let server = Server::start(&place, &flags);
    let stream = Session::start_as(&server, "opencode", "one");
    let hello = hello();
    let opened = (0..16).filter(|_| server.post(&hello, &[("Authorization", "Bearer one")]).status == 200).count();
    assert_eq!(opened, 7, "half of the sessions, with the one for streams");
    // As many streams as it gets, and files of which nothing more comes.
    let streams = (0..16).map(|_| begin(&server, &stream.without_body("GET"))).collect::<Vec<_>>();
    let unfinished = ["Authorization: Bearer one", "Content-Length: 1000"].join("\r\n");
    let unfinished = format!("POST /documents HTTP/1.1\r\nHost: {}\r\n{unfinished}\r\n\r\n%PDF", server.address);
    let uploads = (0..4).map(|_| begin(&server, unfinished.as_bytes())).collect::<Vec<_>>();
    // More requests than there are places in the queue and workers together, each of them slow.
    let (message, headers) = stateless_message(
        "opencode",
        "tools/call",
        json!({ "name": "pdf_search", "arguments": { "path": slow, "query": "nowhere" } }),
    );
    let mut headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    headers.push(("Authorization", "Bearer one"));
    let request = server.bytes("POST", "/mcp", &headers, message.to_string().as_bytes());
    let waiting = (0..60).map(|_| begin(&server, &request)).collect::<Vec<_>>();
    let session = Session::start_as(&server, "opencode", "two");
    let mut news = BufReader::new(begin(&server, &session.without_body("GET")));
    assert_eq!(read_response_head(&mut news), 200, "a stream");
    let bearer = [("Authorization", "Bearer two"), ("Content-Type", "")];
    assert_eq!(server.request("POST", "/documents", &bearer, &small_pdf(1)).status, 201);
    for page in 1..=3 {
        let text = session.call("pdf_extract_text", json!({ "path": pdf, "pages": page.to_string() }));
        assert_eq!(text["isError"], false, "{text}");
    }
    let held = session.call("get_file", json!({ "filePath": pdf, "pages": "1-3", "as": "text" }));
    let again = session
        .call("get_file", json!({ "filePath": pdf, "pages": "1-3", "as": "text", "conversation": handle(&held) }));
    assert!(texts(&again).concat().contains("already been provided"), "{again}");
    drop((waiting, streams, uploads));
}

/// A connection on which a request was sent whose response is not read.
fn begin(server: &Server, request: &[u8]) -> TcpStream {
    let mut stream = server.connect();
    stream.write_all(request).unwrap();
    stream
}

/// The status of a response, of which the head is read.
fn read_response_head(stream: &mut impl std::io::BufRead) -> u16 {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    line.split(' ').nth(1).unwrap().parse().unwrap()
}

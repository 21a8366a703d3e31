//! Answers with much data in them: the same at every door, and nobody else's.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::io::{BufRead, BufReader, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::file_of;
use crate::support::http::{Server, Session, read_chunk, read_response, stateless_message};
use crate::support::mcp::Client;
use crate::support::program::Place;
use crate::support::site::{Site, ok};

/// One page with a picture of so many bytes, which nothing makes shorter and no reader looks into.
fn page_of(bytes: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'!' + u8::try_from(state >> 26).unwrap())
    });
    let noise = noise.take(bytes).collect::<String>();
    file_of(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</I 4 0 R>>>>/Contents 5 0 R>>".to_owned(),
        format!("<</Subtype/Image/Filter/DCTDecode/Length {bytes}>>stream\n{noise}\nendstream"),
        "<</Length 5>>stream\n/I Do\nendstream".to_owned(),
    ])
}

/// The page of `file`, as the command line cuts it.
fn page(place: &Place, file: &str) -> Vec<u8> {
    assert_eq!(place.run(&["page", file, "1", "--out", "page.out"]).status, 0);
    std::fs::read(place.path("page.out")).unwrap()
}

fn ask(file: &str) -> Value {
    json!({ "filePath": file, "pdfPage": 0, "as": "document", "force": true })
}

fn blob(result: &Value) -> Vec<u8> {
    let blocks =
        result["content"].as_array().or_else(|| result["contents"].as_array()).unwrap_or_else(|| panic!("{result}"));
    let blobs = blocks.iter().filter_map(|block| block["resource"]["blob"].as_str().or_else(|| block["blob"].as_str()));
    let blobs = blobs.collect::<Vec<_>>();
    assert_eq!(blobs.len(), 1, "{result}");
    STANDARD.decode(blobs[0]).unwrap_or_else(|error| panic!("{error}: {:.100}", blobs[0]))
}

#[test]
fn a_large_page_is_the_same_at_every_door() {
    let place = Place::new();
    let file = place.file("large.pdf", page_of(1_000_000, 1));
    let expected = page(&place, &file);
    assert!(expected.len() > 1_000_000);
    let mut client = Client::start(&place, "opencode");
    let result = client.call("get_file", ask(&file));
    assert!(blob(&result) == expected, "over standard output");
    let uri = result["content"][1]["resource"]["uri"].clone();
    assert!(blob(&client.request("resources/read", json!({ "uri": uri }))) == expected, "as a resource");
    assert_eq!(client.end(), 0);
    let server = Server::start(&place, &[]);
    assert!(blob(&server.call("opencode", "get_file", ask(&file), &[])) == expected, "without a session");
    let read = server.stateless("opencode", "resources/read", json!({ "uri": uri }), &[]);
    assert!(blob(&read["result"]) == expected, "as a resource over HTTP");
    assert!(blob(&Session::start(&server, "opencode").call("get_file", ask(&file))) == expected, "in a session");
    let params = json!({ "name": "get_file", "arguments": ask(&file), "_meta": { "progressToken": 1 } });
    let (message, headers) = stateless_message("opencode", "tools/call", params);
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let response = server.post(&message, &headers);
    let (answer, progress) = response.events().split_last().map(|(last, rest)| (last.clone(), rest.len())).unwrap();
    assert!(blob(&answer["result"]) == expected && progress > 0, "as the last event of several");
}

#[test]
fn pages_and_pictures_of_one_answer_stand_where_they_belong() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &[]);
    for form in ["document", "image"] {
        let arguments = json!({ "filePath": pdf, "pages": "1-4", "as": form, "force": true });
        let inline = Session::start(&server, "opencode").call("get_file", arguments.clone());
        let data = |result: &Value| {
            let blocks = result["content"].as_array().unwrap();
            let data = |block: &Value| {
                block["resource"]["blob"].as_str().or_else(|| block["data"].as_str()).map(str::to_owned)
            };
            blocks.iter().filter_map(data).collect::<Vec<_>>()
        };
        let mut client = Client::start(&place, "opencode");
        let filled = client.call("get_file", arguments);
        assert_eq!(data(&inline).len(), 4);
        assert_eq!(data(&inline), data(&filled), "{form}");
    }
}

#[test]
fn large_answers_side_by_side_do_not_mix() {
    let place = Place::new();
    let files = (0..4_u32).map(|seed| place.file(&format!("{seed}.pdf"), page_of(200_000, seed))).collect::<Vec<_>>();
    let pages = files.iter().map(|file| page(&place, file)).collect::<Vec<_>>();
    let mut client = Client::start(&place, "opencode");
    for _ in 0..5 {
        let ids =
            files.iter().map(|file| client.send("tools/call", json!({ "name": "get_file", "arguments": ask(file) })));
        let ids = ids.collect::<Vec<_>>();
        let mut answers = client.receive_each(ids.len());
        for (id, page) in ids.iter().zip(&pages) {
            let answer = answers.remove(id).unwrap();
            assert!(blob(&answer["result"]) == *page, "the answer to {id}");
        }
    }
}

/// The protocol forbids it. One is answered, and whole.
#[test]
fn two_requests_with_one_id_are_answered_with_data() {
    let place = Place::new();
    let files = [1, 2].map(|seed| place.file(&format!("{seed}.pdf"), page_of(100_000, seed)));
    let pages = [&files[0], &files[1]].map(|file| page(&place, file));
    let mut client = Client::start(&place, "opencode");
    for _ in 0..10 {
        for file in &files {
            client.send_as(7_000, "tools/call", json!({ "name": "get_file", "arguments": ask(file) }));
        }
        let answer = client.receive(7_000);
        assert!(pages.contains(&blob(&answer["result"])), "{:.300}", answer.to_string());
        // Whatever else comes under that id comes before the answer to another.
        client.call("pdf_info", json!({ "path": files[0] }));
    }
}

#[test]
fn a_bound_on_results_counts_data_as_it_is_written() {
    let place = Place::new();
    let file = place.file("page.pdf", page_of(50_000, 1));
    let mut client = Client::start(&place, "opencode");
    let uri = client.call("get_file", ask(&file))["content"][1]["resource"]["uri"].clone();
    let whole = client.request("resources/read", json!({ "uri": uri }));
    // The newest protocol says beside it that the result is complete, and is counted with that.
    let length = whole.to_string().len() + r#""resultType":"complete","#.len();
    drop(client);
    for (bytes, fits) in [(length, true), (length - 1, false)] {
        let content = json!({ "accept": ["application/pdf"], "maxResultBytes": bytes });
        let capabilities = json!({ "extensions": { "io.github.pagewise/content": content } });
        let mut client = Client::start_with(&place, &[], "opencode", capabilities);
        client.call("get_file", json!({ "filePath": file, "force": true }));
        let id = client.send("resources/read", json!({ "uri": uri }));
        let answer = client.receive(id);
        assert_eq!(answer.get("result").is_some(), fits, "{bytes}: {:.300}", answer.to_string());
    }
}

/// The answer is then written by another exchange than that of its request.
#[test]
fn a_client_that_comes_back_to_its_session_gets_the_data_too() {
    let place = Place::new();
    let bytes = page_of(100_000, 1);
    let expected = page(&place, &place.file("page.pdf", &bytes));
    let is_open = Arc::new(AtomicBool::new(false));
    let door = Arc::clone(&is_open);
    let site = Site::start(move |_| {
        while !door.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        ok("application/pdf", bytes.clone())
    });
    let server = Server::start(&place, &[]);
    let session = Session::start(&server, "opencode");
    let message = json!({
        "jsonrpc": "2.0", "id": 9, "method": "tools/call",
        "params": { "name": "get_file", "arguments": ask(&site.url("/page")) },
    });
    let streamed = |bytes: &[u8]| {
        let mut stream = server.connect();
        stream.write_all(bytes).unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        stream
    };
    let first = String::from_utf8(read_chunk(&mut streamed(&session.bytes(&message))).unwrap()).unwrap();
    let id = first.lines().find_map(|line| line.strip_prefix("id:")).unwrap().trim();
    let come_back = String::from_utf8(session.without_body("GET")).unwrap();
    let come_back = come_back.replace("\r\n\r\n", &format!("\r\nLast-Event-ID: {id}\r\n\r\n"));
    let mut stream = streamed(come_back.as_bytes());
    is_open.store(true, Ordering::SeqCst);
    let mut body = Vec::new();
    while !(body.ends_with(b"\n\n") && body.windows(9).any(|window| window == b"\"result\":")) {
        body.extend(read_chunk(&mut stream).unwrap());
    }
    let body = String::from_utf8(body).unwrap();
    let answer = body.lines().filter_map(|line| line.strip_prefix("data:")).next_back().unwrap();
    let answer = serde_json::from_str::<Value>(answer.trim()).unwrap();
    assert!(blob(&answer["result"]) == expected);
}

#[test]
fn who_has_a_large_answer_may_ask_again_at_once() {
    let place = Place::new();
    let file = place.file("large.pdf", page_of(300_000, 1));
    let server = Server::start(&place, &["--set", "http_max_requests=1"]);
    let (message, headers) =
        stateless_message("opencode", "tools/call", json!({ "name": "get_file", "arguments": ask(&file) }));
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
    let bytes = server.bytes("POST", "/mcp", &headers, message.to_string().as_bytes());
    let bytes = String::from_utf8(bytes).unwrap().replace("Connection: close\r\n", "");
    // Each on a connection of its own, which knows nothing of the others.
    let mut connections = (0..50).map(|_| BufReader::new(server.connect())).collect::<Vec<_>>();
    for connection in &mut connections {
        connection.get_mut().write_all(bytes.as_bytes()).unwrap();
        assert_eq!(read_response(connection).unwrap().status, 200);
    }
    let session = Session::start(&server, "opencode");
    let message = json!({
        "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "get_file", "arguments": ask(&file) },
    });
    for _ in 0..50 {
        let mut stream = server.connect();
        stream.write_all(&session.bytes(&message)).unwrap();
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(stream.read_line(&mut head).unwrap() > 0);
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let mut body = Vec::new();
        // Up to the end of the event, which is not that of the stream.
        while !(body.ends_with(b"\n\n") && body.windows(9).any(|window| window == b"\"result\":")) {
            body.extend(read_chunk(&mut stream).unwrap());
        }
    }
}

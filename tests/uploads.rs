//! Files that callers over HTTP hand over: what is taken, for whom it is kept, and who may see it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed test may stop where it stands"
)]

use std::io::{BufReader, Write};

use serde_json::{Value, json};

#[cfg(feature = "cloud")]
use crate::support::bucket::Bucket;
use crate::support::http::{Response, Server, read_response};
use crate::support::program::{Place, texts};
use crate::support::site::{Site, ok};
use crate::support::{fixture, small_pdf, wait_until};

const TOKENS: [&str; 2] = ["--set", "http_tokens=one,two"];

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

fn upload(server: &Server, token: &str, bytes: &[u8]) -> Response {
    server.request("POST", "/documents", &[("Authorization", &bearer(token)), ("Content-Type", "")], bytes)
}

/// The reference of an upload that is taken.
fn uploaded(server: &Server, token: &str, bytes: &[u8]) -> String {
    let response = upload(server, token, bytes);
    assert_eq!(response.status, 201, "{response:?}");
    response.json().unwrap()["reference"].as_str().unwrap().to_owned()
}

fn call(server: &Server, token: &str, tool: &str, arguments: Value) -> Value {
    server.call("opencode", tool, arguments, &[("Authorization", &bearer(token))])
}

fn code(result: &Value) -> &str {
    result["_meta"]["io.github.pagewise/error"]["code"].as_str().unwrap_or_default()
}

/// The uploads that the folder of the memory holds.
fn kept(place: &Place) -> usize {
    fn files(folder: &std::path::Path) -> usize {
        let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
        entries.flatten().map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
    }
    fn beneath(folder: &std::path::Path) -> usize {
        let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
        let of = |path: std::path::PathBuf| match path.file_name().is_some_and(|name| name == "uploads") {
            true => files(&path),
            false => beneath(&path),
        };
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).map(of).sum()
    }
    beneath(place.folder())
}

#[test]
fn an_upload_is_a_path_for_every_tool_of_its_owner() {
    let place = Place::new();
    let server = Server::start(&place, &TOKENS);
    let pdf = std::fs::read(fixture("latex.pdf")).unwrap();
    let answer = upload(&server, "one", &pdf).json().unwrap();
    assert_eq!((answer["bytes"].as_u64(), answer["kind"].as_str()), (Some(pdf.len() as u64), Some("application/pdf")));
    assert!(answer["expires"].as_u64().unwrap() > 1_700_000_000);
    let reference = answer["reference"].as_str().unwrap();
    for (tool, arguments) in [
        ("pdf_info", json!({ "path": reference })),
        ("pdf_extract_text", json!({ "path": reference, "pages": "1" })),
        ("pdf_outline", json!({ "path": reference })),
        ("pdf_search", json!({ "path": reference, "query": "the" })),
        ("get_file", json!({ "filePath": reference, "pdfPage": 0 })),
    ] {
        let result = call(&server, "one", tool, arguments);
        assert!(!result["isError"].as_bool().unwrap_or(false), "{tool}: {result}");
    }
    let page = call(&server, "one", "get_file", json!({ "filePath": reference, "pdfPage": 1 }));
    let text = texts(&page).join("\n");
    let start = text.find("conv_").unwrap_or_else(|| panic!("{text}"));
    let conversation = &text[start..start + "conv_".len() + 32];
    let updates = call(&server, "one", "context_updates", json!({ "conversation": conversation }));
    assert!(!updates["isError"].as_bool().unwrap_or(false), "{updates}");
    assert_eq!(updates["structuredContent"]["files"].as_array().map_or(0, Vec::len), 0, "unchanged: {updates}");
    let text_file = uploaded(&server, "one", "a line of text\n".as_bytes());
    let read = call(&server, "one", "get_file", json!({ "filePath": text_file }));
    assert!(texts(&read).join("\n").contains("a line of text"), "{read}");
    assert_eq!(uploaded(&server, "one", &pdf), reference, "the same content is one upload");
    assert_ne!(uploaded(&server, "two", &pdf), reference);
}

#[test]
fn no_tool_shows_what_another_uploaded() {
    let place = Place::new();
    let server = Server::start(&place, &[&TOKENS[..], &["--set", "tools=all"]].concat());
    let pdf = small_pdf(3);
    let theirs = uploaded(&server, "one", &pdf);
    let nobodys = format!("upload_{}", "0".repeat(64));
    let headers = bearer("two");
    let listed = server.stateless("opencode", "tools/list", json!({}), &[("Authorization", &headers)]);
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.len() > 8, "{listed}");
    let mut tried = 0;
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        for property in tool["inputSchema"]["properties"].as_object().unwrap().keys() {
            for shape in 0..4 {
                let arguments = |reference: &str| {
                    let value = match shape {
                        0 => json!(reference),
                        1 => json!([reference]),
                        2 => json!(format!("{reference}#attachment=a.txt")),
                        _ => json!({ "a": [format!("file://{reference}")] }),
                    };
                    json!({ property: value })
                };
                let [of_another, of_nobody] =
                    [&theirs, &nobodys].map(|reference| call(&server, "two", name, arguments(reference)));
                assert_eq!(code(&of_another), "content_not_found", "{name} {property}: {of_another}");
                let same = of_another.to_string().replace(&theirs, &nobodys);
                assert_eq!(same, of_nobody.to_string(), "{name} {property}");
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
    // What is the caller's own but not there has the same code.
    let own = uploaded(&server, "two", b"own");
    let gone = format!("{}{}", &own[..own.len() - 32], "0".repeat(32));
    assert_eq!(code(&call(&server, "two", "pdf_info", json!({ "path": gone }))), "content_not_found");
}

#[test]
fn resources_and_completions_are_those_of_ones_own_conversations() {
    let place = Place::new();
    let server = Server::start(&place, &TOKENS);
    let pdf = small_pdf(12);
    let reference = uploaded(&server, "one", &pdf);
    assert_eq!(call(&server, "one", "get_file", json!({ "filePath": reference, "pdfPage": 1 }))["isError"], false);
    let content = blake3::hash(&pdf).to_hex().to_string();
    let read = |token: &str, suffix: &str| {
        let params = json!({ "uri": format!("pagewise://{content}/page/1{suffix}") });
        server.stateless("opencode", "resources/read", params, &[("Authorization", &bearer(token))])
    };
    let complete = |token: &str| {
        let params = json!({
            "ref": { "type": "ref/resource", "uri": "pagewise://{blake3}/page/{number}.pdf" },
            "argument": { "name": "number", "value": "1" },
            "context": { "arguments": { "blake3": content } },
        });
        let answer = server.stateless("opencode", "completion/complete", params, &[("Authorization", &bearer(token))]);
        answer["result"]["completion"]["values"].as_array().map(Vec::len)
    };
    for suffix in [".pdf", ".png", ".txt"] {
        assert!(read("one", suffix).get("result").is_some(), "{suffix}");
        assert!(read("two", suffix).get("error").is_some(), "{suffix}");
    }
    assert_eq!([complete("one"), complete("two")], [Some(4), Some(0)]);
}

#[test]
fn only_what_can_be_read_is_kept_and_within_bounds() {
    let place = Place::new();
    let bounds = ["--set", "http_max_upload_bytes=2000", "--set", "http_max_kept_bytes=3000"];
    let server = Server::start(&place, &[&TOKENS[..], &bounds].concat());
    for (what, bytes, status) in [
        ("nothing", Vec::new(), 400),
        ("an archive", b"PK\x03\x04 and more".to_vec(), 415),
        ("a program", b"\x7fELF\x02\x01\x01\0\0\0".to_vec(), 415),
        ("too much", vec![b'a'; 2_001], 413),
    ] {
        assert_eq!(upload(&server, "one", &bytes).status, status, "{what}");
    }
    assert_eq!(kept(&place), 0, "nothing is left of what is refused");
    assert_eq!(upload(&server, "one", &[b'a'; 2_000]).status, 201, "as much as is allowed");
    let full = upload(&server, "one", &[b'b'; 1_001]);
    assert_eq!(full.status, 413);
    assert!(full.text().contains("http_max_kept_bytes"), "{}", full.text());
    assert_eq!(upload(&server, "one", &[b'b'; 1_000]).status, 201);
    assert_eq!(upload(&server, "two", &[b'b'; 1_001]).status, 201, "another has room of its own");
    assert_eq!(kept(&place), 3);
    assert_eq!(upload(&server, "three", b"text").status, 401);
    assert_eq!(server.request("GET", "/documents", &[("Authorization", &bearer("one"))], b"").status, 405);
    let page = [("Authorization", "Bearer one"), ("Origin", "https://evil.example")];
    assert_eq!(server.request("POST", "/documents", &page, b"text").status, 403);
    assert_eq!(server.request("POST", "/documents", &[("Host", "evil.example")], b"text").status, 403);
}

#[test]
fn an_upload_that_expired_is_gone() {
    let place = Place::new();
    let server = Server::start(&place, &[&TOKENS[..], &["--set", "http_upload_seconds=1"]].concat());
    let reference = uploaded(&server, "one", &small_pdf(1));
    let find = || code(&call(&server, "one", "pdf_info", json!({ "path": reference }))).to_owned();
    wait_until("the upload expires", || !find().is_empty());
    assert_eq!(find(), "content_not_found");
    uploaded(&server, "one", b"another");
    assert_eq!(kept(&place), 1, "the next upload removes it");
}

#[test]
fn hostile_bodies_leave_nothing_behind() {
    let place = Place::new();
    let flags = ["--set", "http_max_upload_bytes=4000", "--set", "http_read_timeout_seconds=1"];
    let server = Server::start(&place, &[&TOKENS[..], &flags].concat());
    let head = |fields: &str| {
        let address = &server.address;
        format!("POST /documents HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer one\r\n{fields}\r\n").into_bytes()
    };
    let chunked = "Transfer-Encoding: chunked\r\nConnection: close\r\n";
    let cases: [(&str, &str, Vec<u8>); 8] = [
        ("a body that ends early", "Content-Length: 100\r\nConnection: close\r\n", b"text".to_vec()),
        ("a length that is no number", "Content-Length: x\r\n", b"text".to_vec()),
        ("two lengths", "Content-Length: 4\r\nContent-Length: 5\r\n", b"text".to_vec()),
        ("more than it declares is too much", "Content-Length: 99999999999999\r\n", b"text".to_vec()),
        ("a chunk of no number", chunked, b"zz\r\ntext\r\n0\r\n\r\n".to_vec()),
        ("a chunk larger than all memory", chunked, b"ffffffffffffffff\r\ntext".to_vec()),
        ("chunks without an end", chunked, b"4\r\ntext\r\n".to_vec()),
        ("chunks beyond the bound", chunked, [&b"3e8\r\n"[..], &[b'a'; 1_000], b"\r\n"].concat().repeat(5)),
    ];
    for (what, fields, body) in &cases {
        let mut stream = server.connect();
        let _ = stream.write_all(&[head(fields), body.clone()].concat());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let status = read_response(&mut BufReader::new(stream)).map(|response| response.status);
        assert!(status.is_none_or(|status| status >= 400), "{what}: {status:?}");
    }
    // One that sends nothing more and stays.
    let mut stream = server.connect();
    stream.write_all(&head("Content-Length: 100\r\n")).unwrap();
    assert_eq!(read_response(&mut BufReader::new(stream)).unwrap().status, 408);
    assert_eq!(kept(&place), 0);
    assert_eq!(upload(&server, "one", b"text").status, 201, "the turns are free again");
}

#[test]
fn a_file_is_pushed_to_a_server_and_read_there() {
    let place = Place::new();
    let server = Server::start(&place, &TOKENS);
    let pdf = place.file("three.pdf", small_pdf(3));
    let to = format!("http://{}/mcp", server.address);
    let push = |file: &str, token: &str| {
        let mut command = place.command();
        command.args(["push", file, "--to", &to]).env("PAGEWISE_PUSH_TOKEN", token);
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.success(), text(output.stdout), text(output.stderr))
    };
    let nobody = "http://127.0.0.1:1/mcp";
    let (_, code, message) = place.refused(&["push", &pdf, "--to", nobody]);
    assert_eq!(code, "fetch_failed");
    assert!(message.starts_with(&format!("Cannot reach {nobody}: ")), "{message}");
    assert!(!place.run(&["push", &pdf, "--to", nobody]).stderr.contains("PAGEWISE_PUSH_TOKEN"));
    assert_eq!(place.refused(&["push", ".", "--to", &to]).2, ". is a folder; name one file");
    assert!(place.run(&["push", &pdf, "--to", &to]).stderr.contains("PAGEWISE_PUSH_TOKEN"));
    let (is_pushed, reference, errors) = push(&pdf, "one");
    assert!(is_pushed, "{errors}");
    let info = call(&server, "one", "pdf_info", json!({ "path": reference.trim() }));
    assert_eq!(info["structuredContent"]["pages"], 3);
    let (is_pushed, _, errors) = push(&pdf, "hush");
    assert!(!is_pushed && errors.contains("401") && !errors.contains("hush"), "{errors}");
    assert!(errors.contains("PAGEWISE_PUSH_TOKEN"), "{errors}");
    assert!(!push("missing.pdf", "one").0);
}

#[test]
fn ranked_search_reads_ones_own_uploads() {
    let place = Place::new();
    let server = Server::start(&place, &TOKENS);
    let uploads =
        ["latex.pdf", "typst.pdf"].map(|name| uploaded(&server, "one", &std::fs::read(fixture(name)).unwrap()));
    let search = |token: &str, paths: &[String]| {
        call(&server, token, "pdf_search", json!({ "path": paths, "query": "the", "ranked": true }))
    };
    let found = search("one", &uploads);
    assert!(!found["isError"].as_bool().unwrap_or(false), "{found}");
    assert_eq!(found["structuredContent"]["searchedPages"], 12, "{found}");
    assert_eq!(code(&search("two", &uploads)), "content_not_found");
    let gone = format!("{}{}", &uploads[0][..uploads[0].len() - 32], "0".repeat(32));
    let partly = search("one", &[uploads[0].clone(), gone]);
    assert_eq!(partly["structuredContent"]["searchedPages"], 8, "{partly}");
    assert!(texts(&partly).join("\n").contains("expired, or never uploaded"), "{partly}");
}

#[test]
fn what_a_call_without_a_conversation_fetched_is_its_principals() {
    let site = Site::start(|_| ok("application/pdf", std::fs::read(fixture("latex.pdf")).unwrap()));
    let place = Place::new();
    let server = Server::start(&place, &TOKENS);
    let fetched = call(&server, "one", "fetch_content", json!({ "url": site.url("/a.pdf") }));
    let id =
        fetched["_meta"]["io.github.pagewise/details"]["responseId"].as_str().unwrap_or_else(|| panic!("{fetched}"));
    for (tool, arguments) in [
        ("get_search_content", json!({ "responseId": id, "urlIndex": 0 })),
        ("pdf_info", json!({ "path": id })),
        ("pdf_search", json!({ "path": id, "query": "the" })),
        ("get_file", json!({ "filePath": id, "pdfPage": 1 })),
    ] {
        let own = call(&server, "one", tool, arguments.clone());
        assert!(!own["isError"].as_bool().unwrap_or(false), "{tool}: {own}");
        assert_eq!(code(&call(&server, "two", tool, arguments)), "content_not_found", "{tool}");
    }
}

/// Servers that share object storage and nothing else.
#[cfg(feature = "cloud")]
struct Replicas<'a> {
    bucket: &'a Bucket,
    flags: Vec<&'a str>,
}

#[cfg(feature = "cloud")]
impl Replicas<'_> {
    fn start(&self) -> (Place, Server) {
        let place = Place::new();
        let storage = ["--set", "http_upload_storage=s3://bucket/kept/uploads"];
        let flags = [&TOKENS[..], &storage, &self.flags].concat();
        let server = Server::start_with(&place, &flags, &self.bucket.variables());
        (place, server)
    }
}

#[cfg(feature = "cloud")]
#[test]
fn an_upload_to_one_server_is_read_from_all_while_servers_are_killed() {
    let bucket = Bucket::start();
    let replicas = Replicas { bucket: &bucket, flags: Vec::new() };
    let mut servers = [(); 3].map(|()| Some(replicas.start()));
    let mut uploads = Vec::new();
    for round in 0..6 {
        let taker = &servers[round % 3].as_ref().unwrap().1;
        uploads.push((round, uploaded(taker, "one", &small_pdf(round + 1))));
        drop(servers[round % 3].take());
        for (_, server) in servers.iter().flatten() {
            for (round, reference) in &uploads {
                let info = call(server, "one", "pdf_info", json!({ "path": reference }));
                assert_eq!(info["structuredContent"]["pages"], round + 1, "{info}");
                let foreign = call(server, "two", "pdf_info", json!({ "path": reference }));
                assert_eq!(code(&foreign), "content_not_found");
            }
        }
        servers[round % 3] = Some(replicas.start());
    }
    assert_eq!(bucket.objects().len(), 6, "nothing else is written");
}

#[cfg(feature = "cloud")]
#[test]
fn a_large_upload_goes_to_storage_in_parts_and_comes_back_whole() {
    let bucket = Bucket::start();
    let replicas = Replicas { bucket: &bucket, flags: Vec::new() };
    let ((_first_place, first), (_second_place, second)) = (replicas.start(), replicas.start());
    let text = (0..900_000).map(|line| format!("line {line:07}\n")).collect::<String>();
    let reference = uploaded(&first, "one", text.as_bytes());
    assert_eq!(bucket.objects().iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>(), [text.len()]);
    let read = call(&second, "one", "get_file", json!({ "filePath": reference, "startLine": 899_999, "numLines": 1 }));
    assert!(texts(&read).join("\n").contains("line 0899998"), "{read}");
    bucket.damage();
    let (_place, third) = replicas.start();
    let damaged = call(&third, "one", "get_file", json!({ "filePath": reference }));
    assert_eq!(code(&damaged), "fetch_failed", "{damaged}");
}

#[cfg(feature = "cloud")]
#[test]
fn storage_holds_as_much_of_each_principal_as_is_allowed_for_as_long_and_no_url_leads_there() {
    let bucket = Bucket::start();
    let bounds = ["--set", "http_max_kept_bytes=3000", "--set", "object_storage=s3://bucket/kept"];
    let replicas = Replicas { bucket: &bucket, flags: bounds.to_vec() };
    let ((_first_place, first), (_second_place, second)) = (replicas.start(), replicas.start());
    let reference = uploaded(&first, "one", &[b'a'; 2_000]);
    assert_eq!(upload(&second, "one", &[b'b'; 1_001]).status, 413, "counted on every server");
    assert_eq!(upload(&second, "two", &[b'b'; 1_001]).status, 201);
    for (key, _) in bucket.objects() {
        for key in [key.clone(), key.replace("uploads", "%75ploads")] {
            for token in ["one", "two"] {
                let by_url = call(&second, token, "get_file", json!({ "filePath": format!("s3://bucket/{key}") }));
                assert_eq!(code(&by_url), "unsupported_reference", "{by_url}");
            }
        }
    }
    bucket.age();
    let brief = Replicas { bucket: &bucket, flags: vec!["--set", "http_upload_seconds=3600"] };
    let (_place, third) = brief.start();
    assert_eq!(
        code(&call(&third, "one", "get_file", json!({ "filePath": reference }))),
        "content_not_found",
        "expired"
    );
    uploaded(&third, "one", b"another");
    assert_eq!(bucket.objects().len(), 2, "the next upload removes it");
}

#[test]
fn storage_that_cannot_be_used_is_refused_at_the_start() {
    for wrong in ["bucket", "https://bucket.example", "s3://", "s3://bucket?x"] {
        let setting = format!("http_upload_storage={wrong}");
        let run = Place::new().run(&["serve", "--http", "127.0.0.1:0", "--set", &setting]);
        assert_eq!(run.status, 1, "{wrong}");
        assert!(run.stderr.contains("http_upload_storage"), "{}", run.stderr);
    }
}

/// An answer without the random parts of handles and ids.
fn masked(answer: &Value) -> String {
    let mut text = answer.to_string();
    for prefix in ["conv_", "fetch_"] {
        let starts = text.match_indices(prefix).map(|(at, _)| at + prefix.len()).collect::<Vec<_>>();
        for start in starts {
            if text.get(start..start + 32).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit())) {
                text.replace_range(start..start + 32, &"x".repeat(32));
            }
        }
    }
    text
}

#[test]
fn no_tool_tells_what_is_anothers_from_what_is_nobodys() {
    let site = Site::start(|_| ok("application/pdf", std::fs::read(fixture("latex.pdf")).unwrap()));
    let place = Place::new();
    let server = Server::start(&place, &[&TOKENS[..], &["--set", "tools=all"]].concat());
    let own_pdf = place.file("three.pdf", small_pdf(3));
    let given = texts(&call(&server, "one", "get_file", json!({ "filePath": own_pdf, "pdfPage": 1 }))).join("\n");
    let start = given.find("conv_").unwrap_or_else(|| panic!("{given}"));
    let conversation = given[start..start + "conv_".len() + 32].to_owned();
    let fetch = |arguments: Value| {
        let fetched = call(&server, "one", "fetch_content", arguments);
        fetched["_meta"]["io.github.pagewise/details"]["responseId"].as_str().unwrap().to_owned()
    };
    let alone = fetch(json!({ "url": site.url("/a.pdf") }));
    let inside = fetch(json!({ "url": site.url("/b.pdf"), "conversation": conversation }));
    let upload = uploaded(&server, "one", &small_pdf(2));
    let listed = server.stateless("opencode", "tools/list", json!({}), &[("Authorization", &bearer("two"))]);
    let mut tried = 0;
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let (name, schema) = (tool["name"].as_str().unwrap(), &tool["inputSchema"]);
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let usual = required.map(|name| match name {
            "path" | "filePath" => (name.to_owned(), json!(own_pdf)),
            "page" | "pdfPage" => (name.to_owned(), json!(1)),
            _ => (name.to_owned(), json!("the")),
        });
        let usual = usual.collect::<serde_json::Map<_, _>>();
        for property in schema["properties"].as_object().unwrap().keys() {
            for theirs in [&conversation, &alone, &inside, &upload] {
                let (prefix, digits) = theirs.split_once('_').unwrap();
                let nobodys = format!("{prefix}_{}", "0".repeat(digits.len()));
                let [of_another, of_nobody] = [theirs, &nobodys].map(|reference| {
                    let mut arguments = usual.clone();
                    arguments.insert(property.clone(), json!(reference));
                    masked(&call(&server, "two", name, Value::Object(arguments)))
                });
                let masked_reference = |text: &str| text.replace(theirs.as_str(), "it").replace(&nobodys, "it");
                assert_eq!(masked_reference(&of_another), masked_reference(&of_nobody), "{name} {property} {theirs}");
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

//! Large PDFs on web servers: read by ranges, and never put together from two versions.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

mod lying_servers;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use regex::Regex;
use serde_json::{Value, json};

use crate::support::file_of;
use crate::support::mcp::Client;
use crate::support::program::{Place, texts};
use crate::support::site::{Answer, Asked, Site, ok, raw, status, to, with_fields};

/// Pages of a book.
const PAGES: usize = 30;

/// Bytes that stand beside the text of each page.
const PICTURE_BYTES: usize = 250_000;

/// A PDF of some megabytes. `word` is on each of its pages.
fn book(word: &str) -> Vec<u8> {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'!' + u8::try_from(state >> 26).unwrap())
    };
    let numbers = (0..PAGES).map(|page| 4 + 3 * page);
    let kids = numbers.clone().map(|number| format!("{number} 0 R ")).collect::<String>();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {PAGES}/Kids[{kids}]>>"),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    for (page, number) in numbers.enumerate() {
        let content = format!("BT /F 12 Tf 50 500 Td ({word} {}) Tj ET", page + 1);
        let picture = (0..PICTURE_BYTES).map(|_| noise()).collect::<String>();
        let resources = format!("<</Font<</F 3 0 R>>/XObject<</I {} 0 R>>>>", number + 2);
        objects.extend([
            format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources{resources}/Contents {} 0 R>>",
                number + 1
            ),
            format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
            format!("<</Subtype/Image/Filter/DCTDecode/Length {PICTURE_BYTES}>>stream\n{picture}\nendstream"),
        ]);
    }
    file_of(&objects)
}

/// The range that was asked for, and whether the precondition of RFC 9110, 13.1.1 holds.
fn asked_range(asked: &Asked, length: usize) -> Option<std::ops::Range<usize>> {
    let (first, last) = asked.field("range")?.strip_prefix("bytes=")?.split_once('-')?;
    Some(first.parse().ok()?..length.min(last.parse::<usize>().ok()? + 1))
}

/// A part of a document, with a validator.
fn part(bytes: &[u8], range: std::ops::Range<usize>, etag: &str) -> Answer {
    let fields = format!(
        "Content-Type: application/pdf\r\nETag: {etag}\r\nLast-Modified: Mon, 23 Nov 2026 10:00:00 GMT\r\n\
         Content-Range: bytes {}-{}/{}\r\n",
        range.start,
        range.end - 1,
        bytes.len()
    );
    with_fields("206 Partial Content", &fields, &bytes[range])
}

/// Answers as a server that sends ranges of `bytes`.
fn ranged(asked: &Asked, bytes: &[u8], etag: &str) -> Answer {
    if asked.field("if-none-match") == Some(etag) {
        return status("304 Not Modified");
    }
    if asked.field("if-match").is_some_and(|named| named != etag) {
        return status("412 Precondition Failed");
    }
    match asked_range(asked, bytes.len()) {
        Some(range) if range.start < bytes.len() => part(bytes, range, etag),
        Some(_) => status("416 Range Not Satisfiable"),
        None => with_fields("200 OK", &format!("Content-Type: application/pdf\r\nETag: {etag}\r\n"), bytes),
    }
}

fn serve(word: &str) -> (Site, Vec<u8>) {
    let bytes = book(word);
    let served = bytes.clone();
    (Site::start(move |asked| ranged(asked, &served, "\"one\"")), bytes)
}

/// Bytes of all ranges that were asked for.
fn bytes_asked(site: &Site) -> usize {
    site.asked().iter().filter_map(|asked| asked_range(asked, usize::MAX)).map(|range| range.len()).sum()
}

/// A page of `file`, cut by the command line.
fn page(place: &Place, file: &str, number: &str) -> Vec<u8> {
    let run = place.run(&["page", file, number, "--out", "page.out"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    std::fs::read(place.path("page.out")).unwrap()
}

#[test]
fn a_page_of_a_large_pdf_is_read_without_the_rest() {
    let (site, bytes) = serve("Anchor");
    let (place, url) = (Place::new(), site.url("/book.pdf"));
    let file = place.file("book.pdf", &bytes);
    assert!(page(&place, &url, "15") == page(&place, &file, "15"));
    let first = site.asked().len();
    assert!(first <= 6, "{first} requests");
    assert!(bytes_asked(&site) <= 1_000_000, "{} bytes", bytes_asked(&site));
    assert!(page(&place, &url, "16") == page(&place, &file, "16"));
    let next = site.asked().len() - first;
    assert!(next <= 3, "{next} requests for the next page");
    assert!(page(&place, &url, "15") == page(&place, &file, "15"));
    assert_eq!(site.asked().len(), first + next, "what was read is stored");
    for asked in site.asked().iter().skip(1) {
        assert_eq!(asked.field("if-match"), Some("\"one\""), "each part is of one version");
        assert_eq!(asked.field("accept-encoding"), Some("identity"));
    }
}

#[test]
fn every_tool_reads_a_large_pdf_where_it_is() {
    let (site, bytes) = serve("Anchor");
    let (place, url) = (Place::new(), site.url("/book.pdf"));
    let file = place.file("book.pdf", bytes);
    let mut client = Client::start(&place, "tests");
    let summary = client.call("get_file", json!({ "filePath": url }));
    assert!(texts(&summary)[0].starts_with(&format!("PDF Document: {url}\nPages: {PAGES}\n")), "{summary}");
    assert!(site.asked().len() <= 20, "{} requests for a summary", site.asked().len());
    let notes = summary["_meta"]["io.github.pagewise/details"]["notes"].to_string();
    assert!(notes.contains("validator"), "the hash that is named is none of the bytes: {notes}");
    let same = |client: &mut Client, tool: &str, name: &str, rest: Value| {
        let mut answers = [&url, &file].map(|path| {
            let mut arguments = rest.clone();
            arguments[name] = json!(path);
            let mut result = client.call(tool, arguments);
            assert!(!result["isError"].as_bool().unwrap_or(false), "{result}");
            result.as_object_mut().unwrap().remove("_meta");
            // The tag of an answer's headers is random.
            let text = result.to_string().replace(path, "PATH").replace("book.pdf", "PATH");
            Regex::new("(· |the tag )[0-9a-f]{4}").unwrap().replace_all(&text, "${1}TAG").into_owned()
        });
        // The hash of a page's source stands in its URI.
        answers.iter_mut().for_each(|answer| *answer = answer.chars().take(2_000).collect());
        assert_eq!(answers[0], answers[1], "{tool}");
    };
    same(&mut client, "get_file", "filePath", json!({ "pages": "4", "as": "text", "force": true }));
    same(&mut client, "pdf_extract_text", "path", json!({ "pages": "3-5" }));
    same(&mut client, "pdf_search", "path", json!({ "query": "Anchor 7", "pages": "5-9" }));
    same(&mut client, "pdf_outline", "path", json!({}));
    let info = client.call("pdf_info", json!({ "path": url }));
    assert_eq!(info["structuredContent"]["pages"], json!(PAGES), "{info}");
    let held = client.call("get_file", json!({ "filePath": url, "pages": "4", "as": "text" }));
    assert!(texts(&held)[0].contains("already been provided"), "{held}");
}

/// Answers of servers whose ranges cannot be used: the document is fetched whole, as from any other server.
#[test]
fn without_ranges_of_a_named_version_a_document_is_fetched_whole() {
    let bytes = Arc::new(book("Anchor"));
    let served = Arc::clone(&bytes);
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/plain" => ok("application/pdf", served.as_slice()),
        "/weak" => ranged(asked, &served, "W/\"one\""),
        "/unnamed" => match asked_range(asked, served.len()) {
            Some(range) => {
                let fields = format!("Content-Range: bytes {}-{}/{}\r\n", range.start, range.end - 1, served.len());
                with_fields("206 Partial Content", &fields, &served[range])
            }
            None => ok("application/pdf", served.as_slice()),
        },
        "/refused" if asked.field("range").is_some() => status("416 Range Not Satisfiable"),
        "/refused" => ok("application/pdf", served.as_slice()),
        _ => status("404 Not Found"),
    });
    let place = Place::new();
    let file = place.file("book.pdf", bytes.as_slice());
    for path in ["/plain", "/weak", "/unnamed", "/refused"] {
        assert!(page(&place, &site.url(path), "9") == page(&place, &file, "9"), "{path}");
        assert!(site.count(path) <= 2, "{path}: {} requests", site.count(path));
        let (_, info) = place.json(&["info", &site.url(path)]);
        assert_eq!(info["pages"], json!(PAGES), "{path}");
    }
    assert_eq!(place.refused(&["info", &site.url("/gone")]).1, "fetch_failed");
}

#[test]
fn small_documents_and_others_than_pdfs_are_fetched_whole() {
    let text = "0123456789".repeat(50_000);
    let served = text.clone();
    let site = Site::start(move |asked| match asked.path.as_str() {
        "/text" => ranged(asked, served.as_bytes(), "\"t\""),
        _ => ranged(asked, &crate::support::small_pdf(3), "\"s\""),
    });
    let place = Place::new();
    assert_eq!(place.json(&["info", &site.url("/small")]).1["pages"], json!(3));
    assert_eq!(site.count("/small"), 1, "the first range was all of it");
    let (status, answer) = place.json(&["get-file", &site.url("/text")]);
    assert_eq!(status, 0, "{answer}");
    assert_eq!(site.count("/text"), 2, "one for the beginning, one for the rest");
}

#[test]
fn the_bound_of_what_is_fetched_does_not_hold_and_that_of_files_does() {
    let (site, _) = serve("Anchor");
    let (place, url) = (Place::new(), site.url("/book.pdf"));
    assert_eq!(place.json(&["text", &url, "--pages", "2", "--set", "web_max_bytes=1000000"]).0, 0);
    let (_, code, message) = place.refused(&["text", &url, "--pages", "2", "--set", "max_file_bytes=1000000"]);
    assert!(code == "too_large" && message.contains("max_file_bytes"), "{code} {message}");
}

#[test]
fn a_document_that_changes_between_two_ranges_is_read_anew_once() {
    let versions = [book("Before"), book("Afterwards")];
    let requests = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&requests);
    let site = Site::start(move |asked| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        match asked.path.as_str() {
            "/once" if number < 2 => ranged(asked, &versions[0], "\"one\""),
            "/once" => ranged(asked, &versions[1], "\"two\""),
            _ => ranged(asked, &versions[0], &format!("\"{number}\"")),
        }
    });
    let place = Place::new();
    let mut client = Client::start(&place, "tests");
    let answer = client.call("get_file", json!({ "filePath": site.url("/once"), "pages": "20", "as": "text" }));
    let text = texts(&answer).join("\n");
    assert!(text.contains("Afterwards 20") && !text.contains("Before"), "{text}");
    let answer = client.call("get_file", json!({ "filePath": site.url("/always"), "pages": "20", "as": "text" }));
    assert_eq!(answer["isError"], json!(true), "{answer}");
    assert!(answer.to_string().contains("changed while it was read"), "{answer}");
    for (tool, name) in [("pdf_extract_text", "path"), ("pdf_info", "path")] {
        let answer = client.call(tool, json!({ name: site.url("/always") }));
        assert!(answer["isError"] == json!(true) && answer.to_string().contains("changed"), "{answer}");
    }
}

#[test]
fn a_server_that_lies_about_ranges_costs_one_typed_error() {
    let bytes = book("Anchor");
    let site = Site::start(move |asked| {
        let Some(range) = asked_range(asked, bytes.len()).filter(|range| range.start > 0) else {
            return ranged(asked, &bytes, "\"one\"");
        };
        let fields = |range: &std::ops::Range<usize>, length: usize| {
            format!("ETag: \"one\"\r\nContent-Range: bytes {}-{}/{length}\r\n", range.start, range.end - 1)
        };
        let honest = fields(&range, bytes.len());
        let length = range.len();
        match asked.path.as_str() {
            "/short" => with_fields("206 Partial Content", &honest, &bytes[range][..length / 2]),
            "/long" => with_fields("206 Partial Content", &honest, &[&bytes[range], b"more"].concat()),
            "/earlier" => part(&bytes, range.start - 1..range.end - 1, "\"one\""),
            "/longer" => with_fields("206 Partial Content", &fields(&range, bytes.len() + 1), &bytes[range]),
            "/whole" => with_fields("200 OK", "ETag: \"one\"\r\n", &bytes),
            "/no-range" => with_fields("206 Partial Content", "ETag: \"one\"\r\n", &bytes[range]),
            "/no-validator" => {
                let fields = honest.replace("ETag: \"one\"\r\n", "");
                with_fields("206 Partial Content", &fields, &bytes[range])
            }
            "/coded" => with_fields("206 Partial Content", &format!("{honest}Content-Encoding: br\r\n"), &bytes[range]),
            "/elsewhere" => to("/other"),
            "/broken" => status("503 Service Unavailable"),
            "/hangs-up" => raw("HTTP/1.1 206 Partial Content\r\nContent-Length: 100\r\n\r\nabc"),
            _ => status("404 Not Found"),
        }
    });
    let place = Place::new();
    let mut client = Client::start(&place, "tests");
    for path in [
        "/short",
        "/long",
        "/earlier",
        "/longer",
        "/whole",
        "/no-range",
        "/no-validator",
        "/coded",
        "/elsewhere",
        "/broken",
        "/hangs-up",
        "/gone",
    ] {
        let answer = client.call("get_file", json!({ "filePath": site.url(path), "pages": "20", "as": "text" }));
        let error = &answer["_meta"]["io.github.pagewise/error"];
        assert!(["fetch_failed", "permission_denied"].iter().any(|code| error["code"] == *code), "{path}: {answer}");
        assert!(site.count(path) <= 8, "{path}: {} requests", site.count(path));
    }
}

#[test]
fn a_server_that_stalls_costs_a_typed_error_in_time_and_no_worker() {
    let bytes = book("Anchor");
    let site = Site::start(move |asked| {
        let is_first = asked_range(asked, bytes.len()).is_some_and(|range| range.start == 0);
        let stalled: Answer = Box::new(|stream| {
            let mut sent = stream.write_all(b"HTTP/1.1 206 Partial Content\r\n").and_then(|()| stream.flush());
            while sent.is_ok() {
                std::thread::sleep(Duration::from_millis(20));
                sent = stream.write_all(b"a").and_then(|()| stream.flush());
            }
        });
        if is_first { ranged(asked, &bytes, "\"one\"") } else { stalled }
    });
    let place = Place::new();
    for setting in ["web_deadline_ms=300", "worker_deadline_ms=400"] {
        let (_, code, message) = place.refused(&["text", &site.url("/book.pdf"), "--pages", "2", "--set", setting]);
        let name = setting.split('=').next().unwrap();
        assert!(code == "timeout" && message.contains(name), "{setting}: {code} {message}");
    }
    let mut client = Client::start_with(&place, &["--set", "web_deadline_ms=300"], "tests", json!({}));
    for _ in 0..3 {
        let answer = client.call("pdf_extract_text", json!({ "path": site.url("/book.pdf"), "pages": "2" }));
        assert_eq!(answer["_meta"]["io.github.pagewise/error"]["code"], json!("timeout"), "not blamed: {answer}");
    }
}

/// A server that speaks as S3 does to who reads, with any key.
#[cfg(feature = "cloud")]
#[test]
fn object_storage_is_read_by_ranges_beneath_what_the_settings_name() {
    let (site, bytes) = serve("Anchor");
    let place = Place::new();
    let file = place.file("book.pdf", bytes);
    let run = |arguments: &[&str]| {
        let mut command = place.command();
        let endpoint = site.url("");
        let variables = [
            ("AWS_ENDPOINT", endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_REGION", "eu-central-1"),
            ("AWS_ACCESS_KEY_ID", "KEY"),
            ("AWS_SECRET_ACCESS_KEY", "SECRET"),
        ];
        let settings = ["--json", "--set", "object_storage=s3://bucket/shelf"];
        let output = command.envs(variables).args(arguments).args(settings).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let cut = run(&["page", "s3://bucket/shelf/book.pdf", "15", "--out", "object.pdf"]);
    assert!(cut["error"].is_null(), "{cut}");
    assert!(std::fs::read(place.path("object.pdf")).unwrap() == page(&place, &file, "15"));
    let asked = site.asked();
    assert!(asked.len() <= 6 && bytes_asked(&site) <= 1_000_000, "{} requests", asked.len());
    for asked in &asked {
        assert_eq!(asked.path, "/bucket/shelf/book.pdf");
        assert!(asked.field("authorization").unwrap().starts_with("AWS4-HMAC-SHA256 Credential=KEY/"));
    }
    assert!(asked.iter().skip(1).all(|asked| asked.field("if-match") == Some("\"one\"")));
    let info = run(&["info", "s3://bucket/shelf/book.pdf"]);
    assert_eq!(info["pages"], json!(PAGES), "{info}");
    let before = site.asked().len();
    let folder = run(&["info", "s3://bucket/shelf/"]);
    assert!(folder["error"]["message"].as_str().unwrap().contains("names a folder"), "{folder}");
    for outside in
        ["s3://bucket/book.pdf", "s3://bucket/shelf/../book.pdf", "s3://shelf/book.pdf", "gs://bucket/shelf/a"]
    {
        let refused = run(&["info", outside]);
        assert_eq!(refused["error"]["code"], json!("unsupported_reference"), "{refused}");
    }
    assert_eq!(site.asked().len(), before, "nobody was asked");
}

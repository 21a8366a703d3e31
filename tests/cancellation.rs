//! Work that nobody wants any more, or that takes too long, ends; and nothing of it is recorded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::sync::Arc;
use std::time::Duration;

use pagewise::worker::{InProcessReader, PdfError, Reader, RenderOptions};
use pagewise_base::limits::{Cancellation, Deadline, Limits, StopReason};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError};
use pagewise_render::NoFonts;
use serde_json::json;

use super::support::context_bench::{Bench, pages};
use super::support::mcp::Client;
use super::support::program::Place;
use super::support::{fixture, small_pdf, wait_until};

/// A document whose page tree has to be walked: its `/Count` lies.
fn long_walk() -> Vec<u8> {
    let honest = String::from_utf8(small_pdf(20_000)).unwrap();
    honest.replacen("/Count 20000", "/Count 20001", 1).into_bytes()
}

fn is_cancelled<T>(answer: Result<T, PdfError>) -> bool {
    matches!(answer.err(), Some(PdfError::Stopped(StopReason::Cancelled)))
}

#[test]
fn a_cancelled_document_answers_nothing_more() {
    let bytes = std::fs::read(fixture("latex.pdf")).unwrap();
    let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
    let cancellation = Cancellation::new();
    let document = reader.open(Arc::new(bytes.clone()), None, &cancellation).unwrap();
    let page = PageIndex(0);
    assert!(document.cut(page).is_ok() && document.page_text(page).is_ok());
    cancellation.cancel();
    assert!(is_cancelled(document.cut(page)));
    assert!(is_cancelled(document.page_text(page)));
    assert!(is_cancelled(document.fingerprint(page)));
    assert!(is_cancelled(document.picture(page, &RenderOptions::default())));
    assert!(is_cancelled(reader.open(Arc::new(bytes.clone()), None, &cancellation)));
    assert!(reader.open(Arc::new(bytes), None, &Cancellation::new()).is_ok());
}

#[test]
fn reading_stops_at_its_deadline_and_begins_anew_with_the_next_question() {
    let bytes = long_walk();
    let limits = Limits { deadline: Deadline::after(Duration::ZERO), ..Limits::default() };
    let refused = Document::open(Arc::new(bytes.clone()), None, &limits).err();
    let timeout = StopReason::Timeout { deadline_ms: 0 };
    assert_eq!(refused, Some(DocumentError::Stopped(timeout)));
    let limits = Limits { deadline: Deadline::after(Duration::from_secs(3_600)), ..Limits::default() };
    let document = Document::open(Arc::new(bytes), None, &limits).unwrap();
    assert_eq!(document.page_count(), 20_000);
}

#[test]
fn a_command_that_takes_too_long_names_the_setting() {
    let place = Place::new();
    let pdf = place.file("many.pdf", long_walk());
    let out = place.path("page.pdf");
    for sandbox in [&["--no-sandbox"][..], &[]] {
        let mut command = place.command();
        command.args(["page", &pdf, "20000", "--json", "--out"]).arg(&out).args(sandbox);
        let output = command.env("PAGEWISE_WORKER_DEADLINE_MS", "1").output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["error"]["code"], "timeout", "{answer}");
        assert_eq!(answer["error"]["data"], json!({ "setting": "worker_deadline_ms", "limit": 1 }));
        assert_eq!(output.status.code(), Some(2));
        assert!(!out.exists());
    }
}

#[test]
fn nothing_of_a_cancelled_request_is_recorded() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one", "two"]);
    let cancellation = Cancellation::new();
    cancellation.cancel();
    let mut request = pagewise::context::FileRequest::whole("a.pdf");
    request.conversation = Some("c".parse().unwrap());
    request.cancellation = cancellation;
    pages("1-2")(&mut request);
    let error = bench.context.get_file(&request).expect_err("nobody wants it");
    assert_eq!(error.to_string(), "a.pdf: the request was cancelled");
    assert!(bench.context.status(&"c".parse().unwrap(), None).unwrap().files.is_empty());
}

#[test]
fn a_client_that_cancels_ends_the_worker_at_once() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let mut client = Client::start_with_one_worker(&place);
    client.call("pdf_info", json!({ "path": pdf }));
    let worker = client.workers().pop().expect("it has one");
    rustix::process::kill_process(worker, rustix::process::Signal::STOP).unwrap();
    let arguments = json!({ "filePath": pdf, "pages": "1-2", "conversation": "c" });
    let call = json!({ "name": "get_file", "arguments": arguments });
    // A call that is cancelled before it has reached the worker leaves it alone, so each is given longer than the last.
    let mut pause = Duration::from_millis(50);
    wait_until("the worker has ended", || {
        let id = client.send("tools/call", call.clone());
        std::thread::sleep(pause);
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        pause *= 2;
        !client.workers().contains(&worker)
    });
    let status = client.call("context_status", json!({ "conversation": "c" }));
    // What was answered before it was cancelled was taken back.
    assert_eq!(status["structuredContent"]["files"], json!([]), "{status}");
    // The only worker was stopped: this answer comes from the one in its place.
    let answer = client.request("tools/call", call);
    assert_eq!(answer["isError"], json!(false), "{answer}");
    assert!(!client.workers().contains(&worker));
}

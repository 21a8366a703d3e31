//! The library as a program embeds it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::time::Duration;

use pagewise::{Answer, Api, Block, Cancellation, Error, ErrorCode, Form, Pagewise, Request};
use serde_json::{Value, json};

use crate::support::fixture;

fn pagewise() -> Pagewise {
    Pagewise::builder().root(fixture("")).build().unwrap()
}

fn pages(selection: &str) -> Request {
    Request::new("latex.pdf").pages(selection).conversation("chat")
}

fn code(answer: Result<Answer, Error>) -> ErrorCode {
    answer.unwrap_err().code()
}

#[test]
fn a_page_is_held_once_its_answer_was_committed_and_not_before() {
    let pagewise = pagewise();
    drop(pagewise.get_file(&pages("1-2")).unwrap());
    let answer = pagewise.get_file(&pages("1-2")).unwrap();
    assert_eq!((answer.sent_pages(), answer.held_pages()), (vec![1, 2], vec![]));
    answer.commit().unwrap();
    let answer = pagewise.get_file(&pages("2-3")).unwrap();
    assert_eq!((answer.sent_pages(), answer.held_pages()), (vec![3], vec![2]));
    let other = pagewise.get_file(&pages("2").conversation("other")).unwrap();
    assert_eq!(other.sent_pages(), [2]);
    assert_eq!(pagewise.get_file(&pages("2").force()).unwrap().sent_pages(), [2]);
    pagewise.forget(&Request::of_conversation("chat")).unwrap();
    assert_eq!(pagewise.get_file(&pages("1-2")).unwrap().sent_pages(), [1, 2]);
}

#[test]
fn a_data_folder_outlives_the_value() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Pagewise::builder().root(fixture("")).data_folder(folder.path()).build().unwrap();
    open().get_file(&pages("1")).unwrap().commit().unwrap();
    assert_eq!(open().get_file(&pages("1")).unwrap().held_pages(), [1]);
    let path = open().get_file(&pages("2").form(Form::Path)).unwrap();
    assert!(path.blocks()[0].text().unwrap().contains(folder.path().to_str().unwrap()));
    let file = folder.path().join("a file");
    std::fs::write(&file, "").unwrap();
    assert_eq!(Pagewise::builder().data_folder(&file).build().unwrap_err().code(), ErrorCode::StoreFailed);
}

#[test]
fn blocks_turn_into_the_json_of_each_api() {
    let answer = pagewise().get_file(&pages("1")).unwrap();
    let Block::Document(page) = &answer.blocks()[0] else { panic!("{answer:?}") };
    assert!(page.bytes.starts_with(b"%PDF-"));
    let [anthropic, _] = answer.to_json(Api::Anthropic).try_into().unwrap();
    assert_eq!((&anthropic["type"], &anthropic["title"]), (&json!("document"), &json!("latex.pdf - Page 1")));
    let data = anthropic["source"]["data"].as_str().unwrap();
    let [header, openai, _] = answer.to_json(Api::OpenAi).try_into().unwrap();
    assert!(header["text"].as_str().unwrap().starts_with("latex.pdf: page 1 of 8, "), "{header}");
    assert!(!header.to_string().contains("Conversation"), "{header}");
    assert_eq!(openai["file_data"], format!("data:application/pdf;base64,{data}"));
    let [_, gemini, read] = answer.to_json(Api::Gemini).try_into().unwrap();
    assert_eq!(gemini, json!({ "inlineData": { "mimeType": "application/pdf", "data": data } }));
    assert_eq!(read["text"], "Read so far in this conversation: 1 of 8 pages (1).");
    let text = pagewise().get_file(&pages("1").form(Form::Text)).unwrap();
    assert_eq!(text.to_json(Api::Gemini).len(), text.blocks().len(), "text needs no header");
}

#[test]
fn a_model_calls_the_tool_as_it_is_declared() {
    let declared =
        [(Api::Anthropic, "input_schema"), (Api::OpenAi, "parameters"), (Api::Gemini, "parametersJsonSchema")];
    for (api, schema) in declared {
        let tool = api.get_file_tool();
        let properties = tool[schema]["properties"].as_object().unwrap();
        assert_eq!(tool["name"], "get_file");
        assert!(properties.contains_key("filePath") && !properties.contains_key("conversation"), "{tool}");
    }
    let request = Request::from_json(&json!({ "filePath": "latex.pdf", "pages": "3", "as": "text" })).unwrap();
    assert_eq!(pagewise().get_file(&request).unwrap().sent_pages(), [3]);
    assert_eq!(Request::from_json(&json!("latex.pdf")).unwrap_err().code(), ErrorCode::ValidationError);
    let request = Request::from_json(&json!({ "path": "latex.pdf", "pagse": 3 })).unwrap();
    assert_eq!(pagewise().get_file(&request).unwrap_err().to_string(), "Unknown parameter 'pagse'");
}

/// The text of the answer, if it succeeds, and else the code and the parameter of the refusal.
fn outcome(answer: Result<Answer, Error>) -> Result<String, (ErrorCode, Value)> {
    answer.map(|answer| answer.text()).map_err(|error| (error.code(), error.data()["parameter"].clone()))
}

#[test]
fn the_library_does_what_the_tools_do() {
    let pagewise = pagewise();
    let latex = || Request::new("latex.pdf");
    assert_eq!(pagewise.info(&latex()).unwrap().data()["pages"], 8);
    let text = pagewise.text(&latex().pages("4").argument("format", "markdown")).unwrap();
    assert!(text.text().contains("| Folio |"), "{}", text.text());
    assert_eq!(text.data()["pages"][0]["number"], 4);
    let tables = pagewise.tables(&latex().pages("4")).unwrap();
    assert_eq!(tables.data()["tables"].as_array().unwrap().len(), 1);
    assert!(tables.text().contains("Folio"));
    let found = pagewise.search(&latex().argument("query", "folio")).unwrap();
    assert!(found.text().to_lowercase().contains("folio") && found.data()["matches"] == 2, "{found:?}");
    let quoted = pagewise.search(&latex().argument("quote", "no page says this, and none ever did")).unwrap();
    assert!(quoted.data()["verdict"].is_string(), "{quoted:?}");
    let outline = pagewise.outline(&latex().argument("depth", 1).argument("max_items", 1)).unwrap();
    assert_eq!(outline.data()["items"].as_array().unwrap().len(), 1);
    let drawn = pagewise.render(&latex().argument("page", "1").argument("dpi", 72)).unwrap();
    assert!(drawn.blocks().iter().any(|block| matches!(block, Block::Image(_))), "{drawn:?}");
    drawn.commit().unwrap();
}

#[test]
fn the_library_answers_for_a_conversation_as_the_tools_do() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.pdf");
    std::fs::copy(fixture("report-v1.pdf"), &report).unwrap();
    let pagewise = Pagewise::builder().root(folder.path()).build().unwrap();
    let request = Request::new("report.pdf").pages("1-2").conversation("chat");
    let chat = Request::of_conversation("chat");
    pagewise.get_file(&request).unwrap().commit().unwrap();
    assert_eq!(pagewise.status(&chat).unwrap().data()["files"][0]["pages"]["document"], "1-2");
    std::fs::copy(fixture("report-v2.pdf"), &report).unwrap();
    let changes = |answer: &Answer| answer.data()["files"].as_array().unwrap().len();
    assert_eq!(changes(&pagewise.updates(&chat).unwrap()), 1, "dropped, so that it is reported again");
    let updates = pagewise.updates(&chat).unwrap();
    assert_eq!(changes(&updates), 1);
    updates.commit().unwrap();
    assert_eq!(changes(&pagewise.updates(&chat).unwrap()), 0);
    let fork = pagewise.fork(&chat).unwrap();
    assert_eq!(fork.data()["origin"], "chat");
    pagewise.forget(&Request::new("report.pdf").conversation("chat")).unwrap();
    assert_eq!(changes(&pagewise.status(&chat).unwrap()), 0);
    let fork = Request::of_conversation(fork.data()["conversation"].as_str().unwrap());
    assert_eq!(changes(&pagewise.status(&fork).unwrap()), 1);
}

#[test]
fn arguments_are_refused_as_the_tools_refuse_them() {
    let pagewise = pagewise();
    let refused = |parameter: &str| Err((ErrorCode::ValidationError, json!(parameter)));
    let latex = || Request::new("latex.pdf");
    assert_eq!(outcome(pagewise.text(&latex().argument("format", "pdf"))), refused("format"));
    assert_eq!(outcome(pagewise.search(&latex())), refused("query"));
    assert_eq!(outcome(pagewise.render(&latex())), refused("page"));
    assert_eq!(outcome(pagewise.outline(&latex().argument("depth", "deep"))), refused("depth"));
    assert_eq!(outcome(pagewise.info(&Request::default())), refused("path"));
    assert_eq!(outcome(pagewise.status(&Request::default())), refused("conversation"));
    assert_eq!(outcome(pagewise.fork(&Request::default())), refused("conversation"));
    let error = pagewise.tables(&latex().argument("sheet", 3)).unwrap_err();
    assert_eq!(error.to_string(), "Unknown parameter 'sheet'");
    assert_eq!(pagewise.get_file(&Request::new("latx.pdf")).unwrap_err().data()["nearest"][0], "latex.pdf");
}

#[path = "../examples/async_front.rs"]
#[allow(dead_code, reason = "its main is for the example")]
mod async_front;

#[test]
fn an_asynchronous_program_answers_many_requests_at_once() {
    let mut out = Vec::new();
    async_front::run(&mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "page 1: sent\npage 2: sent\npage 3: sent\npage 4: sent\n");
}

#[test]
fn what_was_not_allowed_is_refused() {
    let pagewise = pagewise();
    let get = |path: &str| pagewise.get_file(&Request::new(path));
    assert_eq!(code(get("/etc/hostname")), ErrorCode::PathNotAllowed);
    assert_eq!(code(get("missing.pdf")), ErrorCode::FileNotFound);
    assert!(get("https://example.com/a.pdf").unwrap_err().to_string().starts_with("Offline"));
    assert_eq!(code(get("encrypted-password.pdf")), ErrorCode::Encrypted);
    let late = Pagewise::builder().root(fixture("")).deadline(Duration::from_nanos(1)).build().unwrap();
    assert_eq!(code(late.get_file(&Request::new("latex.pdf"))), ErrorCode::Timeout);
    let cancelled = Cancellation::new();
    cancelled.cancel();
    assert_eq!(code(pagewise.get_file(&pages("1").cancellation(&cancelled))), ErrorCode::Cancelled);
    let error = pagewise.get_file(&pages("99")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidPage);
    assert!(error.text().starts_with(&error.to_string()));
    assert_eq!(pagewise.forget(&Request::of_conversation(" ")).unwrap_err().code(), ErrorCode::ValidationError);
}

#[test]
fn a_conversation_is_bounded_by_what_its_model_takes() {
    let large = Pagewise::builder().root(fixture("")).model(Api::Gemini, "gemini-3-pro").build().unwrap();
    for round in 0..14 {
        large.get_file(&pages("1-8").force()).unwrap().commit().unwrap_or_else(|error| panic!("{round}: {error}"));
    }
    let usual = pagewise();
    let refused = (0..14).find_map(|_| match usual.get_file(&pages("1-8").force()) {
        Ok(answer) => answer.commit().err(),
        Err(error) => Some(error),
    });
    assert_eq!(refused.map(|error| error.code()), Some(ErrorCode::LimitExceeded));
}

#[test]
fn one_value_serves_threads_and_workers() {
    let builder = Pagewise::builder().root(fixture("")).workers(env!("CARGO_BIN_EXE_pagewise"));
    let pagewise = builder.password("secret").build().unwrap();
    std::thread::scope(|scope| {
        for page in 1..=4 {
            let pagewise = &pagewise;
            scope.spawn(move || pagewise.get_file(&pages(&page.to_string())).unwrap().commit().unwrap());
        }
    });
    assert_eq!(pagewise.get_file(&pages("1-5")).unwrap().sent_pages(), [5]);
    assert!(pagewise.get_file(&Request::new("encrypted-password.pdf")).is_ok());
}

#[test]
fn only_what_programs_embed_is_documented() {
    let library = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs")).unwrap();
    let lines = library.lines().collect::<Vec<_>>();
    for pair in lines.windows(2).filter(|pair| pair[1].starts_with("pub mod ")) {
        assert_eq!(pair[0], "#[doc(hidden)]", "{}", pair[1]);
    }
    let exports = lines.iter().filter(|line| line.starts_with("pub use ")).copied().collect::<Vec<_>>();
    insta::assert_snapshot!(exports.join("\n"), @"
    pub use context::{Block, DocumentBlock, ImageBlock};
    pub use embed::{Answer, Api, Builder, Error, Pagewise, Request};
    pub use pagewise_base::hash::ContentHash;
    pub use pagewise_base::limits::{Cancellation, Limits};
    pub use pagewise_base::page::PageNumber;
    pub use tool::{ErrorCode, FormArgument as Form};
    ");
}

//! What answers cost a model: sets of tools, structures no longer than their texts, words for blank pages.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use serde_json::{Value, json};

use crate::support::mcp::Client;
use crate::support::pdf::{lines_of, pages_of};
use crate::support::program::{Place, kinds, texts, with_fixed_tag};
use crate::support::{fixture, small_pdf};

fn names(client: &mut Client) -> Vec<String> {
    let list = client.request("tools/list", json!({}));
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_server_lists_the_tools_that_it_was_told_to() {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let mut core = Client::start(&place, "tester");
    let mut all = Client::start_with(&place, &["--tools", "all"], "tester", json!({}));
    let without_fork = names(&mut all).into_iter().filter(|name| name != "context_fork").collect::<Vec<_>>();
    assert_eq!(names(&mut core), without_fork);
    assert_eq!(core.call("context_fork", json!({}))["isError"], false, "it is not listed, and can be called");
    let mut two = Client::start_with(&place, &["--tools", "pdf_info,get_file"], "tester", json!({}));
    assert_eq!(names(&mut two), ["get_file", "pdf_info"]);
    assert_eq!(two.call("pdf_info", json!({ "path": pdf }))["isError"], false);
    let id = two.send("tools/call", json!({ "name": "pdf_outline", "arguments": { "path": pdf } }));
    let refused = two.receive(id);
    assert_eq!(refused["error"]["message"], "Unknown tool: pdf_outline");
    let run = place.run(&["serve", "--tools", "fly"]);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (1, "pagewise: Parameter '--tools' must be core, all, or names of tools\n")
    );
}

#[track_caller]
fn check_no_longer(result: &Value) {
    assert_eq!(result["isError"], false, "{result}");
    let text = texts(result).join("\n").chars().count();
    let structure = result["structuredContent"].to_string();
    assert!(structure.chars().count() <= text, "{structure}\n{}", texts(result).join("\n"));
}

#[test]
fn a_structured_result_is_no_longer_than_its_text() {
    let place = Place::new();
    let mut client = Client::start(&place, "nobody-knows-it");
    let lines = (0..40).map(|line| format!("the line {line}")).collect::<Vec<_>>();
    place.file("notes.txt", lines.join("\n"));
    for name in ["latex.pdf", "form.pdf", "report-v1.pdf", "scan.pdf"] {
        place.copied(name);
        for tool in ["pdf_info", "pdf_outline"] {
            check_no_longer(&client.call(tool, json!({ "path": name })));
        }
        for arguments in [json!({ "query": "e" }), json!({ "query": "the" }), json!({ "query": "nowhere to be found" })]
        {
            let arguments =
                [("path".to_owned(), json!(name))].into_iter().chain(arguments.as_object().unwrap().clone());
            check_no_longer(&client.call("pdf_search", Value::Object(arguments.collect())));
        }
        client.call("get_file", json!({ "filePath": name, "pages": "1-3" }));
    }
    client.call("get_file", json!({ "filePath": "notes.txt" }));
    check_no_longer(&client.call("context_status", json!({})));
    check_no_longer(&client.call("context_updates", json!({})));
    place.file("notes.txt", lines.join("\n").replace("line 7", "seventh line"));
    std::fs::copy(fixture("report-v2.pdf"), place.path("report-v1.pdf")).unwrap();
    std::fs::remove_file(place.path("latex.pdf")).unwrap();
    check_no_longer(&client.call("context_updates", json!({})));
    check_no_longer(&client.call("context_fork", json!({})));
    check_no_longer(&client.call("context_forget", json!({})));
}

#[test]
fn a_client_that_is_shown_no_pdfs_gets_text_where_it_is_complete_and_else_pictures() {
    let place = Place::new();
    let words = lines_of(&["Everything is said in words here"]);
    place.file("mixed.pdf", pages_of(&[&words, "", "0 0 100 100 re f"]));
    for name in ["codex-mcp-client", "nobody-knows-it"] {
        let mut client = Client::start(&place, name);
        let summary = client.call("get_file", json!({ "filePath": "mixed.pdf" }));
        let cost = texts(&summary)[0].lines().find(|line| line.starts_with("Estimated")).unwrap().to_owned();
        let expected = "Estimated tokens of all 3 pages: 45 as text, 723 as mixed (what you get), 2,070 as image; \
                        on average per page: 15, 241, 690";
        assert_eq!(cost, expected);
        let answer = client.call("get_file", json!({ "filePath": "mixed.pdf", "pages": "1-3" }));
        assert_eq!(kinds(&answer), ["text", "text", "text", "text", "image", "text"], "{answer}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(with_fixed_tag(&texts(&answer)[..4].join("\n")), @r"
            Given here: page 3 as image, pages 1-2 as text.
            --- Page 1 · 0000 ---
            Everything is said in words here
            --- Page 2 · 0000 ---
            [blank]
            --- Page 3 · 0000 ---
            Page 3 is the picture that follows.
            ");
        }
    }
}

#[test]
fn the_files_used_last_are_named_and_the_others_by_a_further_call() {
    let place = Place::new();
    let mut client = Client::start(&place, "tester");
    for number in 1..=23 {
        place.file(&format!("{number}.txt"), format!("text {number}"));
        client.call("get_file", json!({ "filePath": format!("{number}.txt") }));
    }
    client.call("get_file", json!({ "filePath": "7.txt", "force": true }));
    let mut named = |from: u64| {
        let status = client.call("context_status", json!({ "startFile": from }));
        check_no_longer(&status);
        let files = status["structuredContent"]["files"].as_array().unwrap().clone();
        let name = |file: &Value| file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let cut = texts(&status)[0].lines().find(|line| line.starts_with('[')).unwrap_or_default().to_owned();
        (files.iter().map(name).collect::<Vec<_>>(), cut)
    };
    let (files, cut) = named(1);
    assert_eq!((files.len(), &files[..3]), (10, &["7.txt", "23.txt", "22.txt"].map(str::to_owned)[..]));
    assert_eq!(cut, "[13 more files, used less recently. Next call: context_status {\"startFile\":11}]");
    assert_eq!(named(21).0, ["3.txt", "2.txt", "1.txt"]);
    assert_eq!(named(21).1, "");
    let refused = client.call("context_status", json!({ "startFile": 24 }));
    assert!(
        texts(&refused)[0].starts_with("Parameter 'startFile' must be at most 23, the number of files"),
        "{refused}"
    );
}

#[test]
fn what_is_not_held_cannot_be_forgotten_nor_a_point_that_never_was_be_forked() {
    let place = Place::new();
    place.file("three.pdf", small_pdf(3));
    place.file("other.pdf", small_pdf(2));
    let mut client = Client::start(&place, "tester");
    client.call("get_file", json!({ "filePath": "three.pdf", "pages": "1-2", "conversation": "c" }));
    let mut first_line = |tool: &str, arguments: Value| {
        let result = client.call(tool, arguments);
        (result["isError"] == json!(true), texts(&result)[0].lines().next().unwrap().to_owned())
    };
    let mut forget = |arguments: Value| first_line("context_forget", arguments);
    let other = forget(json!({ "filePath": "other.pdf", "conversation": "c" }));
    assert_eq!(other, (true, "Conversation c does not hold other.pdf".to_owned()));
    let third = forget(json!({ "filePath": "three.pdf", "pages": "3", "conversation": "c" }));
    assert_eq!(third, (true, "Conversation c does not hold page 3 of three.pdf".to_owned()));
    assert!(!forget(json!({ "filePath": "three.pdf", "pages": "2-", "conversation": "c" })).0);
    assert!(!forget(json!({ "filePath": "three.pdf", "conversation": "c" })).0);
    let latest =
        client.call("context_status", json!({ "conversation": "c" }))["structuredContent"]["point"].as_u64().unwrap();
    let mut fork = |point: u64| client.call("context_fork", json!({ "conversation": "c", "asOf": point }));
    assert_eq!(fork(latest)["isError"], false);
    let refused = fork(latest + 1);
    let expected = format!("Parameter 'asOf' must be an earlier point, 0 to {latest}");
    assert_eq!(texts(&refused)[0].lines().next(), Some(expected.as_str()), "{refused}");
}

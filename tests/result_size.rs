//! One bound on the size of whole results: what does not fit is named with the next call, and is not held.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed test may stop where it stands"
)]

use serde_json::{Value, json};

use crate::ask::{Asking, pdf_of};
use crate::support::http::Server;
use crate::support::mcp::Client;
use crate::support::program::{Place, kinds, texts};
use crate::support::provider::Say;
use crate::support::site::{Site, ok};
use crate::support::{file_of, fixture, small_pdf};

/// A client that takes results of so many bytes, PDF blocks too.
fn client(place: &Place, bytes: u64) -> Client {
    let content = json!({ "accept": ["application/pdf", "image/png"], "maxResultBytes": bytes });
    let capabilities = json!({ "extensions": { "io.github.pagewise/content": content } });
    Client::start_with(place, &[], "tester", capabilities)
}

/// Calls a tool; its result is within the bound, and more than a part of it.
#[track_caller]
fn bounded(client: &mut Client, bytes: usize, tool: &str, arguments: Value) -> Value {
    let result = client.call(tool, arguments);
    let found = result.to_string().len();
    assert!(found <= bytes, "{found} bytes");
    result
}

fn all_texts(result: &Value) -> String {
    texts(result).join("\n")
}

/// The pages that a conversation holds of its only file.
fn held(client: &mut Client) -> Value {
    let status = client.call("context_status", json!({}));
    status["structuredContent"]["files"][0]["pages"].clone()
}

/// Pages with so many characters each.
fn wordy(pages: usize, characters: usize) -> Vec<u8> {
    let text = "some words to be found, and more of them ".repeat(characters / 41 + 1);
    pdf_of(&vec![&text[..characters]; pages], [3_000, 14_000])
}

/// The call that an answer names, as its tool and arguments.
fn next_call(result: &Value) -> (String, Value) {
    let told = all_texts(result);
    let (_, call) = told.split_once("Next call: ").unwrap_or_else(|| panic!("{told}"));
    let (tool, arguments) = call.split_once(' ').unwrap();
    let arguments = serde_json::Deserializer::from_str(arguments).into_iter::<Value>().next();
    (tool.to_owned(), arguments.and_then(Result::ok).unwrap_or_else(|| panic!("{told}")))
}

#[test]
fn the_next_call_keeps_what_was_asked_for_and_gives_what_is_left() {
    let place = Place::new();
    let pdf = place.file("wordy.pdf", wordy(30, 500));
    std::fs::create_dir(place.path("shelf")).unwrap();
    (0..60).for_each(|number| drop(place.file(&format!("shelf/{number}.pdf"), small_pdf(1))));
    let mut client = client(&place, 30_000_000);
    let pages =
        json!({ "filePath": pdf, "pdfPage": null, "pages": "2-", "as": "text", "force": true, "conversation": "c" });
    let long = place.file("long.pdf", small_pdf(205));
    let folder = json!({ "filePath": "shelf", "numLines": 7 });
    let listed = json!({ "path": "shelf" });
    let words = json!({ "path": pdf, "query": "Words To", "case_sensitive": false, "max_results": 3, "ocr": "never" });
    for (tool, asked, changed) in [
        ("get_file", pages, ("pages", json!("22-30"))),
        ("get_file", folder, ("startLine", json!(8))),
        ("pdf_info", listed, ("startLine", json!(51))),
        ("pdf_info", json!({ "path": long, "pages": "1-" }), ("pages", json!("201-205"))),
        ("pdf_search", words, ("pages", json!("2-30"))),
    ] {
        let first = client.call(tool, asked.clone());
        let (named, next) = next_call(&first);
        assert_eq!(next[changed.0], changed.1, "{next}");
        for (name, value) in asked.as_object().unwrap() {
            let is_repeated = *name == changed.0 || value.is_null() || *value == json!(false) || tool == "pdf_info";
            assert!(is_repeated || next[name] == *value, "{name}: {next}");
        }
        let second = client.call(&named, next);
        assert!(second["isError"] != true && all_texts(&second) != all_texts(&first), "{second}");
    }
}

#[test]
fn pages_beyond_a_declared_bound_are_named_and_not_held() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let mut client = client(&place, 300_000);
    let first = bounded(&mut client, 300_000, "get_file", json!({ "filePath": pdf, "pages": "1-5" }));
    assert_eq!(kinds(&first), ["text", "resource", "resource", "text"], "{}", all_texts(&first));
    assert!(all_texts(&first).contains("Did not fit in this answer: pages 3-5. "), "{}", all_texts(&first));
    assert_eq!(next_call(&first), ("get_file".to_owned(), json!({ "filePath": pdf, "pages": "3-5" })));
    let details = &first["_meta"]["io.github.pagewise/details"];
    assert_eq!((&details["deferred"], details["sent"].as_array().unwrap().len()), (&json!("3-5"), 2));
    assert!(held(&mut client).to_string().contains("1-2"), "{}", held(&mut client));
    let next = bounded(&mut client, 300_000, "get_file", json!({ "filePath": pdf, "pages": "2-5" }));
    assert_eq!(kinds(&next)[1], "resource");
    assert!(all_texts(&next).contains("Page 2 of latex.pdf has already been provided"), "{}", all_texts(&next));
}

#[test]
fn a_page_that_alone_is_too_large_comes_as_text() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let mut client = client(&place, 60_000);
    let result = bounded(&mut client, 60_000, "get_file", json!({ "filePath": pdf, "pages": "1" }));
    assert!(all_texts(&result).contains("bytes are too many for a document block"), "{}", all_texts(&result));
    let path = bounded(&mut client, 60_000, "get_file", json!({ "filePath": pdf, "pages": "1", "as": "path" }));
    assert!(all_texts(&path).contains("was saved as a one-page PDF; read it at"), "{}", all_texts(&path));
}

#[test]
fn a_page_of_which_only_a_part_came_is_not_held() {
    let place = Place::new();
    let pdf = place.file("wordy.pdf", wordy(2, 60_000));
    let mut client = client(&place, 30_000_000);
    for _ in 0..2 {
        let result = client.call("get_file", json!({ "filePath": pdf, "pages": "1", "as": "text" }));
        assert!(all_texts(&result).contains("[The page's text is cut at 40000 of "), "{}", all_texts(&result).len());
    }
    let whole = place.file("whole.pdf", wordy(1, 20_000));
    let ask = json!({ "filePath": whole, "pages": "1", "as": "text" });
    client.call("get_file", ask.clone());
    assert!(all_texts(&client.call("get_file", ask)).contains("Page 1 of whole.pdf has already been provided"));
}

#[test]
fn what_was_fetched_goes_on_at_an_offset() {
    let site = Site::start(|_| ok("text/plain", "\u{1}\"0123456789".repeat(4_000)));
    let place = Place::new();
    let mut client = client(&place, 40_000);
    let first = bounded(&mut client, 40_000, "fetch_content", json!({ "url": site.url("/long") }));
    let told = all_texts(&first);
    let (_, mut next) = next_call(&first);
    let offset = next["offset"].as_u64().unwrap();
    assert!(told.contains(&format!("Use offset {offset} to retrieve more.]")), "{told}");
    next["maxChars"] = json!(100_000);
    let second = bounded(&mut client, 40_000, "get_search_content", next);
    let told = all_texts(&second);
    assert!(told.contains(&format!("Characters {offset} to {} of ", 2 * offset)), "{told}");
}

#[test]
fn a_long_answer_of_a_model_is_cut_and_says_so() {
    let answer: &'static str = Box::leak("a sentence of an answer. ".repeat(4_000).into_boxed_str());
    let asking = Asking::new([Say::Text(answer)]);
    asking.place.file("one.pdf", small_pdf(1));
    let content = json!({ "accept": ["application/pdf"], "maxResultBytes": 50_000 });
    let capabilities = json!({ "extensions": { "io.github.pagewise/content": content } });
    let mut client = Client::start_command(asking.command(), &[], "tester", capabilities);
    let result = bounded(&mut client, 50_000, "pdf", json!({ "pdf": "one.pdf" }));
    let told = texts(&result);
    let shown = told[0].chars().count();
    assert!(shown > 30_000 && answer.starts_with(&told[0]));
    let named = format!("The answer is cut at {shown} of 99999 characters: the result has room for no more");
    assert!(told[1].contains(&named), "{}", told[1]);
    assert_eq!(result["_meta"]["io.github.pagewise/details"]["truncated"], true);
}

#[test]
fn pictures_share_the_room_and_the_rest_is_named() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let mut client = client(&place, 200_000);
    let arguments = json!({ "filePath": pdf, "pages": "1-8", "as": "image" });
    let result = bounded(&mut client, 200_000, "get_file", arguments);
    let pictures = kinds(&result).iter().filter(|kind| **kind == "image").count();
    assert!((1..8).contains(&pictures), "{pictures}");
    let rest = json!({ "filePath": pdf, "pages": format!("{}-8", pictures + 1), "as": "image" });
    assert_eq!(next_call(&result).1, rest);
}

#[test]
fn an_image_file_is_given_whole_or_refused() {
    let place = Place::new();
    let pdf = fixture("scan.pdf");
    place.run(&["render", &pdf, "1", "--out", "page.png", "--dpi", "300"]);
    let bytes = std::fs::metadata(place.path("page.png")).unwrap().len();
    assert!(bytes > 20_000, "{bytes}");
    let mut client = client(&place, 20_000);
    let result = bounded(&mut client, 20_000, "get_file", json!({ "filePath": "page.png" }));
    let error = &result["_meta"]["io.github.pagewise/error"];
    assert_eq!((&error["code"], &error["data"]["setting"]), (&json!("too_large"), &json!("max_result_bytes")));
}

#[test]
fn lines_of_a_text_file_go_on_in_the_next_call() {
    let place = Place::new();
    let text = (1..=4_000).map(|line| format!("line {line} \u{1}\u{1}\u{1}\u{1}\n")).collect::<String>();
    place.file("long.txt", text.replace('\u{1}', "\""));
    let mut client = client(&place, 30_000);
    let mut arguments = json!({ "filePath": "long.txt", "startLine": 1, "numLines": 3_000 });
    for _ in 0..2 {
        let result = bounded(&mut client, 30_000, "get_file", arguments.clone());
        let told = all_texts(&result);
        assert!(told.starts_with(&format!("[Lines {}-", arguments["startLine"])), "{told}");
        (_, arguments) = next_call(&result);
        let (start, count) = (arguments["startLine"].as_u64().unwrap(), arguments["numLines"].as_u64().unwrap());
        assert_eq!((start > 100, start + count), (true, 3_001), "what was asked for, and no more");
    }
}

#[test]
fn text_is_cut_to_the_room_and_the_rest_can_be_asked_for() {
    let place = Place::new();
    let pdf = place.file("wordy.pdf", wordy(6, 20_000));
    let mut client = client(&place, 50_000);
    let arguments = json!({ "path": pdf, "max_chars": 1_000_000_000, "pages": "2-6" });
    let result = bounded(&mut client, 50_000, "pdf_extract_text", arguments);
    assert!(result.to_string().len() > 35_000, "the room is used");
    let told = all_texts(&result);
    assert!(told.contains("\n\n[Truncated at "), "{told}");
    let full = "The result has room for no more text (max_result_bytes). Next call: ";
    assert!(told.contains(full), "{}", &told[told.len() - 400..]);
    assert_eq!(next_call(&result).1, json!({ "path": pdf, "max_chars": 1_000_000_000, "pages": "4-6" }));
    assert_eq!(result["_meta"]["io.github.pagewise/details"]["truncated"], true);
    let alone = place.file("page.pdf", wordy(2, 60_000));
    let result = bounded(&mut client, 50_000, "pdf_extract_text", json!({ "path": alone, "max_chars": 100_000 }));
    let told = all_texts(&result);
    let whole = "For all of page 1 call get_file with as: \"path\". Next call: ";
    assert!(told.contains(whole), "{}", &told[told.len() - 400..]);
    assert_eq!(next_call(&result).1["pages"], "2");
}

#[test]
fn matches_beyond_the_room_are_named_by_their_pages() {
    let place = Place::new();
    let pdf = place.file("wordy.pdf", wordy(8, 12_000));
    let mut client = client(&place, 40_000);
    let arguments = json!({ "path": pdf, "query": "found", "max_results": 10_000 });
    let result = bounded(&mut client, 40_000, "pdf_search", arguments);
    let found = &result["structuredContent"];
    let total = found["matches"].as_u64().unwrap();
    let told = all_texts(&result);
    let shown = told.split_once("\n[").unwrap().1.split_once(" of ").unwrap().0.parse::<u64>().unwrap();
    assert!(0 < shown && shown < total, "{shown} of {total}");
    let rest = found["rest"].as_str().unwrap();
    assert!(rest.ends_with("-8") && !rest.starts_with("1-"), "{rest}");
    let named = format!(
        "[{shown} of {total} matches are shown: the result has room for no more (max_result_bytes). Next call: "
    );
    assert!(told.contains(&named), "{told}");
    let next = json!({ "path": pdf, "query": "found", "max_results": 10_000, "pages": rest });
    assert_eq!(next_call(&result), ("pdf_search".to_owned(), next));
    let alone = place.file("alone.pdf", wordy(2, 60_000));
    let arguments = json!({ "path": alone, "query": "found", "max_results": 10_000 });
    let result = bounded(&mut client, 40_000, "pdf_search", arguments);
    assert_eq!(result["structuredContent"]["rest"], "2");
    let named = "For more of page 1, ask for a longer query. Next call: pdf_search {";
    assert!(all_texts(&result).contains(named), "{}", all_texts(&result));
}

#[test]
fn an_outline_of_long_titles_is_cut_and_says_so() {
    let place = Place::new();
    let title = "Title ".repeat(300);
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_owned(),
        "<</Type/Outlines/First 5 0 R/Last 124 0 R/Count 120>>".to_owned(),
    ];
    objects.extend((5..125).map(|number| {
        let next = if number < 124 { format!("/Next {} 0 R", number + 1) } else { String::new() };
        format!("<</Title({number} {title})/Parent 4 0 R/Dest[3 0 R/Fit]{next}>>")
    }));
    let pdf = place.file("titles.pdf", file_of(&objects));
    let mut client = client(&place, 40_000);
    let result = bounded(&mut client, 40_000, "pdf_outline", json!({ "path": pdf }));
    let told = all_texts(&result);
    let shown = result["structuredContent"]["items"].as_array().unwrap().len();
    assert!((1..120).contains(&shown), "{shown}");
    assert!(told.contains(&format!("[Only the first {shown} entries are shown, up to page 1. ")), "{told}");
    assert!(told.contains("The result has room for no more (max_result_bytes)."), "{told}");
}

#[test]
fn a_drawn_page_that_is_too_large_is_a_file_alone() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let mut client = client(&place, 20_000);
    let arguments = json!({ "path": pdf, "page": 3, "dpi": 300 });
    let result = bounded(&mut client, 20_000, "pdf_render_page", arguments);
    assert_eq!(kinds(&result), ["text"]);
    let told = all_texts(&result);
    assert!(
        told.contains("The picture is not shown: its ") && told.contains(" bytes do not fit in a result of "),
        "{told}"
    );
}

#[test]
fn what_cannot_be_cut_is_refused_whole() {
    let place = Place::new();
    let title = "x".repeat(100_000);
    let objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>"];
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_owned();
    let objects = objects.map(str::to_owned).into_iter().chain([page, format!("<</Title({title})>>")]);
    let bytes = file_of(&objects.collect::<Vec<_>>());
    let bytes = String::from_utf8(bytes).unwrap().replace("/Root 1 0 R", "/Root 1 0 R /Info 4 0 R");
    let pdf = place.file("title.pdf", bytes);
    let mut client = client(&place, 4_000);
    let result = bounded(&mut client, 4_000, "pdf_info", json!({ "path": pdf }));
    let error = &result["_meta"]["io.github.pagewise/error"];
    assert_eq!((&error["code"], &error["data"]["limit"]), (&json!("limit_exceeded"), &json!(4_000)), "{result}");
    assert!(all_texts(&result).contains("Next call: "), "{result}");
}

#[test]
fn a_resource_has_the_same_bound() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let mut client = client(&place, 200_000);
    let result = client.call("get_file", json!({ "filePath": pdf, "pages": "3" }));
    let uri = result["content"][1]["resource"]["uri"].as_str().unwrap().to_owned();
    client.request("resources/read", json!({ "uri": uri }));
    drop(client);
    let mut client = self::client(&place, 100_000);
    client.call("get_file", json!({ "filePath": pdf, "force": true }));
    let id = client.send("resources/read", json!({ "uri": uri }));
    let answer = client.receive(id);
    assert!(answer["error"]["message"].as_str().unwrap().contains("max_result_bytes is 100000"), "{answer}");
}

#[test]
fn the_setting_bounds_results_over_http() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let server = Server::start(&place, &["--set", "max_result_bytes=300000"]);
    let result = server.call("opencode", "get_file", json!({ "filePath": pdf, "pages": "1-8" }), &[]);
    assert!(result.to_string().len() <= 300_000, "{}", result.to_string().len());
    let (_, next) = next_call(&result);
    let handle = next["conversation"].as_str().unwrap();
    assert_eq!(next, json!({ "filePath": pdf, "pages": "3-8", "conversation": handle }));
    let told = all_texts(&result);
    assert!(told.contains(&format!("Conversation: {handle} (pass it as conversation in every call)")), "{told}");
    let status = server.call("opencode", "context_status", json!({ "conversation": handle }), &[]);
    let files = status["structuredContent"]["files"].to_string();
    assert!(files.contains("1-2") && !files.contains("1-8"), "{files}");
}

/// A text file of so many lines, of which the first third changes with its version.
fn lines(name: &str, count: usize, version: usize) -> String {
    let changes = |line: usize| if line < count / 3 { version } else { 0 };
    let lines = (0..count).map(|line| format!("line {line:06} of version {:06}\n", changes(line)));
    lines.chain([format!("{name}\n")]).collect()
}

/// What changed, to a client that takes so many bytes from now on: the newest protocol says it with each request.
#[track_caller]
fn updates_within(client: &mut Client, bytes: usize) -> Value {
    let content = json!({ "maxResultBytes": bytes });
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "extensions": { "io.github.pagewise/content": content } },
    });
    let call = json!({ "_meta": meta, "name": "context_updates", "arguments": {} });
    let result = client.request("tools/call", call);
    assert!(result.to_string().len() <= bytes, "{} bytes", result.to_string().len());
    assert_eq!(result["isError"], false, "{result}");
    result
}

/// A client that has read these files.
fn reader_of(place: &Place, files: &[(&str, usize)]) -> Client {
    let mut client = Client::start_without_handshake(place);
    for (name, count) in files {
        place.file(name, lines(name, *count, 1));
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let call = json!({ "_meta": meta, "name": "get_file", "arguments": { "filePath": name } });
        assert_eq!(client.request("tools/call", call)["isError"], false);
    }
    client
}

#[test]
fn changes_beyond_the_room_are_told_by_the_next_call_and_each_once() {
    let place = Place::new();
    let names = (0..24).map(|file| format!("{file:02}.txt")).collect::<Vec<_>>();
    let mut client = reader_of(&place, &names.iter().map(|name| (name.as_str(), 50)).collect::<Vec<_>>());
    names.iter().for_each(|name| drop(place.file(name, lines(name, 50, 2))));
    std::fs::remove_file(place.path(&names[3])).unwrap();
    let (mut told, mut calls) = (Vec::new(), 0);
    loop {
        calls += 1;
        let result = updates_within(&mut client, 20_000);
        let found = &result["structuredContent"];
        let files = found["files"].as_array().unwrap();
        assert!(!files.is_empty(), "{result}");
        told.extend(files.iter().map(|file| {
            assert!(["text", "deleted"].contains(&file["change"].as_str().unwrap()), "{file}");
            file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
        }));
        let left = found["left"].as_u64().unwrap();
        let named = format!("Files not checked yet: {left}. Next call: context_updates");
        assert_eq!(all_texts(&result).contains(&named), left > 0, "{}", all_texts(&result));
        if left == 0 {
            break;
        }
    }
    assert!(calls > 3, "{calls}");
    assert_eq!(told, names);
    let nothing = updates_within(&mut client, 20_000);
    assert_eq!(all_texts(&nothing), "No changes that have not been reported.");
}

#[test]
fn changes_too_long_for_any_answer_are_told_without_their_details() {
    let place = Place::new();
    let files = [("a.txt", 40), ("b.txt", 400), ("c.txt", 40)];
    let mut client = reader_of(&place, &files);
    files.iter().for_each(|(name, count)| drop(place.file(name, lines(name, *count, 2))));
    let first = updates_within(&mut client, 17_000)["structuredContent"].clone();
    assert_eq!((first["files"].as_array().unwrap().len(), &first["left"]), (1, &json!(2)), "{first}");
    let second = updates_within(&mut client, 17_000)["structuredContent"].clone();
    let files = second["files"].as_array().unwrap();
    let reason = "its changes are too long for this answer";
    assert_eq!((files.len(), &files[0]["change"], &files[0]["reason"]), (2, &json!("content"), &json!(reason)));
    assert_eq!((&files[1]["change"], &second["left"]), (&json!("text"), &json!(0)));
}

/// They are told of each time, so that they would keep the others from ever being told.
#[test]
fn files_that_cannot_be_read_leave_the_room_to_others() {
    let place = Place::new();
    let folder = "long name ".repeat(20);
    let unreadable = (0..40).map(|file| format!("{folder}{file:02}.txt")).collect::<Vec<_>>();
    let files = unreadable.iter().map(|name| (name.as_str(), 10)).chain([("z.txt", 40)]);
    let mut client = reader_of(&place, &files.collect::<Vec<_>>());
    for name in &unreadable {
        std::fs::remove_file(place.path(name)).unwrap();
        std::fs::create_dir(place.path(name)).unwrap();
    }
    place.file("z.txt", lines("z.txt", 40, 2));
    let result = updates_within(&mut client, 20_000);
    let files = result["structuredContent"]["files"].as_array().unwrap();
    let unnamed = 41 - files.len();
    assert_eq!(files.last().unwrap()["change"], "text", "{result}");
    assert!(unnamed > 0 && files.len() > 1, "{unnamed}");
    let note = format!("{unnamed} more files cannot be read now; there is no room to say which.");
    assert!(all_texts(&result).ends_with(&note), "{}", all_texts(&result));
}

#[test]
fn the_command_line_has_no_such_bound() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let arguments = ["get-file", &pdf, "--pages", "1-5", "--set", "max_result_bytes=20000"];
    let (status, result) = place.json(&arguments);
    assert_eq!((status, kinds(&result)), (0, vec!["document"; 5]));
}

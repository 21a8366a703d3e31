//! What a client can see: error codes and texts, exit status, help, the tool list. A change here breaks somebody.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use serde_json::{Value, json};

use crate::support::mcp::Client;
use crate::support::program::{Place, texts};
use crate::support::{fixture, small_pdf};

#[track_caller]
fn check_refused(place: &Place, arguments: &[&str], code: &str, message: &str) {
    assert_eq!(place.refused(arguments), (1, code.to_owned(), message.to_owned()));
}

#[test]
fn a_missing_parameter_is_named() {
    let place = Place::new();
    check_refused(&place, &["get-file"], "validation_error", "Parameter 'PATH' is required");
    check_refused(&place, &["search", "a.pdf"], "validation_error", "Parameter 'QUERY' is required");
    check_refused(&place, &["context", "status"], "validation_error", "Parameter '--conversation' is required");
    check_refused(&place, &["get-file", ""], "validation_error", "Parameter 'PATH' is required");
    check_refused(&place, &["info", " "], "validation_error", "Parameter 'PATH' is required");
}

#[test]
fn a_parameter_of_the_wrong_form_is_named() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    check_refused(
        &place,
        &["get-file", &pdf, "--pdf-page", "abc"],
        "validation_error",
        "Parameter '--pdf-page' must be a whole number (0-based page index)",
    );
    check_refused(
        &place,
        &["page", &pdf, "abc", "--out", "x.pdf"],
        "invalid_page_range",
        "Invalid page range: abc (document has 2 pages)",
    );
    let (status, code, _) = place.refused(&["get-file", &pdf, "--pdf-page", "1", "--pages", "2"]);
    assert_eq!((status, code.as_str()), (1, "validation_error"));
}

#[test]
fn a_conversation_has_a_printable_name() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    for handle in ["a\nb", &"x".repeat(129)] {
        let message = "Parameter '--conversation' must be 1 to 128 printable characters";
        check_refused(&place, &["get-file", &pdf, "--conversation", handle], "validation_error", message);
    }
    assert_eq!(place.json(&["get-file", &pdf, "--conversation", &"x".repeat(128)]).0, 0);
}

#[test]
fn a_section_that_is_not_there_is_looked_for_by_each_door_in_its_own_words() {
    let place = Place::new();
    place.copied("latex.pdf");
    let arguments = json!({ "filePath": "latex.pdf", "pages": "section:sheep" });
    let answer = Client::start(&place, "tester").call("get_file", arguments);
    assert!(
        texts(&answer)[0].contains(
            "No section is titled 'sheep'. See the outline (pdf_outline), or search the text with pdf_search."
        ),
        "{answer}"
    );
    let run = place.run(&["get-file", "latex.pdf", "--pages", "section:sheep"]);
    assert!(
        run.stderr.contains(
            "No section is titled 'sheep'. See the outline (pagewise outline), or search the text with pagewise search."
        ),
        "{}",
        run.stderr
    );
}

#[test]
fn files_that_cannot_be_had() {
    let place = Place::new();
    check_refused(&place, &["get-file", "missing.pdf"], "file_not_found", "File not found: missing.pdf");
    check_refused(&place, &["page", "missing.pdf", "1", "--out", "x"], "file_not_found", "File not found: missing.pdf");
    check_refused(&place, &["text", "."], "permission_denied", "Cannot read file: .");
    check_refused(&place, &["get-file", ".", "--pages", "1"], "permission_denied", "Cannot read file: .");
    check_refused(&place, &["page", ".", "1"], "permission_denied", "Cannot read file: .");
    check_refused(
        &place,
        &["get-file", "ftp://host/a.pdf"],
        "unsupported_reference",
        "Unsupported reference: ftp://host/a.pdf. Accepted: an absolute or relative path, ~/path, file:///path, http(s)://host/path",
    );
}

#[test]
fn types_are_judged_by_bytes() {
    let place = Place::new();
    let zip = place.file("archive.pdf", b"PK\x03\x04 and more");
    check_refused(
        &place,
        &["get-file", &zip],
        "unsupported_file_type",
        "Unsupported file type: archive.pdf is a ZIP archive (application/zip). Supported: text/*, application/pdf, \
         image/png, image/jpeg, image/gif, image/webp, office files, EPUBs and notebooks",
    );
    let named_pdf = place.file("text.pdf", "just text\n");
    let (status, answer) = place.json(&["get-file", &named_pdf]);
    assert_eq!((status, answer["details"]["mimeType"].as_str()), (0, Some("text/plain")));
    check_refused(
        &place,
        &["get-file", &named_pdf, "--pdf-page", "0"],
        "not_a_pdf",
        "Not a PDF: text.pdf: no PDF header; the file is text/plain",
    );
    let unnamed_pdf = place.file("report", small_pdf(2));
    let (status, answer) = place.json(&["get-file", &unnamed_pdf]);
    assert_eq!((status, answer["details"]["pages"].as_u64()), (0, Some(2)));
}

#[test]
fn what_is_no_pdf_says_what_was_found() {
    let place = Place::new();
    let text = place.file("text.pdf", "just text\n");
    let (status, code, message) = place.refused(&["page", &text, "1", "--out", "x.pdf"]);
    assert_eq!((status, code.as_str()), (1, "not_a_pdf"));
    assert!(message.starts_with("Not a PDF: text.pdf: ") && message.contains("just text"), "{message}");
    let empty = place.file("empty.pdf", "");
    check_refused(
        &place,
        &["page", &empty, "1", "--out", "x.pdf"],
        "not_a_pdf",
        "Not a PDF: empty.pdf: the file is empty",
    );
    assert!(!place.path("x.pdf").exists());
}

#[test]
fn damaged_pdfs_are_refused() {
    let place = Place::new();
    let whole = small_pdf(2);
    let truncated = place.file("truncated.pdf", &whole[..20]);
    for arguments in
        [vec!["page", &truncated, "1", "--out", "x.pdf"], vec!["get-file", &truncated], vec!["info", &truncated]]
    {
        let (status, code, message) = place.refused(&arguments);
        assert_eq!((status, code.as_str()), (1, "damaged"), "{message}");
        assert!(message.starts_with(&format!("Damaged PDF: {truncated}: ")), "{message}");
    }
}

#[test]
fn a_document_without_pages_has_none_to_give() {
    let place = Place::new();
    let pdf = place.file("empty.pdf", small_pdf(0));
    let message = "Page 1 out of range (document has 0 pages)";
    check_refused(&place, &["page", &pdf, "1", "--out", "x.pdf"], "invalid_page", message);
    check_refused(&place, &["get-file", &pdf, "--pdf-page", "0"], "invalid_page", message);
}

#[test]
fn encrypted_pdfs_say_what_is_missing() {
    let place = Place::new();
    let pdf = fixture("encrypted-password.pdf");
    check_refused(&place, &["get-file", &pdf], "encrypted", &format!("Encrypted PDF: {pdf}: a password is needed"));
    check_refused(
        &place,
        &["info", &pdf, "--password", "wrong"],
        "encrypted",
        &format!("Encrypted PDF: {pdf}: the password is wrong"),
    );
    assert_eq!(place.json(&["info", &pdf, "--password", "secret"]).0, 0);
    let hint = |arguments: &[&str]| place.json(arguments).1["error"]["hint"].clone();
    assert_eq!(hint(&["info", &pdf]), "Pass it with --password, or better in PAGEWISE_PASSWORD.");
    let output = place.command().args(["info", &pdf]).env("PAGEWISE_PASSWORD", "secret").output().unwrap();
    assert!(output.status.success());
}

#[test]
fn pages_out_of_range() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    for (index, number) in [("-1", "0"), ("2", "3"), ("1000000000000", "1000000000001")] {
        let message = format!("Page {number} out of range (document has 2 pages)");
        check_refused(&place, &["get-file", &pdf, "--pdf-page", index], "invalid_page", &message);
    }
    for number in ["3", "1000000000000"] {
        let message = format!("Page {number} out of range (document has 2 pages)");
        check_refused(&place, &["page", &pdf, number, "--out", "x.pdf"], "invalid_page", &message);
    }
    let message = "Page 9 out of range (document has 2 pages)";
    check_refused(&place, &["get-file", &pdf, "--pages", "1,9"], "invalid_page", message);
    check_refused(&place, &["split", &pdf, "--out-dir", "out", "--pages", "9"], "invalid_page", message);
}

#[test]
fn selections_that_are_none() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    for spec in ["2-1", "5-2", "abc", "0", ",", "1.5", "label:iv", "section:Results"] {
        let message = format!("Invalid page range: {spec} (document has 2 pages)");
        check_refused(&place, &["get-file", &pdf, "--pages", spec], "invalid_page_range", &message);
    }
    let message = "Invalid page range: 2-1 (document has 2 pages)";
    check_refused(&place, &["split", &pdf, "--out-dir", "out", "--pages", "2-1"], "invalid_page_range", message);
    assert!(!place.path("out").exists());
}

#[test]
fn too_large_names_both_sizes_and_the_setting() {
    let place = Place::new();
    let mut picture = std::fs::read(fixture("picture.png")).unwrap();
    picture.resize((10 << 20) + 1, 0);
    let file = place.file("large.png", &picture);
    check_refused(
        &place,
        &["get-file", &file],
        "too_large",
        "File too large: large.png has 10485761 bytes, and max_image_bytes is 10485760 bytes",
    );
    picture.truncate(10 << 20);
    place.file("large.png", &picture);
    assert_eq!(place.json(&["get-file", "large.png"]).0, 0);
}

#[test]
fn a_limit_of_the_environment_holds_at_its_number() {
    let place = Place::new();
    let bytes = small_pdf(2);
    let pdf = place.file("two.pdf", &bytes);
    let with = |limit: usize| {
        let output =
            place.command().args(["info", &pdf, "--json"]).env("PAGEWISE_MAX_FILE_BYTES", limit.to_string()).output();
        let output = output.unwrap();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap())
    };
    assert_eq!(with(bytes.len()).0, Some(0));
    let (status, refused) = with(bytes.len() - 1);
    let data = json!({ "bytes": bytes.len(), "limit": bytes.len() - 1, "setting": "max_file_bytes" });
    assert_eq!((status, &refused["error"]["data"]), (Some(1), &data));
}

#[test]
fn output_that_cannot_be_written_is_a_failure_and_no_refusal() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let (status, code, message) = place.refused(&["page", &pdf, "1", "--out", "missing/x.pdf"]);
    assert_eq!((status, code.as_str()), (2, "write_failed"));
    assert!(message.starts_with("Cannot write file: missing/x.pdf"), "{message}");
}

#[test]
fn errors_without_json_go_to_standard_error() {
    let place = Place::new();
    let run = place.run(&["get-file", "missing.pdf"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("pagewise: File not found: missing.pdf\n  No file beneath "), "{}", run.stderr);
    let run = place.run(&["fly"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("fly"), "{}", run.stderr);
}

#[test]
fn the_help_is_as_reviewed() {
    let place = Place::new();
    let commands: [&[&str]; 10] = [
        &[],
        &["get-file"],
        &["page"],
        &["split"],
        &["info"],
        &["ask"],
        &["context"],
        &["context", "status"],
        &["context", "forget"],
        &["serve"],
    ];
    let help = commands.map(|command| {
        let run = place.run(&[command, &["--help"]].concat());
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        format!("$ pagewise {} --help\n{}", command.join(" "), run.stdout)
    });
    insta::assert_snapshot!("help", help.join("\n"));
}

#[test]
fn the_tool_list_is_as_reviewed() {
    let place = Place::new();
    let mut client = Client::start(&place, "tester");
    let list = client.request("tools/list", json!({}));
    insta::assert_snapshot!("tools", serde_json::to_string_pretty(&list).unwrap());
    check_schemas(&list);
}

/// Strict validators know no integer formats and want optional properties of one plain type.
fn check_schemas(list: &Value) {
    for tool in list["tools"].as_array().unwrap() {
        for (name, property) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(property.get("format").is_none(), "{name}");
            assert!(property["type"].is_string(), "{name}");
        }
    }
    assert!(list["tools"][0].get("outputSchema").is_none(), "get_file answers with blocks alone");
}

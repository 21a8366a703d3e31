//! The command line: the objects of `--json`, files written whole, conversations across runs.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::fs;

use serde_json::{Value, json};

use crate::support::pdf::{file_of, pages_of};
use crate::support::program::{Place, kinds, texts};
use crate::support::site::{Site, ok};
use crate::support::{fixture, small_pdf};

#[test]
fn page_writes_one_page_and_says_what_it_wrote() {
    let place = Place::new();
    let pdf = fixture("latex.pdf");
    let (status, result) = place.json(&["page", &pdf, "3", "--out", "page.pdf"]);
    let bytes = fs::read(place.path("page.pdf")).unwrap();
    assert_eq!(status, 0);
    assert_eq!(result["blake3"], blake3::hash(&bytes).to_hex().as_str());
    assert_eq!(result["bytes"], bytes.len());
    assert_eq!((&result["file"], &result["page"], &result["pages"]), (&json!("page.pdf"), &json!(3), &json!(8)));
    assert_eq!((&result["tier"], &result["notes"]), (&json!("direct"), &json!([])));
    assert_eq!(result.as_object().unwrap().len(), 7);
    assert!(bytes.starts_with(b"%PDF-"));
}

#[test]
fn page_leaves_only_the_file_it_names() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    place.file("page.pdf", "an older file");
    assert_eq!(place.run(&["page", &pdf, "2", "--out", "page.pdf"]).status, 0);
    assert!(fs::read(place.path("page.pdf")).unwrap().starts_with(b"%PDF-"));
    let mut names = fs::read_dir(place.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["page.pdf", "two.pdf"], "no temporary file, no data folder");
}

#[test]
fn get_file_without_a_conversation_keeps_nothing() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    for _ in 0..2 {
        let (_, result) = place.json(&["get-file", &pdf, "--pdf-page", "0"]);
        assert_eq!(kinds(&result), ["document"]);
        assert!(result["details"].get("blake3").is_none(), "the file is not hashed");
    }
    assert!(!place.path("data").exists());
}

#[test]
fn get_file_gives_document_blocks() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let (_, result) = place.json(&["get-file", &pdf, "--pages", "1-"]);
    let block = &result["content"][1];
    assert_eq!(block["title"], "two.pdf - Page 2");
    assert_eq!(
        (&block["source"]["type"], &block["source"]["media_type"]),
        (&json!("base64"), &json!("application/pdf"))
    );
    assert!(block["source"]["data"].as_str().unwrap().starts_with("JVBERi0"));
    assert_eq!(result["details"]["sent"][1]["page"], 2);
}

#[test]
fn every_provider_gets_its_shape() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let emitted = |shape: &str| {
        let run = place.run(&["get-file", &pdf, "--pdf-page", "0", "--emit", shape]);
        let mut value: Value = serde_json::from_str(&run.stdout).unwrap();
        shorten(&mut value);
        value
    };
    let data = "JVBERi0x…";
    assert_eq!(
        emitted("anthropic"),
        json!([{"type": "document", "title": "two.pdf - Page 1",
            "source": {"type": "base64", "media_type": "application/pdf", "data": data}}])
    );
    assert_eq!(
        emitted("openai"),
        json!([{"type": "input_file", "filename": "two-page-1.pdf", "file_data": "data:app…"}])
    );
    assert_eq!(emitted("gemini"), json!([{"inlineData": {"mimeType": "application/pdf", "data": data}}]));
    let mcp = emitted("mcp");
    assert_eq!((&mcp[0]["type"], &mcp[0]["resource"]["blob"]), (&json!("resource"), &json!(data)));
    let raw = place.command().args(["get-file", &pdf, "--pdf-page", "0", "--emit", "raw"]).output().unwrap();
    assert!(raw.stdout.starts_with(b"%PDF-") && raw.stdout.ends_with(b"%%EOF\n") || raw.stdout.ends_with(b"%%EOF"));
    assert_eq!(place.refused(&["get-file", &pdf, "--pages", "1-2", "--emit", "raw"]).1, "validation_error");
}

/// Keeps the first eight characters of data, so that a test can write it down.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > 60 && !text.starts_with("pagewise:") => {
            *text = format!("{}…", text.chars().take(8).collect::<String>());
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(fields) => fields.values_mut().for_each(shorten),
        _ => {}
    }
}

#[test]
fn two_runs_with_one_conversation_know_each_other() {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let ask = |pages: &str| place.json(&["get-file", &pdf, "--pages", pages, "--conversation", "review"]).1;
    assert_eq!(texts(&ask("1-2")), ["Read so far in this conversation: 2 of 3 pages (1-2)."]);
    let again = ask("2-3");
    assert_eq!(kinds(&again), ["document", "text"]);
    assert_eq!(
        texts(&again),
        ["Page 2 of three.pdf has already been provided to you in this conversation.\nIf you cannot see it (another \
          agent of the same session, or a compacted context), ask again with force: true, or under a conversation \
          name of your own."]
    );
    assert_eq!(again["details"]["alreadyHeld"], "2");
    let forced = place.json(&["get-file", &pdf, "--pages", "2", "--conversation", "review", "--force"]).1;
    assert_eq!(kinds(&forced), ["document"]);
    let other = place.json(&["get-file", &pdf, "--pages", "2", "--conversation", "another"]).1;
    assert_eq!(kinds(&other), ["document", "text"]);
}

#[test]
fn a_summary_is_given_once() {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let ask = || texts(&place.json(&["get-file", &pdf, "--conversation", "c"]).1).remove(0);
    let first = ask();
    assert!(first.starts_with("PDF Document: three.pdf\nPages: 3\n"), "{first}");
    let last = "Use get_file with pdfPage (0-based) or pages (1-based, e.g. \"1-3,7\") to read pages.";
    assert_eq!(first.lines().last(), Some(last));
    let again = ask();
    let held =
        "The summary information for three.pdf has already been provided to you in this conversation.\nPages: 3\n";
    assert!(again.starts_with(held), "{again}");
}

#[test]
fn status_shows_what_is_held_and_forget_makes_it_come_again() {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let ask = || kinds_of(&place.json(&["get-file", &pdf, "--pages", "1-2", "--conversation", "c"]).1);
    let status = || place.json(&["context", "status", "--conversation", "c"]).1;
    ask();
    assert_eq!(status()["files"][0]["pages"], json!({"document": "1-2"}));
    assert_eq!(status()["files"][0]["path"], place.path("three.pdf").to_str().unwrap());
    assert_eq!(status()["totals"]["mediaBlocks"], 2);
    place.json(&["context", "forget", &pdf, "--pages", "2", "--conversation", "c"]);
    assert_eq!(status()["files"][0]["pages"], json!({"document": "1"}));
    assert_eq!(ask(), ["document", "text"]);
    place.json(&["context", "forget", "--conversation", "c"]);
    assert_eq!(status()["files"], json!([]));
    assert_eq!(place.refused(&["context", "forget", "--pages", "2", "--conversation", "c"]).1, "validation_error");
}

fn kinds_of(result: &Value) -> Vec<String> {
    kinds(result).into_iter().map(str::to_owned).collect()
}

#[test]
fn pages_as_paths_are_files_that_are_named() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let (_, result) = place.json(&["get-file", &pdf, "--pages", "2", "--out-dir", "out"]);
    let file = fs::read_dir(place.path("out")).unwrap().next().unwrap().unwrap().path();
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("two-") && name.ends_with("-page2.pdf"), "{name}");
    assert!(texts(&result)[0].ends_with(file.to_str().unwrap()), "{result}");
    assert_eq!(result["details"]["sent"][0]["form"], "path");
}

#[test]
fn split_writes_every_page_under_a_padded_number() {
    let place = Place::new();
    let pdf = place.file("book.pdf", small_pdf(12));
    let (status, result) = place.json(&["split", &pdf, "--out-dir", "out"]);
    let mut names =
        fs::read_dir(place.path("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    names.sort();
    assert_eq!((status, names.len()), (0, 12));
    assert_eq!((names[0].to_str(), names[11].to_str()), (Some("book-01.pdf"), Some("book-12.pdf")));
    assert_eq!((&result["pages"], &result["written"], &result["failed"]), (&json!(12), &json!(12), &json!([])));
    assert_eq!(result["interrupted"], false);
    let (_, result) = place.json(&["split", &pdf, "--out-dir", "some", "--pages", "3,11-"]);
    assert_eq!(result["written"], 3);
}

#[test]
fn split_writes_the_same_bytes_as_page() {
    let place = Place::new();
    let pdf = fixture("latex.pdf");
    place.run(&["split", &pdf, "--out-dir", "out"]);
    place.run(&["page", &pdf, "5", "--out", "page.pdf"]);
    assert_eq!(fs::read(place.path("out/latex-5.pdf")).unwrap(), fs::read(place.path("page.pdf")).unwrap());
}

#[test]
fn info_has_the_same_facts_as_text_and_as_json() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let (_, facts) = place.json(&["info", &pdf]);
    let text = place.run(&["info", &pdf]).stdout;
    assert!(text.starts_with("File:         latex.pdf\nTitle:        A Short Walk"), "{text}");
    assert!(text.contains("\nPages:        8\n") && text.contains("\nFile size:    237 kB\n"), "{text}");
    assert_eq!((&facts["file"], &facts["pages"]), (&json!("latex.pdf"), &json!(8)));
    assert_eq!(facts["fileSize"], fs::metadata(place.path(&pdf)).unwrap().len());
}

#[test]
fn for_people_a_page_is_one_line() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let run = place.run(&["get-file", &pdf, "--pdf-page", "1"]);
    assert!(run.stdout.starts_with("[document] two.pdf - Page 2  "), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1);
}

#[test]
fn an_answer_that_could_not_be_printed_is_not_recorded() {
    let place = Place::new();
    let pdf = place.file("two.pdf", small_pdf(2));
    let arguments = ["get-file", &pdf, "--pdf-page", "0", "--conversation", "c", "--json"];
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = place.command().args(arguments).stdout(writer).status().unwrap();
    assert_eq!(status.code(), Some(2));
    assert_eq!(place.json(&["context", "status", "--conversation", "c"]).1["files"], json!([]));
}

#[test]
fn an_interrupted_split_leaves_whole_files_only() {
    let place = Place::new();
    let pdf = place.file("book.pdf", small_pdf(5_000));
    let mut child = place.command().args(["split", &pdf, "--out-dir", "out"]).spawn().unwrap();
    let started = || fs::read_dir(place.path("out")).is_ok_and(|mut entries| entries.next().is_some());
    while !started() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // It may have ended by itself; then there is nobody to interrupt.
    let _ = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    let status = child.wait().unwrap();
    let files = fs::read_dir(place.path("out")).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    assert_eq!(status.code(), Some(if files.len() == 5_000 { 0 } else { 2 }));
    for file in files {
        assert_eq!(file.extension().and_then(|name| name.to_str()), Some("pdf"));
        assert!(fs::read(&file).unwrap().starts_with(b"%PDF-"), "{}", file.display());
    }
}

#[test]
fn the_summary_of_a_real_document_is_as_reviewed() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let text = place.run(&["get-file", &pdf]).stdout;
    // The estimates rest on as many pages as were read in time.
    let stable = text.lines().filter(|line| !line.starts_with("Tokens:")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!("summary", stable);
}

#[test]
fn encrypted_documents_are_cut_like_others() {
    let place = Place::new();
    for (name, password) in
        [("encrypted-empty.pdf", ""), ("encrypted-rc4.pdf", ""), ("encrypted-password.pdf", "secret")]
    {
        let (status, result) = place.json(&["page", &fixture(name), "1", "--out", "page.pdf", "--password", password]);
        assert_eq!((status, &result["pages"]), (0, &json!(3)), "{name}: {result}");
        assert!(place.json(&["page", "page.pdf", "1", "--out", "again.pdf"]).0 == 0, "the page needs no password");
    }
}

#[test]
fn of_a_rebuilt_report_only_the_changed_page_comes() {
    let place = Place::new();
    let ask = |fixture_name: &str| {
        place.file("report.pdf", fs::read(fixture(fixture_name)).unwrap());
        place.json(&["get-file", "report.pdf", "--pages", "1-", "--conversation", "c"]).1
    };
    assert_eq!(kinds(&ask("report-v1.pdf")), ["document"; 4]);
    let second = ask("report-v2.pdf");
    assert_eq!(kinds(&second), ["document", "text"]);
    assert_eq!((&second["details"]["replaced"], &second["details"]["alreadyHeld"]), (&json!("2"), &json!("1,3-4")));
}

#[test]
fn context_commands_tell_fork_and_forget() {
    let place = Place::new();
    let pdf = place.file("a.pdf", small_pdf(3));
    place.json(&["get-file", &pdf, "--pages", "1-3", "--conversation", "c", "--generation", "1"]);
    let status = place.json(&["context", "status", "--conversation", "c"]).1;
    assert_eq!((status["generation"].as_u64(), status["totals"]["pdfPages"].as_u64()), (Some(1), Some(3)));
    assert_eq!(status["providers"][0]["maxMediaBlocks"], 100);
    let point = status["point"].to_string();
    place.file("a.pdf", small_pdf(4));
    let updates =
        |conversation: &str| place.json(&["context", "updates", "--conversation", conversation]).1["files"].clone();
    let told = updates("c");
    assert_eq!((told[0]["change"].as_str(), told[0]["added"].as_str()), (Some("pages"), Some("4")), "{told}");
    assert_eq!(updates("c"), json!([]));
    let fork = place.json(&["context", "fork", "--conversation", "c", "--as-of", &point]).1;
    let fork = fork["conversation"].as_str().unwrap();
    assert_eq!(updates(fork)[0]["added"], "4", "the fork was not told");
    place.json(&["context", "forget", "--keep-files", "--conversation", "c"]);
    assert_eq!(place.json(&["context", "status", "--conversation", "c"]).1["files"][0]["type"], "followed");
    std::fs::remove_file(place.path("a.pdf")).unwrap();
    assert_eq!(updates("c")[0]["message"], "This file has been deleted and removed from context.");
    assert_eq!(place.refused(&["context", "fork", "--conversation", "nobody"]).1, "unknown_conversation");
    assert_eq!(place.refused(&["context", "watch"]).1, "validation_error");
    let both = ["context", "forget", &pdf, "--keep-files", "--conversation", "c"];
    assert_eq!(place.refused(&both).1, "validation_error");
}

#[test]
fn context_watch_prints_a_line_for_each_change() {
    use std::io::BufRead as _;
    let place = Place::new();
    let pdf = place.file("a.pdf", small_pdf(1));
    place.json(&["get-file", &pdf, "--pages", "1", "--conversation", "c"]);
    let arguments = ["context", "watch", "--conversation", "c", "--interval-ms", "20", "--record", "--json"];
    let mut command = place.command();
    let mut child = command.args(arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
    // Whole at any moment, as editors write.
    place.file("b.pdf", small_pdf(2));
    std::fs::rename(place.path("b.pdf"), place.path("a.pdf")).unwrap();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["added"], "2");
    std::fs::remove_file(place.path("a.pdf")).unwrap();
    assert_eq!(next()["change"], "deleted");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn pages_in_a_folder_of_our_own_stay_within_bounds_and_those_in_the_users_own_stay() {
    let place = Place::new();
    let pdf = place.file("three.pdf", small_pdf(3));
    let month = std::time::Duration::from_secs(31 * 24 * 60 * 60);
    let written = |page: &str, flags: &[&str]| {
        let (status, answer) = place.json(&[&["get-file", &pdf, "--pages", page, "--as", "path"], flags].concat());
        assert_eq!(status, 0, "{answer}");
        let text = answer["content"][0]["text"].as_str().unwrap().to_owned();
        std::path::PathBuf::from(text.split_once("read it at ").unwrap().1)
    };
    for (flags, stays) in [(&[][..], false), (&["--set", "max_output_days=0"], true), (&["--out-dir", "mine"], true)] {
        let old = written("1", flags);
        let file = std::fs::File::options().write(true).open(&old).unwrap();
        file.set_modified(std::time::SystemTime::now() - month).unwrap();
        let new = written("2", flags);
        assert_eq!((old.exists(), new.exists()), (stays, true), "{flags:?}");
    }
}

#[test]
fn pages_of_markdown_are_joined_by_an_empty_line_and_say_what_they_leave_out() {
    let place = Place::new();
    let page = |number: usize| {
        let text = format!("BT /F 12 Tf 20 200 Td (The text of page {number} ends here.) Tj ET");
        format!("BT /F 8 Tf 20 285 Td (A running head) Tj 340 0 Td ({number}) Tj ET {text}")
    };
    let contents = [page(1), page(2), page(3), String::new()];
    let pdf = place.file("x.pdf", pages_of(&contents.iter().map(String::as_str).collect::<Vec<_>>()));
    let run = |pages: &str| place.run(&["text", &pdf, pages, "--format", "markdown"]);
    assert_eq!(
        run("1-2").stdout,
        "<!-- page 1 -->\n\nThe text of page 1 ends here.\n\n<!-- page 2 -->\n\nThe text of page 2 ends here.\n"
    );
    assert_eq!(run("3").stdout, "The text of page 3 ends here.\n");
    let (_, answer) = place.json(&["text", &pdf, "2", "--format", "markdown"]);
    assert_eq!(answer["pages"][0]["leftOut"], json!(["A running head 2"]));
    let without = run("4").stderr;
    assert!(without.contains("no text on page 4") && !without.contains("this document"), "{without}");
}

#[test]
fn text_alone_goes_to_standard_output_and_notes_to_standard_error() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let pages = |run: &[&str]| place.run(&[&["text", pdf.as_str()], run].concat());
    let (_, both) = place.json(&["text", &pdf, "2-3"]);
    let text = |at: usize| both["pages"][at]["text"].as_str().unwrap().to_owned();
    let printed = pages(&["2-3"]);
    assert_eq!((printed.stdout, printed.stderr), (format!("{}\n\u{c}{}\n", text(0), text(1)), String::new()));
    assert_eq!(pages(&["--pages", "2-3"]).stdout, pages(&["2-3"]).stdout, "the older flag");
    let section = pages(&["section:preface"]).stderr;
    assert!(section.starts_with("pagewise: Section 'Preface' is taken as page 2; "), "{section}");
    let blank = place.file("blank.pdf", small_pdf(2));
    let run = place.run(&["text", &blank]);
    assert_eq!(run.stdout.trim(), "");
    assert_eq!(
        run.stderr,
        "pagewise: no text in this document, which may be a scan: try --ocr auto, or pagewise render\n"
    );
}

/// What divides pages is printed whole or not at all.
const PAGE_BREAK: &str = "\n\n<!-- page 2 -->\n\n";

#[test]
fn a_text_is_cut_by_the_characters_that_are_printed() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    for format in ["text", "markdown"] {
        let printed = |max: &[&str]| place.run(&[&["text", &pdf, "1-2", "--format", format], max].concat());
        let whole = printed(&[]).stdout;
        let total = whole.trim_end_matches('\n').chars().count();
        for max in [20, 100, 272, 273, 274, 300, total - 1] {
            let cut = printed(&["--max-chars", &max.to_string()]);
            let (_, counts) = cut.stderr.trim_end().split_once(" after ").unwrap();
            let (kept, of) = counts.strip_suffix(" characters").unwrap().split_once(" of ").unwrap();
            let number = |text: &str| text.replace(',', "").parse::<usize>().unwrap();
            let (kept, of) = (number(kept), number(of));
            assert!(of == total && kept <= max && max - kept < PAGE_BREAK.len(), "{format} {max}: {}", cut.stderr);
            let begin = whole.chars().take(kept).collect::<String>();
            assert_eq!(cut.stdout.trim_end_matches('\n'), begin.trim_end_matches('\n'), "{format} {max}");
        }
        let all = printed(&["--max-chars", &total.to_string()]);
        assert_eq!((all.stdout, all.stderr), (whole, String::new()), "{format}");
    }
    let said = place.run(&["text", &pdf, "1", "--max-chars", "22", "--out", "cut.txt"]).stdout;
    assert_eq!(said, "Text of 1 page written to cut.txt: 22 bytes\n");
    assert_eq!(place.json(&["text", &pdf, "1"]).1.get("maxChars"), None);
    assert_eq!(place.json(&["text", &pdf, "1", "--max-chars", "22"]).1["maxChars"], 22);
}

#[test]
fn a_document_in_place_of_a_command_is_summarised() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let same = |document: &[&str], command: &[&str]| {
        let (document, command) = (place.run(document), place.run(command));
        assert_eq!((document.status, &document.stdout), (command.status, &command.stdout), "{}", document.stderr);
        assert!(!document.stdout.is_empty());
    };
    same(&["--json", &pdf, "--pages", "2"], &["--json", "get-file", &pdf, "--pages", "2"]);
    same(&[&format!("{pdf}#page=2"), "--as", "text"], &["get-file", &format!("{pdf}#page=2"), "--as", "text"]);
    assert!(place.run(&[&pdf]).stdout.starts_with("File:         latex.pdf\n"));
    let missing = place.run(&["latx.pdf"]).stderr;
    assert!(missing.contains("File not found: latx.pdf\n") && missing.contains(" is latex.pdf."), "{missing}");
    let unknown = place.run(&["latex"]);
    assert!(unknown.status == 1 && unknown.stderr.contains("unrecognized subcommand 'latex'"), "{}", unknown.stderr);
}

#[test]
fn a_command_that_confines_itself_still_names_similar_files() {
    let place = Place::new();
    place.copied("latex.pdf");
    for command in [&["page", "latx.pdf", "1"][..], &["split", "latx.pdf"], &["text", "latx.pdf"]] {
        let run = place.run(command);
        assert_eq!(run.status, 1);
        let hint = run.stderr.lines().last().unwrap();
        assert!(hint.starts_with("  The nearest name beneath ") && hint.ends_with(" is latex.pdf."), "{hint}");
    }
}

#[test]
fn pages_follow_the_file_and_outputs_have_names() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let run = place.run(&["split", &pdf, "7-9"]);
    let length = |name: &str| fs::metadata(place.path(name)).unwrap().len();
    let bytes = length("latex-pages/latex-7.pdf") + length("latex-pages/latex-8.pdf");
    assert_eq!(run.stdout, format!("2 pages written to latex-pages/: {} kB\n", (bytes + 500) / 1_000));
    assert_eq!(run.stderr, "pagewise: The document ends with page 8: '7-9' is taken as 7-8.\n");
    let run = place.run(&["split", &pdf, "1", "--pages", "2"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
}

#[test]
fn texts_and_tables_are_written_to_files() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let read = |name: &str| fs::read_to_string(place.path(name)).unwrap();
    let printed = place.run(&["text", &pdf, "3-4", "--format", "markdown"]).stdout;
    let said = place.run(&["text", &pdf, "3-4", "--format", "markdown", "--out", "text.md"]);
    assert_eq!(said.stdout, format!("Text of 2 pages written to text.md: {:.1} kB\n", printed.len() as f64 / 1_000.0));
    assert_eq!(read("text.md"), printed);
    let (_, result) = place.json(&["tables", &pdf, "4", "--out", "found/tables"]);
    assert_eq!(result["files"][0]["file"], "found/tables/page4-table1.csv");
    let csv = read("found/tables/page4-table1.csv");
    assert!(csv.ends_with("\r\nSextodecimo,4,16,32\r\n"), "{csv}");
    let said = place.run(&["tables", &pdf, "4", "--out", "all.md"]).stdout;
    assert!(said.starts_with("1 table written to all.md: "), "{said}");
    assert!(read("all.md").starts_with("| Name |"), "{}", read("all.md"));
    assert_eq!(place.run(&["tables", &pdf, "4", "--out", "found", "--format", "html"]).status, 0);
    assert!(read("found/page4-table1.html").starts_with("<table>"));
    let (status, code, message) = place.refused(&["text", &pdf, "--out", "missing/text.md"]);
    assert_eq!((status, code.as_str()), (2, "write_failed"), "{message}");
}

#[test]
fn attachments_are_written_to_a_folder_and_nowhere_else() {
    let place = Place::new();
    let pdf = place.copied("attachments.pdf");
    let (_, info) = place.json(&["info", &pdf]);
    let names = info["attachedFiles"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap());
    let names = names.map(str::to_owned).collect::<Vec<_>>();
    let (_, all) = place.json(&["attachments", &pdf, "--out-dir", "all"]);
    assert_eq!(all["files"].as_array().unwrap().len(), names.len(), "{all}");
    for (file, name) in all["files"].as_array().unwrap().iter().zip(&names) {
        let bytes = fs::read(place.path(file["file"].as_str().unwrap())).unwrap();
        assert_eq!(
            (file["bytes"].as_u64(), file["file"].as_str()),
            (Some(bytes.len() as u64), Some(&*format!("all/{name}")))
        );
    }
    let one = place.run(&["attachments", &pdf, &names[0], "--out-dir", "one"]);
    assert_eq!((one.status, fs::read_dir(place.path("one")).unwrap().count()), (0, 1), "{}", one.stderr);
    let (status, _, message) = place.refused(&["attachments", &pdf, "none.txt"]);
    assert_eq!((status, message.as_str()), (1, "No attachment none.txt in attachments.pdf"));

    let none = place.run(&["attachments", &place.copied("latex.pdf"), "--out-dir", "nothing"]);
    assert_eq!((none.status, none.stdout.as_str()), (0, "No files are attached\n"));
    assert!(!place.path("nothing").exists());

    let names = "(../../escaped.txt) 5 0 R (.profile) 5 0 R (..) 5 0 R";
    let specification = "<</Type/Filespec/EF<</F 6 0 R>>>>";
    let hostile = place.file(
        "hostile.pdf",
        file_of(&[
            &*format!("<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[{names}]>>>>>>"),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>",
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
            "null",
            specification,
            "<</Type/EmbeddedFile/Length 4>>\nstream\ntext\nendstream",
        ]),
    );
    let (_, written) = place.json(&["attachments", &hostile, "--out-dir", "deep/er"]);
    let files = written["files"].as_array().unwrap();
    assert!(!files.is_empty(), "{written}");
    for file in files {
        let name = file["file"].as_str().unwrap().strip_prefix("deep/er/").unwrap();
        assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
    }
    assert_eq!(fs::read_dir(place.path("deep/er")).unwrap().count(), files.len());
    assert_eq!(fs::read_dir(place.path("deep")).unwrap().count(), 1);
}

#[test]
fn a_command_never_replaces_the_file_that_it_reads() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let before = fs::read(place.path(&pdf)).unwrap();
    let absolute = place.path(&pdf).to_str().unwrap().to_owned();
    fs::create_dir(place.path("inner")).unwrap();
    let (part, linked) = (format!("{pdf}#attachment=notes.pdf"), format!("{pdf}#page=2"));
    let outs = [
        vec!["page", &pdf, "2", "--out", &pdf],
        vec!["page", &absolute, "2-3", "--out", "inner/../latex.pdf"],
        vec!["split", &pdf, "2-3", "--out", "./latex.pdf"],
        vec!["text", &pdf, "--out", &pdf],
        vec!["render", &pdf, "1", "--out", &absolute],
        vec!["tables", &pdf, "4", "--out", &pdf],
        vec!["ocr", &pdf, "--out", &pdf],
        vec!["text", &part, "--out", &pdf],
        vec!["page", &linked, "--out", &pdf],
    ];
    for arguments in outs {
        let (status, code, message) = place.refused(&arguments);
        assert_eq!((status, code.as_str()), (1, "validation_error"), "{arguments:?}: {message}");
        assert_eq!(message, "Parameter '--out' names the file that is read, which is never replaced");
    }
    assert_eq!(fs::read(place.path(&pdf)).unwrap(), before);

    let held = fs::read(fixture("attachments.pdf")).unwrap();
    let (_, info) = place.json(&["info", &fixture("attachments.pdf")]);
    let name = info["attachedFiles"][0]["name"].as_str().unwrap();
    place.file(name, &held);
    assert_eq!(place.run(&["attachments", name, name]).status, 2);
    let (_, written) = place.json(&["attachments", name]);
    assert_eq!(written["failed"][0][0], name, "{written}");
    assert_eq!(fs::read(place.path(name)).unwrap(), held);
}

#[test]
fn an_option_without_an_effect_is_refused() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let idle: [&[&str]; 20] = [
        &["text", &pdf, "--conversation", "review"],
        &["get-file", &pdf, "--start-line", "3"],
        &["get-file", &pdf, "--pages", "2", "--num-lines", "3"],
        &["get-file", &pdf, "--out-dir", "pages"],
        &["get-file", &pdf, "--pages", "2", "--as", "text", "--out-dir", "pages"],
        &["get-file", &pdf, "--max-tokens", "100"],
        &["get-file", &pdf, "--force"],
        &["get-file", &pdf, "--generation", "2"],
        &["get-file", &pdf, "--pages", "2", "--emit", "raw", "--json"],
        &["get-file", &pdf, "--emit", "raw"],
        &["get-file", &pdf, "--pages", "2", "--as", "text", "--emit", "raw"],
        &["diff", &pdf, &pdf, "--conversation", "review"],
        &["text", &pdf, "1", "--boxes"],
        &["search", &pdf, "walk", "--ranked", "--boxes"],
        &["tables", &pdf, "4", "--format", "csv", "--json"],
        &["tables", &pdf, "4", "--format", "json", "--out", "tables.csv"],
        &["render", &pdf, "--contact-sheet", "--dpi", "100"],
        &["render", &pdf, "--contact-sheet", "--region", "0,0,1,0.5"],
        &["completions", "bash", "--json"],
        &["context", "forget", "--pages", "2", "--conversation", "c"],
    ];
    let before = fs::read_dir(place.folder()).unwrap().count();
    for arguments in idle {
        let run = place.run(arguments);
        assert_eq!(run.status, 1, "{arguments:?}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(fs::read_dir(place.folder()).unwrap().count(), before, "nothing was written");
}

#[test]
fn several_pictures_need_a_folder() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let (status, _, message) = place.refused(&["render", &pdf, "1-2", "--dpi", "72", "--out", "two.png"]);
    assert_eq!((status, message.as_str()), (1, "Parameter '--out' names one file, and 2 pages are drawn"));
    assert!(!place.path("two.png").exists());
    for (asked, drawn) in [("20", 72), ("2000", 300)] {
        let said = place.run(&["render", &pdf, "1", "--dpi", asked, "--out", "one.png"]);
        let note = format!("dpi can be 72 to 300, and {asked} was given: drawn at {drawn}");
        assert!(said.stderr.contains(&note), "{}", said.stderr);
    }
    assert_eq!(place.run(&["render", &pdf, "--pages", "1", "--dpi", "72", "--out", "one.png"]).stderr, "");
}

#[test]
fn pages_are_selected_alike_in_every_command() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    for command in ["page", "render", "split", "text", "tables", "images", "info", "ocr"] {
        let run = place.run(&[command, "--help"]);
        assert!(run.stdout.contains("[PAGES]") && run.stdout.contains("--pages <PAGES>"), "{command}: {}", run.stdout);
    }
    let numbers = |arguments: &[&str]| place.json(arguments).1["pageNumbers"].clone();
    for selection in ["last-1", "7", "label:5"] {
        let by_word = numbers(&["page", &pdf, selection, "--join", "--out", "word.pdf"]);
        assert_eq!(by_word, "7", "{selection}");
        assert_eq!(numbers(&["page", &pdf, "--pages", selection, "--join", "--out", "option.pdf"]), by_word);
    }
    assert_eq!(place.refused(&["page", &pdf, "3", "--pages", "4"]).1, "validation_error");
    let commands: [&[&str]; 8] = [
        &["page", &pdf, "-3"],
        &["page", &pdf, "-3", "--join"],
        &["split", &pdf, "-3"],
        &["render", &pdf, "-3", "--dpi", "72"],
        &["render", &pdf, "-3", "--contact-sheet"],
        &["text", &pdf, "-3"],
        &["info", &pdf, "-3"],
        &["tables", &pdf, "-3"],
    ];
    for command in commands {
        let run = place.run(command);
        let note = "'-3' means pages 1-3; 'last' is the last page.";
        assert!(run.status == 0 && run.stderr.contains(note), "{command:?}: {}", run.stderr);
    }
    for command in ["page", "render"] {
        let run = place.run(&[command, &pdf, "-1"]);
        assert!(run.status == 0 && run.stderr.contains("'-1' means page 1;"), "{command}: {}", run.stderr);
    }
}

#[test]
fn an_index_without_room_says_so() {
    let place = Place::new();
    place.file("one.pdf", small_pdf(1));
    assert_eq!(place.run(&["index", "add", "one.pdf"]).status, 0);
    place.file("two.pdf", small_pdf(2));
    let said = place.run(&["index", "add", "two.pdf", "--set", "max_index_bytes=1"]).stdout;
    let full = "[1 document is not indexed: the index has no room for more (max_index_bytes)]";
    assert!(said.contains(full) && !said.contains("Next call"), "{said}");
}

#[test]
fn matches_that_are_left_out_are_shown_by_the_next_command() {
    let place = Place::new();
    let page = format!("BT /F 9 Tf 9 280 Td {} ET", "(fold) Tj 0 -40 Td ".repeat(7));
    let pdf = pages_of(&[page.as_str(); 2]);
    fs::create_dir(place.path("a")).unwrap();
    place.file("a/one.pdf", pdf);
    place.file("a/two.pdf", small_pdf(1));
    let said = |more: &[&str]| place.run(&[&["search", "a", "fold"], more].concat()).stderr;
    let by_share = "matches are shown, at most 5 of a file; search one file to see all of its matches\n";
    assert!(said(&[]).contains(by_share), "{}", said(&[]));
    assert!(said(&["--max-results", "1"]).contains("matches are shown; raise --max-results\n"));
    let ranked = ["search", "a", "fold", "--ranked", "--pages", "9"];
    let searched = "no page answers the query: 2 documents searched (0 pages)\n";
    assert!(place.run(&ranked).stderr.contains(searched), "{}", place.run(&ranked).stderr);
}

#[test]
fn the_index_says_what_was_removed() {
    let place = Place::new();
    place.file("two.pdf", small_pdf(2));
    let said = |arguments: &[&str]| place.run(arguments).stdout;
    assert_eq!(said(&["index", "clear"]), "Nothing to remove: the index is empty.\n");
    assert!(said(&["index", "status"]).contains("is empty. pagewise index add fills it"));
    assert_eq!(place.run(&["index", "add", "."]).status, 0);
    let status = said(&["index", "status"]);
    let removed = said(&["index", "clear"]);
    assert!(removed.starts_with("Removed from the index: 2 pages of 1 document from 1 file, "), "{removed}");
    assert!(status.starts_with(removed.trim_start_matches("Removed from the index: ").trim_end()), "{status}");
    assert_eq!(said(&["index", "clear"]), "Nothing to remove: the index is empty.\n");
}

#[test]
fn a_short_deadline_is_a_timeout() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let (status, code, message) = place.refused(&["text", &pdf, "--set", "worker_deadline_ms=1"]);
    assert_eq!((status, code.as_str()), (2, "timeout"), "{message}");
    assert!(message.contains("worker_deadline_ms, which is 1"), "{message}");
}

#[test]
fn a_ranked_search_says_what_limits_it() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let said = place.run(&["search", &pdf, "walk", "--ranked", "--language", "deu", "--dates", "1900..2030"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let searched = "no page answers the query: 0 documents in deu of 1900..2030 searched (0 pages)";
    assert!(said.stderr.contains(searched), "{}", said.stderr);
}

#[test]
fn ocr_without_an_engine_fails_and_writes_nothing() {
    let place = Place::new();
    let (status, code, message) = place.refused(&["ocr", &fixture("scan.pdf"), "--out", "searchable.pdf"]);
    assert_eq!((status, code.as_str()), (2, "pdf_error"), "{message}");
    assert!(message.starts_with("OCR is not available: page 1 of "), "{message}");
    assert!(!place.path("searchable.pdf").exists());
    let copied = place.run(&["ocr", &fixture("latex.pdf"), "--out", "same.pdf"]).stdout;
    assert!(copied.starts_with("No page needed OCR. Copied to same.pdf: "), "{copied}");
    assert_eq!(fs::read(place.path("same.pdf")).unwrap(), fs::read(fixture("latex.pdf")).unwrap());
    let unread = place.run(&["text", &fixture("scan.pdf"), "1", "--ocr", "auto"]).stderr;
    let why = "pagewise: no text on page 1: OCR is not available, pagewise doctor says why; see pagewise render\n";
    assert_eq!(unread, why);
    let encrypted = fixture("encrypted-empty.pdf");
    let (status, code, message) = place.refused(&["ocr", &encrypted, "--out", "searchable.pdf"]);
    assert_eq!((status, code.as_str()), (1, "encrypted"));
    assert!(
        message.ends_with("encrypted-empty.pdf is encrypted: text cannot be added to an encrypted PDF"),
        "{message}"
    );
    assert!(!place.path("searchable.pdf").exists());
}

#[test]
fn a_command_about_a_conversation_requires_its_name() {
    let place = Place::new();
    for command in ["status", "updates", "forget", "fork", "watch"] {
        let refused = place.refused(&["context", command]);
        assert_eq!((refused.0, refused.2.as_str()), (1, "Parameter '--conversation' is required"), "{command}");
        let help = place.run(&["context", command, "--help"]).stdout;
        let usage = help.lines().find(|line| line.starts_with("Usage: ")).unwrap();
        assert!(usage.contains(" --conversation <NAME>"), "{usage}");
    }
    assert_eq!(place.refused(&["context", "watch", "--conversation", " "]).0, 1);
}

#[test]
fn a_wrong_number_is_refused_by_its_flag() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let cases: [(&[&str], &str); 3] = [
        (&["context", "watch", "--conversation", "c", "--interval-ms", "0"], ": must be a whole number, 1 or more"),
        (&["ask", &pdf, "--max-bytes-mb", "0"], "--max-bytes-mb must be greater than 0"),
        (&["get-file", &pdf, "--num-lines", "3"], "Parameter '--num-lines' selects lines, but latex.pdf has pages"),
    ];
    for (arguments, expected) in cases {
        let (status, _, message) = place.refused(arguments);
        assert!(status == 1 && message.ends_with(expected), "{message}");
    }
}

#[test]
fn errors_name_what_was_typed() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let said = |arguments: &[&str]| place.refused(arguments).2;
    assert_eq!(
        said(&["text", &pdf, "--out", "-"]),
        "Parameter '--out' must name a file or folder, not standard output"
    );
    assert_eq!(said(&["page", &pdf, "1", "--out", "."]), "Cannot write file: . (it is a folder)");
    assert!(place.run(&["serve", "--root", "nosuch"]).stderr.ends_with("nosuch\n"));
    let file = place.run(&["serve", "--root", &pdf]).stderr;
    assert!(file.contains(": Not a folder: ") && file.ends_with("latex.pdf\n"), "{file}");
    let pushed = |arguments: &[&str]| said(&[&["push", &pdf, "--to", "http://pdf.example"], arguments].concat());
    assert_eq!(pushed(&["--offline"]), "Offline: nothing is uploaded, because offline is set");
    assert_eq!(pushed(&["--set", "push_token=t"]), "A token is sent over https only: http://pdf.example");
    let time = said(&["text", &pdf, "1", "--set", "max_page_cpu_ms=0"]);
    assert!(time.ends_with(": a page took more than max_page_cpu_ms, which is 0"), "{time}");
    assert!(place.run(&["man", "context", "watch"]).stdout.contains("pagewise-context-watch"));
    assert!(place.run(&["man", "context", "nosuch"]).stderr.contains("There is no command 'nosuch'"));
}

#[test]
fn a_fetched_text_goes_on_by_the_command_that_is_printed() {
    let place = Place::new();
    let site = Site::start(|_| ok("text/plain", "0123456789".repeat(4_000)));
    let said = place.run(&["fetch", &site.url("/long")]).stdout;
    assert!(
        said.contains("Use a higher --max-chars to retrieve more.]") && !said.contains("get_search_content"),
        "{said}"
    );
    let (_, next) = said.split_once("Next call: pagewise ").unwrap();
    let rest = place.run(&next.split_whitespace().collect::<Vec<_>>());
    assert_eq!(rest.status, 0, "{}", rest.stderr);
    assert_eq!(rest.stdout.lines().next().unwrap().len(), 10_000, "{}", rest.stdout);
}

#[test]
fn a_file_without_a_page_layout_is_refused_before_anything_is_written() {
    let place = Place::new();
    let file = place.copied("office.docx");
    for command in ["split", "page", "render"] {
        let (status, code, message) = place.refused(&[command, &file]);
        assert_eq!((status, code.as_str()), (1, "unsupported_file_type"), "{command}: {message}");
    }
    assert_eq!(fs::read_dir(place.folder()).unwrap().count(), 1);
}

#[test]
fn a_long_text_file_goes_on_by_the_command_that_is_printed() {
    let place = Place::new();
    let lines = (1..=30_000).map(|line| format!("{line} asks with force: true\n")).collect::<String>();
    place.file("long.txt", lines);
    let said = place.run(&["get-file", "long.txt"]).stdout;
    assert!(said.contains("7 asks with force: true\n"), "the file's own words stay");
    let (_, next) = said.trim_end().strip_suffix(']').unwrap().rsplit_once("Next: pagewise ").unwrap();
    let rest = place.run(&next.split(' ').collect::<Vec<_>>());
    let (_, line) = next.rsplit_once(' ').unwrap();
    assert!(rest.stdout.contains(&format!("\n{line} asks with force: true\n")), "{next}: {}", rest.stderr);
    let calls = "ask again with force: true, or not\n[Next call: get_file startLine: 21]\n";
    place.file("calls.txt", calls);
    let said = place.run(&["get-file", "calls.txt"]).stdout;
    assert!(said.ends_with(calls), "a file is printed as it is: {said}");
}

#[test]
fn a_link_to_a_page_is_that_page_in_every_command() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let linked = format!("{pdf}#page=3");
    let page = place.run(&["text", &pdf, "3"]).stdout;
    assert!(page.contains("From sheet to page"), "{page}");
    assert_eq!(place.run(&["text", &linked]).stdout, page);
    assert_eq!(place.json(&["get-file", &linked]).1["details"]["sent"][0]["page"], 3);
    assert_eq!(place.json(&["page", &linked, "--out", "page.pdf"]).1["page"], 3);
    assert_eq!(place.json(&["render", &linked, "--dpi", "72", "--out", "page.png"]).1["page"], 3);
    assert_eq!(place.json(&["split", &linked, "--out-dir", "pages"]).1["written"], 1);
    assert_eq!(place.json(&["text", &linked, "1-2"]).1["pages"][1]["number"], 2, "what is typed goes first");
    assert_eq!(place.refused(&["get-file", &format!("{pdf}#page=9")]).1, "invalid_page");
    assert_eq!(place.refused(&["get-file", &format!("{pdf}#page=x")]).1, "file_not_found");
}

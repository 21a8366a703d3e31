//! What people get from the program itself: colours by the usual rules, conversations, pages and their names, pictures in
//! the terminal. The texts of single commands in a terminal are snapshots in `src/cli`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use std::fs;

use crate::support::program::Place;
use crate::support::{fixture, small_pdf};

#[test]
fn colours_follow_the_flag_and_then_the_environment() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let has_colors = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = place.command();
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        let run = command.envs(variables.iter().copied()).args(["info", &pdf]).args(arguments).output().unwrap();
        assert!(run.status.success());
        run.stdout.contains(&0x1b)
    };
    assert!(!has_colors(&[], &[]), "a pipe");
    assert!(has_colors(&["--color", "always"], &[]));
    assert!(has_colors(&["--color=always"], &[("NO_COLOR", "1")]), "the flag wins");
    assert!(has_colors(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!has_colors(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!has_colors(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!has_colors(&["--json", "--color", "always"], &[]), "JSON has none");
}

#[test]
fn a_wrong_argument_is_explained_in_the_wanted_colours() {
    let place = Place::new();
    let stderr = |color: &str| place.run(&["info", "--color", color]).stderr;
    assert!(stderr("always").contains('\u{1b}') && !stderr("never").contains('\u{1b}'));
    assert_eq!(place.run(&["info", "a.pdf", "--color", "sometimes"]).status, 1);
}

#[test]
fn a_conversation_is_told_in_the_words_of_the_command_line() {
    let place = Place::new();
    place.file("report.pdf", fs::read(fixture("report-v1.pdf")).unwrap());
    let run = |arguments: &[&str]| {
        let run = place.run(&[arguments, &["--conversation", "review"]].concat());
        let text = format!("{}{}", run.stdout, run.stderr).replace(place.folder().to_str().unwrap(), "HOME");
        text.replace('\u{1b}', "^")
    };
    let mut texts = vec![
        run(&["get-file", "report.pdf", "--pages", "1", "--as", "text"]),
        run(&["get-file", "report.pdf", "--pages", "1-2"]),
        run(&["get-file", "report.pdf", "--pages", "1-3", "--as", "text", "--max-tokens", "100000"]),
        run(&["context", "status"]),
        run(&["context", "status", "--color", "always"]),
    ];
    place.file("report.pdf", fs::read(fixture("report-v2.pdf")).unwrap());
    texts.push(run(&["context", "updates"]));
    texts.push(run(&["context", "updates"]));
    texts.push(run(&["context", "forget", "report.pdf", "--pages", "1"]));
    texts.push(run(&["context", "forget", "other.pdf"]));
    insta::assert_snapshot!("conversation", texts.join("\n"));
}

#[test]
fn held_pages_are_told_on_standard_output_and_where_they_came_from() {
    let place = Place::new();
    let (first, second) = (fs::read(fixture("report-v1.pdf")).unwrap(), fs::read(fixture("report-v2.pdf")).unwrap());
    let (a, b) = (place.file("a.pdf", first), place.file("b.pdf", &second));
    let ask = |path: &str, pages: &str| {
        place.run(&["get-file", path, "--pages", pages, "--as", "text", "--conversation", "c"])
    };
    ask(&a, "2");
    ask(&b, "2");
    place.file("a.pdf", second);
    let held = ask(&a, "2");
    assert!(held.stdout.contains("is the same as page 2 of") && held.stdout.contains("b.pdf"), "{}", held.stdout);
    assert!(held.stdout.contains("--force"), "{}", held.stdout);
    fs::remove_file(place.path(&b)).unwrap();
    assert!(ask(&a, "2").stdout.contains("Page 2"), "never an empty answer");
    assert!(place.run(&["get-file", &a, "--conversation", "c"]).stdout.contains("Pages:"));
    assert!(place.run(&["get-file", &a, "--conversation", "c"]).stdout.contains("already been provided"));
}

#[test]
fn pages_that_a_text_only_names_are_not_held() {
    let place = Place::new();
    let pdf = place.file("book.pdf", small_pdf(2));
    let held = |conversation: &str, arguments: &[&str]| {
        let asked = ["get-file", &pdf, "--pages", "1", "--conversation", conversation];
        let run = place.run(&[&asked, arguments].concat());
        assert_eq!(run.status, 0, "{}", run.stderr);
        let (_, status) = place.json(&["context", "status", "--conversation", conversation]);
        (status["files"][0]["pages"].clone(), run.stderr.contains("these pages were not recorded as sent"))
    };
    assert_eq!(held("named", &[]), (serde_json::Value::Null, true));
    assert_eq!(held("drawn", &["--as", "image"]), (serde_json::Value::Null, true));
    assert_eq!(held("bytes", &["--emit", "anthropic"]), (serde_json::json!({ "document": "1" }), false));
    assert_eq!(held("words", &["--as", "text"]), (serde_json::json!({ "text": "1" }), false));
}

#[cfg(unix)]
#[test]
fn a_watch_ends_with_the_program_that_reads_it() {
    let place = Place::new();
    let mut command = place.command();
    let watch = ["context", "watch", "--conversation", "c", "--interval-ms", "20"];
    let mut watching = command.args(watch).stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(watching.stdout.take());
    assert!(watching.wait().is_ok());
}

#[test]
fn notes_that_pages_share_are_said_once() {
    let place = Place::new();
    let pdf = place.file("blank.pdf", small_pdf(12));
    let shared = |run: &crate::support::program::Run, what: &str| run.stderr.matches(what).count();
    let run = place.run(&["get-file", &pdf, "--pages", "1-12", "--as", "text", "--max-tokens", "100000"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(shared(&run, "Pages 1-12: nothing is drawn there"), 1, "{}", run.stderr);
    assert_eq!(run.stdout.matches("[blank]").count(), 12, "{}", run.stdout);
}

#[test]
fn page_writes_one_page_several_or_a_joined_file_under_names_of_its_own() {
    let place = Place::new();
    let pdf = place.file("book.pdf", small_pdf(12));
    assert_eq!(place.run(&["page", &pdf, "3"]).status, 0);
    assert!(place.path("book-page3.pdf").is_file());
    let (status, result) = place.json(&["page", &pdf, "2-4,9"]);
    assert_eq!((status, &result["written"]), (0, &serde_json::json!(4)));
    let mut names =
        fs::read_dir(place.path("book-pages")).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    names.sort();
    assert_eq!(names, ["book-02.pdf", "book-03.pdf", "book-04.pdf", "book-09.pdf"]);
    let (_, joined) = place.json(&["page", &pdf, "2-4,9", "--join"]);
    assert_eq!((&joined["file"], &joined["joined"]), (&"book-pages2-4_9.pdf".into(), &4.into()));
    assert_eq!(place.json(&["info", "book-pages2-4_9.pdf"]).1["pages"], 4);
    let (_, all) = place.json(&["page", &pdf, "--out", "new/folder"]);
    assert_eq!(all["written"], 12);
    assert_eq!(
        fs::read(place.path("new/folder/book-03.pdf")).unwrap(),
        fs::read(place.path("book-page3.pdf")).unwrap()
    );
}

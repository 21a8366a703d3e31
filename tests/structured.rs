//! The doors to structured text: `text --format`, `tables`, and `get_file as: "markdown"`.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failed test may stop where it stands"
)]

use serde_json::{Value, json};

use super::support::pdf::pages_of;
use super::support::program::Place;

/// Two columns of two rows, and a line below them.
const PAGE: &str = "BT /F 10 Tf 20 200 Td (Name) Tj 200 0 Td (Count) Tj -200 -14 Td (apples) Tj 200 0 Td (12) Tj ET \
                    BT /F 10 Tf 20 100 Td (A line of text below.) Tj ET";

fn place() -> Place {
    let place = Place::new();
    place.file("two.pdf", pages_of(&[PAGE, "BT /F 10 Tf 20 200 Td (The second page.) Tj ET"]));
    place
}

fn json_of(place: &Place, arguments: &[&str]) -> Value {
    let run = place.run(arguments);
    assert_eq!(run.status, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn layout_keeps_columns_by_spaces() {
    let run = place().run(&["text", "two.pdf", "1", "--format", "layout"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let lines = run.stdout.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let [head, row, below] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((head.find("Count"), below), (row.find("12"), "A line of text below."));
    assert!(head.starts_with("Name    "), "{head}");
}

#[test]
fn markdown_has_its_own_name_in_json_and_pages_are_those_asked_for() {
    let found = json_of(&place(), &["text", "two.pdf", "2", "--format", "markdown", "--json"]);
    let pages = found["pages"].as_array().unwrap();
    assert_eq!((pages.len(), &pages[0]["number"], pages[0].get("text")), (1, &json!(2), None));
    assert!(pages[0]["markdown"].as_str().unwrap().contains("The second page."), "{found}");
}

#[test]
fn tables_are_a_list_even_if_there_are_none() {
    let place = place();
    for arguments in [["tables", "two.pdf", "2", "--json"].as_slice(), &["tables", "two.pdf", "2", "--format", "json"]]
    {
        assert_eq!(json_of(&place, arguments)["tables"], json!([]));
    }
    let run = place.run(&["tables", "two.pdf", "2"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""));
    assert!(run.stderr.contains("no tables found"), "{}", run.stderr);
}

#[test]
fn a_page_past_the_end_is_refused_in_every_format() {
    let place = place();
    for arguments in [["text", "two.pdf", "9", "--format", "markdown"], ["text", "two.pdf", "9", "--format", "layout"]]
    {
        let run = place.run(&arguments);
        assert_eq!(run.status, 1);
        assert!(run.stderr.contains("Page 9 out of range (document has 2 pages)"), "{}", run.stderr);
    }
    assert_eq!(place.run(&["tables", "two.pdf", "9"]).status, 1);
}

#[test]
fn a_page_held_as_markdown_is_not_held_as_text() {
    let place = place();
    let given = |form: &str| {
        let arguments = ["get-file", "two.pdf", "--pages", "1-2", "--as", form, "--conversation", "c", "--json"];
        let found = json_of(&place, &arguments);
        let sent = found["details"]["sent"].as_array().cloned().unwrap_or_default();
        sent.iter().map(|page| page["form"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(given("markdown"), ["markdown", "markdown"]);
    assert!(given("markdown").is_empty(), "they are held");
    assert_eq!(given("text"), ["text", "text"]);
    let status = place.run(&["context", "status", "--conversation", "c"]).stdout;
    assert!(status.contains("markdown"), "{status}");
}

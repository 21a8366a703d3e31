//! Two versions of a document: which pages and words changed.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use serde_json::json;

use crate::support::fixture;
use crate::support::pdf::{lines_of, pages_of};
use crate::support::program::{Place, texts};

fn document(pages: &[&[&str]]) -> Vec<u8> {
    let contents = pages.iter().map(|lines| lines_of(lines)).collect::<Vec<_>>();
    pages_of(&contents.iter().map(String::as_str).collect::<Vec<_>>())
}

const FIRST: &[&str] = &["The first page says what the agreement is about.", "It names both parties."];
const PRICE: &[&str] = &["The price is 400 crowns and is paid in March.", "Nothing else is due."];
const NEW_PRICE: &[&str] = &["The price is 450 crowns and is paid in March.", "Nothing else is due."];
const LAST: &[&str] = &["Signed in two copies, each with a seal of wax.", "The end."];
const ADDED: &[&str] = &["An annex lists seven tools that come with the mill."];

#[test]
fn pages_are_matched_and_changed_words_stand_in_their_context() {
    let place = Place::new();
    place.file("old.pdf", document(&[FIRST, PRICE, LAST]));
    place.file("new.pdf", document(&[LAST, FIRST, NEW_PRICE, ADDED]));
    let (status, found) = place.json(&["diff", "old.pdf", "new.pdf"]);
    assert_eq!(status, 0, "{found}");
    assert_eq!((&found["pagesBefore"], &found["pagesNow"]), (&json!(3), &json!(4)));
    assert_eq!((&found["unchanged"], &found["added"], &found["removed"]), (&json!(""), &json!("4"), &json!("")));
    assert_eq!(found["moved"], "page 1 is now page 2, page 3 is now page 1");
    let changed = &found["changed"][0];
    assert_eq!(
        (&changed["page"], &changed["was"], found["changed"].as_array().unwrap().len()),
        (&json!(3), &json!(2), 1)
    );
    let word = json!({"before": "The price is", "old": "400", "new": "450", "after": "crowns and is paid in March."});
    assert_eq!(changed["words"], json!([word]));
    let text = place.run(&["diff", "old.pdf", "new.pdf"]).stdout;
    assert!(text.contains("Page 3 (was page 2):\n  … The price is [-400-] {+450+} crowns and"), "{text}");
    let same = place.run(&["diff", "new.pdf", "new.pdf"]).stdout;
    assert!(same.starts_with("new.pdf against new.pdf: 4 pages. No page differs.\n"), "{same}");
}

#[test]
fn versions_without_anything_in_common_are_compared_too() {
    let place = Place::new();
    place.file("old.pdf", document(&[FIRST, PRICE]));
    place.file("new.pdf", document(&[ADDED]));
    place.file("empty.pdf", pages_of(&[""]));
    let (_, found) = place.json(&["diff", "old.pdf", "new.pdf"]);
    assert_eq!((&found["changed"][0]["page"], &found["removed"]), (&json!(1), &json!("1")), "{found}");
    let (_, found) = place.json(&["diff", "empty.pdf", "new.pdf"]);
    assert_eq!(found["changed"][0]["words"][0]["old"], "", "{found}");
    let (_, code, message) = place.refused(&["diff", "old.pdf", "gone.pdf"]);
    assert_eq!((code.as_str(), message.as_str()), ("file_not_found", "File not found: gone.pdf"));
    place.file("notes.txt", "no PDF");
    assert_eq!(place.refused(&["diff", "notes.txt", "new.pdf"]).0, 1);
}

#[test]
fn words_that_added_pages_replace_are_deleted_and_not_passed_over() {
    let place = Place::new();
    place.file("old.pdf", document(&[PRICE]));
    place.file("new.pdf", document(&[FIRST, ADDED, LAST]));
    let (_, found) = place.json(&["diff", "old.pdf", "new.pdf"]);
    let words = found["changed"].as_array().unwrap().iter().flat_map(|page| page["words"].as_array().unwrap());
    let old = words.map(|word| word["old"].as_str().unwrap()).collect::<Vec<_>>().join(" ");
    assert!(old.contains("400 crowns") && old.contains("else is due."), "{found}");
}

#[test]
fn many_moves_and_changes_are_counted_beyond_a_bound() {
    let place = Place::new();
    let page = |version: &str| {
        let words = (0..50).map(|at| format!("a{at} b{at} c{at} x{at}{version}")).collect::<Vec<_>>();
        let lines = words.chunks(3).map(|line| line.join(" ")).collect::<Vec<_>>();
        lines_of(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let all = |pages: &[String]| pages_of(&pages.iter().map(String::as_str).collect::<Vec<_>>());
    place.file("old.pdf", all(&[page("old")]));
    place.file("new.pdf", all(&[page("new")]));
    let (_, found) = place.json(&["diff", "old.pdf", "new.pdf"]);
    let changed = &found["changed"][0];
    assert_eq!((changed["words"].as_array().unwrap().len(), &changed["morePlaces"]), (40, &json!(10)), "{found}");
    let text = place.run(&["diff", "old.pdf", "new.pdf"]).stdout;
    assert!(text.contains("10 places more on this page"), "{text}");
    let pages = (0..33).map(|at| lines_of(&[&format!("Page of the {at} apples.")])).collect::<Vec<_>>();
    let reversed = pages.iter().rev().cloned().collect::<Vec<_>>();
    place.file("old.pdf", all(&pages));
    place.file("new.pdf", all(&reversed));
    let (_, found) = place.json(&["diff", "old.pdf", "new.pdf"]);
    let moved = found["moved"].as_str().unwrap();
    assert!(moved.matches(" now ").count() == 30 && moved.ends_with(" more"), "{moved}");
}

#[test]
fn a_new_image_is_named_and_a_page_that_is_drawn_otherwise_is_told_from_it() {
    let place = Place::new();
    let image = |gray: u8| format!("q 50 0 0 50 20 20 cm BI /W 1 /H 1 /BPC 8 /CS /G ID {} EI Q\n", char::from(gray));
    let words = lines_of(FIRST);
    let rule = |width: u8| format!("{width} w 20 100 m 300 150 l S\n");
    let version = |gray: u8, width: u8| pages_of(&[&[words.as_str(), &image(gray)].concat(), &rule(width)]);
    place.file("old.pdf", version(b'1', 1));
    place.file("new.pdf", version(b'2', 3));
    let (_, found) = place.json(&["diff", "old.pdf", "new.pdf"]);
    let page = json!({
        "page": 1, "was": 1, "words": [], "newImages": ["new.pdf#image=1.1"], "lostImages": 1,
    });
    assert_eq!((&found["changed"], &found["redrawn"]), (&json!([page]), &json!("2")), "{found}");
}

#[test]
fn get_file_gives_the_changed_pages_alone_and_records_nothing_without_pages() {
    let place = Place::new();
    let (old, new) = (place.copied("report-v1.pdf"), place.copied("report-v2.pdf"));
    let asked = |more: &[&str]| {
        let arguments = [&["get-file", &new, "--against", &old, "--as", "text", "--conversation", "c"], more].concat();
        let (status, result) = place.json(&arguments);
        assert_eq!(status, 0, "{result}");
        (texts(&result), result)
    };
    let (said, result) = asked(&[]);
    assert!(said[0].contains("Page 2:\n  … Output The mill made [-1,240-] {+1,385+} reams"), "{said:?}");
    assert_eq!(result["details"]["versions"]["unchanged"], "1,3-4");
    let (said, result) = asked(&["--pages", "1,3"]);
    assert!(said[0].ends_with("Pages 1,3 do not differ."), "{said:?}");
    assert!(result["details"]["sent"].as_array().is_none_or(Vec::is_empty), "{result}");
    let (said, result) = asked(&["--pages", "1-4"]);
    assert!(said[0].contains("[-1,240-] {+1,385+}") && said[1].contains("--- Page 2"), "{said:?}");
    // What was said of the changes does not count as given.
    let details = &result["details"];
    assert_eq!((&details["sent"][0]["page"], &details["readSoFar"]), (&json!(2), &json!("2")), "{result}");
    assert_eq!(place.refused(&["get-file", &new, "--against", &fixture("notes.txt")]).0, 1);
}

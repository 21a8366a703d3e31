//! Many pages drawn at once: a file each, or side by side.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::fs;

use serde_json::json;

use crate::support::mcp::Client;
use crate::support::program::{Place, kinds, texts};
use crate::support::small_pdf;

fn names(place: &Place, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(folder)).unwrap();
    let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
    names.sort();
    names
}

#[test]
fn a_command_draws_several_pages_into_a_folder() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let (status, drawn) = place.json(&["render", &pdf, "7-12,label:ii", "--dpi", "72"]);
    assert_eq!(status, 0, "{drawn}");
    assert_eq!(names(&place, "latex-pages"), ["latex-page2.png", "latex-page7.png", "latex-page8.png"]);
    assert_eq!(drawn["notes"][0], "The document ends with page 8: '7-12' is taken as 7-8.");
    let pages = drawn["pictures"].as_array().unwrap().iter().map(|picture| picture["page"].as_u64().unwrap());
    assert_eq!(pages.collect::<Vec<_>>(), [2, 7, 8]);
    place.json(&["render", &pdf, "2", "--dpi", "72", "--out", "alone.png"]);
    let alone = fs::read(place.path("alone.png")).unwrap();
    assert_eq!(fs::read(place.path("latex-pages/latex-page2.png")).unwrap(), alone, "the same picture as alone");
    let run = place.run(&["render", &pdf, "1-2", "--dpi", "72", "--out", "two"]);
    assert_eq!(run.stdout, "Pages 1-2 of 8 written to two/: 23 kB\n");
    assert_eq!(names(&place, "two"), ["latex-page1.png", "latex-page2.png"]);
    assert_eq!(place.json(&["render", &pdf, "1", "--dpi", "72"]).1["file"], "latex-page1.png");
}

#[test]
fn a_page_that_cannot_be_drawn_does_not_stop_the_others() {
    let place = Place::new();
    let huge = String::from_utf8(small_pdf(3)).unwrap().replacen("0 0 102 100", "0 0 60000 60000", 1);
    let pdf = place.file("huge.pdf", huge);
    let (status, drawn) = place.json(&["render", &pdf, "--dpi", "72"]);
    assert_eq!((status, &drawn["failed"][0]["page"]), (2, &json!(2)), "{drawn}");
    assert_eq!(names(&place, "huge-pages"), ["huge-page1.png", "huge-page3.png"]);
}

#[test]
fn a_contact_sheet_shows_pages_side_by_side() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let (status, sheet) = place.json(&["render", &pdf, "--contact-sheet"]);
    assert_eq!(
        (status, &sheet["file"], &sheet["pageNumbers"]),
        (0, &json!("latex-sheet.png"), &json!("1-8")),
        "{sheet}"
    );
    assert_eq!((&sheet["width"], &sheet["height"]), (&json!(1_568), &json!(1_152)));
    assert!(fs::read(place.path("latex-sheet.png")).unwrap().starts_with(b"\x89PNG"));
    let long = place.file("long.pdf", small_pdf(31));
    let (_, sheet) = place.json(&["render", &long, "--contact-sheet"]);
    assert_eq!(sheet["pageNumbers"], "1-30");
    assert_eq!(sheet["notes"][0], "At most 30 pages are drawn at once; page 31 is left. Next: --pages 31.");
}

#[test]
fn a_client_gets_the_files_of_several_pages_or_a_sheet_and_hears_of_each() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let mut client = Client::start(&place, "tests");
    let several = json!({
        "name": "pdf_render_page",
        "arguments": { "path": pdf, "page": "1-3", "dpi": 72 },
        "_meta": { "progressToken": "t" },
    });
    let id = client.send("tools/call", several);
    let messages = client.receive_all(id);
    let (answer, heard) = messages.split_last().unwrap();
    let last = &heard.last().unwrap()["params"];
    assert_eq!((&last["progressToken"], &last["total"]), (&json!("t"), &json!(3.0)), "{last}");
    let text = texts(&answer["result"]).concat();
    assert!(text.starts_with("Rendered pages 1-3 to ") && text.contains("-page3.png: 419x595, "), "{text}");
    assert!(
        text.ends_with("To see them at once, ask with contact_sheet: true; to see one, ask for it alone."),
        "{text}"
    );
    let sheet = client.call("pdf_render_page", json!({ "path": pdf, "page": "1-3", "contact_sheet": true }));
    assert_eq!(kinds(&sheet), ["text", "image"]);
    let saved = texts(&sheet)[0].lines().next().unwrap_or_default().to_owned();
    assert!(
        saved.starts_with("Pages 1-3 rendered side by side and saved to: ") && saved.contains("-sheet-"),
        "{saved}"
    );
    let long = place.file("long.pdf", small_pdf(101));
    let cut = texts(&client.call("pdf_render_page", json!({ "path": long, "page": "1-101", "dpi": 72 }))).concat();
    assert!(
        cut.contains("At most 100 pages are drawn at once; page 101 is left. Next call: pdf_render_page {"),
        "{cut}"
    );
}

#[test]
fn one_worker_draws_many_pages_without_waiting_for_another() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let mut client = Client::start_with_one_worker(&place);
    let drawn = client.call("pdf_render_page", json!({ "path": pdf, "page": "1-8", "dpi": 72 }));
    assert!(texts(&drawn)[0].starts_with("Rendered pages 1-8 to "), "{drawn}");
}

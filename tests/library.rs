//! Ranked search: the best pages of many documents, as the files are at each search.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use std::collections::BTreeMap;
use std::sync::Arc;

use pagewise::context::{AnswerSettings, NoProgress, RankedHits, RankedRequest};
use pagewise::worker::{OcrMode, RecognitionBudget};
use pagewise_base::limits::Cancellation;
use serde_json::{Value, json};

use crate::support::context_bench::{Bench, pages};
use crate::support::mcp::Client;
use crate::support::pdf::{lines_of, pages_of};
use crate::support::program::{Place, texts};

fn request(bench: &Bench, query: &str) -> RankedRequest {
    RankedRequest {
        paths: vec![bench.folder.path().display().to_string()],
        query: query.to_owned(),
        max_hits: 10,
        language: None,
        dates: None,
        pages: Vec::new(),
        ocr: OcrMode::Auto,
        recognition: Arc::new(RecognitionBudget::of_search()),
        conversation: Some("c".parse().unwrap()),
        deadline: None,
        cancellation: Cancellation::new(),
    }
}

fn ranked(bench: &Bench, query: &str) -> RankedHits {
    bench.context.search_ranked(&request(bench, query), &NoProgress).unwrap()
}

/// The hits as file names with page numbers.
fn names(hits: &RankedHits) -> Vec<String> {
    let name = |file: &str| file.rsplit('/').next().unwrap_or_default().to_owned();
    hits.hits.iter().map(|hit| format!("{} {}", name(&hit.file), hit.page.number())).collect()
}

#[test]
fn a_search_follows_the_files() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["about windmills", "about rivers"]);
    bench.pdf("b.pdf", &["about harbours"]);
    assert_eq!(names(&ranked(&bench, "rivers")), ["a.pdf 2"]);
    bench.pdf("c.pdf", &["about volcanoes"]);
    assert_eq!(names(&ranked(&bench, "volcanoes")), ["c.pdf 1"], "added");
    bench.pdf("c.pdf", &["nothing", "about glaciers"]);
    assert_eq!(names(&ranked(&bench, "glaciers")), ["c.pdf 2"], "changed");
    assert_eq!(names(&ranked(&bench, "volcanoes")), Vec::<String>::new(), "changed");
    std::fs::rename(bench.folder.path().join("c.pdf"), bench.folder.path().join("d.pdf")).unwrap();
    assert_eq!(names(&ranked(&bench, "glaciers")), ["d.pdf 2"], "renamed");
    std::fs::remove_file(bench.folder.path().join("d.pdf")).unwrap();
    assert_eq!(names(&ranked(&bench, "glaciers")), Vec::<String>::new(), "removed");
    assert_eq!(bench.context.index_status().0.files, 2);
    assert_eq!(names(&ranked(&bench, "windmill")), ["a.pdf 1"]);
}

#[test]
fn a_hit_says_whether_the_conversation_holds_it_and_copies_are_named_once() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["about windmills"]);
    bench.pdf("same.pdf", &["about windmills"]);
    let before = ranked(&bench, "windmills");
    assert_eq!((before.hits.len(), before.hits[0].copies.len(), before.hits[0].is_held), (1, 1, false));
    assert_eq!((before.documents, before.pages), (2, 2));
    bench.given(&before.hits[0].file, pages("1"));
    assert!(ranked(&bench, "windmills").hits[0].is_held);
}

#[test]
fn what_cannot_be_searched_is_named() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["about windmills", "mute 2"]);
    std::os::unix::fs::symlink("nowhere", bench.folder.path().join("link.pdf")).unwrap();
    let found = ranked(&bench, "windmills");
    assert_eq!(found.unread.iter().map(|(_, why)| why.as_str()).collect::<Vec<_>>(), ["a link to nothing"]);
    assert_eq!(found.without_text.iter().map(|(_, pages)| *pages).collect::<Vec<_>>(), [1]);
}

#[test]
fn nothing_outside_of_the_searched_folder_is_found() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.folder.path().join("in")).unwrap();
    bench.pdf("secret.pdf", &["about windmills"]);
    bench.pdf("in/a.pdf", &["about windmills too"]);
    assert_eq!(ranked(&bench, "windmills").hits.len(), 2);
    let inside = RankedRequest {
        paths: vec![bench.folder.path().join("in").display().to_string()],
        ..request(&bench, "windmills")
    };
    assert_eq!(names(&bench.context.search_ranked(&inside, &NoProgress).unwrap()), ["a.pdf 1"]);
}

#[test]
fn documents_are_filtered_by_the_date_that_they_or_their_files_have() {
    let place = Place::new();
    place.copied("latex.pdf");
    let undated = place.file("undated.pdf", pages_of(&[&lines_of(&["one sheet and its fold"])]));
    let file = std::fs::File::options().write(true).open(place.path(&undated)).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(946_684_800)).unwrap();
    let of = |dates: &str| {
        let (_, found) = place.json(&["search", ".", "sheet fold", "--ranked", "--dates", dates]);
        let hits = found["hits"].as_array().unwrap().clone();
        let file =
            hits.first().map(|hit| format!("{} {}", hit["file"].as_str().unwrap(), hit["date"].as_str().unwrap()));
        (found["documents"].as_u64().unwrap(), file.unwrap_or_default())
    };
    assert_eq!(of("2000-01-01"), (1, "./undated.pdf 2000-01-01".to_owned()));
    assert_eq!(of("2024-03"), (1, "./latex.pdf 2024-03-01".to_owned()));
    assert_eq!(of("..1999"), (0, String::new()));
    assert_eq!(of("1999..2024").0, 2);
    assert_eq!(place.refused(&["search", ".", "fold", "--ranked", "--dates", "spring"]).1, "validation_error");
}

#[test]
fn passages_have_boxes_where_they_are_asked_for() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let (_, plain) = place.json(&["search", &pdf, "counting leaves", "--ranked"]);
    assert!(plain["hits"][0].get("boxes").is_none(), "{plain}");
    let arguments = json!({ "path": pdf, "query": "counting leaves", "ranked": true, "boxes": true });
    let told = Client::start(&place, "probe").call("pdf_search", arguments);
    assert_eq!(told["structuredContent"]["hits"][0]["boxes"][0].as_array().map(Vec::len), Some(4), "{told}");
    let (_, boxed) = place.json(&["search", &pdf, "counting leaves", "--ranked", "--boxes"]);
    let boxes = boxed["hits"][0]["boxes"].as_array().unwrap();
    let (_, exact) = place.json(&["search", &pdf, "Counting leaves", "--pages", &boxed["hits"][0]["page"].to_string()]);
    let page = &exact["pages"].as_array().unwrap()[0];
    assert!(page["hits"].as_array().unwrap().iter().any(|hit| hit["boxes"][0] == boxes[0]), "{boxes:?} {page}");
    let refused = place.run(&["search", &pdf, "leaves", "--dates", "2024"]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
}

#[test]
fn a_search_without_time_says_how_much_is_left_and_the_next_goes_on() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["about windmills"]);
    let late = RankedRequest { deadline: Some(std::time::Instant::now()), ..request(&bench, "windmills") };
    let found = bench.context.search_ranked(&late, &NoProgress).unwrap();
    assert_eq!((found.left, found.hits.len()), (1, 0));
    assert_eq!(ranked(&bench, "windmills").left, 0);
    let cancelled = request(&bench, "windmills");
    cancelled.cancellation.cancel();
    bench.pdf("b.pdf", &["more"]);
    assert!(bench.context.search_ranked(&cancelled, &NoProgress).is_err());
}

#[test]
fn pages_that_no_search_recognised_are_named_and_read_again_by_one_that_may() {
    let place = Place::new();
    place.file("scan.pdf", std::fs::read("fixtures/scan.pdf").unwrap());
    place.copied("latex.pdf");
    let search = |ocr: &str| {
        let run = place.run(&["search", ".", "leaves", "--ranked", "--ocr", ocr, "--set", "index=disk"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stderr.contains("1 page without usable text was not read by OCR, since --ocr never was given.")
    };
    assert_eq!([search("never"), search("never")], [true, true]);
    // It is recognised, or nothing is there to recognise it: then nothing is left to another search either.
    assert_eq!([search("auto"), search("never")], [false, false]);
}

#[test]
fn documents_in_other_languages_are_not_counted_as_searched() {
    let bench = Bench::new();
    let german = "Die Windmühle steht auf dem Hügel und wird von dem Müller und seiner Frau betrieben. ".repeat(9);
    let english = "The windmill stands on the hill and is run by the miller and his wife for the village. ".repeat(9);
    bench.pdf("a.pdf", &[&german]);
    bench.pdf("b.pdf", &[&english, &english]);
    let found = |language: &str| {
        let request = RankedRequest { language: Some(language.to_owned()), ..request(&bench, "windmill windmühle") };
        let found = bench.context.search_ranked(&request, &NoProgress).unwrap();
        (found.documents, found.pages, found.hits.len())
    };
    assert_eq!(found("deu"), (1, 1, 1));
    assert_eq!(found("eng"), (1, 2, 1));
    assert_eq!(found("fra"), (0, 0, 0));
}

#[test]
fn documents_that_have_no_room_in_the_index_are_counted() {
    let bench = Bench::with(AnswerSettings { max_index_bytes: 0, ..AnswerSettings::default() });
    bench.pdf("a.pdf", &["about windmills"]);
    assert_eq!(ranked(&bench, "windmills").left, 1);
}

#[test]
fn pages_beyond_the_text_of_one_document_are_counted_and_not_taken_for_scans() {
    let bench = Bench::with(AnswerSettings { max_indexed_text_bytes: 1, ..AnswerSettings::default() });
    bench.pdf("a.pdf", &["about windmills", "about rivers", "about harbours"]);
    let found = ranked(&bench, "about");
    assert_eq!(found.too_long.iter().map(|(_, pages)| *pages).collect::<Vec<_>>(), [2]);
    assert_eq!((found.pages, found.hits.len(), found.without_text.len()), (1, 1, 0));
}

/// A folder of two books.
fn shelf(place: &Place) {
    std::fs::create_dir(place.path("shelf")).unwrap();
    let first = pages_of(&[&lines_of(&["Of piracy"]), &lines_of(&["The harbour permit costs 39.83 a day."])]);
    place.file("shelf/one.pdf", first);
    place.file("shelf/two.pdf", pages_of(&[&lines_of(&["A harbour is a place for ships.", "A permit is a paper."])]));
    place.file("shelf/broken.pdf", "no PDF");
}

const KEPT: [&str; 2] = ["--set", "index=disk"];

fn hits(found: &Value) -> Vec<String> {
    let hits = found["hits"].as_array().unwrap();
    hits.iter().map(|hit| format!("{} {}", hit["file"].as_str().unwrap(), hit["page"])).collect()
}

#[test]
fn the_command_ranks_pages_over_documents() {
    let place = Place::new();
    shelf(&place);
    let run = place.run(&["search", "shelf", "what does a harbour permit cost", "--ranked"]);
    insta::assert_snapshot!(run.stdout);
    let (status, found) = place.json(&["search", "shelf", "39.83", "--ranked"]);
    assert_eq!((status, hits(&found)), (0, vec!["shelf/one.pdf 2".to_owned()]));
    assert_eq!((&found["documents"], &found["pages"]), (&json!(2), &json!(3)));
    assert_eq!(found["unread"], json!([{ "path": "shelf/broken.pdf", "problem": "not a PDF" }]));
    assert!(!place.path("data/index").exists(), "kept in memory");
    for (other, refused) in [("--regex", "regex"), ("--case-sensitive", "case-sensitive")] {
        let (_, code, message) = place.refused(&["search", "shelf", "x", "--ranked", other]);
        assert_eq!((code.as_str(), message.contains(refused)), ("validation_error", true), "{message}");
    }
}

#[test]
fn patterns_and_lists_name_documents() {
    let place = Place::new();
    shelf(&place);
    std::fs::create_dir(place.path("shelf/deep")).unwrap();
    place.file("shelf/deep/three.pdf", pages_of(&[&lines_of(&["A third harbour permit."])]));
    let ranked = |paths: &[&str]| {
        let (status, found) = place.json(&[&["search"], paths, &["harbour permit", "--ranked"], &KEPT[..]].concat());
        let mut hits = hits(&found);
        hits.sort();
        (status, hits.join(", "), found["unread"].clone())
    };
    let nothing = json!([]);
    for _ in ["the first time", "from the index"] {
        let two = "shelf/one.pdf 2, shelf/two.pdf 1";
        assert_eq!(ranked(&["shelf/[ot]*.pdf"]), (0, two.to_owned(), nothing.clone()));
        assert_eq!(ranked(&["shelf/*/*.pdf"]), (0, "shelf/deep/three.pdf 1".to_owned(), nothing.clone()));
        assert_eq!(
            ranked(&["shelf/**/t*.pdf"]),
            (0, "shelf/deep/three.pdf 1, shelf/two.pdf 1".to_owned(), nothing.clone())
        );
        assert_eq!(ranked(&["shelf/one.pdf", "shelf/two.pdf"]), (0, two.to_owned(), nothing.clone()));
    }
    let missing = json!([{ "path": "shelf/four.pdf", "problem": "no such file" }]);
    assert_eq!(ranked(&["shelf/one.pdf", "shelf/four.pdf"]), (0, "shelf/one.pdf 2".to_owned(), missing));
    std::fs::remove_file(place.path("shelf/two.pdf")).unwrap();
    assert_eq!(
        ranked(&["shelf/t*.pdf", "shelf/one.pdf"]),
        (0, "shelf/one.pdf 2".to_owned(), { json!([{ "path": "shelf/t*.pdf", "problem": "no such file" }]) })
    );
    std::fs::remove_file(place.path("shelf/deep/three.pdf")).unwrap();
    assert_eq!(ranked(&["shelf/**/*.pdf"]).1, "shelf/one.pdf 2");
    assert_eq!(place.json(&["index", "status"]).1["files"], 2, "one and broken");
    for paths in [["shelf/on.pdf"].as_slice(), &["shelf/*.txt"], &["a", "b"]] {
        let (_, code, message) = place.refused(&[&["search"], paths, &["permit", "--ranked"]].concat());
        assert_eq!((code, message), ("file_not_found".to_owned(), format!("File not found: {}", paths[0])));
    }
}

#[test]
fn an_index_on_disk_is_used_again_and_made_anew_if_it_is_damaged() {
    let place = Place::new();
    shelf(&place);
    let search = || place.json(&[&["search", "shelf", "harbour permit", "--ranked"], &KEPT[..]].concat()).1;
    let first = search();
    let (_, status) = place.json(&["index", "status"]);
    assert_eq!((&status["files"], &status["documents"], &status["pages"]), (&json!(3), &json!(2), &json!(3)));
    assert_eq!(search(), first);
    std::fs::write(place.path("data/index/index.sqlite"), "damaged").unwrap();
    let after = search();
    assert_eq!(after["hits"], first["hits"]);
    assert!(after["notes"].to_string().contains("rebuilt"), "{}", after["notes"]);
    assert_eq!(search(), first);
    place.json(&["index", "clear"]);
    assert_eq!(place.json(&["index", "status"]).1["documents"], 0);
    assert_eq!(place.json(&["index", "add", "shelf"]).1["documents"], 2);
    assert_eq!(search(), first);
}

#[test]
fn several_processes_share_an_index() {
    let place = Place::new();
    shelf(&place);
    let found = std::thread::scope(|scope| {
        let search = || place.json(&[&["search", "shelf", "harbour permit", "--ranked"], &KEPT[..]].concat()).1;
        let started = (0..4).map(|_| scope.spawn(search)).collect::<Vec<_>>();
        started.into_iter().map(|one| hits(&one.join().unwrap())).collect::<Vec<_>>()
    });
    assert_eq!(found, vec![found[0].clone(); 4]);
    assert_eq!(found[0].len(), 2);
    assert_eq!(place.json(&["index", "status"]).1["files"], 3);
}

#[test]
fn a_server_ranks_too() {
    let place = Place::new();
    shelf(&place);
    let mut client = Client::start(&place, "tester");
    let result = client.call("pdf_search", json!({ "path": "shelf", "query": "harbour permit", "ranked": true }));
    assert!(texts(&result)[0].starts_with("Best 2 pages for \"harbour permit\", of 2 documents (3 pages): shelf"));
    let structured: BTreeMap<String, Value> = serde_json::from_value(result["structuredContent"].clone()).unwrap();
    assert_eq!(structured["hits"].as_array().map(Vec::len), Some(2));
}

//! Scans: which pages have text of their own, and what an answer says of the others.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use std::sync::Arc;

use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, LayerWord, ReadAt};
use pagewise_text::page_text;
use serde_json::{Value, json};

use crate::support::fixture;
use crate::support::program::Place;

/// The sources of pages in an answer.
fn sources(result: &Value) -> Vec<&str> {
    result["pages"].as_array().unwrap().iter().map(|page| page["source"].as_str().unwrap()).collect()
}

#[test]
fn a_page_without_text_is_unread_and_a_hidden_layer_is_text() {
    let place = Place::new();
    for mode in ["auto", "never"] {
        let (status, result) = place.json(&["text", &fixture("scan.pdf"), "--ocr", mode]);
        assert_eq!((status, sources(&result)), (0, vec!["unread", "text"]), "{mode}");
        assert_eq!(result["pages"][0]["text"], "");
        assert!(result["pages"][1]["text"].as_str().unwrap().starts_with("SCANNED SHEET 2 OF 2"));
        assert_eq!(result["sources"], json!({"text": 1, "recognised": 0, "unread": 1}), "{mode}");
        assert!(!result["notes"].to_string().contains("ecognised"), "{mode}: {result}");
    }
}

#[test]
fn without_an_engine_pages_that_must_be_recognised_keep_their_own_text_with_a_note() {
    let place = Place::new();
    let (status, result) = place.json(&["text", &fixture("scan.pdf"), "--ocr", "always"]);
    assert_eq!((status, sources(&result)), (0, vec!["unread", "text"]));
    let notes = result["notes"].to_string();
    assert!(notes.contains("Not read by OCR: pages 1-2: OCR is not available"), "{notes}");
}

#[test]
fn pages_beyond_the_bound_of_a_call_are_named_with_the_next_call() {
    let place = Place::new();
    let (_, result) = place.json(&["text", &fixture("scan.pdf"), "--ocr", "always", "--set", "ocr_max_pages=1"]);
    let notes = result["notes"].to_string();
    assert!(
        notes.contains("beyond the page limit of one call (ocr_max_pages): page 2. Next call with pages: \\\"2\\\"."),
        "{notes}"
    );
    let told = place.run(&["text", &fixture("scan.pdf"), "--ocr", "always", "--set", "ocr_max_pages=1"]).stderr;
    assert!(told.contains("(ocr_max_pages): page 2. Next call with --pages 2.\n"), "{told}");
}

#[test]
fn pages_for_which_a_call_has_no_time_are_named() {
    let (place, scan) = (Place::new(), fixture("scan.pdf"));
    let (status, found) = place.json(&["search", &scan, "sheet", "--set", "ocr_search_ms=0"]);
    assert_eq!((status, &found["notRecognised"], &found["withoutText"]), (0, &json!("1-2"), &json!("1")), "{found}");
    let told = place.run(&["search", &scan, "sheet", "--set", "ocr_search_ms=0"]).stderr;
    assert!(told.contains("(ocr_search_ms): pages 1-2. Search the rest with --pages 1-2.\n"), "{told}");
    let pages_searched = |query: &str| {
        let (_, found) = place.json(&["search", &scan, query, "--set", "ocr_search_ms=0"]);
        found["searchedPages"].clone()
    };
    assert_eq!([pages_searched("sheet"), pages_searched("zebra")], [json!(1), json!(0)], "the layer was not checked");
    let (_, found) = place.json(&["search", &scan, "sheet", "--ocr", "never", "--set", "ocr_search_ms=0"]);
    assert_eq!(found["notRecognised"], "", "nobody asked for it: {found}");
    let arguments = ["get-file", &scan, "--pages", "1-2", "--as", "text", "--set", "ocr_max_ms=0"];
    let (_, answer) = place.json(&arguments);
    let notes = answer["details"]["notes"].to_string();
    assert!(
        notes.contains("beyond the time limit of one call (ocr_max_ms): pages 1-2. Next call: get_file {"),
        "{answer}"
    );
}

#[cfg(feature = "ocr")]
#[test]
fn damaged_models_are_named_and_the_rest_of_the_answer_is_whole() {
    let place = Place::new();
    std::fs::create_dir(place.path("models")).unwrap();
    place.file("models/det.onnx", "no model");
    place.file("models/rec.onnx", [0xff; 64]);
    let setting = format!("ocr_models={}", place.path("models").display());
    let scan = fixture("scan.pdf");
    let (status, result) = place.json(&["text", &scan, "--ocr", "auto", "--set", &setting]);
    assert_eq!((status, sources(&result)), (0, vec!["unread", "text"]));
    let names_model =
        |result: &Value| result["notes"].to_string().contains("the model for finding text cannot be used");
    assert!(names_model(&result), "{result}");
    let (_, unasked) = place.json(&["text", &scan, "--set", &setting]);
    assert!(!names_model(&unasked), "nothing is recognised unasked: {unasked}");
}

/// A field of a message of Protocol Buffers: a number, or bytes.
#[cfg(feature = "ocr")]
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
}

/// A model that makes a tensor of this shape.
#[cfg(feature = "ocr")]
fn model_of_tensor(shape: [i64; 2]) -> Vec<u8> {
    let number = |field: u8, value: u8| vec![field << 3, value];
    let node = [field(1, b"shape"), field(2, b"out"), field(4, b"ConstantOfShape")].concat();
    let sizes = shape.map(i64::to_le_bytes).concat();
    let constant = [number(1, 2), number(2, 7), field(9, &sizes), field(8, b"shape")].concat();
    let value = |name: &[u8]| [field(1, name), field(2, &field(1, &number(1, 1)))].concat();
    let graph = [field(1, &node), field(5, &constant), field(11, &value(b"in")), field(12, &value(b"out"))].concat();
    [number(1, 8), field(7, &graph), field(8, &number(2, 17))].concat()
}

#[cfg(feature = "ocr")]
#[test]
fn models_that_end_their_worker_do_not_keep_the_document_from_being_read() {
    let place = Place::new();
    std::fs::create_dir(place.path("models")).unwrap();
    let setting = format!("ocr_models={}", place.path("models").display());
    for (shape, reason) in [([1 << 17; 2], "worker_memory_bytes is"), ([2, 3], "its answer has another shape")] {
        place.file("models/det.onnx", model_of_tensor(shape));
        place.file("models/rec.onnx", model_of_tensor(shape));
        let (status, result) = place.json(&["text", &fixture("scan.pdf"), "--ocr", "always", "--set", &setting]);
        assert_eq!((status, sources(&result)), (0, vec!["unread", "text"]));
        let notes = result["notes"].to_string();
        assert!(notes.contains("Not read by OCR: pages 1-2: ") && notes.contains(reason), "{notes}");
        assert!(!notes.contains("cannot be read"), "{notes}");
        let (_, told) = place.json(&["doctor", "--set", &setting]);
        let problem = told["ocr"]["problem"].as_str();
        assert_eq!(problem.is_some_and(|problem| problem.contains(reason)), reason.starts_with("worker"), "{told}");
    }
}

/// Whether or not this system has the program: tests have switched it off.
#[test]
fn the_doctor_says_how_to_get_scans_recognised() {
    let place = Place::new();
    let remedy = |arguments: &[&str]| place.json(&[&["doctor"], arguments].concat()).1["ocr"]["remedy"].clone();
    assert_eq!(remedy(&[]), "set ocr_tesseract=true");
    assert_eq!(remedy(&["--no-sandbox"]), "run without --no-sandbox");
    let text = place.run(&["doctor"]).stdout;
    let is_row = |line: &str| line.starts_with("  to enable it ") && line.ends_with(" set ocr_tesseract=true");
    assert!(text.lines().any(is_row), "{text}");
    assert!(text.contains("  off: ocr_tesseract is false\n"), "{text}");
    assert!(place.run(&["doctor", "--no-sandbox"]).stdout.contains("  off: tesseract is not used with --no-sandbox\n"));
}

/// Whether or not this system has the program.
#[test]
fn a_language_that_tesseract_does_not_know_leaves_the_page_unread() {
    let place = Place::new();
    let (status, result) = place.json(&[
        "text",
        &fixture("scan.pdf"),
        "--ocr",
        "always",
        "--set",
        "ocr_language=tlh",
        "--set",
        "ocr_tesseract=true",
    ]);
    assert_eq!((status, sources(&result)), (0, vec!["unread", "text"]));
    let notes = result["notes"].to_string();
    let said = ["it does not know the language tlh", "OCR is not available"];
    assert!(said.iter().any(|reason| notes.contains(reason)), "{notes}");
}

#[test]
fn words_are_listed_in_their_boxes() {
    let place = Place::new();
    let (_, result) = place.json(&["text", &fixture("latex.pdf"), "1", "--boxes"]);
    let word = &result["pages"][0]["words"][0];
    assert_eq!(word["confidence"], 1.0);
    let edges: Vec<f64> = word["bbox"].as_array().unwrap().iter().map(|edge| edge.as_f64().unwrap()).collect();
    assert!(edges[0] < edges[2] && edges[1] < edges[3], "{word}");
    assert!(result["pages"][0]["text"].as_str().unwrap().contains(word["text"].as_str().unwrap()));
    let (_, result) = place.json(&["text", &fixture("latex.pdf"), "1"]);
    assert_eq!(result["pages"][0].get("words"), None);
}

fn open(bytes: Vec<u8>) -> Document {
    let source: Arc<dyn ReadAt> = Arc::new(bytes);
    Document::open(source, None, &Limits::default()).unwrap()
}

fn word(text: &str, x: f64, turn: f64) -> LayerWord {
    LayerWord { text: text.to_owned(), origin: [x, 100.0], turn, length: 60.0, size: 12.0 }
}

#[test]
fn a_text_layer_is_appended_to_the_file_and_read_back_as_a_hidden_layer() {
    let bytes = std::fs::read(fixture("scan.pdf")).unwrap();
    let document = open(bytes.clone());
    let layers = [(PageIndex(0), vec![word("Grüße", 50.0, 0.0), word("東京", 150.0, 0.0)])];
    let written = document.with_text_layer(&layers).unwrap();
    assert_eq!(written.get(..bytes.len()), Some(&bytes[..]), "the file itself stays");
    assert_eq!(document.with_text_layer(&layers).unwrap(), written, "the same bytes each time");
    let again = open(written);
    let text = page_text(&again, PageIndex(0), &Limits::default()).unwrap();
    assert_eq!((text.text.as_str(), text.has_hidden_layer()), ("Grüße 東京", true));
    let other = |document: &Document| page_text(document, PageIndex(1), &Limits::default()).unwrap();
    assert_eq!(other(&again), other(&document));
}

#[test]
fn a_text_layer_stands_upright_on_a_turned_page() {
    let document = open(std::fs::read(fixture("ghostscript.pdf")).unwrap());
    let turned =
        (0..document.page_count()).map(PageIndex).find(|page| document.page_geometry(*page).unwrap().rotate == 90);
    let page = turned.unwrap();
    let before = page_text(&document, page, &Limits::default()).unwrap().hidden;
    let written = document.with_text_layer(&[(page, vec![word("upright", 50.0, 0.0)])]).unwrap();
    let after = page_text(&open(written), page, &Limits::default()).unwrap();
    assert_eq!((before.as_str(), after.hidden.as_str()), ("", "upright"));
}

#[test]
fn nothing_is_appended_to_an_encrypted_file_or_beyond_its_pages() {
    let document = open(std::fs::read(fixture("scan.pdf")).unwrap());
    let beyond = document.with_text_layer(&[(PageIndex(9), Vec::new())]);
    assert_eq!(beyond, Err(DocumentError::PageOutOfRange { page: 10, page_count: 2 }));
    let encrypted = open(std::fs::read(fixture("encrypted-empty.pdf")).unwrap());
    assert_eq!(encrypted.with_text_layer(&[]), Err(DocumentError::UnsupportedEncryption));
}

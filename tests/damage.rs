//! What is said of a damaged file, in the words of whoever reads it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use pagewise_base::limits::Limits;
use pagewise_document::Document;
use std::sync::Arc;

/// What is said of a fixture without the bytes from one hundredth of it to another.
fn said_of(name: &str, from: usize, to: usize) -> Vec<String> {
    let mut bytes = std::fs::read(format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let length = bytes.len();
    bytes.drain(length * from / 100..length * to / 100);
    match Document::open(Arc::new(bytes), None, &Limits::default()) {
        Ok(document) => document.notes().iter().map(ToString::to_string).collect(),
        Err(error) => vec![format!("error: {error}")],
    }
}

/// What is wrong is said without the names of what was tried, and pages that are lost are said to be.
#[test]
fn damage_is_said_in_the_words_of_a_reader() {
    let cases = [
        ("incremental.pdf", 30, 100),
        ("incremental.pdf", 80, 100),
        ("libreoffice.pdf", 97, 100),
        ("form.pdf", 10, 100),
        ("form.pdf", 80, 100),
        ("form.pdf", 30, 50),
        ("form.pdf", 0, 5),
        ("latex.pdf", 50, 100),
    ];
    let said: Vec<String> = cases
        .into_iter()
        .flat_map(|(name, from, to)| {
            said_of(name, from, to).into_iter().map(move |said| format!("{name} without {from} to {to} %: {said}"))
        })
        .collect();
    let said = said.join("\n");
    for name in ["hayro", "lopdf", "qpdf", "the reader", "third", "startxref"] {
        assert!(!said.contains(name), "{said}");
    }
    insta::assert_snapshot!(said, @r#"
    incremental.pdf without 30 to 100 %: the file ends early; at most 3 of its pages can be read
    incremental.pdf without 80 to 100 %: the file ends early; it was repaired for reading, and what came after its end is missing
    libreoffice.pdf without 97 to 100 %: the file ends early; it was repaired for reading, and what came after its end is missing
    form.pdf without 10 to 100 %: error: the file ends early at byte 1796
    form.pdf without 80 to 100 %: the file ends early; it was repaired for reading, and what came after its end is missing
    form.pdf without 30 to 50 %: the file is damaged (an object that would stand past the end of the file at byte 16675); it was repaired for reading, and some of it may be missing
    form.pdf without 0 to 5 %: error: no PDF header in the first 1,024 bytes; the file begins with " /quotedblbase /"
    latex.pdf without 50 to 100 %: error: the file ends early at byte 118586
    "#);
}

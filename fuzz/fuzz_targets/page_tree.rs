//! Documents put together of any objects, a line each: page trees, labels, outlines, information.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::Document;
use std::sync::Arc;

#[path = "../../tests/support/mutate.rs"]
mod mutate;

fuzz_target!(|data: &[u8]| {
    let objects = (1..).zip(data.split(|byte| *byte == b'\n')).take(1_000);
    let objects = objects.map(|(number, line)| (number, [b" ", line, b" "].concat())).collect();
    let file = mutate::assembled(&objects, 1);
    let limits = Limits { max_pages: 10_000, ..Limits::default() };
    let Ok(document) = Document::open(Arc::new(file), None, &limits) else { return };
    assert!(document.page_count() <= 10_000);
    for page in (0..document.page_count().min(20)).map(PageIndex) {
        let _ = document.page_geometry(page);
        document.page_label(page);
    }
    assert!(document.outline(10).items.len() <= 10);
    document.info();
});

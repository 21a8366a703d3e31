//! A page that is cut is a document of one page, and cutting that page again changes nothing any more.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::Document;
use pagewise_split::cut;
use std::sync::Arc;

#[path = "../../tests/support/mutate.rs"]
mod mutate;

/// The file itself, and the file with its objects, lengths and offsets put right.
fn read(file: &[u8]) {
    let open = |file: &[u8]| Document::open(Arc::new(file.to_vec()), None, &Limits::default());
    let Ok(document) = open(file) else { return };
    for page in (0..document.page_count().min(2)).map(PageIndex) {
        let Ok(chunk) = cut(&document, page) else { continue };
        assert_eq!(cut(&document, page).as_ref(), Ok(&chunk), "the same page, the same bytes");
        let again = open(&chunk.bytes).expect("a page is a document");
        assert_eq!(again.page_count(), 1);
        let again = cut(&again, PageIndex(0)).expect("a page can be cut");
        let limits = Limits::default();
        assert_eq!(again.fingerprint(&limits).ok(), chunk.fingerprint(&limits).ok());
    }
}

fuzz_target!(|data: &[u8]| {
    read(data);
    let seed = data.len() as u64;
    read(&mutate::rebuilt(data, &mut mutate::Chance::new(seed)));
});

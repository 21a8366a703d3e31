//! Selections of pages: what is selected lies in the document, and printing and reading it again gives the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise_base::page::parse_page_selection;

fuzz_target!(|data: (u32, &str)| {
    let (page_count, text) = data;
    let Ok(selection) = parse_page_selection(text, page_count) else { return };
    let pages = selection.pages;
    assert!(pages.runs().all(|(_, last)| last.0 < page_count), "{text} of {page_count}");
    if !pages.is_empty() {
        let again = parse_page_selection(&pages.to_string(), page_count);
        assert_eq!(again.map(|again| (again.pages, again.is_cut)), Ok((pages, false)));
    }
});

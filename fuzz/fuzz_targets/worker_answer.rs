//! Whatever a worker says of a page is refused, or is valid and can be written as Markdown.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::worker::decode_page_facts;
use pagewise_structure::tables::to_markdown as table_markdown;
use pagewise_structure::{DocumentPage, read_document, to_markdown};

fuzz_target!(|data: &[u8]| {
    let Some(facts) = decode_page_facts(data) else { return };
    let regions =
        facts.structure.into_iter().chain(facts.recognition.into_iter().filter_map(|attempt| match attempt.outcome {
            pagewise::worker::Recognition::Page(page) => Some(page.regions),
            pagewise::worker::Recognition::OwnText | pagewise::worker::Recognition::Without(_) => None,
        }));
    for regions in regions {
        let tables = regions.tables;
        let pages = [DocumentPage { number: 1, label: None, structure: regions.structure, is_wanted: true }];
        let blocks = read_document(&pages, &[]);
        assert_eq!(to_markdown(&blocks, &|_, table| tables.get(table).map(table_markdown)).len(), blocks.len());
    }
});

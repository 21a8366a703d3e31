//! Files of very many incremental updates, and chains of cross references that lead nowhere.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support::pdf::file_of;
use pagewise_base::limits::{Limit, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, Tier};
use std::sync::Arc;

/// How an update says where its objects are.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Table,
    Stream,
    Hybrid,
}

const ROW_BYTES: usize = 7;

/// A row of a cross-reference stream for an object at `offset`.
fn row(offset: usize) -> [u8; ROW_BYTES] {
    let [a, b, c, d] = u32::try_from(offset).unwrap().to_be_bytes();
    [1, a, b, c, d, 0, 0]
}

/// A page as wide as the number of the update that wrote it.
fn page(width: usize) -> String {
    format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} 9]>>")
}

/// A file of two pages that was updated so often, each time one of the pages.
fn updated(times: usize, kind: Kind) -> Vec<u8> {
    let pages = "<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]>>".to_owned();
    let mut file = file_of(&["<</Type/Catalog/Pages 2 0 R>>".to_owned(), pages, page(1), page(1)]);
    let mut previous = find_last(&file, b"xref\n0 ");
    for update in 1..=times {
        let (number, offset) = (3 + update % 2, file.len());
        file.extend(format!("{number} 0 obj\n{}\nendobj\n", page(update)).bytes());
        let section = file.len();
        let stream = |entries: &str, start: usize| {
            let head = format!(
                "9 0 obj\n<</Type/XRef/Size 10/Root 1 0 R/W[1 4 2]{entries}/Length {}>>stream\n",
                2 * ROW_BYTES
            );
            [head.as_bytes(), &row(offset), &row(start), b"\nendstream\nendobj\n"].concat()
        };
        let index = format!("/Index[{number} 1 9 1]");
        let table = |entry: &str, more: &str| {
            format!("xref\n{number} 1\n{entry} \ntrailer\n<</Size 10/Root 1 0 R/Prev {previous}{more}>>\n")
        };
        previous = match kind {
            Kind::Table => {
                let table = table(&format!("{offset:010} 00000 n"), "");
                file.extend(table.bytes());
                section
            }
            Kind::Stream => {
                let stream = stream(&format!("{index}/Prev {previous}"), section);
                file.extend(stream);
                section
            }
            Kind::Hybrid => {
                let table = table("0000000000 00000 f", &format!("/XRefStm {section}"));
                file.extend(stream(&index, section));
                let at = file.len();
                file.extend(table.bytes());
                at
            }
        };
        file.extend(format!("startxref\n{previous}\n%%EOF\n").bytes());
    }
    file
}

fn find_last(file: &[u8], what: &[u8]) -> usize {
    file.windows(what.len()).rposition(|window| window == what).unwrap()
}

fn open(file: Vec<u8>, limits: &Limits) -> Result<Document, DocumentError> {
    Document::open(Arc::new(file), None, limits)
}

#[test]
fn a_file_of_twenty_thousand_updates_is_read_as_it_is_now() {
    for kind in [Kind::Table, Kind::Stream, Kind::Hybrid] {
        let document = open(updated(20_000, kind), &Limits::default()).unwrap();
        assert_eq!((document.tier(), document.page_count(), document.notes().len()), (Tier::Direct, 2, 0), "{kind:?}");
        let widths = [0, 1].map(|page| document.page_geometry(PageIndex(page)).unwrap().width_pt);
        assert_eq!(widths, [20_000.0, 19_999.0], "{kind:?}");
    }
}

#[test]
fn updates_are_counted() {
    let with = |max_xref_sections| Limits { max_xref_sections, ..Limits::default() };
    for kind in [Kind::Table, Kind::Stream, Kind::Hybrid] {
        assert!(open(updated(9, kind), &with(10)).is_ok(), "{kind:?}");
        let error = open(updated(10, kind), &with(10)).err();
        let is_it = |error| matches!(error, Some(DocumentError::Limit(limit)) if limit.which == Limit::XrefSections);
        assert!(is_it(error), "{kind:?}");
    }
}

/// A file whose newest table names itself as the one before it.
#[test]
fn a_chain_that_comes_back_to_itself_is_repaired() {
    let mut file = updated(1, Kind::Table);
    let at = file.len();
    file.extend(format!("xref\n0 0\ntrailer\n<</Size 9/Root 1 0 R/Prev {at}>>\nstartxref\n{at}\n%%EOF\n").bytes());
    let document = open(file, &Limits::default()).unwrap();
    assert_ne!(document.tier(), Tier::Direct);
    assert_eq!(document.page_count(), 2);
}

/// Tables that all name the same stream of many rows: read again for each, it would come to more than the file.
#[test]
fn sections_that_are_read_twice_are_no_chain() {
    let mut file = updated(0, Kind::Table);
    let mut previous = find_last(&file, b"xref\n0 ");
    let stream = file.len();
    let rows = vec![0; 100 * ROW_BYTES];
    file.extend(
        format!("9 0 obj\n<</Type/XRef/Size 200/W[1 4 2]/Index[50 100]/Length {}>>stream\n", rows.len()).bytes(),
    );
    file.extend(rows);
    file.extend(b"\nendstream\nendobj\n");
    for _ in 0..40 {
        let at = file.len();
        file.extend(format!("xref\n0 0\ntrailer\n<</Size 9/Root 1 0 R/Prev {previous}/XRefStm {stream}>>\n").bytes());
        previous = at;
    }
    file.extend(format!("startxref\n{previous}\n%%EOF\n").bytes());
    let document = open(file, &Limits::default()).unwrap();
    assert_ne!(document.tier(), Tier::Direct);
    assert_eq!(document.page_count(), 2);
}

/// Rows that are kept count together: each stream has other numbers, and few bytes.
#[test]
fn rows_of_all_sections_are_bounded() {
    let file = updated(60, Kind::Stream);
    let with = |max_decoded_bytes| open(file.clone(), &Limits { max_decoded_bytes, ..Limits::default() });
    let all = 60 * 2 * ROW_BYTES as u64;
    assert!(with(all).is_ok());
    assert!(matches!(with(all - 1), Err(DocumentError::Limit(limit)) if limit.which == Limit::DecodedBytes));
}

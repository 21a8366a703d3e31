//! Each limit holds exactly where it says: at N the document is read, at one less the error names the limit.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    reason = "a failed test may stop where it stands, and says what it measured where it is asked to"
)]

use std::sync::Arc;
use std::time::Duration;

use pagewise::worker::{InProcessReader, PdfError, Reader};
use pagewise_base::limits::{Cancellation, Deadline, Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, Tier};
use pagewise_render::NoFonts;

use super::support::hostile::{catalog, deflated, pages, stream, with};
use super::support::hostile_pages::streamed;
use super::support::{file_of, fixture, small_pdf};

/// Opens the document, cuts its first page and takes its text.
fn read(bytes: &[u8], limits: &Limits) -> Result<(), LimitExceeded> {
    let read = || {
        let document = InProcessReader::new(limits.clone(), Arc::new(NoFonts)).open(
            Arc::new(bytes.to_vec()),
            None,
            &Cancellation::new(),
        )?;
        document.cut(PageIndex(0))?;
        document.page_text(PageIndex(0)).map(|_| ())
    };
    match read() {
        Ok(()) => Ok(()),
        Err(PdfError::Limit(limit)) => Err(limit),
        Err(error) => panic!("{error}"),
    }
}

/// Finds the least value of a limit with which `bytes` can be read.
fn check(bytes: &[u8], which: &str, set: impl Fn(&mut Limits, u64)) -> u64 {
    let at = |value: u64| {
        let mut limits = Limits::default();
        set(&mut limits, value);
        read(bytes, &limits)
    };
    let (mut refused, mut enough) = (0, u64::from(u32::MAX));
    while enough - refused > 1 {
        let middle = refused.midpoint(enough);
        if at(middle).is_ok() { enough = middle } else { refused = middle }
    }
    assert_eq!(at(enough), Ok(()), "{which} at {enough}");
    let error = at(enough - 1).expect_err(which);
    assert_eq!((error.which.name(), error.limit), (which, enough - 1));
    assert!(error.found > error.limit, "{error:?}");
    enough
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap()
}

#[test]
fn limits_hold_at_n_and_at_one_more() {
    let latex = std::fs::read(fixture("latex.pdf")).unwrap();
    let size = u64::try_from(latex.len()).unwrap();
    assert_eq!(check(&latex, "max_file_bytes", |limits, value| limits.max_file_bytes = value), size);
    assert_eq!(check(&latex, "max_pages", |limits, value| limits.max_pages = small(value)), 8);
    assert_eq!(check(&latex, "max_filters", |limits, value| limits.max_filters = small(value)), 1);
    check(&latex, "max_nesting", |limits, value| limits.max_nesting = small(value));
    check(&latex, "max_object_values", |limits, value| limits.max_object_values = small(value));
    check(&latex, "max_stream_bytes", |limits, value| limits.max_stream_bytes = value);
    check(&latex, "max_decoded_bytes", |limits, value| limits.max_decoded_bytes = value);
    check(&latex, "max_page_objects", |limits, value| limits.max_page_objects = small(value));
    check(&latex, "max_page_bytes", |limits, value| limits.max_page_bytes = value);
    check(&latex, "max_text_bytes", |limits, value| limits.max_text_bytes = value);
    let updated = std::fs::read(fixture("incremental.pdf")).unwrap();
    check(&updated, "max_xref_sections", |limits, value| limits.max_xref_sections = small(value));
}

#[test]
fn a_tree_is_as_deep_and_a_reference_as_long_as_it_may_be() {
    let node = |kid: usize| format!("<</Type/Pages/Count 1/Kids[{kid} 0 R]>>");
    let tree = file_of(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        node(3),
        node(4),
        "<</Type/Page/MediaBox[0 0 9 9]>>".to_owned(),
    ]);
    check(&tree, "max_page_tree_depth", |limits, value| limits.max_page_tree_depth = small(value));
    let chain = file_of(&[
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/MediaBox 4 0 R>>",
        "5 0 R",
        "6 0 R",
        "[0 0 9 9]",
    ]);
    assert_eq!(check(&chain, "max_reference_hops", |limits, value| limits.max_reference_hops = small(value)), 2);
}

#[test]
fn pages_are_counted_before_they_are_believed() {
    let many = small_pdf(600);
    assert_eq!(check(&many, "max_pages", |limits, value| limits.max_pages = small(value)), 600);
}

#[test]
fn an_outline_is_counted_to_its_limit_and_says_when_it_goes_on() {
    let item = |next: &str| format!("<</Title(a)/Parent 4 0 R{next}>>");
    let file = file_of(&[
        "<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_owned(),
        "<</Type/Outlines/First 5 0 R/Last 7 0 R>>".to_owned(),
        item("/Next 6 0 R"),
        item("/Next 7 0 R"),
        item(""),
    ]);
    let counted = |max_outline_items: u32| {
        let limits = Limits { max_outline_items, ..Limits::default() };
        let outline = Document::open(Arc::new(file.clone()), None, &limits).unwrap().outline(100);
        (outline.total, outline.is_incomplete)
    };
    assert_eq!(counted(3), (3, false));
    assert_eq!(counted(2), (2, true));
}

#[test]
fn a_stream_may_grow_so_many_times_and_no_more() {
    let content = vec![b' '; 11_000_000];
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &content).unwrap();
    let data = encoder.finish().unwrap();
    let head = format!("<</Filter/FlateDecode/Length {}>>stream\n", data.len());
    let stream = [head.as_bytes(), &data, b"\nendstream"].concat();
    let objects = [
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>".to_vec(),
        stream,
    ];
    let file = super::support::mutate::assembled(&(1..).zip(objects).collect(), 1);
    let ratio = u64::try_from(content.len().div_ceil(data.len())).unwrap();
    let at = |max_ratio: u64| read(&file, &Limits { max_ratio, ..Limits::default() });
    assert_eq!(at(ratio), Ok(()));
    assert_eq!(at(ratio - 1), Err(LimitExceeded { which: Limit::Ratio, limit: ratio - 1, found: ratio }));
}

#[test]
fn an_object_stream_is_decoded_once_however_many_objects_come_out_of_it() {
    const COUNT: usize = 12_000;
    // Space between the table and the objects, so that the stream is large and the objects are not.
    let (mut table, mut objects) = (String::new(), String::new());
    for number in 5..5 + COUNT {
        table.push_str(&format!("{number} {} ", objects.len()));
        objects.push_str("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]>>\n");
    }
    let data = [table.as_bytes(), &vec![b' '; 13_000_000], objects.as_bytes()].concat();
    let first = data.len() - objects.len();
    let holder = stream(&format!("<</Type/ObjStm/N {COUNT}/First {first}/Filter/FlateDecode"), &deflated(&data));
    let kids = (5..5 + COUNT).map(|number| format!("{number} 0 R ")).collect::<String>();
    let entries = (0..COUNT).map(|_| (2, 4, 0)).collect::<Vec<_>>();
    let bodies = [catalog(""), pages(), with(&format!("/Annots[{kids}]")), holder];
    let file = streamed(&bodies, &entries, &format!("/W[1 4 2]/Size {}", COUNT + 5));
    let limits = Limits {
        deadline: Deadline::after(Duration::from_secs(600)),
        max_decoded_bytes: data.len() as u64 + 4_000_000,
        ..Limits::default()
    };
    let document = Document::open(Arc::new(file), None, &limits).unwrap();
    assert_eq!(document.tier(), Tier::Direct);
    assert_eq!(pagewise_split::cut(&document, PageIndex(0)).map(|chunk| chunk.tier), Ok(Tier::Direct));
}

//! Several pages as one PDF: each is the page that it is by itself, and what they share is there once.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use lopdf::{Document as Chunk, Object};
use pagewise::worker::{InProcessReader, PdfError, Reader};
use pagewise_base::limits::{Cancellation, Deadline, Limits, StopReason};
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_document::{Document, DocumentError, ReadAt};
use pagewise_render::NoFonts;
use pagewise_split::{Conflict, CutError, JoinError, JoinedPages, cut, join};
use serde_json::json;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::time::Duration;

use super::support::mutate::mutant;
use super::support::program::Place;
use super::support::{file_of, fixture, small_pdf};

/// PDFs among the fixtures whose pages are joined.
const FIXTURES: [&str; 12] = [
    "annotations.pdf",
    "cairo.pdf",
    "chromium.pdf",
    "cjk.pdf",
    "encrypted-empty.pdf",
    "form.pdf",
    "inherited.pdf",
    "latex.pdf",
    "layers.pdf",
    "libreoffice.pdf",
    "report-v1.pdf",
    "shared-resources.pdf",
];

fn open(bytes: impl ReadAt + 'static) -> Document {
    Document::open(Arc::new(bytes), None, &Limits::default()).unwrap()
}

fn fixture_of(name: &str) -> Document {
    open(std::fs::read(fixture(name)).unwrap())
}

fn set(numbers: &[u32]) -> PageSet {
    numbers.iter().map(|number| PageIndex(number - 1)).collect()
}

fn joined(document: &Document) -> JoinedPages {
    join(document, &PageSet::all(document.page_count())).unwrap()
}

/// A document whose catalog has these entries, of pages with these, 100 wide and more, objects 3 on; further objects
/// follow the pages.
fn document(catalog: &str, pages: &[&str], objects: &[&str]) -> Document {
    let kids = (0..pages.len()).map(|page| format!("{} 0 R", page + 3)).collect::<Vec<_>>().join(" ");
    let mut all = vec![
        format!("<</Type/Catalog/Pages 2 0 R{catalog}>>"),
        format!("<</Type/Pages/Kids[{kids}]/Count {}>>", pages.len()),
    ];
    let page =
        |(at, entries): (usize, &&str)| format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 {} 100]{entries}>>", 100 + at);
    all.extend(pages.iter().enumerate().map(page));
    all.extend(objects.iter().map(|object| (*object).to_owned()));
    open(file_of(&all))
}

fn stream(dictionary: &str, data: &str) -> String {
    format!("<<{dictionary}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

/// Objects of the file for which `is_wanted` holds.
fn count(file: &JoinedPages, is_wanted: impl Fn(&lopdf::Dictionary) -> bool) -> usize {
    let chunk = Chunk::load_mem(&file.bytes).unwrap();
    let dictionaries = chunk.objects.values().filter_map(|object| match object {
        Object::Dictionary(dictionary) => Some(dictionary),
        Object::Stream(stream) => Some(&stream.dict),
        _ => None,
    });
    dictionaries.filter(|dictionary| is_wanted(dictionary)).count()
}

fn has_type(kind: &'static str) -> impl Fn(&lopdf::Dictionary) -> bool {
    move |dictionary| dictionary.get(b"Type").and_then(Object::as_name).is_ok_and(|name| name == kind.as_bytes())
}

#[test]
fn each_page_of_a_joined_file_is_the_page_by_itself() {
    for name in FIXTURES {
        let document = fixture_of(name);
        let file = joined(&document);
        assert_eq!(file, joined(&fixture_of(name)), "{name} differs when it is joined again");
        let again = open(file.bytes.clone());
        assert_eq!(again.page_count(), document.page_count(), "{name}");
        let mut alone = 0;
        for page in (0..document.page_count()).map(PageIndex) {
            let one = cut(&document, page).unwrap();
            assert_eq!(cut(&again, page).unwrap().bytes, one.bytes, "{name} {page:?}");
            assert_eq!(again.page_label(page), document.page_label(page), "{name} {page:?}");
            alone += one.bytes.len();
        }
        let [together, alone] = [file.bytes.len(), alone];
        assert!(together < alone || document.page_count() == 1, "{name}: {together} bytes, {alone} by themselves");
    }
}

#[test]
fn a_page_alone_is_its_chunk() {
    let document = fixture_of("latex.pdf");
    assert_eq!(join(&document, &set(&[3])).unwrap().bytes, cut(&document, PageIndex(2)).unwrap().bytes);
}

#[test]
fn pages_come_in_page_order_with_their_labels_and_sizes() {
    let document = document("/PageLabels<</Nums[0<</S/r>>2<<>>3<</P(A-)/S/D/St 7>>]>>", &["", "", "", "", ""], &[]);
    let file = open(join(&document, &set(&[5, 2, 3])).unwrap().bytes);
    let label = |page| file.page_label(PageIndex(page));
    assert_eq!([label(0), label(1), label(2)], [Some(PageLabel("ii".into())), None, Some(PageLabel("A-8".into()))]);
    let width = |page| file.page_geometry(PageIndex(page)).unwrap().width_pt;
    assert_eq!([width(0), width(1), width(2)], [101.0, 102.0, 104.0]);
}

#[test]
fn what_pages_share_is_there_once_and_what_none_uses_is_not() {
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
    let (one, two) = (stream("", "/F 9 Tf /X Do"), stream("", "/F 9 Tf"));
    let image = stream("/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "0");
    let objects = [font, &one, &two, &image, "<</Font<</F 6 0 R/Unused 6 0 R>>/XObject<</X 9 0 R/Y 11 0 R>>>>", &image];
    let pages =
        ["/Contents 7 0 R/Resources 10 0 R", "/Contents 8 0 R/Resources 10 0 R", "/Contents 7 0 R/Resources 10 0 R"];
    let document = document("", &pages, &objects);
    let file = joined(&document);
    assert_eq!(count(&file, has_type("Font")), 1);
    assert_eq!(count(&file, has_type("XObject")), 1);
    assert_eq!(count(&file, has_type("Page")), 3);
    let without = join(&document, &set(&[2])).unwrap();
    assert_eq!((count(&without, has_type("Font")), count(&without, has_type("XObject"))), (1, 0));
}

#[test]
fn links_lead_to_the_pages_that_are_there() {
    let link = |page: u32| format!("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/Dest[{page} 0 R/Fit]>>");
    let objects = [link(4), link(5)];
    let pages = ["/Annots[6 0 R 7 0 R]", "", ""];
    let document = document("", &pages, &[&objects[0], &objects[1]]);
    let file = join(&document, &set(&[1, 2])).unwrap();
    assert_eq!(count(&file, |dictionary| has_type("Annot")(dictionary) && dictionary.has(b"Dest")), 1);
    assert_eq!(count(&file, has_type("Page")), 2);
}

#[test]
fn a_field_with_widgets_on_several_pages_is_one_field() {
    let objects = [
        "<</FT/Tx/T(total)/V(Keep)/Kids[7 0 R 8 0 R 9 0 R]>>",
        "<</Type/Annot/Subtype/Widget/Parent 6 0 R/P 3 0 R/Rect[0 0 9 9]>>",
        "<</Type/Annot/Subtype/Widget/Parent 6 0 R/P 4 0 R/Rect[0 0 9 9]>>",
        "<</Type/Annot/Subtype/Widget/Parent 6 0 R/P 5 0 R/Rect[0 0 9 9]>>",
    ];
    let document =
        document("/AcroForm<</Fields[6 0 R]>>", &["/Annots[7 0 R]", "/Annots[8 0 R]", "/Annots[9 0 R]"], &objects);
    let file = join(&document, &set(&[1, 3])).unwrap();
    let is_field = |dictionary: &lopdf::Dictionary| {
        let kids = dictionary.get(b"Kids").and_then(Object::as_array).map_or(0, Vec::len);
        dictionary.get(b"T").is_ok() && kids == 2
    };
    assert_eq!(count(&file, is_field), 1);
    assert_eq!(count(&file, has_type("Annot")), 2);
}

#[test]
fn fields_of_one_name_with_different_values_are_not_joined() {
    let field = |value: &str| format!("<</FT/Tx/T(total){value}/Subtype/Widget/Rect[0 0 9 9]>>");
    let refused = |second: &str| {
        let objects = [field("/V(1)"), field(second), "<</FT/Tx/T(form)/Kids[]>>".to_owned()];
        let catalog = "/AcroForm<</Fields[5 0 R 6 0 R]>>";
        let document =
            document(catalog, &["/Annots[5 0 R]", "/Annots[6 0 R]"], &objects.each_ref().map(String::as_str));
        let refused = join(&document, &set(&[1, 2])).err();
        // Each by itself is what it was.
        join(&document, &set(&[1])).and_then(|_| join(&document, &set(&[2]))).unwrap();
        refused
    };
    let conflict = JoinError::Conflict(Conflict::FieldValues { name: "total".to_owned() });
    assert_eq!(refused("/V(2)"), Some(conflict.clone()));
    assert_eq!(refused(""), Some(conflict));
    assert_eq!(refused("/V(1)"), None);
}

#[test]
fn layers_keep_their_states_and_their_order() {
    let catalog = "/OCProperties<</OCGs[6 0 R 7 0 R 8 0 R]/D<</OFF[7 0 R 8 0 R]/Order[6 0 R 7 0 R 8 0 R]>>>>";
    let objects = ["<</Type/OCG/Name(One)>>", "<</Type/OCG/Name(Two)>>", "<</Type/OCG/Name(Two)>>"];
    let page = |group: u32| format!("/Resources<</Properties<</P {group} 0 R>>>>/Contents 9 0 R");
    let content = stream("", "/OC /P BDC EMC");
    let pages = [page(8), page(6), page(7)];
    let document =
        document(catalog, &pages.each_ref().map(String::as_str), &[objects[0], objects[1], objects[2], &content]);
    let file = joined(&document);
    assert_eq!(count(&file, has_type("OCG")), 3, "two layers of one name are two layers");
    let chunk = Chunk::load_mem(&file.bytes).unwrap();
    let properties = chunk.catalog().unwrap().get(b"OCProperties").unwrap().as_dict().unwrap();
    let groups = properties.get(b"OCGs").unwrap();
    let default = properties.get(b"D").unwrap().as_dict().unwrap();
    assert_eq!(default.get(b"Order").unwrap(), groups);
    assert_eq!(default.get(b"OFF").unwrap().as_array().unwrap(), &groups.as_array().unwrap()[1..]);
}

#[test]
fn pages_with_other_output_intents_are_not_joined() {
    let profile = |components: u32| stream(&format!("/N {components}"), "profile");
    let (rgb, cmyk, none) = (stream("", "1 0 0 rg"), stream("", "0 0 0 1 k"), stream("", "q Q"));
    let objects = [profile(3), profile(4), rgb, cmyk, none];
    let catalog = "/OutputIntents[<</S/GTS_PDFX/DestOutputProfile 6 0 R>><</S/GTS_PDFX/DestOutputProfile 7 0 R>>]";
    let pages = ["/Contents 8 0 R", "/Contents 9 0 R", "/Contents 10 0 R"];
    let document = document(catalog, &pages, &objects.each_ref().map(String::as_str));
    assert_eq!(join(&document, &set(&[1, 2])), Err(JoinError::Conflict(Conflict::OutputIntents)));
    let intents = |pages: &[u32]| {
        let file = join(&document, &set(pages)).unwrap();
        let chunk = Chunk::load_mem(&file.bytes).unwrap();
        chunk.catalog().unwrap().get(b"OutputIntents").map_or(0, |intents| intents.as_array().unwrap().len())
    };
    assert_eq!([intents(&[1, 3]), intents(&[2, 3]), intents(&[3])], [1, 1, 0]);
}

#[test]
fn a_page_that_stands_in_the_tree_twice_is_two_pages() {
    let objects = ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R 3 0 R 4 0 R]/Count 3>>"];
    let pages = ["<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 8 8]>>"];
    let document = open(file_of(&[objects, pages].concat()));
    assert_eq!(open(joined(&document).bytes).page_count(), 3);
}

#[test]
fn pages_are_counted_and_there_is_at_least_one() {
    let document = open(small_pdf(2));
    assert_eq!(join(&document, &PageSet::new()), Err(JoinError::NoPages));
    let beyond = CutError::Document(DocumentError::PageOutOfRange { page: 3, page_count: 2 });
    assert_eq!(join(&document, &set(&[1, 3])), Err(JoinError::Page { page: PageIndex(2).number(), error: beyond }));
}

/// What joining all pages within `limits` is refused with.
fn limit_of(limits: &Limits) -> Option<&'static str> {
    let document = Document::open(Arc::new(std::fs::read(fixture("latex.pdf")).unwrap()), None, limits).unwrap();
    match join(&document, &PageSet::all(document.page_count())) {
        Err(JoinError::Whole(CutError::Document(DocumentError::Limit(limit)))) => Some(limit.which.name()),
        Ok(_) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_limits_of_a_page_hold_for_all_together() {
    let file = fixture_of("latex.pdf");
    let largest = (0..8).map(|page| cut(&file, PageIndex(page)).unwrap().bytes.len()).max().unwrap();
    let bytes = u64::try_from(largest).unwrap() + 10_000;
    assert_eq!(limit_of(&Limits { max_page_bytes: bytes, ..Limits::default() }), Some("max_page_bytes"));
    assert_eq!(limit_of(&Limits { max_page_objects: 60, ..Limits::default() }), Some("max_page_objects"));
    assert_eq!(limit_of(&Limits::default()), None);
}

#[test]
fn joining_ends_when_nobody_waits_or_time_is_up() {
    let bytes = std::fs::read(fixture("latex.pdf")).unwrap();
    let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
    let cancellation = Cancellation::new();
    let document = reader.open(Arc::new(bytes.clone()), None, &cancellation).unwrap();
    assert!(document.join(&PageSet::all(8)).is_ok());
    cancellation.cancel();
    assert!(matches!(document.join(&PageSet::all(8)), Err(PdfError::Stopped(StopReason::Cancelled))));
    let limits = Limits { deadline: Deadline::after(Duration::from_secs(3_600)), ..Limits::default() };
    let reader = InProcessReader::new(limits, Arc::new(NoFonts));
    let document = reader.open(Arc::new(bytes), None, &Cancellation::new()).unwrap();
    assert!(document.join(&PageSet::all(8)).is_ok());
}

#[test]
fn changed_files_are_joined_as_their_pages_are_or_refused() {
    let mut made = 0;
    for name in ["annotations.pdf", "form.pdf", "layers.pdf", "inherited.pdf", "report-v1.pdf"] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        for seed in 0..12 {
            let file = mutant(&bytes, seed);
            let run = || {
                let Ok(document) = Document::open(Arc::new(file.clone()), None, &Limits::default()) else { return 0 };
                let all = PageSet::all(document.page_count().min(20));
                let Ok(one) = join(&document, &all) else { return 0 };
                let again = open(one.bytes);
                assert_eq!(u64::from(again.page_count()), all.len());
                for (at, page) in (0..).zip(all.iter()) {
                    let chunk = |document: &Document, page| cut(document, page).unwrap().bytes;
                    assert_eq!(chunk(&again, PageIndex(at)), chunk(&document, page));
                }
                1
            };
            made += catch_unwind(run).unwrap_or_else(|_| panic!("{name}, mutant {seed}"));
        }
    }
    assert!(made > 20, "{made} of 60 mutants were joined");
}

#[test]
fn the_command_writes_one_file_and_says_what_is_in_it() {
    let place = Place::new();
    let pdf = place.copied("latex.pdf");
    let (status, result) = place.json(&["split", &pdf, "--pages", "2-3,7", "--out", "some.pdf"]);
    let file = std::fs::read(place.path("some.pdf")).unwrap();
    assert_eq!(file, join(&fixture_of("latex.pdf"), &set(&[2, 3, 7])).unwrap().bytes);
    let expected = json!({ "file": "some.pdf", "pageNumbers": "2-3,7", "joined": 3, "pages": 8, "bytes": file.len(),
        "blake3": blake3::hash(&file).to_hex().as_str(), "tier": "direct", "notes": [] });
    assert_eq!((status, result), (0, expected));
    let run = place.run(&["split", &pdf, "--pages", "4", "--out", "one.pdf"]);
    place.run(&["page", &pdf, "4", "--out", "page.pdf"]);
    assert!(run.stdout.starts_with("Page 4 of 8 written to one.pdf: "), "{}", run.stdout);
    assert_eq!(std::fs::read(place.path("one.pdf")).unwrap(), std::fs::read(place.path("page.pdf")).unwrap());
}

#[test]
fn the_command_refuses_what_cannot_be_joined_and_writes_nothing() {
    let place = Place::new();
    let field = |value: u32| format!("<</FT/Tx/T(total)/V({value})/Subtype/Widget/Rect[0 0 9 9]>>");
    let page = |annotation: u32| format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Annots[{annotation} 0 R]>>");
    let catalog = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R 6 0 R]>>>>".to_owned();
    let pages = "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>".to_owned();
    let pdf = place.file("form.pdf", file_of(&[catalog, pages, page(5), page(6), field(1), field(2)]));
    let (status, code, message) = place.refused(&["split", &pdf, "--out", "all.pdf"]);
    let expected = "Failed to join PDF pages: the form field \"total\" has different values on two pages";
    assert_eq!((status, code.as_str(), message.as_str()), (2, "pdf_error", expected));
    assert!(!place.path("all.pdf").exists());
    let (status, code, _) = place.refused(&["split", &pdf, "--out", "all.pdf", "--out-dir", "pages"]);
    assert_eq!((status, code.as_str()), (1, "validation_error"));
}

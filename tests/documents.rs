//! Documents open, with the reader, the pages and the facts that the fixtures name.

use super::support::file_of;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, Note, ReadAt, Tier};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn fixture(name: &str) -> std::io::Result<Vec<u8>> {
    fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name))
}

fn open(bytes: Vec<u8>, password: Option<&str>) -> Result<Document, DocumentError> {
    let source: Arc<dyn ReadAt> = Arc::new(bytes);
    Document::open(source, password, &Limits::default())
}

fn open_fixture(name: &str) -> Result<Document, Box<dyn std::error::Error>> {
    Ok(open(fixture(name)?, None)?)
}

const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";
const PAGE: &str = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 200] >>";

#[test]
fn every_fixture_has_the_pages_and_boxes_of_the_manifest() -> Outcome {
    let manifest: toml::Table = String::from_utf8(fixture("manifest.toml")?)?.parse()?;
    let files = manifest.get("file").and_then(toml::Value::as_array).ok_or("a manifest without files")?;
    let mut seen = 0;
    for file in files {
        let Some(pages) = file.get("pages").and_then(toml::Value::as_integer) else { continue };
        let name = file.get("name").and_then(toml::Value::as_str).ok_or("a file without a name")?;
        let document = open(fixture(name)?, file.get("password").and_then(toml::Value::as_str))?;
        assert_eq!(i64::from(document.page_count()), pages, "{name}");
        assert_eq!(document.tier() != Tier::Direct, name.starts_with("encrypted"), "{name}");
        assert_eq!(document.notes(), [], "{name}");
        assert_boxes(&document, name, file)?;
        seen += 1;
    }
    assert_eq!(seen, 23);
    Ok(())
}

/// The manifest's boxes are those before rotation and user unit.
fn assert_boxes(document: &Document, name: &str, file: &toml::Value) -> Outcome {
    let number = |value: &toml::Value| value.as_float();
    let boxes = file.get("boxes").and_then(toml::Value::as_array).ok_or("a file without boxes")?;
    let units = file.get("user_units").and_then(toml::Value::as_array);
    for (index, [width, height, rotate]) in (0..).zip(boxes.iter().filter_map(|b| b.as_array()?.first_chunk::<3>())) {
        let geometry = document.page_geometry(PageIndex(index))?;
        let unit = units.and_then(|units| units.get(usize::try_from(index).ok()?)).and_then(number).unwrap_or(1.0);
        let turned = geometry.rotate % 180 != 0;
        let (w, h) =
            if turned { (geometry.height_pt, geometry.width_pt) } else { (geometry.width_pt, geometry.height_pt) };
        assert_eq!(Some(i64::from(geometry.rotate)), rotate.as_integer(), "{name}, index {index}");
        assert!((geometry.user_unit - unit).abs() < f64::EPSILON, "{name}, index {index}");
        for (found, expected) in [(w, number(width)), (h, number(height))] {
            let expected = expected.ok_or("a box that is no number")? * unit;
            assert!((found - expected).abs() < 0.01, "{name}, index {index}: {found} for {expected}");
        }
    }
    Ok(())
}

#[test]
fn labels_are_those_printed() -> Outcome {
    let document = open_fixture("latex.pdf")?;
    let labels: Vec<String> = (0..9)
        .map(|index| document.page_label(PageIndex(index)).map(|label| label.to_string()).unwrap_or_default())
        .collect();
    insta::assert_snapshot!(labels.join(" "), @"i ii 1 2 3 4 5 6");
    assert_eq!(open_fixture("cairo.pdf")?.page_label(PageIndex(0)), None);
    Ok(())
}

#[test]
fn an_outline_names_the_pages_it_leads_to() -> Outcome {
    let outline = open_fixture("latex.pdf")?.outline(100);
    let lines: Vec<String> =
        outline.items.iter().map(|item| format!("{} {} {:?}", item.depth, item.title, item.page)).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    0 Preface Some(PageIndex(1))
    0 1 From sheet to page Some(PageIndex(2))
    1 1.1 The fold Some(PageIndex(2))
    1 1.2 The imposition Some(PageIndex(2))
    0 2 Measure and leading Some(PageIndex(3))
    1 2.1 Counting leaves Some(PageIndex(3))
    0 3 The tree of pages Some(PageIndex(4))
    1 3.1 Balanced trees Some(PageIndex(4))
    2 3.1.1 A flat tree Some(PageIndex(4))
    0 4 Ink and alphabets Some(PageIndex(5))
    1 4.1 Monospaced ink Some(PageIndex(5))
    0 5 Where to go next Some(PageIndex(6))
    0 6 Colophon Some(PageIndex(7))
    "#);
    assert_eq!((outline.total, outline.is_incomplete), (outline.items.len(), false));
    let beginning = open_fixture("latex.pdf")?.outline(2);
    assert_eq!((beginning.items.len(), beginning.total), (2, outline.total));
    Ok(())
}

#[test]
fn a_document_says_what_it_is() -> Outcome {
    insta::assert_debug_snapshot!(open_fixture("attachments.pdf")?.info(), @r#"
    DocumentInfo {
        title: Some(
            "Luggage of a Document",
        ),
        author: Some(
            "The pagewise authors",
        ),
        subject: Some(
            "Things that a page cut from this file leaves behind.",
        ),
        keywords: None,
        creator: None,
        producer: None,
        created: Some(
            "2024-03-01T12:00:00Z",
        ),
        modified: None,
        pdf_version: "1.3",
        encrypted: false,
        signed: false,
        tagged: false,
        form_fields: 0,
        is_xfa: false,
        attachments: 1,
        outline_entries: 2,
        label_ranges: [],
        parts: None,
    }
    "#);
    insta::assert_debug_snapshot!(open_fixture("form.pdf")?.info(), @r#"
    DocumentInfo {
        title: Some(
            "Order Form of the Paper Mill",
        ),
        author: Some(
            "The pagewise authors",
        ),
        subject: Some(
            "unspecified",
        ),
        keywords: None,
        creator: Some(
            "anonymous",
        ),
        producer: Some(
            "ReportLab PDF Library - (opensource)",
        ),
        created: Some(
            "2024-03-01T12:00:00Z",
        ),
        modified: Some(
            "2024-03-01T12:00:00Z",
        ),
        pdf_version: "1.3",
        encrypted: false,
        signed: false,
        tagged: false,
        form_fields: 9,
        is_xfa: false,
        attachments: 0,
        outline_entries: 0,
        label_ranges: [],
        parts: None,
    }
    "#);
    let encrypted = open_fixture("encrypted-empty.pdf")?.info();
    insta::assert_debug_snapshot!((encrypted.encrypted, encrypted.title, encrypted.producer), @r#"
    (
        true,
        Some(
            "A Sealed Letter",
        ),
        Some(
            "ReportLab PDF Library - (opensource)",
        ),
    )
    "#);
    Ok(())
}

#[test]
fn passwords_open_what_they_should() -> Outcome {
    let bytes = fixture("encrypted-password.pdf")?;
    let refused = |password| open(bytes.clone(), password).err();
    assert_eq!(refused(None), Some(DocumentError::Encrypted { password_given: false }));
    assert_eq!(refused(Some("wrong")), Some(DocumentError::Encrypted { password_given: true }));
    assert_eq!(open(bytes.clone(), Some("secret"))?.tier(), Tier::HayroSyntax);
    // An owner's password of the older security handlers is libqpdf's business.
    #[cfg(feature = "qpdf")]
    assert_eq!(open(bytes.clone(), Some("owner"))?.tier(), Tier::Qpdf);
    // Nobody asked for one.
    assert_eq!(open(fixture("encrypted-empty.pdf")?, Some("wrong"))?.page_count(), 3);
    assert_eq!(open(fixture("latex.pdf")?, Some("wrong"))?.page_count(), 8);
    Ok(())
}

#[test]
fn other_files_are_no_pdf() -> Outcome {
    for name in ["notes.txt", "picture.png", "picture.jpg"] {
        assert!(matches!(open(fixture(name)?, None).err(), Some(DocumentError::NotAPdf { .. })), "{name}");
    }
    assert!(matches!(open(Vec::new(), None).err(), Some(DocumentError::NotAPdf { .. })));
    Ok(())
}

#[test]
fn lost_cross_references_are_repaired() -> Outcome {
    let mut bytes = fixture("libreoffice.pdf")?;
    bytes.truncate(bytes.len() - 40);
    let document = open(bytes, None)?;
    assert_eq!((document.tier(), document.page_count()), (Tier::HayroSyntax, 3));
    assert!(matches!(document.notes().as_slice(), [Note::Repaired { tier: Tier::HayroSyntax, .. }]));
    assert!(document.page_geometry(PageIndex(2)).is_ok());
    Ok(())
}

#[test]
fn a_lying_count_is_not_repeated() -> Outcome {
    let pages = "<< /Type /Pages /Kids [3 0 R 3 0 R] /Count 9999999 >>";
    let document = open(file_of(&[CATALOG, pages, PAGE]), None)?;
    assert_eq!(document.page_count(), 2);
    assert_eq!(document.notes(), [Note::CountWrong { pages: 2 }]);
    Ok(())
}

#[test]
fn a_tree_with_loops_has_its_leaves() -> Outcome {
    let pages = "<< /Type /Pages /Kids [3 0 R 2 0 R 4 0 R] /Count 3 >>";
    let node = "<< /Type /Pages /Kids [2 0 R 4 0 R 3 0 R] /Count 3 >>";
    let document = open(file_of(&[CATALOG, pages, PAGE, node]), None)?;
    assert_eq!(document.page_count(), 2);
    Ok(())
}

#[test]
fn types_may_be_missing_and_pages_direct() -> Outcome {
    let pages = "<< /Kids [<< /MediaBox [0 0 10 20] /Rotate 90 >> 3 0 R] /Count 2 >>";
    let document = open(file_of(&["<< /Pages 2 0 R >>", pages, "<< >>"]), None)?;
    assert_eq!((document.page_count(), document.tier()), (2, Tier::Direct));
    let direct = document.page_geometry(PageIndex(0))?;
    assert_eq!((direct.width_pt, direct.height_pt, direct.rotate), (20.0, 10.0, 90));
    let bare = document.page_geometry(PageIndex(1))?;
    assert_eq!((bare.width_pt, bare.height_pt, bare.user_unit), (612.0, 792.0, 1.0));
    Ok(())
}

#[test]
fn kids_that_are_gone_are_said_to_be_lost() -> Outcome {
    let pages = "<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>";
    let document = open(file_of(&[CATALOG, pages, PAGE]), None)?;
    assert_eq!(document.page_count(), 1);
    assert_eq!(document.notes(), [Note::PagesLost { pages: 1, ends_early: false }]);
    let said = "the list of its pages is damaged; at most 1 of its pages can be read";
    assert_eq!(document.notes().first().map(ToString::to_string).as_deref(), Some(said));
    Ok(())
}

/// Forty pages, each a point wider than the one before; the twentieth kid is `kid` instead.
fn forty_pages(kid: &str) -> Vec<u8> {
    let numbers = (3..43).map(|number| if number == 22 { kid.to_owned() } else { format!("{number} 0 R") });
    let kids = numbers.collect::<Vec<_>>().join(" ");
    let page = |width: usize| format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} 99] >>");
    let mut objects = vec![CATALOG.to_owned(), format!("<< /Type /Pages /Kids [{kids}] /Count 40 >>")];
    objects.extend((101..=140).map(page));
    objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned());
    objects.push("<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 1 >>".to_owned());
    file_of(&objects)
}

#[test]
fn a_kid_that_is_no_page_moves_no_other_page() -> Outcome {
    let no_page = Err(DocumentError::Damaged { what: "a page that is not a dictionary", offset: None });
    let node = Err(DocumentError::Damaged { what: "a page that is a node of the page tree", offset: None });
    for (kid, count, twentieth) in
        [("43 0 R", 40, no_page), ("44 0 R", 40, node), ("null", 39, Ok(121.0)), ("99 0 R", 39, Ok(121.0))]
    {
        let document = open(forty_pages(kid), None)?;
        let width = |page: u32| document.page_geometry(PageIndex(page)).map(|geometry| geometry.width_pt);
        assert_eq!((document.page_count(), width(18), width(19)), (count, Ok(119.0), twentieth), "{kid}");
        assert_eq!(width(count - 1), Ok(140.0), "{kid}");
        let lost = Note::PagesLost { pages: 39, ends_early: false };
        assert_eq!(document.notes().contains(&lost), count == 39, "{kid}");
    }
    assert_eq!(open(forty_pages("22 0 R"), None)?.page_geometry(PageIndex(19))?.width_pt, 120.0);
    Ok(())
}

#[test]
fn a_page_past_the_end_is_refused() -> Outcome {
    let error = open_fixture("cairo.pdf")?.page_geometry(PageIndex(2)).err();
    assert_eq!(error, Some(DocumentError::PageOutOfRange { page: 3, page_count: 2 }));
    Ok(())
}

/// A page below `depth` nodes, the root of the tree among them.
fn deep_tree(depth: usize) -> Vec<u8> {
    let nodes = (0..depth).map(|at| format!("<< /Type /Pages /Kids [{} 0 R] /Count 1 >>", at + 3));
    let objects: Vec<String> = std::iter::once(CATALOG.to_owned()).chain(nodes).chain([PAGE.to_owned()]).collect();
    file_of(&objects.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_depth_of_the_tree_is_bounded() -> Outcome {
    assert_eq!(open(deep_tree(1000), None)?.page_count(), 1);
    let error = open(deep_tree(1001), None).err();
    let limit = LimitExceeded { which: Limit::PageTreeDepth, limit: 1000, found: 1001 };
    assert_eq!(error, Some(DocumentError::Limit(limit)));
    Ok(())
}

#[test]
fn an_outline_that_loops_ends() -> Outcome {
    let catalog = "<< /Type /Catalog /Pages 2 0 R /Outlines << /First 4 0 R >> >>";
    let pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    let first = "<< /Title (One) /Dest [3 0 R /Fit] /Next 5 0 R /First 4 0 R >>";
    let second = "<< /Title (Two) /Dest [0 /Fit] /Next 4 0 R >>";
    let outline = open(file_of(&[catalog, pages, PAGE, first, second]), None)?.outline(10);
    let items: Vec<_> = outline.items.iter().map(|item| (item.title.as_str(), item.page)).collect();
    assert_eq!(items, [("One", Some(PageIndex(0))), ("Two", Some(PageIndex(0)))]);
    assert!(outline.is_incomplete);
    Ok(())
}

/// Opens, and asks everything that can be asked.
fn exercise(bytes: Vec<u8>) {
    let Ok(document) = open(bytes, None) else { return };
    let _ = (document.info(), document.outline(10), document.notes());
    for index in [0, 1, document.page_count()] {
        let _ = (document.page_geometry(PageIndex(index)), document.page_label(PageIndex(index)));
    }
}

/// Small fixtures of different structure, to be damaged.
const TO_DAMAGE: [&str; 6] =
    ["incremental.pdf", "incremental-mixed.pdf", "inherited.pdf", "layers.pdf", "annotations.pdf", "form.pdf"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_break_the_readers(bytes in proptest::collection::vec(any::<u8>(), 0..2_000), header: bool) {
        let mut file = if header { b"%PDF-1.7\n".to_vec() } else { Vec::new() };
        file.extend(bytes);
        exercise(file);
    }

    #[test]
    fn no_damage_breaks_the_readers(
        name in proptest::sample::select(&TO_DAMAGE[..]),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        keep in 0.2_f64..=1.0,
    ) {
        let mut bytes = fixture(name)?;
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a share of a small length")]
        bytes.truncate((bytes.len() as f64 * keep) as usize);
        exercise(bytes);
    }
}

/// A document whose information dictionary is `info`, and whose catalog names `xmp`.
fn described(info: &str, xmp: &str) -> Result<Document, Box<dyn std::error::Error>> {
    let catalog = "<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R >>".to_owned();
    let metadata = format!("<< /Type /Metadata /Subtype /XML /Length {} >>\nstream\n{xmp}\nendstream", xmp.len());
    let pages = "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned();
    let bytes = file_of(&[catalog, pages, PAGE.to_owned(), info.to_owned(), metadata]);
    let bytes = String::from_utf8(bytes)?.replace("/Root 1 0 R", "/Root 1 0 R /Info 4 0 R");
    Ok(open(bytes.into_bytes(), None)?)
}

const XMP: &str = "<?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description rdf:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/' xmp:CreateDate='2023-01-02T03:04:05+02:00'/>
<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'>
<dc:title><rdf:Alt><rdf:li xml:lang='de'>Bericht</rdf:li><rdf:li xml:lang='x-default'>Yearly &amp; more</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>First</rdf:li><rdf:li>Second\u{202E}</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>";

#[test]
fn xmp_adds_what_the_information_dictionary_lacks() -> Outcome {
    let info = described("<< /Author (Printed) /CreationDate () >>", XMP)?.info();
    assert_eq!(info.title.as_deref(), Some("Yearly & more"));
    assert_eq!(info.author.as_deref(), Some("Printed"));
    assert_eq!(info.created.as_deref(), Some("2023-01-02T03:04:05+02:00"));
    assert_eq!(described("<< >>", XMP)?.info().author.as_deref(), Some("First, Second"));
    Ok(())
}

#[test]
fn metadata_that_are_no_xmp_add_nothing() -> Outcome {
    let nested = format!("{}{}", "<a>".repeat(60_000), "</a>".repeat(60_000));
    let entities = XMP.replace("<x:xmpmeta", "<!DOCTYPE x [<!ENTITY a 'aaaaaaaa'>]><x:xmpmeta");
    for xmp in [nested.as_str(), &entities, XMP.get(..600).ok_or("a short packet")?, "", "\u{1}"] {
        let info = described("<< /Title (Stated) >>", xmp)?.info();
        assert_eq!((info.title.as_deref(), info.author.as_deref()), (Some("Stated"), None));
    }
    Ok(())
}

#[test]
fn a_date_that_cannot_be_is_given_as_it_stands() -> Outcome {
    let info = described("<< /CreationDate (D:20240230120000) /ModDate (D:20240229120000) >>", "")?.info();
    assert_eq!(info.created.as_deref(), Some("D:20240230120000"));
    assert_eq!(info.modified.as_deref(), Some("2024-02-29T12:00:00Z"));
    Ok(())
}

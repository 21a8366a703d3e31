//! A chunk is the page: all that it needs, nothing else, the same bytes every time.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use lopdf::{Document as Chunk, Object};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, DocumentError, ReadAt, Tier};
use pagewise_split::{CutError, PageChunk, cut, fingerprint};
use proptest::prelude::*;
use qpdf::{ObjectStreamMode, QPdf, StreamDataMode, StreamDecodeLevel};
use std::sync::Arc;

fn bytes(fixture: &str) -> Vec<u8> {
    std::fs::read(format!("{}/fixtures/{fixture}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn open(bytes: impl ReadAt + 'static) -> Document {
    Document::open(Arc::new(bytes), None, &Limits::default()).unwrap()
}

fn cut_from(fixture: &str, number: u32) -> PageChunk {
    cut(&open(bytes(fixture)), PageIndex(number - 1)).unwrap()
}

fn parsed(chunk: &PageChunk) -> Chunk {
    Chunk::load_mem(&chunk.bytes).unwrap()
}

/// Every dictionary of the chunk, also those of streams.
fn dictionaries(chunk: &Chunk) -> Vec<&lopdf::Dictionary> {
    fn within<'a>(object: &'a Object, out: &mut Vec<&'a lopdf::Dictionary>) {
        match object {
            Object::Dictionary(dictionary) => {
                out.push(dictionary);
                dictionary.iter().for_each(|(_, value)| within(value, out));
            }
            Object::Stream(stream) => {
                out.push(&stream.dict);
                stream.dict.iter().for_each(|(_, value)| within(value, out));
            }
            Object::Array(elements) => elements.iter().for_each(|element| within(element, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    chunk.objects.values().for_each(|object| within(object, &mut out));
    out
}

fn page(chunk: &Chunk) -> &lopdf::Dictionary {
    chunk.get_dictionary(chunk.page_iter().next().unwrap()).unwrap()
}

/// PDFs among the fixtures that open without a password.
const OPENABLE: [&str; 22] = [
    "annotations.pdf",
    "attachments.pdf",
    "cairo.pdf",
    "chromium.pdf",
    "cjk-vertical.pdf",
    "cjk.pdf",
    "encrypted-empty.pdf",
    "encrypted-rc4.pdf",
    "form.pdf",
    "ghostscript.pdf",
    "incremental-mixed.pdf",
    "incremental.pdf",
    "inherited.pdf",
    "latex.pdf",
    "layers.pdf",
    "libreoffice.pdf",
    "linearized.pdf",
    "report-v1.pdf",
    "report-v2.pdf",
    "scan.pdf",
    "shared-resources.pdf",
    "typst.pdf",
];

#[test]
fn every_page_of_every_fixture_is_one_sound_page() {
    for fixture in OPENABLE {
        let document = open(bytes(fixture));
        for index in (0..document.page_count()).map(PageIndex) {
            let chunk = cut(&document, index).unwrap();
            let again = cut(&open(bytes(fixture)), index).unwrap();
            assert_eq!(chunk, again, "{fixture} {index:?} differs when it is cut again");
            let chunk = parsed(&chunk);
            assert_eq!(chunk.get_pages().len(), 1, "{fixture} {index:?}");
            assert!(page(&chunk).get(b"MediaBox").is_ok(), "{fixture} {index:?}");
            assert!(chunk.trailer.get(b"Encrypt").is_err(), "{fixture} {index:?}");
        }
    }
}

#[test]
fn a_chunk_of_a_chunk_is_the_chunk() {
    for fixture in OPENABLE {
        let document = open(bytes(fixture));
        for index in (0..document.page_count()).map(PageIndex) {
            let once = cut(&document, index).unwrap();
            let twice = cut(&open(once.bytes.clone()), PageIndex(0)).unwrap();
            assert_eq!(
                once.fingerprint(&Limits::default()),
                twice.fingerprint(&Limits::default()),
                "{fixture} {index:?}"
            );
            assert_eq!(once.bytes, twice.bytes, "{fixture} {index:?}");
        }
    }
}

#[test]
fn what_belongs_to_the_document_is_dropped() {
    for fixture in ["attachments.pdf", "latex.pdf", "libreoffice.pdf", "chromium.pdf"] {
        let document = open(bytes(fixture));
        for index in (0..document.page_count()).map(PageIndex) {
            let chunk = parsed(&cut(&document, index).unwrap());
            for dictionary in dictionaries(&chunk) {
                for key in ["OpenAction", "AA", "JS", "EF", "Names", "Outlines", "StructTreeRoot", "Metadata", "Dests"]
                {
                    assert!(dictionary.get(key.as_bytes()).is_err(), "{fixture} {index:?} keeps /{key}");
                }
                let kind = dictionary.get(b"S").and_then(Object::as_name).unwrap_or_default();
                assert!(![&b"JavaScript"[..], b"Launch", b"SubmitForm"].contains(&kind), "{fixture} {index:?}");
            }
        }
    }
}

#[test]
fn links_to_other_pages_are_there_and_lead_nowhere() {
    let document = open(bytes("annotations.pdf"));
    let mut links = 0;
    let mut uris = 0;
    for index in (0..document.page_count()).map(PageIndex) {
        let chunk = parsed(&cut(&document, index).unwrap());
        for link in dictionaries(&chunk) {
            if link.get(b"Subtype").and_then(Object::as_name).ok() != Some(b"Link") {
                continue;
            }
            links += 1;
            let destination = link.get(b"Dest").or_else(|_| link.get(b"A").and_then(Object::as_dict)?.get(b"D"));
            if let Ok(Object::Array(parts)) = destination {
                assert_eq!(parts[0].as_reference().ok(), chunk.page_iter().next(), "a destination on another page");
            }
            uris += u32::from(link.get(b"A").and_then(Object::as_dict).is_ok_and(|action| action.has(b"URI")));
        }
    }
    assert!(links >= 4, "{links} links");
    assert!(uris >= 1, "{uris} URIs");
}

#[test]
fn inherited_attributes_are_written_into_the_page() {
    let document = open(bytes("inherited.pdf"));
    let rotations: Vec<_> = (0..document.page_count())
        .map(|index| {
            let chunk = parsed(&cut(&document, PageIndex(index)).unwrap());
            assert!(page(&chunk).get(b"Resources").is_ok());
            page(&chunk).get(b"Rotate").and_then(Object::as_i64).unwrap_or(0)
        })
        .collect();
    assert!([90, 180, 270].iter().all(|rotation| rotations.contains(rotation)), "{rotations:?}");
}

#[test]
fn a_form_is_reduced_to_the_fields_of_the_page() {
    let document = open(bytes("form.pdf"));
    for index in (0..document.page_count()).map(PageIndex) {
        let chunk = parsed(&cut(&document, index).unwrap());
        let widgets = dictionaries(&chunk)
            .into_iter()
            .filter(|dictionary| dictionary.get(b"Subtype").and_then(Object::as_name).ok() == Some(b"Widget"));
        let annotations = page(&chunk).get(b"Annots").and_then(|annotations| chunk.dereference(annotations));
        let annotations = annotations.map_or(0, |(_, annotations)| annotations.as_array().map_or(0, Vec::len));
        let widgets = widgets.count();
        assert!(widgets <= annotations, "{index:?}: {widgets} widgets, {annotations} annotations");
        let form = chunk.catalog().unwrap().get(b"AcroForm");
        assert_eq!(form.is_ok(), widgets > 0, "{index:?}");
        if let Ok(form) = form {
            let fields = form.as_dict().unwrap().get(b"Fields").and_then(Object::as_array).unwrap();
            assert!(!fields.is_empty() && fields.len() <= widgets, "{index:?}");
        }
    }
}

#[test]
fn layers_are_reduced_to_those_of_the_page() {
    let groups = |number| {
        let chunk = parsed(&cut_from("layers.pdf", number));
        let properties = chunk.catalog().unwrap().get(b"OCProperties").and_then(Object::as_dict).unwrap().clone();
        let off = properties.get(b"D").and_then(Object::as_dict).and_then(|d| d.get(b"OFF")).and_then(Object::as_array);
        (properties.get(b"OCGs").and_then(Object::as_array).unwrap().len(), off.map_or(0, Vec::len))
    };
    let (both, off) = groups(1);
    assert_eq!((both, off), (2, 1));
    assert_eq!(groups(2).0, 1);
}

#[test]
fn resources_that_the_page_does_not_use_stay_behind() {
    let whole = bytes("shared-resources.pdf").len();
    let document = open(bytes("shared-resources.pdf"));
    for index in (0..document.page_count()).map(PageIndex) {
        let chunk = cut(&document, index).unwrap();
        let images = dictionaries(&parsed(&chunk))
            .iter()
            .filter(|dictionary| dictionary.get(b"Subtype").and_then(Object::as_name).ok() == Some(b"Image"))
            .count();
        assert_eq!(images, 1, "{index:?}");
        assert!(chunk.bytes.len() < whole / 3, "{index:?} has {} of {whole} bytes", chunk.bytes.len());
    }
}

#[test]
fn a_label_is_kept_for_the_page() {
    let chunk = parsed(&cut_from("latex.pdf", 2));
    let labels = chunk.catalog().unwrap().get(b"PageLabels").and_then(Object::as_dict).unwrap();
    let label = labels.get(b"Nums").and_then(Object::as_array).unwrap()[1].as_dict().unwrap();
    assert_eq!(label.get(b"P").and_then(Object::as_str).unwrap(), b"ii");
}

#[test]
fn an_encrypted_page_comes_out_plain_and_by_the_second_reader() {
    for fixture in ["encrypted-empty.pdf", "encrypted-rc4.pdf"] {
        let chunk = cut_from(fixture, 1);
        assert_eq!(chunk.tier, Tier::HayroSyntax, "{fixture}");
        assert_eq!(chunk.fingerprint(&Limits::default()), cut_from(fixture, 1).fingerprint(&Limits::default()));
    }
}

#[test]
fn a_page_past_the_end_is_refused() {
    let error = cut(&open(bytes("latex.pdf")), PageIndex(8)).unwrap_err();
    assert_eq!(error, CutError::Document(DocumentError::PageOutOfRange { page: 9, page_count: 8 }));
}

/// The document as libqpdf writes it anew.
fn rebuilt(source: &[u8], objects: ObjectStreamMode, data: StreamDataMode, linearize: bool) -> Vec<u8> {
    let document = QPdf::read_from_memory(source).unwrap();
    let mut writer = document.writer();
    writer.object_stream_mode(objects).stream_data_mode(data).linearize(linearize).preserve_encryption(false);
    if data == StreamDataMode::Uncompress {
        writer.stream_decode_level(StreamDecodeLevel::Generalized);
    }
    writer.write_to_memory().unwrap()
}

fn fingerprints(source: Vec<u8>) -> Vec<String> {
    let document = open(source);
    (0..document.page_count()).map(|index| fingerprint(&document, PageIndex(index)).unwrap().to_string()).collect()
}

#[test]
fn a_rebuild_by_libqpdf_changes_no_fingerprint() {
    for fixture in OPENABLE {
        let source = bytes(fixture);
        let before = fingerprints(source.clone());
        for (objects, data, linearize) in [
            (ObjectStreamMode::Generate, StreamDataMode::Preserve, false),
            (ObjectStreamMode::Disable, StreamDataMode::Compress, false),
            (ObjectStreamMode::Disable, StreamDataMode::Uncompress, false),
            (ObjectStreamMode::Preserve, StreamDataMode::Preserve, true),
        ] {
            let after = fingerprints(rebuilt(&source, objects, data, linearize));
            assert_eq!(before, after, "{fixture} {objects:?} {data:?} linearized: {linearize}");
        }
    }
}

#[test]
fn saving_with_lopdf_changes_no_fingerprint() {
    for fixture in ["latex.pdf", "form.pdf", "layers.pdf", "cairo.pdf", "typst.pdf", "inherited.pdf"] {
        let mut document = Chunk::load_mem(&bytes(fixture)).unwrap();
        document.renumber_objects_with(5000);
        let mut saved = Vec::new();
        document.save_to(&mut saved).unwrap();
        assert_eq!(fingerprints(bytes(fixture)), fingerprints(saved), "{fixture}");
    }
}

#[test]
fn of_a_regenerated_report_one_page_has_changed() {
    let (before, after) = (fingerprints(bytes("report-v1.pdf")), fingerprints(bytes("report-v2.pdf")));
    let changed: Vec<bool> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
    assert_eq!(changed, [false, true, false, false]);
}

#[test]
fn every_page_of_a_document_has_its_own_fingerprint() {
    for fixture in ["latex.pdf", "inherited.pdf", "shared-resources.pdf"] {
        let mut all = fingerprints(bytes(fixture));
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "{fixture}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Cutting damaged bytes gives a sound page or an error, and never panics.
    #[test]
    fn damage_never_panics(fixture in 0..OPENABLE.len(), places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let mut source = bytes(OPENABLE[fixture]);
        for (place, byte) in places {
            let at = place.index(source.len());
            source[at] = byte;
        }
        if let Ok(document) = Document::open(Arc::new(source), None, &Limits::default()) {
            for index in (0..document.page_count().min(4)).map(PageIndex) {
                if let Ok(chunk) = cut(&document, index) {
                    prop_assert_eq!(parsed(&chunk).get_pages().len(), 1);
                }
            }
        }
    }
}

/// Cross references that lead astray in one place are repaired when that place is met, and lead elsewhere in others then.
#[test]
fn the_order_in_which_pages_are_cut_changes_none() {
    let page = |content: u32, form: u32| {
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents {content} 0 R/Resources<</XObject<</X {form} 0 R>>>>>>"
        )
    };
    let stream =
        |entries: &str, length: usize, data: &str| format!("<<{entries}/Length {length}>>stream\n{data}\nendstream");
    let form = |data: &str| stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", data.len(), data);
    // Lengths of content that are wrong keep the strict reader out.
    let objects = [
        (1, "<</Type/Catalog/Pages 2 0 R>>".to_owned()),
        (2, "<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]>>".to_owned()),
        (3, page(5, 7)),
        (4, page(6, 8)),
        (5, stream("", 1, "/X Do")),
        (6, stream("", 1, "q /X Do Q")),
        (7, form("0 0 1 rg 0 0 1 1 re f")),
        (8, form("1 0 0 rg 0 0 2 2 re f")),
        (7, form("0 1 0 rg 0 0 3 3 re f")),
    ];
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut places = [0; 9];
    for (number, body) in objects {
        // That of the first version stays.
        if places[number] == 0 {
            places[number] = file.len();
        }
        file.extend(format!("{number} 0 obj\n{body}\nendobj\n").bytes());
    }
    places[8] += 20;
    let start = file.len();
    file.extend(b"xref\n0 9\n0000000000 65535 f \n");
    places[1..].iter().for_each(|place| file.extend(format!("{place:010} 00000 n \n").bytes()));
    file.extend(format!("trailer\n<</Size 9/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    let cut_in_order = |order: [u32; 2]| {
        let document = open(file.clone());
        let mut chunks = order.map(|index| (index, cut(&document, PageIndex(index)).unwrap()));
        chunks.sort_by_key(|(index, _)| *index);
        chunks.map(|(_, chunk)| chunk)
    };
    let [first, second] = [[0, 1], [1, 0]].map(cut_in_order);
    assert_eq!(first[0].tier, Tier::HayroSyntax);
    assert_eq!(first, second);
    let alone = [0, 1].map(|index| cut(&open(file.clone()), PageIndex(index)).unwrap());
    assert_eq!(first, alone);
}

//! Numbers in a file lie, and parts of it are damaged or gone: what comes out is the page, or says that it may not be.
//!
//! A page is given silently when the reader that takes sound files gave it and neither the document nor the chunk has
//! a note. Silently given pages must be right; what another reader can still read must be read.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use super::support::file_of;
use lopdf::Document as Chunk;
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, Tier};
use pagewise_split::cut;
use std::sync::Arc;

/// A page as far as it is compared: its content, and the fonts that it has.
type Seen = (Vec<u8>, Vec<Vec<u8>>);

/// What came out of a file.
struct Outcome {
    tier: Tier,
    noted: bool,
    /// Of each page what is seen of it, and whether it is given silently; `None` where it cannot be cut.
    pages: Vec<Option<(Seen, bool)>>,
}

fn seen(file: &[u8], page: usize) -> Option<Seen> {
    let file = Chunk::load_mem(file).ok()?;
    let content = file.get_page_content(file.page_iter().nth(page)?);
    let fonts = file.objects.values().filter_map(|object| object.as_dict().ok()?.get(b"BaseFont").ok()?.as_name().ok());
    // White space at the end is not content, and readers differ about it.
    Some((content.trim_ascii_end().to_vec(), fonts.map(<[u8]>::to_vec).collect()))
}

/// Opens a file and cuts the pages that `wanted` picks out of the page count.
fn read(file: &[u8], wanted: impl Fn(u32) -> Vec<u32>) -> Option<Outcome> {
    let document = Document::open(Arc::new(file.to_vec()), None, &Limits::default()).ok()?;
    let chunks: Vec<_> =
        wanted(document.page_count()).into_iter().map(|page| cut(&document, PageIndex(page))).collect();
    let noted = !document.notes().is_empty();
    let pages = chunks.into_iter().map(|chunk| {
        let chunk = chunk.ok()?;
        assert_eq!(Chunk::load_mem(&chunk.bytes).unwrap().get_pages().len(), 1);
        let silent = !noted && chunk.notes.is_empty() && chunk.tier == document.tier();
        Some((seen(&chunk.bytes, 0).unwrap(), silent))
    });
    let pages = pages.collect();
    Some(Outcome { tier: document.tier(), noted, pages })
}

fn all(count: u32) -> Vec<u32> {
    (0..count.min(10)).collect()
}

/// What must come of a lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// All pages, right.
    AllPages,
    /// Any page that comes out is right or not given silently.
    Honesty,
}
use Expect::{AllPages, Honesty};

/// Holds `file` to what comes of the sound file.
fn hold(what: &str, sound: &[u8], file: &[u8], expect: Expect) {
    let truth = read(sound, all).unwrap();
    let Some(outcome) = read(file, all) else {
        assert_eq!(expect, Honesty, "{what}: does not open");
        return;
    };
    if expect == AllPages {
        assert_eq!(outcome.pages.len(), truth.pages.len(), "{what}: number of pages, by {}", outcome.tier);
    } else if outcome.tier == truth.tier && !outcome.noted {
        assert_eq!(outcome.pages.len(), truth.pages.len(), "{what}: number of pages without a note");
    }
    for (index, (page, truth)) in outcome.pages.iter().zip(&truth.pages).enumerate() {
        let right = &truth.as_ref().unwrap().0;
        match page {
            Some((page, silent)) if *silent && outcome.tier == Tier::Direct || expect == AllPages => {
                assert_eq!(page, right, "{what}: page at {index}, by {}", outcome.tier);
            }
            Some(_) => {}
            None => assert_eq!(expect, Honesty, "{what}: page at {index} is lost"),
        }
    }
}

fn stream(dictionary: &str, data: &str) -> String {
    format!("<<{dictionary}>>\nstream\n{data}\nendstream")
}

/// Three pages in a tree of two levels, with an outline, labels and a form.
fn sound() -> Vec<u8> {
    let page = |contents: u32| format!("<</Type/Page/Parent 3 0 R/Contents {contents} 0 R>>");
    file_of(&[
        "<</Type/Catalog/Pages 2 0 R/Outlines 13 0 R/PageLabels 15 0 R/AcroForm<</Fields[16 0 R]>>>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R 6 0 R]/Count 3   /MediaBox[0 0 99 99]/Resources 12 0 R>>".to_owned(),
        "<</Type/Pages/Parent 2 0 R/Kids[4 0 R 5 0 R]/Count 2   >>".to_owned(),
        page(7),
        page(8),
        "<</Type/Page/Parent 2 0 R/Contents[9 0 R]/Annots[16 0 R]>>".to_owned(),
        stream("/Length 24  ", "BT/F 9 Tf(first) Tj ET %"),
        stream("/Length 10 0 R", "BT/F 9 Tf(second)Tj ET %"),
        stream("/Length 24  ", "BT/F 9 Tf(third) Tj ET %"),
        "24     ".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Courier>>".to_owned(),
        "<</Font<</F 11 0 R>>>>".to_owned(),
        "<</Type/Outlines/First 14 0 R>>".to_owned(),
        "<</Title(One)/Parent 13 0 R/Dest[4 0 R/Fit]/Next null  >>".to_owned(),
        "<</Nums[0<</S/D>>]/Kids null    >>".to_owned(),
        "<</FT/Tx/T(a)/Subtype/Widget/Parent null  >>".to_owned(),
    ])
}

/// `file` with the first `from` after `after` replaced; both of one length, so that no offset moves.
fn with(file: &[u8], after: &str, from: &str, to: &str) -> Vec<u8> {
    let find = |needle: &str, start: usize| {
        let rest = &file[start..];
        start + rest.windows(needle.len()).position(|window| window == needle.as_bytes()).unwrap()
    };
    let at = find(from, find(after, 0));
    let to = format!("{to:from$}", from = from.len());
    assert_eq!(to.len(), from.len(), "{to}");
    [&file[..at], to.as_bytes(), &file[at + from.len()..]].concat()
}

#[test]
fn the_sound_file_is_sound() {
    let outcome = read(&sound(), all).unwrap();
    assert_eq!((outcome.tier, outcome.noted, outcome.pages.len()), (Tier::Direct, false, 3));
    assert!(outcome.pages.iter().all(|page| page.as_ref().is_some_and(|((_, fonts), _)| fonts.len() == 1)));
}

#[test]
fn counts_lie() {
    let sound = sound();
    for count in ["/Count -1", "/Count 0", "/Count 2", "/Count 4", "/Count 999", "/Count []", "/Count(3)", "/Kount 3"] {
        for (node, from) in [("2 0 obj", "/Count 3   "), ("3 0 obj", "/Count 2   ")] {
            hold(&format!("{node} {count}"), &sound, &with(&sound, node, from, count), AllPages);
        }
    }
}

#[test]
fn trees_lie() {
    let sound = sound();
    for (what, after, from, to, expect) in [
        ("untyped page", "4 0 obj", "/Type/Page", "/Tipe/Page", AllPages),
        ("untyped node", "3 0 obj", "/Type/Pages", "/Tipe/Pages", AllPages),
        ("untyped root", "2 0 obj", "/Type/Pages", "/Tipe/Pages", AllPages),
        ("untyped catalog", "1 0 obj", "/Type/Catalog", "/Tipe/Catalog", AllPages),
        ("null kid", "2 0 obj", "6 0 R", "null ", Honesty),
        ("kid past the end", "2 0 obj", "6 0 R]/Count 3 ", "99 0 R]/Count 3", Honesty),
        ("same leaf twice", "3 0 obj", "5 0 R", "4 0 R", Honesty),
        ("kid that is a font", "3 0 obj", "5 0 R]/Count 2 ", "11 0 R]/Count 2", Honesty),
        ("kid above", "3 0 obj", "5 0 R", "2 0 R", Honesty),
        ("kid itself", "3 0 obj", "5 0 R", "3 0 R", Honesty),
        ("kid that is content", "3 0 obj", "5 0 R", "7 0 R", Honesty),
        ("kids that are no array", "3 0 obj", "[4 0 R 5 0 R]", "4 0 R", Honesty),
        ("parent itself", "4 0 obj", "/Parent 3 0 R", "/Parent 4 0 R", AllPages),
        ("contents gone", "4 0 obj", "7 0 R", "0 0 R", Honesty),
        ("contents a dictionary", "4 0 obj", "7 0 R", "2 0 R", Honesty),
        ("outline next itself", "14 0 obj", "null  ", "14 0 R", AllPages),
        ("outline next the root", "14 0 obj", "null  ", "13 0 R", AllPages),
        ("labels within themselves", "15 0 obj", "null    ", "[15 0 R]", AllPages),
        ("field above itself", "16 0 obj", "null  ", "16 0 R", AllPages),
    ] {
        let file = with(&sound, after, from, to);
        hold_tree(what, &sound, &file, expect);
    }
}

/// As [`hold`], but a tree that says other pages than it did may give them silently.
fn hold_tree(what: &str, sound: &[u8], file: &[u8], expect: Expect) {
    if matches!(what, "same leaf twice" | "kid above" | "kid itself") {
        let document = Document::open(Arc::new(file.to_vec()), None, &Limits::default()).unwrap();
        assert!(document.page_count() >= 2, "{what}");
        let _ = (document.outline(10), document.info());
        return;
    }
    hold(what, sound, file, expect);
    if let Ok(document) = Document::open(Arc::new(file.to_vec()), None, &Limits::default()) {
        let _ = (document.outline(10), document.info(), document.page_label(PageIndex(1)));
    }
}

#[test]
fn lengths_lie() {
    let sound = sound();
    for length in ["5", "23", "25", "26", "99", "-1", "9999999", "null", "(24)", "7 0 R", "99 0 R", "[24]", "1 0 R"] {
        if length.len() <= 4 {
            hold(length, &sound, &with(&sound, "7 0 obj", "24  ", length), AllPages);
        }
        if length.len() <= 7 && !length.ends_with('R') {
            // 99 bytes end where the third page's content does, which convinces every reader but the first.
            let expect = if length == "99" { Honesty } else { AllPages };
            hold(&format!("by reference: {length}"), &sound, &with(&sound, "10 0 obj", "24     ", length), expect);
        }
    }
    for reference in ["8 0 R", "9 0 R", "99 0 R", "0 0 R", "2 0 R"] {
        let file = with(&sound, "8 0 obj", "10 0 R", reference);
        hold(&format!("/Length {reference}"), &sound, &file, AllPages);
    }
    hold("length of itself", &sound, &with(&sound, "10 0 obj", "24     ", "10 0 R"), AllPages);
}

#[test]
fn startxref_lies() {
    let sound = sound();
    let text = String::from_utf8(sound.clone()).unwrap();
    let (head, tail) = text.rsplit_once("startxref\n").unwrap();
    let start: u64 = tail.lines().next().unwrap().parse().unwrap();
    let mut cases: Vec<(String, String)> = [0, 1, 9, start - 1, start + 1, start + 5, start * 2, u64::MAX]
        .map(|lie| (format!("startxref {lie}"), format!("{head}startxref\n{lie}\n%%EOF\n")))
        .to_vec();
    cases.push(("no startxref".to_owned(), head.to_owned()));
    cases.push(("no number".to_owned(), format!("{head}startxref\n%%EOF\n")));
    cases.push(("negative".to_owned(), format!("{head}startxref\n-{start}\n%%EOF\n")));
    cases.push(("no trailer".to_owned(), text.split("trailer").next().unwrap().to_owned()));
    cases.push(("no table".to_owned(), text.split("xref\n0").next().unwrap().to_owned()));
    cases.push(("another end".to_owned(), format!("{text}\n\n<!-- served in no time -->\n")));
    for (what, file) in cases {
        hold(&what, &sound, file.as_bytes(), AllPages);
    }
}

#[test]
fn tables_lie() {
    let sound = sound();
    let text = String::from_utf8(sound.clone()).unwrap();
    let entry = |number: usize| text.split("xref\n0 17\n").nth(1).unwrap().lines().nth(number).unwrap().to_owned();
    let offset = |number: usize| entry(number)[..10].parse::<usize>().unwrap();
    let replaced = |number: usize, to: String| text.replace(&entry(number), &to);
    let shifted = |by: usize| {
        let (table, rest) = text.split_once("xref\n0 17\n").unwrap();
        let rest = rest.replacen("0000000000 65535 f \n", "", by);
        format!("{table}xref\n{by} 16\n{rest}")
    };
    let mut cases = vec![
        ("offset one less".to_owned(), replaced(7, format!("{:010} 00000 n ", offset(7) - 1)), AllPages),
        ("offset one more".to_owned(), replaced(7, format!("{:010} 00000 n ", offset(7) + 1)), AllPages),
        ("offset of another".to_owned(), replaced(7, format!("{:010} 00000 n ", offset(8))), AllPages),
        ("offset past the end".to_owned(), replaced(7, "9999999999 00000 n ".to_owned()), AllPages),
        ("generation".to_owned(), replaced(7, format!("{:010} 00003 n ", offset(7))), AllPages),
        ("19 bytes".to_owned(), text.replace(" n \n", " n\n"), AllPages),
        ("21 bytes".to_owned(), text.replace(" n \n", " n \r\n"), AllPages),
        ("1 n with the free entry".to_owned(), text.replace("xref\n0 17", "xref\n1 17"), AllPages),
        ("0 n without the free entry".to_owned(), shifted(1).replace("xref\n1 16", "xref\n0 16"), AllPages),
        ("sound without the free entry".to_owned(), shifted(1), AllPages),
        ("count one less".to_owned(), text.replace("xref\n0 17", "xref\n0 16"), AllPages),
        ("count one more".to_owned(), text.replace("xref\n0 17", "xref\n0 18"), AllPages),
        ("count of billions".to_owned(), text.replace("xref\n0 17", "xref\n0 9999999999"), AllPages),
        ("/Size less".to_owned(), text.replace("/Size 17", "/Size 3 "), AllPages),
        ("/Size huge".to_owned(), text.replace("/Size 17", "/Size 99999999999"), AllPages),
        ("/Size negative".to_owned(), text.replace("/Size 17", "/Size -1"), AllPages),
        ("another number at the offset".to_owned(), text.replace("\n7 0 obj", "\n6 0 obj"), Honesty),
    ];
    for (number, what) in [(4, "page"), (7, "content"), (3, "node"), (2, "tree")] {
        let free = replaced(number, format!("{:010} 00000 f ", offset(number)));
        cases.push((format!("a free {what} that is used"), free, Honesty));
    }
    for previous in ["-1".to_owned(), "999999".to_owned(), "0".to_owned(), text.find("xref\n0").unwrap().to_string()] {
        let file = text.replace("/Size 17", &format!("/Size 17 /Prev {previous}"));
        cases.push((format!("/Prev {previous}"), file, AllPages));
    }
    for (what, file, expect) in cases {
        hold(&what, &sound, file.as_bytes(), expect);
    }
}

#[test]
fn junk_before_the_header_moves_offsets_or_does_not() {
    let sound = sound();
    for junk in ["\n", "HTTP/1.1 200 OK\r\n\r\n", &"%junk\n".repeat(150)] {
        let moved = [junk.as_bytes(), &sound].concat();
        hold("offsets from the header", &sound, &moved, AllPages);
        let text = String::from_utf8(sound.clone()).unwrap();
        let (body, table) = text.split_once("xref\n0 17\n").unwrap();
        let (entries, trailer) = table.split_once("trailer").unwrap();
        let entries = entries.lines().map(|entry| match entry[..10].parse::<usize>() {
            Ok(offset) if offset > 0 => format!("{:010}{}\n", offset + junk.len(), &entry[10..]),
            _ => format!("{entry}\n"),
        });
        let entries: String = entries.collect();
        let trailer = trailer.replace(&body.len().to_string(), &(body.len() + junk.len()).to_string());
        let file = format!("{junk}{body}xref\n0 17\n{entries}trailer{trailer}");
        hold("offsets from the first byte", &sound, file.as_bytes(), AllPages);
        assert_eq!(read(file.as_bytes(), all).unwrap().tier, Tier::Direct);
    }
}

/// The entries of an object stream and of a cross-reference stream that can lie.
#[derive(Clone, Copy)]
struct Claims<'a> {
    count: &'a str,
    first: &'a str,
    widths: &'a str,
    rows: &'a str,
    hybrid: Option<i64>,
}

const HONEST: Claims<'_> = Claims { count: "3", first: "15", widths: "1 2 1", rows: "/Size 8", hybrid: None };

/// One page; catalog, page tree and font are in object stream 6. With `hybrid`, a table has what stands outside of it,
/// and `/XRefStm` is off by that much.
fn streamed(claims: Claims<'_>) -> Vec<u8> {
    let catalog = "<</Type/Catalog/Pages 2 0 R>>  ";
    let pages = "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 99 99]>>   ";
    let font = "<</Type/Font/Subtype/Type1/BaseFont/Courier>>";
    let table = format!("1 0 2 {} 5 {}", catalog.len(), catalog.len() + pages.len());
    let members = format!("{table:15}{catalog}{pages}{font}");
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = [0; 8];
    let page = "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>".to_owned();
    let content = stream("/Length 8 ", "/F 9 Tf ");
    let container = format!("/Type/ObjStm/N {}/First {}/Length {}", claims.count, claims.first, members.len());
    for (number, object) in [(3, page), (4, content), (6, stream(&container, &members))] {
        offsets[number] = file.len();
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    offsets[7] = file.len();
    let mut rows = Vec::new();
    for (number, offset) in offsets.iter().enumerate() {
        let member = [1, 2, 5].iter().position(|member| *member == number);
        let (kind, value, third) = match member {
            Some(index) => (2, 6, u8::try_from(index).unwrap()),
            None => (u8::from(number > 0), u16::try_from(*offset).unwrap(), 0),
        };
        rows.push(kind);
        rows.extend(value.to_be_bytes());
        rows.push(third);
    }
    let Claims { widths, rows: index, hybrid, .. } = claims;
    let head = format!("7 0 obj\n<</Type/XRef{index}/W[{widths}]/Root 1 0 R/Length {}>>\nstream\n", rows.len());
    file.extend(head.bytes());
    file.extend(rows);
    file.extend(b"\nendstream\nendobj\n");
    let mut start = offsets[7];
    if let Some(off) = hybrid {
        start = file.len();
        file.extend(b"xref\n0 8\n0000000000 65535 f \n");
        for offset in &offsets[1..] {
            let kind = if *offset > 0 { 'n' } else { 'f' };
            file.extend(format!("{offset:010} 00000 {kind} \n").bytes());
        }
        let stream = i64::try_from(offsets[7]).unwrap() + off;
        file.extend(format!("trailer\n<</Size 8/Root 1 0 R/XRefStm {stream}>>\n").bytes());
    }
    file.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
    file
}

#[test]
fn streams_of_objects_and_references_lie() {
    let sound = streamed(HONEST);
    let outcome = read(&sound, all).unwrap();
    assert_eq!((outcome.tier, outcome.noted, outcome.pages.len()), (Tier::Direct, false, 1));
    for count in ["2", "4", "0", "-1", "99999999", "null", "6 0 R"] {
        hold(&format!("/N {count}"), &sound, &streamed(Claims { count, ..HONEST }), Honesty);
    }
    for first in ["0", "13", "14", "16", "17", "999", "-1", "null"] {
        hold(&format!("/First {first}"), &sound, &streamed(Claims { first, ..HONEST }), Honesty);
    }
    for widths in ["1 1 2", "0 3 1", "1 2", "1 2 1 1", "1 2 0", "1 3 1", "9 9 9", "-1 2 1", "0 0 0", "2 1 1"] {
        hold(&format!("/W {widths}"), &sound, &streamed(Claims { widths, ..HONEST }), Honesty);
    }
    for rows in [
        "/Size 8/Index[0 8]",
        "/Size 5",
        "/Size 9",
        "/Size 99999999999",
        "/Size -1",
        "/Size 8/Index[1 7]",
        "/Size 8/Index[0 5]",
        "/Size 8/Index[0 9]",
        "/Size 8/Index[0]",
        "/Size 8/Index[0 -8]",
        "/Size 8/Index[]",
        "/Size 8/Prev 0",
        "/Size 8/Prev 99999",
    ] {
        hold(rows, &sound, &streamed(Claims { rows, ..HONEST }), Honesty);
    }
}

#[test]
fn hybrid_files_lie() {
    let sound = streamed(Claims { hybrid: Some(0), ..HONEST });
    let outcome = read(&sound, all).unwrap();
    assert_eq!((outcome.tier, outcome.noted, outcome.pages.len()), (Tier::Direct, false, 1));
    for off in [-1, 1, -9999, 9999] {
        let file = streamed(Claims { hybrid: Some(off), ..HONEST });
        hold(&format!("/XRefStm off by {off}"), &sound, &file, if off == -1 { AllPages } else { Honesty });
    }
}

#[test]
fn references_that_go_round_lead_to_nothing() {
    let catalog = "<</Type/Catalog/Pages 2 0 R/Lang 5 0 R/OCProperties 5 0 R/AcroForm 5 0 R/OutputIntents 5 0 R>>";
    let page =
        "<</Type/Page/Parent 2 0 R/MediaBox 6 0 R/Resources 5 0 R/Annots[5 0 R 6 0 R]/Group 6 0 R/Rotate 5 0 R>>";
    let file = file_of(&[catalog, "<</Type/Pages/Kids[3 0 R]/Count 1>>", page, "null", "6 0 R", "5 0 R"]);
    let outcome = read(&file, all).unwrap();
    assert!(outcome.pages[0].is_some());
}

/// Numbers that look random and are the same in every run.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = std::fs::read_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut names: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "pdf"));
    names.sort();
    let named = |path: &std::path::PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    names.iter().map(|path| (named(path), std::fs::read(path).unwrap())).collect()
}

/// The first and the last page.
fn ends(count: u32) -> Vec<u32> {
    match count {
        0 => Vec::new(),
        1 => vec![0],
        _ => vec![0, count - 1],
    }
}

/// Holds the first and the last page of a damaged fixture to those of the sound one. A silent difference is excused
/// where `excused` says so.
fn hold_ends(what: &str, sound: &Option<Outcome>, file: &[u8], excused: impl Fn(usize, &Seen) -> bool) {
    let (Some(sound), Some(outcome)) = (sound, read(file, ends)) else { return };
    for (index, (page, truth)) in outcome.pages.iter().zip(&sound.pages).enumerate() {
        let (Some((page, silent)), Some((truth, _))) = (page, truth) else { continue };
        if *silent && outcome.tier == sound.tier && page.0 != truth.0 {
            assert!(excused(index, truth), "{what}: end {index} differs without a word");
        }
    }
}

#[test]
fn what_is_cut_off_is_not_passed_over_in_silence() {
    for (name, bytes) in fixtures() {
        let sound = read(&bytes, ends);
        for part in 1..50 {
            let file = &bytes[..bytes.len() * part / 50];
            hold_ends(&format!("{part}/50 of {name}"), &sound, file, |_, _| false);
        }
    }
}

#[test]
fn a_changed_byte_breaks_nothing() {
    let mut seeded = Seeded(0x5EED);
    for (name, bytes) in fixtures() {
        let sound = read(&bytes, ends);
        for _ in 0..40 {
            let at = seeded.below(bytes.len());
            let mut file = bytes.clone();
            file[at] ^= u8::try_from(1 + seeded.below(255)).unwrap();
            // Some bytes make another sound file of it; then every reader is fooled, and lopdf is one of them.
            let excused = |index: usize, truth: &Seen| {
                let damaged = Chunk::load_mem(&file).ok();
                let count = damaged.map_or(0, |file| file.page_iter().count());
                let page = ends(u32::try_from(count).unwrap()).get(index).copied().unwrap_or(0);
                seen(&file, usize::try_from(page).unwrap()).is_none_or(|page| page.0 != truth.0)
            };
            hold_ends(&format!("byte {at} of {name}"), &sound, &file, excused);
        }
    }
}

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

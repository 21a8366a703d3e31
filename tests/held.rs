//! What counts as held is what was given: where the answer in a form changes, the page comes again; where a text stays the
//! same, it does not.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use pagewise::{Api, Form, Pagewise, Request};

use crate::support::context_bench::{Bench, READ_SO_FAR, pages, summary};
use crate::support::pdf::{file_of, stream_of};
use pagewise::context::{AnswerSettings, FileRequest, ForgetRequest};
use pagewise::tool::{Caller, ConversationArguments, StatusArguments, context_status};
use pagewise_view::PageForm;

/// A tagged page that uses an object of each kind. Each line is an object; a stream follows its dictionary after `|`.
const PAGE: &str = "
<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 10 0 R/AcroForm<</Fields[17 0 R 27 0 R]/DR<</Font<</F 5 0 R>>>>/DA(/F 9 Tf 0 g)>>/OCProperties<</OCGs[19 0 R]/D<</ON[19 0 R]>>>>>>
<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 300 400]>>
<</Type/Page/Parent 2 0 R/Contents 4 0 R/StructParents 0/Annots[18 0 R 17 0 R 23 0 R 24 0 R 27 0 R]/Resources<</Font<</F 5 0 R>>/XObject<</Im 7 0 R/Fm 8 0 R>>/Pattern<</P 9 0 R>>/Shading<</Sh 20 0 R>>/ExtGState<</G 22 0 R>>/Properties<</L 19 0 R>>/ColorSpace<</Cs[/Indexed/DeviceRGB 1<FF000000FF00>]>>>>>>
|/Figure<</MCID 0>>BDC q 100 0 0 50 20 330 cm /Im Do Q EMC /P<</MCID 1>>BDC BT /F 12 Tf 20 300 Td (Prices of the year) Tj ET EMC /P<</MCID 2>>BDC BT /F 12 Tf 20 270 Td (see) Tj ET EMC /P<</MCID 3>>BDC BT /F 12 Tf 20 240 Td [(wat)-20(er)] TJ ET /OC/L BDC BT /F 12 Tf 20 210 Td (layered words) Tj ET EMC EMC /Pattern cs /P scn 20 150 40 40 re f q 80 150 40 40 re W n /Sh sh Q q 1 0 0 1 140 150 cm /Fm Do Q q /G gs 0.5 g 200 150 40 40 re f Q /Cs cs 1 sc 20 100 40 40 re f
<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/ToUnicode 6 0 R>>
|begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfrange <20> <7E> <0020> endbfrange endcmap
/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/SMask 26 0 R/Filter/ASCIIHexDecode|00FFFF40>
/Type/XObject/Subtype/Form/BBox[0 0 40 40]/Resources<<>>|0 0 1 rg 0 0 30 30 re f
/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 10 10]/XStep 10/YStep 10/Resources<<>>|1 0 0 rg 0 0 5 5 re f
<</Type/StructTreeRoot/K 11 0 R/ParentTree 12 0 R/RoleMap<</Head/H1>>>>
<</S/Document/P 10 0 R/K[13 0 R 14 0 R 15 0 R 16 0 R]>>
<</Nums[0[13 0 R 14 0 R 15 0 R 16 0 R]]>>
<</S/Figure/P 11 0 R/Pg 3 0 R/K 0/Alt(Sales rose in 2023)>>
<</S/Head/P 11 0 R/Pg 3 0 R/K 1>>
<</S/P/P 11 0 R/Pg 3 0 R/K 2>>
<</S/P/P 11 0 R/Pg 3 0 R/K 3>>
<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Ada)/Rect[150 330 250 350]/P 3 0 R/DA(/F 9 Tf 0 g)>>
<</Type/Annot/Subtype/Text/Rect[270 370 290 390]/Contents(Check this)/T(Bo)/M(D:20240101000000Z)>>
<</Type/OCG/Name(Layer)>>
<</ShadingType 2/ColorSpace/DeviceRGB/Coords[80 150 120 190]/Function 21 0 R>>
<</FunctionType 2/Domain[0 1]/C0[1 0 0]/C1[0 0 1]/N 1>>
<</Type/ExtGState/ca 1>>
<</Type/Annot/Subtype/Link/Rect[20 265 60 285]/A<</S/URI/URI(https://example.org/one)>>>>
<</Type/Annot/Subtype/Square/Rect[250 20 290 60]/AP<</N 25 0 R>>>>
/Type/XObject/Subtype/Form/BBox[0 0 40 40]/Resources<</Font<</T 29 0 R>>>>|1 0 0 rg 0 0 40 20 re f BT /T 10 Tf 5 25 Td (a) Tj ET
/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray/Filter/ASCIIHexDecode|FFFFFF80>
<</Type/Annot/Subtype/Widget/FT/Btn/T(agree)/AS/Yes/V/Yes/Rect[150 300 165 315]/P 3 0 R/AP<</N<</Yes 25 0 R/Off 28 0 R>>>>>>
/Type/XObject/Subtype/Form/BBox[0 0 40 40]/Resources<<>>|1 1 38 38 re S
<</Type/Font/Subtype/Type3/FontBBox[0 0 10 10]/FontMatrix[.1 0 0 .1 0 0]/CharProcs<</a 30 0 R>>/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[10]/Resources<<>>>>
|10 0 d0 0 0 8 8 re f
";

fn file(page: &str) -> Vec<u8> {
    let object = |line: &str| match line.split_once('|') {
        Some((entries, data)) => stream_of(entries, data.as_bytes()),
        None => line.as_bytes().to_vec(),
    };
    file_of(&page.trim().lines().map(object).collect::<Vec<_>>())
}

/// Without these annotations the structure tree accounts for all words, and is believed.
const ANNOTATIONS: &str = " 17 0 R 23 0 R 24 0 R 27 0 R]/Resources";

/// What changes in the structure tree of the page without these annotations: each pair is that page and the page with one
/// replacement.
const STRUCTURE_CHANGES: [(&str, &str, &str); 4] = [
    ("a description", "rose in 2023", "fell in 2023"),
    ("a role", "/S/P/P 11 0 R/Pg 3 0 R/K 3", "/S/BlockQuote/P 11 0 R/Pg 3 0 R/K 3"),
    ("the role map", "/Head/H1", "/Head/P"),
    ("the order of the structure", "14 0 R 15 0 R 16 0 R]>>\n<</Nums", "14 0 R 16 0 R 15 0 R]>>\n<</Nums"),
];

/// What changes of the page, in the same way.
const CHANGES: [(&str, &str, &str); 36] = [
    ("a replacement text", "/MCID 2>>", "/MCID 2/ActualText(look)>>"),
    ("the value of a field", "/V(Ada)", "/V(Bob)"),
    ("the name of a field", "/T(name)", "/T(owner)"),
    ("the text of a comment", "Check this", "Check that"),
    ("the author of a comment", "/T(Bo)", "/T(Al)"),
    ("the date of a comment", "D:20240101", "D:20250101"),
    ("the place of a comment", "[270 370 290 390]", "[270 350 290 370]"),
    ("a shown string", "(Prices of", "(Prides of"),
    ("the place of a text", "20 270 Td", "30 270 Td"),
    ("a map to Unicode", "<20> <7E> <0020>", "<20> <7E> <0021>"),
    ("the font of a text", "/BaseFont/Helvetica", "/BaseFont/Courier"),
    ("the encoding of a font", "/Encoding/WinAnsiEncoding", "/Encoding<</Differences[80/Q]>>"),
    ("a layer", "/D<</ON[19 0 R]>>", "/D<</OFF[19 0 R]>>"),
    ("an inherited box", "/MediaBox[0 0 300 400]", "/MediaBox[0 0 320 400]"),
    ("an inherited rotation", "/MediaBox[0 0 300 400]", "/MediaBox[0 0 300 400]/Rotate 90"),
    ("an image", "00FFFF40>", "00FFFF80>"),
    ("a form", "0 0 30 30 re f", "0 0 20 30 re f"),
    ("a pattern", "1 0 0 rg 0 0 5 5 re f", "0 1 0 rg 0 0 5 5 re f"),
    ("a function of a shading", "/C1[0 0 1]", "/C1[0 1 1]"),
    ("a graphics state", "/ca 1>>", "/ca .5>>"),
    ("a palette", "<FF000000FF00>", "<FF00000000FF>"),
    ("the target of a link", "org/one", "org/two"),
    ("the appearance of an annotation", "1 0 0 rg 0 0 40 20", "0 1 0 rg 0 0 40 20"),
    ("a hidden annotation", "/Rect[250 20 290 60]", "/F 2/Rect[250 20 290 60]"),
    ("a checkbox", "/AS/Yes/V/Yes", "/AS/Off/V/Off"),
    ("a glyph of a Type 3 font", "0 0 8 8 re f", "0 0 4 8 re f"),
    ("a soft mask", "FFFFFF80>", "FFFFFF00>"),
    ("the decoding of an image", "/DeviceGray/SMask", "/DeviceGray/Decode[1 0]/SMask"),
    ("the unit of the page", "/StructParents 0/", "/StructParents 0/UserUnit 2/"),
    ("the crop box", "/StructParents 0/", "/StructParents 0/CropBox[0 0 200 400]/"),
    ("a blend mode", "/ca 1>>", "/ca 1/BM/Screen>>"),
    ("a grey", "0.5 g 200", "0.2 g 200"),
    ("a clip", "80 150 40 40 re W n", "80 150 20 40 re W n"),
    (
        "the matrix of a form",
        "/BBox[0 0 40 40]/Resources<<>>|0 0 1",
        "/BBox[0 0 40 40]/Matrix[1 0 0 1 9 0]/Resources<<>>|0 0 1",
    ),
    ("the step of a pattern", "/XStep 10", "/XStep 7"),
    ("the ends of a shading", "/Coords[80 150 120 190]", "/Coords[80 150 100 170]"),
];

#[test]
fn a_page_comes_again_in_each_form_whose_answer_changed_and_in_no_text_that_stayed() {
    let folder = tempfile::tempdir().unwrap();
    let pagewise = Pagewise::builder().root(folder.path()).build().unwrap();
    let path = folder.path().join("a.pdf");
    let ask = |form: Form, conversation: &str| {
        let request = Request::new("a.pdf").pages("1").form(form).conversation(conversation);
        let answer = pagewise.get_file(&request).unwrap();
        let (said, sent) = (serde_json::to_string(&answer.to_json(Api::Anthropic)).unwrap(), answer.sent_pages());
        answer.commit().unwrap();
        (said, sent)
    };
    let forms = [Form::Text, Form::Markdown, Form::Image, Form::Document];
    let plain = PAGE.replacen(ANNOTATIONS, "]/Resources", 1);
    let structure = STRUCTURE_CHANGES.iter().map(|change| (plain.as_str(), change));
    let pairs = structure.chain(CHANGES.iter().map(|change| (PAGE, change)));
    for (at, (page, (what, from, to))) in pairs.enumerate() {
        let changed = page.replacen(from, to, 1);
        assert_ne!(changed, page, "{what}");
        std::fs::write(&path, file(page)).unwrap();
        let before = forms.map(|form| ask(form, &format!("{at} held {form:?}")).0);
        std::fs::write(&path, file(&changed)).unwrap();
        let mut differs = forms.map(|_| false);
        for (index, form) in forms.into_iter().enumerate() {
            let (_, again) = ask(form, &format!("{at} held {form:?}"));
            let (now, _) = ask(form, &format!("{at} new {form:?}"));
            differs[index] = now != before[index];
            let is_text = matches!(form, Form::Text | Form::Markdown);
            // A document may be written in other bytes and be the same.
            let is_same = !differs[index] && is_text;
            let has_changed = differs[index] && form != Form::Document || differs[2] && form == Form::Document;
            assert!(!has_changed || again == [1], "{what} as {form:?} is held although it changed");
            assert!(!is_same || again.is_empty(), "{what} as {form:?} comes again although nothing changed");
        }
        assert!(differs.contains(&true), "{what} changes no answer");
    }
}

/// A page of labels, and of values that begin at `x`.
fn labels_and_values(x: u32) -> Vec<u8> {
    let rows = [
        ("Name of person", "Ada Byron"),
        ("Street and number", "Long Lane 7"),
        ("Town or village", "Oxford"),
        ("Post code", "1815"),
        ("Place of birth", "London"),
        ("Date of birth", "10 December"),
    ];
    let row = |(at, (label, value)): (u32, (&str, &str))| {
        let y = 360 - 15 * at;
        format!("BT /F 10 Tf 20 {y} Td ({label}) Tj ET BT /F 10 Tf {x} {y} Td ({value}) Tj ET ")
    };
    let content = (0..).zip(rows).map(row).collect::<String>();
    file_of(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 400 400]>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>".to_vec(),
        stream_of("", content.as_bytes()),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
    ])
}

#[test]
fn a_text_with_its_columns_is_held_by_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let pagewise = Pagewise::builder().root(folder.path()).build().unwrap();
    let write = |x| std::fs::write(folder.path().join("a.pdf"), labels_and_values(x)).unwrap();
    let ask = |form: Form, conversation: &str| {
        let request = Request::new("a.pdf").pages("1").form(form).conversation(conversation);
        let answer = pagewise.get_file(&request).unwrap();
        let (said, sent) = (serde_json::to_string(&answer.to_json(Api::Anthropic)).unwrap(), answer.sent_pages());
        answer.commit().unwrap();
        (said, sent)
    };
    write(180);
    let (first, sent) = ask(Form::Mixed, "columns");
    assert!(sent == [1] && first.contains("columns are kept by spaces"), "{first}");
    let (held, sent) = ask(Form::Mixed, "columns");
    assert!(sent.is_empty() && held.contains("already been provided"), "{held}");
    assert_eq!(ask(Form::Text, "columns").1, [1], "its plain text was not given");
    assert_eq!(ask(Form::Text, "text").1, [1]);
    write(300);
    let (moved, sent) = ask(Form::Mixed, "columns");
    assert!(sent == [1] && moved != first, "the columns stand elsewhere: {moved}");
    assert!(ask(Form::Text, "text").1.is_empty(), "the plain text is the same");
}

fn as_text(selection: &str) -> impl Fn(&mut FileRequest) {
    let selected = pages(selection);
    move |request| {
        selected(request);
        request.form = PageForm::Text;
    }
}

#[test]
fn a_twin_within_a_document_is_named_as_the_page_that_was_given() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["same", "same", "other", "same"]);
    bench.given("a.pdf", as_text("2"));
    let named = "Page 4 of a.pdf as text is the same as page 2 of a.pdf, which you already have.";
    for _ in 0..2 {
        assert!(bench.given("a.pdf", as_text("4"))[0].starts_with(named), "however often it is asked for");
    }
    let forced = |request: &mut FileRequest| {
        as_text("2")(request);
        request.force = true;
    };
    bench.given("a.pdf", forced);
    assert!(bench.given("a.pdf", as_text("4"))[0].starts_with(named), "page 4 was still not given itself");
}

#[test]
fn a_page_that_cannot_be_named_as_it_was_given_is_sent() {
    let bench = Bench::new();
    // An earlier version under another name.
    bench.pdf("a.pdf", &["1000"]);
    bench.given("a.pdf", as_text("1"));
    bench.pdf("a.pdf", &["2000"]);
    bench.given("a.pdf", as_text("1"));
    bench.pdf("old.pdf", &["1000"]);
    let answer = bench.given("old.pdf", as_text("1"));
    assert!(answer[0].contains("The text of 1000") && !answer.join("").contains("replaces"), "{answer:?}");
    // There and back, then another file.
    bench.pdf("c.pdf", &["3000"]);
    bench.given("c.pdf", as_text("1"));
    bench.pdf("c.pdf", &["4000"]);
    bench.given("c.pdf", as_text("1"));
    bench.pdf("c.pdf", &["3000"]);
    bench.given("c.pdf", as_text("1"));
    bench.pdf("d.pdf", &["4000"]);
    assert!(bench.given("d.pdf", as_text("1"))[0].contains("The text of 4000"));
}

#[test]
fn a_twin_that_is_removed_takes_nothing_with_it_that_the_other_still_shows() {
    let bench = Bench::new();
    bench.pdf("other.pdf", &["same", "x"]);
    bench.given("other.pdf", pages("1"));
    bench.pdf("a.pdf", &["one", "same"]);
    bench.given("a.pdf", as_text("1-2"));
    bench.pdf("a.pdf", &["same", "same"]);
    assert!(bench.given("a.pdf", pages("2"))[0].contains("is the same as page 1 of"));
    bench.pdf("a.pdf", &["same"]);
    assert!(told(&bench).contains("Removed"));
    assert!(bench.given("other.pdf", pages("1"))[0].starts_with("Page 1 of other.pdf has already been provided"));
}

#[test]
fn a_change_there_and_back_comes_again_in_whatever_form_it_was_seen() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["one"]);
    bench.given("a.pdf", as_text("1"));
    bench.pdf("a.pdf", &["two"]);
    bench.given("a.pdf", pages("1"));
    bench.pdf("a.pdf", &["one"]);
    assert!(
        bench.given("a.pdf", as_text("1"))[0].contains("The text of one"),
        "the agent saw the document of two last"
    );
}

/// Asks and commits; what the answer says of how much was read, which is its last line.
fn read_so_far(bench: &Bench, file: &str, change: impl Fn(&mut FileRequest)) -> Option<String> {
    let answer = bench.ask(file, change);
    let last = answer.blocks.last().and_then(|block| block.text()?.lines().last());
    let read = last.and_then(|line| line.strip_prefix(READ_SO_FAR)).map(str::to_owned);
    let said = answer.blocks.iter().filter_map(|block| block.text()).filter(|text| text.contains(READ_SO_FAR));
    assert_eq!(said.count(), usize::from(read.is_some()), "it is the last line or nowhere");
    answer.delivery.commit().unwrap();
    read
}

#[test]
fn answers_with_pages_end_with_what_was_read_if_that_is_not_all() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["1", "2", "3", "4"]);
    assert_eq!(read_so_far(&bench, "a.pdf", as_text("1-2")).as_deref(), Some("2 of 4 pages (1-2)."));
    assert_eq!(read_so_far(&bench, "a.pdf", as_text("1")).as_deref(), Some("2 of 4 pages (1-2)."), "it is held");
    assert_eq!(read_so_far(&bench, "a.pdf", pages("2,4")).as_deref(), Some("3 of 4 pages (1-2,4)."), "in any form");
    bench.pdf("b.pdf", &["1", "2", "3", "4"]);
    assert_eq!(
        read_so_far(&bench, "b.pdf", as_text("4")).as_deref(),
        Some("3 of 4 pages (1-2,4)."),
        "the same document"
    );
    bench.pdf("a.pdf", &["1", "2", "new", "4"]);
    let changed = bench.ask("a.pdf", as_text("1"));
    assert_eq!(changed.details.read_so_far.map(|pages| pages.to_string()).as_deref(), Some("1-2,4"));
    assert_eq!(read_so_far(&bench, "a.pdf", as_text("1-4")), None, "all is read");
    let forget = ForgetRequest { file: Some("a.pdf".to_owned()), ..ForgetRequest::default() };
    bench.context.forget(&"c".parse().unwrap(), &forget).unwrap();
    assert_eq!(read_so_far(&bench, "a.pdf", as_text("3")).as_deref(), Some("1 of 4 pages (3)."));
}

#[test]
fn nothing_is_said_of_what_was_read_where_it_is_not_known() {
    let bench = Bench::new();
    bench.pdf("a.pdf", &["1", "2"]);
    let without = |request: &mut FileRequest| {
        as_text("1")(request);
        request.conversation = None;
    };
    assert_eq!(read_so_far(&bench, "a.pdf", without), None);
    bench.context.enter(&"c".parse().unwrap(), 2).unwrap();
    let earlier = |request: &mut FileRequest| {
        as_text("1")(request);
        request.generation = Some(1);
    };
    assert_eq!(read_so_far(&bench, "a.pdf", earlier), None, "nothing of it is recorded");
    // Pages cannot be cut, and the summary gives their text.
    bench.pdf("b.pdf", &["uncut 1", "uncut 2"]);
    bench.given("b.pdf", summary);
    assert_eq!(read_so_far(&bench, "b.pdf", as_text("1")), None);
}

#[test]
fn a_page_that_was_cut_does_not_count_as_read() {
    let bench = Bench::with(AnswerSettings { max_text_characters: 40, ..AnswerSettings::default() });
    let long = "x".repeat(60);
    bench.pdf("a.pdf", &["1", &long]);
    assert_eq!(read_so_far(&bench, "a.pdf", as_text("2")).as_deref(), Some("0 of 2 pages."));
}

#[test]
fn a_status_names_what_is_unread_by_its_sections() {
    let bench = Bench::new();
    // Entries are `Entry 0` on page 1, `Entry 1` below it on page 2, `Entry 2` on page 3 and so on.
    bench.pdf("a.pdf", &["1", "2", "3", "4", "5"]);
    bench.given("a.pdf", as_text("1,3"));
    let status = || {
        let held = ConversationArguments { conversation: Some("c".to_owned()).into(), generation: None };
        let arguments = StatusArguments { held, ..StatusArguments::default() };
        context_status(&bench.context, &arguments, &Caller::direct()).unwrap().data(&arguments)
    };
    let data = status();
    let unread = "; unread: 'Entry 1' (page 2), 'Entry 3' (page 4), 'Entry 4' (page 5)\n";
    assert!(data.text.contains(&format!("pages 1,3 as text{unread}")), "{}", data.text);
    assert!(data.text.contains("Untrusted content of "), "{}", data.text);
    let file = &data.structure["files"][0];
    assert_eq!((&file["unread"], &file["unreadSections"][1]["pages"]), (&"2,4-5".into(), &"4".into()));
    // Of a file that is not any more what was given, the sections are not known.
    bench.pdf("a.pdf", &["1", "2", "3", "4", "other"]);
    assert!(status().text.contains("; unread: pages 2,4-5\n"));
    bench.given("a.pdf", as_text("1-5"));
    assert!(!status().text.contains("unread"));
}

fn lines(start: u64, count: u64) -> impl Fn(&mut FileRequest) {
    move |request| (request.start_line, request.line_count) = (Some(start), Some(count))
}

#[test]
fn of_a_text_the_lines_that_were_given_are_held_and_no_others() {
    let bench = Bench::new();
    bench.write("a.txt", &(1..=1_000).map(|line| format!("line {line} {}\n", "x".repeat(80))).collect::<String>());
    let mut given = Vec::new();
    for _ in 0..9 {
        let answer = bench.given("a.txt", summary).join("\n");
        given.push(answer.lines().next().unwrap().to_owned());
        if !answer.starts_with("[Lines") {
            break;
        }
    }
    let last = given.pop().unwrap();
    assert!(last.starts_with("This file is already part"), "{last}");
    let starts: Vec<_> =
        given.iter().map(|head| head.split(['-', ' ']).nth(1).unwrap().parse::<u64>().unwrap()).collect();
    assert!(starts[0] == 1 && starts.len() > 1 && starts.windows(2).all(|pair| pair[0] < pair[1]), "{given:?}");
    let asked = bench.given("a.txt", lines(12, 2)).join("\n");
    assert!(asked.contains("line 12 ") && asked.contains("line 13 ") && !asked.contains("line 14 "), "{asked}");
}

#[test]
fn an_abridged_line_is_never_held() {
    let bench = Bench::new();
    let long = "x".repeat(9_000);
    bench.write("a.txt", &format!("one\n{long}\nthree\n"));
    bench.given("a.txt", summary);
    let again = bench.given("a.txt", summary).join("\n");
    assert!(again.starts_with("[Lines 2-2 of 3]\nLines 1-1,3-3 have already been provided"), "{again}");
    assert!(again.contains("characters left out"), "{again}");
}

#[test]
fn a_file_of_which_only_abridged_lines_were_sent_is_followed() {
    let bench = Bench::new();
    let long = "x".repeat(9_000);
    for text in [format!("one\n{long}\nthree\n"), long] {
        bench.context.forget(&"c".parse().unwrap(), &ForgetRequest::default()).unwrap();
        for name in ["a.txt", "copy.txt"] {
            bench.write(name, &text);
            bench.given(name, summary);
        }
        let status = bench.context.status(&"c".parse().unwrap(), None).unwrap();
        assert_eq!(status.files.len(), 2, "{status:?}");
        bench.write("copy.txt", &format!("{text}four\n"));
        let update = told(&bench);
        assert!(update.contains("copy.txt: This file has changed since it was given to you"), "{update}");
    }
}

#[test]
fn what_a_copy_gave_is_named_after_it() {
    let bench = Bench::new();
    let picture = std::fs::read(crate::support::fixture("picture.png")).unwrap();
    let long = format!("one\n{}\nthree\n", "x".repeat(9_000));
    for (bytes, expected) in [
        (b"one\n".as_slice(), "information about the contents of this file. Its content is the same as that of "),
        (long.as_bytes(), "[Lines 2-2 of 3]\nLines 1-1,3-3 are the same as in "),
        (b"%PDF-1.7\none\n", "in this conversation. Its content is the same as that of "),
        (&picture, "information about the contents of this file. Its content is the same as that of "),
    ] {
        bench.context.forget(&"c".parse().unwrap(), &ForgetRequest::default()).unwrap();
        for name in ["a", "copy"] {
            std::fs::write(bench.folder.path().join(name), bytes).unwrap();
        }
        bench.given("a", summary);
        let copy = bench.given("copy", summary).join("\n");
        let first = format!("{expected}{}, which you already have.", bench.folder.path().join("a").display());
        assert!(copy.contains(&first), "{copy}");
        for name in ["a", "copy"] {
            let again = bench.given(name, summary).join("\n");
            assert!(again.contains("already") && !again.contains("same as"), "{name}: {again}");
        }
    }
}

/// What `context_updates` says of `b.txt` after the change of `a.txt`.
fn told(bench: &Bench) -> String {
    let updates = bench.context.updates(&"c".parse().unwrap(), None, &pagewise::Cancellation::new()).unwrap();
    let told = updates.files.iter().map(pagewise::tool::update_text).collect::<Vec<_>>().join("\n");
    updates.delivery.commit().unwrap();
    told
}

#[test]
fn a_small_changed_text_is_told_whole_and_a_change_that_was_not_shown_is_told_again() {
    let bench = Bench::new();
    let long = |word: &str| (0..9_000).map(|line| format!("{word} {line}\n")).collect::<String>();
    for (before, after, expected, is_once) in [
        ("alpha beta\n".to_owned(), "gamma delta\n".to_owned(), "Its whole text now:\n", true),
        ("old\n".to_owned(), String::new(), "It is empty now.", true),
        (long("a"), long("b"), "only parts of its earlier text are known", false),
    ] {
        bench.write("a.txt", &before);
        bench.given("a.txt", |request: &mut FileRequest| request.force = true);
        bench.write("a.txt", &after);
        let update = told(&bench);
        assert!(update.contains(expected) && (after.is_empty() || !is_once || update.contains(&after)), "{update}");
        assert_eq!(told(&bench).is_empty(), is_once, "{expected}");
    }
}

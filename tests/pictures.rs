//! What is drawn of a page beside what the page itself draws: fonts from outside, fields without an appearance.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex};

use hayro_interpret::font::StandardFont;
use pagewise::worker::{FontFiles, InProcessReader, LocalFonts, OpenFont, PdfError, Picture, Reader, RenderOptions};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_render::{NoFonts, WantedFont, WantedScript};

use super::support::file_of;

/// One font for every script, and what was asked for.
#[derive(Default)]
struct OneFont {
    asked: Mutex<Vec<WantedFont>>,
}

impl FontFiles for OneFont {
    fn open(&self, wanted: WantedFont) -> Option<OpenFont> {
        self.asked.lock().unwrap().push(wanted);
        let (data, index) = StandardFont::Courier.get_font_data();
        let data = (*data).as_ref();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(data).unwrap();
        Some(OpenFont { file, length: data.len() as u64, name: "courier".to_owned(), index })
    }
}

fn picture(reader: &dyn Reader, pdf: &[u8]) -> Picture {
    let document = reader.open(Arc::new(pdf.to_vec()), None, &pagewise_base::limits::Cancellation::new()).unwrap();
    document.picture(PageIndex(0), &RenderOptions::default()).unwrap()
}

fn without_fonts(pdf: &[u8]) -> Picture {
    picture(&InProcessReader::new(Limits::default(), Arc::new(NoFonts)), pdf)
}

/// Pixels of a picture that are not white, within shares of its width and height.
fn ink(picture: &Picture, [left, top, right, bottom]: [f64; 4]) -> usize {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(&picture.png));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let (width, channels) = (frame.width as usize, frame.color_type.samples());
    let is_within = |at: usize| {
        let (x, y) = ((at % width) as f64 / f64::from(frame.width), (at / width) as f64 / f64::from(frame.height));
        (left..right).contains(&x) && (top..bottom).contains(&y)
    };
    let pixels = pixels.chunks(channels).enumerate();
    pixels.filter(|(at, pixel)| is_within(*at) && pixel.iter().any(|part| *part < 128)).count()
}

const ALL: [f64; 4] = [0.0, 0.0, 1.0, 1.0];

/// A page, its form and its annotation, each of which sets `A` in a font of its own that is not embedded.
fn chinese() -> Vec<u8> {
    let text = "BT /F 20 Tf 2 4 Td <0041> Tj ET";
    let resources = |font: u32| format!("/Resources << /Font << /F {font} 0 R >> >>");
    let font = |name: &str, ordering: &str, encoding: &str| {
        let system = format!("/CIDSystemInfo << /Registry (Adobe) /Ordering ({ordering}) /Supplement 0 >>");
        let descendant = format!("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} {system} >>");
        format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /{encoding} /DescendantFonts [{descendant}] >>"
        )
    };
    let form = |font: u32| {
        let head = format!("/Type /XObject /Subtype /Form /BBox [0 0 30 30] {}", resources(font));
        format!("<< {head} /Length {} >>\nstream\n{text}\nendstream", text.len())
    };
    let content = format!("{text} q 1 0 0 1 40 0 cm /X Do Q");
    let page = "/Type /Page /Parent 2 0 R /MediaBox [0 0 120 40] /Contents 4 0 R /Annots [6 0 R]";
    let page = format!("<< {page} /Resources << /Font << /F 8 0 R >> /XObject << /X 5 0 R >> >> >>");
    file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        page,
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        form(9),
        "<< /Type /Annot /Subtype /Stamp /Rect [80 0 110 30] /AP << /N 7 0 R >> >>".to_owned(),
        form(10),
        font("SimSun", "GB1", "UniGB-UTF16-H"),
        font("MS-Gothic", "Japan1", "UniJIS-UTF16-H"),
        font("Batang", "Korea1", "UniKS-UTF16-H"),
    ])
}

#[test]
fn a_font_that_nobody_has_is_named_wherever_it_is_used() {
    let notes = without_fonts(&chinese()).notes;
    let expected = ["Batang", "MS-Gothic", "SimSun"].map(|name| {
        format!("the font {name} is not embedded, and no font for its script was found: its text is not drawn")
    });
    assert_eq!(notes, expected);
}

#[test]
fn fonts_are_asked_for_by_script_and_once() {
    let files = Arc::new(OneFont::default());
    let fonts = Arc::new(LocalFonts::new(files.clone()));
    let reader = InProcessReader::new(Limits::default(), fonts);
    let drawn = picture(&reader, &chinese());
    assert_eq!(picture(&reader, &chinese()), drawn);
    assert_eq!(drawn.notes, [""; 0]);
    for place in [[0.0, 0.0, 0.33, 1.0], [0.33, 0.0, 0.66, 1.0], [0.66, 0.0, 1.0, 1.0]] {
        assert!(ink(&drawn, place) > 20, "{place:?}");
    }
    assert_ne!(drawn.png, without_fonts(&chinese()).png, "Courier is not Helvetica");
    let wanted = |script, is_serif| WantedFont { script, is_serif };
    let mut asked = files.asked.lock().unwrap().clone();
    asked.sort();
    let expected =
        [(WantedScript::Japanese, false), (WantedScript::SimplifiedChinese, true), (WantedScript::Korean, true)];
    assert_eq!(asked, expected.map(|(script, is_serif)| wanted(script, is_serif)));
}

#[cfg(debug_assertions)]
#[test]
fn a_worker_draws_with_fonts_that_its_parent_opens() {
    use pagewise::worker::{WorkerReader, WorkerSettings};
    let settings = WorkerSettings {
        workers: Some(std::num::NonZeroUsize::MIN),
        ..WorkerSettings::new(env!("CARGO_BIN_EXE_pagewise").into())
    };
    let files = Arc::new(OneFont::default());
    let there = WorkerReader::start(settings.clone(), Limits::default(), files.clone());
    let here = InProcessReader::new(Limits::default(), Arc::new(LocalFonts::new(Arc::new(OneFont::default()))));
    let drawn = picture(&there, &chinese());
    assert_eq!(drawn, picture(&here, &chinese()));
    assert_eq!(picture(&there, &chinese()), drawn);
    assert_eq!(files.asked.lock().unwrap().len(), 3, "asked for once by the one worker");
    let there = WorkerReader::start(settings, Limits::default(), Arc::new(NoFonts));
    assert_eq!(picture(&there, &chinese()), without_fonts(&chinese()));
}

/// Says that a font is longer than it is.
struct Cut;

impl FontFiles for Cut {
    fn open(&self, _: WantedFont) -> Option<OpenFont> {
        Some(OpenFont { file: File::open("/dev/null").ok()?, length: 1 << 20, name: "cut".to_owned(), index: 0 })
    }
}

#[test]
fn a_font_file_that_cannot_be_read_is_none() {
    let reader = InProcessReader::new(Limits::default(), Arc::new(LocalFonts::new(Arc::new(Cut))));
    assert_eq!(picture(&reader, &chinese()), without_fonts(&chinese()));
}

/// A page with a field of `entries` on its left half, and its whole form.
fn field(entries: &str) -> Vec<u8> {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 40] /Annots [4 0 R] >>";
    let widget = format!("<< /Type /Annot /Subtype /Widget /T (a) /Rect [10 10 90 30] /P 3 0 R {entries} >>");
    let form = "<< /Fields [4 0 R] /DA (/Helv 0 Tf 0 g) /NeedAppearances true >>";
    file_of(&[
        format!("<< /Type /Catalog /Pages 2 0 R /AcroForm {form} >>"),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        page.to_owned(),
        widget,
    ])
}

#[track_caller]
fn check_field(entries: &str, is_drawn: bool) -> Picture {
    let drawn = without_fonts(&field(entries));
    let field = [0.05, 0.25, 0.45, 0.75];
    assert_eq!(ink(&drawn, field) > 10, is_drawn, "{entries}");
    assert_eq!(ink(&drawn, ALL), ink(&drawn, field), "{entries}");
    drawn
}

#[test]
fn fields_without_an_appearance_are_drawn_from_their_values() {
    let fields = [
        "/FT /Tx /V (Value)",
        "/FT /Tx /V (Value) /Q 2 /DA (/TiRo 8 Tf 1 0 0 rg)",
        "/FT /Tx /Ff 4096 /V (More than one line of text, which is broken) /DA (/Helv 6 Tf 0 g)",
        "/FT /Tx /Ff 16777216 /MaxLen 6 /V (12)",
        "/FT /Tx /Ff 8192 /V (secret)",
        "/FT /Tx /V <FEFF0076006100ED>",
        "/FT /Ch /Ff 131072 /V (a) /Opt [[(a) (Shown)] [(b) (Other)]]",
        "/FT /Ch /V (two) /Opt [(one) (two)] /DA (/Helv 8 Tf 0 g)",
        "/FT /Btn /V /Yes /AS /Yes",
        "/FT /Btn /Ff 32768 /AS /2",
        "/FT /Btn /Ff 65536 /MK << /CA (Push) >>",
        "/FT /Btn /AS /Off /MK << /BC [0] >>",
    ];
    for entries in fields {
        let drawn = check_field(entries, true);
        assert_eq!(drawn.notes, ["1 form field has no appearance and is drawn from its value"], "{entries}");
    }
    let shown = |value: &str| check_field(&format!("/FT /Ch /Ff 131072 /V ({value}) /Opt [[(a) (Shown)]]"), true).png;
    assert_eq!(shown("a"), shown("Shown"));
}

#[test]
fn fields_without_a_value_and_hidden_ones_stay_blank() {
    for entries in ["/FT /Tx", "/FT /Btn /AS /Off", "/FT /Sig", "/FT /Tx /V (Value) /F 2", "/FT /Tx /V 7"] {
        check_field(entries, false);
    }
}

/// A page with an annotation of `entries`.
fn annotated(entries: &str) -> Picture {
    without_fonts(&file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 40] /Annots [4 0 R] >>".to_owned(),
        format!("<< /Type /Annot /Rect [10 10 90 30] /P 3 0 R {entries} >>"),
    ]))
}

#[test]
fn annotations_without_an_appearance_are_drawn_from_what_they_say() {
    let note = "1 annotation has no appearance and is drawn from its properties";
    let (upper, lower) = ([0.05, 0.25, 0.45, 0.5], [0.05, 0.5, 0.45, 0.75]);
    let quad = "/QuadPoints [12 28 88 28 12 12 88 12]";
    let cases = [
        ("/Subtype /Ink /InkList [[12 25 50 28] [50 25 88 28]]".to_owned(), true, false),
        ("/Subtype /Line /L [12 15 88 15] /C [1 0 0] /BS << /W 2 /S /D /D [4 2] >>".to_owned(), false, true),
        ("/Subtype /PolyLine /Vertices [12 25 50 28 88 25]".to_owned(), true, false),
        ("/Subtype /Polygon /Vertices [12 12 50 28 88 12] /C [] /IC [0 0 1]".to_owned(), true, true),
        ("/Subtype /Square /Border [0 0 3] /C [0]".to_owned(), true, true),
        ("/Subtype /Circle /C [0 0 0 1]".to_owned(), true, true),
        (format!("/Subtype /Highlight {quad} /C [0 0 1]"), true, true),
        (format!("/Subtype /Underline {quad}"), false, true),
        (format!("/Subtype /StrikeOut {quad}"), true, true),
        (format!("/Subtype /Squiggly {quad}"), false, true),
        ("/Subtype /Text /Name /Comment".to_owned(), true, true),
        ("/Subtype /FileAttachment /C [1 0 0]".to_owned(), true, true),
        ("/Subtype /Caret /C [0 0.5]".to_owned(), true, true),
        (
            "/Subtype /FreeText /DA (/Helv 8 Tf 0 g) /Contents (Free text of one line and of another)".to_owned(),
            true,
            true,
        ),
    ];
    for (entries, is_in_upper, is_in_lower) in cases {
        let drawn = annotated(&entries);
        assert_eq!(drawn.notes, [note], "{entries}");
        assert_eq!((ink(&drawn, upper) > 5, ink(&drawn, lower) > 5), (is_in_upper, is_in_lower), "{entries}");
        assert_eq!(ink(&drawn, [0.5, 0.0, 1.0, 1.0]), 0, "{entries}");
    }
}

#[test]
fn a_highlight_leaves_its_text_to_be_seen() {
    let shown = |group: &str| {
        let mode = "/Resources << /ExtGState << /G << /BM /Multiply >> >> >>";
        let highlight = "/G gs 1 1 0 rg 0 0 40 40 re f";
        let content = "0 0 20 40 re f";
        let picture = without_fonts(&file_of(&[
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 40 40] /Contents 4 0 R /Annots [5 0 R] >>".to_owned(),
            format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
            "<< /Type /Annot /Subtype /Highlight /Rect [0 0 40 40] /AP << /N 6 0 R >> >>".to_owned(),
            format!(
                "<< /Type /XObject /Subtype /Form /BBox [0 0 40 40] {mode} {group} /Length {} >>\nstream\n{highlight}\nendstream",
                highlight.len()
            ),
        ]));
        let mut decoder = png::Decoder::new(std::io::Cursor::new(&picture.png));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        let middle = (frame.height as usize / 2) * frame.line_size;
        pixels[middle..middle + 3].to_vec()
    };
    assert_eq!(shown(""), [0, 0, 0]);
    assert_eq!(shown("/Group << /S /Transparency >>"), [0, 0, 0]);
    assert_eq!(shown("/Group << /S /Transparency /I true >>"), [255, 255, 0]);
}

#[test]
fn annotations_that_say_nothing_or_are_hidden_stay_blank() {
    for entries in [
        "/Subtype /Ink",
        "/Subtype /Line /L [1]",
        "/Subtype /Square /C []",
        "/Subtype /Link",
        "/Subtype /Text /IRT 3 0 R",
    ] {
        let drawn = annotated(entries);
        assert_eq!(ink(&drawn, ALL), 0, "{entries}");
        assert!(drawn.notes.iter().all(|note| note.starts_with("nothing can be seen")), "{:?}", drawn.notes);
    }
    assert_eq!(ink(&annotated("/Subtype /Circle /F 2"), ALL), 0);
}

/// A page with this media box and content, and one annotation: an object of its own, or in the list itself.
fn boxed(media_box: &str, content: &str, annotation: &str, is_direct: bool) -> Vec<u8> {
    let listed = if is_direct { annotation } else { "6 0 R" };
    file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox {media_box} /Contents 4 0 R /Annots [{listed}] \
             /Resources << /Font << /F 5 0 R >> >> >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        annotation.to_owned(),
        "<< /Type /XObject /Subtype /Form /BBox [0 0 90 90] /Length 13 >>\nstream\n0 0 90 90 re f\nendstream"
            .to_owned(),
    ])
}

#[test]
fn annotations_in_the_list_itself_are_drawn_and_cut_like_objects() {
    let kinds = [
        "/Subtype /Square /C [0 0 0]",
        "/Subtype /FreeText /Contents (Hello) /DA (/Helv 20 Tf 0 g)",
        "/Subtype /Square /AP << /N 7 0 R >>",
        "/Subtype /Widget /FT /Tx /T (f) /V (Value) /DA (0 g /Helv 20 Tf)",
    ];
    for kind in kinds {
        let annotation = format!("<< /Type /Annot /F 4 /Rect [10 10 90 90] {kind} >>");
        let [object, direct] = [false, true].map(|is_direct| boxed("[0 0 99 99]", "", &annotation, is_direct));
        let drawn = without_fonts(&object);
        assert!(ink(&drawn, ALL) > 0, "{kind}");
        assert_eq!(without_fonts(&direct), drawn, "{kind}");
        let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
        let document = reader.open(Arc::new(direct), None, &pagewise_base::limits::Cancellation::new()).unwrap();
        assert_eq!(without_fonts(&document.cut(PageIndex(0)).unwrap().bytes).png, drawn.png, "{kind}");
    }
}

#[test]
fn a_media_box_without_an_area_is_as_none() {
    let content = "BT /F 40 Tf 20 700 Td (Words) Tj ET 20 600 99 99 re f";
    let none = "<< /Type /Annot /Subtype /Link /Rect [0 0 0 0] >>";
    let letter = without_fonts(&boxed("[0 0 612 792]", content, none, true));
    for media_box in ["[0 0 0 0]", "[0 0 612 0]", "[10 10 10 10]", "null", "[0 0 612 (a)]"] {
        let pdf = boxed(media_box, content, none, true);
        let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
        let document = reader.open(Arc::new(pdf), None, &pagewise_base::limits::Cancellation::new()).unwrap();
        let drawn = document.picture(PageIndex(0), &RenderOptions::default()).unwrap();
        assert_eq!(drawn.png, letter.png, "{media_box}");
        assert!(drawn.notes.iter().any(|note| note.contains("US Letter")), "{media_box}: {:?}", drawn.notes);
        let text = document.page_text(PageIndex(0)).unwrap();
        assert_eq!(text.text.trim(), "Words");
        assert!(text.remarks().iter().any(|remark| remark.what.contains("US Letter")), "{media_box}: {text:?}");
        let chunk = document.cut(PageIndex(0)).unwrap();
        assert!(chunk.notes.iter().any(|note| note.contains("US Letter")), "{media_box}: {:?}", chunk.notes);
        assert_eq!(without_fonts(&chunk.bytes).png, letter.png, "{media_box}");
    }
}

#[test]
fn a_value_in_another_script_asks_for_a_font() {
    let drawn = without_fonts(&field("/FT /Tx /V <FEFF6F225B57>"));
    assert_eq!(drawn.notes.len(), 2, "{:?}", drawn.notes);
    assert!(drawn.notes[1].contains("no font for its script was found"), "{:?}", drawn.notes);
}

/// A page that draws a form, which draws a bar and itself.
fn self_drawing() -> Vec<u8> {
    let content = "0 0 40 40 re f /X Do /X Do";
    let resources = "/Resources << /XObject << /X 5 0 R >> >>";
    file_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 80 40] /Contents 4 0 R {resources} >>"),
        "<< /Length 5 >>\nstream\n/X Do\nendstream".to_owned(),
        format!(
            "<< /Type /XObject /Subtype /Form /BBox [0 0 80 40] {resources} /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ),
    ])
}

#[test]
fn a_form_that_draws_itself_is_drawn_once() {
    let drawn = without_fonts(&self_drawing());
    assert!(ink(&drawn, [0.0, 0.0, 0.5, 1.0]) > 1_000);
    assert_eq!(ink(&drawn, [0.51, 0.0, 1.0, 1.0]), 0);
}

/// A page that draws `content` with `resources`; `objects` come after it, from number 5 on.
fn page_with(resources: &str, content: &str, objects: &[&str]) -> Vec<u8> {
    let page =
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << {resources} >> >>");
    let content = format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len());
    let mut all =
        vec!["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", &page, &content];
    all.extend(objects);
    file_of(&all)
}

#[test]
fn what_is_drawn_after_damaged_instructions_is_seen() {
    let picture = without_fonts(&page_with("", "0 0 10 10 re f ) 5 l 80 80 10 10 re f", &[]));
    assert!(ink(&picture, [0.8, 0.0, 1.0, 0.2]) > 0);
    assert_eq!(picture.notes, ["some of the page's content is damaged; what cannot be read is not drawn"]);
}

#[test]
fn what_claims_more_than_it_has_costs_no_more() {
    let image = "<< /Type /XObject /Subtype /Image /Width 12000 /Height 12000 /BitsPerComponent 8 \
                 /ColorSpace /DeviceRGB /Length 3 >>\nstream\nabc\nendstream";
    let huge = page_with("/XObject << /I 5 0 R >>", "q 99 0 0 99 0 0 cm /I Do Q", &[image]);
    let font = "<< /Type /Font /Subtype /TrueType /BaseFont /Liar /FirstChar 0 /LastChar 255 /FontDescriptor 6 0 R \
                /Encoding /WinAnsiEncoding >>";
    let descriptor = "<< /Type /FontDescriptor /FontName /Liar /Flags 32 /FontFile2 7 0 R /ItalicAngle 0 /Ascent 800 \
                      /Descent -200 /CapHeight 700 /StemV 80 /FontBBox [0 0 1000 1000] >>";
    // Three tables, of which none is where the directory says.
    let program = "<< /Filter /ASCIIHexDecode /Length 121 >>\nstream\n000100000003000000000000636D6170000000000000002C\
                   FFFFFFFF676C796600000000FFFFFFF0000000646D617870000000000000003C0000FFFF>\nendstream";
    let lying = page_with("/Font << /F 5 0 R >>", "BT /F 20 Tf 9 9 Td (words) Tj ET", &[font, descriptor, program]);
    let picture = without_fonts(&lying);
    assert_eq!(ink(&picture, ALL), 0);
    assert!(picture.notes[0].starts_with("nothing can be seen in this picture"), "{:?}", picture.notes);
    // What there is of a hundred and forty-four million pixels is drawn.
    assert!(ink(&without_fonts(&huge), ALL) < 1_000);
}

#[test]
fn a_map_of_all_codes_costs_only_its_page() {
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 7 0 R /DescendantFonts [6 0 R] >>";
    let descendant = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X \
                      /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>";
    let map = "1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange \
               1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange";
    let map = format!("<< /Length {} >>\nstream\n{map}\nendstream", map.len());
    let pdf = page_with("/Font << /F 5 0 R >>", "BT /F 20 Tf 9 9 Td <0001> Tj ET", &[font, descendant, &map]);
    let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
    let document = reader.open(Arc::new(pdf), None, &pagewise_base::limits::Cancellation::new()).unwrap();
    assert!(document.page_text(PageIndex(0)).is_ok());
    assert!(document.picture(PageIndex(0), &RenderOptions::default()).is_ok());
    assert!(document.cut(PageIndex(0)).is_ok());
}

#[test]
fn an_image_that_claims_more_columns_than_there_can_be_is_refused_before_it_is_drawn() {
    let page = |entries: &str, columns: u64| {
        let image = |entries: &str| {
            format!(
                "<</Type/XObject/Subtype/Image/BitsPerComponent 8/ColorSpace/DeviceGray/Height 8/Length 1{entries}>>stream\nx\nendstream"
            )
        };
        file_of(&[
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R>>".to_owned(),
            "<</Length 5>>stream\n/I Do\nendstream".to_owned(),
            image(&format!("/Width 8{entries}")),
            image(&format!("/Width {columns}")),
        ])
    };
    let drawn = |pdf: &[u8]| {
        let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
        let document = reader.open(Arc::new(pdf.to_vec()), None, &pagewise_base::limits::Cancellation::new()).unwrap();
        document.picture(PageIndex(0), &RenderOptions::default()).map(|_| ())
    };
    // As a soft mask, as a mask, and as nothing that is drawn.
    for entries in ["/SMask 6 0 R", "/Mask 6 0 R"] {
        let Err(PdfError::Limit(limit)) = drawn(&page(entries, 4_294_967_295)) else { panic!("drawn") };
        assert_eq!(limit.which.name(), "max_image_pixels");
        assert!(drawn(&page(entries, 1_000_000)).is_ok());
    }
    assert!(drawn(&page("", 4_294_967_295)).is_ok());
}

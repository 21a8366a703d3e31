//! The layout of a page says what stands where.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a failed test may stop where it stands")]

use super::support::pdf::stream_of;
use super::support::{file_of, fixture};
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, ReadAt};
use pagewise_split::cut;
use pagewise_text::{PageLayout, chunk_layout, chunk_text, page_layout};
use std::sync::Arc;

/// A document with one page of 400 by 300 points that has a link, drawn by `content` in Courier-Bold (F) or Times (G).
fn document(content: &str, page_entries: &str) -> Document {
    let page = format!(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 6 0 R /Annots [7 0 R] {page_entries} \
         /Resources << /Font << /F 4 0 R /G 5 0 R >> >> >>"
    );
    let file = file_of(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier-Bold >>".to_vec(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Italic >>".to_vec(),
        stream_of("", content.as_bytes()),
        b"<< /Type /Annot /Subtype /Link /Rect [20 190 60 210] /A << /S /URI /URI (https://example.org/) >> >>"
            .to_vec(),
    ]);
    let source: Arc<dyn ReadAt> = Arc::new(file);
    Document::open(source, None, &Limits::default()).unwrap()
}

fn layout(content: &str, page_entries: &str) -> PageLayout {
    let chunk = cut(&document(content, page_entries), PageIndex(0)).unwrap();
    chunk_layout(&chunk.bytes, &Limits::default()).unwrap().1
}

#[test]
fn words_have_places_styles_and_colours() {
    let page = layout("BT /F 10 Tf 20 200 Td (one) Tj 1 0 0 rg /G 10 Tf 0 -20 Td (two 3) Tj ET", "");
    let words = page.words.iter().map(|word| {
        let style = [word.is_bold, word.is_italic, word.is_monospace];
        (word.text.as_str(), word.bounds.edges(), style, word.color)
    });
    let expected = [
        ("one", [20.0, 92.0, 38.0, 102.0], [true, false, true], [0, 0, 0]),
        ("two", [20.0, 112.0, 34.45, 122.0], [false, true, false], [255, 0, 0]),
        ("3", [36.95, 112.0, 41.95, 122.0], [false, true, false], [255, 0, 0]),
    ];
    assert_eq!(words.collect::<Vec<_>>(), expected);
    assert_eq!((page.width, page.height), (400.0, 300.0));
}

#[test]
fn coordinates_are_those_of_the_page_as_displayed() {
    let page = layout("BT /F 10 Tf 20 200 Td (one) Tj ET 20 150 100 1 re f", "/Rotate 90");
    let word = &page.words[0];
    assert_eq!((page.width, page.height, word.turn, word.baseline), (300.0, 400.0, 90, 200.0));
    assert_eq!(word.bounds.edges(), [198.0, 20.0, 208.0, 38.0]);
    assert_eq!(page.rules[0].bounds.edges(), [150.0, 20.0, 151.0, 120.0]);
    assert!(!page.rules[0].is_horizontal);
}

#[test]
fn lines_areas_and_links_are_told_apart() {
    let page = layout("0 0 1 rg 20 100 80 20 re f 0.5 w 20 90 m 120 90 l S 20 20 m 60 60 l S 1 g 20 100 9 9 re f", "");
    let fills = page.fills.iter().map(|fill| (fill.bounds.edges(), fill.color)).collect::<Vec<_>>();
    let white = ([20.0, 191.0, 29.0, 200.0], [255, 255, 255]);
    assert_eq!(fills, [([20.0, 180.0, 100.0, 200.0], [0, 0, 255]), white]);
    assert_eq!(page.rules.iter().map(|rule| rule.bounds.edges()).collect::<Vec<_>>(), [[20.0, 209.75, 120.0, 210.25]]);
    assert_eq!(page.drawings.len(), 1);
    let links = page.links.iter().map(|link| (link.bounds.edges(), link.target.as_str())).collect::<Vec<_>>();
    assert_eq!(links, [([20.0, 90.0, 60.0, 110.0], "https://example.org/")]);
}

#[test]
fn a_layout_does_not_change_the_text_and_a_cut_page_has_the_same_one() {
    let limits = Limits::default();
    for name in ["latex.pdf", "chromium.pdf", "cjk-vertical.pdf", "scan.pdf"] {
        let source: Arc<dyn ReadAt> = Arc::new(std::fs::read(fixture(name)).unwrap());
        let document = Document::open(source, None, &limits).unwrap();
        let chunk = cut(&document, PageIndex(0)).unwrap();
        let (text, layout) = chunk_layout(&chunk.bytes, &limits).unwrap();
        assert_eq!(text, chunk_text(&chunk.bytes, &limits).unwrap(), "{name}");
        let whole = page_layout(&document, PageIndex(0), &limits).unwrap();
        assert_eq!((&whole.0, &whole.1.words), (&text, &layout.words), "{name}");
        let characters = |text: &str| text.chars().filter(|character| character.is_alphanumeric()).count();
        let in_words = layout.words.iter().map(|word| characters(&word.text)).sum::<usize>();
        assert_eq!(in_words, characters(&text.text), "{name}");
    }
}

#[test]
fn a_page_of_a_hundred_thousand_rules_has_as_many_as_a_page_may_have() {
    let content = (0..100_000).map(|at| format!("{} {} 100 .5 re f\n", at % 300, at % 290)).collect::<String>();
    assert_eq!(layout(&content, "").rules.len(), 50_000);
}

/// A document whose two Type 3 fonts, plain (F) and bold (B), have glyphs of one width for `a`, and of others for `b`.
fn type3_document(content: &str) -> Document {
    let font = |name: &str, wide: u16, glyph: u8| {
        let font = format!(
            "<< /Type /Font /Subtype /Type3 /Name /{name} /FontBBox [0 0 700 700] /FontMatrix [0.001 0 0 0.001 0 0] \
             /FirstChar 97 /LastChar 98 /Widths [500 {wide}] /CharProcs << /a {glyph} 0 R /b {glyph} 0 R >> \
             /Encoding << /Type /Encoding /Differences [97 /a /b] >> /FontDescriptor << /Type /FontDescriptor \
             /FontName /{name} /Flags 4 >> >>"
        );
        font.into_bytes()
    };
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 6 0 R \
                /Resources << /Font << /F 4 0 R /B 5 0 R >> >> >>";
    let file = file_of(&[
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        page.as_bytes().to_vec(),
        font("Times-Roman", 500, 7),
        font("Times-Bold", 600, 8),
        stream_of("", content.as_bytes()),
        stream_of("", b"500 0 d0 0 0 400 600 re f"),
        stream_of("", b"500 0 d0 0 0 450 600 re f"),
    ]);
    let source: Arc<dyn ReadAt> = Arc::new(file);
    Document::open(source, None, &Limits::default()).unwrap()
}

#[test]
fn type3_fonts_of_equal_widths_are_told_apart() {
    let content = "BT /F 10 Tf 20 200 Td (bab) Tj 30 0 Td /B 10 Tf (aa) Tj 30 0 Td (bb) Tj 30 0 Td /F 10 Tf (aa) Tj ET";
    let clipped = format!("q 10 180 300 60 re W n {content} Q");
    for content in [content, &clipped] {
        let chunk = cut(&type3_document(content), PageIndex(0)).unwrap();
        let page = chunk_layout(&chunk.bytes, &Limits::default()).unwrap().1;
        let words = page.words.iter().map(|word| (word.text.as_str(), word.is_bold)).collect::<Vec<_>>();
        assert_eq!(words, [("bab", false), ("aa", true), ("bb", true), ("aa", false)]);
    }
}

//! Text that is not seen is told apart from text that is.

#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use super::support::pdf::pages_of;
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::{Document, ReadAt};
use pagewise_split::cut;
use pagewise_text::{PageText, chunk_text, page_layout};
use std::sync::Arc;

/// The text of a page with this content. The page has 400 by 300 points, and the font F.
fn text_of(content: &str) -> PageText {
    let source: Arc<dyn ReadAt> = Arc::new(pages_of(&[content]));
    let document = Document::open(source, None, &Limits::default()).unwrap();
    chunk_text(&cut(&document, PageIndex(0)).unwrap().bytes, &Limits::default()).unwrap()
}

/// Shows a word in the middle of the page.
fn word(word: &str) -> String {
    format!("BT /F 12 Tf 100 150 Td ({word}) Tj ET ")
}

/// A gray image over this part of the page.
fn image(area: &str) -> String {
    format!("q {area} cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q ")
}

#[track_caller]
fn check(content: &str, text: &str, hidden: &str) {
    let found = text_of(content);
    assert_eq!((found.text.as_str(), found.hidden.as_str()), (text, hidden), "{content}");
}

#[test]
fn the_colour_of_the_ground_hides() {
    check(&format!("1 g {}", word("ghost")), "", "ghost");
    check(&format!("0.9 g {}", word("pale")), "pale", "");
    check(&format!("0 g 0 0 400 300 re f 1 g {}", word("inverse")), "inverse", "");
    check(&format!("0 0 1 rg 0 0 400 300 re f {}", word("blue")), "", "blue");
    check(&format!("{}1 g {}", image("400 0 0 300 0 0"), word("white")), "white", "");
    check(&format!("0 g 100 150 m 300 160 l 200 250 l f 1 g {}", word("shape")), "shape", "");
    check(&format!("0 G 18 w 80 154 m 280 154 l S 1 g {}", word("band")), "band", "");
    check(&format!("0 G 18 w 80 204 m 280 104 l S 1 g {}", word("slanted")), "", "slanted");
}

#[test]
fn what_is_painted_later_hides_what_is_beneath() {
    check(&format!("{}80 140 200 40 re f", word("redacted")), "", "redacted");
    check(&format!("80 140 200 40 re f 1 g {}", word("above")), "above", "");
    check(&format!("{}{}", word("covered"), image("200 0 0 40 80 140")), "", "covered");
    check(&format!("{}80 140 200 40 re f 1 g {}", word("again"), word("again")), "again", "");
    check(&format!("{}q 0 0 10 10 re W n 80 140 200 40 re f Q", word("clipped")), "clipped", "");
}

#[test]
fn what_is_not_painted_is_hidden_unless_it_is_the_text_of_a_scan() {
    check(&format!("3 Tr {}", word("unpainted")), "", "unpainted");
    check(&format!("q 7 Tr {}0 0 1 rg 0 0 400 300 re f Q", word("window")), "window", "");
    check(&format!("q 7 Tr {}Q 0 0 1 rg 0 0 40 30 re f", word("empty")), "", "empty");
    check(&format!("100 Tz {}0 Tz {}", word("wide"), "BT /F 12 Tf 100 100 Td (flat) Tj ET "), "wide", "flat");
    let scan = text_of(&format!("{}3 Tr {}", image("400 0 0 300 0 0"), word("recognised")));
    assert_eq!((scan.text.as_str(), scan.hidden.as_str(), scan.invisible), ("recognised", "", 10));
    let under = text_of(&format!("{}{}", word("recognised"), image("400 0 0 300 0 0")));
    assert_eq!((under.text.as_str(), under.hidden.as_str(), under.invisible), ("recognised", "", 10));
}

#[test]
fn the_lines_of_a_scan_have_one_size_and_one_baseline_whatever_its_engine_guessed() {
    let lines = ["The words of a scanned page are placed one by one", "and each has the size of its own box"];
    let layer = |show: &str| {
        let mut content = String::new();
        for (row, line) in (0_u8..).zip(lines) {
            let mut x = 20.0;
            for (at, word) in (0_u8..).zip(line.split(' ')) {
                let (size, y) = (9.0 + f32::from(at * 5 % 4), 200.0 - 14.0 * f32::from(row) - 0.4 * f32::from(at % 3));
                content += &format!("BT /F {size} Tf 80 Tz {x} {y} Td ({word}) Tj ET ");
                x += size * 0.5 * f32::from(u8::try_from(word.len()).unwrap()) + 4.0;
            }
        }
        format!("{}{show}{content}", image("400 0 0 300 0 0"))
    };
    let source: Arc<dyn ReadAt> = Arc::new(pages_of(&[&layer("3 Tr ")]));
    let document = Document::open(source, None, &Limits::default()).unwrap();
    let (text, layout) = page_layout(&document, PageIndex(0), &Limits::default()).unwrap();
    assert_eq!(text.text, lines.join("\n"));
    let mut places: Vec<(f32, f32)> = layout.words.iter().map(|word| (word.size, word.baseline)).collect();
    places.dedup();
    assert_eq!(places.len(), 2, "{places:?}");
    assert_eq!(places.first().unwrap().0, places.last().unwrap().0);
}

#[test]
fn signs_that_only_the_second_of_two_copies_has_are_seen() {
    let (poor, cover) = ("BT /F 12 Tf 100 150 Td [(120)-278(0 kg)] TJ ET ", "1 g 80 140 200 40 re f 0 g ");
    check(&format!("{poor}{cover}{}", word("120.0 kg")), "120.0 kg", "");
    check(&format!("{poor}{}", word("120.0 kg")), "120.0 kg", "");
    check(&format!("{}{}", word("well-known"), word("well\\255known")), "well-known", "");
}

#[test]
fn what_is_clipped_away_is_hidden() {
    check(&format!("q 0 0 9 9 re W n {}Q", word("elsewhere")), "", "elsewhere");
    check(&format!("q 100 150 0 0 re W n {}Q", word("nowhere")), "", "nowhere");
    check(&format!("q 90 140 200 40 re W n {}Q", word("framed")), "framed", "");
}

#[test]
fn letters_that_are_drawn_as_lines_have_the_text_over_them() {
    let lines = "100 150 m 100 159 l S 108 150 m 108 159 l S 110 150 m 110 159 l S ";
    check(&format!("{lines}3 Tr {}", word("HI")), "HI", "");
    check(&format!("100 140 200 30 re S 0 145 m 400 145 l S 3 Tr {}", word("HI")), "", "HI");
    let line: String = (0..30).map(|at| format!("{at}00 0 m {at}00 200 l ")).collect();
    check(&format!("q .05 0 0 .05 100 150 cm {line}S Q 3 Tr {}", word("ONE PATH HAS THEM")), "ONE PATH HAS THEM", "");
}

#[test]
fn tiny_text_is_hidden() {
    check("BT /F 0.5 Tf 100 150 Td (speck) Tj ET", "", "speck");
    check("BT /F 1 Tf 12 0 0 12 100 150 Tm (large) Tj ET", "large", "");
}

#[test]
fn the_words_of_hidden_text_keep_their_spaces_and_are_counted() {
    let found = text_of(&format!("1 g {}0 g BT /F 12 Tf 100 100 Td (a reader) Tj ET", word("not for")));
    assert_eq!((found.text.as_str(), found.hidden.as_str()), ("a reader", "not for"));
    let remarks = found.remarks().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(remarks, ["6 characters hidden on the page and left out"]);
}

/// Twelve shapes on a line, as wide and as high as letters are, the third one with a dot above it.
fn drawn_line(y: u32, widths: [u32; 3], heights: [u32; 3]) -> String {
    let mut at = 60;
    let mut line = String::new();
    for (letter, (width, height)) in widths.into_iter().zip(heights).cycle().take(12).enumerate() {
        line += &format!("{at} {y} m {} {y} l {at} {} l f ", at + width, y + height);
        if letter == 2 {
            line += &format!("{at} {} m {} {0} l {at} {} l f ", y + height + 1, at + 2, y + height + 3);
        }
        at += width + 2;
    }
    line
}

#[test]
fn text_that_is_drawn_as_shapes_is_missed_and_remarked() {
    let lines = |widths, heights| (0..8).map(|line| drawn_line(40 + 30 * line, widths, heights)).collect::<String>();
    let letters = lines([5, 8, 3], [10, 7, 7]);
    let poster = text_of(&format!("{letters}{}", word("and .org")));
    assert_eq!((poster.text.as_str(), poster.drawn_letters, poster.is_doubtful()), ("and .org", 96, true));
    let remarks = poster.remarks().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(remarks, ["96 letters or more are drawn as shapes and not in this text"]);
    // A chart's bars and a row of signs are no letters, and a page of text may have a logo that is drawn.
    for other in [lines([6, 6, 6], [10, 7, 4]), lines([5, 8, 3], [7, 7, 7]), drawn_line(40, [5, 8, 3], [10, 7, 7])] {
        let page = text_of(&format!("{other}{}", word("and .org")));
        assert!(!page.is_doubtful() && page.remarks().is_empty(), "{other}");
    }
    let prose = (0..20).map(|line| format!("BT /F 6 Tf 20 {} Td (Words of a page of text) Tj ET ", 290 - 7 * line));
    assert!(!text_of(&format!("{letters}{}", prose.collect::<String>())).is_doubtful());
}

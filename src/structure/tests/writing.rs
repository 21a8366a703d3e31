//! Markdown.

use super::super::{Block, BlockKind, ListMarker, PageBlocks, TextSpan, to_markdown};
use super::sheet::{BOLD, FULL, Face, MONO, PLAIN, Sheet, markdown};
use pagewise_text::{Bounds, PageLayout};

#[test]
fn a_link_leaves_out_the_punctuation_after_its_area() {
    let sheet = Sheet::new().link(69.0, 90.5, "https://example.org/a").line("See page, then three.");
    assert_eq!(markdown(sheet), "See [page](https://example.org/a), then three.");
}

#[test]
fn an_address_that_goes_on_in_the_next_line_has_no_space() {
    let sheet = |address: &str, parts: [&str; 2]| {
        let first = Sheet::new().link(40.0, 600.0, address).line(&format!("{FULL} {}", parts[0]));
        markdown(first.link(40.0, 120.0, address).line(parts[1]))
    };
    let text = sheet("https://example.org/10.1/a", ["https://example.org/10", ".1/a"]);
    assert!(text.ends_with("https://example.org/10.1/a](https://example.org/10.1/a)"), "{text}");
    let other = sheet("https://example.org/10.1/a", ["two", "words"]);
    assert!(other.ends_with("two words](https://example.org/10.1/a)"), "{other}");
    let title = sheet("https://example.org/a-paperaboutlines/", ["a paper about", "lines"]);
    assert!(title.ends_with("a paper about lines](https://example.org/a-paperaboutlines/)"), "{title}");
    let text =
        markdown(Sheet::new().link(40.0, 600.0, "https://a.org/").line(&format!("{FULL} https://a.org/")).line("is"));
    assert!(text.ends_with("https://a.org/](https://a.org/) is"), "{text}");
}

#[test]
fn bold_marks_stand_next_to_words() {
    let mut sheet = Sheet::new();
    sheet.put(50.0, PLAIN, "Some");
    sheet.put(75.0, BOLD, "bold words");
    sheet.put(130.0, PLAIN, "and others.");
    assert_eq!(markdown(sheet), "Some **bold words** and others.");
}

#[test]
fn a_sign_of_another_font_within_a_word_looks_like_its_letters() {
    let sheet = |gap: &str| {
        let mut sheet = Sheet::new();
        for (at, face, text) in [(50.0, BOLD, "all (n"), (80.0, PLAIN, "="), (85.0, BOLD, "45) of them")] {
            sheet.put(at, face, text);
        }
        let touching = sheet.layout.words.iter_mut().filter(|word| ["=", "45)"].contains(&word.text.as_str()));
        touching.for_each(|word| word.is_spaced = !gap.is_empty());
        markdown(sheet.space(20.0).line(FULL).line(FULL))
    };
    assert!(sheet("").starts_with("**all (n=45) of them**"), "{}", sheet(""));
    assert!(sheet(" ").starts_with("**all (n** = **45) of them**"), "{}", sheet(" "));
}

#[test]
fn signs_are_escaped_where_markdown_would_read_them() {
    let written = |text: &str| markdown(Sheet::new().line(text));
    assert_eq!(written("a*b* and 10_000 and 2 * 3"), "a\\*b\\* and 10_000 and 2 * 3");
    assert_eq!(written("# 5 is a number"), "\\# 5 is a number");
    assert_eq!(written("use <br> and a < b"), "use \\<br> and a < b");
    assert_eq!(written("see [1] and [2](3)"), "see [1] and [2\\](3)");
    assert_eq!(written("AT&T and &amp; too"), "AT&T and \\&amp; too");
}

#[test]
fn text_in_other_directions_is_kept() {
    let mut sheet = Sheet::new().line(FULL);
    let mut turned = Sheet::new().line("Upwards at the margin");
    turned.layout.words.iter_mut().for_each(|word| {
        word.turn = 270;
        (word.bounds.x0, word.bounds.x1, word.baseline) = (20.0, 30.0, 28.0);
    });
    let count = turned.layout.words.len();
    for (index, word) in turned.layout.words.iter_mut().enumerate() {
        let bottom = 300.0 - 60.0 * f32::from(u8::try_from(index.min(count)).unwrap_or(0));
        (word.bounds.y0, word.bounds.y1) = (bottom - 55.0, bottom);
    }
    sheet.layout.words.extend(turned.layout.words);
    assert_eq!(markdown(sheet), format!("{FULL}\n\nUpwards at the margin"));
}

#[test]
fn ideographs_are_joined_over_lines_without_a_space() {
    let sheet = Sheet::new().line("この文書は二行にわたる文を一つ持っている").line("ので空白なしでつながる");
    assert_eq!(markdown(sheet), "この文書は二行にわたる文を一つ持っているので空白なしでつながる");
}

#[test]
fn a_page_without_text_gives_nothing() {
    assert_eq!(markdown(Sheet { layout: PageLayout::default(), y: 0.0 }), "");
}

#[test]
fn a_watermark_is_no_part_of_the_lines_that_it_crosses_and_no_heading() {
    let mut sheet = Sheet::new().line(FULL).line(FULL);
    let mut mark = Sheet::new().go_to(88.0);
    mark.put(150.0, Face { size: 40.0, ..PLAIN }, "DRAFT");
    mark.layout.words.iter_mut().for_each(|word| word.turn = 315);
    sheet.layout.words.splice(3..3, mark.layout.words);
    assert_eq!(markdown(sheet), format!("{FULL} {FULL}\n\nDRAFT"));
}

#[test]
fn the_parts_of_a_line_that_runs_to_the_left_are_read_from_the_right() {
    let mut sheet = Sheet::new();
    // Words come in the order in which they are read.
    for (x, text) in [(250.0, "שלום"), (200.0, "עולם"), (80.0, "טוב"), (50.0, "מאד")] {
        sheet.put(x, PLAIN, text);
    }
    assert_eq!(markdown(sheet), "שלום עולם טוב מאד");
}

/// A line whose words stand from the right to the left.
fn leftwards(mut sheet: Sheet, mut right: f32, text: &str) -> Sheet {
    for part in text.split(' ') {
        right -= 5.0 * f32::from(u8::try_from(part.chars().count()).unwrap_or(0));
        sheet.put(right, PLAIN, part);
        right -= 5.0;
    }
    sheet.space(12.0)
}

#[test]
fn lines_that_run_to_the_left_end_where_their_column_does() {
    let full = "אבגדה וזחטי כלמנס עפצקר שתאבג דהוזח טיכלמ נסעפצ קרשתא בגדהו";
    let sheet = leftwards(leftwards(Sheet::new(), 350.0, full), 350.0, full);
    let sheet = leftwards(leftwards(sheet, 350.0, "זחטיכ למנ."), 335.0, "סעפצק רשתאב גדהוז חטיכל");
    assert_eq!(
        markdown(leftwards(sheet, 350.0, full)),
        format!("{full} {full} זחטיכ למנ.\n\nסעפצק רשתאב גדהוז חטיכל\n\n{full}")
    );
}

#[test]
fn marks_to_the_right_of_texts_that_run_to_the_left_are_those_of_items() {
    let mut sheet = Sheet::new();
    for text in ["אבגדה וזחטי כלמנס", "עפצקר שתאבג", "דהוזח טיכלמ נסעפצ"] {
        sheet.put(350.0, PLAIN, "•");
        sheet = leftwards(sheet, 320.0, text);
    }
    assert_eq!(markdown(sheet), "- אבגדה וזחטי כלמנס\n- עפצקר שתאבג\n- דהוזח טיכלמ נסעפצ");
}

#[test]
fn letters_of_half_the_width_of_ideographs_are_no_code_beside_them() {
    let line = |width: f32| {
        let mut sheet = Sheet::new().line("この文書は二行にわたる文を一つ持っている").space(20.0);
        sheet.word(50.0, 40.0, PLAIN, "数値解析");
        sheet.word(95.0, width, MONO, "dynamics");
        sheet.word(145.0, 20.0, PLAIN, "以下");
        sheet
    };
    assert!(markdown(line(40.0)).ends_with("数値解析 dynamics 以下"));
    assert!(markdown(line(48.0)).ends_with("数値解析 `dynamics` 以下"));
}

#[test]
fn a_text_over_another_stays_apart_from_its_words() {
    let mut sheet = Sheet::new().line("Signed by the secretary of the board");
    let mut over = Sheet::new().go_to(76.0);
    over.put(58.0, Face { size: 8.0, ..PLAIN }, "copy");
    // In the text of the page the words of both are mixed.
    sheet.layout.words.splice(1..1, over.layout.words);
    sheet.layout.words.iter_mut().for_each(|word| word.is_spaced = word.text != "by");
    assert_eq!(markdown(sheet), "copy\n\nSigned by the secretary of the board");
}

#[test]
fn the_number_of_an_item_without_a_text_is_kept() {
    let item = |number: u32, text: &str| Block {
        kind: BlockKind::ListItem { depth: 1, marker: ListMarker::Number { number, is_in_brackets: false } },
        bounds: Bounds::default(),
        spans: vec![TextSpan { text: text.to_owned(), ..TextSpan::default() }],
    };
    let page = PageBlocks { number: 1, blocks: vec![item(1, "one"), item(2, ""), item(3, "three")] };
    assert_eq!(to_markdown(&[page], &|_, _| None).concat(), "1. one\n2.\n3. three");
}

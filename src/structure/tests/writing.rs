//! Markdown.

use super::sheet::{BOLD, FULL, PLAIN, Sheet, markdown};
use pagewise_text::PageLayout;

#[test]
fn a_link_leaves_out_the_punctuation_after_its_area() {
    let sheet = Sheet::new().link(69.0, 90.5, "https://example.org/a").line("See page, then three.");
    assert_eq!(markdown(sheet), "See [page](https://example.org/a), then three.");
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

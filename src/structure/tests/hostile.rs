//! Pages that were made to hurt, and pages of random words: nothing is lost.

use super::super::reading::MAX_WORDS;
use super::super::{DocumentPage, PageBlocks, Region, read_document, read_page, to_markdown};
use super::sheet::{PLAIN, Sheet};
use pagewise_text::{Bounds, Fill, Rule};
use std::collections::BTreeMap;

fn blocks_of(sheet: &Sheet) -> Vec<PageBlocks> {
    read_document(&[sheet.page(1)], &[])
}

/// How often each letter stands in the words of a page.
fn letters<'a>(texts: impl Iterator<Item = &'a str>) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    texts
        .flat_map(str::chars)
        .filter(|sign| sign.is_alphanumeric())
        .for_each(|sign| *counts.entry(sign).or_default() += 1);
    counts
}

fn assert_nothing_is_lost(sheet: &Sheet) {
    let given = letters(sheet.layout.words.iter().map(|word| word.text.as_str()));
    let blocks = blocks_of(sheet);
    let spans = blocks.iter().flat_map(|page| &page.blocks).flat_map(|block| &block.spans);
    assert_eq!(letters(spans.map(|span| span.text.as_str())), given);
}

/// Numbers without a pattern (xorshift).
struct Random(u32);

impl Random {
    fn next(&mut self, below: u16) -> u16 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        u16::try_from(self.0 % u32::from(below)).unwrap_or(0)
    }

    /// A sheet of words anywhere, in any size and direction.
    fn sheet(&mut self, words: usize) -> Sheet {
        let mut sheet = Sheet::new();
        for _ in 0..words {
            sheet.y = f32::from(self.next(600));
            let size = 4.0 + f32::from(self.next(20));
            let text: String =
                (0..2 + self.next(6)).map(|_| char::from(b'b' + u8::try_from(self.next(20)).unwrap_or(0))).collect();
            sheet.put(f32::from(self.next(380)), super::sheet::Face { size, ..PLAIN }, &text);
            let turn = 90 * self.next(8).saturating_sub(4);
            if let Some(word) = sheet.layout.words.last_mut() {
                word.turn = turn;
                word.is_spaced = self.next(4) > 0;
            }
        }
        sheet
    }
}

#[test]
fn random_pages_lose_no_letter() {
    let mut random = Random(2_463_534_242);
    for words in [1, 2, 5, 20, 80, 300, 900, 2_000] {
        assert_nothing_is_lost(&random.sheet(words));
    }
}

#[test]
fn random_pages_that_share_lines_lose_no_letter_but_those_that_are_listed() {
    let mut random = Random(521_288_629);
    for count in 1..9_u32 {
        let words = usize::from(1 + random.next(40));
        let pages: Vec<DocumentPage> = (1..=count)
            .map(|number| {
                let mut sheet = random.sheet(words).go_to(30.0 + f32::from(random.next(2))).line("A head bcd");
                sheet = sheet.go_to(570.0).line(&format!("bcd {number}"));
                sheet.page(number)
            })
            .collect();
        let lines = pages.iter().flat_map(|page| page.structure.lines());
        let given = letters(lines.flat_map(|line| &line.words).map(|word| word.text.as_str()));
        let blocks = read_document(&pages, &[]);
        let written = to_markdown(&blocks, &|_, _| None);
        assert!(written.iter().all(|page| !page.is_empty()));
        let written = without_marks(&written.join("\n"));
        let left_out: Vec<String> = blocks.iter().flat_map(PageBlocks::left_out).collect();
        let all = left_out.iter().map(String::as_str).chain(std::iter::once(written.as_str()));
        assert_eq!(letters(all), given, "{count} pages of {words} words");
    }
}

/// Markdown without its tags and comments.
fn without_marks(markdown: &str) -> String {
    let parts = markdown.split('<').enumerate();
    parts.map(|(at, part)| if at == 0 { part } else { part.split_once('>').map_or(part, |(_, text)| text) }).collect()
}

#[test]
fn a_page_of_the_most_words_is_read_and_one_of_more_keeps_its_lines() {
    let mut sheet = Random(7).sheet(MAX_WORDS);
    assert_nothing_is_lost(&sheet);
    let is_plain = |sheet: &Sheet| {
        let regions = read_page(&sheet.layout, &[]).regions;
        regions.iter().all(|region| matches!(region, Region::Column(column) if column.is_plain))
    };
    assert!(!is_plain(&sheet));
    sheet.put(50.0, PLAIN, "more");
    assert!(is_plain(&sheet));
    assert_nothing_is_lost(&sheet);
}

#[test]
fn words_on_one_point_and_words_without_size_are_kept() {
    let mut sheet = Sheet::new();
    for _ in 0..3_000 {
        sheet.put(50.0, PLAIN, "over");
    }
    let sizes = [10.0, 0.0, -5.0, f32::NAN, f32::INFINITY, 6.0].into_iter().cycle();
    let edges = [50.0, f32::NAN, f32::NEG_INFINITY, 9e30].into_iter().cycle();
    for (word, (size, edge)) in sheet.layout.words.iter_mut().zip(sizes.zip(edges)) {
        (word.size, word.bounds.x0) = (size, edge);
    }
    assert_nothing_is_lost(&sheet);
}

#[test]
fn a_line_of_many_numbers_at_the_edge_of_a_page_is_kept() {
    let numbers = "1 ".repeat(20_000);
    assert_nothing_is_lost(&Sheet::new().go_to(30.0).line(numbers.trim()).go_to(300.0).line("One line of text."));
}

#[test]
fn a_page_of_raised_words_is_kept() {
    let mut sheet = Sheet::new();
    for index in 0..20_000_u16 {
        let is_small = index % 2 == 0;
        sheet.y = if is_small { 96.0 } else { 100.0 };
        let size = if is_small { 5.0 } else { 10.0 };
        sheet.put(f32::from(index % 350), super::sheet::Face { size, ..PLAIN }, "word");
    }
    assert_nothing_is_lost(&sheet);
}

#[test]
fn a_page_of_shapes_leaves_the_text_as_it_is() {
    let mut sheet = Sheet::new().line("One line of text.");
    let bounds = Bounds { x0: 20.0, y0: 75.0, x1: 23.0, y1: 78.0 };
    sheet.layout.fills = vec![Fill { bounds, color: [0; 3] }; 100_000];
    sheet.layout.drawings = vec![bounds; 100_000];
    sheet.layout.rules = vec![Rule { bounds, is_horizontal: true, color: [0; 3] }; 100_000];
    assert_nothing_is_lost(&sheet);
}

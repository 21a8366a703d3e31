//! Numbers beside lines of text and of listings.

use super::super::line_numbers;
use super::super::read_document;
use super::sheet::{FULL, Face, MONO, PLAIN, Sheet, markdown};
use pagewise_text::{Bounds, Rule};

/// The type of the numbers.
const SMALL: Face = Face { size: 6.0, ..PLAIN };

fn left_out(sheet: &Sheet) -> Vec<String> {
    read_document(&[sheet.page(1)], &[]).iter().flat_map(|page| page.left_out()).collect()
}

/// Lines of text with numbers at `x`.
fn manuscript(x: f32, first: usize, lines: usize) -> Sheet {
    (first..first + lines).fold(Sheet::new(), |mut sheet, number| {
        sheet.put(x, Face { is_italic: true, ..SMALL }, &number.to_string());
        sheet.line(FULL)
    })
}

#[test]
fn numbers_in_the_margin_are_left_out_and_listed() {
    for x in [20.0, 360.0] {
        let sheet = manuscript(x, 10, 9);
        assert_eq!(left_out(&sheet), ["10 11 12 13 14 15 16 17 18"]);
        assert_eq!(markdown(sheet), [FULL; 9].join(" "));
    }
    let few = manuscript(20.0, 10, 5);
    assert_eq!(left_out(&few), [""; 0]);
}

#[test]
fn numbers_that_are_as_large_as_their_text_or_do_not_count_stay() {
    let of = |number: fn(usize) -> usize, face: Face| {
        (1..=12).fold(Sheet::new(), |mut sheet, at| {
            sheet.put(20.0, face, &number(at).to_string());
            sheet.line(FULL)
        })
    };
    assert!(line_numbers::find(&of(|at| at, PLAIN).layout).is_empty());
    assert!(line_numbers::find(&of(|at| at * at, SMALL).layout).is_empty());
    assert_eq!(line_numbers::find(&of(|at| 5 * at, SMALL).layout).len(), 12);
}

#[test]
fn numbers_of_the_lines_of_a_page_are_left_out_in_the_type_of_its_text_and_those_of_a_list_stay() {
    let of = |text: fn(usize) -> &'static str| {
        (1..=25).fold(Sheet::new(), |mut sheet, at| {
            sheet.put(if at % 2 == 0 { 20.0 } else { 20.1 }, MONO, &at.to_string());
            sheet.at(50.0, MONO, text(at)).space(8.0)
        })
    };
    let bill = of(|at| if at % 2 == 0 { "or the review of an order" } else { "The department shall ask for" });
    assert_eq!(line_numbers::find(&bill.layout).len(), 25);
    let mut list = of(|_| "Sheets of paper");
    assert!(line_numbers::find(&list.layout).is_empty());
    let (top, foot) = list
        .layout
        .words
        .iter()
        .fold((f32::MAX, 0.0_f32), |(top, foot), word| (top.min(word.bounds.y0), foot.max(word.bounds.y1)));
    let mut with_rule = |y0: f32, y1: f32| {
        let bounds = Bounds { x0: 42.0, y0, x1: 42.5, y1 };
        list.layout.rules = vec![Rule { bounds, is_horizontal: false, color: [0; 3] }];
        line_numbers::find(&list.layout).len()
    };
    assert_eq!((with_rule(top, foot), with_rule(top - 30.0, foot + 30.0)), (0, 25));
    let mut times = of(|_| "42.50");
    times.layout.rules.clone_from(&list.layout.rules);
    assert!(line_numbers::find(&times.layout).is_empty(), "values are no lines");
    assert!(line_numbers::find(&of(|_| "apple").layout).is_empty(), "a list of words");
}

#[test]
fn numbers_of_several_pages_on_a_sheet_are_left_out_in_each_box_also_beside_empty_lines() {
    let mut sheet = Sheet::new();
    for at in 1..=22_u8 {
        sheet.y += if at % 5 == 0 { 11.0 } else { 13.0 };
        for x in [20.0, 220.0] {
            sheet.put(x, MONO, &at.to_string());
            sheet.put(x + 30.0, MONO, if at % 3 == 0 { "" } else { "For the Plaintiff:" });
        }
    }
    assert!(line_numbers::find(&sheet.layout).len() < 44);
    let bounds = Bounds { x0: 200.0, y0: 0.0, x1: 200.5, y1: sheet.y + 50.0 };
    sheet.layout.rules.push(Rule { bounds, is_horizontal: false, color: [0; 3] });
    assert_eq!(line_numbers::find(&sheet.layout).len(), 44);
}

#[test]
fn a_pale_or_small_ruler_on_a_pitch_of_its_own_is_left_out_and_numbers_of_rows_stay() {
    let of = |face: Face, color: u8, pitch: f32| {
        let sheet = (165..195).fold(Sheet::new(), |sheet, _| sheet.line(FULL));
        let mut sheet = sheet.go_to(80.0);
        let text = sheet.layout.words.len();
        for number in 165..195 {
            sheet.put(400.0, face, &number.to_string());
            sheet = sheet.space(pitch);
        }
        sheet.layout.words.iter_mut().skip(text).for_each(|word| word.color = [color; 3]);
        line_numbers::find(&sheet.layout).len()
    };
    assert_eq!([of(PLAIN, 180, 11.6), of(PLAIN, 180, 12.0), of(PLAIN, 0, 11.6), of(SMALL, 0, 11.6)], [30, 0, 0, 30]);
}

#[test]
fn numbers_nearly_as_large_as_their_text_are_left_out_where_their_font_differs() {
    let of = |is_italic: bool| {
        let face = Face { size: 9.0, is_italic, ..PLAIN };
        (10..20).fold(Sheet::new(), |mut sheet, number: usize| {
            sheet.put(20.0, face, &number.to_string());
            sheet.line(FULL)
        })
    };
    assert_eq!(line_numbers::find(&of(true).layout).len(), 10);
    assert!(line_numbers::find(&of(false).layout).is_empty());
}

#[test]
fn numbers_below_a_head_and_numbers_before_words_of_a_fixed_pitch_are_values() {
    let mut headed = Sheet::new();
    headed.put(18.0, SMALL, "Pos");
    headed = headed.line("Description");
    for number in 1..=9 {
        headed.put(20.0, SMALL, &number.to_string());
        headed = headed.line(FULL);
    }
    assert!(line_numbers::find(&headed.layout).is_empty());
    let ages = |text: &str| {
        (1..=9).fold(Sheet::new(), |mut sheet, number| {
            sheet.put(50.0, MONO, &number.to_string());
            sheet.at(70.0, MONO, text)
        })
    };
    assert!(line_numbers::find(&ages("years 3,269,557").layout).is_empty());
    assert_eq!(line_numbers::find(&ages("x = f(y);").layout).len(), 9);
}

#[test]
fn a_listing_is_one_block_without_the_numbers_of_its_lines() {
    let code = ["def read(path):", "  for line in path:", "", "    yield line"];
    let mut sheet = Sheet::new().line(FULL).line(FULL).line(FULL).line("and text.").space(10.0);
    for (number, line) in (1..).zip(code) {
        sheet.put(50.0, SMALL, &number.to_string());
        let indent = line.len() - line.trim_start().len();
        sheet = sheet.at(70.0 + 5.0 * f32::from(u8::try_from(indent).unwrap_or(0)), MONO, line.trim_start());
    }
    assert_eq!(left_out(&sheet), ["1 2 3 4"]);
    let text = markdown(sheet);
    let fenced = "```\ndef read(path):\n  for line in path:\n\n    yield line\n```";
    assert!(text.ends_with(fenced), "{text}");
}

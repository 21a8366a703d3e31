//! What decides where a block ends: rules, centred lines, formulas, numbers.

use super::sheet::{BOLD, FULL, Face, PLAIN, Sheet, markdown};
use pagewise_text::{Bounds, Rule};

/// Indices.
const INDEX: Face = Face { size: 7.0, ..PLAIN };

/// A rule over the width of the text, so far below the baseline of the next line.
fn rule(mut sheet: Sheet, below: f32) -> Sheet {
    let y = sheet.y + below;
    let bounds = Bounds { x0: 50.0, y0: y - 0.25, x1: 350.0, y1: y + 0.25 };
    sheet.layout.rules.push(Rule { bounds, is_horizontal: true, color: [0; 3] });
    sheet
}

#[test]
fn a_rule_between_lines_ends_a_paragraph_and_an_underline_does_not() {
    let page = |below: f32| markdown(rule(Sheet::new(), below).line(FULL).line("and end here."));
    assert_eq!(page(4.0), format!("{FULL}\n\nand end here."));
    assert_eq!(page(1.5), format!("{FULL} and end here."));
}

#[test]
fn centred_lines_that_have_room_are_not_joined() {
    let sheet =
        Sheet::new().at(135.0, PLAIN, "The Northern Institute").at(157.0, PLAIN, "Alice Ashford").line(FULL).line(FULL);
    assert!(markdown(sheet).starts_with("The Northern Institute\n\nAlice Ashford\n\nWords"));
}

#[test]
fn a_bibliography_with_hanging_indents_is_a_list_that_keeps_its_numbers() {
    let sheet = Sheet::new()
        .line(FULL)
        .space(6.0)
        .line("[1] Ashford, A. Notes on the river and on its northern")
        .at(70.0, PLAIN, "valley, 1974.")
        .line("[2] Oakham, B. Notes on the forest and on the northern")
        .at(70.0, PLAIN, "engine, 1986.");
    let list = "- [1] Ashford, A. Notes on the river and on its northern valley, 1974.\n\
                - [2] Oakham, B. Notes on the forest and on the northern engine, 1986.";
    assert_eq!(markdown(sheet), format!("{FULL}\n\n{list}"));
}

#[test]
fn a_bibliography_without_hanging_indents_is_paragraphs() {
    let sheet = Sheet::new()
        .line(FULL)
        .space(6.0)
        .line("[1] Ashford, A. Notes on the river and on its northern")
        .line("valley, 1974.")
        .space(6.0)
        .line("[2] Oakham, B. Notes on the forest, 1986.");
    assert!(markdown(sheet).ends_with("northern valley, 1974.\n\n[2] Oakham, B. Notes on the forest, 1986."));
}

#[test]
fn indices_do_not_make_a_line_smaller() {
    let mut sheet = Sheet::new().line(FULL);
    for index in 0..5_u8 {
        let left = 50.0 + 55.0 * f32::from(index);
        sheet.put(left, PLAIN, "V");
        sheet.y += 2.0;
        sheet.put(left + 5.0, INDEX, "max,min");
        sheet.y -= 2.0;
    }
    let text = markdown(sheet.space(12.0).line(FULL));
    assert!(!text.contains("\n\n"), "{text}");
}

#[test]
fn the_last_line_of_a_paragraph_above_columns_stays_with_it() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line("and end here.").space(6.0);
    for row in 0..8_u8 {
        sheet.put(50.0, PLAIN, &format!("left column line {row} of text"));
        sheet.put(230.0, PLAIN, &format!("right column line {row} of text"));
        sheet.y += 12.0;
    }
    assert!(markdown(sheet).starts_with(&format!("{FULL} {FULL} and end here.\n\nleft column line 0")));
}

#[test]
fn sections_in_letters_stand_below_those_they_are_set_smaller_than() {
    let section = Face { size: 14.0, ..BOLD };
    let sheet = Sheet::new()
        .at(50.0, Face { size: 20.0, ..BOLD }, "The title")
        .space(10.0)
        .at(50.0, section, "II. Measurements")
        .line(FULL)
        .line(FULL)
        .space(12.0)
        .at(50.0, BOLD, "A. Ground")
        .line(FULL)
        .line(FULL);
    let text = markdown(sheet);
    assert!(text.contains("\n## II. Measurements\n") && text.contains("\n### A. Ground\n"), "{text}");
}

//! Rules of typesetting: justified text, boxes, displayed formulas, leaders, headings of one kind.

use super::sheet::{BOLD, FULL, Face, PLAIN, Sheet, assert_has, markdown, markdown_of};
use pagewise_text::{Bounds, Rule, Script};

/// Italic type in the size of the body.
const ITALIC: Face = Face { is_italic: true, ..PLAIN };

/// A vertical rule from the current line down.
fn side(mut sheet: Sheet, x: f32, height: f32) -> Sheet {
    let bounds = Bounds { x0: x, y0: sheet.y - 10.0, x1: x + 0.5, y1: sheet.y - 10.0 + height };
    sheet.layout.rules.push(Rule { bounds, is_horizontal: false, color: [0; 3] });
    sheet
}

#[test]
fn the_side_of_a_box_divides_a_line_and_that_of_a_box_to_check_does_not() {
    let page = |height: f32| {
        let mut sheet = side(Sheet::new(), 140.0, height);
        sheet.put(50.0, PLAIN, "Beside the box");
        sheet.put(150.0, PLAIN, "In the box");
        markdown(sheet)
    };
    assert_eq!(page(30.0), "Beside the box\n\nIn the box");
    assert_eq!(page(10.0), "Beside the box In the box");
}

#[test]
fn a_wide_gap_divides_two_texts_but_not_the_cells_of_an_array() {
    let row = |lefts: &[f32]| {
        let mut sheet = Sheet::new();
        lefts.iter().zip(["one text", "another", "a third"]).for_each(|(left, text)| sheet.put(*left, PLAIN, text));
        markdown(sheet)
    };
    assert_eq!(row(&[50.0, 200.0]), "one text\n\nanother");
    assert_eq!(row(&[50.0, 140.0]), "one text another");
    assert_eq!(row(&[50.0, 170.0, 290.0]), "one text another a third");
}

#[test]
fn a_wide_gap_divides_no_item_beside_no_other_text() {
    let mut sheet = Sheet::new().line(FULL).space(6.0).line("• First").line("•Second");
    sheet.y -= 12.0;
    let sheet = sheet.at(200.0, PLAIN, "in two").line("•Third");
    let text = markdown(sheet);
    assert!(text.ends_with("- First\n- Second in two\n- Third"), "{text}");
}

#[test]
fn the_rows_beside_a_large_brace_are_no_indices_of_it() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(20.0);
    let top = sheet.y;
    sheet = sheet.go_to(top + 22.0);
    sheet.put(90.0, Face { size: 40.0, ..PLAIN }, "{");
    sheet = sheet.go_to(top).at(115.0, PLAIN, "first of the rows").at(115.0, PLAIN, "second of the rows");
    let text = markdown(sheet);
    assert!(text.contains("first of the rows") && text.contains("second of the rows"), "{text}");
}

#[test]
fn a_displayed_formula_is_one_paragraph_that_begins_with_its_left_side() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(14.0);
    let top = sheet.y;
    for (row, text) in [(0.0, "0 x < 1"), (12.0, "1 x > 1")] {
        sheet = sheet.go_to(top + row);
        sheet.put(130.0, PLAIN, text);
    }
    sheet = sheet.go_to(top + 6.0);
    sheet.put(90.0, PLAIN, "f x =");
    let text = markdown(sheet.go_to(top + 40.0).line(FULL).line(FULL));
    assert!(
        text.contains("\n\nf x = 0 x \\< 1 1 x > 1\n\n") || text.contains("\n\nf x = 0 x < 1 1 x > 1\n\n"),
        "{text}"
    );
}

#[test]
fn a_rule_of_dots_beside_a_column_is_no_part_of_its_lines() {
    let mut sheet = Sheet::new();
    for row in 0..8_u8 {
        let side = if row % 7 == 0 { ". . . . . . . . . . . ." } else { "a note at the side" };
        sheet.put(20.0, PLAIN, side);
        sheet.put(145.0, PLAIN, &format!("line {row} of a column of longer text"));
        sheet.y += 12.0;
    }
    assert_has(sheet, "line 0 of a column of longer text line 1 of a column");
}

#[test]
fn an_entry_of_an_index_begins_below_the_parts_of_another() {
    let entry = |sheet: Sheet| {
        let sheet = sheet.line("maps:");
        sheet.at(60.0, PLAIN, "of the northern part, 12–14").at(
            60.0,
            PLAIN,
            "of the river and its valley to the hills, 131n",
        )
    };
    let text = markdown(entry(entry(entry(Sheet::new()))));
    assert!(!text.contains("131n maps"), "{text}");
}

#[test]
fn a_sentence_goes_on_below_a_first_line_that_is_set_in_by_much() {
    let first = FULL.get(..40).unwrap_or_default();
    let text = markdown(Sheet::new().at(130.0, PLAIN, first).line(&format!("x{FULL}")).line("to its end."));
    assert!(!text.contains("\n\n"), "{text}");
}

#[test]
fn the_definition_of_a_term_begins_beside_it() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(12.0);
    for term in ["BASE", "RATE", "SIZE", "UNIT"] {
        sheet.put(50.0, PLAIN, term);
        sheet = sheet.at(120.0, PLAIN, "These words fill the first line of its text");
        sheet = sheet.at(120.0, PLAIN, "Denholm wrote about it").space(6.0);
    }
    assert_has(sheet, "\n\nRATE These words fill the first line of its text Denholm wrote about it\n\nSIZE");
}

#[test]
fn clauses_with_numbers_of_several_parts_are_paragraphs() {
    let mut sheet = Sheet::new().line(FULL).space(12.0);
    for number in ["4.1", "4.2", "4.3", "4.4"] {
        sheet.put(50.0, PLAIN, number);
        sheet = sheet.at(80.0, PLAIN, "Words of a clause fill its line to the end of it");
        sheet = sheet.at(80.0, PLAIN, "and more of them.").space(8.0);
    }
    let clause = |number: &str| format!("{number} Words of a clause fill its line to the end of it and more of them.");
    assert_has(sheet, &["4.1", "4.2", "4.3", "4.4"].map(clause).join("\n\n"));
}

#[test]
fn the_number_of_a_section_after_that_of_the_line_above_begins_a_clause() {
    let clause = |number: &str| format!("{number} {FULL}");
    let sheet = Sheet::new().line(FULL).space(12.0).line(&clause("7.1.2.")).line(&clause("7.1.3."));
    let sheet = sheet.at(65.0, PLAIN, "Oakham is where it goes on").line(&clause("7.1.4."));
    assert_has(sheet, &format!("\n\n7.1.2. {FULL}\n\n7.1.3. {FULL} Oakham is where it goes on\n\n7.1.4. {FULL}"));
}

#[test]
fn a_run_in_another_size_does_not_divide_a_paragraph() {
    let bold = Face { size: 8.0, ..BOLD };
    let mut sheet = Sheet::new().line(FULL);
    sheet.put(50.0, bold, "FOR FURTHER INFORMATION ABOUT ALL OF THIS CONTACT THE");
    let text = markdown(sheet.at(268.0, PLAIN, "Office here").line("Oakham is where it goes on."));
    assert!(text.ends_with("CONTACT THE** Office here Oakham is where it goes on."), "{text}");
    let small = Face { size: 6.0, ..PLAIN };
    let mut sheet = Sheet::new();
    sheet.put(50.0, PLAIN, FULL);
    sheet.put_script(330.0, small, "d", Script::Raised);
    assert_has(sheet.space(12.0).at(50.0, small, "5"), "\n\n5");
}

#[test]
fn a_number_at_the_beginning_of_a_line_keeps_the_dots_after_it() {
    let sheet = Sheet::new().line(FULL).line(FULL).space(8.0);
    let sheet = sheet.line("FD It names a file of the library that has entries (0 to");
    assert_has(sheet.at(65.0, PLAIN, "16...) to be searched in the end."), "(0 to 16...) to be searched in the end.");
}

#[test]
fn leaders_tie_text_to_its_number_so_that_no_gutter_divides_them() {
    let mut sheet = Sheet::new();
    for row in 0..6_u8 {
        sheet.put(50.0, PLAIN, &format!("Line {row} of the form"));
        (0..14_u8).for_each(|dot| sheet.put(150.0 + 11.0 * f32::from(dot), PLAIN, "."));
        sheet.put(310.0, PLAIN, &format!("{row}a"));
        sheet.y += 18.0;
    }
    let text = markdown(sheet);
    assert!(text.contains("Line 0 of the form ... 0a") && text.contains("Line 5 of the form ... 5a"), "{text}");
}

#[test]
fn a_line_that_looks_like_a_heading_and_has_the_next_number_is_one() {
    let body = |sheet: Sheet| sheet.space(4.0).line(FULL).line(FULL).line("and end here.").space(14.0);
    let sheet = body(Sheet::new().at(50.0, Face { size: 20.0, ..BOLD }, "The title"));
    let sheet = body(sheet.at(142.5, ITALIC, "A. The first system"));
    let sheet =
        body(sheet.at(50.0, ITALIC, "B. A second system with a much longer title that goes").at(65.0, ITALIC, "on"));
    let text = markdown(sheet);
    assert!(text.contains("\n## A. The first system\n"), "{text}");
    assert!(text.contains("\n## B. A second system with a much longer title that goes on\n"), "{text}");
}

#[test]
fn lines_in_one_look_are_headings_as_most_of_them_are() {
    let text = |sheet: Sheet| sheet.space(6.0).line(FULL).line(FULL).line(FULL).line("and end here.");
    let parts = |spaces: &[f32]| {
        spaces.iter().zip(["One", "Two", "Three", "Four"]).fold(text(Sheet::new()), |sheet, (space, name)| {
            text(sheet.space(*space).at(50.0, BOLD, &format!("Part {name}")))
        })
    };
    let most = markdown(parts(&[10.0, 10.0, 10.0, 0.0]));
    assert!(["One", "Two", "Three", "Four"].iter().all(|name| most.contains(&format!("# Part {name}\n"))), "{most}");
    assert!(markdown(parts(&[10.0, 0.0, 0.0, 0.0])).contains("# Part One\n"));
    let numbered = ["1.1 One", "1.2 Two", "1.3 Three"].into_iter().zip([10.0, 0.0, 0.0]);
    let few = numbered.fold(text(Sheet::new()), |sheet, (name, space)| text(sheet.space(space).at(50.0, BOLD, name)));
    assert!(!markdown(few).contains("# "));
}

#[test]
fn larger_lines_in_a_look_that_is_mostly_sentences_are_text() {
    let large = Face { size: 12.0, ..PLAIN };
    let title = Sheet::new().at(50.0, Face { size: 20.0, ..BOLD }, "The title").space(12.0);
    let body = (0..8).fold(title, |sheet, _| sheet.line(FULL)).line("to its end.");
    let first = "Some of the words on this page are larger than";
    let sentence = |sheet: Sheet| {
        sheet.space(20.0).at(50.0, large, first).at(50.0, large, "others, and each of them is in a whole sentence.")
    };
    let line = |sheet: Sheet| sheet.space(20.0).at(50.0, large, "Write it as a line").space(6.0).line(FULL).line(FULL);
    assert!(!markdown(line(sentence(sentence(body.clone())))).contains("# Write"));
    assert_has(line(body), "# Write it as a line\n");
}

#[test]
fn a_heading_right_above_one_in_another_colour_is_no_line_of_a_block() {
    let text = |sheet: Sheet| sheet.space(6.0).line(FULL).line(FULL).line("and end here.").space(14.0);
    let mut sheet = text(Sheet::new().at(50.0, BOLD, "Where to write"));
    let first = sheet.layout.words.len();
    sheet = sheet.at(50.0, BOLD, "People");
    sheet.layout.words.iter_mut().skip(first).for_each(|word| word.color = [200, 0, 0]);
    assert_has(text(sheet.at(50.0, BOLD, "Ada Printwright")), "# People\n");
}

#[test]
fn a_line_in_capitals_and_one_in_small_letters_are_two_headings() {
    let sheet = Sheet::new()
        .at(155.0, BOLD, "MINUTES OF")
        .at(90.0, BOLD, "Public meeting on the third of May")
        .space(14.0)
        .line(FULL)
        .line(FULL);
    assert_has(sheet, "MINUTES OF\n\n");
}

#[test]
fn entries_of_a_table_of_contents_are_lines_of_one_paragraph() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(12.0);
    for (title, page) in [("The beginning", "1"), ("The end of it", "12")] {
        sheet.put(50.0, PLAIN, title);
        sheet.put(320.0, PLAIN, page);
        sheet.y += 18.0;
    }
    assert!(markdown(sheet).ends_with("\n\nThe beginning 1  \nThe end of it 12"));
}

#[test]
fn a_paragraph_goes_on_beside_a_figure_whose_caption_begins_with_a_bullet() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line(FULL);
    let top = sheet.y;
    sheet.layout.images.push(Bounds { x0: 50.0, y0: top - 8.0, x1: 150.0, y1: top + 70.0 });
    sheet = sheet.go_to(top + 83.0);
    for line in ["• Figure 5.1 Growth", "in each of the years", "of a life on average"] {
        sheet = sheet.at(50.0, PLAIN, line);
    }
    sheet = sheet.go_to(top);
    for _ in 0..10 {
        sheet = sheet.at(165.0, PLAIN, "and its lines beside it are short");
    }
    let text = markdown(sheet.at(165.0, PLAIN, "and end."));
    assert!(text.contains("to the right one and its lines beside it"), "{text}");
    assert!(text.contains("short and end.") && text.contains("\n\n• Figure 5.1 Growth in each"), "{text}");
}

#[test]
fn labels_in_a_figure_stand_between_two_parts_of_a_paragraph() {
    let first = Sheet::new().line(FULL).line(FULL).line(FULL);
    let mut second = Sheet::new();
    second.layout.images.push(Bounds { x0: 50.0, y0: 60.0, x1: 350.0, y1: 200.0 });
    let second = second.at(100.0, BOLD, "Matrix of values").go_to(150.0).at(200.0, PLAIN, "An axis").go_to(230.0);
    let second = second.line("goes on below the figure of the second page and then ends.");
    let text = markdown_of(&[first, second]);
    assert!(text.concat().contains("right one goes on below the figure"), "{text:?}");
}

/// A horizontal rule below the current line.
fn ruled(mut sheet: Sheet) -> Sheet {
    let y = sheet.y - 6.0;
    let bounds = Bounds { x0: 50.0, y0: y, x1: 340.0, y1: y + 0.5 };
    sheet.layout.rules.push(Rule { bounds, is_horizontal: true, color: [0; 3] });
    sheet.space(6.0)
}

#[test]
fn the_steps_of_an_algorithm_are_lines_of_code() {
    let steps = |label: &str| {
        let sheet = ruled(Sheet::new().line(FULL).line(FULL).line(FULL).space(12.0).at(50.0, BOLD, label));
        let sheet = sheet.row(&[(50.0, "1: for all edges do"), (250.0, "▷ in order")]).at(70.0, PLAIN, "visit its end");
        markdown(ruled(sheet.row(&[(50.0, "2: done"), (250.0, "▷ at last")])).line(FULL))
    };
    let expected = "```\n1: for all edges do ▷ in order\n    visit its end\n2: done ▷ at last\n```";
    assert!(steps("Algorithm 1 Search").contains(expected), "{}", steps("Algorithm 1 Search"));
    assert!(!steps("Exercise 1 Search").contains("```"));
}

#[test]
fn the_second_line_of_a_short_work_goes_on_with_its_first() {
    let work = |sheet: Sheet, name: &str| {
        let first = format!("{name}, A., 1999. A long title that fills the first line");
        sheet.at(50.0, PLAIN, &first).at(70.0, PLAIN, "and ends here. The House.")
    };
    let page = ["Adams", "Baker", "Clark"].into_iter().fold(Sheet::new().line(FULL).space(8.0), work);
    assert_has(page, "Baker, A., 1999. A long title that fills the first line and ends here. The House.");
    let entry = |sheet: Sheet, name: &str| {
        let first = format!("{name} of all sorts that an index has in one of its");
        sheet.at(50.0, PLAIN, &first).at(70.0, PLAIN, "entries, 12")
    };
    let page = ["words", "names", "kinds"].into_iter().fold(Sheet::new().line(FULL).space(8.0), entry);
    assert_has(page, "one of its entries, 12  \nnames of all sorts");
}

#[test]
fn lines_below_the_text_after_a_label_in_brackets_belong_to_its_item() {
    let item = |sheet: Sheet, label: &str, lines: &[&str]| {
        let mut sheet = sheet.at(50.0, PLAIN, &format!("• ({label})"));
        sheet.y -= 12.0;
        lines.iter().fold(sheet, |sheet, line| sheet.at(130.0, PLAIN, line))
    };
    let page = item(Sheet::new(), "The fee", &["Words that fill this line up to its right end", "and go on here."]);
    let page = item(page, "The day", &["Begins in May.", "Ends in June."]).line("After the list.");
    let expected = "- (The fee) Words that fill this line up to its right end and go on here.\n- (The day) Begins in May.\n\n  \
                    Ends in June.\n\nAfter the list.";
    assert_eq!(markdown(page), expected);
}

#[test]
fn hanging_paragraphs_below_the_text_of_an_item_belong_to_it() {
    let hanging = |sheet: Sheet, x: f32, hang: f32| {
        let first = "1.1 A part of it: words that fill its line to the end";
        sheet.at(x, PLAIN, first).at(x + hang, PLAIN, "and go on here, set in.")
    };
    let text = "1.1 A part of it: words that fill its line to the end and go on here, set in.";
    let page = |x: f32| hanging(Sheet::new().line(FULL).space(8.0).line("1. An item"), x, 20.0);
    assert_has(page(65.0), &format!("1. An item\n\n   {text}"));
    // A paragraph that begins at the margin follows the list.
    let beside = hanging(Sheet::new().line(FULL).space(8.0).line("• An item").space(8.0), 50.0, 10.0);
    assert_has(beside, &format!("- An item\n\n{text}"));
}

#[test]
fn an_ellipsis_is_no_leader() {
    let ellipsis = |sheet: Sheet| {
        let mut sheet = sheet;
        sheet.put(50.0, PLAIN, "The words of this line end with three dots that go on");
        sheet.word(325.0, 8.0, PLAIN, "...");
        sheet.space(12.0).line("and the sentence ends.")
    };
    assert_has(ellipsis(Sheet::new().line(FULL)), "go on ... and the sentence ends.");
}

#[test]
fn a_star_at_the_end_of_bold_type_is_no_mark_of_it() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(10.0);
    sheet.put(50.0, BOLD, "By Anna and Ben");
    sheet.put_script(125.0, Face { size: 6.0, ..BOLD }, "a", Script::Raised);
    sheet.put_script(128.0, BOLD, "*", Script::Baseline);
    assert_has(sheet, "**By Anna and Ben<sup>a</sup>\\***");
}

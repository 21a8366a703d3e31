//! What looks like a heading, an item, a quote or code, and is something else.

use super::super::tables::find_tables;
use super::sheet::{BOLD, FULL, Face, MONO, PLAIN, Sheet, assert_has, markdown};
use pagewise_text::{Bounds, Fill, Rule};

/// Italic type in the size of the body.
const ITALIC: Face = Face { is_italic: true, ..PLAIN };

#[test]
fn ragged_text_that_is_set_in_on_the_left_alone_quotes_nothing() {
    let sheet = |end: &str| {
        Sheet::new().line(FULL).space(6.0).at(65.0, PLAIN, &format!("The words of this line stop {end}")).at(
            65.0,
            PLAIN,
            "notwithstanding the room that the line above left",
        )
    };
    assert!(!markdown(sheet("before the edge, as ")).contains("> "));
    assert!(markdown(sheet("here")).contains("> The words"));
}

#[test]
fn a_star_before_one_line_is_the_mark_of_a_note() {
    let notes = Sheet::new().line(FULL).space(8.0).line("* To the nearest unit").line("** Not known");
    assert_eq!(markdown(notes), format!("{FULL}\n\n\\* To the nearest unit\n\n\\*\\* Not known"));
    assert_eq!(markdown(Sheet::new().line("* one").line("* two")), "- one\n- two");
}

#[test]
fn each_line_that_begins_with_its_label_is_a_paragraph() {
    let sheet = Sheet::new().line("Number: 992").line("Date of birth: 29 March 2014").line("Order: 12508334");
    assert_eq!(markdown(sheet), "Number: 992\n\nDate of birth: 29 March 2014\n\nOrder: 12508334");
    let prose =
        Sheet::new().line("Note: this line is as full as any other line can be, and").line("in turn: it goes on");
    assert!(!markdown(prose).contains("\n\n"));
}

#[test]
fn lines_that_leave_much_of_their_room_free_are_no_text_that_goes_on() {
    let lines = ["Given name: Ada", "First field: notes of four words", "Second field: engines"];
    let sheet = || lines.into_iter().fold(Sheet::new(), Sheet::line);
    assert_eq!(markdown(sheet()), lines.join("\n\n"));
    let address = ["Mrs", "Ada Lovelace", "12 Square", "London"];
    assert_eq!(markdown(address.into_iter().fold(Sheet::new(), Sheet::line)), address.join("\n\n"));
    let prose = ["These lines of prose are narrow and end", "where the next word has no more room or", "Nearly so."];
    assert_eq!(markdown(prose.into_iter().fold(Sheet::new(), Sheet::line)), prose.join(" "));
}

#[test]
fn a_label_and_its_value_are_no_heading() {
    let page = |face: Face, text: &str| {
        markdown(Sheet::new().line(FULL).space(8.0).at(50.0, face, text).space(8.0).line(FULL).line(FULL))
    };
    let larger = Face { size: 12.0, ..PLAIN };
    assert!(page(larger, "Date: 28/11/2022").contains("\n\nDate: 28/11/2022\n\n"));
    assert!(page(larger, "Dates of the year").contains("# Dates of the year"));
    assert!(page(ITALIC, "Source: The Office").contains("\n\n*Source: The Office*\n\n"));
    assert!(page(ITALIC, "The Office").contains("# The Office"));
}

#[test]
fn large_lines_with_nothing_between_them_are_labels() {
    let chart = |count: u8| {
        let large = Face { size: 14.0, ..PLAIN };
        let labels = (0..count).fold(Sheet::new(), |sheet, at| {
            let gap = 40.0 * f32::from(at % 2);
            sheet.space(20.0).at(50.0 + gap, large, if at % 2 == 0 { "Layer" } else { "Model" })
        });
        markdown((0..8).fold(labels.space(20.0), |sheet, _| sheet.line(FULL)))
    };
    assert_eq!(chart(8).matches("# ").count(), 0);
    assert_eq!(chart(3).matches("# ").count(), 3);
    let title = ["A report", "to the council", "of the city", "by the office", "of works"];
    let large = Face { size: 14.0, ..PLAIN };
    let title = title.iter().fold(Sheet::new(), |sheet, line| sheet.at(50.0, large, line).space(20.0));
    assert_eq!(markdown(title.line(FULL).line(FULL)).matches("# ").count(), 5);
}

#[test]
fn text_above_a_long_list_of_references_in_small_type_is_no_heading() {
    let small = Face { size: 8.0, ..PLAIN };
    let paragraph = |sheet: Sheet| (0..4).fold(sheet, |sheet, _| sheet.line(FULL)).line("to its end.").space(8.0);
    let sheet = paragraph(paragraph(Sheet::new())).line("It holds for the set where").space(8.0);
    let references = (0..20).fold(sheet, |sheet, _| sheet.at(50.0, small, &format!("{FULL} and some more")));
    assert!(!markdown(references).contains('#'));
}

#[test]
fn a_large_line_of_a_fixed_pitch_is_a_heading() {
    let title = Sheet::new().at(50.0, Face { size: 16.0, ..MONO }, "Demo").space(12.0).line(FULL).line(FULL);
    assert!(markdown(title).starts_with("# `Demo`\n"));
}

#[test]
fn bold_type_says_something_unless_nearly_all_text_is_bold() {
    let page = |last: Face| {
        let bold = (0..4).fold(Sheet::new(), |sheet, _| sheet.at(50.0, BOLD, FULL));
        let title = bold.space(12.0).at(50.0, BOLD, "A part of it").space(12.0);
        (0..3).fold(title, |sheet, _| sheet.at(50.0, last, FULL))
    };
    let mixed = markdown(page(PLAIN));
    assert!(mixed.starts_with("**Words") && mixed.contains("\n\n# A part of it\n\nWords"), "{mixed}");
    assert!(!markdown(page(BOLD)).contains(['*', '#']));
    let large = Sheet::new().at(50.0, Face { size: 20.0, ..BOLD }, "A long name of the page in large type");
    let notes = large.space(20.0).line("Its text has fewer words, of which").at(50.0, BOLD, "these are more so.");
    assert_has(notes, "**these are more so.**");
}

#[test]
fn the_number_of_a_reference_at_the_beginning_of_a_line_goes_on_with_its_paragraph() {
    let sheet =
        Sheet::new().line(FULL).line("[2019] argues that it is, and the next line says so too").line("at the end.");
    assert!(!markdown(sheet).contains("\n\n"));
}

#[test]
fn text_turned_beside_the_page_is_no_heading() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line(FULL);
    let bounds = Bounds { x0: 10.0, y0: 80.0, x1: 30.0, y1: 160.0 };
    sheet.put(10.0, Face { size: 20.0, ..BOLD }, "Report");
    if let Some(word) = sheet.layout.words.last_mut() {
        (word.bounds, word.baseline, word.turn) = (bounds, 28.0, 270);
    }
    assert!(markdown(sheet).ends_with("**Report**"));
}

#[test]
fn labels_turned_beside_the_text_are_lines_of_one_block() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line(FULL);
    for (at, text) in [(100.0, "Monday"), (130.0, "Tuesday"), (160.0, "Wednesday"), (190.0, "Thursday.")] {
        sheet.put(at, PLAIN, text);
        if let Some(word) = sheet.layout.words.last_mut() {
            (word.bounds, word.baseline, word.turn) =
                (Bounds { x0: at, y0: 200.0, x1: at + 10.0, y1: 260.0 }, at + 8.0, 270);
        }
    }
    assert_has(sheet, "Monday  \nTuesday  \nWednesday  \nThursday.");
}

#[test]
fn lines_of_code_on_a_ground_each_are_one_listing() {
    let listing = |gaps: [f32; 3], is_striped: bool| {
        let mut sheet = Sheet::new().line(FULL).line(FULL).space(12.0);
        for (at, (text, gap)) in ["$ one", "two", "$ three"].into_iter().zip(gaps).enumerate() {
            let bounds = Bounds { x0: 48.0, y0: sheet.y - 9.0, x1: 300.0, y1: sheet.y + 3.0 };
            if !is_striped || at == 1 {
                sheet.layout.fills.push(Fill { bounds, color: [230; 3] });
            }
            sheet = sheet.at(50.0, MONO, text).space(gap);
        }
        markdown(sheet)
    };
    assert!(listing([0.0; 3], false).ends_with("```\n$ one\ntwo\n$ three\n```"));
    assert!(listing([0.0; 3], true).ends_with("```\n$ one\ntwo\n$ three\n```"));
    assert!(listing([0.0, 12.0, 0.0], false).ends_with("```\n$ one\ntwo\n\n$ three\n```"));
    assert!(listing([4.0; 3], false).ends_with("```\n$ one\n```\n\n```\ntwo\n```\n\n```\n$ three\n```"));
}

#[test]
fn large_items_are_no_headings() {
    let large = Face { size: 13.0, ..PLAIN };
    let list = Sheet::new().line(FULL).line(FULL).space(12.0).at(50.0, large, "1. Fold the sheet").space(6.0);
    let list = list.at(50.0, large, "2. Cut the edges").space(6.0).line(FULL).line(FULL);
    assert!(markdown(list).contains("\n\n1. Fold the sheet\n2. Cut the edges\n\n"));
}

#[test]
fn items_with_coloured_numbers_are_no_headings() {
    let mut list = Sheet::new().line(FULL).line(FULL).space(12.0);
    for item in ["1. Fold the sheet", "2. Cut the edges", "3. Sew the folds"] {
        let first = list.layout.words.len();
        list = list.line(item).space(6.0);
        list.layout.words.iter_mut().skip(first).take(1).for_each(|number| number.color = [0, 0, 200]);
    }
    assert!(markdown(list).ends_with("\n\n1. Fold the sheet\n2. Cut the edges\n3. Sew the folds"));
}

#[test]
fn items_of_right_to_left_text_with_marks_below_each_other_are_one_list() {
    let items = ["אבג דהו זחט", "אב גד"].into_iter().zip(1_u8..).fold(Sheet::new(), |mut sheet, (text, number)| {
        let mut right = 350.0;
        for part in format!("{number}. {text}").split(' ') {
            right -= 5.0 * f32::from(u8::try_from(part.chars().count()).unwrap_or(0));
            sheet.put(right, PLAIN, part);
            right -= 5.0;
        }
        sheet.space(12.0)
    });
    assert_eq!(markdown(items), "1. אבג דהו זחט\n2. אב גד");
}

#[test]
fn authors_with_their_addresses_side_by_side_are_neither_a_table_nor_quotes() {
    let blocks = [
        ("Ada Byron", "Paul Klee"),
        ("Chair of the Office", "Member of the Office"),
        ("Analytical Office", "Digital Publishing Office"),
        ("London, England", "Berne, Switzerland"),
        ("ada@example.org", "paul@example.com"),
    ];
    let mut sheet = Sheet::new();
    for (left, right) in blocks {
        for (middle, text) in [(115.0, left), (295.0, right)] {
            sheet.put(middle - 2.5 * f32::from(u8::try_from(text.len()).unwrap_or(0)), PLAIN, text);
        }
        sheet.y += 12.0;
    }
    assert_eq!(find_tables(&sheet.layout).len(), 0);
    sheet.y += 20.0;
    for _ in 0..10 {
        sheet = sheet.row(&[(50.0, "the left column has some text"), (230.0, "the right column has more text")]);
    }
    let text = markdown(sheet);
    let first = "Ada Byron Chair of the Office Analytical Office London, England ada@example.org\n\n";
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("\n\nPaul Klee Member of the Office Digital Publishing Office"), "{text}");
}

#[test]
fn an_item_in_capitals_over_the_next_item_is_no_heading() {
    let sheet = Sheet::new().line(FULL).space(12.0).line("1. JSON").space(3.0).line("2. Markdown").line("3. Text");
    assert!(markdown(sheet).ends_with("1. JSON\n2. Markdown\n3. Text"));
}

#[test]
fn the_initial_of_a_name_after_a_comma_is_no_mark() {
    let text = markdown(Sheet::new().line("Ashford, A., Bow, B., Cord, C., Dale, D., and Ferriol,").at(
        62.0,
        PLAIN,
        "I. (2015). Words.",
    ));
    assert!(text.ends_with("and Ferriol, I. (2015). Words."), "{text}");
}

#[test]
fn a_word_that_goes_on_in_the_next_line_ends_no_heading_and_no_paragraph() {
    let large = Face { size: 14.0, ..BOLD };
    let heading = |sheet: Sheet, end: &str| {
        // In double spacing, and set in.
        let sheet =
            sheet.at(50.0, large, &format!("B Of folds and {end}")).space(11.0).at(70.0, large, "kets of paper");
        markdown(sheet.space(10.0).line(FULL).line(FULL).line("It ends."))
    };
    let text = heading(Sheet::new().line(FULL).space(20.0), "mar-");
    assert!(text.contains("# B Of folds and markets of paper\n"), "{text}");
    let text = heading(Sheet::new().line(FULL).space(20.0), "mar");
    assert!(text.contains("# B Of folds and mar\n"), "{text}");
}

#[test]
fn the_underline_of_a_link_divides_no_paragraph() {
    let blocks = |is_link: bool| {
        let mut sheet = Sheet::new().line(FULL).line(FULL);
        if is_link {
            sheet = sheet.link(50.0, 330.0, "http://fold.example");
        }
        let bounds = Bounds { x0: 50.0, y0: sheet.y + 4.0, x1: 330.0, y1: sheet.y + 4.5 };
        sheet.layout.rules.push(Rule { bounds, is_horizontal: true, color: [0; 3] });
        let text = markdown(sheet.line("Words fill this line from the left edge to the right and").line("go on here."));
        text.split("\n\n").count()
    };
    assert_eq!(blocks(true), 1);
    assert_eq!(blocks(false), 2);
}

#[test]
fn a_bold_question_and_what_introduces_a_list_are_headings() {
    let page = |text: &str, lines: &[&str]| {
        let sheet = Sheet::new().line(FULL).line(FULL).space(8.0).at(50.0, BOLD, text);
        markdown(lines.iter().fold(sheet, |sheet, line| sheet.line(line)))
    };
    assert!(page("How does it work?", &[FULL, FULL]).contains("# How does it work?"));
    assert!(page("As a boater:", &["• Stay within the channels", "• Call for help"]).contains("# As a boater:"));
    assert!(page("Bill to:", &["Ada Lovelace", "12 Square"]).contains("**Bill to:**"));
}

#[test]
fn labels_of_figures_and_tables_are_no_headings_in_larger_type() {
    let larger = Face { size: 12.0, ..BOLD };
    let page = |text: &str| {
        markdown(Sheet::new().line(FULL).line(FULL).space(8.0).at(50.0, larger, text).space(8.0).line(FULL))
    };
    for label in ["Table 13.2. The effect of salts", "Figure 3: Views by age", "Table: Observers in May"] {
        assert!(page(label).contains(&format!("\n\n**{label}**\n\n")), "{}", page(label));
    }
    for title in ["Activity 4. Replacing the salts", "Table of salts and their effects"] {
        assert!(page(title).contains(&format!("# {title}")), "{}", page(title));
    }
}

#[test]
fn a_line_in_a_colour_of_its_own_ends_before_bold_text() {
    let page = |color: [u8; 3]| {
        let mut sheet = Sheet::new().line(FULL).line(FULL).space(8.0);
        let first = sheet.layout.words.len();
        sheet = sheet.at(50.0, BOLD, "Replace");
        sheet.layout.words.iter_mut().skip(first).for_each(|word| word.color = color);
        sheet.put(50.0, BOLD, "l. Recyclable materials.");
        sheet.put(175.0, PLAIN, "Plastics can be replaced by new materials");
        markdown(sheet.space(12.0).line(FULL))
    };
    assert!(page([40, 160, 40]).contains("# Replace\n\n**l. Recyclable"), "{}", page([40, 160, 40]));
    assert!(page([0; 3]).contains("Replace l. Recyclable"), "{}", page([0; 3]));
}

#[test]
fn a_line_far_above_the_text_at_the_edge_of_a_page_is_no_heading() {
    let page = |space: f32| {
        let sheet = Sheet::new().go_to(32.0).at(50.0, BOLD, "COLLEGE OF THE SOUTH");
        markdown(sheet.space(space).line(FULL).line(FULL))
    };
    assert!(!page(24.0).contains('#'), "{}", page(24.0));
    assert!(page(6.0).contains("# COLLEGE OF THE SOUTH"), "{}", page(6.0));
}

#[test]
fn a_large_line_below_the_text_does_not_make_the_largest_one_a_name() {
    let large = |size: f32| Face { size, ..PLAIN };
    let sheet = Sheet::new().at(50.0, large(36.0), "MAKING SLIDES").space(20.0);
    let sheet = (0..3).fold(sheet, |sheet, _| sheet.line(FULL)).line("and this line ends them here.").space(30.0);
    let sheet = sheet.at(50.0, large(18.0), "INTERESTED IN OUR HELP WITH IT").space(20.0).line("Write us.");
    assert_has(sheet, "# MAKING SLIDES");
}

#[test]
fn the_title_of_a_part_is_no_heading_between_the_entries_of_contents() {
    let large = |size: f32| Face { size, ..PLAIN };
    let entries = |sheet: Sheet| {
        let entry = |sheet: Sheet, name: &str| sheet.row(&[(50.0, name), (300.0, "12")]);
        ["Introduction of salts", "Terms and signs of them", "Outliers in salts"]
            .into_iter()
            .fold(sheet, entry)
            .space(12.0)
    };
    let page = |title: &str, size: f32| {
        let sheet = Sheet::new().at(50.0, large(20.0), "Contents").space(12.0);
        markdown(entries(entries(sheet).at(50.0, large(size), title).space(12.0)))
    };
    let text = page("Part One: The Salts", 13.0);
    assert!(text.contains("# Contents") && !text.contains("# Part"), "{text}");
    assert!(page("Figures", 20.0).contains("# Figures"));
}

#[test]
fn a_larger_title_after_a_list_is_no_name_of_a_journal() {
    let large = |size: f32| Face { size, ..PLAIN };
    let list = |sheet: Sheet| sheet.line("• Stay within the channels").line("• Call for help").space(12.0);
    let sheet = list(Sheet::new().at(50.0, large(16.0), "YOU CAN HELP").space(6.0));
    let sheet =
        list(sheet.at(50.0, large(24.0), "GRASS").space(12.0).at(50.0, large(18.0), "WHY IT IS IMPORTANT TO US"));
    assert_has(sheet.clone(), "# YOU CAN HELP");
    assert_has(sheet, "# GRASS");
}

#[test]
fn the_title_of_a_page_with_little_text_is_not_its_body() {
    let title = Face { size: 30.0, ..PLAIN };
    let sheet = Sheet::new().at(50.0, title, "Integrity of results").space(200.0).line("Image from here");
    assert_has(sheet, "# Integrity of results");
}

#[test]
fn a_numbered_sentence_of_several_lines_is_no_heading_in_hardly_larger_type() {
    let larger = Face { size: 11.0, ..PLAIN };
    let page = |lines: &[&str]| {
        let sheet = (0..4).fold(Sheet::new(), |sheet, _| sheet.line(FULL)).space(20.0);
        markdown(lines.iter().fold(sheet, |sheet, line| sheet.at(50.0, larger, line)).space(20.0).line(FULL).line(FULL))
    };
    let lines = [
        "2. Content in this section is adapted from a work of",
        "others and is used under a licence which they have",
        "given to all.",
    ];
    assert!(!page(&lines).contains("# 2."), "{}", page(&lines));
    assert!(page(&["2. Content of this section."]).contains("# 2."));
}

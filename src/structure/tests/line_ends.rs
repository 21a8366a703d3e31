//! Where lines end on purpose, and where they go on.

use super::sheet::{BOLD, FULL, PLAIN, Sheet, markdown};

/// Three letters shorter than a full line, and the end of a sentence.
const NEARLY_FULL: &str = "Words fill this line from the left edge to its rig ht.";

#[test]
fn a_line_that_has_room_for_the_next_word_ends_its_paragraph() {
    let sheet = Sheet::new().line("Ashford Ltd").line("12 River Street").line(FULL).line(FULL).line(FULL);
    assert!(markdown(sheet).starts_with("Ashford Ltd\n\n12 River Street\n\nWords"));
}

#[test]
fn lines_that_end_at_a_box_beside_them_are_of_one_paragraph() {
    const BESIDE: [&str; 3] = [
        "These lines end where a box stands",
        "Edgar begins no new line of a text",
        "And these are long enough to count",
    ];
    let beside = BESIDE.into_iter().fold(Sheet::new(), Sheet::line);
    let text = markdown(beside.line(FULL).line(FULL).line(FULL));
    assert_eq!(text.matches("\n\n").count(), 0, "{text}");
    let list = (0..4).fold(Sheet::new(), |sheet, _| sheet.line("Case five is like the case before."));
    let text = markdown(list.line(FULL).line(FULL).line(FULL));
    assert_eq!(text.matches("\n\n").count(), 4, "{text}");
}

#[test]
fn most_lines_of_a_list_end_on_purpose_and_so_do_the_others() {
    let names =
        ["Ken Ota", "Joe Reid", "Mary Anne Schierman", "Harriett Steinbach, Chair", "Rich Strle", "Akiko", "Bob"];
    let sheet = |names: &[&str]| names.iter().fold(Sheet::new(), |sheet, name| sheet.at(400.0, PLAIN, name));
    assert_eq!(markdown(sheet(&names)), names.join("\n\n"));
    // In text, few do.
    let text = ["Ken Ota and Mary Anne", "Schierman met in", "Harriett Steinbach's", "house in Bloomington."];
    assert_eq!(markdown(sheet(&text)), text.join(" "));
}

#[test]
fn a_sentence_that_ends_before_the_edge_of_justified_text_ends_its_paragraph() {
    let lines = [FULL, FULL, FULL, NEARLY_FULL, FULL, FULL, FULL];
    let justified = lines.iter().fold(Sheet::new(), |sheet, line| sheet.line(line));
    let paragraphs = [[FULL, FULL, FULL, NEARLY_FULL].join(" "), [FULL, FULL, FULL].join(" ")];
    assert_eq!(markdown(justified), paragraphs.join("\n\n"));
}

#[test]
fn a_sentence_that_ends_near_the_edge_of_ragged_text_does_not() {
    let ends = ["and", "", "on", NEARLY_FULL, "a", "in", "of"];
    let line =
        |end: &str| if end == NEARLY_FULL { end.to_owned() } else { format!("{FULL} {end}").trim_end().to_owned() };
    let ragged = ends.iter().fold(Sheet::new(), |sheet, end| sheet.line(&line(end)));
    assert!(!markdown(ragged).contains("\n\n"));
}

#[test]
fn the_lines_beside_a_large_initial_are_of_its_paragraph() {
    let beside = FULL.get(..52).unwrap_or_default();
    let sheet = Sheet::new().line(&format!("X{FULL}")).at(75.0, PLAIN, beside).at(75.0, PLAIN, beside);
    let text = markdown(sheet.line(&format!("x{FULL}")).line(FULL).line("to its end."));
    assert!(!text.contains("\n\n"), "{text}");
}

#[test]
fn a_sentence_goes_on_below_the_picture_beside_which_it_begins() {
    let beside = FULL.get(..48).unwrap_or_default();
    let sheet = (0..7).fold(Sheet::new(), |sheet, _| sheet.at(90.0, PLAIN, beside));
    let text = markdown(sheet.line(&format!("x{FULL}")).line(FULL).line("to its end."));
    assert!(!text.contains("\n\n"), "{text}");
}

#[test]
fn short_lines_with_capitals_are_a_list_although_few_leave_room_for_the_next_word() {
    let page = |names: &[&str]| {
        let mut sheet = Sheet::new();
        for row in 0..9 {
            names.get(row).iter().for_each(|name| sheet.put(50.0, PLAIN, name));
            sheet = sheet.at(168.0, PLAIN, "The words of a text stand beside it");
        }
        markdown(sheet)
    };
    let courses = ["Machine Learning", "Open Source Software", "Interactive Graphics", "Practicum", "Cloud Computing"];
    let text = page(&courses);
    assert!(text.starts_with(&courses.join("\n\n")), "{text}");
    let text = page(&["Machine Learning,", "Open Source Software", "Interactive Graphics", "Practicum", "Cloud"]);
    assert!(text.starts_with("Machine Learning, Open Source"), "{text}");
}

#[test]
fn an_address_of_mail_stands_on_its_own_line() {
    let block = ["Ada Printwright", "12 River Street", "Inkford 5", "printwright@example.org"];
    let sheet = block.iter().fold(Sheet::new(), |sheet, line| sheet.line(line));
    assert_eq!(markdown(sheet.space(30.0).line(FULL)), format!("{}\n\n{FULL}", block.join("\n\n")));
}

#[test]
fn ragged_lines_beside_a_picture_are_of_one_paragraph() {
    let page = |lines: &[&str]| {
        let beside = lines.iter().fold(Sheet::new(), |sheet, line| sheet.line(line));
        markdown(beside.line(FULL).line(&format!("x{FULL}")))
    };
    let text = [
        "The lines of this text end",
        "at a picture that stands.",
        "Beside them it is large",
        "and it has no words, so",
        "that nobody ever sees it",
    ];
    assert!(!page(&text).contains("\n\n"), "{}", page(&text));
    let list = ["The first of them.", "The second of them is.", "A third of them.", "Another is not here."];
    assert_eq!(page(&list).matches("\n\n").count(), 4);
}

#[test]
fn works_of_two_lines_hang_where_others_do() {
    let works = ["Ashford, A. Notes.", "Denholm, B. Forests.", "Oakham, C. Engines."];
    let rest = "Inkford: River Press.";
    let first = Sheet::new().line(&filled("Aldgate, B.")).at(62.0, PLAIN, &filled("in")).at(62.0, PLAIN, rest);
    let sheet = works.iter().fold(first, |sheet, work| sheet.line(&filled(work)).at(62.0, PLAIN, rest));
    let text = markdown(sheet);
    works.iter().for_each(|work| assert!(text.contains(&format!("{} {rest}", filled(work))), "{text}"));
}

/// A text with letters up to the end of a full line.
fn filled(text: &str) -> String {
    let rest = "On The River And On Its Valley In The Northern Parts";
    format!("{text} {}", rest.get(..FULL.len() - text.len() - 1).unwrap_or(rest).trim_end())
}

#[test]
fn a_full_line_of_justified_text_goes_on_however_far_it_is_set_in() {
    let justified = |sheet: Sheet| [FULL; 6].iter().fold(sheet, |sheet, line| sheet.line(line));
    let set_in = FULL.get(..FULL.len() - 14).unwrap_or_default();
    let sheet = justified(Sheet::new()).line("It ends.").space(9.0).at(120.0, PLAIN, set_in);
    let text = markdown(sheet.line("Inkford and its river").space(9.0).line(FULL));
    assert!(text.contains(&format!("{set_in} Inkford")), "{text}");
}

#[test]
fn labels_in_lines_that_end_at_one_edge_are_apart() {
    let ends = ["INVOICE NAME: Printwright of Inkford", "Service Time: all of the last year"];
    let right = |text: &str| 350.0 - 5.0 * f32::from(u16::try_from(text.len()).unwrap_or(0));
    let sheet = ends.iter().fold(Sheet::new(), |sheet, line| sheet.at(right(line), PLAIN, line));
    assert_eq!(markdown(sheet), ends.join("\n\n"));
}

#[test]
fn a_list_item_goes_on_below_its_last_cell() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(9.0);
    for name in ["First", "Other"] {
        sheet.put(50.0, PLAIN, "•");
        sheet.put(60.0, PLAIN, name);
        sheet.put(140.0, BOLD, "New:");
        sheet.put(200.0, PLAIN, "2001/2002 of 10646-2:2001 or");
        sheet = sheet.space(12.0).at(200.0, PLAIN, "(3.2), the encoding").space(3.0);
    }
    let text = markdown(sheet);
    assert_eq!(text.matches("or (3.2), the encoding").count(), 2, "{text}");
}

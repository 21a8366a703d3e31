//! Pages that are read together.

use super::super::{DocumentPage, read_document, read_page, to_markdown};
use super::sheet::{FULL, Face, PLAIN, Sheet, markdown_of};

const SMALL: Face = Face { size: 8.0, ..PLAIN };

/// A page with a running head and a page number.
fn page(number: usize) -> Sheet {
    let sheet = Sheet::new().go_to(30.0).at(50.0, SMALL, "Annual report");
    sheet.go_to(580.0).at(190.0, SMALL, &format!("Page {number}")).go_to(80.0)
}

#[test]
fn running_heads_and_page_numbers_are_left_out() {
    let pages: Vec<Sheet> = (1..4).map(|number| page(number).line(FULL).line("The end.")).collect();
    assert_eq!(markdown_of(&pages), vec![format!("{FULL} The end."); 3]);
}

#[test]
fn a_page_number_alone_is_left_out_of_a_single_page() {
    let sheet = Sheet::new().line(FULL).line("The end.").go_to(580.0).at(195.0, SMALL, "– 7 –");
    assert_eq!(markdown_of(&[sheet]), [format!("{FULL} The end.")]);
}

#[test]
fn a_repeated_line_in_the_middle_of_pages_is_text() {
    let pages: Vec<Sheet> = (0..3).map(|_| Sheet::new().go_to(300.0).line("Repeated words.")).collect();
    assert_eq!(markdown_of(&pages), vec!["Repeated words.".to_owned(); 3]);
}

#[test]
fn a_paragraph_over_a_page_break_stands_where_it_begins() {
    let first = page(1).line(FULL).line(FULL).line(FULL);
    let second = page(2).line("and it ends on the next page.").space(8.0).line("Another one.");
    let expected = [format!("{FULL} {FULL} {FULL} and it ends on the next page."), "Another one.".to_owned()];
    assert_eq!(markdown_of(&[first, second]), expected);
}

#[test]
fn a_paragraph_that_has_ended_is_not_continued() {
    let first = page(1).line(FULL).line(FULL).line("It ends here.");
    let second = page(2).line("Here is another one that begins.");
    let expected = [format!("{FULL} {FULL} It ends here."), "Here is another one that begins.".to_owned()];
    assert_eq!(markdown_of(&[first, second]), expected);
}

#[test]
fn a_nested_list_keeps_its_indent_over_a_page_break() {
    let first = page(1).line(FULL).space(6.0).at(60.0, PLAIN, "• Outer").at(75.0, PLAIN, "• Inner");
    let second = page(2).at(75.0, PLAIN, "• Inner too").at(60.0, PLAIN, "• Outer too").space(6.0).line(FULL);
    let expected = [format!("{FULL}\n\n- Outer\n  - Inner"), format!("  - Inner too\n- Outer too\n\n{FULL}")];
    assert_eq!(markdown_of(&[first, second]), expected);
}

#[test]
fn pages_that_are_only_evidence_get_no_text_and_give_none() {
    let sheets = [page(1).line(FULL).line(FULL).line(FULL), page(2).line("and it goes on."), page(3).line("End.")];
    let pages: Vec<DocumentPage> = (1..)
        .zip(&sheets)
        .map(|(number, sheet)| DocumentPage {
            number,
            structure: read_page(&sheet.layout, &[]),
            is_wanted: number == 2,
        })
        .collect();
    assert_eq!(to_markdown(&read_document(&pages, &[]), &|_, _| None), ["and it goes on."]);
}

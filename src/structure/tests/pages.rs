//! Pages that are read together.

use super::super::{DocumentPage, PageBlocks, read_document, to_markdown};
use super::sheet::{BOLD, FULL, Face, MONO, PLAIN, Sheet, markdown_of};
use pagewise_text::{Bounds, Rule, Script};

const SMALL: Face = Face { size: 8.0, ..PLAIN };

/// Stands where the words of a paragraph of page 1 would.
const MARK: &str = "<!-- The text that goes on here is given at the end of page 1. -->";

/// A page with a running head and a page number.
fn page(number: usize) -> Sheet {
    let sheet = Sheet::new().go_to(30.0).at(50.0, SMALL, "Annual report");
    sheet.go_to(580.0).at(190.0, SMALL, &format!("Page {number}")).go_to(100.0)
}

#[test]
fn running_heads_and_page_numbers_are_left_out() {
    let pages: Vec<Sheet> = (1..4).map(|number| page(number).line(FULL).line("The end.")).collect();
    assert_eq!(markdown_of(&pages), vec![format!("{FULL} The end."); 3]);
}

#[test]
fn labels_and_captions_at_the_top_of_several_pages_stay() {
    for kept in ["Name of the bank:", "Table 2. The banks of the north"] {
        let page = |number: usize| {
            let head = Sheet::new().go_to(30.0).at(50.0, SMALL, "Signature page").at(50.0, SMALL, kept);
            head.go_to(100.0).line(&format!("Bank {number} of the north"))
        };
        let pages: Vec<Sheet> = (1..4).map(page).collect();
        let text = |number: usize| format!("{kept}\n\nBank {number} of the north");
        assert_eq!(markdown_of(&pages), (1..4).map(text).collect::<Vec<_>>());
    }
}

#[test]
fn heads_of_three_left_pages_in_a_row_and_roman_numbers_are_left_out() {
    let roman = ["i", "ii", "iii", "iv", "v", "vi", "vii"];
    let page = |(at, number): (usize, &&str)| {
        let head = if at.is_multiple_of(2) {
            "Chapter 2. The banks of the north".to_owned()
        } else {
            format!("2.{at} A part")
        };
        let sheet = Sheet::new().go_to(30.0).at(50.0, SMALL, if at == 0 { "Another head" } else { &head });
        sheet.go_to(580.0).at(190.0, SMALL, &format!("Report Page {number}")).go_to(100.0).line(FULL).line("The end.")
    };
    let pages = markdown_of(&roman.iter().enumerate().map(page).collect::<Vec<_>>());
    let heads = ["Another head\n\n", "2.1 A part\n\n", "", "2.3 A part\n\n", "", "2.5 A part\n\n", ""];
    assert_eq!(pages, heads.map(|head| format!("{head}{FULL} The end.")));
}

#[test]
fn running_lines_of_two_pages_are_kept_but_for_their_numbers() {
    let pages: Vec<Sheet> = (1..3).map(|number| page(number).line(FULL).line("The end.")).collect();
    assert_eq!(markdown_of(&pages), vec![format!("Annual report\n\n{FULL} The end."); 2]);
    assert_eq!(markdown_of(&[page(7).line(FULL)]), [format!("Annual report\n\n{FULL}\n\nPage 7")]);
}

#[test]
fn heads_that_differ_in_more_than_the_number_of_the_page_are_kept() {
    let head = |text: String| Sheet::new().go_to(30.0).at(50.0, SMALL, &text).go_to(100.0).line("It ends here.");
    for texts in [
        |page: usize| format!("Invoice 2024-{page:03}"),
        |page: usize| format!("Customer {}", 1000 + page),
        |page: usize| format!("Sample {page}: {} mg", 7 * page),
        |page: usize| format!("Balance {page}.50"),
    ] {
        let pages: Vec<Sheet> = (1..9).map(|page| head(texts(page))).collect();
        let expected: Vec<String> = (1..9).map(|page| format!("{}\n\nIt ends here.", texts(page))).collect();
        assert_eq!(markdown_of(&pages), expected);
    }
}

#[test]
fn the_number_of_a_page_may_stand_with_that_of_its_chapter_or_of_all_pages() {
    let large = Face { size: 11.0, ..PLAIN };
    for texts in [
        |page: usize| format!("{page} / 41"),
        |page: usize| format!("Page {page} of 9"),
        |page: usize| format!("-{page}-"),
        |page: usize| format!("Guide to links  L-{page}"),
        // The pages of a journal go on from one issue to the next.
        |page: usize| format!("May 2012 / Journal of the small things {}", 3_200 + page),
    ] {
        let foot =
            |page: usize| Sheet::new().go_to(300.0).line("It ends here.").go_to(580.0).at(50.0, large, &texts(page));
        let pages: Vec<Sheet> = (2..6).map(foot).collect();
        assert_eq!(markdown_of(&pages), vec!["It ends here."; 4]);
    }
}

#[test]
fn heads_of_sections_at_one_height_are_no_headings() {
    let titles = ["THE SUM OF DIGITS", "BOILING POINTS", "ROOTS OF EQUATIONS", "QUADRANTS"];
    let page = |title: &&str| {
        let head = Sheet::new().go_to(30.0).at(50.0, PLAIN, title).go_to(66.0);
        head.line(&format!("{FULL} of {}", title.to_lowercase())).line(FULL)
    };
    let pages: Vec<Sheet> = titles.iter().map(page).collect();
    let text = |title: &str| format!("{title}\n\n{FULL} of {} {FULL}", title.to_lowercase());
    assert_eq!(markdown_of(&pages), titles.map(text));
}

#[test]
fn heads_of_left_and_right_pages_are_left_out() {
    let head =
        |number: usize| if number.is_multiple_of(2) { format!("{number} A book") } else { format!("A part {number}") };
    let pages: Vec<Sheet> = (1..8)
        .map(|number| Sheet::new().go_to(30.0).at(50.0, SMALL, &head(number)).go_to(100.0).line("It ends here."))
        .collect();
    assert_eq!(markdown_of(&pages), vec!["It ends here.".to_owned(); 7]);
}

#[test]
fn a_large_head_of_a_few_pages_is_left_out_after_the_first() {
    let large = Face { size: 14.0, ..BOLD };
    let sheet = |page: u8| {
        let head = Sheet::new().go_to(40.0).at(50.0, large, "A sheet").at(300.0, large, "Part X1");
        head.go_to(100.0).line(FULL).line(&format!("It is page {page}."))
    };
    let text = markdown_of(&(1..6).map(sheet).collect::<Vec<_>>());
    assert!(text.iter().enumerate().all(|(at, page)| page.contains("Part X1") == (at == 0)), "{text:?}");
}

#[test]
fn feet_whose_numbers_begin_anew_in_each_chapter_are_left_out() {
    let foot = |page: usize| format!("{}-{}", 1 + page / 2, 1 + page % 2);
    let sheet = |page: usize| {
        let sheet =
            Sheet::new().go_to(100.0).line(FULL).line(&format!("It ends {}times.", "many ".repeat(page))).go_to(586.0);
        sheet.at(50.0, SMALL, &format!("Handbook of works Page {}", foot(page)))
    };
    let text = markdown_of(&(0..6).map(sheet).collect::<Vec<_>>());
    assert!(text.iter().all(|page| page.ends_with("times.")), "{text:?}");
}

#[test]
fn a_letterhead_of_all_pages_is_left_out_whatever_its_size() {
    let large = Face { size: 16.0, ..BOLD };
    let sheet = |title: &str, page: u8| {
        let head = Sheet::new().go_to(50.0).at(50.0, large, title).go_to(80.0).line("The office of works");
        head.go_to(100.0).line("14 High Street").go_to(140.0).line(FULL).line(&format!("It is page {page}."))
    };
    let text = |page: u8| format!("{FULL} It is page {page}.");
    let letter: Vec<Sheet> = (0..8).map(|page| sheet("The Works", page)).collect();
    assert_eq!(markdown_of(&letter), (0..8).map(text).collect::<Vec<_>>());
    let known = markdown_of(letter.get(..7).unwrap_or_default());
    assert_eq!(known.first().map(String::as_str), Some(format!("**The Works**\n\n{}", text(0)).as_str()));
    let slides: Vec<Sheet> = (0..8).map(|page| sheet(if page < 6 { "A question" } else { "Answers" }, page)).collect();
    assert_eq!(markdown_of(&slides).concat().matches("# A question").count(), 6);
}

#[test]
fn the_head_of_slides_is_small_beside_their_text_and_large_beside_their_small_print() {
    let (large, small) = (Face { size: 30.0, ..PLAIN }, Face { size: 6.0, ..PLAIN });
    let print = "The small print of a slide has more letters than all of its text, and all slides have it.";
    let slide = |text: &str| {
        let sheet = Sheet::new().go_to(30.0).at(50.0, PLAIN, "A talk").go_to(200.0).at(50.0, large, text);
        sheet.go_to(580.0).at(50.0, small, print).go_to(100.0)
    };
    let slides: Vec<Sheet> = ["One word", "Another", "The last"].map(slide).into();
    let text = markdown_of(&slides).join("\n");
    assert!(text.contains("One word") && !text.contains("A talk") && !text.contains("small print"), "{text}");
}

#[test]
fn a_page_number_may_stand_right_below_the_text_or_above_a_wide_margin() {
    let pages: Vec<Sheet> = (1..5)
        .map(|page: u16| {
            let last = if page == 2 { 586.0 - 13.0 } else { 500.0 };
            Sheet::new().go_to(last - 12.0).line(FULL).line("The end.").go_to(586.0).at(190.0, PLAIN, &page.to_string())
        })
        .collect();
    assert_eq!(markdown_of(&pages), vec![format!("{FULL} The end."); 4]);
    let pages: Vec<Sheet> = (1..5)
        .map(|page: u16| {
            Sheet::new().go_to(200.0).line(FULL).line("The end.").go_to(495.0).at(190.0, PLAIN, &page.to_string())
        })
        .collect();
    assert_eq!(markdown_of(&pages), vec![format!("{FULL} The end."); 4]);
}

#[test]
fn large_heads_of_left_pages_are_left_out_where_all_left_pages_have_them() {
    let large = Face { size: 16.0, ..BOLD };
    let sheet = |page: usize| {
        let head = if page.is_multiple_of(2) { "The Works".to_owned() } else { format!("Part {page} of it") };
        let face = if page.is_multiple_of(2) { large } else { SMALL };
        Sheet::new().go_to(50.0).at(50.0, face, &head).go_to(140.0).line(FULL).line("The end.")
    };
    let pages: Vec<Sheet> = (1..18).map(sheet).collect();
    assert_eq!(markdown_of(&pages), vec![format!("{FULL} The end."); 17]);
}

#[test]
fn a_page_of_running_lines_alone_keeps_them() {
    let pages = [page(1).line(FULL), page(2).line(FULL), page(3), page(4).line(FULL)];
    assert_eq!(markdown_of(&pages).get(2), Some(&"Annual report  \nPage 3".to_owned()));
}

#[test]
fn a_head_may_differ_in_the_label_of_its_page() {
    let label = |number: u32| ["i", "ii", "1", "2"].get(number as usize - 1).map(|label| (*label).to_owned());
    let pages: Vec<DocumentPage> = (1..=4)
        .map(|number| {
            let head = format!("label {}", label(number).unwrap_or_default());
            let sheet = Sheet::new().go_to(30.0).at(50.0, SMALL, &head).go_to(100.0).line("It ends here.");
            DocumentPage { label: label(number), ..sheet.page(number) }
        })
        .collect();
    assert_eq!(to_markdown(&read_document(&pages, &[]), &|_, _| None), ["It ends here."; 4]);
}

#[test]
fn what_is_left_out_is_listed() {
    let pages = [(1, page(1)), (2, page(2)), (3, page(3))].map(|(number, page)| page.line(FULL).page(number));
    let blocks = read_document(&pages, &[]);
    assert_eq!(blocks.first().map(PageBlocks::left_out), Some(vec!["Annual report".to_owned(), "Page 1".to_owned()]));
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
    let expected = [
        format!("{FULL} {FULL} {FULL} and it ends on the next page."),
        format!("{MARK}\n\nAnother one."),
        FULL.to_owned(),
    ];
    assert_eq!(markdown_of(&[first, second, page(3).line(FULL)]), expected);
}

#[test]
fn a_sentence_goes_on_in_brackets() {
    let first = page(1).line(FULL).line(FULL).line(FULL);
    let second = page(2).line("(and in brackets) it ends on the next page.");
    let expected = [format!("{FULL} {FULL} {FULL} (and in brackets) it ends on the next page."), MARK.to_owned()];
    assert_eq!(markdown_of(&[first, second, page(3).line(FULL)]).get(..2), Some(expected.as_slice()));
}

#[test]
fn a_sentence_goes_on_behind_a_page_of_figures() {
    let first = page(1).line(FULL).line(FULL).line(FULL);
    let figure = page(2).at(60.0, SMALL, "• Old").at(60.0, SMALL, "• New").at(80.0, SMALL, "2009 2010 2011");
    let third = page(3).line("and it ends behind the figure.").space(8.0).line("Another one.");
    let written = markdown_of(&[first, figure, third]);
    let expected = [
        format!("{FULL} {FULL} {FULL} and it ends behind the figure."),
        "- Old\n- New\n\n2009 2010 2011".to_owned(),
        format!("{MARK}\n\nAnother one."),
    ];
    assert_eq!(written, expected);
}

#[test]
fn a_paragraph_that_has_ended_is_not_continued() {
    let first = page(1).line(FULL).line(FULL).line("It ends here.");
    let second = page(2).line("Here is another one that begins.");
    let expected =
        [format!("{FULL} {FULL} It ends here."), "Here is another one that begins.".to_owned(), FULL.to_owned()];
    assert_eq!(markdown_of(&[first, second, page(3).line(FULL)]), expected);
}

#[test]
fn a_short_line_at_the_end_of_a_page_is_not_continued() {
    let pages = [page(1).line("Case 1: list everything"), page(2).line("Case 2: update all"), page(3).line("The end.")];
    let expected = ["Case 1: list everything", "Case 2: update all", "The end."];
    assert_eq!(markdown_of(&pages), expected);
}

#[test]
fn a_nested_list_keeps_its_indent_over_a_page_break() {
    let first = page(1).line(FULL).space(6.0).at(60.0, PLAIN, "• Outer").at(75.0, PLAIN, "• Inner");
    let second = page(2).at(75.0, PLAIN, "• Inner too").at(60.0, PLAIN, "• Outer too").space(6.0).line("It ends.");
    let list = "  - Inner too\n- Outer too\n\nIt ends.".to_owned();
    let expected = [format!("{FULL}\n\n- Outer\n  - Inner"), list, FULL.to_owned()];
    assert_eq!(markdown_of(&[first, second, page(3).line(FULL)]), expected);
}

#[test]
fn pages_that_are_only_evidence_get_no_text_and_give_none() {
    let sheets = [page(1).line(FULL).line(FULL).line(FULL), page(2).line("and it goes on."), page(3).line("End.")];
    let read = |(number, sheet): (u32, &Sheet)| DocumentPage { is_wanted: number == 2, ..sheet.page(number) };
    let pages: Vec<DocumentPage> = (1..).zip(&sheets).map(read).collect();
    assert_eq!(to_markdown(&read_document(&pages, &[]), &|_, _| None), ["and it goes on."]);
}

#[test]
fn a_sentence_that_ends_a_full_last_line_goes_on_with_the_next_page() {
    let full = format!("{}.", FULL.trim_end_matches('e'));
    let next = page(2).line(FULL).line("The end.");
    let expected = [format!("{FULL} {FULL} {full} {FULL} The end."), MARK.to_owned(), FULL.to_owned()];
    assert_eq!(markdown_of(&[page(1).line(FULL).line(FULL).line(&full), next, page(3).line(FULL)]), expected);
}

#[test]
fn a_bold_beginning_after_a_full_last_line_begins_a_paragraph() {
    let full = format!("{}.", FULL.trim_end_matches('e'));
    let mut next = page(2);
    next.put(50.0, BOLD, "Second.");
    next.put(90.0, PLAIN, "Words fill this line from the left edge on to it");
    next.y += 12.0;
    let pages = [page(1).line(FULL).line(FULL).line(&full), next.line("The end."), page(3).line(FULL)];
    let written = markdown_of(&pages);
    assert_eq!(written.first(), Some(&format!("{FULL} {FULL} {full}")));
}

#[test]
fn a_code_block_that_begins_after_a_continued_one_stays_apart() {
    let code = |sheet: Sheet, text: &str| sheet.at(60.0, MONO, text);
    let first = code(code(page(1).line(FULL).line(FULL).space(8.0), "let a = 1;"), "let b = 2;");
    let second =
        code(code(code(page(2), "let c = 3;"), "let d = 4;").space(36.0), "let e = 5;").space(8.0).line("It ends.");
    let expected = [
        format!("{FULL} {FULL}\n\n```\nlet a = 1;\nlet b = 2;\nlet c = 3;\nlet d = 4;\n```"),
        format!("{MARK}\n\n```\nlet e = 5;\n```\n\nIt ends."),
        FULL.to_owned(),
    ];
    assert_eq!(markdown_of(&[first, second, page(3).line(FULL)]), expected);
}

#[test]
fn a_head_that_others_do_not_have_is_kept_and_divides_no_paragraph() {
    let mut second = Sheet::new().go_to(30.0);
    second.put(50.0, SMALL, "2.1 Citations");
    second.put(340.0, SMALL, "2");
    let second = second.go_to(80.0).line("and it ends there.");
    let first = Sheet::new().line(FULL).line(FULL).line(FULL).go_to(580.0).at(195.0, SMALL, "1");
    let expected = [format!("{FULL} {FULL} {FULL} and it ends there."), format!("2.1 Citations 2\n\n{MARK}")];
    assert_eq!(markdown_of(&[first, second]), expected);
}

#[test]
fn a_paragraph_goes_over_several_columns_and_a_page() {
    let half = "Words fill half of the line";
    let columns = |number: usize| {
        let mut sheet = page(number);
        for _ in 0..8_u8 {
            sheet = sheet.row(&[(50.0, half), (215.0, half)]);
        }
        sheet
    };
    let written = markdown_of(&[columns(1), columns(2), page(3).at(60.0, PLAIN, "• End")]);
    assert_eq!(written, [[half; 32].join(" "), MARK.to_owned(), "- End".to_owned()]);
}

#[test]
fn notes_in_the_size_of_the_text_stand_below_a_short_rule() {
    let page = |rule: Option<f32>, last: &str| {
        let mut sheet = Sheet::new().line(FULL).line(FULL);
        sheet.put(50.0, PLAIN, "A fold that is kept");
        sheet.put_script(145.0, Face { size: 6.0, ..PLAIN }, "1", Script::Raised);
        sheet.put(155.0, PLAIN, "and another");
        sheet.put_script(210.0, Face { size: 6.0, ..PLAIN }, "2", Script::Raised);
        let sheet = sheet.go_to(500.0).line(FULL).space(20.0);
        let top = sheet.y - 14.0;
        let mut sheet = sheet.at(56.0, PLAIN, "1. It is of paper.").space(4.0).at(56.0, PLAIN, last);
        let rule = rule.map(|width| Bounds { x0: 50.0, y0: top, x1: 50.0 + width, y1: top + 0.5 });
        let rule = rule.map(|bounds| Rule { bounds, is_horizontal: true, color: [0; 3] });
        sheet.layout.rules.extend(rule);
        markdown_of(&[sheet]).concat().contains("[^1]: It is of paper.")
    };
    assert!(page(Some(100.0), "2. It is of cloth."));
    assert!(!page(None, "2. It is of cloth."));
    assert!(!page(Some(300.0), "2. It is of cloth."));
    assert!(!page(Some(100.0), "More text stands here."));
}

#[test]
fn a_line_that_has_no_room_for_a_label_with_its_number_goes_on() {
    let lines = |last: &str, next: &str| {
        let sheet = Sheet::new().line(FULL).line(FULL).line(&format!("So the text goes on for a while, as is {last}"));
        let text = markdown_of(&[sheet.line(&format!("{next} the values of it are known, and all use it."))]);
        text.concat().contains(&format!("{last} {next}"))
    };
    assert!(lines("shown in", "Table 2-1,"));
    assert!(!lines("over now.", "Table two"));
    assert!(!lines("of FOLD", "Table 2-1,"));
}

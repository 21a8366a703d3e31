//! What the blocks of one page are.

use super::super::tables::find_tables;
use super::super::{OutlineHeading, TableArea};
use super::sheet::{
    BOLD, FULL, Face, MONO, PLAIN, Sheet, assert_has, markdown, markdown_of, markdown_outlined, markdown_with,
};
use pagewise_text::{Bounds, Rule, Script, Word};

#[test]
fn lines_are_joined_to_paragraphs_that_space_divides() {
    let sheet = Sheet::new().line(FULL).line("and end here.").space(8.0).line(FULL).line("again.");
    assert_eq!(markdown(sheet), format!("{FULL} and end here.\n\n{FULL} again."));
}

#[test]
fn an_indent_begins_a_paragraph() {
    let sheet =
        Sheet::new().at(65.0, PLAIN, FULL).line(FULL).line("to the end.").at(65.0, PLAIN, FULL).line("it goes on.");
    assert_eq!(markdown(sheet), format!("{FULL} {FULL} to the end.\n\n{FULL} it goes on."));
}

#[test]
fn hyphens_at_line_ends_are_taken_out_of_words_only() {
    let sheet = |end: &str, next: &str| markdown(Sheet::new().line(&format!("{FULL} {end}")).line(next));
    assert!(sheet("mea-", "surement is made").ends_with("one measurement is made"));
    assert!(sheet("https://example.org/two-", "words is a page").ends_with("https://example.org/two-words is a page"));
    assert!(sheet("1990-", "1995 was long").ends_with("1990-1995 was long"));
    assert!(sheet("1990–", "1995 was long").ends_with("1990–1995 was long"));
    assert!(sheet("a year –", "a long one").ends_with("a year – a long one"));
}

#[test]
fn a_compound_that_stands_elsewhere_keeps_its_hyphen() {
    let sheet =
        Sheet::new().line("It is a well-known thing").space(9.0).line(&format!("{FULL} well-")).line("known again");
    assert!(markdown(sheet).ends_with("one well-known again"));
    let acronym = Sheet::new().line(&format!("{FULL} PDF-")).line("based files have high-").line("quality text");
    assert!(markdown(acronym).ends_with("one PDF-based files have high-quality text"));
}

#[test]
fn columns_are_read_one_after_the_other_below_their_title() {
    let mut sheet = Sheet::new().at(90.0, Face { size: 18.0, ..BOLD }, "A title over both");
    for row in 0..8_u8 {
        sheet.put(50.0, PLAIN, &format!("left column line {row} of text"));
        sheet.put(230.0, PLAIN, &format!("right column line {row} of text"));
        sheet.y += 12.0;
    }
    let text = markdown(sheet);
    let place = |part: &str| text.find(part);
    assert!(text.starts_with("# A title over both\n\n"));
    assert!(place("left column line 7").is_some() && place("left column line 7") < place("right column line 0"));
}

#[test]
fn columns_of_prose_beside_a_column_with_few_lines_are_read_one_after_the_other() {
    let mut sheet = Sheet::new();
    for row in 0..12_u8 {
        sheet.put(10.0, PLAIN, "the first column has text");
        sheet.put(150.0, PLAIN, "a second column has more.");
        sheet.y += 5.0;
        match row {
            0 => sheet.put(290.0, PLAIN, "a cover in large letters of"),
            1..6 => sheet.put(290.0, PLAIN, "a cover"),
            11 => sheet.put(285.0, PLAIN, "a foot"),
            _ => (),
        }
        sheet.y += 7.0;
    }
    let text = markdown(sheet);
    let place = |text: &str, part: &str| text.find(part).unwrap_or(usize::MAX);
    assert_eq!(text.rfind("first column").map(|at| at < place(&text, "second column")), Some(true), "{text}");
    assert_eq!(text.rfind("second column").map(|at| at < place(&text, "a cover")), Some(true), "{text}");
}

#[test]
fn wide_word_spaces_below_each_other_are_no_gutter() {
    let mut sheet = Sheet::new();
    for (left, right) in [("one two", "three four five"), ("six seven", "eight nine"), ("ten", "eleven twelve of all")]
    {
        sheet = sheet.row(&[(50.0, left), (100.0 + f32::from(u8::try_from(right.len()).unwrap_or(0)), right)]);
    }
    assert!(markdown(sheet).contains("two three"));
}

#[test]
fn items_are_nested_by_indent_and_keep_their_numbers() {
    let sheet = Sheet::new()
        .line(FULL)
        .space(6.0)
        .at(60.0, PLAIN, "1. First of all the items that are here in this list")
        .at(75.0, PLAIN, "with a second line")
        .at(80.0, PLAIN, "• Inner item")
        .at(80.0, PLAIN, "• Inner item again")
        .at(60.0, PLAIN, "2. Second");
    let list = "1. First of all the items that are here in this list with a second line\n   - Inner item\n   - Inner item again\n2. Second";
    assert_eq!(markdown(sheet), format!("{FULL}\n\n{list}"));
}

#[test]
fn items_in_small_type_are_nested_beside_larger_text() {
    let (large, small) = (Face { size: 30.0, ..PLAIN }, Face { size: 8.0, ..PLAIN });
    let sheet = Sheet::new()
        .at(50.0, large, "These words are the text of a")
        .at(50.0, large, "slide with two lists")
        .space(30.0);
    let sheet = sheet.at(50.0, small, "• Outer item").at(62.0, small, "– Inner item").at(62.0, small, "– Another");
    assert_has(sheet.at(50.0, small, "• The last"), "- Outer item\n  - Inner item\n  - Another\n- The last");
}

#[test]
fn blocks_and_stars_before_items_are_bullets() {
    for bullet in ["█", "◼", "★", "❯"] {
        let item = |text: &str| format!("{bullet} {text}");
        let sheet = Sheet::new().line(&item("first")).line(&item("second")).line(&item("third"));
        assert_eq!(markdown(sheet), "- first\n- second\n- third", "{bullet}");
    }
    let boxes = markdown(Sheet::new().line("☐ first").line("☑ second").line("☒ third"));
    assert_eq!(boxes, "- ☐ first\n- ☑ second\n- ☒ third");
    assert_eq!(markdown(Sheet::new().line("□ yes √ no").line("□ true √ false")), "- □ yes √ no\n- □ true √ false");
    let checked = markdown(Sheet::new().line("✘ third"));
    assert_eq!(markdown(Sheet::new().line("△1,234").line("▲ 56")), "△1,234 ▲ 56");
    assert_eq!(checked, "✘ third");
}

#[test]
fn drawn_bullets_are_bullets() {
    let sheet =
        Sheet::new().line(FULL).space(6.0).bullet(60.0).at(70.0, PLAIN, "One").bullet(60.0).at(70.0, PLAIN, "Two");
    assert_eq!(markdown(sheet), format!("{FULL}\n\n- One\n- Two"));
}

#[test]
fn an_arrowhead_before_a_line_is_no_bullet() {
    let mut sheet = Sheet::new().line(FULL).space(6.0);
    let (y0, y1) = (sheet.y - 4.0, sheet.y - 3.0);
    let bounds = Bounds { x0: 30.0, y0, x1: 61.0, y1 };
    sheet.layout.rules.push(Rule { bounds, is_horizontal: true, color: [0; 3] });
    let text = markdown(sheet.bullet(60.0).at(70.0, PLAIN, "Excluded"));
    assert!(!text.contains("- Excluded"), "{text}");
}

#[test]
fn a_part_of_an_icon_before_a_line_is_no_bullet() {
    let mut sheet = Sheet::new().line(FULL).space(6.0);
    let (y0, y1) = (sheet.y - 8.0, sheet.y - 6.0);
    sheet.layout.drawings.push(Bounds { x0: 58.0, y0, x1: 66.0, y1 });
    let text = markdown(sheet.bullet(60.0).at(70.0, PLAIN, "Away"));
    assert!(!text.contains("- Away"), "{text}");
}

#[test]
fn marks_of_several_widths_are_of_one_list() {
    let sheet = Sheet::new().line(FULL).space(6.0).line("7. Presence of a factor:");
    let items = ["i. Age", "ii. History of any kind", "iii. A disease", "iv. Two diseases", "v. A fever", "vi. Two"];
    let sheet = items.iter().fold(sheet, |sheet, item| sheet.at(65.0, PLAIN, item));
    let text = markdown(sheet.line("8. Consent"));
    let items = items.map(|item| format!("   - {item}\n")).concat();
    assert!(text.ends_with(&format!("7. Presence of a factor:\n{items}8. Consent")), "{text}");
}

#[test]
fn numbers_in_brackets_are_no_numbers_of_sections() {
    let list = |marks: [&str; 2]| {
        let sheet = marks.iter().fold(Sheet::new(), |mut sheet, mark| {
            sheet.put(50.0, PLAIN, mark);
            sheet.at(70.0, PLAIN, "An item of the list.")
        });
        markdown(sheet)
    };
    for marks in [["(1)", "(2)"], ["1)", "2)"]] {
        assert_eq!(list(marks), "1) An item of the list.\n2) An item of the list.");
    }
    assert_eq!(list(["1.", "2."]), "1. An item of the list.\n2. An item of the list.");
}

#[test]
fn a_list_with_letters_begins_where_the_text_of_its_item_does() {
    let sheet = Sheet::new().line(FULL).space(6.0).line("6. Words fill this line from the left edge to the right:");
    let sheet = ["a. Age", "b. History", "c. A disease"].iter().fold(sheet, |sheet, item| sheet.at(65.0, PLAIN, item));
    let text = markdown(sheet.line("7. Consent"));
    assert!(text.ends_with("right:\n   - a. Age\n   - b. History\n   - c. A disease\n7. Consent"), "{text}");
}

#[test]
fn degree_signs_before_lines_are_bullets() {
    let sheet = Sheet::new().line(FULL).space(6.0).at(60.0, PLAIN, "° First").at(60.0, PLAIN, "° Second");
    assert_eq!(markdown(sheet), format!("{FULL}\n\n- First\n- Second"));
}

#[test]
fn a_letter_far_from_its_text_is_a_bullet_if_others_stand_below_it() {
    let item = |sheet: Sheet, text: &str| sheet.row(&[(60.0, "o"), (78.0, text)]);
    let sheet = item(item(Sheet::new().line(FULL).space(6.0), "First"), "Second");
    assert_eq!(markdown(sheet), format!("{FULL}\n\n- First\n- Second"));
    let gloss = Sheet::new().line("He gave the key").row(&[(50.0, "o"), (78.0, "to him")]);
    assert_eq!(markdown(gloss), "He gave the key o to him");
}

#[test]
fn a_repeated_angle_is_one_bullet() {
    let sheet = Sheet::new().line(FULL).space(6.0).at(60.0, PLAIN, "›› First").at(60.0, PLAIN, "›› Second");
    assert_eq!(markdown(sheet), format!("{FULL}\n\n- First\n- Second"));
}

#[test]
fn an_item_with_dots_to_fill_in_is_no_row() {
    let sheet = Sheet::new().line("•It is held at ...............").line("•Lunch is served in ...............");
    assert_eq!(markdown(sheet), "- It is held at ...\n- Lunch is served in ...");
}

#[test]
fn text_that_begins_further_left_than_the_mark_of_a_short_item_is_no_part_of_it() {
    let sheet = Sheet::new().line(FULL).line("It has these parts:");
    let sheet =
        ["one", "two", "six"].iter().fold(sheet, |sheet, part| sheet.at(60.0, PLAIN, &format!("– part {part}")));
    let text = markdown(sheet.line("Text goes on here."));
    assert!(text.ends_with("- part two\n- part six\n\nText goes on here."), "{text}");
}

#[test]
fn a_number_at_the_beginning_of_a_full_paragraphs_line_is_no_item() {
    let sheet =
        Sheet::new().line(&format!("{FULL} in section")).line("5. It goes on as if nothing had been there at all.");
    assert!(markdown(sheet).contains("in section 5. It goes on"));
}

#[test]
fn headings_are_ranked_by_size_then_weight() {
    let sheet = Sheet::new()
        .at(50.0, Face { size: 20.0, ..BOLD }, "Title")
        .space(10.0)
        .at(50.0, Face { size: 14.0, ..BOLD }, "Section")
        .space(6.0)
        .line(FULL)
        .line(FULL)
        .space(8.0)
        .at(50.0, BOLD, "Part of it")
        .space(4.0)
        .line(FULL)
        .line(FULL);
    let text = markdown(sheet);
    assert!(text.starts_with(&format!("# Title\n\n## Section\n\n{FULL} {FULL}\n\n### Part of it\n\n{FULL}")), "{text}");
}

/// A title in two sizes, two sections and parts of them, with an outline.
fn book(outline: &[OutlineHeading]) -> String {
    let text = |sheet: Sheet| (0..3).fold(sheet.space(4.0), |sheet, _| sheet.line(FULL)).line("It ends.").space(14.0);
    let part = |sheet, size, title| text(Sheet::at(sheet, 50.0, Face { size, ..BOLD }, title));
    let title = Sheet::new().at(50.0, Face { size: 24.0, ..BOLD }, "Growth").space(8.0);
    let sheet = title.at(50.0, Face { size: 18.0, ..BOLD }, "An introduction").space(10.0);
    let sheet = part(part(sheet.line("By the author").space(20.0), 14.0, "Height"), 12.0, "In years");
    let sheet = part(part(sheet, 14.0, "Weight"), 12.0, "In months");
    markdown_outlined(&sheet, outline)
}

#[test]
fn a_subtitle_is_no_level_of_its_own() {
    let text = book(&[]);
    for heading in ["# Growth", "## An introduction", "## Height", "### In years", "## Weight", "### In months"] {
        assert!(text.lines().any(|line| line == heading), "{heading}: {text}");
    }
}

#[test]
fn an_outline_with_fewer_levels_than_its_headings_have_looks_does_not_decide() {
    let entry = |title: &str| OutlineHeading { title: title.to_owned(), depth: 3 };
    assert_eq!(book(&["Height", "In years", "Weight", "In months"].map(entry)), book(&[]));
}

#[test]
fn a_list_of_the_sections_that_follow_has_no_headings() {
    let entry = |title: &str| OutlineHeading { title: title.to_owned(), depth: 2 };
    let sheet = Sheet::new().line(FULL).space(6.0).line("• Setting up a key").line("• A better use");
    let text = markdown_outlined(&sheet, &["Setting up a key", "A better use"].map(entry));
    assert_eq!(text, format!("{FULL}\n\n- Setting up a key\n- A better use"));
}

#[test]
fn a_bold_line_below_the_text_after_the_number_of_a_section_is_part_of_its_heading() {
    let sheet = Sheet::new().line(FULL).line("It ends.").space(14.0).at(50.0, BOLD, "3.1 Who is responsible:");
    assert_has(
        sheet.at(70.0, BOLD, "Whose work is it?").space(6.0).line(FULL).line(FULL),
        "# 3.1 Who is responsible: Whose work is it?\n",
    );
}

#[test]
fn numbers_of_sections_decide_between_headings_of_one_style() {
    let section = Face { size: 14.0, ..BOLD };
    let mut sheet = Sheet::new().at(50.0, Face { size: 20.0, ..BOLD }, "Title");
    for title in ["1. Begin", "1.1 Detail", "2. End"] {
        sheet = sheet.space(8.0).at(50.0, section, title).space(6.0).line(FULL).line(FULL);
    }
    let text = markdown(sheet);
    assert!(
        text.contains("\n## 1. Begin\n") && text.contains("\n### 1.1 Detail\n") && text.contains("\n## 2. End\n"),
        "{text}"
    );
}

#[test]
fn bold_words_that_begin_a_paragraph_are_no_heading() {
    let mut sheet = Sheet::new();
    sheet.put(50.0, BOLD, "Run in.");
    sheet.put(90.0, PLAIN, "The text follows on the line and fills it up");
    sheet.y += 12.0;
    assert!(markdown(sheet.line(FULL)).starts_with("**Run in.** The text follows"));
}

#[test]
fn code_keeps_line_ends_and_indents() {
    let sheet =
        Sheet::new().line(FULL).space(6.0).at(60.0, MONO, "if ready:").at(80.0, MONO, "go(1, 2)").space(6.0).line(FULL);
    assert_eq!(markdown(sheet), format!("{FULL}\n\n```\nif ready:\n    go(1, 2)\n```\n\n{FULL}"));
}

#[test]
fn text_among_long_listings_in_small_type_is_no_heading() {
    let small = Face { size: 8.0, ..MONO };
    let listing = |sheet: Sheet| {
        (0..12).fold(sheet.space(8.0), |sheet, at| sheet.at(60.0, small, &format!("add #{at} to the sum ;"))).space(8.0)
    };
    let text = markdown(listing(listing(listing(Sheet::new()).line("Then it may go on")).line(FULL).line(FULL)));
    assert!(text.contains("\n\nThen it may go on\n\n") && text.matches("```").count() == 6, "{text}");
}

#[test]
fn the_comments_of_a_listing_stand_on_the_lines_of_its_code() {
    let rows = ["start the clock", "go on", "now stop it", "and return"];
    let sheet = rows.iter().enumerate().fold(Sheet::new().line(FULL).space(6.0), |mut sheet, (row, note)| {
        sheet.put(60.0, MONO, &format!("lda #{row}"));
        sheet.at(160.0, MONO, &format!("; {note}"))
    });
    let code = (0..).zip(rows).map(|(row, note)| format!("lda #{row}              ; {note}\n")).collect::<String>();
    assert_eq!(markdown(sheet.space(6.0).line(FULL)), format!("{FULL}\n\n```\n{code}```\n\n{FULL}"));
}

#[test]
fn a_comment_behind_stretched_spaces_stands_on_the_line_of_its_code() {
    let rows = ["to know it from the others", "while a connection is open", "when the last one has ended"];
    let sheet = rows.iter().fold(Sheet::new().line(FULL).space(6.0), |mut sheet, note| {
        sheet.put(60.0, MONO, "bool aflags;");
        sheet.at(162.0, MONO, &format!("// {note}"))
    });
    let text = markdown(sheet.space(6.0).line(FULL));
    assert_eq!(text.matches("bool aflags;        // ").count(), 3, "{text}");
}

#[test]
fn code_that_goes_on_in_the_next_column_is_indented_from_its_edge() {
    let mut sheet = Sheet::new();
    for row in 0..8_u8 {
        sheet.put(50.0, MONO, if row == 0 { "if (ready) {" } else { "    call(sheet, all);" });
        match row {
            0 => sheet.put(232.3, MONO, "    close(folds);"),
            1 => sheet.put(232.3, MONO, "}"),
            _ => sheet.put(232.3, PLAIN, "right column of text that is full"),
        }
        sheet.y += 12.0;
    }
    assert_has(sheet, "    call(sheet, all);\n    close(folds);\n}\n```");
}

#[test]
fn words_with_the_pitch_of_the_code_beside_them_are_code() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(12.0);
    // The prose has no pitch.
    sheet.layout.words.iter_mut().filter(|word| word.text.len() == 4).for_each(|word| word.bounds.x1 -= 3.0);
    for (key, code) in [("while", "(count) folds(sheet);"), ("until", "(leaves) close(folds);")] {
        sheet.put(50.0, Face { is_bold: true, ..MONO }, key);
        sheet.put(80.0, MONO, code);
        sheet.y += 12.0;
    }
    sheet.layout.words.iter_mut().for_each(|word| word.is_monospace = false);
    let mut proportional = sheet.clone();
    assert_has(sheet, "```\nwhile (count) folds(sheet);\nuntil (leaves) close(folds);\n```");
    // Words that have one pitch by chance show none.
    proportional.layout.words.iter_mut().for_each(|word| word.is_proportional = true);
    assert!(!markdown(proportional).contains("```"));
}

#[test]
fn a_note_in_type_of_code_is_a_note() {
    let mut sheet = Sheet::new().line(FULL).line("A word");
    sheet.y -= 12.0;
    sheet.put_script(80.0, PLAIN, "1", Script::Raised);
    let mut sheet = sheet.space(12.0).line(FULL).go_to(560.0);
    sheet.put_script(50.0, Face { size: 6.0, ..PLAIN }, "1", Script::Raised);
    let sheet = sheet.at(56.0, Face { size: 8.0, ..MONO }, "http://fold.example");
    assert_has(sheet, "[^1]: `http://fold.example`");
}

#[test]
fn columns_of_code_are_counted_by_the_distance_of_its_characters() {
    // The characters are .5 em wide and .6 em apart.
    let mut sheet = Sheet::new().line(FULL).space(6.0);
    for (at, word) in [(0, "return"), (7, "a"), (9, "+"), (11, "count(b,"), (20, "c);")] {
        let (left, count) =
            (50.0 + 6.0 * f32::from(u8::try_from(at).unwrap_or(0)), f32::from(u8::try_from(word.len()).unwrap_or(0)));
        sheet.word(left, 6.0 * count - 1.0, MONO, word);
    }
    assert_has(sheet.space(12.0).at(50.0, MONO, "}").space(6.0).line(FULL), "```\nreturn a + count(b, c);\n}\n```");
}

#[test]
fn lines_of_a_listing_have_the_pitch_of_their_size_and_may_begin_at_half_a_column() {
    let small = Face { size: 8.0, ..MONO };
    let sheet = Sheet::new().line(FULL).space(6.0).at(50.0, MONO, "# THE STORE").at(50.0, MONO, "SUM (4 bags) $12;");
    let sheet = sheet.at(50.0, small, "come again (soon);").at(62.4, MONO, "and thank you all");
    assert_has(sheet, "```\n# THE STORE\nSUM (4 bags) $12;\ncome again (soon);\n  and thank you all\n```");
}

#[test]
fn the_numerator_of_a_fraction_is_no_superscript() {
    let mut sheet = Sheet::new();
    sheet.put(50.0, PLAIN, "up to 1 inch");
    for (at, word) in sheet.layout.words.iter_mut().enumerate().skip(2).take(1) {
        assert_eq!((at, word.text.as_str()), (2, "1"));
        (word.size, word.script) = (6.0, pagewise_text::Script::Raised);
    }
    let number = sheet.layout.words.get(2).cloned().unwrap_or_default();
    let denominator = Word {
        text: "\u{2044}4".to_owned(),
        is_spaced: false,
        size: 10.0,
        script: pagewise_text::Script::Baseline,
        ..number
    };
    sheet.layout.words.insert(3, Word { bounds: Bounds { x0: 85.0, x1: 89.0, ..denominator.bounds }, ..denominator });
    assert_eq!(markdown(sheet), "up to 1\u{2044}4 inch");
}

#[test]
fn a_page_of_code_is_code_and_a_page_of_typewriting_is_none() {
    let title = || Sheet::new().at(50.0, Face { size: 20.0, ..PLAIN }, "Ready").space(12.0);
    let code = ["int go(char *at) {", "  while (*at) at++;", "  return count[at];", "}"];
    let page = code.iter().fold(title(), |sheet, line| sheet.at(50.0, MONO, line));
    assert_eq!(markdown(page), format!("# Ready\n\n```\n{}\n```", code.join("\n")));
    assert_eq!(
        markdown(title().at(50.0, MONO, FULL).at(50.0, MONO, "(or not).")),
        format!("# Ready\n\n{FULL} (or not).")
    );
}

#[test]
fn large_lines_of_a_fixed_pitch_are_titles_up_to_two_of_them() {
    let large = |lines: &[&str]| {
        let sheet = lines.iter().fold(Sheet::new(), |sheet, line| sheet.at(50.0, Face { size: 16.0, ..MONO }, line));
        markdown((0..6).fold(sheet.space(20.0), |sheet, _| sheet.line(FULL)))
    };
    assert!(large(&["union u {"]).starts_with("# `union u {`\n"), "{}", large(&["union u {"]));
    assert!(large(&["union u {", "  int all;", "}"]).starts_with("```\nunion u {\n  int all;\n}\n```\n"));
}

#[test]
fn text_set_in_on_both_sides_is_a_quote() {
    let sheet = Sheet::new()
        .line(FULL)
        .line(FULL)
        .space(8.0)
        .at(75.0, PLAIN, "These words stand between wider margins")
        .at(75.0, PLAIN, "than the text around them.")
        .space(8.0)
        .line(FULL);
    assert!(markdown(sheet).contains("\n\n> These words stand between wider margins than the text around them.\n\n"));
}

#[test]
fn text_below_a_wider_note_quotes_nothing() {
    let wide = format!("{FULL} or so");
    let mut sheet = Sheet::new().at(25.0, PLAIN, &wide).at(25.0, PLAIN, "to its end.").space(8.0);
    for _ in 0..3 {
        sheet =
            sheet.at(50.0, PLAIN, "These words are the text of the page").at(50.0, PLAIN, "below its note.").space(8.0);
    }
    assert!(!markdown(sheet).contains("> "));
}

#[test]
fn a_text_set_in_that_begins_with_its_label_quotes_nothing() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(8.0);
    sheet.put(75.0, BOLD, "Abstract.");
    let sheet =
        sheet.at(125.0, PLAIN, "These words stand between the").at(75.0, PLAIN, "wider margins of an abstract.");
    let text = markdown(sheet.space(8.0).line(FULL));
    assert!(
        text.contains("\n\n**Abstract.** These words stand between the wider margins of an abstract.\n\n"),
        "{text}"
    );
}

#[test]
fn key_words_in_bold_type_are_no_heading() {
    let words = "fields, arithmetic, curves, inversion, ciphers";
    let sheet = Sheet::new().line(FULL).space(8.0).at(50.0, BOLD, "Keywords").space(8.0).at(50.0, BOLD, words);
    let text = markdown(sheet.space(8.0).line(FULL).line(FULL));
    assert!(text.contains("# Keywords\n\n") && text.contains(&format!("\n\n**{words}**\n\n")), "{text}");
}

#[test]
fn a_letter_with_its_index_is_no_heading() {
    let (large, index) = (Face { size: 14.0, ..PLAIN }, Face { size: 10.0, ..PLAIN });
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(20.0);
    sheet.put(100.0, large, "U");
    sheet.y += 2.0;
    sheet.put(107.0, index, "xy");
    let text = markdown(sheet.space(20.0).line(FULL).line(FULL));
    assert!(!text.contains('#') && text.contains("\n\nU xy\n\n"), "{text}");
}

#[test]
fn raised_signs_of_several_fonts_are_one_superscript() {
    let small = Face { size: 6.0, ..PLAIN };
    let mut sheet = Sheet::new();
    sheet.put(50.0, PLAIN, "by Smith");
    sheet.put_script(90.5, small, "a", Script::Raised);
    sheet.put_script(93.5, Face { is_italic: true, ..small }, "b", Script::Raised);
    sheet.put(105.0, PLAIN, "and others");
    assert_has(sheet, "<sup>ab</sup>");
}

#[test]
fn an_arrow_of_its_own_is_no_bullet() {
    assert_has(
        Sheet::new().line(FULL).line(FULL).space(8.0).line("⇒ the result of it").space(8.0).line(FULL),
        "\n\n⇒ the result of it\n\n",
    );
}

#[test]
fn lowered_words_follow_without_a_space_and_go_on_without_one() {
    let (mut line, small) = (Sheet::new(), Face { size: 6.5, ..PLAIN });
    line.put(50.0, PLAIN, "where V");
    line.put_script(84.0, small, "dl", Script::Lowered);
    line.put(91.0, PLAIN, ", stands");
    line.layout.words.iter_mut().filter(|word| word.text == ",").for_each(|word| word.is_spaced = false);
    assert_eq!(markdown(line), "where Vdl, stands");
}

#[test]
fn a_line_with_formulas_that_stands_lower_goes_on_with_its_sentence() {
    let sheet = |next: &str| markdown(Sheet::new().line(FULL).line(FULL).line(FULL).space(4.0).line(next).line("end."));
    assert!(sheet("as it does below").ends_with(&format!("{FULL} as it does below end.")));
    assert!(sheet("As it does below").ends_with(&format!("{FULL}\n\nAs it does below end.")));
}

#[test]
fn a_raised_number_refers_to_the_note_that_begins_with_it() {
    let small = Face { size: 6.0, ..PLAIN };
    let mut sheet = Sheet::new();
    sheet.put(50.0, PLAIN, "This was measured");
    sheet.put_script(135.5, small, "1", Script::Raised);
    sheet.put(145.0, PLAIN, "twice.");
    let sheet = sheet.go_to(500.0).at(50.0, Face { size: 8.0, ..PLAIN }, "1 On two days.");
    let text = markdown(sheet.go_to(100.0).line(FULL).line(FULL));
    assert!(text.contains("measured [^1] twice.") || text.contains("measured[^1] twice."), "{text}");
    assert!(text.contains("[^1]: On two days."), "{text}");
}

/// A page with numbers after its words, and a text at its foot in small type.
fn page_with_marks(marks: &str, foot: &[&str]) -> Sheet {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line(FULL);
    sheet.put(50.0, PLAIN, "This was measured");
    sheet.put_script(135.5, Face { size: 6.0, ..PLAIN }, marks, Script::Raised);
    sheet.put(145.0, PLAIN, "twice.");
    foot.iter().fold(sheet.go_to(500.0), |sheet, line| sheet.at(50.0, Face { size: 8.0, ..PLAIN }, line).space(6.0))
}

#[test]
fn a_last_line_that_begins_with_a_keyword_in_smaller_type_goes_on_with_its_sentence() {
    let sheet = |last: &str| {
        let mut sheet = Sheet::new().line(FULL).line(FULL);
        sheet.put(50.0, Face { size: 9.0, ..MONO }, "WeightVector");
        sheet.put(120.0, if last.ends_with('.') { PLAIN } else { Face { size: 9.0, ..PLAIN } }, last);
        markdown(sheet)
    };
    assert_eq!(sheet("keyword."), format!("{FULL} {FULL} `WeightVector` keyword."));
    assert_eq!(sheet("keyword"), format!("{FULL} {FULL}\n\n`WeightVector` keyword"));
}

#[test]
fn lowered_digits_are_no_part_of_the_number_before() {
    let mut sheet = Sheet::new();
    sheet.put(50.0, PLAIN, "It is 513");
    sheet.put_script(100.0, Face { size: 6.0, ..PLAIN }, "10", Script::Lowered);
    sheet.put(115.0, PLAIN, "in all.");
    assert_eq!(markdown(sheet), "It is 513₁₀ in all.");
}

#[test]
fn raised_labels_with_commas_refer_to_several_notes_or_to_none() {
    let text = markdown(page_with_marks("1,2", &["1 On two days.", "2 In the morning."]));
    assert!(text.contains("measured[^1][^2] twice.") && text.contains("[^2]: In the morning."), "{text}");
    let text = markdown(page_with_marks("1,7", &["1 On two days."]));
    assert!(text.contains("measured<sup>1,7</sup> twice."), "{text}");
}

#[test]
fn the_raised_numbers_of_notes_below_each_other_are_no_numbers_of_lines() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).go_to(400.0);
    for number in 20..30 {
        sheet.put_script(50.0, Face { size: 5.0, ..PLAIN }, &number.to_string(), Script::Raised);
        sheet = sheet.at(58.0, Face { size: 8.0, ..PLAIN }, "The note of a page is said in a few words.");
    }
    assert!(markdown(sheet).contains("29"));
}

#[test]
fn numbers_to_which_the_page_does_not_refer_are_those_of_a_list() {
    let text = markdown(page_with_marks("1", &["1. Be short.", "2. Be plain.", "3. Be kind."]));
    assert!(text.contains("measured<sup>1</sup> twice.") && text.ends_with("1. Be short.\n2. Be plain.\n3. Be kind."));
}

#[test]
fn a_number_above_the_text_of_its_column_is_no_note() {
    let text = markdown(page_with_marks("1", &["1. Be short."]).space(20.0).line(FULL));
    assert!(text.contains("measured<sup>1</sup> twice.") && !text.contains("[^1]"), "{text}");
}

#[test]
fn a_number_refers_to_no_note_of_another_page() {
    let notes = page_with_marks("9", &["1 On two days."]);
    let text = markdown_of(&[page_with_marks("1", &[]), notes]).concat();
    assert!(text.contains("measured<sup>1</sup> twice.") && !text.contains("[^1]"), "{text}");
}

#[test]
fn a_raised_number_before_the_word_that_it_touches_is_no_reference() {
    let mut sheet = page_with_marks("1", &["1 A school of physics."]);
    sheet.layout.words.iter_mut().filter(|word| word.text == "twice.").for_each(|word| word.is_spaced = false);
    assert!(!markdown(sheet).contains("[^1]"));
}

#[test]
fn a_raised_number_in_square_brackets_cites_a_work_and_no_note() {
    let small = Face { size: 6.0, ..PLAIN };
    let mut sheet = Sheet::new().line(FULL);
    sheet.put(50.0, PLAIN, "This was measured");
    sheet.put_script(135.5, small, "[9]", Script::Raised);
    let sheet = sheet.go_to(500.0).at(50.0, Face { size: 8.0, ..PLAIN }, "9 A book of days.");
    let text = markdown(sheet);
    assert!(text.contains("<sup>[9]</sup>") && !text.contains("[^9]"), "{text}");
}

#[test]
fn entries_of_a_table_of_contents_keep_their_lines_and_have_short_leaders() {
    let sheet =
        Sheet::new().line("1 Beginning . . . . . . . . . . . . 3").line("2 End . . . . . . . . . . . . . . . 9");
    assert_eq!(markdown(sheet), "1 Beginning ... 3  \n2 End ... 9");
    let tied = Sheet::new().line("1 Beginning........................3").line("2 The end........................ix");
    assert_eq!(markdown(tied), "1 Beginning ... 3  \n2 The end ... ix");
}

#[test]
fn dots_that_stand_between_words_are_no_leader() {
    let text = "Compose a . b . c . d . e . f . g as functions";
    assert_eq!(markdown(Sheet::new().line(text)), text);
}

#[test]
fn dots_of_a_fixed_pitch_that_lead_to_no_page_are_no_leader() {
    let code = "[1,] . . . . . . 7 8";
    assert_has(Sheet::new().line(FULL).line(FULL).at(50.0, MONO, code), code);
    let text = markdown(Sheet::new().line(FULL).line(FULL).at(50.0, MONO, "Beginning . . . . . . 3"));
    assert!(text.contains("Beginning ... 3"), "{text}");
}

#[test]
fn the_rows_of_a_form_keep_their_lines_and_are_no_headings() {
    let large = Face { size: 12.0, ..PLAIN };
    let mut sheet = Sheet::new().line(FULL).line(FULL).line("and end.").space(10.0);
    for (label, net, gross) in [("Rent of the room", "24.99", "29.99 €"), ("Services", "0.00", "0.00 €")] {
        sheet.put(50.0, large, label);
        sheet.put(220.0, large, net);
        sheet.put(300.0, large, gross);
        sheet.y += 14.0;
    }
    let text = markdown(sheet);
    assert!(text.ends_with("\n\nRent of the room 24.99 29.99 €  \nServices 0.00 0.00 €"), "{text}");
}

#[test]
fn the_heads_of_columns_are_no_heading_although_they_are_bold() {
    let page = |gap: f32| {
        let mut sheet = Sheet::new().line(FULL).line("It ends here.").space(8.0);
        sheet.put(50.0, BOLD, "Name");
        sheet.put(70.0 + gap, BOLD, "Place");
        sheet.put(95.0 + 2.0 * gap, BOLD, "Use");
        sheet.y += 20.0;
        markdown(sheet.line(FULL).line(FULL))
    };
    assert!(!page(12.0).contains('#') && page(5.0).contains("# Name Place Use"));
}

#[test]
fn a_label_far_from_its_value_is_read_with_it() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(10.0);
    sheet.put(50.0, PLAIN, "Amount due");
    sheet.put(280.0, PLAIN, "29.99 € TTC");
    let text = markdown(sheet);
    assert!(text.ends_with("\n\nAmount due 29.99 € TTC"), "{text}");
    let mut contents = Sheet::new();
    contents.put(50.0, PLAIN, "Preface");
    contents.put(300.0, PLAIN, "ii");
    contents.y += 12.0;
    contents.put(50.0, PLAIN, "1 Introduction");
    contents.put(300.0, PLAIN, "1");
    assert_eq!(markdown(contents), "Preface ii  \n1 Introduction 1");
}

#[test]
fn a_label_in_bold_before_its_value_is_no_heading_and_a_colon_leads_over_white_space() {
    let large = |is_bold| Face { size: 11.5, is_bold, ..PLAIN };
    let mut sheet = Sheet::new().line(FULL).line(FULL).line("and end.").space(12.0);
    sheet.put(50.0, large(true), "Odometer of it");
    sheet.put(180.0, large(false), "9,800");
    sheet.y += 30.0;
    sheet.put(50.0, PLAIN, "Agency:");
    sheet.put(250.0, PLAIN, "The Gilt Edge");
    let text = markdown(sheet.space(30.0).line(FULL).line(FULL));
    assert!(!text.contains('#') && text.contains("\nAgency: The Gilt Edge\n\n"), "{text}");
}

#[test]
fn the_heads_of_columns_stand_above_their_values() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line("and end.").space(12.0);
    for (month, shows, amount) in [("Month", "Shows", "Net Amount"), ("December", "48", "$12,500.00")] {
        sheet = sheet.row(&[(50.0, month), (150.0, shows), (250.0, amount)]);
    }
    assert!(markdown(sheet).ends_with("Month Shows Net Amount  \nDecember 48 $12,500.00"));
}

#[test]
fn wide_word_spaces_of_a_justified_line_make_no_row() {
    let line = "It names      the forms of      1990 and all    in 1991,";
    let sheet = Sheet::new().line(FULL).line(line).line(FULL).line("and end.");
    let text = markdown(sheet);
    assert!(!text.contains('\n'), "{text}");
}

#[test]
fn lines_of_an_address_in_larger_type_are_no_headings() {
    let large = Face { size: 11.5, ..PLAIN };
    let body = Sheet::new().line(FULL).line(FULL).line("and end.").space(20.0);
    let sheet = body.at(50.0, large, "Ada Printwright").at(50.0, large, "12 River Street").at(50.0, large, "Inkford");
    assert!(!markdown(sheet.space(30.0).line(FULL)).contains('#'));
}

#[test]
fn a_title_at_the_right_edge_is_one_heading() {
    let large = Face { size: 20.0, ..PLAIN };
    let title = Sheet::new().at(50.0, large, "The history of works").at(160.0, large, "of a city").space(20.0);
    let text = markdown(title.line(FULL).line(FULL));
    assert!(text.starts_with("# The history of works of a city\n"), "{text}");
}

#[test]
fn a_title_of_several_lines_is_one_heading() {
    let title = Face { size: 18.0, ..BOLD };
    let sheet =
        Sheet::new().at(50.0, title, "The Book").at(50.0, title, "Of All Pages").space(20.0).line(FULL).line(FULL);
    assert!(markdown(sheet).starts_with("# The Book Of All Pages\n\n"));
    let labels = ["Name", "Town of birth", "Form"].map(|label| (Face { size: 18.0, ..PLAIN }, label));
    let sheet = labels.iter().fold(Sheet::new(), |sheet, (face, label)| sheet.at(50.0, *face, label));
    assert!(!markdown(sheet.space(20.0).line(FULL).line(FULL)).contains("Name Town"));
}

#[test]
fn a_table_stands_where_its_area_is_and_takes_its_words() {
    let sheet = Sheet::new().line(FULL).space(20.0).line("inside the table").space(20.0).line("After it.");
    let area = TableArea { bounds: Bounds { x0: 40.0, y0: 98.0, x1: 360.0, y1: 118.0 }, index: 0 };
    assert_eq!(markdown_with(&[sheet], &[area]).concat(), format!("{FULL}\n\n| table 0 |\n\nAfter it."));
}

#[test]
fn small_pictures_of_one_size_before_lines_are_bullets() {
    let mut sheet = Sheet::new().line(FULL).space(6.0);
    for text in ["One", "Two"] {
        sheet.layout.images.push(Bounds { x0: 60.0, y0: sheet.y - 9.0, x1: 69.0, y1: sheet.y + 2.0 });
        sheet = sheet.at(75.0, PLAIN, text);
    }
    assert_eq!(markdown(sheet), format!("{FULL}\n\n- One\n- Two"));
}

#[test]
fn a_letter_in_another_font_is_a_bullet_unless_it_is_a_variable() {
    let lines = |is_italic: bool| {
        let mut sheet = Sheet::new().line(FULL).space(6.0).line("q the first").line("q the second");
        for word in sheet.layout.words.iter_mut().filter(|word| word.text == "q") {
            (word.font, word.is_italic) = (7, is_italic);
        }
        markdown(sheet)
    };
    assert!(lines(false).ends_with("- the first\n- the second"), "{}", lines(false));
    assert!(lines(true).contains("*q* the first"), "{}", lines(true));
}

#[test]
fn lines_that_say_what_variables_are_stand_alone() {
    let mut sheet =
        Sheet::new().line(FULL).space(6.0).at(70.0, PLAIN, "p = the chance of a block").at(70.0, PLAIN, "q = the rest");
    for word in sheet.layout.words.iter_mut().filter(|word| matches!(word.text.as_str(), "p" | "q")) {
        word.is_italic = true;
    }
    assert_has(sheet, "*p* = the chance of a block\n\n*q* = the rest");
}

#[test]
fn a_sign_of_formulas_at_the_beginning_of_a_line_is_no_bullet() {
    let sheet = Sheet::new().line(&format!("{FULL} where k")).space(4.0).line("> j is the first state of them");
    assert!(!markdown(sheet).contains("- j"));
    let list = Sheet::new().line(FULL).space(6.0).line("> One").line("> Two");
    assert!(markdown(list).ends_with("- One\n- Two"));
}

#[test]
fn authors_below_a_title_are_no_headings() {
    let title = Face { size: 18.0, ..BOLD };
    let sheet = Sheet::new().at(110.0, title, "The title of all").space(10.0).at(
        150.0,
        Face { size: 12.0, ..PLAIN },
        "The author",
    );
    let sheet = sheet.space(20.0).at(50.0, Face { size: 13.0, ..BOLD }, "Beginning").space(4.0).line(FULL).line(FULL);
    assert_eq!(markdown(sheet), format!("# The title of all\n\nThe author\n\n## Beginning\n\n{FULL} {FULL}"));
}

#[test]
fn authors_with_the_marks_of_their_affiliations_are_no_headings() {
    let mut sheet = Sheet::new().at(50.0, Face { size: 18.0, ..BOLD }, "The title of all").space(10.0);
    sheet.put(50.0, Face { size: 12.0, ..BOLD }, "Ada Printwright");
    sheet.put_script(142.0, Face { size: 7.0, ..PLAIN }, "1,2", Script::Raised);
    sheet = sheet.space(16.0).at(50.0, Face { size: 7.0, ..PLAIN }, "1 The Northern Institute").space(14.0);
    let text = markdown(sheet.at(50.0, Face { size: 12.0, ..BOLD }, "Beginning").space(4.0).line(FULL).line(FULL));
    assert!(!text.contains("# Ada") && text.contains("\n\n## Beginning\n\n"), "{text}");
}

#[test]
fn a_side_bar_is_a_quote_of_its_lines() {
    let small = Face { size: 8.0, ..PLAIN };
    let notes = ["Received May 1", "Software of it", "Licence: none"];
    let mut sheet = Sheet::new();
    for row in 0..12_usize {
        if let Some(note) = notes.get(row) {
            sheet.put(50.0, small, note);
        }
        sheet.put(140.0, PLAIN, "The words of the text stand beside it");
        sheet.y += 12.0;
    }
    let text = markdown(sheet);
    assert!(text.starts_with("> Received May 1"), "{text}");
    assert!(!text.contains("stand beside it Software"), "{text}");
}

#[test]
fn small_lines_beside_an_address_are_no_side_bar() {
    let small = Face { size: 8.0, ..PLAIN };
    let mut sheet = Sheet::new();
    for (note, line) in
        [("Ref. of 5 May", "Ada Lovelace and all of her family"), ("Room 12", "12 Square"), ("No stamp", "London")]
    {
        sheet.put(50.0, small, note);
        sheet.put(190.0, PLAIN, line);
        sheet.y += 12.0;
    }
    let text = markdown(sheet.space(30.0).line(FULL).line(FULL).line(FULL));
    assert!(!text.contains("> "), "{text}");
}

#[test]
fn the_works_of_a_bibliography_without_numbers_are_lines_of_one_block() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(12.0);
    for (author, rest) in
        [("Ashford, A. (1974).", "valley."), ("Denholm, B. (1980).", "forest."), ("Oakham, C. (1986).", "engine.")]
    {
        let first = format!("{author} Notes on the river and on its northern part");
        sheet = sheet.line(&first).at(70.0, PLAIN, rest).space(6.0);
    }
    let text = markdown(sheet);
    assert!(text.ends_with("Notes on the river and on its northern part valley.  \nDenholm, B. (1980). Notes on the river and on its northern part forest.  \nOakham, C. (1986). Notes on the river and on its northern part engine."), "{text}");
}

#[test]
fn a_bold_first_line_of_a_numbered_item_is_no_heading() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(8.0);
    for title in ["1. Select", "2. Learn"] {
        sheet = sheet.space(4.0).at(60.0, BOLD, title);
        sheet = sheet.at(75.0, PLAIN, "What it says of this goes on below it").at(75.0, PLAIN, "and ends.");
    }
    let text = markdown(sheet);
    assert!(!text.contains('#') && text.contains("\n\n1. **Select**"), "{text}");
}

#[test]
fn text_in_capitals_throughout_has_no_headings_for_that() {
    let line = FULL.to_uppercase();
    let sheet = Sheet::new().line(&line).line("IT ENDS HERE").space(10.0).line(&line).line("AND HERE");
    assert!(!markdown(sheet).contains('#'));
}

#[test]
fn a_column_of_hanging_paragraphs_is_read_by_itself() {
    let mut sheet = Sheet::new();
    let right = ["[14] the first work", "of its author", "[15] the second", "of another one"];
    for row in 0..12_usize {
        sheet.put(50.0, PLAIN, "left column words of text");
        if let Some(text) = right.get(row) {
            sheet.put(if row % 2 == 0 { 220.0 } else { 235.0 }, PLAIN, text);
        }
        sheet.y += 12.0;
    }
    let written = markdown(sheet);
    assert!(written.contains("\n\n[14] the first work of its author"), "{written}");
}

#[test]
fn the_labels_of_a_form_stay_beside_its_values() {
    let mut sheet = Sheet::new();
    for (label, value) in
        [("Name", "Ada Printwright"), ("Town", "Inkford"), ("Form", "Gilt edges of it"), ("Sign", "Seven")]
    {
        sheet.put(50.0, PLAIN, label);
        sheet.put(120.0, PLAIN, value);
        sheet.y += 50.0;
    }
    assert!(markdown(sheet).starts_with("Name Ada Printwright\n\nTown Inkford"));
}

#[test]
fn a_bold_line_smaller_than_the_body_is_a_heading_where_it_is_numbered_or_its_text_is_as_small() {
    let small = Face { size: 9.0, ..BOLD };
    let body = |sheet: Sheet| sheet.line(FULL).line(FULL).line(FULL).line("and end.").space(10.0);
    let text = markdown(body(body(Sheet::new()).at(120.0, small, "A. Joint amplitude").space(6.0)));
    assert!(text.contains("# A. Joint amplitude\n"), "{text}");
    let abstract_text = Face { size: 9.0, ..PLAIN };
    let sheet = Sheet::new().at(170.0, small, "Abstract").space(6.0);
    let text = markdown(body(sheet.at(50.0, abstract_text, FULL).at(50.0, abstract_text, "and more.").space(10.0)));
    assert!(text.starts_with("# Abstract\n"), "{text}");
    let text = markdown(body(body(Sheet::new()).at(120.0, small, "A label").space(6.0)));
    assert!(!text.contains("# A label"), "{text}");
}

#[test]
fn authors_below_a_title_are_no_headings_whatever_their_weight() {
    let title = Face { size: 17.0, ..BOLD };
    let centred = |sheet: Sheet, face: Face, text: &str| {
        let width = f32::from(u16::try_from(text.len()).unwrap_or(0)) * 0.5 * face.size;
        sheet.at(190.0 - width / 2.0, face, text).space(8.0)
    };
    let sheet = centred(centred(Sheet::new(), title, "A title of several words"), BOLD, "Anna Ashford");
    let sheet = centred(centred(sheet, PLAIN, "anna@example.org"), Face { size: 12.0, ..BOLD }, "Abstract");
    let sheet = sheet.line(FULL).line(FULL).line(FULL).line("It ends here.");
    let text = markdown(sheet);
    assert!(text.starts_with("# A title of several words\n\n**Anna Ashford**\n"), "{text}");
    assert!(text.contains("# Abstract\n"), "{text}");
}

#[test]
fn the_numbers_of_entries_are_no_column() {
    let mut sheet = Sheet::new();
    let texts =
        ["The year began well and", "it went on as it began,", "with more of the same,", "until it came to its end."];
    let entries =
        [("01", "Our year"), ("02", "Letter of the chair"), ("08", "Review of the plan"), ("14", "Our people")];
    for (text, (number, title)) in texts.iter().zip(entries) {
        sheet.put(50.0, PLAIN, text);
        sheet.put(220.0, PLAIN, number);
        sheet = sheet.at(250.0, PLAIN, title);
    }
    let text = texts.join(" ");
    let entries = entries.map(|(number, title)| format!("{number} {title}")).join("\n\n");
    assert_eq!(markdown(sheet), format!("{text}\n\n{entries}"));
}

#[test]
fn lists_side_by_side_are_read_one_after_the_other() {
    let mut sheet = Sheet::new();
    for [left, right] in [["Fast start", "More pages"], ["No setup", "Less cost"], ["One file", "Same tools"]] {
        sheet.put(50.0, PLAIN, &format!("• {left}"));
        sheet = sheet.at(220.0, PLAIN, &format!("• {right}"));
    }
    assert!(find_tables(&sheet.layout).is_empty());
    assert_eq!(markdown(sheet), "- Fast start\n- No setup\n- One file\n- More pages\n- Less cost\n- Same tools");
}

#[test]
fn a_list_begins_right_below_a_line_that_ends_where_it_does() {
    let sheet = Sheet::new().line("Three of these").line("1. Folio one").line("2. Quarto two").line("3. Octavo three");
    assert_eq!(markdown(sheet), "Three of these\n\n1. Folio one\n2. Quarto two\n3. Octavo three");
}

#[test]
fn numbers_of_references_of_many_lines_belong_to_their_texts() {
    let small = Face { size: 7.5, ..PLAIN };
    let mut sheet = Sheet::new();
    for row in 0..24_usize {
        sheet.put(40.0, small, "The left column tells of other things.");
        if row % 6 == 0 {
            sheet.put(205.0, small, &format!("{}.", row / 6 + 1));
        }
        sheet.put(220.0, small, "Authors of a work and many others of");
        sheet.y += 9.0;
    }
    let text = markdown(sheet);
    assert!(text.contains("1. Authors of a work") && text.contains("4. Authors of a work"), "{text}");
    assert!(!text.contains("things. 2.") && !text.contains("\n2.\n"), "{text}");
}

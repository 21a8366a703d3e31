//! What journals print: kickers, long titles, small type after the text, headings in the first line of their text.

use super::super::{OutlineHeading, TableArea};
use super::sheet::{
    BOLD, FULL, Face, PLAIN, Sheet, assert_has, markdown, markdown_of, markdown_outlined, markdown_with,
};
use pagewise_text::{Bounds, Fill, Script};

const TITLE: Face = Face { size: 20.0, ..PLAIN };
const ITALIC: Face = Face { is_italic: true, ..PLAIN };
const SMALL: Face = Face { size: 7.5, ..PLAIN };
const SMALL_BOLD: Face = Face { size: 7.5, ..BOLD };

fn section(sheet: Sheet, title: &str) -> Sheet {
    let sheet = sheet.space(10.0).at(50.0, Face { size: 12.0, ..BOLD }, title).space(4.0);
    sheet.line(FULL).line(FULL).line(FULL).line("It ends.")
}

fn small_section(sheet: Sheet, title: &str) -> Sheet {
    let sheet = sheet.space(8.0).at(50.0, SMALL_BOLD, title);
    sheet.at(50.0, SMALL, FULL).at(50.0, SMALL, "and it ends here.")
}

fn headings(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with('#')).collect()
}

#[test]
fn what_stands_over_the_title_is_no_heading_and_takes_no_level() {
    let sheet = Sheet::new().at(50.0, Face { size: 13.0, ..BOLD }, "STUDY PROTOCOL").space(6.0);
    let sheet = sheet.at(50.0, TITLE, "A title over two lines").at(50.0, TITLE, "that goes on").space(8.0);
    let text = markdown(section(section(sheet.line("Anna Ashford and Ben Bow").space(6.0), "Background"), "Methods"));
    assert_eq!(headings(&text), ["# A title over two lines that goes on", "## Background", "## Methods"], "{text}");
    assert!(text.starts_with("**STUDY PROTOCOL**\n"), "{text}");
}

#[test]
fn the_large_name_of_a_journal_is_not_the_title() {
    let sheet = Sheet::new().at(250.0, Face { size: 30.0, ..BOLD }, "Medic").space(10.0);
    let sheet =
        sheet.at(50.0, TITLE, "A title of words in large type").space(8.0).line("Anna Ashford and Ben Bow").space(6.0);
    let text = markdown(section(sheet, "Background"));
    assert_eq!(headings(&text), ["# A title of words in large type", "## Background"], "{text}");
}

#[test]
fn a_title_has_more_lines_than_other_headings() {
    let lines = [
        "Early and late results of a",
        "trial of two kinds of care",
        "for people who read long",
        "titles: the protocol of the",
        "study of titles",
    ];
    let sheet = lines.iter().fold(Sheet::new(), |sheet, line| sheet.at(50.0, TITLE, line)).space(8.0);
    let text = markdown(section(sheet.line("Anna Ashford and Ben Bow").space(6.0), "Background"));
    assert_eq!(headings(&text).first(), Some(&format!("# {}", lines.join(" ")).as_str()), "{text}");
}

#[test]
fn headings_of_the_small_type_after_the_text_are_those_of_sections() {
    let sheet = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0).line("By Anna Ashford").space(6.0);
    let sheet = section(section(sheet, "Background"), "Methods");
    let text = markdown(small_section(small_section(sheet, "Funding"), "Competing interests"));
    let expected = ["# A title of some words", "## Background", "## Methods", "## Funding", "## Competing interests"];
    assert_eq!(headings(&text), expected, "{text}");
}

#[test]
fn small_headings_right_below_a_section_are_parts_of_it() {
    let sheet = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0).line("By Anna Ashford").space(6.0);
    let sheet = section(sheet, "Background").space(10.0).at(50.0, Face { size: 12.0, ..BOLD }, "Declarations");
    let text = markdown(small_section(small_section(sheet, "Consent"), "Interests"));
    assert!(headings(&text).ends_with(&["## Declarations", "### Consent", "### Interests"]), "{text}");
}

#[test]
fn an_outline_without_the_title_tells_the_levels_below_it() {
    let sheet = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0).line("By Anna Ashford").space(6.0);
    let sheet = small_section(section(section(sheet, "Methods"), "Objectives"), "Funding");
    let entry = |title: &str, depth| OutlineHeading { title: title.to_owned(), depth };
    let outline = [entry("Methods", 1), entry("Objectives", 2), entry("Funding", 1)];
    let text = markdown_outlined(&sheet, &outline);
    assert_eq!(headings(&text), ["# A title of some words", "## Methods", "### Objectives", "## Funding"], "{text}");
}

#[test]
fn a_numbered_heading_in_the_first_line_of_its_text_is_one() {
    let mut sheet = section(Sheet::new(), "2. Methods").space(6.0);
    sheet.put(50.0, ITALIC, "2.1. Sample.");
    sheet.put(115.0, PLAIN, "We took what there was of it to take, and");
    sheet.y += 12.0;
    let text = markdown(sheet.line(FULL).line(FULL).line("it ends."));
    let expected = format!("## 2.1. Sample.\n\nWe took what there was of it to take, and {FULL} {FULL} it ends.");
    assert!(text.ends_with(&expected), "{text}");
}

#[test]
fn a_numbered_heading_of_three_lines_ends_in_the_last_of_them() {
    let lines = [
        "2.1. Samples of Leaves, and of Folds that were Found in",
        "the Rooms of Both Houses, with the Places where most of",
    ];
    let sheet = section(Sheet::new(), "2. Methods").space(6.0);
    let mut sheet = lines.iter().fold(sheet, |sheet, line| sheet.at(50.0, ITALIC, line));
    sheet.put(50.0, ITALIC, "Them Lay.");
    sheet.put(100.0, PLAIN, "We took what there was of it to take, and");
    sheet.y += 12.0;
    let text = markdown(sheet.line(FULL).line("it ends."));
    let heading = format!("## {} Them Lay.", lines.join(" "));
    assert!(
        text.ends_with(&format!("{heading}\n\nWe took what there was of it to take, and {FULL} it ends.")),
        "{text}"
    );
}

#[test]
fn numbers_without_a_sign_are_marks_if_each_is_the_next() {
    let item = |sheet: Sheet, number: &str, text: &str| {
        let mut sheet = sheet;
        sheet.put(50.0, PLAIN, number);
        sheet.at(62.0, PLAIN, text)
    };
    let list = |numbers: [&str; 3]| {
        let texts = ["People with one of them", "People with two of them", "People with all of them"];
        markdown(
            numbers.iter().zip(texts).fold(Sheet::new().line(FULL), |sheet, (number, text)| item(sheet, number, text)),
        )
    };
    let items = "1. People with one of them\n2. People with two of them\n3. People with all of them";
    assert!(list(["1", "2", "3"]).ends_with(items), "{}", list(["1", "2", "3"]));
    assert!(!list(["1", "2", "9"]).contains("1. "), "{}", list(["1", "2", "9"]));
}

#[test]
fn text_in_small_type_goes_on_in_the_next_column() {
    let column =
        |sheet: Sheet, x: f32, lines: &[&str]| lines.iter().fold(sheet, |sheet, line| sheet.at(x, SMALL, line));
    let (left, right) = ("Anna wrote most of the words of it", "and read the proofs of all the pages");
    let sheet = section(section(Sheet::new(), "Background"), "Methods").space(10.0);
    let top = sheet.y;
    let sheet = column(sheet, 50.0, &[left, left, left]).go_to(top);
    let text = markdown(column(sheet, 230.0, &[right, right, "to the end."]));
    assert!(text.ends_with(&format!("{left} {left} {left} {right} {right} to the end.")), "{text}");
}

#[test]
fn the_columns_of_an_index_are_read_one_after_the_other() {
    let mut sheet = Sheet::new();
    let entry = |name: &str, at: usize| format!("{name} {at}, {}", 10 + 7 * at);
    for at in 0..12 {
        sheet.put(50.0, PLAIN, &entry("Ashford, Anna,", at));
        sheet = sheet.at(220.0, PLAIN, &entry("Printing of", at));
    }
    let text = markdown(sheet);
    let first = text.find(&entry("Printing of", 0)).unwrap_or(0);
    assert!(text.find(&entry("Ashford, Anna,", 11)).is_some_and(|last| last < first), "{text}");
}

#[test]
fn authors_between_bars_are_no_heading() {
    let sheet = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0);
    let sheet = sheet.at(50.0, Face { size: 12.0, ..BOLD }, "Anna Ashford | Ben Bow | Cleo Cord |").space(8.0);
    let text = markdown(section(sheet, "Background"));
    assert_eq!(headings(&text), ["# A title of some words", "## Background"], "{text}");
}

#[test]
fn a_doubled_bullet_is_one() {
    let sheet = Sheet::new().line(FULL).space(6.0).line("►► Low or high").line("► Yes or no");
    assert!(markdown(sheet).ends_with("- Low or high\n- Yes or no"));
    let sheet = Sheet::new().line(FULL).space(6.0).line("► ► Low or high").line("► ► Yes or no");
    assert!(markdown(sheet).ends_with("- Low or high\n- Yes or no"));
}

#[test]
fn the_labels_of_the_parts_of_a_figure_are_no_item() {
    let text = markdown(Sheet::new().line(FULL).space(16.0).at(90.0, PLAIN, "(a) (b)"));
    assert_eq!(text, format!("{FULL}\n\n(a) (b)"));
}

#[test]
fn the_last_letter_of_a_name_that_is_drawn_is_no_bullet() {
    let sheet = Sheet::new().bullet(50.0).bullet(55.0).at(60.0, TITLE, "A title beside the name of a journal");
    let text = markdown(section(sheet.space(8.0).line("By Anna Ashford").space(6.0), "Background"));
    assert!(text.starts_with("# A title beside the name of a journal\n"), "{text}");
}

#[test]
fn an_abstract_in_capitals_holds_no_numbered_section() {
    let sheet = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0).line("By Anna Ashford").space(6.0);
    let sheet = section(section(section(sheet, "ABSTRACT"), "1 Introduction"), "2 Methods");
    let text = markdown(sheet);
    let expected = ["# A title of some words", "## ABSTRACT", "## 1 Introduction", "## 2 Methods"];
    assert_eq!(headings(&text), expected, "{text}");
}

#[test]
fn a_work_with_few_capitals_among_its_numbers_is_no_heading() {
    let sheet = Sheet::new().line(FULL).line(FULL).line("It ends.").space(8.0).line("—. 2012, ARA&A, 50, 455");
    let text = markdown(sheet.space(8.0).line(FULL).line("and it goes on."));
    assert!(headings(&text).is_empty(), "{text}");
}

#[test]
fn texts_on_one_baseline_are_no_heading_and_its_text() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line("It ends.").space(8.0);
    sheet.put(50.0, PLAIN, "Words beside");
    let text = markdown(sheet.at(250.0, BOLD, "other words").space(8.0).line(FULL));
    assert!(headings(&text).is_empty() && text.contains("Words beside"), "{text}");
}

#[test]
fn large_labels_over_no_text_are_no_headings_where_others_are() {
    let title = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0).line("By Anna Ashford").space(6.0);
    let label = Face { size: 13.0, ..PLAIN };
    let chart = Sheet::new().at(50.0, label, "Assessed for a trial").space(20.0).line("Not of age").space(20.0);
    let chart = chart.at(50.0, label, "Drawn by lot").space(20.0).line("Had the drug").space(20.0);
    let rest = section(section(section(chart, "Methods"), "Results"), "Discussion");
    let pages = markdown_of(&[section(title.clone(), "Background"), rest.clone()]).concat();
    assert_eq!(headings(&pages).len(), 5, "{pages}");
    let contents = section(title, "Background").space(20.0).at(50.0, label, "What it holds").space(8.0);
    let contents = contents.line("Methods ..... 2").line("Results ..... 3");
    assert!(
        headings(&markdown_of(&[Sheet::new(), contents, rest]).concat())
            .iter()
            .any(|title| title.ends_with("What it holds"))
    );
}

#[test]
fn large_labels_over_other_labels_and_captions_are_no_headings() {
    let title = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0);
    let label = Face { size: 13.0, ..PLAIN };
    let chart = |below: &str, caption: &str| {
        let chart = Sheet::new().at(50.0, label, "Drawn by lot").space(8.0).at(50.0, BOLD, "First group").space(8.0);
        let mut chart = chart.line(below).space(20.0).at(50.0, label, "Followed up").space(4.0);
        chart.layout.drawings.push(Bounds { x0: 48.0, y0: 40.0, x1: 200.0, y1: chart.y });
        section(section(chart.space(8.0).line(caption).space(20.0), "Results"), "Discussion")
    };
    let of_labels = |below: &str, caption: &str| {
        let pages = [section(section(title.clone(), "Background"), "Methods"), chart(below, caption), Sheet::new()];
        let text = markdown_of(&pages).join("\n\n");
        let found = headings(&text);
        ["Drawn by lot", "Followed up"].map(|label| found.iter().any(|heading| heading.ends_with(label)))
    };
    let caption = "Figure 1. The course of the study";
    assert_eq!(of_labels("25 people", caption), [false, false]);
    assert_eq!(of_labels("Methods ..... 2", caption), [false, false]);
    assert_eq!(of_labels("Methods ..... 2", "The course of the study"), [true, true]);
}

#[test]
fn a_caption_goes_on_behind_the_gap_after_its_label_and_below_its_text() {
    let mut sheet = Sheet::new();
    sheet.put(50.0, PLAIN, "Figure 2.");
    let sheet = sheet.at(115.0, PLAIN, "The words of this caption go on over the");
    let sheet = sheet.at(115.0, PLAIN, "edge of its first line").space(12.0).line(FULL).line(FULL);
    assert_has(sheet, "Figure 2. The words of this caption go on over the edge of its first line\n\n");
}

#[test]
fn a_label_in_a_line_of_its_own_is_part_of_the_caption_below_it() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).line("It ends.").space(10.0);
    sheet.layout.images.push(Bounds { x0: 50.0, y0: sheet.y, x1: 250.0, y1: sheet.y + 100.0 });
    let sheet = sheet.space(115.0).at(50.0, Face { size: 8.0, ..BOLD }, "Figure 1");
    assert_has(sheet.at(50.0, Face { size: 8.0, ..PLAIN }, "How the words flow"), "Figure 1** How the words flow");
}
#[test]
fn a_bold_beginning_before_a_quad_is_a_heading() {
    let quad = |title: &str, text: &str| {
        let mut sheet = Sheet::new().line(FULL).line(FULL).line("It ends.").space(8.0);
        sheet.put(50.0, BOLD, title);
        let end = 60.0 + 5.0 * f32::from(u8::try_from(title.len()).unwrap_or(0));
        markdown(sheet.at(end, PLAIN, text).line(FULL).line("and it ends here."))
    };
    let text = quad("To count", "A count of all the words that fill it to there");
    assert!(text.contains("\n\n# To count\n\nA count of all the words that fill it to there Words"), "{text}");
    assert!(headings(&quad("a", "A count of all the words that fill it to there")).is_empty());
    assert!(headings(&quad("Figure 2.", "A count of all the words that fill it to there")).is_empty());
}

#[test]
fn the_parts_of_an_abstract_that_begin_in_bold_are_paragraphs() {
    let part = |mut sheet: Sheet, label: &str| {
        sheet.put(50.0, BOLD, label);
        sheet.at(80.0, PLAIN, "of words that fill a line up to its right end.")
    };
    assert_has(part(part(Sheet::new(), "Aim"), "Way"), "right end.\n\n**Way** of words");
}

#[test]
fn a_paragraph_goes_on_below_a_box_with_text_on_a_ground() {
    let column = |sheet: Sheet, x: f32, lines: usize| {
        (0..lines).fold(sheet, |sheet, _| sheet.at(x, PLAIN, "Words of a column side"))
    };
    let left = column(Sheet::new(), 50.0, 12);
    let left = left.go_to(80.0).at(220.0, Face { size: 12.0, ..BOLD }, "What a box holds");
    let mut sheet = column(left, 220.0, 2).space(12.0);
    let ground = Bounds { x0: 215.0, y0: 65.0, x1: 345.0, y1: sheet.y - 14.0 };
    sheet.layout.fills.push(Fill { bounds: ground, color: [200; 3] });
    sheet.y = 142.0;
    assert_has(
        sheet.at(220.0, PLAIN, "and the rest of the text").at(220.0, PLAIN, "of it goes on here."),
        "side and the rest of the text of it goes on here.",
    );
}

#[test]
fn numbered_sections_that_look_alike_stand_below_the_title() {
    let sheet = Sheet::new().at(50.0, TITLE, "A title of some words").space(8.0).line("By Anna Ashford").space(6.0);
    let titles = ["1 General", "1.1 Scope", "1.2 Terms", "1.3 Signs"];
    let text = markdown(titles.iter().fold(sheet, |sheet, title| section(sheet, title)));
    let expected = ["# A title of some words", "## 1 General", "### 1.1 Scope", "### 1.2 Terms", "### 1.3 Signs"];
    assert_eq!(headings(&text), expected, "{text}");
}

#[test]
fn a_caption_with_a_bold_label_continues_no_sentence() {
    let column = |sheet: Sheet, x: f32| (0..12).fold(sheet, |sheet, _| sheet.at(x, PLAIN, "Words of a column side"));
    let mut sheet = column(Sheet::new(), 50.0).go_to(80.0);
    sheet.put(220.0, BOLD, "Figure 6.");
    assert_has(column(sheet.at(275.0, PLAIN, "What it shows"), 220.0), "side\n\n**Figure 6.** What it shows");
}

#[test]
fn a_section_has_the_level_of_its_number_also_where_its_chapter_is_on_a_page_that_is_not_read() {
    let sized = |size: f32| Face { size, ..BOLD };
    let cover = || {
        let sheet = Sheet::new().at(50.0, sized(30.0), "A guide to folds").space(20.0);
        // Each look of a cover is one of its own.
        let sheet = sheet.at(50.0, sized(14.0), "Fold them").space(14.0).at(50.0, sized(14.0), "Keep them");
        sheet.space(20.0).at(50.0, sized(15.0), "For all readers").space(20.0)
    };
    let text = |sheet: Sheet| sheet.space(6.0).line(FULL).line(FULL).line("It ends.").space(10.0);
    let chapter = || text(Sheet::new().at(50.0, sized(24.0), "Of paper"));
    let sections = || {
        let sheet = text(Sheet::new().at(50.0, sized(16.0), "1.1 Kinds of paper"));
        text(sheet.at(50.0, sized(13.0), "1.1.1 Thin paper"))
    };
    let own = ["### 1.1 Kinds of paper", "#### 1.1.1 Thin paper"];
    let all = |sheets: &[Sheet]| {
        let pages = markdown_of(sheets);
        pages.iter().skip(1).flat_map(|page| headings(page)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(all(&[cover(), chapter(), sections()]), ["## Of paper", own[0], own[1]]);
    assert_eq!(all(&[cover(), sections()]), own);
}

#[test]
fn authors_and_their_addresses_are_no_headings_in_several_columns() {
    let large = Face { size: 12.0, ..BOLD };
    let sheet = Sheet::new().at(50.0, TITLE, "A title of words in type").space(14.0);
    let sheet = sheet.at(60.0, large, "Anna Ashford").space(2.0).at(60.0, large, "anna@fold.example").space(14.0);
    let sheet = section(sheet, "Background");
    let sheet = sheet.space(12.0).at(60.0, large, "Ben Bow").space(2.0).at(60.0, large, "ben@fold.example").space(14.0);
    let text = markdown(section(sheet, "Methods"));
    assert_eq!(headings(&text), ["# A title of words in type", "## Background", "## Methods"], "{text}");
}

#[test]
fn labels_of_captions_may_have_letters_before_their_numbers() {
    let table = || Sheet::new().line(FULL).line(FULL).space(10.0);
    let bold = Face { size: 11.0, ..BOLD };
    let captioned = |label: &str| {
        let mut sheet = table().at(50.0, bold, &format!("{label} What was folded")).space(6.0);
        let top = sheet.y;
        sheet = sheet.row(&[(50.0, "a"), (150.0, "b")]).row(&[(50.0, "c"), (150.0, "d")]).space(10.0).line(FULL);
        let bounds = Bounds { x0: 50.0, y0: top - 9.0, x1: 350.0, y1: top + 14.0 };
        markdown_with(&[sheet], &[TableArea { bounds, index: 0 }]).concat()
    };
    for label in ["Table S1.", "Table 2 |", "Table A4-12."] {
        let text = captioned(label);
        assert!(headings(&text).is_empty(), "{text}");
    }
    assert_eq!(headings(&captioned("Phase B2")), ["# Phase B2 What was folded"]);
}

#[test]
fn raised_marks_have_the_style_of_the_word_that_they_touch() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(10.0);
    sheet.put(50.0, BOLD, "Anna");
    sheet.put_script(70.0, Face { size: 6.0, ..ITALIC }, "∗", Script::Raised);
    sheet.put(74.0, BOLD, ", Ben");
    sheet.layout.words.iter_mut().rev().nth(1).into_iter().for_each(|word| word.is_spaced = false);
    assert_has(sheet, "**Anna<sup>∗</sup>, Ben**");
}

#[test]
fn a_ligature_of_another_font_has_the_style_of_its_word() {
    let mut sheet = Sheet::new().line(FULL).line(FULL).space(10.0);
    for (x, face, text) in [(50.0, BOLD, "An ef"), (75.0, PLAIN, "fi"), (85.0, BOLD, "cient fold")] {
        let first = sheet.layout.words.len();
        sheet.put(x, face, text);
        sheet.layout.words.get_mut(first).into_iter().for_each(|word| word.is_spaced = x == 50.0);
    }
    assert_has(sheet, "**An efficient fold**");
}

//! Which white space divides columns, and which the cells of rows.

use super::sheet::{FULL, Face, MONO, PLAIN, Sheet, assert_has, markdown};
use pagewise_text::{Bounds, Rule};

/// Asserts that a page has these texts one after the other.
#[track_caller]
fn assert_order(sheet: Sheet, texts: &[&str]) {
    let text = markdown(sheet);
    let places: Vec<Option<usize>> = texts.iter().map(|own| text.find(own)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
}

#[test]
fn dates_beside_the_beginnings_of_entries_are_read_with_them() {
    let entry = |sheet: Sheet, (date, title): (&str, &str)| {
        let sheet = sheet.row(&[(50.0, date), (130.0, title)]);
        let sheet = sheet.at(130.0, PLAIN, "Built the tools of a small team of two");
        sheet.at(130.0, PLAIN, "Looked after its machines day and night").space(6.0)
    };
    let entries = [
        ("2014 - 2016", "Engineer of the city of Oakham and others"),
        ("2012 - 2014", "Painter at the theatre of the same town"),
        ("2010 - 2012", "Gardener of the parks along the two rivers"),
        ("2007 - 2010", "Baker for the market on each Friday night"),
    ];
    let sheet = entries.into_iter().fold(Sheet::new(), entry);
    assert_order(sheet, &["2014 - 2016 Engineer", "2012 - 2014 Painter", "2010 - 2012 Gardener", "2007 - 2010 Baker"]);
}

#[test]
fn notes_in_the_margin_of_prose_stand_apart_from_its_lines() {
    const LINES: [&str; 3] = [
        "so the words of this line go on to the next",
        "and those of the next one to the line below",
        "which ends no sentence of this paragraph but",
    ];
    let part = |sheet: Sheet, note: &str| {
        let first = |sheet: Sheet| sheet.row(&[(50.0, note), (130.0, "and here it goes on as it did before it was")]);
        LINES.into_iter().fold(first(sheet), |sheet, line| sheet.at(130.0, PLAIN, line))
    };
    let notes = ["First words", "Other words", "Third words", "Final words"];
    assert_order(notes.into_iter().fold(Sheet::new(), part), &["First words", "Final words", "and here it goes"]);
}

#[test]
fn values_beside_items_of_several_lines_are_read_with_them() {
    let item = |sheet: Sheet, name: &str| {
        let sheet = sheet.row(&[(50.0, name), (200.0, "4"), (260.0, "10.00"), (320.0, "40.00")]);
        let lines = ["Blue and clear, two by three metres", "Delivered to the back door", "Payable within May"];
        lines.into_iter().fold(sheet, Sheet::line).space(6.0)
    };
    let heads = Sheet::new().row(&[(50.0, "Item"), (200.0, "Pieces"), (260.0, "Price"), (320.0, "Amount")]);
    let sheet = ["Cutting of glass", "Frames of oak"].into_iter().fold(heads, item);
    assert_order(
        sheet,
        &["Item Pieces Price Amount", "Cutting of glass 4 10.00 40.00", "Blue", "Frames of oak 4 10.00 40.00"],
    );
}

#[test]
fn labels_in_colons_are_read_with_what_stands_beside_them() {
    let rows = [
        ("• Status:", "Engineer of a town and its gardens"),
        ("• Fields:", "Bridges, roads, parks and railways"),
        ("• Tools:", "Pencils, rulers, paper and a compass"),
        ("• Likes:", "Painting, reading and walks by rivers"),
    ];
    let row = |sheet: Sheet, (label, text)| sheet.row(&[(50.0, label), (130.0, text)]);
    let sheet = rows.into_iter().fold(Sheet::new(), row);
    assert_order(sheet, &["Status: Engineer", "Fields: Bridges", "Tools: Pencils", "Likes: Painting"]);
}

#[test]
fn places_in_a_narrow_column_are_read_with_their_entries() {
    let rows = [
        ("2021 Second place, contest of the northern towns", "Oslo, Norway"),
        ("2020 Finalist, twelfth contest of young engineers", "Bergen, Norway"),
        ("2018 Finalist, tenth contest of young engineers", "Lagos, Nigeria"),
        ("2017 Finalist, ninth contest of young engineers", "Turin, Italy"),
    ];
    let row = |sheet: Sheet, (entry, place)| sheet.row(&[(50.0, entry), (320.0, place)]);
    let sheet = rows.into_iter().fold(Sheet::new(), row);
    assert_order(sheet, &["2021", "Oslo", "2020", "Bergen", "2018", "Lagos", "2017", "Turin"]);
}

#[test]
fn addresses_side_by_side_are_read_one_after_the_other() {
    let rows = [
        ("Ashford and Sons", "Bell and Brothers"),
        ("12 River Street", "7 Church Garden"),
        ("Oakham LE15 6AA", "Selkirk TD7 4AB"),
        ("United Kingdom", "United Kingdom"),
    ];
    let row = |sheet: Sheet, (left, right)| sheet.row(&[(50.0, left), (220.0, right)]);
    let sheet = rows.into_iter().fold(Sheet::new(), row);
    assert_order(sheet, &["Ashford", "River", "Oakham", "Bell", "Church", "Selkirk"]);
}

#[test]
fn an_address_at_the_right_edge_is_read_after_what_stands_beside_it() {
    let rows = [
        ("Ashford and Sons", "Bell and Brothers"),
        ("12 River Street", "7 Church Garden"),
        ("Oakham LE15 6AA", "Selkirk TD7 4AB"),
        ("United Kingdom", "Great Britain"),
    ];
    let row = |mut sheet: Sheet, (left, right): (&str, &str)| {
        sheet.put(50.0, PLAIN, left);
        sheet.y += 4.0;
        sheet.put(right.chars().fold(350.0, |x, _| x - 5.0), PLAIN, right);
        sheet.space(8.0)
    };
    let sheet = rows.into_iter().fold(Sheet::new(), row);
    assert_order(sheet, &["Ashford", "River", "Oakham", "Bell", "Church", "Selkirk"]);
}

#[test]
fn short_blocks_far_from_each_other_are_read_one_after_the_other() {
    let rows = [("Ashford and Sons", "Bell and Brothers"), ("12 River Street", "7 Church Garden")];
    let row = |sheet: Sheet, (left, right)| sheet.row(&[(50.0, left), (220.0, right)]);
    let sheet = rows.into_iter().fold(Sheet::new(), row);
    assert_order(sheet, &["Ashford", "River", "Bell", "Church"]);
}

#[test]
fn values_that_stand_lower_than_their_labels_are_read_with_them() {
    let rows = [
        ("Status:", "Engineer of a town and its gardens"),
        ("Fields:", "Bridges, roads, parks and railways"),
        ("Tools:", "Pencils, rulers, paper and a compass"),
        ("Likes:", "Painting, reading and walks by rivers"),
    ];
    let row = |mut sheet: Sheet, (label, text): (&str, &str)| {
        sheet.put(50.0, PLAIN, label);
        sheet.y += 2.0;
        sheet.put(130.0, PLAIN, text);
        sheet.space(16.0)
    };
    let sheet = rows.into_iter().fold(Sheet::new(), row);
    assert_order(sheet, &["Status:", "Engineer", "Fields:", "Bridges", "Tools:", "Pencils", "Likes:", "Painting"]);
}

#[test]
fn a_single_reference_at_the_top_of_a_column_is_read_after_the_column_before() {
    let left = "Words fill half of the line";
    let right =
        ["[8] A. Author, On columns of", "text, Journal of Pages,", "vol. 3, no. 2, pp. 17-21,", "Oakham, 2005."];
    let mut sheet = Sheet::new();
    for row in 0..12_usize {
        sheet.put(50.0, PLAIN, left);
        if let Some(text) = right.get(row) {
            sheet.put(if row == 0 { 200.0 } else { 220.0 }, PLAIN, text);
        }
        sheet.y += 12.0;
    }
    assert_order(sheet, &["Words fill half of the line Words", "[8] A. Author", "text, Journal", "Oakham, 2005."]);
}

/// Two columns of prose, of which the last line of one and the first of a running foot stand on both sides of the gutter.
fn columns_above_a_foot(rule: Option<f32>) -> Sheet {
    let row =
        |sheet: Sheet, _| sheet.row(&[(50.0, "Words fill half of the line"), (215.0, "Others fill the other half")]);
    let mut sheet = (0..8).fold(Sheet::new().go_to(450.0), row).go_to(570.0);
    sheet = sheet.row(&[(50.0, "Author. On columns."), (215.0, "Journal of Pages 12")]);
    if let Some(y) = rule {
        let bounds = Bounds { x0: 50.0, y0: y, x1: 350.0, y1: y };
        sheet.layout.rules.push(Rule { bounds, is_horizontal: true, color: [0; 3] });
    }
    sheet
}

#[test]
fn a_rule_above_a_running_foot_ends_the_columns() {
    for rule in [None, Some(500.0)] {
        assert_order(columns_above_a_foot(rule), &["Words", "Author. On columns.", "Others", "Journal of Pages 12"]);
    }
    assert_order(columns_above_a_foot(Some(555.0)), &["Words", "Others", "Author. On columns.", "Journal of Pages 12"]);
}

#[test]
fn a_text_beside_a_paragraph_does_not_divide_it() {
    let page = Sheet::new().line("The text of a narrow").line("paragraph goes on beside").line("other things, such as");
    let mut page = page.space(-7.0);
    page.put(250.0, PLAIN, "Label of a chart");
    assert_has(page.space(7.0).line("the labels of a chart."), "such as the labels of a chart.\n\nLabel of a chart");
    let mut page = Sheet::new().line(FULL).line(FULL).space(-6.0);
    page.put(338.0, PLAIN, "7");
    assert_has(page.space(6.0).line("where it goes on."), "right one where it goes on.\n\n7");
    let mut page = Sheet::new().line(FULL).line(FULL).space(-6.0);
    page.put(30.0, PLAIN, "✎");
    assert_has(page.space(6.0).line("where it goes on."), "right one where it goes on.");
}

#[test]
fn a_rule_between_columns_of_code_divides_their_lines() {
    let code = |rule: bool| {
        let row = |mut sheet: Sheet, at: u8| {
            sheet.put(50.0, MONO, &format!("let left{at} = read(at);"));
            sheet.at(200.0, MONO, &format!("let right{at} = read(at);"))
        };
        let mut sheet = (0..12).fold(Sheet::new(), row);
        if rule {
            let bounds = Bounds { x0: 190.0, y0: 60.0, x1: 190.5, y1: 240.0 };
            sheet.layout.rules.push(Rule { bounds, is_horizontal: false, color: [0; 3] });
        }
        sheet
    };
    assert_order(code(true), &["let left0", "let left1 ", "let left11", "let right0", "let right11"]);
    assert_order(code(false), &["let left0", "let right0", "let left11", "let right11"]);
}

#[test]
fn a_column_that_ends_in_an_address_goes_on_in_no_other() {
    let page = |last: &str| {
        let mut sheet = Sheet::new().go_to(100.0);
        for (x, end) in [(50.0, last), (220.0, "and it ends.")] {
            sheet = sheet.go_to(100.0).at(x, PLAIN, "Words fill this line of text");
            sheet =
                (0..10).fold(sheet, |sheet, _| sheet.at(x, PLAIN, "words fill this line of text")).at(x, PLAIN, end);
        }
        markdown(sheet).split("\n\n").count()
    };
    assert_eq!(page("see also of all of the Folds"), 1);
    assert_eq!(page("see http://fold.example/fold"), 2);
}

/// Two columns of seven lines. On the left every second line has these `words`, each with its place; the lines of the other begin
/// at `right`.
fn two_columns(words: &[(f32, &str)], right: f32) -> Sheet {
    let line = |sheet: Sheet, number: u8| {
        let mut sheet = sheet;
        let own = if number.is_multiple_of(2) { words } else { &[(50.0, "the words of this line fill it")] };
        own.iter().for_each(|(x, text)| sheet.put(*x, PLAIN, text));
        sheet.row(&[(right, "while these stand beside them all")])
    };
    (0..7).fold(Sheet::new(), line)
}

#[test]
fn lines_of_prose_with_wide_spaces_are_columns_beside_a_wider_gutter() {
    let loose = [(50.0, "first"), (82.0, "loose"), (114.0, "words"), (146.0, "fill"), (173.0, "lines")];
    assert_order(two_columns(&loose, 209.0), &["first loose words fill lines the", "while these stand"]);
}

#[test]
fn a_running_foot_below_a_short_column_does_not_hide_its_gutter() {
    let text = |sheet: Sheet, _| sheet.at(170.0, PLAIN, "this line of the text stands beside a picture");
    let mut sheet = (0..12).fold(Sheet::new(), text).go_to(206.0);
    let small = Face { size: 9.0, ..PLAIN };
    for caption in ["Figure 2. This", "picture has a", "caption below"] {
        sheet = sheet.at(50.0, small, caption);
    }
    let sheet = sheet.go_to(320.0).line("90 | Figures");
    assert_order(sheet, &["Figure 2. This picture has a caption below", "this line of"]);
}

#[test]
fn the_numbers_of_two_notes_are_no_part_of_the_column_beside_them() {
    const SHORT: &str = "these words fill their column";
    let line = |x: f32, text: &'static str| move |sheet: Sheet, _| sheet.at(x, PLAIN, text);
    let note = |sheet: Sheet, number: &str| {
        let sheet = sheet.row(&[(215.0, number), (240.0, "A note that tells of a work")]);
        (0..5).fold(sheet, line(240.0, "and of the page to be read"))
    };
    let sheet = (0..12).fold(Sheet::new(), line(215.0, "which the other column has beside it"));
    let sheet = ["24", "25"].into_iter().fold(sheet.space(20.0), note).go_to(240.0);
    assert_order((0..8).fold(sheet, line(50.0, SHORT)), &[SHORT, "which the other", "24. A note", "25. A note"]);
}

#[test]
fn a_title_of_two_lines_beside_the_text_is_read_before_it() {
    let large = Face { size: 24.0, ..PLAIN };
    let loose = [(200.0, "these"), (236.0, "lines"), (272.0, "have"), (303.0, "wide"), (334.0, "gaps")];
    let text = (0..12).fold(Sheet::new(), |mut sheet, at| {
        match at % 3 {
            0 => loose.iter().for_each(|(x, text)| sheet.put(*x, PLAIN, text)),
            _ => sheet.put(200.0, PLAIN, "and others fill their column"),
        }
        sheet.space(12.0)
    });
    let title = text.go_to(98.0).at(50.0, large, "Executive").at(50.0, large, "Summary");
    assert_order(title, &["# Executive Summary", "these lines have"]);
}

//! What is no table.

use super::super::ColumnsBy;
use super::{as_f32, empty_page, find_tables, page, rule, tables_of, word};
use pagewise_text::{Bounds, Fill, MathFont, PageLayout, Word};

#[test]
fn prose_is_no_table() {
    let sketch = "
The settlement remains where the river turns and nobody has asked
it to go, although the assessment of the harbour was found to be
ordinary in most of the years that the survey describes in detail
and the committee left it out of the report that it wrote in 1998.";
    assert_eq!(tables_of(sketch), "");
}

#[test]
fn prose_in_two_columns_is_no_table() {
    let line = "The settlement remains where the  it to go, although the survey of";
    assert_eq!(tables_of(&[line; 12].join("\n")), "");
}

#[test]
fn columns_of_references_between_the_rules_of_a_page_are_no_table() {
    let entry = [
        "Alder, J., and Birch, K. The rivers of the  Elm, R., and Maple, T. The survey of the",
        "  north and their harbours. Oakham Press.     south and its committees. Selkirk Press.",
    ];
    let rule = "-".repeat(82);
    let sketch = format!(
        "Rivers                                      Harbours\n{rule}\n{}\n{rule}",
        [entry; 5].concat().join("\n")
    );
    assert_eq!(tables_of(&sketch), "");
}

#[test]
fn short_columns_far_above_the_rule_at_the_foot_of_a_page_are_no_table() {
    let entry = [
        "1. Alder J. Rivers of the north.     3. Elm R. A survey.",
        "   Oakham 1998.                         Selkirk 2001.",
    ];
    let rule = "-".repeat(60);
    let sketch = format!("{rule}\n{}{}{rule}", [entry; 2].concat().join("\n"), "\n".repeat(12));
    assert_eq!(tables_of(&sketch), "");
}

#[test]
fn prose_with_even_wide_spaces_is_no_table() {
    let line = "The   settlement   remains   where   the   river   turns";
    assert_eq!(tables_of(&[line; 6].join("\n")), "");
}

#[test]
fn contents_between_rules_with_the_numbers_of_front_matter_are_no_table() {
    let sketch = "
----------------------------
Preface                  iii
1   The harbour            1
    1.1  Its river         2
2   The inventory         14
----------------------------";
    assert_eq!(tables_of(sketch), "");
}

#[test]
fn contents_formulas_and_lists_are_no_tables() {
    let contents = "
Introduction ............ 1
The harbour ............. 4
The river ............... 9
Its inventory .......... 14";
    let formulas = "
f(x)     = sin x     (2.1)
g(x)     = cos x     (2.2)
h(x)     = tan x     (2.3)";
    let list = "
1.  The settlement remains
2.  The river turns
3.  Nobody asked it to go
4.  The survey describes it";
    for sketch in [contents, formulas, list] {
        assert_eq!(tables_of(sketch), "");
    }
}

#[test]
fn bars_with_labels_are_no_table() {
    let mut chart = page("--------------------------------");
    chart.rules.extend(page("\n\n----").rules);
    for (x, top) in [(70.0, 150.0), (100.0, 180.0), (130.0, 120.0), (160.0, 200.0), (190.0, 170.0)] {
        let bounds = Bounds { x0: x, y0: top, x1: x + 20.0, y1: 300.0 };
        chart.fills.push(Fill { bounds, color: [0, 0, 200] });
        chart.words.push(word("12", x, top - 12.0));
        chart.words.push(word("2010", x, 305.0));
    }
    for y in [140.0, 220.0, 300.0] {
        chart.rules.push(rule(60.0, y, 230.0, y));
    }
    assert_eq!(find_tables(&chart), []);
}

#[test]
fn a_box_behind_words_that_its_sides_cut_is_no_table() {
    let line = "word word word word word word";
    let mut slide = page(&[line; 6].join("\n"));
    let bounds = Bounds { x0: 98.0, y0: 95.0, x1: 200.0, y1: 190.0 };
    slide.fills.push(Fill { bounds, color: [70, 255, 210] });
    assert_eq!(find_tables(&slide), []);
}

/// What a program prints.
const PRINTED: &str = "
> count(leaves)
       Folds   Leaves   Pages
Folio      1        2       4
Quarto     2        4       8";
const LONG: &str = "The program counts the leaves and prints the numbers of each sheet, as it is told to do here.";

/// A page with some lines in a fixed pitch.
fn typed(sketch: &str, lines: std::ops::Range<u8>) -> PageLayout {
    let mut page = page(sketch);
    let y = |line: u8| 100.0 + 14.0 * f32::from(line);
    let own = page.words.iter_mut().filter(|word| (y(lines.start)..y(lines.end)).contains(&word.bounds.y0));
    own.for_each(|word| word.is_monospace = true);
    page
}

#[test]
fn lines_of_a_fixed_pitch_between_text_of_another_type_are_no_table() {
    let sketch = format!("{LONG}{PRINTED}\n{LONG}");
    assert_eq!(find_tables(&typed(&sketch, 1..5)), []);
    assert_eq!(find_tables(&typed(&sketch, 0..0)).len(), 1);
    assert_eq!(find_tables(&typed(&sketch, 0..6)).len(), 1, "tables of typewriters are tables");
}

#[test]
fn columns_of_a_fixed_pitch_that_are_no_whole_characters_apart_are_a_table() {
    let mut page = typed(&format!("{LONG}{PRINTED}\n{LONG}"), 1..5);
    for word in page.words.iter_mut().filter(|word| word.is_monospace && word.bounds.x0 > 100.0) {
        (word.bounds.x0, word.bounds.x1) = (word.bounds.x0 + 3.0, word.bounds.x1 + 3.0);
    }
    assert_eq!(find_tables(&page).len(), 1);
}

#[test]
fn boxes_of_a_fixed_pitch_with_a_title_between_them_are_no_table() {
    let rule = "-".repeat(40);
    let sketch = format!("{LONG}\n{rule}\n> list\n{rule}\nThe leaves\n{rule}{PRINTED}\n{rule}");
    assert_eq!(find_tables(&typed(&sketch, 6..10)), []);
}

#[test]
fn an_empty_page_has_no_table() {
    assert_eq!(find_tables(&PageLayout::default()), []);
}

#[test]
fn the_lines_of_a_chart_through_its_labels_are_no_grid() {
    let mut page = empty_page();
    let step = |at: u8, size: f32| 100.0 + size * f32::from(at);
    for at in 0..5 {
        let (x, y) = (step(at, 60.0), step(at, 30.0));
        page.rules.extend([rule(x, 100.0, x + 0.5, 220.0), rule(100.0, y, 340.0, y + 0.5)]);
    }
    let is_grid = |page: &PageLayout| find_tables(page).iter().any(|table| table.columns_by == ColumnsBy::Lines);
    // In the places of the grid the same words are a table.
    let mut table = page.clone();
    for row in 0..4 {
        for column in 0..4 {
            table.words.push(word("12.5", step(column, 60.0) + 10.0, step(row, 30.0) + 8.0));
            page.words.push(word(
                "12.5",
                step(column, 60.0) - 12.0 + 60.0 * f32::from(u8::from(column == 0)),
                step(row, 30.0) + 8.0,
            ));
        }
    }
    assert!(is_grid(&table) && !is_grid(&page));
}

#[test]
fn blanks_for_amounts_are_no_column() {
    let form = "
--------------------------------------------
Other income, such as interest    4(a)    $
--------------------------------------------
Deductions beyond the standard    4(b)    $
--------------------------------------------
Extra that you want withheld      4(c)    $
--------------------------------------------";
    assert_eq!(tables_of(form), "");
    assert_eq!(tables_of(&form.replace(" $", "$ 7")).lines().count(), 3);
}

#[test]
fn the_grounds_behind_the_parts_of_a_sentence_are_no_table() {
    let mut text = empty_page();
    let lines = [
        ["The growth of revenue in that", "segment is mainly due"],
        ["to the increase of sales and", "our new platforms."],
    ];
    for (row, parts) in (0_u8..).zip(lines) {
        let (mut x, y) = (60.0, 100.0 + 14.0 * f32::from(row));
        for part in parts {
            let x0 = x;
            for own in part.split(' ') {
                let placed = word(own, x, y + 2.0);
                x = placed.bounds.x1 + 4.0;
                text.words.push(placed);
            }
            let bounds = Bounds { x0: x0 - 1.0, x1: x - 3.0, y0: y, y1: y + 14.0 };
            text.fills.push(Fill { bounds, color: [240; 3] });
        }
    }
    assert_eq!(find_tables(&text), []);
}

#[test]
fn a_sentence_with_a_sign_drawn_apart_is_no_table_between_rules() {
    let sketch = "
---------------------------------------------------------------------
                                              ∑
Let a, b be random variables on a ground then   is a random variable
---------------------------------------------------------------------";
    assert_eq!(tables_of(sketch), "");
}

#[test]
fn fractions_over_the_names_of_the_terms_are_no_table() {
    let mut page = empty_page();
    let math = |text: &str, x: f32, y: f32| Word { math: MathFont::Letters, ..word(text, x, y) };
    for (x, above, below, name) in [(150.0, "2π", "3", "bias"), (240.0, "4π", "5", "part"), (330.0, "2π", "6", "rest")]
    {
        page.words.push(math(above, x, 93.0));
        page.words.push(math(below, x + 3.0, 107.0));
        page.rules.push(rule(x, 105.0, x + 12.0, 105.5));
        for (at, text) in [name, "of", "it"].iter().enumerate() {
            page.words.push(word(text, x - 21.0 + [0.0, 27.0, 42.0].get(at).unwrap_or(&0.0), 121.0));
        }
    }
    page.words.extend([word("where", 60.0, 107.0), word("means", 60.0, 121.0)]);
    page.words.sort_by(|a, b| a.bounds.y0.total_cmp(&b.bounds.y0).then(a.bounds.x0.total_cmp(&b.bounds.x0)));
    assert_eq!(find_tables(&page), []);
}

#[test]
fn clauses_beside_their_numbers_and_marks_are_no_table() {
    let clauses = "
------------------------------------------------------------
       • Moving of the seats
       • Swapping of the clothes
5.23   Behaviour that is not welcome during a visit may be
       any of the following and more than that;
       • Moving of the seats
       • Swapping of the clothes
5.24   A visit may be ended early where this was seen by
       those who watch it.
Contact by hand
5.25   No visitor may touch.
------------------------------------------------------------";
    assert_eq!(tables_of(clauses), "");
    let parts = "
--------------------------------------------------
5.1  Means of putting it out
     Suitable means
     Foam and dry powder

     Means that are not suitable at all
     For this substance no limits are given.

5.2  Dangers that come from the mixture
     Oxides of coal

5.3  Advice for the brigade
     Wear something over your mouth.
--------------------------------------------------";
    assert_eq!(tables_of(parts), "");
    let ruled = parts.replace("\n\n", &format!("\n{}\n", "-".repeat(50)));
    assert_eq!(tables_of(&ruled).lines().count(), 4);
}

#[test]
fn panels_beside_each_other_in_a_box_are_no_table() {
    let panels = |shift: f32| {
        let mut page = empty_page();
        for at in 0_u8..12 {
            let y = 110.0 + 14.0 * f32::from(at);
            let is_second = at.is_multiple_of(3);
            for (x, own) in [(70.0, y), (320.0, if is_second { y } else { y + shift })] {
                page.words.push(word(&format!("check_{at:02}(value)"), x, own));
            }
        }
        page.rules.extend([rule(60.0, 100.0, 560.0, 100.5), rule(60.0, 290.0, 560.0, 290.5)]);
        page.rules.push(rule(310.0, 100.0, 310.5, 290.0));
        find_tables(&page).iter().map(|table| (table.rows, table.columns)).collect::<Vec<_>>()
    };
    assert_eq!(panels(4.0), []);
    assert_eq!(panels(0.0), [(12, 2)]);
}

#[test]
fn panels_that_run_to_the_sides_of_the_page_are_no_cells() {
    let spread = |margin: f32| {
        let mut page = empty_page();
        let middle = page.width / 2.0;
        for (x0, x1) in [(margin, middle), (middle, page.width - margin)] {
            for (y0, y1, color) in [(0.0, 70.0, [0; 3]), (70.0, 760.0, [255; 3])] {
                page.fills.push(Fill { bounds: Bounds { x0, y0, x1, y1 }, color });
            }
            for (at, text) in (0_u8..).zip(["Rolls", "Each", "roll", "is", "for", "one", "trick."]) {
                page.words.push(word(text, x0 + 40.0, 40.0 + 50.0 * f32::from(at) + x0 / 15.0));
            }
        }
        find_tables(&page).len()
    };
    assert_eq!((spread(0.0), spread(30.0)), (0, 1));
}

#[test]
fn rows_of_values_below_heads_are_a_table_though_they_look_like_formulas() {
    let tables = |head: [&str; 4]| {
        let mut page = empty_page();
        let math = |text: &str, x: f32, y: f32| Word { math: MathFont::Letters, ..word(text, x, y) };
        for (x, text) in [60.0, 104.0, 136.0, 168.0].iter().zip(head) {
            page.words.push(math(text, *x, 100.0));
        }
        for at in 1..5 {
            let y = 100.0 + 14.0 * as_f32(at);
            for (x, text) in [(60.0, "n"), (72.0, "="), (84.0, "9"), (104.0, "1.5"), (136.0, "2.5"), (168.0, "3.5")] {
                page.words.push(math(text, x, y));
            }
        }
        find_tables(&page).len()
    };
    assert_eq!((tables(["a", "b", "c", "d"]), tables(["1", "2.5", "3.5", "4.5"])), (1, 0));
}

#[test]
fn rows_of_formulas_below_a_ruled_head_are_a_table() {
    let tables = |is_ruled: bool| {
        let mut page = empty_page();
        if is_ruled {
            page.rules = [88.0, 106.0, 170.0].map(|y| rule(60.0, y, 240.0, y + 0.5)).to_vec();
        }
        for (x, text) in [(60.0, "Path"), (130.0, "Length"), (200.0, "Time")] {
            page.words.push(word(text, x, 100.0));
        }
        for at in 1..5 {
            for (x, text) in
                [(60.0, "n"), (72.0, "="), (84.0, "9"), (130.0, "m"), (142.0, "<"), (154.0, "4"), (200.0, "t")]
            {
                page.words.push(Word { math: MathFont::Letters, ..word(text, x, 100.0 + 16.0 * as_f32(at)) });
            }
        }
        find_tables(&page).len()
    };
    assert_eq!((tables(true), tables(false)), (1, 0));
}

#[test]
fn labels_of_figures_above_their_captions_are_no_table() {
    let sketch = |captions: [&str; 2]| {
        let [left, right] = captions;
        format!(
            "
----------------------------------------------------------------
Fold nut        Fibre nut          Keyway         Tightened nut

Plain nut       Stop nut           Core           Loose nut

{left:<35}{right}
----------------------------------------------------------------"
        )
    };
    assert_eq!(tables_of(&sketch(["Figure 7-26. Folded nuts.", "Figure 7-27. Steel nuts."])), "");
    assert_ne!(tables_of(&sketch(["Nuts that are folded", "Nuts of steel"])), "");
}

#[test]
fn a_long_list_beside_a_short_one_is_no_table() {
    let rows = "
Ingredients         Timeline
Red meat or beef    00:30
Olive oil           03:00
Cumin seeds         03:30";
    let rest = "\nGreen peas\nBay leaf\nOnions\nGinger\nGarlic";
    assert_ne!(tables_of(rows), "");
    assert_eq!(tables_of(&format!("{rows}{rest}")), "");
}

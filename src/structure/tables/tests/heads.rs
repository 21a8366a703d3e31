//! The heads of tables with rules.

use super::{FOLDS, as_f32, empty_page, find_tables, half_tables_of, page, rule, shapes, tables_of, word};
use pagewise_text::{Bounds, Fill, Word};

#[test]
fn lists_side_by_side_below_ruled_heads_are_the_cells_of_one_row() {
    let sketch = "
------------------------------------------
Taken                    Left out
------------------------------------------
1. Consent in writing    1. Other trials
2. Age of 18 years       2. Any disease
3. No other disease         of the liver
   of the heart          3. Prior surgery
------------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Taken | ^Left out\n1. Consent in writing 2. Age of 18 years 3. No other disease of the heart | \
         1. Other trials 2. Any disease of the liver 3. Prior surgery"
    );
}

#[test]
fn a_head_between_two_rules_or_above_the_first_one_belongs_to_the_table() {
    let sketch = "
Town       Red      Blue  Green
-------------------------------
Oakham      12       3.5      -
Selkirk      4      12.0     88
-------------------------------";
    let rows = "^Town | ^Red | ^Blue | ^Green\nOakham | 12 | 3.5 | -\nSelkirk | 4 | 12.0 | 88";
    assert_eq!(tables_of(sketch), rows);
    assert_eq!(tables_of(&format!("\n-------------------------------{sketch}")), rows);
}

#[test]
fn heads_over_rules_head_the_columns_of_these() {
    let one = ("             First        Second", "         ---------------------------");
    let two = ("            First         Second", "         -------------  ------------");
    for (heads, rules) in [one, two] {
        let found = tables_of(&format!(
            "
------------------------------------
{heads}
{rules}
Town       Red    Blue   Red    Blue
------------------------------------
Oakham      12     3.5     4       5
Selkirk      4    12.0     8       9
------------------------------------"
        ));
        assert_eq!(
            found,
            "^1x2 Town | ^2x1 First | ^2x1 Second\n^Red | ^Blue | ^Red | ^Blue\n\
             Oakham | 12 | 3.5 | 4 | 5\nSelkirk | 4 | 12.0 | 8 | 9"
        );
    }
}

#[test]
fn heads_that_are_turned_are_cells() {
    let sketch = "
-----------------------------
Name          one  two  three
-----------------------------
Oakham         12  3.5      7
Selkirk         4  1.0      8
Thornton        9  2.2      9
-----------------------------";
    let mut page = page(sketch);
    for word in page.words.iter_mut().filter(|word| matches!(word.text.as_str(), "one" | "two" | "three")) {
        word.turn = 270;
        (word.bounds.x1, word.bounds.y0) = (word.bounds.x0 + 10.0, word.bounds.y1 - 13.0);
        word.baseline = word.bounds.x1;
    }
    let found = shapes(&page);
    assert_eq!(
        found,
        "^Name | ^one | ^two | ^three\nOakham | 12 | 3.5 | 7\nSelkirk | 4 | 1.0 | 8\nThornton | 9 | 2.2 | 9"
    );
}

#[test]
fn a_cell_beside_all_rows_does_not_make_them_heads() {
    let rows = ["A 1 2", "B 3 4", "C 5 6", "D 7 8", "E 9 10"];
    let mut page = empty_page();
    page.words.push(word("All", 64.0, 145.0));
    for (at, row) in rows.iter().enumerate() {
        let y = 100.0 + 20.0 * as_f32(at);
        page.rules.push(rule(if at == 0 { 60.0 } else { 120.0 }, y, 300.0, y + 0.5));
        for (column, text) in row.split(' ').enumerate() {
            page.words.push(word(text, 124.0 + 60.0 * as_f32(column), y + 5.0));
        }
    }
    page.rules.push(rule(60.0, 200.0, 300.0, 200.5));
    page.rules.extend([60.0, 120.0, 180.0, 240.0, 300.0].map(|x| rule(x, 100.0, x + 0.5, 200.0)));
    let tables = find_tables(&page);
    let heads = tables.iter().flat_map(|table| &table.cells).filter(|cell| cell.is_header && cell.column > 0);
    assert_eq!(heads.map(|cell| cell.text.as_str()).collect::<Vec<_>>(), ["A", "1", "2"]);
}

#[test]
fn a_title_in_a_row_without_sides_is_over_all_columns_and_the_row_below_it_is_the_head() {
    let mut page = empty_page();
    for (at, row) in ["", "Name Folds Leaves", "Folio 1 2", "Quarto 2 4"].iter().enumerate() {
        let y = 100.0 + 20.0 * as_f32(at);
        page.rules.push(rule(60.0, y, 300.0, y + 0.5));
        for (x, text) in [64.0, 144.0, 224.0].into_iter().zip(row.split(' ').filter(|text| !text.is_empty())) {
            page.words.push(word(text, x, y + 5.0));
        }
    }
    page.words.extend([word("Sizes", 130.0, 105.0), word("of", 164.0, 105.0), word("books", 180.0, 105.0)]);
    page.rules.push(rule(60.0, 180.0, 300.0, 180.5));
    page.rules.extend([60.0, 300.0].map(|x| rule(x, 100.0, x + 0.5, 180.0)));
    page.rules.extend([140.0, 220.0].map(|x| rule(x, 120.0, x + 0.5, 180.0)));
    let found = shapes(&page);
    let expected = "^3x1 Sizes of books\n^Name | ^Folds | ^Leaves\nFolio | 1 | 2\nQuarto | 2 | 4";
    assert_eq!(found, expected);
}

#[test]
fn a_word_that_is_divided_in_a_head_heads_no_group() {
    let sketch = "
--------------------------------
                 Non-

Year    Names    works    Sums
--------------------------------
2010       90       25      11
2011       91       26      12
--------------------------------";
    assert_eq!(tables_of(sketch), "^Year | ^Names | ^Non-works | ^Sums\n2010 | 90 | 25 | 11\n2011 | 91 | 26 | 12");
}

#[test]
fn a_unit_below_ruled_heads_is_about_all_columns() {
    let sketch = "
---------------------------------------------------------------
                              2022         2021         2020
                          ------------ ------------ -----------
                                        (millions)
---------------------------------------------------------------
Oakham and its villages       12.5          3.5          4.5
Selkirk                        4.5         12.0          8.5
---------------------------------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^ | ^2022 | ^2021 | ^2020\n^ | ^3x1 (millions)\nOakham and its villages | 12.5 | 3.5 | 4.5\nSelkirk | 4.5 | 12.0 | 8.5"
    );
}

#[test]
fn dates_above_values_are_heads() {
    let sketch = "
------------------------------------
            May 6, 2022  May 1, 2021
------------------------------------
Oakham           12           35
Selkirk           4          120
------------------------------------";
    assert_eq!(tables_of(sketch), "^ | ^May 6, 2022 | ^May 1, 2021\nOakham | 12 | 35\nSelkirk | 4 | 120");
}

#[test]
fn sums_above_a_rule_are_no_head() {
    let sketch = "
Before tax      1440.00
Discount           4.00
-----------------------
Rate              7.00%
Total            100.52
Due            1,536.52";
    assert_eq!(
        tables_of(sketch),
        "^Before tax | ^1440.00\nDiscount | 4.00\nRate | 7.00%\nTotal | 100.52\nDue | 1,536.52"
    );
}

#[test]
fn a_wide_cell_without_cells_of_its_own_below_it_is_a_head_of_one_row() {
    let sketch = "
------------------------------------
| Symbol | Parameter       | Limit |
------------------------------------
| V1     | Supply          | 1.8   |
------------------------------------
| I1     | Current | 5 V   | 2.0   |
------------------------------------";
    assert_eq!(tables_of(sketch), "^Symbol | ^2x1 Parameter | ^Limit\nV1 | 2x1 Supply | 1.8\nI1 | Current | 5 V | 2.0");
}

#[test]
fn rows_of_values_beside_a_cell_over_both_are_no_head() {
    let sketch = "
----------------------------
| Delay | at 3 V  | 35     |
---------         ----------
| Rise  |         | 36     |
----------------------------
| Store | at 5 V  | 200    |
---------         ----------
| Fall  |         | 50     |
----------------------------";
    assert_eq!(tables_of(sketch), "Delay | 1x2 at 3 V | 35\nRise | 36\nStore | 1x2 at 5 V | 200\nFall | 50");
}

#[test]
fn a_shaded_head_without_a_rule_below_it_is_a_row() {
    let sketch = "
-------------------------------
| Format | Folds   |  Leaves  |
| Folio  | 1       |  2       |
-------------------------------
| Quarto | 2       |  4       |
-------------------------------
| Octavo | 3       |  8       |
-------------------------------";
    let mut page = page(sketch);
    page.fills.push(Fill { bounds: Bounds { x0: 60.0, y0: 107.0, x1: 246.0, y1: 128.0 }, color: [180; 3] });
    assert_eq!(shapes(&page), "^Format | ^Folds | ^Leaves\nFolio | 1 | 2\nQuarto | 2 | 4\nOctavo | 3 | 8");
}

#[test]
fn a_drawn_head_apart_from_its_grid_is_that_of_the_grid() {
    let sketch = "
-------------------------------
| Format | Folds   |  Leaves  |
-------------------------------
 Small ones
-------------------------------
| Quarto | 2       |          |
-------------------------------
| Octavo | 3       |          |
-------------------------------";
    assert_eq!(tables_of(sketch), "^Format | ^Folds | ^Leaves\n3x1 Small ones\nQuarto | 2 | \nOctavo | 3 | ");
    // Borders of its own make it another table.
    let found = tables_of(&sketch.replace("| Format | Folds   |", "| Format    | Folds|"));
    assert!(!found.contains("Small ones"), "{found}");
}

#[test]
fn values_below_a_title_of_the_first_rows_are_no_heads() {
    let sketch = "
--------------------------
Northern
--------------------------
North       120         87
--------------------------
South       310        204
--------------------------";
    assert_eq!(tables_of(sketch), "^Northern | ^ | ^\nNorth | 120 | 87\nSouth | 310 | 204");
}

#[test]
fn a_row_without_sides_right_above_a_grid_is_its_head_with_a_text_over_each_column_but_the_first_or_below_a_rule() {
    let sketch = "
Date    Name    Out     In
-----------------------------
3 May | Start |       |  8.0
-----------------------------
4 May | Folio |  7.9  |
-----------------------------
5 May | Quire |  2.6  |
-----------------------------";
    let rows = "3 May | Start |  | 8.0\n4 May | Folio | 7.9 | \n5 May | Quire | 2.6 | ";
    let found = format!("^Date | ^Name | ^Out | ^In\n{rows}");
    assert_eq!(tables_of(sketch), found);
    assert_eq!(tables_of(&format!("\n{}{sketch}", "-".repeat(29))), found);
    let labelled = tables_of(&sketch.replace("Date", "    "));
    assert_eq!(labelled, format!("^ | ^Name | ^Out | ^In\n{rows}"), "no text over the labels of rows");
    assert!(!tables_of(&sketch.replace("Out ", "    ")).contains("Name"), "no text over a column");
    assert!(
        !tables_of(&sketch.replace("Date    Name", "Dates and Names")).contains("Names"),
        "a text over two columns"
    );
    assert!(!tables_of(&sketch.replace("In\n", "In\n\n\n")).contains("Name"), "a row further above");
}

#[test]
fn years_right_above_a_grid_head_their_columns() {
    let sketch = "
                2023    2022
-------------------------------
Cash          |  14.1 |  14.4 |
-------------------------------
Inventories   |  12.4 |  10.3 |
-------------------------------
Other assets  |   9.6 |  10.2 |
-------------------------------";
    let rows = "Cash | 14.1 | 14.4\nInventories | 12.4 | 10.3\nOther assets | 9.6 | 10.2";
    assert_eq!(tables_of(sketch), format!("^ | ^2023 | ^2022\n{rows}"));
    assert!(!tables_of(&sketch.replace("2023    2022", "Here    Here")).contains("Here"), "other words");
}

#[test]
fn heads_between_upright_rules_belong_to_the_rows_below_their_ends() {
    let mut page = page(
        "
                           Votes cast
       Registered    Counted       Valid         Void


---------------------------------------------------------
North        2430        660         656            4
South        2012        670         666            4
---------------------------------------------------------
Sum          4442       1330        1322            8
---------------------------------------------------------",
    );
    let bare = shapes(&page);
    assert!(!bare.contains("Registered"), "{bare}");
    for (x, y) in [(98.0, 100.0), (180.0, 114.0), (264.0, 114.0), (330.0, 114.0), (402.0, 100.0)] {
        page.rules.push(rule(x, y, x + 0.5, 163.0));
    }
    let heads = "^ | ^4x1 Votes cast\n^ | ^Registered | ^Counted | ^Valid | ^Void";
    assert_eq!(shapes(&page), format!("{heads}\n{}", bare.replace('^', "")));
}

#[test]
fn a_turned_head_of_several_words_is_one_cell() {
    let mut page = page(FOLDS);
    page.words.retain(|word| !matches!(word.text.as_str(), "Folds" | "Leaves"));
    for (text, x, y1) in [("Folds", 130.0, 124.0), ("all", 130.0, 92.0), ("Leaves", 184.0, 124.0), ("in", 184.0, 86.0)]
    {
        let bounds = Bounds { x0: x, x1: x + 10.0, y0: y1 - super::length(text), y1 };
        page.words.push(Word { turn: 270, bounds, ..word(text, x, y1) });
    }
    page.rules.iter_mut().take(1).for_each(|rule| (rule.bounds.y0, rule.bounds.y1) = (55.0, 55.5));
    assert_eq!(shapes(&page), "^Name | ^Folds all | ^Leaves in\nFolio | 1 | 2\nQuarto | 2 | 4");
}

#[test]
fn a_head_as_wide_as_the_space_between_two_columns_begins_none() {
    let sketch = "
------------------------------
    Our         Forms
------------------------------
  a     b    c          d
 0.1   2.0  3.25     4.25
------------------------------";
    let found = tables_of(sketch);
    assert!(found.ends_with("0.1 | 2.0 | 3.25 | 4.25"), "{found}");
}

#[test]
fn the_title_of_a_group_widens_no_column_over_the_next() {
    let sketch = "
-----------------------------
Name   Folds          Leaves
-----------------------------
            Small_parts
-----------------------------
Folio    1.5             2.5
Octavo   8.5            16.5
-----------------------------
            Large_parts
-----------------------------
Quarto   2.5             4.5
Duo     12.5            24.5
-----------------------------";
    let mut page = page(sketch);
    for title in page.words.iter_mut().filter(|word| word.text.contains('_')) {
        (title.bounds.x0, title.bounds.x1) = (title.bounds.x0 - 0.5, title.bounds.x1 - 0.5);
    }
    assert!(shapes(&page).contains("Octavo | 8.5 | 16.5"), "{}", shapes(&page));
}

#[test]
fn columns_as_close_as_words_may_have_heads_of_two_lines() {
    let mut page = empty_page();
    let rows =
        [["A", "20", "50"], ["B", "0.61", "0.84"], ["C", "0.62", "0.78"], ["D", "0.16", "0.06"], ["E", "0.43", "0.79"]];
    for (at, [name, left, right]) in rows.iter().enumerate() {
        let y = 130.0 + 14.0 * as_f32(at);
        let shift = if at == 0 { 6.0 } else { 0.0 };
        page.words.extend([word(name, 60.0, y), word(left, 120.0 + shift, y), word(right, 148.5 + shift, y)]);
    }
    page.words.insert(0, word("One", 123.0, 114.0));
    page.words.insert(1, word("Two", 151.5, 114.0));
    page.rules.extend([110.0, 143.0, 202.0].map(|y| rule(58.0, y, 176.0, y + 0.5)));
    assert!(shapes(&page).contains("B | 0.61 | 0.84"), "{}", shapes(&page));
}

#[test]
fn the_words_of_a_head_over_several_heads_are_one_cell() {
    let mut page = empty_page();
    let words = [("Sheets", 60.0), ("Small", 121.0), ("(old)", 154.0), ("Large", 241.0), ("(new)", 274.0)];
    page.words.extend(words.map(|(text, x)| word(text, x, 110.0)));
    for (at, row) in [["", "Low", "High", "Low", "High"], ["A", "10", "20", "30", "40"], ["B", "11", "21", "31", "41"]]
        .iter()
        .enumerate()
    {
        for (text, middle) in row.iter().zip([66.0, 130.0, 175.0, 250.0, 295.0]) {
            if !text.is_empty() {
                page.words.push(word(text, middle - 3.0 * as_f32(text.len()), 124.0 + 14.0 * as_f32(at)));
            }
        }
    }
    page.rules.extend([106.0, 137.0, 166.0].map(|y| rule(58.0, y, 310.0, y + 0.5)));
    assert_eq!(shapes(&page).lines().next(), Some("^1x2 Sheets | ^2x1 Small (old) | ^2x1 Large (new)"));
}

#[test]
fn the_title_of_rows_over_lines_that_its_ground_covers_is_one_text() {
    let sketch = "
----------------------------------------------------------
Model        kW      rpm     cfm     lpm     bar      kg
----------------------------------------------------------
Alpha        11      875    41.3    1169      30     225
Beta         15     1150    54.3    1538      30     400



Gamma        11     1000    38.0    1016      35     483
Delta        15     1150    43.7    1237      40     503
----------------------------------------------------------";
    let mut page = page(sketch);
    let bottom = page.rules.iter().map(|rule| rule.bounds.y0).fold(0.0, f32::max);
    for column in [11_usize, 18, 26, 34, 42, 50] {
        let x = 60.0 + 6.0 * as_f32(column);
        page.rules.push(rule(x, 145.0, x + 0.5, bottom - 12.0));
    }
    let title = [("Superior", 150.0), ("Pressured", 200.5), ("(Mounted)", 257.0)];
    page.words.extend(title.map(|(text, x)| word(text, x, 186.0)));
    let rows = shapes(&page);
    assert_eq!(rows.lines().nth(3), Some("7x1 Superior Pressured (Mounted)"), "{rows}");
}

#[test]
fn rows_below_the_rule_of_their_heads_are_a_table_without_a_rule_at_its_end() {
    let found = tables_of(
        "
----------------------------------------------------------
                Compound   Number     Store   Deleted or
                                      code    estimated
                                              (see notes)
----------------------------------------------------------
1        Acetone           67-64-1    81552
2        Acrolein          107-02-8   34210   Estimated
         Acrylamide        79-06-1    na      Deleted
3        Benzene           71-43-2    34030",
    );
    let heads =
        "^ | ^Compound | ^Number | ^Store code | ^Deleted or estimated (see notes)\n1 | Acetone | 67-64-1 | 81552 | \n";
    assert!(found.starts_with(heads), "{found}");
}

#[test]
fn heads_between_upright_rules_stand_over_the_columns_between_these_also_at_the_sides() {
    let found = half_tables_of(
        "
---------------------------------------------------------------
            |                  |                  | Shareholder
            |  Sales of goods  |  Numbers sold    |
Kind        |                  |                  |   (buyers)
            |   (mil. dol.)    |   (thousands)    |

            |  1999      2000  |  1999      2000  |  1999   2000
---------------------------------------------------------------
Total       |  12.3      24.1  |    70        81  |   (X)    (X)

Books       |   1.2       2.2  |    10        12  |    45     47

Music       |   0.4       0.7  |     4         5  |    38     42
---------------------------------------------------------------",
    );
    let heads = "^1x2 Kind | ^2x1 Sales of goods (mil. dol.) | ^2x1 Numbers sold (thousands) | ^2x1 Shareholder (buyers)\n\
                 ^1999 | ^2000 | ^1999 | ^2000 | ^1999 | ^2000\n";
    assert!(found.starts_with(heads), "{found}");
    assert!(found.contains("\nTotal | 12.3 | 24.1 | 70 | 81 | (X) | (X)\n"), "{found}");
}

#[test]
fn drawn_cells_below_a_bold_head_are_a_table_of_one_column() {
    let sketch = |head: &str| {
        let row = |text: &str| format!("|  {text:<18}  |\n------------------------\n");
        let rows: String = [head, "Recycling at home", "Circular economy", "Social enterprise"].map(row).concat();
        tables_of(&format!("------------------------\n{rows}"))
    };
    assert_eq!(sketch("*Framework*"), "^Framework\nRecycling at home\nCircular economy\nSocial enterprise");
    assert_eq!(sketch("Framework"), "");
}
#[test]
fn heads_nearer_to_their_values_than_to_the_labels_are_over_these() {
    let sketch = "
------------------------------------------------------------------------------
                           Year          Half          Year          Half
                           2023          2023          2022          2022
------------------------------------------------------------------------------
Income of the year     $        12   $        11   $         9   $         8
Gains on the assets              6           (15)            4            (2)
Losses on the assets             5           (16)            3            (1)
All of it together     $        23   $       (20)  $        16   $         5
------------------------------------------------------------------------------";
    let heads = "^ | ^Year 2023 | ^Half 2023 | ^Year 2022 | ^Half 2022";
    let rows = [
        "Income of the year | $ 12 | $ 11 | $ 9 | $ 8",
        "Gains on the assets | 6 | (15) | 4 | (2)",
        "Losses on the assets | 5 | (16) | 3 | (1)",
        "All of it together | $ 23 | $ (20) | $ 16 | $ 5",
    ];
    assert_eq!(tables_of(sketch), format!("{heads}\n{}", rows.join("\n")));
}

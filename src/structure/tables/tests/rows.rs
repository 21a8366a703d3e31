//! The rows of tables with rules.

use super::{HEIGHT, as_f32, empty_page, find_tables, half_tables_of, page, rule, shapes, tables_of, word};
use pagewise_text::{Bounds, Fill, PageLayout};

/// A page of financial statements. Every other row is shaded, with white gaps between the columns.
fn statements(sketch: &str, columns: &[[f32; 2]]) -> PageLayout {
    let mut page = page(sketch);
    let lines: Vec<&str> = sketch.trim_matches('\n').lines().collect();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.contains("Net") || line.contains("Sum")) {
        let y0 = 100.0 + 14.0 * as_f32(at);
        for [x0, x1] in columns {
            page.fills.push(Fill { bounds: Bounds { x0: *x0, y0, x1: *x1, y1: y0 + 14.0 }, color: [200; 3] });
        }
    }
    page
}

#[test]
fn a_caption_apart_from_its_label_is_no_row_between_the_first_rules() {
    let sketch = |caption: &str| {
        tables_of(&format!(
            "
--------------------------------------------------
{caption}
--------------------------------------------------
Parameter
--------------------------------------------------
Resolution                               2.2
Space group                              P1
Redundancy                               3.9
--------------------------------------------------"
        ))
    };
    let rows = "^Parameter | ^\nResolution | 2.2\nSpace group | P1\nRedundancy | 3.9";
    assert_eq!(sketch("Table 2    Statistics of all the crystals here"), rows);
    assert!(sketch("Phase 2    Statistics").starts_with("^Phase 2"), "{}", sketch("Phase 2    Statistics"));
}

#[test]
fn numbered_cells_that_begin_on_the_same_lines_are_rows() {
    let sketch = "
------------------------------------------
Question              Answer
------------------------------------------
1. What is a leaf     1. A sheet
2. What is a folio    2. A fold
3. What is a page     3. A side
------------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Question | ^Answer\n1. What is a leaf | 1. A sheet\n2. What is a folio | 2. A fold\n\
         3. What is a page | 3. A side"
    );
}

#[test]
fn a_caption_in_a_drawn_row_is_no_row() {
    let sketch = "
----------------------
| Table 1 Parts      |
----------------------
| Name   |  Count    |
----------------------
| Alpha  |  12       |
----------------------
| Beta   |  7        |
----------------------";
    assert_eq!(tables_of(sketch), "^Name | ^Count\nAlpha | 12\nBeta | 7");
}

#[test]
fn rows_apart_keep_the_entries_of_their_cells_together() {
    let sketch = "
-----------------------------------------
Group      Two months      One month
           before school   after school

Teachers   Talks by mail   Talks at the
                           school

All who    Letter A        Form A
take part  Map             Survey of all
           Plan of class   Plan
-----------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Group | ^Two months before school | ^One month after school\nTeachers | Talks by mail | Talks at the school\n\
         All who take part | Letter A Map Plan of class | Form A Survey of all Plan"
    );
}

#[test]
fn rules_between_rows_keep_the_lines_of_a_cell_together() {
    let sketch = "
---------------------------
Town       Remarks
---------------------------
Oakham     the first line
           and a second one
---------------------------
Selkirk    nothing
---------------------------";
    assert_eq!(tables_of(sketch), "^Town | ^Remarks\nOakham | the first line and a second one\nSelkirk | nothing");
}

#[test]
fn rules_between_columns_alone_leave_rows_to_the_values() {
    let sketch = "
-------------------------
| Town     | Red | Blue |
-------------------------
| Oakham   | 12  | 35   |
| Selkirk  | 4   | 12   |
| Kelso    | 5   | 13   |
-------------------------";
    assert_eq!(tables_of(sketch), "^Town | ^Red | ^Blue\nOakham | 12 | 35\nSelkirk | 4 | 12\nKelso | 5 | 13");
}

#[test]
fn a_caption_and_a_note_in_the_frame_are_no_rows() {
    let sketch = "
-------------------------------------------------------
The caption of this table is a whole sentence of words.
-------------------------------------------------------
Town       Red                 Blue
-------------------------------------------------------
Oakham      12                  3.5
Selkirk      4                 12.0
-------------------------------------------------------";
    assert_eq!(tables_of(sketch), "^Town | ^Red | ^Blue\nOakham | 12 | 3.5\nSelkirk | 4 | 12.0");
}

#[test]
fn a_line_that_a_cell_goes_on_in_is_no_row_without_rules_between_rows() {
    let sketch = "
------------------------------------
Name      Remarks              Count
------------------------------------
Oakham    a long remark that      12
          goes on below
Selkirk   Another remark of        4
          several lines that
          ends here
------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Name | ^Remarks | ^Count\nOakham | a long remark that goes on below | 12\n\
         Selkirk | Another remark of several lines that ends here | 4"
    );
}

#[test]
fn a_label_at_the_middle_of_its_rows_covers_them() {
    let sketch = "
--------------------------------
Group    Name         One    Two
--------------------------------
         Oakham        12    3.5
Red      Selkirk        4    1.0
         Thornton       9    2.2
--------------------------------
         Langford       7    0.5
Blue     Moreton        8    0.7
         Kelso          6    0.1
--------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Group | ^Name | ^One | ^Two\n1x3 Red | Oakham | 12 | 3.5\nSelkirk | 4 | 1.0\nThornton | 9 | 2.2\n\
         1x3 Blue | Langford | 7 | 0.5\nMoreton | 8 | 0.7\nKelso | 6 | 0.1"
    );
}

#[test]
fn lines_of_a_grid_without_rules_between_rows_are_rows() {
    let sketch = "
------------------------------------------
| Label      |  Base   | Rate  | Amount  |
------------------------------------------
| Salary     |         |       | 1820,04 |
| Repair     |         | 15,00 |         |
| Supplement |  141,12 |       |         |
------------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Label | ^Base | ^Rate | ^Amount\nSalary |  |  | 1820,04\nRepair |  | 15,00 | \nSupplement | 141,12 |  | "
    );
}

#[test]
fn rows_whose_cells_all_begin_in_small_letters_stay_apart() {
    let sketch = "
---------------------------------------------
layer   decision                       rhythm
---------------------------------------------
risk    cash or risky exposure         ~20 days
group   route capital through clusters inherited
stock   candidate selection            ~5 days
---------------------------------------------";
    let found = tables_of(sketch);
    assert!(found.ends_with("stock | candidate selection | ~5 days"), "{found}");
}

#[test]
fn dots_are_values_where_they_stand_in_cells() {
    let sketch = "
------------------------------
Dose     Mean     SD     Max
------------------------------
10       .        .      .
20       4.5      .      .
30       5.5      1.5    9
------------------------------";
    assert_eq!(tables_of(sketch), "^Dose | ^Mean | ^SD | ^Max\n10 | . | . | .\n20 | 4.5 | . | .\n30 | 5.5 | 1.5 | 9");
}

#[test]
fn labels_beside_several_rows_without_rules_between_them_are_divided() {
    let grid = |labels: [&str; 3]| {
        let mut page = empty_page();
        for (at, cells) in
            [["Name", "2010", "2011"], ["", "12", "13"], ["", "14", "15"], ["", "16", "17"]].iter().enumerate()
        {
            let y = 100.0 + 20.0 * as_f32(at);
            page.rules.push(rule(if at < 2 { 60.0 } else { 160.0 }, y, 300.0, y + 0.5));
            let label = at.checked_sub(1).and_then(|row| labels.get(row)).unwrap_or(&"");
            for (x, text) in [64.0, 164.0, 234.0].into_iter().zip(cells).chain([(64.0, label)]) {
                for (at, text) in text.split_whitespace().enumerate() {
                    page.words.push(word(text, x + 12.0 * as_f32(at), y + 5.0));
                }
            }
        }
        page.rules.push(rule(60.0, 180.0, 300.0, 180.5));
        page.rules.extend([60.0, 160.0, 230.0, 300.0].map(|x| rule(x, 100.0, x + 0.5, 180.0)));
        shapes(&page)
    };
    let rows = "^Name | ^2010 | ^2011\nFolio | 12 | 13\nQuarto | 14 | 15\nOctavo | 16 | 17";
    assert_eq!(grid(["Folio", "Quarto", "Octavo"]), rows);
    let parts = "^Name | ^2010 | ^2011\nFolio | 12 | 13\nb Quarto | 14 | 15\nc Octavo | 16 | 17";
    assert_eq!(grid(["Folio", "b Quarto", "c Octavo"]), parts);
    let one = "^Name | ^2010 | ^2011\n1x3 Books that are | 12 | 13\n14 | 15\n16 | 17";
    assert_eq!(grid(["Books", "that", "are"]), one);
}

#[test]
fn the_leader_of_a_row_is_left_out_and_an_ellipsis_stays() {
    let sketch = "
------------------------------------
Name                  Folds   Leaves
------------------------------------
Folio . . . . . . .       1        2
Quarto and so on...       2        4
Octavo . . .              3        8
Sheet  .  .  .  .  .      4       16
------------------------------------
";
    let rows = "Folio | 1 | 2\nQuarto and so on... | 2 | 4\nOctavo . . . | 3 | 8\nSheet | 4 | 16";
    let rows = format!("^Name | ^Folds | ^Leaves\n{rows}");
    assert_eq!(tables_of(sketch), rows);
}

#[test]
fn a_sum_below_the_last_rule_belongs_to_the_table_whatever_signs_stand_beside_its_values() {
    let sketch = "
-------------------------------
Year        Names       Works
-------------------------------
Begin      $   90     $   258
Added           5           -
-------------------------------
End        $   95     $   258";
    assert_eq!(tables_of(sketch), "^Year | ^Names | ^Works\nBegin | $ 90 | $ 258\nAdded | 5 | -\nEnd | $ 95 | $ 258");
}

#[test]
fn labels_beside_rules_below_the_values_alone_belong_to_the_table() {
    let sketch = "
                              2022      2021
*Current
Annual leave                 1,248       828
Remuneration                   887     1,808
                            ----------------
                             2,135     2,636

Long service                   258       232
                            ----------------
                             2,393     2,868
                            ----------------";
    let found = tables_of(sketch);
    assert!(found.contains("Annual leave | 1,248 | 828\nRemuneration | 887 | 1,808\n | 2,135 | 2,636"), "{found}");
    assert!(found.contains("Long service | 258 | 232\n | 2,393 | 2,868"), "{found}");
}

#[test]
fn labels_that_look_like_lines_of_prose_belong_to_the_values_on_their_baselines() {
    let sketch = "
Receipts from the customers of all of the houses    1,248       828
Wages of the workers, and bills of the suppliers      887         -
Repayments of loans to all banks of the country       300       120
                                                   ----------------
                                                    2,435       948

Money that all of these banks have paid to us         258       110
                                                   ----------------
                                                    2,693     1,058
                                                   ----------------";
    let found = tables_of(sketch);
    assert!(found.contains("Repayments of loans to all banks of the country | 300 | 120"), "{found}");
    // The lines of a column of prose have baselines of their own.
    let mut shifted = page(sketch);
    shifted.words.iter_mut().filter(|word| word.bounds.x0 < 350.0).for_each(|word| word.baseline += 2.0);
    let tables = find_tables(&shifted);
    assert!(!tables.iter().flat_map(|table| &table.cells).any(|cell| cell.text.contains("Repayments")), "{tables:?}");
}

#[test]
fn a_currency_far_from_its_value_is_in_its_cell() {
    let sketch = "
----------------------------------
Item            2022        2021
----------------------------------
Revenue     $  1,178 $     1,141
Costs            423        (532)
Total       $    755 $       609
----------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Item | ^2022 | ^2021\nRevenue | $ 1,178 | $ 1,141\nCosts | 423 | (532)\nTotal | $ 755 | $ 609"
    );
}

#[test]
fn signs_in_drawn_cells_of_their_own_join_their_values() {
    let sketch = "
----------------------------------
| Item    |   | 2022  | Share |   |
----------------------------------
| Revenue | $ | 1,178 |     5 | % |
----------------------------------
| Costs   | $ | 423   |     3 | % |
----------------------------------";
    assert_eq!(tables_of(sketch), "^Item | ^2022 | ^Share\nRevenue | $ 1,178 | 5 %\nCosts | $ 423 | 3 %");
}

#[test]
fn rules_between_groups_of_rows_keep_rows_apart() {
    let sketch = "
-------------------------
Town        Red    Blue
-------------------------
Oakham       12     3.5
Selkirk       4    12.0
Losses of:
Brinkley      7     1.5
-------------------------
Denholm       8     2.5
Kelso         9     4.5
-------------------------
Total        40    24.0
-------------------------";
    let found = tables_of(sketch);
    assert!(found.contains("Selkirk | 4 | 12.0\nLosses of: |  | \nBrinkley | 7 | 1.5"), "{found}");
}

#[test]
fn a_line_of_values_between_the_lines_of_its_label_is_one_row() {
    let sketch = "
---------------------------------
Source         Tokens      Bytes
---------------------------------
Web pages         3.7       21.3
---------------------------------";
    let mut page = page(sketch);
    let mut y = 170.0;
    for (label, rest, tokens, bytes) in
        [("Code", "from forges", "8.3", "4.5"), ("Papers", "from servers", "5.8", "4.1")]
    {
        page.words.push(word(label, 60.0, y));
        page.words.push(word(tokens, 168.0, y + 4.5));
        page.words.push(word(bytes, 234.0, y + 4.5));
        page.words.extend(rest.split(' ').scan(66.0, |x, text| {
            let at = *x;
            *x += 6.0 * as_f32(text.len()) + 6.0;
            Some(word(text, at, y + 9.0))
        }));
        y += 25.0;
    }
    page.rules.push(rule(60.0, y, 258.0, y + 0.5));
    let found = shapes(&page);
    assert_eq!(
        found,
        "^Source | ^Tokens | ^Bytes\nWeb pages | 3.7 | 21.3\nCode from forges | 8.3 | 4.5\nPapers from servers | 5.8 | 4.1"
    );
}

#[test]
fn a_bracket_that_closes_stands_at_its_value() {
    let sketch = "
-----------------------------
Item         2023      2024
-----------------------------
Sales         120       130
Other       ( 58 )       64
Change     ( 4.1 )%      12
-----------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Item | ^2023 | ^2024\nSales | 120 | 130\nOther | ( 58) | 64\nChange | ( 4.1)% | 12"
    );
}

#[test]
fn labels_stand_beside_values_above_rules() {
    let form = "
Name of patient     Margaret Holloway
                    ------------------
Date of birth       12 May 1961
                    ------------------
Physician           Dr. A. Osei
                    ------------------
Ward                Surgery
                    ------------------";
    assert_eq!(
        half_tables_of(form),
        "^Name of patient | ^Margaret Holloway\nDate of birth | 12 May 1961\nPhysician | Dr. A. Osei\nWard | Surgery"
    );
    assert_eq!(half_tables_of(&form.replace("Physician", "         ")), "");
}

#[test]
fn a_value_that_goes_on_in_brackets_below_is_no_row() {
    let sketch = "
----------------------------
| Town     | Low   | High  |
----------------------------
| Oakham   | 0.17  | 0.31  |
|          | (0.13 | (0.21 |
|          | 0.22) | 0.41) |
----------------------------
| Selkirk  | 0.28  | 0.52  |
|          | (0.25 | (0.46 |
|          | 0.31) | 0.59) |
----------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Town | ^Low | ^High\nOakham | 0.17 (0.13 0.22) | 0.31 (0.21 0.41)\n\
         Selkirk | 0.28 (0.25 0.31) | 0.52 (0.46 0.59)"
    );
}

#[test]
fn a_line_that_begins_with_a_sign_of_equality_is_no_row() {
    let sketch = "
-------------------------------
Function  Size      Red    Blue
-------------------------------
Linear    a = 3, k  0.05  0.237
          = 32
          a = 5, k  0.09  0.248
          = 128
Square    a = 7, k  0.04  0.253
          = 64
-------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Function | ^Size | ^Red | ^Blue\n1x2 Linear | a = 3, k = 32 | 0.05 | 0.237\n\
         a = 5, k = 128 | 0.09 | 0.248\nSquare | a = 7, k = 64 | 0.04 | 0.253"
    );
}

#[test]
fn a_value_as_near_as_a_word_stands_in_its_column() {
    let sketch = "
----------------------------------
Name           Count    Tours
----------------------------------
Jaromir        29,375     452
Chess Synchros 48,065   1,821
Chess          1,936       54
All            379,284  4,816
----------------------------------";
    let mut page = page(sketch);
    // Gaps of .3 em within the name and .25 em after it.
    for (at, left) in [(90.0, 3.0), (146.0, 3.5)] {
        for word in page.words.iter_mut().filter(|word| word.bounds.x0 > at) {
            (word.bounds.x0, word.bounds.x1) = (word.bounds.x0 - left, word.bounds.x1 - left);
        }
    }
    let found = shapes(&page);
    assert!(found.contains("Chess Synchros | 48,065 | 1,821"), "{found}");
}

#[test]
fn two_columns_of_prose_between_a_table_and_a_rule_below_are_no_rows() {
    let rows = "
--------------------------------------------------------------------
Name                              Folds                       Leaves
--------------------------------------------------------------------
Folio                                 1                            2
Quarto                                2                            4
--------------------------------------------------------------------";
    let prose = "
The text of a page goes on below    It is set in larger type than the
the table, and it has two of the    table, so that none of its lines is
columns that the whole paper has    a row, and a rule stands below all
with a line of white between them   of it, where the foot of a page is
--------------------------------------------------------------------";
    let mut page = page(&format!("{rows}{prose}"));
    for word in page.words.iter_mut().filter(|word| word.baseline > 192.0) {
        word.size = 11.5;
    }
    assert_eq!(shapes(&page), tables_of(rows));
    assert_eq!(shapes(&page).lines().count(), 3);
}

#[test]
fn text_that_goes_on_below_a_row_of_values_is_no_row() {
    let sketch = "
------------------------------------------------
| Count | Part    | Description        | Price |
------------------------------------------------
| 60    | KVR-16  | A module of memory | 35.00 |
|       |         | 1600MHZ CL11 1.35V |       |
| 30    | KVR-21  | Another module     | 68.00 |
|       |         | No check of errors |       |
|       |         | Single sided       |       |
| 10    | HXF-42  | A pair of modules  | 66.00 |
|       |         | In one box         |       |
------------------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Count | ^Part | ^Description | ^Price\n60 | KVR-16 | A module of memory 1600MHZ CL11 1.35V | 35.00\n\
         30 | KVR-21 | Another module No check of errors Single sided | 68.00\n\
         10 | HXF-42 | A pair of modules In one box | 66.00"
    );
}

#[test]
fn a_label_at_the_middle_of_a_drawn_row_covers_the_rows_beside_it() {
    let sketch = "
-----------------------------------
| Layers |  Code  |  Score | Time  |

-----------------------------------
|        |  One   |  0.965 | 2.73  |
|   6    |        |        |       |
|        |  Two   |  0.969 | 5.39  |
-----------------------------------
|        |  One   |  0.938 | 1.97  |
|   4    |        |        |       |
|        |  Two   |  0.952 | 3.77  |
-----------------------------------";
    assert_eq!(
        half_tables_of(sketch),
        "^Layers | ^Code | ^Score | ^Time\n1x2 6 | One | 0.965 | 2.73\nTwo | 0.969 | 5.39\n\
         1x2 4 | One | 0.938 | 1.97\nTwo | 0.952 | 3.77"
    );
}

#[test]
fn a_sum_below_the_last_rule_may_be_indented() {
    let found = tables_of(
        "
------------------------------
Place        Voters      Cast
------------------------------
North           120        87
  By mail        20         9
South           310       204
  By mail        50        17
------------------------------
  All           500       317",
    );
    assert_eq!(found.lines().last(), Some("All | 500 | 317"));
}

#[test]
fn a_label_that_goes_on_below_the_last_rule_belongs_to_its_row() {
    let sketch = "
-------------------------------------
Product               Code     Price
-------------------------------------
A kit of one          AB-1     288.00

-------------------------------------
A kit of two          AB-2     288.00

-------------------------------------
Set of small sheets   AB-3     360.00
parts
";
    let last = "Set of small sheets parts | AB-3 | 360.00";
    for sketch in [sketch.to_owned(), sketch.replace("parts", "Parts")] {
        assert!(tables_of(&sketch).to_lowercase().ends_with(&last.to_lowercase()), "{}", tables_of(&sketch));
    }
    assert!(!tables_of(&sketch.replace("parts", "A kit of parts for all sheets")).contains("for all"));
}

#[test]
fn a_paragraph_between_rules_below_a_table_is_no_row() {
    let rule = "-".repeat(84);
    let sketch = format!(
        "{rule}
Town                    Red              Blue
{rule}
Oakham                   12                34
{rule}
    Revenue in the north has risen to a sum above all that was known so far and it
was found that the harbours and the rivers had a part in it that nobody had foreseen
{rule}"
    );
    assert_eq!(tables_of(&sketch), "^Town | ^Red | ^Blue\nOakham | 12 | 34");
}

#[test]
fn a_word_in_a_column_of_values_begins_a_row() {
    let sketch = "
---------------------------------
Method    Setting         Value
---------------------------------
first     learning rate   0.1
          momentum        0.9

second    size of group   10
          way to select   best
          way to cross    exp

third     learning rate   0.2
          momentum        0.8
---------------------------------";
    let found = tables_of(sketch);
    assert!(found.contains("second | size of group | 10\nway to select | best\nway to cross | exp\n"), "{found}");
}

#[test]
fn several_values_beside_a_text_that_goes_on_are_those_of_one_drawn_row() {
    let grid = |source: &str| {
        format!(
            "
------------------------------------
| Town         | Code  | Source    |
------------------------------------
| The town of  | 1-017 | Letters   |
| Oakham       | 1-380 | {source:9} |
| in Rutland   |       |           |
------------------------------------
| The town of  | 1-103 | Diaries   |
| Selkirk      |       |           |
------------------------------------
| Kelso        | 1-104 | Diaries   |
------------------------------------
| Denholm      | 1-105 | Letters   |
------------------------------------"
        )
    };
    let found = tables_of(&grid(""));
    assert!(found.contains("\nThe town of Oakham in Rutland | 1-017 1-380 | Letters\n"), "{found}");
    // What stands on both lines is about two values.
    let found = tables_of(&grid("Letters"));
    assert!(found.contains("\nThe town of | 1-017 | Letters\nOakham in Rutland | 1-380 | Letters"), "{found}");
}

#[test]
fn labels_at_the_left_of_a_grid_of_values_belong_to_its_rows() {
    let sketch = "
               ----------------
Costs          | Count | Sum  |
               ----------------
Material       |       |      |
               ----------------
Parts          |   1   | 20.1 |
               ----------------
All costs      |   1   | 20.1 |
               ----------------";
    let rows = "^Costs | ^Count | ^Sum\nMaterial |  | \nParts | 1 | 20.1\nAll costs | 1 | 20.1";
    assert_eq!(tables_of(sketch), rows);
    let worded = sketch.replace("|   1   | 20.1 |", "| Folio | none |");
    assert!(!tables_of(&worded).contains("Costs"), "a grid of words has its own labels");
    assert!(!tables_of(&sketch.replace("Material", "        ")).contains("Costs"), "a row without a label");
    assert!(!tables_of(&sketch.replace("Parts  ", "Parts 3")).contains("Parts 3 | 1 | 1"));
}

#[test]
fn rows_that_fill_all_columns_stay_apart_between_rules() {
    let group = |name: &str| {
        format!("Case           {name}\nKey            river\nTop Feature    F1 number\nLong Concept   Place here\n")
    };
    let rule = "-".repeat(25);
    let groups: Vec<String> = ["one", "two", "six"].into_iter().map(|name| group(name) + &rule).collect();
    let sketch = format!("{rule}\nField          Text\n{rule}\n{}", groups.join("\n"));
    assert_eq!(tables_of(&sketch).lines().count(), 13, "{}", tables_of(&sketch));
}

#[test]
fn rows_that_are_shaded_column_by_column_are_those_of_one_table() {
    let sketch = "
                         2023        2022        2021

Net income        $     1,240  $    1,254  $    1,210
Other income                3          43           1
Net costs of goods      1,100       1,000         900
Other costs                20          30          40
Sum of all              1,363       1,297       1,211

The next table says what was sold each year:

                         2023        2022        2021

Net sales         $       240  $      254  $      210
Other sales                 3           4           1
Net rents                 100         100          90
Other rents                20          30          40
Sum of all                363         388         341";
    let mut page = statements(sketch, &[[60.0, 162.0], [166.0, 240.0], [244.0, 312.0], [316.0, 384.0]]);
    let heads = |page: &mut PageLayout, size: f32| {
        for own in page.words.iter_mut().filter(|own| matches!(own.text.as_str(), "2023" | "2022" | "2021")) {
            own.size = size;
        }
    };
    heads(&mut page, 8.5);
    let found = shapes(&page);
    let first = "^ | ^2023 | ^2022 | ^2021\nNet income | $ 1,240 | $ 1,254 | $ 1,210\n";
    let second = "\n\n^ | ^2023 | ^2022 | ^2021\nNet sales | $ 240 | $ 254 | $ 210\n";
    assert!(found.starts_with(first) && found.contains(second), "{found}");
}

#[test]
fn a_paragraph_apart_from_the_rows_above_it_ends_their_table() {
    let sketch = "
Year      Three     Five      Seven
1         33.00     20.00     14.29
2         44.45     32.00     24.49
3         14.81     19.20     17.49
4                   11.52     12.49
5                   11.52      8.93
6                    5.76      8.93
7                              8.93

Suppose that a business just bought goods
which fall into the class of three years, so
that its tax would be:

Year      Share     Basis     Used     Sum
1         .1667     1000      166      166
2         .3333     1000      333      500";
    let mut sketched = page(sketch);
    for row in [0_u8, 13] {
        let y0 = 98.0 + HEIGHT * f32::from(row);
        let bounds = Bounds { x0: 58.0, y0, x1: 330.0, y1: y0 + 16.0 };
        sketched.fills.push(Fill { bounds, color: [220; 3] });
    }
    assert_eq!(
        shapes(&sketched),
        "^Year | ^Three | ^Five | ^Seven\n1 | 33.00 | 20.00 | 14.29\n2 | 44.45 | 32.00 | 24.49\n\
         3 | 14.81 | 19.20 | 17.49\n4 |  | 11.52 | 12.49\n5 |  | 11.52 | 8.93\n6 |  | 5.76 | 8.93\n7 |  |  | 8.93\n\n^Year | ^Share | ^Basis | ^Used | ^Sum\n\
         1 | .1667 | 1000 | 166 | 166\n2 | .3333 | 1000 | 333 | 500"
    );
}

#[test]
fn a_currency_close_behind_its_value_is_in_its_cell() {
    let sketch = "
------------------------------
Name   Income    Age   Height
------------------------------
Red    4.000 £   34    167
White  2.000 £   24    180
------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Name | ^Income | ^Age | ^Height\nRed | 4.000 £ | 34 | 167\nWhite | 2.000 £ | 24 | 180"
    );
}

#[test]
fn hanging_lines_go_on_in_their_cells() {
    let sketch = "
--------------------------------------
Name of survey          Sponsor
--------------------------------------
Survey of the northern  Oakhamshire
  Harbours                Rivers
Survey of the rivers    Selkirk
Long survey of all the  Selkirk
  Gardens
Survey of towns         Selkirk
--------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Name of survey | ^Sponsor\nSurvey of the northern Harbours | Oakhamshire Rivers\nSurvey of the rivers | Selkirk\n\
         Long survey of all the Gardens | Selkirk\nSurvey of towns | Selkirk"
    );
}

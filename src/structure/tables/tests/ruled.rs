//! Tables with rules.

use super::{FOLDS, HEIGHT, as_f32, empty_page, find_tables, half_tables_of, page, rule, shapes, tables_of, word};
use pagewise_text::{Bounds, Fill, PageLayout, Script, Word};

#[test]
fn a_full_grid_gives_its_cells() {
    let sketch = "
----------------------
| Name   |  2010     |
----------------------
| Alpha  |  wide     |
|        |  text     |
----------------------
| Beta   |  7        |
----------------------";
    assert_eq!(tables_of(sketch), "^Name | ^2010\nAlpha | wide text\nBeta | 7");
}

#[test]
fn white_space_between_boxes_divides_tables() {
    let sketch = "
----------------------
Order       2022-89
----------------------
Date        28
----------------------



----------------------
Item  Count   Price
----------------------
Page      1   12.50
Proof     2    3.00
----------------------";
    assert_eq!(
        tables_of(sketch),
        "^Order | ^2022-89\nDate | 28\n\n^Item | ^Count | ^Price\nPage | 1 | 12.50\nProof | 2 | 3.00"
    );
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
fn captions_and_notes_between_rules_of_one_width_divide_tables() {
    let sketch = "
----------------------------
Table 1. Sheets
----------------------------
Name         Folds    Leaves
----------------------------
Folio            1         2
Quarto           2         4
----------------------------
A leaf has two pages.
          Table 2: Formats
----------------------------
Name        Height     Width
----------------------------
Part 1
----------------------------
Folio          483       305
Quarto         305       241
----------------------------";
    let found = tables_of(sketch);
    let sheets = "^Name | ^Folds | ^Leaves\nFolio | 1 | 2\nQuarto | 2 | 4";
    assert_eq!(
        found,
        format!("{sheets}\n\n^Name | ^Height | ^Width\nPart 1 |  | \nFolio | 483 | 305\nQuarto | 305 | 241")
    );
}

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
fn a_missing_rule_makes_a_cell_span() {
    let sketch = "
---------------------------
| Name  |  Both           |
-       -------------------
|       |  one   |  two   |
---------------------------
| Alpha |  1     |  2     |
---------------------------";
    assert_eq!(tables_of(sketch), "^1x2 Name | ^2x1 Both\n^one | ^two\nAlpha | 1 | 2");
}

#[test]
fn three_rules_make_a_table_with_a_head() {
    let sketch = "
-------------------------------
Town       Red      Blue  Green
-------------------------------
Oakham      12       3.5      -
Selkirk      4      12.0     88
-------------------------------";
    assert_eq!(tables_of(sketch), "^Town | ^Red | ^Blue | ^Green\nOakham | 12 | 3.5 | -\nSelkirk | 4 | 12.0 | 88");
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
fn a_head_above_the_first_rule_belongs_to_the_table() {
    let sketch = "
Town       Red      Blue  Green
-------------------------------
Oakham      12       3.5      -
Selkirk      4      12.0     88
-------------------------------";
    assert_eq!(tables_of(sketch), "^Town | ^Red | ^Blue | ^Green\nOakham | 12 | 3.5 | -\nSelkirk | 4 | 12.0 | 88");
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
fn bounds_are_those_of_the_text() {
    let tables = find_tables(&page(
        "
------------------
| Name  |  Count |
------------------
| Alpha |  1     |
------------------",
    ));
    let bounds: Vec<[f32; 4]> = tables.iter().map(|table| table.bounds.edges()).collect();
    assert_eq!(bounds, [[72.0, 116.0, 156.0, 154.0]]);
    assert!(tables.iter().all(|table| table.is_certain));
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
fn text_over_text_stays_apart_and_is_not_certain() {
    let sketch = "
-----------------------------------------------
Date      Particulars           Debit   Balance
-----------------------------------------------
01-Apr    Opening balance           0       100
02-Apr    Bill                     26        74
03-Apr    Another bill              4        70
-----------------------------------------------";
    let mut page = page(sketch);
    let long = |at: u16| super::word("99,98,97", 60.0 + 6.0 * (15.0 + 9.0 * f32::from(at)), 100.0 + 14.0 * 5.0);
    let at = page.words.iter().position(|word| word.text == "Bill").map_or(0, |at| at + 1);
    page.words.splice(at..at, (0..3).map(long));
    let tables = find_tables(&page);
    let texts: Vec<&str> = tables.iter().flat_map(|table| &table.cells).map(|cell| cell.text.as_str()).collect();
    assert!(tables.len() == 1 && texts.contains(&"26") && texts.contains(&"74"), "{tables:?}");
    assert!(tables.iter().all(|table| !table.is_certain));
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
fn columns_as_close_as_words_are_told_by_the_white_space_that_no_line_crosses() {
    let sketch = "
----------------------------------
Item        Value     Remark
----------------------------------
Centre line 775 nm    selection
Whole width 12 pm     not drift
Second mode 80 MHz    negligible
Third modes 9 GHz     too wide
----------------------------------";
    let mut page = page(sketch);
    // Gaps of .4 em, a little wider than those of the words beside them.
    for word in page.words.iter_mut().filter(|word| word.bounds.x0 >= 60.0 + 6.0 * 12.0) {
        (word.bounds.x0, word.bounds.x1) = (word.bounds.x0 - 2.0, word.bounds.x1 - 2.0);
    }
    let found = shapes(&page);
    assert!(found.contains("Second mode | 80 MHz | negligible"), "{found}");
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
fn a_table_says_what_divides_its_columns() {
    use crate::tables::ColumnsBy;
    let columns_by = |sketch: &str| find_tables(&page(sketch)).first().map(|table| table.columns_by);
    let rows = "Name      Count\n---------------\nOakham       12\nSelkirk       4\nKelso         7\n";
    assert_eq!(columns_by(&format!("---------------\n{rows}---------------")), Some(ColumnsBy::RuledSpace));
    let grid = "------------------\n| Name  |  Count |\n------------------\n| Alpha |  1     |\n------------------";
    assert_eq!(columns_by(grid), Some(ColumnsBy::Lines));
    let bare = "Name      Count   Price\nOakham       12    3.40\nSelkirk       4    1.00\nKelso         7    2.20";
    assert_eq!(columns_by(bare), Some(ColumnsBy::Space));
}

#[test]
fn a_frame_without_the_borders_of_its_columns_is_read_by_its_white_space() {
    let sketch = "
--------------------------------
| Work    |  Hours  Rate  Cost |
--------------------------------
| Body    |      2   150   300 |
--------------------------------
| Paint   |      1   150   150 |
--------------------------------
| Polish  |      3   100   300 |
--------------------------------";
    let found = tables_of(sketch);
    let rows = "^Work | ^Hours | ^Rate | ^Cost\nBody | 2 | 150 | 300\nPaint | 1 | 150 | 150\nPolish | 3 | 100 | 300";
    assert_eq!(found, rows);
}

#[test]
fn columns_of_prose_between_rules_are_no_table() {
    let sketch = "
---------------------------------------------------------
we have made this year a         so that the people who
good one for all of those        read it may know what it
who work here, and this is       was that we did with all
what we want to say about        of the time that we had
it in the letter that you        before the end of a year
---------------------------------------------------------";
    assert_eq!(tables_of(sketch), "");
}

#[test]
fn borders_that_run_through_lines_are_no_grid() {
    let sketch = "
--------------------------------
From the chair
--------------------------------
We remain committed to the plan
and have refined each of its aims
as a strength of all that we do
and of those who work for it now
--------------------------------";
    let mut page = page(sketch);
    page.words.iter_mut().for_each(|word| word.bounds.x1 += 3.0);
    page.rules.extend([60.0, 156.0, 252.0].map(|x| rule(x, 107.0, x + 0.5, 197.0)));
    assert!(find_tables(&page).is_empty());
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
fn a_rule_far_above_a_table_is_none_of_its_rules() {
    let sketch = "
------------------------------
Alpha House
1 Long Street




           Beta Lane
------------------------------
Item  Count              Price
------------------------------
Page      1              12.50
Proof     2               3.00
------------------------------";
    assert_eq!(tables_of(sketch), "^Item | ^Count | ^Price\nPage | 1 | 12.50\nProof | 2 | 3.00");
}

#[test]
fn lists_and_prose_in_columns_between_rules_are_no_table() {
    let sketch = "
-----------------------------------------------------------
• What is a book and of what     The team that wrote it had
parts is it made up by us        the time it takes for it
• Which of them are to be        • Who is in it now
read by all of us at once        • What is the part of all
• What they cost to make and     of them in what was done
to keep for the long years       • How the work was shared
• Who can read them now          among all of its members
• Who will read what we do       • What they learned of all
in all of the later years        that and of what is next
-----------------------------------------------------------";
    assert_eq!(tables_of(sketch), "");
}

#[test]
fn two_lines_of_a_sentence_with_wide_spaces_are_no_table() {
    let sketch = "
------------------------------------------
of books   readers    had  seen  under a
long       process    that takes part,
------------------------------------------";
    assert_eq!(tables_of(sketch), "");
}

#[test]
fn a_watermark_belongs_to_no_table_and_ends_none() {
    let mut page = page(FOLDS);
    let expected = shapes(&page);
    assert!(expected.contains("Quarto"));
    let mark = Word { turn: 315, size: 60.0, ..word("DRAFT", 100.0, 140.0) };
    page.words.push(mark);
    assert_eq!(shapes(&page), expected);
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
------------------------------------
";
    let rows = "^Name | ^Folds | ^Leaves\nFolio | 1 | 2\nQuarto and so on... | 2 | 4\nOctavo . . . | 3 | 8";
    assert_eq!(tables_of(sketch), rows);
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
fn a_mark_that_is_drawn_apart_from_its_line_stays_with_its_word() {
    let mut page = page(FOLDS);
    let at = page.words.iter().position(|word| word.text == "Quarto").unwrap_or_default();
    let mark = page.words.get(at).map(|word| {
        let bounds =
            Bounds { x0: word.bounds.x1, x1: word.bounds.x1 + 4.0, y0: word.bounds.y0 - 1.0, y1: word.bounds.y0 + 5.0 };
        Word {
            text: "*".to_owned(),
            bounds,
            baseline: word.baseline - 4.0,
            size: 6.0,
            is_spaced: false,
            ..word.clone()
        }
    });
    page.words.splice(at + 1..at + 1, mark);
    let tables = find_tables(&page);
    assert!(tables.iter().flat_map(|table| &table.cells).any(|cell| cell.text == "Quarto*"), "{tables:?}");
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
fn exponents_in_cells_are_no_digits_of_the_number_before() {
    for (script, text) in [(Script::Raised, "4¹²"), (Script::Lowered, "4₁₂")] {
        let mut page = page(FOLDS);
        let raised = page.words.last().map(|word| {
            let bounds = Bounds { x0: word.bounds.x1, x1: word.bounds.x1 + 7.0, ..word.bounds };
            Word { text: "12".to_owned(), bounds, size: 6.0, script, is_spaced: false, ..word.clone() }
        });
        page.words.extend(raised);
        let tables = find_tables(&page);
        let last = tables.first().and_then(|table| table.cells.last());
        assert_eq!(last.map(|cell| cell.text.as_str()), Some(text));
    }
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
fn boxes_with_many_lines_each_are_no_table() {
    let sheet = |lines: usize| {
        let border = "---------------------------------------------";
        let rows = [
            "| The folds of the sheet | are cut by hand    |\n",
            "| lie flat, as pages do  | when none is bound |\n",
            "| until somebody reads   | in them at length  |\n",
        ];
        let box_row: String = rows.into_iter().cycle().take(lines).collect();
        let mut page = page(&format!("\n{border}\n{box_row}{border}\n{box_row}{border}"));
        // Each page has lines of its own.
        for word in page.words.iter_mut().filter(|word| word.bounds.x0 > 150.0) {
            (word.bounds, word.baseline) = (word.bounds.moved([0.0, 5.0]), word.baseline + 5.0);
        }
        shapes(&page)
    };
    assert!(sheet(3).contains(" | "), "cells of three lines");
    assert_eq!(sheet(12), "");
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
fn white_space_beside_the_rules_of_one_width_divides_tables() {
    let first = "
----------------------------
Name         Folds    Leaves
----------------------------
Folio            1         2
Quarto           2         4
";
    let second = "
Sheet        Count     Price
----------------------------
Page             1     12.50
Proof            2      3.00
----------------------------
";
    let line = "-".repeat(28);
    let found = "^Name | ^Folds | ^Leaves\nFolio | 1 | 2\nQuarto | 2 | 4\n\n\
                 ^Sheet | ^Count | ^Price\nPage | 1 | 12.50\nProof | 2 | 3.00";
    assert_eq!(tables_of(&format!("{first}{line}\n\n\n\n{second}")), found);
    assert_eq!(tables_of(&format!("{first}\n\n\n{line}{second}")), found);
    // A side that goes on through it is that of one frame.
    let mut page = page(&format!("{first}\n\n\n{line}{second}"));
    page.rules.push(rule(60.0, 107.0, 60.5, 290.0));
    assert_ne!(shapes(&page), found);
}

#[test]
fn a_short_paragraph_between_the_rules_of_two_tables_divides_them() {
    let table = |rows: &str| {
        let rule = "-".repeat(34);
        format!("{rule}\nName         Folds          Leaves\n{rule}\n{rows}\n{rule}\n")
    };
    let (first, second) = (table("Folio            1               2"), table("Quarto           2               4"));
    let found = tables_of(&format!("{first}   Sheets are folded for the\nbinder.\n{second}"));
    assert_eq!(found, "^Name | ^Folds | ^Leaves\nFolio | 1 | 2\n\n^Name | ^Folds | ^Leaves\nQuarto | 2 | 4");
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
fn drawn_cells_below_a_bold_head_are_a_table_of_one_column() {
    let sketch = |head: &str| {
        let row = |text: &str| format!("|  {text:<18}  |\n------------------------\n");
        let rows: String = [head, "Recycling at home", "Circular economy", "Social enterprise"].map(row).concat();
        tables_of(&format!("------------------------\n{rows}"))
    };
    assert_eq!(sketch("*Framework*"), "^Framework\nRecycling at home\nCircular economy\nSocial enterprise");
    assert_eq!(sketch("Framework"), "");
}

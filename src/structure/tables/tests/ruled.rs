//! Tables with rules.

use super::{FOLDS, find_tables, page, rule, shapes, tables_of, word};
use pagewise_text::{Bounds, Fill, Script, Word};

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
fn cells_that_begin_again_together_are_rows() {
    let sketch = "
----------------------------------------------------
| Counter   | Type       | Place      | Limit      |
----------------------------------------------------
| First one | Needed for | Receiving  | Set by     |
| of them   | all known  | side       | the maker  |
|           | modes      |            |            |
| Second    | Needed for | Sending    | Set by     |
| one       | all known  | side       | the maker  |
|           | modes      |            |            |
| Third     | Optional   | Sending    | Set by     |
| one       |            | side       | the maker  |
----------------------------------------------------";
    assert_eq!(
        tables_of(sketch),
        "^Counter | ^Type | ^Place | ^Limit\nFirst one of them | Needed for all known modes | Receiving side | \
         Set by the maker\nSecond one | Needed for all known modes | Sending side | Set by the maker\n\
         Third one | Optional | Sending side | Set by the maker"
    );
}

#[test]
fn a_thick_rule_ends_a_row() {
    let mut page = page(
        "
-----------------
| Name  | Folds |

| Folio | 1     |
-----------------
| Octav | 8     |
-----------------",
    );
    let borders = || page.rules.iter().filter(|rule| !rule.is_horizontal).map(|rule| rule.bounds.x0);
    let (x0, x1) = (borders().fold(f32::MAX, f32::min), borders().fold(f32::MIN, f32::max));
    page.fills.push(Fill { bounds: Bounds { x0, y0: 134.0, x1, y1: 136.5 }, color: [180, 0, 60] });
    assert_eq!(shapes(&page), "^Name | ^Folds\nFolio | 1\nOctav | 8");
}

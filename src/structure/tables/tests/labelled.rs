//! Tables between rules below a label.

use super::{as_f32, page, shapes, tables_of, word};
use crate::tables::find_tables;
use pagewise_text::{Bounds, Word};

#[test]
fn the_rows_of_a_template_are_labels() {
    let template = "
Table 1 Quality of life
-----------------------------------------
Outcome           Study     Control     P
-----------------------------------------
Physical
Social
Emotional
-----------------------------------------";
    let rows = "^Outcome | ^Study | ^Control | ^P\nPhysical |  |  | \nSocial |  |  | \nEmotional |  |  | ";
    assert_eq!(tables_of(template), rows);
    assert_eq!(tables_of(&template.replace("Table 1", "Some of")), "");
}

#[test]
fn lists_are_cells_beside_their_labels() {
    let found = tables_of(
        "
Table 2 Ways of work
--------------------------------------------------------------
Aim               Way
--------------------------------------------------------------
Keep people safe  • Written consent sent by the post to each
                  home
                  • No visits, and no tests in a laboratory
Watch their lives • Calls by the people of the trial to find
                  out what was felt
--------------------------------------------------------------",
    );
    assert_eq!(
        found,
        "^Aim | ^Way\nKeep people safe | • Written consent sent by the post to each home • No visits, and no tests in a \
         laboratory\nWatch their lives | • Calls by the people of the trial to find out what was felt"
    );
}

#[test]
fn cells_that_fill_their_columns_go_on_on_the_next_line() {
    let found = tables_of(
        "
Table 1 Goals of the trial
-----------------------------------------------------------------------
Goal                      Fair                     Refused
-----------------------------------------------------------------------
Target: all of the dose   Bulk: all of the dose    1. Limits of the
prescribed for each       prescribed for each      Second file
                                                   2. Less than fair
-----------------------------------------------------------------------",
    );
    assert_eq!(
        found,
        "^Goal | ^Fair | ^Refused\nTarget: all of the dose prescribed for each | \
         Bulk: all of the dose prescribed for each | 1. Limits of the Second file 2. Less than fair"
    );
}

#[test]
fn a_justified_caption_below_its_label_is_no_row() {
    let found = tables_of(
        "
-----------------------------------------
Table 1
Protocol   of   the   care   before   the
operation.
-----------------------------------------
Drug         Dose          Way        Day
-----------------------------------------
CDDP         80 mg         Drip         1
FU           800 mg        Drip         5
-----------------------------------------",
    );
    assert_eq!(found, "^Drug | ^Dose | ^Way | ^Day\nCDDP | 80 mg | Drip | 1\nFU | 800 mg | Drip | 5");
}

#[test]
fn the_steps_of_an_algorithm_are_no_table() {
    let steps = "
Algorithm 1 Sampling of paths
---------------------------------------------
Inputs: some data       Outputs: the estimate
---------------------------------------------
1:    Sample the states from the first one
2:    Weigh each by the data
3:    end
---------------------------------------------";
    assert_eq!(tables_of(steps), "");
    let aligned = "
Algorithm 2 Weights
------------------------------------------
1:     w = 0           // first weights
2:     b = 0           // no bias
3:     return w        // what was learned
------------------------------------------";
    assert_eq!(tables_of(aligned), "");
    assert_ne!(tables_of(&aligned.replace("Algorithm", "Table")), "");
}

#[test]
fn the_labels_of_a_chart_are_no_table() {
    let chart = "
Figure 1 Spread of yields
---------------------------------------
        Yield        Spread
---------------------------------------
90
70
50      Spring                   Summer
30
10
---------------------------------------";
    assert_eq!(tables_of(chart), "");
}

#[test]
fn prose_below_the_last_rule_stands_over_no_columns() {
    let mut page = page(
        "
Table 2 Variables and outcome
------------------------------------------------
Variable        Alive       Expired       Odds
------------------------------------------------
Headache        11          3             0.65
Vomiting        14          8             0.24
------------------------------------------------",
    );
    for (x, text) in [(60.0, "four of the patients had bleeding"), (264.0, "and most others were well again")] {
        page.words.extend((0_u8..).zip(text.split(' ')).map(|(at, text)| word(text, x + 32.0 * f32::from(at), 222.0)));
    }
    let found = find_tables(&page).iter().map(super::shape).collect::<String>();
    assert_eq!(found, "^Variable | ^Alive | ^Expired | ^Odds\nHeadache | 11 | 3 | 0.65\nVomiting | 14 | 8 | 0.24");
}

#[test]
fn heads_stand_below_a_title_over_all_columns() {
    let found = tables_of(
        "
Table 2 Care of nodules
--------------------------------------------
NODULES
--------------------------------------------
Kind          Findings          Care
--------------------------------------------
Benign        • Under 8 mm      One year
              • Solid part
Low risk      • Over 8 mm       Five months
--------------------------------------------",
    );
    assert_eq!(
        found,
        "^3x1 NODULES\n^Kind | ^Findings | ^Care\nBenign | • Under 8 mm • Solid part | One year\n\
         Low risk | • Over 8 mm | Five months"
    );
}

#[test]
fn a_sentence_between_the_last_rules_is_a_note() {
    let found = tables_of(
        "
----------------------------------------------------------------
Time          Before          After           One year later
----------------------------------------------------------------
Consent       X               -               -
Allocation    -               X               X
----------------------------------------------------------------
*Recurrence is found by a visit that no one had planned before.
----------------------------------------------------------------",
    );
    assert_eq!(found, "^Time | ^Before | ^After | ^One year later\nConsent | X | - | -\nAllocation | - | X | X");
}

#[test]
fn contents_are_no_table_below_an_entry_that_reads_like_a_label() {
    let contents = "
Creatures 6
----------------------------
Folio all                 6
----------------------------
Quarto                    7
----------------------------
Octavo                    8
----------------------------
Quire                     9
----------------------------
Sheet                    10
----------------------------";
    assert_eq!(tables_of(contents), "");
    assert!(tables_of(&contents.replace("10", " 2")).ends_with("Sheet | 2"));
}

const PARTS: &str = "
Table 1 Ratings
-------------------------------------
Trait             Class       Rating
-------------------------------------
                  Source
Soil test         free        0.6 x S
Manure            free        0.4 x M
                  Transport
Erosion           low         0
                  high        0.5
Runoff            low         0.1
                  high        1.0
-------------------------------------";

#[test]
fn a_rule_below_the_heads_of_all_columns_ends_the_head() {
    let found = tables_of(PARTS);
    assert!(found.starts_with("^Trait | ^Class | ^Rating\n | Source | \nSoil test | free | 0.6 x S\n"), "{found}");
}

#[test]
fn running_lines_of_a_page_on_its_side_and_stamps_tell_no_chart() {
    let mut beside = page(PARTS);
    for (at, text) in ["Reports", "on", "land", "use", "12"].into_iter().enumerate() {
        let bounds = Bounds { x0: 30.0, y0: 110.0 + 30.0 * as_f32(at), x1: 41.0, y1: 135.0 + 30.0 * as_f32(at) };
        beside.words.push(Word { bounds, turn: 90, ..word(text, 0.0, 0.0) });
    }
    assert_eq!(shapes(&beside), shapes(&page(PARTS)));
    for own in beside.words.iter_mut().filter(|own| own.turn == 90) {
        own.bounds = own.bounds.moved([12.0, 0.0]);
    }
    assert_eq!(shapes(&beside), "");
}

#[test]
fn bold_heads_as_close_as_words_over_labels_alone_are_a_table_to_fill_in() {
    const RULE: &str = "----------------------------------------";
    let sketch = |head: &str| format!("Table 3. The salts\n{RULE}\n{head}\nPotassium\nSodium\nCalcium\n{RULE}");
    let table = "^Added cation | ^Size and rate\nPotassium | \nSodium | \nCalcium | ";
    assert_eq!(tables_of(&sketch("*Added* *cation*  *Size* *and* *rate*")), table);
    for title in ["Added cation  Size and rate", "*3.*  *Size* *and* *rate*"] {
        assert_eq!(tables_of(&sketch(title)), "", "{title}");
    }
}

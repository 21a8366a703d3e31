//! Tables whose cells stand at the middle of their rows.

use super::half_tables_of;

#[test]
fn lines_between_those_of_other_cells_are_of_their_row() {
    let found = half_tables_of(
        "
*Time*     *Event*                      *Place*


           Registration of all the
Morning                                 Hall
           guests, and coffee


           Why maps lie, and why they   Room 12 or
Noon
           are needed in all states     the garden


Night      Closing remarks              Hall",
    );
    assert_eq!(
        found,
        "^Time | ^Event | ^Place\nMorning | Registration of all the guests, and coffee | Hall\n\
         Noon | Why maps lie, and why they are needed in all states | Room 12 or the garden\n\
         Night | Closing remarks | Hall"
    );
}

#[test]
fn a_label_between_two_rows_covers_both() {
    let found = half_tables_of(
        "
------------------------------------------
*Year*    *Topic*                 *Room*
------------------------------------------

          Introduction to all of
                                  A1
          the old statistics
          --------------------------------
First
          The writing of short
                                  B2
          reports for a board
------------------------------------------

          A history of old
Second                            C3
          measures and scales
------------------------------------------",
    );
    assert_eq!(
        found,
        "^Year | ^Topic | ^Room\n1x2 First | Introduction to all of the old statistics | A1\n\
         The writing of short reports for a board | B2\nSecond | A history of old measures and scales | C3"
    );
}

#[test]
fn the_last_row_may_stand_below_the_last_rule() {
    let found = half_tables_of(
        "
------------------------------------------
*Year*    *Topic*                 *Room*
------------------------------------------

          A history of old
First                             C3
          measures and scales
------------------------------------------

          Introduction to all of
Second                            A1
          the old statistics",
    );
    assert_eq!(
        found,
        "^Year | ^Topic | ^Room\nFirst | A history of old measures and scales | C3\n\
         Second | Introduction to all of the old statistics | A1"
    );
}

#[test]
fn heads_of_several_heights_stand_above_the_first_rule() {
    let found = half_tables_of(
        "
                      Accumulated

                       income and
          Common                     Treasury      Total
                           losses
----------------------------------------------------------

Begin        120               88          -7        201


End          130               90          -8        212
----------------------------------------------------------",
    );
    assert_eq!(
        found,
        "^ | ^Common | ^Accumulated income and losses | ^Treasury | ^Total\n\
         Begin | 120 | 88 | -7 | 201\nEnd | 130 | 90 | -8 | 212"
    );
}

#[test]
fn a_value_between_the_lines_of_its_label_stays_beside_it() {
    let found = half_tables_of(
        "
Item                     2020       2021
-----------------------------------------
Net profit                 12         34

Other comprehensive
                          104        208
income, net of tax

Dividends                  85         77
-----------------------------------------",
    );
    assert_eq!(
        found,
        "^Item | ^2020 | ^2021\nNet profit | 12 | 34\nOther comprehensive income, net of tax | 104 | 208\n\
         Dividends | 85 | 77"
    );
}

//! Tables whose cells stand at the middle of their rows.

use super::{half_tables_of, page, shapes, word};

#[test]
fn lines_between_those_of_other_cells_are_of_their_row() {
    let sketch = "
*Time*     *Event*                      *Place*


           Registration of all the
Morning                                 Hall
           guests, and coffee


           Why maps lie, and why they   Room 12 or
Noon
           are needed in all states     the garden


Night      Closing remarks              Hall";
    assert_eq!(
        half_tables_of(sketch),
        "^Time | ^Event | ^Place\nMorning | Registration of all the guests, and coffee | Hall\n\
         Noon | Why maps lie, and why they are needed in all states | Room 12 or the garden\n\
         Night | Closing remarks | Hall"
    );
}

#[test]
fn a_label_between_two_rows_covers_both() {
    let sketch = "
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
------------------------------------------";
    assert_eq!(
        half_tables_of(sketch),
        "^Year | ^Topic | ^Room\n1x2 First | Introduction to all of the old statistics | A1\n\
         The writing of short reports for a board | B2\nSecond | A history of old measures and scales | C3"
    );
}

#[test]
fn the_last_row_may_stand_below_the_last_rule() {
    let sketch = "
------------------------------------------
*Year*    *Topic*                 *Room*
------------------------------------------

          A history of old
First                             C3
          measures and scales
------------------------------------------

          Introduction to all of
Second                            A1
          the old statistics";
    assert_eq!(
        half_tables_of(sketch),
        "^Year | ^Topic | ^Room\nFirst | A history of old measures and scales | C3\n\
         Second | Introduction to all of the old statistics | A1"
    );
}

#[test]
fn heads_of_several_heights_stand_above_the_first_rule() {
    let sketch = "
                      Accumulated

                       income and
          Common                     Treasury      Total
                           losses
----------------------------------------------------------

Begin        120               88          -7        201


End          130               90          -8        212
----------------------------------------------------------";
    assert_eq!(
        half_tables_of(sketch),
        "^ | ^Common | ^Accumulated income and losses | ^Treasury | ^Total\n\
         Begin | 120 | 88 | -7 | 201\nEnd | 130 | 90 | -8 | 212"
    );
}

#[test]
fn a_value_between_the_lines_of_its_label_stays_beside_it() {
    let sketch = "
Item                     2020       2021
-----------------------------------------
Net profit                 12         34

Other comprehensive
                          104        208
income, net of tax

Dividends                  85         77
-----------------------------------------";
    assert_eq!(
        half_tables_of(sketch),
        "^Item | ^2020 | ^2021\nNet profit | 12 | 34\nOther comprehensive income, net of tax | 104 | 208\n\
         Dividends | 85 | 77"
    );
}

#[test]
fn a_label_whose_line_shares_no_baseline_is_of_the_table_beside_it() {
    let rows = [
        ("Introduction to the", "statistics of towns", "A1"),
        ("Writing of reports", "for a busy board", "B4"),
        ("History of measures", "from cubit to metre", "D7"),
        ("Laboratory work in", "groups of three", "C2"),
    ];
    let mut page = page("");
    let mut put = |text: &str, x: f32, y: f32| {
        let mut x = x;
        for part in text.split(' ') {
            page.words.push(word(part, x, y));
            x += 6.0 * part.chars().map(|_| 1.0).sum::<f32>() + 3.0;
        }
    };
    for (head, x) in [("*Year*", 60.0), ("*Topic*", 130.0), ("*Room*", 300.0), ("*Seats*", 360.0)] {
        put(head, x, 70.0);
    }
    for ((first, second, room), y) in rows.into_iter().zip([100.0, 127.0, 154.0, 181.0]) {
        put(first, 130.0, y);
        put(second, 130.0, y + 10.0);
        put(room, 300.0, y + 5.0);
        put("30", 360.0, y + 5.0);
    }
    put("First", 60.0, 118.5);
    put("Second", 60.0, 172.5);
    assert_eq!(
        shapes(&page),
        "^Year | ^Topic | ^Room | ^Seats\n1x2 First | Introduction to the statistics of towns | A1 | 30\n\
         Writing of reports for a busy board | B4 | 30\n1x2 Second | History of measures from cubit to metre | D7 | 30\n\
         Laboratory work in groups of three | C2 | 30"
    );
}

#[test]
fn a_head_between_the_lines_of_those_beside_it_is_no_title_of_all_columns() {
    let sketch = "
-------------------------------------------

           Odds                      Value
                   Interval (95)
           ratio                     of p

-------------------------------------------

Height     0.16     0.02    1.41     0.10

Width      0.62     0.09    4.22     0.62

-------------------------------------------";
    assert_eq!(
        half_tables_of(sketch),
        "^ | ^Odds ratio | ^2x1 Interval (95) | ^Value of p\nHeight | 0.16 | 0.02 | 1.41 | 0.10\n\
         Width | 0.62 | 0.09 | 4.22 | 0.62"
    );
}

#[test]
fn cells_centred_at_those_of_one_line_are_of_their_row() {
    let sketch = "
----------------------------------------------------------------------
Author          Kind           Cases   Marks of quality
----------------------------------------------------------------------

Vial et al.                            Good: all is seen
                Prospective      60
(2007, Norway)                         Poor: half is seen


                                       Excellent: none is hidden

Tuyl et al.                            Fair: most is seen
                Prospective      80
(2004, Italy)                          Poor: half is seen

                                       Unfit: nothing is seen


Rosa et al.     Retrospective          Share of what is seen
                                 43
(2013, Spain)   cohort                 Less than 20, less than 50
----------------------------------------------------------------------";
    assert_eq!(
        half_tables_of(sketch),
        "^Author | ^Kind | ^Cases | ^Marks of quality\n\
         Vial et al. (2007, Norway) | Prospective | 60 | Good: all is seen Poor: half is seen\n\
         Tuyl et al. (2004, Italy) | Prospective | 80 | Excellent: none is hidden Fair: most is seen Poor: half is seen \
         Unfit: nothing is seen\n\
         Rosa et al. (2013, Spain) | Retrospective cohort | 43 | Share of what is seen Less than 20, less than 50"
    );
}

#[test]
fn lines_of_several_columns_are_rows_beside_a_label_at_their_middle() {
    let sketch = "
----------------------------------------------------
Kind      Fruit of the year   Colour of its skin
----------------------------------------------------

          Apple               Green

Garden    Pear                Yellow

          Medlar              Brown


          Orange              Red

Grove     Lemon               Ochre

          Citron              Yellow
----------------------------------------------------";
    let found = half_tables_of(sketch);
    assert!(found.contains("Apple | Green\n") && found.contains("Lemon | Ochre\n"), "{found}");
}

#[test]
fn lines_above_and_below_those_beside_them_are_a_cell() {
    let found = half_tables_of(
        "
------------------------------------------
Variable       Alive    Expired   Odds
------------------------------------------
Headache       11       3         0.33

Vomiting       14       8         0.52

                                  0.36
Gender         21       8
                                  OR 0.65

Seizures       17       4         0.44
------------------------------------------",
    );
    assert_eq!(
        found,
        "^Variable | ^Alive | ^Expired | ^Odds\nHeadache | 11 | 3 | 0.33\nVomiting | 14 | 8 | 0.52\n\
         Gender | 21 | 8 | 0.36 OR 0.65\nSeizures | 17 | 4 | 0.44"
    );
}

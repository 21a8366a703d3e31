//! Rows of values outside the tables.

use super::super::has_rows_beside;
use super::{find_tables, page};

const ROWS: &str = "
Folio        1        2       12.5
Quarto       2        4       13.5
Octavo       4        8       14.0
Sixteens     8       16       14.5
";

#[test]
fn rows_of_labels_and_values_outside_all_tables_are_noticed() {
    let page = page(ROWS);
    let tables = find_tables(&page);
    assert_eq!(tables.len(), 1);
    assert!(!has_rows_beside(&page, &tables));
    assert!(has_rows_beside(&page, &[]));
}

#[test]
fn a_row_right_below_the_columns_of_a_table_is_noticed() {
    let page = page(ROWS);
    let mut tables = find_tables(&page);
    for table in &mut tables {
        table.bounds.y1 -= 14.0;
        table.cells.retain(|cell| cell.row + 1 < table.rows);
    }
    assert!(has_rows_beside(&page, &tables));
}

#[test]
fn prose_contents_and_the_marks_of_an_axis_are_no_rows() {
    for sketch in [
        "
The settlement remains where the river turns and nobody has asked
it to go, although in 1998 the assessment of 12 houses was found to
be ordinary in 4 of the 17 years that the survey describes in detail
and the committee left it out of the report that it wrote in 2001.",
        "
Introduction ............ 1
The harbour ............. 4
The river ............... 9
Its inventory .......... 14",
        "
0       10       20       30       40
Time in seconds",
        "
Name:   Ada Lovelace      Date:   10 December 1815
Place:  London            Page:   1
Street: 12 St James       Year:   1843",
    ] {
        assert!(!has_rows_beside(&page(sketch), &[]), "{sketch}");
    }
}

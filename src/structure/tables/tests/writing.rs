//! CSV, Markdown and HTML.

use super::super::{Cell, Table, to_csv, to_html, to_markdown};
use super::{find_tables, page};

fn only_table(sketch: &str) -> Table {
    let mut tables = find_tables(&page(sketch));
    assert_eq!(tables.len(), 1);
    tables.remove(0)
}

const PLAIN: &str = "
------------------
| Name  |  a|b,c |
------------------
| \"x\"   |  <1>   |
------------------";

const SPANS: &str = "
---------------------------
| Name  |  Both           |
-       -------------------
|       |  one   |  two   |
---------------------------
| Alpha |  1     |  2     |
---------------------------";

#[test]
fn csv_quotes_what_it_has_to() {
    assert_eq!(to_csv(&only_table(PLAIN)), "Name,\"a|b,c\"\r\n\"\"\"x\"\"\",<1>\r\n");
}

#[test]
fn csv_keeps_the_places_of_spans_empty() {
    assert_eq!(to_csv(&only_table(SPANS)), "Name,Both,\r\n,one,two\r\nAlpha,1,2\r\n");
}

#[test]
fn markdown_escapes_pipes_and_tags() {
    assert_eq!(to_markdown(&only_table(PLAIN)), "| Name | a\\|b,c |\n| --- | --- |\n| \"x\" | &lt;1> |\n");
}

#[test]
fn spans_of_heads_and_of_names_leave_places_empty() {
    let table = only_table(SPANS);
    assert_eq!(to_markdown(&table), "| Name | Both |  |\n| --- | --- | --- |\n|  | one | two |\n| Alpha | 1 | 2 |\n");
    assert_eq!(
        to_html(&table),
        "<table>\n<thead>\n<tr><th rowspan=\"2\">Name</th><th colspan=\"2\">Both</th></tr>\n\
         <tr><th>one</th><th>two</th></tr>\n</thead>\n<tbody>\n\
         <tr><td>Alpha</td><td>1</td><td>2</td></tr>\n</tbody>\n</table>\n"
    );
}

/// A table of two heads and two rows of three places, but for what `cells` cover: row, column, rows, columns, text.
fn with_spans(cells: &[(usize, usize, usize, usize, &str)]) -> Table {
    let mut table = only_table(PLAIN);
    table.rows = 3;
    table.columns = 3;
    let cell = |&(row, column, row_span, column_span, text): &(usize, usize, usize, usize, &str)| Cell {
        row,
        column,
        row_span,
        column_span,
        text: text.to_owned(),
        bounds: table.bounds,
        is_header: row == 0,
    };
    table.cells = cells.iter().map(cell).collect();
    table
}

#[test]
fn a_value_of_two_columns_or_rows_is_html() {
    let head = [(0, 0, 1, 1, "Name"), (0, 1, 1, 1, "one"), (0, 2, 1, 1, "two")];
    let of = |body: &[(usize, usize, usize, usize, &str)]| to_markdown(&with_spans(&[&head, body].concat()));

    let wide =
        of(&[(1, 0, 1, 1, "Alpha"), (1, 1, 1, 2, "both"), (2, 0, 1, 1, "Beta"), (2, 1, 1, 1, "3"), (2, 2, 1, 1, "4")]);
    assert!(wide.contains("<td colspan=\"2\">both</td>"), "{wide}");
    let tall =
        of(&[(1, 0, 1, 1, "Alpha"), (1, 1, 2, 1, "all"), (1, 2, 1, 1, "2"), (2, 0, 1, 1, "Beta"), (2, 2, 1, 1, "4")]);
    assert!(tall.contains("<td rowspan=\"2\">all</td>"), "{tall}");

    let named = of(&[(1, 0, 2, 1, "Alpha"), (1, 1, 2, 1, "all"), (1, 2, 1, 1, "2"), (2, 2, 1, 1, "4")]);
    assert!(named.ends_with("| Alpha | all | 2 |\n|  |  | 4 |\n"), "{named}");
    let alone =
        of(&[(1, 0, 1, 2, "Group"), (1, 2, 1, 1, ""), (2, 0, 1, 1, "Beta"), (2, 1, 1, 1, "3"), (2, 2, 1, 1, "4")]);
    assert!(alone.ends_with("| Group |  |  |\n| Beta | 3 | 4 |\n"), "{alone}");
}

#[test]
fn html_escapes_text() {
    assert!(to_html(&only_table(PLAIN)).contains("<td>&lt;1&gt;</td>"));
}

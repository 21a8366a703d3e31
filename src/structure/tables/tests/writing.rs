//! CSV, Markdown and HTML.

use super::super::{Table, to_csv, to_html, to_markdown};
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
fn markdown_of_spans_is_html() {
    let table = only_table(SPANS);
    assert_eq!(to_markdown(&table), to_html(&table));
    assert_eq!(
        to_html(&table),
        "<table>\n<thead>\n<tr><th rowspan=\"2\">Name</th><th colspan=\"2\">Both</th></tr>\n\
         <tr><th>one</th><th>two</th></tr>\n</thead>\n<tbody>\n\
         <tr><td>Alpha</td><td>1</td><td>2</td></tr>\n</tbody>\n</table>\n"
    );
}

#[test]
fn html_escapes_text() {
    assert!(to_html(&only_table(PLAIN)).contains("<td>&lt;1&gt;</td>"));
}

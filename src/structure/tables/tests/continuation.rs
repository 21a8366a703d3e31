//! Tables over a page break.

use super::super::{Continuation, Table, continues, find_tables, join_continued};
use super::{page, word};
use pagewise_text::PageLayout;

const FIRST: &str = "
---------------------------
| Town     | Red  | Blue  |
---------------------------
| Oakham   | 12   | 35    |
---------------------------
| Selkirk  | 4    | 12    |
---------------------------";

fn table(page: &PageLayout) -> Table {
    let mut tables = find_tables(page);
    assert_eq!(tables.len(), 1);
    tables.remove(0)
}

/// The sketch moved down, with the words that stand in the margins.
fn at(sketch: &str, down: f32) -> PageLayout {
    let mut page = page(sketch);
    page.words.iter_mut().for_each(|word| {
        word.bounds.y0 += down;
        word.bounds.y1 += down;
        word.baseline += down;
    });
    page.rules.iter_mut().for_each(|rule| {
        rule.bounds.y0 += down;
        rule.bounds.y1 += down;
    });
    page.words.push(word("Report", 60.0, 20.0));
    page.words.push(word("7", 300.0, 770.0));
    page
}

#[test]
fn a_table_goes_on_under_a_repeated_head() {
    let continuation = continues(&table(&at(FIRST, 300.0)), &table(&at(FIRST, 0.0)));
    assert_eq!(continuation, Some(Continuation { repeated_head_rows: 1 }));
}

#[test]
fn a_table_goes_on_without_a_head() {
    let next = FIRST.replace("Town ", "Kelso").replace("Red ", "7   ").replace("Blue", "9   ");
    let continuation = continues(&table(&at(FIRST, 300.0)), &table(&at(&next, 0.0)));
    assert_eq!(continuation, Some(Continuation { repeated_head_rows: 0 }));
}

#[test]
fn another_head_is_another_table() {
    let next = FIRST.replace("Town", "Name").replace("Red", "One").replace("Blue", "Two ");
    assert_eq!(continues(&table(&at(FIRST, 300.0)), &table(&at(&next, 0.0))), None);
}

#[test]
fn text_between_them_parts_tables() {
    let mut page = at(FIRST, 300.0);
    page.words.push(word("Afterword", 60.0, 600.0));
    assert_eq!(continues(&table(&page), &table(&at(FIRST, 0.0))), None);
}

#[test]
fn joined_tables_have_one_head() {
    let pages = vec![(3, table(&at(FIRST, 300.0))), (4, table(&at(FIRST, 0.0)))];
    let joined = join_continued(pages);
    let shapes: Vec<(u32, String)> = joined.iter().map(|(page, table)| (*page, super::shape(table))).collect();
    let expected = "^Town | ^Red | ^Blue\nOakham | 12 | 35\nSelkirk | 4 | 12\nOakham | 12 | 35\nSelkirk | 4 | 12";
    assert_eq!(shapes, [(3, expected.to_owned())]);
}

#[test]
fn a_page_between_them_parts_tables() {
    let pages = vec![(3, table(&at(FIRST, 300.0))), (5, table(&at(FIRST, 0.0)))];
    assert_eq!(join_continued(pages).len(), 2);
}

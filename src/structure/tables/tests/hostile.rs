//! Pages that were made to hurt.

use super::super::{MAX_WORDS, find_tables};
use super::{empty_page, page, rule, word};
use pagewise_text::{Bounds, Fill, PageLayout};

/// A page with this many copies of what `put` adds, spread over it.
fn crowded(count: u16, put: impl Fn(&mut PageLayout, f32, f32)) -> PageLayout {
    let mut page = empty_page();
    for at in 0..count {
        let (column, row) = (at % 200, at / 200);
        put(&mut page, f32::from(column) * 3.0, f32::from(row) * 2.5);
    }
    page
}

#[test]
fn a_page_of_too_many_words_has_no_table() {
    let mut page = page("Town        Red  Blue\nOakham       12    34\nSelkirk       4    88\nKelso         6     7");
    assert_eq!(find_tables(&page).len(), 1);
    let far = || word("x", 500.0, 700.0);
    page.words.resize_with(MAX_WORDS, far);
    assert_eq!(find_tables(&page).len(), 1);
    page.words.push(far());
    assert_eq!(find_tables(&page), []);
}

#[test]
fn a_page_full_of_crossing_rules_is_read() {
    let mut page = crowded(50_000, |page, x, y| {
        page.rules.push(rule(x, y, x + 2.0, y));
        page.rules.push(rule(x, y, x, y + 2.0));
    });
    page.words.push(word("alone", 300.0, 400.0));
    assert_eq!(find_tables(&page), []);
}

#[test]
fn nested_frames_are_read() {
    let mut page = empty_page();
    for at in 0..1_900_u16 {
        let inset = f32::from(at) * 0.15;
        let (x0, y0, x1, y1) = (10.0 + inset, 10.0 + inset, 600.0 - inset, 780.0 - inset);
        page.rules.extend([rule(x0, y0, x1, y0), rule(x0, y1, x1, y1), rule(x0, y0, x0, y1), rule(x1, y0, x1, y1)]);
    }
    page.words.extend(crowded(2_000, |page, x, y| page.words.push(word("x", x, y))).words);
    assert!(find_tables(&page).iter().all(|table| table.cells.len() <= super::super::MAX_CELLS));
}

#[test]
fn words_on_one_spot_are_read() {
    let mut page = empty_page();
    page.words = vec![word("12", 100.0, 100.0); 20_000];
    assert_eq!(find_tables(&page), []);
}

#[test]
fn a_page_full_of_short_words_and_fills_is_read() {
    let page = crowded(20_000, |page, x, y| {
        page.words.push(word("7", x, y));
        page.fills.push(Fill { bounds: Bounds { x0: x, y0: y, x1: x + 5.0, y1: y + 5.0 }, color: [0; 3] });
    });
    assert!(find_tables(&page).len() <= super::super::MAX_TABLES);
}

#[test]
fn numbers_that_are_none_are_left_out() {
    let mut page = page("Town        Red  Blue\nOakham       12    34\nSelkirk       4    88\nKelso         6     7");
    let sizes = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -4.0, 1e30];
    for value in sizes {
        page.words.push(super::Word { size: value, ..word("bad", 80.0, 110.0) });
        page.words.push(super::Word { baseline: value, ..word("bad", 80.0, 500.0) });
        page.rules.push(rule(value, 10.0, 100.0, 10.0));
        page.fills.push(Fill { bounds: Bounds { x0: 10.0, y0: value, x1: 300.0, y1: 50.0 }, color: [0; 3] });
        page.drawings.push(Bounds { x0: value, y0: value, x1: value, y1: value });
    }
    assert!(find_tables(&page).iter().all(|table| table.bounds.x0.is_finite()));
}

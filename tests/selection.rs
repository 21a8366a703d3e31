//! A page selection is an exact sorted set, or it is refused.

#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use std::collections::BTreeSet;

use pagewise_base::page::{PageIndex, PageSelection, PageSelectionError, PageSet, parse_page_selection};
use proptest::prelude::*;

/// Text that is often a selection, and often nearly one.
fn selection_text() -> impl Strategy<Value = String> {
    prop_oneof!["[0-9 ,-]{0,12}", "([0-9]{1,2}( ?- ?[0-9]{0,2})?,? ?){1,5}", any::<String>()]
}

fn page_set() -> impl Strategy<Value = PageSet> {
    prop::collection::vec(0_u32..60, 0..40).prop_map(|pages| pages.into_iter().map(PageIndex).collect())
}

fn pages(set: &PageSet) -> BTreeSet<u32> {
    set.iter().map(|page| page.0).collect()
}

proptest! {
    #[test]
    fn any_text_is_a_sorted_set_that_reads_back_or_is_refused(text in selection_text(), count in 0_u32..40) {
        if let Ok(PageSelection { pages: set, .. }) = parse_page_selection(&text, count) {
            let listed: Vec<u32> = set.iter().map(|page| page.0).collect();
            prop_assert!(!listed.is_empty() && listed.is_sorted_by(|a, b| a < b), "{listed:?}");
            prop_assert!(listed.iter().all(|page| *page < count));
            let again = parse_page_selection(&set.to_string(), count).unwrap();
            prop_assert_eq!(again, PageSelection { pages: set, is_cut: false });
        }
    }

    #[test]
    fn a_selection_names_its_pages_and_no_others(runs in prop::collection::vec((1_u32..=50, 0_u32..10), 1..6)) {
        let text: Vec<String> = runs.iter().map(|(first, more)| format!(" {first} - {} ", first + more)).collect();
        let wanted: BTreeSet<u32> = runs.iter().flat_map(|(first, more)| first - 1..first + more).collect();
        let parsed = parse_page_selection(&text.join(","), 60).unwrap();
        prop_assert_eq!(pages(&parsed.pages), wanted);
    }

    #[test]
    fn a_page_set_is_a_set(a in page_set(), b in page_set(), gone in 0_u32..60) {
        let mut both = a.clone();
        both.union(&b);
        prop_assert_eq!(pages(&both), pages(&a).union(&pages(&b)).copied().collect());
        let mut swapped = b;
        swapped.union(&a);
        prop_assert_eq!(&both, &swapped);
        prop_assert_eq!(both.len(), both.iter().count() as u64);
        both.remove(PageIndex(gone));
        prop_assert!(!both.contains(PageIndex(gone)));
        let mut without = pages(&swapped);
        without.remove(&gone);
        prop_assert_eq!(pages(&both), without);
    }
}

#[test]
fn the_forms_of_the_contract() {
    for (text, printed) in [
        ("3", "3"),
        ("1-5", "1-5"),
        ("1 - 5", "1-5"),
        ("1,3,5-7", "1,3,5-7"),
        ("4-", "4-9"),
        ("-3", "1-3"),
        (" 7 , 2,2-3 ", "2-3,7"),
        ("1-3,4-6", "1-6"),
        ("1–3", "1-3"),
        ("2 — 3, 5−6", "2-3,5-6"),
        ("1,,3", "1,3"),
        (",1, ", "1"),
        ("last", "9"),
        ("1,Last", "1,9"),
        ("last-2", "7"),
        ("last - 2 - last", "7-9"),
        ("4-last-3", "4-6"),
        ("-last", "1-9"),
        ("last-", "9"),
        ("all", "1-9"),
    ] {
        let selection = parse_page_selection(text, 9).unwrap();
        assert_eq!((selection.pages.to_string().as_str(), selection.is_cut), (printed, false), "{text}");
    }
    for text in [
        "",
        " ",
        ",",
        " , ",
        "-",
        "0",
        "last-x",
        "last-1-last-2",
        "lasts",
        "last2",
        "5-2",
        "1--2",
        "1-2-3",
        "a",
        "+1",
        "1.5",
        "١",
        "1 2",
        "- -3",
    ] {
        assert_eq!(parse_page_selection(text, 9).unwrap_err(), PageSelectionError::Malformed, "{text:?}");
    }
}

#[test]
fn the_last_page_is_the_limit() {
    assert!(parse_page_selection("9", 9).is_ok());
    let beyond = |page| PageSelectionError::OutOfRange { page, page_count: 9 };
    assert_eq!(parse_page_selection("10", 9).unwrap_err(), beyond(10));
    assert_eq!(parse_page_selection("10-12", 9).unwrap_err(), beyond(10));
    assert_eq!(parse_page_selection("1-3,10-", 9).unwrap_err(), beyond(10));
    assert_eq!(parse_page_selection("10,x", 9).unwrap_err(), PageSelectionError::Malformed);
    assert_eq!(parse_page_selection("99999999999999999999999", 9).unwrap_err(), beyond(u64::MAX));
    assert_eq!(parse_page_selection("last-8", 9).unwrap().pages.to_string(), "1");
    assert_eq!(parse_page_selection("last-9", 9).unwrap_err(), beyond(0));
    assert_eq!(parse_page_selection("last-99999999999999999999999", 9).unwrap_err(), beyond(0));
    assert!(["1-", "-1", "1", "last", "all"].iter().all(|text| parse_page_selection(text, 0).is_err()));
}

#[test]
fn a_range_that_begins_in_the_document_ends_with_it() {
    for (text, printed, is_cut) in [
        ("1-9", "1-9", false),
        ("1-10", "1-9", true),
        ("9-99999999999999999999999", "9", true),
        ("-20", "1-9", true),
        ("2,7-20", "2,7-9", true),
    ] {
        let selection = parse_page_selection(text, 9).unwrap();
        assert_eq!((selection.pages.to_string().as_str(), selection.is_cut), (printed, is_cut), "{text}");
    }
}

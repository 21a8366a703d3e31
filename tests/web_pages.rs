//! Web pages → readable Markdown: what a reader wants is there, and what stands around it is not.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failed test may stop where it stands"
)]

use std::sync::Arc;

use pagewise::worker::ReadablePage;
use pagewise::worker::{InProcessReader, Reader};
use pagewise_base::limits::{Cancellation, Limits};
use pagewise_render::NoFonts;

use crate::support::fixture;

fn readable_as(html: &[u8], content_type: &str) -> ReadablePage {
    let reader = InProcessReader::new(Limits::default(), Arc::new(NoFonts));
    reader.readable(&html.to_vec(), Some(content_type), "https://example.com/a/b", &Cancellation::new()).unwrap()
}

fn readable(html: &str) -> ReadablePage {
    readable_as(html.as_bytes(), "text/html; charset=utf-8")
}

#[track_caller]
fn check(page: &str, title: &str, wanted: &[&str], unwanted: &[&str]) {
    let html = std::fs::read(fixture(&format!("web/{page}.html"))).unwrap();
    let page = readable_as(&html, "text/html");
    assert_eq!(page.title.as_deref(), Some(title));
    for phrase in wanted {
        assert!(page.markdown.contains(phrase), "{phrase:?} is missing:\n{}", page.markdown);
    }
    for phrase in unwanted {
        assert!(!page.markdown.contains(phrase), "{phrase:?} is there:\n{}", page.markdown);
    }
}

#[test]
fn an_article_comes_without_what_stands_around_it() {
    check(
        "news",
        "Harbour bridge reopens after two years",
        &[
            "# Harbour bridge reopens after two years\n",
            "thirty schoolchildren",
            "**41 million**",
            "[engineering report](https://example.com/reports/bearings.pdf)",
            "## What changes for drivers",
            "- The speed limit is 40 km/h",
            "> We would rather be late",
            "photographed from the east pier",
            "lifted them out of the structure",
        ],
        &["cookies", "Weather", "mattresses", "Parking fees", "Privacy policy", "window.track"],
    );
}

#[test]
fn code_tables_and_lists_keep_their_form() {
    check(
        "docs",
        "Retry policy - Ladder client",
        &[
            "```\nlet client = Ladder::builder()\n    .retries(3)\n    .base_delay(Duration::from_millis(200))\n    .build()?;\n```",
            "| `base_delay` | 200 ms | Wait before the second attempt |",
            "Longest wait \\| never exceeded",
            "1. Connection errors:\n",
            "- reset by the peer",
            "3. Timeouts of reads",
            "\nIdempotent\n",
            "\nA request whose repetition changes nothing more.\n",
            "cannot be repeated",
        ],
        &["Installation"],
    );
}

#[test]
fn an_encyclopaedia_keeps_its_facts_and_references() {
    let wanted = ["214 ha", "*nine metres*", "moor frogs", "## Geography", "2019, page 44"];
    check("wiki", "Alder marsh - Field Guide", &wanted, &["Random page", "Log in"]);
}

#[test]
fn a_discussion_comes_whole() {
    let wanted = ["smells of apples", "anna\\_k", "old\\_miller", "too young for rye", "fine crumb"];
    check("forum", "Dough does not rise - Bakers' board", &wanted, &[]);
    let wanted = ["which files it holds open", "ls -l /proc/1234/fd", "(deleted)", "`lsof -p 1234`"];
    check("question", "How do I list open files of a process? - Shell answers", &wanted, &[]);
}

#[test]
fn lists_of_links_and_specifications_come_whole() {
    let wanted = ["[3.2.0](https://example.com/r/3.2.0)", "leak of sockets", "Smaller binaries", "Older releases"];
    check("listing", "Releases of Ladder", &wanted, &[]);
    let wanted = ["Hand plane No. 4", "89.00 EUR", "0.05 mm", "245 mm", "O1 steel"];
    check("product", "Hand plane No. 4 | Toolworks", &wanted, &["Add to basket"]);
}

#[test]
fn old_pages_of_old_charsets_are_read() {
    let wanted = ["„Möwe“", "4 €", "Hafenmeister", "Änderung: 4. Mai 1999"];
    check("legacy", "Fähren im Sund", &wanted, &[]);
    check("garden", "庭の手入れ", &["竹箒", "松は五月", "## 剪定の時期"], &["ホーム"]);
}

#[test]
fn a_page_that_needs_scripts_says_so() {
    check("shell", "Dashboard", &["You need to enable JavaScript to run this app."], &["app.js"]);
}

#[test]
fn what_is_left_out_is_said() {
    let html = std::fs::read(fixture("web/news.html")).unwrap();
    let notes = readable_as(&html, "text/html").notes;
    assert!(notes.len() == 1 && notes[0].contains(" characters of its text; what stands around it is left out."));
    assert!(readable("<p>All there is.").notes.is_empty());
}

#[test]
fn links_that_run_or_carry_are_dropped() {
    let page = readable(
        "<p>See <a href=\"javascript:alert(1)\">this</a>, <a href=\"data:text/html,x\">that</a> and \
         <a href=\"../c?d\">more</a> <img src=\"data:image/png;base64,AAAA\" alt=\"dot\">",
    );
    assert!(page.markdown.contains("[more](https://example.com/c?d)"), "{}", page.markdown);
    assert!(!page.markdown.contains("javascript:") && !page.markdown.contains("data:"), "{}", page.markdown);
}

#[test]
fn nesting_without_end_loses_form_and_no_text() {
    for tag in ["div", "span", "b", "blockquote", "ul><li", "table><tr><td"] {
        let page = readable(&format!("{}inmost", format!("<{tag}>").repeat(2_000)));
        assert!(page.markdown.contains("inmost"), "{tag}");
    }
    assert!(readable("").markdown.is_empty());
    assert!(readable("<").markdown.len() < 10);
    assert!(readable("\0<\0a\0>").title.is_none());
}

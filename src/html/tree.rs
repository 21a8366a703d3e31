//! The tree of a page.

use dom_query::{Document, NodeRef};

use crate::http::Url;

/// What is no text: it runs, draws, or is filled in.
const NO_TEXT: &str = "script, style, template, svg, iframe, object, canvas, button, input, select, textarea, head";

/// What leads elsewhere on every page of a site.
const NAVIGATION: &str = "nav, [role=navigation]";

/// Whether elements lie in each other more than `max` times. Goes over the tree without recursion.
pub(super) fn is_deeper(page: &Document, max: usize) -> bool {
    let root = page.root();
    let (mut node, mut depth) = (root, 0_usize);
    loop {
        if let Some(child) = node.first_child() {
            node = child;
            depth += 1;
            if depth > max {
                return true;
            }
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            match node.parent() {
                Some(parent) if depth > 0 => {
                    node = parent;
                    depth -= 1;
                }
                _ => return false,
            }
        }
        if depth == 0 {
            return false;
        }
    }
}

/// Makes links absolute, and lists of terms paragraphs: the converter would run their entries together.
pub(super) fn prepare(page: &Document, base: &str) {
    if let Ok(base) = Url::parse(base) {
        for (selector, name) in [("a[href]", "href"), ("img[src]", "src")] {
            page.select(selector).nodes().iter().for_each(|node| make_absolute(node, name, &base));
        }
    }
    page.select("dt, dd, figcaption").rename("p");
}

fn make_absolute(node: &NodeRef<'_>, name: &str, base: &Url) {
    let absolute = node.attr(name).and_then(|link| base.join(link.trim()).ok());
    match absolute.filter(|link| matches!(link.scheme(), "http" | "https" | "mailto" | "ftp")) {
        Some(link) => node.set_attr(name, link.as_str()),
        // Pictures in the text itself, and scripts: long, and nothing to follow.
        None => node.remove_attr(name),
    }
}

/// Characters of a page's text that are seen, white space aside.
pub(super) fn visible_length(page: &Document) -> usize {
    let page = page.clone();
    page.select(NO_TEXT).remove();
    page.select(NAVIGATION).remove();
    page.select("noscript").remove();
    page.text().chars().filter(|character| !character.is_whitespace()).count()
}

/// All that is text on the page, navigation aside; of a page that has nothing else, what it says without scripts.
pub(super) fn whole_page(page: &Document) -> String {
    page.select(NO_TEXT).remove();
    page.select(NAVIGATION).remove();
    let unscripted = page.select("noscript").text().to_string();
    page.select("noscript").remove();
    let markdown = page.md(None).trim().to_owned();
    if markdown.is_empty() { clean(&unscripted) } else { markdown }
}

/// `text` with single spaces.
pub(super) fn clean(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

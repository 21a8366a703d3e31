//! Works on the element tree of a page.

use dom_query::{Document, NodeRef};

use crate::http::Url;

/// Elements without text to read: scripts, drawings and form controls.
const WITHOUT_TEXT: &str =
    "script, style, template, svg, iframe, object, canvas, button, input, select, textarea, head";

/// The navigation of a site.
const NAVIGATION: &str = "nav, [role=navigation]";

/// Whether elements nest deeper than `max`. Walks the tree without recursion.
pub(super) fn is_nested_deeper(page: &Document, max: usize) -> bool {
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

/// Makes links absolute, and turns the entries of description lists into paragraphs, which the converter would join.
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
        // Data URLs and scripts are long and lead nowhere.
        None => node.remove_attr(name),
    }
}

/// The number of visible characters, without white space.
pub(super) fn visible_length(page: &Document) -> usize {
    let page = page.clone();
    page.select(WITHOUT_TEXT).remove();
    page.select(NAVIGATION).remove();
    page.select("noscript").remove();
    page.text().chars().filter(|character| !character.is_whitespace()).count()
}

/// Converts the whole page except navigation. If that is empty, returns the text for browsers without scripts.
pub(super) fn convert_whole(page: &Document) -> String {
    page.select(WITHOUT_TEXT).remove();
    page.select(NAVIGATION).remove();
    let unscripted = page.select("noscript").text().to_string();
    page.select("noscript").remove();
    let markdown = page.md(None).trim().to_owned();
    if markdown.is_empty() { collapse_spaces(&unscripted) } else { markdown }
}

/// Collapses white space into single spaces.
pub(super) fn collapse_spaces(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

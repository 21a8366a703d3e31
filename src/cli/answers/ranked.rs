//! The text of `pagewise search --ranked`: `FILE:PAGE: excerpt`, or on a terminal the excerpt below its page.

use crate::cli::answers::search::named;
use crate::cli::terminal::layout::wrapped;
use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::wording::counted;
use crate::context::{RankedHit, RankedHits, one_line};
use crate::tool::SearchArguments;
use pagewise_text::RECOGNISED_REMARK;

/// The pages, the best first.
pub(crate) fn text(found: &RankedHits, screen: Screen) -> String {
    let gap = if screen.is_terminal() { "\n\n" } else { "\n" };
    found.hits.iter().map(|hit| page(hit, screen)).collect::<Vec<_>>().join(gap)
}

fn page(hit: &RankedHit, screen: Screen) -> String {
    let path = screen.paint(Part::Path, &one_line(&hit.file));
    let number = screen.paint(Part::Page, &hit.page.number().to_string());
    let excerpt = one_line(&hit.excerpt);
    match screen.columns {
        None => format!("{path}:{number}: {excerpt}"),
        Some(columns) => {
            let label = hit.label.as_deref().map(|label| format!(" ({})", one_line(label))).unwrap_or_default();
            let section = hit.section.iter().map(|title| one_line(title)).collect::<Vec<_>>().join(" > ");
            let section = if section.is_empty() { section } else { format!("  {section}") };
            let excerpt = wrapped(&excerpt, columns.saturating_sub(2), 2);
            format!("{path}:{number}{}\n  {excerpt}", screen.paint(Part::Faint, &format!("{label}{section}")))
        }
    }
}

/// What the pages do not say.
pub(crate) fn notes(found: &RankedHits, arguments: &SearchArguments, screen: Screen) -> Vec<String> {
    let pages = counted(usize::try_from(found.pages).unwrap_or(usize::MAX), "page");
    let searched = format!("{}{} searched ({pages})", counted(found.documents, "document"), arguments.filters());
    let summary = (screen.is_terminal() || found.hits.is_empty()).then(|| match found.hits.len() {
        0 => format!("no page answers the query: {searched}"),
        _ => searched,
    });
    let left = (found.left > 0).then(|| {
        format!("{} not searched: the index has no room for more (max_index_bytes)", counted(found.left, "document"))
    });
    let cut = found.is_cut.then(|| "a folder has more files than one search reads: name the folders in it".to_owned());
    let own = found.notes.iter().map(|note| one_line(note));
    let unread = found.unread.iter().map(|(path, why)| format!("{}: {}", one_line(path), one_line(why)));
    let unread = named("not searched", unread.collect());
    let long = "the last pages are not searched, since the document has more text than max_indexed_text_bytes";
    let long = named(long, found.too_long.iter().map(with_pages).collect());
    let blind = "only partly searched, because pages have no usable text (scans)";
    let blind = named(blind, found.without_text.iter().map(with_pages).collect());
    let recognised = found.hits.iter().filter(|hit| hit.is_recognised);
    let recognised = recognised.map(|hit| format!("{}:{}", one_line(&hit.file), hit.page.number()));
    let recognised = named(RECOGNISED_REMARK, recognised.collect());
    let lists = recognised.into_iter().chain(unread).chain(long).chain(blind);
    [summary, left, cut].into_iter().flatten().chain(own).chain(lists).collect()
}

fn with_pages((path, pages): &(String, u32)) -> String {
    let pages = counted(usize::try_from(*pages).unwrap_or(usize::MAX), "page");
    format!("{} ({pages})", one_line(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_base::page::PageIndex;

    #[test]
    fn hits_that_ocr_read_are_named() {
        let hit = |page, is_recognised| RankedHit {
            file: "scan.pdf".to_owned(),
            copies: Vec::new(),
            page: PageIndex(page),
            label: None,
            score: 1.0,
            excerpt: "dust".to_owned(),
            passage: String::new(),
            section: Vec::new(),
            title: None,
            date: 0,
            tokens: 1,
            is_held: false,
            is_recognised,
        };
        let found = RankedHits { hits: vec![hit(0, true), hit(1, false)], ..RankedHits::default() };
        let notes = notes(&found, &SearchArguments::default(), Screen { columns: None, has_colors: false });
        assert_eq!(notes, ["read by OCR; may contain errors: scan.pdf:1"]);
    }
}

//! How much of a document a conversation has read.

use super::section::sections;
use crate::context::markdown::read_headings;
use crate::context::phrases::{READ_SO_FAR, count_of, grouped, is_short_list, one_line, page_or_pages};
use crate::worker::Pages;
use pagewise_base::page::PageSet;
use pagewise_document::OutlineItem;

/// Maximum entries of the outline, by which unread pages are named.
const MAX_ENTRIES: usize = 1_000;

/// Maximum pages of a document whose headings are read where it has no outline.
const MAX_PAGES_FOR_HEADINGS: u32 = 20;

/// Maximum number of sections that are named of one document.
const MAX_SECTIONS: usize = 6;

/// What a conversation has not read of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnreadParts {
    /// The first sections with unread pages, each with these pages.
    pub sections: Vec<(String, PageSet)>,
    /// The unread pages that no section above has.
    pub pages: PageSet,
}

impl UnreadParts {
    /// The unread pages by the sections of a document. A section of which some is read is named by its parts.
    pub(crate) fn of(unread: &PageSet, items: &[OutlineItem], page_count: u32) -> Self {
        let sections = sections(items, page_count);
        let mut parts = Self { sections: Vec::new(), pages: unread.clone() };
        let mut named_depth = None;
        for (at, section) in sections.iter().enumerate() {
            if named_depth.is_some_and(|depth| section.depth > depth) {
                continue;
            }
            named_depth = None;
            let (first, last) = (section.first.0, section.last.0);
            let pages = unread.within(first, last);
            let is_whole = pages.len() > u64::from(last - first);
            let has_parts = sections.get(at + 1).is_some_and(|next| next.depth > section.depth);
            if pages.is_empty() || has_parts && !is_whole {
                continue;
            }
            if parts.sections.len() >= MAX_SECTIONS {
                break;
            }
            named_depth = Some(section.depth);
            parts.pages.remove_run(first, last);
            parts.sections.push((one_line(section.title), pages));
        }
        parts
    }

    /// For example `'Results' (pages 4-9), pages 12-14`; empty if all is read.
    #[must_use]
    pub fn words(&self) -> String {
        let sections = self.sections.iter();
        let sections = sections.map(|(title, pages)| format!("'{title}' ({})", page_or_pages(pages)));
        let rest = (!self.pages.is_empty()).then(|| page_or_pages(&self.pages));
        sections.chain(rest).collect::<Vec<_>>().join(", ")
    }
}

/// The entries of the outline or, if a short document has none, its headings.
pub(in crate::context) fn sections_of(document: &dyn Pages) -> Vec<OutlineItem> {
    let outline = document.outline(MAX_ENTRIES).items;
    let has_pages = outline.iter().any(|item| item.page.is_some());
    if has_pages || document.page_count() > MAX_PAGES_FOR_HEADINGS { outline } else { read_headings(document) }
}

/// Says how many pages were read; `None` if that is all of them.
pub(super) fn coverage_line(read: &PageSet, page_count: u32) -> Option<String> {
    if read.len() >= page_count.into() {
        return None;
    }
    let which = if read.is_empty() || !is_short_list(read) { String::new() } else { format!(" ({read})") };
    let (read, all) = (grouped(read.len()), count_of(page_count.into(), "page"));
    Some(format!("{READ_SO_FAR} {read} of {all}{which}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_base::page::{PageIndex, parse_page_selection};

    fn pages(selection: &str) -> PageSet {
        parse_page_selection(selection, 40).map(|selection| selection.pages).unwrap_or_default()
    }

    fn unread(read: &str, outline: &[(u32, u32, &str)]) -> String {
        let mut unread = PageSet::all(40);
        pages(read).runs().for_each(|(first, last)| unread.remove_run(first.0, last.0));
        let item = |(depth, page, title): &(u32, u32, &str)| OutlineItem {
            depth: *depth,
            title: (*title).to_owned(),
            page: page.checked_sub(1).map(PageIndex),
        };
        UnreadParts::of(&unread, &outline.iter().map(item).collect::<Vec<_>>(), 40).words()
    }

    #[test]
    fn unread_pages_are_named_by_the_largest_sections_that_have_them() {
        let outline =
            [(0, 3, "One"), (1, 3, "First"), (1, 6, "Second"), (0, 10, "Two"), (0, 0, "Nowhere"), (0, 30, "Three")];
        for (read, expected) in [
            ("1-2", "'One' (pages 3-9), 'Two' (pages 10-29), 'Three' (pages 30-40)"),
            ("1-4", "'First' (page 5), 'Second' (pages 6-9), 'Two' (pages 10-29), 'Three' (pages 30-40)"),
            ("2-29", "'Three' (pages 30-40), page 1"),
            ("1-11,13-40", "'Two' (page 12)"),
            ("1-40", ""),
        ] {
            assert_eq!(unread(read, &outline), expected, "{read} is read");
        }
        assert_eq!(unread("1-3,7", &[]), "pages 4-6,8-40");
        let many: Vec<_> = (1..=40).map(|page| (0, page, "A")).collect();
        assert!(
            unread("1-2", &many).ends_with("'A' (page 8), pages 9-40"),
            "what is not named by sections is named by pages"
        );
    }

    #[test]
    fn coverage_is_said_if_it_is_not_all() {
        let line = |read: &str, count| coverage_line(&pages(read), count).unwrap_or_default();
        assert_eq!(line("1-3", 40), "Read so far in this conversation: 3 of 40 pages (1-3).");
        assert_eq!(line("", 1), "Read so far in this conversation: 0 of 1 page.");
        assert_eq!(line("1-40", 40), "");
        let odd = (1..40).step_by(2).map(|page| page.to_string()).collect::<Vec<_>>().join(",");
        assert_eq!(
            line(&odd, 2_000),
            "Read so far in this conversation: 20 of 2,000 pages (1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39)."
        );
    }
}

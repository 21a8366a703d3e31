//! Selects the pages of a section by its title or its number, from the outline, else from the headings.

use std::collections::BTreeSet;

use similar::get_close_matches;

use super::selection::SelectedPages;
use crate::context::markdown::read_headings;
use crate::context::phrases::{one_line, page_or_pages};
use crate::worker::Pages;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_document::OutlineItem;
use pagewise_text::fold_words;

/// Sections that an error names.
const MAX_CANDIDATES: usize = 10;

/// Titles that an error names if none matches.
const MAX_SIMILAR: usize = 3;

/// Titles that are compared for it, and characters of the wanted one: comparing takes their product.
const MAX_COMPARED: (usize, usize) = (5_000, 200);

/// The pages of the section that `title` means: the entry with this title, else those that begin with it, else those that
/// contain it. Case, accents, punctuation and numbering do not matter. A number means the section with this number. Where
/// the outline has none, the headings of the pages are looked at. The error is a hint.
pub(super) fn select_section(title: &str, document: &dyn Pages) -> Result<SelectedPages, String> {
    let mut items = document.outline(usize::MAX).items;
    if matching(title, &sections(&items, document.page_count())).is_empty() {
        let headings = read_headings(document);
        let has_match = !matching(title, &sections(&headings, document.page_count())).is_empty();
        if has_match || items.is_empty() {
            items = headings;
        }
    }
    let sections = sections(&items, document.page_count());
    match matching(title, &sections).as_slice() {
        [] => Err(not_found(title, &sections)),
        [section, others @ ..] if others.iter().all(|other| other.pages() == section.pages()) => Ok(section.selected()),
        several => Err(ambiguous(title, several)),
    }
}

/// An outline entry with its pages.
pub(super) struct Section<'a> {
    pub(super) title: &'a str,
    pub(super) depth: u32,
    /// The words of its title, and these without its number.
    words: String,
    unnumbered: String,
    pub(super) first: PageIndex,
    pub(super) last: PageIndex,
    /// Where the next section begins.
    next: Option<PageIndex>,
}

/// The entries that lead to a page. A section ends before the next entry on its level or above.
pub(super) fn sections(items: &[OutlineItem], page_count: u32) -> Vec<Section<'_>> {
    let mut sections = Vec::new();
    // From the end, the beginning of the next section on each level.
    let mut beginnings = Vec::<(u32, PageIndex)>::new();
    for item in items.iter().rev() {
        let Some(first) = item.page else { continue };
        while beginnings.pop_if(|(depth, _)| *depth > item.depth).is_some() {}
        let next = beginnings.last().map(|(_, page)| *page).filter(|next| *next >= first);
        let end = next.map_or(page_count, |next| next.0).saturating_sub(1).max(first.0);
        let words = fold_words(&item.title);
        let unnumbered = without_number(&words).to_owned();
        let (depth, last) = (item.depth, PageIndex(end));
        sections.push(Section { title: &item.title, depth, words, unnumbered, first, last, next });
        beginnings.pop_if(|(depth, _)| *depth == item.depth);
        beginnings.push((item.depth, first));
    }
    sections.reverse();
    sections
}

/// The words after a number such as `5`, `2 3 1`, `iv`, `a 1` or `chapter 5`.
fn without_number(words: &str) -> &str {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_roman = |word: &str| word.bytes().all(|byte| b"ivxlc".contains(&byte));
    let mut rest = words;
    for name in NUMBERED {
        rest = rest.strip_prefix(name).unwrap_or(rest);
    }
    let is_named = rest.len() < words.len();
    let mut is_first = true;
    while let Some((word, after)) = rest.split_once(' ') {
        let next_is_number = after.split(' ').next().is_some_and(is_number);
        let is_letter = word.chars().count() == 1 && (next_is_number || is_named);
        if !(is_number(word) || is_first && (is_roman(word) || is_letter)) {
            break;
        }
        (rest, is_first) = (after, false);
    }
    if is_first { words } else { rest }
}

/// What may precede the number of a section.
const NUMBERED: [&str; 5] = ["chapter ", "section ", "part ", "appendix ", "§"];

/// The number at the beginning of a title, such as `2.1`, `iv` or `a.1`.
fn section_number(title: &str) -> Option<String> {
    let folded = title.trim().to_lowercase();
    let rest = NUMBERED.iter().find_map(|name| folded.strip_prefix(name));
    let word = rest.unwrap_or(&folded).split_whitespace().next()?.trim_end_matches(['.', ')', ':']);
    let is_number = |part: &str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_roman = |part: &str| part.bytes().all(|byte| b"ivx".contains(&byte));
    let (head, tail) = word.split_once('.').map_or((word, None), |(head, tail)| (head, Some(tail)));
    let is_letter = head.len() == 1 && (tail.is_some() || rest.is_some());
    let is_head = !head.is_empty() && (is_number(head) || is_letter || is_roman(head));
    (is_head && tail.is_none_or(|tail| tail.split('.').all(is_number))).then(|| word.to_owned())
}

/// Whether a title is but a number.
fn is_number_alone(title: &str) -> bool {
    let words = title.trim().to_lowercase();
    let rest = NUMBERED.iter().find_map(|name| words.strip_prefix(name)).unwrap_or(&words);
    !rest.trim().contains(char::is_whitespace)
}

/// The sections of the strictest comparison that finds any.
fn matching<'s, 'a>(title: &str, sections: &'s [Section<'a>]) -> Vec<&'s Section<'a>> {
    let wanted = fold_words(title);
    let unnumbered = without_number(&wanted);
    let number = section_number(title).filter(|_| is_number_alone(title));
    if wanted.is_empty() {
        return Vec::new();
    }
    let comparisons: [&dyn Fn(&Section<'_>) -> bool; 7] = [
        &|section| one_line(section.title) == title,
        &|section| section.words == wanted,
        &|section| number.is_some() && section_number(section.title) == number,
        &|section| section.unnumbered == wanted,
        &|section| section.words.starts_with(&wanted) || section.unnumbered.starts_with(&wanted),
        &|section| section.words.contains(&wanted),
        &|section| section.unnumbered == unnumbered,
    ];
    // A number within a title is not that of a section.
    let has_digit = number.as_ref().is_some_and(|number| number.bytes().any(|byte| byte.is_ascii_digit()));
    let count = if has_digit { 3 } else { comparisons.len() };
    for comparison in comparisons.into_iter().take(count) {
        let found = sections.iter().filter(|section| comparison(section)).collect::<Vec<_>>();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

impl Section<'_> {
    fn pages(&self) -> PageSet {
        let mut pages = PageSet::new();
        pages.insert_run(self.first.0, self.last.0);
        pages
    }

    fn selected(&self) -> SelectedPages {
        let pages = self.pages();
        let mut note = format!("Section '{}' is taken as {}", one_line(self.title), page_or_pages(&pages));
        if let Some(next) = self.next {
            note.push_str(&format!("; the next section begins on page {}", next.number()));
        }
        SelectedPages { pages, note: Some(note + ".") }
    }

    fn named(&self) -> String {
        format!("'{}' ({})", one_line(self.title), page_or_pages(&self.pages()))
    }
}

fn ambiguous(title: &str, several: &[&Section<'_>]) -> String {
    let named = several.iter().take(MAX_CANDIDATES).map(|section| section.named()).collect::<Vec<_>>().join(", ");
    let more = several.len().saturating_sub(MAX_CANDIDATES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{} sections match '{title}': {named}{more}. Ask for one of them by its pages.", several.len())
}

fn not_found(title: &str, sections: &[Section<'_>]) -> String {
    if sections.is_empty() {
        return "This document has no outline whose entries lead to pages, and no headings: find the pages with pdf_search, \
                or ask for them by their numbers."
            .to_owned();
    }
    let (max_titles, max_characters) = MAX_COMPARED;
    let wanted = fold_words(title).chars().take(max_characters).collect::<String>();
    let titles = sections.iter().take(max_titles).map(|section| section.unnumbered.as_str());
    let titles = titles.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    let close = get_close_matches(wanted.as_str(), &titles, MAX_SIMILAR, 0.5);
    let similar = close.iter().flat_map(|words| sections.iter().filter(|section| section.unnumbered == **words));
    let similar = similar.take(MAX_SIMILAR).map(Section::named).collect::<Vec<_>>();
    match similar.as_slice() {
        [] => format!(
            "No section is titled '{title}'. See the outline (pdf_outline), or search the text with pdf_search."
        ),
        similar => format!("No section is titled '{title}'; the most similar are {}.", similar.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document of 40 pages with an entry on each page from the first on.
    fn found(wanted: &str, titles: &[&str]) -> Result<String, String> {
        let item = |(page, title): (u32, &&str)| OutlineItem {
            depth: u32::from(title.starts_with(' ')),
            title: title.trim().to_owned(),
            page: Some(PageIndex(page)),
        };
        let items = (0..).zip(titles).map(item).collect::<Vec<_>>();
        let sections = sections(&items, 40);
        match matching(wanted, &sections).as_slice() {
            [] => Err(not_found(wanted, &sections)),
            [one] => Ok(one.named()),
            several => Err(ambiguous(wanted, several)),
        }
    }

    #[test]
    fn a_title_is_found_as_a_person_names_it() {
        let titles = [
            "Introduction",
            "5: \u{201C}Piracy\u{201D}",
            "IV. R\u{E9}sultats",
            "A.1 Data",
            " 2.3 Piracy laws",
            "I, Robot",
        ];
        for (wanted, page) in [
            ("Piracy", "pages 2"),
            ("piracy", "pages 2"),
            ("5: piracy", "pages 2"),
            ("5", "pages 2"),
            ("Chapter 7: Piracy", "pages 2"),
            ("resultats", "pages 3"),
            ("iv r\u{E9}sultats", "pages 3"),
            ("Data", "pages 4-5"),
            ("laws", "pages 5"),
            ("piracy l", "pages 5"),
            ("Robot", "pages 6-40"),
            ("i robot", "pages 6-40"),
            ("intro", "pages 1"),
        ] {
            let section = found(wanted, &titles).unwrap_or_else(|hint| hint);
            assert!(
                section.ends_with(&format!(
                    "({})",
                    page.replace("pages 2", "page 2")
                        .replace("pages 3", "page 3")
                        .replace("pages 5", "page 5")
                        .replace("pages 1", "page 1")
                )),
                "{wanted}: {section}"
            );
        }
    }

    #[test]
    fn a_number_is_that_of_a_section_and_no_part_of_a_title() {
        let titles = ["1 Basics", "2. Terms", "2.1. Words", "10 JPEG 2000", "20 Annex", "A.2 Data"];
        for (wanted, section) in
            [("2", "'2. Terms' (page 2)"), ("Section 2.1", "'2.1. Words' (page 3)"), ("a.2", "'A.2 Data' (pages 6-40)")]
        {
            assert_eq!(found(wanted, &titles), Ok(section.to_owned()));
        }
        assert!(found("2000", &titles).is_err());
    }

    #[test]
    fn several_matches_are_named_with_their_pages() {
        let titles = ["1 Method", " Results", "2 Method", " Results", " Results of others"];
        assert_eq!(
            found("results", &titles),
            Err(
                "2 sections match 'results': 'Results' (page 2), 'Results' (page 4). Ask for one of them by its pages."
                    .to_owned()
            )
        );
        assert_eq!(found("1 method", &titles), Ok("'1 Method' (pages 1-2)".to_owned()));
        assert_eq!(
            found("Resluts", &titles),
            Err("No section is titled 'Resluts'; the most similar are 'Results' (page 2), 'Results' (page 4), 'Results of others' (pages 5-40).".to_owned())
        );
        assert_eq!(
            found("\u{201C}", &titles),
            Err("No section is titled '\u{201C}'. See the outline (pdf_outline), or search the text with pdf_search."
                .to_owned())
        );
        assert!(found("a", &[]).is_err_and(|hint| hint.contains("no outline")));
        let many = ["Results"; 12];
        assert!(found("results", &many).is_err_and(|hint| hint.contains("'Results' (page 10) and 2 more. Ask")));
    }
}

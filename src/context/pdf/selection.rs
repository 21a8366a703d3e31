//! Resolves a page selection to an exact set of pages.

use crate::context::error::ContextError;
use crate::context::request::RequestedPart;
use crate::document::OutlineItem;
use crate::page::{PageIndex, PageSelectionError, PageSet, parse_page_selection};
use crate::worker::Pages;

/// The selected pages, and a note on how they were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SelectedPages {
    /// The pages.
    pub pages: PageSet,
    /// How the pages were found, in one sentence, unless they were given by number.
    pub note: Option<String>,
}

/// The pages of `part`; `None` for the summary.
pub(crate) fn select(part: &RequestedPart, document: &dyn Pages) -> Result<Option<SelectedPages>, ContextError> {
    match part {
        RequestedPart::Summary => Ok(None),
        RequestedPart::Index(index) => by_index(*index, document.page_count()).map(Some),
        RequestedPart::Selection(text) => by_text(text, document).map(Some),
    }
}

fn by_index(index: i128, page_count: u32) -> Result<SelectedPages, ContextError> {
    let page = u32::try_from(index).ok().filter(|page| *page < page_count).map(PageIndex);
    let out_of_range =
        ContextError::PageOutOfRange { number: index.saturating_add(1), page_count, is_zero_based: true };
    let pages = page.map(|page| PageSet::from_iter([page])).ok_or(out_of_range)?;
    Ok(SelectedPages { pages, note: None })
}

/// The pages of a selection: numbers and ranges, `label:` with a printed label, or `section:` with an outline title.
///
/// # Errors
/// As [`select_pages`].
pub fn select_from(text: &str, document: &dyn Pages) -> Result<SelectedPages, ContextError> {
    by_text(text, document)
}

fn by_text(text: &str, document: &dyn Pages) -> Result<SelectedPages, ContextError> {
    if let Some(label) = text.trim().strip_prefix("label:") {
        return by_label(label.trim(), text, document);
    }
    if let Some(title) = text.trim().strip_prefix("section:") {
        return by_section(title.trim(), text, document);
    }
    select_pages(text, document.page_count()).map(|pages| SelectedPages { pages, note: None })
}

/// The pages of a selection of 1-based numbers and ranges.
///
/// # Errors
/// [`ContextError::Selection`] and [`ContextError::PageOutOfRange`].
pub fn select_pages(text: &str, page_count: u32) -> Result<PageSet, ContextError> {
    // Report bad syntax before pages out of range: "5-2" of a three-page document is both.
    let readable = parse_page_selection(text, u32::MAX);
    readable.and_then(|_| parse_page_selection(text, page_count)).map_err(|error| match error {
        PageSelectionError::Malformed => malformed(text, page_count, None),
        PageSelectionError::OutOfRange { page, .. } => {
            ContextError::PageOutOfRange { number: page.into(), page_count, is_zero_based: false }
        }
    })
}

fn malformed(text: &str, page_count: u32, hint: Option<String>) -> ContextError {
    ContextError::Selection { selection: text.to_owned(), page_count, hint }
}

fn by_label(label: &str, text: &str, document: &dyn Pages) -> Result<SelectedPages, ContextError> {
    let is_named = |page: &PageIndex| document.page_label(*page).is_some_and(|found| found.0 == label);
    let pages = PageSet::all(document.page_count()).iter().filter(is_named).collect::<PageSet>();
    if pages.is_empty() {
        let hint = format!("No page of this document is labelled '{label}'.");
        return Err(malformed(text, document.page_count(), Some(hint)));
    }
    Ok(SelectedPages { pages, note: None })
}

fn by_section(title: &str, text: &str, document: &dyn Pages) -> Result<SelectedPages, ContextError> {
    let outline = document.outline(usize::MAX);
    let Some((first, next)) = section_bounds(&outline.items, title) else {
        let hint = format!("No outline entry leads to a page under the title '{title}'.");
        return Err(malformed(text, document.page_count(), Some(hint)));
    };
    let end = next.map_or(document.page_count(), |next| next.0).saturating_sub(1).max(first.0);
    let mut pages = PageSet::new();
    pages.insert_run(first.0, end);
    let mut note = format!("Section '{title}' is taken as pages {pages}");
    if let Some(next) = next {
        note.push_str(&format!("; the next section begins on page {}", next.number()));
    }
    Ok(SelectedPages { pages, note: Some(note + ".") })
}

/// The first page of the entry titled `title`, and of the next entry on its level or above.
fn section_bounds(items: &[OutlineItem], title: &str) -> Option<(PageIndex, Option<PageIndex>)> {
    let wanted = title.to_lowercase();
    let titled = |item: &&OutlineItem| item.page.is_some() && item.title.trim().to_lowercase() == wanted;
    let entry = items.iter().find(titled)?;
    let first = entry.page?;
    let after = items.iter().skip_while(|item| !std::ptr::eq(*item, entry)).skip(1);
    let next = after.filter(|item| item.depth <= entry.depth).find_map(|item| item.page);
    Some((first, next.filter(|next| *next >= first)))
}

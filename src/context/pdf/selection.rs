//! Resolves a page selection to an exact set of pages.
//!
//! A selection is a list of numbers and ranges, `label:` with printed labels, or `section:` with the title of an outline
//! entry. Several of these follow each other behind commas: a prefix holds up to the next one.

use super::labels::select_labels;
use super::section::select_section;
use crate::context::error::ContextError;
use crate::context::request::RequestedPart;
use crate::worker::Pages;
use pagewise_base::page::{PageIndex, PageSelection, PageSelectionError, PageSet, parse_page_selection};

/// The selected pages, and a note on how they were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SelectedPages {
    /// The pages.
    pub pages: PageSet,
    /// How the pages were found, unless they are just those that were named.
    pub note: Option<String>,
}

/// The pages of `part`; `None` for the summary.
pub(crate) fn select(part: &RequestedPart, document: &dyn Pages) -> Result<Option<SelectedPages>, ContextError> {
    match part {
        RequestedPart::Summary => Ok(None),
        RequestedPart::Index(index) => by_index(*index, document.page_count()).map(Some),
        RequestedPart::Selection(text) => select_from(text, document).map(Some),
    }
}

fn by_index(index: i128, page_count: u32) -> Result<SelectedPages, ContextError> {
    let page = u32::try_from(index).ok().filter(|page| *page < page_count).map(PageIndex);
    let out_of_range =
        ContextError::PageOutOfRange { number: index.saturating_add(1), page_count, is_zero_based: true };
    let pages = page.map(|page| PageSet::from_iter([page])).ok_or(out_of_range)?;
    Ok(SelectedPages { pages, note: None })
}

/// The pages of a selection.
///
/// # Errors
/// [`ContextError::Selection`] and [`ContextError::PageOutOfRange`].
pub fn select_from(text: &str, document: &dyn Pages) -> Result<SelectedPages, ContextError> {
    let mut selected = SelectedPages::default();
    for item in items(text) {
        let SelectedPages { pages, note } = match split_prefix(item) {
            Some((Prefix::Label, labels)) => {
                select_labels(labels, document).map_err(|hint| refusal(text, document, hint))?
            }
            Some((Prefix::Section, title)) => {
                select_section(title, document).map_err(|hint| refusal(text, document, hint))?
            }
            None => by_numbers(item, document.page_count())?,
        };
        selected.pages.union(&pages);
        selected.note = match (selected.note, note) {
            (Some(before), Some(note)) => Some(format!("{before} {note}")),
            (before, note) => before.or(note),
        };
    }
    Ok(selected)
}

/// The one page of a selection, and the note on how it was found.
///
/// # Errors
/// As [`select_from`], and [`ContextError::Selection`] for several pages.
pub fn select_page(text: &str, document: &dyn Pages) -> Result<(PageIndex, Option<String>), ContextError> {
    let SelectedPages { pages, note } = select_from(text, document)?;
    let first = pages.iter().next().filter(|_| pages.len() == 1);
    let only = first.ok_or_else(|| {
        refusal(text, document, format!("Only one page can be given here, and this selects pages {pages}."))
    })?;
    Ok((only, note))
}

/// The prefix of labels or of a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Label,
    Section,
}

/// The prefix of an item in any case, and what follows it.
fn split_prefix(item: &str) -> Option<(Prefix, &str)> {
    let item = item.trim();
    let after = |prefix: &str| {
        let (start, rest) = item.split_at_checked(prefix.len())?;
        start.eq_ignore_ascii_case(prefix).then(|| rest.trim())
    };
    let label = after("label:").map(|rest| (Prefix::Label, rest));
    label.or_else(|| after("section:").map(|rest| (Prefix::Section, rest)))
}

/// The items of a selection: it is cut at each comma that a prefix follows.
fn items(text: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(comma) = rest.get(from..).and_then(|after| after.find(',')).map(|at| from + at) {
        let (item, after) = (rest.get(..comma).unwrap_or_default(), rest.get(comma + 1..).unwrap_or_default());
        if split_prefix(after).is_some() {
            items.push(item);
            (rest, from) = (after, 0);
        } else {
            from = comma + 1;
        }
    }
    items.push(rest);
    items
}

fn by_numbers(text: &str, page_count: u32) -> Result<SelectedPages, ContextError> {
    let refused = |error| match error {
        PageSelectionError::Malformed => malformed(text, page_count, reversed_range(text)),
        PageSelectionError::OutOfRange { page, .. } => {
            ContextError::PageOutOfRange { number: page.into(), page_count, is_zero_based: false }
        }
    };
    let PageSelection { pages, is_cut } = parse_page_selection(text, page_count).map_err(refused)?;
    let cut =
        is_cut.then(|| format!("The document ends with page {page_count}: '{}' is taken as {pages}.", text.trim()));
    // Elsewhere a negative number counts from the end.
    let from_first = text.split(',').map(str::trim).find(|part| part.starts_with('-'));
    let first = from_first.map(|part| match part {
        "-1" => "'-1' means page 1; 'last' is the last page.".to_owned(),
        part => format!("'{part}' means pages 1{part}; 'last' is the last page."),
    });
    let notes = cut.into_iter().chain(first).collect::<Vec<_>>();
    Ok(SelectedPages { pages, note: (!notes.is_empty()).then(|| notes.join(" ")) })
}

/// The hint on a range that runs from a page to a lower one.
fn reversed_range(text: &str) -> Option<String> {
    text.split(',').find_map(|part| {
        let (first, last) = part.split_once('-')?;
        let (first, last) = (first.trim().parse::<u64>().ok()?, last.trim().parse::<u64>().ok()?);
        (first > last).then(|| format!("A range runs from the lower to the higher page: {last}-{first}."))
    })
}

fn refusal(text: &str, document: &dyn Pages, hint: String) -> ContextError {
    malformed(text, document.page_count(), Some(hint))
}

fn malformed(text: &str, page_count: u32, hint: Option<String>) -> ContextError {
    ContextError::Selection { selection: text.to_owned(), page_count, hint }
}

#[cfg(test)]
mod tests {
    use super::items;

    #[test]
    fn a_prefix_holds_up_to_the_next() {
        assert_eq!(items("1-3,7"), ["1-3,7"]);
        assert_eq!(
            items("1-3, label:iv,vi, Section: Results, part 2,label:x"),
            ["1-3", " label:iv,vi", " Section: Results, part 2", "label:x"]
        );
        assert_eq!(items(","), [","]);
        assert_eq!(items("é,ü,label:1"), ["é,ü", "label:1"]);
    }
}

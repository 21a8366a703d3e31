//! Selects pages by their printed labels.

use std::collections::BTreeMap;

use super::selection::SelectedPages;
use crate::context::markdown::RunningLines;
use crate::context::phrases::one_line;
use crate::worker::Pages;
use pagewise_base::page::{PageIndex, PageLabel, PageSet};

/// The pages of a list of labels and ranges of labels: `iv`, `627-629`, `A-1,iv-vi`. The error is a hint.
pub(super) fn select_labels(text: &str, document: &dyn Pages) -> Result<SelectedPages, String> {
    let labels = Labels::of(document);
    if labels.labels.is_empty() {
        return Err("This document has no page labels: ask for pages by their numbers.".to_owned());
    }
    let inferred = "The document has no page labels; these were read from its headers and footers.";
    let inferred = labels.are_inferred.then(|| inferred.to_owned());
    // A label may itself contain a comma.
    if let Some(pages) = labels.pages(text) {
        return Ok(SelectedPages { pages, note: inferred });
    }
    let mut selected = SelectedPages::default();
    for part in text.split(',').map(str::trim) {
        let found = labels.pages(part).map(|pages| SelectedPages { pages, note: None });
        let found = found.or_else(|| labels.range(part)).ok_or_else(|| labels.refusal(part))?;
        selected.pages.union(&found.pages);
        selected.note = selected.note.or(found.note);
    }
    selected.note = match (selected.note, inferred) {
        (Some(note), Some(inferred)) => Some(format!("{note} {inferred}")),
        (note, inferred) => note.or(inferred),
    };
    Ok(selected)
}

/// The labels of a document.
struct Labels {
    labels: BTreeMap<PageIndex, PageLabel>,
    /// Whether they were read from running lines, which the first pages alone are looked at for.
    are_inferred: bool,
    /// In lower case, with their pages in order.
    by_name: BTreeMap<String, Vec<PageIndex>>,
}

impl Labels {
    fn of(document: &dyn Pages) -> Self {
        let pages = PageSet::all(document.page_count());
        let label = |page| Some((page, document.page_label(page)?));
        let mut labels = pages.iter().filter_map(label).collect::<BTreeMap<_, _>>();
        let are_inferred = labels.is_empty();
        if are_inferred {
            labels = RunningLines::of(document, &pages).labels;
        }
        let mut by_name = BTreeMap::<String, Vec<PageIndex>>::new();
        for (page, label) in &labels {
            by_name.entry(label.0.to_lowercase()).or_default().push(*page);
        }
        Self { labels, are_inferred, by_name }
    }

    /// The pages with this label. If some have it in the same case, only those.
    fn pages(&self, label: &str) -> Option<PageSet> {
        let all = self.by_name.get(&label.to_lowercase())?;
        let is_exact = |page: &&PageIndex| self.label(**page).is_some_and(|found| found == label);
        let exact = all.iter().filter(is_exact).copied().collect::<PageSet>();
        Some(if exact.is_empty() { all.iter().copied().collect() } else { exact })
    }

    /// The pages from one label to another. A label may contain a dash, so each dash may be the one between them.
    fn range(&self, text: &str) -> Option<SelectedPages> {
        let text = text.replace(['\u{2013}', '\u{2014}'], "-");
        text.match_indices('-').find_map(|(at, _)| {
            let (first, last) = (text.get(..at)?.trim(), text.get(at + 1..)?.trim());
            let first_page = self.pages(first)?.iter().next()?;
            match self.pages(last) {
                Some(last) => {
                    let last = last.iter().find(|page| *page >= first_page)?;
                    Some(SelectedPages { pages: run(first_page, last), note: None })
                }
                None => self.numbered_run(first_page, first, last),
            }
        })
    }

    /// The pages of consecutive numbers up to one that no page has.
    fn numbered_run(&self, first_page: PageIndex, first: &str, last: &str) -> Option<SelectedPages> {
        let (mut number, last_number) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        let mut end = first_page;
        for (page, label) in self.labels.range(PageIndex(first_page.0.saturating_add(1))..) {
            let next = label.0.parse::<u64>().ok();
            if next != number.checked_add(1) || next > Some(last_number) {
                break;
            }
            (number, end) = (number + 1, *page);
        }
        (number < last_number).then(|| SelectedPages {
            pages: run(first_page, end),
            note: Some(format!("No page is labelled '{last}': 'label:{first}-{last}' ends with label {number}.")),
        })
    }

    fn label(&self, page: PageIndex) -> Option<&str> {
        self.labels.get(&page).map(|label| label.0.as_str())
    }

    fn refusal(&self, part: &str) -> String {
        let named = |label: Option<&PageLabel>| label.map(|label| one_line(&label.0)).unwrap_or_default();
        let (first, last) = (named(self.labels.values().next()), named(self.labels.values().next_back()));
        format!("No page of this document is labelled '{part}'. Its labels go from '{first}' to '{last}'.")
    }
}

fn run(first: PageIndex, last: PageIndex) -> PageSet {
    let mut pages = PageSet::new();
    pages.insert_run(first.0, last.0);
    pages
}

//! Pages that are not sent because the conversation holds them, and the sentences that name them.

use std::collections::BTreeMap;

use super::PdfAnswerBuilder;
use super::plan::HeldStatus;
use crate::context::phrases::{IF_UNSEEN, one_line, page_held, summary_held};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{HeldItem, PageForm};

/// Where a held page was first given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PageOrigin {
    /// In this file.
    Here,
    /// In another file with the same bytes.
    Copy(PageInFile),
    /// In another file with different bytes.
    Elsewhere(PageInFile),
}

/// A page of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageInFile {
    pub(crate) path: String,
    pub(crate) page: PageIndex,
}

impl PageOrigin {
    /// Whether one sentence can cover this page and the next one.
    fn continues(&self, next: &Self, pages: u32) -> bool {
        match (self, next) {
            (Self::Here, Self::Here) => true,
            (Self::Copy(one), Self::Copy(next)) | (Self::Elsewhere(one), Self::Elsewhere(next)) => {
                one.path == next.path && one.page.0.checked_add(pages) == Some(next.page.0)
            }
            _ => false,
        }
    }
}

/// Consecutive held pages that one sentence covers.
struct HeldPageRun<'a> {
    pages: PageSet,
    first: PageIndex,
    count: u32,
    origin: &'a PageOrigin,
}

/// Sentences about held pages in one answer. Beyond this bound other files are not named.
const MAX_SENTENCES: usize = 20;

/// Sentences on the held pages of the file at `path`.
fn held_sentences(path: &str, held: &BTreeMap<PageIndex, PageOrigin>) -> Vec<String> {
    let runs = runs(held);
    if runs.len() <= MAX_SENTENCES {
        return runs.iter().map(|run| run.sentence(path)).collect();
    }
    let (here, elsewhere): (Vec<_>, Vec<_>) = held.iter().partition(|(_, origin)| **origin == PageOrigin::Here);
    let pages = |held: Vec<(&PageIndex, &PageOrigin)>| held.into_iter().map(|(page, _)| *page).collect::<PageSet>();
    let (here, elsewhere) = (pages(here), pages(elsewhere));
    let here = (!here.is_empty()).then(|| already_provided(path, &here));
    let elsewhere = format!("Pages {elsewhere} of {path} are pages of other files, which you already have.");
    here.into_iter().chain([elsewhere]).collect()
}

fn already_provided(path: &str, pages: &PageSet) -> String {
    let mut each = pages.iter();
    match (each.next(), each.next()) {
        (Some(page), None) => page_held(path, page.number()),
        _ => format!("Pages {pages} of {path} have already been provided to you in this conversation."),
    }
}

/// Groups held pages into runs that one sentence can cover.
fn runs(held: &BTreeMap<PageIndex, PageOrigin>) -> Vec<HeldPageRun<'_>> {
    let mut runs: Vec<HeldPageRun<'_>> = Vec::new();
    for (page, origin) in held {
        let follows = |run: &&mut HeldPageRun<'_>| {
            let is_next = *origin == PageOrigin::Here || run.first.0.checked_add(run.count) == Some(page.0);
            is_next && run.origin.continues(origin, run.count)
        };
        match runs.last_mut().filter(follows) {
            Some(run) => {
                run.pages.insert(*page);
                run.count += 1;
            }
            None => runs.push(HeldPageRun { pages: [*page].into_iter().collect(), first: *page, count: 1, origin }),
        }
    }
    runs
}

impl HeldPageRun<'_> {
    fn sentence(&self, path: &str) -> String {
        let is_one = self.pages.len() == 1;
        let provided = already_provided(path, &self.pages);
        let (they, are) = if is_one { ("It", "is") } else { ("They", "are") };
        match self.origin {
            PageOrigin::Here => provided,
            PageOrigin::Copy(source) => format!("{provided} {they} {are} {} of {}.", self.there(source), source.path),
            PageOrigin::Elsewhere(source) => {
                let here = if is_one { "Page" } else { "Pages" };
                let there = self.there(source);
                format!("{here} {} of {path} {are} {there} of {}, which you already have.", self.pages, source.path)
            }
        }
    }

    /// `page 5`, or `pages 5-7`.
    fn there(&self, source: &PageInFile) -> String {
        let first = source.page.number();
        match self.count {
            1 => format!("page {first}"),
            count => format!("pages {first}-{}", first.get().saturating_add(count - 1)),
        }
    }
}

impl PdfAnswerBuilder<'_> {
    /// The held status of a page. If it is held, remembers where it was given.
    pub(crate) fn held_status(&self, page: PageIndex, fingerprint: PageFingerprint) -> HeldStatus {
        let form = self.form_of(page);
        let standing = self.memory.held_status(page, fingerprint, form);
        if standing != HeldStatus::Current || form == PageForm::Path && !self.has_written_file(page) {
            return if standing == HeldStatus::Current { HeldStatus::NotHeld } else { standing };
        }
        // If a page cannot be named as it was given, send it.
        let Some(origin) = self.origin(page, fingerprint, form) else { return HeldStatus::Superseded };
        self.origins.borrow_mut().insert(page, origin);
        HeldStatus::Current
    }

    /// Where a held page was given; `None` if that is another file whose path is not known.
    fn origin(&self, page: PageIndex, fingerprint: PageFingerprint, form: PageForm) -> Option<PageOrigin> {
        let Some(given) = self.memory.origin_in_other_file(fingerprint, form) else { return Some(PageOrigin::Here) };
        let HeldItem::Page { page: there, .. } = given.what else { return Some(PageOrigin::Here) };
        let is_copy =
            Some(given.content) == self.requested.known_hash() && self.memory.is_last_reported(page, fingerprint);
        let source = (self.path_of)(given.file).map(|path| PageInFile { path: one_line(&path), page: there });
        match source {
            Some(source) if is_copy => Some(PageOrigin::Copy(source)),
            Some(source) => Some(PageOrigin::Elsewhere(source)),
            None => is_copy.then_some(PageOrigin::Here),
        }
    }

    /// Sentences about held pages, and how to get them again.
    pub(crate) fn held_lines(&self) -> Vec<String> {
        let mut lines = held_sentences(&self.requested.path, &self.origins.borrow());
        lines.extend((!lines.is_empty()).then(|| IF_UNSEEN.to_owned()));
        lines
    }

    /// Sentences about the held pages that were given as pages of other files.
    pub(crate) fn elsewhere_sentences(&self) -> Vec<String> {
        let mut held = self.origins.borrow().clone();
        held.retain(|_, origin| matches!(origin, PageOrigin::Elsewhere(_)));
        held_sentences(&self.requested.path, &held)
    }

    /// Held pages that another file gave are recorded for this file too, so that forgetting it forgets them.
    pub(crate) fn held_elsewhere(&self, held: &PageSet) -> Vec<HeldItem> {
        let holding =
            |page| Some(HeldItem::Page { fingerprint: self.fingerprint(page)?, page, form: self.form_of(page) });
        held.iter().filter_map(holding).filter(|held| !self.memory.holds_here(held)).collect()
    }
}

/// The answer when the summary is held: the text that the contract fixes, the held pages, and how to get it again.
pub(crate) fn held_summary(path: &str, pages: Option<u32>, held: &[String]) -> String {
    let pages = pages.map(|pages| format!("Pages: {pages}"));
    let held = held.iter().map(|held| format!("Already held in this conversation: {held}"));
    let lines = std::iter::once(summary_held(path)).chain(pages).chain(held).chain([IF_UNSEEN.to_owned()]);
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;

    fn check(held: &[(u32, PageOrigin)], expected: &[&str]) {
        let held = held.iter().map(|(page, origin)| (PageIndex(*page), origin.clone())).collect();
        assert_eq!(held_sentences("b.pdf", &held), expected);
    }

    fn there(page: u32) -> PageInFile {
        PageInFile { path: "a.pdf".to_owned(), page: PageIndex(page) }
    }

    #[test]
    fn held_pages_of_one_origin_are_one_sentence() {
        use PageOrigin::{Copy, Elsewhere, Here};
        check(&[(2, Here)], &["Page 3 of b.pdf has already been provided to you in this conversation."]);
        let pages = ["Pages 1,3-4 of b.pdf have already been provided to you in this conversation."];
        check(&[(0, Here), (2, Here), (3, Here)], &pages);
        check(&[(2, Elsewhere(there(4)))], &["Page 3 of b.pdf is page 5 of a.pdf, which you already have."]);
        check(
            &[(2, Elsewhere(there(4))), (3, Elsewhere(there(5))), (5, Elsewhere(there(6))), (6, Elsewhere(there(2)))],
            &[
                "Pages 3-4 of b.pdf are pages 5-6 of a.pdf, which you already have.",
                "Page 6 of b.pdf is page 7 of a.pdf, which you already have.",
                "Page 7 of b.pdf is page 3 of a.pdf, which you already have.",
            ],
        );
        check(
            &[(0, Copy(there(0))), (1, Copy(there(1)))],
            &[
                "Pages 1-2 of b.pdf have already been provided to you in this conversation. They are pages 1-2 of a.pdf.",
            ],
        );
    }

    #[test]
    fn held_pages_from_everywhere_are_few_sentences() {
        let scattered = |count: u32| -> BTreeMap<PageIndex, PageOrigin> {
            (0..count).map(|page| (PageIndex(page * 2), PageOrigin::Elsewhere(there(page)))).collect()
        };
        assert_eq!(held_sentences("b.pdf", &scattered(20)).len(), 20);
        let mut held = scattered(21);
        held.insert(PageIndex(99), PageOrigin::Here);
        let sentences = held_sentences("b.pdf", &held);
        assert_eq!(sentences.len(), 2);
        assert_eq!(sentences[0], "Page 100 of b.pdf has already been provided to you in this conversation.");
        assert!(
            sentences[1].starts_with("Pages 1,3,5,")
                && sentences[1].ends_with("are pages of other files, which you already have.")
        );
    }
}

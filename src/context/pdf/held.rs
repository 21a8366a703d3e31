//! Pages that are not sent because the conversation holds them, and the sentences that name them.

use std::collections::BTreeMap;

use super::PdfAnswerBuilder;
use super::plan::HeldStatus;
use crate::context::conversation::FileMemory;
use crate::context::phrases::{IF_UNSEEN, one_line, page_held, provided_line, same_content, summary_held};
use crate::context::request::form_name;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{HeldItem, PageForm};

/// Where a held page was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PageOrigin {
    /// Under this number in this file.
    Here,
    /// Under another number in the version of this file that the agent knows.
    EarlierVersion(GivenPlace),
    /// In another place of this file, or in another file.
    Elsewhere(GivenPlace),
}

/// The place of a page that the agent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenPlace {
    /// The path of the file.
    pub(crate) path: String,
    pub(crate) page: PageIndex,
    /// A text form is the same wherever its text is.
    pub(crate) form: PageForm,
}

impl PageOrigin {
    /// Whether one sentence can cover this page and the next one.
    fn continues(&self, next: &Self, pages: u32) -> bool {
        match (self, next) {
            (Self::Here, Self::Here) => true,
            (Self::EarlierVersion(one), Self::EarlierVersion(next)) | (Self::Elsewhere(one), Self::Elsewhere(next)) => {
                (&one.path, one.form) == (&next.path, next.form) && one.page.0.checked_add(pages) == Some(next.page.0)
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
    let elsewhere = format!("Pages {elsewhere} of {path} are the same as other pages, which you already have.");
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
        match self.origin {
            PageOrigin::Here => already_provided(path, &self.pages),
            PageOrigin::EarlierVersion(given) => self.same_as(path, given, "its earlier version"),
            PageOrigin::Elsewhere(given) => self.same_as(path, given, &given.path),
        }
    }

    fn same_as(&self, path: &str, given: &GivenPlace, file: &str) -> String {
        let (here, are) = if self.pages.len() == 1 { ("Page", "is") } else { ("Pages", "are") };
        let form = if given.form.is_text() { format!(" as {}", form_name(given.form)) } else { String::new() };
        let there = self.there(given);
        format!("{here} {} of {path}{form} {are} the same as {there} of {file}, which you already have.", self.pages)
    }

    /// `page 5`, or `pages 5-7`.
    fn there(&self, given: &GivenPlace) -> String {
        let first = given.page.number();
        match self.count {
            1 => format!("page {first}"),
            count => format!("pages {first}-{}", first.get().saturating_add(count - 1)),
        }
    }
}

impl PdfAnswerBuilder<'_> {
    /// The held status of a page. If it is held, remembers where it was given.
    pub(crate) fn held_status(&self, page: PageIndex) -> HeldStatus {
        let form = self.form_of(page);
        let status = self.memory.held_status(page, form, &self.identities);
        if status != HeldStatus::Current {
            return status;
        }
        // If a page cannot be named as it was given, send it.
        let origin = self.origin(page, form).filter(|_| form != PageForm::Path || self.has_written_file(page));
        let Some(origin) = origin else { return HeldStatus::NotHeld };
        self.origins.borrow_mut().insert(page, origin);
        HeldStatus::Current
    }

    /// Where a held page was given; `None` if that cannot be said.
    fn origin(&self, page: PageIndex, form: PageForm) -> Option<PageOrigin> {
        let given = self.memory.origin_of(page, &self.identity(page, form)?, form)?;
        let HeldItem::Page { page: there, .. } = given.what else { return None };
        let place = |path: String| GivenPlace { path, page: there, form };
        if self.memory.file() != Some(given.file) {
            return (self.path_of)(given.file).map(|path| PageOrigin::Elsewhere(place(one_line(&path))));
        }
        let path = self.requested.path.clone();
        Some(match there == page {
            true => PageOrigin::Here,
            false if Some(given.content) == self.requested.known_hash() => PageOrigin::Elsewhere(place(path)),
            false => PageOrigin::EarlierVersion(place(path)),
        })
    }

    /// Sentences about held pages, and how to get them again.
    pub(crate) fn held_lines(&self) -> Vec<String> {
        let mut lines = held_sentences(&self.requested.path, &self.origins.borrow());
        lines.extend((!lines.is_empty()).then(|| IF_UNSEEN.to_owned()));
        lines
    }

    /// Sentences about the held pages that were given as other pages.
    pub(crate) fn elsewhere_sentences(&self) -> Vec<String> {
        let mut held = self.origins.borrow().clone();
        held.retain(|_, origin| *origin != PageOrigin::Here);
        held_sentences(&self.requested.path, &held)
    }

    /// Held pages that another place gave are recorded for this one too, so that forgetting it forgets them.
    pub(crate) fn held_elsewhere(&self, held: &PageSet) -> Vec<HeldItem> {
        let origins = self.origins.borrow();
        let holding = |page| {
            let (form, is_shared) = (self.form_of(page), matches!(origins.get(&page), Some(PageOrigin::Elsewhere(_))));
            Some(HeldItem::Page { fingerprint: self.identity(page, form)?, page, form, is_shared })
        };
        held.iter().filter_map(holding).filter(|held| !self.memory.holds_here(held)).collect()
    }
}

/// The answer when the summary is held: the text that the contract fixes, the held pages, and how to get it again.
pub(crate) fn held_summary(path: &str, pages: Option<u32>, memory: &FileMemory) -> String {
    let given_as = memory.given_as().map(|path| same_content(&path)).unwrap_or_default();
    let pages = pages.map(|pages| format!("Pages: {pages}"));
    let held = provided_line(&memory.held_lines());
    let lines = std::iter::once(summary_held(path) + &given_as).chain(pages).chain(held).chain([IF_UNSEEN.to_owned()]);
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

    fn there(page: u32) -> GivenPlace {
        GivenPlace { path: "a.pdf".to_owned(), page: PageIndex(page), form: PageForm::Document }
    }

    #[test]
    fn held_pages_of_one_origin_are_one_sentence() {
        use PageOrigin::{EarlierVersion, Elsewhere, Here};
        check(&[(2, Here)], &["Page 3 of b.pdf has already been provided to you in this conversation."]);
        let pages = ["Pages 1,3-4 of b.pdf have already been provided to you in this conversation."];
        check(&[(0, Here), (2, Here), (3, Here)], &pages);
        check(
            &[(2, Elsewhere(there(4)))],
            &["Page 3 of b.pdf is the same as page 5 of a.pdf, which you already have."],
        );
        check(
            &[(2, Elsewhere(there(4))), (3, Elsewhere(there(5))), (5, Elsewhere(there(6))), (6, Elsewhere(there(2)))],
            &[
                "Pages 3-4 of b.pdf are the same as pages 5-6 of a.pdf, which you already have.",
                "Page 6 of b.pdf is the same as page 7 of a.pdf, which you already have.",
                "Page 7 of b.pdf is the same as page 3 of a.pdf, which you already have.",
            ],
        );
        check(
            &[(1, EarlierVersion(there(0))), (2, EarlierVersion(there(1)))],
            &["Pages 2-3 of b.pdf are the same as pages 1-2 of its earlier version, which you already have."],
        );
        check(
            &[(1, Elsewhere(GivenPlace { form: PageForm::Text, ..there(0) }))],
            &["Page 2 of b.pdf as text is the same as page 1 of a.pdf, which you already have."],
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
                && sentences[1].ends_with("are the same as other pages, which you already have.")
        );
    }
}

//! What is said of pages that are not sent because they are held.

use std::collections::BTreeMap;

use super::words::page_held;
use crate::page::{PageIndex, PageSet};

/// Where a held page was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// In this file.
    Here,
    /// In another file of the same bytes.
    Copy(Place),
    /// In another file. This one may have shown another page before.
    Elsewhere(Place),
}

/// A page of another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) page: PageIndex,
}

impl Origin {
    /// Whether one sentence can speak of the next page too, where that is from `next`.
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

/// Held pages of which one sentence speaks.
struct Run<'a> {
    pages: PageSet,
    first: PageIndex,
    count: u32,
    origin: &'a Origin,
}

/// A sentence for each run of held pages of the file at `path`.
pub(super) fn held_lines(path: &str, held: &BTreeMap<PageIndex, Origin>) -> Vec<String> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (page, origin) in held {
        let follows = |run: &&mut Run<'_>| {
            let is_next = *origin == Origin::Here || run.first.0.checked_add(run.count) == Some(page.0);
            is_next && run.origin.continues(origin, run.count)
        };
        match runs.last_mut().filter(follows) {
            Some(run) => {
                run.pages.insert(*page);
                run.count += 1;
            }
            None => runs.push(Run { pages: [*page].into_iter().collect(), first: *page, count: 1, origin }),
        }
    }
    runs.iter().map(|run| run.sentence(path)).collect()
}

impl Run<'_> {
    fn sentence(&self, path: &str) -> String {
        let is_one = self.pages.len() == 1;
        let provided = match is_one {
            true => page_held(path, self.first.number()),
            false => format!("Pages {} of {path} have already been provided to you in this conversation.", self.pages),
        };
        let (they, are) = if is_one { ("It", "is") } else { ("They", "are") };
        match self.origin {
            Origin::Here => provided,
            Origin::Copy(place) => format!("{provided} {they} {are} {} of {}.", self.there(place), place.path),
            Origin::Elsewhere(place) => {
                let here = if is_one { "Page" } else { "Pages" };
                let there = self.there(place);
                format!("{here} {} of {path} {are} {there} of {}, which you already have.", self.pages, place.path)
            }
        }
    }

    /// `page 5`, or `pages 5-7`.
    fn there(&self, place: &Place) -> String {
        let first = place.page.number();
        match self.count {
            1 => format!("page {first}"),
            count => format!("pages {first}-{}", first.get().saturating_add(count - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(held: &[(u32, Origin)], expected: &[&str]) {
        let held = held.iter().map(|(page, origin)| (PageIndex(*page), origin.clone())).collect();
        assert_eq!(held_lines("b.pdf", &held), expected);
    }

    fn place(page: u32) -> Place {
        Place { path: "a.pdf".to_owned(), page: PageIndex(page) }
    }

    #[test]
    fn held_pages_of_one_origin_are_one_sentence() {
        use Origin::{Copy, Elsewhere, Here};
        check(&[(2, Here)], &["Page 3 of b.pdf has already been provided to you in this conversation."]);
        let pages = ["Pages 1,3-4 of b.pdf have already been provided to you in this conversation."];
        check(&[(0, Here), (2, Here), (3, Here)], &pages);
        check(&[(2, Elsewhere(place(4)))], &["Page 3 of b.pdf is page 5 of a.pdf, which you already have."]);
        check(
            &[(2, Elsewhere(place(4))), (3, Elsewhere(place(5))), (5, Elsewhere(place(6))), (6, Elsewhere(place(2)))],
            &[
                "Pages 3-4 of b.pdf are pages 5-6 of a.pdf, which you already have.",
                "Page 6 of b.pdf is page 7 of a.pdf, which you already have.",
                "Page 7 of b.pdf is page 3 of a.pdf, which you already have.",
            ],
        );
        check(
            &[(0, Copy(place(0))), (1, Copy(place(1)))],
            &[
                "Pages 1-2 of b.pdf have already been provided to you in this conversation. They are pages 1-2 of a.pdf.",
            ],
        );
    }
}

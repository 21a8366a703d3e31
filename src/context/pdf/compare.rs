//! Compares the pages of two versions of a document. A pure function.

use std::collections::{BTreeMap, BTreeSet};

use similar::{Algorithm, DiffTag, capture_diff_slices};

use pagewise_base::page::{PageIndex, PageSet};

/// Pages compared in one document, since each comparison reads a page. Longer documents are compared by position.
pub(crate) const MAX_COMPARED: u32 = 500;

/// How a document changed since the agent was given pages of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageChanges {
    /// Page count of the earlier version, if known.
    pub pages_before: Option<u32>,
    /// Pages now.
    pub pages_now: u32,
    /// Held pages that are the same, under the same number.
    pub unchanged: PageSet,
    /// Held pages with a new number: old index, new index.
    pub moved: Vec<(PageIndex, PageIndex)>,
    /// Held pages that were replaced, by their new number.
    pub changed: PageSet,
    /// Added pages, by their new number.
    pub added: PageSet,
    /// Removed pages, by their old number.
    pub removed: PageSet,
    /// Held pages that were not compared, by their old number: too many, or unreadable.
    pub not_compared: PageSet,
    /// Whether the numbers of added, removed and changed pages are exact. They are not if pages changed among those
    /// that the agent was never given.
    pub is_exact: bool,
}

impl PageChanges {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moved.is_empty()
            && self.pages_before.is_none_or(|before| before == self.pages_now)
            && [&self.changed, &self.added, &self.removed, &self.not_compared].iter().all(|pages| pages.is_empty())
    }
}

impl PageChanges {
    /// Drops a page that the answer mentions elsewhere.
    pub(crate) fn leave_out(&mut self, page: PageIndex) {
        self.changed.remove(page);
        self.added.remove(page);
    }
}

/// One page of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ComparedPage<'p, P> {
    Known(&'p P),
    /// Unknown, in the old or the new version: equal to no other page.
    Before(u32),
    Now(u32),
}

/// Compares the pages held of an earlier version with a document of `pages_now` pages. `shows` says whether a page of it
/// is the same as one that is held.
pub(crate) fn page_changes<P: Ord + std::hash::Hash>(
    held: &BTreeMap<PageIndex, P>,
    pages_before: Option<u32>,
    pages_now: u32,
    shows: impl FnMut(PageIndex, &P) -> bool,
) -> PageChanges {
    let last_held = held.keys().next_back().map_or(0, |page| page.0.saturating_add(1));
    // If a page is held past the recorded page count, trust the holding.
    let before = pages_before.map_or(last_held, |before| before.max(last_held));
    let changes = PageChanges { pages_before, pages_now, is_exact: true, ..PageChanges::default() };
    if before <= MAX_COMPARED && pages_now <= MAX_COMPARED {
        aligned(held, before, changes, shows)
    } else {
        by_place(held, before, changes, shows)
    }
}

fn aligned<P: Ord + std::hash::Hash>(
    held: &BTreeMap<PageIndex, P>,
    before: u32,
    mut changes: PageChanges,
    mut shows: impl FnMut(PageIndex, &P) -> bool,
) -> PageChanges {
    let old = |at: u32| held.get(&PageIndex(at)).map_or(ComparedPage::Before(at), ComparedPage::Known);
    let old: Vec<ComparedPage<'_, P>> = (0..before).map(old).collect();
    let pages: BTreeSet<&P> = held.values().collect();
    let new = |at: u32| {
        // Most pages stay where they are.
        let mut likely = held.get(&PageIndex(at)).into_iter().chain(pages.iter().copied());
        likely.find(|page| shows(PageIndex(at), page)).map_or(ComparedPage::Now(at), ComparedPage::Known)
    };
    let new: Vec<ComparedPage<'_, P>> = (0..changes.pages_now).map(new).collect();
    for operation in capture_diff_slices(Algorithm::Patience, &old, &new) {
        let (tag, then, now) = operation.as_tag_tuple();
        if tag == DiffTag::Equal {
            pairs(&then, &now).for_each(|(then, now)| changes.keep(then, now));
            continue;
        }
        let paired = then.len().min(now.len());
        let is_held = |at: &PageIndex| held.contains_key(at);
        pairs(&then, &now).filter(|(then, _)| is_held(then)).for_each(|(_, now)| changes.changed.insert(now));
        indices(&now).skip(paired).for_each(|page| changes.added.insert(page));
        indices(&then).skip(paired).for_each(|page| changes.removed.insert(page));
        let is_guess = paired > 0 && then.len() != now.len() && !indices(&then).all(|page| is_held(&page));
        changes.is_exact &= !is_guess;
    }
    changes.find_moved(held, &new);
    // If the old page count is unknown, pages after the last one held are not known to be new.
    if changes.pages_before.is_none() {
        changes.added = PageSet::new();
    }
    changes
}

fn by_place<P>(
    held: &BTreeMap<PageIndex, P>,
    before: u32,
    mut changes: PageChanges,
    mut shows: impl FnMut(PageIndex, &P) -> bool,
) -> PageChanges {
    let pages_now = changes.pages_now;
    let shifted = |page: PageIndex| {
        let at = i64::from(page.0) + i64::from(pages_now) - i64::from(before);
        u32::try_from(at).ok().filter(|at| *at < pages_now && *at != page.0).map(PageIndex)
    };
    for (compared, (page, print)) in (0_u32..).zip(held) {
        let mut shows = |at: PageIndex| at.0 < pages_now && shows(at, print);
        match shifted(*page) {
            _ if compared >= MAX_COMPARED => changes.not_compared.insert(*page),
            _ if shows(*page) => changes.unchanged.insert(*page),
            Some(at) if shows(at) => changes.moved.push((*page, at)),
            _ if page.0 < pages_now => changes.changed.insert(*page),
            _ => changes.removed.insert(*page),
        }
    }
    if changes.pages_before.is_some() && before != pages_now {
        changes.is_exact = false;
    }
    changes
}

impl PageChanges {
    fn keep(&mut self, then: PageIndex, now: PageIndex) {
        if then == now {
            self.unchanged.insert(now);
        } else {
            self.moved.push((then, now));
        }
    }

    /// Finds reordered pages, which a sequence diff reports as removed and added.
    fn find_moved<P: Eq>(&mut self, held: &BTreeMap<PageIndex, P>, new: &[ComparedPage<'_, P>]) {
        let mut placed: BTreeSet<PageIndex> = self.unchanged.iter().collect();
        placed.extend(self.moved.iter().map(|(_, now)| *now));
        let found: BTreeSet<PageIndex> =
            self.unchanged.iter().chain(self.moved.iter().map(|(then, _)| *then)).collect();
        for (then, print) in held.iter().filter(|(then, _)| !found.contains(*then)) {
            let here = (0_u32..).map(PageIndex).zip(new).filter(|(_, page)| **page == ComparedPage::Known(print));
            let Some((now, _)) = here.into_iter().find(|(now, _)| !placed.contains(now)) else { continue };
            placed.insert(now);
            self.moved.push((*then, now));
            self.removed.remove(*then);
            self.added.remove(now);
            self.changed.remove(now);
        }
        self.moved.sort_unstable();
    }
}

fn pairs(then: &std::ops::Range<usize>, now: &std::ops::Range<usize>) -> impl Iterator<Item = (PageIndex, PageIndex)> {
    indices(then).zip(indices(now))
}

fn indices(range: &std::ops::Range<usize>) -> impl Iterator<Item = PageIndex> + use<> {
    range.clone().map(|at| PageIndex(u32::try_from(at).unwrap_or(u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter is a page; a capital letter is a page that the agent holds.
    fn check(before: &str, now: &str, expected: &str) {
        let print = |letter: char| letter.to_ascii_lowercase();
        let places = (0..).map(PageIndex);
        let held = places.zip(before.chars()).filter(|(_, letter)| letter.is_uppercase());
        let held: BTreeMap<_, _> = held.map(|(page, letter)| (page, print(letter))).collect();
        let count = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let at = |page: PageIndex| now.chars().nth(usize::try_from(page.0).unwrap_or(usize::MAX)).map(print);
        let shows = |page, held: &char| at(page) == Some(*held);
        let changes = page_changes(&held, Some(count(before)), count(now), shows);
        let moved = changes.moved.iter().map(|(then, now)| format!("{}>{}", then.number(), now.number()));
        let found = format!(
            "same {} changed {} added {} removed {} moved {}{}",
            changes.unchanged,
            changes.changed,
            changes.added,
            changes.removed,
            moved.collect::<Vec<_>>().join(","),
            if changes.is_exact { "" } else { " about" }
        );
        assert_eq!(found, expected, "{before} to {now}");
    }

    #[test]
    fn pages_are_compared_as_lines_of_a_text_are() {
        check("ABC", "abc", "same 1-3 changed  added  removed  moved ");
        check("ABC", "axc", "same 1,3 changed 2 added  removed  moved ");
        check("ABC", "abxc", "same 1-2 changed  added 3 removed  moved 3>4");
        check("ABC", "ac", "same 1 changed  added  removed 2 moved 3>2");
        check("ABC", "abcxy", "same 1-3 changed  added 4-5 removed  moved ");
        check("ABC", "", "same  changed  added  removed 1-3 moved ");
        check("AB", "ba", "same  changed  added  removed  moved 1>2,2>1");
        check("AAB", "ab", "same 1 changed  added  removed 2 moved 3>2");
    }

    #[test]
    fn pages_that_were_never_given_are_no_news() {
        check("Abc", "axyz", "same 1 changed  added 4 removed  moved  about");
        check("aBc", "aXc", "same  changed 2 added  removed  moved ");
        check("abC", "xyzc", "same  changed  added 3 removed  moved 3>4 about");
        check("abc", "abcd", "same  changed  added 4 removed  moved  about");
    }

    #[test]
    fn a_long_document_is_compared_by_its_places() {
        let held = [PageIndex(0), PageIndex(599)].map(|page| (page, page.0)).into_iter().collect();
        let mut requested = 0;
        let changes = page_changes(&held, Some(600), 601, |page, held| {
            requested += 1;
            page.0.saturating_sub(1) == *held
        });
        assert_eq!(
            (changes.unchanged.to_string(), changes.moved.as_slice()),
            ("1".into(), &[(PageIndex(599), PageIndex(600))][..])
        );
        assert!(requested <= 4 && !changes.is_exact, "{requested} pages were read");
    }

    #[test]
    fn without_a_page_count_nothing_is_called_new() {
        let held = [(PageIndex(1), ())].into_iter().collect();
        let changes = page_changes(&held, None, 5, |page, ()| page.0 == 1);
        assert!(changes.is_empty(), "{changes:?}");
    }
}

//! How a PDF differs from the version that the agent knows.

use std::collections::{BTreeMap, BTreeSet};

use super::compare::{PageChanges, page_changes};
use super::identity::PageIdentities;
use crate::context::phrases::{count_of, grouped, page_or_pages};
use pagewise_base::hash::PageFingerprint;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{ConversationView, FileKey, ForgetScope, HeldItem, PageForm};

/// What was last given of one page, in each form.
type FormPrints = BTreeMap<PageForm, PageFingerprint>;

/// The changes of one document, and what to record once they were reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct RevisionDiff {
    pub(crate) changes: PageChanges,
    /// Positions that now show another page, or none.
    pub(crate) left: PageSet,
    /// Pages that are no longer in the document.
    pub(crate) gone: BTreeSet<PageFingerprint>,
    /// Items of the new version that are held without being sent again.
    pub(crate) holdings: Vec<HeldItem>,
}

impl RevisionDiff {
    /// Compares what `view` holds of `file` with the document as it is now. A page stays if it is the same in each form in
    /// which it was last given.
    pub(crate) fn of(
        view: &ConversationView,
        file: FileKey,
        pages_before: Option<u32>,
        document: &PageIdentities<'_>,
    ) -> Self {
        let mut held: BTreeMap<PageIndex, FormPrints> = BTreeMap::new();
        view.pages_at(file).for_each(|(page, given)| held.entry(page).or_default().extend([given]));
        let shows = |page: PageIndex, given: &FormPrints| {
            given.iter().all(|(form, print)| document.identity(page, *form) == Some(*print))
        };
        let changes = page_changes(&held, pages_before, document.page_count(), shows);
        let same = changes.unchanged.iter().map(|page| (page, page));
        let stays: Vec<(PageIndex, PageIndex)> = same.chain(changes.moved.iter().copied()).collect();
        let prints = |page: PageIndex| held.get(&page).into_iter().flatten().map(|(form, print)| (*form, *print));
        // If one of two identical pages is removed, the other is still held, and shows what the removed one was given as.
        let mut shown: Vec<(PageIndex, (PageForm, PageFingerprint))> = Vec::new();
        for (page, forms) in held.iter().filter(|(page, _)| changes.removed.contains(**page)) {
            let is_twin = |then: PageIndex| prints(then).any(|(form, print)| forms.get(&form) == Some(&print));
            let Some((then, now)) = stays.iter().find(|(then, _)| is_twin(*then)) else { continue };
            let others = prints(*page).filter(|given| !prints(*then).any(|known| known == *given));
            shown.extend(
                others
                    .filter(|(form, print)| document.identity(*now, *form) == Some(*print))
                    .map(|given| (*now, given)),
            );
        }
        let stay = stays.iter().flat_map(|(then, _)| prints(*then));
        let kept: BTreeSet<_> = stay.chain(shown.iter().map(|(_, given)| *given)).map(|(_, print)| print).collect();
        let removed = changes.removed.iter().flat_map(prints).map(|(_, print)| print);
        let gone: BTreeSet<PageFingerprint> = removed.filter(|print| !kept.contains(print)).collect();
        let mut left = changes.removed.clone();
        changes.moved.iter().for_each(|(then, _)| left.insert(*then));
        let item = |then: PageIndex, page: PageIndex, (form, fingerprint): (PageForm, PageFingerprint)| {
            let is_shared = view.given_at(file, then, &fingerprint, form).is_none();
            HeldItem::Page { fingerprint, page, form, is_shared }
        };
        let mut holdings: Vec<HeldItem> = Vec::new();
        for (then, now) in &stays {
            holdings.extend(prints(*then).map(|given| item(*then, *now, given)));
        }
        let shared = |(page, (form, fingerprint))| HeldItem::Page { fingerprint, page, form, is_shared: true };
        holdings.extend(shown.into_iter().map(shared));
        // What stands there now may have been given already: an answer with the earlier version can settle later.
        let forms: BTreeSet<PageForm> = held.values().flatten().map(|(form, _)| *form).collect();
        for page in left.iter().take_while(|page| page.0 < document.page_count()) {
            let now = forms.iter().filter_map(|form| Some((*form, document.identity(page, *form)?)));
            let is_given = |(form, print): &(PageForm, PageFingerprint)| {
                !gone.contains(print) && view.holds_page(print, *form) && view.was_given_at(file, page, *print)
            };
            holdings.extend(now.filter(is_given).map(|given| item(page, page, given)));
        }
        holdings.push(HeldItem::Followed);
        Self { changes, left, gone, holdings }
    }

    /// What to forget before recording the holdings.
    ///
    /// Removed pages are forgotten under every file that gave them. Pages that only moved are not: they may have come
    /// back elsewhere.
    pub(crate) fn forget(&self, file: FileKey) -> Vec<ForgetScope> {
        let left = (!self.left.is_empty()).then(|| ForgetScope::Positions { file, pages: self.left.clone() });
        let gone = (!self.gone.is_empty()).then(|| ForgetScope::Fingerprints(self.gone.clone()));
        gone.into_iter().chain(left).collect()
    }
}

/// The changes as sentences, for an answer that sends no pages.
#[must_use]
pub fn page_change_lines(changes: &PageChanges) -> Vec<String> {
    lines_of(changes, ("Changed", &changes.changed))
}

/// The changes as sentences, one per line. Pages in `sent` are left out, because the answer itself shows them.
pub(crate) fn change_lines(changes: &PageChanges, sent: &PageSet) -> Vec<String> {
    let mut changed = changes.changed.clone();
    sent.iter().for_each(|page| changed.remove(page));
    lines_of(changes, ("Changed since they were given to you, and not in this answer", &changed))
}

fn lines_of(changes: &PageChanges, (change, changed): (&str, &PageSet)) -> Vec<String> {
    let named = |what: &str, pages: &PageSet| (!pages.is_empty()).then(|| format!("{what}: {}.", page_or_pages(pages)));
    let count = changes.pages_before.filter(|before| *before != changes.pages_now).map(|before| {
        let (now, before) = (count_of(changes.pages_now.into(), "page"), grouped(before.into()));
        format!("The document has {now} now, and had {before}.")
    });
    let moved = (!changes.moved.is_empty()).then(|| format!("Moved: {}.", moved_phrase(&changes.moved)));
    let about = (!changes.is_exact)
        .then(|| "These numbers are approximate: you were not given all pages of the earlier version.".to_owned());
    let lines = [
        count,
        named(change, changed),
        named("Added", &changes.added),
        named("Removed (by their earlier numbers)", &changes.removed),
        moved,
        named("Not compared, so possibly changed (by their earlier numbers)", &changes.not_compared),
        about,
    ];
    lines.into_iter().flatten().collect()
}

/// Maximum number of moves that are named. Neighbours that moved alike are one.
const MAX_MOVES: usize = 30;

/// For example `pages 3-5 are now pages 4-6, page 9 is now page 2`. Neighbours that moved alike are joined.
#[must_use]
pub fn moved_phrase(moved: &[(PageIndex, PageIndex)]) -> String {
    let mut runs: Vec<(PageSet, PageSet, i64)> = Vec::new();
    for (then, now) in moved {
        let by = i64::from(now.0) - i64::from(then.0);
        let follows = |(from, _, shift): &&mut (PageSet, PageSet, i64)| {
            *shift == by && then.0.checked_sub(1).is_some_and(|before| from.contains(PageIndex(before)))
        };
        match runs.last_mut().filter(follows) {
            Some((from, to, _)) => {
                from.insert(*then);
                to.insert(*now);
            }
            None => runs.push(([*then].into_iter().collect(), [*now].into_iter().collect(), by)),
        }
    }
    let verb = |pages: &PageSet| if pages.len() == 1 { "is" } else { "are" };
    let phrases = runs.iter().take(MAX_MOVES);
    let phrases =
        phrases.map(|(from, to, _)| format!("{} {} now {}", page_or_pages(from), verb(from), page_or_pages(to)));
    let left = runs.iter().skip(MAX_MOVES).map(|(from, ..)| from.len()).sum::<u64>();
    let left = (left > 0).then(|| format!("and {left} more"));
    phrases.chain(left).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_moved_alike_are_one_phrase() {
        let moved = [(2, 3), (3, 4), (4, 6), (8, 0)].map(|(then, now)| (PageIndex(then), PageIndex(now)));
        assert_eq!(moved_phrase(&moved), "pages 3-4 are now pages 4-5, page 5 is now page 7, page 9 is now page 1");
        let reversed = |count: u32| (0..count).map(|at| (PageIndex(at), PageIndex(count - at))).collect::<Vec<_>>();
        assert_eq!(moved_phrase(&reversed(30)).matches(" is now ").count(), 30);
        let phrase = moved_phrase(&reversed(32));
        assert!(phrase.ends_with("page 30 is now page 4, and 2 more"), "{phrase}");
    }
}

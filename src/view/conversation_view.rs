//! What a conversation holds, indexed.

use std::collections::{BTreeMap, BTreeSet};

use super::forget::ForgetScope;
use super::holding::{FileKey, HeldItem, Holding, PageForm, Sequence};
use super::index::{HoldingIndex, keep_latest};
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};

/// What one conversation holds, indexed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationView {
    /// Each holding with the sequence of its last recording.
    holdings: BTreeMap<Holding, Sequence>,
    pub(super) index: HoldingIndex,
}

impl FromIterator<(Holding, Sequence)> for ConversationView {
    fn from_iter<I: IntoIterator<Item = (Holding, Sequence)>>(rows: I) -> Self {
        let mut view = Self::new();
        view.extend(rows);
        view
    }
}

impl Extend<(Holding, Sequence)> for ConversationView {
    fn extend<I: IntoIterator<Item = (Holding, Sequence)>>(&mut self, rows: I) {
        rows.into_iter().for_each(|(holding, at)| self.insert(holding, at));
    }
}

impl ConversationView {
    /// An empty conversation.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a holding recorded at `at`, or raises the sequence of an existing one.
    pub fn insert(&mut self, holding: Holding, at: Sequence) {
        keep_latest(&mut self.holdings, holding, at);
        self.index.add(&holding, at);
    }

    /// Forgets, and returns the holdings that are gone.
    ///
    /// Another file may hold the same page or content. It is forgotten there too: the agent no longer sees it, so it must
    /// not count as provided. Files that were not named, or lost only pages, stay followed.
    pub fn forget(&mut self, what: &ForgetScope) -> Vec<Holding> {
        let gone: Vec<Holding> = match what {
            ForgetScope::Everything | ForgetScope::AllButFiles => self.holdings.keys().copied().collect(),
            _ => self.holdings_to_delete(what),
        };
        let followed = match what {
            ForgetScope::Everything => Vec::new(),
            ForgetScope::AllButFiles => {
                self.index.files().map(|(file, content, at)| (followed(content, file), at)).collect()
            }
            _ => self.files_still_followed(what, &gone),
        };
        let read: Vec<_> = gone.iter().flat_map(|holding| self.still_read(what, holding)).collect();
        self.remove(&gone);
        self.extend(followed);
        self.extend(read);
        gone
    }

    /// What is left of pages that were read, where some of them are forgotten.
    fn still_read(&self, what: &ForgetScope, holding: &Holding) -> Vec<(Holding, Sequence)> {
        let (HeldItem::Read { first, last }, Some(pages)) = (holding.what, what.pages()) else { return Vec::new() };
        let mut left = PageSet::new();
        left.insert_run(first.0, last.0);
        pages.runs().for_each(|(first, last)| left.remove_run(first.0, last.0));
        let at = self.recorded_at(holding).unwrap_or_default();
        left.runs().map(|(first, last)| (Holding { what: HeldItem::Read { first, last }, ..*holding }, at)).collect()
    }

    pub fn remove(&mut self, gone: &[Holding]) {
        if gone.is_empty() {
            return;
        }
        for holding in gone {
            self.holdings.remove(holding);
        }
        self.index = self.holdings().fold(HoldingIndex::default(), |mut index, (holding, at)| {
            index.add(holding, at);
            index
        });
    }

    /// The holdings that `what` names, and those that other files share with them.
    fn holdings_to_delete(&self, what: &ForgetScope) -> Vec<Holding> {
        let named = || self.holdings.keys().filter(|holding| what.names(holding));
        // A page that left one position may still be held from another.
        let is_by_place = matches!(what, ForgetScope::Positions { .. });
        let shared: BTreeSet<SharedItem> = named().filter(|_| !is_by_place).filter_map(SharedItem::of).collect();
        let is_gone = |holding: &&Holding| {
            what.names(holding) || SharedItem::of(holding).is_some_and(|share| shared.contains(&share))
        };
        self.holdings.keys().filter(is_gone).copied().collect()
    }

    /// The files of `gone` that were not forgotten by name, each with its last report.
    fn files_still_followed(&self, what: &ForgetScope, gone: &[Holding]) -> Vec<(Holding, Sequence)> {
        let mut followed = BTreeMap::new();
        let is_named = |holding: &Holding| matches!(what, ForgetScope::File(file) if *file == holding.file);
        let is_read = |holding: &Holding| matches!(holding.what, HeldItem::Read { .. });
        for holding in gone.iter().filter(|holding| !is_named(holding) && !is_read(holding)) {
            let known = self::followed(holding.content, holding.file);
            let recorded = self.recorded_at(holding).max(self.recorded_at(&known)).unwrap_or_default();
            keep_latest(&mut followed, known, recorded);
        }
        followed.into_iter().collect()
    }

    /// A copy for another conversation, optionally as of a sequence.
    ///
    /// Items given again after `as_of`, or forgotten since, are not copied. They are sent once more.
    #[must_use]
    pub fn fork(&self, as_of: Option<Sequence>) -> Self {
        let Some(as_of) = as_of else { return self.clone() };
        self.holdings().filter(|(_, at)| *at <= as_of).map(|(holding, at)| (*holding, at)).collect()
    }

    /// Whether this exact holding is present.
    #[must_use]
    pub fn contains(&self, holding: &Holding) -> bool {
        self.recorded_at(holding).is_some()
    }

    /// When this exact holding was last recorded.
    #[must_use]
    pub fn recorded_at(&self, holding: &Holding) -> Option<Sequence> {
        self.holdings.get(holding).copied()
    }

    /// Whether a page is held in a form, from any file.
    #[must_use]
    pub fn holds_page(&self, page: &PageFingerprint, form: PageForm) -> bool {
        self.index.holdings_of(*page, form).next().is_some()
    }

    /// The holding by which a page was given from this position in a form.
    #[must_use]
    pub fn given_at(&self, file: FileKey, page: PageIndex, print: &PageFingerprint, form: PageForm) -> Option<Holding> {
        let is_here = |holding: &Holding| {
            holding.file == file
                && matches!(holding.what, HeldItem::Page { page: at, is_shared: false, .. } if at == page)
        };
        self.index.holdings_of(*print, form).find(is_here)
    }

    /// The oldest holding by which a page was given, of a file that is, as last reported, still what it was then.
    #[must_use]
    pub fn origin_of(&self, print: &PageFingerprint, form: PageForm) -> Option<Holding> {
        let is_named = |holding: &Holding| {
            let is_given = matches!(holding.what, HeldItem::Page { is_shared: false, .. });
            is_given && self.last_reported_content(&holding.file) == Some(holding.content)
        };
        self.index.holdings_of(*print, form).filter(is_named).min_by_key(|holding| self.recorded_at(holding))
    }

    /// The page last given from this position in a form. If another page is there now, that one replaces it.
    ///
    /// A page may be held and still differ from this, if the file was reverted.
    #[must_use]
    pub fn last_page_in(&self, file: FileKey, page: PageIndex, form: PageForm) -> Option<PageFingerprint> {
        self.index.last_page_in(file, page, form)
    }

    /// The page last given from this position, and in which form.
    #[must_use]
    pub fn last_page_at(&self, file: FileKey, page: PageIndex) -> Option<(PageForm, PageFingerprint)> {
        self.index.last_page_at(file, page)
    }

    /// Whether a page was ever given from this position, in any form.
    #[must_use]
    pub fn was_given_at(&self, file: FileKey, page: PageIndex, print: PageFingerprint) -> bool {
        self.index.was_given_at(file, page, print)
    }

    #[must_use]
    pub fn last_given_content(&self, file: &FileKey) -> Option<ContentHash> {
        self.index.last_given_content(file)
    }

    /// The content of a file last reported to the agent, whether any of it was given or not.
    #[must_use]
    pub fn last_reported_content(&self, file: &FileKey) -> Option<ContentHash> {
        self.index.last_reported_content(file)
    }

    /// The page last given from each position of a file in each form, in page order.
    pub fn pages_at(&self, file: FileKey) -> impl Iterator<Item = (PageIndex, (PageForm, PageFingerprint))> + '_ {
        self.index.pages_at(file)
    }

    /// The files held or followed, each with the content last reported to the agent.
    pub fn files(&self) -> impl Iterator<Item = (FileKey, ContentHash)> + '_ {
        self.index.files().map(|(file, content, _)| (file, content))
    }

    /// Everything held, with the sequence of its last recording.
    pub fn holdings(&self) -> impl Iterator<Item = (&Holding, Sequence)> + '_ {
        self.holdings.iter().map(|(holding, at)| (holding, *at))
    }

    /// How many holdings there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.holdings.len()
    }

    /// Whether a page of any file is held, in any form.
    #[must_use]
    pub fn has_pages(&self) -> bool {
        self.index.has_pages()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.holdings.is_empty()
    }
}

/// The holding that marks a file as followed.
fn followed(content: ContentHash, file: FileKey) -> Holding {
    Holding { content, file, what: HeldItem::Followed }
}

/// An item that several files can hold.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SharedItem {
    Page(PageFingerprint),
    Whole(ContentHash),
}

impl SharedItem {
    fn of(holding: &Holding) -> Option<Self> {
        match holding.what {
            HeldItem::Page { fingerprint, .. } => Some(Self::Page(fingerprint)),
            HeldItem::Summary { .. } | HeldItem::Text(_) | HeldItem::Binary => Some(Self::Whole(holding.content)),
            HeldItem::Followed | HeldItem::Read { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use crate::LineSpan;

    const A: FileKey = FileKey([1; 32]);
    const B: FileKey = FileKey([2; 32]);
    const CONTENT: ContentHash = ContentHash([7; 32]);

    fn page(file: FileKey, content: ContentHash, at: u32, print: u8) -> Holding {
        let fingerprint = PageFingerprint([print; 32]);
        Holding {
            content,
            file,
            what: HeldItem::Page { fingerprint, page: PageIndex(at), form: PageForm::Document, is_shared: false },
        }
    }

    #[test]
    fn a_page_is_held_by_what_it_shows_and_per_form() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 3, 9), Sequence(1));
        let print = PageFingerprint([9; 32]);
        assert!(view.holds_page(&print, PageForm::Document));
        assert!(!view.holds_page(&print, PageForm::Text));
        assert!(!view.holds_summary(&CONTENT));
        assert_eq!(view.pages_in(&CONTENT, PageForm::Document).to_string(), "4");
        assert!(view.pages_in(&CONTENT, PageForm::Image).is_empty());
    }

    #[test]
    fn a_changed_page_knows_the_one_before() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 3, 9), Sequence(1));
        view.insert(page(A, ContentHash([8; 32]), 3, 10), Sequence(2));
        assert_eq!(view.last_page_in(A, PageIndex(3), PageForm::Document), Some(PageFingerprint([10; 32])));
        assert!(view.was_given_at(A, PageIndex(3), PageFingerprint([9; 32])));
        assert_eq!(view.last_given_content(&A), Some(ContentHash([8; 32])));
        assert_eq!(view.last_page_at(B, PageIndex(3)), None);
    }

    #[test]
    fn forgetting_a_file_forgets_its_pages_under_other_names() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 0, 1), Sequence(1));
        view.insert(page(B, CONTENT, 0, 1), Sequence(2));
        view.insert(page(B, CONTENT, 1, 2), Sequence(2));
        let gone = view.forget(&ForgetScope::File(A));
        assert_eq!(gone, [page(A, CONTENT, 0, 1), page(B, CONTENT, 0, 1)]);
        assert_eq!(view.recorded_at(&followed(CONTENT, B)), Some(Sequence(2)));
        assert!(!view.holds_page(&PageFingerprint([1; 32]), PageForm::Document));
        assert!(view.holds_page(&PageFingerprint([2; 32]), PageForm::Document));
    }

    #[test]
    fn forgetting_a_place_forgets_no_page_that_another_file_gave() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 0, 1), Sequence(1));
        view.insert(page(B, CONTENT, 0, 1), Sequence(2));
        view.forget(&ForgetScope::Positions { file: A, pages: PageSet::all(1) });
        assert_eq!(view.pages_at(A).count(), 0);
        assert!(view.holds_page(&PageFingerprint([1; 32]), PageForm::Document));
        view.forget(&ForgetScope::File(B));
        assert!(!view.holds_page(&PageFingerprint([1; 32]), PageForm::Document));
        assert_eq!(view.files().collect::<Vec<_>>(), [(A, CONTENT)]);
    }

    #[test]
    fn a_file_of_which_something_else_is_forgotten_is_followed_still() {
        let given = [
            page(B, CONTENT, 0, 1).what,
            HeldItem::Summary { supports_page_extraction: true },
            HeldItem::Text(LineSpan::new(1, 9).unwrap()),
            HeldItem::Binary,
        ];
        for what in given {
            for forget in [ForgetScope::File(A), ForgetScope::Pages { file: B, pages: PageSet::all(1) }] {
                let mut view = ConversationView::new();
                view.insert(Holding { content: CONTENT, file: A, what }, Sequence(1));
                view.insert(Holding { content: CONTENT, file: B, what }, Sequence(2));
                view.forget(&forget);
                assert_eq!(view.last_reported_content(&B), Some(CONTENT), "{what:?} {forget:?}");
                let names = |file| forget.names(&Holding { content: CONTENT, file, what });
                assert_eq!(view.last_given_content(&B).is_none(), names(A) || names(B), "{what:?} {forget:?}");
            }
        }
    }

    #[test]
    fn a_file_is_followed_in_the_content_last_told_of() {
        let mut view = ConversationView::new();
        let later = ContentHash([8; 32]);
        view.insert(page(A, CONTENT, 0, 1), Sequence(1));
        view.insert(followed(later, A), Sequence(2));
        view.forget(&ForgetScope::AllButFiles);
        let left: Vec<_> = view.holdings().map(|(holding, at)| (*holding, at)).collect();
        assert_eq!(left, [(followed(later, A), Sequence(2))]);
        view.forget(&ForgetScope::Everything);
        assert_eq!(view, ConversationView::new());
    }
}

//! The view of one conversation, within one epoch.

use std::collections::{BTreeMap, BTreeSet};

use super::forget::{Forget, Scope};
use super::holding::{FileKey, Form, Held, Holding, Sequence};
use super::index::{Index, keep_latest};
use super::segments::Segments;
use crate::hash::{ContentHash, PageFingerprint};
use crate::page::PageIndex;

/// What one conversation holds, and what it has forgotten.
///
/// A value: cloning it forks the conversation, and [`ConversationView::union`] merges two copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationView {
    /// The epoch begins after this sequence; nothing at or before it is held.
    epoch: Sequence,
    /// Each holding with the last time it was recorded.
    holdings: BTreeMap<Holding, Sequence>,
    /// What is gone, with the sequence up to which. Never [`Scope::Everything`], which is the epoch, and never
    /// [`Scope::Pages`], which are `pages_gone`.
    forgotten: BTreeMap<Scope, Sequence>,
    pages_gone: BTreeMap<FileKey, Segments>,
    index: Index,
}

impl ConversationView {
    /// A conversation that holds nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a holding recorded at `at`; adding it again, or in another order, changes nothing.
    ///
    /// Where it was forgotten at `at` or later, only what the forgetting left of it is added.
    pub fn insert(&mut self, holding: Holding, at: Sequence) {
        let Some(holding) = self.left_of(&holding, at).filter(|holding| !self.is_needless(holding, at)) else { return };
        keep_latest(&mut self.holdings, holding, at);
        self.index.add(&holding, at);
        let known = Holding { what: Held::Known, ..holding };
        if holding != known && self.recorded_at(&known).is_some_and(|before| before <= at) {
            self.holdings.remove(&known);
        }
    }

    /// Adds what another copy of this conversation holds and has forgotten.
    ///
    /// Commutative, associative and idempotent.
    pub fn union(&mut self, other: &Self) {
        self.epoch = self.epoch.max(other.epoch);
        for (scope, at) in other.tombstones() {
            self.bury_one(scope, at);
        }
        for (holding, at) in &other.holdings {
            keep_latest(&mut self.holdings, *holding, *at);
        }
        self.sweep();
    }

    /// Forgets what `what` names, as far as it was recorded at or before `at`.
    ///
    /// What another file holds too, a page or a content given whole, is forgotten there as well: the agent says that it
    /// no longer sees it, and it would otherwise be refused as already provided. Returns the tombstones that say all this.
    ///
    /// What is held is known by its content, but what is followed is a name: a file that was not named, or of which only
    /// pages were, stays followed, as the agent was last told of it. [`Forget::AllButFiles`] records the files anew, at
    /// the sequence after `at`.
    pub fn forget(&mut self, what: &Forget, at: Sequence) -> Vec<Scope> {
        let scopes = self.scopes(what);
        let followed: Vec<_> = if *what == Forget::AllButFiles { self.files().collect() } else { Vec::new() };
        for scope in &scopes {
            self.bury_one(*scope, at);
        }
        self.sweep();
        for (file, content) in followed {
            self.insert(Holding { content, file, what: Held::Known }, at.next());
        }
        scopes
    }

    /// The last sequence at which anything was forgotten. What was planned before it may rest on what is gone.
    #[must_use]
    pub fn last_forgotten(&self) -> Sequence {
        self.tombstones().map(|(_, at)| at).max().unwrap_or_default().max(self.epoch)
    }

    /// Applies one tombstone.
    pub fn bury(&mut self, scope: Scope, at: Sequence) {
        self.bury_one(scope, at);
        // Loading a view buries before it inserts.
        if scope == Scope::Everything || !self.is_empty() {
            self.sweep();
        }
    }

    /// A copy for another conversation; with `as_of`, of what was last recorded at or before it.
    ///
    /// What was given again after `as_of`, or forgotten since, is not in the copy: it is sent once more.
    #[must_use]
    pub fn fork(&self, as_of: Option<Sequence>) -> Self {
        let mut copy = self.clone();
        if let Some(as_of) = as_of {
            copy.holdings.retain(|_, at| *at <= as_of);
            copy.rebuild_index();
        }
        copy
    }

    /// What was recorded and forgotten after `since`. An older copy that has all up to there is made current by
    /// [`ConversationView::union`] with this.
    #[must_use]
    pub fn since(&self, since: Sequence) -> Self {
        let mut later = self.clone();
        later.holdings.retain(|_, at| *at > since);
        later.drop_tombstones_until(since);
        later.rebuild_index();
        later
    }

    /// Whether this very holding is held.
    #[must_use]
    pub fn contains(&self, holding: &Holding) -> bool {
        self.recorded_at(holding).is_some()
    }

    /// When this very holding was last recorded, where it is held.
    #[must_use]
    pub fn recorded_at(&self, holding: &Holding) -> Option<Sequence> {
        self.holdings.get(holding).copied()
    }

    /// Whether a page is held in a form, whatever file it came from.
    #[must_use]
    pub fn holds_page(&self, page: &PageFingerprint, form: Form) -> bool {
        self.index.holds_page(page, form)
    }

    /// The page last given from this place: where it is not the page that is there now, that one replaces it.
    ///
    /// A page may be held and still differ from this, when a file has gone back to an earlier state.
    #[must_use]
    pub fn previous_at(&self, file: &FileKey, page: PageIndex) -> Option<PageFingerprint> {
        self.index.last_page_at(file, page)
    }

    /// The content last given of a file; `None` also where what the agent was told of later may have been given too, and
    /// is forgotten: it goes by neither then.
    #[must_use]
    pub fn previous_content(&self, file: &FileKey) -> Option<ContentHash> {
        let given = self.index.last_content_of(file)?;
        let (at, told) = self.index.last_told_at(file)?;
        (told == given || !self.is_gone(Scope::Content(told), at)).then_some(given)
    }

    /// The content of a file that the agent was last told of, whether any of it was given or not.
    #[must_use]
    pub fn told_content(&self, file: &FileKey) -> Option<ContentHash> {
        self.index.last_told_at(file).map(|(_, content)| content)
    }

    /// The page last given from each place of a file, in page order.
    pub fn pages_at(&self, file: FileKey) -> impl Iterator<Item = (PageIndex, PageFingerprint)> + '_ {
        self.index.pages_at(file)
    }

    /// The files held or followed, each with the content that the agent was last told of.
    pub fn files(&self) -> impl Iterator<Item = (FileKey, ContentHash)> + '_ {
        self.index.files()
    }

    /// Everything held, with the sequence of its last recording.
    pub fn holdings(&self) -> impl Iterator<Item = (&Holding, Sequence)> + '_ {
        self.holdings.iter().map(|(holding, at)| (holding, *at))
    }

    /// Whether a page of any file is held, in any form.
    #[must_use]
    pub fn has_pages(&self) -> bool {
        self.index.has_pages()
    }

    /// What is held of a content.
    pub fn holdings_of(&self, content: &ContentHash) -> impl Iterator<Item = (&Holding, Sequence)> + '_ {
        let content = *content;
        self.holdings
            .range(least_of(content)..)
            .take_while(move |(holding, _)| holding.content == content)
            .map(|(holding, at)| (holding, *at))
    }

    /// What was forgotten within this epoch, with the sequence up to which.
    pub fn tombstones(&self) -> impl Iterator<Item = (Scope, Sequence)> + '_ {
        let runs = |(file, gone): (&FileKey, &Segments)| {
            let file = *file;
            let scopes = gone.iter().map(move |(first, last, at)| (Scope::Pages { file, first, last }, at));
            scopes.collect::<Vec<_>>()
        };
        let pages = self.pages_gone.iter().flat_map(runs);
        self.forgotten.iter().map(|(scope, at)| (*scope, *at)).chain(pages)
    }

    /// Nothing recorded at or before this sequence is held.
    #[must_use]
    pub fn epoch(&self) -> Sequence {
        self.epoch
    }

    /// The largest sequence seen here.
    #[must_use]
    pub fn latest(&self) -> Sequence {
        let seen = self.holdings.values().copied().chain(self.tombstones().map(|(_, at)| at));
        seen.max().unwrap_or_default().max(self.epoch)
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.holdings.is_empty()
    }

    /// The tombstones of a request, with those for what holdings outside it share.
    fn scopes(&self, what: &Forget) -> Vec<Scope> {
        let mut scopes = what.scopes();
        if matches!(what, Forget::Places { .. }) {
            return scopes;
        }
        let shared = |holding: &Holding| match holding.what {
            Held::Page { fingerprint, .. } => Some(Scope::Page(fingerprint)),
            Held::Summary { .. } | Held::Text(_) | Held::Binary => Some(Scope::Content(holding.content)),
            Held::Known => None,
        };
        let (named, others): (Vec<_>, Vec<_>) = self.holdings.keys().partition(|holding| what.names(holding));
        let elsewhere: BTreeSet<_> = others.into_iter().filter_map(shared).collect();
        let named: BTreeSet<_> = named.into_iter().filter_map(shared).collect();
        scopes.extend(named.intersection(&elsewhere));
        scopes
    }

    fn bury_one(&mut self, scope: Scope, at: Sequence) {
        match scope {
            Scope::Everything => self.epoch = self.epoch.max(at),
            _ if at <= self.epoch => {}
            Scope::Pages { file, first, last } => self.pages_gone.entry(file).or_default().raise(first, last, at),
            _ => keep_latest(&mut self.forgotten, scope, at),
        }
    }

    /// Drops what the epoch and the tombstones cover, and the tombstones that the epoch makes needless.
    fn sweep(&mut self) {
        self.drop_tombstones_until(self.epoch);
        let mut holdings = std::mem::take(&mut self.holdings);
        let mut followed = Vec::new();
        holdings.retain(|holding, at| {
            let left = self.left_of(holding, *at);
            let is_held = left == Some(*holding);
            followed.extend(left.filter(|_| !is_held).map(|left| (left, *at)));
            is_held
        });
        self.holdings = holdings;
        followed.into_iter().for_each(|(holding, at)| keep_latest(&mut self.holdings, holding, at));
        let needless = self.holdings().filter(|(holding, at)| self.is_needless(holding, *at));
        let needless: Vec<Holding> = needless.map(|(holding, _)| *holding).collect();
        for holding in needless {
            self.holdings.remove(&holding);
        }
        self.rebuild_index();
    }

    /// Whether it says that a file is followed where something that was given of this content says so too, as late or
    /// later: it is left out, so that views that say the same are equal.
    fn is_needless(&self, holding: &Holding, at: Sequence) -> bool {
        let least = Holding { what: LEAST, ..*holding };
        holding.what == Held::Known && self.holdings.range(least..*holding).any(|(_, given)| *given >= at)
    }

    /// What the tombstones leave of a holding recorded at `at`. Where they cover what it gave and not its file, it is
    /// that the file is followed: in every copy alike, whatever came first.
    fn left_of(&self, holding: &Holding, at: Sequence) -> Option<Holding> {
        if at <= self.epoch || self.is_gone(Scope::File(holding.file), at) {
            return None;
        }
        let what = if self.is_given_gone(holding, at) { Held::Known } else { holding.what };
        Some(Holding { what, ..*holding })
    }

    fn is_given_gone(&self, holding: &Holding, at: Sequence) -> bool {
        let is_content_gone = || self.is_gone(Scope::Content(holding.content), at);
        let is_place_gone = |page| self.pages_gone.get(&holding.file).and_then(|gone| gone.at(page)) >= Some(at);
        match holding.what {
            Held::Known => false,
            Held::Page { fingerprint, page, .. } => {
                is_content_gone() || self.is_gone(Scope::Page(fingerprint), at) || is_place_gone(page)
            }
            Held::Summary { .. } | Held::Text(_) | Held::Binary => is_content_gone(),
        }
    }

    fn is_gone(&self, scope: Scope, at: Sequence) -> bool {
        self.forgotten.get(&scope).is_some_and(|gone| at <= *gone)
    }

    fn drop_tombstones_until(&mut self, until: Sequence) {
        self.forgotten.retain(|_, at| *at > until);
        self.pages_gone.retain(|_, gone| {
            gone.keep_after(until);
            !gone.is_empty()
        });
    }

    fn rebuild_index(&mut self) {
        self.index = Index::default();
        for (holding, at) in &self.holdings {
            self.index.add(holding, *at);
        }
    }
}

/// Not above any holding of `content`.
fn least_of(content: ContentHash) -> Holding {
    Holding { content, file: FileKey([0; 32]), what: LEAST }
}

/// Not above anything that can be held; [`Held::Known`] is above all else.
const LEAST: Held = Held::Summary { supports_page_extraction: false };

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use crate::page::PageSet;

    const A: FileKey = FileKey([1; 32]);
    const B: FileKey = FileKey([2; 32]);
    const CONTENT: ContentHash = ContentHash([7; 32]);

    fn page(file: FileKey, content: ContentHash, at: u32, print: u8) -> Holding {
        let fingerprint = PageFingerprint([print; 32]);
        Holding { content, file, what: Held::Page { fingerprint, page: PageIndex(at), form: Form::Document } }
    }

    #[test]
    fn a_page_is_held_by_what_it_shows_and_per_form() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 3, 9), Sequence(1));
        let print = PageFingerprint([9; 32]);
        assert!(view.holds_page(&print, Form::Document));
        assert!(!view.holds_page(&print, Form::Text));
        assert!(!view.holds_summary(&CONTENT));
        assert_eq!(view.pages_in(&CONTENT, Form::Document).to_string(), "4");
        assert!(view.pages_in(&CONTENT, Form::Image).is_empty());
    }

    #[test]
    fn a_changed_page_knows_the_one_before() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 3, 9), Sequence(1));
        view.insert(page(A, ContentHash([8; 32]), 3, 10), Sequence(2));
        assert_eq!(view.previous_at(&A, PageIndex(3)), Some(PageFingerprint([10; 32])));
        assert_eq!(view.previous_content(&A), Some(ContentHash([8; 32])));
        assert_eq!(view.previous_at(&B, PageIndex(3)), None);
    }

    #[test]
    fn forgetting_a_file_forgets_its_pages_under_other_names() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 0, 1), Sequence(1));
        view.insert(page(B, CONTENT, 0, 1), Sequence(2));
        view.insert(page(B, CONTENT, 1, 2), Sequence(2));
        let scopes = view.forget(&Forget::File(A), Sequence(3));
        assert_eq!(scopes, [Scope::File(A), Scope::Page(PageFingerprint([1; 32]))]);
        assert!(!view.holds_page(&PageFingerprint([1; 32]), Form::Document));
        assert!(view.holds_page(&PageFingerprint([2; 32]), Form::Document));
    }

    #[test]
    fn forgetting_a_place_forgets_no_page_that_another_file_gave() {
        let mut view = ConversationView::new();
        view.insert(page(A, CONTENT, 0, 1), Sequence(1));
        view.insert(page(B, CONTENT, 0, 1), Sequence(2));
        view.forget(&Forget::Places { file: A, pages: PageSet::all(1) }, Sequence(3));
        assert_eq!(view.pages_at(A).count(), 0);
        assert!(view.holds_page(&PageFingerprint([1; 32]), Form::Document));
        view.forget(&Forget::File(B), Sequence(4));
        assert!(!view.holds_page(&PageFingerprint([1; 32]), Form::Document));
        assert_eq!(view.files().collect::<Vec<_>>(), [(A, CONTENT)]);
    }

    #[test]
    fn a_file_whose_content_or_pages_are_forgotten_is_followed_still() {
        let given = [
            page(B, CONTENT, 0, 1).what,
            Held::Summary { supports_page_extraction: true },
            Held::Text(crate::view::LineSpan::new(1, 9).unwrap()),
            Held::Binary,
        ];
        let forgets = [Forget::File(A), Forget::Content(CONTENT), Forget::Pages { file: B, pages: PageSet::all(1) }];
        for what in given {
            for forget in &forgets {
                let mut view = ConversationView::new();
                view.insert(Holding { content: CONTENT, file: A, what }, Sequence(1));
                view.insert(Holding { content: CONTENT, file: B, what }, Sequence(2));
                let early = view.clone();
                let scopes = view.forget(forget, Sequence(3));
                assert_eq!(view.told_content(&B), Some(CONTENT), "{what:?} {forget:?}");
                let names = |file| forget.names(&Holding { content: CONTENT, file, what });
                assert_eq!(view.previous_content(&B).is_none(), names(A) || names(B), "{what:?} {forget:?}");
                // A copy that learns of it from the tombstones alone.
                let mut late = early;
                let mut news = ConversationView::new();
                scopes.into_iter().for_each(|scope| news.bury(scope, Sequence(3)));
                late.union(&news);
                assert_eq!(late, view);
                // And one that loads the rows after the tombstones.
                news.insert(Holding { content: CONTENT, file: A, what }, Sequence(1));
                news.insert(Holding { content: CONTENT, file: B, what }, Sequence(2));
                assert_eq!(news, view);
            }
        }
    }

    #[test]
    fn what_is_given_after_forgetting_is_held() {
        let mut view = ConversationView::new();
        let pages = PageSet::all(5);
        view.forget(&Forget::Pages { file: A, pages }, Sequence(3));
        view.insert(page(A, CONTENT, 4, 1), Sequence(3));
        assert!(view.pages_in(&CONTENT, Form::Document).is_empty());
        view.insert(page(A, CONTENT, 5, 2), Sequence(3));
        view.insert(page(A, CONTENT, 4, 1), Sequence(4));
        assert_eq!(view.pages_in(&CONTENT, Form::Document).to_string(), "5-6");
    }
    #[test]
    fn a_new_epoch_leaves_no_tombstone_from_before() {
        let mut view = ConversationView::new();
        view.bury(Scope::File(A), Sequence(3));
        view.bury(Scope::Everything, Sequence(4));
        view.bury(Scope::File(B), Sequence(4));
        assert_eq!(view.tombstones().count(), 0);
        view.bury(Scope::File(B), Sequence(5));
        assert_eq!((view.tombstones().count(), view.latest()), (1, Sequence(5)));
    }
}

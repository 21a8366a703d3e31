//! Indexes over the holdings of a view.

use std::collections::{BTreeMap, BTreeSet};

use super::holding::{FileKey, HeldItem, Holding, LineSpan, PageForm, Sequence};
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};

/// Indexes over the holdings, so that no query walks all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HoldingIndex {
    /// Every position from which a page was given, with the content of the file.
    pages: BTreeSet<(PageFingerprint, PageForm, FileKey, PageIndex, ContentHash, bool)>,
    /// Every page that was given from a position.
    given_pages: BTreeSet<(FileKey, PageIndex, PageFingerprint)>,
    /// The page last given from each position in each form.
    last_pages: BTreeMap<(FileKey, PageIndex, PageForm), (Sequence, PageFingerprint)>,
    /// The content of each file last reported to the agent, given or not.
    files: BTreeMap<FileKey, (Sequence, ContentHash)>,
    last_given: BTreeMap<FileKey, (Sequence, ContentHash)>,
    pages_of: BTreeMap<(ContentHash, PageForm), PageSet>,
    /// The pages that tools other than `get_file` gave.
    pages_read: BTreeMap<ContentHash, PageSet>,
    /// Summaries and files given whole.
    whole_items: BTreeSet<(ContentHash, HeldItem)>,
    /// The held lines of text files as disjoint runs: last line by first line.
    lines: BTreeMap<(ContentHash, u32), u32>,
}

impl HoldingIndex {
    pub(super) fn add(&mut self, holding: &Holding, at: Sequence) {
        let Holding { content, file, what } = *holding;
        if let HeldItem::Read { first, last } = what {
            // The agent was told of no version of the file.
            return self.pages_read.entry(content).or_default().insert_run(first.0, last.0);
        }
        keep_latest(&mut self.files, file, (at, content));
        if what != HeldItem::Followed {
            keep_latest(&mut self.last_given, file, (at, content));
        }
        match what {
            HeldItem::Page { fingerprint, page, form, is_shared } => {
                self.pages.insert((fingerprint, form, file, page, content, is_shared));
                self.given_pages.insert((file, page, fingerprint));
                keep_latest(&mut self.last_pages, (file, page, form), (at, fingerprint));
                self.pages_of.entry((content, form)).or_default().insert(page);
            }
            HeldItem::Text(span) => self.add_lines(content, span),
            HeldItem::Summary { .. } | HeldItem::Binary => drop(self.whole_items.insert((content, what))),
            HeldItem::Followed | HeldItem::Read { .. } => {}
        }
    }

    fn add_lines(&mut self, content: ContentHash, span: LineSpan) {
        let (mut first, mut last) = (span.first(), span.last());
        let touching = |first: u32, last: u32, run: (u32, u32)| {
            run.0 <= last.saturating_add(1) && first <= run.1.saturating_add(1)
        };
        while let Some(run) =
            self.run_before(&content, last.saturating_add(1)).filter(|run| touching(first, last, *run))
        {
            self.lines.remove(&(content, run.0));
            (first, last) = (first.min(run.0), last.max(run.1));
        }
        self.lines.insert((content, first), last);
    }

    /// The last run of a content that begins at or before `line`.
    fn run_before(&self, content: &ContentHash, line: u32) -> Option<(u32, u32)> {
        let mut runs = self.lines.range((*content, 0)..=(*content, line));
        runs.next_back().map(|((_, first), last)| (*first, *last))
    }

    pub(super) fn holds_lines(&self, content: &ContentHash, span: LineSpan) -> bool {
        self.run_before(content, span.first()).is_some_and(|(_, last)| span.last() <= last)
    }

    pub(super) fn lines_of(&self, content: ContentHash) -> impl Iterator<Item = LineSpan> + '_ {
        let runs = self.lines.range((content, 0)..=(content, u32::MAX));
        runs.filter_map(|((_, first), last)| LineSpan::new(*first, *last))
    }

    pub(super) fn whole_items_of(&self, content: ContentHash) -> impl Iterator<Item = HeldItem> + '_ {
        self.whole_items.range((content, LEAST)..=(content, MOST)).map(|(_, what)| *what)
    }

    pub(super) fn pages_in(&self, content: &ContentHash, form: PageForm) -> PageSet {
        self.pages_of.get(&(*content, form)).cloned().unwrap_or_default()
    }

    pub(super) fn pages_read(&self, content: &ContentHash) -> PageSet {
        self.pages_read.get(content).cloned().unwrap_or_default()
    }

    /// The holdings of a page in a form.
    pub(super) fn holdings_of(
        &self,
        fingerprint: PageFingerprint,
        form: PageForm,
    ) -> impl Iterator<Item = Holding> + '_ {
        let least = (fingerprint, form, FileKey([0; 32]), PageIndex(0), ContentHash([0; 32]), false);
        let most = (fingerprint, form, FileKey([u8::MAX; 32]), PageIndex(u32::MAX), ContentHash([u8::MAX; 32]), true);
        self.pages.range(least..=most).map(|(fingerprint, form, file, page, content, is_shared)| {
            let (fingerprint, page, form, is_shared) = (*fingerprint, *page, *form, *is_shared);
            let what = HeldItem::Page { fingerprint, page, form, is_shared };
            Holding { content: *content, file: *file, what }
        })
    }

    pub(super) fn has_pages(&self) -> bool {
        !self.pages.is_empty()
    }

    pub(super) fn was_given_at(&self, file: FileKey, page: PageIndex, print: PageFingerprint) -> bool {
        self.given_pages.contains(&(file, page, print))
    }

    pub(super) fn last_page_in(&self, file: FileKey, page: PageIndex, form: PageForm) -> Option<PageFingerprint> {
        self.last_pages.get(&(file, page, form)).map(|(_, fingerprint)| *fingerprint)
    }

    pub(super) fn last_page_at(&self, file: FileKey, page: PageIndex) -> Option<(PageForm, PageFingerprint)> {
        let latest = self.last_pages_in(file, page, page).max_by_key(|last| last.at);
        latest.map(|last| (last.form, last.fingerprint))
    }

    pub(super) fn last_given_content(&self, file: &FileKey) -> Option<ContentHash> {
        self.last_given.get(file).map(|(_, content)| *content)
    }

    pub(super) fn last_reported_content(&self, file: &FileKey) -> Option<ContentHash> {
        self.files.get(file).map(|(_, content)| *content)
    }

    pub(super) fn pages_at(
        &self,
        file: FileKey,
    ) -> impl Iterator<Item = (PageIndex, (PageForm, PageFingerprint))> + '_ {
        let all = self.last_pages_in(file, PageIndex(0), PageIndex(u32::MAX));
        all.map(|last| (last.page, (last.form, last.fingerprint)))
    }

    fn last_pages_in(&self, file: FileKey, first: PageIndex, last: PageIndex) -> impl Iterator<Item = LastPage> + '_ {
        let [least, .., most] = PageForm::ALL;
        let pages = self.last_pages.range((file, first, least)..=(file, last, most));
        pages.map(|((_, page, form), (at, fingerprint))| LastPage {
            page: *page,
            form: *form,
            at: *at,
            fingerprint: *fingerprint,
        })
    }

    /// The files, each with the content last reported and its sequence.
    pub(super) fn files(&self) -> impl Iterator<Item = (FileKey, ContentHash, Sequence)> + '_ {
        self.files.iter().map(|(file, (at, content))| (*file, *content, *at))
    }
}

/// What was last given of a page in a form.
struct LastPage {
    page: PageIndex,
    form: PageForm,
    at: Sequence,
    fingerprint: PageFingerprint,
}

/// The smallest and the largest item of a whole file.
const LEAST: HeldItem = HeldItem::Summary { supports_page_extraction: false };
const MOST: HeldItem = HeldItem::Binary;

/// Keeps the larger value, so that the order of insertions does not matter.
pub(super) fn keep_latest<K: Ord, V: Ord + Copy>(map: &mut BTreeMap<K, V>, key: K, value: V) {
    map.entry(key).and_modify(|held| *held = value.max(*held)).or_insert(value);
}

//! Answers that a view keeps ready.

use std::collections::{BTreeMap, BTreeSet};

use super::holding::{FileKey, Form, Held, Holding, Sequence};
use crate::hash::{ContentHash, PageFingerprint};
use crate::page::PageIndex;

/// What can be derived from the holdings, kept so that the questions of each request need no walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Index {
    pages: BTreeSet<(PageFingerprint, Form)>,
    /// The page last given from each place.
    places: BTreeMap<(FileKey, PageIndex), (Sequence, PageFingerprint)>,
    /// The content of each file that the agent was last told of, given or not.
    files: BTreeMap<FileKey, (Sequence, ContentHash)>,
    /// The content last given of each file.
    given: BTreeMap<FileKey, (Sequence, ContentHash)>,
}

impl Index {
    pub(super) fn add(&mut self, holding: &Holding, at: Sequence) {
        keep_latest(&mut self.files, holding.file, (at, holding.content));
        if holding.what != Held::Known {
            keep_latest(&mut self.given, holding.file, (at, holding.content));
        }
        if let Held::Page { fingerprint, page, form } = holding.what {
            self.pages.insert((fingerprint, form));
            keep_latest(&mut self.places, (holding.file, page), (at, fingerprint));
        }
    }

    pub(super) fn holds_page(&self, page: &PageFingerprint, form: Form) -> bool {
        self.pages.contains(&(*page, form))
    }

    pub(super) fn has_pages(&self) -> bool {
        !self.pages.is_empty()
    }

    pub(super) fn last_page_at(&self, file: &FileKey, page: PageIndex) -> Option<PageFingerprint> {
        self.places.get(&(*file, page)).map(|(_, fingerprint)| *fingerprint)
    }

    pub(super) fn last_content_of(&self, file: &FileKey) -> Option<ContentHash> {
        self.given.get(file).map(|(_, content)| *content)
    }

    pub(super) fn last_told_at(&self, file: &FileKey) -> Option<(Sequence, ContentHash)> {
        self.files.get(file).copied()
    }

    pub(super) fn pages_at(&self, file: FileKey) -> impl Iterator<Item = (PageIndex, PageFingerprint)> + '_ {
        let all = (file, PageIndex(0))..=(file, PageIndex(u32::MAX));
        self.places.range(all).map(|((_, page), (_, fingerprint))| (*page, *fingerprint))
    }

    pub(super) fn files(&self) -> impl Iterator<Item = (FileKey, ContentHash)> + '_ {
        self.files.iter().map(|(file, (_, content))| (*file, *content))
    }
}

/// The larger of what is there and `value`, so that the order of additions does not matter.
pub(super) fn keep_latest<K: Ord, V: Ord + Copy>(map: &mut BTreeMap<K, V>, key: K, value: V) {
    map.entry(key).and_modify(|held| *held = value.max(*held)).or_insert(value);
}

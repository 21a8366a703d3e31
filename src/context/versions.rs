//! Compares two versions of a document: pages by what they show and say, then the words and images of those that differ.
//!
//! Equal pages are found as for `context_updates`. The pages between them are compared as one text, without running heads
//! and feet. So words that only moved to the next page do not count as changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;
use similar::DiffTag;

use super::ContextError;
use super::files::OpenPdf;
use super::inspection::{WordOperation, word_operations};
use super::markdown::read_markdown;
use super::pdf::{MAX_COMPARED, PageChanges, PageIdentities, page_changes};
use super::pictures::PagePictures;
use super::progress::ProgressListener;
use crate::worker::Pages;
use pagewise_base::hash::{ContentHash, PageFingerprint};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::PageForm;

/// Words around a change that are given with it.
const CONTEXT_WORDS: usize = 6;

/// Changes with no more equal words between them are one.
const JOINING_WORDS: usize = 2;

/// Minimum share of a page's words that are new for the page to be called added, and likewise removed.
const NEW_SHARE: f32 = 0.8;

/// How a version differs from an earlier one. Pages without another word are those of the later version.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VersionChanges {
    pub pages_before: u32,
    pub pages_now: u32,
    /// Pages that are the same under the same number.
    pub unchanged: PageSet,
    /// Pages that are the same under another number: then and now.
    pub moved: Vec<(PageIndex, PageIndex)>,
    /// Pages with other words or images.
    pub changed: Vec<ChangedPage>,
    pub added: PageSet,
    /// By their numbers in the earlier version.
    pub removed: PageSet,
    /// Pages with the same words and images that are drawn otherwise.
    pub redrawn: PageSet,
    /// Pages whose words stood on other pages before.
    pub reflowed: PageSet,
    /// Pages that were not compared: too many, or unreadable.
    pub not_compared: PageSet,
    /// Whether time ended before all words were compared: the rest counts as changed.
    pub is_cut_short: bool,
}

/// A page with other words or images than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPage {
    pub page: PageIndex,
    /// The page of the earlier version that it was.
    pub was: Option<PageIndex>,
    pub words: Vec<WordChange>,
    /// Images that the pages around had not before, by their numbers on this page.
    pub new_images: Vec<usize>,
    /// Number of images that are gone.
    pub lost_images: usize,
}

/// Words that changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct WordChange {
    /// The words before it.
    pub before: String,
    /// The words of the earlier version; empty if words were inserted.
    pub old: String,
    /// The words of the later version; empty if words were deleted.
    pub new: String,
    /// The words after it.
    pub after: String,
}

impl VersionChanges {
    /// The pages that an agent has to read again: changed, added, and drawn otherwise.
    #[must_use]
    pub fn pages_to_read(&self) -> PageSet {
        let changed = self.changed.iter().map(|changed| changed.page);
        changed.chain(self.added.iter()).chain(self.redrawn.iter()).chain(self.not_compared.iter()).collect()
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages_to_read().is_empty() && self.moved.is_empty() && self.removed.is_empty() && self.reflowed.is_empty()
    }
}

/// Compares two versions. `open_old` and `open_new` open one of them; at no time are both open, since a process may have
/// one worker.
///
/// # Errors
/// Those of opening, and if the call was cancelled.
pub fn compare_versions<E: From<ContextError>>(
    open_old: impl Fn() -> Result<OpenPdf, E>,
    open_new: impl Fn() -> Result<OpenPdf, E>,
    progress: &dyn ProgressListener,
) -> Result<VersionChanges, E> {
    let (held, pages_before) = {
        let old = open_old()?;
        let identities = PageIdentities::of(&*old.document);
        let mut held = BTreeMap::new();
        for page in (0..old.document.page_count().min(MAX_COMPARED)).map(PageIndex) {
            old.check()?;
            held.extend(identities.identity(page, PageForm::Image).map(|identity| (page, identity)));
        }
        (held, old.document.page_count())
    };
    let new = open_new()?;
    let pages_now = new.document.page_count();
    let changes = {
        let identities = PageIdentities::of(&*new.document);
        let shows = |page: PageIndex, known: &PageFingerprint| {
            new.check().is_ok() && identities.identity(page, PageForm::Image) == Some(*known)
        };
        page_changes(&held, Some(pages_before), pages_now, shows)
    };
    new.check()?;
    let runs = runs_between(&changes, pages_before.min(MAX_COMPARED), pages_now.min(MAX_COMPARED));
    progress.starts(runs.iter().map(|run| run.old.len() + run.new.len()).sum::<usize>() as u64);
    let now = read_pages(&new, runs.iter().flat_map(|run| run.new.iter().copied()).collect(), progress)?;
    drop(new);
    let old = open_old()?;
    let then = read_pages(&old, runs.iter().flat_map(|run| run.old.iter().copied()).collect(), progress)?;
    let mut result = VersionChanges { pages_before, pages_now, ..VersionChanges::default() };
    result.unchanged = changes.unchanged;
    result.moved = changes.moved;
    result.not_compared = (MAX_COMPARED..pages_now).map(PageIndex).filter(|page| !result.is_kept(*page)).collect();
    runs.iter().for_each(|run| result.add_run(run, &then, &now));
    result.changed.sort_by_key(|changed| changed.page);
    Ok(result)
}

/// Pages that are not the same, between pages that are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Run {
    old: Vec<PageIndex>,
    new: Vec<PageIndex>,
}

/// The runs between the pages that stayed in order.
fn runs_between(changes: &PageChanges, before: u32, now: u32) -> Vec<Run> {
    let same = changes.unchanged.iter().map(|page| (page, page));
    let kept = same.chain(changes.moved.iter().copied()).collect::<BTreeMap<_, _>>();
    let kept_now = kept.values().copied().collect::<BTreeSet<_>>();
    let (mut runs, mut from) = (Vec::new(), (0, 0));
    let ends = kept.iter().map(|(then, now)| (then.0, now.0)).chain([(before, now)]);
    for (then, here) in ends {
        // A page that moved ahead of others is no place to divide them.
        if here < from.1 || then > before || here > now {
            continue;
        }
        let old = (from.0..then).map(PageIndex).filter(|page| !kept.contains_key(page)).collect::<Vec<_>>();
        let new = (from.1..here).map(PageIndex).filter(|page| !kept_now.contains(page)).collect::<Vec<_>>();
        if !old.is_empty() || !new.is_empty() {
            runs.push(Run { old, new });
        }
        from = (then.saturating_add(1), here.saturating_add(1));
    }
    runs
}

/// What a page says and shows; `None` if it cannot be read.
type ReadPages = BTreeMap<PageIndex, Option<PageContents>>;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct PageContents {
    /// Without running heads and feet.
    words: Vec<String>,
    images: Vec<ContentHash>,
}

fn read_pages(pdf: &OpenPdf, mut pages: PageSet, progress: &dyn ProgressListener) -> Result<ReadPages, ContextError> {
    let mut read = ReadPages::new();
    while !pages.is_empty() {
        for (page, found) in read_markdown(&*pdf.document, &mut pages, || pdf.check().is_ok()) {
            let contents = found.ok().map(|found| PageContents {
                words: words_without(&found.text.text, &found.left_out),
                images: images_of(&*pdf.document, page),
            });
            read.insert(page, contents);
            progress.page_done();
        }
        pdf.check()?;
    }
    Ok(read)
}

/// The words of a text without the lines that other pages have too.
fn words_without(text: &str, left_out: &[String]) -> Vec<String> {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut left_out = left_out.iter().map(|line| plain(line)).collect::<Vec<_>>();
    let mut words = Vec::new();
    for line in text.lines() {
        match left_out.iter().position(|left| *left == plain(line)) {
            Some(at) => drop(left_out.swap_remove(at)),
            None => words.extend(line.split_whitespace().map(str::to_owned)),
        }
    }
    words
}

fn images_of(document: &dyn Pages, page: PageIndex) -> Vec<ContentHash> {
    let found = PagePictures::of(document, page).unwrap_or_default();
    found.pictures.iter().filter_map(|picture| Some(picture.image.as_ref()?.identity)).collect()
}

/// The words of several pages, with the page of each.
struct RunWords<'r> {
    words: Vec<&'r str>,
    pages: Vec<PageIndex>,
}

impl<'r> RunWords<'r> {
    fn of(pages: &[PageIndex], read: &'r ReadPages) -> Self {
        let (mut words, mut places) = (Vec::new(), Vec::new());
        for page in pages {
            let own = read.get(page).and_then(Option::as_ref).map(|read| read.words.as_slice()).unwrap_or_default();
            words.extend(own.iter().map(String::as_str));
            places.extend(own.iter().map(|_| *page));
        }
        Self { words, pages: places }
    }

    fn text(&self, range: Range<usize>) -> String {
        self.words.get(range).unwrap_or_default().join(" ")
    }

    /// A range of words in the parts that stand on each page; an empty one is on the page of the word `at`.
    fn split_by_page(&self, at: usize, range: Range<usize>) -> Vec<(PageIndex, Range<usize>)> {
        if range.is_empty() {
            let page = self.pages.get(at).or_else(|| self.pages.last());
            return page.map(|page| (*page, range)).into_iter().collect();
        }
        let (mut parts, mut start) = (Vec::new(), range.start);
        for part in self.pages.get(range).unwrap_or_default().chunk_by(|a, b| a == b) {
            let end = start.saturating_add(part.len());
            parts.extend(part.first().map(|page| (*page, start..end)));
            start = end;
        }
        parts
    }

    fn count_on(&self, page: PageIndex) -> usize {
        self.pages.iter().filter(|own| **own == page).count()
    }
}

impl VersionChanges {
    fn is_kept(&self, page: PageIndex) -> bool {
        self.unchanged.contains(page) || self.moved.iter().any(|(_, now)| *now == page)
    }

    fn add_run(&mut self, run: &Run, then: &ReadPages, now: &ReadPages) {
        let is_read = |pages: &ReadPages, page: &PageIndex| pages.get(page).is_some_and(Option::is_some);
        let unread = run.new.iter().filter(|page| !is_read(now, page)).copied();
        unread.for_each(|page| self.not_compared.insert(page));
        if run.old.is_empty() || run.new.is_empty() {
            run.new.iter().filter(|page| is_read(now, page)).for_each(|page| self.added.insert(*page));
            run.old.iter().for_each(|page| self.removed.insert(*page));
            return;
        }
        let (old, new) = (RunWords::of(&run.old, then), RunWords::of(&run.new, now));
        let compared = word_operations(&old.words, &new.words);
        self.is_cut_short |= compared.is_cut_short;
        let operations = joined(compared.operations);
        let shared = shared_words(&operations, &old, &new);
        let surplus = |more: usize, fewer: usize| more.saturating_sub(fewer);
        let kept_of =
            |page: PageIndex| shared.iter().filter(|((_, now), _)| *now == page).map(|(_, count)| count).sum();
        let added = strangers(&run.new, &new, kept_of, surplus(run.new.len(), run.old.len()));
        let kept_of =
            |page: PageIndex| shared.iter().filter(|((then, _), _)| *then == page).map(|(_, count)| count).sum();
        let removed = strangers(&run.old, &old, kept_of, surplus(run.old.len(), run.new.len()));
        let olds = run.old.iter().copied().filter(|page| !removed.contains(page)).collect::<Vec<_>>();
        let news = run.new.iter().copied().filter(|page| !added.contains(page)).collect::<Vec<_>>();
        let was = |page: PageIndex| {
            let of_page = shared.iter().filter(|((_, now), _)| *now == page);
            let most = of_page.max_by_key(|(_, count)| **count).map(|((then, _), _)| *then);
            let place = news.iter().position(|new| *new == page);
            most.or_else(|| olds.get(place?).or(olds.last()).copied())
        };
        let mut changed = changed_words(&operations, &old, &new, &removed, &news);
        let images = |pages: &[PageIndex], read: &ReadPages| {
            let all = pages.iter().filter_map(|page| read.get(page)?.as_ref()).flat_map(|read| read.images.clone());
            all.collect::<BTreeSet<_>>()
        };
        let (images_then, images_now) = (images(&run.old, then), images(&run.new, now));
        let contents = |pages: &ReadPages, page: PageIndex| pages.get(&page).cloned().flatten().unwrap_or_default();
        for page in news.iter().copied().filter(|page| is_read(now, page)) {
            let was = was(page);
            let (before, here) = (was.map(|was| contents(then, was)).unwrap_or_default(), contents(now, page));
            let numbered = (1..).zip(&here.images);
            let found = ChangedPage {
                page,
                was,
                words: changed.remove(&page).unwrap_or_default(),
                new_images: numbered.filter(|(_, own)| !images_then.contains(own)).map(|(number, _)| number).collect(),
                lost_images: before.images.iter().filter(|own| !images_now.contains(own)).count(),
            };
            if !found.words.is_empty() || !found.new_images.is_empty() || found.lost_images > 0 {
                self.changed.push(found);
            } else if before.words == here.words {
                self.redrawn.insert(page);
            } else {
                self.reflowed.insert(page);
            }
        }
        added.iter().filter(|page| is_read(now, page)).for_each(|page| self.added.insert(*page));
        removed.iter().for_each(|page| self.removed.insert(*page));
    }
}

/// The pages of a run that share few words with the other version, at most `most` of them.
fn strangers(
    pages: &[PageIndex],
    words: &RunWords<'_>,
    shared: impl Fn(PageIndex) -> usize,
    most: usize,
) -> BTreeSet<PageIndex> {
    #[allow(clippy::cast_precision_loss, reason = "a share")]
    let new_share = |page: &PageIndex| match words.count_on(*page) {
        0 => 1.0,
        all => 1.0 - shared(*page) as f32 / all as f32,
    };
    let shares = pages.iter().map(|page| (new_share(page), *page)).filter(|(share, _)| *share >= NEW_SHARE);
    let mut shares = shares.collect::<Vec<_>>();
    shares.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    shares.into_iter().take(most).map(|(_, page)| page).collect()
}

/// The words that each old and new page have in common.
fn shared_words(
    operations: &[WordOperation],
    old: &RunWords<'_>,
    new: &RunWords<'_>,
) -> BTreeMap<(PageIndex, PageIndex), usize> {
    let mut shared = BTreeMap::new();
    for (tag, then, now) in operations {
        if *tag == DiffTag::Equal {
            let pages = old.pages.get(then.clone()).unwrap_or_default().iter();
            for (then, now) in pages.zip(new.pages.get(now.clone()).unwrap_or_default()) {
                *shared.entry((*then, *now)).or_default() += 1;
            }
        }
    }
    shared
}

/// Operations with those joined that only a few equal words divide.
fn joined(operations: Vec<WordOperation>) -> Vec<WordOperation> {
    let count = operations.len();
    let mut joined: Vec<WordOperation> = Vec::new();
    for (at, (tag, then, now)) in operations.into_iter().enumerate() {
        let is_inner = tag == DiffTag::Equal && then.len() <= JOINING_WORDS && at > 0 && at + 1 < count;
        let tag = if tag == DiffTag::Equal && !is_inner { tag } else { DiffTag::Replace };
        match joined.last_mut().filter(|last| last.0 == tag) {
            Some(last) => (last.1.end, last.2.end) = (then.end, now.end),
            None => joined.push((tag, then, now)),
        }
    }
    joined
}

/// The changes by the page of `pages` on which they stand now; deleted words that new pages replace, by the one nearest to
/// them.
fn changed_words(
    operations: &[WordOperation],
    old: &RunWords<'_>,
    new: &RunWords<'_>,
    removed: &BTreeSet<PageIndex>,
    pages: &[PageIndex],
) -> BTreeMap<PageIndex, Vec<WordChange>> {
    let mut changed: BTreeMap<PageIndex, Vec<WordChange>> = BTreeMap::new();
    for (_, then, now) in operations.iter().filter(|(tag, ..)| *tag != DiffTag::Equal) {
        let is_gone = |page: &PageIndex| removed.contains(page);
        let is_gone = old.pages.get(then.clone()).unwrap_or_default().iter().all(is_gone);
        if now.is_empty() && is_gone {
            continue;
        }
        // A deletion is reported on the page of the word before it.
        let at = if now.is_empty() { now.start.saturating_sub(1) } else { now.start };
        let mut then = then.clone();
        let mut add = |page: PageIndex, then: Range<usize>, now: Range<usize>| {
            changed.entry(page).or_default().push(WordChange {
                before: new.text(now.start.saturating_sub(CONTEXT_WORDS)..now.start),
                old: old.text(then),
                new: new.text(now.clone()),
                after: new.text(now.end..now.end.saturating_add(CONTEXT_WORDS).min(new.words.len())),
            });
        };
        for (page, now) in new.split_by_page(at, now.clone()) {
            if pages.contains(&page) {
                add(page, std::mem::take(&mut then), now);
            }
        }
        let here = new.pages.get(at).or(new.pages.last()).map_or(0, |page| page.0);
        let nearest = pages.iter().min_by_key(|page| page.0.abs_diff(here));
        if let (Some(page), false) = (nearest, then.is_empty() || is_gone) {
            add(*page, then, now.start..now.start);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use super::*;

    fn page(number: u32) -> PageIndex {
        PageIndex(number - 1)
    }

    /// Pages of words; a page is one text.
    fn read(pages: &[&str]) -> ReadPages {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let contents = |text: &&str| Some(PageContents { words: words(text), images: Vec::new() });
        (1..).map(page).zip(pages.iter().map(contents)).collect()
    }

    fn compared(old: &[&str], new: &[&str]) -> VersionChanges {
        let (then, now) = (read(old), read(new));
        let run = Run { old: then.keys().copied().collect(), new: now.keys().copied().collect() };
        let mut changes = VersionChanges::default();
        changes.add_run(&run, &then, &now);
        changes
    }

    #[test]
    fn words_that_moved_to_the_next_page_are_no_change() {
        let changes =
            compared(&["one two three four", "five six seven eight"], &["one two", "three four five six seven eight"]);
        assert_eq!((changes.changed.len(), changes.reflowed.to_string()), (0, "1-2".to_owned()));
    }

    #[test]
    fn changed_words_stand_in_their_context_and_on_their_page() {
        let changes = compared(&["a b c d e f g h", "i j k l"], &["a b c d X Y e f g h", "i j l"]);
        let changed = changes.changed.iter().map(|page| (page.page, page.was, page.words.clone())).collect::<Vec<_>>();
        let inserted =
            WordChange { before: "a b c d".into(), old: String::new(), new: "X Y".into(), after: "e f g h i j".into() };
        assert_eq!(changed[0], (page(1), Some(page(1)), vec![inserted]));
        assert_eq!((changed[1].0, changed[1].1, changed[1].2[0].old.as_str()), (page(2), Some(page(2)), "k"));
        assert!(changed[1].2[0].before.ends_with("i j") && changed[1].2[0].after == "l", "{changed:?}");
    }

    #[test]
    fn a_page_of_new_words_is_added_and_one_whose_words_are_gone_removed() {
        let (one, two, new) = ("a b c d e f g", "h i j k l m n", "p q r s t u v");
        assert_eq!(compared(&[one, two], &[one, new, two]).added.to_string(), "2");
        assert_eq!(compared(&[one, new, two], &[one, two]).removed.to_string(), "2");
        // A page that was written anew is the page that it was.
        let changes = compared(&[one, two], &[one, new]);
        assert_eq!((changes.changed.len(), changes.added.len(), changes.removed.len()), (1, 0, 0));
    }

    #[test]
    fn runs_lie_between_pages_that_stayed() {
        let kept = PageChanges {
            unchanged: [page(1)].into_iter().collect(),
            moved: vec![(page(3), page(4)), (page(5), page(2))],
            ..PageChanges::default()
        };
        let run = |old: &[u32], new: &[u32]| Run {
            old: old.iter().copied().map(page).collect(),
            new: new.iter().copied().map(page).collect(),
        };
        assert_eq!(runs_between(&kept, 6, 6), [run(&[2], &[3]), run(&[4, 6], &[5, 6])]);
    }
}

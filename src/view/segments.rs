//! Which pages of a file were forgotten up to which sequence.

use std::collections::BTreeMap;

use super::holding::Sequence;
use crate::page::PageIndex;

/// The largest sequence given to each page, as disjoint runs; neighbours with equal sequences are one run.
///
/// So two of these are equal where they say the same, and a question is one look-up, however many runs there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Segments {
    /// First page of each run, with its last page and its sequence. Wide numbers: the page after the last has one.
    runs: BTreeMap<u64, (u64, Sequence)>,
}

impl Segments {
    /// Raises the pages `first..=last` to at least `at`.
    pub(super) fn raise(&mut self, first: PageIndex, last: PageIndex, at: Sequence) {
        let (first, last) = (u64::from(first.0), u64::from(last.0));
        if first > last {
            return;
        }
        self.split(first);
        self.split(last + 1);
        let mut next = first;
        let within: Vec<_> = self.runs.range(first..=last).map(|(start, run)| (*start, *run)).collect();
        for (start, (end, before)) in within {
            if next < start {
                self.runs.insert(next, (start - 1, at));
            }
            self.runs.insert(start, (end, before.max(at)));
            next = end + 1;
        }
        if next <= last {
            self.runs.insert(next, (last, at));
        }
        self.join(first, last);
    }

    /// The sequence of a page, if it was given one.
    pub(super) fn at(&self, page: PageIndex) -> Option<Sequence> {
        let page = u64::from(page.0);
        let (_, (last, at)) = self.runs.range(..=page).next_back()?;
        (page <= *last).then_some(*at)
    }

    /// Drops the runs at or before `epoch`.
    pub(super) fn keep_after(&mut self, epoch: Sequence) {
        self.runs.retain(|_, (_, at)| *at > epoch);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (PageIndex, PageIndex, Sequence)> + '_ {
        let page = |number: u64| PageIndex(u32::try_from(number).unwrap_or(u32::MAX));
        self.runs.iter().map(move |(first, (last, at))| (page(*first), page(*last), *at))
    }

    /// Makes a run begin at `page` where one spans it.
    fn split(&mut self, page: u64) {
        let Some((start, (last, at))) = self.runs.range(..page).next_back().map(|(start, run)| (*start, *run)) else {
            return;
        };
        if page <= last {
            self.runs.insert(start, (page - 1, at));
            self.runs.insert(page, (last, at));
        }
    }

    /// Joins neighbours of equal sequence, from the run before `first` to the one after `last`.
    fn join(&mut self, first: u64, last: u64) {
        let from = self.runs.range(..first).next_back().map_or(first, |(start, _)| *start);
        let near: Vec<_> = self.runs.range(from..=last + 1).map(|(start, run)| (*start, *run)).collect();
        let mut before: Option<(u64, (u64, Sequence))> = None;
        for (start, (end, at)) in near {
            before = match before {
                Some((joined, (last, same))) if last + 1 == start && same == at => {
                    self.runs.remove(&start);
                    self.runs.insert(joined, (end, at));
                    Some((joined, (end, at)))
                }
                _ => Some((start, (end, at))),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, reason = "a failed test may stop where it stands")]
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_say_what_a_list_of_pages_would(raises in prop::collection::vec((0_u32..30, 0_u32..12, 1_u64..5), 0..20)) {
            let mut segments = Segments::default();
            let mut list = vec![None; 45];
            for (first, more, at) in raises {
                segments.raise(PageIndex(first), PageIndex(first + more), Sequence(at));
                for page in list.iter_mut().skip(first as usize).take(more as usize + 1) {
                    *page = (*page).max(Some(Sequence(at)));
                }
            }
            for (page, at) in (0..).zip(&list) {
                prop_assert_eq!(segments.at(PageIndex(page)), *at);
            }
            let changes = list.windows(2).filter(|pair| pair[0] != pair[1] && pair[1].is_some()).count();
            let first = usize::from(list[0].is_some());
            prop_assert_eq!(segments.iter().count(), changes + first, "neighbours are joined");
        }
    }

    #[test]
    fn the_last_page_there_can_be_is_a_page() {
        let mut segments = Segments::default();
        segments.raise(PageIndex(5), PageIndex(u32::MAX), Sequence(1));
        segments.raise(PageIndex(u32::MAX), PageIndex(u32::MAX), Sequence(2));
        assert_eq!(segments.at(PageIndex(u32::MAX)), Some(Sequence(2)));
        assert_eq!(segments.at(PageIndex(u32::MAX - 1)), Some(Sequence(1)));
        assert_eq!(segments.at(PageIndex(4)), None);
    }
}

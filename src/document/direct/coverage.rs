//! Maps object numbers to the newest cross-reference section that has them. Built once, even for thousands of updates.

use std::collections::BTreeMap;
use std::ops::Range;

/// The end of the object numbers that a reference can have.
const END_OF_NUMBERS: u64 = 1 << 32;

/// A cross-reference subsection: `count` entries from object number `first`. `start` is the offset of the first entry: in
/// the file for a table, in the decoded data for a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u64,
    pub(super) count: u64,
    pub(super) start: u64,
}

impl Run {
    pub(super) fn has(self, number: u64) -> bool {
        number.checked_sub(self.first).is_some_and(|place| place < self.count)
    }

    /// The number of entries before that of `number`.
    pub(super) fn place_of(self, number: u64) -> u64 {
        number.saturating_sub(self.first)
    }
}

/// Object numbers of a subsection that no newer section has.
struct Span {
    numbers: Range<u64>,
    section: usize,
    run: Run,
}

/// The newest section for each object number.
#[derive(Default)]
pub(super) struct Coverage {
    spans: Vec<Span>,
    /// Numbers that some section has, as ranges that do not touch: start → end.
    covered: BTreeMap<u64, u64>,
}

impl Coverage {
    /// Adds a subsection of `section`, for the numbers that no newer section has. Returns whether there are any.
    pub(super) fn add(&mut self, section: usize, run: Run) -> bool {
        let gaps = self.cover(&(run.first..run.first.saturating_add(run.count).min(END_OF_NUMBERS)));
        let has_new = !gaps.is_empty();
        self.spans.extend(gaps.into_iter().map(|numbers| Span { numbers, section, run }));
        has_new
    }

    /// Marks `numbers` as covered, and returns those that were not. Ranges that touch are merged.
    fn cover(&mut self, numbers: &Range<u64>) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        if numbers.is_empty() {
            return gaps;
        }
        let (mut start, mut at) = (numbers.start, numbers.start);
        let before = self.covered.range(..=numbers.start).next_back().map(|(start, end)| (*start, *end));
        if let Some((first, end)) = before.filter(|(_, end)| *end >= numbers.start) {
            if end >= numbers.end {
                return gaps;
            }
            self.covered.remove(&first);
            (start, at) = (first, end);
        }
        while at <= numbers.end
            && let Some((next, end)) = self.covered.range(at..=numbers.end).next().map(|(start, end)| (*start, *end))
        {
            gaps.push(at..next);
            self.covered.remove(&next);
            at = end;
        }
        if at < numbers.end {
            gaps.push(at..numbers.end);
            at = numbers.end;
        }
        self.covered.insert(start, at);
        gaps
    }

    /// Sorts the ranges for look-up.
    pub(super) fn finish(self) -> Spans {
        let mut spans = self.spans;
        spans.sort_unstable_by_key(|span| span.numbers.start);
        Spans(spans)
    }
}

/// Covered ranges, sorted by number.
pub(super) struct Spans(Vec<Span>);

impl Spans {
    /// The newest section that has the number, and its subsection.
    pub(super) fn find(&self, number: u64) -> Option<(usize, Run)> {
        let after = self.0.partition_point(|span| span.numbers.start <= number);
        let span = self.0.get(after.checked_sub(1)?)?;
        span.numbers.contains(&number).then_some((span.section, span.run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear search, the newest section first.
    fn searched(runs: &[Run], number: u64) -> Option<(usize, Run)> {
        runs.iter().copied().enumerate().find(|(_, run)| run.has(number))
    }

    #[test]
    fn each_number_is_of_the_newest_section_that_has_it() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..500 {
            let runs: Vec<Run> = (0..12).map(|start| Run { first: random(40), count: random(12), start }).collect();
            let mut coverage = Coverage::default();
            for (section, run) in runs.iter().enumerate() {
                let newer = runs.get(..section).unwrap_or_default();
                let is_new = (run.first..run.first + run.count).any(|number| searched(newer, number).is_none());
                assert_eq!(coverage.add(section, *run), is_new, "{runs:?}");
            }
            let spans = coverage.finish();
            for number in 0..60 {
                assert_eq!(spans.find(number), searched(&runs, number), "{number} of {runs:?}");
            }
        }
    }

    #[test]
    fn numbers_without_end_are_cut_off() {
        let mut coverage = Coverage::default();
        let endless = Run { first: 5, count: u64::MAX, start: 9 };
        assert!(coverage.add(0, endless));
        assert!(!coverage.add(1, Run { first: u64::MAX, ..endless }));
        let spans = coverage.finish();
        assert_eq!(spans.find(7), Some((0, endless)));
        assert_eq!(spans.find(4), None);
        assert_eq!(spans.find(u64::MAX), None);
    }
}

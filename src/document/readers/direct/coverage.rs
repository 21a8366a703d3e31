//! Maps object numbers to the newest cross-reference section that has them. Built once, even for thousands of updates.

use std::collections::BTreeMap;
use std::ops::Range;

/// The end of the object numbers that a reference can have.
const END_OF_NUMBERS: u64 = 1 << 32;

/// A cross-reference subsection: `count` entries from object number `first`. `start` is the offset of the first entry: in
/// the file for a table, in the decoded data for a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Subsection {
    pub(super) first: u64,
    pub(super) count: u64,
    pub(super) start: u64,
}

impl Subsection {
    pub(super) fn has(self, number: u64) -> bool {
        number.checked_sub(self.first).is_some_and(|position| position < self.count)
    }

    /// The number of entries before that of `number`.
    pub(super) fn position_of(self, number: u64) -> u64 {
        number.saturating_sub(self.first)
    }
}

/// Object numbers of a subsection that no newer section has.
struct CoveredRange {
    numbers: Range<u64>,
    section: usize,
    subsection: Subsection,
}

/// The newest section for each object number.
#[derive(Default)]
pub(super) struct Coverage {
    ranges: Vec<CoveredRange>,
    /// Numbers that some section has, as ranges that do not touch: start → end.
    covered: BTreeMap<u64, u64>,
}

impl Coverage {
    /// Adds a subsection of `section`, for the numbers that no newer section has. Returns whether there are any.
    pub(super) fn add(&mut self, section: usize, subsection: Subsection) -> bool {
        let gaps =
            self.cover(&(subsection.first..subsection.first.saturating_add(subsection.count).min(END_OF_NUMBERS)));
        let has_new = !gaps.is_empty();
        self.ranges.extend(gaps.into_iter().map(|numbers| CoveredRange { numbers, section, subsection }));
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
    pub(super) fn finish(self) -> CoverageIndex {
        let mut ranges = self.ranges;
        ranges.sort_unstable_by_key(|span| span.numbers.start);
        CoverageIndex(ranges)
    }
}

/// Covered ranges, sorted by number.
pub(super) struct CoverageIndex(Vec<CoveredRange>);

impl CoverageIndex {
    /// The newest section that has the number, and its subsection.
    pub(super) fn find(&self, number: u64) -> Option<(usize, Subsection)> {
        let after = self.0.partition_point(|span| span.numbers.start <= number);
        let span = self.0.get(after.checked_sub(1)?)?;
        span.numbers.contains(&number).then_some((span.section, span.subsection))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear search, the newest section first.
    fn search_linearly(subsections: &[Subsection], number: u64) -> Option<(usize, Subsection)> {
        subsections.iter().copied().enumerate().find(|(_, subsection)| subsection.has(number))
    }

    #[test]
    fn each_number_is_of_the_newest_section_that_has_it() {
        let mut seed = 7_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for _ in 0..500 {
            let subsections: Vec<Subsection> =
                (0..12).map(|start| Subsection { first: random(40), count: random(12), start }).collect();
            let mut coverage = Coverage::default();
            for (section, subsection) in subsections.iter().enumerate() {
                let newer = subsections.get(..section).unwrap_or_default();
                let is_new = (subsection.first..subsection.first + subsection.count)
                    .any(|number| search_linearly(newer, number).is_none());
                assert_eq!(coverage.add(section, *subsection), is_new, "{subsections:?}");
            }
            let ranges = coverage.finish();
            for number in 0..60 {
                assert_eq!(ranges.find(number), search_linearly(&subsections, number), "{number} of {subsections:?}");
            }
        }
    }

    #[test]
    fn numbers_without_end_are_cut_off() {
        let mut coverage = Coverage::default();
        let endless = Subsection { first: 5, count: u64::MAX, start: 9 };
        assert!(coverage.add(0, endless));
        assert!(!coverage.add(1, Subsection { first: u64::MAX, ..endless }));
        let ranges = coverage.finish();
        assert_eq!(ranges.find(7), Some((0, endless)));
        assert_eq!(ranges.find(4), None);
        assert_eq!(ranges.find(u64::MAX), None);
    }
}

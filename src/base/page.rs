//! Page indices, numbers and labels, and sets of pages.
//!
//! [`PageIndex`] is 0-based and used in code, [`PageNumber`] is 1-based and used in requests and answers, and
//! [`PageLabel`] is printed on the page. A plain integer never means a page.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// A page's position in its document, 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageIndex(pub u32);

impl PageIndex {
    /// The 1-based number of this page. It saturates at `u32::MAX`.
    #[must_use]
    pub fn number(self) -> PageNumber {
        PageNumber(NonZeroU32::MIN.saturating_add(self.0))
    }
}

/// A page's position in its document, 1-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageNumber(NonZeroU32);

impl PageNumber {
    /// The page number `number`, or `None` for 0.
    #[must_use]
    pub fn new(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// The 1-based number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.get()
    }

    /// The 0-based index of this page.
    #[must_use]
    pub fn index(self) -> PageIndex {
        PageIndex(self.0.get() - 1)
    }
}

impl fmt::Display for PageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A page's printed label (ISO 32000-2, 12.4.2), such as `iv` or `A-3`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageLabel(pub String);

impl fmt::Display for PageLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A set of pages, stored as sorted, disjoint, non-adjacent ranges.
///
/// The memory depends on the number of ranges, not of pages, so `"1-1000000"` is one range.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<(u32, u32)>", into = "Vec<(u32, u32)>")]
pub struct PageSet {
    /// The first and last index of each range, both included.
    runs: Vec<(u32, u32)>,
}

/// Ranges that are not sorted, disjoint and non-adjacent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("ranges of pages that are not sorted, disjoint and apart")]
pub struct UnsortedRuns;

impl TryFrom<Vec<(u32, u32)>> for PageSet {
    type Error = UnsortedRuns;

    fn try_from(runs: Vec<(u32, u32)>) -> Result<Self, UnsortedRuns> {
        let is_sorted = runs.iter().zip(runs.iter().skip(1)).all(|(one, next)| one.1.saturating_add(1) < next.0);
        let is_valid = is_sorted && runs.iter().all(|(first, last)| first <= last);
        if is_valid { Ok(Self { runs }) } else { Err(UnsortedRuns) }
    }
}

impl From<PageSet> for Vec<(u32, u32)> {
    fn from(pages: PageSet) -> Self {
        pages.runs
    }
}

impl PageSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every page of a document of `page_count` pages.
    #[must_use]
    pub fn all(page_count: u32) -> Self {
        let runs = page_count.checked_sub(1).map(|last| (0, last));
        Self { runs: runs.into_iter().collect() }
    }

    /// Adds one page.
    pub fn insert(&mut self, page: PageIndex) {
        self.insert_run(page.0, page.0);
    }

    /// Adds the pages `first..=last`. Adds nothing if `first > last`.
    pub fn insert_run(&mut self, first: u32, last: u32) {
        if first > last {
            return;
        }
        let start = self.runs.partition_point(|run| run.1.saturating_add(1) < first);
        let end = self.runs.partition_point(|run| run.0 <= last.saturating_add(1));
        let merged = self.runs.get(start..end).unwrap_or_default();
        let low = merged.first().map_or(first, |run| run.0.min(first));
        let high = merged.last().map_or(last, |run| run.1.max(last));
        self.runs.splice(start..end.max(start), [(low, high)]);
    }

    /// Removes one page.
    pub fn remove(&mut self, page: PageIndex) {
        self.remove_run(page.0, page.0);
    }

    /// Removes the pages from `first` to `last`; none if `first` is greater.
    pub fn remove_run(&mut self, first: u32, last: u32) {
        if first > last {
            return;
        }
        let start = self.runs.partition_point(|run| run.1 < first);
        let end = self.runs.partition_point(|run| run.0 <= last).max(start);
        let removed = self.runs.get(start..end).unwrap_or_default();
        let before = removed.first().filter(|run| run.0 < first).map(|run| (run.0, first.saturating_sub(1)));
        let after = removed.last().filter(|run| run.1 > last).map(|run| (last.saturating_add(1), run.1));
        self.runs.splice(start..end, before.into_iter().chain(after));
    }

    /// The pages of the set from `first` to `last`.
    #[must_use]
    pub fn within(&self, first: u32, last: u32) -> Self {
        let clipped = self.runs.iter().map(|run| (run.0.max(first), run.1.min(last)));
        Self { runs: clipped.filter(|run| run.0 <= run.1).collect() }
    }

    /// Whether `page` is in the set.
    #[must_use]
    pub fn contains(&self, page: PageIndex) -> bool {
        let at = self.runs.partition_point(|run| run.1 < page.0);
        self.runs.get(at).is_some_and(|run| run.0 <= page.0)
    }

    /// Adds every page of `other`.
    pub fn union(&mut self, other: &Self) {
        for &(first, last) in &other.runs {
            self.insert_run(first, last);
        }
    }

    /// The number of pages.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.1 - run.0) + 1).sum()
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The last page.
    #[must_use]
    pub fn last(&self) -> Option<PageIndex> {
        self.runs.last().map(|run| PageIndex(run.1))
    }

    /// The pages in order.
    pub fn iter(&self) -> impl Iterator<Item = PageIndex> + '_ {
        self.runs.iter().flat_map(|run| (run.0..=run.1).map(PageIndex))
    }

    /// The ranges in order, as pairs of the first and the last index, both included.
    pub fn runs(&self) -> impl Iterator<Item = (PageIndex, PageIndex)> + '_ {
        self.runs.iter().map(|run| (PageIndex(run.0), PageIndex(run.1)))
    }
}

impl FromIterator<PageIndex> for PageSet {
    fn from_iter<I: IntoIterator<Item = PageIndex>>(pages: I) -> Self {
        let mut set = Self::new();
        for page in pages {
            set.insert(page);
        }
        set
    }
}

/// Writes 1-based page numbers as a selection that parses to the same set: `1-3,7`.
impl fmt::Display for PageSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (first, last)) in self.runs().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{}", first.number())?;
            } else {
                write!(f, "{comma}{}-{}", first.number(), last.number())?;
            }
        }
        Ok(())
    }
}

/// The pages that a selection names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSelection {
    /// The pages.
    pub pages: PageSet,
    /// Whether a range goes on past the last page, where it ends.
    pub is_cut: bool,
}

/// The text is not a valid page selection.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageSelectionError {
    /// The text is not a list of numbers and ranges, or a range runs backwards, or a number is 0.
    #[error("not a page selection")]
    Malformed,
    /// A page, or the beginning of a range, exceeds the number of pages.
    #[error("page {page} of a document of {page_count} pages")]
    OutOfRange {
        /// The first number that is too large, which saturates at `u64::MAX`, or 0 for a page before the first.
        page: u64,
        /// The number of pages of the document.
        page_count: u32,
    },
}

/// Parses a page selection of 1-based numbers: `"3"`, `"1-5"`, `"1 - 5"`, `"1,3,5-7"`, `"4-"`, `"-3"`, `"last"`, `"last-2"` (the
/// third last), `"7-last"`, `"all"`.
///
/// Spaces are allowed around numbers, commas and dashes, and a dash may be any of Unicode's. Empty parts are passed over. The
/// result is deduplicated and sorted. A range that begins inside the document ends with it.
///
/// # Errors
/// [`PageSelectionError::Malformed`] for anything else (no part at all, 0, `"5-2"`, `"-"`), also after a page that is out of
/// range; and [`PageSelectionError::OutOfRange`] for a page or a beginning above `page_count`, or before the first page.
pub fn parse_page_selection(text: &str, page_count: u32) -> Result<PageSelection, PageSelectionError> {
    let text = text.replace(DASHES, "-");
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let runs = parts.map(|part| parse_run(part, page_count)).collect::<Result<Vec<_>, _>>()?;
    if runs.is_empty() {
        return Err(PageSelectionError::Malformed);
    }
    let mut selection = PageSelection { pages: PageSet::new(), is_cut: false };
    for (first, last) in runs {
        if first == 0 || first > u64::from(page_count) {
            return Err(PageSelectionError::OutOfRange { page: first, page_count });
        }
        let last = last.unwrap_or_else(|| u64::from(page_count));
        selection.is_cut |= last > u64::from(page_count);
        selection.pages.insert_run(index_of(first, page_count), index_of(last, page_count));
    }
    Ok(selection)
}

/// Hyphens, dashes and the minus sign.
const DASHES: [char; 7] = ['\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}'];

/// The first and last number of a range; no last one if it has no end.
fn parse_run(part: &str, page_count: u32) -> Result<(u64, Option<u64>), PageSelectionError> {
    if part.eq_ignore_ascii_case("all") {
        return Ok((1, None));
    }
    if let Some(only) = parse_number(part, page_count) {
        return Ok((only, Some(only)));
    }
    // A dash may stand within an end: `last-2-last`.
    let mut cuts = part.match_indices('-').map(|(at, _)| (part.get(..at), part.get(at + 1..)));
    let ends = cuts.find_map(|(first, last)| match (first?.trim(), last?.trim()) {
        ("", "") => None,
        ("", last) => Some((1, Some(parse_number(last, page_count)?))),
        (first, "") => Some((parse_number(first, page_count)?, None)),
        (first, last) => Some((parse_number(first, page_count)?, Some(parse_number(last, page_count)?))),
    });
    ends.filter(|(first, last)| last.is_none_or(|last| *first <= last)).ok_or(PageSelectionError::Malformed)
}

/// A number, `last`, or `last-` and how many pages before it; 0 for a page before the first.
fn parse_number(text: &str, page_count: u32) -> Option<u64> {
    let digits =
        |text: &str| (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse());
    let is_last = |text: &str| text.trim().eq_ignore_ascii_case("last");
    if is_last(text) {
        return Some(page_count.into());
    }
    if let Some((_, before)) = text.split_once('-').filter(|(start, _)| is_last(start)) {
        return Some(u64::from(page_count).saturating_sub(digits(before.trim())?.unwrap_or(u64::MAX)));
    }
    // A text of digits can only fail by being too large.
    digits(text).map(|number| number.unwrap_or(u64::MAX)).filter(|number| *number > 0)
}

/// The index of page `number`, or of the last page if that comes first.
fn index_of(number: u64, page_count: u32) -> u32 {
    u32::try_from(number).map_or(page_count, |number| number.min(page_count)).saturating_sub(1)
}

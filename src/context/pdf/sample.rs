//! Estimates a document's cost from a sample of pages, so that a summary is cheap for any page count.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::forms::FormChooser;
use crate::context::answer::PageEstimate;
use crate::worker::{Pages, StructuredPage};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_document::PageGeometry;
use pagewise_text::PageKind;

/// Pages in a sample: enough to meet the kinds of page that a document has.
const MAX_SAMPLE: u32 = 24;

/// Pages in a sample of a remote document, where each takes several requests.
const MAX_REMOTE_SAMPLE: u32 = 1;

/// Pages that are looked at whatever the time: fewer would miss kinds of page.
const MIN_SAMPLE: u64 = 8;

/// Time for the rest of a sample.
const TIME_BUDGET: Duration = Duration::from_millis(300);

/// Findings on the sampled pages.
#[derive(Debug, Default)]
pub(crate) struct PageSample {
    /// One estimate per sampled page.
    pub(crate) estimates: Vec<PageEstimate>,
    pub(crate) looked_at: PageSet,
    /// Pages whose text was read and is nearly empty.
    pub(crate) without_text: PageSet,
    /// Pages whose fonts do not map to characters.
    pub(crate) undecodable: PageSet,
    /// Pages with text that is not seen.
    pub(crate) hidden: PageSet,
    /// The distinct page sizes, as seen on a screen, in order of appearance.
    pub(crate) sizes_pt: Vec<(f64, f64)>,
    /// Whether at least one page could be cut.
    pub(crate) can_cut: bool,
    /// Why the first failing page could not be cut.
    pub(crate) cut_failure: Option<String>,
}

impl PageSample {
    /// Looks at a sample of a document.
    pub(crate) fn of(chooser: &FormChooser<'_>) -> Self {
        let (start, document) = (Instant::now(), chooser.document);
        let mut result = Self::default();
        let mut read = BTreeMap::new();
        let mut bytes = BTreeMap::new();
        for page in sample_of(document) {
            if result.looked_at.len() >= MIN_SAMPLE && start.elapsed() > TIME_BUDGET {
                break;
            }
            bytes.insert(page.number(), result.cut(document, page));
            read.extend(result.inspect_page(document, page).map(|found| (page, found)));
        }
        result.estimates = chooser.estimates(read);
        for estimate in &mut result.estimates {
            estimate.pdf_bytes = bytes.get(&estimate.page).copied().flatten();
        }
        result
    }

    fn inspect_page(&mut self, document: &dyn Pages, page: PageIndex) -> Option<StructuredPage> {
        self.looked_at.insert(page);
        if let Ok(geometry) = document.page_geometry(page) {
            self.note_size(&geometry);
        }
        let read = document.page_structure(page).ok()?;
        match &read.text {
            text if text.kind == PageKind::Undecodable => self.undecodable.insert(page),
            text if !text.is_usable() => self.without_text.insert(page),
            _ => {}
        }
        if !read.text.hidden.is_empty() {
            self.hidden.insert(page);
        }
        Some(read)
    }

    fn cut(&mut self, document: &dyn Pages, page: PageIndex) -> Option<u64> {
        match document.cut(page) {
            Ok(chunk) => {
                self.can_cut = true;
                u64::try_from(chunk.bytes.len()).ok()
            }
            Err(error) => {
                self.cut_failure.get_or_insert_with(|| error.to_string());
                None
            }
        }
    }

    fn note_size(&mut self, page: &PageGeometry) {
        let size = (page.width_pt, page.height_pt);
        if !self.sizes_pt.contains(&size) {
            self.sizes_pt.push(size);
        }
    }
}

/// The pages with text that is not seen, and the number of pages looked at: a sample, unless the document is short.
pub fn pages_with_hidden_text(document: &dyn Pages) -> (PageSet, u64) {
    let (start, mut hidden, mut looked_at) = (Instant::now(), PageSet::new(), 0);
    for page in sample_of(document) {
        if looked_at > 0 && start.elapsed() > TIME_BUDGET {
            break;
        }
        looked_at += 1;
        if document.page_text(page).is_ok_and(|text| !text.hidden.is_empty()) {
            hidden.insert(page);
        }
    }
    (hidden, looked_at)
}

fn sample_of(document: &dyn Pages) -> Vec<PageIndex> {
    sample(document.page_count(), if document.is_remote() { MAX_REMOTE_SAMPLE } else { MAX_SAMPLE })
}

/// The first page, then one page out of each of as many equal parts, so that no period of the document shows. An
/// interrupted sample is spread too.
pub(in crate::context) fn sample(page_count: u32, most: u32) -> Vec<PageIndex> {
    let (count, size) = (u64::from(page_count), u64::from(page_count.min(most)));
    let step = (size * 5 / 8..=size).find(|step| is_coprime(*step, size)).unwrap_or(1);
    let place = |at: u64| {
        let part = at * step % size;
        let (start, end) = (part * count / size, (part + 1) * count / size);
        start + if part == 0 { 0 } else { part * SPREAD % (end - start).max(1) }
    };
    (0..size).map(place).filter_map(|page| u32::try_from(page).ok()).map(PageIndex).collect()
}

/// A prime, by whose multiples the places in the parts of a document differ.
const SPREAD: u64 = 7_919;

fn is_coprime(a: u64, b: u64) -> bool {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_every_page_of_a_short_document_and_spread_over_a_long_one() {
        let of = |count| sample(count, MAX_SAMPLE).into_iter().collect::<PageSet>().to_string();
        assert_eq!(of(0), "");
        assert_eq!(of(24), "1-24");
        let long = sample(1_000_000, MAX_SAMPLE);
        assert_eq!(long.len(), 24);
        assert_eq!(long.first(), Some(&PageIndex(0)));
        assert!(long.iter().all(|page| page.0 < 1_000_000));
        let half = sample(48, MAX_SAMPLE).into_iter().take(12);
        assert!((4..=8).contains(&half.filter(|page| page.0 % 2 == 0).count()), "no period shows");
    }
}

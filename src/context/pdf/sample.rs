//! What a document's pages cost, from a sample: a summary must be cheap whatever the size.

use std::time::{Duration, Instant};

use super::estimate::image_tokens;
use crate::context::answer::PageEstimate;
use crate::document::PageGeometry;
use crate::page::{PageIndex, PageSet};
use crate::text::{PageKind, estimated_tokens};
use crate::worker::Pages;

/// Pages looked at. 24: enough to meet the kinds of page that a document has.
const MAX_SAMPLE: u32 = 24;

/// Time for looking at them. The first page is looked at whatever it takes.
const TIME_BUDGET: Duration = Duration::from_millis(300);

/// What was found on the pages of the sample.
#[derive(Debug, Default)]
pub(crate) struct PageSample {
    /// One for each page looked at.
    pub(crate) estimates: Vec<PageEstimate>,
    /// The pages looked at.
    pub(crate) looked_at: PageSet,
    /// Those whose text could be had and is next to nothing.
    pub(crate) without_text: PageSet,
    /// Those whose fonts do not say which characters they show.
    pub(crate) undecodable: PageSet,
    /// The different sizes met, in order, as they are seen on a screen.
    pub(crate) sizes_pt: Vec<(f64, f64)>,
    /// Whether a page could be cut.
    pub(crate) can_cut: bool,
    /// Why the first page that failed could not be cut.
    pub(crate) cut_failure: Option<String>,
}

impl PageSample {
    /// Looks at a sample of `document`.
    pub(crate) fn of(document: &dyn Pages) -> Self {
        let start = Instant::now();
        let mut survey = Self::default();
        for page in sample(document.page_count()) {
            if !survey.estimates.is_empty() && start.elapsed() > TIME_BUDGET {
                break;
            }
            survey.inspect_page(document, page);
        }
        survey.estimates.sort_by_key(|estimate| estimate.page);
        survey
    }

    fn inspect_page(&mut self, document: &dyn Pages, page: PageIndex) {
        let geometry = document.page_geometry(page).ok();
        let text = document.page_text(page).ok();
        let pdf_bytes = self.cut(document, page);
        if let Some(geometry) = &geometry {
            self.note_size(geometry);
        }
        match &text {
            Some(text) if text.kind == PageKind::Undecodable => self.undecodable.insert(page),
            Some(text) if !text.is_usable() => self.without_text.insert(page),
            _ => {}
        }
        self.looked_at.insert(page);
        self.estimates.push(PageEstimate {
            page: page.number(),
            text_tokens: text.as_ref().map(|text| estimated_tokens(&text.text)),
            image_tokens: geometry.as_ref().map(image_tokens),
            pdf_bytes,
        });
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

/// The first page, then pages spread evenly: every other of them first, so that a sample cut short is spread too.
fn sample(page_count: u32) -> Vec<PageIndex> {
    let size = page_count.min(MAX_SAMPLE);
    let spread = |at: u32| u64::from(at) * u64::from(page_count) / u64::from(size.max(1));
    let pages = (0..size).step_by(2).chain((1..size).step_by(2)).map(spread);
    pages.filter_map(|page| u32::try_from(page).ok()).map(PageIndex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_every_page_of_a_short_document_and_spread_over_a_long_one() {
        let of = |count| sample(count).into_iter().collect::<PageSet>().to_string();
        assert_eq!(of(0), "");
        assert_eq!(of(24), "1-24");
        let long = sample(1_000_000);
        assert_eq!(long.len(), 24);
        assert_eq!(long.first(), Some(&PageIndex(0)));
        assert!(long.iter().all(|page| page.0 < 1_000_000));
    }
}

//! Words whose cell is known.

use super::lines::{PageWords, PlacedWord};
use pagewise_text::PageLayout;
use std::collections::HashMap;

/// The words of a page by their indices.
pub(crate) struct TableText<'p> {
    page: &'p PageLayout,
    placed: HashMap<usize, PlacedWord<'p>>,
}

impl<'p> TableText<'p> {
    pub(crate) fn of(page: &'p PageLayout) -> Self {
        let words = PageWords::of(page);
        Self { page, placed: words.all().iter().map(|word| (word.index, *word)).collect() }
    }

    /// Whether all these words run to the right.
    pub(crate) fn are_upright(&self, words: &[usize]) -> bool {
        words.iter().all(|index| self.page.words.get(*index).is_some_and(|word| word.turn == 0))
    }

    /// These words with the baselines of their lines.
    pub(crate) fn place(&self, words: &[usize]) -> Vec<PlacedWord<'p>> {
        let own = |index: &usize| {
            let word = self.page.words.get(*index)?;
            let unsettled = PlacedWord { index: *index, word, baseline: word.baseline };
            Some(self.placed.get(index).copied().unwrap_or(unsettled))
        };
        words.iter().filter_map(own).collect()
    }
}

//! Notes on the pages of an answer: what is noted of several pages is said once, with their numbers.

use super::phrases::{grouped, one_line, page_or_pages};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_text::{PageRemark, RECOGNISED_REMARK};

/// Different notes in one answer. Further ones are counted.
const MAX_NOTES: usize = 20;

/// Notes on pages, equal ones joined.
#[derive(Debug, Clone, Default)]
pub struct PageNotes {
    notes: Vec<PageNote>,
    /// Notes beyond the bound.
    more: u64,
}

/// Which pages OCR read; `None` if it read none.
#[must_use]
pub fn recognised_note(pages: &PageSet) -> Option<String> {
    let note = PageNote { pages: pages.clone(), count: None, what: RECOGNISED_REMARK.to_owned() };
    (!pages.is_empty()).then(|| note.sentence())
}

#[derive(Debug, Clone)]
struct PageNote {
    pages: PageSet,
    /// The sum over the pages, if something was counted.
    count: Option<u64>,
    what: String,
}

impl PageNotes {
    /// Adds what is noted of a page.
    pub fn add(&mut self, page: PageIndex, remark: &PageRemark) {
        let is_full = self.notes.len() == MAX_NOTES;
        let is_same = |note: &&mut PageNote| note.what == remark.what && note.count.is_some() == remark.count.is_some();
        match self.notes.iter_mut().find(is_same) {
            Some(note) => {
                note.pages.insert(page);
                note.count = note.count.map(|count| count.saturating_add(remark.count.unwrap_or(0)));
            }
            None if is_full => self.more = self.more.saturating_add(1),
            None => {
                let pages = [page].into_iter().collect();
                self.notes.push(PageNote { pages, count: remark.count, what: remark.what.clone().into_owned() });
            }
        }
    }

    /// The notes, one sentence each: `Pages 1-3: 40 characters outside the visible page left out`.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("{} more notes on pages are left out", grouped(self.more)));
        self.notes.iter().map(PageNote::sentence).chain(more).collect()
    }
}

impl PageNote {
    fn sentence(&self) -> String {
        let pages = page_or_pages(&self.pages).replacen('p', "P", 1);
        let remark = match self.count {
            Some(count) if count > 1 => format!("{} {}", grouped(count), self.what),
            count => PageRemark { count, what: self.what.clone().into() }.to_string(),
        };
        format!("{pages}: {}", one_line(&remark))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_of_several_pages_is_said_once() {
        let mut notes = PageNotes::default();
        for page in [0, 1, 2, 6] {
            notes.add(PageIndex(page), &PageRemark::counted(100, "characters left out"));
        }
        notes.add(PageIndex(2), &PageRemark::plain("nothing is drawn there"));
        notes.add(PageIndex(7), &PageRemark::counted(1, "glyphs for unknown characters, shown as � or left out"));
        let expected = [
            "Pages 1-3,7: 400 characters left out",
            "Page 3: nothing is drawn there",
            "Page 8: 1 glyph for unknown characters, shown as � or left out",
        ];
        assert_eq!(notes.sentences(), expected);
    }

    #[test]
    fn different_notes_are_bounded() {
        let mut notes = PageNotes::default();
        for page in 0..30 {
            notes.add(PageIndex(page), &PageRemark::plain(format!("reason {page}")));
        }
        let sentences = notes.sentences();
        assert_eq!(
            (sentences.len(), sentences.last().map(String::as_str)),
            (21, Some("10 more notes on pages are left out"))
        );
    }
}

//! The matches of one document, and how they are told.

use serde_json::{Value, json};

use super::absent::{PageBreaks, SeveralWords};
use super::matched_page::{MatchedPage, counted};
use crate::context::{
    ResultBudget, one_line, page_or_pages, provided_line, recognised_note, unrecognised_notes, untrusted,
};
use crate::tool::data_answer::without_blanks;
use crate::tool::pdf::arguments::SearchArguments;
use crate::worker::{OcrReport, Pages};
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_text::{PageKind, Pattern};

/// The matches of one document.
#[derive(Default)]
pub(super) struct SearchFindings {
    /// Pages with matches that are shown, those of contents last.
    pub(super) pages: Vec<MatchedPage>,
    /// Pages of contents with matches, until all pages were searched.
    pub(super) contents: Vec<MatchedPage>,
    /// The pages of contents among those with matches.
    pub(super) contents_pages: PageSet,
    /// Pages with matches that are not shown.
    pub(super) unlisted: PageSet,
    /// Pages whose text was recognised from their pictures.
    pub(super) recognised: PageSet,
    pub(super) without_text: PageSet,
    pub(super) unreadable: PageSet,
    /// What was recognised, and what was not.
    pub(super) ocr: OcrReport,
    /// Matches that may still be shown.
    pub(super) left: usize,
    /// Matches that may be shown.
    pub(super) max: usize,
    pub(super) total: usize,
    /// Pages whose text was searched.
    pub(super) searched: u64,
    /// Pages without a match whose text is a hidden layer, which counts only once it was compared with the picture.
    pub(super) layers: PageSet,
    /// A note on how the pages were selected.
    pub(super) note: Option<String>,
    /// The selection that shows the unlisted pages.
    pub(super) rest: PageSet,
    /// Whether the result has room for no more.
    pub(super) is_full: bool,
    /// A page whose matches alone are too many.
    pub(super) alone: Option<PageIndex>,
    /// Pages with matches.
    pub(super) matching: usize,
    /// The words of a query of several.
    pub(super) words: Option<SeveralWords>,
    /// The breaks between pages; `None` for an expression.
    pub(super) breaks: Option<PageBreaks>,
}

/// Pages of contents that are remembered until all pages were searched.
const MAX_CONTENTS: usize = 50;

/// Pages whose matches have boxes. Each is read again.
const MAX_BOXED_PAGES: usize = 100;

/// The longest exact selection of the pages that are left.
const MAX_REST_CHARACTERS: usize = 60;

impl SearchFindings {
    pub(super) fn search_page(&mut self, document: &dyn Pages, page: PageIndex, pattern: &Pattern, held: &PageSet) {
        let text = match document.page_text(page) {
            Ok(found) => found,
            Err(_) => return self.unreadable.insert(page),
        };
        match text.kind {
            // Search whatever text there is.
            PageKind::Undecodable => self.unreadable.insert(page),
            _ if text.text.is_empty() => self.without_text.insert(page),
            _ => self.searched += 1,
        }
        let is_contents = text.is_contents() && self.contents.len() < MAX_CONTENTS;
        let (hits, count) = pattern.hits(&text, if is_contents { self.max } else { self.left });
        let is_recognised = text.is_recognised();
        if count == 0 && text.has_hidden_layer() {
            self.layers.insert(page);
        }
        if let Some(words) = self.words.as_mut().filter(|_| self.total + count == 0) {
            words.count(&text);
        }
        let across = self.breaks.as_mut().and_then(|breaks| breaks.across(page, text, pattern));
        let mut add = |page: PageIndex, hits, count| {
            let label = document.page_label(page).map(|label| label.0);
            let label = label.filter(|label| *label != page.number().to_string());
            self.total += count;
            self.matching += 1;
            MatchedPage { page, label, count, is_held: held.contains(page), hits, boxes: Vec::new() }
        };
        let across = across.map(|(before, hit)| add(before, vec![hit], 1));
        let found = (count > 0).then(|| add(page, hits, count));
        if is_recognised {
            self.recognised.insert(page);
        }
        across.into_iter().for_each(|found| self.list_across(found));
        match found {
            Some(found) if is_contents => self.contents.push(found),
            Some(found) => self.list(found),
            None => {}
        }
    }

    /// Takes the report of recognition. A hidden layer that was not compared with its picture does not count as searched.
    pub(super) fn set_ocr(&mut self, report: OcrReport) {
        let unread = report.unrecognised();
        let layers = self.layers.iter().filter(|page| unread.contains(*page)).count();
        self.searched = self.searched.saturating_sub(u64::try_from(layers).unwrap_or(u64::MAX));
        self.ocr = report;
    }

    /// Lists a match that ends on the next page with those of its page.
    fn list_across(&mut self, found: MatchedPage) {
        match self.pages.last_mut().filter(|last| last.page == found.page) {
            Some(last) => {
                last.count += 1;
                self.matching -= 1;
                if self.left > 0 {
                    self.left -= 1;
                    last.hits.extend(found.hits);
                }
            }
            None => self.list(found),
        }
    }

    /// Lists a page while there is room for its matches.
    pub(super) fn list(&mut self, mut page: MatchedPage) {
        while page.shown_count() > self.left {
            page.hits.pop();
        }
        if page.hits.is_empty() {
            return self.unlisted.insert(page.page);
        }
        self.left -= page.shown_count();
        self.pages.push(page);
    }

    /// Reads the boxes of the matches on the first pages.
    pub(super) fn read_boxes(&mut self, document: &dyn Pages) {
        self.pages.iter_mut().take(MAX_BOXED_PAGES).for_each(|page| page.read_boxes(document));
    }

    /// Lists the pages of contents after all others.
    pub(super) fn finish(&mut self, searched: &PageSet) {
        for page in std::mem::take(&mut self.contents) {
            self.contents_pages.insert(page.page);
            self.list(page);
        }
        // The first page again would give the same answer again.
        let partly = self.pages.iter().skip(1).filter(|page| page.shown_count() < page.count);
        partly.for_each(|page| self.unlisted.insert(page.page));
        self.set_rest(searched);
    }

    /// Names the unlisted pages, or, if they are scattered, all searched pages from the first of them on.
    pub(super) fn set_rest(&mut self, searched: &PageSet) {
        let is_short = self.unlisted.to_string().len() <= MAX_REST_CHARACTERS;
        let is_contents = |page: &PageIndex| self.contents_pages.contains(*page);
        let first = self.unlisted.iter().find(|page| !is_contents(page));
        self.rest = match first {
            Some(first) if !is_short => {
                let contents = self.unlisted.iter().filter(is_contents);
                searched.iter().filter(|page| *page >= first).chain(contents).collect()
            }
            _ => self.unlisted.clone(),
        };
    }

    /// Drops matches that do not fit into the result.
    pub(super) fn drop_what_does_not_fit(&mut self, budget: ResultBudget, searched: &PageSet) {
        self.is_full = true;
        let mut left = budget.bytes();
        let mut kept = 0;
        for page in &mut self.pages {
            let head = page.head_cost();
            let costs = page.hits.iter().map(MatchedPage::hit_cost);
            let fitting = costs
                .scan(left.saturating_sub(head), |left, cost| {
                    *left = left.checked_sub(cost)?;
                    Some(*left)
                })
                .collect::<Vec<_>>();
            let is_whole = head <= left && fitting.len() == page.hits.len();
            left = fitting.last().copied().unwrap_or_else(|| left.saturating_sub(head));
            page.hits.truncate(fitting.len());
            if !is_whole {
                break;
            }
            kept += 1;
        }
        // Keep the matches that fit of a partly fitting page. If it is the only page, the same call would give the same
        // result again.
        let some = self.pages.get(kept).is_some_and(|page| !page.hits.is_empty());
        self.alone = self.pages.first().filter(|_| some && kept == 0).map(|page| page.page);
        let dropped = self.pages.iter().skip(kept.max(usize::from(self.alone.is_some()))).map(|page| page.page);
        dropped.for_each(|page| self.unlisted.insert(page));
        self.set_rest(searched);
        self.pages.truncate(kept + usize::from(some));
    }

    pub(super) fn shown_count(&self) -> usize {
        self.pages.iter().map(MatchedPage::shown_count).sum()
    }

    pub(super) fn text(&self, path: &str, arguments: &SearchArguments) -> String {
        let query = one_line(arguments.query());
        let (total, pages, searched) = (self.total, self.matching, self.searched);
        let matches = counted(total, "match", "matches");
        let searched =
            format!("{} searched", counted(usize::try_from(searched).unwrap_or(usize::MAX), "page", "pages"));
        let found = if total == 0 { format!("on {searched}") } else { format!("on {pages} of {searched}") };
        let mut lines = vec![format!("{matches} of \"{query}\" {found}: {path}")];
        if total > 0 {
            lines.push(untrusted(path));
        }
        lines.extend(self.note.as_deref().map(one_line));
        lines.extend(self.words.as_ref().filter(|_| total == 0).map(SeveralWords::line));
        lines.extend(self.pages.iter().flat_map(MatchedPage::lines));
        lines.extend(self.held_line());
        lines.extend(self.cut_line(path, arguments));
        lines.extend(recognised_note(&self.recognised));
        let blind = [
            (&self.without_text, "Without usable text (scans or blank), so not searched"),
            (&self.unreadable, "Not searched, because the text cannot be read"),
        ];
        let blind = blind.into_iter().filter(|(pages, _)| !pages.is_empty());
        lines.extend(blind.map(|(pages, why)| format!("{why}: {}", page_or_pages(pages))));
        lines.extend(unrecognised_notes(&self.ocr, |pages| arguments.next_pages(path, pages)));
        lines.join("\n")
    }

    /// The listed pages that the conversation holds.
    pub(super) fn held(&self) -> PageSet {
        self.pages.iter().filter(|page| page.is_held).map(|page| page.page).collect()
    }

    pub(super) fn held_line(&self) -> Option<String> {
        let held = self.held();
        if held.is_empty() { None } else { provided_line(&[page_or_pages(&held)]) }
    }

    /// Where the matches were cut, and the call that goes on.
    pub(super) fn cut_line(&self, path: &str, arguments: &SearchArguments) -> Option<String> {
        let (shown, total) = (self.shown_count(), self.total);
        if shown == total {
            return None;
        }
        let why = if self.is_full { ": the result has room for no more (max_result_bytes)" } else { "" };
        let alone = self.alone.map(|page| format!(" For more of page {}, ask for a longer query.", page.number()));
        let call = || arguments.next_pages(path, &self.rest);
        let next = match (self.rest.is_empty(), self.is_full) {
            (false, true) => format!(" {}", call()),
            (false, false) => match self.pages.first().filter(|page| page.shown_count() < page.count) {
                Some(page) => {
                    let page = page.page.number();
                    format!(" {} For the rest of page {page}, ask with a larger max_results.", call())
                }
                None => format!(" {} Or ask with a larger max_results.", call()),
            },
            (true, true) => String::new(),
            (true, false) => " Ask with a larger max_results for the others on these pages.".to_owned(),
        };
        Some(format!("[{shown} of {total} matches are shown{why}.{}{next}]", alone.unwrap_or_default()))
    }

    /// For programs.
    pub(super) fn structure(&self, path: &str, query: &str) -> Value {
        json!({
            "path": path,
            "query": query,
            "matches": self.total,
            "shown": self.shown_count(),
            "searchedPages": self.searched,
            "pages": self.pages.iter().map(MatchedPage::structure).collect::<Vec<_>>(),
            "recognised": self.recognised.to_string(),
            "withoutText": self.without_text.to_string(),
            "unreadable": self.unreadable.to_string(),
            "notRecognised": self.ocr.unrecognised().to_string(),
            "rest": self.rest.to_string(),
        })
    }

    /// The excerpts by page number.
    pub(super) fn brief(&self) -> Value {
        let by_page = |value: &dyn Fn(&MatchedPage) -> Option<Value>| {
            let entry = |page: &MatchedPage| Some((page.page.number().to_string(), value(page)?));
            Value::Object(self.pages.iter().filter_map(entry).collect())
        };
        let structure = json!({
            "pages": by_page(&|page| Some(page.hits.iter().map(|hit| hit.excerpt.as_str()).collect())),
            "counts": by_page(&|page| (page.count != page.hits.len()).then(|| json!(page.count))),
            "labels": by_page(&|page| page.label.as_ref().map(|label| json!(label))),
            "held": self.held().to_string(),
            "recognised": self.recognised.to_string(),
            "withoutText": self.without_text.to_string(),
            "unreadable": self.unreadable.to_string(),
            "notRecognised": self.ocr.unrecognised().to_string(),
            "rest": self.rest.to_string(),
        });
        let mut brief = without_blanks(structure);
        if let Value::Object(members) = &mut brief {
            members.insert("matches".to_owned(), json!(self.total));
            members.insert("searchedPages".to_owned(), json!(self.searched));
        }
        brief
    }
}

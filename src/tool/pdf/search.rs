//! The tool `pdf_search`.

use serde_json::{Map, Value, json};

use super::arguments::SearchArguments;
use crate::context::{
    Case, ContextManager, OpenPdf, PageKind, Pattern, ProgressListener, QuerySyntax, ResultBudget, SearchHit,
    SelectedPages, json_length, one_line, page_or_pages, select_from, untrusted,
};
use crate::page::{PageIndex, PageSet};
use crate::tool::caller::Caller;
use crate::tool::data_answer::DataAnswer;
use crate::tool::error::ToolError;

/// Answers `pdf_search`.
///
/// # Errors
/// `validation_error` for an invalid expression, and the errors of the selection, the file and the PDF.
pub fn search(
    context: &ContextManager,
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<DataAnswer, ToolError> {
    let conversation = caller.conversation(arguments.document.conversation.as_deref())?;
    let pattern = pattern(arguments)?;
    let pdf = arguments.document.open(context, caller)?;
    let held = match &conversation {
        Some(conversation) => context.pages_held(&arguments.document.path, conversation)?,
        None => PageSet::new(),
    };
    let page_count = pdf.document.page_count();
    let SelectedPages { pages, note } = match &arguments.pages {
        Some(selection) => select_from(selection, &*pdf.document)?,
        None => SelectedPages { pages: PageSet::all(page_count), note: None },
    };
    let left = usize::try_from(arguments.max_results).unwrap_or(usize::MAX);
    let mut found = SearchFindings { left, note, ..SearchFindings::default() };
    progress.starts(pages.len());
    for page in pages.iter().take_while(|_| !progress.is_stopped()) {
        pdf.check()?;
        found.search_page(&pdf, page, &pattern, &held);
        progress.page_done();
    }
    found.searched = pages.len();
    if let Some(budget) = caller.result_budget(context) {
        found.drop_what_does_not_fit(budget);
    }
    Ok(DataAnswer { text: found.text(&pdf, arguments), structure: found.structure(&pdf, arguments) })
}

fn pattern(arguments: &SearchArguments) -> Result<Pattern, ToolError> {
    let kind = if arguments.is_regex { QuerySyntax::Expression } else { QuerySyntax::Literal };
    let case = if arguments.is_case_sensitive { Case::Sensitive } else { Case::Insensitive };
    Pattern::new(&arguments.query, kind, case).map_err(|error| {
        ToolError::parameter("query", "must be a regular expression, as regex is true")
            .hint("The syntax is that of the Rust crate regex: no look-around and no back references.")
            .with("reason", json!(error.reason))
    })
}

#[derive(Default)]
struct SearchFindings {
    pages: Vec<MatchedPage>,
    without_text: PageSet,
    unreadable: PageSet,
    /// Matches that may still be shown.
    left: usize,
    total: usize,
    searched: u64,
    /// A note on how the pages were selected.
    note: Option<String>,
    /// Pages whose matches do not all fit into the result.
    rest: PageSet,
    /// A page whose matches alone are too many.
    alone: Option<PageIndex>,
    /// Pages with matches.
    matching: usize,
}

struct MatchedPage {
    page: PageIndex,
    label: Option<String>,
    count: usize,
    is_held: bool,
    hits: Vec<SearchHit>,
}

impl SearchFindings {
    fn search_page(&mut self, pdf: &OpenPdf, page: PageIndex, pattern: &Pattern, held: &PageSet) {
        let text = match pdf.document.page_text(page) {
            Ok(found) => found,
            Err(_) => return self.unreadable.insert(page),
        };
        match text.kind {
            // Search whatever text there is.
            PageKind::Undecodable => self.unreadable.insert(page),
            _ if text.text.is_empty() => self.without_text.insert(page),
            _ => {}
        }
        let (hits, count) = pattern.hits(&text, self.left);
        if count == 0 {
            return;
        }
        self.left -= hits.len();
        self.total += count;
        self.matching += 1;
        let label = pdf.document.page_label(page).map(|label| label.0);
        self.pages.push(MatchedPage { page, label, count, is_held: held.contains(page), hits });
    }

    /// Drops matches that do not fit into the result.
    fn drop_what_does_not_fit(&mut self, budget: ResultBudget) {
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
        self.rest = self.pages.iter().skip(kept.max(usize::from(self.alone.is_some()))).map(|page| page.page).collect();
        self.pages.truncate(kept + usize::from(some));
    }

    fn shown_count(&self) -> usize {
        self.pages.iter().map(|page| page.hits.len()).sum()
    }

    fn text(&self, pdf: &OpenPdf, arguments: &SearchArguments) -> String {
        let query = one_line(&arguments.query);
        let (total, pages, searched) = (self.total, self.matching, self.searched);
        let matches = if total == 1 { "match" } else { "matches" };
        let mut lines =
            vec![format!("{total} {matches} of \"{query}\" on {pages} of {searched} pages of {}", pdf.path)];
        if total > 0 {
            lines.push(untrusted(&pdf.path));
        }
        lines.extend(self.note.as_deref().map(one_line));
        lines.extend(self.pages.iter().flat_map(MatchedPage::lines));
        if !self.rest.is_empty() || self.alone.is_some() {
            let alone = self.alone.map(|page| format!(" For more of page {}, ask for a longer query.", page.number()));
            let next = format!(" Next call: pdf_search with pages: \"{}\"", self.rest);
            let next = Some(next).filter(|_| !self.rest.is_empty());
            lines.push(format!(
                "[{} of {total} matches are shown: the result has room for no more (max_result_bytes).{}{}]",
                self.shown_count(),
                alone.unwrap_or_default(),
                next.unwrap_or_default(),
            ));
        } else if self.shown_count() < total {
            lines.push(format!(
                "[{} of {total} matches are shown. Ask with a larger max_results, or with pages.]",
                self.shown_count()
            ));
        }
        let blind = [
            (&self.without_text, "Without usable text (scans or blank), so not searched"),
            (&self.unreadable, "Not searched, because the text cannot be read"),
        ];
        let blind = blind.into_iter().filter(|(pages, _)| !pages.is_empty());
        lines.extend(blind.map(|(pages, why)| format!("{why}: {}", page_or_pages(pages))));
        lines.join("\n")
    }

    fn structure(&self, pdf: &OpenPdf, arguments: &SearchArguments) -> Value {
        json!({
            "path": pdf.path,
            "query": arguments.query,
            "matches": self.total,
            "shown": self.shown_count(),
            "searchedPages": self.searched,
            "pages": self.pages.iter().map(MatchedPage::structure).collect::<Vec<_>>(),
            "withoutText": self.without_text.to_string(),
            "unreadable": self.unreadable.to_string(),
            "rest": self.rest.to_string(),
        })
    }
}

impl MatchedPage {
    /// Bytes of a page in the text and the structure, without its matches.
    fn head_cost(&self) -> u64 {
        const NAMES: u64 = 128;
        json_length(&self.label).saturating_mul(2).saturating_add(NAMES)
    }

    /// Bytes of a match in both.
    fn hit_cost(hit: &SearchHit) -> u64 {
        const NAMES: u64 = 32;
        let excerpts = json_length(&hit.excerpt).saturating_mul(2);
        excerpts.saturating_add(json_length(&hit.matched)).saturating_add(NAMES)
    }

    fn lines(&self) -> Vec<String> {
        let label = self.label.as_deref().map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
        let held = if self.is_held { ", already provided to you in this conversation" } else { "" };
        let matches = if self.count == 1 { "match" } else { "matches" };
        let head = format!("Page {}{label}: {} {matches}{held}", self.page.number(), self.count);
        std::iter::once(head).chain(self.hits.iter().map(|hit| format!("  {}", hit.excerpt))).collect()
    }

    fn structure(&self) -> Value {
        let hits = self.hits.iter().map(|hit| json!({ "match": hit.matched, "excerpt": hit.excerpt }));
        let mut page = Map::new();
        page.insert("page".into(), json!(self.page.number().get()));
        if let Some(label) = &self.label {
            page.insert("label".into(), json!(label));
        }
        page.insert("count".into(), json!(self.count));
        page.insert("held".into(), json!(self.is_held));
        page.insert("hits".into(), Value::Array(hits.collect()));
        Value::Object(page)
    }
}

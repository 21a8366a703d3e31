//! The tool `pdf_search`.

use serde_json::{Value, json};

use super::absent::{PageBreaks, SeveralWords};
use super::documents::MAX_EXCERPTS;
use super::findings::SearchFindings;
use super::matched_page::MatchedPage;
use crate::context::{ContextManager, ProgressListener, SelectedPages, json_length, one_line};
use crate::tool::caller::Caller;
use crate::tool::data_answer::DataAnswer;
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::{OcrArgument, SearchArguments, selected_pages};
use crate::worker::{OcrReport, RecognisingDocument, RecognitionBudget};
use pagewise_base::page::PageSet;
use pagewise_text::{Pattern, QuerySyntax};

/// Searches one document, and keeps what fits into the result.
pub(super) fn search_document(
    context: &ContextManager,
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<FoundInDocument, ToolError> {
    let budget = caller.result_budget(context);
    // Only programs are given boxes: a model is given the text.
    let boxes = if budget.is_none() { Boxes::Read } else { Boxes::None };
    let path = arguments.paths.first().map(String::as_str).unwrap_or_default();
    let max = usize::try_from(arguments.max_results()).unwrap_or(usize::MAX);
    let budget_of_ocr = RecognitionBudget::of_search();
    let mut found = find(context, arguments, (path, max), caller, progress, (boxes, &budget_of_ocr))?;
    if let Some(budget) = budget {
        let answer = found.data(arguments);
        if json_length(&answer.text).saturating_add(json_length(&answer.brief)) > budget.bytes() {
            found.found.drop_what_does_not_fit(budget, &found.pages);
        }
    }
    Ok(found)
}

/// Whether the boxes of matches are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Boxes {
    /// They are.
    Read,
    /// They are not.
    None,
}

/// What was found in one document.
pub struct FoundInDocument {
    path: String,
    /// The pages searched.
    pages: PageSet,
    found: SearchFindings,
}

/// Searches the document at `path` for at most `max` matches.
pub(super) fn find(
    context: &ContextManager,
    arguments: &SearchArguments,
    (path, max): (&str, usize),
    caller: &Caller,
    progress: &dyn ProgressListener,
    (boxes, budget): (Boxes, &RecognitionBudget),
) -> Result<FoundInDocument, ToolError> {
    let conversation = caller.conversation(arguments.conversation.as_deref())?;
    let pattern = pattern(arguments)?;
    let pdf = arguments.document(path).open(context, caller)?;
    let held = context.pages_held(path, caller.requester(conversation.as_ref()))?;
    let SelectedPages { pages, note } = selected_pages(&pdf, arguments.pages.as_deref())?;
    let document = RecognisingDocument::new(&*pdf.document, OcrArgument::mode(arguments.ocr), pages.clone(), budget);
    let words = SeveralWords::of(arguments);
    let breaks = (!arguments.regex).then(PageBreaks::default);
    let mut found = SearchFindings { left: max, max, note, words, breaks, ..SearchFindings::default() };
    progress.starts(pages.len());
    for page in pages.iter().take_while(|_| !progress.is_stopped()) {
        pdf.check()?;
        found.search_page(&document, page, &pattern, &held);
        progress.page_done();
    }
    found.finish(&pages);
    found.set_ocr(document.report());
    if boxes == Boxes::Read {
        found.read_boxes(&document);
    }
    Ok(FoundInDocument { path: pdf.path, pages, found })
}

fn pattern(arguments: &SearchArguments) -> Result<Pattern, ToolError> {
    let kind = if arguments.regex { QuerySyntax::Expression } else { QuerySyntax::Literal };
    let case = arguments.case();
    Pattern::new(arguments.query(), kind, case).map_err(|error| {
        let reason = error.reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        ToolError::parameter("query", &format!("is not a regular expression: {}", one_line(reason)))
            .hint("The syntax is that of the Rust crate regex: no look-around and no back references.")
            .with("reason", json!(error.reason))
    })
}

impl FoundInDocument {
    /// The document, as the request named it.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The pages with their excerpts.
    #[must_use]
    pub fn pages(&self) -> &[MatchedPage] {
        &self.found.pages
    }

    /// All matches.
    #[must_use]
    pub fn total(&self) -> usize {
        self.found.total
    }

    /// Pages with matches.
    #[must_use]
    pub fn matching_pages(&self) -> usize {
        self.found.matching
    }

    /// Matches in the excerpts.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.found.shown_count()
    }

    /// Whether matches are not shown because other documents have their share of the excerpts.
    #[must_use]
    pub fn is_cut_by_share(&self) -> bool {
        self.shown() < self.total() && self.excerpts() >= MAX_EXCERPTS
    }

    /// Pages whose text was searched.
    #[must_use]
    pub fn searched_pages(&self) -> u64 {
        self.found.searched
    }

    /// Pages whose text was recognised from their pictures.
    #[must_use]
    pub fn recognised(&self) -> &PageSet {
        &self.found.recognised
    }

    /// Pages without usable text.
    #[must_use]
    pub fn without_text(&self) -> &PageSet {
        &self.found.without_text
    }

    /// What was recognised, and what was not.
    #[must_use]
    pub fn ocr(&self) -> &OcrReport {
        &self.found.ocr
    }

    /// Pages whose text cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> &PageSet {
        &self.found.unreadable
    }

    /// The pages with matches that are not shown.
    #[must_use]
    pub fn rest(&self) -> &PageSet {
        &self.found.rest
    }

    /// The listed pages that the conversation holds.
    #[must_use]
    pub fn held(&self) -> PageSet {
        self.found.held()
    }

    /// What each word of a query gives that was not found.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        self.absent_words().map(SeveralWords::phrase)
    }

    pub(super) fn absent_words(&self) -> Option<&SeveralWords> {
        self.found.words.as_ref().filter(|_| self.found.total == 0)
    }

    /// A note on how the pages were selected.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.found.note.as_deref()
    }

    pub(super) fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        DataAnswer {
            text: self.found.text(&self.path, arguments),
            structure: self.structure(arguments.query()),
            brief: self.found.brief(),
        }
    }

    pub(super) fn excerpts(&self) -> u64 {
        u64::try_from(self.found.max - self.found.left).unwrap_or(u64::MAX)
    }

    pub(super) fn has_pages_without_text(&self) -> bool {
        !self.found.without_text.is_empty() || !self.found.unreadable.is_empty()
    }

    /// The pages with their excerpts.
    pub(super) fn lines(&self) -> Vec<String> {
        self.found.pages.iter().flat_map(MatchedPage::lines).chain(self.found.held_line()).collect()
    }

    pub(super) fn structure(&self, query: &str) -> Value {
        self.found.structure(&self.path, query)
    }

    pub(super) fn excerpts_by_page(&self) -> Value {
        self.found.brief().get_mut("pages").map(Value::take).unwrap_or_else(|| json!({}))
    }
}

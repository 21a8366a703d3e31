//! `pdf_search` over a list of PDFs, over folders or over what a pattern matches: the matches by file.

use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::absent::SeveralWords;
use super::document::{Boxes, FoundInDocument, find, search_document};
use super::matched_page::counted;
use super::quote::{QuoteFindings, check_quote};
use super::quotes::{QuotesFindings, check_quotes};
use super::ranked::{RankedResult, cannot_be_read, list, search_ranked};
use crate::context::{ContextManager, ProgressListener, one_line, page_or_pages, untrusted};
use crate::tool::caller::Caller;
use crate::tool::data_answer::{DataAnswer, without_blanks};
use crate::tool::error::{ErrorCode, ToolError};
use crate::tool::pdf::arguments::SearchArguments;
use crate::worker::RecognitionBudget;
use pagewise_base::page::PageSet;
use pagewise_text::RECOGNISED_REMARK;

/// Excerpts of one document: others have their share then.
pub(crate) const MAX_EXCERPTS: u64 = 5;

/// Documents in one answer to a client, and the time for them. The command line has no such bounds.
const MAX_DOCUMENTS: usize = 500;
pub(super) const SEARCH_TIME: Duration = Duration::from_secs(20);

/// Documents that are listed with their matches, or as unreadable. The others are counted.
pub(super) const MAX_LISTED: usize = 100;

/// What `pdf_search` found.
pub enum SearchResult {
    /// In one document.
    Document(FoundInDocument),
    /// In several documents.
    Documents(FoundInDocuments),
    /// Whether a quote is in a document.
    Quote(QuoteFindings),
    /// Whether it is in several documents.
    Quotes(QuotesFindings),
    /// The best pages of all documents.
    Ranked(RankedResult),
}

impl SearchResult {
    /// The answer for a client.
    #[must_use]
    pub fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        match self {
            Self::Document(found) => found.data(arguments),
            Self::Documents(found) => found.data(arguments),
            Self::Quote(found) => found.data(arguments),
            Self::Quotes(found) => found.data(arguments),
            Self::Ranked(found) => found.data(arguments),
        }
    }

    /// The answer as data.
    #[must_use]
    pub fn structure(&self, arguments: &SearchArguments) -> Value {
        match self {
            Self::Document(found) => found.structure(arguments.query()),
            Self::Documents(found) => found.structure(arguments),
            Self::Quote(found) => found.structure(),
            Self::Quotes(found) => found.structure(),
            Self::Ranked(found) => found.structure(arguments),
        }
    }
}

/// Answers `pdf_search`.
///
/// # Errors
/// `validation_error` for an invalid expression, and the errors of the selection, the file and the PDF. Of several
/// documents, those that cannot be read are named in the answer, unless there is no other.
pub fn search(
    context: &ContextManager,
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<SearchResult, ToolError> {
    if arguments.ranked {
        return search_ranked(context, arguments, caller, progress).map(SearchResult::Ranked);
    }
    let Some(documents) = documents(context, arguments)? else {
        let first = arguments.paths.first().map(String::as_str).unwrap_or_default();
        return match &arguments.quote {
            Some(quote) => {
                let budget = RecognitionBudget::of_search();
                check_quote(context, (quote, first), arguments, caller, progress, &budget).map(SearchResult::Quote)
            }
            None => search_document(context, arguments, caller, progress).map(SearchResult::Document),
        };
    };
    match &arguments.quote {
        Some(quote) => check_quotes(context, quote, arguments, caller, progress, documents).map(SearchResult::Quotes),
        None => search_documents(context, arguments, caller, progress, documents).map(SearchResult::Documents),
    }
}

fn search_documents(
    context: &ContextManager,
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
    documents: Documents,
) -> Result<FoundInDocuments, ToolError> {
    let mut findings = FoundInDocuments { left: arguments.max_results(), ..FoundInDocuments::default() };
    let budget = RecognitionBudget::of_search();
    findings.coverage = read_each(context, arguments, caller, progress, documents, |path, progress| {
        let max = usize::try_from(findings.left.min(MAX_EXCERPTS)).unwrap_or(usize::MAX);
        let found = find(context, arguments, (path, max), caller, progress, (Boxes::None, &budget))?;
        let pages = found.searched_pages();
        findings.add(found);
        Ok(pages)
    })?;
    Ok(findings)
}

/// Has `read` read each of several documents, from `start_document` on and within the bounds of an answer. It is given the
/// path of the document, and returns the pages that it searched.
pub(super) fn read_each(
    context: &ContextManager,
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
    documents: Documents,
    mut read: impl FnMut(&str, &dyn ProgressListener) -> Result<u64, ToolError>,
) -> Result<Coverage, ToolError> {
    let Documents { paths, is_cut } = documents;
    let is_bounded = caller.result_budget(context).is_some();
    let start = Instant::now();
    let first = arguments.start_document.map_or(1, NonZeroU64::get);
    let skipped = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
    if skipped > 0 && skipped >= paths.len() {
        let expected = format!("must be at most {}, the number of documents", paths.len());
        return Err(ToolError::parameter("start_document", &expected));
    }
    let mut coverage = Coverage { is_cut, first: skipped + 1, total: paths.len(), ..Coverage::default() };
    progress.starts_documents(u64::try_from(paths.len() - skipped).unwrap_or(u64::MAX));
    for (number, path) in paths.iter().enumerate().skip(skipped) {
        caller.cancellation.check().map_err(|stopped| ToolError::stopped(path, stopped))?;
        let is_over = number - skipped >= MAX_DOCUMENTS || start.elapsed() > SEARCH_TIME;
        if is_bounded && is_over || progress.is_stopped() {
            coverage.next = Some(number + 1);
            break;
        }
        coverage.add(path, read(path, &OneDocument(progress)))?;
        progress.page_done();
    }
    match coverage.failure.take().filter(|_| coverage.searched == 0) {
        Some(failure) => Err(failure.with("documents", json!(coverage.total))),
        None => Ok(coverage),
    }
}

/// The PDFs of a request for several.
pub(super) struct Documents {
    paths: Vec<String>,
    /// Whether a folder has more files than a walk reads.
    is_cut: bool,
}

/// The PDFs that the request names; `None` for a single file.
fn documents(context: &ContextManager, arguments: &SearchArguments) -> Result<Option<Documents>, ToolError> {
    let mut documents = Documents { paths: Vec::new(), is_cut: false };
    let mut are_several = arguments.paths.len() > 1;
    for path in &arguments.paths {
        match context.named_pdfs(path)? {
            Some(named) => {
                are_several = true;
                documents.is_cut |= named.is_cut;
                documents.paths.extend(named.files.into_iter().map(|file| file.shown.display().to_string()));
            }
            None => documents.paths.push(path.clone()),
        }
    }
    Ok(are_several.then_some(documents))
}

/// What was found in several documents.
#[derive(Default)]
pub struct FoundInDocuments {
    /// Documents with matches.
    pub found: Vec<FoundInDocument>,
    /// What was searched.
    pub coverage: Coverage,
    /// Documents without usable text on some pages.
    pub without_text: Vec<String>,
    /// Pages whose text was recognised.
    pub recognised: DocumentPages,
    /// Pages that were not recognised.
    pub unrecognised: DocumentPages,
    /// Matches in all of them.
    pub matches: usize,
    /// Excerpts that may still be shown.
    left: u64,
    /// What the words of the query give in the documents without a match.
    words: Option<SeveralWords>,
}

/// Which of several documents were searched.
#[derive(Default)]
pub struct Coverage {
    /// Documents searched.
    pub searched: usize,
    /// Pages searched.
    pub pages: u64,
    /// Documents that could not be read, with the reason.
    pub unread: Vec<(String, String)>,
    /// The number of the first document that was not searched.
    pub next: Option<usize>,
    /// Whether a folder has more files than one search reads.
    pub is_cut: bool,
    /// Paths in `unread` of documents that lack one of the pages asked for.
    without_pages: BTreeSet<String>,
    /// The error of the first document that could not be read.
    failure: Option<ToolError>,
    /// The number of the first document that was searched.
    first: usize,
    total: usize,
}

impl Coverage {
    /// Counts a document with the number of its pages that were searched, or notes why it could not be read.
    fn add(&mut self, path: &str, searched: Result<u64, ToolError>) -> Result<(), ToolError> {
        match searched {
            Ok(pages) => {
                self.searched += 1;
                self.pages += pages;
            }
            // An expression that does not compile fails for every document.
            Err(error) if error.code == ErrorCode::ValidationError || error.code == ErrorCode::Cancelled => {
                return Err(error);
            }
            Err(error) => {
                if [ErrorCode::InvalidPage, ErrorCode::InvalidPageRange].contains(&error.code) {
                    self.without_pages.insert(path.to_owned());
                }
                self.unread.push((path.to_owned(), reason(&error, path)));
                self.failure.get_or_insert(error);
            }
        }
        Ok(())
    }

    /// `3 documents searched (40 pages)`, or `9 documents searched (20-28 of 28, 40 pages)`.
    pub(super) fn phrase(&self) -> String {
        let pages = counted(usize::try_from(self.pages).unwrap_or(usize::MAX), "page", "pages");
        let last = self.next.map_or(self.total, |next| next - 1);
        let which = match self.first {
            1 => String::new(),
            first if first == last => format!("{first} of {}, ", self.total),
            first => format!("{first}-{last} of {}, ", self.total),
        };
        format!("{} searched ({which}{pages})", counted(self.searched, "document", "documents"))
    }

    /// What was not searched, and how to go on.
    pub(super) fn lines(&self, arguments: &SearchArguments) -> Vec<String> {
        let next = self.next.map(|next| {
            let left = counted(self.total.saturating_sub(next - 1), "document", "documents");
            format!("[{left} were not searched, for lack of time. {}]", arguments.next_document(next))
        });
        let cut =
            self.is_cut.then(|| "[A folder has more files than one search reads: name the folders in it.]".to_owned());
        let (without, unread): (Vec<_>, Vec<_>) =
            self.unread.iter().partition(|(path, _)| self.without_pages.contains(path));
        let pages = arguments.pages.as_deref().unwrap_or_default();
        let page = if pages.parse::<u32>().is_ok() { "page" } else { "pages" };
        let they_have = if without.len() == 1 { "it has" } else { "they have" };
        let lacking =
            list(&format!("Not searched, because {they_have} no {page} {pages}"), &without, |(path, _)| one_line(path));
        let unread = list(cannot_be_read(unread.len()), &unread, |(path, why)| format!("{} ({why})", one_line(path)));
        [next, cut, lacking, unread].into_iter().flatten().collect()
    }
}

/// Pages of several documents.
#[derive(Default)]
pub struct DocumentPages(Vec<(String, PageSet)>);

impl DocumentPages {
    pub(super) fn add(&mut self, path: &str, pages: PageSet) {
        self.0.extend((!pages.is_empty()).then(|| (path.to_owned(), pages)));
    }

    /// That these were not recognised, in a sentence.
    #[must_use]
    pub fn unrecognised_line(&self) -> Option<String> {
        let how = "Search one of these files alone, with pages, to have them read.";
        let named = self.named()?;
        Some(format!("Not read by OCR, beyond the limits of one search (ocr_search_ms, ocr_max_pages): {named}. {how}"))
    }

    /// That these were recognised.
    #[must_use]
    pub fn recognised_line(&self) -> Option<String> {
        self.named().map(|named| format!("{named}: {RECOGNISED_REMARK}"))
    }

    fn named(&self) -> Option<String> {
        let listed = self.listed().map(|(path, pages)| format!("{} ({})", one_line(path), page_or_pages(pages)));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let more = self.0.len().saturating_sub(MAX_LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!self.0.is_empty()).then(|| format!("{listed}{more}"))
    }

    /// The selections by path.
    pub(super) fn structure(&self) -> Value {
        Value::Object(self.listed().map(|(path, pages)| (path.clone(), json!(pages.to_string()))).collect())
    }

    fn listed(&self) -> impl Iterator<Item = &(String, PageSet)> {
        self.0.iter().take(MAX_LISTED)
    }
}

/// Hides the pages of one document from the progress, which counts documents.
struct OneDocument<'a>(&'a dyn ProgressListener);

impl ProgressListener for OneDocument<'_> {
    fn starts(&self, _: u64) {}

    fn page_done(&self) {}

    fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

impl FoundInDocuments {
    /// What each word of a query gives that was not found.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        self.words.as_ref().filter(|_| self.matches == 0).map(SeveralWords::phrase)
    }

    fn add(&mut self, found: FoundInDocument) {
        self.matches += found.total();
        match (&mut self.words, found.absent_words()) {
            (Some(words), Some(others)) => words.add(others),
            (words @ None, Some(first)) => *words = Some(first.clone()),
            _ => {}
        }
        self.left = self.left.saturating_sub(found.excerpts());
        self.recognised.add(found.path(), found.recognised().clone());
        self.unrecognised.add(found.path(), found.ocr().unrecognised());
        if found.has_pages_without_text() {
            self.without_text.push(found.path().to_owned());
        }
        if found.total() > 0 {
            self.found.push(found);
        }
    }

    fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        DataAnswer { text: self.text(arguments), structure: self.structure(arguments), brief: self.brief() }
    }

    fn text(&self, arguments: &SearchArguments) -> String {
        let searched = self.coverage.phrase();
        let matches = counted(self.matches, "match", "matches");
        let query = one_line(arguments.query());
        let place = if self.matches == 0 { searched } else { format!("{} of {searched}", self.found.len()) };
        let mut lines = vec![format!("{matches} of \"{query}\" in {place}: {}", named(&arguments.paths))];
        if self.matches > 0 {
            lines.push(untrusted("the files named here"));
        }
        lines.extend(self.words.as_ref().filter(|_| self.matches == 0).map(SeveralWords::line));
        for found in self.found.iter().take(MAX_LISTED) {
            lines.push(format!("{}: {}", one_line(found.path()), counted(found.total(), "match", "matches")));
            lines.extend(found.lines().into_iter().map(|line| format!("  {line}")));
        }
        let more = self.found.iter().skip(MAX_LISTED).map(FoundInDocument::total);
        lines.extend((self.found.len() > MAX_LISTED).then(|| {
            let more_documents = self.found.len() - MAX_LISTED;
            let more_documents = counted(more_documents, "more document has", "more documents have");
            format!("[{more_documents} {} together.]", counted(more.sum(), "match", "matches"))
        }));
        let shown = self.found.iter().take(MAX_LISTED).map(FoundInDocument::shown).sum::<usize>();
        if shown < self.matches {
            lines.push(format!(
                "[{shown} of {} matches shown. At most {MAX_EXCERPTS} matches per document are listed{}. To see more of one, call pdf_search with it alone as path.]",
                self.matches,
                if self.left == 0 { ", and max_results in all" } else { "" }
            ));
        }
        lines.extend(self.coverage.lines(arguments));
        lines.extend(self.recognised.recognised_line());
        lines.extend(self.unrecognised.unrecognised_line());
        lines.extend((!self.without_text.is_empty()).then(|| {
            format!(
                "With pages that have no usable text (scans or blank), so not searched whole: {}",
                named(&self.without_text)
            )
        }));
        lines.join("\n")
    }

    /// For programs.
    fn structure(&self, arguments: &SearchArguments) -> Value {
        let unread = self.coverage.unread.iter().map(|(path, why)| json!({ "path": path, "problem": why }));
        json!({
            "query": arguments.query(),
            "matches": self.matches,
            "searchedDocuments": self.coverage.searched,
            "searchedPages": self.coverage.pages,
            "documents": self.found.iter().map(|found| found.structure(arguments.query())).collect::<Vec<_>>(),
            "unread": unread.collect::<Vec<_>>(),
            "withoutText": self.without_text,
            "recognised": self.recognised.structure(),
            "notRecognised": self.unrecognised.structure(),
            "nextDocument": self.coverage.next,
        })
    }

    /// The excerpts by path and page number.
    fn brief(&self) -> Value {
        let listed = self.found.iter().take(MAX_LISTED);
        let documents = listed.map(|found| (found.path().to_owned(), found.excerpts_by_page()));
        let unread = self.coverage.unread.iter().take(MAX_LISTED).map(|(path, why)| (path.clone(), json!(why)));
        let mut brief = without_blanks(json!({
            "documents": documents.collect::<Map<_, _>>(),
            "unread": unread.collect::<Map<_, _>>(),
            "recognised": self.recognised.structure(),
            "notRecognised": self.unrecognised.structure(),
            "nextDocument": self.coverage.next,
        }));
        if let Value::Object(members) = &mut brief {
            members.insert("matches".to_owned(), json!(self.matches));
            members.insert("searchedPages".to_owned(), json!(self.coverage.pages));
        }
        brief
    }
}

/// The error's message without the path, which stands before it.
fn reason(error: &ToolError, path: &str) -> String {
    let message = one_line(&error.message);
    message.replace(&format!(": {}", one_line(path)), "")
}

/// The first paths, and how many more there are.
pub(super) fn named(paths: &[String]) -> String {
    const MAX_NAMED: usize = 10;
    let more = paths.len().saturating_sub(MAX_NAMED);
    let first = paths.iter().take(MAX_NAMED).map(|path| one_line(path)).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{first} and {more} more") } else { first }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_base::page::PageIndex;

    #[test]
    fn pages_that_ocr_read_are_named_by_document() {
        let mut recognised = DocumentPages::default();
        recognised.add("text.pdf", PageSet::new());
        assert_eq!(recognised.recognised_line(), None);
        recognised.add("scan.pdf", [PageIndex(0), PageIndex(2)].into_iter().collect());
        recognised.add("fax.pdf", std::iter::once(PageIndex(1)).collect());
        let line = recognised.recognised_line();
        assert_eq!(line.as_deref(), Some("scan.pdf (pages 1,3), fax.pdf (page 2): read by OCR; may contain errors"));
    }
}

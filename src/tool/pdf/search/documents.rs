//! `pdf_search` over a list of PDFs or over folders: the matches by file.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::document::{Boxes, FoundInDocument, find, search_document};
use super::matched_page::counted;
use super::quote::{QuoteFindings, check_quote};
use super::ranked::{RankedResult, search_ranked};
use crate::context::{ContextManager, ProgressListener, one_line, untrusted};
use crate::tool::caller::Caller;
use crate::tool::data_answer::{DataAnswer, without_blanks};
use crate::tool::error::{ErrorCode, ToolError};
use crate::tool::pdf::arguments::SearchArguments;

/// Excerpts of one document: others have their share then.
const MAX_EXCERPTS: u64 = 5;

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
            Self::Quote(found) => found.data(),
            Self::Ranked(found) => found.data(arguments),
        }
    }

    /// The answer as data.
    #[must_use]
    pub fn structure(&self, arguments: &SearchArguments) -> Value {
        match self {
            Self::Document(found) => found.structure(&arguments.query),
            Self::Documents(found) => found.structure(arguments),
            Self::Quote(found) => found.structure(),
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
    if arguments.is_ranked {
        return search_ranked(context, arguments, caller, progress).map(SearchResult::Ranked);
    }
    let Documents { paths, is_cut } = match documents(context, arguments)? {
        Some(_) if arguments.quote.is_some() => {
            return Err(ToolError::parameter("path", "must be one PDF, as a quote is looked for in one document"));
        }
        Some(documents) => documents,
        None => {
            return match &arguments.quote {
                Some(quote) => check_quote(context, quote, arguments, caller, progress).map(SearchResult::Quote),
                None => search_document(context, arguments, caller, progress).map(SearchResult::Document),
            };
        }
    };
    let is_bounded = caller.result_budget(context).is_some();
    let start = Instant::now();
    let mut findings =
        FoundInDocuments { is_cut, total: paths.len(), left: arguments.max_results, ..FoundInDocuments::default() };
    let first = arguments.start_document.unwrap_or(1);
    let skipped = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
    if skipped > 0 && skipped >= paths.len() {
        let expected = format!("must be at most {}, the number of documents", paths.len());
        return Err(ToolError::parameter("start_document", &expected));
    }
    progress.starts_documents(u64::try_from(paths.len() - skipped).unwrap_or(u64::MAX));
    for (number, path) in paths.iter().enumerate().skip(skipped) {
        caller.cancellation.check().map_err(|stopped| ToolError::stopped(path, stopped))?;
        let is_over = number - skipped >= MAX_DOCUMENTS || start.elapsed() > SEARCH_TIME;
        if is_bounded && is_over || progress.is_stopped() {
            findings.next = Some(number + 1);
            break;
        }
        findings.search(context, arguments, path, caller, progress)?;
        progress.page_done();
    }
    match findings.failure.take().filter(|_| findings.searched == 0) {
        Some(failure) => Err(failure.with("documents", json!(findings.total))),
        None => Ok(SearchResult::Documents(findings)),
    }
}

/// The PDFs of a request for several.
struct Documents {
    paths: Vec<String>,
    /// Whether a folder has more files than a walk reads.
    is_cut: bool,
}

/// The PDFs that the request names; `None` for a single file.
fn documents(context: &ContextManager, arguments: &SearchArguments) -> Result<Option<Documents>, ToolError> {
    let mut documents = Documents { paths: Vec::new(), is_cut: false };
    let mut are_several = arguments.paths.len() > 1;
    for path in &arguments.paths {
        match context.pdfs_in(path)? {
            Some(folder) => {
                are_several = true;
                documents.is_cut |= folder.is_cut;
                documents.paths.extend(folder.paths);
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
    /// Documents that could not be read, with the reason.
    pub unread: Vec<(String, String)>,
    /// Documents without usable text on some pages.
    pub without_text: Vec<String>,
    /// Documents searched.
    pub searched: usize,
    /// Matches in all of them.
    pub matches: usize,
    /// Pages searched.
    pub pages: u64,
    /// The number of the first document that was not searched.
    pub next: Option<usize>,
    /// Whether a folder has more files than one search reads.
    pub is_cut: bool,
    /// The error of the first document that could not be read.
    failure: Option<ToolError>,
    total: usize,
    /// Excerpts that may still be shown.
    left: u64,
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
    fn search(
        &mut self,
        context: &ContextManager,
        arguments: &SearchArguments,
        path: &str,
        caller: &Caller,
        progress: &dyn ProgressListener,
    ) -> Result<(), ToolError> {
        let mut one = arguments.clone();
        one.document.path = path.to_owned();
        one.max_results = self.left.min(MAX_EXCERPTS);
        let found = match find(context, &one, caller, &OneDocument(progress), Boxes::None) {
            Ok(found) => found,
            // An expression that does not compile fails for every document.
            Err(error) if error.code == ErrorCode::ValidationError || error.code == ErrorCode::Cancelled => {
                return Err(error);
            }
            Err(error) => {
                self.unread.push((path.to_owned(), reason(&error, path)));
                self.failure.get_or_insert(error);
                return Ok(());
            }
        };
        self.searched += 1;
        self.matches += found.total();
        self.pages += found.searched_pages();
        self.left = self.left.saturating_sub(found.excerpts());
        if found.has_pages_without_text() {
            self.without_text.push(path.to_owned());
        }
        if found.total() > 0 {
            self.found.push(found);
        }
        Ok(())
    }

    fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        DataAnswer { text: self.text(arguments), structure: self.structure(arguments), brief: self.brief() }
    }

    fn text(&self, arguments: &SearchArguments) -> String {
        let searched = format!(
            "{} searched ({})",
            counted(self.searched, "document", "documents"),
            counted(usize::try_from(self.pages).unwrap_or(usize::MAX), "page", "pages")
        );
        let matches = counted(self.matches, "match", "matches");
        let query = one_line(&arguments.query);
        let place = if self.matches == 0 { searched } else { format!("{} of {searched}", self.found.len()) };
        let mut lines = vec![format!("{matches} of \"{query}\" in {place}: {}", named(&arguments.paths))];
        if self.matches > 0 {
            lines.push(untrusted("the files named here"));
        }
        for found in self.found.iter().take(MAX_LISTED) {
            lines.push(format!("{}: {}", one_line(found.path()), counted(found.total(), "match", "matches")));
            lines.extend(found.lines().into_iter().map(|line| format!("  {line}")));
        }
        let more = self.found.iter().skip(MAX_LISTED).map(FoundInDocument::total);
        lines.extend((self.found.len() > MAX_LISTED).then(|| {
            let more_documents = self.found.len() - MAX_LISTED;
            format!("[{more_documents} more documents have {} matches together.]", more.sum::<usize>())
        }));
        let shown = self.found.iter().take(MAX_LISTED).map(FoundInDocument::shown).sum::<usize>();
        if shown < self.matches {
            lines.push(format!(
                "[{shown} of {} matches are shown, {MAX_EXCERPTS} of a document at most. For more of one, search it alone.]",
                self.matches
            ));
        }
        lines.extend(self.next.map(|next| {
            let left = self.total.saturating_sub(next - 1);
            format!(
                "[{} were not searched, for lack of time. Next call: pdf_search with start_document: {next}]",
                counted(left, "document", "documents")
            )
        }));
        lines.extend(
            self.is_cut.then(|| "[A folder has more files than one search reads: name the folders in it.]".to_owned()),
        );
        lines.extend(self.unread_line());
        lines.extend((!self.without_text.is_empty()).then(|| {
            format!(
                "With pages that have no usable text (scans or blank), so not searched whole: {}",
                named(&self.without_text)
            )
        }));
        lines.join("\n")
    }

    fn unread_line(&self) -> Option<String> {
        let listed = self.unread.iter().take(MAX_LISTED).map(|(path, why)| format!("{} ({why})", one_line(path)));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let more = self.unread.len().saturating_sub(MAX_LISTED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        (!self.unread.is_empty()).then(|| format!("Not searched, because they cannot be read: {listed}{more}"))
    }

    /// For programs.
    fn structure(&self, arguments: &SearchArguments) -> Value {
        let unread = self.unread.iter().map(|(path, why)| json!({ "path": path, "problem": why }));
        json!({
            "query": arguments.query,
            "matches": self.matches,
            "searchedDocuments": self.searched,
            "searchedPages": self.pages,
            "documents": self.found.iter().map(|found| found.structure(&arguments.query)).collect::<Vec<_>>(),
            "unread": unread.collect::<Vec<_>>(),
            "withoutText": self.without_text,
            "nextDocument": self.next,
        })
    }

    /// The excerpts by path and page number.
    fn brief(&self) -> Value {
        let listed = self.found.iter().take(MAX_LISTED);
        let documents = listed.map(|found| (found.path().to_owned(), found.excerpts_by_page()));
        let unread = self.unread.iter().take(MAX_LISTED).map(|(path, why)| (path.clone(), json!(why)));
        let mut brief = without_blanks(json!({
            "documents": documents.collect::<Map<_, _>>(),
            "unread": unread.collect::<Map<_, _>>(),
            "nextDocument": self.next,
        }));
        if let Value::Object(members) = &mut brief {
            members.insert("matches".to_owned(), json!(self.matches));
            members.insert("searchedPages".to_owned(), json!(self.pages));
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

//! `pdf_search` with a quote over several PDFs: which of them have the passage word for word.

use serde_json::{Value, json};

use super::documents::{Coverage, DocumentPages, Documents, MAX_LISTED, named, read_each};
use super::quote::{QuoteFindings, check_quote};
use crate::context::{ContextManager, ProgressListener, one_line};
use crate::tool::caller::Caller;
use crate::tool::data_answer::{DataAnswer, without_blanks};
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::SearchArguments;
use crate::worker::RecognitionBudget;
use pagewise_text::QuoteVerdict;

/// Whether a quote is in several documents.
#[derive(Default)]
pub struct QuotesFindings {
    /// What was found in the document that has it best; `None` if none has anything like it.
    pub best: Option<QuoteFindings>,
    /// The other documents that have it word for word, with the pages.
    pub others: Vec<(String, String)>,
    /// What was searched.
    pub coverage: Coverage,
    /// Documents with pages that have no usable text.
    pub without_text: Vec<String>,
    /// Pages that were not recognised.
    pub unrecognised: DocumentPages,
}

/// Checks a quote in each of several documents.
///
/// # Errors
/// Those of a quote in one document, if they hold for all of them.
pub(super) fn check_quotes(
    context: &ContextManager,
    quote: &str,
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
    documents: Documents,
) -> Result<QuotesFindings, ToolError> {
    let mut findings = QuotesFindings::default();
    let budget = RecognitionBudget::of_search();
    findings.coverage = read_each(context, arguments, caller, progress, documents, |path, progress| {
        let found = check_quote(context, (quote, path), arguments, caller, progress, &budget)?;
        let pages = found.searched;
        findings.add(found);
        Ok(pages)
    })?;
    Ok(findings)
}

impl QuotesFindings {
    fn add(&mut self, found: QuoteFindings) {
        self.unrecognised.add(&found.path, found.ocr.unrecognised());
        if !found.unread.is_empty() {
            self.without_text.push(found.path.clone());
        }
        let best = self.best.as_ref().map(|best| unlikeness(&best.verdict));
        match &found.verdict {
            QuoteVerdict::Absent => {}
            QuoteVerdict::Verbatim { pages, .. } if best == Some(0) => {
                self.others.push((found.path.clone(), pages.to_string()));
            }
            verdict if best.is_none_or(|best| unlikeness(verdict) < best) => self.best = Some(found),
            _ => {}
        }
    }

    pub(super) fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        DataAnswer { text: self.text(arguments), structure: self.structure(), brief: self.brief() }
    }

    fn text(&self, arguments: &SearchArguments) -> String {
        let place = format!("{}: {}", self.coverage.phrase(), named(&arguments.paths));
        let mut lines = match &self.best {
            Some(best) => best.lines(),
            None => vec![format!("absent: nothing like the quote was found in {place}")],
        };
        let others = self.others.iter().take(MAX_LISTED).map(|(path, pages)| format!("{} ({pages})", one_line(path)));
        let others = others.collect::<Vec<_>>().join(", ");
        lines.extend((!self.others.is_empty()).then(|| format!("The same words are also in: {others}")));
        lines.extend(self.best.is_some().then(|| format!("Of {place}")));
        lines.extend(self.coverage.lines(arguments));
        lines.extend(self.unrecognised.unrecognised_line());
        if !self.is_verbatim() && !self.without_text.is_empty() {
            let named = named(&self.without_text);
            lines.push(format!("With pages that have no usable text, so the quote may be there: {named}"));
        }
        lines.join("\n")
    }

    pub(super) fn structure(&self) -> Value {
        let mut structure = self.best.as_ref().map_or_else(|| json!({ "verdict": "absent" }), QuoteFindings::structure);
        self.complete(&mut structure);
        structure
    }

    fn brief(&self) -> Value {
        let mut brief = self.best.as_ref().map_or_else(|| json!({ "verdict": "absent" }), QuoteFindings::brief);
        self.complete(&mut brief);
        brief
    }

    /// Adds which documents it is about to the structure of one.
    fn complete(&self, structure: &mut Value) {
        let others = self.others.iter().take(MAX_LISTED).map(|(path, pages)| json!({ "file": path, "pages": pages }));
        let more = without_blanks(json!({
            "file": self.best.as_ref().map(|best| &best.path),
            "alsoIn": others.collect::<Vec<_>>(),
            "unread": self.coverage.unread.iter().take(MAX_LISTED).map(|(path, _)| path).collect::<Vec<_>>(),
            "withoutText": self.without_text.iter().take(MAX_LISTED).collect::<Vec<_>>(),
            "notRecognised": self.unrecognised.structure(),
            "searchedDocuments": self.coverage.searched,
            "searchedPages": self.coverage.pages,
            "nextDocument": self.coverage.next,
        }));
        if let (Value::Object(members), Value::Object(more)) = (structure, more) {
            members.extend(more);
        }
    }

    /// Whether a document has the quote word for word.
    #[must_use]
    pub fn is_verbatim(&self) -> bool {
        self.best.as_ref().is_some_and(|best| unlikeness(&best.verdict) == 0)
    }
}

/// How far a passage is from the quote: 0 if it is word for word.
fn unlikeness(verdict: &QuoteVerdict) -> usize {
    match verdict {
        QuoteVerdict::Verbatim { .. } => 0,
        QuoteVerdict::Altered { differences, .. } => differences.len().max(1),
        QuoteVerdict::Absent => usize::MAX,
    }
}

//! `pdf_search` with a quote: whether a passage is in the document word for word.

use std::ops::Range;

use serde_json::{Map, Value, json};

use crate::context::{
    ContextManager, ProgressListener, QuoteHistory, SelectedPages, one_line, page_or_pages, recognised_note,
    unrecognised_notes, untrusted,
};
use crate::tool::caller::Caller;
use crate::tool::data_answer::{DataAnswer, without_blanks};
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::{OcrArgument, SearchArguments, selected_pages};
use crate::tool::pdf::boxes::{box_around, boxes_of, edges_of, fragment};
use crate::worker::{OcrReport, Pages, RecognisingDocument, RecognitionBudget};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_text::{Bounds, PageKind, QuoteError, QuoteSearch, QuoteVerdict, WordDifference};

/// Differences that are listed.
const MAX_DIFFERENCES: usize = 20;

/// What is said of a passage that the document has only as the deleted words of a tracked change.
const DELETED: &str = "The words, or some of them, are deleted in the document: a tracked change, marked {--…--}";

/// Says whether `quote` is in the document: verbatim, altered or absent.
///
/// # Errors
/// `validation_error` for a quote without words or with too many, and the errors of the selection, the file and the PDF.
pub(in crate::tool::pdf) fn check_quote(
    context: &ContextManager,
    (quote, path): (&str, &str),
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
    budget: &RecognitionBudget,
) -> Result<QuoteFindings, ToolError> {
    let mut search = QuoteSearch::new(quote).map_err(quote_error)?;
    let conversation = caller.conversation(arguments.conversation.as_deref())?;
    let pdf = arguments.document(path).open(context, caller)?;
    let content = context.content_of(path, caller.requester(conversation.as_ref()))?;
    let SelectedPages { pages, note } = selected_pages(&pdf, arguments.pages.as_deref())?;
    let document = RecognisingDocument::new(&*pdf.document, OcrArgument::mode(arguments.ocr), pages.clone(), budget);
    progress.starts(pages.len());
    let (mut unread, mut recognised) = (PageSet::new(), PageSet::new());
    for page in pages.iter().take_while(|_| !progress.is_stopped()) {
        pdf.check()?;
        match document.page_text(page) {
            Ok(text) => {
                if text.is_recognised() {
                    recognised.insert(page);
                }
                let has_text = !text.text.is_empty() && text.kind != PageKind::Undecodable;
                if !has_text && text.kind != PageKind::Empty {
                    unread.insert(page);
                }
                search.add_page(page, &text);
            }
            Err(_) => unread.insert(page),
        }
        progress.page_done();
    }
    let searched = pages.len().saturating_sub(unread.len());
    let verdict = search.finish();
    let boxes = passage_boxes(&document, &verdict);
    let has_layout = pdf.office().is_none();
    let is_deleted = !has_layout && is_deleted(&document, &verdict);
    let is_recognised = verdict.page().is_some_and(|page| recognised.contains(page));
    let label = verdict.page().and_then(|page| Some((page, pdf.document.page_label(page)?)));
    let label = label.filter(|(page, label)| label.0 != page.number().to_string()).map(|(_, label)| label.0);
    let (path, ocr) = (pdf.path.clone(), document.report());
    let history = context.quote_history(&pdf, (quote, &verdict), caller.requester(conversation.as_ref()))?;
    Ok(QuoteFindings {
        path,
        content,
        verdict,
        has_layout,
        is_deleted,
        history,
        label,
        boxes,
        is_recognised,
        searched,
        unread,
        ocr,
        note,
    })
}

/// The place of the passage that was found, on one page.
fn passage_place(verdict: &QuoteVerdict) -> Option<(PageIndex, &Range<usize>)> {
    match verdict {
        QuoteVerdict::Verbatim { page, place, .. } | QuoteVerdict::Altered { page, place, .. } => {
            Some((*page, place.as_ref()?))
        }
        QuoteVerdict::Absent => None,
    }
}

/// The boxes of the passage that was found.
fn passage_boxes(document: &dyn Pages, verdict: &QuoteVerdict) -> Vec<Bounds> {
    let boxes = passage_place(verdict).map(|(page, place)| boxes_of(document, page, std::slice::from_ref(place)));
    boxes.into_iter().flatten().flatten().collect()
}

/// Whether a word of the passage stands between the marks of a tracked deletion.
fn is_deleted(document: &dyn Pages, verdict: &QuoteVerdict) -> bool {
    let Some((page, place)) = passage_place(verdict) else { return false };
    let Ok(text) = document.page_text(page) else { return false };
    text.text.match_indices("{--").any(|(start, _)| {
        let length = text.text.get(start..).and_then(|rest| rest.find("--}"));
        length.is_some_and(|length| start < place.end && place.start < start + length)
    })
}

fn quote_error(error: QuoteError) -> ToolError {
    match error {
        QuoteError::NoWords => ToolError::parameter("quote", "must have words"),
        QuoteError::TooLong { .. } => ToolError::parameter("quote", "must be shorter")
            .hint("Check a long passage in parts.")
            .with("reason", json!(error.to_string())),
    }
}

/// Whether a quote is in a document.
pub struct QuoteFindings {
    /// The document, as the request named it.
    pub path: String,
    /// blake3 of the document.
    pub content: ContentHash,
    /// What was found.
    pub verdict: QuoteVerdict,
    /// Whether it is a PDF, whose pages can be drawn.
    pub has_layout: bool,
    /// Whether the passage is, or has, a tracked deletion.
    pub is_deleted: bool,
    /// What became of it since the conversation was given it.
    pub history: Option<QuoteHistory>,
    /// The printed label of the page of the verdict, if it differs from the number.
    pub label: Option<String>,
    /// The boxes of the passage, one for each of its lines.
    pub boxes: Vec<Bounds>,
    /// Whether the page of the verdict was recognised from its picture.
    pub is_recognised: bool,
    /// Pages whose text was searched.
    pub searched: u64,
    /// Pages without usable text.
    pub unread: PageSet,
    /// What was recognised, and what was not.
    pub ocr: OcrReport,
    /// A note on how the pages were selected.
    pub note: Option<String>,
}

impl QuoteFindings {
    pub(super) fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        let mut lines = self.lines();
        if !self.is_verbatim() {
            lines.extend(unrecognised_notes(&self.ocr, |pages| arguments.next_pages(&self.path, pages)));
        }
        DataAnswer { text: lines.join("\n"), structure: self.structure(), brief: self.brief() }
    }

    pub(super) fn structure(&self) -> Value {
        let mut structure = self.brief();
        if let (Value::Object(members), false) = (&mut structure, self.boxes.is_empty()) {
            members.insert("boxes".into(), self.boxes.iter().map(|bounds| json!(edges_of(*bounds))).collect());
        }
        structure
    }

    /// The structure without boxes: a model is given the link.
    pub(super) fn brief(&self) -> Value {
        let mut structure = without_blanks(json!({
            "withoutText": self.unread.to_string(),
            "notRecognised": self.ocr.unrecognised().to_string(),
        }));
        if let Value::Object(members) = &mut structure {
            members.insert("searchedPages".to_owned(), json!(self.searched));
            if self.is_recognised {
                members.insert("recognised".to_owned(), json!(true));
            }
            if self.is_deleted {
                members.insert("deleted".to_owned(), json!(true));
            }
            members.extend(self.members());
            members.extend(self.history.as_ref().map(history_member));
        }
        structure
    }

    /// Whether the quote is there word for word.
    #[must_use]
    pub fn is_verbatim(&self) -> bool {
        matches!(self.verdict, QuoteVerdict::Verbatim { .. })
    }

    fn recognised_note(&self) -> Option<String> {
        let page = self.verdict.page().filter(|_| self.is_recognised)?;
        recognised_note(&std::iter::once(page).collect())
    }

    /// What a picture of the passage does not tell: that it is not quite the quotation, or recognised, or elsewhere as well.
    pub(in crate::tool::pdf) fn doubts(&self) -> Vec<String> {
        let mut doubts = match &self.verdict {
            QuoteVerdict::Verbatim { pages, .. } if pages.len() > 1 => {
                vec![format!("the quote is on {}", page_or_pages(pages))]
            }
            QuoteVerdict::Altered { differences, .. } => {
                let lines = differences.iter().take(MAX_DIFFERENCES).map(difference_line);
                std::iter::once("altered: the passage is similar, with these differences:".to_owned())
                    .chain(lines)
                    .collect()
            }
            QuoteVerdict::Verbatim { .. } | QuoteVerdict::Absent => Vec::new(),
        };
        doubts.extend(self.history.as_ref().map(QuoteHistory::sentence));
        doubts.extend(self.recognised_note());
        doubts
    }

    /// Where the passage is, for programs and for readers.
    fn place_lines(&self, page: PageIndex) -> Vec<String> {
        let see = match self.has_layout {
            true => "To see it, call pdf_render_page with the same quote.".to_owned(),
            false => format!("To read it, call get_file with pages: \"{}\".", page.number()),
        };
        let deleted = self.is_deleted.then(|| DELETED.to_owned());
        let place = if self.boxes.is_empty() { "" } else { " (left, top, width, height in points)" };
        deleted.into_iter().chain([format!("Link: {}{place}", self.link(page)), see]).collect()
    }

    pub(in crate::tool::pdf) fn lines(&self) -> Vec<String> {
        let path = &self.path;
        let mut lines = match &self.verdict {
            QuoteVerdict::Verbatim { page, pages, excerpt, .. } => {
                let pages = match pages.len() {
                    1 => format!("page {}", self.name(*page)),
                    _ => page_or_pages(pages),
                };
                let mut lines = vec![
                    format!(
                        "verbatim: the same words and capitals are on {pages} of {path}; punctuation is not compared"
                    ),
                    untrusted(path),
                    format!("  {excerpt}"),
                ];
                lines.extend(self.place_lines(*page));
                lines
            }
            QuoteVerdict::Altered { page, excerpt, differences, .. } => {
                let mut lines = vec![
                    format!(
                        "altered: a passage on page {} of {path} is similar, with these differences:",
                        self.name(*page)
                    ),
                    untrusted(path),
                    format!("  {excerpt}"),
                ];
                lines.extend(differences.iter().take(MAX_DIFFERENCES).map(difference_line));
                let more = differences.len().saturating_sub(MAX_DIFFERENCES);
                lines.extend((more > 0).then(|| format!("[{more} more differences: compare with the page]")));
                lines.extend(self.place_lines(*page));
                lines
            }
            QuoteVerdict::Absent => {
                let pages = if self.searched == 1 { "page" } else { "pages" };
                vec![format!(
                    "absent: nothing like the quote was found on the {} searched {pages} of {path}",
                    self.searched
                )]
            }
        };
        lines.extend(self.history.as_ref().map(QuoteHistory::sentence));
        lines.extend(self.recognised_note());
        lines.extend(self.note.as_deref().map(one_line));
        let unread = (!self.is_verbatim() && !self.unread.is_empty())
            .then(|| format!("Without usable text, so the quote may be there: {}", page_or_pages(&self.unread)));
        lines.extend(unread);
        lines
    }

    fn members(&self) -> Map<String, Value> {
        let members = match &self.verdict {
            QuoteVerdict::Verbatim { page, pages, excerpt, .. } => json!({
                "verdict": "verbatim",
                "pages": pages.to_string(),
                "excerpt": excerpt,
                "link": self.link(*page),
            }),
            QuoteVerdict::Altered { page, excerpt, differences, .. } => json!({
                "verdict": "altered",
                "pages": page.number().to_string(),
                "excerpt": excerpt,
                "differences": differences.iter().take(MAX_DIFFERENCES).map(|one| [&one.quote, &one.document]).collect::<Vec<_>>(),
                "link": self.link(*page),
            }),
            QuoteVerdict::Absent => json!({ "verdict": "absent" }),
        };
        if let Value::Object(members) = members { members } else { Map::new() }
    }

    /// The page's number, with its printed label if that differs.
    fn name(&self, page: PageIndex) -> String {
        let label = self.label.as_deref().map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
        format!("{}{label}", page.number())
    }

    fn link(&self, page: PageIndex) -> String {
        let place = box_around(&self.boxes).map(fragment).unwrap_or_default();
        format!("pagewise://{}/page/{}{place}", self.content, page.number())
    }
}

fn history_member(history: &QuoteHistory) -> (String, Value) {
    let (name, value) = match history {
        QuoteHistory::Moved { then, .. } => ("movedFrom", json!(then.number().get())),
        QuoteHistory::Lost { then } => ("lostFrom", json!(then.number().get())),
        QuoteHistory::Unknown { changed } => ("changedSince", json!(changed.to_string())),
    };
    (name.to_owned(), value)
}

fn difference_line(difference: &WordDifference) -> String {
    let WordDifference { quote, document } = difference;
    match (quote.is_empty(), document.is_empty()) {
        (true, _) => format!("- the document also has \"{document}\""),
        (_, true) => format!("- \"{quote}\" is not in the document"),
        _ => format!("- \"{quote}\" is \"{document}\" in the document"),
    }
}

//! `pdf_search` with `ranked`: the pages of one or several documents that answer a query best.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::documents::{MAX_LISTED, SEARCH_TIME, named};
use super::matched_page::counted;
use crate::context::{
    ContextManager, ProgressListener, RankedHit, RankedHits, RankedRequest, grouped, json_length, one_line, untrusted,
};
use crate::tool::caller::Caller;
use crate::tool::data_answer::{DataAnswer, without_blanks};
use crate::tool::error::ToolError;
use crate::tool::pdf::arguments::{DocumentArguments, OcrArgument, SearchArguments};
use crate::tool::pdf::boxes::edges_of;
use crate::worker::RecognitionBudget;
use pagewise_library::date_text;
use pagewise_text::{Bounds, RECOGNISED_REMARK, TextBoxes};

/// The pages of several documents that answer a query best.
pub struct RankedResult {
    /// The pages, and what was searched.
    pub found: RankedHits,
    /// The boxes of each page's passage, where they were asked for.
    boxes: Vec<Vec<Bounds>>,
}

impl RankedResult {
    /// The answer for a client.
    #[must_use]
    pub fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        let (text, structure) = (text(&self.found, arguments), self.structure(arguments));
        DataAnswer { text, structure, brief: brief(self) }
    }

    /// The answer as data.
    #[must_use]
    pub fn structure(&self, arguments: &SearchArguments) -> Value {
        structure(self, arguments)
    }
}

/// Answers `pdf_search` with `ranked`.
pub(super) fn search_ranked(
    context: &ContextManager,
    arguments: &SearchArguments,
    caller: &Caller,
    progress: &dyn ProgressListener,
) -> Result<RankedResult, ToolError> {
    let budget = caller.result_budget(context);
    let request = RankedRequest {
        paths: arguments.paths.clone(),
        query: arguments.query().to_owned(),
        max_hits: usize::try_from(arguments.max_results()).unwrap_or(usize::MAX),
        language: arguments.language.clone(),
        dates: arguments.dates()?,
        pages: arguments.pages.as_deref().map(page_ranges).transpose()?.unwrap_or_default(),
        ocr: OcrArgument::mode(arguments.ocr),
        recognition: Arc::new(RecognitionBudget::of_search()),
        conversation: caller.conversation(arguments.conversation.as_deref())?,
        deadline: budget.map(|_| Instant::now() + SEARCH_TIME),
        cancellation: caller.cancellation.clone(),
    };
    let mut result = RankedResult { found: context.search_ranked(&request, progress)?, boxes: Vec::new() };
    if arguments.boxes {
        result.boxes = result.found.hits.iter().map(|hit| passage_boxes(context, caller, hit)).collect();
    }
    while let Some(budget) = budget
        && result.found.hits.len() > 1
        && bytes(&result.data(arguments)) > budget.bytes()
    {
        result.found.hits.truncate(result.found.hits.len() / 2);
    }
    Ok(result)
}

/// The boxes of what answers best on a page, one for each of its lines; none if the file cannot be read now.
fn passage_boxes(context: &ContextManager, caller: &Caller, hit: &RankedHit) -> Vec<Bounds> {
    let document = DocumentArguments { path: hit.file.clone(), ..DocumentArguments::default() };
    let Ok(pdf) = document.open(context, caller) else { return Vec::new() };
    let Ok((text, words)) = pdf.document.page_words(hit.page) else { return Vec::new() };
    let place = place_of(&hit.passage, &text.text);
    place.map(|place| TextBoxes::new(&text.text, &words).of(&place)).unwrap_or_default()
}

/// Where the words of `passage` stand in `text`, however their lines are broken.
fn place_of(passage: &str, text: &str) -> Option<Range<usize>> {
    if let Some(start) = text.find(passage).filter(|_| !passage.is_empty()) {
        return Some(start..start + passage.len());
    }
    let wanted = passage.split_whitespace().collect::<Vec<_>>();
    let words = text.split_whitespace().collect::<Vec<_>>();
    let found = words.windows(wanted.len().max(1)).find(|words| *words == wanted)?;
    let offset = |word: &str| word.as_ptr().addr() - text.as_ptr().addr();
    let (first, last) = (found.first()?, found.last()?);
    Some(offset(first)..offset(last) + last.len())
}

fn bytes(answer: &DataAnswer) -> u64 {
    json_length(&answer.text).saturating_add(json_length(&answer.brief))
}

/// Ranges of page numbers, in their order: `3`, `1-5`, `4-`, `-3`, `1,3,5-7`.
fn page_ranges(pages: &str) -> Result<Vec<Range<u32>>, ToolError> {
    let ranges = pages.split(',').map(page_range).collect::<Option<Vec<_>>>();
    let expected = "must be numbers and ranges like 1-5,9, as ranked is true";
    let mut ranges = ranges.ok_or_else(|| ToolError::parameter("pages", expected))?;
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    Ok(joined)
}

fn page_range(pages: &str) -> Option<Range<u32>> {
    let number = |text: &str, blank: u32| match text.trim() {
        "" => Some(blank),
        text => text.parse::<u32>().ok().filter(|number| *number > 0),
    };
    let (first, last) = match pages.split_once('-') {
        Some((first, last)) => number(first, 1).zip(number(last, u32::MAX))?,
        None => number(pages, 0).filter(|page| *page > 0).map(|page| (page, page))?,
    };
    (first <= last && pages.trim() != "-").then(|| first - 1..last)
}

fn text(found: &RankedHits, arguments: &SearchArguments) -> String {
    let documents = counted(found.documents, "document", "documents");
    let pages = counted(usize::try_from(found.pages).unwrap_or(usize::MAX), "page", "pages");
    let (query, paths) = (one_line(arguments.query()), named(&arguments.paths));
    let filters = arguments.filters();
    let mut lines = vec![match found.hits.len() {
        0 if found.documents == 0 && !filters.is_empty() => format!("No document here is{filters}: {paths}"),
        0 => format!("No page answers \"{query}\" in {documents}{filters} ({pages}): {paths}"),
        1 => format!("Best page for \"{query}\", of {documents}{filters} ({pages}): {paths}"),
        hits => format!("Best {hits} pages for \"{query}\", of {documents}{filters} ({pages}): {paths}"),
    }];
    lines.extend((!found.hits.is_empty()).then(|| untrusted("the files named here")));
    for (number, hit) in (1..).zip(&found.hits) {
        let date = arguments.dates.as_ref().map(|_| format!(", of {}", date_text(hit.date))).unwrap_or_default();
        lines.push(format!("{number}. {}{date}", heading(hit)));
        lines.push(format!("  {}", one_line(&hit.excerpt)));
    }
    lines.extend(coverage_lines(found, "searched"));
    lines.join("\n")
}

/// What was indexed, as text and as data.
pub(super) fn coverage(found: &RankedHits, paths: &[String]) -> (String, Value) {
    let documents = counted(found.documents, "document", "documents");
    let pages = counted(usize::try_from(found.pages).unwrap_or(usize::MAX), "page", "pages");
    let mut lines = vec![format!("{documents} ({pages}) can be searched: {}", named(paths))];
    lines.extend(coverage_lines(found, "indexed"));
    (lines.join("\n"), coverage_json(found))
}

/// What was not searched, and why. `verb` says what the documents that are left are not.
fn coverage_lines(found: &RankedHits, verb: &str) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend((found.left > 0).then(|| left_line(found, verb)));
    lines.extend(
        found.is_cut.then(|| "[A folder has more files than one search reads: name the folders in it.]".to_owned()),
    );
    lines.extend(found.notes.iter().map(|note| format!("[{}]", one_line(note))));
    lines.extend(list(cannot_be_read(found.unread.len()), &found.unread, |(path, why)| {
        format!("{} ({why})", one_line(path))
    }));
    let with_pages = |(path, pages): &(String, u32)| format!("{} ({})", one_line(path), grouped(u64::from(*pages)));
    let too_long = "With more text than max_indexed_text_bytes, so the last pages were not searched";
    lines.extend(list(too_long, &found.too_long, with_pages));
    let without_text = "Only partly searched, because pages have no usable text (scans)";
    lines.extend(list(without_text, &found.without_text, with_pages));
    lines
}

fn left_line(found: &RankedHits, verb: &str) -> String {
    let why = match found.is_full {
        true => ": the index has no room for more (max_index_bytes)",
        false => " yet, for lack of time. Next call: the same one, which continues.",
    };
    format!("[{} not {verb}{why}]", counted(found.left, "document is", "documents are"))
}

fn heading(hit: &RankedHit) -> String {
    let label = hit.label.as_deref().map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
    let section = hit.section.iter().map(|title| one_line(title)).collect::<Vec<_>>().join(" > ");
    let section = if section.is_empty() { section } else { format!(", in {section}") };
    let held = if hit.is_held { ", already provided" } else { "" };
    let read = if hit.is_recognised { format!(", {RECOGNISED_REMARK}") } else { String::new() };
    let copies = match hit.copies.len() {
        0 => String::new(),
        count => format!(", the same in {}", counted(count, "other place", "other places")),
    };
    let tokens = grouped(hit.tokens);
    let page = hit.page.number();
    format!("{}, page {page}{label}{section}: about {tokens} tokens as text{held}{read}{copies}", one_line(&hit.file))
}

/// Says of so many documents that they were not searched.
pub(super) fn cannot_be_read(count: usize) -> &'static str {
    match count {
        1 => "Not searched, because it cannot be read",
        _ => "Not searched, because they cannot be read",
    }
}

/// The first items of a list after what they are.
pub(super) fn list<T>(what: &str, items: &[T], name: impl Fn(&T) -> String) -> Option<String> {
    let named = items.iter().take(MAX_LISTED).map(name).collect::<Vec<_>>().join(", ");
    let more = items.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!items.is_empty()).then(|| format!("{what}: {named}{more}"))
}

/// For programs.
fn structure(result: &RankedResult, arguments: &SearchArguments) -> Value {
    let RankedResult { found, boxes } = result;
    let mut boxes = boxes.iter();
    let mut structure = coverage_json(found);
    if let Value::Object(members) = &mut structure {
        members.insert("query".to_owned(), json!(arguments.query()));
        members.insert("hits".to_owned(), found.hits.iter().map(|hit| hit_json(hit, boxes.next())).collect());
    }
    structure
}

fn coverage_json(found: &RankedHits) -> Value {
    let unread = found.unread.iter().map(|(path, why)| json!({ "path": path, "problem": why }));
    let with_pages = |(path, pages): &(String, u32)| json!({ "path": path, "pages": pages });
    json!({
        "documents": found.documents,
        "pages": found.pages,
        "unread": unread.collect::<Vec<_>>(),
        "tooLong": found.too_long.iter().map(with_pages).collect::<Vec<_>>(),
        "withoutText": found.without_text.iter().map(with_pages).collect::<Vec<_>>(),
        "left": found.left,
        "isCut": found.is_cut,
        "notes": found.notes,
    })
}

fn edges(boxes: Option<&Vec<Bounds>>) -> Vec<Value> {
    boxes.into_iter().flatten().map(|bounds| json!(edges_of(*bounds))).collect()
}

fn hit_json(hit: &RankedHit, boxes: Option<&Vec<Bounds>>) -> Value {
    let copies = hit.copies.iter().map(|(file, page)| json!({ "file": file, "page": page.number().get() }));
    let mut members = json!({
        "file": hit.file,
        "page": hit.page.number().get(),
        "score": (f64::from(hit.score) * 1000.0).round() / 1000.0,
        "excerpt": hit.excerpt,
        "held": hit.is_held,
        "tokens": hit.tokens,
        "date": date_text(hit.date),
    });
    let others = without_blanks(json!({
        "label": hit.label,
        "recognised": hit.is_recognised,
        "section": hit.section,
        "title": hit.title,
        "boxes": edges(boxes),
        "copies": copies.collect::<Vec<_>>(),
    }));
    if let (Value::Object(members), Value::Object(others)) = (&mut members, others) {
        members.extend(others);
    }
    members
}

/// The hits in fewer characters.
fn brief(RankedResult { found, boxes }: &RankedResult) -> Value {
    let mut boxes = boxes.iter();
    let hits = found.hits.iter().map(|hit| {
        without_blanks(json!({
            "file": hit.file,
            "page": hit.page.number().get(),
            "excerpt": hit.excerpt,
            "held": hit.is_held,
            "recognised": hit.is_recognised,
            "boxes": edges(boxes.next()),
        }))
    });
    let mut brief = without_blanks(json!({
        "unread": found.unread.iter().take(MAX_LISTED).map(|(path, _)| path).collect::<Vec<_>>(),
        "left": found.left,
        "notes": found.notes,
    }));
    if let Value::Object(members) = &mut brief {
        members.insert("hits".to_owned(), Value::Array(hits.collect()));
        members.insert("searchedPages".to_owned(), json!(found.pages));
    }
    brief
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_pages_are_joined_and_others_are_refused() {
        let read = |pages: &str| page_ranges(pages).ok();
        let one = |range: Range<u32>| Some(std::iter::once(range).collect());
        assert_eq!(read("3"), one(2..3));
        assert_eq!(read("1-5"), one(0..5));
        assert_eq!(read("7, 4-,-3"), one(0..u32::MAX));
        assert_eq!(read("9,1-3,5-6"), Some(vec![0..3, 4..6, 8..9]));
        for wrong in ["", "0", "-", "5-1", "1,,3", "label:iv", "1-2-3"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_passage_is_found_whatever_its_line_breaks() {
        let text = "The fold makes\nfour leaves of\n\none sheet.";
        assert_eq!(place_of("four leaves of one", text), Some(15..34));
        assert_eq!(place_of("fold makes", text), Some(4..14));
        assert_eq!((place_of("five leaves", text), place_of("", text)), (None, None));
    }
}

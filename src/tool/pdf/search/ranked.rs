//! `pdf_search` with `ranked`: the pages of one or several documents that answer a query best.

use std::ops::Range;
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
use crate::tool::pdf::arguments::SearchArguments;

/// The pages of several documents that answer a query best.
pub struct RankedResult {
    /// The pages, and what was searched.
    pub found: RankedHits,
}

impl RankedResult {
    /// The answer for a client.
    #[must_use]
    pub fn data(&self, arguments: &SearchArguments) -> DataAnswer {
        let (text, structure) = (text(&self.found, arguments), self.structure(arguments));
        DataAnswer { text, structure, brief: brief(&self.found) }
    }

    /// The answer as data.
    #[must_use]
    pub fn structure(&self, arguments: &SearchArguments) -> Value {
        structure(&self.found, arguments)
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
        query: arguments.query.clone(),
        max_hits: usize::try_from(arguments.max_results).unwrap_or(usize::MAX),
        language: arguments.language.clone(),
        pages: arguments.pages.as_deref().map(page_range).transpose()?,
        conversation: caller.conversation(arguments.document.conversation.as_deref())?,
        deadline: budget.map(|_| Instant::now() + SEARCH_TIME),
        cancellation: caller.cancellation.clone(),
    };
    let mut result = RankedResult { found: context.search_ranked(&request, progress)? };
    while let Some(budget) = budget
        && result.found.hits.len() > 1
        && bytes(&result.data(arguments)) > budget.bytes()
    {
        result.found.hits.truncate(result.found.hits.len() / 2);
    }
    Ok(result)
}

fn bytes(answer: &DataAnswer) -> u64 {
    json_length(&answer.text).saturating_add(json_length(&answer.brief))
}

/// One range of page numbers: `3`, `1-5`, `4-`, `-3`.
fn page_range(pages: &str) -> Result<Range<u32>, ToolError> {
    let number = |text: &str, blank: u32| match text.trim() {
        "" => Some(blank),
        text => text.parse::<u32>().ok().filter(|number| *number > 0),
    };
    let range = match pages.split_once('-') {
        Some((first, last)) => number(first, 1).zip(number(last, u32::MAX)),
        None => number(pages, 0).filter(|page| *page > 0).map(|page| (page, page)),
    };
    let range = range.filter(|(first, last)| first <= last && pages.trim() != "-");
    let range = range.map(|(first, last)| first - 1..last);
    range.ok_or_else(|| ToolError::parameter("pages", "must be one range like 1-5, as ranked is true"))
}

fn text(found: &RankedHits, arguments: &SearchArguments) -> String {
    let documents = counted(found.documents, "document", "documents");
    let pages = counted(usize::try_from(found.pages).unwrap_or(usize::MAX), "page", "pages");
    let best = counted(found.hits.len(), "page answers", "pages answer");
    let query = one_line(&arguments.query);
    let mut lines = vec![format!("{best} \"{query}\" best, of {documents} ({pages}): {}", named(&arguments.paths))];
    lines.extend((!found.hits.is_empty()).then(|| untrusted("the files named here")));
    for (number, hit) in (1..).zip(&found.hits) {
        lines.push(format!("{number}. {}", heading(hit)));
        lines.push(format!("  {}", one_line(&hit.excerpt)));
    }
    lines.extend(coverage_lines(found));
    lines.join("\n")
}

/// What was indexed, as text and as data.
pub(super) fn coverage(found: &RankedHits, paths: &[String]) -> (String, Value) {
    let documents = counted(found.documents, "document", "documents");
    let pages = counted(usize::try_from(found.pages).unwrap_or(usize::MAX), "page", "pages");
    let mut lines = vec![format!("{documents} ({pages}) can be searched: {}", named(paths))];
    lines.extend(coverage_lines(found));
    (lines.join("\n"), coverage_json(found))
}

/// What was not searched, and why.
fn coverage_lines(found: &RankedHits) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend((found.left > 0).then(|| left_line(found.left)));
    lines.extend(
        found.is_cut.then(|| "[A folder has more files than one search reads: name the folders in it.]".to_owned()),
    );
    lines.extend(found.notes.iter().map(|note| format!("[{}]", one_line(note))));
    lines.extend(list("Not searched, because they cannot be read", &found.unread, |(path, why)| {
        format!("{} ({why})", one_line(path))
    }));
    let without_text = "With pages that have no usable text (scans), so not searched whole";
    lines.extend(list(without_text, &found.without_text, |(path, pages)| {
        format!("{} ({})", one_line(path), grouped(u64::from(*pages)))
    }));
    lines
}

fn left_line(left: usize) -> String {
    format!(
        "[{} not searched yet, for lack of time or room in the index. Next call: the same one, which goes on.]",
        counted(left, "document is", "documents are")
    )
}

fn heading(hit: &RankedHit) -> String {
    let label = hit.label.as_deref().map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
    let section = hit.section.iter().map(|title| one_line(title)).collect::<Vec<_>>().join(" > ");
    let section = if section.is_empty() { section } else { format!(", in {section}") };
    let held = if hit.is_held { ", held" } else { "" };
    let copies = match hit.copies.len() {
        0 => String::new(),
        count => format!(", the same in {}", counted(count, "other place", "other places")),
    };
    let tokens = grouped(hit.tokens);
    let page = hit.page.number();
    format!("{}, page {page}{label}{section}: about {tokens} tokens as text{held}{copies}", one_line(&hit.file))
}

/// The first items of a list after what they are.
fn list<T>(what: &str, items: &[T], name: impl Fn(&T) -> String) -> Option<String> {
    let named = items.iter().take(MAX_LISTED).map(name).collect::<Vec<_>>().join(", ");
    let more = items.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!items.is_empty()).then(|| format!("{what}: {named}{more}"))
}

/// For programs.
fn structure(found: &RankedHits, arguments: &SearchArguments) -> Value {
    let mut structure = coverage_json(found);
    if let Value::Object(members) = &mut structure {
        members.insert("query".to_owned(), json!(arguments.query));
        members.insert("hits".to_owned(), found.hits.iter().map(hit_json).collect());
    }
    structure
}

fn coverage_json(found: &RankedHits) -> Value {
    let unread = found.unread.iter().map(|(path, why)| json!({ "path": path, "problem": why }));
    let without_text = found.without_text.iter().map(|(path, pages)| json!({ "path": path, "pages": pages }));
    json!({
        "documents": found.documents,
        "pages": found.pages,
        "unread": unread.collect::<Vec<_>>(),
        "withoutText": without_text.collect::<Vec<_>>(),
        "left": found.left,
        "isCut": found.is_cut,
        "notes": found.notes,
    })
}

fn hit_json(hit: &RankedHit) -> Value {
    let copies = hit.copies.iter().map(|(file, page)| json!({ "file": file, "page": page.number().get() }));
    let mut members = json!({
        "file": hit.file,
        "page": hit.page.number().get(),
        "score": hit.score,
        "excerpt": hit.excerpt,
        "held": hit.is_held,
        "tokens": hit.tokens,
    });
    let others = without_blanks(json!({
        "label": hit.label,
        "section": hit.section,
        "title": hit.title,
        "copies": copies.collect::<Vec<_>>(),
    }));
    if let (Value::Object(members), Value::Object(others)) = (&mut members, others) {
        members.extend(others);
    }
    members
}

/// The hits in fewer characters.
fn brief(found: &RankedHits) -> Value {
    let hits = found.hits.iter().map(|hit| {
        without_blanks(json!({
            "file": hit.file,
            "page": hit.page.number().get(),
            "excerpt": hit.excerpt,
            "held": hit.is_held,
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
    fn one_range_of_pages_is_read_and_others_are_refused() {
        let read = |pages: &str| page_range(pages).ok();
        assert_eq!(read("3"), Some(2..3));
        assert_eq!(read("1-5"), Some(0..5));
        assert_eq!(read("4-"), Some(3..u32::MAX));
        assert_eq!(read("-3"), Some(0..3));
        for wrong in ["", "0", "-", "5-1", "1,3", "label:iv", "1-2-3"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}

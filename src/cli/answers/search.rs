//! The text of `pagewise search`: `FILE:PAGE: excerpt`, or on a terminal the excerpts below their file.

use std::ops::Range;

use crate::cli::answers::{quote, ranked};
use crate::cli::terminal::layout::{lines, width};
use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::wording::{command, counted, matches};
use crate::context::{one_line, page_or_pages, unrecognised_notes};
use crate::tool::{
    Coverage, FoundInDocument, FoundInDocuments, MAX_EXCERPTS, MatchedPage, SearchArguments, SearchResult,
};
use pagewise_base::page::PageSet;
use pagewise_text::{RECOGNISED_REMARK, SearchHit};

/// The matches.
pub(crate) fn text(found: &SearchResult, screen: Screen) -> String {
    match found {
        SearchResult::Document(found) => document(found, screen),
        SearchResult::Documents(found) => {
            let gap = if screen.is_terminal() { "\n\n" } else { "\n" };
            let documents = found.found.iter().map(|found| document(found, screen));
            documents.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(gap)
        }
        SearchResult::Quote(found) => quote::text(found, screen),
        SearchResult::Quotes(found) => quote::best_text(found, screen),
        SearchResult::Ranked(found) => ranked::text(&found.found, screen),
    }
}

fn document(found: &FoundInDocument, screen: Screen) -> String {
    let path = one_line(found.path());
    let hits = found.pages().iter().flat_map(|page| page.hits.iter().map(move |hit| (page, hit)));
    match screen.columns {
        None => {
            let path = screen.paint(Part::Path, &path);
            let line = |(page, hit): (&MatchedPage, &SearchHit)| {
                let number = screen.paint(Part::Page, &page.page.number().to_string());
                format!("{path}:{number}: {}", highlighted(hit, 0..hit.excerpt.len(), screen))
            };
            hits.map(line).collect::<Vec<_>>().join("\n")
        }
        Some(_) if found.pages().is_empty() => String::new(),
        Some(columns) => {
            let lines = hits.flat_map(|(page, hit)| below_file(page, hit, columns, screen));
            std::iter::once(screen.paint(Part::Path, &path)).chain(lines).collect::<Vec<_>>().join("\n")
        }
    }
}

/// An excerpt in lines of a terminal, after the number and the label of its page.
fn below_file(page: &MatchedPage, hit: &SearchHit, columns: usize, screen: Screen) -> Vec<String> {
    let number = page.page.number().to_string();
    let label = page.label.as_deref().map(|label| format!(" ({})", one_line(label))).unwrap_or_default();
    let indent = width(&number) + width(&label) + ": ".len();
    let is_wide = columns >= indent + MIN_EXCERPT;
    let (indent, room) = if is_wide { (indent, columns - indent) } else { (2, columns.saturating_sub(2)) };
    let head = format!("{}{}: ", screen.paint(Part::Page, &number), screen.paint(Part::Faint, &label));
    let mut out = Vec::new();
    if !is_wide {
        out.push(head.trim_end().to_owned());
    }
    for (at, line) in lines(&hit.excerpt, room).into_iter().enumerate() {
        let before = if at == 0 && is_wide { head.clone() } else { " ".repeat(indent) };
        out.push(format!("{before}{}", highlighted(hit, line, screen)));
    }
    out
}

/// The narrowest column of excerpts beside the numbers of pages.
const MIN_EXCERPT: usize = 24;

/// A part of an excerpt with its matches in colour.
fn highlighted(hit: &SearchHit, shown: Range<usize>, screen: Screen) -> String {
    let part = |range: Range<usize>| hit.excerpt.get(range).map(one_line_with_ends).unwrap_or_default();
    let (mut text, mut at) = (String::new(), shown.start);
    for span in &hit.spans {
        let span = span.start.clamp(at, shown.end.max(at))..span.end.clamp(at, shown.end.max(at));
        text.push_str(&part(at..span.start));
        text.push_str(&screen.paint(Part::Match, &part(span.clone())));
        at = span.end;
    }
    text.push_str(&part(at..shown.end));
    text
}

/// `text` without control characters, which a document could use to write anywhere in the terminal.
fn one_line_with_ends(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// How to search pages that were not recognised.
pub(super) fn next_pages(rest: &PageSet) -> String {
    format!("Search the rest with --pages {rest}.")
}

/// What the matches do not say.
pub(crate) fn notes(found: &SearchResult, arguments: &SearchArguments, screen: Screen) -> Vec<String> {
    match found {
        SearchResult::Document(found) => document_notes(found, arguments, screen),
        SearchResult::Documents(found) => documents_notes(found, screen),
        SearchResult::Quote(found) => quote::notes(found),
        SearchResult::Quotes(found) => quote::several_notes(found),
        SearchResult::Ranked(found) => ranked::notes(&found.found, arguments, screen),
    }
}

fn document_notes(found: &FoundInDocument, arguments: &SearchArguments, screen: Screen) -> Vec<String> {
    let searched = counted(usize::try_from(found.searched_pages()).unwrap_or(usize::MAX), "page");
    let is_cut = found.shown() < found.total();
    let is_worth_it = screen.is_terminal() || found.total() == 0 || is_cut;
    let summary = is_worth_it.then(|| match found.total() {
        0 => format!("no matches on {searched} searched"),
        total => format!("{} on {} of {searched} searched", matches(total), found.matching_pages()),
    });
    let more = is_cut.then(|| {
        let (shown, total) = (found.shown(), found.total());
        format!("{shown} of {total} matches are shown; all: {}", all_command(found, arguments))
    });
    let held = Some(found.held()).filter(|held| !held.is_empty());
    let held = held.map(|held| format!("the conversation already holds {}", page_or_pages(&held)));
    let blind = [
        (found.recognised(), RECOGNISED_REMARK),
        (found.without_text(), "no usable text, so not searched (scans or blank)"),
        (found.unreadable(), "unreadable text, so only partly searched"),
    ];
    let blind = blind.into_iter().filter(|(pages, _)| !pages.is_empty());
    let blind = blind.map(|(pages, why)| format!("{}: {why}", page_or_pages(pages)));
    let selected = found.note().map(one_line);
    let words = found.words().map(|words| words_note(&words));
    let unrecognised = unrecognised_notes(found.ocr(), next_pages);
    let notes = selected.into_iter().chain(summary).chain(words).chain(more).chain(held).chain(blind);
    notes.chain(unrecognised).collect()
}

fn words_note(words: &str) -> String {
    format!("the words alone: {words}; for pages with most of them: --ranked")
}

/// The command that shows every match.
fn all_command(found: &FoundInDocument, arguments: &SearchArguments) -> String {
    let (path, query, total) = (found.path(), arguments.query(), found.total());
    let mut words: Vec<&dyn std::fmt::Display> = vec![&"search", &path, &query];
    if arguments.regex {
        words.push(&"--regex");
    }
    if arguments.case_sensitive {
        words.push(&"--case-sensitive");
    }
    if let Some(pages) = &*arguments.pages {
        words.extend([&"--pages" as &dyn std::fmt::Display, pages]);
    }
    words.extend([&"--max-results" as &dyn std::fmt::Display, &total]);
    command(&words)
}

/// Files that a note names; the others are counted.
const MAX_NAMED: usize = 10;

fn documents_notes(found: &FoundInDocuments, screen: Screen) -> Vec<String> {
    let searched = searched(&found.coverage);
    let shown = found.found.iter().map(FoundInDocument::shown).sum::<usize>();
    let is_cut = shown < found.matches;
    let is_worth_it = screen.is_terminal() || found.matches == 0 || is_cut;
    let summary = is_worth_it.then(|| match found.matches {
        0 => format!("no matches in {searched}"),
        total => format!("{} in {} of {searched}", matches(total), found.found.len()),
    });
    let more = is_cut.then(|| {
        let total = found.matches;
        let next = match found.found.iter().any(FoundInDocument::is_cut_by_share) {
            true => format!(", at most {MAX_EXCERPTS} of a file; search one file to see all of its matches"),
            false => "; raise --max-results".to_owned(),
        };
        format!("{shown} of {total} matches are shown{next}")
    });
    let blind = found.without_text.iter().map(|path| one_line(path)).collect();
    let blind = named("only partly searched, because pages have no usable text (scans or blank)", blind);
    let words = found.words().map(|words| words_note(&words));
    let coverage = coverage_notes(&found.coverage).into_iter();
    let coverage = coverage.chain(found.recognised.recognised_line()).chain(found.unrecognised.unrecognised_line());
    [summary, words, more].into_iter().flatten().chain(coverage).chain(blind).collect()
}

/// `3 documents searched (40 pages)`.
pub(super) fn searched(coverage: &Coverage) -> String {
    let pages = counted(usize::try_from(coverage.pages).unwrap_or(usize::MAX), "page");
    format!("{} searched ({pages})", counted(coverage.searched, "document"))
}

/// What was not searched.
pub(super) fn coverage_notes(coverage: &Coverage) -> Vec<String> {
    let stopped = coverage.next.map(|next| format!("stopped before document {next}"));
    let cut =
        coverage.is_cut.then(|| "a folder has more files than one search reads: name the folders in it".to_owned());
    let unread = coverage.unread.iter().map(|(path, why)| format!("{}: {}", one_line(path), one_line(why)));
    [stopped, cut].into_iter().flatten().chain(named("not searched", unread.collect())).collect()
}

/// A note for each of the first files, and how many more there are.
pub(super) fn named(what: &str, files: Vec<String>) -> Vec<String> {
    let more = files.len().saturating_sub(MAX_NAMED);
    let notes = files.into_iter().take(MAX_NAMED).map(|file| format!("{what}: {file}"));
    notes.chain((more > 0).then(|| format!("{what}: {more} more"))).collect()
}

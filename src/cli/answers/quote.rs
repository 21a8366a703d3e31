//! The text of `pagewise search --quote`.

use super::search::{coverage_notes, named, next_pages, searched};
use crate::cli::terminal::layout::wrapped;
use crate::cli::terminal::screen::{Part, Screen};
use crate::context::{QuoteHistory, one_line, page_or_pages, unrecognised_notes};
use crate::tool::{QuoteFindings, QuotesFindings};
use pagewise_base::page::PageIndex;
use pagewise_text::{QuoteVerdict, RECOGNISED_REMARK, WordDifference};

/// Whether the quote is there, and the passage.
pub(crate) fn text(found: &QuoteFindings, screen: Screen) -> String {
    let path = screen.paint(Part::Path, &one_line(&found.path));
    match &found.verdict {
        QuoteVerdict::Verbatim { page, pages, excerpt, .. } => {
            let pages = if pages.len() == 1 { page_name(found, *page) } else { page_or_pages(pages) };
            let verdict = screen.paint(Part::Good, "verbatim");
            format!("{verdict}: the same words and capitals on {pages} of {path}\n{}", indented(excerpt, screen))
        }
        QuoteVerdict::Altered { page, excerpt, differences, .. } => {
            let page = page_name(found, *page);
            let verdict = screen.paint(Part::Bad, "altered");
            let head = format!("{verdict}: a passage on {page} of {path} is similar, with these differences:");
            let shown = differences.iter().take(MAX_DIFFERENCES).map(difference);
            let more = differences.len().saturating_sub(MAX_DIFFERENCES);
            let more = (more > 0).then(|| format!("  and {more} more differences"));
            [head, indented(excerpt, screen)].into_iter().chain(shown).chain(more).collect::<Vec<_>>().join("\n")
        }
        QuoteVerdict::Absent => {
            let verdict = screen.paint(Part::Bad, "absent");
            match found.searched {
                1 => format!("{verdict}: no similar passage on the page of {path} that was searched"),
                pages => format!("{verdict}: no similar passage on the {pages} pages of {path} that were searched"),
            }
        }
    }
}

/// Differences that are listed.
const MAX_DIFFERENCES: usize = 20;

fn page_name(found: &QuoteFindings, page: PageIndex) -> String {
    let label = found.label.as_deref().map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
    format!("page {}{label}", page.number())
}

fn indented(excerpt: &str, screen: Screen) -> String {
    let excerpt = excerpt.chars().filter(|character| !character.is_control()).collect::<String>();
    let room = screen.columns.map(|columns| columns.saturating_sub(2));
    format!("  {}", room.map_or_else(|| excerpt.clone(), |room| wrapped(&excerpt, room, 2)))
}

fn difference(difference: &WordDifference) -> String {
    let (quote, document) = (one_line(&difference.quote), one_line(&difference.document));
    match (quote.is_empty(), document.is_empty()) {
        (true, _) => format!("  the document also has \"{document}\""),
        (_, true) => format!("  \"{quote}\" is not in the document"),
        _ => format!("  \"{quote}\" is \"{document}\" in the document"),
    }
}

/// What the verdict does not say.
pub(crate) fn notes(found: &QuoteFindings) -> Vec<String> {
    let unread = (!found.is_verbatim() && !found.unread.is_empty())
        .then(|| format!("{}: no usable text, so the quote may be there", page_or_pages(&found.unread)));
    let recognised = found.verdict.page().filter(|_| found.is_recognised);
    let recognised = recognised.map(|page| format!("page {}: {RECOGNISED_REMARK}", page.number()));
    let unrecognised = if found.is_verbatim() { Vec::new() } else { unrecognised_notes(&found.ocr, next_pages) };
    let history = found.history.as_ref().map(QuoteHistory::sentence);
    let deleted =
        found.is_deleted.then(|| "the words, or some of them, are deleted there: a tracked change".to_owned());
    found
        .note
        .as_deref()
        .map(one_line)
        .into_iter()
        .chain(deleted)
        .chain(history)
        .chain(recognised)
        .chain(unread)
        .chain(unrecognised)
        .collect()
}

/// The document that has the quote best.
pub(crate) fn best_text(found: &QuotesFindings, screen: Screen) -> String {
    match &found.best {
        Some(best) => text(best, screen),
        None => {
            let verdict = screen.paint(Part::Bad, "absent");
            format!("{verdict}: no similar passage in {}", searched(&found.coverage))
        }
    }
}

/// The other documents, and what was not searched.
pub(crate) fn several_notes(found: &QuotesFindings) -> Vec<String> {
    let others = found.others.iter().map(|(path, pages)| format!("{} ({pages})", one_line(path)));
    let summary = found.best.as_ref().map(|_| format!("the best of {}", searched(&found.coverage)));
    let blind = if found.is_verbatim() { &[] } else { found.without_text.as_slice() };
    let blind = blind.iter().map(|path| one_line(path)).collect();
    let blind = named("pages without usable text, so the quote may be there", blind);
    let others = named("the same words also in", others.collect());
    let coverage = coverage_notes(&found.coverage).into_iter().chain(found.unrecognised.unrecognised_line());
    others.into_iter().chain(summary).chain(coverage).chain(blind).collect()
}

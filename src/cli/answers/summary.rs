//! The summary of a PDF that `pagewise get-file` prints.

use crate::cli::answers::info::entries;
use crate::cli::answers::outline::row;
use crate::cli::terminal::layout::Facts;
use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::table::{Column, Table};
use crate::cli::terminal::wording::{command, counted, date, page_size};
use crate::context::{SummaryFacts, count_of, file_size, grouped, listed_or_counted, one_line, page_or_pages};
use pagewise_base::page::PageSet;

/// What is in a PDF, what its pages cost, and how to read them.
pub(crate) fn text(path: &str, facts: &SummaryFacts, screen: Screen) -> String {
    let parts = [head(path, facts).text(screen), outline(path, facts, screen), next(path, facts, screen)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn head(path: &str, facts: &SummaryFacts) -> Facts {
    let info = &facts.info;
    let quoted = |value: &Option<String>| value.as_deref().map(one_line).filter(|value| !value.is_empty());
    let yes = |is_so: bool| is_so.then_some("yes");
    let count = |count: usize, noun: &str| (count > 0).then(|| counted(count, noun));
    let mut lines = Facts::default();
    lines.add("File", one_line(path));
    lines.add_some("Title", quoted(&info.title));
    lines.add_some("Author", quoted(&info.author));
    lines.add_some("Subject", quoted(&info.subject));
    lines.add_some("Keywords", quoted(&info.keywords));
    lines.add_some("Creator", quoted(&info.creator));
    lines.add_some("Producer", quoted(&info.producer));
    lines.add_some("Created", info.created.as_deref().map(date));
    lines.add_some("Modified", info.changed_later().map(date));
    match &info.parts {
        None => lines.add("Pages", pages(facts)),
        Some(parts) => {
            lines.add("Type", parts.format.name());
            lines.add("Parts", format!("{}, each {}", grouped(facts.page_count.into()), parts.part));
            lines.add_some("Words", (parts.words > 0).then(|| grouped(parts.words)));
            lines.add_some("Tables", (parts.tables > 0).then(|| grouped(parts.tables)));
            lines.add_some("Images", (parts.images > 0).then(|| grouped(parts.images)));
            parts.remarks.iter().for_each(|remark| lines.add("Note", one_line(remark)));
        }
    }
    lines.add_some("Page size", sizes(facts));
    lines.add("File size", file_size(facts.file_bytes));
    lines.add_some("PDF version", Some(one_line(&info.pdf_version)).filter(|version| !version.is_empty()));
    lines.add_some("Encrypted", yes(info.encrypted));
    lines.add_some("Signed", yes(info.signed));
    lines.add_some("Form", count(info.form_fields, "field"));
    lines.add_some("Comments", places(facts.annotations.comments, &facts.annotations.pages_with_comments));
    lines.add_some("Links", places(facts.annotations.links, &facts.annotations.pages_with_links));
    lines.add_some("Attachments", count(info.attachments, "file"));
    facts.attachments.iter().for_each(|file| lines.add("", file.clone()));
    lines.add_some("No text", pages_of(&facts.without_text, facts, "scans or blank"));
    lines
        .add_some("Unreadable", pages_of(&facts.undecodable, facts, "the fonts do not say which characters they show"));
    lines.add_some("Hidden text", pages_of(&facts.hidden, facts, "left out of what a model gets"));
    lines.add_some("Tokens", tokens(facts));
    lines.add_some("Already sent", (!facts.held.is_empty()).then(|| facts.held.join("; ")));
    lines
}

fn pages(facts: &SummaryFacts) -> String {
    let labels = facts.labels.as_ref().map(|labels| format!(" (labels {labels})"));
    format!("{}{}", grouped(facts.page_count.into()), labels.unwrap_or_default())
}

fn places(count: usize, pages: &PageSet) -> Option<String> {
    (count > 0)
        .then(|| format!("{} on {}", grouped(u64::try_from(count).unwrap_or(u64::MAX)), listed_or_counted(pages)))
}

/// Sizes of pages that are named.
const MAX_SIZES: usize = 3;

fn sizes(facts: &SummaryFacts) -> Option<String> {
    let named = facts.sizes_pt.iter().take(MAX_SIZES).map(|(width, height)| page_size(*width, *height));
    let more = (facts.sizes_pt.len() > MAX_SIZES).then(|| "others".to_owned());
    let named = named.chain(more).collect::<Vec<_>>().join(", ");
    (!named.is_empty()).then_some(named)
}

fn pages_of(pages: &PageSet, facts: &SummaryFacts, why: &str) -> Option<String> {
    let is_sample = facts.looked_at < facts.page_count.into();
    let scope = format!("; {} of {} were checked", facts.looked_at, count_of(facts.page_count.into(), "page"));
    let scope = if is_sample { scope } else { String::new() };
    (!pages.is_empty()).then(|| format!("{} ({why}{scope})", page_or_pages(pages)))
}

/// What all pages cost a model, by form.
fn tokens(facts: &SummaryFacts) -> Option<String> {
    let costs = facts.costs.iter().map(|cost| format!("{} as {}", grouped(cost.of_all), cost.form));
    let costs = costs.collect::<Vec<_>>().join(", ");
    (!costs.is_empty()).then(|| format!("about {costs}"))
}

fn outline(path: &str, facts: &SummaryFacts, screen: Screen) -> String {
    if facts.outline.is_empty() {
        return String::new();
    }
    let columns = [Column::right("").of(Part::Page), Column::right("").of(Part::Faint), Column::left("")];
    let mut table = Table::new(columns);
    facts.outline.iter().for_each(|(item, label)| table.add(row(item, label.as_ref())));
    let mut lines = vec![screen.paint(Part::Heading, "Outline:"), table.text(screen)];
    let shown = facts.outline.len();
    lines.extend((shown < facts.outline_total).then(|| {
        let all = command(&[&"outline", &path]);
        format!("{shown} of {}; all: {all}", entries(facts.outline_total))
    }));
    lines.join("\n")
}

/// The commands that read pages.
fn next(path: &str, facts: &SummaryFacts, screen: Screen) -> String {
    let pages = if facts.page_count == 1 { "1" } else { "1-2" };
    let mut lines = Facts::default();
    lines.add("For a model", command(&[&"get-file", &path, &"--pages", &pages]));
    lines.add("As text", command(&[&"text", &path, &pages]));
    if facts.info.parts.is_none() {
        lines.add("As pictures", command(&[&"render", &path, &pages]));
    }
    lines.text(Screen { columns: None, ..screen })
}

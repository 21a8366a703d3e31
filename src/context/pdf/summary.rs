//! The summary of a PDF: what an agent reads before it asks for pages.

use std::fmt::Write;

use super::forms::GivenForms;
use super::sample::PageSample;
use crate::context::annotations::attachment_line;
use crate::context::answer::PageEstimate;
use crate::context::phrases::{
    HOW_TO_READ_PAGES, grouped, listed_or_counted, one_line, outline_columns, outline_line, page_or_pages, points,
    provided_line, untrusted,
};
use crate::context::request::form_name;
use crate::worker::Pages;
use pagewise_base::page::{PageIndex, PageLabel, PageSet};
use pagewise_base::parts::PartsInfo;
use pagewise_document::{AnnotationCounts, DocumentInfo, MAX_LABEL_RANGES, MAX_REMOTE_FIELDS, Outline, OutlineItem};
use pagewise_view::PageForm;

/// The facts of a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct SummaryFacts {
    /// The document's information.
    pub info: DocumentInfo,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Pages.
    pub page_count: u32,
    /// The distinct page sizes of the sample in points: width and height.
    pub sizes_pt: Vec<(f64, f64)>,
    /// The printed labels, as ranges: `i-xxvii, 1-216`.
    pub labels: Option<String>,
    /// The upper levels of the outline, as many entries as fit, with the labels of their pages.
    pub outline: Vec<(OutlineItem, Option<PageLabel>)>,
    /// Entries of the outline.
    pub outline_total: usize,
    /// Pages that were looked at.
    pub looked_at: u64,
    /// Pages without usable text among them.
    pub without_text: PageSet,
    /// Pages whose text cannot be decoded among them.
    pub undecodable: PageSet,
    /// Pages with text that is not seen among them.
    pub hidden: PageSet,
    /// Comments and links.
    pub annotations: AnnotationCounts,
    /// Attachments, a line each, as many as fit.
    pub attachments: Vec<String>,
    /// Estimated tokens by form, the cheapest first.
    pub costs: Vec<FormCost>,
    /// What the conversation holds, one line per form.
    pub held: Vec<String>,
}

/// The estimated cost of a document in one form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormCost {
    /// The form, as `as` names it.
    pub form: &'static str,
    /// Tokens of an average page.
    pub of_a_page: u64,
    /// Tokens of all pages.
    pub of_all: u64,
    /// Whether pages come in this form if none is named.
    pub is_given: bool,
}

pub(crate) struct SummaryInput<'a> {
    pub(crate) path: &'a str,
    pub(crate) file_bytes: u64,
    pub(crate) document: &'a dyn Pages,
    pub(crate) sample: &'a PageSample,
    /// The forms that the client gets.
    pub(crate) forms: GivenForms,
    /// What the conversation holds, one line per form.
    pub(crate) held: Vec<String>,
    pub(crate) max_outline_items: usize,
}

impl SummaryInput<'_> {
    /// The summary as text, and its facts.
    pub(crate) fn read(&self) -> (String, SummaryFacts) {
        let info = self.document.info();
        let outline = self.document.outline(MAX_OUTLINE_READ);
        let (rows, is_cut) = self.outline_rows(&outline);
        let outline_lines = outline_lines(&outline, &rows, is_cut);
        let page_count = self.document.page_count();
        let facts = SummaryFacts {
            file_bytes: self.file_bytes,
            page_count,
            sizes_pt: self.sample.sizes_pt.clone(),
            labels: self.labels(&info),
            outline: rows.into_iter().map(|row| (row.item, row.label)).collect(),
            outline_total: outline.total,
            looked_at: self.sample.looked_at.len(),
            without_text: self.sample.without_text.clone(),
            undecodable: self.sample.undecodable.clone(),
            hidden: self.sample.hidden.clone(),
            annotations: self.document.annotation_counts(),
            attachments: self.attachments(&info),
            costs: costs(&self.sample.estimates, page_count.into(), self.forms),
            held: self.held.clone(),
            info,
        };
        (self.text(&facts, outline_lines), facts)
    }

    fn text(&self, facts: &SummaryFacts, outline_lines: Vec<String>) -> String {
        let mut lines = match &facts.info.parts {
            None => vec![format!("PDF Document: {}", self.path), format!("Pages: {}", facts.page_count)],
            Some(parts) => parts_lines(parts, self.path, facts.page_count),
        };
        let quoted = metadata_lines(&facts.info);
        if !quoted.is_empty() || !outline_lines.is_empty() || !facts.attachments.is_empty() {
            lines.push(untrusted(self.path));
        }
        lines.extend(quoted);
        lines.extend(self.property_lines(facts));
        lines.extend(outline_lines);
        lines.extend(self.sample_lines());
        lines.extend(provided_line(&self.held));
        lines.extend(self.document.notes().iter().map(|note| format!("Note: {}", one_line(note))));
        lines.push(HOW_TO_READ_PAGES.to_owned());
        lines.join("\n")
    }

    fn property_lines(&self, facts: &SummaryFacts) -> Vec<String> {
        let info = &facts.info;
        let mut lines = vec![format!("File size: {} bytes", grouped(self.file_bytes))];
        if !info.pdf_version.is_empty() {
            lines.push(format!("PDF version: {}", one_line(&info.pdf_version)));
        }
        lines.extend(sizes_line(self.sample));
        let remarks = info.parts.iter().flat_map(|parts| &parts.remarks);
        lines.extend(remarks.map(|remark| one_line(remark)));
        lines.extend(facts.labels.as_ref().map(|labels| format!("Page labels: {labels}")));
        let flags = [(info.encrypted, "Encrypted: yes"), (info.signed, "Signed: yes"), (info.tagged, "Tagged: yes")];
        lines.extend(flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1.to_owned()));
        if info.form_fields > 0 {
            let xfa =
                if info.is_xfa { " (XFA: some of the form may show only in viewers that support it)" } else { "" };
            let is_cut = self.document.is_remote() && info.form_fields >= MAX_REMOTE_FIELDS;
            let or_more = if is_cut { " or more" } else { "" };
            lines.push(format!("Form fields: {}{or_more}{xfa}", info.form_fields));
        }
        lines.extend(attachment_lines(facts));
        lines.extend(count_lines(&facts.annotations, facts.page_count));
        lines
    }

    /// The attachments by name, as many as fit.
    fn attachments(&self, info: &DocumentInfo) -> Vec<String> {
        if info.attachments == 0 {
            return Vec::new();
        }
        let attachments = self.document.attachments(MAX_ATTACHMENTS);
        attachments.items.iter().map(|file| attachment_line(file, self.path)).collect()
    }

    /// The printed labels of the first and the last page of each range.
    fn labels(&self, info: &DocumentInfo) -> Option<String> {
        let label = |page: u32| self.document.page_label(PageIndex(page)).map(|label| one_line(&label.0));
        let starts = info.label_ranges.iter().map(|page| page.0).filter(|page| *page < self.document.page_count());
        let ends = starts.clone().skip(1).chain([self.document.page_count()]);
        let range = |(start, end): (u32, u32)| match (label(start)?, label(end.saturating_sub(1))?) {
            (first, last) if first == last => Some(first),
            (first, last) => Some(format!("{first}-{last}")),
        };
        let mut ranges = starts.zip(ends).filter_map(range).collect::<Vec<_>>();
        if info.label_ranges.len() == MAX_LABEL_RANGES {
            ranges.pop();
            ranges.push("and others".to_owned());
        }
        (!ranges.is_empty()).then(|| ranges.join(", "))
    }

    /// The upper levels of the outline, as many entries as fit, and whether the last of these levels is cut.
    fn outline_rows(&self, outline: &Outline) -> (Vec<OutlineRow>, bool) {
        let leads_nowhere = outline.items.iter().all(|item| item.page.is_none());
        let rows = outline.items.iter().filter(|item| leads_nowhere || item.page.is_some()).map(|item| {
            let label = item.page.and_then(|page| self.document.page_label(page));
            OutlineRow { line: outline_line(item, label.as_ref()), item: item.clone(), label }
        });
        let mut rows = rows.collect::<Vec<_>>();
        if let Some(levels) = fitting_levels(&rows, self.max_outline_items) {
            rows.retain(|row| row.item.depth < levels);
        }
        let mut left = MAX_OUTLINE_CHARACTERS;
        let fits = |row: &&OutlineRow| {
            let rest = left.checked_sub(row.line.chars().count());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let shown = rows.iter().take(self.max_outline_items).take_while(fits).count();
        let is_cut = shown < rows.len();
        rows.truncate(shown);
        (rows, is_cut)
    }

    fn sample_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let pages = u64::from(self.document.page_count());
        let looked_at = self.sample.looked_at.len();
        let scope = if looked_at < pages { format!(", of {looked_at} pages examined") } else { String::new() };
        let unusable = [
            ("Without usable text (scans or blank)", &self.sample.without_text),
            ("Unreadable text (fonts that do not say which characters they show)", &self.sample.undecodable),
            ("Hidden text (left out of what you get; pdf_extract_text with hidden: true has it)", &self.sample.hidden),
        ];
        let unusable = unusable.into_iter().filter(|(_, pages)| !pages.is_empty());
        lines.extend(unusable.map(|(what, pages)| format!("{what}{scope}: {}", page_or_pages(pages))));
        lines.extend(cost_lines(&self.sample.estimates, pages, self.forms));
        if let (true, Some(reason)) = (self.sample.can_cut, &self.sample.cut_failure) {
            lines.push(format!("Note: some pages come as text, because they cannot be cut: {}", one_line(reason)));
        }
        lines
    }
}

/// Attachments that are named in a summary.
const MAX_ATTACHMENTS: usize = 10;

/// The attachments under a heading.
fn attachment_lines(facts: &SummaryFacts) -> Vec<String> {
    let total = facts.info.attachments;
    if total == 0 {
        return Vec::new();
    }
    let more = total.saturating_sub(facts.attachments.len());
    let more = (more > 0).then(|| format!("- and {more} more: pdf_info"));
    let named = facts.attachments.iter().map(|line| format!("- {line}"));
    std::iter::once(format!("Attachments: {total}")).chain(named).chain(more).collect()
}

/// What a file with parts is, and what it has.
fn parts_lines(parts: &PartsInfo, path: &str, count: u32) -> Vec<String> {
    let PartsInfo { format, part, words, tables, images, .. } = parts;
    let counts = [(*words, "word"), (*tables, "table"), (*images, "image")];
    let counted =
        |(count, noun): &(u64, &str)| format!("{} {noun}{}", grouped(*count), if *count == 1 { "" } else { "s" });
    let counts = counts.iter().filter(|(count, _)| *count > 0).map(counted);
    let counts = counts.collect::<Vec<_>>().join(", ");
    let contents = (!counts.is_empty()).then(|| format!("Contents: {counts}"));
    let lines = [format!("{}: {path}", format.name()), format!("Parts: {count}, each {part}; ask for them as pages")];
    lines.into_iter().chain(contents).collect()
}

/// How many comments and links there are, and where.
fn count_lines(counts: &AnnotationCounts, pages: u32) -> Vec<String> {
    let scope = match counts.pages_read {
        read if read < pages => format!(" (of the first {} pages)", grouped(read.into())),
        _ => String::new(),
    };
    let line = |name: &str, count: usize, pages: &PageSet| {
        (count > 0).then(|| format!("{name}: {} on {}{scope}", grouped_count(count), listed_or_counted(pages)))
    };
    let comments = line("Comments", counts.comments, &counts.pages_with_comments);
    let links = line("Links", counts.links, &counts.pages_with_links);
    comments.into_iter().chain(links).collect()
}

/// An entry of the outline that may be shown.
struct OutlineRow {
    item: OutlineItem,
    label: Option<PageLabel>,
    line: String,
}

impl OutlineRow {
    /// Whether its page has a printed label that differs from the number.
    fn has_label(&self) -> bool {
        let page = self.item.page.map(|page| page.number().to_string());
        let is_own = |label: &PageLabel, number: &String| label.0 != *number && label.0 != self.item.title;
        page.zip(self.label.as_ref()).is_some_and(|(number, label)| is_own(label, &number))
    }
}

/// The upper levels of the outline, with a title. `is_cut` says that the last of these levels is not whole.
fn outline_lines(outline: &Outline, rows: &[OutlineRow], is_cut: bool) -> Vec<String> {
    if outline.items.is_empty() {
        return Vec::new();
    }
    let (shown, total) = (rows.len(), grouped_count(outline.total));
    let columns = outline_columns(rows.iter().any(OutlineRow::has_label));
    let title = match (is_cut, shown < outline.total) {
        (false, false) => format!("Outline {columns}:"),
        (false, true) => format!("Outline {columns}; upper levels, {shown} of {total} entries (all: pdf_outline):"),
        (true, _) => format!("Outline {columns}; the first {shown} of {total} entries (all: pdf_outline):"),
    };
    let gap = outline.is_incomplete.then(|| "- (some entries could not be read)".to_owned());
    std::iter::once(title).chain(rows.iter().map(|row| row.line.clone())).chain(gap).collect()
}

fn metadata_lines(info: &DocumentInfo) -> Vec<String> {
    let facts = [
        ("Title", info.title.as_deref()),
        ("Author", info.author.as_deref()),
        ("Subject", info.subject.as_deref()),
        ("Keywords", info.keywords.as_deref()),
        ("Creator", info.creator.as_deref()),
        ("Producer", info.producer.as_deref()),
        ("Created", info.created.as_deref()),
        ("Modified", info.changed_later()),
    ];
    let clean = facts.into_iter().filter_map(|(name, value)| Some((name, one_line(value?))));
    clean.filter(|fact| !fact.1.is_empty()).map(|(name, value)| format!("{name}: {value}")).collect()
}

/// Entries of the outline that are read to choose levels.
const MAX_OUTLINE_READ: usize = 1_000;

/// Characters of the outline in a summary.
const MAX_OUTLINE_CHARACTERS: usize = 720;

/// How many levels of an outline fit, if at least one does.
fn fitting_levels(rows: &[OutlineRow], max_items: usize) -> Option<u32> {
    let deepest = rows.iter().map(|row| row.item.depth).max()?;
    let fits = |levels: &u32| {
        let within = rows.iter().filter(|row| row.item.depth < *levels);
        let (count, characters) =
            within.fold((0, 0), |(count, characters), row| (count + 1, characters + row.line.chars().count()));
        count <= max_items && characters <= MAX_OUTLINE_CHARACTERS
    };
    (1..=deepest.saturating_add(1).min(MAX_LEVELS)).rev().find(fits)
}

/// Levels of an outline that a summary tells apart.
const MAX_LEVELS: u32 = 20;

/// Sizes named in a summary.
const MAX_SIZES: usize = 3;

fn sizes_line(sample: &PageSample) -> Option<String> {
    if sample.sizes_pt.is_empty() {
        return None;
    }
    let mut line = String::from("Page size: ");
    for (at, (width, height)) in sample.sizes_pt.iter().take(MAX_SIZES).enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = write!(line, "{comma}{} x {} pt", points(*width), points(*height));
    }
    if sample.sizes_pt.len() > MAX_SIZES {
        line.push_str(" and others");
    }
    Some(line)
}

impl GivenForms {
    /// The value of `as` for what the client gets.
    pub(in crate::context) fn name(self) -> &'static str {
        if self.is_mixed { MIXED } else { form_name(self.form) }
    }

    /// Tokens of an average page.
    pub(in crate::context) fn mean_tokens(self, estimates: &[PageEstimate]) -> Option<u64> {
        mean(estimates.iter().filter_map(|page| self.tokens(page)))
    }
}

/// The value of `as` for text where it is complete, and else pictures or PDFs.
const MIXED: &str = "mixed";

/// The estimated tokens in each form, the cheapest first.
fn costs(estimates: &[PageEstimate], pages: u64, given: GivenForms) -> Vec<FormCost> {
    let best = if given.form == PageForm::Document { PageForm::Document } else { PageForm::Image };
    let plain = |form| GivenForms { form, is_mixed: false, with_text: given.with_text && form == given.form };
    let mixed = GivenForms { is_mixed: true, with_text: given.is_mixed && given.with_text, ..plain(best) };
    let usual = [plain(PageForm::Text), mixed, plain(best)];
    let other = Some(given).filter(|given| usual.iter().all(|form| form.name() != given.name()));
    let costs = usual.into_iter().chain(other).filter_map(|form| {
        let of_a_page = form.mean_tokens(estimates)?;
        let (name, of_all) = (form.name(), of_a_page.saturating_mul(pages));
        Some(FormCost { form: name, of_a_page, of_all, is_given: name == given.name() })
    });
    let mut costs = costs.collect::<Vec<_>>();
    costs.sort_by_key(|cost| cost.of_a_page);
    costs
}

/// Says how many tokens the document and an average page cost in each form.
fn cost_lines(estimates: &[PageEstimate], pages: u64, given: GivenForms) -> Vec<String> {
    let costs = costs(estimates, pages, given);
    let listed = costs.iter().map(|cost| {
        let given = if cost.is_given { " (what you get)" } else { "" };
        format!("{} as {}{given}", grouped(cost.of_all), cost.form)
    });
    let sampled = estimates.len();
    let is_sample = u64::try_from(sampled).is_ok_and(|sampled| sampled < pages);
    let basis = if is_sample { format!(", from {sampled} of them") } else { String::new() };
    let of_a_page = costs.iter().map(|cost| grouped(cost.of_a_page)).collect::<Vec<_>>().join(", ");
    let tokens = (!costs.is_empty()).then(|| {
        let listed = listed.collect::<Vec<_>>().join(", ");
        match pages {
            1 => format!("Estimated tokens of its page: {listed}"),
            _ => format!("Estimated tokens of all {pages} pages{basis}: {listed}; on average per page: {of_a_page}"),
        }
    });
    let has_files = matches!(given.form, PageForm::Document | PageForm::Path);
    let bytes = mean(estimates.iter().filter_map(|page| page.pdf_bytes)).filter(|_| has_files);
    let is_given = if given.form == PageForm::Path { " (what you get)" } else { "" };
    let bytes =
        bytes.map(|bytes| format!("A page as {}{is_given}: about {} bytes", form_name(given.form), grouped(bytes)));
    tokens.into_iter().chain(bytes).collect()
}

fn mean(values: impl Iterator<Item = u64>) -> Option<u64> {
    let values = values.collect::<Vec<_>>();
    let count = u64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some(values.iter().sum::<u64>().div_ceil(count))
}

fn grouped_count(count: usize) -> String {
    grouped(u64::try_from(count).unwrap_or(u64::MAX))
}

//! The summary of a PDF: what an agent reads before it asks for pages.

use std::fmt::Write;

use super::sample::PageSample;
use crate::context::annotations::attachment_line;
use crate::context::answer::PageEstimate;
use crate::context::phrases::{HOW_TO_READ_PAGES, grouped, one_line, outline_line, page_or_pages, points, untrusted};
use crate::context::request::{FileRequest, form_name};
use crate::document::{AnnotationCounts, DocumentInfo, Outline};
use crate::page::{PageIndex, PageSet};
use crate::view::PageForm;
use crate::worker::Pages;

/// The input of a summary.
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
    /// The summary's text.
    pub(crate) fn text(&self) -> String {
        let info = self.document.info();
        let outline = self.document.outline(MAX_OUTLINE_READ);
        let mut lines = vec![format!("PDF Document: {}", self.path), format!("Pages: {}", self.document.page_count())];
        let quoted = metadata_lines(&info);
        if !quoted.is_empty() || !outline.items.is_empty() || info.attachments > 0 {
            lines.push(untrusted(self.path));
        }
        lines.extend(quoted);
        lines.extend(self.property_lines(&info));
        lines.extend(self.outline_lines(&outline));
        lines.extend(self.sample_lines());
        lines.extend(self.held.iter().map(|held| format!("Already held in this conversation: {held}")));
        lines.extend(self.document.notes().iter().map(|note| format!("Note: {}", one_line(note))));
        lines.push(HOW_TO_READ_PAGES.to_owned());
        lines.join("\n")
    }

    fn property_lines(&self, info: &DocumentInfo) -> Vec<String> {
        let mut lines = vec![format!("File size: {} bytes", grouped(self.file_bytes))];
        if !info.pdf_version.is_empty() {
            lines.push(format!("PDF version: {}", one_line(&info.pdf_version)));
        }
        lines.extend(sizes_line(self.sample));
        lines.extend(self.labels_line(info));
        let flags = [(info.encrypted, "Encrypted: yes"), (info.signed, "Signed: yes"), (info.tagged, "Tagged: yes")];
        lines.extend(flags.into_iter().filter(|flag| flag.0).map(|flag| flag.1.to_owned()));
        if info.form_fields > 0 {
            let xfa = if info.is_xfa { " (XFA: some of the form may show only in readers of XFA)" } else { "" };
            lines.push(format!("Form fields: {}{xfa}", info.form_fields));
        }
        lines.extend(self.attachment_lines(info));
        lines.extend(count_lines(&self.document.annotation_counts(), self.document.page_count()));
        lines
    }

    /// The attachments by name, as many as fit.
    fn attachment_lines(&self, info: &DocumentInfo) -> Vec<String> {
        if info.attachments == 0 {
            return Vec::new();
        }
        let attachments = self.document.attachments(MAX_ATTACHMENTS);
        let mut lines = vec![format!("Attachments: {}", info.attachments)];
        lines.extend(attachments.items.iter().map(|file| format!("- {}", attachment_line(file, self.path))));
        let more = info.attachments.saturating_sub(attachments.items.len());
        lines.extend((more > 0).then(|| format!("- and {more} more: pdf_info")));
        lines
    }

    fn labels_line(&self, info: &DocumentInfo) -> Option<String> {
        if !info.has_page_labels {
            return None;
        }
        let label = |page: u32| self.document.page_label(PageIndex(page)).map(|label| one_line(&label.0));
        let first = label(0)?;
        let last = label(self.document.page_count().saturating_sub(1))?;
        Some(format!("Page labels: {first} to {last}"))
    }

    /// The upper levels of the outline, as many as fit.
    fn outline_lines(&self, outline: &Outline) -> Vec<String> {
        let leads_nowhere = outline.items.iter().all(|item| item.page.is_none());
        let lines = outline.items.iter().filter(|item| leads_nowhere || item.page.is_some()).map(|item| {
            let label = item.page.and_then(|page| self.document.page_label(page));
            (item.depth, outline_line(item, label.as_ref()))
        });
        let mut lines = lines.collect::<Vec<_>>();
        let read = lines.len();
        if let Some(levels) = fitting_levels(&lines, self.max_outline_items) {
            lines.retain(|(depth, _)| *depth < levels);
        }
        let mut left = MAX_OUTLINE_CHARACTERS;
        let fits = |(_, line): &&(u32, String)| {
            let rest = left.checked_sub(line.chars().count());
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let shown = lines.iter().take(self.max_outline_items).take_while(fits).count();
        if read == 0 {
            return Vec::new();
        }
        let is_cut = shown < lines.len();
        lines.truncate(shown);
        let title = match (is_cut, shown < outline.total) {
            (false, false) => "Outline:".to_owned(),
            (false, true) => format!(
                "Outline (upper levels, {shown} of {} entries; all: pdf_outline):",
                grouped_count(outline.total)
            ),
            (true, _) => {
                format!("Outline (the first {shown} of {} entries; all: pdf_outline):", grouped_count(outline.total))
            }
        };
        let gap = outline.is_incomplete.then(|| "- (some entries could not be read)".to_owned());
        std::iter::once(title).chain(lines.into_iter().map(|(_, line)| line)).chain(gap).collect()
    }

    fn sample_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let pages = u64::from(self.document.page_count());
        let looked_at = self.sample.looked_at.len();
        let scope = if looked_at < pages { format!(" (of {looked_at} pages looked at)") } else { String::new() };
        let unusable = [
            ("Without usable text (scans or blank)", &self.sample.without_text),
            ("Unreadable text (fonts that do not say which characters they show)", &self.sample.undecodable),
            ("Hidden text (left out of what you get)", &self.sample.hidden),
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

/// How many comments and links there are, and where.
fn count_lines(counts: &AnnotationCounts, pages: u32) -> Vec<String> {
    let scope = match counts.pages_read {
        read if read < pages => format!(" (of the first {} pages)", grouped(read.into())),
        _ => String::new(),
    };
    let line = |name: &str, count: usize, pages: &PageSet| {
        (count > 0).then(|| format!("{name}: {} on {}{scope}", grouped_count(count), page_or_pages(pages)))
    };
    let comments = line("Comments", counts.comments, &counts.pages_with_comments);
    let links = line("Links", counts.links, &counts.pages_with_links);
    comments.into_iter().chain(links).collect()
}

fn metadata_lines(info: &DocumentInfo) -> Vec<String> {
    let facts = [
        ("Title", &info.title),
        ("Author", &info.author),
        ("Subject", &info.subject),
        ("Keywords", &info.keywords),
        ("Creator", &info.creator),
        ("Producer", &info.producer),
        ("Created", &info.created),
        ("Modified", &info.modified),
    ];
    let clean = facts.into_iter().filter_map(|(name, value)| Some((name, one_line(value.as_deref()?))));
    clean.filter(|fact| !fact.1.is_empty()).map(|(name, value)| format!("{name}: {value}")).collect()
}

/// Entries of the outline that are read to choose levels.
const MAX_OUTLINE_READ: usize = 1_000;

/// Characters of the outline in a summary.
const MAX_OUTLINE_CHARACTERS: usize = 900;

/// How many levels of an outline fit, if at least one does.
fn fitting_levels(lines: &[(u32, String)], max_items: usize) -> Option<u32> {
    let deepest = lines.iter().map(|(depth, _)| *depth).max()?;
    let fits = |levels: &u32| {
        let within = lines.iter().filter(|(depth, _)| depth < levels);
        let (count, characters) =
            within.fold((0, 0), |(count, characters), (_, line)| (count + 1, characters + line.chars().count()));
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

/// The forms in which the client gets pages if it names none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GivenForms {
    form: PageForm,
    is_mixed: bool,
    with_text: bool,
}

impl GivenForms {
    pub(crate) fn of(request: &FileRequest) -> Self {
        Self { form: request.form, is_mixed: request.is_mixed, with_text: request.with_text }
    }

    /// The value of `as` for what the client gets.
    fn name(self) -> &'static str {
        if self.is_mixed { MIXED } else { form_name(self.form) }
    }

    /// What a page costs as this form. A provider charges a PDF page for its text and its picture.
    fn tokens(self, page: &PageEstimate) -> Option<u64> {
        match self.form {
            _ if self.is_mixed && page.is_complete_as_text => page.text_tokens,
            PageForm::Text | PageForm::Markdown => page.text_tokens,
            PageForm::Image if !self.with_text => page.image_tokens,
            PageForm::Image | PageForm::Document => Some(page.image_tokens?.saturating_add(page.text_tokens?)),
            PageForm::Path => None,
        }
    }
}

/// The value of `as` for text where it is complete, and else pictures or PDFs.
const MIXED: &str = "mixed";

/// Says how many tokens the document and an average page cost in each form, the cheapest form first.
fn cost_lines(estimates: &[PageEstimate], pages: u64, given: GivenForms) -> Vec<String> {
    let best = if given.form == PageForm::Document { PageForm::Document } else { PageForm::Image };
    let plain = |form| GivenForms { form, is_mixed: false, with_text: given.with_text && form == given.form };
    let mixed = GivenForms { is_mixed: true, with_text: given.is_mixed && given.with_text, ..plain(best) };
    let costs = [plain(PageForm::Text), mixed, plain(best)].into_iter().filter_map(|form| {
        let of_a_page = mean(estimates.iter().filter_map(|page| form.tokens(page)))?;
        Some((of_a_page, form.name()))
    });
    let mut costs = costs.collect::<Vec<_>>();
    costs.sort_by_key(|(of_a_page, _)| *of_a_page);
    let name = |form: &str| if form == given.name() { format!("{form} (what you get)") } else { form.to_owned() };
    let listed =
        costs.iter().map(|(of_a_page, form)| format!("{} as {}", grouped(of_a_page.saturating_mul(pages)), name(form)));
    let sampled = estimates.len();
    let is_sample = u64::try_from(sampled).is_ok_and(|sampled| sampled < pages);
    let basis = if is_sample { format!(", from {sampled} of them") } else { String::new() };
    let of_a_page = costs.iter().map(|(of_a_page, _)| grouped(*of_a_page)).collect::<Vec<_>>().join(", ");
    let tokens = (!costs.is_empty()).then(|| {
        let listed = listed.collect::<Vec<_>>().join(", ");
        format!("Estimated tokens of all {pages} pages{basis}: {listed}; of a page: {of_a_page}")
    });
    let has_files = matches!(given.form, PageForm::Document | PageForm::Path);
    let bytes = mean(estimates.iter().filter_map(|page| page.pdf_bytes)).filter(|_| has_files);
    let bytes = bytes.map(|bytes| format!("A page as {}: about {} bytes", form_name(given.form), grouped(bytes)));
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

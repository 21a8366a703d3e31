//! The summary of a PDF: what an agent reads before it asks for pages.

use std::fmt::Write;

use super::sample::PageSample;
use crate::context::answer::PageEstimate;
use crate::context::phrases::{HOW_TO_READ_PAGES, grouped, one_line, outline_line, page_or_pages, points, untrusted};
use crate::document::{DocumentInfo, Outline};
use crate::page::PageIndex;
use crate::worker::Pages;

/// The input of a summary.
pub(crate) struct SummaryInput<'a> {
    pub(crate) path: &'a str,
    pub(crate) file_bytes: u64,
    pub(crate) document: &'a dyn Pages,
    pub(crate) sample: &'a PageSample,
    /// What the conversation holds, one line per form.
    pub(crate) held: Vec<String>,
    pub(crate) max_outline_items: usize,
}

impl SummaryInput<'_> {
    /// The summary's text.
    pub(crate) fn text(&self) -> String {
        let info = self.document.info();
        let outline = self.document.outline(self.max_outline_items);
        let mut lines = vec![format!("PDF Document: {}", self.path), format!("Pages: {}", self.document.page_count())];
        let quoted = metadata_lines(&info);
        if !quoted.is_empty() || !outline.items.is_empty() {
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
        let counts = [(info.form_fields, "Form fields"), (info.attachments, "Attachments")];
        lines.extend(counts.into_iter().filter(|count| count.0 > 0).map(|(count, name)| format!("{name}: {count}")));
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

    fn outline_lines(&self, outline: &Outline) -> Vec<String> {
        if outline.items.is_empty() {
            return Vec::new();
        }
        let shown = outline.items.len();
        let title = match shown < outline.total {
            true => format!("Outline (the first {shown} of {} entries):", grouped_count(outline.total)),
            false => "Outline:".to_owned(),
        };
        let items = outline.items.iter().map(|item| {
            let label = item.page.and_then(|page| self.document.page_label(page));
            outline_line(item, label.as_ref())
        });
        let gap = outline.is_incomplete.then(|| "- (some entries could not be read)".to_owned());
        std::iter::once(title).chain(items).chain(gap).collect()
    }

    fn sample_lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let pages = u64::from(self.document.page_count());
        let looked_at = self.sample.looked_at.len();
        let scope = if looked_at < pages { format!(" (of {looked_at} pages looked at)") } else { String::new() };
        let unusable = [
            ("Without usable text (scans or blank)", &self.sample.without_text),
            ("Unreadable text (fonts that do not say which characters they show)", &self.sample.undecodable),
        ];
        let unusable = unusable.into_iter().filter(|(_, pages)| !pages.is_empty());
        lines.extend(unusable.map(|(what, pages)| format!("{what}{scope}: {}", page_or_pages(pages))));
        lines.extend(cost_line(&self.sample.estimates, pages));
        if let (true, Some(reason)) = (self.sample.can_cut, &self.sample.cut_failure) {
            lines.push(format!("Note: some pages come as text, because they cannot be cut: {}", one_line(reason)));
        }
        lines
    }
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

/// The estimated cost per page and, for tokens, of the whole document. Unknown values are left out.
fn cost_line(estimates: &[PageEstimate], pages: u64) -> Option<String> {
    let text = mean(estimates.iter().filter_map(|page| page.text_tokens));
    let image = mean(estimates.iter().filter_map(|page| page.image_tokens));
    let bytes = mean(estimates.iter().filter_map(|page| page.pdf_bytes));
    let costs = [(text, "text tokens"), (image, "image tokens"), (bytes, "bytes as PDF")];
    let of_a_page = list_costs(costs.iter().map(|(cost, unit)| (*cost, *unit)));
    let of_all =
        list_costs(costs.iter().take(2).map(|(cost, unit)| (cost.map(|cost| cost.saturating_mul(pages)), *unit)));
    let sampled = estimates.len();
    let is_sample = u64::try_from(sampled).is_ok_and(|sampled| sampled < pages);
    let basis = if is_sample { format!("a sample of {sampled} pages") } else { "all pages".to_owned() };
    let all = if of_all.is_empty() { String::new() } else { format!("; all {pages} pages: about {of_all}") };
    (!of_a_page.is_empty()).then(|| format!("Estimated cost of a page, from {basis}: {of_a_page}{all}"))
}

fn list_costs<'a>(costs: impl Iterator<Item = (Option<u64>, &'a str)>) -> String {
    let known = costs.filter_map(|(cost, unit)| Some(format!("{} {unit}", grouped(cost?))));
    known.collect::<Vec<_>>().join(", ")
}

fn mean(values: impl Iterator<Item = u64>) -> Option<u64> {
    let values = values.collect::<Vec<_>>();
    let count = u64::try_from(values.len()).ok().filter(|count| *count > 0)?;
    Some(values.iter().sum::<u64>().div_ceil(count))
}

fn grouped_count(count: usize) -> String {
    grouped(u64::try_from(count).unwrap_or(u64::MAX))
}

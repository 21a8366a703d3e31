//! The tool `pdf_outline`.

use std::num::NonZeroU64;

use serde_json::{Map, Value, json};

use super::arguments::OutlineArguments;
use crate::context::{OpenPdf, ResultBudget, json_length, one_line, outline_columns, outline_line, untrusted};
use crate::tool::arguments::ToolArguments as _;
use crate::tool::data_answer::DataAnswer;
use pagewise_base::page::PageLabel;
use pagewise_document::{Outline, OutlineItem};

/// Entries read of an outline.
const MAX_ENTRIES: usize = 5_000;

/// An outline, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineResult {
    /// The document, as the request named it.
    pub path: String,
    /// Entries of the outline.
    pub total: usize,
    /// The entries shown.
    pub entries: Vec<OutlineEntry>,
    /// Entries of the levels to show.
    pub of_levels: usize,
    /// Whether the result has room for no more.
    pub is_full: bool,
    /// Whether some entries could not be read.
    pub is_incomplete: bool,
}

/// An entry of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineEntry {
    /// Its title, depth and page.
    pub item: OutlineItem,
    /// The printed label of its page, if it differs from the number.
    pub label: Option<PageLabel>,
}

/// The outline of `pdf` with page numbers, cut to `budget`.
#[must_use]
pub fn outline(pdf: &OpenPdf, arguments: &OutlineArguments, budget: Option<ResultBudget>) -> OutlineResult {
    let Outline { mut items, total, is_incomplete } = pdf.document.outline(MAX_ENTRIES);
    let depth = arguments.depth.map_or(u64::MAX, NonZeroU64::get);
    items.retain(|item| u64::from(item.depth) < depth);
    let of_levels = items.len();
    items.truncate(arguments.max_items());
    let mut entries = items.into_iter().map(|item| OutlineEntry::of(pdf, item)).collect::<Vec<_>>();
    let fitting = budget.map_or(usize::MAX, |budget| fitting(&entries, budget));
    let is_full = fitting < entries.len();
    entries.truncate(fitting);
    OutlineResult { path: pdf.path.clone(), total, entries, of_levels, is_full, is_incomplete }
}

impl OutlineResult {
    /// The answer for a client.
    #[must_use]
    pub fn data(&self, arguments: &OutlineArguments) -> DataAnswer {
        let brief = self.entries.iter().map(OutlineEntry::brief).collect::<Vec<_>>();
        DataAnswer {
            text: self.text(arguments),
            structure: self.structure(),
            brief: json!({ "entries": self.total, "items": brief }),
        }
    }

    /// The outline as data.
    #[must_use]
    pub fn structure(&self) -> Value {
        json!({
            "path": self.path,
            "entries": self.total,
            "items": self.entries.iter().map(OutlineEntry::structure).collect::<Vec<_>>(),
            "isIncomplete": self.is_incomplete,
        })
    }

    /// Whether the outline has more entries of these levels.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.entries.len() < self.of_levels
    }

    /// Whether the outline has more entries than are read.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.total > MAX_ENTRIES
    }

    fn text(&self, arguments: &OutlineArguments) -> String {
        let columns = outline_columns(self.entries.iter().any(|entry| entry.label.is_some()));
        let mut lines = vec![match self.total {
            0 => format!("{} has no outline: find pages with pdf_search.", self.path),
            total => {
                let depth = arguments.depth.filter(|_| self.of_levels < total);
                let levels = depth.map(|depth| format!(", {} of them down to depth {depth}", self.of_levels));
                format!("Outline of {}: {total} entries{} {columns}", self.path, levels.unwrap_or_default())
            }
        }];
        lines.extend((!self.entries.is_empty()).then(|| untrusted(&self.path)));
        lines.extend(self.entries.iter().map(OutlineEntry::line));
        lines.extend(self.next(arguments).map(|next| format!("[{} {next}]", self.first())));
        lines.extend(self.is_incomplete.then(|| "[Some entries could not be read.]".to_owned()));
        lines.join("\n")
    }

    /// How to read the entries that are left out.
    fn next(&self, arguments: &OutlineArguments) -> Option<String> {
        if self.is_full {
            let section = "To read any section, call get_file with pages: \"section:TITLE\".";
            return Some(format!("The result has room for no more (max_result_bytes). {section}"));
        }
        if self.is_cut() {
            let all = self.of_levels;
            let next = arguments.next_call(&[("max_items", all.into())]);
            let has_levels = arguments.depth.is_none_or(|depth| depth.get() > 1);
            let top = if has_levels { " Or ask with depth: 1 for the top level alone." } else { "" };
            return Some(format!("{next}{top}"));
        }
        self.is_too_long().then(|| "No more entries are read.".to_owned())
    }

    /// How far a cut outline goes.
    fn first(&self) -> String {
        let page = self.entries.iter().rev().find_map(|entry| entry.item.page);
        let up_to = page.map(|page| format!(", up to page {}", page.number())).unwrap_or_default();
        format!("Only the first {} entries are shown{up_to}.", self.entries.len())
    }
}

/// How many leading entries fit, in the text and in the structure.
fn fitting(entries: &[OutlineEntry], budget: ResultBudget) -> usize {
    let mut left = budget.bytes();
    let fits = |entry: &&OutlineEntry| {
        let cost = json_length(&entry.line()).saturating_add(json_length(&entry.brief()));
        let rest = left.checked_sub(cost);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    entries.iter().take_while(fits).count()
}

impl OutlineEntry {
    fn of(pdf: &OpenPdf, item: OutlineItem) -> Self {
        let label = item.page.and_then(|page| Some((page, pdf.document.page_label(page)?)));
        let label = label.filter(|(page, label)| label.0 != page.number().to_string()).map(|(_, label)| label);
        Self { item, label }
    }

    fn line(&self) -> String {
        outline_line(&self.item, self.label.as_ref())
    }

    /// `[depth, title, page, label]`.
    fn brief(&self) -> Value {
        let mut entry = vec![json!(self.item.depth), json!(one_line(&self.item.title))];
        entry.extend(self.item.page.map(|page| json!(page.number().get())));
        entry.extend(self.label.as_ref().map(|label| json!(label.0)));
        Value::Array(entry)
    }

    fn structure(&self) -> Value {
        let mut entry = Map::new();
        entry.insert("title".into(), json!(self.item.title));
        entry.insert("depth".into(), json!(self.item.depth));
        if let Some(page) = self.item.page {
            entry.insert("page".into(), json!(page.number().get()));
        }
        if let Some(label) = &self.label {
            entry.insert("label".into(), json!(label.0));
        }
        Value::Object(entry)
    }
}

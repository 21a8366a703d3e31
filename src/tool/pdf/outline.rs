//! The tool `pdf_outline`.

use serde_json::{Map, Value, json};

use crate::context::{OpenPdf, Outline, OutlineItem, ResultBudget, json_length, one_line, outline_line, untrusted};
use crate::page::PageLabel;
use crate::tool::data_answer::DataAnswer;

/// Entries read of an outline.
const MAX_ENTRIES: usize = 5_000;

/// The part of an outline to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownOutline {
    /// Levels, the top one being 1.
    pub levels: u64,
    /// Entries.
    pub max_items: u64,
}

impl ShownOutline {
    /// Everything that can be read.
    pub const WHOLE: Self = Self { levels: u64::MAX, max_items: u64::MAX };
}

/// The outline of `pdf` with page numbers, cut to `budget`.
#[must_use]
pub fn outline(pdf: &OpenPdf, wanted: ShownOutline, budget: Option<ResultBudget>) -> DataAnswer {
    let Outline { mut items, total, is_incomplete } = pdf.document.outline(MAX_ENTRIES);
    items.retain(|item| u64::from(item.depth) < wanted.levels);
    let of_levels = items.len();
    items.truncate(usize::try_from(wanted.max_items).unwrap_or(usize::MAX));
    let before_budget = items.len();
    if let Some(budget) = budget {
        items.truncate(fitting(pdf, &items, budget));
    }
    let shown = items.len();
    let mut lines = vec![format!("Outline of {}: {total} entries", pdf.path)];
    if shown > 0 {
        lines.push(untrusted(&pdf.path));
    }
    lines.extend(items.iter().map(|item| line(pdf, item)));
    if shown < before_budget {
        let budget = "The result has room for no more (max_result_bytes).";
        lines.push(format!(
            "[{} {budget} To read any section, call get_file with pages: \"section:TITLE\".]",
            first(&items)
        ));
    } else if shown < of_levels {
        let next = format!("Next call: pdf_outline with depth: 1, or with max_items: {of_levels}.");
        lines.push(format!("[{} {next}]", first(&items)));
    } else if total > MAX_ENTRIES {
        lines.push(format!("[{} No more entries are read.]", first(&items)));
    }
    lines.extend(is_incomplete.then(|| "[Some entries could not be read.]".to_owned()));
    let structure = json!({
        "path": pdf.path,
        "entries": total,
        "items": items.iter().map(|item| structure(pdf, item)).collect::<Vec<_>>(),
        "isIncomplete": is_incomplete,
    });
    let brief = json!({ "entries": total, "items": items.iter().map(|item| brief(pdf, item)).collect::<Vec<_>>() });
    DataAnswer { text: lines.join("\n"), structure, brief }
}

/// How far a cut outline goes.
fn first(items: &[OutlineItem]) -> String {
    let page = items.iter().rev().find_map(|item| item.page);
    let up_to = page.map(|page| format!(", up to page {}", page.number())).unwrap_or_default();
    format!("Only the first {} entries are shown{up_to}.", items.len())
}

/// An entry as `[depth, title, page, label]`.
fn brief(pdf: &OpenPdf, item: &OutlineItem) -> Value {
    let mut entry = vec![json!(item.depth), json!(one_line(&item.title))];
    entry.extend(item.page.map(|page| json!(page.number().get())));
    entry.extend(label(pdf, item).map(|label| json!(label.0)));
    Value::Array(entry)
}

/// How many leading entries fit, in the text and in the structure.
fn fitting(pdf: &OpenPdf, items: &[OutlineItem], budget: ResultBudget) -> usize {
    let mut left = budget.bytes();
    let fits = |item: &&OutlineItem| {
        let cost = json_length(&line(pdf, item)).saturating_add(json_length(&brief(pdf, item)));
        let rest = left.checked_sub(cost);
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    items.iter().take_while(fits).count()
}

fn line(pdf: &OpenPdf, item: &OutlineItem) -> String {
    outline_line(item, label(pdf, item).as_ref())
}

/// The printed label of the entry's page, if it differs from the number.
fn label(pdf: &OpenPdf, item: &OutlineItem) -> Option<PageLabel> {
    let page = item.page?;
    pdf.document.page_label(page).filter(|label| label.0 != page.number().to_string())
}

fn structure(pdf: &OpenPdf, item: &OutlineItem) -> Value {
    let mut entry = Map::new();
    entry.insert("title".into(), json!(item.title));
    entry.insert("depth".into(), json!(item.depth));
    if let Some(page) = item.page {
        entry.insert("page".into(), json!(page.number().get()));
    }
    if let Some(label) = label(pdf, item) {
        entry.insert("label".into(), json!(label.0));
    }
    Value::Object(entry)
}

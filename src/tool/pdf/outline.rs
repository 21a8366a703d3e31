//! The tool `pdf_outline`.

use serde_json::{Map, Value, json};

use crate::context::{OpenPdf, OutlineItem, ResultBudget, json_length, outline_line, untrusted};
use crate::page::PageLabel;
use crate::tool::data_answer::DataAnswer;

/// Entries in one answer.
const MAX_ENTRIES: usize = 5_000;

/// The outline of `pdf` with page numbers, cut to `budget`.
#[must_use]
pub fn outline(pdf: &OpenPdf, budget: Option<ResultBudget>) -> DataAnswer {
    let mut outline = pdf.document.outline(MAX_ENTRIES);
    let read = outline.items.len();
    if let Some(budget) = budget {
        outline.items.truncate(fitting(pdf, &outline.items, budget));
    }
    let (shown, total) = (outline.items.len(), outline.total);
    let mut lines = vec![format!("Outline of {}: {total} entries", pdf.path)];
    if shown > 0 {
        lines.push(untrusted(&pdf.path));
    }
    lines.extend(outline.items.iter().map(|item| line(pdf, item)));
    lines.extend((shown < total).then(|| format!("[The first {shown} of {total} entries are shown.]")));
    lines.extend((shown < read).then(|| {
        let budget = "The result has room for no more (max_result_bytes).";
        format!("[{budget} To read any section, call get_file with pages: \"section:TITLE\".]")
    }));
    lines.extend(outline.is_incomplete.then(|| "[Some entries could not be read.]".to_owned()));
    let structure = json!({
        "path": pdf.path,
        "entries": total,
        "items": outline.items.iter().map(|item| structure(pdf, item)).collect::<Vec<_>>(),
        "isIncomplete": outline.is_incomplete,
    });
    DataAnswer { text: lines.join("\n"), structure }
}

/// How many leading entries fit, in the text and in the structure.
fn fitting(pdf: &OpenPdf, items: &[OutlineItem], budget: ResultBudget) -> usize {
    let mut left = budget.bytes();
    let fits = |item: &&OutlineItem| {
        let cost = json_length(&line(pdf, item)).saturating_add(json_length(&structure(pdf, item)));
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

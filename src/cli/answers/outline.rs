//! The text of `pagewise outline`.

use crate::cli::answers::info::entries;
use crate::cli::terminal::screen::{Part, Screen};
use crate::cli::terminal::table::{Column, Table};
use crate::cli::terminal::wording::command;
use crate::context::one_line;
use crate::tool::OutlineResult;
use pagewise_base::page::PageLabel;
use pagewise_document::OutlineItem;

/// Levels that are indented.
const MAX_INDENTED: u32 = 20;

/// The entries, a line each: page, printed label, title.
pub(crate) fn text(outline: &OutlineResult, screen: Screen) -> String {
    let mut table = Table::new([Column::right("").of(Part::Page), Column::right("").of(Part::Faint), Column::left("")]);
    outline.entries.iter().for_each(|entry| table.add(row(&entry.item, entry.label.as_ref())));
    table.text(screen)
}

/// The page of an entry, its label if that differs, and the title, indented by its depth.
pub(crate) fn row(item: &OutlineItem, label: Option<&PageLabel>) -> [String; 3] {
    let indent = "  ".repeat(usize::try_from(item.depth.min(MAX_INDENTED)).unwrap_or_default());
    let page = item.page.map_or_else(|| "-".to_owned(), |page| page.number().to_string());
    let label = label
        .filter(|label| label.0 != page && label.0 != item.title)
        .map(|label| one_line(&label.0))
        .unwrap_or_default();
    [page, label, format!("{indent}{}", one_line(&item.title))]
}

/// What the text leaves out.
pub(crate) fn notes(outline: &OutlineResult) -> Vec<String> {
    let none = (outline.total == 0).then(|| "the document has no outline".to_owned());
    let shown = outline.entries.len();
    let cut = outline.is_cut().then(|| {
        let all = command(&[&"outline", &outline.path, &"--max-items", &outline.of_levels]);
        format!("{} of {} are shown; all: {all}", shown, entries(outline.of_levels))
    });
    let long = (cut.is_none() && outline.is_too_long())
        .then(|| format!("{} of {} are shown; no more are read", shown, entries(outline.total)));
    let incomplete = outline.is_incomplete.then(|| "some entries could not be read".to_owned());
    [none, cut, long, incomplete].into_iter().flatten().collect()
}

//! What `page`, `split` and `render` wrote.

use std::path::Path;

use crate::cli::terminal::wording::{counted, folder, path, size};
use crate::context::{one_line, page_or_pages};
use crate::tool::{
    FailedPage, JoinResult, PageResult, RenderResult, RenderedPages, SheetResult, SplitResult, TextLayerResult,
};
use pagewise_base::page::{PageNumber, PageSet};

/// One page in a file.
pub(crate) fn page(result: &PageResult) -> String {
    written(&named(&result.page.to_string()), result.pages, path(&result.file), result.bytes)
}

/// Several pages in one file.
pub(crate) fn joined(result: &JoinResult) -> String {
    written(&named(&result.page_numbers), result.pages, path(&result.file), result.bytes)
}

/// Pages in a file each.
pub(crate) fn split(result: &SplitResult) -> String {
    let SplitResult { written, bytes, out_dir, .. } = result;
    format!("{} written to {}: {}", counted(*written, "page"), folder(out_dir), size(*bytes))
}

/// What `split` did not do.
pub(crate) fn split_notes(result: &SplitResult) -> Vec<String> {
    let interrupted = result.interrupted.then(|| "interrupted: the other pages were not written".to_owned());
    failures(&result.failed).chain(result.notes.iter().cloned()).chain(interrupted).collect()
}

/// A document with the text of its scans.
pub(crate) fn text_layer(result: &TextLayerResult) -> String {
    let recognised = usize::try_from(result.sources.recognised).unwrap_or(usize::MAX);
    let (file, size) = (path(&result.file), size(result.bytes));
    match (recognised, result.sources.unread) {
        (0, 0) => format!("No page needed OCR. Copied to {file}: {size}"),
        (0, _) => format!("No page could be read by OCR. Copied to {file}: {size}"),
        _ => format!("{} of {} read by OCR, written to {file}: {size}", counted(recognised, "page"), result.pages),
    }
}

pub(crate) fn picture(result: &RenderResult) -> String {
    let label = result.label.as_ref().filter(|label| **label != result.page.to_string());
    let label = label.map(|label| format!(" (label {})", one_line(label))).unwrap_or_default();
    let text = written(&format!("Page {}{label}", result.page), result.pages, path(&result.file), result.bytes);
    format!("{text}, {} × {} pixels, {} dpi", result.width, result.height, result.dpi)
}

/// Pictures of several pages.
pub(crate) fn pictures(result: &RenderedPages, out: &Path) -> String {
    let numbers = result.pictures.iter().filter_map(|picture| PageNumber::new(picture.page));
    let numbers = numbers.map(PageNumber::index).collect::<PageSet>();
    let bytes = result.pictures.iter().map(|picture| picture.bytes).sum();
    match result.pictures.len() {
        0 => "No page was drawn".to_owned(),
        _ => written(&named(&numbers.to_string()), result.pages, folder(out), bytes),
    }
}

/// What `render` did not do, and notes on the pages that it drew.
pub(crate) fn pictures_notes(result: &RenderedPages) -> Vec<String> {
    let interrupted = result.interrupted.then(|| "interrupted: the other pages were not drawn".to_owned());
    let notes = result.notes.iter().cloned().chain(result.page_notes());
    failures(&result.failed).chain(notes).chain(interrupted).collect()
}

/// Pages side by side.
pub(crate) fn sheet(result: &SheetResult) -> String {
    let text = written(&named(&result.page_numbers), result.pages, path(&result.file), result.bytes);
    format!("{text}, {} × {} pixels", result.width, result.height)
}

pub(crate) fn sheet_notes(result: &SheetResult) -> Vec<String> {
    failures(&result.failed).chain(result.notes.iter().cloned()).collect()
}

/// `Page 3`, `Pages 3-4`.
fn named(numbers: &str) -> String {
    let noun = if numbers.contains([',', '-']) { "Pages" } else { "Page" };
    format!("{noun} {numbers}")
}

fn written(pages: &str, of: u32, to: String, bytes: usize) -> String {
    format!("{pages} of {of} written to {to}: {}", size(bytes))
}

/// Pages that failed, those that failed alike on one line.
fn failures(failed: &[FailedPage]) -> impl Iterator<Item = String> + '_ {
    let mut reasons: Vec<(&str, PageSet)> = Vec::new();
    for FailedPage { page, reason } in failed {
        let Some(page) = PageNumber::new(*page).map(PageNumber::index) else { continue };
        let is_full = reasons.len() == MAX_REASONS;
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, pages)) => pages.insert(page),
            None if is_full => {}
            None => reasons.push((reason, [page].into_iter().collect())),
        }
    }
    let named: u64 = reasons.iter().map(|(_, pages)| pages.len()).sum();
    let more = u64::try_from(failed.len()).unwrap_or(u64::MAX).saturating_sub(named);
    let more = (more > 0).then(|| format!("{more} more pages failed, for other reasons"));
    reasons
        .into_iter()
        .map(|(reason, pages)| format!("{} failed: {}", page_or_pages(&pages), one_line(reason)))
        .chain(more)
}

/// Reasons that are told apart.
const MAX_REASONS: usize = 20;

//! What was written to files.

use std::path::Path;

use crate::cli::terminal::wording::{counted, folder, path, size};
use crate::context::one_line;
use crate::tool::{ImagesResult, ListedImage, WrittenAttachments, WrittenFile};

pub(crate) fn text(file: &WrittenFile, pages: usize) -> String {
    format!("Text of {} written to {}: {}", counted(pages, "page"), path(&file.file), size(file.bytes))
}

/// Tables in a file, or in files of a folder.
pub(crate) fn tables(files: &[WrittenFile], tables: usize, out: &Path) -> String {
    let bytes = files.iter().map(|file| file.bytes).sum();
    let is_file = files.first().is_some_and(|file| file.file == out);
    let to = if is_file { path(out) } else { folder(out) };
    format!("{} written to {to}: {}", counted(tables, "table"), size(bytes))
}

/// Images, one a line, and where they were written.
pub(crate) fn images(found: &ImagesResult, out: Option<&Path>) -> String {
    if found.images.is_empty() {
        return "No images".to_owned();
    }
    let line = |image: &ListedImage| match &image.file {
        Some(file) => format!("  {}  {}", path(file), image.line()),
        None => image.line(),
    };
    let bytes = found.images.iter().filter_map(|image| image.bytes).sum();
    let written = |out| format!("{} written to {}: {}", counted(found.images.len(), "image"), folder(out), size(bytes));
    out.map(written).into_iter().chain(found.images.iter().map(line)).collect::<Vec<_>>().join("\n")
}

/// How many images were written to a folder.
pub(crate) fn pictures(found: &ImagesResult, out: &Path) -> String {
    let bytes = found.images.iter().filter_map(|image| image.bytes).sum();
    format!("{} written to {}: {}", counted(found.images.len(), "image"), folder(out), size(bytes))
}

/// Attachments in files of a folder, one a line.
pub(crate) fn attachments(written: &WrittenAttachments, out: &Path) -> String {
    if written.files.is_empty() && written.failed.is_empty() {
        return "No files are attached".to_owned();
    }
    let bytes = written.files.iter().map(|file| file.bytes).sum();
    let all = format!("{} written to {}: {}", counted(written.files.len(), "attachment"), folder(out), size(bytes));
    let files = written.files.iter().map(|file| format!("  {}  {}", path(&file.file), size(file.bytes)));
    std::iter::once(all).chain(files).collect::<Vec<_>>().join("\n")
}

pub(crate) fn attachments_notes(written: &WrittenAttachments) -> Vec<String> {
    let failed = written.failed.iter().map(|(name, reason)| format!("{}: {}", one_line(name), one_line(reason)));
    let left =
        (written.left > 0).then(|| format!("{} more: name one to write it", counted(written.left, "attachment")));
    failed.chain(left).collect()
}

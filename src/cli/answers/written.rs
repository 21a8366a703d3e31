//! What was written to files.

use std::path::Path;

use crate::cli::terminal::wording::{counted, path, size};
use crate::tool::WrittenFile;

/// A text in a file.
pub(crate) fn text(file: &WrittenFile, pages: usize) -> String {
    format!("Text of {} written to {}: {}", counted(pages, "page"), path(&file.file), size(file.bytes))
}

/// Tables in files of a folder.
pub(crate) fn tables(files: &[WrittenFile], folder: &Path) -> String {
    let bytes = files.iter().map(|file| file.bytes).sum();
    format!("{} written to {}: {}", counted(files.len(), "table"), path(folder), size(bytes))
}

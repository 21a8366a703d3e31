//! Texts and tables as files.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::page::write_failed;
use super::tables::{TableFormat, TablesResult};
use crate::context::write_whole;
use crate::tool::error::ToolError;

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WrittenFile {
    /// Its path.
    pub file: PathBuf,
    /// Its size.
    pub bytes: usize,
}

/// Writes a text with a line end to `out`, atomically.
///
/// # Errors
/// `write_failed`.
pub fn write_text(out: &Path, text: &str) -> Result<WrittenFile, ToolError> {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let text = format!("{text}{end}");
    write_whole(out, text.as_bytes()).map_err(|error| write_failed(out, &error))?;
    Ok(WrittenFile { file: out.to_owned(), bytes: text.len() })
}

/// Writes each table to a file in `folder`, named after the page on which it begins and its number there. The folder is
/// made if it is missing.
///
/// # Errors
/// `write_failed`.
pub fn write_tables(tables: &TablesResult, format: TableFormat, folder: &Path) -> Result<Vec<WrittenFile>, ToolError> {
    std::fs::create_dir_all(folder).map_err(|error| write_failed(folder, &error))?;
    let extension = match format {
        TableFormat::Csv => "csv",
        TableFormat::Markdown => "md",
        TableFormat::Html => "html",
    };
    let (mut files, mut page, mut number) = (Vec::new(), 0, 0);
    for (first_page, text) in tables.texts(format) {
        number = if first_page == page { number + 1 } else { 1 };
        page = first_page;
        files.push(write_text(&folder.join(format!("page{page}-table{number}.{extension}")), &text)?);
    }
    Ok(files)
}

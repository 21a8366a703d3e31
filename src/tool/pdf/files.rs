//! Texts, tables and attachments as files.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::page::write_failed;
use super::tables::{TableFormat, TablesResult};
use crate::context::{ContextError, OpenPdf, ProgressListener, write_whole};
use crate::tool::error::{ErrorCode, ToolError};

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

/// Writes all tables to the file `out`, if its ending names a format; else each to a file in the folder `out`, named after the
/// page on which it begins and its number there. A missing folder is made. Tables are CSV if neither `format` nor the ending
/// says otherwise.
///
/// # Errors
/// `write_failed`.
pub fn write_tables(
    tables: &TablesResult,
    format: Option<TableFormat>,
    out: &Path,
) -> Result<Vec<WrittenFile>, ToolError> {
    let ending = out.extension().and_then(|ending| ending.to_str()).and_then(TableFormat::of_ending);
    let format = format.or(ending).unwrap_or(TableFormat::Csv);
    if ending.is_some() {
        return Ok(vec![write_text(out, &tables.text(format))?]);
    }
    std::fs::create_dir_all(out).map_err(|error| write_failed(out, &error))?;
    let (mut files, mut page, mut number) = (Vec::new(), 0, 0);
    for (first_page, text) in tables.texts(format) {
        number = if first_page == page { number + 1 } else { 1 };
        page = first_page;
        files.push(write_text(&out.join(format!("page{page}-table{number}.{}", format.ending())), &text)?);
    }
    Ok(files)
}

/// Maximum number of attachments that are written at once.
const MAX_ATTACHMENTS: usize = 1_000;

/// The attachments of a document in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct WrittenAttachments {
    /// The files, as the document lists them.
    pub files: Vec<WrittenFile>,
    /// The names of attachments that could not be written, and why.
    pub failed: Vec<(String, String)>,
    /// Attachments beyond those of one call.
    pub left: usize,
}

/// Writes the attachments of a document to `folder`, or the one called `name`. A missing folder is made if there are any.
///
/// # Errors
/// If the folder cannot be made, or the document has no attachment called `name` or cannot decode it.
pub fn write_attachments(
    pdf: &OpenPdf,
    name: Option<&str>,
    folder: &Path,
    progress: &dyn ProgressListener,
) -> Result<WrittenAttachments, ToolError> {
    let listed = pdf.document.attachments(MAX_ATTACHMENTS);
    let mut names = listed.items.into_iter().map(|file| file.name).collect::<Vec<_>>();
    let mut written =
        WrittenAttachments { left: listed.total.saturating_sub(names.len()), ..WrittenAttachments::default() };
    if let Some(name) = name {
        if !names.iter().any(|known| known == name) {
            let (path, name) = (pdf.path.clone(), name.to_owned());
            return Err(ContextError::NoAttachment { path, name, names, total: listed.total }.into());
        }
        (names, written.left) = (vec![name.to_owned()], 0);
    }
    if !names.is_empty() {
        std::fs::create_dir_all(folder).map_err(|error| write_failed(folder, &error))?;
    }
    progress.starts(u64::try_from(names.len()).unwrap_or(u64::MAX));
    let mut taken = HashSet::new();
    for attachment in names.into_iter().take_while(|_| !progress.is_stopped()) {
        pdf.check()?;
        if !taken.insert(file_name(&attachment)) {
            written.failed.push((attachment, "another attachment has this file name".to_owned()));
            continue;
        }
        match write_attachment(pdf, &attachment, folder) {
            Ok(file) => written.files.push(file),
            Err(error) if name.is_some() => return Err(error),
            Err(error) => written.failed.push((attachment, error.message)),
        }
        progress.page_done();
    }
    Ok(written)
}

/// A name as one of a visible file: it is no path, whatever the document says.
fn file_name(name: &str) -> String {
    let name = name.replace(['/', '\\', ':'], "_");
    let name = name.trim_start_matches('.');
    if name.is_empty() { "attachment".to_owned() } else { name.to_owned() }
}

fn write_attachment(pdf: &OpenPdf, name: &str, folder: &Path) -> Result<WrittenFile, ToolError> {
    let failed = |error| ContextError::Pdf { path: pdf.path.clone(), error };
    let bytes = pdf.document.attachment(name).map_err(failed)?.unwrap_or_default();
    let file = folder.join(file_name(name));
    if pdf.is_at(&file) {
        return Err(ToolError::new(ErrorCode::WriteFailed, "it has the name of the document, which is never replaced")
            .command_hint("Name another folder with --out-dir."));
    }
    write_whole(&file, &bytes).map_err(|error| write_failed(&file, &error))?;
    Ok(WrittenFile { file, bytes: bytes.len() })
}

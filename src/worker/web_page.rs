//! Reads files that are no PDFs.

use super::pages::PdfError;
use pagewise_charset::decode_text;
use pagewise_document::ReadAt;
use pagewise_web::html::{ReadablePage, convert_page};

/// Converts the web page in `file` to Markdown, in this process.
pub(super) fn read_web_page(
    file: &dyn ReadAt,
    content_type: Option<&str>,
    base: &str,
) -> Result<ReadablePage, PdfError> {
    Ok(convert_page(&decode_text(&read_whole_file(file)?, content_type), base))
}

/// All bytes of a file.
pub(super) fn read_whole_file(file: &dyn ReadAt) -> Result<Vec<u8>, PdfError> {
    let length = usize::try_from(file.len()).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    bytes.resize(length, 0);
    file.read_at(0, &mut bytes)?;
    Ok(bytes)
}

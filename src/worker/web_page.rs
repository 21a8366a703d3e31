//! Converts a web page in a file.

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
    let length = usize::try_from(file.len()).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    bytes.resize(length, 0);
    file.read_at(0, &mut bytes)?;
    Ok(convert_page(&decode_text(&bytes, content_type), base))
}

//! The fallback engine: pdf-extract, which has its own reader.

use super::TextError;
use super::layout::hyphens::join_words;
use super::normalize::normalize_text;
use bytes::Bytes;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_base::page::PageIndex;
use pdf_extract::{ConvertToFmt, OutputError, PlainTextOutput};
use std::fmt;

/// The text of one page of a file, and the positions where hyphens were removed.
pub(super) fn extract_page(file: Bytes, index: PageIndex, limits: &Limits) -> Result<(String, Vec<u64>), TextError> {
    let document = pdf_extract::Document::load_mem(&file).map_err(|error| unreadable(&error))?;
    let mut text = BoundedText { text: String::new(), left: limits.max_text_bytes, is_full: false };
    let mut output = PlainTextOutput::new(&mut text);
    let written = pdf_extract::output_doc_page(&document, &mut output, index.number().get());
    if text.is_full {
        let limit = limits.max_text_bytes;
        return Err(LimitExceeded { which: Limit::TextBytes, limit, found: limit.saturating_add(1) }.into());
    }
    written.map_err(|error: OutputError| unreadable(&error))?;
    Ok(join_words(&normalize_text(&text.text)))
}

fn unreadable(error: &dyn fmt::Display) -> TextError {
    TextError::Unreadable { reason: error.to_string().chars().filter(|character| !character.is_control()).collect() }
}

/// A text buffer with a limit. Exceeding it is an error, which ends the extraction.
struct BoundedText {
    text: String,
    left: u64,
    is_full: bool,
}

impl fmt::Write for &mut BoundedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        match self.left.checked_sub(more.len() as u64) {
            Some(left) => self.left = left,
            None => self.is_full = true,
        }
        if self.is_full {
            return Err(fmt::Error);
        }
        self.text.push_str(more);
        Ok(())
    }
}

impl ConvertToFmt for &mut BoundedText {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}

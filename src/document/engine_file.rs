//! Prepares a file for an engine with its own reader: decrypted, with generated appearances.

use super::appearances::GeneratedAppearances;
use super::object::ObjectId;
use super::structure::has_media_box;
use super::{Document, DocumentError, Leaf, ParsedDocument, Tier, appearances};
use bytes::Bytes;
use memchr::memmem;
use pagewise_base::page::PageIndex;

/// What the data of a stream follow.
const KEYWORD: &[u8] = b"stream";

/// A file that an engine can draw.
pub struct EngineFile {
    pub file: Bytes,
    /// Appearances that were generated for the page.
    pub generated: GeneratedAppearances,
}

impl Document {
    /// The file for drawing one page.
    ///
    /// # Errors
    /// [`DocumentError::UnsupportedEncryption`] if the whole file cannot be decrypted, and any error of reading it.
    pub fn engine_file(&self, index: PageIndex) -> Result<EngineFile, DocumentError> {
        let file = if self.is_encrypted() { self.readers.decrypt()?.into() } else { self.readers.file().whole()? };
        let result = appearances::generate_appearances(self, index, &file);
        let (file, generated) = result.unwrap_or((file, GeneratedAppearances::default()));
        Ok(EngineFile { file, generated })
    }

    /// The unchanged file and the id of the page object, if the file is sound and the page needs no generated
    /// appearances. The caller checks size and encryption.
    pub fn original_engine_file(&self, index: PageIndex) -> Option<(Bytes, ObjectId)> {
        let leaf = |parsed: &ParsedDocument, leaf: &Leaf| match leaf.id {
            // The engine assumes another media box than we do.
            Some(id) if parsed.tier == Tier::Direct && has_media_box(&*parsed.objects, leaf)? => Ok(id),
            _ => Err(DocumentError::damaged("a page that only other readers find")),
        };
        let (id, _) = self.with_page(index, leaf, |_| false).ok()?;
        if appearances::lack_appearances(self, index) {
            return None;
        }
        Some((self.readers.file().whole().ok()?, id))
    }

    /// The length of the file in bytes; `None` if it is encrypted.
    pub fn unencrypted_length(&self) -> Option<u64> {
        (!self.is_encrypted()).then(|| self.readers.file().len())
    }
}

/// Whether the data of every stream begin on the line after the keyword (ISO 32000-2, 7.3.8.1). Some producers write a space
/// between, and the engine finds nothing in their streams.
#[must_use]
pub fn streams_begin_on_lines(file: &[u8]) -> bool {
    memmem::find_iter(file, KEYWORD).all(|at| {
        let (before, after) = file.split_at(at);
        let data = after.get(KEYWORD.len()..).unwrap_or_default();
        // Elsewhere the word is text.
        let is_keyword = before.trim_ascii_end().ends_with(b">>");
        !is_keyword || data.starts_with(b"\n") || data.starts_with(b"\r\n")
    })
}

#[cfg(test)]
mod tests {
    use super::streams_begin_on_lines;

    #[test]
    fn the_data_of_a_stream_begin_on_the_line_after_its_keyword() {
        let sound = b"<<>>stream\nx\nendstream << /A << >> >>\nstream\r\nx\nendstream (a stream of words)";
        assert!(streams_begin_on_lines(sound));
        for file in [b"<<>> stream \nx".as_slice(), b"<<>>stream\rx", b"<<>>\nstream"] {
            assert!(!streams_begin_on_lines(file));
        }
    }
}

//! Prepares a file for an engine with its own reader: decrypted, with damage in the content removed, and with generated
//! appearances.

use super::appearances::GeneratedAppearances;
use super::content::{ContentDecoder, DecodedContent, without_damage};
use super::engine_thread::caught;
use super::object::{Object, ObjectId};
use super::structure::has_media_box;
use super::{Document, DocumentError, Leaf, ParsedDocument, Tier, appearances};
use bytes::Bytes;
use memchr::memmem;
use pagewise_base::page::PageIndex;
use std::borrow::Cow;

/// What the data of a stream follow.
const KEYWORD: &[u8] = b"stream";

/// A file that an engine can draw.
pub struct EngineFile {
    pub file: Bytes,
    /// Whether some of the page's content does not decode, or has instructions that cannot be read.
    pub is_damaged: bool,
    /// Appearances that were generated for the page.
    pub generated: GeneratedAppearances,
}

/// What is known of a page's content.
#[derive(Default)]
struct ContentState {
    is_damaged: bool,
    /// The content without instructions that would end its reading, if it has any.
    mended: Option<Vec<u8>>,
}

impl Document {
    /// The file for drawing one page.
    ///
    /// # Errors
    /// [`DocumentError::UnsupportedEncryption`] if the whole file cannot be decrypted, and any error of reading it.
    pub fn engine_file(&self, index: PageIndex) -> Result<EngineFile, DocumentError> {
        let file = if self.is_encrypted() { self.readers.decrypt()?.into() } else { self.readers.file().whole()? };
        let ContentState { is_damaged, mended } = self.content_state(index);
        let mended = mended.and_then(|content| with_content(&file, index, content));
        let file = mended.unwrap_or(file);
        let result = appearances::generate_appearances(self, index, &file);
        let (file, generated) = result.unwrap_or((file, GeneratedAppearances::default()));
        Ok(EngineFile { file, is_damaged, generated })
    }

    /// Decodes the content of a page and looks for damage.
    fn content_state(&self, index: PageIndex) -> ContentState {
        let content = |parsed: &ParsedDocument, leaf: &Leaf| {
            let contents = leaf.dictionary.as_dictionary().and_then(|page| page.get(b"Contents"));
            let decoder = ContentDecoder::new(&*parsed.objects, &parsed.limits);
            decoder.contents(contents.unwrap_or(&Object::Null))
        };
        let Ok((parts, _)) = self.with_page(index, content, DocumentError::is_worth_another_reader) else {
            return ContentState::default();
        };
        let is_whole = parts.iter().all(|part| matches!(part, DecodedContent::Whole(_)));
        let parts: Vec<&[u8]> = parts.iter().map(DecodedContent::bytes).collect();
        let content = match &*parts {
            [whole] => Cow::Borrowed(*whole),
            // No token reaches from one part into the next (7.8.2).
            parts => parts.join(&b' ').into(),
        };
        let mended = match caught(|| without_damage(&content)) {
            Some(Cow::Owned(mended)) => Some(mended),
            // If the check panics, so does the engine, whose failure is reported.
            Some(Cow::Borrowed(_)) | None => None,
        };
        ContentState { is_damaged: !is_whole || mended.is_some(), mended }
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
        if appearances::lack_appearances(self, index) || self.content_state(index).is_damaged {
            return None;
        }
        Some((self.readers.file().whole().ok()?, id))
    }

    /// The length of the file in bytes; `None` if it is encrypted.
    pub fn unencrypted_length(&self) -> Option<u64> {
        (!self.is_encrypted()).then(|| self.readers.file().len())
    }
}

/// A copy of the file with other content on a page; `None` if lopdf cannot read the file.
fn with_content(file: &Bytes, index: PageIndex, content: Vec<u8>) -> Option<Bytes> {
    let mut document = lopdf::Document::load_mem(file).ok()?;
    let page = document.page_iter().nth(usize::try_from(index.0).ok()?)?;
    let stream = document.add_object(lopdf::Stream::new(lopdf::Dictionary::new(), content));
    document.get_object_mut(page).ok()?.as_dict_mut().ok()?.set("Contents", stream);
    let mut out = Vec::with_capacity(file.len());
    document.save_to(&mut out).ok()?;
    Some(out.into())
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

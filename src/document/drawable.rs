//! Prepares a file for an engine with its own reader: decrypted, with generated appearances.

use super::fields::Made;
use super::object::ObjectId;
use super::{Document, DocumentError, Leaf, Reading, Tier, fields};
use crate::page::PageIndex;
use bytes::Bytes;

/// A file that an engine can draw.
pub(crate) struct Drawable {
    pub(crate) file: Bytes,
    /// Appearances that were generated for the page.
    pub(crate) made: Made,
}

impl Document {
    /// The file for drawing one page.
    ///
    /// # Errors
    /// [`DocumentError::UnsupportedEncryption`] if the whole file cannot be decrypted, and any error of reading it.
    pub(crate) fn drawable(&self, index: PageIndex) -> Result<Drawable, DocumentError> {
        let file = if self.is_encrypted() { self.ladder.decrypted()?.into() } else { self.ladder.file().whole()? };
        let dressed = fields::with_appearances(self, index, &file);
        let (file, made) = dressed.unwrap_or((file, Made::default()));
        Ok(Drawable { file, made })
    }

    /// The unchanged file and the id of the page object, if the file is sound and the page needs no generated
    /// appearances. The caller checks size and encryption.
    pub(crate) fn drawable_as_it_is(&self, index: PageIndex) -> Option<(Bytes, ObjectId)> {
        let leaf = |reading: &Reading, leaf: &Leaf| match leaf.id {
            Some(id) if reading.tier == Tier::Direct => Ok(id),
            _ => Err(DocumentError::damaged("a page that only other readers find")),
        };
        let (id, _) = self.with_page(index, leaf, |_| false).ok()?;
        if fields::are_bare(self, index) {
            return None;
        }
        Some((self.ladder.file().whole().ok()?, id))
    }

    /// The length of the file in bytes; `None` if it is encrypted.
    pub(crate) fn plain_bytes(&self) -> Option<u64> {
        (!self.is_encrypted()).then(|| self.ladder.file().len())
    }
}

//! A file as engines with a reader of their own may draw it: decrypted, and with form fields and annotations that show
//! what they say.

use super::fields::Made;
use super::object::ObjectId;
use super::{Document, DocumentError, Leaf, Reading, Tier, fields};
use crate::page::PageIndex;
use bytes::Bytes;

/// A file for an engine.
pub(crate) struct Drawable {
    pub(crate) file: Bytes,
    /// What of the page had no appearance and was given one.
    pub(crate) made: Made,
}

impl Document {
    /// The file for drawing one page.
    ///
    /// # Errors
    /// [`DocumentError::UnsupportedEncryption`] where nobody decrypts the file as a whole, and any error of reading it.
    pub(crate) fn drawable(&self, index: PageIndex) -> Result<Drawable, DocumentError> {
        let file = if self.is_encrypted() { self.ladder.decrypted()?.into() } else { self.ladder.file().whole()? };
        let dressed = fields::with_appearances(self, index, &file);
        let (file, made) = dressed.unwrap_or((file, Made::default()));
        Ok(Drawable { file, made })
    }

    /// The file for drawing one page, and the page's own object, where engines may take it as it is: sound, of a page
    /// that needs nothing added to it. Its size and its encryption are the caller's to look at.
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

    /// Bytes of the file, where it is not encrypted.
    pub(crate) fn plain_bytes(&self) -> Option<u64> {
        (!self.is_encrypted()).then(|| self.ladder.file().len())
    }
}

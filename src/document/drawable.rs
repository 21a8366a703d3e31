//! A file as engines with a reader of their own may draw it: decrypted, without forms that draw themselves, and with
//! form fields and annotations that show what they say.

use super::draws::{Draws, Loop, PictureCost};
use super::fields::Made;
use super::object::ObjectId;
use super::{Document, DocumentError, Leaf, Reading, Tier, fields};
use crate::page::PageIndex;
use bytes::Bytes;
use lopdf::{Dictionary, Object};

/// A file for an engine.
pub(crate) struct Drawable {
    pub(crate) file: Bytes,
    /// What of the page had no appearance and was given one.
    pub(crate) made: Made,
    /// Whether the page names fonts, pictures or the like, or has annotations.
    pub(crate) draws_something: bool,
    /// What painting it comes to, which is more than what reading its text does.
    pub(crate) cost: PictureCost,
}

impl Document {
    /// The file for drawing one page, once what the page draws was seen to end.
    ///
    /// # Errors
    /// [`DocumentError::Limit`] for forms too deep or too many drawings, [`DocumentError::Damaged`] where a form draws
    /// itself and cannot be kept from it, [`DocumentError::UnsupportedEncryption`] where nobody decrypts the file as a
    /// whole, and any error of reading it.
    pub(crate) fn drawable(&self, index: PageIndex) -> Result<Drawable, DocumentError> {
        let Draws { mut loops, glyph_loops, is_something, picture: mut cost } = self.check_draws(index)?;
        let file = if self.is_encrypted() { self.ladder.decrypted()?.into() } else { self.ladder.file().whole()? };
        let own = loops.len();
        loops.extend(glyph_loops);
        let file = match self.untangled(file.clone(), &loops) {
            Err(_) if own < loops.len() => {
                cost = PictureCost::ENDLESS;
                self.untangled(file, loops.get(..own).unwrap_or_default())?
            }
            untangled => untangled?,
        };
        let dressed = fields::with_appearances(self, index, &file);
        let (file, made) = dressed.unwrap_or((file, Made::default()));
        Ok(Drawable { file, made, draws_something: is_something, cost })
    }

    /// The file for drawing one page, and the page's own object, where engines may take it as it is: sound, of a page
    /// that needs nothing taken out of it or added to it. Its size and its encryption are the caller's to look at.
    pub(crate) fn drawable_as_it_is(&self, index: PageIndex) -> Option<(Bytes, ObjectId)> {
        let leaf = |reading: &Reading, leaf: &Leaf| match leaf.id {
            Some(id) if reading.tier == Tier::Direct => Ok(id),
            _ => Err(DocumentError::damaged("a page that only other readers find")),
        };
        let (id, _) = self.with_page(index, leaf, |_| false).ok()?;
        let Draws { loops, glyph_loops, .. } = self.check_draws(index).ok()?;
        if !loops.is_empty() || !glyph_loops.is_empty() || fields::are_bare(self, index) {
            return None;
        }
        Some((self.ladder.file().whole().ok()?, id))
    }

    /// Bytes of the file, where it is not encrypted.
    pub(crate) fn plain_bytes(&self) -> Option<u64> {
        (!self.is_encrypted()).then(|| self.ladder.file().len())
    }

    fn untangled(&self, file: Bytes, loops: &[Loop]) -> Result<Bytes, DocumentError> {
        if loops.is_empty() {
            return Ok(file);
        }
        // Decryption gives every object another number.
        let cut = if self.is_encrypted() { None } else { without(&file, loops) };
        cut.map(Bytes::from).ok_or(DocumentError::damaged("a form XObject that draws itself"))
    }
}

/// The file without the resources that `loops` names. `None` where a form borrows these from the page.
fn without(file: &[u8], loops: &[Loop]) -> Option<Vec<u8>> {
    let mut document = lopdf::Document::load_mem(file).ok()?;
    for Loop { form, kind, name } in loops {
        let id = (form.number, form.generation);
        let own = document.get_object(id).ok()?.as_stream().ok()?.dict.get(b"Resources").ok()?;
        let mut resources = dictionary(&document, own)?;
        let mut named = dictionary(&document, resources.get(kind).ok()?)?;
        named.remove(name);
        resources.set(*kind, named);
        document.get_object_mut(id).ok()?.as_stream_mut().ok()?.dict.set("Resources", resources);
    }
    let mut out = Vec::with_capacity(file.len());
    document.save_to(&mut out).ok()?;
    Some(out)
}

fn dictionary(document: &lopdf::Document, value: &Object) -> Option<Dictionary> {
    document.dereference(value).ok()?.1.as_dict().ok().cloned()
}

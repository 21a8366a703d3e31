//! Whether two pages are the same page: a hash over what a chunk means, not over how it is written.
//!
//! **Covered** is every byte that can change what the page shows or says: the page's content as one, its boxes,
//! resources and annotations, and of the catalog the form, the layers and the output intents. A stream counts by its
//! decoded data where every filter used all its bytes, and as it is stored everywhere else ([`StreamData`]).
//!
//! **Left out** is what a rebuild changes and nobody sees: object numbers, the order of keys, `/ID`, how data is
//! compressed, how a number is spelled, dates of annotations, subset tags in `/BaseFont` and `/FontName`, default
//! values, and what the document says of itself: labels, language, extensions. See [`canonical`](super::canonical).
//!
//! When in doubt, there are two pages: a page that is sent again costs little, a page that is withheld blinds the agent.
//! So a font whose program was made anew with another name in it, or an image that was encoded anew, is another one.

use super::content_digest::content_digest;
use super::digest::{Digests, tagged};
use super::{CutError, PageChunk, canonical, cut};
use crate::document::object::Object;
use crate::document::{Document, Leaf, Reading};
use crate::hash::PageFingerprint;
use crate::limits::Limits;
use crate::page::PageIndex;
use blake3::Hasher;
use std::sync::Arc;

/// What tells the fingerprints of this version from those of others: raised when what they cover changes, so that a mark
/// of an older version equals none.
const VERSION: &str = "pagewise page fingerprint, version 2";

/// The fingerprint of the page at `index`.
///
/// # Errors
/// As [`cut`] and [`PageChunk::fingerprint`].
pub fn fingerprint(document: &Document, index: PageIndex) -> Result<PageFingerprint, CutError> {
    cut(document, index)?.fingerprint(document.limits())
}

impl PageChunk {
    /// The fingerprint of the page in this chunk, worked out within `limits` and by their deadline.
    ///
    /// Data that passes `max_stream_bytes`, `max_ratio` or `max_filters` counts as it is stored.
    ///
    /// # Errors
    /// [`CutError::Document`] where all data together passes `max_decoded_bytes`, where another bound is passed, or where
    /// the time is over.
    pub fn fingerprint(&self, limits: &Limits) -> Result<PageFingerprint, CutError> {
        let chunk = Document::open(Arc::new(self.bytes.clone()), None, limits)?;
        let (fingerprint, _) = chunk.with_page(PageIndex(0), of_page, CutError::is_worth_another_reader)?;
        Ok(fingerprint)
    }
}

fn of_page(reading: &Reading, leaf: &Leaf) -> Result<PageFingerprint, CutError> {
    let objects = &*reading.objects;
    let form_appearance = canonical::form_appearance(objects, &reading.catalog)?;
    let mut digests = Digests::new(objects, &reading.limits, leaf.id, form_appearance);
    let mut page = leaf.dictionary.as_dictionary().cloned().unwrap_or_default();
    let contents = page.remove(b"Contents").unwrap_or(Object::Null);
    let mut hasher = Hasher::new_derive_key(VERSION);
    tagged(&mut hasher, b'c', content_digest(&mut digests, &contents)?.as_bytes());
    let page = canonical::page(objects, &page)?;
    tagged(&mut hasher, b'p', digests.root(&Object::Dictionary(page))?.as_bytes());
    let catalog = canonical::catalog(objects, &reading.catalog, digests.has_odd_membership())?;
    tagged(&mut hasher, b'd', digests.root(&Object::Dictionary(catalog))?.as_bytes());
    Ok(PageFingerprint(*hasher.finalize().as_bytes()))
}

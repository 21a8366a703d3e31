//! The fingerprint of a page: a hash of a chunk's meaning, not of its bytes.
//!
//! It **covers** everything that affects the page's appearance or text: its content, boxes, resources and annotations, and
//! the catalog's form, optional content and output intents. A stream counts by its decoded data if every filter used all
//! its bytes, and by its stored bytes otherwise ([`StreamData`](stream_data::StreamData)).
//!
//! It **omits** what only a rewrite of the file changes: object numbers, the order of keys and fields, `/ID`,
//! compression, the notation of numbers, annotation dates, subset tags in `/BaseFont` and `/FontName`, default values, and document
//! metadata such as labels, language and extensions. See [`canonical`].
//!
//! An embedded font counts by the glyphs that the page's texts show, their widths and characters ([`glyph_font`]): one new
//! letter elsewhere in a document changes the subsets of all its pages.
//!
//! In doubt, two pages count as different: sending a page twice costs little, but withholding a changed page misleads the
//! agent. So a font whose glyphs cannot be told apart counts by its bytes, and a re-encoded image makes a different page.

mod canonical;
mod content_digest;
mod glyph_font;
mod object_digests;
mod shown_text;
mod stream_data;
mod to_unicode;
mod tokens;

use self::content_digest::content_digest;
use self::object_digests::{ObjectDigests, hash_tagged};
use self::shown_text::hash_shown_text;
use super::{CutError, PageChunk, cut};
use blake3::Hasher;
use pagewise_base::hash::PageFingerprint;
use pagewise_base::limits::Limits;
use pagewise_base::page::PageIndex;
use pagewise_document::object::{Dictionary, Object};
use pagewise_document::{Document, Leaf, ParsedDocument};
use std::sync::Arc;

/// The version of the fingerprint. It increases when the covered data changes, so that older fingerprints match nothing.
const VERSION: &str = "pagewise page fingerprint, version 3";

/// The fingerprint of the page at `index`.
///
/// # Errors
/// Those of [`cut`] and [`PageChunk::fingerprint`].
pub fn fingerprint(document: &Document, index: PageIndex) -> Result<PageFingerprint, CutError> {
    cut(document, index)?.fingerprint(document.limits())
}

impl PageChunk {
    /// The fingerprint of the page in this chunk.
    ///
    /// A stream that exceeds `max_stream_bytes`, `max_ratio` or `max_filters` counts by its stored bytes.
    ///
    /// # Errors
    /// [`CutError::Document`] if all data together exceeds `max_decoded_bytes`, or at another limit or the deadline.
    pub fn fingerprint(&self, limits: &Limits) -> Result<PageFingerprint, CutError> {
        let chunk = Document::open(Arc::new(self.bytes.clone()), None, limits)?;
        let (fingerprint, _) = chunk.with_page(PageIndex(0), page_fingerprint, CutError::is_worth_another_reader)?;
        Ok(fingerprint)
    }
}

fn page_fingerprint(parsed: &ParsedDocument, leaf: &Leaf) -> Result<PageFingerprint, CutError> {
    match fingerprint_by_glyphs(parsed, leaf)? {
        Some(fingerprint) => Ok(fingerprint),
        None => fingerprint_by_fonts(parsed, leaf),
    }
}

/// The fingerprint in which fonts count by the glyphs that are shown; `None` if they cannot.
fn fingerprint_by_glyphs(parsed: &ParsedDocument, leaf: &Leaf) -> Result<Option<PageFingerprint>, CutError> {
    let mut digests = page_digests(parsed, leaf)?;
    let mut page = leaf.dictionary.as_dictionary().cloned().unwrap_or_default();
    let mut hasher = Hasher::new_derive_key(VERSION);
    if !hash_shown_text(&mut digests, &mut page, &mut hasher)? {
        return Ok(None);
    }
    let fingerprint = finish(&mut digests, parsed, &page, hasher)?;
    Ok((!digests.shares_fonts()).then_some(fingerprint))
}

/// The fingerprint in which fonts count whole.
fn fingerprint_by_fonts(parsed: &ParsedDocument, leaf: &Leaf) -> Result<PageFingerprint, CutError> {
    let mut digests = page_digests(parsed, leaf)?;
    let mut page = leaf.dictionary.as_dictionary().cloned().unwrap_or_default();
    let contents = page.remove(b"Contents").unwrap_or(Object::Null);
    let mut hasher = Hasher::new_derive_key(VERSION);
    hash_tagged(&mut hasher, b'c', content_digest(&mut digests, &contents)?.as_bytes());
    finish(&mut digests, parsed, &page, hasher)
}

fn page_digests<'a>(parsed: &'a ParsedDocument, leaf: &Leaf) -> Result<ObjectDigests<'a>, CutError> {
    let form_appearance = canonical::form_appearance(&*parsed.objects, &parsed.catalog)?;
    Ok(ObjectDigests::new(&*parsed.objects, &parsed.limits, leaf.id, form_appearance))
}

/// Adds the page without its content, and what affects it in the catalog.
fn finish(
    digests: &mut ObjectDigests<'_>,
    parsed: &ParsedDocument,
    page: &Dictionary,
    mut hasher: Hasher,
) -> Result<PageFingerprint, CutError> {
    let objects = &*parsed.objects;
    let page = canonical::reduce_page(objects, page)?;
    hash_tagged(&mut hasher, b'p', digests.digest_tree(&Object::Dictionary(page))?.as_bytes());
    let mut catalog = canonical::reduce_catalog(objects, &parsed.catalog, digests.has_hiding_membership())?;
    let fields = canonical::take_fields(objects, &mut catalog)?;
    let mut fields = fields.iter().map(|field| digests.digest_tree(field)).collect::<Result<Vec<_>, _>>()?;
    fields.sort_unstable_by(|one, other| one.as_bytes().cmp(other.as_bytes()));
    fields.iter().for_each(|field| hash_tagged(&mut hasher, b'f', field.as_bytes()));
    hash_tagged(&mut hasher, b'd', digests.digest_tree(&Object::Dictionary(catalog))?.as_bytes());
    Ok(PageFingerprint(*hasher.finalize().as_bytes()))
}

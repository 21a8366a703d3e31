//! Whether two pages are the same page: a hash over what a chunk means, not over how it is written.
//!
//! A tree of hashes over the objects of the chunk, from the page on: dictionaries and arrays by their content whether
//! they are indirect or not, streams by their decoded data, numbers by their value in single precision (what some
//! tools write them back in), the page's content streams as one. Left out: object numbers, dates (`/M`,
//! `/CreationDate`), font subset tags in names and in font programs, the page's label, `/ID`.
//!
//! What it cannot see: pages that look the same and are described otherwise, such as a font subset that another build
//! has put in another order, or an image encoded anew by a lossy codec, count as changed, which costs one page sent
//! again. A change inside an image codec's data is seen by its bytes alone.

use super::content::Decoder;
use super::{CutError, PageChunk, cut};
use crate::document::lexer::is_regular;
use crate::document::object::{Dictionary, Object, ObjectId, Stream};
use crate::document::objects::Objects;
use crate::document::{Document, DocumentError, Leaf, Reading, filter};
use crate::hash::PageFingerprint;
use crate::limits::{LimitExceeded, Limits};
use crate::page::PageIndex;
use blake3::{Hash, Hasher};
use std::collections::HashMap;
use std::sync::Arc;

/// The fingerprint of the page at `index`.
///
/// # Errors
/// As [`cut`].
pub fn fingerprint(document: &Document, index: PageIndex) -> Result<PageFingerprint, CutError> {
    cut(document, index)?.fingerprint()
}

impl PageChunk {
    /// The fingerprint of the page in this chunk.
    ///
    /// # Errors
    /// [`CutError::Document`] where decoding the page passes a limit.
    pub fn fingerprint(&self) -> Result<PageFingerprint, CutError> {
        let chunk = Document::open(Arc::new(self.bytes.clone()), None, &Limits::default())?;
        let (fingerprint, _) = chunk.with_page(PageIndex(0), of_page, CutError::is_worth_another_reader)?;
        Ok(fingerprint)
    }
}

fn of_page(reading: &Reading, leaf: &Leaf) -> Result<PageFingerprint, CutError> {
    let objects = &*reading.objects;
    let decoder = Decoder::new(objects, &reading.limits);
    let mut walk = Walk { objects, decoder: &decoder, limits: &reading.limits, known: HashMap::new() };
    let mut page = leaf.dictionary.as_dictionary().cloned().unwrap_or_default();
    let contents = page.remove(b"Contents").unwrap_or(Object::Null);
    page.remove(b"Parent");
    let mut catalog = reading.catalog.clone();
    for key in [&b"PageLabels"[..], b"Pages"] {
        catalog.remove(key);
    }
    let mut hasher = Hasher::new();
    for part in decoder.contents(&contents)? {
        hasher.update(part.bytes());
        hasher.update(b"\n");
    }
    for root in [Object::Dictionary(page), Object::Dictionary(catalog)] {
        hasher.update(walk.root(&root, leaf.id)?.as_bytes());
    }
    Ok(PageFingerprint(*hasher.finalize().as_bytes()))
}

/// Stands for an object that is reached from within itself.
const CYCLE: [u8; 32] = [0xC7; 32];

struct Walk<'a> {
    objects: &'a dyn Objects,
    decoder: &'a Decoder<'a>,
    limits: &'a Limits,
    /// Hashes of finished indirect objects; `None` while one is being walked.
    known: HashMap<u32, Option<Hash>>,
}

/// An indirect object whose references are being walked.
struct Frame {
    id: ObjectId,
    object: Arc<Object>,
    references: Vec<ObjectId>,
    next: usize,
}

impl Walk<'_> {
    /// The hash of an object and everything that it leads to; `page` is not entered again.
    fn root(&mut self, object: &Object, page: Option<ObjectId>) -> Result<Hash, DocumentError> {
        if let Some(page) = page {
            self.known.insert(page.number, None);
        }
        let mut references = Vec::new();
        collect(object, &mut references);
        for reference in references {
            self.indirect(reference)?;
        }
        self.digest(object)
    }

    /// Walks an indirect object: those that it refers to first, with a stack of our own, since chains can be long.
    fn indirect(&mut self, id: ObjectId) -> Result<(), DocumentError> {
        let mut frames: Vec<Frame> = self.enter(id)?.into_iter().collect();
        while let Some(frame) = frames.last_mut() {
            if let Some(next) = frame.references.get(frame.next).copied() {
                frame.next += 1;
                frames.extend(self.enter(next)?);
                continue;
            }
            let (id, object) = (frame.id, Arc::clone(&frame.object));
            let hash = self.digest(&object)?;
            self.known.insert(id.number, Some(hash));
            frames.pop();
        }
        Ok(())
    }

    fn enter(&mut self, id: ObjectId) -> Result<Option<Frame>, DocumentError> {
        if self.known.contains_key(&id.number) {
            return Ok(None);
        }
        let limit = u64::from(self.limits.max_page_objects);
        LimitExceeded::check("max_page_objects", self.known.len() as u64, limit)?;
        self.known.insert(id.number, None);
        let object = self.objects.fetch(id)?;
        let mut references = Vec::new();
        collect(&object, &mut references);
        Ok(Some(Frame { id, object, references, next: 0 }))
    }

    fn digest(&self, object: &Object) -> Result<Hash, DocumentError> {
        let mut hasher = Hasher::new();
        match object {
            Object::Stream(stream) => self.stream(stream, &mut hasher)?,
            Object::Dictionary(dictionary) => self.dictionary(dictionary, &[], &mut hasher)?,
            Object::Array(elements) => {
                hasher.update(b"[");
                for element in elements {
                    self.value(element, &mut hasher)?;
                }
            }
            scalar => self.value(scalar, &mut hasher)?,
        }
        Ok(hasher.finalize())
    }

    fn dictionary(&self, dictionary: &Dictionary, but: &[&[u8]], hasher: &mut Hasher) -> Result<(), DocumentError> {
        hasher.update(b"<");
        for (key, value) in dictionary.iter() {
            if but.contains(&key.as_bytes()) || is_date(key.as_bytes(), value) {
                continue;
            }
            tagged(hasher, b'/', key.as_bytes());
            self.value(value, hasher)?;
        }
        Ok(())
    }

    /// A stream as its decoded data and its dictionary without what says how it was encoded.
    fn stream(&self, stream: &Stream, hasher: &mut Hasher) -> Result<(), DocumentError> {
        let decoded = self.decoder.decode(stream)?;
        if !decoded.intact {
            hasher.update(&stream.data);
            return self.dictionary(&stream.dictionary, &[b"Length"], hasher);
        }
        if let Some(codec) = decoded.stopped_at {
            self.codecs(stream, codec, hasher)?;
        }
        hash_untagged(&decoded.bytes, hasher);
        // The first lengths of font programs are those of decoded parts, and stay.
        self.dictionary(&stream.dictionary, &[b"DecodeParms", b"Filter", b"Length"], hasher)
    }

    /// The filters from the first image codec on, and their parameters.
    fn codecs(&self, stream: &Stream, first: usize, hasher: &mut Hasher) -> Result<(), DocumentError> {
        let filters = filter::filters_of(&stream.dictionary, &mut |value| Ok(value.clone()))?;
        for (filter, parameters) in filters.iter().skip(first) {
            self.value(filter, hasher)?;
            self.value(parameters, hasher)?;
        }
        Ok(())
    }

    /// One value inside a container; containers by their own hash, so that it does not matter where they stand.
    fn value(&self, object: &Object, hasher: &mut Hasher) -> Result<(), DocumentError> {
        match object {
            Object::Null => tagged(hasher, b'n', &[]),
            Object::Boolean(value) => tagged(hasher, b'b', &[u8::from(*value)]),
            Object::Integer(_) | Object::Real(_) => tagged(hasher, b'#', &number(object)),
            Object::Name(name) => tagged(hasher, b'/', without_tag(name.as_bytes())),
            Object::String(bytes) => tagged(hasher, b'(', bytes),
            Object::Array(_) | Object::Dictionary(_) | Object::Stream(_) => {
                tagged(hasher, b'o', self.digest(object)?.as_bytes());
            }
            Object::Reference(id) => match self.known.get(&id.number) {
                Some(Some(hash)) => tagged(hasher, b'o', hash.as_bytes()),
                _ => tagged(hasher, b'o', &CYCLE),
            },
        }
        Ok(())
    }
}

/// Hashes a value so that it cannot run into the next one.
fn tagged(hasher: &mut Hasher, tag: u8, bytes: &[u8]) {
    hasher.update(&[tag]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// The references in an object, in the order of its keys and elements.
fn collect(object: &Object, out: &mut Vec<ObjectId>) {
    match object {
        Object::Reference(id) => out.push(*id),
        Object::Array(elements) => elements.iter().for_each(|element| collect(element, out)),
        Object::Dictionary(entries) => entries.iter().for_each(|(_, value)| collect(value, out)),
        Object::Stream(stream) => stream.dictionary.iter().for_each(|(_, value)| collect(value, out)),
        _ => {}
    }
}

/// A number by its value in single precision: lopdf, for one, writes no more digits back.
fn number(object: &Object) -> [u8; 4] {
    #[expect(clippy::cast_possible_truncation, reason = "the loss of digits is what is wanted")]
    let value = object.as_number().unwrap_or(0.0) as f32;
    // Both zeros are one number.
    (value + 0.0).to_le_bytes()
}

fn is_date(key: &[u8], value: &Object) -> bool {
    matches!(key, b"M" | b"CreationDate" | b"ModDate") && value.as_string().is_some_and(|text| text.starts_with(b"D:"))
}

/// Letters of a font subset tag (ISO 32000-2, 9.9.2), which a plus sign follows.
const TAG_LETTERS: usize = 6;

fn has_tag(bytes: &[u8]) -> bool {
    let letters = bytes.get(..TAG_LETTERS).unwrap_or_default();
    letters.len() == TAG_LETTERS && letters.iter().all(u8::is_ascii_uppercase) && bytes.get(TAG_LETTERS) == Some(&b'+')
}

/// A name without its font subset tag.
fn without_tag(name: &[u8]) -> &[u8] {
    if has_tag(name) { name.get(TAG_LETTERS + 1..).unwrap_or_default() } else { name }
}

/// Bytes of a stream in which subset tags are looked for.
const SEARCHED: usize = 4096;

/// Hashes stream data without subset tags near its beginning, where font programs and CMaps have their names.
fn hash_untagged(data: &[u8], hasher: &mut Hasher) {
    let (head, rest) = data.split_at_checked(SEARCHED).unwrap_or((data, &[]));
    hasher.update(b"s");
    hasher.update(&(data.len() as u64).to_le_bytes());
    hasher.update(&untagged(head));
    hasher.update(rest);
}

/// The same length of data with other letters for tags.
fn untagged(data: &[u8]) -> Vec<u8> {
    let mut out = data.to_vec();
    for plus in memchr::memchr_iter(b'+', data) {
        let Some(start) = plus.checked_sub(TAG_LETTERS) else { continue };
        let begins = start.checked_sub(1).and_then(|at| data.get(at)).is_none_or(|before| {
            // In a CFF name index the tag follows a binary offset.
            !is_regular(*before) || !before.is_ascii_alphanumeric()
        });
        if begins && data.get(start..).is_some_and(has_tag) {
            out.splice(start..plus, [b'?'; TAG_LETTERS]);
        }
    }
    out
}

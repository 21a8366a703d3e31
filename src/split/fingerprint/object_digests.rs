//! Hashes objects by their meaning. Indirect and direct objects count the same, streams count by [`StreamData`], and
//! numbers by their value.

use super::canonical::{self, EntryMeaning};
use super::shown_text::{may_show_text, names_its_fonts};
use super::stream_data::{StreamData, StreamReader};
use blake3::{Hash, Hasher};
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_document::DocumentError;
use pagewise_document::fast_hash::FastMap;
use pagewise_document::object::{Dictionary, Object, ObjectId, Stream};
use pagewise_document::objects::Objects;
use std::cell::Cell;
use std::sync::Arc;

/// The hashes of the objects that a page refers to.
pub(super) struct ObjectDigests<'a> {
    pub(super) objects: &'a dyn Objects,
    pub(super) streams: StreamReader<'a>,
    limits: &'a Limits,
    page: Option<ObjectId>,
    /// The form's default appearance, which fields inherit.
    form_appearance: Object,
    visits: FastMap<u32, VisitState>,
    /// The number of objects so far that refer to themselves through others.
    cycles: Cell<u64>,
    /// Whether a membership dictionary may hide content although all groups are on.
    has_hiding_membership: Cell<bool>,
    /// Whether content other than the page's may show text in the page's fonts.
    shares_fonts: Cell<bool>,
}

/// The state of an indirect object in the walk.
enum VisitState {
    /// The page itself, which is not visited again.
    Page,
    /// The object is being visited. It gets a number when a reference leads back to it.
    Open { cycle: Cell<Option<u64>> },
    /// The object has its hash.
    Done(Hash),
}

/// An indirect object whose references are being visited.
struct DigestFrame {
    id: ObjectId,
    object: Arc<Object>,
    references: Vec<ObjectId>,
    next: usize,
}

impl<'a> ObjectDigests<'a> {
    pub(super) fn new(
        objects: &'a dyn Objects,
        limits: &'a Limits,
        page: Option<ObjectId>,
        form_appearance: Object,
    ) -> Self {
        let visits = page.map(|page| (page.number, VisitState::Page)).into_iter().collect();
        let streams = StreamReader::new(objects, limits);
        let (cycles, has_hiding_membership, shares_fonts) = (Cell::new(0), Cell::new(false), Cell::new(false));
        Self { objects, streams, limits, page, form_appearance, visits, cycles, has_hiding_membership, shares_fonts }
    }

    pub(super) fn check_deadline(&self) -> Result<(), DocumentError> {
        Ok(self.limits.deadline.check()?)
    }

    /// Whether content other than the page's may show text in the page's fonts.
    pub(super) fn shares_fonts(&self) -> bool {
        self.shares_fonts.get()
    }

    /// Whether some content may be hidden although all optional content groups are on.
    pub(super) fn has_hiding_membership(&self) -> bool {
        self.has_hiding_membership.get()
    }

    /// The hash of an object and everything that it refers to.
    pub(super) fn digest_tree(&mut self, object: &Object) -> Result<Hash, DocumentError> {
        let mut references = Vec::new();
        collect_references(object, &mut references);
        for reference in references {
            self.visit(reference)?;
        }
        self.digest(object)
    }

    /// Visits an indirect object after those that it refers to. It uses its own stack, since chains can be long.
    fn visit(&mut self, id: ObjectId) -> Result<(), DocumentError> {
        let mut frames: Vec<DigestFrame> = self.enter(id)?.into_iter().collect();
        while let Some(frame) = frames.last_mut() {
            if let Some(next) = frame.references.get(frame.next).copied() {
                frame.next += 1;
                frames.extend(self.enter(next)?);
                continue;
            }
            let hash = self.finish_hash(frame.id, &frame.object)?;
            self.visits.insert(frame.id.number, VisitState::Done(hash));
            frames.pop();
        }
        Ok(())
    }

    /// The hash of an object whose references were visited. The start of a cycle includes its number, so that references
    /// back to different objects differ.
    fn finish_hash(&self, id: ObjectId, object: &Object) -> Result<Hash, DocumentError> {
        let hash = self.digest(object)?;
        let Some(VisitState::Open { cycle }) = self.visits.get(&id.number) else { return Ok(hash) };
        let Some(cycle) = cycle.get() else { return Ok(hash) };
        let mut hasher = Hasher::new();
        hash_tagged(&mut hasher, b'@', &cycle.to_le_bytes());
        hash_tagged(&mut hasher, b'o', hash.as_bytes());
        Ok(hasher.finalize())
    }

    /// The number of the cycle that starts at an open object.
    fn cycle_of(&self, cycle: &Cell<Option<u64>>) -> u64 {
        cycle.get().unwrap_or_else(|| {
            let number = self.cycles.replace(self.cycles.get().saturating_add(1));
            cycle.set(Some(number));
            number
        })
    }

    fn enter(&mut self, id: ObjectId) -> Result<Option<DigestFrame>, DocumentError> {
        if self.visits.contains_key(&id.number) {
            return Ok(None);
        }
        self.limits.deadline.check()?;
        let limit = u64::from(self.limits.max_page_objects);
        LimitExceeded::check(Limit::PageObjects, self.visits.len() as u64, limit)?;
        self.visits.insert(id.number, VisitState::Open { cycle: Cell::new(None) });
        let object = self.objects.fetch(id)?;
        let mut references = Vec::new();
        collect_references(&object, &mut references);
        Ok(Some(DigestFrame { id, object, references, next: 0 }))
    }

    fn digest(&self, object: &Object) -> Result<Hash, DocumentError> {
        let mut hasher = Hasher::new();
        match object {
            Object::Stream(stream) => self.hash_stream(stream, &mut hasher)?,
            Object::Dictionary(dictionary) => self.hash_dictionary(dictionary, &[], &mut hasher)?,
            Object::Array(elements) => {
                hasher.update(b"[");
                for element in elements {
                    self.hash_value(element, &mut hasher)?;
                }
            }
            Object::String(bytes) => hash_tagged(&mut hasher, b'(', bytes),
            scalar => self.hash_value(scalar, &mut hasher)?,
        }
        Ok(hasher.finalize())
    }

    fn hash_dictionary(
        &self,
        dictionary: &Dictionary,
        omitted_keys: &[&[u8]],
        hasher: &mut Hasher,
    ) -> Result<(), DocumentError> {
        hasher.update(b"<");
        if dictionary.get(b"Subtype").is_some_and(|kind| kind.is_name(b"Type3")) {
            self.note_glyph_procedures(dictionary)?;
        }
        if canonical::is_hiding_membership(dictionary) {
            self.has_hiding_membership.set(true);
        }
        if canonical::is_widget(dictionary) {
            let appearance = canonical::default_appearance(self.objects, dictionary, &self.form_appearance)?;
            hash_tagged(hasher, b'a', appearance.as_string().unwrap_or_default());
        }
        for (key, value) in dictionary.iter() {
            let key = key.as_bytes();
            if omitted_keys.contains(&key) {
                continue;
            }
            match canonical::classify_entry(dictionary, key, value, self.page) {
                EntryMeaning::Ignored => continue,
                EntryMeaning::FontName(name) => {
                    hash_tagged(hasher, b'/', key);
                    hash_tagged(hasher, b'/', name);
                }
                EntryMeaning::Value => {
                    hash_tagged(hasher, b'/', key);
                    self.hash_value(value, hasher)?;
                }
            }
        }
        Ok(())
    }

    /// Notes whether the glyphs of a Type 3 font show text.
    fn note_glyph_procedures(&self, font: &Dictionary) -> Result<(), DocumentError> {
        let procedures = self.objects.get(font, b"CharProcs")?;
        for (_, procedure) in procedures.as_dictionary().into_iter().flat_map(Dictionary::iter) {
            let procedure = self.objects.resolve(procedure)?;
            let Some(stream) = procedure.as_stream() else { continue };
            let is_drawing = matches!(self.streams.read(stream)?, StreamData::Decoded(bytes) if !may_show_text(&bytes));
            self.shares_fonts.set(self.shares_fonts.get() || !is_drawing);
        }
        Ok(())
    }

    /// Notes whether a form or pattern shows text in fonts that are not of its own resources.
    fn note_content(&self, dictionary: &Dictionary, data: &StreamData<'_>) -> Result<(), DocumentError> {
        if dictionary.get(b"BBox").is_none() {
            return Ok(());
        }
        let resources = self.objects.get(dictionary, b"Resources")?;
        let is_own = match data {
            StreamData::Decoded(bytes) => names_its_fonts(self.objects, bytes, resources.as_dictionary())?,
            _ => false,
        };
        self.shares_fonts.set(self.shares_fonts.get() || !is_own);
        Ok(())
    }

    /// Hashes a stream's data, and its dictionary without the entries about an encoding that was undone.
    fn hash_stream(&self, stream: &Stream, hasher: &mut Hasher) -> Result<(), DocumentError> {
        let data = self.streams.read(stream)?;
        self.note_content(&stream.dictionary, &data)?;
        match data {
            StreamData::Stored(bytes) => {
                hash_tagged(hasher, b's', bytes);
                return self.hash_dictionary(&stream.dictionary, &[b"Length"], hasher);
            }
            StreamData::Decoded(bytes) => hash_tagged(hasher, b'd', &bytes),
            StreamData::Encoded { bytes, filters } => {
                hash_tagged(hasher, b'e', &bytes);
                hash_tagged(hasher, b'f', &(filters.len() as u64).to_le_bytes());
                for (filter, parameters) in &filters {
                    self.hash_value(filter, hasher)?;
                    self.hash_value(parameters, hasher)?;
                }
            }
        }
        self.hash_dictionary(&stream.dictionary, &[b"DecodeParms", b"Filter", b"Length"], hasher)
    }

    /// Hashes a value in a container. Nested containers count by their own hash, so direct and indirect ones are equal.
    fn hash_value(&self, object: &Object, hasher: &mut Hasher) -> Result<(), DocumentError> {
        match object {
            Object::Null => hash_tagged(hasher, b'n', &[]),
            Object::Boolean(value) => hash_tagged(hasher, b'b', &[u8::from(*value)]),
            Object::Integer(_) | Object::Real(_) => canonical::CanonicalNumber::of(object).hash(hasher),
            Object::Name(name) => hash_tagged(hasher, b'/', name.as_bytes()),
            Object::String(_) | Object::Array(_) | Object::Dictionary(_) | Object::Stream(_) => {
                hash_tagged(hasher, b'o', self.digest(object)?.as_bytes());
            }
            Object::Reference(id) => match self.visits.get(&id.number) {
                Some(VisitState::Done(hash)) => hash_tagged(hasher, b'o', hash.as_bytes()),
                Some(VisitState::Page) => hash_tagged(hasher, b'p', &[]),
                Some(VisitState::Open { cycle }) => hash_tagged(hasher, b'^', &self.cycle_of(cycle).to_le_bytes()),
                None => return Err(DocumentError::damaged("a reference that was not followed")),
            },
        }
        Ok(())
    }
}

/// Hashes a value with its tag and length, so that it is separate from the next one.
pub(super) fn hash_tagged(hasher: &mut Hasher, tag: u8, bytes: &[u8]) {
    hasher.update(&[tag]);
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// Collects the references in an object, in the order of its keys and elements.
fn collect_references(object: &Object, out: &mut Vec<ObjectId>) {
    match object {
        Object::Reference(id) => out.push(*id),
        Object::Array(elements) => elements.iter().for_each(|element| collect_references(element, out)),
        Object::Dictionary(entries) => entries.iter().for_each(|(_, value)| collect_references(value, out)),
        Object::Stream(stream) => stream.dictionary.iter().for_each(|(_, value)| collect_references(value, out)),
        _ => {}
    }
}

//! The closure of pages: every object that they reach and may keep, numbered in the order of the way there.
//!
//! References are followed from one page after the other, breadth first, dictionaries in the order of their keys, so
//! that the numbers depend on what the pages are and not on how the source numbers them. What a thing is for ([`Role`])
//! decides which of its entries are kept. A reference to a page that is not asked for, to the page tree, the catalog or
//! the structure tree becomes null: without that rule one stray `/Parent` drags in the document (219 times the page, in
//! a real file).

use super::names::UsedNames;
use super::recorded::{Recorded, Recording};
use super::resources::{CATEGORIES, Place, UsedResources};
use super::roles::{self, PageParts, Role};
use super::serialize;
use super::shared::Shared;
use crate::document::DocumentError;
use crate::document::keyed::{KeyedMap, KeyedSet};
use crate::document::object::{Dictionary, Object, ObjectId};
use crate::document::objects::Objects;
use crate::limits::{Limit, LimitExceeded, Limits};
use bytes::Bytes;
use std::collections::VecDeque;
use std::sync::Arc;

/// Numbers of the objects that every chunk has.
pub(super) const CATALOG: u32 = 1;
/// The page tree's root.
pub(super) const PAGES: u32 = 2;
/// The first page; others follow it.
const FIRST_PAGE: u32 = 3;

/// The number of the page that comes after `before` others.
pub(super) fn page_number(before: usize) -> u32 {
    // As many pages as a number holds are more than the bound on objects lets through.
    FIRST_PAGE.saturating_add(u32::try_from(before).unwrap_or(u32::MAX))
}

/// An object of the chunk, serialized.
pub(super) struct Body {
    pub(super) number: u32,
    /// The object in the source, where it is one.
    pub(super) source: Option<ObjectId>,
    /// The object, or a stream's dictionary.
    pub(super) bytes: Vec<u8>,
    /// A stream's data, still as stored in the source.
    pub(super) data: Option<Bytes>,
    /// Where in a stream's dictionary `/Filter` would stand by the order of its keys: a chunk of a chunk is the chunk.
    pub(super) filter_at: usize,
}

struct Pending {
    number: u32,
    id: ObjectId,
    object: Arc<Object>,
    role: Role,
}

/// Follows references and serializes what they lead to.
pub(super) struct Closure<'a> {
    pub(super) objects: &'a dyn Objects,
    pub(super) limits: &'a Limits,
    pub(super) parts: &'a PageParts,
    resources: &'a UsedResources,
    shared: &'a Shared,
    /// Source number → number in the chunk; `None` for what is left out.
    numbers: KeyedMap<u32, Option<u32>>,
    last_number: u32,
    pending: VecDeque<Pending>,
    pub(super) bodies: Vec<Body>,
    bytes: u64,
    /// Where in the dictionary of the stream that is being written `/Filter` would stand, once that was passed.
    filter_at: Option<usize>,
    /// What is noted of the object that is being written, while another page may have it written alike.
    recording: Option<Recording>,
    /// Optional content groups that were reached, in order.
    pub(super) groups: Vec<u32>,
    /// Indirect arrays of groups that stand in the array that is being written.
    pub(super) orders: KeyedSet<u32>,
    /// Whether a resource that the page may use is not in the file.
    pub(super) has_lost_resources: bool,
}

impl<'a> Closure<'a> {
    pub(super) fn new(
        objects: &'a dyn Objects,
        limits: &'a Limits,
        parts: &'a PageParts,
        resources: &'a UsedResources,
        shared: &'a Shared,
    ) -> Self {
        let mut numbers = KeyedMap::default();
        for (before, page) in parts.pages.iter().enumerate() {
            if let Some(id) = page {
                numbers.entry(id.number).or_insert(Some(page_number(before)));
            }
        }
        Self {
            objects,
            limits,
            parts,
            resources,
            shared,
            numbers,
            last_number: page_number(parts.pages.len().saturating_sub(1)),
            pending: VecDeque::new(),
            bodies: Vec::new(),
            bytes: 0,
            filter_at: None,
            recording: None,
            groups: Vec::new(),
            orders: KeyedSet::default(),
            has_lost_resources: false,
        }
    }

    /// The highest number in use.
    pub(super) fn last_number(&self) -> u32 {
        self.last_number
    }

    /// The number of a source object in the chunk, where it is part of it.
    pub(super) fn number_of(&self, source: u32) -> Option<u32> {
        self.numbers.get(&source).copied().flatten()
    }

    /// Adds a finished object.
    pub(super) fn add(&mut self, number: u32, bytes: Vec<u8>) -> Result<(), DocumentError> {
        self.count(bytes.len())?;
        self.bodies.push(Body { number, source: None, bytes, data: None, filter_at: 0 });
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), DocumentError> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        Ok(LimitExceeded::check(Limit::PageBytes, self.bytes, self.limits.max_page_bytes)?)
    }

    /// Serializes everything that is referred to by now, and what that refers to.
    pub(super) fn drain(&mut self) -> Result<(), DocumentError> {
        while let Some(next) = self.pending.pop_front() {
            self.limits.deadline.check()?;
            let next = match &*next.object {
                Object::Stream(stream) => match self.shared.recoded(next.id, self.objects, stream)? {
                    Some(object) => Pending { object, ..next },
                    None => next,
                },
                _ => next,
            };
            let data = next.object.as_stream().map(|stream| stream.data.clone());
            self.count(data.as_ref().map_or(0, Bytes::len))?;
            let (bytes, filter_at) = self.body(&next)?;
            self.count(bytes.len())?;
            self.bodies.push(Body { number: next.number, source: Some(next.id), bytes, data, filter_at });
        }
        Ok(())
    }

    /// The object, or a stream's dictionary, and where in it `/Filter` would stand: as it was written for another page where
    /// that comes to the same.
    fn body(&mut self, next: &Pending) -> Result<(Vec<u8>, usize), DocumentError> {
        if next.role != Role::Other {
            return self.serialized(next);
        }
        if let Some(recorded) = self.shared.recorded(next.id)
            && let Some(body) = self.written_again(&recorded)?
        {
            return Ok(body);
        }
        self.recording = Some(Recording::default());
        let (bytes, filter_at) = self.serialized(next)?;
        if let Some(recording) = self.recording.take()
            && let Some(recorded) = Recorded::of(recording, &bytes, filter_at)
        {
            self.shared.keep_recorded(next.id, recorded);
        }
        Ok((bytes, filter_at))
    }

    fn written_again(&mut self, recorded: &Recorded) -> Result<Option<(Vec<u8>, usize)>, DocumentError> {
        let mut bytes = Vec::with_capacity(recorded.size());
        let filter_at = recorded.write(&mut bytes, |place, out| {
            let is_written = self.reference(place.id, Role::Other, Place::Nested, out)?;
            Ok::<_, DocumentError>(is_written == place.is_written)
        })?;
        Ok(filter_at.map(|filter_at| (bytes, filter_at)))
    }

    fn serialized(&mut self, next: &Pending) -> Result<(Vec<u8>, usize), DocumentError> {
        let mut bytes = Vec::with_capacity(256);
        let holder = Place::DirectIn(next.id.number);
        self.filter_at = None;
        match &*next.object {
            Object::Stream(stream) => {
                self.dictionary(&stream.dictionary, next.role.of_stream(), holder, &mut bytes)?;
            }
            object => {
                if !self.value(object, next.role, holder, Some(next.id), &mut bytes)? {
                    bytes.extend(b"null");
                }
            }
        }
        let filter_at = self.filter_at.unwrap_or(bytes.len().saturating_sub(b">>".len()));
        Ok((bytes, filter_at))
    }

    /// Writes `object`; false, and nothing written, where it comes to null.
    ///
    /// `itself` is the indirect object's id where `object` is one.
    pub(super) fn value(
        &mut self,
        object: &Object,
        role: Role,
        holder: Place,
        itself: Option<ObjectId>,
        out: &mut Vec<u8>,
    ) -> Result<bool, DocumentError> {
        if role != Role::Other {
            self.recording = None;
        }
        match object {
            Object::Null | Object::Stream(_) => return Ok(false),
            Object::Boolean(value) => {
                serialize::separate(out);
                out.extend(if *value { &b"true"[..] } else { b"false" });
            }
            Object::Integer(value) => {
                serialize::separate(out);
                serialize::integer(out, *value);
            }
            Object::Real(token) => {
                serialize::separate(out);
                out.extend(token.as_bytes());
            }
            Object::Name(name) => serialize::name(out, name.as_bytes()),
            Object::String(bytes) => serialize::string(out, bytes),
            Object::Array(elements) => return self.array(elements, role, holder, out),
            Object::Dictionary(dictionary) => {
                if !roles::is_kept(self, dictionary, role, itself)? {
                    return Ok(false);
                }
                self.dictionary(dictionary, role, holder, out)?;
            }
            Object::Reference(id) => {
                let start = out.len();
                let is_written = self.reference(*id, role, holder, out)?;
                self.recording = self.recording.take().and_then(|noted| noted.with(*id, start, out.len()));
                return Ok(is_written);
            }
        }
        Ok(true)
    }

    fn array(
        &mut self,
        elements: &[Object],
        role: Role,
        holder: Place,
        out: &mut Vec<u8>,
    ) -> Result<bool, DocumentError> {
        out.push(b'[');
        let inner = role.of_elements();
        for element in elements {
            self.limits.deadline.check()?;
            let kept = self.value(element, inner, holder, None, out)?;
            if !kept && !role.drops_null_elements() {
                serialize::separate(out);
                out.extend(b"null");
            }
        }
        out.push(b']');
        Ok(true)
    }

    /// Writes a dictionary's kept entries in the order of their keys.
    pub(super) fn dictionary(
        &mut self,
        dictionary: &Dictionary,
        role: Role,
        holder: Place,
        out: &mut Vec<u8>,
    ) -> Result<(), DocumentError> {
        out.extend(b"<<");
        for (key, value) in dictionary.iter() {
            if role == Role::Stream && key.as_bytes() > &b"Filter"[..] {
                self.filter_at.get_or_insert(out.len());
            }
            let (inner, holder) = match role {
                Role::Resources(place) => (self.category(key.as_bytes(), value, place), holder),
                Role::Category { place, is_color } => {
                    (self.entry(key.as_bytes(), value, place, is_color)?, Place::Nested)
                }
                _ => (roles::of_entry(self, dictionary, key.as_bytes(), value, role, holder)?, holder),
            };
            if let Some(inner) = inner {
                let start = out.len();
                self.entry_value(key.as_bytes(), value, inner, holder, out)?;
                let is_resource = matches!(role, Role::Resources(_) | Role::Category { .. });
                self.has_lost_resources |= is_resource && out.len() == start && value.as_reference().is_some();
            }
        }
        out.extend(b">>");
        Ok(())
    }

    /// Writes a key and its value, or neither where the value comes to null.
    pub(super) fn entry_value(
        &mut self,
        key: &[u8],
        value: &Object,
        role: Role,
        holder: Place,
        out: &mut Vec<u8>,
    ) -> Result<(), DocumentError> {
        let start = out.len();
        serialize::name(out, key);
        if !self.value(value, role, holder, None, out)? {
            out.truncate(start);
        }
        Ok(())
    }

    fn category(&self, key: &[u8], value: &Object, place: Place) -> Option<Role> {
        if !CATEGORIES.contains(&key) {
            return None;
        }
        let place = match value {
            Object::Reference(id) => Place::Indirect(id.number),
            _ => place,
        };
        Some(Role::Category { place, is_color: key == b"ColorSpace" })
    }

    fn entry(&self, name: &[u8], value: &Object, place: Place, is_color: bool) -> Result<Option<Role>, DocumentError> {
        let used = self.resources.of(place).is_none_or(|names: &UsedNames| names.contains(name));
        let kept = used || is_color && (is_default_space(name) || self.is_separation(value)?);
        Ok(kept.then_some(Role::Other))
    }

    /// Renderers that simulate printing inks (MuPDF) take the inks from all colour spaces of a page's resources, and
    /// blend otherwise where there are any.
    fn is_separation(&self, space: &Object) -> Result<bool, DocumentError> {
        let space = self.objects.resolve(space)?;
        let family = space.as_array().and_then(<[Object]>::first);
        Ok(family.is_some_and(|family| family.is_name(b"Separation") || family.is_name(b"DeviceN")))
    }

    /// Writes a reference to the chunk's copy of `id`, and sees to it that there is one.
    fn reference(&mut self, id: ObjectId, role: Role, holder: Place, out: &mut Vec<u8>) -> Result<bool, DocumentError> {
        if let Some(known) = self.numbers.get(&id.number) {
            if let Some(number) = *known {
                serialize::reference(out, number);
            }
            return Ok(known.is_some());
        }
        let reference = Object::Reference(id);
        let object = match self.objects.resolve(&reference)? {
            crate::document::objects::Resolved::Fetched(object) => object,
            crate::document::objects::Resolved::Direct(_) => return Ok(false),
        };
        match &*object {
            Object::Null => Ok(self.leave_out(id)),
            // What is no stream has no place in `/Contents`, and some readers give the page up for it.
            Object::Dictionary(_) if role == Role::Contents => Ok(false),
            // Numbers and names are shorter than a reference to them.
            Object::Boolean(_) | Object::Integer(_) | Object::Real(_) | Object::Name(_) => {
                self.value(&object, role, holder, None, out)
            }
            Object::Dictionary(dictionary) if !roles::is_kept(self, dictionary, role, Some(id))? => {
                Ok(self.leave_out(id))
            }
            _ => {
                let number = self.assign(id, object, role)?;
                serialize::reference(out, number);
                Ok(true)
            }
        }
    }

    fn leave_out(&mut self, id: ObjectId) -> bool {
        self.numbers.insert(id.number, None);
        false
    }

    fn assign(&mut self, id: ObjectId, object: Arc<Object>, role: Role) -> Result<u32, DocumentError> {
        self.last_number += 1;
        LimitExceeded::check(Limit::PageObjects, u64::from(self.last_number), u64::from(self.limits.max_page_objects))?;
        self.numbers.insert(id.number, Some(self.last_number));
        if self.parts.groups.contains(&id.number) {
            self.groups.push(id.number);
        }
        self.pending.push_back(Pending { number: self.last_number, id, object, role: role.of_indirect(id) });
        Ok(self.last_number)
    }
}

/// Colour spaces that replace the device's, without content naming them (8.6.5.6).
fn is_default_space(name: &[u8]) -> bool {
    matches!(name, b"DefaultGray" | b"DefaultRGB" | b"DefaultCMYK")
}

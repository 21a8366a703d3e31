//! The closure of pages: every object that they reach and may keep.
//!
//! References are followed page by page, breadth first, dictionaries in key order. So object numbers depend on the
//! content of the pages, not on the numbers in the source. An object's [`ObjectRole`] decides which entries are kept.
//! References to other pages, the page tree, the catalog and the structure tree become null; otherwise one stray
//! `/Parent` would pull in the whole document.

pub(crate) mod catalog;
pub(crate) mod form;
pub(crate) mod page;
mod references;
mod roles;
mod template;

pub(crate) use roles::ChunkMembers;
pub(crate) use template::SerializedTemplate;

use crate::chunk_cache::ChunkCache;
use crate::resources::{CATEGORIES, ResourceScope, UsedNames, UsedResources};
use crate::writer::serialize;
use bytes::Bytes;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_document::DocumentError;
use pagewise_document::fast_hash::{FastMap, FastSet};
use pagewise_document::object::{Dictionary, Object, ObjectId};
use pagewise_document::objects::Objects;
use roles::ObjectRole;
use std::collections::VecDeque;
use std::sync::Arc;
use template::TemplateRecorder;

/// The catalog's object number in every chunk.
pub(crate) const CATALOG: u32 = 1;
/// The object number of the page tree's root.
pub(crate) const PAGES: u32 = 2;
/// The object number of the first page; the others follow it.
const FIRST_PAGE: u32 = 3;

/// The object number of the page that comes after `before` others.
pub(crate) fn page_number(before: usize) -> u32 {
    // The limit on objects is hit long before this saturates.
    FIRST_PAGE.saturating_add(u32::try_from(before).unwrap_or(u32::MAX))
}

/// An object of the chunk, serialized.
pub(crate) struct SerializedObject {
    pub(crate) number: u32,
    pub(crate) source: Option<ObjectId>,
    /// The object, or the dictionary of a stream.
    pub(crate) bytes: Vec<u8>,
    /// A stream's data as stored in the source.
    pub(crate) data: Option<Bytes>,
    /// Where `/Filter` belongs in a stream's dictionary by key order. Cutting a chunk again then gives the same bytes.
    pub(crate) filter_at: usize,
}

struct PendingObject {
    number: u32,
    id: ObjectId,
    object: Arc<Object>,
    role: ObjectRole,
}

/// Follows references and serializes the objects that they lead to.
pub(crate) struct Closure<'a> {
    pub(crate) objects: &'a dyn Objects,
    pub(crate) limits: &'a Limits,
    pub(crate) members: &'a ChunkMembers,
    resources: &'a UsedResources,
    cache: &'a ChunkCache,
    /// Object number in the source → number in the chunk; `None` for objects that are left out.
    numbers: FastMap<u32, Option<u32>>,
    last_number: u32,
    pending: VecDeque<PendingObject>,
    pub(crate) serialized: Vec<SerializedObject>,
    bytes: u64,
    /// Where `/Filter` belongs in the stream dictionary being written, once that position is known.
    filter_at: Option<usize>,
    /// Records the object being written, as long as other pages can reuse it.
    recorder: Option<TemplateRecorder>,
    /// Optional content groups that were reached, in order.
    pub(crate) groups: Vec<u32>,
    /// Indirect arrays of groups written so far within the current array.
    pub(crate) orders: FastSet<u32>,
    /// Whether a resource that the page may use is missing from the file.
    pub(crate) has_lost_resources: bool,
}

impl<'a> Closure<'a> {
    pub(crate) fn new(
        objects: &'a dyn Objects,
        limits: &'a Limits,
        members: &'a ChunkMembers,
        resources: &'a UsedResources,
        cache: &'a ChunkCache,
    ) -> Self {
        let mut numbers = FastMap::default();
        for (before, page) in members.pages.iter().enumerate() {
            if let Some(id) = page {
                numbers.entry(id.number).or_insert(Some(page_number(before)));
            }
        }
        Self {
            objects,
            limits,
            members,
            resources,
            cache,
            numbers,
            last_number: page_number(members.pages.len().saturating_sub(1)),
            pending: VecDeque::new(),
            serialized: Vec::new(),
            bytes: 0,
            filter_at: None,
            recorder: None,
            groups: Vec::new(),
            orders: FastSet::default(),
            has_lost_resources: false,
        }
    }

    /// The highest object number in use.
    pub(crate) fn last_number(&self) -> u32 {
        self.last_number
    }

    /// The chunk's number for a source object; `None` if it is not part of the chunk.
    pub(crate) fn number_of(&self, source: u32) -> Option<u32> {
        self.numbers.get(&source).copied().flatten()
    }

    /// Adds a finished object.
    pub(crate) fn add(&mut self, number: u32, bytes: Vec<u8>) -> Result<(), DocumentError> {
        self.count(bytes.len())?;
        self.serialized.push(SerializedObject { number, source: None, bytes, data: None, filter_at: 0 });
        Ok(())
    }

    fn count(&mut self, bytes: usize) -> Result<(), DocumentError> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        Ok(LimitExceeded::check(Limit::PageBytes, self.bytes, self.limits.max_page_bytes)?)
    }

    /// Serializes all pending objects, and the objects that these refer to.
    pub(crate) fn drain(&mut self) -> Result<(), DocumentError> {
        while let Some(next) = self.pending.pop_front() {
            self.limits.deadline.check()?;
            let next = match &*next.object {
                Object::Stream(stream) => match self.cache.recode_cached(next.id, self.objects, stream)? {
                    Some(object) => PendingObject { object, ..next },
                    None => next,
                },
                _ => next,
            };
            let data = next.object.as_stream().map(|stream| stream.data.clone());
            self.count(data.as_ref().map_or(0, Bytes::len))?;
            let (bytes, filter_at) = self.serialize_or_reuse(&next)?;
            self.count(bytes.len())?;
            self.serialized.push(SerializedObject {
                number: next.number,
                source: Some(next.id),
                bytes,
                data,
                filter_at,
            });
        }
        Ok(())
    }

    /// Serializes an object, or instantiates its template from another page. Also returns the position of `/Filter`.
    fn serialize_or_reuse(&mut self, next: &PendingObject) -> Result<(Vec<u8>, usize), DocumentError> {
        if next.role != ObjectRole::Other {
            return self.serialize(next);
        }
        if let Some(template) = self.cache.template(next.id)
            && let Some(body) = self.write_template(&template)?
        {
            return Ok(body);
        }
        self.recorder = Some(TemplateRecorder::default());
        let (bytes, filter_at) = self.serialize(next)?;
        if let Some(recorder) = self.recorder.take()
            && let Some(template) = SerializedTemplate::of(recorder, &bytes, filter_at)
        {
            self.cache.keep_template(next.id, template);
        }
        Ok((bytes, filter_at))
    }

    fn write_template(&mut self, template: &SerializedTemplate) -> Result<Option<(Vec<u8>, usize)>, DocumentError> {
        let mut bytes = Vec::with_capacity(template.size());
        let filter_at = template.write(&mut bytes, |slot, out| {
            let is_written = self.write_reference(slot.id, ObjectRole::Other, ResourceScope::Nested, out)?;
            Ok::<_, DocumentError>(is_written == slot.is_written)
        })?;
        Ok(filter_at.map(|filter_at| (bytes, filter_at)))
    }

    fn serialize(&mut self, next: &PendingObject) -> Result<(Vec<u8>, usize), DocumentError> {
        let mut bytes = Vec::with_capacity(256);
        let holder = ResourceScope::DirectIn(next.id.number);
        self.filter_at = None;
        match &*next.object {
            Object::Stream(stream) => {
                self.write_dictionary(&stream.dictionary, next.role.of_stream(), holder, &mut bytes)?;
            }
            object => {
                if !self.write_value(object, next.role, holder, Some(next.id), &mut bytes)? {
                    bytes.extend(b"null");
                }
            }
        }
        let filter_at = self.filter_at.unwrap_or(bytes.len().saturating_sub(b">>".len()));
        Ok((bytes, filter_at))
    }

    /// Writes `object`. Returns false, and writes nothing, if the result is null.
    ///
    /// `itself` is the id of `object` if it is an indirect object.
    pub(crate) fn write_value(
        &mut self,
        object: &Object,
        role: ObjectRole,
        holder: ResourceScope,
        itself: Option<ObjectId>,
        out: &mut Vec<u8>,
    ) -> Result<bool, DocumentError> {
        if role != ObjectRole::Other {
            self.recorder = None;
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
            Object::Array(elements) => return self.write_array(elements, role, holder, out),
            Object::Dictionary(dictionary) => {
                if !roles::is_kept(self, dictionary, role, itself)? {
                    return Ok(false);
                }
                self.write_dictionary(dictionary, role, holder, out)?;
            }
            Object::Reference(id) => {
                let start = out.len();
                let is_written = self.write_reference(*id, role, holder, out)?;
                self.recorder = self.recorder.take().and_then(|recorder| recorder.with(*id, start, out.len()));
                return Ok(is_written);
            }
        }
        Ok(true)
    }

    fn write_array(
        &mut self,
        elements: &[Object],
        role: ObjectRole,
        holder: ResourceScope,
        out: &mut Vec<u8>,
    ) -> Result<bool, DocumentError> {
        out.push(b'[');
        let inner = role.of_elements();
        for element in elements {
            self.limits.deadline.check()?;
            let kept = self.write_value(element, inner, holder, None, out)?;
            if !kept && !role.drops_null_elements() {
                serialize::separate(out);
                out.extend(b"null");
            }
        }
        out.push(b']');
        Ok(true)
    }

    /// Writes the entries that are kept of a dictionary, in key order.
    pub(crate) fn write_dictionary(
        &mut self,
        dictionary: &Dictionary,
        role: ObjectRole,
        holder: ResourceScope,
        out: &mut Vec<u8>,
    ) -> Result<(), DocumentError> {
        out.extend(b"<<");
        for (key, value) in dictionary.iter() {
            if role == ObjectRole::Stream && key.as_bytes() > &b"Filter"[..] {
                self.filter_at.get_or_insert(out.len());
            }
            let (inner, holder) = match role {
                ObjectRole::Resources(scope) => (self.category_role(key.as_bytes(), value, scope), holder),
                ObjectRole::Category { scope, is_color } => {
                    (self.resource_role(key.as_bytes(), value, scope, is_color)?, ResourceScope::Nested)
                }
                _ => (roles::entry_role(self, dictionary, key.as_bytes(), value, role, holder)?, holder),
            };
            if let Some(inner) = inner {
                let start = out.len();
                self.write_entry(key.as_bytes(), value, inner, holder, out)?;
                let is_resource = matches!(role, ObjectRole::Resources(_) | ObjectRole::Category { .. });
                self.has_lost_resources |= is_resource && out.len() == start && value.as_reference().is_some();
            }
        }
        out.extend(b">>");
        Ok(())
    }

    /// Writes a key and its value, or neither if the value is null.
    pub(crate) fn write_entry(
        &mut self,
        key: &[u8],
        value: &Object,
        role: ObjectRole,
        holder: ResourceScope,
        out: &mut Vec<u8>,
    ) -> Result<(), DocumentError> {
        let start = out.len();
        serialize::name(out, key);
        if !self.write_value(value, role, holder, None, out)? {
            out.truncate(start);
        }
        Ok(())
    }

    fn category_role(&self, key: &[u8], value: &Object, scope: ResourceScope) -> Option<ObjectRole> {
        if !CATEGORIES.contains(&key) {
            return None;
        }
        let scope = match value {
            Object::Reference(id) => ResourceScope::Indirect(id.number),
            _ => scope,
        };
        Some(ObjectRole::Category { scope, is_color: key == b"ColorSpace" })
    }

    fn resource_role(
        &self,
        name: &[u8],
        value: &Object,
        scope: ResourceScope,
        is_color: bool,
    ) -> Result<Option<ObjectRole>, DocumentError> {
        let used = self.resources.of(scope).is_none_or(|names: &UsedNames| names.contains(name));
        let kept = used || is_color && (is_default_space(name) || self.is_separation(value)?);
        Ok(kept.then_some(ObjectRole::Other))
    }

    /// MuPDF simulates the inks of all colour spaces in a page's resources, used or not, so these spaces stay.
    fn is_separation(&self, space: &Object) -> Result<bool, DocumentError> {
        let space = self.objects.resolve(space)?;
        let family = space.as_array().and_then(<[Object]>::first);
        Ok(family.is_some_and(|family| family.is_name(b"Separation") || family.is_name(b"DeviceN")))
    }
}

/// Whether a colour space replaces a device colour space, so that content need not name it (8.6.5.6).
fn is_default_space(name: &[u8]) -> bool {
    matches!(name, b"DefaultGray" | b"DefaultRGB" | b"DefaultCMYK")
}

//! The trait that every reader implements, and look-ups on top of it.

use crate::error::DocumentError;
use crate::filter;
use crate::lexer::Glance;
use crate::object::{Dictionary, Object, ObjectId};
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::ops::Deref;
use std::sync::Arc;

/// A document as a trailer and indirect objects.
pub trait Objects: Send + Sync {
    /// The trailer dictionary; `/Root` at least.
    fn trailer(&self) -> &Dictionary;

    /// The object `id`; the null object if there is none (ISO 32000-2, 7.3.10).
    fn fetch(&self, id: ObjectId) -> Result<Arc<Object>, DocumentError>;

    /// Reads only the entries of the dictionary `id` that tell whether it is a page. `None` if the reader cannot, or the
    /// dictionary has kids.
    fn glance(&self, _id: ObjectId) -> Result<Option<Glance>, DocumentError> {
        Ok(None)
    }

    /// Whether the file has the object `id`; false if the reader cannot tell without reading it.
    fn lists(&self, _id: ObjectId) -> Result<bool, DocumentError> {
        Ok(false)
    }

    /// Whether objects in new places take requests to another machine, so that samples have to be small.
    fn is_remote(&self) -> bool {
        false
    }

    /// The limits on reading.
    fn limits(&self) -> &Limits;
}

/// The target of an object that may be a reference.
pub enum ResolvedObject<'a> {
    /// The object itself was no reference.
    Direct(&'a Object),
    /// The object that the references lead to.
    Fetched(Arc<Object>),
}

impl Deref for ResolvedObject<'_> {
    type Target = Object;

    fn deref(&self) -> &Object {
        match self {
            Self::Direct(object) => object,
            Self::Fetched(object) => object,
        }
    }
}

impl dyn Objects + '_ {
    /// Follows references, up to `max_reference_hops`.
    pub fn resolve<'a>(&self, object: &'a Object) -> Result<ResolvedObject<'a>, DocumentError> {
        let Object::Reference(id) = object else { return Ok(ResolvedObject::Direct(object)) };
        let mut fetched = self.fetch(*id)?;
        if fetched.as_reference().is_none() {
            return Ok(ResolvedObject::Fetched(fetched));
        }
        let hops = self.limits().max_reference_hops;
        let mut passed = vec![*id];
        for _ in 0..hops {
            let Object::Reference(id) = &*fetched else { return Ok(ResolvedObject::Fetched(fetched)) };
            if passed.contains(id) {
                // A cycle of references leads to no object, which means null.
                return Ok(ResolvedObject::Fetched(Arc::new(Object::Null)));
            }
            passed.push(*id);
            fetched = self.fetch(*id)?;
        }
        if fetched.as_reference().is_none() {
            return Ok(ResolvedObject::Fetched(fetched));
        }
        let limit = u64::from(hops);
        Err(LimitExceeded { which: Limit::ReferenceHops, limit, found: limit + 1 }.into())
    }

    /// The value of `key`, resolved; null if there is none.
    pub fn get<'a>(&self, dictionary: &'a Dictionary, key: &[u8]) -> Result<ResolvedObject<'a>, DocumentError> {
        self.resolve(dictionary.get(key).unwrap_or(&Object::Null))
    }

    /// The decoded data of a stream, as a file of its own. Nothing is given if a filter is unknown.
    pub(crate) fn stream_bytes(&self, stream: &Object) -> Result<Vec<u8>, DocumentError> {
        let stream = self.resolve(stream)?;
        let stream =
            stream.as_stream().ok_or(DocumentError::damaged("a reference to data that does not lead to a stream"))?;
        let filters = filter::filters_of(&stream.dictionary, &mut |value| Ok(self.resolve(value)?.clone()))?;
        let is_identity = |filter: &(Object, Object)| filter.0.is_name(b"Crypt");
        let filters = filters.into_iter().filter(|filter| !is_identity(filter)).collect::<Vec<_>>();
        let (limits, stored) = (self.limits(), u64::try_from(stream.data.len()).unwrap_or(u64::MAX));
        LimitExceeded::check(Limit::StreamBytes, stored, limits.max_stream_bytes)?;
        let decoded = filter::decode(&stream.data, &filters, limits)?;
        if decoded.stopped_at.is_some() {
            return Err(DocumentError::damaged("data with an unknown filter"));
        }
        Ok(decoded.bytes.into_owned())
    }

    /// The catalog (7.7.2).
    pub(crate) fn catalog(&self) -> Result<Arc<Object>, DocumentError> {
        let root = self.trailer().get(b"Root").and_then(Object::as_reference);
        let root = root.ok_or(DocumentError::damaged("a trailer without /Root"))?;
        let catalog = self.fetch(root)?;
        match &*catalog {
            Object::Dictionary(_) => Ok(catalog),
            _ => Err(DocumentError::damaged("a /Root that is not a dictionary")),
        }
    }
}

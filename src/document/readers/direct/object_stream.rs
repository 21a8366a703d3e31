//! Object streams (ISO 32000-2, 7.5.7).

use crate::error::DocumentError;
use crate::filter;
use crate::lexer::{Glance, Lexer};
use crate::object::{Object, ObjectId, Stream};
use crate::objects::Objects;
use pagewise_base::limits::Limits;

/// A decoded object stream. Objects are located by its own table: the index in cross references is often wrong.
pub struct ObjectStream {
    bytes: Vec<u8>,
    /// Object numbers in ascending order, each with its position in `bytes`.
    offsets: Vec<(u32, usize)>,
}

impl ObjectStream {
    pub(crate) fn read(stream: &Stream, objects: &dyn Objects, limits: &Limits) -> Result<Self, DocumentError> {
        let resolved = |key: &[u8]| -> Result<usize, DocumentError> {
            let value = match stream.dictionary.get(key) {
                Some(Object::Reference(id)) => objects.fetch(*id)?.as_integer(),
                Some(other) => other.as_integer(),
                None => None,
            };
            value
                .and_then(|value| usize::try_from(value).ok())
                .ok_or(DocumentError::damaged("an object stream without /N or /First"))
        };
        let (count, first) = (resolved(b"N")?, resolved(b"First")?);
        let filters = filter::filters_of(&stream.dictionary, &mut |value| match value {
            Object::Reference(id) => objects.fetch(*id).map(|object| (*object).clone()),
            other => Ok(other.clone()),
        })?;
        let decoded = filter::decode(&stream.data, &filters, limits)?;
        if let Some(what) = decoded.damage(&filters) {
            return Err(DocumentError::damaged(what));
        }
        let mut bytes = decoded.bytes.into_owned();
        // The lexer needs white space after the last object to see its end.
        bytes.push(b'\n');
        let offsets = table(&bytes, count, first, limits)?;
        Ok(Self { bytes, offsets })
    }

    fn position(&self, number: u32) -> Option<usize> {
        let at = self.offsets.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.offsets.get(at).map(|(_, position)| *position)
    }

    /// Approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len().saturating_add(self.offsets.len().saturating_mul(24))
    }

    /// Glances at the dictionary `number`.
    pub(crate) fn glance(&self, number: u32, limits: &Limits) -> Option<Glance> {
        let at = self.position(number)?;
        Lexer::within(&self.bytes, limits).at(at).glance().ok().flatten()
    }

    /// Scans the member `number`; see [`Lexer::scan_references`]. Returns whether it is a page.
    pub fn scan_references(
        &self,
        number: u32,
        limits: &Limits,
        found: &mut impl FnMut(ObjectId),
    ) -> Result<bool, DocumentError> {
        let at = self.position(number).ok_or(DocumentError::damaged("an object that is not in its stream"))?;
        let scan = Lexer::within(&self.bytes, limits).at(at).scan_references(found);
        scan.map(|scan| scan.is_page).map_err(|_| DocumentError::damaged("a malformed object in an object stream"))
    }

    /// The member `number` and its length in bytes; `None` if this stream has no such member.
    pub(crate) fn object(&self, number: u32, limits: &Limits) -> Result<Option<(Object, usize)>, DocumentError> {
        let Some(at) = self.position(number) else { return Ok(None) };
        let mut lexer = Lexer::within(&self.bytes, limits).at(at);
        let object = lexer.object();
        object.map(|object| Some((object, lexer.position().saturating_sub(at)))).map_err(|error| {
            let malformed = DocumentError::damaged("a malformed object in an object stream");
            error.limit(limits).map_or(malformed, DocumentError::from)
        })
    }
}

fn table(bytes: &[u8], count: usize, first: usize, limits: &Limits) -> Result<Vec<(u32, usize)>, DocumentError> {
    let malformed = || DocumentError::damaged("an object stream whose table is malformed");
    let mut lexer = Lexer::new(bytes, 1);
    // A pair takes at least four bytes, so /N cannot reserve more than the stream can hold.
    let mut offsets = Vec::with_capacity(count.min(bytes.len() / 4 + 1));
    for _ in 0..count {
        limits.deadline.check()?;
        let number = lexer.read_unsigned().map_err(|_| malformed())?;
        let offset = lexer.read_unsigned().map_err(|_| malformed())?;
        let number = u32::try_from(number).map_err(|_| malformed())?;
        let offset = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(first));
        offsets.push((number, offset.filter(|offset| *offset <= bytes.len()).ok_or_else(malformed)?));
    }
    // The objects must begin where the table ends, or /N or /First is wrong. White space and comments may stand between
    // them, as qpdf writes in its QDF mode.
    let end = lexer.position();
    lexer.skip_space();
    if !offsets.is_sorted_by(|a, b| a.0 < b.0) {
        // If a number occurs twice, the last one counts.
        offsets.reverse();
        offsets.sort_by_key(|(number, _)| *number);
        offsets.dedup_by_key(|(number, _)| *number);
    }
    (end..=lexer.position()).contains(&first).then_some(offsets).ok_or_else(malformed)
}

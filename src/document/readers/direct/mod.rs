//! The direct reader: lazy, verbatim and strict.
//!
//! It follows `startxref` and the cross-reference sections, then reads only requested objects. It refuses instead of
//! guessing: every object must be at its cross-reference offset under its own number, and every stream must end where
//! `/Length` says. Everything else is left to the readers that repair.

mod coverage;
mod object_stream;
mod window;
mod xref;

use crate::bytes::FileBytes;
use crate::error::DocumentError;
use crate::lexer::{Glance, Lexer, Syntax};
use crate::object::{Dictionary, Object, ObjectId, Stream};
use crate::objects::Objects;
use crate::readers::cache::Cache;
pub use object_stream::ObjectStream;
use pagewise_base::limits::Limits;
use std::ops::Range;
use std::sync::Arc;
pub use window::contains_stream_end;
pub(crate) use xref::CrossReferences;
use xref::ObjectLocation;

/// Size of the cache of parsed objects.
const OBJECT_CACHE_BYTES: usize = 32 << 20;

/// Size of the cache of decoded object streams. It is separate, since thousands of objects would evict their own stream.
const STREAM_CACHE_BYTES: usize = 16 << 20;

/// Assumed memory of a parsed object: for each byte in the file, and in addition.
const COST_OF_BYTE: usize = 8;
const COST_OF_OBJECT: usize = 64;

/// `startxref` is searched for in the last bytes of the file.
const TAIL_BYTES: u64 = 2 << 10;

/// The direct reader of one file.
pub struct DirectReader {
    file: Arc<FileBytes>,
    limits: Limits,
    references: CrossReferences,
    objects: Cache<u32, Object>,
    streams: Cache<u32, ObjectStream>,
    /// Whether only streams with their own crypt filter are encrypted.
    only_attachments_encrypted: bool,
}

/// The kind of the object with a given number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// The number is free.
    Free,
    Stream,
    /// A page's dictionary.
    Page,
    /// Any other indirect object.
    Other,
    /// A member of an object stream, whatever its kind.
    Member {
        /// The object stream's number.
        container: u32,
    },
}

impl DirectReader {
    /// Opens a document that needs no repair and is not encrypted.
    pub fn open(file: Arc<FileBytes>, limits: &Limits) -> Result<Self, DocumentError> {
        let references = references_of(&file, limits)?;
        let encryption = references.trailer.get(b"Encrypt").filter(|value| !value.is_null()).cloned();
        let (objects, streams) = (Cache::new(OBJECT_CACHE_BYTES), Cache::new(STREAM_CACHE_BYTES));
        let limits = limits.clone();
        let mut reader = Self { file, limits, references, objects, streams, only_attachments_encrypted: false };
        if let Some(encryption) = encryption {
            let encryption = (&reader as &dyn Objects).resolve(&encryption)?.clone();
            if !is_for_attachments_only(&encryption) {
                return Err(DocumentError::Encrypted { password_given: false });
            }
            reader.only_attachments_encrypted = true;
        }
        Ok(reader)
    }

    /// Whether the object `number` is in use.
    pub fn has_object(&self, number: u32) -> Result<bool, DocumentError> {
        Ok(self.references.entry(&self.file, number)? != ObjectLocation::Free)
    }

    /// Scans the object `number` without building it, and calls `found` for each reference in it. Members of object
    /// streams are not scanned.
    ///
    /// `checked_ranges` are ranges of stream data, in order, that do not [contain the end of a stream](contains_stream_end).
    pub fn scan_references(
        &self,
        number: u32,
        checked_ranges: &[Range<u64>],
        found: &mut impl FnMut(ObjectId),
    ) -> Result<ObjectKind, DocumentError> {
        match self.references.entry(&self.file, number)? {
            ObjectLocation::InStream { container } => Ok(ObjectKind::Member { container }),
            ObjectLocation::Free => Ok(ObjectKind::Free),
            ObjectLocation::Offset(offset) => {
                window::scan_references(&self.file, (number, offset), checked_ranges, &self.limits, found)
            }
        }
    }

    /// The decoded object stream `number`.
    pub fn object_stream(&self, number: u32) -> Result<Arc<ObjectStream>, DocumentError> {
        self.object_stream_within(number, 0)
    }

    /// The object stream `number` as stored.
    pub fn stored_object_stream(&self, number: u32) -> Result<Stream, DocumentError> {
        self.stored_object_stream_within(number, 0)
    }

    fn stored_object_stream_within(&self, container: u32, hops: u32) -> Result<Stream, DocumentError> {
        // An object stream is never inside another one (7.5.7): its entry must be an offset.
        let ObjectLocation::Offset(offset) = self.references.entry(&self.file, container)? else {
            return Err(DocumentError::damaged("an object stream that is not in the file"));
        };
        match self.read_at(container, offset, hops)? {
            (Object::Stream(stream), _) => Ok(*stream),
            _ => Err(DocumentError::damaged_at("an object that is not an object stream", offset)),
        }
    }

    fn read(&self, number: u32, hops: u32) -> Result<(Object, usize), DocumentError> {
        match self.references.entry(&self.file, number)? {
            ObjectLocation::Free => Ok((Object::Null, 0)),
            ObjectLocation::Offset(offset) => self.read_at(number, offset, hops),
            ObjectLocation::InStream { container } => {
                let found = self.object_stream_within(container, hops)?.object(number, &self.limits)?;
                let missing = DocumentError::damaged("an object that is not in the stream that should hold it");
                let (object, length) = found.ok_or(missing)?;
                Ok((object, cost(length)))
            }
        }
    }

    fn read_at(&self, number: u32, offset: u64, hops: u32) -> Result<(Object, usize), DocumentError> {
        let found = window::read_indirect(&self.file, offset, &self.limits)?;
        if found.id.number != number {
            return Err(DocumentError::damaged_at("not the object that the cross references name", offset));
        }
        let cost = cost(found.length);
        let Some(start) = found.data_start else { return Ok((found.object, cost)) };
        let Object::Dictionary(dictionary) = found.object else {
            return Err(DocumentError::damaged_at("a stream without a dictionary", offset));
        };
        let length = match dictionary.get(b"Length") {
            Some(Object::Integer(length)) => Some(*length),
            Some(Object::Reference(id)) if hops < self.limits.max_reference_hops => {
                self.fetch_within(*id, hops + 1)?.as_integer()
            }
            _ => None,
        };
        let length = length.and_then(|length| u64::try_from(length).ok());
        let length = length.ok_or(DocumentError::damaged_at("a stream without a /Length", offset))?;
        let data = window::read_data(&self.file, start, length)?;
        let bytes = data.len();
        if self.only_attachments_encrypted && has_crypt_filter(&dictionary) {
            return Err(DocumentError::Encrypted { password_given: false });
        }
        Ok((Object::Stream(Box::new(Stream { dictionary, data })), bytes.saturating_add(cost)))
    }

    fn object_stream_within(&self, container: u32, hops: u32) -> Result<Arc<ObjectStream>, DocumentError> {
        if let Some(stream) = self.streams.get(&container) {
            return Ok(stream);
        }
        let stream = self.stored_object_stream_within(container, hops)?;
        let stream = Arc::new(ObjectStream::read(&stream, self, &self.limits)?);
        self.streams.insert(container, &stream, stream.size());
        Ok(stream)
    }

    fn fetch_within(&self, id: ObjectId, hops: u32) -> Result<Arc<Object>, DocumentError> {
        if let Some(object) = self.objects.get(&id.number) {
            return Ok(object);
        }
        let (object, bytes) = self.read(id.number, hops)?;
        let object = Arc::new(object);
        self.objects.insert(id.number, &object, bytes);
        Ok(object)
    }
}

impl Objects for DirectReader {
    fn trailer(&self) -> &Dictionary {
        &self.references.trailer
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn is_remote(&self) -> bool {
        self.file.is_remote()
    }

    fn fetch(&self, id: ObjectId) -> Result<Arc<Object>, DocumentError> {
        self.fetch_within(id, 0)
    }

    fn lists(&self, id: ObjectId) -> Result<bool, DocumentError> {
        self.has_object(id.number)
    }

    /// The result is not cached: a walk of the page tree visits each page once.
    fn glance(&self, id: ObjectId) -> Result<Option<Glance>, DocumentError> {
        match self.references.entry(&self.file, id.number)? {
            ObjectLocation::Free => Ok(None),
            ObjectLocation::Offset(offset) => window::glance(&self.file, id.number, offset, &self.limits),
            ObjectLocation::InStream { container } => {
                Ok(self.object_stream(container)?.glance(id.number, &self.limits))
            }
        }
    }
}

/// The assumed memory of an object that takes `length` bytes in the file.
fn cost(length: usize) -> usize {
    length.saturating_mul(COST_OF_BYTE).saturating_add(COST_OF_OBJECT)
}

/// Whether only embedded files are encrypted (7.6.6): the crypt filters of strings and streams are `Identity`.
fn is_for_attachments_only(encryption: &Object) -> bool {
    let Some(encryption) = encryption.as_dictionary() else { return false };
    let identity = |key: &[u8]| encryption.get(key).is_none_or(|filter| filter.is_name(b"Identity"));
    let has_crypt_filters = encryption.get(b"V").and_then(Object::as_integer).is_some_and(|version| version >= 4);
    has_crypt_filters && identity(b"StmF") && identity(b"StrF") && !identity(b"EFF")
}

fn has_crypt_filter(dictionary: &Dictionary) -> bool {
    match dictionary.get(b"Filter") {
        Some(Object::Array(filters)) => filters.iter().any(|filter| filter.is_name(b"Crypt")),
        Some(filter) => filter.is_name(b"Crypt"),
        None => false,
    }
}

/// The trailer found through the cross-reference sections, also of an encrypted document.
pub(crate) fn trailer(file: &FileBytes, limits: &Limits) -> Result<Dictionary, DocumentError> {
    references_of(file, limits).map(|references| references.trailer)
}

fn references_of(file: &FileBytes, limits: &Limits) -> Result<CrossReferences, DocumentError> {
    let header = header_offset(file)?.ok_or(DocumentError::damaged("no header in the first 1,024 bytes"))?;
    let start = start_of_references(file)?;
    let read = |shift| CrossReferences::read(file, start, shift, limits);
    // If bytes precede the header, offsets often count from the header instead of the first byte.
    match read(0) {
        Err(_) if header > 0 => read(header),
        other => other,
    }
}

/// The offset of `%PDF-` in the first 1,024 bytes.
pub(crate) fn header_offset(file: &FileBytes) -> Result<Option<u64>, DocumentError> {
    let head = file.slice(0, 1024)?;
    Ok(head.windows(5).position(|window| window == b"%PDF-").map(|at| at as u64))
}

fn start_of_references(file: &FileBytes) -> Result<u64, DocumentError> {
    let at = file.len().saturating_sub(TAIL_BYTES);
    let tail = file.slice(at, TAIL_BYTES)?;
    let keyword = tail.windows(9).rposition(|window| window == b"startxref");
    let rest = keyword.and_then(|at| tail.get(at + 9..)).unwrap_or_default();
    if has_object_after_end(rest) {
        // A truncated update: the part before it is an older version of the document.
        return Err(DocumentError::cut_off(file.len()));
    }
    let digits: Vec<u8> = rest
        .iter()
        .copied()
        .skip_while(|byte| crate::lexer::is_white_space(*byte))
        .take_while(u8::is_ascii_digit)
        .take(20)
        .collect();
    let start = std::str::from_utf8(&digits).ok().and_then(|digits| digits.parse().ok());
    match start {
        Some(start) => Ok(start),
        None => Err(damage_at_end(&file.whole()?)),
    }
}

/// The error for a file without `startxref` in its last bytes.
fn damage_at_end(file: &[u8]) -> DocumentError {
    let length = file.len() as u64;
    let end = memchr::memmem::rfind(file, b"startxref");
    let after = end.and_then(|end| file.get(end..)).unwrap_or(file);
    if end.is_some() && memchr::memmem::find(after, b" obj").is_none() {
        return DocumentError::damaged_at("foreign or damaged bytes at the end of the file", length);
    }
    DocumentError::cut_off(length)
}

/// Whether an object begins after the end-of-file marker (7.5.5).
fn has_object_after_end(rest: &[u8]) -> bool {
    let end = rest.windows(5).position(|window| window == b"%%EOF");
    let after = end.and_then(|at| rest.get(at + 5..)).unwrap_or_default();
    let begins = after.iter().find(|byte| !crate::lexer::is_white_space(**byte)).is_some_and(u8::is_ascii_digit);
    // Remains of an older table also begin with digits and are harmless.
    begins && !matches!(Lexer::new(after, 1).indirect_head(), Err(Syntax::Malformed(_)))
}

#[cfg(test)]
mod tests {
    use super::is_for_attachments_only;
    use crate::lexer::Lexer;

    #[test]
    fn only_attachments_are_encrypted_where_all_else_is_identity() {
        let is_so =
            |dictionary: &[u8]| Lexer::new(dictionary, 9).object().map(|object| is_for_attachments_only(&object));
        assert_eq!(is_so(b"<< /V 5 /EFF /StdCF /StmF /Identity /StrF /Identity >>"), Ok(true));
        assert_eq!(is_so(b"<< /V 4 /EFF /StdCF >>"), Ok(true));
        assert_eq!(is_so(b"<< /V 4 /EFF /StdCF /StmF /StdCF >>"), Ok(false));
        assert_eq!(is_so(b"<< /V 4 /EFF /StdCF /StrF /StdCF >>"), Ok(false));
        assert_eq!(is_so(b"<< /V 2 /EFF /StdCF >>"), Ok(false));
        assert_eq!(is_so(b"<< /V 4 >>"), Ok(false));
    }
}

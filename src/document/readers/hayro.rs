//! The second reader, on the crate hayro-syntax: for encrypted documents and most damage.
//!
//! It resolves all cross-reference entries and pages when it opens a file, so it is slower than the direct reader. If the
//! document is not encrypted, our lexer reads the objects' bytes again, so that reals keep their digits. Otherwise, or if
//! the lexer refuses them, objects are converted value by value.

use super::cache::ObjectCache;
use super::decryption::decrypted_stream;
use super::objects::Objects;
use super::trailer;
use crate::bytes::FileBytes;
use crate::error::DocumentError;
use crate::lexer::{Lexer, Syntax};
use crate::object::{Dictionary, Name, Object, ObjectId, RealToken, Stream};
use bytes::Bytes;
use hayro_syntax::object::{self as theirs, MaybeRef, ObjectIdentifier};
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::sync::Arc;

/// A document as hayro-syntax reads it.
pub(crate) struct HayroReader {
    pdf: Pdf,
    trailer: Dictionary,
    /// Whether the file may be encrypted; then objects are never read from its bytes.
    encrypted: bool,
    limits: Limits,
    cache: ObjectCache,
    /// A catalog and a page tree root for a document that has lost its own.
    substitutes: Option<[Arc<Object>; 2]>,
}

/// Ids of the substitutes: no file can use these numbers, since its `/Size` would be larger.
const SUBSTITUTE_CATALOG: ObjectId = ObjectId { number: u32::MAX, generation: u16::MAX };
const SUBSTITUTE_PAGES: ObjectId = ObjectId { number: u32::MAX - 1, generation: u16::MAX };

impl HayroReader {
    /// Opens a document and repairs broken cross references.
    pub(crate) fn open(file: &FileBytes, password: Option<&str>, limits: &Limits) -> Result<Self, DocumentError> {
        let whole = file.whole()?;
        let found = trailer::find(file, limits)?;
        let encrypted = mentions_encryption(&whole);
        let whole = Arc::new(whole);
        let load = |password| Pdf::new_with_password(Arc::clone(&whole), password);
        let pdf = match load(password.unwrap_or_default()) {
            // A superfluous password is no error.
            Err(LoadPdfError::Decryption(DecryptionError::PasswordProtected)) if password.is_some() => load(""),
            other => other,
        };
        let pdf = pdf.map_err(|error| document_error(error, password.is_some()))?;
        look_at_all(&pdf, limits)?;
        let trailer = trailer_of(&pdf, &found)?;
        let limits = limits.clone();
        let mut reader = Self { pdf, trailer, encrypted, limits, cache: ObjectCache::default(), substitutes: None };
        if !reader.has_page_tree()? {
            reader.substitute_page_tree()?;
        }
        Ok(reader)
    }

    fn has_page_tree(&self) -> Result<bool, DocumentError> {
        let objects: &dyn Objects = self;
        let catalog = objects.catalog()?;
        let Some(catalog) = catalog.as_dictionary() else { return Ok(false) };
        let pages = objects.get(catalog, b"Pages")?;
        let Some(pages) = pages.as_dictionary() else { return Ok(false) };
        Ok(objects.get(pages, b"Kids")?.as_array().is_some())
    }

    /// Builds a page tree of all page dictionaries that hayro-syntax found in the file, in file order.
    fn substitute_page_tree(&mut self) -> Result<(), DocumentError> {
        let ids = self.pdf.pages().iter().filter_map(|page| page.raw().obj_id());
        let mut kids: Vec<Object> = ids.map(|id| converted_reference(id.into())).collect();
        // Pages may be lost. A null kid marks the tree as incomplete, so that other readers are tried.
        kids.push(Object::Null);
        let mut catalog = (*(self as &dyn Objects).catalog()?).clone();
        if let Object::Dictionary(catalog) = &mut catalog {
            catalog.set(b"Pages", Object::Reference(SUBSTITUTE_PAGES));
        }
        let mut pages = Dictionary::new();
        pages.set(b"Type", Object::name(b"Pages"));
        pages.set(b"Count", Object::Integer(i64::try_from(kids.len()).unwrap_or(i64::MAX)));
        pages.set(b"Kids", Object::Array(kids));
        self.substitutes = Some([Arc::new(catalog), Arc::new(Object::Dictionary(pages))]);
        self.trailer.set(b"Root", Object::Reference(SUBSTITUTE_CATALOG));
        Ok(())
    }

    fn convert(&self, object: &theirs::Object<'_>, depth: u32) -> Result<Object, DocumentError> {
        let limit = self.limits.max_nesting;
        LimitExceeded::check(Limit::Nesting, u64::from(depth), u64::from(limit))?;
        Ok(match object {
            theirs::Object::Null(_) => Object::Null,
            theirs::Object::Boolean(value) => Object::Boolean(*value),
            theirs::Object::Number(number) => converted_number(number),
            theirs::Object::String(string) => Object::String(string.as_bytes().into()),
            theirs::Object::Name(name) => Object::name(name),
            theirs::Object::Array(array) => self.array(array, depth)?,
            theirs::Object::Dict(dictionary) => Object::Dictionary(self.dictionary(dictionary, depth)?),
            theirs::Object::Stream(stream) => self.stream(stream, depth)?,
        })
    }

    fn element(&self, element: &MaybeRef<theirs::Object<'_>>, depth: u32) -> Result<Object, DocumentError> {
        match element {
            MaybeRef::Ref(reference) => Ok(converted_reference(*reference)),
            MaybeRef::NotRef(object) => self.convert(object, depth),
        }
    }

    fn array(&self, array: &theirs::Array<'_>, depth: u32) -> Result<Object, DocumentError> {
        if let Some(verbatim) = self.verbatim(&[b"[", array.data(), b"]"].concat())? {
            return Ok(verbatim);
        }
        let max_values = self.limits.max_object_values.into();
        let elements = (1..).zip(array.raw_iter()).map(|(count, element)| {
            LimitExceeded::check(Limit::ObjectValues, count, max_values)?;
            self.element(&element, depth + 1)
        });
        elements.collect::<Result<_, _>>().map(Object::Array)
    }

    fn dictionary(&self, dictionary: &theirs::Dict<'_>, depth: u32) -> Result<Dictionary, DocumentError> {
        if let Some(Object::Dictionary(verbatim)) = self.verbatim(dictionary.data())?
            && verbatim.len() == dictionary.len()
        {
            return Ok(verbatim);
        }
        let entries = dictionary.entries().map(|(key, value)| Ok((Name::new(&key), self.element(&value, depth + 1)?)));
        Ok(Dictionary::from_entries(entries.collect::<Result<_, DocumentError>>()?))
    }

    /// The object that our lexer reads in `bytes`; `None` if they may be encrypted or are refused.
    fn verbatim(&self, bytes: &[u8]) -> Result<Option<Object>, LimitExceeded> {
        if self.encrypted {
            return Ok(None);
        }
        match Lexer::within(bytes, &self.limits).object() {
            Err(syntax @ Syntax::TooMany) => syntax.limit(&self.limits).map_or(Ok(None), Err),
            read => Ok(read.ok()),
        }
    }

    fn stream(&self, stream: &theirs::Stream<'_>, depth: u32) -> Result<Object, DocumentError> {
        let dictionary = self.dictionary(stream.dict(), depth)?;
        let data = stream.raw_data().into_owned();
        if self.encrypted {
            return decrypted_stream(dictionary, data);
        }
        Ok(Object::Stream(Box::new(Stream { dictionary, data: Bytes::from(data) })))
    }
}

impl Objects for HayroReader {
    fn trailer(&self) -> &Dictionary {
        &self.trailer
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn fetch(&self, id: ObjectId) -> Result<Arc<Object>, DocumentError> {
        match (&self.substitutes, id) {
            (Some([catalog, _]), SUBSTITUTE_CATALOG) => return Ok(Arc::clone(catalog)),
            (Some([_, pages]), SUBSTITUTE_PAGES) => return Ok(Arc::clone(pages)),
            _ => {}
        }
        self.cache.get_or_make(id, || {
            let theirs_id = ObjectIdentifier::new(id.number, i32::from(id.generation));
            match self.pdf.xref().get::<theirs::Object<'_>>(theirs_id) {
                Some(object) => self.convert(&object, 0),
                None => Ok(Object::Null),
            }
        })
    }
}

/// Fetches every object once. hayro-syntax repairs its cross references at the first dangling one. In the middle of a
/// split, that would change objects between pages.
fn look_at_all(pdf: &Pdf, limits: &Limits) -> Result<(), DocumentError> {
    pdf.objects().into_iter().try_for_each(|_| limits.deadline.check().map_err(DocumentError::from))
}

/// The trailer: hayro-syntax's `/Root`, and `/Info` and `/ID` of the file's trailer.
fn trailer_of(pdf: &Pdf, found: &Dictionary) -> Result<Dictionary, DocumentError> {
    let root = pdf.xref().root_id();
    let generation = u16::try_from(root.gen_number).map_err(|_| DocumentError::damaged("a /Root without an object"))?;
    let mut trailer = Dictionary::new();
    trailer.set(b"Root", Object::Reference(ObjectId { number: root.obj_number, generation }));
    for key in [b"Info".as_slice(), b"ID"] {
        if let Some(value) = found.get(key) {
            trailer.set(key, value.clone());
        }
    }
    Ok(trailer)
}

/// Whether the file may be encrypted. A false positive costs only digits of reals.
fn mentions_encryption(bytes: &[u8]) -> bool {
    bytes.windows(b"/Encrypt".len()).any(|window| window == b"/Encrypt")
}

fn document_error(error: LoadPdfError, password_given: bool) -> DocumentError {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => DocumentError::Encrypted { password_given },
        LoadPdfError::Decryption(DecryptionError::UnsupportedAlgorithm) => DocumentError::UnsupportedEncryption,
        LoadPdfError::Decryption(DecryptionError::MissingIDEntry | DecryptionError::InvalidEncryption) => {
            DocumentError::damaged("a broken encryption dictionary")
        }
        LoadPdfError::Invalid => DocumentError::damaged("no document that can be repaired"),
    }
}

fn converted_reference(reference: theirs::ObjRef) -> Object {
    match u16::try_from(reference.gen_number) {
        Ok(generation) => Object::Reference(ObjectId { number: reference.obj_number, generation }),
        // No object has such a generation, and a reference to a missing object is null (7.3.10).
        Err(_) => Object::Null,
    }
}

fn converted_number(number: &theirs::Number) -> Object {
    // Only the printed form tells them apart: reals always have a point or an exponent.
    match number.to_string().parse::<i64>() {
        Ok(integer) => Object::Integer(integer),
        Err(_) if number.as_f64().is_finite() => Object::Real(RealToken::from_value(number.as_f64())),
        Err(_) => Object::Integer(0),
    }
}

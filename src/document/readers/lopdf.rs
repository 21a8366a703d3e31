//! The third reader, on the crate lopdf: a third opinion on damage.
//!
//! It copies all objects when it opens a file, and decrypts AES-256 wrongly in some files without an error. So it is not
//! used for large or encrypted files, except for non-ASCII passwords of security handlers up to revision 4, which are in
//! PDFDocEncoding and which no other reader supports.

use super::cache::ObjectCache;
use super::decryption::decrypted_stream;
use super::objects::Objects;
use super::trailer;
use crate::bytes::FileBytes;
use crate::error::DocumentError;
use crate::object::{Dictionary, Name, Object, ObjectId, RealToken, Stream};
use bytes::Bytes;
use lopdf as theirs;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::sync::Arc;

/// Larger files are left to the next reader: lopdf takes four to seven times their size in memory.
const MAX_BYTES: u64 = 128 << 20;

/// The last revision of the standard security handler with passwords in PDFDocEncoding (7.6.4.3.2).
const LAST_OLD_REVISION: i64 = 4;

/// A document as lopdf reads it.
pub(crate) struct LopdfReader {
    document: theirs::Document,
    trailer: Dictionary,
    encrypted: bool,
    limits: Limits,
    cache: ObjectCache,
}

impl LopdfReader {
    /// Opens a document that is not encrypted, or whose password only this reader supports.
    pub(crate) fn open(file: &FileBytes, password: Option<&str>, limits: &Limits) -> Result<Self, DocumentError> {
        if file.len() > MAX_BYTES {
            return Err(DocumentError::damaged("a file too large to be repaired"));
        }
        let whole = file.whole()?;
        let encrypted = trailer::find(file, limits)?.get(b"Encrypt").is_some_and(|value| !value.is_null());
        let spelled = password.filter(|password| encrypted && !password.is_ascii());
        if encrypted && spelled.is_none() {
            return Err(DocumentError::damaged("an encrypted file that cannot be repaired"));
        }
        let options = theirs::LoadOptions {
            password: spelled.map(str::to_owned),
            max_decompressed_size: usize::try_from(limits.max_stream_bytes).ok(),
            ..theirs::LoadOptions::default()
        };
        let document =
            theirs::Document::load_mem_with_options(&whole, options).map_err(|error| document_error(&error))?;
        if document.is_encrypted() || revision_of(&document).is_some_and(|revision| revision > LAST_OLD_REVISION) {
            return Err(DocumentError::damaged("an encrypted file that cannot be repaired"));
        }
        let mut reader = Self {
            document,
            trailer: Dictionary::new(),
            encrypted,
            limits: limits.clone(),
            cache: ObjectCache::default(),
        };
        reader.trailer = reader.dictionary(&reader.document.trailer, 0)?;
        Ok(reader)
    }

    fn convert(&self, object: &theirs::Object, depth: u32) -> Result<Object, DocumentError> {
        LimitExceeded::check(Limit::Nesting, u64::from(depth), u64::from(self.limits.max_nesting))?;
        Ok(match object {
            theirs::Object::Null => Object::Null,
            theirs::Object::Boolean(value) => Object::Boolean(*value),
            theirs::Object::Integer(value) => Object::Integer(*value),
            theirs::Object::Real(value) if value.is_finite() => {
                Object::Real(RealToken::new(value.to_string().as_bytes()))
            }
            theirs::Object::Real(_) => Object::Integer(0),
            theirs::Object::Name(name) => Object::name(name),
            theirs::Object::String(bytes, _) => Object::String(bytes.as_slice().into()),
            theirs::Object::Array(array) => {
                let elements = array.iter().map(|element| self.convert(element, depth + 1));
                Object::Array(elements.collect::<Result<_, _>>()?)
            }
            theirs::Object::Dictionary(dictionary) => Object::Dictionary(self.dictionary(dictionary, depth)?),
            theirs::Object::Stream(stream) => self.stream(stream, depth)?,
            theirs::Object::Reference((number, generation)) => {
                Object::Reference(ObjectId { number: *number, generation: *generation })
            }
        })
    }

    fn dictionary(&self, dictionary: &theirs::Dictionary, depth: u32) -> Result<Dictionary, DocumentError> {
        let entries = dictionary.iter().map(|(key, value)| Ok((Name::new(key), self.convert(value, depth + 1)?)));
        Ok(Dictionary::from_entries(entries.collect::<Result<_, DocumentError>>()?))
    }

    fn stream(&self, stream: &theirs::Stream, depth: u32) -> Result<Object, DocumentError> {
        let dictionary = self.dictionary(&stream.dict, depth)?;
        if self.encrypted {
            return decrypted_stream(dictionary, stream.content.clone());
        }
        Ok(Object::Stream(Box::new(Stream { dictionary, data: Bytes::copy_from_slice(&stream.content) })))
    }
}

impl Objects for LopdfReader {
    fn trailer(&self) -> &Dictionary {
        &self.trailer
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn fetch(&self, id: ObjectId) -> Result<Arc<Object>, DocumentError> {
        self.cache.get_or_make(id, || match self.document.objects.get(&(id.number, id.generation)) {
            Some(object) => self.convert(object, 0),
            None => Ok(Object::Null),
        })
    }
}

fn revision_of(document: &theirs::Document) -> Option<i64> {
    document.encryption_state.as_ref().map(theirs::EncryptionState::revision)
}

fn document_error(error: &theirs::Error) -> DocumentError {
    match error {
        theirs::Error::InvalidPassword => DocumentError::Encrypted { password_given: true },
        _ => DocumentError::damaged("no document that can be repaired"),
    }
}

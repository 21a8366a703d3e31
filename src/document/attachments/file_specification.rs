//! File specifications (ISO 32000-2, 7.11.3) and embedded file streams (7.11.4).

use super::{AttachedFile, Attachment};
use crate::object::{Dictionary, Object};
use crate::objects::Objects;
use crate::syntax::date;
use crate::{DocumentError, text_string};

/// Longer names are cut: no file system has longer ones.
const MAX_NAME_CHARACTERS: usize = 255;

/// The keys under which a file specification and its embedded files name a file, the best first.
const KEYS: [&[u8]; 5] = [b"UF", b"F", b"Unix", b"DOS", b"Mac"];

/// Reads file specifications.
pub(super) struct FileSpecification<'a> {
    pub(super) objects: &'a dyn Objects,
    /// The key in the name tree, for a file without a name of its own.
    pub(super) key: &'a Object,
}

impl FileSpecification<'_> {
    /// The file that is embedded in a specification; `None` if the specification only names a file.
    pub(super) fn read(&self, specification: &Object) -> Result<Option<AttachedFile>, DocumentError> {
        let resolved = self.objects.resolve(specification)?;
        let Some(specification) = resolved.as_dictionary() else { return Ok(None) };
        let embedded = self.objects.get(specification, b"EF")?;
        let stream = embedded.as_dictionary().and_then(|embedded| KEYS.iter().find_map(|key| embedded.get(key)));
        let Some(stream) = stream.cloned() else { return Ok(None) };
        let details = self.objects.resolve(&stream)?;
        let Some(details) = details.as_stream() else { return Ok(None) };
        let attachment = self.attachment(specification, &details.dictionary)?;
        Ok(Some(AttachedFile { attachment, stream }))
    }

    fn attachment(&self, specification: &Dictionary, stream: &Dictionary) -> Result<Attachment, DocumentError> {
        let parameters = self.objects.get(stream, b"Params")?;
        let parameters = parameters.as_dictionary().cloned().unwrap_or_default();
        let bytes = self.objects.get(&parameters, b"Size")?.as_integer();
        let date = |key: &[u8]| Ok::<_, DocumentError>(self.line(&parameters, key)?.as_deref().and_then(date::date));
        Ok(Attachment {
            name: self.name(specification)?,
            bytes: bytes.and_then(|bytes| u64::try_from(bytes).ok()),
            mime_type: self.line(stream, b"Subtype")?,
            description: self.line(specification, b"Desc")?,
            created: date(b"CreationDate")?,
            modified: date(b"ModDate")?,
            relationship: self.line(specification, b"AFRelationship")?.filter(|name| name != "Unspecified"),
            page: None,
        })
    }

    fn name(&self, specification: &Dictionary) -> Result<String, DocumentError> {
        for key in KEYS {
            if let Some(name) = self.line(specification, key)? {
                return Ok(shortened(&name));
            }
        }
        let key = self.key.as_string().map(text_string::decode).filter(|key| !key.is_empty());
        Ok(shortened(&key.unwrap_or_else(|| "attachment".to_owned())))
    }

    fn line(&self, dictionary: &Dictionary, key: &[u8]) -> Result<Option<String>, DocumentError> {
        let value = self.objects.get(dictionary, key)?;
        let text = value.as_string().or_else(|| value.as_name()).map(text_string::decode);
        Ok(text.filter(|text| !text.is_empty()))
    }
}

/// The name of the file that a specification names, whether it is embedded or not.
pub(crate) fn file_name(objects: &dyn Objects, specification: &Object) -> Result<Option<String>, DocumentError> {
    let resolved = objects.resolve(specification)?;
    let name = match &*resolved {
        Object::String(name) => Some(text_string::decode(name)),
        Object::Dictionary(dictionary) => {
            let names = FileSpecification { objects, key: &Object::Null };
            let mut found = None;
            for key in KEYS {
                found = found.or(names.line(dictionary, key)?);
            }
            found
        }
        _ => None,
    };
    Ok(name.filter(|name| !name.is_empty()).map(|name| shortened(&name)))
}

fn shortened(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARACTERS).collect()
}

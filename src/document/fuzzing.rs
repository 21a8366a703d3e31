//! Entry points for fuzz targets and tests, in builds with debug assertions only.

use super::bytes::FileBytes;
use super::error::DocumentError;
use super::filter;
use super::lexer::Lexer;
use super::object::{Dictionary, Name, Object, ObjectId, Stream};
use super::objects::Objects;
use super::readers::{CrossReferences, ObjectStream};
use pagewise_base::limits::Limits;
use std::sync::Arc;

/// Reads objects until one is malformed.
pub fn objects(data: &[u8]) {
    let mut lexer = Lexer::new(data, Limits::default().max_nesting);
    while lexer.position() < data.len() && lexer.object().is_ok() {}
}

/// Reads cross-reference sections, the newest at the beginning, and looks up numbers.
pub fn cross_references(data: &[u8]) {
    let limits = small();
    let Ok(file) = FileBytes::new(Arc::new(data.to_vec())) else { return };
    let Ok(references) = CrossReferences::read(&file, 0, 0, &limits) else { return };
    for number in (0..64).chain([u32::MAX]) {
        let _ = references.entry(&file, number);
    }
}

/// Reads an object stream, given as its dictionary and data, and some of its members.
pub fn object_stream(data: &[u8]) {
    let limits = small();
    let mut lexer = Lexer::new(data, limits.max_nesting);
    let Ok(Object::Dictionary(dictionary)) = lexer.object() else { return };
    let data = data.get(lexer.position()..).unwrap_or_default().to_vec();
    let stream = Stream { dictionary, data: data.into() };
    let Ok(stream) = ObjectStream::read(&stream, &EmptyDocument { limits: limits.clone() }, &limits) else { return };
    for number in 0..16 {
        let _ = stream.object(number, &limits);
    }
}

/// Decodes data with the filter `name`. The first five bytes are its parameters.
pub fn filter(name: &str, data: &[u8]) {
    let Some((&[predictor, colors, bits, columns, early], rest)) = data.split_first_chunk() else { return };
    let number = |key: &[u8], value: u8| (Name::new(key), Object::Integer(i64::from(value)));
    let parameters = Dictionary::from_entries(vec![
        number(b"Predictor", predictor % 20),
        number(b"Colors", colors),
        number(b"BitsPerComponent", bits),
        number(b"Columns", columns),
        number(b"EarlyChange", early % 2),
    ]);
    let filters = [(Object::name(name.as_bytes()), Object::Dictionary(parameters))];
    let limits = small();
    if let Ok(decoded) = filter::decode(rest, &filters, &limits) {
        assert!(decoded.bytes.len() as u64 <= limits.max_stream_bytes, "more than max_stream_bytes");
    }
}

fn small() -> Limits {
    Limits { max_stream_bytes: 1_000_000, max_xref_sections: 50, ..Limits::default() }
}

/// A document without objects.
struct EmptyDocument {
    limits: Limits,
}

impl Objects for EmptyDocument {
    fn trailer(&self) -> &Dictionary {
        static EMPTY: std::sync::LazyLock<Dictionary> = std::sync::LazyLock::new(Dictionary::new);
        &EMPTY
    }

    fn fetch(&self, _: ObjectId) -> Result<Arc<Object>, DocumentError> {
        Ok(Arc::new(Object::Null))
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }
}

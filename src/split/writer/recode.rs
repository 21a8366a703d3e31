//! Re-encodes stream data in older filters (ISO 32000-2, 7.4) with Flate: lossless and smaller.
//!
//! Older producers used LZW, RunLength, ASCII85 and ASCIIHex. An image codec below such a filter stays. Data that does
//! not decode to its end, or leaves bytes over, is copied unchanged, since readers disagree about it.

use super::deflate;
use bytes::Bytes;
use pagewise_document::object::{Dictionary, Object, Stream};
use pagewise_document::objects::Objects;
use pagewise_document::{DocumentError, filter};

/// Filters that Flate replaces, with their abbreviations.
const REPLACED: [&[u8]; 8] =
    [b"LZWDecode", b"LZW", b"RunLengthDecode", b"RL", b"ASCII85Decode", b"A85", b"ASCIIHexDecode", b"AHx"];

/// The stream re-encoded with Flate; `None` if it must stay as it is, or would not become smaller.
pub(crate) fn recode(objects: &dyn Objects, stream: &Stream) -> Result<Option<Stream>, DocumentError> {
    let dictionary = &stream.dictionary;
    match dictionary.get(b"Filter") {
        None => return Ok(None),
        Some(Object::Name(filter)) if !REPLACED.contains(&filter.as_bytes()) => return Ok(None),
        Some(_) => {}
    }
    // The data is in another file (7.3.8.2).
    if dictionary.get(b"F").is_some() {
        return Ok(None);
    }
    let filters = filter::filters_of(dictionary, &mut |value| Ok((*objects.resolve(value)?).clone()))?;
    if !filters.iter().any(|(filter, _)| filter.as_name().is_some_and(|name| REPLACED.contains(&name))) {
        return Ok(None);
    }
    let decoded = match filter::decode(&stream.data, &filters, objects.limits()) {
        Err(stopped @ DocumentError::Stopped(_)) => return Err(stopped),
        Err(_) => return Ok(None),
        Ok(decoded) => decoded,
    };
    if !decoded.is_exact {
        return Ok(None);
    }
    let new = match decoded.stopped_at {
        None => {
            let flate = [(Object::name(b"FlateDecode"), Object::Null)];
            deflate(&decoded.bytes).map(|data| encoded_stream(dictionary, &flate, data))
        }
        Some(codec) => filters.get(codec..).map(|rest| encoded_stream(dictionary, rest, decoded.bytes.into_owned())),
    };
    Ok(new.filter(|new| new.data.len() < stream.data.len()))
}

/// A stream of `data`, which is encoded by `filters`.
fn encoded_stream(dictionary: &Dictionary, filters: &[(Object, Object)], data: Vec<u8>) -> Stream {
    let mut dictionary = dictionary.clone();
    let (filter, parameters) = match filters {
        [(filter, parameters)] => (filter.clone(), parameters.clone()),
        several => {
            let each =
                |part: fn(&(Object, Object)) -> &Object| Object::Array(several.iter().map(part).cloned().collect());
            (each(|(filter, _)| filter), each(|(_, parameters)| parameters))
        }
    };
    dictionary.set(b"Filter", filter);
    dictionary.remove(b"DecodeParms");
    let has_parameters = match &parameters {
        Object::Array(each) => each.iter().any(|own| !own.is_null()),
        own => !own.is_null(),
    };
    if has_parameters {
        dictionary.set(b"DecodeParms", parameters);
    }
    Stream { dictionary, data: Bytes::from(data) }
}

//! Streams of encrypted documents after their data was decrypted.

use crate::error::DocumentError;
use crate::object::{Dictionary, Object, Stream};
use flate2::{Decompress, FlushDecompress, Status};

/// Builds a stream from decrypted data, without its `Crypt` filter, which would ask for a second decryption.
///
/// # Errors
/// [`DocumentError::Damaged`] if the data does not inflate although its filter is `FlateDecode`: then the key was wrong.
pub(crate) fn decrypted_stream(mut dictionary: Dictionary, data: Vec<u8>) -> Result<Object, DocumentError> {
    drop_crypt_filter(&mut dictionary);
    let stored = dictionary.get(b"Length").and_then(Object::as_integer).unwrap_or(0);
    // 32 bytes of AES data may be all padding.
    if data.is_empty() && stored > 32 {
        return Err(DocumentError::damaged("a stream that cannot be decrypted"));
    }
    if first_filter_is_flate(&dictionary) && !begins_to_inflate(&data) {
        return Err(DocumentError::damaged("a decrypted stream that does not inflate"));
    }
    Ok(Object::Stream(Box::new(Stream { dictionary, data: data.into() })))
}

/// Removes `Crypt` from `/Filter`, and its entry from `/DecodeParms` (7.4.10). It can only be the first filter.
fn drop_crypt_filter(dictionary: &mut Dictionary) {
    let is_crypt = |filter: &Object| filter.is_name(b"Crypt");
    match dictionary.get(b"Filter") {
        Some(filter) if is_crypt(filter) => {
            dictionary.remove(b"Filter");
            dictionary.remove(b"DecodeParms");
        }
        Some(Object::Array(filters)) if filters.first().is_some_and(is_crypt) => {
            let rest = filters.iter().skip(1).cloned().collect();
            dictionary.set(b"Filter", Object::Array(rest));
            if let Some(Object::Array(parameters)) = dictionary.get(b"DecodeParms") {
                let rest = parameters.iter().skip(1).cloned().collect();
                dictionary.set(b"DecodeParms", Object::Array(rest));
            }
        }
        _ => {}
    }
}

fn first_filter_is_flate(dictionary: &Dictionary) -> bool {
    let filter = match dictionary.get(b"Filter") {
        Some(Object::Array(filters)) => filters.first(),
        filter => filter,
    };
    filter.is_some_and(|filter| filter.is_name(b"FlateDecode") || filter.is_name(b"Fl"))
}

fn begins_to_inflate(data: &[u8]) -> bool {
    if data.is_empty() {
        return true;
    }
    let mut out = [0; 64];
    let mut inflater = Decompress::new(true);
    match inflater.decompress(data, &mut out, FlushDecompress::None) {
        Ok(Status::StreamEnd) => true,
        Ok(_) => inflater.total_out() > 0,
        Err(_) => false,
    }
}

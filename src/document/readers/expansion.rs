//! Counts the decoded bytes of all object streams in a damaged file, before libraries decode them.

use crate::error::DocumentError;
use crate::filter;
use crate::lexer::Lexer;
use crate::object::{Dictionary, Object};
use memchr::memmem;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};

/// The number of libraries that decode every object stream of a file when they open it.
const LIBRARIES: u64 = 3;

/// Checks the decoded length of all object streams in `file`. It finds them by scanning, since cross-references may be wrong.
///
/// # Errors
/// [`Limit::DecodedBytes`] if the libraries together would decode more, and the limits on single streams.
pub(super) fn check_object_streams(file: &[u8], limits: &Limits) -> Result<(), DocumentError> {
    let (mut before, mut decoded) = (0, 0_u64);
    for keyword in memmem::find_iter(file, b"stream") {
        limits.deadline.check()?;
        let head = file.get(before..keyword).unwrap_or_default();
        before = keyword;
        let Some(dictionary) = object_stream(head, limits) else { continue };
        decoded = decoded.saturating_add(decoded_length(&dictionary, data_after(file, keyword, &dictionary), limits)?);
        LimitExceeded::check(Limit::DecodedBytes, decoded.saturating_mul(LIBRARIES), limits.max_decoded_bytes)?;
    }
    Ok(())
}

/// The dictionary at the end of `head`, if it has `/First`, which every object stream has (7.5.7).
fn object_stream(head: &[u8], limits: &Limits) -> Option<Dictionary> {
    let start = memmem::rfind(head, b"obj")? + b"obj".len();
    let dictionary = head.get(start..)?;
    // The key may contain escapes.
    if memmem::find(dictionary, b"First").is_none() && !dictionary.contains(&b'#') {
        return None;
    }
    let object = Lexer::within(dictionary, limits).object().ok()?;
    object.as_dictionary().filter(|dictionary| dictionary.get(b"First").is_some()).cloned()
}

/// The data of the stream whose keyword is at `keyword`. Without a direct length, the filter finds its end.
fn data_after<'f>(file: &'f [u8], keyword: usize, dictionary: &Dictionary) -> &'f [u8] {
    let rest = file.get(keyword + b"stream".len()..).unwrap_or_default();
    let rest = rest.strip_prefix(b"\r").unwrap_or(rest);
    let rest = rest.strip_prefix(b"\n").unwrap_or(rest);
    let length = dictionary.get(b"Length").and_then(Object::as_integer);
    length.and_then(|length| rest.get(..usize::try_from(length).ok()?)).unwrap_or(rest)
}

/// The decoded length of `data`; 0 if it cannot be decoded.
fn decoded_length(dictionary: &Dictionary, data: &[u8], limits: &Limits) -> Result<u64, DocumentError> {
    let decoded = filter::filters_of(dictionary, &mut |value| Ok(value.clone()))
        .and_then(|filters| filter::decode(data, &filters, limits));
    match decoded {
        Ok(decoded) => Ok(u64::try_from(decoded.bytes.len()).unwrap_or(u64::MAX)),
        Err(error @ (DocumentError::Limit(_) | DocumentError::Stopped(_))) => Err(error),
        Err(_) => Ok(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagewise_base::limits::Deadline;

    fn outcome(head: &str, copies: usize, max_decoded_bytes: u64) -> Result<(), DocumentError> {
        let mut data = vec![0; 99];
        let length = libdeflater::Compressor::default().zlib_compress(&[b' '; 1000], &mut data);
        data.truncate(length.unwrap_or_default());
        let object = [b"4 0 obj", head.as_bytes(), b"stream\r\n", &data, b"\nendstream endobj\n"].concat();
        let limits = Limits { max_decoded_bytes, deadline: Deadline::default(), ..Limits::default() };
        check_object_streams(&object.repeat(copies), &limits)
    }

    #[test]
    fn object_streams_are_counted_for_each_library() {
        for head in ["<</N 1/First 4/Filter/FlateDecode>>", "<</N 1/F#69rst 4/Filter/FlateDecode/Length 9 0 R>>"] {
            assert_eq!(outcome(head, 5, 15_000), Ok(()), "{head}");
            assert!(matches!(outcome(head, 5, 14_999), Err(DocumentError::Limit(_))), "{head}");
        }
        assert_eq!(outcome("<</Filter/FlateDecode>>", 5, 0), Ok(()), "other streams are not decoded by all");
    }
}

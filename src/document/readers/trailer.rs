//! Finds the trailer (ISO 32000-2, 7.5.5) for readers that do not expose it.

use super::direct;
use crate::bytes::FileBytes;
use crate::error::DocumentError;
use crate::lexer::Lexer;
use crate::object::{Dictionary, Object};
use pagewise_base::limits::Limits;

/// The most trailers that are read from the end of a damaged file. Each incremental update has one.
const MAX_TRAILERS: usize = 64;

/// The most bytes between the beginning of a cross-reference stream's dictionary and its `/XRef`.
const DICTIONARY_BYTES: usize = 4 << 10;

/// The trailer found through the cross-reference sections. If these are damaged, all trailers in the file are merged, and
/// the last value of a key counts.
pub(crate) fn find(file: &FileBytes, limits: &Limits) -> Result<Dictionary, DocumentError> {
    match direct::trailer(file, limits) {
        Ok(trailer) => Ok(trailer),
        Err(error) if error.is_worth_another_reader() => Ok(scan(&file.whole()?, limits)),
        Err(error) => Err(error),
    }
}

fn scan(bytes: &[u8], limits: &Limits) -> Dictionary {
    let mut merged = Dictionary::new();
    for found in trailers_after_keyword(bytes, limits).into_iter().chain(reference_streams(bytes, limits)) {
        for (key, value) in found.iter() {
            if merged.get(key.as_bytes()).is_none() {
                merged.set(key.as_bytes(), value.clone());
            }
        }
    }
    merged
}

/// Dictionaries after the keyword `trailer`, the last one first.
fn trailers_after_keyword(bytes: &[u8], limits: &Limits) -> Vec<Dictionary> {
    let places = last_places(bytes, b"trailer").into_iter();
    places.filter_map(|at| dictionary_at(bytes, at + b"trailer".len(), limits)).collect()
}

/// Dictionaries of cross-reference streams, the last one first.
fn reference_streams(bytes: &[u8], limits: &Limits) -> Vec<Dictionary> {
    let places = last_places(bytes, b"/XRef").into_iter();
    let found = places.filter_map(|at| {
        let start = at.saturating_sub(DICTIONARY_BYTES);
        let before = bytes.get(start..at)?;
        let head = before.windows(4).rposition(|window| window == b"obj " || window.starts_with(b"obj"))?;
        dictionary_at(bytes, start + head + b"obj".len(), limits)
    });
    found.filter(|dictionary| dictionary.is_type(b"XRef")).collect()
}

fn last_places(bytes: &[u8], needle: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut end = bytes.len();
    while places.len() < MAX_TRAILERS {
        let Some(at) = rfind(bytes.get(..end).unwrap_or_default(), needle) else { break };
        places.push(at);
        end = at;
    }
    places
}

fn rfind(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let first = needle.first()?;
    let mut end = bytes.len();
    loop {
        let at = bytes.get(..end)?.iter().rposition(|byte| byte == first)?;
        if bytes.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        end = at;
    }
}

fn dictionary_at(bytes: &[u8], at: usize, limits: &Limits) -> Option<Dictionary> {
    match Lexer::within(bytes, limits).at(at).object() {
        Ok(Object::Dictionary(dictionary)) => Some(dictionary),
        _ => None,
    }
}

//! Reads indirect objects through a window of the file that grows until the object fits.

use super::ObjectKind;
use crate::bytes::{FileBytes, to_usize};
use crate::error::DocumentError;
use crate::lexer::{Glance, Lexer, Syntax, is_white_space};
use crate::object::{Dictionary, Object, ObjectId};
use bytes::Bytes;
use memchr::memmem::Finder;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::ops::Range;
use std::sync::LazyLock;

/// The size of the first window. Most objects other than streams fit.
const WINDOW_BYTES: u64 = 2 << 10;

/// The largest part read at once in the search for the end of a long object.
const MAX_STEP_BYTES: u64 = 256 << 10;

/// Finds the keyword after stream data. Building the searcher costs more than a short search.
static STREAM_END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"endstream"));

/// A cross-reference stream (7.5.8). Reading it needs no other object.
pub(crate) struct CrossReferenceStream {
    pub(crate) dictionary: Dictionary,
    pub(crate) data: Bytes,
    /// Bytes of the object without its data.
    pub(crate) length: usize,
}

/// An indirect object; for a stream, its dictionary and the offset of its data.
pub(crate) struct IndirectObject {
    pub(crate) id: ObjectId,
    pub(crate) object: Object,
    /// Bytes of the object without stream data.
    pub(crate) length: usize,
    /// Offset of the first byte of stream data; `None` for other objects.
    pub(crate) data_start: Option<u64>,
}

/// Calls `read` with a growing window of the file at `at` until it is no longer [`Syntax::Incomplete`].
fn with_window<T>(
    file: &FileBytes,
    at: u64,
    limits: &Limits,
    mut read: impl FnMut(&mut Lexer<'_>) -> Result<T, Syntax>,
) -> Result<T, DocumentError> {
    let mut size = WINDOW_BYTES;
    loop {
        match file.with_slice(at, size, |window| read(&mut Lexer::within(window, limits)))? {
            Ok(value) => return Ok(value),
            Err(Syntax::Incomplete) if at.saturating_add(size) < file.len() => {
                size = grown_size(file, at, size, limits)?;
            }
            Err(Syntax::Incomplete) if at >= file.len() => {
                return Err(DocumentError::damaged_at("an object that would stand past the end of the file", at));
            }
            Err(Syntax::Incomplete) => return Err(DocumentError::damaged_at("an object without an end", at)),
            Err(Syntax::Malformed(inside)) => {
                return Err(DocumentError::damaged_at("a malformed object", at.saturating_add(inside as u64)));
            }
            Err(syntax @ (Syntax::TooDeep | Syntax::TooMany)) => {
                let too_much = DocumentError::damaged_at("an object past a limit", at);
                return Err(syntax.limit(limits).map_or(too_much, DocumentError::from));
            }
        }
    }
}

/// The next size of a window at `at` that ended too early at `size`: up to the next keyword that can end an object.
fn grown_size(file: &FileBytes, at: u64, size: u64, limits: &Limits) -> Result<u64, DocumentError> {
    // Bytes of a keyword, and of what must follow it.
    const KEYWORD: u64 = 16;
    let mut seen = size;
    let mut step = size;
    while at.saturating_add(seen) < file.len() {
        LimitExceeded::check(Limit::StreamBytes, seen, limits.max_stream_bytes)?;
        let before = seen.saturating_sub(KEYWORD);
        let part = file.slice(at.saturating_add(before), step.saturating_add(KEYWORD))?;
        let ends = [&b"endobj"[..], b"stream", b"startxref"].map(|end| memchr::memmem::find(&part, end));
        let end = ends.into_iter().flatten().map(|end| before.saturating_add(end as u64).saturating_add(KEYWORD));
        if let Some(end) = end.min() {
            // At least double: a string full of such keywords would otherwise be read again and again.
            return Ok(end.max(size.saturating_mul(2)));
        }
        seen = seen.saturating_add(step);
        step = step.saturating_mul(2).min(MAX_STEP_BYTES);
    }
    Ok(seen)
}

/// Reads a trailer's dictionary, which is a direct object. Also returns its length in bytes.
pub(crate) fn read_dictionary(
    file: &FileBytes,
    at: u64,
    limits: &Limits,
) -> Result<(Dictionary, usize), DocumentError> {
    match with_window(file, at, limits, |lexer| lexer.object().map(|object| (object, lexer.position())))? {
        (Object::Dictionary(dictionary), length) => Ok((dictionary, length)),
        _ => Err(DocumentError::damaged_at("a trailer that is not a dictionary", at)),
    }
}

/// Reads the indirect object at `at`, without stream data.
pub(crate) fn read_indirect(file: &FileBytes, at: u64, limits: &Limits) -> Result<IndirectObject, DocumentError> {
    with_window(file, at, limits, |lexer| {
        let id = lexer.indirect_head()?;
        let object = lexer.object()?;
        let length = lexer.position();
        if lexer.clone().keyword(b"endobj").is_ok() {
            return Ok(IndirectObject { id, object, length, data_start: None });
        }
        lexer.keyword(b"stream")?;
        lexer.end_of_line()?;
        Ok(IndirectObject { id, object, length, data_start: Some(at.saturating_add(lexer.position() as u64)) })
    })
}

/// Scans the indirect object `number` at `at`, including stream data, and calls `found` for each reference in it.
/// Stream data that is one of `checked_ranges`, which are in order, is known to contain no end of a stream.
pub(crate) fn scan_references(
    file: &FileBytes,
    (number, at): (u32, u64),
    checked_ranges: &[Range<u64>],
    limits: &Limits,
    found: &mut impl FnMut(ObjectId),
) -> Result<ObjectKind, DocumentError> {
    let (id, scan, data) = with_window(file, at, limits, |lexer| {
        let id = lexer.indirect_head()?;
        let scan = lexer.scan_references(found)?;
        if lexer.clone().keyword(b"endobj").is_ok() {
            return Ok((id, scan, None));
        }
        lexer.keyword(b"stream")?;
        lexer.end_of_line()?;
        Ok((id, scan, Some(at.saturating_add(lexer.position() as u64))))
    })?;
    if id.number != number {
        return Err(DocumentError::damaged_at("not the object that the cross references name", at));
    }
    let Some(start) = data else {
        return Ok(if scan.is_page { ObjectKind::Page } else { ObjectKind::Other });
    };
    let length = scan.length.ok_or(DocumentError::damaged_at("a stream without a /Length", at))?;
    let known = checked_ranges.binary_search_by_key(&start, |data| data.start).ok();
    let known = known.and_then(|at| checked_ranges.get(at));
    let data = stream_data_at(file, start, length)?;
    if known.is_none_or(|known| known.end != start.saturating_add(length)) {
        refuse_stream_end(&data, start)?;
    }
    Ok(if scan.is_page { ObjectKind::Page } else { ObjectKind::Stream })
}

/// Glances at the dictionary `number` at `at`. `None` if it does not fit into one window, is a stream, or is irregular.
pub(crate) fn glance(file: &FileBytes, number: u32, at: u64, limits: &Limits) -> Result<Option<Glance>, DocumentError> {
    file.with_slice(at, WINDOW_BYTES, |window| {
        let mut lexer = Lexer::within(window, limits);
        if !lexer.indirect_head().is_ok_and(|id| id.number == number) {
            return None;
        }
        let glance = lexer.glance().ok().flatten();
        glance.filter(|_| lexer.keyword(b"endobj").is_ok())
    })
}

/// Reads `length` bytes of stream data at `start`, which `endstream` must follow.
pub(crate) fn read_data(file: &FileBytes, start: u64, length: u64) -> Result<Bytes, DocumentError> {
    let data = stream_data_at(file, start, length)?;
    refuse_stream_end(&data, start)?;
    Ok(data)
}

fn stream_data_at(file: &FileBytes, start: u64, length: u64) -> Result<Bytes, DocumentError> {
    const TAIL: u64 = 16;
    let bytes = file.slice(start, length.saturating_add(TAIL))?;
    let tail = bytes.get(to_usize(length)..).unwrap_or_default();
    let after = tail.iter().position(|byte| !is_white_space(*byte)).unwrap_or(tail.len());
    let found = tail.get(after..).is_some_and(|rest| rest.starts_with(b"endstream"));
    // If the keyword does not follow within an end of line, /Length is wrong.
    if !found || after > 2 {
        return Err(DocumentError::damaged_at("a stream whose /Length is wrong", start));
    }
    Ok(bytes.slice(..to_usize(length)))
}

/// Refuses data that spans the end of a stream: a wrong `/Length` may end at the end of a later stream.
fn refuse_stream_end(data: &[u8], start: u64) -> Result<(), DocumentError> {
    if contains_stream_end(data) {
        Err(DocumentError::damaged_at("a stream that holds the end of a stream", start))
    } else {
        Ok(())
    }
}

/// Whether stream data contains `endstream` and `endobj`, as at the end of a stream.
pub fn contains_stream_end(data: &[u8]) -> bool {
    let mut ends = STREAM_END.find_iter(data);
    ends.any(|at| Lexer::new(data.get(at + 9..).unwrap_or_default(), 1).keyword(b"endobj").is_ok())
}

/// Reads a cross-reference stream, whose `/Length` must be direct.
pub(crate) fn read_cross_reference_stream(
    file: &FileBytes,
    at: u64,
    limits: &Limits,
) -> Result<CrossReferenceStream, DocumentError> {
    let found = read_indirect(file, at, limits)?;
    let (Object::Dictionary(dictionary), Some(start)) = (found.object, found.data_start) else {
        return Err(DocumentError::damaged_at("no cross-reference section", at));
    };
    let bytes = dictionary.get(b"Length").and_then(Object::as_integer).and_then(|length| u64::try_from(length).ok());
    let bytes = bytes.ok_or(DocumentError::damaged_at("a cross-reference stream without a direct /Length", at))?;
    let data = read_data(file, start, bytes)?;
    Ok(CrossReferenceStream { dictionary, data, length: found.length })
}

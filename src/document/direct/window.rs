//! Indirect objects read through a window of the file that grows until the object fits.

use super::super::bytes::{FileBytes, to_usize};
use super::super::error::DocumentError;
use super::super::lexer::{Glance, Lexer, Syntax, is_white_space};
use super::super::object::{Dictionary, Object, ObjectId};
use crate::limits::{Limit, LimitExceeded, Limits};
use bytes::Bytes;
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::LazyLock;

/// The first window; most objects that are no streams fit.
const WINDOW_BYTES: u64 = 2 << 10;

/// The most that is read at once while the end of a long object is looked for.
const MAX_STEP_BYTES: u64 = 256 << 10;

/// What follows the data of a stream. Made once: making it cost a sixth of looking for it.
static END: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"endstream"));

/// A stream that was read without help from other objects.
pub(crate) struct Indirect {
    pub(crate) dictionary: Dictionary,
    pub(crate) data: Bytes,
    /// Bytes of the object without its data.
    pub(crate) length: usize,
}

/// What stands at an offset: an object, and for a stream where its data begins.
pub(crate) struct Found {
    pub(crate) id: ObjectId,
    pub(crate) object: Object,
    /// Bytes of the object, without a stream's data.
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
        match file.look(at, size, |window| read(&mut Lexer::within(window, limits)))? {
            Ok(value) => return Ok(value),
            Err(Syntax::Incomplete) if at.saturating_add(size) < file.len() => {
                size = next_end(file, at, size, limits)?;
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

/// A size of the window at `at` with which an object that is longer than `size` may be whole: up to the next place that
/// can end one. Long objects are read twice otherwise, and more bytes than they have.
fn next_end(file: &FileBytes, at: u64, size: u64, limits: &Limits) -> Result<u64, DocumentError> {
    // A keyword, and what must follow for it to be known as one.
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
            // Never by little: a string full of such words would be read again and again.
            return Ok(end.max(size.saturating_mul(2)));
        }
        seen = seen.saturating_add(step);
        step = step.saturating_mul(2).min(MAX_STEP_BYTES);
    }
    Ok(seen)
}

/// Reads a dictionary that is not an indirect object, a trailer's, and gives its length too.
pub(crate) fn read_dictionary(
    file: &FileBytes,
    at: u64,
    limits: &Limits,
) -> Result<(Dictionary, usize), DocumentError> {
    match with_window(file, at, limits, |lexer| lexer.object().map(|object| (object, lexer.position())))? {
        (Object::Dictionary(dictionary), length) => Ok((dictionary, length)),
        _ => Err(DocumentError::damaged_at("a trailer that is no dictionary", at)),
    }
}

/// Reads the indirect object at `at`, but not a stream's data.
pub(crate) fn read_indirect(file: &FileBytes, at: u64, limits: &Limits) -> Result<Found, DocumentError> {
    with_window(file, at, limits, |lexer| {
        let id = lexer.indirect_head()?;
        let object = lexer.object()?;
        let length = lexer.position();
        if lexer.clone().keyword(b"endobj").is_ok() {
            return Ok(Found { id, object, length, data_start: None });
        }
        lexer.keyword(b"stream")?;
        lexer.end_of_line()?;
        Ok(Found { id, object, length, data_start: Some(at.saturating_add(lexer.position() as u64)) })
    })
}

/// An object that was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    Page,
    Stream,
    Other,
}

/// Passes over the indirect object `number` at `at`, a stream's data included, and tells `found` of the references in it.
/// Data that is one of `plain`, places in their order, is known to hold no end of a stream.
pub(crate) fn survey(
    file: &FileBytes,
    (number, at): (u32, u64),
    plain: &[Range<u64>],
    limits: &Limits,
    found: &mut impl FnMut(ObjectId),
) -> Result<Passed, DocumentError> {
    let (id, surveyed, data) = with_window(file, at, limits, |lexer| {
        let id = lexer.indirect_head()?;
        let surveyed = lexer.survey(found)?;
        if lexer.clone().keyword(b"endobj").is_ok() {
            return Ok((id, surveyed, None));
        }
        lexer.keyword(b"stream")?;
        lexer.end_of_line()?;
        Ok((id, surveyed, Some(at.saturating_add(lexer.position() as u64))))
    })?;
    if id.number != number {
        return Err(DocumentError::damaged_at("another object than the cross references say", at));
    }
    let Some(start) = data else {
        return Ok(if surveyed.is_page { Passed::Page } else { Passed::Other });
    };
    let length = surveyed.length.ok_or(DocumentError::damaged_at("a stream without a /Length", at))?;
    let known = plain.binary_search_by_key(&start, |data| data.start).ok().and_then(|at| plain.get(at));
    let data = data_at(file, start, length)?;
    if known.is_none_or(|known| known.end != start.saturating_add(length)) {
        check_plain(&data, start)?;
    }
    Ok(if surveyed.is_page { Passed::Page } else { Passed::Stream })
}

/// Glances at the dictionary that is the indirect object `number` at `at`; `None` for what does not fit into one window, for
/// a stream, and for whatever is odd.
pub(crate) fn glance(file: &FileBytes, number: u32, at: u64, limits: &Limits) -> Result<Option<Glance>, DocumentError> {
    file.look(at, WINDOW_BYTES, |window| {
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
    let data = data_at(file, start, length)?;
    check_plain(&data, start)?;
    Ok(data)
}

fn data_at(file: &FileBytes, start: u64, length: u64) -> Result<Bytes, DocumentError> {
    const TAIL: u64 = 16;
    let bytes = file.slice(start, length.saturating_add(TAIL))?;
    let tail = bytes.get(to_usize(length)..).unwrap_or_default();
    let after = tail.iter().position(|byte| !is_white_space(*byte)).unwrap_or(tail.len());
    let found = tail.get(after..).is_some_and(|rest| rest.starts_with(b"endstream"));
    // An end of line and the keyword must follow at once; else /Length is wrong, and data may be lost or foreign.
    if !found || after > 2 {
        return Err(DocumentError::damaged_at("a stream whose /Length is wrong", start));
    }
    Ok(bytes.slice(..to_usize(length)))
}

/// A length that reaches to the end of another stream looks right there and takes the objects between along.
fn check_plain(data: &[u8], start: u64) -> Result<(), DocumentError> {
    if holds_end(data) {
        Err(DocumentError::damaged_at("a stream that holds the end of a stream", start))
    } else {
        Ok(())
    }
}

/// Whether the data of a stream looks as if a stream and its object ended in it.
pub(crate) fn holds_end(data: &[u8]) -> bool {
    let mut ends = END.find_iter(data);
    ends.any(|at| Lexer::new(data.get(at + 9..).unwrap_or_default(), 1).keyword(b"endobj").is_ok())
}

/// Reads a cross-reference stream, whose `/Length` must be direct.
pub(crate) fn read_cross_reference_stream(
    file: &FileBytes,
    at: u64,
    limits: &Limits,
) -> Result<Indirect, DocumentError> {
    let found = read_indirect(file, at, limits)?;
    let (Object::Dictionary(dictionary), Some(start)) = (found.object, found.data_start) else {
        return Err(DocumentError::damaged_at("no cross-reference section", at));
    };
    let bytes = dictionary.get(b"Length").and_then(Object::as_integer).and_then(|length| u64::try_from(length).ok());
    let bytes = bytes.ok_or(DocumentError::damaged_at("a cross-reference stream without a direct /Length", at))?;
    let data = read_data(file, start, bytes)?;
    Ok(Indirect { dictionary, data, length: found.length })
}

//! The cross-reference chain (ISO 32000-2, 7.5.4 and 7.5.8), left where it is: a table's entries are read when they
//! are asked for, twenty bytes each, so that opening costs nothing for a million objects. A stream's rows are decoded
//! once and indexed.

use super::super::bytes::{FileBytes, to_usize};
use super::super::error::DocumentError;
use super::super::filter;
use super::super::lexer::{Lexer, Syntax};
use super::super::object::{Dictionary, Object};
use super::window::{self, Indirect};
use crate::limits::{LimitExceeded, Limits};
use bytes::Bytes;
use std::collections::HashSet;

/// Where an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Not in use: the null object.
    Free,
    /// At a byte of the file.
    Offset(u64),
    /// The member of an object stream.
    InStream {
        /// The object stream's number.
        container: u32,
    },
}

/// A cross-reference section.
enum Section {
    /// `hides` where a cross-reference stream of the same update has entries that this table calls free (7.5.8.4).
    Table {
        runs: Vec<Run>,
        hides: bool,
    },
    Stream {
        rows: Vec<u8>,
        widths: [usize; 3],
        runs: Vec<Run>,
    },
}

/// A run of entries: `count` objects from number `first`; `start` is the offset of its first entry, in the file for a
/// table, in the rows for a stream.
struct Run {
    first: u64,
    count: u64,
    start: u64,
}

/// Bytes of an entry in a cross-reference table, its end of line included.
const ENTRY_BYTES: u64 = 20;

/// The chain of sections, the newest first.
pub(crate) struct CrossReferences {
    sections: Vec<Section>,
    /// The newest trailer, with what only older ones have.
    pub(crate) trailer: Dictionary,
    /// Bytes before the header, added to every offset where the file's offsets count from the header.
    pub(crate) shift: u64,
}

struct Chain<'a> {
    file: &'a FileBytes,
    limits: &'a Limits,
    shift: u64,
    seen: HashSet<u64>,
    sections: Vec<Section>,
    trailer: Option<Dictionary>,
}

impl CrossReferences {
    /// Follows the chain from the offset that `startxref` gives.
    pub(crate) fn read(file: &FileBytes, start: u64, shift: u64, limits: &Limits) -> Result<Self, DocumentError> {
        let mut chain = Chain { file, limits, shift, seen: HashSet::new(), sections: Vec::new(), trailer: None };
        let mut next = Some(start);
        while let Some(offset) = next {
            next = chain.section(offset)?;
        }
        let trailer = chain.trailer.ok_or(DocumentError::damaged("no trailer"))?;
        Ok(Self { sections: chain.sections, trailer, shift })
    }

    /// Where object `number` is, by the newest section that knows it.
    pub(crate) fn entry(&self, file: &FileBytes, number: u32) -> Result<Entry, DocumentError> {
        let mut hidden = false;
        for section in &self.sections {
            match section.entry(file, u64::from(number))? {
                Some(Entry::Free) if matches!(section, Section::Table { hides: true, .. }) => hidden = true,
                Some(Entry::Offset(offset)) => return Ok(Entry::Offset(offset.saturating_add(self.shift))),
                Some(other) => return Ok(other),
                // Free after all: an older update has nothing to say.
                None if hidden => return Ok(Entry::Free),
                None => {}
            }
        }
        Ok(Entry::Free)
    }
}

impl Chain<'_> {
    /// Reads the section at `offset` and gives the offset of the one before it.
    fn section(&mut self, offset: u64) -> Result<Option<u64>, DocumentError> {
        self.limits.deadline.check()?;
        let at = offset.saturating_add(self.shift);
        if !self.seen.insert(at) {
            return Err(DocumentError::damaged_at("a loop of cross-reference sections", at));
        }
        LimitExceeded::check("max_xref_sections", self.seen.len() as u64, u64::from(self.limits.max_xref_sections))?;
        let head = self.file.slice(at, 32)?;
        let mut lexer = Lexer::new(&head, 1);
        lexer.skip_space();
        let dictionary = if lexer.keyword(b"xref").is_ok() {
            let after = at.saturating_add(lexer.position() as u64);
            self.table(after)?
        } else {
            self.stream(at)?
        };
        let previous = match dictionary.get(b"Prev") {
            None | Some(Object::Null) => None,
            Some(Object::Integer(previous)) => {
                Some(u64::try_from(*previous).map_err(|_| DocumentError::damaged_at("a negative /Prev", at))?)
            }
            Some(_) => return Err(DocumentError::damaged_at("a /Prev that is no integer", at)),
        };
        self.merge_trailer(dictionary);
        Ok(previous)
    }

    fn merge_trailer(&mut self, older: Dictionary) {
        match &mut self.trailer {
            None => self.trailer = Some(older),
            Some(trailer) => {
                for (key, value) in older.iter() {
                    if trailer.get(key.as_bytes()).is_none() {
                        trailer.set(key.as_bytes(), value.clone());
                    }
                }
            }
        }
    }

    /// Reads the headers of a table's subsections, jumping over the entries, then the trailer.
    fn table(&mut self, mut at: u64) -> Result<Dictionary, DocumentError> {
        let mut runs = Vec::new();
        loop {
            self.limits.deadline.check()?;
            let window = self.file.slice(at, 64)?;
            let mut lexer = Lexer::new(&window, 1);
            if lexer.keyword(b"trailer").is_ok() {
                at = at.saturating_add(lexer.position() as u64);
                break;
            }
            let malformed = |_: Syntax| DocumentError::damaged_at("a malformed cross-reference table", at);
            let first = lexer.unsigned().map_err(malformed)?;
            let count = lexer.unsigned().map_err(malformed)?;
            lexer.skip_space();
            let start = at.saturating_add(lexer.position() as u64);
            LimitExceeded::check(
                "max_xref_sections",
                runs.len() as u64,
                u64::from(self.limits.max_xref_sections) * 100,
            )?;
            runs.push(Run { first, count, start });
            let bytes = count.checked_mul(ENTRY_BYTES).filter(|bytes| start.saturating_add(*bytes) <= self.file.len());
            at = start
                .saturating_add(bytes.ok_or(DocumentError::damaged_at("a cross-reference table past the end", at))?);
        }
        let trailer = window::read_dictionary(self.file, at, self.limits)?;
        let hybrid = trailer.get(b"XRefStm").and_then(Object::as_integer);
        self.sections.push(Section::Table { runs, hides: hybrid.is_some() });
        if let Some(hybrid) = hybrid {
            let hybrid = u64::try_from(hybrid).map_err(|_| DocumentError::damaged_at("a negative /XRefStm", at))?;
            // Looked up after the table and before /Prev (7.5.8.4).
            self.stream(hybrid.saturating_add(self.shift))?;
        }
        Ok(trailer)
    }

    fn stream(&mut self, at: u64) -> Result<Dictionary, DocumentError> {
        let Indirect { dictionary, data, .. } = window::read_cross_reference_stream(self.file, at, self.limits)?;
        if !dictionary.is_type(b"XRef") {
            return Err(DocumentError::damaged_at("a cross-reference stream without its type", at));
        }
        let rows = decode_rows(&dictionary, &data, self.limits)?;
        let section = indexed_rows(&dictionary, rows)
            .ok_or(DocumentError::damaged_at("a malformed cross-reference stream", at))?;
        self.sections.push(section);
        Ok(dictionary)
    }
}

fn decode_rows(dictionary: &Dictionary, data: &Bytes, limits: &Limits) -> Result<Vec<u8>, DocumentError> {
    let filters = filter::filters_of(dictionary, &mut |value| Ok(value.clone()))?;
    let decoded = filter::decode(data, &filters, limits)?;
    if !decoded.intact || decoded.stopped_at.is_some() {
        return Err(DocumentError::damaged("a cross-reference stream that does not decode"));
    }
    Ok(decoded.bytes.into_owned())
}

fn indexed_rows(dictionary: &Dictionary, rows: Vec<u8>) -> Option<Section> {
    let integers = |key: &[u8]| -> Option<Vec<u64>> {
        let elements = dictionary.get(key)?.as_array()?;
        elements.iter().map(|element| element.as_integer().and_then(|value| u64::try_from(value).ok())).collect()
    };
    let widths: [u64; 3] = integers(b"W")?.try_into().ok()?;
    if widths.iter().any(|width| *width > 8) {
        return None;
    }
    let row = widths.iter().sum::<u64>();
    let index = match dictionary.get(b"Index") {
        Some(_) => integers(b"Index")?,
        None => vec![0, u64::try_from(dictionary.get(b"Size")?.as_integer()?).ok()?],
    };
    let mut start = 0;
    let mut runs = Vec::new();
    for pair in index.chunks(2) {
        let &[first, count] = pair else { return None };
        runs.push(Run { first, count, start });
        start = count.checked_mul(row).and_then(|bytes| start.checked_add(bytes))?;
    }
    // Rows that are missing are refused; more than the index names are common and harmless.
    (row > 0 && start <= rows.len() as u64).then(|| Section::Stream { rows, widths: widths.map(to_usize), runs })
}

impl Section {
    fn entry(&self, file: &FileBytes, number: u64) -> Result<Option<Entry>, DocumentError> {
        let (Self::Table { runs, .. } | Self::Stream { runs, .. }) = self;
        let Some((run, at)) =
            runs.iter().find_map(|run| number.checked_sub(run.first).filter(|at| *at < run.count).map(|at| (run, at)))
        else {
            return Ok(None);
        };
        match self {
            Self::Table { .. } => {
                let at = run.start.saturating_add(at.saturating_mul(ENTRY_BYTES));
                let bytes = file.near(at, ENTRY_BYTES)?;
                table_entry(&bytes).map(Some).ok_or(DocumentError::damaged_at("a malformed cross-reference entry", at))
            }
            Self::Stream { rows, widths, .. } => {
                let size = widths.iter().sum::<usize>();
                let at = to_usize(run.start.saturating_add(at.saturating_mul(size as u64)));
                let row = rows.get(at..at.saturating_add(size)).unwrap_or_default();
                stream_entry(row, widths).ok_or(DocumentError::damaged("a malformed cross-reference row"))
            }
        }
    }
}

/// Reads `nnnnnnnnnn ggggg n`.
fn table_entry(bytes: &[u8]) -> Option<Entry> {
    let offset = bytes.get(..10).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    let generation = bytes.get(11..16).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    if bytes.get(10) != Some(&b' ') || bytes.get(16) != Some(&b' ') || generation.is_empty() {
        return None;
    }
    let offset = offset.iter().fold(0_u64, |value, byte| value * 10 + u64::from(byte - b'0'));
    match bytes.get(17)? {
        // An entry in use at offset 0, where the header is, is how some producers write a free one.
        b'n' if offset > 0 => Some(Entry::Offset(offset)),
        b'n' | b'f' => Some(Entry::Free),
        _ => None,
    }
}

/// Reads a row of a cross-reference stream (table 18).
fn stream_entry(row: &[u8], widths: &[usize; 3]) -> Option<Option<Entry>> {
    let [first, second, third] = widths;
    let field = |from: usize, width: usize| -> Option<u64> {
        let bytes = row.get(from..from + width)?;
        Some(bytes.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte)))
    };
    let kind = if *first == 0 { 1 } else { field(0, *first)? };
    let value = field(*first, *second)?;
    field(first + second, *third)?;
    Some(Some(match kind {
        1 => Entry::Offset(value),
        2 => Entry::InStream { container: u32::try_from(value).ok()? },
        0 => Entry::Free,
        // Null objects by the letter (7.5.8.3); but no such type was ever defined, and lying widths look like this.
        _ => return None,
    }))
}

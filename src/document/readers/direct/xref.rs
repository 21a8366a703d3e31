//! Cross-reference tables (ISO 32000-2, 7.5.4) and streams (7.5.8).
//!
//! Entries of a table are read from the file on request, so opening is cheap even with a million objects. Entries of a
//! stream are decoded once. A file may have thousands of sections: which one counts for a number is computed once, and
//! sections may not overlap, so reading them is bounded by the length of the file.

use super::coverage::{Coverage, CoverageIndex, Subsection};
use super::window::{self, CrossReferenceStream};
use crate::bytes::{FileBytes, to_usize};
use crate::error::DocumentError;
use crate::filter;
use crate::lexer::{Lexer, Syntax};
use crate::object::{Dictionary, Object};
use bytes::Bytes;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use std::collections::HashSet;

/// Where an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectLocation {
    /// The number is free and stands for the null object.
    Free,
    /// At this byte offset in the file.
    Offset(u64),
    /// In an object stream.
    InStream {
        /// The object stream's number.
        container: u32,
    },
}

enum CrossReferenceSection {
    Table {
        /// The index of the hybrid file's cross-reference stream (7.5.8.4).
        hybrid: Option<usize>,
    },
    Stream(StreamSection),
}

/// A decoded cross-reference stream.
struct StreamSection {
    bytes: Vec<u8>,
    widths: [usize; 3],
    subsections: Vec<Subsection>,
}

/// Bytes of an entry in a cross-reference table, including the end of line.
const ENTRY_BYTES: u64 = 20;

/// Enough bytes for the beginning of a section or subsection.
const HEAD_BYTES: u64 = 64;

/// Subsections allowed for each section in `max_xref_sections`. Updates have one or two.
const SUBSECTIONS_A_SECTION: u64 = 10;

/// Trailer entries (table 15) that are taken from an older trailer if the newer ones lack them.
const INHERITED: [&[u8]; 5] = [b"Encrypt", b"ID", b"Info", b"Root", b"Size"];

/// All cross-reference sections of a file.
pub(crate) struct CrossReferences {
    sections: Vec<CrossReferenceSection>,
    /// The newest section and subsection for each object number.
    index: CoverageIndex,
    /// The newest trailer, completed from older ones.
    pub(crate) trailer: Dictionary,
    /// Added to every offset: the bytes before the header, if offsets count from there.
    pub(crate) shift: u64,
}

impl CrossReferences {
    /// Reads all sections, beginning at the offset in `startxref`.
    pub(crate) fn read(file: &FileBytes, start: u64, shift: u64, limits: &Limits) -> Result<Self, DocumentError> {
        let mut reader = SectionReader::new(file, shift, limits);
        let mut next = Some(start);
        while let Some(offset) = next {
            next = reader.read_section(offset)?;
        }
        let trailer = reader.trailer.ok_or(DocumentError::damaged("no trailer"))?;
        Ok(Self { sections: reader.sections, index: reader.coverage.finish(), trailer, shift })
    }

    /// The location of object `number`, according to the newest section that has it.
    pub(crate) fn entry(&self, file: &FileBytes, number: u32) -> Result<ObjectLocation, DocumentError> {
        let number = u64::from(number);
        let Some((section, subsection)) = self.index.find(number) else { return Ok(ObjectLocation::Free) };
        let entry = match self.sections.get(section) {
            Some(CrossReferenceSection::Stream(rows)) => rows.entry(subsection, number)?,
            Some(CrossReferenceSection::Table { hybrid }) => match read_entry(file, subsection, number)? {
                // Older sections do not count, even if the hybrid stream lacks the number.
                ObjectLocation::Free => self.hybrid_entry(*hybrid, number)?,
                other => other,
            },
            None => ObjectLocation::Free,
        };
        Ok(match entry {
            ObjectLocation::Offset(offset) => ObjectLocation::Offset(offset.saturating_add(self.shift)),
            other => other,
        })
    }

    fn hybrid_entry(&self, hybrid: Option<usize>, number: u64) -> Result<ObjectLocation, DocumentError> {
        let Some(CrossReferenceSection::Stream(rows)) = hybrid.and_then(|hybrid| self.sections.get(hybrid)) else {
            return Ok(ObjectLocation::Free);
        };
        let subsection = rows.subsections.iter().find(|subsection| subsection.has(number));
        subsection.map_or(Ok(ObjectLocation::Free), |subsection| rows.entry(*subsection, number))
    }
}

/// The sections read so far.
struct SectionReader<'a> {
    file: &'a FileBytes,
    limits: &'a Limits,
    shift: u64,
    seen: HashSet<u64>,
    sections: Vec<CrossReferenceSection>,
    coverage: Coverage,
    trailer: Option<Dictionary>,
    /// Bytes of all sections, without the entries of tables.
    read_bytes: u64,
    subsection_count: u64,
    /// Bytes of all decoded cross-reference streams.
    decoded_bytes: u64,
    /// Bytes of the decoded cross-reference streams that are kept.
    kept_bytes: u64,
}

impl<'a> SectionReader<'a> {
    fn new(file: &'a FileBytes, shift: u64, limits: &'a Limits) -> Self {
        let (seen, coverage) = (HashSet::new(), Coverage::default());
        let (sections, trailer) = (Vec::new(), None);
        Self {
            file,
            limits,
            shift,
            seen,
            sections,
            coverage,
            trailer,
            read_bytes: 0,
            subsection_count: 0,
            decoded_bytes: 0,
            kept_bytes: 0,
        }
    }

    /// Reads the section at `offset`, and returns the offset of the previous one.
    fn read_section(&mut self, offset: u64) -> Result<Option<u64>, DocumentError> {
        self.limits.deadline.check()?;
        let at = offset.saturating_add(self.shift);
        if !self.seen.insert(at) {
            return Err(DocumentError::damaged_at("a loop of cross-reference sections", at));
        }
        LimitExceeded::check(Limit::XrefSections, self.seen.len() as u64, u64::from(self.limits.max_xref_sections))?;
        let entries = self.file.with_slice(at, HEAD_BYTES, |head| {
            let mut lexer = Lexer::new(head, 1);
            lexer.skip_space();
            lexer.keyword(b"xref").is_ok().then(|| lexer.position() as u64)
        })?;
        let dictionary = match entries {
            Some(entries) => self.read_table(at.saturating_add(entries))?,
            None => self.read_stream(at, false)?,
        };
        let previous_section = previous_section(&dictionary, at)?;
        self.merge_trailer(dictionary);
        Ok(previous_section)
    }

    /// Counts bytes of sections. More than the file has means that sections overlap.
    fn count_read(&mut self, bytes: u64, at: u64) -> Result<(), DocumentError> {
        self.read_bytes = self.read_bytes.saturating_add(bytes);
        if self.read_bytes > self.file.len() {
            return Err(DocumentError::damaged_at("cross-reference sections that overlap", at));
        }
        Ok(())
    }

    fn merge_trailer(&mut self, older: Dictionary) {
        let Some(trailer) = &mut self.trailer else {
            self.trailer = Some(older);
            return;
        };
        for key in INHERITED {
            if let Some(value) = older.get(key)
                && trailer.get(key).is_none()
            {
                trailer.set(key, value.clone());
            }
        }
    }

    /// Reads a table: the heads of its subsections, without the entries, and the trailer.
    fn read_table(&mut self, mut at: u64) -> Result<Dictionary, DocumentError> {
        let section = self.sections.len();
        let mut has_new = false;
        let start = loop {
            match self.table_item(at)? {
                TableItem::Trailer { start } => break start,
                TableItem::Subsection { subsection } => {
                    self.count_subsection(subsection.start.saturating_sub(at), at)?;
                    let bytes = subsection.count.checked_mul(ENTRY_BYTES);
                    let end = bytes
                        .and_then(|bytes| subsection.start.checked_add(bytes))
                        .filter(|end| *end <= self.file.len());
                    at = end.ok_or(DocumentError::damaged_at("a cross-reference table past the end", at))?;
                    has_new |= self.coverage.add(section, subsection);
                }
            }
        };
        let (trailer, length) = window::read_dictionary(self.file, start, self.limits)?;
        self.count_read(length as u64, at)?;
        let hybrid = trailer.get(b"XRefStm").and_then(Object::as_integer);
        if has_new || hybrid.is_some() {
            self.sections.push(CrossReferenceSection::Table { hybrid: hybrid.map(|_| section + 1) });
        }
        if let Some(hybrid) = hybrid {
            let hybrid = u64::try_from(hybrid).map_err(|_| DocumentError::damaged_at("a negative /XRefStm", at))?;
            // It has precedence after the table and before /Prev (7.5.8.4).
            self.read_stream(hybrid.saturating_add(self.shift), true)?;
        }
        Ok(trailer)
    }

    /// Reads the next part of a table at `at`.
    fn table_item(&self, at: u64) -> Result<TableItem, DocumentError> {
        let item = self.file.with_slice(at, HEAD_BYTES, |head| {
            let mut lexer = Lexer::new(head, 1);
            if lexer.keyword(b"trailer").is_ok() {
                return Ok(TableItem::Trailer { start: at.saturating_add(lexer.position() as u64) });
            }
            let (first, count) = (lexer.read_unsigned()?, lexer.read_unsigned()?);
            lexer.skip_space();
            let start = at.saturating_add(lexer.position() as u64);
            Ok(TableItem::Subsection { subsection: Subsection { first, count, start } })
        })?;
        item.map_err(|_: Syntax| DocumentError::damaged_at("a malformed cross-reference table", at))
    }

    fn count_subsection(&mut self, bytes: u64, at: u64) -> Result<(), DocumentError> {
        self.limits.deadline.check()?;
        self.subsection_count = self.subsection_count.saturating_add(1);
        let sections = self.subsection_count.div_ceil(SUBSECTIONS_A_SECTION);
        LimitExceeded::check(Limit::XrefSections, sections, u64::from(self.limits.max_xref_sections))?;
        self.count_read(bytes, at)
    }

    /// Reads a cross-reference stream. It is kept if it has new object numbers, or belongs to a hybrid file.
    fn read_stream(&mut self, at: u64, is_hybrid: bool) -> Result<Dictionary, DocumentError> {
        let CrossReferenceStream { dictionary, data, length } =
            window::read_cross_reference_stream(self.file, at, self.limits)?;
        self.count_read((length as u64).saturating_add(data.len() as u64), at)?;
        if !dictionary.is_type(b"XRef") {
            return Err(DocumentError::damaged_at("a cross-reference stream without its type", at));
        }
        let bytes = self.decode_entries(&dictionary, &data)?;
        let rows = StreamSection::of(&dictionary, bytes);
        let rows = rows.ok_or(DocumentError::damaged_at("a malformed cross-reference stream", at))?;
        let mut has_new = false;
        for subsection in &rows.subsections {
            self.count_subsection(0, at)?;
            has_new |= self.coverage.add(self.sections.len(), *subsection);
        }
        if has_new || is_hybrid {
            self.kept_bytes = self.kept_bytes.saturating_add(rows.bytes.len() as u64);
            LimitExceeded::check(Limit::StreamBytes, self.kept_bytes, self.limits.max_stream_bytes)?;
            self.sections.push(CrossReferenceSection::Stream(rows));
        }
        Ok(dictionary)
    }

    fn decode_entries(&mut self, dictionary: &Dictionary, data: &Bytes) -> Result<Vec<u8>, DocumentError> {
        let filters = filter::filters_of(dictionary, &mut |value| Ok(value.clone()))?;
        let decoded = filter::decode(data, &filters, self.limits)?;
        if let Some(what) = decoded.damage(&filters) {
            return Err(DocumentError::damaged(what));
        }
        self.decoded_bytes = self.decoded_bytes.saturating_add(decoded.bytes.len() as u64);
        LimitExceeded::check(Limit::DecodedBytes, self.decoded_bytes, self.limits.max_decoded_bytes)?;
        Ok(decoded.bytes.into_owned())
    }
}

/// A part of a cross-reference table.
enum TableItem {
    Subsection {
        subsection: Subsection,
    },
    /// The trailer. Its dictionary begins at `start`, perhaps after white space.
    Trailer {
        start: u64,
    },
}

/// The offset of the previous section, from the trailer of the section at `at`.
fn previous_section(trailer: &Dictionary, at: u64) -> Result<Option<u64>, DocumentError> {
    match trailer.get(b"Prev") {
        None | Some(Object::Null) => Ok(None),
        Some(Object::Integer(previous_section)) => {
            u64::try_from(*previous_section).map(Some).map_err(|_| DocumentError::damaged_at("a negative /Prev", at))
        }
        Some(_) => Err(DocumentError::damaged_at("a /Prev that is not an integer", at)),
    }
}

impl StreamSection {
    fn of(dictionary: &Dictionary, bytes: Vec<u8>) -> Option<Self> {
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
        let mut subsections = Vec::new();
        for pair in index.chunks(2) {
            let &[first, count] = pair else { return None };
            subsections.push(Subsection { first, count, start });
            start = count.checked_mul(row).and_then(|bytes| start.checked_add(bytes))?;
        }
        // Missing entries are refused. Surplus entries are common and harmless.
        let is_whole = row > 0 && start <= bytes.len() as u64;
        is_whole.then(|| Self { bytes, widths: widths.map(to_usize), subsections })
    }

    fn entry(&self, subsection: Subsection, number: u64) -> Result<ObjectLocation, DocumentError> {
        let size = self.widths.iter().sum::<usize>();
        let at = to_usize(subsection.start.saturating_add(subsection.position_of(number).saturating_mul(size as u64)));
        let row = self.bytes.get(at..at.saturating_add(size)).unwrap_or_default();
        parse_stream_entry(row, &self.widths).ok_or(DocumentError::damaged("a malformed cross-reference row"))
    }
}

/// The entry of `number` in a table.
fn read_entry(file: &FileBytes, subsection: Subsection, number: u64) -> Result<ObjectLocation, DocumentError> {
    let at = subsection.start.saturating_add(subsection.position_of(number).saturating_mul(ENTRY_BYTES));
    let bytes = file.slice_with_neighbours(at, ENTRY_BYTES)?;
    parse_table_entry(&bytes).ok_or(DocumentError::damaged_at("a malformed cross-reference entry", at))
}

/// Reads `nnnnnnnnnn ggggg n`.
fn parse_table_entry(bytes: &[u8]) -> Option<ObjectLocation> {
    let offset = bytes.get(..10).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    let generation = bytes.get(11..16).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
    if bytes.get(10) != Some(&b' ') || bytes.get(16) != Some(&b' ') || generation.is_empty() {
        return None;
    }
    let offset = offset.iter().fold(0_u64, |value, byte| value * 10 + u64::from(byte - b'0'));
    match bytes.get(17)? {
        // Some producers write free entries as entries in use at offset 0.
        b'n' if offset > 0 => Some(ObjectLocation::Offset(offset)),
        b'n' | b'f' => Some(ObjectLocation::Free),
        _ => None,
    }
}

/// Reads an entry of a cross-reference stream (table 18).
fn parse_stream_entry(row: &[u8], widths: &[usize; 3]) -> Option<ObjectLocation> {
    let [first, second, third] = widths;
    let field = |from: usize, width: usize| -> Option<u64> {
        let bytes = row.get(from..from + width)?;
        Some(bytes.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte)))
    };
    let kind = if *first == 0 { 1 } else { field(0, *first)? };
    let value = field(*first, *second)?;
    field(first + second, *third)?;
    Some(match kind {
        1 => ObjectLocation::Offset(value),
        2 => ObjectLocation::InStream { container: u32::try_from(value).ok()? },
        0 => ObjectLocation::Free,
        // Other types mean null (7.5.8.3), but none was ever defined: /W is more likely wrong.
        _ => return None,
    })
}

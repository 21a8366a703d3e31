//! Writes a chunk's file (ISO 32000-2, 7.5): streams, one object stream, one cross-reference stream.
//!
//! Compressed stream data is copied unchanged; uncompressed data is deflated. The file is deterministic: it has no date,
//! and `/ID` is a hash of the preceding bytes, with the hash of long data in place of the data. libdeflate's output does
//! not depend on the processor.

pub(crate) mod dictionary;
mod recode;
pub(crate) mod serialize;

pub(crate) use recode::recode;

use crate::chunk_cache::ChunkCache;
use crate::closure::{CATALOG, SerializedObject};
use blake3::{Hash, Hasher};
use bytes::Bytes;
use libdeflater::{CompressionLvl, Compressor};
use pagewise_document::contains_stream_end;
use std::cell::RefCell;
use std::ops::Range;

/// Higher levels gain less than 1 % for twice the time; see `benches/README.md`.
const DEFLATE_LEVEL: i32 = 6;

/// Shorter streams do not gain more than the name of the filter costs.
const MIN_DEFLATED_BYTES: usize = 48;

/// With fewer entries, a predictor gains less than its parameters cost.
const MIN_PREDICTED_ENTRIES: usize = 40;

/// An entry of the cross-reference stream: where an object of the chunk is.
#[derive(Clone, Copy)]
enum CrossReferenceEntry {
    Free,
    Offset(u64),
    Member(u64),
}

/// Longer stream data has its own hash, which replaces it in `/ID`. A font's is computed once for all pages.
const MIN_HASHED_BYTES: usize = 4 << 10;

/// Size of the output buffer that each thread keeps for deflating.
const BUFFER_BYTES: usize = 1 << 20;

thread_local! {
    /// A compressor and its output buffer. Allocating them for each page would be costly: the tables take 670 kB.
    static COMPRESSOR: RefCell<(Compressor, Vec<u8>)> =
        RefCell::new((Compressor::new(CompressionLvl::new(DEFLATE_LEVEL).unwrap_or_default()), Vec::new()));
}

/// Stream data as it is written.
pub(crate) struct PreparedStream {
    /// The deflated data, if the source stores it uncompressed and deflating makes it smaller.
    deflated: Option<Vec<u8>>,
    /// The digest of the written data, if it is long.
    digest: Option<StreamDigest>,
}

/// Facts about long stream data, computed once for all pages.
#[derive(Clone, Copy)]
struct StreamDigest {
    /// The hash that replaces the data in `/ID`.
    hash: Hash,
    /// Whether the data [contains the end of a stream](contains_stream_end).
    contains_stream_end: bool,
}

/// The body of an object stream as it is written.
pub(crate) struct PreparedObjectStream {
    body: Vec<u8>,
    deflated: Option<Vec<u8>>,
}

impl PreparedObjectStream {
    pub(crate) fn of(body: Vec<u8>) -> Self {
        let deflated = deflate(&body);
        Self { body, deflated }
    }

    /// Whether this was prepared from `body`.
    pub(crate) fn is_of(&self, body: &[u8]) -> bool {
        self.body == body
    }

    /// Approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.body.len().saturating_add(self.deflated.as_ref().map_or(0, Vec::len))
    }
}

/// The written file of a chunk.
#[derive(Clone, Default)]
pub(crate) struct ChunkFile {
    pub(crate) bytes: Bytes,
    /// Ranges of stream data, in order, that were checked and do not [contain the end of a stream](contains_stream_end).
    pub(crate) checked_ranges: Vec<Range<u64>>,
    /// Bytes of all objects other than streams, before compression.
    pub(crate) object_bytes: usize,
}

impl PreparedStream {
    /// Whether preparing the data takes work that is worth caching.
    pub(crate) fn is_worth_caching(data: &[u8], is_encoded: bool) -> bool {
        data.len() >= MIN_HASHED_BYTES || !is_encoded && data.len() >= MIN_DEFLATED_BYTES
    }

    /// Prepares `data` for writing. `is_encoded` says that the stream has a filter.
    pub(crate) fn of(data: &[u8], is_encoded: bool) -> Self {
        let deflated = if is_encoded || data.len() < MIN_DEFLATED_BYTES { None } else { deflate(data) };
        let written = deflated.as_deref().unwrap_or(data);
        let digest = || StreamDigest { hash: blake3::hash(written), contains_stream_end: contains_stream_end(written) };
        let digest = (written.len() >= MIN_HASHED_BYTES).then(digest);
        Self { deflated, digest }
    }

    /// Approximate size in memory, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.deflated.as_ref().map_or(0, Vec::len)
    }
}

struct Writer<'a> {
    out: Vec<u8>,
    entries: Vec<CrossReferenceEntry>,
    cache: &'a ChunkCache,
    /// Ranges of `out` that their own hash replaces in `/ID`.
    hashed_ranges: Vec<(Range<usize>, StreamDigest)>,
}

/// Writes a chunk of `objects`, whose numbers are 1 to `last_number`.
pub(crate) fn write(objects: Vec<SerializedObject>, last_number: u32, version: &str, cache: &ChunkCache) -> ChunkFile {
    // An upper bound: object streams make the file smaller.
    let size = objects.iter().map(|body| body.bytes.len() + body.data.as_ref().map_or(0, |data| data.len()) + 64);
    let size = size.sum::<usize>();
    let entries = usize::try_from(last_number).unwrap_or(0) + 3;
    let out = Vec::with_capacity(size + 512);
    let mut writer =
        Writer { out, entries: vec![CrossReferenceEntry::Free; entries], cache, hashed_ranges: Vec::new() };
    writer.out.extend(b"%PDF-");
    writer.out.extend(version.as_bytes());
    // Bytes above 127 in a comment mark the file as binary (7.5.2).
    writer.out.extend(b"\n%\xE2\xE3\xCF\xD3\n");
    let mut members = Vec::new();
    for object in objects {
        match &object.data {
            Some(data) => writer.write_stream(&object, data),
            None => members.push(object),
        }
    }
    members.sort_by_key(|body| body.number);
    let object_bytes = members.iter().map(|body| body.bytes.len()).sum();
    writer.write_object_stream(last_number + 1, &members);
    writer.write_cross_references(last_number + 2, last_number + 1);
    let checked_ranges = writer.hashed_ranges.iter().filter(|(_, digest)| !digest.contains_stream_end);
    let checked_ranges = checked_ranges.map(|(range, _)| range.start as u64..range.end as u64).collect();
    ChunkFile { bytes: Bytes::from(writer.out), checked_ranges, object_bytes }
}

impl Writer<'_> {
    fn set_entry(&mut self, number: u32, entry: CrossReferenceEntry) {
        let slot = usize::try_from(number).ok().and_then(|at| self.entries.get_mut(at));
        if let Some(slot) = slot {
            *slot = entry;
        }
    }

    fn begin_object(&mut self, number: u32) {
        self.set_entry(number, CrossReferenceEntry::Offset(self.out.len() as u64));
        serialize::write_unsigned(&mut self.out, u64::from(number));
        self.out.extend(b" 0 obj\n");
    }

    /// Writes a stream. Its dictionary is split at the position of `/Filter`.
    fn write_stream(&mut self, body: &SerializedObject, data: &[u8]) {
        let is_encoded = memchr::memmem::find(&body.bytes, b"/Filter").is_some();
        let (before, after) = body.bytes.split_at_checked(body.filter_at).unwrap_or((b"<<", b">>"));
        let prepared = self.cache.stream(body.source, data, is_encoded);
        self.begin_object(body.number);
        self.out.extend(before);
        if prepared.deflated.is_some() {
            self.out.extend(b"/Filter/FlateDecode");
        }
        self.out.extend(after.strip_suffix(b">>").unwrap_or(after));
        self.write_data(prepared.deflated.as_deref().unwrap_or(data), prepared.digest);
    }

    /// Writes `/Length`, the end of the dictionary, and the data.
    fn write_data(&mut self, data: &[u8], digest: Option<StreamDigest>) {
        self.out.extend(b"/Length ");
        serialize::write_unsigned(&mut self.out, data.len() as u64);
        self.out.extend(b">>stream\n");
        let start = self.out.len();
        self.out.extend(data);
        self.hashed_ranges.extend(digest.map(|digest| (start..self.out.len(), digest)));
        self.out.extend(b"\nendstream\nendobj\n");
    }

    /// The hash of all bytes written so far, with the hashes of long data in place of the data.
    fn file_id(&self) -> Hash {
        let mut hasher = Hasher::new();
        let mut from = 0;
        for (range, digest) in &self.hashed_ranges {
            hasher.update(self.out.get(from..range.start).unwrap_or_default());
            hasher.update(digest.hash.as_bytes());
            from = range.end;
        }
        hasher.update(self.out.get(from..).unwrap_or_default());
        hasher.finalize()
    }

    fn write_object_stream(&mut self, number: u32, members: &[SerializedObject]) {
        let mut table = Vec::with_capacity(members.len() * 8);
        let mut objects = Vec::new();
        for (at, member) in members.iter().enumerate() {
            self.set_entry(member.number, CrossReferenceEntry::Member(at as u64));
            serialize::separate(&mut table);
            serialize::write_unsigned(&mut table, u64::from(member.number));
            table.push(b' ');
            serialize::write_unsigned(&mut table, objects.len() as u64);
            objects.extend(&member.bytes);
            objects.push(b'\n');
        }
        table.push(b'\n');
        let first = table.len();
        table.extend(objects);
        let prepared = self.cache.object_stream(table);
        self.begin_object(number);
        self.out.extend(b"<</Type/ObjStm/N ");
        serialize::write_unsigned(&mut self.out, members.len() as u64);
        self.out.extend(b"/First ");
        serialize::write_unsigned(&mut self.out, first as u64);
        if prepared.deflated.is_some() {
            self.out.extend(b"/Filter/FlateDecode");
        }
        self.write_data(prepared.deflated.as_deref().unwrap_or(&prepared.body), None);
    }

    fn write_cross_references(&mut self, number: u32, container: u32) {
        let id = self.file_id();
        let start = self.out.len() as u64;
        self.begin_object(number);
        let widths = [1, bytes_for(start.max(u64::from(container))), bytes_for(self.entries.len() as u64)];
        let row_bytes = widths.iter().sum::<usize>();
        let mut table = Vec::with_capacity(self.entries.len() * row_bytes);
        for entry in &self.entries {
            let (kind, second, third) = match *entry {
                CrossReferenceEntry::Free => (0, 0, 0),
                CrossReferenceEntry::Offset(offset) => (1, offset, 0),
                CrossReferenceEntry::Member(at) => (2, u64::from(container), at),
            };
            for (value, width) in [kind, second, third].into_iter().zip(widths) {
                table.extend_from_slice(value.to_be_bytes().get(8 - width..).unwrap_or_default());
            }
        }
        let is_predicted = self.entries.len() >= MIN_PREDICTED_ENTRIES;
        if is_predicted {
            table = predict_up(&table, row_bytes);
        }
        let deflated = deflate(&table);
        self.out.extend(b"<</Type/XRef/Size ");
        serialize::write_unsigned(&mut self.out, self.entries.len() as u64);
        self.out.extend(b"/Root");
        serialize::reference(&mut self.out, CATALOG);
        self.out.extend(b"/W[");
        for width in widths {
            serialize::separate(&mut self.out);
            serialize::write_unsigned(&mut self.out, width as u64);
        }
        self.out.extend(b"]/ID[");
        let id = id.as_bytes().get(..16).unwrap_or_default();
        serialize::string(&mut self.out, id);
        serialize::string(&mut self.out, id);
        self.out.push(b']');
        if is_predicted {
            self.out.extend(b"/DecodeParms<</Predictor 12/Columns ");
            serialize::write_unsigned(&mut self.out, row_bytes as u64);
            self.out.extend(b">>");
        }
        if deflated.is_some() || is_predicted {
            self.out.extend(b"/Filter/FlateDecode");
        }
        // Predicted rows always shrink: there are at least forty, and they are alike.
        self.write_data(deflated.as_deref().unwrap_or(&table), None);
        self.out.extend(b"startxref\n");
        serialize::write_unsigned(&mut self.out, start);
        self.out.extend(b"\n%%EOF\n");
    }
}

/// Deflates `data`; `None` if that saves less than the filter's name takes.
pub(crate) fn deflate(data: &[u8]) -> Option<Vec<u8>> {
    const FILTER: usize = b"/Filter/FlateDecode".len();
    COMPRESSOR.with_borrow_mut(|(compressor, buffer)| {
        let bound = compressor.zlib_compress_bound(data.len());
        if buffer.len() < bound {
            // The system zeroes the pages lazily, so unused parts cost nothing.
            *buffer = vec![0; bound.max(BUFFER_BYTES)];
        }
        let length = compressor.zlib_compress(data, buffer).ok()?;
        let out = (length + FILTER < data.len()).then(|| buffer.get(..length).unwrap_or_default().to_vec());
        if buffer.len() > BUFFER_BYTES {
            *buffer = Vec::new();
        }
        out
    })
}

fn bytes_for(value: u64) -> usize {
    (1..8).find(|width| value >> (8 * width) == 0).unwrap_or(8)
}

/// Applies the PNG predictor Up (7.4.4.4), which turns increasing rows into equal ones.
fn predict_up(table: &[u8], row: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(table.len() + table.len() / row.max(1));
    let mut above: &[u8] = &[];
    for line in table.chunks(row.max(1)) {
        out.push(2);
        let up = above.iter().copied().chain(std::iter::repeat(0));
        out.extend(line.iter().zip(up).map(|(byte, up)| byte.wrapping_sub(up)));
        above = line;
    }
    out
}

//! The file of a chunk (ISO 32000-2, 7.5): streams, one object stream, one cross-reference stream.
//!
//! Compressed data is copied as it is; what the source stores uncompressed is deflated. There is no date, and `/ID` is
//! a hash of the bytes before it, in which the hash of long data stands for the data, so that the same page gives the same
//! file everywhere. Deflate is libdeflate's, whose output does not depend on the processor.

use super::closure::{Body, CATALOG};
use super::serialize;
use super::shared::Shared;
use crate::document::holds_end;
use blake3::{Hash, Hasher};
use bytes::Bytes;
use libdeflater::{CompressionLvl, Compressor};
use std::cell::RefCell;
use std::ops::Range;

/// Deflate level: past it the object streams of real pages shrink by less than 1 % for twice the time. Below it, 86 pages
/// of documents whose streams are stored uncompressed grow by 0.2 % (5) and 1.2 % (4) for 3 and 12 % less of the
/// instructions of a page of 260 kB.
const LEVEL: i32 = 6;

/// Streams shorter than this are not worth a filter's name.
const LEAST_DEFLATED: usize = 48;

/// From this many rows on, a predictor pays for its parameters in the cross-reference stream.
const LEAST_PREDICTED_ROWS: usize = 40;

/// Where an object of the chunk is.
#[derive(Clone, Copy)]
enum Row {
    Free,
    Offset(u64),
    Member(u64),
}

/// Stream data of this size and more has a hash of its own, which stands for it in `/ID`: that of a font is then worked out
/// once for all pages of a document.
const LEAST_HASHED_APART: usize = 4 << 10;

/// Bytes of the room that each thread keeps for deflating.
const ROOM_BYTES: usize = 1 << 20;

thread_local! {
    /// Its tables take 670 kB, which are not asked for anew for each page of a book, no more than the room for what comes out.
    static DEFLATE: RefCell<(Compressor, Vec<u8>)> =
        RefCell::new((Compressor::new(CompressionLvl::new(LEVEL).unwrap_or_default()), Vec::new()));
}

/// Stream data as it is written, worked out.
pub(super) struct Data {
    /// The data deflated, where the source stores it uncompressed and that pays.
    deflated: Option<Vec<u8>>,
    /// Of what is written, where it is long enough to be looked at once for all pages.
    looked_at: Option<LookedAt>,
}

/// What is known of long data.
#[derive(Clone, Copy)]
struct LookedAt {
    /// Its hash, which stands for it in `/ID`.
    hash: Hash,
    /// Whether it [looks as if a stream ended in it](holds_end).
    holds_end: bool,
}

/// The objects of an object stream, worked out.
pub(super) struct Packed {
    body: Vec<u8>,
    deflated: Option<Vec<u8>>,
}

impl Packed {
    pub(super) fn of(body: Vec<u8>) -> Self {
        let deflated = deflated(&body);
        Self { body, deflated }
    }

    /// Whether this is what is made of `body`.
    pub(super) fn is_of(&self, body: &[u8]) -> bool {
        self.body == body
    }

    /// Bytes that keeping this costs.
    pub(super) fn size(&self) -> usize {
        self.body.len().saturating_add(self.deflated.as_ref().map_or(0, Vec::len))
    }
}

/// A chunk that was written.
#[derive(Clone, Default)]
pub(super) struct Written {
    pub(super) bytes: Bytes,
    /// The stream data in it that is known not to [look as if a stream ended in it](holds_end), in its order.
    pub(super) plain: Vec<Range<u64>>,
    /// Bytes of all that is no stream, before it is deflated.
    pub(super) object_bytes: usize,
}

impl Data {
    /// Whether there is anything to be worked out.
    pub(super) fn is_work(data: &[u8], is_encoded: bool) -> bool {
        data.len() >= LEAST_HASHED_APART || !is_encoded && data.len() >= LEAST_DEFLATED
    }

    /// Works out `data`, which has a filter where it `is_encoded`.
    pub(super) fn of(data: &[u8], is_encoded: bool) -> Self {
        let deflated = if is_encoded || data.len() < LEAST_DEFLATED { None } else { deflated(data) };
        let written = deflated.as_deref().unwrap_or(data);
        let look = || LookedAt { hash: blake3::hash(written), holds_end: holds_end(written) };
        let looked_at = (written.len() >= LEAST_HASHED_APART).then(look);
        Self { deflated, looked_at }
    }

    /// Bytes that keeping this costs.
    pub(super) fn size(&self) -> usize {
        self.deflated.as_ref().map_or(0, Vec::len)
    }
}

struct Writer<'a> {
    out: Vec<u8>,
    rows: Vec<Row>,
    shared: &'a Shared,
    /// What of `out` has a hash of its own.
    apart: Vec<(Range<usize>, LookedAt)>,
}

/// Writes a chunk of `bodies`, whose numbers are 1 to `last_number`.
pub(super) fn write(bodies: Vec<Body>, last_number: u32, version: &str, shared: &Shared) -> Written {
    // Enough for all but what object streams save.
    let size = bodies.iter().map(|body| body.bytes.len() + body.data.as_ref().map_or(0, |data| data.len()) + 64);
    let size = size.sum::<usize>();
    let rows = usize::try_from(last_number).unwrap_or(0) + 3;
    let out = Vec::with_capacity(size + 512);
    let mut writer = Writer { out, rows: vec![Row::Free; rows], shared, apart: Vec::new() };
    writer.out.extend(b"%PDF-");
    writer.out.extend(version.as_bytes());
    // Bytes above 127 in a comment tell transfer programs that the file is binary (7.5.2).
    writer.out.extend(b"\n%\xE2\xE3\xCF\xD3\n");
    let mut members = Vec::new();
    for body in bodies {
        match &body.data {
            Some(data) => writer.stream(&body, data),
            None => members.push(body),
        }
    }
    members.sort_by_key(|body| body.number);
    let object_bytes = members.iter().map(|body| body.bytes.len()).sum();
    writer.object_stream(last_number + 1, &members);
    writer.cross_references(last_number + 2, last_number + 1);
    let plain = writer.apart.iter().filter(|(_, data)| !data.holds_end);
    let plain = plain.map(|(place, _)| place.start as u64..place.end as u64).collect();
    Written { bytes: Bytes::from(writer.out), plain, object_bytes }
}

impl Writer<'_> {
    fn place(&mut self, number: u32, row: Row) {
        let place = usize::try_from(number).ok().and_then(|at| self.rows.get_mut(at));
        if let Some(place) = place {
            *place = row;
        }
    }

    fn begin(&mut self, number: u32) {
        self.place(number, Row::Offset(self.out.len() as u64));
        serialize::unsigned(&mut self.out, u64::from(number));
        self.out.extend(b" 0 obj\n");
    }

    /// Writes a stream, whose dictionary is parted where `/Filter` would stand.
    fn stream(&mut self, body: &Body, data: &[u8]) {
        let is_encoded = memchr::memmem::find(&body.bytes, b"/Filter").is_some();
        let (before, after) = body.bytes.split_at_checked(body.filter_at).unwrap_or((b"<<", b">>"));
        let worked_out = self.shared.data(body.source, data, is_encoded);
        self.begin(body.number);
        self.out.extend(before);
        if worked_out.deflated.is_some() {
            self.out.extend(b"/Filter/FlateDecode");
        }
        self.out.extend(after.strip_suffix(b">>").unwrap_or(after));
        self.data(worked_out.deflated.as_deref().unwrap_or(data), worked_out.looked_at);
    }

    /// Writes `/Length`, the end of the dictionary and the data.
    fn data(&mut self, data: &[u8], looked_at: Option<LookedAt>) {
        self.out.extend(b"/Length ");
        serialize::unsigned(&mut self.out, data.len() as u64);
        self.out.extend(b">>stream\n");
        let start = self.out.len();
        self.out.extend(data);
        self.apart.extend(looked_at.map(|looked_at| (start..self.out.len(), looked_at)));
        self.out.extend(b"\nendstream\nendobj\n");
    }

    /// The hash of all that is written, in which hashes stand for what has its own.
    fn id(&self) -> Hash {
        let mut hasher = Hasher::new();
        let mut from = 0;
        for (place, data) in &self.apart {
            hasher.update(self.out.get(from..place.start).unwrap_or_default());
            hasher.update(data.hash.as_bytes());
            from = place.end;
        }
        hasher.update(self.out.get(from..).unwrap_or_default());
        hasher.finalize()
    }

    fn object_stream(&mut self, number: u32, members: &[Body]) {
        let mut table = Vec::with_capacity(members.len() * 8);
        let mut objects = Vec::new();
        for (at, member) in members.iter().enumerate() {
            self.place(member.number, Row::Member(at as u64));
            serialize::separate(&mut table);
            serialize::unsigned(&mut table, u64::from(member.number));
            table.push(b' ');
            serialize::unsigned(&mut table, objects.len() as u64);
            objects.extend(&member.bytes);
            objects.push(b'\n');
        }
        table.push(b'\n');
        let first = table.len();
        table.extend(objects);
        let packed = self.shared.packed(table);
        self.begin(number);
        self.out.extend(b"<</Type/ObjStm/N ");
        serialize::unsigned(&mut self.out, members.len() as u64);
        self.out.extend(b"/First ");
        serialize::unsigned(&mut self.out, first as u64);
        if packed.deflated.is_some() {
            self.out.extend(b"/Filter/FlateDecode");
        }
        self.data(packed.deflated.as_deref().unwrap_or(&packed.body), None);
    }

    fn cross_references(&mut self, number: u32, container: u32) {
        let id = self.id();
        let start = self.out.len() as u64;
        self.begin(number);
        let widths = [1, bytes_for(start.max(u64::from(container))), bytes_for(self.rows.len() as u64)];
        let row = widths.iter().sum::<usize>();
        let mut table = Vec::with_capacity(self.rows.len() * row);
        for entry in &self.rows {
            let (kind, second, third) = match *entry {
                Row::Free => (0, 0, 0),
                Row::Offset(offset) => (1, offset, 0),
                Row::Member(at) => (2, u64::from(container), at),
            };
            for (value, width) in [kind, second, third].into_iter().zip(widths) {
                table.extend_from_slice(value.to_be_bytes().get(8 - width..).unwrap_or_default());
            }
        }
        let predicted = self.rows.len() >= LEAST_PREDICTED_ROWS;
        if predicted {
            table = predict_up(&table, row);
        }
        let deflated = deflated(&table);
        self.out.extend(b"<</Type/XRef/Size ");
        serialize::unsigned(&mut self.out, self.rows.len() as u64);
        self.out.extend(b"/Root");
        serialize::reference(&mut self.out, CATALOG);
        self.out.extend(b"/W[");
        for width in widths {
            serialize::separate(&mut self.out);
            serialize::unsigned(&mut self.out, width as u64);
        }
        self.out.extend(b"]/ID[");
        let id = id.as_bytes().get(..16).unwrap_or_default();
        serialize::string(&mut self.out, id);
        serialize::string(&mut self.out, id);
        self.out.push(b']');
        if predicted {
            self.out.extend(b"/DecodeParms<</Predictor 12/Columns ");
            serialize::unsigned(&mut self.out, row as u64);
            self.out.extend(b">>");
        }
        if deflated.is_some() || predicted {
            self.out.extend(b"/Filter/FlateDecode");
        }
        // Predicted rows always shrink: they are at least forty, and alike.
        self.data(deflated.as_deref().unwrap_or(&table), None);
        self.out.extend(b"startxref\n");
        serialize::unsigned(&mut self.out, start);
        self.out.extend(b"\n%%EOF\n");
    }
}

/// Deflates `data`; `None` where that does not make it smaller by more than the filter's name.
pub(super) fn deflated(data: &[u8]) -> Option<Vec<u8>> {
    const FILTER: usize = b"/Filter/FlateDecode".len();
    DEFLATE.with_borrow_mut(|(deflate, room)| {
        let bound = deflate.zlib_compress_bound(data.len());
        if room.len() < bound {
            // Zeroed by the system: what is never written to is never touched.
            *room = vec![0; bound.max(ROOM_BYTES)];
        }
        let length = deflate.zlib_compress(data, room).ok()?;
        let out = (length + FILTER < data.len()).then(|| room.get(..length).unwrap_or_default().to_vec());
        if room.len() > ROOM_BYTES {
            *room = Vec::new();
        }
        out
    })
}

fn bytes_for(value: u64) -> usize {
    (1..8).find(|width| value >> (8 * width) == 0).unwrap_or(8)
}

/// The PNG predictor Up (7.4.4.4): rows that count up become rows that are alike.
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

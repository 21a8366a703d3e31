//! Binary data of results, encoded as base64 only while it is sent.
//!
//! The SDK takes data as text and serializes a message whole: a page of a megabyte would be copied several times in
//! newly allocated memory. So a result has a mark in place of its data, and the writer fills in the data piece by
//! piece.
//!
//! A mark is the whole value of a JSON member, `"blob":"pagewise-data:…"`. The writer looks for it together with the
//! quotes and the colon, because a quote inside a text is escaped. A document's title may still look like a mark, so
//! each mark carries a seal that only this process can make. Text without a valid seal stays text.
//!
//! Over HTTP the first block of an answer also gets a mark if it is text. No other message has this mark, so whoever
//! writes it is writing that answer, on whichever connection or stream.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;

use super::PendingResponse;
use crate::serve::lock::lock;
use crate::tool::{base64_length, push_base64};

/// The start of a mark. Its number and its seal follow in hexadecimal.
const MARK: &str = "pagewise-data:";

/// The start of a mark in JSON, with the end of its member's name.
const MARK_IN_JSON: &[u8] = b"\":\"pagewise-data:";

/// The part of [`MARK_IN_JSON`] that stays in the output.
const QUOTES: &[u8] = b"\":\"";

/// Digits of a mark's number, and of its seal.
const HEX_DIGITS: usize = 16;

/// Bytes of data encoded at a time. A multiple of three, so that only the last piece is padded.
const PIECE_DATA_BYTES: usize = 48 << 10;

/// Most bytes of an encoded piece.
pub(crate) const PIECE_BYTES: usize = QUOTES.len() + PIECE_DATA_BYTES / 3 * 4;

/// The next mark's number, unique in this process.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

static SEAL_KEYS: OnceLock<RandomState> = OnceLock::new();

fn seal(number: u64) -> u64 {
    SEAL_KEYS.get_or_init(RandomState::new).hash_one(number)
}

/// The number in these digits, if their seal is valid.
fn sealed_number(digits: &[u8]) -> Option<u64> {
    let (number, sealed) = digits.split_at_checked(HEX_DIGITS)?;
    let read = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    let number = read(number)?;
    (sealed.len() == HEX_DIGITS && read(sealed)? == seal(number)).then_some(number)
}

/// The content that replaces a mark.
#[derive(Debug, Clone)]
enum MarkedContent {
    /// As base64.
    Data(Bytes),
    /// Written unchanged: the inside of a JSON string.
    Text(Bytes),
}

impl MarkedContent {
    fn written_length(&self) -> u64 {
        match self {
            Self::Data(data) => base64_length(data.len() as u64),
            Self::Text(text) => text.len() as u64,
        }
    }

    fn bytes(&self) -> &Bytes {
        let (Self::Data(bytes) | Self::Text(bytes)) = self;
        bytes
    }
}

/// The data of one result, by the number of its mark.
#[derive(Debug, Default)]
pub(crate) struct ResultBlobs(BTreeMap<u64, MarkedContent>);

impl ResultBlobs {
    /// Adds data, and returns the mark that stands for it.
    pub(crate) fn add_data(&mut self, data: &Bytes) -> String {
        self.mark(MarkedContent::Data(data.clone()))
    }

    /// Adds a text, and returns the mark that stands for it.
    pub(crate) fn add_text(&mut self, text: &str) -> String {
        // Serializing a string cannot fail.
        let quoted = Bytes::from(serde_json::to_string(text).unwrap_or_default());
        let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        self.mark(MarkedContent::Text(quoted.slice_ref(inside)))
    }

    fn mark(&mut self, content: MarkedContent) -> String {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        self.0.insert(number, content);
        format!("{MARK}{number:0HEX_DIGITS$x}{:0HEX_DIGITS$x}", seal(number))
    }

    /// The length of a message once its marks are replaced; `json` is its length with them.
    pub(crate) fn written_length(&self, json: u64) -> u64 {
        let marks = (self.0.len() as u64).saturating_mul((MARK.len() + 2 * HEX_DIGITS) as u64);
        self.0.values().map(MarkedContent::written_length).fold(json.saturating_sub(marks), u64::saturating_add)
    }

    /// Adds the data of another result.
    pub(crate) fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// The number of the mark `text`, if its data is here.
    pub(crate) fn number(&self, text: &str) -> Option<u64> {
        mark_number(text).filter(|number| self.0.contains_key(number))
    }

    /// Whether `text` is a mark without data here.
    pub(crate) fn lacks_data_for(&self, text: &str) -> bool {
        mark_number(text).is_some_and(|number| !self.0.contains_key(&number))
    }
}

fn mark_number(text: &str) -> Option<u64> {
    sealed_number(text.strip_prefix(MARK)?.as_bytes())
}

/// The data of all results that are being written. A writer finds it by the mark alone.
#[derive(Clone, Default)]
pub(crate) struct OpenBlobs(Arc<OpenBlobsState>);

#[derive(Default)]
struct OpenBlobsState {
    entries: Mutex<BTreeMap<u64, OpenBlob>>,
    /// Bytes of data kept for clients that may never come back.
    retained_bytes: AtomicU64,
}

struct OpenBlob {
    content: MarkedContent,
    /// The response that contains this mark, if writing the mark delivers it.
    pending: Option<PendingResponse>,
}

/// Most bytes kept for clients that may never come back, all together. 64 MiB.
const MAX_RETAINED_BYTES: u64 = 64 << 20;

/// Keeps the data of one result, and its undelivered response, until dropped.
pub(crate) struct BlobLease {
    open: OpenBlobs,
    blobs: ResultBlobs,
}

impl OpenBlobs {
    /// Makes the data available to writers until the lease is dropped. Whoever writes the mark of this number gets the
    /// response to deliver.
    pub(crate) fn lease(&self, blobs: ResultBlobs, pending: Option<(u64, PendingResponse)>) -> BlobLease {
        let mut entries = lock(&self.0.entries);
        let all = blobs.0.iter();
        entries.extend(all.map(|(number, content)| (*number, OpenBlob { content: content.clone(), pending: None })));
        if let Some((number, pending)) = pending
            && let Some(entry) = entries.get_mut(&number)
        {
            entry.pending = Some(pending);
        }
        drop(entries);
        BlobLease { open: self.clone(), blobs }
    }

    /// The first part of the rest of a message: at most `most` bytes of text before the next mark, or data.
    pub(crate) fn first_part(&self, json: &[u8], most: usize) -> MessagePart {
        const MARK_BYTES: usize = MARK_IN_JSON.len() + 2 * HEX_DIGITS;
        // A mark that begins within `most` bytes is seen whole.
        let seen = json.get(..most.saturating_add(MARK_BYTES)).unwrap_or(json);
        let mut marks = memchr::memmem::find_iter(seen, MARK_IN_JSON).filter_map(|at| {
            let digits = seen.get(at.checked_add(MARK_IN_JSON.len())?..at.checked_add(MARK_BYTES)?)?;
            Some((at, sealed_number(digits)?))
        });
        match marks.next() {
            Some((0, number)) => match lock(&self.0.entries).get_mut(&number) {
                Some(entry) => {
                    let data = BlobStream { left: entry.content.clone(), is_begun: false };
                    MessagePart::Data { mark: MARK_BYTES, data, pending: entry.pending.take() }
                }
                None => MessagePart::Lost,
            },
            Some((at, _)) => MessagePart::Text(at.min(most)),
            None => MessagePart::Text(json.len().min(most)),
        }
    }
}

impl BlobLease {
    /// As [`ResultBlobs::written_length`].
    pub(crate) fn written_length(&self, json: u64) -> u64 {
        self.blobs.written_length(json)
    }

    /// Keeps the data for a client that may come back, if there is any and the limit allows it.
    pub(crate) fn retain(self) -> Option<RetainedBlobs> {
        let bytes = self.blobs.0.values().map(|content| content.bytes().len() as u64).fold(0, u64::saturating_add);
        let retained = RetainedBlobs { lease: self, bytes };
        let before = retained.lease.open.0.retained_bytes.fetch_add(bytes, Ordering::Relaxed);
        (bytes > 0 && before.saturating_add(bytes) <= MAX_RETAINED_BYTES).then_some(retained)
    }
}

/// Data kept for a client that may come back.
pub(crate) struct RetainedBlobs {
    lease: BlobLease,
    bytes: u64,
}

impl Drop for RetainedBlobs {
    fn drop(&mut self) {
        self.lease.open.0.retained_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Drop for BlobLease {
    fn drop(&mut self) {
        let mut entries = lock(&self.open.0.entries);
        let dropped: Vec<_> = self.blobs.0.keys().filter_map(|number| entries.remove(number)).collect();
        drop(entries);
        // An undelivered response takes a lock of its own when dropped.
        drop(dropped);
    }
}

pub(crate) enum MessagePart {
    /// This many bytes, unchanged.
    Text(usize),
    Data {
        /// Bytes of the mark.
        mark: usize,
        /// The data that replaces it.
        data: BlobStream,
        /// The response that contains the mark, to be delivered once it is written.
        pending: Option<PendingResponse>,
    },
    /// A mark whose data is no longer kept. The message cannot be written.
    Lost,
}

/// Data that is being encoded and written.
pub(crate) struct BlobStream {
    left: MarkedContent,
    is_begun: bool,
}

impl BlobStream {
    /// Appends the next piece, at most [`PIECE_BYTES`], or nothing at the end.
    pub(crate) fn push_piece(&mut self, out: &mut Vec<u8>) {
        if !self.is_begun {
            out.extend_from_slice(QUOTES);
            self.is_begun = true;
        }
        match &mut self.left {
            MarkedContent::Data(left) => push_base64(&left.split_to(left.len().min(PIECE_DATA_BYTES)), out),
            MarkedContent::Text(left) => out.extend_from_slice(&left.split_to(left.len().min(PIECE_DATA_BYTES))),
        }
    }

    pub(crate) fn is_written(&self) -> bool {
        self.is_begun && self.left.bytes().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::base64;

    /// `json` with its marks replaced, written in parts of at most `most` bytes.
    fn written(open: &OpenBlobs, json: &str, most: usize) -> Option<String> {
        let (mut left, mut out) = (json.as_bytes(), Vec::new());
        while !left.is_empty() {
            let taken = match open.first_part(left, most) {
                MessagePart::Text(taken) => {
                    out.extend_from_slice(left.get(..taken)?);
                    taken
                }
                MessagePart::Data { mark, mut data, .. } => {
                    while !data.is_written() {
                        data.push_piece(&mut out);
                    }
                    mark
                }
                MessagePart::Lost => return None,
            };
            left = left.get(taken..)?;
        }
        String::from_utf8(out).ok()
    }

    #[test]
    fn data_stands_where_its_mark_stood_however_the_text_is_parted() {
        let (open, mut blobs) = (OpenBlobs::default(), ResultBlobs::default());
        let [one, none, long] = [&b"abc"[..], b"", &[7; 3 * PIECE_DATA_BYTES + 1]].map(Bytes::copy_from_slice);
        let marks = [&one, &none, &long].map(|data| blobs.add_data(data));
        let json = |data: [&str; 3]| {
            let [one, none, long] = data;
            serde_json::json!([{ "blob": one, "a": "b" }, { "data": none }, { "blob": long }, "tail"]).to_string()
        };
        let expected = json([&base64(&one), "", &base64(&long)]);
        let marked = json(marks.each_ref().map(String::as_str));
        assert_eq!(blobs.written_length(marked.len() as u64), expected.len() as u64);
        let opened = open.lease(blobs, None);
        for most in [1, 2, 3, 7, 20, 1_000] {
            assert_eq!(written(&open, &marked, most).as_ref(), Some(&expected), "{most}");
        }
        drop(opened);
        assert_eq!(written(&open, &marked, 1_000), None, "it is kept no more");
    }

    #[test]
    fn not_all_waits_for_clients_that_may_not_come_back() {
        let open = OpenBlobs::default();
        let retained = |bytes: usize| {
            let mut blobs = ResultBlobs::default();
            blobs.add_data(&Bytes::from(vec![0; bytes]));
            open.lease(blobs, None).retain()
        };
        let half = retained(32 << 20);
        let other = retained(32 << 20);
        assert!(half.is_some() && other.is_some() && retained(1).is_none() && retained(0).is_none());
        drop(half);
        assert!(retained(1).is_some());
    }

    #[test]
    fn what_others_say_is_no_mark() {
        let (open, mut blobs) = (OpenBlobs::default(), ResultBlobs::default());
        let mark = blobs.add_data(&Bytes::from_static(b"abc"));
        assert!(
            !blobs.lacks_data_for(&mark)
                && !blobs.lacks_data_for("abc")
                && ResultBlobs::default().lacks_data_for(&mark)
        );
        let _opened = open.lease(blobs, None);
        let (numbered, _) = mark.split_at(MARK.len() + HEX_DIGITS);
        let forged =
            [format!("{numbered}{:016x}", 0), format!("{MARK}{:032x}", 1), format!("{MARK}zz"), MARK.to_owned()];
        let quoted = [format!("\"blob\":\"{mark}"), format!("\\\":\"{mark}\""), format!(":{mark}")];
        for text in forged.iter().chain(&quoted) {
            let json = serde_json::json!({ "title": text, "list": [text] }).to_string();
            assert_eq!(written(&open, &json, 5), Some(json));
            assert!(!ResultBlobs::default().lacks_data_for(text), "{text}");
        }
    }
}

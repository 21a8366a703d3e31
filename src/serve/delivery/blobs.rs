//! Data on its way out of an answer: written as base64 only while it is sent.
//!
//! The SDK takes data as text and serializes messages whole. A page of a megabyte would be written as base64, counted for
//! the bound on results, looked through for what JSON must escape and copied to the socket, each in memory that is fresh
//! from the system. So a result has a mark where data belongs, and what the SDK wrote goes out with the data in the places
//! of the marks, a piece at a time in memory that stays warm.
//!
//! A mark is the whole value of a member, `"blob":"pagewise-data:…"`, and is looked for with the quotes and the colon
//! before it: within a text every quote has a backslash before it. A title of a document or an argument of a client may
//! still look like one; so a mark has a seal that only this process can make, and what has none is a text like any other.
//!
//! Over HTTP the first block of an answer has a mark also where it is a text. No other message has that mark, so whoever
//! writes it is writing that answer: on which connection, in which stream and after which notifications does not matter.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use bytes::Bytes;

use super::PendingResponse;
use crate::serve::lock;
use crate::tool::{base64_length, push_base64};

/// What a mark starts with; its number and seal follow in hexadecimal.
const MARK: &str = "pagewise-data:";

/// How a mark starts in JSON, from the end of its member's name on.
const IN_JSON: &[u8] = b"\":\"pagewise-data:";

/// What of that stays.
const QUOTES: &[u8] = b"\":\"";

/// Digits of a mark's number, and of its seal.
const DIGITS: usize = 16;

/// Bytes of data that are written at a time; a multiple of three, so that only the last piece is padded.
const STRIDE: usize = 48 << 10;

/// Bytes of a piece of data as it is written, at most.
pub(crate) const PIECE_BYTES: usize = QUOTES.len() + STRIDE / 3 * 4;

/// Numbers of marks: no two of a process are the same.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// What seals are made with.
static KEYS: OnceLock<RandomState> = OnceLock::new();

fn seal(number: u64) -> u64 {
    KEYS.get_or_init(RandomState::new).hash_one(number)
}

/// The number of the mark with these digits, where the seal is ours.
fn sealed_number(digits: &[u8]) -> Option<u64> {
    let (number, sealed) = digits.split_at_checked(DIGITS)?;
    let read = |digits: &[u8]| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
    let number = read(number)?;
    (sealed.len() == DIGITS && read(sealed)? == seal(number)).then_some(number)
}

/// What is written in the place of a mark.
#[derive(Debug, Clone)]
enum MarkedContent {
    /// As base64.
    Data(Bytes),
    /// As it is: the inside of a JSON string.
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

/// The data of one result.
#[derive(Debug, Default)]
pub(crate) struct ResultBlobs(BTreeMap<u64, MarkedContent>);

impl ResultBlobs {
    /// What stands for `data` in the result.
    pub(crate) fn enclose(&mut self, data: &Bytes) -> String {
        self.mark(MarkedContent::Data(data.clone()))
    }

    /// What stands for a text in the result.
    pub(crate) fn enclose_text(&mut self, text: &str) -> String {
        // A text can always be written as JSON.
        let quoted = Bytes::from(serde_json::to_string(text).unwrap_or_default());
        let inside = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
        self.mark(MarkedContent::Text(quoted.slice_ref(inside)))
    }

    fn mark(&mut self, content: MarkedContent) -> String {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        self.0.insert(number, content);
        format!("{MARK}{number:0DIGITS$x}{:0DIGITS$x}", seal(number))
    }

    /// Bytes of what is `json` bytes long with the marks, when it is written.
    pub(crate) fn written_length(&self, json: u64) -> u64 {
        let marks = (self.0.len() as u64).saturating_mul((MARK.len() + 2 * DIGITS) as u64);
        self.0.values().map(MarkedContent::written_length).fold(json.saturating_sub(marks), u64::saturating_add)
    }

    /// Adds what belongs to another result.
    pub(crate) fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// The number of the mark that `text` is, where it stands for something here.
    pub(crate) fn number(&self, text: &str) -> Option<u64> {
        mark_number(text).filter(|number| self.0.contains_key(number))
    }

    /// Whether `text` is a mark that stands for nothing here.
    pub(crate) fn lacks_data_for(&self, text: &str) -> bool {
        mark_number(text).is_some_and(|number| !self.0.contains_key(&number))
    }
}

fn mark_number(text: &str) -> Option<u64> {
    sealed_number(text.strip_prefix(MARK)?.as_bytes())
}

/// The data of all results that are being written: who writes need not know whose they are.
#[derive(Clone, Default)]
pub(crate) struct OpenBlobs(Arc<OpenBlobsState>);

#[derive(Default)]
struct OpenBlobsState {
    entries: Mutex<BTreeMap<u64, OpenBlob>>,
    /// Bytes of it that wait for a client that may never come back.
    waiting: AtomicU64,
}

struct OpenBlob {
    content: MarkedContent,
    /// The response that has this mark, where that is to be delivered by whoever writes it.
    pending: Option<PendingResponse>,
}

/// Bytes that wait for clients that may never come back, of all of them together. 64 MiB.
const MAX_WAITING_BYTES: u64 = 64 << 20;

/// Keeps the data of one result for as long as it lives, and its delivery until it is written.
pub(crate) struct BlobLease {
    open: OpenBlobs,
    enclosures: ResultBlobs,
}

impl OpenBlobs {
    /// Has the data of a result written with it, until what this gives is dropped. Whoever writes the mark of this number
    /// gets what is to be delivered.
    pub(crate) fn lease(&self, enclosures: ResultBlobs, pending: Option<(u64, PendingResponse)>) -> BlobLease {
        let mut entries = lock(&self.0.entries);
        let all = enclosures.0.iter();
        entries.extend(all.map(|(number, content)| (*number, OpenBlob { content: content.clone(), pending: None })));
        if let Some((number, pending)) = pending
            && let Some(entry) = entries.get_mut(&number)
        {
            entry.pending = Some(pending);
        }
        drop(entries);
        BlobLease { open: self.clone(), enclosures }
    }

    /// The first part of `json`, which is all that is left of a message: a text of at most `most` bytes that no mark
    /// begins in, or data.
    pub(crate) fn first_part(&self, json: &[u8], most: usize) -> MessagePart {
        const WHOLE: usize = IN_JSON.len() + 2 * DIGITS;
        // Whatever begins within `most` bytes is seen whole.
        let seen = json.get(..most.saturating_add(WHOLE)).unwrap_or(json);
        let mut marks = memchr::memmem::find_iter(seen, IN_JSON).filter_map(|at| {
            let digits = seen.get(at.checked_add(IN_JSON.len())?..at.checked_add(WHOLE)?)?;
            Some((at, sealed_number(digits)?))
        });
        match marks.next() {
            Some((0, number)) => match lock(&self.0.entries).get_mut(&number) {
                Some(entry) => {
                    let data = BlobStream { left: entry.content.clone(), is_begun: false };
                    MessagePart::Data { mark: WHOLE, data, pending: entry.pending.take() }
                }
                None => MessagePart::Lost,
            },
            Some((at, _)) => MessagePart::Text(at.min(most)),
            None => MessagePart::Text(json.len().min(most)),
        }
    }
}

impl BlobLease {
    /// Bytes of what is `json` bytes long with the marks, when it is written.
    pub(crate) fn written_length(&self, json: u64) -> u64 {
        self.enclosures.written_length(json)
    }

    /// The same for as long as this lives, where there is something to keep and not too much is kept so.
    pub(crate) fn waiting(self) -> Option<RetainedBlobs> {
        let bytes = self.enclosures.0.values().map(|content| content.bytes().len() as u64).fold(0, u64::saturating_add);
        let waiting = RetainedBlobs { lease: self, bytes };
        let before = waiting.lease.open.0.waiting.fetch_add(bytes, Ordering::Relaxed);
        (bytes > 0 && before.saturating_add(bytes) <= MAX_WAITING_BYTES).then_some(waiting)
    }
}

/// Data that is kept for a client that may come back.
pub(crate) struct RetainedBlobs {
    lease: BlobLease,
    bytes: u64,
}

impl Drop for RetainedBlobs {
    fn drop(&mut self) {
        self.lease.open.0.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Drop for BlobLease {
    fn drop(&mut self) {
        let mut entries = lock(&self.open.0.entries);
        let dropped: Vec<_> = self.enclosures.0.keys().filter_map(|number| entries.remove(number)).collect();
        drop(entries);
        // What is not delivered ends here, which takes a lock of its own.
        drop(dropped);
    }
}

/// A part of a message.
pub(crate) enum MessagePart {
    /// So many bytes as they are.
    Text(usize),
    /// Data.
    Data {
        /// Bytes that are written as the data.
        mark: usize,
        /// What is written in their place.
        data: BlobStream,
        /// The response that this message is, to be delivered when all of it is written.
        pending: Option<PendingResponse>,
    },
    /// A mark whose data is kept no more: the message cannot be written.
    Lost,
}

/// Data that is being written.
pub(crate) struct BlobStream {
    left: MarkedContent,
    is_begun: bool,
}

impl BlobStream {
    /// Adds the next piece to `out`, at most [`PIECE_BYTES`] of it; nothing where all is written.
    pub(crate) fn push_piece(&mut self, out: &mut Vec<u8>) {
        if !self.is_begun {
            out.extend_from_slice(QUOTES);
            self.is_begun = true;
        }
        match &mut self.left {
            MarkedContent::Data(left) => push_base64(&left.split_to(left.len().min(STRIDE)), out),
            MarkedContent::Text(left) => out.extend_from_slice(&left.split_to(left.len().min(STRIDE))),
        }
    }

    /// Whether all is written.
    pub(crate) fn is_written(&self) -> bool {
        self.is_begun && self.left.bytes().is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::base64;

    /// `json` as it is written, with the data in it, in parts of at most so many bytes.
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
        let (open, mut enclosures) = (OpenBlobs::default(), ResultBlobs::default());
        let [one, none, long] = [&b"abc"[..], b"", &[7; 3 * STRIDE + 1]].map(Bytes::copy_from_slice);
        let marks = [&one, &none, &long].map(|data| enclosures.enclose(data));
        let json = |data: [&str; 3]| {
            let [one, none, long] = data;
            serde_json::json!([{ "blob": one, "a": "b" }, { "data": none }, { "blob": long }, "tail"]).to_string()
        };
        let expected = json([&base64(&one), "", &base64(&long)]);
        let marked = json(marks.each_ref().map(String::as_str));
        assert_eq!(enclosures.written_length(marked.len() as u64), expected.len() as u64);
        let opened = open.lease(enclosures, None);
        for most in [1, 2, 3, 7, 20, 1_000] {
            assert_eq!(written(&open, &marked, most).as_ref(), Some(&expected), "{most}");
        }
        drop(opened);
        assert_eq!(written(&open, &marked, 1_000), None, "it is kept no more");
    }

    #[test]
    fn not_all_waits_for_clients_that_may_not_come_back() {
        let open = OpenBlobs::default();
        let waiting = |bytes: usize| {
            let mut enclosures = ResultBlobs::default();
            enclosures.enclose(&Bytes::from(vec![0; bytes]));
            open.lease(enclosures, None).waiting()
        };
        let half = waiting(32 << 20);
        let other = waiting(32 << 20);
        assert!(half.is_some() && other.is_some() && waiting(1).is_none() && waiting(0).is_none());
        drop(half);
        assert!(waiting(1).is_some());
    }

    #[test]
    fn what_others_say_is_no_mark() {
        let (open, mut enclosures) = (OpenBlobs::default(), ResultBlobs::default());
        let mark = enclosures.enclose(&Bytes::from_static(b"abc"));
        assert!(
            !enclosures.lacks_data_for(&mark)
                && !enclosures.lacks_data_for("abc")
                && ResultBlobs::default().lacks_data_for(&mark)
        );
        let _opened = open.lease(enclosures, None);
        let (numbered, _) = mark.split_at(MARK.len() + DIGITS);
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

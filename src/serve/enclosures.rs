//! Data on its way out of an answer: written as base64 only while it is sent.
//!
//! The SDK takes data as text and serializes messages whole. A page of a megabyte would be written as base64, counted for
//! the bound on results, looked through for what JSON must escape and copied to the socket, each in memory that is fresh
//! from the system. So a result has a mark where data belongs, and what the SDK wrote goes out with the data in the places
//! of the marks, a piece at a time in memory that stays warm.
//!
//! A mark is the whole value of a member, `"blob":"pagewise-data:…"`, and is looked for with the quotes and the colon
//! before it. Nothing that a document says can look so: within a text every quote has a backslash before it.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::tool::{base64, base64_length, push_base64};

/// What a mark starts with; its number follows in hexadecimal.
const MARK: &str = "pagewise-data:";

/// How a mark starts in JSON, from the end of its member's name on.
const IN_JSON: &[u8] = b"\":\"pagewise-data:";

/// What of that stays.
const QUOTES: &[u8] = b"\":\"";

/// Digits of a mark's number.
const DIGITS: usize = 16;

/// Bytes of data that are written at a time; a multiple of three, so that only the last piece is padded.
const STRIDE: usize = 48 << 10;

/// Bytes of a piece of data as it is written, at most.
pub(super) const PIECE_BYTES: usize = QUOTES.len() + STRIDE / 3 * 4;

/// Numbers of marks: no two of a process are the same.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// The data of one result.
#[derive(Debug, Default)]
pub(super) struct Enclosures {
    enclosed: Vec<(u64, Bytes)>,
    /// Whether data stands in the result itself.
    is_inline: bool,
}

impl Enclosures {
    /// None; data of the result stands in it as base64 from the beginning, since nobody could put it there later.
    pub(super) fn inline() -> Self {
        Self { is_inline: true, ..Self::default() }
    }

    /// What stands for `data` in the result.
    pub(super) fn enclose(&mut self, data: &Bytes) -> String {
        if self.is_inline {
            return base64(data);
        }
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        self.enclosed.push((number, data.clone()));
        format!("{MARK}{number:0DIGITS$x}")
    }

    /// Bytes of what is `json` bytes long with the marks, when it is written.
    pub(super) fn written_length(&self, json: u64) -> u64 {
        let marks = (self.enclosed.len() as u64).saturating_mul((MARK.len() + DIGITS) as u64);
        let data = self.enclosed.iter().map(|(_, data)| base64_length(data.len() as u64));
        data.fold(json.saturating_sub(marks), u64::saturating_add)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.enclosed.is_empty()
    }

    /// The numbers of the marks.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.enclosed.iter().map(|(number, _)| *number).collect()
    }

    /// Drops the data of these marks.
    pub(super) fn remove(&mut self, numbers: &[u64]) {
        self.enclosed.retain(|(number, _)| !numbers.contains(number));
    }

    /// Adds what belongs to another result.
    pub(super) fn append(&mut self, mut others: Self) {
        self.enclosed.append(&mut others.enclosed);
    }

    /// What the mark with these digits stands for.
    fn data(&self, digits: &[u8]) -> Option<Data> {
        let number = u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        let (_, data) = self.enclosed.iter().find(|(known, _)| *known == number)?;
        Some(Data { left: data.clone(), is_begun: false })
    }

    /// Whether `text` is a mark that stands for nothing here.
    pub(super) fn lacks(&self, text: &str) -> bool {
        text.strip_prefix(MARK).is_some_and(|digits| self.data(digits.as_bytes()).is_none())
    }

    /// The first part of `json`, which is all that is left of a message: a text of at most `most` bytes that no mark
    /// begins in, or data.
    pub(super) fn first_part(&self, json: &[u8], most: usize) -> Part {
        // Whatever begins within `most` bytes is seen whole.
        let seen = json.get(..most.saturating_add(IN_JSON.len() + DIGITS)).unwrap_or(json);
        let marks = memchr::memmem::find_iter(seen, IN_JSON);
        let mut data = marks.filter_map(|at| {
            let end = at.checked_add(IN_JSON.len() + DIGITS)?;
            Some((at, end, self.data(seen.get(at.checked_add(IN_JSON.len())?..end)?)?))
        });
        match data.next() {
            Some((0, end, data)) => Part::Data { mark: end, data },
            Some((at, ..)) => Part::Text(at.min(most)),
            None => Part::Text(json.len().min(most)),
        }
    }
}

/// A part of a message.
pub(super) enum Part {
    /// So many bytes as they are.
    Text(usize),
    /// Data.
    Data {
        /// Bytes that are written as the data.
        mark: usize,
        /// What is written in their place.
        data: Data,
    },
}

/// Data that is being written.
pub(super) struct Data {
    left: Bytes,
    is_begun: bool,
}

impl Data {
    /// Adds the next piece to `out`, at most [`PIECE_BYTES`] of it; nothing where all is written.
    pub(super) fn push_piece(&mut self, out: &mut Vec<u8>) {
        if !self.is_begun {
            out.extend_from_slice(QUOTES);
            self.is_begun = true;
        }
        let piece = self.left.split_to(self.left.len().min(STRIDE));
        push_base64(&piece, out);
    }

    /// Whether all is written.
    pub(super) fn is_written(&self) -> bool {
        self.is_begun && self.left.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `json` as it is written, with the data in it, in parts of at most so many bytes.
    fn written(enclosures: &Enclosures, json: &str, most: usize) -> String {
        let (mut left, mut out) = (json.as_bytes(), Vec::new());
        while !left.is_empty() {
            let taken = match enclosures.first_part(left, most) {
                Part::Text(taken) => {
                    out.extend_from_slice(left.get(..taken).unwrap_or_default());
                    taken
                }
                Part::Data { mark, mut data } => {
                    while !data.is_written() {
                        data.push_piece(&mut out);
                    }
                    mark
                }
            };
            left = left.get(taken..).unwrap_or_default();
        }
        String::from_utf8(out).unwrap_or_default()
    }

    #[test]
    fn data_stands_where_its_mark_stood_however_the_text_is_parted() {
        let mut enclosures = Enclosures::default();
        let [one, none, long] = [&b"abc"[..], b"", &[7; 3 * STRIDE + 1]].map(Bytes::copy_from_slice);
        let marks = [&one, &none, &long].map(|data| enclosures.enclose(data));
        let json = |marks: [&str; 3]| {
            let [one, none, long] = marks;
            serde_json::json!([{ "blob": one, "a": "b" }, { "data": none }, { "blob": long }, "tail"]).to_string()
        };
        let expected = json([&base64(&one), "", &base64(&long)]);
        let skeleton = json([0, 1, 2].map(|at| marks.get(at).map(String::as_str).unwrap_or_default()));
        for most in [1, 2, 3, 7, 20, 1_000] {
            assert_eq!(written(&enclosures, &skeleton, most), expected, "{most}");
        }
        assert_eq!(enclosures.written_length(skeleton.len() as u64), expected.len() as u64);
    }

    #[test]
    fn what_a_text_says_is_no_mark() {
        let mut enclosures = Enclosures::default();
        let mark = enclosures.enclose(&Bytes::from_static(b"abc"));
        let said = [mark.clone(), format!("\"blob\":\"{mark}"), format!("\\\":\"{mark}\""), format!("{MARK}zz")];
        for text in said {
            let json = serde_json::json!([text.as_str(), format!("{text}\"")]).to_string();
            assert_eq!(written(&enclosures, &json, 5), json);
        }
        assert!(!enclosures.lacks(&mark) && !enclosures.lacks("abc") && Enclosures::default().lacks(&mark));
    }

    #[test]
    fn data_of_a_result_that_is_written_elsewhere_stands_in_it() {
        let mut enclosures = Enclosures::inline();
        assert_eq!(enclosures.enclose(&Bytes::from_static(b"abc")), "YWJj");
        assert!(enclosures.is_empty());
    }
}

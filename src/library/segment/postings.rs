//! Postings of a term: the pages that hold it, with what it adds to their scores.

use super::codec::{Decoder, put_number};
use super::error::SegmentError;

/// The highest impact.
pub(crate) const MAX_IMPACT: u8 = 255;

/// Bytes of the checksum before the postings.
const CHECKSUM_BYTES: usize = 4;

/// A page that holds a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    /// The page within its segment.
    pub(crate) page: u32,
    /// The term's share of the page's score, as BM25 has it, from 1 to [`MAX_IMPACT`].
    pub(crate) impact: u8,
    /// One bit for each passage that holds the term.
    pub(crate) passages: u8,
}

/// Collects the postings of a term.
#[derive(Debug, Default)]
pub(super) struct PostingsBuilder {
    bytes: Vec<u8>,
    next: u32,
    count: u32,
}

impl PostingsBuilder {
    /// Adds a page. Pages ascend.
    pub(super) fn push(&mut self, posting: Posting) {
        put_number(&mut self.bytes, posting.page.saturating_sub(self.next));
        self.bytes.extend([posting.impact, posting.passages]);
        self.next = posting.page.saturating_add(1);
        self.count = self.count.saturating_add(1);
    }

    /// The number of pages.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// As they are stored: a checksum and the postings.
    pub(super) fn write_to(&self, out: &mut Vec<u8>) {
        out.extend(checksum(&self.bytes));
        out.extend_from_slice(&self.bytes);
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    libdeflater::crc32(bytes).to_le_bytes()
}

/// Reads stored postings.
#[derive(Debug, Clone)]
pub(crate) struct PostingsReader<'a> {
    decoder: Decoder<'a>,
    next: u32,
}

impl<'a> PostingsReader<'a> {
    /// Reads `stored`.
    ///
    /// # Errors
    /// [`SegmentError::Damaged`] if the checksum is another.
    pub(crate) fn new(stored: &'a [u8]) -> Result<Self, SegmentError> {
        let (sum, bytes) = stored.split_first_chunk().ok_or(SegmentError::Damaged)?;
        if *sum != checksum(bytes) {
            return Err(SegmentError::Damaged);
        }
        Ok(Self { decoder: Decoder::new(bytes), next: 0 })
    }
}

impl Iterator for PostingsReader<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        let page = self.next.checked_add(self.decoder.number()?)?;
        let [impact, passages] = self.decoder.array()?;
        self.next = page.checked_add(1)?;
        Some(Posting { page, impact, passages })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_is_read_and_damage_is_refused() {
        let pages = [(0, 1), (1, 15), (200, 3), (70_000, 2)];
        let pages = pages.map(|(page, impact)| Posting { page, impact, passages: impact });
        let mut postings = PostingsBuilder::default();
        pages.into_iter().for_each(|posting| postings.push(posting));
        let mut bytes = Vec::new();
        postings.write_to(&mut bytes);
        assert_eq!(postings.count(), 4);
        assert!(PostingsReader::new(&bytes).is_ok_and(|read| read.eq(pages)));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
            assert!(PostingsReader::new(&damaged).is_err(), "{at}");
        }
    }
}

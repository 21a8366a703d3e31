//! Where the tables of a segment stand, as its last bytes say.

use super::codec::Decoder;
use super::error::SegmentError;

/// What a segment ends with.
const MAGIC: [u8; 8] = *b"pagewise";

/// The version of the format. Other versions are made anew.
pub(super) const VERSION: u32 = 1;

pub(super) const TRAILER_BYTES: usize = 84;

/// Bytes of an entry of the term table: hash, offset of the postings, number of pages.
pub(super) const ENTRY_BYTES: u64 = 16;

/// Bytes of a page: offset of its text, its length.
pub(super) const PAGE_BYTES: u64 = 12;

/// Bytes of a document: content hash, first page, number of pages, length of its details, their offset.
pub(super) const DOCUMENT_BYTES: u64 = 52;

/// Entries of a bucket of the term table, about.
const BUCKET_ENTRIES: u32 = 16;

/// Where the tables stand. Texts, postings and details come before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Layout {
    /// Where the postings begin.
    pub(super) postings: u64,
    /// Where the term table begins; one more entry than terms.
    pub(super) entries: u64,
    /// Where the number of each bucket's first entry stands; one more than buckets.
    pub(super) buckets: u64,
    /// Where the table of pages begins.
    pub(super) pages: u64,
    /// Where one bit for each page says whether it lists titles.
    pub(super) contents: u64,
    /// Where the table of documents begins.
    pub(super) documents: u64,
    /// The number of terms.
    pub(super) term_count: u32,
    /// The number of pages.
    pub(super) page_count: u32,
    /// The number of documents.
    pub(super) document_count: u32,
    /// One bit for each language of the documents.
    pub(super) languages: u32,
}

impl Layout {
    /// Bits of a hash that choose the bucket.
    pub(super) fn bucket_bits(&self) -> u32 {
        (self.term_count / BUCKET_ENTRIES + 1).ilog2()
    }

    /// The bucket of a hash.
    pub(super) fn bucket(&self, hash: u64) -> u64 {
        hash.checked_shr(u64::BITS - self.bucket_bits()).unwrap_or(0)
    }

    /// The trailer. `tables` are the bytes from [`Self::contents`] on, which are read at once.
    pub(super) fn encode(&self, tables: &[u8]) -> Vec<u8> {
        let offsets = [self.postings, self.entries, self.buckets, self.pages, self.contents, self.documents];
        let counts = [self.term_count, self.page_count, self.document_count, self.languages];
        let mut out: Vec<u8> = offsets.into_iter().flat_map(u64::to_le_bytes).collect();
        out.extend(counts.into_iter().flat_map(u32::to_le_bytes));
        let sum = libdeflater::crc32(tables) ^ libdeflater::crc32(&out);
        out.extend(u64::from(sum).to_le_bytes());
        out.extend(VERSION.to_le_bytes());
        out.extend(MAGIC);
        out
    }

    /// The layout that a trailer names, and the checksum of what it was made with.
    pub(super) fn decode(trailer: &[u8; TRAILER_BYTES]) -> Result<(Self, u32), SegmentError> {
        let (_, end) = trailer.split_last_chunk::<12>().ok_or(SegmentError::Damaged)?;
        let mut decoder = Decoder::new(end);
        let version = decoder.word().ok_or(SegmentError::Damaged)?;
        if decoder.array() != Some(MAGIC) {
            return Err(SegmentError::Damaged);
        }
        if version != VERSION {
            return Err(SegmentError::Version { version });
        }
        Self::decode_fields(trailer).ok_or(SegmentError::Damaged)
    }

    fn decode_fields(trailer: &[u8]) -> Option<(Self, u32)> {
        let mut decoder = Decoder::new(trailer);
        let mut offsets = [0; 6];
        for offset in &mut offsets {
            *offset = decoder.long()?;
        }
        let [postings, entries, buckets, pages, contents, documents] = offsets;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = decoder.word()?;
        }
        let [term_count, page_count, document_count, languages] = counts;
        let sum = u32::try_from(decoder.long()?).ok()?;
        let fields = trailer.get(..6 * 8 + 4 * 4)?;
        let layout = Self {
            postings,
            entries,
            buckets,
            pages,
            contents,
            documents,
            term_count,
            page_count,
            document_count,
            languages,
        };
        Some((layout, sum ^ libdeflater::crc32(fields)))
    }

    /// Whether the tables have the lengths that their counts need, in a file of `length` bytes.
    pub(super) fn fits(&self, length: u64) -> bool {
        let trailer = u64::try_from(TRAILER_BYTES).unwrap_or(u64::MAX);
        let tables = [
            (self.postings, self.entries, 0),
            (self.entries, self.buckets, (u64::from(self.term_count) + 1) * ENTRY_BYTES),
            (self.buckets, self.pages, ((1_u64 << self.bucket_bits()) + 1) * 4),
            (self.pages, self.contents, u64::from(self.page_count) * PAGE_BYTES),
            (self.contents, self.documents, u64::from(self.page_count.div_ceil(8))),
            (self.documents, length.saturating_sub(trailer), u64::from(self.document_count) * DOCUMENT_BYTES),
        ];
        tables.into_iter().all(|(start, end, bytes)| match end.checked_sub(start) {
            // The postings have any length.
            Some(room) => bytes == 0 || room == bytes,
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_names_its_layout_and_other_versions_are_told_apart() {
        let layout = Layout { postings: 7, documents: 9, term_count: 40, page_count: 3, ..Layout::default() };
        let bytes = layout.encode(b"tables");
        let mut trailer: [u8; TRAILER_BYTES] = bytes.try_into().unwrap_or([0; TRAILER_BYTES]);
        assert!(Layout::decode(&trailer).is_ok_and(|read| read == (layout, libdeflater::crc32(b"tables"))));
        if let Some(version) = trailer.get_mut(TRAILER_BYTES - 12) {
            *version = 9;
        }
        assert!(matches!(Layout::decode(&trailer), Err(SegmentError::Version { version: 9 })));
    }
}

//! Writes a segment from its beginning to its end.

use std::io::{self, Write};

use super::error::SegmentError;
use super::layout::Layout;
use super::postings::PostingsBuilder;
use pagewise_base::hash::ContentHash;

/// A document whose pages were written.
#[derive(Debug, Clone)]
struct WrittenDocument {
    content: ContentHash,
    first: u32,
    pages: u32,
    details: (u64, u32),
}

/// Writes pages, then postings, then the tables.
pub(super) struct SegmentWriter<W> {
    out: W,
    written: u64,
    pages: Vec<(u64, u32)>,
    contents: Vec<u8>,
    documents: Vec<WrittenDocument>,
    entries: Vec<u8>,
    hashes: Vec<u64>,
    layout: Layout,
}

impl<W: Write> SegmentWriter<W> {
    pub(super) fn new(out: W) -> Self {
        let (pages, contents, documents) = (Vec::new(), Vec::new(), Vec::new());
        let (entries, hashes, layout) = (Vec::new(), Vec::new(), Layout::default());
        Self { out, written: 0, pages, contents, documents, entries, hashes, layout }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written = self.written.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        self.out.write_all(bytes)
    }

    /// The number of the next page.
    pub(super) fn page_count(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    /// Writes the compressed text of a page.
    pub(super) fn page(&mut self, text: &[u8], is_contents: bool) -> Result<(), SegmentError> {
        let number = self.pages.len();
        self.pages.push((self.written, u32::try_from(text.len()).map_err(|_| SegmentError::TooLarge)?));
        if number.is_multiple_of(8) {
            self.contents.push(0);
        }
        if let Some(bits) = self.contents.last_mut().filter(|_| is_contents) {
            *bits |= 1 << (number % 8);
        }
        Ok(self.write(text)?)
    }

    /// Ends a document that has all pages from `first` on. `details` are compressed.
    pub(super) fn document(&mut self, content: ContentHash, first: u32, details: &[u8]) -> Result<(), SegmentError> {
        let pages = self.page_count().saturating_sub(first);
        let length = u32::try_from(details.len()).map_err(|_| SegmentError::TooLarge)?;
        let document = WrittenDocument { content, first, pages, details: (self.written, length) };
        self.documents.push(document);
        Ok(self.write(details)?)
    }

    /// Ends the pages.
    pub(super) fn begin_postings(&mut self) {
        self.layout.postings = self.written;
    }

    /// Writes the postings of a term. Hashes ascend.
    pub(super) fn postings(&mut self, hash: u64, postings: &PostingsBuilder) -> Result<(), SegmentError> {
        self.entry(hash, postings.count())?;
        self.hashes.push(hash);
        let mut bytes = Vec::new();
        postings.write_to(&mut bytes);
        Ok(self.write(&bytes)?)
    }

    fn entry(&mut self, hash: u64, count: u32) -> Result<(), SegmentError> {
        let offset = u32::try_from(self.written - self.layout.postings).map_err(|_| SegmentError::TooLarge)?;
        self.entries.extend(hash.to_le_bytes());
        self.entries.extend(offset.to_le_bytes());
        self.entries.extend(count.to_le_bytes());
        Ok(())
    }

    /// Writes the tables and ends the segment.
    pub(super) fn finish(mut self, languages: u32) -> Result<W, SegmentError> {
        self.entry(u64::MAX, 0)?;
        self.layout.term_count = u32::try_from(self.hashes.len()).map_err(|_| SegmentError::TooLarge)?;
        self.layout.page_count = self.page_count();
        self.layout.document_count = u32::try_from(self.documents.len()).map_err(|_| SegmentError::TooLarge)?;
        self.layout.languages = languages;
        self.layout.entries = self.written;
        let entries = std::mem::take(&mut self.entries);
        self.write(&entries)?;
        self.layout.buckets = self.written;
        let buckets = self.buckets();
        self.write(&buckets)?;
        self.layout.pages = self.written;
        let pages = self.pages.iter().flat_map(|(at, length)| [&at.to_le_bytes()[..], &length.to_le_bytes()].concat());
        let pages = pages.collect::<Vec<_>>();
        self.write(&pages)?;
        let tables = self.tables();
        self.write(&tables)?;
        let trailer = self.layout.encode(&tables);
        self.write(&trailer)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// The number of the first entry of each bucket, and of all.
    fn buckets(&self) -> Vec<u8> {
        let mut starts = Vec::new();
        let mut next = 0_u64;
        for (at, hash) in (0_u32..).zip(&self.hashes) {
            while next <= self.layout.bucket(*hash) {
                starts.extend(at.to_le_bytes());
                next += 1;
            }
        }
        for _ in next..=1 << self.layout.bucket_bits() {
            starts.extend(self.layout.term_count.to_le_bytes());
        }
        starts
    }

    fn tables(&mut self) -> Vec<u8> {
        self.layout.contents = self.written;
        let mut tables = std::mem::take(&mut self.contents);
        self.layout.documents = self.written.saturating_add(u64::try_from(tables.len()).unwrap_or(u64::MAX));
        for document in &self.documents {
            tables.extend(document.content.0);
            tables.extend([document.first, document.pages, document.details.1].into_iter().flat_map(u32::to_le_bytes));
            tables.extend(document.details.0.to_le_bytes());
        }
        tables
    }
}

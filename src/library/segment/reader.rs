//! Reads a segment by position.

use std::sync::Arc;

use super::codec::Decoder;
use super::compression::decompress;
use super::details::DocumentDetails;
use super::error::SegmentError;
use super::layout::{DOCUMENT_BYTES, ENTRY_BYTES, Layout, PAGE_BYTES, TRAILER_BYTES};
use pagewise_base::hash::ContentHash;
use pagewise_document::ReadAt;

/// Entries of the fullest bucket that is read. More are damage.
const MAX_BUCKET_ENTRIES: u32 = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentDocument {
    /// The hash of its file.
    pub content: ContentHash,
    /// Its first page within the segment.
    pub(crate) first: u32,
    /// The number of its pages.
    pub pages: u32,
    details: (u64, u32),
}

/// Where the postings of a term stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StoredPostings {
    /// The number of pages.
    pub(crate) count: u32,
    start: u32,
    end: u32,
}

/// The text of a page with its label.
#[derive(Debug)]
pub(crate) struct PageContent {
    /// The printed label; empty if it is the number.
    pub(crate) label: String,
    /// The marked text.
    pub(crate) text: String,
}

/// An open segment.
pub struct Segment {
    file: Arc<dyn ReadAt>,
    layout: Layout,
    documents: Vec<SegmentDocument>,
    contents: Vec<u8>,
}

impl Segment {
    /// Opens a segment: reads its trailer and the tables of its documents.
    ///
    /// # Errors
    /// [`SegmentError::Damaged`], [`SegmentError::Version`], and errors of the file.
    pub fn open(file: Arc<dyn ReadAt>) -> Result<Self, SegmentError> {
        let end = u64::try_from(TRAILER_BYTES).unwrap_or(u64::MAX);
        let trailer = file.len().checked_sub(end).ok_or(SegmentError::Damaged)?;
        let mut bytes = [0; TRAILER_BYTES];
        file.read_at(trailer, &mut bytes)?;
        let (layout, sum) = Layout::decode(&bytes)?;
        if !layout.fits(file.len()) {
            return Err(SegmentError::Damaged);
        }
        let tables = read(&*file, layout.contents, trailer - layout.contents)?;
        if libdeflater::crc32(&tables) != sum {
            return Err(SegmentError::Damaged);
        }
        let bits = usize::try_from(layout.page_count.div_ceil(8)).map_err(|_| SegmentError::Damaged)?;
        let (contents, documents) = tables.split_at_checked(bits).ok_or(SegmentError::Damaged)?;
        let documents = decode_documents(documents).ok_or(SegmentError::Damaged)?;
        Ok(Self { file, layout, documents, contents: contents.to_vec() })
    }

    /// Its documents, by their first page.
    #[must_use]
    pub fn documents(&self) -> &[SegmentDocument] {
        &self.documents
    }

    /// The number of its pages.
    #[must_use]
    pub fn page_count(&self) -> u32 {
        self.layout.page_count
    }

    /// Bytes of its file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.len()
    }

    /// One bit for each language of its documents.
    pub(crate) fn languages(&self) -> u32 {
        self.layout.languages
    }

    /// The document that a page belongs to.
    pub(crate) fn document_of(&self, page: u32) -> Option<&SegmentDocument> {
        let after = self.documents.partition_point(|document| document.first <= page);
        self.documents.get(after.checked_sub(1)?).filter(|document| page - document.first < document.pages)
    }

    /// Whether a page lists titles.
    pub(crate) fn is_contents(&self, page: u32) -> bool {
        let byte = usize::try_from(page / 8).ok().and_then(|at| self.contents.get(at));
        byte.is_some_and(|bits| bits >> (page % 8) & 1 == 1)
    }

    /// Looks up a term by its hash.
    pub(crate) fn find(&self, hash: u64) -> Result<Option<StoredPostings>, SegmentError> {
        let bucket = self.layout.buckets + self.layout.bucket(hash) * 4;
        let mut bounds = [0; 8];
        self.file.read_at(bucket, &mut bounds)?;
        let mut decoder = Decoder::new(&bounds);
        let (Some(first), Some(end)) = (decoder.word(), decoder.word()) else { return Err(SegmentError::Damaged) };
        let count =
            end.checked_sub(first).filter(|count| *count <= MAX_BUCKET_ENTRIES && end <= self.layout.term_count);
        let count = count.ok_or(SegmentError::Damaged)?;
        // The entry after the last says where its postings end.
        let start = self.layout.entries + u64::from(first) * ENTRY_BYTES;
        let bytes = read(&*self.file, start, (u64::from(count) + 1) * ENTRY_BYTES)?;
        Ok(find_entry(&bytes, hash))
    }

    /// All terms, by their hash.
    pub(super) fn terms(&self) -> Result<Vec<(u64, StoredPostings)>, SegmentError> {
        let bytes = read(&*self.file, self.layout.entries, self.layout.buckets - self.layout.entries)?;
        let mut entries = Entries(Decoder::new(&bytes));
        let mut terms = Vec::new();
        let mut before = entries.next();
        for (hash, start, count) in entries {
            if let Some((own, first, pages)) = before {
                terms.push((own, StoredPostings { count: pages, start: first, end: start }));
            }
            before = Some((hash, start, count));
        }
        Ok(terms)
    }

    /// Reads the stored postings of a term into `bytes`. [`super::PostingsReader`] decodes them.
    pub(crate) fn read_postings(&self, stored: StoredPostings, bytes: &mut Vec<u8>) -> Result<(), SegmentError> {
        let length = stored.end.checked_sub(stored.start).ok_or(SegmentError::Damaged)?;
        let start = self.layout.postings + u64::from(stored.start);
        if start + u64::from(length) > self.layout.entries {
            return Err(SegmentError::Damaged);
        }
        read_into(&*self.file, start, u64::from(length), bytes)
    }

    /// The postings of a term.
    pub(super) fn postings(&self, stored: StoredPostings) -> Result<Vec<u8>, SegmentError> {
        let mut bytes = Vec::new();
        self.read_postings(stored, &mut bytes)?;
        Ok(bytes)
    }

    /// The compressed text of a page.
    pub(super) fn stored_page(&self, page: u32) -> Result<Vec<u8>, SegmentError> {
        if page >= self.layout.page_count {
            return Err(SegmentError::Damaged);
        }
        let record = read(&*self.file, self.layout.pages + u64::from(page) * PAGE_BYTES, PAGE_BYTES)?;
        let mut decoder = Decoder::new(&record);
        let (Some(at), Some(length)) = (decoder.long(), decoder.word()) else { return Err(SegmentError::Damaged) };
        self.before_postings(at, length)
    }

    fn before_postings(&self, at: u64, length: u32) -> Result<Vec<u8>, SegmentError> {
        let end = at.checked_add(u64::from(length)).filter(|end| *end <= self.layout.postings);
        end.ok_or(SegmentError::Damaged)?;
        read(&*self.file, at, u64::from(length))
    }

    /// The text of a page with its label.
    pub(crate) fn page(&self, page: u32) -> Result<PageContent, SegmentError> {
        let mut text = String::from_utf8(decompress(&self.stored_page(page)?)?).map_err(|_| SegmentError::Damaged)?;
        let label = text.split_once('\n').map_or(text.as_str(), |(label, _)| label).to_owned();
        text.drain(..text.len().min(label.len() + 1));
        Ok(PageContent { label, text })
    }

    /// The compressed details of a document.
    pub(super) fn stored_details(&self, document: &SegmentDocument) -> Result<Vec<u8>, SegmentError> {
        self.before_postings(document.details.0, document.details.1)
    }

    /// What is known of a document beside its pages.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn details(&self, document: &SegmentDocument) -> Result<DocumentDetails, SegmentError> {
        let bytes = decompress(&self.stored_details(document)?)?;
        DocumentDetails::decode(&bytes).ok_or(SegmentError::Damaged)
    }
}

fn read(file: &dyn ReadAt, at: u64, length: u64) -> Result<Vec<u8>, SegmentError> {
    let mut bytes = Vec::new();
    read_into(file, at, length, &mut bytes)?;
    Ok(bytes)
}

fn read_into(file: &dyn ReadAt, at: u64, length: u64, bytes: &mut Vec<u8>) -> Result<(), SegmentError> {
    // A length of more than the file is damage, and no reason to take memory.
    if at.checked_add(length).is_none_or(|end| end > file.len()) {
        return Err(SegmentError::Damaged);
    }
    bytes.resize(usize::try_from(length).map_err(|_| SegmentError::Damaged)?, 0);
    Ok(file.read_at(at, bytes)?)
}

fn decode_documents(bytes: &[u8]) -> Option<Vec<SegmentDocument>> {
    let mut decoder = Decoder::new(bytes);
    let size = usize::try_from(DOCUMENT_BYTES).ok()?;
    let mut documents = Vec::with_capacity(bytes.len() / size);
    while !decoder.is_at_end() {
        let content = ContentHash(decoder.array()?);
        let (first, pages, length) = (decoder.word()?, decoder.word()?, decoder.word()?);
        documents.push(SegmentDocument { content, first, pages, details: (decoder.long()?, length) });
    }
    Some(documents)
}

/// Entries of the term table: hash, offset of the postings, number of pages.
struct Entries<'a>(Decoder<'a>);

impl Iterator for Entries<'_> {
    type Item = (u64, u32, u32);

    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.long()?, self.0.word()?, self.0.word()?))
    }
}

fn find_entry(bytes: &[u8], hash: u64) -> Option<StoredPostings> {
    let mut entries = Entries(Decoder::new(bytes));
    let (_, start, count) = entries.find(|(own, _, _)| *own == hash)?;
    let (_, end, _) = entries.next()?;
    Some(StoredPostings { count, start, end })
}

//! An index: its segments, and which file is which document. In memory, or in a folder that several processes share.
//!
//! A segment is written once, and the catalogue is replaced whole after it, so that readers never wait. Writers take a
//! lock. Whatever is damaged is made anew.

mod catalogue;
mod folder;

use std::path::{Path, is_separator};
use std::sync::Arc;

pub use catalogue::{DocumentRecord, FileRecord};
pub use folder::IndexLock;

use catalogue::Catalogue;
use folder::IndexFolder;

use super::search::{DocumentSet, RankedPage, SearchScope, search};
use super::segment::{Segment, SegmentBuilder, SegmentError, merge};
use pagewise_base::hash::ContentHash;

/// Segments of an index. With more, the smallest become one.
const MAX_SEGMENTS: usize = 8;

/// Segments that become one.
const MERGED_SEGMENTS: usize = 6;

/// Pages of a segment that is written anew as soon as a document of it is forgotten.
const SMALL_SEGMENT: u32 = 8192;

/// A larger segment is written anew when one of so many pages belongs to no file.
const FORGOTTEN_SHARE: u32 = 8;

/// What an index has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexStatus {
    pub files: usize,
    /// Documents that were read.
    pub documents: usize,
    /// Pages of these.
    pub pages: u64,
    pub segments: usize,
    /// Bytes of these.
    pub bytes: u64,
}

/// Documents that were read, to be added to an index.
pub struct IndexBatch {
    segment: SegmentBuilder<Vec<u8>>,
    documents: Vec<(ContentHash, DocumentRecord)>,
    files: Vec<(String, FileRecord)>,
}

impl Default for IndexBatch {
    fn default() -> Self {
        Self { segment: SegmentBuilder::new(Vec::new()), documents: Vec::new(), files: Vec::new() }
    }
}

impl IndexBatch {
    /// Bytes of text of a batch that should be added.
    pub const FULL_BYTES: usize = 12 << 20;

    /// Adds a file.
    pub fn file(&mut self, path: String, file: FileRecord) {
        self.files.push((path, file));
    }

    /// Adds a document.
    ///
    /// # Errors
    /// [`SegmentError::TooLarge`]
    pub fn document(&mut self, content: ContentHash, text: &super::DocumentText) -> Result<(), SegmentError> {
        self.segment.add(content, text)?;
        let without_text = text.pages.iter().filter(|page| page.text.is_none()).count();
        let count = |pages: usize| u32::try_from(pages).unwrap_or(u32::MAX);
        let (pages, without_text) = (count(text.pages.len()), count(without_text));
        let (unread_pages, date) = (text.unread_pages, text.date.unwrap_or(0));
        let record = DocumentRecord { pages, unread_pages, without_text, date, problem: None };
        self.documents.push((content, record));
        Ok(())
    }

    /// Adds a document that cannot be read.
    pub fn unreadable(&mut self, content: ContentHash, problem: &str) {
        self.documents
            .push((content, DocumentRecord { problem: Some(problem.to_owned()), ..DocumentRecord::default() }));
    }

    /// Whether it should be added now.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.segment.text_bytes() >= Self::FULL_BYTES
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && self.documents.is_empty()
    }
}

/// A segment with its number, which names its file.
struct NumberedSegment {
    id: u32,
    segment: Segment,
}

#[derive(Default)]
pub struct Index {
    /// `None` keeps it in memory.
    folder: Option<IndexFolder>,
    catalogue: Catalogue,
    segments: Vec<NumberedSegment>,
    note: Option<String>,
    /// Whether the folder could not take a segment. Its catalogue then stays as it was, with the segments that it names.
    is_only_in_memory: bool,
    /// Whether a segment turned out to be damaged while it was merged.
    is_damaged: bool,
}

impl Index {
    /// Opens the index in a folder. A damaged one is empty, which [`Self::note`] says.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let folder = IndexFolder::new(path);
        match folder.load() {
            Ok((catalogue, segments)) => {
                let segments = segments.into_iter().map(|(id, segment)| NumberedSegment { id, segment }).collect();
                Self { folder: Some(folder), catalogue, segments, ..Self::default() }
            }
            Err(problem) => {
                let note = format!("The index in {} was made anew: {problem}.", path.display());
                Self { folder: Some(folder), note: Some(note), ..Self::default() }
            }
        }
    }

    /// What was wrong with the index, in a sentence.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Lets this process alone write. `None` while another one does; an index in memory has no lock.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn lock(&self) -> std::io::Result<Option<IndexLock>> {
        match &self.folder {
            Some(folder) => folder.lock(),
            None => Ok(Some(IndexLock::default())),
        }
    }

    /// Reads the folder again, after another process may have written.
    pub fn reopen(&mut self) {
        if let Some(folder) = &self.folder {
            let opened = Self::open(folder.path());
            let note = opened.note.clone().or_else(|| self.note.take());
            *self = Self { note, ..opened };
        }
    }

    /// What is known of a file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&FileRecord> {
        self.catalogue.files.get(path)
    }

    /// What is known of a document.
    #[must_use]
    pub fn document(&self, content: &ContentHash) -> Option<&DocumentRecord> {
        self.catalogue.documents.get(content)
    }

    /// The documents that it knows, also those that cannot be read.
    pub fn documents(&self) -> impl Iterator<Item = &ContentHash> {
        self.catalogue.documents.keys()
    }

    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.catalogue.files.keys().map(String::as_str)
    }

    /// The files beneath a folder.
    pub fn files_beneath(&self, folder: &Path) -> impl Iterator<Item = &str> {
        let folder = folder.display().to_string();
        let is_beneath = move |path: &&str| {
            path.strip_prefix(&*folder)
                .is_some_and(|rest| folder.ends_with(is_separator) || rest.starts_with(is_separator))
        };
        self.catalogue.files.keys().map(String::as_str).filter(is_beneath)
    }

    /// What it has.
    #[must_use]
    pub fn status(&self) -> IndexStatus {
        let read = self.catalogue.documents.values().filter(|document| document.problem.is_none());
        IndexStatus {
            files: self.catalogue.files.len(),
            documents: read.clone().count(),
            pages: read.map(|document| u64::from(document.pages)).sum(),
            segments: self.segments.len(),
            bytes: self.bytes(),
        }
    }

    fn bytes(&self) -> u64 {
        self.segments.iter().map(|numbered| numbered.segment.bytes()).sum()
    }

    /// The pages that answer a query best.
    ///
    /// # Errors
    /// Those of reading the segments.
    pub fn search(&self, scope: &SearchScope, query: &str, limit: usize) -> Result<Vec<RankedPage>, SegmentError> {
        if self.is_damaged {
            return Err(SegmentError::Damaged);
        }
        let segments = self.segments.iter().map(|numbered| &numbered.segment).collect::<Vec<_>>();
        search(&segments, scope, query, limit)
    }

    /// Adds documents and files. If the folder cannot take them, this process alone has them, and [`Self::note`] says so.
    ///
    /// # Errors
    /// [`SegmentError::TooLarge`]
    pub fn add(&mut self, batch: IndexBatch) -> Result<(), SegmentError> {
        if batch.is_empty() {
            return Ok(());
        }
        let has_pages = batch.documents.iter().any(|(_, document)| document.pages > 0);
        self.catalogue.documents.extend(batch.documents);
        self.catalogue.files.extend(batch.files);
        if has_pages {
            let bytes = batch.segment.finish()?;
            self.push(bytes)?;
        }
        self.tidy_and_save();
        Ok(())
    }

    /// Damage that is found on the way is an error of the next search.
    fn tidy_and_save(&mut self) {
        match self.tidy() {
            Ok(()) => self.save(),
            Err(_) => self.is_damaged = true,
        }
    }

    fn push(&mut self, bytes: Vec<u8>) -> Result<(), SegmentError> {
        let id = self.catalogue.next_id();
        let stored = match &self.folder {
            Some(folder) => folder.write_segment(id, &bytes).map_err(|error| error.to_string()),
            None => Err(String::new()),
        };
        let segment = match stored {
            Ok(segment) => segment,
            Err(problem) => {
                self.is_only_in_memory = true;
                self.note_failure(&problem);
                Segment::open(Arc::new(bytes))?
            }
        };
        self.segments.push(NumberedSegment { id, segment });
        Ok(())
    }

    /// Forgets files, and the documents that no file has any more.
    pub fn forget(&mut self, paths: &[String]) {
        for path in paths {
            self.catalogue.files.remove(path);
        }
        if !paths.is_empty() {
            self.tidy_and_save();
        }
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn clear(&mut self) -> std::io::Result<()> {
        self.catalogue = Catalogue::default();
        self.segments.clear();
        self.is_damaged = false;
        self.is_only_in_memory = false;
        self.folder.as_ref().map_or(Ok(()), IndexFolder::clear)
    }

    /// Merges segments, and drops documents without a file.
    fn tidy(&mut self) -> Result<(), SegmentError> {
        let wanted = self.catalogue.files.values().map(|file| file.content).collect::<DocumentSet>();
        self.catalogue.documents.retain(|content, _| wanted.contains(content));
        self.segments.sort_by_key(|numbered| numbered.segment.page_count());
        let merged = if self.segments.len() > MAX_SEGMENTS { MERGED_SEGMENTS } else { 0 };
        let (smallest, others) = self.segments.split_at(merged.min(self.segments.len()));
        let mut rewritten: Vec<Vec<u32>> = Vec::new();
        rewritten.extend((!smallest.is_empty()).then(|| smallest.iter().map(|numbered| numbered.id).collect()));
        rewritten.extend(others.iter().filter(|one| has_much_forgotten(&one.segment, &wanted)).map(|one| vec![one.id]));
        rewritten.into_iter().try_for_each(|ids| self.rewrite(&ids, &wanted))
    }

    /// Makes one segment of those with these numbers.
    fn rewrite(&mut self, ids: &[u32], wanted: &DocumentSet) -> Result<(), SegmentError> {
        let old = self.segments.extract_if(.., |numbered| ids.contains(&numbered.id)).collect::<Vec<_>>();
        let sources = old.iter().map(|numbered| &numbered.segment).collect::<Vec<_>>();
        let mut written = DocumentSet::default();
        let is_wanted = |content: &ContentHash| wanted.contains(content) && written.insert(*content);
        match merge(&sources, is_wanted, Vec::new())? {
            Some(bytes) => self.push(bytes),
            None => Ok(()),
        }
    }

    fn save(&mut self) {
        let Some(folder) = self.folder.as_ref().filter(|_| !self.is_only_in_memory) else { return };
        let ids = self.segments.iter().map(|numbered| numbered.id).collect::<Vec<_>>();
        if let Err(error) = folder.save(&self.catalogue, &ids) {
            self.note_failure(&error.to_string());
        }
    }

    fn note_failure(&mut self, problem: &str) {
        if let Some(folder) = &self.folder {
            self.note = Some(format!("The index in {} could not be stored: {problem}.", folder.path().display()));
        }
    }
}

fn has_much_forgotten(segment: &Segment, wanted: &DocumentSet) -> bool {
    let forgotten = segment.documents().iter().filter(|document| !wanted.contains(&document.content));
    let pages = forgotten.map(|document| document.pages.max(1)).fold(0_u32, u32::saturating_add);
    pages > 0 && (segment.page_count() <= SMALL_SEGMENT || pages.saturating_mul(FORGOTTEN_SHARE) > segment.page_count())
}

#[cfg(test)]
mod tests;

//! An index: the pages of documents, and which file is which document. In memory, or in a folder that several processes
//! share.
//!
//! Writers take a lock, readers never wait. Whatever is damaged is made anew.

mod batch;
mod database;
mod error;
mod stored_page;

use std::path::{Path, is_separator};
use std::sync::{Mutex, PoisonError};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OptionalExtension as _, Row};

pub use batch::{DocumentText, IndexBatch, OutlineTitle, PageTextToIndex};
pub use database::IndexLock;
pub use error::IndexError;
pub(crate) use stored_page::StoredPage;

use database::{IndexFolder, in_memory};

use crate::ranking::{RankedPage, SearchScope, search};
use pagewise_base::hash::ContentHash;

/// What is known of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileRecord {
    /// A hash of the file's stat when it was read.
    pub stat: [u8; 32],
    /// The hash of its bytes.
    pub content: ContentHash,
}

/// What is known of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentRecord {
    /// Its pages that were read.
    pub pages: u32,
    /// Pages after these, which were not read since it has too much text.
    pub unread_pages: u32,
    /// Pages without usable text.
    pub without_text: u32,
    /// Those of them that may still be recognised.
    pub unrecognised: u32,
    /// The date that it gives, as a number like 20240301; 0 if it gives none.
    pub date: u32,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// As ISO 639-3 has it; empty if it is not known.
    pub language: String,
}

/// A file and its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    pub file: FileRecord,
    pub document: DocumentRecord,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexStatus {
    pub files: usize,
    /// Documents that were read.
    pub documents: usize,
    pub pages: u64,
    /// Bytes of the database.
    pub bytes: u64,
}

#[derive(Default)]
pub struct Index {
    /// `None` keeps it in memory.
    folder: Option<IndexFolder>,
    /// `None` is empty.
    database: Option<Mutex<Connection>>,
    note: Option<String>,
    /// Whether the folder could not take something. What it has stays as it was.
    is_only_in_memory: bool,
    /// Whether it turned out to be damaged while it was written.
    is_damaged: bool,
}

impl Index {
    /// Opens the index in a folder. A damaged one is removed, which [`Self::note`] says.
    #[must_use]
    pub fn open(path: &Path) -> Self {
        let folder = IndexFolder::new(path);
        let mut index = Self::default();
        match folder.open() {
            Ok(database) => index.database = database.map(Mutex::new),
            Err(error @ (IndexError::Damaged | IndexError::Version)) => {
                // What cannot be removed cannot be written either, which is noted then.
                let _ = folder.clear();
                index.note = Some(format!("The index in {} was rebuilt: {error}.", path.display()));
            }
            Err(error) => {
                index.is_only_in_memory = true;
                index.note = Some(format!("The index in {} could not be opened: {error}.", path.display()));
            }
        }
        Self { folder: Some(folder), ..index }
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

    /// Opens what another process has made since an empty folder was opened.
    pub fn reopen(&mut self) {
        if let (Some(folder), None, false) = (&self.folder, &self.database, self.is_only_in_memory) {
            let opened = Self::open(folder.path());
            let note = opened.note.clone().or_else(|| self.note.take());
            *self = Self { note, ..opened };
        }
    }

    /// Reads the database; the default value if there is none, or if it cannot be read: then the search says so.
    fn read<T: Default>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> T {
        let database = self.database.as_ref().map(|database| database.lock().unwrap_or_else(PoisonError::into_inner));
        database.and_then(|database| work(&database).ok()).unwrap_or_default()
    }

    /// What is known of the files at these paths, in their order.
    #[must_use]
    pub fn known_files<P: AsRef<str>>(&self, paths: impl ExactSizeIterator<Item = P>) -> Vec<Option<KnownFile>> {
        let count = paths.len();
        let known = |row: &Row<'_>| {
            let document = DocumentRecord {
                pages: row.get(2)?,
                unread_pages: row.get(3)?,
                without_text: row.get(4)?,
                unrecognised: row.get(5)?,
                date: row.get(6)?,
                problem: row.get(7)?,
                language: row.get(8)?,
            };
            Ok(KnownFile { file: FileRecord { stat: row.get(0)?, content: ContentHash(row.get(1)?) }, document })
        };
        let found = self.read(|database| {
            // One transaction: to begin one costs as much as to find a file.
            let database = database.unchecked_transaction()?;
            let mut find = database.prepare_cached(
                "SELECT stat, content, pages, unread_pages, without_text, unrecognised, date, problem, language
                FROM file JOIN document USING (content) WHERE path = ?1",
            )?;
            paths.map(|path| find.query_row([path.as_ref()], known).optional()).collect::<Result<Vec<_>, _>>()
        });
        found.into_iter().chain(std::iter::repeat_with(|| None)).take(count).collect()
    }

    /// The documents that it knows, also those that cannot be read.
    #[must_use]
    pub fn documents(&self) -> Vec<ContentHash> {
        self.read(|database| {
            let mut all = database.prepare("SELECT content FROM document")?;
            all.query_map([], |row| row.get(0).map(ContentHash))?.collect()
        })
    }

    /// The pages of a document as they were added; none if the database cannot be read.
    #[must_use]
    pub fn pages(&self, content: &ContentHash) -> Vec<PageTextToIndex> {
        let stored = self.read(|database| {
            let mut all = database.prepare(
                "SELECT stored FROM document JOIN page ON id BETWEEN cover + 1 AND cover + pages
                WHERE content = ?1 ORDER BY id",
            )?;
            all.query_map([content.0], |row| row.get::<_, Vec<u8>>(0))?.collect::<Result<Vec<_>, _>>()
        });
        let read = (0..).zip(stored).map(|(page, stored)| StoredPage::decompress(&stored, page).map(Into::into));
        read.collect::<Result<_, _>>().unwrap_or_default()
    }

    #[must_use]
    pub fn files(&self) -> Vec<String> {
        self.read(|database| database.prepare("SELECT path FROM file")?.query_map([], |row| row.get(0))?.collect())
    }

    #[must_use]
    pub fn files_beneath(&self, folder: &Path) -> Vec<String> {
        let folder = folder.display().to_string();
        let mut files = self.files();
        files.retain(|path| {
            path.strip_prefix(&*folder)
                .is_some_and(|rest| folder.ends_with(is_separator) || rest.starts_with(is_separator))
        });
        files
    }

    /// What it has.
    #[must_use]
    pub fn status(&self) -> IndexStatus {
        let count = |count: i64| usize::try_from(count).unwrap_or(0);
        let status = |row: &Row<'_>| {
            let (documents, pages) = (count(row.get(1)?), row.get::<_, i64>(2)?.unsigned_abs());
            Ok(IndexStatus { files: count(row.get(0)?), documents, pages, bytes: 0 })
        };
        let select = "SELECT (SELECT count(*) FROM file), count(*), coalesce(sum(pages), 0) FROM document
            WHERE problem IS NULL";
        let status = self.read(|database| database.query_row(select, [], status));
        IndexStatus { bytes: self.bytes(), ..status }
    }

    /// Bytes of the database.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let select = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        self.read(|database| database.prepare_cached(select)?.query_row([], |row| row.get::<_, i64>(0))).unsigned_abs()
    }

    /// The pages that answer a query best.
    ///
    /// # Errors
    /// Those of reading the database.
    pub fn search(&self, scope: &SearchScope, query: &str, limit: usize) -> Result<Vec<RankedPage>, IndexError> {
        if self.is_damaged {
            return Err(IndexError::Damaged);
        }
        match &self.database {
            Some(database) => search(&database.lock().unwrap_or_else(PoisonError::into_inner), scope, query, limit),
            None => Ok(Vec::new()),
        }
    }

    /// Adds documents and files. If the folder cannot take them, this process alone has them, and [`Self::note`] says so.
    pub fn add(&mut self, batch: &IndexBatch) {
        if !batch.is_empty() {
            self.write(|database| batch.write(database));
        }
    }

    /// Forgets files, and the documents that no file has any more.
    pub fn forget(&mut self, paths: &[String]) {
        if !paths.is_empty() {
            self.write(|database| batch::forget(database, paths));
        }
    }

    /// Writes in one transaction. Damage that is found on the way is an error of the next search.
    fn write(&mut self, work: impl Fn(&Connection) -> Result<(), IndexError>) {
        match self.try_to_write(&work) {
            Ok(()) => {}
            Err(IndexError::Damaged) => self.is_damaged = true,
            Err(error) => {
                self.note_failure(&error);
                let written = self.move_to_memory().and_then(|()| self.try_to_write(&work));
                self.is_damaged |= written.is_err();
            }
        }
    }

    fn try_to_write(&mut self, work: impl Fn(&Connection) -> Result<(), IndexError>) -> Result<(), IndexError> {
        let database = match &mut self.database {
            Some(database) => database,
            None => {
                let folder = self.folder.as_ref().filter(|_| !self.is_only_in_memory);
                self.database.insert(Mutex::new(folder.map_or_else(in_memory, IndexFolder::create)?))
            }
        };
        let database = database.get_mut().unwrap_or_else(PoisonError::into_inner);
        let transaction = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        work(&transaction)?;
        Ok(transaction.commit()?)
    }

    /// Goes on with a copy in memory.
    fn move_to_memory(&mut self) -> Result<(), IndexError> {
        self.is_only_in_memory = true;
        let Some(database) = self.database.take() else { return Ok(()) };
        let mut copy = Connection::open_in_memory()?;
        let database = database.into_inner().unwrap_or_else(PoisonError::into_inner);
        let copied = Backup::new(&database, &mut copy)?.step(-1)?;
        if copied != StepResult::Done {
            copy = in_memory()?;
        }
        self.database = Some(Mutex::new(copy));
        Ok(())
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn clear(&mut self) -> std::io::Result<()> {
        self.database = None;
        self.is_damaged = false;
        self.is_only_in_memory = false;
        self.folder.as_ref().map_or(Ok(()), IndexFolder::clear)
    }

    fn note_failure(&mut self, problem: &IndexError) {
        if let Some(folder) = &self.folder {
            self.note = Some(format!("The index in {} could not be stored: {problem}.", folder.path().display()));
        }
    }
}

#[cfg(test)]
mod tests;

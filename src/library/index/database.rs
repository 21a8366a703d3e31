//! The database of an index: one file in a folder, or in memory.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::IndexError;

/// The version of the tables and of the keys. Other versions are made anew.
const VERSION: i64 = 6;

/// Time to wait for another process.
const BUSY_TIME: Duration = Duration::from_secs(10);

const DATABASE: &str = "index.sqlite";
const LOCK: &str = "lock";

/// A document has a row for its cover, which is its title and the names of its files, and one for each page after it: the
/// same in `words`, `page` and, for the cover, `document`. Keys hold no ASCII but letters, digits and these characters.
const SCHEMA: &str = "
    CREATE TABLE document(
        cover INTEGER PRIMARY KEY, content BLOB NOT NULL UNIQUE, pages INTEGER NOT NULL, unread_pages INTEGER NOT NULL,
        without_text INTEGER NOT NULL, unrecognised INTEGER NOT NULL, date INTEGER NOT NULL, problem TEXT, language TEXT NOT NULL, title TEXT NOT NULL,
        lengths BLOB NOT NULL) STRICT;
    CREATE TABLE page(id INTEGER PRIMARY KEY, stored BLOB NOT NULL) STRICT;
    CREATE TABLE file(path TEXT PRIMARY KEY, stat BLOB NOT NULL, content BLOB NOT NULL) STRICT, WITHOUT ROWID;
    CREATE INDEX file_of_content ON file(content);
    CREATE VIRTUAL TABLE words USING fts5(keys, content='', contentless_delete=1, detail=none,
        tokenize=\"ascii tokenchars '.,-_/'':+@#&'\");
    CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);";

/// The right to write an index, until it is dropped.
#[derive(Debug, Default)]
pub struct IndexLock {
    _file: Option<File>,
}

/// Where an index is kept.
#[derive(Debug)]
pub(super) struct IndexFolder(PathBuf);

impl IndexFolder {
    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_path_buf())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// The database, if there is one.
    pub(super) fn open(&self) -> Result<Option<Connection>, IndexError> {
        match fs::metadata(self.0.join(DATABASE)) {
            // An empty file is being made by another process.
            Ok(metadata) if metadata.len() > 0 => self.connect().and_then(prepared).map(Some),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes an empty database, and removes an index of the form before SQLite.
    pub(super) fn create(&self) -> Result<Connection, IndexError> {
        make_folder(&self.0)?;
        self.remove(|name| name == "catalogue" || name.ends_with(".segment") || name.ends_with(".part"))?;
        open_private(&self.0.join(DATABASE))?;
        let connection = self.connect()?;
        // Readers never wait for a writer.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        prepared(connection)
    }

    fn connect(&self) -> Result<Connection, IndexError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.0.join(DATABASE), flags)?;
        connection.busy_timeout(BUSY_TIME)?;
        // What a power cut takes is read again.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        Ok(connection)
    }

    /// Removes the index.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.remove(|name| name.starts_with(DATABASE))
    }

    fn remove(&self, is_unwanted: impl Fn(&str) -> bool) -> io::Result<()> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(&is_unwanted) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// The lock, if no other process has it.
    pub(super) fn lock(&self) -> io::Result<Option<IndexLock>> {
        make_folder(&self.0)?;
        let file = open_private(&self.0.join(LOCK))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(IndexLock { _file: Some(file) })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

/// An empty database in memory.
pub(super) fn in_memory() -> Result<Connection, IndexError> {
    prepared(Connection::open_in_memory()?)
}

/// Makes the tables of an empty database, and refuses one of another version.
fn prepared(mut connection: Connection) -> Result<Connection, IndexError> {
    let version =
        |connection: &Connection| connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    if version(&connection)? == 0 {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // Another process may have made them meanwhile.
        if version(&transaction)? == 0 {
            transaction.execute_batch(SCHEMA)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        transaction.commit()?;
    }
    if version(&connection)? == VERSION { Ok(connection) } else { Err(IndexError::Version) }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Opens a private file; creates it if missing.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create(true).truncate(false).open(path)
}

//! Opens the database: private, one process at a time, never overwriting a corrupt file.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::integrity::{check, is_suspect};
use super::private_files::{FileIdentity, identity, make_folder, make_private, open_private};
use super::schema;
use super::schema::Migration;
use crate::{SqliteStore, StoreError};

/// The file name of the database.
const DATABASE: &str = "views.sqlite3";
/// Locked while the database is opened or set aside, so that no process renames a file that another has just created.
const LOCK: &str = "views.lock";
/// Attempts to take the lock within [`SqliteStore::BUSY_TIMEOUT`].
const LOCK_TRIES: u32 = 200;

/// Journal pages after which a commit also checkpoints and waits for the disk. Larger than SQLite's default, so that
/// few commits are slow (`benches/README.md`).
const CHECKPOINT_PAGES: u32 = 8_000;

/// Size of the prepared statement cache; more than there are statements.
const MAX_PREPARED: usize = 64;

#[derive(Debug)]
pub(crate) struct OpenDatabase {
    pub(crate) connection: Connection,
    identity: Option<FileIdentity>,
}

impl OpenDatabase {
    fn new(connection: Connection, path: &Path) -> Self {
        Self { connection, identity: identity(path) }
    }

    /// Whether the file at `path` is still this database.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        self.identity.is_some() && self.identity == identity(path)
    }
}

/// An open database, and the corrupt one that it replaced.
pub(crate) struct OpenedDatabase {
    pub(crate) database: OpenDatabase,
    pub(crate) path: PathBuf,
    pub(crate) set_aside: Option<PathBuf>,
}

/// Opens the database of `folder`. Creates both if missing.
pub(crate) fn open(folder: &Path) -> Result<OpenedDatabase, StoreError> {
    open_if(folder, |_| Ok(()))
}

/// Opens the database after an error that suggests corruption. Checks all of it: the error may have another cause, or
/// another process may have replaced the file.
pub(crate) fn open_checked(folder: &Path) -> Result<OpenedDatabase, StoreError> {
    open_if(folder, check)
}

fn open_if(folder: &Path, check: IntegrityCheck) -> Result<OpenedDatabase, StoreError> {
    make_folder(folder).map_err(|source| StoreError::Folder { path: folder.to_path_buf(), source })?;
    if is_on_network(folder) {
        return Err(StoreError::Network { path: folder.to_path_buf() });
    }
    let path = folder.join(DATABASE);
    let _lock = lock(folder, &path)?;
    open_locked(path, check)
}

/// Whether a folder is on a network file system. WAL needs shared memory, so two machines would see different databases
/// (SQLite, "Write-Ahead Logging", 2.1).
#[cfg(all(target_os = "linux", not(pagewise_portable)))]
fn is_on_network(folder: &Path) -> bool {
    /// NFS, SMB 1, CIFS, SMB 2, 9P, Coda, AFS, Ceph (`linux/magic.h` and the drivers' sources).
    const NETWORKS: [u32; 8] =
        [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x7375_7245, 0x5346_414f, 0x00c3_6400];
    let kind = rustix::fs::statfs(folder).map(|system| system.f_type);
    // The field's width and sign vary by platform; all listed values have 32 bits.
    kind.is_ok_and(|kind| NETWORKS.iter().any(|network| i128::from(kind) & 0xffff_ffff == i128::from(*network)))
}

#[cfg(not(all(target_os = "linux", not(pagewise_portable))))]
fn is_on_network(_: &Path) -> bool {
    false
}

type IntegrityCheck = fn(&Connection) -> rusqlite::Result<()>;

fn open_locked(path: PathBuf, check: IntegrityCheck) -> Result<OpenedDatabase, StoreError> {
    let try_open =
        || connect(&path).and_then(|connection| check(&connection).map(|()| connection).map_err(OpenFailure::from));
    create_private(&path)?;
    let failure = match try_open() {
        Ok(connection) => {
            return Ok(OpenedDatabase { database: OpenDatabase::new(connection, &path), path, set_aside: None });
        }
        Err(failure) => failure,
    };
    if !failure.is_corruption() {
        return Err(failure.into_error(&path));
    }
    let set_aside = set_aside(&path)?;
    create_private(&path)?;
    let connection = connect(&path).map_err(|failure| failure.into_error(&path))?;
    Ok(OpenedDatabase { database: OpenDatabase::new(connection, &path), path, set_aside: Some(set_aside) })
}

enum OpenFailure {
    Sqlite(rusqlite::Error),
    Newer(i64),
}

impl From<rusqlite::Error> for OpenFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl OpenFailure {
    /// Whether the file is corrupt. Opening asks for nothing that an intact database lacks.
    fn is_corruption(&self) -> bool {
        matches!(self, Self::Sqlite(error) if is_suspect(error))
    }

    fn into_error(self, path: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => store_error(path, error),
            Self::Newer(found) => StoreError::NewerSchema { path: path.to_path_buf(), found, known: schema::VERSION },
        }
    }
}

/// WAL with `synchronous = NORMAL`: commits are fast and survive the end of the process. A power cut may lose the last
/// deliveries, which are then sent again. Forgets wait for the disk.
fn connect(path: &Path) -> Result<Connection, OpenFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_handler(Some(wait_for_others))?;
    // Until the database is known to be intact, closing it must not remove its journal.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.set_prepared_statement_cache_capacity(MAX_PREPARED);
    match schema::migrate(&mut connection)? {
        Migration::Current => {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
            Ok(connection)
        }
        Migration::Newer(found) => Err(OpenFailure::Newer(found)),
    }
}

/// Creates the file with private permissions before SQLite opens it. Journals inherit them.
fn create_private(path: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Folder { path: path.to_path_buf(), source };
    open_private(path).and_then(|file| make_private(&file)).map_err(failed)
}

fn lock(folder: &Path, database: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let file = open_private(&path).map_err(|source| StoreError::Folder { path: path.clone(), source })?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(SqliteStore::BUSY_TIMEOUT / LOCK_TRIES),
            Err(TryLockError::Error(source)) => return Err(StoreError::Folder { path, source }),
        }
    }
    Err(StoreError::Busy { path: database.to_path_buf() })
}

/// Renames the database and its journals together, so that they can be recovered.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let failed = |source: io::Error| StoreError::Folder { path: path.to_path_buf(), source };
    let name = |number: u32| with_suffix(path, &format!(".corrupt-{number}"));
    let free = (1..u32::MAX).map(name).find(|name| !name.exists());
    let aside = free.ok_or_else(|| failed(io::ErrorKind::AlreadyExists.into()))?;
    std::fs::rename(path, &aside).map_err(failed)?;
    for journal in ["-wal", "-shm"] {
        match std::fs::rename(with_suffix(path, journal), with_suffix(&aside, journal)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    Ok(aside)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Converts a SQLite error.
pub(crate) fn store_error(path: &Path, source: rusqlite::Error) -> StoreError {
    let path = path.to_path_buf();
    match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path },
        Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt { path, set_aside: None },
        _ => StoreError::Database { path, source },
    }
}

/// The busy handler: waits briefly and says whether to retry, within [`SqliteStore::BUSY_TIMEOUT`].
///
/// SQLite's own waits start at a millisecond, but locks are usually held for microseconds.
pub(crate) fn wait_for_others(tries: i32) -> bool {
    let tries = u32::try_from(tries).unwrap_or(u32::MAX);
    let (wait, before) = if tries < SHORT_WAITS {
        (SHORT_WAIT, SHORT_WAIT * tries)
    } else {
        (LONG_WAIT, SHORT_WAIT * SHORT_WAITS + LONG_WAIT.saturating_mul(tries - SHORT_WAITS))
    };
    if before >= SqliteStore::BUSY_TIMEOUT {
        return false;
    }
    std::thread::sleep(wait);
    true
}

/// Number and length of the first waits.
const SHORT_WAITS: u32 = 200;
const SHORT_WAIT: Duration = Duration::from_micros(100);

/// Length of the later waits.
const LONG_WAIT: Duration = Duration::from_millis(5);

impl SqliteStore {
    /// How long to wait for other processes before [`StoreError::Busy`].
    pub const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_waited_for_until_the_timeout_and_no_longer() {
        let tries = SHORT_WAITS
            + u32::try_from((SqliteStore::BUSY_TIMEOUT - SHORT_WAIT * SHORT_WAITS).as_millis() / LONG_WAIT.as_millis())
                .unwrap_or(0);
        assert!(wait_for_others(0));
        assert!(wait_for_others(i32::try_from(tries - 1).unwrap_or(0)));
        assert!(!wait_for_others(i32::try_from(tries).unwrap_or(0)));
        assert!(!wait_for_others(i32::MAX));
    }
}

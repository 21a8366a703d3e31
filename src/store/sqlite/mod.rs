//! A store in one SQLite file, shared by several processes.

mod file_hashes;
mod integrity;
mod migration;
mod opening;
mod private_files;
mod schema;
mod sessions;
mod statements;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rusqlite::Connection;

use self::integrity::is_suspect;
use self::opening::{OpenDatabase, OpenedDatabase};
use self::statements::system_time;
use super::report::{StoreReport, measure_latency, scratch_conversation};
use super::{ConversationRecord, PruneCounts, SessionStore, StoreError, StoreHealth, StoreWarning, Swap, ViewStore};
use crate::change::random_number;
use pagewise_view::{Conversation, ConversationId};

/// Stores conversations in a SQLite database. A database that was deleted, or set aside by another process, is opened again at the next use.
#[derive(Debug)]
pub struct SqliteStore {
    folder: PathBuf,
    path: PathBuf,
    /// `None` after a failed opening; the next use tries again.
    database: Mutex<Option<OpenDatabase>>,
    /// The path of a corrupt database found in use, until [`ViewStore::take_warning`] reports it.
    set_aside: Mutex<Option<PathBuf>>,
}

impl SqliteStore {
    /// Opens the database of a data folder. Creates both, private to their owner, if missing.
    ///
    /// A corrupt database is renamed to `….corrupt-N`, never deleted, and reported as a warning.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn open(folder: &Path) -> Result<(Self, Option<StoreWarning>), StoreError> {
        let OpenedDatabase { database, path, set_aside } = opening::open(folder)?;
        let warning = set_aside.map(|set_aside| StoreWarning::SetAside { set_aside });
        let database = Mutex::new(Some(database));
        Ok((Self { folder: folder.to_path_buf(), path, database, set_aside: Mutex::default() }, warning))
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Inspects the database. Reads and records in a temporary conversation.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn inspect(&self) -> Result<StoreReport, StoreError> {
        let scratch = scratch_conversation(random_number());
        let times = measure_latency(self, &scratch);
        let delete = "DELETE FROM conversation WHERE name = ?1";
        self.write(|transaction| transaction.execute(delete, [scratch.as_str()]))?;
        let [read, record] = times?;
        let StoreHealth { conversations, holdings, .. } = self.health()?;
        Ok(StoreReport {
            engine: format!("SQLite {}", rusqlite::version()),
            location: self.path.display().to_string(),
            schema: schema::VERSION,
            read,
            record,
            conversations,
            holdings,
            server: None,
        })
    }

    pub(super) fn run<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut guard = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        // Close the old database first: closing it later could remove the journal of the new one.
        let current = guard.take().filter(|database| database.is_at(&self.path));
        let database = match current {
            Some(database) => guard.insert(database),
            None => guard.insert(self.reopen(opening::open)?),
        };
        work(&mut database.connection).map_err(|error| {
            if !is_suspect(&error) {
                return opening::store_error(&self.path, error);
            }
            *guard = None;
            match self.reopen(opening::open_checked) {
                Ok(database) => {
                    *guard = Some(database);
                    opening::store_error(&self.path, error)
                }
                Err(error) => error,
            }
        })
    }

    /// Opens the database again. Fails if a corrupt one was set aside for it.
    fn reopen(&self, open: fn(&Path) -> Result<OpenedDatabase, StoreError>) -> Result<OpenDatabase, StoreError> {
        let OpenedDatabase { database, path, set_aside } = open(&self.folder)?;
        if set_aside.is_none() {
            return Ok(database);
        }
        self.pending_warning().clone_from(&set_aside);
        Err(StoreError::Corrupt { path, set_aside })
    }

    fn pending_warning(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.set_aside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Also waits for the disk. If a power cut lost a delivery, pages would be sent again; if it lost a forget, the
    /// agent would be left without them.
    fn write_through<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.without_warning(self.run(|connection| {
            connection.pragma_update(None, "synchronous", "FULL")?;
            let written = in_transaction(connection, work);
            connection.pragma_update(None, "synchronous", "NORMAL").and(written)
        }))
    }

    pub(super) fn write<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.without_warning(self.run(|connection| in_transaction(connection, work)))
    }

    /// A failed write is reported by its caller, so it needs no warning.
    fn without_warning<T>(&self, written: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Corrupt { set_aside: Some(_), .. }) = written {
            *self.pending_warning() = None;
        }
        written
    }
}

/// Takes the write lock at once: upgrading a read transaction can fail where waiting would succeed.
///
/// Uses prepared statements; [`rusqlite::Transaction`] parses its statements each time.
pub(super) fn in_transaction<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let _unless_committed = RollbackGuard(connection);
    let value = work(connection)?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(value)
}

/// Rolls back an open transaction on drop.
struct RollbackGuard<'a>(&'a Connection);

impl Drop for RollbackGuard<'_> {
    fn drop(&mut self) {
        if !self.0.is_autocommit() {
            // If this fails, SQLite has rolled back already.
            let _ = self.0.execute_batch("ROLLBACK");
        }
    }
}

impl ViewStore for SqliteStore {
    fn load(&self, id: &ConversationId, copy: Option<Arc<Conversation>>) -> Result<Arc<Conversation>, StoreError> {
        self.run(|connection| statements::load(connection, id, copy))
    }

    fn swap(&self, swaps: &[Swap]) -> Result<Vec<bool>, StoreError> {
        let swap_all = |transaction: &Connection| {
            let one = |swap: &Swap| statements::swap(transaction, swap.id.as_str(), swap.expected, &swap.new);
            swaps.iter().map(one).collect()
        };
        if swaps.iter().any(|swap| swap.is_durable) { self.write_through(swap_all) } else { self.write(swap_all) }
    }

    fn list(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        self.run(|connection| statements::list(connection))
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        // Pruning reports no errors, so keep the warning.
        self.run(|connection| {
            in_transaction(connection, |open| statements::prune(open, unused_since, max_holdings, now))
        })
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        let pruned_at = self.run(|connection| {
            connection.query_row("SELECT pruned_at FROM pruning", [], |row| row.get::<_, Option<i64>>(0))
        })?;
        Ok(pruned_at.map(system_time))
    }

    fn take_warning(&self) -> Option<StoreWarning> {
        self.pending_warning().take().map(|set_aside| StoreWarning::SetAside { set_aside })
    }

    fn sessions(&self) -> Option<&dyn SessionStore> {
        Some(self)
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        let (conversations, holdings) = self.run(|connection| statements::counts(connection))?;
        Ok(StoreHealth { database: Some(self.path.clone()), conversations, holdings })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use pagewise_base::hash::{ContentHash, PageFingerprint};
    use pagewise_base::page::PageIndex;
    use pagewise_view::{ConversationChange, DeliveryRecord, FileKey, HeldItem, Holding, PageForm};

    fn record_pages(store: &SqliteStore) -> Result<(), StoreError> {
        let page = |at| {
            let what = HeldItem::Page {
                fingerprint: PageFingerprint([1; 32]),
                page: PageIndex(at),
                form: PageForm::Text,
                is_shared: false,
            };
            Holding { content: ContentHash([1; 32]), file: FileKey([1; 32]), what }
        };
        let delivery = DeliveryRecord { holdings: (0..3_000).map(page).collect(), ..DeliveryRecord::default() };
        let change = ConversationChange::Record(delivery);
        crate::change(store, &(), &"a".parse().unwrap(), change, SystemTime::UNIX_EPOCH).map(|_| ())
    }

    /// Runs `pragma` to break the connection, then records.
    fn record_after(pragma: &str) -> (StoreError, SqliteStore, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = SqliteStore::open(folder.path()).unwrap();
        store.run(|connection| connection.execute_batch(pragma)).unwrap();
        (record_pages(&store).unwrap_err(), store, folder)
    }

    #[test]
    fn a_forgetting_waits_for_the_disk_and_a_delivery_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = SqliteStore::open(folder.path()).unwrap();
        let how =
            |connection: &Connection| connection.pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0));
        let (normal, full) = (1_i64, 2_i64);
        assert_eq!(store.write_through(how).unwrap(), full);
        assert_eq!(store.write(how).unwrap(), normal);
        let failed = store.write_through(|_| Err::<(), _>(rusqlite::Error::InvalidQuery));
        assert!(failed.is_err());
        assert_eq!(store.write(how).unwrap(), normal, "also after one that failed");
    }

    #[test]
    fn a_full_disk_is_told_and_nothing_is_half_recorded() {
        let (error, store, _folder) = record_after("PRAGMA max_page_count = 12");
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
        assert_eq!(store.list().unwrap(), []);
        store.run(|connection| connection.execute_batch("PRAGMA max_page_count = 10000")).unwrap();
        record_pages(&store).unwrap();
        assert_eq!(store.health().unwrap().holdings, 3_000);
    }

    #[test]
    fn a_database_that_cannot_be_written_is_told_and_still_read() {
        let (error, store, _folder) = record_after("PRAGMA query_only = true");
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
        assert!(!store.load(&"a".parse().unwrap(), None).unwrap().is_known());
    }
}

//! A store in one SQLite file, shared by several processes.

mod file_hashes;
mod history;
mod integrity;
mod opening;
mod private_files;
mod schema;
mod sessions;
mod statements;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rusqlite::{Connection, OptionalExtension as _};

use self::integrity::is_suspect;
use self::opening::{OpenDatabase, OpenedDatabase};
use self::statements::{
    ConversationRow, HEAD, RECORD, conversation_id, conversation_record, copy_conversation, counts, head,
    insert_conversation, moment, prune, rows_after, unix_seconds,
};
use super::held_rows::{signed, unsigned};
use super::report::{StoreReport, measure_latency, scratch_conversation};
use super::{
    ConversationHead, ConversationHistory, ConversationRecord, ConversationState, DeliveryRecord, PruneCounts,
    RowUpdate, SessionStore, StoreError, StoreHealth, StoreWarning, Usage, Version, ViewStore,
};
use pagewise_base::hash::ContentHash;
use pagewise_view::{ConversationId, FileKey, ForgetScope, Principal, Sequence};

/// Stores views in a SQLite database.
///
/// Sequences are assigned inside the transaction, so that all processes agree on their order. A database that was
/// deleted, or set aside by another process, is opened again at the next use.
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
        let scratch = self.run(|connection| {
            connection
                .query_row("SELECT random()", [], |row| row.get(0))
                .map(|random: i64| scratch_conversation(random.unsigned_abs()))
        })?;
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

/// Records one delivery, unless something was forgotten since it was planned.
fn record(
    transaction: &Connection,
    conversation: &ConversationId,
    delivery: &DeliveryRecord,
    now: SystemTime,
) -> rusqlite::Result<Option<Version>> {
    let known = ConversationRow::find(transaction, conversation)?;
    let mut row = match known {
        Some(row) => row,
        None if delivery.planned.begun != 0 => return Ok(None),
        None => ConversationRow::find_or_insert(transaction, conversation, now)?,
    };
    let is_recorded = row.record(transaction, delivery)?;
    let version = row.save(transaction, now)?;
    Ok(is_recorded.then_some(version))
}

/// Reads a conversation relative to `known`, in one transaction.
fn read(
    transaction: &Connection,
    conversation: &ConversationId,
    known: Option<Version>,
) -> rusqlite::Result<Option<ConversationState>> {
    let Some(ConversationRow { id, head, .. }) = ConversationRow::find(transaction, conversation)? else {
        return Ok(None);
    };
    let rows = match known {
        Some(known) if known == head.version() => RowUpdate::Unchanged,
        Some(known) if head.extends(known) => RowUpdate::Later(rows_after(transaction, id, known.latest)?),
        _ => RowUpdate::All(rows_after(transaction, id, Sequence::START)?),
    };
    Ok(Some(ConversationState { head, rows }))
}

impl ViewStore for SqliteStore {
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError> {
        self.run(|connection| {
            // Usually the copy is current: one statement, no transaction.
            let head = connection.prepare_cached(HEAD)?.query_row([conversation.as_str()], head).optional()?;
            match head {
                None => Ok(None),
                Some(head) if known == Some(head.version()) => {
                    Ok(Some(ConversationState { head, rows: RowUpdate::Unchanged }))
                }
                Some(_) => read(&*connection.transaction()?, conversation, known),
            }
        })
    }

    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        self.write(|transaction| insert_conversation(transaction, conversation, owner, now))
    }

    fn record_all(
        &self,
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError> {
        let record = |transaction: &Connection| {
            let record = |(conversation, delivery)| record(transaction, conversation, delivery, now);
            deliveries.iter().map(|(conversation, delivery)| record((conversation, delivery))).collect()
        };
        let forgets = deliveries.iter().any(|(_, delivery)| !delivery.forget.is_empty());
        if forgets { self.write_through(record) } else { self.write(record) }
    }

    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        self.write_through(|transaction| {
            let row = ConversationRow::find(transaction, conversation)?.filter(|row| row.head.begun == at.begun);
            let Some(mut row) = row else { return Ok(()) };
            row.take_back(transaction, at.latest, sent)?;
            row.save(transaction, now).map(|_| ())
        })
    }

    fn forget(
        &self,
        conversation: &ConversationId,
        what: &ForgetScope,
        now: SystemTime,
    ) -> Result<Version, StoreError> {
        self.write_through(|transaction| {
            let mut row = ConversationRow::find_or_insert(transaction, conversation, now)?;
            row.forget(transaction, what)?;
            row.save(transaction, now)
        })
    }

    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError> {
        // Clamp to the column's range. A generation stored smaller would look like an earlier one at each call.
        let generation = unsigned(signed(generation));
        let known = self.head(conversation)?.map_or(0, |head| head.generation);
        if known >= generation {
            return Ok(known);
        }
        self.write_through(|transaction| {
            let mut row = ConversationRow::find_or_insert(transaction, conversation, now)?;
            if row.head.generation < generation {
                row.forget(transaction, &ForgetScope::AllButFiles)?;
                row.head.generation = generation;
                row.save(transaction, now)?;
            }
            Ok(row.head.generation)
        })
    }

    fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        self.write(|transaction| {
            let Some(source) = conversation_id(transaction, from)? else {
                return Ok(Err(StoreError::UnknownConversation { conversation: from.clone() }));
            };
            if !insert_conversation(transaction, to, None, now)? {
                return Ok(Err(StoreError::ConversationExists { conversation: to.clone() }));
            }
            copy_conversation(transaction, source, transaction.last_insert_rowid(), as_of)?;
            Ok(Ok(()))
        })?
    }

    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError> {
        self.run(|connection| connection.prepare_cached(HEAD)?.query_row([conversation.as_str()], head).optional())
    }

    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(&format!("{RECORD} WHERE name = ?1"))?;
            statement.query_row([conversation.as_str()], conversation_record).optional().map(Option::flatten)
        })
    }

    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(&format!("{RECORD} ORDER BY used_at DESC, name"))?;
            let records: rusqlite::Result<Vec<_>> = statement.query_map([], conversation_record)?.collect();
            Ok(records?.into_iter().flatten().collect())
        })
    }

    fn history(&self, conversation: &ConversationId) -> Result<ConversationHistory, StoreError> {
        self.run(|connection| match conversation_id(connection, conversation)? {
            Some(id) => history::history(connection, id),
            None => Ok(ConversationHistory::default()),
        })
    }

    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT path FROM file_name WHERE file = ?1")?;
            let mut names = BTreeMap::new();
            for file in files {
                let path: Option<String> = statement.query_row([file.0], |row| row.get(0)).optional()?;
                names.extend(path.map(|path| (*file, path)));
            }
            Ok(names)
        })
    }

    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT pages FROM page_count WHERE content = ?1")?;
            let mut counts = BTreeMap::new();
            for content in contents {
                let pages: Option<u32> = statement.query_row([content.0], |row| row.get(0)).optional()?;
                counts.extend(pages.map(|pages| (*content, pages)));
            }
            Ok(counts)
        })
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        let pruned_at = self.run(|connection| {
            connection.query_row("SELECT pruned_at FROM pruning", [], |row| row.get::<_, Option<i64>>(0))
        })?;
        Ok(pruned_at.map(moment))
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        let (unused_since, now) = (unix_seconds(unused_since), unix_seconds(now));
        // Pruning reports no errors, so keep the warning.
        self.run(|connection| in_transaction(connection, |open| prune(open, unused_since, max_holdings, now)))
    }

    fn take_warning(&self) -> Option<StoreWarning> {
        self.pending_warning().take().map(|set_aside| StoreWarning::SetAside { set_aside })
    }

    fn sessions(&self) -> Option<&dyn SessionStore> {
        Some(self)
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        let (conversations, holdings) = self.run(|connection| counts(connection))?;
        Ok(StoreHealth { database: Some(self.path.clone()), conversations, holdings })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]
    use super::*;
    use pagewise_base::hash::{ContentHash, PageFingerprint};
    use pagewise_base::page::PageIndex;
    use pagewise_view::{HeldItem, Holding, PageForm};

    fn many_pages() -> DeliveryRecord {
        let page = |at| {
            let what = HeldItem::Page {
                fingerprint: PageFingerprint([1; 32]),
                page: PageIndex(at),
                form: PageForm::Text,
                is_shared: false,
            };
            Holding { content: ContentHash([1; 32]), file: FileKey([1; 32]), what }
        };
        DeliveryRecord { holdings: (0..1_000).map(page).collect(), ..DeliveryRecord::default() }
    }

    /// Runs `pragma` to break the connection, then records.
    fn record_after(pragma: &str) -> (StoreError, SqliteStore, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = SqliteStore::open(folder.path()).unwrap();
        store.run(|connection| connection.execute_batch(pragma)).unwrap();
        let id = "a".parse().unwrap();
        (store.record(&id, &many_pages(), SystemTime::UNIX_EPOCH).unwrap_err(), store, folder)
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
        assert_eq!(store.conversations().unwrap(), []);
        store.run(|connection| connection.execute_batch("PRAGMA max_page_count = 10000")).unwrap();
        store.record(&"a".parse().unwrap(), &many_pages(), SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(store.health().unwrap().holdings, 1_000);
    }

    #[test]
    fn a_database_that_cannot_be_written_is_told_and_still_read() {
        let (error, store, _folder) = record_after("PRAGMA query_only = true");
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
        assert_eq!(store.read(&"a".parse().unwrap(), None).unwrap(), None);
    }
}

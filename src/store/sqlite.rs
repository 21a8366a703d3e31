//! A store in one SQLite file, shared by several processes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};

use super::opening::{self, Opened};
use super::rows::{self, HeldRow, ScopeRow, sequence, signed, unsigned};
use super::{ConversationRecord, Delivery, Health, Pruned, Sent, StoreError, StoreWarning, ViewStore};
use crate::hash::ContentHash;
use crate::source::HashStore;
use crate::view::{ConversationId, ConversationView, FileKey, Forget, Holding, Scope, Sequence};

/// Keeps views in a SQLite database.
///
/// The sequence comes from the database, within the transaction that uses it, so it is one order for all processes.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// The columns of [`ConversationRecord`], in the order that [`conversation_record`] reads.
const RECORD: &str = "SELECT name, created_at, used_at, latest, blocks, bytes, tokens,
    (SELECT count(*) FROM holding WHERE holding.conversation = conversation.id) FROM conversation";

impl SqliteStore {
    /// Opens the database of a data folder, and makes both, for their owner alone, where they do not exist.
    ///
    /// A corrupt database is renamed to `….corrupt-N` and never deleted; the warning says so.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn open(folder: &Path) -> Result<(Self, Option<StoreWarning>), StoreError> {
        let Opened { connection, path, set_aside } = opening::open(folder)?;
        let warning = set_aside.map(|set_aside| StoreWarning::SetAside { set_aside });
        Ok((Self { path, connection: Mutex::new(connection) }, warning))
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn run<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut connection).map_err(|error| {
            if opening::is_corruption(&error) {
                self.replace(&mut connection)
            } else {
                opening::store_error(&self.path, error)
            }
        })
    }

    fn write<T>(&self, work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.run(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    /// Sets a corrupt database aside and goes on with a new one. The old connection is closed first: closed later,
    /// it could remove the journal that then bears its name.
    fn replace(&self, connection: &mut Connection) -> StoreError {
        let corrupt = |set_aside| StoreError::Corrupt { path: self.path.clone(), set_aside };
        match Connection::open_in_memory() {
            Ok(placeholder) => *connection = placeholder,
            Err(_) => return corrupt(None),
        }
        match opening::reopen(&self.path) {
            Ok(opened) => {
                *connection = opened.connection;
                corrupt(opened.set_aside)
            }
            Err(error) => error,
        }
    }
}

impl ViewStore for SqliteStore {
    fn load_since(&self, conversation: &ConversationId, since: Sequence) -> Result<ConversationView, StoreError> {
        self.run(|connection| {
            let transaction = connection.transaction()?;
            let id = conversation_id(&transaction, conversation)?;
            id.map_or(Ok(ConversationView::new()), |id| view_since(&transaction, id, since))
        })
    }

    fn create(&self, conversation: &ConversationId, now: SystemTime) -> Result<bool, StoreError> {
        self.write(|transaction| insert_conversation(transaction, conversation, now))
    }

    fn record(
        &self,
        conversation: &ConversationId,
        delivery: &Delivery,
        now: SystemTime,
    ) -> Result<Sequence, StoreError> {
        self.write(|transaction| {
            let at = next_sequence(transaction)?;
            let id = touched(transaction, conversation, at, now)?;
            for holding in &delivery.holdings {
                insert_holding(transaction, id, holding, at)?;
            }
            insert_names(transaction, &delivery.names)?;
            add_sent(transaction, id, delivery.sent)?;
            Ok(at)
        })
    }

    fn forget(&self, conversation: &ConversationId, what: &Forget, now: SystemTime) -> Result<Sequence, StoreError> {
        self.write(|transaction| {
            let at = next_sequence(transaction)?;
            let id = touched(transaction, conversation, at, now)?;
            for scope in view_since(transaction, id, Sequence::START)?.forget(what, at) {
                bury(transaction, id, &scope, at)?;
            }
            Ok(at)
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
            if !insert_conversation(transaction, to, now)? {
                return Ok(Err(StoreError::ConversationExists { conversation: to.clone() }));
            }
            copy_conversation(transaction, source, transaction.last_insert_rowid(), as_of)?;
            Ok(Ok(()))
        })?
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

    fn prune(&self, unused_since: SystemTime, max_holdings: u64) -> Result<Pruned, StoreError> {
        self.write(|transaction| prune(transaction, unix_seconds(unused_since), max_holdings))
    }

    fn health(&self) -> Result<Health, StoreError> {
        let (conversations, holdings) = self.run(|connection| counts(connection))?;
        Ok(Health { database: Some(self.path.clone()), conversations, holdings })
    }
}

/// The cache is a convenience: what fails here is a hash computed again, and the next write of a view tells.
impl HashStore for SqliteStore {
    fn load_hash(&self, key: &[u8; 32]) -> Option<ContentHash> {
        let query = "SELECT content FROM file_hash WHERE stat = ?1";
        let found =
            self.run(|connection| connection.prepare_cached(query)?.query_row([key], |row| row.get(0)).optional());
        found.ok().flatten().map(ContentHash)
    }

    fn save_hash(&self, key: &[u8; 32], content: ContentHash, now: SystemTime) {
        let insert = "INSERT OR REPLACE INTO file_hash VALUES (?1, ?2, ?3)";
        let _ = self.write(|transaction| {
            transaction.prepare_cached(insert)?.execute(params![key, content.0, unix_seconds(now)])
        });
    }
}

fn unix_seconds(moment: SystemTime) -> i64 {
    moment.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| signed(since.as_secs()))
}

fn moment(unix_seconds: i64) -> SystemTime {
    let since = Duration::from_secs(unsigned(unix_seconds));
    SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// `None` for a handle that this version would refuse.
fn conversation_record(row: &Row<'_>) -> rusqlite::Result<Option<ConversationRecord>> {
    let name: String = row.get(0)?;
    let sent = Sent { blocks: unsigned(row.get(4)?), bytes: unsigned(row.get(5)?), tokens: unsigned(row.get(6)?) };
    let (created, used) = (moment(row.get(1)?), moment(row.get(2)?));
    let (latest, holdings) = (sequence(row.get(3)?), unsigned(row.get(7)?));
    Ok(name.parse().ok().map(|id| ConversationRecord { id, created, used, latest, holdings, sent }))
}

fn conversation_id(connection: &Connection, conversation: &ConversationId) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT id FROM conversation WHERE name = ?1")?;
    statement.query_row([conversation.as_str()], |row| row.get(0)).optional()
}

fn insert_conversation(
    transaction: &Transaction<'_>,
    conversation: &ConversationId,
    now: SystemTime,
) -> rusqlite::Result<bool> {
    let insert = "INSERT INTO conversation (name, created_at, used_at) VALUES (?1, ?2, ?2) ON CONFLICT DO NOTHING";
    let mut statement = transaction.prepare_cached(insert)?;
    Ok(statement.execute(params![conversation.as_str(), unix_seconds(now)])? > 0)
}

/// The id of a conversation that is written to at `at`; made known where it was not.
fn touched(
    transaction: &Transaction<'_>,
    conversation: &ConversationId,
    at: Sequence,
    now: SystemTime,
) -> rusqlite::Result<i64> {
    let upsert = "INSERT INTO conversation (name, created_at, used_at, latest) VALUES (?1, ?2, ?2, ?3)
        ON CONFLICT (name) DO UPDATE SET used_at = max(used_at, excluded.used_at), latest = excluded.latest
        RETURNING id";
    let mut statement = transaction.prepare_cached(upsert)?;
    statement.query_row(params![conversation.as_str(), unix_seconds(now), signed(at.0)], |row| row.get(0))
}

fn next_sequence(transaction: &Transaction<'_>) -> rusqlite::Result<Sequence> {
    let mut statement = transaction.prepare_cached("UPDATE counter SET sequence = sequence + 1 RETURNING sequence")?;
    statement.query_row([], |row| row.get(0)).map(sequence)
}

fn view_since(connection: &Connection, id: i64, since: Sequence) -> rusqlite::Result<ConversationView> {
    let mut view = ConversationView::new();
    let mut statement = connection.prepare_cached("SELECT epoch FROM conversation WHERE id = ?1")?;
    view.bury(Scope::Everything, statement.query_row([id], |row| row.get(0)).map(sequence)?);
    let tombstones = "SELECT kind, subject, first, last, sequence FROM tombstone
        WHERE conversation = ?1 AND sequence > ?2";
    let mut statement = connection.prepare_cached(tombstones)?;
    for tombstone in statement.query_map([id, signed(since.0)], rows::tombstone)? {
        let (scope, at) = tombstone?;
        view.bury(scope, at);
    }
    let holdings = "SELECT content, file, kind, first, last, form, fingerprint, sequence FROM holding
        WHERE conversation = ?1 AND sequence > ?2";
    let mut statement = connection.prepare_cached(holdings)?;
    for holding in statement.query_map([id, signed(since.0)], rows::holding)? {
        if let Some((holding, at)) = holding? {
            view.insert(holding, at);
        }
    }
    Ok(view)
}

fn insert_holding(transaction: &Transaction<'_>, id: i64, holding: &Holding, at: Sequence) -> rusqlite::Result<()> {
    let insert = "INSERT INTO holding VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence";
    let row = HeldRow::of(holding.what);
    let (content, file) = (holding.content.0, holding.file.0);
    let values = params![id, content, file, row.kind, row.first, row.last, row.form, row.fingerprint, signed(at.0)];
    transaction.prepare_cached(insert)?.execute(values).map(|_| ())
}

fn insert_names(transaction: &Transaction<'_>, names: &BTreeMap<FileKey, String>) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached("INSERT OR REPLACE INTO file_name VALUES (?1, ?2)")?;
    for (file, path) in names {
        statement.execute(params![file.0, path])?;
    }
    Ok(())
}

fn add_sent(transaction: &Transaction<'_>, id: i64, sent: Sent) -> rusqlite::Result<()> {
    let update = "UPDATE conversation SET blocks = blocks + ?2, bytes = bytes + ?3, tokens = tokens + ?4
        WHERE id = ?1";
    let values = [id, signed(sent.blocks), signed(sent.bytes), signed(sent.tokens)];
    transaction.prepare_cached(update)?.execute(values).map(|_| ())
}

/// Writes a tombstone, and deletes what it covers: all of it was recorded before.
fn bury(transaction: &Transaction<'_>, id: i64, scope: &Scope, at: Sequence) -> rusqlite::Result<()> {
    let Some(row) = ScopeRow::of(scope) else { return begin_epoch(transaction, id, at) };
    let insert = "INSERT OR REPLACE INTO tombstone VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![id, row.kind, row.subject, row.first, row.last, signed(at.0)];
    transaction.prepare_cached(insert)?.execute(values)?;
    let (condition, mut values) = row.covers();
    values.insert(0, &id);
    let delete = format!("DELETE FROM holding WHERE conversation = ?1 AND {condition}");
    transaction.prepare_cached(&delete)?.execute(values.as_slice()).map(|_| ())
}

fn begin_epoch(transaction: &Transaction<'_>, id: i64, at: Sequence) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM holding WHERE conversation = ?1", [id])?;
    transaction.execute("DELETE FROM tombstone WHERE conversation = ?1", [id])?;
    let update = "UPDATE conversation SET epoch = ?2, blocks = 0, bytes = 0, tokens = 0 WHERE id = ?1";
    transaction.execute(update, [id, signed(at.0)]).map(|_| ())
}

fn copy_conversation(
    transaction: &Transaction<'_>,
    from: i64,
    to: i64,
    as_of: Option<Sequence>,
) -> rusqlite::Result<()> {
    let as_of = as_of.map_or(i64::MAX, |as_of| signed(as_of.0));
    let holdings = "INSERT INTO holding SELECT ?2, content, file, kind, first, last, form, fingerprint, sequence
        FROM holding WHERE conversation = ?1 AND sequence <= ?3";
    transaction.execute(holdings, [from, to, as_of])?;
    let tombstones = "INSERT INTO tombstone SELECT ?2, kind, subject, first, last, sequence
        FROM tombstone WHERE conversation = ?1";
    transaction.execute(tombstones, [from, to])?;
    let rest = "UPDATE conversation SET (epoch, latest, blocks, bytes, tokens) =
        (SELECT epoch, latest, blocks, bytes, tokens FROM conversation WHERE id = ?1) WHERE id = ?2";
    transaction.execute(rest, [from, to]).map(|_| ())
}

fn counts(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let query = "SELECT (SELECT count(*) FROM conversation), (SELECT count(*) FROM holding)";
    connection.query_row(query, [], |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?))))
}

fn prune(transaction: &Transaction<'_>, unused_since: i64, max_holdings: u64) -> rusqlite::Result<Pruned> {
    let before = counts(transaction)?;
    transaction.execute("DELETE FROM conversation WHERE used_at < ?1", [unused_since])?;
    // The last used are kept as long as all from there on fit.
    let excess = "DELETE FROM conversation WHERE id IN (SELECT id FROM (
        SELECT id, sum((SELECT count(*) FROM holding WHERE conversation = kept.id))
            OVER (ORDER BY used_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS up_to_here
        FROM conversation AS kept) WHERE up_to_here > ?1)";
    transaction.execute(excess, [signed(max_holdings)])?;
    transaction.execute("DELETE FROM file_name WHERE file NOT IN (SELECT file FROM holding)", [])?;
    transaction.execute("DELETE FROM file_hash WHERE used_at < ?1", [unused_since])?;
    let after = counts(transaction)?;
    Ok(Pruned { conversations: before.0 - after.0, holdings: before.1 - after.1 })
}

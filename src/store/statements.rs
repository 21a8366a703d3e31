//! What is said to SQLite, each within the caller's transaction.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::rows::{self, HeldRow, ScopeRow, sequence, signed, unsigned};
use super::{ConversationRecord, Head, Pruned, Sent, seconds_since_1970};
use crate::hash::ContentHash;
use crate::view::{ConversationId, ConversationView, FileKey, Forget, Holding, Principal, Scope, Sequence};

/// The columns of [`ConversationRecord`], in the order that [`conversation_record`] reads.
pub(super) const RECORD: &str =
    "SELECT latest, generation, owner, blocks, pages, bytes, tokens, name, created_at, used_at,
    (SELECT count(*) FROM holding WHERE holding.conversation = conversation.id) FROM conversation";

/// The columns of [`Head`], the first of them in the order that [`head`] reads.
pub(super) const HEAD: &str = "SELECT latest, generation, owner, blocks, pages, bytes, tokens, created_at
    FROM conversation WHERE name = ?1";

pub(super) fn unix_seconds(moment: SystemTime) -> i64 {
    signed(seconds_since_1970(moment))
}

pub(super) fn moment(unix_seconds: i64) -> SystemTime {
    let since = Duration::from_secs(unsigned(unix_seconds));
    SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// `None` for a handle that this version would refuse.
pub(super) fn conversation_record(row: &Row<'_>) -> rusqlite::Result<Option<ConversationRecord>> {
    let name: String = row.get(7)?;
    let (created, used) = (moment(row.get(8)?), moment(row.get(9)?));
    let (holdings, head) = (unsigned(row.get(10)?), head(row)?);
    Ok(name.parse().ok().map(|id| ConversationRecord { id, created, used, holdings, head }))
}

pub(super) fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    let sent = Sent {
        blocks: unsigned(row.get(3)?),
        pages: unsigned(row.get(4)?),
        bytes: unsigned(row.get(5)?),
        tokens: unsigned(row.get(6)?),
    };
    let owner = row.get::<_, Option<[u8; 32]>>(2)?.map(Principal);
    let begun = unsigned(row.get("created_at")?);
    Ok(Head { begun, latest: sequence(row.get(0)?), generation: unsigned(row.get(1)?), owner, sent })
}

pub(super) fn conversation_id(connection: &Connection, conversation: &ConversationId) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT id FROM conversation WHERE name = ?1")?;
    statement.query_row([conversation.as_str()], |row| row.get(0)).optional()
}

pub(super) fn insert_conversation(
    transaction: &Connection,
    conversation: &ConversationId,
    owner: Option<&Principal>,
    now: SystemTime,
) -> rusqlite::Result<bool> {
    let insert = "INSERT INTO conversation (name, created_at, used_at, owner) VALUES (?1, ?2, ?2, ?3)
        ON CONFLICT DO NOTHING";
    let mut statement = transaction.prepare_cached(insert)?;
    Ok(statement.execute(params![conversation.as_str(), unix_seconds(now), owner.map(|owner| owner.0)])? > 0)
}

/// The row of a conversation that is written to, as far as writing goes on from it.
pub(super) struct Written {
    pub(super) id: i64,
    latest: Sequence,
    pub(super) epoch: Sequence,
    /// The last sequence at which anything was forgotten.
    pub(super) forgotten: Sequence,
}

impl Written {
    /// The next sequence. Those of a conversation that was pruned, and comes back under any clock, go on above all that
    /// it had.
    pub(super) fn next(&mut self, transaction: &Connection) -> rusqlite::Result<Sequence> {
        if self.latest == Sequence::START {
            let query = "SELECT max(sequence, unixepoch() * 1000000) FROM floor";
            self.latest = transaction.prepare_cached(query)?.query_row([], |row| row.get(0)).map(sequence)?;
        }
        self.latest = self.latest.next();
        Ok(self.latest)
    }

    /// Writes down what became of it, and what was sent.
    pub(super) fn end(&self, transaction: &Connection, sent: Sent, now: SystemTime) -> rusqlite::Result<()> {
        let update = "UPDATE conversation SET used_at = max(used_at, ?2), latest = ?3, forgotten = ?4,
            blocks = blocks + ?5, bytes = bytes + ?6, tokens = tokens + ?7, pages = pages + ?8 WHERE id = ?1";
        let written = [self.id, unix_seconds(now), signed(self.latest.0), signed(self.forgotten.0)];
        let sent = [sent.blocks, sent.bytes, sent.tokens, sent.pages].map(signed);
        let values = rusqlite::params_from_iter(written.into_iter().chain(sent));
        transaction.prepare_cached(update)?.execute(values).map(|_| ())
    }
}

/// A conversation to be written to; made known where it was not.
///
/// Without RETURNING, for which SQLite makes and drops a table of its own each time.
pub(super) fn written(
    transaction: &Connection,
    conversation: &ConversationId,
    now: SystemTime,
) -> rusqlite::Result<Written> {
    let query = "SELECT id, latest, epoch, forgotten FROM conversation WHERE name = ?1";
    let known = transaction.prepare_cached(query)?.query_row([conversation.as_str()], |row| {
        let at = |column| row.get(column).map(sequence);
        Ok(Written { id: row.get(0)?, latest: at(1)?, epoch: at(2)?, forgotten: at(3)? })
    });
    if let Some(known) = known.optional()? {
        return Ok(known);
    }
    insert_conversation(transaction, conversation, None, now)?;
    let start = Sequence::START;
    Ok(Written { id: transaction.last_insert_rowid(), latest: start, epoch: start, forgotten: start })
}

pub(super) fn view_since(connection: &Connection, id: i64, since: Sequence) -> rusqlite::Result<ConversationView> {
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

pub(super) fn insert_holding(
    transaction: &Connection,
    id: i64,
    holding: &Holding,
    at: Sequence,
) -> rusqlite::Result<()> {
    let insert = "INSERT INTO holding VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence";
    let row = HeldRow::of(holding.what);
    let (content, file) = (holding.content.0, holding.file.0);
    let values = params![id, content, file, row.kind, row.first, row.last, row.form, row.fingerprint, signed(at.0)];
    transaction.prepare_cached(insert)?.execute(values).map(|_| ())
}

pub(super) fn insert_names(transaction: &Connection, names: &BTreeMap<FileKey, String>) -> rusqlite::Result<()> {
    // A page of the database is written only where the name is another.
    let upsert = "INSERT INTO file_name VALUES (?1, ?2)
        ON CONFLICT DO UPDATE SET path = excluded.path WHERE path <> excluded.path";
    let mut statement = transaction.prepare_cached(upsert)?;
    for (file, path) in names {
        statement.execute(params![file.0, path])?;
    }
    Ok(())
}

pub(super) fn insert_page_counts(
    transaction: &Connection,
    page_counts: &BTreeMap<ContentHash, u32>,
) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached("INSERT OR REPLACE INTO page_count VALUES (?1, ?2)")?;
    for (content, pages) in page_counts {
        statement.execute(params![content.0, pages])?;
    }
    Ok(())
}

/// Forgets up to a new sequence, which is returned; the one after it is taken too, for what stays followed.
pub(super) fn forget(transaction: &Connection, row: &mut Written, what: &Forget) -> rusqlite::Result<Sequence> {
    let at = row.next(transaction)?;
    if *what == Forget::AllButFiles {
        row.next(transaction)?;
    }
    let before = view_since(transaction, row.id, Sequence::START)?;
    let mut after = before.clone();
    for scope in after.forget(what, at) {
        bury(transaction, row.id, &scope, at)?;
        row.forgotten = at;
    }
    row.epoch = after.epoch();
    for (holding, _) in before.holdings().filter(|(holding, _)| !after.contains(holding)) {
        delete_holding(transaction, row.id, holding)?;
    }
    // Files that stay followed.
    for (holding, recorded) in after.holdings().filter(|(holding, at)| before.recorded_at(holding) != Some(*at)) {
        insert_holding(transaction, row.id, holding, recorded)?;
    }
    Ok(at)
}

pub(super) fn set_generation(
    transaction: &Connection,
    conversation: &ConversationId,
    generation: u64,
) -> rusqlite::Result<()> {
    let update = "UPDATE conversation SET generation = ?2 WHERE name = ?1";
    transaction.prepare_cached(update)?.execute(params![conversation.as_str(), signed(generation)]).map(|_| ())
}

/// Writes a tombstone.
pub(super) fn bury(transaction: &Connection, id: i64, scope: &Scope, at: Sequence) -> rusqlite::Result<()> {
    let Some(row) = ScopeRow::of(scope) else { return begin_epoch(transaction, id, at) };
    let insert = "INSERT OR REPLACE INTO tombstone VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![id, row.kind, row.subject, row.first, row.last, signed(at.0)];
    transaction.prepare_cached(insert)?.execute(values).map(|_| ())
}

/// Deletes a holding, by its whole key.
pub(super) fn delete_holding(transaction: &Connection, id: i64, holding: &Holding) -> rusqlite::Result<()> {
    let delete = "DELETE FROM holding WHERE conversation = ?1 AND content = ?2 AND file = ?3
        AND kind = ?4 AND first = ?5 AND last = ?6 AND form = ?7 AND fingerprint = ?8";
    let row = HeldRow::of(holding.what);
    let (content, file) = (holding.content.0, holding.file.0);
    let values = params![id, content, file, row.kind, row.first, row.last, row.form, row.fingerprint];
    transaction.prepare_cached(delete)?.execute(values).map(|_| ())
}

fn begin_epoch(transaction: &Connection, id: i64, at: Sequence) -> rusqlite::Result<()> {
    transaction.execute("DELETE FROM holding WHERE conversation = ?1", [id])?;
    transaction.execute("DELETE FROM tombstone WHERE conversation = ?1", [id])?;
    let update = "UPDATE conversation SET epoch = ?2, blocks = 0, bytes = 0, tokens = 0, pages = 0
        WHERE id = ?1";
    transaction.execute(update, [id, signed(at.0)]).map(|_| ())
}

pub(super) fn copy_conversation(
    transaction: &Connection,
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
    let rest = "UPDATE conversation SET (epoch, latest, forgotten, generation, owner, blocks, pages, bytes, tokens) =
        (SELECT epoch, latest, forgotten, generation, owner, blocks, pages, bytes, tokens FROM conversation
        WHERE id = ?1) WHERE id = ?2";
    transaction.execute(rest, [from, to]).map(|_| ())
}

pub(super) fn counts(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let query = "SELECT (SELECT count(*) FROM conversation), (SELECT count(*) FROM holding)";
    connection.query_row(query, [], |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?))))
}

pub(super) fn prune(
    transaction: &Connection,
    unused_since: i64,
    max_holdings: u64,
    now: i64,
) -> rusqlite::Result<Pruned> {
    let before = counts(transaction)?;
    let floor = "UPDATE floor SET pruned_at = ?1,
        sequence = max(sequence, (SELECT ifnull(max(latest), 0) FROM conversation))";
    transaction.execute(floor, [now])?;
    transaction.execute("DELETE FROM conversation WHERE used_at < ?1", [unused_since])?;
    // The last used are kept as long as all from there on fit.
    let excess = "DELETE FROM conversation WHERE id IN (SELECT id FROM (
        SELECT id, sum((SELECT count(*) FROM holding WHERE conversation = kept.id))
            OVER (ORDER BY used_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS up_to_here
        FROM conversation AS kept) WHERE up_to_here > ?1)";
    transaction.execute(excess, [signed(max_holdings)])?;
    transaction.execute("DELETE FROM file_name WHERE file NOT IN (SELECT file FROM holding)", [])?;
    transaction.execute("DELETE FROM page_count WHERE content NOT IN (SELECT content FROM holding)", [])?;
    transaction.execute("DELETE FROM file_hash WHERE used_at < ?1", [unused_since])?;
    let after = counts(transaction)?;
    Ok(Pruned { conversations: before.0 - after.0, holdings: before.1 - after.1 })
}

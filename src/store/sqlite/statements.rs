//! SQL statements, each run inside the caller's transaction or alone.

use std::sync::Arc;
use std::time::SystemTime;

use rusqlite::types::Type;
use rusqlite::{Connection, Error, OptionalExtension as _, Row, params};

use crate::format::{self, FormatError};
use crate::{ConversationRecord, PruneCounts};
use pagewise_view::{Conversation, ConversationId, Moment, Revision};

/// A number as SQLite's signed integer.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// SQLite's signed integer as a count; negative values become 0.
pub(super) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(super) fn unix_seconds(time: SystemTime) -> i64 {
    signed(Moment::from(time).0)
}

pub(super) fn system_time(unix_seconds: i64) -> SystemTime {
    Moment(unsigned(unix_seconds)).into()
}

/// An error that leads to a check of the database.
fn damaged(column: usize) -> impl FnOnce(FormatError) -> Error {
    move |error| Error::FromSqlConversionFailure(column, Type::Blob, Box::new(error))
}

/// Reads the value only if its revision is not that of the copy.
pub(super) fn load(
    connection: &Connection,
    id: &ConversationId,
    copy: Option<Arc<Conversation>>,
) -> rusqlite::Result<Arc<Conversation>> {
    let query = "SELECT revision, CASE revision WHEN ?2 THEN NULL ELSE head END,
        CASE revision WHEN ?2 THEN NULL ELSE body END FROM conversation WHERE name = ?1";
    let known = copy.as_ref().map(|copy| signed(copy.revision.number));
    let stored = |row: &Row<'_>| match (row.get_ref(1)?.as_blob_or_null()?, copy) {
        (None, Some(copy)) => Ok(copy),
        _ => {
            let revision = Revision { number: unsigned(row.get(0)?), server: 0 };
            let (head, body) = (row.get_ref(1)?.as_blob()?, row.get_ref(2)?.as_blob()?);
            Ok(Arc::new(format::conversation(revision, head, body).map_err(damaged(2))?))
        }
    };
    let row = connection.prepare_cached(query)?.query_row(params![id.as_str(), known], stored).optional()?;
    Ok(row.unwrap_or_default())
}

const INSERT: &str = "INSERT INTO conversation SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?7 = 0 ON CONFLICT DO NOTHING";

const UPDATE: &str = "UPDATE conversation SET revision = ?2, used_at = ?3, holdings = ?4, head = ?5, body = ?6
    WHERE name = ?1 AND revision = ?7";

/// Replaces a value if its revision is the expected one. Number 0 means that there is none.
pub(super) fn swap(
    transaction: &Connection,
    name: &str,
    expected: Revision,
    new: &Conversation,
) -> rusqlite::Result<bool> {
    let statement = if expected.number == 0 { INSERT } else { UPDATE };
    let values = params![
        name,
        signed(new.revision.number),
        signed(new.head.used.0),
        signed(new.view.len() as u64),
        format::head_bytes(&new.head),
        format::body_bytes(new),
        signed(expected.number),
    ];
    Ok(transaction.prepare_cached(statement)?.execute(values)? > 0)
}

/// All conversations whose handles this version accepts, most recently used first.
pub(super) fn list(connection: &Connection) -> rusqlite::Result<Vec<ConversationRecord>> {
    let query = "SELECT name, holdings, head FROM conversation ORDER BY used_at DESC, name";
    let record = |row: &Row<'_>| {
        let (name, holdings): (String, i64) = (row.get(0)?, row.get(1)?);
        let head = format::head(row.get_ref(2)?.as_blob()?).map_err(damaged(2))?;
        Ok(name.parse().ok().map(|id| ConversationRecord { id, holdings: unsigned(holdings), head }))
    };
    let records: rusqlite::Result<Vec<_>> = connection.prepare_cached(query)?.query_map([], record)?.collect();
    Ok(records?.into_iter().flatten().collect())
}

pub(super) fn counts(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let query = "SELECT count(*), ifnull(sum(holdings), 0) FROM conversation";
    connection.query_row(query, [], |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?))))
}

pub(super) fn prune(
    transaction: &Connection,
    unused_since: SystemTime,
    max_holdings: u64,
    now: SystemTime,
) -> rusqlite::Result<PruneCounts> {
    let before = counts(transaction)?;
    let unused_since = unix_seconds(unused_since);
    transaction.execute("UPDATE pruning SET pruned_at = ?1", [unix_seconds(now)])?;
    transaction.execute("DELETE FROM conversation WHERE used_at < ?1", [unused_since])?;
    // Keeps the most recently used conversations whose holdings fit in total.
    let excess = "DELETE FROM conversation WHERE name IN (SELECT name FROM (
        SELECT name, sum(holdings) OVER (ORDER BY used_at DESC, rowid DESC ROWS UNBOUNDED PRECEDING) AS up_to_here
        FROM conversation) WHERE up_to_here > ?1)";
    transaction.execute(excess, [signed(max_holdings)])?;
    transaction.execute("DELETE FROM file_hash WHERE used_at < ?1", [unused_since])?;
    let after = counts(transaction)?;
    Ok(PruneCounts { conversations: before.0 - after.0, holdings: before.1 - after.1 })
}

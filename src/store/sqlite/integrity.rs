//! Checks whether a database is intact and ours.

use rusqlite::{Connection, Error, ErrorCode};

use super::statements::{list, load};

/// Whether `error` never comes from an intact database, so that a [`check`] is due. Includes more than SQLite's
/// corruption errors: a damaged schema can look like a missing column, and a damaged row like a wrong type.
pub(crate) fn is_suspect(error: &Error) -> bool {
    match error {
        Error::SqliteFailure(failure, _) | Error::SqlInputError { error: failure, .. } => matches!(
            failure.code,
            ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
                | ErrorCode::Unknown
        ),
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..)
        | Error::InvalidColumnType(..)
        | Error::QueryReturnedNoRows => true,
        _ => false,
    }
}

/// Checks the whole database.
pub(crate) fn check(connection: &Connection) -> rusqlite::Result<()> {
    // The quick check would not compare indexes with their tables.
    let verdict: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(corrupt(verdict));
    }
    read_conversations(connection)?;
    read_other_tables(connection)
}

fn corrupt(why: String) -> Error {
    Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(why))
}

fn read_conversations(connection: &Connection) -> rusqlite::Result<()> {
    let mut columns = connection.prepare("SELECT revision, used_at, holdings FROM conversation")?;
    columns
        .query_map([], |row| Ok([row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?]))?
        .try_for_each(discard_value)?;
    list(connection)?.iter().try_for_each(|record| load(connection, &record.id, None).map(|_| ()))
}

/// Reads the tables beside the conversations.
fn read_other_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT pruned_at FROM pruning", [], |row| row.get::<_, Option<i64>>(0))?;
    let mut hashes = connection.prepare("SELECT stat, content, used_at FROM file_hash")?;
    let hash = |row: &rusqlite::Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, [u8; 32]>(1)?));
    hashes.query_map([], |row| row.get::<_, i64>(2).and_then(|_| hash(row)))?.try_for_each(discard_value)
}

fn discard_value<T>(read: rusqlite::Result<T>) -> rusqlite::Result<()> {
    read.map(|_| ())
}

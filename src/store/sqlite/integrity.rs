//! Checks whether a database is intact and ours.

use rusqlite::{Connection, Error, ErrorCode};

use super::statements::{RECORD, conversation_record, rows_after};
use pagewise_view::Sequence;

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
    if connection.prepare("PRAGMA foreign_key_check")?.exists([])? {
        return Err(corrupt("rows of no conversation".to_owned()));
    }
    read_conversations(connection)?;
    read_other_tables(connection)
}

fn corrupt(why: String) -> Error {
    Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT), Some(why))
}

fn read_conversations(connection: &Connection) -> rusqlite::Result<()> {
    let mut records = connection.prepare(RECORD)?;
    records.query_map([], conversation_record)?.try_for_each(|record| record.map(|_| ()))?;
    let mut rest = connection.prepare("SELECT id, emptied FROM conversation")?;
    for id in rest.query_map([], |row| row.get::<_, i64>(1).and_then(|_| row.get(0)))? {
        rows_after(connection, id?, Sequence::START)?;
    }
    Ok(())
}

/// Reads the tables beside the conversations.
fn read_other_tables(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("SELECT pruned_at FROM pruning", [], |row| row.get::<_, Option<i64>>(0))?;
    let mut names = connection.prepare("SELECT file, path FROM file_name")?;
    names
        .query_map([], |row| Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, String>(1)?)))?
        .try_for_each(discard_value)?;
    let mut counts = connection.prepare("SELECT content, pages FROM page_count")?;
    counts.query_map([], |row| Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, u32>(1)?)))?.try_for_each(discard_value)?;
    let mut hashes = connection.prepare("SELECT stat, content, used_at FROM file_hash")?;
    let hash = |row: &rusqlite::Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, [u8; 32]>(1)?));
    hashes.query_map([], |row| row.get::<_, i64>(2).and_then(|_| hash(row)))?.try_for_each(discard_value)
}

fn discard_value<T>(read: rusqlite::Result<T>) -> rusqlite::Result<()> {
    read.map(|_| ())
}

//! Sessions in SQLite.

use std::time::SystemTime;

use rusqlite::{OptionalExtension as _, params};

use super::SqliteStore;
use super::statements::{system_time, unix_seconds};
use crate::{SessionStore, StoreError, StoredSession};
use pagewise_view::Principal;

impl SessionStore for SqliteStore {
    fn put(&self, id: &str, session: &StoredSession, now: SystemTime) -> Result<(), StoreError> {
        let statement = "INSERT OR REPLACE INTO session (id, owner, state, used_at) VALUES (?1, ?2, ?3, ?4)";
        self.write(|transaction| {
            let values = params![id, session.owner.0, session.state, unix_seconds(now)];
            transaction.prepare_cached(statement)?.execute(values).map(|_| ())
        })
    }

    fn get(&self, id: &str) -> Result<Option<StoredSession>, StoreError> {
        let query = "SELECT owner, state, used_at FROM session WHERE id = ?1";
        self.run(|connection| {
            let session = |row: &rusqlite::Row<'_>| {
                Ok(StoredSession { owner: Principal(row.get(0)?), state: row.get(1)?, used: system_time(row.get(2)?) })
            };
            connection.prepare_cached(query)?.query_row([id], session).optional()
        })
    }

    fn touch(&self, id: &str, now: SystemTime) -> Result<bool, StoreError> {
        let statement = "UPDATE session SET used_at = max(used_at, ?2) WHERE id = ?1";
        self.write(
            |transaction| Ok(transaction.prepare_cached(statement)?.execute(params![id, unix_seconds(now)])? > 0),
        )
    }

    fn remove(&self, id: &str) -> Result<bool, StoreError> {
        let statement = "DELETE FROM session WHERE id = ?1";
        self.write(|transaction| Ok(transaction.prepare_cached(statement)?.execute([id])? > 0))
    }

    fn expire(&self, unused_since: SystemTime) -> Result<u64, StoreError> {
        let statement = "DELETE FROM session WHERE used_at < ?1";
        self.write(|transaction| {
            let expired = transaction.prepare_cached(statement)?.execute([unix_seconds(unused_since)])?;
            Ok(expired as u64)
        })
    }
}

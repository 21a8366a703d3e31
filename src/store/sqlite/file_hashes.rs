//! Content hashes of files.

use std::time::SystemTime;

use rusqlite::{OptionalExtension as _, params};

use super::in_transaction;
use super::opening::wait_for_others;
use super::statements::unix_seconds;
use crate::HashStore;
use crate::SqliteStore;
use pagewise_base::hash::ContentHash;

/// Failures are ignored: a hash is then computed again, and the next write of a view reports the problem.
impl HashStore for SqliteStore {
    fn load_hash(&self, key: &[u8; 32]) -> Option<ContentHash> {
        let query = "SELECT content FROM file_hash WHERE stat = ?1";
        let found =
            self.run(|connection| connection.prepare_cached(query)?.query_row([key], |row| row.get(0)).optional());
        found.ok().flatten().map(ContentHash)
    }

    /// Does not wait for locks, because a request would wait too.
    fn save_hash(&self, key: &[u8; 32], content: ContentHash, now: SystemTime) {
        let insert = "INSERT OR REPLACE INTO file_hash VALUES (?1, ?2, ?3)";
        let _ = self.run(|connection| {
            connection.busy_handler(None::<fn(i32) -> bool>)?;
            let saved = in_transaction(connection, |transaction| {
                transaction.prepare_cached(insert)?.execute(params![key, content.0, unix_seconds(now)])
            });
            connection.busy_handler(Some(wait_for_others))?;
            saved
        });
    }
}

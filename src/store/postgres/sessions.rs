//! MCP sessions, which any replica can continue.

use std::time::SystemTime;

use deadpool_postgres::Client;
use tokio_postgres::Error;

use super::connections::Operation;
use super::operations::{row_of, rows_of};
use super::statements as sql;
use super::store::PostgresStore;
use crate::{SessionStore, StoreError, StoredSession};
use pagewise_view::Principal;

/// Saves a session. Repeating it is harmless.
struct SaveSession {
    id: String,
    owner: Vec<u8>,
    state: Vec<u8>,
    now: i64,
}

impl Operation for SaveSession {
    type Output = ();

    async fn run(&self, client: &mut Client, _: bool) -> Result<(), Error> {
        rows_of(client, sql::PUT_SESSION, &[&self.id, &self.owner, &self.state, &self.now]).await.map(|_| ())
    }
}

/// Loads the owner, state and last use of a session.
struct LoadSession {
    id: String,
}

impl Operation for LoadSession {
    type Output = Option<(Vec<u8>, Vec<u8>, i64)>;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        let Some(row) = row_of(client, sql::GET_SESSION, &[&self.id]).await? else { return Ok(None) };
        Ok(Some((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)))
    }
}

/// Marks a session as used. Returns whether it exists.
struct TouchSession {
    id: String,
    now: i64,
}

impl Operation for TouchSession {
    type Output = bool;

    async fn run(&self, client: &mut Client, _: bool) -> Result<bool, Error> {
        Ok(row_of(client, sql::TOUCH_SESSION, &[&self.id, &self.now]).await?.is_some())
    }
}

/// Removes a session. Returns whether it existed; a repeated call assumes so.
struct RemoveSession {
    id: String,
}

impl Operation for RemoveSession {
    type Output = bool;

    async fn run(&self, client: &mut Client, is_repeat: bool) -> Result<bool, Error> {
        Ok(row_of(client, sql::REMOVE_SESSION, &[&self.id]).await?.is_some() || is_repeat)
    }
}

/// Removes sessions last used before a time. Returns how many.
struct ExpireSessions {
    unused_since: i64,
}

impl Operation for ExpireSessions {
    type Output = u64;

    async fn run(&self, client: &mut Client, _: bool) -> Result<u64, Error> {
        let statement = client.prepare_cached(sql::EXPIRE_SESSIONS).await?;
        client.execute(&statement, &[&self.unused_since]).await
    }
}

impl SessionStore for PostgresStore {
    fn put(&self, id: &str, session: &StoredSession, now: SystemTime) -> Result<(), StoreError> {
        let (owner, state) = (session.owner.0.to_vec(), session.state.clone());
        Ok(self.connections().run(SaveSession { id: id.to_owned(), owner, state, now: self.now(now) })?)
    }

    fn get(&self, id: &str) -> Result<Option<StoredSession>, StoreError> {
        let found = self.connections().run(LoadSession { id: id.to_owned() })?;
        let used = |at| self.connections().clock().moment_of(at);
        Ok(found.and_then(|(owner, state, at)| {
            Some(StoredSession { owner: Principal(owner.try_into().ok()?), state, used: used(at) })
        }))
    }

    fn touch(&self, id: &str, now: SystemTime) -> Result<bool, StoreError> {
        Ok(self.connections().run(TouchSession { id: id.to_owned(), now: self.now(now) })?)
    }

    fn remove(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.connections().run(RemoveSession { id: id.to_owned() })?)
    }

    fn expire(&self, unused_since: SystemTime) -> Result<u64, StoreError> {
        Ok(self.connections().run(ExpireSessions { unused_since: self.now(unused_since) })?)
    }
}

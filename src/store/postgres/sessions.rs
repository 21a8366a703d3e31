//! MCP sessions, which any replica can continue.

use std::time::SystemTime;

use tokio_postgres::{Error, Row};

use super::operations::{OwnedParameters, Query, count};
use super::statements as sql;
use super::store::PostgresStore;
use crate::{SessionStore, StoreError, StoredSession};
use pagewise_view::Principal;

impl PostgresStore {
    /// Runs a statement about the session `id`.
    fn of_session<T: Send + 'static>(
        &self,
        statement: &'static str,
        id: &str,
        others: OwnedParameters,
        read: fn(Vec<Row>, bool) -> Result<T, Error>,
    ) -> Result<T, StoreError> {
        let parameters = std::iter::once(Box::new(id.to_owned()) as _).chain(others).collect();
        Ok(self.connections().run(Query::<T> { statement, parameters, read })?)
    }
}

impl SessionStore for PostgresStore {
    fn put(&self, id: &str, session: &StoredSession, now: SystemTime) -> Result<(), StoreError> {
        let (owner, state) = (session.owner.0.to_vec(), session.state.clone());
        let values: OwnedParameters = vec![Box::new(owner), Box::new(state), Box::new(self.now(now))];
        self.of_session(sql::PUT_SESSION, id, values, |_, _| Ok(()))
    }

    fn get(&self, id: &str) -> Result<Option<StoredSession>, StoreError> {
        let read = |rows: Vec<Row>, _| {
            let columns = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
            rows.first().map(columns).transpose()
        };
        let found: Option<(Vec<u8>, Vec<u8>, i64)> = self.of_session(sql::GET_SESSION, id, Vec::new(), read)?;
        let used = |at| self.connections().clock().moment_of(at);
        Ok(found.and_then(|(owner, state, at)| {
            Some(StoredSession { owner: Principal(owner.try_into().ok()?), state, used: used(at) })
        }))
    }

    fn touch(&self, id: &str, now: SystemTime) -> Result<bool, StoreError> {
        self.of_session(sql::TOUCH_SESSION, id, vec![Box::new(self.now(now))], |rows, _| Ok(!rows.is_empty()))
    }

    /// A repeated call assumes that the session existed.
    fn remove(&self, id: &str) -> Result<bool, StoreError> {
        self.of_session(sql::REMOVE_SESSION, id, Vec::new(), |rows, is_repeat| Ok(!rows.is_empty() || is_repeat))
    }

    fn expire(&self, unused_since: SystemTime) -> Result<u64, StoreError> {
        let parameters: OwnedParameters = vec![Box::new(self.now(unused_since))];
        let read = |rows: Vec<Row>, _| rows.first().map_or(Ok(0), |row| count(row, 0));
        Ok(self.connections().run(Query::<u64> { statement: sql::EXPIRE_SESSIONS, parameters, read })?)
    }
}

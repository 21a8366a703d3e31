//! Inspects a database, for people who set one up.

use std::sync::Arc;

use deadpool_postgres::Client;
use tokio_postgres::Error;

use super::connections::{DatabaseClock, Operation};
use super::operations::{OwnedParameters, Query, row_counts, row_of};
use super::schema;
use super::statements as sql;
use super::store::PostgresStore;
use crate::change::random_number;
use crate::report::{ServerReport, StoreReport, measure_latency, scratch_conversation};
use crate::{PruneCounts, StoreError};

/// Reads facts about the server, in the order of the query.
struct InspectServer(Arc<DatabaseClock>);

const FACTS: &str = "SELECT current_setting('server_version'), current_user::text, current_setting('max_connections'),
    current_setting('synchronous_commit'),
    coalesce((SELECT version || ' ' || cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl), '')";

impl Operation for InspectServer {
    type Output = [String; 5];

    /// Also updates the clock difference.
    async fn run(&self, client: &mut Client, _: bool) -> Result<[String; 5], Error> {
        schema::begin_session(client, &self.0).await?;
        let row = row_of(client, FACTS, &[]).await?;
        let fact = |column: usize| -> Result<String, Error> {
            row.as_ref().map_or(Ok(String::new()), |row| row.try_get(column))
        };
        Ok([fact(0)?, fact(1)?, fact(2)?, fact(3)?, fact(4)?])
    }
}

impl PostgresStore {
    /// Inspects the database and the connection to it. Reads and records in a temporary conversation.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn inspect(&self) -> Result<StoreReport, StoreError> {
        let connections = self.connections();
        let [version, user, max_connections, durability, tls] =
            connections.run(InspectServer(connections.clock().clone()))?;
        let scratch = scratch_conversation(random_number());
        let times = measure_latency(self, &scratch);
        let parameters: OwnedParameters = vec![Box::new(scratch.as_str().to_owned())];
        connections.run(Query::<()> { statement: sql::DROP, parameters, read: |_, _| Ok(()) })?;
        let [read, record] = times?;
        let PruneCounts { conversations, holdings } = connections.run(row_counts())?;
        let server = ServerReport {
            tls: Some(tls).filter(|tls| !tls.is_empty()),
            user,
            clock_ahead_seconds: connections.clock().ahead(),
            pool: self.pool(),
            max_connections,
            durability,
        };
        Ok(StoreReport {
            engine: format!("PostgreSQL {version}"),
            location: self.address().to_string(),
            schema: schema::VERSION,
            read,
            record,
            conversations,
            holdings,
            server: Some(server),
        })
    }
}

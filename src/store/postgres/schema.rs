//! The tables, their migrations, and session settings.

use std::time::{Duration, SystemTime};

use deadpool_postgres::{Client, ClientWrapper};
use tokio_postgres::{Error, GenericClient, SimpleQueryMessage};

use super::address::PostgresAddress;
use super::connections::{DatabaseClock, statement_error};
use super::error::PostgresError;
use super::migration::move_rows_into_values;

/// Server-side timeout of a statement. No statement takes longer unless it waits for another.
pub(super) const MAX_STATEMENT: Duration = Duration::from_secs(2);

/// The version of the tables below, kept in `pagewise.version`. Versions 4 and 5 have the tables of version 3, and
/// values with items that earlier programs do not know.
pub(super) const VERSION: i64 = 5;

/// The advisory lock for migrations: "pagewise" as a number.
const MIGRATION_LOCK: i64 = 0x7061_6765_7769_7365;

/// Maximum time for a migration, by this process or by another.
pub(super) const MAX_MIGRATION: Duration = Duration::from_secs(600);

/// A conversation is one row. Its head and body are the whole of it; the other columns serve queries and comparisons. A body is not compressed, since it is mostly hashes.
const CONVERSATION: &str = r#"
CREATE TABLE pagewise.conversation (
    conversation text COLLATE "C" PRIMARY KEY,
    revision bigint NOT NULL,
    recent bigint[] NOT NULL DEFAULT '{}',
    server_start bigint NOT NULL,
    used_at bigint NOT NULL,
    holdings bigint NOT NULL,
    head bytea NOT NULL,
    body bytea NOT NULL
) WITH (fillfactor = 50);
ALTER TABLE pagewise.conversation ALTER COLUMN body SET STORAGE EXTERNAL;
"#;

/// The other tables. Every primary key begins with the conversation or the session, so that tables can be sharded by it.
const OTHER_TABLES: &str = r#"
CREATE TABLE pagewise.version (number bigint NOT NULL);
INSERT INTO pagewise.version VALUES (0);

CREATE TABLE pagewise.pruning (id smallint PRIMARY KEY, pruned_at bigint);
INSERT INTO pagewise.pruning VALUES (0, NULL);

CREATE TABLE pagewise.session (
    id text COLLATE "C" PRIMARY KEY,
    owner bytea NOT NULL,
    state bytea NOT NULL,
    used_at bigint NOT NULL
);
"#;

/// Version 2: what happened in a conversation, for display alone.
const VERSION_2: &str = r#"
CREATE TABLE pagewise.step (
    conversation text COLLATE "C" NOT NULL,
    begun bigint NOT NULL,
    sequence bigint NOT NULL,
    at bigint NOT NULL,
    kind smallint NOT NULL,
    blocks bigint NOT NULL,
    pages bigint NOT NULL,
    bytes bigint NOT NULL,
    tokens bigint NOT NULL,
    PRIMARY KEY (conversation, begun, sequence)
);

CREATE TABLE pagewise.forgotten_page (
    conversation text COLLATE "C" NOT NULL,
    begun bigint NOT NULL,
    file bytea NOT NULL,
    page bigint NOT NULL,
    sequence bigint NOT NULL,
    PRIMARY KEY (conversation, begun, file, page)
);
"#;

/// Before version 3, a conversation was rows of several tables.
const VERSION_3: &str = "ALTER TABLE pagewise.conversation RENAME TO conversation_row;
    ALTER INDEX pagewise.conversation_pkey RENAME TO conversation_row_pkey";

const VERSION_3_END: &str = "DROP TABLE pagewise.holding, pagewise.step, pagewise.forgotten_page, pagewise.file_name,
    pagewise.page_count, pagewise.conversation_row";

/// Sets what the statements rely on, regardless of the database's defaults, and reads its clock.
///
/// The server plans a statement once, often while the tables are nearly empty. A nested loop would be cheap then, and
/// take minutes on large tables, so it is off. A statement that needs one all the same is planned at a very high cost,
/// for which the server would compile it each time: `jit = off`.
pub(super) async fn begin_session(client: &ClientWrapper, clock: &DatabaseClock) -> Result<(), Error> {
    let settings = format!(
        "SET default_transaction_isolation = 'read committed';
        SET statement_timeout = {0};
        SET lock_timeout = {0};
        SET idle_in_transaction_session_timeout = {0};
        SET plan_cache_mode = force_generic_plan;
        SET enable_seqscan = off;
        SET enable_nestloop = off;
        SET jit = off;
        SET client_min_messages = warning;
        SELECT extract(epoch FROM clock_timestamp())::bigint",
        MAX_STATEMENT.as_millis()
    );
    let answers = client.simple_query(&settings).await?;
    let said = answers.iter().find_map(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    });
    said.into_iter().for_each(|database| clock.set(database, SystemTime::now()));
    Ok(())
}

/// Whether the tables are of [`VERSION`]. Takes no lock.
pub(super) async fn is_current(client: &mut Client, address: &PostgresAddress) -> Result<bool, PostgresError> {
    check_server(client, address).await?;
    Ok(version(&***client, address).await? == Some(VERSION))
}

/// Checks that the tables are usable.
pub(super) async fn check(client: &mut Client, address: &PostgresAddress) -> Result<(), PostgresError> {
    for statement in super::statements::all() {
        client.prepare_cached(statement).await.map_err(|error| statement_error(address, &error))?;
    }
    check_rights(client, address).await
}

async fn check_server(client: &Client, address: &PostgresAddress) -> Result<(), PostgresError> {
    let query = "SELECT current_setting('server_encoding'), current_setting('transaction_read_only') = 'on'";
    let row = client.query_one(query, &[]).await.map_err(|error| statement_error(address, &error))?;
    let (encoding, is_read_only): (String, bool) = (row.get(0), row.get(1));
    if encoding != "UTF8" {
        return Err(PostgresError::Encoding { encoding });
    }
    if is_read_only { Err(PostgresError::ReadOnly { location: address.location() }) } else { Ok(()) }
}

/// The version of the tables; `None` if there are none.
async fn version(client: &impl GenericClient, address: &PostgresAddress) -> Result<Option<i64>, PostgresError> {
    let to_error = |error: Error| statement_error(address, &error);
    let tables = "SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace('pagewise')
        AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relname <> 'version', relname LIMIT 1";
    let first = client.query_opt(tables, &[]).await.map_err(to_error)?;
    let Some(first) = first.map(|row| row.get::<_, String>(0)) else { return Ok(None) };
    if first != "version" {
        return Err(PostgresError::Foreign {
            what: format!("there is a table '{first}', and none that says its version"),
        });
    }
    let row = client.query_opt("SELECT number FROM pagewise.version", &[]).await;
    match row.map(|row| row.and_then(|row| row.try_get(0).ok())) {
        Ok(Some(found)) if found > VERSION => Err(PostgresError::NewerSchema { found, known: VERSION }),
        Ok(Some(found)) => Ok(Some(found)),
        Ok(None) => Err(PostgresError::Foreign { what: "table 'version' says none".to_owned() }),
        Err(error) => Err(to_error(error)),
    }
}

/// Migrates the tables to [`VERSION`] atomically: one transaction for all steps, one replica at a time.
pub(super) async fn migrate(client: &mut Client, address: &PostgresAddress) -> Result<(), PostgresError> {
    let to_error = |error: Error| statement_error(address, &error);
    let transaction = client.transaction().await.map_err(to_error)?;
    let patience = format!(
        "SET LOCAL statement_timeout = {0}; SET LOCAL lock_timeout = {0};
        SELECT pg_advisory_xact_lock({MIGRATION_LOCK})",
        MAX_MIGRATION.as_millis()
    );
    transaction.batch_execute(&patience).await.map_err(to_error)?;
    let found = version(&*transaction, address).await?;
    if found.is_none() {
        // The schema may have been created by an owner for a user without that privilege.
        let missing = "SELECT to_regnamespace('pagewise') IS NULL";
        if transaction.query_one(missing, &[]).await.map_err(to_error)?.get(0) {
            transaction.batch_execute("CREATE SCHEMA pagewise").await.map_err(to_error)?;
        }
    }
    let steps: &[&str] = match found {
        None => &[CONVERSATION, OTHER_TABLES],
        Some(1) => &[VERSION_2, VERSION_3, CONVERSATION],
        Some(2) => &[VERSION_3, CONVERSATION],
        Some(_) => &[],
    };
    for step in steps {
        transaction.batch_execute(step).await.map_err(to_error)?;
    }
    if found.is_some_and(|found| found < 3) {
        move_rows_into_values(&*transaction).await.map_err(to_error)?;
        transaction.batch_execute(VERSION_3_END).await.map_err(to_error)?;
    }
    transaction.execute("UPDATE pagewise.version SET number = $1", &[&VERSION]).await.map_err(to_error)?;
    transaction.commit().await.map_err(to_error)
}

/// The statements match the tables; check the privileges too.
async fn check_rights(client: &Client, address: &PostgresAddress) -> Result<(), PostgresError> {
    let query = "SELECT relname::text FROM pg_class WHERE relnamespace = to_regnamespace('pagewise') AND relkind = 'r'
        AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
            AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE')) LIMIT 1";
    let row = client.query_opt(query, &[]).await.map_err(|error| statement_error(address, &error))?;
    let Some(row) = row else { return Ok(()) };
    let message = format!("it may not read and write table 'pagewise.{}'", row.get::<_, String>(0));
    Err(PostgresError::NoRight { user: address.user.clone().unwrap_or_default(), message })
}

//! Operations over many conversations.

use std::collections::BTreeMap;
use std::sync::Arc;

use deadpool_postgres::{Client, ClientWrapper};
use tokio_postgres::Error;

use super::{COMMIT, row_of, rows_of};
use super::{rows, statements as sql};
use crate::postgres::connections::DatabaseClock;
use crate::postgres::connections::Operation;
use crate::{ConversationRecord, PruneCounts};
use pagewise_view::ConversationId;

/// Begins a transaction whose statements may scan all rows.
const BEGIN_LONG: &str = "BEGIN; SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '60s'";

/// The records of one conversation, or of all.
pub(in crate::postgres) struct DescribeConversations {
    pub(in crate::postgres) conversation: Option<ConversationId>,
    pub(in crate::postgres) clock: Arc<DatabaseClock>,
}

impl Operation for DescribeConversations {
    type Output = Vec<ConversationRecord>;

    const IS_LONG: bool = true;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        let found = match &self.conversation {
            Some(conversation) => rows_of(client, &sql::DESCRIBE, &[&conversation.as_str()]).await?,
            None => {
                client.batch_execute(BEGIN_LONG).await?;
                let found = rows_of(client, &sql::CONVERSATIONS, &[]).await?;
                client.batch_execute(COMMIT).await?;
                found
            }
        };
        let records = found.iter().map(|row| rows::conversation_record(row, &self.clock));
        Ok(records.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }
}

/// The paths of files.
pub(in crate::postgres) struct LoadFileNames {
    pub(in crate::postgres) files: Vec<Vec<u8>>,
}

impl Operation for LoadFileNames {
    type Output = BTreeMap<[u8; 32], String>;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        let found = rows_of(client, sql::FILE_NAMES, &[&self.files]).await?;
        found.iter().filter_map(|row| rows::entry(row).transpose()).collect()
    }
}

/// The page counts of contents.
pub(in crate::postgres) struct LoadPageCounts {
    pub(in crate::postgres) contents: Vec<Vec<u8>>,
}

impl Operation for LoadPageCounts {
    type Output = BTreeMap<[u8; 32], i64>;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        let found = rows_of(client, sql::PAGE_COUNTS, &[&self.contents]).await?;
        found.iter().filter_map(|row| rows::entry(row).transpose()).collect()
    }
}

/// When conversations were last pruned.
pub(in crate::postgres) struct LoadLastPruned;

impl Operation for LoadLastPruned {
    type Output = Option<i64>;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        let row = row_of(client, sql::LAST_PRUNED, &[]).await?;
        row.map(|row| row.try_get(0)).transpose().map(Option::flatten)
    }
}

/// How many conversations and rows there are.
pub(in crate::postgres) struct CountRows;

impl Operation for CountRows {
    type Output = (u64, u64);

    const IS_LONG: bool = true;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        client.batch_execute(BEGIN_LONG).await?;
        let row = row_of(client, sql::COUNTS, &[]).await?;
        client.batch_execute(COMMIT).await?;
        row.map_or(Ok((0, 0)), |row| Ok((rows::count(&row, 0)?, rows::count(&row, 1)?)))
    }
}

/// Drops unused conversations, then the excess.
pub(in crate::postgres) struct PruneConversations {
    pub(in crate::postgres) unused_since: i64,
    pub(in crate::postgres) max_holdings: i64,
    pub(in crate::postgres) now: i64,
}

impl Operation for PruneConversations {
    type Output = PruneCounts;

    const IS_LONG: bool = true;

    async fn run(&self, client: &mut Client, _: bool) -> Result<PruneCounts, Error> {
        client.batch_execute(BEGIN_LONG).await?;
        rows_of(client, sql::PRUNED, &[&self.now]).await?;
        let unused = drop_locked(client, sql::LOCK_UNUSED, self.unused_since).await?;
        let excess = drop_locked(client, sql::LOCK_EXCESS, self.max_holdings).await?;
        client.batch_execute(COMMIT).await?;
        // In a transaction of its own, so that these locks are held with no others.
        client.batch_execute(BEGIN_LONG).await?;
        rows_of(client, sql::DROP_NAMES, &[]).await?;
        rows_of(client, sql::DROP_PAGE_COUNTS, &[]).await?;
        client.batch_execute(COMMIT).await?;
        let conversations = unused.conversations.saturating_add(excess.conversations);
        Ok(PruneCounts { conversations, holdings: unused.holdings.saturating_add(excess.holdings) })
    }
}

/// Drops the conversations that `lock` locks. Their rows are read once they are locked.
async fn drop_locked(client: &ClientWrapper, lock: &str, bound: i64) -> Result<PruneCounts, Error> {
    let locked = rows_of(client, lock, &[&bound]).await?;
    let names = locked.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>()?;
    if names.is_empty() {
        return Ok(PruneCounts::default());
    }
    let row = row_of(client, sql::DROP, &[&names]).await?;
    let holdings = row.map(|row| rows::count(&row, 0)).transpose()?.unwrap_or(0);
    Ok(PruneCounts { conversations: names.len() as u64, holdings })
}

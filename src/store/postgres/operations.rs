//! The operations of a store. Each owns its arguments, so that it can be repeated on another connection.

use deadpool_postgres::{Client, ClientWrapper};
use futures_util::future::{join_all, join3};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::connections::Operation;
use super::statements as sql;
use crate::PruneCounts;
use pagewise_view::{ConversationId, Revision};

/// A parameter of a statement.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

const BEGIN: &str = "BEGIN";

/// Begins a transaction whose commit survives a server crash, whatever the database's default is.
const BEGIN_DURABLE: &str = "BEGIN; SELECT set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') = 'off'";

/// Begins a transaction whose statements may scan all rows.
const BEGIN_LONG: &str = "BEGIN; SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '60s'";

const COMMIT: &str = "COMMIT";

/// Statements in flight on one connection.
const MAX_PIPELINED: usize = 16;

pub(super) async fn rows_of(
    client: &ClientWrapper,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Result<Vec<Row>, Error> {
    let statement = client.prepare_cached(statement).await?;
    client.query(&statement, parameters).await
}

pub(super) async fn row_of(
    client: &ClientWrapper,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Result<Option<Row>, Error> {
    Ok(rows_of(client, statement, parameters).await?.into_iter().next())
}

/// A number as the database's signed integer.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A count in a column; negative values become 0.
pub(super) fn count(row: &Row, column: usize) -> Result<u64, Error> {
    row.try_get(column).map(|number: i64| u64::try_from(number).unwrap_or(0))
}

/// Parameters of a statement that can be repeated.
pub(super) type OwnedParameters = Vec<Box<dyn ToSql + Send + Sync>>;

/// One statement. `IS_LONG`: it may scan all rows.
pub(super) struct Query<T, const IS_LONG: bool = false> {
    pub(super) statement: &'static str,
    pub(super) parameters: OwnedParameters,
    /// Reads the rows, and is told whether an earlier attempt may have completed.
    pub(super) read: fn(Vec<Row>, bool) -> Result<T, Error>,
}

impl<T: Send + 'static, const IS_LONG: bool> Operation for Query<T, IS_LONG> {
    type Output = T;

    const IS_LONG: bool = IS_LONG;

    async fn run(&self, client: &mut Client, is_repeat: bool) -> Result<T, Error> {
        let parameters: Vec<Parameter<'_>> = self.parameters.iter().map(|parameter| &**parameter as _).collect();
        if !IS_LONG {
            return (self.read)(rows_of(client, self.statement, &parameters).await?, is_repeat);
        }
        client.batch_execute(BEGIN_LONG).await?;
        let rows = rows_of(client, self.statement, &parameters).await?;
        client.batch_execute(COMMIT).await?;
        (self.read)(rows, is_repeat)
    }
}

/// A server's start, and a conversation on it, if there is one.
#[derive(Default)]
pub(super) struct LoadedRow {
    pub(super) server: u64,
    pub(super) conversation: Option<ConversationRow>,
}

pub(super) struct ConversationRow {
    pub(super) revision: u64,
    /// Whether it was written before the server last started. Values that were written later may then be lost.
    pub(super) is_older: bool,
    /// The head and the body; `None` if the cached copy is current.
    pub(super) value: Option<(Vec<u8>, Vec<u8>)>,
}

/// Loads a conversation, given the revision of a cached copy.
pub(super) fn load(conversation: &ConversationId, known: Revision) -> Query<LoadedRow> {
    let parameters: OwnedParameters = vec![
        Box::new(conversation.as_str().to_owned()),
        Box::new(signed(known.number)),
        Box::new(signed(known.server)),
    ];
    let read = |rows: Vec<Row>, _| {
        let Some(row) = rows.first() else { return Ok(LoadedRow::default()) };
        let conversation = match row.try_get::<_, Option<bool>>(2)? {
            None => None,
            Some(is_current) => Some(ConversationRow {
                revision: count(row, 1)?,
                is_older: !is_current,
                value: row.try_get::<_, Option<_>>(3)?.zip(row.try_get(4)?),
            }),
        };
        Ok(LoadedRow { server: count(row, 0)?, conversation })
    };
    Query { statement: &sql::LOAD, parameters, read }
}

/// Replaces values, all in one transaction.
///
/// If the database's response was lost, the same revisions are sent again, so nothing is replaced twice.
pub(super) struct SwapConversations {
    /// Sorted by conversation, so that all writers lock rows in the same order.
    pub(super) swaps: Vec<SwapParameters>,
    pub(super) is_durable: bool,
}

/// The statement parameters of a swap.
pub(super) struct SwapParameters {
    pub(super) conversation: String,
    pub(super) expected: i64,
    pub(super) server: i64,
    pub(super) revision: i64,
    pub(super) used: i64,
    pub(super) holdings: i64,
    pub(super) head: Vec<u8>,
    pub(super) body: Vec<u8>,
}

impl SwapParameters {
    fn statement(&self) -> &'static str {
        if self.expected == 0 { &sql::INSERT } else { &sql::SWAP }
    }

    async fn run(&self, client: &ClientWrapper) -> Result<bool, Error> {
        let statement = client.prepare_cached(self.statement()).await?;
        let parameters: [Parameter<'_>; 8] = [
            &self.conversation,
            &self.expected,
            &self.server,
            &self.revision,
            &self.used,
            &self.holdings,
            &self.head,
            &self.body,
        ];
        Ok(client.execute(&statement, &parameters).await? > 0)
    }
}

impl Operation for SwapConversations {
    type Output = Vec<bool>;

    async fn run(&self, client: &mut Client, is_repeat: bool) -> Result<Vec<bool>, Error> {
        let mut swapped = match self.swaps.as_slice() {
            [one] if !self.is_durable => vec![one.run(client).await?],
            several => swap_together(client, several, self.is_durable).await?,
        };
        if is_repeat {
            for (is_swapped, swap) in swapped.iter_mut().zip(&self.swaps) {
                *is_swapped |=
                    row_of(client, sql::HAD_REVISION, &[&swap.conversation, &swap.revision]).await?.is_some();
            }
        }
        Ok(swapped)
    }
}

async fn swap_together(client: &ClientWrapper, swaps: &[SwapParameters], is_durable: bool) -> Result<Vec<bool>, Error> {
    let begin = if is_durable { BEGIN_DURABLE } else { BEGIN };
    if let [one] = swaps {
        // Otherwise the transaction would end before the statement is prepared.
        client.prepare_cached(one.statement()).await?;
        let ends = join3(client.batch_execute(begin), one.run(client), client.batch_execute(COMMIT));
        let (begun, swapped, ended) = ends.await;
        return begun.and(ended).and(swapped.map(|swapped| vec![swapped]));
    }
    client.batch_execute(begin).await?;
    let mut swapped = Vec::with_capacity(swaps.len());
    for part in swaps.chunks(MAX_PIPELINED) {
        for is_swapped in join_all(part.iter().map(|swap| swap.run(client))).await {
            swapped.push(is_swapped?);
        }
    }
    client.batch_execute(COMMIT).await?;
    Ok(swapped)
}

/// The handle, number of holdings and head of every conversation.
pub(super) fn list() -> Query<Vec<(String, u64, Vec<u8>)>, true> {
    let read =
        |rows: Vec<Row>, _| rows.iter().map(|row| Ok((row.try_get(0)?, count(row, 1)?, row.try_get(2)?))).collect();
    Query { statement: sql::LIST, parameters: Vec::new(), read }
}

/// How many conversations and holdings there are.
pub(super) fn row_counts() -> Query<PruneCounts, true> {
    Query { statement: sql::COUNTS, parameters: Vec::new(), read: |rows, _| counts(&rows) }
}

fn counts(rows: &[Row]) -> Result<PruneCounts, Error> {
    rows.first().map_or(Ok(PruneCounts::default()), |row| {
        Ok(PruneCounts { conversations: count(row, 0)?, holdings: count(row, 1)? })
    })
}

/// When conversations were last pruned.
pub(super) fn last_pruned() -> Query<Option<i64>> {
    let read = |rows: Vec<Row>, _| rows.first().map_or(Ok(None), |row| row.try_get(0));
    Query { statement: sql::LAST_PRUNED, parameters: Vec::new(), read }
}

/// Drops unused conversations, then the excess.
pub(super) struct PruneConversations {
    pub(super) unused_since: i64,
    pub(super) max_holdings: i64,
    pub(super) now: i64,
}

impl Operation for PruneConversations {
    type Output = PruneCounts;

    const IS_LONG: bool = true;

    async fn run(&self, client: &mut Client, _: bool) -> Result<PruneCounts, Error> {
        client.batch_execute(BEGIN_LONG).await?;
        rows_of(client, sql::PRUNED, &[&self.now]).await?;
        let unused = counts(&rows_of(client, sql::DROP_UNUSED, &[&self.unused_since]).await?)?;
        let excess = counts(&rows_of(client, sql::DROP_EXCESS, &[&self.max_holdings]).await?)?;
        client.batch_execute(COMMIT).await?;
        let conversations = unused.conversations.saturating_add(excess.conversations);
        Ok(PruneCounts { conversations, holdings: unused.holdings.saturating_add(excess.holdings) })
    }
}

//! The operations of a store. Each owns its arguments, so that it can be repeated on another connection.

pub(super) mod history;
pub(super) mod maintenance;
pub(super) mod recording;
pub(super) mod rows;
pub(super) mod statements;

use deadpool_postgres::{Client, ClientWrapper};
use futures_util::future::{join3, join4, join5};
use tokio_postgres::{Error, Row};

use self::history::ForgottenColumns;
use self::rows::{HoldingColumns, Parameter, signed};
use self::statements as sql;
use super::connections::Operation;
use crate::history::forgotten_page;
use crate::{ConversationHead, ConversationState, RowUpdate, Usage, Version};
use pagewise_view::{ConversationId, ConversationView, ForgetScope, Holding, HoldingChange, Principal, Sequence};

/// Begins a transaction whose commit survives a server crash, whatever the database's default is.
pub(super) const BEGIN_DURABLE: &str = "BEGIN; SELECT set_config('synchronous_commit', 'on', true)
    WHERE current_setting('synchronous_commit') = 'off'";

pub(super) const COMMIT: &str = "COMMIT";

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

/// Reads a conversation, given the version of a cached copy.
pub(super) struct ReadConversation {
    pub(super) conversation: ConversationId,
    pub(super) known: Option<Version>,
}

impl Operation for ReadConversation {
    type Output = Option<ConversationState>;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        let known = self.known.unwrap_or_default();
        let (begun, latest) = (signed(known.begun), signed(known.latest.0));
        let found = rows_of(client, &sql::READ, &[&self.conversation.as_str(), &begun, &latest]).await?;
        let mut told = None;
        let mut holdings = Vec::with_capacity(found.len().saturating_sub(1));
        for row in &found {
            match row.try_get::<_, Option<i32>>(TELLING)? {
                Some(telling) => told = Some((rows::head(row)?, telling)),
                None => holdings.extend(rows::holding(row, TELLING + 1)?),
            }
        }
        Ok(told.map(|(head, telling)| ConversationState { head, rows: row_update(telling, holdings) }))
    }
}

/// The column with the kind of row update; the columns of a holding follow it.
const TELLING: usize = 9;

fn row_update(telling: i32, holdings: Vec<(Holding, Sequence)>) -> RowUpdate {
    match telling {
        0 => RowUpdate::Unchanged,
        1 => RowUpdate::Later(holdings),
        _ => RowUpdate::All(holdings),
    }
}

/// Reads the head of a conversation.
pub(super) struct LoadHead {
    pub(super) conversation: ConversationId,
}

impl Operation for LoadHead {
    type Output = Option<ConversationHead>;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        row_of(client, &sql::HEAD, &[&self.conversation.as_str()]).await?.as_ref().map(rows::head).transpose()
    }
}

/// Creates a conversation. Returns whether it is new.
pub(super) struct CreateConversation {
    pub(super) conversation: ConversationId,
    pub(super) owner: Option<Principal>,
    pub(super) begun: i64,
    pub(super) now: i64,
}

impl Operation for CreateConversation {
    type Output = bool;

    /// When repeated, it recognises its own `begun`.
    async fn run(&self, client: &mut Client, _: bool) -> Result<bool, Error> {
        let owner = self.owner.map(|owner| owner.0.to_vec());
        let row = row_of(client, &sql::CREATE, &[&self.conversation.as_str(), &self.begun, &self.now, &owner]).await?;
        let begun: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
        Ok(begun == Some(self.begun))
    }
}

/// Forgets, and enters a generation unless it is 0. Returns the version, or `None` if the generation was entered
/// before.
///
/// Repeating it is harmless: only the version changes.
pub(super) struct ForgetHoldings {
    pub(super) conversation: ConversationId,
    pub(super) what: ForgetScope,
    pub(super) generation: u64,
    pub(super) begun: i64,
    pub(super) now: i64,
}

impl Operation for ForgetHoldings {
    type Output = Option<Version>;

    async fn run(&self, client: &mut Client, _: bool) -> Result<Self::Output, Error> {
        let conversation = self.conversation.as_str();
        let create = client.prepare_cached(&sql::CREATE).await?;
        let forget = client.prepare_cached(&sql::FORGET).await?;
        let all = client.prepare_cached(&sql::ROWS).await?;
        let (is_all, generation) = (self.what.forgets_everything(), signed(self.generation));
        let no_owner: Option<Vec<u8>> = None;
        let (begin, create, forgotten, found) = join4(
            client.batch_execute(BEGIN_DURABLE),
            client.query(&create, &[&conversation, &self.begun, &self.now, &no_owner]),
            client.query_opt(&forget, &[&conversation, &self.now, &is_all, &generation]),
            client.query(&all, &[&conversation]),
        )
        .await;
        begin.and(create.map(|_| ()))?;
        let version = forgotten?.as_ref().map(rows::version).transpose()?;
        let Some(version) = version else {
            return client.batch_execute(COMMIT).await.map(|()| None);
        };
        let change = view_of(&found?)?.forget(&self.what);
        let mut forgotten = ForgottenColumns::default();
        forgotten.extend(change.delete.iter().filter_map(|deleted| forgotten_page(&self.what, deleted)));
        apply(client, conversation, version, (&change, &forgotten), COMMIT).await?;
        Ok(Some(version))
    }
}

/// Builds a view from rows.
pub(super) fn view_of(found: &[Row]) -> Result<ConversationView, Error> {
    let held = found.iter().map(|row| rows::holding(row, 0)).collect::<Result<Vec<_>, _>>()?;
    Ok(held.into_iter().flatten().collect())
}

/// Applies a change to the rows of a conversation, adds forgotten pages, then runs `last`.
pub(super) async fn apply(
    client: &ClientWrapper,
    conversation: &str,
    version: Version,
    (change, forgotten): (&HoldingChange, &ForgottenColumns),
    last: &str,
) -> Result<(), Error> {
    let delete = client.prepare_cached(&sql::DELETE_ROWS).await?;
    let insert = client.prepare_cached(&sql::INSERT_ROWS).await?;
    let add_forgotten = client.prepare_cached(history::ADD_FORGOTTEN).await?;
    let drop_forgotten = client.prepare_cached(&history::DROP_FORGOTTEN).await?;
    let gone: HoldingColumns = change.delete.iter().collect();
    let (mut left, mut sequences) = (HoldingColumns::default(), Vec::new());
    for (holding, at) in &change.insert {
        left.push(holding);
        sequences.push(signed(at.0));
    }
    let (begun, at) = (signed(version.begun), signed(version.latest.0));
    let ForgottenColumns { files, pages } = forgotten;
    let [c1, c2, c3, c4, c5, c6, c7] = gone.parameters();
    let [i1, i2, i3, i4, i5, i6, i7] = left.parameters();
    let (deleted, inserted, added, dropped, ended) = join5(
        client.execute(&delete, &[&conversation, &begun, c1, c2, c3, c4, c5, c6, c7]),
        client.execute(&insert, &[&conversation, &begun, i1, i2, i3, i4, i5, i6, i7, &sequences]),
        client.execute(&add_forgotten, &[&conversation, &begun, files, pages, &at]),
        client.execute(&drop_forgotten, &[&conversation, &begun]),
        client.batch_execute(last),
    )
    .await;
    deleted.and(inserted).and(added).and(dropped)?;
    ended
}

pub(super) struct TakeBackDelivery {
    pub(super) conversation: ConversationId,
    pub(super) at: Version,
    pub(super) sent: Usage,
    pub(super) call: i64,
    pub(super) now: i64,
}

impl Operation for TakeBackDelivery {
    type Output = ();

    async fn run(&self, client: &mut Client, _: bool) -> Result<(), Error> {
        let statement = client.prepare_cached(&sql::TAKE_BACK).await?;
        let numbers =
            [self.at.begun, self.at.latest.0, self.sent.blocks, self.sent.pages, self.sent.bytes, self.sent.tokens];
        let [begun, latest, blocks, pages, bytes, tokens] = numbers.map(signed);
        let conversation = self.conversation.as_str();
        let parameters: [Parameter<'_>; 9] =
            [&conversation, &self.call, &self.now, &begun, &latest, &blocks, &pages, &bytes, &tokens];
        let (begin, taken, ended) = join3(
            client.batch_execute(BEGIN_DURABLE),
            client.execute(&statement, &parameters),
            client.batch_execute(COMMIT),
        )
        .await;
        begin.and(taken.map(|_| ())).and(ended)
    }
}

/// Copies a conversation.
pub(super) struct ForkConversation {
    pub(super) from: ConversationId,
    pub(super) to: ConversationId,
    pub(super) as_of: Option<Sequence>,
    pub(super) begun: i64,
    pub(super) now: i64,
}

pub(super) enum ForkOutcome {
    Copied,
    NoSource,
    TargetExists,
}

impl Operation for ForkConversation {
    type Output = ForkOutcome;

    /// When repeated, it recognises its own `begun`.
    async fn run(&self, client: &mut Client, _: bool) -> Result<ForkOutcome, Error> {
        let as_of = self.as_of.map_or(i64::MAX, |as_of| signed(as_of.0));
        let parameters: [Parameter<'_>; 5] = [&self.from.as_str(), &self.to.as_str(), &self.begun, &self.now, &as_of];
        let row = row_of(client, &sql::FORK, &parameters).await?;
        let has_source = row.as_ref().map(|row| row.try_get(0)).transpose()?.unwrap_or(false);
        let begun: Option<i64> = row.as_ref().map(|row| row.try_get(1)).transpose()?.flatten();
        Ok(match (has_source, begun) {
            (_, Some(begun)) if begun == self.begun => ForkOutcome::Copied,
            (false, _) => ForkOutcome::NoSource,
            (true, _) => ForkOutcome::TargetExists,
        })
    }
}

//! Records deliveries: a single statement for one, a transaction for several.

use deadpool_postgres::{Client, ClientWrapper};
use futures_util::future::{join_all, join3};
use tokio_postgres::{Error, Row, Statement};

use super::history::ForgottenColumns;
use super::rows::{HoldingColumns, Parameter, signed};
use super::{BEGIN_DURABLE, COMMIT, apply, row_of, view_of};
use super::{rows, statements as sql};
use crate::history::forgotten_page;
use crate::postgres::connections::Operation;
use crate::{DeliveryRecord, Version};
use pagewise_view::{ConversationId, ConversationView, ForgetScope, Holding, HoldingChange};

/// Begins a transaction with the database's default durability.
const BEGIN: &str = "BEGIN";

/// Statements in flight on one connection.
const MAX_PIPELINED: usize = 16;

/// Records deliveries atomically.
///
/// Each delivery has a call id. If the database's response was lost, the same ids are sent again, so nothing is
/// recorded twice.
pub(in crate::postgres) struct RecordDeliveries {
    /// Sorted by conversation, so that all writers lock rows in the same order.
    pub(in crate::postgres) deliveries: Vec<DeliveryParameters>,
}

/// The statement parameters of a delivery.
pub(in crate::postgres) struct DeliveryParameters {
    /// Its position in the caller's list.
    pub(in crate::postgres) position: usize,
    conversation: String,
    call: i64,
    now: i64,
    planned: [i64; 2],
    begun: i64,
    sent: [i64; 4],
    forget: Vec<ForgetScope>,
    holdings: Vec<Holding>,
    columns: HoldingColumns,
    names: (Vec<Vec<u8>>, Vec<String>),
    page_counts: (Vec<Vec<u8>>, Vec<i64>),
}

impl DeliveryParameters {
    /// `chosen` are two random numbers: the call id and `begun`.
    pub(in crate::postgres) fn new(
        position: usize,
        conversation: &ConversationId,
        delivery: &DeliveryRecord,
        chosen: [i64; 2],
        now: i64,
    ) -> Self {
        let sent = delivery.sent;
        // PostgreSQL texts cannot contain NUL; paths do not either.
        let name = |path: &String| path.replace('\0', "\u{fffd}");
        let names = delivery.names.iter().map(|(file, path)| (file.0.to_vec(), name(path)));
        let counts = delivery.page_counts.iter().map(|(content, pages)| (content.0.to_vec(), i64::from(*pages)));
        Self {
            position,
            conversation: conversation.as_str().to_owned(),
            call: chosen[0],
            now,
            planned: [delivery.planned.begun, delivery.planned.latest.0].map(signed),
            begun: chosen[1],
            sent: [sent.blocks, sent.pages, sent.bytes, sent.tokens].map(signed),
            forget: delivery.forget.clone(),
            holdings: delivery.holdings.clone(),
            columns: delivery.holdings.iter().collect(),
            names: names.unzip(),
            page_counts: counts.unzip(),
        }
    }

    fn parameters(&self) -> [Parameter<'_>; 21] {
        let [begun, latest] = &self.planned;
        let [blocks, pages, bytes, tokens] = &self.sent;
        let [content, file, kind, first, last, form, fingerprint] = self.columns.parameters();
        [
            &self.conversation,
            &self.call,
            &self.now,
            begun,
            latest,
            &self.begun,
            blocks,
            pages,
            bytes,
            tokens,
            content,
            file,
            kind,
            first,
            last,
            form,
            fingerprint,
            &self.names.0,
            &self.names.1,
            &self.page_counts.0,
            &self.page_counts.1,
        ]
    }

    /// The version that an earlier attempt recorded.
    async fn recall(&self, client: &ClientWrapper) -> Result<Option<Version>, Error> {
        let row = row_of(client, sql::RECALL, &[&self.conversation, &self.call]).await?;
        let version = row.as_ref().map(rows::version).transpose()?;
        Ok(version.filter(|version| version.latest.0 > 0))
    }

    /// The row changes of its forgets, and the pages that they forget. Rows that the delivery itself gives are kept.
    fn change(&self, before: ConversationView) -> (HoldingChange, ForgottenColumns) {
        let (mut after, mut forgotten) = (before.clone(), ForgottenColumns::default());
        for what in &self.forget {
            let change = after.forget(what);
            forgotten.extend(change.delete.iter().filter_map(|deleted| forgotten_page(what, deleted)));
            after.apply(&change);
        }
        let is_gone = |holding: &Holding| !after.contains(holding) && !self.holdings.contains(holding);
        let delete = before.holdings().map(|(holding, _)| *holding).filter(is_gone).collect();
        let is_new = |(holding, at): &(&Holding, _)| before.recorded_at(holding) != Some(*at);
        let insert = after.holdings().filter(is_new).map(|(holding, at)| (*holding, at)).collect();
        (HoldingChange { delete, insert }, forgotten)
    }
}

impl Operation for RecordDeliveries {
    /// The version of each recorded delivery, by position.
    type Output = Vec<(usize, Option<Version>)>;

    async fn run(&self, client: &mut Client, is_repeat: bool) -> Result<Self::Output, Error> {
        let statement = client.prepare_cached(&sql::RECORD).await?;
        let mut versions = match self.deliveries.as_slice() {
            [one] if one.forget.is_empty() => {
                let rows = client.query(&statement, &one.parameters()).await?;
                vec![(one.position, recorded(&rows)?)]
            }
            several => record_several(client, &statement, several).await?,
        };
        if is_repeat {
            for ((_, version), delivery) in versions.iter_mut().zip(&self.deliveries) {
                if version.is_none() {
                    *version = delivery.recall(client).await?;
                }
            }
        }
        Ok(versions)
    }
}

fn recorded(rows: &[Row]) -> Result<Option<Version>, Error> {
    let Some(row) = rows.first() else { return Ok(None) };
    let is_recorded: bool = row.try_get(2)?;
    rows::version(row).map(|version| is_recorded.then_some(version))
}

async fn record_several(
    client: &ClientWrapper,
    statement: &Statement,
    deliveries: &[DeliveryParameters],
) -> Result<Vec<(usize, Option<Version>)>, Error> {
    if deliveries.len() <= MAX_PIPELINED && deliveries.iter().all(|delivery| delivery.forget.is_empty()) {
        let (begun, versions, ended) = join3(
            client.batch_execute(BEGIN),
            record_part(client, statement, deliveries),
            client.batch_execute(COMMIT),
        )
        .await;
        return begun.and(ended).and(versions);
    }
    let mut versions = Vec::with_capacity(deliveries.len());
    client.batch_execute(BEGIN_DURABLE).await?;
    for group in deliveries.chunk_by(|one, next| one.forget.is_empty() && next.forget.is_empty()) {
        for part in group.chunks(MAX_PIPELINED) {
            match part {
                [one] if !one.forget.is_empty() => {
                    versions.push((one.position, forget_and_record(client, statement, one).await?));
                }
                part => versions.extend(record_part(client, statement, part).await?),
            }
        }
    }
    client.batch_execute(COMMIT).await?;
    Ok(versions)
}

/// Records deliveries without forgets, pipelined.
async fn record_part(
    client: &ClientWrapper,
    statement: &Statement,
    deliveries: &[DeliveryParameters],
) -> Result<Vec<(usize, Option<Version>)>, Error> {
    let parameters: Vec<_> = deliveries.iter().map(DeliveryParameters::parameters).collect();
    let answers = join_all(parameters.iter().map(|each| client.query(statement, each))).await;
    let positions = deliveries.iter().map(|delivery| delivery.position);
    positions.zip(answers).map(|(position, rows)| Ok((position, recorded(&rows?)?))).collect()
}

/// Records a delivery with forgets. The rule for forgetting is in Rust, so the rows are read under a lock.
async fn forget_and_record(
    client: &ClientWrapper,
    statement: &Statement,
    delivery: &DeliveryParameters,
) -> Result<Option<Version>, Error> {
    let conversation = &delivery.conversation;
    let no_owner: Option<Vec<u8>> = None;
    let [begun, _] = delivery.planned;
    if begun == 0 {
        row_of(client, &sql::CREATE, &[conversation, &delivery.begun, &delivery.now, &no_owner]).await?;
    }
    let lock = client.prepare_cached(sql::LOCK).await?;
    let all = client.prepare_cached(&sql::ROWS).await?;
    let parameters = delivery.parameters();
    let (locked, before, answer) = join3(
        client.execute(&lock, &[conversation]),
        client.query(&all, &[conversation]),
        client.query(statement, &parameters),
    )
    .await;
    locked?;
    let (before, version) = (view_of(&before?)?, recorded(&answer?)?);
    if let Some(version) = version {
        let is_all = delivery.forget.iter().any(ForgetScope::forgets_everything);
        row_of(client, sql::FORGOTTEN, &[conversation, &is_all]).await?;
        let (change, forgotten) = delivery.change(before);
        apply(client, conversation, version, (&change, &forgotten), "").await?;
    }
    Ok(version)
}

//! What happened in a conversation: the tables `step` and `forgotten_page`.

use std::sync::{Arc, LazyLock};

use deadpool_postgres::Client;
use futures_util::future::try_join;
use tokio_postgres::{Error, Row};

use super::rows::{count, hash, narrow};
use super::rows_of;
use crate::history::{MAX_FORGOTTEN_PAGES, MAX_STEPS, STEPS_BETWEEN_DROPS};
use crate::postgres::connections::{DatabaseClock, Operation};
use crate::{ConversationHistory, HistoryStep, StepKind, Usage};
use pagewise_base::page::PageIndex;
use pagewise_view::{ConversationId, FileKey, Sequence};

/// The columns that [`step`] reads.
pub(super) const STEP_COLUMNS: &str = "sequence, at, kind, blocks, pages, bytes, tokens";

/// Two parts of a WITH clause that add the step `head` of `$1`, and now and then drop those before the latest.
pub(super) fn add_step(condition: &str, now: &str, kind: &str, sent: [&str; 4]) -> String {
    let sent = sent.map(|count| format!("{count}::bigint")).join(", ");
    format!(
        "stepped AS (
            INSERT INTO pagewise.step (conversation, begun, {STEP_COLUMNS})
            SELECT $1, head.begun, head.latest, {now}::bigint, {kind}, {sent} FROM head {condition}
            ON CONFLICT DO NOTHING),
        unstepped AS (
            DELETE FROM pagewise.step WHERE ctid = ANY (ARRAY(SELECT k.ctid FROM head, LATERAL (
                SELECT s.ctid FROM pagewise.step s WHERE s.conversation = $1 AND s.begun = head.begun
                ORDER BY s.sequence DESC OFFSET {MAX_STEPS}) AS k
                WHERE head.latest % {STEPS_BETWEEN_DROPS} = 0)))"
    )
}

/// Adds the pages `$4` of the files `$3` as forgotten at `$5` in the conversation with `begun` `$2`.
pub(super) const ADD_FORGOTTEN: &str =
    "INSERT INTO pagewise.forgotten_page AS f (conversation, begun, file, page, sequence)
    SELECT DISTINCT $1, $2::bigint, r.file, r.page, $5::bigint
    FROM unnest($3::bytea[], $4::bigint[]) AS r (file, page)
    ON CONFLICT (conversation, begun, file, page) DO UPDATE SET sequence = EXCLUDED.sequence";

/// Drops the forgotten pages before the latest of the conversation with `begun` `$2`.
pub(super) static DROP_FORGOTTEN: LazyLock<String> = LazyLock::new(|| {
    format!(
        "DELETE FROM pagewise.forgotten_page WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM pagewise.forgotten_page WHERE conversation = $1 AND begun = $2::bigint
            ORDER BY sequence DESC, file, page OFFSET {MAX_FORGOTTEN_PAGES}))"
    )
});

/// The steps of a conversation, oldest first.
pub(super) static STEPS: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT {STEP_COLUMNS} FROM pagewise.step WHERE {} ORDER BY sequence", of_conversation("step"))
});

/// The forgotten pages of a conversation.
pub(super) static FORGOTTEN_PAGES: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT file, page FROM pagewise.forgotten_page WHERE {}", of_conversation("forgotten_page"))
});

fn of_conversation(table: &str) -> String {
    format!(
        "{table}.conversation = $1
            AND {table}.begun = (SELECT c.begun FROM pagewise.conversation c WHERE c.conversation = $1)"
    )
}

/// Forgotten pages as statement parameters: one array per column.
#[derive(Debug, Default)]
pub(in crate::postgres) struct ForgottenColumns {
    pub(super) files: Vec<Vec<u8>>,
    pub(super) pages: Vec<i64>,
}

impl Extend<(FileKey, PageIndex)> for ForgottenColumns {
    fn extend<I: IntoIterator<Item = (FileKey, PageIndex)>>(&mut self, pages: I) {
        for (file, page) in pages {
            self.files.push(file.0.to_vec());
            self.pages.push(page.0.into());
        }
    }
}

/// Reads what happened in a conversation.
pub(in crate::postgres) struct LoadHistory {
    pub(in crate::postgres) conversation: ConversationId,
    pub(in crate::postgres) clock: Arc<DatabaseClock>,
}

impl Operation for LoadHistory {
    type Output = ConversationHistory;

    async fn run(&self, client: &mut Client, _: bool) -> Result<ConversationHistory, Error> {
        let conversation = self.conversation.as_str();
        let (steps, pages) =
            try_join(rows_of(client, &STEPS, &[&conversation]), rows_of(client, &FORGOTTEN_PAGES, &[&conversation]))
                .await?;
        let mut history = ConversationHistory::default();
        for row in &steps {
            history.steps.extend(step(row, &self.clock)?);
        }
        for row in &pages {
            let page = narrow::<i64, u32>(row, 1)?.map(PageIndex);
            if let Some((file, page)) = hash(row, 0)?.zip(page) {
                history.forgotten.entry(FileKey(file)).or_default().insert(page);
            }
        }
        Ok(history)
    }
}

/// `None` for a kind that this version does not know.
fn step(row: &Row, clock: &DatabaseClock) -> Result<Option<HistoryStep>, Error> {
    let sent = Usage { blocks: count(row, 3)?, pages: count(row, 4)?, bytes: count(row, 5)?, tokens: count(row, 6)? };
    let (at, moment) = (Sequence(count(row, 0)?), clock.moment_of(row.try_get(1)?));
    let kind = narrow::<i16, u8>(row, 2)?.and_then(StepKind::numbered);
    Ok(kind.map(|kind| HistoryStep { at, moment, kind, sent }))
}

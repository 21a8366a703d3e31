//! What happened in a conversation: the tables `step` and `forgotten_page`.

use std::time::SystemTime;

use rusqlite::{Connection, Row, params};

use super::statements::{moment, unix_seconds};
use crate::held_rows::{sequence, signed, unsigned};
use crate::history::{MAX_FORGOTTEN_PAGES, MAX_STEPS, STEPS_BETWEEN_DROPS};
use crate::{ConversationHistory, HistoryStep, StepKind, Usage};
use pagewise_base::page::PageIndex;
use pagewise_view::{FileKey, Sequence};

/// A step that is written with its conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingStep {
    pub(super) kind: StepKind,
    pub(super) sent: Usage,
}

/// Adds a step, and now and then drops those before the latest.
pub(super) fn insert_step(
    transaction: &Connection,
    conversation: i64,
    at: Sequence,
    step: PendingStep,
    now: SystemTime,
) -> rusqlite::Result<()> {
    let insert = "INSERT INTO step VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let Usage { blocks, pages, bytes, tokens } = step.sent;
    let [blocks, pages, bytes, tokens] = [blocks, pages, bytes, tokens].map(signed);
    let (at_number, kind) = (signed(at.0), step.kind.number());
    let values = params![conversation, at_number, unix_seconds(now), kind, blocks, pages, bytes, tokens];
    transaction.prepare_cached(insert)?.execute(values)?;
    if !at.0.is_multiple_of(STEPS_BETWEEN_DROPS) {
        return Ok(());
    }
    let drop = "DELETE FROM step WHERE conversation = ?1 AND sequence <= ?2";
    transaction.prepare_cached(drop)?.execute([conversation, signed(at.0.saturating_sub(MAX_STEPS))]).map(|_| ())
}

/// Removes the step of a delivery that was taken back.
pub(super) fn delete_step(transaction: &Connection, conversation: i64, at: Sequence) -> rusqlite::Result<()> {
    let delete = "DELETE FROM step WHERE conversation = ?1 AND sequence = ?2";
    transaction.prepare_cached(delete)?.execute([conversation, signed(at.0)]).map(|_| ())
}

/// Adds forgotten pages, and drops those before the latest.
pub(super) fn insert_forgotten(
    transaction: &Connection,
    conversation: i64,
    pages: impl Iterator<Item = (FileKey, PageIndex)>,
    at: Sequence,
) -> rusqlite::Result<()> {
    let mut insert = transaction.prepare_cached("INSERT OR REPLACE INTO forgotten_page VALUES (?1, ?2, ?3, ?4)")?;
    for (file, page) in pages {
        insert.execute(params![conversation, file.0, page.0, signed(at.0)])?;
    }
    let drop = "DELETE FROM forgotten_page WHERE conversation = ?1 AND (file, page) IN (
        SELECT file, page FROM forgotten_page WHERE conversation = ?1 ORDER BY sequence DESC LIMIT -1 OFFSET ?2)";
    transaction.prepare_cached(drop)?.execute([conversation, signed(MAX_FORGOTTEN_PAGES)]).map(|_| ())
}

/// Copies the steps up to `as_of` to a fork.
pub(super) fn copy_steps(transaction: &Connection, from: i64, to: i64, as_of: i64) -> rusqlite::Result<()> {
    let copy = "INSERT INTO step SELECT ?2, sequence, at, kind, blocks, pages, bytes, tokens FROM step
        WHERE conversation = ?1 AND sequence <= ?3";
    transaction.execute(copy, [from, to, as_of]).map(|_| ())
}

/// The history of a conversation.
pub(super) fn history(connection: &Connection, conversation: i64) -> rusqlite::Result<ConversationHistory> {
    let mut history = ConversationHistory::default();
    let steps = "SELECT sequence, at, kind, blocks, pages, bytes, tokens FROM step WHERE conversation = ?1
        ORDER BY sequence";
    let mut steps = connection.prepare_cached(steps)?;
    for step in steps.query_map([conversation], step)? {
        history.steps.extend(step?);
    }
    let mut pages = connection.prepare_cached("SELECT file, page FROM forgotten_page WHERE conversation = ?1")?;
    for row in pages.query_map([conversation], |row| Ok((FileKey(row.get(0)?), PageIndex(row.get(1)?))))? {
        let (file, page) = row?;
        history.forgotten.entry(file).or_default().insert(page);
    }
    Ok(history)
}

/// `None` for a kind that this version does not know.
fn step(row: &Row<'_>) -> rusqlite::Result<Option<HistoryStep>> {
    let count = |column| row.get(column).map(unsigned);
    let sent = Usage { blocks: count(3)?, pages: count(4)?, bytes: count(5)?, tokens: count(6)? };
    let (number, at, moment) = (row.get::<_, u8>(2)?, sequence(row.get(0)?), moment(row.get(1)?));
    Ok(StepKind::numbered(number).map(|kind| HistoryStep { at, moment, kind, sent }))
}

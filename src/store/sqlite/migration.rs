//! Reads conversations from the tables of schema 6.

use rusqlite::{Connection, Row};

use super::statements::{insert, unsigned};
use crate::change::random_number;
use crate::rows::{ConversationRows, HeldItemRow, step_kind};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageIndex;
use pagewise_view::{
    Conversation, ConversationHead, FileKey, HistoryStep, Holding, Moment, Principal, Revision, Sequence, Usage,
};

/// Moves the rows of each conversation into one value.
pub(super) fn move_rows_into_values(transaction: &Connection) -> rusqlite::Result<()> {
    let heads = "SELECT id, name, begun, latest, forgotten, emptied, generation, owner, blocks, pages, bytes, tokens,
        created_at, used_at FROM conversation_row";
    let mut heads = transaction.prepare(heads)?;
    let mut rows = heads.query([])?;
    while let Some(row) = rows.next()? {
        let (id, name): (i64, String) = (row.get(0)?, row.get(1)?);
        let mut conversation = Conversation::from(conversation_rows(transaction, id, head(row)?)?);
        conversation.revision = Revision { number: random_number(), server: 0 };
        insert(transaction, &name, &conversation)?;
    }
    Ok(())
}

fn head(row: &Row<'_>) -> rusqlite::Result<ConversationHead> {
    let count = |column| row.get(column).map(unsigned);
    Ok(ConversationHead {
        begun: count(2)?,
        latest: Sequence(count(3)?),
        forgotten: Sequence(count(4)?),
        emptied: Sequence(count(5)?),
        generation: count(6)?,
        owner: row.get::<_, Option<[u8; 32]>>(7)?.map(Principal),
        sent: usage(row, 8)?,
        created: Moment(count(12)?),
        used: Moment(count(13)?),
        ..ConversationHead::default()
    })
}

fn usage(row: &Row<'_>, first: usize) -> rusqlite::Result<Usage> {
    let count = |column: usize| row.get(first.saturating_add(column)).map(unsigned);
    Ok(Usage { blocks: count(0)?, pages: count(1)?, bytes: count(2)?, tokens: count(3)? })
}

fn conversation_rows(transaction: &Connection, id: i64, head: ConversationHead) -> rusqlite::Result<ConversationRows> {
    let mut rows = ConversationRows { head, ..ConversationRows::default() };
    let holdings = "SELECT content, file, kind, first, last, form, fingerprint, sequence FROM holding
        WHERE conversation = ?1";
    for row in transaction.prepare_cached(holdings)?.query_map([id], holding)? {
        rows.holdings.extend(row?);
    }
    let steps = "SELECT sequence, at, kind, blocks, pages, bytes, tokens FROM step WHERE conversation = ?1
        ORDER BY sequence";
    for row in transaction.prepare_cached(steps)?.query_map([id], step)? {
        rows.steps.extend(row?);
    }
    let forgotten = "SELECT file, page FROM forgotten_page WHERE conversation = ?1 ORDER BY sequence, file, page";
    let page = |row: &Row<'_>| Ok((FileKey(row.get(0)?), PageIndex(row.get(1)?)));
    for row in transaction.prepare_cached(forgotten)?.query_map([id], page)? {
        rows.forgotten.push(row?);
    }
    let names = "SELECT file, path FROM file_name WHERE file IN (SELECT file FROM holding WHERE conversation = ?1
        UNION SELECT file FROM forgotten_page WHERE conversation = ?1)";
    for row in transaction.prepare_cached(names)?.query_map([id], |row| Ok((FileKey(row.get(0)?), row.get(1)?)))? {
        rows.names.extend([row?]);
    }
    let counts = "SELECT content, pages FROM page_count
        WHERE content IN (SELECT content FROM holding WHERE conversation = ?1)";
    let count = |row: &Row<'_>| Ok((ContentHash(row.get(0)?), row.get(1)?));
    for row in transaction.prepare_cached(counts)?.query_map([id], count)? {
        rows.page_counts.extend([row?]);
    }
    Ok(rows)
}

fn holding(row: &Row<'_>) -> rusqlite::Result<Option<(Holding, Sequence)>> {
    let (content, file) = (ContentHash(row.get(0)?), FileKey(row.get(1)?));
    let held = HeldItemRow {
        kind: row.get(2)?,
        first: row.get(3)?,
        last: row.get(4)?,
        form: row.get(5)?,
        fingerprint: row.get(6)?,
    };
    let at = Sequence(unsigned(row.get(7)?));
    Ok(held.held().map(|what| (Holding { content, file, what }, at)))
}

fn step(row: &Row<'_>) -> rusqlite::Result<Option<HistoryStep>> {
    let (at, moment) = (Sequence(unsigned(row.get(0)?)), Moment(unsigned(row.get(1)?)));
    let (kind, sent) = (row.get::<_, u8>(2)?, usage(row, 3)?);
    Ok(step_kind(kind).map(|kind| HistoryStep { at, moment, kind, sent }))
}

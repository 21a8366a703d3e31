//! SQL statements, each run inside the caller's transaction.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::history::{PendingStep, copy_steps, delete_step, insert_forgotten, insert_step};
use crate::held_rows::{HeldItemRow, sequence, signed, unsigned};
use crate::history::forgotten_page;
use crate::{
    ConversationHead, ConversationRecord, DeliveryRecord, PruneCounts, StepKind, Usage, Version, held_rows as rows,
    seconds_since_1970,
};
use pagewise_base::hash::ContentHash;
use pagewise_view::{
    ConversationId, ConversationView, FileKey, ForgetScope, Holding, HoldingChange, Principal, Sequence,
};

/// The columns of [`ConversationRecord`], in the order that [`conversation_record`] reads.
pub(crate) const RECORD: &str =
    "SELECT begun, latest, forgotten, generation, owner, blocks, pages, bytes, tokens, name, created_at, used_at,
    (SELECT count(*) FROM holding WHERE holding.conversation = conversation.id) FROM conversation";

/// The columns of [`ConversationHead`] in the order that [`head`] reads, and what a [`ConversationRow`] has besides.
pub(crate) const HEAD: &str =
    "SELECT begun, latest, forgotten, generation, owner, blocks, pages, bytes, tokens, id, emptied
    FROM conversation WHERE name = ?1";

pub(crate) fn unix_seconds(moment: SystemTime) -> i64 {
    signed(seconds_since_1970(moment))
}

pub(crate) fn moment(unix_seconds: i64) -> SystemTime {
    let since = Duration::from_secs(unsigned(unix_seconds));
    SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// `None` for a handle that this version rejects.
pub(crate) fn conversation_record(row: &Row<'_>) -> rusqlite::Result<Option<ConversationRecord>> {
    let name: String = row.get(9)?;
    let (created, used) = (moment(row.get(10)?), moment(row.get(11)?));
    let (holdings, head) = (unsigned(row.get(12)?), head(row)?);
    Ok(name.parse().ok().map(|id| ConversationRecord { id, created, used, holdings, head }))
}

pub(crate) fn head(row: &Row<'_>) -> rusqlite::Result<ConversationHead> {
    let count = |column| row.get(column).map(unsigned);
    let sent = Usage { blocks: count(5)?, pages: count(6)?, bytes: count(7)?, tokens: count(8)? };
    let owner = row.get::<_, Option<[u8; 32]>>(4)?.map(Principal);
    let (latest, forgotten) = (Sequence(count(1)?), Sequence(count(2)?));
    Ok(ConversationHead { begun: count(0)?, latest, forgotten, generation: count(3)?, owner, sent })
}

pub(crate) fn conversation_id(connection: &Connection, conversation: &ConversationId) -> rusqlite::Result<Option<i64>> {
    let mut statement = connection.prepare_cached("SELECT id FROM conversation WHERE name = ?1")?;
    statement.query_row([conversation.as_str()], |row| row.get(0)).optional()
}

pub(crate) fn insert_conversation(
    transaction: &Connection,
    conversation: &ConversationId,
    owner: Option<&Principal>,
    now: SystemTime,
) -> rusqlite::Result<bool> {
    let insert = "INSERT INTO conversation (name, created_at, used_at, owner, begun)
        VALUES (?1, ?2, ?2, ?3, max(1, random() & 0x7fffffffffffffff)) ON CONFLICT DO NOTHING";
    let mut statement = transaction.prepare_cached(insert)?;
    Ok(statement.execute(params![conversation.as_str(), unix_seconds(now), owner.map(|owner| owner.0)])? > 0)
}

/// The row of a conversation in a write transaction.
pub(crate) struct ConversationRow {
    pub(crate) id: i64,
    pub(crate) head: ConversationHead,
    /// When everything was last forgotten.
    emptied: Sequence,
    /// What happened under the latest sequence.
    step: Option<PendingStep>,
}

impl ConversationRow {
    pub(crate) fn find(connection: &Connection, conversation: &ConversationId) -> rusqlite::Result<Option<Self>> {
        let found = |row: &Row<'_>| {
            Ok(Self { id: row.get(9)?, head: head(row)?, emptied: row.get(10).map(sequence)?, step: None })
        };
        connection.prepare_cached(HEAD)?.query_row([conversation.as_str()], found).optional()
    }

    /// Finds the conversation, or creates it.
    ///
    /// Avoids RETURNING, for which SQLite creates a temporary table each time.
    pub(crate) fn find_or_insert(
        transaction: &Connection,
        conversation: &ConversationId,
        now: SystemTime,
    ) -> rusqlite::Result<Self> {
        if let Some(known) = Self::find(transaction, conversation)? {
            return Ok(known);
        }
        insert_conversation(transaction, conversation, None, now)?;
        Self::find(transaction, conversation)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
    }

    /// Records a delivery. Returns false if it was refused.
    pub(crate) fn record(&mut self, transaction: &Connection, delivery: &DeliveryRecord) -> rusqlite::Result<bool> {
        let planned = delivery.planned;
        let is_same = planned.begun == 0 || planned.begun == self.head.begun;
        if is_same && self.emptied <= planned.latest {
            self.head.sent.add(delivery.sent);
        }
        if !self.head.allows(planned) {
            return Ok(false);
        }
        let at = self.next();
        for what in &delivery.forget {
            self.forget_at(transaction, what, at)?;
        }
        for holding in &delivery.holdings {
            upsert_holding(transaction, self.id, holding, at)?;
        }
        insert_names(transaction, &delivery.names)?;
        insert_page_counts(transaction, &delivery.page_counts)?;
        self.step = Some(PendingStep { kind: StepKind::Delivery, sent: delivery.sent });
        Ok(true)
    }

    /// Forgets under a new sequence.
    pub(crate) fn forget(&mut self, transaction: &Connection, what: &ForgetScope) -> rusqlite::Result<()> {
        let at = self.next();
        self.step = Some(PendingStep { kind: StepKind::of(what), sent: Usage::default() });
        self.forget_at(transaction, what, at)
    }

    fn forget_at(&mut self, transaction: &Connection, what: &ForgetScope, at: Sequence) -> rusqlite::Result<()> {
        let view: ConversationView = rows_after(transaction, self.id, Sequence::START)?.into_iter().collect();
        let change = view.forget(what);
        apply(transaction, self.id, &change)?;
        let forgotten = change.delete.iter().filter_map(|deleted| forgotten_page(what, deleted));
        insert_forgotten(transaction, self.id, forgotten, at)?;
        self.head.forgotten = at;
        if what.forgets_everything() {
            self.emptied = at;
            self.head.sent = Usage::default();
        }
        Ok(())
    }

    /// Removes the rows recorded at `at`, and subtracts their usage.
    pub(crate) fn take_back(&mut self, transaction: &Connection, at: Sequence, sent: Usage) -> rusqlite::Result<()> {
        if self.emptied < at {
            self.head.sent.subtract(sent);
        }
        let delete = "DELETE FROM holding WHERE conversation = ?1 AND sequence = ?2";
        transaction.prepare_cached(delete)?.execute([self.id, signed(at.0)])?;
        delete_step(transaction, self.id, at)?;
        self.head.forgotten = self.next();
        Ok(())
    }

    fn next(&mut self) -> Sequence {
        self.head.latest = self.head.latest.next();
        self.head.latest
    }

    /// Writes the row back. Returns the new version.
    pub(crate) fn save(&self, transaction: &Connection, now: SystemTime) -> rusqlite::Result<Version> {
        let update = "UPDATE conversation SET used_at = max(used_at, ?2), latest = ?3, forgotten = ?4, emptied = ?5,
            generation = ?6, blocks = ?7, pages = ?8, bytes = ?9, tokens = ?10 WHERE id = ?1";
        let ConversationHead { latest, forgotten, generation, sent, .. } = self.head;
        let numbers =
            [latest.0, forgotten.0, self.emptied.0, generation, sent.blocks, sent.pages, sent.bytes, sent.tokens];
        let values = [self.id, unix_seconds(now)].into_iter().chain(numbers.map(signed));
        transaction.prepare_cached(update)?.execute(rusqlite::params_from_iter(values))?;
        if let Some(step) = self.step {
            insert_step(transaction, self.id, latest, step, now)?;
        }
        Ok(self.head.version())
    }
}

/// The rows recorded after `since`.
pub(crate) fn rows_after(
    connection: &Connection,
    id: i64,
    since: Sequence,
) -> rusqlite::Result<Vec<(Holding, Sequence)>> {
    let holdings = "SELECT content, file, kind, first, last, form, fingerprint, sequence FROM holding
        WHERE conversation = ?1 AND sequence > ?2";
    let mut statement = connection.prepare_cached(holdings)?;
    let rows = statement.query_map([id, signed(since.0)], rows::holding)?;
    rows.filter_map(Result::transpose).collect()
}

fn apply(transaction: &Connection, id: i64, change: &HoldingChange) -> rusqlite::Result<()> {
    for holding in &change.delete {
        delete_holding(transaction, id, holding)?;
    }
    for (holding, at) in &change.insert {
        upsert_holding(transaction, id, holding, *at)?;
    }
    Ok(())
}

fn upsert_holding(transaction: &Connection, id: i64, holding: &Holding, at: Sequence) -> rusqlite::Result<()> {
    let insert = "INSERT INTO holding VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence";
    let row = HeldItemRow::of(holding.what);
    let (content, file) = (holding.content.0, holding.file.0);
    let values = params![id, content, file, row.kind, row.first, row.last, row.form, row.fingerprint, signed(at.0)];
    transaction.prepare_cached(insert)?.execute(values).map(|_| ())
}

fn insert_names(transaction: &Connection, names: &BTreeMap<FileKey, String>) -> rusqlite::Result<()> {
    // Write a database page only if the name changed.
    let upsert = "INSERT INTO file_name VALUES (?1, ?2)
        ON CONFLICT DO UPDATE SET path = excluded.path WHERE path <> excluded.path";
    let mut statement = transaction.prepare_cached(upsert)?;
    for (file, path) in names {
        statement.execute(params![file.0, path])?;
    }
    Ok(())
}

fn insert_page_counts(transaction: &Connection, page_counts: &BTreeMap<ContentHash, u32>) -> rusqlite::Result<()> {
    let mut statement = transaction.prepare_cached("INSERT OR REPLACE INTO page_count VALUES (?1, ?2)")?;
    for (content, pages) in page_counts {
        statement.execute(params![content.0, pages])?;
    }
    Ok(())
}

/// Deletes a holding by its whole key.
fn delete_holding(transaction: &Connection, id: i64, holding: &Holding) -> rusqlite::Result<()> {
    let delete = "DELETE FROM holding WHERE conversation = ?1 AND content = ?2 AND file = ?3
        AND kind = ?4 AND first = ?5 AND last = ?6 AND form = ?7 AND fingerprint = ?8";
    let row = HeldItemRow::of(holding.what);
    let (content, file) = (holding.content.0, holding.file.0);
    let values = params![id, content, file, row.kind, row.first, row.last, row.form, row.fingerprint];
    transaction.prepare_cached(delete)?.execute(values).map(|_| ())
}

pub(crate) fn copy_conversation(
    transaction: &Connection,
    from: i64,
    to: i64,
    as_of: Option<Sequence>,
) -> rusqlite::Result<()> {
    let as_of = as_of.map_or(i64::MAX, |as_of| signed(as_of.0));
    let holdings = "INSERT INTO holding SELECT ?2, content, file, kind, first, last, form, fingerprint, sequence
        FROM holding WHERE conversation = ?1 AND sequence <= ?3";
    transaction.execute(holdings, [from, to, as_of])?;
    copy_steps(transaction, from, to, as_of)?;
    let rest = "UPDATE conversation SET (emptied, latest, forgotten, generation, owner, blocks, pages, bytes, tokens) =
        (SELECT emptied, latest, forgotten, generation, owner, blocks, pages, bytes, tokens FROM conversation
        WHERE id = ?1) WHERE id = ?2";
    transaction.execute(rest, [from, to]).map(|_| ())
}

pub(crate) fn counts(connection: &Connection) -> rusqlite::Result<(u64, u64)> {
    let query = "SELECT (SELECT count(*) FROM conversation), (SELECT count(*) FROM holding)";
    connection.query_row(query, [], |row| Ok((unsigned(row.get(0)?), unsigned(row.get(1)?))))
}

pub(crate) fn prune(
    transaction: &Connection,
    unused_since: i64,
    max_holdings: u64,
    now: i64,
) -> rusqlite::Result<PruneCounts> {
    let before = counts(transaction)?;
    transaction.execute("UPDATE pruning SET pruned_at = ?1", [now])?;
    transaction.execute("DELETE FROM conversation WHERE used_at < ?1", [unused_since])?;
    // Keeps the most recently used conversations whose rows fit in total.
    let excess = "DELETE FROM conversation WHERE id IN (SELECT id FROM (
        SELECT id, sum((SELECT count(*) FROM holding WHERE conversation = kept.id))
            OVER (ORDER BY used_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS up_to_here
        FROM conversation AS kept) WHERE up_to_here > ?1)";
    transaction.execute(excess, [signed(max_holdings)])?;
    transaction.execute(
        "DELETE FROM file_name WHERE file NOT IN (SELECT file FROM holding UNION SELECT file FROM forgotten_page)",
        [],
    )?;
    transaction.execute("DELETE FROM page_count WHERE content NOT IN (SELECT content FROM holding)", [])?;
    transaction.execute("DELETE FROM file_hash WHERE used_at < ?1", [unused_since])?;
    let after = counts(transaction)?;
    Ok(PruneCounts { conversations: before.0 - after.0, holdings: before.1 - after.1 })
}

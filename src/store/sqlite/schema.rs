//! The tables and their migrations.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::migration::move_rows_into_values;

/// The version of the tables below, kept in `PRAGMA user_version`. Version 8 has the tables of version 7, and values with
/// a form of pages that earlier programs do not know.
pub(crate) const VERSION: i64 = 8;

/// The result of a migration.
pub(crate) enum Migration {
    /// The tables are up to date.
    Current,
    /// A later program wrote the tables, at this version. Nothing was changed.
    Newer(i64),
}

/// Version 1. `holding` and `tombstone` are keyed by conversation; the primary key is the row.
const VERSION_1: &str = "
CREATE TABLE counter (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    sequence INTEGER NOT NULL
) STRICT;
INSERT INTO counter VALUES (0, unixepoch() * 1000000);

CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,
    latest INTEGER NOT NULL DEFAULT 0,
    blocks INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE holding (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    content BLOB NOT NULL,
    file BLOB NOT NULL,
    kind INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    form INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (conversation, content, file, kind, first, last, form, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstone (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    subject BLOB NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (conversation, kind, subject, first, last)
) STRICT, WITHOUT ROWID;

CREATE TABLE file_name (
    file BLOB PRIMARY KEY,
    path TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE file_hash (
    stat BLOB PRIMARY KEY,
    content BLOB NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Version 2: generations and owners of conversations, PDF pages among what was sent, page counts, and the last pruning.
const VERSION_2: &str = "
ALTER TABLE conversation ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversation ADD COLUMN owner BLOB;
ALTER TABLE conversation ADD COLUMN pages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counter ADD COLUMN pruned_at INTEGER;

CREATE TABLE page_count (
    content BLOB PRIMARY KEY,
    pages INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Version 3: each conversation has its own counter, so that deliveries write no shared row. Dropping the table
/// `counter` locks out programs of earlier versions.
const VERSION_3: &str = "
CREATE TABLE floor (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    sequence INTEGER NOT NULL,
    pruned_at INTEGER
) STRICT;
INSERT INTO floor SELECT id, sequence, pruned_at FROM counter;
DROP TABLE counter;

ALTER TABLE conversation ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
UPDATE conversation SET forgotten =
    max(epoch, (SELECT ifnull(max(sequence), 0) FROM tombstone WHERE tombstone.conversation = conversation.id));
";

/// Version 4: `holding` alone says what a conversation holds. Rows covered by tombstones are deleted. If their file was
/// not forgotten itself, it stays followed (kind 5) with the same sequence.
///
/// Kinds of tombstones: 0 file, 1 content, 2 pages of a file, 3 page by fingerprint; any other covers everything.
/// Removed columns and tables lock out programs of earlier versions.
const VERSION_4: &str = "
DELETE FROM holding WHERE sequence <= (SELECT epoch FROM conversation WHERE id = holding.conversation);
DELETE FROM holding WHERE EXISTS (SELECT 1 FROM tombstone AS gone
    WHERE gone.conversation = holding.conversation AND gone.sequence >= holding.sequence
    AND (gone.kind NOT IN (0, 1, 2, 3) OR gone.kind = 0 AND gone.subject = holding.file));

CREATE TEMPORARY TABLE covered AS SELECT held.* FROM holding AS held
    WHERE held.kind <> 5 AND EXISTS (SELECT 1 FROM tombstone AS gone
        WHERE gone.conversation = held.conversation AND gone.sequence >= held.sequence
        AND (gone.kind = 1 AND gone.subject = held.content
            OR gone.kind = 2 AND held.kind = 2 AND gone.subject = held.file
                AND held.first BETWEEN gone.first AND gone.last
            OR gone.kind = 3 AND held.kind = 2 AND gone.subject = held.fingerprint));
DELETE FROM holding WHERE (conversation, content, file, kind, first, last, form, fingerprint) IN
    (SELECT conversation, content, file, kind, first, last, form, fingerprint FROM covered);
INSERT INTO holding SELECT conversation, content, file, 5, 0, 0, 0, x'', max(sequence) FROM covered
    WHERE true GROUP BY conversation, content, file
    ON CONFLICT DO UPDATE SET sequence = max(sequence, excluded.sequence);
DROP TABLE covered;
DROP TABLE tombstone;

ALTER TABLE conversation RENAME COLUMN epoch TO emptied;
ALTER TABLE conversation ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
UPDATE conversation SET begun = max(1, random() & 0x7fffffffffffffff);

CREATE TABLE pruning (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    pruned_at INTEGER
) STRICT;
INSERT INTO pruning SELECT id, pruned_at FROM floor;
DROP TABLE floor;
";

/// Version 5: MCP sessions of older protocol versions.
const VERSION_5: &str = "
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    owner BLOB NOT NULL,
    state BLOB NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Version 6: what happened in a conversation, for display alone.
const VERSION_6: &str = "
CREATE TABLE step (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    PRIMARY KEY (conversation, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE forgotten_page (
    conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    file BLOB NOT NULL,
    page INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (conversation, file, page)
) STRICT, WITHOUT ROWID;
";

/// Version 7: one row for each conversation, which has all of it. The columns beside its head and body are for searches.
const VERSION_7: &str = "
ALTER TABLE conversation RENAME TO conversation_row;
CREATE TABLE conversation (
    name TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    holdings INTEGER NOT NULL,
    head BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;
";

/// Dropped tables and columns lock out programs of earlier versions.
const VERSION_7_END: &str = "
DROP TABLE step;
DROP TABLE forgotten_page;
DROP TABLE holding;
DROP TABLE file_name;
DROP TABLE page_count;
DROP TABLE conversation_row;
";

/// Migrates the tables to [`VERSION`] atomically.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<Migration> {
    // In the common case, no lock is taken.
    if version(connection)? == VERSION {
        return Ok(Migration::Current);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = version(&transaction)?;
    if found > VERSION {
        return Ok(Migration::Newer(found));
    }
    upgrade(&transaction, found)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(Migration::Current)
}

/// Runs the steps in order.
fn upgrade(transaction: &Transaction<'_>, from: i64) -> rusqlite::Result<()> {
    let steps = [VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6];
    let done = usize::try_from(from).unwrap_or(0);
    steps.iter().skip(done).try_for_each(|step| transaction.execute_batch(step))?;
    if from < 7 {
        transaction.execute_batch(VERSION_7)?;
        move_rows_into_values(transaction)?;
        transaction.execute_batch(VERSION_7_END)?;
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

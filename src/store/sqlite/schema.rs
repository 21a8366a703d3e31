//! The tables, and the way from one version of them to the next.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// The version of the tables below, kept in `PRAGMA user_version`.
pub(crate) const VERSION: i64 = 5;

/// What came of bringing the tables up to date.
pub(crate) enum Migration {
    /// They are what this program knows.
    Current,
    /// A later program wrote them, in this version; nothing was touched.
    Newer(i64),
}

/// Version 1. `holding` and `tombstone` are found by conversation; a row is what its primary key says.
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

/// Version 3: each conversation counts for itself and knows when it last forgot, so that a delivery writes to no row that
/// all share. Without the table `counter` a program of an earlier version that has the database open is refused.
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

/// Version 4: what a conversation holds is what stands in `holding`. What tombstones cover is deleted, and where that was
/// given of a file that was not forgotten itself, the file stays followed (kind 5) as of the same sequence.
///
/// Kinds of tombstones: 0 a file, 1 a content, 2 pages of a file, 3 a page by what it shows; what else there may be
/// covers everything. Columns and tables that a program of an earlier version asks for are gone, so that it is refused.
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

/// Version 5: sessions of clients of the older protocol versions.
const VERSION_5: &str = "
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    owner BLOB NOT NULL,
    state BLOB NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Brings the tables to [`VERSION`], whole or not at all.
pub(crate) fn migrate(connection: &mut Connection) -> rusqlite::Result<Migration> {
    // The common case takes no lock.
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

/// One step for each version, in order.
fn upgrade(transaction: &Transaction<'_>, from: i64) -> rusqlite::Result<()> {
    if from < 1 {
        transaction.execute_batch(VERSION_1)?;
    }
    if from < 2 {
        transaction.execute_batch(VERSION_2)?;
    }
    if from < 3 {
        transaction.execute_batch(VERSION_3)?;
    }
    if from < 4 {
        transaction.execute_batch(VERSION_4)?;
    }
    if from < 5 {
        transaction.execute_batch(VERSION_5)?;
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

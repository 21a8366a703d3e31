//! The tables and their migrations.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::migration::move_rows_into_values;

/// The version of the tables below, kept in `PRAGMA user_version`. Versions 8 and 9 have the tables of version 7, and
/// values with items that earlier programs do not know.
pub(crate) const VERSION: i64 = 9;

/// The result of a migration.
pub(crate) enum Migration {
    /// The tables are up to date.
    Current,
    /// A later program wrote the tables, at this version. Nothing was changed.
    Newer(i64),
}

/// A conversation is one row. Its head and body are the whole of it; the other columns serve queries.
const CONVERSATION: &str = "
CREATE TABLE conversation (
    name TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    holdings INTEGER NOT NULL,
    head BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;
";

/// MCP sessions of older protocol versions.
const SESSION: &str = "
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    owner BLOB NOT NULL,
    state BLOB NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
";

/// Hashes of files, and the last pruning.
const OTHER_TABLES: &str = "
CREATE TABLE file_hash (
    stat BLOB PRIMARY KEY,
    content BLOB NOT NULL,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE pruning (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    pruned_at INTEGER
) STRICT;
INSERT INTO pruning VALUES (0, NULL);
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

/// Before version 7, a conversation was rows of several tables.
const VERSION_7: &str = "ALTER TABLE conversation RENAME TO conversation_row";

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

/// Makes the tables, or runs the steps from an earlier version in order.
fn upgrade(transaction: &Transaction<'_>, from: i64) -> rusqlite::Result<()> {
    let Some(done) = usize::try_from(from).ok().and_then(|from| from.checked_sub(1)) else {
        return run(transaction, &[CONVERSATION, SESSION, OTHER_TABLES]);
    };
    let steps = [VERSION_2, VERSION_3, VERSION_4, SESSION, VERSION_6];
    run(transaction, steps.get(done..).unwrap_or_default())?;
    if from < 7 {
        run(transaction, &[VERSION_7, CONVERSATION])?;
        move_rows_into_values(transaction)?;
        run(transaction, &[VERSION_7_END])?;
    }
    Ok(())
}

fn run(transaction: &Transaction<'_>, statements: &[&str]) -> rusqlite::Result<()> {
    statements.iter().try_for_each(|statements| transaction.execute_batch(statements))
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

//! Reads conversations from the tables of schema 6.

use rusqlite::{Connection, Row};

use super::statements::swap;
use crate::change::random_number;
use crate::rows::{ConversationRows, OldRow};
use pagewise_view::{Conversation, Revision};

const HEADS: &str = "SELECT id, begun, latest, forgotten, emptied, generation, owner, blocks, pages, bytes, tokens,
    created_at, used_at, name FROM conversation_row";

type AddRow = fn(&mut ConversationRows, &Row<'_>) -> rusqlite::Result<()>;

const PARTS: [(&str, AddRow); 5] = [
    (
        "SELECT conversation, content, file, kind, first, last, form, fingerprint, sequence FROM holding
        WHERE conversation = ?1",
        |rows, row| rows.add_holding(row),
    ),
    (
        "SELECT conversation, sequence, at, kind, blocks, pages, bytes, tokens FROM step WHERE conversation = ?1
        ORDER BY sequence",
        |rows, row| rows.add_step(row),
    ),
    (
        "SELECT conversation, file, page FROM forgotten_page WHERE conversation = ?1 ORDER BY sequence, file, page",
        |rows, row| rows.add_forgotten(row),
    ),
    (
        "SELECT NULL, file, path FROM file_name WHERE file IN (SELECT file FROM holding WHERE conversation = ?1
        UNION SELECT file FROM forgotten_page WHERE conversation = ?1)",
        |rows, row| rows.add_name(row),
    ),
    (
        "SELECT NULL, content, pages FROM page_count
        WHERE content IN (SELECT content FROM holding WHERE conversation = ?1)",
        |rows, row| rows.add_page_count(row),
    ),
];

impl OldRow for Row<'_> {
    type Error = rusqlite::Error;

    fn number(&self, column: usize) -> rusqlite::Result<i64> {
        self.get(column)
    }

    fn bytes(&self, column: usize) -> rusqlite::Result<Option<Vec<u8>>> {
        self.get(column)
    }

    fn text(&self, column: usize) -> rusqlite::Result<String> {
        self.get(column)
    }
}

/// Moves the rows of each conversation into one value.
pub(super) fn move_rows_into_values(transaction: &Connection) -> rusqlite::Result<()> {
    let mut heads = transaction.prepare(HEADS)?;
    let mut heads = heads.query([])?;
    while let Some(head) = heads.next()? {
        let mut rows = ConversationRows::of(head)?;
        for (query, add) in PARTS {
            let mut query = transaction.prepare_cached(query)?;
            let mut found = query.query([head.number(0)?])?;
            while let Some(row) = found.next()? {
                add(&mut rows, row)?;
            }
        }
        let mut conversation = Conversation::from(rows);
        conversation.revision = Revision { number: random_number(), server: 0 };
        swap(transaction, &head.text(13)?, Revision::default(), &conversation)?;
    }
    Ok(())
}

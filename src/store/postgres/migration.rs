//! Reads conversations from the tables of schema 2.

use std::collections::BTreeMap;

use tokio_postgres::{Error, GenericClient, Row};

use super::operations::signed;
use crate::change::random_number;
use crate::format;
use crate::rows::{ConversationRows, OldRow};
use pagewise_view::Conversation;

/// Conversations that are moved at a time.
const MAX_AT_ONCE: i64 = 200;

const HEADS: &str = "SELECT conversation, begun, latest, forgotten, emptied, generation, owner, blocks, pages, bytes,
    tokens, created_at, used_at, server_start FROM pagewise.conversation_row
    WHERE conversation > $1 ORDER BY conversation LIMIT $2";

type AddRow = fn(&mut ConversationRows, &Row) -> Result<(), Error>;

const PARTS: [(&str, AddRow); 5] = [
    (
        "SELECT h.conversation, content, file, kind::bigint, first, last, form::bigint,
                fingerprint, sequence
        FROM pagewise.holding h JOIN pagewise.conversation_row USING (conversation, begun) WHERE h.conversation = ANY ($1)",
        |rows, row| rows.add_holding(row),
    ),
    (
        "SELECT s.conversation, sequence, at, kind::bigint, s.blocks, s.pages, s.bytes, s.tokens
        FROM pagewise.step s JOIN pagewise.conversation_row USING (conversation, begun) WHERE s.conversation = ANY ($1)
        ORDER BY sequence",
        |rows, row| rows.add_step(row),
    ),
    (
        "SELECT f.conversation, file, page FROM pagewise.forgotten_page f
        JOIN pagewise.conversation_row USING (conversation, begun) WHERE f.conversation = ANY ($1)
        ORDER BY sequence, file, page",
        |rows, row| rows.add_forgotten(row),
    ),
    (
        "SELECT conversation, file, path FROM pagewise.file_name WHERE conversation = ANY ($1)",
        |rows, row| rows.add_name(row),
    ),
    (
        "SELECT conversation, content, pages FROM pagewise.page_count WHERE conversation = ANY ($1)",
        |rows, row| rows.add_page_count(row),
    ),
];

const INSERT: &str =
    "INSERT INTO pagewise.conversation (conversation, revision, server_start, used_at, holdings, head, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

impl OldRow for Row {
    type Error = Error;

    fn number(&self, column: usize) -> Result<i64, Error> {
        self.try_get(column)
    }

    fn bytes(&self, column: usize) -> Result<Option<Vec<u8>>, Error> {
        self.try_get(column)
    }

    fn text(&self, column: usize) -> Result<String, Error> {
        self.try_get(column)
    }
}

/// Moves the rows of each conversation into one value.
pub(super) async fn move_rows_into_values(transaction: &impl GenericClient) -> Result<(), Error> {
    let mut last = String::new();
    loop {
        let heads = transaction.query(HEADS, &[&last, &MAX_AT_ONCE]).await?;
        let mut conversations = BTreeMap::new();
        for row in &heads {
            conversations.insert(row.text(0)?, (ConversationRows::of(row)?, row.number(13)?));
        }
        let Some(name) = conversations.last_key_value().map(|(name, _)| name.clone()) else { return Ok(()) };
        last = name;
        let names: Vec<String> = conversations.keys().cloned().collect();
        for (query, add) in PARTS {
            for row in transaction.query(query, &[&names]).await? {
                if let Some((rows, _)) = conversations.get_mut(&row.text(0)?) {
                    add(rows, &row)?;
                }
            }
        }
        for (name, (rows, server_start)) in conversations {
            insert(transaction, &name, &rows.into(), server_start).await?;
        }
    }
}

async fn insert(
    transaction: &impl GenericClient,
    name: &str,
    conversation: &Conversation,
    server_start: i64,
) -> Result<(), Error> {
    let (revision, used) = (signed(random_number()), signed(conversation.head.used.0));
    let holdings = signed(conversation.view.len() as u64);
    let (head, body) = (format::head_bytes(&conversation.head), format::body_bytes(conversation));
    transaction.execute(INSERT, &[&name, &revision, &server_start, &used, &holdings, &head, &body]).await.map(|_| ())
}

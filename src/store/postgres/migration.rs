//! Reads conversations from the tables of schema 2.

use std::collections::BTreeMap;

use tokio_postgres::types::FromSqlOwned;
use tokio_postgres::{Error, GenericClient, Row};

use super::operations::{count, signed};
use crate::change::random_number;
use crate::format;
use crate::rows::{ConversationRows, HeldItemRow, step_kind};
use pagewise_base::hash::ContentHash;
use pagewise_base::page::PageIndex;
use pagewise_view::{
    Conversation, ConversationHead, FileKey, HistoryStep, Holding, Moment, Principal, Sequence, Usage,
};

/// Conversations that are moved at a time.
const MAX_AT_ONCE: i64 = 200;

const HEADS: &str = "SELECT conversation, begun, latest, forgotten, emptied, generation, owner, blocks, pages, bytes,
    tokens, created_at, used_at, server_start FROM pagewise.conversation_row
    WHERE conversation > $1 ORDER BY conversation LIMIT $2";

const HOLDINGS: &str = "SELECT h.conversation, content, file, kind, first, last, form, fingerprint, sequence
    FROM pagewise.holding h JOIN pagewise.conversation_row USING (conversation, begun) WHERE h.conversation = ANY ($1)";

const STEPS: &str = "SELECT s.conversation, sequence, at, kind, s.blocks, s.pages, s.bytes, s.tokens
    FROM pagewise.step s JOIN pagewise.conversation_row USING (conversation, begun) WHERE s.conversation = ANY ($1)
    ORDER BY sequence";

const FORGOTTEN: &str = "SELECT f.conversation, file, page FROM pagewise.forgotten_page f
    JOIN pagewise.conversation_row USING (conversation, begun) WHERE f.conversation = ANY ($1)
    ORDER BY sequence, file, page";

const NAMES: &str = "SELECT conversation, file, path FROM pagewise.file_name WHERE conversation = ANY ($1)";

const COUNTS: &str = "SELECT conversation, content, pages FROM pagewise.page_count WHERE conversation = ANY ($1)";

const INSERT: &str =
    "INSERT INTO pagewise.conversation (conversation, revision, server_start, used_at, holdings, head, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Moves the rows of each conversation into one value.
pub(super) async fn move_rows_into_values(transaction: &impl GenericClient) -> Result<(), Error> {
    let mut last = String::new();
    loop {
        let heads = transaction.query(HEADS, &[&last, &MAX_AT_ONCE]).await?;
        let mut conversations = BTreeMap::new();
        for row in &heads {
            let rows = ConversationRows { head: head(row)?, ..ConversationRows::default() };
            let server_start: i64 = row.try_get(13)?;
            conversations.insert(row.try_get::<_, String>(0)?, (rows, server_start));
        }
        let Some(name) = conversations.last_key_value().map(|(name, _)| name.clone()) else { return Ok(()) };
        last = name;
        add_rows(transaction, &mut conversations).await?;
        for (name, (rows, server_start)) in conversations {
            insert(transaction, &name, &rows.into(), server_start).await?;
        }
    }
}

type Conversations = BTreeMap<String, (ConversationRows, i64)>;

async fn add_rows(transaction: &impl GenericClient, conversations: &mut Conversations) -> Result<(), Error> {
    let names: Vec<String> = conversations.keys().cloned().collect();
    for row in transaction.query(HOLDINGS, &[&names]).await? {
        let held = holding(&row)?;
        rows_of(conversations, &row)?.into_iter().for_each(|rows| rows.holdings.extend(held));
    }
    for row in transaction.query(STEPS, &[&names]).await? {
        let step = step(&row)?;
        rows_of(conversations, &row)?.into_iter().for_each(|rows| rows.steps.extend(step));
    }
    for row in transaction.query(FORGOTTEN, &[&names]).await? {
        let page = hash(&row, 1)?.map(FileKey).zip(narrow::<i64, u32>(&row, 2)?.map(PageIndex));
        rows_of(conversations, &row)?.into_iter().for_each(|rows| rows.forgotten.extend(page));
    }
    for row in transaction.query(NAMES, &[&names]).await? {
        let name = hash(&row, 1)?.map(FileKey).zip(Some(row.try_get(2)?));
        rows_of(conversations, &row)?.into_iter().for_each(|rows| rows.names.extend(name.clone()));
    }
    for row in transaction.query(COUNTS, &[&names]).await? {
        let pages = hash(&row, 1)?.map(ContentHash).zip(narrow::<i64, u32>(&row, 2)?);
        rows_of(conversations, &row)?.into_iter().for_each(|rows| rows.page_counts.extend(pages));
    }
    Ok(())
}

/// The conversation of a row, whose name is in the first column.
fn rows_of<'a>(conversations: &'a mut Conversations, row: &Row) -> Result<Option<&'a mut ConversationRows>, Error> {
    Ok(conversations.get_mut(row.try_get::<_, &str>(0)?).map(|(rows, _)| rows))
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

fn head(row: &Row) -> Result<ConversationHead, Error> {
    Ok(ConversationHead {
        begun: count(row, 1)?,
        latest: Sequence(count(row, 2)?),
        forgotten: Sequence(count(row, 3)?),
        emptied: Sequence(count(row, 4)?),
        generation: count(row, 5)?,
        owner: hash(row, 6)?.map(Principal),
        sent: usage(row, 7)?,
        created: Moment(count(row, 11)?),
        used: Moment(count(row, 12)?),
        ..ConversationHead::default()
    })
}

/// Usage in the four columns from `first`.
fn usage(row: &Row, first: usize) -> Result<Usage, Error> {
    let count = |column: usize| count(row, first.saturating_add(column));
    Ok(Usage { blocks: count(0)?, pages: count(1)?, bytes: count(2)?, tokens: count(3)? })
}

fn holding(row: &Row) -> Result<Option<(Holding, Sequence)>, Error> {
    let (content, file) = (hash(row, 1)?.map(ContentHash), hash(row, 2)?.map(FileKey));
    let (kind, form) = (narrow::<i16, u8>(row, 3)?, narrow::<i16, u8>(row, 6)?);
    let (first, last) = (narrow::<i64, u32>(row, 4)?, narrow::<i64, u32>(row, 5)?);
    let (fingerprint, at) = (row.try_get(7)?, Sequence(count(row, 8)?));
    let (Some(content), Some(file), Some(kind), Some(form), Some(first), Some(last)) =
        (content, file, kind, form, first, last)
    else {
        return Ok(None);
    };
    let held = HeldItemRow { kind, first, last, form, fingerprint }.held();
    Ok(held.map(|what| (Holding { content, file, what }, at)))
}

fn step(row: &Row) -> Result<Option<HistoryStep>, Error> {
    let (at, moment) = (Sequence(count(row, 1)?), Moment(count(row, 2)?));
    let kind = narrow::<i16, u8>(row, 3)?.and_then(step_kind);
    let sent = usage(row, 4)?;
    Ok(kind.map(|kind| HistoryStep { at, moment, kind, sent }))
}

/// 32 bytes, or `None` for any other length.
fn hash(row: &Row, column: usize) -> Result<Option<[u8; 32]>, Error> {
    let bytes: Option<Vec<u8>> = row.try_get(column)?;
    Ok(bytes.and_then(|bytes| bytes.try_into().ok()))
}

/// A number of a narrower type; `None` if it does not fit.
fn narrow<W: FromSqlOwned, N: TryFrom<W>>(row: &Row, column: usize) -> Result<Option<N>, Error> {
    row.try_get::<_, W>(column).map(|wide| N::try_from(wide).ok())
}

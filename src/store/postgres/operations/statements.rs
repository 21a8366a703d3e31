//! SQL statements. Each is self-contained: its decisions rest on rows that it locks.
//!
//! An UPDATE that had to wait re-evaluates its WHERE clause on the latest row, so conditions and counters hold at
//! commit ("Read Committed Isolation Level", 13.2.1).

use std::sync::LazyLock;

use super::history::{self, STEP_COLUMNS, add_step};

/// The columns that [`head`](super::rows::head) reads.
const HEAD_COLUMNS: &str = "begun, latest, forgotten, generation, owner, blocks, pages, bytes, tokens";

/// The columns that [`holding`](super::rows::holding) reads.
const ROW_COLUMNS: &str = "content, file, kind, first, last, form, fingerprint, sequence";

/// The key of a row within its conversation.
const ROW_KEY: &str = "content, file, kind, first, last, form, fingerprint";

/// When the server was started. Commits made on an earlier server, or before a crash, may be lost.
const SERVER_START: &str = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";

/// Recent call ids per conversation, so that a repeated call has no effect.
const MAX_RECENT: usize = 16;

/// The next sequence of `c`. After a server restart it skips the numbers that may have been lost, so that no number
/// stands for two states.
fn next_sequence() -> String {
    format!("c.latest + CASE WHEN c.server_start = {SERVER_START} THEN 1 ELSE 1048576 END")
}

/// Adds `change` to a count of `c`, within the range of the column.
fn add_to_column(column: &str, change: &str) -> String {
    format!("{column} = greatest(0, least(9223372036854775807, c.{column}::numeric + {change}))::bigint")
}

/// Remembers the call `call` of `c` with the sequence `sequence`.
fn remember_call(call: &str, sequence: &str) -> String {
    format!(
        "recent_calls = ({call}::bigint || c.recent_calls)[1:{MAX_RECENT}],
        recent_sequences = ({sequence} || c.recent_sequences)[1:{MAX_RECENT}]"
    )
}

/// Rows as seven arrays, starting with the parameter `$first`.
fn rows(first: usize) -> String {
    let types = ["bytea", "bytea", "smallint", "bigint", "bigint", "smallint", "bytea"];
    let arrays = types.iter().zip(first..).map(|(kind, at)| format!("${at}::{kind}[]")).collect::<Vec<_>>();
    format!("unnest({}) AS r ({ROW_KEY})", arrays.join(", "))
}

/// `$1` is the conversation.
pub(in crate::postgres) static HEAD: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {HEAD_COLUMNS} FROM pagewise.conversation WHERE conversation = $1"));

/// The head, the kind of row update (0 none, 1 later rows, 2 all rows) and the rows, in one snapshot. `$2` and `$3` are
/// the version of the cached copy.
pub(in crate::postgres) static READ: LazyLock<String> = LazyLock::new(|| {
    // The ORDER BY makes the planner use the index by sequence, even if the tables were nearly empty when the plan was
    // made.
    format!(
        "WITH head AS MATERIALIZED (
            SELECT c.*, CASE
                WHEN c.begun = $2::bigint AND c.latest = $3::bigint THEN 0
                WHEN c.begun = $2::bigint AND c.forgotten <= $3::bigint AND c.latest > $3::bigint THEN 1
                ELSE 2 END AS telling
            FROM pagewise.conversation c WHERE c.conversation = $1)
        SELECT {HEAD_COLUMNS}, telling, NULL::bytea AS content, NULL::bytea AS file, NULL::smallint AS kind,
            NULL::bigint AS first, NULL::bigint AS last, NULL::smallint AS form, NULL::bytea AS fingerprint,
            NULL::bigint AS sequence FROM head
        UNION ALL
        SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, {ROW_COLUMNS}
        FROM head CROSS JOIN LATERAL (
            SELECT {ROW_COLUMNS} FROM pagewise.holding h
            WHERE h.conversation = $1 AND h.begun = head.begun
                AND h.sequence > CASE head.telling WHEN 1 THEN $3::bigint ELSE -1 END
            ORDER BY h.sequence) AS h
        WHERE head.telling > 0"
    )
});

/// All rows of a conversation.
pub(in crate::postgres) static ROWS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {ROW_COLUMNS} FROM pagewise.holding h
        WHERE h.conversation = $1
            AND h.begun = (SELECT c.begun FROM pagewise.conversation c WHERE c.conversation = $1)"
    )
});

/// Locks a conversation against writers until the transaction ends.
pub(in crate::postgres) const LOCK: &str = "SELECT 1 FROM pagewise.conversation WHERE conversation = $1 FOR UPDATE";

/// Creates a conversation with `begun` `$2` at `$3` for the owner `$4`, unless it exists. Returns its `begun`; no row
/// if another call creates it at the same moment.
pub(in crate::postgres) static CREATE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH made AS (
            INSERT INTO pagewise.conversation (conversation, begun, created_at, used_at, owner, server_start)
            VALUES ($1, $2::bigint, $3::bigint, $3::bigint, $4::bytea, {SERVER_START})
            ON CONFLICT DO NOTHING RETURNING begun)
        SELECT begun FROM made UNION ALL SELECT begun FROM pagewise.conversation WHERE conversation = $1 LIMIT 1"
    )
});

/// Records a delivery without forgets. Returns the version and whether it was recorded. No row if the conversation is
/// not the planned one, everything was forgotten since, or the call is a repetition.
///
/// `$2` is the call id, `$3` the time, `$4` and `$5` the planned version, `$6` the `begun` of a new conversation, `$7`
/// to `$10` the usage, `$11` to `$17` rows, `$18` and `$19` names, `$20` and `$21` page counts.
pub(in crate::postgres) static RECORD: LazyLock<String> = LazyLock::new(|| {
    let next = next_sequence();
    let is_recorded = "c.forgotten <= $5::bigint";
    let set = [
        format!("latest = CASE WHEN {is_recorded} THEN {next} ELSE c.latest END"),
        format!("server_start = CASE WHEN {is_recorded} THEN {SERVER_START} ELSE c.server_start END"),
        "used_at = greatest(c.used_at, $3::bigint)".to_owned(),
        add_to_column("blocks", "$7::bigint"),
        add_to_column("pages", "$8::bigint"),
        add_to_column("bytes", "$9::bigint"),
        add_to_column("tokens", "$10::bigint"),
        remember_call("$2", &format!("CASE WHEN {is_recorded} THEN {next} ELSE 0 END")),
    ]
    .join(", ");
    let condition = "c.emptied <= $5::bigint AND NOT $2::bigint = ANY (c.recent_calls)";
    let given = format!("RETURNING c.begun, c.latest, {is_recorded} AS is_recorded");
    let rows = rows(11);
    format!(
        "WITH known AS (
            UPDATE pagewise.conversation c SET {set}
            WHERE c.conversation = $1 AND c.begun = $4::bigint AND {condition} {given}),
        unknown AS (
            INSERT INTO pagewise.conversation AS c (conversation, begun, latest, created_at, used_at, server_start,
                blocks, pages, bytes, tokens, recent_calls, recent_sequences)
            SELECT $1, $6::bigint, 1, $3::bigint, $3::bigint, {SERVER_START},
                $7::bigint, $8::bigint, $9::bigint, $10::bigint, ARRAY[$2::bigint], ARRAY[1::bigint]
            WHERE $4::bigint = 0
            ON CONFLICT (conversation) DO UPDATE SET {set} WHERE {condition} {given}),
        head AS MATERIALIZED (SELECT * FROM known UNION ALL SELECT * FROM unknown),
        held AS (
            INSERT INTO pagewise.holding (conversation, begun, {ROW_KEY}, sequence)
            SELECT $1, head.begun, r.*, head.latest FROM head, {rows} WHERE head.is_recorded
            ON CONFLICT (conversation, begun, {ROW_KEY}) DO UPDATE SET sequence = EXCLUDED.sequence),
        named AS (
            INSERT INTO pagewise.file_name AS n (conversation, file, path)
            SELECT $1, r.* FROM head, unnest($18::bytea[], $19::text[]) AS r WHERE head.is_recorded
            ON CONFLICT (conversation, file) DO UPDATE SET path = EXCLUDED.path WHERE n.path <> EXCLUDED.path),
        counted AS (
            INSERT INTO pagewise.page_count AS n (conversation, content, pages)
            SELECT $1, r.* FROM head, unnest($20::bytea[], $21::bigint[]) AS r WHERE head.is_recorded
            ON CONFLICT (conversation, content) DO UPDATE SET pages = EXCLUDED.pages WHERE n.pages <> EXCLUDED.pages),
        {}
        SELECT begun, latest, is_recorded FROM head",
        add_step("WHERE head.is_recorded", "$3", "0", ["$7", "$8", "$9", "$10"]),
    )
});

/// The version that call `$2` recorded, or sequence 0 if it was refused. No row if it was not run.
pub(in crate::postgres) const RECALL: &str =
    "SELECT begun, recent_sequences[array_position(recent_calls, $2::bigint)] AS sequence
    FROM pagewise.conversation WHERE conversation = $1 AND $2::bigint = ANY (recent_calls)";

/// Begins a forget at `$2` under a new sequence; of everything if `$3`. Enters the generation `$4` unless it is 0 or
/// was entered before. Returns the version.
pub(in crate::postgres) static FORGET: LazyLock<String> = LazyLock::new(|| {
    let next = next_sequence();
    let kept = |column: &str| format!("{column} = CASE WHEN $3::boolean THEN 0 ELSE c.{column} END");
    format!(
        "WITH head AS MATERIALIZED (
            UPDATE pagewise.conversation c SET latest = {next}, forgotten = {next}, server_start = {SERVER_START},
                emptied = CASE WHEN $3::boolean THEN {next} ELSE c.emptied END,
                used_at = greatest(c.used_at, $2::bigint), generation = greatest(c.generation, $4::bigint),
                {}, {}, {}, {}
            WHERE c.conversation = $1 AND ($4::bigint = 0 OR c.generation < $4::bigint) RETURNING c.begun, c.latest),
        {}
        SELECT begun, latest FROM head",
        kept("blocks"),
        kept("pages"),
        kept("bytes"),
        kept("tokens"),
        add_step("", "$2", "CASE WHEN $3::boolean THEN 2 ELSE 1 END", ["0"; 4]),
    )
});

/// Marks the last recording as a forget too; of everything if `$2`.
pub(in crate::postgres) const FORGOTTEN: &str = "UPDATE pagewise.conversation SET forgotten = latest,
        emptied = CASE WHEN $2::boolean THEN latest ELSE emptied END,
        blocks = CASE WHEN $2::boolean THEN 0 ELSE blocks END, pages = CASE WHEN $2::boolean THEN 0 ELSE pages END,
        bytes = CASE WHEN $2::boolean THEN 0 ELSE bytes END, tokens = CASE WHEN $2::boolean THEN 0 ELSE tokens END
    WHERE conversation = $1";

/// Deletes the rows `$3` to `$9` of the conversation with `begun` `$2`.
pub(in crate::postgres) static DELETE_ROWS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "DELETE FROM pagewise.holding h USING {}
        WHERE h.conversation = $1 AND h.begun = $2::bigint AND (h.content, h.file, h.kind, h.first, h.last, h.form,
            h.fingerprint) = (r.content, r.file, r.kind, r.first, r.last, r.form, r.fingerprint)",
        rows(3)
    )
});

/// Inserts the rows `$3` to `$9` with the sequences `$10`, or raises existing ones.
pub(in crate::postgres) static INSERT_ROWS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO pagewise.holding AS h (conversation, begun, {ROW_COLUMNS})
        SELECT $1, $2::bigint, r.* FROM unnest($3::bytea[], $4::bytea[], $5::smallint[], $6::bigint[], $7::bigint[],
            $8::smallint[], $9::bytea[], $10::bigint[]) AS r
        ON CONFLICT (conversation, begun, {ROW_KEY})
        DO UPDATE SET sequence = greatest(h.sequence, EXCLUDED.sequence)"
    )
});

/// Takes back the delivery recorded as version `$4`, `$5` with the usage `$6` to `$9`. `$2` is the call id, `$3` the
/// time.
pub(in crate::postgres) static TAKE_BACK: LazyLock<String> = LazyLock::new(|| {
    let next = next_sequence();
    let less = |column: &str, at: usize| {
        add_to_column(column, &format!("CASE WHEN c.emptied < $5::bigint THEN -(${at}::bigint) ELSE 0 END"))
    };
    format!(
        "WITH head AS MATERIALIZED (
            UPDATE pagewise.conversation c SET latest = {next}, forgotten = {next}, server_start = {SERVER_START},
                used_at = greatest(c.used_at, $3::bigint), {}, {}, {}, {}, {}
            WHERE c.conversation = $1 AND c.begun = $4::bigint AND NOT $2::bigint = ANY (c.recent_calls)
            RETURNING c.begun),
        unstepped AS (
            DELETE FROM pagewise.step s USING head
            WHERE s.conversation = $1 AND s.begun = head.begun AND s.sequence = $5::bigint)
        DELETE FROM pagewise.holding h USING head
        WHERE h.conversation = $1 AND h.begun = head.begun AND h.sequence = $5::bigint",
        less("blocks", 6),
        less("pages", 7),
        less("bytes", 8),
        less("tokens", 9),
        remember_call("$2", &next),
    )
});

/// Copies `$1` to `$2`, with `begun` `$3` at `$4` and the rows up to `$5`. Returns whether `$1` exists, and the `begun`
/// of `$2`.
pub(in crate::postgres) static FORK: LazyLock<String> = LazyLock::new(|| {
    format!(
        "WITH source AS MATERIALIZED (SELECT * FROM pagewise.conversation WHERE conversation = $1),
        made AS MATERIALIZED (
            INSERT INTO pagewise.conversation (conversation, {HEAD_COLUMNS}, emptied, created_at, used_at, server_start)
            SELECT $2, $3::bigint, latest, forgotten, generation, owner, blocks, pages, bytes, tokens, emptied,
                $4::bigint, $4::bigint, server_start FROM source ON CONFLICT DO NOTHING RETURNING begun),
        held AS (
            INSERT INTO pagewise.holding (conversation, begun, {ROW_COLUMNS})
            SELECT $2, made.begun, {ROW_COLUMNS} FROM made, source JOIN pagewise.holding h
                ON h.conversation = $1 AND h.begun = source.begun
            WHERE h.sequence <= $5::bigint),
        stepped AS (
            INSERT INTO pagewise.step (conversation, begun, {STEP_COLUMNS})
            SELECT $2, made.begun, s.* FROM made, source, LATERAL (SELECT {STEP_COLUMNS} FROM pagewise.step s
                WHERE s.conversation = $1 AND s.begun = source.begun AND s.sequence <= $5::bigint) AS s),
        named AS (
            INSERT INTO pagewise.file_name (conversation, file, path)
            SELECT $2, n.file, n.path FROM made, pagewise.file_name n WHERE n.conversation = $1 ON CONFLICT DO NOTHING),
        counted AS (
            INSERT INTO pagewise.page_count (conversation, content, pages)
            SELECT $2, n.content, n.pages FROM made, pagewise.page_count n WHERE n.conversation = $1
            ON CONFLICT DO NOTHING)
        SELECT EXISTS (SELECT FROM source), coalesce((SELECT begun FROM made),
            (SELECT begun FROM pagewise.conversation WHERE conversation = $2))"
    )
});

fn describe(rest: &str) -> String {
    format!(
        "SELECT {HEAD_COLUMNS}, conversation, created_at, used_at, (SELECT count(*) FROM pagewise.holding h
            WHERE h.conversation = c.conversation AND h.begun = c.begun)
        FROM pagewise.conversation c {rest}"
    )
}

/// The record of one conversation.
pub(in crate::postgres) static DESCRIBE: LazyLock<String> = LazyLock::new(|| describe("WHERE c.conversation = $1"));

/// The records of all conversations, most recently used first.
pub(in crate::postgres) static CONVERSATIONS: LazyLock<String> =
    LazyLock::new(|| describe("ORDER BY c.used_at DESC, c.conversation"));

/// One path for each file of `$1`.
pub(in crate::postgres) const FILE_NAMES: &str = "SELECT f.file, n.path FROM unnest($1::bytea[]) AS f (file),
    LATERAL (SELECT path FROM pagewise.file_name WHERE file_name.file = f.file LIMIT 1) AS n";

/// The page count of each content of `$1`.
pub(in crate::postgres) const PAGE_COUNTS: &str = "SELECT f.content, n.pages FROM unnest($1::bytea[]) AS f (content),
    LATERAL (SELECT pages FROM pagewise.page_count WHERE page_count.content = f.content LIMIT 1) AS n";

pub(in crate::postgres) const LAST_PRUNED: &str = "SELECT pruned_at FROM pagewise.pruning WHERE id = 0";

/// Records a pruning. Only one replica prunes at a time.
pub(in crate::postgres) const PRUNED: &str = "INSERT INTO pagewise.pruning (id, pruned_at) VALUES (0, $1)
    ON CONFLICT (id) DO UPDATE SET pruned_at = EXCLUDED.pruned_at";

/// Locks the conversations last used before `$1`, except those being written to.
pub(in crate::postgres) const LOCK_UNUSED: &str =
    "SELECT conversation FROM pagewise.conversation WHERE used_at < $1::bigint FOR UPDATE SKIP LOCKED";

/// Locks the least recently used conversations that exceed `$1` rows in total, except those being written to.
pub(in crate::postgres) const LOCK_EXCESS: &str = "SELECT c.conversation FROM pagewise.conversation c JOIN (
        SELECT conversation, used_at, sum(rows) OVER (ORDER BY used_at DESC, conversation DESC) AS up_to_here
        FROM (SELECT k.conversation, k.used_at, (SELECT count(*) FROM pagewise.holding h
            WHERE h.conversation = k.conversation AND h.begun = k.begun) AS rows FROM pagewise.conversation k) AS k
    ) AS k ON k.conversation = c.conversation AND k.used_at = c.used_at
    WHERE k.up_to_here > $1::bigint FOR UPDATE OF c SKIP LOCKED";

/// Drops the conversations `$1`, which are locked. Returns how many rows they had.
pub(in crate::postgres) const DROP: &str =
    "WITH held AS (DELETE FROM pagewise.holding WHERE conversation = ANY ($1) RETURNING 1),
    named AS (DELETE FROM pagewise.file_name WHERE conversation = ANY ($1)),
    counted AS (DELETE FROM pagewise.page_count WHERE conversation = ANY ($1)),
    stepped AS (DELETE FROM pagewise.step WHERE conversation = ANY ($1)),
    forgotten AS (DELETE FROM pagewise.forgotten_page WHERE conversation = ANY ($1)),
    gone AS (DELETE FROM pagewise.conversation WHERE conversation = ANY ($1))
    SELECT count(*) FROM held";

/// Drops file names whose conversation neither holds the file nor has forgotten pages of it.
pub(in crate::postgres) const DROP_NAMES: &str =
    "DELETE FROM pagewise.file_name n WHERE NOT EXISTS (SELECT FROM pagewise.holding h
    WHERE h.conversation = n.conversation AND h.file = n.file) AND NOT EXISTS (SELECT FROM pagewise.forgotten_page f
    WHERE f.conversation = n.conversation AND f.file = n.file)";

/// Drops page counts whose conversation does not hold the content.
pub(in crate::postgres) const DROP_PAGE_COUNTS: &str = "DELETE FROM pagewise.page_count n WHERE NOT EXISTS (SELECT FROM
    pagewise.holding h WHERE h.conversation = n.conversation AND h.content = n.content)";

pub(in crate::postgres) const COUNTS: &str =
    "SELECT (SELECT count(*) FROM pagewise.conversation), (SELECT count(*) FROM pagewise.holding)";

/// Saves session `$1` of owner `$2` with state `$3`, used at `$4`.
pub(in crate::postgres) const PUT_SESSION: &str =
    "INSERT INTO pagewise.session (id, owner, state, used_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (id) DO UPDATE SET owner = EXCLUDED.owner, state = EXCLUDED.state, used_at = EXCLUDED.used_at";

pub(in crate::postgres) const GET_SESSION: &str = "SELECT owner, state, used_at FROM pagewise.session WHERE id = $1";

pub(in crate::postgres) const TOUCH_SESSION: &str =
    "UPDATE pagewise.session SET used_at = greatest(used_at, $2::bigint) WHERE id = $1 RETURNING id";

pub(in crate::postgres) const REMOVE_SESSION: &str = "DELETE FROM pagewise.session WHERE id = $1 RETURNING id";

pub(in crate::postgres) const EXPIRE_SESSIONS: &str = "DELETE FROM pagewise.session WHERE used_at < $1";

/// All statements. They are prepared up front to check them against the tables.
pub(in crate::postgres) fn all() -> [&'static str; 34] {
    [
        &HEAD,
        &READ,
        &ROWS,
        LOCK,
        &CREATE,
        &RECORD,
        RECALL,
        &FORGET,
        FORGOTTEN,
        &DELETE_ROWS,
        &INSERT_ROWS,
        &TAKE_BACK,
        &FORK,
        &DESCRIBE,
        &CONVERSATIONS,
        FILE_NAMES,
        PAGE_COUNTS,
        LAST_PRUNED,
        PRUNED,
        LOCK_UNUSED,
        LOCK_EXCESS,
        DROP,
        DROP_NAMES,
        DROP_PAGE_COUNTS,
        COUNTS,
        PUT_SESSION,
        GET_SESSION,
        TOUCH_SESSION,
        REMOVE_SESSION,
        EXPIRE_SESSIONS,
        &history::STEPS,
        &history::FORGOTTEN_PAGES,
        history::ADD_FORGOTTEN,
        &history::DROP_FORGOTTEN,
    ]
}

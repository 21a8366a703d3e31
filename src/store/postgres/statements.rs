//! SQL statements. Each is self-contained: what it compares rests on rows that it locks.
//!
//! An UPDATE that had to wait re-evaluates its WHERE clause on the latest row, so conditions hold at commit ("Read
//! Committed Isolation Level", 13.2.1).

use std::sync::LazyLock;

/// When the server was started. Commits made on an earlier server, or before a crash, may be lost.
const SERVER_START: &str = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";

/// Latest revisions that are remembered of a conversation, so that a repeated call has no effect.
const MAX_RECENT: usize = 16;

/// The server's start, and of the conversation `$1` its revision, whether it was written since that start, its head and its
/// body; without the last two if the known revision `$2` of the server `$3` is current.
pub(super) static LOAD: LazyLock<String> = LazyLock::new(|| {
    let unless_known = |column: &str| {
        format!(
            "CASE WHEN c.revision = $2::bigint AND c.server_start = $3::bigint AND $3::bigint = {SERVER_START}
            THEN NULL ELSE c.{column} END"
        )
    };
    format!(
        "SELECT {SERVER_START}, c.revision, c.server_start = {SERVER_START}, {}, {}
        FROM (SELECT 1) AS one LEFT JOIN pagewise.conversation c ON c.conversation = $1",
        unless_known("head"),
        unless_known("body")
    )
});

/// Replaces the value of `$1`, if its revision is `$2` and the server is still `$3`: by the revision `$4`, last use `$5`,
/// number of holdings `$6`, head `$7` and body `$8`.
pub(super) static SWAP: LazyLock<String> = LazyLock::new(|| {
    format!(
        "UPDATE pagewise.conversation SET revision = $4::bigint, recent = ($4::bigint || recent)[1:{MAX_RECENT}],
            server_start = $3::bigint, used_at = $5::bigint, holdings = $6::bigint, head = $7::bytea, body = $8::bytea
        WHERE conversation = $1 AND revision = $2::bigint AND $3::bigint = {SERVER_START}"
    )
});

/// Adds a conversation, with the parameters of [`SWAP`], unless it exists.
pub(super) static INSERT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO pagewise.conversation (conversation, revision, recent, server_start, used_at, holdings, head, body)
        SELECT $1, $4::bigint, ARRAY[$4::bigint], $3::bigint, $5::bigint, $6::bigint, $7::bytea, $8::bytea
        WHERE $2::bigint = 0 AND $3::bigint = {SERVER_START} ON CONFLICT DO NOTHING"
    )
});

/// Whether the conversation `$1` had the revision `$2` a short time ago.
pub(super) const HAD_REVISION: &str =
    "SELECT 1 FROM pagewise.conversation WHERE conversation = $1 AND $2::bigint = ANY (recent)";

/// All conversations, most recently used first.
pub(super) const LIST: &str =
    "SELECT conversation, holdings, head FROM pagewise.conversation ORDER BY used_at DESC, conversation";

pub(super) const COUNTS: &str = "SELECT count(*), coalesce(sum(holdings), 0)::bigint FROM pagewise.conversation";

pub(super) const LAST_PRUNED: &str = "SELECT pruned_at FROM pagewise.pruning WHERE id = 0";

/// Records a pruning. Only one replica prunes at a time.
pub(super) const PRUNED: &str = "INSERT INTO pagewise.pruning (id, pruned_at) VALUES (0, $1)
    ON CONFLICT (id) DO UPDATE SET pruned_at = EXCLUDED.pruned_at";

/// Drops the conversations last used before `$1`, except those being written to. Returns how many, and their holdings.
pub(super) const DROP_UNUSED: &str = "WITH locked AS MATERIALIZED (
        SELECT conversation FROM pagewise.conversation WHERE used_at < $1::bigint FOR UPDATE SKIP LOCKED),
    gone AS (DELETE FROM pagewise.conversation WHERE conversation IN (SELECT conversation FROM locked) RETURNING holdings)
    SELECT count(*), coalesce(sum(holdings), 0)::bigint FROM gone";

/// Drops the least recently used conversations that exceed `$1` holdings in total, except those being written to. Returns
/// how many, and their holdings.
pub(super) const DROP_EXCESS: &str = "WITH locked AS MATERIALIZED (
        SELECT c.conversation FROM pagewise.conversation c JOIN (
            SELECT conversation, used_at, sum(holdings) OVER (ORDER BY used_at DESC, conversation DESC) AS up_to_here
            FROM pagewise.conversation) AS k ON k.conversation = c.conversation AND k.used_at = c.used_at
        WHERE k.up_to_here > $1::bigint FOR UPDATE OF c SKIP LOCKED),
    gone AS (DELETE FROM pagewise.conversation WHERE conversation IN (SELECT conversation FROM locked) RETURNING holdings)
    SELECT count(*), coalesce(sum(holdings), 0)::bigint FROM gone";

pub(super) const DROP: &str = "DELETE FROM pagewise.conversation WHERE conversation = $1";

/// Saves session `$1` of owner `$2` with state `$3`, used at `$4`.
pub(super) const PUT_SESSION: &str = "INSERT INTO pagewise.session (id, owner, state, used_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (id) DO UPDATE SET owner = EXCLUDED.owner, state = EXCLUDED.state, used_at = EXCLUDED.used_at";

pub(super) const GET_SESSION: &str = "SELECT owner, state, used_at FROM pagewise.session WHERE id = $1";

pub(super) const TOUCH_SESSION: &str =
    "UPDATE pagewise.session SET used_at = greatest(used_at, $2::bigint) WHERE id = $1 RETURNING id";

pub(super) const REMOVE_SESSION: &str = "DELETE FROM pagewise.session WHERE id = $1 RETURNING id";

pub(super) const EXPIRE_SESSIONS: &str = "WITH gone AS (DELETE FROM pagewise.session WHERE used_at < $1::bigint
    RETURNING 1) SELECT count(*) FROM gone";

/// All statements. They are prepared up front to check them against the tables.
pub(super) fn all() -> [&'static str; 16] {
    [
        &LOAD,
        &SWAP,
        &INSERT,
        HAD_REVISION,
        LIST,
        COUNTS,
        LAST_PRUNED,
        PRUNED,
        DROP_UNUSED,
        DROP_EXCESS,
        DROP,
        PUT_SESSION,
        GET_SESSION,
        TOUCH_SESSION,
        REMOVE_SESSION,
        EXPIRE_SESSIONS,
    ]
}

//! [`ViewStore`] for PostgreSQL.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::address::PostgresAddress;
use super::connections::Connections;
use super::error::PostgresError;
use super::operations::{
    self, ConversationRow, LoadedRow, PruneConversations, SwapConversations, SwapParameters, signed,
};
use crate::format::{self, FormatError};
use crate::{ConversationRecord, PoolUsage, PruneCounts, SessionStore, StoreError, StoreHealth, Swap, ViewStore};
use pagewise_view::{Conversation, ConversationHead, ConversationId, Moment, Revision, Sequence};

/// Sequences that are skipped after a restart of the server: it may have lost commits that it confirmed, and a plan that
/// rests on one of them must not pass for a plan that rests on what came in its place.
const MAX_LOST: u64 = 1 << 20;

/// Stores conversations in a PostgreSQL database.
pub struct PostgresStore {
    connections: Connections,
}

impl PostgresStore {
    /// Default maximum of connections per process.
    pub const MAX_CONNECTIONS: usize = 8;

    /// Opens a database and creates missing tables. If that fails for a temporary reason, such as a server that is not
    /// up yet, returns the store with the error. The store then tries again at each use.
    ///
    /// # Errors
    /// [`PostgresError`] for permanent failures.
    pub fn open(
        address: PostgresAddress,
        max_connections: usize,
    ) -> Result<(Self, Option<PostgresError>), PostgresError> {
        let store = Self { connections: Connections::new(address, max_connections)? };
        match store.connections.run(operations::last_pruned()) {
            Ok(_) => Ok((store, None)),
            Err(error) if error.is_passing() => Ok((store, Some(error))),
            Err(error) => Err(error),
        }
    }

    /// The address, without its password.
    #[must_use]
    pub fn address(&self) -> &PostgresAddress {
        self.connections.address()
    }

    /// Current pool usage.
    #[must_use]
    pub fn pool(&self) -> PoolUsage {
        self.connections.usage()
    }

    pub(super) fn connections(&self) -> &Connections {
        &self.connections
    }

    pub(super) fn now(&self, now: SystemTime) -> i64 {
        self.connections.clock().to_database(now)
    }

    /// A conversation by the database's clock.
    fn parameters(&self, swap: &Swap) -> SwapParameters {
        let ahead = self.connections.clock().ahead();
        let shifted = (ahead != 0).then(|| shifted(Conversation::clone(&swap.new), ahead));
        let new = shifted.as_ref().unwrap_or(&swap.new);
        SwapParameters {
            conversation: swap.id.as_str().to_owned(),
            expected: signed(swap.expected.number),
            server: signed(swap.expected.server),
            revision: signed(new.revision.number),
            used: signed(new.head.used.0),
            holdings: signed(new.view.len() as u64),
            head: format::head_bytes(&new.head),
            body: format::body_bytes(new),
        }
    }

    /// A conversation by this machine's clock.
    fn conversation(&self, revision: Revision, head: &[u8], body: &[u8]) -> Result<Conversation, FormatError> {
        let conversation = format::conversation(revision, head, body)?;
        let ahead = self.connections.clock().ahead();
        Ok(if ahead == 0 { conversation } else { shifted(conversation, ahead.saturating_neg()) })
    }
}

fn damaged(error: FormatError) -> PostgresError {
    PostgresError::Foreign { what: error.to_string() }
}

/// Moves all moments by `seconds`.
fn shifted(mut conversation: Conversation, seconds: i64) -> Conversation {
    shift_head(&mut conversation.head, seconds);
    conversation.history.steps.iter_mut().for_each(|step| shift(&mut step.moment, seconds));
    conversation
}

fn shift_head(head: &mut ConversationHead, seconds: i64) {
    shift(&mut head.created, seconds);
    shift(&mut head.used, seconds);
}

fn shift(moment: &mut Moment, seconds: i64) {
    moment.0 = moment.0.saturating_add_signed(seconds);
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresStore({})", self.address())
    }
}

impl ViewStore for PostgresStore {
    fn load(&self, id: &ConversationId, copy: Option<Arc<Conversation>>) -> Result<Arc<Conversation>, StoreError> {
        let known = copy.as_ref().map(|copy| copy.revision).unwrap_or_default();
        let LoadedRow { server, conversation } = self.connections.run(operations::load(id, known))?;
        let Some(ConversationRow { revision: number, is_older, value }) = conversation else {
            let revision = Revision { number: 0, server };
            return Ok(Arc::new(Conversation { revision, ..Conversation::default() }));
        };
        let (head, body) = match (value, copy) {
            (None, Some(copy)) => return Ok(copy),
            (value, _) => value.unwrap_or_default(),
        };
        let mut conversation = self.conversation(Revision { number, server }, &head, &body).map_err(damaged)?;
        if is_older {
            conversation.head.latest = Sequence(conversation.head.latest.0.saturating_add(MAX_LOST));
        }
        Ok(Arc::new(conversation))
    }

    fn swap(&self, swaps: &[Swap]) -> Result<Vec<bool>, StoreError> {
        let is_durable = swaps.iter().any(|swap| swap.is_durable);
        let swaps = swaps.iter().map(|swap| self.parameters(swap)).collect();
        Ok(self.connections.run(SwapConversations { swaps, is_durable })?)
    }

    fn list(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        let back = self.connections.clock().ahead().saturating_neg();
        let mut records = Vec::new();
        for (name, holdings, head) in self.connections.run(operations::list())? {
            let mut head = format::head(&head).map_err(damaged)?;
            shift_head(&mut head, back);
            // A handle that this version rejects is not listed.
            records.extend(name.parse().ok().map(|id| ConversationRecord { id, holdings, head }));
        }
        Ok(records)
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        let (unused_since, now) = (self.now(unused_since), self.now(now));
        Ok(self.connections.run(PruneConversations { unused_since, max_holdings: signed(max_holdings), now })?)
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        let pruned = self.connections.run(operations::last_pruned())?;
        Ok(pruned.map(|at| self.connections.clock().moment_of(at)))
    }

    fn sessions(&self) -> Option<&dyn SessionStore> {
        Some(self)
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        let PruneCounts { conversations, holdings } = self.connections.run(operations::row_counts())?;
        Ok(StoreHealth { database: None, conversations, holdings })
    }
}

//! [`ViewStore`] for PostgreSQL.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::time::SystemTime;

use super::address::PostgresAddress;
use super::connections::Connections;
use super::error::PostgresError;
use super::operations::history::LoadHistory;
use super::operations::maintenance::{
    CountRows, DescribeConversations, LoadFileNames, LoadLastPruned, LoadPageCounts, PruneConversations,
};
use super::operations::recording::{DeliveryParameters, RecordDeliveries};
use super::operations::rows::signed;
use super::operations::{
    CreateConversation, ForgetHoldings, ForkConversation, ForkOutcome, LoadHead, ReadConversation, TakeBackDelivery,
};
use crate::{
    ConversationHead, ConversationHistory, ConversationRecord, ConversationState, DeliveryRecord, PoolUsage,
    PruneCounts, SessionStore, StoreError, StoreHealth, Usage, Version, ViewStore,
};
use pagewise_base::hash::ContentHash;
use pagewise_view::{ConversationId, FileKey, ForgetScope, Principal, Sequence};

/// Stores views in a PostgreSQL database.
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
        match store.connections.run(LoadLastPruned) {
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
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresStore({})", self.address())
    }
}

/// A random number of 63 bits, never 0.
pub(super) fn random_number() -> i64 {
    signed((RandomState::new().hash_one(()) >> 1).max(1))
}

impl ViewStore for PostgresStore {
    fn read(
        &self,
        conversation: &ConversationId,
        known: Option<Version>,
    ) -> Result<Option<ConversationState>, StoreError> {
        Ok(self.connections.run(ReadConversation { conversation: conversation.clone(), known })?)
    }

    fn head(&self, conversation: &ConversationId) -> Result<Option<ConversationHead>, StoreError> {
        Ok(self.connections.run(LoadHead { conversation: conversation.clone() })?)
    }

    fn create(
        &self,
        conversation: &ConversationId,
        owner: Option<&Principal>,
        now: SystemTime,
    ) -> Result<bool, StoreError> {
        let (begun, now) = (random_number(), self.now(now));
        Ok(self.connections.run(CreateConversation {
            conversation: conversation.clone(),
            owner: owner.copied(),
            begun,
            now,
        })?)
    }

    fn record_all(
        &self,
        deliveries: &[(ConversationId, DeliveryRecord)],
        now: SystemTime,
    ) -> Result<Vec<Option<Version>>, StoreError> {
        let now = self.now(now);
        let mut ordered: Vec<_> = deliveries.iter().enumerate().collect();
        ordered.sort_by_key(|(_, (conversation, _))| conversation.as_str());
        let recorded = |(position, (conversation, delivery)): (usize, &(ConversationId, DeliveryRecord))| {
            DeliveryParameters::new(position, conversation, delivery, [random_number(), random_number()], now)
        };
        let deliveries: Vec<_> = ordered.into_iter().map(recorded).collect();
        if deliveries.is_empty() {
            return Ok(Vec::new());
        }
        let mut versions = self.connections.run(RecordDeliveries { deliveries })?;
        versions.sort_by_key(|(position, _)| *position);
        Ok(versions.into_iter().map(|(_, version)| version).collect())
    }

    fn take_back(
        &self,
        conversation: &ConversationId,
        at: Version,
        sent: Usage,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        let (conversation, call, now) = (conversation.clone(), random_number(), self.now(now));
        Ok(self.connections.run(TakeBackDelivery { conversation, at, sent, call, now })?)
    }

    fn forget(
        &self,
        conversation: &ConversationId,
        what: &ForgetScope,
        now: SystemTime,
    ) -> Result<Version, StoreError> {
        let forgetting = ForgetHoldings {
            conversation: conversation.clone(),
            what: what.clone(),
            generation: 0,
            begun: random_number(),
            now: self.now(now),
        };
        // Without a generation it always forgets.
        Ok(self.connections.run(forgetting)?.unwrap_or_default())
    }

    fn enter(&self, conversation: &ConversationId, generation: u64, now: SystemTime) -> Result<u64, StoreError> {
        // Clamp to the column's range. A generation stored smaller would look like an earlier one at each call.
        let generation = generation.min(i64::MAX.unsigned_abs());
        let known = || -> Result<u64, StoreError> { Ok(self.head(conversation)?.map_or(0, |head| head.generation)) };
        let before = known()?;
        if before >= generation {
            return Ok(before);
        }
        let entering = ForgetHoldings {
            conversation: conversation.clone(),
            what: ForgetScope::AllButFiles,
            generation,
            begun: random_number(),
            now: self.now(now),
        };
        match self.connections.run(entering)? {
            Some(_) => Ok(generation),
            None => known(),
        }
    }

    fn fork(
        &self,
        from: &ConversationId,
        to: &ConversationId,
        as_of: Option<Sequence>,
        now: SystemTime,
    ) -> Result<(), StoreError> {
        let (begun, now) = (random_number(), self.now(now));
        match self.connections.run(ForkConversation { from: from.clone(), to: to.clone(), as_of, begun, now })? {
            ForkOutcome::Copied => Ok(()),
            ForkOutcome::NoSource => Err(StoreError::UnknownConversation { conversation: from.clone() }),
            ForkOutcome::TargetExists => Err(StoreError::ConversationExists { conversation: to.clone() }),
        }
    }

    fn describe(&self, conversation: &ConversationId) -> Result<Option<ConversationRecord>, StoreError> {
        let clock = self.connections.clock().clone();
        let found = self.connections.run(DescribeConversations { conversation: Some(conversation.clone()), clock })?;
        Ok(found.into_iter().next())
    }

    fn conversations(&self) -> Result<Vec<ConversationRecord>, StoreError> {
        let clock = self.connections.clock().clone();
        Ok(self.connections.run(DescribeConversations { conversation: None, clock })?)
    }

    fn history(&self, conversation: &ConversationId) -> Result<ConversationHistory, StoreError> {
        let clock = self.connections.clock().clone();
        Ok(self.connections.run(LoadHistory { conversation: conversation.clone(), clock })?)
    }

    fn file_names(&self, files: &[FileKey]) -> Result<BTreeMap<FileKey, String>, StoreError> {
        let files = files.iter().map(|file| file.0.to_vec()).collect();
        let names = self.connections.run(LoadFileNames { files })?;
        Ok(names.into_iter().map(|(file, path)| (FileKey(file), path)).collect())
    }

    fn page_counts(&self, contents: &[ContentHash]) -> Result<BTreeMap<ContentHash, u32>, StoreError> {
        let contents = contents.iter().map(|content| content.0.to_vec()).collect();
        let counts = self.connections.run(LoadPageCounts { contents })?;
        let counted = |(content, pages)| Some((ContentHash(content), u32::try_from(pages).ok()?));
        Ok(counts.into_iter().filter_map(counted).collect())
    }

    fn last_pruned(&self) -> Result<Option<SystemTime>, StoreError> {
        let pruned = self.connections.run(LoadLastPruned)?;
        Ok(pruned.map(|at| self.connections.clock().moment_of(at)))
    }

    fn prune(&self, unused_since: SystemTime, max_holdings: u64, now: SystemTime) -> Result<PruneCounts, StoreError> {
        let (unused_since, now) = (self.now(unused_since), self.now(now));
        Ok(self.connections.run(PruneConversations { unused_since, max_holdings: signed(max_holdings), now })?)
    }

    fn sessions(&self) -> Option<&dyn SessionStore> {
        Some(self)
    }

    fn health(&self) -> Result<StoreHealth, StoreError> {
        let (conversations, holdings) = self.connections.run(CountRows)?;
        Ok(StoreHealth { database: None, conversations, holdings })
    }
}

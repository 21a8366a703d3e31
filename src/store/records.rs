//! What a store says of conversations, and what it is told.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::hash::ContentHash;
use crate::view::{ConversationId, FileKey, ForgetScope, Holding, Principal, Sequence};

/// A state of a conversation's rows. Two states are one only where both numbers are equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Version {
    /// [`ConversationHead::begun`]; 0 for a conversation that is not known yet.
    pub begun: u64,
    /// [`ConversationHead::latest`].
    pub latest: Sequence,
}

/// What a conversation holds, beside a copy of it that a reader has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationState {
    /// What is known of it besides its rows.
    pub head: ConversationHead,
    /// Its rows.
    pub rows: RowUpdate,
}

/// The rows that a reader needs besides those it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowUpdate {
    /// None: its copy is the present version.
    Unchanged,
    /// Those recorded after its copy; nothing was forgotten since.
    Later(Vec<(Holding, Sequence)>),
    /// All of them, in place of its copy.
    All(Vec<(Holding, Sequence)>),
}

/// What one answer gave, recorded together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// The version that the answer was planned on; the default for a conversation that was unknown, which is refused only
    /// where something was forgotten by now.
    pub planned: Version,
    /// What the answer said is gone; forgotten before the rest is recorded, under the same sequence.
    pub forget: Vec<ForgetScope>,
    /// What the conversation now holds.
    pub holdings: Vec<Holding>,
    /// The paths of the files among the holdings, to be shown.
    pub names: BTreeMap<FileKey, String>,
    /// How many pages the documents of these contents have.
    pub page_counts: BTreeMap<ContentHash, u32>,
    /// How much it was.
    pub sent: Usage,
}

/// What one look-up tells of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationHead {
    /// A random number of 63 bits, never 0, that the store chose when the conversation began. One that was pruned, or
    /// whose database was lost, and that begins again under its name has another.
    pub begun: u64,
    /// The sequence of the last recording or forgetting.
    pub latest: Sequence,
    /// The sequence of the last forgetting, or of the last taking back.
    pub forgotten: Sequence,
    /// The largest generation that its client named; 0 before.
    pub generation: u64,
    /// Whose it is, where a server tells its callers apart.
    pub owner: Option<Principal>,
    /// What was sent since everything was last forgotten.
    pub sent: Usage,
}

impl ConversationHead {
    /// The version of the conversation's rows.
    #[must_use]
    pub fn version(&self) -> Version {
        Version { begun: self.begun, latest: self.latest }
    }

    /// Whether a copy of `known` lacks nothing but rows that were recorded after it.
    #[must_use]
    pub fn extends(&self, known: Version) -> bool {
        known.begun == self.begun && self.forgotten <= known.latest && known.latest <= self.latest
    }

    /// Whether a delivery rests on this conversation, and on nothing that was forgotten since it was planned.
    #[must_use]
    pub fn allows(&self, planned: Version) -> bool {
        (planned.begun == 0 || planned.begun == self.begun) && self.forgotten <= planned.latest
    }
}

/// How much was sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Media blocks: documents and images.
    pub blocks: u64,
    /// Pages of PDF among them.
    pub pages: u64,
    /// Bytes of all blocks as a request carries them: media in base64.
    pub bytes: u64,
    /// Tokens, as estimated.
    pub tokens: u64,
}

impl Usage {
    /// Adds what was sent besides.
    pub fn add(&mut self, more: Self) {
        self.blocks = self.blocks.saturating_add(more.blocks);
        self.pages = self.pages.saturating_add(more.pages);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.tokens = self.tokens.saturating_add(more.tokens);
    }

    /// Takes away what was added before.
    pub fn subtract(&mut self, less: Self) {
        self.blocks = self.blocks.saturating_sub(less.blocks);
        self.pages = self.pages.saturating_sub(less.pages);
        self.bytes = self.bytes.saturating_sub(less.bytes);
        self.tokens = self.tokens.saturating_sub(less.tokens);
    }
}

/// What is known of a conversation besides its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRecord {
    /// Its handle.
    pub id: ConversationId,
    /// When it was made known.
    pub created: SystemTime,
    /// When it was last written to.
    pub used: SystemTime,
    /// How many holdings it has.
    pub holdings: u64,
    /// The rest of it.
    pub head: ConversationHead,
}

/// What pruning dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PruneCounts {
    /// Conversations.
    pub conversations: u64,
    /// Their holdings.
    pub holdings: u64,
}

/// The state of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// The database, or `None` where nothing outlives the process.
    pub database: Option<PathBuf>,
    /// How many conversations are known.
    pub conversations: u64,
    /// How many holdings they have.
    pub holdings: u64,
}

//! The types that stores take and return.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use pagewise_base::hash::ContentHash;
use pagewise_view::{ConversationId, FileKey, ForgetScope, Holding, Principal, Sequence};

/// A version of a conversation's rows. Equal only if both numbers are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Version {
    /// [`ConversationHead::begun`]; 0 for an unknown conversation.
    pub begun: u64,
    /// [`ConversationHead::latest`].
    pub latest: Sequence,
}

/// What a conversation holds, relative to a cached copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationState {
    /// Everything but the rows.
    pub head: ConversationHead,
    pub rows: RowUpdate,
}

/// The rows that a cached copy lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowUpdate {
    /// None: the copy is current.
    Unchanged,
    /// Rows recorded after the copy; nothing was forgotten since.
    Later(Vec<(Holding, Sequence)>),
    /// All rows, replacing the copy.
    All(Vec<(Holding, Sequence)>),
}

/// The record of one delivered answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// The version that the answer was planned on. The default is for unknown conversations; it is refused only if
    /// something was forgotten in the meantime.
    pub planned: Version,
    /// What the answer reported as gone. Forgotten first, under the same sequence.
    pub forget: Vec<ForgetScope>,
    /// What the conversation now holds.
    pub holdings: Vec<Holding>,
    /// The paths of the files among the holdings, for display.
    pub names: BTreeMap<FileKey, String>,
    /// Page counts of documents.
    pub page_counts: BTreeMap<ContentHash, u32>,
    /// How much it was.
    pub sent: Usage,
}

/// The head of a conversation, read in one look-up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConversationHead {
    /// A random 63-bit number, never 0, chosen when the conversation was created. A conversation that was dropped and
    /// created again under the same handle has a new one.
    pub begun: u64,
    /// The sequence of the last recording or forget.
    pub latest: Sequence,
    /// The sequence of the last forget or take-back.
    pub forgotten: Sequence,
    /// The largest generation that the client named; 0 if none.
    pub generation: u64,
    /// The owner, on a server with several users.
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

    /// Whether a copy at version `known` lacks only rows recorded later.
    #[must_use]
    pub fn extends(&self, known: Version) -> bool {
        known.begun == self.begun && self.forgotten <= known.latest && known.latest <= self.latest
    }

    /// Whether a delivery planned at `planned` may be recorded: it is for this conversation, and nothing was forgotten
    /// since.
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
    /// PDF pages among them.
    pub pages: u64,
    /// Bytes of all blocks, with media in base64.
    pub bytes: u64,
    /// Tokens, as estimated.
    pub tokens: u64,
}

impl Usage {
    /// Adds usage.
    pub fn add(&mut self, more: Self) {
        self.blocks = self.blocks.saturating_add(more.blocks);
        self.pages = self.pages.saturating_add(more.pages);
        self.bytes = self.bytes.saturating_add(more.bytes);
        self.tokens = self.tokens.saturating_add(more.tokens);
    }

    /// Subtracts usage.
    pub fn subtract(&mut self, less: Self) {
        self.blocks = self.blocks.saturating_sub(less.blocks);
        self.pages = self.pages.saturating_sub(less.pages);
        self.bytes = self.bytes.saturating_sub(less.bytes);
        self.tokens = self.tokens.saturating_sub(less.tokens);
    }
}

/// The record of a conversation, without its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationRecord {
    /// Its handle.
    pub id: ConversationId,
    /// When it was created.
    pub created: SystemTime,
    /// When it was last written to.
    pub used: SystemTime,
    /// Number of holdings.
    pub holdings: u64,
    /// The rest of it.
    pub head: ConversationHead,
}

/// What pruning dropped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PruneCounts {
    pub conversations: u64,
    pub holdings: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreHealth {
    /// The database file; `None` if nothing outlives the process.
    pub database: Option<PathBuf>,
    /// Number of conversations.
    pub conversations: u64,
    /// Number of holdings.
    pub holdings: u64,
}

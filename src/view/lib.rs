//! What a conversation already holds: pure data and rules.
//!
//! A [`Conversation`] is one value, and [`Conversation::apply`] is the one rule for what changes it. It holds a set of
//! [`Holding`]s, each with the [`Sequence`] of its last recording, which [`ConversationView`] indexes.
//!
//! A lost holding costs one page sent again; a false one leaves the agent without a page. Every rule here errs on the
//! safe side. This room does no I/O and knows no clock: moments and random numbers are passed in.

mod agent_view;
mod conversation;
mod conversation_id;
mod conversation_view;
mod forget;
mod history;
mod holding;
mod index;

pub use self::agent_view::AgentView;
pub use self::conversation::{
    ChangeEffect, ChangeOutcome, Conversation, ConversationChange, ConversationHead, ConversationTitle, DeliveryRecord,
    MAX_HOLDINGS, Moment, Revision, Usage, Version,
};
pub use self::conversation_id::{ConversationId, ConversationIdError, Principal};
pub use self::conversation_view::ConversationView;
pub use self::forget::ForgetScope;
pub use self::history::{ConversationHistory, HistoryStep, StepKind};
pub use self::holding::{FileKey, FileKeyError, HeldItem, Holding, InvalidLines, LineSpan, PageForm, Sequence};

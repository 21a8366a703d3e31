//! What a conversation already holds: pure data and rules.
//!
//! A conversation is a set of [`Holding`]s, each under the [`Sequence`] of its last recording: the rows of a store,
//! and nothing besides. [`ConversationView`] answers questions about them by look-up, and
//! [`ConversationView::forget`] is the one rule that says which rows a forgetting deletes.
//!
//! A lost holding costs one page sent again; a false one leaves the agent blind. Every rule here errs to the first
//! side. This room does no I/O and knows no clock: sequences come from the store.

mod agent;
mod conversation;
mod forget;
mod holding;
mod id;
mod index;
mod texts;

pub use agent::AgentView;
pub use conversation::{ConversationView, HoldingChange};
pub use forget::ForgetScope;
pub use holding::{FileKey, HeldItem, Holding, LineSpan, PageForm, Sequence};
pub use id::{ConversationId, ConversationIdError, Principal};
pub use texts::SentTexts;

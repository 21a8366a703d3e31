//! What a conversation already holds: pure data and rules.
//!
//! A conversation is a set of [`Holding`]s, each with the [`Sequence`] of its last recording: exactly the rows of a
//! store. [`ConversationView`] indexes them, and [`ConversationView::forget`] is the one rule for what a forget
//! deletes.
//!
//! A lost holding costs one page sent again; a false one leaves the agent without a page. Every rule here errs on the
//! safe side. This room does no I/O and knows no clock: sequences come from the store.

mod agent_view;
mod conversation;
mod conversation_id;
mod forget;
mod holding;
mod index;
mod sent_texts;

pub use self::agent_view::AgentView;
pub use self::conversation::{ConversationView, HoldingChange};
pub use self::conversation_id::{ConversationId, ConversationIdError, Principal};
pub use self::forget::ForgetScope;
pub use self::holding::{FileKey, FileKeyError, HeldItem, Holding, LineSpan, PageForm, Sequence};
pub use self::sent_texts::SentTexts;

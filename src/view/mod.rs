//! What a conversation already holds: pure data and rules.
//!
//! A conversation holds a grow-only set of [`Holding`]s. Each was given a [`Sequence`] when it was recorded, and a
//! forgotten scope is remembered with the sequence up to which it is gone. So two copies of one conversation merge
//! by [`ConversationView::union`] in any order, any number of times, and an old copy never brings back what was
//! forgotten after it was made.
//!
//! A lost holding costs one page sent again; a false one leaves the agent blind. Every rule here errs to the first
//! side. This room does no I/O and knows no clock: sequences come from the store, moments from nobody.

mod agent;
mod conversation;
mod forget;
mod holding;
mod id;
mod index;
mod segments;
mod texts;

pub use agent::AgentView;
pub use conversation::ConversationView;
pub use forget::{Forget, Scope};
pub use holding::{FileKey, Form, Held, Holding, LineSpan, Sequence};
pub use id::{ConversationId, ConversationIdError, Principal};
pub use texts::SentTexts;

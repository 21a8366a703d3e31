//! Which conversations changed since the last look.

use std::collections::BTreeMap;

use super::{Inspector, Viewer};
use crate::tool::ToolError;
use pagewise_view::{ConversationId, Moment, Sequence};

/// What tells two states of a conversation apart: when it began, its last sequence, and when it was used.
type ConversationState = (u64, Sequence, Moment);

/// Looks for changes among the conversations of a viewer.
pub struct ChangeWatch {
    inspector: Inspector,
    viewer: Viewer,
    known: Option<BTreeMap<ConversationId, ConversationState>>,
}

impl ChangeWatch {
    /// A watch that has seen nothing yet.
    #[must_use]
    pub fn new(inspector: Inspector, viewer: Viewer) -> Self {
        Self { inspector, viewer, known: None }
    }

    /// The conversations that were written to, began or were dropped since the last call; none at the first.
    ///
    /// # Errors
    /// A failure of the store. The next call then compares with the last state that was read.
    pub fn poll(&mut self) -> Result<Vec<String>, ToolError> {
        let records = self.inspector.context.conversations(self.viewer.owner())?;
        let state =
            records.into_iter().map(|record| (record.id, (record.head.begun, record.head.latest, record.head.used)));
        let now: BTreeMap<_, _> = state.collect();
        let changed = match &self.known {
            None => Vec::new(),
            Some(known) => {
                let is_new = |(id, state): &(&ConversationId, &ConversationState)| known.get(*id) != Some(*state);
                let new = now.iter().filter(is_new).map(|(id, _)| id);
                let dropped = known.keys().filter(|id| !now.contains_key(*id));
                new.chain(dropped).map(|id| id.as_str().to_owned()).collect()
            }
        };
        self.known = Some(now);
        Ok(changed)
    }
}

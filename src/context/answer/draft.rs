//! An answer before its delivery is prepared.

use super::{AnswerDetails, Block};
use crate::view::{ForgetScope, HeldItem};

/// Blocks, details, and what to record once they were delivered.
pub(crate) struct AnswerDraft {
    pub(crate) blocks: Vec<Block>,
    pub(crate) details: AnswerDetails,
    pub(crate) holdings: Vec<HeldItem>,
    /// Forgotten before the holdings are recorded: positions that show other pages now.
    pub(crate) forget: Vec<ForgetScope>,
}

impl AnswerDraft {
    pub(crate) fn new(block: Block, details: AnswerDetails, holdings: Vec<HeldItem>) -> Self {
        Self { blocks: vec![block], details, holdings, forget: Vec::new() }
    }
}

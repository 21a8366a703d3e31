//! An answer before its delivery is prepared.

use std::ops::Range;
use std::sync::Arc;

use super::{AnswerDetails, Block};
use crate::context::pdf::SummaryFacts;
use pagewise_base::hash::ContentHash;
use pagewise_view::{ForgetScope, HeldItem};

/// Blocks, details, and what to record once they were delivered.
#[derive(Default)]
pub(crate) struct AnswerDraft {
    pub(crate) blocks: Vec<Block>,
    /// The blocks that hold pages.
    pub(crate) content: Range<usize>,
    pub(crate) details: AnswerDetails,
    pub(crate) summary: Option<Box<SummaryFacts>>,
    pub(crate) holdings: Vec<HeldItem>,
    /// Forgotten before the holdings are recorded: positions that show other pages now.
    pub(crate) forget: Vec<ForgetScope>,
    /// Texts of pages to keep for quotations, by what they are held as.
    pub(crate) texts: Vec<(ContentHash, Arc<str>)>,
}

impl AnswerDraft {
    pub(crate) fn new(block: Block, details: AnswerDetails, holdings: Vec<HeldItem>) -> Self {
        Self { blocks: vec![block], details, holdings, ..Self::default() }
    }
}

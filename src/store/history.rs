//! What happened in a conversation, for people who look at it. No rule for what is held rests on it.

use std::collections::BTreeMap;
use std::time::SystemTime;

use super::Usage;
use pagewise_base::page::{PageIndex, PageSet};
use pagewise_view::{FileKey, ForgetScope, HeldItem, Holding, Sequence};

/// Steps that are kept of a conversation: the latest.
pub(super) const MAX_STEPS: u64 = 10_000;

/// Steps after which a database drops those before the latest.
pub(super) const STEPS_BETWEEN_DROPS: u64 = 256;

/// Forgotten pages that are kept of a conversation: the latest.
pub(super) const MAX_FORGOTTEN_PAGES: u64 = 10_000;

/// What happened in a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationHistory {
    /// The latest steps, oldest first.
    pub steps: Vec<HistoryStep>,
    /// Pages that the agent, or a person, had forgotten, by their numbers then. Some may have been given again.
    pub forgotten: BTreeMap<FileKey, PageSet>,
}

/// One recording or forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryStep {
    pub at: Sequence,
    /// When it was recorded.
    pub moment: SystemTime,
    /// What happened.
    pub kind: StepKind,
    /// How much was sent.
    pub sent: Usage,
}

/// What happened in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Something was given, or reported.
    Delivery,
    /// Something was forgotten.
    Forget,
    /// Everything was forgotten, and what was sent counts from 0 again.
    Emptying,
}

impl StepKind {
    /// Its number in a database.
    pub(super) fn number(self) -> u8 {
        match self {
            Self::Delivery => 0,
            Self::Forget => 1,
            Self::Emptying => 2,
        }
    }

    /// The kind with a number; `None` for a kind that this version does not know.
    pub(super) fn numbered(number: u8) -> Option<Self> {
        [Self::Delivery, Self::Forget, Self::Emptying].into_iter().find(|kind| kind.number() == number)
    }

    /// The kind of a forget.
    pub(super) fn of(what: &ForgetScope) -> Self {
        if what.forgets_everything() { Self::Emptying } else { Self::Forget }
    }
}

/// The page that a deleted holding gave; `None` if it was deleted because the document changed.
pub(super) fn forgotten_page(what: &ForgetScope, deleted: &Holding) -> Option<(FileKey, PageIndex)> {
    let is_by_change = matches!(what, ForgetScope::Fingerprints(_) | ForgetScope::Positions { .. });
    match deleted.what {
        HeldItem::Page { page, .. } if !is_by_change => Some((deleted.file, page)),
        _ => None,
    }
}

//! What happened in a conversation, for people who look at it. No rule for what is held rests on it.

use serde::{Deserialize, Serialize};

use super::conversation::{Moment, Usage};
use super::forget::ForgetScope;
use super::holding::{FileKey, HeldItem, Holding, Sequence};
use pagewise_base::page::{PageIndex, PageSet};

/// Steps that are kept of a conversation: the latest.
const MAX_STEPS: usize = 1_000;

/// Forgotten pages that are kept of a conversation: those of the files that were forgotten last.
const MAX_FORGOTTEN_PAGES: u64 = 10_000;

/// What happened in a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationHistory {
    /// The latest steps, oldest first.
    pub steps: Vec<HistoryStep>,
    /// Pages that the agent, or a person, had forgotten, by their numbers then. Some may have been given again. The file
    /// that was forgotten last comes last.
    pub forgotten: Vec<(FileKey, PageSet)>,
}

/// One recording or forget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryStep {
    pub at: Sequence,
    /// When it was recorded.
    pub moment: Moment,
    /// What happened.
    pub kind: StepKind,
    /// How much was sent.
    pub sent: Usage,
}

/// What happened in a step. Stored by the order of its variants: new ones come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepKind {
    /// Something was given, or reported.
    Delivery,
    /// Something was forgotten.
    Forget,
    /// Everything was forgotten, and what was sent counts from 0 again.
    Emptying,
}

impl StepKind {
    /// The kind of a forget.
    pub(super) fn of(what: &ForgetScope) -> Self {
        if what.forgets_everything() { Self::Emptying } else { Self::Forget }
    }
}

impl ConversationHistory {
    /// The pages of a file that were forgotten; `None` if none were.
    #[must_use]
    pub fn forgotten_pages(&self, file: FileKey) -> Option<&PageSet> {
        self.forgotten.iter().find(|(forgotten, _)| *forgotten == file).map(|(_, pages)| pages)
    }

    pub(super) fn add_step(&mut self, at: Sequence, kind: StepKind, sent: Usage, moment: Moment) {
        self.steps.push(HistoryStep { at, moment, kind, sent });
        self.steps.drain(..self.steps.len().saturating_sub(MAX_STEPS));
    }

    /// Adds the pages among the holdings that a forget removed.
    pub(super) fn add_forgotten(&mut self, what: &ForgetScope, gone: &[Holding]) {
        // Those are gone because the document changed.
        if matches!(what, ForgetScope::Fingerprints(_) | ForgetScope::Positions { .. }) {
            return;
        }
        for holding in gone {
            if let HeldItem::Page { page, .. } = holding.what {
                self.add_page(holding.file, page);
            }
        }
        self.drop_excess();
    }

    /// Adds a page to the file that comes last.
    fn add_page(&mut self, file: FileKey, page: PageIndex) {
        match self.forgotten.iter().rposition(|(forgotten, _)| *forgotten == file) {
            Some(at) if at + 1 < self.forgotten.len() => {
                let known = self.forgotten.remove(at);
                self.forgotten.push(known);
            }
            Some(_) => {}
            None => self.forgotten.push((file, PageSet::new())),
        }
        if let Some((_, pages)) = self.forgotten.last_mut() {
            pages.insert(page);
        }
    }

    fn drop_excess(&mut self) {
        let mut excess = self.forgotten.iter().map(|(_, pages)| pages.len()).sum::<u64>();
        excess = excess.saturating_sub(MAX_FORGOTTEN_PAGES);
        for (_, pages) in &mut self.forgotten {
            let dropped = pages.len().min(excess);
            excess -= dropped;
            let kept = pages.iter().skip(usize::try_from(dropped).unwrap_or(usize::MAX));
            *pages = kept.collect();
        }
        self.forgotten.retain(|(_, pages)| !pages.is_empty());
    }
}

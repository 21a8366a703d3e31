//! Takes the steps of interpreting a page.

use hayro_interpret::ClipPath;
use pagewise_document::effort::{PageCost, Steps, price};

/// Takes the steps of interpreting a page from its budget.
pub(crate) struct StepAccount<'c> {
    steps: &'c Steps,
    cost: &'c PageCost,
    /// Number of content streams begun so far.
    begun: u64,
}

impl<'c> StepAccount<'c> {
    pub(crate) fn new(steps: &'c Steps, cost: &'c PageCost) -> Self {
        Self { steps, cost, begun: 0 }
    }

    pub(super) fn take_call(&self) {
        self.steps.take(price::CALL);
    }

    pub(super) fn take_image(&self) {
        self.steps.take(price::IMAGE);
    }

    /// A marked-content sequence with `bytes` of replacement text.
    pub(super) fn take_marked_content(&self, bytes: usize) {
        self.steps.take(price::OPERATOR.saturating_add(u64::try_from(bytes / 8).unwrap_or(u64::MAX)));
    }

    pub(super) fn take_glyphs(&self, count: usize) {
        self.steps.take(price::GLYPH.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX)));
    }

    /// Clipping to a rectangle may be the beginning of a form XObject.
    pub(super) fn take_clip(&mut self, clip: &ClipPath) {
        self.take_call();
        if clip.path.elements().len() == 5 {
            self.steps.take(self.cost.content_steps(self.begun));
            self.begun = self.begun.saturating_add(1);
        }
    }
}

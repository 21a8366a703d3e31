//! Changes conversations by compare-and-set.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{StoreError, Swap, ViewStore};
use pagewise_view::{
    ChangeEffect, ChangeOutcome, Conversation, ConversationChange, ConversationId, Moment, Revision, Sequence,
};

/// Maximum attempts to change conversations that others change at the same time. Each failed attempt means that another's
/// succeeded.
const MAX_ATTEMPTS: u32 = 1_000;

/// Longest pause between two attempts.
const MAX_PAUSE: Duration = Duration::from_millis(4);

/// Copies of conversations that a process has at hand. A copy may be outdated.
pub trait ConversationCopies {
    /// Removes and returns a copy.
    fn take(&self, id: &ConversationId) -> Option<Arc<Conversation>>;

    /// Keeps a copy.
    fn keep(&self, id: &ConversationId, conversation: Arc<Conversation>);
}

/// No copies.
impl ConversationCopies for () {
    fn take(&self, _: &ConversationId) -> Option<Arc<Conversation>> {
        None
    }

    fn keep(&self, _: &ConversationId, _: Arc<Conversation>) {}
}

/// Changes conversations, all in one transaction. Changes of one conversation are applied in their order. A swap that is
/// lost is planned again on the current value.
///
/// # Errors
/// [`StoreError`]: nothing is changed, or it is not known whether it is.
pub fn change_all(
    store: &dyn ViewStore,
    copies: &dyn ConversationCopies,
    changes: &[(ConversationId, ConversationChange)],
    now: SystemTime,
) -> Result<Vec<ChangeOutcome>, StoreError> {
    let mut outcomes = vec![ChangeOutcome { version: None, effect: ChangeEffect::None }; changes.len()];
    let mut waiting: BTreeMap<&ConversationId, Vec<(usize, &ConversationChange)>> = BTreeMap::new();
    for (position, (id, change)) in changes.iter().enumerate() {
        waiting.entry(id).or_default().push((position, change));
    }
    for attempt in 0..MAX_ATTEMPTS {
        let mut plans = Vec::with_capacity(waiting.len());
        for (id, changes) in &waiting {
            let copy = copies.take(id).filter(|_| attempt == 0);
            plans.push(Plan::make(store, copy, id, changes, now)?);
        }
        // One that changes nothing is settled if the value is the stored one.
        let (swapping, settled): (Vec<Plan<'_>>, Vec<_>) =
            plans.into_iter().partition(|plan| plan.effect > ChangeEffect::None);
        let swaps: Vec<Swap> = swapping.iter().map(Plan::swap).collect();
        let swapped = if swaps.is_empty() { Vec::new() } else { store.swap(&swaps)? };
        let done = swapping.into_iter().zip(swapped).filter_map(|(plan, is_swapped)| is_swapped.then_some(plan));
        for plan in done.chain(settled.into_iter().filter(|plan| plan.is_current)) {
            for (position, outcome) in plan.outcomes {
                outcomes.iter_mut().skip(position).take(1).for_each(|known| *known = outcome);
            }
            waiting.remove(plan.id);
            copies.keep(plan.id, plan.new);
        }
        if waiting.is_empty() {
            return Ok(outcomes);
        }
        pause(attempt);
    }
    Err(StoreError::Contended)
}

/// [`change_all`] for one change.
///
/// # Errors
/// [`StoreError`]
pub fn change(
    store: &dyn ViewStore,
    copies: &dyn ConversationCopies,
    id: &ConversationId,
    change: ConversationChange,
    now: SystemTime,
) -> Result<ChangeOutcome, StoreError> {
    let outcomes = change_all(store, copies, &[(id.clone(), change)], now)?;
    Ok(outcomes.into_iter().next().unwrap_or(ChangeOutcome { version: None, effect: ChangeEffect::None }))
}

/// Creates `to` as a copy of `from`, optionally as of a sequence. Returns false if `from` is unknown, or `to` is not.
///
/// # Errors
/// [`StoreError`]
pub fn fork(
    store: &dyn ViewStore,
    from: &ConversationId,
    to: &ConversationId,
    as_of: Option<Sequence>,
    now: SystemTime,
) -> Result<bool, StoreError> {
    let source = store.load(from, None)?;
    if !source.is_known() {
        return Ok(false);
    }
    let mut fork = source.fork(as_of, now.into(), random_number());
    let expected = Revision { number: 0, ..source.revision };
    fork.revision = Revision { number: random_number(), ..source.revision };
    let swap = Swap { id: to.clone(), expected, new: Arc::new(fork), is_durable: false };
    Ok(store.swap(&[swap])? == [true])
}

/// What becomes of one conversation.
struct Plan<'a> {
    id: &'a ConversationId,
    /// Whether it rests on a value that was just loaded.
    is_current: bool,
    expected: Revision,
    new: Arc<Conversation>,
    effect: ChangeEffect,
    /// The outcomes of its changes, by their positions.
    outcomes: Vec<(usize, ChangeOutcome)>,
}

impl<'a> Plan<'a> {
    /// Rests on the copy if there is one: the swap says whether it is current.
    fn make(
        store: &dyn ViewStore,
        copy: Option<Arc<Conversation>>,
        id: &'a ConversationId,
        changes: &[(usize, &ConversationChange)],
        now: SystemTime,
    ) -> Result<Self, StoreError> {
        let is_current = copy.is_none();
        // A failed change is reported by its caller, so it needs no warning.
        let known = copy.map_or_else(|| store.load(id, None), Ok).inspect_err(|_| drop(store.take_warning()))?;
        let expected = known.revision;
        let mut new = Arc::unwrap_or_clone(known);
        let mut apply = |(position, change): &(usize, &ConversationChange)| {
            (*position, new.apply(change, Moment::from(now), random_number()))
        };
        let outcomes: Vec<_> = changes.iter().map(&mut apply).collect();
        let effect = outcomes.iter().map(|(_, outcome)| outcome.effect).max().unwrap_or(ChangeEffect::None);
        if effect > ChangeEffect::None {
            new.revision.number = random_number();
        }
        Ok(Self { id, is_current, expected, new: Arc::new(new), effect, outcomes })
    }

    fn swap(&self) -> Swap {
        let is_durable = self.effect == ChangeEffect::Removed;
        Swap { id: self.id.clone(), expected: self.expected, new: Arc::clone(&self.new), is_durable }
    }
}

/// A random number of 63 bits, never 0.
pub(crate) fn random_number() -> u64 {
    (RandomState::new().hash_one(()) >> 1).max(1)
}

/// Waits for a random time that grows with the number of attempts, so that those who meet do not meet again.
fn pause(attempt: u32) {
    if attempt > 0 {
        let longest = MAX_PAUSE.min(Duration::from_micros(50).saturating_mul(attempt));
        let share = u32::try_from(random_number() % 16).unwrap_or(0);
        std::thread::sleep(longest.saturating_mul(share) / 16);
    }
}

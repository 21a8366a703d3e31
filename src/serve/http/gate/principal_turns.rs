//! The requests of each principal at once, so that one cannot starve the rest.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use pagewise_view::Principal;

/// From this number of principals on, those without an open request are removed.
const MAX_IDLE_PRINCIPALS: usize = 1_024;

/// The open requests of each principal.
pub(super) struct PrincipalTurns {
    at_once: usize,
    turns: Mutex<HashMap<Principal, Arc<Semaphore>>>,
}

impl PrincipalTurns {
    pub(super) fn new(at_once: usize) -> Self {
        Self { at_once, turns: Mutex::default() }
    }

    /// A turn of the principal; `None` if all are taken.
    pub(super) fn try_acquire(&self, principal: Principal) -> Option<OwnedSemaphorePermit> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.len() >= MAX_IDLE_PRINCIPALS {
            turns.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        let turns = turns.entry(principal).or_insert_with(|| Arc::new(Semaphore::new(self.at_once)));
        Arc::clone(turns).try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_IDLE_PRINCIPALS, PrincipalTurns};
    use pagewise_view::Principal;

    #[test]
    fn a_principal_has_its_turns_and_no_more() {
        let turns = PrincipalTurns::new(2);
        let (one, two) = (Principal::of("one"), Principal::of("two"));
        let held = [turns.try_acquire(one), turns.try_acquire(one)];
        assert!(held.iter().all(Option::is_some));
        assert!(turns.try_acquire(one).is_none());
        assert!(turns.try_acquire(two).is_some(), "another is not held up");
        drop(held);
        assert!(turns.try_acquire(one).is_some());
    }

    #[test]
    fn many_principals_do_not_add_up_and_open_requests_stay_counted() {
        let turns = PrincipalTurns::new(1);
        let first = turns.try_acquire(Principal::of("first"));
        for name in 0..2 * MAX_IDLE_PRINCIPALS {
            assert!(turns.try_acquire(Principal::of(&name.to_string())).is_some());
        }
        assert!(turns.turns.lock().is_ok_and(|turns| turns.len() <= MAX_IDLE_PRINCIPALS));
        assert!(turns.try_acquire(Principal::of("first")).is_none());
        drop(first);
    }
}

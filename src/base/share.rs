//! Bounded resources of a server, and how many of them one principal may have.
//!
//! A principal gets a place only while more are free than it has: one alone takes half of them, and the next half of the
//! rest. Callers that nobody tells apart may have all.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A principal as resources tell them apart; `None` where all callers are one.
pub type Sharer = Option<[u8; 32]>;

/// A bounded resource: so many places, and at most so many for each principal.
#[derive(Debug)]
pub struct Share {
    total: usize,
    per_principal: usize,
    taken: Mutex<HashMap<Sharer, usize>>,
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// All places are taken.
    Total,
    /// The principal has as many as it may have.
    Own,
}

/// A place, until dropped.
#[derive(Debug)]
pub struct Place {
    share: Arc<Share>,
    sharer: Sharer,
}

impl Share {
    /// A resource of `total` places, at most `per_principal` of them for each.
    #[must_use]
    pub fn new(total: usize, per_principal: usize) -> Arc<Self> {
        Arc::new(Self { total, per_principal: per_principal.min(total), taken: Mutex::default() })
    }

    /// Takes a place.
    ///
    /// # Errors
    /// Why there is none.
    pub fn take(self: &Arc<Self>, sharer: Sharer) -> Result<Place, Full> {
        let mut taken = self.taken();
        let own = taken.get(&sharer).copied().unwrap_or(0);
        let free = self.total.saturating_sub(taken.values().sum());
        if free == 0 {
            return Err(Full::Total);
        }
        if sharer.is_some() && (own >= self.per_principal || own >= free) {
            return Err(Full::Own);
        }
        taken.insert(sharer, own.saturating_add(1));
        Ok(Place { share: Arc::clone(self), sharer })
    }

    /// Places that a principal has.
    #[must_use]
    pub fn taken_by(&self, sharer: Sharer) -> usize {
        self.taken().get(&sharer).copied().unwrap_or(0)
    }

    /// Places that are taken.
    #[must_use]
    pub fn taken_in_all(&self) -> usize {
        self.taken().values().sum()
    }

    /// Whoever has no place is not in the map, so it is no longer than there are places.
    fn taken(&self) -> MutexGuard<'_, HashMap<Sharer, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.share.taken();
        match taken.get_mut(&self.sharer) {
            Some(own) if *own > 1 => *own -= 1,
            _ => {
                taken.remove(&self.sharer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Sharer = Some([1; 32]);
    const OTHER: Sharer = Some([2; 32]);

    #[test]
    fn a_principal_has_its_share_and_leaves_the_rest_to_others() {
        let share = Share::new(5, 2);
        let mut own = [share.take(ONE), share.take(ONE)].map(Result::ok);
        assert_eq!(share.take(ONE).err(), Some(Full::Own));
        let other = share.take(OTHER).ok();
        assert!(other.is_some());
        assert_eq!((share.taken_by(ONE), share.taken_by(OTHER), share.taken_in_all()), (2, 1, 3));
        own[0] = None;
        assert_eq!(share.taken_by(ONE), 1);
        assert!(share.take(ONE).is_ok());
    }

    #[test]
    fn each_that_takes_what_it_can_leaves_some_to_the_next() {
        let share = Share::new(64, usize::MAX);
        let mut places = Vec::new();
        for principal in 1..=20_u8 {
            let before = places.len();
            while let Ok(place) = share.take(Some([principal; 32])) {
                places.push(place);
            }
            let own = places.len() - before;
            assert!(own >= 1 || principal > 6, "{principal} has none");
            assert!(principal > 1 || own == 32);
        }
    }

    #[test]
    fn callers_that_are_one_may_have_all_and_nobody_is_kept_who_has_none() {
        let share = Share::new(2, 1);
        let all = [share.take(None), share.take(None)].map(Result::ok);
        assert_eq!((share.take(None).err(), share.take(ONE).err()), (Some(Full::Total), Some(Full::Total)));
        drop(all);
        assert!(share.taken().is_empty());
    }
}

//! Bounded resources of a server, and how much of them one principal may have.
//!
//! Places that are held until they are given back are a [`Share`]: a principal gets one only while more are free than it
//! has, so one alone takes half of them, and the next half of the rest. What can be taken back is a [`SharedCache`]: a
//! principal may fill it, and gives way to those that have less. Callers that nobody tells apart may have all.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dashmap::DashMap;

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

/// A cache whose entries have a weight together. When it is full, the principal whose entries weigh most gives up the oldest
/// that it has not used since: nobody loses to others what is no more than an equal part.
#[derive(Debug)]
pub struct SharedCache<K: Eq + Hash, V> {
    max_weight: u64,
    /// Read without a lock on the rest.
    entries: DashMap<K, CachedEntry<V>>,
    /// Taken before an entry is, never while one is held.
    owners: Mutex<CacheOwners<K>>,
}

#[derive(Debug)]
struct CachedEntry<V> {
    value: V,
    weight: u64,
    sharer: Sharer,
    age: u64,
    is_used: AtomicBool,
}

#[derive(Debug)]
struct CacheOwners<K> {
    /// The weight and the entries of each, oldest first.
    shares: HashMap<Sharer, (u64, BTreeMap<u64, K>)>,
    weight: u64,
    insertions: u64,
}

impl<K: Eq + Hash + Clone, V: Clone> SharedCache<K, V> {
    /// A cache of at most `max_weight`. Zero keeps nothing.
    #[must_use]
    pub fn new(max_weight: u64) -> Self {
        let owners = CacheOwners { shares: HashMap::new(), weight: 0, insertions: 0 };
        Self { max_weight, entries: DashMap::new(), owners: Mutex::new(owners) }
    }

    /// What is kept under a key.
    pub fn get(&self, key: &K) -> Option<V> {
        let entry = self.entries.get(key)?;
        entry.is_used.store(true, Ordering::Relaxed);
        Some(entry.value.clone())
    }

    /// Whether something is kept under a key.
    pub fn contains(&self, key: &K) -> bool {
        self.entries.contains_key(key)
    }

    /// Keeps a value in place of any other under its key. One that is heavier than the whole cache is not kept.
    pub fn insert(&self, key: K, value: V, weight: u64, sharer: Sharer) {
        let mut owners = self.owners();
        self.take(&mut owners, &key);
        if weight > self.max_weight || self.max_weight == 0 {
            return;
        }
        owners.insertions = owners.insertions.wrapping_add(1);
        let age = owners.insertions;
        owners.weight = owners.weight.saturating_add(weight);
        let share = owners.shares.entry(sharer).or_default();
        share.0 = share.0.saturating_add(weight);
        share.1.insert(age, key.clone());
        self.entries.insert(key, CachedEntry { value, weight, sharer, age, is_used: AtomicBool::new(false) });
        while owners.weight > self.max_weight && self.give_way(&mut owners) {}
    }

    /// Removes what is kept under a key.
    pub fn remove(&self, key: &K) -> Option<V> {
        self.take(&mut self.owners(), key)
    }

    /// The weight of all entries.
    pub fn weight(&self) -> u64 {
        self.owners().weight
    }

    /// Removes the oldest unused entry of the principal that has most. An older one that was used counts as new from then on.
    /// Returns false if there is none.
    fn give_way(&self, owners: &mut CacheOwners<K>) -> bool {
        let heaviest = owners.shares.values_mut().max_by_key(|(weight, _)| *weight);
        let Some((_, in_order)) = heaviest else { return false };
        let Some((_, key)) = in_order.pop_first() else { return false };
        owners.insertions = owners.insertions.wrapping_add(1);
        match self.entries.get_mut(&key) {
            Some(mut entry) if entry.is_used.swap(false, Ordering::Relaxed) => {
                entry.age = owners.insertions;
                in_order.insert(owners.insertions, key);
            }
            unused => {
                drop(unused);
                self.take(owners, &key);
            }
        }
        true
    }

    fn take(&self, owners: &mut CacheOwners<K>, key: &K) -> Option<V> {
        let (_, entry) = self.entries.remove(key)?;
        owners.weight = owners.weight.saturating_sub(entry.weight);
        if let Some((weight, in_order)) = owners.shares.get_mut(&entry.sharer) {
            *weight = weight.saturating_sub(entry.weight);
            in_order.remove(&entry.age);
            if in_order.is_empty() {
                owners.shares.remove(&entry.sharer);
            }
        }
        Some(entry.value)
    }

    fn owners(&self) -> MutexGuard<'_, CacheOwners<K>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn kept(cache: &SharedCache<u32, ()>, keys: std::ops::Range<u32>) -> Vec<u32> {
        keys.filter(|key| cache.contains(key)).collect()
    }

    #[test]
    fn a_cache_is_bounded_and_its_oldest_unused_entry_leaves_first() {
        let cache = SharedCache::new(3);
        (0..3).for_each(|key| cache.insert(key, (), 1, None));
        assert_eq!((cache.get(&0), cache.get(&7)), (Some(()), None));
        cache.insert(3, (), 1, None);
        assert_eq!((kept(&cache, 0..9), cache.weight()), (vec![0, 2, 3], 3));
        cache.insert(4, (), 4, None);
        cache.insert(3, (), 4, None);
        assert_eq!((kept(&cache, 0..9), cache.weight()), (vec![0, 2], 2), "heavier than the cache");
        cache.insert(2, (), 3, None);
        assert_eq!((kept(&cache, 0..9), cache.weight()), (vec![2], 3), "an entry grew");
        assert_eq!((cache.remove(&2), cache.remove(&2), cache.weight()), (Some(()), None, 0));
        assert!(cache.owners().shares.is_empty());
        let none = SharedCache::new(0);
        none.insert(1, (), 0, None);
        assert!(!none.contains(&1));
    }

    #[test]
    fn whoever_keeps_most_gives_way_and_nobody_else() {
        let cache = SharedCache::new(10);
        (0..10).for_each(|key| cache.insert(key, (), 1, ONE));
        (10..15).for_each(|key| cache.insert(key, (), 1, OTHER));
        assert_eq!(kept(&cache, 0..20), (5..15).collect::<Vec<_>>());
        (20..1_000).for_each(|key| cache.insert(key, (), 1, ONE));
        assert_eq!(kept(&cache, 10..15).len(), 5, "what the other has is no more than half");
        assert_eq!(cache.weight(), 10);
    }
}

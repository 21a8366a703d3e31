//! Hash tables whose keys are short: object numbers and names.
//!
//! The hash of the standard library takes some 180 instructions for a number, which came to a twentieth of a split. foldhash
//! multiplies and folds, by words that are drawn for each process, and no file sees what comes of it.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// A map by short keys.
pub(crate) type KeyedMap<K, V> = HashMap<K, V, RandomState>;

/// A set of short keys.
pub(crate) type KeyedSet<K> = HashSet<K, RandomState>;

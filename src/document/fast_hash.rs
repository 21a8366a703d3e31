//! Hash tables for short keys such as object numbers and names.
//!
//! The standard library's hash took a twentieth of a split. foldhash is fast, and seeded for each process.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

/// A map with short keys.
pub type FastMap<K, V> = HashMap<K, V, RandomState>;

/// A set with short keys.
pub type FastSet<K> = HashSet<K, RandomState>;

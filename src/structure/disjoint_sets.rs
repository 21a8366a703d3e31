//! Disjoint sets of indices (union–find).

pub(crate) struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// The indices below `count`, each in a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The smallest index of the set, which stands for it.
    pub(crate) fn find(&mut self, mut at: usize) -> usize {
        while let Some(parent) = self.0.get(at).copied().filter(|p| *p != at) {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.0.get_mut(at) {
                *slot = above;
            }
            at = above;
        }
        at
    }

    /// Makes the sets of two indices one.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if let Some(slot) = self.0.get_mut(a.max(b)) {
            *slot = a.min(b);
        }
    }
}

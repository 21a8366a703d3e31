//! Edges that touch: each group may be a grid.

use std::collections::BTreeMap;

use crate::tables::layout::edges::{Edge, Edges};

/// Edges that end this near to another edge touch it.
const TOUCH: f32 = 2.5;

/// Edges that touch each other.
#[derive(Debug, Default)]
pub(super) struct Component {
    pub(super) horizontal: Vec<Edge>,
    pub(super) vertical: Vec<Edge>,
}

/// Groups of edges that touch.
pub(super) fn components(edges: &Edges) -> Vec<Component> {
    let count = edges.horizontal.len();
    let mut sets = Sets::new(count + edges.vertical.len());
    for (at, vertical) in edges.vertical.iter().enumerate() {
        let first = edges.horizontal.partition_point(|h| h.at < vertical.start - TOUCH);
        let reach = edges.horizontal.iter().enumerate().skip(first).take_while(|(_, h)| h.at <= vertical.end + TOUCH);
        for (other, _) in reach.filter(|(_, h)| h.start - TOUCH <= vertical.at && vertical.at <= h.end + TOUCH) {
            sets.join(other, count + at);
        }
    }
    let mut groups: BTreeMap<usize, Component> = BTreeMap::new();
    for (at, edge) in edges.horizontal.iter().enumerate() {
        groups.entry(sets.find(at)).or_default().horizontal.push(*edge);
    }
    for (at, edge) in edges.vertical.iter().enumerate() {
        groups.entry(sets.find(count + at)).or_default().vertical.push(*edge);
    }
    groups.into_values().filter(|c| c.horizontal.len() >= 2 && c.vertical.len() >= 2).collect()
}

/// Disjoint sets of numbers.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn find(&mut self, mut at: usize) -> usize {
        while let Some(parent) = self.0.get(at).copied().filter(|p| *p != at) {
            let above = self.0.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.0.get_mut(at) {
                *slot = above;
            }
            at = above;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if let Some(slot) = self.0.get_mut(a.max(b)) {
            *slot = a.min(b);
        }
    }
}

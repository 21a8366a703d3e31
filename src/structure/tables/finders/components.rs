//! Edges that touch: each group may be a grid.

use std::collections::BTreeMap;

use crate::disjoint_sets::DisjointSets;
use crate::tables::layout::edges::{Edge, Edges};

/// Edges that end this near to another edge touch it.
pub(super) const TOUCH: f32 = 2.5;

/// Edges that touch each other.
#[derive(Debug, Default)]
pub(super) struct Component {
    pub(super) horizontal: Vec<Edge>,
    pub(super) vertical: Vec<Edge>,
}

/// Groups of edges that touch.
pub(super) fn components(edges: &Edges) -> Vec<Component> {
    let count = edges.horizontal.len();
    let mut sets = DisjointSets::new(count + edges.vertical.len());
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

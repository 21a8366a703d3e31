//! Name trees (ISO 32000-2, 7.9.6) and number trees (7.9.7).
//!
//! A tree is always read whole. `/Limits` would make look-ups faster, but is wrong in real files.

use crate::error::DocumentError;
use crate::object::{Dictionary, Object, ObjectId};
use crate::objects::Objects;
use std::collections::HashSet;

/// The most entries of one tree that are read. The largest known real tree has 70,000.
const MAX_ENTRIES: usize = 250_000;

/// The two kinds of tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyTree {
    /// Keys are strings, in `/Names`.
    Names,
    /// Keys are integers, in `/Nums`.
    Numbers,
}

impl KeyTree {
    fn pairs_key(self) -> &'static [u8] {
        match self {
            Self::Names => b"Names",
            Self::Numbers => b"Nums",
        }
    }

    /// The entries of the tree at `root`, in its order: at most [`MAX_ENTRIES`], each node once.
    pub(crate) fn entries(self, objects: &dyn Objects, root: &Object) -> Result<Vec<(Object, Object)>, DocumentError> {
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        let mut nodes = vec![root.clone()];
        while let Some(node) = nodes.pop() {
            objects.limits().deadline.check()?;
            if node.as_reference().is_some_and(|id: ObjectId| !seen.insert(id)) {
                continue;
            }
            let node = objects.resolve(&node)?;
            let Some(node) = node.as_dictionary() else { continue };
            self.add_pairs(objects, node, &mut entries)?;
            if entries.len() >= MAX_ENTRIES || nodes.len() >= MAX_ENTRIES {
                break;
            }
            let kids = objects.get(node, b"Kids")?;
            nodes.extend(kids.as_array().unwrap_or_default().iter().rev().cloned());
        }
        Ok(entries)
    }

    fn add_pairs(
        self,
        objects: &dyn Objects,
        node: &Dictionary,
        entries: &mut Vec<(Object, Object)>,
    ) -> Result<(), DocumentError> {
        let pairs = objects.get(node, self.pairs_key())?;
        for pair in pairs.as_array().unwrap_or_default().chunks_exact(2) {
            objects.limits().deadline.check()?;
            let [key, value] = pair else { continue };
            if entries.len() >= MAX_ENTRIES {
                break;
            }
            entries.push((objects.resolve(key)?.clone(), value.clone()));
        }
        Ok(())
    }
}

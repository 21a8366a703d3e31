//! A field with the fields above it, from which it inherits (ISO 32000-2, 12.7.4.1).

use crate::DocumentError;
use crate::object::{Dictionary, Object};
use crate::objects::Objects;
use std::sync::Arc;

/// The maximum depth of the field hierarchy.
const MAX_DEPTH: usize = 32;

/// A field or widget, and its ancestors from the nearest to the root.
pub(super) struct FieldChain<'a> {
    own: &'a Dictionary,
    ancestors: Vec<Arc<Object>>,
}

impl<'a> FieldChain<'a> {
    /// Follows `/Parent`, at most [`MAX_DEPTH`] times.
    pub(super) fn of(objects: &dyn Objects, own: &'a Dictionary) -> Result<Self, DocumentError> {
        let mut ancestors = Vec::new();
        let mut parent = own.get(b"Parent").and_then(Object::as_reference);
        while let Some(id) = parent.filter(|_| ancestors.len() < MAX_DEPTH) {
            let node = objects.fetch(id)?;
            parent = node.as_dictionary().and_then(|node| node.get(b"Parent")).and_then(Object::as_reference);
            if node.as_dictionary().is_none() {
                break;
            }
            ancestors.push(node);
        }
        Ok(Self { own, ancestors })
    }

    /// The value of `key`, own or inherited.
    pub(super) fn find(&self, key: &[u8]) -> Option<&Object> {
        self.dictionaries().find_map(|node| node.get(key)).filter(|value| !value.is_null())
    }

    /// The dictionaries from the field itself up to the root.
    pub(super) fn dictionaries(&self) -> impl DoubleEndedIterator<Item = &Dictionary> {
        std::iter::once(self.own).chain(self.ancestors.iter().filter_map(|node| node.as_dictionary()))
    }

    /// The nearest dictionary with a partial name: the field that a widget shows.
    pub(super) fn field(&self) -> &Dictionary {
        self.dictionaries().find(|node| node.get(b"T").is_some()).unwrap_or(self.own)
    }
}

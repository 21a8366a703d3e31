//! Attributes of structure elements (ISO 32000-2, 14.7.6), as far as they are read: the spans of table cells (14.8.5.7).

use super::StructureTree;
use crate::object::{Dictionary, Object};
use crate::objects::Objects;

/// The most attribute objects and classes of an element.
const MAX_ATTRIBUTES: usize = 32;

/// The most rows or columns of a cell.
const MAX_SPAN: i64 = 1_000;

/// The rows and the columns that a cell covers.
pub(super) fn spans(objects: &dyn Objects, tree: &StructureTree, element: &Dictionary) -> [u16; 2] {
    let list = |value: Option<&Object>| value.map_or_else(Vec::new, |value| items(objects, value));
    let classes = list(element.get(b"C"));
    let by_class = classes.iter().flat_map(|class| list(class.as_name().and_then(|name| tree.classes.get(name))));
    // The element's own attributes come last, and count.
    let found: Vec<Object> = by_class.chain(list(element.get(b"A"))).collect();
    let span = |key: &[u8]| {
        let spans = found.iter().filter_map(|attributes| table_attribute(objects, attributes, key));
        spans.last().and_then(|span| u16::try_from(span.clamp(1, MAX_SPAN)).ok()).unwrap_or(1)
    };
    [span(b"RowSpan"), span(b"ColSpan")]
}

/// The objects of an array, or the object itself.
fn items(objects: &dyn Objects, value: &Object) -> Vec<Object> {
    let resolve = |value: &Object| objects.resolve(value).map(|value| value.clone()).unwrap_or(Object::Null);
    match resolve(value) {
        Object::Array(items) => items.iter().take(MAX_ATTRIBUTES).map(resolve).collect(),
        item => vec![item],
    }
}

fn table_attribute(objects: &dyn Objects, attributes: &Object, key: &[u8]) -> Option<i64> {
    let attributes = attributes
        .as_dictionary()
        .filter(|attributes| attributes.get(b"O").is_some_and(|owner| owner.is_name(b"Table")))?;
    objects.get(attributes, key).ok()?.as_integer()
}

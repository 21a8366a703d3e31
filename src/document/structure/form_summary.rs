//! Counts the fields of the interactive form (ISO 32000-2, 12.7).

use crate::ParsedDocument;
use crate::error::DocumentError;
use crate::object::{Dictionary, Object, ObjectId};
use crate::objects::Objects;
use std::collections::HashSet;

/// The most nodes of the field hierarchy that are visited. The largest known real form has 6,000.
const MAX_NODES: usize = 250_000;

/// The most nodes of a remote document, and so the most fields that are counted there: they may stand far from each other.
pub const MAX_REMOTE_FIELDS: usize = 100;

/// Facts about a form, without its values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FormSummary {
    /// Fields without fields below them.
    pub(crate) terminal_fields: usize,
    /// Whether a signature field has a value.
    pub(crate) is_signed: bool,
}

/// A node to visit, with what it inherits of `/FT` and `/V`.
struct Node {
    field: Object,
    is_signature: bool,
    has_value: bool,
}

impl FormSummary {
    /// Walks `/AcroForm` of the catalog, each node once.
    pub(crate) fn read(parsed: &ParsedDocument) -> Result<Self, DocumentError> {
        let mut summary = Self::default();
        visit_terminal_fields(parsed, &mut |_, is_signed| {
            summary.terminal_fields += 1;
            summary.is_signed |= is_signed;
            Ok(())
        })?;
        summary.is_signed |= is_cut(parsed, &summary) && has_signatures(parsed)?;
        Ok(summary)
    }
}

/// Whether there may be more fields than were counted.
fn is_cut(parsed: &ParsedDocument, summary: &FormSummary) -> bool {
    parsed.objects.is_remote() && summary.terminal_fields >= MAX_REMOTE_FIELDS
}

/// Whether the form says that it has signatures: bit 1 of `/SigFlags` (table 225).
fn has_signatures(parsed: &ParsedDocument) -> Result<bool, DocumentError> {
    let objects = &*parsed.objects;
    let form = objects.get(&parsed.catalog, b"AcroForm")?;
    let Some(form) = form.as_dictionary() else { return Ok(false) };
    Ok(objects.get(form, b"SigFlags")?.as_integer().is_some_and(|flags| flags & 1 == 1))
}

/// Called with a terminal field, and whether it is a signature field with a value.
type FieldVisitor<'a> = dyn FnMut(&Dictionary, bool) -> Result<(), DocumentError> + 'a;

/// Calls `visit` for each terminal field (ISO 32000-2, 12.7.4) in the order of the form. It visits at most [`MAX_NODES`], and
/// at most [`MAX_REMOTE_FIELDS`] of a remote document.
pub(crate) fn visit_terminal_fields(
    parsed: &ParsedDocument,
    visit: &mut FieldVisitor<'_>,
) -> Result<(), DocumentError> {
    let objects = &*parsed.objects;
    let form = objects.get(&parsed.catalog, b"AcroForm")?;
    let Some(form) = form.as_dictionary() else { return Ok(()) };
    let fields = objects.get(form, b"Fields")?;
    let mut seen: HashSet<ObjectId> = HashSet::new();
    let max_visited = if objects.is_remote() { MAX_REMOTE_FIELDS } else { MAX_NODES };
    let (mut pending, mut visited) = (Vec::new(), 0);
    add_nodes(&mut pending, fields.as_array().unwrap_or_default(), false, false);
    while let Some(node) = pending.pop() {
        objects.limits().deadline.check()?;
        let is_new = node.field.as_reference().is_none_or(|id| seen.insert(id));
        if is_new && pending.len() < MAX_NODES && visited < max_visited {
            visited += visit_node(objects, &node, &mut pending, visit)?;
        }
    }
    Ok(())
}

/// Visits a terminal field, or adds the fields below. Returns the number of fields visited.
fn visit_node(
    objects: &dyn Objects,
    node: &Node,
    pending: &mut Vec<Node>,
    visit: &mut FieldVisitor<'_>,
) -> Result<usize, DocumentError> {
    let field = objects.resolve(&node.field)?;
    let Some(field) = field.as_dictionary() else { return Ok(0) };
    let is_signature = match &*objects.get(field, b"FT")? {
        Object::Name(kind) => kind.as_bytes() == b"Sig",
        _ => node.is_signature,
    };
    // Only the value of a signature is looked at: it may stand anywhere in the file.
    let value = field.get(b"V").unwrap_or(&Object::Null);
    let has_value = node.has_value || if is_signature { !objects.resolve(value)?.is_null() } else { !value.is_null() };
    let kids = objects.get(field, b"Kids")?;
    let kids = kids.as_array().unwrap_or_default();
    if has_fields_below(objects, kids)? {
        add_nodes(pending, kids, is_signature, has_value);
        return Ok(0);
    }
    visit(field, is_signature && has_value)?;
    Ok(1)
}

/// Adds nodes so that the first is visited next.
fn add_nodes(pending: &mut Vec<Node>, fields: &[Object], is_signature: bool, has_value: bool) {
    pending.extend(fields.iter().rev().map(|field| Node { field: field.clone(), is_signature, has_value }));
}

/// Whether kids are fields, which have a partial name (12.7.4.2), rather than widgets. Of a remote document the first
/// alone is read.
fn has_fields_below(objects: &dyn Objects, kids: &[Object]) -> Result<bool, DocumentError> {
    for kid in kids.iter().take(if objects.is_remote() { 1 } else { usize::MAX }) {
        objects.limits().deadline.check()?;
        let kid = objects.resolve(kid)?;
        if kid.as_dictionary().is_some_and(|kid: &Dictionary| kid.get(b"T").is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

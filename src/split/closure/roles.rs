//! Roles of objects, which decide the entries that a chunk keeps.
//!
//! - Kept: what is drawn, the values of annotations and form fields, and optional content.
//! - Dropped: links to other pages and the document (structure, article beads, named destinations), active content
//!   (scripts, launch, submit, media), data for tools (metadata, private data, thumbnails), and embedded files.

use super::Closure;
use crate::resources::ResourceScope;
use pagewise_document::DocumentError;
use pagewise_document::object::{Dictionary, Object, ObjectId};
use std::collections::{BTreeSet, HashSet};

/// The use of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectRole {
    /// Any object without rules of its own.
    Other,
    /// A stream's dictionary.
    Stream,
    /// A page's content streams.
    Contents,
    /// A resource dictionary.
    Resources(ResourceScope),
    /// The dictionary of one category within a resource dictionary.
    Category {
        /// The scope whose used names are kept.
        scope: ResourceScope,
        /// Whether the category is `/ColorSpace`, where some entries are kept without being named.
        is_color: bool,
    },
    /// The page's array of annotations.
    Annotations,
    /// An annotation (12.5), including widgets that are form fields.
    Annotation,
    /// An annotation that another one refers to.
    RelatedAnnotation,
    /// An interactive form field above a widget (12.7.4).
    Field,
    /// The kids of a field.
    Kids,
    /// The value of a signature field (12.8.1).
    Signature,
    /// An action (12.6).
    Action,
}

impl ObjectRole {
    /// The role of a stream's dictionary.
    pub(crate) fn of_stream(self) -> Self {
        Self::Stream
    }

    /// The role of an array's elements.
    pub(crate) fn of_elements(self) -> Self {
        match self {
            Self::Annotations => Self::Annotation,
            Self::Kids => Self::Field,
            other => other,
        }
    }

    /// Whether null elements of an array are dropped instead of written.
    pub(crate) fn drops_null_elements(self) -> bool {
        matches!(self, Self::Annotations | Self::Contents | Self::Kids)
    }

    /// The role of the indirect object `id` that is referred to in this role.
    pub(crate) fn of_indirect(self, id: ObjectId) -> Self {
        match self {
            Self::Resources(_) => Self::Resources(ResourceScope::Indirect(id.number)),
            other => other,
        }
    }
}

/// The objects of the source that belong to the chunk's pages, found before the closure is followed.
#[derive(Default)]
pub(crate) struct ChunkMembers {
    /// The page objects, in order; `None` for a page that is a direct object in the page tree.
    pub(crate) pages: Vec<Option<ObjectId>>,
    page_numbers: HashSet<Option<u32>>,
    /// The annotations in the pages' `/Annots`.
    pub(crate) annotations: BTreeSet<ObjectId>,
    /// Whether any of the annotations is a widget.
    pub(crate) has_widgets: bool,
    /// The pages' widgets and the fields above them.
    pub(crate) fields: BTreeSet<ObjectId>,
    /// The form's root fields that lead to the pages' widgets, in the form's order.
    pub(crate) roots: Vec<ObjectId>,
    /// Object numbers of the document's optional content groups.
    pub(crate) groups: BTreeSet<u32>,
}

impl ChunkMembers {
    /// The pages and the document's optional content groups.
    pub(crate) fn new(pages: Vec<Option<ObjectId>>, groups: BTreeSet<u32>) -> Self {
        let page_numbers = pages.iter().map(|page| page.map(|id| id.number)).collect();
        Self { pages, page_numbers, groups, ..Self::default() }
    }

    /// Whether `reference` refers to a page of the chunk.
    fn is_page(&self, reference: Option<ObjectId>) -> bool {
        self.page_numbers.contains(&reference.map(|id| id.number))
    }
}

/// Whether a dictionary may be part of the chunk in this role.
pub(crate) fn is_kept(
    closure: &Closure<'_>,
    dictionary: &Dictionary,
    role: ObjectRole,
    itself: Option<ObjectId>,
) -> Result<bool, DocumentError> {
    let is_in = |set: &BTreeSet<ObjectId>| itself.is_some_and(|id| set.contains(&id));
    Ok(match role {
        ObjectRole::Action => is_kept_action(closure, dictionary)?,
        ObjectRole::RelatedAnnotation => is_in(&closure.members.annotations),
        ObjectRole::Field => is_in(&closure.members.fields),
        ObjectRole::Annotation => !is_document_structure(dictionary),
        _ => !is_document_structure(dictionary) && !is_script(dictionary),
    })
}

/// Whether a dictionary is a page, a node of the page tree, the catalog, or a structure element. Pages without `/Type`
/// are recognised by their entries.
pub(crate) fn is_document_structure(dictionary: &Dictionary) -> bool {
    match dictionary.get(b"Type").and_then(Object::as_name) {
        Some(b"Page" | b"Pages" | b"Catalog" | b"StructElem" | b"StructTreeRoot" | b"Template" | b"Outlines") => true,
        Some(_) => false,
        None => {
            let has = |key: &[u8]| dictionary.get(key).is_some();
            let is_page = has(b"Parent") && (has(b"MediaBox") || has(b"Contents") && has(b"Resources"));
            let is_node = has(b"Kids") && has(b"Count");
            (is_page || is_node) && !has(b"Subtype") && !has(b"FT")
        }
    }
}

fn is_script(dictionary: &Dictionary) -> bool {
    dictionary.get(b"S").is_some_and(|kind| kind.is_name(b"JavaScript")) && dictionary.get(b"JS").is_some()
}

/// Whether an action (12.6.4) is kept: links are, active content is not.
fn is_kept_action(closure: &Closure<'_>, action: &Dictionary) -> Result<bool, DocumentError> {
    let kind = closure.objects.get(action, b"S")?;
    Ok(match kind.as_name() {
        Some(b"URI" | b"GoToR" | b"Named") => true,
        Some(b"GoTo") => is_kept_destination(closure, action.get(b"D").unwrap_or(&Object::Null))?,
        _ => false,
    })
}

/// Whether a destination is kept: one on a page of the chunk, or a named one, which then leads nowhere.
fn is_kept_destination(closure: &Closure<'_>, destination: &Object) -> Result<bool, DocumentError> {
    let destination = closure.objects.resolve(destination)?;
    Ok(match &*destination {
        Object::String(_) | Object::Name(_) => true,
        Object::Array(parts) => {
            let page = parts.first().and_then(Object::as_reference);
            page.is_some() && closure.members.is_page(page)
        }
        _ => false,
    })
}

/// The role of the value of `key`; `None` if the entry is dropped.
pub(crate) fn entry_role(
    closure: &Closure<'_>,
    dictionary: &Dictionary,
    key: &[u8],
    value: &Object,
    role: ObjectRole,
    holder: ResourceScope,
) -> Result<Option<ObjectRole>, DocumentError> {
    if is_dropped_everywhere(dictionary, key, role) {
        return Ok(None);
    }
    Ok(match role {
        ObjectRole::Annotation | ObjectRole::Field | ObjectRole::RelatedAnnotation => {
            annotation_entry_role(closure, dictionary, key, value)?
        }
        ObjectRole::Stream => match key {
            // The length is written with the data; external data (7.3.8.2) is never fetched.
            b"Length" | b"F" | b"FFilter" | b"FDecodeParms" | b"DL" => None,
            // Without a filter they are meaningless, but the writer may add one.
            b"DecodeParms" if closure.objects.get(dictionary, b"Filter")?.is_null() => None,
            // A script of a 3D stream (13.6.3).
            b"OnInstantiate" => None,
            b"Resources" => Some(ObjectRole::Resources(holder)),
            _ => Some(ObjectRole::Other),
        },
        ObjectRole::Signature => match key {
            b"Type" | b"Filter" | b"SubFilter" | b"Name" | b"M" | b"Location" | b"Reason" | b"ContactInfo" => {
                Some(ObjectRole::Other)
            }
            _ => None,
        },
        ObjectRole::Action => match key {
            b"Next" => None,
            _ => Some(ObjectRole::Other),
        },
        _ => match key {
            b"Resources" => Some(ObjectRole::Resources(holder)),
            b"EF" | b"RF" if is_file_specification(dictionary) || is_embedded_file_dictionary(closure, value)? => None,
            b"Metadata" if is_metadata(closure, value)? => None,
            _ => Some(ObjectRole::Other),
        },
    })
}

/// Whether a value is an embedded file dictionary (7.11.3).
fn is_embedded_file_dictionary(closure: &Closure<'_>, value: &Object) -> Result<bool, DocumentError> {
    let value = closure.objects.resolve(value)?;
    let Object::Dictionary(files) = &*value else { return Ok(false) };
    Ok([&b"F"[..], b"UF", b"DOS", b"Mac", b"Unix"].iter().any(|key| files.get(key).is_some()))
}

fn is_metadata(closure: &Closure<'_>, value: &Object) -> Result<bool, DocumentError> {
    let value = closure.objects.resolve(value)?;
    Ok(value.as_stream().is_some_and(|stream| stream.dictionary.is_type(b"Metadata")))
}

fn is_dropped_everywhere(dictionary: &Dictionary, key: &[u8], role: ObjectRole) -> bool {
    match key {
        b"StructParent" | b"StructParents" | b"PieceInfo" | b"LastModified" => true,
        b"Metadata" | b"AF" => role != ObjectRole::Other || dictionary.get(b"Type").is_some(),
        _ => false,
    }
}

fn is_file_specification(dictionary: &Dictionary) -> bool {
    dictionary.is_type(b"Filespec")
        || dictionary.is_type(b"F")
        || dictionary.get(b"F").is_some()
        || dictionary.get(b"UF").is_some()
}

/// Whether the value of a field is a signature. The field may inherit its type.
fn is_signature(closure: &Closure<'_>, field: &Dictionary, value: &Object) -> Result<bool, DocumentError> {
    let value = closure.objects.resolve(value)?;
    let signs = value.as_dictionary().is_some_and(|value| value.is_type(b"Sig") || value.get(b"ByteRange").is_some());
    Ok(signs || closure.objects.get(field, b"FT")?.is_name(b"Sig"))
}

fn annotation_entry_role(
    closure: &Closure<'_>,
    dictionary: &Dictionary,
    key: &[u8],
    value: &Object,
) -> Result<Option<ObjectRole>, DocumentError> {
    Ok(match key {
        b"P" => closure.members.is_page(value.as_reference()).then_some(ObjectRole::Other),
        // Additional actions are active content; `/PA` is a relic of web capture.
        b"AA" | b"PA" => None,
        b"A" => Some(ObjectRole::Action),
        b"Dest" => is_kept_destination(closure, value)?.then_some(ObjectRole::Other),
        b"Popup" | b"IRT" => Some(ObjectRole::RelatedAnnotation),
        b"Parent" if closure.objects.get(dictionary, b"Subtype")?.is_name(b"Popup") => {
            Some(ObjectRole::RelatedAnnotation)
        }
        b"Parent" => Some(ObjectRole::Field),
        b"Kids" => Some(ObjectRole::Kids),
        b"V" | b"DV" if is_signature(closure, dictionary, value)? => Some(ObjectRole::Signature),
        b"Resources" => None,
        _ => Some(ObjectRole::Other),
    })
}

//! What a thing on a page is for, and which of its entries a chunk keeps.
//!
//! Kept: what is drawn, what the annotations and form fields say, what optional content needs. Dropped: what leads to
//! other pages or the document (structure, threads, article beads, named destinations' targets), what runs (scripts,
//! launching, submitting, media), what only tools read (metadata, private data, thumbnails), and embedded files.

use super::closure::Closure;
use super::resources::Place;
use crate::document::DocumentError;
use crate::document::object::{Dictionary, Object, ObjectId};
use std::collections::{BTreeSet, HashSet};

/// What an object is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Anything without a rule of its own.
    Other,
    /// A stream's dictionary.
    Stream,
    /// A page's content streams.
    Contents,
    /// A resource dictionary.
    Resources(Place),
    /// A resource dictionary's dictionary of one category.
    Category {
        /// Whose used names count.
        place: Place,
        /// Whether the category is `/ColorSpace`, some of whose entries matter without being named.
        is_color: bool,
    },
    /// The page's array of annotations.
    Annotations,
    /// An annotation (12.5), also one that is a form field.
    Annotation,
    /// An annotation that another one refers to.
    RelatedAnnotation,
    /// An interactive form field above a widget (12.7.4).
    Field,
    /// A field's kids.
    Kids,
    /// A signature field's value (12.8.1).
    Signature,
    /// An action (12.6).
    Action,
}

impl Role {
    /// The role of a stream's dictionary that has this role by its reference.
    pub(super) fn of_stream(self) -> Self {
        Self::Stream
    }

    /// The role of an array's elements.
    pub(super) fn of_elements(self) -> Self {
        match self {
            Self::Annotations => Self::Annotation,
            Self::Kids => Self::Field,
            other => other,
        }
    }

    /// Whether elements that come to null are left out instead of being written as null.
    pub(super) fn drops_null_elements(self) -> bool {
        matches!(self, Self::Annotations | Self::Contents | Self::Kids)
    }

    /// The role of the indirect object `id` that is referred to in this role.
    pub(super) fn of_indirect(self, id: ObjectId) -> Self {
        match self {
            Self::Resources(_) => Self::Resources(Place::Indirect(id.number)),
            other => other,
        }
    }
}

/// What is known of the chunk's pages before their closure is followed.
#[derive(Default)]
pub(super) struct PageParts {
    /// The pages as objects, in order; `None` for one that stands directly in the page tree.
    pub(super) pages: Vec<Option<ObjectId>>,
    /// Their numbers.
    page_numbers: HashSet<Option<u32>>,
    /// The annotations in the pages' `/Annots`.
    pub(super) annotations: BTreeSet<ObjectId>,
    /// Whether any annotation is a widget.
    pub(super) has_widgets: bool,
    /// The pages' widgets and the fields above them.
    pub(super) fields: BTreeSet<ObjectId>,
    /// The form's fields that are above the pages' widgets or are widgets themselves, in the form's order.
    pub(super) roots: Vec<ObjectId>,
    /// Numbers of the document's optional content groups.
    pub(super) groups: BTreeSet<u32>,
}

impl PageParts {
    /// What is known before anything was looked at: the pages, and the document's optional content groups.
    pub(super) fn of(pages: Vec<Option<ObjectId>>, groups: BTreeSet<u32>) -> Self {
        let page_numbers = pages.iter().map(|page| page.map(|id| id.number)).collect();
        Self { pages, page_numbers, groups, ..Self::default() }
    }

    /// Whether `reference` leads to a page of the chunk.
    fn is_page(&self, reference: Option<ObjectId>) -> bool {
        self.page_numbers.contains(&reference.map(|id| id.number))
    }
}

/// Whether a dictionary may be part of the chunk in this role.
pub(super) fn is_kept(
    closure: &Closure<'_>,
    dictionary: &Dictionary,
    role: Role,
    itself: Option<ObjectId>,
) -> Result<bool, DocumentError> {
    let is_in = |set: &BTreeSet<ObjectId>| itself.is_some_and(|id| set.contains(&id));
    Ok(match role {
        Role::Action => is_kept_action(closure, dictionary)?,
        Role::RelatedAnnotation => is_in(&closure.parts.annotations),
        Role::Field => is_in(&closure.parts.fields),
        Role::Annotation => !is_of_the_document(dictionary),
        _ => !is_of_the_document(dictionary) && !is_script(dictionary),
    })
}

/// Whether a dictionary is a node of the page tree, the catalog or a structure element. Pages without a `/Type`
/// are known by their content.
pub(super) fn is_of_the_document(dictionary: &Dictionary) -> bool {
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

/// Actions that show where something leads are kept; those that run something are not (12.6.4).
fn is_kept_action(closure: &Closure<'_>, action: &Dictionary) -> Result<bool, DocumentError> {
    let kind = closure.objects.get(action, b"S")?;
    Ok(match kind.as_name() {
        Some(b"URI" | b"GoToR" | b"Named") => true,
        Some(b"GoTo") => is_kept_destination(closure, action.get(b"D").unwrap_or(&Object::Null))?,
        _ => false,
    })
}

/// A destination on a page of the chunk, or a named one, whose name then leads nowhere.
fn is_kept_destination(closure: &Closure<'_>, destination: &Object) -> Result<bool, DocumentError> {
    let destination = closure.objects.resolve(destination)?;
    Ok(match &*destination {
        Object::String(_) | Object::Name(_) => true,
        Object::Array(parts) => {
            let page = parts.first().and_then(Object::as_reference);
            page.is_some() && closure.parts.is_page(page)
        }
        _ => false,
    })
}

/// The role of the value of `key`; `None` where the entry is dropped.
pub(super) fn of_entry(
    closure: &Closure<'_>,
    dictionary: &Dictionary,
    key: &[u8],
    value: &Object,
    role: Role,
    holder: Place,
) -> Result<Option<Role>, DocumentError> {
    if is_dropped_everywhere(dictionary, key, role) {
        return Ok(None);
    }
    Ok(match role {
        Role::Annotation | Role::Field | Role::RelatedAnnotation => {
            of_annotation_entry(closure, dictionary, key, value)?
        }
        Role::Stream => match key {
            // The length is written with the data; external data (7.3.8.2) is never fetched.
            b"Length" | b"F" | b"FFilter" | b"FDecodeParms" | b"DL" => None,
            // Without a filter they mean nothing, until the writer gives the stream one.
            b"DecodeParms" if closure.objects.get(dictionary, b"Filter")?.is_null() => None,
            // A script of a 3D stream (13.6.3).
            b"OnInstantiate" => None,
            b"Resources" => Some(Role::Resources(holder)),
            _ => Some(Role::Other),
        },
        Role::Signature => match key {
            b"Type" | b"Filter" | b"SubFilter" | b"Name" | b"M" | b"Location" | b"Reason" | b"ContactInfo" => {
                Some(Role::Other)
            }
            _ => None,
        },
        Role::Action => match key {
            b"Next" => None,
            _ => Some(Role::Other),
        },
        _ => match key {
            b"Resources" => Some(Role::Resources(holder)),
            b"EF" | b"RF" if is_file_specification(dictionary) || is_embedding(closure, value)? => None,
            b"Metadata" if is_metadata(closure, value)? => None,
            _ => Some(Role::Other),
        },
    })
}

/// Whether a value is one of `/EF` (7.11.3), whatever it stands in.
fn is_embedding(closure: &Closure<'_>, value: &Object) -> Result<bool, DocumentError> {
    let value = closure.objects.resolve(value)?;
    let Object::Dictionary(files) = &*value else { return Ok(false) };
    Ok([&b"F"[..], b"UF", b"DOS", b"Mac", b"Unix"].iter().any(|key| files.get(key).is_some()))
}

fn is_metadata(closure: &Closure<'_>, value: &Object) -> Result<bool, DocumentError> {
    let value = closure.objects.resolve(value)?;
    Ok(value.as_stream().is_some_and(|stream| stream.dictionary.is_type(b"Metadata")))
}

fn is_dropped_everywhere(dictionary: &Dictionary, key: &[u8], role: Role) -> bool {
    match key {
        b"StructParent" | b"StructParents" | b"PieceInfo" | b"LastModified" => true,
        b"Metadata" | b"AF" => role != Role::Other || dictionary.get(b"Type").is_some(),
        _ => false,
    }
}

fn is_file_specification(dictionary: &Dictionary) -> bool {
    dictionary.is_type(b"Filespec")
        || dictionary.is_type(b"F")
        || dictionary.get(b"F").is_some()
        || dictionary.get(b"UF").is_some()
}

/// Whether the value of a field is a signature; the field's type may stand in a field above it.
fn is_signature(closure: &Closure<'_>, field: &Dictionary, value: &Object) -> Result<bool, DocumentError> {
    let value = closure.objects.resolve(value)?;
    let signs = value.as_dictionary().is_some_and(|value| value.is_type(b"Sig") || value.get(b"ByteRange").is_some());
    Ok(signs || closure.objects.get(field, b"FT")?.is_name(b"Sig"))
}

fn of_annotation_entry(
    closure: &Closure<'_>,
    dictionary: &Dictionary,
    key: &[u8],
    value: &Object,
) -> Result<Option<Role>, DocumentError> {
    Ok(match key {
        b"P" => closure.parts.is_page(value.as_reference()).then_some(Role::Other),
        // Additional actions run; a URI's previous action is a relic of web capture.
        b"AA" | b"PA" => None,
        b"A" => Some(Role::Action),
        b"Dest" => is_kept_destination(closure, value)?.then_some(Role::Other),
        b"Popup" | b"IRT" => Some(Role::RelatedAnnotation),
        b"Parent" if closure.objects.get(dictionary, b"Subtype")?.is_name(b"Popup") => Some(Role::RelatedAnnotation),
        b"Parent" => Some(Role::Field),
        b"Kids" => Some(Role::Kids),
        b"V" | b"DV" if is_signature(closure, dictionary, value)? => Some(Role::Signature),
        b"Resources" => None,
        _ => Some(Role::Other),
    })
}

//! A page → a standalone PDF of one page ([`PageChunk`]).
//!
//! survey (annotations, fields, layers) → find the resources in use → follow the closure → write → read back.

mod catalog;
mod closure;
mod colors;
mod content;
mod fingerprint;
mod form;
mod names;
mod page;
mod resources;
mod roles;
mod serialize;
mod verify;
mod writer;

pub use fingerprint::fingerprint;
pub use verify::Unsound;

use crate::document::object::{Dictionary, Object};
use crate::document::objects::Objects;
use crate::document::{Document, DocumentError, Leaf, Reading, Tier};
use crate::page::PageIndex;
use closure::{Closure, PAGE};
use roles::PageParts;
use std::collections::BTreeSet;

/// A page as a PDF of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageChunk {
    /// The file.
    pub bytes: Vec<u8>,
    /// The reader that it was made with.
    pub tier: Tier,
    /// What was assumed or repaired.
    pub notes: Vec<CutNote>,
}

/// Something about a chunk that its reader may want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CutNote {
    /// The page has no usable media box.
    #[error("the page has no usable MediaBox; US Letter is assumed")]
    MediaBoxAssumed,
    /// Content does not decode to its end.
    #[error("some content of the page does not decode to its end; it is copied as it is")]
    ContentDamaged,
    /// Content, or a resource, that the page names is not in the file.
    #[error("some content that the page names is not in the file")]
    ContentLost,
}

/// Why no chunk could be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// The document could not be read as far as the page needs it.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// What was made is no sound PDF of one page; it does not leave.
    #[error("the page was cut, but {0}")]
    Unsound(#[from] Unsound),
}

impl CutError {
    fn is_worth_another_reader(&self) -> bool {
        match self {
            Self::Document(error) => error.is_worth_another_reader(),
            Self::Unsound(_) => true,
        }
    }
}

/// Cuts the page at `index` out of `document`.
///
/// The same page gives the same bytes, in every process and on every machine.
///
/// # Errors
/// [`CutError::Document`] with [`DocumentError::PageOutOfRange`] past the end, with the first reader's error where no
/// reader gets through; [`CutError::Unsound`] where the result does not read back as one page.
pub fn cut(document: &Document, index: PageIndex) -> Result<PageChunk, CutError> {
    let label = document.page_label(index);
    let label = label.as_ref().map(|label| label.0.as_str());
    let attempt = |demand: Demand| {
        let make = |reading: &Reading, leaf: &Leaf| -> Result<_, CutError> {
            let (bytes, notes) = chunk(reading, leaf, label, demand)?;
            verify::verify(&bytes)?;
            Ok((bytes, notes))
        };
        document.with_page(index, make, CutError::is_worth_another_reader)
    };
    let ((bytes, notes), reading) = match attempt(Demand::AllContent) {
        Err(CutError::Document(DocumentError::Damaged { .. })) => attempt(Demand::WhatIsThere)?,
        other => other?,
    };
    Ok(PageChunk { bytes, tier: reading.tier, notes })
}

/// How much of a page's content a reader must have found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Demand {
    /// Every stream that `/Contents` names: another reader may find what this one does not.
    AllContent,
    /// Any: no reader finds more.
    WhatIsThere,
}

fn chunk(
    reading: &Reading,
    leaf: &Leaf,
    label: Option<&str>,
    demand: Demand,
) -> Result<(Vec<u8>, Vec<CutNote>), DocumentError> {
    let (objects, limits) = (&*reading.objects, &reading.limits);
    let page = leaf.dictionary.as_dictionary().ok_or(DocumentError::damaged("a page that is no dictionary"))?;
    let lost = has_lost_content(objects, page.get(b"Contents").unwrap_or(&Object::Null))?;
    if lost && demand == Demand::AllContent {
        return Err(DocumentError::damaged("a page whose content is missing"));
    }
    let annotations = page.get(b"Annots").cloned().unwrap_or(Object::Null);
    let groups = groups_of(objects, &reading.catalog)?;
    let mut parts = PageParts { page_id: leaf.id, groups, ..PageParts::default() };
    form::survey(objects, limits, &reading.catalog, &annotations, &mut parts)?;
    let content = resources::PageContent {
        id: leaf.id,
        contents: page.get(b"Contents").unwrap_or(&Object::Null),
        resources: leaf.inherited.resources.as_ref().unwrap_or(&Object::Null),
        appearances: appearances(objects, &annotations)?,
    };
    let watch_colors = reading.catalog.get(b"OutputIntents").is_some();
    let used = resources::find(objects, limits, content, watch_colors)?;
    let mut closure = Closure::new(objects, limits, &parts, &used);
    let (body, media_box_assumed) = page::write(&mut closure, leaf, &annotations)?;
    closure.add(PAGE, body)?;
    closure.drain()?;
    catalog::write(&mut closure, &reading.catalog, label, used.device_colors)?;
    // What was said of the document while it was stopped, such as no label, must not get into a page.
    limits.deadline.check()?;
    let lost = lost || closure.has_lost_resources;
    let last_number = closure.last_number();
    let bytes = writer::write(closure.bodies, last_number, "1.7");
    let notes = [
        (media_box_assumed, CutNote::MediaBoxAssumed),
        (used.has_damaged_content, CutNote::ContentDamaged),
        (lost, CutNote::ContentLost),
    ];
    Ok((bytes, notes.into_iter().filter_map(|(applies, note)| applies.then_some(note)).collect()))
}

/// Numbers of the document's optional content groups (ISO 32000-2, 8.11.4.2).
fn groups_of(objects: &dyn Objects, catalog: &Dictionary) -> Result<BTreeSet<u32>, DocumentError> {
    let properties = objects.get(catalog, b"OCProperties")?;
    let Some(properties) = properties.as_dictionary() else { return Ok(BTreeSet::new()) };
    let groups = objects.get(properties, b"OCGs")?;
    let groups = groups.as_array().unwrap_or_default();
    Ok(groups.iter().filter_map(Object::as_reference).map(|id| id.number).collect())
}

/// The appearance streams of annotations, by state or not (12.5.5).
fn appearances(objects: &dyn Objects, annotations: &Object) -> Result<Vec<Object>, DocumentError> {
    let mut out = Vec::new();
    let annotations = objects.resolve(annotations)?;
    for annotation in annotations.as_array().unwrap_or_default() {
        objects.limits().deadline.check()?;
        let annotation = objects.resolve(annotation)?;
        let Some(annotation) = annotation.as_dictionary() else { continue };
        let by_kind = objects.get(annotation, b"AP")?;
        for (_, appearance) in by_kind.as_dictionary().into_iter().flat_map(Dictionary::iter) {
            let resolved = objects.resolve(appearance)?;
            match &*resolved {
                Object::Dictionary(by_state) => out.extend(by_state.iter().map(|(_, state)| state.clone())),
                _ => out.push(appearance.clone()),
            }
        }
        // Icons of buttons are forms too (12.5.6.19).
        let characteristics = objects.get(annotation, b"MK")?;
        for (_, value) in characteristics.as_dictionary().into_iter().flat_map(Dictionary::iter) {
            out.extend(value.as_reference().map(Object::Reference));
        }
    }
    Ok(out)
}

/// Whether `/Contents` names an object that is not there, or something that is no stream.
fn has_lost_content(objects: &dyn Objects, contents: &Object) -> Result<bool, DocumentError> {
    let resolved = objects.resolve(contents)?;
    let parts = resolved.as_array().unwrap_or(std::slice::from_ref(contents));
    for part in parts {
        if !part.is_null() && objects.resolve(part)?.as_stream().is_none() {
            return Ok(true);
        }
    }
    Ok(false)
}

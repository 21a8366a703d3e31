//! Pages and what they reach, put together as one file.

use super::closure::{Closure, page_number};
use super::colors::DeviceColors;
use super::form::{NamedField, Widget};
use super::resources::{PageContent, UsedResources};
use super::roles::PageParts;
use super::shared::Shared;
use super::writer::Written;
use super::{CutNote, catalog, form, page, resources, writer};
use crate::document::object::{Dictionary, Object};
use crate::document::objects::Objects;
use crate::document::{DocumentError, Leaf, Reading};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How much of a page's content a reader must have found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// Every stream that `/Contents` names: another reader may find what this one does not.
    AllContent,
    /// Any: no reader finds more.
    WhatIsThere,
}

/// A file of pages.
pub(super) struct Assembled {
    pub(super) written: Written,
    pub(super) notes: Vec<CutNote>,
    /// What the pages want of the document and cannot all have; then nothing was written.
    pub(super) conflict: Option<Conflict>,
}

/// What keeps pages from standing in one file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Fields of one name have different values on two pages.
    #[error("the form field {name:?} has different values on two pages")]
    FieldValues {
        /// The field's fully qualified name.
        name: String,
    },
    /// Two pages need different output intents.
    #[error("two pages have different output intents")]
    OutputIntents,
}

/// Writes `pages`, whose printed labels are `labels`, as one file.
pub(super) fn assemble(
    reading: &Reading,
    pages: &[Leaf],
    labels: &[Option<String>],
    demand: Demand,
) -> Result<Assembled, DocumentError> {
    Shared::with(reading, |shared| assemble_with(reading, pages, labels, demand, shared))
}

fn assemble_with(
    reading: &Reading,
    pages: &[Leaf],
    labels: &[Option<String>],
    demand: Demand,
    shared: &Shared,
) -> Result<Assembled, DocumentError> {
    let (objects, limits) = (&*reading.objects, &reading.limits);
    let groups = groups_of(objects, &reading.catalog)?;
    let mut parts = PageParts::of(pages.iter().map(|leaf| leaf.id).collect(), groups);
    let mut survey = Survey::default();
    for (before, leaf) in pages.iter().enumerate() {
        survey.page(reading, (before, leaf), demand, &mut parts, shared)?;
    }
    let Survey { annotations, widgets, used, colors, mut lost } = survey;
    form::find_roots(objects, limits, &reading.catalog, &widgets.concat(), &mut parts)?;
    if pages.len() > 1
        && let Some(conflict) = conflict(reading, &widgets, &colors)?
    {
        return Ok(Assembled { written: Written::default(), notes: Vec::new(), conflict: Some(conflict) });
    }
    let mut closure = Closure::new(objects, limits, &parts, &used, shared);
    let mut media_box_assumed = false;
    for (before, (leaf, annotations)) in pages.iter().zip(&annotations).enumerate() {
        let number = page_number(before);
        let (body, assumed) = page::write(&mut closure, number, leaf, annotations)?;
        media_box_assumed |= assumed;
        closure.add(number, body)?;
        closure.drain()?;
    }
    catalog::write(&mut closure, &reading.catalog, labels, used.device_colors)?;
    // What was said of the document while it was stopped, such as no label, must not get into a page.
    limits.deadline.check()?;
    lost |= closure.has_lost_resources;
    let last_number = closure.last_number();
    let written = writer::write(closure.bodies, last_number, "1.7", shared);
    let notes = [
        (media_box_assumed, CutNote::MediaBoxAssumed),
        (used.has_damaged_content, CutNote::ContentDamaged),
        (lost, CutNote::ContentLost),
    ];
    let notes = notes.into_iter().filter_map(|(applies, note)| applies.then_some(note)).collect();
    Ok(Assembled { written, notes, conflict: None })
}

/// What is found before anything is written.
#[derive(Default)]
struct Survey {
    /// Each page's `/Annots`.
    annotations: Vec<Object>,
    /// Each page's widgets.
    widgets: Vec<Vec<Widget>>,
    /// What all pages use.
    used: UsedResources,
    /// Each page's device colours.
    colors: Vec<DeviceColors>,
    /// Whether content is not in the file.
    lost: bool,
}

impl Survey {
    /// Looks at the page that comes after `before` others.
    fn page(
        &mut self,
        reading: &Reading,
        (before, leaf): (usize, &Leaf),
        demand: Demand,
        parts: &mut PageParts,
        shared: &Shared,
    ) -> Result<(), DocumentError> {
        let objects = &*reading.objects;
        let page = leaf.dictionary.as_dictionary().ok_or(DocumentError::damaged("a page that is no dictionary"))?;
        let contents = page.get(b"Contents").unwrap_or(&Object::Null);
        let lost = has_lost_content(objects, contents)?;
        if lost && demand == Demand::AllContent {
            return Err(DocumentError::damaged("a page whose content is missing"));
        }
        self.lost |= lost;
        let annotations = page.get(b"Annots").cloned().unwrap_or(Object::Null);
        let Annotations { widgets, appearances } = Annotations::of(objects, &annotations, parts)?;
        self.widgets.push(widgets);
        let content = PageContent {
            number: page_number(before),
            contents,
            resources: leaf.inherited.resources.as_ref().unwrap_or(&Object::Null),
            appearances,
        };
        let watch_colors = reading.catalog.get(b"OutputIntents").is_some();
        let used = resources::find(reading, content, watch_colors, shared)?;
        self.colors.push(used.device_colors);
        self.used.merge(used);
        self.annotations.push(annotations);
        Ok(())
    }
}

/// What `widgets` and `colors`, an entry for each page, want of the document and cannot have at once.
fn conflict(
    reading: &Reading,
    widgets: &[Vec<Widget>],
    colors: &[DeviceColors],
) -> Result<Option<Conflict>, DocumentError> {
    let objects = &*reading.objects;
    let mut values: HashMap<Vec<u8>, (usize, Object)> = HashMap::new();
    for (page, widgets) in widgets.iter().enumerate() {
        for widget in widgets {
            reading.limits.deadline.check()?;
            let Some(NamedField { name, value }) = form::named_field(objects, *widget)? else { continue };
            match values.get(&name) {
                Some((other, known)) if *other != page && *known != value => {
                    return Ok(Some(Conflict::FieldValues { name: String::from_utf8_lossy(&name).into_owned() }));
                }
                Some(_) => {}
                None => drop(values.insert(name, (page, value))),
            }
        }
    }
    let mut intents: Option<Vec<Object>> = None;
    for colors in colors {
        let kept = catalog::intents_for(objects, &reading.catalog, *colors)?;
        if !kept.is_empty() && intents.replace(kept.clone()).is_some_and(|others| others != kept) {
            return Ok(Some(Conflict::OutputIntents));
        }
    }
    Ok(None)
}

/// Numbers of the document's optional content groups (ISO 32000-2, 8.11.4.2).
fn groups_of(objects: &dyn Objects, catalog: &Dictionary) -> Result<BTreeSet<u32>, DocumentError> {
    let properties = objects.get(catalog, b"OCProperties")?;
    let Some(properties) = properties.as_dictionary() else { return Ok(BTreeSet::new()) };
    let groups = objects.get(properties, b"OCGs")?;
    let groups = groups.as_array().unwrap_or_default();
    Ok(groups.iter().filter_map(Object::as_reference).map(|id| id.number).collect())
}

/// What the annotations of one page are.
#[derive(Default)]
struct Annotations {
    widgets: Vec<Widget>,
    /// Their appearance streams, by state or not (12.5.5).
    appearances: Vec<Object>,
}

impl Annotations {
    /// Looks at each once: 33,000 of them are more than a reader keeps.
    fn of(objects: &dyn Objects, annotations: &Object, parts: &mut PageParts) -> Result<Self, DocumentError> {
        let mut all = Self::default();
        let annotations = objects.resolve(annotations)?;
        let mut seen = HashSet::new();
        for annotation in annotations.as_array().unwrap_or_default() {
            objects.limits().deadline.check()?;
            let itself = annotation.as_reference();
            if itself.is_some_and(|id| !seen.insert(id)) {
                continue;
            }
            let annotation = objects.resolve(annotation)?;
            match annotation.as_dictionary() {
                Some(annotation) => {
                    all.widgets.extend(form::survey(objects, itself, annotation, parts)?);
                    all.add_appearances(objects, annotation)?;
                }
                None => parts.annotations.extend(itself),
            }
        }
        Ok(all)
    }

    fn add_appearances(&mut self, objects: &dyn Objects, annotation: &Dictionary) -> Result<(), DocumentError> {
        let by_kind = objects.get(annotation, b"AP")?;
        for (_, appearance) in by_kind.as_dictionary().into_iter().flat_map(Dictionary::iter) {
            let resolved = objects.resolve(appearance)?;
            match &*resolved {
                Object::Dictionary(by_state) => {
                    self.appearances.extend(by_state.iter().map(|(_, state)| state.clone()));
                }
                _ => self.appearances.push(appearance.clone()),
            }
        }
        // Icons of buttons are forms too (12.5.6.19).
        let characteristics = objects.get(annotation, b"MK")?;
        for (_, value) in characteristics.as_dictionary().into_iter().flat_map(Dictionary::iter) {
            self.appearances.extend(value.as_reference().map(Object::Reference));
        }
        Ok(())
    }
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

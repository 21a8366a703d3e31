//! Assembles pages and everything they reach into one file.

use super::chunk_cache::ChunkCache;
use super::closure::form::{NamedField, Widget};
use super::closure::{ChunkMembers, Closure, catalog, form, page, page_number};
use super::resources::{DeviceColors, PageContent, UsedResources};
use super::writer::ChunkFile;
use super::{CutNote, resources, writer};
use pagewise_document::object::{Dictionary, Object};
use pagewise_document::objects::Objects;
use pagewise_document::{DocumentError, Leaf, ParsedDocument};
use std::collections::{BTreeSet, HashMap, HashSet};

/// How much of a page's content a reader must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentRequirement {
    /// Every stream in `/Contents`: another reader may find what this one misses.
    Complete,
    /// Whatever there is: no reader finds more.
    Any,
}

/// A file of pages.
pub(super) struct Assembly {
    pub(super) file: ChunkFile,
    pub(super) notes: Vec<CutNote>,
    /// If set, the pages cannot share a file, and `file` is empty.
    pub(super) conflict: Option<Conflict>,
}

/// Why pages cannot share one file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// A form field has different values on two pages.
    #[error("the form field {name:?} has different values on two pages")]
    FieldValues {
        /// The field's fully qualified name.
        name: String,
    },
    /// Two pages need different output intents.
    #[error("two pages have different output intents")]
    OutputIntents,
}

/// Writes `pages` as one file. `labels` has an entry for each page.
pub(super) fn assemble(
    parsed: &ParsedDocument,
    pages: &[Leaf],
    labels: &[Option<String>],
    requirement: ContentRequirement,
) -> Result<Assembly, DocumentError> {
    ChunkCache::with(parsed, |cache| assemble_with(parsed, pages, labels, requirement, cache))
}

fn assemble_with(
    parsed: &ParsedDocument,
    pages: &[Leaf],
    labels: &[Option<String>],
    requirement: ContentRequirement,
    cache: &ChunkCache,
) -> Result<Assembly, DocumentError> {
    let (objects, limits) = (&*parsed.objects, &parsed.limits);
    let groups = groups_of(objects, &parsed.catalog)?;
    let mut members = ChunkMembers::new(pages.iter().map(|leaf| leaf.id).collect(), groups);
    let mut analysis = PageAnalysis::default();
    for (before, leaf) in pages.iter().enumerate() {
        analysis.add_page(parsed, (before, leaf), requirement, &mut members, cache)?;
    }
    let PageAnalysis { annotations, widgets, used, colors, mut has_lost_content } = analysis;
    form::find_roots(objects, limits, &parsed.catalog, &widgets.concat(), &mut members)?;
    if pages.len() > 1
        && let Some(conflict) = find_conflict(parsed, &widgets, &colors)?
    {
        return Ok(Assembly { file: ChunkFile::default(), notes: Vec::new(), conflict: Some(conflict) });
    }
    let mut closure = Closure::new(objects, limits, &members, &used, cache);
    let mut media_box_assumed = false;
    for (before, (leaf, annotations)) in pages.iter().zip(&annotations).enumerate() {
        let number = page_number(before);
        let (body, assumed) = page::write(&mut closure, number, leaf, annotations)?;
        media_box_assumed |= assumed;
        closure.add(number, body)?;
        closure.drain()?;
    }
    catalog::write(&mut closure, &parsed.catalog, labels, used.device_colors)?;
    // A missing label may mean that reading labels was stopped: such a page must not be returned.
    limits.deadline.check()?;
    has_lost_content |= closure.has_lost_resources;
    let last_number = closure.last_number();
    let file = writer::write(closure.serialized, last_number, "1.7", cache);
    let notes = [
        (media_box_assumed, CutNote::MediaBoxAssumed),
        (used.has_damaged_content, CutNote::ContentDamaged),
        (has_lost_content, CutNote::ContentLost),
    ];
    let notes = notes.into_iter().filter_map(|(applies, note)| applies.then_some(note)).collect();
    Ok(Assembly { file, notes, conflict: None })
}

/// Facts about the pages that must be known before anything is written.
#[derive(Default)]
struct PageAnalysis {
    /// Each page's `/Annots`.
    annotations: Vec<Object>,
    /// Each page's widgets.
    widgets: Vec<Vec<Widget>>,
    /// Resources that any of the pages uses.
    used: UsedResources,
    /// Each page's device colours.
    colors: Vec<DeviceColors>,
    /// Whether content is missing from the file.
    has_lost_content: bool,
}

impl PageAnalysis {
    /// Analyses the page that comes after `before` others.
    fn add_page(
        &mut self,
        parsed: &ParsedDocument,
        (before, leaf): (usize, &Leaf),
        requirement: ContentRequirement,
        members: &mut ChunkMembers,
        cache: &ChunkCache,
    ) -> Result<(), DocumentError> {
        let objects = &*parsed.objects;
        let page = leaf.dictionary.as_dictionary().ok_or(DocumentError::damaged("a page that is not a dictionary"))?;
        let contents = page.get(b"Contents").unwrap_or(&Object::Null);
        let is_lost = has_lost_content(objects, contents)?;
        if is_lost && requirement == ContentRequirement::Complete {
            return Err(DocumentError::damaged("a page whose content is missing"));
        }
        self.has_lost_content |= is_lost;
        let annotations = page.get(b"Annots").cloned().unwrap_or(Object::Null);
        let Annotations { widgets, appearances } = Annotations::of(objects, &annotations, members)?;
        self.widgets.push(widgets);
        let content = PageContent {
            number: page_number(before),
            contents,
            resources: leaf.inherited.resources.as_ref().unwrap_or(&Object::Null),
            appearances,
        };
        let needs_colors = parsed.catalog.get(b"OutputIntents").is_some();
        let used = resources::find_used(parsed, content, needs_colors, cache)?;
        self.colors.push(used.device_colors);
        self.used.merge(used);
        self.annotations.push(annotations);
        Ok(())
    }
}

/// Finds the first conflict between pages. `widgets` and `colors` have an entry for each page.
fn find_conflict(
    parsed: &ParsedDocument,
    widgets: &[Vec<Widget>],
    colors: &[DeviceColors],
) -> Result<Option<Conflict>, DocumentError> {
    let objects = &*parsed.objects;
    let mut values: HashMap<Vec<u8>, (usize, Object)> = HashMap::new();
    for (page, widgets) in widgets.iter().enumerate() {
        for widget in widgets {
            parsed.limits.deadline.check()?;
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
        let kept = catalog::intents_for(objects, &parsed.catalog, *colors)?;
        if !kept.is_empty() && intents.replace(kept.clone()).is_some_and(|others| others != kept) {
            return Ok(Some(Conflict::OutputIntents));
        }
    }
    Ok(None)
}

/// Object numbers of the document's optional content groups (ISO 32000-2, 8.11.4.2).
fn groups_of(objects: &dyn Objects, catalog: &Dictionary) -> Result<BTreeSet<u32>, DocumentError> {
    let properties = objects.get(catalog, b"OCProperties")?;
    let Some(properties) = properties.as_dictionary() else { return Ok(BTreeSet::new()) };
    let groups = objects.get(properties, b"OCGs")?;
    let groups = groups.as_array().unwrap_or_default();
    Ok(groups.iter().filter_map(Object::as_reference).map(|id| id.number).collect())
}

/// The annotations of one page.
#[derive(Default)]
struct Annotations {
    widgets: Vec<Widget>,
    /// Appearance streams (12.5.5) of all states, and icons of buttons.
    appearances: Vec<Object>,
}

impl Annotations {
    /// Fetches each annotation once: a page can have more of them than a reader's cache holds.
    fn of(objects: &dyn Objects, annotations: &Object, members: &mut ChunkMembers) -> Result<Self, DocumentError> {
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
                    all.widgets.extend(form::register_annotation(objects, itself, annotation, members)?);
                    all.add_appearances(objects, annotation)?;
                }
                None => members.annotations.extend(itself),
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
        // Icons of buttons are form XObjects too (12.5.6.19).
        let characteristics = objects.get(annotation, b"MK")?;
        for (_, value) in characteristics.as_dictionary().into_iter().flat_map(Dictionary::iter) {
            self.appearances.extend(value.as_reference().map(Object::Reference));
        }
        Ok(())
    }
}

/// Whether `/Contents` refers to a missing object or to something other than a stream.
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

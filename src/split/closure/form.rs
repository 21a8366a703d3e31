//! The interactive form (ISO 32000-2, 12.7), reduced to the fields of a chunk's widgets.

use super::Closure;
use super::catalog::copy;
use super::roles::{ChunkMembers, ObjectRole, is_document_structure};
use crate::resources::{ResourceScope, UsedNames};
use crate::writer::dictionary::DictionaryWriter;
use pagewise_base::limits::{Limit, LimitExceeded, Limits};
use pagewise_document::DocumentError;
use pagewise_document::object::{Dictionary, Object, ObjectId};
use pagewise_document::objects::Objects;
use std::collections::{HashMap, HashSet};

/// The maximum depth of the field hierarchy; real forms have five levels.
const FIELD_DEPTH: usize = 64;

/// A widget of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Widget {
    /// The widget if it is indirect, otherwise its field.
    lowest: ObjectId,
    /// The root of its field hierarchy.
    top: ObjectId,
}

/// Registers an annotation of a page and, if it is a widget, its fields. Returns the widget if it has a field.
///
/// `itself` is the annotation's id if it is indirect.
pub(crate) fn register_annotation(
    objects: &dyn Objects,
    itself: Option<ObjectId>,
    annotation: &Dictionary,
    members: &mut ChunkMembers,
) -> Result<Option<Widget>, DocumentError> {
    // The annotation was registered for another page.
    if itself.is_some_and(|id| !members.annotations.insert(id)) {
        return Ok(None);
    }
    if !objects.get(annotation, b"Subtype")?.is_name(b"Widget") {
        return Ok(None);
    }
    members.has_widgets = true;
    // A direct widget can still have an indirect field.
    let lowest = itself.or_else(|| annotation.get(b"Parent").and_then(Object::as_reference));
    lowest.map(|lowest| Ok(Widget { lowest, top: topmost_field(objects, lowest, members)? })).transpose()
}

/// Registers `lowest` and the fields above it by `/Parent`. Returns the topmost.
fn topmost_field(
    objects: &dyn Objects,
    lowest: ObjectId,
    members: &mut ChunkMembers,
) -> Result<ObjectId, DocumentError> {
    let mut top = lowest;
    for _ in 0..FIELD_DEPTH {
        members.fields.insert(top);
        let field = objects.fetch(top)?;
        let parent = field.as_dictionary().and_then(|field| field.get(b"Parent")).and_then(Object::as_reference);
        let Some(parent) = parent else { break };
        let is_field = objects.fetch(parent)?.as_dictionary().is_some_and(|above| !is_document_structure(above));
        if !is_field || parent == lowest {
            break;
        }
        top = parent;
    }
    Ok(top)
}

/// Finds the form's root fields that lead to `widgets`. A widget without `/Parent` is found through `/Kids`.
///
/// Fields that the form does not list stay unlisted, since readers draw them differently.
pub(crate) fn find_roots(
    objects: &dyn Objects,
    limits: &Limits,
    catalog: &Dictionary,
    widgets: &[Widget],
    members: &mut ChunkMembers,
) -> Result<(), DocumentError> {
    if !members.has_widgets {
        return Ok(());
    }
    let form = objects.get(catalog, b"AcroForm")?;
    let Some(form) = form.as_dictionary() else { return Ok(()) };
    let listed = objects.get(form, b"Fields")?;
    let listed: Vec<ObjectId> = references(&listed).collect();
    let known: HashSet<ObjectId> = listed.iter().copied().collect();
    if widgets.iter().any(|widget| !known.contains(&widget.top)) {
        let above = parents_by_kids(objects, limits, &listed)?;
        for widget in widgets {
            let mut at = widget.top;
            for _ in 0..FIELD_DEPTH {
                let Some(parent) = above.get(&at) else { break };
                members.fields.insert(*parent);
                at = *parent;
            }
        }
    }
    let mut taken = HashSet::new();
    members.roots.extend(listed.into_iter().filter(|field| members.fields.contains(field) && taken.insert(*field)));
    Ok(())
}

pub(crate) struct NamedField {
    /// Its fully qualified name (12.7.4.2).
    pub(crate) name: Vec<u8>,
    /// Its value, resolved; null if it has none.
    pub(crate) value: Object,
}

/// The field of a widget; `None` if it has no name.
pub(crate) fn named_field(objects: &dyn Objects, widget: Widget) -> Result<Option<NamedField>, DocumentError> {
    let (mut names, mut value) = (Vec::new(), None);
    let mut at = Some(widget.lowest);
    for _ in 0..FIELD_DEPTH {
        let Some(id) = at else { break };
        let field = objects.fetch(id)?;
        let Some(field) = field.as_dictionary() else { break };
        names.extend(objects.get(field, b"T")?.as_string().map(<[u8]>::to_vec));
        if value.is_none() && field.get(b"V").is_some() {
            value = Some((*objects.get(field, b"V")?).clone());
        }
        at = field.get(b"Parent").and_then(Object::as_reference);
    }
    names.reverse();
    let named = || NamedField { name: names.join(&b'.'), value: value.unwrap_or(Object::Null) };
    Ok((!names.is_empty()).then(named))
}

fn references(array: &Object) -> impl Iterator<Item = ObjectId> + '_ {
    array.as_array().unwrap_or_default().iter().filter_map(Object::as_reference)
}

/// The parent of each field, according to `/Kids`.
fn parents_by_kids(
    objects: &dyn Objects,
    limits: &Limits,
    listed: &[ObjectId],
) -> Result<HashMap<ObjectId, ObjectId>, DocumentError> {
    let known: HashSet<ObjectId> = listed.iter().copied().collect();
    let mut above = HashMap::new();
    let mut pending = listed.to_vec();
    while let Some(id) = pending.pop() {
        let field = objects.fetch(id)?;
        let Some(field) = field.as_dictionary() else { continue };
        let kids = objects.get(field, b"Kids")?;
        for kid in references(&kids) {
            limits.deadline.check()?;
            LimitExceeded::check(Limit::PageObjects, above.len() as u64, u64::from(limits.max_page_objects))?;
            if !known.contains(&kid) && above.insert(kid, id).is_none() {
                pending.push(kid);
            }
        }
    }
    Ok(above)
}

/// Writes the interactive form (12.7.3), reduced to the fields of the chunk's widgets. Poppler draws no widgets
/// without it.
pub(crate) fn write(
    closure: &mut Closure<'_>,
    catalog: &Dictionary,
    written: &mut DictionaryWriter<'_>,
) -> Result<(), DocumentError> {
    let form = closure.objects.get(catalog, b"AcroForm")?;
    let Some(form) = form.as_dictionary().filter(|_| closure.members.has_widgets) else { return Ok(()) };
    let mut written = written.dictionary(b"AcroForm");
    copy(closure, form, b"DA", written.entries())?;
    write_form_fonts(closure, form, &mut written)?;
    let mut fields = written.array(b"Fields");
    for &root in &closure.members.roots {
        let field = Object::Reference(root);
        closure.write_value(&field, ObjectRole::Field, ResourceScope::Nested, None, fields.elements())?;
    }
    drop(fields);
    for key in [&b"NeedAppearances"[..], b"Q", b"SigFlags"] {
        copy(closure, form, key, written.entries())?;
    }
    Ok(())
}

/// Writes the form's default resources, reduced to the fonts that default appearances name.
fn write_form_fonts(
    closure: &mut Closure<'_>,
    form: &Dictionary,
    written: &mut DictionaryWriter<'_>,
) -> Result<(), DocumentError> {
    let defaults = closure.objects.get(form, b"DR")?;
    let Some(defaults) = defaults.as_dictionary() else { return Ok(()) };
    let used = appearance_names(closure, form)?;
    let mut written = written.dictionary(b"DR");
    for category in [&b"Encoding"[..], b"Font"] {
        let entries = closure.objects.get(defaults, category)?;
        let kept = entries.as_dictionary().into_iter().flat_map(Dictionary::iter);
        let kept = kept.filter(|(name, _)| used.contains(name.as_bytes()));
        let mut fonts = Vec::new();
        for (name, value) in kept {
            closure.write_entry(name.as_bytes(), value, ObjectRole::Other, ResourceScope::Nested, &mut fonts)?;
        }
        // Empty if nothing is used, or nothing of it is in the file.
        if !fonts.is_empty() {
            written.dictionary(category).entries().extend(fonts);
        }
    }
    Ok(())
}

/// Names in the default appearance strings (12.7.4.3) of the form and the chunk's fields.
fn appearance_names(closure: &Closure<'_>, form: &Dictionary) -> Result<UsedNames, DocumentError> {
    let mut used = UsedNames::default();
    used.scan(closure.objects.get(form, b"DA")?.as_string().unwrap_or_default());
    for id in &closure.members.fields {
        let field = closure.objects.fetch(*id)?;
        let Some(field) = field.as_dictionary() else { continue };
        used.scan(closure.objects.get(field, b"DA")?.as_string().unwrap_or_default());
    }
    Ok(used)
}

//! Interactive forms (ISO 32000-2, 12.7), reduced to the fields of the widgets of a chunk's pages.

use super::catalog::copy;
use super::closure::Closure;
use super::names::UsedNames;
use super::resources::Place;
use super::roles::{PageParts, Role, is_of_the_document};
use super::serialize;
use crate::document::DocumentError;
use crate::document::object::{Dictionary, Object, ObjectId};
use crate::document::objects::Objects;
use crate::limits::{Limit, LimitExceeded, Limits};
use std::collections::{HashMap, HashSet};

/// Fields above each other, at most; real forms have five.
const FIELD_DEPTH: usize = 64;

/// A widget of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Widget {
    /// The widget, where it is indirect, else the field above it.
    lowest: ObjectId,
    /// The topmost field above it.
    top: ObjectId,
}

/// Notes an annotation of a page, `itself` where it is indirect; where it is a widget with a field of its own or above it,
/// gives the widget, and notes the fields above it.
pub(super) fn survey(
    objects: &dyn Objects,
    itself: Option<ObjectId>,
    annotation: &Dictionary,
    parts: &mut PageParts,
) -> Result<Option<Widget>, DocumentError> {
    // One that stands on a page again has nothing new to say.
    if itself.is_some_and(|id| !parts.annotations.insert(id)) {
        return Ok(None);
    }
    if !objects.get(annotation, b"Subtype")?.is_name(b"Widget") {
        return Ok(None);
    }
    parts.has_widgets = true;
    // A widget that stands directly in the array can still have a field above it.
    let lowest = itself.or_else(|| annotation.get(b"Parent").and_then(Object::as_reference));
    lowest.map(|lowest| Ok(Widget { lowest, top: climb(objects, lowest, parts)? })).transpose()
}

/// Notes `lowest` and the fields above it by their `/Parent`, and gives the topmost.
fn climb(objects: &dyn Objects, lowest: ObjectId, parts: &mut PageParts) -> Result<ObjectId, DocumentError> {
    let mut top = lowest;
    for _ in 0..FIELD_DEPTH {
        parts.fields.insert(top);
        let field = objects.fetch(top)?;
        let parent = field.as_dictionary().and_then(|field| field.get(b"Parent")).and_then(Object::as_reference);
        let Some(parent) = parent else { break };
        let is_field = objects.fetch(parent)?.as_dictionary().is_some_and(|above| !is_of_the_document(above));
        if !is_field || parent == lowest {
            break;
        }
        top = parent;
    }
    Ok(top)
}

/// Finds which of the form's own fields lead to those of `widgets`. Fields that the form does not list stay unlisted, since
/// readers draw those otherwise; a widget that is only its field's kid, without `/Parent`, is found from above.
pub(super) fn find_roots(
    objects: &dyn Objects,
    limits: &Limits,
    catalog: &Dictionary,
    widgets: &[Widget],
    parts: &mut PageParts,
) -> Result<(), DocumentError> {
    if !parts.has_widgets {
        return Ok(());
    }
    let form = objects.get(catalog, b"AcroForm")?;
    let Some(form) = form.as_dictionary() else { return Ok(()) };
    let listed = objects.get(form, b"Fields")?;
    let listed: Vec<ObjectId> = references(&listed).collect();
    let known: HashSet<ObjectId> = listed.iter().copied().collect();
    if widgets.iter().any(|widget| !known.contains(&widget.top)) {
        let above = parents(objects, limits, &listed)?;
        for widget in widgets {
            let mut at = widget.top;
            for _ in 0..FIELD_DEPTH {
                let Some(parent) = above.get(&at) else { break };
                parts.fields.insert(*parent);
                at = *parent;
            }
        }
    }
    let mut taken = HashSet::new();
    parts.roots.extend(listed.into_iter().filter(|field| parts.fields.contains(field) && taken.insert(*field)));
    Ok(())
}

/// A field that has a name.
pub(super) struct NamedField {
    /// Its fully qualified name (12.7.4.2).
    pub(super) name: Vec<u8>,
    /// Its value, resolved; null where it has none.
    pub(super) value: Object,
}

/// The field of a widget; `None` for one without a name.
pub(super) fn named_field(objects: &dyn Objects, widget: Widget) -> Result<Option<NamedField>, DocumentError> {
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

/// Each field's parent as `/Kids` have it.
fn parents(
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

/// The interactive form (12.7.3) reduced to the fields of these pages' widgets; without it Poppler draws no widget.
pub(super) fn write(closure: &mut Closure<'_>, catalog: &Dictionary, out: &mut Vec<u8>) -> Result<(), DocumentError> {
    let form = closure.objects.get(catalog, b"AcroForm")?;
    let Some(form) = form.as_dictionary().filter(|_| closure.parts.has_widgets) else { return Ok(()) };
    out.extend(b"/AcroForm<<");
    copy(closure, form, b"DA", out)?;
    write_form_fonts(closure, form, out)?;
    out.extend(b"/Fields[");
    for &root in &closure.parts.roots {
        closure.value(&Object::Reference(root), Role::Field, Place::Nested, None, out)?;
    }
    out.push(b']');
    for key in [&b"NeedAppearances"[..], b"Q", b"SigFlags"] {
        copy(closure, form, key, out)?;
    }
    out.extend(b">>");
    Ok(())
}

/// Of the form's default resources the fonts that default appearances name: they can be 1.6 MB whole.
fn write_form_fonts(closure: &mut Closure<'_>, form: &Dictionary, out: &mut Vec<u8>) -> Result<(), DocumentError> {
    let defaults = closure.objects.get(form, b"DR")?;
    let Some(defaults) = defaults.as_dictionary() else { return Ok(()) };
    let used = appearance_names(closure, form)?;
    out.extend(b"/DR<<");
    for category in [&b"Encoding"[..], b"Font"] {
        let entries = closure.objects.get(defaults, category)?;
        let kept = entries.as_dictionary().into_iter().flat_map(Dictionary::iter);
        let kept = kept.filter(|(name, _)| used.contains(name.as_bytes()));
        let before = out.len();
        serialize::name(out, category);
        out.extend(b"<<");
        let empty = out.len();
        for (name, value) in kept {
            closure.entry_value(name.as_bytes(), value, Role::Other, Place::Nested, out)?;
        }
        if out.len() == empty {
            // Nothing is named, or nothing of that is in the file.
            out.truncate(before);
        } else {
            out.extend(b">>");
        }
    }
    out.extend(b">>");
    Ok(())
}

/// Names in the default appearance strings (12.7.4.3) of the form and of these pages' fields.
fn appearance_names(closure: &Closure<'_>, form: &Dictionary) -> Result<UsedNames, DocumentError> {
    let mut used = UsedNames::default();
    used.scan(closure.objects.get(form, b"DA")?.as_string().unwrap_or_default());
    for id in &closure.parts.fields {
        let field = closure.objects.fetch(*id)?;
        let Some(field) = field.as_dictionary() else { continue };
        used.scan(closure.objects.get(field, b"DA")?.as_string().unwrap_or_default());
    }
    Ok(used)
}

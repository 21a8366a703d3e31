//! The catalog of a chunk (ISO 32000-2, 7.7.2), reduced to the entries that its pages need.

use super::roles::ObjectRole;
use super::{CATALOG, Closure, PAGES, form, page_number};
use crate::resources::{DeviceColors, ResourceScope};
use crate::writer::dictionary::{ArrayWriter, DictionaryWriter};
use pagewise_document::DocumentError;
use pagewise_document::object::{Dictionary, Object};
use pagewise_document::objects::Objects;

/// Writes the catalog and the root of the page tree, after the pages' closure was followed. `labels` has an entry for
/// each page.
pub(crate) fn write(
    closure: &mut Closure<'_>,
    catalog: &Dictionary,
    labels: &[Option<String>],
    colors: DeviceColors,
) -> Result<(), DocumentError> {
    let mut out = Vec::new();
    let mut written = DictionaryWriter::begin(&mut out);
    form::write(closure, catalog, &mut written)?;
    copy(closure, catalog, b"Extensions", written.entries())?;
    copy(closure, catalog, b"Lang", written.entries())?;
    closure.drain()?;
    write_layers(closure, catalog, &mut written)?;
    write_intents(closure, catalog, colors, written.entries())?;
    write_labels(labels, &mut written);
    written.reference(b"Pages", PAGES);
    written.name(b"Type", b"Catalog");
    drop(written);
    closure.add(CATALOG, out)?;
    closure.add(PAGES, page_tree(labels.len()))?;
    closure.drain()
}

/// The root of the page tree (7.7.3.2), with all pages as its kids.
fn page_tree(page_count: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut root = DictionaryWriter::begin(&mut out);
    root.integer(b"Count", page_count as u64);
    let mut kids = root.array(b"Kids");
    (0..page_count).for_each(|before| kids.reference(page_number(before)));
    drop(kids);
    root.name(b"Type", b"Pages");
    drop(root);
    out
}

/// Writes page labels (12.4.2). Every page gets its own range; otherwise an unlabelled page would continue the
/// previous one.
fn write_labels(labels: &[Option<String>], catalog: &mut DictionaryWriter<'_>) {
    if labels.iter().all(Option::is_none) {
        return;
    }
    let mut tree = catalog.dictionary(b"PageLabels");
    let mut ranges = tree.array(b"Nums");
    for (page, label) in labels.iter().enumerate() {
        ranges.integer(page as u64);
        let mut range = ranges.dictionary();
        if let Some(label) = label {
            range.string(b"P", &text_string(label));
        }
    }
}

/// Encodes a text string (7.9.2.2): ASCII as PDFDocEncoding, anything else as UTF-16BE.
fn text_string(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return text.as_bytes().to_vec();
    }
    [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
}

pub(crate) fn copy(
    closure: &mut Closure<'_>,
    catalog: &Dictionary,
    key: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), DocumentError> {
    match catalog.get(key) {
        Some(value) => closure.write_entry(key, value, ObjectRole::Other, ResourceScope::Nested, out),
        None => Ok(()),
    }
}

/// Writes the optional content properties (8.11.4), reduced to the groups that the pages reach. Without them, hidden
/// layers would be shown.
fn write_layers(
    closure: &mut Closure<'_>,
    catalog: &Dictionary,
    written: &mut DictionaryWriter<'_>,
) -> Result<(), DocumentError> {
    if closure.groups.is_empty() {
        return Ok(());
    }
    let properties = closure.objects.get(catalog, b"OCProperties")?;
    let Some(properties) = properties.as_dictionary() else { return Ok(()) };
    let mut written = written.dictionary(b"OCProperties");
    let default = closure.objects.get(properties, b"D")?;
    if let Some(default) = default.as_dictionary() {
        write_configuration(closure, default, &mut written.dictionary(b"D"))?;
    }
    let groups = closure.objects.get(properties, b"OCGs")?;
    write_groups(closure, &groups, &mut written.array(b"OCGs"), 0)
}

fn write_configuration(
    closure: &mut Closure<'_>,
    configuration: &Dictionary,
    written: &mut DictionaryWriter<'_>,
) -> Result<(), DocumentError> {
    for (key, value) in configuration.iter() {
        match key.as_bytes() {
            b"AS" => write_usage_applications(closure, value, &mut written.array(b"AS"))?,
            b"Locked" | b"OFF" | b"ON" | b"Order" | b"RBGroups" => {
                let groups = closure.objects.resolve(value)?;
                if groups.as_array().is_some() {
                    write_groups(closure, &groups, &mut written.array(key.as_bytes()), 0)?;
                }
            }
            b"BaseState" | b"Creator" | b"Intent" | b"ListMode" | b"Name" => {
                copy(closure, configuration, key.as_bytes(), written.entries())?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Writes an array of groups, labels and nested arrays, without the groups that the pages do not reach.
fn write_groups(
    closure: &mut Closure<'_>,
    groups: &Object,
    written: &mut ArrayWriter<'_>,
    depth: u32,
) -> Result<(), DocumentError> {
    if depth == 0 {
        closure.orders.clear();
    }
    for element in groups.as_array().unwrap_or_default() {
        match element {
            Object::Reference(id) => {
                if let Some(number) = closure.number_of(id.number).filter(|_| closure.groups.contains(&id.number)) {
                    written.reference(number);
                    continue;
                }
                let nested = closure.objects.fetch(*id)?;
                // Only once: arrays may contain themselves or each other.
                if nested.as_array().is_some() && closure.orders.insert(id.number) {
                    write_nested(closure, &nested, written, depth)?;
                }
            }
            Object::Array(_) => write_nested(closure, element, written, depth)?,
            // The label of a nested array.
            Object::String(label) => written.string(label),
            _ => {}
        }
    }
    Ok(())
}

fn write_nested(
    closure: &mut Closure<'_>,
    groups: &Object,
    written: &mut ArrayWriter<'_>,
    depth: u32,
) -> Result<(), DocumentError> {
    if depth < closure.limits.max_nesting && reaches_group(closure, groups, depth) {
        write_groups(closure, groups, &mut written.array(), depth + 1)?;
    }
    Ok(())
}

fn reaches_group(closure: &Closure<'_>, groups: &Object, depth: u32) -> bool {
    groups.as_array().unwrap_or_default().iter().any(|element| match element {
        Object::Reference(id) => closure.groups.contains(&id.number),
        nested => depth < closure.limits.max_nesting && reaches_group(closure, nested, depth + 1),
    })
}

fn write_usage_applications(
    closure: &mut Closure<'_>,
    value: &Object,
    written: &mut ArrayWriter<'_>,
) -> Result<(), DocumentError> {
    let applications = closure.objects.resolve(value)?;
    for application in applications.as_array().unwrap_or_default() {
        let application = closure.objects.resolve(application)?;
        let Some(application) = application.as_dictionary() else { continue };
        let mut written = written.dictionary();
        for (key, value) in application.iter() {
            if key.as_bytes() == b"OCGs" {
                let groups = closure.objects.resolve(value)?;
                write_groups(closure, &groups, &mut written.array(b"OCGs"), 0)?;
            } else {
                copy(closure, application, key.as_bytes(), written.entries())?;
            }
        }
    }
    Ok(())
}

/// Writes the output intents (14.11.5) that apply to a device colour family in use. A profile is often larger than a
/// page.
fn write_intents(
    closure: &mut Closure<'_>,
    catalog: &Dictionary,
    colors: DeviceColors,
    out: &mut Vec<u8>,
) -> Result<(), DocumentError> {
    let kept = intents_for(closure.objects, catalog, colors)?;
    if kept.is_empty() {
        return Ok(());
    }
    closure.write_entry(b"OutputIntents", &Object::Array(kept), ObjectRole::Other, ResourceScope::Nested, out)
}

/// The document's output intents that apply to these colours.
pub(crate) fn intents_for(
    objects: &dyn Objects,
    catalog: &Dictionary,
    colors: DeviceColors,
) -> Result<Vec<Object>, DocumentError> {
    let intents = objects.get(catalog, b"OutputIntents")?;
    let mut kept = Vec::new();
    for intent in intents.as_array().unwrap_or_default() {
        let resolved = objects.resolve(intent)?;
        let Some(dictionary) = resolved.as_dictionary() else { continue };
        let profile = objects.get(dictionary, b"DestOutputProfile")?;
        let components = profile.as_dictionary().and_then(|profile| profile.get(b"N")).and_then(Object::as_integer);
        if components.is_none_or(|components| colors.has(components)) {
            kept.push(intent.clone());
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[Option<&str>]) -> String {
        let mut out = Vec::new();
        let labels = labels.iter().map(|label| label.map(str::to_owned)).collect::<Vec<_>>();
        write_labels(&labels, &mut DictionaryWriter::begin(&mut out));
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_page_without_a_label_does_not_get_that_of_the_page_before() {
        assert_eq!(labels(&[None, None]), "<<>>");
        assert_eq!(labels(&[Some("a")]), "<</PageLabels<</Nums[0<</P(a)>>]>>>>");
        assert_eq!(labels(&[None, Some("a)"), None]), "<</PageLabels<</Nums[0<<>>1<</P(a\\))>>2<<>>]>>>>");
    }
}

//! The catalog of a chunk (ISO 32000-2, 7.7.2), reduced to the entries that its pages need.

use super::roles::ObjectRole;
use super::{CATALOG, Closure, PAGES, form, page_number};
use crate::document::DocumentError;
use crate::document::object::{Dictionary, Object};
use crate::document::objects::Objects;
use crate::split::resources::{DeviceColors, ResourceScope};
use crate::split::writer::serialize;

/// Writes the catalog and the root of the page tree, after the pages' closure was followed. `labels` has an entry for
/// each page.
pub(crate) fn write(
    closure: &mut Closure<'_>,
    catalog: &Dictionary,
    labels: &[Option<String>],
    colors: DeviceColors,
) -> Result<(), DocumentError> {
    let mut out = b"<<".to_vec();
    form::write(closure, catalog, &mut out)?;
    copy(closure, catalog, b"Extensions", &mut out)?;
    copy(closure, catalog, b"Lang", &mut out)?;
    closure.drain()?;
    write_layers(closure, catalog, &mut out)?;
    write_intents(closure, catalog, colors, &mut out)?;
    write_labels(labels, &mut out);
    serialize::name(&mut out, b"Pages");
    serialize::reference(&mut out, PAGES);
    out.extend(b"/Type/Catalog>>");
    closure.add(CATALOG, out)?;
    let mut pages = b"<</Count ".to_vec();
    serialize::write_unsigned(&mut pages, labels.len() as u64);
    pages.extend(b"/Kids[");
    for before in 0..labels.len() {
        serialize::reference(&mut pages, page_number(before));
    }
    pages.extend(b"]/Type/Pages>>");
    closure.add(PAGES, pages)?;
    closure.drain()
}

/// Writes page labels (12.4.2). Every page gets its own range; otherwise an unlabelled page would continue the
/// previous one.
fn write_labels(labels: &[Option<String>], out: &mut Vec<u8>) {
    if labels.iter().all(Option::is_none) {
        return;
    }
    out.extend(b"/PageLabels<</Nums[");
    for (page, label) in labels.iter().enumerate() {
        serialize::separate(out);
        serialize::write_unsigned(out, page as u64);
        out.extend(b"<<");
        if let Some(label) = label {
            out.extend(b"/P");
            serialize::string(out, &text_string(label));
        }
        out.extend(b">>");
    }
    out.extend(b"]>>");
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
fn write_layers(closure: &mut Closure<'_>, catalog: &Dictionary, out: &mut Vec<u8>) -> Result<(), DocumentError> {
    if closure.groups.is_empty() {
        return Ok(());
    }
    let properties = closure.objects.get(catalog, b"OCProperties")?;
    let Some(properties) = properties.as_dictionary() else { return Ok(()) };
    out.extend(b"/OCProperties<<");
    let default = closure.objects.get(properties, b"D")?;
    if let Some(default) = default.as_dictionary() {
        serialize::name(out, b"D");
        write_configuration(closure, default, out)?;
    }
    let groups = closure.objects.get(properties, b"OCGs")?;
    serialize::name(out, b"OCGs");
    write_groups(closure, &groups, out, 0)?;
    out.extend(b">>");
    Ok(())
}

fn write_configuration(
    closure: &mut Closure<'_>,
    configuration: &Dictionary,
    out: &mut Vec<u8>,
) -> Result<(), DocumentError> {
    out.extend(b"<<");
    for (key, value) in configuration.iter() {
        match key.as_bytes() {
            b"AS" => write_usage_applications(closure, value, out)?,
            b"Locked" | b"OFF" | b"ON" | b"Order" | b"RBGroups" => {
                let groups = closure.objects.resolve(value)?;
                if groups.as_array().is_some() {
                    serialize::name(out, key.as_bytes());
                    write_groups(closure, &groups, out, 0)?;
                }
            }
            b"BaseState" | b"Creator" | b"Intent" | b"ListMode" | b"Name" => {
                closure.write_entry(key.as_bytes(), value, ObjectRole::Other, ResourceScope::Nested, out)?;
            }
            _ => {}
        }
    }
    out.extend(b">>");
    Ok(())
}

/// Writes an array of groups, labels and nested arrays, without the groups that the pages do not reach.
fn write_groups(
    closure: &mut Closure<'_>,
    groups: &Object,
    out: &mut Vec<u8>,
    depth: u32,
) -> Result<(), DocumentError> {
    if depth == 0 {
        closure.orders.clear();
    }
    out.push(b'[');
    for element in groups.as_array().unwrap_or_default() {
        match element {
            Object::Reference(id) => {
                if let Some(number) = closure.number_of(id.number).filter(|_| closure.groups.contains(&id.number)) {
                    serialize::reference(out, number);
                    continue;
                }
                let nested = closure.objects.fetch(*id)?;
                // Only once: arrays may contain themselves or each other.
                if nested.as_array().is_some() && closure.orders.insert(id.number) {
                    write_nested(closure, &nested, out, depth)?;
                }
            }
            Object::Array(_) => write_nested(closure, element, out, depth)?,
            // The label of a nested array.
            Object::String(label) => serialize::string(out, label),
            _ => {}
        }
    }
    out.push(b']');
    Ok(())
}

fn write_nested(
    closure: &mut Closure<'_>,
    groups: &Object,
    out: &mut Vec<u8>,
    depth: u32,
) -> Result<(), DocumentError> {
    if depth < closure.limits.max_nesting && reaches_group(closure, groups, depth) {
        write_groups(closure, groups, out, depth + 1)?;
    }
    Ok(())
}

fn reaches_group(closure: &Closure<'_>, groups: &Object, depth: u32) -> bool {
    groups.as_array().unwrap_or_default().iter().any(|element| match element {
        Object::Reference(id) => closure.groups.contains(&id.number),
        nested => depth < closure.limits.max_nesting && reaches_group(closure, nested, depth + 1),
    })
}

fn write_usage_applications(closure: &mut Closure<'_>, value: &Object, out: &mut Vec<u8>) -> Result<(), DocumentError> {
    let applications = closure.objects.resolve(value)?;
    out.extend(b"/AS[");
    for application in applications.as_array().unwrap_or_default() {
        let application = closure.objects.resolve(application)?;
        let Some(application) = application.as_dictionary() else { continue };
        out.extend(b"<<");
        for (key, value) in application.iter() {
            if key.as_bytes() == b"OCGs" {
                let groups = closure.objects.resolve(value)?;
                serialize::name(out, b"OCGs");
                write_groups(closure, &groups, out, 0)?;
            } else {
                closure.write_entry(key.as_bytes(), value, ObjectRole::Other, ResourceScope::Nested, out)?;
            }
        }
        out.extend(b">>");
    }
    out.push(b']');
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
        write_labels(&labels.iter().map(|label| label.map(str::to_owned)).collect::<Vec<_>>(), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn a_page_without_a_label_does_not_get_that_of_the_page_before() {
        assert_eq!(labels(&[None, None]), "");
        assert_eq!(labels(&[Some("a")]), "/PageLabels<</Nums[0<</P(a)>>]>>");
        assert_eq!(labels(&[None, Some("a)"), None]), "/PageLabels<</Nums[0<<>>1<</P(a\\))>>2<<>>]>>");
    }
}

//! The page object of a chunk (ISO 32000-2, 7.7.3.3), with inherited attributes written into it.

use super::roles::ObjectRole;
use super::{Closure, PAGES};
use crate::resources::ResourceScope;
use crate::writer::dictionary::DictionaryWriter;
use pagewise_document::object::Object;
use pagewise_document::{DocumentError, Leaf, has_media_box};

/// US Letter, which readers assume for a page without a media box.
const DEFAULT_MEDIA_BOX: [i64; 4] = [0, 0, 612, 792];

/// The entries of the page object (table 31) that are kept, in key order. Dropped are links to other pages (article
/// beads, separations, templates), presentation, private data, thumbnails, and additional actions.
const KEYS: [&[u8]; 17] = [
    b"Annots",
    b"ArtBox",
    b"BleedBox",
    b"BoxColorInfo",
    b"Contents",
    b"CropBox",
    b"Group",
    b"MediaBox",
    b"OutputIntents",
    b"Parent",
    b"Resources",
    b"Rotate",
    b"Tabs",
    b"TrimBox",
    b"Type",
    b"UserUnit",
    b"VP",
];

/// Serializes the page object with this number. The flag says whether the media box was assumed.
pub(crate) fn write(
    closure: &mut Closure<'_>,
    number: u32,
    leaf: &Leaf,
    annotations: &Object,
) -> Result<(Vec<u8>, bool), DocumentError> {
    let mut out = Vec::with_capacity(512);
    let mut assumed = false;
    let mut page = DictionaryWriter::begin(&mut out);
    for key in KEYS {
        match key {
            b"Annots" => {
                closure.write_entry(key, annotations, ObjectRole::Annotations, ResourceScope::Nested, page.entries())?
            }
            b"Contents" => write_contents(closure, leaf, page.entries())?,
            b"MediaBox" => assumed = write_media_box(closure, leaf, page.entries())?,
            b"Parent" => page.reference(key, PAGES),
            b"Resources" => write_resources(closure, number, leaf, &mut page)?,
            b"Type" => page.name(key, b"Page"),
            _ => copy(closure, leaf, key, page.entries())?,
        }
    }
    drop(page);
    Ok((out, assumed))
}

fn copy(closure: &mut Closure<'_>, leaf: &Leaf, key: &[u8], out: &mut Vec<u8>) -> Result<(), DocumentError> {
    let inherited = match key {
        b"CropBox" => leaf.inherited.crop_box.as_ref(),
        b"Rotate" => leaf.inherited.rotate.as_ref(),
        _ => leaf.dictionary.as_dictionary().and_then(|page| page.get(key)),
    };
    match inherited {
        Some(value) => closure.write_entry(key, value, ObjectRole::Other, ResourceScope::Nested, out),
        None => Ok(()),
    }
}

fn write_contents(closure: &mut Closure<'_>, leaf: &Leaf, out: &mut Vec<u8>) -> Result<(), DocumentError> {
    match leaf.dictionary.as_dictionary().and_then(|page| page.get(b"Contents")) {
        Some(contents) => closure.write_entry(b"Contents", contents, ObjectRole::Contents, ResourceScope::Nested, out),
        None => Ok(()),
    }
}

fn write_resources(
    closure: &mut Closure<'_>,
    number: u32,
    leaf: &Leaf,
    page: &mut DictionaryWriter<'_>,
) -> Result<(), DocumentError> {
    let start = page.entries().len();
    if let Some(resources) = &leaf.inherited.resources {
        let scope = match resources {
            Object::Reference(id) => ResourceScope::Indirect(id.number),
            _ => ResourceScope::Page(number),
        };
        closure.write_entry(b"Resources", resources, ObjectRole::Resources(scope), scope, page.entries())?;
    }
    if page.entries().len() == start {
        closure.has_lost_resources |= leaf.inherited.resources.as_ref().is_some_and(|own| own.as_reference().is_some());
        // Some readers warn about a page without resources.
        page.dictionary(b"Resources");
    }
    Ok(())
}

/// Writes the media box. Returns true if the page has no usable one and the default was written.
fn write_media_box(closure: &mut Closure<'_>, leaf: &Leaf, out: &mut Vec<u8>) -> Result<bool, DocumentError> {
    let own = match &leaf.inherited.media_box {
        Some(media_box) if has_media_box(closure.objects, leaf)? => {
            Some((*closure.objects.resolve(media_box)?).clone())
        }
        _ => None,
    };
    let is_assumed = own.is_none();
    let media_box = own.unwrap_or_else(|| Object::Array(DEFAULT_MEDIA_BOX.map(Object::Integer).to_vec()));
    closure.write_entry(b"MediaBox", &media_box, ObjectRole::Other, ResourceScope::Nested, out)?;
    Ok(is_assumed)
}
